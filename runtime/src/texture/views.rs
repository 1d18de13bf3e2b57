//! Textures in kernels.
use super::{Texel, TexelWord};
use crate::device;

/// A texture of one dimension that a kernel reads.
///
/// A launch takes `&` [`TextureObject<T, 1>`](crate::TextureObject) for it:
///
/// ```
/// use warpwise::{Sampler, Texture1, prelude::*};
///
/// /// Looks numbers up in a table, with interpolation.
/// #[kernel]
/// fn look_up(table: Texture1<f32>, x: &[f32], y: &mut [f32]) {
///     let i = global_idx_x();
///     if i < x.len() && i < y.len() {
///         y[i] = table.sample(x[i] + 0.5);
///     }
/// }
///
/// let device = Device::cpu();
/// let table = device.texture_1d(&[0.0f32, 1.0, 4.0, 9.0], Sampler::LINEAR)?;
/// let x = device.upload(&[2.0f32, 2.5, 7.0])?;
/// let mut y = device.zeros::<f32>(3)?;
/// look_up::launch(&device, LaunchConfig::cover(3), &table, &x, &mut y)?;
/// assert_eq!(y.to_vec()?, [4.0, 6.5, 9.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Texture1<'a, T: Texel> {
    texels: &'a [T],
    width: usize,
}

#[device]
impl<T: Texel> Texture1<'_, T> {
    /// Returns the number of texels.
    ///
    /// The documentation of [`Self::sample`] has an example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the filtered texel at a coordinate: CUDA's `tex1D`.
    ///
    /// ```
    /// use warpwise::{Sampler, Texture1, prelude::*};
    ///
    /// /// Reads between the texels: the center of texel `i` is `i + 0.5`.
    /// #[kernel]
    /// fn halfway(table: Texture1<f32>, y: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     if i + 1 < table.width() && i < y.len() {
    ///         y[i] = table.sample(i as f32 + 1.0);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let table = device.texture_1d(&[0.0f32, 2.0, 8.0], Sampler::LINEAR)?;
    /// let mut y = device.zeros::<f32>(2)?;
    /// halfway::launch(&device, LaunchConfig::cover(2), &table, &mut y)?;
    /// assert_eq!(y.to_vec()?, [1.0, 5.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn sample(&self, x: f32) -> T::Value {
        T::from_words(T::Word::sample_1d(self.texels, x))
    }
}

/// A texture of two dimensions that a kernel reads.
///
/// A launch takes `&` [`TextureObject<T, 2>`](crate::TextureObject) for it. The documentation of
/// [`texture`](crate::texture) has an example.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Texture2<'a, T: Texel> {
    texels: &'a [T],
    width: usize,
    height: usize,
    levels: usize,
}

