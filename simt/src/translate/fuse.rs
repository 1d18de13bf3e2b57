//! Fusion: operations that are computed together in one instruction.
//!
//! A sum, difference or product of floats with a single use, as an operand of another one or of a
//! comparison in the same body, is fused with that: one instruction instead of two, and the
//! intermediate result goes through no register. Each operation rounds as before.
//!
//! Two loads by affine addresses are fused with the multiply-add that takes both as its factors, if
//! nothing in between writes memory.
//!
//! A uniform operand that is not a launch constant, such as a value that all lanes load from one
//! place, need not be copied to each lane where a lane loop takes it as a single value: such loops
//! exist for sums, differences, products and quotients of floats. Launch constants are in lanes
//! before the first instruction.
//!
//! Where this crate is not optimized, single operations are fast and pairs are not. Loads are still
//! fused, because loops of such multiply-adds run all their rounds at once.
use super::{
    address::{Base, decompose},
    affine::Affinity,
    uniformity::Uniformity,
};
use crate::{translate::Instrumentation, vector::lanes::Isa};
use warpwise_compiler::{
    id::Facts,
    ir::{BinaryOp, Body, Effect, InstId, Kernel, Op, Scalar, Space, Ty},
};

/// The fused operations of a kernel.
pub(super) struct Fusion {
    /// Per operation, the operand that is fused into it.
    fused_operand: Facts<InstId, Option<InstId>>,
    /// True for an operation that is such an operand.
    is_fused_operand: Facts<InstId, bool>,
    /// True for a load that is fused into its use.
    is_fused_load: Facts<InstId, bool>,
    /// Per operation, the operand that it takes as a single value.
    uniform_operand: Facts<InstId, Option<InstId>>,
}

impl Fusion {
    /// Finds the operations to fuse in code for `isa` with this instrumentation.
    pub(super) fn analyze(
        kernel: &Kernel,
        uniformity: &Uniformity,
        affinity: &Affinity,
        (isa, instrumentation): (Isa, Instrumentation),
    ) -> Self {
        let mut uses = kernel.insts.facts(0_u32);
        for (_, inst) in kernel.insts.iter() {
            inst.op.operands().for_each(|operand| uses[operand] += 1);
        }
        let (fused_operand, is_fused_operand) =
            (kernel.insts.facts(None), kernel.insts.facts(false));
        let is_fused_load = kernel.insts.facts(false);
        let uniform_operand = kernel.insts.facts(None);
        let mut fusion = Self { fused_operand, is_fused_operand, is_fused_load, uniform_operand };
        let mut body_of = kernel.insts.facts(None);
        // The debugger needs each value.
        let (floats, loads) = match instrumentation {
            Instrumentation::None | Instrumentation::Counters(_) | Instrumentation::Sanitizer => {
                (true, isa != Isa::Baseline)
            }
            Instrumentation::Debugger => (false, false),
        };
        // The tests of this crate cover pairs in all builds.
        let pairs = floats && (!cfg!(unoptimized) || cfg!(test));
        let mut search =
            FusionSearch { uniformity, affinity, pairs, loads, uses, body_of: &mut body_of };
        if pairs || loads {
            fusion.fuse_body(kernel, &kernel.body, &mut search);
        }
        if pairs {
            for id in kernel.insts.ids().filter(|id| uniformity.varies(*id)) {
                fusion.uniform_operand[id] = fusion.find_uniform_operand(kernel, id, &search);
            }
        }
        fusion
    }

    /// Returns the operand that is fused into an operation.
    pub(super) fn fused_operand(&self, id: InstId) -> Option<InstId> {
        self.fused_operand[id]
    }

    /// Returns true if an operation is fused into its use.
    pub(super) fn is_fused_operand(&self, id: InstId) -> bool {
        self.is_fused_operand[id]
    }

    /// Returns true if a load is fused into its only use, unless the loaded value is needed in
    /// between.
    pub(super) fn is_fused_load(&self, load: InstId) -> bool {
        self.is_fused_load[load]
    }

    /// Returns the operand that an operation takes as a single value for all lanes.
    pub(super) fn uniform_operand(&self, id: InstId) -> Option<InstId> {
        self.uniform_operand[id]
    }

