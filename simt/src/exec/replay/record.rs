//! The recorder of a round: symbolic execution for all rounds with the same control flow.
use super::{
    Clips, Effects, LinearValues,
    lane_instrs::{Access, AtomicSum, LaneInstr, Summand, UniformWord, is_inside},
    linear::Linear,
};
use crate::{
    bytecode::{
        Address, AffineLoad, Atomic, AtomicKind, Code, Compare, Instr, Leave, Operand, Preset, When,
    },
    exec::bound::Bound,
    vector::{
        lanes::{lane_offsets::OffsetBounds, resolve},
        memory::{Cells, Memory},
        registers::{Affine, Reg, Uniform},
    },
};

/// The most lane instructions of a recording.
const MAX_INSTRS: usize = 256;

/// The reason why rounds cannot be replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// This round cannot be recorded; others may.
    ThisRound,
    /// The code has an instruction that cannot be recorded.
    Always,
}

/// Turns an unknown value into a failure of this round.
pub(super) fn or_fail<T>(known: Option<T>) -> Result<T, Failure> {
    known.ok_or(Failure::ThisRound)
}

/// The continuation after an instruction.
enum Flow {
    /// The next instruction.
    Next(u32),
    /// The end of the round.
    Ended,
}

/// An arm of an `if` that all lanes are in.
#[derive(Clone, Copy)]
struct Arm {
    join: u32,
    /// True if only the lanes that take part are in it.
    is_clipped: bool,
}

/// The recorder of a group's round.
pub(crate) struct Recorder<'t, 'a> {
    pub(crate) code: &'a Code,
    pub(crate) bound: &'a Bound<'a>,
    /// The block's shared arrays, if all rounds are in one block.
    pub(crate) shared: &'a [Memory],
    pub(crate) group: usize,
    pub(crate) values: &'t mut LinearValues,
    pub(crate) instrs: &'t mut Vec<LaneInstr<'a>>,
    pub(crate) effects: &'t mut Effects,
    /// The conditions of the lanes that take part, if not all need to.
    pub(crate) clips: Option<&'t mut Clips>,
    /// True if lanes in a loop have the same trip count.
    pub(crate) equal_trips: bool,
    /// True if all of shared memory has been written, if that is checked.
    pub(crate) is_defined: bool,
}