#[device]
impl<T: Texel> Texture2<'_, T> {
    /// Returns the number of texels along x, of the first level.
    ///
    /// The documentation of [`Self::sample`] has an example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of texels along y, of the first level.
    ///
    /// The documentation of [`Self::sample`] has an example.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the number of levels, at least 1.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// Returns the filtered texel at coordinates, of the first level: CUDA's `tex2D`.
    ///
    /// ```
    /// use warpwise::{Sampler, Texture2, U8x4, prelude::*};
    ///
    /// /// Exchanges red and blue.
    /// #[kernel]
    /// fn swap_channels(image: Texture2<U8x4>, out: &mut [U8x4]) {
    ///     let (column, row) = (global_idx_x(), global_idx_y());
    ///     if column < image.width() && row < image.height() {
    ///         let texel = image.sample(column as f32 + 0.5, row as f32 + 0.5);
    ///         out[row * image.width() + column] = U8x4::new(texel.z, texel.y, texel.x, texel.w);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let image = device.texture_2d(&[U8x4::new(200, 30, 10, 255); 6], (2, 3), Sampler::POINT)?;
    /// let mut out = device.zeros::<U8x4>(6)?;
    /// swap_channels::launch(&device, LaunchConfig::cover((3, 2)), &image, &mut out)?;
    /// assert_eq!(out.to_vec()?, [U8x4::new(10, 30, 200, 255); 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn sample(&self, x: f32, y: f32) -> T::Value {
        T::from_words(T::Word::sample_2d(self.texels, x, y))
    }

    /// Returns the filtered texel at coordinates and a level of detail: CUDA's `tex2DLod`.
    ///
    /// Level 0 is the first one. A fraction is rounded to 8 bits; between two levels, the sampler's
    /// [`mipmap_filter`](crate::Sampler::mipmap_filter) decides. A level that is less than 0 is 0,
    /// and one that is too large is the last one, so that a texture with one level reads that.
    ///
    /// ```
    /// use warpwise::{Filter, Sampler, Texture2, prelude::*};
    ///
    /// /// Reads the middle of an image at several levels of detail.
    /// #[kernel]
    /// fn blur(image: Texture2<f32>, y: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     if i < y.len() {
    ///         y[i] = image.sample_level(0.5, 0.5, i as f32 / 2.0);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let levels: [&[f32]; 2] = [&[1.0, 2.0, 3.0, 8.0], &[3.5]];
    /// let sampler = Sampler::POINT.normalized().mipmap_filter(Filter::Linear);
    /// let image = device.mipmapped_texture_2d(&levels, (2, 2), sampler)?;
    /// let mut y = device.zeros::<f32>(4)?;
    /// blur::launch(&device, LaunchConfig::cover(4), &image, &mut y)?;
    /// assert_eq!(y.to_vec()?, [8.0, 5.75, 3.5, 3.5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn sample_level(&self, x: f32, y: f32, level: f32) -> T::Value {
        T::from_words(T::Word::sample_level_2d(self.texels, x, y, level))
    }

    /// Returns the filtered texel at coordinates, at the level of detail for an image that is read
    /// there: CUDA's `tex2DGrad`.
    ///
    /// `ddx` is the change of `(x, y)` from a pixel of that image to its right neighbour, and `ddy`
    /// that to the pixel below. In texels of the first level, the level of detail is the binary
    /// logarithm of the longer one: of a change by four texels, 2.
    ///
    /// ```
    /// use warpwise::{Sampler, Texture2, prelude::*};
    ///
    /// /// Scales an image down, each pixel by the level whose texels are as large.
    /// #[kernel]
    /// fn shrink(image: Texture2<f32>, width: usize, height: usize, out: &mut [f32]) {
    ///     let (column, row) = (global_idx_x(), global_idx_y());
    ///     if column < width && row < height {
    ///         let (dx, dy) = (1.0 / width as f32, 1.0 / height as f32);
    ///         let (x, y) = ((column as f32 + 0.5) * dx, (row as f32 + 0.5) * dy);
    ///         out[row * width + column] = image.sample_gradient(x, y, (dx, 0.0), (0.0, dy));
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let levels: [&[f32]; 3] = [&[1.0; 16], &[2.0, 3.0, 4.0, 5.0], &[3.5]];
    /// let image = device.mipmapped_texture_2d(&levels, (4, 4), Sampler::LINEAR.normalized())?;
    /// let mut out = device.zeros::<f32>(4)?;
    /// shrink::launch(&device, LaunchConfig::cover((2, 2)), &image, 2, 2, &mut out)?;
    /// assert_eq!(out.to_vec()?, [2.0, 3.0, 4.0, 5.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn sample_gradient(&self, x: f32, y: f32, ddx: (f32, f32), ddy: (f32, f32)) -> T::Value {
        let words = T::Word::sample_gradient_2d(self.texels, x, y, ddx.0, ddx.1, ddy.0, ddy.1);
        T::from_words(words)
    }

    /// Returns the first channel of the four texels that a linear filter would read, in the order
    /// of CUDA's `tex2Dgather`: those of the second row from left to right, then those of the first
    /// row from right to left. Of several levels, the first one.
    ///
    /// ```
    /// use warpwise::{Sampler, Texture2, prelude::*};
    ///
    /// #[kernel]
    /// fn largest_neighbour(image: Texture2<u8>, y: &mut [u8]) {
    ///     let i = global_idx_x();
    ///     if i < y.len() {
    ///         let texels = image.gather_r(i as f32 + 1.0, 1.0);
    ///         y[i] = texels[0].max(texels[1]).max(texels[2]).max(texels[3]) as u8;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let image = device.texture_2d(&[1u8, 2, 3, 7, 5, 6], (2, 3), Sampler::POINT)?;
    /// let mut y = device.zeros::<u8>(2)?;
    /// largest_neighbour::launch(&device, LaunchConfig::cover(2), &image, &mut y)?;
    /// assert_eq!(y.to_vec()?, [7, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn gather_r(&self, x: f32, y: f32) -> [T::Word; 4] {
        T::Word::gather_r_2d(self.texels, x, y)
    }

    /// Returns the second channel of these texels; see [`gather_r`](Self::gather_r).
    ///
    /// ```
    /// use warpwise::{Sampler, Texture2, U8x2, prelude::*};
    ///
    /// /// The sum of the second channel of 2 x 2 texels.
    /// #[kernel(block = 32)]
    /// fn sum_second(image: Texture2<U8x2>, y: &mut [u32]) {
    ///     if thread_idx_x() < y.len() {
    ///         y[thread_idx_x()] = image.gather_g(1.0, 1.0).iter().sum();
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let texels = [1, 2, 3, 4].map(|i| U8x2::new(i, 10 * i));
    /// let image = device.texture_2d(&texels, (2, 2), Sampler::POINT)?;
    /// let mut y = device.zeros::<u32>(1)?;
    /// sum_second::launch(&device, LaunchConfig::grid(1), &image, &mut y)?;
    /// assert_eq!(y.to_vec()?, [100]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn gather_g(&self, x: f32, y: f32) -> [T::Word; 4] {
        T::Word::gather_g_2d(self.texels, x, y)
    }

    /// Returns the third channel of these texels; see [`gather_r`](Self::gather_r).
    ///
    /// ```
    /// use warpwise::{Sampler, Texture2, U8x4, prelude::*};
    ///
    /// /// The third channel of 2 x 2 texels, in the order of a gather.
    /// #[kernel(block = 32)]
    /// fn blue(image: Texture2<U8x4>, y: &mut [u32]) {
    ///     if thread_idx_x() < y.len() {
    ///         y[thread_idx_x()] = image.gather_b(1.0, 1.0)[thread_idx_x() % 4];
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let texels = [1, 2, 3, 4].map(|i| U8x4::new(0, 0, i, 255));
    /// let image = device.texture_2d(&texels, (2, 2), Sampler::POINT)?;
    /// let mut y = device.zeros::<u32>(4)?;
    /// blue::launch(&device, LaunchConfig::grid(1), &image, &mut y)?;
    /// // The second row from left to right, the first one from right to left.
    /// assert_eq!(y.to_vec()?, [3, 4, 2, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn gather_b(&self, x: f32, y: f32) -> [T::Word; 4] {
        T::Word::gather_b_2d(self.texels, x, y)
    }

    /// Returns the fourth channel of these texels; see [`gather_r`](Self::gather_r).
    ///
    /// ```
    /// use warpwise::{Sampler, Texture2, U8x4, prelude::*};
    ///
    /// /// Whether any of 2 x 2 texels is transparent.
    /// #[kernel(block = 32)]
    /// fn find_transparent(image: Texture2<U8x4>, y: &mut [bool]) {
    ///     if thread_idx_x() < y.len() {
    ///         y[thread_idx_x()] = image.gather_a(1.0, 1.0).iter().any(|&alpha| alpha == 0);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let texels = [255, 255, 0, 255].map(|alpha| U8x4::new(0, 0, 0, alpha));
    /// let image = device.texture_2d(&texels, (2, 2), Sampler::POINT)?;
    /// let mut y = device.zeros::<bool>(1)?;
    /// find_transparent::launch(&device, LaunchConfig::grid(1), &image, &mut y)?;
    /// assert_eq!(y.to_vec()?, [true]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn gather_a(&self, x: f32, y: f32) -> [T::Word; 4] {
        T::Word::gather_a_2d(self.texels, x, y)
    }
}

