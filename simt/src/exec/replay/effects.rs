//! What a round does besides operations on lanes, if it is counted or checked: the same in all rounds, but that what it
//! accesses is as many bytes further on in each.
use super::{
    lane_instrs::{Asking, LaneInstr},
    record::{Fails, Trace, here},
};
use crate::{
    bytecode::{Address, Operand, Request},
    observe::sanitizer::access_log::{Access, LaneAddresses},
    vector::{
        lanes,
        mask::{GROUP, Mask},
    },
};
use warpwise_compiler::hardware::Kind;

/// What is counted in each round, and noted of what it accesses.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    /// The segments that begin.
    pub(crate) segments: Vec<u32>,
    /// The loops that are come to.
    pub(crate) loops: Vec<u32>,
    /// The requests that are counted.
    pub(crate) requests: Vec<Going>,
    /// The accesses that are checked, in order, as they are in the first round, each with how many bytes further on it is
    /// in each that follows.
    pub(crate) accesses: Vec<(Access, u64)>,
}

impl Noted {
    pub(crate) fn clear(&mut self) {
        let Self { segments, loops, requests, accesses } = self;
        segments.clear();
        loops.clear();
        requests.clear();
        accesses.clear();
    }
}

/// Where a request goes in each round, modulo 2^64.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Going {
    /// Its number.
    pub(crate) request: u32,
    /// Where the first lane goes in the first round.
    pub(crate) first: u64,
    /// How many bytes further on that is in each that follows.
    pub(crate) step: u64,
    /// The slope by which lanes are apart, and the bytes that it counts; `None` if all go to one place.
    pub(crate) apart: Option<(u16, u64)>,
}

impl Asking {
    /// An atomic request to shared memory by indices in lanes.
    fn new(number: u32, request: &Request) -> Option<Self> {
        let Request { kind: Kind::Atomic, is_shared: true, at, .. } = *request else { return None };
        let Address::Element { buffer, index: Operand::Lanes(index), stride, offset } = at else {
            return None;
        };
        let start = lanes::address(buffer).wrapping_add(offset);
        let is_served_at_once = request.is_served_at_once();
        Some(Self { request: number, is_served_at_once, index, stride, start })
    }
}

impl Trace<'_, '_> {
    /// A request that is counted.
    pub(super) fn request(&mut self, number: u32) -> Result<(), Fails> {
        let request = &self.code.counted.requests[number as usize];
        if let Some(asking) = Asking::new(number, request) {
            return self.push(LaneInstr::Ask { asking });
        }
        let going = self.going(number)?;
        self.noted.requests.push(going);
        Ok(())
    }

    /// An access that is checked. Shared memory is looked at access by access.
    pub(super) fn watch(&mut self, number: u32) -> Result<(), Fails> {
        let Some(checks) = &self.bound.checks else { return Ok(()) };
        let site = &self.code.sites[number as usize];
        let may_race = checks.may_race_at(number);
        let is_used = checks.used.is_some() && (site.is_shared || site.kind.writes());
        let is_seen = may_race && (checks.is_eager || site.is_shared);
        if is_used || is_seen {
            return Err(Fails::Ever);
        }
        if site.is_shared && checks.checks_inits {
            here(self.is_defined.then_some(()))?;
        }
        if !may_race {
            return Ok(());
        }
        let going = self.going(number)?;
        let first_thread = self.group * GROUP;
        let places = match going.apart {
            None => LaneAddresses::Same(going.first),
            Some(_) => {
                let pattern = self.bound.patterns.get(number as usize).and_then(Option::as_ref);
                let holds = |in_step: bool| self.in_step || !in_step;
                let pattern = here(pattern.filter(|pattern| holds(pattern.in_step)))?;
                LaneAddresses::Pattern(going.first.wrapping_sub(pattern.offsets[first_thread]))
            }
        };
        let lanes = Mask::first(self.bound.lanes(self.group));
        let first_thread = first_thread as u32;
        let access = Access { site: number, first_thread, lanes, places, value: None };
        self.noted.accesses.push((access, going.step));
        match site.value {
            Some(value) => self.push(LaneInstr::Common { value }),
            None => Ok(()),
        }
    }

    fn going(&mut self, request: u32) -> Result<Going, Fails> {
        let at = self.code.counted.requests[request as usize].at;
        let (slope, base) = match at.index() {
            Operand::Uniform(base) => (None, base),
            Operand::Affine(index) => {
                if index.base.size() < 8 {
                    let reach = self.bound.reach(index.slope, self.group);
                    here(self.numbers.span(index, reach))?;
                }
                (Some(index.slope), index.base)
            }
            Operand::Lanes(_) => return Err(Fails::Ever),
        };
        let (stride, start) = match at {
            Address::Element { buffer, stride, offset, .. } => {
                (stride, lanes::address(buffer).wrapping_add(offset))
            }
            Address::Pointer { offset, .. } => (1, offset),
        };
        let own = slope.map_or(0, |slope| self.bound.own(slope, self.group * GROUP, 1)[0]);
        let (index, step) = self.numbers.steps(base);
        let index = index.wrapping_add(own.cast_unsigned());
        Ok(Going {
            request,
            first: index.wrapping_mul(stride).wrapping_add(start),
            step: step.wrapping_mul(stride),
            apart: slope.map(|slope| (slope, stride)),
        })
    }
}
