//! LLVM, found at run time: the library that the toolchain's rustc has, and the functions of its C API that
//! [`Llvm::compile`] calls.
//!
//! Every function is looked up before any is called, so that a library that lacks one is an [`Err`] which
//! names it. The library is never unloaded: LLVM registers destructors that run at the end of the process.
//!
//! LLVM reports errors in three ways, and each becomes an [`Err`] where that is possible: through message
//! parameters, through the context's diagnostic handler, and by ending the process, before which the fatal
//! error handler says which kernel it was.
#![expect(unsafe_code, reason = "calls of LLVM's C API")]
use libloading::Library;
use std::{
    cell::RefCell,
    env,
    ffi::{CStr, CString, c_char, c_int, c_uint, c_void},
    fs,
    path::{Path, PathBuf},
    process::Command,
    ptr,
    sync::OnceLock,
};
use thiserror::Error;

/// The oldest LLVM whose NVPTX back end is known to compile the acquiring loads, releasing stores and
/// fences of [`lower`](crate::lower).
pub const OLDEST_LLVM: u32 = 22;

/// The triple of the module and the target machine.
const TRIPLE: &CStr = c"nvptx64-nvidia-cuda";
/// The pass pipeline.
const PASSES: &CStr = c"default<O3>";
/// `LLVMCodeGenLevelAggressive`
const CODEGEN_AGGRESSIVE: c_int = 3;
/// `LLVMRelocDefault`
const RELOC_DEFAULT: c_int = 0;
/// `LLVMCodeModelDefault`
const CODE_MODEL_DEFAULT: c_int = 0;
/// `LLVMAssemblyFile`
const ASSEMBLY_FILE: c_int = 0;
/// `LLVMReturnStatusAction`
const RETURN_STATUS: c_int = 2;
/// `LLVMDSError`
const SEVERITY_ERROR: c_int = 0;

/// Why there is no LLVM to use.
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
        /// Where it is.
        path: PathBuf,
        /// What the loader says.
        reason: String,
    },
    /// The library lacks a function.
    #[error("`{}` has no function `{symbol}`", path.display())]
    Symbol {
        /// Where the library is.
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
    /// What failed: `parse`, `verify`, `optimize` or `emit`.
    pub stage: &'static str,
    /// What LLVM says.
    pub message: String,
}

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        struct $name(*mut c_void);
    )*};
}
handles! {
    /// `LLVMContextRef`
    ContextRef
    /// `LLVMModuleRef`
    ModuleRef
    /// `LLVMMemoryBufferRef`
    BufferRef
    /// `LLVMTargetRef`
    TargetRef
    /// `LLVMTargetMachineRef`
    MachineRef
    /// `LLVMTargetDataRef`
    LayoutRef
    /// `LLVMPassBuilderOptionsRef`
    OptionsRef
    /// `LLVMErrorRef`
    ErrorRef
    /// `LLVMDiagnosticInfoRef`
    DiagnosticRef
}

type FatalHandler = extern "C" fn(*const c_char);
type DiagnosticHandler = extern "C" fn(DiagnosticRef, *mut c_void);

