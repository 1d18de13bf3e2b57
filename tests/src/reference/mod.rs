//! A second, independent implementation of the IR, to compare the interpreter with.
//!
//! Threads run one after the other, one instruction at a time, on plain numbers: no masks, no
//! vectors, no registers, no lowering. A thread that reaches a collective operation waits there
//! until all threads that it waits for have arrived. It is accordingly slow.
mod half;
mod scalar;

use crate::random_ir::{ArgData, LaunchShape, RandomKernel, shared_lengths};
use std::collections::HashMap;
use warpwise_compiler::{
    fault::Reason,
    id::Id,
    ir::{
        Axis, BarrierOp, Body, Builtin, CoarseGrid, Coarsening, CopyOp, Element, Fault, InstId,
        Kernel, LocalId, MatchOp, MatrixOp, Op, ParamKind, ReduceOp, Scalar, ShuffleOp, SyncOp, Ty,
        VoteOp, WarpOp,
    },
    message::MAX_VALUES,
    output::Printed,
    tensor_cores,
};
use warpwise_simt::FaultReport;

/// The outcome of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Left {
    /// The arguments after the launch.
    pub args: Vec<ArgData>,
    /// The lowest fault.
    pub fault: Option<FaultReport>,
    /// The printed output, thread by thread.
    pub printed: Vec<Printed>,
}

/// Runs a random kernel.
///
/// # Panics
/// Panics if it deadlocks, or does something that the verifier rules out.
pub fn run(random: &RandomKernel) -> Left {
    let mut machine = Machine {
        kernel: &random.kernel,
        grid: random.shape.grid,
        block: random.shape.block,
        args: random.args.clone(),
        shared: Vec::new(),
        arrays: Vec::new(),
        fault: None,
        printed: Vec::new(),
    };
    // The launcher divides the grid of a coarsened kernel.
    let mut steps = [1; 3];
    if let Some(Coarsening { grid: CoarseGrid { axis, factor }, .. }) = random.kernel.coarsening {
        steps[axis as usize] = factor;
    }
    let [x, y, z] = [0, 1, 2].map(|axis| machine.grid[axis].div_ceil(steps[axis]));
    for block in 0..x * y * z {
        let idx = [block % x, block / x % y, block / x / y];
        machine.run_block([0, 1, 2].map(|axis| idx[axis] * steps[axis]));
    }
    Left { args: machine.args, fault: machine.fault, printed: machine.printed }
}

/// A body that a thread is in: its structure, and the position of the next instruction.
#[derive(Clone, Copy)]
struct Level<'k> {
    of: Option<InstId>,
    body: &'k Body,
    next: usize,
}

/// The position in a pointer of the number of its buffer: parameters first, then shared arrays,
/// then each thread's own.
const BUFFER: u32 = 48;

struct Thread<'k> {
    idx: [u32; 3],
    number: u32,
    values: HashMap<InstId, u64>,
    locals: HashMap<LocalId, u64>,
    levels: Vec<Level<'k>>,
    /// The collective operation at which it waits for other threads.
    waits: Option<InstId>,
    printed: Vec<Printed>,
}

impl Thread<'_> {
    fn has_ended(&self) -> bool {
        self.levels.is_empty()
    }
}

struct Machine<'k> {
    kernel: &'k Kernel,
    grid: [u32; 3],
    block: [u32; 3],
    args: Vec<ArgData>,
    shared: Vec<Vec<u8>>,
    /// By thread, then array.
    arrays: Vec<Vec<u8>>,
    fault: Option<FaultReport>,
    printed: Vec<Printed>,
}

/// Moves `thread` to the end of the body of `structure`, which it is in.
fn next_iteration(thread: &mut Thread<'_>, structure: InstId) {
    while thread.levels.last().unwrap().of != Some(structure) {
        thread.levels.pop();
    }
    let level = thread.levels.last_mut().unwrap();
    level.next = level.body.0.len();
}

fn along(dims: [u32; 3], axis: Axis) -> u32 {
    match axis {
        Axis::X => dims[0],
        Axis::Y => dims[1],
        Axis::Z => dims[2],
    }
}

