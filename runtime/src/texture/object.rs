//! Textures on the host: [`TextureObject`], and the [`Sampler`] that reads it.
use super::{Normalized, Texel};
use crate::{
    Device, Error, F16x2, F16x4, F32x2, F32x4, I8x2, I8x4, I16x2, I16x4, I32x2, I32x4, Result,
    Slice2, Stored, U8x2, U8x4, U16x2, U16x4, U32x2, U32x4,
    device::Engine,
    driver::{Allocation, Texels},
    f16,
    memory::{AnySlice, Memory, MemoryBytes, check_lengths, no_host_memory},
};
use std::{fmt, marker::PhantomData, sync::Arc};
use warpwise_compiler::{
    ir::TextureWord,
    texture::{AddressMode, ChannelType, Descriptor, Filter, HEADER_BYTES},
};

/// The greatest extents of textures of one, two and three dimensions, which every GPU that kernels
/// run on has, and from which it gathers.
const MAX_EXTENTS: [usize; 3] = [131_072, 32_768, 16_384];
/// The greatest extents of the layers of such textures.
const MAX_LAYER_EXTENT: usize = 32_768;
/// The greatest number of layers.
const MAX_LAYERS: usize = 2048;

/// The filter, the address modes and the coordinates of a texture.
///
/// ```
/// use warpwise::{Sampler, Texture1, prelude::*};
///
/// /// Reads at each half of a texel.
/// #[kernel]
/// fn look_up(table: Texture1<f32>, y: &mut [f32]) {
///     let i = global_idx_x();
///     if i < y.len() {
///         y[i] = table.sample(i as f32 / 2.0);
///     }
/// }
///
/// let device = Device::cpu();
/// let mut y = device.zeros::<f32>(4)?;
/// let expected = [(Sampler::POINT, [0.0, 0.0, 2.0, 2.0]), (Sampler::LINEAR, [0.0, 0.0, 1.0, 2.0])];
/// for (sampler, expected) in expected {
///     let table = device.texture_1d(&[0.0f32, 2.0], sampler)?;
///     look_up::launch(&device, LaunchConfig::cover(4), &table, &mut y)?;
///     assert_eq!(y.to_vec()?, expected);
/// }
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    filter: Filter,
    mipmap_filter: Filter,
    address: [AddressMode; 3],
    normalized: bool,
}

impl Sampler {
    /// A sampler of the texel that covers the coordinates, which are in texels; outside of the
    /// texture, of the nearest one.
    ///
    /// The documentation of [`Sampler`] has an example.
    pub const POINT: Self = Self {
        filter: Filter::Point,
        mipmap_filter: Filter::Point,
        address: [AddressMode::Clamp; 3],
        normalized: false,
    };
    /// A sampler of the mean of the texels around the coordinates, weighted by distance.
    ///
    /// The documentation of [`Sampler`] has an example.
    pub const LINEAR: Self = Self { filter: Filter::Linear, ..Self::POINT };

    /// Sets coordinates from 0 to 1.
    ///
    /// ```
    /// use warpwise::{Sampler, Texture1, prelude::*};
    ///
    /// #[kernel]
    /// fn middle(table: Texture1<f32>, y: &mut f32) {
    ///     *y = table.sample(0.5);
    /// }
    ///
    /// let device = Device::cpu();
    /// let table = device.texture_1d(&[1.0f32, 3.0], Sampler::LINEAR.normalized())?;
    /// let mut y = device.zeros::<f32>(1)?;
    /// middle::launch(&device, LaunchConfig::grid(1).block(1), &table, &mut y)?;
    /// assert_eq!(y.to_vec()?, [2.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[must_use]
    pub const fn normalized(self) -> Self {
        Self { normalized: true, ..self }
    }

