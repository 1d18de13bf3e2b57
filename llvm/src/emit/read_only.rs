//! Pointers to memory that nobody writes during the launch.
//!
//! A pointer variable may take several, and LLVM looks through it: where all that it finds are
//! `noalias readonly` parameters it selects `ld.global.nc`, and ends the process if the load is an
//! atomic one. So loads through such a variable are invariant ones, and a parameter that shares a
//! variable with memory that is written has no attributes.
use warpwise_compiler::{
    id::Facts,
    ir::{Inst, InstId, Kernel, LocalId, Op, ParamId, Root},
};

/// The read-only pointers of a kernel.
pub(super) struct ReadOnly {
    /// Pointer variables that never hold another pointer.
    locals: Facts<LocalId, bool>,
    /// Slices that are only read, but share a variable with what is written.
    mixed: Facts<ParamId, bool>,
}

impl ReadOnly {
    pub(super) fn of(kernel: &Kernel) -> Self {
        let sets: Vec<(LocalId, InstId)> = kernel.insts.iter().filter_map(set).collect();
        let mut found =
            Self { locals: kernel.locals.facts(true), mixed: kernel.params.facts(false) };
        // What one variable loses, those that copy it lose.
        while let Some((local, _)) = sets
            .iter()
            .find(|&&(local, value)| found.locals[local] && !found.contains(kernel, value))
        {
            found.locals[*local] = false;
        }
        for (local, value) in sets {
            if !found.locals[local]
                && let Op::Param(param) = kernel.insts[base(kernel, value)].op
            {
                found.mixed[param] = true;
            }
        }
        found
    }

    /// Returns true if `ptr` points only into memory that nobody writes.
    pub(super) fn contains(&self, kernel: &Kernel, ptr: InstId) -> bool {
        let op = &kernel.insts[base(kernel, ptr)].op;
        if let Op::Param(param) = op {
            is_read(kernel, *param)
        } else if let Op::Get(local) = op {
            self.locals[*local]
        } else {
            false
        }
    }

    /// Returns true if LLVM may know that nobody writes the memory of the parameter. Grids before
    /// one with a dependent launch may write it, until the kernel waits for them.
    pub(super) fn may_tell(&self, kernel: &Kernel, param: ParamId) -> bool {
        is_read(kernel, param) && !self.mixed[param] && !kernel.dependent_launch
    }
}

fn is_read(kernel: &Kernel, param: ParamId) -> bool {
    kernel.is_read_only(Root::Param(param))
}

fn set((_, inst): (InstId, &Inst)) -> Option<(LocalId, InstId)> {
    if let Op::Set { local, value } = inst.op { Some((local, value)) } else { None }
}

/// Returns the pointer that `ptr` is an offset from.
fn base(kernel: &Kernel, mut ptr: InstId) -> InstId {
    while let Op::Index { base, .. } | Op::Offset { base, .. } = kernel.insts[ptr].op {
        ptr = base;
    }
    ptr
}
