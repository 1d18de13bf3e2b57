//! The instructions and their meaning.
//!
//! Integers are two's complement and wrap; what Rust makes a fault (an index
//! out of bounds, a division by zero, overflow where it is checked) is an
//! explicit [`Op::Bounds`] or [`Op::Check`] before the operation. Floats are
//! IEEE 754, round to nearest even, subnormals kept; sign and payload of a NaN
//! that an operation computes are unspecified.
use super::{
    ArrayId, AtomicOp, BinaryOp, Body, Builtin, CacheLevel, CacheOp, CompareOp, CopyOp, Extent,
    Fault, GenericId, InlinePtx, InstId, LocalId, MatrixOp, MessageId, MulAddForm, Order, ParamId,
    Scope, SharedId, SyncOp, TernaryOp, TextureOp, UnaryOp, WarpOp,
};

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
    /// Fetches the cache line of an address in global memory, in the background. It neither reads
    /// nor writes a value.
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
    /// Replaces the old value by `value`, atomically, if it is `expected`; yields the old value.
    /// Never fails spuriously.
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

    /// Reads texels of a texture, and yields one of four words; the same read once for each word is
    /// one instruction of a GPU. The texture's descriptor decides about its extents, format, filter
    /// and address modes; [`texture`](crate::texture) defines the result. No thread writes a
    /// texture during a launch.
    Texture {
        /// The shape, the kind of read, and the type of the words.
        op: TextureOp,
        /// A parameter with [`Access::Texture`](super::Access::Texture).
        texture: ParamId,
        /// The layer, if the shape has layers: `u32`, clamped to the last layer. Then the
        /// coordinates, as many as the shape has, and the level of detail, or the gradients of x
        /// and y along one axis and along the other: `f32`.
        args: Vec<InstId>,
        /// The number of the word: a channel of the texel, or for a gather one of the four texels.
        word: u8,
    },

    // Groups that few stages look into.
    /// An instruction of asynchronous copies.
    Copy(CopyOp),
    /// A barrier, a fence, or another wait for threads or grids.
    Sync(SyncOp),
    /// An exchange between the lanes of a warp.
    Warp(WarpOp),
    /// An instruction of tensor cores.
    Matrix(MatrixOp),

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
    /// Returns `true` on the interpreter, and `false` on GPUs: the choice between inline PTX and
    /// its fallback.
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

/// The values of the counter of an [`Op::For`].
#[derive(Clone, Copy, Debug)]
pub struct ForRange {
    /// The first value.
    pub start: InstId,
    /// The last value, or the first one after them.
    pub end: InstId,
    /// The distance of two values.
    pub step: InstId,
    /// True if `end` is the last value.
    pub inclusive: bool,
}

impl Op {
    /// Returns the effect besides the value. Control flow has the effects of its bodies in
    /// addition.
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
            | Self::Copy(_)
            | Self::Print { .. } => Effect::Write,
            Self::Bounds { .. } | Self::Check { .. } => Effect::Fault,
            Self::Sync(_) | Self::Matrix(_) | Self::Warp(_) | Self::Ptx { is_pure: false, .. } => {
                Effect::Sync
            }
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

    /// Returns true for the instructions of named barriers and mbarriers, at which some threads of
    /// a block arrive, and others wait for them.
    pub const fn is_partial_barrier(&self) -> bool {
        matches!(
            self,
            Self::Sync(
                SyncOp::NamedBarrier { .. }
                    | SyncOp::MBarrierArrive { .. }
                    | SyncOp::MBarrierWait { .. }
            )
        )
    }

    /// Returns true for copies that take place in the background.
    pub const fn is_async_copy(&self) -> bool {
        matches!(
            self,
            Self::Copy(
                CopyOp::AsyncCopy { .. }
                    | CopyOp::BulkCopy { .. }
                    | CopyOp::TensorCopy { .. }
                    | CopyOp::TensorStore { .. }
                    | CopyOp::BulkStore { .. }
            )
        )
    }

    /// Returns true if nothing after the instruction in its body runs.
    pub const fn is_exit(&self) -> bool {
        matches!(self, Self::Break(_) | Self::Continue(_) | Self::Return | Self::Panic { .. })
    }
}
