//! The IR: typed instructions under structured control flow.
//!
//! A [`Kernel`] owns one table of instructions. An instruction *is* the value
//! it yields, so an operand is an [`InstId`]. A [`Body`] lists instructions in
//! the order they run; `if`, `for`, `loop` and `block` hold nested bodies.
//! `docs/ir.md` has the text form and a worked example; [`Op`] defines the meaning
//! of each instruction, which the SIMT interpreter executes.
//!
//! **Visibility.** A value is visible from the instruction after its own to the
//! end of that body, nested bodies included. To carry a value out of a nested
//! body, set a [`Local`].
//!
//! **Threads.** Every instruction is run by each thread on its own values; [`Op::Sync`],
//! [`Op::Warp`] and [`Op::Matrix`] are where threads meet. A thread ends at the end of the body, at
//! [`Op::Return`], at [`Op::Panic`], or at a check that fails; a thread that has ended no longer
//! counts where threads meet.
//!
//! **Effects.** [`Op::effect`] returns the effect of an instruction besides its value.
//!
//! **Generics.** Until [`specialize`](crate::specialize), types may be
//! [`Scalar::Generic`], and numbers [`Extent::Generic`] and [`Op::Generic`].
mod build;
mod copy_op;
pub mod evaluate;
pub mod execute;
mod extent;
mod fault;
pub mod inline_ptx;
mod kinds;
mod matrix_op;
mod mma;
mod names;
mod op;
mod parse;
mod parts;
mod print;
mod renumber;
mod requirement;
mod size;
mod spell;
pub mod surface;
mod sync_op;
mod tensor;
mod texture;
mod ty;
mod warp_op;
mod wgmma;

use crate::{
    id::{Facts, Table},
    message::Format,
};
pub use build::Builder;
pub use copy_op::CopyOp;
pub use extent::Extent;
pub use fault::Fault;
pub use inline_ptx::{InlinePtx, PtxLevel};
pub use kinds::{
    Approx, AtomicOp, Axis, BarrierOp, BinaryOp, Builtin, CacheLevel, CacheOp, CompareOp,
    Direction, GridDependencyOp, LaneMask, MatchOp, MulAddForm, Order, ReduceOp, Scope, ShuffleOp,
    TernaryOp, UnaryOp, VoteOp,
};
pub use matrix_op::MatrixOp;
pub use mma::{MAX_A_WORDS, MAX_B_WORDS, MAX_SUM_WORDS, MmaOp, MmaShape, MmaType};
pub use op::{Effect, ForRange, Op};
pub use parse::ParseError;
pub use print::{InstText, number};
pub use requirement::{Refusal, Requirement};
pub use size::{Length, Passed, Size, SizeError};
pub(crate) use spell::comparison_sign;
pub use sync_op::SyncOp;
pub use tensor::{TensorBox, TensorBoxShape};
pub use texture::{TextureOp, TextureRead, TextureShape, TextureWord};
pub use ty::{Element, Scalar, Space, Ty};
pub use warp_op::WarpOp;
pub use wgmma::{Major, WgmmaOp};

crate::id!(/** An instruction, and the value it yields. */ InstId, "%");
crate::id!(/** A mutable value of one thread. */ LocalId, "$");
crate::id!(/** A block-shared array. */ SharedId, "@");
crate::id!(/** An array of each thread's own. */ ArrayId, "#");
crate::id!(/** A parameter of the kernel. */ ParamId, "arg");
crate::id!(/** A generic parameter of the kernel, or a constant that only rustc knows. */ GenericId, "T");
crate::id!(/** Something that the kernel can say. */ MessageId, "msg");
crate::id!(/** A place in the user's source; only the front end can resolve it. */ Span, "!");

impl Span {
    /// The kernel as a whole: what is said of it stands at its name.
    pub const KERNEL: Self = Self(u32::MAX);
}

/// The greatest nesting depth of bodies (and of parentheses of an extent), the kernel's own body
/// included. A limit, because every reader of the IR recurses into bodies.
pub const MAX_DEPTH: usize = 256;

/// Largest [`Kernel::min_blocks`]: no GPU runs more blocks on a multiprocessor.
pub const MAX_MIN_BLOCKS: u32 = 32;

/// Most blocks of a [cluster](Kernel::cluster), which every GPU with clusters runs.
pub const MAX_CLUSTER_BLOCKS: u32 = 8;

/// Most bytes that the parameters of a kernel have, which every GPU takes.
pub const MOST_PARAM_BYTES: u64 = 4352;

