//! The functions of the CUDA driver for running many kernels of one module.
//!
//! The runtime loads a module for each kernel and copies each buffer by itself, which suits
//! programs but would take most of the time of a kernel that runs for microseconds.
#![expect(unsafe_code, reason = "the driver is C")]
use libloading::Library;
use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    fmt, ptr,
};

/// A failed call of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriverError {
    /// The function.
    pub call: &'static str,
    /// Its result, a `CUresult`.
    pub code: i32,
}

impl DriverError {
    /// Returns true if the error destroys the context, as illegal addresses and instructions do:
    /// the errors after which the runtime, too, gives up a context.
    pub const fn loses_context(self) -> bool {
        matches!(
            self.code,
            201 | 214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721 | 810 | 911
        )
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` failed with {}", self.call, self.code)
    }
}

/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR`
const COMPUTE_CAPABILITY_MAJOR: c_int = 75;
/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR`
const COMPUTE_CAPABILITY_MINOR: c_int = 76;

/// An address in device memory.
pub(super) type Address = u64;

macro_rules! functions {
    ($($name:ident = $symbol:literal ($($arg:ty),*);)*) => {
        /// The functions, in a library that stays loaded.
        struct Functions {
            $($name: unsafe extern "C" fn($($arg),*) -> c_int,)*
            _library: Library,
        }

        impl Functions {
            fn load(name: &str) -> Result<Self, libloading::Error> {
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
    attribute = b"cuDeviceGetAttribute\0" (*mut c_int, c_int, c_int);
    retain = b"cuDevicePrimaryCtxRetain\0" (*mut *mut c_void, c_int);
    make_current = b"cuCtxSetCurrent\0" (*mut c_void);
    synchronize = b"cuCtxSynchronize\0" ();
    load = b"cuModuleLoadData\0" (*mut *mut c_void, *const c_void);
    unload = b"cuModuleUnload\0" (*mut c_void);
    function = b"cuModuleGetFunction\0" (*mut *mut c_void, *mut c_void, *const c_char);
    global = b"cuModuleGetGlobal_v2\0" (*mut Address, *mut usize, *mut c_void, *const c_char);
    allocate = b"cuMemAlloc_v2\0" (*mut Address, usize);
    free = b"cuMemFree_v2\0" (Address);
    upload = b"cuMemcpyHtoD_v2\0" (Address, *const c_void, usize);
    download = b"cuMemcpyDtoH_v2\0" (*mut c_void, Address, usize);
    fill = b"cuMemsetD8_v2\0" (Address, u8, usize);
    launch = b"cuLaunchKernel\0" (*mut c_void, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint,
        *mut c_void, *mut *mut c_void, *mut *mut c_void);
}

const fn check(call: &'static str, code: c_int) -> Result<(), DriverError> {
    if code == 0 { Ok(()) } else { Err(DriverError { call, code }) }
}

/// The first GPU, with its primary context current on the thread that opened it.
pub(super) struct Driver {
    functions: Functions,
    /// The GPU's name.
    pub(super) name: String,
    /// Its compute capability: 90 for 9.0.
    pub(super) sm: u32,
}

impl Driver {
    /// Opens the first GPU.
    ///
    /// # Errors
    /// Returns the reason why there is no GPU.
    pub(super) fn open() -> Result<Self, String> {
        let functions =
            Functions::load("libcuda.so.1").map_err(|_| "there is no driver".to_owned())?;
        let (mut device, mut context) = (0, ptr::null_mut());
        let (mut major, mut minor, mut name) = (0, 0, [0 as c_char; 128]);
        // SAFETY: each pointer takes the result, and the name at most 127 bytes, before a zero.
        let opened = unsafe {
            check("cuInit", (functions.init)(0))
                .and_then(|()| check("cuDeviceGet", (functions.device)(&mut device, 0)))
                .and_then(|()| {
                    let named = (functions.device_name)(name.as_mut_ptr(), 127, device);
                    check("cuDeviceGetName", named)
                })
                .and_then(|()| {
                    check(
                        "cuDeviceGetAttribute",
                        (functions.attribute)(&mut major, COMPUTE_CAPABILITY_MAJOR, device),
                    )
                })
                .and_then(|()| {
                    check(
                        "cuDeviceGetAttribute",
                        (functions.attribute)(&mut minor, COMPUTE_CAPABILITY_MINOR, device),
                    )
                })
                .and_then(|()| {
                    check("cuDevicePrimaryCtxRetain", (functions.retain)(&mut context, device))
                })
                .and_then(|()| check("cuCtxSetCurrent", (functions.make_current)(context)))
        };
        opened.map_err(|error| error.to_string())?;
        // SAFETY: the last byte is still zero.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        Ok(Self { functions, name, sm: u32::try_from(10 * major + minor).unwrap_or(0) })
    }

    /// Waits for all launches.
    pub(super) fn synchronize(&self) -> Result<(), DriverError> {
        // SAFETY: a context is current.
        check("cuCtxSynchronize", unsafe { (self.functions.synchronize)() })
    }

    /// Compiles PTX.
    pub(super) fn load(&self, ptx: &CStr) -> Result<Module<'_>, DriverError> {
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` takes the result; the text ends with a zero.
        let loaded = unsafe { (self.functions.load)(&mut handle, ptx.as_ptr().cast()) };
        check("cuModuleLoadData", loaded)?;
        Ok(Module { driver: self, handle })
    }

