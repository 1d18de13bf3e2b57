//! The instructions and their meaning.
//!
//! Integers are two's complement and wrap; what Rust makes a fault (an index
//! out of bounds, a division by zero, overflow where it is checked) is an
//! explicit [`Op::Bounds`] or [`Op::Check`] before the operation. Floats are
//! IEEE 754, round to nearest even, subnormals kept; sign and payload of a NaN
//! that an operation computes are unspecified.
use super::{
    ArrayId, AtomicOp, BarrierOp, BinaryOp, Body, Builtin, CacheLevel, CacheOp, CompareOp, Extent,
    Fault, GenericId, GridDependencyOp, InlinePtx, InstId, LocalId, MatchOp, MessageId, MmaOp,
    MulAddForm, Order, ParamId, ReduceOp, Scope, SharedId, ShuffleOp, TensorBox, TernaryOp,
    TextureOp, UnaryOp, VoteOp, WgmmaOp,
};

/// The greatest number of arrivals, and of bytes, that a phase of an mbarrier counts.
const MAX_MBARRIER_ARRIVALS: u64 = (1 << 20) - 1;

/// The operation of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    // Values.
    /// A literal, as the bits of the instruction's scalar (zero-extended).
    Const(u64),
    /// The value of a constant parameter, or the size of a type parameter in bytes (`u64`).
    Generic(GenericId),
    /// A scalar parameter's value, or the address of a slice parameter's first element.
    Param(ParamId),
    /// The number of elements of a slice parameter (`u64`).
    Len(ParamId),
    /// The address of a shared array's first element.
    Shared(SharedId),
    /// The address of the first element of an array of the thread's own.
    Array(ArrayId),
    /// A value that the hardware provides, as `u32` or `u64`.
    Builtin(Builtin),
    /// An operation on one value of the result's type.
    Unary {
        /// The function.
        op: UnaryOp,
        /// Its operand.
        value: InstId,
    },
    /// An operation on two values of the result's type; the right side of a shift or rotation is
    /// `u32`.
    Binary {
        /// The function.
        op: BinaryOp,
        /// Left side.
        lhs: InstId,
        /// Right side.
        rhs: InstId,
    },
    /// An operation on three values of the result's type.
    Ternary {
        /// The operation.
        op: TernaryOp,
        /// The first.
        a: InstId,
        /// The second.
        b: InstId,
        /// The third.
        c: InstId,
    },
    /// A comparison of two scalars of one type; yields `bool`. `false` is below `true`.
    Compare {
        /// The comparison.
        op: CompareOp,
        /// Left side.
        lhs: InstId,
        /// Right side.
        rhs: InstId,
    },
    /// Rust's `as` to the result's type: integers truncate or extend, float to
    /// integer saturates and takes NaN to 0, `bool` becomes an integer, 0 or 1.
    Cast {
        /// The operand; never cast to `bool`.
        value: InstId,
    },
    /// A number with the bits of another one of the same size; never `bool`.
    Bitcast {
        /// The value with these bits.
        value: InstId,
    },
    /// A selection of one of two values, both of which are computed.
    Select {
        /// A `bool`.
        cond: InstId,
        /// The value if `cond` is true.
        then: InstId,
        /// The value if it is false.
        other: InstId,
    },
    /// `a * b + c` on floats, rounded once.
    Fma {
        /// Factor.
        a: InstId,
        /// Factor.
        b: InstId,
        /// Addend.
        c: InstId,
    },
    /// A sum of a product in generic code: one rounding if the type turns out
    /// to be a float, wrapping integer arithmetic otherwise. Gone once specialized.
    MulAdd {
        /// The signs of the product and the summand.
        form: MulAddForm,
        /// Factor.
        a: InstId,
        /// Factor.
        b: InstId,
        /// Addend.
        c: InstId,
    },

    // Addresses.
    /// The address `index * stride` bytes after `base`; the index is an
    /// unsigned integer. Stays inside what `base` points into.
    Index {
        /// A pointer.
        base: InstId,
        /// The number of strides.
        index: InstId,
        /// Bytes from one element to the next.
        stride: Extent,
    },
    /// The address `offset` bytes after `base`, of a field. Stays inside the object that `base`
    /// points into.
    Offset {
        /// A pointer.
        base: InstId,
        /// The number of bytes.
        offset: Extent,
    },
    /// The address in the shared memory of another block of the cluster, as a pointer to
    /// [`Space::Cluster`](super::Space::Cluster), that corresponds to an address in the shared
    /// memory of this block. In kernels with a [cluster](super::Kernel::cluster) only.
    MapShared {
        /// A pointer to shared memory.
        ptr: InstId,
        /// The rank of the block in the cluster (`u32`), below the number of its blocks.
        rank: InstId,
    },
    /// Yields `index` (unsigned); where it is not less than `len`, ends the
    /// thread with [`Fault::IndexOutOfBounds`].
    Bounds {
        /// The index, which is checked and yielded.
        index: InstId,
        /// Number of elements, of the index's type.
        len: InstId,
    },
    /// Ends the thread with `fault` if `cond` is false.
    Check {
        /// A `bool`.
        cond: InstId,
        /// The fault if it is false; never `IndexOutOfBounds` or `Panic`.
        fault: Fault,
    },

    // Memory.
    /// The value of a local.
    Get(LocalId),
    /// Sets a local.
    Set {
        /// The local.
        local: LocalId,
        /// The new value.
        value: InstId,
    },
    /// Reads the result's scalar; memory that other threads may write is read exactly once.
    Load {
        /// The address; a multiple of the scalar's size.
        ptr: InstId,
        /// The use of the caches, a hint; in global memory only.
        cache: Option<CacheOp>,
    },
    /// Writes a scalar.
    Store {
        /// The address; a multiple of the scalar's size.
        ptr: InstId,
        /// The value.
        value: InstId,
        /// The use of the caches, a hint; in global memory only.
        cache: Option<CacheOp>,
    },
    /// Fetches the cache line of an address in global memory, in the background. It neither reads nor
    /// writes a value.
    Prefetch {
        /// The address, which the thread may load.
        ptr: InstId,
        /// The cache for the line.
        level: CacheLevel,
    },
    /// Reads atomically.
    AtomicLoad {
        /// The address.
        ptr: InstId,
        /// `Relaxed`, `Acquire` or `SeqCst`.
        order: Order,
        /// The threads among which it is atomic.
        scope: Scope,
    },
    /// Writes atomically.
    AtomicStore {
        /// The address.
        ptr: InstId,
        /// The value.
        value: InstId,
        /// `Relaxed`, `Release` or `SeqCst`.
        order: Order,
        /// The threads among which it is atomic.
        scope: Scope,
    },
    /// Replaces a value by a function of it, atomically; yields the old value.
    Atomic {
        /// The function.
        op: AtomicOp,
        /// The address.
        ptr: InstId,
        /// Its second operand, of the result's type.
        value: InstId,
        /// Ordering.
        order: Order,
        /// The threads among which it is atomic.
        scope: Scope,
    },
    /// Replaces the old value by `value`, atomically, if it is `expected`; yields the old value. Never
    /// fails spuriously.
    CompareExchange {
        /// The address.
        ptr: InstId,
        /// Compared bit for bit.
        expected: InstId,
        /// Written if equal.
        value: InstId,
        /// Ordering, whether it succeeds or not.
        order: Order,
        /// The threads among which it is atomic.
        scope: Scope,
    },

    // Asynchronous copies.
    /// Begins to copy bytes from global to shared memory, in the background, and adds the copy to
    /// the thread's open group. Each byte is read and written once, at an unspecified time before
    /// an [`Op::AsyncWait`] of the thread that covers the group ends; if there is none, perhaps
    /// never. Until then reads of the destination have unspecified results, and writes to the
    /// destination or the source leave unspecified contents in the destination.
    AsyncCopy {
        /// The destination, in shared memory; a multiple of `bytes`.
        to: InstId,
        /// The source, in global memory; a multiple of `bytes`.
        from: InstId,
        /// 4, 8 or 16.
        bytes: Extent,
    },
    /// Closes the thread's open group of asynchronous copies, which may be empty, and opens the
    /// next one.
    AsyncCommit,
    /// Waits for the thread's closed groups of asynchronous copies, except for the last `pending`.
    /// Their copies are then done for this thread; other threads see them after the next barrier.
    AsyncWait {
        /// The number of groups that need not be done.
        pending: Extent,
    },

    /// Begins to copy bytes from global to shared memory, in the background. The current phase of an
    /// mbarrier is not complete before they have arrived. Each byte is read and written once, at an
    /// unspecified time before an [`Op::MBarrierWait`] for the phase ends. Until then it is
    /// unspecified what is read from the destination, and what remains there or in the destination
    /// of a write to the destination or the source.
    ///
    /// The thread's accesses before it, and those that happen before them, are before those of the
    /// copy.
    BulkCopy {
        /// The destination, in shared memory; a multiple of 16.
        to: InstId,
        /// The source, in global memory; a multiple of 16.
        from: InstId,
        /// A multiple of 16, at most 1048560, and not 0.
        bytes: Extent,
        /// A pointer to the `u64` of an mbarrier.
        barrier: InstId,
    },
    /// Begins to copy a box of a tensor to shared memory, in the background; elements outside of the
    /// tensor are zeros. Otherwise as [`Op::BulkCopy`] of all bytes of the box.
    ///
    /// With `blocks`, it copies the box to the same place in the shared memory of these blocks of the
    /// cluster, of which the copying block need not be one, and each copy counts for the mbarrier at
    /// the same place in its block. The current phase there is not complete before as many bytes have
    /// arrived as [`Op::MBarrierArrive`] expects in it, and the copies are before the accesses after
    /// a wait for it. Only an [`Op::SyncCluster`] orders the accesses of other blocks before the copy.
    /// Nothing is copied to a block that has ended.
    TensorCopy {
        /// The destination, in shared memory; a multiple of the
        /// [alignment](super::TensorBoxShape::align) of the box.
        to: InstId,
        /// A parameter with [`Access::TensorRead`](super::Access::TensorRead).
        map: ParamId,
        /// The box, which has as many dimensions as the tensor.
        shape: Box<TensorBox>,
        /// The coordinates of the first element of the box (`i32`), the outermost first. The column is
        /// rounded down to a multiple of 16 bytes.
        at: Vec<InstId>,
        /// A pointer to the `u64` of an mbarrier.
        barrier: InstId,
        /// The blocks of the cluster that get the box, as bits by rank (`u32`), of which those without
        /// a block have no effect. `None`: the block of the thread, whose mbarrier then expects the
        /// bytes by itself.
        blocks: Option<InstId>,
    },
    /// Begins to copy a box from shared memory to a tensor, in the background, and adds the copy to
    /// the thread's open group of stores; elements outside of the tensor are not written. Otherwise
    /// as [`Op::BulkStore`].
    TensorStore {
        /// A parameter with [`Access::TensorWrite`](super::Access::TensorWrite).
        map: ParamId,
        /// The source, in shared memory; a multiple of the
        /// [alignment](super::TensorBoxShape::align) of the box.
        from: InstId,
        /// The box, which has as many dimensions as the tensor.
        shape: Box<TensorBox>,
        /// The coordinates of the first element of the box (`i32`), the outermost first. The column is
        /// rounded down to a multiple of 16 bytes. A store with a negative one is left out.
        at: Vec<InstId>,
    },
    /// Begins to copy bytes from shared to global memory, in the background, and adds the copy to the
    /// thread's open group of stores. Each byte is read and written once, at an unspecified time
    /// before an [`Op::BulkWait`] of the thread that covers the group ends. Until then writes to the
    /// source leave unspecified contents in the destination.
    ///
    /// The thread's accesses before it, and those that happen before them, are before those of the
    /// copy.
    BulkStore {
        /// The destination, in global memory; a multiple of 16.
        to: InstId,
        /// The source, in shared memory; a multiple of 16.
        from: InstId,
        /// A multiple of 16, at most 1048560, and not 0.
        bytes: Extent,
    },
    /// Closes the thread's open group of stores, which may be empty, and opens the next one.
    BulkCommit,
    /// Waits for the thread's closed groups of stores, except for the last `pending`.
    BulkWait {
        /// The number of groups that need not be done.
        pending: Extent,
        /// True if the copies need only have read their sources.
        reads: bool,
    },

    /// Reads texels of a texture, and yields one of four words; the same read once for each word is
    /// one instruction of a GPU. The texture's descriptor decides about its extents, format, filter
    /// and address modes; [`texture`](crate::texture) defines the result. No thread writes a texture
    /// during a launch.
    Texture {
        /// The shape, the kind of read, and the type of the words.
        op: TextureOp,
        /// A parameter with [`Access::Texture`](super::Access::Texture).
        texture: ParamId,
        /// The layer, if the shape has layers: `u32`, clamped to the last layer. Then the coordinates, as
        /// many as the shape has, and the level of detail, or the gradients of x and y along one axis
        /// and along the other: `f32`.
        args: Vec<InstId>,
        /// The number of the word: a channel of the texel, or for a gather one of the four texels.
        word: u8,
    },

    // Where threads meet.
    /// Waits until every thread of the block that has not ended is at this
    /// barrier; orders the block's accesses to shared and global memory. Yields
    /// nothing, or for a reduction `u64` (count) or `bool` (and, or).
    Barrier {
        /// The reduction over the waiting threads, and its `bool` operand.
        reduce: Option<(BarrierOp, InstId)>,
    },
    /// Waits until every thread of the grid that has not ended is at one of these, and orders the
    /// grid's accesses to global memory, and the block's to shared memory. In cooperative kernels
    /// only.
    SyncGrid,
    /// Waits until every thread of the cluster that has not ended is at one of these, and orders
    /// the cluster's accesses to shared and global memory. In kernels with a
    /// [cluster](super::Kernel::cluster) only.
    SyncCluster,
    /// Arrives at one of the block's named barriers, once all lanes of the warp that have not ended
    /// are here, and then waits, if it `waits`, until as many warps as `threads` are have arrived.
    /// The barrier is then complete and starts anew. A warp that has ended does not arrive. Orders
    /// the accesses of arriving threads before against those of waiting threads after.
    NamedBarrier {
        /// False if it only arrives.
        waits: bool,
        /// The number of the barrier, 1 to 15.
        id: Extent,
        /// 32 for each warp that arrives, waiting or not: the same wherever the barrier is named.
        threads: Extent,
    },
    /// Arrives at an mbarrier, and yields a token (`u64`) of its current phase, of which the bits
    /// are unspecified. When as many threads have arrived in a phase as the barrier
    /// [is for](super::Shared::arrivals), the phase is complete, and the next one begins. A thread
    /// that has ended does not arrive.
    MBarrierArrive {
        /// A pointer to the `u64` of an mbarrier.
        barrier: InstId,
        /// The bytes (`u32`) that the phase lacks, too, from [copies](Op::TensorCopy) to several
        /// blocks of a cluster. The phase ends when the bytes that have arrived are the expected ones.
        bytes: Option<InstId>,
    },
    /// Waits until a phase of an mbarrier is complete: the current or the last one. Orders the
    /// accesses that threads have made before they arrived in the phase against those after it.
    /// Lanes of a warp that come to it together may wait until all of them can continue.
    MBarrierWait {
        /// A pointer to the `u64` of an mbarrier.
        barrier: InstId,
        /// The phase: a token (`u64`), or the parity of its number (`u32`), which is 0 or 1. Phases
        /// are counted from 0; the phase before the first one is complete and has the parity 1.
        phase: InstId,
    },
    /// Waits for the lanes of the mask (`u32`; without one, every lane that has
    /// not ended) and orders their accesses to memory.
    SyncWarp {
        /// Bit l names lane l; every named lane must reach it, and the caller must be named.
        mask: Option<InstId>,
    },
    /// Orders the thread's accesses to memory before it against those after it.
    Fence {
        /// The threads for which the order holds.
        scope: Scope,
    },
    /// The value of another lane of the group. Lanes are counted in groups of `width`.
    Shuffle {
        /// The choice of the other lane.
        op: ShuffleOp,
        /// The value of this lane; any scalar.
        value: InstId,
        /// `Index`: the lane in the group, modulo `width`; `Up`, `Down`: distance, past the
        /// edge of the group the lane's own value; `Xor`: mask of lane bits, past the edge the
        /// lane's own value. `u32`.
        lane: InstId,
        /// 2, 4, 8, 16 or 32.
        width: Extent,
        /// As for [`Op::SyncWarp`].
        mask: Option<InstId>,
    },
    /// The result of a vote among the participating lanes.
    Vote {
        /// `All` and `Any` yield `bool`, `Ballot` a `u32` with bit l set if the value of lane l is true.
        op: VoteOp,
        /// A `bool`.
        value: InstId,
        /// As for [`Op::SyncWarp`].
        mask: Option<InstId>,
    },

    /// Finds the participating lanes with the same value, bit for bit. `Any` yields a `u32` with
    /// the lanes that have the value of this one, `All` true if all have the same.
    Match {
        /// The lanes to find.
        op: MatchOp,
        /// Any scalar.
        value: InstId,
        /// As for [`Op::SyncWarp`].
        mask: Option<InstId>,
    },
    /// The lanes of the warp that run the instruction together, as a `u32` with bit l for lane l; the
    /// caller is one of them, and ended lanes are not. The set of the others is unspecified.
    ActiveMask,
    /// Combines the values of all participating lanes; each gets the result. Lanes are combined in
    /// the order of a butterfly: those whose numbers differ by 16, then by 8, 4, 2 and 1, other
    /// lanes being left out.
    Reduce {
        /// The combination of two values.
        op: ReduceOp,
        /// A number.
        value: InstId,
        /// As for [`Op::SyncWarp`].
        mask: Option<InstId>,
    },
    /// Multiplies small matrices on tensor cores: `d = a * b + c`. The 32 lanes of a warp hold each
    /// matrix together ([`MmaOp`]), and each lane gets one of its words of `d`; the same product
    /// once for each word is one instruction of a GPU. All lanes of the warp must run it: the
    /// result is unspecified if one does not exist or has ended.
    ///
    /// [`tensor_cores`](crate::tensor_cores) defines the sums. Of a NaN, the bits are unspecified.
    Mma {
        /// The shape and the types.
        op: MmaOp,
        /// The lane's words of `a`, then of `b`, then of `c`.
        args: Vec<InstId>,
        /// The number of the word of `d`.
        word: u8,
    },

    /// Distributes four matrices of 8 rows among the lanes, as PTX's `ldmatrix` does. Lane l passes
    /// row l % 8 of matrix l / 8: 8 elements of 16 bits in 4 words. Each lane gets a word of each
    /// matrix, and the instruction yields that of matrix `word`. For lane l, with g = l / 4 and
    /// t = l % 4, it is word t of row g, or, if `transposed`, elements g of rows 2t and 2t + 1.
    ///
    /// All lanes of the warp must run it: the result is unspecified if one does not exist or has
    /// ended. A GPU loads and distributes rows in shared memory at once.
    DistributeRows {
        /// True if words go along the columns.
        transposed: bool,
        /// The four words of the lane's row.
        args: Vec<InstId>,
        /// The number of the matrix.
        word: u8,
    },

    /// Begins to multiply matrices on tensor cores, together with the other threads of a warpgroup
    /// ([`WgmmaOp`]), and to add the product to the sums in an array of the thread's own, or to
    /// replace them. The product reads shared memory and the sums, and writes the sums, at any time
    /// until an [`Op::WgmmaWait`] that waits for it: only other products may access the sums until
    /// then, and nothing may write to the factors. Accesses to shared memory that an
    /// [`Op::ProxyFence`] does not order before it are not before it, but those of bulk copies.
    ///
    /// All threads of the warpgroup must run it together; products with the same sums and columns
    /// take place in order. Sums are those of [`tensor_cores`](crate::tensor_cores), for 16 elements
    /// of each row of `a` at a time.
    Wgmma {
        /// The types and the order of elements.
        op: WgmmaOp,
        /// The columns of `b`: a multiple of 8, at most 256.
        columns: Extent,
        /// The array of the sums, `f32`s; a pointer to the first tile of `b`; and a pointer to the
        /// tile of `a`, or the 16 words of `a` (`u32`) that the thread has.
        args: Vec<InstId>,
    },
    /// Waits for all products that the warpgroup has begun but the last `pending`. The sums in an
    /// array are complete if none of these writes them.
    WgmmaWait {
        /// The array of the sums.
        sums: InstId,
        /// At most 7.
        pending: Extent,
    },
    /// Orders the thread's accesses to shared memory before it against those of products and bulk
    /// copies that begin after it, in this thread or in those that it then synchronizes with.
    ProxyFence,
    /// Synchronizes with the grids before and after this one in the stream, of which those with
    /// [`dependent_launch`](super::Kernel::dependent_launch) may run at the same time. A wait is in
    /// such a kernel only.
    GridDependency(GridDependencyOp),

    // Inline PTX.
    /// Runs PTX that the user wrote, on a GPU. Yields its first output, if it has any. Operands of
    /// 16 bits are in registers of 16 bits, and a `bool` is a predicate.
    ///
    /// It may do everything that does not end the thread. The interpreter has no meaning for it: a
    /// kernel that may reach one without a [fallback](InlinePtx::has_fallback) is refused, and the
    /// outputs of the others, which [`Op::Interpreted`] keeps it from, are zeros.
    Ptx {
        /// True if it computes a function of its operands and does nothing else.
        is_pure: bool,
        /// The text.
        ptx: Box<InlinePtx>,
        /// The inputs.
        args: Vec<InstId>,
    },
    /// Another output of inline PTX than the first.
    PtxOutput {
        /// An [`Op::Ptx`].
        of: InstId,
        /// The number of the output, at least 1.
        output: u8,
    },
    /// Returns `true` on the interpreter, and `false` on GPUs: the choice between inline PTX and its
    /// fallback.
    Interpreted,

    // Output.
    /// Prints a message on the host, if there is room for it.
    Print {
        /// The message.
        message: MessageId,
        /// Its arguments.
        args: Vec<InstId>,
    },

    // Control.
    /// Runs one of two bodies.
    If {
        /// A `bool`.
        cond: InstId,
        /// The body if it is true.
        then: Body,
        /// The body if it is false.
        other: Body,
    },
    /// Runs the body for `start`, `start + step`, … while less than `end` (or equal, if
    /// `inclusive`), and never computes a value past the end of the type. Yields the
    /// current value, visible in the body only; an integer.
    For {
        /// First value.
        start: InstId,
        /// The end of the range.
        end: InstId,
        /// Distance, of the same type; at least 1.
        step: InstId,
        /// True if `end` itself is an iteration.
        inclusive: bool,
        /// The body.
        body: Body,
    },
    /// Runs the body again and again, until an instruction in it leaves.
    Loop {
        /// The body.
        body: Body,
    },
    /// Runs the body once; [`Op::Break`] leaves it early.
    Block {
        /// The body.
        body: Body,
    },
    /// Continues after an enclosing `for`, `loop` or `block`.
    Break(InstId),
    /// Continues with the next iteration of an enclosing `for` or `loop`.
    Continue(InstId),
    /// Ends the thread.
    Return,
    /// Ends the thread with [`Fault::Panic`].
    Panic {
        /// The message of the panic.
        message: MessageId,
        /// Its arguments.
        args: Vec<InstId>,
    },
}

