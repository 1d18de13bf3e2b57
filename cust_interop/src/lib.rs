//! Streams and buffers of `cust` for Warpwise, and slices of Warpwise for `cust`, without copies.
//!
//! A program that uses `cust` gets a [`Device`] for its stream, gives its buffers to kernels of
//! Warpwise, and goes on with them in its own launches. `examples/saxpy.rs` does all of it.
//!
//! This is a crate of its own because programs that link `cust` do not start on machines without a
//! driver, and it does not build without a CUDA library to link: `build` makes one.
use cust::{
    context::legacy::{ContextStack, CurrentContext, UnownedContext},
    memory::{DeviceBuffer, DeviceCopy, DevicePointer},
    stream::Stream,
};
use std::sync::Arc;
use warpwise::{Buffer, Device, Element, Result, Slice};

/// Creates a device whose work goes to a stream of `cust` on the GPU with this number, which it
/// keeps.
///
/// Work of both is done in the order given. The stream's context is that of
/// `cust::context::Context`, which lives as long as the device.
///
/// # Errors
/// As for [`Device::from_raw_stream`]: among others for a stream of a context that
/// `cust::context::legacy` made.
pub fn device(ordinal: usize, stream: &Arc<Stream>) -> Result<Device> {
    let raw = stream.as_inner().cast();
    // SAFETY: the device owns a clone of the stream's `Arc`, and `cust` never captures a stream.
    #[expect(unsafe_code, reason = "a stream of `cust`'s")]
    unsafe {
        Device::from_raw_stream(ordinal, raw, Arc::clone(stream))
    }
}

/// Creates a buffer over one of `cust`, without a copy.
///
/// When it is dropped, the calling thread waits for the work that uses it, and then `cust` frees
/// the memory.
///
/// # Errors
/// As for [`Device::buffer_from_raw`].
///
/// # Panics
/// If no context is current on this thread.
///
/// # Safety
/// The buffer was allocated in the context that is current, and the device is of the same. Its
/// elements are initialized. Work of `cust` with it is done, or was given to the stream of the
/// device.
#[expect(unsafe_code, reason = "the caller guarantees the order")]
pub unsafe fn buffer<T>(device: &Device, buffer: DeviceBuffer<T>) -> Result<Buffer<T>>
where
    T: Element + DeviceCopy,
{
    let (address, len) = (buffer.as_device_ptr().as_raw(), buffer.len());
    let context = CurrentContext::get_current().expect("a context is current");
    let owner = Owner { buffer: Some(buffer), context };
    // SAFETY: the caller's promise; so many elements are there until the owner is dropped.
    unsafe { device.buffer_from_raw(address, len, owner) }
}

/// Returns the address of a slice for launches of `cust`; `None` on the interpreter.
///
/// See [`Slice::as_device_ptr`] for the order of such launches, and
/// [`Device::with_raw_stream`] for several streams.
pub fn pointer<T: Element + DeviceCopy>(slice: &Slice<T>) -> Option<DevicePointer<T>> {
    slice.as_device_ptr().map(DevicePointer::from_raw)
}

/// A buffer of `cust` that is freed in its context, from whichever thread.
struct Owner<T: DeviceCopy> {
    /// `None` once it is freed.
    buffer: Option<DeviceBuffer<T>>,
    context: UnownedContext,
}

impl<T: DeviceCopy> Drop for Owner<T> {
    fn drop(&mut self) {
        let buffer = self.buffer.take();
        match ContextStack::push(&self.context) {
            Ok(()) => {
                drop(buffer);
                // What was current before is current again, or nothing can be done.
                let _ = ContextStack::pop();
            }
            // `cust` would panic where it cannot free the memory.
            Err(_) => std::mem::forget(buffer),
        }
    }
}