/// A texture of three dimensions that a kernel reads.
///
/// A launch takes `&` [`TextureObject<T, 3>`](crate::TextureObject) for it:
///
/// ```
/// use warpwise::{Sampler, Texture3, prelude::*};
///
/// /// The middle of each pair of neighbouring layers.
/// #[kernel]
/// fn between_layers(volume: Texture3<f32>, y: &mut [f32]) {
///     let i = global_idx_x();
///     if i < y.len() {
///         y[i] = volume.sample(0.5, 0.5, i as f32 + 1.0);
///     }
/// }
///
/// let device = Device::cpu();
/// let volume = device.texture_3d(&[1.0f32, 3.0, 7.0], (3, 1, 1), Sampler::LINEAR)?;
/// let mut y = device.zeros::<f32>(2)?;
/// between_layers::launch(&device, LaunchConfig::cover(2), &volume, &mut y)?;
/// assert_eq!(y.to_vec()?, [2.0, 5.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Texture3<'a, T: Texel> {
    texels: &'a [T],
    width: usize,
    height: usize,
    depth: usize,
}

#[device]
impl<T: Texel> Texture3<'_, T> {
    /// Returns the number of texels along x.
    ///
    /// The documentation of [`Self::sample`] has an example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of texels along y.
    ///
    /// The documentation of [`Self::sample`] has an example.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the number of texels along z.
    ///
    /// The documentation of [`Self::sample`] has an example.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the filtered texel at coordinates: CUDA's `tex3D`.
    ///
    /// ```
    /// use warpwise::{Sampler, Texture3, prelude::*};
    ///
    /// /// The middle of a volume: here the mean of eight texels, at the corner where they meet.
    /// #[kernel(block = 32)]
    /// fn middle(volume: Texture3<f32>, out: &mut [f32]) {
    ///     if thread_idx_x() < out.len() {
    ///         let (x, y) = (volume.width() as f32 / 2.0, volume.height() as f32 / 2.0);
    ///         out[thread_idx_x()] = volume.sample(x, y, volume.depth() as f32 / 2.0);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let texels = [0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    /// let volume = device.texture_3d(&texels, (2, 2, 2), Sampler::LINEAR)?;
    /// let mut out = device.zeros::<f32>(1)?;
    /// middle::launch(&device, LaunchConfig::grid(1), &volume, &mut out)?;
    /// assert_eq!(out.to_vec()?, [3.5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn sample(&self, x: f32, y: f32, z: f32) -> T::Value {
        T::from_words(T::Word::sample_3d(self.texels, x, y, z))
    }
}

