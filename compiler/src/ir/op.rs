//! What instructions do. Every construct says here what it means.
//!
//! Integers are two's complement and wrap; what Rust makes a fault (an index
//! out of bounds, a division by zero, overflow where it is checked) is an
//! explicit [`Op::Bounds`] or [`Op::Check`] before the operation. Floats are
//! IEEE 754, round to nearest even, subnormals kept; sign and payload of a NaN
//! that an operation computes are unspecified.
use super::{
    ArrayId, Body, Extent, GenericId, InstId, LocalId, MessageId, ParamId, Scalar, SharedId, Space,
};

/// What an instruction does.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    // Values.
    /// A literal, as the bits of the instruction's scalar (zero-extended).
    Const(u64),
    /// The value of a constant parameter.
    Generic(GenericId),
    /// A scalar parameter's value, or the address of a slice parameter's first element.
    Param(ParamId),
    /// The number of elements of a slice parameter (`u64`).
    Len(ParamId),
    /// The address of a shared array's first element.
    Shared(SharedId),
    /// The address of the first element of an array of the thread's own.
    Array(ArrayId),
    /// What the hardware provides, as `u32` or `u64`.
    Builtin(Builtin),
    /// An operation on one value of the result's type.
    Unary {
        /// Which.
        op: UnaryOp,
        /// Its operand.
        value: InstId,
    },
    /// An operation on two values of the result's type; the right side of a shift or rotation is `u32`.
    Binary {
        /// Which.
        op: BinaryOp,
        /// Left side.
        lhs: InstId,
        /// Right side.
        rhs: InstId,
    },
    /// A comparison of two scalars of one type; yields `bool`. `false` is below `true`.
    Compare {
        /// Which.
        op: CompareOp,
        /// Left side.
        lhs: InstId,
        /// Right side.
        rhs: InstId,
    },
    /// Rust's `as` to the result's type: integers truncate or extend, float to
    /// integer saturates and takes NaN to 0, `bool` becomes an integer, 0 or 1.
    Cast {
        /// What is cast; never to `bool`.
        value: InstId,
    },
    /// The same bits as another number of the same size; never `bool`.
    Bitcast {
        /// Whose bits.
        value: InstId,
    },
    /// One of two values; both are computed already.
    Select {
        /// A `bool`.
        cond: InstId,
        /// Where `cond` is true.
        then: InstId,
        /// Where it is false.
        other: InstId,
    },
    /// `a * b + c` on floats, rounded once.
    Fma {
        /// Factor.
        a: InstId,
        /// Factor.
        b: InstId,
        /// Addend.
        c: InstId,
    },
    /// A sum of a product in generic code: one rounding if the type turns out
    /// to be a float, wrapping integer arithmetic otherwise. Gone once specialized.
    MulAdd {
        /// Which signs.
        form: MulAddForm,
        /// Factor.
        a: InstId,
        /// Factor.
        b: InstId,
        /// Addend.
        c: InstId,
    },

    // Addresses.
    /// The address `index * stride` bytes behind `base`; the index is an
    /// unsigned integer. Stays inside what `base` points into.
    Index {
        /// A pointer.
        base: InstId,
        /// How many strides.
        index: InstId,
        /// Bytes from one element to the next.
        stride: Extent,
    },
    /// The address `offset` bytes behind `base`: a field's. Stays inside what `base` points into.
    Offset {
        /// A pointer.
        base: InstId,
        /// How many bytes.
        offset: Extent,
    },
    /// Yields `index` (unsigned); where it is not less than `len`, ends the
    /// thread with [`Fault::IndexOutOfBounds`].
    Bounds {
        /// Checked, and yielded.
        index: InstId,
        /// Number of elements, of the index's type.
        len: InstId,
    },
    /// Goes on where `cond` is true, and ends the thread with `fault` where it is not.
    Check {
        /// A `bool`.
        cond: InstId,
        /// What is wrong where it is false; never `IndexOutOfBounds` or `Panic`.
        fault: Fault,
    },

    // Memory.
    /// The value of a local.
    Get(LocalId),
    /// Sets a local.
    Set {
        /// Which.
        local: LocalId,
        /// To what.
        value: InstId,
    },
    /// Reads the result's scalar; what other threads may write is read exactly once.
    Load {
        /// Where; a multiple of the scalar's size.
        ptr: InstId,
    },
    /// Writes a scalar.
    Store {
        /// Where; a multiple of the scalar's size.
        ptr: InstId,
        /// What.
        value: InstId,
    },
    /// Reads atomically.
    AtomicLoad {
        /// Where.
        ptr: InstId,
        /// `Relaxed`, `Acquire` or `SeqCst`.
        order: Order,
        /// Among which threads.
        scope: Scope,
    },
    /// Writes atomically.
    AtomicStore {
        /// Where.
        ptr: InstId,
        /// What.
        value: InstId,
        /// `Relaxed`, `Release` or `SeqCst`.
        order: Order,
        /// Among which threads.
        scope: Scope,
    },
    /// Replaces a value by a function of it, atomically; yields what was there.
    Atomic {
        /// Which function.
        op: AtomicOp,
        /// Where.
        ptr: InstId,
        /// Its second operand, of the result's type.
        value: InstId,
        /// Ordering.
        order: Order,
        /// Among which threads.
        scope: Scope,
    },
    /// Replaces `expected`, if that is what is there, by `value`, atomically;
    /// yields what was there. Never fails spuriously.
    CompareExchange {
        /// Where.
        ptr: InstId,
        /// Compared bit for bit.
        expected: InstId,
        /// Written if equal.
        value: InstId,
        /// Ordering, whether it succeeds or not.
        order: Order,
        /// Among which threads.
        scope: Scope,
    },

    // Where threads meet.
    /// Waits until every thread of the block that has not ended is at this
    /// barrier; orders the block's accesses to shared and global memory. Yields
    /// nothing, or for a reduction `u64` (count) or `bool` (and, or).
    Barrier {
        /// What is computed over the waiting threads, and from which `bool`.
        reduce: Option<(BarrierOp, InstId)>,
    },
    /// Waits until every thread of the grid that has not ended is at one of these, and orders the
    /// grid's accesses to global memory, and the block's to shared memory. In cooperative kernels only.
    SyncGrid,
    /// Waits for the lanes of the mask (`u32`; without one, every lane that has
    /// not ended) and orders their accesses to memory.
    SyncWarp {
        /// Bit l names lane l; every named lane must come, the caller must be named.
        mask: Option<InstId>,
    },
    /// Orders the thread's accesses to memory before it against those behind it.
    Fence {
        /// As seen by whom.
        scope: Scope,
    },
    /// The value that another lane of the group brings. Lanes are counted in
    /// groups of `width`.
    Shuffle {
        /// Whose.
        op: ShuffleOp,
        /// What this lane brings; any scalar.
        value: InstId,
        /// `Index`: the lane in the group, modulo `width`; `Up`, `Down`: distance, past the
        /// edge of the group the lane's own value; `Xor`: mask of lane bits, past the edge the
        /// lane's own value. `u32`.
        lane: InstId,
        /// 2, 4, 8, 16 or 32.
        width: u32,
        /// As for [`Op::SyncWarp`].
        mask: Option<InstId>,
    },
    /// What the lanes that take part say together.
    Vote {
        /// `All` and `Any` yield `bool`, `Ballot` a `u32` with bit l set where lane l brings true.
        op: VoteOp,
        /// A `bool`.
        value: InstId,
        /// As for [`Op::SyncWarp`].
        mask: Option<InstId>,
    },

    /// Which of the lanes that take part bring the same value, bit for bit. `Any` yields a `u32` with the
    /// lanes that bring what this one does, `All` whether all bring the same.
    Match {
        /// Which lanes are asked for.
        op: MatchOp,
        /// Any scalar.
        value: InstId,
        /// As for [`Op::SyncWarp`].
        mask: Option<InstId>,
    },
    /// The lanes of the warp that run this together, as a `u32` with bit l for lane l; the caller is one of
    /// them. Which others are is open, but for those that have ended: they are not.
    ActiveMask,
    /// What comes out of the values of all lanes that take part; each gets it. Lanes are combined in the
    /// order of a butterfly: those whose numbers differ by 16, then by 8, 4, 2 and 1, lanes that do not take
    /// part being left out.
    Reduce {
        /// How two values are combined.
        op: ReduceOp,
        /// A number.
        value: InstId,
        /// As for [`Op::SyncWarp`].
        mask: Option<InstId>,
    },

    // Output.
    /// Prints a message on the host, where there is room for it.
    Print {
        /// Which.
        message: MessageId,
        /// Its arguments.
        args: Vec<InstId>,
    },

    // Control.
    /// Runs one of two bodies.
    If {
        /// A `bool`.
        cond: InstId,
        /// Where it is true.
        then: Body,
        /// Where it is false.
        other: Body,
    },
    /// Runs the body for `start`, `start + step`, … while less than `end` (or equal, if
    /// `inclusive`), and never computes a value past the end of the type. Yields the
    /// current value, visible in the body only; an integer.
    For {
        /// First value.
        start: InstId,
        /// Where it stops.
        end: InstId,
        /// Distance, of the same type; at least 1.
        step: InstId,
        /// Whether `end` itself is run.
        inclusive: bool,
        /// What is run.
        body: Body,
    },
    /// Runs the body until something in it leaves.
    Loop {
        /// What is run.
        body: Body,
    },
    /// Runs the body once; [`Op::Break`] leaves it early.
    Block {
        /// What is run.
        body: Body,
    },
    /// Goes on behind an enclosing `for`, `loop` or `block`.
    Break(InstId),
    /// Goes on with the next iteration of an enclosing `for` or `loop`.
    Continue(InstId),
    /// Ends the thread.
    Return,
    /// Ends the thread with [`Fault::Panic`].
    Panic {
        /// What the host says about it.
        message: MessageId,
        /// Its arguments.
        args: Vec<InstId>,
    },
}

