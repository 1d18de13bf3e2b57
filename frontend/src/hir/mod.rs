//! The typed tree of a function, between Rust's syntax and the IR: names are resolved and types
//! inferred.
//!
//! Places and values are both [`Expr`]s, as in Rust; [`Expr::is_place`] distinguishes them.
//! Parentheses are gone, autoderef and coercions are explicit. Types are entries of the function's
//! own [`Types`].
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
        atomic::{Atomic, AtomicMethod, OrderingArg, stronger_ordering},
        expr::{Call, Closure, ExprKind, ForEach, ForRange, MessageExpr, SliceBounds},
    },
    types::GenericArg,
};
use warpwise_compiler::{
    id::Table,
    ir::{Bound, Extent},
};

warpwise_compiler::id!(/** A variable. */ Var, "v");
warpwise_compiler::id!(/** What `break` and `continue` can name. */ Label, "l");
warpwise_compiler::id!(/** The span of a node. */ SpanId, "at");

/// A typed function.
#[derive(Debug)]
pub(crate) struct Function {
    /// Name.
    pub(crate) name: String,
    /// Type and constant parameters, then a kernel's open constants.
    pub(crate) generics: Vec<Generic>,
    /// The declared number of threads in a kernel's block.
    pub(crate) block: Option<[Extent; 3]>,
    /// Parameters, in order.
    pub(crate) params: Vec<Pattern>,
    /// The kernel's requirements on its launches: conditions over the parameters.
    pub(crate) requires: Vec<Expr>,
    /// Every variable.
    pub(crate) vars: Table<Var, Variable>,
    /// All labels, written or not.
    pub(crate) labels: Table<Label, LabelInfo>,
    /// The type table; no type is unknown any more.
    pub(crate) types: Types,
    /// The spans of all nodes.
    pub(crate) spans: Table<SpanId, SpanRange>,
    /// The return type.
    pub(crate) ret: Ty,
    /// True if it contains a `return`.
    pub(crate) returns_early: bool,
    /// True if it is `#[track_caller]`: what it does is reported at its calls.
    pub(crate) tracks_caller: bool,
    /// Lint levels of the whole function.
    pub(crate) levels: LintLevels,
    /// The body.
    pub(crate) body: Block,
}

/// The levels that attributes give to lints.
pub(crate) type LintLevels = Vec<LintLevel>;

/// A generic parameter.
#[derive(Clone, Debug)]
pub(crate) struct Generic {
    /// Name.
    pub(crate) name: String,
    /// A type or a kind of constant.
    pub(crate) kind: GenericKind,
    /// The declaration.
    pub(crate) at: SpanRange,
}

/// The kind of a generic parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GenericKind {
    /// A type.
    Type(Bound),
    /// A constant of a declared type.
    Const(Prim),
    /// A constant whose value only rustc knows, with the type that its uses give it.
    Open(Ty),
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// Name.
    pub(crate) name: String,
    /// Type.
    pub(crate) ty: Ty,
    /// True for `mut`.
    pub(crate) mutable: bool,
    /// True if it can be assigned after its declaration: `mut`, or declared without a value.
    pub(crate) settable: bool,
    /// The declaration.
    pub(crate) at: SpanId,
}

/// The type and use of a label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelInfo {
    /// The type of the values that `break` carries.
    pub(crate) ty: Ty,
    /// True if a `break` names it.
    pub(crate) broken: bool,
}

/// Statements, then the value that they yield.
#[derive(Debug)]
pub(crate) struct Block {
    /// The statements in order.
    pub(crate) stmts: Vec<Stmt>,
    /// The expression at the end.
    pub(crate) tail: Option<Box<Expr>>,
}

/// A statement.
#[derive(Debug)]
pub(crate) struct Stmt {
    /// The kind.
    pub(crate) kind: StmtKind,
    /// Lint levels of the whole statement.
    pub(crate) levels: LintLevels,
}

/// The kind of a statement.
#[derive(Debug)]
pub(crate) enum StmtKind {
    /// A declaration of variables.
    Let {
        /// The pattern that declares them.
        pattern: Pattern,
        /// The initial value.
        init: Option<Expr>,
        /// The `else` block, which diverges.
        else_block: Option<Block>,
    },
    /// An expression, evaluated for its effects.
    Expr(Expr),
}

/// An expression.
#[derive(Debug)]
pub(crate) struct Expr {
    /// The kind.
    pub(crate) kind: ExprKind,
    /// Its type.
    pub(crate) ty: Ty,
    /// Its span.
    pub(crate) at: SpanId,
}

/// An arm of a `match`.
#[derive(Debug)]
pub(crate) struct Arm {
    /// The pattern.
    pub(crate) pattern: Pattern,
    /// The guard: an additional condition.
    pub(crate) guard: Option<Expr>,
    /// Lint levels of the arm.
    pub(crate) levels: LintLevels,
    /// The value.
    pub(crate) body: Expr,
}

/// A pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// The kind.
    pub(crate) kind: PatternKind,
    /// The type of the matched value.
    pub(crate) ty: Ty,
    /// Its span.
    pub(crate) at: SpanId,
}

/// The kind of a pattern. Dereferences are explicit.
#[derive(Debug)]
pub(crate) enum PatternKind {
    /// `_`
    Wild,
    /// `name`, `name @ pattern`, `ref name`
    Bind {
        /// The variable.
        var: Var,
        /// True if the variable is a reference to the matched place.
        by_ref: bool,
        /// The subpattern, which must match, too.
        subpattern: Option<Box<Pattern>>,
    },
    /// A constant.
    Is(Box<Expr>),
    /// `low..=high`
    Range {
        /// The least value.
        low: Option<Box<Expr>>,
        /// The greatest value, or the first one after the range.
        high: Option<Box<Expr>>,
        /// True if `high` is included.
        inclusive: bool,
    },
    /// Parts of a tuple, struct or variant, by their index.
    Parts {
        /// The variant of an enum.
        variant: Option<usize>,
        /// The matched parts.
        parts: Vec<(usize, Pattern)>,
    },
    /// `&pattern`, explicit or by a match through a reference.
    Deref(Box<Pattern>),
    /// `[a, .., b]`
    Slice {
        /// The patterns of the first elements.
        before: Vec<Pattern>,
        /// `Some` for a rest pattern, with its binding if it has one.
        rest: Option<Option<Box<Pattern>>>,
        /// The patterns of the last elements.
        after: Vec<Pattern>,
    },
    /// Alternatives without bindings.
    Any(Vec<Pattern>),
}

impl Expr {
    /// Returns true for a place in memory or a variable, rather than a temporary value.
    pub(crate) fn is_place(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::Var(_)
                | ExprKind::Deref(_)
                | ExprKind::Index { .. }
                | ExprKind::Slice { .. }
                | ExprKind::Field { .. }
                | ExprKind::Scoped { .. }
        )
    }
}