    /// Finds an operand that is stored once, if a lane loop takes it as a single value.
    fn find_uniform_operand(
        &self,
        kernel: &Kernel,
        id: InstId,
        search: &FusionSearch<'_>,
    ) -> Option<InstId> {
        let is_stored_once = |operand: &InstId| search.is_stored_once(*operand);
        if let Some(inner) = self.fused_operand[id] {
            let (_, operands) = fusable_operands(kernel, id)?;
            return operands.into_iter().find(|operand| *operand != inner).filter(is_stored_once);
        }
        if self.is_fused_operand[id] {
            return None;
        }
        if let Op::Binary { op, lhs, rhs } = kernel.insts[id].op {
            float_type(kernel, id)?;
            let has_loop =
                matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
            return [lhs, rhs].into_iter().find(is_stored_once).filter(|_| has_loop);
        }
        if let Op::Fma { a, b, c } = kernel.insts[id].op {
            float_type(kernel, id)?;
            let operands = [a, b, c];
            let is_once =
                |operand: &InstId| operands.iter().filter(|of| *of == operand).count() == 1;
            let loads = self.is_fused_load[a] && self.is_fused_load[b];
            let mut ones = operands.into_iter().filter(is_stored_once);
            return ones.find(is_once).filter(|_| !loads);
        }
        None
    }

    fn fuse_body(&mut self, kernel: &Kernel, body: &Body, search: &mut FusionSearch<'_>) {
        let Some(&here) = body.0.first() else { return };
        for &id in &body.0 {
            if let Some((scalar, operands)) = fusable_operands(kernel, id)
                && search.pairs
                && search.uniformity.varies(id)
            {
                let fits = |operand: &InstId| {
                    search.uses[*operand] == 1
                        && search.body_of[*operand] == Some(here)
                        && self.fused_operand[*operand].is_none()
                        && float_arithmetic(kernel, *operand).is_some_and(|(of, _)| of == scalar)
                        && search.uniformity.varies(*operand)
                        // An operand that would have to be copied to lanes is better taken as a
                        // single value.
                        && !kernel.insts[*operand].op.operands().any(|of| search.is_stored_once(of))
                };
                if let Some(operand) = operands.into_iter().find(fits) {
                    self.fused_operand[id] = Some(operand);
                    self.is_fused_operand[operand] = true;
                }
            }
            if let Op::Fma { a, b, .. } = kernel.insts[id].op
                && a != b
                && search.can_load(kernel, body, id, [a, b])
            {
                (self.is_fused_load[a], self.is_fused_load[b]) = (true, true);
            }
            search.body_of[id] = Some(here);
            kernel.insts[id].op.bodies().for_each(|inner| self.fuse_body(kernel, inner, search));
        }
    }
}

/// The state of the search.
struct FusionSearch<'k> {
    uniformity: &'k Uniformity,
    /// True if pairs of operations are fused.
    pairs: bool,
    affinity: &'k Affinity,
    /// True if loads are fused.
    loads: bool,
    uses: Facts<InstId, u32>,
    /// Per instruction seen so far, the first instruction of its body.
    body_of: &'k mut Facts<InstId, Option<InstId>>,
}

impl FusionSearch<'_> {
    /// Returns true if a value is stored once for all lanes, and not in lanes before the first
    /// instruction.
    fn is_stored_once(&self, value: InstId) -> bool {
        !self.uniformity.varies(value) && !self.affinity.is_launch_constant(value)
    }

    /// Returns true if a fused multiply-add can load its factors.
    fn can_load(&self, kernel: &Kernel, body: &Body, fma: InstId, factors: [InstId; 2]) -> bool {
        if !self.loads {
            return false;
        }
        let affinity = self.affinity;
        let fits = |load: &InstId| {
            let Op::Load { ptr, .. } = kernel.insts[*load].op else { return false };
            let affine = match decompose(kernel, ptr).base {
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
        let is_float = float_type(kernel, fma) == Some(Scalar::F32);
        let here = body.0.iter().filter(|id| factors.contains(id)).count() == 2;
        let since = body.0.iter().skip_while(|id| !factors.contains(id));
        let mut between = since.take_while(|id| **id != fma);
        is_float && here && factors.iter().all(fits) && between.all(keeps)
    }
}

/// Returns the operands of an operation into which one of them can be fused.
fn fusable_operands(kernel: &Kernel, id: InstId) -> Option<(Scalar, [InstId; 2])> {
    if let Op::Compare { lhs, rhs, .. } = kernel.insts[id].op {
        return Some((float_type(kernel, lhs)?, [lhs, rhs]));
    }
    float_arithmetic(kernel, id)
}

/// Returns the operands of a sum, difference or product of floats.
fn float_arithmetic(kernel: &Kernel, id: InstId) -> Option<(Scalar, [InstId; 2])> {
    let Op::Binary { op, lhs, rhs } = kernel.insts[id].op else { return None };
    let is_stored_once = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
    is_stored_once.then_some((float_type(kernel, id)?, [lhs, rhs]))
}

fn float_type(kernel: &Kernel, id: InstId) -> Option<Scalar> {
    match kernel.insts[id].ty {
        Ty::Scalar(scalar @ (Scalar::F32 | Scalar::F64)) => Some(scalar),
        Ty::Scalar(_) | Ty::Ptr(_) | Ty::Unit => None,
    }
}
