//! Messages about unproved checks: the missing fact, and the help.
use super::{
    Cause, CheckFailure, Unproved,
    analyzer::CheckAnalyzer,
    atom::AtomKind,
    contract::{self, Premise},
    form::{AtomId, Form, Monomial},
};
use crate::{
    analysis::range::{self, Range},
    ir::{CompareOp, Fault, InstId, Op, ParamId, ParamKind, Scalar, UnaryOp, comparison_sign},
};

/// Maximum number of results that are replaced by what they are without wrapping.
const MAX_UNWRAPPED: usize = 16;

impl CheckAnalyzer<'_> {
    /// Describes an index that may be too large.
    pub(super) fn unproved_index(
        &mut self,
        index: InstId,
        len: InstId,
        goal: Option<&Form>,
    ) -> Unproved {
        let [index, len] =
            [index, len].map(|id| self.forms[id].as_ref().and_then(|f| self.spell_form(f)));
        let required = goal.and_then(|goal| self.spell_required(goal));
        let (message, guard) = match (index, len) {
            (Some(index), Some(len)) => (
                format!("nothing keeps `{index}` below `{len}`"),
                format!("add `if {index} < {len}`"),
            ),
            (None, Some(len)) => (
                format!("nothing keeps this index below `{len}`"),
                format!("add `if index < {len}`, with the index in a variable"),
            ),
            (_, None) => (
                "nothing keeps this index below the length".to_owned(),
                "compare the index with the length, in an `if` around this".to_owned(),
            ),
        };
        Unproved { message, help: with_required(guard, required) }
    }

    /// Describes a condition that may be false.
    pub(super) fn unproved_condition(
        &mut self,
        cond: InstId,
        truth: bool,
        what: CheckFailure,
    ) -> Unproved {
        let cond = self.unproved_part(cond, truth);
        // The operands of an overflow check mean nothing to the author of the sum.
        let text = self.spell_condition(cond, truth).filter(|_| !is_overflow(what));
        let required = self.condition_form(cond, truth).and_then(|goal| self.spell_required(&goal));
        match text {
            Some(text) => Unproved {
                message: format!("nothing proves `{text}`, so this may be {}", failure_noun(what)),
                help: with_required(format!("add `if {text}`"), required),
            },
            None => Unproved {
                message: format!("nothing proves that this is not {}", failure_noun(what)),
                help: with_required(
                    "check the operands in an `if` around this".to_owned(),
                    required,
                ),
            },
        }
    }

    /// Returns the condition that every launch would have to fulfil, as Rust.
    fn spell_required(&mut self, check: &Form) -> Option<String> {
        let mut wraps = Vec::new();
        let goal = self.unwrap_form(check, &mut wraps)?;
        for missing in self.known.missing_conditions(&self.atoms, &goal) {
            let before = self.known.mark();
            self.known.add_fact(&missing, Some(Cause::Requirement(self.kernel.requires.len())));
            let suffices = wraps.iter().all(|(form, limits)| self.is_within(form, *limits));
            self.known.forget_since(before);
            if suffices && self.is_needed(check, &missing) {
                return self.spell_missing(&missing);
            }
        }
        None
    }

    /// Returns true if no correct launch is found that `contract`, which is sufficient for `goal`,
    /// would reject.
    fn is_needed(&mut self, goal: &Form, contract: &Form) -> bool {
        let premise =
            |(form, cause)| Premise { form, is_check: matches!(cause, Some(Cause::Check(_))) };
        let premises: Vec<Premise<'_>> = self.known.facts().map(premise).collect();
        contract::is_needed(&self.atoms, &premises, goal, contract, &mut self.contract_work_left)
    }

    /// Returns a form as if nothing wrapped, and collects the results that must not wrap for that.
    pub(super) fn unwrap_form(&self, form: &Form, wraps: &mut Vec<(Form, Range)>) -> Option<Form> {
        let mut whole = form.clone();
        for atom in form.atoms() {
            if let AtomKind::Wrapped(scalar, inner) = self.atoms.kind(atom)
                && whole.atoms().any(|other| other == atom)
            {
                if wraps.len() >= MAX_UNWRAPPED {
                    return None;
                }
                let inner = self.unwrap_form(inner, wraps)?;
                whole = whole.substitute(atom, &inner)?;
                wraps.push((inner, range::scalar_limits(*scalar)?));
            }
        }
        Some(whole)
    }

    fn spell_missing(&self, missing: &Form) -> Option<String> {
        let (added, subtracted): (Vec<_>, Vec<_>) =
            missing.terms().iter().partition(|(_, coefficient)| *coefficient > 0);
        let rest = missing.constant_term();
        // One more than a number is written with `>`.
        let strict = rest == -1 && !subtracted.is_empty();
        let left = self.spell_sum(&added, rest.max(0))?;
        let right = self.spell_sum(&subtracted, if strict { 0 } else { (-rest).max(0) })?;
        Some(format!("{left} {} {right}", if strict { ">" } else { ">=" }))
    }

    /// Returns the form that is not negative exactly where `cond` is `truth`.
    pub(super) fn condition_form(&mut self, cond: InstId, truth: bool) -> Option<Form> {
        let op = &self.kernel.insts[cond].op;
        if let Op::Unary { op: UnaryOp::Not, value } = *op {
            return self.condition_form(value, !truth);
        }
        let Op::Compare { op, lhs, rhs } = *op else { return None };
        let op = if truth { op } else { range::negated_comparison(op) };
        let (lhs, rhs) = (self.forms[lhs].clone()?, self.forms[rhs].clone()?);
        match op {
            CompareOp::Lt => rhs.checked_sub(&lhs)?.checked_add_number(-1),
            CompareOp::Gt => lhs.checked_sub(&rhs)?.checked_add_number(-1),
            CompareOp::Le => rhs.checked_sub(&lhs),
            CompareOp::Ge => lhs.checked_sub(&rhs),
            // A number that is neither 0 nor negative is positive.
            CompareOp::Ne => {
                let difference = lhs.checked_sub(&rhs)?;
                let positive = self.implies(&difference);
                difference.checked_add_number(-1).filter(|_| positive)
            }
            CompareOp::Eq => None,
        }
    }

    /// Returns a condition as Rust, if it is a comparison.
    fn spell_condition(&self, cond: InstId, truth: bool) -> Option<String> {
        let op = &self.kernel.insts[cond].op;
        if let Op::Unary { op: UnaryOp::Not, value } = *op {
            return self.spell_condition(value, !truth);
        }
        let Op::Compare { op, lhs, rhs } = *op else { return None };
        let op = if truth { op } else { range::negated_comparison(op) };
        let [lhs, rhs] = [lhs, rhs].map(|id| self.spell_form(self.forms[id].as_ref()?));
        Some(format!("{} {} {}", lhs?, comparison_sign(op), rhs?))
    }

    /// Returns a form as Rust; `None` if an atom in it has no name.
    fn spell_form(&self, form: &Form) -> Option<String> {
        let (added, subtracted): (Vec<_>, Vec<_>) =
            form.terms().iter().partition(|(_, coefficient)| *coefficient > 0);
        if added.is_empty() && !subtracted.is_empty() {
            let left = form.constant_term().to_string();
            return Some(format!("{left} - {}", self.spell_operand(&subtracted)?));
        }
        let mut text = self.spell_sum(&added, form.constant_term().max(0))?;
        if !subtracted.is_empty() {
            text = format!("{text} - {}", self.spell_operand(&subtracted)?);
        }
        if form.constant_term() < 0 {
            text = format!("{text} - {}", -form.constant_term());
        }
        Some(text)
    }

    /// Returns a sum as an operand of a subtraction.
    fn spell_operand(&self, terms: &[(Monomial, i128)]) -> Option<String> {
        let sum = self.spell_sum(terms, 0)?;
        Some(if terms.len() > 1 { format!("({sum})") } else { sum })
    }

    /// Returns the sum of the terms with these coefficients, or their opposites, and of a number.
    fn spell_sum(&self, terms: &[(Monomial, i128)], number: i128) -> Option<String> {
        let products = terms.iter().rev().map(|(monomial, coefficient)| {
            let mut factors = Vec::new();
            if coefficient.abs() != 1 {
                factors.push(coefficient.abs().to_string());
            }
            let alone = coefficient.abs() == 1 && monomial.len() == 1;
            for atom in monomial.atoms() {
                let name = self.atom_name(atom)?;
                let is_word = alone || !name.contains(" + ") && !name.contains(" - ");
                factors.push(if is_word { name } else { format!("({name})") });
            }
            Some(factors.join(" * "))
        });
        let mut parts = products.collect::<Option<Vec<_>>>()?;
        if number != 0 || parts.is_empty() {
            parts.push(number.to_string());
        }
        Some(parts.join(" + "))
    }

    fn atom_name(&self, atom: AtomId) -> Option<String> {
        let kernel = self.kernel;
        match self.atoms.kind(atom) {
            AtomKind::Param(id) => {
                let name = &kernel.params[*id].name;
                Some(match self.param_type(*id)? {
                    Scalar::U64 => name.clone(),
                    _ => format!("{name} as usize"),
                })
            }
            AtomKind::Len(id) => Some(format!("{}.len()", kernel.params[*id].name)),
            AtomKind::Builtin(builtin) => Some(builtin.spell()),
            AtomKind::Generic(id) => Some(kernel.generics[*id].spell_value()),
            AtomKind::Inst(id) => {
                let Op::Get(local) = kernel.insts[*id].op else { return None };
                Some(kernel.locals[local].name.clone()).filter(|name| !name.is_empty())
            }
            AtomKind::Div(lhs, rhs) => {
                Some(format!("({}) / ({})", self.spell_form(lhs)?, self.spell_form(rhs)?))
            }
            AtomKind::Min(lhs, rhs) => {
                Some(format!("({}).min({})", self.spell_form(lhs)?, self.spell_form(rhs)?))
            }
            AtomKind::Max(lhs, rhs) => {
                Some(format!("({}).max({})", self.spell_form(lhs)?, self.spell_form(rhs)?))
            }
            AtomKind::Wrapped(Scalar::U64, form) => {
                match form.as_atom().map(|atom| self.atoms.kind(atom)) {
                    Some(AtomKind::Param(id)) => {
                        Some(format!("{} as usize", kernel.params[*id].name))
                    }
                    Some(_) | None => self.spell_form(form),
                }
            }
            AtomKind::Wrapped(_, form) => self.spell_form(form),
            AtomKind::Count(_) => None,
        }
    }

    /// Returns the type of a scalar parameter.
    pub(super) fn param_type(&self, id: ParamId) -> Option<Scalar> {
        match self.kernel.params.get(id)?.kind {
            ParamKind::Scalar(scalar) => Some(scalar),
            ParamKind::Slice { .. } => None,
        }
    }
}

