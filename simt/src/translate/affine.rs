//! Affine values: equal in all lanes but for the thread's index in its block, times a launch
//! constant.
//!
//! Most indices are affine: `block_idx * block_dim + thread_idx`, rows of a matrix, the counter of
//! a grid-stride loop. Such a value is stored as two parts: the part that lanes share, computed
//! once, as uniform values are; and the part of each lane, its *slope*, which is known before the
//! first instruction. Arithmetic on an affine value is arithmetic on the shared part, and an access
//! by it is checked once.
//!
//! All arithmetic is modulo the range of the type, so that wrapping makes no difference, except
//! where a value is widened. A widened value stays affine if it is *plain*: a sum of non-negative
//! numbers that never wraps.
use super::uniformity::Uniformity;
use std::cell::OnceCell;
use warpwise_compiler::{
    analysis::range::{self, Ranges},
    id::Facts,
    ir::{BinaryOp, Body, Builtin, Effect, InstId, Kernel, Op, Scalar, SyncOp, Ty, WarpOp},
};

/// The classification of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Uniform, or not known to be affine.
    Other,
    /// A value that is computed once per launch.
    LaunchConstant,
    /// Affine.
    Affine { plain: bool },
}

/// The affine values of a kernel.
pub(super) struct Affinity {
    kinds: Facts<InstId, Kind>,
    /// Comparisons of affine values with uniform ones.
    affine_compares: Facts<InstId, bool>,
}

impl Affinity {
    pub(super) fn analyze(kernel: &Kernel, uniformity: &Uniformity) -> Self {
        let kinds = kernel.insts.facts(Kind::Other);
        let exact = OnceCell::new();
        let mut classifier = Classifier { kernel, uniformity, exact, kinds };
        classifier.visit_body(&kernel.body);
        let kinds = classifier.kinds;
        let mut affine_compares = kernel.insts.facts(false);
        for (id, inst) in kernel.insts.iter() {
            if let Op::Compare { lhs, rhs, .. } = inst.op {
                let [lhs, rhs] =
                    [lhs, rhs].map(|side| (is_affine(kinds[side]), !uniformity.varies(side)));
                affine_compares[id] = (lhs.0 && rhs.1) || (lhs.1 && rhs.0);
            }
        }
        Self { kinds, affine_compares }
    }

    /// Returns true if the value is affine.
    pub(super) fn is_affine(&self, value: InstId) -> bool {
        is_affine(self.kinds[value])
    }

    /// Returns true if the value is computed once per launch.
    pub(super) fn is_launch_constant(&self, value: InstId) -> bool {
        self.kinds[value] == Kind::LaunchConstant
    }

    /// Returns true for a comparison of an affine value with a uniform one.
    pub(super) fn is_affine_compare(&self, value: InstId) -> bool {
        self.affine_compares[value]
    }

    /// Returns true if an instruction that executes in lanes reads its operands from lanes.
    pub(super) fn reads_lanes(&self, id: InstId) -> bool {
        !self.is_affine(id) && !self.is_affine_compare(id)
    }
}

fn is_affine(kind: Kind) -> bool {
    matches!(kind, Kind::Affine { .. })
}

struct Classifier<'k> {
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    /// The operations that never wrap; analyzed on demand.
    exact: OnceCell<Ranges>,
    kinds: Facts<InstId, Kind>,
}

