//! Memory of the GPU, in the order of a stream.
use super::{
    context::Context,
    stream::Stream,
    table::{Address, Driver, StreamHandle},
    uses::Uses,
};
use crate::{Error, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpwise_compiler::ir::Element;

/// `CUDA_ERROR_OUT_OF_MEMORY`
pub(super) const OUT_OF_MEMORY: u32 = 2;

/// Memory of the GPU; freed, when dropped, behind all work with it.
pub(crate) struct Allocation {
    /// The stream in whose order it is allocated and freed.
    pub(super) stream: Arc<Stream>,
    /// 0 if there are no bytes.
    pub(super) address: Address,
    pub(super) bytes: usize,
    uses: Mutex<Uses>,
}

impl Allocation {
    /// `None` if there is not as much.
    pub(super) fn new(stream: &Arc<Stream>, bytes: usize, is_zeroed: bool) -> Result<Option<Self>> {
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
        let memory = Self { stream: Arc::clone(stream), address, bytes, uses: Mutex::default() };
        if bytes > 0 {
            // Other streams use the memory behind its allocation, zeroed or not.
            stream.submit([(&memory, 0..bytes, true)], |driver, _| match is_zeroed {
                false => Ok(()),
                // SAFETY: all bytes of the allocation, in the order of its stream.
                true => unsafe { driver.cuMemsetD8Async(address, 0, bytes, stream.handle) },
            })?;
        }
        Ok(Some(memory))
    }

    pub(super) fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the address of a byte of the memory.
    pub(super) fn address_of(&self, offset: usize) -> Address {
        self.address + offset as Address
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
        if self.bytes == 0 {
            return;
        }
        let Self { stream, address, .. } = self;
        let uses = self.uses.get_mut().unwrap_or_else(PoisonError::into_inner);
        let context = &stream.gpu.context;
        // An error (of a lost context, with which its memory went) leaves nothing to do.
        let _ = context.enter(|driver| {
            for other in uses.others(stream) {
                stream.wait_behind(driver, other)?;
            }
            // SAFETY: nobody else has the address, and the stream waits for all work with it.
            unsafe { free(context, driver, stream.handle, *address) }
        });
    }
}
