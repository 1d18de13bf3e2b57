//! The requirements of a kernel on its launches, as facts.
//!
//! The launcher has computed each condition with every sum, difference and product checked, so
//! these are exact. An equality with a launch argument defines that argument: with
//! `requires(n % 4 == 0)`, `n` is 4 times `n / 4` from there on.
use super::{
    Cause,
    analyzer::CheckAnalyzer,
    atom::AtomKind,
    form::{AtomId, Form},
};
use crate::{
    analysis::range::{self, Range},
    ir::{BinaryOp, CompareOp, Scalar, Size, UnaryOp},
};

/// A comparison that holds.
type Comparison<'a> = (CompareOp, &'a [Size; 2], Cause);

impl CheckAnalyzer<'_> {
    pub(super) fn add_requirements(&mut self) {
        let kernel = self.kernel;
        let mut comparisons = Vec::new();
        for (index, requirement) in kernel.requires.iter().enumerate() {
            comparisons_of(&requirement.cond, true, Cause::Requirement(index), &mut comparisons);
        }
        let equal = |(op, ..): &&Comparison<'_>| *op == CompareOp::Eq;
        let mut said = Vec::new();
        for (_, sides, cause) in comparisons.iter().filter(equal) {
            if let Some((lhs, rhs)) = self.form_sides(sides, *cause)
                && let Some(difference) = lhs.checked_sub(&rhs)
                && let Some(range) = self.define_atom(&difference)
            {
                said.push((range, *cause));
            }
        }
        // New equalities replace atoms in the facts before them.
        self.known.forget_since(0);
        for ((atom, range), cause) in said {
            let Some(form) = self.definitions.get(&atom).cloned() else { continue };
            self.add_nonnegative(form.checked_add_number(-range.min), cause);
            self.add_nonnegative(Form::constant(range.max).checked_sub(&form), cause);
        }
        for (op, sides, cause) in comparisons {
            if let Some((lhs, rhs)) = self.form_sides(sides, cause) {
                self.assume_compare(op, &lhs, &rhs, cause);
            }
        }
    }

    fn form_sides(&mut self, [lhs, rhs]: &[Size; 2], cause: Cause) -> Option<(Form, Form)> {
        let (lhs, _) = self.size_form(lhs, cause)?;
        let (rhs, _) = self.size_form(rhs, cause)?;
        Some((lhs, rhs))
    }

    /// Records the value of an atom for which `difference` is 0; returns the atom, and its range.
    fn define_atom(&mut self, difference: &Form) -> Option<(AtomId, Range)> {
        let difference = &difference.primitive();
        let is_alone =
            |atom: AtomId| difference.atoms().filter(|&other| other == atom).count() == 1;
        let rank = |atom: AtomId| match self.atoms.kind(atom) {
            AtomKind::Len(_) => Some(0),
            AtomKind::Param(_) => Some(1),
            AtomKind::Builtin(_) => Some(2),
            AtomKind::Generic(_)
            | AtomKind::Inst(_)
            | AtomKind::Count(_)
            | AtomKind::Div(..)
            | AtomKind::Min(..)
            | AtomKind::Max(..)
            | AtomKind::Wrapped(..) => None,
        };
        let candidates = difference.terms().iter().filter_map(|&(monomial, coefficient)| {
            let atom = monomial.first().filter(|_| monomial.len() == 1)?;
            let rank = rank(atom).filter(|_| coefficient.abs() == 1 && is_alone(atom))?;
            Some((rank, atom, coefficient))
        });
        let (_, atom, coefficient) = candidates.min()?;
        let rest = difference.checked_add_scaled(-coefficient, &Form::atom(atom))?;
        let value = rest.checked_scale(-coefficient)?;
        let mut replaced = Vec::new();
        for (&other, form) in &self.definitions {
            replaced.push((other, form.substitute(atom, &value)?));
        }
        self.definitions.extend(replaced);
        self.definitions.insert(atom, value);
        Some((atom, self.atoms.range(atom)))
    }

    /// Returns the number that a launch computed without an error, and its type.
    fn size_form(&mut self, size: &Size, cause: Cause) -> Option<(Form, Scalar)> {
        match size {
            Size::Const(scalar, bits) => {
                let value = range::const_range(*scalar, *bits)?;
                Some((Form::constant(value.min), *scalar))
            }
            Size::Extent(extent) => Some((Form::constant(extent.known()?.into()), Scalar::U64)),
            Size::Generic(id) => {
                let (scalar, limits) = self.generic_limits(*id)?;
                Some((self.atom_form(AtomKind::Generic(*id), limits), scalar))
            }
            Size::Param(id) => {
                let scalar = self.param_type(*id)?;
                range::scalar_limits(scalar)?;
                Some((self.atom_form(AtomKind::Param(*id), self.launch.param(*id)), scalar))
            }
            Size::Len(id) => {
                Some((self.atom_form(AtomKind::Len(*id), self.launch.param(*id)), Scalar::U64))
            }
            Size::Builtin(builtin) => Some((self.builtin_form(*builtin, cause), Scalar::U64)),
            Size::Unary(UnaryOp::Neg, value) => {
                let (value, scalar) = self.size_form(value, cause)?;
                Some((value.checked_scale(-1)?, scalar))
            }
            Size::Binary(op, parts) => {
                let (lhs, scalar) = self.size_form(&parts[0], cause)?;
                let (rhs, _) = self.size_form(&parts[1], cause)?;
                let exact = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
                let value = self.combine_forms(*op, [lhs, rhs], scalar, exact, cause)?;
                if exact && let Some(limits) = range::scalar_limits(scalar) {
                    self.add_nonnegative(Form::constant(limits.max).checked_sub(&value), cause);
                    self.add_nonnegative(value.checked_add_number(-limits.min), cause);
                }
                Some((value, scalar))
            }
            Size::Cast(to, value) => {
                let (value, _) = self.size_form(value, cause)?;
                let limits = range::scalar_limits(*to)?;
                Some((self.wrapped_form(value, *to, limits), *to))
            }
            Size::Unary(..) | Size::Compare(..) | Size::Select(_) => None,
        }
    }
}

/// Collects the comparisons that hold where `cond` is `truth`, all of which were computed.
fn comparisons_of<'a>(cond: &'a Size, truth: bool, cause: Cause, list: &mut Vec<Comparison<'a>>) {
    match cond {
        Size::Compare(op, sides) => {
            list.push((if truth { *op } else { range::negated_comparison(*op) }, sides, cause));
        }
        Size::Unary(UnaryOp::Not, value) => comparisons_of(value, !truth, cause, list),
        Size::Binary(op, parts) if *op == if truth { BinaryOp::And } else { BinaryOp::Or } => {
            parts.iter().for_each(|part| comparisons_of(part, truth, cause, list));
        }
        // `&&` where it is true, `||` where it is false.
        Size::Select(parts) => match &**parts {
            [lhs, rhs, Size::Const(Scalar::Bool, 0)] if truth => {
                comparisons_of(lhs, true, cause, list);
                comparisons_of(rhs, true, cause, list);
            }
            [lhs, Size::Const(Scalar::Bool, 1), rhs] if !truth => {
                comparisons_of(lhs, false, cause, list);
                comparisons_of(rhs, false, cause, list);
            }
            _ => {}
        },
        Size::Const(..)
        | Size::Extent(_)
        | Size::Generic(_)
        | Size::Param(_)
        | Size::Len(_)
        | Size::Builtin(_)
        | Size::Unary(..)
        | Size::Binary(..)
        | Size::Cast(..) => {}
    }
}
