//! The results of instructions, as [forms](super::form).
use super::{
    Cause,
    atom::Kind,
    cases::Case,
    form::Form,
    walk::{MOST_PARTS, Walk},
};
use crate::{
    analysis::range::{self, Range},
    ir::{Axis, BinaryOp, Builtin, CompareOp, GenericKind, InstId, Op, Scalar, Ty, UnaryOp},
};

/// Facts and products that a quotient is bounded by.
const MAX_BOUNDS: usize = 8;

impl Walk<'_> {
    /// Returns the result of `id`, whose operands have forms; `None` if that is no integer, or one that no proof needs.
    pub(super) fn form(&mut self, id: InstId) -> Option<Form> {
        let inst = &self.kernel.insts[id];
        let Ty::Scalar(scalar) = inst.ty else { return None };
        if scalar == Scalar::Bool || !self.relevant[id] {
            return None;
        }
        let limits = range::scalar_limits(scalar)?;
        let form = match &inst.op {
            Op::Const(bits) => range::const_range(scalar, *bits).map(|value| Form::constant(value.min)),
            Op::Generic(generic) => Some(self.atom(Kind::Generic(*generic), limits)),
            Op::Param(param) => Some(self.atom(Kind::Param(*param), self.launch.param(*param))),
            Op::Len(param) => Some(self.atom(Kind::Len(*param), self.launch.param(*param))),
            Op::Builtin(builtin) => limits
                .contains(self.launch.builtin(*builtin))
                .then(|| self.builtin(*builtin, Cause::Operation(id))),
            Op::Unary { op, value } => self.unary(*op, *value, scalar),
            Op::Binary { op, lhs, rhs } => {
                if matches!(op, BinaryOp::Div | BinaryOp::Rem)
                    && self.powers.contains(*rhs)
                    && let Some((value, power)) = self.forms[*lhs].clone().zip(self.forms[*rhs].clone())
                    && self.is_at_least(&power, 1)
                {
                    self.add_larger_power(&value, &power, limits, Cause::Operation(id));
                }
                let form = self.binary(id, *op, [*lhs, *rhs], scalar);
                return Some(form.unwrap_or_else(|| self.bits(id, *op, [*lhs, *rhs], limits)));
            }
            Op::Cast { value } | Op::Bitcast { value } => {
                let value = self.forms[*value].clone();
                value.map(|value| self.wrapped(value, scalar, limits))
            }
            Op::Select { cond, then, other } => {
                let sides = [*then, *other];
                self.select(id, *cond, sides).or_else(|| self.either(id, *cond, sides, limits))
            }
            Op::For { start, step, .. } => self.count(id, *start, *step),
            Op::Bounds { index, .. } => self.forms[*index].clone(),
            Op::Ternary { .. }
            | Op::Fma { .. }
            | Op::MulAdd { .. }
            | Op::Compare { .. }
            | Op::Get(_)
            | Op::Load { .. }
            | Op::AtomicLoad { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Barrier { .. }
            | Op::Shuffle { .. }
            | Op::Vote { .. }
            | Op::Match { .. }
            | Op::ActiveMask
            | Op::Reduce { .. }
            // These yield no integer.
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::Check { .. }
            | Op::Set { .. }
            | Op::Store { .. }
            | Op::AtomicStore { .. }
            | Op::SyncGrid
            | Op::SyncWarp { .. }
            | Op::Fence { .. }
            | Op::If { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => None,
        };
        Some(form.unwrap_or_else(|| self.opaque(id, limits)))
    }

    /// An atom for what an instruction yields.
    fn opaque(&mut self, id: InstId, limits: Range) -> Form {
        let range = self.ranges.get(self.kernel, id).filter(|range| !range.is_empty());
        self.atom(Kind::Inst(id), range.unwrap_or(limits))
    }

    /// Returns the remainder of a number in a type: all of it, where it is known to fit.
    pub(super) fn wrapped(&mut self, form: Form, scalar: Scalar, limits: Range) -> Form {
        if self.is_within(&form, limits) {
            // Elsewhere, where that was not known, it had another name.
            if let Some(atom) = self.atoms.number(&Kind::Wrapped(scalar, form.clone())) {
                self.add_equal(&Form::atom(atom), &form);
            }
            return form;
        }
        let kind = Kind::Wrapped(scalar, form.clone());
        let is_new = self.atoms.number(&kind).is_none();
        let value = self.atom(kind, limits);
        if let Some(atom) = value.as_atom().filter(|_| is_new) {
            self.wrapped.push((atom, form, limits));
        }
        value
    }

    /// Adds that two forms are equal, which needs no words.
    pub(super) fn add_equal(&mut self, lhs: &Form, rhs: &Form) {
        for (a, b) in [(lhs, rhs), (rhs, lhs)] {
            if let Some(difference) = a.minus(b) {
                self.known.add(&difference, None);
            }
        }
    }

    /// With what the launcher and the hardware make of it.
    pub(super) fn builtin(&mut self, builtin: Builtin, cause: Cause) -> Form {
        let value = self.atom(Kind::Builtin(builtin), self.launch.builtin(builtin));
        let mut dim = |builtin| self.atom(Kind::Builtin(builtin), self.launch.builtin(builtin));
        let [x, y, z] = [Axis::X, Axis::Y, Axis::Z].map(Builtin::BlockDim);
        let most = match builtin {
            Builtin::ThreadIdx(axis) => Some(dim(Builtin::BlockDim(axis))),
            Builtin::BlockIdx(axis) => Some(dim(Builtin::GridDim(axis))),
            Builtin::GlobalIdx(axis) => {
                let grid = dim(Builtin::GridDim(axis));
                grid.times(&dim(Builtin::BlockDim(axis)))
            }
            Builtin::WarpId => {
                let [x, y, z] = [x, y, z].map(dim);
                let threads = x.times(&y).and_then(|plane| plane.times(&z));
                // 32 warps of a number have fewer threads than there are.
                let first = value.scaled(32);
                let below =
                    threads.zip(first).and_then(|(all, first)| all.minus(&first)?.shifted(-1));
                self.add(below, cause);
                None
            }
            Builtin::BlockDim(_)
            | Builtin::GridDim(_)
            | Builtin::LaneId
            | Builtin::LaneMask(_)
            | Builtin::CoarseningFactor => None,
        };
        if let Builtin::BlockIdx(axis) | Builtin::GridDim(axis) = builtin {
            let threads = Form::constant(self.launch.max_threads(axis));
            let [grid, block] = [Builtin::GridDim(axis), Builtin::BlockDim(axis)]
                .map(|dim| self.atom(Kind::Builtin(dim), self.launch.builtin(dim)));
            // The launcher sees to it.
            if let Some(rest) = grid.times(&block).and_then(|all| threads.minus(&all)) {
                self.known.add(&rest, None);
            }
        }
        self.add(most.and_then(|most| most.minus(&value)?.shifted(-1)), cause);
        value
    }

    fn unary(&mut self, op: UnaryOp, value: InstId, scalar: Scalar) -> Option<Form> {
        let limits = range::scalar_limits(scalar)?;
        let value = self.forms[value].clone()?;
        match op {
            // The sum of `x` and `!x` is the largest value if unsigned, and -1 if not.
            UnaryOp::Not => Form::constant(limits.min + limits.max).minus(&value),
            UnaryOp::Neg => {
                let negated = value.scaled(-1)?;
                Some(self.wrapped(negated, scalar, limits))
            }
            UnaryOp::Abs => {
                let positive = self.implies(&value);
                positive.then_some(value)
            }
            UnaryOp::Sqrt
            | UnaryOp::Rsqrt
            | UnaryOp::Floor
            | UnaryOp::Ceil
            | UnaryOp::Trunc
            | UnaryOp::RoundTiesEven
            | UnaryOp::CountOnes
            | UnaryOp::LeadingZeros
            | UnaryOp::ReverseBits
            | UnaryOp::SwapBytes
            | UnaryOp::Approx(_) => None,
        }
    }

    fn binary(
        &mut self,
        id: InstId,
        op: BinaryOp,
        [lhs, rhs]: [InstId; 2],
        scalar: Scalar,
    ) -> Option<Form> {
        let exact = self.ranges.is_exact(id);
        let sides = [self.forms[lhs].clone()?, self.forms[rhs].clone()?];
        self.combined(op, sides, scalar, exact, Cause::Operation(id))
    }

    /// `lhs op rhs` in a type; `exact` if it is known not to wrap.
    pub(super) fn combined(
        &mut self,
        op: BinaryOp,
        [lhs, rhs]: [Form; 2],
        scalar: Scalar,
        exact: bool,
        cause: Cause,
    ) -> Option<Form> {
        let limits = range::scalar_limits(scalar)?;
        let width = i128::from(scalar.bits()?);
        let power = |rhs: &Form| rhs.known().map(|by| 1_i128 << by.rem_euclid(width));
        let whole = match op {
            BinaryOp::Add => lhs.plus(1, &rhs)?,
            BinaryOp::Sub => lhs.minus(&rhs)?,
            BinaryOp::Mul => lhs.times(&rhs)?,
            BinaryOp::Shl => lhs.scaled(power(&rhs)?)?,
            BinaryOp::Shr => {
                let divisor = Form::constant(power(&rhs)?);
                return self.quotient(&lhs, &divisor, limits, cause);
            }
            BinaryOp::Div => return self.quotient(&lhs, &rhs, limits, cause),
            BinaryOp::Rem => return self.remainder(&lhs, &rhs, limits, cause),
            BinaryOp::And => return self.masked(&lhs, &rhs, limits, cause),
            BinaryOp::Min => return Some(self.smaller(lhs, rhs, cause)),
            BinaryOp::Max => return Some(self.larger(lhs, rhs, cause)),
            BinaryOp::MulHigh => {
                let product = lhs.times(&rhs)?;
                let fits = limits.min == 0 && self.is_within(&product, limits);
                return fits.then(|| Form::constant(0));
            }
            BinaryOp::Or | BinaryOp::Xor | BinaryOp::RotateLeft => return None,
        };
        Some(if exact { whole } else { self.wrapped(whole, scalar, limits) })
    }

    fn is_at_least(&mut self, form: &Form, least: i128) -> bool {
        form.shifted(-least).is_some_and(|rest| self.implies(&rest))
    }

    /// `lhs / rhs`, where `lhs` is not negative and `rhs` positive.
    fn quotient(&mut self, lhs: &Form, rhs: &Form, limits: Range, cause: Cause) -> Option<Form> {
        if let Some(exact) = rhs.known().and_then(|divisor| lhs.divided(divisor)) {
            return Some(exact);
        }
        if !self.is_at_least(lhs, 0) || !self.is_at_least(rhs, 1) {
            return None;
        }
        if let Some((whole, rest)) = lhs.split(rhs)
            && whole.known() != Some(0)
            && self.is_at_least(&rest, 0)
            && rhs.minus(&rest).is_some_and(|more| self.is_at_least(&more, 1))
        {
            return Some(whole);
        }
        let ((least_lhs, most_lhs), (least_rhs, most_rhs)) =
            (self.atoms.bounds(lhs), self.atoms.bounds(rhs));
        let most = most_lhs.unwrap_or(limits.max) / least_rhs.unwrap_or(1).max(1);
        if most == 0 {
            return Some(Form::constant(0));
        }
        let least = least_lhs.unwrap_or(0).max(0) / most_rhs.unwrap_or(limits.max).max(1);
        let kind = Kind::Div(lhs.clone(), rhs.clone());
        let quotient = self.atom(kind, Range::new(least, most.min(limits.max)));
        let rest = lhs.minus(&rhs.times(&quotient)?)?;
        self.add(Some(rest.clone()), cause);
        self.add(rhs.minus(&rest).and_then(|more| more.shifted(-1)), cause);
        self.bound_quotient(lhs, rhs, &quotient);
        Some(quotient)
    }

    /// Adds what bounds a quotient: sums of facts say so of fractions only.
    fn bound_quotient(&mut self, lhs: &Form, rhs: &Form, quotient: &Form) {
        if let Some(divisor) = rhs.known() {
            // With `lhs <= divisor * most + rest`, the quotient is at most `most`.
            let Some(atom) = lhs.atoms().next() else { return };
            let facts: Vec<_> = self
                .known
                .mentioning(atom)
                .take(MAX_BOUNDS)
                .map(|&fact| self.known.fact(fact).clone())
                .collect();
            for fact in facts {
                let above = fact
                    .form
                    .plus(1, lhs)
                    .filter(|above| !above.atoms().any(|other| other == atom));
                let most = above.map(|above| {
                    above.plus(-above.rest(), &Form::constant(1)).zip(Some(above.rest()))
                });
                if let Some(Some((terms, rest))) = most
                    && let Some(terms) = terms.divided(divisor)
                    && let Some(most) = terms.shifted(rest.div_euclid(divisor))
                    && let Some(rest) = most.minus(quotient)
                {
                    self.known.add(&rest, fact.cause);
                }
            }
            return;
        }
        // With `lhs < rhs * most`, the quotient is less than `most`.
        let Some(divisor) = rhs.as_atom() else { return };
        let mut bounds: Vec<Form> = Vec::new();
        for &fact in self.known.mentioning(divisor) {
            for &(product, coefficient) in self.known.fact(fact).form.terms() {
                if bounds.len() < MAX_BOUNDS
                    && let Some(others) =
                        rhs.terms().first().and_then(|(rhs, _)| product.divided(*rhs))
                    && others.len() > 0
                    && let Some(most) = Form::from(others).scaled(coefficient.abs())
                    && !bounds.contains(&most)
                    && !most.atoms().any(|atom| quotient.as_atom() == Some(atom))
                {
                    bounds.push(most);
                }
            }
        }
        for most in bounds {
            let Some(goal) = most.minus(quotient).and_then(|rest| rest.shifted(-1)) else {
                continue;
            };
            if let Some(causes) = self.prove(&goal) {
                self.known.add(&goal, causes.first().copied());
            }
        }
    }

    fn remainder(&mut self, lhs: &Form, rhs: &Form, limits: Range, cause: Cause) -> Option<Form> {
        let quotient = self.quotient(lhs, rhs, limits, cause)?;
        lhs.minus(&rhs.times(&quotient)?)
    }

    /// `lhs & rhs`, where one of them masks the lowest bits or all but these.
    fn masked(&mut self, lhs: &Form, rhs: &Form, limits: Range, cause: Cause) -> Option<Form> {
        let (value, mask) = match (lhs.known(), rhs.known()) {
            (_, Some(mask)) => (lhs, mask),
            (Some(mask), None) => (rhs, mask),
            (None, None) => return None,
        };
        let power = |ones: i128| (ones > 0 && (ones & (ones + 1)) == 0).then_some(ones + 1);
        if let Some(divisor) = power(mask) {
            return self.remainder(value, &Form::constant(divisor), limits, cause);
        }
        let divisor = Form::constant(power(limits.max - mask).filter(|_| limits.min == 0)?);
        self.quotient(value, &divisor, limits, cause)?.times(&divisor)
    }

    /// Returns the result of an operation on bits as an atom, with the facts about it.
    fn bits(&mut self, id: InstId, op: BinaryOp, [lhs, rhs]: [InstId; 2], limits: Range) -> Form {
        let (cause, value) = (Cause::Operation(id), self.opaque(id, limits));
        let Some((a, b)) = self.forms[lhs].clone().zip(self.forms[rhs].clone()) else {
            return value;
        };
        let is_unsigned = limits.min == 0;
        let has_no_negative = is_unsigned || self.is_at_least(&a, 0) && self.is_at_least(&b, 0);
        if !has_no_negative {
            return value;
        }
        let sum = a.plus(1, &b);
        match op {
            BinaryOp::And => {
                for (side, mask) in [(&a, rhs), (&b, lhs)] {
                    self.add(side.minus(&value), cause);
                    if let Some(form) = self.masked_by_power(side, mask, limits, cause) {
                        self.add_equal(&value, &form);
                    }
                }
            }
            BinaryOp::Or => {
                self.add(value.minus(&a), cause);
                self.add(value.minus(&b), cause);
                self.add(sum.and_then(|sum| sum.minus(&value)), cause);
            }
            BinaryOp::Xor => {
                self.add(sum.and_then(|sum| sum.minus(&value)), cause);
                for (side, by, inst) in [(&a, &b, rhs), (&b, &a, lhs)] {
                    self.add(value.plus(1, by).and_then(|sum| sum.minus(side)), cause);
                    if self.powers.contains(inst)
                        && let Some(form) = self.flipped(side, by, limits, cause)
                    {
                        self.add_equal(&value, &form);
                    }
                }
            }
            BinaryOp::Shr => self.add(a.minus(&value), cause),
            BinaryOp::Shl => {
                let most_shift = self.atoms.bounds(&b).1.filter(|&most| most < 64);
                if let (Some(number), Some(shift)) = (a.known(), most_shift)
                    && let Some(most) =
                        number.checked_mul(1 << shift).filter(|&most| most <= limits.max)
                {
                    self.add(value.shifted(-number), cause);
                    self.add(Form::constant(most).minus(&value), cause);
                }
            }
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => {}
        }
        value
    }

    /// `value & mask`, where the mask is one less than a power of two, or the complement of that.
    fn masked_by_power(
        &mut self,
        value: &Form,
        mask: InstId,
        limits: Range,
        cause: Cause,
    ) -> Option<Form> {
        let insts = &self.kernel.insts;
        if let Op::Unary { op: UnaryOp::Not, value: mask } = insts[mask].op {
            let rest = self.masked_by_power(value, mask, limits, cause)?;
            return value.minus(&rest);
        }
        let Op::Binary { op, lhs, rhs } = insts[mask].op else { return None };
        let Op::Const(one) = insts[rhs].op else { return None };
        let less =
            op == BinaryOp::Sub && one == 1 || op == BinaryOp::Add && i128::from(one) == limits.max;
        if !less || !self.powers.contains(lhs) {
            return None;
        }
        let power = self.forms[lhs].clone()?;
        if !self.is_at_least(&power, 1) {
            return None;
        }
        self.add_larger_power(value, &power, limits, cause);
        self.remainder(value, &power, limits, cause)
    }

    /// Adds that `power`, a power of two that is at least 1, divides the power of two that is larger than every `value`, if it is
    /// not above that itself.
    fn add_larger_power(
        &mut self,
        value: &Form,
        power: &Form,
        limits: Range,
        cause: Cause,
    ) -> Option<()> {
        let most = self.atoms.bounds(value).1.filter(|&most| most < limits.max / 2)?;
        let larger = Form::constant(1_i128 << (128 - most.leading_zeros()));
        if power.known().is_none() && self.implies(&larger.minus(power)?) {
            let parts = self.quotient(&larger, power, limits, cause)?;
            self.known.add(&power.times(&parts)?.minus(&larger)?, None);
        }
        Some(())
    }

    /// `value ^ power`: the power more where `value` does not have that bit, and less where it does.
    fn flipped(&mut self, value: &Form, power: &Form, limits: Range, cause: Cause) -> Option<Form> {
        if !self.is_at_least(power, 1) {
            return None;
        }
        let above = self.quotient(value, power, limits, cause)?;
        let bit = self.remainder(&above, &Form::constant(2), limits, cause)?;
        value.plus(1, power)?.plus(-2, &power.times(&bit)?)
    }

    fn smaller(&mut self, lhs: Form, rhs: Form, cause: Cause) -> Form {
        let (a, b) = if lhs <= rhs { (lhs, rhs) } else { (rhs, lhs) };
        let [x, y] = [self.atoms.bounds(&a), self.atoms.bounds(&b)];
        let least = x.0.zip(y.0).map_or(i128::MIN, |(x, y)| x.min(y));
        let most = x.1.unwrap_or(i128::MAX).min(y.1.unwrap_or(i128::MAX));
        let smaller = self.atom(Kind::Min(a.clone(), b.clone()), Range::new(least, most));
        for side in [a, b] {
            self.add(side.minus(&smaller), cause);
        }
        smaller
    }

    fn larger(&mut self, lhs: Form, rhs: Form, cause: Cause) -> Form {
        let (a, b) = if lhs <= rhs { (lhs, rhs) } else { (rhs, lhs) };
        let [x, y] = [self.atoms.bounds(&a), self.atoms.bounds(&b)];
        let least = x.0.unwrap_or(i128::MIN).max(y.0.unwrap_or(i128::MIN));
        let most = x.1.zip(y.1).map_or(i128::MAX, |(x, y)| x.max(y));
        let larger = self.atom(Kind::Max(a.clone(), b.clone()), Range::new(least, most));
        for side in [a, b] {
            self.add(larger.minus(&side), cause);
        }
        larger
    }

    /// One of two values: where the condition compares them, the smaller or the larger.
    fn select(&mut self, id: InstId, cond: InstId, [then, other]: [InstId; 2]) -> Option<Form> {
        let (then, other) = (self.forms[then].clone()?, self.forms[other].clone()?);
        let Op::Compare { op, lhs, rhs } = self.kernel.insts[cond].op else { return None };
        let (lhs, rhs) = (self.forms[lhs].clone()?, self.forms[rhs].clone()?);
        let first = if then == lhs && other == rhs {
            true
        } else if then == rhs && other == lhs {
            false
        } else {
            return None;
        };
        match (op, first) {
            (CompareOp::Lt | CompareOp::Le, true) | (CompareOp::Gt | CompareOp::Ge, false) => {
                Some(self.smaller(then, other, Cause::Operation(id)))
            }
            (CompareOp::Lt | CompareOp::Le, false) | (CompareOp::Gt | CompareOp::Ge, true) => {
                Some(self.larger(then, other, Cause::Operation(id)))
            }
            (CompareOp::Eq | CompareOp::Ne, _) => None,
        }
    }

    /// One of two values, case by case.
    fn either(
        &mut self,
        id: InstId,
        cond: InstId,
        [then, other]: [InstId; 2],
        limits: Range,
    ) -> Option<Form> {
        let values = [(true, self.forms[then].clone()?), (false, self.forms[other].clone()?)];
        let selected = self.opaque(id, limits);
        let cases = values.map(|(truth, value)| {
            let facts = self.scoped(|walk| {
                let before = walk.known.mark();
                walk.assume(cond, truth, Cause::Guard(cond, truth), MOST_PARTS);
                walk.known.since(before)
            });
            Case { facts, value }
        });
        if let Some(atom) = selected.as_atom() {
            self.cases.add(atom, cases.into());
        }
        Some(selected)
    }

    /// The value of a `for`. One that does not take each is as many steps from its start as
    /// the body has run.
    fn count(&mut self, id: InstId, start: InstId, step: InstId) -> Option<Form> {
        let step = self.forms[step].as_ref()?.known().filter(|&step| step > 1)?;
        let start = self.forms[start].clone()?;
        let most = range::scalar_limits(Scalar::U64)?.max;
        let count = self.atom(Kind::Count(id), Range::new(0, most));
        start.plus(step, &count)
    }

    /// The limits of a constant parameter's type.
    pub(super) fn generic_limits(&self, id: crate::ir::GenericId) -> Option<(Scalar, Range)> {
        match self.kernel.generics.get(id)?.kind {
            GenericKind::Const(scalar) => Some((scalar, range::scalar_limits(scalar)?)),
            GenericKind::Type(_) => None,
        }
    }
}
