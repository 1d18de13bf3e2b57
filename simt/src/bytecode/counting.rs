//! The counters of a program: the segments, branches, loops and requests that its instructions
//! count.
use super::{Address, Operand};
use warpwise_compiler::{
    hardware::{Kind, constant, global, shared},
    ir::{InstId, Space},
};

/// The machine code whose requests and branches are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requests {
    /// That of the kernel as it is written: each load and each store is a request of its own, and
    /// each `if` a branch.
    Scalars,
    /// That of an optimized kernel: neighbouring accesses are one request where the PTX back end
    /// merges them, up to 16 bytes a lane (see [`vectors`](warpwise_compiler::analysis::vectors)),
    /// and short arms run under a [predicate](warpwise_compiler::analysis::predication).
    Vectors,
}

/// The counters that a program needs, and the ones of each instruction.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// Number of segments.
    pub(crate) segments: usize,
    /// Per segment, the loop of which it begins an iteration.
    pub(crate) iterations: Vec<Option<u32>>,
    /// Number of loops.
    pub(crate) loops: usize,
    /// Number of branches at which lanes may diverge.
    pub(crate) branches: usize,
    /// The memory requests.
    pub(crate) requests: Vec<Request>,
    /// Number of reads of textures.
    pub(crate) texture_reads: usize,
    /// Number of accesses to local memory.
    pub(crate) local_accesses: usize,
    /// Number of instructions that copy in bulk.
    pub(crate) bulk_copies: usize,
    /// One entry per instruction of the kernel; empty if nothing is counted.
    pub(crate) entries: Vec<Entry>,
}

/// The counters of one instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    /// The segment of the lanes that execute it; for a `for`, of those that enter it.
    pub(crate) segment: Option<u32>,
    /// The segment of the lanes that reach the end of an iteration of a `for`.
    pub(crate) iteration: Option<u32>,
    /// True if every execution is a branch.
    pub(crate) is_branch: bool,
    /// The branch at which lanes may diverge.
    pub(crate) branch: Option<u32>,
    /// The number of a loop.
    pub(crate) trips: Option<u32>,
    /// The memory request that it makes.
    pub(crate) request: Option<u32>,
    /// The memory request for the destination of an asynchronous copy.
    pub(crate) destination: Option<u32>,
    /// The read of a texture.
    pub(crate) texture_read: Option<u32>,
    /// The access to local memory.
    pub(crate) local_access: Option<u32>,
    /// The copies in bulk.
    pub(crate) bulk_copy: Option<u32>,
    /// True if another instruction makes the request that it is part of.
    pub(crate) is_merged: bool,
}

/// A request: the access of one warp to shared, global or constant memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) kind: Kind,
    /// The memory, which is not local.
    pub(crate) space: Space,
    /// Bytes per lane.
    pub(crate) bytes: u32,
    pub(crate) at: Address<Operand>,
    /// The address in the kernel, up to a constant.
    pub(crate) ptr: InstId,
    /// The period of the cost in bytes, a power of two: two requests whose addresses differ by a
    /// multiple of it cost the same.
    pub(crate) phases: u64,
}

impl Request {
    /// Returns the number of rounds after which the cost repeats, if the address advances by `step`
    /// bytes in each round.
    pub(crate) fn period(&self, step: u64) -> u64 {
        self.phases >> step.trailing_zeros().min(self.phases.trailing_zeros())
    }

    /// Returns true for atomic requests to shared memory of which all lanes are served together.
    pub(crate) fn is_served_at_once(&self) -> bool {
        self.kind == Kind::Atomic
            && self.space == Space::Shared
            && u64::from(self.bytes) <= shared::WORD_BYTES
    }

    /// Returns the position of a byte within the period of the cost.
    pub(crate) fn phase(&self, byte: u64) -> u8 {
        (byte & (self.phases - 1)) as u8
    }
}

/// Returns the period of a request's cost in bytes.
pub(crate) fn cost_period(space: Space, bytes: u32) -> u64 {
    let word = match space {
        Space::Global | Space::Local => return global::SECTOR_BYTES,
        Space::Shared | Space::Cluster => shared::WORD_BYTES,
        Space::Constant => constant::WORD_BYTES,
    };
    if u64::from(bytes) < word { word } else { 1 }
}
