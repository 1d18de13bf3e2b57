//! The functions of the CUDA driver that this crate calls, found in its library at run time.
//!
//! The library is `dlopen`ed, so that one binary starts with and without a driver. Every function
//! is looked up before any is called: a library that lacks one is refused by that name, where
//! looking up late would fail in the middle of work.
//!
//! Names and meanings are CUDA's: <https://docs.nvidia.com/cuda/cuda-driver-api/>.
use super::{
    library::{describe_load_error, first_usable},
    tensor_map::TensorMapWords,
};
use crate::{Error, Result};
use libloading::Library;
use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    ptr,
    sync::OnceLock,
};

/// The file names of the driver.
const LIBRARIES: &[&str] = if cfg!(windows) {
    &["nvcuda.dll"]
} else if cfg!(target_os = "macos") {
    &[]
} else {
    &["libcuda.so.1", "libcuda.so"]
};

/// `CUDA_ERROR_NO_DEVICE`
const NO_DEVICE: u32 = 100;

/// `CUresult`
pub(super) type Status = c_uint;
/// `CUdeviceptr`
pub(super) type Address = u64;
/// `CUdevice`
pub(super) type DeviceNumber = c_int;
/// `CUgraphNode`
pub(super) type NodeHandle = *mut c_void;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(transparent)]
        pub(super) struct $name(*mut c_void);
        // SAFETY: the driver takes its handles from any thread, several at once.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}
        impl $name {
            /// No object.
            pub(super) const NULL: Self = Self(ptr::null_mut());

            /// Returns true if it is no object.
            pub(super) const fn is_null(self) -> bool {
                self.0.is_null()
            }
        }
    )*};
}
handles! {
    /// `CUcontext`
    ContextHandle
    /// `CUstream`
    StreamHandle
    /// `CUevent`
    EventHandle
    /// `CUmodule`
    ModuleHandle
    /// `CUarray`
    ArrayHandle
    /// `CUmipmappedArray`
    MipmappedArrayHandle
    /// `CUfunction`
    FunctionHandle
    /// `CUgraph`
    GraphHandle
    /// `CUgraphExec`
    GraphExecHandle
}

/// `CUDA_KERNEL_NODE_PARAMS_v1`
#[repr(C)]
pub(super) struct KernelNode {
    pub(super) function: FunctionHandle,
    pub(super) grid: [c_uint; 3],
    pub(super) block: [c_uint; 3],
    pub(super) shared_bytes: c_uint,
    pub(super) params: *mut *mut c_void,
    pub(super) extra: *mut *mut c_void,
}

/// `CUlaunchConfig`
#[repr(C)]
pub(super) struct KernelLaunch {
    pub(super) grid: [c_uint; 3],
    pub(super) block: [c_uint; 3],
    pub(super) shared_bytes: c_uint,
    pub(super) stream: StreamHandle,
    pub(super) attributes: *const LaunchAttribute,
    pub(super) count: c_uint,
}

/// `CUlaunchAttribute` with a value of one number.
#[repr(C)]
pub(super) struct LaunchAttribute {
    /// `CUlaunchAttributeID`
    id: c_uint,
    padding: c_uint,
    value: u64,
    /// The rest of a union of 64 bytes.
    reserved: [u64; 7],
}

impl LaunchAttribute {
    /// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`: the kernel may start before the one
    /// before it in the stream has ended, and waits for that by itself.
    pub(super) const PROGRAMMATIC_STREAM_SERIALIZATION: Self =
        Self { id: 6, padding: 0, value: 1, reserved: [0; 7] };
}

