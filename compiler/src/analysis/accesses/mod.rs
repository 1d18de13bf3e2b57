//! Costs of every access to shared, global and constant memory.
//!
//! A [`Request`] is a load, store or atomic update, or adjacent ones of a thread that form a vector
//! (see [`vectors`](super::vectors)). Its [`Verdict`] covers all of its events in the [`Trace`]:
//! the cost for the warps of a block, by the formulas of [`hardware`](crate::hardware), and the
//! ideal cost if neighbouring lanes accessed neighbouring data.
//!
//! ```text
//! tile[lane][3]    32 wavefronts, 1 needed      proved bad
//! tile[3][lane]    1 wavefront, 1 needed        proved good
//! x[places[i]]     the address is data          cannot tell
//! ```
//! Only active lanes count, in blocks that are not at an edge. If the base of the accessed part of
//! a buffer is unknown, the cost is a pair of limits over every possible base.
mod lanes;
mod layout;

use super::{
    symbolic::{self, AccessKind, Coverage, Event, EventKind, SymbolId, SymbolicSum, Trace},
    vectors::Vectors,
};
use crate::{
    hardware::Kind,
    id::Facts,
    ir::{CopyOp, InstId, Kernel, Op, Root, Scalar, Space, Ty},
};
use lanes::LanePattern;
pub use lanes::{COST_PERIOD_BYTES, Lanes, WarpCost};
pub use layout::{ArrayUse, Layout, collect_uses};

/// The accesses of a kernel.
#[derive(Clone, Debug)]
pub struct Accesses {
    /// The requests, in the order of the text.
    pub requests: Vec<Request>,
    request_of: Facts<InstId, Option<usize>>,
    /// The request for the destination of an asynchronous copy.
    destination_of: Facts<InstId, Option<usize>>,
}

impl Accesses {
    /// Returns the request that an access belongs to.
    pub fn get_of_event(&self, event: &Event) -> Option<&Request> {
        let EventKind::Access(access) = &event.kind else { return None };
        self.index_of_event(event, access).map(|request| &self.requests[request])
    }

    fn index_of_event(&self, event: &Event, access: &symbolic::Access) -> Option<usize> {
        match (self.destination_of[event.inst], &access.kind) {
            (Some(destination), AccessKind::Store(_)) => Some(destination),
            (_, _) => self.request_of[event.inst],
        }
    }

    /// Returns the request that a load, store or atomic update belongs to, and that of the source
    /// of an asynchronous copy; `None` for local memory.
    pub fn get(&self, access: InstId) -> Option<&Request> {
        self.request_of[access].map(|request| &self.requests[request])
    }
}

/// An access to shared, global or constant memory.
#[derive(Clone, Debug)]
pub struct Request {
    /// The instructions that form the request, the lowest address first.
    pub members: Vec<InstId>,
    /// The memory.
    pub space: Space,
    /// The buffer or array, if known.
    pub root: Option<Root>,
    /// The kind of access.
    pub kind: Kind,
    /// Bytes per lane; 0 if they depend on generic parameters.
    pub bytes: u32,
    /// The cost, or the reason that it is unknown.
    pub verdict: Verdict,
}

/// The result for a request.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The cost is known.
    Known(Box<Cost>),
    /// The cost is unknown.
    Unknown(UnknownCost),
}

/// The reason for an unknown cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownCost {
    /// The address is data, or too complex.
    Address,
    /// The distance between lanes depends on this instruction's value.
    Stride(InstId),
    /// The active lanes are unknown.
    Lanes,
    /// The number of bytes per lane depends on generic parameters.
    Size,
    /// The request was not executed: it is unreachable, or the kernel is too long.
    NotRun,
}

/// The cost of a request for the warps of a block: wavefronts of shared or constant memory, sectors
/// of global memory.
#[derive(Clone, Debug)]
pub struct Cost {
    /// The minimum and the maximum of the sum over warps and visits.
    pub taken: [u64; 2],
    /// The sum for ideal accesses.
    pub ideal: u64,
    /// The number of executed warp instructions.
    pub requests: u64,
    /// True if the cost is at least twice the ideal in each warp that gets here.
    pub each_is_bad: bool,
    /// True if only some warps may get here.
    pub some_warps: bool,
    /// The lanes and the cost of the most expensive warp.
    pub worst: (Lanes, WarpCost),
    /// True if all warps have the same cost.
    pub is_even: bool,
}

impl Cost {
    /// Returns true if it costs at least twice the ideal.
    pub fn is_bad(&self) -> bool {
        if self.some_warps { self.each_is_bad } else { self.taken[0] >= 2 * self.ideal }
    }
    /// Returns true if it costs the ideal, for every possible base.
    pub fn is_good(&self) -> bool {
        self.taken[1] == self.ideal
    }
}