/// Operations on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x`; on integers, unsigned ones too, wrapping.
    Neg,
    /// `!x` on integers and `bool`.
    Not,
    /// Absolute value; on signed integers wrapping, on unsigned ones the value itself.
    Abs,
    /// Square root of a float, correctly rounded.
    Sqrt,
    /// To the integer below.
    Floor,
    /// To the integer above.
    Ceil,
    /// To the integer toward zero.
    Trunc,
    /// To the nearest integer, ties to even.
    RoundTiesEven,
    /// How many bits of an integer are 1.
    CountOnes,
    /// How many bits of an integer are 0 above the highest that is 1: the width for 0.
    LeadingZeros,
    /// The bits of an integer, the lowest first.
    ReverseBits,
    /// The bytes of an integer, the lowest first.
    SwapBytes,
    /// A function of an `f32`, as exactly as the hardware's instruction for it is: what comes out may differ in
    /// the last bits from one engine or device to another, and is the same each time on one.
    Approx(Approx),
}

/// What [`UnaryOp::Approx`] computes. Subnormal arguments and results count as the zero of their sign, but
/// for the hyperbolic tangent. `docs/math.md` has how large errors may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Approx {
    /// 2 to a power.
    Exp2,
    /// The logarithm with base 2.
    Log2,
    /// Of an angle in radians.
    Sin,
    /// Of an angle in radians.
    Cos,
    /// The hyperbolic tangent.
    Tanh,
    /// `1 / x`
    Recip,
    /// `1 / sqrt(x)`
    Rsqrt,
    /// The square root.
    Sqrt,
}