/// The bytes of a tensor map, as the CUDA driver encodes it.
pub const TENSOR_MAP_BYTES: u64 = 128;
/// The alignment of a tensor map in bytes.
pub const TENSOR_MAP_ALIGN: u64 = 64;

/// A kernel, from signature to body.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Entry-point name: a Rust identifier.
    pub name: String,
    /// Generic parameters; empty once specialized.
    pub generics: Table<GenericId, Generic>,
    /// Threads in a block along x, y and z, where the kernel declares them.
    pub block: Option<[Extent; 3]>,
    /// Blocks that a multiprocessor has to run at a time: a bound on the registers of a thread.
    pub min_blocks: Option<u32>,
    /// True if all blocks of the grid run at the same time, so that they may wait for each other.
    pub cooperative: bool,
    /// True if the grid may start before the grids before it in the stream have ended. No thread
    /// then accesses global memory before its [wait](GridDependencyOp::Wait).
    pub dependent_launch: bool,
    /// The blocks of a cluster along x, y and z, if blocks run in clusters. Every grid consists of
    /// whole clusters.
    pub cluster: Option<[u32; 3]>,
    /// True if the grid may have more than 2^31 threads along an axis.
    pub wide_index: bool,
    /// True if a check that is not proved is an error.
    pub deny_checks: bool,
    /// False if threads must not be [coarsened](Coarsening).
    pub may_coarsen: bool,
    /// True if each slice begins at a multiple of [`SLICE_ALIGN`](Element::SLICE_ALIGN) bytes, so
    /// that neighbouring elements may be accessed at once; false if its alignment is only that of
    /// its elements.
    pub aligned_slices: bool,
    /// The coarsening of threads, once it is done.
    pub coarsening: Option<Coarsening>,
    /// Parameters, in order.
    pub params: Table<ParamId, Param>,
    /// The conditions that every launch fulfils.
    pub requires: Vec<Requirement>,
    /// Block-shared arrays.
    pub shared: Table<SharedId, Shared>,
    /// Arrays that each thread has of its own.
    pub arrays: Table<ArrayId, Array>,
    /// The messages that the kernel can print or panic with.
    pub messages: Table<MessageId, Message>,
    /// Mutable values (`let mut`).
    pub locals: Table<LocalId, Local>,
    /// Every instruction, in the order of the body ([`Kernel::renumber`]).
    pub insts: Table<InstId, Inst>,
    /// The body.
    pub body: Body,
}

/// Thread coarsening: each thread does the work of several, those of the same index in neighbouring
/// blocks.
///
/// The launcher divides the blocks along an axis by the factor ([`CoarseGrid`]). A block of the
/// smaller grid runs as many blocks of the launch; the last one runs the remaining ones.
/// [`Builtin::GridDim`] stays the launch's, and [`Builtin::BlockIdx`] and [`Builtin::GlobalIdx`]
/// are of the first of the blocks.
///
/// Launches that do not [suit](CoarseGrid::suits) coarsening run the code of the kernel without it.
/// The interpreter divides no grid, and runs a coarsened kernel with a factor of 1
/// ([`Builtin::CoarseningFactor`]), unless it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coarsening {
    /// The grid.
    pub grid: CoarseGrid,
    /// The `for` that runs each thread by itself. Its counter is the distance from the first block.
    /// All checks are in it, and a failed one continues with the next iteration.
    pub threads: InstId,
}

/// The division of the grid of a [coarsened](Coarsening) kernel by the launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoarseGrid {
    /// The axis along which there are fewer blocks.
    pub axis: Axis,
    /// The blocks of the launch that a block of the smaller grid runs.
    pub factor: u32,
}

impl CoarseGrid {
    /// The largest factor of any kernel.
    pub const MAX_FACTOR: u32 = 8;

    /// Threads that a multiprocessor of most GPUs runs at the same time.
    const RESIDENT_THREADS: u64 = 2048;

    /// Returns true if a launch of `grid` blocks of `block` threads still fills a GPU with this
    /// number of multiprocessors when each thread does the work of several. Other launches run the
    /// kernel without coarsening.
    pub fn suits(self, grid: [u32; 3], block: [u32; 3], multiprocessors: u64) -> bool {
        let dims = grid.iter().chain(&block).map(|&dim| u64::from(dim));
        let threads = dims.fold(1, u64::saturating_mul);
        let needed = u64::from(self.factor) * multiprocessors * Self::RESIDENT_THREADS;
        grid[self.axis as usize] >= self.factor && threads >= needed
    }

