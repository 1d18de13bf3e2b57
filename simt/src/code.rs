//! What a kernel is lowered to.
//!
//! [`Step`]s stand in one list; control flow is jumps within it and a stack of
//! frames (see [`crate::strand`]). What is computed lane by lane is one kind of
//! step, [`Step::Map`], with the loop over lanes as a function pointer; the other
//! kinds move data, meet other threads, or decide what runs next.
use crate::{
    bound::along,
    check::Site,
    lanes::{
        self, LaneFn, Place,
        copy::CopyWords,
        scan::{AllBelow, Transfer},
    },
    lower::Counted,
    memory::Use,
    registers::{Affine, Array, Reg, Uniform},
};
use warpwise_compiler::ir::{
    Axis, BarrierOp, Builtin, CompareOp, Fault, InstId, MatchOp, MessageId, Scalar, Scope,
    ShuffleOp, Size, Span, VoteOp,
};

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
    /// Whether one thread of the host must run it all, as it may access bytes of one memory in
    /// words of several sizes at the same time.
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
    /// What accesses memory, if the steps check that: one for each of the requests in `counted`.
    pub(crate) sites: Vec<Site>,
    /// The steps that select one of two values, ascending, if undefined ones are followed.
    pub(crate) selects: Vec<u32>,
    /// Whether it has releases, acquires or fences, if that matters to the checks.
    pub(crate) synchronizes: bool,
    /// What is told, if the steps tell.
    pub(crate) points: Vec<Point>,
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

/// A uniform value known when a block starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Given {
    /// These bits.
    Const(u64),
    /// A scalar parameter's.
    Param(usize),
    /// The number of elements of a slice parameter.
    Len(usize),
    /// Threads in a block.
    BlockDim(Axis),
    /// Blocks in the grid.
    GridDim(Axis),
    /// Index of the block.
    BlockIdx(Axis),
    /// Index in the grid of the first thread of the block.
    GlobalIdx(Axis),
    /// What [`Code::launch`] computes.
    Launch,
}

impl Given {
    /// Whether it is another one in each block.
    pub(crate) fn depends_on_block(self) -> bool {
        matches!(self, Self::BlockIdx(_) | Self::GlobalIdx(_))
    }

    /// How much more it is in the next block along x.
    pub(crate) fn ahead(self, block_dim: [u32; 3]) -> u64 {
        match self {
            Self::BlockIdx(Axis::X) => 1,
            Self::GlobalIdx(Axis::X) => along(block_dim, Axis::X).into(),
            Self::BlockIdx(Axis::Y | Axis::Z)
            | Self::GlobalIdx(Axis::Y | Axis::Z)
            | Self::Const(_)
            | Self::Param(_)
            | Self::Len(_)
            | Self::BlockDim(_)
            | Self::GridDim(_)
            | Self::Launch => 0,
        }
    }

    /// Its bits in the block of this index, among blocks of so many threads; 0 if it does not depend on that.
    pub(crate) fn in_block(self, block_dim: [u32; 3], block_idx: [u32; 3]) -> u64 {
        match self {
            Self::BlockIdx(axis) => along(block_idx, axis).into(),
            Self::GlobalIdx(axis) => {
                u64::from(along(block_idx, axis)) * u64::from(along(block_dim, axis))
            }
            Self::Const(_)
            | Self::Param(_)
            | Self::Len(_)
            | Self::BlockDim(_)
            | Self::GridDim(_)
            | Self::Launch => 0,
        }
    }
}

/// What a register holds when a block starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preset {
    /// This value, in every lane.
    Splat(Uniform, Given),
    /// What the hardware provides; one that differs from thread to thread.
    Builtin(Builtin),
    /// 0: a local that the kernel may read before it sets it.
    Zero,
    /// What each thread has of an affine value: that of this number in [`Code::slopes`].
    Slope(u16),
}

impl Preset {
    /// Whether it must be set again for each block: it is another one there, or the block before has changed it.
    pub(crate) fn is_of_block(self) -> bool {
        match self {
            Self::Splat(_, given) => given.depends_on_block(),
            Self::Builtin(builtin) => matches!(builtin, Builtin::GlobalIdx(_)),
            Self::Zero => true,
            Self::Slope(_) => false,
        }
    }
}

/// What affine values have of the index of each thread: the sum of its index in the block along
/// each axis, times a uniform value that stands for the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slope {
    /// Along each axis; `None` is 0.
    pub(crate) by: [Option<Uniform>; 3],
    /// The sums, in lanes.
    pub(crate) lanes: Reg,
}

