//! Bytecode: the translation of a kernel, which the executor runs.
//!
//! [`Instr`]s are one list; control flow is jumps within it and a stack of frames (see
//! [`crate::exec::strand`]). Computation lane by lane is one kind of instruction, [`Instr::Map`],
//! with the loop over lanes as a function pointer; the other kinds move data, synchronize threads,
//! or decide control flow. An instruction refers to larger operands by their index in a table of
//! [`Code`].
mod address;
mod condition;
mod counting;
mod instr;
mod integer;
mod pattern;
mod products;
mod prologue;
mod site;
mod tensor;
mod texture;
mod warp;
mod wgmma;

use crate::vector::{
    lanes::LaneFn,
    memory::AccessMode,
    registers::{Array, Reg, Uniform},
};
pub(crate) use address::{Address, Operand};
pub(crate) use condition::{Compare, MAX_CONDITION_TERMS, Term};
pub use counting::Requests;
pub(crate) use counting::{Counted, Entry, Request, cost_period};
pub(crate) use instr::{
    AsyncCopy, Atomic, AtomicKind, COPY_WORD_BYTES, Change, Counter, Instr, Leave, When,
};
pub(crate) use integer::IntegerOp;
pub(crate) use pattern::{Pattern, UniformGroup};
pub(crate) use products::{
    Accumulation, AffineLoad, DotProductLoop, FactorRequest, MAX_ROUND_INTEGERS,
    MAX_ROUND_PRODUCTS, Product,
};
pub(crate) use prologue::{Input, Preset, Slope, WalkSpec};
pub use site::AccessKind;
pub(crate) use site::Site;
pub(crate) use tensor::{BulkStore, SharedEnd, TensorCopy};
pub(crate) use texture::TextureRead;
pub(crate) use warp::{
    MatrixInstr, MatrixWord, WarpInputs, WarpInstr, complete_lanes, execute_warp_instr,
    reduce_barrier,
};
use warpwise_compiler::ir::{BinaryOp, CoarseGrid, InstId, Kernel, MessageId, Scalar, Size, Span};
pub(crate) use wgmma::{LeftFactor, Tile, WarpgroupProduct};

/// The most bytes of a shared array, far beyond what any GPU has.
pub(crate) const MAX_SHARED_ARRAY_BYTES: u64 = 16 << 20;

/// The total cost of [`Instr::BackEdge`]s that a strand may spend in loops that may wait for
/// others, before the others get a turn.
pub(crate) const SPIN_BUDGET: i64 = 1 << 18;

/// The cost of an iteration of a loop that probably waits for others.
pub(crate) const SPIN_ITERATION_COST: i64 = SPIN_BUDGET >> 6;

/// A broken rule that the verifier checks, or an unbound generic parameter.
#[derive(Clone, Debug)]
pub(crate) struct Malformed {
    pub(crate) message: String,
    pub(crate) span: Span,
}

/// An array of mbarriers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MBarrierArray {
    /// Number of the buffer.
    pub(crate) buffer: u16,
    /// Number of elements.
    pub(crate) len: u32,
    /// The number of arrivals that complete a phase.
    pub(crate) arrivals: u32,
}

/// The bytecode of a kernel.
#[derive(Debug)]
pub(crate) struct Code {
    /// The parameters.
    pub(crate) params: Vec<Param>,
    /// Threads in a block, where the kernel declares them.
    pub(crate) block: Option<[u64; 3]>,
    /// The block-shared arrays. Buffers are numbered: parameters first, then these, then `arrays`.
    pub(crate) shared: Vec<SharedArray>,
    /// The thread-local arrays, which are in registers.
    pub(crate) arrays: Vec<Array>,
    /// True if one thread of the host must run the whole launch, because the kernel may access
    /// bytes of one memory in words of several sizes at once, or because its checks depend on the
    /// order of blocks.
    pub(crate) single_worker: bool,
    /// The instructions.
    pub(crate) instrs: Vec<Instr>,
    /// The source position of each instruction.
    pub(crate) spans: Vec<Span>,
    /// True if some instruction is [`Instr::SyncGrid`].
    pub(crate) syncs_grid: bool,
    /// The blocks of a cluster along x, y and z, if blocks run in clusters.
    pub(crate) cluster: Option<[u32; 3]>,
    /// The division of the grid, if the kernel's threads are coarsened and its counters are those
    /// of a GPU.
    pub(crate) coarse_grid: Option<CoarseGrid>,
    /// Number of the first buffer after the kernel's own: the buffers from here on are the shared
    /// arrays of the blocks of the cluster, all of one block after all of another.
    pub(crate) first_mapped: u16,
    /// True if some instruction is [`Instr::NamedBarrier`] or [`Instr::WarpgroupSync`].
    pub(crate) has_named_barriers: bool,
    /// The arrays of mbarriers.
    pub(crate) mbarriers: Vec<MBarrierArray>,
    /// The operands of the atomic instructions.
    pub(crate) atomics: Vec<Atomic>,
    /// The asynchronous copies.
    pub(crate) async_copies: Vec<AsyncCopy>,
    /// The copies of boxes of tensors to shared memory.
    pub(crate) tensor_copies: Vec<TensorCopy>,
    /// True if copies go to several blocks of a cluster.
    pub(crate) has_multicasts: bool,
    /// The stores in bulk.
    pub(crate) bulk_stores: Vec<BulkStore>,
    /// The messages of the instructions that print or panic.
    pub(crate) messages: Vec<Message>,
    /// The words of operations on matrices.
    pub(crate) matrix_words: Vec<MatrixWord>,
    /// The matrix products of warpgroups.
    pub(crate) warpgroup_products: Vec<WarpgroupProduct>,
    /// The reads of textures.
    pub(crate) texture_reads: Vec<TextureRead>,
    /// Number of uniform values.
    pub(crate) uniforms: usize,
    /// The uniform values that are known when a block starts.
    pub(crate) inputs: Vec<(Uniform, Input)>,
    /// The uniform values that are computed once per launch, `d = f(a, b, c)` of `[d, a, b, c]`, in
    /// order.
    pub(crate) launch: Vec<(LaneFn, [Uniform; 4])>,
    /// The parts of affine values that depend on the index of the thread.
    pub(crate) slopes: Vec<Slope>,
    /// The orders in which accesses by affine addresses visit the lanes.
    pub(crate) walks: Vec<WalkSpec>,
    /// The products of loaded factors, added to something.
    pub(crate) products: Vec<Product>,
    /// The branch conditions that may be decided for all lanes at once.
    pub(crate) decisions: Vec<Box<[Term]>>,
    /// The loops that only add such products.
    pub(crate) dot_product_loops: Vec<DotProductLoop>,
    /// The comparisons of affine values.
    pub(crate) compares: Vec<Compare>,
    /// The registers that are filled before the first instruction.
    pub(crate) preset: Vec<(Reg, Preset)>,
    /// Bytes per lane of all registers.
    pub(crate) register_bytes: usize,
    /// The counters, if the instructions count.
    pub(crate) counted: Counted,
    /// The rewritten kernel, if the kernel was rewritten and is counted or checked. Requests refer
    /// to it.
    pub(crate) rewritten: Option<Kernel>,
    /// The accesses to memory, if they are checked: one for each of the requests in `counted`.
    pub(crate) sites: Vec<Site>,
    /// The instructions of which only some operands matter, ascending, if undefined values are
    /// tracked.
    pub(crate) choices: Vec<(u32, OperandChoice)>,
    /// True if the kernel has releases, acquires, fences, named barriers or mbarriers, if that
    /// matters to the checks.
    pub(crate) synchronizes: bool,
    /// The points at which threads report to the debugger.
    pub(crate) points: Vec<DebugPoint>,
    /// The announced effects of instructions, for drawn schedules.
    pub(crate) changes: Vec<Change>,
}

