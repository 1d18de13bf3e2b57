//! One GPU: its primary context, its properties, and the kernels loaded into it.
//!
//! The primary context is the one that the CUDA runtime and other libraries use too. All calls that
//! need it go through [`Context::enter`], which makes it current on the calling thread during the
//! call, and records its loss.
use super::{
    api::{ContextHandle, DeviceNumber, Driver},
    kernel::GpuKernel,
    properties::{count, describe},
};
use crate::{
    Error, Result,
    launch::bound_kernel::PerKernel,
    properties::{DeviceInfo, MemoryInfo},
};
use std::{
    ffi::c_int,
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};
use warpwise_compiler::target::Target;

/// Errors after which the driver refuses all further work in a context. The documentation of
/// `CUresult` says of each: "the context cannot be used, so it must be destroyed", or similar.
const FATAL: &[u32] = &[
    201, // CUDA_ERROR_INVALID_CONTEXT
    214, // CUDA_ERROR_ECC_UNCORRECTABLE
    220, // CUDA_ERROR_NVLINK_UNCORRECTABLE
    226, // CUDA_ERROR_CONTAINED
    700, // CUDA_ERROR_ILLEGAL_ADDRESS
    702, // CUDA_ERROR_LAUNCH_TIMEOUT
    709, // CUDA_ERROR_CONTEXT_IS_DESTROYED
    710, // CUDA_ERROR_ASSERT
    714, // CUDA_ERROR_HARDWARE_STACK_ERROR
    715, // CUDA_ERROR_ILLEGAL_INSTRUCTION
    716, // CUDA_ERROR_MISALIGNED_ADDRESS
    717, // CUDA_ERROR_INVALID_ADDRESS_SPACE
    718, // CUDA_ERROR_INVALID_PC
    719, // CUDA_ERROR_LAUNCH_FAILED
    721, // CUDA_ERROR_TENSOR_MEMORY_LEAK
    810, // CUDA_ERROR_MPS_CLIENT_TERMINATED
    911, // CUDA_ERROR_EXTERNAL_DEVICE
];

/// A GPU in use. Fields are dropped in order: the kernels before their context.
pub(super) struct Gpu {
    pub(super) kernels: PerKernel<GpuKernel>,
    pub(super) context: Arc<Context>,
}

impl Gpu {
    /// Returns the GPU with this number; the same one at each call, unless it was lost.
    ///
    /// A GPU stays in use to the end of the process, so that opening it again costs nothing. One
    /// that is lost is let go: its context ends with the last thing in it.
    pub(super) fn get(ordinal: usize) -> Result<Arc<Self>> {
        static IN_USE: Mutex<Vec<Arc<Gpu>>> = Mutex::new(Vec::new());
        let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
        in_use.retain(|gpu| gpu.context.lost.get().is_none());
        if let Some(gpu) = in_use.iter().find(|gpu| gpu.context.ordinal == ordinal) {
            return Ok(Arc::clone(gpu));
        }
        let context = Arc::new(Context::retain(Driver::get()?, ordinal)?);
        let gpu = Arc::new(Self { kernels: PerKernel::new(), context });
        in_use.push(Arc::clone(&gpu));
        Ok(gpu)
    }
}

/// A GPU's primary context.
pub(super) struct Context {
    driver: &'static Driver,
    pub(super) handle: ContextHandle,
    number: DeviceNumber,
    pub(super) ordinal: usize,
    pub(super) info: DeviceInfo,
    /// True if the device supports cooperative launches.
    pub(super) cooperative: bool,
    /// True if memory is allocated and freed in stream order.
    pub(super) pools: bool,
    /// The error that lost the GPU.
    lost: OnceLock<Error>,
}

