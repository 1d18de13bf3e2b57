//! Small launches that show whether a contract rejects correct ones.
//!
//! A check that is not proved may hold under a condition on the launch, which the help suggests as
//! `requires(..)`. A condition that suffices can still be wrong, for it may reject launches in which nothing fails:
//!
//! ```text
//! y[i] = x[i];                  `x.len() <= y.len()` proves the index of `y`, once that of `x` is checked;
//!                               few threads on a long `x` need no such `y`
//! x[row * n + column]           `x.len() >= 65535 * n` for a row that is only known to be below the largest grid
//! ```
//! So contracts are tried. Numbers are drawn for what a launch passes, small ones, that just violate the contract and
//! fulfil what is known. A thread is looked for in which the check fails. If there is none, the launch is correct and
//! the contract rejects it.
use super::{
    atom::{Atoms, Kind},
    form::{AtomId, Form},
};
use crate::{
    analysis::range,
    id::Id as _,
    ir::{Axis, Builtin},
};

/// The launches to draw, and those of them that must need the contract.
const MAX_DRAWN_LAUNCHES: usize = 24;
const MIN_NEEDING_LAUNCHES: usize = 6;
/// The most rounds in which all numbers of a thread are moved, one by one.
const MAX_ROUNDS: usize = 3;
/// The smallest and the largest numbers that are tried for one, each so many.
const MAX_NUMBERS: i128 = 48;
/// The atoms and terms that are computed for all contracts of a kernel. Beyond, none is suggested.
pub(super) const MAX_CONTRACT_WORK: usize = 16_000_000;
/// The terms that take as long as an atom, which may have to be divided or wrapped.
const DERIVED_WORK: usize = 4;
/// A length that no index of a small launch reaches.
const LONG: i128 = 1 << 40;

/// A form that is not negative wherever a check is reached.
pub(super) struct Premise<'f> {
    pub(super) form: &'f Form,
    /// True if it holds because a check before ends all other threads: in a correct launch there are none.
    pub(super) is_check: bool,
}

/// True if no launch is found in which `goal` holds in every thread and `contract`, which suffices for it, does not.
/// Takes its work off `work_left`, and is false once nothing is left.
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
        let mut launch = Launch { atoms, premises, numbers: Vec::new(), work_left };
        let is_violated = launch.draw(&mut draw).and_then(|()| launch.violate(contract)).is_some();
        let least = if is_violated { launch.least(goal) } else { None };
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
struct Launch<'a> {
    atoms: &'a Atoms,
    premises: &'a [Premise<'a>],
    numbers: Vec<i128>,
    /// The atoms and terms that may still be computed.
    work_left: &'a mut usize,
}

