//! Which operations are computed together.
//!
//! A sum, difference or product of floats that is only used once, as an operand of another one or
//! of a comparison in the same body, is computed with that: one step instead of two, and nothing in
//! between goes through a register. Each is rounded as before.
//!
//! So are two loads by affine addresses with the fused multiply-add that takes both as its factors,
//! if nothing in between writes memory.
//!
//! An operand that is the same in all lanes, as what all load from one place, need not be copied to each, where there is a
//! loop for the operation that takes it as a single value: there are some for sums, differences, products and quotients of
//! floats. What stands for the whole launch is in lanes before the first step.
//!
//! Where this crate is not optimized, single operations are fast and pairs are not; loads are left to what
//! uses them all the same, since loops of such run all their rounds at once.
use super::{
    address::{Base, place},
    affine::Affinity,
    uniformity::Uniformity,
};
use crate::{translate::Instrumentation, vector::lanes::Isa};
use warpwise_compiler::{
    id::Facts,
    ir::{BinaryOp, Body, Effect, InstId, Kernel, Op, Scalar, Space, Ty},
};

/// Which operations are computed together.
pub(super) struct Fusion {
    /// The operand that an operation computes on the way.
    inner: Facts<InstId, Option<InstId>>,
    /// Whether an operation is such an operand.
    is_inner: Facts<InstId, bool>,
    /// Whether a load is made by what uses it.
    is_loaded: Facts<InstId, bool>,
    /// The operand that an operation takes as a single value.
    one: Facts<InstId, Option<InstId>>,
}

impl Fusion {
    /// What is computed together in code for `isa` that steps of this kind are added to.
    pub(super) fn of(
        kernel: &Kernel,
        uniformity: &Uniformity,
        affinity: &Affinity,
        (isa, instrumentation): (Isa, Instrumentation),
    ) -> Self {
        let mut uses = kernel.insts.facts(0_u32);
        for (_, inst) in kernel.insts.iter() {
            inst.op.operands().for_each(|operand| uses[operand] += 1);
        }
        let (inner, is_inner) = (kernel.insts.facts(None), kernel.insts.facts(false));
        let is_loaded = kernel.insts.facts(false);
        let one = kernel.insts.facts(None);
        let mut fusion = Self { inner, is_inner, is_loaded, one };
        let mut made = kernel.insts.facts(None);
        // Whoever looks on wants each value.
        let (floats, loads) = match instrumentation {
            Instrumentation::None | Instrumentation::Counters(_) | Instrumentation::Sanitizer => {
                (true, isa != Isa::Baseline)
            }
            Instrumentation::Debugger => (false, false),
        };
        // Tests of this crate are to see pairs.
        let pairs = floats && (!cfg!(unoptimized) || cfg!(test));
        let mut found = Found { uniformity, affinity, pairs, loads, uses, made: &mut made };
        if pairs || loads {
            fusion.body(kernel, &kernel.body, &mut found);
        }
        if pairs {
            for id in kernel.insts.ids().filter(|id| uniformity.varies(*id)) {
                fusion.one[id] = fusion.single(kernel, id, &found);
            }
        }
        fusion
    }

    /// The operand that an operation computes on the way.
    pub(super) fn inner(&self, id: InstId) -> Option<InstId> {
        self.inner[id]
    }

    /// Whether an operation is computed where it is used.
    pub(super) fn is_inner(&self, id: InstId) -> bool {
        self.is_inner[id]
    }

    /// Whether a load is made by the only operation that uses it, unless what it loads is looked at in between.
    pub(super) fn is_loaded(&self, load: InstId) -> bool {
        self.is_loaded[load]
    }

    /// The operand that an operation takes as a single value for all lanes.
    pub(super) fn one(&self, id: InstId) -> Option<InstId> {
        self.one[id]
    }

    /// An operand that is the same in all lanes, if there is a loop that takes it as such.
    fn single(&self, kernel: &Kernel, id: InstId, found: &Found<'_>) -> Option<InstId> {
        let is_one = |operand: &InstId| found.is_one(*operand);
        if let Some(inner) = self.inner[id] {
            let (_, operands) = outer(kernel, id)?;
            return operands.into_iter().find(|operand| *operand != inner).filter(is_one);
        }
        if self.is_inner[id] {
            return None;
        }
        if let Op::Binary { op, lhs, rhs } = kernel.insts[id].op {
            float(kernel, id)?;
            let has_loop =
                matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
            return [lhs, rhs].into_iter().find(is_one).filter(|_| has_loop);
        }
        if let Op::Fma { a, b, c } = kernel.insts[id].op {
            float(kernel, id)?;
            let operands = [a, b, c];
            let is_once =
                |operand: &InstId| operands.iter().filter(|of| *of == operand).count() == 1;
            let loads = self.is_loaded[a] && self.is_loaded[b];
            let mut ones = operands.into_iter().filter(is_one);
            return ones.find(is_once).filter(|_| !loads);
        }
        None
    }

