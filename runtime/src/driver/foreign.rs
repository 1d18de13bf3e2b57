//! Streams that another library made and destroys, and its work on ours.
use super::{
    api::{ContextHandle, StreamHandle},
    context::Gpu,
    event::{Event, Purpose},
    memory::{Allocation, Owner},
    stream::Stream,
};
use crate::{Error, Result};
use std::{ffi::c_void, ops::Range, ptr, sync::Arc};

/// `CU_STREAM_PER_THREAD`: another stream on each thread.
const PER_THREAD: *mut c_void = ptr::without_provenance_mut(2);

impl Stream {
    /// Wraps a stream of another library, which lives as long as `owner`.
    ///
    /// # Safety
    /// The stream lives while `owner` does. It is null, the default stream, or of the primary
    /// context of the GPU with this number, and nothing is captured on it.
    pub(crate) unsafe fn foreign(
        ordinal: usize,
        stream: *mut c_void,
        owner: Owner,
    ) -> Result<Arc<Self>> {
        let refused = |problem: &str| Error::ForeignStream { ordinal, problem: problem.into() };
        if stream == PER_THREAD {
            return Err(refused("it is the default stream of each thread, which has no one order"));
        }
        let gpu = Gpu::get(ordinal)?;
        let handle = StreamHandle::from_raw(stream);
        let mut context = gpu.context.handle;
        gpu.context.enter(|driver| {
            // SAFETY: `context` takes the result; the stream lives, and a context is current.
            unsafe { driver.cuStreamGetCtx(handle, &mut context) }.unwrap_or(Ok(()))
        })?;
        if context != gpu.context.handle && context != ContextHandle::NULL {
            return Err(refused("it is of another context than the GPU's primary one"));
        }
        Self::with_handle(gpu, handle, Some(owner), None)
    }

    /// Returns the stream for another library.
    pub(crate) fn raw(&self) -> *mut c_void {
        self.handle.as_raw()
    }

    /// Returns the context of the stream for another library.
    #[cfg(feature = "cudarc")]
    pub(crate) fn raw_context(&self) -> *mut c_void {
        self.gpu.context.handle.as_raw()
    }

    /// Makes later work of this stream wait for the work that a stream of another library
    /// has.
    ///
    /// # Safety
    /// The stream lives, in the context of this one.
    pub(crate) unsafe fn wait_for_raw(&self, stream: *mut c_void) -> Result<()> {
        let event = Event::new(&self.gpu.context, Purpose::Order)?;
        event.record(StreamHandle::from_raw(stream))?;
        self.wait_for(&event)
    }

    /// Makes later work of a stream of another library wait for the work that this one
    /// has.
    ///
    /// # Safety
    /// The stream lives, in the context of this one.
    pub(crate) unsafe fn delay_raw(&self, stream: *mut c_void) -> Result<()> {
        let event = Event::new(&self.gpu.context, Purpose::Order)?;
        event.record(self.handle)?;
        let stream = StreamHandle::from_raw(stream);
        // SAFETY: the stream lives by the caller's promise; its context is current.
        self.gpu.context.enter(|driver| unsafe { event.delay(driver, stream) })
    }

    /// Makes the stream wait for the uses that conflict with these, and counts all of its work up
    /// to here as uses of these bytes.
    pub(crate) fn add_uses<'a>(
        self: &Arc<Self>,
        uses: impl IntoIterator<Item = (&'a Allocation, Range<usize>, bool), IntoIter: Clone>,
    ) -> Result<()> {
        self.submit(uses, |_, _| Ok(()))
    }
}

/// Memory that another library owns from now on.
#[cfg(feature = "cudarc")]
pub(crate) enum Released {
    /// Memory of the driver at this address, which is to be freed.
    Memory(u64),
    /// The owner of memory that came from another library.
    Owner(Owner),
}

#[cfg(feature = "cudarc")]
impl Allocation {
    /// Returns the owner of memory that came from another library.
    pub(crate) const fn owner(&self) -> Option<&Owner> {
        self.owner.as_ref()
    }

    /// Makes later work of a stream of another library wait for the work with the memory.
    ///
    /// # Safety
    /// The stream lives, in the context of the memory.
    pub(crate) unsafe fn delay_raw(&self, stream: *mut c_void) -> Result<()> {
        self.wait_for_all_uses()?;
        // SAFETY: the caller's promise.
        unsafe { self.stream.delay_raw(stream) }
    }

    /// Gives the memory up.
    ///
    /// # Safety
    /// The caller uses and frees it after the work with it: on a stream that is
    /// [delayed](Self::delay_raw).
    pub(crate) unsafe fn release(mut self) -> Released {
        // No bytes are left to be freed.
        self.bytes = 0;
        match self.owner.take() {
            Some(owner) => Released::Owner(owner),
            None => Released::Memory(self.address),
        }
    }
}