impl Classifier<'_> {
    /// Classifies the instructions of a body. Operands come before their uses.
    fn visit_body(&mut self, body: &Body) {
        for &id in &body.0 {
            self.kinds[id] = self.classify(id).unwrap_or(Kind::Other);
            self.kernel.insts[id].op.bodies().for_each(|inner| self.visit_body(inner));
        }
    }

    fn classify(&self, id: InstId) -> Option<Kind> {
        let op = &self.kernel.insts[id].op;
        if !self.uniformity.varies(id) {
            return self.is_launch_constant_op(op).then_some(Kind::LaunchConstant);
        }
        if let Op::Builtin(builtin) = op {
            let affine = matches!(builtin, Builtin::ThreadIdx(_) | Builtin::GlobalIdx(_));
            affine.then_some(Kind::Affine { plain: true })
        } else if let Op::Bounds { index, .. } = op {
            Some(self.kinds[*index])
        } else if let Op::Binary { op, lhs, rhs } = op {
            self.classify_binary(id, *op, *lhs, *rhs)
        } else if let Op::Cast { value } = op {
            self.classify_cast(self.scalar(*value)?, self.scalar(id)?, *value)
        } else if let Op::Bitcast { value } = op {
            let [from, to] = [self.scalar(*value)?, self.scalar(id)?];
            (from.is_int() && to.is_int()).then(|| self.without_plain(self.kinds[*value]))?
        } else if let Op::Index { base, index, stride } = op {
            stride.known()?;
            let index = (self.scalar(*index)?, *index);
            let index = self.classify_cast(index.0, Scalar::U64, index.1);
            (self.is_affine_or_uniform(*base) && index.is_some())
                .then_some(Kind::Affine { plain: false })
        } else if let Op::Offset { base, offset } = op {
            offset.known()?;
            self.is_affine_or_uniform(*base).then_some(Kind::Affine { plain: false })
        } else if let Op::For { start, end, step, body, .. } = op {
            let uniform = !self.uniformity.varies(*end) && !self.uniformity.varies(*step);
            let affine = is_affine(self.kinds[*start]) && uniform;
            (affine && !contains_sync(self.kernel, body)).then_some(Kind::Affine { plain: false })
        } else {
            None
        }
    }

    /// Returns true if an operation whose result is uniform yields a launch constant.
    fn is_launch_constant_op(&self, op: &Op) -> bool {
        let computed = match op {
            Op::Const(_) | Op::Len(_) | Op::Shared(_) | Op::Param(_) => return true,
            Op::Builtin(builtin) => {
                return matches!(builtin, Builtin::BlockDim(_) | Builtin::GridDim(_));
            }
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Select { .. }
            | Op::Ternary { .. }
            | Op::Fma { .. }
            | Op::Bounds { .. } => true,
            Op::Generic(_)
            | Op::Array(_)
            | Op::MulAdd { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::MapShared { .. }
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
            | Op::Panic { .. } => false,
        };
        computed && op.operands().all(|operand| self.kinds[operand] == Kind::LaunchConstant)
    }

    /// Returns the type of a number.
    fn scalar(&self, id: InstId) -> Option<Scalar> {
        match self.kernel.insts[id].ty {
            Ty::Scalar(scalar) => Some(scalar),
            Ty::Ptr(_) | Ty::Unit => None,
        }
    }

    /// Returns true if a sum with this operand can be affine.
    fn is_affine_or_uniform(&self, value: InstId) -> bool {
        is_affine(self.kinds[value]) || !self.uniformity.varies(value)
    }

    fn is_plain(&self, value: InstId) -> bool {
        let plain = matches!(self.kinds[value], Kind::Affine { plain: true });
        plain || !self.uniformity.varies(value)
    }

    fn without_plain(&self, kind: Kind) -> Option<Kind> {
        is_affine(kind).then_some(Kind::Affine { plain: false })
    }

    fn classify_binary(&self, id: InstId, op: BinaryOp, lhs: InstId, rhs: InstId) -> Option<Kind> {
        let scalar = self.scalar(id).filter(|scalar| scalar.is_int())?;
        let is_launch_constant = |value: InstId| self.kinds[value] == Kind::LaunchConstant;
        let (affine, sums) = match op {
            BinaryOp::Add => {
                (self.is_affine_or_uniform(lhs) && self.is_affine_or_uniform(rhs), true)
            }
            BinaryOp::Sub => {
                (self.is_affine_or_uniform(lhs) && self.is_affine_or_uniform(rhs), false)
            }
            BinaryOp::Mul => {
                let left = is_affine(self.kinds[lhs]) && is_launch_constant(rhs);
                (left || (is_affine(self.kinds[rhs]) && is_launch_constant(lhs)), true)
            }
            BinaryOp::Shl => (is_affine(self.kinds[lhs]) && is_launch_constant(rhs), true),
            BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shr
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => (false, false),
        };
        let plain = sums && scalar.is_unsigned() && self.is_plain(lhs) && self.is_plain(rhs);
        // Only a type that can be widened is worth the range analysis.
        let can_be_widened = scalar.size().is_some_and(|size| size < 8);
        let exact = || self.exact.get_or_init(|| range::analyze(self.kernel)).is_exact(id);
        affine.then(|| Kind::Affine { plain: plain && can_be_widened && exact() })
    }

    fn classify_cast(&self, from: Scalar, to: Scalar, value: InstId) -> Option<Kind> {
        if !from.is_int() || !to.is_int() {
            return None;
        }
        if !self.uniformity.varies(value) {
            return Some(self.kinds[value]);
        }
        let wider = to.size()? > from.size()?;
        match self.kinds[value] {
            Kind::Affine { plain } if wider => {
                (plain && from.is_unsigned()).then_some(Kind::Affine { plain })
            }
            Kind::Affine { plain } if from == to => Some(Kind::Affine { plain }),
            kind @ (Kind::Affine { .. } | Kind::LaunchConstant | Kind::Other) => {
                self.without_plain(kind)
            }
        }
    }
}

/// Returns true if threads synchronize in a body, so that some lanes may be an iteration ahead of
/// others in the same strand.
pub(super) fn contains_sync(kernel: &Kernel, body: &Body) -> bool {
    body.0.iter().any(|&id| {
        let op = &kernel.insts[id].op;
        waits_for_others(op) || op.bodies().any(|body| contains_sync(kernel, body))
    })
}

/// Returns true if threads wait for others at an operation.
pub(super) fn waits_for_others(op: &Op) -> bool {
    op.effect() == Effect::Sync
        && !matches!(
            op,
            Op::Sync(SyncOp::Fence { .. } | SyncOp::GridDependency(_))
                | Op::Warp(WarpOp::ActiveMask)
        )
}
