//! LLVM, found at run time: the library that the toolchain's rustc has, or an installed one, and
//! the functions of its C API that [`Llvm::compile`] calls.
//!
//! Every function is looked up before any is called, so that a library that lacks one is an [`Err`]
//! which names it. The library is never unloaded: LLVM registers destructors that run at the end of
//! the process.
//!
//! LLVM reports errors in three ways, and each becomes an [`Err`] where that is possible: through
//! message parameters, through the context's diagnostic handler, and by ending the process, before
//! which the fatal error handler says which kernel it was.
#![expect(unsafe_code, reason = "calls of LLVM's C API")]
mod api;
mod find;
mod module;

use crate::emit::NO_VECTORIZER;
use api::{Functions, TargetRef};
use libloading::Library;
use module::{Context, Machine};
use std::{
    cell::RefCell,
    ffi::{CStr, CString, c_char, c_int},
    fmt,
    path::{Path, PathBuf},
    ptr,
    sync::OnceLock,
};
use thiserror::Error;

/// The oldest LLVM that the back end is tested with. Older ones may end the process: 19 does on
/// atomic operations that it cannot select.
pub const OLDEST_LLVM: u32 = 22;

/// The environment variable that names a `libLLVM`, or the folder that has one.
pub const LLVM_VARIABLE: &str = "WARPWISE_LLVM";

/// The triple of the module and the target machine.
const TRIPLE: &CStr = c"nvptx64-nvidia-cuda";
/// `LLVMCodeGenLevelAggressive`
const CODEGEN_AGGRESSIVE: c_int = 3;
/// `LLVMRelocDefault`
const RELOC_DEFAULT: c_int = 0;
/// `LLVMCodeModelDefault`
const CODE_MODEL_DEFAULT: c_int = 0;

/// The reason for which no LLVM can be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// `rustc` does not say where its libraries are.
    #[error("cannot ask `rustc` for its sysroot: {0}")]
    Sysroot(String),
    /// There is no library of that name.
    #[error("no `libLLVM` in `{}`", .0.display())]
    NotFound(PathBuf),
    /// The library does not load.
    #[error("cannot load `{}`: {reason}", path.display())]
    Library {
        /// The path of the library.
        path: PathBuf,
        /// The error of the dynamic loader.
        reason: String,
    },
    /// The library lacks a function.
    #[error("`{}` has no function `{symbol}`", path.display())]
    Symbol {
        /// The path of the library.
        path: PathBuf,
        /// The function.
        symbol: &'static str,
    },
    /// The library is too old.
    #[error("LLVM {found} is too old: {OLDEST_LLVM} or newer is needed")]
    Version {
        /// Its major version.
        found: u32,
    },
    /// The library was built without the back end for NVIDIA's GPUs.
    #[error("this LLVM cannot compile for `nvptx64-nvidia-cuda`: {0}")]
    Target(String),
}

/// LLVM refuses a module.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("LLVM cannot {stage} kernel `{kernel}` (a bug of Warpwise): {message}")]
pub struct CompileFailure {
    /// The kernel.
    pub kernel: String,
    /// The stage that failed: `parse`, `verify`, `optimize` or `emit`.
    pub stage: &'static str,
    /// The message of LLVM.
    pub message: String,
}

/// An LLVM that compiles kernels.
pub struct Llvm {
    functions: Functions,
    version: [u32; 3],
    path: PathBuf,
}

/// Prints as `LLVM 22.1.2`.
impl fmt::Display for Llvm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.version;
        write!(f, "LLVM {major}.{minor}.{patch}")
    }
}

