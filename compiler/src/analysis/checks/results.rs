//! The results of instructions, as [forms](super::form).
use super::{
    Cause,
    analyzer::{CheckAnalyzer, MAX_CONDITION_DEPTH},
    atom::AtomKind,
    cases::Case,
    form::Form,
};
use crate::{
    analysis::range::{self, Range},
    ir::{
        Axis, BinaryOp, Builtin, CompareOp, GenericKind, InstId, MatrixOp, Op, Scalar, SyncOp, Ty,
        UnaryOp,
    },
};

/// Maximum number of facts, and of products, that bound a quotient.
const MAX_QUOTIENT_BOUNDS: usize = 8;

impl CheckAnalyzer<'_> {
    /// Returns the result of `id`, whose operands have forms; `None` if it is no integer, or
    /// irrelevant to proofs.
    pub(super) fn result_form(&mut self, id: InstId) -> Option<Form> {
        let inst = &self.kernel.insts[id];
        let Ty::Scalar(scalar) = inst.ty else { return None };
        if scalar == Scalar::Bool || !self.relevant[id] {
            return None;
        }
        let limits = range::scalar_limits(scalar)?;
        let form = match &inst.op {
            Op::Const(bits) => range::const_range(scalar, *bits).map(|value| Form::constant(value.min)),
            Op::Generic(generic) => Some(self.atom_form(AtomKind::Generic(*generic), limits)),
            Op::Param(param) => Some(self.atom_form(AtomKind::Param(*param), self.launch.param(*param))),
            Op::Len(param) => Some(self.atom_form(AtomKind::Len(*param), self.launch.param(*param))),
            Op::Builtin(builtin) => limits
                .contains(self.launch.builtin(*builtin))
                .then(|| self.builtin_form(*builtin, Cause::Operation(id))),
            Op::Unary { op, value } => self.unary_form(*op, *value, scalar),
            Op::Binary { op, lhs, rhs } => {
                if matches!(op, BinaryOp::Div | BinaryOp::Rem)
                    && self.powers.contains(*rhs)
                    && let Some((value, power)) = self.forms[*lhs].clone().zip(self.forms[*rhs].clone())
                    && self.is_at_least(&power, 1)
                {
                    self.add_larger_power(&value, &power, limits, Cause::Operation(id));
                }
                let form = self.binary_form(id, *op, [*lhs, *rhs], scalar);
                return Some(form.unwrap_or_else(|| self.bitwise_form(id, *op, [*lhs, *rhs], limits)));
            }
            Op::Cast { value } | Op::Bitcast { value } => {
                let value = self.forms[*value].clone();
                value.map(|value| self.wrapped_form(value, scalar, limits))
            }
            Op::Select { cond, then, other } => {
                let sides = [*then, *other];
                self.select_form(id, *cond, sides).or_else(|| self.either_form(id, *cond, sides, limits))
            }
            Op::For { start, step, .. } => self.counter_form(id, *start, *step),
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
            | Op::Sync(SyncOp::Barrier { .. } | SyncOp::MBarrierArrive { .. })
            | Op::Warp(_)
            | Op::Matrix(MatrixOp::Mma { .. } | MatrixOp::DistributeRows { .. })
            | Op::Texture { .. }
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
            // These yield no integer.
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::MapShared { .. }
            | Op::Check { .. }
            | Op::Set { .. }
            | Op::Store { .. }
            | Op::AtomicStore { .. }
            | Op::Copy(_)
            | Op::Prefetch { .. }
            | Op::Sync(_)
            | Op::Matrix(_)
            | Op::If { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => None,
        };
        Some(form.unwrap_or_else(|| self.opaque_result(id, limits)))
    }

    /// Returns an atom for the result of an instruction.
    fn opaque_result(&mut self, id: InstId, limits: Range) -> Form {
        let range = self.ranges.get(self.kernel, id).filter(|range| !range.is_empty());
        self.atom_form(AtomKind::Inst(id), range.unwrap_or(limits))
    }

    /// Returns a number wrapped to a type, which is the number itself if it is known to fit.
    pub(super) fn wrapped_form(&mut self, form: Form, scalar: Scalar, limits: Range) -> Form {
        if self.is_within(&form, limits) || self.assume_exact(&form, limits) {
            // In other places, where the fit was not known, the result had another name.
            if let Some(atom) = self.atoms.find(&AtomKind::Wrapped(scalar, form.clone())) {
                self.add_equal(&Form::atom(atom), &form);
            }
            return form;
        }
        let kind = AtomKind::Wrapped(scalar, form.clone());
        let is_new = self.atoms.find(&kind).is_none();
        let value = self.atom_form(kind, limits);
        if let Some(atom) = value.as_atom().filter(|_| is_new) {
            self.wrapped.push((atom, form, limits));
        }
        value
    }

    /// Adds the fact that two forms are equal; messages do not mention it.
    pub(super) fn add_equal(&mut self, lhs: &Form, rhs: &Form) {
        for (a, b) in [(lhs, rhs), (rhs, lhs)] {
            if let Some(difference) = a.checked_sub(b) {
                self.known.add_fact(&difference, None);
            }
        }
    }

    /// Returns the form of a builtin, with the facts that the launcher and the hardware guarantee.
    pub(super) fn builtin_form(&mut self, builtin: Builtin, cause: Cause) -> Form {
        let value = self.atom_form(AtomKind::Builtin(builtin), self.launch.builtin(builtin));
        let mut dim =
            |builtin| self.atom_form(AtomKind::Builtin(builtin), self.launch.builtin(builtin));
        let [x, y, z] = [Axis::X, Axis::Y, Axis::Z].map(Builtin::BlockDim);
        let most = match builtin {
            Builtin::ThreadIdx(axis) => Some(dim(Builtin::BlockDim(axis))),
            Builtin::BlockIdx(axis) => Some(dim(Builtin::GridDim(axis))),
            Builtin::GlobalIdx(axis) => {
                let grid = dim(Builtin::GridDim(axis));
                grid.checked_mul(&dim(Builtin::BlockDim(axis)))
            }
            Builtin::WarpId => {
                let [x, y, z] = [x, y, z].map(dim);
                let threads = x.checked_mul(&y).and_then(|plane| plane.checked_mul(&z));
                // A whole number of warps never has fewer threads than the block.
                let first = value.checked_scale(32);
                let below = threads
                    .zip(first)
                    .and_then(|(all, first)| all.checked_sub(&first)?.checked_add_number(-1));
                self.add_nonnegative(below, cause);
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
                .map(|dim| self.atom_form(AtomKind::Builtin(dim), self.launch.builtin(dim)));
            // The launcher checks it.
            if let Some(rest) = grid.checked_mul(&block).and_then(|all| threads.checked_sub(&all)) {
                self.known.add_fact(&rest, None);
            }
        }
        self.add_nonnegative(
            most.and_then(|most| most.checked_sub(&value)?.checked_add_number(-1)),
            cause,
        );
        value
    }

    fn unary_form(&mut self, op: UnaryOp, value: InstId, scalar: Scalar) -> Option<Form> {
        let limits = range::scalar_limits(scalar)?;
        let value = self.forms[value].clone()?;
        match op {
            // The sum of `x` and `!x` is the largest value if unsigned, and -1 if not.
            UnaryOp::Not => Form::constant(limits.min + limits.max).checked_sub(&value),
            UnaryOp::Neg => {
                let negated = value.checked_scale(-1)?;
                Some(self.wrapped_form(negated, scalar, limits))
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

    fn binary_form(
        &mut self,
        id: InstId,
        op: BinaryOp,
        [lhs, rhs]: [InstId; 2],
        scalar: Scalar,
    ) -> Option<Form> {
        let exact = self.ranges.is_exact(id);
        let sides = [self.forms[lhs].clone()?, self.forms[rhs].clone()?];
        self.combine_forms(op, sides, scalar, exact, Cause::Operation(id))
    }

    /// Returns `lhs op rhs` in a type; `exact` if it is known not to wrap.
    pub(super) fn combine_forms(
        &mut self,
        op: BinaryOp,
        [lhs, rhs]: [Form; 2],
        scalar: Scalar,
        exact: bool,
        cause: Cause,
    ) -> Option<Form> {
        let limits = range::scalar_limits(scalar)?;
        let width = i128::from(scalar.bits()?);
        let power = |rhs: &Form| rhs.as_number().map(|by| 1_i128 << by.rem_euclid(width));
        let whole = match op {
            BinaryOp::Add => lhs.checked_add_scaled(1, &rhs)?,
            BinaryOp::Sub => lhs.checked_sub(&rhs)?,
            BinaryOp::Mul => lhs.checked_mul(&rhs)?,
            BinaryOp::Shl => lhs.checked_scale(power(&rhs)?)?,
            BinaryOp::Shr => {
                let divisor = Form::constant(power(&rhs)?);
                return self.quotient_form(&lhs, &divisor, limits, cause);
            }
            BinaryOp::Div => return self.quotient_form(&lhs, &rhs, limits, cause),
            BinaryOp::Rem => return self.remainder_form(&lhs, &rhs, limits, cause),
            BinaryOp::And => return self.masked_form(&lhs, &rhs, limits, cause),
            BinaryOp::Min => return Some(self.min_form(lhs, rhs, cause)),
            BinaryOp::Max => return Some(self.max_form(lhs, rhs, cause)),
            BinaryOp::MulHigh => {
                let product = lhs.checked_mul(&rhs)?;
                let fits = limits.min == 0 && self.is_within(&product, limits);
                return fits.then(|| Form::constant(0));
            }
            BinaryOp::Or | BinaryOp::Xor | BinaryOp::RotateLeft => return None,
        };
        Some(if exact { whole } else { self.wrapped_form(whole, scalar, limits) })
    }

    fn is_at_least(&mut self, form: &Form, least: i128) -> bool {
        form.checked_add_number(-least).is_some_and(|rest| self.implies(&rest))
    }

    /// Returns `lhs / rhs`, where `lhs` is not negative and `rhs` positive.
    fn quotient_form(
        &mut self,
        lhs: &Form,
        rhs: &Form,
        limits: Range,
        cause: Cause,
    ) -> Option<Form> {
        if let Some(exact) = rhs.as_number().and_then(|divisor| lhs.div_exact(divisor)) {
            return Some(exact);
        }
        if !self.is_at_least(lhs, 0) || !self.is_at_least(rhs, 1) {
            return None;
        }
        if let Some((whole, rest)) = lhs.div_rem(rhs)
            && whole.as_number() != Some(0)
            && self.is_at_least(&rest, 0)
            && rhs.checked_sub(&rest).is_some_and(|more| self.is_at_least(&more, 1))
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
        let kind = AtomKind::Div(lhs.clone(), rhs.clone());
        let quotient = self.atom_form(kind, Range::new(least, most.min(limits.max)));
        let rest = lhs.checked_sub(&rhs.checked_mul(&quotient)?)?;
        self.add_nonnegative(Some(rest.clone()), cause);
        self.add_nonnegative(
            rhs.checked_sub(&rest).and_then(|more| more.checked_add_number(-1)),
            cause,
        );
        self.bound_quotient(lhs, rhs, &quotient);
        Some(quotient)
    }

    /// Adds bounds of a quotient: sums of facts prove these only for fractions.
    fn bound_quotient(&mut self, lhs: &Form, rhs: &Form, quotient: &Form) {
        if let Some(divisor) = rhs.as_number() {
            // With `lhs <= divisor * most + rest`, the quotient is at most `most`.
            let Some(atom) = lhs.atoms().next() else { return };
            let facts: Vec<_> = self
                .known
                .facts_mentioning(atom)
                .take(MAX_QUOTIENT_BOUNDS)
                .map(|&fact| self.known.fact(fact).clone())
                .collect();
            for fact in facts {
                let above = fact
                    .form
                    .checked_add_scaled(1, lhs)
                    .filter(|above| !above.atoms().any(|other| other == atom));
                let most = above.map(|above| {
                    above
                        .checked_add_scaled(-above.constant_term(), &Form::constant(1))
                        .zip(Some(above.constant_term()))
                });
                if let Some(Some((terms, rest))) = most
                    && let Some(terms) = terms.div_exact(divisor)
                    && let Some(most) = terms.checked_add_number(rest.div_euclid(divisor))
                    && let Some(rest) = most.checked_sub(quotient)
                {
                    self.known.add_fact(&rest, fact.cause);
                }
            }
            return;
        }
        // With `lhs < rhs * most`, the quotient is less than `most`.
        let Some(divisor) = rhs.as_atom() else { return };
        let mut bounds: Vec<Form> = Vec::new();
        for &fact in self.known.facts_mentioning(divisor) {
            for &(product, coefficient) in self.known.fact(fact).form.terms() {
                if bounds.len() < MAX_QUOTIENT_BOUNDS
                    && let Some(others) =
                        rhs.terms().first().and_then(|(rhs, _)| product.checked_div(*rhs))
                    && others.len() > 0
                    && let Some(most) = Form::from(others).checked_scale(coefficient.abs())
                    && !bounds.contains(&most)
                    && !most.atoms().any(|atom| quotient.as_atom() == Some(atom))
                {
                    bounds.push(most);
                }
            }
        }
        for most in bounds {
            let Some(goal) =
                most.checked_sub(quotient).and_then(|rest| rest.checked_add_number(-1))
            else {
                continue;
            };
            if let Some(causes) = self.prove(&goal) {
                self.known.add_fact(&goal, causes.first().copied());
            }
        }
    }

    fn remainder_form(
        &mut self,
        lhs: &Form,
        rhs: &Form,
        limits: Range,
        cause: Cause,
    ) -> Option<Form> {
        let quotient = self.quotient_form(lhs, rhs, limits, cause)?;
        lhs.checked_sub(&rhs.checked_mul(&quotient)?)
    }

    /// Returns `lhs & rhs`, where one of them masks the lowest bits or all but these.
    fn masked_form(&mut self, lhs: &Form, rhs: &Form, limits: Range, cause: Cause) -> Option<Form> {
        let (value, mask) = match (lhs.as_number(), rhs.as_number()) {
            (_, Some(mask)) => (lhs, mask),
            (Some(mask), None) => (rhs, mask),
            (None, None) => return None,
        };
        let power = |ones: i128| (ones > 0 && (ones & (ones + 1)) == 0).then_some(ones + 1);
        if let Some(divisor) = power(mask) {
            return self.remainder_form(value, &Form::constant(divisor), limits, cause);
        }
        let divisor = Form::constant(power(limits.max - mask).filter(|_| limits.min == 0)?);
        self.quotient_form(value, &divisor, limits, cause)?.checked_mul(&divisor)
    }

    /// Returns the result of an operation on bits as an atom, with the facts about it.
    fn bitwise_form(
        &mut self,
        id: InstId,
        op: BinaryOp,
        [lhs, rhs]: [InstId; 2],
        limits: Range,
    ) -> Form {
        let (cause, value) = (Cause::Operation(id), self.opaque_result(id, limits));
        let Some((a, b)) = self.forms[lhs].clone().zip(self.forms[rhs].clone()) else {
            return value;
        };
        let is_unsigned = limits.min == 0;
        // The bounds below hold only without a sign bit.
        let has_no_negative = is_unsigned || self.is_at_least(&a, 0) && self.is_at_least(&b, 0);
        if !has_no_negative {
            return value;
        }
        let sum = a.checked_add_scaled(1, &b);
        match op {
            BinaryOp::And => {
                for (side, mask) in [(&a, rhs), (&b, lhs)] {
                    self.add_nonnegative(side.checked_sub(&value), cause);
                    if let Some(form) = self.masked_by_power(side, mask, limits, cause) {
                        self.add_equal(&value, &form);
                    }
                }
            }
            BinaryOp::Or => {
                self.add_nonnegative(value.checked_sub(&a), cause);
                self.add_nonnegative(value.checked_sub(&b), cause);
                self.add_nonnegative(sum.and_then(|sum| sum.checked_sub(&value)), cause);
            }
            BinaryOp::Xor => {
                self.add_nonnegative(sum.and_then(|sum| sum.checked_sub(&value)), cause);
                for (side, by, inst) in [(&a, &b, rhs), (&b, &a, lhs)] {
                    self.add_nonnegative(
                        value.checked_add_scaled(1, by).and_then(|sum| sum.checked_sub(side)),
                        cause,
                    );
                    if self.powers.contains(inst)
                        && let Some(form) = self.flipped_form(side, by, limits, cause)
                    {
                        self.add_equal(&value, &form);
                    }
                }
            }
            BinaryOp::Shr => self.add_nonnegative(a.checked_sub(&value), cause),
            BinaryOp::Shl => {
                let most_shift = self.atoms.bounds(&b).1.filter(|&most| most < 64);
                if let (Some(number), Some(shift)) = (a.as_number(), most_shift)
                    && let Some(most) =
                        number.checked_mul(1 << shift).filter(|&most| most <= limits.max)
                {
                    self.add_nonnegative(value.checked_add_number(-number), cause);
                    self.add_nonnegative(Form::constant(most).checked_sub(&value), cause);
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

    /// Returns `value & mask`, where the mask is one less than a power of two, or the complement of
    /// that.
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
            return value.checked_sub(&rest);
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
        self.remainder_form(value, &power, limits, cause)
    }

    /// Adds that `power`, a power of two that is at least 1, divides the power of two that is
    /// larger than every `value`, unless `power` is above that itself.
    fn add_larger_power(
        &mut self,
        value: &Form,
        power: &Form,
        limits: Range,
        cause: Cause,
    ) -> Option<()> {
        let most = self.atoms.bounds(value).1.filter(|&most| most < limits.max / 2)?;
        let larger = Form::constant(1_i128 << (128 - most.leading_zeros()));
        if power.as_number().is_none() && self.implies(&larger.checked_sub(power)?) {
            let parts = self.quotient_form(&larger, power, limits, cause)?;
            self.known.add_fact(&power.checked_mul(&parts)?.checked_sub(&larger)?, None);
        }
        Some(())
    }

    /// Returns `value ^ power`: larger by the power where `value` lacks that bit, and smaller where
    /// it has it.
    fn flipped_form(
        &mut self,
        value: &Form,
        power: &Form,
        limits: Range,
        cause: Cause,
    ) -> Option<Form> {
        if !self.is_at_least(power, 1) {
            return None;
        }
        let above = self.quotient_form(value, power, limits, cause)?;
        let bit = self.remainder_form(&above, &Form::constant(2), limits, cause)?;
        value.checked_add_scaled(1, power)?.checked_add_scaled(-2, &power.checked_mul(&bit)?)
    }

    fn min_form(&mut self, lhs: Form, rhs: Form, cause: Cause) -> Form {
        let (a, b) = if lhs <= rhs { (lhs, rhs) } else { (rhs, lhs) };
        let [x, y] = [self.atoms.bounds(&a), self.atoms.bounds(&b)];
        let least = x.0.zip(y.0).map_or(i128::MIN, |(x, y)| x.min(y));
        let most = x.1.unwrap_or(i128::MAX).min(y.1.unwrap_or(i128::MAX));
        let smaller = self.atom_form(AtomKind::Min(a.clone(), b.clone()), Range::new(least, most));
        for side in [a, b] {
            self.add_nonnegative(side.checked_sub(&smaller), cause);
        }
        smaller
    }

    fn max_form(&mut self, lhs: Form, rhs: Form, cause: Cause) -> Form {
        let (a, b) = if lhs <= rhs { (lhs, rhs) } else { (rhs, lhs) };
        let [x, y] = [self.atoms.bounds(&a), self.atoms.bounds(&b)];
        let least = x.0.unwrap_or(i128::MIN).max(y.0.unwrap_or(i128::MIN));
        let most = x.1.zip(y.1).map_or(i128::MAX, |(x, y)| x.max(y));
        let larger = self.atom_form(AtomKind::Max(a.clone(), b.clone()), Range::new(least, most));
        for side in [a, b] {
            self.add_nonnegative(larger.checked_sub(&side), cause);
        }
        larger
    }

    /// Returns the result of a `select`: if the condition compares the two values, their minimum or
    /// maximum.
    fn select_form(
        &mut self,
        id: InstId,
        cond: InstId,
        [then, other]: [InstId; 2],
    ) -> Option<Form> {
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
                Some(self.min_form(then, other, Cause::Operation(id)))
            }
            (CompareOp::Lt | CompareOp::Le, false) | (CompareOp::Gt | CompareOp::Ge, true) => {
                Some(self.max_form(then, other, Cause::Operation(id)))
            }
            (CompareOp::Eq | CompareOp::Ne, _) => None,
        }
    }

    /// Returns one of two values, with a case for each.
    fn either_form(
        &mut self,
        id: InstId,
        cond: InstId,
        [then, other]: [InstId; 2],
        limits: Range,
    ) -> Option<Form> {
        let values = [(true, self.forms[then].clone()?), (false, self.forms[other].clone()?)];
        let selected = self.opaque_result(id, limits);
        let cases = values.map(|(truth, value)| {
            let facts = self.scoped(|walk| {
                let before = walk.known.mark();
                walk.assume_condition(cond, truth, Cause::Guard(cond, truth), MAX_CONDITION_DEPTH);
                walk.known.facts_since(before)
            });
            Case { facts, value }
        });
        if let Some(atom) = selected.as_atom() {
            self.cases.add_cases(atom, cases.into());
        }
        Some(selected)
    }

    /// Returns the value of a `for`. If it skips numbers, it is its start plus the step times the
    /// iterations so far.
    fn counter_form(&mut self, id: InstId, start: InstId, step: InstId) -> Option<Form> {
        let step = self.forms[step].as_ref()?.as_number().filter(|&step| step > 1)?;
        let start = self.forms[start].clone()?;
        let most = range::scalar_limits(Scalar::U64)?.max;
        let count = self.atom_form(AtomKind::Count(id), Range::new(0, most));
        start.checked_add_scaled(step, &count)
    }

    /// Returns the limits of a constant parameter's type.
    pub(super) fn generic_limits(&self, id: crate::ir::GenericId) -> Option<(Scalar, Range)> {
        match self.kernel.generics.get(id)?.kind {
            GenericKind::Const(scalar) => Some((scalar, range::scalar_limits(scalar)?)),
            GenericKind::Type(_) => None,
        }
    }
}
