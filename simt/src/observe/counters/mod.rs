//! What a launch did, counted instruction by instruction as hardware counts.
//!
//! The models are those of [`warpwise_compiler::hardware`], measured; `docs/counters.md` has them in words.
pub(crate) mod histogram;
pub(crate) mod tally;
pub(crate) mod worst;

use crate::{
    bytecode::{Counted, Entry},
    observe::counters::{
        histogram::{ActiveThreads, Trips},
        tally::{Asked, Tally},
        worst::WorstRequest,
    },
};
use std::ops::AddAssign;
use warpwise_compiler::{
    hardware::Kind,
    id::Id,
    ir::{BinaryOp, InstId, Kernel, Op, Scalar, Space, Ty, UnaryOp},
};

/// What was counted of one launch, or of several [added up](AddAssign).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    insts: Vec<Counts>,
    /// By instruction.
    active: Vec<ActiveThreads>,
    /// By loop.
    trips: Vec<(InstId, Trips)>,
    /// By instruction.
    worst: Vec<(InstId, WorstRequest)>,
}

/// What was counted of one instruction, one line or all.
///
/// A warp whose lanes have parted executes an instruction once for each part. Constants, parameters,
/// `loop` and `block`, and members of a vector but for the one that it is done at, are no instructions on
/// hardware and count as none here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Instructions executed, each once for a warp.
    pub warp_instructions: u64,
    /// The same, each once for an active thread.
    pub thread_instructions: u64,
    /// Conditional branches, each once for a warp. A predicated exit is none.
    pub branches: u64,
    /// Those whose active lanes did not agree.
    pub divergent_branches: u64,
    /// Loads from shared memory.
    pub shared_loads: Wavefronts,
    /// Stores to shared memory.
    pub shared_stores: Wavefronts,
    /// Atomic updates of shared memory.
    pub shared_atomics: Wavefronts,
    /// Loads from global memory.
    pub global_loads: Sectors,
    /// Stores to global memory.
    pub global_stores: Sectors,
    /// Atomic updates of global memory whose result nobody uses. The model was measured for
    /// additions of 4 bytes.
    pub global_reductions: Sectors,
    /// Atomic updates of global memory whose result is used, by the model of the others, which was not
    /// measured for them.
    pub global_atomics: Sectors,
    /// Barriers of the block or the grid that warps came to.
    pub barriers: u64,
    /// Atomic updates, each once for an active thread.
    pub atomics: u64,
    /// Computations with floats, each once for an active thread.
    pub floats: Floats,
}

/// Computations with floats of threads. A sum, product, quotient, remainder, root or approximated function is one,
/// and a fused product and sum are two; comparisons, rounding and signs are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Floats {
    /// Of 16 bits.
    pub half: u64,
    /// Of 32 bits.
    pub single: u64,
    /// Of 64 bits.
    pub double: u64,
}

/// Requests to shared memory, which serves a group of lanes in one or more wavefronts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wavefronts {
    /// Requests, each once for a warp.
    pub requests: u64,
    /// Wavefronts that they took.
    pub wavefronts: u64,
    /// Wavefronts that they would take without bank conflicts.
    pub ideal: u64,
}

/// Requests to global memory, which moves sectors of 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sectors {
    /// Requests, each once for a warp.
    pub requests: u64,
    /// Sectors that they moved.
    pub sectors: u64,
    /// Sectors that would hold the bytes asked for, if these lay together.
    pub ideal: u64,
}

impl Counters {
    pub(crate) fn new(kernel: &Kernel, counted: &Counted, mut tally: Tally) -> Self {
        tally.finish();
        let tally = &tally;
        let used = used(kernel);
        let ids = || kernel.insts.ids().zip(&counted.entries);
        let insts = ids().map(|(id, entry)| counts(kernel, id, used[id.index()], entry, tally));
        let worst = ids().filter_map(|(id, entry)| {
            let number = entry.request?;
            let request = counted.requests.get(number as usize)?;
            Some((id, tally.worst.of(number, request)?))
        });
        let active = ids().map(|(id, entry)| match entry.segment {
            Some(segment) if executes(kernel, id, entry) => tally.active(segment),
            _ => ActiveThreads::default(),
        });
        let trips = ids().filter_map(|(id, entry)| Some((id, tally.trips(entry.trips?))));
        Self {
            insts: insts.collect(),
            active: active.collect(),
            trips: trips.collect(),
            worst: worst.collect(),
        }
    }

    /// How many threads of a warp were active when an instruction was executed.
    pub fn active_threads(&self, id: InstId) -> ActiveThreads {
        self.active.get(id.index()).copied().unwrap_or_default()
    }

    /// Every loop of the kernel, with how many iterations warps went through.
    pub fn trips(&self) -> &[(InstId, Trips)] {
        &self.trips
    }

    /// Of every instruction that asked something of shared or global memory, the worst request.
    pub fn worst(&self) -> &[(InstId, WorstRequest)] {
        &self.worst
    }

