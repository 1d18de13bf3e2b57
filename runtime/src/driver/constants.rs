//! Constant memory of kernels that are loaded into a context: its contents, and the streams that
//! read them.
//!
//! A module has an array in constant memory for each parameter with `#[constant]`. A launch copies
//! its values there, in the order of its stream, unless they are there already. All launches of a
//! module share its arrays, so
//!
//! - a stream whose launch finds its values there waits once for the copy, if another stream made
//!   it;
//! - a launch that copies other values waits for the launches of all other streams that read the
//!   ones before.
//!
//! [`Uses`](super::uses::Uses) orders memory that is freed one day. It keeps the streams of its
//! uses, which modules, being kept to the end of the process, must not do. A dropped stream has
//! waited for its work, or is about to: waiting for it means to wait for the whole GPU.
use super::{
    api::{Address, Driver},
    context::Context,
    kernel::Module,
    stream::Stream,
};
use crate::{
    Result,
    launch::checks::{CheckedLaunch, Value},
    memory::{AnySlice, Memory},
};
use std::{
    ffi::CString,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};
use warpwise_compiler::{
    back::ptx::{Placement, constant_arrays, constant_symbol},
    ir::{Access, Kernel},
};

/// The arrays of a module, in the order of the parameters.
pub(super) struct Constants {
    symbols: Vec<Symbol>,
    state: Mutex<State>,
}

struct Symbol {
    address: Address,
    bytes: usize,
}

/// The contents of the arrays, and the streams that read them.
#[derive(Default)]
pub(super) struct State {
    /// By array, the memory that the values were copied from. It is not reused while this lives,
    /// and a [`Constant`](crate::Constant) never changes.
    held: Vec<Option<Weak<Memory>>>,
    /// The stream that copied last.
    copied_by: Option<Weak<Stream>>,
    /// The streams that have waited for the last copy, and launched after it.
    readers: Vec<Weak<Stream>>,
    /// True if dropped streams were removed from the readers.
    has_lost_readers: bool,
}

/// The constant memory of a launch, which no other launch of the module changes while this lives.
#[derive(Default)]
pub(super) struct Prepared<'a> {
    /// True if values were copied for the launch, in the order of its stream.
    pub(super) has_copied: bool,
    /// `None` if the kernel has no constant memory.
    _state: Option<MutexGuard<'a, State>>,
}

impl Constants {
    /// Finds the arrays of a module that was made of `kernel`.
    pub(super) fn new(context: &Context, module: &Module, kernel: &Kernel) -> Result<Self> {
        let symbols = constant_arrays(kernel).map(|(param, Placement { bytes, .. })| {
            let name = CString::new(constant_symbol(param)).unwrap_or_default();
            let (address, found) = module.global(&name)?;
            let is_usable = address != 0 && found as u64 >= bytes;
            let problem = || format!("{found} bytes at address {address:#x}");
            context
                .enter(|driver| driver.expect_usable("cuModuleGetGlobal", is_usable, problem))?;
            Ok(Symbol { address, bytes: found })
        });
        let symbols = symbols.collect::<Result<Vec<_>>>()?;
        let held = symbols.iter().map(|_| None).collect();
        Ok(Self { symbols, state: Mutex::new(State { held, ..State::default() }) })
    }

    /// Copies the values of a launch to constant memory, after the work of other streams that reads
    /// others, or waits for the stream that copied them. No other launch of the module is enqueued
    /// before the result is dropped. Streams that were waited for are added to `kept`, which is
    /// dropped when no lock is held.
    pub(super) fn prepare(
        &self,
        stream: &Arc<Stream>,
        driver: &Driver,
        launch: &CheckedLaunch<'_>,
        kept: &mut Vec<Arc<Stream>>,
    ) -> Result<Prepared<'_>> {
        if self.symbols.is_empty() {
            return Ok(Prepared::default());
        }
        let values = launch.args.values().filter_map(|value| match value {
            Value::Slice { slice, access: Access::Constant { .. }, .. } => Some(*slice),
            Value::Slice { .. } | Value::Scalar { .. } => None,
        });
        let values: Vec<&AnySlice> = values.collect();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let holds = |(held, slice): (&Option<Weak<Memory>>, &&AnySlice)| {
            held.as_ref().is_some_and(|held| held.as_ptr() == Arc::as_ptr(&slice.memory))
        };
        if state.held.iter().zip(&values).all(holds) {
            state.wait_for_copy(stream, driver, kept)?;
            return Ok(Prepared { has_copied: false, _state: Some(state) });
        }
        state.wait_for_readers(stream, driver, kept)?;
        (state.readers, state.has_lost_readers) = (vec![Arc::downgrade(stream)], false);
        state.copied_by = Some(Arc::downgrade(stream));
        for ((symbol, slice), held) in self.symbols.iter().zip(&values).zip(&mut state.held) {
            if holds((held, slice)) {
                continue;
            }
            *held = None;
            let bytes = slice.bytes.min(symbol.bytes);
            if bytes > 0 {
                let (to, from) = (symbol.address, slice.gpu().address_of(slice.offset));
                // SAFETY: both have as many bytes: the array by its module, and the slice is
                // memory of this GPU that is freed after this launch.
                unsafe { driver.cuMemcpyDtoDAsync_v2(to, from, bytes, stream.handle) }?;
            }
            *held = Some(Arc::downgrade(&slice.memory));
        }
        Ok(Prepared { has_copied: true, _state: Some(state) })
    }
}

impl State {
    /// Makes `stream` wait for the last copy, unless it has.
    fn wait_for_copy(
        &mut self,
        stream: &Arc<Stream>,
        driver: &Driver,
        kept: &mut Vec<Arc<Stream>>,
    ) -> Result<()> {
        if self.readers.iter().any(|reader| is_of(reader, stream)) {
            return Ok(());
        }
        if let Some(copied_by) = &self.copied_by {
            wait_for(copied_by, stream, driver, kept)?;
        }
        let count = self.readers.len();
        self.readers.retain(|reader| reader.strong_count() > 0);
        self.has_lost_readers |= self.readers.len() < count;
        self.readers.push(Arc::downgrade(stream));
        Ok(())
    }

    /// Makes `stream` wait for the launches of all others that read the contents of the arrays.
    fn wait_for_readers(
        &self,
        stream: &Arc<Stream>,
        driver: &Driver,
        kept: &mut Vec<Arc<Stream>>,
    ) -> Result<()> {
        self.readers.iter().try_for_each(|reader| wait_for(reader, stream, driver, kept))?;
        if self.has_lost_readers { wait_for_gpu(driver) } else { Ok(()) }
    }
}

/// Makes `stream` wait for the work that another one has so far.
fn wait_for(
    other: &Weak<Stream>,
    stream: &Arc<Stream>,
    driver: &Driver,
    kept: &mut Vec<Arc<Stream>>,
) -> Result<()> {
    if is_of(other, stream) {
        return Ok(());
    }
    match other.upgrade() {
        Some(other) => {
            stream.wait_for_stream(driver, &other)?;
            kept.push(other);
            Ok(())
        }
        None => wait_for_gpu(driver),
    }
}

/// Waits for all work of the current context.
fn wait_for_gpu(driver: &Driver) -> Result<()> {
    // SAFETY: it takes nothing, and a context is current.
    unsafe { driver.cuCtxSynchronize() }
}

fn is_of(one: &Weak<Stream>, stream: &Arc<Stream>) -> bool {
    one.as_ptr() == Arc::as_ptr(stream)
}
