//! The meaning of kernels in its simplest form: all threads of a block execute the same instruction
//! at the same time, or are inactive.
//!
//! It is slow, and hides all effects of other orders of execution, so it is not an engine. Tests
//! [`Watch`] each step of each block to check analyses against it. It shares no code with the
//! interpreter, so that one mistake cannot be in both.
use crate::random_ir::{ArgData, LaunchShape, shared_lengths};
use warpwise_compiler::{
    fault::Reason,
    id::Id,
    ir::{
        AtomicOp, Axis, BarrierOp, BinaryOp, Body, Builtin, CopyOp, Effect, Element, Fault, InstId,
        Kernel, MatchOp, MatrixOp, Op, Scalar, ShuffleOp, Span, SyncOp, Ty, VoteOp, WarpOp,
        evaluate,
    },
    message::MAX_VALUES,
    tensor_cores,
};

/// One instruction, run by some threads of a block at once.
#[derive(Debug)]
pub struct Step<'m> {
    /// The instruction.
    pub id: InstId,
    /// True if this is a `for` that takes its next value.
    pub repeats: bool,
    /// The threads that run it, by number in the block.
    pub active: &'m [bool],
    /// The position of each thread.
    pub threads: &'m [At],
    /// The value that it yields in each running thread. Empty for control flow, except for a `for`
    /// that takes its next value.
    pub values: &'m [u64],
}

/// A function that sees each step.
pub type Watch<'w> = &'w mut dyn FnMut(&Step<'_>);

/// The position of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// In the body that is running.
    Here,
    /// On its way to the end of this loop or block.
    Behind(InstId),
    /// On its way to the next iteration of this loop.
    Next(InstId),
    /// Ended by `return`.
    Returned,
    /// Ended by a failed check.
    Faulted,
}

/// The faults of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The number of threads that failed a check.
    pub count: u64,
    /// The reason and place of the first fault, with index and length or the values of a message.
    pub first: Option<(Reason, Span, [u64; MAX_VALUES])>,
}

/// The kernel took too many steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endless;

/// Runs `kernel`, which must be specialized, and leaves its results in `args`.
///
/// # Errors
/// Fails if a block takes more than a million steps.
pub fn run(
    kernel: &Kernel,
    shape: &LaunchShape,
    args: &mut [ArgData],
    watch: Watch<'_>,
) -> Result<Report, Endless> {
    let mut report = Report { count: 0, first: None };
    let [width, height, depth] = shape.grid;
    for number in 0..width * height * depth {
        let block = [number % width, number / width % height, number / width / height];
        let mut machine = Machine::new(kernel, shape, block, args, &mut *watch);
        machine.body(&kernel.body, &vec![true; shape.threads() as usize])?;
        report.count += machine.faults.iter().flatten().count() as u64;
        report.first = report.first.or_else(|| machine.faults.iter().flatten().next().copied());
    }
    Ok(report)
}

/// The state of one block.
struct Machine<'m> {
    kernel: &'m Kernel,
    shape: &'m LaunchShape,
    block: [u32; 3],
    args: &'m mut [ArgData],
    watch: Watch<'m>,
    shared: Vec<Vec<u8>>,
    /// By array, then thread.
    arrays: Vec<Vec<u8>>,
    /// By instruction, then thread.
    values: Vec<Vec<u64>>,
    /// By local, then thread.
    locals: Vec<Vec<u64>>,
    threads: Vec<At>,
    faults: Vec<Option<(Reason, Span, [u64; MAX_VALUES])>>,
    steps: u32,
}

type Done = Result<(), Endless>;

impl<'m> Machine<'m> {
    fn new(
        kernel: &'m Kernel,
        shape: &'m LaunchShape,
        block: [u32; 3],
        args: &'m mut [ArgData],
        watch: Watch<'m>,
    ) -> Self {
        let count = shape.threads() as usize;
        let bytes = |len: Option<u64>, elem: &Element| {
            let (len, size) = len.zip(elem.size()).expect("the kernel is specialized");
            vec![0; (len * size) as usize]
        };
        let lengths = shared_lengths(kernel, shape, args);
        let shared = kernel.shared.iter().zip(lengths);
        let shared = shared.map(|((_, shared), len)| bytes(Some(len), &shared.elem));
        let arrays = kernel
            .arrays
            .iter()
            .flat_map(|(_, array)| vec![bytes(array.len.known(), &array.elem); count]);
        Self {
            kernel,
            shape,
            block,
            args,
            watch,
            shared: shared.collect(),
            arrays: arrays.collect(),
            values: vec![vec![0; count]; kernel.insts.len()],
            locals: vec![vec![0; count]; kernel.locals.len()],
            threads: vec![At::Here; count],
            faults: vec![None; count],
            steps: 1_000_000,
        }
    }

