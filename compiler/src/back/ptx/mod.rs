//! IR to PTX text.
//!
//! The kernel becomes one `.entry` of its name ([`entry_name`]). Its parameters are, in order:
//!
//! - each scalar (`bool` as a byte);
//! - each slice as the address of its first element and the number of its elements, 64 bits each; a
//!   slice in constant memory as the number only, since the launcher copies its elements to the
//!   symbol [`constant_symbol`];
//! - for each shared array but the first whose length the launch computes, its offset
//!   ([`shared_memory`]), 32 bits;
//! - the address of the launch's [`FaultRecord`](crate::fault::FaultRecord), which has the address
//!   of its flag;
//! - if its threads are [coarsened](crate::ir::Coarsening), the blocks of the launch along the
//!   axis, 32 bits;
//! - if it prints, the address of the print buffer ([`output`](crate::output));
//! - if it is cooperative, the address of a word in which blocks are counted, 0 before the first
//!   launch.
//!
//! ```text
//! // Warpwise kernel `scale`.
//! .version 6.3
//! .target sm_75
//! .address_size 64
//!
//! .visible .entry scale(
//!     .param .f32 arg0,                   // a
//!     .param .u64 arg1,                   // x: elements,
//!     .param .u64 arg1_len,               // and how many
//!     .param .u64 fault_record
//! )
//! {
//!     ...
//! }
//! ```
//!
//! The text is for the oldest target that has the features of the kernel: PTX 6.3 and `sm_75`,
//! which every driver since Turing accepts, or more where that [`gains`] something. `ptxas`, a part
//! of the driver, compiles it for the device. It allocates registers, schedules, removes dead code
//! and copies, and simplifies scalars; all other optimization is done before. This module only
//! translates, instruction by instruction and in order, using the [`facts`].
//!
//! Literals of `f64` with more than 32 significant bits are in constant memory, as [`constants`]
//! says, and arrays of constants in constant or in global memory, as [`read_only_arrays`] says.
//!
//! Same kernel, same bytes: nothing here iterates over a hash table.
//!
//! The LLVM back end (`warpwise-llvm`) has the same interface to the launcher and emits the same
//! instructions for atomic operations, so this module also exports where arrays lie, the names of
//! instructions, and [`Facts`].
mod address;
mod arith;
mod async_copy;
mod atomic;
mod bits;
mod boolean;
mod bulk_copy;
mod cache;
mod cast;
mod cluster;
mod code;
mod constants;
mod copies;
mod division;
mod emitter;
mod facts;
mod fault;
mod grid;
mod grid_dependency;
mod half;
mod induction;
mod inline;
mod instruction;
mod layout;
mod lines;
mod mbarrier;
mod mma;
mod output;
mod products;
mod read_only_arrays;
mod reduce;
mod reg;
mod rem;
mod surface;
mod sync;
mod tensor;
mod texture;
mod vector;
mod wgmma;

use crate::{
    analysis::read_only_arrays::{CONSTANT_BYTES, constant_bytes, param_offsets},
    back::expand_rows,
    ir::{
        Access, Approx, CopyOp, Inst, Kernel, MOST_PARAM_BYTES, Op, ParamKind, TENSOR_MAP_ALIGN,
        TENSOR_MAP_BYTES, Ty, UnaryOp, WarpOp,
    },
    target::Target,
};
pub use address::space_name;
pub use arith::{approximate, rsqrt, takes_flag, ternary};
pub use async_copy::{HAS_ASYNC_COPIES, copy_instruction, wait_instruction};
pub use atomic::{combining, native, order_name, red_has, scope_name, update_name};
pub use bulk_copy::bulk_copy_instructions;
pub use cache::{cache_suffix, cached_load, prefetch_instruction};
pub use cluster::{HAS_CLUSTERS, SYNC_CLUSTER};
use emitter::Emitter;
pub use facts::{Facts, declared_threads, has_extremes};
pub use grid::SHARED_BYTES as GRID_BARRIER_SHARED_BYTES;
pub use grid_dependency::{HAS_GRID_DEPENDENCIES, grid_dependency_instruction, waits_at_ends};
pub use half::{HAS_ROUNDING, HAS_SUMS};
use layout::{MOST_LOCAL_BYTES, MOST_SHARED_BYTES};
pub use layout::{
    Placement, SharedMemory, SharedPlace, block_shared_bytes, constant_arrays, constant_symbol,
    declared_shared_arrays, declared_shared_bytes, dynamic_shared_align, is_sized_at_launch,
    local_placement, offset_params, shared_memory, shared_place,
};
pub use lines::Lines;
pub use mbarrier::{
    MBARRIER_ARRIVE, MBARRIER_ARRIVE_EXPECT, after_mbarrier_inits, mbarrier_inits, mbarrier_test,
    mbarriers,
};
pub use mma::{hides_operand, matrix_load_name, mma_name};
pub use products::{find_shift_by_31, may_lose_factor};
pub use reduce::{HAS_REDUX, lanes_apart};
pub use reg::{arithmetic, memory, untyped};
use std::{borrow::Cow, fmt};
pub use surface::{Coordinate, SurfaceAccess, coordinate_bits, surface_coordinates, surface_name};
pub use sync::named_barrier_instruction;
pub use tensor::{
    BULK_COMMIT, bulk_store_instructions, bulk_wait_instruction, cluster_ranks,
    multicast_instructions, tensor_copy_instructions, tensor_store_instructions,
};
pub use texture::{texture_name, texture_operands};
pub use wgmma::{PROXY_FENCE, WgmmaOperands, target_name, wgmma_instructions, wgmma_wait};