    /// Allocates device memory.
    pub(super) fn allocate(&self, bytes: usize) -> Result<Memory<'_>, DriverError> {
        let mut address = 0;
        // SAFETY: `address` takes the result.
        let allocated = unsafe { (self.functions.allocate)(&mut address, bytes) };
        check("cuMemAlloc", allocated)?;
        Ok(Memory { driver: self, address, bytes })
    }
}

/// A module, which is unloaded when dropped.
pub(super) struct Module<'d> {
    driver: &'d Driver,
    handle: *mut c_void,
}

impl Module<'_> {
    /// Copies bytes to the start of a variable of the module.
    pub(super) fn write_global(&self, name: &CStr, bytes: &[u8]) -> Result<(), DriverError> {
        let (functions, mut address, mut size) = (&self.driver.functions, 0, 0);
        // SAFETY: both take a result, and the name ends with a zero; the variable has room for the
        // bytes.
        unsafe {
            let found = (functions.global)(&mut address, &mut size, self.handle, name.as_ptr());
            check("cuModuleGetGlobal", found)?;
            assert!(bytes.len() <= size, "{} bytes for a variable of {size}", bytes.len());
            check("cuMemcpyHtoD", (functions.upload)(address, bytes.as_ptr().cast(), bytes.len()))
        }
    }

    /// Launches an entry point of the module with one 64-bit word for each parameter, of which the
    /// kernel reads as many low bytes as the parameter has.
    ///
    /// # Safety
    /// The kernel must have at most these parameters, and access only memory that it may access.
    pub(super) unsafe fn launch(
        &self,
        name: &CStr,
        [grid, block]: [[u32; 3]; 2],
        shared_bytes: u32,
        words: &mut [u64],
    ) -> Result<(), DriverError> {
        let (functions, mut function) = (&self.driver.functions, ptr::null_mut());
        let mut params: Vec<*mut c_void> =
            words.iter_mut().map(|word| ptr::from_mut(word).cast()).collect();
        let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
        // SAFETY: `function` takes the result, the name ends with a zero; the caller promises the
        // rest.
        unsafe {
            let found = (functions.function)(&mut function, self.handle, name.as_ptr());
            check("cuModuleGetFunction", found)?;
            let (stream, params, extra) = (ptr::null_mut(), params.as_mut_ptr(), ptr::null_mut());
            let launched = (functions.launch)(
                function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                shared_bytes,
                stream,
                params,
                extra,
            );
            check("cuLaunchKernel", launched)
        }
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: loaded once, unloaded once. An error (of a lost context) leaves nothing to do.
        let _ = unsafe { (self.driver.functions.unload)(self.handle) };
    }
}

/// Device memory, which is freed when dropped.
pub(super) struct Memory<'d> {
    driver: &'d Driver,
    pub(super) address: Address,
    bytes: usize,
}

impl Memory<'_> {
    fn address_of(&self, offset: usize, len: usize) -> Address {
        assert!(offset + len <= self.bytes, "{len} bytes at {offset} of {}", self.bytes);
        self.address + offset as u64
    }

    /// Copies bytes to the memory.
    pub(super) fn upload(&self, offset: usize, bytes: &[u8]) -> Result<(), DriverError> {
        let to = self.address_of(offset, bytes.len());
        // SAFETY: both sides have this many bytes.
        let copied =
            unsafe { (self.driver.functions.upload)(to, bytes.as_ptr().cast(), bytes.len()) };
        check("cuMemcpyHtoD", copied)
    }

    /// Copies bytes from the memory.
    pub(super) fn download(&self, offset: usize, bytes: &mut [u8]) -> Result<(), DriverError> {
        let from = self.address_of(offset, bytes.len());
        // SAFETY: both sides have this many bytes.
        let copied = unsafe {
            (self.driver.functions.download)(bytes.as_mut_ptr().cast(), from, bytes.len())
        };
        check("cuMemcpyDtoH", copied)
    }

    /// Fills some bytes with zeros.
    pub(super) fn clear(&self, offset: usize, bytes: usize) -> Result<(), DriverError> {
        let at = self.address_of(offset, bytes);
        // SAFETY: the memory has this many bytes there.
        check("cuMemsetD8", unsafe { (self.driver.functions.fill)(at, 0, bytes) })
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // SAFETY: allocated once, freed once. An error (of a lost context) leaves nothing to do.
        let _ = unsafe { (self.driver.functions.free)(self.address) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_launches_leave_the_context_usable() {
        let loses = |code| DriverError { call: "cuLaunchKernel", code }.loses_context();
        // An illegal address, an illegal instruction, and an uncorrectable error of memory.
        assert!([700, 715, 214].into_iter().all(loses));
        // Too many registers, and too many cooperative blocks.
        assert!(![701, 720].into_iter().any(loses));
    }
}