/// `CUDA_MEMSET_NODE_PARAMS_v1`
#[repr(C)]
pub(super) struct MemsetNode {
    pub(super) to: Address,
    pub(super) pitch: usize,
    pub(super) value: c_uint,
    pub(super) element_bytes: c_uint,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// `CUDA_MEMCPY2D_v2`
#[repr(C)]
pub(super) struct CopyRows {
    pub(super) from_start: [usize; 2],
    /// `CUmemorytype`
    pub(super) from_type: c_uint,
    pub(super) from_host: *const c_void,
    pub(super) from_device: Address,
    pub(super) from_array: *mut c_void,
    pub(super) from_pitch: usize,
    pub(super) to_start: [usize; 2],
    /// `CUmemorytype`
    pub(super) to_type: c_uint,
    pub(super) to_host: *mut c_void,
    pub(super) to_device: Address,
    pub(super) to_array: *mut c_void,
    pub(super) to_pitch: usize,
    pub(super) width_bytes: usize,
    pub(super) height: usize,
}

/// One side of a `CUDA_MEMCPY3D_v2`.
#[repr(C)]
pub(super) struct CopySide {
    pub(super) start: [usize; 4],
    /// `CUmemorytype`
    pub(super) memory_type: c_uint,
    pub(super) host: *const c_void,
    pub(super) device: Address,
    pub(super) array: *mut c_void,
    pub(super) reserved: *mut c_void,
    pub(super) pitch: usize,
    pub(super) height: usize,
}

/// `CUDA_MEMCPY3D_v2`
#[repr(C)]
pub(super) struct CopyNode {
    pub(super) from: CopySide,
    pub(super) to: CopySide,
    pub(super) width_bytes: usize,
    pub(super) height: usize,
    pub(super) depth: usize,
}

/// `CUDA_ARRAY3D_DESCRIPTOR_v2`
#[repr(C)]
pub(super) struct ArrayDescriptor {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) depth: usize,
    /// `CUarray_format`
    pub(super) format: c_uint,
    pub(super) channels: c_uint,
    pub(super) flags: c_uint,
}

/// `CUDA_RESOURCE_DESC_v1` of an array, which may have levels.
#[repr(C)]
pub(super) struct ResourceDescriptor {
    /// `CUresourcetype`
    resource_type: c_uint,
    array: *mut c_void,
    /// The rest of a union of 128 bytes.
    reserved: [u64; 15],
    flags: c_uint,
}

impl ResourceDescriptor {
    /// Describes an array.
    pub(super) const fn of_array(array: ArrayHandle) -> Self {
        Self { resource_type: 0, array: array.0, reserved: [0; 15], flags: 0 }
    }

    /// Describes an array with levels.
    pub(super) const fn of_mipmapped_array(array: MipmappedArrayHandle) -> Self {
        Self { resource_type: 1, ..Self::of_array(ArrayHandle(array.0)) }
    }
}

/// `CUDA_TEXTURE_DESC_v1`
#[repr(C)]
pub(super) struct TextureDescriptor {
    /// `CUaddress_mode`
    pub(super) address: [c_uint; 3],
    /// `CUfilter_mode`
    pub(super) filter: c_uint,
    pub(super) flags: c_uint,
    pub(super) max_anisotropy: c_uint,
    pub(super) mipmap_filter: c_uint,
    /// The bias of the level of detail, its minimum and its maximum.
    pub(super) mipmap_levels: [f32; 3],
    pub(super) border: [f32; 4],
    pub(super) reserved: [c_int; 12],
}

impl TextureDescriptor {
    /// All zero.
    pub(super) const ZERO: Self = Self {
        address: [0; 3],
        filter: 0,
        flags: 0,
        max_anisotropy: 0,
        mipmap_filter: 0,
        mipmap_levels: [0.0; 3],
        border: [0.0; 4],
        reserved: [0; 12],
    };
}

/// `CUgraphExecUpdateResultInfo_v1`
#[repr(C)]
pub(super) struct UpdateResult {
    pub(super) result: c_int,
    pub(super) node: NodeHandle,
    pub(super) from_node: NodeHandle,
}

#[cfg(feature = "cudarc")]
impl ContextHandle {
    /// Returns the handle for another library.
    pub(super) const fn as_raw(self) -> *mut c_void {
        self.0
    }
}

impl ArrayHandle {
    /// Returns the handle for a description of a copy.
    pub(super) const fn as_raw(self) -> *mut c_void {
        self.0
    }
}

impl StreamHandle {
    /// Wraps the handle of another library.
    pub(super) const fn from_raw(stream: *mut c_void) -> Self {
        Self(stream)
    }

    /// Returns the handle for another library.
    pub(super) const fn as_raw(self) -> *mut c_void {
        self.0
    }
}

