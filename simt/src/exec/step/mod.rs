//! Runs a strand until it ends, waits or has to let others run.
//!
//! [`Exec::run`] is the one loop; what an instruction does stands in the file of its
//! kind: [`control`], [`access`], [`affine`], [`replay`], [`sums`], [`rounds`], [`local`], [`collective`], [`print`](mod@print), [`count`], [`debug`],
//! [`checks`], [`undefined`].
mod access;
mod affine;
mod checks;
mod collective;
mod control;
mod count;
mod debug;
mod local;
mod print;
mod replay;
mod rounds;
mod sums;
mod undefined;

use crate::{
    bytecode::{Code, Instr, Malformed, Operand},
    exec::{bound::Bound, replay::Tries, strand::Strand},
    observe::{counters::tally::Gone, log::Log, sanitizer::BlockChecks},
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
pub(crate) use count::asked;
use std::sync::atomic::{Ordering::SeqCst, fence};
pub(crate) use sums::Looked;
use warpwise_compiler::{
    fault::Reason,
    ir::{Fault, Span},
    message::MAX_VALUES,
};

/// Why a strand does not run on.
pub(crate) enum Stop {
    /// Its threads have ended.
    Ended,
    /// It is at a step where it waits for others.
    Meets,
    /// It has gone round a loop that may wait for others for long enough.
    Spun,
    /// Its steps are spent.
    Spent,
    /// Its steps until the worker looks around are spent.
    Pauses,
    /// It goes round a loop forever.
    Circles,
    /// It is the turn of others.
    Turn,
    /// Somebody who looks on wants the launch to end here.
    Halted(Span),
    /// The kernel did something that the verifier rules out.
    Malformed(Malformed),
}

/// How long a strand may run.
pub(crate) struct Slice {
    /// Steps, about.
    pub(crate) steps: i64,
    /// Rounds of loops that may wait for others, weighted.
    pub(crate) patience: i64,
    /// How many turns it passes.
    pub(crate) stay: i64,
    /// Whether it has come to something that [changes](crate::bytecode::Change) something.
    pub(crate) changes: bool,
    /// Whether it stops there.
    pub(crate) evenly: bool,
}

/// Where a strand runs.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// Number of the block, x fastest.
    pub(crate) block: u64,
    /// Index of the block.
    pub(crate) block_idx: [u32; 3],
    /// Number in the block of the group's first thread.
    pub(crate) first_thread: usize,
    /// Whether lanes that run a loop together have gone round as often.
    pub(crate) in_step: bool,
}

/// Where a step has loaded from a buffer, in bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct LastLoad {
    /// The last time.
    last: i64,
    /// The first time in the last block, and which one that was.
    first: i64,
    block: u64,
    /// How often it has loaded in that block.
    times: u32,
    /// How much further on its first load was than in the block before.
    ahead: i64,
}

/// A strand and all that it works on.
pub(crate) struct Exec<'e> {
    pub(crate) code: &'e Code,
    pub(crate) bound: &'e Bound<'e>,
    /// The block's shared arrays.
    pub(crate) shared: &'e [Memory],
    pub(crate) registers: &'e mut Registers,
    /// Where each step has loaded.
    pub(crate) loaded: &'e mut [LastLoad],
    /// Of each step that jumps back: whether to try how many iterations are alike.
    pub(crate) tries: &'e mut [Tries],
    /// Of each loop that adds products: what the group found of it the last time.
    pub(crate) looked: &'e mut [Looked],
    /// How many iterations of each loop its warps have gone through, if that is counted.
    pub(crate) gone: &'e mut Gone,
    /// The threads of the group that have not ended.
    pub(crate) live: &'e mut Mask,
    pub(crate) strand: &'e mut Strand,
    /// Whether the block has no other strand.
    pub(crate) alone: bool,
    pub(crate) log: &'e mut Log,
    pub(crate) checks: Option<&'e mut BlockChecks>,
    pub(crate) place: Place,
}