impl<'k> Machine<'k> {
    fn run_block(&mut self, block_idx: [u32; 3]) {
        let kernel = self.kernel;
        let bytes = |elem: &Element, len: u64| vec![0; (len * elem.size().unwrap()) as usize];
        let shape = LaunchShape { grid: self.grid, block: self.block };
        let shared = kernel.shared.iter().zip(shared_lengths(kernel, &shape, &self.args));
        self.shared = shared.map(|((_, array), len)| bytes(&array.elem, len)).collect();
        let [x, y, z] = self.block;
        let arrays =
            kernel.arrays.iter().map(|(_, array)| bytes(&array.elem, array.len.known().unwrap()));
        self.arrays = vec![arrays.collect::<Vec<_>>(); (x * y * z) as usize].concat();
        let mut threads: Vec<_> = (0..x * y * z)
            .map(|number| Thread {
                idx: [number % x, number / x % y, number / x / y],
                number,
                values: HashMap::new(),
                locals: HashMap::new(),
                levels: vec![Level { of: None, body: &kernel.body, next: 0 }],
                waits: None,
                printed: Vec::new(),
            })
            .collect();
        while threads.iter().any(|thread| !thread.has_ended()) {
            let mut moved = false;
            for thread in &mut threads {
                // A turn is limited, as other threads may wait for this one.
                for _ in 0..10_000 {
                    if thread.has_ended() || thread.waits.is_some() {
                        break;
                    }
                    self.step(thread, block_idx);
                    moved = true;
                }
            }
            moved |= self.meet_warps(&mut threads);
            moved |= self.meet_block(&mut threads);
            assert!(moved, "deadlock");
        }
        self.printed.extend(threads.into_iter().flat_map(|thread| thread.printed));
    }

    fn scalar(&self, id: InstId) -> Scalar {
        match self.kernel.insts[id].ty {
            Ty::Scalar(scalar) => scalar,
            Ty::Ptr(_) | Ty::Unit => Scalar::U64,
        }
    }