/// Operations on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`; integers round toward zero, and by zero or past the end of the type the
    /// value is unspecified (a [`Op::Check`] stands before).
    Div,
    /// `%`, the remainder of `/`, exact on floats; unspecified where `/` is.
    Rem,
    /// `&` on integers and `bool`.
    And,
    /// `|` on integers and `bool`.
    Or,
    /// `^` on integers and `bool`.
    Xor,
    /// `<<` by a `u32` amount, modulo the width.
    Shl,
    /// `>>` by a `u32` amount, modulo the width; keeps the sign of signed integers.
    Shr,
    /// The smaller; of floats ignores one NaN, and -0.0 is below +0.0.
    Min,
    /// The larger; of floats ignores one NaN, and -0.0 is below +0.0.
    Max,
    /// The upper half of the exact product of two integers, twice as wide as they are.
    MulHigh,
    /// An integer's bits, moved up by a `u32` amount modulo the width; those that leave at the
    /// top come in at the bottom.
    RotateLeft,
}

/// Comparisons; with a NaN only `Ne` is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "self-describing")]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Which sum [`Op::MulAdd`] computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MulAddForm {
    /// `a * b + c`
    Add,
    /// `a * b - c`
    Sub,
    /// `c - a * b`
    From,
    /// `-(a * b) - c`
    Neg,
}