macro_rules! functions {
    ($($field:ident = $symbol:ident($($arg:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions, by the names of LLVM's C API without the prefix.
        struct Functions {
            $($field: unsafe extern "C" fn($($arg),*) $(-> $result)?,)*
        }

        impl Functions {
            /// Looks up every function in `library`, which is at `path`.
            fn find(library: &Library, path: &Path) -> Result<Self, LoadError> {
                Ok(Self {$(
                    $field: {
                        // SAFETY: the type is that of the declaration in LLVM's C API (llvm-c/*.h),
                        // which is stable for these functions.
                        let found = unsafe {
                            library.get::<unsafe extern "C" fn($($arg),*) $(-> $result)?>(
                                concat!(stringify!($symbol), "\0").as_bytes(),
                            )
                        };
                        *found.map_err(|_| LoadError::Symbol {
                            path: path.to_owned(),
                            symbol: stringify!($symbol),
                        })?
                    },
                )*})
            }
        }
    };
}
functions! {
    get_version = LLVMGetVersion(*mut c_uint, *mut c_uint, *mut c_uint);
    initialize_target_info = LLVMInitializeNVPTXTargetInfo();
    initialize_target = LLVMInitializeNVPTXTarget();
    initialize_target_mc = LLVMInitializeNVPTXTargetMC();
    initialize_asm_printer = LLVMInitializeNVPTXAsmPrinter();
    reset_fatal_error_handler = LLVMResetFatalErrorHandler();
    install_fatal_error_handler = LLVMInstallFatalErrorHandler(FatalHandler);
    dispose_message = LLVMDisposeMessage(*mut c_char);
    get_target_from_triple =
        LLVMGetTargetFromTriple(*const c_char, *mut TargetRef, *mut *mut c_char) -> c_int;
    create_target_machine = LLVMCreateTargetMachine(
        TargetRef, *const c_char, *const c_char, *const c_char, c_int, c_int, c_int
    ) -> MachineRef;
    dispose_target_machine = LLVMDisposeTargetMachine(MachineRef);
    create_target_data_layout = LLVMCreateTargetDataLayout(MachineRef) -> LayoutRef;
    dispose_target_data = LLVMDisposeTargetData(LayoutRef);
    set_module_data_layout = LLVMSetModuleDataLayout(ModuleRef, LayoutRef);
    context_create = LLVMContextCreate() -> ContextRef;
    context_dispose = LLVMContextDispose(ContextRef);
    context_set_diagnostic_handler =
        LLVMContextSetDiagnosticHandler(ContextRef, DiagnosticHandler, *mut c_void);
    get_diag_info_description = LLVMGetDiagInfoDescription(DiagnosticRef) -> *mut c_char;
    get_diag_info_severity = LLVMGetDiagInfoSeverity(DiagnosticRef) -> c_int;
    create_memory_buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(*const c_char, usize, *const c_char) -> BufferRef;
    get_buffer_start = LLVMGetBufferStart(BufferRef) -> *const c_char;
    get_buffer_size = LLVMGetBufferSize(BufferRef) -> usize;
    dispose_memory_buffer = LLVMDisposeMemoryBuffer(BufferRef);
    parse_ir_in_context =
        LLVMParseIRInContext(ContextRef, BufferRef, *mut ModuleRef, *mut *mut c_char) -> c_int;
    dispose_module = LLVMDisposeModule(ModuleRef);
    verify_module = LLVMVerifyModule(ModuleRef, c_int, *mut *mut c_char) -> c_int;
    create_pass_builder_options = LLVMCreatePassBuilderOptions() -> OptionsRef;
    dispose_pass_builder_options = LLVMDisposePassBuilderOptions(OptionsRef);
    run_passes = LLVMRunPasses(ModuleRef, *const c_char, MachineRef, OptionsRef) -> ErrorRef;
    get_error_message = LLVMGetErrorMessage(ErrorRef) -> *mut c_char;
    dispose_error_message = LLVMDisposeErrorMessage(*mut c_char);
    emit_to_memory_buffer = LLVMTargetMachineEmitToMemoryBuffer(
        MachineRef, ModuleRef, c_int, *mut *mut c_char, *mut BufferRef
    ) -> c_int;
}

/// An LLVM that compiles kernels.
pub struct Llvm {
    functions: Functions,
    version: [u32; 3],
    path: PathBuf,
}

impl Llvm {
    /// Returns the LLVM that this process has loaded, as rustc has, or else the one of the `rustc` that the
    /// environment variable `RUSTC` names or that is found on the path. Looks for it once in a process.
    ///
    /// # Errors
    /// If there is none, or not one that can be used.
    pub fn of_toolchain() -> Result<&'static Self, LoadError> {
        static TOOLCHAIN: OnceLock<Result<Llvm, LoadError>> = OnceLock::new();
        let find = || match loaded_library() {
            Some(path) => Self::load(&path),
            None => Self::load(&library_in(&sysroot()?.join("lib"))?),
        };
        TOOLCHAIN.get_or_init(find).as_ref().map_err(Clone::clone)
    }

    /// Loads the LLVM at `path` and prepares it. The process keeps it to its end.
    ///
    /// # Errors
    /// If the library does not load, lacks a function or the back end for NVPTX, or is too old.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        // SAFETY: the library is an LLVM, by its name. Its initializers register options and nothing else,
        // and run once even where it is loaded already.
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
        // crate, which the process keeps; an earlier one, such as rustc's, would end the process, too.
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

    /// Optimizes `text`, a module in LLVM IR with the kernel of that name, and compiles it to PTX for a
    /// processor such as `sm_75` and a PTX version such as `63`.
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
        match machine.0.is_null() {
            true => Err("no target machine".to_owned()),
            false => Ok(Machine { llvm: self, machine }),
        }
    }

    /// Copies a message that LLVM allocated, and frees it.
    fn take_message(&self, message: *mut c_char) -> String {
        if message.is_null() {
            return "no reason is given".to_owned();
        }
        // SAFETY: a string that LLVM allocated for its caller, who frees it once, after it is copied.
        unsafe {
            let copy = CStr::from_ptr(message).to_string_lossy().trim().to_owned();
            (self.functions.dispose_message)(message);
            copy
        }
    }
}

/// A target machine.
struct Machine<'l> {
    llvm: &'l Llvm,
    machine: MachineRef,
}

