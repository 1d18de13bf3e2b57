//! What every access to shared and global memory asks of the hardware.
//!
//! A [`Request`] is a load, store or atomic update, or neighbouring ones of a thread that are one
//! (see [`vectors`](super::vectors)). Its [`Verdict`] is about all that the [`Trace`] has of it: what the warps of a
//! block pay for it, by the formulas of [`hardware`](crate::hardware), and what they would pay if
//! neighbouring lanes wanted neighbouring data.
//!
//! ```text
//! tile[lane][3]    32 wavefronts, 1 needed      proved bad
//! tile[3][lane]    1 wavefront, 1 needed        proved good
//! x[places[i]]     the address is data          cannot tell
//! ```
//! Lanes count that are active, in blocks that are not at an edge. Where a buffer's part begins may not
//! be known; then a cost is one between limits, over every place where it can begin.
mod lanes;
mod layout;

use super::{
    symbolic::{self, Event, SymbolId, Trace, Value, What, Which},
    vectors::Vectors,
};
use crate::{
    hardware::Kind,
    id::Facts,
    ir::{InstId, Kernel, Op, Root, Scalar, Space, Ty},
};
use lanes::Pattern;
pub use lanes::{Lanes, Price, WINDOW};
pub use layout::{Layout, Use, uses};

/// The accesses of a kernel.
#[derive(Clone, Debug)]
pub struct Accesses {
    /// In the order of the text.
    pub requests: Vec<Request>,
    of: Facts<InstId, Option<usize>>,
}

impl Accesses {
    /// The request that a load, store or atomic update belongs to; `None` for one of local memory.
    pub fn get(&self, access: InstId) -> Option<&Request> {
        self.of[access].map(|request| &self.requests[request])
    }
}

/// An access to shared or global memory.
#[derive(Clone, Debug)]
pub struct Request {
    /// The instructions that are one request, the lowest address first.
    pub members: Vec<InstId>,
    /// Which memory.
    pub space: Space,
    /// The buffer or array, if it is known which.
    pub root: Option<Root>,
    /// What is done.
    pub kind: Kind,
    /// Bytes of a lane; 0 if that depends on generic parameters.
    pub bytes: u32,
    /// What it costs.
    pub verdict: Verdict,
}

/// What is known of a request's cost.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It costs this.
    Known(Box<Cost>),
    /// It cannot be told.
    Unknown(Why),
}

/// Why a cost is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The address is data, or too involved.
    Address,
    /// The lanes' distance depends on this instruction's value.
    Stride(InstId),
    /// Which lanes are active is not known.
    Lanes,
    /// How many bytes a lane accesses depends on generic parameters.
    Size,
    /// It was not run: nothing comes here, or the kernel is too long.
    NotRun,
}

/// What the warps of a block pay for a request: wavefronts of shared memory, sectors of global.
#[derive(Clone, Debug)]
pub struct Cost {
    /// The sum over warps and visits: at least, and at most.
    pub taken: [u64; 2],
    /// What it would be at best.
    pub ideal: u64,
    /// Instructions of warps that were executed.
    pub requests: u64,
    /// Whether it costs at least twice the ideal in each warp that comes here.
    pub each_is_bad: bool,
    /// Whether only some warps may come here.
    pub some_warps: bool,
    /// The lanes of the warp that pays most, and what.
    pub worst: (Lanes, Price),
    /// Whether all warps pay the same.
    pub is_even: bool,
}

impl Cost {
    /// Whether it costs at least twice what it must.
    pub fn is_bad(&self) -> bool {
        if self.some_warps { self.each_is_bad } else { self.taken[0] >= 2 * self.ideal }
    }
    /// Whether it costs what it must, wherever data begin.
    pub fn is_good(&self) -> bool {
        self.taken[1] == self.ideal
    }
}

/// What the requests of `kernel` cost in the block of `trace`.
pub fn analyze(kernel: &Kernel, vectors: &Vectors, trace: &Trace) -> Accesses {
    let mut accesses = Accesses { requests: Vec::new(), of: kernel.insts.facts(None) };
    kernel.insts.ids().for_each(|id| accesses.add(kernel, vectors, id));
    let mut sums: Vec<Sum> = accesses.requests.iter().map(|_| Sum::default()).collect();
    for event in &trace.events {
        let What::Access(access) = &event.what else { continue };
        let Some(index) = accesses.of[event.inst] else { continue };
        let request = &accesses.requests[index];
        if request.members.first() == Some(&event.inst) {
            sums[index].add(request, trace, event, access);
        }
    }
    for (request, sum) in accesses.requests.iter_mut().zip(sums) {
        request.verdict = sum.verdict();
    }
    accesses
}

