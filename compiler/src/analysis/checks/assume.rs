//! Conditions that launches can be expected to fulfil, for the checks without a proof.
//!
//! Where a check has no proof, a condition on the launch often proves it: `x[row * width + column]`
//! is in bounds if the slice has `height * width` elements, for guards `row < height` and `column <
//! width`. The condition is what is left of the check when each number that differs between threads
//! is replaced by its bound: by the one of a guard or a loop, which some thread reaches, rather than
//! by that of its type. So correct launches fulfil it, stated or not. It is recorded, and the checks
//! behind it are judged as if the kernel required it.
use super::{
    Cause,
    analyzer::{CheckAnalyzer, MAX_CONDITION_DEPTH},
    atom::{AtomKind, Atoms},
    facts::Fact,
    form::{AtomId, Form, Monomial},
};
use crate::{
    analysis::range::Range,
    contract::{Condition, LaunchNumber, Term},
    ir::{BinaryOp, Builtin, CompareOp, InstId, Op, Scalar, UnaryOp},
};

/// Maximum number of conditions, all of which every launch evaluates.
const MAX_CONDITIONS: usize = 12;
/// The work limit for all conditions of a kernel, in facts that are tried.
pub(super) const MAX_ASSUME_WORK: usize = 1_000_000;
/// Maximum number of numbers that are replaced by bounds.
const MAX_BOUNDS: usize = 16;
/// Maximum nesting of case distinctions.
const MAX_CASES: usize = 3;
/// The largest index of a thread that is taken for a bound that some thread reaches.
const MAX_REACHED: i128 = 1 << 16;
/// The numbers that data is expected to reach.
const REACHED_BY_DATA: [i128; 2] = [u8::MAX as i128, u16::MAX as i128];

/// A condition that is assumed.
pub(super) struct AssumedCondition {
    /// Not negative in launches that fulfil it.
    form: Form,
    condition: Condition,
}

/// A bound of a check that the launch determines.
struct Bound {
    form: Form,
    /// The conditions under which it is one.
    multiples: Vec<Multiple>,
}

/// The condition that an end of a loop is a multiple of its step.
struct Multiple {
    of: Form,
    divisor: i64,
    /// The bound of the loop's counter, not negative then.
    fact: Form,
}

/// The varying terms of what a fact leaves; true unless the fact is of a guard or a loop; the size
/// of what it leaves.
type Rank = (usize, bool, usize);

impl AssumedCondition {
    /// Returns true if launches that fulfil this fulfil `other`.
    fn implies(&self, other: &Self, atoms: &Atoms) -> bool {
        match (&self.condition, &other.condition) {
            (Condition::AtLeastZero(_), Condition::AtLeastZero(_)) => {
                is_implied(atoms, &other.form, &self.form)
            }
            _ => self.condition == other.condition,
        }
    }
}