/// The effect of an instruction besides its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// None: it may be dropped, repeated or moved to any place at which its operands are visible.
    None,
    /// Reads a local or memory.
    Read,
    /// Writes a local, memory or a cache, begins or awaits asynchronous copies, or prints.
    Write,
    /// May end the thread with a fault.
    Fault,
    /// Synchronizes with other threads, or may do anything.
    Sync,
    /// Control flow.
    Control,
}

impl Op {
    /// Returns the effect besides the value. Control flow has the effects of its bodies in addition.
    pub const fn effect(&self) -> Effect {
        match self {
            Self::Const(_)
            | Self::Generic(_)
            | Self::Param(_)
            | Self::Len(_)
            | Self::Shared(_)
            | Self::Array(_)
            | Self::Builtin(_)
            | Self::Unary { .. }
            | Self::Binary { .. }
            | Self::Compare { .. }
            | Self::Cast { .. }
            | Self::Bitcast { .. }
            | Self::Select { .. }
            | Self::Ternary { .. }
            | Self::Fma { .. }
            | Self::MulAdd { .. }
            | Self::Index { .. }
            | Self::Offset { .. }
            | Self::Texture { .. }
            | Self::Ptx { is_pure: true, .. }
            | Self::PtxOutput { .. }
            | Self::Interpreted
            | Self::MapShared { .. } => Effect::None,
            Self::Get(_) | Self::Load { .. } => Effect::Read,
            Self::Set { .. }
            | Self::Store { .. }
            | Self::Prefetch { .. }
            | Self::AtomicLoad { .. }
            | Self::AtomicStore { .. }
            | Self::Atomic { .. }
            | Self::CompareExchange { .. }
            | Self::AsyncCopy { .. }
            | Self::BulkCopy { .. }
            | Self::TensorCopy { .. }
            | Self::TensorStore { .. }
            | Self::BulkStore { .. }
            | Self::AsyncCommit
            | Self::AsyncWait { .. }
            | Self::BulkCommit
            | Self::BulkWait { .. }
            | Self::Print { .. } => Effect::Write,
            Self::Bounds { .. } | Self::Check { .. } => Effect::Fault,
            Self::Barrier { .. }
            | Self::SyncGrid
            | Self::SyncCluster
            | Self::SyncWarp { .. }
            | Self::NamedBarrier { .. }
            | Self::MBarrierArrive { .. }
            | Self::MBarrierWait { .. }
            | Self::Fence { .. }
            | Self::ProxyFence
            | Self::GridDependency(_)
            | Self::Wgmma { .. }
            | Self::WgmmaWait { .. }
            | Self::Shuffle { .. }
            | Self::Vote { .. }
            | Self::Match { .. }
            | Self::ActiveMask
            | Self::Reduce { .. }
            | Self::Mma { .. }
            | Self::Ptx { is_pure: false, .. }
            | Self::DistributeRows { .. } => Effect::Sync,
            Self::If { .. }
            | Self::For { .. }
            | Self::Loop { .. }
            | Self::Block { .. }
            | Self::Break(_)
            | Self::Continue(_)
            | Self::Return
            | Self::Panic { .. } => Effect::Control,
        }
    }

