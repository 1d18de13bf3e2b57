//! Launch sizes: [`LaunchConfig`].
//!
//! A config is either a minimum number of threads ([`LaunchConfig::cover`]) or a number of blocks
//! ([`LaunchConfig::grid`]), along one to three axes. With the kernel's declared block, or else the
//! default one, [`LaunchConfig::geometry`] converts it to the blocks and threads of the hardware,
//! and refuses sizes that no GPU runs, with the same limits on every device.
use crate::{Axis, error::LaunchMistake, properties::Limits};
use warpwise_compiler::{fault::Pieces, hardware::occupancy::WARP_THREADS};

/// Most threads in a block.
const MAX_BLOCK_THREADS: u64 = 1024;
/// Most threads of a block along x, y and z.
const MAX_BLOCK: [u64; 3] = [1024, 1024, 64];
/// Most blocks of a grid along x, y and z.
const MAX_GRID: [u64; 3] = [(1 << 31) - 1, 65_535, 65_535];
/// Most threads of a grid along an axis, unless the kernel has `wide_index`.
const MAX_INDEX: u64 = 1 << 31;

/// Returns the limits of launches, for a device that has no limits of its own.
pub(crate) fn limits() -> Limits {
    Limits {
        warp_size: WARP_THREADS,
        threads_per_block: MAX_BLOCK_THREADS as u32,
        block: narrow(MAX_BLOCK),
        grid: narrow(MAX_GRID),
        threads_per_multiprocessor: None,
        blocks_per_multiprocessor: None,
        registers_per_block: None,
        registers_per_multiprocessor: None,
    }
}