/// How an access goes over the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WalkOf {
    /// Of the index.
    pub(crate) slope: u16,
    /// Bytes that the index counts.
    pub(crate) stride: u64,
    /// Bytes that each lane accesses.
    pub(crate) word: usize,
}

/// `to = value < with`, or another comparison, in each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compare {
    pub(crate) op: CompareOp,
    pub(crate) signed: bool,
    pub(crate) to: Reg,
    pub(crate) value: Affine,
    pub(crate) with: Uniform,
    /// The comparison of lanes, and registers for its operands.
    pub(crate) f: LaneFn,
    pub(crate) lanes: [Reg; 2],
}

/// A part of a condition. Those that others are made of come before them, and are named by their place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Term {
    /// The comparison of that number in [`Code::compares`].
    Compare(u32),
    Both(u8, u8),
    Either(u8, u8),
    Not(u8),
}

/// `to = a * b + c` of `f32`, with `a` and `b` from memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    pub(crate) to: Reg,
    pub(crate) c: Reg,
    pub(crate) factors: [Loaded; 2],
    /// What is computed where lanes are loaded before.
    pub(crate) f: LaneFn,
}

/// A `for` all rounds of which can be run at once: they add products of what is loaded, and compute
/// where that is from what is in proportion to the counter.
#[derive(Clone, Debug)]
pub(crate) struct Sums {
    pub(crate) range: Counter,
    /// How many steps a round has, which follow this one, and then the [`Step::Next`] of the loop.
    pub(crate) len: u32,
    /// What a round takes of the patience with it.
    pub(crate) cost: u32,
    /// The products of a round, by their numbers in [`Code::products`].
    pub(crate) products: Vec<u32>,
    /// What rounds add up.
    pub(crate) sums: Vec<Sum>,
    /// The segments that a round begins, if it is counted.
    pub(crate) segments: Vec<u32>,
    /// The requests that it makes, in order, if it is counted or checked.
    pub(crate) requests: Vec<Going>,
}

/// A request that goes on by as many bytes in each round as a factor does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Going {
    /// Its number in [`Counted::requests`], which is that in [`Code::sites`] if it is checked.
    pub(crate) request: u32,
    /// The number in the round of the product, and which of its factors.
    pub(crate) with: (usize, usize),
}

/// What products are added to, one behind the other.
#[derive(Clone, Debug)]
pub(crate) struct Sum {
    pub(crate) to: Reg,
    /// Of one round: the number in [`Code::products`], and the number in the round.
    pub(crate) products: Vec<(u32, usize)>,
}

/// A load by an affine address, as [`Step::LoadAffine`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loaded {
    pub(crate) to: Reg,
    pub(crate) from: Address<Affine>,
    pub(crate) walk: u16,
    pub(crate) copy: CopyWords,
}

/// A value in a register, held once, or computed from the index of each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Lanes(Reg),
    Uniform(Uniform),
    Affine(Affine),
}

/// Where an access goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Address<R> {
    /// To `index * stride + offset` in a buffer.
    Element { buffer: u16, index: R, stride: u64, offset: u64 },
    /// To `offset` bytes behind where an address (`u64`, see [`crate::lanes::resolve`]) points.
    Pointer { ptr: R, offset: u64 },
}