    /// Runs `body` in the threads of `mask`.
    fn body(&mut self, body: &Body, mask: &[bool]) -> Done {
        for &id in &body.0 {
            let active: Vec<bool> = self.here(mask);
            if !active.contains(&true) {
                return Ok(());
            }
            self.steps = self.steps.checked_sub(1).ok_or(Endless)?;
            self.inst(id, &active)?;
        }
        Ok(())
    }

    /// Returns the threads of `mask` that are in the running body.
    fn here(&self, mask: &[bool]) -> Vec<bool> {
        mask.iter().zip(&self.threads).map(|(&on, &at)| on && at == At::Here).collect()
    }

    fn inst(&mut self, id: InstId, active: &[bool]) -> Done {
        let op = &self.kernel.insts[id].op;
        let computes = op.effect() != Effect::Control;
        if computes {
            for thread in (0..active.len()).filter(|&thread| active[thread]) {
                self.values[id.index()][thread] = self.value(id, thread, active);
            }
        }
        self.seen(id, active, false);
        if computes { Ok(()) } else { self.control(id, op, active) }
    }

    fn control(&mut self, id: InstId, op: &Op, active: &[bool]) -> Done {
        if let Op::If { cond, then, other } = op {
            let taken = |truth: u64| -> Vec<bool> {
                let values = &self.values[cond.index()];
                active.iter().zip(values).map(|(&on, &value)| on && value == truth).collect()
            };
            let [then_mask, other_mask] = [taken(1), taken(0)];
            self.body(then, &then_mask)?;
            return self.body(other, &other_mask);
        } else if let Op::Loop { body } = op {
            let mut mask = active.to_vec();
            while mask.contains(&true) {
                self.body(body, &mask)?;
                mask = self.again(id, &mask);
            }
        } else if let Op::Block { body } = op {
            self.body(body, active)?;
            self.again(id, active);
        } else if let Op::For { start, end, step, inclusive, body } = op {
            return self.range(id, [*start, *end, *step], *inclusive, body, active);
        } else if let Op::Break(target) = op {
            self.go(At::Behind(*target), active);
        } else if let Op::Continue(target) = op {
            self.go(At::Next(*target), active);
        } else if let Op::Panic { message, args } = op {
            for thread in (0..active.len()).filter(|&thread| active[thread]) {
                let said: Vec<u64> =
                    args.iter().map(|arg| self.values[arg.index()][thread]).collect();
                let span = self.kernel.insts[id].span;
                self.fail(thread, Reason::Panic(*message), span, &said);
            }
        } else {
            self.go(At::Returned, active);
        }
        Ok(())
    }

    /// Shows a step to the test.
    fn seen(&mut self, id: InstId, active: &[bool], repeats: bool) {
        let yields = repeats || self.kernel.insts[id].op.effect() != Effect::Control;
        let values = if yields { self.values[id.index()].as_slice() } else { &[] };
        (self.watch)(&Step { id, repeats, active, threads: &self.threads, values });
    }

    fn go(&mut self, to: At, active: &[bool]) {
        for (at, _) in self.threads.iter_mut().zip(active).filter(|&(_, &on)| on) {
            *at = to;
        }
    }

    /// Ends an iteration of the body of `id`, and returns the threads of `mask` that run it again
    /// if it is a loop.
    fn again(&mut self, id: InstId, mask: &[bool]) -> Vec<bool> {
        let stay = mask.iter().zip(&mut self.threads).map(|(&on, at)| {
            let stays = *at == At::Here || *at == At::Next(id);
            if *at == At::Behind(id) || *at == At::Next(id) {
                *at = At::Here;
            }
            on && stays
        });
        stay.collect()
    }

