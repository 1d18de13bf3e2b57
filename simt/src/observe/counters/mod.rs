//! Counters: the work of a launch, instruction by instruction, as hardware counts it.
//!
//! The cost models are the measured ones of [`warpwise_compiler::hardware`]; `docs/counters.md`
//! describes them.
mod folded;
pub(crate) mod histogram;
mod machine;
pub(crate) mod tally;
mod work;
pub(crate) mod worst;

use crate::{
    Launch,
    bytecode::{Counted, Entry},
    observe::counters::{
        histogram::{ActiveThreads, Trips},
        tally::{RequestCost, Tally},
        worst::WorstRequest,
    },
};
use std::ops::AddAssign;
use warpwise_compiler::{
    hardware::{Kind, LANES, time::Work},
    id::Id,
    ir::{
        BinaryOp, CopyOp, InstId, Kernel, MatrixOp, Op, Scalar, Space, SyncOp, Ty, UnaryOp, WgmmaOp,
    },
};

/// The warps of a warpgroup.
const WARPGROUP_WARPS: u64 = WgmmaOp::THREADS / LANES as u64;

/// The counters of one launch, or the [sum](AddAssign) of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    insts: Vec<Counts>,
    /// By instruction.
    active: Vec<ActiveThreads>,
    /// By loop.
    trips: Vec<(InstId, Trips)>,
    /// By instruction.
    worst: Vec<(InstId, WorstRequest)>,
    work: Work,
}

/// The counts of one instruction, one line or a whole kernel.
///
/// A warp whose lanes have diverged executes an instruction once for each part. Constants,
/// parameters, `loop`, `block`, and the members of a vector access except the one that executes it
/// are no instructions on hardware and do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Executed instructions, counted once per warp.
    pub warp_instructions: u64,
    /// Executed instructions, counted once per active thread.
    pub thread_instructions: u64,
    /// Conditional branches, counted once per warp. A predicated exit is no branch.
    pub branches: u64,
    /// Branches whose active lanes disagreed.
    pub divergent_branches: u64,
    /// Loads from shared memory.
    pub shared_loads: Wavefronts,
    /// Stores to shared memory.
    pub shared_stores: Wavefronts,
    /// Atomic updates of shared memory.
    pub shared_atomics: Wavefronts,
    /// Loads from constant memory. The model is that of the CUDA programming guide and was not
    /// measured.
    pub constant_loads: Wavefronts,
    /// Reads of textures.
    pub texture_reads: Sectors,
    /// Loads from thread-local arrays that are in local memory. The model is that of the CUDA
    /// programming guide and was not measured.
    pub local_loads: Sectors,
    /// Stores to thread-local arrays that are in local memory.
    pub local_stores: Sectors,
    /// Loads from global memory.
    pub global_loads: Sectors,
    /// Stores to global memory.
    pub global_stores: Sectors,
    /// Atomic updates of global memory with an unused result. The model was measured for additions
    /// of 4 bytes.
    pub global_reductions: Sectors,
    /// Atomic updates of global memory with a used result. They are counted by the model of
    /// reductions, which was not measured for them.
    pub global_atomics: Sectors,
    /// Barriers of the block or the grid, and arrivals and waits at named barriers and mbarriers,
    /// counted once per warp.
    pub barriers: u64,
    /// Atomic updates, counted once per active thread.
    pub atomics: u64,
    /// Floating-point operations, counted once per active thread.
    pub floats: Floats,
    /// Copies in bulk from global to shared memory, tensor boxes included.
    pub bulk_loads: BulkCopies,
    /// Copies in bulk from shared to global memory, tensor boxes included.
    pub bulk_stores: BulkCopies,
    /// Products of matrices on tensor cores.
    pub matrix_products: MatrixProducts,
}

/// Copies in bulk between global and shared memory, which the Tensor Memory Accelerator performs
/// and not the threads. The model was not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BulkCopies {
    /// Copies, counted once per active thread.
    pub copies: u64,
    /// Bytes of shared memory that they write or read.
    pub bytes: u64,
    /// Sectors of global memory that they touch, counted for each copy.
    pub sectors: u64,
}

/// Products of matrices on tensor cores: `mma` of warps, and `wgmma` of warpgroups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatrixProducts {
    /// Instructions of PTX, counted once per warp or warpgroup.
    pub instructions: u64,
    /// Products of two elements, each added to a sum.
    pub multiply_adds: u64,
    /// Bytes of shared memory that `wgmma` reads.
    pub shared_bytes: u64,
}

/// Floating-point operations, counted per thread. A sum, product, quotient, remainder, root or
/// approximated function counts as one, a fused multiply-add as two; comparisons, rounding and sign
/// changes do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Floats {
    /// On 16 bits.
    pub half: u64,
    /// On 32 bits.
    pub single: u64,
    /// On 64 bits.
    pub double: u64,
}

