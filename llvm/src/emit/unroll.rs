//! Which loops LLVM is told to unroll in full: those that index an array of the thread's own and have few
//! iterations, so that the array can live in registers.
//!
//! LLVM promotes an array only if every index is constant, and would unroll no loop of more than a
//! hundred-odd instructions by itself. All loops that index the array have to go, the one that fills it included.
use super::emitter::Emitter;
use warpwise_compiler::ir::{Body, InstId, Kernel, Op, Root, Ty};

/// Most instructions that a loop may have once it is unrolled.
const MAX_UNROLLED_INSTRUCTIONS: u64 = 8192;

impl Emitter<'_> {
    /// Whether the `for` loop `id` is to be unrolled in full.
    pub(super) fn unrolls(&self, id: InstId, body: &Body) -> bool {
        indexes_own_array(self.kernel, body)
            && unrolled_instructions(self.kernel, id)
                .is_some_and(|count| count <= MAX_UNROLLED_INSTRUCTIONS)
    }
}

fn indexes_own_array(kernel: &Kernel, body: &Body) -> bool {
    body.0.iter().any(|&id| {
        let op = &kernel.insts[id].op;
        let indexes = matches!(op, Op::Index { .. });
        indexes && matches!(kernel.root(id), Some(Root::Array(_)))
            || op.bodies().any(|inner| indexes_own_array(kernel, inner))
    })
}

/// How many instructions the loop has once it and the loops in it are unrolled; `None` if some are not
/// constant.
fn unrolled_instructions(kernel: &Kernel, id: InstId) -> Option<u64> {
    let op = &kernel.insts[id].op;
    let Op::For { body, .. } = op else { return None };
    instructions(kernel, body)?.checked_mul(trip_count(kernel, id)?)
}

fn instructions(kernel: &Kernel, body: &Body) -> Option<u64> {
    body.0.iter().try_fold(0_u64, |sum, &id| {
        let op = &kernel.insts[id].op;
        let inner = if matches!(op, Op::For { .. }) {
            unrolled_instructions(kernel, id)?
        } else if matches!(op, Op::Loop { .. }) {
            return None;
        } else {
            op.bodies().try_fold(1_u64, |sum, body| sum.checked_add(instructions(kernel, body)?))?
        };
        sum.checked_add(inner)
    })
}

/// How often a `for` with constant limits runs.
fn trip_count(kernel: &Kernel, id: InstId) -> Option<u64> {
    let inst = &kernel.insts[id];
    let Op::For { start, end, step, inclusive, .. } = &inst.op else { return None };
    let Ty::Scalar(scalar) = inst.ty else { return None };
    let number = |id: InstId| {
        let Op::Const(bits) = kernel.insts[id].op else { return None };
        let unused = 64 - scalar.bits()?;
        Some(match scalar.is_signed() {
            true => i128::from((bits << unused) as i64 >> unused),
            false => i128::from(bits),
        })
    };
    let (start, end, step) = (number(*start)?, number(*end)?, number(*step)?);
    let end = end + i128::from(*inclusive);
    let count = (end - start + step - 1).checked_div(step)?;
    u64::try_from(count.max(0)).ok()
}
