//! Noting what lanes are about to access, for [the checks](crate::observe::sanitizer).
use super::Exec;
use crate::{
    bytecode::Operand,
    observe::sanitizer::{
        BlockChecks, LaunchChecks,
        access_log::{Access, AccessLog, LaneAddresses, LogEvent, WrittenValues},
    },
    vector::{lanes, mask::Mask, registers::Reg},
};
use warpwise_compiler::{hardware::LANES, ir::Scope};

impl Exec<'_> {
    /// Notes the access that the next step makes.
    pub(super) fn watch(&mut self, number: u32) {
        let (Some(launch), Some(checks)) = (&self.bound.checks, self.checks.take()) else { return };
        let site = &self.code.sites[number as usize];
        if let Some(used) = launch.used.as_ref().filter(|_| site.is_shared || site.kind.writes()) {
            for lane in self.strand.active().lanes() {
                let (buffer, first) = lanes::resolve(self.byte_of(site.at, lane));
                used.mark(buffer, first, site.bytes);
            }
        }
        let may_race = launch.may_race_at(number);
        let may_be_undefined = launch.checks_inits && checks.undefined.must_track(site.is_shared);
        if may_race || may_be_undefined {
            let first = checks.log(site.is_shared).addresses.len();
            let places = self.places(number, &mut checks.log(site.is_shared).addresses);
            let (first_thread, lanes) = (self.place.first_thread as u32, self.strand.active());
            let mut access = Access { site: number, first_thread, lanes, places, value: None };
            if may_be_undefined && !self.replays(checks, &access, launch) {
                let log = std::mem::take(checks.log(site.is_shared));
                self.define(checks, &log, &access);
                *checks.log(site.is_shared) = log;
            }
            let log = checks.log(site.is_shared);
            if may_race {
                let written = self.written(number, &mut access, log);
                let event = LogEvent::Access(access);
                checks.log_event((self.code, launch), site.is_shared, event, written);
            } else {
                log.addresses.truncate(first);
            }
        }
        self.checks = Some(checks);
    }

    /// Returns true if the access only does with undefined values what it did in an earlier block: nothing.
    fn replays(
        &self,
        checks: &mut BlockChecks,
        access: &Access,
        launch: &LaunchChecks<'_>,
    ) -> bool {
        let is_shared = self.code.sites[access.site as usize].is_shared;
        is_shared && self.replay(&mut checks.undefined, &(*access, 0, 1), launch)
    }

    /// What a store writes: where in the log the values are, or in the access the one of all lanes.
    fn written(
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
        log.values.extend_from_slice(self.registers.warps(reg, self.warps()));
        Some(written)
    }

    /// Notes the fence that the next step is.
    pub(super) fn watch_fence(&mut self, scope: Scope) {
        let (first_thread, lanes) = (self.place.first_thread as u32, self.strand.active());
        if let (Some(checks), Some(launch)) = (&mut self.checks, &self.bound.checks) {
            let event = LogEvent::Fence { first_thread, lanes, scope };
            checks.log_event((self.code, launch), true, event, None);
        }
    }

    /// The value of all active lanes, if they have the same.
    fn common_value(&self, reg: Reg) -> Option<u64> {
        let mut lanes = self.strand.active().lanes().map(|lane| self.registers.get(reg, lane));
        let first = lanes.next()?;
        lanes.all(|value| value == first).then_some(first)
    }

    /// Warps up to the last with active lanes.
    fn warps(&self) -> usize {
        let active: Mask = self.strand.active();
        active.0.iter().rposition(|lanes| *lanes != 0).map_or(0, |warp| warp + 1)
    }

    /// Where active lanes go; `each` gets their addresses, if nothing is known of them.
    pub(super) fn places(&self, number: u32, each: &mut Vec<u64>) -> LaneAddresses {
        let at = self.code.sites[number as usize].at;
        let active: Mask = self.strand.active();
        if let Operand::Uniform(_) = at.index() {
            return LaneAddresses::Same(self.byte_of(at, 0));
        }
        let pattern = self.bound.patterns.get(number as usize).and_then(Option::as_ref);
        if let Some(pattern) = pattern.filter(|pattern| self.place.in_step || !pattern.in_step) {
            let some = active.lowest().unwrap_or(0);
            let offset = pattern.offsets[self.place.first_thread + some];
            return LaneAddresses::Pattern(self.byte_of(at, some).wrapping_sub(offset));
        }
        let first = each.len();
        for warp in 0..self.warps() {
            match active.0[warp] {
                0 => each.extend([0; LANES]),
                lanes => each.extend(self.addresses(at, warp, lanes)),
            }
        }
        LaneAddresses::Each(first)
    }
}