/// Requests to shared or constant memory, which serves a warp in one or more wavefronts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wavefronts {
    /// Requests, counted once per warp.
    pub requests: u64,
    /// Wavefronts that the requests took.
    pub wavefronts: u64,
    /// Wavefronts that the requests would take without bank conflicts, or with one word for all
    /// lanes of a request to constant memory.
    pub ideal: u64,
}

/// Requests to global memory, which transfers sectors of 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sectors {
    /// Requests, counted once per warp.
    pub requests: u64,
    /// Sectors that the requests transferred.
    pub sectors: u64,
    /// Sectors that would hold the requested bytes if these were contiguous.
    pub ideal: u64,
}

impl Counters {
    pub(crate) fn new(
        kernel: &Kernel,
        counted: &Counted,
        mut tally: Tally,
        launch: &Launch<'_>,
    ) -> Self {
        tally.finish();
        let tally = &tally;
        let used = used_results(kernel);
        let ids = || kernel.insts.ids().zip(&counted.entries);
        let insts =
            ids().map(|(id, entry)| count_instruction(kernel, id, used[id.index()], entry, tally));
        let worst = ids().filter_map(|(id, entry)| {
            let number = entry.request?;
            let request = counted.requests.get(number as usize)?;
            Some((id, tally.worst.get(number, request)?))
        });
        let active = ids().map(|(id, entry)| match entry.segment {
            Some(segment) if counts_as_instruction(kernel, id, entry) => {
                tally.active_threads(segment)
            }
            _ => ActiveThreads::default(),
        });
        let trips = ids().filter_map(|(id, entry)| Some((id, tally.trips(entry.trips?))));
        let insts: Vec<Counts> = insts.collect();
        Self {
            active: active.collect(),
            trips: trips.collect(),
            worst: worst.collect(),
            work: work::summarize(kernel, counted, tally, &insts, launch),
            insts,
        }
    }

    /// Returns the work of the launch, for the
    /// [time model](warpwise_compiler::hardware::time).
    pub fn work(&self) -> Work {
        self.work
    }

    /// Returns the histogram of active threads of an instruction.
    pub fn active_threads(&self, id: InstId) -> ActiveThreads {
        self.active.get(id.index()).copied().unwrap_or_default()
    }

    /// Returns the trip counts of every loop of the kernel.
    pub fn trips(&self) -> &[(InstId, Trips)] {
        &self.trips
    }

    /// Returns the most expensive request of every instruction that accessed shared, global or
    /// constant memory.
    pub fn worst(&self) -> &[(InstId, WorstRequest)] {
        &self.worst
    }

    /// Returns the counts of an instruction of the kernel.
    pub fn get(&self, id: InstId) -> Counts {
        self.insts.get(id.index()).copied().unwrap_or_default()
    }

    /// Returns the sum over all instructions.
    pub fn total(&self) -> Counts {
        self.insts.iter().fold(Counts::default(), |mut total, counts| {
            total += *counts;
            total
        })
    }

    /// Returns every instruction of the kernel with its counts.
    pub fn iter(&self) -> impl Iterator<Item = (InstId, Counts)> {
        self.insts.iter().enumerate().map(|(index, counts)| (InstId::new(index), *counts))
    }
}

/// Returns true for each instruction with a used result.
fn used_results(kernel: &Kernel) -> Vec<bool> {
    let mut used = vec![false; kernel.insts.len()];
    for (_, inst) in kernel.insts.iter() {
        inst.op.operands().for_each(|operand| used[operand.index()] = true);
    }
    used
}

/// Returns true for operations that are machine instructions on hardware.
fn is_machine_instruction(op: &Op) -> bool {
    match op {
        Op::Const(_)
        | Op::Generic(_)
        | Op::Param(_)
        | Op::Len(_)
        | Op::Shared(_)
        | Op::Array(_)
        | Op::Ptx { .. }
        | Op::PtxOutput { .. }
        | Op::Interpreted
        | Op::Loop { .. }
        | Op::Block { .. } => false,
        // One instruction yields all words.
        Op::Matrix(MatrixOp::Mma { word, .. }) => *word == 0,
        // Part of the load.
        Op::Matrix(MatrixOp::DistributeRows { .. }) => false,
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
        | Op::MapShared { .. }
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
        | Op::Sync(_)
        | Op::Copy(_)
        | Op::Prefetch { .. }
        | Op::Matrix(_)
        | Op::Warp(_)
        | Op::Texture { .. }
        | Op::Print { .. }
        | Op::If { .. }
        | Op::For { .. }
        | Op::Break(_)
        | Op::Continue(_)
        | Op::Return
        | Op::Panic { .. } => true,
    }
}

