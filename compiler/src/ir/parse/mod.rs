//! Text to IR. `docs/ir.md` describes the form.
//!
//! Accepts every text of a [`Kernel`], well formed or not: the verifier checks the
//! operands of instructions. The parser checks that every id that the text names is
//! defined in the text, once, and that instructions are numbered without gaps. White
//! space, line ends included, separates words and means nothing else; `;` starts a
//! comment.
mod declaration;
mod instruction;
mod words;

use super::{
    ArrayId, Body, GenericId, Inst, InstId, Kernel, LocalId, MessageId, ParamId, SharedId,
};
use crate::id::{Id, Table};
use std::{fmt, str::FromStr};

/// An error in the text of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in characters.
    pub column: u32,
    /// The message.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

type Result<T> = std::result::Result<T, ParseError>;

impl FromStr for Kernel {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self> {
        Parser::new(text).parse_kernel()
    }
}

/// A position in the text, in bytes.
type At = usize;

/// An id in the text, which is checked once all definitions are known.
#[derive(Clone, Copy)]
enum Use {
    Inst(InstId),
    Local(LocalId),
    Shared(SharedId),
    Array(ArrayId),
    Param(ParamId),
    Message(MessageId),
    Generic(GenericId),
}

struct Parser<'t> {
    text: &'t str,
    at: At,
    /// The number of open bodies.
    bodies: usize,
    /// The number of open parentheses of an extent.
    parentheses: usize,
    /// The names that the text uses.
    uses: Vec<(At, Use)>,
    /// The instructions that the text defines.
    insts: Vec<(At, InstId, Inst)>,
}

impl<'t> Parser<'t> {
    const fn new(text: &'t str) -> Self {
        Self { text, at: 0, bodies: 0, parentheses: 0, uses: Vec::new(), insts: Vec::new() }
    }

    fn parse_kernel(mut self) -> Result<Kernel> {
        self.expect_keyword("kernel")?;
        let name = self.parse_name()?;
        self.expect("{")?;
        let mut kernel = Kernel {
            name,
            generics: Table::new(),
            block: None,
            min_blocks: None,
            cooperative: false,
            dependent_launch: false,
            cluster: None,
            wide_index: false,
            deny_checks: false,
            may_coarsen: true,
            aligned_slices: true,
            coarsening: None,
            params: Table::new(),
            requires: Vec::new(),
            shared: Table::new(),
            arrays: Table::new(),
            messages: Table::new(),
            locals: Table::new(),
            insts: Table::new(),
            body: Body::default(),
        };
        while self.parse_declaration(&mut kernel)? {}
        kernel.body = self.parse_rest_of_body()?;
        self.skip_blanks();
        if self.at < self.text.len() {
            return Err(self.error_at(self.at, "expected the end of the text"));
        }
        kernel.insts = self.collect_insts()?;
        self.check_uses(&kernel)?;
        Ok(kernel)
    }

    /// Returns the table of instructions; an error unless each id is defined once, without gaps.
    fn collect_insts(&mut self) -> Result<Table<InstId, Inst>> {
        let mut insts = std::mem::take(&mut self.insts);
        insts.sort_by_key(|&(at, id, _)| (id, at));
        for (index, &(at, id, _)) in insts.iter().enumerate() {
            let expected = InstId::new(index);
            if id < expected {
                return Err(self.error_at(at, format!("`{id}` is defined twice")));
            }
            if id > expected {
                return Err(self.error_at(at, format!("`{id}` is defined and `{expected}` is not")));
            }
        }
        Ok(insts.into_iter().map(|(_, _, inst)| inst).collect())
    }

    fn check_uses(&self, kernel: &Kernel) -> Result<()> {
        for &(at, named) in &self.uses {
            let (defined, id): (bool, &dyn fmt::Display) = match &named {
                Use::Inst(id) => (kernel.insts.get(*id).is_some(), id),
                Use::Local(id) => (kernel.locals.get(*id).is_some(), id),
                Use::Shared(id) => (kernel.shared.get(*id).is_some(), id),
                Use::Array(id) => (kernel.arrays.get(*id).is_some(), id),
                Use::Param(id) => (kernel.params.get(*id).is_some(), id),
                Use::Message(id) => (kernel.messages.get(*id).is_some(), id),
                Use::Generic(id) => (kernel.generics.get(*id).is_some(), id),
            };
            if !defined {
                return Err(self.error_at(at, format!("`{id}` is not defined")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{MAX_DEPTH, Op, Scalar, Span, Ty};

    /// One of everything.
    const EVERYTHING: &str = include_str!("../everything.ir");

    #[test]
    fn everything_is_printed_as_it_was_written() {
        let kernel: Kernel = EVERYTHING.parse().unwrap();
        assert_eq!(kernel.to_string(), EVERYTHING);
        assert_eq!(kernel.to_string().parse::<Kernel>().unwrap(), kernel);
    }

    #[test]
    fn no_prefix_and_no_mutation_of_a_text_panics() {
        const MUTATIONS: [&str; 8] = ["", "99999999999999999999", "%", "{", "}", "é", "\"", "\0"];
        let text = EVERYTHING.trim_end();
        for (index, (end, c)) in text.char_indices().enumerate() {
            assert!(text[..end].parse::<Kernel>().is_err());
            let mutation = MUTATIONS[index % MUTATIONS.len()];
            let rest = &text[end + c.len_utf8()..];
            let _ = format!("{}{mutation}{rest}", &text[..end]).parse::<Kernel>();
        }
    }

    #[test]
    fn nesting_is_limited() {
        let bodies = |depth| format!("kernel k {{ {}", "%0 = loop {".repeat(depth));
        let parentheses = |depth| format!("kernel k {{ block {}", "(".repeat(depth));
        for text in [bodies(100_000), parentheses(100_000)] {
            let error = text.parse::<Kernel>().unwrap_err();
            assert!(error.message.contains("nested more than 256 deep"), "{error}");
        }
        assert!(!bodies(MAX_DEPTH - 1).parse::<Kernel>().unwrap_err().message.contains("nested"));
    }

    #[test]
    fn names_that_are_no_identifiers_are_quoted() {
        for name in ["", "r#type", "r#", "größe", "a b", "\"\\\n\u{301}", "1", "}"] {
            let mut kernel: Kernel = "kernel k { local $0 = x: u32 }".parse().unwrap();
            kernel.name = name.into();
            kernel.locals[LocalId::new(0)].name = name.into();
            assert_eq!(kernel.to_string().parse::<Kernel>().unwrap(), kernel);
        }
    }

    #[test]
    fn constants_keep_their_bits() {
        let scalars = Scalar::CONCRETE.into_iter().chain([Scalar::Generic(GenericId::new(0))]);
        let edges = [0, 1, 2, 127, 128, 255, 256, 0x7fff, 0x8000, 0x7fff_ffff, 0x8000_0000];
        let floats = [0x7f80_0000, 0x7fc0_0001, 0xff80_0000, 0x7ff0_0000_0000_0000, u64::MAX];
        for ty in scalars.map(Ty::Scalar).chain([Ty::Unit, Ty::Ptr(crate::ir::Space::Shared)]) {
            for bits in edges.into_iter().chain(floats) {
                let inst = Inst { op: Op::Const(bits), ty, span: Span::new(7) };
                let mut kernel: Kernel = "kernel k { generic T0 = T: type num }".parse().unwrap();
                kernel.body.0.push(kernel.insts.push(inst));
                assert_eq!(kernel.to_string().parse::<Kernel>().unwrap(), kernel, "{kernel}");
            }
        }
    }
}
