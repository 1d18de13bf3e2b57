//! Tracking of undefined values: from uninitialized memory through computations to the uses that
//! matter.
//!
//! A batch of consecutive computations is tracked at once, and only if there are undefined values.
//! Exchanges between the lanes of a warp are tracked where they happen
//! ([`UndefinedValues::propagate_collective`]).
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
    /// Tracks undefined values through the instructions since `from`, and into the next one.
    pub(super) fn track_undefined(&mut self, from: u32) {
        let Some(checks) = self.checks.take() else { return };
        if checks.undefined.has_private() {
            let next = self.strand.pc as usize;
            for instr in &self.code.instrs[from as usize..next - 1] {
                self.propagate(&mut checks.undefined, instr);
            }
            let choices = &self.code.choices;
            if let Ok(at) = choices.binary_search_by_key(&(next as u32), |(at, _)| *at) {
                self.propagate_choice(&mut checks.undefined, next, choices[at].1);
            }
            if let Some((undefined, how)) = self.undefined_use(&mut checks.undefined, next)
                && let Some(undefined) = undefined.restrict_to(self.strand.active())
            {
                checks.add_undefined_use(undefined, how, next);
            }
        }
        self.checks = Some(checks);
    }

    /// Returns true if there are undefined values to track.
    #[inline(always)]
    pub(super) fn tracks_undefined(&self) -> bool {
        self.checks.as_ref().is_some_and(|checks| checks.undefined.has_private())
    }

    /// Returns the undefined part of an operand.
    fn undefined_part(&self, among: &UndefinedValues, operand: Operand) -> Option<UndefinedLanes> {
        among.operand(self.position.first_thread, operand)
    }

    /// Propagates undefined values through an instruction that computes.
    fn propagate(&self, among: &mut UndefinedValues, instr: &Instr) {
        let (group, active) = (self.position.first_thread, self.strand.active());
        if let Instr::Map { regs: [to, a, b, c], .. } = instr {
            let operands = [a, b, c].map(|reg| among.register(group, *reg));
            let all = operands.into_iter().fold(None, UndefinedLanes::union);
            among.set_register(group, *to, active, all);
        } else if let Instr::MapWithOne { regs: [to, a, b, c], one, .. } = instr {
            let operands = [a, b, c].map(|reg| among.register(group, *reg));
            let one = among.uniform(group, *one).and_then(|one| one.restrict_to(active));
            among.set_register(
                group,
                *to,
                active,
                operands.into_iter().fold(one, UndefinedLanes::union),
            );
        } else if let Instr::Set { local, value } = instr {
            among.set_register(group, *local, active, among.register(group, *value));
        } else if let Instr::Splat { to, from } = instr {
            among.set_register(group, *to, active, among.uniform(group, *from));
        } else if let Instr::Spread { to, from } = instr {
            among.set_register(group, *to, active, among.uniform(group, from.base));
        } else if let Instr::Compare { compare } = instr {
            let Compare { to, value, with, .. } = &self.code.compares[*compare as usize];
            let [value, with] = [value.base, *with].map(|uniform| among.uniform(group, uniform));
            among.set_register(group, *to, active, UndefinedLanes::union(value, with));
        } else if let Instr::Uniform { slots: [to, a, b, c], .. }
        | Instr::Integer { slots: [to, a, b, c], .. } = instr
        {
            let operands = [a, b, c].map(|slot| among.uniform(group, *slot));
            let all = operands.into_iter().fold(None, UndefinedLanes::union);
            among.set_uniform(group, *to, active, all.and_then(|all| all.restrict_to(active)));
        }
    }

    /// Propagates undefined values through the instruction `at`, of whose operands not all matter.
    fn propagate_choice(&self, among: &mut UndefinedValues, at: usize, choice: OperandChoice) {
        match choice {
            OperandChoice::Select => self.propagate_select(among, at),
            OperandChoice::Or => self.propagate_logic(among, at, true),
            OperandChoice::And => self.propagate_logic(among, at, false),
        }
    }

    /// Propagates undefined values through an `and` or `or`: the result is undefined where one
    /// operand is and the other is not `by`, which decides.
    fn propagate_logic(&self, among: &mut UndefinedValues, at: usize, by: bool) {
        let (group, active) = (self.position.first_thread, self.strand.active());
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

    /// Propagates undefined values through a selection: the result is undefined where the condition
    /// is, or the selected value.
    fn propagate_select(&self, among: &mut UndefinedValues, at: usize) {
        let (group, active) = (self.position.first_thread, self.strand.active());
        if let Instr::Map { regs: [to, cond, then, other], .. } = &self.code.instrs[at] {
            let truths = self.registers.true_lanes(*cond, active);
            let undefined_in = |reg, lanes: Mask| among.register(group, reg)?.restrict_to(lanes);
            let chosen = UndefinedLanes::union(
                undefined_in(*then, truths),
                undefined_in(*other, active.without(truths)),
            );
            among.set_register(
                group,
                *to,
                active,
                UndefinedLanes::union(undefined_in(*cond, active), chosen),
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

    /// Returns the undefined value that the instruction `at` requires to be defined.
    fn undefined_use(
        &self,
        among: &mut UndefinedValues,
        at: usize,
    ) -> Option<(UndefinedLanes, Use)> {
        let (group, active) = (self.position.first_thread, self.strand.active());
        let instr = &self.code.instrs[at];
        if let Instr::If { cond, .. } = instr {
            return Some((among.register(group, *cond)?, Use::Branch));
        } else if let Instr::Leave { when: When::If(cond) | When::Unless(cond), .. } = instr {
            return Some((among.register(group, *cond)?, Use::Branch));
        } else if let Instr::JumpUnless { cond, .. } = instr {
            return Some((among.uniform(group, *cond)?, Use::Branch));
        } else if let Instr::NextIteration { range, .. } = instr {
            let [end, step] = [range.end, range.step].map(|bound| among.uniform(group, bound));
            return Some((UndefinedLanes::union(end, step)?, Use::Branch));
        } else if let Instr::Check { cond, .. } = instr {
            return Some((self.undefined_part(among, *cond)?, Use::Branch));
        } else if let Instr::Bounds { index, .. } = instr {
            return Some((self.undefined_part(among, *index)?, Use::Address));
        } else if let Instr::LoadLocal { to, from } = instr {
            let address = self.undefined_part(among, from.index());
            self.propagate_local_load(among, *to, *from);
            return Some((address?, Use::Address));
        } else if let Instr::StoreLocal { value, to } = instr {
            let address = self.undefined_part(among, to.index());
            self.propagate_local_store(among, *value, *to);
            return Some((address?, Use::Address));
        } else if let Instr::Warp { mask: Some(mask), .. } = instr {
            return Some((self.undefined_part(among, *mask)?, Use::Mask));
        } else if let Instr::MBarrierWait { phase, .. } = instr {
            return Some((self.undefined_part(among, *phase)?, Use::Branch));
        } else if let Instr::ActiveMask { to } | Instr::MBarrierArrive { to, .. } = instr {
            among.set_register(group, *to, active, None);
        }
        None
    }

    /// Propagates undefined values through a load from a thread-local array.
    fn propagate_local_load(&self, among: &mut UndefinedValues, to: Reg, from: Address<Operand>) {
        let (group, active) = (self.position.first_thread, self.strand.active());
        let source_of_lane = |lane: usize| {
            let source =
                among.array_source(group, self.array_place(from, lane)?, (to.size(), lane))?;
            Some((lane as u32, source))
        };
        let loaded =
            UndefinedLanes::from_sources(active.lanes().filter_map(source_of_lane).collect());
        among.set_register(group, to, active, loaded);
    }

    /// Propagates undefined values through a store to a thread-local array.
    fn propagate_local_store(&self, among: &mut UndefinedValues, value: Reg, to: Address<Operand>) {
        let (group, active) = (self.position.first_thread, self.strand.active());
        let stored = among.register(group, value);
        for lane in active.lanes() {
            let one = Mask::of_warp(lane / 32, 1 << (lane % 32));
            if let Some(place) = self.array_place(to, lane) {
                among.set_array(group, place, (value.size(), one), stored.as_ref());
            }
        }
    }

    /// Propagates undefined values through an access of shared or global memory, before it is made.
    pub(super) fn track_access(&self, checks: &mut BlockChecks, log: &AccessLog, access: &Access) {
        let Some(launch) = &self.bound.checks else { return };
        let site = &self.code.sites[access.site as usize];
        let (group, at) = (self.position.first_thread, self.strand.pc as usize);
        let among = |undefined: Option<UndefinedLanes>| undefined?.restrict_to(access.lanes);
        let stored = among(site.value.and_then(|reg| checks.undefined.register(group, reg)));
        if let Some(brought) = among(self.undefined_operand(&checks.undefined, at)) {
            checks.add_undefined_use(
                brought,
                if site.is_shared { Use::Atomic } else { Use::Output },
                at,
            );
        }
        if let Some(address) = among(self.undefined_part(&checks.undefined, site.at.index())) {
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
        self.mark_loaded(&mut checks.undefined, at, read);
    }

    /// Returns true if accesses of shared memory only repeat an earlier block's: they read and
    /// write defined cells. Otherwise the effects of the accesses that were skipped before are made
    /// up for.
    pub(super) fn repeats_accesses(
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
            // Accesses repeated in rounds only read.
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

    /// Returns the undefined operand of the atomic instruction `at`.
    fn undefined_operand(&self, among: &UndefinedValues, at: usize) -> Option<UndefinedLanes> {
        let Instr::Atomic { access } = &self.code.instrs[at] else { return None };
        match self.code.atomics[*access as usize].kind {
            AtomicKind::Load { .. } => None,
            AtomicKind::Store { value } | AtomicKind::Update { value, .. } => {
                self.undefined_part(among, value)
            }
            AtomicKind::CompareExchange { expected, value, .. } => UndefinedLanes::union(
                self.undefined_part(among, expected),
                self.undefined_part(among, value),
            ),
        }
    }

    /// Reads or writes cells of shared memory lane by lane; returns the undefined cells that were
    /// read.
    fn define_lanes(
        &self,
        checks: &mut BlockChecks,
        access: &Access,
        stored: Option<&UndefinedLanes>,
    ) -> Option<UndefinedLanes> {
        let site = &self.code.sites[access.site as usize];
        let mut read: Vec<(u32, UndefinedSource)> = Vec::new();
        for lane in access.lanes.lanes() {
            let is_stored = |stored: &&UndefinedLanes| stored.lanes.contains(lane);
            let stored = stored.filter(is_stored).map(|stored| stored.source(lane));
            let (buffer, first) = lanes::resolve(self.byte_address(site.at, lane));
            for (cell, byte) in self.bound.checks.as_ref()?.touched_cells(buffer, first, site.bytes)
            {
                let is_known = read.last().is_some_and(|(last, _)| *last as usize == lane);
                if site.reads && !is_known && !checks.undefined.defined.contains(cell) {
                    // A stored undefined value came from elsewhere: that is its source.
                    let source =
                        checks.undefined.written_source(cell).unwrap_or_else(|| UndefinedSource {
                            block: self.position.block,
                            thread: (self.position.first_thread + lane) as u32,
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

    /// Marks the undefined lanes of the value that the instruction `at` loads.
    fn mark_loaded(&self, among: &mut UndefinedValues, at: usize, read: Option<UndefinedLanes>) {
        let (group, active) = (self.position.first_thread, self.strand.active());
        if let Instr::Load { to, .. } | Instr::LoadAffine { to, .. } = &self.code.instrs[at] {
            among.set_register(group, *to, active, read);
        } else if let Instr::LoadUniform { to, .. } = &self.code.instrs[at] {
            among.set_uniform(group, *to, active, read);
        } else if let Instr::Atomic { access } = &self.code.instrs[at] {
            let to = match self.code.atomics[*access as usize].kind {
                AtomicKind::Load { to }
                | AtomicKind::Update { to, .. }
                | AtomicKind::CompareExchange { to, .. } => to,
                AtomicKind::Store { .. } => return,
            };
            among.set_register(group, to, active, None);
        }
    }
}