/// Returns true if the instruction is a machine instruction of its own, not merged into another.
fn counts_as_instruction(kernel: &Kernel, id: InstId, entry: &Entry) -> bool {
    is_machine_instruction(&kernel.insts[id].op) && !entry.is_merged
}

/// Returns the counts of an instruction. Its executions are those of its segment.
fn count_instruction(
    kernel: &Kernel,
    id: InstId,
    is_used: bool,
    entry: &Entry,
    tally: &Tally,
) -> Counts {
    let op = &kernel.insts[id].op;
    let mut counts = Counts::default();
    let executed = tally.executions(entry.segment);
    if counts_as_instruction(kernel, id, entry) {
        counts.warp_instructions = executed.warps;
        counts.thread_instructions = executed.threads;
    }
    // The branch at the end of each iteration of a `for`.
    counts.branches = tally.executions(entry.iteration).warps;
    if entry.is_branch {
        counts.branches += executed.warps;
    }
    counts.divergent_branches = tally.divergent_warps(entry.branch);
    counts.floats = count_float_operations(kernel, id, executed.threads);
    if matches!(op, Op::Sync(SyncOp::Barrier { .. } | SyncOp::SyncGrid)) || op.is_partial_barrier()
    {
        counts.barriers = executed.warps;
    }
    let RequestCost { requests, taken, ideal } = tally.local_access_cost(entry.local_access);
    let local = Sectors { requests, sectors: taken, ideal };
    if matches!(op, Op::Store { .. }) {
        counts.local_stores = local;
    } else {
        counts.local_loads = local;
    }
    if let Op::Atomic { ptr, .. } | Op::CompareExchange { ptr, .. } = op {
        counts.atomics = executed.threads;
        counts.set_requests(
            Kind::Atomic,
            kernel.space(*ptr),
            is_used,
            tally.request_cost(entry.request),
        );
    } else if let Op::Load { ptr, .. } | Op::AtomicLoad { ptr, .. } = op {
        counts.set_requests(
            Kind::Load,
            kernel.space(*ptr),
            is_used,
            tally.request_cost(entry.request),
        );
    } else if let Op::Store { ptr, .. } | Op::AtomicStore { ptr, .. } = op {
        counts.set_requests(
            Kind::Store,
            kernel.space(*ptr),
            is_used,
            tally.request_cost(entry.request),
        );
    } else if let Op::Texture { .. } = op {
        let RequestCost { requests, taken, ideal } = tally.texture_read_cost(entry.texture_read);
        counts.texture_reads = Sectors { requests, sectors: taken, ideal };
    } else if let Op::Copy(CopyOp::AsyncCopy { .. }) = op {
        let read = tally.request_cost(entry.request);
        counts.set_requests(Kind::Load, Some(Space::Global), true, read);
        let write = tally.request_cost(entry.destination);
        counts.set_requests(Kind::Store, Some(Space::Shared), true, write);
    } else if let Op::Copy(CopyOp::BulkCopy { .. } | CopyOp::TensorCopy { .. }) = op {
        counts.bulk_loads = tally.bulk_copies(entry.bulk_copy);
    } else if let Op::Copy(CopyOp::BulkStore { .. } | CopyOp::TensorStore { .. }) = op {
        counts.bulk_stores = tally.bulk_copies(entry.bulk_copy);
    }
    counts.matrix_products = count_matrix_products(op, counts.warp_instructions);
    counts
}

/// Returns the products of matrices of an instruction that `warps` warps execute.
fn count_matrix_products(op: &Op, warps: u64) -> MatrixProducts {
    if let Op::Matrix(MatrixOp::Mma { op, .. }) = op {
        let multiply_adds = op.shape.dims().iter().map(|dim| *dim as u64).product::<u64>();
        MatrixProducts {
            instructions: warps,
            multiply_adds: warps * multiply_adds,
            shared_bytes: 0,
        }
    } else if let Op::Matrix(MatrixOp::Wgmma { op, columns, .. }) = op {
        let columns = columns.known().unwrap_or(0);
        let warpgroups = warps / WARPGROUP_WARPS;
        // Each instruction reads its columns of `a` and its rows of `b` once.
        let read_rows = if op.a.is_some() { WgmmaOp::ROWS + columns } else { columns };
        // The elements of a row of a tile, which are added up.
        let depth = WgmmaOp::ROW_BYTES / 4 * op.ty.per_word() as u64;
        MatrixProducts {
            instructions: warpgroups * WgmmaOp::STEPS as u64,
            multiply_adds: warpgroups * WgmmaOp::ROWS * columns * depth,
            shared_bytes: warpgroups * read_rows * WgmmaOp::ROW_BYTES,
        }
    } else {
        MatrixProducts::default()
    }
}

