//! A function whose names are resolved and whose types are inferred: what is between Rust's
//! syntax and the IR.
//!
//! Places and values are both [`Expr`]s, as in Rust; [`Expr::is_place`] tells them apart.
//! Parentheses are gone, autoderef and coercions are explicit. Types are entries of the
//! function's own [`Types`].
pub(crate) mod atomic;
mod expr;
pub(crate) mod lint_levels;
pub(crate) mod measure;

use crate::{
    attr::lint_attr::LintLevel,
    syntax::span::SpanRange,
    types::{Prim, Ty, Types},
};
pub(crate) use crate::{
    hir::{
        atomic::{Atomic, AtomicMethod, OrderOf, stronger},
        expr::{Call, Closure, Each, Ends, For, Kind, Say},
    },
    types::GenericArg,
};
use warpwise_compiler::{
    id::Table,
    ir::{Bound, Extent},
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
    pub(crate) params: Vec<Pattern>,
    /// What a kernel requires of its launches: conditions over the parameters.
    pub(crate) requires: Vec<Expr>,
    /// Every variable.
    pub(crate) vars: Table<Var, Variable>,
    /// How many labels there are, named or not.
    pub(crate) labels: Table<Label, LabelInfo>,
    /// Its types; nothing is unknown any more.
    pub(crate) types: Types,
    /// Every place in the source.
    pub(crate) places: Table<At, SpanRange>,
    /// Type of what it returns.
    pub(crate) ret: Ty,
    /// Whether a `return` is in it.
    pub(crate) returns_early: bool,
    /// Lint levels for all of it.
    pub(crate) levels: LintLevels,
    /// What it does.
    pub(crate) body: Block,
}

/// The levels that attributes give to lints.
pub(crate) type LintLevels = Vec<LintLevel>;

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
    /// Declares variables.
    Let {
        /// Which, and where in the value they are.
        pattern: Pattern,
        /// Their first value.
        init: Option<Expr>,
        /// What is done instead where the pattern does not match; it does not come back.
        other: Option<Block>,
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

/// An arm of a `match`.
#[derive(Debug)]
pub(crate) struct Arm {
    /// What it is for.
    pub(crate) pattern: Pattern,
    /// What must be true besides.
    pub(crate) guard: Option<Expr>,
    /// Lint levels for it.
    pub(crate) levels: LintLevels,
    /// Its value.
    pub(crate) body: Expr,
}

/// What a value is compared with and taken apart into.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// What it is.
    pub(crate) kind: PatternKind,
    /// Type of what it is compared with.
    pub(crate) ty: Ty,
    /// Where it stands.
    pub(crate) at: At,
}

/// What a pattern is. References are taken apart explicitly.
#[derive(Debug)]
pub(crate) enum PatternKind {
    /// `_`
    Wild,
    /// `name`, `name @ pattern`, `ref name`
    Bind {
        /// The variable.
        var: Var,
        /// Whether it is a reference to what is there.
        by_ref: bool,
        /// What must match besides.
        and: Option<Box<Pattern>>,
    },
    /// A constant.
    Is(Box<Expr>),
    /// `low..=high`
    Range {
        /// The least value.
        low: Option<Box<Expr>>,
        /// The greatest value, or the first beyond.
        high: Option<Box<Expr>>,
        /// Whether `high` is in it.
        inclusive: bool,
    },
    /// Parts of a tuple, struct or variant, by their index.
    Parts {
        /// For an enum, which variant.
        variant: Option<usize>,
        /// What is looked at.
        parts: Vec<(usize, Pattern)>,
    },
    /// `&pattern`, written or not.
    Deref(Box<Pattern>),
    /// `[a, .., b]`
    Slice {
        /// From the start.
        before: Vec<Pattern>,
        /// The rest, where there is one: what it is bound to.
        rest: Option<Option<Box<Pattern>>>,
        /// To the end.
        after: Vec<Pattern>,
    },
    /// One of these, which bind nothing.
    Any(Vec<Pattern>),
}

impl Expr {
    /// True if it stands for memory or a variable rather than a value of its own.
    pub(crate) fn is_place(&self) -> bool {
        matches!(
            self.kind,
            Kind::Var(_)
                | Kind::Deref(_)
                | Kind::Index { .. }
                | Kind::Part { .. }
                | Kind::Field { .. }
                | Kind::Scoped { .. }
        )
    }
}