    /// Returns the grid of the hardware for a launch of `grid` blocks, and the argument after the
    /// fault record: the blocks of the launch along the axis.
    pub fn divide(self, mut grid: [u32; 3]) -> ([u32; 3], u32) {
        let blocks = &mut grid[self.axis as usize];
        let launched = *blocks;
        *blocks = launched.div_ceil(self.factor);
        (grid, launched)
    }
}

/// A generic parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generic {
    /// Name in the source.
    pub name: String,
    /// Type or constant.
    pub kind: GenericKind,
    /// The place of its declaration.
    pub span: Span,
}

impl Generic {
    /// Returns the value of [`Op::Generic`] in Rust's notation.
    pub fn spell_value(&self) -> String {
        match self.kind {
            GenericKind::Type(_) => format!("size_of::<{}>()", self.name),
            GenericKind::Const(_) => self.name.clone(),
        }
    }
}

/// The kind of a generic parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenericKind {
    /// A type.
    Type(Bound),
    /// A constant of this type, which is no type parameter.
    Const(Scalar),
}

/// The types that a type parameter may be bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Any integer or float.
    Num,
    /// Any integer.
    Int,
    /// Any float.
    Float,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Name in the source.
    pub name: String,
    /// The kind of the argument.
    pub kind: ParamKind,
    /// The place of its declaration.
    pub span: Span,
}

/// The kind of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// One value.
    Scalar(Scalar),
    /// Elements in global or constant memory: their address ([`Op::Param`]) and number
    /// ([`Op::Len`]).
    Slice {
        /// The element type.
        elem: Element,
        /// The permitted accesses.
        access: Access,
    },
}

/// The permitted accesses to the elements of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `&[T]`: loads only, and no thread writes during the launch.
    Read,
    /// `&mut [T]`: loads and stores, by any thread.
    Write,
    /// `&[T]` with atomics in `T`: atomic operations, and loads of plain elements, which no thread
    /// writes during the launch.
    Atomic,
    /// A texture: [`Op::Texture`] reads it, and no thread writes it during the launch.
    Texture,
    /// A surface of this shape: loads only, and no thread writes during the launch. Pointers to its
    /// texels are [surface addresses](surface).
    SurfaceRead(TextureShape),
    /// A surface of this shape: loads and stores, by any thread.
    SurfaceWrite(TextureShape),
    /// A tensor map: [`CopyOp::TensorCopy`] reads the elements, and no thread writes them during
    /// the launch. The parameters after it are `u64`s: the extents of the tensor, the outermost
    /// first, and the number of elements from one row to the next.
    TensorRead,
    /// A tensor map, followed by the same parameters: [`CopyOp::TensorStore`] writes the elements.
    TensorWrite,
    /// `#[constant] &[T]`: loads only, of constant memory, into which the launcher copies the
    /// elements.
    Constant {
        /// The greatest number of elements.
        max: u32,
    },
}

impl Access {
    /// Returns true if no thread writes the elements during a launch.
    pub const fn is_read_only(self) -> bool {
        match self {
            Self::Read
            | Self::Texture
            | Self::SurfaceRead(_)
            | Self::TensorRead
            | Self::Constant { .. } => true,
            Self::Write | Self::Atomic | Self::SurfaceWrite(_) | Self::TensorWrite => false,
        }
    }

    /// Returns the shape of a surface; `None` for other memory.
    pub const fn surface_shape(self) -> Option<TextureShape> {
        match self {
            Self::SurfaceRead(shape) | Self::SurfaceWrite(shape) => Some(shape),
            Self::Read
            | Self::Write
            | Self::Atomic
            | Self::Texture
            | Self::TensorRead
            | Self::TensorWrite
            | Self::Constant { .. } => None,
        }
    }

    /// Returns true for tensor maps.
    pub const fn is_tensor_map(self) -> bool {
        matches!(self, Self::TensorRead | Self::TensorWrite)
    }

    /// Returns true if instructions access the elements by their addresses.
    pub const fn is_addressed(self) -> bool {
        !matches!(self, Self::Texture | Self::TensorRead | Self::TensorWrite)
    }

    /// Returns the memory of the elements.
    pub const fn space(self) -> Space {
        match self {
            Self::Read
            | Self::Write
            | Self::Atomic
            | Self::Texture
            | Self::SurfaceRead(_)
            | Self::SurfaceWrite(_)
            | Self::TensorRead
            | Self::TensorWrite => Space::Global,
            Self::Constant { .. } => Space::Constant,
        }
    }
}