const fn is_overflow(what: CheckFailure) -> bool {
    match what {
        CheckFailure::Slice | CheckFailure::Panic => false,
        CheckFailure::Fault(fault) => match fault {
            Fault::DivideOverflow
            | Fault::RemainderOverflow
            | Fault::NegateOverflow
            | Fault::AddOverflow
            | Fault::SubtractOverflow
            | Fault::MultiplyOverflow
            | Fault::ShiftLeftOverflow
            | Fault::ShiftRightOverflow => true,
            Fault::IndexOutOfBounds
            | Fault::DivideByZero
            | Fault::RemainderByZero
            | Fault::StepByZero
            | Fault::ClampBounds
            | Fault::NegativeSquareRoot
            | Fault::NonPositiveLogarithm
            | Fault::Panic => false,
        },
    }
}

fn with_required(guard: String, required: Option<String>) -> String {
    match required {
        Some(required) => format!("{guard} or `#[kernel(requires({required}))]`"),
        None => guard,
    }
}

/// Returns the noun for the end of a thread.
const fn failure_noun(what: CheckFailure) -> &'static str {
    let fault = match what {
        CheckFailure::Fault(fault) => fault,
        CheckFailure::Slice => return "a part of a slice that is not there",
        CheckFailure::Panic => Fault::Panic,
    };
    match fault {
        Fault::IndexOutOfBounds => "an index out of bounds",
        Fault::DivideByZero => "a division by zero",
        Fault::RemainderByZero => "a remainder by zero",
        Fault::DivideOverflow | Fault::RemainderOverflow => "a division that overflows",
        Fault::NegateOverflow => "a negation that overflows",
        Fault::AddOverflow => "an addition that overflows",
        Fault::SubtractOverflow => "a subtraction that overflows",
        Fault::MultiplyOverflow => "a multiplication that overflows",
        Fault::ShiftLeftOverflow | Fault::ShiftRightOverflow => "a shift that overflows",
        Fault::StepByZero => "a step by zero",
        Fault::ClampBounds => "a `clamp` between bounds that are no range",
        Fault::NegativeSquareRoot => "an `isqrt` of a negative number",
        Fault::NonPositiveLogarithm => "a logarithm of a number that is not positive",
        Fault::Panic => "a panic",
    }
}
