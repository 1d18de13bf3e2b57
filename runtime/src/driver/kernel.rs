//! Kernels loaded into a context: from PTX to a function that can be launched.
use super::{
    api::{Address, Driver, FunctionHandle, ModuleHandle},
    constants::Constants,
    context::Context,
};
use crate::{
    Error, LaunchMistake, Result,
    disk::ptx_cache::PtxCache,
    launch::{
        bound_kernel::{Bound, Signature, Slot},
        checks::CheckedLaunch,
        config::Geometry,
        source::{EmbeddedCode, EmbeddedPtx, Source},
    },
    observe::{source_lines::SourceLines, spans},
};
use std::{
    borrow::Cow,
    ffi::{CStr, CString, c_int, c_uint, c_void},
    ptr,
    sync::Arc,
};
use warpwise_compiler::{
    back::ptx,
    compile::{CompileError, GpuCode},
    contract::Contract,
    ir::{CoarseGrid, Kernel},
    target::Target,
};

/// `CU_JIT_ERROR_LOG_BUFFER`
const ERROR_LOG_BUFFER: c_uint = 5;
/// `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`
const ERROR_LOG_BUFFER_SIZE: c_uint = 6;
/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`
const MOST_DYNAMIC_SHARED_BYTES: c_int = 8;
/// `CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK`
const MAX_THREADS_PER_BLOCK: c_int = 0;
/// `CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES`
const SHARED_BYTES: c_int = 1;
/// `CU_FUNC_ATTRIBUTE_NUM_REGS`
const NUMBER_OF_REGISTERS: c_int = 4;
/// `CU_JIT_GENERATE_LINE_INFO`
const GENERATE_LINE_INFO: c_uint = 13;
/// Bytes of the log of the driver's compiler.
const LOG_BYTES: usize = 16 << 10;

/// A kernel on a GPU: its code as written, its code for launches that fulfil a contract and, for
/// large launches, its code with coarsened threads.
///
/// Each is loaded at the first launch that needs it. The driver compiles what it loads, and most
/// programs launch a kernel at one size.
pub(super) struct GpuKernel {
    plain: KernelCode,
    assumed: Option<(Contract, KernelCode)>,
    /// If there is a contract, for launches that fulfil it.
    coarsened: Option<(CoarseGrid, KernelCode)>,
}

impl GpuKernel {
    /// Finds the code of a kernel: embedded, from the cache of an earlier process, or compiled now
    /// if neither is as good.
    pub(super) fn new(context: &Context, bound: &Bound) -> Result<Self> {
        let (target, source) = (target(context), bound.source);
        let backend = BackEnd::new(target, source);
        let text_for = |ptx: EmbeddedPtx| ptx.text_for(&bound.kernel, target);
        let is_embedded_usable = bound.may_be_embedded() && backend.lines.is_none();
        let embedded = source.code_for(&bound.bindings).filter(|_| is_embedded_usable);
        if let Some(EmbeddedCode { plain, assumed, coarsened }) = embedded
            && let Some(plain) = text_for(plain)
        {
            let embedded = |text| KernelCode::new(Code::Embedded(text));
            let has_contract = assumed.is_some();
            let assumed = assumed.and_then(|(contract, ptx)| {
                Some((contract.parse().ok()?, embedded(text_for(ptx)?)))
            });
            // Coarsened code relies on the contract, too.
            let coarsened = coarsened.filter(|_| assumed.is_some() == has_contract);
            let coarsened =
                coarsened.and_then(|(grid, ptx)| Some((grid, embedded(text_for(ptx)?))));
            return Ok(Self { plain: embedded(plain), assumed, coarsened });
        }
        let _scope = spans::compile(source.name, "optimize", &target);
        if let Some(cache) = PtxCache::from_env() {
            return Self::from_cache(&cache, &backend, context, bound);
        }
        let optimized = |kernel| Ok(KernelCode::new(Code::Optimized(Box::new(kernel))));
        let code = bound.compile(optimized);
        let GpuCode { plain, assumed, coarsened } =
            code.map_err(|error: CompileError| compile_error(context, source, error.to_string()))?;
        Ok(Self { plain, assumed, coarsened })
    }

    /// Takes the PTX of a kernel from the cache, or makes and keeps it.
    fn from_cache(
        cache: &PtxCache,
        backend: &BackEnd,
        context: &Context,
        bound: &Bound,
    ) -> Result<Self> {
        let source = bound.source;
        let texts = cache.get_or_make(source.name, &backend.cache_key(bound), || {
            let code = bound.compile(|kernel| backend.emit(&kernel));
            code.map_err(|error| compile_error(context, source, error.to_string()))
        })?;
        let kept = |text| KernelCode::new(Code::Kept(text));
        let assumed = texts.assumed.map(|(contract, text)| (contract, kept(text)));
        let coarsened = texts.coarsened.map(|(grid, text)| (grid, kept(text)));
        Ok(Self { plain: kept(texts.plain), assumed, coarsened })
    }

    /// Returns the kernel as written, loaded now or earlier.
    pub(super) fn load_plain(&self, context: &Arc<Context>, bound: &Bound) -> Result<&Loaded> {
        self.plain.load(context, bound)
    }

    /// Returns the code for a launch, loaded now or earlier, with the division of its grid.
    pub(super) fn load_for(
        &self,
        context: &Arc<Context>,
        launch: &CheckedLaunch<'_>,
    ) -> Result<(&Loaded, Option<CoarseGrid>)> {
        let CheckedLaunch { bound, geometry, .. } = *launch;
        let Geometry { grid, block } = geometry;
        let multiprocessors = context.info.multiprocessors as u64;
        let assumed =
            self.assumed.as_ref().map(|(contract, code)| (code, launch.fulfils(contract)));
        let fulfils_contract = assumed.is_none_or(|(_, fulfils)| fulfils);
        if let Some((coarse_grid, code)) = &self.coarsened
            && fulfils_contract
            && coarse_grid.suits(grid, block, multiprocessors)
        {
            let loaded = code.load(context, bound)?;
            // Coarsened code takes more registers than the kernel as written, perhaps too many for
            // a block of many threads.
            if geometry.threads() <= loaded.max_threads {
                return Ok((loaded, Some(*coarse_grid)));
            }
        }
        if let Some((code, true)) = assumed {
            let loaded = code.load(context, bound)?;
            if geometry.threads() <= loaded.max_threads {
                return Ok((loaded, None));
            }
        }
        let loaded = self.plain.load(context, bound)?;
        let (threads, most) = (geometry.threads(), loaded.max_threads);
        if threads > most {
            // The driver would report that the launch asks for too many resources.
            let registers = loaded.registers;
            let problem = format!(
                "a block has {threads} threads of {registers} registers each, and {most} threads are \
                 the most"
            );
            let mistake = LaunchMistake::Unlaunchable { problem, device: context.to_string() };
            return Err(Error::Launch { kernel: bound.source.name, mistake });
        }
        Ok((loaded, None))
    }
}

/// The code of a kernel, which is loaded at its first use.
struct KernelCode {
    code: Code,
    loaded: Slot<Loaded>,
}

enum Code {
    /// PTX that was made beforehand.
    Embedded(&'static str),
    /// PTX that the cache on the disk keeps.
    Kept(String),
    /// A kernel that becomes PTX when it is loaded.
    Optimized(Box<Kernel>),
}

impl KernelCode {
    const fn new(code: Code) -> Self {
        Self { code, loaded: Slot::new() }
    }

    /// Returns the code in the GPU's context, loaded now or earlier.
    fn load(&self, context: &Arc<Context>, bound: &Bound) -> Result<&Loaded> {
        self.loaded.get_or_make(|| {
            let _scope = spans::compile(bound.source.name, "load", &target(context));
            let ptx = match &self.code {
                Code::Embedded(ptx) => Cow::Borrowed(*ptx),
                Code::Kept(ptx) => Cow::Borrowed(&**ptx),
                Code::Optimized(kernel) => {
                    let ptx = BackEnd::new(target(context), bound.source).emit(kernel);
                    let failed = |error: CompileError| {
                        compile_error(context, bound.source, error.to_string())
                    };
                    Cow::Owned(ptx.map_err(failed)?)
                }
            };
            Loaded::new(context, bound, &ptx)
        })
    }
}

/// Returns the target of the PTX for this GPU.
fn target(context: &Context) -> Target {
    context.info.sm.map_or(Target::OLDEST, Target::new)
}

fn compile_error(context: &Context, source: &Source, message: String) -> Error {
    Error::Compile { kernel: source.name, device: context.to_string(), message }
}

/// Code in a context.
pub(super) struct Loaded {
    pub(super) function: FunctionHandle,
    /// Registers that the driver's compiler gave a thread.
    pub(super) registers: u32,
    /// The threads of a block at most, which its registers leave room for.
    max_threads: u32,
    /// True if a launch may start before the kernel before it has ended: the code waits for that.
    pub(super) may_start_early: bool,
    /// The values of parameters in constant memory.
    pub(super) constants: Constants,
    _module: Module,
}

impl Loaded {
    fn new(context: &Arc<Context>, bound: &Bound, ptx: &str) -> Result<Self> {
        let failed = |message| compile_error(context, bound.source, message);
        let zero = |_| failed("a name or PTX with a zero byte".into());
        let has_lines = ptx.contains("\n\t.loc ");
        let ptx = CString::new(ptx).map_err(zero)?;
        let name = CString::new(&*ptx::entry_name(&bound.kernel.name)).map_err(zero)?;
        let module = Module::load(context, &ptx, has_lines).map_err(|error| match error {
            Error::Driver { .. } => failed(error.to_string()),
            other => other,
        })?;
        let function = module.function(&name)?;
        allow_shared(
            context,
            function,
            max_launch_shared_bytes(&bound.signature, context, function)?,
        )?;
        let registers = attribute(context, function, NUMBER_OF_REGISTERS)?;
        let max_threads = attribute(context, function, MAX_THREADS_PER_BLOCK)?;
        // The code is for this target.
        let may_start_early =
            bound.kernel.dependent_launch && target(context) >= ptx::HAS_GRID_DEPENDENCIES;
        let constants = Constants::new(context, &module, &bound.kernel)?;
        Ok(Self { function, registers, max_threads, may_start_early, constants, _module: module })
    }
}

/// The compiler of optimized kernels to PTX for a GPU.
struct BackEnd {
    target: Target,
    may_use_llvm: bool,
    /// The source lines for the PTX.
    lines: Option<SourceLines>,
}

impl BackEnd {
    fn new(target: Target, source: &Source) -> Self {
        let lines = SourceLines::from_env(source);
        // LLVM gets no places, so it could not keep them.
        Self { target, may_use_llvm: source.may_use_llvm && lines.is_none(), lines }
    }

    /// Returns the PTX of a kernel, by LLVM if it is selected and installed.
    fn emit(&self, kernel: &Kernel) -> Result<String, CompileError> {
        if self.may_use_llvm
            && let Some(ptx) = by_llvm(kernel, self.target)
        {
            return Ok(ptx);
        }
        let lines = self.lines.as_ref().map(SourceLines::for_emission);
        Ok(ptx::emit_with_lines(kernel, self.target, lines)?)
    }

    /// Returns a text of everything that the PTX of a kernel depends on.
    fn cache_key(&self, bound: &Bound) -> String {
        let (version, target) = (env!("CARGO_PKG_VERSION"), self.target);
        let llvm = self.may_use_llvm.then(llvm_name).flatten();
        let back_end = llvm.as_deref().unwrap_or("builtin");
        let lines = self.lines.as_ref().map(SourceLines::key).unwrap_or_default();
        format!("{version}\n{target}\n{back_end}\n{lines}\n{}", bound.cache_key())
    }
}

/// Returns name, version and file of the LLVM that [`by_llvm`] uses.
#[cfg(feature = "llvm")]
fn llvm_name() -> Option<String> {
    let llvm = warpwise_llvm::Llvm::find().ok()?;
    Some(format!("{llvm} {}", llvm.path().display()))
}

#[cfg(not(feature = "llvm"))]
const fn llvm_name() -> Option<String> {
    None
}

/// Returns LLVM's PTX; `None` if there is no LLVM, or it refuses the kernel.
#[cfg(feature = "llvm")]
fn by_llvm(kernel: &Kernel, target: Target) -> Option<String> {
    let name = &kernel.name;
    let llvm = warpwise_llvm::Llvm::find()
        .inspect_err(|error| log::debug!("kernel `{name}` is not compiled by LLVM: {error}"))
        .ok()?;
    warpwise_llvm::emit(llvm, kernel, target)
        .inspect_err(|error| log::warn!("kernel `{name}` is not compiled by LLVM: {error}"))
        .ok()
}

#[cfg(not(feature = "llvm"))]
const fn by_llvm(_: &Kernel, _: Target) -> Option<String> {
    None
}

/// Returns the most bytes of shared memory that a launch asks for.
fn max_launch_shared_bytes(
    signature: &Signature,
    context: &Context,
    function: FunctionHandle,
) -> Result<u64> {
    if !signature.sized_at_launch {
        return Ok(signature.shared - signature.declared_shared);
    }
    // The driver's compiler may place the declared arrays with gaps.
    let declared = attribute(context, function, SHARED_BYTES)?.into();
    Ok(context.info.shared_memory_per_block.saturating_sub(declared))
}

/// Allows launches of the function to ask for this number of bytes of shared memory, which the
/// device has.
pub(super) fn allow_shared(context: &Context, function: FunctionHandle, bytes: u64) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let bytes = c_int::try_from(bytes).unwrap_or(c_int::MAX);
    context.enter(|driver| {
        // SAFETY: the function is loaded in the context, which is current.
        unsafe { driver.cuFuncSetAttribute(function, MOST_DYNAMIC_SHARED_BYTES, bytes) }
    })
}

/// Returns a property of the function.
fn attribute(context: &Context, function: FunctionHandle, attribute: c_int) -> Result<u32> {
    let mut value = 0;
    context.enter(|driver| {
        // SAFETY: `value` takes the result; the function is loaded in the context, which is
        // current.
        unsafe { driver.cuFuncGetAttribute(&mut value, attribute, function) }
    })?;
    Ok(u32::try_from(value).unwrap_or(0))
}

/// A module; unloaded when dropped.
pub(super) struct Module {
    handle: ModuleHandle,
    pub(super) context: Arc<Context>,
}

impl Module {
    fn load(context: &Arc<Context>, ptx: &CStr, has_lines: bool) -> Result<Self> {
        // SAFETY: text that ends with a zero.
        unsafe { Self::load_image(context, ptx.to_bytes_with_nul(), has_lines) }
    }

    /// Loads PTX, a cubin or a fat binary. Tools show the lines of PTX that has some.
    ///
    /// # Safety
    /// The image is complete: text that ends with a zero, or a file with all bytes that its headers
    /// declare.
    pub(super) unsafe fn load_image(
        context: &Arc<Context>,
        image: &[u8],
        has_lines: bool,
    ) -> Result<Self> {
        let mut handle = ModuleHandle::NULL;
        let mut log = vec![0u8; LOG_BYTES];
        let loaded = context.enter(|driver| {
            let mut options = [ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_SIZE, GENERATE_LINE_INFO];
            // CUDA passes an option's number in the place of its pointer. One byte is kept, so
            // that the text ends.
            let mut values = [
                log.as_mut_ptr().cast::<c_void>(),
                ptr::without_provenance_mut(LOG_BYTES - 1),
                ptr::without_provenance_mut(1),
            ];
            let count = if has_lines { 3 } else { 2 };
            // SAFETY: the image is complete by the caller's promise, and options, values and log
            // live until the call returns; a context is current.
            unsafe {
                driver.cuModuleLoadDataEx(
                    &mut handle,
                    image.as_ptr().cast(),
                    count,
                    options.as_mut_ptr(),
                    values.as_mut_ptr(),
                )
            }?;
            let problem = || "a null module".to_owned();
            driver.expect_usable("cuModuleLoadDataEx", !handle.is_null(), problem)
        });
        loaded.map_err(|error| with_log(error, &log))?;
        Ok(Self { handle, context: Arc::clone(context) })
    }

    /// Returns address and bytes of a variable.
    pub(super) fn global(&self, name: &CStr) -> Result<(Address, usize)> {
        let (mut address, mut bytes) = (0, 0);
        self.context.enter(|driver| {
            // SAFETY: the first two take the results; the module is loaded in the context, which is
            // current; the name ends with a zero.
            unsafe {
                driver.cuModuleGetGlobal_v2(&mut address, &mut bytes, self.handle, name.as_ptr())
            }
        })?;
        Ok((address, bytes))
    }

    pub(super) fn function(&self, name: &CStr) -> Result<FunctionHandle> {
        let mut function = FunctionHandle::NULL;
        self.context.enter(|driver| {
            // SAFETY: the module is loaded in the context, which is current; the name ends with a
            // zero.
            unsafe { driver.cuModuleGetFunction(&mut function, self.handle, name.as_ptr()) }?;
            let problem = || "a null function".to_owned();
            driver.expect_usable("cuModuleGetFunction", !function.is_null(), problem)
        })?;
        Ok(function)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let unload = |driver: &Driver| {
            // SAFETY: loaded once, unloaded once, by when nothing launches its function any more.
            unsafe { driver.cuModuleUnload(self.handle) }
        };
        // An error (of a lost context) leaves nothing to do.
        let _ = self.context.enter(unload);
    }
}

/// Adds the log of the driver's compiler to an error.
fn with_log(mut error: Error, log: &[u8]) -> Error {
    if let Error::Driver { log: text, .. } = &mut error {
        let said = CStr::from_bytes_until_nul(log).map(CStr::to_string_lossy).unwrap_or_default();
        let said = said.trim();
        *text = (!said.is_empty()).then(|| said.to_owned());
    }
    error
}
