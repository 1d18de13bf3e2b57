//! Goes through the steps of a round once, for all rounds that take the same.
use super::{
    Noted, Numbers,
    lane_instrs::{Access, Adding, LaneInstr, OneWord, Summand, is_inside},
    linear::Line,
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

/// More operations on lanes are not worth a list.
const MOST_STEPS: usize = 256;

/// Why rounds cannot be gone through together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fails {
    /// This one cannot; others may.
    Here,
    /// A step is not one for this.
    Ever,
}

/// What stops the walk, as an `Option` or a comparison says it.
pub(super) fn here<T>(known: Option<T>) -> Result<T, Fails> {
    known.ok_or(Fails::Here)
}

/// How to go on after a step.
enum On {
    /// There.
    At(u32),
    /// The round is over.
    Ended,
}

/// An arm of an `if` that all lanes are in.
#[derive(Clone, Copy)]
struct Arm {
    join: u32,
}

/// What goes through the steps of a group's round.
pub(crate) struct Trace<'t, 'a> {
    pub(crate) code: &'a Code,
    pub(crate) bound: &'a Bound<'a>,
    /// The block's shared arrays, where they are one block's in all rounds.
    pub(crate) shared: &'a [Memory],
    pub(crate) group: usize,
    pub(crate) numbers: &'t mut Numbers,
    pub(crate) steps: &'t mut Vec<LaneInstr<'a>>,
    pub(crate) noted: &'t mut Noted,
    /// Whether lanes that run a loop together have gone round as often.
    pub(crate) in_step: bool,
    /// Whether all of shared memory has been written, if that is checked.
    pub(crate) is_defined: bool,
}