/// What the hardware provides to each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// Index of the thread in its block.
    ThreadIdx(Axis),
    /// Index of the block in the grid.
    BlockIdx(Axis),
    /// Threads in a block.
    BlockDim(Axis),
    /// Blocks in the grid.
    GridDim(Axis),
    /// `block_idx * block_dim + thread_idx`.
    GlobalIdx(Axis),
    /// Index of the thread in its warp: its number in the block (x fastest) modulo 32.
    LaneId,
    /// Index of the warp in its block: the thread's number in the block divided by 32.
    WarpId,
}

/// An axis of a block or grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "self-describing")]
pub enum Axis {
    X,
    Y,
    Z,
}

/// What an atomic update writes, from what is there and its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// The operand.
    Swap,
    /// The sum; wrapping on integers. Of `f32` in global memory, a subnormal operand or sum
    /// counts as the zero of its sign, as hardware does it (see [`AtomicOp::flushes`]).
    Add,
    /// The difference; wrapping; integers only.
    Sub,
    /// Bitwise and; integers only.
    And,
    /// Bitwise or; integers only.
    Or,
    /// Bitwise exclusive or; integers only.
    Xor,
    /// The smaller, as [`BinaryOp::Min`].
    Min,
    /// The larger, as [`BinaryOp::Max`].
    Max,
}

impl BinaryOp {
    /// True if the right side is an amount: a `u32`, whatever the left side is.
    pub const fn is_shift(self) -> bool {
        matches!(self, Self::Shl | Self::Shr | Self::RotateLeft)
    }
}

impl AtomicOp {
    /// Whether subnormal operands and results count as the zero of their sign.
    ///
    /// That is what `atom.add.f32` on global memory does (PTX ISA, `atom`), and measured; there is
    /// no instruction that keeps them, and a loop around a compare-and-swap costs too much.
    pub const fn flushes(self, scalar: Scalar, space: Space) -> bool {
        matches!((self, scalar, space), (Self::Add, Scalar::F32, Space::Global))
    }
}

/// Memory orderings, named as in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as in Rust")]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// Among which threads an atomic operation or a fence holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The block's.
    Block,
    /// The device's.
    Device,
    /// The device's, the host's and other devices'.
    System,
}

/// What a barrier computes over the threads that wait at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierOp {
    /// How many bring true.
    Count,
    /// Whether all do.
    And,
    /// Whether any does.
    Or,
}

/// Whose value a shuffle yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShuffleOp {
    /// A given lane's.
    Index,
    /// That of a lane below.
    Up,
    /// That of a lane above.
    Down,
    /// That of the lane whose number differs in the given bits.
    Xor,
}

/// What a vote asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "self-describing")]
pub enum VoteOp {
    All,
    Any,
    Ballot,
}

/// Which lanes an [`Op::Match`] looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchOp {
    /// Those that bring the same as this one.
    Any,
    /// All of them.
    All,
}

