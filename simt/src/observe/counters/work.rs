//! The [`Work`] of a launch: machine instructions, requests and the critical path, from the counts.
//!
//! The critical path follows the structure of the kernel. A *run* is a stretch of instructions
//! without control flow; its length is that of the longest chain of dependent instructions. A block
//! executes a run as often as its longest warp does: once for each execution of the surrounding
//! run, times the average trip count of a loop, and at most as often as any warp enters the arm of
//! an `if`. Runs follow each other without overlap.
use super::{Counts, counts_as_instruction, folded, machine, machine::MachineCode, tally::Tally};
use crate::{
    Arg, Launch, Memory,
    bytecode::{Counted, Entry},
};
use std::collections::HashMap;
use warpwise_compiler::{
    hardware::{
        LANES, global, shared,
        time::{Pipe, Step, Work},
    },
    id::Id,
    ir::{Body, InstId, Kernel, LocalId, MatrixOp, Op, Root, Scalar, Space, Ty, WarpOp},
};

/// The cycles by which the longest chain of a run is chosen.
const CHAIN_WEIGHTS: [u64; Step::ALL.len()] = [4, 8, 20, 23, 29, 400, 400, 25];

/// The copies of the body of an unrolled loop whose arithmetic `ptxas` interleaves.
const INTERLEAVED_COPIES: f64 = 4.0;

/// The most instructions of a loop that is unrolled in part.
const MAX_UNROLLED_INSTRUCTIONS: u32 = 128;

/// The bytes that shared memory delivers in a cycle.
const WAVEFRONT_BYTES: u64 = shared::BANKS * shared::WORD_BYTES;

/// Summarizes the work of a launch.
pub(super) fn summarize(
    kernel: &Kernel,
    counted: &Counted,
    tally: &Tally,
    insts: &[Counts],
    launch: &Launch<'_>,
) -> Work {
    let blocks = launch.grid.iter().fold(1, |product, dim| product * u64::from(*dim));
    let folded = folded::find_folded(kernel);
    let code = |id| {
        if folded.is_part[id] || folded.hoisted_from[id].is_some() {
            MachineCode::default()
        } else {
            machine::estimate(kernel, id)
        }
    };
    let codes = kernel.insts.ids().map(code).collect();
    let mut walk = PathWalk { kernel, counted, tally, codes, path: Path::default() };
    walk.visit_body(&kernel.body, to_f64(blocks));
    let mut work = Work { footprint_bytes: footprint(launch), ..Work::default() };
    for (sum, steps) in work.steps.iter_mut().zip(walk.path.steps) {
        *sum = to_u64(steps);
    }
    work.path_instructions = to_u64(walk.path.instructions);
    let executions = |id: InstId| {
        let entry = counted.entries.get(id.index());
        entry.map_or(0, |entry| tally.executions(entry.segment).warps)
    };
    for (id, counts) in kernel.insts.ids().zip(insts) {
        let Some(entry) = counted.entries.get(id.index()) else { continue };
        // The share of the executions that is left of what is executed before a loop.
        let (left, all) = match folded.hoisted_from[id] {
            Some(from) => (executions(from).min(executions(id)), executions(id)),
            None => (1, 1),
        };
        let share = |count: u64| {
            let product = u128::from(count) * u128::from(left);
            (product / u128::from(all.max(1))) as u64
        };
        let executed = executed_times(&walk, id, entry);
        let code = match folded.hoisted_from[id] {
            Some(_) if !folded.is_part[id] => &machine::estimate(kernel, id),
            Some(_) | None => &walk.codes[id.index()],
        };
        for (sum, count) in work.issued.iter_mut().zip(code.issued) {
            *sum += share(executed) * u64::from(count);
        }
        let op = &kernel.insts[id].op;
        if matches!(op, Op::Warp(WarpOp::Shuffle { .. })) {
            work.shuffles += executed;
        }
        add_loads(&mut work, counted, counts, entry, share);
        let lines = counts.global().sectors * lines_per_sector(counted, tally, entry) / LINE_SCALE;
        if matches!(op, Op::Store { .. } | Op::AtomicStore { .. }) {
            work.written_lines += lines;
        }
        work.lines +=
            share(lines.max(words_of_loads(counted, counts.global_loads.requests, entry)));
        work.shared_wavefronts += share(counts.shared().wavefronts)
            + counts.matrix_products.shared_bytes / WAVEFRONT_BYTES;
        if let Op::Matrix(MatrixOp::Wgmma { op, .. }) = op {
            let in_halves = counts.matrix_products.multiply_adds * 2 / op.ty.per_word() as u64;
            work.warpgroup_multiply_adds += in_halves;
        }
        work.sectors_read += share(counts.global_loads.sectors) + counts.texture_reads.sectors;
        work.sectors_written += counts.global_stores.sectors + counts.bulk_stores.sectors;
        work.bulk_sectors_read += counts.bulk_loads.sectors;
        work.reduced_sectors += counts.global_reductions.sectors;
        work.fetched_sectors += counts.global_atomics.sectors;
        let same_word = same_word_atomics(kernel, id, counts, launch);
        if is_float_atomic(kernel, id) {
            work.same_word_float_atomics += same_word;
        } else {
            work.same_word_atomics += same_word;
        }
    }
    work
}