    fn range(
        &mut self,
        id: InstId,
        [start, end, step]: [InstId; 3],
        inclusive: bool,
        body: &Body,
        active: &[bool],
    ) -> Done {
        let ty = self.scalar(id);
        let number = |bits: u64| evaluate::integer(ty, bits).expect("`for` counts integers");
        let [mut now, last, step] = [start, end, step]
            .map(|of| self.values[of.index()].iter().map(|&bits| number(bits)).collect::<Vec<_>>());
        let mut mask = active.to_vec();
        loop {
            for (thread, on) in mask.iter_mut().enumerate() {
                *on &= now[thread] <= last[thread] - i128::from(!inclusive);
                self.values[id.index()][thread] = evaluate::wrap(ty, now[thread]);
            }
            if !mask.contains(&true) {
                return Ok(());
            }
            self.seen(id, &mask, true);
            self.body(body, &mask)?;
            mask = self.again(id, &mask);
            now.iter_mut().zip(&step).for_each(|(now, step)| *now += step);
        }
    }

    /// Runs `id` in one thread, and returns its value.
    fn value(&mut self, id: InstId, thread: usize, active: &[bool]) -> u64 {
        let kernel = self.kernel;
        let inst = &kernel.insts[id];
        let of = |value: InstId| self.values[value.index()][thread];
        match &inst.op {
            Op::Const(bits) => *bits,
            Op::Param(param) => match &self.args[param.index()] {
                ArgData::Scalar { bits, .. } => *bits,
                ArgData::Slice { .. } => address(param.index()),
            },
            Op::Len(param) => match &self.args[param.index()] {
                ArgData::Slice { elem, bytes, .. } => (bytes.len() / size(*elem)) as u64,
                ArgData::Scalar { .. } => unreachable!("a scalar has no length"),
            },
            Op::Shared(shared) => address(SHARED + shared.index()),
            Op::Array(array) => address(ARRAYS + array.index() * self.threads.len() + thread),
            Op::Builtin(builtin) => self.builtin(*builtin, thread),
            Op::Unary { op, value } => {
                let ty = self.scalar(id);
                evaluate::unary(*op, ty, of(*value)).unwrap_or_else(|| nan(ty))
            }
            Op::Binary { op, lhs, rhs } => self.binary(*op, self.scalar(id), of(*lhs), of(*rhs)),
            Op::Compare { op, lhs, rhs } => {
                let truth = match kernel.insts[*lhs].ty {
                    Ty::Scalar(ty) => evaluate::compare(*op, ty, of(*lhs), of(*rhs)),
                    Ty::Ptr(_) | Ty::Unit => None,
                };
                u64::from(truth.expect("numbers are compared"))
            }
            Op::Cast { value } => {
                let ty = self.scalar(id);
                evaluate::cast(self.scalar(*value), ty, of(*value)).unwrap_or_else(|| nan(ty))
            }
            Op::Bitcast { value } => of(*value),
            Op::Select { cond, then, other } => of(if of(*cond) == 1 { *then } else { *other }),
            Op::Ternary { op, a, b, c } => {
                let ty = self.scalar(id);
                evaluate::ternary(*op, ty, [of(*a), of(*b), of(*c)]).unwrap_or_else(|| nan(ty))
            }
            Op::Fma { a, b, c } => {
                let ty = self.scalar(id);
                evaluate::fma(ty, of(*a), of(*b), of(*c)).unwrap_or_else(|| nan(ty))
            }
            Op::Index { base, index, stride } => {
                of(*base) + of(*index) * stride.known().expect("the kernel is specialized")
            }
            Op::Offset { base, offset } => {
                of(*base) + offset.known().expect("the kernel is specialized")
            }
            Op::Bounds { index, len } => {
                let (index, len) = (of(*index), of(*len));
                if index >= len {
                    let reason = Reason::Check(Fault::IndexOutOfBounds);
                    self.fail(thread, reason, inst.span, &[index, len]);
                }
                index
            }
            Op::Check { cond, fault } => {
                if of(*cond) == 0 {
                    self.fail(thread, Reason::Check(*fault), inst.span, &[]);
                }
                0
            }
            Op::Get(local) => self.locals[local.index()][thread],
            Op::Set { local, value } => {
                self.locals[local.index()][thread] = of(*value);
                0
            }
            Op::Load { ptr, .. } | Op::AtomicLoad { ptr, .. } => {
                self.load(of(*ptr), self.scalar(id))
            }
            Op::Store { ptr, value, .. } | Op::AtomicStore { ptr, value, .. } => {
                self.store(of(*ptr), self.scalar(*value), of(*value));
                0
            }
            Op::Atomic { op, ptr: at, value, .. } => {
                let (ptr, value, ty) = (of(*at), of(*value), self.scalar(id));
                let old = self.load(ptr, ty);
                let new = match self.kernel.space(*at) {
                    Some(space) if op.flushes(ty, space) => {
                        let flushed = |bits: u64| {
                            if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
                        };
                        flushed(self.update(*op, ty, flushed(old), flushed(value)))
                    }
                    Some(_) | None => self.update(*op, ty, old, value),
                };
                self.store(ptr, ty, new);
                old
            }
            Op::CompareExchange { ptr, expected, value, .. } => {
                let (ptr, expected, value, ty) =
                    (of(*ptr), of(*expected), of(*value), self.scalar(id));
                let old = self.load(ptr, ty);
                if old == expected {
                    self.store(ptr, ty, value);
                }
                old
            }
            // Done at once, which is one of the permitted times.
            Op::Copy(
                CopyOp::AsyncCopy { to, from, bytes }
                | CopyOp::BulkCopy { to, from, bytes, .. }
                | CopyOp::BulkStore { to, from, bytes },
            ) => {
                let (to, from) = (of(*to), of(*from));
                let bytes = bytes.known().expect("the kernel is specialized") as usize;
                let copied = self.memory(from)[..bytes].to_vec();
                self.memory(to)[..bytes].copy_from_slice(&copied);
                0
            }
            Op::Prefetch { .. }
            | Op::Copy(
                CopyOp::AsyncCommit
                | CopyOp::AsyncWait { .. }
                | CopyOp::BulkCommit
                | CopyOp::BulkWait { .. },
            ) => 0,
            Op::Copy(CopyOp::TensorCopy { .. } | CopyOp::TensorStore { .. }) => {
                unreachable!("random kernels have no tensor maps")
            }
            Op::Sync(SyncOp::SyncGrid) => unreachable!("random kernels are not cooperative"),
            Op::MapShared { .. } | Op::Sync(SyncOp::SyncCluster) => {
                unreachable!("random kernels have no clusters")
            }
            Op::Sync(SyncOp::Barrier { reduce }) => match reduce {
                Some((op, value)) => {
                    let all = 0..active.len();
                    self.reduce(*op, *value, all.filter(|&other| active[other]))
                }
                None => 0,
            },
            Op::Warp(WarpOp::Shuffle { op, value, lane, width, .. }) => {
                let width = width.known().expect("the kernel is closed") as u32;
                let source = source(*op, thread, of(*lane), width);
                self.values[value.index()].get(source).copied().unwrap_or(0)
            }
            Op::Warp(WarpOp::Match { op, value, mask }) => {
                let lanes = named(thread, mask.map(of), active);
                let brings = |other: usize| self.values[value.index()][other];
                let same = lanes.iter().filter(|&&other| brings(other) == brings(thread));
                match op {
                    MatchOp::Any => same.fold(0, |bits, other| bits | 1 << (other % 32)),
                    MatchOp::All => u64::from(same.count() == lanes.len()),
                }
            }
            Op::Texture { .. } => unreachable!("random kernels have no textures"),
            Op::Ptx { .. } | Op::PtxOutput { .. } | Op::Interpreted => {
                unreachable!("only GPUs run inline PTX")
            }
            Op::Matrix(MatrixOp::Wgmma { .. } | MatrixOp::WgmmaWait { .. })
            | Op::Sync(SyncOp::ProxyFence) => {
                unreachable!("random kernels run on targets without warpgroup products")
            }
            Op::Matrix(MatrixOp::DistributeRows { transposed, args, word }) => {
                let words = self.words_of_warp(thread, args, active);
                tensor_cores::distribute(*transposed, &words, thread % 32, usize::from(*word))
            }
            Op::Matrix(MatrixOp::Mma { op, args, word }) => {
                let words = self.words_of_warp(thread, args, active);
                tensor_cores::multiply(*op, &words, thread % 32, usize::from(*word))
            }
            Op::Warp(WarpOp::Reduce { op, value, mask }) => {
                let (ty, lanes) = (self.scalar(id), named(thread, mask.map(of), active));
                let mut left = [None; 32];
                for other in lanes {
                    left[other % 32] = Some(self.values[value.index()][other]);
                }
                for half in [16, 8, 4, 2, 1] {
                    for low in 0..half {
                        left[low] = match (left[low], left[low + half]) {
                            (Some(a), Some(b)) => Some(self.update(op.update(), ty, a, b)),
                            (a, b) => a.or(b),
                        };
                    }
                }
                left[0].unwrap_or(0)
            }
            Op::Warp(WarpOp::Vote { op, value, mask }) => {
                let lanes = named(thread, mask.map(of), active);
                match op {
                    VoteOp::All => self.reduce(BarrierOp::And, *value, lanes.into_iter()),
                    VoteOp::Any => self.reduce(BarrierOp::Or, *value, lanes.into_iter()),
                    VoteOp::Ballot => lanes.iter().fold(0, |bits, other| {
                        bits | self.values[value.index()][*other] << (other % 32)
                    }),
                }
            }
            // Each thread may count as alone.
            Op::Warp(WarpOp::ActiveMask) => 1 << (thread % 32),
            Op::Sync(
                SyncOp::SyncWarp { .. }
                | SyncOp::NamedBarrier { .. }
                | SyncOp::MBarrierArrive { .. }
                | SyncOp::MBarrierWait { .. }
                | SyncOp::Fence { .. }
                | SyncOp::GridDependency(_),
            ) => 0,
            Op::Generic(_) | Op::MulAdd { .. } => unreachable!("the kernel is specialized"),
            Op::If { .. }
            | Op::For { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Panic { .. } => unreachable!("`control` runs these"),
            Op::Print { .. } => 0,
        }
    }

    /// Returns the type of a value that is not a pointer.
    fn scalar(&self, id: InstId) -> Scalar {
        match self.kernel.insts[id].ty {
            Ty::Scalar(scalar) => scalar,
            // Apart from locals and shuffles, nothing needs the type of a pointer.
            Ty::Ptr(_) | Ty::Unit => Scalar::U64,
        }
    }

    fn binary(&self, op: BinaryOp, ty: Scalar, lhs: u64, rhs: u64) -> u64 {
        evaluate::binary(op, ty, lhs, rhs).unwrap_or_else(|| nan(ty))
    }

    fn update(&self, op: AtomicOp, ty: Scalar, old: u64, value: u64) -> u64 {
        let op = match op {
            AtomicOp::Swap => return value,
            AtomicOp::Add => BinaryOp::Add,
            AtomicOp::Sub => BinaryOp::Sub,
            AtomicOp::And => BinaryOp::And,
            AtomicOp::Or => BinaryOp::Or,
            AtomicOp::Xor => BinaryOp::Xor,
            AtomicOp::Min => BinaryOp::Min,
            AtomicOp::Max => BinaryOp::Max,
        };
        self.binary(op, ty, old, value)
    }

    /// Returns the values of all lanes of the thread's warp, 0 for absent ones.
    fn words_of_warp(&self, thread: usize, args: &[InstId], active: &[bool]) -> Vec<[u64; 32]> {
        let lanes = named(thread, None, active);
        let words = args.iter().map(|arg| {
            let mut words = [0; 32];
            for &other in &lanes {
                words[other % 32] = self.values[arg.index()][other];
            }
            words
        });
        words.collect()
    }

    fn reduce(&self, op: BarrierOp, value: InstId, of: impl Iterator<Item = usize>) -> u64 {
        let values: Vec<u64> = of.map(|thread| self.values[value.index()][thread]).collect();
        match op {
            BarrierOp::Count => values.iter().sum(),
            BarrierOp::And => u64::from(!values.contains(&0)),
            BarrierOp::Or => u64::from(values.contains(&1)),
        }
    }

    fn builtin(&self, builtin: Builtin, thread: usize) -> u64 {
        let [width, height, _] = self.shape.block;
        let number = thread as u32;
        let index = [number % width, number / width % height, number / width / height];
        let along = |list: [u32; 3], axis| match axis {
            Axis::X => u64::from(list[0]),
            Axis::Y => u64::from(list[1]),
            Axis::Z => u64::from(list[2]),
        };
        match builtin {
            Builtin::ThreadIdx(axis) => along(index, axis),
            Builtin::BlockIdx(axis) => along(self.block, axis),
            Builtin::BlockDim(axis) => along(self.shape.block, axis),
            Builtin::GridDim(axis) => along(self.shape.grid, axis),
            Builtin::GlobalIdx(axis) => {
                along(self.block, axis) * along(self.shape.block, axis) + along(index, axis)
            }
            Builtin::LaneId => u64::from(number % 32),
            Builtin::WarpId => u64::from(number / 32),
            Builtin::LaneMask(mask) => mask.bits(number % 32).into(),
            Builtin::CoarseningFactor => 1,
        }
    }

    fn fail(&mut self, thread: usize, reason: Reason, span: Span, said: &[u64]) {
        let mut values = [0; MAX_VALUES];
        values[..said.len()].copy_from_slice(said);
        self.threads[thread] = At::Faulted;
        self.faults[thread] = Some((reason, span, values));
    }

    /// Returns memory from an address on.
    fn memory(&mut self, ptr: u64) -> &mut [u8] {
        let (root, offset) = ((ptr >> ROOT) as usize, (ptr & ((1 << ROOT) - 1)) as usize);
        let bytes = match (root.checked_sub(ARRAYS), root.checked_sub(SHARED)) {
            (Some(array), _) => &mut self.arrays[array],
            (None, Some(shared)) => &mut self.shared[shared],
            (None, None) => match &mut self.args[root] {
                ArgData::Slice { bytes, .. } => bytes,
                ArgData::Scalar { .. } => unreachable!("no pointer is to a scalar"),
            },
        };
        &mut bytes[offset..]
    }

    fn load(&mut self, ptr: u64, ty: Scalar) -> u64 {
        let mut bits = [0; 8];
        bits[..size(ty)].copy_from_slice(&self.memory(ptr)[..size(ty)]);
        u64::from_le_bytes(bits)
    }

    fn store(&mut self, ptr: u64, ty: Scalar, value: u64) {
        self.memory(ptr)[..size(ty)].copy_from_slice(&value.to_le_bytes()[..size(ty)]);
    }
}

/// The position in an address of the number of its root; the bits below are the offset in bytes.
pub(crate) const ROOT: u32 = 40;
/// The root number of the first shared array.
const SHARED: usize = 1000;
/// The root number of the first array of the first thread.
const ARRAYS: usize = 2000;

fn address(root: usize) -> u64 {
    (root as u64) << ROOT
}

fn size(ty: Scalar) -> usize {
    ty.size().expect("the kernel is specialized") as usize
}

/// Returns a NaN for a float type; no one reads the value for an integer operation without a
/// result.
fn nan(ty: Scalar) -> u64 {
    match ty {
        Scalar::F16 => 0x7e00,
        Scalar::BF16 => 0x7fc0,
        Scalar::F32 => f32::NAN.to_bits().into(),
        _ => f64::NAN.to_bits(),
    }
}

/// Returns the active threads in the warp of `thread` that a mask names, or all active ones without
/// a mask.
fn named(thread: usize, mask: Option<u64>, active: &[bool]) -> Vec<usize> {
    let named = mask.unwrap_or(u32::MAX.into());
    let warp = (0..active.len()).filter(|other| other / 32 == thread / 32);
    warp.filter(|&other| active[other] && named >> (other % 32) & 1 == 1).collect()
}

/// Returns the thread whose value a shuffle yields.
fn source(op: ShuffleOp, thread: usize, operand: u64, width: u32) -> usize {
    let width = width as usize;
    let first = thread / width * width;
    let lane = thread - first;
    let operand = operand as usize;
    let from = match op {
        ShuffleOp::Index => operand % width,
        ShuffleOp::Up => lane.checked_sub(operand).unwrap_or(lane),
        ShuffleOp::Down if lane + operand < width => lane + operand,
        ShuffleOp::Xor if lane ^ operand < width => lane ^ operand,
        ShuffleOp::Down | ShuffleOp::Xor => lane,
    };
    first + from
}