/// As in the text form: `read`, `constant 64`, `surface_write 2d`.
impl std::fmt::Display for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::Constant { max } => write!(f, " {max}"),
            Self::SurfaceRead(shape) | Self::SurfaceWrite(shape) => write!(f, " {}", shape.name()),
            Self::Read
            | Self::Write
            | Self::Atomic
            | Self::Texture
            | Self::TensorRead
            | Self::TensorWrite => Ok(()),
        }
    }
}

/// A block-shared array. Its contents are undefined when a block starts, but for mbarriers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Name in the source.
    pub name: String,
    /// The element type.
    pub elem: Element,
    /// Number of elements.
    pub len: Length,
    /// Of an array of mbarriers, the number of arrivals that complete a phase of each. Its elements
    /// are `u64`, and only [`SyncOp::MBarrierArrive`] and [`SyncOp::MBarrierWait`] access them. The
    /// first phase begins when the block starts.
    pub arrivals: Option<Extent>,
    /// The place of its declaration.
    pub span: Span,
}

/// An array that each thread has of its own, in local memory. Its contents are undefined when the
/// thread starts, unless they are [passed](Self::passed).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Name in the source; empty for one that the compiler made.
    pub name: String,
    /// The element type.
    pub elem: Element,
    /// Number of elements.
    pub len: Extent,
    /// For an array of open length that the kernel takes by value: the parameter that stands for
    /// its elements, one after another. Specialization replaces it by a parameter for each element,
    /// and stores these to the array first. Only the array refers to the parameter.
    pub passed: Option<ParamId>,
    /// The place of its declaration.
    pub span: Span,
}

/// The text of an [`Op::Panic`] or [`Op::Print`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// A [`Format`] that names its arguments by number.
    pub text: String,
    /// Types of its arguments.
    pub args: Vec<Scalar>,
}

/// A mutable value of one thread. Undefined until it is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Name in the source; empty for one that the compiler made.
    pub name: String,
    /// Type; never `Unit`.
    pub ty: Ty,
    /// The place of its declaration.
    pub span: Span,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// The operation.
    pub op: Op,
    /// The type of its value; [`Ty::Unit`] if it has none.
    pub ty: Ty,
    /// The place in the source.
    pub span: Span,
}

/// Instructions, in the order they run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body(pub Vec<InstId>);

impl Kernel {
    /// Returns true if threads arrive at named barriers or mbarriers: only a run shows which of
    /// them an arrival orders. Inline PTX may do the same.
    pub fn has_partial_barriers(&self) -> bool {
        let is_opaque = |op: &Op| matches!(op, Op::Ptx { is_pure: false, .. });
        self.insts.iter().any(|(_, inst)| inst.op.is_partial_barrier() || is_opaque(&inst.op))
    }

    /// Returns true if there is nothing left to specialize.
    pub fn is_closed(&self) -> bool {
        self.generics.is_empty()
    }

    /// Formats a message with the values of its arguments; empty if there is no such message.
    pub fn message_text(&self, message: MessageId, values: &[u64]) -> String {
        let Some(message) = self.messages.get(message) else { return String::new() };
        let args: Vec<(Scalar, u64)> =
            message.args.iter().copied().zip(values.iter().copied()).collect();
        message
            .text
            .parse()
            .map_or_else(|_| message.text.clone(), |format: Format| format.render(&args))
    }

    /// Returns the name of a parameter or shared array, by its number among both; empty if there is
    /// no such memory.
    pub fn memory_name(&self, number: usize) -> String {
        let params = self.params.iter().map(|(_, param)| &param.name);
        let mut names = params.chain(self.shared.iter().map(|(_, shared)| &shared.name));
        names.nth(number).cloned().unwrap_or_default()
    }

    /// Returns the name of a buffer or array in the source; that of an array which a pattern binds
    /// is empty.
    pub fn root_name(&self, root: Root) -> &str {
        match root {
            Root::Param(param) => &self.params[param].name,
            Root::Shared(shared) => &self.shared[shared].name,
            Root::Array(array) => &self.arrays[array].name,
        }
    }

    /// Returns the number of blocks in a cluster: 1 without clusters.
    pub fn cluster_blocks(&self) -> u32 {
        self.cluster.map_or(1, |dims| dims.iter().product())
    }

    /// Returns true if a copy of a tensor goes to several blocks of a cluster.
    pub fn has_multicasts(&self) -> bool {
        let is_multicast =
            |op: &Op| matches!(op, Op::Copy(CopyOp::TensorCopy { blocks: Some(_), .. }));
        self.insts.iter().any(|(_, inst)| is_multicast(&inst.op))
    }