    /// What was counted of an instruction of the kernel.
    pub fn get(&self, id: InstId) -> Counts {
        self.insts.get(id.index()).copied().unwrap_or_default()
    }

    /// What was counted of all.
    pub fn total(&self) -> Counts {
        self.insts.iter().fold(Counts::default(), |mut total, counts| {
            total += *counts;
            total
        })
    }

    /// Every instruction of the kernel with what was counted of it.
    pub fn iter(&self) -> impl Iterator<Item = (InstId, Counts)> {
        self.insts.iter().enumerate().map(|(index, counts)| (InstId::new(index), *counts))
    }
}

/// Which values something uses.
fn used(kernel: &Kernel) -> Vec<bool> {
    let mut used = vec![false; kernel.insts.len()];
    for (_, inst) in kernel.insts.iter() {
        inst.op.operands().for_each(|operand| used[operand.index()] = true);
    }
    used
}

/// Whether hardware has an instruction for it.
fn takes_time(op: &Op) -> bool {
    match op {
        Op::Const(_)
        | Op::Generic(_)
        | Op::Param(_)
        | Op::Len(_)
        | Op::Shared(_)
        | Op::Array(_)
        | Op::Loop { .. }
        | Op::Block { .. } => false,
        Op::Builtin(_)
        | Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Compare { .. }
        | Op::Cast { .. }
        | Op::Bitcast { .. }
        | Op::Select { .. }
        | Op::Ternary { .. }
        | Op::Fma { .. }
        | Op::MulAdd { .. }
        | Op::Index { .. }
        | Op::Offset { .. }
        | Op::Bounds { .. }
        | Op::Check { .. }
        | Op::Get(_)
        | Op::Set { .. }
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::AtomicLoad { .. }
        | Op::AtomicStore { .. }
        | Op::Atomic { .. }
        | Op::CompareExchange { .. }
        | Op::Barrier { .. }
        | Op::SyncGrid
        | Op::SyncWarp { .. }
        | Op::Fence { .. }
        | Op::Shuffle { .. }
        | Op::Vote { .. }
        | Op::Match { .. }
        | Op::ActiveMask
        | Op::Reduce { .. }
        | Op::Print { .. }
        | Op::If { .. }
        | Op::For { .. }
        | Op::Break(_)
        | Op::Continue(_)
        | Op::Return
        | Op::Panic { .. } => true,
    }
}

/// Whether hardware has an instruction for it, and that is its own.
fn executes(kernel: &Kernel, id: InstId, entry: &Entry) -> bool {
    takes_time(&kernel.insts[id].op) && !entry.is_merged
}

fn counts(kernel: &Kernel, id: InstId, is_used: bool, entry: &Entry, tally: &Tally) -> Counts {
    let op = &kernel.insts[id].op;
    let mut counts = Counts::default();
    let came = tally.flow(entry.segment);
    if executes(kernel, id, entry) {
        counts.warp_instructions = came.warps;
        counts.thread_instructions = came.threads;
    }
    counts.branches = tally.flow(entry.iteration).warps;
    if entry.is_branch {
        counts.branches += came.warps;
    }
    counts.divergent_branches = tally.parted(entry.branch);
    counts.floats = floats(kernel, id, came.threads);
    if matches!(op, Op::Barrier { .. } | Op::SyncGrid) {
        counts.barriers = came.warps;
    }
    if let Op::Atomic { ptr, .. } | Op::CompareExchange { ptr, .. } = op {
        counts.atomics = came.threads;
        counts.ask(Kind::Atomic, kernel.space(*ptr), is_used, tally.asked(entry.request));
    } else if let Op::Load { ptr } | Op::AtomicLoad { ptr, .. } = op {
        counts.ask(Kind::Load, kernel.space(*ptr), is_used, tally.asked(entry.request));
    } else if let Op::Store { ptr, .. } | Op::AtomicStore { ptr, .. } = op {
        counts.ask(Kind::Store, kernel.space(*ptr), is_used, tally.asked(entry.request));
    }
    counts
}

/// What so many threads compute with floats by an instruction.
fn floats(kernel: &Kernel, id: InstId, threads: u64) -> Floats {
    let inst = &kernel.insts[id];
    let each = if let Op::Fma { .. } = inst.op {
        2
    } else if let Op::Binary { op, .. } = inst.op {
        u64::from(is_computed(op))
    } else if let Op::Unary { op: UnaryOp::Sqrt | UnaryOp::Rsqrt | UnaryOp::Approx(_), .. } =
        inst.op
    {
        1
    } else {
        0
    };
    let mut floats = Floats::default();
    if inst.ty == Ty::Scalar(Scalar::F32) {
        floats.single = each * threads;
    } else if inst.ty == Ty::Scalar(Scalar::F64) {
        floats.double = each * threads;
    } else if inst.ty == Ty::Scalar(Scalar::F16) || inst.ty == Ty::Scalar(Scalar::BF16) {
        floats.half = each * threads;
    }
    floats
}

