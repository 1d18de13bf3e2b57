//! Facts about a kernel that the emitter needs before it starts.
//!
//! **Upper bounds.** `usize` is 64 bits, and a GPU computes in 32. [`Facts::fits`] says
//! which `u64` values are provably less than 2^32: those live in 32-bit registers, are
//! compared and computed there where the operation allows, and index with one widening
//! multiply-add. The bounds are [`Ranges`], which the optimizer goes by, too.
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
    analysis::range::{Range, Ranges},
    id::{self, Id},
    ir::{
        Axis, BinaryOp, Body, Effect, Inst, InstId, Kernel, LocalId, Op, Scalar, SyncOp, Ty,
        UnaryOp,
    },
};

/// The facts about a kernel that a back end needs before it starts: see the module.
pub struct Facts {
    max: id::Facts<InstId, u64>,
    small: id::Facts<LocalId, bool>,
    used: id::Facts<InstId, bool>,
    bits_matter: id::Facts<InstId, bool>,
    steers: id::Facts<InstId, bool>,
    needs_copy: id::Facts<InstId, bool>,
    shares_report: id::Facts<InstId, bool>,
    last_meeting: usize,
}

impl Facts {
    /// Computes the facts of `kernel`, whose ranges are `ranges`.
    pub fn of(kernel: &Kernel, ranges: &Ranges) -> Self {
        let ends = copies::ends(kernel);
        let mut facts = Self {
            max: kernel.insts.facts(u64::MAX),
            small: kernel.locals.facts(false),
            used: kernel.insts.facts(false),
            bits_matter: kernel.insts.facts(false),
            steers: kernel.insts.facts(false),
            needs_copy: copies::needed(kernel, &ends),
            shares_report: kernel.insts.facts(false),
            last_meeting: last_meeting(kernel, &ends),
        };
        facts.bound(kernel, ranges);
        facts.look_at_users(kernel);
        facts.trace_addresses(kernel);
        facts.pair_checks(kernel, &kernel.body);
        facts
    }

    /// The greatest value that the unsigned integer or `bool` can have; `u64::MAX` for anything
    /// else.
    pub(super) fn max(&self, value: InstId) -> u64 {
        self.max[value]
    }

    /// True if the unsigned value is less than 2^32.
    pub fn fits(&self, value: InstId) -> bool {
        self.max[value] <= u64::from(u32::MAX)
    }

    /// True if everything that the unsigned local is set to is less than 2^32.
    pub(super) fn local_fits(&self, local: LocalId) -> bool {
        self.small[local]
    }

    /// True if anything uses the value.
    pub fn used(&self, value: InstId) -> bool {
        self.used[value]
    }

    /// True if the sign and payload of the value, should it be a NaN, can be seen. They
    /// cannot where arithmetic alone uses it: what that makes of a NaN is unspecified.
    pub fn bits_matter(&self, value: InstId) -> bool {
        self.bits_matter[value]
    }

    /// True if an address or a bounds check is computed from the value.
    pub fn steers(&self, value: InstId) -> bool {
        self.steers[value]
    }

    /// True if the value of the `get` must be copied out of the local's register.
    pub(super) fn needs_copy(&self, get: InstId) -> bool {
        self.needs_copy[get]
    }

    /// True if nothing but values stands between the check and another one in the same body.
    pub(super) fn shares_report(&self, check: InstId) -> bool {
        self.shares_report[check]
    }

    /// True if threads may meet behind the instruction.
    pub fn meets_later(&self, id: InstId) -> bool {
        id.index() < self.last_meeting
    }

    fn bound(&mut self, kernel: &Kernel, ranges: &Ranges) {
        // What never runs has no value at all.
        let most = |range: Range| u64::try_from(range.max.max(0)).unwrap_or(u64::MAX);
        for (id, inst) in kernel.insts.iter() {
            let unsigned = matches!(inst.ty, Ty::Scalar(scalar) if greatest(scalar).is_some());
            let range = ranges.get(kernel, id).filter(|_| unsigned);
            self.max[id] = range.map_or(u64::MAX, most);
        }
        for local in kernel.locals.ids() {
            let range = ranges.local_range(kernel, local);
            self.small[local] = range.is_some_and(|range| most(range) <= u64::from(u32::MAX));
        }
    }

