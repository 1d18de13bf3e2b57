//! Branch conditions that are affine in the lane index: comparisons of affine values, and `and`,
//! `or` and `not` of them.
//!
//! Such a condition is mostly the same for all lanes, and the least and the greatest of the
//! compared values prove that without evaluating any lane. Only where they do not, it is computed
//! lane by lane, right before the branch.
use super::{affine::Affinity, uniformity::Uniformity};
use crate::{bytecode::MAX_CONDITION_TERMS, translate::Instrumentation};
use std::collections::HashMap;
use warpwise_compiler::{
    id::Facts,
    ir::{BinaryOp, Body, InstId, Kernel, Op, Scalar, Ty, UnaryOp},
};

/// The conditions that may be decided for all lanes at once.
pub(super) struct Decisions {
    /// Per condition, the instructions that compute it, itself last, operands before their uses.
    terms: HashMap<InstId, Vec<InstId>>,
    deferred: Facts<InstId, bool>,
}

impl Decisions {
    /// Finds the conditions of a kernel.
    pub(super) fn analyze(
        kernel: &Kernel,
        uniformity: &Uniformity,
        affinity: &Affinity,
        instrumentation: Instrumentation,
    ) -> Self {
        let deferred = kernel.insts.facts(false);
        let mut decisions = Self { terms: HashMap::new(), deferred };
        // The debugger needs each value where it is computed.
        match instrumentation {
            Instrumentation::None | Instrumentation::Counters(_) | Instrumentation::Sanitizer => {}
            Instrumentation::Debugger => return decisions,
        }
        let mut uses = kernel.insts.facts(0_u32);
        for (_, inst) in kernel.insts.iter() {
            inst.op.operands().for_each(|operand| uses[operand] += 1);
        }
        let body_of = kernel.insts.facts(None);
        let mut search = Search { kernel, uniformity, affinity, uses, body_of };
        search.visit_body(&kernel.body, &mut decisions);
        decisions
    }

    /// Returns true if an instruction is computed at the branch that uses it.
    pub(super) fn is_deferred(&self, id: InstId) -> bool {
        self.deferred[id]
    }

    /// Returns the instructions that compute a condition, if it may be decided for all lanes at
    /// once.
    pub(super) fn terms(&self, cond: InstId) -> Option<&[InstId]> {
        self.terms.get(&cond).map(Vec::as_slice)
    }
}

struct Search<'k> {
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    affinity: &'k Affinity,
    uses: Facts<InstId, u32>,
    /// Per instruction seen so far, the first instruction of its body.
    body_of: Facts<InstId, Option<InstId>>,
}

impl Search<'_> {
    fn visit_body(&mut self, body: &Body, decisions: &mut Decisions) {
        let Some(&first) = body.0.first() else { return };
        for &id in &body.0 {
            self.body_of[id] = Some(first);
            let op = &self.kernel.insts[id].op;
            if let Op::If { cond, .. } = op {
                let mut terms = Vec::new();
                if self.collect_terms(*cond, first, &mut terms)
                    && terms.len() <= MAX_CONDITION_TERMS
                {
                    terms.iter().for_each(|term| decisions.deferred[*term] = true);
                    decisions.terms.insert(*cond, terms);
                }
            }
            op.bodies().for_each(|inner| self.visit_body(inner, decisions));
        }
    }

    /// Returns true if a condition consists of comparisons only, all in the body that begins with
    /// `first` and without other uses; collects them.
    fn collect_terms(&self, cond: InstId, first: InstId, terms: &mut Vec<InstId>) -> bool {
        let is_ours = self.uses[cond] == 1 && self.body_of[cond] == Some(first);
        if !is_ours || !self.uniformity.varies(cond) {
            return false;
        }
        let op = &self.kernel.insts[cond].op;
        let parts = if let Op::Binary { op: BinaryOp::And | BinaryOp::Or, lhs, rhs } = op {
            let is_bool = self.kernel.insts[cond].ty == Ty::Scalar(Scalar::Bool);
            is_bool
                && self.collect_terms(*lhs, first, terms)
                && self.collect_terms(*rhs, first, terms)
        } else if let Op::Unary { op: UnaryOp::Not, value } = op {
            self.collect_terms(*value, first, terms)
        } else {
            self.affinity.is_affine_compare(cond)
        };
        terms.push(cond);
        parts
    }
}
