//! Of every access, the request that was worst: who asked for what.
use crate::{
    bytecode::{Counted, Request},
    observe::counters::tally::Asked,
    vector::lanes::resolve,
};
use std::cmp::Reverse;
use warpwise_compiler::hardware::{Kind, LANES};

/// The request of an instruction that took the most more than it needs; of several, one of the
/// lowest block. It is the same for any number of workers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorstRequest {
    /// What it does.
    pub kind: Kind,
    /// Whether it is shared memory, which takes wavefronts, or global memory, which moves sectors.
    pub is_shared: bool,
    /// Bytes of a lane.
    pub bytes: u32,
    /// Number of the block, x fastest.
    pub block: u64,
    /// Number of the warp in its block.
    pub warp: u32,
    /// The lanes that take part, the lowest bit being lane 0.
    pub active: u32,
    /// Number of the memory that the first of them goes to: of parameters first, then of shared arrays.
    pub memory: usize,
    /// How many bytes from its beginning each lane's first byte is; `None` of a lane that does not take part, or
    /// that goes to another memory.
    pub offsets: [Option<u64>; LANES],
    /// Wavefronts or sectors that it took.
    pub taken: u64,
    /// How many it needs.
    pub ideal: u64,
}

impl WorstRequest {
    /// Whether it took more than it needs by more than `other` did, or by as much and more in all.
    pub fn is_worse_than(&self, other: &Self) -> bool {
        let rank = |of: &Self| (of.taken.saturating_sub(of.ideal), of.taken);
        rank(self) > rank(other)
    }
}

/// What is kept of one while blocks run.
#[derive(Clone, Debug)]
pub(crate) struct Noted {
    asked: Asked,
    at: At,
    addresses: [u64; LANES],
}

/// Who asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    /// Number of the block.
    pub(crate) block: u64,
    /// Number of the warp in its block.
    pub(crate) warp: u32,
    /// Its lanes.
    pub(crate) active: u32,
}

/// Of each request of a kernel, the worst.
#[derive(Debug, Default)]
pub(crate) struct Worst(Vec<Option<Box<Noted>>>);

impl Worst {
    /// None yet.
    pub(crate) fn new(counted: &Counted) -> Self {
        Self(counted.requests.iter().map(|_| None).collect())
    }

    /// Whether what was asked is worse than all before.
    #[inline]
    pub(crate) fn is_beaten(&self, request: u32, asked: Asked, block: u64) -> bool {
        match &self.0[request as usize] {
            Some(noted) => rank(asked, block) > noted.rank(),
            None => true,
        }
    }

    /// Keeps what [beats](Self::is_beaten) the others.
    pub(crate) fn note(&mut self, request: u32, asked: Asked, at: At, addresses: [u64; LANES]) {
        self.0[request as usize] = Some(Box::new(Noted { asked, at, addresses }));
    }

    /// Takes in those of other blocks.
    pub(crate) fn join(&mut self, other: Self) {
        if self.0.is_empty() {
            self.0 = other.0;
            return;
        }
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            let is_worse =
                |theirs: &Noted| mine.as_ref().is_none_or(|mine| theirs.rank() > mine.rank());
            if theirs.as_deref().is_some_and(is_worse) {
                *mine = theirs;
            }
        }
    }

    /// The worst of a request.
    pub(crate) fn of(&self, number: u32, request: &Request) -> Option<WorstRequest> {
        let Noted { asked, at, addresses } = &**self.0.get(number as usize)?.as_ref()?;
        let first = addresses[at.active.trailing_zeros() as usize % LANES];
        let (memory, _) = resolve(first);
        let offset = |lane: usize| {
            let (found, offset) = resolve(addresses[lane]);
            (at.active >> lane & 1 != 0 && found == memory).then_some(offset)
        };
        Some(WorstRequest {
            kind: request.kind,
            is_shared: request.is_shared,
            bytes: request.bytes,
            block: at.block,
            warp: at.warp,
            active: at.active,
            memory: memory.into(),
            offsets: std::array::from_fn(offset),
            taken: asked.taken,
            ideal: asked.ideal,
        })
    }
}

impl Noted {
    fn rank(&self) -> (u64, u64, Reverse<u64>) {
        rank(self.asked, self.at.block)
    }
}

/// How bad a request of a block is.
fn rank(asked: Asked, block: u64) -> (u64, u64, Reverse<u64>) {
    (asked.taken.saturating_sub(asked.ideal), asked.taken, Reverse(block))
}
