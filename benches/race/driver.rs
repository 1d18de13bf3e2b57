//! The few functions of the CUDA driver that load, launch and time kernels, on the default stream.
//!
//! The runtime's own launcher is not used on purpose: both sides of the race are launched in the
//! same way.
#![expect(unsafe_code, reason = "the driver is C")]
use libloading::Library;
use std::{
    ffi::{CStr, CString, c_char, c_int, c_uint, c_void},
    fmt, ptr,
};

/// A failed call of the driver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DriverError {
    call: &'static str,
    /// The result, a `CUresult`.
    code: c_int,
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` failed with {}", self.call, self.code)
    }
}

impl std::error::Error for DriverError {}

type Result<T> = std::result::Result<T, DriverError>;

macro_rules! functions {
    ($($name:ident = $symbol:literal ($($arg:ty),*);)*) => {
        /// The functions, in a library that stays loaded.
        struct Functions {
            $($name: unsafe extern "C" fn($($arg),*) -> c_int,)*
            _library: Library,
        }

        impl Functions {
            fn load(name: &str) -> std::result::Result<Self, libloading::Error> {
                // SAFETY: a library with the driver's name is trusted to be the driver; the types
                // are those of `cuda.h`.
                unsafe {
                    let library = Library::new(name)?;
                    Ok(Self { $($name: *library.get($symbol)?,)* _library: library })
                }
            }
        }
    };
}

functions! {
    init = b"cuInit\0" (c_uint);
    device = b"cuDeviceGet\0" (*mut c_int, c_int);
    device_name = b"cuDeviceGetName\0" (*mut c_char, c_int, c_int);
    device_attribute = b"cuDeviceGetAttribute\0" (*mut c_int, c_int, c_int);
    driver_version = b"cuDriverGetVersion\0" (*mut c_int);
    retain = b"cuDevicePrimaryCtxRetain\0" (*mut *mut c_void, c_int);
    make_current = b"cuCtxSetCurrent\0" (*mut c_void);
    synchronize = b"cuCtxSynchronize\0" ();
    load = b"cuModuleLoadData\0" (*mut *mut c_void, *const c_void);
    unload = b"cuModuleUnload\0" (*mut c_void);
    function = b"cuModuleGetFunction\0" (*mut *mut c_void, *mut c_void, *const c_char);
    allocate = b"cuMemAlloc_v2\0" (*mut u64, usize);
    free = b"cuMemFree_v2\0" (u64);
    upload = b"cuMemcpyHtoD_v2\0" (u64, *const c_void, usize);
    download = b"cuMemcpyDtoH_v2\0" (*mut c_void, u64, usize);
    copy = b"cuMemcpyDtoD_v2\0" (u64, u64, usize);
    launch = b"cuLaunchKernel\0" (*mut c_void, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint,
        *mut c_void, *mut *mut c_void, *mut *mut c_void);
    create_event = b"cuEventCreate\0" (*mut *mut c_void, c_uint);
    destroy_event = b"cuEventDestroy_v2\0" (*mut c_void);
    record_event = b"cuEventRecord\0" (*mut c_void, *mut c_void);
    wait_for_event = b"cuEventSynchronize\0" (*mut c_void);
    elapsed = b"cuEventElapsedTime\0" (*mut f32, *mut c_void, *mut c_void);
}

const fn check(call: &'static str, code: c_int) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(DriverError { call, code }) }
}

/// The first GPU, with its primary context current on the thread that opened it.
pub(crate) struct Driver {
    functions: Functions,
    /// The GPU's name.
    pub(crate) name: String,
    /// The driver's CUDA version, as 13000.
    pub(crate) version: i32,
    /// The GPU's number of multiprocessors.
    pub(crate) multiprocessors: u64,
}

/// `CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT`
const MULTIPROCESSOR_COUNT: c_int = 16;

impl Driver {
    /// Opens the first GPU.
    ///
    /// # Errors
    /// Returns the reason why there is no GPU.
    pub(crate) fn open() -> crate::Result<Self> {
        let functions = Functions::load("libcuda.so.1").map_err(|_| "there is no driver")?;
        let (mut device, mut context, mut version) = (0, ptr::null_mut(), 0);
        let (mut name, mut multiprocessors) = ([0 as c_char; 128], 0);
        // SAFETY: each pointer takes the result, and the name at most 127 bytes, before a zero.
        unsafe {
            check("cuInit", (functions.init)(0))?;
            check("cuDeviceGet", (functions.device)(&mut device, 0))?;
            check("cuDeviceGetName", (functions.device_name)(name.as_mut_ptr(), 127, device))?;
            let attribute =
                (functions.device_attribute)(&mut multiprocessors, MULTIPROCESSOR_COUNT, device);
            check("cuDeviceGetAttribute", attribute)?;
            check("cuDriverGetVersion", (functions.driver_version)(&mut version))?;
            check("cuDevicePrimaryCtxRetain", (functions.retain)(&mut context, device))?;
            check("cuCtxSetCurrent", (functions.make_current)(context))?;
        }
        // SAFETY: the last byte is still zero.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        let multiprocessors = u64::try_from(multiprocessors).unwrap_or(0);
        Ok(Self { functions, name, version, multiprocessors })
    }

    /// Loads the kernel `name` from machine code, or from PTX, which the driver compiles.
    pub(crate) fn load(&self, image: &[u8], name: &str) -> Result<Function<'_>> {
        // PTX ends with a zero; machine code knows its length.
        let image = [image, &[0]].concat();
        let (mut module, mut handle) = (ptr::null_mut(), ptr::null_mut());
        let name = CString::new(name).expect("Rust names have no zeros");
        // SAFETY: `module` and `handle` take the results; image and name end with a zero.
        unsafe {
            let loaded = (self.functions.load)(&mut module, image.as_ptr().cast());
            check("cuModuleLoadData", loaded)?;
            let found = (self.functions.function)(&mut handle, module, name.as_ptr());
            let function = Function { driver: self, module, handle };
            check("cuModuleGetFunction", found)?;
            Ok(function)
        }
    }

    /// Allocates device memory.
    pub(crate) fn allocate(&self, bytes: usize) -> Result<Memory<'_>> {
        let mut address = 0;
        // SAFETY: `address` takes the result.
        let allocated = unsafe { (self.functions.allocate)(&mut address, bytes.max(1)) };
        check("cuMemAlloc", allocated)?;
        Ok(Memory { driver: self, address, bytes })
    }

    /// Waits for all launches.
    pub(crate) fn synchronize(&self) -> Result<()> {
        // SAFETY: a context is current.
        check("cuCtxSynchronize", unsafe { (self.functions.synchronize)() })
    }

    /// Creates an event.
    pub(crate) fn event(&self) -> Result<Event<'_>> {
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` takes the result.
        let created = unsafe { (self.functions.create_event)(&mut handle, 0) };
        check("cuEventCreate", created)?;
        Ok(Event { driver: self, handle })
    }
}