macro_rules! functions {
    (
        required { $($name:ident($($arg:ident: $ty:ty),*);)* }
        optional { $($maybe:ident($($maybe_arg:ident: $maybe_ty:ty),*);)* }
        texts { $($text:ident;)* }
    ) => {
        /// The driver, loaded and initialized.
        #[expect(non_snake_case, reason = "named as in CUDA")]
        pub(super) struct Driver {
            $($name: unsafe extern "system" fn($($ty),*) -> Status,)*
            $($maybe: Option<unsafe extern "system" fn($($maybe_ty),*) -> Status>,)*
            $($text: Option<unsafe extern "system" fn(Status, *mut *const c_char) -> Status>,)*
            /// Keeps the functions where they are.
            _library: Library,
        }

        impl Driver {
            /// Finds every function, or names the required ones that are missing.
            ///
            /// # Safety
            /// The functions that `library` exports under these names must have these types.
            #[expect(non_snake_case, reason = "named as in CUDA")]
            unsafe fn link(library: Library) -> Result<Self, Vec<&'static str>> {
                let mut missing = Vec::new();
                $(
                    // SAFETY: the field's type is the symbol's by the caller's promise.
                    let $name = unsafe { symbol(&library, stringify!($name), &mut missing) };
                )*
                let ($(Some($name),)*) = ($($name,)*) else { return Err(missing) };
                $(
                    // SAFETY: as above.
                    let $maybe = unsafe { symbol(&library, stringify!($maybe), &mut missing) };
                )*
                $(
                    // SAFETY: as above.
                    let $text = unsafe { symbol(&library, stringify!($text), &mut missing) };
                )*
                Ok(Self { $($name,)* $($maybe,)* $($text,)* _library: library })
            }

            $(
                /// CUDA's function of this name.
                ///
                /// # Safety
                /// CUDA's conditions: handles are live, pointers valid for what is done with them,
                /// and a context is current where the function needs one.
                #[expect(
                    non_snake_case,
                    clippy::allow_attributes,
                    reason = "named as in CUDA"
                )]
                #[allow(clippy::too_many_arguments, reason = "shaped as in CUDA")]
                pub(super) unsafe fn $name(&self, $($arg: $ty),*) -> Result<()> {
                    // SAFETY: the caller's promise.
                    let status = unsafe { (self.$name)($($arg),*) };
                    self.check(stringify!($name), status)
                }
            )*
            $(
                /// CUDA's function of this name; `None` if this driver lacks it.
                ///
                /// # Safety
                /// As for the others.
                #[expect(
                    non_snake_case,
                    clippy::allow_attributes,
                    reason = "named as in CUDA"
                )]
                #[allow(clippy::too_many_arguments, reason = "shaped as in CUDA")]
                pub(super) unsafe fn $maybe(&self, $($maybe_arg: $maybe_ty),*) -> Option<Result<()>> {
                    // SAFETY: the caller's promise.
                    let status = unsafe { self.$maybe?($($maybe_arg),*) };
                    Some(self.check(stringify!($maybe), status))
                }
            )*
        }
    };
}

/// Looks up the symbol `name` of `library`; a missing one is added to `missing`.
///
/// # Safety
/// `F` is the type of what it exports.
unsafe fn symbol<F: Copy>(
    library: &Library,
    name: &'static str,
    missing: &mut Vec<&'static str>,
) -> Option<F> {
    // SAFETY: the caller's promise.
    let found = unsafe { library.get::<F>(name) };
    match found {
        Ok(found) => Some(*found),
        Err(_) => {
            missing.push(name);
            None
        }
    }
}