/// Whether an operation on floats is one that hardware's arithmetic is measured by.
const fn is_computed(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => true,
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => false,
    }
}

impl Counts {
    fn ask(&mut self, kind: Kind, space: Option<Space>, is_used: bool, asked: Asked) {
        let Asked { requests, taken, ideal } = asked;
        if space == Some(Space::Shared) {
            let found = Wavefronts { requests, wavefronts: taken, ideal };
            match kind {
                Kind::Load => self.shared_loads = found,
                Kind::Store => self.shared_stores = found,
                Kind::Atomic => self.shared_atomics = found,
            }
        } else if space == Some(Space::Global) {
            let found = Sectors { requests, sectors: taken, ideal };
            match kind {
                Kind::Load => self.global_loads = found,
                Kind::Store => self.global_stores = found,
                Kind::Atomic if is_used => self.global_atomics = found,
                Kind::Atomic => self.global_reductions = found,
            }
        }
    }

    /// All requests to shared memory.
    pub fn shared(&self) -> Wavefronts {
        let mut all = self.shared_loads;
        all += self.shared_stores;
        all += self.shared_atomics;
        all
    }

    /// All requests to global memory.
    pub fn global(&self) -> Sectors {
        let mut all = self.global_loads;
        all += self.global_stores;
        all += self.global_reductions;
        all += self.global_atomics;
        all
    }

    /// The share of branches whose active lanes agreed; 1 if there was no branch.
    pub fn branch_efficiency(&self) -> f64 {
        1.0 - ratio(self.divergent_branches, self.branches).unwrap_or(0.0)
    }

    /// Active threads of an instruction, on average; `None` if there was no instruction.
    pub fn active_threads(&self) -> Option<f64> {
        ratio(self.thread_instructions, self.warp_instructions)
    }

    /// [`active_threads`](Self::active_threads) of the 32 of a warp.
    pub fn warp_execution_efficiency(&self) -> Option<f64> {
        Some(self.active_threads()? / 32.0)
    }
}

impl Wavefronts {
    /// Wavefronts that bank conflicts added.
    pub fn conflicts(&self) -> u64 {
        self.wavefronts - self.ideal
    }
}

impl Sectors {
    /// Sectors that need not have been moved.
    pub fn excess(&self) -> u64 {
        self.sectors.saturating_sub(self.ideal)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a ratio for people to read")]
fn ratio(part: u64, all: u64) -> Option<f64> {
    (all != 0).then(|| part as f64 / all as f64)
}

impl AddAssign<&Self> for Counters {
    fn add_assign(&mut self, other: &Self) {
        if self.insts.len() < other.insts.len() {
            self.insts.resize(other.insts.len(), Counts::default());
        }
        self.insts.iter_mut().zip(&other.insts).for_each(|(sum, other)| *sum += *other);
        if self.active.len() < other.active.len() {
            self.active.resize(other.active.len(), ActiveThreads::default());
        }
        self.active.iter_mut().zip(&other.active).for_each(|(sum, other)| *sum += *other);
        for (id, theirs) in &other.trips {
            match self.trips.iter_mut().find(|(mine, _)| mine == id) {
                Some((_, mine)) => *mine += *theirs,
                None => self.trips.push((*id, *theirs)),
            }
        }
        for (id, theirs) in &other.worst {
            match self.worst.iter_mut().find(|(mine, _)| mine == id) {
                Some((_, mine)) if theirs.is_worse_than(mine) => mine.clone_from(theirs),
                Some(_) => {}
                None => self.worst.push((*id, theirs.clone())),
            }
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.warp_instructions += other.warp_instructions;
        self.thread_instructions += other.thread_instructions;
        self.branches += other.branches;
        self.divergent_branches += other.divergent_branches;
        self.shared_loads += other.shared_loads;
        self.shared_stores += other.shared_stores;
        self.shared_atomics += other.shared_atomics;
        self.global_loads += other.global_loads;
        self.global_stores += other.global_stores;
        self.global_reductions += other.global_reductions;
        self.global_atomics += other.global_atomics;
        self.barriers += other.barriers;
        self.atomics += other.atomics;
        self.floats += other.floats;
    }
}

impl AddAssign for Floats {
    fn add_assign(&mut self, Self { half, single, double }: Self) {
        self.half += half;
        self.single += single;
        self.double += double;
    }
}

impl Floats {
    /// Of any width.
    pub fn all(self) -> u64 {
        self.half + self.single + self.double
    }
}

impl AddAssign for Wavefronts {
    fn add_assign(&mut self, Self { requests, wavefronts, ideal }: Self) {
        self.requests += requests;
        self.wavefronts += wavefronts;
        self.ideal += ideal;
    }
}

impl AddAssign for Sectors {
    fn add_assign(&mut self, Self { requests, sectors, ideal }: Self) {
        self.requests += requests;
        self.sectors += sectors;
        self.ideal += ideal;
    }
}