    /// Runs one instruction, or leaves a body.
    fn step(&mut self, thread: &mut Thread<'k>, block_idx: [u32; 3]) {
        let Level { of, body, next } = *thread.levels.last().unwrap();
        let Some(&id) = body.0.get(next) else {
            match of {
                None => thread.levels.clear(),
                Some(structure) => self.end_of_body(thread, structure),
            }
            return;
        };
        thread.levels.last_mut().unwrap().next += 1;
        let op = &self.kernel.insts[id].op;
        let get = |id: &InstId| thread.values[id];
        let ty = self.scalar(id);
        let value = match op {
            Op::Const(bits) => *bits,
            Op::Generic(_) | Op::MulAdd { .. } => panic!("{id} is generic"),
            Op::Param(param) => match (&self.kernel.params[*param].kind, &self.args[param.index()])
            {
                (ParamKind::Scalar(_), ArgData::Scalar { bits, .. }) => *bits,
                _ => (param.index() as u64) << BUFFER,
            },
            Op::Len(param) => match &self.args[param.index()] {
                ArgData::Slice { elem, bytes, .. } => {
                    (bytes.len() / elem.size().unwrap() as usize) as u64
                }
                ArgData::Scalar { .. } => panic!("{id}: the length of a scalar"),
            },
            Op::Shared(shared) => ((self.args.len() + shared.index()) as u64) << BUFFER,
            Op::Array(array) => {
                let own = thread.number as usize * self.kernel.arrays.len() + array.index();
                ((self.args.len() + self.shared.len() + own) as u64) << BUFFER
            }
            Op::Builtin(builtin) => self.builtin(*builtin, thread, block_idx),
            Op::Unary { op, value } => scalar::unary(*op, ty, get(value)),
            Op::Binary { op, lhs, rhs } => scalar::binary(*op, ty, get(lhs), get(rhs)),
            Op::Ternary { op, a, b, c } => scalar::ternary(*op, ty, get(a), get(b), get(c)),
            Op::Compare { op, lhs, rhs } => {
                u64::from(scalar::compare(*op, self.scalar(*lhs), get(lhs), get(rhs)))
            }
            Op::Cast { value } => scalar::cast(self.scalar(*value), ty, get(value)),
            Op::Bitcast { value } => get(value),
            Op::Select { cond, then, other } => {
                if get(cond) != 0 {
                    get(then)
                } else {
                    get(other)
                }
            }
            Op::Fma { a, b, c } => scalar::fma(ty, get(a), get(b), get(c)),
            Op::Index { base, index, stride } => get(base) + get(index) * stride.known().unwrap(),
            Op::Offset { base, offset } => get(base) + offset.known().unwrap(),
            Op::Bounds { index, len } => {
                let (index, len) = (get(index), get(len));
                if index >= len {
                    let reason = Reason::Check(Fault::IndexOutOfBounds);
                    self.fault(thread, id, reason, &[index, len], block_idx);
                    return;
                }
                index
            }
            Op::Check { cond, fault } => {
                if get(cond) == 0 {
                    self.fault(thread, id, Reason::Check(*fault), &[], block_idx);
                }
                return;
            }
            Op::Get(local) => thread.locals.get(local).copied().unwrap_or(0),
            Op::Set { local, value } => {
                let value = get(value);
                thread.locals.insert(*local, value);
                return;
            }
            Op::Load { ptr, .. } | Op::AtomicLoad { ptr, .. } => self.load(get(ptr), ty),
            Op::Store { ptr, value, .. } | Op::AtomicStore { ptr, value, .. } => {
                self.store(get(ptr), self.scalar(*value), get(value));
                return;
            }
            Op::Atomic { op, ptr, value, .. } => {
                let old = self.load(get(ptr), ty);
                let space = self.kernel.space(*ptr);
                let flush = space.is_some_and(|space| op.flushes(ty, space));
                self.store(get(ptr), ty, scalar::atomic(*op, ty, old, get(value), flush));
                old
            }
            Op::CompareExchange { ptr, expected, value, .. } => {
                let old = self.load(get(ptr), ty);
                if old == get(expected) {
                    self.store(get(ptr), ty, get(value));
                }
                old
            }
            // Done at once, which is one of the permitted times.
            Op::Copy(
                CopyOp::AsyncCopy { to, from, bytes }
                | CopyOp::BulkCopy { to, from, bytes, .. }
                | CopyOp::BulkStore { to, from, bytes },
            ) => {
                for word in (0..bytes.known().unwrap()).step_by(4) {
                    let value = self.load(get(from) + word, Scalar::U32);
                    self.store(get(to) + word, Scalar::U32, value);
                }
                return;
            }
            Op::Prefetch { .. }
            | Op::Copy(
                CopyOp::AsyncCommit
                | CopyOp::AsyncWait { .. }
                | CopyOp::BulkCommit
                | CopyOp::BulkWait { .. },
            ) => return,
            // Random kernels use mbarriers of one thread only.
            Op::Sync(SyncOp::MBarrierWait { .. }) => return,
            Op::Sync(SyncOp::MBarrierArrive { .. }) => 0,
            Op::Copy(CopyOp::TensorCopy { .. } | CopyOp::TensorStore { .. }) => {
                unreachable!("random kernels have no tensor maps")
            }
            Op::Sync(SyncOp::SyncGrid) => unreachable!("random kernels are not cooperative"),
            Op::Texture { .. } => unreachable!("random kernels have no textures"),
            Op::Ptx { .. } | Op::PtxOutput { .. } | Op::Interpreted => {
                unreachable!("only GPUs run inline PTX")
            }
            Op::Matrix(MatrixOp::Wgmma { .. } | MatrixOp::WgmmaWait { .. })
            | Op::Sync(SyncOp::ProxyFence) => {
                unreachable!("random kernels run on targets without warpgroup products")
            }
            Op::MapShared { .. } | Op::Sync(SyncOp::SyncCluster) => {
                unreachable!("random kernels have no clusters")
            }
            Op::Sync(
                SyncOp::Barrier { .. } | SyncOp::SyncWarp { .. } | SyncOp::NamedBarrier { .. },
            )
            | Op::Warp(
                WarpOp::Shuffle { .. }
                | WarpOp::Vote { .. }
                | WarpOp::Match { .. }
                | WarpOp::Reduce { .. },
            )
            | Op::Matrix(MatrixOp::Mma { .. } | MatrixOp::DistributeRows { .. }) => {
                thread.waits = Some(id);
                return;
            }
            // Each thread may count as alone.
            Op::Warp(WarpOp::ActiveMask) => 1 << (thread.number % 32),
            Op::Sync(SyncOp::Fence { .. } | SyncOp::GridDependency(_)) => return,
            Op::If { cond, then, other } => {
                let body = if get(cond) != 0 { then } else { other };
                thread.levels.push(Level { of: Some(id), body, next: 0 });
                return;
            }
            Op::For { start, end, inclusive, body, .. } => {
                let (start, end) = (get(start), get(end));
                if scalar::in_range(ty, start, end, *inclusive) {
                    thread.values.insert(id, start);
                    thread.levels.push(Level { of: Some(id), body, next: 0 });
                }
                return;
            }
            Op::Loop { body } | Op::Block { body } => {
                thread.levels.push(Level { of: Some(id), body, next: 0 });
                return;
            }
            Op::Break(target) | Op::Continue(target) => {
                next_iteration(thread, *target);
                if matches!(op, Op::Break(_)) {
                    thread.levels.pop();
                }
                return;
            }
            Op::Return => {
                thread.levels.clear();
                return;
            }
            Op::Print { message, args } => {
                let values = args.iter().map(get).collect();
                thread.printed.push(Printed { message: *message, values });
                return;
            }
            Op::Panic { message, args } => {
                let values: Vec<u64> = args.iter().map(get).collect();
                self.fault(thread, id, Reason::Panic(*message), &values, block_idx);
                return;
            }
        };
        thread.values.insert(id, value);
    }

