//! Looking on while one thread or warp runs.
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

/// Lanes of one warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Index of the block.
    pub block: [u32; 3],
    /// Index of the warp in the block.
    pub warp: u32,
    /// Bit l for lane l.
    pub lanes: u32,
}

/// A function that looks on, and says whether to go on.
pub type Look<'a> = dyn FnMut(&Moment<'_>) -> ControlFlow<()> + Send + 'a;

/// What some of the watched lanes do now.
#[derive(Debug)]
pub struct Moment<'a> {
    /// The instruction.
    pub inst: InstId,
    /// Where it is in it.
    pub stage: Stage,
    /// Who does it: bit l for lane l.
    pub lanes: u32,
    kernel: &'a Kernel,
    known: &'a Known,
}

impl Moment<'_> {
    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        self.kernel
    }

    /// What an instruction yielded last in a lane, zero-extended; `None` if it was not run.
    pub fn value(&self, inst: InstId, lane: usize) -> Option<u64> {
        let op = &self.kernel.insts[inst].op;
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

    /// What a local was set to last in a lane, zero-extended; `None` if it was not.
    pub fn local(&self, local: LocalId, lane: usize) -> Option<u64> {
        self.known.locals[local.index()].get(lane)
    }

    /// Where an address points: how many bytes behind the first of what.
    pub fn place(&self, address: u64) -> Option<(Root, u64)> {
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

/// What the lanes of a warp hold.
#[derive(Clone, Debug)]
struct Held {
    set: u32,
    bits: [u64; 32],
}

impl Held {
    const NOTHING: Self = Self { set: 0, bits: [0; 32] };

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

/// What is known of the watched lanes.
#[derive(Debug)]
struct Known {
    /// Of each instruction.
    values: Vec<Held>,
    /// Of each local.
    locals: Vec<Held>,
}

/// A [`Look`] that looks on.
pub(crate) struct Watcher<'a> {
    watched: Watched,
    kernel: &'a Kernel,
    state: Mutex<State<'a>>,
}

struct State<'a> {
    known: Known,
    look: Box<Look<'a>>,
    panic: Option<Box<dyn Any + Send>>,
}

/// Who looks on, as those see it who run threads.
pub(crate) trait Watch: Sync {
    /// Who is watched.
    fn watched(&self) -> Watched;
    /// `lanes` are at a point, where they have a value.
    fn see(&self, point: &DebugPoint, lanes: u32, bits: Option<[u64; 32]>) -> ControlFlow<()>;
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(kernel: &'a Kernel, watched: Watched, look: Box<Look<'a>>) -> Self {
        let known = Known {
            values: vec![Held::NOTHING; kernel.insts.len()],
            locals: vec![Held::NOTHING; kernel.locals.len()],
        };
        Self { watched, kernel, state: Mutex::new(State { known, look, panic: None }) }
    }

    /// Panics if the function that looked on did.
    pub(crate) fn finish(self) {
        let State { panic, .. } = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl Watch for Watcher<'_> {
    fn watched(&self) -> Watched {
        self.watched
    }

    fn see(&self, point: &DebugPoint, lanes: u32, bits: Option<[u64; 32]>) -> ControlFlow<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { known, look, panic } = &mut *state;
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
        // A panic of the user's is no bug of ours, and none of the launch's threads may unwind.
        let said = catch_unwind(AssertUnwindSafe(|| look(&moment)));
        said.unwrap_or_else(|payload| {
            *panic = Some(payload);
            ControlFlow::Break(())
        })
    }
}
