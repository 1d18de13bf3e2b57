//! Random kernels with a single meaning.
//!
//! [`random_kernel`] makes, from a seed, a well-formed kernel over the whole IR, a launch and its
//! arguments. Every engine must leave the same bits in memory (any NaN for a NaN) and report the
//! same fault, because:
//!
//! - It ends: loops run a few times, whatever their operands are.
//! - Nothing races: a thread writes its own elements of `write` parameters, its own slot of shared
//!   arrays, and shared elements only by atomic updates that commute and whose results are unused.
//!   Other threads read a slot only between two barriers.
//! - An asynchronous copy writes an own slot, and the thread waits for it before anything else.
//! - Nothing is unspecified: locals and slots are set before anything else, divisors are not zero,
//!   the bits of a computed NaN do not become an integer, shuffles read lanes that exist and have
//!   not ended.
//! - Barriers, votes and shuffles stand where control is the same in the whole block (or name the
//!   lanes that reach them). For this, each value carries whether it is *uniform*.
//!
//! Values, lengths and indices are often edge values. The computed results have no purpose.
mod affine;
mod arrays;
mod clusters;
mod coarse;
mod contracts;
mod copies;
mod dense;
mod divergent;
pub(crate) mod draw;
mod float_indices;
mod flow;
mod guarded;
mod indices;
mod kernel_text;
mod meet;
mod memory;
mod plan;
mod racy;
mod rings;
mod straight;
mod strides;
mod values;
mod volumes;
mod while_loops;

pub use affine::affine_kernel;
pub use clusters::cluster_kernel;
pub use coarse::coarse_kernel;
pub use contracts::with_contracts;
pub use dense::dense_kernel;
pub use divergent::divergent_kernel;
use draw::Draw;
pub use float_indices::float_index_kernel;
pub use guarded::guarded_kernel;
pub use indices::index_kernel;
pub use racy::racy_kernel;
pub use rings::ring_kernel;
pub use straight::straight_kernel;
pub use strides::{numbered, stride_kernel};
pub use volumes::volume_kernel;
use warpwise_compiler::{
    contract::Contract,
    ir::{
        Access, Builder, GridDependencyOp, InstId, Kernel, Length, Op, Passed, Scalar, Span,
        SyncOp, Ty,
    },
    optimize::{GpuKernels, optimize_for_launches},
    small_sizes::{self, Sizes},
    specialize::{Binding, specialize},
};
pub use while_loops::with_while_loops;

/// A kernel and one launch of it.
#[derive(Clone, Debug)]
pub struct RandomKernel {
    /// The kernel, which may have generic parameters.
    pub open: Kernel,
    /// The arguments for the generic parameters.
    pub bindings: Vec<Binding>,
    /// The kernel, specialized.
    pub kernel: Kernel,
    /// The shape of the launch.
    pub shape: LaunchShape,
    /// The arguments, one for each parameter.
    pub args: Vec<ArgData>,
}

impl RandomKernel {
    /// Returns the kernel as its launch compiles it for a GPU: with the assumption that sizes are
    /// small, if they are.
    pub fn for_gpu(&self) -> Kernel {
        let number = |arg: &ArgData| match arg {
            ArgData::Scalar { bits, .. } => *bits,
            // The length is below the number of bytes.
            ArgData::Slice { bytes, .. } => bytes.len() as u64,
        };
        let kernel = self.kernel.clone();
        let are_sizes = small_sizes::find_sizes(&kernel);
        Sizes::of_launch(&are_sizes, self.args.iter().map(number)).assume(kernel)
    }

    /// Returns true if the launch fulfils a contract of the kernel.
    pub fn fulfils(&self, contract: &Contract) -> bool {
        let number = |arg: &ArgData| match arg {
            ArgData::Scalar { ty, bits } => (*ty, *bits),
            ArgData::Slice { elem, bytes, .. } => {
                let size = elem.size().expect("arguments have concrete types") as usize;
                (Scalar::U64, (bytes.len() / size) as u64)
            }
        };
        let params: Vec<(Scalar, u64)> = self.args.iter().map(number).collect();
        let LaunchShape { grid, block } = self.shape;
        contract.holds(&Passed { params: &params, block, grid })
    }

