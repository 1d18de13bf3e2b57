//! Conditions that may be decided for all lanes at once.
use super::{Done, Emitter, Label};
use crate::bytecode::{Instr, Malformed, Term};
use warpwise_compiler::ir::{BinaryOp, InstId, Op};

impl Emitter<'_> {
    /// Emits the condition of an `if`, and its decision before it: if that is the same for all
    /// lanes, execution continues at `then` with all lanes, or with none.
    pub(super) fn emit_if_decision(
        &mut self,
        cond: InstId,
        [then, other, join]: [Label; 3],
    ) -> Done {
        self.emit_decision(cond, |decision| Instr::DecideIf { decision, then, other, join })
    }

    /// Emits the condition of leaving lanes, and its decision before it: if no lane leaves, because
    /// it is `stay` for all, execution continues at `after`.
    pub(super) fn emit_leave_decision(&mut self, cond: InstId, stay: bool, after: Label) -> Done {
        self.emit_decision(cond, |decision| Instr::DecideLeave { decision, stay, after })
    }

    fn emit_decision(&mut self, cond: InstId, instr: impl FnOnce(u32) -> Instr) -> Done {
        let decisions = self.decisions;
        let Some(terms) = decisions.terms(cond) else { return Ok(()) };
        let decision = self.code.decisions.len() as u32;
        self.emit(instr(decision));
        self.code.decisions.push(Box::default());
        terms.iter().try_for_each(|term| self.emit_computation(*term))?;
        let terms = terms.iter().map(|term| self.term(terms, *term));
        self.code.decisions[decision as usize] = terms.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Returns an instruction as a term of the condition with these terms.
    fn term(&self, terms: &[InstId], id: InstId) -> Result<Term, Malformed> {
        let missing = || self.malformed("a condition that is made of something else");
        let place = |operand: InstId| {
            let at = terms.iter().position(|term| *term == operand);
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

    /// Emits a comparison, and its decision before it: if it is true for all lanes, so that none
    /// leaves, execution continues at `after`.
    pub(super) fn emit_stay_decision(&mut self, compare: u32, after: Label) {
        let decision = self.code.decisions.len() as u32;
        self.emit(Instr::DecideLeave { decision, stay: true, after });
        self.code.decisions.push([Term::Compare(compare)].into());
        self.emit(Instr::Compare { compare });
    }
}