    /// Sets the filter of levels: the nearest one, which is the default, or the weighted mean of
    /// the two around the level of detail.
    ///
    /// ```
    /// use warpwise::{Filter, Sampler, Texture2, prelude::*};
    ///
    /// #[kernel]
    /// fn between(image: Texture2<f32>, y: &mut f32) {
    ///     *y = image.sample_level(0.5, 0.5, 0.25);
    /// }
    ///
    /// let device = Device::cpu();
    /// let sampler = Sampler::POINT.normalized().mipmap_filter(Filter::Linear);
    /// let image = device.mipmapped_texture_2d(&[&[1.0f32, 3.0], &[5.0]], (1, 2), sampler)?;
    /// let mut y = device.zeros::<f32>(1)?;
    /// between::launch(&device, LaunchConfig::grid(1).block(1), &image, &mut y)?;
    /// assert_eq!(y.to_vec()?, [0.75 * 3.0 + 0.25 * 5.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[must_use]
    pub const fn mipmap_filter(self, filter: Filter) -> Self {
        Self { mipmap_filter: filter, ..self }
    }

    /// Sets the address mode along all dimensions.
    ///
    /// ```
    /// use warpwise::{AddressMode, Sampler, Texture1, prelude::*};
    ///
    /// #[kernel]
    /// fn outside(table: Texture1<f32>, y: &mut f32) {
    ///     *y = table.sample(-3.5);
    /// }
    ///
    /// let device = Device::cpu();
    /// let sampler = Sampler::POINT.address(AddressMode::Border);
    /// let table = device.texture_1d(&[1.0f32, 3.0], sampler)?;
    /// let mut y = device.zeros::<f32>(1)?;
    /// outside::launch(&device, LaunchConfig::grid(1).block(1), &table, &mut y)?;
    /// assert_eq!(y.to_vec()?, [0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[must_use]
    pub const fn address(self, mode: AddressMode) -> Self {
        Self { address: [mode; 3], ..self }
    }

    /// Sets the address mode along one dimension: 0 is x, 1 is y, 2 is z.
    ///
    /// ```
    /// use warpwise::{AddressMode, Sampler, Texture1, prelude::*};
    ///
    /// #[kernel]
    /// fn outside(table: Texture1<f32>, y: &mut f32) {
    ///     *y = table.sample(-3.5);
    /// }
    ///
    /// let device = Device::cpu();
    /// let sampler = Sampler::POINT.address_along(0, AddressMode::Border);
    /// let table = device.texture_1d(&[1.0f32, 3.0], sampler)?;
    /// let mut y = device.zeros::<f32>(1)?;
    /// outside::launch(&device, LaunchConfig::grid(1).block(1), &table, &mut y)?;
    /// assert_eq!(y.to_vec()?, [0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Panics
    /// If `dimension` is more than 2.
    #[must_use]
    #[track_caller]
    pub const fn address_along(mut self, dimension: usize, mode: AddressMode) -> Self {
        self.address[dimension] = mode;
        self
    }
}

/// [`Sampler::POINT`]
impl Default for Sampler {
    fn default() -> Self {
        Self::POINT
    }
}

/// A [`Texel`] in the memory of a texture.
pub trait TextureElement: Texel + Stored {
    /// The type of the values that a texture is made of.
    type Element: Stored<Value = Self::Element>;
    /// The type and the number of the channels.
    #[doc(hidden)]
    const CHANNELS: (ChannelType, u32);
    /// True for [`Normalized`].
    #[doc(hidden)]
    const READS_NORMALIZED: bool;
}

macro_rules! elements {
    ($($channel:ident: $one:ty, $two:ty, $four:ty;)*) => {$(
        elements!(@ $one, $one, $channel, 1, false);
        elements!(@ $two, $two, $channel, 2, false);
        elements!(@ $four, $four, $channel, 4, false);
    )*};
    (normalized $($channel:ident: $one:ty, $two:ty, $four:ty;)*) => {$(
        elements!(@ Normalized<$one>, $one, $channel, 1, true);
        elements!(@ Normalized<$two>, $two, $channel, 2, true);
        elements!(@ Normalized<$four>, $four, $channel, 4, true);
    )*};
    (@ $texel:ty, $element:ty, $channel:ident, $count:literal, $normalized:literal) => {
        impl TextureElement for $texel {
            type Element = $element;
            const CHANNELS: (ChannelType, u32) = (ChannelType::$channel, $count);
            const READS_NORMALIZED: bool = $normalized;
        }
    };
}