/// The PTX version that introduced [`Target::OLDEST`]; all that every target has is in it.
const VERSION: &str = "6.3";
/// The PTX version that introduced `redux.sync`, `cp.async`, `tanh`, and conversions to `bf16`.
const VERSION_WITH_REDUX: &str = "7.0";
/// The PTX version that introduced sums and products of `bf16`.
const VERSION_WITH_SUMS: &str = "7.8";

/// The reason why a kernel has no PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// The target lacks something.
    Target {
        /// The feature that the kernel uses.
        feature: String,
        /// The oldest target that has it.
        needs: Target,
        /// The target asked for.
        target: Target,
    },
    /// Only one target has a feature, and it is another one.
    OtherTarget {
        /// The feature that the kernel uses.
        feature: String,
        /// The only target that has it.
        needs: Target,
        /// The target asked for.
        target: Target,
    },
    /// The shared arrays are too large.
    SharedMemory {
        /// Bytes of all shared arrays, each aligned to 16.
        bytes: u64,
        /// Bytes that a block can have.
        limit: u64,
    },
    /// The arrays of each thread are too large.
    LocalMemory {
        /// Bytes of all of them, each aligned to 16.
        bytes: u64,
        /// Bytes that a thread can have.
        limit: u64,
    },
    /// The constants that parameters declare are too large.
    ConstantMemory {
        /// Bytes of all of them, each aligned to 16.
        bytes: u64,
        /// Bytes that a module can have.
        limit: u64,
    },
    /// The parameters are too large.
    Parameters {
        /// Bytes of all parameters: 16 for a slice.
        bytes: u64,
        /// Bytes that a kernel can take.
        limit: u64,
    },
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target { feature, needs, target } => {
                write!(f, "{feature} needs {needs} or newer, and this is {target}")
            }
            Self::OtherTarget { feature, needs, target } => {
                write!(f, "{feature} needs {needs} and no other target, and this is {target}")
            }
            Self::SharedMemory { bytes, limit } => {
                write!(f, "the shared arrays take {bytes} bytes, and a block has {limit}")
            }
            Self::LocalMemory { bytes, limit } => {
                write!(f, "the arrays of a thread take {bytes} bytes, and it has {limit}")
            }
            Self::ConstantMemory { bytes, limit } => {
                write!(f, "the constant parameters take {bytes} bytes, and a kernel has {limit}")
            }
            Self::Parameters { bytes, limit } => {
                write!(f, "the parameters take {bytes} bytes, and a kernel takes {limit}")
            }
        }
    }
}

impl std::error::Error for Unsupported {}

/// Emits the PTX of `kernel`, which is specialized and verified.
///
/// # Errors
/// If `target` lacks something that the kernel uses, or the kernel outgrows a limit of PTX.
pub fn emit(kernel: &Kernel, target: Target) -> Result<String, Unsupported> {
    emit_with_lines(kernel, target, None)
}

