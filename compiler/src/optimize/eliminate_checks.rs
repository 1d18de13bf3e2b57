//! Drops checks that cannot fail: [`checks`](crate::analysis::checks) says which, and why.
//!
//! Values are compared by what they are computed from, as far as nothing wraps; where something
//! may, and of memory, equal ones must have one id, so common subexpressions are eliminated first.
//!
//! Why: a check costs a comparison, a branch and the registers of its report, for each access.
use super::{drop_insts, replace::Replacements};
use crate::{
    id::Facts,
    ir::{InstId, Kernel, Op},
};

/// Drops the checks of `kernel` that are `proved`.
pub(super) fn eliminate_checks(kernel: &mut Kernel, proved: &Facts<InstId, bool>) {
    let mut values = Replacements::new(kernel);
    for id in kernel.insts.ids() {
        values.apply(&mut kernel.insts[id].op);
        if let Op::Bounds { index, .. } = kernel.insts[id].op
            && proved[id]
        {
            values.replace(id, index);
        }
    }
    drop_insts(kernel, proved);
}
