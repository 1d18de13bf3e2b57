//! Advances indices of several dimensions by a stride in each round of a loop.
//!
//! ```text
//!                                      %a = %rows * %width
//!                                      set $0, (%first * %rows + %y) * %width + %x
//! for %i from 0 to %n, step 1 {        for %i from 0 to %n, step 1 {
//!   %1 = add %first, %i                  %1 = get $0
//!   %2 = mul %1, %rows                   set $0, %1 + %a
//!   %3 = add %2, %y                =>    %2 = index %array, %1, 4
//!   %4 = mul %3, %width                  ..
//!   %5 = add %4, %x                    }
//!   %6 = index %array, %5, 4
//!   ..
//! }
//! ```
//!
//! Sums and products wrap, so both are the same number. Takes 64-bit indices that the innermost
//! loop, but for those of a few rounds, multiplies by at least two values that are not constants:
//! layers of an image, planes of a volume. Multiples of the counters of loops inside and outside of
//! that one are added.
//!
//! Why: LLVM computes such an index anew in each round, and a product of 64 bits takes three
//! instructions. It factors sums of products, so that it has to find a variable instead.
use crate::{
    analysis::range::{self, Ranges},
    id::Facts,
    ir::{BinaryOp, Body, Inst, InstId, Kernel, Local, LocalId, Op, Scalar, Span, Ty},
};
use std::{collections::HashMap, rc::Rc};

/// Most operations that an index is computed by: others are left as they are.
const MAX_OPERATIONS: usize = 48;

/// Most rounds of a loop that back ends unroll.
const MAX_UNROLLED_ROUNDS: u64 = 8;

/// The number of factors that makes it pay.
const MIN_FACTORS: usize = 2;

/// Most variables of a loop: each takes two registers.
const MAX_VARIABLES: usize = 4;

const INDEX: Ty = Ty::Scalar(Scalar::U64);

/// Rewrites the indices of `kernel`, whose instructions are numbered in order. Returns false if
/// there are none. The instructions are not numbered in order afterwards.
pub(super) fn linearize_indices(kernel: &mut Kernel) -> bool {
    let is_factor = |id: InstId| kernel.literal(id).is_none();
    let multiplies = |(_, inst): &(InstId, &Inst)| match inst.op {
        Op::Binary { op: BinaryOp::Mul, lhs, rhs } => is_factor(lhs) && is_factor(rhs),
        _ => false,
    };
    let is_loop = |(_, inst): (InstId, &Inst)| matches!(inst.op, Op::For { .. });
    if kernel.insts.iter().filter(multiplies).count() < MIN_FACTORS
        || !kernel.insts.iter().any(is_loop)
    {
        return false;
    }
    let before = kernel.insts.len();
    let ranges = range::analyze(kernel);
    let depth = kernel.insts.facts(0);
    let list = std::mem::take(&mut kernel.body);
    let mut walk = Walk { kernel, ranges, depth, loops: Vec::new() };
    let list = walk.body(list);
    kernel.body = list;
    kernel.insts.len() > before
}

/// A loop around what is looked at.
struct Loop {
    /// The counter, with its start and its step, if it has one.
    counter: Option<Counter>,
    /// True if it runs few rounds, and as many each time.
    is_short: bool,
    /// The instructions before the loop.
    before: Vec<InstId>,
    /// The instructions at the beginning of each round.
    first: Vec<InstId>,
    /// The values that are computed before the loop.
    known: HashMap<Rc<Value>, InstId>,
    /// The sums at the beginning of a round.
    sums: HashMap<Part, InstId>,
}

/// The part of a sum that a loop computes: the value, and the multiples of the counters to its own.
type Part = (Option<Rc<Value>>, Vec<(usize, Rc<Value>)>);

#[derive(Clone, Copy)]
struct Counter {
    id: InstId,
    start: InstId,
    step: InstId,
}