/// How [`Op::Reduce`] combines two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduceOp {
    /// The sum; wrapping on integers.
    Add,
    /// The smaller, as [`BinaryOp::Min`].
    Min,
    /// The larger, as [`BinaryOp::Max`].
    Max,
    /// Bitwise and; integers only.
    And,
    /// Bitwise or; integers only.
    Or,
    /// Bitwise exclusive or; integers only.
    Xor,
}

impl ReduceOp {
    /// The atomic update that combines likewise, in shared memory.
    pub const fn update(self) -> AtomicOp {
        match self {
            Self::Add => AtomicOp::Add,
            Self::Min => AtomicOp::Min,
            Self::Max => AtomicOp::Max,
            Self::And => AtomicOp::And,
            Self::Or => AtomicOp::Or,
            Self::Xor => AtomicOp::Xor,
        }
    }
}

/// Why a thread ended early. The numbers are what a fault record carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Fault {
    /// An index is not less than the length.
    IndexOutOfBounds = 0,
    /// `x / 0`
    DivideByZero = 1,
    /// `x % 0`
    RemainderByZero = 2,
    /// `MIN / -1`
    DivideOverflow = 3,
    /// `MIN % -1`
    RemainderOverflow = 4,
    /// `-MIN`, where overflow is checked.
    NegateOverflow = 5,
    /// A sum outside the type, where overflow is checked.
    AddOverflow = 6,
    /// A difference outside the type, where overflow is checked.
    SubtractOverflow = 7,
    /// A product outside the type, where overflow is checked.
    MultiplyOverflow = 8,
    /// `<<` by the width or more, where overflow is checked.
    ShiftLeftOverflow = 9,
    /// `>>` by the width or more, where overflow is checked.
    ShiftRightOverflow = 10,
    /// A range that steps by zero.
    StepByZero = 11,
    /// `clamp` between bounds that are no range.
    ClampBounds = 12,
    /// `isqrt` of a negative number.
    NegativeSquareRoot = 13,
    /// `ilog2` and the like of zero or a negative number.
    NonPositiveLogarithm = 14,
    /// [`Op::Panic`], with a message of the kernel's.
    Panic = 15,
}

impl Fault {
    /// Every fault, in the order of their numbers.
    pub const ALL: [Self; 16] = [
        Self::IndexOutOfBounds,
        Self::DivideByZero,
        Self::RemainderByZero,
        Self::DivideOverflow,
        Self::RemainderOverflow,
        Self::NegateOverflow,
        Self::AddOverflow,
        Self::SubtractOverflow,
        Self::MultiplyOverflow,
        Self::ShiftLeftOverflow,
        Self::ShiftRightOverflow,
        Self::StepByZero,
        Self::ClampBounds,
        Self::NegativeSquareRoot,
        Self::NonPositiveLogarithm,
        Self::Panic,
    ];

    /// Its name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Self::IndexOutOfBounds => "index_out_of_bounds",
            Self::DivideByZero => "divide_by_zero",
            Self::RemainderByZero => "remainder_by_zero",
            Self::DivideOverflow => "divide_overflow",
            Self::RemainderOverflow => "remainder_overflow",
            Self::NegateOverflow => "negate_overflow",
            Self::AddOverflow => "add_overflow",
            Self::SubtractOverflow => "subtract_overflow",
            Self::MultiplyOverflow => "multiply_overflow",
            Self::ShiftLeftOverflow => "shift_left_overflow",
            Self::ShiftRightOverflow => "shift_right_overflow",
            Self::StepByZero => "step_by_zero",
            Self::ClampBounds => "clamp_bounds",
            Self::NegativeSquareRoot => "negative_square_root",
            Self::NonPositiveLogarithm => "non_positive_logarithm",
            Self::Panic => "panic",
        }
    }

    /// What Rust says when it panics for this reason; an index and a length are added by the caller.
    pub const fn message(self) -> &'static str {
        match self {
            Self::IndexOutOfBounds => "index out of bounds",
            Self::DivideByZero => "attempt to divide by zero",
            Self::RemainderByZero => "attempt to calculate the remainder with a divisor of zero",
            Self::DivideOverflow => "attempt to divide with overflow",
            Self::RemainderOverflow => "attempt to calculate the remainder with overflow",
            Self::NegateOverflow => "attempt to negate with overflow",
            Self::AddOverflow => "attempt to add with overflow",
            Self::SubtractOverflow => "attempt to subtract with overflow",
            Self::MultiplyOverflow => "attempt to multiply with overflow",
            Self::ShiftLeftOverflow => "attempt to shift left with overflow",
            Self::ShiftRightOverflow => "attempt to shift right with overflow",
            Self::StepByZero => "attempt to step a range by zero",
            Self::ClampBounds => "min > max, or either was NaN",
            Self::NegativeSquareRoot => "argument of integer square root cannot be negative",
            Self::NonPositiveLogarithm => "argument of integer logarithm must be positive",
            Self::Panic => "explicit panic",
        }
    }
}