    /// Returns the code that the launch runs on a GPU: without coarsened threads, and with them
    /// where there is such code.
    pub fn launched_codes(&self) -> (Kernel, Option<Kernel>) {
        let GpuKernels { plain, assumed, coarsened } = optimize_for_launches(self.for_gpu());
        match assumed {
            Some((contract, assumed)) if self.fulfils(&contract) => (assumed, coarsened),
            Some(_) => (plain, None),
            None => (plain, coarsened),
        }
    }
}

/// Returns the seeds of a test: `WARPWISE_SEEDS` (or `default`) many, from `WARPWISE_SEED` (or 0)
/// up.
pub fn seeds(default: u64) -> std::ops::Range<u64> {
    let number = |name, default| {
        std::env::var(name).map_or(default, |value| value.parse().expect("a number of seeds"))
    };
    let from = number("WARPWISE_SEED", 0);
    from..from + number("WARPWISE_SEEDS", default)
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads in a block along x, y and z.
    pub block: [u32; 3],
}

impl LaunchShape {
    /// Returns the number of threads in a block.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Returns the number of threads in the grid.
    pub fn all_threads(&self) -> u32 {
        self.grid.iter().product::<u32>() * self.threads()
    }
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgData {
    /// A value, as the bits of its type, zero-extended.
    Scalar {
        /// The type.
        ty: Scalar,
        /// The bits.
        bits: u64,
    },
    /// Elements, little-endian.
    Slice {
        /// The type of an element.
        elem: Scalar,
        /// The kernel's access to the elements.
        access: Access,
        /// The elements.
        bytes: Vec<u8>,
    },
}

/// Returns the length of each shared array of `kernel`, which must be specialized, in a launch.
///
/// # Panics
/// Panics if a length does not evaluate to a number.
pub fn shared_lengths(kernel: &Kernel, shape: &LaunchShape, args: &[ArgData]) -> Vec<u64> {
    let number = |arg: &ArgData| match arg {
        ArgData::Scalar { ty, bits } => (*ty, *bits),
        ArgData::Slice { elem, bytes, .. } => {
            let size = elem.size().expect("it is concrete") as usize;
            (Scalar::U64, (bytes.len() / size) as u64)
        }
    };
    let params: Vec<_> = args.iter().map(number).collect();
    let passed = Passed { params: &params, block: shape.block, grid: shape.grid };
    let len = |len: &Length| match len {
        Length::Fixed(extent) => extent.known().expect("the kernel is specialized"),
        Length::Launch(size) => size.evaluate(&passed).expect("there is such a number"),
    };
    kernel.shared.iter().map(|(_, shared)| len(&shared.len)).collect()
}

impl ArgData {
    /// Returns true if both hold the same values. All NaNs are equal.
    pub fn same_values(&self, other: &Self) -> bool {
        self.differences(other).is_empty()
    }

    /// Returns the index and the bits of each element that differs. All NaNs are equal.
    ///
    /// # Panics
    /// Panics if types or lengths differ.
    pub fn differences(&self, other: &Self) -> Vec<(usize, u64, u64)> {
        let ((ty, a), (other_ty, b)) = (self.elements(), other.elements());
        assert_eq!((ty, a.len()), (other_ty, b.len()), "arguments of different types");
        let pairs = a.into_iter().zip(b).enumerate();
        pairs
            .filter(|&(_, (a, b))| a != b && !(is_nan(ty, a) && is_nan(ty, b)))
            .map(|(at, (a, b))| (at, a, b))
            .collect()
    }

