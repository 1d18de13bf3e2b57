//! Kernel IR to textual LLVM IR.
//!
//! One instruction after the other, in order: LLVM's passes do the rest. What `docs/ir.md` defines
//! more strictly than LLVM does, or what LLVM 22 gets wrong, is inline PTX, the text that the
//! built-in back end emits: atomic operations, warp operations, barriers, quotients of 64-bit
//! integers, conversions to integers, `%` of floats, approximations.
//!
//! ```text
//! target triple = "nvptx64-nvidia-cuda"
//!
//! define ptx_kernel void @scale(float %arg0, ptr addrspace(1) noalias readonly %arg1, i64 %arg1_len, ..
//! ```
//!
//! Same kernel, same bytes: nothing here iterates over a hash table.
mod arith;
mod async_copy;
mod atomic;
mod boolean;
mod builtin;
mod cache;
mod cast;
mod cluster;
mod control;
mod debug_info;
mod division;
mod emitter;
mod fault;
mod half;
mod inline;
mod mbarrier;
mod memory;
mod mma;
mod rare;
mod read_only;
mod reconvergence;
mod rem;
mod surface;
mod sync;
mod tensor;
mod texture;
mod value;
mod vector;
mod warp;
mod wgmma;

use debug_info::DebugInfo;
use emitter::{Effects, Emitter};
use memory::DYNAMIC_SHARED;
use std::fmt::{self, Write};
use value::Type;
use warpwise_compiler::{
    analysis::{read_only_arrays::Storage, vectors::alignment_of},
    back::{
        expand_rows,
        ptx::{
            self, GRID_BARRIER_SHARED_BYTES, Placement, Unsupported, constant_arrays,
            constant_symbol, declared_shared_arrays, dynamic_shared_align, local_placement,
            offset_params,
        },
    },
    id::Id,
    ir::{
        Access, Array, ArrayId, Kernel, ParamKind, Root, Scalar, TENSOR_MAP_ALIGN, TENSOR_MAP_BYTES,
    },
    target::Target,
};

/// Writes `kernel`, which is specialized and verified, as a module in LLVM IR.
///
/// # Errors
/// If `target` lacks something that the kernel uses, or the kernel outgrows a limit of PTX.
pub fn lower(kernel: &Kernel, target: Target) -> Result<String, Unsupported> {
    lower_with_lines(kernel, target, None)
}

/// Writes a module as [`lower`] does, with the source lines of its instructions as debug info.
///
/// # Errors
/// As of [`lower`].
pub(crate) fn lower_with_lines(
    kernel: &Kernel,
    target: Target,
    lines: Option<ptx::Lines<'_>>,
) -> Result<String, Unsupported> {
    ptx::check_limits(kernel, target)?;
    let kernel = &*expand_rows(kernel);
    let mut emitter = Emitter::new(kernel, target, lines);
    emitter.begin_block();
    emitter.init_mbarriers();
    emitter.body(&kernel.body);
    emitter.end();
    Ok(Module { kernel, emitter: &emitter }.to_string())
}

/// The attribute of a kernel that keeps LLVM's vectorizers away from it while it is optimized.
///
/// The one of straight code overruns a buffer at some loads (`docs/llvm.md`), and a pipeline by
/// name runs it whatever its options say. Code generation pairs neighbouring accesses only in a
/// function without the attribute, which is therefore removed before.
pub(crate) const NO_VECTORIZER: &str = "noimplicitfloat";

/// A kernel that was lowered, as text.
struct Module<'a> {
    kernel: &'a Kernel,
    emitter: &'a Emitter<'a>,
}

impl fmt::Display for Module<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = ptx::entry_name(&self.kernel.name);
        writeln!(f, "; Warpwise kernel `{name}`.\ntarget triple = \"nvptx64-nvidia-cuda\"\n")?;
        self.shared_memory(f)?;
        self.constants(f)?;
        self.tables(f)?;
        let debug_info = self.emitter.debug_info.as_ref();
        let subprogram = debug_info.map(|_| DebugInfo::subprogram()).unwrap_or_default();
        let params = self.params();
        writeln!(f, "define ptx_kernel void @\"{name}\"(\n{params}\n) #0{subprogram} {{")?;
        writeln!(f, "entry:")?;
        self.variables(f)?;
        writeln!(f, "{}  br label %start\nstart:\n{}}}\n", self.emitter.entry, self.emitter.code)?;
        for function in &self.emitter.functions {
            writeln!(f, "{function}\n")?;
        }
        for declaration in &self.emitter.declarations {
            writeln!(f, "{declaration}")?;
        }
        let bounds = self.launch_bounds();
        writeln!(f, "\nattributes #0 = {{ {NO_VECTORIZER} nounwind{bounds} }}")?;
        Effects::declare(f)?;
        write!(f, "\n{}", self.emitter.metadata())?;
        debug_info.map_or(Ok(()), |debug_info| debug_info.declare(f, &name))
    }
}

