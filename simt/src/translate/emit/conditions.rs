//! Conditions that may be known for all lanes without looking at any.
use super::{Done, Emitter, Label};
use crate::bytecode::{Instr, Malformed, Term};
use warpwise_compiler::ir::{BinaryOp, InstId, Op};

impl Emitter<'_> {
    /// Computes the condition of an `if`, unless it is known; then goes on at `then` with all lanes, or with none.
    pub(super) fn decide_if(&mut self, cond: InstId, [then, other, join]: [Label; 3]) -> Done {
        self.decide(cond, |decision| Instr::DecideIf { decision, then, other, join })
    }

    /// Computes the condition by which lanes leave, unless it is known that none does, as it is `stay`; then goes on
    /// at `behind`.
    pub(super) fn decide_leave(&mut self, cond: InstId, stay: bool, behind: Label) -> Done {
        self.decide(cond, |decision| Instr::DecideLeave { decision, stay, behind })
    }

    fn decide(&mut self, cond: InstId, step: impl FnOnce(u32) -> Instr) -> Done {
        let decisions = self.decisions;
        let Some(made_of) = decisions.terms(cond) else { return Ok(()) };
        let decision = self.code.decisions.len() as u32;
        self.step(step(decision));
        self.code.decisions.push(Box::default());
        made_of.iter().try_for_each(|made| self.compute(*made))?;
        let terms = made_of.iter().map(|made| self.term(made_of, *made));
        self.code.decisions[decision as usize] = terms.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// An instruction, as a part of a condition that is made of these.
    fn term(&self, made_of: &[InstId], id: InstId) -> Result<Term, Malformed> {
        let missing = || self.malformed("a condition that is made of something else");
        let place = |operand: InstId| {
            let at = made_of.iter().position(|made| *made == operand);
            at.and_then(|at| u8::try_from(at).ok()).ok_or_else(missing)
        };
        let op = &self.kernel.insts[id].op;
        if let Some(compare) = self.compared.get(&id) {
            Ok(Term::Compare(*compare))
        } else if let Op::Binary { op, lhs, rhs } = op {
            let (lhs, rhs) = (place(*lhs)?, place(*rhs)?);
            Ok(if *op == BinaryOp::And { Term::Both(lhs, rhs) } else { Term::Either(lhs, rhs) })
        } else if let Op::Unary { value, .. } = op {
            Ok(Term::Not(place(*value)?))
        } else {
            Err(missing())
        }
    }

    /// Goes on at `behind` if no lane leaves by this comparison, as it is true for all; computes it if not.
    pub(super) fn stay_by(&mut self, compare: u32, behind: Label) {
        let decision = self.code.decisions.len() as u32;
        self.step(Instr::DecideLeave { decision, stay: true, behind });
        self.code.decisions.push([Term::Compare(compare)].into());
        self.step(Instr::Compare { compare });
    }
}
