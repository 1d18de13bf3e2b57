//! NVTX ranges, which profilers such as Nsight Systems show beside the GPU's work.
//!
//! NVTX is a protocol between a program and the library that a profiler names in
//! `NVTX_INJECTION64_PATH`. The library's `InitializeInjectionNvtx2` is passed a function that
//! returns tables of places, and stores its own functions in those that it implements. This is the
//! program's side, for the two functions that are needed here. It is used only with
//! `WARPWISE_NVTX=1`.
//!
//! Names, numbers and layouts are those of `nvtxTypes.h`: <https://github.com/NVIDIA/NVTX>.
use super::library::describe_load_error;
use libloading::Library;
use std::{
    env,
    ffi::{CString, c_char, c_int, c_uint, c_void},
    marker::PhantomData,
    mem::transmute,
    ptr,
    sync::{
        OnceLock,
        atomic::{AtomicPtr, Ordering},
    },
};

/// The variable that asks for ranges.
const ENABLE_VARIABLE: &str = "WARPWISE_NVTX";
/// The variable in which a profiler names its library.
const INJECTION: &str = "NVTX_INJECTION64_PATH";

/// `NVTX_VERSION`
const VERSION: c_uint = 3;
/// `NVTX_ETID_CALLBACKS`
const CALLBACKS: c_uint = 1;
/// `NVTX_ETID_VERSIONINFO`
const VERSION_INFO: c_uint = 3;
/// `NVTX_CB_MODULE_CORE`
const CORE: usize = 1;
/// `NVTX_CBID_CORE_RangePushA`
const RANGE_PUSH: usize = 9;
/// `NVTX_CBID_CORE_RangePop`
const RANGE_POP: usize = 11;
/// Numbers of functions of each module, one more than its last: none, core, CUDA, OpenCL, CUDA
/// runtime, core 2, sync.
const FUNCTION_COUNTS: [usize; 7] = [0, 16, 9, 15, 7, 16, 7];
/// The largest of these.
const MAX_SIZE: usize = 16;

/// The place of a function, which the profiler's library writes.
type Slot = AtomicPtr<c_void>;
/// `NvtxFunctionTable`: the places of a module, with a null pointer after the last.
type Table = [AtomicPtr<Slot>; MAX_SIZE + 1];

static SLOTS: [[Slot; MAX_SIZE]; FUNCTION_COUNTS.len()] =
    [const { [const { Slot::new(ptr::null_mut()) }; MAX_SIZE] }; FUNCTION_COUNTS.len()];
/// Filled before it is shared.
static TABLES: [Table; FUNCTION_COUNTS.len()] =
    [const { [const { AtomicPtr::new(ptr::null_mut()) }; MAX_SIZE + 1] }; FUNCTION_COUNTS.len()];

/// `NvtxExportTableCallbacks`
#[repr(C)]
struct ExportedCallbacks {
    struct_size: usize,
    get_module_function_table:
        unsafe extern "system" fn(c_int, *mut *const Table, *mut c_uint) -> c_int,
}

/// `NvtxExportTableVersionInfo`
#[repr(C)]
struct ExportedVersion {
    struct_size: usize,
    version: c_uint,
    reserved: c_uint,
    set_injection_version: extern "system" fn(c_uint),
}

/// `NvtxInitializeInjectionNvtxFunc_t`
type Initialize = unsafe extern "system" fn(extern "system" fn(c_uint) -> *const c_void) -> c_int;

/// `nvtxRangePushA_impl_fntype`
type Push = unsafe extern "system" fn(*const c_char) -> c_int;
/// `nvtxRangePop_impl_fntype`
type Pop = unsafe extern "system" fn() -> c_int;

/// The functions of a profiler.
struct Nvtx {
    push: Push,
    pop: Pop,
}

/// A range of the thread that made it, which ends when dropped.
pub(crate) struct Range {
    nvtx: &'static Nvtx,
    /// A range ends on its own thread.
    _thread: PhantomData<*const ()>,
}

impl Range {
    /// Begins a range, if a profiler is attached.
    #[inline]
    pub(crate) fn begin(name: impl FnOnce() -> String) -> Option<Self> {
        let nvtx = Nvtx::get()?;
        let name = CString::new(name()).ok()?;
        // SAFETY: the profiler's function of this type, with a text that ends with a zero.
        unsafe { (nvtx.push)(name.as_ptr()) };
        Some(Self { nvtx, _thread: PhantomData })
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        // SAFETY: the profiler's function of this type; its range began on this thread.
        unsafe { (self.nvtx.pop)() };
    }
}

