//! Textures and surfaces of a GPU: CUDA arrays with a texture object each, and those of surfaces
//! with a surface object. A texture with several levels is a mipmapped array, whose levels are
//! arrays.
//!
//! An [`Allocation`] owns them. Its address is the handle of the texture object, so that launches
//! pass the handle, and freeing the texture waits for its uses, as for other memory. Nothing else
//! uses the address. Launches that take a surface pass [`Allocation::surface_object`].
use super::{
    api::{
        ArrayDescriptor, ArrayHandle, CopyNode, CopySide, Driver, MipmappedArrayHandle,
        ResourceDescriptor, TextureDescriptor,
    },
    context::Context,
    memory::{Allocation, OUT_OF_MEMORY},
    stream::Stream,
};
use crate::{Error, Result, memory::Rectangle};
use std::{
    ffi::{c_uint, c_void},
    ptr,
    sync::Arc,
};
use warpwise_compiler::texture::{AddressMode, ChannelType, Descriptor, Filter};

/// The texels that a level of a texture is made of.
pub(crate) enum Texels<'a> {
    /// Bytes of the host, without gaps.
    Host(&'a [u8]),
    /// Memory of the GPU.
    Device { rectangle: &'a Rectangle },
}

/// `CU_MEMORYTYPE_HOST`
const HOST: c_uint = 1;
/// `CU_MEMORYTYPE_DEVICE`
const DEVICE: c_uint = 2;
/// `CU_MEMORYTYPE_ARRAY`
const ARRAY: c_uint = 3;
/// `CUDA_ARRAY3D_LAYERED`
const LAYERED: c_uint = 1;
/// `CUDA_ARRAY3D_SURFACE_LDST`
const SURFACE: c_uint = 2;
/// `CUDA_ARRAY3D_TEXTURE_GATHER`
const GATHER: c_uint = 8;
/// `CU_TRSF_READ_AS_INTEGER`
const READ_AS_INTEGER: c_uint = 1;
/// `CU_TRSF_NORMALIZED_COORDINATES`
const NORMALIZED_COORDINATES: c_uint = 2;
/// `CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION`: both levels are read, whatever the weight of one is.
const DISABLE_TRILINEAR_OPTIMIZATION: c_uint = 0x20;

/// An array and its objects, which are destroyed when they are dropped. No work uses them then.
struct TextureArray {
    context: Arc<Context>,
    /// The array that the levels are part of; null if there is only one level.
    mipmapped: MipmappedArrayHandle,
    /// The arrays of the levels.
    levels: Vec<ArrayHandle>,
    descriptor: Descriptor,
    /// The texture object; 0 if there is none.
    object: u64,
    /// The surface object; 0 if there is none.
    surface: u64,
}

impl Allocation {
    /// Makes a texture of `dims` dimensions, or layers of such textures, which may be a surface,
    /// too; `None` if there is not enough memory. The texels of each level have its extents.
    pub(crate) fn texture(
        stream: &Arc<Stream>,
        descriptor: &Descriptor,
        (dims, is_layered): (usize, bool),
        levels: &[Texels<'_>],
        is_surface: bool,
    ) -> Result<Option<Self>> {
        let context = &stream.gpu.context;
        let shape = (dims, is_layered, is_surface);
        let made = context.enter(|driver| TextureArray::new(context, driver, descriptor, shape));
        let mut texture = match made {
            Err(Error::Driver { code: OUT_OF_MEMORY, .. }) => return Ok(None),
            other => other?,
        };
        if let Err(error) = texture.fill(stream, levels) {
            // The copy may be under way still.
            if stream.wait().is_err() {
                std::mem::forget(texture);
            }
            return Err(error);
        }
        texture.object = context.enter(|driver| texture.create_object(driver))?;
        if is_surface {
            texture.surface = context.enter(|driver| texture.create_surface(driver))?;
        }
        let (bytes, object) = (descriptor.texels_bytes(), texture.object);
        // SAFETY: the texture object lives as long as the owner. The bytes are never accessed by
        // their address, which is a handle.
        unsafe { Self::foreign(stream, object, bytes, Box::new(texture)) }.map(Some)
    }

    fn texture_array(&self) -> Option<&TextureArray> {
        self.owner.as_ref().and_then(|owner| owner.downcast_ref())
    }

    /// Returns the handle of the surface object; 0 of other memory.
    pub(super) fn surface_object(&self) -> u64 {
        self.texture_array().map_or(0, |texture| texture.surface)
    }

    /// Copies the texels of a surface to the host, after the work given before.
    pub(crate) fn read_texels(&self, stream: &Stream, bytes: &mut [u8]) -> Result<()> {
        let Some(texture) = self.texture_array() else { return Ok(()) };
        let to = texture.host_side(0, bytes.as_mut_ptr().cast_const());
        let copy = texture.copy_between(0, texture.array_side(0), to, bytes.len());
        stream.read_with(self, &(0..self.bytes), |driver| {
            // SAFETY: the array has as many texels as there are bytes for, which live until the
            // copy is waited for.
            unsafe { driver.cuMemcpy3DAsync_v2(&copy, stream.handle) }
        })
    }

    /// Overwrites the texels of a surface, after the work given before.
    pub(crate) fn write_texels(&self, stream: &Stream, bytes: &[u8]) -> Result<()> {
        let Some(texture) = self.texture_array() else { return Ok(()) };
        let from = texture.host_side(0, bytes.as_ptr());
        let copy = texture.copy_between(0, from, texture.array_side(0), bytes.len());
        stream.write_with(self, &(0..self.bytes), |driver| {
            // SAFETY: as above.
            unsafe { driver.cuMemcpy3DAsync_v2(&copy, stream.handle) }
        })
    }
}

impl TextureArray {
    fn new(
        context: &Arc<Context>,
        driver: &Driver,
        descriptor: &Descriptor,
        (dims, is_layered, is_surface): (usize, bool, bool),
    ) -> Result<Self> {
        let [width, height, depth] = descriptor.extents.map(|extent| extent as usize);
        let described = ArrayDescriptor {
            width,
            // The extents of absent dimensions are zero.
            height: if dims > 1 { height } else { 0 },
            depth: if dims > 2 || is_layered { depth } else { 0 },
            format: array_format(descriptor.channel),
            channels: descriptor.channels,
            flags: match dims {
                _ if is_layered => LAYERED,
                2 => GATHER,
                _ => 0,
            } | if is_surface { SURFACE } else { 0 },
        };
        let mut made = Self {
            context: Arc::clone(context),
            mipmapped: MipmappedArrayHandle::NULL,
            levels: Vec::new(),
            descriptor: *descriptor,
            object: 0,
            surface: 0,
        };
        if descriptor.levels > 1 {
            made.create_levels(driver, &described)?;
        } else {
            let mut array = ArrayHandle::NULL;
            // SAFETY: `array` takes the result; a context is current.
            unsafe { driver.cuArray3DCreate_v2(&mut array, &described) }?;
            expect_handle(driver, "cuArray3DCreate", !array.is_null())?;
            made.levels.push(array);
        }
        Ok(made)
    }

    fn create_levels(&mut self, driver: &Driver, described: &ArrayDescriptor) -> Result<()> {
        let levels = self.descriptor.levels;
        // SAFETY: the field takes the result; a context is current.
        unsafe { driver.cuMipmappedArrayCreate(&mut self.mipmapped, described, levels) }?;
        expect_handle(driver, "cuMipmappedArrayCreate", !self.mipmapped.is_null())?;
        for level in 0..levels {
            let mut array = ArrayHandle::NULL;
            // SAFETY: `array` takes the result, and the mipmapped array has so many levels.
            unsafe { driver.cuMipmappedArrayGetLevel(&mut array, self.mipmapped, level) }?;
            expect_handle(driver, "cuMipmappedArrayGetLevel", !array.is_null())?;
            self.levels.push(array);
        }
        Ok(())
    }

    fn level_extents(&self, level: usize) -> [usize; 3] {
        self.descriptor.level_extents(level as u32).map(|extent| extent as usize)
    }

    /// The side of a copy without its memory; the extents are those of host memory without gaps.
    fn side(&self, level: usize, memory_type: c_uint) -> CopySide {
        let [width, height, _] = self.level_extents(level);
        CopySide {
            start: [0; 4],
            memory_type,
            host: ptr::null(),
            device: 0,
            array: ptr::null_mut(),
            reserved: ptr::null_mut(),
            pitch: width * self.descriptor.texel_bytes(),
            height,
        }
    }

    fn array_side(&self, level: usize) -> CopySide {
        let array = self.levels[level].as_raw();
        CopySide { array, pitch: 0, height: 0, ..self.side(level, ARRAY) }
    }

    fn host_side(&self, level: usize, bytes: *const u8) -> CopySide {
        CopySide { host: bytes.cast::<c_void>(), ..self.side(level, HOST) }
    }

    /// A copy of all texels of a level.
    ///
    /// # Panics
    /// If the host has memory for another number of bytes.
    fn copy_between(
        &self,
        level: usize,
        from: CopySide,
        to: CopySide,
        host_bytes: usize,
    ) -> CopyNode {
        let [width, height, depth] = self.level_extents(level);
        let width_bytes = width * self.descriptor.texel_bytes();
        let bytes = width_bytes * height * depth;
        assert_eq!(host_bytes, bytes, "a copy has as many bytes on both sides");
        CopyNode { from, to, width_bytes, height, depth }
    }

    /// Copies the texels to the arrays of the levels, and waits for that.
    fn fill(&self, stream: &Arc<Stream>, levels: &[Texels<'_>]) -> Result<()> {
        levels
            .iter()
            .enumerate()
            .try_for_each(|(level, texels)| self.fill_level(stream, level, texels))
    }

    fn fill_level(&self, stream: &Arc<Stream>, level: usize, texels: &Texels<'_>) -> Result<()> {
        let to = self.array_side(level);
        match texels {
            Texels::Host(bytes) => {
                let from = self.host_side(level, bytes.as_ptr());
                let copy = self.copy_between(level, from, to, bytes.len());
                self.context.enter(|driver| {
                    // SAFETY: the array has as many texels as there are bytes for, which live until
                    // the copy is waited for.
                    unsafe {
                        driver.cuMemcpy3DAsync_v2(&copy, stream.handle)?;
                        driver.cuStreamSynchronize(stream.handle)
                    }
                })
            }
            Texels::Device { rectangle } => {
                let slice = &rectangle.slice;
                let device = slice.gpu().address_of(slice.offset);
                let side = self.side(level, DEVICE);
                let bytes = side.pitch * side.height;
                let pitch = (rectangle.pitch * rectangle.elem_bytes).max(side.pitch);
                let copy = self.copy_between(level, CopySide { device, pitch, ..side }, to, bytes);
                stream.read_with(slice.gpu(), &slice.range(), |driver| {
                    // SAFETY: the array has as many texels as the rectangle, whose memory lives
                    // until the copy is waited for.
                    unsafe { driver.cuMemcpy3DAsync_v2(&copy, stream.handle) }
                })
            }
        }
    }

    fn create_surface(&self, driver: &Driver) -> Result<u64> {
        let resource = ResourceDescriptor::of_array(self.levels[0]);
        let mut object = 0;
        // SAFETY: `object` takes the result, and the array lives as long as the object.
        unsafe { driver.cuSurfObjectCreate(&mut object, &resource) }?;
        expect_handle(driver, "cuSurfObjectCreate", object != 0)?;
        Ok(object)
    }

    fn create_object(&self, driver: &Driver) -> Result<u64> {
        let descriptor = &self.descriptor;
        let is_mipmapped = !self.mipmapped.is_null();
        let resource = if is_mipmapped {
            ResourceDescriptor::of_mipmapped_array(self.mipmapped)
        } else {
            ResourceDescriptor::of_array(self.levels[0])
        };
        let integers = !descriptor.reads_normalized && is_integer(descriptor.channel);
        let mut flags = if integers { READ_AS_INTEGER } else { 0 };
        if descriptor.normalized {
            flags |= NORMALIZED_COORDINATES;
        }
        if is_mipmapped {
            flags |= DISABLE_TRILINEAR_OPTIMIZATION;
        }
        let texture = TextureDescriptor {
            address: descriptor.address.map(address_mode),
            filter: filter_mode(descriptor.filter),
            flags,
            mipmap_filter: filter_mode(descriptor.mipmap_filter),
            mipmap_levels: [0.0, 0.0, (descriptor.levels - 1) as f32],
            ..TextureDescriptor::ZERO
        };
        let mut object = 0;
        // SAFETY: `object` takes the result, and the array lives as long as the object.
        unsafe { driver.cuTexObjectCreate(&mut object, &resource, &texture, ptr::null()) }?;
        expect_handle(driver, "cuTexObjectCreate", object != 0)?;
        Ok(object)
    }
}

impl Drop for TextureArray {
    fn drop(&mut self) {
        // All calls are made, even after an error of the first, which is that of a lost context.
        if self.surface != 0 {
            // SAFETY: created once and destroyed once, and no work uses it.
            let _ =
                self.context.enter(|driver| unsafe { driver.cuSurfObjectDestroy(self.surface) });
        }
        if self.object != 0 {
            // SAFETY: created once and destroyed once, and no work uses it.
            let _ = self.context.enter(|driver| unsafe { driver.cuTexObjectDestroy(self.object) });
        }
        if !self.mipmapped.is_null() {
            // The arrays of its levels end with it.
            let _ = self.context.enter(|driver| {
                // SAFETY: created once and destroyed once, and no work or object uses it.
                unsafe { driver.cuMipmappedArrayDestroy(self.mipmapped) }
            });
        } else if let Some(array) = self.levels.first() {
            // SAFETY: created once and destroyed once, and no work or object uses it.
            let _ = self.context.enter(|driver| unsafe { driver.cuArrayDestroy(*array) });
        }
    }
}

fn expect_handle(driver: &Driver, call: &'static str, is_some: bool) -> Result<()> {
    driver.expect_usable(call, is_some, || "a null handle".to_owned())
}

/// Returns the `CUarray_format` of a channel type.
const fn array_format(channel: ChannelType) -> c_uint {
    match channel {
        ChannelType::U8 => 1,
        ChannelType::U16 => 2,
        ChannelType::U32 => 3,
        ChannelType::I8 => 8,
        ChannelType::I16 => 9,
        ChannelType::I32 => 10,
        ChannelType::F16 => 16,
        ChannelType::F32 => 32,
    }
}

const fn is_integer(channel: ChannelType) -> bool {
    match channel {
        ChannelType::F16 | ChannelType::F32 => false,
        ChannelType::U8
        | ChannelType::U16
        | ChannelType::U32
        | ChannelType::I8
        | ChannelType::I16
        | ChannelType::I32 => true,
    }
}

/// Returns the `CUfilter_mode` of a filter.
const fn filter_mode(filter: Filter) -> c_uint {
    match filter {
        Filter::Point => 0,
        Filter::Linear => 1,
    }
}

/// Returns the `CUaddress_mode` of an address mode.
const fn address_mode(mode: AddressMode) -> c_uint {
    match mode {
        AddressMode::Wrap => 0,
        AddressMode::Clamp => 1,
        AddressMode::Mirror => 2,
        AddressMode::Border => 3,
    }
}