functions! {
    required {
        // The driver and its devices.
        cuInit(flags: c_uint);
        cuDriverGetVersion(version: *mut c_int);
        cuDeviceGetCount(count: *mut c_int);
        cuDeviceGet(device: *mut DeviceNumber, ordinal: c_int);
        cuDeviceGetName(name: *mut c_char, len: c_int, device: DeviceNumber);
        cuDeviceTotalMem_v2(bytes: *mut usize, device: DeviceNumber);
        cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: DeviceNumber);
        cuDeviceCanAccessPeer(can: *mut c_int, device: DeviceNumber, peer: DeviceNumber);
        // Contexts.
        cuDevicePrimaryCtxRetain(context: *mut ContextHandle, device: DeviceNumber);
        cuDevicePrimaryCtxRelease_v2(device: DeviceNumber);
        cuCtxGetCurrent(context: *mut ContextHandle);
        cuCtxPushCurrent_v2(context: ContextHandle);
        cuCtxPopCurrent_v2(context: *mut ContextHandle);
        cuCtxSynchronize();
        // Memory.
        cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
        cuMemAlloc_v2(address: *mut Address, bytes: usize);
        cuMemFree_v2(address: Address);
        cuMemAllocHost_v2(host: *mut *mut c_void, bytes: usize);
        cuMemFreeHost(host: *mut c_void);
        cuMemsetD8Async(to: Address, byte: u8, count: usize, stream: StreamHandle);
        cuMemsetD16Async(to: Address, value: u16, count: usize, stream: StreamHandle);
        cuMemsetD32Async(to: Address, value: u32, count: usize, stream: StreamHandle);
        cuMemsetD2D8Async(
            to: Address,
            pitch: usize,
            value: u8,
            width: usize,
            height: usize,
            stream: StreamHandle
        );
        cuMemsetD2D16Async(
            to: Address,
            pitch: usize,
            value: u16,
            width: usize,
            height: usize,
            stream: StreamHandle
        );
        cuMemsetD2D32Async(
            to: Address,
            pitch: usize,
            value: u32,
            width: usize,
            height: usize,
            stream: StreamHandle
        );
        cuMemcpyHtoDAsync_v2(to: Address, from: *const c_void, bytes: usize, stream: StreamHandle);
        cuMemcpyDtoHAsync_v2(to: *mut c_void, from: Address, bytes: usize, stream: StreamHandle);
        cuMemcpyDtoDAsync_v2(to: Address, from: Address, bytes: usize, stream: StreamHandle);
        cuMemcpy2DAsync_v2(copy: *const CopyRows, stream: StreamHandle);
        cuMemcpyPeerAsync(
            to: Address,
            to_context: ContextHandle,
            from: Address,
            from_context: ContextHandle,
            bytes: usize,
            stream: StreamHandle
        );
        // Textures and surfaces.
        cuArray3DCreate_v2(array: *mut ArrayHandle, descriptor: *const ArrayDescriptor);
        cuArrayDestroy(array: ArrayHandle);
        cuMipmappedArrayCreate(
            array: *mut MipmappedArrayHandle,
            descriptor: *const ArrayDescriptor,
            levels: c_uint
        );
        cuMipmappedArrayGetLevel(
            level_array: *mut ArrayHandle,
            array: MipmappedArrayHandle,
            level: c_uint
        );
        cuMipmappedArrayDestroy(array: MipmappedArrayHandle);
        cuMemcpy3DAsync_v2(copy: *const CopyNode, stream: StreamHandle);
        cuTexObjectCreate(
            object: *mut u64,
            resource: *const ResourceDescriptor,
            texture: *const TextureDescriptor,
            view: *const c_void
        );
        cuTexObjectDestroy(object: u64);
        cuSurfObjectCreate(object: *mut u64, resource: *const ResourceDescriptor);
        cuSurfObjectDestroy(object: u64);
        // Order.
        cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int);
        cuStreamCreateWithPriority(stream: *mut StreamHandle, flags: c_uint, priority: c_int);
        cuStreamDestroy_v2(stream: StreamHandle);
        cuStreamSynchronize(stream: StreamHandle);
        cuStreamWaitEvent(stream: StreamHandle, event: EventHandle, flags: c_uint);
        cuStreamAddCallback(
            stream: StreamHandle,
            function: unsafe extern "system" fn(StreamHandle, Status, *mut c_void),
            data: *mut c_void,
            flags: c_uint
        );
        cuEventCreate(event: *mut EventHandle, flags: c_uint);
        cuEventRecord(event: EventHandle, stream: StreamHandle);
        cuEventSynchronize(event: EventHandle);
        cuEventQuery(event: EventHandle);
        cuEventElapsedTime(milliseconds: *mut f32, start: EventHandle, end: EventHandle);
        cuEventDestroy_v2(event: EventHandle);
        // Kernels.
        cuModuleLoadDataEx(
            module: *mut ModuleHandle,
            image: *const c_void,
            count: c_uint,
            options: *mut c_uint,
            values: *mut *mut c_void
        );
        cuModuleUnload(module: ModuleHandle);
        cuModuleGetFunction(function: *mut FunctionHandle, module: ModuleHandle, name: *const c_char);
        cuModuleGetGlobal_v2(
            address: *mut Address,
            bytes: *mut usize,
            module: ModuleHandle,
            name: *const c_char
        );
        cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: FunctionHandle);
        cuFuncSetAttribute(function: FunctionHandle, attribute: c_int, value: c_int);
        cuLaunchKernel(
            function: FunctionHandle,
            grid_x: c_uint,
            grid_y: c_uint,
            grid_z: c_uint,
            block_x: c_uint,
            block_y: c_uint,
            block_z: c_uint,
            shared_bytes: c_uint,
            stream: StreamHandle,
            params: *mut *mut c_void,
            extra: *mut *mut c_void
        );
        cuLaunchCooperativeKernel(
            function: FunctionHandle,
            grid_x: c_uint,
            grid_y: c_uint,
            grid_z: c_uint,
            block_x: c_uint,
            block_y: c_uint,
            block_z: c_uint,
            shared_bytes: c_uint,
            stream: StreamHandle,
            params: *mut *mut c_void
        );
        // Graphs.
        cuGraphCreate(graph: *mut GraphHandle, flags: c_uint);
        cuGraphDestroy(graph: GraphHandle);
        cuGraphAddKernelNode(
            node: *mut NodeHandle,
            graph: GraphHandle,
            dependencies: *const NodeHandle,
            count: usize,
            params: *const KernelNode
        );
        cuGraphAddMemcpyNode(
            node: *mut NodeHandle,
            graph: GraphHandle,
            dependencies: *const NodeHandle,
            count: usize,
            params: *const CopyNode,
            context: ContextHandle
        );
        cuGraphAddMemsetNode(
            node: *mut NodeHandle,
            graph: GraphHandle,
            dependencies: *const NodeHandle,
            count: usize,
            params: *const MemsetNode,
            context: ContextHandle
        );
        cuGraphLaunch(exec: GraphExecHandle, stream: StreamHandle);
        cuGraphExecDestroy(exec: GraphExecHandle);
        cuOccupancyMaxActiveBlocksPerMultiprocessor(
            blocks: *mut c_int,
            function: FunctionHandle,
            threads: c_int,
            shared_bytes: usize
        );
        cuOccupancyMaxPotentialBlockSize(
            blocks: *mut c_int,
            threads: *mut c_int,
            function: FunctionHandle,
            shared_bytes_of_block: Option<unsafe extern "system" fn(c_int) -> usize>,
            shared_bytes: usize,
            most_threads: c_int
        );
    }
    optional {
        // Since CUDA 11.4.
        cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: DeviceNumber);
        // Since CUDA 11.2; `Context::pools` says whether the device has them too.
        cuMemAllocAsync(address: *mut Address, bytes: usize, stream: StreamHandle);
        cuMemFreeAsync(address: Address, stream: StreamHandle);
        // Since CUDA 9.2.
        cuStreamGetCtx(stream: StreamHandle, context: *mut ContextHandle);
        // Since CUDA 12.4.
        cuFuncGetParamInfo(function: FunctionHandle, index: usize, offset: *mut usize, size: *mut usize);
        // Since CUDA 11.8.
        cuLaunchKernelEx(
            launch: *const KernelLaunch,
            function: FunctionHandle,
            params: *mut *mut c_void,
            extra: *mut *mut c_void
        );
        // Since CUDA 11.4.
        cuGraphInstantiateWithFlags(exec: *mut GraphExecHandle, graph: GraphHandle, flags: u64);
        // Since CUDA 12.0.
        cuTensorMapEncodeTiled(
            map: *mut TensorMapWords,
            data_type: c_int,
            dims: c_uint,
            address: *mut c_void,
            extents: *const u64,
            strides: *const u64,
            shape: *const c_uint,
            element_strides: *const c_uint,
            interleave: c_int,
            swizzle: c_int,
            promotion: c_int,
            fill: c_int
        );
        cuGraphExecUpdate_v2(exec: GraphExecHandle, graph: GraphHandle, result: *mut UpdateResult);
    }
    texts {
        // Since CUDA 6.0; without them an error is a number.
        cuGetErrorName;
        cuGetErrorString;
    }
}