impl Nvtx {
    /// Returns the profiler's functions, if they are asked for and there is a profiler.
    fn get() -> Option<&'static Self> {
        static FOUND: OnceLock<Option<Nvtx>> = OnceLock::new();
        let find = || {
            env::var_os(ENABLE_VARIABLE).filter(|value| value == "1")?;
            Self::load()
                .inspect_err(|reason| {
                    log::warn!("no NVTX ranges, which {ENABLE_VARIABLE} asks for: {reason}")
                })
                .ok()
        };
        FOUND.get_or_init(find).as_ref()
    }

    /// Loads the profiler's library, which the process keeps.
    fn load() -> Result<Self, String> {
        let path = env::var_os(INJECTION)
            .ok_or_else(|| format!("{INJECTION} is not set, so no profiler watches"))?;
        for ((table, slots), count) in TABLES.iter().zip(&SLOTS).zip(FUNCTION_COUNTS) {
            // Number 0 is no function.
            for (entry, slot) in table.iter().zip(slots).take(count).skip(1) {
                entry.store(ptr::from_ref(slot).cast_mut(), Ordering::Relaxed);
            }
        }
        // SAFETY: the library of a profiler, which is meant to be loaded into a process.
        let library = unsafe { Library::new(&path) }
            .map_err(|error| describe_load_error(&path.to_string_lossy(), &error))?;
        // SAFETY: NVTX gives the symbol this type.
        let initialize = unsafe { library.get::<Initialize>("InitializeInjectionNvtx2") };
        let initialize =
            *initialize.map_err(|error| describe_load_error(&path.to_string_lossy(), &error))?;
        // SAFETY: as NVTX calls it: once, with a function that returns tables of the process.
        if unsafe { initialize(export_table) } == 0 {
            return Err(format!("`InitializeInjectionNvtx2` of {} returned 0", path.display()));
        }
        std::mem::forget(library);
        let function = |number: usize| SLOTS[CORE][number].load(Ordering::Acquire);
        let (push, pop) = (function(RANGE_PUSH), function(RANGE_POP));
        if push.is_null() || pop.is_null() {
            return Err(format!("{} records no ranges", path.display()));
        }
        // SAFETY: the library stored functions of these types there; they are not null.
        Ok(unsafe {
            Self {
                push: transmute::<*mut c_void, Push>(push),
                pop: transmute::<*mut c_void, Pop>(pop),
            }
        })
    }
}

/// `nvtxGetExportTable`
extern "system" fn export_table(table: c_uint) -> *const c_void {
    static EXPORTED_CALLBACKS: ExportedCallbacks = ExportedCallbacks {
        struct_size: size_of::<ExportedCallbacks>(),
        get_module_function_table,
    };
    static EXPORTED_VERSION: ExportedVersion = ExportedVersion {
        struct_size: size_of::<ExportedVersion>(),
        version: VERSION,
        reserved: 0,
        set_injection_version,
    };
    match table {
        CALLBACKS => ptr::from_ref(&EXPORTED_CALLBACKS).cast(),
        VERSION_INFO => ptr::from_ref(&EXPORTED_VERSION).cast(),
        _ => ptr::null(),
    }
}

/// `NvtxExportTableCallbacks::GetModuleFunctionTable`
///
/// # Safety
/// The pointers are null or may be written to.
unsafe extern "system" fn get_module_function_table(
    module: c_int,
    out_table: *mut *const Table,
    out_size: *mut c_uint,
) -> c_int {
    let module = usize::try_from(module).unwrap_or(0);
    let Some(table) = TABLES.get(module).filter(|_| module != 0) else { return 0 };
    // SAFETY: the caller's promise.
    unsafe {
        if !out_table.is_null() {
            out_table.write(table);
        }
        if !out_size.is_null() {
            out_size.write(FUNCTION_COUNTS[module] as c_uint);
        }
    }
    1
}

/// `NvtxExportTableVersionInfo::SetInjectionNvtxVersion`
extern "system" fn set_injection_version(_version: c_uint) {}
