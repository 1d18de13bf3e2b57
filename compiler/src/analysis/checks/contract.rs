//! Validation of suggested contracts: small launches that show if a contract rejects correct ones.
//!
//! A check without a proof may hold under a condition on the launch, which the help suggests as
//! `requires(..)`. A sufficient condition can still be wrong, as it may reject launches without any
//! failing check:
//!
//! ```text
//! y[i] = x[i];           `x.len() <= y.len()` proves the index of `y`, once that of `x` is checked;
//!                        few threads on a long `x` need no such `y`
//! x[row * n + column]    `x.len() >= 65535 * n`, for a row that is only known to be below the
//!                        largest grid
//! ```
//! Contracts are therefore tested. Small numbers are drawn for the launch's arguments that just
//! violate the contract and fulfil everything known. Then a thread is searched in which the check
//! fails. If there is none, the launch is correct and the contract wrongly rejects it.
use super::{
    atom::{AtomKind, Atoms},
    form::{AtomId, Form},
};
use crate::{
    analysis::range,
    id::Id as _,
    ir::{Axis, Builtin},
};

/// Maximum number of drawn launches, and the number of them that must need the contract.
const MAX_DRAWN_LAUNCHES: usize = 24;
const MIN_NEEDING_LAUNCHES: usize = 6;
/// Maximum number of rounds in which each number of a thread is moved once.
const MAX_SEARCH_ROUNDS: usize = 3;
/// Number of the smallest, and of the largest, candidates to try for a number.
const MAX_CANDIDATES_PER_END: i128 = 48;
/// The work limit for all contracts of a kernel, in computed atoms and terms. Beyond it, none is
/// suggested.
pub(super) const MAX_CONTRACT_WORK: usize = 16_000_000;
/// The work of an atom, which may need a division or wrapping, in terms.
const WORK_PER_DERIVED_ATOM: usize = 4;
/// A length that no index of a small launch reaches.
const UNREACHABLE_LENGTH: i128 = 1 << 40;

/// A form that is not negative wherever the check is reached.
pub(super) struct Premise<'f> {
    pub(super) form: &'f Form,
    /// True if it holds because an earlier check ends all other threads; a correct launch has no
    /// such threads.
    pub(super) is_check: bool,
}

/// Returns true if no launch is found in which `goal` holds in every thread and `contract`, which
/// is sufficient for it, does not. Subtracts its work from `work_left`, and returns false once
/// nothing is left.
pub(super) fn is_needed(
    atoms: &Atoms,
    premises: &[Premise<'_>],
    goal: &Form,
    contract: &Form,
    work_left: &mut usize,
) -> bool {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = |below: i128| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        i128::from(state >> 33) % below
    };
    let mut needing = 0;
    for _ in 0..MAX_DRAWN_LAUNCHES {
        if *work_left == 0 {
            return false;
        }
        let work_left = &mut *work_left;
        let mut launch = SampleLaunch { atoms, premises, numbers: Vec::new(), work_left };
        let is_violated = launch
            .draw_arguments(&mut draw)
            .and_then(|()| launch.violate_contract(contract))
            .is_some();
        let least = if is_violated { launch.minimize(goal) } else { None };
        if *launch.work_left == 0 {
            return false;
        }
        if !is_violated {
            continue;
        }
        if least.is_none_or(|least| least >= 0) {
            return false;
        }
        needing += 1;
        if needing == MIN_NEEDING_LAUNCHES {
            return true;
        }
    }
    false
}

/// Numbers for all atoms: of a launch, and of one of its threads.
struct SampleLaunch<'a> {
    atoms: &'a Atoms,
    premises: &'a [Premise<'a>],
    numbers: Vec<i128>,
    /// The remaining work.
    work_left: &'a mut usize,
}