/// A library that is no usable driver.
struct Failure {
    /// The library and the reason, for messages.
    problem: String,
    /// True if there is no library, or it shows no device.
    is_absence: bool,
}

/// A library that is absent.
impl From<String> for Failure {
    fn from(problem: String) -> Self {
        Self { problem, is_absence: true }
    }
}

impl Driver {
    /// Returns the driver, loaded at the first call.
    ///
    /// # Errors
    /// [`Error::NoDriver`], the same at every call.
    pub(super) fn get() -> Result<&'static Self> {
        Self::loaded().map_err(|tried| {
            let tried = tried.iter().map(|failure| failure.problem.clone());
            Error::NoDriver { tried: tried.collect() }
        })
    }

    /// Returns the driver, loaded at the first call; `None` if there is no library of that name
    /// that can be loaded, or the driver shows no device.
    ///
    /// # Errors
    /// [`Error::NoDriver`] of a driver that is broken, the same at every call.
    pub(super) fn find() -> Result<Option<&'static Self>> {
        match Self::loaded() {
            Err(tried) if tried.iter().all(|failure| failure.is_absence) => Ok(None),
            _ => Self::get().map(Some),
        }
    }

    fn loaded() -> Result<&'static Self, &'static [Failure]> {
        static DRIVER: OnceLock<Result<Driver, Vec<Failure>>> = OnceLock::new();
        DRIVER.get_or_init(|| first_usable(LIBRARIES, Self::open)).as_ref().map_err(Vec::as_slice)
    }

    fn open(name: &str) -> Result<Self, Failure> {
        // SAFETY: what carries the driver's name is trusted to be one; its initializers run.
        let library = unsafe { Library::new(name) }
            .map_err(|error| Failure::from(describe_load_error(name, &error)))?;
        // SAFETY: as above, and the types are those of `cuda.h`.
        let driver = unsafe { Self::link(library) }.map_err(|missing| {
            let missing = missing.join("`, `");
            let problem =
                format!("`{name}` is older than CUDA 11.0 or broken: it lacks `{missing}`");
            Failure { problem, is_absence: false }
        })?;
        // SAFETY: takes no pointers, and may be called any number of times.
        unsafe { driver.cuInit(0) }.map_err(|error| {
            let is_absence = matches!(error, Error::Driver { code: NO_DEVICE, .. });
            Failure { problem: format!("`{name}` is there, but {error}"), is_absence }
        })?;
        Ok(driver)
    }

    /// Returns the error for a function that the driver lacks.
    pub(super) fn lacks(call: &'static str, since: &str) -> Error {
        let name = "a function that the driver lacks".to_owned();
        let text = format!("it is there since CUDA {since}");
        Error::Driver { call, code: 0, name, text, log: None }
    }

    /// Refuses what `call` returned with success but cannot be used, such as a null pointer:
    /// everything after would rely on it.
    pub(super) fn expect_usable(
        &self,
        call: &'static str,
        is_usable: bool,
        problem: impl FnOnce() -> String,
    ) -> Result<()> {
        if is_usable {
            return Ok(());
        }
        let name = "a result that no driver gives".to_owned();
        Err(Error::Driver { call, code: 0, name, text: problem(), log: None })
    }

    /// Returns an error with the driver's text for `status`, unless it is success.
    fn check(&self, call: &'static str, status: Status) -> Result<()> {
        if status == 0 {
            return Ok(());
        }
        let (mut name, mut text) = (ptr::null(), ptr::null());
        // SAFETY: both write a pointer to a static string, or null, where they are told to.
        // A driver without them leaves the null.
        let _ = unsafe {
            (
                self.cuGetErrorName.map(|get| get(status, &mut name)),
                self.cuGetErrorString.map(|get| get(status, &mut text)),
            )
        };
        let say = |string: *const c_char, otherwise: &str| {
            if string.is_null() {
                otherwise.to_owned()
            } else {
                // SAFETY: not null, so one of the driver's static strings.
                unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
            }
        };
        let name = say(name, "an error without a name");
        let text = say(text, "the driver says nothing about it");
        Err(Error::Driver { call, code: status, name, text, log: None })
    }
}
