//! What stands before the first step of a block.
use crate::{
    launch::along_axis,
    vector::registers::{Reg, Uniform},
};
use warpwise_compiler::ir::{Axis, Builtin};

/// A uniform value known when a block starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Input {
    /// These bits.
    Const(u64),
    /// A scalar parameter's.
    Param(usize),
    /// The number of elements of a slice parameter.
    Len(usize),
    /// Threads in a block.
    BlockDim(Axis),
    /// Blocks in the grid.
    GridDim(Axis),
    /// Index of the block.
    BlockIdx(Axis),
    /// Index in the grid of the first thread of the block.
    GlobalIdx(Axis),
    /// What [`Code::launch`](super::Code::launch) computes.
    Launch,
}

impl Input {
    /// Whether it is another one in each block.
    pub(crate) fn depends_on_block(self) -> bool {
        matches!(self, Self::BlockIdx(_) | Self::GlobalIdx(_))
    }

    /// How much more it is in the next block along x.
    pub(crate) fn ahead(self, block_dim: [u32; 3]) -> u64 {
        match self {
            Self::BlockIdx(Axis::X) => 1,
            Self::GlobalIdx(Axis::X) => along_axis(block_dim, Axis::X).into(),
            Self::BlockIdx(Axis::Y | Axis::Z)
            | Self::GlobalIdx(Axis::Y | Axis::Z)
            | Self::Const(_)
            | Self::Param(_)
            | Self::Len(_)
            | Self::BlockDim(_)
            | Self::GridDim(_)
            | Self::Launch => 0,
        }
    }

    /// Its bits in the block of this index, among blocks of so many threads; 0 if it does not depend on that.
    pub(crate) fn in_block(self, block_dim: [u32; 3], block_idx: [u32; 3]) -> u64 {
        match self {
            Self::BlockIdx(axis) => along_axis(block_idx, axis).into(),
            Self::GlobalIdx(axis) => {
                u64::from(along_axis(block_idx, axis)) * u64::from(along_axis(block_dim, axis))
            }
            Self::Const(_)
            | Self::Param(_)
            | Self::Len(_)
            | Self::BlockDim(_)
            | Self::GridDim(_)
            | Self::Launch => 0,
        }
    }
}

/// What a register holds when a block starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preset {
    /// This value, in every lane.
    Splat(Uniform, Input),
    /// What the hardware provides; one that differs from thread to thread.
    Builtin(Builtin),
    /// 0: a local that the kernel may read before it sets it.
    Zero,
    /// What each thread has of an affine value: that of this number in [`Code::slopes`](super::Code::slopes).
    Slope(u16),
}

impl Preset {
    /// Whether it must be set again for each block: it is another one there, or the block before has changed it.
    pub(crate) fn is_of_block(self) -> bool {
        match self {
            Self::Splat(_, given) => given.depends_on_block(),
            Self::Builtin(builtin) => matches!(builtin, Builtin::GlobalIdx(_)),
            Self::Zero => true,
            Self::Slope(_) => false,
        }
    }
}

/// What affine values have of the index of each thread: the sum of its index in the block along
/// each axis, times a uniform value that stands for the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slope {
    /// Along each axis; `None` is 0.
    pub(crate) by: [Option<Uniform>; 3],
    /// The sums, in lanes.
    pub(crate) lanes: Reg,
}

/// How an access goes over the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WalkSpec {
    /// Of the index.
    pub(crate) slope: u16,
    /// Bytes that the index counts.
    pub(crate) stride: u64,
    /// Bytes that each lane accesses.
    pub(crate) word: usize,
}
