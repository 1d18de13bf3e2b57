//! How long each value is needed, and in which form.
//!
//! Instructions are numbered in the order of the text; a structure has a second
//! number for its end. A value lives from its definition to its last use, or to the
//! end of the outermost loop around that use that does not hold the definition: so no
//! register is given away that lanes waiting anywhere in the text still need.
//!
//! A value that is another one under a new name (what `bounds` yields, a cast that
//! keeps the bits) has that one as its [`root`](Ranges::root), and no register.
use super::{
    address::{Base, place},
    affine::Affinity,
    fuse::Fusion,
    uniformity::Uniformity,
};
use warpwise_compiler::{
    id::{Facts, Id},
    ir::{Body, InstId, Kernel, Op, Scalar, Ty},
};

/// How long values are needed, and in which form.
pub(super) struct Ranges {
    position: Facts<InstId, u32>,
    end: Facts<InstId, u32>,
    root: Facts<InstId, InstId>,
    last: Facts<InstId, u32>,
    uses: Facts<InstId, u32>,
    lanes: Facts<InstId, bool>,
    separate: Facts<InstId, bool>,
}

impl Ranges {
    pub(super) fn of(
        kernel: &Kernel,
        uniformity: &Uniformity,
        affinity: &Affinity,
        fusion: &Fusion,
    ) -> Self {
        let mut root = kernel.insts.facts(InstId::new(0));
        kernel.insts.ids().for_each(|id| root[id] = id);
        let mut ranges = Self {
            position: kernel.insts.facts(0),
            end: kernel.insts.facts(0),
            root,
            last: kernel.insts.facts(0),
            uses: kernel.insts.facts(0),
            lanes: kernel.insts.facts(false),
            separate: kernel.insts.facts(false),
        };
        ranges.number(kernel, &kernel.body, &mut 0);
        let loops = Vec::new();
        Walk { kernel, uniformity, affinity, fusion, ranges: &mut ranges, loops }
            .body(&kernel.body);
        ranges
    }

    /// Number of the instruction in the text.
    pub(super) fn position(&self, inst: InstId) -> u32 {
        self.position[inst]
    }

    /// Number of the end of a structure; of another instruction, its own.
    pub(super) fn end(&self, inst: InstId) -> u32 {
        self.end[inst]
    }

    /// The value that this one is under another name.
    pub(super) fn root(&self, value: InstId) -> InstId {
        self.root[value]
    }

    /// The last number at which a root is needed.
    pub(super) fn last(&self, root: InstId) -> u32 {
        self.last[root]
    }

    /// How many operands a root is.
    pub(super) fn uses(&self, root: InstId) -> u32 {
        self.uses[root]
    }

    /// Whether a uniform or affine value is needed in each lane, too.
    pub(super) fn needs_lanes(&self, root: InstId) -> bool {
        self.lanes[root]
    }

    /// Whether an address is needed as a value. If not, it is only used by instructions that
    /// access memory, and by addresses that need none either.
    pub(super) fn needs_address(&self, address: InstId) -> bool {
        self.separate[address]
    }

    fn number(&mut self, kernel: &Kernel, body: &Body, next: &mut u32) {
        for &id in &body.0 {
            self.position[id] = *next;
            *next += 1;
            for inner in kernel.insts[id].op.bodies() {
                self.number(kernel, inner, next);
            }
            if kernel.insts[id].op.bodies().next().is_some() {
                *next += 1;
            }
            self.end[id] = *next - 1;
            self.last[id] = self.position[id];
        }
    }
}

/// True if the instruction's value is that of its first operand, bit for bit.
fn renames(kernel: &Kernel, id: InstId) -> Option<InstId> {
    let size = |value: InstId| match kernel.insts[value].ty {
        Ty::Scalar(scalar) => scalar.size(),
        Ty::Unit | Ty::Ptr(_) => None,
    };
    let is_int = |value: InstId| match kernel.insts[value].ty {
        Ty::Scalar(scalar) => scalar.is_int() || scalar == Scalar::Bool,
        Ty::Unit | Ty::Ptr(_) => false,
    };
    if let Op::Bounds { index, .. } = kernel.insts[id].op {
        Some(index)
    } else if let Op::Bitcast { value } = kernel.insts[id].op {
        (size(value) == size(id)).then_some(value)
    } else if let Op::Cast { value } = kernel.insts[id].op {
        (size(value) == size(id) && is_int(value) && is_int(id)).then_some(value)
    } else {
        None
    }
}

/// The walk that finds uses.
struct Walk<'k> {
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    affinity: &'k Affinity,
    fusion: &'k Fusion,
    ranges: &'k mut Ranges,
    /// The loops that we are in, outermost first.
    loops: Vec<InstId>,
}