    fn end_of_body(&self, thread: &mut Thread<'k>, structure: InstId) {
        let again = match &self.kernel.insts[structure].op {
            Op::Loop { .. } => true,
            Op::For { end, step, inclusive, .. } => {
                let ty = self.scalar(structure);
                let [current, end, step] = [structure, *end, *step].map(|id| thread.values[&id]);
                let next = scalar::step(ty, current, step)
                    .filter(|next| scalar::in_range(ty, *next, end, *inclusive));
                next.map(|next| thread.values.insert(structure, next)).is_some()
            }
            _ => false,
        };
        if again {
            thread.levels.last_mut().unwrap().next = 0;
        } else {
            thread.levels.pop();
        }
    }

    fn builtin(&self, builtin: Builtin, thread: &Thread<'_>, block_idx: [u32; 3]) -> u64 {
        let u64_along = |dims, axis| u64::from(along(dims, axis));
        match builtin {
            Builtin::ThreadIdx(axis) => u64_along(thread.idx, axis),
            Builtin::BlockIdx(axis) => u64_along(block_idx, axis),
            Builtin::BlockDim(axis) => u64_along(self.block, axis),
            Builtin::GridDim(axis) => u64_along(self.grid, axis),
            Builtin::GlobalIdx(axis) => {
                u64_along(block_idx, axis) * u64_along(self.block, axis)
                    + u64_along(thread.idx, axis)
            }
            Builtin::LaneId => u64::from(thread.number % 32),
            Builtin::WarpId => u64::from(thread.number / 32),
            Builtin::LaneMask(mask) => mask.bits(thread.number % 32).into(),
            Builtin::CoarseningFactor => {
                self.kernel.coarsening.map_or(1, |coarsening| coarsening.grid.factor.into())
            }
        }
    }

    fn bytes(&mut self, ptr: u64, size: usize) -> &mut [u8] {
        let (buffer, offset) = ((ptr >> BUFFER) as usize, (ptr & ((1 << BUFFER) - 1)) as usize);
        let (args, shared) = (self.args.len(), self.shared.len());
        let bytes = match self.args.get_mut(buffer) {
            Some(ArgData::Slice { bytes, .. }) => bytes,
            Some(ArgData::Scalar { .. }) => panic!("a pointer to a scalar"),
            None if buffer - args < shared => &mut self.shared[buffer - args],
            None => &mut self.arrays[buffer - args - shared],
        };
        &mut bytes[offset..offset + size]
    }

    fn load(&mut self, ptr: u64, ty: Scalar) -> u64 {
        let bytes = self.bytes(ptr, ty.size().unwrap() as usize);
        bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
    }

    fn store(&mut self, ptr: u64, ty: Scalar, bits: u64) {
        let size = ty.size().unwrap() as usize;
        self.bytes(ptr, size).copy_from_slice(&bits.to_le_bytes()[..size]);
    }

