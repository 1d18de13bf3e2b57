//! Instructions of the IR that machine code merges into others or moves before a loop: address
//! arithmetic that loops advance by additions or immediate offsets, operations that share an
//! instruction of three operands, and loads from read-only memory that are the same in each
//! iteration of a loop.
use warpwise_compiler::{
    id::Facts,
    ir::{BinaryOp, CopyOp, Effect, InstId, Kernel, Op, Scalar, Ty},
};

/// The fate of each instruction.
pub(super) struct Folded {
    /// True for each instruction that becomes a part of others.
    pub(super) is_part: Facts<InstId, bool>,
    /// The outermost loop before which a load can be executed once.
    pub(super) hoisted_from: Facts<InstId, Option<InstId>>,
}

/// Finds the instructions that machine code merges into others or executes before a loop.
pub(super) fn find_folded(kernel: &Kernel) -> Folded {
    let mut folding = Folding {
        kernel,
        parents: kernel.parents(),
        uses: kernel.insts.facts(0),
        is_address: kernel.insts.facts(false),
        folded: kernel.insts.facts(false),
        hoisted_from: kernel.insts.facts(None),
    };
    folding.find_address_arithmetic();
    folding.find_shared_instructions();
    folding.find_hoisted_loads();
    Folded { is_part: folding.folded, hoisted_from: folding.hoisted_from }
}

struct Folding<'k> {
    kernel: &'k Kernel,
    parents: Facts<InstId, Option<(InstId, usize)>>,
    /// The number of uses of each result.
    uses: Facts<InstId, u32>,
    /// True for results that only addresses and bounds checks use.
    is_address: Facts<InstId, bool>,
    folded: Facts<InstId, bool>,
    hoisted_from: Facts<InstId, Option<InstId>>,
}

impl Folding<'_> {
    /// Finds the address arithmetic that is linear in the variables of a loop.
    fn find_address_arithmetic(&mut self) {
        let kernel = self.kernel;
        self.is_address = kernel.insts.facts(true);
        let ids: Vec<InstId> = kernel.insts.ids().collect();
        // In this order, all users of a result are visited before the result.
        for &id in ids.iter().rev() {
            let op = &kernel.insts[id].op;
            let passes_on = is_linear(op) && self.is_address[id];
            let is_access = |operand| is_pointer_of(op, operand);
            for operand in op.operands() {
                self.uses[operand] += 1;
                if !passes_on && !is_access(operand) {
                    self.is_address[operand] = false;
                }
            }
        }
        for &id in &ids {
            let is_used = self.uses[id] != 0 || matches!(kernel.insts[id].op, Op::Bounds { .. });
            if is_used && self.is_address[id] && self.is_linear_in_loop(id) {
                self.folded[id] = true;
            }
        }
    }

    /// Returns true if an instruction of a loop computes a linear function of its variables.
    fn is_linear_in_loop(&self, id: InstId) -> bool {
        let op = &self.kernel.insts[id].op;
        let Some(innermost) = self.innermost_loop(id) else { return false };
        let is_variable = |operand: InstId| {
            let is_inside = self.is_inside(operand, innermost);
            let op = &self.kernel.insts[operand].op;
            !is_inside || self.folded[operand] || matches!(op, Op::Get(_) | Op::Const(_))
        };
        is_linear(op) && op.operands().all(is_variable)
    }

    /// Finds the loads from read-only memory at addresses that do not change in a loop.
    fn find_hoisted_loads(&mut self) {
        let kernel = self.kernel;
        for (id, inst) in kernel.insts.iter() {
            let Op::Load { ptr, .. } = inst.op else { continue };
            if !kernel.root(ptr).is_some_and(|root| kernel.is_read_only(root)) {
                continue;
            }
            let mut outermost = None;
            let mut at = id;
            while let Some(innermost) = self.innermost_loop(at) {
                if !self.is_invariant(ptr, innermost) {
                    break;
                }
                (outermost, at) = (Some(innermost), innermost);
            }
            self.hoisted_from[id] = outermost;
        }
    }

    /// Returns true if a value is the same in each iteration of a loop.
    fn is_invariant(&self, id: InstId, innermost: InstId) -> bool {
        if !self.is_inside(id, innermost) && id != innermost {
            return true;
        }
        let op = &self.kernel.insts[id].op;
        let is_pure = op.effect() == Effect::None || matches!(op, Op::Bounds { .. });
        is_pure && op.operands().all(|operand| self.is_invariant(operand, innermost))
    }

    fn innermost_loop(&self, id: InstId) -> Option<InstId> {
        let mut at = id;
        while let Some((parent, _)) = self.parents[at] {
            if matches!(self.kernel.insts[parent].op, Op::For { .. } | Op::Loop { .. }) {
                return Some(parent);
            }
            at = parent;
        }
        None
    }

    fn is_inside(&self, id: InstId, structure: InstId) -> bool {
        let mut at = id;
        while let Some((parent, _)) = self.parents[at] {
            if parent == structure {
                return true;
            }
            at = parent;
        }
        false
    }

    /// Finds the operations that another one takes in: bitwise ones and sums of three operands.
    fn find_shared_instructions(&mut self) {
        let kernel = self.kernel;
        let mut is_full = kernel.insts.facts(false);
        for (id, inst) in kernel.insts.iter() {
            let Some(kind) = ternary_kind(&inst.op, inst.ty) else { continue };
            let takes_in = inst.op.operands().find(|operand| {
                let other = &kernel.insts[*operand];
                ternary_kind(&other.op, other.ty) == Some(kind)
                    && self.uses[*operand] == 1
                    && !is_full[*operand]
                    && !self.folded[*operand]
            });
            if let Some(operand) = takes_in {
                self.folded[operand] = true;
                is_full[id] = true;
            }
        }
    }
}

/// Returns true for operations whose results are linear in their operands, as addresses are.
fn is_linear(op: &Op) -> bool {
    matches!(
        op,
        Op::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl, .. }
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::Bounds { .. }
    )
}

/// Returns true if an access uses an operand as its address.
fn is_pointer_of(op: &Op, operand: InstId) -> bool {
    match op {
        Op::Load { ptr, .. } | Op::AtomicLoad { ptr, .. } | Op::Prefetch { ptr, .. } => {
            *ptr == operand
        }
        Op::Store { ptr, value, .. } | Op::AtomicStore { ptr, value, .. } => {
            *ptr == operand && *value != operand
        }
        Op::Atomic { ptr, value, .. } => *ptr == operand && *value != operand,
        Op::Copy(CopyOp::AsyncCopy { to, from, .. }) => *to == operand || *from == operand,
        Op::Bounds { index, len } => *len == operand && *index != operand,
        _ => false,
    }
}

/// The operations of which one instruction does two.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TernaryKind {
    Bitwise,
    Sum,
}

fn ternary_kind(op: &Op, ty: Ty) -> Option<TernaryKind> {
    let is_word = matches!(
        ty,
        Ty::Scalar(Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32)
            | Ty::Scalar(Scalar::U8 | Scalar::U16 | Scalar::U32)
    );
    let Op::Binary { op, .. } = op else { return None };
    match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor if is_word => Some(TernaryKind::Bitwise),
        BinaryOp::Add if is_word => Some(TernaryKind::Sum),
        _ => None,
    }
}