impl<'a> Trace<'_, 'a> {
    /// Goes through a whole block.
    pub(crate) fn block(&mut self) -> Result<(), Fails> {
        self.steps.clear();
        self.noted.clear();
        for (reg, preset) in &self.code.preset {
            match preset {
                Preset::Zero => self.push(LaneInstr::Splat { to: *reg, bits: 0, step: 0 })?,
                Preset::Splat(..) | Preset::Builtin(_) | Preset::Slope(_) => {
                    if preset.is_of_block() {
                        return Err(Fails::Ever);
                    }
                }
            }
        }
        self.walk(0, None)?;
        self.is_whole()
    }

    /// Fails if something was found out of a value that each round loads.
    fn is_whole(&self) -> Result<(), Fails> {
        if self.numbers.is_broken() { Err(Fails::Ever) } else { Ok(()) }
    }

    /// Goes through an iteration of a loop, from `head` to the step `back` that jumps there, which it does.
    pub(crate) fn iteration(&mut self, head: u32, back: u32) -> Result<(), Fails> {
        self.steps.clear();
        self.noted.clear();
        self.walk(head, Some(back))?;
        if let Instr::NextIteration { range, .. } = self.code.instrs[back as usize] {
            here(self.numbers.next(range))?;
        }
        self.is_whole()
    }

    fn walk(&mut self, first: u32, back: Option<u32>) -> Result<(), Fails> {
        let (mut at, mut arms) = (first, Vec::new());
        while back != Some(at) {
            match self.step(at, &mut arms)? {
                On::At(next) => at = next,
                On::Ended if back.is_none() => break,
                On::Ended => return Err(Fails::Here),
            }
        }
        Ok(())
    }

    pub(super) fn push(&mut self, step: LaneInstr<'a>) -> Result<(), Fails> {
        if self.steps.len() == MOST_STEPS {
            return Err(Fails::Ever);
        }
        self.steps.push(step);
        Ok(())
    }

    fn step(&mut self, at: u32, arms: &mut Vec<Arm>) -> Result<On, Fails> {
        let code = self.code;
        match &code.instrs[at as usize] {
            Instr::Map { f, regs } => self.push(LaneInstr::Map { f: *f, regs: *regs })?,
            Instr::MapWithOne { f, regs, place, one } => {
                let (f, regs, place) = (*f, *regs, *place);
                if let Some(loaded) = self.numbers.loaded(*one) {
                    self.push(LaneInstr::MapWithLoaded { f, regs, place, loaded })?;
                    return Ok(On::At(at + 1));
                }
                let (one, step) = self.numbers.steps(*one);
                self.push(LaneInstr::MapWithOne { f, regs, place, one, step })?;
            }
            Instr::Uniform { f, slots } => here(self.numbers.compute(*f, *slots))?,
            Instr::Integer { op, slots } => here(self.numbers.integer(*op, *slots))?,
            Instr::Splat { to, from } => {
                if let Some(loaded) = self.numbers.loaded(*from) {
                    self.push(LaneInstr::SplatLoaded { to: *to, loaded })?;
                    return Ok(On::At(at + 1));
                }
                let (bits, step) = self.numbers.steps(*from);
                self.push(LaneInstr::Splat { to: *to, bits, step })?;
            }
            Instr::Spread { to, from } => self.spread(*to, *from)?,
            Instr::Compare { compare } => self.compare(&code.compares[*compare as usize])?,
            Instr::Set { local, value } => {
                self.push(LaneInstr::Copy { to: *local, from: *value })?;
            }
            Instr::Bounds { index, len, .. } => self.bounds(*index, *len)?,
            Instr::LoadAffine { to, from, walk, copy } => {
                self.load(&AffineLoad { to: *to, from: *from, walk: *walk, copy: *copy })?;
            }
            Instr::LoadUniform { to, from } => self.load_once(*to, *from)?,
            Instr::StoreAffine { value, to, walk, copy } => {
                let at = AffineLoad { to: *value, from: *to, walk: *walk, copy: *copy };
                let access = self.access(&at)?;
                self.push(LaneInstr::Store { value: *value, access })?;
            }
            Instr::FmaOfLoads { product } => {
                let product = &code.products[*product as usize];
                let [a, b] = &product.factors;
                self.load(a)?;
                self.load(b)?;
                let regs = [product.to, a.to, b.to, product.c];
                self.push(LaneInstr::Map { f: product.f, regs })?;
            }
            // Lanes that run together have nobody to take in, and nobody parts. Where something undefined is followed,
            // nothing runs alike.
            Instr::Regather | Instr::CountDivergence { .. } | Instr::TrackUndefined { .. } => {}
            Instr::CountSegment { segment } | Instr::CountArm { segment, .. } => {
                self.noted.segments.push(*segment);
            }
            Instr::CountLoopEntry { number } => self.noted.loops.push(*number),
            Instr::Atomic { access } => self.add(&code.atomics[*access as usize])?,
            Instr::CountRequest { request } => self.request(*request)?,
            Instr::CheckAccess { site } => self.watch(*site)?,
            step @ (Instr::Jump { .. }
            | Instr::JumpUnless { .. }
            | Instr::DecideIf { .. }
            | Instr::DecideLeave { .. }
            | Instr::Else
            | Instr::Enter { .. }
            | Instr::Join
            | Instr::Leave { .. }
            | Instr::End) => return self.control(step, at, arms),
            // What looks at lanes, meets other threads, or has an effect that is no store.
            Instr::Check { .. }
            | Instr::Load { .. }
            | Instr::Store { .. }
            | Instr::DotProducts { .. }
            | Instr::LoadLocal { .. }
            | Instr::StoreLocal { .. }
            | Instr::Fence
            | Instr::ActiveMask { .. }
            | Instr::Print { .. }
            | Instr::SyncGrid
            | Instr::Barrier { .. }
            | Instr::Warp { .. }
            | Instr::BackEdge { .. }
            | Instr::NextIteration { .. }
            | Instr::If { .. }
            | Instr::Panic { .. }
            | Instr::CountedLeave { .. }
            | Instr::CheckFence { .. }
            | Instr::Yield
            | Instr::Change { .. }
            | Instr::DebugPoint { .. } => return Err(Fails::Ever),
        }
        Ok(On::At(at + 1))
    }

    /// Where a step leads that decides that.
    fn control(&mut self, step: &Instr, at: u32, arms: &mut Vec<Arm>) -> Result<On, Fails> {
        let code = self.code;
        if let Instr::Jump { to } = step {
            return Ok(On::At(*to));
        } else if let Instr::JumpUnless { cond, to } = step {
            let cond = here(self.numbers.same(*cond))?;
            return Ok(On::At(if cond == 0 { *to } else { at + 1 }));
        } else if let Instr::DecideIf { decision, then, other, join } = step {
            if here(self.decide(*decision))? {
                arms.push(Arm { join: *join });
                return Ok(On::At(*then));
            }
            // Straight to the second arm; if there is none, behind it all.
            if other != join {
                arms.push(Arm { join: *join });
            }
            return Ok(On::At(*other + 1));
        } else if let Instr::DecideLeave { decision, stay, behind } = step {
            if here(self.decide(*decision))? == *stay {
                return Ok(On::At(*behind));
            }
            let Instr::Leave { to: Leave::Return, .. } = code.instrs[*behind as usize - 1] else {
                return Err(Fails::Here);
            };
            return Ok(On::Ended);
        } else if let Instr::Else = step {
            let arm = arms.last().ok_or(Fails::Ever)?;
            return Ok(On::At(arm.join));
        } else if let Instr::Enter { join, .. } = step {
            arms.push(Arm { join: *join });
        } else if let Instr::Join = step {
            arms.pop().ok_or(Fails::Ever)?;
        } else if let Instr::Leave { to: Leave::Return, when: When::Always } | Instr::End = step {
            return Ok(On::Ended);
        } else {
            return Err(Fails::Ever);
        }
        Ok(On::At(at + 1))
    }

    fn decide(&mut self, decision: u32) -> Option<bool> {
        let terms = &self.code.decisions[decision as usize];
        self.numbers.decide(terms, &self.code.compares, self.bound, self.group)
    }

    fn spread(&mut self, to: Reg, from: Affine) -> Result<(), Fails> {
        let (base, step) = self.numbers.steps(from.base);
        self.push(LaneInstr::Spread { to, slope: from.lanes, base, step })
    }

    fn compare(&mut self, compare: &Compare) -> Result<(), Fails> {
        let Compare { value, with, to, f, lanes: [left, right], .. } = *compare;
        let reach = self.bound.reach(value.slope, self.group);
        if let Some(all) = self.numbers.verdict(compare, reach) {
            return self.push(LaneInstr::Splat { to, bits: all.into(), step: 0 });
        }
        self.spread(left, value)?;
        let (bits, step) = self.numbers.steps(with);
        self.push(LaneInstr::Splat { to: right, bits, step })?;
        self.push(LaneInstr::Map { f, regs: [to, left, right, right] })
    }

    fn bounds(&mut self, index: Operand, len: Operand) -> Result<(), Fails> {
        let Operand::Uniform(len) = len else { return Err(Fails::Ever) };
        let greatest = match index {
            Operand::Affine(index) => {
                let reach = self.bound.reach(index.slope, self.group);
                here(self.numbers.span(index, reach))?.1
            }
            Operand::Uniform(index) => self.numbers.get(index),
            Operand::Lanes(_) => return Err(Fails::Ever),
        };
        here(self.numbers.is_below(greatest, len))
    }

    /// A load for all lanes, of a word that is inside.
    fn load_once(&mut self, to: Uniform, from: Address<Uniform>) -> Result<(), Fails> {
        let (cells, at) = match from {
            Address::Element { buffer, index, stride, offset } => {
                let Line { at, step } = self.numbers.get(index);
                let stride = i128::from(stride);
                let line = at.checked_mul(stride).zip(step.checked_mul(stride));
                let line = line
                    .and_then(|(at, step)| Some(Line { at: at.checked_add(offset.into())?, step }));
                (here(self.cells(buffer))?, here(line)?)
            }
            Address::Pointer { ptr, offset } => {
                let (buffer, at) = resolve(here(self.numbers.same(ptr))?);
                let at = i128::from(here(at.checked_add(offset))?);
                (here(self.cells(buffer))?, Line { at, step: 0 })
            }
        };
        let (size, reach) = (to.size(), OffsetBounds { min: 0, max: 0 });
        here(cells.allows(size).then_some(()))?;
        here(self.numbers.is_inside(at, reach, size, cells.len()))?;
        let loaded = self.numbers.load(to).ok_or(Fails::Ever)?;
        let (at, step) = (at.at as u64, at.step as u64);
        self.push(LaneInstr::LoadOnce { loaded, word: OneWord { cells, at, step, size } })
    }

    /// Adds to elements of one buffer that are all inside, whatever their indices are.
    fn add(&mut self, atomic: &Atomic) -> Result<(), Fails> {
        let Atomic { what, at, size, ordered: false, max_index: Some(max_index) } = *atomic else {
            return Err(Fails::Ever);
        };
        let AtomicKind::Update { to, value, adds: true, .. } = what else {
            return Err(Fails::Ever);
        };
        let Address::Element { buffer, index: Operand::Lanes(index), stride, offset } = at else {
            return Err(Fails::Ever);
        };
        let by = match value {
            Operand::Lanes(by) => Summand::Lanes(by),
            Operand::Uniform(by) => {
                let (bits, step) = self.numbers.steps(by);
                Summand::One { bits, step }
            }
            Operand::Affine(_) => return Err(Fails::Ever),
        };
        let cells = here(self.cells(buffer).and_then(|cells| cells.starting_at(offset, size)))?;
        here(is_inside(cells, max_index, (stride, size)).then_some(()))?;
        self.push(LaneInstr::Add { to, adding: Adding { cells, size, stride, index, by } })
    }

    fn load(&mut self, loaded: &AffineLoad) -> Result<(), Fails> {
        let access = self.access(loaded)?;
        self.push(LaneInstr::Load { to: loaded.to, access })
    }

    /// An access whose words are all inside.
    fn access(
        &mut self,
        AffineLoad { to, from, walk, copy }: &AffineLoad,
    ) -> Result<Access<'a>, Fails> {
        let walk = self.bound.walk(*walk, self.group);
        let (cells, at) = here(self.window(*from))?;
        let fits = walk.is_aligned() && cells.allows(to.size());
        here(fits.then_some(()))?;
        here(self.numbers.is_inside(at, walk.reach(), to.size(), cells.len()))?;
        // What is inside is so far behind the first byte at most.
        let [at, step] = [at.at, at.step].map(i64::try_from);
        let (at, step) = (here(at.ok())?, here(step.ok())?);
        Ok(Access { cells, at, step, walk, copy: *copy })
    }

    /// The bytes that lanes access, and where in them the walk begins.
    fn window(&mut self, address: Address<Affine>) -> Option<(Cells<'a>, Line)> {
        match address {
            Address::Element { buffer, index, stride, offset } => {
                if index.base.size() < 8 {
                    self.numbers.span(index, self.bound.reach(index.slope, self.group))?;
                }
                let Line { at, step } = self.numbers.get(index.base);
                let stride = i128::from(stride);
                let (at, step) = (at.checked_mul(stride)?, step.checked_mul(stride)?);
                let at = at.checked_add(offset.into())?;
                Some((self.cells(buffer)?, Line { at, step }))
            }
            Address::Pointer { ptr, offset } => {
                let (buffer, at) = resolve(self.numbers.same(ptr.base)?);
                let at = i128::from(at.checked_add(offset)?);
                Some((self.cells(buffer)?, Line { at, step: 0 }))
            }
        }
    }

    /// The bytes of a buffer.
    fn cells(&self, buffer: u16) -> Option<Cells<'a>> {
        let (buffer, params) = (usize::from(buffer), self.code.params.len());
        if buffer < params {
            return self.bound.cells[buffer];
        }
        let access = self.code.shared.get(buffer - params)?.access;
        Some(self.shared.get(buffer - params)?.cells(access))
    }
}
