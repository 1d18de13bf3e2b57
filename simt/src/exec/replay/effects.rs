//! Effects of a replayed round that are counted or checked: the same in all rounds, but for
//! addresses, which advance by a constant.
use super::{
    lane_instrs::{LaneInstr, LaneRequest},
    record::{Failure, Recorder, or_fail},
};
use crate::{
    bytecode::{Address, Operand, Request},
    observe::sanitizer::access_log::{Access, LaneAddresses},
    vector::{
        lanes,
        mask::{GROUP, Mask},
    },
};
use warpwise_compiler::{hardware::Kind, ir::Space};

/// The counted and checked effects of a round.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// The segments that begin.
    pub(crate) segments: Vec<u32>,
    /// The loops that are entered.
    pub(crate) loops: Vec<u32>,
    /// The counted requests.
    pub(crate) requests: Vec<LinearRequest>,
    /// The checked accesses of the first round, in order, each with the bytes by which it advances
    /// in each round.
    pub(crate) accesses: Vec<(Access, u64)>,
}

impl Effects {
    pub(super) fn is_empty(&self) -> bool {
        let Self { segments, loops, requests, accesses } = self;
        segments.is_empty() && loops.is_empty() && requests.is_empty() && accesses.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        let Self { segments, loops, requests, accesses } = self;
        segments.clear();
        loops.clear();
        requests.clear();
        accesses.clear();
    }
}

/// The address of a request as a linear function of the round, modulo 2^64.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinearRequest {
    /// Its index.
    pub(crate) request: u32,
    /// The address of the first lane in the first round.
    pub(crate) first: u64,
    /// The bytes by which it advances in each round.
    pub(crate) step: u64,
    /// The slope that separates the lanes, and its stride in bytes; `None` if all access one
    /// address.
    pub(crate) slope: Option<(u16, u64)>,
}

impl LaneRequest {
    /// Returns an atomic request to shared memory by indices in lanes.
    fn new(number: u32, request: &Request) -> Option<Self> {
        let Request { kind: Kind::Atomic, space: Space::Shared, at, .. } = *request else {
            return None;
        };
        let Address::Element { buffer, index: Operand::Lanes(index), stride, offset } = at else {
            return None;
        };
        let start = lanes::address(buffer).wrapping_add(offset);
        let is_served_at_once = request.is_served_at_once();
        Some(Self { request: number, is_served_at_once, index, stride, start })
    }
}

impl Recorder<'_, '_> {
    /// Records a counted request.
    pub(super) fn record_request(&mut self, number: u32) -> Result<(), Failure> {
        let request = &self.code.counted.requests[number as usize];
        if let Some(by_lanes) = LaneRequest::new(number, request) {
            return self.push(LaneInstr::CountRequest { request: by_lanes });
        }
        let linear = self.linear_request(number)?;
        self.effects.requests.push(linear);
        Ok(())
    }

    /// Records a checked access. Where shared memory is checked access by access, nothing is
    /// replayed.
    pub(super) fn record_check(&mut self, number: u32) -> Result<(), Failure> {
        let Some(checks) = &self.bound.checks else { return Ok(()) };
        let site = &self.code.sites[number as usize];
        let may_race = checks.may_race_at(number);
        let is_used = checks.used.is_some() && (site.is_shared || site.kind.writes());
        let is_seen = may_race && (checks.is_eager || site.is_shared);
        if is_used || is_seen {
            return Err(Failure::Always);
        }
        if site.is_shared && checks.checks_inits {
            or_fail(self.is_defined.then_some(()))?;
        }
        if !may_race {
            return Ok(());
        }
        let linear = self.linear_request(number)?;
        let first_thread = self.group * GROUP;
        let places = match linear.slope {
            None => LaneAddresses::Same(linear.first),
            Some(_) => {
                let pattern = self.bound.patterns.get(number as usize).and_then(Option::as_ref);
                let holds = |equal_trips: bool| self.equal_trips || !equal_trips;
                let pattern = or_fail(pattern.filter(|pattern| holds(pattern.equal_trips)))?;
                LaneAddresses::Pattern(linear.first.wrapping_sub(pattern.offsets[first_thread]))
            }
        };
        let lanes = Mask::first(self.bound.lanes_in_group(self.group));
        let first_thread = first_thread as u32;
        let access = Access { site: number, first_thread, lanes, places, value: None };
        self.effects.accesses.push((access, linear.step));
        match site.value {
            Some(value) => self.push(LaneInstr::NoteCommon { value }),
            None => Ok(()),
        }
    }

    fn linear_request(&mut self, request: u32) -> Result<LinearRequest, Failure> {
        let at = self.code.counted.requests[request as usize].at;
        let (slope, base) = match at.index() {
            Operand::Uniform(base) => (None, base),
            Operand::Affine(index) => {
                if index.base.size() < 8 {
                    let reach = self.bound.reach(index.slope, self.group);
                    or_fail(self.values.lane_range(index, reach))?;
                }
                (Some(index.slope), index.base)
            }
            Operand::Lanes(_) => return Err(Failure::Always),
        };
        let (stride, start) = match at {
            Address::Element { buffer, stride, offset, .. } => {
                (stride, lanes::address(buffer).wrapping_add(offset))
            }
            Address::Pointer { offset, .. } => (1, offset),
        };
        let own = slope.map_or(0, |slope| self.bound.slope_values(slope, self.group * GROUP, 1)[0]);
        let (index, step) = self.values.linear_parts(base);
        let index = index.wrapping_add(own.cast_unsigned());
        Ok(LinearRequest {
            request,
            first: index.wrapping_mul(stride).wrapping_add(start),
            step: step.wrapping_mul(stride),
            slope: slope.map(|slope| (slope, stride)),
        })
    }
}
