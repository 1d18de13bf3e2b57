//! Kernels that the macro has embedded, prepared for an engine at their first launch.
//!
//! A [`Source`] is embedded by the macro. A [`Bound`] is its IR with all parameters bound, and with the
//! [`Signature`] against which the launcher checks a launch. It is made at the first launch and kept to
//! the end of the process. Engines make their programs of it and keep them in a [`PerKernel`].
use crate::{
    Device, Error, Result,
    advice::Advice,
    error::DevicePanic,
    lint::{self, LintLevel},
};
use std::{
    cell::Cell,
    collections::BTreeMap,
    fmt,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};
use warpwise_compiler::{
    analysis::read_only_arrays::{CONSTANT_BYTES, constant_bytes},
    back::ptx,
    compile::{self, CompileError},
    fault::Reason,
    id::Id as _,
    ir::{Axis, CoarseGrid, Extent, Fault, Kernel, Param},
    lint::launch::barrier_count,
    message::MAX_VALUES,
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

/// The code of a kernel without generic parameters, or of one instance of a generic kernel, made
/// beforehand.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedCode {
    pub(crate) plain: EmbeddedPtx,
    /// The PTX of the same kernel with coarsened threads, and the division of the grid in launches
    /// of that, if large launches gain from it.
    pub(crate) coarsened: Option<(CoarseGrid, EmbeddedPtx)>,
}

impl EmbeddedCode {
    /// Describes code by the text for the oldest GPU that the kernel runs on, and texts for later
    /// GPUs, by ten times their compute capability, where these gain something.
    pub const fn new(oldest: &'static str, later: &'static [(u32, &'static str)]) -> Self {
        Self { plain: EmbeddedPtx { oldest, later }, coarsened: None }
    }

    /// Adds the same texts for large launches, whose threads are coarsened along axis 0, 1 or 2 by
    /// `factor`.
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

    /// Converts a fault of this kernel, which is `kernel` once bound, to a panic.
    pub(crate) fn panic(&self, kernel: &Kernel, fault: FaultDetails) -> DevicePanic {
        let FaultDetails { reason, span, values, block, thread, count } = fault;
        let Place { file, line, column } = self.place(span);
        let [index, len, ..] = values;
        let out_of_bounds = reason == Some(Reason::Check(Fault::IndexOutOfBounds));
        let message = reason
            .map_or_else(|| "a check failed".to_owned(), |reason| reason.text(kernel, &values));
        DevicePanic {
            kernel: self.name,
            message,
            file,
            line,
            column,
            index: out_of_bounds.then_some(index),
            len: out_of_bounds.then_some(len),
            block,
            thread,
            count,
        }
    }
}

/// The details of the faults of a launch; all but `count` are the lowest thread's.
pub(crate) struct FaultDetails {
    /// The reason; `None` if the engine reports an unknown number.
    pub(crate) reason: Option<Reason>,
    /// Number of the failed check's span.
    pub(crate) span: usize,
    /// Index and length, for an index out of bounds, or a message's values.
    pub(crate) values: [u64; MAX_VALUES],
    pub(crate) block: [u32; 3],
    pub(crate) thread: [u32; 3],
    pub(crate) count: u64,
}

/// The number of kernels that a thread finds without a lock, unless two share a place.
const RECENT: usize = 64;

/// A kernel with its generic parameters bound, verified and not yet optimized.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) source: &'static Source,
    pub(crate) bindings: Box<[Binding]>,
    pub(crate) kernel: Kernel,
    pub(crate) signature: Signature,
    /// The reports of its launches so far.
    pub(crate) advice: Advice,
    /// The kernel's number in a [`PerKernel`].
    number: usize,
    /// The same kernel for slices that are aligned to their elements only.
    element_aligned: OnceLock<&'static Self>,
}

impl Bound {
    /// Returns the kernel of `source`, parsed and bound at the first call; `device` is for messages.
    pub(crate) fn get(
        source: &'static Source,
        bindings: &[Binding],
        device: &Device,
    ) -> Result<&'static Self> {
        static BOUND: Instances = Instances::new();
        thread_local! {
            /// The last results of this thread, with which most launches take no lock.
            static FOUND: [Cell<Option<&'static Bound>>; RECENT] =
                const { [const { Cell::new(None) }; RECENT] };
        }
        let place = std::ptr::from_ref(source).addr() / align_of::<Source>() % RECENT;
        if let Some(bound) = FOUND.with(|found| found[place].get())
            && std::ptr::eq(bound.source, source)
            && *bound.bindings == *bindings
        {
            return Ok(bound);
        }
        let mut is_new = false;
        let bound = BOUND.get(source, bindings, || {
            is_new = true;
            let kernel = bind(source, bindings).map_err(|message| Error::Compile {
                kernel: source.name,
                device: device.to_string(),
                message,
            })?;
            Ok(Self::new(source, bindings, kernel))
        })?;
        if is_new {
            lint::log_new_findings(source, bindings, &bound.kernel);
        }
        FOUND.with(|found| found[place].set(Some(bound)));
        Ok(bound)
    }

