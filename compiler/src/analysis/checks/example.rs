//! Numbers for which all that is known holds: what is negative for them follows from none of it.
//!
//! Most of what is looked for a proof of has none, and a search for one goes through all that there is. A goal that is
//! negative in an example cannot be proved, and neither can any that the search would go on with: it
//! is the goal times a positive number, less what is not negative there.
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

/// The most rounds over all facts, to mend those that do not hold.
const ROUNDS: usize = 4;
/// Products of two numbers up to this can be computed with.
const LARGE: i128 = 1 << 62;

/// The numbers that examples begin with, of the range of each: large numbers, as far as they can be
/// computed with, numbers of some size, and small ones.
const CHOICES: [fn(i128, i128) -> i128; 4] = [
    |_, max| max,
    |min, max| max.min(LARGE).max(min),
    |min, max| max.min(1 << 12).max(min),
    |min, _| min,
];

/// Examples of what is known, as far as they are found.
#[derive(Clone, Debug)]
pub(super) struct Examples([Option<Example>; 4]);

impl Default for Examples {
    /// Examples of nothing.
    fn default() -> Self {
        Self(CHOICES.map(|choose| Some(Example { numbers: Vec::new(), choose })))
    }
}

impl Examples {
    /// Lets all `facts` hold, of which the first so many do.
    pub(super) fn extend(&mut self, atoms: &Atoms, facts: &[Fact], hold: usize) {
        for example in &mut self.0 {
            *example = example
                .take()
                .and_then(|example| example.with(atoms)?.extended(atoms, facts, hold));
        }
    }

    /// Returns true if `form` is negative in one.
    pub(super) fn refute(&self, form: &Form) -> bool {
        self.0.iter().flatten().any(|example| example.refutes(form))
    }
}

/// A number for each atom, by its number.
#[derive(Clone, Debug)]
struct Example {
    numbers: Vec<i128>,
    /// The number that it began with, of each range.
    choose: fn(i128, i128) -> i128,
}

impl Example {
    /// Lets all `facts` hold, of which the first so many do, by moving what the others do not allow.
    fn extended(mut self, atoms: &Atoms, facts: &[Fact], hold: usize) -> Option<Self> {
        let mut from = hold;
        for _ in 0..ROUNDS {
            let mut holds = true;
            for fact in &facts[from..] {
                let value = self.value(&fact.form)?;
                if value < 0 {
                    holds = false;
                    self.mend(atoms, &fact.form, value)?;
                }
            }
            if holds {
                return Some(self);
            }
            from = 0;
        }
        None
    }

    /// The same with numbers for atoms that came since, of which no fact speaks yet; `None` if one can have none.
    fn with(mut self, atoms: &Atoms) -> Option<Self> {
        while self.numbers.len() < atoms.len() {
            let range = atoms.range(AtomId::new(self.numbers.len()));
            if range.is_empty() {
                return None;
            }
            self.numbers.push((self.choose)(range.min, range.max));
        }
        Some(self)
    }

    /// Returns true if `form` is negative in it.
    fn refutes(&self, form: &Form) -> bool {
        self.value(form).is_some_and(|value| value < 0)
    }

    /// The value of a form; `None` if it is too large to compute.
    fn value(&self, form: &Form) -> Option<i128> {
        let mut sum = form.rest();
        for &(monomial, coefficient) in form.terms() {
            sum = sum.checked_add(self.product(monomial)?.checked_mul(coefficient)?)?;
        }
        Some(sum)
    }

    fn product(&self, monomial: Monomial) -> Option<i128> {
        let (mut product, mut rest) = (1_i128, monomial);
        while let Some((atom, others)) = rest.split_first() {
            product = product.checked_mul(self.numbers[atom.index()])?;
            rest = others;
        }
        Some(product)
    }

    /// Moves one atom so far that `form`, which has this `value`, is no longer negative; `None` if none can be.
    fn mend(&mut self, atoms: &Atoms, form: &Form, value: i128) -> Option<()> {
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
        analysis::{checks::atom::Kind, range::Range},
        ir::InstId,
    };

    /// Atoms with these ranges, and the forms that are each of them.
    fn atoms<const N: usize>(ranges: [(i128, i128); N]) -> (Atoms, [Form; N]) {
        let (mut atoms, mut number) = (Atoms::default(), 0);
        let forms = ranges.map(|(min, max)| {
            number += 1;
            Form::atom(atoms.get(Kind::Inst(InstId::new(number)), Range::new(min, max)))
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
            fact(n.minus(&i).and_then(|rest| rest.shifted(-1))),
            fact(len.minus(&i.times(&n).unwrap())),
            fact(len.minus(&n)),
        ];
        let mut found = Examples::default();
        found.extend(&atoms, &facts, 0);
        let examples: Vec<_> = found.0.iter().flatten().collect();
        assert_eq!(examples.len(), CHOICES.len());
        for example in &examples {
            assert!(facts.iter().all(|fact| !example.refutes(&fact.form)), "{example:?}");
        }
        // `len <= 1 << 20` is wrong for large numbers, `i >= 1` for small ones.
        let refuted = |form: Option<Form>| {
            let form = form.unwrap();
            examples.iter().filter(|example| example.refutes(&form)).count()
        };
        assert_eq!(refuted(Form::constant(1 << 20).minus(&len)), 2);
        assert_eq!(refuted(i.shifted(-1)), 1);
    }

    #[test]
    fn there_is_none_where_the_facts_contradict_each_other() {
        let (atoms, [i]) = atoms([(0, 10)]);
        let mut found = Examples::default();
        found.extend(&atoms, &[fact(i.shifted(-11))], 0);
        assert!(found.0.iter().all(Option::is_none));
    }
}
