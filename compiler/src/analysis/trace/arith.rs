//! Arithmetic on what is known.
//!
//! Sums, differences and products are those of sums of symbols. A number is divided, shifted or masked part by
//! part: what the symbols add must be a multiple of the divisor (or lie within one), so that it carries
//! nothing into what the threads' own numbers make.
use super::{
    super::{
        evaluate,
        range::{Range, Ranges},
        uniformity::Group,
    },
    known::{Fit, Int, Known, limits, scalar},
    truth::{Part, Spread, Truth},
};
use super::{Factors, Run, Shape, SymbolKind, Threads, Value, Which};
use crate::ir::{Axis, BinaryOp, Builtin, CompareOp, InstId, Scalar, UnaryOp};
use std::rc::Rc;

impl Run<'_> {
    /// A literal.
    pub(super) fn constant(&mut self, id: InstId, bits: u64) -> Known {
        let Some(scalar) = scalar(self.kernel.insts[id].ty) else { return Known::Ptr(None, None) };
        if scalar == Scalar::Bool {
            let yes = if bits == 0 { Threads::none(self.count) } else { self.all.clone() };
            return Truth::Exact(yes).into();
        }
        if limits(scalar).is_none() {
            return self.opaque(Spread::Block);
        }
        let number = evaluate::integer(scalar, bits).and_then(|number| i64::try_from(number).ok());
        // What is too large for an `i64` has wrapped once.
        let number = number.unwrap_or_else(|| bits.cast_signed());
        match self.int(Value::from(number), scalar, None, false) {
            Some(int) => Known::Int(int),
            None => self.opaque(Spread::Block),
        }
    }

    pub(super) fn builtin(&mut self, id: InstId, builtin: Builtin) -> Known {
        let along = |axis: Axis| match axis {
            Axis::X => 0,
            Axis::Y => 1,
            Axis::Z => 2,
        };
        let value = match builtin {
            Builtin::ThreadIdx(axis) => self.thread_idx(along(axis)).into(),
            Builtin::BlockDim(axis) => Value::from(i64::from(self.shape.dims[along(axis)])),
            Builtin::BlockIdx(_) | Builtin::GridDim(_) => self.launch_builtin(id, builtin),
            Builtin::GlobalIdx(axis) => {
                let block = self.launch_builtin(id, Builtin::BlockIdx(axis));
                let dim = Factors::Same(i64::from(self.shape.dims[along(axis)]));
                let thread: Value = self.thread_idx(along(axis)).into();
                let whole = block.scaled(&dim).and_then(|start| start.plus(&thread));
                whole.unwrap_or_default()
            }
            Builtin::LaneId => {
                self.thread_number().map(|n| Some(n % 32)).unwrap_or(Factors::Same(0)).into()
            }
            Builtin::WarpId => {
                self.thread_number().map(|n| Some(n / 32)).unwrap_or(Factors::Same(0)).into()
            }
        };
        // The launcher refuses what does not fit.
        Known::Int(Int::proved(value))
    }

    fn thread_idx(&self, axis: usize) -> Factors {
        Factors::affine(0, Shape::axis(axis), &self.shape)
    }

    fn thread_number(&self) -> Factors {
        let [x, y, _] = self.shape.dims.map(i64::from);
        Factors::affine(0, [1, x, x * y], &self.shape)
    }

    /// What a launch decides, or a block is.
    fn launch_builtin(&mut self, id: InstId, builtin: Builtin) -> Value {
        if let Some((_, symbol)) = self.builtins.iter().find(|(known, _)| *known == builtin) {
            return symbol.clone();
        }
        let kind = match builtin {
            Builtin::BlockIdx(_) => SymbolKind::BlockIdx,
            Builtin::ThreadIdx(_)
            | Builtin::BlockDim(_)
            | Builtin::GridDim(_)
            | Builtin::GlobalIdx(_)
            | Builtin::LaneId
            | Builtin::WarpId => SymbolKind::Launch,
        };
        let range = Ranges::builtin(self.kernel, builtin);
        let symbol = self.symbol(id, kind, Group::Block, range);
        self.builtins.push((builtin, symbol.clone()));
        symbol
    }

    /// How far what `operands` say is the same.
    pub(super) fn spread_of_all(
        &self,
        operands: impl IntoIterator<Item = InstId>,
        active: &Threads,
    ) -> Spread {
        operands
            .into_iter()
            .map(|id| self.spread(&self.known(id), active))
            .max()
            .unwrap_or(Spread::Block)
    }

    pub(super) fn unary(
        &mut self,
        id: InstId,
        op: UnaryOp,
        value: InstId,
        active: &Threads,
    ) -> Known {
        let known = self.known(value);
        let computed = match (op, &known, scalar(self.kernel.insts[id].ty)) {
            (UnaryOp::Not, Known::Truth(truth), _) => return truth.not(&self.all).into(),
            (UnaryOp::Neg, Known::Int(int), Some(scalar)) => {
                let value = int.value.scaled(&Factors::Same(-1));
                value.and_then(|value| self.int(value, scalar, self.range_of(id), int.assumed))
            }
            // The sum of `x` and `!x` has all bits set, and is -1 up to what wraps.
            (UnaryOp::Not, Known::Int(int), Some(scalar)) => {
                let value = Value::from(-1).minus(&int.value);
                value.and_then(|value| self.int(value, scalar, self.range_of(id), int.assumed))
            }
            (_, Known::Int(int), Some(scalar)) => self.numbers(int).and_then(|numbers| {
                let of = |number| {
                    integer_of(scalar, evaluate::unary(op, scalar, bits_of(scalar, number))?)
                };
                self.int(numbers.map(of)?.into(), scalar, None, int.assumed)
            }),
            (_, Known::Int(_) | Known::Truth(_) | Known::Ptr(..) | Known::Opaque(..), _) => None,
        };
        match computed {
            Some(int) => Known::Int(int),
            None => {
                let spread = self.spread(&known, active);
                self.fresh(id, spread)
            }
        }
    }

    /// The number in each thread, which may be short of 2^64 for a `u64` if the integer wraps.
    #[expect(clippy::unused_self, reason = "reads as the other questions do")]
    fn numbers(&self, int: &Int) -> Option<Factors> {
        int.value.exact()
    }

    pub(super) fn binary(
        &mut self,
        id: InstId,
        op: BinaryOp,
        lhs: InstId,
        rhs: InstId,
        active: &Threads,
    ) -> Known {
        let computed = match (self.known(lhs), self.known(rhs)) {
            (Known::Truth(a), Known::Truth(b)) => return self.logic(op, &a, &b, active),
            (Known::Int(a), Known::Int(b)) => {
                let scalar = scalar(self.kernel.insts[id].ty);
                let result = scalar.and_then(|scalar| self.integers(id, op, scalar, [&a, &b]));
                match result {
                    Some(int) if int.fit < Fit::Wraps => Some(int),
                    other => {
                        let [a, b] = [&a, &b].map(|int| self.only_in(int, active));
                        let again = scalar.zip(a.zip(b));
                        let again = again
                            .and_then(|(scalar, (a, b))| self.integers(id, op, scalar, [&a, &b]));
                        again.or(other)
                    }
                }
            }
            (Known::Int(_) | Known::Truth(_) | Known::Ptr(..) | Known::Opaque(..), _) => None,
        };
        match computed {
            Some(int) => Known::Int(int),
            None => {
                let spread = self.spread_of_all([lhs, rhs], active);
                self.fresh(id, spread)
            }
        }
    }

    /// A number in each of `active`, with one of those in the other threads, which do not compute with it.
    fn only_in(&self, int: &Int, active: &Threads) -> Option<Int> {
        let numbers = int.value.exact().filter(|_| int.fit == Fit::Proved)?;
        let anyone = Factors::Same(numbers.at(active.iter().next()?));
        let value = numbers.select(&anyone, active, self.count);
        Some(Int { value: Rc::new(value.into()), ..int.clone() })
    }

    fn logic(&self, op: BinaryOp, a: &Truth, b: &Truth, active: &Threads) -> Known {
        match op {
            BinaryOp::And => a.and(b, &self.all).into(),
            BinaryOp::Or => a.or(b, &self.all).into(),
            BinaryOp::Xor => a.xor(b, &self.all).into(),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => {
                self.same_truth(a.spread(active).max(b.spread(active))).into()
            }
        }
    }

    fn integers(&mut self, id: InstId, op: BinaryOp, scalar: Scalar, of: [&Int; 2]) -> Option<Int> {
        let [a, b] = of;
        let assumed = a.assumed || b.assumed;
        let range = self.range_of(id);
        if let (Some(x), Some(y)) = (a.value.exact(), b.value.exact()) {
            return self.both_exact(op, scalar, [&x, &y], assumed);
        }
        let ring = |value: Option<Value>| self.int(value?, scalar, range, assumed);
        let by =
            || b.value.exact().and_then(|factors| factors.same()).filter(|_| b.fit == Fit::Proved);
        match op {
            BinaryOp::Add => ring(a.value.plus(&b.value)),
            BinaryOp::Sub => ring(a.value.minus(&b.value)),
            BinaryOp::Mul => ring(a.value.times(&b.value)),
            BinaryOp::Shl => {
                let bits = i64::from(scalar.bits()?);
                let by = 1_i64.checked_shl(u32::try_from(by()?.rem_euclid(bits)).ok()?)?;
                ring(a.value.scaled(&Factors::Same(by)))
            }
            BinaryOp::Div => {
                let ((value, assumed_value), by) = (a.needed()?, by()?);
                if by <= 0 || !self.is_nonnegative(value) {
                    return None;
                }
                let (quotient, _) = self.divided(value, by)?;
                self.int(quotient, scalar, range, assumed || assumed_value)
            }
            BinaryOp::Rem => {
                let by = by()?;
                if by > 0 && by.count_ones() == 1 && scalar.is_unsigned() {
                    return self.low(a, by, scalar, assumed);
                }
                let (value, assumed_value) = a.needed()?;
                if by <= 0 || !self.is_nonnegative(value) {
                    return None;
                }
                let (_, rest) = self.divided(value, by)?;
                self.int(rest, scalar, range, assumed || assumed_value)
            }
            BinaryOp::Shr => {
                let (value, assumed_value) = a.needed()?;
                let bits = i64::from(scalar.bits()?);
                let by = 1_i64.checked_shl(u32::try_from(by()?.rem_euclid(bits)).ok()?)?;
                if by <= 0 {
                    return None;
                }
                let (quotient, _) = self.divided(value, by)?;
                self.int(quotient, scalar, range, assumed || assumed_value)
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => self.bits(op, scalar, of, assumed),
            BinaryOp::Min | BinaryOp::Max => self.ordered(op, of),
            BinaryOp::MulHigh | BinaryOp::RotateLeft => None,
        }
    }

    /// Whether `value` is not negative, in any active thread.
    pub(super) fn is_nonnegative(&self, value: &Value) -> bool {
        let nonnegative = |value: &Value| self.range(value).is_some_and(|range| range.min >= 0);
        nonnegative(value)
            || self
                .facts
                .iter()
                .any(|fact| value.minus(fact).is_some_and(|rest| nonnegative(&rest)))
    }

    /// Both are numbers in each thread.
    fn both_exact(
        &self,
        op: BinaryOp,
        scalar: Scalar,
        [x, y]: [&Factors; 2],
        assumed: bool,
    ) -> Option<Int> {
        let quick = match op {
            BinaryOp::Add => x.plus(y),
            BinaryOp::Sub => y.times(&Factors::Same(-1)).and_then(|y| x.plus(&y)),
            BinaryOp::Mul => x.times(y),
            BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => None,
        };
        let limits = limits(scalar)?;
        let fits = |factors: &Factors| {
            let (min, max) = factors.limits();
            limits.contains(Range::new(min.into(), max.into()))
        };
        if let Some(numbers) = quick.filter(|numbers| fits(numbers)) {
            return Some(Int { value: Rc::new(numbers.into()), fit: Fit::Proved, assumed });
        }
        let amount = if op.is_shift() { Scalar::U32 } else { scalar };
        let numbers = if x.limits().0 >= 0 && y.limits().0 >= 0 {
            x.zip(y, |x, y| small(op, scalar, x, y))?
        } else {
            x.zip(y, |x, y| {
                integer_of(
                    scalar,
                    evaluate::binary(op, scalar, bits_of(scalar, x), bits_of(amount, y))?,
                )
            })?
        };
        self.int(numbers.into(), scalar, None, assumed)
    }

    /// `value / by` and `value % by`, rounded down, `by` being positive.
    pub(super) fn divided(&self, value: &Value, by: i64) -> Option<(Value, Value)> {
        let multiple = |factors: &Factors| match factors {
            Factors::Same(factor) => factor % by == 0,
            Factors::Affine(affine) => {
                affine.first % by == 0 && affine.step.iter().all(|step| step % by == 0)
            }
            Factors::Each(each) => each.iter().all(|factor| factor % by == 0),
        };
        let (whole, rest) = value.part(|term| multiple(&term.factors));
        let low = rest.numbers().map(|number| Some(number.rem_euclid(by)))?;
        let high = rest.numbers().map(|number| Some(number.div_euclid(by)))?;
        // What the symbols add must not carry.
        let (_, symbols) = rest.part(|term| term.of.is_one());
        let rest = symbols.plus(&low.into())?;
        let within = symbols.terms().is_empty()
            || self.range(&rest).is_some_and(|range| range.min >= 0 && range.max < by.into());
        if !within {
            return None;
        }
        let quotient = whole.map(|factors| exactly(factors, by))?.plus(&high.into())?;
        Some((quotient, rest))
    }

    /// The lowest bits of an integer, also of one that may have wrapped: its remainder modulo `by`, a power of two.
    fn low(&self, of: &Int, by: i64, scalar: Scalar, assumed: bool) -> Option<Int> {
        let (_, rest) = self.divided(&of.value, by)?;
        self.int(rest, scalar, None, assumed)
    }

    /// `&`, `|` and `^` of integers of which one, at least, has symbols.
    fn bits(&self, op: BinaryOp, scalar: Scalar, [a, b]: [&Int; 2], assumed: bool) -> Option<Int> {
        if a.value.exact().is_some() {
            return self.bits(op, scalar, [b, a], assumed);
        }
        if a.value == b.value && op != BinaryOp::Xor {
            return Some(a.clone());
        }
        let mask = b.value.exact()?;
        if let Some(same) = mask.same().filter(|_| op == BinaryOp::And) {
            if same >= 0 && same.checked_add(1)?.count_ones() == 1 {
                return self.low(a, same + 1, scalar, assumed);
            }
            // All but the lowest bits.
            let width = scalar.bits()?;
            let lowest = same.trailing_zeros();
            let high = if width == 64 { -1 } else { (1_i64 << width) - 1 };
            let signed = same >> lowest == -1;
            let by = 1_i64.checked_shl(lowest).filter(|&by| by > 0);
            if let (Some(by), true) = (by, signed || same >> lowest == high >> lowest) {
                let rest = self.low(a, by, scalar, assumed)?;
                let value = a.value.minus(&rest.value)?;
                return self
                    .int(value, scalar, None, assumed)
                    .map(|int| Int { fit: a.fit.min(int.fit), ..int });
            }
        }
        // Bits below those that symbols may set.
        let zeros = a.value.symbolic().iter().map(|term| trailing_zeros(&term.factors)).min()?;
        let by = 1_i64.checked_shl(zeros.min(62)).filter(|&by| by > 1)?;
        let (min, max) = mask.limits();
        if min < 0 || max >= by {
            return None;
        }
        let low = a.value.numbers().map(|number| Some(number.rem_euclid(by)))?;
        let computed = low.zip(&mask, |x, y| small(op, Scalar::I64, x, y))?;
        if op == BinaryOp::And {
            return self.int(computed.into(), scalar, None, assumed);
        }
        let change = computed.plus(&low.times(&Factors::Same(-1))?)?;
        let int = self.int(a.value.plus(&change.into())?, scalar, None, assumed)?;
        Some(Int { fit: int.fit.min(a.fit), ..int })
    }

    /// The smaller or the larger, if it is known which that is.
    fn ordered(&self, op: BinaryOp, [a, b]: [&Int; 2]) -> Option<Int> {
        let ((x, assumed), (y, also)) = (a.needed()?, b.needed()?);
        if assumed || also {
            return None;
        }
        let difference = x.minus(y)?;
        let first = if let Some(numbers) = difference.exact() {
            let below = |n: i64| if op == BinaryOp::Min { n <= 0 } else { n >= 0 };
            let threads = Threads::where_true(self.count, |thread| below(numbers.at(thread)));
            let value = x.select(y, &threads, self.count)?;
            return Some(Int { value: Rc::new(value), ..a.clone() });
        } else {
            let range = self.range(&difference)?;
            match (range.max <= 0, range.min >= 0) {
                (true, _) => op == BinaryOp::Min,
                (_, true) => op == BinaryOp::Max,
                (false, false) => return None,
            }
        };
        Some(if first { a.clone() } else { b.clone() })
    }

    /// `as` to the type of `id`.
    pub(super) fn cast(&mut self, id: InstId, value: InstId, active: &Threads) -> Known {
        let known = self.known(value);
        let from = scalar(self.kernel.insts[value].ty);
        let to = scalar(self.kernel.insts[id].ty);
        if let (Known::Int(int), Some(from), Some(to)) = (&known, from, to)
            && let (Some(from_bits), Some(to_bits)) = (from.bits(), to.bits())
            && limits(to).is_some()
        {
            let range = self.range_of(id);
            let computed = if to_bits <= from_bits {
                self.int((*int.value).clone(), to, range, int.assumed)
            } else {
                let uniform = self.spread(&known, active) == Spread::Block;
                let widened = int.needed().filter(|&(_, assumed)| !(assumed && uniform));
                let widened = widened.map(|(value, assumed)| (value.clone(), assumed));
                widened.and_then(|(value, assumed)| self.int(value, to, range, assumed))
            };
            if let Some(int) = computed {
                return Known::Int(int);
            }
        }
        if let (Known::Truth(truth), Some(to)) = (&known, to)
            && let Truth::Exact(yes) = &**truth
            && limits(to).is_some()
        {
            return Known::Int(Int::proved(Factors::each(self.count, |thread| {
                yes.has(thread).into()
            })));
        }
        let spread = self.spread(&known, active);
        self.fresh(id, spread)
    }

    pub(super) fn compare(
        &mut self,
        op: CompareOp,
        lhs: InstId,
        rhs: InstId,
        active: &Threads,
    ) -> Truth {
        let spread = self.spread_of_all([lhs, rhs], active);
        if let (Known::Int(a), Known::Int(b)) = (self.known(lhs), self.known(rhs))
            && let (Some((x, assumed)), Some((y, also))) = (a.needed(), b.needed())
            && let Some(difference) = x.minus(y)
        {
            let assumed = assumed || also;
            if !(assumed && spread < Spread::Thread) {
                return self.sign(op, &difference, assumed, active);
            }
        }
        self.same_truth(spread)
    }

    /// Whether `op` holds between `difference` and 0.
    pub(super) fn sign(
        &self,
        op: CompareOp,
        difference: &Value,
        assumed: bool,
        active: &Threads,
    ) -> Truth {
        if !assumed {
            if let Some(numbers) = difference.exact() {
                let holds = |number| holds(op, number);
                return Truth::Exact(match numbers.same() {
                    Some(number) if holds(number) => self.all.clone(),
                    Some(_) => Threads::none(self.count),
                    None => Threads::where_true(self.count, |thread| holds(numbers.at(thread))),
                });
            }
            if let Some(known) = self.range(difference).and_then(|range| always(op, range)) {
                let yes = if known { self.all.clone() } else { Threads::none(self.count) };
                return Truth::Exact(yes);
            }
        }
        let spread = if assumed { Spread::Thread } else { self.spread_of(difference, active) };
        if spread == Spread::Block {
            return self.same_truth(spread);
        }
        let varying = || difference.terms().iter().filter(|term| term.factors.same().is_none());
        let orders = matches!(op, CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge);
        let grows = varying().all(|term| term.factors.is_monotone());
        if spread == Spread::Warp && !(orders && grows && varying().next().is_some()) {
            return self.same_truth(spread);
        }
        match op {
            CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge if grows => {
                // A thread's own number grows with its index: those with small ones are the many.
                let rises = varying().all(|term| rises(&term.factors));
                let small = matches!(op, CompareOp::Lt | CompareOp::Le) == rises;
                // If only the first block has small ones, the others are the many.
                let count = i128::try_from(self.count).unwrap_or(i128::MAX);
                let rare = self.range(difference).is_some_and(|range| range.min > -count);
                let small = small != rare;
                let [many, few] = match spread {
                    Spread::Block | Spread::Warp => [Which::Warps, Which::Warps],
                    Spread::Thread => [Which::Guarded, Which::Some],
                };
                let [many, few] = [(many, true), (few, false)].map(|(which, edge)| Part {
                    threads: self.all.clone(),
                    which,
                    edge,
                });
                let (yes, no) = if small { (many, few) } else { (few, many) };
                Truth::Parts { yes, no }
            }
            CompareOp::Eq | CompareOp::Ne
                if !assumed
                    && varying().all(|term| term.of.is_one())
                    && difference.numbers().is_injective(active) =>
            {
                let warps_agree = difference.terms().iter().all(|term| !term.of.is_of_warps());
                let one = if warps_agree { Which::One } else { Which::Some };
                let others = if warps_agree { Which::Guarded } else { Which::Some };
                let [yes, no] = if op == CompareOp::Eq { [one, others] } else { [others, one] };
                Truth::of(&self.all, yes, no)
            }
            CompareOp::Lt
            | CompareOp::Le
            | CompareOp::Gt
            | CompareOp::Ge
            | CompareOp::Eq
            | CompareOp::Ne => self.same_truth(Spread::Thread),
        }
    }
}

