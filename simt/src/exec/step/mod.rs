//! The interpreter loop of a strand, which runs until the strand ends, waits or yields.
//!
//! [`Exec::run`] is the loop; the instructions are in the file of their kind: [`control`],
//! [`access`], [`affine`], [`async_copy`], [`replay`], [`dot_products`], [`dot_product_effects`],
//! [`local`], [`collective`], [`texture`], [`print`](mod@print), [`count`], [`debug`], [`sanitize`],
//! [`undefined`], [`mbarrier`], [`tensor`], [`wgmma`].
mod access;
mod affine;
mod async_copy;
mod collective;
mod control;
mod count;
mod debug;
mod dot_product_effects;
mod dot_products;
mod local;
mod mbarrier;
mod print;
mod replay;
mod sanitize;
pub(crate) mod tensor;
mod texture;
mod undefined;
mod wgmma;

use crate::{
    bytecode::{Code, Instr, Malformed, Operand},
    exec::{
        async_copies::AsyncCopies, bound::Bound, cluster::Cluster, mbarriers::MBarriers,
        replay::Backoff, strand::Strand,
    },
    observe::{counters::tally::GroupTrips, log::LaunchLog, sanitizer::BlockChecks},
    outcome::FaultReport,
    vector::{
        lanes::scan::AllBelow,
        mask::Mask,
        memory::{Cells, Memory},
        registers::{Reg, Registers, map_uniform},
    },
};
pub(crate) use access::with_word;
use control::Next;
pub(crate) use count::request_cost;
pub(crate) use dot_products::DotProductMemo;
use std::sync::atomic::{Ordering::SeqCst, fence};
use warpwise_compiler::{
    fault::Reason,
    ir::{Fault, Span},
    message::MAX_VALUES,
};

/// The reason why a strand stops.
pub(crate) enum Stop {
    /// Its threads have ended.
    Ended,
    /// Waits for others at an instruction.
    Waits,
    /// Has spent its spin budget in loops that may wait for others.
    Spun,
    /// Has spent its steps.
    OutOfSteps,
    /// Has spent the steps after which the worker takes control.
    Paused,
    /// Is in a state cycle.
    Livelock,
    /// Leaves the turn to others.
    Yielded,
    /// A watcher ends the launch here.
    Halted(Span),
    /// The kernel did something that the verifier rules out.
    Malformed(Malformed),
}

/// The limits of a strand's run.
pub(crate) struct Slice {
    /// The steps, approximately.
    pub(crate) steps: i64,
    /// The spin budget: weighted iterations of loops that may wait for others.
    pub(crate) spin_budget: i64,
    /// The yields to ignore.
    pub(crate) ignored_yields: i64,
    /// True once it has reached an instruction that [changes](crate::bytecode::Change) something.
    pub(crate) changed: bool,
    /// True if it stops there.
    pub(crate) round_robin: bool,
}

/// The position of a strand in the grid.
#[derive(Clone, Copy)]
pub(crate) struct Position {
    /// Flat index of the block, x fastest.
    pub(crate) block: u64,
    /// Index of the block.
    pub(crate) block_idx: [u32; 3],
    /// Flat index in the block of the group's first thread.
    pub(crate) first_thread: usize,
    /// True if lanes in a loop have the same trip count.
    pub(crate) equal_trips: bool,
}

/// The addresses of a load instruction, in bytes from the start of its buffer.
#[derive(Clone, Copy, Default)]
pub(crate) struct LastLoad {
    /// The last address.
    last: i64,
    /// The first address in the last block, and that block.
    first: i64,
    block: u64,
    /// Executions in that block.
    times: u32,
    /// The distance of its first address from that in the block before.
    ahead: i64,
}

/// A strand with everything that it works on.
pub(crate) struct Exec<'e> {
    pub(crate) code: &'e Code,
    pub(crate) bound: &'e Bound<'e>,
    /// The block's shared arrays.
    pub(crate) shared: &'e [Memory],
    /// The block's cluster and its rank there, if blocks run in clusters.
    pub(crate) cluster: Option<(&'e Cluster, usize)>,
    pub(crate) registers: &'e mut Registers,
    /// Per instruction, the place of its last load.
    pub(crate) last_loads: &'e mut [LastLoad],
    /// Per instruction that jumps back, the backoff of its attempts to replay iterations.
    pub(crate) backoffs: &'e mut [Backoff],
    /// Per dot-product loop, the outcome of the last attempt to batch it.
    pub(crate) dot_product_memos: &'e mut [DotProductMemo],
    /// The trip counts of the group's warps, if they are counted.
    pub(crate) trip_counts: &'e mut GroupTrips,
    /// The pending asynchronous copies of the group.
    pub(crate) async_copies: &'e mut AsyncCopies,
    /// The stores in bulk that threads have not waited for, if they are checked.
    pub(crate) bulk_stores: &'e mut AsyncCopies,
    /// The mbarriers of the block.
    pub(crate) mbarriers: &'e mut MBarriers,
    /// The threads of the group that have not ended.
    pub(crate) live: &'e mut Mask,
    pub(crate) strand: &'e mut Strand,
    /// True if this is the block's only strand.
    pub(crate) is_only_strand: bool,
    pub(crate) log: &'e mut LaunchLog,
    pub(crate) checks: Option<&'e mut BlockChecks>,
    pub(crate) position: Position,
}

