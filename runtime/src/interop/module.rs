//! Kernels that are not Warpwise's: PTX, cubins and CUDA C as a [`Module`].
use super::SliceUse;
use crate::{
    Buffer, Device, Error, LaunchConfig, Plain, Result, Slice, Stored, View, ViewMut,
    driver::{ModuleFunction, Nvrtc, Params, UserModule},
    error::LaunchMistake,
};
use smallvec::SmallVec;
use std::{ffi::CString, fmt, sync::Arc};

/// The first bytes of cubins, which are ELF files.
const CUBIN_MAGIC: &str = "\x7fELF";

/// Kernels in a GPU, from PTX, a cubin or CUDA C: for programs that move to Warpwise kernel by
/// kernel, and for kernels that it does not express.
///
/// ```no_run
/// use warpwise::{Device, LaunchConfig};
///
/// let device = Device::cuda(0)?;
/// let source = r#"
///     extern "C" __global__ void scale(float a, const float *x, float *y, int n) {
///         int i = blockIdx.x * blockDim.x + threadIdx.x;
///         if (i < n) y[i] = a * x[i];
///     }
/// "#;
/// let scale = device.compile_cuda(source, &[])?.function("scale")?;
/// let (x, mut y) = (device.upload(&[1.0f32; 1000])?, device.zeros::<f32>(1000)?);
/// // SAFETY: the arguments are those of `scale`, which accesses 1000 elements.
/// unsafe { scale.launch(&device, LaunchConfig::cover(1000), (2.0f32, &x, &mut y, 1000i32)) }?;
/// assert_eq!(y.to_vec()?, [2.0; 1000]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// Launches are ordered as those of Warpwise's kernels are: after other work with the same slices,
/// on whichever stream. What a function does is not checked: an access out of bounds is
/// undefined, and may lose the device.
#[derive(Clone)]
pub struct Module {
    module: Arc<UserModule>,
}

impl Module {
    /// Finds a function by its name: that in `extern "C"`, or else C++'s mangled one.
    ///
    /// ```no_run
    /// use warpwise::{Device, Error};
    ///
    /// // Needs a GPU, and NVRTC.
    /// let source = r#"extern "C" __global__ void fill(float *y) { y[threadIdx.x] = 1.0f; }"#;
    /// let module = Device::cuda(0)?.compile_cuda(source, &[])?;
    /// let fill = module.function("fill")?;
    /// assert!(matches!(module.function("file"), Err(Error::NoFunction { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoFunction`]; errors of the driver.
    pub fn function(&self, name: &str) -> Result<Function> {
        Ok(Function { name: name.to_owned(), function: self.module.function(name)? })
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Module({})", self.module.place())
    }
}

/// A function of a [`Module`], which it keeps loaded.
#[derive(Clone)]
pub struct Function {
    name: String,
    function: ModuleFunction,
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({}, {})", self.name, self.function.module.place())
    }
}

impl Function {
    /// Gives blocks this number of bytes of dynamic shared memory, `extern __shared__` in CUDA C.
    ///
    /// ```no_run
    /// use warpwise::{Device, LaunchConfig};
    ///
    /// // Needs a GPU, and NVRTC.
    /// let device = Device::cuda(0)?;
    /// let source = r#"
    ///     extern "C" __global__ void reverse(float *x) {
    ///         extern __shared__ float tile[];
    ///         tile[threadIdx.x] = x[threadIdx.x];
    ///         __syncthreads();
    ///         x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
    ///     }
    /// "#;
    /// let module = device.compile_cuda(source, &[])?;
    /// let reverse = module.function("reverse")?.with_shared_bytes(4 * 64)?;
    /// let mut x = device.upload(&std::array::from_fn::<_, 64, _>(|i| i as f32))?;
    /// // SAFETY: the argument is that of `reverse`, which accesses 64 elements.
    /// unsafe { reverse.launch(&device, LaunchConfig::grid(1).block(64), (&mut x,)) }?;
    /// assert_eq!(x.to_vec()?[0], 63.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// An error of the driver, if a block of the device has less.
    pub fn with_shared_bytes(mut self, bytes: u32) -> Result<Self> {
        self.function.set_shared(bytes)?;
        Ok(self)
    }