/// Adds the words that loads write to registers.
fn add_loads(
    work: &mut Work,
    counted: &Counted,
    counts: &Counts,
    entry: &Entry,
    share: impl Fn(u64) -> u64,
) {
    let requests = counts.global_loads.requests + counts.shared_loads.requests;
    work.loaded_words += share(words_of_loads(counted, requests, entry));
}

/// Returns the words of 32 lanes that an instruction's requests load.
fn words_of_loads(counted: &Counted, requests: u64, entry: &Entry) -> u64 {
    let request = entry.request.and_then(|number| counted.requests.get(number as usize));
    request.map_or(0, |request| requests * u64::from(request.bytes.div_ceil(4)))
}

/// Returns true for atomic updates of floats, of which those of one word are slow, and those of the
/// lanes of a warp are not combined.
fn is_float_atomic(kernel: &Kernel, id: InstId) -> bool {
    let Op::Atomic { value, .. } = kernel.insts[id].op else { return false };
    matches!(kernel.insts[value].ty, Ty::Scalar(Scalar::F32 | Scalar::F64))
}

/// Returns the updates of one word by an atomic instruction, if they are spread evenly over its
/// argument. The lanes of a warp that update the only word of an argument do so together, unless
/// they add floats.
fn same_word_atomics(kernel: &Kernel, id: InstId, counts: &Counts, launch: &Launch<'_>) -> u64 {
    let op = &kernel.insts[id].op;
    let (Op::Atomic { ptr, .. } | Op::CompareExchange { ptr, .. }) = op else { return 0 };
    let Some(Root::Param(param)) = kernel.root(*ptr) else { return 0 };
    match launch.args.get(param.index()) {
        Some(Arg::Slice { len: 0 | 1, .. }) if !is_float_atomic(kernel, id) => {
            counts.global().requests
        }
        Some(Arg::Slice { len, .. }) => counts.atomics / len.max(&1),
        Some(Arg::Scalar(_)) | None => 0,
    }
}

/// Returns the number of times that warps execute an instruction; of a `for`, its iterations
/// between two jumps back.
fn executed_times(walk: &PathWalk<'_>, id: InstId, entry: &Entry) -> u64 {
    match &walk.kernel.insts[id].op {
        Op::For { body, .. } => {
            let iterations = walk.tally.executions(entry.iteration).warps;
            iterations / u64::from(walk.unroll_factor(body))
        }
        _ if counts_as_instruction(walk.kernel, id, entry) => {
            walk.tally.executions(entry.segment).warps
        }
        _ => 0,
    }
}

/// The unit of [`lines_per_sector`].
const LINE_SCALE: u64 = 1 << 10;

/// Returns the lines per sector of an instruction's requests, as of its most expensive one.
fn lines_per_sector(counted: &Counted, tally: &Tally, entry: &Entry) -> u64 {
    let worst = || {
        let number = entry.request?;
        let request = counted.requests.get(number as usize)?;
        (request.space == Space::Global).then(|| tally.worst.get(number, request))?
    };
    let Some(worst) = worst() else { return 0 };
    let mut addresses = [0; LANES];
    let mut active = 0;
    for (lane, offset) in worst.offsets.iter().enumerate() {
        if let Some(offset) = offset {
            addresses[lane] = *offset;
            active |= 1 << lane;
        }
    }
    let found = global::count_sectors(worst.kind, worst.bytes, active, &addresses);
    u64::from(found.lines) * LINE_SCALE / u64::from(found.taken.max(1))
}

/// Returns the bytes of all memories of a launch.
fn footprint(launch: &Launch<'_>) -> u64 {
    let mut memories: Vec<&Memory> = Vec::new();
    for arg in launch.args {
        if let Arg::Slice { memory, .. } = *arg
            && !memories.iter().any(|known| std::ptr::eq(*known, memory))
        {
            memories.push(memory);
        }
    }
    memories.iter().map(|memory| memory.len() as u64).sum()
}