impl Module<'_> {
    /// Shared arrays. They are visible from outside, so that LLVM does not take what this thread
    /// knows of them for all there is to know, and keeps those that nothing uses: the launcher
    /// counts them.
    fn shared_memory(&self, f: &mut impl Write) -> fmt::Result {
        let undefined = |f: &mut dyn Write, name: &str, Placement { align, bytes }| {
            writeln!(f, "@{name} = addrspace(3) global [{bytes} x i8] undef, align {align}")
        };
        if let Some(align) = dynamic_shared_align(self.kernel) {
            writeln!(f, "{DYNAMIC_SHARED} = external addrspace(3) global [0 x i8], align {align}")?;
        }
        for (id, placement) in declared_shared_arrays(self.kernel) {
            undefined(f, &format!("shared{}", id.index()), placement)?;
        }
        if self.kernel.cooperative {
            let placement = Placement { align: 16, bytes: GRID_BARRIER_SHARED_BYTES };
            undefined(f, "grid_block", placement)?;
        }
        Ok(())
    }

    /// Constant memory that launches fill.
    fn constants(&self, f: &mut impl Write) -> fmt::Result {
        for (id, Placement { align, bytes }) in constant_arrays(self.kernel) {
            writeln!(
                f,
                "@\"{}\" = addrspace(4) externally_initialized global [{bytes} x i8] undef, align {align}",
                constant_symbol(id)
            )?;
        }
        Ok(())
    }

    /// Arrays of constants.
    fn tables(&self, f: &mut impl Write) -> fmt::Result {
        for (&id, storage) in &self.emitter.read_only_arrays {
            let (space, bytes) = match storage {
                Storage::Constant(bytes) => (4, bytes),
                Storage::Global(bytes) => (1, bytes),
                Storage::Params(_) => continue,
            };
            writeln!(
                f,
                "@table{} = internal unnamed_addr addrspace({space}) constant [{} x i8] c\"{}\", align {}",
                id.index(),
                bytes.len(),
                string(bytes),
                local_placement(&self.kernel.arrays[id]).align
            )?;
        }
        Ok(())
    }

    /// The parameters, in the order of the built-in back end's.
    fn params(&self) -> String {
        let mut params = Vec::new();
        for (id, param) in self.kernel.params.iter() {
            match param.kind {
                ParamKind::Scalar(Scalar::Bool) => params.push(format!("i8 %{id}")),
                ParamKind::Scalar(Scalar::F16) => params.push(format!("i16 %{id}")),
                ParamKind::Scalar(scalar) => params.push(format!("{} %{id}", Type::of(scalar))),
                ParamKind::Slice { access: Access::Constant { .. }, .. } => {
                    params.push(format!("i64 %{id}_len"));
                }
                ParamKind::Slice {
                    access: Access::Texture | Access::SurfaceRead(_) | Access::SurfaceWrite(_),
                    ..
                } => {
                    params.push(format!("i64 %{id}"));
                    params.push(format!("i64 %{id}_len"));
                }
                ParamKind::Slice { access, .. } if access.is_tensor_map() => {
                    let (align, bytes) = (TENSOR_MAP_ALIGN, TENSOR_MAP_BYTES);
                    params.push(format!("ptr byval([{bytes} x i8]) align {align} %{id}"));
                    params.push(format!("i64 %{id}_len"));
                }
                ParamKind::Slice { .. } => {
                    let attributes = if self.emitter.read_only.may_tell(self.kernel, id) {
                        "noalias readonly "
                    } else {
                        ""
                    };
                    let align = alignment_of(self.kernel, Root::Param(id));
                    params.push(format!("ptr addrspace(1) {attributes}align {align} %{id}"));
                    params.push(format!("i64 %{id}_len"));
                }
            }
        }
        for id in offset_params(self.kernel) {
            params.push(format!("i32 %shared{}_offset", id.index()));
        }
        params.push("i64 %fault_record".to_owned());
        if self.kernel.coarsening.is_some() {
            params.push("i32 %coarsened_grid".to_owned());
        }
        if self.kernel.prints() {
            params.push("i64 %print_buffer".to_owned());
        }
        if self.kernel.cooperative {
            params.push("i64 %grid_barrier".to_owned());
        }
        params.iter().map(|param| format!("  {param}")).collect::<Vec<_>>().join(",\n")
    }

    /// Locals and arrays of the thread's own.
    fn variables(&self, f: &mut impl Write) -> fmt::Result {
        for (id, local) in self.kernel.locals.iter() {
            writeln!(f, "  %local{} = alloca {}", id.index(), Type::of_ty(local.ty))?;
        }
        let own = |(id, _): &(ArrayId, &Array)| !self.emitter.read_only_arrays.contains_key(id);
        for (id, array) in self.kernel.arrays.iter().filter(own) {
            let Placement { align, bytes } = local_placement(array);
            writeln!(f, "  %array{} = alloca [{bytes} x i8], align {align}", id.index())?;
        }
        Ok(())
    }

    /// The attributes with the declared block and the declared blocks of a multiprocessor.
    fn launch_bounds(&self) -> String {
        let cluster =
            self.kernel.cluster.map(|[x, y, z]| format!(" \"nvvm.cluster_dim\"=\"{x},{y},{z}\""));
        let cluster = cluster.unwrap_or_default();
        let Some(block) = &self.kernel.block else { return cluster };
        let [x, y, z] = [0, 1, 2].map(|axis| block[axis].known().unwrap_or(1));
        let min_blocks = self.kernel.min_blocks.map(|n| format!(" \"nvvm.minctasm\"=\"{n}\""));
        format!(" \"nvvm.reqntid\"=\"{x},{y},{z}\"{}{cluster}", min_blocks.unwrap_or_default())
    }
}

/// Returns a string of LLVM's with these bytes.
fn string(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(3 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "\\{byte:02X}");
    }
    text
}
