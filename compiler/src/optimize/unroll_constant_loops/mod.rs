//! Unrolls loops over constant ranges in full, so that arrays of a thread's own are indexed by
//! constants.
//!
//! Takes loops whose counters index an array that then has constant indices only, which
//! [`promote_arrays`] makes locals of, or a [table](crate::analysis::tables), whose numbers then
//! become constants. [`choose`](mod@choose) says which loops those are and how large they may
//! become.
//!
//! ```text
//! for %i from 0 to 3, step 1 {            store #0[0], f(0)
//!   store #0[%i], f(%i)             =>    store #0[1], f(1)
//! }                                       store #0[2], f(2)
//! ```
//!
//! A `continue` becomes a `break` of a block around its iteration, and a `break` one of a block
//! around all iterations. A loop that has both is left alone: it would become two blocks, and
//! bodies may nest only so deep.
//!
//! Everything that the counter alone decides is folded while the body is copied, so that branches
//! not taken and loops inside, of which the counter decides the range, are not copied first and
//! folded later.
//!
//! Threads meet in the same places as before. Loops with barriers or warp operations are unrolled
//! only if all of their iterations run these, or, of warp operations, if all lanes run them
//! together: then threads that meet are in the same iteration.
//!
//! Why: registers have no index, so `ptxas` keeps an array in registers only if it unrolls all
//! loops that index it, which it does not for loops with checks or more than a few hundred
//! instructions.
//!
//! [`promote_arrays`]: mod@super::promote_arrays
mod choose;

use super::fold_constants::fold_inst;
use crate::{
    analysis::tables::{self, Tables},
    id::Facts,
    ir::{Body, Inst, InstId, Kernel, Op, Ty, evaluate},
};
use choose::{Choice, MAX_UNROLLED_INSTRUCTIONS, choose};

/// Unrolls loops of `kernel`, whose instructions are numbered in order, but not afterwards. Returns
/// false if there was nothing to unroll.
pub(super) fn unroll_constant_loops(kernel: &mut Kernel) -> bool {
    if kernel.arrays.is_empty() {
        return false;
    }
    let tables = tables::find_tables(kernel);
    let Some(choice) = choose(kernel, &tables) else { return false };
    let mut new = kernel.insts.facts(None);
    for id in kernel.insts.ids() {
        new[id] = Some(id);
    }
    let list = std::mem::take(&mut kernel.body);
    let mut walk = Walk { kernel, tables, choice, new, blocks: Vec::new() };
    let list = walk.body(list);
    kernel.body = list;
    true
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    tables: Tables,
    choice: Choice,
    /// The value that stands for an instruction of the original kernel in what is being copied.
    new: Facts<InstId, Option<InstId>>,
    /// The unrolled loops around, each with the block that its `break`s or `continue`s leave.
    blocks: Vec<(InstId, InstId)>,
}