    /// Returns the division of the grid if blocks of the hardware run several blocks of the launch
    /// along `axis`.
    pub fn coarse_grid_along(&self, axis: Axis) -> Option<CoarseGrid> {
        self.coarsening.map(|coarsening| coarsening.grid).filter(|grid| grid.axis == axis)
    }

    /// Returns the memory that `ptr` points into; `None` if it is no pointer.
    pub fn space(&self, ptr: InstId) -> Option<Space> {
        match self.insts[ptr].ty {
            Ty::Ptr(space) => Some(space),
            Ty::Unit | Ty::Scalar(_) => None,
        }
    }

    /// Returns the bits of `id`, if it is a literal.
    pub fn literal(&self, id: InstId) -> Option<u64> {
        if let Op::Const(bits) = self.insts[id].op { Some(bits) } else { None }
    }

    /// Returns the memory of the elements of a parameter or an array.
    pub fn space_of_root(&self, root: Root) -> Space {
        match root {
            Root::Param(param) => match self.params[param].kind {
                ParamKind::Slice { access, .. } => access.space(),
                ParamKind::Scalar(_) => Space::Global,
            },
            Root::Shared(_) => Space::Shared,
            Root::Array(_) => Space::Local,
        }
    }

    /// Returns the surface that `ptr` points into, with its shape; `None` for other memory.
    pub fn surface(&self, ptr: InstId) -> Option<(ParamId, TextureShape)> {
        self.surface_of_root(self.root(ptr)?)
    }

    /// Returns the surface that `root` is, with its shape; `None` for other memory.
    pub fn surface_of_root(&self, root: Root) -> Option<(ParamId, TextureShape)> {
        let Root::Param(param) = root else { return None };
        match &self.params[param].kind {
            ParamKind::Slice { access, .. } => access.surface_shape().map(|shape| (param, shape)),
            ParamKind::Scalar(_) => None,
        }
    }

    /// Returns true if no thread writes to `root` during a launch.
    pub fn is_read_only(&self, root: Root) -> bool {
        let Root::Param(param) = root else { return false };
        match self.params[param].kind {
            ParamKind::Slice { access, .. } => access.is_read_only(),
            ParamKind::Scalar(_) => false,
        }
    }

    /// Returns the parameter or array that `ptr` points into, if it is known.
    pub fn root(&self, ptr: InstId) -> Option<Root> {
        let mut op = &self.insts[ptr].op;
        let mut steps = 0;
        while let Op::Index { base, .. } | Op::Offset { base, .. } = op {
            // The bases of a malformed kernel may form a cycle.
            if steps == self.insts.len() {
                return None;
            }
            (op, steps) = (&self.insts[*base].op, steps + 1);
        }
        if let Op::Param(param) = op {
            Some(Root::Param(*param))
        } else if let Op::Shared(shared) = op {
            Some(Root::Shared(*shared))
        } else if let Op::Array(array) = op {
            Some(Root::Array(*array))
        } else {
            None
        }
    }

    /// Returns false if the last instruction of `body` keeps control from reaching its end.
    pub fn falls_through(&self, body: &Body) -> bool {
        let Some(&last) = body.0.last() else { return true };
        let op = &self.insts[last].op;
        if let Op::If { then, other, .. } = op {
            return self.falls_through(then) || self.falls_through(other);
        }
        !op.is_exit()
    }

    /// Visits every instruction that the body reaches, outer before inner, in order.
    pub fn walk(&self, visit: &mut impl FnMut(InstId)) {
        fn body(kernel: &Kernel, list: &Body, visit: &mut impl FnMut(InstId)) {
            for &id in &list.0 {
                visit(id);
                let op = &kernel.insts[id].op;
                if !op.is_leaf() {
                    op.bodies().for_each(|inner| body(kernel, inner, visit));
                }
            }
        }
        body(self, &self.body, visit);
    }

    /// Returns the parent of each instruction, and the index of the parent's body that contains it.
    pub fn parents(&self) -> Facts<InstId, Option<(InstId, usize)>> {
        let mut parents = self.insts.facts(None);
        for (id, inst) in self.insts.iter() {
            if inst.op.is_leaf() {
                continue;
            }
            for (number, body) in inst.op.bodies().enumerate() {
                for &inner in &body.0 {
                    parents[inner] = Some((id, number));
                }
            }
        }
        parents
    }
}

/// The object that a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// The elements of a slice parameter.
    Param(ParamId),
    /// A block-shared array.
    Shared(SharedId),
    /// An array of the thread's own.
    Array(ArrayId),
}
