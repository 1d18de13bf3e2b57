//! The instructions of the bytecode, and the types of their operands.
use super::{Address, IntegerOp, Operand, WarpInstr};
use crate::vector::{
    lanes::{
        LaneFn, OperandPosition,
        copy::CopyWords,
        scan::{AllBelow, Transfer},
    },
    registers::{Affine, Reg, Uniform},
};
use warpwise_compiler::ir::{BarrierOp, Fault, Scope};

/// An instruction of the interpreter. Positions in the bytecode are `u32`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instr {
    // Values.
    /// `d = f(a, b, c)`, of `[d, a, b, c]`, in each lane.
    Map {
        f: LaneFn,
        regs: [Reg; 4],
    },
    /// [`Map`](Self::Map) with one uniform operand.
    MapWithOne {
        f: LaneFn,
        regs: [Reg; 4],
        place: OperandPosition,
        one: Uniform,
    },
    /// `d = f(a, b, c)` on uniform values.
    Uniform {
        f: LaneFn,
        slots: [Uniform; 4],
    },
    /// [`Uniform`](Self::Uniform) for the usual address arithmetic, without an indirect call.
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
    /// The comparison of this index in [`Code::compares`](super::Code::compares).
    Compare {
        compare: u32,
    },
    /// Copies a register in the active lanes.
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
    /// Loads once for all lanes.
    LoadUniform {
        to: Uniform,
        from: Address<Uniform>,
    },
    Store {
        value: Reg,
        to: Address<Operand>,
        transfer: Transfer,
    },
    /// Loads along the walk of this index in [`Code::walks`](super::Code::walks).
    LoadAffine {
        to: Reg,
        from: Address<Affine>,
        walk: u16,
        copy: CopyWords,
    },
    /// Stores along such a walk.
    StoreAffine {
        value: Reg,
        to: Address<Affine>,
        walk: u16,
        copy: CopyWords,
    },
    /// The loads and the operation of this index in [`Code::products`](super::Code::products).
    FmaOfLoads {
        product: u32,
    },
    /// Executes all rounds of a loop at once where that is possible: the loop of this index in
    /// [`Code::dot_product_loops`](super::Code::dot_product_loops), whose round is the instructions
    /// that follow.
    DotProducts {
        index: u32,
    },
    /// Loads from a thread-local array.
    LoadLocal {
        to: Reg,
        from: Address<Operand>,
    },
    /// Stores to a thread-local array.
    StoreLocal {
        value: Reg,
        to: Address<Operand>,
    },
    /// The atomic access of this index in [`Code::atomics`](super::Code::atomics).
    Atomic {
        access: u32,
    },
    Fence,
    /// Begins the asynchronous copy of this index in
    /// [`Code::async_copies`](super::Code::async_copies).
    AsyncCopy {
        copy: u32,
    },
    /// Begins the asynchronous copy of this index, whose bytes mbarriers expect.
    BulkCopy {
        copy: u32,
        barrier: Address<Operand>,
    },
    /// Begins the copy of a box of a tensor of this index in
    /// [`Code::tensor_copies`](super::Code::tensor_copies), whose bytes mbarriers expect.
    TensorCopy {
        copy: u32,
        barrier: Address<Operand>,
    },
    /// The store in bulk of this index in [`Code::bulk_stores`](super::Code::bulk_stores).
    BulkStore {
        store: u32,
    },
    /// Closes the lanes' groups of stores in bulk.
    BulkCommit,
    /// Waits for the stores of the closed groups, but for the last `pending`.
    BulkWait {
        pending: u32,
    },
    /// Closes the lanes' groups of asynchronous copies.
    AsyncCommit,
    /// Performs the copies of the closed groups, but for the last `pending`.
    AsyncWait {
        pending: u32,
    },
    /// The read of a texture of this index in
    /// [`Code::texture_reads`](super::Code::texture_reads).
    Texture {
        read: u32,
    },
    /// The active lanes of each lane's warp.
    ActiveMask {
        to: Reg,
    },

    // Output.
    /// Prints the message of this index in [`Code::messages`](super::Code::messages).
    Print {
        message: u32,
    },

    // Synchronization.
    /// Waits for every thread of the grid.
    SyncGrid,
    /// Suspends the strand until every thread of the cluster waits or has ended.
    SyncCluster,
    Barrier {
        reduce: Option<(BarrierOp, Operand, Uniform)>,
    },
    /// Arrives at a named barrier, warp by warp, and perhaps waits.
    NamedBarrier {
        waits: bool,
        id: u8,
        warps: u8,
    },
    /// Waits for the other warps of the warpgroup, warp by warp.
    WarpgroupSync,
    /// The product of this index in
    /// [`Code::warpgroup_products`](super::Code::warpgroup_products).
    Wgmma {
        product: u32,
    },
    /// Waits for products, but for the last `pending`, if these are checked.
    WgmmaWait {
        pending: u32,
    },
    /// Arrives at mbarriers, lane by lane.
    MBarrierArrive {
        barrier: Address<Operand>,
        to: Reg,
        /// The bytes that the phase lacks, too.
        bytes: Option<Operand>,
    },
    /// Waits for the phase of a token or parity.
    MBarrierWait {
        barrier: Address<Operand>,
        phase: Operand,
    },
    Warp {
        op: WarpInstr,
        mask: Option<Operand>,
    },

    // Control flow.
    /// Jumps.
    Jump {
        to: u32,
    },
    /// Jumps if a uniform `bool` is false.
    JumpUnless {
        cond: Uniform,
        to: u32,
    },
    /// Jumps back, which costs steps and spin budget.
    BackEdge {
        to: u32,
        cost: u32,
    },
    /// Jumps to the next iteration of a `for` with a uniform counter, if there is one; costs the
    /// same as [`Instr::BackEdge`].
    NextIteration {
        range: Counter,
        to: u32,
        cost: u32,
    },
    /// Decides the [`Instr::If`] right before `then` by the condition of this index in
    /// [`Code::decisions`](super::Code::decisions), if that is the same for all lanes. Otherwise
    /// the instructions that follow compute the condition lane by lane.
    DecideIf {
        decision: u32,
        then: u32,
        other: u32,
        join: u32,
    },
    /// Decides the [`Instr::Leave`] right before `after` in the same way, if no lane leaves, that
    /// is, if the condition is `stay`.
    DecideLeave {
        decision: u32,
        stay: bool,
        after: u32,
    },
    /// Pushes a frame and continues with the lanes where `cond` is `when`; the others continue at
    /// `other` ([`Instr::Else`] or `join`).
    If {
        cond: Reg,
        when: bool,
        other: u32,
        join: u32,
    },
    /// The end of the first arm and the beginning of the second.
    Else,
    /// Pushes the frame of a `loop`, `for` or `block`.
    Enter {
        resume: u32,
        join: u32,
    },
    /// Merges the lanes that wait for the next iteration.
    Regather,
    /// Pops a frame and merges the lanes that wait at its end.
    Join,
    /// Makes lanes leave for the end or the next iteration of a frame, or for good.
    Leave {
        to: Leave,
        when: When,
    },
    /// Ends the active lanes with the message of this index in
    /// [`Code::messages`](super::Code::messages).
    Panic {
        message: u32,
    },
    /// The end of the kernel.
    End,

    // Counters; only in code that was translated for them.
    /// Counts the active lanes in a segment: instructions that the same lanes execute.
    CountSegment {
        segment: u32,
    },
    /// Counts the lanes of the first arm of an `if`, right after [`Instr::If`], in a segment and at
    /// a branch.
    CountArm {
        segment: u32,
        branch: u32,
    },
    /// Counts the lanes of the first arm of an `if` at a branch, where the arm begins no segment.
    CountDivergence {
        branch: u32,
    },
    /// [`Instr::Leave`] that counts at a branch, or counts the leaving lanes in a segment.
    CountedLeave {
        to: Leave,
        when: When,
        branch: Option<u32>,
        segment: Option<u32>,
    },
    /// Counts the active lanes as they enter a loop.
    CountLoopEntry {
        number: u32,
    },
    /// Counts the request of this index in [`Counted::requests`](super::Counted::requests), which
    /// the next instruction makes.
    CountRequest {
        request: u32,
    },
    /// Counts the access to local memory that the next instruction makes: `bytes` of each lane.
    CountLocal {
        at: Address<Operand>,
        bytes: u32,
        counter: u32,
    },

    // The sanitizer; only in code that was translated for it.
    /// Checks the access of this index in [`Code::sites`](super::Code::sites), which the next
    /// instruction makes.
    CheckAccess {
        site: u32,
    },
    /// Tracks undefined values through the instructions from `from` on, which only compute.
    TrackUndefined {
        from: u32,
    },
    /// Records the scope of the fence that comes next.
    CheckFence {
        scope: Scope,
    },

    // The debugger and drawn schedules; only in code that was translated for them.
    /// Offers the turn to other strands.
    Yield,
    /// Announces the [`Change`] of this index in [`Code::changes`](super::Code::changes), which the
    /// next instruction may make.
    Change {
        change: u32,
    },
    /// Reports the active lanes to the debugger at the point of this index in
    /// [`Code::points`](super::Code::points).
    DebugPoint {
        point: u32,
    },
}

