//! Text to IR. `docs/ir.md` describes the form.
//!
//! Accepts exactly what a [`Kernel`] can hold, well formed or not: what an
//! instruction may do with its operands is the verifier's business. It does see
//! to it that every id that the text names is defined in the text, once, and that
//! instructions are numbered without gaps. White space, line ends included,
//! separates words and means nothing else; `;` starts a comment.
use super::{
    Access, Array, ArrayId, AtomicOp, BarrierOp, BinaryOp, Body, Bound, Builtin, CompareOp,
    Element, Extent, Fault, Generic, GenericId, GenericKind, Inst, InstId, Kernel, Length, Local,
    LocalId, MAX_DEPTH, MatchOp, Message, MessageId, MulAddForm, Op, Order, Param, ParamId,
    ParamKind, ReduceOp, Requirement, Scalar, Scope, Shared, SharedId, ShuffleOp, Size, Span, Ty,
    UnaryOp, VoteOp, names::Named,
};
use crate::id::{Id, Table};
use std::{fmt, str::FromStr};

/// Why a text is no kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in characters.
    pub column: u32,
    /// What is wrong.
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
        Parser::new(text).kernel()
    }
}

/// Where in the text something stands, in bytes.
type At = usize;

/// Something the text names, to be checked once all definitions are known.
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
    /// How many bodies are open.
    bodies: usize,
    /// How many parentheses of an extent are open.
    parentheses: usize,
    /// What the text names.
    uses: Vec<(At, Use)>,
    /// What the text defines.
    insts: Vec<(At, InstId, Inst)>,
}

impl<'t> Parser<'t> {
    const fn new(text: &'t str) -> Self {
        Self { text, at: 0, bodies: 0, parentheses: 0, uses: Vec::new(), insts: Vec::new() }
    }

    fn kernel(mut self) -> Result<Kernel> {
        self.keyword("kernel")?;
        let name = self.name()?;
        self.expect("{")?;
        let mut kernel = Kernel {
            name,
            generics: Table::new(),
            block: None,
            cooperative: false,
            wide_index: false,
            deny_checks: false,
            params: Table::new(),
            requires: Vec::new(),
            shared: Table::new(),
            arrays: Table::new(),
            messages: Table::new(),
            locals: Table::new(),
            insts: Table::new(),
            body: Body::default(),
        };
        while self.declaration(&mut kernel)? {}
        kernel.body = self.rest_of_body()?;
        self.skip();
        if self.at < self.text.len() {
            return Err(self.error(self.at, "expected the end of the text"));
        }
        kernel.insts = self.table()?;
        self.check_uses(&kernel)?;
        Ok(kernel)
    }

    // Words.