    /// Launches the function.
    ///
    /// `args` is a tuple of arguments: numbers and other [`Plain`] values, `&Slice` or `&Buffer`
    /// for a pointer that is read, and `&mut Slice` or `&mut Buffer` for one that is written. A
    /// slice is passed as the address of its first element, without its length. Without
    /// [`LaunchConfig::block`], blocks have 256 threads.
    ///
    /// ```no_run
    /// use warpwise::{Device, LaunchConfig};
    ///
    /// // Needs a GPU, and NVRTC.
    /// let device = Device::cuda(0)?;
    /// let source = r#"
    ///     extern "C" __global__ void fill(float a, float *y) { y[threadIdx.x] = a; }
    /// "#;
    /// let fill = device.compile_cuda(source, &[])?.function("fill")?;
    /// let mut y = device.zeros::<f32>(64)?;
    /// // SAFETY: the arguments are those of `fill`, which writes 64 elements.
    /// unsafe { fill.launch(&device, LaunchConfig::grid(1).block(64), (0.5f32, &mut y)) }?;
    /// assert_eq!(y.to_vec()?, [0.5; 64]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::ModuleLaunch`] for a geometry that no GPU runs, and for arguments of other number
    /// or size than the parameters, which drivers of CUDA 12.4 and later report;
    /// [`Error::WrongDevice`]; [`Error::NeedsGpu`] on the interpreter; [`Error::NotInGraphs`] while
    /// a graph is recorded; errors of the driver.
    ///
    /// # Safety
    /// The function takes these arguments. In this launch it accesses no memory but that of the
    /// slices, in bounds, and memory that nothing else uses. It writes only slices that are passed
    /// as `&mut`, and of atomics.
    #[expect(unsafe_code, reason = "the function does what it does")]
    pub unsafe fn launch<'a>(
        &self,
        device: &Device,
        config: LaunchConfig,
        args: impl ModuleArgs<'a>,
    ) -> Result<()> {
        let stream = device.work_stream("functions of modules")?;
        let module = &self.function.module;
        if !module.is_on_the_gpu_of(stream) {
            let (place, device) = (module.place(), device.to_string());
            return Err(Error::WrongDevice { what: "a module", place, device });
        }
        let refused =
            |mistake: LaunchMistake| Error::ModuleLaunch { function: self.name.clone(), mistake };
        let (mut params, mut operands) = (Params::default(), Vec::new());
        for arg in args.into_args() {
            match arg.0 {
                Passed::Bytes(bytes) => params.push(&bytes),
                Passed::Slice(slice) => {
                    slice.check_device(device)?;
                    params.push(&slice.address().to_le_bytes());
                    operands.push(slice.operand());
                }
            }
        }
        self.function.check(&params).map_err(refused)?;
        let geometry = config.geometry(None, true).map_err(refused)?;
        if geometry.is_empty() {
            return Ok(());
        }
        // SAFETY: the GPU was checked; the rest is the caller's promise.
        unsafe { stream.run_function(&self.function, geometry, params, operands) }
    }
}

/// An argument of a [`Function`].
#[derive(Debug)]
pub struct ModuleArg<'a>(Passed<'a>);

#[derive(Debug)]
enum Passed<'a> {
    Bytes(SmallVec<[u8; 16]>),
    Slice(SliceUse<'a>),
}