/// A value that is the same in all rounds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Value {
    Constant(u64),
    /// The value of an instruction before the loop.
    Same(InstId),
    /// The value of an instruction, which depends on nothing, computed again.
    Again(InstId),
    /// A narrow value, widened.
    Widened(Rc<Self>),
    Binary(BinaryOp, Rc<Self>, Rc<Self>),
}

/// A sum of a constant, a value, and multiples of counters.
#[derive(Clone, Default)]
struct Sum {
    constant: u64,
    value: Option<Rc<Value>>,
    multiples: Vec<Multiple>,
}

/// A multiple of the counter of a loop.
#[derive(Clone)]
struct Multiple {
    /// The place of the loop among those around.
    of: usize,
    by: Rc<Value>,
    /// The factors of `by` that are no constants.
    factors: usize,
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    ranges: Ranges,
    /// The number of loops around each instruction.
    depth: Facts<InstId, usize>,
    loops: Vec<Loop>,
}

impl Walk<'_> {
    fn body(&mut self, list: Body) -> Body {
        let mut kept = Vec::with_capacity(list.0.len());
        for id in list.0 {
            self.depth[id] = self.loops.len();
            if let Op::Index { index, .. } = self.kernel.insts[id].op
                && let Some(new) = self.linearize(index, &mut kept)
                && let Op::Index { index, .. } = &mut self.kernel.insts[id].op
            {
                *index = new;
            }
            if self.kernel.insts[id].op.is_leaf() {
                kept.push(id);
                continue;
            }
            // Taken out while its bodies are walked.
            let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
            let repeats = matches!(op, Op::For { .. } | Op::Loop { .. });
            if repeats {
                let around = self.around(id, &op);
                self.loops.push(around);
            }
            for inner in op.bodies_mut() {
                *inner = self.body(std::mem::take(inner));
            }
            if repeats {
                let Loop { before, mut first, .. } = self.loops.pop().expect("it was pushed");
                kept.extend(before);
                for inner in op.bodies_mut() {
                    first.append(&mut inner.0);
                    inner.0 = std::mem::take(&mut first);
                }
            }
            self.kernel.insts[id].op = op;
            kept.push(id);
        }
        Body(kept)
    }

    fn around(&self, id: InstId, op: &Op) -> Loop {
        let (mut counter, mut is_short) = (None, false);
        if let Op::For { start, end, step, inclusive, .. } = *op {
            counter = Some(Counter { id, start, step });
            let numbers = [start, end, step].map(|id| self.kernel.literal(id));
            if let [Some(start), Some(end), Some(step)] = numbers {
                let last = end.saturating_sub(u64::from(!inclusive));
                let others = last.saturating_sub(start).checked_div(step);
                is_short = others.is_some_and(|others| others < MAX_UNROLLED_ROUNDS);
            }
        }
        Loop {
            counter,
            is_short,
            before: Vec::new(),
            first: Vec::new(),
            known: HashMap::new(),
            sums: HashMap::new(),
        }
    }

    /// Returns what stands for an index, and appends to `kept` what is computed in place.
    fn linearize(&mut self, index: InstId, kept: &mut Vec<InstId>) -> Option<InstId> {
        let innermost = self.loops.iter().rposition(|around| !around.is_short)?;
        let Loop { counter, sums, .. } = &self.loops[innermost];
        if self.kernel.insts[index].ty != INDEX || counter.is_none() {
            return None;
        }
        // With the counters of as many loops as possible.
        let (from, sum) = (0..=innermost).find_map(|from| {
            let mut budget = MAX_OPERATIONS;
            Some((from, self.sum(index, from, &mut budget)?))
        })?;
        let pays =
            |multiple: &Multiple| multiple.of == innermost && multiple.factors >= MIN_FACTORS;
        let has_room = || sums.len() < MAX_VARIABLES || sums.contains_key(&sum.part(innermost));
        if !sum.multiples.iter().any(pays) || !has_room() {
            return None;
        }
        let span = self.kernel.insts[index].span;
        Some(Emission { walk: self, from, innermost, span }.sum(&sum, kept))
    }

    /// Returns `id`, of 32 or 64 bits, as a sum of multiples of the counters of the loop `from` and
    /// of those inside it; `None` if it is no such sum, or takes more operations than `budget`.
    fn sum(&self, id: InstId, from: usize, budget: &mut usize) -> Option<Sum> {
        *budget = budget.checked_sub(1)?;
        let counts = |around: &Loop| around.counter.is_some_and(|counter| counter.id == id);
        if let Some(of) = self.loops.iter().position(counts)
            && of >= from
        {
            let by = Rc::new(Value::Constant(1));
            let multiples = vec![Multiple { of, by, factors: 0 }];
            return Some(Sum { multiples, ..Sum::default() });
        }
        let inst = &self.kernel.insts[id];
        if let Op::Const(constant) = inst.op {
            return Some(Sum { constant, ..Sum::default() });
        }
        let is_narrow = inst.ty == Scalar::U32.into();
        if self.depth[id] <= from {
            return Some(Sum::of(Value::Same(id), is_narrow));
        }
        match inst.op {
            Op::Param(_) | Op::Len(_) | Op::Builtin(_) => {
                Some(Sum::of(Value::Again(id), is_narrow))
            }
            Op::Binary { op, lhs, rhs } if !is_narrow || self.ranges.is_exact(id) => {
                let [lhs, rhs] = [lhs, rhs].map(|operand| self.sum(operand, from, budget));
                Sum::binary(op, lhs?, rhs?)
            }
            Op::Cast { value } if self.kernel.insts[value].ty == Scalar::U32.into() => {
                self.sum(value, from, budget)
            }
            _ => None,
        }
    }
}

