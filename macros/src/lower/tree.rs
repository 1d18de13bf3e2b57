//! A function whose names are resolved and whose types are inferred: what is between Rust's
//! syntax and the IR.
//!
//! Places and values are both [`Expr`]s, as in Rust; [`Expr::is_place`] tells them apart.
//! Parentheses are gone, autoderef and coercions are explicit. Types are entries of the
//! function's own [`Types`].
use super::{
    builtin::Builtin,
    constant::Constant,
    method::Method,
    span::SpanRange,
    types::{Len, Prim, Ty, Types},
};
use warpwise_compiler::{
    diag::Level,
    id::Table,
    ir::{AtomicOp, BinaryOp, Bound, CompareOp, Extent, GenericId, Order, Scope, UnaryOp},
};

warpwise_compiler::id!(/** A variable. */ Var, "v");
warpwise_compiler::id!(/** What `break` and `continue` can name. */ Label, "l");
warpwise_compiler::id!(/** A place in the source. */ At, "at");

/// A function, typed.
#[derive(Debug)]
pub(crate) struct Function {
    /// Name.
    pub(crate) name: String,
    /// Type and constant parameters, then a kernel's open constants.
    pub(crate) generics: Vec<Generic>,
    /// A kernel's number of threads in a block, where it is declared.
    pub(crate) block: Option<[Extent; 3]>,
    /// Parameters, in order.
    pub(crate) params: Vec<Var>,
    /// Every variable.
    pub(crate) vars: Table<Var, Variable>,
    /// How many labels there are, named or not.
    pub(crate) labels: Table<Label, LabelInfo>,
    /// Its types; nothing is unknown any more.
    pub(crate) types: Types,
    /// Every place in the source.
    pub(crate) places: Table<At, SpanRange>,
    /// Whether a `return` is in it.
    pub(crate) returns_early: bool,
    /// Lint levels for all of it.
    pub(crate) levels: LintLevels,
    /// What it does.
    pub(crate) body: Block,
}

/// Lints by name, with the levels that attributes give them.
pub(crate) type LintLevels = Vec<(String, Level)>;

/// A generic parameter.
#[derive(Clone, Debug)]
pub(crate) struct Generic {
    /// Name.
    pub(crate) name: String,
    /// What it stands for.
    pub(crate) kind: GenericKind,
    /// Where it is declared.
    pub(crate) at: SpanRange,
}

/// What a generic parameter stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GenericKind {
    /// A type.
    Type(Bound),
    /// A constant whose type is declared.
    Const(Prim),
    /// A constant that only rustc knows, of the type that its uses have.
    Open(Ty),
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// Name.
    pub(crate) name: String,
    /// Type.
    pub(crate) ty: Ty,
    /// Whether it is `mut`.
    pub(crate) mutable: bool,
    /// Whether it may be set after its declaration: `mut`, or declared without a value.
    pub(crate) settable: bool,
    /// Where it is declared.
    pub(crate) at: At,
}

/// What is known of a label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelInfo {
    /// Type of the values that `break` brings.
    pub(crate) ty: Ty,
    /// Whether a `break` names it.
    pub(crate) broken: bool,
}

/// Statements, and what they yield.
#[derive(Debug)]
pub(crate) struct Block {
    /// In order.
    pub(crate) stmts: Vec<Stmt>,
    /// The expression at the end.
    pub(crate) tail: Option<Box<Expr>>,
}

/// A statement.
#[derive(Debug)]
pub(crate) struct Stmt {
    /// What it does.
    pub(crate) kind: StmtKind,
    /// Lint levels for all of it.
    pub(crate) levels: LintLevels,
}

/// What a statement does.
#[derive(Debug)]
pub(crate) enum StmtKind {
    /// Declares a variable, if the pattern names one.
    Let {
        /// Which; `None` for `_`.
        var: Option<Var>,
        /// Its first value.
        init: Option<Expr>,
    },
    /// Evaluates.
    Expr(Expr),
}

/// An expression.
#[derive(Debug)]
pub(crate) struct Expr {
    /// What it is.
    pub(crate) kind: Kind,
    /// Its type.
    pub(crate) ty: Ty,
    /// Where it stands.
    pub(crate) at: At,
}

