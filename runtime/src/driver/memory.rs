//! Memory: of the GPU, in the order of a stream, and of the host where the GPU can reach it.
use super::{
    context::Context,
    stream::Stream,
    table::{Address, Driver, StreamHandle},
};
use crate::{Error, Result};
use std::{ffi::c_void, ptr, sync::Arc};
use warpwise_compiler::ir::Element;

/// `CUDA_ERROR_OUT_OF_MEMORY`
const OUT_OF_MEMORY: u32 = 2;

/// Memory of the GPU, zeroed at first; freed, when dropped, behind the stream's work.
pub(crate) struct Allocation {
    pub(super) stream: Arc<Stream>,
    /// 0 if there are no bytes.
    pub(super) address: Address,
    pub(super) bytes: usize,
}

impl Allocation {
    /// `None` if there is not as much.
    pub(super) fn new(stream: &Arc<Stream>, bytes: usize) -> Result<Option<Self>> {
        let mut address = 0;
        if bytes > 0 {
            let allocated = stream.gpu.context.enter(|driver| {
                address = allocate(&stream.gpu.context, driver, stream.handle, bytes)?;
                Ok(())
            });
            match allocated {
                Err(Error::Driver { code: OUT_OF_MEMORY, .. }) => return Ok(None),
                other => other?,
            }
        }
        let memory = Self { stream: Arc::clone(stream), address, bytes };
        memory.clear()?;
        Ok(Some(memory))
    }

    fn clear(&self) -> Result<()> {
        if self.bytes == 0 {
            return Ok(());
        }
        self.stream.gpu.context.enter(|driver| {
            // SAFETY: all bytes of the allocation, in the order of its stream.
            unsafe { driver.cuMemsetD8Async(self.address, 0, self.bytes, self.stream.handle) }
        })
    }
}

/// Memory in the order of the stream where the driver and the device can do that, in whole words of
/// 32 bits: atomic operations on `bool`s access those that hold them.
///
/// Its address is a multiple of 256, which kernels rely on ([`Element::MAX_ALIGN`]): that is what
/// the CUDA programming guide says of all that the driver allocates.
pub(super) fn allocate(
    context: &Context,
    driver: &Driver,
    stream: StreamHandle,
    bytes: usize,
) -> Result<Address> {
    let bytes = bytes.div_ceil(4).saturating_mul(4);
    let mut address = 0;
    if context.pools {
        // SAFETY: `address` takes the result.
        let allocated = unsafe { driver.cuMemAllocAsync(&mut address, bytes, stream) };
        if let Some(allocated) = allocated {
            allocated?;
            return checked(driver, "cuMemAllocAsync", address);
        }
    }
    // SAFETY: `address` takes the result.
    unsafe { driver.cuMemAlloc_v2(&mut address, bytes) }?;
    checked(driver, "cuMemAlloc", address)
}

/// The address that `call` returned, unless it is null or less aligned than kernels rely on.
fn checked(driver: &Driver, call: &'static str, address: Address) -> Result<Address> {
    let is_usable = address != 0 && address.is_multiple_of(Element::MAX_ALIGN);
    driver.expect_usable(call, is_usable, || format!("memory at address {address:#x}"))?;
    Ok(address)
}

/// Frees what [`allocate`] returned, behind the stream's work.
///
/// # Safety
/// It is freed once, and only work that this stream does, or has waited for, uses it.
pub(super) unsafe fn free(
    context: &Context,
    driver: &Driver,
    stream: StreamHandle,
    address: Address,
) -> Result<()> {
    if context.pools {
        // SAFETY: the caller's promise.
        let freed = unsafe { driver.cuMemFreeAsync(address, stream) };
        if let Some(freed) = freed {
            return freed;
        }
    }
    // SAFETY: as above; all work with it is done once the stream was waited for.
    unsafe {
        driver.cuStreamSynchronize(stream)?;
        driver.cuMemFree_v2(address)
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if self.bytes > 0 {
            let Stream { gpu, handle, .. } = &*self.stream;
            // SAFETY: nobody else has the address. Work of another stream with it made this
            // stream wait for it. An error (of a lost context, with which its memory went) leaves
            // nothing to do.
            let _ = gpu
                .context
                .enter(|driver| unsafe { free(&gpu.context, driver, *handle, self.address) });
        }
    }
}

/// Host memory that the GPU copies to while the host does something else.
pub(super) struct Pinned {
    context: Arc<Context>,
    host: *mut c_void,
}

// SAFETY: owns its memory, as a `Box` does.
unsafe impl Send for Pinned {}

impl Pinned {
    pub(super) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self> {
        let mut host = ptr::null_mut();
        context.enter(|driver| {
            // SAFETY: `host` takes the result.
            unsafe { driver.cuMemAllocHost_v2(&mut host, bytes) }?;
            let is_aligned = host.addr().is_multiple_of(align_of::<u64>());
            let problem = || format!("host memory at address {host:p}");
            driver.expect_usable("cuMemAllocHost", !host.is_null() && is_aligned, problem)
        })?;
        Ok(Self { context: Arc::clone(context), host })
    }

    pub(super) fn as_ptr(&self) -> *mut c_void {
        self.host
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: allocated once, freed once; nothing copies there any more, for whoever started
        // a copy waited for it. An error leaves nothing to do.
        let _ = self.context.enter(|driver| unsafe { driver.cuMemFreeHost(self.host) });
    }
}
