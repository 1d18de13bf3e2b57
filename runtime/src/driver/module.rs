//! Modules of the user: from PTX or a cubin to functions that can be launched.
use super::{
    api::FunctionHandle,
    kernel::{Module, allow_shared},
    memory::Allocation,
    stream::Stream,
};
use crate::{Error, Result, error::LaunchMistake, launch::config::Geometry};
use smallvec::SmallVec;
use std::{
    ffi::{CStr, CString, c_void},
    mem::ManuallyDrop,
    ops::Range,
    ptr,
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// `CUDA_ERROR_NOT_FOUND`
const NOT_FOUND: u32 = 500;

/// Arguments of a launch for which nothing is allocated.
const INLINE_PARAMS: usize = 16;

/// A module; unloaded, when dropped, after the launches of its functions.
pub(crate) struct UserModule {
    module: ManuallyDrop<Module>,
    /// The streams that launched functions of it.
    launched_on: Mutex<Vec<Weak<Stream>>>,
}

impl UserModule {
    /// Loads PTX into the context of a stream.
    pub(crate) fn load_ptx(stream: &Stream, ptx: &CStr) -> Result<Self> {
        // SAFETY: text that ends with a zero.
        unsafe { Self::load_image(stream, ptx.to_bytes_with_nul()) }
    }

    /// Loads an image into the context of a stream.
    ///
    /// # Safety
    /// As of [`Module::load_image`].
    pub(crate) unsafe fn load_image(stream: &Stream, image: &[u8]) -> Result<Self> {
        // SAFETY: the caller's promise.
        let module = unsafe { Module::load_image(&stream.gpu.context, image, false) }?;
        Ok(Self { module: ManuallyDrop::new(module), launched_on: Mutex::default() })
    }

    /// Finds a function by its name.
    pub(crate) fn function(self: &Arc<Self>, name: &str) -> Result<ModuleFunction> {
        let missing = || Error::NoFunction { name: name.to_owned() };
        let symbol = CString::new(name).map_err(|_| missing())?;
        let function = self.module.function(&symbol).map_err(|error| match error {
            Error::Driver { code: NOT_FOUND, .. } => missing(),
            other => other,
        })?;
        let params = self.params(function);
        Ok(ModuleFunction { module: Arc::clone(self), function, params, shared: 0 })
    }

    /// Returns the sizes of a function's parameters, if the driver reports them.
    fn params(&self, function: FunctionHandle) -> Option<Vec<usize>> {
        let mut sizes = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            let told = self.module.context.enter(|driver| {
                // SAFETY: both take the results; the function is loaded in the context, which is
                // current.
                Ok(unsafe {
                    driver.cuFuncGetParamInfo(function, sizes.len(), &mut offset, &mut size)
                })
            });
            match told.ok()?? {
                Ok(()) => sizes.push(size),
                // There is no parameter of this number.
                Err(_) => return Some(sizes),
            }
        }
    }

    /// Returns true if the stream is on the module's GPU.
    pub(crate) fn is_on_the_gpu_of(&self, stream: &Stream) -> bool {
        Arc::ptr_eq(&self.module.context, &stream.gpu.context)
    }

    /// Returns the GPU of the module, as messages name it.
    pub(crate) fn place(&self) -> String {
        self.module.context.to_string()
    }

    /// Notes that functions of the module may be running on the stream.
    fn note_launch(&self, stream: &Arc<Stream>) {
        let mut streams = self.launched_on.lock().unwrap_or_else(PoisonError::into_inner);
        let stream = Arc::downgrade(stream);
        if !streams.iter().any(|other| other.ptr_eq(&stream)) {
            streams.retain(|other| other.strong_count() > 0);
            streams.push(stream);
        }
    }
}

