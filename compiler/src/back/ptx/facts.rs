//! What the emitter needs to know about a kernel before it starts.
//!
//! **Upper bounds.** `usize` is 64 bits, and a GPU computes in 32. [`Facts::fits`] says
//! which `u64` values are provably less than 2^32: those live in 32-bit registers, are
//! compared and computed there where the operation allows, and index with one widening
//! multiply-add. The bounds follow from types, constants, what the hardware provides and
//! what the launcher refuses; each is the bound of one instruction from those of its
//! operands. Of a local it is only asked whether it fits: all are taken to, and those that are set
//! to something that then does not fit are taken out until nothing changes.
//!
//! A value that is unspecified (a division by zero that no check guards) is bounded by
//! its register, so that no bound is ever wrong.
//!
//! **Where threads meet.** A thread that has ended must not keep others waiting. See
//! [`fault`](super::fault).
//!
//! **What a racing write may change.** Loads from memory that other threads may write,
//! whose value an address or a bounds check is computed from, are marked
//! ([`Facts::steers`]): they are emitted as relaxed atomic loads, which nothing below
//! may repeat, so that the index that was checked is the index that is used.
use super::copies;
use crate::{
    id::{self, Id},
    ir::{Axis, BinaryOp, Builtin, Inst, InstId, Kernel, LocalId, Op, Scalar, Ty, UnaryOp},
};

/// The most threads of a block, and along its x and y axes.
const MAX_THREADS: u64 = 1024;
/// The most threads of a block along its z axis.
const MAX_THREADS_Z: u64 = 64;
/// The most blocks of a grid along its x axis.
const MAX_BLOCKS_X: u64 = (1 << 31) - 1;
/// The most blocks of a grid along its y and z axes.
const MAX_BLOCKS_YZ: u64 = (1 << 16) - 1;
/// The most threads of a grid along an axis, unless the kernel is `wide_index`.
const MAX_THREADS_AXIS: u64 = 1 << 31;

/// See the module.
pub(super) struct Facts {
    max: id::Facts<InstId, u64>,
    small: id::Facts<LocalId, bool>,
    used: id::Facts<InstId, bool>,
    bits_matter: id::Facts<InstId, bool>,
    steers: id::Facts<InstId, bool>,
    needs_copy: id::Facts<InstId, bool>,
    last_meeting: usize,
}

impl Facts {
    pub(super) fn of(kernel: &Kernel) -> Self {
        let mut facts = Self {
            max: kernel.insts.facts(u64::MAX),
            small: kernel.locals.facts(true),
            used: kernel.insts.facts(false),
            bits_matter: kernel.insts.facts(false),
            steers: kernel.insts.facts(false),
            needs_copy: copies::needed(kernel),
            last_meeting: last_meeting(kernel),
        };
        facts.bound(kernel);
        facts.look_at_users(kernel);
        facts.trace_addresses(kernel);
        facts
    }

    /// The greatest value that the unsigned integer or `bool` can have; `u64::MAX` for anything else.
    pub(super) fn max(&self, value: InstId) -> u64 {
        self.max[value]
    }

    /// True if the unsigned value is less than 2^32.
    pub(super) fn fits(&self, value: InstId) -> bool {
        self.max[value] <= u64::from(u32::MAX)
    }

    /// True if everything that the unsigned local is set to is less than 2^32.
    pub(super) fn local_fits(&self, local: LocalId) -> bool {
        self.small[local]
    }

    /// True if anything uses the value.
    pub(super) fn used(&self, value: InstId) -> bool {
        self.used[value]
    }

    /// True if the sign and payload of the value, should it be a NaN, can be seen. They
    /// cannot where arithmetic alone uses it: what that makes of a NaN is unspecified.
    pub(super) fn bits_matter(&self, value: InstId) -> bool {
        self.bits_matter[value]
    }

    /// True if an address or a bounds check is computed from the value.
    pub(super) fn steers(&self, value: InstId) -> bool {
        self.steers[value]
    }

    /// True if the value of the `get` must be copied out of the local's register.
    pub(super) fn needs_copy(&self, get: InstId) -> bool {
        self.needs_copy[get]
    }

    /// True if threads may meet behind the instruction.
    pub(super) fn meets_later(&self, id: InstId) -> bool {
        id.index() < self.last_meeting
    }

    fn bound(&mut self, kernel: &Kernel) {
        loop {
            kernel.walk(&mut |id| self.max[id] = self.bound_of(kernel, &kernel.insts[id]));
            let mut changed = false;
            kernel.walk(&mut |id| {
                if let Op::Set { local, value } = &kernel.insts[id].op
                    && self.small[*local]
                    && !self.fits(*value)
                {
                    self.small[*local] = false;
                    changed = true;
                }
            });
            if !changed {
                return;
            }
        }
    }

