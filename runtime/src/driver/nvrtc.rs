//! NVRTC, NVIDIA's compiler of CUDA C, found at run time as the driver is.
//!
//! Names and meanings are NVRTC's: <https://docs.nvidia.com/cuda/nvrtc/>.
use super::library::first_usable;
use crate::{Error, Result};
use libloading::Library;
use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    ptr,
    sync::OnceLock,
};

/// The file names of NVRTC, newest first.
const LIBRARIES: &[&str] = if cfg!(windows) {
    &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"]
} else if cfg!(target_os = "macos") {
    &[]
} else {
    &["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"]
};

/// `nvrtcResult`
type Status = c_int;
/// `nvrtcProgram`
type ProgramHandle = *mut c_void;

macro_rules! functions {
    ($($name:ident($($arg:ty),*);)*) => {
        /// NVRTC, loaded.
        #[expect(non_snake_case, reason = "named as in CUDA")]
        pub(crate) struct Nvrtc {
            $($name: unsafe extern "C" fn($($arg),*) -> Status,)*
            nvrtcGetErrorString: unsafe extern "C" fn(Status) -> *const c_char,
            /// Keeps the functions where they are.
            _library: Library,
        }

        impl Nvrtc {
            /// Finds every function, or names the first that is missing.
            ///
            /// # Safety
            /// The functions that `library` exports under these names must have these types.
            #[expect(non_snake_case, reason = "named as in CUDA")]
            unsafe fn link(library: Library) -> Result<Self, &'static str> {
                $(
                    // SAFETY: the caller's promise.
                    let $name = *unsafe {
                        library.get::<unsafe extern "C" fn($($arg),*) -> Status>(stringify!($name))
                    }
                    .map_err(|_| stringify!($name))?;
                )*
                // SAFETY: as above.
                let nvrtcGetErrorString = *unsafe {
                    library.get::<unsafe extern "C" fn(Status) -> *const c_char>("nvrtcGetErrorString")
                }
                .map_err(|_| "nvrtcGetErrorString")?;
                Ok(Self { $($name,)* nvrtcGetErrorString, _library: library })
            }
        }
    };
}
functions! {
    nvrtcCreateProgram(
        *mut ProgramHandle, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char
    );
    nvrtcDestroyProgram(*mut ProgramHandle);
    nvrtcCompileProgram(ProgramHandle, c_int, *const *const c_char);
    nvrtcGetPTXSize(ProgramHandle, *mut usize);
    nvrtcGetPTX(ProgramHandle, *mut c_char);
    nvrtcGetProgramLogSize(ProgramHandle, *mut usize);
    nvrtcGetProgramLog(ProgramHandle, *mut c_char);
}

/// A program of NVRTC, destroyed when dropped.
struct Program<'a> {
    nvrtc: &'a Nvrtc,
    handle: ProgramHandle,
}

impl Nvrtc {
    /// Returns NVRTC, loaded at the first call.
    ///
    /// # Errors
    /// [`Error::NoNvrtc`], the same at every call.
    pub(crate) fn get() -> Result<&'static Self> {
        static NVRTC: OnceLock<Result<Nvrtc, Vec<String>>> = OnceLock::new();
        let nvrtc = NVRTC.get_or_init(|| first_usable(LIBRARIES, Self::open)).as_ref();
        nvrtc.map_err(|tried| Error::NoNvrtc { tried: tried.clone() })
    }

    fn open(name: &str) -> Result<Self, String> {
        // SAFETY: what carries NVRTC's name is trusted to be it; its initializers run.
        let library =
            unsafe { Library::new(name) }.map_err(|_| format!("`{name}` is not there"))?;
        // SAFETY: as above, and the types are those of `nvrtc.h`.
        unsafe { Self::link(library) }.map_err(|missing| format!("`{name}` lacks `{missing}`"))
    }

    /// Compiles CUDA C to PTX.
    pub(crate) fn compile(&self, source: &CStr, options: &[CString]) -> Result<CString> {
        let mut handle = ptr::null_mut();
        let (name, none) = (c"module.cu".as_ptr(), ptr::null());
        // SAFETY: `handle` takes the result; the strings live, and there are no headers.
        let created =
            unsafe { (self.nvrtcCreateProgram)(&mut handle, source.as_ptr(), name, 0, none, none) };
        self.check("nvrtcCreateProgram", created)?;
        let program = Program { nvrtc: self, handle };
        let options: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(options.len()).unwrap_or(c_int::MAX);
        // SAFETY: the program lives, and so many options.
        let compiled = unsafe { (self.nvrtcCompileProgram)(handle, count, options.as_ptr()) };
        self.check("nvrtcCompileProgram", compiled).map_err(|error| program.add_log(error))?;
        program.text("nvrtcGetPTX", self.nvrtcGetPTXSize, self.nvrtcGetPTX)
    }

    fn check(&self, call: &'static str, status: Status) -> Result<()> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: returns a static string for every number.
        let name = unsafe { (self.nvrtcGetErrorString)(status) };
        let name = if name.is_null() {
            format!("error {status}")
        } else {
            // SAFETY: not null, so one of NVRTC's static strings.
            unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
        };
        Err(Error::CompileCuda { call, name, log: None })
    }
}

impl Program<'_> {
    /// Returns a text of the program, by the functions for its size and for itself.
    fn text(
        &self,
        call: &'static str,
        size_of_text: unsafe extern "C" fn(ProgramHandle, *mut usize) -> Status,
        copy_text: unsafe extern "C" fn(ProgramHandle, *mut c_char) -> Status,
    ) -> Result<CString> {
        let mut size = 0;
        // SAFETY: `size` takes the result; the program lives.
        self.nvrtc.check(call, unsafe { size_of_text(self.handle, &mut size) })?;
        let mut text = vec![0u8; size.saturating_add(1)];
        // SAFETY: as many bytes are there as the text has with its zero.
        self.nvrtc.check(call, unsafe { copy_text(self.handle, text.as_mut_ptr().cast()) })?;
        Ok(CStr::from_bytes_until_nul(&text).map(CStr::to_owned).unwrap_or_default())
    }

    /// Returns the error with the messages of the compiler.
    fn add_log(&self, mut error: Error) -> Error {
        let nvrtc = self.nvrtc;
        let said =
            self.text("nvrtcGetProgramLog", nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog);
        if let (Error::CompileCuda { log, .. }, Ok(said)) = (&mut error, said) {
            let said = said.to_string_lossy().trim().to_owned();
            *log = (!said.is_empty()).then_some(said);
        }
        error
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once. An error leaves nothing to do.
        let _ = unsafe { (self.nvrtc.nvrtcDestroyProgram)(&mut self.handle) };
    }
}