impl<'e> Exec<'e> {
    /// Runs the strand.
    pub(crate) fn run(&mut self, slice: &mut Slice) -> Stop {
        let code = self.code;
        let steps = &code.instrs[..];
        self.strand.learn_live(*self.live);
        loop {
            let at = self.strand.at;
            self.strand.at = at + 1;
            let next = match &steps[at as usize] {
                Instr::Map { .. }
                | Instr::MapWithOne { .. }
                | Instr::Integer { .. }
                | Instr::Set { .. } => {
                    self.chain(at as usize);
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
                    self.compare(&code.compares[*compare as usize]);
                    continue;
                }
                Instr::Jump { to } => {
                    self.strand.at = *to;
                    continue;
                }
                Instr::JumpUnless { cond, to } => {
                    if cond.get(&self.strand.uniforms) == 0 {
                        self.strand.at = *to;
                    }
                    continue;
                }
                Instr::Bounds { index, len, all_below } => self.bounds(*index, *len, *all_below),
                Instr::Check { cond, fault } => self.check(*cond, *fault),
                Instr::Load { to, from, transfer } => self.load(*to, *from, *transfer),
                Instr::LoadUniform { to, from } => self.load_uniform(*to, *from),
                Instr::Store { value, to, transfer } => self.store(*value, *to, *transfer),
                Instr::LoadAffine { to, from, walk, copy } => {
                    self.load_affine(*to, *from, *walk, *copy)
                }
                Instr::StoreAffine { value, to, walk, copy } => {
                    self.store_affine(*value, *to, *walk, *copy)
                }
                Instr::FmaOfLoads { product } => self.fma_loaded(&code.products[*product as usize]),
                Instr::DotProducts { sums } => self.sums(*sums, slice),
                Instr::LoadLocal { to, from } => self.load_local(*to, *from),
                Instr::StoreLocal { value, to } => self.store_local(*value, *to),
                Instr::Atomic { access } => self.atomic(&code.atomics[*access as usize]),
                Instr::Fence => {
                    fence(SeqCst);
                    Next::On
                }
                Instr::ActiveMask { to } => {
                    self.active_mask(*to);
                    Next::On
                }
                Instr::Barrier { reduce } => self.barrier(*reduce),
                // Blocks meet when all threads of each have come.
                Instr::SyncGrid => Next::Wait,
                Instr::Warp { op, mask } => self.warp(*op, *mask),
                Instr::BackEdge { to, cost } => self.back(*to, *cost, slice),
                Instr::NextIteration { range, to, cost } => self.next(*range, *to, *cost, slice),
                Instr::DecideIf { decision, then, other, join } => {
                    if let Some(verdict) = self.decide(&code.decisions[*decision as usize]) {
                        self.strand.at = *then;
                        let active = self.strand.active();
                        let then = if verdict { active } else { Mask::EMPTY };
                        self.part_by(then, *other, *join);
                    }
                    continue;
                }
                Instr::DecideLeave { decision, stay, behind } => {
                    if self.decide(&code.decisions[*decision as usize]) == Some(*stay) {
                        self.strand.at = *behind;
                    }
                    continue;
                }
                Instr::If { cond, when, other, join } => {
                    let active = self.strand.active();
                    let truths = self.registers.truths(*cond, active);
                    let then = if *when { truths } else { active.without(truths) };
                    self.part_by(then, *other, *join);
                    continue;
                }
                Instr::Else => self.other_arm(),
                Instr::Enter { resume, join } => self.enter(*resume, *join),
                Instr::Regather => self.regather(),
                Instr::Join => self.join(),
                Instr::Leave { to, when } => self.leave(*to, *when),
                Instr::Print { message } => {
                    self.print(&code.messages[*message as usize]);
                    continue;
                }
                Instr::Panic { message } => self.panic(&code.messages[*message as usize]),
                Instr::End => self.end(),
                Instr::CountSegment { segment } => {
                    self.count(*segment);
                    continue;
                }
                Instr::CountArm { segment, branch } => {
                    self.count_arm(*segment, *branch);
                    continue;
                }
                Instr::CountDivergence { branch } => {
                    self.count_parted(*branch);
                    continue;
                }
                Instr::CountLoopEntry { number } => {
                    self.count_come(*number);
                    continue;
                }
                Instr::CountRequest { request } => {
                    self.count_request(*request);
                    continue;
                }
                Instr::CheckAccess { site } => {
                    self.watch(*site);
                    continue;
                }
                Instr::TrackUndefined { from } => {
                    self.follow(*from);
                    continue;
                }
                Instr::CheckFence { scope } => {
                    self.watch_fence(*scope);
                    continue;
                }
                Instr::CountedLeave { to, when, branch, segment } => {
                    self.counted_leave((*to, *when), *branch, *segment)
                }
                Instr::Yield => Self::turn(slice),
                Instr::Change { change } => self.change(*change, slice),
                Instr::DebugPoint { point } => self.point(*point),
            };
            match next {
                Next::On => {}
                Next::Stop(stop) => return stop,
                Next::Wait => {
                    self.strand.at = at;
                    return Stop::Meets;
                }
                Next::Outside(address) => {
                    let message = format!("an access outside of memory, at {address:#x}");
                    return Stop::Malformed(Malformed { message, span: code.spans[at as usize] });
                }
            }
        }
    }