/// Whether factors grow from the first thread on.
fn rises(factors: &Factors) -> bool {
    match factors {
        Factors::Same(_) => true,
        Factors::Affine(affine) => affine.step.iter().all(|&step| step >= 0),
        Factors::Each(each) => each.first() <= each.last(),
    }
}

fn holds(op: CompareOp, difference: i64) -> bool {
    match op {
        CompareOp::Eq => difference == 0,
        CompareOp::Ne => difference != 0,
        CompareOp::Lt => difference < 0,
        CompareOp::Le => difference <= 0,
        CompareOp::Gt => difference > 0,
        CompareOp::Ge => difference >= 0,
    }
}

/// Whether it holds for all differences of `range`, or for none.
fn always(op: CompareOp, range: Range) -> Option<bool> {
    let (yes, no) = match op {
        CompareOp::Eq => (range.min == 0 && range.max == 0, range.min > 0 || range.max < 0),
        CompareOp::Ne => (range.min > 0 || range.max < 0, range.min == 0 && range.max == 0),
        CompareOp::Lt => (range.max < 0, range.min >= 0),
        CompareOp::Le => (range.max <= 0, range.min > 0),
        CompareOp::Gt => (range.min > 0, range.max <= 0),
        CompareOp::Ge => (range.min >= 0, range.max < 0),
    };
    if yes { Some(true) } else { no.then_some(false) }
}

