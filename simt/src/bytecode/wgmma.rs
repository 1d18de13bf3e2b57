//! Matrix products of warpgroups.
use super::{Address, Operand};
use warpwise_compiler::ir::WgmmaOp;

/// A product of a warpgroup.
#[derive(Clone, Debug)]
pub(crate) struct WarpgroupProduct {
    pub(crate) op: WgmmaOp,
    pub(crate) columns: u64,
    /// The array of the sums.
    pub(crate) sums: Address<Operand>,
    /// The factor `a`.
    pub(crate) a: LeftFactor,
    /// The first tile of `b`.
    pub(crate) b: Tile,
}

/// The left factor of a product.
#[derive(Clone, Debug)]
pub(crate) enum LeftFactor {
    /// In shared memory.
    Tile(Tile),
    /// The words of each lane.
    Words(Box<[Operand]>),
}

/// Tiles in shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile {
    pub(crate) at: Address<Operand>,
    /// The access that reads all of it, if that is checked.
    pub(crate) site: Option<u32>,
}