impl Accesses {
    fn add(&mut self, kernel: &Kernel, vectors: &Vectors, id: InstId) {
        let Some((ptr, kind, ty)) = memory(kernel, id) else { return };
        let Some(space) = kernel.space(ptr).filter(|&space| space != Space::Local) else { return };
        let members = vectors.get(id).map_or_else(|| vec![id], |vector| vector.members.clone());
        let known = members.iter().find_map(|&member| self.of[member]);
        self.of[id] = Some(known.unwrap_or(self.requests.len()));
        if known.is_none() {
            let size = if let Ty::Scalar(scalar) = ty { Scalar::size(scalar) } else { Some(8) };
            let count = u32::try_from(members.len()).unwrap_or(0);
            let bytes = size.unwrap_or(0) * count;
            let verdict = Verdict::Unknown(Why::NotRun);
            let root = kernel.root(ptr);
            self.requests.push(Request { members, space, root, kind, bytes, verdict });
        }
    }
}

/// The address, kind and type of an access to memory.
pub fn memory(kernel: &Kernel, id: InstId) -> Option<(InstId, Kind, Ty)> {
    let inst = &kernel.insts[id];
    if let Op::Load { ptr } = inst.op {
        Some((ptr, Kind::Load, inst.ty))
    } else if let Op::Store { ptr, value } = inst.op {
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

/// The cost of a request, as far as it was added up.
#[derive(Default)]
struct Sum {
    cost: Option<Cost>,
    unknown: Option<Why>,
    /// Prices that were computed: most warps ask for the same.
    prices: Vec<(Lanes, Price)>,
    /// Where these are, by what decides them, with a number that tells most of that apart.
    patterns: Vec<(u64, Pattern, usize)>,
}

impl Sum {
    fn add(&mut self, request: &Request, trace: &Trace, event: &Event, access: &symbolic::Access) {
        let why = match (&access.offset, event.active.which) {
            _ if request.bytes == 0 => Some(Why::Size),
            (None, _) => Some(Why::Address),
            (Some(_), Which::Some | Which::One) => Some(Why::Lanes),
            (Some(_), Which::All | Which::Guarded | Which::Warps) => None,
        };
        self.unknown = self.unknown.or(why);
        let Some(offset) = access.offset.as_ref().filter(|_| self.unknown.is_none()) else {
            return;
        };
        for warp in 0..event.active.threads.warps() {
            let active = event.active.threads.warp(warp);
            if active == 0 {
                continue;
            }
            let price = self.price(request, offset, warp, active);
            match price
                .or_else(|symbol| self.bound(trace, request, (offset, warp, active)).ok_or(symbol))
            {
                Ok(index) => self.pay(index, event.active.which == Which::Warps),
                Err(symbol) => {
                    self.unknown = Some(Why::Stride(trace.symbols[symbol].of));
                    return;
                }
            }
        }
    }

    /// The number of the price of what the `active` lanes of a warp want.
    fn price(
        &mut self,
        request: &Request,
        offset: &Value,
        warp: usize,
        active: u32,
    ) -> Result<usize, SymbolId> {
        let pattern = Pattern::of(offset, warp, active)?;
        if let Some(known) = pattern.and_then(|pattern| self.known(pattern)) {
            return Ok(known);
        }
        let lanes = Lanes::of(offset, warp, active)?.normal(WINDOW);
        let known = self.prices.iter().position(|(other, _)| *other == lanes);
        let index = known.unwrap_or(self.prices.len());
        if known.is_none() {
            let price = lanes.price(request.space, request.kind, request.bytes);
            self.prices.push((lanes, price));
        }
        if let Some(pattern) = pattern {
            self.patterns.push((pattern.fingerprint(), pattern, index));
        }
        Ok(index)
    }

    /// The same where a launch decides how far lanes are apart: bounds, if they are of use.
    fn bound(
        &mut self,
        trace: &Trace,
        request: &Request,
        (offset, warp, active): (&Value, usize, u32),
    ) -> Option<usize> {
        if request.space != Space::Global || request.kind == Kind::Atomic {
            return None;
        }
        let lanes = Lanes::at_least(trace, offset, warp, active)?.normal(WINDOW);
        let price = lanes.price(request.space, request.kind, request.bytes);
        let [least, most] = price.taken;
        if least < 2 * price.ideal && most > price.ideal {
            return None;
        }
        let known = self.prices.iter().position(|(other, _)| *other == lanes);
        if known.is_none() {
            self.prices.push((lanes, price));
        }
        Some(known.unwrap_or(self.prices.len() - 1))
    }

    /// The number of the price of lanes of which this decides.
    fn known(&self, pattern: Pattern) -> Option<usize> {
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

    fn pay(&mut self, index: usize, some_warps: bool) {
        let (lanes, price) = &self.prices[index];
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
            (None, None) => Verdict::Unknown(Why::NotRun),
        }
    }
}