/// The counter of a `for` and its range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter {
    pub(crate) counter: Uniform,
    pub(crate) end: Uniform,
    pub(crate) step: Uniform,
    /// True if the end is in the range.
    pub(crate) inclusive: bool,
}

/// The target of leaving lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leave {
    /// The end of the construct that the frame belongs to.
    Break { frame: u16 },
    /// The next iteration of that construct.
    Continue { frame: u16 },
    /// The end of the thread.
    Return,
}

/// The condition under which lanes leave.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    /// All active lanes leave.
    Always,
    /// Lanes leave where it is true.
    If(Reg),
    /// Lanes leave where it is false.
    Unless(Reg),
}

/// An atomic access, executed lane by lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Atomic {
    pub(crate) kind: AtomicKind,
    pub(crate) at: Address<Operand>,
    /// Bytes that a lane accesses.
    pub(crate) size: usize,
    /// True unless it is relaxed: every other order is executed as sequentially consistent.
    pub(crate) ordered: bool,
    /// An upper bound of an index in lanes, where types and operations imply one.
    pub(crate) max_index: Option<u64>,
}

/// The words by which asynchronous copies access buffers that permit them.
pub(crate) const COPY_WORD_BYTES: u64 = 4;

/// An asynchronous copy from global to shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AsyncCopy {
    pub(crate) to: Address<Operand>,
    pub(crate) from: Address<Operand>,
    /// Bytes that a lane copies.
    pub(crate) bytes: u32,
    /// The access sites of the destination and the source, if accesses are checked.
    pub(crate) sites: Option<[u32; 2]>,
    /// The counter of a copy in bulk, if that is counted.
    pub(crate) counter: Option<u32>,
}