/// A value that a [`Function`] takes: a [`Plain`] value, or a reference to a slice.
pub trait ModuleValue<'a> {
    /// Returns the argument.
    ///
    /// ```
    /// use warpwise::{Device, LaunchConfig, interop::{Function, ModuleValue}};
    ///
    /// /// Launches a function whose number of arguments is known at run time. Needs a GPU.
    /// ///
    /// /// # Safety
    /// /// As of [`Function::launch`].
    /// unsafe fn launch(
    ///     function: &Function,
    ///     device: &Device,
    ///     factors: &[f32],
    /// ) -> warpwise::Result<()> {
    ///     let args: Vec<_> = factors.iter().map(|&factor| factor.into_arg()).collect();
    ///     // SAFETY: the caller's promise.
    ///     unsafe { function.launch(device, LaunchConfig::grid(1), args) }
    /// }
    /// ```
    fn into_arg(self) -> ModuleArg<'a>;
}

impl<'a, T: Plain> ModuleValue<'a> for T {
    fn into_arg(self) -> ModuleArg<'a> {
        let mut bytes = SmallVec::from_elem(0, T::LAYOUT.size);
        self.store(&mut bytes);
        ModuleArg(Passed::Bytes(bytes))
    }
}

macro_rules! slices {
    ($($slice:ty)*) => {$(
        impl<'a, T: Stored> ModuleValue<'a> for &'a $slice {
            fn into_arg(self) -> ModuleArg<'a> {
                ModuleArg(Passed::Slice(SliceUse::read(self)))
            }
        }
        impl<'a, T: Stored> ModuleValue<'a> for &'a mut $slice {
            fn into_arg(self) -> ModuleArg<'a> {
                ModuleArg(Passed::Slice(SliceUse::write(self)))
            }
        }
    )*};
}
slices! { Slice<T> Buffer<T> ViewMut<'_, T> }

impl<'a, T: Stored> ModuleValue<'a> for &'a View<'_, T> {
    fn into_arg(self) -> ModuleArg<'a> {
        ModuleArg(Passed::Slice(SliceUse::read(self)))
    }
}

/// The arguments of a [`Function`]: a tuple of [`ModuleValue`]s, or [`ModuleArg`]s in a `Vec`.
pub trait ModuleArgs<'a> {
    /// Returns the arguments in order.
    ///
    /// ```
    /// use warpwise::{Device, interop::ModuleArgs};
    ///
    /// let mut y = Device::cpu().zeros::<f32>(8)?;
    /// // A tuple of numbers and slices, as `Function::launch` takes it.
    /// assert_eq!((2.0f32, &mut y, 8i32).into_args().len(), 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    fn into_args(self) -> Vec<ModuleArg<'a>>;
}

impl<'a> ModuleArgs<'a> for Vec<ModuleArg<'a>> {
    fn into_args(self) -> Self {
        self
    }
}

impl<'a> ModuleArgs<'a> for () {
    fn into_args(self) -> Vec<ModuleArg<'a>> {
        Vec::new()
    }
}

macro_rules! tuples {
    ($($T:ident)*) => { tuples! { @ [] $($T)* } };
    (@ [$($done:ident)*] $next:ident $($rest:ident)*) => {
        impl<'a, $($done: ModuleValue<'a>,)* $next: ModuleValue<'a>> ModuleArgs<'a> for ($($done,)* $next,) {
            #[expect(non_snake_case, reason = "named as the types")]
            fn into_args(self) -> Vec<ModuleArg<'a>> {
                let ($($done,)* $next,) = self;
                vec![$($done.into_arg(),)* $next.into_arg()]
            }
        }
        tuples! { @ [$($done)* $next] $($rest)* }
    };
    (@ [$($done:ident)*]) => {};
}
tuples! { A B C D E F G H I J K L M N O P }

