//! Surfaces on the host: [`SurfaceObject`].
use crate::{
    Device, Result, Sampler, Stored, TextureElement, TextureObject,
    memory::{AnySlice, check_lengths, no_host_memory},
};
use std::fmt;
use warpwise_compiler::{
    ir::{
        TextureShape,
        surface::{LAYER_ROWS, ROW_BYTES},
    },
    texture::HEADER_BYTES,
};

/// The greatest extent of a surface of one dimension, which every GPU that kernels run on has. The
/// others are those of textures.
const MAX_EXTENT_1D: usize = 32_768;

/// A surface of `D` dimensions in the memory of a [`Device`], which it keeps alive: an array of
/// texels that kernels read and write. If it is `LAYERED`, there are several such arrays.
///
/// A kernel's [`Surface2<T>`](crate::Surface2) takes `&SurfaceObject<T, 2>`, and its
/// [`Surface2Mut<T>`](crate::Surface2Mut) `&mut SurfaceObject<T, 2>`.
/// [`as_texture`](Self::as_texture) is for kernels that sample it. Dropping a surface waits for the
/// work of its stream, since CUDA frees arrays at once.
pub struct SurfaceObject<T: TextureElement, const D: usize, const LAYERED: bool = false> {
    texture: TextureObject<T, D, LAYERED>,
    /// The texels as a kernel's slice. On a GPU it has the length of all addresses.
    texels: AnySlice,
    layout: SurfaceLayout,
}

/// The extents and the distances that a launch passes.
#[derive(Clone, Copy)]
pub(crate) struct SurfaceLayout {
    shape: TextureShape,
    /// Texels along x and y, and texels along z or layers; 1 where there is no such dimension.
    extents: [usize; 3],
    /// Texels from one row to the next.
    pitch: usize,
    /// Rows from one layer to the next.
    rows: usize,
}

impl SurfaceLayout {
    fn new(
        shape: TextureShape,
        (extents, layers): (&[usize], usize),
        texel_bytes: usize,
        is_gpu: bool,
    ) -> Self {
        let extent = |dim: usize| extents.get(dim).copied().unwrap_or(1);
        let [width, height] = [extent(0), extent(1)];
        // One of the two is 1.
        let depth = extent(2) * layers;
        let (pitch, rows) = if is_gpu {
            (ROW_BYTES as usize / texel_bytes, LAYER_ROWS as usize)
        } else {
            (width, height)
        };
        Self { shape, extents: [width, height, depth], pitch, rows }
    }

    /// Returns the number of addresses of texels, from the first to the last.
    const fn len(&self) -> usize {
        let [width, height, depth] = self.extents;
        match self.shape {
            TextureShape::D1 => width,
            TextureShape::D2 => height * self.pitch,
            TextureShape::D1Layered => depth * self.pitch,
            TextureShape::D3 | TextureShape::D2Layered => depth * self.rows * self.pitch,
        }
    }

    /// Returns the values that a launch passes after the texels, in the order of the fields of the
    /// kernel's type.
    pub(crate) fn passed(&self) -> Vec<usize> {
        let Self { extents: [width, height, depth], pitch, rows, .. } = *self;
        match self.shape {
            TextureShape::D1 => vec![width],
            TextureShape::D2 => vec![height, width, pitch],
            TextureShape::D1Layered => vec![depth, width, pitch],
            TextureShape::D3 | TextureShape::D2Layered => {
                vec![depth, height, width, rows, pitch]
            }
        }
    }
}

const fn shape_of(dims: usize, is_layered: bool) -> TextureShape {
    match (dims, is_layered) {
        (1, false) => TextureShape::D1,
        (1, true) => TextureShape::D1Layered,
        (2, true) => TextureShape::D2Layered,
        (3, _) => TextureShape::D3,
        _ => TextureShape::D2,
    }
}

impl<T: TextureElement, const D: usize, const LAYERED: bool> SurfaceObject<T, D, LAYERED> {
    fn new(
        device: &Device,
        values: &[T::Element],
        (extents, layers): ([usize; D], usize),
        sampler: Sampler,
    ) -> Result<Self> {
        let most = if D == 1 { MAX_EXTENT_1D } else { usize::MAX };
        let texture = TextureObject::of_surface(device, values, (extents, layers), sampler, most)?;
        let bytes = <T::Element as Stored>::LAYOUT.size;
        let is_gpu = device.is_gpu();
        let layout = SurfaceLayout::new(shape_of(D, LAYERED), (&extents, layers), bytes, is_gpu);
        let any = texture.any();
        let offset = if is_gpu { 0 } else { HEADER_BYTES };
        let (memory, bytes) = (any.memory.clone(), any.bytes - offset);
        let texels = AnySlice { memory, offset, len: layout.len(), bytes };
        Ok(Self { texture, texels, layout })
    }