    /// Returns the type, and the bits of each value.
    fn elements(&self) -> (Scalar, Vec<u64>) {
        match self {
            Self::Scalar { ty, bits } => (*ty, vec![*bits]),
            Self::Slice { elem, bytes, .. } => {
                let size = element_size(*elem);
                (*elem, bytes.chunks_exact(size).map(little_endian).collect())
            }
        }
    }
}

/// Returns the size of an element of a slice, whose type is never a type parameter.
fn element_size(elem: Scalar) -> usize {
    elem.size().expect("arguments have concrete types") as usize
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

/// Returns true if `bits` are a NaN of `ty`.
fn is_nan(ty: Scalar, bits: u64) -> bool {
    let infinity = match ty {
        Scalar::F16 => 0x7c00,
        Scalar::BF16 => 0x7f80,
        Scalar::F32 => 0x7f80_0000,
        Scalar::F64 => 0x7ff0_0000_0000_0000,
        _ => return false,
    };
    let sign = 1 << (ty.bits().expect("floats have a width") - 1);
    bits & !sign > infinity
}

/// One kernel in this many may start before the grids before it have ended.
const DEPENDENT_LAUNCHES: u64 = 16;

/// Returns the kernel of a seed, always the same one.
pub fn random_kernel(seed: u64) -> RandomKernel {
    random_kernel_within(seed, u32::MAX)
}

/// Returns the kernel of a seed with at most `max_statements` statements.
pub fn random_kernel_within(seed: u64, max_statements: u32) -> RandomKernel {
    let mut generator = Generator::new(seed);
    generator.budget = generator.budget.min(max_statements);
    generator.declare();
    if seed.is_multiple_of(DEPENDENT_LAUNCHES) {
        generator.build.kernel.dependent_launch = true;
        generator.emit(Op::Sync(SyncOp::GridDependency(GridDependencyOp::Wait)), Ty::Unit);
    }
    generator.start();
    generator.statements(20);
    generator.finish();
    let Generator { mut build, bindings, shape, args, mut draw, .. } = generator;
    build.kernel.aligned_slices = draw.chance(80);
    let open = build.finish();
    let kernel = specialize(&open, &bindings).expect("bindings are drawn to fit").into_owned();
    RandomKernel { open, bindings, kernel, shape, args }
}

/// A value that is visible at the generator's position.
#[derive(Clone, Copy, Debug)]
struct Value {
    id: InstId,
    ty: Scalar,
    /// True if it is the same in the whole block.
    uniform: bool,
}

/// A target of `break` or `continue`.
#[derive(Clone, Copy, Debug)]
struct Enclosing {
    id: InstId,
    repeats: bool,
    /// True if control is uniform in its body, so that threads leave it only all together.
    uniform: bool,
}

/// A kernel in the making.
struct Generator {
    draw: Draw,
    build: Builder,
    bindings: Vec<Binding>,
    shape: LaunchShape,
    args: Vec<ArgData>,
    plan: plan::Plan,
    /// The visible values, oldest first.
    values: Vec<Value>,
    enclosing: Vec<Enclosing>,
    /// The counters of the enclosing loops over constant ranges, with their types.
    counters: Vec<(InstId, Scalar)>,
    /// True if control is the same in the whole block here.
    uniform: bool,
    /// The number of enclosing loops.
    loops: u32,
    /// The number of statements that may still be generated.
    budget: u32,
}

impl Generator {
    /// Appends an instruction, with a span of its own.
    fn emit(&mut self, op: Op, ty: impl Into<Ty>) -> InstId {
        self.next_span();
        self.build.inst(op, ty)
    }

    /// Appends an instruction and opens its first body.
    fn begin(&mut self, op: Op, ty: impl Into<Ty>) -> InstId {
        self.next_span();
        self.build.begin(op, ty)
    }

    fn next_span(&mut self) {
        use warpwise_compiler::id::Id;
        self.build.span = Span::new(self.build.span.index() + 1);
    }

    /// Makes a value visible.
    fn yields(&mut self, id: InstId, ty: Scalar, uniform: bool) -> Value {
        let value = Value { id, ty, uniform };
        self.values.push(value);
        value
    }
}
