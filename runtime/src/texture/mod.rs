//! Textures: images that kernels sample at fractional coordinates, filtered by hardware.
//!
//! ```
//! use warpwise::{Sampler, Texture2, prelude::*};
//!
//! /// Scales an image to `width` columns, with bilinear interpolation.
//! #[kernel]
//! fn resize(image: Texture2<f32>, width: usize, height: usize, y: &mut [f32]) {
//!     let (column, row) = (global_idx_x(), global_idx_y());
//!     if column < width && row < height {
//!         let u = (column as f32 + 0.5) / width as f32;
//!         let v = (row as f32 + 0.5) / height as f32;
//!         y[row * width + column] = image.sample(u, v);
//!     }
//! }
//!
//! # fn main() -> warpwise::Result<()> {
//! let device = Device::auto()?;
//! let sampler = Sampler::LINEAR.normalized();
//! let image = device.texture_2d(&[0.0f32, 4.0, 8.0, 12.0], (2, 2), sampler)?;
//! let mut y = device.zeros::<f32>(16)?;
//! resize::launch(&device, LaunchConfig::cover((4, 4)), &image, 4, 4, &mut y)?;
//! assert_eq!(y.to_vec()?[..4], [0.0, 1.0, 3.0, 4.0]);
//! # Ok(())
//! # }
//! ```
//!
//! A kernel takes a [`Texture1<T>`](Texture1), [`Texture2<T>`](Texture2) or
//! [`Texture3<T>`](Texture3) by value, and its launch a reference to a
//! [`TextureObject<T, 1>`](TextureObject), `<T, 2>` or `<T, 3>`, which
//! [`Device::texture_1d`](crate::Device::texture_1d) and similar functions make. Textures are
//! read-only. [`LayeredTexture1`] and [`LayeredTexture2`] are arrays of textures, of which a read
//! names one. A texture of two dimensions may have [levels](crate::Device::mipmapped_texture_2d),
//! smaller versions of its image.
//!
//! **Texels** are `f32`, `f16`, and integers of 8, 16 and 32 bits, and vectors of two and four of
//! them, such as [`F32x4`](crate::F32x4) and [`U8x4`](crate::U8x4). `f16`s are read as `f32`s, and
//! integers as themselves; [`Normalized<U8x4>`](Normalized) reads them as floats from 0 to 1, or -1
//! to 1 if they are signed.
//!
//! **Coordinates** are `f32`s, x first. Texel `i` of `n` covers those from `i` to `i + 1`, and its
//! center is `i + 0.5`; if they are [normalized](Sampler::normalized), those from `i / n` to
//! `(i + 1) / n`.
//!
//! **Filters.** [`Sampler::POINT`] reads the texel that covers the coordinates. [`Sampler::LINEAR`]
//! reads the 2, 4 or 8 texels whose centers are around them, and weights them by distance. Hardware
//! has weights of 8 bits after the point, and so has the interpreter: the weight of a texel is a
//! multiple of 1/256 along each dimension. Only floats can be filtered.
//!
//! **Levels.** [`Texture2::sample_level`] reads at a level of detail, and
//! [`Texture2::sample_gradient`] at that of an image which is scaled down. Between two levels, the
//! nearest one is read, or by [`mipmap_filter`](Sampler::mipmap_filter) the weighted mean of both.
//!
//! **Outside** of the texture, the [`AddressMode`] decides along each dimension.
//!
//! **Same bits.** The interpreter follows the CUDA programming guide ("Texture Fetching"), which
//! leaves the precision of a GPU's sums and coordinates open. Reads with a point filter and
//! coordinates that are not normalized are the same everywhere, as are linear reads whose sums are
//! exact. The last bits of other results may differ, and so may the texel or the weight for
//! coordinates that are within rounding of a border between two. Reads at levels of detail have not
//! been compared with a GPU.
mod object;
mod texels;
mod views;
#[doc(hidden)]
pub mod words;

pub use object::{Sampler, TextureElement, TextureObject};
pub use texels::{Normalized, Texel, TexelWord};
pub use views::{LayeredTexture1, LayeredTexture2, Texture1, Texture2, Texture3};
pub use warpwise_compiler::texture::{AddressMode, Filter};
