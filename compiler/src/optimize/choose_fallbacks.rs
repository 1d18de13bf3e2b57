//! Chooses between inline PTX and its fallbacks.
//!
//! An [`Op::Interpreted`] becomes a constant, so that the passes after this one drop the arm that
//! the engine does not run.
use crate::ir::{Kernel, Op};

/// Keeps the fallbacks, for the interpreter.
pub fn keep_fallbacks(kernel: &mut Kernel) {
    replace_choices(kernel, true);
}

/// Keeps the inline PTX, for GPUs; does nothing behind [`keep_fallbacks`].
pub(crate) fn drop_fallbacks(kernel: &mut Kernel) {
    replace_choices(kernel, false);
}

fn replace_choices(kernel: &mut Kernel, is_interpreted: bool) {
    for inst in kernel.insts.iter_mut() {
        if matches!(inst.op, Op::Interpreted) {
            inst.op = Op::Const(is_interpreted.into());
        }
    }
}