/// Computes the costs of `kernel`'s requests in the block of `trace`.
pub fn analyze(kernel: &Kernel, vectors: &Vectors, trace: &Trace) -> Accesses {
    let none = || kernel.insts.facts(None);
    let mut accesses =
        Accesses { requests: Vec::new(), request_of: none(), destination_of: none() };
    kernel.insts.ids().for_each(|id| accesses.add(kernel, vectors, id));
    let mut sums: Vec<CostAccumulator> =
        accesses.requests.iter().map(|_| CostAccumulator::default()).collect();
    for event in &trace.events {
        let EventKind::Access(access) = &event.kind else { continue };
        let Some(index) = accesses.index_of_event(event, access) else { continue };
        let request = &accesses.requests[index];
        if request.members.first() == Some(&event.inst) {
            sums[index].add_event(request, trace, event, access);
        }
    }
    for (request, sum) in accesses.requests.iter_mut().zip(sums) {
        request.verdict = sum.verdict();
    }
    accesses
}

impl Accesses {
    fn add(&mut self, kernel: &Kernel, vectors: &Vectors, id: InstId) {
        if let Op::Copy(CopyOp::AsyncCopy { to, from, bytes }) = &kernel.insts[id].op {
            let bytes = bytes.known().and_then(|bytes| bytes.try_into().ok()).unwrap_or(0);
            self.request_of[id] = Some(self.requests.len());
            self.destination_of[id] = Some(self.requests.len() + 1);
            let ends = [(*from, Kind::Load, Space::Global), (*to, Kind::Store, Space::Shared)];
            for (ptr, kind, space) in ends {
                let (members, root) = (vec![id], kernel.root(ptr));
                let verdict = Verdict::Unknown(UnknownCost::NotRun);
                self.requests.push(Request { members, space, root, kind, bytes, verdict });
            }
            return;
        }
        let Some((ptr, kind, ty)) = memory_operands(kernel, id) else { return };
        // The places of a surface's texels are not known.
        if kernel.surface(ptr).is_some() {
            return;
        }
        // The costs of accesses to other blocks' shared memory are not known.
        let is_known = |space: &Space| !matches!(space, Space::Local | Space::Cluster);
        let Some(space) = kernel.space(ptr).filter(is_known) else { return };
        let members = vectors.get(id).map_or_else(|| vec![id], |vector| vector.members.clone());
        let known = members.iter().find_map(|&member| self.request_of[member]);
        self.request_of[id] = Some(known.unwrap_or(self.requests.len()));
        if known.is_none() {
            let size = if let Ty::Scalar(scalar) = ty { Scalar::size(scalar) } else { Some(8) };
            let count = u32::try_from(members.len()).unwrap_or(0);
            let bytes = size.unwrap_or(0) * count;
            let verdict = Verdict::Unknown(UnknownCost::NotRun);
            let root = kernel.root(ptr);
            self.requests.push(Request { members, space, root, kind, bytes, verdict });
        }
    }
}

/// Returns the address, kind and type of an access to memory; `None` for an asynchronous copy,
/// which makes two.
pub fn memory_operands(kernel: &Kernel, id: InstId) -> Option<(InstId, Kind, Ty)> {
    let inst = &kernel.insts[id];
    if let Op::Load { ptr, .. } = inst.op {
        Some((ptr, Kind::Load, inst.ty))
    } else if let Op::Store { ptr, value, .. } = inst.op {
        Some((ptr, Kind::Store, kernel.insts[value].ty))
    } else if let Op::AtomicLoad { ptr, .. } = inst.op {
        Some((ptr, Kind::Load, inst.ty))
    } else if let Op::AtomicStore { ptr, value, .. } = inst.op {
        Some((ptr, Kind::Store, kernel.insts[value].ty))
    } else if let Op::Atomic { ptr, .. } | Op::CompareExchange { ptr, .. } = inst.op {
        Some((ptr, Kind::Atomic, inst.ty))
    } else {
        None
    }
}

/// The accumulated cost of a request.
#[derive(Default)]
struct CostAccumulator {
    cost: Option<Cost>,
    unknown: Option<UnknownCost>,
    /// The distinct costs so far: most warps have the same.
    distinct_costs: Vec<(Lanes, WarpCost)>,
    /// The indices into `distinct_costs` by pattern, with the pattern's fingerprint.
    patterns: Vec<(u64, LanePattern, usize)>,
}