impl<'e> Exec<'e> {
    /// Runs the strand.
    pub(crate) fn run(&mut self, slice: &mut Slice) -> Stop {
        let code = self.code;
        let instrs = &code.instrs[..];
        self.strand.update_live(*self.live);
        loop {
            let at = self.strand.pc;
            self.strand.pc = at + 1;
            // Instructions that cannot stop the strand continue with the next one at once; the
            // others return a `Next`.
            let next = match &instrs[at as usize] {
                Instr::Map { .. }
                | Instr::MapWithOne { .. }
                | Instr::Integer { .. }
                | Instr::Set { .. } => {
                    self.run_computations(at as usize);
                    continue;
                }
                Instr::Uniform { f, slots } => {
                    map_uniform(*f, &mut self.strand.uniforms, *slots);
                    continue;
                }
                Instr::Splat { to, from } => {
                    let bits = from.get(&self.strand.uniforms);
                    self.registers.splat(*to, bits, self.strand.runs());
                    continue;
                }
                Instr::Spread { to, from } => {
                    let base = from.base.get(&self.strand.uniforms);
                    self.registers.spread(*to, from.lanes, base, self.strand.runs());
                    continue;
                }
                Instr::Compare { compare } => {
                    self.run_compare(&code.compares[*compare as usize]);
                    continue;
                }
                Instr::Jump { to } => {
                    self.strand.pc = *to;
                    continue;
                }
                Instr::JumpUnless { cond, to } => {
                    if cond.get(&self.strand.uniforms) == 0 {
                        self.strand.pc = *to;
                    }
                    continue;
                }
                Instr::Bounds { index, len, all_below } => {
                    self.check_bounds(*index, *len, *all_below)
                }
                Instr::Check { cond, fault } => self.check_condition(*cond, *fault),
                Instr::Load { to, from, transfer } => self.load(*to, *from, *transfer),
                Instr::LoadUniform { to, from } => self.load_uniform(*to, *from),
                Instr::Store { value, to, transfer } => self.store(*value, *to, *transfer),
                Instr::LoadAffine { to, from, walk, copy } => {
                    self.load_affine(*to, *from, *walk, *copy)
                }
                Instr::StoreAffine { value, to, walk, copy } => {
                    self.store_affine(*value, *to, *walk, *copy)
                }
                Instr::FmaOfLoads { product } => {
                    self.fma_of_loads(&code.products[*product as usize])
                }
                Instr::DotProducts { index } => self.run_dot_products(*index, slice),
                Instr::LoadLocal { to, from } => self.load_local(*to, *from),
                Instr::StoreLocal { value, to } => self.store_local(*value, *to),
                Instr::Atomic { access } => self.run_atomic(&code.atomics[*access as usize]),
                Instr::Fence => {
                    fence(SeqCst);
                    Next::Continue
                }
                Instr::AsyncCopy { copy } => self.begin_async_copy(*copy),
                Instr::AsyncCommit => {
                    self.async_copies.commit(self.strand.active());
                    continue;
                }
                Instr::BulkCopy { copy, barrier } => self.begin_bulk_copy(*copy, *barrier),
                Instr::TensorCopy { copy, barrier } => self.begin_tensor_copy(*copy, *barrier),
                Instr::BulkStore { store } => self.begin_bulk_store(*store),
                Instr::BulkCommit => {
                    self.bulk_stores.commit(self.strand.active());
                    continue;
                }
                Instr::BulkWait { pending } => self.wait_for_bulk_stores(*pending),
                Instr::AsyncWait { pending } => self.wait_for_copies(*pending),
                Instr::Texture { read } => self.read_texture(&code.texture_reads[*read as usize]),
                Instr::ActiveMask { to } => {
                    self.active_mask(*to);
                    Next::Continue
                }
                Instr::Barrier { reduce } => self.run_barrier(*reduce),
                // The block lets whole warps arrive, and blocks synchronize when all their threads
                // have arrived, those of a cluster when all threads of each have.
                Instr::NamedBarrier { .. } | Instr::SyncGrid | Instr::SyncCluster => Next::Wait,
                Instr::WarpgroupSync => self.gather_warpgroups(),
                Instr::Wgmma { product } => {
                    self.multiply_by_warpgroup(&code.warpgroup_products[*product as usize])
                }
                Instr::WgmmaWait { pending } => self.wait_for_products(*pending as usize),
                Instr::MBarrierArrive { barrier, to, bytes } => {
                    self.arrive_at_mbarriers(*barrier, *to, *bytes)
                }
                Instr::MBarrierWait { barrier, phase } => self.wait_for_mbarriers(*barrier, *phase),
                Instr::Warp { op, mask } => self.run_warp_instr(*op, *mask),
                Instr::BackEdge { to, cost } => self.jump_back(*to, *cost, slice),
                Instr::NextIteration { range, to, cost } => {
                    self.next_iteration(*range, *to, *cost, slice)
                }
                Instr::DecideIf { decision, then, other, join } => {
                    if let Some(verdict) =
                        self.decide_condition(&code.decisions[*decision as usize])
                    {
                        self.strand.pc = *then;
                        let active = self.strand.active();
                        let then = if verdict { active } else { Mask::EMPTY };
                        self.diverge(then, *other, *join);
                    }
                    continue;
                }
                Instr::DecideLeave { decision, stay, after } => {
                    if self.decide_condition(&code.decisions[*decision as usize]) == Some(*stay) {
                        self.strand.pc = *after;
                    }
                    continue;
                }
                Instr::If { cond, when, other, join } => {
                    let active = self.strand.active();
                    let truths = self.registers.true_lanes(*cond, active);
                    let then = if *when { truths } else { active.without(truths) };
                    self.diverge(then, *other, *join);
                    continue;
                }
                Instr::Else => self.begin_second_arm(),
                Instr::Enter { resume, join } => self.enter_frame(*resume, *join),
                Instr::Regather => self.regather(),
                Instr::Join => self.join_frame(),
                Instr::Leave { to, when } => self.leave(*to, *when),
                Instr::Print { message } => {
                    self.print_message(&code.messages[*message as usize]);
                    continue;
                }
                Instr::Panic { message } => self.panic_lanes(&code.messages[*message as usize]),
                Instr::End => self.end_threads(),
                Instr::CountSegment { segment } => {
                    self.count_segment(*segment);
                    continue;
                }
                Instr::CountArm { segment, branch } => {
                    self.count_arm(*segment, *branch);
                    continue;
                }
                Instr::CountDivergence { branch } => {
                    self.count_divergence(*branch);
                    continue;
                }
                Instr::CountLoopEntry { number } => {
                    self.count_loop_entry(*number);
                    continue;
                }
                Instr::CountRequest { request } => {
                    self.count_request(*request);
                    continue;
                }
                Instr::CountLocal { at, bytes, counter } => {
                    self.count_local(*at, *bytes, *counter);
                    continue;
                }
                Instr::CheckAccess { site } => {
                    self.check_access(*site);
                    continue;
                }
                Instr::TrackUndefined { from } => {
                    self.track_undefined(*from);
                    continue;
                }
                Instr::CheckFence { scope } => {
                    self.check_fence(*scope);
                    continue;
                }
                Instr::CountedLeave { to, when, branch, segment } => {
                    self.counted_leave((*to, *when), *branch, *segment)
                }
                Instr::Yield => Self::yield_turn(slice),
                Instr::Change { change } => self.announce_change(*change, slice),
                Instr::DebugPoint { point } => self.report_point(*point),
            };
            match next {
                Next::Continue => {}
                Next::Stop(stop) => return stop,
                Next::Wait => {
                    self.strand.pc = at;
                    return Stop::Waits;
                }
                Next::OutOfBounds(address) => {
                    let message = format!("an access outside of memory, at {address:#x}");
                    return Stop::Malformed(Malformed { message, span: code.spans[at as usize] });
                }
            }
        }
    }

