//! Tiles of factors in shared memory, swizzled as `warpwise_compiler::ir::wgmma` defines.
use crate::{U32x4, device};

/// A tile of `ROWS` rows of 128 bytes in shared memory, with the 128-byte swizzle.
///
/// A row has 64 halves, 128 elements of 8 bits, or 32 of 32 bits. `ROWS` is a multiple of 8.
#[device]
#[derive(Clone, Copy, Debug)]
#[repr(C, align(1024))]
pub struct Tile<const ROWS: usize> {
    /// The chunks of 16 bytes: chunk `c` of row `r` is `rows[r][c ^ r % 8]`.
    pub rows: [[U32x4; 8]; ROWS],
}

#[device]
impl<const ROWS: usize> Tile<ROWS> {
    /// Returns the 16 bytes from byte `16 * chunk` of a row on.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma::Tile};
    ///
    /// /// Reverses 8 rows of 64 halves, in chunks of 8.
    /// #[kernel(block = 64)]
    /// fn reverse(x: &mut [U32x4]) {
    ///     let tile = shared!(Tile<8>);
    ///     let t = thread_idx_x();
    ///     if t < x.len() {
    ///         tile.set(t / 8, t % 8, x[t]);
    ///     }
    ///     sync_threads();
    ///     if t < x.len() {
    ///         x[t] = tile.get(7 - t / 8, 7 - t % 8);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut x = device.upload(&std::array::from_fn::<_, 64, _>(|i| U32x4::splat(i as u32)))?;
    /// reverse::launch(&device, LaunchConfig::grid(1), &mut x)?;
    /// assert_eq!(x.to_vec()?[1], U32x4::splat(62));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn get(&self, row: usize, chunk: usize) -> U32x4 {
        self.rows[row][chunk ^ (row % 8)]
    }

    /// Sets the 16 bytes from byte `16 * chunk` of a row on.
    ///
    /// ```
    /// use warpwise::{U32x4, prelude::*, wgmma::Tile};
    ///
    /// /// Chunks in their places: the first one of row 3 is the fourth in memory.
    /// #[allow(gpu_bank_conflicts)]
    /// #[kernel(block = 64)]
    /// fn swizzle(y: &mut [u32]) {
    ///     let tile = shared!(Tile<8>);
    ///     let t = thread_idx_x();
    ///     tile.set(t / 8, t % 8, U32x4::splat(t as u32 % 8));
    ///     sync_threads();
    ///     if t < y.len() {
    ///         y[t] = tile.rows[t / 8][t % 8].x;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut y = device.zeros::<u32>(64)?;
    /// swizzle::launch(&device, LaunchConfig::grid(1), &mut y)?;
    /// assert_eq!(y.to_vec()?[24..32], [3, 2, 1, 0, 7, 6, 5, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn set(&mut self, row: usize, chunk: usize, bytes: U32x4) {
        self.rows[row][chunk ^ (row % 8)] = bytes;
    }
}