/// One instruction of the interpreter. Numbers of steps are `u32`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    // Values.
    /// `d = f(a, b, c)`, of `[d, a, b, c]`, in each lane.
    Map {
        f: LaneFn,
        regs: [Reg; 4],
    },
    /// The same where one operand is a value held once.
    MapWithOne {
        f: LaneFn,
        regs: [Reg; 4],
        place: Place,
        one: Uniform,
    },
    /// `d = f(a, b, c)`, once.
    Uniform {
        f: LaneFn,
        slots: [Uniform; 4],
    },
    /// The same for what addresses are mostly made of, without a call.
    Integer {
        op: IntegerOp,
        slots: [Uniform; 4],
    },
    /// Copies a uniform value to every lane.
    Splat {
        to: Reg,
        from: Uniform,
    },
    /// Computes an affine value in every lane.
    Spread {
        to: Reg,
        from: Affine,
    },
    /// The comparison of that number in [`Code::compares`].
    Compare {
        compare: u32,
    },
    /// Copies the active lanes.
    Set {
        local: Reg,
        value: Reg,
    },

    // Checks; the threads that fail them end.
    Bounds {
        index: Operand,
        len: Operand,
        all_below: AllBelow,
    },
    Check {
        cond: Operand,
        fault: Fault,
    },

    // Memory.
    Load {
        to: Reg,
        from: Address<Reg>,
        transfer: Transfer,
    },
    /// One load for all lanes.
    LoadUniform {
        to: Uniform,
        from: Address<Uniform>,
    },
    Store {
        value: Reg,
        to: Address<Operand>,
        transfer: Transfer,
    },
    /// A load from where the lanes go as that number in [`Code::walks`] says.
    LoadAffine {
        to: Reg,
        from: Address<Affine>,
        walk: u16,
        copy: CopyWords,
    },
    /// A store to there.
    StoreAffine {
        value: Reg,
        to: Address<Affine>,
        walk: u16,
        copy: CopyWords,
    },
    /// The loads and the operation of that number in [`Code::products`].
    FmaLoaded {
        product: u32,
    },
    /// What the steps that follow do in all rounds of a loop, if it can be done at once: the loop of that
    /// number in [`Code::sums`].
    Sums {
        sums: u32,
    },
    /// A load from an array of each thread's own.
    LoadLocal {
        to: Reg,
        from: Address<Operand>,
    },
    /// A store to one.
    StoreLocal {
        value: Reg,
        to: Address<Operand>,
    },
    /// The atomic access of that number in [`Code::atomics`].
    Atomic {
        access: u32,
    },
    Fence,
    /// Which lanes of its warp are running.
    ActiveMask {
        to: Reg,
    },

    // Output.
    /// Prints what stands at that number in [`Code::said`].
    Print {
        said: u32,
    },

    // Where threads meet.
    /// Waits for every thread of the grid.
    SyncGrid,
    Barrier {
        reduce: Option<(BarrierOp, Operand, Uniform)>,
    },
    Warp {
        op: WarpOp,
        mask: Option<Operand>,
    },

    // Control.
    /// Goes on there.
    Jump {
        to: u32,
    },
    /// Goes on there where a uniform `bool` is false.
    JumpUnless {
        cond: Uniform,
        to: u32,
    },
    /// Jumps back, for the price of the steps jumped over and of waiting.
    Back {
        to: u32,
        cost: u32,
    },
    /// The next iteration of a `for` whose counter is uniform, at `to`, if there is one; as
    /// [`Step::Back`].
    Next {
        range: Counter,
        to: u32,
        cost: u32,
    },
    /// If what is decided by is the same for all lanes, as it is at that number in [`Code::decisions`], does what the
    /// [`Step::If`] right before `then` does. The steps up to there compute it lane by lane.
    DecideIf {
        decision: u32,
        then: u32,
        other: u32,
        join: u32,
    },
    /// The same for the [`Step::Leave`] right before `behind`, if no lane leaves: if it comes out as `stay`.
    DecideLeave {
        decision: u32,
        stay: bool,
        behind: u32,
    },
    /// Pushes a frame and goes on with the lanes where `cond` is `when`; those where it
    /// is not go on at `other` ([`Step::Else`] or `join`).
    If {
        cond: Reg,
        when: bool,
        other: u32,
        join: u32,
    },
    /// The end of the first arm, and the beginning of the second.
    Else,
    /// Pushes the frame of a `loop`, `for` or `block`.
    Enter {
        resume: u32,
        join: u32,
    },
    /// Takes in the lanes that wait for the next iteration.
    Regather,
    /// Pops a frame: takes in the lanes that wait at its end.
    Join,
    /// Lanes leave for the end (or the next iteration) of a frame, or for good.
    Leave {
        to: Leave,
        when: When,
    },
    /// The active lanes end with a message: that of this number in [`Code::said`].
    Panic {
        said: u32,
    },
    /// The end of the kernel.
    End,

    // What counts; only in code that was lowered for it.
    /// The active lanes begin a segment: steps that they run together.
    Count {
        segment: u32,
    },
    /// The same for the first arm of an `if`, right behind [`Step::If`], which is this branch.
    CountArm {
        segment: u32,
        branch: u32,
    },
    /// [`Step::Leave`], where that is this branch.
    CountedLeave {
        to: Leave,
        when: When,
        branch: u32,
    },
    /// The request of that number in [`Counted::requests`] is made by the next step.
    CountRequest {
        request: u32,
    },

    // What checks; only in code that was lowered for it.
    /// The access of that number in [`Code::sites`] is made by the next step.
    Watch {
        site: u32,
    },
    /// Undefined values are followed through the steps from there on, which only compute.
    Follow {
        from: u32,
    },
    /// The fence that comes next is of this scope.
    WatchFence {
        scope: Scope,
    },

    // What tells; only in code that was lowered for it.
    /// Others may have their turn.
    Turn,
    /// Tells who looks on that the active lanes are at that point, in [`Code::points`].
    Point {
        point: u32,
    },
}

