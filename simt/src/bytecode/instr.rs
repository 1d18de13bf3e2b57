//! Which steps there are, and what goes with them.
use super::{Address, IntegerOp, Operand, WarpOp};
use crate::vector::{
    lanes::{
        LaneFn, OperandPosition,
        copy::CopyWords,
        scan::{AllBelow, Transfer},
    },
    registers::{Affine, Reg, Uniform},
};
use warpwise_compiler::ir::{BarrierOp, Fault, Scope};

/// One instruction of the interpreter. Numbers of steps are `u32`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instr {
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
        place: OperandPosition,
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
    /// The comparison of that number in [`Code::compares`](super::Code::compares).
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
    /// A load from where the lanes go as that number in [`Code::walks`](super::Code::walks) says.
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
    /// The loads and the operation of that number in [`Code::products`](super::Code::products).
    FmaOfLoads {
        product: u32,
    },
    /// What the steps that follow do in all rounds of a loop, if it can be done at once: the loop of that
    /// number in [`Code::dot_product_loops`](super::Code::dot_product_loops).
    DotProducts {
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
    /// The atomic access of that number in [`Code::atomics`](super::Code::atomics).
    Atomic {
        access: u32,
    },
    Fence,
    /// Which lanes of its warp are running.
    ActiveMask {
        to: Reg,
    },

    // Output.
    /// Prints what stands at that number in [`Code::messages`](super::Code::messages).
    Print {
        message: u32,
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
    BackEdge {
        to: u32,
        cost: u32,
    },
    /// The next iteration of a `for` whose counter is uniform, at `to`, if there is one; as
    /// [`Instr::BackEdge`].
    NextIteration {
        range: Counter,
        to: u32,
        cost: u32,
    },
    /// If what is decided by is the same for all lanes, as it is at that number in [`Code::decisions`](super::Code::decisions), does what the
    /// [`Instr::If`] right before `then` does. The steps up to there compute it lane by lane.
    DecideIf {
        decision: u32,
        then: u32,
        other: u32,
        join: u32,
    },
    /// The same for the [`Instr::Leave`] right before `behind`, if no lane leaves: if it comes out as `stay`.
    DecideLeave {
        decision: u32,
        stay: bool,
        behind: u32,
    },
    /// Pushes a frame and goes on with the lanes where `cond` is `when`; those where it
    /// is not go on at `other` ([`Instr::Else`] or `join`).
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
    /// The active lanes end with a message: that of this number in [`Code::messages`](super::Code::messages).
    Panic {
        message: u32,
    },
    /// The end of the kernel.
    End,

    // What counts; only in code that was lowered for it.
    /// The active lanes begin a segment: steps that they run together.
    CountSegment {
        segment: u32,
    },
    /// The same for the first arm of an `if`, right behind [`Instr::If`], which is this branch.
    CountArm {
        segment: u32,
        branch: u32,
    },
    /// The active lanes are those of the first arm of an `if`, which is this branch, and begin no segment there.
    CountDivergence {
        branch: u32,
    },
    /// [`Instr::Leave`], where that is this branch, or those who leave run this segment.
    CountedLeave {
        to: Leave,
        when: When,
        branch: Option<u32>,
        segment: Option<u32>,
    },
    /// The active lanes come to the loop of that number.
    CountLoopEntry {
        number: u32,
    },
    /// The request of that number in [`Counted::requests`](super::Counted::requests) is made by the next step.
    CountRequest {
        request: u32,
    },

    // What checks; only in code that was lowered for it.
    /// The access of that number in [`Code::sites`](super::Code::sites) is made by the next step.
    CheckAccess {
        site: u32,
    },
    /// Undefined values are followed through the steps from there on, which only compute.
    TrackUndefined {
        from: u32,
    },
    /// The fence that comes next is of this scope.
    CheckFence {
        scope: Scope,
    },

    // What tells; only in code that was lowered for it.
    /// Others may have their turn.
    Yield,
    /// The next step may do that [`Change`], of [`Code::changes`](super::Code::changes).
    Change {
        change: u32,
    },
    /// Tells who looks on that the active lanes are at that point, in [`Code::points`](super::Code::points).
    DebugPoint {
        point: u32,
    },
}

/// The counter of a `for`, and where it goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter {
    pub(crate) counter: Uniform,
    pub(crate) end: Uniform,
    pub(crate) step: Uniform,
    /// Whether the end is in the range.
    pub(crate) inclusive: bool,
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
    /// An upper bound of an index in lanes, where types and operations imply one.
    pub(crate) max_index: Option<u64>,
}

/// What makes others do something else than before, or may come out otherwise if others run first.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// Memory is written, as by this access.
    Memory(Atomic),
    /// Lanes learn which others run with them.
    Company,
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

impl Instr {
    /// The numbers of steps in it.
    pub(crate) fn targets(&mut self) -> impl Iterator<Item = &mut u32> {
        let targets = match self {
            Self::Jump { to }
            | Self::JumpUnless { to, .. }
            | Self::BackEdge { to, .. }
            | Self::NextIteration { to, .. }
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
            | Self::FmaOfLoads { .. }
            | Self::DotProducts { .. }
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
            | Self::CountSegment { .. }
            | Self::CountArm { .. }
            | Self::CountDivergence { .. }
            | Self::CountedLeave { .. }
            | Self::CountLoopEntry { .. }
            | Self::CountRequest { .. }
            | Self::CheckAccess { .. }
            | Self::TrackUndefined { .. }
            | Self::CheckFence { .. }
            | Self::Yield
            | Self::Change { .. }
            | Self::DebugPoint { .. } => [None, None, None],
        };
        targets.into_iter().flatten()
    }
}
