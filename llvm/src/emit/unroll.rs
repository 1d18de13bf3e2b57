//! Which loops LLVM is told to unroll in full: those that index an array of the thread's own and have few
//! iterations, so that the array can live in registers, and short ones that look up constants.
//!
//! LLVM promotes an array only if every index is constant, and would unroll no loop of more than a
//! hundred-odd instructions by itself. All loops that index the array have to go, the one that fills it included.
use super::emitter::Emitter;
use warpwise_compiler::ir::{Body, InstId, Kernel, Op, Root, Ty};

/// Most instructions that a loop may have once it is unrolled.
const MAX_UNROLLED_INSTRUCTIONS: u64 = 8192;
/// The same of a loop that only looks up constants.
const MAX_UNROLLED_LOOKUPS: u64 = 1024;

impl Emitter<'_> {
    /// Whether the `for` loop `id` is to be unrolled in full.
    pub(super) fn unrolls(&self, id: InstId, body: &Body) -> bool {
        let most = match (self.indexes(body, false), self.indexes(body, true)) {
            (true, _) => MAX_UNROLLED_INSTRUCTIONS,
            (false, true) => MAX_UNROLLED_LOOKUPS,
            (false, false) => return false,
        };
        self.unrolled_instructions(id).is_some_and(|count| count <= most)
    }

    /// Whether the body indexes an array of the thread's own that is a table or, if `table` is false, that is none.
    fn indexes(&self, body: &Body, table: bool) -> bool {
        body.0.iter().any(|&id| {
            let op = &self.kernel.insts[id].op;
            let root = self.kernel.root(id).filter(|_| matches!(op, Op::Index { .. }));
            let indexed = root.is_some_and(|root| match root {
                Root::Array(array) => self.tables.contains_key(&array) == table,
                Root::Param(_) | Root::Shared(_) => false,
            });
            indexed || op.bodies().any(|inner| self.indexes(inner, table))
        })
    }

    /// How many instructions the loop has once it and the loops in it are unrolled; `None` if some are not
    /// constant.
    fn unrolled_instructions(&self, id: InstId) -> Option<u64> {
        let Op::For { body, .. } = &self.kernel.insts[id].op else { return None };
        self.instructions(body)?.checked_mul(trip_count(self.kernel, id)?)
    }

    fn instructions(&self, body: &Body) -> Option<u64> {
        body.0.iter().try_fold(0_u64, |sum, &id| {
            let op = &self.kernel.insts[id].op;
            let own = if matches!(op, Op::For { .. }) {
                self.unrolled_instructions(id)?
            } else if matches!(op, Op::Loop { .. }) {
                return None;
            } else {
                let inner = |sum: u64, body| sum.checked_add(self.instructions(body)?);
                op.bodies().try_fold(u64::from(!self.costs_nothing(op)), inner)?
            };
            sum.checked_add(own)
        })
    }

    /// Whether nothing is left of an instruction: of constants, addresses, and what fills a table.
    fn costs_nothing(&self, op: &Op) -> bool {
        if let Op::Store { ptr, .. } = op {
            return matches!(self.kernel.root(*ptr), Some(Root::Array(array)) if self.tables.contains_key(&array));
        }
        matches!(op, Op::Const(_) | Op::Array(_) | Op::Param(_) | Op::Shared(_))
    }
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