    /// Returns a load without a hint.
    pub const fn load(ptr: InstId) -> Self {
        Self::Load { ptr, cache: None }
    }

    /// Returns a store without a hint.
    pub const fn store(ptr: InstId, value: InstId) -> Self {
        Self::Store { ptr, value, cache: None }
    }

    /// Returns the hint of a load or store.
    pub const fn cache_op(&self) -> Option<CacheOp> {
        if let Self::Load { cache, .. } | Self::Store { cache, .. } = self { *cache } else { None }
    }

    /// Returns true if an asynchronous copy can have `bytes` bytes.
    pub const fn is_async_size(bytes: u64) -> bool {
        matches!(bytes, 4 | 8 | 16)
    }

    /// Returns true if a bulk copy can have so many bytes.
    pub const fn is_bulk_size(bytes: u64) -> bool {
        bytes.is_multiple_of(16) && bytes > 0 && bytes <= MAX_MBARRIER_ARRIVALS
    }

    /// Returns true if so many products can be pending after a wait.
    pub const fn is_pending_products(pending: u64) -> bool {
        pending <= 7
    }

    /// Returns true if a named barrier has this number.
    pub const fn is_named_barrier(id: u64) -> bool {
        matches!(id, 1..=15)
    }

    /// Returns true if a named barrier can be for `threads` threads.
    pub const fn is_named_barrier_size(threads: u64) -> bool {
        threads.is_multiple_of(32) && matches!(threads, 32..=1024)
    }

    /// Returns true for the instructions of named barriers and mbarriers, at which some threads of
    /// a block arrive, and others wait for them.
    pub const fn is_partial_barrier(&self) -> bool {
        matches!(
            self,
            Self::NamedBarrier { .. } | Self::MBarrierArrive { .. } | Self::MBarrierWait { .. }
        )
    }

    /// Returns true for copies that take place in the background.
    pub const fn is_async_copy(&self) -> bool {
        matches!(
            self,
            Self::AsyncCopy { .. }
                | Self::BulkCopy { .. }
                | Self::TensorCopy { .. }
                | Self::TensorStore { .. }
                | Self::BulkStore { .. }
        )
    }

    /// Returns true if a phase of an mbarrier can have so many arrivals.
    pub const fn is_mbarrier_count(arrivals: u64) -> bool {
        matches!(arrivals, 1..=MAX_MBARRIER_ARRIVALS)
    }

    /// Returns true if nothing after the instruction in its body runs.
    pub const fn is_exit(&self) -> bool {
        matches!(self, Self::Break(_) | Self::Continue(_) | Self::Return | Self::Panic { .. })
    }
}
