//! One block: its registers, its shared memory, and the strands of its threads.
//!
//! Strands take turns. One that waits for others is set going again when they have
//! come: at a barrier, every thread of the block that has not ended, wherever it came
//! to one; at an operation of a warp, every lane that it names, at the same place.
//! When all wait and none can go on, that is a deadlock.
mod check;
mod order;

use crate::{
    bound::{Bound, along},
    check::{BlockChecks, misuse::Met},
    code::{Code, Given, Malformed, Operand, Preset, Step, WarpOp},
    log::Log,
    mask::{GROUP, Mask, Run},
    memory::Memory,
    order::Order,
    outcome::{Meeting, Waiting},
    registers::{Reg, Registers},
    step::{Exec, Inputs, Place, Slice, Stop, complete, exchange, reduced},
    strand::Strand,
};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use warpwise_compiler::ir::{Builtin, Span};

/// How long a strand may go round loops that may wait for others, before they get a
/// turn: the costs of its [`Step::Back`]s together.
pub(crate) const PATIENCE: i64 = 1 << 18;

/// What an iteration of a loop costs that may well wait for others.
pub(crate) const SPIN: i64 = PATIENCE >> 6;

/// Steps that are taken from the budget of the launch at once.
const STEPS: u64 = 1 << 16;

/// A block that runs.
pub(crate) struct Block<'a> {
    code: &'a Code,
    bound: &'a Bound<'a>,
    number: u64,
    idx: [u32; 3],
    /// The values held once, before the first step.
    uniforms: Vec<u64>,
    shared: Vec<Memory>,
    groups: Vec<Group>,
    /// With the number of their group.
    strands: Vec<(usize, Strand)>,
    /// Strands that have ended, for their allocations.
    spare: Vec<Strand>,
    /// Steps taken from the budget and not done.
    steps: i64,
    /// Whether no lanes that go round loops have been told apart.
    in_step: bool,
    checks: Option<Box<BlockChecks>>,
    /// In which order strands take turns, if not in the usual one.
    order: Option<Order>,
    /// Whether the strand that ran last went round a loop that may wait for others.
    spins: bool,
}

/// Up to [`GROUP`] threads.
struct Group {
    first_thread: usize,
    exist: Mask,
    live: Mask,
    /// Their indices in the block, along each axis.
    threads: [Vec<u32>; 3],
    registers: Registers,
}

/// What a block's turn came to.
pub(crate) enum Turn {
    /// Every thread has ended.
    Ended,
    /// Its threads go round loops that wait for other blocks.
    Waits,
    /// Every thread that has not ended waits for the other blocks.
    Meets,
    /// It is the turn of other blocks.
    GivesWay,
    /// Somebody who looks on wants the launch to end here.
    Halted(Span),
    /// No thread can go on.
    Deadlock(Vec<Waiting>),
    /// The launch has no steps left.
    Spent,
    /// The kernel did something that the verifier rules out.
    Malformed(Malformed),
}