impl Sum {
    fn of(value: Value, is_narrow: bool) -> Self {
        let value = Rc::new(value);
        let value = if is_narrow { Rc::new(Value::Widened(value)) } else { value };
        Self { value: Some(value), ..Self::default() }
    }

    /// Returns what the loop `of` computes.
    fn part(&self, of: usize) -> Part {
        let inside = self.multiples.iter().filter(|multiple| multiple.of <= of);
        let mut multiples: Vec<_> = inside.map(|inside| (inside.of, inside.by.clone())).collect();
        multiples.sort_by_key(|(of, _)| *of);
        (self.value.clone(), multiples)
    }

    fn binary(op: BinaryOp, mut lhs: Self, rhs: Self) -> Option<Self> {
        match op {
            BinaryOp::Add => {
                lhs.constant = lhs.constant.wrapping_add(rhs.constant);
                lhs.add(op, rhs);
                Some(lhs)
            }
            BinaryOp::Sub => {
                lhs.constant = lhs.constant.wrapping_sub(rhs.constant);
                lhs.add(op, rhs);
                Some(lhs)
            }
            BinaryOp::Mul if rhs.multiples.is_empty() => Some(lhs.times(&rhs)),
            BinaryOp::Mul if lhs.multiples.is_empty() => Some(rhs.times(&lhs)),
            _ => None,
        }
    }

    /// Adds or subtracts all of `rhs` but its constant.
    fn add(&mut self, op: BinaryOp, rhs: Self) {
        let zero = || Rc::new(Value::Constant(0));
        self.value = match (self.value.take(), rhs.value) {
            (value, None) => value,
            (None, Some(value)) if op == BinaryOp::Add => Some(value),
            (value, Some(by)) => Some(Rc::new(Value::Binary(op, value.unwrap_or_else(zero), by))),
        };
        for multiple in rhs.multiples {
            match self.multiples.iter_mut().find(|known| known.of == multiple.of) {
                Some(known) => {
                    known.by = binary(op, &known.by, &multiple.by);
                    known.factors = known.factors.max(multiple.factors);
                }
                None if op == BinaryOp::Add => self.multiples.push(multiple),
                None => {
                    let by = binary(op, &zero(), &multiple.by);
                    self.multiples.push(Multiple { by, ..multiple });
                }
            }
        }
    }