    pub(crate) const fn texels(&self) -> &AnySlice {
        &self.texels
    }

    pub(crate) const fn layout(&self) -> SurfaceLayout {
        self.layout
    }

    pub(crate) const fn shape(&self) -> TextureShape {
        self.layout.shape
    }

    /// Returns the surface as a texture, which has its texels and the sampler that it was made
    /// with.
    ///
    /// The documentation of [`surface`](crate::surface) has an example.
    pub const fn as_texture(&self) -> &TextureObject<T, D, LAYERED> {
        &self.texture
    }

    /// Returns the extents of the `D` dimensions, x first.
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let image = Device::cpu().surface_2d::<f32>(&[0.0; 6], (2, 3), Sampler::POINT)?;
    /// assert_eq!(image.extents(), [3, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn extents(&self) -> [usize; D] {
        self.texture.extents()
    }

    /// Returns the number of layers; 1 of a surface without layers.
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let image = Device::cpu().surface_2d::<f32>(&[0.0; 6], (2, 3), Sampler::POINT)?;
    /// assert_eq!(image.layers(), 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn layers(&self) -> usize {
        self.texture.layers()
    }

    /// Returns the device on which it was made. Launches on the streams of that device, and on
    /// devices on the same GPU, take it.
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let image = Device::cpu().surface_2d::<f32>(&[0.0; 6], (2, 3), Sampler::POINT)?;
    /// assert!(!image.device().is_gpu());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        self.texture.device()
    }

    fn count(&self) -> usize {
        self.extents().iter().product::<usize>() * self.layers()
    }

    /// Waits for the work that writes the texels and copies them, in the order of
    /// [`Device::surface_2d`] and its relatives.
    ///
    /// ```
    /// # use warpwise::{Device, Sampler, U8x2};
    /// let texels = [U8x2::new(1, 2), U8x2::new(3, 4)];
    /// let image = Device::cpu().surface_2d::<U8x2>(&texels, (2, 1), Sampler::POINT)?;
    /// assert_eq!(image.to_vec()?, texels);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Slice::to_vec`](crate::Slice::to_vec).
    pub fn to_vec(&self) -> Result<Vec<T::Element>> {
        self.device().check_download_call()?;
        let read = |bytes: &mut [u8]| self.device().read_texels(&self.texels, bytes);
        T::Element::collect(self.count(), read).unwrap_or_else(|| Err(self.no_host_memory()))
    }

    /// Overwrites all texels, once the launches before it are done.
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let mut image = Device::cpu().surface_1d::<u16>(&[0; 3], Sampler::POINT)?;
    /// image.copy_from(&[1, 2, 3])?;
    /// assert_eq!(image.to_vec()?, [1, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) unless there are as many values;
    /// errors of the driver.
    pub fn copy_from(&mut self, values: &[T::Element]) -> Result<()> {
        check_lengths(values.len(), self.count())?;
        self.device().check_upload_call()?;
        let write = |bytes: &[u8]| self.device().write_texels(&self.texels, bytes);
        T::Element::with_bytes(values, write).unwrap_or_else(|| Err(self.no_host_memory()))
    }

    fn no_host_memory(&self) -> crate::Error {
        no_host_memory(self.count(), <T::Element as Stored>::LAYOUT.size)
    }
}

/// As a texture is: `SurfaceObject(3 x 2 texels on the SIMT interpreter)`.
impl<T: TextureElement, const D: usize, const LAYERED: bool> fmt::Debug
    for SurfaceObject<T, D, LAYERED>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layers = LAYERED.then_some(self.layers());
        let extents: Vec<String> =
            self.extents().into_iter().chain(layers).map(|extent| extent.to_string()).collect();
        write!(f, "SurfaceObject({} texels on {})", extents.join(" x "), self.device())
    }
}

