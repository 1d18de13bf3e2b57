//! Live ranges of values, and the forms in which they are needed.
//!
//! Instructions are numbered in the order of the text; a structure has a second number for its end.
//! A value is live from its definition to its last use, or to the end of the outermost loop around
//! that use that does not contain the definition. So no register is reused while lanes that wait
//! still need it, wherever in the text they wait.
//!
//! A value that has the bits of another one (the result of `bounds`, a cast that keeps the bits)
//! has that one as its [`root`](LiveRanges::root), and no register.
use super::{
    address::{Base, decompose},
    affine::Affinity,
    fuse::Fusion,
    uniformity::Uniformity,
};
use warpwise_compiler::{
    id::{Facts, Id},
    ir::{Body, CopyOp, InstId, Kernel, MatrixOp, Op, Scalar, SyncOp, Ty},
};

/// The live ranges of a kernel's values, and the forms in which they are needed.
pub(super) struct LiveRanges {
    position: Facts<InstId, u32>,
    end: Facts<InstId, u32>,
    root: Facts<InstId, InstId>,
    last: Facts<InstId, u32>,
    uses: Facts<InstId, u32>,
    lanes: Facts<InstId, bool>,
    needs_value: Facts<InstId, bool>,
}

impl LiveRanges {
    pub(super) fn analyze(
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
            needs_value: kernel.insts.facts(false),
        };
        ranges.number(kernel, &kernel.body, &mut 0);
        let loops = Vec::new();
        UseWalk { kernel, uniformity, affinity, fusion, ranges: &mut ranges, loops }
            .visit_body(&kernel.body);
        ranges
    }

    /// Returns the number of the instruction in the text.
    pub(super) fn position(&self, inst: InstId) -> u32 {
        self.position[inst]
    }

    /// Returns the number of the end of a structure; of another instruction, its own.
    pub(super) fn end(&self, inst: InstId) -> u32 {
        self.end[inst]
    }

    /// Returns the value that this one renames, or the value itself.
    pub(super) fn root(&self, value: InstId) -> InstId {
        self.root[value]
    }

    /// Returns the last number at which a root is live.
    pub(super) fn last_use(&self, root: InstId) -> u32 {
        self.last[root]
    }

    /// Returns the number of operands that a root is.
    pub(super) fn uses(&self, root: InstId) -> u32 {
        self.uses[root]
    }

    /// Returns true if a uniform or affine value is needed in each lane, too.
    pub(super) fn needs_lanes(&self, root: InstId) -> bool {
        self.lanes[root]
    }

    /// Returns true if an address is needed as a value. Otherwise it is only used by instructions
    /// that access memory, and by addresses that are not needed either.
    pub(super) fn needs_address(&self, address: InstId) -> bool {
        self.needs_value[address]
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

/// Returns the operand whose bits are the instruction's value.
fn renamed_operand(kernel: &Kernel, id: InstId) -> Option<InstId> {
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

/// The traversal that finds uses.
struct UseWalk<'k> {
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    affinity: &'k Affinity,
    fusion: &'k Fusion,
    ranges: &'k mut LiveRanges,
    /// The loops around the current instruction, outermost first.
    loops: Vec<InstId>,
}

impl UseWalk<'_> {
    fn visit_body(&mut self, body: &Body) {
        for &id in &body.0 {
            self.visit_inst(id);
            let op = &self.kernel.insts[id].op;
            let is_loop = matches!(op, Op::For { .. } | Op::Loop { .. });
            self.loops.extend(is_loop.then_some(id));
            op.bodies().for_each(|inner| self.visit_body(inner));
            if is_loop {
                self.loops.pop();
            }
        }
    }

    fn visit_inst(&mut self, id: InstId) {
        let op = &self.kernel.insts[id].op;
        if let Some(value) = renamed_operand(self.kernel, id) {
            self.ranges.root[id] = self.ranges.root[value];
        }
        let at = self.ranges.position[id];
        for operand in op.operands() {
            self.record_use(operand, at);
            if self.wants_lanes(id, operand) {
                let root = self.ranges.root[operand];
                self.ranges.lanes[root] = true;
            }
        }
        if let Some(inner) = self.fusion.fused_operand(id) {
            // The fused operand is computed here.
            let operands = self.kernel.insts[inner].op.operands();
            operands.into_iter().for_each(|operand| self.extend_to(operand, at));
        }
        for ptr in accessed_addresses(op).into_iter().flatten() {
            self.record_access(ptr, at);
        }
        let is_address = matches!(op, Op::Index { .. } | Op::Offset { .. });
        for operand in op.operands().filter(|_| !is_address) {
            if !accessed_addresses(op).contains(&Some(operand)) {
                self.require_address(operand);
            }
        }
        if let Op::For { start, end, step, .. } = *op {
            // The end and the step are read after the body, where the counter changes.
            let after = self.ranges.end[id];
            for value in [start, end, step] {
                self.record_use(value, after);
            }
            self.ranges.last[id] = after;
        }
    }

    /// Records an access. An address without a register is computed at the access, which then uses
    /// the operands of the address.
    fn record_access(&mut self, ptr: InstId, at: u32) {
        match decompose(self.kernel, ptr).base {
            Base::Start(_) => {}
            Base::Element { index, .. } => self.extend_to(index, at),
            Base::Value(value) => {
                self.require_address(value);
                self.extend_to(value, at);
            }
        }
    }

    /// Marks an address as a value. It is computed from the addresses before it.
    fn require_address(&mut self, value: InstId) {
        if std::mem::replace(&mut self.ranges.needs_value[value], true) {
            return;
        }
        if let Op::Index { base, .. } | Op::Offset { base, .. } = self.kernel.insts[value].op {
            self.require_address(base);
        }
    }

    fn record_use(&mut self, value: InstId, at: u32) {
        let root = self.ranges.root[value];
        self.ranges.uses[root] += 1;
        self.extend_to(value, at);
    }

    fn extend_to(&mut self, value: InstId, at: u32) {
        let root = self.ranges.root[value];
        let defined = self.ranges.position[root];
        let around = self.loops.iter().find(|around| self.ranges.position[**around] > defined);
        let until = around.map_or(at, |around| self.ranges.end[*around]).max(at);
        self.ranges.last[root] = self.ranges.last[root].max(until);
    }

    /// Returns true if a value is stored once for all lanes, and not in lanes before the first
    /// instruction.
    fn is_stored_once(&self, value: InstId) -> bool {
        !self.uniformity.varies(value) && !self.affinity.is_launch_constant(value)
    }

    /// Returns true if `id` reads `operand` from lanes even if it is uniform or affine.
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
            | Op::MapShared { .. }
            | Op::For { .. } => {
                let is_stored_once = self.fusion.uniform_operand(id) == Some(operand);
                self.uniformity.varies(id) && self.affinity.reads_lanes(id) && !is_stored_once
            }
            Op::Set { local, .. } => {
                self.uniformity.local_varies(*local) && !self.is_stored_once(operand)
            }
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
            | Op::Sync(_)
            | Op::Copy(_)
            | Op::Prefetch { .. }
            | Op::Matrix(_)
            | Op::Warp(_)
            | Op::Texture { .. }
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
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

/// Returns the addresses at which an instruction accesses memory.
fn accessed_addresses(op: &Op) -> [Option<InstId>; 3] {
    match op {
        Op::Load { ptr, .. }
        | Op::Store { ptr, .. }
        | Op::AtomicLoad { ptr, .. }
        | Op::AtomicStore { ptr, .. }
        | Op::Atomic { ptr, .. }
        | Op::CompareExchange { ptr, .. } => [Some(*ptr), None, None],
        Op::Sync(SyncOp::MBarrierArrive { barrier, .. } | SyncOp::MBarrierWait { barrier, .. }) => {
            [Some(*barrier), None, None]
        }
        Op::Copy(CopyOp::AsyncCopy { to, from, .. } | CopyOp::BulkStore { to, from, .. }) => {
            [Some(*to), Some(*from), None]
        }
        Op::Copy(CopyOp::TensorCopy { to, barrier, .. }) => [Some(*to), Some(*barrier), None],
        Op::Copy(CopyOp::TensorStore { from, .. }) => [Some(*from), None, None],
        Op::Matrix(MatrixOp::Wgmma { op, args, .. }) => {
            [Some(args[0]), Some(args[1]), op.a.map(|_| args[2])]
        }
        Op::Copy(CopyOp::BulkCopy { to, from, barrier, .. }) => {
            [Some(*to), Some(*from), Some(*barrier)]
        }
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
        | Op::MapShared { .. }
        | Op::Bounds { .. }
        | Op::Check { .. }
        | Op::Get(_)
        | Op::Set { .. }
        | Op::Sync(_)
        | Op::Prefetch { .. }
        | Op::Copy(_)
        | Op::Matrix(_)
        | Op::Warp(_)
        | Op::Texture { .. }
        | Op::Ptx { .. }
        | Op::PtxOutput { .. }
        | Op::Interpreted
        | Op::If { .. }
        | Op::For { .. }
        | Op::Loop { .. }
        | Op::Block { .. }
        | Op::Break(_)
        | Op::Continue(_)
        | Op::Return
        | Op::Print { .. }
        | Op::Panic { .. } => [None, None, None],
    }
}
