//! Counterexamples: numbers that satisfy all facts, and refute any goal that is negative for them.
//!
//! Most goals have no proof, and a search for one is exhaustive. A goal that is negative in an
//! example cannot be proved, and neither can the intermediate goals of the search: each is the goal
//! times a positive number, minus a number that is not negative there.
//!
//! ```text
//! known         len - 1 - i >= 0
//! to prove      len - 2 - i >= 0
//! example       i = 0, len = 1: the goal is -1, and there is no proof
//! ```
use super::{
    atom::Atoms,
    facts::Fact,
    form::{AtomId, Form, Monomial},
};
use crate::id::Id as _;

/// Maximum number of passes over the facts to repair violated ones.
const MAX_REPAIR_PASSES: usize = 4;
/// Numbers up to this can be multiplied in an `i128`.
const MAX_FACTOR: i128 = 1 << 62;

/// The start values of examples within the range of each number: the largest that can be
/// multiplied, a medium one, and the smallest.
const START_VALUES: [fn(i128, i128) -> i128; 4] = [
    |_, max| max,
    |min, max| max.min(MAX_FACTOR).max(min),
    |min, max| max.min(1 << 12).max(min),
    |min, _| min,
];

/// Examples of the known facts, as far as they are found.
#[derive(Clone, Debug)]
pub(super) struct Examples([Option<Example>; 4]);

impl Default for Examples {
    /// Returns examples of no facts.
    fn default() -> Self {
        Self(START_VALUES.map(|choose| Some(Example { numbers: Vec::new(), choose })))
    }
}

impl Examples {
    /// Makes all `facts` hold, the first `hold` of which already do.
    pub(super) fn extend_all(&mut self, atoms: &Atoms, facts: &[Fact], hold: usize) {
        for example in &mut self.0 {
            *example = example
                .take()
                .and_then(|example| example.with_new_atoms(atoms)?.repaired(atoms, facts, hold));
        }
    }

    /// Returns true if `form` is negative in an example.
    pub(super) fn refutes_any(&self, form: &Form) -> bool {
        self.0.iter().flatten().any(|example| example.refutes(form))
    }
}

/// A number for each atom, by atom number.
#[derive(Clone, Debug)]
struct Example {
    numbers: Vec<i128>,
    /// Chooses the start value within a range.
    choose: fn(i128, i128) -> i128,
}

impl Example {
    /// Makes all `facts` hold, the first `hold` of which already do, by moving numbers.
    fn repaired(mut self, atoms: &Atoms, facts: &[Fact], hold: usize) -> Option<Self> {
        let mut from = hold;
        for _ in 0..MAX_REPAIR_PASSES {
            let mut holds = true;
            for fact in &facts[from..] {
                let value = self.eval_form(&fact.form)?;
                if value < 0 {
                    holds = false;
                    self.repair(atoms, &fact.form, value)?;
                }
            }
            if holds {
                return Some(self);
            }
            from = 0;
        }
        None
    }

    /// Adds numbers for new atoms, which no fact mentions yet; `None` if the range of one is empty.
    fn with_new_atoms(mut self, atoms: &Atoms) -> Option<Self> {
        while self.numbers.len() < atoms.len() {
            let range = atoms.range(AtomId::new(self.numbers.len()));
            if range.is_empty() {
                return None;
            }
            self.numbers.push((self.choose)(range.min, range.max));
        }
        Some(self)
    }

    /// Returns true if `form` is negative in the example.
    fn refutes(&self, form: &Form) -> bool {
        self.eval_form(form).is_some_and(|value| value < 0)
    }

    /// Returns the value of a form; `None` if it does not fit.
    fn eval_form(&self, form: &Form) -> Option<i128> {
        let mut sum = form.constant_term();
        for &(monomial, coefficient) in form.terms() {
            sum = sum.checked_add(self.eval_product(monomial)?.checked_mul(coefficient)?)?;
        }
        Some(sum)
    }

    fn eval_product(&self, monomial: Monomial) -> Option<i128> {
        let (mut product, mut rest) = (1_i128, monomial);
        while let Some((atom, others)) = rest.split_first() {
            product = product.checked_mul(self.numbers[atom.index()])?;
            rest = others;
        }
        Some(product)
    }

    /// Moves one atom so that `form`, which has this `value`, is no longer negative; `None` if no
    /// move suffices.
    fn repair(&mut self, atoms: &Atoms, form: &Form, value: i128) -> Option<()> {
        for &(monomial, coefficient) in form.terms() {
            let Some((atom, rest)) = monomial.split_first() else { continue };
            if rest.split_first().is_some() {
                continue;
            }
            let size = coefficient.abs();
            let by = value.checked_neg()?.checked_add(size - 1)? / size;
            let moved = self.numbers[atom.index()].checked_add(by * coefficient.signum())?;
            let range = atoms.range(atom);
            if range.min <= moved && moved <= range.max {
                self.numbers[atom.index()] = moved;
                return Some(());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        analysis::{checks::atom::AtomKind, range::Range},
        ir::InstId,
    };

    /// Creates atoms with these ranges, and a form for each.
    fn atoms<const N: usize>(ranges: [(i128, i128); N]) -> (Atoms, [Form; N]) {
        let (mut atoms, mut number) = (Atoms::default(), 0);
        let forms = ranges.map(|(min, max)| {
            number += 1;
            Form::atom(atoms.intern(AtomKind::Inst(InstId::new(number)), Range::new(min, max)))
        });
        (atoms, forms)
    }

    fn fact(form: Option<Form>) -> Fact {
        Fact::new(form.unwrap(), None)
    }

    #[test]
    fn what_is_known_holds_in_every_example() {
        let most = i128::from(u32::MAX);
        let (atoms, [i, n, len]) = atoms([(0, most), (0, 1000), (1, most)]);
        let facts = [
            fact(n.checked_sub(&i).and_then(|rest| rest.checked_add_number(-1))),
            fact(len.checked_sub(&i.checked_mul(&n).unwrap())),
            fact(len.checked_sub(&n)),
        ];
        let mut found = Examples::default();
        found.extend_all(&atoms, &facts, 0);
        let examples: Vec<_> = found.0.iter().flatten().collect();
        assert_eq!(examples.len(), START_VALUES.len());
        for example in &examples {
            assert!(facts.iter().all(|fact| !example.refutes(&fact.form)), "{example:?}");
        }
        // `len <= 1 << 20` is false for large numbers, `i >= 1` for small ones.
        let refuted = |form: Option<Form>| {
            let form = form.unwrap();
            examples.iter().filter(|example| example.refutes(&form)).count()
        };
        assert_eq!(refuted(Form::constant(1 << 20).checked_sub(&len)), 2);
        assert_eq!(refuted(i.checked_add_number(-1)), 1);
    }

    #[test]
    fn there_is_none_where_the_facts_contradict_each_other() {
        let (atoms, [i]) = atoms([(0, 10)]);
        let mut found = Examples::default();
        found.extend_all(&atoms, &[fact(i.checked_add_number(-11))], 0);
        assert!(found.0.iter().all(Option::is_none));
    }
}