/// An effect of an instruction that other threads can observe, or that depends on the schedule.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// Memory is written, as by this access.
    Memory(Atomic),
    /// Lanes read which other lanes are active.
    ActiveLanes,
}

/// The kind of an atomic access.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AtomicKind {
    Load {
        to: Reg,
    },
    Store {
        value: Operand,
    },
    /// Writes `change(old, value)`; `adds` is true for the sum of integers.
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
    /// Returns the positions in the bytecode that the instruction refers to.
    pub(crate) fn jump_targets(&mut self) -> impl Iterator<Item = &mut u32> {
        let targets = match self {
            Self::Jump { to }
            | Self::JumpUnless { to, .. }
            | Self::BackEdge { to, .. }
            | Self::NextIteration { to, .. }
            | Self::DecideLeave { after: to, .. } => [Some(to), None, None],
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
            | Self::AsyncCopy { .. }
            | Self::BulkCopy { .. }
            | Self::TensorCopy { .. }
            | Self::BulkStore { .. }
            | Self::BulkCommit
            | Self::BulkWait { .. }
            | Self::Texture { .. }
            | Self::AsyncCommit
            | Self::AsyncWait { .. }
            | Self::ActiveMask { .. }
            | Self::Barrier { .. }
            | Self::NamedBarrier { .. }
            | Self::WarpgroupSync
            | Self::Wgmma { .. }
            | Self::WgmmaWait { .. }
            | Self::MBarrierArrive { .. }
            | Self::MBarrierWait { .. }
            | Self::SyncGrid
            | Self::SyncCluster
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
            | Self::CountLocal { .. }
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
