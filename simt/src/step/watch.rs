//! Noting what lanes are about to access, for [the checks](crate::check).
use super::Exec;
use crate::{
    check::{
        BoundChecks,
        choice::Checks,
        log::{Access, Event, Where},
    },
    code::Operand,
    mask::Mask,
};
use warpwise_compiler::hardware::LANES;

impl Exec<'_> {
    /// Notes the access that the next step makes.
    pub(super) fn watch(&mut self, number: u32) {
        let site = &self.code.sites[number as usize];
        let asked = |checks: &BoundChecks| checks.checks.contains(Checks::RACE);
        if !site.is_shared || !self.bound.checks.as_ref().is_some_and(asked) {
            return;
        }
        let Some(checks) = self.checks.take() else { return };
        let log = checks.log();
        let places = self.places(number, &mut log.addresses);
        let written = site.value.map(|value| {
            let first = log.values.len();
            for warp in 0..self.warps() {
                log.values.extend(self.registers.warp(value, warp));
            }
            first
        });
        let (first_thread, lanes) = (self.place.first_thread as u32, self.strand.active());
        let access = Access { site: number, first_thread, lanes, places };
        log.push(Event::Access(access), written);
        checks.logged(self.code, self.bound);
        self.checks = Some(checks);
    }

    /// Warps up to the last with active lanes.
    fn warps(&self) -> usize {
        let active: Mask = self.strand.active();
        active.warps().last().map_or(0, |(warp, _)| warp + 1)
    }

    /// Where active lanes go; `each` gets their addresses, if nothing is known of them.
    fn places(&self, number: u32, each: &mut Vec<u64>) -> Where {
        let at = self.code.sites[number as usize].at;
        let active: Mask = self.strand.active();
        if let Operand::Uniform(_) = at.index() {
            return Where::Same(self.byte_of(at, 0));
        }
        let pattern = self.bound.patterns.get(number as usize).and_then(Option::as_ref);
        if let Some(pattern) = pattern.filter(|pattern| self.place.in_step || !pattern.in_step) {
            let some = active.lanes().next().unwrap_or(0);
            let offset = pattern.offsets[self.place.first_thread + some];
            return Where::Pattern(self.byte_of(at, some).wrapping_sub(offset));
        }
        let first = each.len();
        for warp in 0..self.warps() {
            match active.0[warp] {
                0 => each.extend([0; LANES]),
                lanes => each.extend(self.addresses(at, warp, lanes)),
            }
        }
        Where::Each(first)
    }
}
