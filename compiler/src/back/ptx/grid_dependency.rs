//! Programmatic dependent launch: `griddepcontrol`.
//!
//! Targets that lack it start a grid when the grids before it have ended, so there it is nothing.
//! The instructions order what `ptxas` and LLVM see as volatile memory; but neither keeps a load
//! through the read-only path (`ld.global.nc`) behind them, so kernels that may start early have
//! no such loads.
//!
//! A grid whose threads have waited, all of them, ends after the grids before it. A thread that
//! ends without a wait waits at its end, so that a grid after this one may rely on its end alone.
use super::{Emitter, emitter::ptx};
use crate::{
    analysis::grid_dependencies,
    ir::{GridDependencyOp, Kernel, Op, SyncOp},
    target::Target,
};

/// The oldest target with programmatic dependent launch.
pub const HAS_GRID_DEPENDENCIES: Target = Target::new(90);
/// The PTX version that introduced it.
pub(super) const VERSION: &str = super::VERSION_WITH_SUMS;

/// Returns the instruction, without a semicolon.
pub const fn grid_dependency_instruction(op: GridDependencyOp) -> &'static str {
    match op {
        GridDependencyOp::Wait => "griddepcontrol.wait",
        GridDependencyOp::LaunchDependents => "griddepcontrol.launch_dependents",
    }
}

/// Returns true if a thread of `kernel` has to wait where it ends.
pub fn waits_at_ends(kernel: &Kernel, target: Target) -> bool {
    kernel.dependent_launch
        && target >= HAS_GRID_DEPENDENCIES
        && grid_dependencies::analyze(kernel).may_end_early
}

/// Returns true if the text of `kernel` differs on targets with programmatic dependent launch.
pub(super) fn is_used(kernel: &Kernel) -> bool {
    let synchronizes = |op: &Op| matches!(op, Op::Sync(SyncOp::GridDependency(_)));
    kernel.dependent_launch || kernel.insts.iter().any(|(_, inst)| synchronizes(&inst.op))
}

impl Emitter<'_> {
    /// Synchronizes with the grids before and after this one.
    pub(super) fn grid_dependency(&mut self, op: GridDependencyOp) {
        if self.target >= HAS_GRID_DEPENDENCIES {
            ptx!(self, "{}", grid_dependency_instruction(op));
        }
    }

    /// Waits for the grids before this one, where a thread ends that may not have waited.
    pub(super) fn wait_at_end(&mut self) {
        if self.waits_at_ends {
            self.grid_dependency(GridDependencyOp::Wait);
        }
    }
}