impl Drop for Machine<'_> {
    fn drop(&mut self) {
        // SAFETY: made by this library, and disposed of once.
        unsafe { (self.llvm.functions.dispose_target_machine)(self.machine) };
    }
}

/// What the diagnostic handler of a context collects.
struct Collected<'l> {
    llvm: &'l Llvm,
    errors: Vec<String>,
}

/// A context, which owns what its modules are made of, and the errors that LLVM reported in it.
struct Context<'l> {
    llvm: &'l Llvm,
    context: ContextRef,
    /// Boxed, because LLVM keeps its address, and behind a raw pointer, because LLVM writes through that.
    collected: *mut Collected<'l>,
}

impl<'l> Context<'l> {
    fn new(llvm: &'l Llvm) -> Self {
        let collected = Box::into_raw(Box::new(Collected { llvm, errors: Vec::new() }));
        // SAFETY: the handler takes the address of a `Collected`, which lives as long as the context.
        let context = unsafe {
            let context = (llvm.functions.context_create)();
            (llvm.functions.context_set_diagnostic_handler)(
                context,
                collect_error,
                collected.cast(),
            );
            context
        };
        Self { llvm, context, collected }
    }

    /// Parses a module.
    fn parse(&self, text: &str) -> Result<Module<'_, 'l>, String> {
        let functions = &self.llvm.functions;
        let (mut module, mut message) = (ModuleRef(ptr::null_mut()), ptr::null_mut());
        // SAFETY: LLVM copies the text into a buffer, which the parser takes over, and writes to the two
        // places.
        let failed = unsafe {
            let name = c"kernel".as_ptr();
            let buffer = (functions.create_memory_buffer)(text.as_ptr().cast(), text.len(), name);
            (functions.parse_ir_in_context)(self.context, buffer, &mut module, &mut message)
        };
        match failed {
            0 => Ok(Module { context: self, module }),
            _ => Err(self.llvm.take_message(message)),
        }
    }

    /// What LLVM reported through the diagnostic handler.
    fn errors(&self) -> Option<String> {
        // SAFETY: made in `new`, freed in `drop`, and no call of LLVM is in progress that writes to it.
        let errors = unsafe { &(*self.collected).errors };
        (!errors.is_empty()).then(|| errors.join("; "))
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: the context was made by this library; its modules borrow it, so they are gone, and after
        // it nobody has the address of what was collected.
        unsafe {
            (self.llvm.functions.context_dispose)(self.context);
            drop(Box::from_raw(self.collected));
        }
    }
}

/// A module.
struct Module<'c, 'l> {
    context: &'c Context<'l>,
    module: ModuleRef,
}

impl Module<'_, '_> {
    fn functions(&self) -> &Functions {
        &self.context.llvm.functions
    }

    fn set_layout_of(&self, machine: &Machine<'_>) {
        let functions = self.functions();
        // SAFETY: the layout is made and disposed of here; the module copies it.
        unsafe {
            let layout = (functions.create_target_data_layout)(machine.machine);
            (functions.set_module_data_layout)(self.module, layout);
            (functions.dispose_target_data)(layout);
        }
    }

    fn verify(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: a module, and a place for a message, which LLVM allocates in any case.
        let failed =
            unsafe { (self.functions().verify_module)(self.module, RETURN_STATUS, &mut message) };
        let message = self.context.llvm.take_message(message);
        if failed == 0 { Ok(()) } else { Err(message) }
    }