/// What an instruction does besides yielding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Nothing: it may be dropped, repeated or moved to wherever its operands are visible.
    None,
    /// Reads a local or memory.
    Read,
    /// Writes a local or memory, or prints.
    Write,
    /// May end the thread with a fault.
    Fault,
    /// Meets other threads.
    Sync,
    /// Decides what runs next.
    Control,
}

/// What there is of a few parts of an instruction, in order. Every stage goes through these, in a macro that is built
/// without optimization, where an iterator over an array takes several times as long.
struct Parts<T, const N: usize> {
    parts: [Option<T>; N],
    next: usize,
}

impl<T, const N: usize> Parts<T, N> {
    const fn of(parts: [Option<T>; N]) -> Self {
        // Where there is no first, there is none at all.
        let next = if N > 0 && parts[0].is_none() { N } else { 0 };
        Self { parts, next }
    }
}

impl<T, const N: usize> Iterator for Parts<T, N> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        while self.next < N {
            let part = self.parts[self.next].take();
            self.next += 1;
            if part.is_some() {
                return part;
            }
        }
        None
    }
}

/// The operands of a borrowed [`Op`], shared or mutable.
macro_rules! operands {
    ($op:expr, $as_borrowed:ident, $iter:ident) => {{
        let mut listed = Default::default();
        let few = match $op {
            Op::Print { args, .. } | Op::Panic { args, .. } => {
                listed = args.$iter();
                [None, None, None]
            }
            Op::Const(_)
            | Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Builtin(_)
            | Op::ActiveMask
            | Op::Get(_)
            | Op::SyncGrid
            | Op::Fence { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return => [None, None, None],
            Op::Unary { value, .. }
            | Op::Cast { value }
            | Op::Bitcast { value }
            | Op::Set { value, .. } => [Some(value), None, None],
            Op::Load { ptr } | Op::AtomicLoad { ptr, .. } => [Some(ptr), None, None],
            Op::Offset { base, .. } => [Some(base), None, None],
            Op::Check { cond, .. } | Op::If { cond, .. } => [Some(cond), None, None],
            Op::Binary { lhs, rhs, .. } | Op::Compare { lhs, rhs, .. } => {
                [Some(lhs), Some(rhs), None]
            }
            Op::Select { cond, then, other } => [Some(cond), Some(then), Some(other)],
            Op::Fma { a, b, c } | Op::MulAdd { a, b, c, .. } => [Some(a), Some(b), Some(c)],
            Op::Index { base, index, .. } => [Some(base), Some(index), None],
            Op::Bounds { index, len } => [Some(index), Some(len), None],
            Op::Store { ptr, value }
            | Op::AtomicStore { ptr, value, .. }
            | Op::Atomic { ptr, value, .. } => [Some(ptr), Some(value), None],
            Op::CompareExchange { ptr, expected, value, .. } => {
                [Some(ptr), Some(expected), Some(value)]
            }
            Op::Barrier { reduce } => [reduce.$as_borrowed().map(|(_, value)| value), None, None],
            Op::SyncWarp { mask } => [mask.$as_borrowed(), None, None],
            Op::Shuffle { value, lane, mask, .. } => [Some(value), Some(lane), mask.$as_borrowed()],
            Op::Vote { value, mask, .. }
            | Op::Match { value, mask, .. }
            | Op::Reduce { value, mask, .. } => [Some(value), mask.$as_borrowed(), None],
            Op::For { start, end, step, .. } => [Some(start), Some(end), Some(step)],
        };
        Parts::of(few).chain(listed)
    }};
}
/// The bodies of a borrowed [`Op`], shared or mutable.
macro_rules! bodies {
    ($op:expr) => {
        match $op {
            Op::If { then, other, .. } => [Some(then), Some(other)],
            Op::For { body, .. } | Op::Loop { body } | Op::Block { body } => [Some(body), None],
            Op::Const(_)
            | Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Builtin(_)
            | Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Select { .. }
            | Op::Fma { .. }
            | Op::MulAdd { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::Bounds { .. }
            | Op::Check { .. }
            | Op::Get(_)
            | Op::Set { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Barrier { .. }
            | Op::SyncGrid
            | Op::SyncWarp { .. }
            | Op::Fence { .. }
            | Op::Shuffle { .. }
            | Op::Vote { .. }
            | Op::Match { .. }
            | Op::ActiveMask
            | Op::Reduce { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => [None, None],
        }
    };
}

impl Op {
    /// What it does besides yielding. For control flow, what its bodies do comes on top.
    pub const fn effect(&self) -> Effect {
        match self {
            Self::Const(_)
            | Self::Generic(_)
            | Self::Param(_)
            | Self::Len(_)
            | Self::Shared(_)
            | Self::Array(_)
            | Self::Builtin(_)
            | Self::Unary { .. }
            | Self::Binary { .. }
            | Self::Compare { .. }
            | Self::Cast { .. }
            | Self::Bitcast { .. }
            | Self::Select { .. }
            | Self::Fma { .. }
            | Self::MulAdd { .. }
            | Self::Index { .. }
            | Self::Offset { .. } => Effect::None,
            Self::Get(_) | Self::Load { .. } => Effect::Read,
            Self::Set { .. }
            | Self::Store { .. }
            | Self::AtomicLoad { .. }
            | Self::AtomicStore { .. }
            | Self::Atomic { .. }
            | Self::CompareExchange { .. }
            | Self::Print { .. } => Effect::Write,
            Self::Bounds { .. } | Self::Check { .. } => Effect::Fault,
            Self::Barrier { .. }
            | Self::SyncGrid
            | Self::SyncWarp { .. }
            | Self::Fence { .. }
            | Self::Shuffle { .. }
            | Self::Vote { .. }
            | Self::Match { .. }
            | Self::ActiveMask
            | Self::Reduce { .. } => Effect::Sync,
            Self::If { .. }
            | Self::For { .. }
            | Self::Loop { .. }
            | Self::Block { .. }
            | Self::Break(_)
            | Self::Continue(_)
            | Self::Return
            | Self::Panic { .. } => Effect::Control,
        }
    }

    /// True if nothing behind it in its body is run.
    pub const fn is_exit(&self) -> bool {
        matches!(self, Self::Break(_) | Self::Continue(_) | Self::Return | Self::Panic { .. })
    }

    /// Its operands, in order. What `break` and `continue` name is no operand.
    pub fn operands(&self) -> impl Iterator<Item = InstId> {
        operands!(self, as_ref, iter).copied()
    }

    /// Its operands, in order, to replace.
    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut InstId> {
        operands!(self, as_mut, iter_mut)
    }

    /// The bodies inside it, in order.
    pub fn bodies(&self) -> impl Iterator<Item = &Body> {
        Parts::of(bodies!(self))
    }

    /// The bodies inside it, in order, to edit.
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Body> {
        Parts::of(bodies!(self))
    }
}