/// The number of blocks of a launch, and of threads in each.
///
/// ```
/// use warpwise::LaunchConfig;
/// LaunchConfig::cover(1000); // 1000 threads or a few more, in blocks of 256
/// LaunchConfig::cover((640, 480)).block((32, 8)); // an image, in blocks of 32 by 8
/// LaunchConfig::grid(64).block(128); // 64 blocks of 128 threads
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct LaunchConfig {
    extent: Extent,
    block: Option<Dims>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Extent {
    Threads(Dims),
    Blocks(Dims),
}

impl LaunchConfig {
    /// Launches at least this many threads along each axis, in as many blocks as it takes. Threads
    /// past the end run too, which is why kernels compare their index with a length.
    ///
    /// `cover(0)` runs nothing, and that is no error.
    ///
    /// ```
    /// use warpwise::LaunchConfig;
    ///
    /// LaunchConfig::cover(1000); // 4 blocks of 256 threads
    /// LaunchConfig::cover((1920, 1080)).block((32, 8)); // 60 by 135 blocks
    /// ```
    pub fn cover(threads: impl IntoDims) -> Self {
        Self { extent: Extent::Threads(threads.into_dims()), block: None }
    }

    /// Launches this many blocks along each axis. `grid(0)` runs nothing, and that is no error.
    ///
    /// ```
    /// use warpwise::LaunchConfig;
    ///
    /// LaunchConfig::grid((60, 135)); // blocks of the kernel, or 16 by 16 threads
    /// ```
    pub fn grid(blocks: impl IntoDims) -> Self {
        Self { extent: Extent::Blocks(blocks.into_dims()), block: None }
    }

    /// Sets the number of threads in a block along each axis. The default is the kernel's
    /// `#[kernel(block = ..)]`, or else 256, 16 by 16 or 8 by 8 by 4, as many axes as the config
    /// has. Other numbers than the kernel declares are an error of the launch.
    ///
    /// ```
    /// use warpwise::LaunchConfig;
    ///
    /// LaunchConfig::cover(1000).block(128); // 8 blocks of 128 threads
    /// ```
    pub fn block(self, threads: impl IntoDims) -> Self {
        Self { block: Some(threads.into_dims()), ..self }
    }

    /// Returns the number of blocks along x, y and z, `gridDim` of CUDA. If the config has no
    /// [`block`](Self::block), this assumes the default one, which a kernel with
    /// `#[kernel(block = ..)]` replaces by its own.
    ///
    /// ```
    /// use warpwise::LaunchConfig;
    ///
    /// assert_eq!(LaunchConfig::cover((1920, 1080)).block((32, 8)).grid_dims(), [60, 135, 1]);
    /// ```
    pub fn grid_dims(&self) -> [usize; 3] {
        let block = self.assumed_block();
        match self.extent {
            // No number of threads needs 0 threads in a block, which the launch refuses.
            Extent::Threads(threads) => std::array::from_fn(|axis| {
                widen(threads.extents[axis]).div_ceil(block[axis].max(1))
            }),
            Extent::Blocks(blocks) => blocks.extents.map(widen),
        }
    }

    /// Returns the number of threads in a block along x, y and z, `blockDim` of CUDA, with the same
    /// assumption as [`grid_dims`](Self::grid_dims).
    ///
    /// ```
    /// use warpwise::LaunchConfig;
    ///
    /// assert_eq!(LaunchConfig::grid(64).block((32, 8)).block_dims(), [32, 8, 1]);
    /// assert_eq!(LaunchConfig::cover(1000).block_dims(), [256, 1, 1]);
    /// ```
    pub fn block_dims(&self) -> [usize; 3] {
        self.assumed_block()
    }

    /// Returns the number of blocks, for example for a buffer with one partial sum of each. The
    /// assumption is that of [`grid_dims`](Self::grid_dims).
    ///
    /// ```
    /// use warpwise::LaunchConfig;
    ///
    /// assert_eq!(LaunchConfig::cover(1000).blocks(), 4);
    /// assert_eq!(LaunchConfig::grid((60, 135)).blocks(), 8100);
    /// ```
    pub fn blocks(&self) -> usize {
        product(self.grid_dims())
    }

    /// Returns the number of threads in a block, with the same assumption.
    ///
    /// ```
    /// use warpwise::LaunchConfig;
    ///
    /// assert_eq!(LaunchConfig::cover(1000).threads_per_block(), 256);
    /// assert_eq!(LaunchConfig::grid(64).block((32, 8)).threads_per_block(), 256);
    /// ```
    pub fn threads_per_block(&self) -> usize {
        product(self.block_dims())
    }

    /// Returns the number of threads of all blocks, with the same assumption: at least as many as
    /// [`cover`](Self::cover) asks for.
    ///
    /// ```
    /// use warpwise::LaunchConfig;
    ///
    /// assert_eq!(LaunchConfig::cover(1000).threads(), 1024);
    /// assert_eq!(LaunchConfig::grid(64).block(128).threads(), 8192);
    /// ```
    pub fn threads(&self) -> usize {
        self.blocks().saturating_mul(self.threads_per_block())
    }

    /// Returns the block of a kernel that declares none.
    fn assumed_block(&self) -> [usize; 3] {
        self.block.map_or_else(|| self.default_block(), |block| block.extents).map(widen)
    }

    /// Returns the geometry for the hardware, given the kernel's declared block.
    pub(crate) fn geometry(
        &self,
        declared: Option<[u64; 3]>,
        wide_index: bool,
    ) -> Result<Geometry, LaunchMistake> {
        self.geometry_in_clusters(declared, None, wide_index)
    }

    /// Returns the geometry for the hardware, given the kernel's declared block and cluster.
    pub(crate) fn geometry_in_clusters(
        &self,
        declared: Option<[u64; 3]>,
        cluster: Option<[u32; 3]>,
        wide_index: bool,
    ) -> Result<Geometry, LaunchMistake> {
        let block = self.checked_block(declared)?;
        let cluster = cluster.map(|dims| dims.map(u64::from));
        let mut grid = [0; 3];
        for (axis, blocks) in Axis::ALL.into_iter().zip(&mut grid) {
            let i = axis as usize;
            let whole = cluster.map_or(1, |dims| dims[i]);
            *blocks = match self.extent {
                Extent::Threads(threads) => {
                    let blocks = threads.extents[i].div_ceil(block[i]);
                    blocks.checked_next_multiple_of(whole).unwrap_or(blocks)
                }
                Extent::Blocks(blocks) => blocks.extents[i],
            };
            let (blocks, limit) = (*blocks, MAX_GRID[i]);
            if blocks > limit {
                return Err(LaunchMistake::GridTooLong { axis, blocks, limit });
            }
            let (threads, limit) = (blocks * block[i], MAX_INDEX);
            if threads > limit && !wide_index {
                return Err(LaunchMistake::IndexTooWide { axis, threads, limit });
            }
        }
        if let Some(cluster) = cluster
            && !grid.contains(&0)
            && (0..3).any(|i| !grid[i].is_multiple_of(cluster[i]))
        {
            return Err(LaunchMistake::SplitCluster { grid, cluster });
        }
        // The limits of the axes keep both products below 2^64.
        let (blocks, threads): (u64, u64) = (grid.iter().product(), block.iter().product());
        let limit = Pieces::of_kernels(wide_index).max_threads();
        if blocks.checked_mul(threads).is_none_or(|threads| threads > limit) {
            let threads = u128::from(blocks) * u128::from(threads);
            return Err(LaunchMistake::TooManyThreads { threads, limit });
        }
        Ok(Geometry { grid: narrow(grid), block: narrow(block) })
    }

    fn checked_block(&self, declared: Option<[u64; 3]>) -> Result<[u64; 3], LaunchMistake> {
        let asked = self.block.map(|block| block.extents);
        let block = match (declared, asked) {
            (Some(declared), Some(asked)) if declared != asked => {
                return Err(LaunchMistake::BlockMismatch { declared, asked });
            }
            (Some(block), _) | (None, Some(block)) => block,
            (None, None) => self.default_block(),
        };
        if block.contains(&0) {
            return Err(LaunchMistake::EmptyBlock { block });
        }
        for axis in Axis::ALL {
            let (found, limit) = (block[axis as usize], MAX_BLOCK[axis as usize]);
            if found > limit {
                return Err(LaunchMistake::BlockTooLong { block, axis, found, limit });
            }
        }
        let threads = block.iter().product();
        if threads > MAX_BLOCK_THREADS {
            let limit = MAX_BLOCK_THREADS;
            return Err(LaunchMistake::BlockTooLarge { block, threads, limit });
        }
        Ok(block)
    }

    fn default_block(&self) -> [u64; 3] {
        let (Extent::Threads(dims) | Extent::Blocks(dims)) = self.extent;
        match dims.rank {
            Rank::One => [256, 1, 1],
            Rank::Two => [16, 16, 1],
            Rank::Three => [8, 8, 4],
        }
    }
}

/// Converts numbers that checks have shown to fit.
fn narrow(dims: [u64; 3]) -> [u32; 3] {
    dims.map(|dim| u32::try_from(dim).expect("the limits checked are below 2^32"))
}

/// Converts a number that was a `usize`, or is small.
fn widen(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn product(dims: [usize; 3]) -> usize {
    dims.into_iter().fold(1, usize::saturating_mul)
}

/// Numbers along one, two or three axes, x first: made from `n`, `(w, h)` or `(w, h, d)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dims {
    extents: [u64; 3],
    rank: Rank,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Rank {
    One,
    Two,
    Three,
}

/// Numbers along one, two or three axes, for [`LaunchConfig`]: `n`, `(w, h)`, `(w, h, d)`, all of
/// them `usize`, or [`Dims`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of threads or blocks",
    label = "not `usize`",
    note = "write `n as usize`, or a tuple of two or three `usize` for more axes: `(width, height)`"
)]
pub trait IntoDims {
    /// Converts it to dimensions.
    ///
    /// ```
    /// use warpwise::{IntoDims, LaunchConfig};
    ///
    /// /// Returns the launch for a block of any number of axes, of which there is one each time.
    /// fn one_block(threads: impl IntoDims) -> LaunchConfig {
    ///     LaunchConfig::grid(1).block(threads.into_dims())
    /// }
    /// assert_eq!(one_block(64), LaunchConfig::grid(1).block(64));
    /// assert_eq!(one_block((8, 4)), LaunchConfig::grid(1).block((8, 4)));
    /// ```
    fn into_dims(self) -> Dims;
}