    fn body(&mut self, kernel: &Kernel, body: &Body, found: &mut Found<'_>) {
        let Some(&here) = body.0.first() else { return };
        for &id in &body.0 {
            if let Some((scalar, operands)) = outer(kernel, id)
                && found.pairs
                && found.uniformity.varies(id)
            {
                let fits = |operand: &InstId| {
                    found.uses[*operand] == 1
                        && found.made[*operand] == Some(here)
                        && self.inner[*operand].is_none()
                        && arithmetic(kernel, *operand).is_some_and(|(of, _)| of == scalar)
                        && found.uniformity.varies(*operand)
                        // What would have to be copied to lanes is better taken as a single value.
                        && !kernel.insts[*operand].op.operands().any(|of| found.is_one(of))
                };
                if let Some(operand) = operands.into_iter().find(fits) {
                    self.inner[id] = Some(operand);
                    self.is_inner[operand] = true;
                }
            }
            if let Op::Fma { a, b, .. } = kernel.insts[id].op
                && a != b
                && found.can_load(kernel, body, id, [a, b])
            {
                (self.is_loaded[a], self.is_loaded[b]) = (true, true);
            }
            found.made[id] = Some(here);
            kernel.insts[id].op.bodies().for_each(|inner| self.body(kernel, inner, found));
        }
    }
}

/// What is known on the way.
struct Found<'k> {
    uniformity: &'k Uniformity,
    /// Whether pairs are fused.
    pairs: bool,
    affinity: &'k Affinity,
    /// Whether loads are fused.
    loads: bool,
    uses: Facts<InstId, u32>,
    /// The first instruction of the body that each was seen in.
    made: &'k mut Facts<InstId, Option<InstId>>,
}

impl Found<'_> {
    /// Whether a value is the same in all lanes, and has none of its own before the first step.
    fn is_one(&self, value: InstId) -> bool {
        !self.uniformity.varies(value) && !self.affinity.stands(value)
    }

    /// Whether a fused multiply-add can load its factors.
    fn can_load(&self, kernel: &Kernel, body: &Body, fma: InstId, factors: [InstId; 2]) -> bool {
        if !self.loads {
            return false;
        }
        let affinity = self.affinity;
        let fits = |load: &InstId| {
            let Op::Load { ptr } = kernel.insts[*load].op else { return false };
            let affine = match place(kernel, ptr).base {
                Base::Start(_) => false,
                Base::Element { index, .. } => affinity.is_affine(index),
                Base::Value(ptr) => affinity.is_affine(ptr),
            };
            affine && self.uses[*load] == 1 && kernel.space(ptr) != Some(Space::Local)
        };
        let keeps = |id: &InstId| match kernel.insts[*id].op.effect() {
            Effect::None | Effect::Read | Effect::Fault => true,
            Effect::Write => matches!(kernel.insts[*id].op, Op::Set { .. }),
            Effect::Sync | Effect::Control => false,
        };
        let is_float = float(kernel, fma) == Some(Scalar::F32);
        let here = body.0.iter().filter(|id| factors.contains(id)).count() == 2;
        let since = body.0.iter().skip_while(|id| !factors.contains(id));
        let mut between = since.take_while(|id| **id != fma);
        is_float && here && factors.iter().all(fits) && between.all(keeps)
    }
}

/// The operands of an operation that can compute one of them on the way.
fn outer(kernel: &Kernel, id: InstId) -> Option<(Scalar, [InstId; 2])> {
    if let Op::Compare { lhs, rhs, .. } = kernel.insts[id].op {
        return Some((float(kernel, lhs)?, [lhs, rhs]));
    }
    arithmetic(kernel, id)
}

/// The operands of a sum, difference or product of floats.
fn arithmetic(kernel: &Kernel, id: InstId) -> Option<(Scalar, [InstId; 2])> {
    let Op::Binary { op, lhs, rhs } = kernel.insts[id].op else { return None };
    let is_one = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
    is_one.then_some((float(kernel, id)?, [lhs, rhs]))
}

fn float(kernel: &Kernel, id: InstId) -> Option<Scalar> {
    match kernel.insts[id].ty {
        Ty::Scalar(scalar @ (Scalar::F32 | Scalar::F64)) => Some(scalar),
        Ty::Scalar(_) | Ty::Ptr(_) | Ty::Unit => None,
    }
}