elements! {
    F32: f32, F32x2, F32x4;
    F16: f16, F16x2, F16x4;
    U8: u8, U8x2, U8x4;
    U16: u16, U16x2, U16x4;
    U32: u32, U32x2, U32x4;
    I8: i8, I8x2, I8x4;
    I16: i16, I16x2, I16x4;
    I32: i32, I32x2, I32x4;
}

elements! {
    normalized
    U8: u8, U8x2, U8x4;
    U16: u16, U16x2, U16x4;
    I8: i8, I8x2, I8x4;
    I16: i16, I16x2, I16x4;
}

/// A texture of `D` dimensions in the memory of a [`Device`], which it keeps alive: an array of
/// texels in an order that is fast for hardware, and a [`Sampler`]. If it is `LAYERED`, there are
/// several such arrays.
///
/// A kernel's [`Texture2<T>`](crate::Texture2) takes `&TextureObject<T, 2>`. Nothing changes a
/// texture after it is made. Dropping one waits for the work of its stream, since CUDA frees arrays
/// at once.
pub struct TextureObject<T: TextureElement, const D: usize, const LAYERED: bool = false> {
    any: AnySlice,
    size: Size<D>,
    sampler: Sampler,
    texels: PhantomData<fn() -> T>,
}

/// The size of a texture.
#[derive(Clone, Copy)]
struct Size<const D: usize> {
    /// The extents of a layer of the first level, x first.
    extents: [usize; D],
    /// 1 without layers.
    layers: usize,
    levels: usize,
}

impl<const D: usize> Size<D> {
    const fn flat(extents: [usize; D]) -> Self {
        Self::layered(extents, 1)
    }

    const fn layered(extents: [usize; D], layers: usize) -> Self {
        Self { extents, layers, levels: 1 }
    }
}