/// An array of textures of one dimension that a kernel reads.
///
/// A launch takes `&` [`TextureObject<T, 1, true>`](crate::TextureObject) for it, which
/// [`Device::layered_texture_1d`](crate::Device::layered_texture_1d) makes.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct LayeredTexture1<'a, T: Texel> {
    texels: &'a [T],
    width: usize,
    layers: usize,
}

#[device]
impl<T: Texel> LayeredTexture1<'_, T> {
    /// Returns the number of texels along x.
    ///
    /// The documentation of [`Self::sample`] has an example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of layers.
    ///
    /// The documentation of [`Self::sample`] has an example.
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// Returns the filtered texel at a coordinate of a layer, the last one if there are fewer:
    /// CUDA's `tex1DLayered`.
    ///
    /// ```
    /// use warpwise::{LayeredTexture1, Sampler, prelude::*};
    ///
    /// /// Looks up the middle of each of several tables. Layers are not interpolated.
    /// #[kernel]
    /// fn middles(tables: LayeredTexture1<f32>, y: &mut [f32]) {
    ///     let layer = global_idx_x();
    ///     if layer < tables.layers() && layer < y.len() {
    ///         y[layer] = tables.sample(layer, tables.width() as f32 / 2.0);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let texels = [0.0f32, 2.0, 10.0, 30.0];
    /// let tables = device.layered_texture_1d(&texels, (2, 2), Sampler::LINEAR)?;
    /// let mut y = device.zeros::<f32>(2)?;
    /// middles::launch(&device, LaunchConfig::cover(2), &tables, &mut y)?;
    /// assert_eq!(y.to_vec()?, [1.0, 20.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn sample(&self, layer: usize, x: f32) -> T::Value {
        T::from_words(T::Word::sample_a1d(self.texels, layer.min(self.layers - 1) as u32, x))
    }
}

