//! Cost formulas of textures, whose texels are in memory in small tiles.
//!
//! A request of a warp transfers each *sector* of 32 bytes with texels that its active lanes read. In
//! an array of two or three dimensions, a sector is 16 bytes wide and two rows high, so that
//! neighbours along both axes are near each other; in one dimension it is 32 bytes of the row.
//!
//! ```text
//! 32 texels of 4 bytes in a row        8 sectors
//! 32 texels of 4 bytes in a column     16 sectors
//! a tile of 8 by 4 such texels         4 sectors
//! ```
//! This is the block-linear layout of NVIDIA's open documentation; `tests/hardware` has no
//! measurements of it yet.

/// Bytes of a sector.
pub const SECTOR_BYTES: u64 = 32;
/// Bytes of a row of a sector with two rows.
const TILE_WIDTH_BYTES: u64 = 16;
/// Rows of such a sector.
const TILE_ROWS: u64 = 2;

/// The cost of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sectors {
    /// The number of sectors.
    pub taken: u32,
    /// The number of sectors that have room for the texels.
    pub ideal: u32,
}

/// Returns the cost of a request for these texels, each by its index along x, y and z, of `bytes`
/// bytes (1 to 16) in an array of so many dimensions. Sorts the texels.
pub fn count_sectors(bytes: u32, dims: usize, texels: &mut Vec<[u32; 3]>) -> Sectors {
    texels.sort_unstable();
    texels.dedup();
    let ideal = (texels.len() as u64 * u64::from(bytes)).div_ceil(SECTOR_BYTES);
    let sector = |[x, y, z]: &[u32; 3]| {
        let (x, y) = (u64::from(*x) * u64::from(bytes), u64::from(*y));
        match dims {
            1 => (x / SECTOR_BYTES, 0, 0),
            _ => (x / TILE_WIDTH_BYTES, y / TILE_ROWS, *z),
        }
    };
    let mut sectors: Vec<_> = texels.iter().map(sector).collect();
    sectors.sort_unstable();
    sectors.dedup();
    Sectors { taken: sectors.len() as u32, ideal: ideal as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(bytes: u32, dims: usize, texel: impl Fn(u32) -> [u32; 3]) -> (u32, u32) {
        let mut texels: Vec<_> = (0..32).map(texel).collect();
        let Sectors { taken, ideal } = count_sectors(bytes, dims, &mut texels);
        (taken, ideal)
    }

    #[test]
    fn rows_columns_and_tiles() {
        assert_eq!(taken(4, 2, |lane| [lane, 5, 0]), (8, 4));
        assert_eq!(taken(4, 2, |lane| [5, lane, 0]), (16, 4));
        assert_eq!(taken(4, 2, |lane| [lane % 8, lane / 8, 0]), (4, 4));
        assert_eq!(taken(1, 2, |lane| [lane, 5, 0]), (2, 1));
        assert_eq!(taken(16, 2, |lane| [5, lane, 0]), (16, 16));
        assert_eq!(taken(4, 3, |lane| [5, 5, lane]), (32, 4));
        assert_eq!(taken(4, 1, |lane| [lane, 0, 0]), (4, 4));
    }

    #[test]
    fn lanes_with_one_texel_share_it() {
        assert_eq!(taken(4, 2, |_| [7, 7, 0]), (1, 1));
        assert_eq!(count_sectors(4, 2, &mut Vec::new()), Sectors::default());
    }
}