impl<T: TextureElement, const D: usize, const LAYERED: bool> TextureObject<T, D, LAYERED> {
    /// Makes a texture of the texels of each level.
    fn new(
        device: &Device,
        size: Size<D>,
        sampler: Sampler,
        levels: &[Texels<'_>],
        is_surface: bool,
    ) -> Result<Self> {
        let descriptor = descriptor::<T, D, LAYERED>(size, sampler)?;
        let bytes = descriptor.texels_bytes();
        let allocated = match &device.engine {
            Engine::Cuda(stream) => {
                Allocation::texture(stream, &descriptor, (D, LAYERED), levels, is_surface)?
                    .map(MemoryBytes::Cuda)
            }
            Engine::Cpu(_) => {
                let memory = device.allocate(HEADER_BYTES.saturating_add(bytes), false)?;
                memory.inspect(|memory| write_texture(memory, &descriptor, levels))
            }
        };
        let Some(memory) = allocated else {
            let (place, free) = (device.to_string(), device.free_memory());
            let size = descriptor.texel_bytes();
            return Err(Error::OutOfMemory { place, elements: bytes / size, size, free });
        };
        let bytes = if device.is_gpu() { bytes } else { HEADER_BYTES + bytes };
        let memory = Arc::new(Memory { device: device.without_recorder(), bytes: memory });
        let any = AnySlice { memory, offset: 0, len: bytes, bytes };
        Ok(Self { any, size, sampler, texels: PhantomData })
    }

    /// Makes a texture of values on the host.
    fn from_values(
        device: &Device,
        values: &[T::Element],
        size: Size<D>,
        sampler: Sampler,
    ) -> Result<Self> {
        Self::with_values(device, values, size, sampler, false)
    }

    /// Makes the texture of a surface of values on the host, whose greatest extent along x is
    /// `most`.
    pub(crate) fn of_surface(
        device: &Device,
        values: &[T::Element],
        (extents, layers): ([usize; D], usize),
        sampler: Sampler,
        most: usize,
    ) -> Result<Self> {
        if let Some(extent) = extents.first().filter(|extent| **extent > most) {
            let problem = format!(
                "its extent along x is {extent}, and a surface's must be 1 to {most} with {D} dimensions"
            );
            return Err(Error::BadTexture { problem });
        }
        Self::with_values(device, values, Size::layered(extents, layers), sampler, true)
    }

    fn with_values(
        device: &Device,
        values: &[T::Element],
        size: Size<D>,
        sampler: Sampler,
        is_surface: bool,
    ) -> Result<Self> {
        // The product of extents that are too large may overflow.
        descriptor::<T, D, LAYERED>(size, sampler)?;
        check_lengths(values.len(), size.layers * size.extents.iter().product::<usize>())?;
        let made = T::Element::with_bytes(values, |bytes| {
            Self::new(device, size, sampler, &[Texels::Host(bytes)], is_surface)
        });
        let no_memory = || no_host_memory(values.len(), <T::Element as Stored>::LAYOUT.size);
        made.unwrap_or_else(|| Err(no_memory()))
    }

    /// Makes a texture with levels of values on the host.
    fn from_levels(
        device: &Device,
        levels: &[&[T::Element]],
        size: Size<D>,
        sampler: Sampler,
    ) -> Result<Self> {
        let descriptor = descriptor::<T, D, LAYERED>(size, sampler)?;
        for (level, values) in levels.iter().enumerate() {
            let texels = descriptor.level_texels(level as u32);
            if values.len() as u64 != texels {
                let [columns, rows, _] = descriptor.level_extents(level as u32);
                let problem = format!(
                    "level {level} has {} texels, and its shape ({rows}, {columns}) has {texels}",
                    values.len()
                );
                return Err(Error::BadTexture { problem });
            }
        }
        if let [values] = levels {
            return Self::from_values(device, values, size, sampler);
        }
        let total = descriptor.texels_bytes();
        let no_memory =
            || no_host_memory(total / descriptor.texel_bytes(), descriptor.texel_bytes());
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(total).map_err(|_| no_memory())?;
        let mut ends = Vec::with_capacity(levels.len());
        for values in levels {
            T::Element::with_bytes(values, |level| bytes.extend_from_slice(level))
                .ok_or_else(no_memory)?;
            ends.push(bytes.len());
        }
        let starts = [0].into_iter().chain(ends.iter().copied());
        let texels: Vec<_> =
            starts.zip(&ends).map(|(start, end)| Texels::Host(&bytes[start..*end])).collect();
        Self::new(device, size, sampler, &texels, false)
    }

    pub(crate) const fn any(&self) -> &AnySlice {
        &self.any
    }

    /// Returns the extents of the `D` dimensions, x first.
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let image = Device::cpu().texture_2d::<f32>(&[0.0; 6], (2, 3), Sampler::POINT)?;
    /// assert_eq!(image.extents(), [3, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn extents(&self) -> [usize; D] {
        self.size.extents
    }

    /// Returns the number of layers; 1 of a texture without layers.
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let image = Device::cpu().texture_2d::<f32>(&[0.0; 6], (2, 3), Sampler::POINT)?;
    /// assert_eq!(image.layers(), 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn layers(&self) -> usize {
        self.size.layers
    }

    /// Returns the number of levels; 1 unless [`Device::mipmapped_texture_2d`] or
    /// [`Device::mipmapped_texture_of`] made more.
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let image = Device::cpu().texture_2d::<f32>(&[0.0; 6], (2, 3), Sampler::POINT)?;
    /// assert_eq!(image.levels(), 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn levels(&self) -> usize {
        self.size.levels
    }

    /// Returns the filter, the address modes and the coordinates.
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let image = Device::cpu().texture_2d::<f32>(&[0.0; 6], (2, 3), Sampler::POINT)?;
    /// assert_eq!(image.sampler(), Sampler::POINT);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn sampler(&self) -> Sampler {
        self.sampler
    }

    /// Returns the device on which it was made. Launches on the streams of that device, and on
    /// devices on the same GPU, take it.
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let image = Device::cpu().texture_2d::<f32>(&[0.0; 6], (2, 3), Sampler::POINT)?;
    /// assert!(!image.device().is_gpu());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        self.any.device()
    }
}