    /// Returns the product with `factor`, which has no multiples.
    fn times(self, factor: &Self) -> Self {
        let by = factor.constant_and_value();
        let is_constant = factor.value.is_none();
        let value = self.value.map(|value| binary(BinaryOp::Mul, &value, &by));
        let multiples = self.multiples.into_iter().map(|multiple| Multiple {
            by: binary(BinaryOp::Mul, &multiple.by, &by),
            factors: multiple.factors + usize::from(!is_constant),
            ..multiple
        });
        let multiples = multiples.collect();
        if is_constant || self.constant == 0 {
            let constant = self.constant.wrapping_mul(factor.constant);
            return Self { constant, value, multiples };
        }
        let constant = Rc::new(Value::Constant(self.constant));
        let more = binary(BinaryOp::Mul, &constant, &by);
        let value =
            value.map_or_else(|| more.clone(), |value| binary(BinaryOp::Add, &value, &more));
        Self { constant: 0, value: Some(value), multiples }
    }

    fn constant_and_value(&self) -> Rc<Value> {
        let constant = Rc::new(Value::Constant(self.constant));
        match &self.value {
            None => constant,
            Some(value) if self.constant == 0 => value.clone(),
            Some(value) => binary(BinaryOp::Add, value, &constant),
        }
    }
}

/// Returns the value of an operation.
fn binary(op: BinaryOp, lhs: &Rc<Value>, rhs: &Rc<Value>) -> Rc<Value> {
    let value = match (op, &**lhs, &**rhs) {
        (BinaryOp::Mul, Value::Constant(1), _) => return rhs.clone(),
        (BinaryOp::Mul, _, Value::Constant(1)) => return lhs.clone(),
        (BinaryOp::Mul, Value::Constant(lhs), Value::Constant(rhs)) => {
            Value::Constant(lhs.wrapping_mul(*rhs))
        }
        _ => Value::Binary(op, lhs.clone(), rhs.clone()),
    };
    Rc::new(value)
}

/// Makes the instructions of a sum.
struct Emission<'e, 'k> {
    walk: &'e mut Walk<'k>,
    /// The outermost loop whose counter the sum knows. Values are computed before it.
    from: usize,
    /// The loop that advances variables.
    innermost: usize,
    span: Span,
}

impl Emission<'_, '_> {
    /// Returns the sum, and appends to `kept` what is computed in place.
    fn sum(mut self, sum: &Sum, kept: &mut Vec<InstId>) -> InstId {
        let mut total = sum.value.as_ref().map(|value| self.value(value));
        for of in self.from..self.walk.loops.len() {
            for multiple in sum.multiples.iter().filter(|multiple| multiple.of == of) {
                let part = sum.part(of);
                let known = self.walk.loops[of].sums.get(&part).copied();
                let new = known.unwrap_or_else(|| {
                    let by = self.value(&multiple.by);
                    if of == self.innermost {
                        self.advance(total, of, by)
                    } else {
                        self.multiply(total, of, by)
                    }
                });
                self.walk.loops[of].sums.insert(part, new);
                total = Some(new);
            }
        }
        let total = total.expect("a sum that pays has multiples");
        if sum.constant == 0 {
            return total;
        }
        let rhs = self.push(Op::Const(sum.constant), kept);
        self.binary(BinaryOp::Add, total, rhs, kept)
    }

