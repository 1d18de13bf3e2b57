//! Copies of boxes of tensors, and stores in bulk.
use super::{Address, Operand};
use crate::vector::registers::Uniform;
use warpwise_compiler::ir::TensorBoxShape;

/// A copy of a box between a tensor and shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TensorCopy {
    /// The number of the buffer with the elements of the tensor.
    pub(crate) tensor: u16,
    /// The layers, rows and columns of the tensor, and the elements from one row to the next.
    pub(crate) extents: [Uniform; 4],
    pub(crate) shape: TensorBoxShape,
    /// The coordinates of the first element of the box: `i32`s, the layer first.
    pub(crate) at: [Operand; 3],
    pub(crate) shared: SharedEnd,
    /// The ranks of the blocks of the cluster that get the box, as bits; `None` for the own block.
    pub(crate) blocks: Option<Operand>,
}

/// The end of a copy in shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedEnd {
    pub(crate) at: Address<Operand>,
    pub(crate) bytes: u32,
    /// The number of the site of its access, if it is checked.
    pub(crate) site: Option<u32>,
    /// The counter of the copy, if it is counted.
    pub(crate) counter: Option<u32>,
}

/// A copy from shared to global memory, whose source must not be written until it is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BulkStore {
    /// Of neighbouring bytes, to this address.
    Bytes { to: Address<Operand>, from: SharedEnd },
    /// To a box of a tensor.
    Tensor(TensorCopy),
}

impl BulkStore {
    /// Returns the source.
    pub(crate) const fn source(&self) -> SharedEnd {
        match self {
            Self::Bytes { from, .. } => *from,
            Self::Tensor(copy) => copy.shared,
        }
    }
}
