//! `gpu_constant_candidates`: a slice that each warp reads one element at a time, and that fits in
//! constant memory.
//!
//! ```text
//! for k in 0..64 { sum += taps[k] * x[i + k]; }    // taps: &[f32; 64]
//! ```
//! Fires if all reads of a parameter are at indices that are the same in all lanes of a warp, and
//! its type or the kernel's requirements bound it to 64 KiB. Silent where a reference to it is in a
//! variable, and where an index may differ. Off by default: a slice that is read once is as well in
//! global memory.
use crate::{
    analysis::{
        Analyses,
        launch::LaunchRanges,
        read_only_arrays::{CONSTANT_BYTES, constant_bytes},
    },
    diag::Level,
    id::Facts,
    ir::{Access, Kernel, Op, ParamId, ParamKind, Root},
    lint::{Finding, Lint, LintGroup, access},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_constant_candidates",
    group: LintGroup::Performance,
    level: Level::Allow,
    check,
};

/// The smallest parameter that is worth a finding, in bytes: smaller ones can be passed by value.
const MIN_BYTES: u64 = 32;

/// The reads of a parameter.
#[derive(Clone, Copy, Default)]
struct Reads {
    count: u64,
    /// True if an index may differ between the lanes of a warp, or something else happens to the
    /// address.
    is_divergent: bool,
    /// True if the number of elements is read, so that it is a slice's.
    has_length: bool,
}

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let reads = find_reads(kernel, analyses);
    let launch = LaunchRanges::for_kernel(kernel);
    let mut found = Vec::new();
    for (id, param) in kernel.params.iter() {
        let ParamKind::Slice { elem, access: Access::Read } = &param.kind else { continue };
        let Reads { count, is_divergent, has_length } = reads[id];
        // A reference to one value is a slice of one element, whose length nothing reads.
        let len = if has_length { u64::try_from(launch.param(id).max).ok() } else { None };
        let bytes = elem.size().and_then(|size| size.checked_mul(len.unwrap_or(1)));
        let Some(bytes) = bytes.filter(|_| count > 0 && !is_divergent) else { continue };
        let room = CONSTANT_BYTES.saturating_sub(constant_bytes(kernel));
        if (MIN_BYTES..=room).contains(&bytes) {
            let attribute = match len {
                Some(len) => format!("#[constant(max = {len})]"),
                None => "#[constant]".to_owned(),
            };
            let name = &param.name;
            found.push(Finding {
                message: format!(
                    "each warp reads one element of `{name}` at a time, and its {} fit in constant \
                     memory",
                    access::count_of(bytes, "byte")
                ),
                span: param.span,
                labels: Vec::new(),
                notes: Vec::new(),
                help: format!(
                    "declare it as `{attribute} {name}`, and pass what `device.constant(..)` returns"
                ),
            });
        }
    }
    found
}

/// Finds the reads of all slices.
fn find_reads(kernel: &Kernel, analyses: &Analyses) -> Facts<ParamId, Reads> {
    let mut reads = kernel.params.facts(Reads::default());
    for (_, inst) in kernel.insts.iter() {
        if let Op::Len(param) = inst.op {
            reads[param].has_length = true;
        }
        for operand in inst.op.operands() {
            let Some(Root::Param(param)) = kernel.root(operand) else { continue };
            if kernel.space(operand).is_none() {
                continue;
            }
            match inst.op {
                Op::Load { ptr, .. } => {
                    reads[param].count += 1;
                    let fact = analyses.uniformity.warp.value[ptr];
                    reads[param].is_divergent |= !fact.is_uniform();
                }
                Op::Index { .. } | Op::Offset { .. } => {}
                _ => reads[param].is_divergent = true,
            }
        }
    }
    reads
}