impl Walk<'_> {
    /// Returns `list`, which is in no unrolled loop, with the loops in it unrolled.
    fn body(&mut self, list: Body) -> Body {
        let mut kept = Vec::with_capacity(list.0.len());
        for id in list.0 {
            if self.kernel.insts[id].op.is_leaf() {
                kept.push(id);
                continue;
            }
            if let Some(numbers) = self.numbers(id) {
                if !self.unroll(id, numbers, &mut kept) {
                    break;
                }
                continue;
            }
            // Taken out while its bodies are walked.
            let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
            for inner in op.bodies_mut() {
                *inner = self.body(std::mem::take(inner));
            }
            self.kernel.insts[id].op = op;
            kept.push(id);
        }
        Body(kept)
    }

    /// Returns the counter's values in each iteration of a loop to unroll.
    fn numbers(&self, id: InstId) -> Option<Vec<u64>> {
        let inst = &self.kernel.insts[id];
        let Op::For { start, end, step, inclusive, .. } = inst.op else { return None };
        if !self.choice.is_unrolled[id] {
            return None;
        }
        let constant = |id: InstId| match self.kernel.insts[self.new[id]?].op {
            Op::Const(bits) => Some(bits),
            _ => None,
        };
        numbers(inst.ty, [constant(start)?, constant(end)?, constant(step)?], inclusive)
    }

    /// Appends all iterations of the loop `id` to `kept`. Returns false if control does not reach
    /// the end of them.
    fn unroll(&mut self, id: InstId, numbers: Vec<u64>, kept: &mut Vec<InstId>) -> bool {
        let Inst { op: Op::For { body, .. }, ty, span } = self.kernel.insts[id].clone() else {
            unreachable!("`numbers` found a loop")
        };
        let exits = self.choice.exits[id];
        let (mut all, mut falls_through) = (Vec::new(), true);
        let outer = exits.breaks.then(|| self.begin_block(id));
        for bits in numbers {
            let counter = self.kernel.insts.push(Inst { op: Op::Const(bits), ty, span });
            all.push(counter);
            self.new[id] = Some(counter);
            if exits.continues {
                let block = self.begin_block(id);
                let mut iteration = Vec::new();
                self.copy_all(&body, &mut iteration);
                self.end_block(block, iteration, &mut all);
            } else if !self.copy_all(&body, &mut all) {
                falls_through = false;
                break;
            }
        }
        match outer {
            Some(block) => self.end_block(block, all, kept),
            None => kept.append(&mut all),
        }
        falls_through || outer.is_some()
    }

    /// Makes a block that what leaves the loop or an iteration of it leaves from now on.
    fn begin_block(&mut self, of: InstId) -> InstId {
        let span = self.kernel.insts[of].span;
        let op = Op::Block { body: Body::default() };
        let block = self.kernel.insts.push(Inst { op, ty: Ty::Unit, span });
        self.blocks.push((of, block));
        block
    }

    fn end_block(&mut self, block: InstId, list: Vec<InstId>, kept: &mut Vec<InstId>) {
        self.blocks.pop();
        self.kernel.insts[block].op = Op::Block { body: Body(list) };
        kept.push(block);
    }

    /// Appends copies of `list` to `kept`. Returns false if control does not reach the end of them.
    fn copy_all(&mut self, list: &Body, kept: &mut Vec<InstId>) -> bool {
        list.0.iter().all(|&id| self.copy(id, kept))
    }

    /// Appends a copy of `id` to `kept`, or what is left of it. Returns false if control does not
    /// come behind it.
    fn copy(&mut self, id: InstId, kept: &mut Vec<InstId>) -> bool {
        if self.kernel.insts[id].op.is_leaf() {
            return self.copy_leaf(id, kept);
        }
        if let Some(numbers) = self.numbers(id) {
            return self.unroll(id, numbers, kept);
        }
        let mut inst = self.kernel.insts[id].clone();
        self.rename(&mut inst.op);
        if let Op::If { cond, then, other } = &inst.op
            && let Op::Const(cond) = self.kernel.insts[*cond].op
        {
            return self.copy_all(if cond == 1 { then } else { other }, kept);
        }
        // A loop or block has its number before its body is copied, which names it.
        let Inst { mut op, ty, span } = inst;
        let copy = self.kernel.insts.push(Inst { op: Op::Return, ty, span });
        self.new[id] = Some(copy);
        for body in op.bodies_mut() {
            let mut copied = Vec::with_capacity(body.0.len());
            self.copy_all(body, &mut copied);
            body.0 = copied;
        }
        self.kernel.insts[copy].op = op;
        kept.push(copy);
        true
    }

    fn copy_leaf(&mut self, id: InstId, kept: &mut Vec<InstId>) -> bool {
        let mut inst = self.kernel.insts[id].clone();
        self.rename(&mut inst.op);
        let is_exit = inst.op.is_exit();
        let copy = self.kernel.insts.push(inst);
        match self.fold(copy) {
            Some(same) => self.new[id] = Some(same),
            None => {
                self.new[id] = Some(copy);
                kept.push(copy);
            }
        }
        !is_exit
    }

    /// Lets a copy use the values that stand for its operands, and leave what stands for its
    /// target.
    fn rename(&self, op: &mut Op) {
        let renamed = |id: InstId| self.new[id].expect("operands stand before their users");
        op.operands_mut().for_each(|operand| *operand = renamed(*operand));
        if let Op::Break(target) | Op::Continue(target) = op {
            match self.blocks.iter().find(|(of, _)| of == target) {
                Some((_, block)) => *op = Op::Break(*block),
                None => *target = renamed(*target),
            }
        }
    }

    /// Folds the copy `id`; yields the value that is the same, if there is one.
    fn fold(&mut self, id: InstId) -> Option<InstId> {
        let Inst { op, ty, .. } = &self.kernel.insts[id];
        if let Op::Bounds { index, len } = *op {
            let [Op::Const(at), Op::Const(len)] = [index, len].map(|id| &self.kernel.insts[id].op)
            else {
                return None;
            };
            return (at < len).then_some(index);
        }
        if let (Op::Load { ptr, .. }, Ty::Scalar(scalar)) = (op, *ty) {
            if let Some(bits) = tables::read_table(&self.tables, self.kernel, *ptr, scalar) {
                self.kernel.insts[id].op = Op::Const(bits);
            }
            return None;
        }
        fold_inst(self.kernel, id)
    }
}

/// Returns the numbers from a start to an end in steps, or so many of them that no loop over them
/// is unrolled; `None` if the type has no integers.
fn numbers(ty: Ty, [start, end, step]: [u64; 3], inclusive: bool) -> Option<Vec<u64>> {
    let Ty::Scalar(scalar) = ty else { return None };
    let [mut number, end, step] = [start, end, step].map(|bits| evaluate::integer(scalar, bits));
    let (mut numbers, step) = (Vec::new(), step.filter(|step| *step > 0)?);
    let last = end? - i128::from(!inclusive);
    let (_, max) = evaluate::limits(scalar)?;
    while let Some(this) = number.filter(|number| *number <= last.min(max))
        && numbers.len() as u64 <= MAX_UNROLLED_INSTRUCTIONS
    {
        numbers.push(evaluate::wrap(scalar, this));
        number = Some(this + step);
    }
    Some(numbers)
}