    fn optimize(&self, machine: &Machine<'_>) -> Result<(), String> {
        let functions = self.functions();
        // SAFETY: a module and a machine of this library, and options that are disposed of here. An error is
        // consumed by asking for its message, which is copied and freed.
        unsafe {
            let options = (functions.create_pass_builder_options)();
            let error =
                (functions.run_passes)(self.module, PASSES.as_ptr(), machine.machine, options);
            (functions.dispose_pass_builder_options)(options);
            if error.0.is_null() {
                return Ok(());
            }
            let message = (functions.get_error_message)(error);
            let copy = CStr::from_ptr(message).to_string_lossy().into_owned();
            (functions.dispose_error_message)(message);
            Err(copy)
        }
    }

    fn emit(&self, machine: &Machine<'_>) -> Result<String, String> {
        let functions = self.functions();
        let (mut buffer, mut message) = (BufferRef(ptr::null_mut()), ptr::null_mut());
        // SAFETY: a module and a machine of this library, and places for a buffer and a message.
        let failed = unsafe {
            (functions.emit_to_memory_buffer)(
                machine.machine,
                self.module,
                ASSEMBLY_FILE,
                &mut message,
                &mut buffer,
            )
        };
        if failed != 0 {
            return Err(self.context.llvm.take_message(message));
        }
        // SAFETY: the buffer has that many bytes from its start on; it is copied before it is disposed of.
        unsafe {
            let start = (functions.get_buffer_start)(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, (functions.get_buffer_size)(buffer));
            let text = String::from_utf8_lossy(bytes).into_owned();
            (functions.dispose_memory_buffer)(buffer);
            Ok(text)
        }
    }
}

impl Drop for Module<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: made by this library, and disposed of once, before its context.
        unsafe { (self.functions().dispose_module)(self.module) };
    }
}

/// The diagnostic handler: keeps errors, for which LLVM would otherwise end the process.
extern "C" fn collect_error(diagnostic: DiagnosticRef, collected: *mut c_void) {
    // SAFETY: `Context::new` passed the address of a `Collected`, which lives as long as the context, and
    // LLVM calls this on the thread that compiles, which holds no reference to it meanwhile.
    let collected = unsafe { &mut *collected.cast::<Collected<'_>>() };
    let functions = &collected.llvm.functions;
    // SAFETY: LLVM passes a diagnostic that lives through the call.
    let (severity, description) = unsafe {
        let severity = (functions.get_diag_info_severity)(diagnostic);
        (severity, (functions.get_diag_info_description)(diagnostic))
    };
    let message = collected.llvm.take_message(description);
    if severity == SEVERITY_ERROR {
        collected.errors.push(message);
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
             help: compile this kernel with the built-in back end, `warpwise_compiler::back::ptx::emit`"
        ),
        None => eprintln!("LLVM ends this process: {reason}"),
    }
}

/// The file of the `libLLVM` that this process has loaded.
fn loaded_library() -> Option<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let path = |line: &str| line.find('/').map(|start| PathBuf::from(&line[start..]));
    maps.lines().filter_map(path).find(|path| is_library(path))
}

/// The folder that rustc's libraries are in.
fn sysroot() -> Result<PathBuf, LoadError> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "sysroot"])
        .output()
        .map_err(|error| LoadError::Sysroot(error.to_string()))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(LoadError::Sysroot(message));
    }
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// The `libLLVM` in a folder: the largest, as the others are links to it or linker scripts.
fn library_in(folder: &Path) -> Result<PathBuf, LoadError> {
    let not_found = || LoadError::NotFound(folder.to_owned());
    let entries = fs::read_dir(folder).map_err(|_| not_found())?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let libraries = paths.filter(|path| is_library(path));
    let size = |path: &PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
    libraries.max_by_key(|path| (size(path), path.clone())).ok_or_else(not_found)
}

/// Whether the file's name is that of LLVM as a shared library.
fn is_library(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| {
        name.starts_with("libLLVM") && (name.contains(".so") || name.ends_with(".dylib"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_library_that_the_process_has_loaded_is_found() {
        let llvm = Llvm::of_toolchain().unwrap();
        let loaded = loaded_library().unwrap();
        assert_eq!(loaded.canonicalize().unwrap(), llvm.path().canonicalize().unwrap());
    }

    #[test]
    fn a_folder_without_a_library_is_an_error() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        assert_eq!(library_in(&folder), Err(LoadError::NotFound(folder)));
    }
}
