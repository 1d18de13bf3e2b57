//! Kinds of expressions.
use crate::{
    hir::{Arm, Atomic, Block, Expr, Label, LintLevels, Pattern, Var, measure::Measure},
    resolve::device_set::Callee,
    types::{GenericArg, Len, Ty, builtin::Builtin, constant::Constant, method::Method},
};
use std::rc::Rc;
use warpwise_compiler::{
    ir::{BinaryOp, CompareOp, InlinePtx, Scope, UnaryOp},
    message::Format,
};

/// The kind of an expression.
#[derive(Debug)]
pub(crate) enum ExprKind {
    /// An expression with a reported error.
    Reported,
    /// `()`
    Unit,
    /// An integer literal.
    Int(u128),
    /// A float literal, as its digits.
    Float(Box<str>),
    /// `true` or `false`.
    Bool(bool),
    /// A constant of std.
    Constant(Constant),
    /// A constant parameter or open constant, as an extent.
    ConstParam(Len),
    /// `size_of` or `align_of` of a type.
    Measure(Measure, Ty),
    /// A variable.
    Var(Var),
    /// `*value`
    Deref(Box<Expr>),
    /// `base[index]`; the base is a place of slice or array type.
    Index {
        /// The indexed place.
        base: Box<Expr>,
        /// The index.
        index: Box<Expr>,
    },
    /// `base[start..end]`; the base is a place of slice or array type.
    Slice {
        /// The sliced place.
        base: Box<Expr>,
        /// The bounds of the slice.
        ends: SliceBounds,
        /// True if the end is included.
        inclusive: bool,
    },
    /// `base.get(index)`; the base is a place of slice or array type.
    Get {
        /// The indexed place.
        base: Box<Expr>,
        /// The index.
        index: Box<Expr>,
    },
    /// `.as_mut()` of a place of type `Option`.
    OptionAsMut(Box<Expr>),
    /// `&place` and `&mut place`; the type tells which.
    Borrow(Box<Expr>),
    /// A coercion of a reference to an array into a reference to a slice.
    Unsize(Box<Expr>),
    /// A reference to a slice, reinterpreted as a reference of the expression's type to the same
    /// memory.
    Reshape {
        /// The reference.
        slice: Box<Expr>,
        /// The new length, if the target is a slice.
        len: Option<Box<Expr>>,
    },
    /// `slice.as_vectors()` and `as_vectors_mut()` of a reference to a slice of numbers; the type
    /// has the vectors.
    VectorView(Box<Expr>),
    /// `-` or `!`.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand.
        value: Box<Expr>,
    },
    /// An operator on numbers.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left side.
        lhs: Box<Expr>,
        /// Right side; a shift amount has a type of its own.
        rhs: Box<Expr>,
    },
    /// A comparison.
    Compare {
        /// The operator.
        op: CompareOp,
        /// Left side.
        lhs: Box<Expr>,
        /// Right side.
        rhs: Box<Expr>,
    },
    /// `&&`, or `||`.
    Lazy {
        /// True for `&&`.
        is_and: bool,
        /// Left side.
        lhs: Box<Expr>,
        /// Right side; evaluated only if the left side does not decide.
        rhs: Box<Expr>,
    },
    /// `value as type`
    Cast(Box<Expr>),
    /// `place = value`
    Assign {
        /// The destination, evaluated second; `None` for `_`.
        place: Option<Box<Expr>>,
        /// The new value.
        value: Box<Expr>,
    },
    /// `place += value` and the like, on numbers.
    Update {
        /// The operator.
        op: BinaryOp,
        /// The updated place; evaluated second, unless `overloaded`.
        place: Box<Expr>,
        /// Right side.
        value: Box<Expr>,
        /// True for a call of a trait's method, which evaluates the place first: on type
        /// parameters, and through a reference.
        overloaded: bool,
    },
    /// A block, perhaps with a label.
    Block {
        /// The label, if any.
        label: Option<Label>,
        /// The statements and the tail expression.
        block: Block,
    },
    /// The value of a constant that the program declares.
    DeclaredConstant(Box<Expr>),
    /// `if`
    If {
        /// Condition.
        cond: Box<Expr>,
        /// The branch for true.
        then: Block,
        /// The branch for false.
        else_branch: Option<Box<Expr>>,
    },
    /// `while`
    While {
        /// Its label.
        label: Label,
        /// Condition.
        cond: Box<Expr>,
        /// The body.
        body: Block,
    },
    /// `loop`
    Loop {
        /// Its label.
        label: Label,
        /// The body.
        body: Block,
    },
    /// `for` over a range.
    ForRange(Box<ForRange>),
    /// `for` over another iterator.
    ForEach(Box<ForEach>),
    /// `break`
    Break {
        /// The target.
        label: Label,
        /// The value that the target yields.
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
    CallValue {
        /// The closure or function pointer.
        callee: Box<Expr>,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// A tuple, or a struct or variant with its fields in the order of their declaration.
    Aggregate {
        /// The variant of an enum.
        variant: Option<usize>,
        /// Fields by index, in evaluation order.
        fields: Vec<(usize, Expr)>,
        /// The source of the other fields: `..base`.
        base: Option<Box<Expr>>,
    },
    /// `[a, b, c]`
    Array(Vec<Expr>),
    /// `[value; len]`, with the length of the type.
    Repeat(Box<Expr>),
    /// The default value of a type that derives it.
    Default,
    /// `value.clone()`, of a place or a value.
    Clone(Box<Expr>),
    /// A field of a place of tuple or struct type.
    Field {
        /// The place with the field.
        base: Box<Expr>,
        /// The index of the field.
        index: usize,
    },
    /// `match`
    Match {
        /// The scrutinee: a place or a value.
        scrutinee: Box<Expr>,
        /// The arms in order; the last one matches every remaining value.
        arms: Vec<Arm>,
    },
    /// A test of a value against a pattern. The variables are bound only if it succeeds.
    Matches {
        /// The scrutinee: a place or a value.
        scrutinee: Box<Expr>,
        /// The pattern.
        pattern: Box<Pattern>,
    },
    /// `<` and its kin on a type other than a number: lexicographic over the parts.
    OrderedCompare {
        /// The operator.
        op: CompareOp,
        /// Left side.
        lhs: Box<Expr>,
        /// Right side.
        rhs: Box<Expr>,
    },
    /// `cmp` or `partial_cmp` of a type with a part that an `impl` compares.
    OrderingCall {
        /// True for `cmp`.
        total: bool,
        /// Left side.
        lhs: Box<Expr>,
        /// Right side.
        rhs: Box<Expr>,
    },
    /// `==` or `!=` on a type other than a number: field by field.
    Equality {
        /// True for `!=`.
        negated: bool,
        /// Left side.
        lhs: Box<Expr>,
        /// Right side.
        rhs: Box<Expr>,
    },
    /// A call of a built-in function.
    Builtin {
        /// The function.
        builtin: Builtin,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// A method of a number.
    Method {
        /// The method.
        method: Method,
        /// The receiver, if any, then the arguments.
        args: Vec<Expr>,
    },
    /// A method of an atomic.
    Atomic(Box<Atomic>),
    /// `.block()` or `.system()` of an atomic: the same place at another scope.
    Scoped {
        /// A place of atomic type.
        atomic: Box<Expr>,
        /// The threads that the atomic is coherent among.
        scope: Scope,
    },
    /// `.len()` of a place of slice or array type.
    Length(Box<Expr>),
    /// `.len()` of an iterator.
    IterLen(Box<Expr>),
    /// `shared_dyn!(.., len)`; the expression's type has the element type.
    SharedDyn {
        /// The variable that is initialized with it, if the pattern is a plain name.
        name: String,
        /// The number of elements, a `usize`.
        len: Box<Expr>,
    },
    /// Inline PTX; yields its output, or a tuple of them.
    InlinePtx {
        /// True if it only computes its outputs.
        is_pure: bool,
        /// The text.
        ptx: Box<InlinePtx>,
        /// The inputs.
        args: Vec<Expr>,
    },
    /// The condition of the fallback of inline PTX: true on the interpreter.
    Interpreted,
    /// `println!`, `panic!` and the like.
    Message(Box<MessageExpr>),
    /// `debug_assert!` and its kin: a check under debug assertions only.
    DebugOnly(Box<Expr>),
    /// `shared!(..)`; the expression's type has the element type.
    Shared {
        /// The variable that is initialized with it, if the pattern is a plain name.
        name: String,
    },
}

/// `for var in start..end`
#[derive(Debug)]
pub(crate) struct ForRange {
    /// Its label.
    pub(crate) label: Label,
    /// The pattern for each value.
    pub(crate) pattern: Pattern,
    /// Type of the loop variable.
    pub(crate) ty: Ty,
    /// First value.
    pub(crate) start: Expr,
    /// The bound.
    pub(crate) end: Expr,
    /// True for `..=`, which includes the bound.
    pub(crate) inclusive: bool,
    /// True for `.rev()`.
    pub(crate) reverse: bool,
    /// `.step_by(..)`, a `usize`.
    pub(crate) step: Option<Expr>,
    /// The body.
    pub(crate) body: Block,
}

/// `for pattern in iterator`
#[derive(Debug)]
pub(crate) struct ForEach {
    /// Its label.
    pub(crate) label: Label,
    /// The pattern for each item.
    pub(crate) pattern: Pattern,
    /// The iterator.
    pub(crate) iterator: Expr,
    /// The body.
    pub(crate) body: Block,
}

/// A call of a device function.
#[derive(Debug)]
pub(crate) struct Call {
    /// The function.
    pub(crate) callee: Callee,
    /// Generic arguments: those of its `impl` or trait, then its own, in order.
    pub(crate) generics: Vec<GenericArg>,
    /// The type of `Self` in it.
    pub(crate) self_ty: Option<Ty>,
    /// The arguments.
    pub(crate) args: Vec<Expr>,
}

/// A closure.
#[derive(Debug)]
pub(crate) struct Closure {
    /// Its parameters.
    pub(crate) params: Vec<Pattern>,
    /// Outer variables that a `move` closure copies.
    pub(crate) copies: Vec<Var>,
    /// True if it contains a `return`.
    pub(crate) returns_early: bool,
    /// Lint levels of the enclosing statements.
    pub(crate) levels: LintLevels,
    /// The body.
    pub(crate) body: Expr,
}

/// A message that is printed, or that ends the thread.
#[derive(Debug)]
pub(crate) struct MessageExpr {
    /// The text; every placeholder names its argument by number.
    pub(crate) format: Format,
    /// The arguments: numbers, `bool` and composites of them.
    pub(crate) args: Vec<Expr>,
    /// True if the thread ends.
    pub(crate) panics: bool,
}

/// The bounds of a slice expression.
#[derive(Debug)]
pub(crate) enum SliceBounds {
    /// Bounds written as `start..end`.
    Written {
        /// The index of the first element; `None` for the start of the slice.
        start: Option<Box<Expr>>,
        /// The end of the range; `None` for the end of the slice.
        end: Option<Box<Expr>>,
    },
    /// Bounds as a value of a range type.
    Range {
        /// The range.
        value: Box<Expr>,
        /// The number of bounds in the range: 2, or 1 for a range without an end.
        count: usize,
    },
}
