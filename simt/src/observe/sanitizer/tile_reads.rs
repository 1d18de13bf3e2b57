//! Reads of tiles in shared memory by products of warpgroups.
//!
//! A product may read its tiles at any time until it is waited for. The sanitizer therefore records
//! each read twice, by one lane of each warp: where the product begins and where it is waited for.
//! A write that nothing orders with one of these is a race.
use std::collections::{HashMap, VecDeque};

/// A read of a tile: its site and its address.
pub(crate) type TileRead = (u32, u64);

/// The reads of the products that nothing has waited for: for each warp, those of each product,
/// oldest first.
#[derive(Debug, Default)]
pub(crate) struct TileReads {
    warps: HashMap<usize, VecDeque<Vec<TileRead>>>,
}

impl TileReads {
    /// Forgets all products, at the start of a block.
    pub(crate) fn reset(&mut self) {
        self.warps.clear();
    }

    /// Adds a product of a warp.
    pub(crate) fn insert(&mut self, warp: usize, reads: Vec<TileRead>) {
        self.warps.entry(warp).or_default().push_back(reads);
    }

    /// Removes the products of a warp but the last `pending`, and returns their reads.
    pub(crate) fn take(&mut self, warp: usize, pending: usize) -> Vec<TileRead> {
        let Some(products) = self.warps.get_mut(&warp) else { return Vec::new() };
        let done = products.len().saturating_sub(pending);
        products.drain(..done).flatten().collect()
    }
}