/// As a buffer is: `TextureObject(3 x 2 texels on the SIMT interpreter)`, or with `in 2 levels`.
impl<T: TextureElement, const D: usize, const LAYERED: bool> fmt::Debug
    for TextureObject<T, D, LAYERED>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Size { extents, layers, levels } = self.size;
        let layers = LAYERED.then_some(layers);
        let extents: Vec<String> =
            extents.into_iter().chain(layers).map(|extent| extent.to_string()).collect();
        let levels = if levels > 1 { format!(" in {levels} levels") } else { String::new() };
        write!(f, "TextureObject({} texels{levels} on {})", extents.join(" x "), self.device())
    }
}

/// Writes a texture to the memory of the interpreter.
fn write_texture(memory: &MemoryBytes, descriptor: &Descriptor, levels: &[Texels<'_>]) {
    if let MemoryBytes::Cpu(memory) = memory {
        memory.bytes.write(0, &descriptor.to_header());
        let mut at = HEADER_BYTES;
        for level in levels {
            if let Texels::Host(texels) = level {
                memory.bytes.write(at, texels);
                at += texels.len();
            }
        }
    }
}

/// Describes a texture; an error if there can be no such texture.
fn descriptor<T: TextureElement, const D: usize, const LAYERED: bool>(
    Size { extents, layers, levels }: Size<D>,
    sampler: Sampler,
) -> Result<Descriptor> {
    let bad = |problem: String| Err(Error::BadTexture { problem });
    let mut all = [1; 3];
    for (dim, extent) in extents.into_iter().enumerate() {
        let max = if LAYERED { MAX_LAYER_EXTENT } else { MAX_EXTENTS[D - 1] };
        if extent == 0 || extent > max {
            let axis = ["x", "y", "z"][dim];
            return bad(format!(
                "its extent along {axis} is {extent}, and must be 1 to {max} with {D} dimensions"
            ));
        }
        all[dim] = extent as u32;
    }
    if LAYERED {
        if layers == 0 || layers > MAX_LAYERS {
            return bad(format!("it has {layers} layers, and must have 1 to {MAX_LAYERS}"));
        }
        all[2] = layers as u32;
    }
    let most_levels = 1 + extents.iter().max().map_or(0, |extent| extent.ilog2() as usize);
    if levels == 0 {
        return bad("it has no level".into());
    }
    if levels > most_levels {
        return bad(format!("it has {levels} levels, and its extents have {most_levels} at most"));
    }
    let Sampler { filter, mipmap_filter, mut address, normalized } = sampler;
    // The driver checks the modes of all three dimensions.
    address[D..].fill(AddressMode::Clamp);
    let (channel, channels) = T::CHANNELS;
    let reads_normalized = T::READS_NORMALIZED;
    let descriptor = Descriptor {
        extents: all,
        levels: levels as u32,
        channel,
        channels,
        reads_normalized,
        filter,
        mipmap_filter,
        address,
        normalized,
    };
    let repeats = |mode: &AddressMode| matches!(mode, AddressMode::Wrap | AddressMode::Mirror);
    if !normalized && address[..D].iter().any(repeats) {
        return bad("`Wrap` and `Mirror` need normalized coordinates".into());
    }
    if !normalized && levels > 1 {
        return bad("levels need normalized coordinates".into());
    }
    let is_linear = [filter, mipmap_filter].contains(&Filter::Linear);
    if is_linear && descriptor.word() != TextureWord::F32 {
        let advice = if channel.bytes() < 4 { ": read them as `Normalized`" } else { "" };
        return bad(format!("a linear filter reads floats, and its texels are integers{advice}"));
    }
    Ok(descriptor)
}

impl Device {
    /// Makes a texture of one dimension, for a kernel's [`Texture1<T>`](crate::Texture1).
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let table = Device::cpu().texture_1d::<f32>(&[0.0, 1.0, 4.0], Sampler::LINEAR)?;
    /// assert_eq!(table.extents(), [3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadTexture`] if it is empty or has more than 131,072 texels, and for samplers that
    /// hardware does not have; [`Error::OutOfMemory`], or an error of the driver.
    pub fn texture_1d<T: TextureElement>(
        &self,
        texels: &[T::Element],
        sampler: Sampler,
    ) -> Result<TextureObject<T, 1>> {
        TextureObject::from_values(self, texels, Size::flat([texels.len()]), sampler)
    }

    /// Makes a texture of `(rows, columns)` texels from values in row-major order, for a kernel's
    /// [`Texture2<T>`](crate::Texture2).
    ///
    /// ```
    /// # use warpwise::{Device, Normalized, Sampler, U8x4};
    /// let pixels = [U8x4::splat(255); 6];
    /// let image = Device::cpu().texture_2d::<Normalized<U8x4>>(&pixels, (2, 3), Sampler::LINEAR)?;
    /// assert_eq!(image.extents(), [3, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless there are `rows * columns` values; [`Error::BadTexture`] if
    /// an extent is 0 or more than 32,768, and for samplers that hardware does not have;
    /// [`Error::OutOfMemory`], or an error of the driver.
    pub fn texture_2d<T: TextureElement>(
        &self,
        texels: &[T::Element],
        (rows, columns): (usize, usize),
        sampler: Sampler,
    ) -> Result<TextureObject<T, 2>> {
        TextureObject::from_values(self, texels, Size::flat([columns, rows]), sampler)
    }

    /// Makes a texture of `(layers, rows, columns)` texels from values layer by layer, for a
    /// kernel's [`Texture3<T>`](crate::Texture3).
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let volume = Device::cpu().texture_3d::<f32>(&[0.0; 24], (2, 3, 4), Sampler::LINEAR)?;
    /// assert_eq!(volume.extents(), [4, 3, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::texture_2d`], with extents of at most 16,384.
    pub fn texture_3d<T: TextureElement>(
        &self,
        texels: &[T::Element],
        (layers, rows, columns): (usize, usize, usize),
        sampler: Sampler,
    ) -> Result<TextureObject<T, 3>> {
        TextureObject::from_values(self, texels, Size::flat([columns, rows, layers]), sampler)
    }

    /// Makes an array of `layers` textures of one dimension with `columns` texels each, for a
    /// kernel's [`LayeredTexture1<T>`](crate::LayeredTexture1).
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let tables = Device::cpu().layered_texture_1d::<f32>(&[0.0; 6], (2, 3), Sampler::LINEAR)?;
    /// assert_eq!((tables.layers(), tables.extents()), (2, [3]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::texture_2d`], with at most 2,048 layers.
    pub fn layered_texture_1d<T: TextureElement>(
        &self,
        texels: &[T::Element],
        (layers, columns): (usize, usize),
        sampler: Sampler,
    ) -> Result<TextureObject<T, 1, true>> {
        TextureObject::from_values(self, texels, Size::layered([columns], layers), sampler)
    }

    /// Makes an array of `layers` textures of `(rows, columns)` texels, for a kernel's
    /// [`LayeredTexture2<T>`](crate::LayeredTexture2).
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let images = Device::cpu().layered_texture_2d::<u8>(&[0; 24], (2, 3, 4), Sampler::POINT)?;
    /// assert_eq!((images.layers(), images.extents()), (2, [4, 3]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::texture_2d`], with at most 2,048 layers.
    pub fn layered_texture_2d<T: TextureElement>(
        &self,
        texels: &[T::Element],
        (layers, rows, columns): (usize, usize, usize),
        sampler: Sampler,
    ) -> Result<TextureObject<T, 2, true>> {
        TextureObject::from_values(self, texels, Size::layered([columns, rows], layers), sampler)
    }

    /// Makes a texture of an array in the memory of a device, such as a [`Buffer2`](crate::Buffer2)
    /// that kernels have written. A GPU copies its own memory by itself.
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let device = Device::cpu();
    /// let image = device.upload_2d(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], (2, 3))?;
    /// let texture = device.texture_of::<f32>(&image, Sampler::LINEAR)?;
    /// assert_eq!(texture.extents(), [3, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::texture_2d`]; those of a launch that wrote the array and failed a check.
    pub fn texture_of<T: TextureElement>(
        &self,
        image: &Slice2<T::Element>,
        sampler: Sampler,
    ) -> Result<TextureObject<T, 2>> {
        self.mipmapped_texture_of(&[image], sampler)
    }

    /// Makes a texture of two dimensions with several levels, for a kernel's
    /// [`Texture2<T>`](crate::Texture2): `(rows, columns)` texels from values in row-major order,
    /// and an image of half the extents, rounded down and at least 1, for each further level.
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let levels: [&[f32]; 3] = [&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], &[3.5, 5.5], &[4.5]];
    /// let sampler = Sampler::LINEAR.normalized();
    /// let image = Device::cpu().mipmapped_texture_2d::<f32>(&levels, (2, 4), sampler)?;
    /// assert_eq!((image.extents(), image.levels()), ([4, 2], 3));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::texture_2d`]; [`Error::BadTexture`] if there is no level, more than one of a
    /// single texel, or a level with another number of texels, and for several levels without
    /// [normalized](Sampler::normalized) coordinates.
    pub fn mipmapped_texture_2d<T: TextureElement>(
        &self,
        levels: &[&[T::Element]],
        (rows, columns): (usize, usize),
        sampler: Sampler,
    ) -> Result<TextureObject<T, 2>> {
        let size = Size { levels: levels.len(), ..Size::flat([columns, rows]) };
        TextureObject::from_levels(self, levels, size, sampler)
    }

    /// Makes a texture of two dimensions whose levels are arrays in the memory of a device, such as
    /// images that kernels have made of each other. A GPU copies its own memory by itself.
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let device = Device::cpu();
    /// let image = device.upload_2d(&[1.0f32, 2.0, 3.0, 4.0], (2, 2))?;
    /// let mean = device.upload_2d(&[2.5f32], (1, 1))?;
    /// let sampler = Sampler::LINEAR.normalized();
    /// let texture = device.mipmapped_texture_of::<f32>(&[&image, &mean], sampler)?;
    /// assert_eq!((texture.extents(), texture.levels()), ([2, 2], 2));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::mipmapped_texture_2d`]; those of a launch that wrote an array and failed a check.
    pub fn mipmapped_texture_of<T: TextureElement>(
        &self,
        levels: &[&Slice2<T::Element>],
        sampler: Sampler,
    ) -> Result<TextureObject<T, 2>> {
        let extents = levels.first().map_or([1, 1], |base| [base.columns(), base.rows()]);
        let size = Size { levels: levels.len(), ..Size::flat(extents) };
        let descriptor = descriptor::<T, 2, false>(size, sampler)?;
        for (level, image) in levels.iter().enumerate() {
            let [columns, rows, _] = descriptor.level_extents(level as u32);
            let shape = (image.rows(), image.columns());
            if shape != (rows as usize, columns as usize) {
                let problem = format!(
                    "level {level} has the shape {shape:?}, and must have ({rows}, {columns})"
                );
                return Err(Error::BadTexture { problem });
            }
        }
        if self.is_gpu() && levels.iter().all(|image| image.device().shares_memory_with(self)) {
            let texels: Vec<_> =
                levels.iter().map(|image| Texels::Device { rectangle: image.memory() }).collect();
            return TextureObject::new(self, size, sampler, &texels, false);
        }
        let values = levels.iter().map(|image| image.to_vec()).collect::<Result<Vec<_>>>()?;
        let values: Vec<_> = values.iter().map(Vec::as_slice).collect();
        TextureObject::from_levels(self, &values, size, sampler)
    }
}