impl Context {
    fn retain(driver: &'static Driver, ordinal: usize) -> Result<Self> {
        let number = device_number(driver, ordinal)?;
        let (info, sm) = describe(driver, number)?;
        let (oldest, device) = (Target::OLDEST.sm(), format!("cuda:{ordinal} ({})", info.name));
        if sm < oldest {
            return Err(Error::DeviceTooOld { device, sm, needs: oldest });
        }
        let (pools, cooperative) = (info.features.memory_pools, info.features.cooperative_launch);
        let mut handle = ContextHandle::NULL;
        // SAFETY: `handle` takes the result; `number` came from the driver.
        let retained = unsafe { driver.cuDevicePrimaryCtxRetain(&mut handle, number) };
        retained.map_err(|error| match error {
            // Lost before: the driver gives this process no other context of the device.
            Error::Driver { code, .. } if FATAL.contains(&code) => {
                Error::DeviceLost { device, cause: Box::new(error) }
            }
            error => error,
        })?;
        let problem = || "a null context".to_owned();
        driver.expect_usable("cuDevicePrimaryCtxRetain", !handle.is_null(), problem)?;
        let lost = OnceLock::new();
        Ok(Self { driver, handle, number, ordinal, info, cooperative, pools, lost })
    }

    /// Does `work` with this context current on this thread.
    ///
    /// # Errors
    /// Returns the error of `work`, or [`Error::DeviceLost`] if that error, or an earlier one of
    /// another call, is one after which the driver refuses all work.
    pub(super) fn enter<T>(&self, work: impl FnOnce(&'static Driver) -> Result<T>) -> Result<T> {
        if let Some(cause) = self.lost.get() {
            return Err(self.device_lost(cause.clone()));
        }
        let current = Current::of(self.driver, self.handle);
        current.and_then(|_current| work(self.driver)).map_err(|error| match error {
            Error::Driver { code, .. } if FATAL.contains(&code) => {
                self.device_lost(self.lost.get_or_init(|| error).clone())
            }
            error => error,
        })
    }

    fn device_lost(&self, cause: Error) -> Error {
        Error::DeviceLost { device: self.to_string(), cause: Box::new(cause) }
    }

    /// Returns the bytes of the GPU's memory.
    pub(super) fn memory_info(&self) -> Result<MemoryInfo> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: both take a number, and the context is current.
        self.enter(|driver| unsafe { driver.cuMemGetInfo_v2(&mut free, &mut total) })?;
        Ok(MemoryInfo { free: free as u64, total: total as u64 })
    }

    /// Returns true if the hardware lets kernels of this GPU access memory of `other`, another GPU.
    pub(super) fn can_access_peer(&self, other: &Self) -> Result<bool> {
        let mut can = 0;
        // The call needs no context, but on a lost device every call reports the loss.
        self.enter(|driver| {
            // SAFETY: `can` takes the result; both numbers came from the driver.
            unsafe { driver.cuDeviceCanAccessPeer(&mut can, self.number, other.number) }
        })?;
        Ok(can == 1)
    }
}

/// While it lives, a context is current on this thread; then, what was current before. If that was
/// none, the context stays current, as the CUDA runtime leaves it, too.
struct Current {
    /// The driver, if another context is to be current again.
    pushed: Option<&'static Driver>,
}

impl Current {
    fn of(driver: &'static Driver, context: ContextHandle) -> Result<Self> {
        let mut current = ContextHandle::NULL;
        // SAFETY: `current` takes the result; the caller's context lives as long as the work in it.
        unsafe {
            driver.cuCtxGetCurrent(&mut current)?;
            if current != context {
                driver.cuCtxPushCurrent_v2(context)?;
            }
        }
        let is_pushed = current != context && !current.is_null();
        Ok(Self { pushed: is_pushed.then_some(driver) })
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        let Some(driver) = self.pushed else { return };
        let mut popped = ContextHandle::NULL;
        // SAFETY: `popped` takes the result. An error leaves nothing to do.
        let _ = unsafe { driver.cuCtxPopCurrent_v2(&mut popped) };
    }
}

/// `cuda:0 (NVIDIA H200)`
impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cuda:{} ({})", self.ordinal, self.info.name)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once, released once. An error (of a driver that is shutting down with
        // the process) leaves nothing to do.
        let _ = unsafe { self.driver.cuDevicePrimaryCtxRelease_v2(self.number) };
    }
}

fn device_number(driver: &Driver, ordinal: usize) -> Result<DeviceNumber> {
    let count = count(driver)?;
    let index = c_int::try_from(ordinal).ok().filter(|_| ordinal < count);
    let index = index.ok_or(Error::NoDevice { ordinal, count })?;
    let mut number = 0;
    // SAFETY: `number` takes the result.
    unsafe { driver.cuDeviceGet(&mut number, index) }?;
    Ok(number)
}