impl Device {
    /// Loads PTX, which the driver compiles for the GPU.
    ///
    /// ```no_run
    /// use warpwise::Device;
    ///
    /// // Needs a GPU.
    /// let ptx = ".version 7.0 .target sm_75 .address_size 64 .visible .entry nothing() { ret; }";
    /// let nothing = Device::cuda(0)?.load_ptx(ptx)?.function("nothing")?;
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Driver`] with the compiler's log for text that is no PTX or for newer GPUs;
    /// [`Error::NeedsGpu`] on the interpreter.
    pub fn load_ptx(&self, ptx: &str) -> Result<Module> {
        let stream = self.require_gpu("modules")?;
        // The driver would read text that begins like a binary as one, beyond its end.
        let text = CString::new(ptx).ok().filter(|_| !ptx.starts_with(CUBIN_MAGIC));
        let text = text.ok_or_else(|| not_ptx("it is binary: `load_image` loads cubins"))?;
        Ok(Module { module: Arc::new(UserModule::load_ptx(stream, &text)?) })
    }

    /// Loads a cubin or a fat binary, as `nvcc -cubin` and `nvcc -fatbin` write them.
    ///
    /// ```no_run
    /// use warpwise::Device;
    ///
    /// // Needs a GPU, and a file that `nvcc -cubin` has written.
    /// let image = std::fs::read("kernels.cubin")?;
    /// // SAFETY: the file is complete.
    /// let module = unsafe { Device::cuda(0)?.load_image(&image) }?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Driver`] for one without code for the GPU; [`Error::NeedsGpu`] on the interpreter.
    ///
    /// # Safety
    /// The image is complete: the driver reads the bytes that its headers declare, without a bound.
    #[expect(unsafe_code, reason = "the image is as the caller says")]
    pub unsafe fn load_image(&self, image: &[u8]) -> Result<Module> {
        let stream = self.require_gpu("modules")?;
        // SAFETY: the caller's promise.
        let module = unsafe { UserModule::load_image(stream, image) }?;
        Ok(Module { module: Arc::new(module) })
    }

    /// Compiles CUDA C for the GPU by NVRTC: the library `libnvrtc` of a CUDA toolkit, or of
    /// NVIDIA's package `nvidia-cuda-nvrtc` on the library path.
    ///
    /// `options` are those of NVRTC, as `--use_fast_math`. The architecture is the GPU's, unless
    /// an option names one.
    ///
    /// ```no_run
    /// use warpwise::{Device, Error};
    ///
    /// // Needs a GPU, and NVRTC.
    /// let device = Device::cuda(0)?;
    /// let source = r#"
    ///     extern "C" __global__ void fill(float *y) { y[threadIdx.x] = expf(1.0f); }
    /// "#;
    /// let module = device.compile_cuda(source, &["--use_fast_math"])?;
    /// let mistake = device.compile_cuda("void f() { g(); }", &[]);
    /// assert!(matches!(mistake, Err(Error::CompileCuda { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoNvrtc`]; [`Error::CompileCuda`] with the compiler's messages; those of
    /// [`Self::load_ptx`].
    pub fn compile_cuda(&self, source: &str, options: &[&str]) -> Result<Module> {
        let stream = self.require_gpu("modules")?;
        let nvrtc = Nvrtc::get()?;
        let is_architecture = |option: &&str| {
            ["-arch", "--gpu-architecture"].iter().any(|name| option.starts_with(name))
        };
        let own = self.info().sm.filter(|_| !options.iter().any(is_architecture));
        let own = own.map(|sm| format!("--gpu-architecture=compute_{sm}"));
        let options = options.iter().copied().map(str::to_owned).chain(own);
        let zero = |_| not_ptx("its source or an option has a zero byte");
        let options: Vec<_> = options.map(CString::new).collect::<Result<_, _>>().map_err(zero)?;
        let ptx = nvrtc.compile(&CString::new(source).map_err(zero)?, &options)?;
        Ok(Module { module: Arc::new(UserModule::load_ptx(stream, &ptx)?) })
    }
}

/// Returns the error for text that is not passed to the driver.
fn not_ptx(text: &str) -> Error {
    let name = "text that is not loaded".to_owned();
    Error::Driver { call: "cuModuleLoadDataEx", code: 0, name, text: text.to_owned(), log: None }
}
