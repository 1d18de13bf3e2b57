//! Atoms: the numbers that [forms](super::form) are made of. They are launch arguments, numbers
//! that differ between threads, and results computed from these by operations other than sums and
//! products.
//!
//! Equal atoms are equal numbers: `n / 4` is one atom wherever it is computed.
use super::form::{AtomId, Form, Monomial, scale_coefficient};
use crate::{
    analysis::range::Range,
    id::{Id as _, Table},
    ir::{Builtin, GenericId, InstId, ParamId, Scalar},
};
use std::collections::HashMap;

/// The kind of an atom.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum AtomKind {
    /// A scalar parameter.
    Param(ParamId),
    /// The length of a slice parameter.
    Len(ParamId),
    Builtin(Builtin),
    /// A constant parameter.
    Generic(GenericId),
    /// The result of an instruction of which nothing else is known.
    Inst(InstId),
    /// The number of iterations of a `for` so far.
    Count(InstId),
    /// The quotient, rounded down, of a number that is not negative and a positive one.
    Div(Form, Form),
    Min(Form, Form),
    Max(Form, Form),
    /// A number wrapped to this type.
    Wrapped(Scalar, Form),
}

/// Every atom of a kernel.
#[derive(Debug, Default)]
pub(super) struct Atoms {
    table: Table<AtomId, (AtomKind, Range)>,
    ids: HashMap<AtomKind, AtomId>,
    /// For each atom, true if the launch determines it. Numbers that contain another one twice would
    /// double the work of finding out.
    of_launch: Vec<bool>,
    /// Builtins with the same value in every launch: constants, not atoms.
    fixed: Vec<(Builtin, i128)>,
}

impl Atoms {
    /// Returns the atom of `kind`, which it adds if necessary; `range` bounds it wherever it is
    /// defined.
    pub(super) fn intern(&mut self, kind: AtomKind, range: Range) -> AtomId {
        if let Some(&atom) = self.ids.get(&kind) {
            return atom;
        }
        let of_launch = self.is_kind_launch_constant(&kind);
        self.of_launch.push(of_launch);
        let atom = self.table.push((kind.clone(), range));
        self.ids.insert(kind, atom);
        atom
    }

    pub(super) fn kind(&self, atom: AtomId) -> &AtomKind {
        &self.table[atom].0
    }

    pub(super) fn range(&self, atom: AtomId) -> Range {
        self.table[atom].1
    }

    /// Records that `kind` has the same value in every launch.
    pub(super) fn set_fixed(&mut self, kind: &AtomKind, value: i128) {
        if let AtomKind::Builtin(builtin) = *kind
            && self.fixed_value(builtin).is_none()
        {
            self.fixed.push((builtin, value));
        }
    }

    /// Returns the value of a builtin that has the same value in every launch.
    pub(super) fn fixed_value(&self, builtin: Builtin) -> Option<i128> {
        self.fixed.iter().find(|(fixed, _)| *fixed == builtin).map(|(_, value)| *value)
    }

    /// Returns the atom of `kind`, if it exists.
    pub(super) fn find(&self, kind: &AtomKind) -> Option<AtomId> {
        self.ids.get(kind).copied()
    }

    /// Returns true if every launch has a thread in which each factor takes the maximum of its
    /// range: nothing that a launch chooses bounds it.
    pub(super) fn attains_maximum(&self, monomial: Monomial) -> bool {
        monomial.atoms().all(|atom| self.atom_attains_maximum(atom))
    }