impl Code {
    /// Returns the rank and the number of the shared array that a buffer of the cluster is; `None`
    /// for the kernel's own buffers.
    pub(crate) fn mapped_array(&self, buffer: usize) -> Option<(usize, usize)> {
        let arrays = self.shared.len();
        let mapped = buffer.checked_sub(usize::from(self.first_mapped))?;
        (arrays > 0).then(|| (mapped / arrays, mapped % arrays))
    }

    /// Returns the block's own buffer that corresponds to one of the cluster, or the buffer itself.
    pub(crate) fn own_buffer(&self, buffer: u16) -> u16 {
        let mapped = self.mapped_array(buffer.into());
        mapped.map_or(buffer, |(_, array)| (self.params.len() + array) as u16)
    }

    /// Returns the blocks that run for a launch of `grid` blocks.
    pub(crate) fn divide_grid(&self, grid: [u32; 3]) -> [u32; 3] {
        self.coarse_grid.map_or(grid, |coarse_grid| coarse_grid.divide(grid).0)
    }

    /// Returns the number of blocks in a cluster: 1 without clusters.
    pub(crate) fn cluster_blocks(&self) -> u64 {
        self.cluster.map_or(1, |dims| dims.iter().map(|dim| u64::from(*dim)).product())
    }
}

/// The rule by which some operands decide whether others matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandChoice {
    /// The first operand selects one of the two others.
    Select,
    /// An operand that is true decides the result.
    Or,
    /// An operand that is false decides the result.
    And,
}

impl OperandChoice {
    /// Returns the rule of an operation on `bool`s.
    pub(crate) const fn for_bool_op(op: BinaryOp) -> Option<Self> {
        if matches!(op, BinaryOp::Or) {
            Some(Self::Or)
        } else if matches!(op, BinaryOp::And) {
            Some(Self::And)
        } else {
            None
        }
    }
}

/// A point of the kernel at which threads report to the debugger.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DebugPoint {
    pub(crate) inst: InstId,
    pub(crate) stage: Stage,
    /// The value that the instruction has yielded.
    pub(crate) value: Option<Operand>,
    /// True if the point is reported; false if only its value is recorded.
    pub(crate) tells: bool,
}

/// A stage in the execution of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Threads are about to execute it.
    Reached,
    /// Threads have executed it.
    Done,
    /// Threads begin an iteration of it, a `for`.
    Iteration,
}

/// A block-shared array.
#[derive(Clone, Debug)]
pub(crate) struct SharedArray {
    /// The word sizes of its accesses.
    pub(crate) access: AccessMode,
    /// Its size.
    pub(crate) bytes: Bytes,
}

/// The size of a shared array in bytes.
#[derive(Clone, Debug)]
pub(crate) enum Bytes {
    /// A fixed size.
    Fixed(u64),
    /// `len`, which the launch evaluates, times the bytes of an element.
    Launch { len: Size, each: u64 },
}

/// A parameter of the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Param {
    /// A value of this type.
    Scalar(Scalar),
    /// Elements.
    Slice {
        /// Bytes of an element.
        size: u64,
        /// The alignment of an element in bytes.
        align: u64,
        /// The word sizes of the accesses.
        access: AccessMode,
        /// True if no thread writes the elements during a launch.
        is_read_only: bool,
    },
}

/// A message and its values.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) message: MessageId,
    pub(crate) values: Vec<Operand>,
}
