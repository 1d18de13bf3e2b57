//! Lowering of programmatic dependent launch: the functions, and the accesses that must not come
//! before the wait.
use crate::{
    lower::Lowerer,
    syntax::{error::Errors, span::SpanRange},
};
use warpwise_compiler::{
    analysis::grid_dependencies,
    id::Id as _,
    ir::{self, GridDependencyOp, Kernel, Op, ParamKind, SyncOp},
};

impl Lowerer<'_> {
    /// Returns the operation of a function at `at`; reports a wait in a kernel that starts after
    /// the grids before it.
    pub(crate) fn lower_grid_dependency(&mut self, op: GridDependencyOp, at: SpanRange) -> Op {
        if op == GridDependencyOp::Wait && !self.options.dependent_launch {
            self.errors.advise(
                at,
                "this kernel starts after the grids before it have ended, and has none to wait for",
                "write `#[kernel(dependent_launch)]`",
            );
        }
        Op::Sync(SyncOp::GridDependency(op))
    }
}

/// Reports what a kernel with a dependent launch must not do before its wait, given the places of
/// its spans.
pub(crate) fn check_dependent_launch(kernel: &Kernel, spans: &[SpanRange], errors: &mut Errors) {
    if !kernel.dependent_launch {
        return;
    }
    for (_, param) in kernel.params.iter() {
        if let ParamKind::Slice { access, .. } = param.kind
            && !grid_dependencies::may_pass(access)
        {
            errors.advise(
                spans[param.span.index()],
                "a kernel with `dependent_launch` takes no textures and surfaces: its wait does not \
                 order reads of them",
                "pass a buffer, `&[T]`, or leave out `dependent_launch`",
            );
        }
    }
    let mut early: Vec<ir::Span> = Vec::new();
    for id in grid_dependencies::analyze(kernel).early_accesses {
        let span = kernel.insts[id].span;
        if !early.contains(&span) {
            early.push(span);
        }
    }
    let waits = |op: &Op| matches!(op, Op::Sync(SyncOp::GridDependency(GridDependencyOp::Wait)));
    // Without a wait every access is early, and the first says it all.
    if !kernel.insts.iter().any(|(_, inst)| waits(&inst.op)) {
        early.truncate(1);
    }
    for span in early {
        errors.advise(
            spans[span.index()],
            "this may access memory of the device before `grid::wait_for_dependencies()`, while \
             the grids before this one still write it",
            "call `grid::wait_for_dependencies()` on every path to it",
        );
    }
}