/// Returns the floating-point operations that `threads` threads perform in an instruction.
fn count_float_operations(kernel: &Kernel, id: InstId, threads: u64) -> Floats {
    let inst = &kernel.insts[id];
    let each = if let Op::Fma { .. } = inst.op {
        2
    } else if let Op::Binary { op, .. } = inst.op {
        u64::from(is_float_operation(op))
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

/// Returns true for operations that count as floating-point operations.
const fn is_float_operation(op: BinaryOp) -> bool {
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
    fn set_requests(&mut self, kind: Kind, space: Option<Space>, is_used: bool, cost: RequestCost) {
        let RequestCost { requests, taken, ideal } = cost;
        if space == Some(Space::Shared) {
            let found = Wavefronts { requests, wavefronts: taken, ideal };
            match kind {
                Kind::Load => self.shared_loads = found,
                Kind::Store => self.shared_stores = found,
                Kind::Atomic => self.shared_atomics = found,
            }
        } else if space == Some(Space::Constant) {
            self.constant_loads = Wavefronts { requests, wavefronts: taken, ideal };
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

    /// Returns the sum of all requests to shared memory.
    pub fn shared(&self) -> Wavefronts {
        let mut all = self.shared_loads;
        all += self.shared_stores;
        all += self.shared_atomics;
        all
    }

    /// Returns the sum of all requests to global memory.
    pub fn global(&self) -> Sectors {
        let mut all = self.global_loads;
        all += self.global_stores;
        all += self.global_reductions;
        all += self.global_atomics;
        all
    }

    /// Returns the sum of all copies in bulk.
    pub fn bulk(&self) -> BulkCopies {
        let mut all = self.bulk_loads;
        all += self.bulk_stores;
        all
    }

    /// Returns the sum of all requests to local memory.
    pub fn local(&self) -> Sectors {
        let mut all = self.local_loads;
        all += self.local_stores;
        all
    }

    /// Returns the share of branches whose active lanes agreed; 1 without branches.
    pub fn branch_efficiency(&self) -> f64 {
        1.0 - ratio(self.divergent_branches, self.branches).unwrap_or(0.0)
    }

    /// Returns the average number of active threads per instruction; `None` without instructions.
    pub fn active_threads(&self) -> Option<f64> {
        ratio(self.thread_instructions, self.warp_instructions)
    }

    /// Returns [`active_threads`](Self::active_threads) as a share of the 32 threads of a warp.
    pub fn warp_execution_efficiency(&self) -> Option<f64> {
        Some(self.active_threads()? / 32.0)
    }
}

impl Wavefronts {
    /// Returns the wavefronts that bank conflicts, or different words of constant memory, added.
    pub fn conflicts(&self) -> u64 {
        self.wavefronts - self.ideal
    }
}

impl Sectors {
    /// Returns the sectors transferred in excess of the ideal number.
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
        for (id, other) in &other.trips {
            match self.trips.iter_mut().find(|(mine, _)| mine == id) {
                Some((_, mine)) => *mine += *other,
                None => self.trips.push((*id, *other)),
            }
        }
        for (id, other) in &other.worst {
            match self.worst.iter_mut().find(|(mine, _)| mine == id) {
                Some((_, mine)) if other.is_worse_than(mine) => mine.clone_from(other),
                Some(_) => {}
                None => self.worst.push((*id, other.clone())),
            }
        }
        self.work += other.work;
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
        self.constant_loads += other.constant_loads;
        self.texture_reads += other.texture_reads;
        self.local_loads += other.local_loads;
        self.local_stores += other.local_stores;
        self.global_loads += other.global_loads;
        self.global_stores += other.global_stores;
        self.global_reductions += other.global_reductions;
        self.global_atomics += other.global_atomics;
        self.barriers += other.barriers;
        self.atomics += other.atomics;
        self.floats += other.floats;
        self.bulk_loads += other.bulk_loads;
        self.bulk_stores += other.bulk_stores;
        self.matrix_products += other.matrix_products;
    }
}

impl AddAssign for BulkCopies {
    fn add_assign(&mut self, Self { copies, bytes, sectors }: Self) {
        self.copies += copies;
        self.bytes += bytes;
        self.sectors += sectors;
    }
}

impl AddAssign for MatrixProducts {
    fn add_assign(&mut self, Self { instructions, multiply_adds, shared_bytes }: Self) {
        self.instructions += instructions;
        self.multiply_adds += multiply_adds;
        self.shared_bytes += shared_bytes;
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
    /// Returns the operations of all widths.
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