/// What an expression is.
#[derive(Debug)]
pub(crate) enum Kind {
    /// Something wrong, reported already.
    Reported,
    /// `()`
    Unit,
    /// An integer literal.
    Int(u128),
    /// A float literal: its digits.
    Float(Box<str>),
    /// `true` or `false`.
    Bool(bool),
    /// A constant of Rust's.
    Constant(Constant),
    /// A constant parameter or open constant.
    Generic(GenericId),
    /// A variable.
    Var(Var),
    /// `*value`
    Deref(Box<Expr>),
    /// `base[index]`; the base is a place of slice or array type.
    Index {
        /// What is indexed.
        base: Box<Expr>,
        /// By what.
        index: Box<Expr>,
    },
    /// `&place` and `&mut place`, as the type says.
    Borrow(Box<Expr>),
    /// A reference to an array as one to a slice.
    Unsize(Box<Expr>),
    /// `-` or `!`.
    Unary {
        /// Which.
        op: UnaryOp,
        /// Its operand.
        value: Box<Expr>,
    },
    /// An operator on numbers.
    Binary {
        /// Which.
        op: BinaryOp,
        /// Left side.
        lhs: Box<Expr>,
        /// Right side; of its own type for shifts.
        rhs: Box<Expr>,
    },
    /// A comparison.
    Compare {
        /// Which.
        op: CompareOp,
        /// Left side.
        lhs: Box<Expr>,
        /// Right side.
        rhs: Box<Expr>,
    },
    /// `&&`, or `||`.
    Lazy {
        /// Whether it is `&&`.
        and: bool,
        /// Left side.
        lhs: Box<Expr>,
        /// Evaluated only if the left side does not decide.
        rhs: Box<Expr>,
    },
    /// `value as type`
    Cast(Box<Expr>),
    /// `place = value`
    Assign {
        /// To where; evaluated second. `None` for `_`.
        place: Option<Box<Expr>>,
        /// What.
        value: Box<Expr>,
    },
    /// `place += value` and the like, on numbers.
    Update {
        /// Which.
        op: BinaryOp,
        /// Of what; evaluated second, unless `overloaded`.
        place: Box<Expr>,
        /// Right side.
        value: Box<Expr>,
        /// Whether it is a call of a trait's method, which evaluates the place first: on type
        /// parameters, and by a reference.
        overloaded: bool,
    },
    /// A block, perhaps with a label.
    Block {
        /// Its label, if it has one.
        label: Option<Label>,
        /// What is in it.
        block: Block,
    },
    /// `if`
    If {
        /// Condition.
        cond: Box<Expr>,
        /// Where it is true.
        then: Block,
        /// Where it is false.
        other: Option<Box<Expr>>,
    },
    /// `while`
    While {
        /// Its label.
        label: Label,
        /// Condition.
        cond: Box<Expr>,
        /// What is repeated.
        body: Block,
    },
    /// `loop`
    Loop {
        /// Its label.
        label: Label,
        /// What is repeated.
        body: Block,
    },
    /// `for` over a range.
    For(Box<For>),
    /// `break`
    Break {
        /// Out of what.
        label: Label,
        /// With what.
        value: Option<Box<Expr>>,
    },
    /// `continue`
    Continue(Label),
    /// `return`
    Return(Option<Box<Expr>>),
    /// A call of a device function.
    Call(Box<Call>),
    /// A call of a kernel-side function.
    Builtin {
        /// Which.
        which: Builtin,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// A method of a number.
    Method {
        /// Which.
        which: Method,
        /// The receiver, if it has one, then its arguments.
        args: Vec<Expr>,
    },
    /// A method of an atomic.
    Atomic(Box<Atomic>),
    /// `.block()` or `.system()` of an atomic: the same place at another scope.
    Scoped {
        /// A place of atomic type.
        atomic: Box<Expr>,
        /// Among which threads.
        scope: Scope,
    },
    /// `.len()` of a place of slice or array type.
    Length(Box<Expr>),
    /// `.is_ok()`, or `.is_err()`, of what `compare_exchange` returned.
    Exchanged {
        /// What it returned.
        result: Box<Expr>,
        /// Whether it is `.is_ok()`.
        ok: bool,
    },
    /// `shared!(..)`; the type says of what.
    Shared {
        /// The variable it is for, if it is plain.
        name: String,
    },
}

/// `for var in start..end`
#[derive(Debug)]
pub(crate) struct For {
    /// Its label.
    pub(crate) label: Label,
    /// The loop variable, if the pattern names one.
    pub(crate) var: Option<Var>,
    /// Type of the loop variable.
    pub(crate) ty: Ty,
    /// First value.
    pub(crate) start: Expr,
    /// Where it stops.
    pub(crate) end: Expr,
    /// Whether `end` itself is run: `..=`.
    pub(crate) inclusive: bool,
    /// Whether it runs backwards: `.rev()`.
    pub(crate) reverse: bool,
    /// `.step_by(..)`, a `usize`.
    pub(crate) step: Option<Expr>,
    /// What is repeated.
    pub(crate) body: Block,
}

/// A call of a device function.
#[derive(Debug)]
pub(crate) struct Call {
    /// Which.
    pub(crate) device: usize,
    /// What its generic parameters are, in order.
    pub(crate) generics: Vec<GenericArg>,
    /// Its arguments.
    pub(crate) args: Vec<Expr>,
}

/// What a generic parameter is at a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GenericArg {
    /// A type.
    Type(Ty),
    /// A constant, as an extent.
    Const(Len),
}

/// A method of an atomic.
#[derive(Debug)]
pub(crate) struct Atomic {
    /// Which.
    pub(crate) method: AtomicMethod,
    /// A place of atomic type.
    pub(crate) place: Expr,
    /// Arguments other than orderings.
    pub(crate) args: Vec<Expr>,
    /// Its ordering.
    pub(crate) order: Order,
}

/// What a method of an atomic does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicMethod {
    /// `load`
    Load,
    /// `store`
    Store,
    /// `swap` and `fetch_*`, but for `fetch_nand`.
    Update(AtomicOp),
    /// `fetch_nand`
    Nand,
    /// `compare_exchange`, weak or not.
    CompareExchange,
}

impl Expr {
    /// True if it stands for memory or a variable rather than a value of its own.
    pub(crate) fn is_place(&self) -> bool {
        matches!(
            self.kind,
            Kind::Var(_) | Kind::Deref(_) | Kind::Index { .. } | Kind::Scoped { .. }
        )
    }
}