/// An operation on uniform integers of one size, modulo their range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IntegerOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// The address `b * c` bytes behind the address `a`, in the same buffer.
    Offset,
    /// `a + b * c`: what lanes have in common of an address. It may lie before the buffer, where each lane's own part
    /// leads back into it.
    Common,
}

impl IntegerOp {
    /// What it makes of its operands: always by the same instructions of the host, which cannot foresee well which
    /// operation comes next.
    #[inline(always)]
    pub(crate) fn of(self, a: u64, b: u64, c: u64) -> u64 {
        let Form { multiplies, takes_third, by, stays } = FORMS[self as usize];
        let base = a & !multiplies;
        let one = (a & multiplies) | (b & !multiplies);
        let two = (b & multiplies) | (c & takes_third) | by;
        (a & stays) | (base.wrapping_add(one.wrapping_mul(two)) & !stays)
    }
}

/// An operation as `a + b * by`, `a + b * c` or `a * b`, by the bits that it takes of its operands.
struct Form {
    multiplies: u64,
    takes_third: u64,
    by: u64,
    /// The bits of `a` that stay.
    stays: u64,
}

/// Of each [`IntegerOp`].
static FORMS: [Form; 5] = [
    Form { multiplies: 0, takes_third: 0, by: 1, stays: 0 },
    Form { multiplies: 0, takes_third: 0, by: u64::MAX, stays: 0 },
    Form { multiplies: u64::MAX, takes_third: 0, by: 0, stays: 0 },
    Form { multiplies: 0, takes_third: u64::MAX, by: 0, stays: lanes::BUFFER },
    Form { multiplies: 0, takes_third: u64::MAX, by: 0, stays: 0 },
];

/// The counter of a `for`, and where it goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter {
    pub(crate) counter: Uniform,
    pub(crate) end: Uniform,
    pub(crate) step: Uniform,
    /// Whether the end is in the range.
    pub(crate) inclusive: bool,
}

/// A message with its values.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) message: MessageId,
    pub(crate) values: Vec<Operand>,
}

/// Where lanes leave to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leave {
    /// The end of the construct that frame belongs to.
    Break { frame: u16 },
    /// Its next iteration.
    Continue { frame: u16 },
    /// Nowhere: the thread ends.
    Return,
}

/// Which lanes leave.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    /// All active ones.
    Always,
    /// Those where it is true.
    If(Reg),
    /// Those where it is false.
    Unless(Reg),
}

/// An atomic access, done lane by lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Atomic {
    pub(crate) what: AtomicKind,
    pub(crate) at: Address<Operand>,
    /// Bytes accessed.
    pub(crate) size: usize,
    /// Sequentially consistent, or relaxed.
    pub(crate) ordered: bool,
}

/// What an atomic access does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AtomicKind {
    Load {
        to: Reg,
    },
    Store {
        value: Operand,
    },
    /// Writes `change(old, value)`; if it `adds`, that is the sum of integers.
    Update {
        to: Reg,
        value: Operand,
        change: fn(u64, u64) -> u64,
        adds: bool,
    },
    CompareExchange {
        to: Reg,
        expected: Operand,
        value: Operand,
    },
}

/// An operation of the lanes of a warp.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WarpOp {
    Sync,
    Shuffle { op: ShuffleOp, to: Reg, value: Operand, lane: Operand, width: u32 },
    Vote { op: VoteOp, to: Reg, value: Operand },
    Match { op: MatchOp, to: Reg, value: Operand },
    Reduce { combine: fn(u64, u64) -> u64, to: Reg, value: Operand },
}

impl Address<Operand> {
    /// If it is the same in all lanes.
    pub(crate) fn uniform(self) -> Option<Address<Uniform>> {
        match self {
            Self::Element { buffer, index: Operand::Uniform(index), stride, offset } => {
                Some(Address::Element { buffer, index, stride, offset })
            }
            Self::Pointer { ptr: Operand::Uniform(ptr), offset } => {
                Some(Address::Pointer { ptr, offset })
            }
            Self::Element { index: Operand::Lanes(_) | Operand::Affine(_), .. }
            | Self::Pointer { ptr: Operand::Lanes(_) | Operand::Affine(_), .. } => None,
        }
    }

