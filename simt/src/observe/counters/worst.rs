//! The most expensive request of every access.
use crate::{
    bytecode::{Counted, Request},
    observe::counters::tally::RequestCost,
    vector::lanes::resolve,
};
use std::cmp::Reverse;
use warpwise_compiler::{
    hardware::{Kind, LANES},
    ir::Space,
};

/// The request of an instruction with the largest excess cost; of equal ones, the one of the lowest
/// block. It is the same for any number of workers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorstRequest {
    /// The kind of access.
    pub kind: Kind,
    /// The memory: shared and constant memory take wavefronts, global memory transfers sectors.
    pub space: Space,
    /// Bytes per lane.
    pub bytes: u32,
    /// Number of the block, x fastest.
    pub block: u64,
    /// Number of the warp in its block.
    pub warp: u32,
    /// The active lanes: bit l for lane l.
    pub active: u32,
    /// Number of the parameter or shared array that the first active lane accesses: parameters
    /// first, then shared arrays.
    pub memory: usize,
    /// By lane, the offset of the first byte in the memory of that parameter or array, of which a
    /// slice need not be the beginning; `None` for an inactive lane and for one that accesses
    /// another memory.
    pub offsets: [Option<u64>; LANES],
    /// The wavefronts or sectors that it took.
    pub taken: u64,
    /// The wavefronts or sectors that it needs at least.
    pub ideal: u64,
}

impl WorstRequest {
    /// Returns true if the excess cost of this request is larger, or equal with a larger cost.
    pub fn is_worse_than(&self, other: &Self) -> bool {
        let rank = |of: &Self| (of.taken.saturating_sub(of.ideal), of.taken);
        rank(self) > rank(other)
    }
}

/// The most expensive request so far.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    cost: RequestCost,
    requester: Requester,
    accessed: AccessedMemory,
}

/// The memory that the lanes of a request access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessedMemory {
    /// Number of the parameter or shared array that the first active lane accesses.
    pub(crate) buffer: u16,
    /// By lane, the address of the first byte in the memory, of which a slice is a view.
    pub(crate) addresses: [u64; LANES],
}

impl AccessedMemory {
    /// Returns the memory at some addresses of shared arrays.
    pub(crate) fn shared(addresses: [u64; LANES], active: u32) -> Self {
        Self { buffer: buffer_of_first(&addresses, active), addresses }
    }
}

/// Returns the buffer that the first active lane addresses.
pub(crate) fn buffer_of_first(addresses: &[u64; LANES], active: u32) -> u16 {
    resolve(addresses[active.trailing_zeros() as usize % LANES]).0
}

/// The lanes that make a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requester {
    /// Number of the block.
    pub(crate) block: u64,
    /// Number of the warp in its block.
    pub(crate) warp: u32,
    /// The active lanes.
    pub(crate) active: u32,
}

/// The most expensive request so far, by instruction that makes requests.
#[derive(Debug, Default)]
pub(crate) struct WorstRequests(Vec<Option<Box<Candidate>>>);

impl WorstRequests {
    /// Creates an empty table.
    pub(crate) fn new(counted: &Counted) -> Self {
        Self(counted.requests.iter().map(|_| None).collect())
    }

    /// Returns true if a request of this cost would be the most expensive one.
    #[inline]
    pub(crate) fn is_exceeded_by(&self, request: u32, cost: RequestCost, block: u64) -> bool {
        match &self.0[request as usize] {
            Some(candidate) => rank(cost, block) > candidate.rank(),
            None => true,
        }
    }

    /// Stores a request that [exceeds](Self::is_exceeded_by) the earlier ones.
    pub(crate) fn set(
        &mut self,
        request: u32,
        cost: RequestCost,
        requester: Requester,
        accessed: AccessedMemory,
    ) {
        self.0[request as usize] = Some(Box::new(Candidate { cost, requester, accessed }));
    }

    /// Adds the requests of other blocks.
    pub(crate) fn join(&mut self, other: Self) {
        if self.0.is_empty() {
            self.0 = other.0;
            return;
        }
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            let is_worse =
                |theirs: &Candidate| mine.as_ref().is_none_or(|mine| theirs.rank() > mine.rank());
            if theirs.as_deref().is_some_and(is_worse) {
                *mine = theirs;
            }
        }
    }

    /// Returns the most expensive request of an instruction.
    pub(crate) fn get(&self, number: u32, request: &Request) -> Option<WorstRequest> {
        let Candidate { cost, requester: at, accessed: AccessedMemory { buffer, addresses } } =
            &**self.0.get(number as usize)?.as_ref()?;
        let memory = buffer_of_first(addresses, at.active);
        let offset = |lane: usize| {
            let (found, offset) = resolve(addresses[lane]);
            (at.active >> lane & 1 != 0 && found == memory).then_some(offset)
        };
        Some(WorstRequest {
            kind: request.kind,
            space: request.space,
            bytes: request.bytes,
            block: at.block,
            warp: at.warp,
            active: at.active,
            memory: usize::from(*buffer),
            offsets: std::array::from_fn(offset),
            taken: cost.taken,
            ideal: cost.ideal,
        })
    }
}

impl Candidate {
    fn rank(&self) -> (u64, u64, Reverse<u64>) {
        rank(self.cost, self.requester.block)
    }
}

/// Returns the order of requests by cost.
fn rank(cost: RequestCost, block: u64) -> (u64, u64, Reverse<u64>) {
    (cost.taken.saturating_sub(cost.ideal), cost.taken, Reverse(block))
}
