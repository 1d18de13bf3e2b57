//! What a kernel is lowered to.
//!
//! [`Instr`]s stand in one list; control flow is jumps within it and a stack of
//! frames (see [`crate::exec::strand`]). What is computed lane by lane is one kind of
//! step, [`Instr::Map`], with the loop over lanes as a function pointer; the other
//! kinds move data, meet other threads, or decide what runs next.
mod address;
mod condition;
mod counting;
mod instr;
mod integer;
mod pattern;
mod products;
mod prologue;
mod site;
mod warp;

use crate::vector::{
    lanes::LaneFn,
    memory::AccessMode,
    registers::{Array, Reg, Uniform},
};
pub(crate) use address::{Address, Operand};
pub(crate) use condition::{Compare, MAX_CONDITION_TERMS, Term};
pub use counting::Requests;
pub(crate) use counting::{Counted, Entry, Request, phases};
pub(crate) use instr::{Atomic, AtomicKind, Change, Counter, Instr, Leave, When};
pub(crate) use integer::IntegerOp;
pub(crate) use pattern::{Alike, Pattern};
pub(crate) use products::{
    Accumulation, AffineLoad, DotProductLoop, FactorRequest, MAX_ROUND_INTEGERS,
    MAX_ROUND_PRODUCTS, Product,
};
pub(crate) use prologue::{Input, Preset, Slope, WalkSpec};
pub use site::AccessKind;
pub(crate) use site::Site;
pub(crate) use warp::{WarpInputs, WarpOp, complete, exchange, reduced};
use warpwise_compiler::ir::{BinaryOp, InstId, Kernel, MessageId, Scalar, Size, Span};

/// Bytes of a shared array, far beyond what any GPU has.
pub(crate) const MAX_SHARED_ARRAY_BYTES: u64 = 16 << 20;

/// How long a strand may go round loops that may wait for others, before they get a
/// turn: the costs of its [`Instr::BackEdge`]s together.
pub(crate) const SPIN_BUDGET: i64 = 1 << 18;

/// What an iteration of a loop costs that may well wait for others.
pub(crate) const SPIN_ITERATION_COST: i64 = SPIN_BUDGET >> 6;

/// A rule broken that the verifier checks, or a generic parameter left.
#[derive(Clone, Debug)]
pub(crate) struct Malformed {
    pub(crate) message: String,
    pub(crate) span: Span,
}

/// What lowering makes of a kernel.
#[derive(Debug)]
pub(crate) struct Code {
    /// The kernel's parameters.
    pub(crate) params: Vec<Param>,
    /// Threads in a block, where the kernel declares them.
    pub(crate) block: Option<[u64; 3]>,
    /// The block-shared arrays. Buffers are numbered: parameters first, then these, then `arrays`.
    pub(crate) shared: Vec<SharedArray>,
    /// The arrays that each thread has of its own, in registers.
    pub(crate) arrays: Vec<Array>,
    /// Whether one thread of the host must run it all: as it may access bytes of one memory in words of several sizes at the
    /// same time, or as what is checked of it depends on the order of blocks.
    pub(crate) single_worker: bool,
    /// What is run.
    pub(crate) instrs: Vec<Instr>,
    /// Where in the source each step came from.
    pub(crate) spans: Vec<Span>,
    /// Whether blocks meet: whether some step is [`Instr::SyncGrid`].
    pub(crate) syncs_grid: bool,
    /// What the atomic steps do.
    pub(crate) atomics: Vec<Atomic>,
    /// What the steps that print or panic say.
    pub(crate) messages: Vec<Message>,
    /// Number of uniform values.
    pub(crate) uniforms: usize,
    /// Uniform values that stand before the first step.
    pub(crate) inputs: Vec<(Uniform, Input)>,
    /// Those that are computed once for each launch, `d = f(a, b, c)` of `[d, a, b, c]`, in order.
    pub(crate) launch: Vec<(LaneFn, [Uniform; 4])>,
    /// What affine values have of the index of each thread.
    pub(crate) slopes: Vec<Slope>,
    /// How accesses by affine addresses go over the lanes.
    pub(crate) walks: Vec<WalkSpec>,
    /// Products of what is loaded, added to something.
    pub(crate) products: Vec<Product>,
    /// What lanes part by that may be known for all of them.
    pub(crate) decisions: Vec<Box<[Term]>>,
    /// Loops that are nothing but such products.
    pub(crate) dot_product_loops: Vec<DotProductLoop>,
    /// The comparisons of affine values.
    pub(crate) compares: Vec<Compare>,
    /// Registers that are filled before the first step.
    pub(crate) preset: Vec<(Reg, Preset)>,
    /// Bytes a lane of all registers.
    pub(crate) register_bytes: usize,
    /// What is counted, if the steps count.
    pub(crate) counted: Counted,
    /// What the kernel was rewritten to, if it was and something is counted or checked: what the requests are of.
    pub(crate) rewritten: Option<Kernel>,
    /// What accesses memory, if the steps check that: one for each of the requests in `counted`.
    pub(crate) sites: Vec<Site>,
    /// The steps of which it depends on operands whether others matter, ascending, if undefined values are followed.
    pub(crate) choices: Vec<(u32, OperandChoice)>,
    /// Whether it has releases, acquires or fences, if that matters to the checks.
    pub(crate) synchronizes: bool,
    /// What is told, if the steps tell.
    pub(crate) points: Vec<DebugPoint>,
    /// What may change something, if the steps tell.
    pub(crate) changes: Vec<Change>,
}

/// How it depends on operands of a step whether others matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandChoice {
    /// The first says which of the two others it is.
    Select,
    /// One that is true decides.
    Or,
    /// One that is false decides.
    And,
}

impl OperandChoice {
    /// That of an operation on `bool`s.
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

/// A point of the kernel at which threads tell that they are there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DebugPoint {
    pub(crate) inst: InstId,
    pub(crate) stage: Stage,
    /// What the instruction has yielded.
    pub(crate) value: Option<Operand>,
    /// Whether it is told, or only its value kept.
    pub(crate) tells: bool,
}

/// Where in an instruction threads are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// They are about to do it.
    Reached,
    /// They have done it.
    Done,
    /// They begin an iteration of it, a `for`.
    Iteration,
}

/// A block-shared array.
#[derive(Clone, Debug)]
pub(crate) struct SharedArray {
    /// How it is accessed.
    pub(crate) access: AccessMode,
    /// How large it is.
    pub(crate) bytes: Bytes,
}

/// How many bytes a shared array has.
#[derive(Clone, Debug)]
pub(crate) enum Bytes {
    /// So many.
    Fixed(u64),
    /// What the launch makes of `len`, times the bytes of an element.
    Launch { len: Size, each: u64 },
}

/// What a parameter passes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Param {
    /// A value of this type.
    Scalar(Scalar),
    /// Elements of `size` bytes, accessed so.
    Slice { size: u64, access: AccessMode },
}

/// A message with its values.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) message: MessageId,
    pub(crate) values: Vec<Operand>,
}
