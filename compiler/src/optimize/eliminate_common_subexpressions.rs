//! Computes once what is computed again where the first result is visible.
//!
//! Takes pure operations, loads from `&[T]` parameters (nobody writes those during the launch), and
//! checks of the same index against the same length: the first has run, or the thread has ended
//! there. Memory that other threads may write is read as often as the kernel says.
//!
//! Why, when `ptxas` does it too: the passes behind compare values by their ids, so `i < y.len()`
//! must be one value to prove another `y[i]` safe; and it halves the text that `ptxas` reads.
use super::{drop_insts, replace::Replacements};
use crate::{
    id::{Facts, Id},
    ir::{BinaryOp, Body, Builtin, Inst, InstId, Kernel, Op, TernaryOp, TextureOp, Ty, UnaryOp},
};
use std::mem::Discriminant;

/// Replaces what was computed before. Pure ones that nothing uses any more stay in place.
pub(super) fn eliminate_common_subexpressions(kernel: &mut Kernel) {
    let list = std::mem::take(&mut kernel.body);
    let (values, dropped) = (Replacements::new(kernel), kernel.insts.facts(false));
    let seen = Seen::new(kernel.insts.len());
    let mut walk = Walk { kernel, values, dropped, seen };
    walk.body(&list);
    let dropped = walk.dropped;
    kernel.body = list;
    drop_insts(kernel, &dropped);
}

/// Returns the index of a unary operation in [`UnaryOp::ALL`].
fn unary(op: UnaryOp) -> u64 {
    UnaryOp::ALL.iter().position(|&known| known == op).expect("all are listed") as u64
}

fn ternary(op: TernaryOp) -> u64 {
    TernaryOp::ALL.iter().position(|&known| known == op).expect("all are listed") as u64
}

/// The greatest number of operands of an operation with a [`Key`]; the others have at most three.
const MAX_OPERANDS: usize = TextureOp::MAX_ARGS;

/// Equal for instructions that yield the same.
#[derive(PartialEq, Eq)]
pub(super) struct Key {
    op: Discriminant<Op>,
    /// The parts of the operation besides its operands.
    detail: u64,
    operands: [Option<InstId>; MAX_OPERANDS],
    ty: Ty,
}

impl Key {
    /// A number that tells most of them apart.
    fn number(&self) -> u64 {
        let of = |operand: Option<InstId>| match operand {
            Some(id) => id.index() as u64 + 1,
            None => 0,
        };
        let add = |number: u64, operand: &Option<InstId>| number.rotate_left(21) ^ of(*operand);
        let number = self.operands.iter().fold(self.detail, add);
        // An odd number with many bits: that of the golden ratio.
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// The values visible at a place: a stack, with the keys of one slot in a chain. In a macro that is
/// built without optimization, a map of the standard library takes ten times as long.
pub(super) struct Seen {
    /// The last one in each slot; as many as a power of two.
    last: Box<[Option<usize>]>,
    stack: Vec<Entry>,
}

struct Entry {
    key: Key,
    inst: InstId,
    slot: usize,
    /// The one before it in its slot.
    before: Option<usize>,
}

impl Seen {
    /// Makes room for so many keys.
    pub(super) fn new(most: usize) -> Self {
        let slots = most.next_power_of_two();
        Self { last: vec![None; slots].into_boxed_slice(), stack: Vec::new() }
    }

    /// Returns the instruction with this key; if there is none, `inst` has it from now on.
    pub(super) fn find_or_add(&mut self, key: Key, inst: InstId) -> Option<InstId> {
        // The high bits depend on all of the number.
        let slot = (key.number() >> 32) as usize & (self.last.len() - 1);
        let before = self.last[slot];
        let mut next = before;
        while let Some(index) = next {
            let entry = &self.stack[index];
            if entry.key == key {
                return Some(entry.inst);
            }
            next = entry.before;
        }
        self.last[slot] = Some(self.stack.len());
        self.stack.push(Entry { key, inst, slot, before });
        None
    }

    /// Forgets what was added when there were more than so many.
    fn forget_since(&mut self, count: usize) {
        while self.stack.len() > count
            && let Some(Entry { slot, before, .. }) = self.stack.pop()
        {
            self.last[slot] = before;
        }
    }
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    values: Replacements,
    dropped: Facts<InstId, bool>,
    seen: Seen,
}

impl Walk<'_> {
    fn body(&mut self, list: &Body) {
        let before = self.seen.stack.len();
        for &id in &list.0 {
            self.inst(id);
        }
        self.seen.forget_since(before);
    }

    fn inst(&mut self, id: InstId) {
        self.values.apply(&mut self.kernel.insts[id].op);
        if let Some(key) = key(self.kernel, &self.kernel.insts[id], |operand| operand) {
            if let Some(first) = self.seen.find_or_add(key, id) {
                self.values.replace(id, first);
                self.dropped[id] = true;
            }
            return;
        }
        if self.kernel.insts[id].op.is_leaf() {
            return;
        }
        // Taken out while its bodies are walked.
        let op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
        op.bodies().for_each(|inner| self.body(inner));
        self.kernel.insts[id].op = op;
    }
}

/// Returns the key of `inst`, with its operands numbered by `number`; `None` if its value depends
/// on more.
pub(super) fn key(kernel: &Kernel, inst: &Inst, number: impl Fn(InstId) -> InstId) -> Option<Key> {
    let detail = match &inst.op {
        Op::Const(bits) => *bits,
        Op::Param(param) | Op::Len(param) => param.index() as u64,
        Op::Shared(shared) => shared.index() as u64,
        Op::Array(array) => array.index() as u64,
        Op::Builtin(builtin) => builtin_number(*builtin),
        Op::Unary { op, .. } => unary(*op),
        Op::Binary { op, .. } => *op as u64,
        Op::Ternary { op, .. } => ternary(*op),
        Op::Compare { op, .. } => *op as u64,
        Op::Texture { op, texture, word, .. } => {
            (texture.index() as u64) << 16 | op.number() << 8 | u64::from(*word)
        }
        Op::PtxOutput { output, .. } => u64::from(*output),
        Op::Index { stride, .. } => stride.known()?,
        Op::Offset { offset, .. } => offset.known()?,
        Op::Cast { .. }
        | Op::Bitcast { .. }
        | Op::Select { .. }
        | Op::Fma { .. }
        | Op::MapShared { .. }
        | Op::Interpreted
        | Op::Bounds { .. } => 0,
        Op::Load { ptr, .. } if is_constant(kernel, *ptr) => 0,
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
        | Op::Sync(_)
        | Op::Copy(_)
        | Op::Prefetch { .. }
        | Op::Matrix(_)
        | Op::Warp(_)
        | Op::Ptx { .. }
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
    let (mut operands, mut given) = ([None; MAX_OPERANDS], 0);
    inst.op.operands().for_each(|operand| {
        operands[given] = Some(number(operand));
        given += 1;
    });
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
        Builtin::CoarseningFactor => return 17,
        Builtin::LaneMask(mask) => return 18 + mask as u64,
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
    kernel.root(ptr).is_some_and(|root| kernel.is_read_only(root))
}
