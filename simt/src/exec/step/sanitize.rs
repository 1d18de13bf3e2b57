//! Recording of accesses for [the sanitizer](crate::observe::sanitizer), before they are made.
use super::Exec;
use crate::{
    bytecode::Operand,
    observe::sanitizer::{
        BlockChecks, LaunchChecks,
        access_log::{Access, AccessLog, LaneAddresses, LogEvent, WrittenValues},
        pending_copies::PendingCopy,
    },
    vector::{lanes, mask::Mask, registers::Reg},
};
use warpwise_compiler::{hardware::LANES, ir::Scope};

impl Exec<'_> {
    /// Records the access that the next instruction makes.
    pub(super) fn check_access(&mut self, number: u32) {
        let (Some(launch), Some(checks)) = (&self.bound.checks, self.checks.take()) else { return };
        let site = &self.code.sites[number as usize];
        if let Some(used) = launch.used.as_ref().filter(|_| site.is_shared || site.kind.writes()) {
            for lane in self.strand.active().lanes() {
                let (buffer, first) = lanes::resolve(self.byte_address(site.at, lane));
                used.mark(self.code.own_buffer(buffer), first, site.bytes);
            }
        }
        if !checks.pending_copies.is_empty() {
            self.check_early_access(number, launch, checks);
        }
        let may_race = launch.may_race_at(number);
        let may_be_undefined = launch.checks_inits && checks.undefined.must_track(site.is_shared);
        if may_race || may_be_undefined {
            let first = checks.log(site.is_shared).addresses.len();
            let places = self.access_places(number, &mut checks.log(site.is_shared).addresses);
            let (first_thread, lanes) = (self.position.first_thread as u32, self.strand.active());
            let mut access = Access { site: number, first_thread, lanes, places, value: None };
            if may_be_undefined && !self.repeats_access(checks, &access, launch) {
                let log = std::mem::take(checks.log(site.is_shared));
                self.track_access(checks, &log, &access);
                *checks.log(site.is_shared) = log;
            }
            let log = checks.log(site.is_shared);
            if may_race {
                let written = self.stored_values(number, &mut access, log);
                let event = LogEvent::Access(access);
                checks.log_event((self.code, launch), site.is_shared, event, written);
            } else {
                log.addresses.truncate(first);
            }
        }
        self.checks = Some(checks);
    }

    /// Records the lanes that access what a pending copy writes, or write what it reads.
    fn check_early_access(&self, number: u32, launch: &LaunchChecks<'_>, checks: &mut BlockChecks) {
        let site = &self.code.sites[number as usize];
        for lane in self.strand.active().lanes() {
            let address = self.byte_address(site.at, lane);
            let kind = (site.is_shared, site.kind);
            if let Some((copy, byte)) =
                checks.pending_copies.find(launch, kind, address, site.bytes)
            {
                let thread = (self.position.first_thread + lane) as u32;
                let access = PendingCopy { thread, site: number };
                let (buffer, _) = lanes::resolve(address);
                checks.add_early_access(self.code, [access, copy], (buffer, byte));
            }
        }
    }

    /// Returns true if the access only repeats an earlier block's access, which involved nothing
    /// undefined.
    fn repeats_access(
        &self,
        checks: &mut BlockChecks,
        access: &Access,
        launch: &LaunchChecks<'_>,
    ) -> bool {
        let is_shared = self.code.sites[access.site as usize].is_shared;
        is_shared && self.repeats_accesses(&mut checks.undefined, &(*access, 0, 1), launch)
    }

    /// Returns the position in the log of the values that a store writes; a value common to all
    /// lanes goes into the access instead.
    fn stored_values(
        &self,
        number: u32,
        access: &mut Access,
        log: &mut AccessLog,
    ) -> Option<WrittenValues> {
        let site = &self.code.sites[number as usize];
        let reg = site.value?;
        if !site.is_shared {
            access.value = self.common_value(reg);
            return None;
        }
        let written = WrittenValues { first: log.values.len(), size: reg.size() };
        log.values.extend_from_slice(self.registers.warps(reg, self.warps_with_active()));
        Some(written)
    }

    /// Records the fence that the next instruction is.
    pub(super) fn check_fence(&mut self, scope: Scope) {
        let (first_thread, lanes) = (self.position.first_thread as u32, self.strand.active());
        if let (Some(checks), Some(launch)) = (&mut self.checks, &self.bound.checks) {
            let event = LogEvent::Fence { first_thread, lanes, scope };
            checks.log_event((self.code, launch), true, event, None);
        }
    }

    /// Returns the value of all active lanes, if it is the same.
    fn common_value(&self, reg: Reg) -> Option<u64> {
        let mut lanes = self.strand.active().lanes().map(|lane| self.registers.get(reg, lane));
        let first = lanes.next()?;
        lanes.all(|value| value == first).then_some(first)
    }

    /// Returns the number of warps up to the last one with active lanes.
    fn warps_with_active(&self) -> usize {
        let active: Mask = self.strand.active();
        active.0.iter().rposition(|lanes| *lanes != 0).map_or(0, |warp| warp + 1)
    }

    /// Returns the places that active lanes access; without a pattern their addresses are appended
    /// to `each`.
    pub(super) fn access_places(&self, number: u32, each: &mut Vec<u64>) -> LaneAddresses {
        let at = self.code.sites[number as usize].at;
        let active: Mask = self.strand.active();
        if let Operand::Uniform(_) = at.index() {
            return LaneAddresses::Same(self.byte_address(at, 0));
        }
        let pattern = self.bound.patterns.get(number as usize).and_then(Option::as_ref);
        if let Some(pattern) =
            pattern.filter(|pattern| self.position.equal_trips || !pattern.equal_trips)
        {
            let some = active.lowest().unwrap_or(0);
            let offset = pattern.offsets[self.position.first_thread + some];
            return LaneAddresses::Pattern(self.byte_address(at, some).wrapping_sub(offset));
        }
        let first = each.len();
        for warp in 0..self.warps_with_active() {
            match active.0[warp] {
                0 => each.extend([0; LANES]),
                lanes => each.extend(self.lane_addresses(at, warp, lanes)),
            }
        }
        LaneAddresses::Each(first)
    }
}
