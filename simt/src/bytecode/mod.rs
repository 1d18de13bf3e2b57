//! What a kernel is lowered to.
//!
//! [`Step`]s stand in one list; control flow is jumps within it and a stack of
//! frames (see [`crate::exec::strand`]). What is computed lane by lane is one kind of
//! step, [`Step::Map`], with the loop over lanes as a function pointer; the other
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
    memory::Use,
    registers::{Array, Reg, Uniform},
};
pub(crate) use address::{Address, Operand};
pub(crate) use condition::{Compare, MOST_TERMS, Term};
pub use counting::Requests;
pub(crate) use counting::{Counted, Entry, Request, phases};
pub(crate) use instr::{Atomic, AtomicKind, Change, Counter, Leave, Step, When};
pub(crate) use integer::IntegerOp;
pub(crate) use pattern::{Alike, Pattern};
pub(crate) use products::{Going, Loaded, MOST_INTEGERS, MOST_PRODUCTS, Product, Sum, Sums};
pub(crate) use prologue::{Given, Preset, Slope, WalkOf};
pub use site::AccessKind;
pub(crate) use site::Site;
pub(crate) use warp::{Inputs, WarpOp, complete, exchange, reduced};
use warpwise_compiler::ir::{BinaryOp, InstId, Kernel, MessageId, Scalar, Size, Span};

/// Bytes of a shared array, far beyond what any GPU has.
pub(crate) const SHARED_LIMIT: u64 = 16 << 20;

/// How long a strand may go round loops that may wait for others, before they get a
/// turn: the costs of its [`Step::Back`]s together.
pub(crate) const PATIENCE: i64 = 1 << 18;

/// What an iteration of a loop costs that may well wait for others.
pub(crate) const SPIN: i64 = PATIENCE >> 6;

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
    pub(crate) alone: bool,
    /// What is run.
    pub(crate) steps: Vec<Step>,
    /// Where in the source each step came from.
    pub(crate) spans: Vec<Span>,
    /// Whether blocks meet: whether some step is [`Step::SyncGrid`].
    pub(crate) meets: bool,
    /// What the atomic steps do.
    pub(crate) atomics: Vec<Atomic>,
    /// What the steps that print or panic say.
    pub(crate) said: Vec<Said>,
    /// Number of uniform values.
    pub(crate) uniforms: usize,
    /// Uniform values that stand before the first step.
    pub(crate) given: Vec<(Uniform, Given)>,
    /// Those that are computed once for each launch, `d = f(a, b, c)` of `[d, a, b, c]`, in order.
    pub(crate) launch: Vec<(LaneFn, [Uniform; 4])>,
    /// What affine values have of the index of each thread.
    pub(crate) slopes: Vec<Slope>,
    /// How accesses by affine addresses go over the lanes.
    pub(crate) walks: Vec<WalkOf>,
    /// Products of what is loaded, added to something.
    pub(crate) products: Vec<Product>,
    /// What lanes part by that may be known for all of them.
    pub(crate) decisions: Vec<Box<[Term]>>,
    /// Loops that are nothing but such products.
    pub(crate) sums: Vec<Sums>,
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
    pub(crate) choices: Vec<(u32, Choice)>,
    /// Whether it has releases, acquires or fences, if that matters to the checks.
    pub(crate) synchronizes: bool,
    /// What is told, if the steps tell.
    pub(crate) points: Vec<Point>,
    /// What may change something, if the steps tell.
    pub(crate) changes: Vec<Change>,
}

/// How it depends on operands of a step whether others matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The first says which of the two others it is.
    Select,
    /// One that is true decides.
    Or,
    /// One that is false decides.
    And,
}

impl Choice {
    /// That of an operation on `bool`s.
    pub(crate) const fn of(op: BinaryOp) -> Option<Self> {
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
pub(crate) struct Point {
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
    pub(crate) access: Use,
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
    Slice { size: u64, access: Use },
}

/// A message with its values.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) message: MessageId,
    pub(crate) values: Vec<Operand>,
}