    /// Executes instructions that only compute, from `at` up to the first other one.
    ///
    /// The loop is unrolled, so that consecutive instructions have call sites of their own: hosts
    /// predict the target of an indirect call by its call site.
    #[inline(always)]
    fn run_computations(&mut self, mut at: usize) {
        macro_rules! in_turn {
            ($($turn:literal)*) => {
                loop {$(
                    let _: u8 = $turn;
                    match &self.code.instrs[at] {
                        Instr::Map { f, regs } => {
                            self.registers.map(*f, *regs, self.strand.runs());
                        }
                        Instr::Integer { op, slots } => {
                            self.compute_integer(*op, *slots);
                        }
                        Instr::MapWithOne { f, regs, place, one } => {
                            let one = (*place, &self.strand.uniforms[one.slot()]);
                            self.registers.map_with_uniform(*f, *regs, one, self.strand.runs());
                        }
                        Instr::Set { local, value } => self.set(*local, *value),
                        _ => break,
                    }
                    at += 1;
                )*}
            };
        }
        in_turn!(0 1 2 3 4 5 6 7);
        self.strand.pc = at as u32;
    }

    /// Copies a register in the active lanes.
    #[inline(always)]
    fn set(&mut self, local: Reg, value: Reg) {
        let (active, runs) = (self.strand.active(), self.strand.runs());
        self.registers.masked_copy(local, value, active, runs);
    }