    /// The bound of `inst` from those of its operands.
    fn bound_of(&self, kernel: &Kernel, inst: &Inst) -> u64 {
        let Ty::Scalar(scalar) = inst.ty else { return u64::MAX };
        let Some(cap) = greatest(scalar) else { return u64::MAX };
        let bound = match &inst.op {
            Op::Const(bits) => *bits,
            Op::Builtin(builtin) => builtin_bound(kernel, *builtin),
            Op::Unary { op: UnaryOp::Abs, value } => self.max[*value],
            Op::Unary { op: UnaryOp::CountOnes | UnaryOp::LeadingZeros, .. } => {
                width(scalar).into()
            }
            Op::Shuffle { value, .. } if self.fits(*value) => u64::from(u32::MAX),
            Op::Binary { op, lhs, rhs } => self.binary_bound(kernel, scalar, *op, *lhs, *rhs),
            Op::Cast { value } if is_unsigned(kernel, *value) => self.max[*value],
            Op::Select { then, other, .. } => self.max[*then].max(self.max[*other]),
            Op::Bounds { index, len } => self.max[*index].min(self.max[*len].saturating_sub(1)),
            Op::Get(local) if self.small[*local] => u64::from(u32::MAX),
            Op::For { end, .. } => self.max[*end],
            Op::Barrier { .. } => MAX_THREADS,
            Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Unary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Fma { .. }
            | Op::MulAdd { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::Check { .. }
            | Op::Get(_)
            | Op::Set { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::SyncWarp { .. }
            | Op::Fence { .. }
            | Op::Shuffle { .. }
            | Op::Vote { .. }
            | Op::Match { .. }
            | Op::Reduce { .. }
            | Op::If { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => u64::MAX,
        };
        bound.min(cap)
    }

    /// Before wrapping: what comes out above the type's greatest value is cut there by the caller.
    fn binary_bound(
        &self,
        kernel: &Kernel,
        scalar: Scalar,
        op: BinaryOp,
        lhs: InstId,
        rhs: InstId,
    ) -> u64 {
        let (l, r) = (self.max[lhs], self.max[rhs]);
        let constant = |id: InstId| constant(kernel, id);
        match op {
            BinaryOp::Add => l.saturating_add(r),
            BinaryOp::Sub => constant(lhs).filter(|l| r <= *l).unwrap_or(u64::MAX),
            BinaryOp::Mul if !kernel.wide_index && spans_grid(kernel, lhs, rhs) => MAX_THREADS_AXIS,
            BinaryOp::Mul => l.saturating_mul(r),
            BinaryOp::Div => match constant(rhs) {
                Some(0) => u64::MAX,
                Some(by) => l / by,
                None if self.fits(lhs) && self.fits(rhs) => u64::from(u32::MAX),
                None => u64::MAX,
            },
            BinaryOp::Rem => match constant(rhs) {
                Some(0) => u64::MAX,
                Some(by) => l.min(by - 1),
                None if self.fits(lhs) && self.fits(rhs) => u64::from(u32::MAX),
                None => u64::MAX,
            },
            BinaryOp::And | BinaryOp::Min => l.min(r),
            BinaryOp::Or | BinaryOp::Xor => u64::MAX.unbounded_shr((l | r).leading_zeros()),
            BinaryOp::Max => l.max(r),
            BinaryOp::MulHigh => ((u128::from(l) * u128::from(r)) >> width(scalar)) as u64,
            BinaryOp::RotateLeft => u64::MAX,
            BinaryOp::Shl => match constant(rhs).map(|by| by as u32 & (width(scalar) - 1)) {
                Some(by) if by <= l.leading_zeros() => l << by,
                Some(_) | None => u64::MAX,
            },
            BinaryOp::Shr => match constant(rhs) {
                Some(by) => l >> (by as u32 & (width(scalar) - 1)),
                None => l,
            },
        }
    }

    fn look_at_users(&mut self, kernel: &Kernel) {
        kernel.walk(&mut |id| {
            let op = &kernel.insts[id].op;
            for operand in op.operands() {
                self.used[operand] = true;
                self.bits_matter[operand] |= !is_arithmetic(op);
            }
        });
    }

    fn trace_addresses(&mut self, kernel: &Kernel) {
        let mut sets = kernel.locals.facts(Vec::new());
        let mut left = Vec::new();
        kernel.walk(&mut |id| {
            let op = &kernel.insts[id].op;
            if let Op::Set { local, value } = op {
                sets[*local].push(*value);
            } else if matches!(op, Op::Index { .. } | Op::Bounds { .. }) {
                left.extend(op.operands());
            }
        });
        while let Some(id) = left.pop() {
            if std::mem::replace(&mut self.steers[id], true) {
                continue;
            }
            let op = &kernel.insts[id].op;
            left.extend(op.operands());
            if let Op::Get(local) = op {
                left.append(&mut sets[*local]);
            }
        }
    }
}

/// The number behind the last instruction from which a barrier, or an operation of the warp, can be reached.
fn last_meeting(kernel: &Kernel) -> usize {
    let ends = copies::ends(kernel);
    let mut last = 0;
    let mut loops = 0;
    for (id, inst) in kernel.insts.iter() {
        if matches!(inst.op, Op::For { .. } | Op::Loop { .. }) && loops <= id.index() {
            loops = ends[id];
        }
        if matches!(
            inst.op,
            Op::Barrier { .. }
                | Op::SyncWarp { .. }
                | Op::Shuffle { .. }
                | Op::Vote { .. }
                | Op::Match { .. }
                | Op::Reduce { .. }
        ) {
            last = if id.index() < loops { loops } else { id.index() };
        }
    }
    last
}

/// The bits of `id`, if it is a literal.
pub(super) fn constant(kernel: &Kernel, id: InstId) -> Option<u64> {
    if let Op::Const(bits) = kernel.insts[id].op { Some(bits) } else { None }
}

/// The greatest value of an unsigned type; `None` for others.
pub(super) const fn greatest(scalar: Scalar) -> Option<u64> {
    match scalar {
        Scalar::Bool => Some(1),
        Scalar::U8 => Some(u8::MAX as u64),
        Scalar::U16 => Some(u16::MAX as u64),
        Scalar::U32 => Some(u32::MAX as u64),
        Scalar::U64 => Some(u64::MAX),
        Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::F16
        | Scalar::BF16
        | Scalar::F32
        | Scalar::F64
        | Scalar::Generic(_) => None,
    }
}

/// The width of an integer in bits.
pub(super) const fn width(scalar: Scalar) -> u32 {
    scalar.bits().expect("a specialized kernel has no type parameters")
}

/// True if `value` is an unsigned integer or a `bool`.
pub(super) fn is_unsigned(kernel: &Kernel, value: InstId) -> bool {
    matches!(kernel.insts[value].ty, Ty::Scalar(scalar) if greatest(scalar).is_some())
}

/// The number of threads of a block along `axis`, if the kernel declares it.
pub(super) fn declared_threads(kernel: &Kernel, axis: Axis) -> Option<u64> {
    kernel.block.as_ref().and_then(|block| block[axis as usize].known())
}

fn builtin_bound(kernel: &Kernel, builtin: Builtin) -> u64 {
    let threads = |axis| {
        declared_threads(kernel, axis).unwrap_or(match axis {
            Axis::X | Axis::Y => MAX_THREADS,
            Axis::Z => MAX_THREADS_Z,
        })
    };
    let blocks = |axis| {
        let most = match axis {
            Axis::X => MAX_BLOCKS_X,
            Axis::Y | Axis::Z => MAX_BLOCKS_YZ,
        };
        match declared_threads(kernel, axis) {
            Some(threads) if !kernel.wide_index => most.min(MAX_THREADS_AXIS / threads.max(1)),
            Some(_) | None => most,
        }
    };
    match builtin {
        Builtin::ThreadIdx(axis) => threads(axis).saturating_sub(1),
        Builtin::BlockIdx(axis) => blocks(axis).saturating_sub(1),
        Builtin::BlockDim(axis) => threads(axis),
        Builtin::GridDim(axis) => blocks(axis),
        Builtin::GlobalIdx(_) if kernel.wide_index => u64::MAX,
        Builtin::GlobalIdx(_) => MAX_THREADS_AXIS - 1,
        Builtin::LaneId | Builtin::WarpId => 31,
    }
}

/// True for `block_idx * block_dim` and `grid_dim * block_dim` of one axis: at most the
/// number of threads that the launcher accepts along it.
fn spans_grid(kernel: &Kernel, lhs: InstId, rhs: InstId) -> bool {
    let blocks_and_threads = |blocks, threads| match (blocks, threads) {
        (Builtin::BlockIdx(a) | Builtin::GridDim(a), Builtin::BlockDim(b)) => a == b,
        (
            Builtin::ThreadIdx(_)
            | Builtin::BlockIdx(_)
            | Builtin::BlockDim(_)
            | Builtin::GridDim(_)
            | Builtin::GlobalIdx(_)
            | Builtin::LaneId
            | Builtin::WarpId,
            _,
        ) => false,
    };
    match (builtin(kernel, lhs), builtin(kernel, rhs)) {
        (Some(l), Some(r)) => blocks_and_threads(l, r) || blocks_and_threads(r, l),
        (None, _) | (_, None) => false,
    }
}

/// The builtin that `id` is, whatever integer it was cast to (which none of them outgrows,
/// unless cast to fewer than 32 bits).
fn builtin(kernel: &Kernel, id: InstId) -> Option<Builtin> {
    let inst = &kernel.insts[id];
    if let Op::Builtin(builtin) = inst.op {
        Some(builtin)
    } else if let (Op::Cast { value }, Ty::Scalar(Scalar::U32 | Scalar::U64)) = (&inst.op, inst.ty)
    {
        builtin(kernel, *value)
    } else {
        None
    }
}

/// True if `op` computes with its float operands, so that it makes of a NaN an unspecified one, or none.
const fn is_arithmetic(op: &Op) -> bool {
    matches!(
        op,
        Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Fma { .. }
            | Op::Cast { .. }
            | Op::Unary {
                op: UnaryOp::Sqrt
                    | UnaryOp::Floor
                    | UnaryOp::Ceil
                    | UnaryOp::Trunc
                    | UnaryOp::RoundTiesEven,
                ..
            }
    )
}
