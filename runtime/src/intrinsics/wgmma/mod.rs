//! Products of matrices by warpgroups: `wgmma`, the asynchronous tensor cores of Hopper.
//!
//! The 128 threads of a warpgroup, four warps, multiply a tile with 64 rows by one with up to 256
//! columns, and add the product to sums in registers. They read the tiles from shared memory while
//! the threads do something else.
//!
//! | factors | sums | elements of a row of a tile | orders | columns |
//! |---|---|---|---|---|
//! | `f16`, `bf16` | `f32` | 64 | K-major, MN-major | 8, 16, 24 and so on up to 256 |
//! | [`Tf32`](crate::mma::Tf32) | `f32` | 32 | K-major | 8, 16, 24 and so on up to 256 |
//! | [`E4M3`](crate::mma::E4M3), [`E5M2`](crate::mma::E5M2) | `f32` | 128 | K-major | 8, 16, 24 and so on up to 256 |
//! | `i8`, `u8` | `i32` | 128 | K-major | 8, 16, 24, 32, 48, 64 and so on up to 256 |
//!
//! ```
//! use warpwise::{U32x4, prelude::*, wgmma};
//!
//! /// `c = a * b` for 64 rows of `a`, and 64 columns of `b`, which is stored column by column.
//! #[kernel(block = 128)]
//! fn multiply(a: &[[U32x4; 8]; 64], b: &[[U32x4; 8]; 64], c: &mut [f32]) {
//!     let left = shared!(wgmma::Tile<64>);
//!     let right = shared!(wgmma::Tile<64>);
//!     for i in (thread_idx_x()..512).step_by(128) {
//!         left.set(i / 8, i % 8, a[i / 8][i % 8]);
//!         right.set(i / 8, i % 8, b[i / 8][i % 8]);
//!     }
//!     fence_proxy_async();
//!     sync_threads();
//!     let mut products = wgmma::Products::<bf16, 64>::zero();
//!     products.multiply_add(left, right);
//!     products.finish().store(c, 0, 64);
//! }
//!
//! # fn main() -> warpwise::Result<()> {
//! let device = Device::cpu();
//! let tile = |factor: usize| -> Vec<bf16> {
//!     (0..64 * 64).map(|i| bf16::from_f32((i * factor % 7) as f32)).collect()
//! };
//! let (a, b) = (tile(3), tile(5));
//! let exact = |row: usize, column: usize| -> f32 {
//!     (0..64).map(|k| a[row * 64 + k].to_f32() * b[column * 64 + k].to_f32()).sum()
//! };
//! # let pack = |tile: &[bf16]| -> [[U32x4; 8]; 64] {
//! #     std::array::from_fn(|row| {
//! #         std::array::from_fn(|chunk| {
//! #             let word = |i: usize| {
//! #                 let half = |e: usize| u32::from(tile[row * 64 + chunk * 8 + 2 * i + e].to_bits());
//! #                 half(0) | half(1) << 16
//! #             };
//! #             U32x4::new(word(0), word(1), word(2), word(3))
//! #         })
//! #     })
//! # };
//! // `pack` makes chunks of 8 halves, 16 bytes.
//! let (a_packed, b_packed) = (device.upload(&[pack(&a)])?, device.upload(&[pack(&b)])?);
//! let mut c = device.zeros::<f32>(64 * 64)?;
//! multiply::launch(&device, LaunchConfig::grid(1), &a_packed, &b_packed, &mut c)?;
//! assert_eq!(c.to_vec()?[7 * 64 + 11], exact(7, 11));
//! # Ok(())
//! # }
//! ```
//!
//! # Tiles
//!
//! A [`Tile`] has rows of 128 bytes, of elements of any type, and begins at a multiple of 1024
//! bytes. Its chunks of 16 bytes are swizzled, so that neither products nor copies have bank
//! conflicts: chunk `c` of row `r` is `rows[r][c ^ r % 8]`, which is the 128-byte swizzle of tensor
//! maps. [`Tile::set`] and [`Tile::get`] swizzle.
//!
//! - In the order *K-major*, a row of the tile is a row of `a`, or a column of `b`: the elements
//!   that are added up are neighbours. `a` is a `Tile<64>`, and a `b` with `N` columns a `Tile<N>`.
//! - In the order *MN-major*, which only halves have, row `k` of the tile is column `k` of `a`, or
//!   64 elements of row `k` of `b`. `a` is a `Tile<64>`, and `b` an array of `Tile<64>`, one for
//!   each 64 columns.
//!
//! # Order
//!
//! [`Products`] are in progress and cannot be read; [`Products::finish`] waits for them and returns
//! the [`Sum`]. Until a product has been waited for, its tiles must not be written.
//!
//! A product reads shared memory by the asynchronous proxy. Between stores to a tile and its
//! product stands [`fence_proxy_async`](crate::fence_proxy_async), in the storing threads, and then
//! a barrier, unless the warpgroup has only itself to wait for. Tiles that bulk copies write need
//! no fence.
//!
//! # Threads
//!
//! All 128 threads of a warpgroup reach the functions of [`Products`] together: blocks are
//! multiples of 128 threads, and no branch around the call diverges within a warpgroup. On the
//! interpreter the other warps wait for the missing ones, which is reported as a deadlock.
//!
//! A launch on a GPU of another compute capability than 9.0 is an error. On the host products
//! panic: see [`host`](crate::host).
mod element;
#[doc(hidden)]
pub mod examples;
mod products;
mod tile;
#[doc(hidden)]
pub mod words;

pub use element::{FactorElement, HalfElement};
pub use products::{Products, Sum};
pub use tile::Tile;