    /// If it is affine.
    pub(crate) fn affine(self) -> Option<Address<Affine>> {
        match self {
            Self::Element { buffer, index: Operand::Affine(index), stride, offset } => {
                Some(Address::Element { buffer, index, stride, offset })
            }
            Self::Pointer { ptr: Operand::Affine(ptr), offset } => {
                Some(Address::Pointer { ptr, offset })
            }
            Self::Element { index: Operand::Lanes(_) | Operand::Uniform(_), .. }
            | Self::Pointer { ptr: Operand::Lanes(_) | Operand::Uniform(_), .. } => None,
        }
    }

    /// If each lane has its own, in a register.
    pub(crate) fn lanes(self) -> Option<Address<Reg>> {
        match self {
            Self::Element { buffer, index: Operand::Lanes(index), stride, offset } => {
                Some(Address::Element { buffer, index, stride, offset })
            }
            Self::Pointer { ptr: Operand::Lanes(ptr), offset } => {
                Some(Address::Pointer { ptr, offset })
            }
            Self::Element { index: Operand::Uniform(_) | Operand::Affine(_), .. }
            | Self::Pointer { ptr: Operand::Uniform(_) | Operand::Affine(_), .. } => None,
        }
    }
}

impl<R: Copy> Address<R> {
    /// What it is computed from.
    pub(crate) fn index(self) -> R {
        match self {
            Self::Element { index, .. } | Self::Pointer { ptr: index, .. } => index,
        }
    }
}

impl Step {
    /// The numbers of steps in it.
    pub(crate) fn targets(&mut self) -> impl Iterator<Item = &mut u32> {
        let targets = match self {
            Self::Jump { to }
            | Self::JumpUnless { to, .. }
            | Self::Back { to, .. }
            | Self::Next { to, .. }
            | Self::DecideLeave { behind: to, .. } => [Some(to), None, None],
            Self::If { other, join, .. } => [Some(other), Some(join), None],
            Self::Enter { resume, join } => [Some(resume), Some(join), None],
            Self::DecideIf { then, other, join, .. } => [Some(then), Some(other), Some(join)],
            Self::Map { .. }
            | Self::MapWithOne { .. }
            | Self::Uniform { .. }
            | Self::Integer { .. }
            | Self::Splat { .. }
            | Self::Spread { .. }
            | Self::Compare { .. }
            | Self::Set { .. }
            | Self::Bounds { .. }
            | Self::Check { .. }
            | Self::Load { .. }
            | Self::LoadUniform { .. }
            | Self::Store { .. }
            | Self::LoadAffine { .. }
            | Self::StoreAffine { .. }
            | Self::FmaLoaded { .. }
            | Self::Sums { .. }
            | Self::LoadLocal { .. }
            | Self::StoreLocal { .. }
            | Self::Atomic { .. }
            | Self::Fence
            | Self::ActiveMask { .. }
            | Self::Barrier { .. }
            | Self::SyncGrid
            | Self::Warp { .. }
            | Self::Else
            | Self::Regather
            | Self::Join
            | Self::Leave { .. }
            | Self::Print { .. }
            | Self::Panic { .. }
            | Self::End
            | Self::Count { .. }
            | Self::CountArm { .. }
            | Self::CountedLeave { .. }
            | Self::CountRequest { .. }
            | Self::Watch { .. }
            | Self::Follow { .. }
            | Self::WatchFence { .. }
            | Self::Turn
            | Self::Point { .. } => [None, None, None],
        };
        targets.into_iter().flatten()
    }
}

impl Address<Reg> {
    /// The same, as one that may be of either kind.
    pub(crate) fn operand(self) -> Address<Operand> {
        match self {
            Self::Element { buffer, index, stride, offset } => {
                Address::Element { buffer, index: Operand::Lanes(index), stride, offset }
            }
            Self::Pointer { ptr, offset } => Address::Pointer { ptr: Operand::Lanes(ptr), offset },
        }
    }
}

impl Address<Affine> {
    /// The same, as one that may be of either kind.
    pub(crate) fn operand(self) -> Address<Operand> {
        match self {
            Self::Element { buffer, index, stride, offset } => {
                Address::Element { buffer, index: Operand::Affine(index), stride, offset }
            }
            Self::Pointer { ptr, offset } => Address::Pointer { ptr: Operand::Affine(ptr), offset },
        }
    }
}

impl Address<Uniform> {
    /// The same, as one that may be of either kind.
    pub(crate) fn operand(self) -> Address<Operand> {
        match self {
            Self::Element { buffer, index, stride, offset } => {
                Address::Element { buffer, index: Operand::Uniform(index), stride, offset }
            }
            Self::Pointer { ptr, offset } => {
                Address::Pointer { ptr: Operand::Uniform(ptr), offset }
            }
        }
    }
}