    fn error(&self, at: At, message: impl Into<String>) -> ParseError {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let number = |n: usize| u32::try_from(n + 1).unwrap_or(u32::MAX);
        ParseError {
            line: number(before.bytes().filter(|&byte| byte == b'\n').count()),
            column: number(before[line_start..].chars().count()),
            message: message.into(),
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        self.skip_space();
        while self.rest().starts_with(';') {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            self.skip_space();
        }
    }

    /// Takes what starts here and is made of `part`.
    fn take(&mut self, part: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !part(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// The word that starts here; empty if none does.
    fn word(&mut self) -> (At, &'t str) {
        self.skip();
        (self.at, self.take(|c| c.is_alphanumeric() || c == '_' || c == '.'))
    }

    fn eat_keyword(&mut self, keyword: &str) -> bool {
        let (at, word) = self.word();
        if word != keyword {
            self.at = at;
        }
        word == keyword
    }

    fn keyword(&mut self, keyword: &str) -> Result<()> {
        if self.eat_keyword(keyword) { Ok(()) } else { Err(self.expected(&format!("`{keyword}`"))) }
    }

    fn eat(&mut self, mark: &str) -> bool {
        self.skip();
        let found = self.rest().starts_with(mark);
        if found {
            self.at += mark.len();
        }
        found
    }

    fn expect(&mut self, mark: &str) -> Result<()> {
        if self.eat(mark) { Ok(()) } else { Err(self.expected(&format!("`{mark}`"))) }
    }

    fn expected(&mut self, what: &str) -> ParseError {
        let (at, word) = self.word();
        let found = match (word, self.text[at..].chars().next()) {
            ("", None) => "the end of the text".into(),
            ("", Some(mark)) => format!("`{mark}`"),
            (word, _) => format!("`{word}`"),
        };
        self.error(at, format!("expected {what}, found {found}"))
    }

    /// One of a table's words, e.g. a scalar's name.
    fn named<N: Named>(&mut self, what: &str) -> Result<N> {
        let (at, word) = self.word();
        self.named_in(at, word, what)
    }

    fn named_in<N: Named>(&mut self, at: At, word: &str, what: &str) -> Result<N> {
        N::from_name(word).ok_or_else(|| {
            self.at = at;
            self.expected(what)
        })
    }

    /// A name of the user's: a word, a string in quotes, or nothing.
    fn name(&mut self) -> Result<String> {
        self.skip();
        if self.rest().starts_with('"') {
            return self.quoted();
        }
        let raw = if self.eat("r#") { "r#" } else { "" };
        Ok(format!("{raw}{}", self.take(|c| c.is_alphanumeric() || c == '_')))
    }

    /// A string as Rust's `{:?}` writes it.
    fn quoted(&mut self) -> Result<String> {
        let start = self.at;
        let unclosed = |parser: &Self| parser.error(start, "a quote that is not closed");
        let mut name = String::new();
        self.at += 1;
        loop {
            let c = self.rest().chars().next().ok_or_else(|| unclosed(self))?;
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(name),
                '\\' => name.push(self.escape()?),
                c => name.push(c),
            }
        }
    }

    /// What stands behind a backslash.
    fn escape(&mut self) -> Result<char> {
        let at = self.at;
        let bad = |parser: &Self| parser.error(at, "an escape that Rust's `{:?}` does not write");
        let c = self.rest().chars().next().ok_or_else(|| bad(self))?;
        self.at += c.len_utf8();
        match c {
            'n' => Ok('\n'),
            't' => Ok('\t'),
            'r' => Ok('\r'),
            '0' => Ok('\0'),
            '"' | '\'' | '\\' => Ok(c),
            'u' => {
                self.expect("{")?;
                let digits = self.take(|c| c.is_ascii_hexdigit());
                self.expect("}")?;
                let code = u32::from_str_radix(digits, 16).ok();
                code.and_then(char::from_u32).ok_or_else(|| bad(self))
            }
            _ => Err(bad(self)),
        }
    }

    /// A decimal number.
    fn number<N: FromStr>(&mut self) -> Result<N> {
        self.skip();
        let at = self.at;
        let digits = self.take(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.expected("a number"));
        }
        digits.parse().map_err(|_| self.error(at, format!("`{digits}` is too large")))
    }

    /// An id, e.g. `%12`.
    fn id<I: Id>(&mut self, prefix: &str, what: &str) -> Result<(At, I)> {
        self.skip();
        let at = self.at;
        let digits = self.rest().strip_prefix(prefix).unwrap_or_default();
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(self.expected(what));
        }
        self.at += prefix.len();
        Ok((at, I::new(self.number::<u32>()? as usize)))
    }

    fn inst_id(&mut self) -> Result<InstId> {
        let (at, id) = self.id("%", "an instruction such as `%3`")?;
        self.uses.push((at, Use::Inst(id)));
        Ok(id)
    }

    fn local_id(&mut self) -> Result<LocalId> {
        let (at, id) = self.id("$", "a local such as `$3`")?;
        self.uses.push((at, Use::Local(id)));
        Ok(id)
    }

    fn shared_id(&mut self) -> Result<SharedId> {
        let (at, id) = self.id("@", "a shared array such as `@3`")?;
        self.uses.push((at, Use::Shared(id)));
        Ok(id)
    }

