//! Instructions of the IR that machine code merges into others or moves before a loop: address
//! arithmetic that loops advance by additions or immediate offsets, operations that share an
//! instruction of three operands, and values that are the same in each iteration of a loop: pure
//! functions, and loads of what the loop does not write.
use std::collections::HashMap;
use warpwise_compiler::{
    id::Facts,
    ir::{BinaryOp, CopyOp, Effect, InstId, Kernel, Op, Root, Scalar, Ty},
};

/// The most values that a thread keeps in registers from before a loop.
const MAX_KEPT_VALUES: usize = 32;

/// What a loop may write.
#[derive(Default)]
struct Written {
    roots: Vec<Root>,
    /// True if it may write any memory.
    is_any: bool,
}

/// The fate of each instruction.
pub(super) struct Folded {
    /// True for each instruction that becomes a part of others.
    pub(super) is_part: Facts<InstId, bool>,
    /// The outermost loop before which an instruction can be executed once.
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
    folding.find_hoisted_values();
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

    /// Finds the pure functions of values that do not change in a loop, and the loads at such
    /// addresses where the loop does not write.
    fn find_hoisted_values(&mut self) {
        let kernel = self.kernel;
        let written = self.find_written_roots();
        let mut kept: HashMap<InstId, usize> = HashMap::new();
        for (id, inst) in kernel.insts.iter() {
            let root = match inst.op {
                Op::Load { ptr, .. } => {
                    let Some(root) = kernel.root(ptr) else { continue };
                    Some(root)
                }
                _ if inst.op.effect() == Effect::None => None,
                _ => continue,
            };
            let may_change = |innermost: InstId| {
                let Some(root) = root.filter(|root| !kernel.is_read_only(*root)) else {
                    return false;
                };
                let of_loop = written.get(&innermost);
                of_loop.is_some_and(|own| own.is_any || own.roots.contains(&root))
            };
            let mut outermost = None;
            let mut at = id;
            while let Some(innermost) = self.innermost_loop(at) {
                let mut operands = inst.op.operands();
                if may_change(innermost)
                    || !operands.all(|operand| self.is_invariant(operand, innermost))
                {
                    break;
                }
                (outermost, at) = (Some(innermost), innermost);
            }
            let Some(outermost) = outermost else { continue };
            // Functions are computed again where registers are scarce.
            let kept = kept.entry(outermost).or_default();
            if root.is_none() {
                self.hoisted_from[id] = Some(outermost);
            } else if *kept < MAX_KEPT_VALUES {
                *kept += 1;
                self.hoisted_from[id] = Some(outermost);
            }
        }
    }

    /// Finds what each loop may write: its own stores, and anything if threads meet in it, of which
    /// others may write.
    fn find_written_roots(&self) -> HashMap<InstId, Written> {
        let kernel = self.kernel;
        let mut written: HashMap<InstId, Written> = HashMap::new();
        for (id, inst) in kernel.insts.iter() {
            let root = match &inst.op {
                Op::Set { .. } | Op::Prefetch { .. } | Op::Print { .. } | Op::Warp(_) => continue,
                Op::Store { ptr, .. } => kernel.root(*ptr),
                op => match op.effect() {
                    Effect::None | Effect::Read | Effect::Fault | Effect::Control => continue,
                    Effect::Write | Effect::Sync => None,
                },
            };
            let mut at = id;
            while let Some(innermost) = self.innermost_loop(at) {
                let of_loop = written.entry(innermost).or_default();
                of_loop.roots.extend(root);
                of_loop.is_any |= root.is_none();
                at = innermost;
            }
        }
        written
    }

    /// Returns true if a value is the same in each iteration of a loop.
    fn is_invariant(&self, id: InstId, innermost: InstId) -> bool {
        // An operand is visited before the values that depend on it.
        let is_hoisted = |from| from == innermost || self.is_inside(innermost, from);
        if !self.is_inside(id, innermost) && id != innermost
            || self.hoisted_from[id].is_some_and(is_hoisted)
        {
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

    /// Finds the operations that another one takes in: bitwise ones and sums of three operands, and
    /// products and shifts in a sum.
    fn find_shared_instructions(&mut self) {
        let kernel = self.kernel;
        let mut is_full = kernel.insts.facts(false);
        for (id, inst) in kernel.insts.iter() {
            let Some(kind) = ternary_kind(&inst.op, inst.ty) else { continue };
            let takes_in = inst.op.operands().find(|operand| {
                let other = &kernel.insts[*operand];
                let is_same_kind = ternary_kind(&other.op, other.ty) == Some(kind);
                let is_scaled = kind == TernaryKind::Sum && is_scaled_word(&other.op, other.ty);
                (is_same_kind || is_scaled)
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

fn is_word(ty: Ty) -> bool {
    matches!(
        ty,
        Ty::Scalar(Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32)
            | Ty::Scalar(Scalar::U8 | Scalar::U16 | Scalar::U32)
    )
}

/// Returns true for the operations on words of which a sum takes in one: `IMAD`, `LEA`.
fn is_scaled_word(op: &Op, ty: Ty) -> bool {
    is_word(ty) && matches!(op, Op::Binary { op: BinaryOp::Mul | BinaryOp::Shl, .. })
}

fn ternary_kind(op: &Op, ty: Ty) -> Option<TernaryKind> {
    let is_word = is_word(ty);
    let Op::Binary { op, .. } = op else { return None };
    match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor if is_word => Some(TernaryKind::Bitwise),
        BinaryOp::Add if is_word => Some(TernaryKind::Sum),
        _ => None,
    }
}
