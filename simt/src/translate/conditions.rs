//! What lanes part by: comparisons of affine values, and what is made of them.
//!
//! Such a condition is mostly the same for all lanes, and that is known without looking at any of them: where the
//! least and the greatest of the values compared lie. So it is only computed lane by lane, right before lanes part,
//! where that does not tell.
use super::{affine::Affinity, uniformity::Uniformity};
use crate::{bytecode::MAX_CONDITION_TERMS, translate::Instrumentation};
use std::collections::HashMap;
use warpwise_compiler::{
    id::Facts,
    ir::{BinaryOp, Body, InstId, Kernel, Op, Scalar, Ty, UnaryOp},
};

/// The conditions that may be known without looking at lanes.
pub(super) struct Decisions {
    /// Of each condition: the instructions that it is made of, itself last, operands before what uses them.
    made_of: HashMap<InstId, Vec<InstId>>,
    deferred: Facts<InstId, bool>,
}

impl Decisions {
    /// Those of a kernel whose code gets steps of this kind.
    pub(super) fn of(
        kernel: &Kernel,
        uniformity: &Uniformity,
        affinity: &Affinity,
        instrumentation: Instrumentation,
    ) -> Self {
        let deferred = kernel.insts.facts(false);
        let mut decisions = Self { made_of: HashMap::new(), deferred };
        // Whoever looks on wants each value where it is computed.
        match instrumentation {
            Instrumentation::None | Instrumentation::Counters(_) | Instrumentation::Sanitizer => {}
            Instrumentation::Debugger => return decisions,
        }
        let mut uses = kernel.insts.facts(0_u32);
        for (_, inst) in kernel.insts.iter() {
            inst.op.operands().for_each(|operand| uses[operand] += 1);
        }
        let here = kernel.insts.facts(None);
        let mut search = Search { kernel, uniformity, affinity, uses, here };
        search.body(&kernel.body, &mut decisions);
        decisions
    }

    /// Whether an instruction is computed where lanes part by it.
    pub(super) fn is_deferred(&self, id: InstId) -> bool {
        self.deferred[id]
    }

    /// What a condition is made of, if it may be known without looking at lanes.
    pub(super) fn made_of(&self, cond: InstId) -> Option<&[InstId]> {
        self.made_of.get(&cond).map(Vec::as_slice)
    }
}

struct Search<'k> {
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    affinity: &'k Affinity,
    uses: Facts<InstId, u32>,
    /// The first instruction of the body that each was seen in.
    here: Facts<InstId, Option<InstId>>,
}

impl Search<'_> {
    fn body(&mut self, body: &Body, decisions: &mut Decisions) {
        let Some(&first) = body.0.first() else { return };
        for &id in &body.0 {
            self.here[id] = Some(first);
            let op = &self.kernel.insts[id].op;
            if let Op::If { cond, .. } = op {
                let mut made_of = Vec::new();
                if self.collect(*cond, first, &mut made_of) && made_of.len() <= MAX_CONDITION_TERMS
                {
                    made_of.iter().for_each(|made| decisions.deferred[*made] = true);
                    decisions.made_of.insert(*cond, made_of);
                }
            }
            op.bodies().for_each(|inner| self.body(inner, decisions));
        }
    }

    /// Whether a condition is made of comparisons only, in one body and for nobody else; notes them.
    fn collect(&self, cond: InstId, first: InstId, made_of: &mut Vec<InstId>) -> bool {
        let is_ours = self.uses[cond] == 1 && self.here[cond] == Some(first);
        if !is_ours || !self.uniformity.varies(cond) {
            return false;
        }
        let op = &self.kernel.insts[cond].op;
        let parts = if let Op::Binary { op: BinaryOp::And | BinaryOp::Or, lhs, rhs } = op {
            let is_bool = self.kernel.insts[cond].ty == Ty::Scalar(Scalar::Bool);
            is_bool && self.collect(*lhs, first, made_of) && self.collect(*rhs, first, made_of)
        } else if let Op::Unary { op: UnaryOp::Not, value } = op {
            self.collect(*value, first, made_of)
        } else {
            self.affinity.compares(cond)
        };
        made_of.push(cond);
        parts
    }
}
