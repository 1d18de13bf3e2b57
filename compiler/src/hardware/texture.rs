//! Cost formulas of textures, whose texels are in memory in small tiles.
//!
//! Each four neighbouring lanes of a warp with an active one are a *request*. It transfers each
//! *sector* of 32 bytes with texels that its active lanes read; a sector is 16 bytes wide and two
//! rows high, so that neighbours along both axes are near each other. A linear filter in three
//! dimensions takes the sectors of two lanes at a time.
//!
//! ```text
//! 32 texels of 4 bytes in a row        8 requests, 8 sectors
//! 32 texels of 4 bytes in a column     8 requests, 16 sectors
//! a tile of 8 by 4 such texels         8 requests, 8 sectors
//! a tile of 2 by 16 such texels        8 requests, 8 sectors
//! ```
//! `tests/hardware` has 648 launches of an H200. The formula differs from one of them, which
//! filters random texels of a small volume: 31 sectors instead of 28.
use super::{LANES, global::SECTOR_BYTES};
use crate::{
    ir::TextureOp,
    texture::{Descriptor, Filter, ReadOperands},
};
use std::iter::Sum;

/// Bytes of a row of a sector.
const SECTOR_WIDTH: u64 = 16;
/// Rows of a sector.
const SECTOR_ROWS: u64 = 2;
/// Lanes of a request.
const REQUEST_LANES: usize = 4;

/// The cost of the reads of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cost {
    /// The number of requests.
    pub requests: u32,
    /// The number of sectors that they take.
    pub sectors: u32,
    /// The number of sectors that have room for the texels of each request.
    pub ideal: u32,
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), |all, cost| Self {
            requests: all.requests + cost.requests,
            sectors: all.sectors + cost.sectors,
            ideal: all.ideal + cost.ideal,
        })
    }
}

/// Returns the cost of the reads of a warp, each by the operands of an active lane.
pub fn count_sectors(
    descriptor: &Descriptor,
    op: TextureOp,
    lanes: &[Option<ReadOperands>; LANES],
) -> Cost {
    let is_halved = op.shape.dims() == 3 && descriptor.filter == Filter::Linear;
    let lanes_at_once = if is_halved { REQUEST_LANES / 2 } else { REQUEST_LANES };
    let mut texels = Vec::new();
    lanes
        .chunks(REQUEST_LANES)
        .filter(|lanes| lanes.iter().any(Option::is_some))
        .map(|request| {
            let mut cost = Cost { requests: 1, ..Cost::default() };
            for lanes in request.chunks(lanes_at_once) {
                texels.clear();
                let operands = lanes.iter().flatten();
                operands.for_each(|lane| descriptor.list_texels(op, lane, &mut texels));
                add_sectors(&mut cost, descriptor.texel_bytes() as u64, &mut texels);
            }
            cost
        })
        .sum()
}

/// Adds the sectors with these texels, each by its index along x, y and z.
fn add_sectors(cost: &mut Cost, bytes: u64, texels: &mut Vec<[u32; 3]>) {
    texels.sort_unstable();
    texels.dedup();
    cost.ideal += (texels.len() as u64 * bytes).div_ceil(SECTOR_BYTES) as u32;
    let sector = |[x, y, z]: &[u32; 3]| {
        (u64::from(*x) * bytes / SECTOR_WIDTH, u64::from(*y) / SECTOR_ROWS, *z)
    };
    let mut sectors: Vec<_> = texels.iter().map(sector).collect();
    sectors.sort_unstable();
    sectors.dedup();
    cost.sectors += sectors.len() as u32;
}