impl<'a> Recorder<'_, 'a> {
    /// Records a whole block.
    pub(crate) fn record_block(&mut self) -> Result<(), Failure> {
        self.instrs.clear();
        self.effects.clear();
        if let Some(clips) = &mut self.clips {
            clips.clear();
        }
        for (reg, preset) in &self.code.preset {
            match preset {
                Preset::Zero => self.push(LaneInstr::Splat { to: *reg, bits: 0, step: 0 })?,
                Preset::Splat(..) | Preset::Builtin(_) | Preset::Slope(_) => {
                    if preset.must_reset_per_block() {
                        return Err(Failure::Always);
                    }
                }
            }
        }
        // Other blocks may skip what only some lanes of this one execute.
        let recorded = self.record_from(0, None);
        recorded.map_err(|failure| if self.is_clipped() { Failure::ThisRound } else { failure })?;
        // Counters and checks would need the lanes that take part.
        let is_counted = self.is_clipped() && !self.effects.is_empty();
        or_fail((!is_counted).then_some(()))?;
        self.check_loads()
    }

    /// Fails if a loaded value was used as if it were linear.
    fn check_loads(&self) -> Result<(), Failure> {
        if self.values.is_broken() { Err(Failure::Always) } else { Ok(()) }
    }

    /// Records an iteration of a loop, from `head` to the instruction `back` that jumps there,
    /// inclusive.
    pub(crate) fn record_iteration(&mut self, head: u32, back: u32) -> Result<(), Failure> {
        self.instrs.clear();
        self.effects.clear();
        self.record_from(head, Some(back))?;
        if let Instr::NextIteration { range, .. } = self.code.instrs[back as usize] {
            or_fail(self.values.next_iteration(range))?;
        }
        self.check_loads()
    }

    fn record_from(&mut self, first: u32, back: Option<u32>) -> Result<(), Failure> {
        let (mut at, mut arms) = (first, Vec::new());
        while back != Some(at) {
            match self.record_instr(at, &mut arms)? {
                Flow::Next(next) => at = next,
                Flow::Ended if back.is_none() => break,
                Flow::Ended => return Err(Failure::ThisRound),
            }
        }
        Ok(())
    }

    pub(super) fn push(&mut self, instr: LaneInstr<'a>) -> Result<(), Failure> {
        if self.instrs.len() == MAX_INSTRS {
            return Err(Failure::Always);
        }
        self.instrs.push(instr);
        Ok(())
    }

    fn record_instr(&mut self, at: u32, arms: &mut Vec<Arm>) -> Result<Flow, Failure> {
        let code = self.code;
        match &code.instrs[at as usize] {
            Instr::Map { f, regs } => self.push(LaneInstr::Map { f: *f, regs: *regs })?,
            Instr::MapWithOne { f, regs, place, one } => {
                let (f, regs, place) = (*f, *regs, *place);
                if let Some(loaded) = self.values.loaded_number(*one) {
                    self.push(LaneInstr::MapWithLoaded { f, regs, place, loaded })?;
                    return Ok(Flow::Next(at + 1));
                }
                let (one, step) = self.values.linear_parts(*one);
                self.push(LaneInstr::MapWithOne { f, regs, place, one, step })?;
            }
            Instr::Uniform { f, slots } => or_fail(self.values.compute_constant(*f, *slots))?,
            Instr::Integer { op, slots } => or_fail(self.values.compute_integer(*op, *slots))?,
            Instr::Splat { to, from } => {
                if let Some(loaded) = self.values.loaded_number(*from) {
                    self.push(LaneInstr::SplatLoaded { to: *to, loaded })?;
                    return Ok(Flow::Next(at + 1));
                }
                let (bits, step) = self.values.linear_parts(*from);
                self.push(LaneInstr::Splat { to: *to, bits, step })?;
            }
            Instr::Spread { to, from } => self.record_spread(*to, *from)?,
            Instr::Compare { compare } => self.record_compare(&code.compares[*compare as usize])?,
            Instr::Set { local, value } => {
                self.push(LaneInstr::Copy { to: *local, from: *value })?;
            }
            Instr::Bounds { index, len, .. } => self.record_bounds(*index, *len)?,
            Instr::LoadAffine { to, from, walk, copy } => {
                self.record_load(&AffineLoad { to: *to, from: *from, walk: *walk, copy: *copy })?;
            }
            Instr::LoadUniform { to, from } => self.record_uniform_load(*to, *from)?,
            Instr::StoreAffine { value, to, walk, copy } => {
                let at = AffineLoad { to: *value, from: *to, walk: *walk, copy: *copy };
                let access = self.access_in_bounds(&at)?;
                self.push(LaneInstr::Store { value: *value, access })?;
            }
            Instr::FmaOfLoads { product } => {
                let product = &code.products[*product as usize];
                let [a, b] = &product.factors;
                self.record_load(a)?;
                self.record_load(b)?;
                let regs = [product.to, a.to, b.to, product.c];
                self.push(LaneInstr::Map { f: product.f, regs })?;
            }
            // Converged lanes have no waiting lanes to merge, and do not diverge. While undefined
            // values are tracked, nothing is replayed.
            Instr::Regather | Instr::CountDivergence { .. } | Instr::TrackUndefined { .. } => {}
            Instr::CountSegment { segment } | Instr::CountArm { segment, .. } => {
                self.effects.segments.push(*segment);
            }
            Instr::CountLoopEntry { number } => self.effects.loops.push(*number),
            Instr::Atomic { access } => self.record_sum(&code.atomics[*access as usize])?,
            Instr::CountRequest { request } => self.record_request(*request)?,
            Instr::CheckAccess { site } => self.record_check(*site)?,
            instr @ (Instr::Jump { .. }
            | Instr::JumpUnless { .. }
            | Instr::DecideIf { .. }
            | Instr::DecideLeave { .. }
            | Instr::Else
            | Instr::Enter { .. }
            | Instr::Join
            | Instr::Leave { .. }
            | Instr::End) => return self.record_control(instr, at, arms),
            // Instructions that look at lanes, synchronize threads, or have an effect other than a
            // store.
            Instr::Check { .. }
            | Instr::Load { .. }
            | Instr::Store { .. }
            | Instr::DotProducts { .. }
            | Instr::LoadLocal { .. }
            | Instr::CountLocal { .. }
            | Instr::StoreLocal { .. }
            | Instr::Fence
            | Instr::AsyncCopy { .. }
            | Instr::BulkCopy { .. }
            | Instr::TensorCopy { .. }
            | Instr::BulkStore { .. }
            | Instr::BulkCommit
            | Instr::BulkWait { .. }
            | Instr::AsyncCommit
            | Instr::AsyncWait { .. }
            | Instr::Texture { .. }
            | Instr::ActiveMask { .. }
            | Instr::Print { .. }
            | Instr::SyncGrid
            | Instr::SyncCluster
            | Instr::Barrier { .. }
            | Instr::NamedBarrier { .. }
            | Instr::WarpgroupSync
            | Instr::Wgmma { .. }
            | Instr::WgmmaWait { .. }
            | Instr::MBarrierArrive { .. }
            | Instr::MBarrierWait { .. }
            | Instr::Warp { .. }
            | Instr::BackEdge { .. }
            | Instr::NextIteration { .. }
            | Instr::If { .. }
            | Instr::Panic { .. }
            | Instr::CountedLeave { .. }
            | Instr::CheckFence { .. }
            | Instr::Yield
            | Instr::Change { .. }
            | Instr::DebugPoint { .. } => return Err(Failure::Always),
        }
        Ok(Flow::Next(at + 1))
    }

    /// Records an instruction that decides control flow.
    fn record_control(
        &mut self,
        instr: &Instr,
        at: u32,
        arms: &mut Vec<Arm>,
    ) -> Result<Flow, Failure> {
        let code = self.code;
        if let Instr::Jump { to } = instr {
            return Ok(Flow::Next(*to));
        } else if let Instr::JumpUnless { cond, to } = instr {
            let cond = or_fail(self.values.constant_bits(*cond))?;
            return Ok(Flow::Next(if cond == 0 { *to } else { at + 1 }));
        } else if let Instr::DecideIf { decision, then, other, join } = instr {
            let (join, may_clip) = (*join, other == join);
            let Some(all) = self.decide_or_clip(*decision, may_clip.then_some(true))? else {
                arms.push(Arm { join, is_clipped: true });
                return Ok(Flow::Next(*then));
            };
            // Skips to the second arm if no lane is in the first; if there is none, to the end.
            if all || other != &join {
                arms.push(Arm { join, is_clipped: false });
            }
            return Ok(Flow::Next(if all { *then } else { *other + 1 }));
        } else if let Instr::DecideLeave { decision, stay, after } = instr {
            let leave = code.instrs[*after as usize - 1];
            let returns = matches!(leave, Instr::Leave { to: Leave::Return, .. });
            let all = self.decide_or_clip(*decision, returns.then_some(*stay))?;
            if all.is_none_or(|all| all == *stay) {
                return Ok(Flow::Next(*after));
            }
            return if returns { Ok(Flow::Ended) } else { Err(Failure::ThisRound) };
        } else if let Instr::Else = instr {
            let arm = arms.last().ok_or(Failure::Always)?;
            return Ok(Flow::Next(arm.join));
        } else if let Instr::Enter { join, .. } = instr {
            arms.push(Arm { join: *join, is_clipped: false });
        } else if let Instr::Join = instr {
            let arm = arms.pop().ok_or(Failure::Always)?;
            if arm.is_clipped {
                // The lanes that took no part would continue here.
                or_fail(self.ends_without_effect(at + 1).then_some(()))?;
                return Ok(Flow::Ended);
            }
        } else if let Instr::Leave { to: Leave::Return, when: When::Always } | Instr::End = instr {
            return Ok(Flow::Ended);
        } else {
            return Err(Failure::Always);
        }
        Ok(Flow::Next(at + 1))
    }

    /// Returns the value of a condition, if it is the same in every lane, and `None` if not: then
    /// only the lanes in which it is `clipped_to` take part in the rest of the round.
    fn decide_or_clip(
        &mut self,
        decision: u32,
        clipped_to: Option<bool>,
    ) -> Result<Option<bool>, Failure> {
        let (terms, compares) = (&self.code.decisions[decision as usize], &self.code.compares);
        let rounds = self.values.rounds();
        let known = self.values.decide_condition(terms, compares, self.bound, self.group);
        let has_stored = || self.instrs.iter().any(LaneInstr::has_effect);
        let (Some(clips), Some(holds)) = (&mut self.clips, clipped_to) else {
            return or_fail(known).map(Some);
        };
        let is_enough = known.is_some() && (self.values.rounds() == rounds || !clips.is_early);
        if is_enough
            || has_stored()
            || clips.add_condition((terms, compares), holds, self.values).is_none()
        {
            return or_fail(known).map(Some);
        }
        self.values.restore_rounds(rounds);
        Ok(None)
    }

    fn is_clipped(&self) -> bool {
        self.clips.as_ref().is_some_and(|clips| !clips.is_empty())
    }

    /// Returns true if no instruction from this one on does anything but end the round.
    fn ends_without_effect(&self, mut at: u32) -> bool {
        while let Instr::Join = self.code.instrs[at as usize] {
            at += 1;
        }
        let last = &self.code.instrs[at as usize];
        matches!(last, Instr::End | Instr::Leave { to: Leave::Return, when: When::Always })
    }

    fn record_spread(&mut self, to: Reg, from: Affine) -> Result<(), Failure> {
        let (base, step) = self.values.linear_parts(from.base);
        self.push(LaneInstr::Spread { to, slope: from.lanes, base, step })
    }

    fn record_compare(&mut self, compare: &Compare) -> Result<(), Failure> {
        let Compare { value, with, to, f, lanes: [left, right], .. } = *compare;
        let reach = self.bound.reach(value.slope, self.group);
        if let Some(all) = self.values.decide_compare(compare, reach) {
            return self.push(LaneInstr::Splat { to, bits: all.into(), step: 0 });
        }
        self.record_spread(left, value)?;
        let (bits, step) = self.values.linear_parts(with);
        self.push(LaneInstr::Splat { to: right, bits, step })?;
        self.push(LaneInstr::Map { f, regs: [to, left, right, right] })
    }

    fn record_bounds(&mut self, index: Operand, len: Operand) -> Result<(), Failure> {
        let Operand::Uniform(len) = len else { return Err(Failure::Always) };
        if let (Operand::Affine(index), true) = (index, self.is_clipped()) {
            let len = or_fail(self.values.constant_bits(len))?;
            let last = or_fail(len.checked_sub(1))?;
            return self.limit_clipped(index, last).map(|_| ());
        }
        let greatest = match index {
            Operand::Affine(index) => {
                let reach = self.bound.reach(index.slope, self.group);
                or_fail(self.values.lane_range(index, reach))?.1
            }
            Operand::Uniform(index) => self.values.unsigned(index),
            Operand::Lanes(_) => return Err(Failure::Always),
        };
        or_fail(self.values.is_below(greatest, len))
    }

    /// Records a load for all lanes, of a word that is in bounds.
    fn record_uniform_load(&mut self, to: Uniform, from: Address<Uniform>) -> Result<(), Failure> {
        let (cells, at) = match from {
            Address::Element { buffer, index, stride, offset } => {
                let Linear { at, step } = self.values.unsigned(index);
                let stride = i128::from(stride);
                let line = at.checked_mul(stride).zip(step.checked_mul(stride));
                let line = line.and_then(|(at, step)| {
                    Some(Linear { at: at.checked_add(offset.into())?, step })
                });
                (or_fail(self.buffer_cells(buffer))?, or_fail(line)?)
            }
            Address::Pointer { ptr, offset } => {
                let (buffer, at) = resolve(or_fail(self.values.constant_bits(ptr))?);
                let at = i128::from(or_fail(at.checked_add(offset))?);
                (or_fail(self.buffer_cells(buffer))?, Linear { at, step: 0 })
            }
        };
        let (size, reach) = (to.size(), OffsetBounds { min: 0, max: 0 });
        or_fail(cells.allows(size).then_some(()))?;
        or_fail(self.values.is_inside(at, reach, size, cells.len()))?;
        let loaded = self.values.mark_loaded(to).ok_or(Failure::Always)?;
        let (at, step) = (at.at as u64, at.step as u64);
        self.push(LaneInstr::LoadOnce { loaded, word: UniformWord { cells, at, step, size } })
    }

    /// Records atomic sums with elements of one buffer that are all in bounds, whatever the indices
    /// are.
    fn record_sum(&mut self, atomic: &Atomic) -> Result<(), Failure> {
        let Atomic { kind, at, size, ordered: false, max_index: Some(max_index) } = *atomic else {
            return Err(Failure::Always);
        };
        let AtomicKind::Update { to, value, adds: true, .. } = kind else {
            return Err(Failure::Always);
        };
        let Address::Element { buffer, index: Operand::Lanes(index), stride, offset } = at else {
            return Err(Failure::Always);
        };
        let by = match value {
            Operand::Lanes(by) => Summand::Lanes(by),
            Operand::Uniform(by) => {
                let (bits, step) = self.values.linear_parts(by);
                Summand::One { bits, step }
            }
            Operand::Affine(_) => return Err(Failure::Always),
        };
        let cells =
            or_fail(self.buffer_cells(buffer).and_then(|cells| cells.starting_at(offset, size)))?;
        or_fail(is_inside(cells, max_index, (stride, size)).then_some(()))?;
        self.push(LaneInstr::Add { to, sum: AtomicSum { cells, size, stride, index, by } })
    }

    fn record_load(&mut self, loaded: &AffineLoad) -> Result<(), Failure> {
        let access = self.access_in_bounds(loaded)?;
        self.push(LaneInstr::Load { to: loaded.to, access })
    }

    /// Returns an access whose words are all in bounds.
    fn access_in_bounds(
        &mut self,
        AffineLoad { to, from, walk, copy }: &AffineLoad,
    ) -> Result<Access<'a>, Failure> {
        let walk = self.bound.walk(*walk, self.group);
        if let (Address::Element { buffer, index, stride, offset }, true) =
            (*from, self.is_clipped())
        {
            let greatest = i64::MAX.cast_unsigned().checked_sub(offset);
            let limit = or_fail(greatest.and_then(|greatest| greatest.checked_div(stride)))?;
            let (at, step) = self.limit_clipped(index, limit)?;
            let at = at.wrapping_mul(stride).wrapping_add(offset).cast_signed();
            let step = step.wrapping_mul(stride).cast_signed();
            let cells = or_fail(self.buffer_cells(buffer))?;
            return Ok(Access { cells, at, step, walk, copy: *copy });
        }
        let (cells, at) = or_fail(self.access_window(*from))?;
        let fits = walk.is_aligned() && cells.allows(to.size());
        or_fail(fits.then_some(()))?;
        or_fail(self.values.is_inside(at, walk.reach(), to.size(), cells.len()))?;
        // An offset that is in bounds fits in 64 bits.
        let [at, step] = [at.at, at.step].map(i64::try_from);
        let (at, step) = (or_fail(at.ok())?, or_fail(step.ok())?);
        Ok(Access { cells, at, step, walk, copy: *copy })
    }

    /// Requires a value to be at most `limit` in the lanes that take part; returns its base in the
    /// first round, and the increment per round.
    fn limit_clipped(&mut self, value: Affine, limit: u64) -> Result<(u64, u64), Failure> {
        let clips = or_fail(self.clips.as_deref_mut())?;
        Ok(clips.add_limit(value, limit, self.values))
    }

    /// Returns the bytes that lanes access, and the offset where the walk begins.
    fn access_window(&mut self, address: Address<Affine>) -> Option<(Cells<'a>, Linear)> {
        match address {
            Address::Element { buffer, index, stride, offset } => {
                if index.base.size() < 8 {
                    self.values.lane_range(index, self.bound.reach(index.slope, self.group))?;
                }
                let Linear { at, step } = self.values.unsigned(index.base);
                let stride = i128::from(stride);
                let (at, step) = (at.checked_mul(stride)?, step.checked_mul(stride)?);
                let at = at.checked_add(offset.into())?;
                Some((self.buffer_cells(buffer)?, Linear { at, step }))
            }
            Address::Pointer { ptr, offset } => {
                let (buffer, at) = resolve(self.values.constant_bits(ptr.base)?);
                let at = i128::from(at.checked_add(offset)?);
                Some((self.buffer_cells(buffer)?, Linear { at, step: 0 }))
            }
        }
    }

    /// Returns the bytes of a buffer.
    fn buffer_cells(&self, buffer: u16) -> Option<Cells<'a>> {
        let (buffer, params) = (usize::from(buffer), self.code.params.len());
        if buffer < params {
            return self.bound.cells[buffer];
        }
        let access = self.code.shared.get(buffer - params)?.access;
        Some(self.shared.get(buffer - params)?.cells(access))
    }
}