/// An array of textures of two dimensions that a kernel reads.
///
/// A launch takes `&` [`TextureObject<T, 2, true>`](crate::TextureObject) for it:
///
/// ```
/// use warpwise::{LayeredTexture2, Sampler, prelude::*};
///
/// /// The sum of all layers at one place.
/// #[kernel]
/// fn sum_layers(images: LayeredTexture2<f32>, y: &mut [f32]) {
///     let i = global_idx_x();
///     if i < y.len() {
///         for layer in 0..images.layers() {
///             y[i] += images.sample(layer, i as f32 + 0.5, 0.5);
///         }
///     }
/// }
///
/// let device = Device::cpu();
/// let texels = [1.0f32, 2.0, 10.0, 20.0];
/// let images = device.layered_texture_2d(&texels, (2, 1, 2), Sampler::POINT)?;
/// let mut y = device.zeros::<f32>(2)?;
/// sum_layers::launch(&device, LaunchConfig::cover(2), &images, &mut y)?;
/// assert_eq!(y.to_vec()?, [11.0, 22.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[device]
#[derive(Clone, Copy, Debug)]
pub struct LayeredTexture2<'a, T: Texel> {
    texels: &'a [T],
    width: usize,
    height: usize,
    layers: usize,
}

#[device]
impl<T: Texel> LayeredTexture2<'_, T> {
    /// Returns the number of texels along x.
    ///
    /// The documentation of [`Self::sample`] has an example.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of texels along y.
    ///
    /// The documentation of [`Self::sample`] has an example.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the number of layers.
    ///
    /// The documentation of [`LayeredTexture2`] has an example.
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// Returns the filtered texel at coordinates of a layer, the last one if there are fewer:
    /// CUDA's `tex2DLayered`.
    ///
    /// ```
    /// use warpwise::{LayeredTexture2, Sampler, prelude::*};
    ///
    /// /// The difference of two frames of a video.
    /// #[kernel]
    /// fn difference(frames: LayeredTexture2<f32>, y: &mut [f32]) {
    ///     let (column, row) = (global_idx_x(), global_idx_y());
    ///     if column < frames.width() && row < frames.height() {
    ///         let (u, v) = (column as f32 + 0.5, row as f32 + 0.5);
    ///         y[row * frames.width() + column] = frames.sample(1, u, v) - frames.sample(0, u, v);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let texels = [1.0f32, 2.0, 3.0, 4.0, 1.0, 2.5, 3.0, 4.0];
    /// let frames = device.layered_texture_2d(&texels, (2, 2, 2), Sampler::POINT)?;
    /// let mut y = device.zeros::<f32>(4)?;
    /// difference::launch(&device, LaunchConfig::cover((2, 2)), &frames, &mut y)?;
    /// assert_eq!(y.to_vec()?, [0.0, 0.5, 0.0, 0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// On the host.
    #[track_caller]
    pub fn sample(&self, layer: usize, x: f32, y: f32) -> T::Value {
        T::from_words(T::Word::sample_a2d(self.texels, layer.min(self.layers - 1) as u32, x, y))
    }
}
