//! `gpu_unused_shared`: an array in shared memory that the kernel never reads.
//!
//! ```text
//! let cells = shared!([f32; 64]);
//! cells[t] = x[t];         // and that is all
//! ```
//! It takes room that other blocks could have. Silent in kernels with a pointer into an unknown
//! array.
use crate::{
    analysis::Analyses,
    diag::Level,
    ir::{CopyOp, Kernel, Length, MatrixOp, Op, Root, Shared, Space, SyncOp},
    lint::{Finding, Lint, LintGroup},
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_unused_shared", group: LintGroup::Performance, level: Level::Warn, check };

fn check(kernel: &Kernel, _: &Analyses) -> Vec<Finding> {
    let reads = || {
        kernel.insts.iter().flat_map(|(_, inst)| {
            if let Op::Matrix(MatrixOp::Wgmma { args, .. }) = &inst.op {
                return args[1..].to_vec();
            }
            let (Op::Load { ptr, .. }
            | Op::AtomicLoad { ptr, .. }
            | Op::Atomic { ptr, .. }
            | Op::CompareExchange { ptr, .. }
            | Op::Copy(
                CopyOp::BulkStore { from: ptr, .. } | CopyOp::TensorStore { from: ptr, .. },
            )
            | Op::Sync(
                SyncOp::MBarrierArrive { barrier: ptr, .. }
                | SyncOp::MBarrierWait { barrier: ptr, .. },
            )) = inst.op
            else {
                return Vec::new();
            };
            vec![ptr]
        })
    };
    let of_shared = |ptr: &_| matches!(kernel.space(*ptr), Some(Space::Shared | Space::Cluster));
    if reads().filter(of_shared).any(|ptr| kernel.root(ptr).is_none()) {
        return Vec::new();
    }
    let is_read = |root| reads().any(|ptr| kernel.root(ptr) == Some(root));
    let is_written = |root| {
        kernel.insts.iter().any(|(_, inst)| {
            let (Op::Store { ptr, .. }
            | Op::AtomicStore { ptr, .. }
            | Op::Copy(
                CopyOp::AsyncCopy { to: ptr, .. }
                | CopyOp::BulkCopy { to: ptr, .. }
                | CopyOp::TensorCopy { to: ptr, .. },
            )) = inst.op
            else {
                return false;
            };
            kernel.root(ptr) == Some(root)
        })
    };
    let unused = kernel.shared.iter().filter(|(id, _)| !is_read(Root::Shared(*id)));
    unused
        .map(|(id, shared)| Finding {
            message: if is_written(Root::Shared(id)) {
                format!("`{}` is written and never read{}", shared.name, size_text(shared))
            } else {
                format!("`{}` is never used{}", shared.name, size_text(shared))
            },
            span: shared.span,
            labels: Vec::new(),
            notes: Vec::new(),
            help: "leave it out, or read it".to_owned(),
        })
        .collect()
}

/// Returns the size of an array in words, if it is known.
fn size_text(shared: &Shared) -> String {
    let Length::Fixed(len) = &shared.len else { return String::new() };
    let bytes = len.known().zip(shared.elem.size()).and_then(|(len, size)| len.checked_mul(size));
    bytes.map_or_else(String::new, |bytes| format!(", and takes {bytes} bytes of each block"))
}
