//! Case distinctions: proofs about values that depend on the path of control.
//!
//! A local that both arms of an `if` set, a `select`, a minimum and a maximum have one value in
//! each of two cases, in which more is known. A goal that mentions one is proved if it is proved in
//! both:
//!
//! ```text
//! let left = if c == 0 { 0 } else { c - 1 };
//! to prove      w - 1 - left >= 0
//! first         c == 0, left == 0:        w - 1 >= 0
//! second        c >= 1, left == c - 1:    w - c >= 0
//! ```
use super::{
    Cause,
    analyzer::CheckAnalyzer,
    atom::AtomKind,
    form::{AtomId, Form, Monomial},
};
use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

/// Maximum nesting of case distinctions in a proof.
const MAX_CASE_DEPTH: usize = 3;
/// Maximum number of cases of one value.
const MAX_CASES_PER_VALUE: usize = 4;
/// Maximum number of goals of a kernel that are proved by cases.
const MAX_CASE_PROOFS: u32 = 400;

/// The value of a local on one path of control.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// The facts that hold on this path.
    pub(super) facts: Vec<(Form, Option<Cause>)>,
    pub(super) value: Form,
}

/// The values of numbers by case.
#[derive(Debug, Default)]
pub(super) struct Cases {
    by_atom: HashMap<AtomId, Rc<[Case]>>,
    proofs: u32,
}

impl Cases {
    /// Records the cases of a number, if they are few.
    pub(super) fn add_cases(&mut self, atom: AtomId, cases: Vec<Case>) {
        if (2..=MAX_CASES_PER_VALUE).contains(&cases.len()) {
            self.by_atom.insert(atom, cases.into());
        }
    }
}

impl CheckAnalyzer<'_> {
    /// Returns the causes that prove `goal` not negative; `None` if there is no proof.
    pub(super) fn prove(&mut self, goal: &Form) -> Option<Vec<Cause>> {
        self.prove_in_cases(goal, &mut Vec::new())
    }

    /// Returns true if `goal` is not negative.
    pub(super) fn implies(&mut self, goal: &Form) -> bool {
        self.prove(goal).is_some()
    }

    /// Proves `goal` like [`Self::prove`], within the case distinctions of the atoms in `apart`.
    fn prove_in_cases(&mut self, goal: &Form, apart: &mut Vec<AtomId>) -> Option<Vec<Cause>> {
        // Without cases first: most goals need none, and each distinction multiplies the work.
        let proof = self.known.prove(&self.atoms, goal);
        if proof.is_some() || apart.len() >= MAX_CASE_DEPTH || self.cases.proofs > MAX_CASE_PROOFS {
            return proof;
        }
        let (atom, cases) = self.find_cases(goal, &mut apart.iter().copied().collect())?;
        self.cases.proofs += 1;
        apart.push(atom);
        let mut causes = Some(Vec::new());
        for case in &*cases {
            let found = self.scoped(|walk| {
                for (form, cause) in &case.facts {
                    walk.known.add_fact(form, *cause);
                }
                let difference = Form::atom(atom).checked_sub(&case.value)?;
                walk.known.add_fact(&difference.checked_scale(-1)?, None);
                walk.known.add_fact(&difference, None);
                walk.prove_in_cases(&goal.substitute(atom, &case.value)?, apart)
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

    /// Returns a number with cases among the factors of a product.
    pub(super) fn cases_in_product(&self, product: Monomial) -> Option<(AtomId, Rc<[Case]>)> {
        product.atoms().find_map(|atom| self.find_cases(&Form::atom(atom), &mut HashSet::new()))
    }

    /// Returns the first number with cases in `goal`, or in the operands of its numbers, that was
    /// not `seen`. Each number is visited once: numbers that contain another one twice would double
    /// the work at each level.
    fn find_cases(&self, goal: &Form, seen: &mut HashSet<AtomId>) -> Option<(AtomId, Rc<[Case]>)> {
        goal.atoms().find_map(|atom| {
            if !seen.insert(atom) {
                return None;
            }
            if let Some(cases) = self.cases.by_atom.get(&atom) {
                return Some((atom, cases.clone()));
            }
            match self.atoms.kind(atom) {
                AtomKind::Min(a, b) => Some((atom, min_max_cases(a, b, false)?)),
                AtomKind::Max(a, b) => Some((atom, min_max_cases(a, b, true)?)),
                AtomKind::Div(a, b) => {
                    self.find_cases(a, seen).or_else(|| self.find_cases(b, seen))
                }
                AtomKind::Wrapped(_, form) => self.find_cases(form, seen),
                AtomKind::Param(_)
                | AtomKind::Len(_)
                | AtomKind::Builtin(_)
                | AtomKind::Generic(_)
                | AtomKind::Inst(_)
                | AtomKind::Count(_) => None,
            }
        })
    }
}

/// Returns the cases of the larger of two numbers, or of the smaller.
fn min_max_cases(a: &Form, b: &Form, larger: bool) -> Option<Rc<[Case]>> {
    let difference = a.checked_sub(b)?;
    let [first, second] = if larger { [a, b] } else { [b, a] };
    let case = |value: &Form, rest: Form| Case { facts: vec![(rest, None)], value: value.clone() };
    Some([case(first, difference.clone()), case(second, difference.checked_scale(-1)?)].into())
}

#[cfg(test)]
mod tests {
    use crate::{
        analysis::checks::{find_contract, proved_checks},
        ir::Kernel,
    };
    use std::fmt::Write as _;

    /// Each number is the square of the previous one: without a record of visited numbers, the
    /// search doubles at each.
    #[test]
    fn what_a_number_is_made_of_is_looked_at_once() {
        for first in ["load %0", "param arg1"] {
            check_squares_of(first);
        }
    }

    fn check_squares_of(first: &str) {
        const SQUARES: usize = 60;
        let mut text = format!(
            "kernel squares {{
            param arg0 = keys: read [u32] !0
            param arg1 = first: u32 !0
            %0 = param arg0 : ptr global !0
            %1 = const 1 : u32 !0
            %2 = {first} : u32 !0\n"
        );
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
        let proved = proved_checks(&kernel);
        assert!(kernel.insts.ids().all(|id| !proved[id]));
        assert!(find_contract(&kernel).is_empty());
    }
}
