//! The numbers that [forms](super::form) are made of: what a launch passes, what differs between
//! threads, and what is computed from these in ways that sums of products cannot say.
//!
//! Equal atoms are equal numbers: `n / 4` is one atom wherever it is computed.
use super::form::{AtomId, Form, Monomial, scaled};
use crate::{
    analysis::range::Range,
    id::Table,
    ir::{Builtin, GenericId, InstId, ParamId, Scalar},
};
use std::collections::HashMap;

/// The kind of an atom.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// A scalar parameter.
    Param(ParamId),
    /// The length of a slice parameter.
    Len(ParamId),
    Builtin(Builtin),
    /// A constant parameter.
    Generic(GenericId),
    /// The value of an instruction, of which nothing else is known.
    Inst(InstId),
    /// The number of iterations of a `for` so far.
    Count(InstId),
    /// The quotient, rounded down, of what is not negative and what is positive.
    Div(Form, Form),
    Min(Form, Form),
    Max(Form, Form),
    /// The remainder of a number in this type.
    Wrapped(Scalar, Form),
}

/// Every atom of a kernel.
#[derive(Debug, Default)]
pub(super) struct Atoms {
    table: Table<AtomId, (Kind, Range)>,
    ids: HashMap<Kind, AtomId>,
    /// Builtins with one value in every launch, which are constants and no atoms.
    fixed: Vec<(Builtin, i128)>,
}

impl Atoms {
    /// The atom for `kind`, which lies in `range` wherever it is defined.
    pub(super) fn get(&mut self, kind: Kind, range: Range) -> AtomId {
        let Self { table, ids, .. } = self;
        *ids.entry(kind).or_insert_with_key(|kind| table.push((kind.clone(), range)))
    }

    pub(super) fn kind(&self, atom: AtomId) -> &Kind {
        &self.table[atom].0
    }

    pub(super) fn range(&self, atom: AtomId) -> Range {
        self.table[atom].1
    }

    /// Notes that `kind` has the same value in every launch.
    pub(super) fn fix(&mut self, kind: &Kind, value: i128) {
        if let Kind::Builtin(builtin) = *kind
            && self.fixed(builtin).is_none()
        {
            self.fixed.push((builtin, value));
        }
    }

    /// The value of a builtin that has the same one in every launch.
    pub(super) fn fixed(&self, builtin: Builtin) -> Option<i128> {
        self.fixed.iter().find(|(fixed, _)| *fixed == builtin).map(|(_, value)| *value)
    }

    /// The atom for `kind`, if there is one.
    pub(super) fn number(&self, kind: &Kind) -> Option<AtomId> {
        self.ids.get(kind).copied()
    }

    /// True if there is a thread in every launch in which each factor is the largest that its range has: nothing that
    /// a launch chooses bounds it.
    pub(super) fn is_reached(&self, monomial: Monomial) -> bool {
        monomial.atoms().all(|atom| self.is_reached_by(atom))
    }

