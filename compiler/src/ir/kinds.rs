//! Operations of arithmetic, comparison, atomic and collective instructions.
use super::{Scalar, Space};

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
    /// `1 / sqrt(x)` of an `f32`, rounded once: that of a zero is an infinity with its sign.
    Rsqrt,
    /// Rounded to the integer below.
    Floor,
    /// Rounded to the integer above.
    Ceil,
    /// Rounded to the integer toward zero.
    Trunc,
    /// Rounded to the nearest integer, ties to even.
    RoundTiesEven,
    /// The number of bits of an integer that are 1.
    CountOnes,
    /// The number of 0 bits above the highest 1 bit of an integer: the width for 0.
    LeadingZeros,
    /// The bits of an integer in reverse order.
    ReverseBits,
    /// The bytes of an integer in reverse order.
    SwapBytes,
    /// A function of an `f32`, with the accuracy of the hardware's instruction for it. The last
    /// bits of the result may differ between engines and devices, and are always the same on one.
    Approx(Approx),
}

/// The function that [`UnaryOp::Approx`] computes. Subnormal arguments and results count as the
/// zero of their sign, except for the hyperbolic tangent. `docs/math.md` bounds the errors.
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
    /// value is unspecified (an [`Op::Check`](super::Op::Check) precedes it).
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
    /// An integer's bits, rotated left by a `u32` amount modulo the width.
    RotateLeft,
}

/// Operations on three values, each of which is one instruction of GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TernaryOp {
    /// The sum of the products of the four bytes of two words and of the third word, wrapping: of
    /// signed bytes for `i32`, of unsigned ones for `u32`.
    DotBytes,
    /// The sum of the products of the two halves of a word with the two lower bytes of another, and
    /// of the third word, as [`DotBytes`](Self::DotBytes).
    DotHalvesLow,
    /// The same with the two upper bytes.
    DotHalvesHigh,
    /// Four of the eight bytes of two `u32`, the first one's below the second one's, selected by
    /// the third. Its lowest four bits select the lowest byte: three are the number of the byte,
    /// and if the fourth is set, the highest bit of that byte fills the result's byte.
    PermuteBytes,
    /// The upper half of two `u32`, the upper one first, shifted left by an amount modulo 32.
    FunnelShl,
    /// The lower half of two `u32`, the upper one first, shifted right by an amount modulo 32.
    FunnelShr,
    /// The sum of two `u32` and a carry, which is 1 unless the third is 0, wrapping.
    AddCarry,
    /// 1 if [`AddCarry`](Self::AddCarry) of the same three wraps, 0 if not.
    CarryOut,
    /// `a * b + c` of `f32`, rounded once, in a direction.
    FmaTo(Direction),
}

/// The direction in which an inexact result is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Toward zero.
    Zero,
    /// To the number above.
    Up,
    /// To the number below.
    Down,
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

/// The signs in the sum that [`Op::MulAdd`](super::Op::MulAdd) computes.
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

/// A value that the hardware provides to each thread.
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
    /// The lanes in this relation to the thread's own: bit l for lane l.
    LaneMask(LaneMask),
    /// The most blocks of the launch that a block of a [coarsened](crate::ir::Coarsening) kernel
    /// runs: a constant on GPUs, and 1 on the interpreter and in other kernels.
    CoarseningFactor,
}

/// A set of lanes, by the relation of their numbers to a thread's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "self-describing")]
pub enum LaneMask {
    Lt,
    Le,
    Eq,
    Ge,
    Gt,
}

impl LaneMask {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Lt, Self::Le, Self::Eq, Self::Ge, Self::Gt];

    /// Returns the mask of a thread in lane `lane`, which is below 32: bit `l` for lane `l`.
    pub const fn bits(self, lane: u32) -> u32 {
        let up_to = u32::MAX >> (31 - lane);
        match self {
            Self::Lt => up_to >> 1,
            Self::Le => up_to,
            Self::Eq => 1 << lane,
            Self::Ge => !(up_to >> 1),
            Self::Gt => !up_to,
        }
    }

    /// Returns the name in the text form, in PTX and in Rust.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lt => "lanemask_lt",
            Self::Le => "lanemask_le",
            Self::Eq => "lanemask_eq",
            Self::Ge => "lanemask_ge",
            Self::Gt => "lanemask_gt",
        }
    }
}