    /// Runs the steps from `at` on that only compute, up to the first other one.
    ///
    /// Each of some steps behind each other has a place of its own in this code: so hosts foresee which function it
    /// calls, as they do by where they call it.
    #[inline(always)]
    fn chain(&mut self, mut at: usize) {
        macro_rules! in_turn {
            ($($turn:literal)*) => {
                loop {$(
                    let _: u8 = $turn;
                    match &self.code.instrs[at] {
                        Instr::Map { f, regs } => {
                            self.registers.map(*f, *regs, self.strand.runs());
                        }
                        Instr::Integer { op, slots } => {
                            self.integer(*op, *slots);
                        }
                        Instr::MapWithOne { f, regs, place, one } => {
                            let one = (*place, &self.strand.uniforms[one.slot()]);
                            self.registers.map_with_one(*f, *regs, one, self.strand.runs());
                        }
                        Instr::Set { local, value } => self.set(*local, *value),
                        _ => break,
                    }
                    at += 1;
                )*}
            };
        }
        in_turn!(0 1 2 3 4 5 6 7);
        self.strand.at = at as u32;
    }

    /// Copies the active lanes.
    #[inline(always)]
    fn set(&mut self, local: Reg, value: Reg) {
        let (active, runs) = (self.strand.active(), self.strand.runs());
        self.registers.masked_copy(local, value, active, runs);
    }

    /// One lane's value of an operand.
    #[inline(always)]
    fn value(&self, operand: Operand, lane: usize) -> u64 {
        match operand {
            Operand::Lanes(reg) => self.registers.get(reg, lane),
            Operand::Uniform(uniform) => uniform.get(&self.strand.uniforms),
            Operand::Affine(affine) => affine.get(self.registers, &self.strand.uniforms, lane),
        }
    }

    /// The active lanes where a `bool` is true.
    fn truths(&self, cond: Operand) -> Mask {
        let active = self.strand.active();
        match cond {
            Operand::Lanes(reg) => self.registers.truths(reg, active),
            Operand::Uniform(uniform) if uniform.get(&self.strand.uniforms) != 0 => active,
            Operand::Uniform(_) => Mask::EMPTY,
            Operand::Affine(_) => {
                let mut truths = Mask::EMPTY;
                for lane in active.lanes().filter(|lane| self.value(cond, *lane) != 0) {
                    truths.0[lane / 32] |= 1 << (lane % 32);
                }
                truths
            }
        }
    }

    /// The bytes of a buffer.
    #[inline(always)]
    fn cells(&self, buffer: u16) -> Option<Cells<'e>> {
        let buffer = usize::from(buffer);
        let params = self.code.params.len();
        if buffer < params {
            return self.bound.cells[buffer];
        }
        let shared = buffer - params;
        let access = self.code.shared.get(shared)?.access;
        Some(self.shared.get(shared)?.cells(access))
    }

    /// Ends the active lanes whose index is not below the length.
    fn bounds(&mut self, index: Operand, len: Operand, test: AllBelow) -> Next {
        if let (Operand::Lanes(index), Operand::Uniform(len)) = (index, len) {
            let limit = len.get(&self.strand.uniforms);
            if self.registers.all_below(test, index, limit, self.strand.runs()) {
                return Next::On;
            }
        }
        if let (Operand::Affine(index), Operand::Uniform(len)) = (index, len)
            && self.is_below(index, len)
        {
            return Next::On;
        }
        if let (Operand::Uniform(index), Operand::Uniform(len)) = (index, len)
            && index.get(&self.strand.uniforms) < len.get(&self.strand.uniforms)
        {
            return Next::On;
        }
        let mut outside = Mask::EMPTY;
        for lane in self.strand.active().lanes() {
            if self.value(index, lane) >= self.value(len, lane) {
                outside.0[lane / 32] |= 1 << (lane % 32);
            }
        }
        self.fault(outside, Reason::Check(Fault::IndexOutOfBounds), &[index, len])
    }

    /// Ends the active lanes where a condition is false.
    fn check(&mut self, cond: Operand, fault: Fault) -> Next {
        let wrong = self.strand.active().without(self.truths(cond));
        self.fault(wrong, Reason::Check(fault), &[])
    }

    /// Ends `lanes` with a fault at the step just taken.
    fn fault(&mut self, lanes: Mask, reason: Reason, said: &[Operand]) -> Next {
        let Some(lowest) = lanes.lanes().next() else { return Next::On };
        let thread = self.place.first_thread + lowest;
        let mut values = [0; MAX_VALUES];
        for (value, said) in values.iter_mut().zip(said) {
            *value = self.value(*said, lowest);
        }
        let report = FaultReport {
            reason,
            span: self.code.spans[self.strand.at as usize - 1],
            values,
            block: self.place.block_idx,
            thread: self.bound.thread_idx(thread),
            count: lanes.count().into(),
        };
        self.log.faults.add((self.place.block, thread), report);
        self.live.remove(lanes);
        self.lose(lanes)
    }
}
