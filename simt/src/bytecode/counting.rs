//! The counters of a program: the segments, branches, loops and requests that its instructions count.
use super::{Address, Operand};
use warpwise_compiler::{
    hardware::{Kind, global, shared},
    ir::InstId,
};

/// Which accesses of a thread are one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requests {
    /// Every load and store by itself.
    Scalars,
    /// Neighbouring ones together where the PTX back end makes one of them, up to 16 bytes a lane
    /// (see [`vectors`](warpwise_compiler::analysis::vectors)): what a GPU does with the optimized kernel.
    Vectors,
}

/// What steps count, and where to find it.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// How many segments there are.
    pub(crate) segments: usize,
    /// Of each, the loop of which it begins an iteration.
    pub(crate) iterations: Vec<Option<u32>>,
    /// How many loops there are.
    pub(crate) loops: usize,
    /// How many branches lanes may part at.
    pub(crate) branches: usize,
    /// What accesses ask of memory.
    pub(crate) requests: Vec<Request>,
    /// One for each instruction of the kernel; none if nothing is counted.
    pub(crate) entries: Vec<Entry>,
}

/// Where the counts of an instruction are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    /// Who executes it; of a `for`, who comes to it.
    pub(crate) segment: Option<u32>,
    /// Who comes to the end of an iteration of a `for`.
    pub(crate) iteration: Option<u32>,
    /// Whether who comes to it executes a branch.
    pub(crate) is_branch: bool,
    /// Where lanes part.
    pub(crate) branch: Option<u32>,
    /// Of a loop, its number.
    pub(crate) trips: Option<u32>,
    /// What it asks of memory.
    pub(crate) request: Option<u32>,
    /// Whether it is a part of a request that another instruction makes.
    pub(crate) is_merged: bool,
}

/// What a warp asks of shared or global memory at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) kind: Kind,
    /// Whether it is shared memory.
    pub(crate) is_shared: bool,
    /// Bytes of a lane.
    pub(crate) bytes: u32,
    pub(crate) at: Address<Operand>,
    /// The same before lowering, but for a constant.
    pub(crate) ptr: InstId,
    /// After how many bytes it asks the same again: a power of two.
    pub(crate) phases: u64,
}

impl Request {
    /// After how many rounds it asks the same again, if it goes on by so many bytes in each.
    pub(crate) fn period(&self, step: u64) -> u64 {
        self.phases >> step.trailing_zeros().min(self.phases.trailing_zeros())
    }

    /// Returns true for atomic requests to shared memory of which all lanes are served together.
    pub(crate) fn is_served_at_once(&self) -> bool {
        self.kind == Kind::Atomic && self.is_shared && u64::from(self.bytes) <= shared::WORD_BYTES
    }

    /// Where a byte is among those after which it asks the same again.
    pub(crate) fn phase(&self, byte: u64) -> u8 {
        (byte & (self.phases - 1)) as u8
    }
}

/// After how many bytes a request asks the same again.
pub(crate) fn phases(is_shared: bool, bytes: u32) -> u64 {
    if !is_shared {
        global::SECTOR_BYTES
    } else if u64::from(bytes) < shared::WORD_BYTES {
        shared::WORD_BYTES
    } else {
        1
    }
}