impl IntoDims for Dims {
    fn into_dims(self) -> Dims {
        self
    }
}
impl IntoDims for usize {
    fn into_dims(self) -> Dims {
        self.into()
    }
}
impl IntoDims for (usize, usize) {
    fn into_dims(self) -> Dims {
        self.into()
    }
}
impl IntoDims for (usize, usize, usize) {
    fn into_dims(self) -> Dims {
        self.into()
    }
}

impl From<usize> for Dims {
    fn from(x: usize) -> Self {
        Self { extents: [x as u64, 1, 1], rank: Rank::One }
    }
}
impl From<(usize, usize)> for Dims {
    fn from((x, y): (usize, usize)) -> Self {
        Self { extents: [x as u64, y as u64, 1], rank: Rank::Two }
    }
}
impl From<(usize, usize, usize)> for Dims {
    fn from((x, y, z): (usize, usize, usize)) -> Self {
        Self { extents: [x as u64, y as u64, z as u64], rank: Rank::Three }
    }
}

/// Checked numbers of blocks and of threads in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
}

impl Geometry {
    pub(crate) fn blocks(&self) -> u64 {
        self.grid.iter().map(|&blocks| u64::from(blocks)).product()
    }

    /// Returns the number of threads in a block.
    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Returns true if there is nothing to run.
    pub(crate) fn is_empty(&self) -> bool {
        self.grid.contains(&0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(config: LaunchConfig) -> Result<Geometry, LaunchMistake> {
        config.geometry(None, false)
    }

    #[test]
    fn configs_tell_the_geometry_of_their_launch() {
        for config in [
            LaunchConfig::cover(1000),
            LaunchConfig::cover((33, 16)),
            LaunchConfig::cover((8, 9, 5)).block((4, 2, 2)),
            LaunchConfig::grid((3, 5)).block(96),
            LaunchConfig::grid((3, 5, 2)),
            LaunchConfig::cover(0),
        ] {
            let found = geometry(config).unwrap();
            assert_eq!(config.grid_dims(), found.grid.map(|blocks| blocks as usize));
            assert_eq!(config.block_dims(), found.block.map(|threads| threads as usize));
            assert_eq!(config.blocks() as u64, found.blocks());
            assert_eq!(config.threads_per_block(), found.threads() as usize);
            assert_eq!(config.threads() as u64, found.blocks() * u64::from(found.threads()));
        }
        assert_eq!(LaunchConfig::cover(10).block(0).threads(), 0);
        assert_eq!(LaunchConfig::grid((usize::MAX, 2)).threads(), usize::MAX);
    }

    #[test]
    fn covers_with_default_blocks() {
        let shape_of = |config| geometry(config).map(|g| (g.grid, g.block)).unwrap();
        assert_eq!(shape_of(LaunchConfig::cover(1000)), ([4, 1, 1], [256, 1, 1]));
        assert_eq!(shape_of(LaunchConfig::cover(1024)), ([4, 1, 1], [256, 1, 1]));
        assert_eq!(shape_of(LaunchConfig::cover((33, 16))), ([3, 1, 1], [16, 16, 1]));
        assert_eq!(shape_of(LaunchConfig::cover((8, 9, 5))), ([1, 2, 2], [8, 8, 4]));
        assert_eq!(shape_of(LaunchConfig::grid((7, 2)).block(64)), ([7, 2, 1], [64, 1, 1]));
    }

    #[test]
    fn empty_grids_are_fine_and_empty_blocks_are_not() {
        assert!(geometry(LaunchConfig::cover(0)).unwrap().is_empty());
        assert!(geometry(LaunchConfig::cover((5, 0))).unwrap().is_empty());
        assert!(geometry(LaunchConfig::grid(0)).unwrap().is_empty());
        assert_eq!(
            geometry(LaunchConfig::cover(1).block((4, 0))),
            Err(LaunchMistake::EmptyBlock { block: [4, 0, 1] })
        );
    }

    #[test]
    fn the_kernels_block_wins_and_another_is_refused() {
        let declared = Some([32, 8, 1]);
        let got = LaunchConfig::cover((64, 9)).geometry(declared, false).unwrap();
        assert_eq!(got, Geometry { grid: [2, 2, 1], block: [32, 8, 1] });
        assert!(LaunchConfig::cover(1).block((32, 8)).geometry(declared, false).is_ok());
        assert_eq!(
            LaunchConfig::cover(1).block(256).geometry(declared, false),
            Err(LaunchMistake::BlockMismatch { declared: [32, 8, 1], asked: [256, 1, 1] })
        );
    }

    #[test]
    fn grids_consist_of_whole_clusters() {
        let in_clusters = |config: LaunchConfig| {
            config.geometry_in_clusters(Some([32, 1, 1]), Some([4, 2, 1]), false)
        };
        assert_eq!(in_clusters(LaunchConfig::cover((129, 3))).unwrap().grid, [8, 4, 1]);
        assert_eq!(in_clusters(LaunchConfig::grid((4, 2))).unwrap().grid, [4, 2, 1]);
        assert!(in_clusters(LaunchConfig::grid(0)).unwrap().is_empty());
        assert_eq!(
            in_clusters(LaunchConfig::grid((8, 3))),
            Err(LaunchMistake::SplitCluster { grid: [8, 3, 1], cluster: [4, 2, 1] })
        );
    }

    #[test]
    fn refuses_what_no_gpu_runs() {
        let mistake = |config| geometry(config).unwrap_err();
        assert_eq!(
            mistake(LaunchConfig::grid(1).block((32, 33))),
            LaunchMistake::BlockTooLarge { block: [32, 33, 1], threads: 1056, limit: 1024 }
        );
        assert_eq!(
            mistake(LaunchConfig::grid(1).block((1, 1, 65))),
            LaunchMistake::BlockTooLong { block: [1, 1, 65], axis: Axis::Z, found: 65, limit: 64 }
        );
        assert_eq!(
            mistake(LaunchConfig::grid((1, 65_536))),
            LaunchMistake::GridTooLong { axis: Axis::Y, blocks: 65_536, limit: 65_535 }
        );
        let huge = LaunchConfig::grid(1).block((usize::MAX, usize::MAX));
        assert!(matches!(mistake(huge), LaunchMistake::BlockTooLong { axis: Axis::X, .. }));
        let huge = LaunchConfig::cover(usize::MAX);
        assert!(matches!(mistake(huge), LaunchMistake::GridTooLong { axis: Axis::X, .. }));
    }

    #[test]
    fn wide_grids_need_wide_index() {
        assert!(geometry(LaunchConfig::cover(1 << 31)).is_ok());
        let wide = LaunchConfig::cover((1 << 31) + 1);
        assert_eq!(
            geometry(wide),
            Err(LaunchMistake::IndexTooWide {
                axis: Axis::X,
                threads: (1 << 31) + 256,
                limit: 1 << 31
            })
        );
        assert!(wide.geometry(None, true).is_ok());
    }

    #[test]
    fn every_thread_has_a_number_in_a_fault_record() {
        let grid = |z| LaunchConfig::grid((1 << 15, 1 << 10, z)).block(64);
        let too_many = |threads, limit| Err(LaunchMistake::TooManyThreads { threads, limit });
        assert!(geometry(grid(1)).is_ok());
        assert_eq!(geometry(grid(2)), too_many(1 << 32, (1 << 32) - 1));
        assert!(grid(511).geometry(None, true).is_ok());
        assert_eq!(grid(512).geometry(None, true), too_many(1 << 40, (1 << 40) - 1));
    }
}
