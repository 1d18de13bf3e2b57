//! Computes once what is computed again where the first result is visible.
//!
//! Takes pure operations, loads from `&[T]` parameters (nobody writes those during
//! the launch), and checks of the same index against the same length: the first has run,
//! or the thread has ended there. Memory that other threads may write is read as often as the kernel says.
//!
//! Why, when `ptxas` does it too: the passes behind compare values by their ids, so `i < y.len()`
//! must be one value to prove another `y[i]` safe; and it halves the text that `ptxas` reads.
use super::{drop_insts, replace::Replacements};
use crate::{
    id::{Facts, Id},
    ir::{Access, BinaryOp, Body, Builtin, Inst, InstId, Kernel, Op, ParamKind, Root, Ty, UnaryOp},
};
use std::{
    collections::{HashMap, hash_map::Entry},
    hash::{Hash, Hasher},
    mem::Discriminant,
};

/// Replaces what was computed before. Pure ones that nothing uses any more stay in place.
pub(super) fn eliminate_common_subexpressions(kernel: &mut Kernel) {
    let list = std::mem::take(&mut kernel.body);
    let (values, dropped) = (Replacements::new(kernel), kernel.insts.facts(false));
    let mut walk = Walk { kernel, values, dropped, seen: HashMap::new(), undo: Vec::new() };
    walk.body(&list);
    let dropped = walk.dropped;
    kernel.body = list;
    drop_insts(kernel, &dropped);
}

/// Which of [`UnaryOp::ALL`] it is.
fn unary(op: UnaryOp) -> u64 {
    UnaryOp::ALL.iter().position(|&known| known == op).expect("all are listed") as u64
}

/// Equal for instructions that yield the same.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    op: Discriminant<Op>,
    /// What the operation has besides operands.
    detail: u64,
    operands: [Option<InstId>; 3],
    ty: Ty,
}

/// As one number: in a macro that is built without optimization, a hash of each part takes long.
impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut number = self.detail;
        for operand in &self.operands {
            let operand = operand.map_or(0, |id| id.index() as u64 + 1);
            number = number.rotate_left(21) ^ operand;
        }
        state.write_u64(number);
    }
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    values: Replacements,
    dropped: Facts<InstId, bool>,
    /// What is visible here.
    seen: HashMap<Key, InstId>,
    /// What was added to it.
    undo: Vec<Key>,
}

impl Walk<'_> {
    fn body(&mut self, list: &Body) {
        let before = self.undo.len();
        for &id in &list.0 {
            self.inst(id);
        }
        while self.undo.len() > before
            && let Some(key) = self.undo.pop()
        {
            self.seen.remove(&key);
        }
    }

    fn inst(&mut self, id: InstId) {
        self.values.apply(&mut self.kernel.insts[id].op);
        if let Some(key) = key(self.kernel, &self.kernel.insts[id]) {
            match self.seen.entry(key) {
                Entry::Occupied(first) => {
                    self.values.replace(id, *first.get());
                    self.dropped[id] = true;
                }
                Entry::Vacant(place) => {
                    place.insert(id);
                    self.undo.push(key);
                }
            }
            return;
        }
        // Taken out while its bodies are walked.
        let op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
        op.bodies().for_each(|inner| self.body(inner));
        self.kernel.insts[id].op = op;
    }
}

/// What `inst` computes; `None` if that is not determined by its operands.
fn key(kernel: &Kernel, inst: &Inst) -> Option<Key> {
    let detail = match &inst.op {
        Op::Const(bits) => *bits,
        Op::Param(param) | Op::Len(param) => param.index() as u64,
        Op::Shared(shared) => shared.index() as u64,
        Op::Array(array) => array.index() as u64,
        Op::Builtin(builtin) => builtin_number(*builtin),
        Op::Unary { op, .. } => unary(*op),
        Op::Binary { op, .. } => *op as u64,
        Op::Compare { op, .. } => *op as u64,
        Op::Index { stride, .. } => stride.known()?,
        Op::Offset { offset, .. } => offset.known()?,
        Op::Cast { .. }
        | Op::Bitcast { .. }
        | Op::Select { .. }
        | Op::Fma { .. }
        | Op::Bounds { .. } => 0,
        Op::Load { ptr } if is_constant(kernel, *ptr) => 0,
        Op::Generic(_)
        | Op::MulAdd { .. }
        | Op::Check { .. }
        | Op::Get(_)
        | Op::Set { .. }
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::AtomicLoad { .. }
        | Op::AtomicStore { .. }
        | Op::Atomic { .. }
        | Op::CompareExchange { .. }
        | Op::Barrier { .. }
        | Op::SyncGrid
        | Op::SyncWarp { .. }
        | Op::Fence { .. }
        | Op::Shuffle { .. }
        | Op::Vote { .. }
        | Op::Match { .. }
        | Op::ActiveMask
        | Op::Reduce { .. }
        | Op::If { .. }
        | Op::For { .. }
        | Op::Loop { .. }
        | Op::Block { .. }
        | Op::Break(_)
        | Op::Continue(_)
        | Op::Return
        | Op::Print { .. }
        | Op::Panic { .. } => return None,
    };
    let mut given = inst.op.operands();
    let mut operands = [given.next(), given.next(), given.next()];
    if commutes(&inst.op) {
        operands[..2].sort_unstable();
    }
    Some(Key { op: std::mem::discriminant(&inst.op), detail, operands, ty: inst.ty })
}

/// Another number for each builtin.
fn builtin_number(builtin: Builtin) -> u64 {
    let (kind, axis) = match builtin {
        Builtin::ThreadIdx(axis) => (0, axis),
        Builtin::BlockIdx(axis) => (1, axis),
        Builtin::BlockDim(axis) => (2, axis),
        Builtin::GridDim(axis) => (3, axis),
        Builtin::GlobalIdx(axis) => (4, axis),
        Builtin::LaneId => return 15,
        Builtin::WarpId => return 16,
    };
    3 * kind + axis as u64
}

/// True if the first two operands may change places.
fn commutes(op: &Op) -> bool {
    let Op::Binary { op, .. } = op else { return matches!(op, Op::Fma { .. }) };
    match op {
        BinaryOp::Add
        | BinaryOp::Mul
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::MulHigh => true,
        BinaryOp::Sub
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::RotateLeft => false,
    }
}

/// True if nobody writes what `ptr` points to.
fn is_constant(kernel: &Kernel, ptr: InstId) -> bool {
    let Some(Root::Param(param)) = kernel.root(ptr) else { return false };
    match kernel.params[param].kind {
        ParamKind::Slice { access, .. } => access == Access::Read,
        ParamKind::Scalar(_) => false,
    }
}