/// The critical path so far, over all blocks.
#[derive(Default)]
struct Path {
    steps: [f64; Step::ALL.len()],
    instructions: f64,
}

struct PathWalk<'k> {
    kernel: &'k Kernel,
    counted: &'k Counted,
    tally: &'k Tally,
    codes: Vec<MachineCode>,
    path: Path,
}

impl PathWalk<'_> {
    /// Adds the path through a body that the longest warps execute `times` times.
    fn visit_body(&mut self, body: &Body, times: f64) {
        if times <= 0.0 {
            return;
        }
        let mut run = Run::default();
        for &id in &body.0 {
            let op = &self.kernel.insts[id].op;
            if op.is_leaf() {
                run.add(self.kernel, id, &self.codes[id.index()]);
            } else {
                self.add_run(&mut run, times);
                self.visit_structure(id, op, times);
            }
        }
        self.add_run(&mut run, times);
    }

    /// Adds the path through the bodies of an instruction.
    fn visit_structure(&mut self, id: InstId, op: &Op, times: f64) {
        if let Op::If { then, other, .. } = op {
            self.path.instructions += times;
            for arm in [then, other] {
                let entered = self.executions(arm);
                self.visit_body(arm, times.min(entered));
            }
        } else if let Op::For { body, .. } | Op::Loop { body } = op {
            let iterations = times * self.trips(id, body);
            let factor = match op {
                Op::For { .. } => f64::from(self.unroll_factor(body)),
                _ => 1.0,
            };
            if factor > 1.0 {
                self.visit_unrolled(body, iterations, factor);
            } else {
                self.visit_body(body, iterations);
            }
            let code: u32 = self.codes[id.index()].issued.iter().sum();
            self.path.instructions += iterations / factor * f64::from(code);
        } else {
            op.bodies().for_each(|body| self.visit_body(body, times));
        }
    }

    /// Adds the path through an innermost loop that is unrolled: each iteration waits for the values
    /// of the one before. The loads of all copies of the body are issued together, unless the loop
    /// writes where it loads; the rest of a few copies runs at the same time.
    fn visit_unrolled(&mut self, body: &Body, iterations: f64, factor: f64) {
        let carried = body.0.iter().filter_map(|id| match self.kernel.insts[*id].op {
            Op::Set { local, .. } => Some(local),
            _ => None,
        });
        let mut run = Run { carried_locals: carried.collect(), ..Run::default() };
        for &id in &body.0 {
            run.add(self.kernel, id, &self.codes[id.index()]);
        }
        let Run { longest, longest_carried, issued, .. } = run;
        let loads_together = if self.writes_what_it_loads(body) { 1.0 } else { factor };
        for (step, sum) in Step::ALL.into_iter().zip(&mut self.path.steps) {
            let (all, carried) =
                (longest.steps[step as usize], longest_carried.steps[step as usize]);
            let together = match step {
                Step::Global | Step::Shared => loads_together,
                Step::Arithmetic
                | Step::Double
                | Step::Special
                | Step::Shuffle
                | Step::Atomic
                | Step::Barrier => factor.min(INTERLEAVED_COPIES),
            };
            let once = f64::from(all.saturating_sub(carried)) / together;
            *sum += iterations * (f64::from(carried) + once);
        }
        self.path.instructions += iterations * f64::from(issued.iter().sum::<u32>());
    }

    /// Returns true if straight code stores to memory that it also loads from.
    fn writes_what_it_loads(&self, body: &Body) -> bool {
        let root_of = |id: &InstId, is_store: bool| match self.kernel.insts[*id].op {
            Op::Load { ptr, .. } if !is_store => self.kernel.root(ptr),
            Op::Store { ptr, .. } if is_store => self.kernel.root(ptr),
            _ => None,
        };
        let mut stored = body.0.iter().filter_map(|id| root_of(id, true));
        stored.any(|root| body.0.iter().any(|id| root_of(id, false) == Some(root)))
    }

    /// Returns the number of copies that `ptxas` makes of the body of a loop: of straight code, up
    /// to a size.
    fn unroll_factor(&self, body: &Body) -> u32 {
        let is_straight = body.0.iter().all(|id| {
            let op = &self.kernel.insts[*id].op;
            op.is_leaf() && !matches!(op, Op::Sync(_) | Op::Break(_) | Op::Continue(_))
        });
        let size: u32 = body.0.iter().flat_map(|id| self.codes[id.index()].issued).sum();
        let fits = |factor: &u32| size * factor <= MAX_UNROLLED_INSTRUCTIONS;
        let factors = [16, 8, 4];
        factors.into_iter().find(|factor| is_straight && fits(factor)).unwrap_or(1)
    }

    /// Adds a run that ends here.
    fn add_run(&mut self, run: &mut Run, times: f64) {
        let run = std::mem::take(run);
        for (sum, steps) in self.path.steps.iter_mut().zip(run.longest.steps) {
            *sum += times * f64::from(steps);
        }
        let issued: u32 = run.issued.iter().sum();
        self.path.instructions += times * f64::from(issued);
    }

    /// Returns the warps that enter a body.
    fn executions(&self, body: &Body) -> f64 {
        let segment = body.0.iter().find_map(|id| self.counted.entries.get(id.index())?.segment);
        to_f64(self.tally.executions(segment).warps)
    }

    /// Returns the average trip count of a loop.
    fn trips(&self, id: InstId, body: &Body) -> f64 {
        let entry = &self.counted.entries[id.index()];
        let entered = to_f64(self.tally.executions(entry.segment).warps);
        if entered == 0.0 { 0.0 } else { self.executions(body) / entered }
    }
}