impl SampleLaunch<'_> {
    /// Draws numbers for a launch's arguments that fulfil its requirements; `None` if that fails.
    fn draw_arguments(&mut self, draw: &mut impl FnMut(i128) -> i128) -> Option<()> {
        for number in 0..self.atoms.len() {
            let atom = AtomId::new(number);
            let range = self.atoms.range(atom);
            // More threads than the bounds of guards.
            let (least, below) = match self.atoms.kind(atom) {
                AtomKind::Builtin(Builtin::GridDim(_)) => (8, 4),
                AtomKind::Builtin(Builtin::BlockDim(_)) => (4, 4),
                // With an empty slice often no thread checks anything, which shows nothing.
                AtomKind::Len(_) => (1, 8),
                _ => (1, 3),
            };
            let value = (range.min.max(0) + least + draw(below)).min(range.max).max(range.min);
            self.numbers.push(value);
        }
        self.derive_atoms();
        for _ in 0..MAX_SEARCH_ROUNDS {
            let is_of_launch = |premise: &&Premise<'_>| self.atoms.is_launch_constant(premise.form);
            let broken = self.premises.iter().filter(is_of_launch).find_map(|premise| {
                self.eval_form(premise.form)
                    .filter(|&value| value < 0)
                    .map(|value| (premise.form, value))
            });
            let Some((form, value)) = broken else { return Some(()) };
            self.move_length(form, value, 0, &[])?;
        }
        None
    }

    /// Shortens a length so that `contract` just fails, in a launch in which no earlier check
    /// fails; `None` if there is no such length.
    fn violate_contract(&mut self, contract: &Form) -> Option<()> {
        let mut long: Vec<AtomId> = Vec::new();
        for _ in 0..MAX_SEARCH_ROUNDS {
            let value = self.eval_form(contract)?;
            self.move_length(contract, value, -1, &long)?;
            let is_broken = |premise: &&Premise<'_>| {
                let of_launch = self.atoms.is_launch_constant(premise.form);
                of_launch && self.eval_form(premise.form).is_none_or(|value| value < 0)
            };
            if self.premises.iter().any(|premise| is_broken(&premise)) {
                return None;
            }
            let Some(check) = self.failed_check() else { return Some(()) };
            let premises = self.premises;
            let lengthened = self.find_size_term(premises[check].form, &long)?;
            self.numbers[lengthened.0.index()] = UNREACHABLE_LENGTH;
            self.derive_atoms();
            long.push(lengthened.0);
        }
        None
    }

    /// Returns the index of an earlier check that fails in some thread.
    fn failed_check(&mut self) -> Option<usize> {
        let premises = self.premises;
        (0..premises.len()).find(|&number| {
            let Premise { form, is_check } = premises[number];
            is_check && {
                let least = self.minimize_under(form, &|premise| !premise.is_check);
                least.is_some_and(|least| least < 0)
            }
        })
    }

    /// Moves a length or parameter so that `form`, which has this `value`, is as close to `to` as
    /// possible from below, or from above if `to` is not negative.
    fn move_length(&mut self, form: &Form, value: i128, to: i128, except: &[AtomId]) -> Option<()> {
        let (atom, factor) = self.find_size_term(form, except)?;
        let by =
            if to < 0 { (to - value).div_euclid(factor) } else { -(value - to).div_euclid(factor) };
        let moved = self.numbers[atom.index()].checked_add(by)?;
        let range = self.atoms.range(atom);
        (range.min <= moved && moved <= range.max).then_some(())?;
        self.numbers[atom.index()] = moved;
        self.derive_atoms();
        Some(())
    }

    /// Returns a length, or else a parameter, that is a term of `form`, with its factor.
    fn find_size_term(&self, form: &Form, except: &[AtomId]) -> Option<(AtomId, i128)> {
        let added = form.terms().iter().filter_map(|&(monomial, factor)| {
            let atom = monomial.first().filter(|_| monomial.len() == 1 && factor > 0)?;
            let rank = match self.atoms.kind(atom) {
                AtomKind::Len(_) => 0,
                AtomKind::Param(_) | AtomKind::Generic(_) => 1,
                AtomKind::Builtin(_)
                | AtomKind::Inst(_)
                | AtomKind::Count(_)
                | AtomKind::Div(..)
                | AtomKind::Min(..)
                | AtomKind::Max(..)
                | AtomKind::Wrapped(..) => return None,
            };
            (!except.contains(&atom)).then_some((rank, atom, factor))
        });
        added.min_by_key(|&(rank, ..)| rank).map(|(_, atom, factor)| (atom, factor))
    }

    /// Returns the minimum of `form` found in a thread for which all premises hold; `None` if no
    /// thread is found.
    fn minimize(&mut self, form: &Form) -> Option<i128> {
        self.minimize_under(form, &|_| true)
    }

    /// Returns the minimum under some of the premises. The numbers of the thread are moved one by
    /// one, first to where the premises hold best, then to where `form` is least: starting from the
    /// smallest thread and from the largest.
    fn minimize_under(
        &mut self,
        form: &Form,
        counts: &dyn Fn(&Premise<'_>) -> bool,
    ) -> Option<i128> {
        if *self.work_left == 0 {
            return None;
        }
        let all = (0..self.atoms.len()).map(AtomId::new);
        let of_thread: Vec<AtomId> = all.filter(|&atom| self.varies_by_thread(atom)).collect();
        let mut best: Option<i128> = None;
        for from_largest in [false, true] {
            for &atom in &of_thread {
                let (least, most) = self.atom_limits(atom);
                self.numbers[atom.index()] = if from_largest { most } else { least };
            }
            self.derive_atoms();
            let mut reached = self.weigh_candidate(form, counts);
            for _ in 0..MAX_SEARCH_ROUNDS {
                let before = reached;
                for &atom in &of_thread {
                    self.try_candidates(atom, form, counts, &mut reached);
                }
                if *self.work_left == 0 {
                    return None;
                }
                if reached == before {
                    break;
                }
            }
            if let Some((0, value)) = reached {
                best = Some(best.map_or(value, |best| best.min(value)));
            }
        }
        best
    }

    /// Sets `atom` to the best candidate.
    fn try_candidates(
        &mut self,
        atom: AtomId,
        form: &Form,
        counts: &dyn Fn(&Premise<'_>) -> bool,
        reached: &mut Option<(i128, i128)>,
    ) {
        if *self.work_left == 0 {
            return;
        }
        let (least, most) = self.atom_limits(atom);
        let mut kept = self.numbers[atom.index()];
        let low = least..=most.min(least + MAX_CANDIDATES_PER_END);
        let high = (least + MAX_CANDIDATES_PER_END + 1).max(most - MAX_CANDIDATES_PER_END)..=most;
        for number in low.chain(high) {
            if *self.work_left == 0 {
                break;
            }
            let terms = self.premises.iter().map(|premise| 1 + premise.form.terms().len());
            *self.work_left = self.work_left.saturating_sub(terms.sum());
            self.numbers[atom.index()] = number;
            self.derive_atoms();
            let found = self.weigh_candidate(form, counts);
            if found.is_some() && (reached.is_none() || found < *reached) {
                (*reached, kept) = (found, number);
            }
        }
        self.numbers[atom.index()] = kept;
        self.derive_atoms();
    }

    /// Returns the total violation of the premises, and the value of `form`: the smaller the
    /// better.
    fn weigh_candidate(
        &self,
        form: &Form,
        counts: &dyn Fn(&Premise<'_>) -> bool,
    ) -> Option<(i128, i128)> {
        let mut missing = 0_i128;
        for premise in self.premises.iter().filter(|premise| counts(premise)) {
            missing = missing.checked_sub(self.eval_form(premise.form)?.min(0))?;
        }
        Some((missing, self.eval_form(form)?))
    }

    fn varies_by_thread(&self, atom: AtomId) -> bool {
        match self.atoms.kind(atom) {
            AtomKind::Builtin(builtin) => !builtin.is_known_at_launch(),
            AtomKind::Inst(_) | AtomKind::Count(_) => true,
            AtomKind::Param(_)
            | AtomKind::Len(_)
            | AtomKind::Generic(_)
            | AtomKind::Div(..)
            | AtomKind::Min(..)
            | AtomKind::Max(..)
            | AtomKind::Wrapped(..) => false,
        }
    }

    /// Returns the limits of `atom` over the threads of this launch.
    fn atom_limits(&self, atom: AtomId) -> (i128, i128) {
        let range = self.atoms.range(atom);
        let of = |builtin| {
            let atom = self.atoms.find(&AtomKind::Builtin(builtin));
            let drawn = atom.map(|atom| self.numbers[atom.index()]);
            drawn.or_else(|| self.atoms.fixed_value(builtin)).unwrap_or(1)
        };
        let threads = || {
            [Axis::X, Axis::Y, Axis::Z]
                .map(|axis| of(Builtin::BlockDim(axis)))
                .iter()
                .product::<i128>()
        };
        let most = match self.atoms.kind(atom) {
            AtomKind::Builtin(builtin) => match *builtin {
                Builtin::ThreadIdx(axis) => of(Builtin::BlockDim(axis)) - 1,
                Builtin::BlockIdx(axis) => of(Builtin::GridDim(axis)) - 1,
                Builtin::GlobalIdx(axis) => {
                    of(Builtin::GridDim(axis)) * of(Builtin::BlockDim(axis)) - 1
                }
                Builtin::LaneId => (threads() - 1).min(31),
                Builtin::WarpId => (threads() - 1) / 32,
                Builtin::BlockDim(_)
                | Builtin::GridDim(_)
                | Builtin::LaneMask(_)
                | Builtin::CoarseningFactor => range.max,
            },
            AtomKind::Param(_)
            | AtomKind::Len(_)
            | AtomKind::Generic(_)
            | AtomKind::Inst(_)
            | AtomKind::Count(_)
            | AtomKind::Div(..)
            | AtomKind::Min(..)
            | AtomKind::Max(..)
            | AtomKind::Wrapped(..) => range.max,
        };
        (range.min, most.min(range.max).max(range.min))
    }

    /// Computes the derived atoms. Their operands precede them in the table.
    fn derive_atoms(&mut self) {
        *self.work_left = self.work_left.saturating_sub(WORK_PER_DERIVED_ATOM * self.atoms.len());
        for number in 0..self.atoms.len() {
            let value = |form: &Form| self.eval_form(form);
            let derived = match self.atoms.kind(AtomId::new(number)) {
                AtomKind::Div(lhs, rhs) => {
                    value(lhs).zip(value(rhs)).and_then(|(lhs, rhs)| lhs.checked_div(rhs))
                }
                AtomKind::Min(lhs, rhs) => {
                    value(lhs).zip(value(rhs)).map(|(lhs, rhs)| lhs.min(rhs))
                }
                AtomKind::Max(lhs, rhs) => {
                    value(lhs).zip(value(rhs)).map(|(lhs, rhs)| lhs.max(rhs))
                }
                AtomKind::Wrapped(scalar, form) => {
                    value(form).zip(range::scalar_limits(*scalar)).and_then(|(value, limits)| {
                        let width = limits.max.checked_sub(limits.min)?.checked_add(1)?;
                        Some(value.checked_sub(limits.min)?.rem_euclid(width) + limits.min)
                    })
                }
                AtomKind::Param(_)
                | AtomKind::Len(_)
                | AtomKind::Builtin(_)
                | AtomKind::Generic(_)
                | AtomKind::Inst(_)
                | AtomKind::Count(_) => continue,
            };
            if let Some(derived) = derived {
                self.numbers[number] = derived;
            }
        }
    }

    /// Returns the value of a form; `None` if it does not fit.
    fn eval_form(&self, form: &Form) -> Option<i128> {
        let mut sum = form.constant_term();
        for &(monomial, factor) in form.terms() {
            let mut product = factor;
            for atom in monomial.atoms() {
                product = product.checked_mul(self.numbers[atom.index()])?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        analysis::range::Range,
        ir::{InstId, ParamId},
    };

    #[test]
    fn no_contract_is_suggested_after_too_much_work() {
        let mut atoms = Atoms::default();
        let mut atom = |kind, most| Form::atom(atoms.intern(kind, Range::new(0, most)));
        let len = atom(AtomKind::Len(ParamId::new(0)), 1 << 40);
        let index = atom(AtomKind::Inst(InstId::new(0)), 15);
        let goal = len.checked_sub(&index).unwrap().checked_sub(&Form::constant(1)).unwrap();
        let contract = len.checked_sub(&Form::constant(16)).unwrap();
        let is_needed = |mut work| is_needed(&atoms, &[], &goal, &contract, &mut work);
        assert!(is_needed(MAX_CONTRACT_WORK));
        assert!(!is_needed(100));
    }
}