impl Drop for UserModule {
    fn drop(&mut self) {
        let streams = self.launched_on.get_mut().unwrap_or_else(PoisonError::into_inner);
        let is_done = streams
            .iter()
            .filter_map(Weak::upgrade)
            .all(|stream| matches!(stream.wait(), Ok(()) | Err(Error::DeviceLost { .. })));
        // Otherwise a function may still be running.
        if is_done {
            // SAFETY: dropped once, here.
            unsafe { ManuallyDrop::drop(&mut self.module) };
        }
    }
}

/// A function of a module, which it keeps loaded.
#[derive(Clone)]
pub(crate) struct ModuleFunction {
    pub(crate) module: Arc<UserModule>,
    function: FunctionHandle,
    /// The sizes of its parameters, if the driver reports them.
    params: Option<Vec<usize>>,
    /// Bytes of dynamic shared memory of a block.
    shared: u32,
}

impl ModuleFunction {
    /// Sets the dynamic shared memory of the blocks of launches.
    pub(crate) fn set_shared(&mut self, bytes: u32) -> Result<()> {
        allow_shared(&self.module.module.context, self.function, bytes.into())?;
        self.shared = bytes;
        Ok(())
    }

    /// Refuses other parameters than the function has, if the driver reports them.
    pub(crate) fn check(&self, params: &Params) -> Result<(), LaunchMistake> {
        let Some(sizes) = &self.params else { return Ok(()) };
        if sizes.len() != params.sizes.len() {
            let (expected, found) = (sizes.len(), params.sizes.len());
            let expected = format!("{expected} arguments");
            return Err(LaunchMistake::Arguments { expected, found: found.to_string() });
        }
        let mut pairs = sizes.iter().zip(&params.sizes).enumerate();
        match pairs.find(|(_, (size, passed))| size != passed) {
            None => Ok(()),
            Some((index, (size, passed))) => {
                let expected = format!("{size} bytes as argument {index}");
                Err(LaunchMistake::Arguments { expected, found: passed.to_string() })
            }
        }
    }
}

/// The bytes of a launch's arguments.
#[derive(Default)]
pub(crate) struct Params {
    words: SmallVec<[u64; INLINE_PARAMS]>,
    /// The first word of each argument.
    starts: SmallVec<[usize; INLINE_PARAMS]>,
    /// The number of bytes of each argument.
    sizes: SmallVec<[usize; INLINE_PARAMS]>,
}

impl Params {
    /// Adds an argument.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.starts.push(self.words.len());
        self.sizes.push(bytes.len());
        self.words.extend(bytes.chunks(size_of::<u64>()).map(|chunk| {
            let mut word = [0; size_of::<u64>()];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        }));
    }
}

impl Stream {
    /// Gives a launch of a module's function to the GPU, after the work of other streams that uses
    /// the same bytes.
    ///
    /// # Safety
    /// The function is of this GPU, takes these parameters, and in such a launch accesses no memory
    /// but that of `operands`, which it writes only where they say so, and memory that is nobody
    /// else's.
    pub(crate) unsafe fn run_function<'a>(
        self: &Arc<Self>,
        function: &ModuleFunction,
        Geometry { grid: [gx, gy, gz], block: [bx, by, bz] }: Geometry,
        mut params: Params,
        operands: impl IntoIterator<Item = (&'a Allocation, Range<usize>, bool), IntoIter: Clone>,
    ) -> Result<()> {
        function.module.note_launch(self);
        let words = params.words.as_mut_ptr();
        // A parameter without bytes may begin after the last word.
        let mut pointers: SmallVec<[*mut c_void; INLINE_PARAMS]> =
            params.starts.iter().map(|&start| words.wrapping_add(start).cast()).collect();
        self.submit(operands, |driver, _| {
            let (handle, shared, stream) = (function.function, function.shared, self.handle);
            let (pointers, extra) = (pointers.as_mut_ptr(), ptr::null_mut());
            // SAFETY: the function is loaded in the context, which is current, and unloaded after
            // this launch. What it takes and does is the caller's promise.
            unsafe {
                driver
                    .cuLaunchKernel(handle, gx, gy, gz, bx, by, bz, shared, stream, pointers, extra)
            }
        })
    }
}
