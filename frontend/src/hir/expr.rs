//! What an expression is.
use crate::{
    hir::{Arm, Atomic, Block, Expr, Label, LintLevels, Pattern, Var, measure::Measure},
    resolve::device_set::Callee,
    types::{GenericArg, Len, Ty, builtin::Builtin, constant::Constant, method::Method},
};
use std::rc::Rc;
use warpwise_compiler::{
    ir::{BinaryOp, CompareOp, Scope, UnaryOp},
    message::Format,
};

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
    /// A constant parameter or open constant, as an extent.
    Param(Len),
    /// `size_of` or `align_of` of a type.
    Measure(Measure, Ty),
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
    /// `base[start..end]`; the base is a place of slice or array type.
    Part {
        /// What is taken apart.
        base: Box<Expr>,
        /// From where to where.
        ends: Ends,
        /// Whether the end itself is in it.
        inclusive: bool,
    },
    /// `base.get(index)`; the base is a place of slice or array type.
    Get {
        /// What is looked into.
        base: Box<Expr>,
        /// Where.
        index: Box<Expr>,
    },
    /// `.as_mut()` of a place that is an `Option`.
    Inside(Box<Expr>),
    /// `&place` and `&mut place`, as the type says.
    Borrow(Box<Expr>),
    /// A reference to an array as one to a slice.
    Unsize(Box<Expr>),
    /// A reference to a slice as one to what the type says, which lies in the same memory.
    Reshape {
        /// The reference.
        slice: Box<Expr>,
        /// The length, if that is a slice, too.
        len: Option<Box<Expr>>,
    },
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
    /// `for` over another iterator.
    Each(Box<Each>),
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
    /// A closure.
    Closure(Rc<Closure>),
    /// A closure as a function pointer.
    Pointer(Box<Expr>),
    /// A call of a closure or function pointer.
    Invoke {
        /// The closure.
        callee: Box<Expr>,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// A tuple, or a struct or variant with its fields in the order of their declaration.
    Aggregate {
        /// For an enum, which variant.
        variant: Option<usize>,
        /// Fields by their index, in the order in which they are evaluated.
        fields: Vec<(usize, Expr)>,
        /// Where the other fields come from: `..base`.
        base: Option<Box<Expr>>,
    },
    /// `[a, b, c]`
    Array(Vec<Expr>),
    /// `[value; len]`, the length being the type's.
    Repeat(Box<Expr>),
    /// The default value of a type that derives it.
    Default,
    /// A field of a place of tuple or struct type.
    Field {
        /// Of what.
        base: Box<Expr>,
        /// Which.
        index: usize,
    },
    /// `match`
    Match {
        /// What is looked at: a place, or a value of its own.
        of: Box<Expr>,
        /// In order; the last one matches what is left.
        arms: Vec<Arm>,
    },
    /// Whether a value matches a pattern; binds its variables, which have no meaning if not.
    Is {
        /// What is looked at: a place, or a value of its own.
        of: Box<Expr>,
        /// What it is compared with.
        pattern: Box<Pattern>,
    },
    /// `<` and its kin on a type other than a number: in the order of the parts.
    Ordered {
        /// Which.
        op: CompareOp,
        /// Left side.
        lhs: Box<Expr>,
        /// Right side.
        rhs: Box<Expr>,
    },
    /// `cmp` or `partial_cmp` of what has a part that an `impl` compares.
    Order {
        /// Whether it is `cmp`.
        total: bool,
        /// Left side.
        lhs: Box<Expr>,
        /// Right side.
        rhs: Box<Expr>,
    },
    /// `==` or `!=` on a type other than a number: field by field.
    Same {
        /// Whether it is `!=`.
        negated: bool,
        /// Left side.
        lhs: Box<Expr>,
        /// Right side.
        rhs: Box<Expr>,
    },
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
    /// `.len()` of an iterator.
    Remaining(Box<Expr>),
    /// `shared_dyn!(.., len)`; the type says of what.
    SharedDyn {
        /// The variable it is for, if it is plain.
        name: String,
        /// How many, a `usize`.
        len: Box<Expr>,
    },
    /// `println!`, `panic!` and the like.
    Say(Box<Say>),
    /// `debug_assert!` and its kin: what they check, where debug assertions are on.
    InDebug(Box<Expr>),
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
    /// What each value is taken apart into.
    pub(crate) pattern: Pattern,
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

/// `for pattern in iterator`
#[derive(Debug)]
pub(crate) struct Each {
    /// Its label.
    pub(crate) label: Label,
    /// What each item is taken apart into.
    pub(crate) pattern: Pattern,
    /// The iterator.
    pub(crate) of: Expr,
    /// What is repeated.
    pub(crate) body: Block,
}

/// A call of a device function.
#[derive(Debug)]
pub(crate) struct Call {
    /// Which.
    pub(crate) callee: Callee,
    /// What the generic parameters of its `impl` or trait and its own are, in order.
    pub(crate) generics: Vec<GenericArg>,
    /// What `Self` is in it.
    pub(crate) this: Option<Ty>,
    /// Its arguments.
    pub(crate) args: Vec<Expr>,
}

/// A closure.
#[derive(Debug)]
pub(crate) struct Closure {
    /// Its parameters.
    pub(crate) params: Vec<Pattern>,
    /// Variables from outside that it takes a copy of: those of a `move` closure.
    pub(crate) copies: Vec<Var>,
    /// Whether a `return` is in it.
    pub(crate) returns_early: bool,
    /// Lint levels of the statements that it is written in.
    pub(crate) levels: LintLevels,
    /// What it does.
    pub(crate) body: Expr,
}

/// A message that is printed, or that the thread ends with.
#[derive(Debug)]
pub(crate) struct Say {
    /// What it says; every placeholder names its argument by number.
    pub(crate) format: Format,
    /// Its arguments: numbers and `bool`, and what is made of them.
    pub(crate) args: Vec<Expr>,
    /// Whether the thread ends.
    pub(crate) panics: bool,
}

/// From where to where a part of a slice is.
#[derive(Debug)]
pub(crate) enum Ends {
    /// As `start..end`.
    Written {
        /// Index of the first element; the first of all if it is not written.
        start: Option<Box<Expr>>,
        /// Where it stops; the end of all if it is not written.
        end: Option<Box<Expr>>,
    },
    /// As a range that is a value.
    Range {
        /// The range.
        value: Box<Expr>,
        /// 2, or 1 of one without an end.
        count: usize,
    },
}