/// A chain of dependent instructions.
#[derive(Clone, Copy, Debug, Default)]
struct Chain {
    cycles: u64,
    steps: [u32; Step::ALL.len()],
}

impl Chain {
    fn longer(self, other: Self) -> Self {
        if other.cycles > self.cycles { other } else { self }
    }

    fn then(mut self, steps: &[(Step, u32)]) -> Self {
        for (step, count) in steps {
            self.steps[*step as usize] += count;
            self.cycles += CHAIN_WEIGHTS[*step as usize] * u64::from(*count);
        }
        self
    }
}

/// Instructions without control flow.
#[derive(Default)]
struct Run {
    /// By instruction, the longest chain that ends with it.
    chains: HashMap<InstId, Chain>,
    /// By local, the chain of its value.
    locals: HashMap<LocalId, Chain>,
    /// The chain that ends with the last barrier.
    barrier: Chain,
    longest: Chain,
    /// The locals that an iteration takes from the one before.
    carried_locals: Vec<LocalId>,
    /// By instruction, the longest chain from such a local.
    carried: HashMap<InstId, Chain>,
    /// The longest chain from one of these locals to one.
    longest_carried: Chain,
    issued: [u32; Pipe::ALL.len()],
}

impl Run {
    fn add(&mut self, kernel: &Kernel, id: InstId, code: &MachineCode) {
        for (sum, count) in self.issued.iter_mut().zip(code.issued) {
            *sum += count;
        }
        let op = &kernel.insts[id].op;
        let operands = op.operands().filter_map(|operand| self.chains.get(&operand));
        let mut before = operands.fold(Chain::default(), |chain, other| chain.longer(*other));
        if let Op::Get(local) = op
            && let Some(value) = self.locals.get(local)
        {
            before = before.longer(*value);
        }
        let is_barrier = code.steps.iter().any(|(step, _)| *step == Step::Barrier);
        if is_barrier || code.issued[Pipe::Memory as usize] != 0 {
            before = before.longer(self.barrier);
        }
        if is_barrier {
            before = before.longer(self.longest);
        }
        let chain = before.then(&code.steps);
        if is_barrier {
            self.barrier = chain;
        }
        self.add_carried(id, op, code);
        if let Op::Set { local, .. } = op {
            self.locals.insert(*local, chain);
        }
        self.longest = self.longest.longer(chain);
        self.chains.insert(id, chain);
    }
}

impl Run {
    /// Follows the chains from the locals of the iteration before.
    fn add_carried(&mut self, id: InstId, op: &Op, code: &MachineCode) {
        let operands = op.operands().filter_map(|operand| self.carried.get(&operand));
        let mut before = operands.copied().reduce(Chain::longer);
        if let Op::Get(local) = op
            && self.carried_locals.contains(local)
        {
            before = Some(Chain::default());
        }
        let Some(before) = before else { return };
        let chain = before.then(&code.steps);
        if matches!(op, Op::Set { .. }) {
            self.longest_carried = self.longest_carried.longer(chain);
        }
        self.carried.insert(id, chain);
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn to_f64(count: u64) -> f64 {
    count as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate, at least 0"
)]
fn to_u64(count: f64) -> u64 {
    count.round() as u64
}