impl Llvm {
    /// Returns the first LLVM of these, looked for once in a process:
    ///
    /// 1. The one that this process has loaded, as rustc has. If there is one, there is no other:
    ///    each would call functions of the other that have the same name, which ends the process.
    /// 2. The one that the environment variable [`LLVM_VARIABLE`] names. If it does, there is no
    ///    other.
    /// 3. The one of the `rustc` that the environment variable `RUSTC` names or that is found on
    ///    the path.
    /// 4. An installed one, by the names that distributions give it.
    ///
    /// # Errors
    /// If there is none, or not one that can be used. The error is that of the third where no other
    /// is there.
    pub fn find() -> Result<&'static Self, LoadError> {
        static FOUND: OnceLock<Result<Llvm, LoadError>> = OnceLock::new();
        let find = || match (find::loaded_library(), find::named_library()) {
            (Some(path), _) => Self::load(&path),
            (None, Some(path)) => Self::load(&path?),
            (None, None) => Self::of_toolchain().or_else(|error| Self::installed().ok_or(error)),
        };
        FOUND.get_or_init(find).as_ref().map_err(Clone::clone)
    }

    fn of_toolchain() -> Result<Self, LoadError> {
        Self::load(&find::library_in(&find::sysroot()?.join("lib"))?)
    }

    fn installed() -> Option<Self> {
        find::INSTALLED.iter().find_map(|name| Self::load(Path::new(name)).ok())
    }

    /// Loads the LLVM at `path` and prepares it. The process keeps it to its end.
    ///
    /// # Errors
    /// If the library does not load, lacks a function or the back end for NVPTX, or is too old.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        // SAFETY: the library is an LLVM, by its name. Its initializers register options and
        // nothing else, and run once even where it is loaded already.
        let library = unsafe { Library::new(path) }.map_err(|error| LoadError::Library {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        let functions = Functions::find(&library, path)?;
        std::mem::forget(library);
        let mut version = [0; 3];
        let [major, minor, patch] = &mut version;
        // SAFETY: three numbers to write to.
        unsafe { (functions.get_version)(major, minor, patch) };
        if version[0] < OLDEST_LLVM {
            return Err(LoadError::Version { found: version[0] });
        }
        // SAFETY: these may be called at any time and repeatedly. The handler is a function of this
        // crate, which the process keeps; an earlier one, such as rustc's, would end the process,
        // too.
        unsafe {
            (functions.initialize_target_info)();
            (functions.initialize_target)();
            (functions.initialize_target_mc)();
            (functions.initialize_asm_printer)();
            (functions.reset_fatal_error_handler)();
            (functions.install_fatal_error_handler)(report_fatal_error);
        }
        let llvm = Self { functions, version, path: path.to_owned() };
        llvm.target().map_err(LoadError::Target)?;
        Ok(llvm)
    }

    /// Major, minor and patch version.
    pub const fn version(&self) -> [u32; 3] {
        self.version
    }

    /// The library's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Optimizes `text`, a module in LLVM IR with the kernel of that name, and compiles it to PTX
    /// for a processor such as `sm_75` and a PTX version such as `63`.
    ///
    /// # Errors
    /// What LLVM says against the module.
    pub fn compile(
        &self,
        kernel: &str,
        text: &str,
        processor: &str,
        ptx_version: &str,
    ) -> Result<String, CompileFailure> {
        CURRENT_KERNEL.set(Some(kernel.to_owned()));
        let compiled = self.compile_module(text, processor, ptx_version);
        CURRENT_KERNEL.set(None);
        compiled.map_err(|(stage, message)| CompileFailure {
            kernel: kernel.to_owned(),
            stage,
            message,
        })
    }

    fn compile_module(
        &self,
        text: &str,
        processor: &str,
        ptx_version: &str,
    ) -> Result<String, (&'static str, String)> {
        let machine = self.machine(processor, ptx_version).map_err(|message| ("emit", message))?;
        let context = Context::new(self);
        let module = context.parse(text).map_err(|message| ("parse", message))?;
        module.set_layout_of(&machine);
        module.verify().map_err(|message| ("verify", message))?;
        module.optimize(&machine).map_err(|message| ("optimize", message))?;
        module.remove_attribute(NO_VECTORIZER);
        let ptx = module.emit(&machine).map_err(|message| ("emit", message))?;
        match context.errors() {
            Some(message) => Err(("emit", message)),
            None => Ok(ptx),
        }
    }

    fn target(&self) -> Result<TargetRef, String> {
        let (mut target, mut message) = (TargetRef(ptr::null_mut()), ptr::null_mut());
        // SAFETY: a string, and places for the target and a message.
        let failed = unsafe {
            (self.functions.get_target_from_triple)(TRIPLE.as_ptr(), &mut target, &mut message)
        };
        if failed == 0 { Ok(target) } else { Err(self.take_message(message)) }
    }

    fn machine(&self, processor: &str, ptx_version: &str) -> Result<Machine<'_>, String> {
        let target = self.target()?;
        let text = |text: String| CString::new(text).map_err(|error| error.to_string());
        let (processor, features) =
            (text(processor.to_owned())?, text(format!("+ptx{ptx_version}"))?);
        // SAFETY: a target of this library, and strings that live through the call.
        let machine = unsafe {
            (self.functions.create_target_machine)(
                target,
                TRIPLE.as_ptr(),
                processor.as_ptr(),
                features.as_ptr(),
                CODEGEN_AGGRESSIVE,
                RELOC_DEFAULT,
                CODE_MODEL_DEFAULT,
            )
        };
        if machine.0.is_null() {
            Err("no target machine".to_owned())
        } else {
            Ok(Machine { llvm: self, machine })
        }
    }

    /// Copies a message that LLVM allocated, and frees it.
    fn take_message(&self, message: *mut c_char) -> String {
        if message.is_null() {
            return "no reason is given".to_owned();
        }
        // SAFETY: a string that LLVM allocated for its caller, who frees it once, after it is
        // copied.
        unsafe {
            let copy = CStr::from_ptr(message).to_string_lossy().trim().to_owned();
            (self.functions.dispose_message)(message);
            copy
        }
    }
}

thread_local! {
    /// The kernel that this thread has LLVM compile.
    static CURRENT_KERNEL: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The fatal error handler: says which kernel ends the process. LLVM exits when it returns.
#[expect(clippy::print_stderr, reason = "the process is about to end, and there is no other way")]
extern "C" fn report_fatal_error(reason: *const c_char) {
    // SAFETY: LLVM passes a string that lives through the call.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    match CURRENT_KERNEL.with_borrow(Clone::clone) {
        Some(kernel) => eprintln!(
            "LLVM cannot compile kernel `{kernel}` and ends this process (a bug of Warpwise): {reason}\n\
             help: `#[kernel(backend = \"builtin\")]`, or `WARPWISE_BACKEND=builtin` for all kernels, compiles \
             without LLVM"
        ),
        None => eprintln!("LLVM ends this process: {reason}"),
    }
}