    fn look_at_users(&mut self, kernel: &Kernel) {
        for (_, Inst { op, .. }) in kernel.insts.iter() {
            let bits_matter = !is_arithmetic(op);
            op.operands().for_each(|operand| {
                self.used[operand] = true;
                self.bits_matter[operand] |= bits_matter;
            });
        }
    }

    fn pair_checks(&mut self, kernel: &Kernel, list: &Body) {
        let mut check = None;
        for &id in &list.0 {
            let op = &kernel.insts[id].op;
            match op.effect() {
                Effect::None => {}
                Effect::Fault => {
                    if let Some(before) = check.replace(id) {
                        self.shares_report[before] = true;
                    }
                }
                Effect::Read | Effect::Write | Effect::Sync | Effect::Control => check = None,
            }
            if !op.is_leaf() {
                op.bodies().for_each(|inner| self.pair_checks(kernel, inner));
            }
        }
    }

    fn trace_addresses(&mut self, kernel: &Kernel) {
        let mut sets = kernel.locals.lists();
        let mut left = Vec::new();
        for (_, Inst { op, .. }) in kernel.insts.iter() {
            if let Op::Set { local, value } = op {
                sets.list_mut(*local).push(*value);
            } else if matches!(op, Op::Index { .. } | Op::Bounds { .. }) {
                left.extend(op.operands());
            }
        }
        while let Some(id) = left.pop() {
            if std::mem::replace(&mut self.steers[id], true) {
                continue;
            }
            let op = &kernel.insts[id].op;
            op.operands().for_each(|operand| left.push(operand));
            if let Op::Get(local) = op {
                left.append(sets.list_mut(*local));
            }
        }
    }
}

/// The number behind the last instruction from which a barrier, or an operation of the warp, can be
/// reached.
fn last_meeting(kernel: &Kernel, ends: &id::Facts<InstId, usize>) -> usize {
    let mut last = 0;
    let mut loops = 0;
    for (id, inst) in kernel.insts.iter() {
        if matches!(inst.op, Op::For { .. } | Op::Loop { .. }) && loops <= id.index() {
            loops = ends[id];
        }
        if matches!(
            inst.op,
            Op::Sync(
                SyncOp::Barrier { .. }
                    | SyncOp::SyncGrid
                    | SyncOp::SyncCluster
                    | SyncOp::SyncWarp { .. }
                    | SyncOp::NamedBarrier { .. }
                    | SyncOp::MBarrierArrive { .. }
                    | SyncOp::MBarrierWait { .. }
            ) | Op::Matrix(_)
                | Op::Warp(_)
                | Op::Ptx { is_pure: false, .. }
        ) {
            last = if id.index() < loops { loops } else { id.index() };
        }
    }
    last
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

/// Returns true if there are integer minima or maxima for which GPUs have three-operand
/// instructions.
pub fn has_extremes(kernel: &Kernel) -> bool {
    kernel.insts.iter().any(|(_, inst)| {
        matches!(inst.op, Op::Binary { op: BinaryOp::Min | BinaryOp::Max, .. })
            && matches!(inst.ty, Ty::Scalar(scalar) if !scalar.is_float() && width(scalar) <= 32)
    })
}

/// True if `value` is an unsigned integer or a `bool`.
pub(super) fn is_unsigned(kernel: &Kernel, value: InstId) -> bool {
    matches!(kernel.insts[value].ty, Ty::Scalar(scalar) if greatest(scalar).is_some())
}

/// The number of threads of a block along `axis`, if the kernel declares it.
pub fn declared_threads(kernel: &Kernel, axis: Axis) -> Option<u64> {
    kernel.block.as_ref().and_then(|block| block[axis as usize].known())
}

/// True if `op` computes with its float operands, so that it makes of a NaN an unspecified one, or
/// none.
const fn is_arithmetic(op: &Op) -> bool {
    matches!(
        op,
        Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Ternary { .. }
            | Op::Fma { .. }
            | Op::Cast { .. }
            | Op::Unary {
                op: UnaryOp::Sqrt
                    | UnaryOp::Rsqrt
                    | UnaryOp::Floor
                    | UnaryOp::Ceil
                    | UnaryOp::Trunc
                    | UnaryOp::RoundTiesEven
                    | UnaryOp::Approx(_),
                ..
            }
    )
}