    /// Keeps a kernel to the end of the process.
    fn new(source: &'static Source, bindings: &[Binding], kernel: Kernel) -> &'static Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        Box::leak(Box::new(Self {
            source,
            bindings: bindings.into(),
            signature: Signature::of(&kernel),
            kernel,
            advice: Advice::default(),
            number: COUNT.fetch_add(1, Relaxed),
            element_aligned: OnceLock::new(),
        }))
    }

    /// Returns the same kernel, or for slices of less alignment the version without accesses to
    /// several elements at once.
    pub(crate) fn for_slices(&'static self, are_aligned: bool) -> &'static Self {
        if are_aligned || self.is_element_aligned() {
            return self;
        }
        self.element_aligned.get_or_init(|| {
            let kernel = Kernel { aligned_slices: false, ..self.kernel.clone() };
            Self::new(self.source, &self.bindings, kernel)
        })
    }

    /// Returns true if the slices of launches may be aligned to their elements only.
    pub(crate) fn is_element_aligned(&self) -> bool {
        !self.kernel.aligned_slices
    }
}

fn bind(source: &Source, bindings: &[Binding]) -> Result<Kernel, String> {
    if source.ir == Source::NOT_COMPILED {
        return Err("it calls something that is a macro, but no `#[device]` function".into());
    }
    let kernel: Kernel =
        source.ir.parse().map_err(|error| format!("its embedded IR does not parse: {error}"))?;
    let kernel =
        compile::bind(&kernel, bindings).map_err(|error| compile_error_text(source, &error))?;
    // The macro checks this for a kernel that is not generic.
    let (bytes, limit) = (constant_bytes(&kernel), CONSTANT_BYTES);
    if bytes > limit {
        return Err(ptx::Unsupported::ConstantMemory { bytes, limit }.to_string());
    }
    Ok(kernel.into_owned())
}

/// Formats a compile error of a bound kernel, with the places that it names.
fn compile_error_text(source: &Source, error: &CompileError) -> String {
    let CompileError::Rejected(diagnostics) = error else { return error.to_string() };
    let texts = diagnostics.0.iter().map(|diagnostic| {
        let place = source.place(diagnostic.span.index());
        let help = diagnostic.help.as_ref().map(|help| format!(": {help}")).unwrap_or_default();
        format!("{} (at {place}){help}", diagnostic.message)
    });
    texts.collect::<Vec<_>>().join("; ")
}

/// The facts that the launcher checks a launch against.
#[derive(Debug)]
pub(crate) struct Signature {
    pub(crate) params: Vec<Param>,
    pub(crate) block: Option<[u64; 3]>,
    pub(crate) wide_index: bool,
    /// True if all blocks have to run at the same time.
    pub(crate) cooperative: bool,
    /// The blocks of a cluster along x, y and z, if blocks run in clusters.
    pub(crate) cluster: Option<[u32; 3]>,
    /// Bytes of shared memory that a block takes for arrays of known lengths.
    pub(crate) shared: u64,
    /// The part of these bytes that the kernel declares, for which no launch asks.
    pub(crate) declared_shared: u64,
    /// True if launches compute lengths of other arrays.
    pub(crate) sized_at_launch: bool,
    /// Barriers that a block waits at, of those that hardware counts.
    pub(crate) barriers: u32,
    /// True if its threads print.
    pub(crate) prints: bool,
}

impl Signature {
    /// Returns the signature of a closed and verified kernel.
    fn of(kernel: &Kernel) -> Self {
        Self {
            params: kernel.params.iter().map(|(_, param)| param.clone()).collect(),
            block: kernel.block.as_ref().map(|dims| dims.each_ref().map(known_extent)),
            wide_index: kernel.wide_index,
            cooperative: kernel.cooperative,
            cluster: kernel.cluster,
            shared: ptx::block_shared_bytes(kernel),
            declared_shared: ptx::declared_shared_bytes(kernel),
            sized_at_launch: ptx::is_sized_at_launch(kernel),
            barriers: barrier_count(kernel),
            prints: kernel.prints(),
        }
    }
}

fn known_extent(extent: &Extent) -> u64 {
    extent.known().expect("a closed kernel's extents are numbers")
}

/// The instances of all kernels that were launched, by the address of the `Source`.
struct Instances {
    found: Mutex<BTreeMap<usize, Vec<&'static Bound>>>,
    making: Mutex<()>,
}

impl Instances {
    const fn new() -> Self {
        Self { found: Mutex::new(BTreeMap::new()), making: Mutex::new(()) }
    }

