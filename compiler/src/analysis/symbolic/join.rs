//! Joins: abstract values where control flow converges.
use super::{
    super::range::Range,
    abstract_bool::{AbstractBool, PartialThreads, Spread},
    abstract_value::{AbstractInt, AbstractValue, Fit, scalar_type, type_limits},
    locals::Locals,
};
use super::{ActiveThreads, Coverage, Executor, Group, SymbolKind, SymbolicSum, ThreadSet};
use crate::ir::{InstId, LocalId};
use std::rc::Rc;

/// Threads at one point of the kernel, with the contents of their locals.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) active: ActiveThreads,
    pub(super) locals: Locals,
    pub(super) interval: u32,
    pub(super) since: u32,
}

/// The condition that decides from which side a thread comes.
enum JoinCondition {
    /// The thread number: the threads of the set come from the first side.
    Thread(ThreadSet),
    /// A value that is the same in a block or warp; once needed, a symbol that is 1 for the first
    /// side.
    Group(Group, Option<SymbolicSum>),
    /// Anything else.
    Unknown,
}

impl Executor<'_> {
    /// Returns the state of `active` threads.
    pub(super) fn save_state(&self, active: ActiveThreads) -> State {
        let (interval, since) = (self.interval, self.since);
        State { active, locals: self.locals.clone(), interval, since }
    }

    /// Continues from `state`.
    pub(super) fn resume_state(&mut self, state: State) -> ActiveThreads {
        self.locals = state.locals;
        (self.interval, self.since) = (state.interval, state.since);
        state.active
    }

    /// Merges two states after `id`.
    pub(super) fn merge_pair(&mut self, id: InstId, a: State, b: State) -> State {
        let apart = !a.active.threads.intersects(&b.active.threads);
        let mut decides = match a.active.coverage.union(b.active.coverage) {
            _ if apart => JoinCondition::Thread(a.active.threads.clone()),
            Coverage::All => JoinCondition::Group(Group::Block, None),
            Coverage::Warps => JoinCondition::Group(Group::Warp, None),
            Coverage::Guarded | Coverage::Some | Coverage::One => JoinCondition::Unknown,
        };
        let active = a.active.or(&b.active, &self.all);
        let (interval, since) = (a.interval.max(b.interval), a.since.min(b.since));
        let mut locals = a.locals;
        for local in locals.diff(&b.locals) {
            let known = self.join_values(id, local, &locals[local], &b.locals[local], &mut decides);
            locals.set(local, known);
        }
        State { active, locals, interval, since }
    }

    /// Joins two different values of a local.
    fn join_values(
        &mut self,
        id: InstId,
        local: LocalId,
        a: &AbstractValue,
        b: &AbstractValue,
        decides: &mut JoinCondition,
    ) -> AbstractValue {
        let scalar = scalar_type(self.kernel.locals[local].ty);
        let spreads = [a, b].map(|known| self.spread_in(known, &self.all));
        let spread = match decides {
            JoinCondition::Thread(_) | JoinCondition::Unknown => Spread::Thread,
            JoinCondition::Group(Group::Block, _) => spreads[0].max(spreads[1]),
            JoinCondition::Group(Group::Warp, _) => spreads[0].max(spreads[1]).max(Spread::Warp),
        };
        // The most precise join that is possible: a sum over both sides, then a fresh symbol of
        // their common spread, then an unknown value.
        match (a, b) {
            (AbstractValue::Int(a), AbstractValue::Int(b)) => {
                let value = self.join_sums(id, &a.value, &b.value, decides);
                let assumed = a.assumed || b.assumed;
                if let (Some(value), Some(scalar)) = (value, scalar) {
                    let fit = a.fit.max(b.fit);
                    let int = self.typed_int(value, scalar, None, assumed);
                    if let Some(int) = int {
                        return AbstractValue::Int(AbstractInt { fit: fit.min(int.fit), ..int });
                    }
                }
                let range = scalar.and_then(type_limits);
                match (spread.group(), range) {
                    (Some(group), Some(range)) => AbstractValue::Int(AbstractInt::proved(
                        self.new_symbol(id, SymbolKind::Computed, group, range),
                    )),
                    _ => self.new_opaque(Spread::Thread),
                }
            }
            (AbstractValue::Bool(a), AbstractValue::Bool(b)) => {
                self.join_bools(a, b, decides).into()
            }
            (AbstractValue::Ptr(root, from), AbstractValue::Ptr(other, to)) => {
                let offset = match (from, to) {
                    (Some(from), Some(to)) if root == other => {
                        let value = self.join_sums(id, &from.value, &to.value, decides);
                        let assumed = from.assumed || to.assumed;
                        value.map(|value| AbstractInt {
                            value: Rc::new(value),
                            fit: Fit::Proved,
                            assumed,
                        })
                    }
                    _ => None,
                };
                AbstractValue::Ptr(root.filter(|_| root == other), offset)
            }
            (
                AbstractValue::Int(_)
                | AbstractValue::Bool(_)
                | AbstractValue::Ptr(..)
                | AbstractValue::Opaque(..),
                _,
            ) => match (scalar, spread.group()) {
                (Some(crate::ir::Scalar::Bool), _) => self.unknown_bool(spread).into(),
                (Some(scalar), Some(group)) if type_limits(scalar).is_some() => {
                    let range = type_limits(scalar).unwrap_or(Range::new(0, 0));
                    AbstractValue::Int(AbstractInt::proved(self.new_symbol(
                        id,
                        SymbolKind::Computed,
                        group,
                        range,
                    )))
                }
                _ => self.new_opaque(spread),
            },
        }
    }

    /// Returns a value that is `a` or `b`.
    fn join_sums(
        &mut self,
        id: InstId,
        a: &SymbolicSum,
        b: &SymbolicSum,
        decides: &mut JoinCondition,
    ) -> Option<SymbolicSum> {
        if a == b {
            return Some(a.clone());
        }
        match decides {
            JoinCondition::Thread(first) => a.select(b, first, self.thread_count),
            JoinCondition::Group(group, symbol) => {
                // `b`, plus the difference if the symbol is 1.
                let difference = a.checked_sub(b)?;
                difference.as_numbers()?;
                let group = *group;
                let symbol = symbol.get_or_insert_with(|| {
                    self.new_symbol(id, SymbolKind::Computed, group, Range::new(0, 1))
                });
                b.checked_add(&difference.checked_mul(symbol)?)
            }
            JoinCondition::Unknown => None,
        }
    }

    fn join_bools(
        &self,
        a: &AbstractBool,
        b: &AbstractBool,
        decides: &JoinCondition,
    ) -> AbstractBool {
        let (a_yes, a_no) = a.parts(&self.all);
        let (b_yes, b_no) = b.parts(&self.all);
        match decides {
            JoinCondition::Thread(first) => {
                if let (AbstractBool::Exact(a), AbstractBool::Exact(b)) = (a, b) {
                    return AbstractBool::Exact(a.intersection(first).union(&b.difference(first)));
                }
                let part = |a: &PartialThreads, b: &PartialThreads| {
                    let (a, b) = (a.threads.intersection(first), b.threads.difference(first));
                    PartialThreads::new(a.union(&b), Coverage::Some)
                };
                AbstractBool::Parts { yes: part(&a_yes, &b_yes), no: part(&a_no, &b_no) }
            }
            JoinCondition::Group(group, _) => {
                let own = [a, b].map(|truth| truth.spread(&self.all));
                let by = match group {
                    Group::Block => Spread::Block,
                    Group::Warp => Spread::Warp,
                };
                self.unknown_bool(own[0].max(own[1]).max(by))
            }
            JoinCondition::Unknown => self.unknown_bool(Spread::Thread),
        }
    }

    /// Evaluates a `select`.
    pub(super) fn eval_select(
        &mut self,
        id: InstId,
        cond: InstId,
        [then, other]: [InstId; 2],
        active: &ThreadSet,
    ) -> AbstractValue {
        let (truth, a, b) =
            (self.condition_of(cond), self.last_value(then), self.last_value(other));
        if a.is_same_value(&b) {
            return a;
        }
        let mut decides = match (&truth, truth.spread(active)) {
            (AbstractBool::Exact(yes), _) => JoinCondition::Thread(yes.clone()),
            (AbstractBool::Parts { .. }, Spread::Block) => JoinCondition::Group(Group::Block, None),
            (AbstractBool::Parts { .. }, Spread::Warp) => JoinCondition::Group(Group::Warp, None),
            (AbstractBool::Parts { .. }, Spread::Thread) => JoinCondition::Unknown,
        };
        // A sum or a `bool` keeps the condition. Any other value is only as uniform as the operands
        // and the condition.
        if let (AbstractValue::Int(a), AbstractValue::Int(b)) = (&a, &b)
            && let Some(value) = self.join_sums(id, &a.value, &b.value, &mut decides)
            && let Some(scalar) = scalar_type(self.kernel.insts[id].ty)
            && let Some(int) = self.typed_int(value, scalar, None, a.assumed || b.assumed)
        {
            return AbstractValue::Int(AbstractInt { fit: a.fit.max(b.fit).min(int.fit), ..int });
        }
        if let (AbstractValue::Bool(a), AbstractValue::Bool(b)) = (&a, &b) {
            return self.join_bools(a, b, &decides).into();
        }
        let spread = self.spread_of_operands([then, other], active).max(truth.spread(active));
        self.new_unknown(id, spread)
    }

    /// Records the integer facts that follow from `cond` being `truth` in the active threads.
    pub(super) fn assume_condition(&mut self, cond: InstId, truth: bool) {
        use crate::ir::{BinaryOp, CompareOp, Op, UnaryOp};
        const MAX_FACTS: usize = 16;
        let kernel = self.kernel;
        let op = &kernel.insts[cond].op;
        if let Op::Unary { op: UnaryOp::Not, value } = *op {
            self.assume_condition(value, !truth);
        } else if let Op::Binary { op, lhs, rhs } = *op {
            if op == if truth { BinaryOp::And } else { BinaryOp::Or } {
                self.assume_condition(lhs, truth);
                self.assume_condition(rhs, truth);
            }
        } else if let Op::Compare { op, lhs, rhs } = *op
            && let (AbstractValue::Int(a), AbstractValue::Int(b)) =
                (self.last_value(lhs), self.last_value(rhs))
            && let (Some((a, false)), Some((b, false))) = (a.unwrapped(), b.unwrapped())
            && self.nonnegative.len() < MAX_FACTS
        {
            // `more - less - apart` is not negative.
            let (more, less, apart) = match (op, truth) {
                (CompareOp::Lt, true) | (CompareOp::Ge, false) => (b, a, 1),
                (CompareOp::Le, true) | (CompareOp::Gt, false) => (b, a, 0),
                (CompareOp::Gt, true) | (CompareOp::Le, false) => (a, b, 1),
                (CompareOp::Ge, true) | (CompareOp::Lt, false) => (a, b, 0),
                (CompareOp::Eq | CompareOp::Ne, _) => return,
            };
            let fact =
                more.checked_sub(less).and_then(|fact| fact.checked_sub(&SymbolicSum::from(apart)));
            self.nonnegative.extend(fact.filter(|fact| fact.as_numbers().is_none()));
        }
    }
}