impl<'a> Block<'a> {
    /// Room for a block.
    pub(crate) fn new(code: &'a Code, bound: &'a Bound<'a>) -> Self {
        let threads = bound.threads();
        let group = |first_thread| {
            let len = GROUP.min(threads - first_thread);
            let registers = Registers::new(code.register_bytes, len.div_ceil(32));
            let idx = |thread, axis: usize| bound.thread_idx(first_thread + thread)[axis];
            let threads = std::array::from_fn(|axis| (0..len).map(|t| idx(t, axis)).collect());
            let exist = Mask::first(len);
            Group { first_thread, exist, live: exist, threads, registers }
        };
        let mut block = Self {
            uniforms: bound.uniforms.clone(),
            code,
            bound,
            number: 0,
            idx: [0; 3],
            shared: bound.shared.iter().map(|bytes| Memory::zeroed(*bytes as usize)).collect(),
            groups: (0..threads).step_by(GROUP).map(group).collect(),
            strands: Vec::new(),
            spare: Vec::new(),
            steps: 0,
            in_step: true,
            checks: bound.checks.as_ref().map(|checks| Box::new(BlockChecks::new(checks))),
            order: None,
            spins: false,
        };
        for group in 0..block.groups.len() {
            block.preset(group, true);
        }
        block
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Sets every thread of a block before the first step.
    pub(crate) fn start(&mut self, number: u64) {
        (self.number, self.idx) = (number, self.bound.block_idx(number));
        self.in_step = true;
        if let Some(checks) = &mut self.checks {
            checks.start(number);
        }
        self.start_order();
        self.shared.iter_mut().for_each(Memory::fill_with_ones);
        for (uniform, given) in &self.code.given {
            let bits = match given {
                Given::BlockIdx(axis) => u64::from(along(self.idx, *axis)),
                Given::GlobalIdx(axis) => {
                    u64::from(along(self.idx, *axis)) * u64::from(along(self.bound.block, *axis))
                }
                Given::Const(_)
                | Given::Param(_)
                | Given::Len(_)
                | Given::BlockDim(_)
                | Given::GridDim(_)
                | Given::Launch => continue,
            };
            uniform.set(&mut self.uniforms, bits);
        }
        while let Some((_, strand)) = self.strands.pop() {
            self.spare.push(strand);
        }
        self.spare.truncate(self.groups.len());
        for index in 0..self.groups.len() {
            let group = &mut self.groups[index];
            group.live = group.exist;
            let strand = Strand::new(group.exist, &self.uniforms, self.spare.pop());
            self.strands.push((index, strand));
            self.preset(index, false);
        }
    }

    /// Fills the registers of a group that stand before the first step: those that are
    /// the same for every block, or the others.
    fn preset(&mut self, index: usize, constant: bool) {
        let group = &mut self.groups[index];
        let all = [Run { first: 0, len: group.exist.count() as usize, full: true }];
        for (reg, preset) in &self.code.preset {
            match *preset {
                Preset::Splat(from, given) if given.depends_on_block() != constant => {
                    group.registers.splat(*reg, self.uniforms[from.slot()], &all);
                }
                Preset::Zero if !constant => group.registers.splat(*reg, 0, &all),
                Preset::Builtin(builtin) if depends_on_block(builtin) != constant => {
                    group.provide(*reg, builtin, self.bound, self.idx);
                }
                Preset::Slope(slope) if constant => {
                    let slope = &self.code.slopes[usize::from(slope)];
                    for lane in 0..group.exist.count() as usize {
                        let own = self.bound.own(slope, group.first_thread + lane);
                        group.registers.set(*reg, lane, own);
                    }
                }
                Preset::Splat(..) | Preset::Zero | Preset::Builtin(_) | Preset::Slope(_) => {}
            }
        }
    }

    /// Runs the block until it ends, or waits for others.
    pub(crate) fn run(&mut self, budget: Option<&AtomicU64>, log: &mut Log) -> Turn {
        loop {
            self.rearrange();
            let mut waits = true;
            let mut index = 0;
            while index < self.strands.len() {
                if self.strands[index].1.waits {
                    index += 1;
                    continue;
                }
                match self.run_strand(index, budget, log) {
                    Stop::Ended => {
                        self.spare.push(self.strands.remove(index).1);
                        waits = false;
                        continue;
                    }
                    Stop::Meets => {
                        self.wait(index);
                        waits = false;
                    }
                    Stop::Spun => {
                        let strands = self.strands.len();
                        self.split_waiting(index);
                        self.in_step &= self.strands.len() == strands;
                    }
                    Stop::Turn => {
                        self.split_waiting(index);
                        waits &= self.spins;
                    }
                    Stop::Halted(span) => return Turn::Halted(span),
                    Stop::Spent => return Turn::Spent,
                    Stop::Malformed(malformed) => return Turn::Malformed(malformed),
                }
                index += 1;
            }
            self.meet_warps();
            self.meet_block();
            if self.strands.is_empty() {
                self.give_back(budget);
                return Turn::Ended;
            }
            if self.strands.iter().all(|(_, strand)| self.waits_for_grid(strand)) {
                self.give_back(budget);
                return Turn::Meets;
            }
            if self.strands.iter().all(|(_, strand)| strand.waits) {
                return Turn::Deadlock(self.waiting());
            }
            if waits {
                self.give_back(budget);
                return Turn::Waits;
            }
            if self.gives_way() {
                self.give_back(budget);
                return Turn::GivesWay;
            }
        }
    }

    fn waits_for_grid(&self, strand: &Strand) -> bool {
        strand.waits && matches!(self.code.steps[strand.at as usize], Step::SyncGrid)
    }

    /// The block has ended, or will not go on.
    pub(crate) fn finish(&mut self, log: &mut Log) {
        if let Some(checks) = &mut self.checks {
            log.found.join(checks.finish(self.code, self.bound));
        }
    }

    /// Lets the threads go on that wait for the other blocks, which have come.
    pub(crate) fn leave_meeting(&mut self) {
        if let Some(checks) = &mut self.checks {
            checks.sync_grid(self.code, self.bound);
        }
        for (_, strand) in &mut self.strands {
            (strand.at, strand.waits) = (strand.at + 1, false);
        }
        self.merge();
    }

    /// Runs a strand as long as there are steps for it.
    fn run_strand(&mut self, index: usize, budget: Option<&AtomicU64>, log: &mut Log) -> Stop {
        let alone = self.groups.len() == 1 && self.strands.len() == 1;
        let stay = self.stay();
        let mut slice = Slice { steps: self.steps, patience: PATIENCE, stay };
        loop {
            let (number, strand) = &mut self.strands[index];
            let group = &mut self.groups[*number];
            let place = Place {
                block: self.number,
                block_idx: self.idx,
                first_thread: group.first_thread,
                in_step: self.in_step,
            };
            let mut exec = Exec {
                code: self.code,
                bound: self.bound,
                shared: &self.shared,
                registers: &mut group.registers,
                live: &mut group.live,
                strand,
                alone,
                log,
                checks: self.checks.as_deref_mut(),
                place,
            };
            let stop = exec.run(&mut slice);
            self.steps = slice.steps;
            self.spins = PATIENCE - slice.patience >= SPIN;
            if !matches!(stop, Stop::Spent) || !self.take_steps(budget) {
                return stop;
            }
            slice.steps = self.steps;
        }
    }

    /// Takes steps from the launch's budget; false if there are none.
    fn take_steps(&mut self, budget: Option<&AtomicU64>) -> bool {
        let Some(budget) = budget else {
            self.steps = i64::MAX;
            return true;
        };
        let mut taken = 0;
        let take = |left: u64| {
            taken = left.min(STEPS);
            Some(left - taken)
        };
        // Cannot fail: the update always yields a value.
        let _ = budget.fetch_update(Relaxed, Relaxed, take);
        self.steps += taken as i64;
        taken > 0
    }

    /// Gives steps that were not needed back to the budget.
    fn give_back(&mut self, budget: Option<&AtomicU64>) {
        if let (Some(budget), Ok(left)) = (budget, u64::try_from(self.steps)) {
            budget.fetch_add(left, Relaxed);
        }
        self.steps = 0;
    }

    /// Makes strands of the lanes that wait for those of a strand.
    fn split_waiting(&mut self, index: usize) {
        let (group, strand) = &mut self.strands[index];
        let (group, split) = (*group, strand.split_waiting());
        self.strands.extend(split.into_iter().map(|strand| (group, strand)));
    }

    /// A strand has come to where it waits for others. At an operation of a warp its
    /// warps wait each for itself, and so do lanes that name different lanes.
    fn wait(&mut self, index: usize) {
        self.split_waiting(index);
        self.strands[index].1.waits = true;
        let (number, strand) = &self.strands[index];
        let (number, active) = (*number, strand.active());
        if self.warp_op(index).is_none() {
            return;
        }
        let warps = active.warps().flat_map(|(warp, lanes)| {
            let inputs = self.inputs([index].into_iter(), warp, lanes);
            inputs.groups().map(move |lanes| Mask::of_warp(warp, lanes)).collect::<Vec<_>>()
        });
        let parts: Vec<_> = warps.skip(1).collect();
        for part in parts {
            let part = self.strands[index].1.split_active(part);
            self.strands.push((number, part));
        }
    }

    /// The operation of a warp that a strand waits at.
    fn warp_op(&self, index: usize) -> Option<(WarpOp, Option<Operand>)> {
        let (_, strand) = &self.strands[index];
        let Step::Warp { op, mask } = self.code.steps[strand.at as usize] else { return None };
        strand.waits.then_some((op, mask))
    }

    /// Those of the `lanes` of a warp that belong to these strands, which wait at one
    /// operation, with what they bring.
    fn inputs(&self, strands: impl Iterator<Item = usize>, warp: usize, lanes: u32) -> Inputs {
        let mut inputs = Inputs::none();
        for index in strands {
            let (number, strand) = &self.strands[index];
            if let Some(op) = self.warp_op(index) {
                let lanes = (warp, strand.active().0[warp] & lanes);
                inputs.add(op, &self.groups[*number].registers, &strand.uniforms, lanes);
            }
        }
        inputs
    }

    /// Does the operations of warps for which all have come.
    fn meet_warps(&mut self) {
        let mut met = false;
        for index in 0..self.strands.len() {
            let Some((op, _)) = self.warp_op(index) else { continue };
            let (number, strand) = &self.strands[index];
            let (number, at) = (*number, strand.at);
            let Some((warp, _)) = strand.active().warps().next() else { continue };
            let here = |other: &usize| {
                let (group, strand) = &self.strands[*other];
                *group == number && strand.at == at && strand.waits && strand.active().0[warp] != 0
            };
            let together: Vec<_> = (index..self.strands.len()).filter(here).collect();
            let inputs = self.inputs(together.iter().copied(), warp, u32::MAX);
            let group = &mut self.groups[number];
            let lanes = complete(&inputs, group.live.0[warp]);
            exchange(op, &inputs, &mut group.registers, warp, lanes);
            if let Some(checks) = &mut self.checks {
                let first_thread = (group.first_thread + warp * 32) as u32;
                let (span, live) = (self.code.spans[at as usize], group.live.0[warp]);
                let inputs = &inputs;
                let met = Met { op, span, inputs, lanes, live, first_thread };
                checks.warp(self.bound, &met);
            }
            if let (Some(checks), WarpOp::Sync) = (&mut self.checks, op) {
                let warp = (group.first_thread / 32 + warp) as u32;
                let groups = inputs.groups().filter(|group| group & lanes != 0);
                groups.for_each(|lanes| checks.sync_warp(self.code, self.bound, warp, lanes));
            }
            for other in together {
                let strand = &mut self.strands[other].1;
                if strand.active().0[warp] & lanes != 0 {
                    (strand.at, strand.waits, met) = (at + 1, false, true);
                }
            }
        }
        if met {
            self.merge();
        }
    }

    /// Does the barrier, if all have come to one.
    fn meet_block(&mut self) {
        let code = self.code;
        let at_barrier = |strand: &Strand| {
            let Step::Barrier { reduce } = code.steps[strand.at as usize] else { return None };
            strand.waits.then_some(reduce)
        };
        let (mut all, mut truths) = (0, 0);
        for (number, strand) in &self.strands {
            let Some(reduce) = at_barrier(strand) else { return };
            all += strand.active().count();
            truths += match reduce {
                Some((_, Operand::Lanes(reg), _)) => {
                    self.groups[*number].registers.truths(reg, strand.active()).count()
                }
                Some((_, Operand::Uniform(uniform), _)) if uniform.get(&strand.uniforms) != 0 => {
                    strand.active().count()
                }
                Some((_, Operand::Affine(affine), _)) => {
                    let registers = &self.groups[*number].registers;
                    let of = |lane| affine.get(registers, &strand.uniforms, lane);
                    strand.active().lanes().filter(|lane| of(*lane) != 0).count() as u32
                }
                Some((_, Operand::Uniform(_), _)) | None => 0,
            };
        }
        self.check_barriers();
        for (_, strand) in &mut self.strands {
            if let Some(Some((op, _, to))) = at_barrier(strand) {
                to.set(&mut strand.uniforms, reduced(op, truths, all));
            }
            (strand.at, strand.waits) = (strand.at + 1, false);
        }
        if let (Some(checks), true) = (&mut self.checks, all > 0) {
            checks.barrier(code, self.bound);
        }
        self.merge();
    }

    /// Makes one strand of those that are at the same place in the same state.
    fn merge(&mut self) {
        let mut index = 0;
        while index < self.strands.len() {
            let (head, tail) = self.strands.split_at_mut(index);
            let (number, strand) = &tail[0];
            let same = |(group, other): &mut (usize, Strand)| {
                group == number && !strand.waits && !other.waits && other.merge(strand)
            };
            if head.iter_mut().any(same) {
                self.strands.remove(index);
            } else {
                index += 1;
            }
        }
    }

    /// Who waits where, warp by warp.
    fn waiting(&self) -> Vec<Waiting> {
        let mut waiting = Vec::new();
        for (index, (number, strand)) in self.strands.iter().enumerate() {
            let group = &self.groups[*number];
            let at = match self.warp_op(index) {
                Some((WarpOp::Sync, _)) => Meeting::SyncWarp,
                Some((WarpOp::Shuffle { .. }, _)) => Meeting::Shuffle,
                Some((WarpOp::Vote { .. }, _)) => Meeting::Vote,
                Some((WarpOp::Match { .. }, _)) => Meeting::Match,
                Some((WarpOp::Reduce { .. }, _)) => Meeting::Reduce,
                None if self.waits_for_grid(strand) => Meeting::Grid,
                None => Meeting::Barrier,
            };
            for (warp, lanes) in strand.active().warps() {
                let here =
                    |(other, there): &&(usize, Strand)| other == number && there.at == strand.at;
                let come =
                    self.strands.iter().filter(here).map(|(_, there)| there.active().0[warp]);
                waiting.push(Waiting {
                    at,
                    span: self.code.spans[strand.at as usize],
                    warp: (group.first_thread / 32 + warp) as u32,
                    lanes,
                    missing: group.live.0[warp] & !come.fold(0, |all, lanes| all | lanes),
                });
            }
        }
        waiting.sort_by_key(|waiting| (waiting.warp, waiting.lanes.trailing_zeros()));
        waiting
    }
}

impl Group {
    /// Sets a register to what the hardware provides to each thread.
    fn provide(&mut self, reg: Reg, builtin: Builtin, bound: &Bound<'_>, block_idx: [u32; 3]) {
        let numbers =
            || self.first_thread as u32..(self.first_thread + self.threads[0].len()) as u32;
        let all = |value: u32| vec![value; self.threads[0].len()];
        let dim = |axis| u64::from(along(bound.block, axis));
        match builtin {
            Builtin::ThreadIdx(axis) => {
                let values = along(self.threads.each_ref(), axis);
                self.registers.fill(reg, values, 0);
            }
            Builtin::GlobalIdx(axis) => {
                let first = u64::from(along(block_idx, axis)) * dim(axis);
                let values = along(self.threads.each_ref(), axis);
                self.registers.fill(reg, values, first);
            }
            Builtin::LaneId => {
                let lanes: Vec<_> = numbers().map(|number| number % 32).collect();
                self.registers.fill(reg, &lanes, 0);
            }
            Builtin::WarpId => {
                let warps: Vec<_> = numbers().map(|number| number / 32).collect();
                self.registers.fill(reg, &warps, 0);
            }
            Builtin::BlockIdx(axis) => self.registers.fill(reg, &all(along(block_idx, axis)), 0),
            Builtin::BlockDim(axis) => self.registers.fill(reg, &all(along(bound.block, axis)), 0),
            Builtin::GridDim(axis) => self.registers.fill(reg, &all(along(bound.grid, axis)), 0),
        }
    }
}

/// Whether a builtin that differs between threads is another one in each block.
fn depends_on_block(builtin: Builtin) -> bool {
    matches!(builtin, Builtin::GlobalIdx(_))
}