/// An axis of a block or grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "self-describing")]
pub enum Axis {
    X,
    Y,
    Z,
}

/// The value that an atomic update writes, computed from the old one and its operand.
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
    /// Returns true if the right side is an amount: a `u32`, whatever the left side is.
    pub const fn is_shift(self) -> bool {
        matches!(self, Self::Shl | Self::Shr | Self::RotateLeft)
    }
}

impl AtomicOp {
    /// Returns true if subnormal operands and results count as the zero of their sign.
    ///
    /// `atom.add.f32` on global memory does so (PTX ISA, `atom`, and measured). No instruction
    /// keeps subnormals, and a loop around a compare-and-swap costs too much.
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

/// The threads among which an atomic operation is atomic, or a fence orders accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The threads of the block.
    Block,
    /// The threads of the device.
    Device,
    /// The threads of the device, the host and other devices.
    System,
}

/// The value that a barrier computes over the threads that wait at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BarrierOp {
    /// The number of threads that pass true.
    Count,
    /// True if all threads pass true.
    And,
    /// True if any thread passes true.
    Or,
}

/// The lane whose value a shuffle yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShuffleOp {
    /// The value of a given lane.
    Index,
    /// The value of a lane below.
    Up,
    /// The value of a lane above.
    Down,
    /// The value of the lane whose number differs in the given bits.
    Xor,
}

impl ShuffleOp {
    /// Returns true if lanes can shuffle in groups of `lanes` lanes.
    pub const fn is_width(lanes: u64) -> bool {
        matches!(lanes, 2 | 4 | 8 | 16 | 32)
    }
}

/// The question of a vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "self-describing")]
pub enum VoteOp {
    All,
    Any,
    Ballot,
}

/// The cache operator of a load or store: which caches keep the line, and for how long. It changes
/// no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheOp {
    /// Loads: in all levels.
    All,
    /// In the second level, past the first.
    Global,
    /// In all levels, to be evicted first.
    Streaming,
    /// Loads: the last use of the line; in global memory as `Streaming`.
    LastUse,
    /// Loads: fetched again each time.
    Volatile,
    /// Stores: in all levels that are coherent.
    WriteBack,
    /// Stores: through the second level to memory.
    WriteThrough,
}

impl CacheOp {
    /// Returns true if loads have this operator.
    pub const fn is_for_loads(self) -> bool {
        match self {
            Self::All | Self::Global | Self::Streaming | Self::LastUse | Self::Volatile => true,
            Self::WriteBack | Self::WriteThrough => false,
        }
    }

    /// Returns true if stores have this operator.
    pub const fn is_for_stores(self) -> bool {
        match self {
            Self::Global | Self::Streaming | Self::WriteBack | Self::WriteThrough => true,
            Self::All | Self::LastUse | Self::Volatile => false,
        }
    }
}

/// A cache of global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheLevel {
    /// The multiprocessor's.
    L1,
    /// The device's.
    L2,
}

/// A function of a [`SyncOp::GridDependency`](super::SyncOp::GridDependency).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridDependencyOp {
    /// Waits until the grids before this one have ended, and orders their accesses to memory before
    /// those of the thread after it. A thread that ends without it waits at its end.
    Wait,
    /// Lets the grid after this one start once every block has reached one of these or has ended.
    /// Without it, that grid may start when all blocks have ended.
    LaunchDependents,
}

/// The lanes that a [`WarpOp::Match`](super::WarpOp::Match) looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchOp {
    /// The lanes with the same value as the thread's own.
    Any,
    /// All lanes, if they have the same value.
    All,
}

/// The combination of two values in [`WarpOp::Reduce`](super::WarpOp::Reduce).
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
    /// Returns the atomic update of shared memory that combines values in the same way.
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