impl Walk<'_> {
    fn body(&mut self, body: &Body) {
        for &id in &body.0 {
            self.inst(id);
            let op = &self.kernel.insts[id].op;
            let is_loop = matches!(op, Op::For { .. } | Op::Loop { .. });
            self.loops.extend(is_loop.then_some(id));
            op.bodies().for_each(|inner| self.body(inner));
            if is_loop {
                self.loops.pop();
            }
        }
    }

    fn inst(&mut self, id: InstId) {
        let op = &self.kernel.insts[id].op;
        if let Some(value) = renames(self.kernel, id) {
            self.ranges.root[id] = self.ranges.root[value];
        }
        let at = self.ranges.position[id];
        for operand in op.operands() {
            self.needed(operand, at);
            if self.wants_lanes(id, operand) {
                let root = self.ranges.root[operand];
                self.ranges.lanes[root] = true;
            }
        }
        if let Some(inner) = self.fusion.inner(id) {
            // Computed here.
            let operands = self.kernel.insts[inner].op.operands();
            operands.into_iter().for_each(|operand| self.extend(operand, at));
        }
        if let Some(ptr) = accessed(op) {
            self.access(ptr, at);
        }
        let is_address = matches!(op, Op::Index { .. } | Op::Offset { .. });
        for operand in op.operands().filter(|_| !is_address) {
            if accessed(op) != Some(operand) {
                self.is_value(operand);
            }
        }
        if let Op::For { start, end, step, .. } = *op {
            // The end and the step are looked at behind the body, the counter changes there.
            let behind = self.ranges.end[id];
            for value in [start, end, step] {
                self.needed(value, behind);
            }
            self.ranges.last[id] = behind;
        }
    }

    /// An access through an address that is no value of its own needs what that is made of.
    fn access(&mut self, ptr: InstId, at: u32) {
        match place(self.kernel, ptr).base {
            Base::Start(_) => {}
            Base::Element { index, .. } => self.extend(index, at),
            Base::Value(value) => {
                self.is_value(value);
                self.extend(value, at);
            }
        }
    }

    /// An address that is a value is computed from those before it.
    fn is_value(&mut self, value: InstId) {
        if std::mem::replace(&mut self.ranges.separate[value], true) {
            return;
        }
        if let Op::Index { base, .. } | Op::Offset { base, .. } = self.kernel.insts[value].op {
            self.is_value(base);
        }
    }

    fn needed(&mut self, value: InstId, at: u32) {
        let root = self.ranges.root[value];
        self.ranges.uses[root] += 1;
        self.extend(value, at);
    }

    fn extend(&mut self, value: InstId, at: u32) {
        let root = self.ranges.root[value];
        let defined = self.ranges.position[root];
        let around = self.loops.iter().find(|around| self.ranges.position[**around] > defined);
        let until = around.map_or(at, |around| self.ranges.end[*around]).max(at);
        self.ranges.last[root] = self.ranges.last[root].max(until);
    }

    /// Whether a value is the same in all lanes, and has none of its own before the first step.
    fn is_one(&self, value: InstId) -> bool {
        !self.uniformity.varies(value) && !self.affinity.stands(value)
    }

    /// Whether `id` takes `operand`, if it is uniform or affine, as lanes all the same.
    fn wants_lanes(&self, id: InstId, operand: InstId) -> bool {
        match &self.kernel.insts[id].op {
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Select { .. }
            | Op::Ternary { .. }
            | Op::Fma { .. }
            | Op::MulAdd { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::For { .. } => {
                let is_one = self.fusion.one(id) == Some(operand);
                self.uniformity.varies(id) && self.affinity.wants_lanes(id) && !is_one
            }
            Op::Set { local, .. } => self.uniformity.local_varies(*local) && !self.is_one(operand),
            Op::Store { value, .. } => *value == operand,
            Op::Const(_)
            | Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Builtin(_)
            | Op::Bounds { .. }
            | Op::Check { .. }
            | Op::Get(_)
            | Op::Load { .. }
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
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => false,
        }
    }
}

/// The address that an instruction accesses memory at.
fn accessed(op: &Op) -> Option<InstId> {
    match op {
        Op::Load { ptr }
        | Op::Store { ptr, .. }
        | Op::AtomicLoad { ptr, .. }
        | Op::AtomicStore { ptr, .. }
        | Op::Atomic { ptr, .. }
        | Op::CompareExchange { ptr, .. } => Some(*ptr),
        Op::Const(_)
        | Op::Generic(_)
        | Op::Param(_)
        | Op::Len(_)
        | Op::Shared(_)
        | Op::Array(_)
        | Op::Builtin(_)
        | Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Compare { .. }
        | Op::Cast { .. }
        | Op::Bitcast { .. }
        | Op::Select { .. }
        | Op::Ternary { .. }
        | Op::Fma { .. }
        | Op::MulAdd { .. }
        | Op::Index { .. }
        | Op::Offset { .. }
        | Op::Bounds { .. }
        | Op::Check { .. }
        | Op::Get(_)
        | Op::Set { .. }
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
        | Op::Panic { .. } => None,
    }
}