impl Launch<'_> {
    /// Draws numbers for what a launch passes, and fulfils what is required of it; `None` if that fails.
    fn draw(&mut self, draw: &mut impl FnMut(i128) -> i128) -> Option<()> {
        for number in 0..self.atoms.len() {
            let atom = AtomId::new(number);
            let range = self.atoms.range(atom);
            // More threads than what guards compare them with.
            let (least, below) = match self.atoms.kind(atom) {
                Kind::Builtin(Builtin::GridDim(_)) => (8, 4),
                Kind::Builtin(Builtin::BlockDim(_)) => (4, 4),
                // An empty slice often leaves no thread that checks anything, and shows nothing.
                Kind::Len(_) => (1, 8),
                _ => (1, 3),
            };
            let value = (range.min.max(0) + least + draw(below)).min(range.max).max(range.min);
            self.numbers.push(value);
        }
        self.derive();
        for _ in 0..MAX_ROUNDS {
            let is_of_launch = |premise: &&Premise<'_>| self.atoms.is_of_launch(premise.form);
            let broken = self.premises.iter().filter(is_of_launch).find_map(|premise| {
                self.value(premise.form)
                    .filter(|&value| value < 0)
                    .map(|value| (premise.form, value))
            });
            let Some((form, value)) = broken else { return Some(()) };
            self.move_length(form, value, 0, &[])?;
        }
        None
    }

    /// Shortens a length so that `contract` just fails, in a launch in which no check before does; `None` if there is
    /// no such length.
    fn violate(&mut self, contract: &Form) -> Option<()> {
        let mut long: Vec<AtomId> = Vec::new();
        for _ in 0..MAX_ROUNDS {
            let value = self.value(contract)?;
            self.move_length(contract, value, -1, &long)?;
            let is_broken = |premise: &&Premise<'_>| {
                let of_launch = self.atoms.is_of_launch(premise.form);
                of_launch && self.value(premise.form).is_none_or(|value| value < 0)
            };
            if self.premises.iter().any(|premise| is_broken(&premise)) {
                return None;
            }
            let Some(check) = self.failed_check() else { return Some(()) };
            let premises = self.premises;
            let lengthened = self.alone(premises[check].form, &long)?;
            self.numbers[lengthened.0.index()] = LONG;
            self.derive();
            long.push(lengthened.0);
        }
        None
    }

    /// The number of a check before that fails in some thread.
    fn failed_check(&mut self) -> Option<usize> {
        let premises = self.premises;
        (0..premises.len()).find(|&number| {
            let Premise { form, is_check } = premises[number];
            is_check && {
                let least = self.least_under(form, &|premise| !premise.is_check);
                least.is_some_and(|least| least < 0)
            }
        })
    }

    /// Moves a length or parameter so that `form`, which has this `value`, is as near to `to` as it can be from below, or
    /// from above if `to` is not negative.
    fn move_length(&mut self, form: &Form, value: i128, to: i128, except: &[AtomId]) -> Option<()> {
        let (atom, factor) = self.alone(form, except)?;
        let by =
            if to < 0 { (to - value).div_euclid(factor) } else { -(value - to).div_euclid(factor) };
        let moved = self.numbers[atom.index()].checked_add(by)?;
        let range = self.atoms.range(atom);
        (range.min <= moved && moved <= range.max).then_some(())?;
        self.numbers[atom.index()] = moved;
        self.derive();
        Some(())
    }

    /// A length, or else a parameter, that is added in `form`, with its factor.
    fn alone(&self, form: &Form, except: &[AtomId]) -> Option<(AtomId, i128)> {
        let added = form.terms().iter().filter_map(|&(monomial, factor)| {
            let atom = monomial.first().filter(|_| monomial.len() == 1 && factor > 0)?;
            let rank = match self.atoms.kind(atom) {
                Kind::Len(_) => 0,
                Kind::Param(_) | Kind::Generic(_) => 1,
                Kind::Builtin(_)
                | Kind::Inst(_)
                | Kind::Count(_)
                | Kind::Div(..)
                | Kind::Min(..)
                | Kind::Max(..)
                | Kind::Wrapped(..) => return None,
            };
            (!except.contains(&atom)).then_some((rank, atom, factor))
        });
        added.min_by_key(|&(rank, ..)| rank).map(|(_, atom, factor)| (atom, factor))
    }

    /// The least value of `form` that is found in a thread that all premises hold for; `None` if none is found.
    fn least(&mut self, form: &Form) -> Option<i128> {
        self.least_under(form, &|_| true)
    }

    /// The same where only some premises count. Numbers of the thread are moved one by one, each to where the premises
    /// hold best, and then to where `form` is least: from the thread with the smallest, and from that with the largest.
    fn least_under(&mut self, form: &Form, counts: &dyn Fn(&Premise<'_>) -> bool) -> Option<i128> {
        if *self.work_left == 0 {
            return None;
        }
        let all = (0..self.atoms.len()).map(AtomId::new);
        let of_thread: Vec<AtomId> = all.filter(|&atom| self.is_of_thread(atom)).collect();
        let mut best: Option<i128> = None;
        for from_largest in [false, true] {
            for &atom in &of_thread {
                let (least, most) = self.limits(atom);
                self.numbers[atom.index()] = if from_largest { most } else { least };
            }
            self.derive();
            let mut reached = self.weigh(form, counts);
            for _ in 0..MAX_ROUNDS {
                let before = reached;
                for &atom in &of_thread {
                    self.try_all(atom, form, counts, &mut reached);
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

    /// Leaves the best of the numbers for `atom`.
    fn try_all(
        &mut self,
        atom: AtomId,
        form: &Form,
        counts: &dyn Fn(&Premise<'_>) -> bool,
        reached: &mut Option<(i128, i128)>,
    ) {
        if *self.work_left == 0 {
            return;
        }
        let (least, most) = self.limits(atom);
        let mut kept = self.numbers[atom.index()];
        let low = least..=most.min(least + MAX_NUMBERS);
        let high = (least + MAX_NUMBERS + 1).max(most - MAX_NUMBERS)..=most;
        for number in low.chain(high) {
            if *self.work_left == 0 {
                break;
            }
            let terms = self.premises.iter().map(|premise| 1 + premise.form.terms().len());
            *self.work_left = self.work_left.saturating_sub(terms.sum());
            self.numbers[atom.index()] = number;
            self.derive();
            let found = self.weigh(form, counts);
            if found.is_some() && (reached.is_none() || found < *reached) {
                (*reached, kept) = (found, number);
            }
        }
        self.numbers[atom.index()] = kept;
        self.derive();
    }

    /// By how much premises fail, and the value of `form`: the less the better.
    fn weigh(&self, form: &Form, counts: &dyn Fn(&Premise<'_>) -> bool) -> Option<(i128, i128)> {
        let mut missing = 0_i128;
        for premise in self.premises.iter().filter(|premise| counts(premise)) {
            missing = missing.checked_sub(self.value(premise.form)?.min(0))?;
        }
        Some((missing, self.value(form)?))
    }

    fn is_of_thread(&self, atom: AtomId) -> bool {
        match self.atoms.kind(atom) {
            Kind::Builtin(builtin) => !builtin.is_known_at_launch(),
            Kind::Inst(_) | Kind::Count(_) => true,
            Kind::Param(_)
            | Kind::Len(_)
            | Kind::Generic(_)
            | Kind::Div(..)
            | Kind::Min(..)
            | Kind::Max(..)
            | Kind::Wrapped(..) => false,
        }
    }

    /// The numbers that `atom` has in threads of this launch.
    fn limits(&self, atom: AtomId) -> (i128, i128) {
        let range = self.atoms.range(atom);
        let of = |builtin| {
            let atom = self.atoms.number(&Kind::Builtin(builtin));
            let drawn = atom.map(|atom| self.numbers[atom.index()]);
            drawn.or_else(|| self.atoms.fixed(builtin)).unwrap_or(1)
        };
        let threads = || {
            [Axis::X, Axis::Y, Axis::Z]
                .map(|axis| of(Builtin::BlockDim(axis)))
                .iter()
                .product::<i128>()
        };
        let most = match self.atoms.kind(atom) {
            Kind::Builtin(builtin) => match *builtin {
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
            Kind::Param(_)
            | Kind::Len(_)
            | Kind::Generic(_)
            | Kind::Inst(_)
            | Kind::Count(_)
            | Kind::Div(..)
            | Kind::Min(..)
            | Kind::Max(..)
            | Kind::Wrapped(..) => range.max,
        };
        (range.min, most.min(range.max).max(range.min))
    }

    /// Computes the atoms that are made of others. Those come first in the table.
    fn derive(&mut self) {
        *self.work_left = self.work_left.saturating_sub(DERIVED_WORK * self.atoms.len());
        for number in 0..self.atoms.len() {
            let value = |form: &Form| self.value(form);
            let derived = match self.atoms.kind(AtomId::new(number)) {
                Kind::Div(lhs, rhs) => {
                    value(lhs).zip(value(rhs)).and_then(|(lhs, rhs)| lhs.checked_div(rhs))
                }
                Kind::Min(lhs, rhs) => value(lhs).zip(value(rhs)).map(|(lhs, rhs)| lhs.min(rhs)),
                Kind::Max(lhs, rhs) => value(lhs).zip(value(rhs)).map(|(lhs, rhs)| lhs.max(rhs)),
                Kind::Wrapped(scalar, form) => {
                    value(form).zip(range::scalar_limits(*scalar)).and_then(|(value, limits)| {
                        let width = limits.max.checked_sub(limits.min)?.checked_add(1)?;
                        Some(value.checked_sub(limits.min)?.rem_euclid(width) + limits.min)
                    })
                }
                Kind::Param(_)
                | Kind::Len(_)
                | Kind::Builtin(_)
                | Kind::Generic(_)
                | Kind::Inst(_)
                | Kind::Count(_) => continue,
            };
            if let Some(derived) = derived {
                self.numbers[number] = derived;
            }
        }
    }

    /// The value of a form; `None` if it is too large to compute.
    fn value(&self, form: &Form) -> Option<i128> {
        let mut sum = form.rest();
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
        let mut atom = |kind, most| Form::atom(atoms.get(kind, Range::new(0, most)));
        let len = atom(Kind::Len(ParamId::new(0)), 1 << 40);
        let index = atom(Kind::Inst(InstId::new(0)), 15);
        let goal = len.minus(&index).unwrap().minus(&Form::constant(1)).unwrap();
        let contract = len.minus(&Form::constant(16)).unwrap();
        let is_needed = |mut work| is_needed(&atoms, &[], &goal, &contract, &mut work);
        assert!(is_needed(MAX_CONTRACT_WORK));
        assert!(!is_needed(100));
    }
}