impl CheckAnalyzer<'_> {
    /// Returns the conditions under which more checks cannot fail.
    pub(super) fn find_contract(mut self) -> Vec<Condition> {
        self.visit_kernel();
        self.assumed.into_iter().map(|assumed| assumed.condition).collect()
    }

    /// Assumes conditions under which `cond` is `truth`.
    pub(super) fn assume_for_condition(&mut self, cond: InstId, truth: bool, parts: u32) {
        let Some(parts) = parts.checked_sub(1) else { return };
        match self.kernel.insts[cond].op {
            Op::Unary { op: UnaryOp::Not, value } => {
                self.assume_for_condition(value, !truth, parts)
            }
            Op::Binary { op, lhs, rhs }
                if op == if truth { BinaryOp::And } else { BinaryOp::Or } =>
            {
                self.assume_for_condition(lhs, truth, parts);
                self.assume_for_condition(rhs, truth, parts);
            }
            _ => {
                if self.prove_condition(cond, truth, MAX_CONDITION_DEPTH).is_none()
                    && let Some(goal) = self.condition_form(cond, truth)
                {
                    self.assume_for(&goal);
                }
            }
        }
    }

    /// Assumes the condition on the launch that makes `goal` not negative. Returns false if there
    /// is none.
    pub(super) fn assume_for(&mut self, goal: &Form) -> bool {
        let Some(bound) = self.launch_bound(goal) else { return false };
        let Some(added) = self.conditions_of(bound) else { return false };
        for new in added {
            let is_known = |old: &AssumedCondition| old.implies(&new, &self.atoms);
            if !self.assumed.iter().any(is_known) {
                self.assumed.retain(|old| !new.implies(old, &self.atoms));
                if self.assumed.len() < MAX_CONDITIONS {
                    self.assumed.push(new);
                }
            }
        }
        self.known.add_fact(goal, Some(self.assumption()));
        true
    }

    /// Returns the cause of what is assumed: a requirement behind those of the kernel.
    fn assumption(&self) -> Cause {
        Cause::Requirement(self.kernel.requires.len())
    }

    /// Returns the conditions of a bound; `None` if launches cannot be expected to fulfil them.
    fn conditions_of(&self, Bound { form, multiples }: Bound) -> Option<Vec<AssumedCondition>> {
        if self.atoms.bounds(&form).0.is_some_and(|least| least >= 0) {
            return Some(Vec::new());
        }
        let condition = Condition::AtLeastZero(self.terms_of(&form)?);
        if !condition.is_plausible() {
            return None;
        }
        let mut conditions = vec![AssumedCondition { form, condition }];
        for Multiple { of, divisor, fact } in multiples {
            let condition = Condition::Multiple { terms: self.terms_of(&of)?, of: divisor };
            conditions.push(AssumedCondition { form: fact, condition });
        }
        Some(conditions)
    }

    /// Assumes that an integer that a launch determines does not wrap: `width - 1` in a launch with
    /// `width >= 1`.
    pub(super) fn assume_exact(&mut self, form: &Form, limits: Range) -> bool {
        if !self.may_assume() || !self.atoms.is_launch_constant(form) {
            return false;
        }
        let least = form.checked_add_number(-limits.min);
        least.is_some_and(|least| self.assume_for(&least)) && self.is_within(form, limits)
    }

    /// Adds the consequences of a comparison for results that do not wrap, where they have names of
    /// their own: `column` is below `width + 3` where `column - 3 < width` and `column >= 3`.
    pub(super) fn assume_unwrapped(&mut self, op: CompareOp, sides: [&Form; 2], cause: Cause) {
        if !self.may_assume() {
            return;
        }
        let mut wraps = Vec::new();
        let [lhs, rhs] = sides.map(|side| self.unwrap_form(side, &mut wraps));
        if let Some((lhs, rhs)) = lhs.zip(rhs)
            && !wraps.is_empty()
            && wraps.iter().all(|(form, limits)| self.is_within(form, *limits))
        {
            self.assume_compare(op, &lhs, &rhs, cause);
        }
    }

    /// Returns a form that is made of numbers of the launch and is at most `goal`.
    fn launch_bound(&mut self, goal: &Form) -> Option<Bound> {
        let mut multiples = Vec::new();
        let form = self.bound_in_cases(goal, MAX_CASES, &mut multiples)?;
        Some(Bound { form: self.unwrap_sizes(form)?, multiples })
    }

    /// Returns a form that the launch determines and that is at most `goal`, with up to `cases`
    /// case distinctions, if some ends of loops are multiples of their steps.
    fn bound_in_cases(
        &mut self,
        goal: &Form,
        cases: usize,
        multiples: &mut Vec<Multiple>,
    ) -> Option<Form> {
        let mut goal = goal.normalized();
        for _ in 0..MAX_BOUNDS {
            if self.atoms.is_launch_constant(&goal) {
                return Some(goal);
            }
            let subtracted = self.varying_terms(&goal).filter(|term| term.1 < 0);
            let largest = subtracted.max_by_key(|(monomial, _)| (monomial.len(), *monomial));
            goal = match largest {
                Some((monomial, factor)) => {
                    let removed = self.remove_by_fact(&goal, monomial, factor, multiples);
                    match removed.or_else(|| self.unwrap_factor(&goal, monomial)) {
                        Some(rest) => rest,
                        None if cases > 0 && self.cases_in_product(monomial).is_some() => {
                            return self.bound_by_cases(&goal, monomial, cases, multiples);
                        }
                        None => self.remove_by_range(&goal, monomial)?.normalized(),
                    }
                }
                None => {
                    let (monomial, factor) = self.varying_terms(&goal).next()?;
                    let least = self.atoms.product_range(monomial).map(|range| range.min)?;
                    let rest = Form::from(monomial).checked_add_number(-least)?;
                    goal.checked_add_scaled(-factor, &rest)?
                }
            };
        }
        None
    }

    /// Replaces a factor of `monomial` that may have wrapped by what it is without that.
    fn unwrap_factor(&self, goal: &Form, monomial: Monomial) -> Option<Form> {
        let is_varying = |(_, inner): &(AtomId, &Form)| !self.atoms.is_launch_constant(inner);
        let (atom, inner) =
            monomial.atoms().filter_map(|atom| self.unwrapped(atom)).find(is_varying)?;
        goal.substitute(atom, inner)
    }

    /// Replaces the products of sizes in `form` that may have wrapped by what they are without that.
    fn unwrap_sizes(&self, mut form: Form) -> Option<Form> {
        loop {
            // Each is replaced once: what it is computed of is older.
            let all = form.atoms().filter_map(|atom| self.unwrapped(atom));
            let found = all.max_by_key(|(atom, _)| *atom);
            let Some((atom, inner)) = found else { return Some(form) };
            form = form.substitute(atom, inner)?;
        }
    }

    /// Returns what a result that may have wrapped is without that; not of a parameter in another
    /// type.
    fn unwrapped(&self, atom: AtomId) -> Option<(AtomId, &Form)> {
        match self.atoms.kind(atom) {
            AtomKind::Wrapped(_, inner) if self.launch_number(atom).is_none() => {
                Some((atom, inner))
            }
            _ => None,
        }
    }

    /// Subtracts a fact from `goal` that removes `factor * monomial`, which is subtracted there: the
    /// one that leaves the least, and one of a guard or a loop rather than another.
    fn remove_by_fact(
        &self,
        goal: &Form,
        monomial: Monomial,
        factor: i128,
        multiples: &mut Vec<Multiple>,
    ) -> Option<Form> {
        let mut best: Option<(Rank, Form, Option<Multiple>)> = None;
        let mut last = None;
        for atom in monomial.atoms() {
            if last.replace(atom) == Some(atom) {
                continue;
            }
            for &index in self.known.facts_mentioning(atom) {
                self.assume_work_left.set(self.assume_work_left.get().checked_sub(1)?);
                let fact = self.known.fact(index);
                for &(part, of_part) in fact.form.terms() {
                    // Each part is found once: by its first atom.
                    let is_removed = part.first() == Some(atom) && of_part < 0;
                    let by = monomial.checked_div(part).filter(|_| is_removed);
                    let by = by.filter(|by| !self.atoms.is_negative(*by));
                    let Some(by) = by.filter(|_| self.is_reached_bound(fact, part)) else {
                        continue;
                    };
                    let subtract = |fact: &Form| subtract_fact(goal, fact, (monomial, factor), by);
                    let Some(mut rest) = subtract(&fact.form) else { continue };
                    let mut multiple = None;
                    // With what is left, the index would be beyond the end of the loop.
                    if (self.count_subtracted(&rest) > 0 || rest.constant_term() < 0)
                        && let Some(found) = self.multiple_of_step(&fact.form, part)
                        && let Some(tight) = subtract(&found.fact)
                    {
                        (rest, multiple) = (tight, Some(found));
                    }
                    let rank = self.rank(&rest, fact);
                    if best.as_ref().is_none_or(|(known, ..)| rank < *known) {
                        best = Some((rank, rest, multiple));
                    }
                }
            }
        }
        let (_, rest, multiple) = best?;
        if self.count_subtracted(&rest) > self.count_subtracted(goal) {
            return None;
        }
        multiples.extend(multiple);
        Some(rest)
    }

    /// Returns true if a thread of a correct launch can be expected to reach the bound of `part`
    /// that a fact is.
    fn is_reached_bound(&self, fact: &Fact, part: Monomial) -> bool {
        let is_quotient = |atom| matches!(self.atoms.kind(atom), AtomKind::Div(..));
        let is_grid =
            |atom| matches!(self.atoms.kind(atom), AtomKind::Builtin(Builtin::GridDim(_)));
        let is_check =
            fact.cause == Some(self.assumption()) || matches!(fact.cause, Some(Cause::Check(_)));
        // What is divided has a closer bound, which its quotient lacks.
        let is_loose = part.atoms().any(is_quotient) && fact.form.atoms().any(is_grid);
        !is_check && !is_loose && !self.atoms.is_product_launch_constant(part)
    }

    fn rank(&self, rest: &Form, fact: &Fact) -> Rank {
        let size = rest.terms().iter().map(|(monomial, _)| monomial.len()).sum();
        let is_guard = matches!(fact.cause, Some(Cause::Guard(..) | Cause::Loop(_)));
        (self.varying_terms(rest).count(), !is_guard, size)
    }

    /// Returns the number of terms that are subtracted and differ between threads.
    fn count_subtracted(&self, form: &Form) -> usize {
        self.varying_terms(form).filter(|term| term.1 < 0).count()
    }

    /// Iterates over the terms that differ between threads.
    fn varying_terms(&self, form: &Form) -> impl Iterator<Item = (Monomial, i128)> {
        let is_varying = |term: &(Monomial, i128)| !self.atoms.is_product_launch_constant(term.0);
        form.terms().iter().copied().filter(is_varying)
    }

    /// Returns the tighter bound of the counter `part` of a loop that takes steps of several numbers
    /// from 0 to an end that is a multiple of the step: `end - step` instead of `end - 1`.
    fn multiple_of_step(&self, fact: &Form, part: Monomial) -> Option<Multiple> {
        let counter = part.first().filter(|_| part.len() == 1)?;
        if !matches!(self.atoms.kind(counter), AtomKind::Count(_)) {
            return None;
        }
        let step = -fact.coefficient(part);
        let of = fact.checked_add_scaled(step, &Form::atom(counter))?.checked_add_number(1)?;
        if step < 2 || of.as_number().is_some() || !self.atoms.is_launch_constant(&of) {
            return None;
        }
        let fact = fact.checked_add_number(1 - step)?;
        Some(Multiple { of, divisor: i64::try_from(step).ok()?, fact })
    }

    /// Replaces a factor of `monomial`, which is subtracted in `goal`, by the largest number that it
    /// can be, if that is small and some thread has it.
    fn remove_by_range(&self, goal: &Form, monomial: Monomial) -> Option<Form> {
        let is_reached = |atom: &AtomId| match self.atoms.kind(*atom) {
            AtomKind::Builtin(builtin) => {
                !builtin.is_known_at_launch() && self.atoms.range(*atom).max <= MAX_REACHED
            }
            // A byte, or two, from memory is the index of a table with an element for each.
            AtomKind::Inst(_) => {
                monomial == Monomial::atom(*atom)
                    && goal.coefficient(monomial) == -1
                    && REACHED_BY_DATA.contains(&self.atoms.range(*atom).max)
            }
            _ => false,
        };
        let atom = monomial.atoms().find(is_reached)?;
        let by = monomial.checked_div(Monomial::atom(atom))?;
        let most = Form::constant(self.atoms.range(atom).max);
        let rest = most.checked_sub(&Form::atom(atom))?.checked_mul_product(by)?;
        (!self.atoms.is_negative(by)).then_some(())?;
        goal.checked_add_scaled(goal.coefficient(monomial), &rest)
    }

    /// Bounds `goal` in each case of a number in `monomial`.
    fn bound_by_cases(
        &mut self,
        goal: &Form,
        monomial: Monomial,
        cases: usize,
        multiples: &mut Vec<Multiple>,
    ) -> Option<Form> {
        let (atom, values) = self.cases_in_product(monomial)?;
        let mut least: Option<Form> = None;
        for case in &*values {
            let bound = self.scoped(|walk| {
                for (form, cause) in &case.facts {
                    walk.known.add_fact(form, *cause);
                }
                walk.bound_in_cases(&goal.substitute(atom, &case.value)?, cases - 1, multiples)
            })?;
            least = Some(match least {
                Some(least) if is_implied(&self.atoms, &bound, &least) => least,
                Some(least) if !is_implied(&self.atoms, &least, &bound) => return None,
                Some(_) | None => bound,
            });
        }
        least
    }

    /// Returns the terms of a form that is made of numbers of the launch.
    fn terms_of(&self, form: &Form) -> Option<Vec<Term>> {
        let mut terms = Vec::new();
        for &(product, factor) in form.terms() {
            let numbers = product.atoms().map(|atom| self.launch_number(atom));
            let numbers = numbers.collect::<Option<_>>()?;
            terms.push(Term { factor: i64::try_from(factor).ok()?, numbers });
        }
        if form.constant_term() != 0 {
            let factor = i64::try_from(form.constant_term()).ok()?;
            terms.push(Term { factor, numbers: Vec::new() });
        }
        Some(terms)
    }

    /// Returns an atom as a number of the launch; `None` if it is none, or may be negative.
    fn launch_number(&self, atom: AtomId) -> Option<LaunchNumber> {
        if self.atoms.range(atom).min < 0 {
            return None;
        }
        match self.atoms.kind(atom) {
            AtomKind::Param(id) | AtomKind::Len(id) => Some(LaunchNumber::Argument(*id)),
            AtomKind::Div(of, by) => self.launch_quotient(of, by),
            AtomKind::Builtin(Builtin::BlockDim(axis)) => Some(LaunchNumber::BlockDim(*axis)),
            AtomKind::Builtin(Builtin::GridDim(axis)) => Some(LaunchNumber::GridDim(*axis)),
            // A signed parameter as `usize`, which is the same number if it is not negative.
            AtomKind::Wrapped(Scalar::U64, form) => match self.atoms.kind(form.as_atom()?) {
                AtomKind::Param(id) => Some(LaunchNumber::Argument(*id)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the quotient of an argument plus a number and a number.
    fn launch_quotient(&self, of: &Form, by: &Form) -> Option<LaunchNumber> {
        let plus = u32::try_from(of.constant_term()).ok()?;
        let argument = of.checked_add_number(-i128::from(plus))?.as_atom()?;
        let LaunchNumber::Argument(of) = self.launch_number(argument)? else { return None };
        let by = by.as_number().and_then(|by| u32::try_from(by).ok()).filter(|by| *by > 0)?;
        Some(LaunchNumber::Quotient { of, plus, by })
    }
}

/// Returns true if `form` is not negative wherever `other` is not.
fn is_implied(atoms: &Atoms, form: &Form, other: &Form) -> bool {
    let rest = form.checked_sub(other);
    rest.is_some_and(|rest| atoms.bounds(&rest).0.is_some_and(|least| least >= 0))
}

/// Subtracts a multiple of `by * fact` from `goal`, so that a term of it is removed.
fn subtract_fact(
    goal: &Form,
    fact: &Form,
    (monomial, factor): (Monomial, i128),
    by: Monomial,
) -> Option<Form> {
    let fact = fact.checked_mul_product(by)?;
    let of_fact = fact.coefficient(monomial);
    (of_fact != 0 && factor % of_fact == 0).then_some(())?;
    Some(goal.checked_add_scaled(-(factor / of_fact), &fact)?.normalized())
}

#[cfg(test)]
mod tests {
    use crate::{analysis::checks::find_contract, ir::Kernel};
    use std::fmt::Write as _;

    fn conditions(text: &str) -> usize {
        find_contract(&text.parse::<Kernel>().unwrap_or_else(|error| panic!("{error}"))).len()
    }

    /// The guard raises the degree of the product that the range of the lane lowers.
    #[test]
    fn bounds_that_undo_each_other_end() {
        let text = "kernel k {
            param arg0 = x: read [u32]
            param arg1 = y: write [u32]
            array #0 = table: [u32; 64]
            %0 = builtin lane_id : u64
            %1 = param arg0 : ptr global
            %2 = load %1 : u32
            %3 = cast %2 : u64
            %4 = mul %0, %3 : u64
            %5 = le %3, %4 : bool
            %6 = if %5 {
              %7 = const 64 : u64
              %8 = bounds %4, %7 : u64
            }
        }";
        assert_eq!(conditions(text), 0);
    }

    /// Each number is the sum of the two before, which may wrap.
    #[test]
    fn sums_of_sums_are_unwrapped_within_limits() {
        for (first, expected) in [("load %0", 1), ("param arg2", 0)] {
            let mut text = format!(
                "kernel k {{
                param arg0 = x: read [u32]
                param arg1 = y: write [u32]
                param arg2 = first: u32
                param arg3 = n: u32
                %0 = param arg0 : ptr global
                %1 = {first} : u32
                %2 = {first} : u32\n"
            );
            for id in 3..63 {
                writeln!(text, "%{id} = add %{}, %{} : u32", id - 1, id - 2).unwrap();
            }
            text += "%63 = param arg3 : u32
                %64 = lt %62, %63 : bool
                %65 = if %64 {
                  %66 = cast %62 : u64
                  %67 = len arg1 : u64
                  %68 = bounds %66, %67 : u64
                }
            }";
            assert_eq!(conditions(&text), expected, "{first}");
        }
    }
}
