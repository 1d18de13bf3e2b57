//! Events of the driver: points in the work of a stream.
use super::{
    api::{EventHandle, StreamHandle},
    context::Context,
};
use crate::Result;
use std::{ffi::c_uint, sync::Arc, time::Duration};

/// `CUDA_ERROR_NOT_READY`
const NOT_READY: u32 = 600;

/// The use of an event.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    /// To measure times.
    Timing,
    /// To order work only, which is cheaper.
    Order,
}

/// A point in the work of a stream.
pub(crate) struct Event {
    context: Arc<Context>,
    handle: EventHandle,
}

impl Event {
    /// Creates an event that is not recorded, which counts as reached.
    pub(super) fn new(context: &Arc<Context>, purpose: Purpose) -> Result<Self> {
        // `CU_EVENT_DEFAULT` and `CU_EVENT_DISABLE_TIMING`
        let flags: c_uint = match purpose {
            Purpose::Timing => 0,
            Purpose::Order => 2,
        };
        let mut handle = EventHandle::NULL;
        context.enter(|driver| {
            // SAFETY: `handle` takes the result; a context is current.
            unsafe { driver.cuEventCreate(&mut handle, flags) }?;
            let problem = || "a null handle".to_owned();
            driver.expect_usable("cuEventCreate", !handle.is_null(), problem)
        })?;
        Ok(Self { context: Arc::clone(context), handle })
    }

    /// Records the event at the end of the work that `stream`, of the same context, has now.
    pub(super) fn record(&self, stream: StreamHandle) -> Result<()> {
        self.context.enter(|driver| {
            // SAFETY: both live, in the context that is current.
            unsafe { driver.cuEventRecord(self.handle, stream) }
        })
    }

    /// Makes later work of a stream, of the current context, wait for the event.
    ///
    /// # Safety
    /// The stream lives, and its context is current.
    pub(super) unsafe fn delay(
        &self,
        driver: &super::api::Driver,
        stream: StreamHandle,
    ) -> Result<()> {
        // SAFETY: the caller's promise; events of other contexts are allowed here.
        unsafe { driver.cuStreamWaitEvent(stream, self.handle, 0) }
    }

    pub(crate) fn synchronize(&self) -> Result<()> {
        self.context.enter(|driver| {
            // SAFETY: the event lives, in the context that is current.
            unsafe { driver.cuEventSynchronize(self.handle) }
        })
    }

    pub(crate) fn is_reached(&self) -> Result<bool> {
        self.context.enter(|driver| {
            // SAFETY: the event lives, in the context that is current.
            match unsafe { driver.cuEventQuery(self.handle) } {
                Ok(()) => Ok(true),
                Err(crate::Error::Driver { code: NOT_READY, .. }) => Ok(false),
                Err(error) => Err(error),
            }
        })
    }

    pub(crate) fn is_on_the_gpu_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.context, &other.context)
    }

    /// Waits for both events and returns the time between them; zero if they are in another order.
    pub(crate) fn elapsed_since(&self, start: &Self) -> Result<Duration> {
        start.synchronize()?;
        self.synchronize()?;
        let mut milliseconds = 0.0f32;
        self.context.enter(|driver| {
            // SAFETY: `milliseconds` takes the result; both events live, in the context that is
            // current, and record times.
            unsafe { driver.cuEventElapsedTime(&mut milliseconds, start.handle, self.handle) }
        })?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once. An error (of a lost context) leaves nothing to do.
        let _ = self.context.enter(|driver| unsafe { driver.cuEventDestroy_v2(self.handle) });
    }
}
