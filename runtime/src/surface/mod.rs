//! Surfaces: images whose texels kernels read and write.
//!
//! ```
//! use warpwise::{Sampler, Surface2Mut, Texture2, prelude::*};
//!
//! /// Writes a gradient from left to right.
//! #[kernel]
//! fn fill(mut image: Surface2Mut<f32>) {
//!     let (x, y) = (global_idx_x(), global_idx_y());
//!     if x < image.width() && y < image.height() {
//!         image.write(x, y, x as f32);
//!     }
//! }
//!
//! /// Samples the middle of each pair of neighbouring texels.
//! #[kernel]
//! fn between(image: Texture2<f32>, y: &mut [f32]) {
//!     let i = global_idx_x();
//!     if i < y.len() {
//!         y[i] = image.sample(i as f32 + 1.0, 0.5);
//!     }
//! }
//!
//! # fn main() -> warpwise::Result<()> {
//! let device = Device::auto()?;
//! let mut image = device.surface_2d(&[0.0f32; 8], (2, 4), Sampler::LINEAR)?;
//! fill::launch(&device, LaunchConfig::cover((4, 2)), &mut image)?;
//! assert_eq!(image.to_vec()?, [0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0]);
//! let mut y = device.zeros::<f32>(3)?;
//! between::launch(&device, LaunchConfig::cover(3), image.as_texture(), &mut y)?;
//! assert_eq!(y.to_vec()?, [0.5, 1.5, 2.5]);
//! # Ok(())
//! # }
//! ```
//!
//! A kernel takes a [`Surface2<T>`](Surface2) by value to read texels, and a
//! [`Surface2Mut<T>`](Surface2Mut) to write them, too. Its launch takes `&` or `&mut`
//! [`SurfaceObject<T, 2>`](SurfaceObject), which [`Device::surface_2d`](crate::Device::surface_2d)
//! makes. There are surfaces of one and three dimensions, and arrays of surfaces, as there are
//! [textures](crate::texture).
//!
//! **Texels** are those of textures. Nothing converts them: a surface of `f16` or of
//! [`Normalized<U8x4>`](crate::Normalized) reads and writes exactly these.
//!
//! **Coordinates** are `usize`s, x first. Outside of the surface they end the thread, as an index
//! does outside of a slice.
//!
//! **Textures.** [`SurfaceObject::as_texture`] is the same memory as a texture, which launches
//! sample. No launch takes both it and the surface to write, since it borrows the surface.
//!
//! **Races.** Threads that write a texel that others read or write are a data race, as with slices.
mod object;
mod views;

pub use object::SurfaceObject;
pub use views::{
    LayeredSurface1, LayeredSurface1Mut, LayeredSurface2, LayeredSurface2Mut, Surface1,
    Surface1Mut, Surface2, Surface2Mut, Surface3, Surface3Mut,
};