impl CostAccumulator {
    fn add_event(
        &mut self,
        request: &Request,
        trace: &Trace,
        event: &Event,
        access: &symbolic::Access,
    ) {
        // The first reason stays for all events of the request.
        let why = match (&access.offset, event.active.coverage) {
            _ if request.bytes == 0 => Some(UnknownCost::Size),
            (None, _) => Some(UnknownCost::Address),
            (Some(_), Coverage::Some | Coverage::One) => Some(UnknownCost::Lanes),
            (Some(_), Coverage::All | Coverage::Guarded | Coverage::Warps) => None,
        };
        self.unknown = self.unknown.or(why);
        let Some(offset) = access.offset.as_ref().filter(|_| self.unknown.is_none()) else {
            return;
        };
        for warp in 0..event.active.threads.warp_count() {
            let active = event.active.threads.lanes_of_warp(warp);
            if active == 0 {
                continue;
            }
            let price = self.warp_cost_index(request, offset, warp, active);
            match price.or_else(|symbol| {
                self.cost_bound_index(trace, request, (offset, warp, active)).ok_or(symbol)
            }) {
                Ok(index) => self.add_warp(index, event.active.coverage == Coverage::Warps),
                Err(symbol) => {
                    self.unknown = Some(UnknownCost::Stride(trace.symbols[symbol].inst));
                    return;
                }
            }
        }
    }

    /// Returns the index of the cost of a warp's `active` lanes.
    fn warp_cost_index(
        &mut self,
        request: &Request,
        offset: &SymbolicSum,
        warp: usize,
        active: u32,
    ) -> Result<usize, SymbolId> {
        // Patterns avoid computing 32 offsets for each warp of a regular access.
        let pattern = LanePattern::for_warp(offset, warp, active)?;
        if let Some(known) = pattern.and_then(|pattern| self.pattern_cost_index(pattern)) {
            return Ok(known);
        }
        let lanes = Lanes::exact(offset, warp, active)?.normalized(COST_PERIOD_BYTES);
        let known = self.distinct_costs.iter().position(|(other, _)| *other == lanes);
        let index = known.unwrap_or(self.distinct_costs.len());
        if known.is_none() {
            let price = lanes.warp_cost(request.space, request.kind, request.bytes);
            self.distinct_costs.push((lanes, price));
        }
        if let Some(pattern) = pattern {
            self.patterns.push((pattern.fingerprint(), pattern, index));
        }
        Ok(index)
    }

    /// Returns the index of a lower bound, where the launch decides the distances between lanes;
    /// `None` if the bound is useless.
    fn cost_bound_index(
        &mut self,
        trace: &Trace,
        request: &Request,
        (offset, warp, active): (&SymbolicSum, usize, u32),
    ) -> Option<usize> {
        if request.space != Space::Global || request.kind == Kind::Atomic {
            return None;
        }
        let lanes =
            Lanes::with_min_distances(trace, offset, warp, active)?.normalized(COST_PERIOD_BYTES);
        let price = lanes.warp_cost(request.space, request.kind, request.bytes);
        let [least, most] = price.taken;
        // Such a bound proves the access neither good nor bad.
        if least < 2 * price.ideal && most > price.ideal {
            return None;
        }
        let known = self.distinct_costs.iter().position(|(other, _)| *other == lanes);
        if known.is_none() {
            self.distinct_costs.push((lanes, price));
        }
        Some(known.unwrap_or(self.distinct_costs.len() - 1))
    }

    /// Returns the index of the cost of a known pattern.
    fn pattern_cost_index(&self, pattern: LanePattern) -> Option<usize> {
        let (number, mut known) = (pattern.fingerprint(), 0);
        while known < self.patterns.len() {
            let (other, of, price) = &self.patterns[known];
            if *other == number && *of == pattern {
                return Some(*price);
            }
            known += 1;
        }
        None
    }

    fn add_warp(&mut self, index: usize, some_warps: bool) {
        let (lanes, price) = &self.distinct_costs[index];
        let is_bad = price.taken[0] >= 2 * price.ideal;
        let cost = self.cost.get_or_insert_with(|| Cost {
            taken: [0; 2],
            ideal: 0,
            requests: 0,
            each_is_bad: true,
            some_warps: false,
            worst: (lanes.clone(), *price),
            is_even: true,
        });
        for (sum, taken) in cost.taken.iter_mut().zip(price.taken) {
            *sum += u64::from(taken);
        }
        cost.ideal += u64::from(price.ideal);
        cost.requests += 1;
        cost.each_is_bad &= is_bad;
        cost.some_warps |= some_warps;
        cost.is_even &= *price == cost.worst.1;
        if price.is_worse_than(&cost.worst.1) {
            cost.worst = (lanes.clone(), *price);
        }
    }

    fn verdict(self) -> Verdict {
        match (self.unknown, self.cost) {
            (Some(why), _) => Verdict::Unknown(why),
            (None, Some(cost)) => Verdict::Known(Box::new(cost)),
            (None, None) => Verdict::Unknown(UnknownCost::NotRun),
        }
    }
}