/// `factors / by`, which they are multiples of.
fn exactly(factors: &Factors, by: i64) -> Option<Factors> {
    match factors {
        Factors::Affine(affine) => {
            let step = affine.step.map(|step| step / by);
            let first = affine.first / by;
            Some(Factors::Affine(super::factors::Affine { first, step, ..*affine }))
        }
        Factors::Same(_) | Factors::Each(_) => factors.map(|factor| Some(factor / by)),
    }
}

/// How many of the lowest bits are 0 in all threads.
fn trailing_zeros(factors: &Factors) -> u32 {
    match factors {
        Factors::Same(factor) => factor.trailing_zeros(),
        Factors::Affine(affine) => affine
            .step
            .iter()
            .fold(affine.first.trailing_zeros(), |zeros, step| zeros.min(step.trailing_zeros())),
        Factors::Each(each) => each.iter().map(|factor| factor.trailing_zeros()).min().unwrap_or(0),
    }
}

/// `x op y`, neither of them negative; `None` if nothing is computed or it does not fit.
fn small(op: BinaryOp, scalar: Scalar, x: i64, y: i64) -> Option<i64> {
    match op {
        BinaryOp::Div => x.checked_div(y),
        BinaryOp::Rem => x.checked_rem(y),
        BinaryOp::And => Some(x & y),
        BinaryOp::Or => Some(x | y),
        BinaryOp::Xor => Some(x ^ y),
        BinaryOp::Min => Some(x.min(y)),
        BinaryOp::Max => Some(x.max(y)),
        BinaryOp::Shr => Some(x >> (y % i64::from(scalar.bits()?))),
        BinaryOp::Shl
        | BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => {
            let amount = if op.is_shift() { Scalar::U32 } else { scalar };
            integer_of(
                scalar,
                evaluate::binary(op, scalar, bits_of(scalar, x), bits_of(amount, y))?,
            )
        }
    }
}

/// The bits of a number of type `scalar`.
fn bits_of(scalar: Scalar, number: i64) -> u64 {
    evaluate::wrap(scalar, number.into())
}

/// The number that bits of type `scalar` are; what is too large for an `i64` has wrapped once.
#[expect(clippy::unnecessary_wraps, reason = "used where a number may be missing")]
fn integer_of(scalar: Scalar, bits: u64) -> Option<i64> {
    let number = evaluate::integer(scalar, bits).and_then(|number| i64::try_from(number).ok());
    Some(number.unwrap_or_else(|| bits.cast_signed()))
}
