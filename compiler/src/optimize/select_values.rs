//! Turns an `if` that only chooses between values into `select`.
//!
//! Takes those whose arms set numbers and compute little on the way, of what cannot fault and is
//! not slow. What only one arm sets must have been set before.
//!
//! ```text
//! if %c { set $0, %a } else { set $0, %b }   =>   %x = select %c, %a, %b
//!                                                 set $0, %x
//! ```
//!
//! Why: `ptxas` makes two predicated moves of such an `if`, and no minimum or maximum of one that
//! is one; where it leaves a branch, nothing is scheduled across.
use crate::ir::{BinaryOp, Body, Inst, InstId, Kernel, LocalId, Op, Ty, UnaryOp};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Instructions that both arms together may compute before it is known which of them is wanted.
const FEW: usize = 4;

/// Selects what `kernel` branches for. Its instructions are no longer numbered in order afterwards.
pub(super) fn select_values(kernel: &mut Kernel) {
    let list = std::mem::take(&mut kernel.body);
    let mut walk = Walk { kernel, values: HashMap::new(), set: Vec::new() };
    let list = walk.body(list);
    kernel.body = list;
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    /// The replacement of each removed `get`.
    values: HashMap<InstId, InstId>,
    /// The locals that are set here for certain.
    set: Vec<LocalId>,
}

/// The effect of an arm: its computations, and the locals that it sets.
#[derive(Default)]
struct Arm {
    computed: Vec<InstId>,
    set: BTreeMap<LocalId, InstId>,
    /// The replacements of its gets of locals that it has set.
    values: HashMap<InstId, InstId>,
}

impl Walk<'_> {
    fn body(&mut self, list: Body) -> Body {
        let before = self.set.len();
        let mut kept = Vec::with_capacity(list.0.len());
        for id in list.0 {
            self.inst(id, &mut kept);
        }
        self.set.truncate(before);
        Body(kept)
    }

    fn inst(&mut self, id: InstId, kept: &mut Vec<InstId>) {
        let op = &mut self.kernel.insts[id].op;
        update(op, &self.values);
        if op.is_leaf() {
            if let Op::Set { local, .. } = op {
                self.set.push(*local);
            }
            kept.push(id);
            return;
        }
        // Taken out while its bodies are walked.
        let mut op = std::mem::replace(op, Op::Return);
        for inner in op.bodies_mut() {
            *inner = self.body(std::mem::take(inner));
        }
        let choice = self.choice(&op);
        self.kernel.insts[id].op = op;
        match choice {
            Some((cond, arms)) => self.select(id, cond, arms, kept),
            None => kept.push(id),
        }
    }

    /// The condition and the arms of an `if` that chooses between values.
    fn choice(&self, op: &Op) -> Option<(InstId, [Arm; 2])> {
        let Op::If { cond, then, other } = op else { return None };
        let arms = [self.arm(then)?, self.arm(other)?];
        let costs = |id: &&InstId| !matches!(self.kernel.insts[**id].op, Op::Const(_) | Op::Get(_));
        let cost = arms.iter().flat_map(|arm| &arm.computed).filter(costs).count();
        let [then, other] = &arms;
        let in_both = |local: &LocalId| {
            (then.set.contains_key(local) && other.set.contains_key(local))
                || self.set.contains(local)
        };
        let chooses = !then.set.is_empty() || !other.set.is_empty();
        let complete = then.set.keys().chain(other.set.keys()).all(in_both);
        (chooses && complete && cost <= FEW).then_some((*cond, arms))
    }

    fn arm(&self, list: &Body) -> Option<Arm> {
        let mut arm = Arm::default();
        for &id in &list.0 {
            let inst = &self.kernel.insts[id];
            if let Op::Set { local, value } = &inst.op {
                let number = matches!(self.kernel.locals[*local].ty, Ty::Scalar(_));
                let value = arm.values.get(value).copied().unwrap_or(*value);
                arm.set.insert(*local, value);
                if !number {
                    return None;
                }
            } else if let Op::Get(local) = &inst.op
                && let Some(value) = arm.set.get(local)
            {
                arm.values.insert(id, *value);
            } else if is_harmless(inst) {
                arm.computed.push(id);
            } else {
                return None;
            }
        }
        Some(arm)
    }

    /// Appends to `kept` what the arms of the `if` compute, and what they set, selected.
    fn select(&mut self, id: InstId, cond: InstId, arms: [Arm; 2], kept: &mut Vec<InstId>) {
        let span = self.kernel.insts[id].span;
        for arm in &arms {
            self.values.extend(&arm.values);
        }
        for &computed in arms.iter().flat_map(|arm| &arm.computed) {
            update(&mut self.kernel.insts[computed].op, &self.values);
            kept.push(computed);
        }
        let [then, other] = arms;
        let locals: BTreeSet<LocalId> = then.set.keys().chain(other.set.keys()).copied().collect();
        // All are selected before the first is set, which another may have been.
        let mut sets = Vec::with_capacity(locals.len());
        for local in locals {
            let ty = self.kernel.locals[local].ty;
            let mut push = |op, ty| {
                let id = self.kernel.insts.push(Inst { op, ty, span });
                kept.push(id);
                id
            };
            let [then, other] = [&then, &other].map(|arm| match arm.set.get(&local) {
                Some(value) => *value,
                None => push(Op::Get(local), ty),
            });
            let value = push(Op::Select { cond, then, other }, ty);
            sets.push(Op::Set { local, value });
        }
        for op in sets {
            kept.push(self.kernel.insts.push(Inst { op, ty: Ty::Unit, span }));
        }
    }
}

/// Lets `op` use what stands for its operands.
fn update(op: &mut Op, values: &HashMap<InstId, InstId>) {
    if !values.is_empty() {
        op.operands_mut().for_each(|id| *id = values.get(id).copied().unwrap_or(*id));
    }
}

/// True for what may be computed where its result is not wanted: what neither faults nor takes
/// long.
fn is_harmless(inst: &Inst) -> bool {
    match &inst.op {
        Op::Const(_)
        | Op::Compare { .. }
        | Op::Cast { .. }
        | Op::Bitcast { .. }
        | Op::Select { .. }
        | Op::Ternary { .. }
        | Op::Fma { .. }
        | Op::Get(_) => matches!(inst.ty, Ty::Scalar(_)),
        Op::Unary { op, .. } => !matches!(op, UnaryOp::Sqrt | UnaryOp::Rsqrt),
        Op::Binary { op, .. } => !matches!(op, BinaryOp::Div | BinaryOp::Rem),
        Op::Generic(_)
        | Op::Param(_)
        | Op::Len(_)
        | Op::Shared(_)
        | Op::Array(_)
        | Op::Builtin(_)
        | Op::MulAdd { .. }
        | Op::Index { .. }
        | Op::Offset { .. }
        | Op::MapShared { .. }
        | Op::Bounds { .. }
        | Op::Check { .. }
        | Op::Set { .. }
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::AtomicLoad { .. }
        | Op::AtomicStore { .. }
        | Op::Atomic { .. }
        | Op::CompareExchange { .. }
        | Op::Sync(_)
        | Op::Matrix(_)
        | Op::Copy(_)
        | Op::Prefetch { .. }
        | Op::Warp(_)
        | Op::Texture { .. }
        | Op::Ptx { .. }
        | Op::PtxOutput { .. }
        | Op::Interpreted
        | Op::Print { .. }
        | Op::If { .. }
        | Op::For { .. }
        | Op::Loop { .. }
        | Op::Block { .. }
        | Op::Break(_)
        | Op::Continue(_)
        | Op::Return
        | Op::Panic { .. } => false,
    }
}
