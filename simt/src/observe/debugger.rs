//! The debugger: observation of single lanes, instruction by instruction.
use crate::{
    bytecode::{DebugPoint, Stage},
    vector::lanes,
};
use std::{
    any::Any,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Mutex, PoisonError},
};
use warpwise_compiler::{
    id::Id,
    ir::{ArrayId, InstId, Kernel, LocalId, Op, ParamId, Root, SharedId},
};

/// The lanes of one warp that a debugger watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchedLanes {
    /// Index of the block.
    pub block: [u32; 3],
    /// Index of the warp in the block.
    pub warp: u32,
    /// The watched lanes: bit l for lane l.
    pub lanes: u32,
}

/// A callback that observes watched lanes and decides whether the launch continues.
pub type WatchFn<'a> = dyn FnMut(&Moment<'_>) -> ControlFlow<()> + Send + 'a;

/// A point in the execution of some of the watched lanes.
#[derive(Debug)]
pub struct Moment<'a> {
    /// The instruction.
    pub inst: InstId,
    /// The stage of the instruction's execution.
    pub stage: Stage,
    /// The lanes that execute it: bit l for lane l.
    pub lanes: u32,
    kernel: &'a Kernel,
    known: &'a LastValues,
}

impl Moment<'_> {
    /// Returns the kernel.
    pub fn kernel(&self) -> &Kernel {
        self.kernel
    }

    /// Returns the last result of an instruction in a lane, zero-extended; `None` if the lane has
    /// not executed it.
    pub fn value(&self, inst: InstId, lane: usize) -> Option<u64> {
        let op = &self.kernel.insts[inst].op;
        // An address without a recorded value is computed from its operands.
        if let Some(bits) = self.known.values[inst.index()].get(lane) {
            Some(bits)
        } else if let Op::Index { base, index, stride } = op {
            let bytes = self.value(*index, lane)?.wrapping_mul(stride.known()?);
            Some(self.value(*base, lane)?.wrapping_add(bytes))
        } else if let Op::Offset { base, offset } = op {
            Some(self.value(*base, lane)?.wrapping_add(offset.known()?))
        } else {
            None
        }
    }

    /// Returns the last value that a lane set a local to, zero-extended; `None` if it has not set
    /// it.
    pub fn local(&self, local: LocalId, lane: usize) -> Option<u64> {
        self.known.locals[local.index()].get(lane)
    }

    /// Resolves an address to the parameter or array that it points into and the offset in bytes
    /// from its first element.
    pub fn resolve(&self, address: u64) -> Option<(Root, u64)> {
        let (buffer, offset) = lanes::resolve(address);
        let (params, shared) = (self.kernel.params.len(), self.kernel.shared.len());
        let number = usize::from(buffer);
        let root = if number < params {
            Root::Param(ParamId::new(number))
        } else if number < params + shared {
            Root::Shared(SharedId::new(number - params))
        } else if number < params + shared + self.kernel.arrays.len() {
            Root::Array(ArrayId::new(number - params - shared))
        } else {
            return None;
        };
        Some((root, offset))
    }
}

/// One value for each lane of a warp, as far as it is set.
#[derive(Clone, Debug)]
struct LaneValues {
    set: u32,
    bits: [u64; 32],
}

impl LaneValues {
    const UNSET: Self = Self { set: 0, bits: [0; 32] };

    fn get(&self, lane: usize) -> Option<u64> {
        (self.set & (1 << lane) != 0).then(|| self.bits[lane])
    }

    fn set(&mut self, lanes: u32, bits: &[u64; 32]) {
        self.set |= lanes;
        for lane in (0..32).filter(|lane| lanes & (1 << lane) != 0) {
            self.bits[lane] = bits[lane];
        }
    }
}

/// The last values of the watched lanes.
#[derive(Debug)]
struct LastValues {
    /// By instruction.
    values: Vec<LaneValues>,
    /// By local.
    locals: Vec<LaneValues>,
}

/// A [`WatchFn`] with the state that it observes.
pub(crate) struct Watcher<'a> {
    watched: WatchedLanes,
    kernel: &'a Kernel,
    state: Mutex<WatcherState<'a>>,
}

struct WatcherState<'a> {
    known: LastValues,
    look: Box<WatchFn<'a>>,
    panic: Option<Box<dyn Any + Send>>,
}

/// The executor's view of a [`Watcher`].
pub(crate) trait Watch: Sync {
    /// Returns the lanes that are watched.
    fn watched(&self) -> WatchedLanes;
    /// Reports that `lanes` are at a debug point, with their values where the instruction has a
    /// result.
    fn observe(&self, point: &DebugPoint, lanes: u32, bits: Option<[u64; 32]>) -> ControlFlow<()>;
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(kernel: &'a Kernel, watched: WatchedLanes, look: Box<WatchFn<'a>>) -> Self {
        let known = LastValues {
            values: vec![LaneValues::UNSET; kernel.insts.len()],
            locals: vec![LaneValues::UNSET; kernel.locals.len()],
        };
        Self { watched, kernel, state: Mutex::new(WatcherState { known, look, panic: None }) }
    }

    /// Ends the observation. Panics if the callback has panicked.
    pub(crate) fn finish(self) {
        let WatcherState { panic, .. } =
            self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl Watch for Watcher<'_> {
    fn watched(&self) -> WatchedLanes {
        self.watched
    }

    fn observe(&self, point: &DebugPoint, lanes: u32, bits: Option<[u64; 32]>) -> ControlFlow<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let WatcherState { known, look, panic } = &mut *state;
        let DebugPoint { inst, stage, tells, .. } = *point;
        if let Some(bits) = bits {
            known.values[inst.index()].set(lanes, &bits);
        }
        if let Op::Set { local, value } = self.kernel.insts[inst].op {
            let bits = known.values[value.index()].bits;
            known.locals[local.index()].set(lanes, &bits);
        }
        if !tells {
            return ControlFlow::Continue(());
        }
        let moment = Moment { inst, stage, lanes, kernel: self.kernel, known };
        // A panic of the callback is no bug of ours, and must not unwind a worker thread: it is
        // kept for
        // `finish`.
        let flow = catch_unwind(AssertUnwindSafe(|| look(&moment)));
        flow.unwrap_or_else(|payload| {
            *panic = Some(payload);
            ControlFlow::Break(())
        })
    }
}
