//! Kernels as the macro embeds them, with the places of their source.
use std::fmt;
use warpwise_compiler::{
    back::ptx,
    diag::Level,
    ir::{Axis, CoarseGrid, Kernel},
    places,
    specialize::Binding,
    target::Target,
};

/// A place in the user's source; line and column from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// As `file!()` gives it.
    pub file: &'static str,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

/// Places by number.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// As `file!()` gives them.
    pub files: &'static [&'static str],
    /// See [`places`].
    pub rows: &'static str,
}

/// An embedded kernel. Generated code has a `static` for each.
///
/// A GPU runs its PTX, and the code of its IR, without further checks, so safe code cannot make a
/// source: the struct is `non_exhaustive`, and what adds code to it is `unsafe`.
#[derive(Debug)]
#[non_exhaustive]
pub struct Source {
    /// The function's name.
    pub name: &'static str,
    /// The kernel in the IR's text form, as the front end made it.
    pub ir: &'static str,
    /// Its code, if nothing is left to bind.
    pub code: Option<EmbeddedCode>,
    /// Its code for some bindings of its generic parameters, if there are any.
    pub precompiled: &'static [(&'static [Binding], EmbeddedCode)],
    /// True if LLVM may compile what is left to bind.
    pub may_use_llvm: bool,
    /// The places of the IR's spans (`!3`), by number, and then that of the kernel's name.
    pub places: Places,
    /// The levels of its lints, where they are not the lints' own.
    pub levels: &'static [LintLevel],
}

/// A level that is given to a lint, as generated code carries it.
#[derive(Debug)]
pub struct LintLevel {
    /// The lint's name.
    pub lint: &'static str,
    /// The level.
    pub level: Level,
    /// The spans for which it holds, without the last; all spans if there is no range.
    pub within: Option<(u32, u32)>,
}

/// The code of a kernel without generic parameters, or of one instance of a generic kernel, made
/// beforehand.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedCode {
    pub(crate) plain: EmbeddedPtx,
    /// The PTX of the same kernel for launches that fulfil a contract, and the text of that, if
    /// they gain from it.
    pub(crate) assumed: Option<(&'static str, EmbeddedPtx)>,
    /// The PTX of the same kernel with coarsened threads, and the division of the grid in launches
    /// of that, if large launches gain from it. They fulfil the contract.
    pub(crate) coarsened: Option<(CoarseGrid, EmbeddedPtx)>,
}

impl EmbeddedCode {
    /// Describes code by the text for the oldest GPU that the kernel runs on, and texts for later
    /// GPUs, by ten times their compute capability, where these gain something.
    pub const fn new(oldest: &'static str, later: &'static [(u32, &'static str)]) -> Self {
        Self { plain: EmbeddedPtx { oldest, later }, assumed: None, coarsened: None }
    }

    /// Adds the same texts for launches that fulfil a
    /// [`Contract`](warpwise_compiler::contract::Contract).
    #[must_use]
    pub const fn with_assumed(
        mut self,
        contract: &'static str,
        oldest: &'static str,
        later: &'static [(u32, &'static str)],
    ) -> Self {
        self.assumed = Some((contract, EmbeddedPtx { oldest, later }));
        self
    }

    /// Adds the same texts for large launches, whose threads are coarsened along axis 0, 1 or 2 by
    /// `factor`. If there is a contract, they fulfil it.
    #[must_use]
    pub const fn with_coarsened(
        mut self,
        axis: usize,
        factor: u32,
        oldest: &'static str,
        later: &'static [(u32, &'static str)],
    ) -> Self {
        let axis = match axis {
            0 => Axis::X,
            1 => Axis::Y,
            _ => Axis::Z,
        };
        self.coarsened = Some((CoarseGrid { axis, factor }, EmbeddedPtx { oldest, later }));
        self
    }
}

/// The PTX of a kernel, made beforehand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmbeddedPtx {
    oldest: &'static str,
    later: &'static [(u32, &'static str)],
}

impl EmbeddedPtx {
    /// Returns the text for `target`, unless `kernel` gains something there that it lacks, or does
    /// not run there.
    pub(crate) fn text_for(self, kernel: &Kernel, target: Target) -> Option<&'static str> {
        if !ptx::runs_on(kernel, target) {
            return None;
        }
        let oldest = ptx::oldest(kernel);
        let target = ptx::level(kernel, target).1;
        if target == oldest {
            return Some(self.oldest);
        }
        let (_, text) = self.later.iter().find(|(sm, _)| Target::new(*sm) == target)?;
        Some(text)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Places {
    /// None.
    pub const NONE: Self = Self { files: &[], rows: "" };

    fn get(self, number: usize) -> Option<Place> {
        let [file, line, column] = places::get(self.rows, number)?;
        let file = self.files.get(file)?;
        Some(Place { file, line: line as u32, column: column as u32 })
    }

    /// Returns the last place.
    pub(crate) fn last(self) -> Option<Place> {
        self.get(places::count(self.rows).checked_sub(1)?)
    }
}

impl Source {
    /// The IR of a kernel that the macro did not compile.
    pub(crate) const NOT_COMPILED: &'static str = "";

    /// Describes a kernel by its IR in text form, which is compiled at its first launch.
    ///
    /// # Safety
    /// `ir` is what the front end of this version made of a function that rustc accepts. Other IR
    /// may access memory that is no argument's.
    #[expect(unsafe_code, reason = "the declaration; nothing unsafe is done here")]
    pub const unsafe fn new(
        name: &'static str,
        ir: &'static str,
        places: Places,
        levels: &'static [LintLevel],
    ) -> Self {
        Self { name, ir, code: None, precompiled: &[], may_use_llvm: true, places, levels }
    }

    /// Leaves everything that is not compiled beforehand to the built-in back end.
    #[must_use]
    pub const fn without_llvm(mut self) -> Self {
        self.may_use_llvm = false;
        self
    }

    /// Adds the kernel's code, which a GPU runs without any further check.
    ///
    /// # Safety
    /// `code` is what this version of the compiler makes of the kernel's IR.
    #[must_use]
    #[expect(unsafe_code, reason = "the declaration; nothing unsafe is done here")]
    pub const unsafe fn with_code(mut self, code: EmbeddedCode) -> Self {
        self.code = Some(code);
        self
    }

    /// Adds the code of some instances of a generic kernel, by the bindings of its parameters.
    ///
    /// # Safety
    /// Each code is what this version of the compiler makes of the kernel's IR with these bindings.
    #[must_use]
    #[expect(unsafe_code, reason = "the declaration; nothing unsafe is done here")]
    pub const unsafe fn with_precompiled(
        mut self,
        instances: &'static [(&'static [Binding], EmbeddedCode)],
    ) -> Self {
        self.precompiled = instances;
        self
    }

    /// Returns the embedded code for these bindings, if there is any.
    pub(crate) fn code_for(&self, bindings: &[Binding]) -> Option<EmbeddedCode> {
        let precompiled = || {
            let (_, code) = self.precompiled.iter().find(|(bound, _)| *bound == bindings)?;
            Some(*code)
        };
        self.code.or_else(precompiled)
    }

    /// Returns the place of span number `span`; that of the kernel if it has none.
    pub fn place(&self, span: usize) -> Place {
        let unknown = Place { file: "<unknown>", line: 0, column: 0 };
        self.places.get(span).or_else(|| self.places.last()).unwrap_or(unknown)
    }
}
