//! The prologue of a block: the values that are in place before its first instruction.
use crate::{
    launch::component,
    vector::registers::{Reg, Uniform},
};
use warpwise_compiler::ir::{Axis, Builtin};

/// A uniform value that is known when a block starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Input {
    /// A constant.
    Const(u64),
    /// The bits of a scalar parameter.
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
    /// A result of [`Code::launch`](super::Code::launch).
    Launch,
}

impl Input {
    /// Returns true if blocks have different values.
    pub(crate) fn depends_on_block(self) -> bool {
        matches!(self, Self::BlockIdx(_) | Self::GlobalIdx(_))
    }

    /// Returns the increment from one block to the next along x.
    pub(crate) fn increment_per_block(self, block_dim: [u32; 3]) -> u64 {
        match self {
            Self::BlockIdx(Axis::X) => 1,
            Self::GlobalIdx(Axis::X) => component(block_dim, Axis::X).into(),
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

    /// Returns the bits in a block; 0 if they do not depend on the block.
    pub(crate) fn bits_in_block(self, block_dim: [u32; 3], block_idx: [u32; 3]) -> u64 {
        match self {
            Self::BlockIdx(axis) => component(block_idx, axis).into(),
            Self::GlobalIdx(axis) => {
                u64::from(component(block_idx, axis)) * u64::from(component(block_dim, axis))
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

/// The initial contents of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preset {
    /// A uniform value in every lane.
    Splat(Uniform, Input),
    /// A built-in value that differs between threads.
    Builtin(Builtin),
    /// 0, for a local that the kernel may read before it sets it.
    Zero,
    /// The thread's part of an affine value: the slope of this index in
    /// [`Code::slopes`](super::Code::slopes).
    Slope(u16),
}

impl Preset {
    /// Returns true if each block must set it again, because it depends on the block or the
    /// previous block has changed it.
    pub(crate) fn must_reset_per_block(self) -> bool {
        match self {
            Self::Splat(_, input) => input.depends_on_block(),
            Self::Builtin(builtin) => matches!(builtin, Builtin::GlobalIdx(_)),
            Self::Zero => true,
            Self::Slope(_) => false,
        }
    }
}

/// The part of affine values that depends on the index of the thread: the sum of the components of
/// its index in the block, each times a uniform value that is constant over the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slope {
    /// The factor of each axis; `None` is 0.
    pub(crate) by: [Option<Uniform>; 3],
    /// The register with the sums.
    pub(crate) lanes: Reg,
}

/// The order in which an access visits the lanes, as a function of a slope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WalkSpec {
    /// The slope of the index.
    pub(crate) slope: u16,
    /// Bytes per unit of the index.
    pub(crate) stride: u64,
    /// Bytes that each lane accesses.
    pub(crate) word: usize,
}