/// Emits the PTX of `kernel`, which is specialized and verified, with the source lines of its
/// instructions.
///
/// # Errors
/// As of [`emit`].
pub fn emit_with_lines(
    kernel: &Kernel,
    target: Target,
    lines: Option<Lines<'_>>,
) -> Result<String, Unsupported> {
    check_limits(kernel, target)?;
    let kernel = &*expand_rows(kernel);
    let mut emitter = Emitter::new(kernel, target, lines);
    emitter.prologue();
    emitter.begin_block();
    emitter.init_mbarriers();
    emitter.body(&kernel.body);
    emitter.end();
    emitter.failed();
    Ok(format!("{}", Entry { kernel, emitter: &emitter }))
}

/// Returns true if the PTX of `kernel`, which is specialized, is better for `target` than for the
/// [`oldest`] one.
pub fn gains(kernel: &Kernel, target: Target) -> bool {
    level(kernel, target).1 > oldest(kernel)
}

/// Returns the targets with different texts of `kernel`, the oldest first: each [`gains`] something
/// over those before it.
pub fn levels(kernel: &Kernel) -> Vec<Target> {
    let targets = [
        Target::OLDEST,
        reduce::HAS_REDUX,
        half::HAS_ROUNDING,
        async_copy::HAS_ASYNC_COPIES,
        half::HAS_SUMS,
        mbarrier::HAS_TRY_WAIT,
        HAS_GRID_DEPENDENCIES,
    ];
    let mut levels: Vec<Target> = targets.map(|target| level(kernel, target).1).into();
    levels.sort_unstable();
    levels.dedup();
    levels
}

/// What a feature that not every target has requires.
struct Requirement {
    /// The noun in an error; `None` if the feature has a check of its own, for targets other than
    /// the one that has it.
    feature: Option<Cow<'static, str>>,
    /// The PTX version that introduced it.
    version: &'static str,
    /// The oldest target that has it.
    target: Target,
}

/// Returns what the features that `kernel` uses require.
fn requirements(kernel: &Kernel) -> impl Iterator<Item = Requirement> {
    let products = mma::newest(kernel).map(|op| Requirement {
        feature: Some(format!("the matrix product `{op}`").into()),
        version: mma::version(kernel).unwrap_or(VERSION),
        target: op.oldest_target(),
    });
    let named = [
        ("a cluster of blocks", cluster::VERSION, cluster::oldest_target(kernel)),
        ("an mbarrier", mbarrier::VERSION, mbarrier::oldest_target(kernel)),
        ("a bulk copy", bulk_copy::VERSION, bulk_copy::oldest_target(kernel)),
    ];
    let named = named.into_iter().filter_map(|(feature, version, target)| {
        Some(Requirement { feature: Some(feature.into()), version, target: target? })
    });
    let inline = inline::levels(kernel).map(|level| (level.version, level.target));
    let checked = wgmma::level(kernel).into_iter().chain(inline);
    let checked = checked.map(|(version, target)| Requirement { feature: None, version, target });
    products.into_iter().chain(named).chain(checked)
}

/// Returns the oldest target that has everything `kernel` uses.
pub fn oldest(kernel: &Kernel) -> Target {
    requirements(kernel).map(|needed| needed.target).fold(Target::OLDEST, Ord::max)
}

/// Returns true if the PTX of `kernel` for `target` runs there.
pub fn runs_on(kernel: &Kernel, target: Target) -> bool {
    target >= oldest(kernel)
        && wgmma::check(kernel, target).is_ok()
        && inline::check(kernel, target).is_ok()
}

/// Returns the PTX version and the target in the header of the text for `target`: the oldest that
/// have the instructions in it.
pub fn level(kernel: &Kernel, target: Target) -> (&'static str, Target) {
    let (mut version, mut oldest) = gained_level(kernel, target);
    // Later versions have later numbers, all of one digit and one digit.
    for needed in requirements(kernel) {
        (version, oldest) = (version.max(needed.version), oldest.max(needed.target));
    }
    // Also of loads of rows, which every target has.
    (mma::version(kernel).map_or(version, |needed| version.max(needed)), oldest)
}