    fn fault(
        &mut self,
        thread: &mut Thread<'k>,
        at: InstId,
        reason: Reason,
        said: &[u64],
        mut block: [u32; 3],
    ) {
        match self.kernel.coarsening {
            Some(Coarsening { grid, threads }) => {
                block[grid.axis as usize] += thread.values[&threads] as u32;
                next_iteration(thread, threads);
            }
            None => thread.levels.clear(),
        }
        let mut values = [0; MAX_VALUES];
        values[..said.len()].copy_from_slice(said);
        let report = FaultReport {
            reason,
            span: self.kernel.insts[at].span,
            values,
            block,
            thread: thread.idx,
            count: 1,
        };
        let number =
            |[x, y, z]: [u32; 3], [width, height, _]: [u32; 3]| (z * height + y) * width + x;
        let key = |report: &FaultReport| {
            (number(report.block, self.grid), number(report.thread, self.block))
        };
        self.fault = Some(match self.fault {
            Some(lowest) if key(&lowest) < key(&report) => {
                FaultReport { count: lowest.count + 1, ..lowest }
            }
            Some(lowest) => FaultReport { count: lowest.count + 1, ..report },
            None => report,
        });
    }

    /// Resumes the threads of a block if all of them have reached a barrier.
    fn meet_block(&mut self, threads: &mut [Thread<'k>]) -> bool {
        let mut at: Vec<_> = threads.iter_mut().filter(|thread| !thread.has_ended()).collect();
        let is_barrier = |thread: &&mut Thread<'_>| {
            thread.waits.is_some_and(|id| {
                matches!(self.kernel.insts[id].op, Op::Sync(SyncOp::Barrier { .. }))
            })
        };
        if at.is_empty() || !at.iter().all(is_barrier) {
            return false;
        }
        let brings = |thread: &&mut Thread<'_>| match self.kernel.insts[thread.waits.unwrap()].op {
            Op::Sync(SyncOp::Barrier { reduce: Some((_, value)) }) => thread.values[&value] != 0,
            _ => false,
        };
        let (all, truths) =
            (at.len() as u64, at.iter().filter(|thread| brings(thread)).count() as u64);
        for thread in &mut at {
            let id = thread.waits.take().unwrap();
            if let Op::Sync(SyncOp::Barrier { reduce: Some((op, _)) }) = self.kernel.insts[id].op {
                let value = match op {
                    BarrierOp::Count => truths,
                    BarrierOp::And => u64::from(truths == all),
                    BarrierOp::Or => u64::from(truths > 0),
                };
                thread.values.insert(id, value);
            }
        }
        true
    }

    /// Resumes lanes that no longer wait for others.
    fn meet_warps(&mut self, threads: &mut [Thread<'k>]) -> bool {
        let mut moved = false;
        for warp in threads.chunks_mut(32) {
            let live = (0..warp.len()).filter(|lane| !warp[*lane].has_ended());
            let live = live.fold(0_u32, |live, lane| live | 1 << lane);
            for lane in 0..warp.len() {
                let Some(id) = warp[lane].waits else { continue };
                let Some(mask) = self.mask(id, &warp[lane]) else { continue };
                let come = |lane: &usize| {
                    warp[*lane].waits == Some(id) && self.mask(id, &warp[*lane]) == Some(mask)
                };
                let named: Vec<_> =
                    (0..warp.len()).filter(|lane| mask & live & 1 << lane != 0).collect();
                if !named.iter().all(come) {
                    continue;
                }
                let results: Vec<_> =
                    named.iter().map(|lane| self.warp_value(id, warp, &named, *lane)).collect();
                for (lane, result) in named.iter().zip(results) {
                    warp[*lane].waits = None;
                    warp[*lane].values.extend(result.map(|result| (id, result)));
                }
                moved = true;
            }
        }
        moved
    }

    /// Returns the lanes that a thread waits for at an operation of its warp.
    fn mask(&self, id: InstId, thread: &Thread<'_>) -> Option<u32> {
        match &self.kernel.insts[id].op {
            Op::Sync(SyncOp::SyncWarp { mask })
            | Op::Warp(
                WarpOp::Shuffle { mask, .. }
                | WarpOp::Vote { mask, .. }
                | WarpOp::Match { mask, .. }
                | WarpOp::Reduce { mask, .. },
            ) => Some(mask.map_or(u32::MAX, |mask| thread.values[&mask] as u32)),
            // Random kernels use named barriers of one warp only.
            Op::Sync(SyncOp::NamedBarrier { .. })
            | Op::Matrix(MatrixOp::Mma { .. } | MatrixOp::DistributeRows { .. }) => Some(u32::MAX),
            _ => None,
        }
    }

    fn warp_value(
        &self,
        id: InstId,
        warp: &[Thread<'_>],
        named: &[usize],
        lane: usize,
    ) -> Option<u64> {
        match self.kernel.insts[id].op {
            Op::Matrix(MatrixOp::DistributeRows { transposed, ref args, word }) => {
                let element = |row: usize, column: usize| {
                    let lane = 8 * usize::from(word) + row;
                    warp[lane].values[&args[column / 2]] >> (column % 2 * 16) & 0xffff
                };
                let (group, pair) = (lane / 4, lane % 4 * 2);
                let [low, high] = [pair, pair + 1].map(|other| match transposed {
                    false => element(group, other),
                    true => element(other, group),
                });
                Some(low | high << 16)
            }
            Op::Matrix(MatrixOp::Mma { op, ref args, word }) => {
                let words =
                    args.iter().map(|arg| std::array::from_fn(|lane| warp[lane].values[arg]));
                let words: Vec<[u64; 32]> = words.collect();
                Some(tensor_cores::multiply(op, &words, lane, word.into()))
            }
            Op::Warp(WarpOp::Shuffle { op, value, lane: other, ref width, .. }) => {
                let (width, other) = (width.known()? as i64, warp[lane].values[&other] as i64);
                let (group, place) = (lane as i64 / width * width, lane as i64 % width);
                let from = match op {
                    ShuffleOp::Index => other % width,
                    ShuffleOp::Up => place - other,
                    ShuffleOp::Down => place + other,
                    ShuffleOp::Xor => place ^ other,
                };
                let from = if (0..width).contains(&from) { group + from } else { lane as i64 };
                let from = if named.contains(&(from as usize)) { from as usize } else { lane };
                Some(warp[from].values[&value])
            }
            Op::Warp(WarpOp::Match { op, value, .. }) => {
                let of = |lane: &usize| warp[*lane].values[&value];
                let same = named.iter().filter(|other| of(other) == of(&lane));
                let same = same.fold(0_u64, |same, lane| same | 1 << lane);
                Some(match op {
                    MatchOp::Any => same,
                    MatchOp::All => u64::from(same.count_ones() as usize == named.len()),
                })
            }
            Op::Warp(WarpOp::Reduce { op, value, .. }) => {
                let ty = self.scalar(id);
                let of = |lane: usize| named.contains(&lane).then(|| warp[lane].values[&value]);
                fn sum(
                    ty: Scalar,
                    op: ReduceOp,
                    of: &dyn Fn(usize) -> Option<u64>,
                    first: usize,
                    step: usize,
                ) -> Option<u64> {
                    if step == 32 {
                        return of(first);
                    }
                    let [a, b] =
                        [first, first + step].map(|first| sum(ty, op, of, first, 2 * step));
                    match (a, b) {
                        (Some(a), Some(b)) => Some(scalar::atomic(op.update(), ty, a, b, false)),
                        (a, b) => a.or(b),
                    }
                }
                sum(ty, op, &of, 0, 1)
            }
            Op::Warp(WarpOp::Vote { op, value, .. }) => {
                let truths = named.iter().filter(|lane| warp[**lane].values[&value] != 0);
                let ballot = truths.fold(0_u64, |ballot, lane| ballot | 1 << lane);
                Some(match op {
                    VoteOp::All => u64::from(ballot.count_ones() as usize == named.len()),
                    VoteOp::Any => u64::from(ballot != 0),
                    VoteOp::Ballot => ballot,
                })
            }
            _ => None,
        }
    }
}

/// Returns true if both have the same values, fault and output. All NaNs are equal.
pub fn same(a: &Left, b: &Left) -> bool {
    a.fault == b.fault
        && a.printed == b.printed
        && a.args.iter().zip(&b.args).all(|(a, b)| {
            let read_only = matches!(a, ArgData::Slice { access, .. } if access.is_read_only());
            (read_only && a == b) || a.same_values(b)
        })
}