    fn atom_attains_maximum(&self, atom: AtomId) -> bool {
        let parts = |form: &Form| form.atoms().all(|atom| self.atom_attains_maximum(atom));
        let is_fixed = |kind: &AtomKind| {
            // A number with one value is no atom.
            self.find(kind).is_none_or(|atom| self.range(atom).min == self.range(atom).max)
        };
        let range = self.range(atom);
        range.min == range.max
            || match self.kind(atom) {
                AtomKind::Param(_)
                | AtomKind::Len(_)
                | AtomKind::Generic(_)
                | AtomKind::Count(_) => false,
                AtomKind::Builtin(Builtin::ThreadIdx(axis)) => {
                    is_fixed(&AtomKind::Builtin(Builtin::BlockDim(*axis)))
                }
                AtomKind::Builtin(
                    Builtin::BlockIdx(_)
                    | Builtin::GlobalIdx(_)
                    | Builtin::BlockDim(_)
                    | Builtin::GridDim(_)
                    | Builtin::LaneId
                    | Builtin::WarpId
                    | Builtin::LaneMask(_)
                    | Builtin::CoarseningFactor,
                ) => false,
                AtomKind::Inst(_) => true,
                AtomKind::Div(a, b) | AtomKind::Min(a, b) | AtomKind::Max(a, b) => {
                    parts(a) && parts(b)
                }
                AtomKind::Wrapped(_, form) => parts(form),
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

    /// Returns the range of a product; `None` if it does not fit.
    pub(super) fn product_range(&self, monomial: Monomial) -> Option<Range> {
        let Some((first, mut rest)) = monomial.split_first() else { return Some(Range::new(1, 1)) };
        let mut product = self.range(first);
        while let Some((atom, others)) = rest.split_first() {
            product = product.checked_mul(self.range(atom))?;
            rest = others;
        }
        Some(product)
    }

    /// Returns the range of a term; `None` if it does not fit.
    fn term_range(&self, monomial: Monomial, coefficient: i128) -> Option<Range> {
        let Range { min, max } = self.product_range(monomial)?;
        let (a, b) = (scale_coefficient(min, coefficient)?, scale_coefficient(max, coefficient)?);
        Some(if a <= b { Range::new(a, b) } else { Range::new(b, a) })
    }

    /// Returns the minimum of a product of numbers that are not negative.
    pub(super) fn min_product(&self, monomial: Monomial) -> i128 {
        let least = |product: i128, atom| product.checked_mul(self.range(atom).min);
        monomial.atoms().try_fold(1, least).unwrap_or(0)
    }

    /// Returns the minimum of a term; `None` if it does not fit.
    pub(super) fn min_term(&self, monomial: Monomial, coefficient: i128) -> Option<i128> {
        match self.term_range(monomial, coefficient) {
            Some(range) => Some(range.min),
            None if coefficient > 0 && !self.is_negative(monomial) => {
                self.min_product(monomial).checked_mul(coefficient)
            }
            None => None,
        }
    }

    /// Returns the lower and the upper bound of a form, as far as they fit.
    pub(super) fn bounds(&self, form: &Form) -> (Option<i128>, Option<i128>) {
        let (mut least, mut most) = (Some(form.constant_term()), Some(form.constant_term()));
        for &(monomial, coefficient) in form.terms() {
            let Some(range) = self.term_range(monomial, coefficient) else {
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
        // A product that is not negative has a minimum even without a maximum.
        (least.or_else(|| self.lower_bound(form)), most)
    }

    fn lower_bound(&self, form: &Form) -> Option<i128> {
        let mut sum = form.constant_term();
        for &(monomial, coefficient) in form.terms() {
            sum = sum.checked_add(self.min_term(monomial, coefficient)?)?;
        }
        Some(sum)
    }

    /// Returns true if the launch determines it.
    pub(super) fn is_launch_constant(&self, form: &Form) -> bool {
        form.atoms().all(|atom| self.is_atom_launch_constant(atom))
    }

    /// Returns true if the launch determines a product.
    pub(super) fn is_product_launch_constant(&self, monomial: Monomial) -> bool {
        let mut rest = monomial;
        while let Some((atom, others)) = rest.split_first() {
            if !self.is_atom_launch_constant(atom) {
                return false;
            }
            rest = others;
        }
        true
    }

    fn is_atom_launch_constant(&self, atom: AtomId) -> bool {
        self.of_launch[atom.index()]
    }

    fn is_kind_launch_constant(&self, kind: &AtomKind) -> bool {
        match kind {
            AtomKind::Param(_) | AtomKind::Len(_) | AtomKind::Generic(_) => true,
            AtomKind::Builtin(builtin) => builtin.is_known_at_launch(),
            AtomKind::Div(a, b) | AtomKind::Min(a, b) | AtomKind::Max(a, b) => {
                self.is_launch_constant(a) && self.is_launch_constant(b)
            }
            AtomKind::Wrapped(_, form) => self.is_launch_constant(form),
            AtomKind::Inst(_) | AtomKind::Count(_) => false,
        }
    }
}