/// A kernel; its module is unloaded when it is dropped.
pub(crate) struct Function<'d> {
    driver: &'d Driver,
    module: *mut c_void,
    handle: *mut c_void,
}

impl Function<'_> {
    /// Launches the kernel with one 64-bit word for each parameter, of which it reads as many low
    /// bytes as the parameter has.
    ///
    /// # Safety
    /// The kernel must have at most these parameters, and access only memory that it may access.
    pub(crate) unsafe fn launch(
        &self,
        [grid, block]: [[u32; 3]; 2],
        words: &mut [u64],
    ) -> Result<()> {
        let mut params: Vec<*mut c_void> =
            words.iter_mut().map(|word| ptr::from_mut(word).cast()).collect();
        let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
        let (stream, params, extra) = (ptr::null_mut(), params.as_mut_ptr(), ptr::null_mut());
        let launch = self.driver.functions.launch;
        // SAFETY: the caller's promise.
        check("cuLaunchKernel", unsafe {
            launch(self.handle, gx, gy, gz, bx, by, bz, 0, stream, params, extra)
        })
    }
}

impl Drop for Function<'_> {
    fn drop(&mut self) {
        // SAFETY: loaded once, unloaded once. An error (of a lost context) leaves nothing to do.
        let _ = unsafe { (self.driver.functions.unload)(self.module) };
    }
}

/// A moment on the default stream.
pub(crate) struct Event<'d> {
    driver: &'d Driver,
    handle: *mut c_void,
}

impl Event<'_> {
    /// Marks the moment after everything launched so far.
    pub(crate) fn record(&self) -> Result<()> {
        // SAFETY: the event exists; no stream is the default stream.
        let recorded =
            unsafe { (self.driver.functions.record_event)(self.handle, ptr::null_mut()) };
        check("cuEventRecord", recorded)
    }

    /// Waits for the event, and returns the milliseconds since `start`.
    pub(crate) fn milliseconds_since(&self, start: &Self) -> Result<f32> {
        let mut milliseconds = 0.0;
        // SAFETY: both events exist, and `milliseconds` takes the result.
        unsafe {
            let waited = (self.driver.functions.wait_for_event)(self.handle);
            check("cuEventSynchronize", waited)?;
            let elapsed = self.driver.functions.elapsed;
            check("cuEventElapsedTime", elapsed(&mut milliseconds, start.handle, self.handle))?;
        }
        Ok(milliseconds)
    }
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once. An error leaves nothing to do.
        let _ = unsafe { (self.driver.functions.destroy_event)(self.handle) };
    }
}

/// Device memory, which is freed when dropped.
pub(crate) struct Memory<'d> {
    driver: &'d Driver,
    /// The address.
    pub(crate) address: u64,
    bytes: usize,
}

impl Memory<'_> {
    /// Copies bytes to the start of the memory.
    pub(crate) fn upload(&self, bytes: &[u8]) -> Result<()> {
        assert!(bytes.len() <= self.bytes, "{} bytes for {}", bytes.len(), self.bytes);
        let upload = self.driver.functions.upload;
        // SAFETY: both sides have this many bytes.
        let copied = unsafe { upload(self.address, bytes.as_ptr().cast(), bytes.len()) };
        check("cuMemcpyHtoD", copied)
    }

    /// Returns the contents.
    pub(crate) fn download(&self) -> Result<Vec<u8>> {
        let mut bytes = vec![0; self.bytes];
        let download = self.driver.functions.download;
        // SAFETY: both sides have this many bytes.
        let copied = unsafe { download(bytes.as_mut_ptr().cast(), self.address, self.bytes) };
        check("cuMemcpyDtoH", copied)?;
        Ok(bytes)
    }

    /// Copies the contents of other memory of the same size.
    pub(crate) fn copy_from(&self, other: &Self) -> Result<()> {
        assert_eq!(self.bytes, other.bytes);
        let copy = self.driver.functions.copy;
        // SAFETY: both sides have this many bytes.
        check("cuMemcpyDtoD", unsafe { copy(self.address, other.address, self.bytes) })
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // SAFETY: allocated once, freed once. An error (of a lost context) leaves nothing to do.
        let _ = unsafe { (self.driver.functions.free)(self.address) };
    }
}