    /// Returns one lane's value of an operand.
    #[inline(always)]
    fn operand_value(&self, operand: Operand, lane: usize) -> u64 {
        match operand {
            Operand::Lanes(reg) => self.registers.get(reg, lane),
            Operand::Uniform(uniform) => uniform.get(&self.strand.uniforms),
            Operand::Affine(affine) => affine.get(self.registers, &self.strand.uniforms, lane),
        }
    }

    /// Returns the active lanes where a `bool` is true.
    fn true_lanes(&self, cond: Operand) -> Mask {
        let active = self.strand.active();
        match cond {
            Operand::Lanes(reg) => self.registers.true_lanes(reg, active),
            Operand::Uniform(uniform) if uniform.get(&self.strand.uniforms) != 0 => active,
            Operand::Uniform(_) => Mask::EMPTY,
            Operand::Affine(_) => {
                let mut truths = Mask::EMPTY;
                for lane in active.lanes().filter(|lane| self.operand_value(cond, *lane) != 0) {
                    truths.insert(lane);
                }
                truths
            }
        }
    }

    /// Returns the bytes of a buffer.
    #[inline(always)]
    fn buffer_cells(&self, buffer: u16) -> Option<Cells<'e>> {
        let buffer = usize::from(buffer);
        let params = self.code.params.len();
        if buffer < params {
            return self.bound.cells[buffer];
        }
        let shared = buffer - params;
        match self.code.shared.get(shared) {
            Some(array) => Some(self.shared.get(shared)?.cells(array.access)),
            None => self.cluster?.0.cells(self.code, buffer),
        }
    }

    /// Ends the active lanes whose index is not below the length.
    fn check_bounds(&mut self, index: Operand, len: Operand, test: AllBelow) -> Next {
        if let (Operand::Lanes(index), Operand::Uniform(len)) = (index, len) {
            let limit = len.get(&self.strand.uniforms);
            if self.registers.all_below(test, index, limit, self.strand.runs()) {
                return Next::Continue;
            }
        }
        if let (Operand::Affine(index), Operand::Uniform(len)) = (index, len)
            && self.is_below(index, len)
        {
            return Next::Continue;
        }
        if let (Operand::Uniform(index), Operand::Uniform(len)) = (index, len)
            && index.get(&self.strand.uniforms) < len.get(&self.strand.uniforms)
        {
            return Next::Continue;
        }
        let mut outside = Mask::EMPTY;
        for lane in self.strand.active().lanes() {
            if self.operand_value(index, lane) >= self.operand_value(len, lane) {
                outside.insert(lane);
            }
        }
        self.record_fault(outside, Reason::Check(Fault::IndexOutOfBounds), &[index, len])
    }

    /// Ends the active lanes where a condition is false.
    fn check_condition(&mut self, cond: Operand, fault: Fault) -> Next {
        let wrong = self.strand.active().without(self.true_lanes(cond));
        self.record_fault(wrong, Reason::Check(fault), &[])
    }

    /// Ends `lanes` with a fault at the current instruction.
    fn record_fault(&mut self, lanes: Mask, reason: Reason, operands: &[Operand]) -> Next {
        let Some(lowest) = lanes.lanes().next() else { return Next::Continue };
        let thread = self.position.first_thread + lowest;
        let mut values = [0; MAX_VALUES];
        for (value, operand) in values.iter_mut().zip(operands) {
            *value = self.operand_value(*operand, lowest);
        }
        let report = FaultReport {
            reason,
            span: self.code.spans[self.strand.pc as usize - 1],
            values,
            block: self.position.block_idx,
            thread: self.bound.thread_idx(thread),
            count: lanes.count().into(),
        };
        self.log.faults.add((self.position.block, thread), report);
        self.live.remove(lanes);
        self.async_copies.abandon(lanes);
        self.bulk_stores.abandon(lanes);
        self.deactivate(lanes)
    }
}