    fn array_id(&mut self) -> Result<ArrayId> {
        let (at, id) = self.id("#", "an array such as `#3`")?;
        self.uses.push((at, Use::Array(id)));
        Ok(id)
    }

    fn param_id(&mut self) -> Result<ParamId> {
        let (at, id) = self.id("arg", "a parameter such as `arg3`")?;
        self.uses.push((at, Use::Param(id)));
        Ok(id)
    }

    fn message_id(&mut self) -> Result<MessageId> {
        let (at, id) = self.id("msg", "a message such as `msg3`")?;
        self.uses.push((at, Use::Message(id)));
        Ok(id)
    }

    fn generic_id(&mut self) -> Result<GenericId> {
        let (at, id) = self.id("T", "a generic parameter such as `T3`")?;
        self.uses.push((at, Use::Generic(id)));
        Ok(id)
    }

    fn at_generic(&mut self) -> bool {
        self.skip();
        self.rest()
            .strip_prefix('T')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// Where it came from; `!0` where the text does not say.
    fn span(&mut self) -> Result<Span> {
        self.skip();
        if self.rest().starts_with('!') {
            Ok(self.id("!", "a span such as `!3`")?.1)
        } else {
            Ok(Span::new(0))
        }
    }

    // Types.

    fn scalar(&mut self) -> Result<Scalar> {
        if self.at_generic() {
            self.generic_id().map(Scalar::Generic)
        } else {
            self.named("a scalar type")
        }
    }

    fn ty(&mut self) -> Result<Ty> {
        if self.eat_keyword("ptr") {
            self.named("`global`, `shared` or `local`").map(Ty::Ptr)
        } else if self.eat_keyword("unit") {
            Ok(Ty::Unit)
        } else {
            self.scalar().map(Ty::Scalar)
        }
    }

    fn element(&mut self) -> Result<Element> {
        if !self.eat_keyword("plain") {
            return self.scalar().map(Element::Scalar);
        }
        let size = self.extent()?;
        self.keyword("align")?;
        Ok(Element::Plain { size, align: self.extent()? })
    }

    fn extent(&mut self) -> Result<Extent> {
        if self.eat("(") {
            self.parentheses = self.deeper(self.parentheses)?;
            let extent = self.binary_extent()?;
            self.parentheses -= 1;
            self.expect(")")?;
            Ok(extent)
        } else if self.eat_keyword("sizeof") {
            self.expect("(")?;
            let scalar = self.scalar()?;
            self.expect(")")?;
            Ok(Extent::SizeOf(scalar))
        } else if self.eat_keyword("max") {
            self.expect("(")?;
            self.parentheses = self.deeper(self.parentheses)?;
            let a = Box::new(self.extent()?);
            self.expect(",")?;
            let b = Box::new(self.extent()?);
            self.parentheses -= 1;
            self.expect(")")?;
            Ok(Extent::Max(a, b))
        } else if self.at_generic() {
            self.generic_id().map(Extent::Generic)
        } else {
            self.number().map(Extent::Const)
        }
    }

    fn binary_extent(&mut self) -> Result<Extent> {
        let a = Box::new(self.extent()?);
        let binary = if self.eat("+") {
            Extent::Add
        } else if self.eat("-") {
            Extent::Sub
        } else if self.eat("*") {
            Extent::Mul
        } else if self.eat("/") {
            Extent::Div
        } else {
            return Err(self.expected("`+`, `-`, `*` or `/`"));
        };
        Ok(binary(a, Box::new(self.extent()?)))
    }

    /// One level below `depth`.
    fn deeper(&self, depth: usize) -> Result<usize> {
        if depth == MAX_DEPTH {
            return Err(self.error(self.at, format!("nested more than {MAX_DEPTH} deep")));
        }
        Ok(depth + 1)
    }

    // Declarations.

    /// Reads one declaration into `kernel`; `false` where none starts.
    fn declaration(&mut self, kernel: &mut Kernel) -> Result<bool> {
        let (at, word) = self.word();
        match word {
            "cooperative" => kernel.cooperative = true,
            "wide_index" => kernel.wide_index = true,
            "deny_checks" => kernel.deny_checks = true,
            "block" => kernel.block = Some(self.block()?),
            "generic" => {
                let name = self.declared(&kernel.generics, "T")?;
                let kind = self.generic_kind()?;
                let span = self.span()?;
                kernel.generics.push(Generic { name, kind, span });
            }
            "param" => {
                let name = self.declared(&kernel.params, "arg")?;
                let kind = self.param_kind()?;
                let span = self.span()?;
                kernel.params.push(Param { name, kind, span });
            }
            "requires" => {
                let text = self.name()?;
                let cond = self.size()?;
                let span = self.span()?;
                kernel.requires.push(Requirement { text, cond, span });
            }
            "shared" => {
                let name = self.declared(&kernel.shared, "@")?;
                let (elem, len) = self.array(Self::length)?;
                let span = self.span()?;
                kernel.shared.push(Shared { name, elem, len, span });
            }
            "array" => {
                let name = self.declared(&kernel.arrays, "#")?;
                let (elem, len) = self.array(Self::extent)?;
                let span = self.span()?;
                kernel.arrays.push(Array { name, elem, len, span });
            }
            "message" => {
                let text = self.declared(&kernel.messages, "msg")?;
                let args = self.scalars()?;
                kernel.messages.push(Message { text, args });
            }
            "local" => {
                let name = self.declared(&kernel.locals, "$")?;
                let ty = self.ty()?;
                let span = self.span()?;
                kernel.locals.push(Local { name, ty, span });
            }
            _ => {
                self.at = at;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `id = name:`, where the id must be the table's next.
    fn declared<I: Id, T>(&mut self, table: &Table<I, T>, prefix: &str) -> Result<String> {
        let next = I::new(table.len());
        let (at, id) = self.id::<I>(prefix, &format!("`{next}`"))?;
        if id != next {
            return Err(self.error(at, format!("expected `{next}`, found `{id}`")));
        }
        self.expect("=")?;
        let name = self.name()?;
        self.expect(":")?;
        Ok(name)
    }

    fn block(&mut self) -> Result<[Extent; 3]> {
        let x = self.extent()?;
        self.expect(",")?;
        let y = self.extent()?;
        self.expect(",")?;
        Ok([x, y, self.extent()?])
    }

    fn generic_kind(&mut self) -> Result<GenericKind> {
        if self.eat_keyword("type") {
            self.named::<Bound>("`num`, `int` or `float`").map(GenericKind::Type)
        } else {
            self.keyword("const")?;
            self.scalar().map(GenericKind::Const)
        }
    }

    fn param_kind(&mut self) -> Result<ParamKind> {
        let (at, word) = self.word();
        let Some(access) = Access::from_name(word) else {
            self.at = at;
            return self.scalar().map(ParamKind::Scalar);
        };
        self.expect("[")?;
        let elem = self.element()?;
        self.expect("]")?;
        Ok(ParamKind::Slice { elem, access })
    }

    /// `(f32, u32)`
    fn scalars(&mut self) -> Result<Vec<Scalar>> {
        self.expect("(")?;
        let mut scalars = Vec::new();
        while !self.eat(")") {
            if !scalars.is_empty() {
                self.expect(",")?;
            }
            scalars.push(self.scalar()?);
        }
        Ok(scalars)
    }

    /// `[f32; 32]`, where the semicolon starts no comment.
    fn array<L>(&mut self, len: fn(&mut Self) -> Result<L>) -> Result<(Element, L)> {
        self.expect("[")?;
        let elem = self.element()?;
        self.skip_space();
        if !self.rest().starts_with(';') {
            return Err(self.expected("`;`"));
        }
        self.at += 1;
        let len = len(self)?;
        self.expect("]")?;
        Ok((elem, len))
    }

    fn length(&mut self) -> Result<Length> {
        if self.eat_keyword("launch") {
            self.size().map(Length::Launch)
        } else {
            self.extent().map(Length::Fixed)
        }
    }

    /// `mul(len arg1, const 2 : u64)`
    fn size(&mut self) -> Result<Size> {
        let (at, word) = self.word();
        Ok(match word {
            "const" => {
                let (at, literal) = self.literal();
                self.expect(":")?;
                let scalar = self.scalar()?;
                Size::Const(scalar, self.bits(at, literal, Ty::Scalar(scalar))?)
            }
            "extent" => Size::Extent(self.extent()?),
            "generic" => Size::Generic(self.generic_id()?),
            "len" => Size::Len(self.param_id()?),
            "builtin" => Size::Builtin(self.named::<Builtin>("a builtin such as `block_dim.x`")?),
            "select" => Size::Select(Box::new(self.sizes()?)),
            "cast" => {
                let to = self.scalar()?;
                let [value] = self.sizes()?;
                Size::Cast(to, Box::new(value))
            }
            _ => {
                if let Some(op) = UnaryOp::from_name(word) {
                    let [value] = self.sizes()?;
                    Size::Unary(op, Box::new(value))
                } else if let Some(op) = BinaryOp::from_name(word) {
                    Size::Binary(op, Box::new(self.sizes()?))
                } else if let Some(op) = CompareOp::from_name(word) {
                    Size::Compare(op, Box::new(self.sizes()?))
                } else {
                    self.at = at;
                    Size::Param(self.param_id()?)
                }
            }
        })
    }

    /// The parts of a size, in parentheses.
    fn sizes<const N: usize>(&mut self) -> Result<[Size; N]> {
        self.expect("(")?;
        self.parentheses = self.deeper(self.parentheses)?;
        let mut sizes = [const { Size::Const(Scalar::U64, 0) }; N];
        for (index, size) in sizes.iter_mut().enumerate() {
            if index > 0 {
                self.expect(",")?;
            }
            *size = self.size()?;
        }
        self.parentheses -= 1;
        self.expect(")")?;
        Ok(sizes)
    }

    // Instructions.

    /// Instructions up to the closing brace, which it takes.
    fn rest_of_body(&mut self) -> Result<Body> {
        self.bodies = self.deeper(self.bodies)?;
        let mut list = Vec::new();
        while !self.eat("}") {
            list.push(self.inst()?);
        }
        self.bodies -= 1;
        Ok(Body(list))
    }

    fn inst(&mut self) -> Result<InstId> {
        let (at, id) = self.id::<InstId>("%", "an instruction such as `%3 = ..`, or `}`")?;
        self.expect("=")?;
        let mut inst = self.head()?;
        for (index, body) in inst.op.bodies_mut().enumerate() {
            if index == 0 || self.eat_keyword("else") {
                self.expect("{")?;
                *body = self.rest_of_body()?;
            }
        }
        self.insts.push((at, id, inst));
        Ok(id)
    }

    /// An instruction without the bodies that it holds.
    fn head(&mut self) -> Result<Inst> {
        let (at, word) = self.word();
        if word == "const" {
            let (at, literal) = self.literal();
            if literal.is_empty() {
                return Err(self.expected("a constant"));
            }
            let (ty, span) = self.ty_and_span()?;
            return Ok(Inst { op: Op::Const(self.bits(at, literal, ty)?), ty, span });
        }
        let op = self.op(at, word)?;
        let (ty, span) = self.ty_and_span()?;
        Ok(Inst { op, ty, span })
    }

    fn ty_and_span(&mut self) -> Result<(Ty, Span)> {
        let ty = if self.eat(":") { self.ty()? } else { Ty::Unit };
        Ok((ty, self.span()?))
    }

    /// The longest text that may be a literal.
    fn literal(&mut self) -> (At, &'t str) {
        self.skip();
        let mut last = ' ';
        let mut hex = false;
        let rest = self.rest();
        let end = rest.char_indices().find(|&(index, c)| {
            hex |= index == 1 && c == 'x';
            let sign =
                matches!(c, '-' | '+') && (index == 0 || (!hex && matches!(last, 'e' | 'E')));
            last = c;
            !(c.is_ascii_alphanumeric() || c == '.' || c == '_' || sign)
        });
        let literal = &rest[..end.map_or(rest.len(), |(index, _)| index)];
        let at = self.at;
        self.at += literal.len();
        (at, literal)
    }

    /// What a literal of type `ty` is as bits.
    fn bits(&self, at: At, literal: &str, ty: Ty) -> Result<u64> {
        let bits = if let Some(hex) = literal.strip_prefix("0x") {
            u64::from_str_radix(hex, 16).ok()
        } else if let Ty::Scalar(scalar) = ty {
            decimal(literal, scalar)
        } else {
            None
        };
        bits.ok_or_else(|| self.error(at, format!("`{literal}` is no constant of type `{ty}`")))
    }

    /// The operation that `word` names, with its operands and empty bodies.
    fn op(&mut self, at: At, word: &str) -> Result<Op> {
        if let Some(op) = UnaryOp::from_name(word) {
            return Ok(Op::Unary { op, value: self.inst_id()? });
        }
        if let Some(op) = BinaryOp::from_name(word) {
            let [lhs, rhs] = self.values()?;
            return Ok(Op::Binary { op, lhs, rhs });
        }
        if let Some(op) = CompareOp::from_name(word) {
            let [lhs, rhs] = self.values()?;
            return Ok(Op::Compare { op, lhs, rhs });
        }
        let (head, suffix) = word.split_once('.').unwrap_or((word, ""));
        let suffix_at = at + word.len() - suffix.len();
        match head {
            "mul_add" | "barrier" | "fence" | "shuffle" | "vote" | "match" | "reduce"
            | "atomic_load" | "atomic_store" | "atomic" | "compare_exchange" => {
                self.suffixed(head, suffix_at, suffix)
            }
            _ => self.plain(at, word),
        }
    }

    /// An operation whose name has no variants.
    fn plain(&mut self, at: At, word: &str) -> Result<Op> {
        Ok(match word {
            "generic" => Op::Generic(self.generic_id()?),
            "param" => Op::Param(self.param_id()?),
            "len" => Op::Len(self.param_id()?),
            "shared" => Op::Shared(self.shared_id()?),
            "array" => Op::Array(self.array_id()?),
            "builtin" => Op::Builtin(self.named::<Builtin>("a builtin such as `thread_idx.x`")?),
            "cast" => Op::Cast { value: self.inst_id()? },
            "bitcast" => Op::Bitcast { value: self.inst_id()? },
            "select" => {
                let [cond, then, other] = self.values()?;
                Op::Select { cond, then, other }
            }
            "fma" => {
                let [a, b, c] = self.values()?;
                Op::Fma { a, b, c }
            }
            "index" => {
                let [base, index] = self.values()?;
                self.expect(",")?;
                Op::Index { base, index, stride: self.extent()? }
            }
            "offset" => {
                let base = self.inst_id()?;
                self.expect(",")?;
                Op::Offset { base, offset: self.extent()? }
            }
            "bounds" => {
                let [index, len] = self.values()?;
                Op::Bounds { index, len }
            }
            "check" => {
                let cond = self.inst_id()?;
                self.expect(",")?;
                Op::Check { cond, fault: self.named::<Fault>("a fault such as `divide_by_zero`")? }
            }
            "get" => Op::Get(self.local_id()?),
            "set" => {
                let local = self.local_id()?;
                self.expect(",")?;
                Op::Set { local, value: self.inst_id()? }
            }
            "load" => Op::Load { ptr: self.inst_id()? },
            "store" => {
                let [ptr, value] = self.values()?;
                Op::Store { ptr, value }
            }
            "sync_warp" => {
                self.skip();
                let masked = self.rest().starts_with('%') && !self.at_definition();
                Op::SyncWarp { mask: if masked { Some(self.inst_id()?) } else { None } }
            }
            "sync_grid" => Op::SyncGrid,
            "active_mask" => Op::ActiveMask,
            "if" => Op::If { cond: self.inst_id()?, then: Body::default(), other: Body::default() },
            "for" => self.range()?,
            "loop" => Op::Loop { body: Body::default() },
            "block" => Op::Block { body: Body::default() },
            "break" => Op::Break(self.inst_id()?),
            "continue" => Op::Continue(self.inst_id()?),
            "return" => Op::Return,
            "panic" => {
                let (message, args) = self.said()?;
                Op::Panic { message, args }
            }
            "print" => {
                let (message, args) = self.said()?;
                Op::Print { message, args }
            }
            _ => {
                self.at = at;
                return Err(self.expected("an operation"));
            }
        })
    }

    /// An operation whose name is followed by dots and variants.
    fn suffixed(&mut self, head: &str, at: At, suffix: &str) -> Result<Op> {
        Ok(match head {
            "mul_add" => {
                let form =
                    self.named_in::<MulAddForm>(at, suffix, "`add`, `sub`, `from` or `neg`")?;
                let [a, b, c] = self.values()?;
                Op::MulAdd { form, a, b, c }
            }
            "barrier" if suffix.is_empty() => Op::Barrier { reduce: None },
            "barrier" => {
                let op = self.named_in::<BarrierOp>(at, suffix, "`count`, `and` or `or`")?;
                Op::Barrier { reduce: Some((op, self.inst_id()?)) }
            }
            "fence" => Op::Fence { scope: self.scope(at, suffix)? },
            "shuffle" => {
                let op =
                    self.named_in::<ShuffleOp>(at, suffix, "`index`, `up`, `down` or `xor`")?;
                let [value, lane] = self.values()?;
                self.expect(",")?;
                self.keyword("width")?;
                Op::Shuffle { op, value, lane, width: self.number()?, mask: self.mask()? }
            }
            "vote" => {
                let op = self.named_in::<VoteOp>(at, suffix, "`all`, `any` or `ballot`")?;
                Op::Vote { op, value: self.inst_id()?, mask: self.mask()? }
            }
            "match" => {
                let op = self.named_in::<MatchOp>(at, suffix, "`any` or `all`")?;
                Op::Match { op, value: self.inst_id()?, mask: self.mask()? }
            }
            "reduce" => {
                let op = self.named_in::<ReduceOp>(at, suffix, "a reduction such as `add`")?;
                Op::Reduce { op, value: self.inst_id()?, mask: self.mask()? }
            }
            _ => self.atomic(head, at, suffix)?,
        })
    }

    /// An atomic operation: `atomic.add.relaxed.device` and the like.
    fn atomic(&mut self, head: &str, at: At, suffix: &str) -> Result<Op> {
        let (op, at, suffix) = if head == "atomic" {
            let (op, rest) = suffix.split_once('.').unwrap_or((suffix, ""));
            let op = self.named_in::<AtomicOp>(at, op, "an update such as `add`")?;
            (op, at + suffix.len() - rest.len(), rest)
        } else {
            (AtomicOp::Swap, at, suffix)
        };
        let (order, scope) = suffix.split_once('.').unwrap_or((suffix, ""));
        let scope_at = at + suffix.len() - scope.len();
        let order = self.named_in::<Order>(at, order, "an ordering such as `relaxed`")?;
        let scope = self.scope(scope_at, scope)?;
        Ok(match head {
            "atomic_load" => Op::AtomicLoad { ptr: self.inst_id()?, order, scope },
            "atomic_store" => {
                let [ptr, value] = self.values()?;
                Op::AtomicStore { ptr, value, order, scope }
            }
            "atomic" => {
                let [ptr, value] = self.values()?;
                Op::Atomic { op, ptr, value, order, scope }
            }
            _ => {
                let [ptr, expected, value] = self.values()?;
                Op::CompareExchange { ptr, expected, value, order, scope }
            }
        })
    }

    fn scope(&mut self, at: At, word: &str) -> Result<Scope> {
        self.named_in(at, word, "`block`, `device` or `system`")
    }

    /// `%a, %b, step %c`, behind `for`.
    fn range(&mut self) -> Result<Op> {
        let inclusive = self.eat_keyword("inclusive");
        let [start, end] = self.values()?;
        self.expect(",")?;
        self.keyword("step")?;
        Ok(Op::For { start, end, step: self.inst_id()?, inclusive, body: Body::default() })
    }

    fn mask(&mut self) -> Result<Option<InstId>> {
        if !self.eat(",") {
            return Ok(None);
        }
        self.keyword("mask")?;
        self.inst_id().map(Some)
    }

    /// Operands, separated by commas.
    fn values<const N: usize>(&mut self) -> Result<[InstId; N]> {
        let mut values = [InstId::new(0); N];
        for (index, value) in values.iter_mut().enumerate() {
            if index > 0 {
                self.expect(",")?;
            }
            *value = self.inst_id()?;
        }
        Ok(values)
    }

    /// `msg0, %1, %2`
    fn said(&mut self) -> Result<(MessageId, Vec<InstId>)> {
        let message = self.message_id()?;
        let mut args = Vec::new();
        while self.eat(",") {
            args.push(self.inst_id()?);
        }
        Ok((message, args))
    }

    /// True before `%3 =`.
    fn at_definition(&mut self) -> bool {
        let start = self.at;
        self.eat("%");
        self.take(|c| c.is_ascii_digit());
        let definition = self.eat("=");
        self.at = start;
        definition
    }

    // Ids.

    /// The table of instructions, once each id has been defined once, without gaps.
    fn table(&mut self) -> Result<Table<InstId, Inst>> {
        let mut insts = std::mem::take(&mut self.insts);
        insts.sort_by_key(|&(at, id, _)| (id, at));
        for (index, &(at, id, _)) in insts.iter().enumerate() {
            let expected = InstId::new(index);
            if id < expected {
                return Err(self.error(at, format!("`{id}` is defined twice")));
            }
            if id > expected {
                return Err(self.error(at, format!("`{id}` is defined and `{expected}` is not")));
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
                return Err(self.error(at, format!("`{id}` is not defined")));
            }
        }
        Ok(())
    }
}

/// The bits of a literal without `0x`, if it is one of type `scalar`.
fn decimal(literal: &str, scalar: Scalar) -> Option<u64> {
    match scalar {
        Scalar::Bool => literal.parse::<bool>().ok().map(u64::from),
        Scalar::I8 => literal.parse::<i8>().ok().map(|value| u64::from(value as u8)),
        Scalar::I16 => literal.parse::<i16>().ok().map(|value| u64::from(value as u16)),
        Scalar::I32 => literal.parse::<i32>().ok().map(|value| u64::from(value as u32)),
        Scalar::I64 => literal.parse::<i64>().ok().map(|value| value as u64),
        Scalar::U8 => literal.parse::<u8>().ok().map(u64::from),
        Scalar::U16 => literal.parse::<u16>().ok().map(u64::from),
        Scalar::U32 => literal.parse::<u32>().ok().map(u64::from),
        Scalar::U64 => literal.parse::<u64>().ok(),
        Scalar::F16 | Scalar::BF16 => {
            let bits = scalar.half()?.of_f64(literal.parse().ok()?);
            scalar.half()?.to_f32(bits).is_finite().then(|| bits.into())
        }
        Scalar::F32 => {
            let value = literal.parse::<f32>().ok()?;
            value.is_finite().then(|| u64::from(value.to_bits()))
        }
        Scalar::F64 => {
            let value = literal.parse::<f64>().ok()?;
            value.is_finite().then(|| value.to_bits())
        }
        Scalar::Generic(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of everything.
    const EVERYTHING: &str = include_str!("everything.ir");

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
