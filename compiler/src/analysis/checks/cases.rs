//! Proofs case by case: of values that differ with the way on which control came.
//!
//! A local that both arms of an `if` set, a `select`, a minimum and a maximum have a value each for two cases, in which
//! more is known. A goal that mentions one is proved if it is proved in both:
//!
//! ```text
//! let left = if c == 0 { 0 } else { c - 1 };
//! to prove      w - 1 - left >= 0
//! first         c == 0, left == 0:        w - 1 >= 0
//! second        c >= 1, left == c - 1:    w - c >= 0
//! ```
use super::{
    Cause,
    atom::Kind,
    form::{AtomId, Form},
    walk::Walk,
};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// The most values that a proof looks at case by case, one inside the other.
const MAX_DEPTH: usize = 3;
/// Cases of one value.
const MAX_CASES: usize = 4;
/// The most goals of a kernel that are proved case by case.
const MAX_PROOFS: u32 = 400;

/// The value of a local on one of the ways on which control came.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// The facts that hold then.
    pub(super) facts: Vec<(Form, Option<Cause>)>,
    pub(super) value: Form,
}

/// The values of numbers, case by case.
#[derive(Debug, Default)]
pub(super) struct Cases {
    of: HashMap<AtomId, Rc<[Case]>>,
    proofs: u32,
}

impl Cases {
    /// Notes the cases of a number, if they are few.
    pub(super) fn add(&mut self, atom: AtomId, cases: Vec<Case>) {
        if (2..=MAX_CASES).contains(&cases.len()) {
            self.of.insert(atom, cases.into());
        }
    }
}

impl Walk<'_> {
    /// Why `goal` is not negative; `None` if that is not known.
    pub(super) fn prove(&mut self, goal: &Form) -> Option<Vec<Cause>> {
        self.prove_in_cases(goal, &mut Vec::new())
    }

    /// Returns true if `goal` is not negative.
    pub(super) fn implies(&mut self, goal: &Form) -> bool {
        self.prove(goal).is_some()
    }

    /// As [`Self::prove`], where the cases of some numbers are told apart already.
    fn prove_in_cases(&mut self, goal: &Form, apart: &mut Vec<AtomId>) -> Option<Vec<Cause>> {
        let proof = self.known.prove(&self.atoms, goal);
        if proof.is_some() || apart.len() >= MAX_DEPTH || self.cases.proofs > MAX_PROOFS {
            return proof;
        }
        let (atom, cases) = self.cases_in(goal, &mut apart.iter().copied().collect())?;
        self.cases.proofs += 1;
        apart.push(atom);
        let mut causes = Some(Vec::new());
        for case in &*cases {
            let found = self.scoped(|walk| {
                for (form, cause) in &case.facts {
                    walk.known.add(form, *cause);
                }
                let difference = Form::atom(atom).minus(&case.value)?;
                walk.known.add(&difference.scaled(-1)?, None);
                walk.known.add(&difference, None);
                walk.prove_in_cases(&goal.with(atom, &case.value)?, apart)
            });
            let Some((all, found)) = causes.as_mut().zip(found) else {
                causes = None;
                break;
            };
            for cause in found {
                if !all.contains(&cause) {
                    all.push(cause);
                }
            }
        }
        apart.pop();
        causes
    }

    /// The first number in `goal`, or in what its numbers are made of, that has cases and was not `seen`. Each is looked at
    /// once: numbers that are made of one twice would double the work at each step.
    fn cases_in(&self, goal: &Form, seen: &mut HashSet<AtomId>) -> Option<(AtomId, Rc<[Case]>)> {
        goal.atoms().find_map(|atom| {
            if !seen.insert(atom) {
                return None;
            }
            if let Some(cases) = self.cases.of.get(&atom) {
                return Some((atom, cases.clone()));
            }
            match self.atoms.kind(atom) {
                Kind::Min(a, b) => Some((atom, ordered(a, b, false)?)),
                Kind::Max(a, b) => Some((atom, ordered(a, b, true)?)),
                Kind::Div(a, b) => self.cases_in(a, seen).or_else(|| self.cases_in(b, seen)),
                Kind::Wrapped(_, form) => self.cases_in(form, seen),
                Kind::Param(_)
                | Kind::Len(_)
                | Kind::Builtin(_)
                | Kind::Generic(_)
                | Kind::Inst(_)
                | Kind::Count(_) => None,
            }
        })
    }
}

/// The cases of the larger of two numbers, or the smaller.
fn ordered(a: &Form, b: &Form, larger: bool) -> Option<Rc<[Case]>> {
    let difference = a.minus(b)?;
    let [first, second] = if larger { [a, b] } else { [b, a] };
    let case = |value: &Form, rest: Form| Case { facts: vec![(rest, None)], value: value.clone() };
    Some([case(first, difference.clone()), case(second, difference.scaled(-1)?)].into())
}

#[cfg(test)]
mod tests {
    use crate::{analysis::checks::proved, ir::Kernel};
    use std::fmt::Write as _;

    /// Each number is the square of the one before: without a note of what was seen, the search doubles at each.
    #[test]
    fn what_a_number_is_made_of_is_looked_at_once() {
        const SQUARES: usize = 60;
        let mut text = "kernel squares {
            param arg0 = keys: read [u32] !0
            %0 = param arg0 : ptr global !0
            %1 = const 1 : u32 !0
            %2 = load %0 : u32 !0\n"
            .to_owned();
        for square in 0..SQUARES {
            let id = 3 + 2 * square;
            writeln!(text, "%{id} = mul %{}, %{} : u32 !0", id - 1, id - 1).unwrap();
            writeln!(text, "%{} = add %{id}, %1 : u32 !0", id + 1).unwrap();
        }
        let id = 3 + 2 * SQUARES;
        writeln!(text, "%{id} = cast %{} : u64 !0", id - 1).unwrap();
        writeln!(text, "%{} = len arg0 : u64 !0", id + 1).unwrap();
        writeln!(text, "%{} = bounds %{id}, %{} : u64 !0", id + 2, id + 1).unwrap();
        let kernel: Kernel = (text + "}").parse().unwrap();
        let proved = proved(&kernel);
        assert!(kernel.insts.ids().all(|id| !proved[id]));
    }
}