/// Returns the PTX version and the target of the features that `kernel` uses where it can, and
/// replaces elsewhere. The first condition that holds counts: all targets that the others ask for
/// are older than its target, and its version includes theirs.
fn gained_level(kernel: &Kernel, target: Target) -> (&'static str, Target) {
    let uses = |is: fn(&Inst) -> bool| kernel.insts.iter().any(|(_, inst)| is(inst));
    let reduces = |inst: &Inst| match (&inst.op, inst.ty) {
        (Op::Warp(WarpOp::Reduce { .. }), Ty::Scalar(scalar)) => reduce::is_word(scalar),
        _ => false,
    };
    if target >= HAS_GRID_DEPENDENCIES && grid_dependency::is_used(kernel) {
        (grid_dependency::VERSION, HAS_GRID_DEPENDENCIES)
    } else if target >= half::HAS_SUMS && uses(half::is_sum) {
        (VERSION_WITH_SUMS, half::HAS_SUMS)
    } else if target >= mbarrier::HAS_TRY_WAIT && uses(mbarrier::is_wait) {
        (mbarrier::VERSION_WITH_TRY_WAIT, mbarrier::HAS_TRY_WAIT)
    } else if target >= reduce::HAS_REDUX && uses(reduces) {
        (VERSION_WITH_REDUX, reduce::HAS_REDUX)
    } else if target >= half::HAS_ROUNDING && uses(|inst| half::rounds(inst) || half::chooses(inst))
    {
        (VERSION_WITH_REDUX, half::HAS_ROUNDING)
    } else if target >= async_copy::HAS_ASYNC_COPIES && uses(is_async) {
        (VERSION_WITH_REDUX, async_copy::HAS_ASYNC_COPIES)
    } else if uses(is_tanh) {
        (VERSION_WITH_REDUX, Target::OLDEST)
    } else {
        (VERSION, Target::OLDEST)
    }
}

const fn is_tanh(inst: &Inst) -> bool {
    matches!(inst.op, Op::Unary { op: UnaryOp::Approx(Approx::Tanh), .. })
}

const fn is_async(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::Copy(CopyOp::AsyncCopy { .. } | CopyOp::AsyncCommit | CopyOp::AsyncWait { .. })
    )
}

/// Returns the name of the entry point of a kernel called `name`: that name, unless it is no
/// identifier of PTX.
pub fn entry_name(name: &str) -> Cow<'_, str> {
    /// The one identifier of PTX that is no instruction, directive or special register.
    const RESERVED: &str = "WARP_SZ";
    if name.is_ascii() && name != RESERVED {
        return Cow::Borrowed(name);
    }
    let escape =
        |c: char| if c.is_ascii() { c.to_string() } else { format!("$u{:x}$", u32::from(c)) };
    Cow::Owned(format!("{}$", name.chars().map(escape).collect::<String>()))
}

/// Checks that `target` and the limits of PTX allow `kernel`, which is specialized.
///
/// # Errors
/// If the kernel exceeds a limit, or `target` lacks a feature.
pub fn check_limits(kernel: &Kernel, target: Target) -> Result<(), Unsupported> {
    if target < Target::OLDEST {
        let feature = "Warpwise".to_owned();
        return Err(Unsupported::Target { feature, needs: Target::OLDEST, target });
    }
    for Requirement { feature, target: needs, .. } in requirements(kernel) {
        if let Some(feature) = feature
            && target < needs
        {
            return Err(Unsupported::Target { feature: feature.into_owned(), needs, target });
        }
    }
    wgmma::check(kernel, target)?;
    inline::check(kernel, target)?;
    let bytes = block_shared_bytes(kernel);
    if bytes > MOST_SHARED_BYTES {
        return Err(Unsupported::SharedMemory { bytes, limit: MOST_SHARED_BYTES });
    }
    let bytes = layout::local_bytes(kernel);
    if bytes > MOST_LOCAL_BYTES {
        return Err(Unsupported::LocalMemory { bytes, limit: MOST_LOCAL_BYTES });
    }
    let bytes = constant_bytes(kernel);
    if bytes > CONSTANT_BYTES {
        return Err(Unsupported::ConstantMemory { bytes, limit: CONSTANT_BYTES });
    }
    let bytes = param_bytes(kernel);
    if bytes > MOST_PARAM_BYTES {
        return Err(Unsupported::Parameters { bytes, limit: MOST_PARAM_BYTES });
    }
    Ok(())
}