    fn is_reached_by(&self, atom: AtomId) -> bool {
        let parts = |form: &Form| form.atoms().all(|atom| self.is_reached_by(atom));
        let is_fixed = |kind: &Kind| {
            // A number with one value is no atom.
            self.number(kind).is_none_or(|atom| self.range(atom).min == self.range(atom).max)
        };
        let range = self.range(atom);
        range.min == range.max
            || match self.kind(atom) {
                Kind::Param(_) | Kind::Len(_) | Kind::Generic(_) | Kind::Count(_) => false,
                Kind::Builtin(Builtin::ThreadIdx(axis)) => {
                    is_fixed(&Kind::Builtin(Builtin::BlockDim(*axis)))
                }
                Kind::Builtin(
                    Builtin::BlockIdx(_)
                    | Builtin::GlobalIdx(_)
                    | Builtin::BlockDim(_)
                    | Builtin::GridDim(_)
                    | Builtin::LaneId
                    | Builtin::WarpId
                    | Builtin::LaneMask(_)
                    | Builtin::CoarseningFactor,
                ) => false,
                Kind::Inst(_) => true,
                Kind::Div(a, b) | Kind::Min(a, b) | Kind::Max(a, b) => parts(a) && parts(b),
                Kind::Wrapped(_, form) => parts(form),
            }
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    pub(super) fn is_negative(&self, monomial: Monomial) -> bool {
        let mut rest = monomial;
        while let Some((atom, others)) = rest.split_first() {
            if self.range(atom).min < 0 {
                return true;
            }
            rest = others;
        }
        false
    }

    /// The range of a product; `None` if it is too large to compute.
    pub(super) fn product(&self, monomial: Monomial) -> Option<Range> {
        let Some((first, mut rest)) = monomial.split_first() else { return Some(Range::new(1, 1)) };
        let mut product = self.range(first);
        while let Some((atom, others)) = rest.split_first() {
            product = product.checked_mul(self.range(atom))?;
            rest = others;
        }
        Some(product)
    }

    /// The range of a term; `None` if it is too large to compute.
    fn term(&self, monomial: Monomial, coefficient: i128) -> Option<Range> {
        let Range { min, max } = self.product(monomial)?;
        let (a, b) = (scaled(min, coefficient)?, scaled(max, coefficient)?);
        Some(if a <= b { Range::new(a, b) } else { Range::new(b, a) })
    }

    /// The least value of a product of numbers that are not negative.
    pub(super) fn least_product(&self, monomial: Monomial) -> i128 {
        let least = |product: i128, atom| product.checked_mul(self.range(atom).min);
        monomial.atoms().try_fold(1, least).unwrap_or(0)
    }

    /// The least value of a term; `None` if it is too large to compute.
    pub(super) fn least_term(&self, monomial: Monomial, coefficient: i128) -> Option<i128> {
        match self.term(monomial, coefficient) {
            Some(range) => Some(range.min),
            None if coefficient > 0 && !self.is_negative(monomial) => {
                self.least_product(monomial).checked_mul(coefficient)
            }
            None => None,
        }
    }

    /// Between which numbers a form lies, as far as that can be computed.
    pub(super) fn bounds(&self, form: &Form) -> (Option<i128>, Option<i128>) {
        let (mut least, mut most) = (Some(form.rest()), Some(form.rest()));
        for &(monomial, coefficient) in form.terms() {
            let Some(range) = self.term(monomial, coefficient) else {
                (least, most) = (None, None);
                break;
            };
            if let Some(sum) = least {
                least = sum.checked_add(range.min);
            }
            if let Some(sum) = most {
                most = sum.checked_add(range.max);
            }
        }
        // A product that is not negative has a least value even if none that is greatest.
        (least.or_else(|| self.least(form)), most)
    }

    fn least(&self, form: &Form) -> Option<i128> {
        let mut sum = form.rest();
        for &(monomial, coefficient) in form.terms() {
            sum = sum.checked_add(self.least_term(monomial, coefficient)?)?;
        }
        Some(sum)
    }

    /// Returns true if a launch knows it.
    pub(super) fn is_of_launch(&self, form: &Form) -> bool {
        form.atoms().all(|atom| self.is_atom_of_launch(atom))
    }

    /// Returns true if a launch knows a product.
    pub(super) fn is_product_of_launch(&self, monomial: Monomial) -> bool {
        let mut rest = monomial;
        while let Some((atom, others)) = rest.split_first() {
            if !self.is_atom_of_launch(atom) {
                return false;
            }
            rest = others;
        }
        true
    }

    fn is_atom_of_launch(&self, atom: AtomId) -> bool {
        match self.kind(atom) {
            Kind::Param(_) | Kind::Len(_) | Kind::Generic(_) => true,
            Kind::Builtin(builtin) => builtin.is_known_at_launch(),
            Kind::Div(a, b) | Kind::Min(a, b) | Kind::Max(a, b) => {
                self.is_of_launch(a) && self.is_of_launch(b)
            }
            Kind::Wrapped(_, form) => self.is_of_launch(form),
            Kind::Inst(_) | Kind::Count(_) => false,
        }
    }
}