impl Device {
    /// Makes a surface of one dimension, for a kernel's [`Surface1<T>`](crate::Surface1) or
    /// [`Surface1Mut<T>`](crate::Surface1Mut). The sampler is that of its
    /// [texture](SurfaceObject::as_texture).
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let table = Device::cpu().surface_1d::<f32>(&[0.0, 1.0, 4.0], Sampler::LINEAR)?;
    /// assert_eq!(table.extents(), [3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::texture_1d`], with at most 32,768 texels.
    pub fn surface_1d<T: TextureElement>(
        &self,
        texels: &[T::Element],
        sampler: Sampler,
    ) -> Result<SurfaceObject<T, 1>> {
        SurfaceObject::new(self, texels, ([texels.len()], 1), sampler)
    }

    /// Makes a surface of `(rows, columns)` texels from values in row-major order, for a kernel's
    /// [`Surface2<T>`](crate::Surface2) or [`Surface2Mut<T>`](crate::Surface2Mut). The sampler is
    /// that of its [texture](SurfaceObject::as_texture).
    ///
    /// ```
    /// # use warpwise::{Device, Normalized, Sampler, U8x4};
    /// let pixels = [U8x4::splat(255); 6];
    /// let image = Device::cpu().surface_2d::<Normalized<U8x4>>(&pixels, (2, 3), Sampler::LINEAR)?;
    /// assert_eq!(image.extents(), [3, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::texture_2d`].
    pub fn surface_2d<T: TextureElement>(
        &self,
        texels: &[T::Element],
        (rows, columns): (usize, usize),
        sampler: Sampler,
    ) -> Result<SurfaceObject<T, 2>> {
        SurfaceObject::new(self, texels, ([columns, rows], 1), sampler)
    }

    /// Makes a surface of `(layers, rows, columns)` texels from values layer by layer, for a
    /// kernel's [`Surface3<T>`](crate::Surface3) or [`Surface3Mut<T>`](crate::Surface3Mut). The
    /// sampler is that of its [texture](SurfaceObject::as_texture).
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let volume = Device::cpu().surface_3d::<f32>(&[0.0; 24], (2, 3, 4), Sampler::LINEAR)?;
    /// assert_eq!(volume.extents(), [4, 3, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::texture_3d`].
    pub fn surface_3d<T: TextureElement>(
        &self,
        texels: &[T::Element],
        (layers, rows, columns): (usize, usize, usize),
        sampler: Sampler,
    ) -> Result<SurfaceObject<T, 3>> {
        SurfaceObject::new(self, texels, ([columns, rows, layers], 1), sampler)
    }

    /// Makes an array of `layers` surfaces of one dimension with `columns` texels each, for a
    /// kernel's [`LayeredSurface1<T>`](crate::LayeredSurface1) or
    /// [`LayeredSurface1Mut<T>`](crate::LayeredSurface1Mut). The sampler is that of its
    /// [texture](SurfaceObject::as_texture).
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let tables = Device::cpu().layered_surface_1d::<f32>(&[0.0; 6], (2, 3), Sampler::LINEAR)?;
    /// assert_eq!((tables.layers(), tables.extents()), (2, [3]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::layered_texture_1d`].
    pub fn layered_surface_1d<T: TextureElement>(
        &self,
        texels: &[T::Element],
        (layers, columns): (usize, usize),
        sampler: Sampler,
    ) -> Result<SurfaceObject<T, 1, true>> {
        SurfaceObject::new(self, texels, ([columns], layers), sampler)
    }

    /// Makes an array of `layers` surfaces of `(rows, columns)` texels, for a kernel's
    /// [`LayeredSurface2<T>`](crate::LayeredSurface2) or
    /// [`LayeredSurface2Mut<T>`](crate::LayeredSurface2Mut). The sampler is that of its
    /// [texture](SurfaceObject::as_texture).
    ///
    /// ```
    /// # use warpwise::{Device, Sampler};
    /// let images = Device::cpu().layered_surface_2d::<u8>(&[0; 24], (2, 3, 4), Sampler::POINT)?;
    /// assert_eq!((images.layers(), images.extents()), (2, [4, 3]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::layered_texture_2d`].
    pub fn layered_surface_2d<T: TextureElement>(
        &self,
        texels: &[T::Element],
        (layers, rows, columns): (usize, usize, usize),
        sampler: Sampler,
    ) -> Result<SurfaceObject<T, 2, true>> {
        SurfaceObject::new(self, texels, ([columns, rows], layers), sampler)
    }
}