/// Returns the bytes of all parameters, each aligned to its size, including those that the launcher
/// adds.
fn param_bytes(kernel: &Kernel) -> u64 {
    let place = |at: u64, size: u64| at.next_multiple_of(size) + size;
    let (_, params) = param_offsets(kernel);
    let offsets = layout::offset_params(kernel).fold(params, |at, _| place(at, 4));
    let record = place(offsets, 8);
    let coarsening = if kernel.coarsening.is_some() { 8 } else { 0 };
    record + coarsening + 8 * u64::from(kernel.prints()) + 8 * u64::from(kernel.cooperative)
}

/// A kernel that was emitted, as text.
struct Entry<'a> {
    kernel: &'a Kernel,
    emitter: &'a Emitter<'a>,
}

impl fmt::Display for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = entry_name(&self.kernel.name);
        writeln!(f, "// Warpwise kernel `{name}`.")?;
        let (version, target) = level(self.kernel, self.emitter.target);
        let target = target_name(self.kernel, target);
        writeln!(f, ".version {version}\n.target {target}\n.address_size 64\n")?;
        self.emitter.constants.declare(f)?;
        layout::declare_constants(self.kernel, f)?;
        read_only_arrays::declare(self.kernel, &self.emitter.read_only_arrays, f)?;
        layout::declare_dynamic(self.kernel, f)?;
        writeln!(f, ".visible .entry {name}(")?;
        self.params(f)?;
        writeln!(f, ")")?;
        if let Some([x, y, z]) = &self.kernel.block {
            let [x, y, z] = [x, y, z].map(|threads| threads.known().unwrap_or(1));
            writeln!(f, ".reqntid {x}, {y}, {z}")?;
        }
        if let Some([x, y, z]) = self.kernel.cluster {
            writeln!(f, ".explicitcluster\n.reqnctapercluster {x}, {y}, {z}")?;
        }
        if let Some(blocks) = self.kernel.min_blocks {
            writeln!(f, ".minnctapersm {blocks}")?;
        }
        writeln!(f, "{{")?;
        layout::declare(self.kernel, &self.emitter.read_only_arrays, f)?;
        for declaration in self.emitter.regs.declarations() {
            writeln!(f, "\t{declaration}")?;
        }
        writeln!(f, "\n{}}}", self.emitter.code)?;
        self.emitter.lines.map_or(Ok(()), |lines| lines.declare_files(f))
    }
}

impl Entry<'_> {
    fn params(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, param) in self.kernel.params.iter() {
            let comment = name_comment(&param.name);
            match param.kind {
                ParamKind::Scalar(scalar) => {
                    writeln!(f, "\t.param .{} {id},{comment}", reg::memory(scalar))?;
                }
                ParamKind::Slice { access: Access::Constant { .. }, .. } => {
                    writeln!(f, "\t.param .u64 {id}_len,{comment}")?;
                }
                ParamKind::Slice {
                    access:
                        Access::Read
                        | Access::Write
                        | Access::Atomic
                        | Access::Texture
                        | Access::SurfaceRead(_)
                        | Access::SurfaceWrite(_),
                    ..
                } => {
                    writeln!(f, "\t.param .u64 {id},{comment}\n\t.param .u64 {id}_len,")?;
                }
                ParamKind::Slice { access: Access::TensorRead | Access::TensorWrite, .. } => {
                    let (align, bytes) = (TENSOR_MAP_ALIGN, TENSOR_MAP_BYTES);
                    writeln!(f, "\t.param .align {align} .b8 {id}[{bytes}],{comment}")?;
                    writeln!(f, "\t.param .u64 {id}_len,")?;
                }
            }
        }
        for id in layout::offset_params(self.kernel) {
            writeln!(f, "\t.param .u32 {},", layout::offset_param(id))?;
        }
        write!(f, "\t.param .u64 fault_record")?;
        if self.kernel.coarsening.is_some() {
            write!(f, ",\n\t.param .u32 coarsened_grid")?;
        }
        if self.kernel.prints() {
            write!(f, ",\n\t.param .u64 print_buffer")?;
        }
        if self.kernel.cooperative {
            write!(f, ",\n\t.param .u64 grid_barrier")?;
        }
        writeln!(f)
    }
}

/// Returns the comment with a parameter's or an array's name; nothing if it has none, or one that
/// is not ASCII.
fn name_comment(name: &str) -> String {
    let printable = |c: char| c.is_ascii_graphic() || c == ' ';
    if !name.is_empty() && name.chars().all(printable) {
        format!(" // {name}")
    } else {
        String::new()
    }
}
