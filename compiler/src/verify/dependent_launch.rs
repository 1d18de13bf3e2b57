//! The order of accesses in kernels that may start before the grids before them have ended.
use super::Errors;
use crate::{
    analysis::grid_dependencies,
    ir::{GridDependencyOp, Kernel, Op, ParamKind, SyncOp},
};

/// Checks a kernel whose structure is well formed.
pub(super) fn check(kernel: &Kernel, errors: &mut Errors<'_>) {
    if !kernel.dependent_launch {
        for (id, inst) in kernel.insts.iter() {
            if matches!(inst.op, Op::Sync(SyncOp::GridDependency(GridDependencyOp::Wait))) {
                errors.inst(id, "is in a kernel that starts after the grids before it");
            }
        }
        return;
    }
    if kernel.cooperative {
        errors.signature("a cooperative kernel with a dependent launch".into());
    }
    if kernel.coarsening.is_some() {
        errors.signature("a coarsened kernel with a dependent launch".into());
    }
    for (id, param) in kernel.params.iter() {
        if let ParamKind::Slice { access, .. } = param.kind
            && !grid_dependencies::may_pass(access)
        {
            errors.signature(format!("{id} is an image of a kernel with a dependent launch"));
        }
    }
    for id in grid_dependencies::analyze(kernel).early_accesses {
        errors.inst(id, "may run before a `wait_for_dependencies`");
    }
}