    /// Returns the sum of `total` and the counter of a loop times `by`, in a variable that each
    /// round advances.
    fn advance(&mut self, total: Option<InstId>, of: usize, by: InstId) -> InstId {
        let Counter { start, step, .. } = self.counter(of);
        let mut before = Vec::new();
        let start = self.product(start, by, &mut before);
        let start = self.add(total, start, &mut before);
        let step = self.product(step, by, &mut before);
        let local = Local { name: String::new(), ty: INDEX, span: self.span };
        let local = self.walk.kernel.locals.push(local);
        self.set(local, start, &mut before);
        self.walk.loops[of].before.append(&mut before);

        let mut first = Vec::new();
        let now = self.push(Op::Get(local), &mut first);
        let next = self.binary(BinaryOp::Add, now, step, &mut first);
        self.set(local, next, &mut first);
        self.walk.loops[of].first.append(&mut first);
        now
    }

    /// Returns the sum of `total` and the counter of a loop times `by`, computed in each round.
    fn multiply(&mut self, total: Option<InstId>, of: usize, by: InstId) -> InstId {
        let counter = self.counter(of).id;
        let mut first = Vec::new();
        let multiple = self.product(counter, by, &mut first);
        let sum = self.add(total, multiple, &mut first);
        self.walk.loops[of].first.append(&mut first);
        sum
    }

    fn counter(&self, of: usize) -> Counter {
        self.walk.loops[of].counter.expect("it is multiplied")
    }

    /// Returns `value`, of 32 or 64 bits, times `by`.
    fn product(&mut self, mut value: InstId, by: InstId, list: &mut Vec<InstId>) -> InstId {
        let literal = |walk: &Walk<'_>, id: InstId| walk.kernel.literal(id);
        if literal(self.walk, value) == Some(1) {
            return by;
        }
        if let Some(number) = literal(self.walk, value) {
            value = self.push(Op::Const(number), list);
        } else if self.walk.kernel.insts[value].ty != INDEX {
            value = self.push(Op::Cast { value }, list);
        }
        if literal(self.walk, value) == Some(0) || literal(self.walk, by) == Some(1) {
            return value;
        }
        self.binary(BinaryOp::Mul, value, by, list)
    }

    fn add(&mut self, total: Option<InstId>, to: InstId, list: &mut Vec<InstId>) -> InstId {
        match total {
            Some(total) if self.walk.kernel.literal(to) == Some(0) => total,
            Some(total) => self.binary(BinaryOp::Add, total, to, list),
            None => to,
        }
    }

    fn set(&mut self, local: LocalId, value: InstId, list: &mut Vec<InstId>) {
        let op = Op::Set { local, value };
        let id = self.walk.kernel.insts.push(Inst { op, ty: Ty::Unit, span: self.span });
        list.push(id);
    }

    /// Returns a value, computed before the outermost loop.
    fn value(&mut self, value: &Rc<Value>) -> InstId {
        if let Some(known) = self.walk.loops[self.from].known.get(value) {
            return *known;
        }
        let mut before = Vec::new();
        let id = match &**value {
            Value::Same(id) => return *id,
            Value::Constant(number) => self.push(Op::Const(*number), &mut before),
            Value::Again(id) => {
                let again = self.walk.kernel.insts[*id].clone();
                let id = self.walk.kernel.insts.push(again);
                before.push(id);
                id
            }
            Value::Widened(narrow) => {
                let value = self.value(narrow);
                self.push(Op::Cast { value }, &mut before)
            }
            Value::Binary(op, lhs, rhs) => {
                let [lhs, rhs] = [lhs, rhs].map(|operand| self.value(operand));
                self.binary(*op, lhs, rhs, &mut before)
            }
        };
        let around = &mut self.walk.loops[self.from];
        around.before.append(&mut before);
        around.known.insert(value.clone(), id);
        id
    }

    fn binary(&mut self, op: BinaryOp, lhs: InstId, rhs: InstId, list: &mut Vec<InstId>) -> InstId {
        self.push(Op::Binary { op, lhs, rhs }, list)
    }

    /// Appends an instruction of 64 bits.
    fn push(&mut self, op: Op, list: &mut Vec<InstId>) -> InstId {
        let id = self.walk.kernel.insts.push(Inst { op, ty: INDEX, span: self.span });
        list.push(id);
        id
    }
}