    /// Returns the instance that `make` made, now or earlier; an error is not kept.
    fn get(
        &self,
        source: &'static Source,
        bindings: &[Binding],
        make: impl FnOnce() -> Result<&'static Bound>,
    ) -> Result<&'static Bound> {
        let found = || self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let address = std::ptr::from_ref(source).addr();
        let find = || {
            let found = found();
            found.get(&address)?.iter().find(|bound| *bound.bindings == *bindings).copied()
        };
        if let Some(bound) = find() {
            return Ok(bound);
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bound) = find() {
            return Ok(bound);
        }
        let bound = make()?;
        found().entry(address).or_default().push(bound);
        Ok(bound)
    }
}

/// A table with an entry for each kernel, which is made at its first use. A lookup takes no lock.
#[derive(Debug)]
pub(crate) struct PerKernel<T> {
    /// By the kernel's number. Chunks never move, so references to slots stay; each is twice as
    /// long as the one before.
    chunks: [OnceLock<Box<[Slot<T>]>>; CHUNKS],
}

/// The number of chunks: enough for as many kernels as fit in memory.
const CHUNKS: usize = 40;
/// The length of the first chunk.
const FIRST_CHUNK: usize = 16;

impl<T> PerKernel<T> {
    pub(crate) const fn new() -> Self {
        Self { chunks: [const { OnceLock::new() }; CHUNKS] }
    }

    /// Returns the result of `make` for this kernel, now or earlier. Does not wait for another
    /// kernel's `make`; an error is not kept.
    pub(crate) fn get(&self, bound: &Bound, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        self.slot(bound.number).get_or_make(make)
    }

    fn slot(&self, number: usize) -> &Slot<T> {
        let chunk = (number / FIRST_CHUNK + 1).ilog2();
        let len = FIRST_CHUNK << chunk;
        let start = len - FIRST_CHUNK;
        let slots = self.chunks[chunk as usize]
            .get_or_init(|| std::iter::repeat_with(Slot::new).take(len).collect());
        &slots[number - start]
    }
}

/// An entry that is made at its first use.
#[derive(Debug)]
pub(crate) struct Slot<T> {
    made: OnceLock<T>,
    making: Mutex<()>,
}

impl<T> Slot<T> {
    pub(crate) const fn new() -> Self {
        Self { made: OnceLock::new(), making: Mutex::new(()) }
    }

    /// Returns what `make` made, now or earlier; an error is not kept.
    pub(crate) fn get_or_make(&self, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let made = make()?;
        Ok(self.made.get_or_init(|| made))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use warpwise_compiler::ir::Scalar;

    static ONE: Source = source("one");
    static TWO: Source = source("two");

    const fn source(name: &'static str) -> Source {
        Source {
            name,
            ir: "kernel k {}",
            code: None,
            precompiled: &[],
            may_use_llvm: true,
            places: Places::NONE,
            levels: &[],
        }
    }

    #[test]
    fn an_instance_is_made_once_for_each_kernel_and_bindings() {
        let instances = Instances::new();
        let u32s = [Binding::Type(Scalar::U32)];
        let get = |source, bindings: &[Binding]| {
            let make = || Ok(Bound::new(source, bindings, source.ir.parse().unwrap()));
            std::ptr::from_ref(instances.get(source, bindings, make).unwrap()).addr()
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let all = [(&ONE, &[][..]), (&ONE, &u32s), (&TWO, &[]), (&TWO, &u32s)];
                    let mut made = all.map(|(source, bindings)| get(source, bindings));
                    assert_eq!(made, all.map(|(source, bindings)| get(source, bindings)));
                    made.sort_unstable();
                    assert!(made.windows(2).all(|pair| pair[0] != pair[1]));
                });
            }
        });
        assert_eq!(instances.found.lock().unwrap().len(), 2);
    }

    #[test]
    fn a_table_keeps_no_errors_and_waits_only_for_the_same_kernel() {
        let table = PerKernel::new();
        let [one, two] =
            [&ONE, &TWO].map(|source| Bound::new(source, &[], source.ir.parse().unwrap()));
        let failed = Error::NoDriver { tried: Vec::new() };
        assert_eq!(table.get(one, || Err::<i32, _>(failed.clone())), Err(failed));
        let meet = Barrier::new(2);
        let slow = |value| {
            meet.wait();
            Ok(value)
        };
        std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(*table.get(one, || slow(1)).unwrap(), 1));
            assert_eq!(*table.get(two, || slow(2)).unwrap(), 2);
        });
        assert_eq!(*table.get(one, || Ok(3)).unwrap(), 1);
    }

    #[test]
    fn every_number_has_a_slot_of_its_own() {
        let table = PerKernel::new();
        for number in 0..1000 {
            assert_eq!(table.slot(number).get_or_make(|| Ok(number)), Ok(&number));
        }
        for number in 0..1000 {
            assert_eq!(table.slot(number).get_or_make(|| Ok(0)), Ok(&number));
        }
    }
}
