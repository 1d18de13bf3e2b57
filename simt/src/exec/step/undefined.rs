//! Following values that nobody has written: through what is computed of them, to where it matters.
//!
//! Values are followed through the steps behind each other all at once, and only if there are undefined ones. What lanes
//! of a warp hand each other is followed where they do ([`UndefinedValues::propagate_collective`]).
use super::Exec;
use crate::{
    bytecode::{Address, AtomicKind, Compare, Instr, Operand, OperandChoice, When},
    observe::sanitizer::{
        BlockChecks, LaunchChecks,
        access_log::{Access, AccessLog},
        defined::RepeatedAccess,
        finding::Use,
        raw_findings::{UndefinedOrigin, UndefinedSource},
        undefined::{UndefinedLanes, UndefinedValues},
    },
    vector::{
        lanes,
        mask::Mask,
        registers::{Reg, Uniform},
    },
};

impl Exec<'_> {
    /// What the steps since `from` have done to undefined values, and what the next one does with them.
    pub(super) fn follow(&mut self, from: u32) {
        let Some(checks) = self.checks.take() else { return };
        if checks.undefined.has_private() {
            let next = self.strand.at as usize;
            for step in &self.code.instrs[from as usize..next - 1] {
                self.spread(&mut checks.undefined, step);
            }
            let choices = &self.code.choices;
            if let Ok(at) = choices.binary_search_by_key(&(next as u32), |(at, _)| *at) {
                self.choose(&mut checks.undefined, next, choices[at].1);
            }
            if let Some((undefined, how)) = self.use_of(&mut checks.undefined, next)
                && let Some(undefined) = undefined.restrict_to(self.strand.active())
            {
                checks.add_undefined_use(undefined, how, next);
            }
        }
        self.checks = Some(checks);
    }

    /// Whether something undefined is followed, from step to step.
    #[inline(always)]
    pub(super) fn follows(&self) -> bool {
        self.checks.as_ref().is_some_and(|checks| checks.undefined.has_private())
    }

    /// What is undefined of an operand.
    fn undefined(&self, among: &UndefinedValues, operand: Operand) -> Option<UndefinedLanes> {
        among.operand(self.place.first_thread, operand)
    }

    /// What a step computes of undefined values is undefined.
    fn spread(&self, among: &mut UndefinedValues, step: &Instr) {
        let (group, active) = (self.place.first_thread, self.strand.active());
        if let Instr::Map { regs: [to, a, b, c], .. } = step {
            let of = [a, b, c].map(|reg| among.register(group, *reg));
            let all = of.into_iter().fold(None, UndefinedLanes::union);
            among.set_register(group, *to, active, all);
        } else if let Instr::MapWithOne { regs: [to, a, b, c], one, .. } = step {
            let of = [a, b, c].map(|reg| among.register(group, *reg));
            let one = among.uniform(group, *one).and_then(|one| one.restrict_to(active));
            among.set_register(group, *to, active, of.into_iter().fold(one, UndefinedLanes::union));
        } else if let Instr::Set { local, value } = step {
            among.set_register(group, *local, active, among.register(group, *value));
        } else if let Instr::Splat { to, from } = step {
            among.set_register(group, *to, active, among.uniform(group, *from));
        } else if let Instr::Spread { to, from } = step {
            among.set_register(group, *to, active, among.uniform(group, from.base));
        } else if let Instr::Compare { compare } = step {
            let Compare { to, value, with, .. } = &self.code.compares[*compare as usize];
            let [value, with] = [value.base, *with].map(|uniform| among.uniform(group, uniform));
            among.set_register(group, *to, active, UndefinedLanes::union(value, with));
        } else if let Instr::Uniform { slots: [to, a, b, c], .. }
        | Instr::Integer { slots: [to, a, b, c], .. } = step
        {
            let of = [a, b, c].map(|slot| among.uniform(group, *slot));
            let all = of.into_iter().fold(None, UndefinedLanes::union);
            among.set_uniform(group, *to, active, all.and_then(|all| all.restrict_to(active)));
        }
    }

    /// What the step `at` makes of operands of which not all matter.
    fn choose(&self, among: &mut UndefinedValues, at: usize, choice: OperandChoice) {
        match choice {
            OperandChoice::Select => self.select(among, at),
            OperandChoice::Or => self.settle(among, at, true),
            OperandChoice::And => self.settle(among, at, false),
        }
    }

    /// What the step `at` makes of two operands is undefined where one is and the other is not `by`, which decides.
    fn settle(&self, among: &mut UndefinedValues, at: usize, by: bool) {
        let (group, active) = (self.place.first_thread, self.strand.active());
        if let Instr::Map { regs: [to, a, b, _], .. } = &self.code.instrs[at] {
            let [one, other] = [*a, *b].map(|reg| among.register(group, reg));
            let mut open = active;
            for (reg, undefined) in [(*a, &one), (*b, &other)] {
                let truths = self.registers.true_lanes(reg, active);
                let decides = if by { truths } else { active.without(truths) };
                let undefined = undefined.as_ref().map_or(Mask::EMPTY, |it| it.lanes);
                open.remove(decides.without(undefined));
            }
            let all = UndefinedLanes::union(one, other).and_then(|all| all.restrict_to(open));
            among.set_register(group, *to, active, all);
        } else if let Instr::Uniform { slots: [to, a, b, _], .. } = &self.code.instrs[at] {
            let [one, other] = [*a, *b].map(|slot| among.uniform(group, slot));
            let decides = |slot: &Uniform| (slot.get(&self.strand.uniforms) != 0) == by;
            let is_decided = one.is_none() && decides(a) || other.is_none() && decides(b);
            let all = if is_decided { None } else { UndefinedLanes::union(one, other) };
            among.set_uniform(group, *to, active, all.and_then(|all| all.restrict_to(active)));
        }
    }

    /// What the step `at` selects is undefined where the condition is, or the value that it selects.
    fn select(&self, among: &mut UndefinedValues, at: usize) {
        let (group, active) = (self.place.first_thread, self.strand.active());
        if let Instr::Map { regs: [to, cond, then, other], .. } = &self.code.instrs[at] {
            let truths = self.registers.true_lanes(*cond, active);
            let of = |reg, lanes: Mask| among.register(group, reg)?.restrict_to(lanes);
            let chosen =
                UndefinedLanes::union(of(*then, truths), of(*other, active.without(truths)));
            among.set_register(
                group,
                *to,
                active,
                UndefinedLanes::union(of(*cond, active), chosen),
            );
        } else if let Instr::Uniform { slots: [to, cond, then, other], .. } = &self.code.instrs[at]
        {
            let chosen = if cond.get(&self.strand.uniforms) != 0 { then } else { other };
            let either =
                UndefinedLanes::union(among.uniform(group, *cond), among.uniform(group, *chosen));
            among.set_uniform(
                group,
                *to,
                active,
                either.and_then(|either| either.restrict_to(active)),
            );
        }
    }

    /// What the step `at` needs of undefined values, if it needs one.
    fn use_of(&self, among: &mut UndefinedValues, at: usize) -> Option<(UndefinedLanes, Use)> {
        let (group, active) = (self.place.first_thread, self.strand.active());
        let step = &self.code.instrs[at];
        if let Instr::If { cond, .. } = step {
            return Some((among.register(group, *cond)?, Use::Branch));
        } else if let Instr::Leave { when: When::If(cond) | When::Unless(cond), .. } = step {
            return Some((among.register(group, *cond)?, Use::Branch));
        } else if let Instr::JumpUnless { cond, .. } = step {
            return Some((among.uniform(group, *cond)?, Use::Branch));
        } else if let Instr::NextIteration { range, .. } = step {
            let [end, step] = [range.end, range.step].map(|bound| among.uniform(group, bound));
            return Some((UndefinedLanes::union(end, step)?, Use::Branch));
        } else if let Instr::Check { cond, .. } = step {
            return Some((self.undefined(among, *cond)?, Use::Branch));
        } else if let Instr::Bounds { index, .. } = step {
            return Some((self.undefined(among, *index)?, Use::Address));
        } else if let Instr::LoadLocal { to, from } = step {
            let address = self.undefined(among, from.index());
            self.load_undefined(among, *to, *from);
            return Some((address?, Use::Address));
        } else if let Instr::StoreLocal { value, to } = step {
            let address = self.undefined(among, to.index());
            self.store_undefined(among, *value, *to);
            return Some((address?, Use::Address));
        } else if let Instr::Warp { mask: Some(mask), .. } = step {
            return Some((self.undefined(among, *mask)?, Use::Mask));
        } else if let Instr::ActiveMask { to } = step {
            among.set_register(group, *to, active, None);
        }
        None
    }

    /// Lanes load from arrays of their own.
    fn load_undefined(&self, among: &mut UndefinedValues, to: Reg, from: Address<Operand>) {
        let (group, active) = (self.place.first_thread, self.strand.active());
        let of = |lane: usize| {
            let source =
                among.array_source(group, self.place_of(from, lane)?, (to.size(), lane))?;
            Some((lane as u32, source))
        };
        let loaded = UndefinedLanes::from_sources(active.lanes().filter_map(of).collect());
        among.set_register(group, to, active, loaded);
    }

    /// Lanes store in arrays of their own.
    fn store_undefined(&self, among: &mut UndefinedValues, value: Reg, to: Address<Operand>) {
        let (group, active) = (self.place.first_thread, self.strand.active());
        let stored = among.register(group, value);
        for lane in active.lanes() {
            let one = Mask::of_warp(lane / 32, 1 << (lane % 32));
            if let Some(place) = self.place_of(to, lane) {
                among.set_array(group, place, (value.size(), one), stored.as_ref());
            }
        }
    }

    /// What an access of shared or global memory does with undefined values, before it is made.
    pub(super) fn define(&self, checks: &mut BlockChecks, log: &AccessLog, access: &Access) {
        let Some(launch) = &self.bound.checks else { return };
        let site = &self.code.sites[access.site as usize];
        let (group, at) = (self.place.first_thread, self.strand.at as usize);
        let among = |undefined: Option<UndefinedLanes>| undefined?.restrict_to(access.lanes);
        let stored = among(site.value.and_then(|reg| checks.undefined.register(group, reg)));
        if let Some(brought) = among(self.brought(&checks.undefined, at)) {
            checks.add_undefined_use(
                brought,
                if site.is_shared { Use::Atomic } else { Use::Output },
                at,
            );
        }
        if let Some(address) = among(self.undefined(&checks.undefined, site.at.index())) {
            checks.add_undefined_use(address, Use::Address, at);
        }
        let mut read = None;
        if site.is_shared {
            let all_defined = stored.is_none()
                && launch.all_run_cells(site, log, access, |cells| {
                    let undefined = &mut checks.undefined;
                    let are = !site.reads || undefined.defined.contains_all(cells.clone());
                    if are && site.kind.writes() {
                        undefined.define(cells);
                    }
                    are
                });
            if !all_defined {
                read = self.define_lanes(checks, access, stored.as_ref());
            }
            checks.undefined.defined.record(&(*access, 0, 1), all_defined);
        } else if let Some(stored) = stored {
            checks.add_undefined_use(stored, Use::Output, at);
        }
        if let (Some(read), Some(_)) = (read.clone(), site.atomic) {
            checks.add_undefined_use(read, Use::Atomic, at);
        }
        self.loaded(&mut checks.undefined, at, read);
    }

    /// Returns true if accesses of shared memory only do what they did in an earlier block: they read and write what is
    /// defined. Otherwise what was replayed before them is made up for.
    pub(super) fn replay(
        &self,
        undefined: &mut UndefinedValues,
        rounds: &RepeatedAccess,
        launch: &LaunchChecks<'_>,
    ) -> bool {
        if !undefined.has_private() && undefined.defined.replay(rounds) {
            return true;
        }
        let none = AccessLog::default();
        for (access, _, _) in undefined.defined.end_replay() {
            // What is repeated in rounds only reads.
            let site = &self.code.sites[access.site as usize];
            if site.kind.writes() {
                launch.all_run_cells(site, &none, &access, |cells| {
                    undefined.define(cells);
                    true
                });
            }
        }
        false
    }

    /// What is undefined of the values that the step `at` brings, if it is atomic.
    fn brought(&self, among: &UndefinedValues, at: usize) -> Option<UndefinedLanes> {
        let Instr::Atomic { access } = &self.code.instrs[at] else { return None };
        match self.code.atomics[*access as usize].what {
            AtomicKind::Load { .. } => None,
            AtomicKind::Store { value } | AtomicKind::Update { value, .. } => {
                self.undefined(among, value)
            }
            AtomicKind::CompareExchange { expected, value, .. } => {
                UndefinedLanes::union(self.undefined(among, expected), self.undefined(among, value))
            }
        }
    }

    /// Lanes read or write cells of shared memory, one by one; yields what of it nobody has written.
    fn define_lanes(
        &self,
        checks: &mut BlockChecks,
        access: &Access,
        stored: Option<&UndefinedLanes>,
    ) -> Option<UndefinedLanes> {
        let site = &self.code.sites[access.site as usize];
        let mut read: Vec<(u32, UndefinedSource)> = Vec::new();
        for lane in access.lanes.lanes() {
            let is_stored =
                |stored: &&UndefinedLanes| stored.lanes.0[lane / 32] & (1 << (lane % 32)) != 0;
            let stored = stored.filter(is_stored).map(|stored| stored.source(lane));
            let (buffer, first) = lanes::resolve(self.byte_of(site.at, lane));
            for (cell, byte) in self.bound.checks.as_ref()?.touched_cells(buffer, first, site.bytes)
            {
                let is_known = read.last().is_some_and(|(last, _)| *last as usize == lane);
                if site.reads && !is_known && !checks.undefined.defined.contains(cell) {
                    // What somebody wrote there came from elsewhere: that is where it went wrong.
                    let source =
                        checks.undefined.written_source(cell).unwrap_or_else(|| UndefinedSource {
                            block: self.place.block,
                            thread: (self.place.first_thread + lane) as u32,
                            origin: UndefinedOrigin::Read { at: (buffer, byte), site: access.site },
                        });
                    read.push((lane as u32, source));
                }
                match stored {
                    Some(source) => checks.undefined.undefine(cell, source),
                    None if site.kind.writes() => checks.undefined.define(cell..cell + 1),
                    None => {}
                }
            }
        }
        UndefinedLanes::from_sources(read)
    }

    /// What the step `at` loads is undefined in so far.
    fn loaded(&self, among: &mut UndefinedValues, at: usize, read: Option<UndefinedLanes>) {
        let (group, active) = (self.place.first_thread, self.strand.active());
        if let Instr::Load { to, .. } | Instr::LoadAffine { to, .. } = &self.code.instrs[at] {
            among.set_register(group, *to, active, read);
        } else if let Instr::LoadUniform { to, .. } = &self.code.instrs[at] {
            among.set_uniform(group, *to, active, read);
        } else if let Instr::Atomic { access } = &self.code.instrs[at] {
            let to = match self.code.atomics[*access as usize].what {
                AtomicKind::Load { to }
                | AtomicKind::Update { to, .. }
                | AtomicKind::CompareExchange { to, .. } => to,
                AtomicKind::Store { .. } => return,
            };
            among.set_register(group, to, active, None);
        }
    }
}
