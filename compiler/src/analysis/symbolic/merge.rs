//! What is known where ways meet.
use super::{
    super::range::Range,
    known::{Fit, Int, Known, limits, scalar},
    locals::Locals,
    truth::{Part, Spread, Truth},
};
use super::{Active, Group, Run, SymbolKind, Threads, Value, Which};
use crate::ir::{InstId, LocalId};
use std::rc::Rc;

/// Threads at one place, with what their locals hold.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) active: Active,
    pub(super) locals: Locals,
    pub(super) interval: u32,
    pub(super) since: u32,
}

/// What decides from where a thread comes.
enum Decides {
    /// Its number: those of the set come from the first place.
    Thread(Threads),
    /// Something that is the same in a block or warp; as a symbol, 1 for the first place, once it is needed.
    Group(Group, Option<Value>),
    /// Something else.
    Unknown,
}

impl Run<'_> {
    /// Where `active` threads are.
    pub(super) fn state(&self, active: Active) -> State {
        let (interval, since) = (self.interval, self.since);
        State { active, locals: self.locals.clone(), interval, since }
    }

    /// Goes on from `state`.
    pub(super) fn resume(&mut self, state: State) -> Active {
        self.locals = state.locals;
        (self.interval, self.since) = (state.interval, state.since);
        state.active
    }

    /// Behind `id`, to which threads come from both.
    pub(super) fn merge(&mut self, id: InstId, a: State, b: State) -> State {
        let apart = !a.active.threads.meets(&b.active.threads);
        let mut decides = match a.active.which.or(b.active.which) {
            _ if apart => Decides::Thread(a.active.threads.clone()),
            Which::All => Decides::Group(Group::Block, None),
            Which::Warps => Decides::Group(Group::Warp, None),
            Which::Guarded | Which::Some | Which::One => Decides::Unknown,
        };
        let active = a.active.or(&b.active, &self.all);
        let (interval, since) = (a.interval.max(b.interval), a.since.min(b.since));
        let mut locals = a.locals;
        for local in locals.different(&b.locals) {
            let known = self.meet(id, local, &locals[local], &b.locals[local], &mut decides);
            locals.set(local, known);
        }
        State { active, locals, interval, since }
    }

    /// One of two, and they are different.
    fn meet(
        &mut self,
        id: InstId,
        local: LocalId,
        a: &Known,
        b: &Known,
        decides: &mut Decides,
    ) -> Known {
        let scalar = scalar(self.kernel.locals[local].ty);
        let spreads = [a, b].map(|known| self.spread(known, &self.all));
        let spread = match decides {
            Decides::Thread(_) | Decides::Unknown => Spread::Thread,
            Decides::Group(Group::Block, _) => spreads[0].max(spreads[1]),
            Decides::Group(Group::Warp, _) => spreads[0].max(spreads[1]).max(Spread::Warp),
        };
        match (a, b) {
            (Known::Int(a), Known::Int(b)) => {
                let value = self.either(id, &a.value, &b.value, decides);
                let assumed = a.assumed || b.assumed;
                if let (Some(value), Some(scalar)) = (value, scalar) {
                    let fit = a.fit.max(b.fit);
                    let int = self.int(value, scalar, None, assumed);
                    if let Some(int) = int {
                        return Known::Int(Int { fit: fit.min(int.fit), ..int });
                    }
                }
                let range = scalar.and_then(limits);
                match (spread.group(), range) {
                    (Some(group), Some(range)) => {
                        Known::Int(Int::proved(self.symbol(id, SymbolKind::Computed, group, range)))
                    }
                    _ => self.opaque(Spread::Thread),
                }
            }
            (Known::Truth(a), Known::Truth(b)) => self.either_truth(a, b, decides).into(),
            (Known::Ptr(root, from), Known::Ptr(other, to)) => {
                let offset = match (from, to) {
                    (Some(from), Some(to)) if root == other => {
                        let value = self.either(id, &from.value, &to.value, decides);
                        let assumed = from.assumed || to.assumed;
                        value.map(|value| Int { value: Rc::new(value), fit: Fit::Proved, assumed })
                    }
                    _ => None,
                };
                Known::Ptr(root.filter(|_| root == other), offset)
            }
            (Known::Int(_) | Known::Truth(_) | Known::Ptr(..) | Known::Opaque(..), _) => {
                match (scalar, spread.group()) {
                    (Some(crate::ir::Scalar::Bool), _) => self.same_truth(spread).into(),
                    (Some(scalar), Some(group)) if limits(scalar).is_some() => {
                        let range = limits(scalar).unwrap_or(Range::new(0, 0));
                        Known::Int(Int::proved(self.symbol(id, SymbolKind::Computed, group, range)))
                    }
                    _ => self.opaque(spread),
                }
            }
        }
    }

    /// `a` or `b`.
    fn either(&mut self, id: InstId, a: &Value, b: &Value, decides: &mut Decides) -> Option<Value> {
        if a == b {
            return Some(a.clone());
        }
        match decides {
            Decides::Thread(first) => a.select(b, first, self.count),
            Decides::Group(group, symbol) => {
                // `b`, and their difference if the symbol is 1.
                let difference = a.minus(b)?;
                difference.exact()?;
                let group = *group;
                let symbol = symbol.get_or_insert_with(|| {
                    self.symbol(id, SymbolKind::Computed, group, Range::new(0, 1))
                });
                b.plus(&difference.times(symbol)?)
            }
            Decides::Unknown => None,
        }
    }

    fn either_truth(&self, a: &Truth, b: &Truth, decides: &Decides) -> Truth {
        let (a_yes, a_no) = a.parts(&self.all);
        let (b_yes, b_no) = b.parts(&self.all);
        match decides {
            Decides::Thread(first) => {
                if let (Truth::Exact(a), Truth::Exact(b)) = (a, b) {
                    return Truth::Exact(a.and(first).or(&b.without(first)));
                }
                let part = |a: &Part, b: &Part| {
                    let (a, b) = (a.threads.and(first), b.threads.without(first));
                    Part::new(a.or(&b), Which::Some)
                };
                Truth::Parts { yes: part(&a_yes, &b_yes), no: part(&a_no, &b_no) }
            }
            Decides::Group(group, _) => {
                let own = [a, b].map(|truth| truth.spread(&self.all));
                let by = match group {
                    Group::Block => Spread::Block,
                    Group::Warp => Spread::Warp,
                };
                self.same_truth(own[0].max(own[1]).max(by))
            }
            Decides::Unknown => self.same_truth(Spread::Thread),
        }
    }

    /// One of two values, by a condition.
    pub(super) fn select(
        &mut self,
        id: InstId,
        cond: InstId,
        [then, other]: [InstId; 2],
        active: &Threads,
    ) -> Known {
        let (truth, a, b) = (self.truth(cond), self.known(then), self.known(other));
        if a.is_same(&b) {
            return a;
        }
        let mut decides = match (&truth, truth.spread(active)) {
            (Truth::Exact(yes), _) => Decides::Thread(yes.clone()),
            (Truth::Parts { .. }, Spread::Block) => Decides::Group(Group::Block, None),
            (Truth::Parts { .. }, Spread::Warp) => Decides::Group(Group::Warp, None),
            (Truth::Parts { .. }, Spread::Thread) => Decides::Unknown,
        };
        if let (Known::Int(a), Known::Int(b)) = (&a, &b)
            && let Some(value) = self.either(id, &a.value, &b.value, &mut decides)
            && let Some(scalar) = scalar(self.kernel.insts[id].ty)
            && let Some(int) = self.int(value, scalar, None, a.assumed || b.assumed)
        {
            return Known::Int(Int { fit: a.fit.max(b.fit).min(int.fit), ..int });
        }
        if let (Known::Truth(a), Known::Truth(b)) = (&a, &b) {
            return self.either_truth(a, b, &decides).into();
        }
        let spread = self.spread_of_all([then, other], active).max(truth.spread(active));
        self.fresh(id, spread)
    }

    /// Notes what `cond` being `truth` in the active threads says of integers.
    pub(super) fn assume(&mut self, cond: InstId, truth: bool) {
        use crate::ir::{BinaryOp, CompareOp, Op, UnaryOp};
        const MOST_FACTS: usize = 16;
        let kernel = self.kernel;
        let op = &kernel.insts[cond].op;
        if let Op::Unary { op: UnaryOp::Not, value } = *op {
            self.assume(value, !truth);
        } else if let Op::Binary { op, lhs, rhs } = *op {
            if op == if truth { BinaryOp::And } else { BinaryOp::Or } {
                self.assume(lhs, truth);
                self.assume(rhs, truth);
            }
        } else if let Op::Compare { op, lhs, rhs } = *op
            && let (Known::Int(a), Known::Int(b)) = (self.known(lhs), self.known(rhs))
            && let (Some((a, false)), Some((b, false))) = (a.needed(), b.needed())
            && self.facts.len() < MOST_FACTS
        {
            // `more - less - apart` is not negative.
            let (more, less, apart) = match (op, truth) {
                (CompareOp::Lt, true) | (CompareOp::Ge, false) => (b, a, 1),
                (CompareOp::Le, true) | (CompareOp::Gt, false) => (b, a, 0),
                (CompareOp::Gt, true) | (CompareOp::Le, false) => (a, b, 1),
                (CompareOp::Ge, true) | (CompareOp::Lt, false) => (a, b, 0),
                (CompareOp::Eq | CompareOp::Ne, _) => return,
            };
            let fact = more.minus(less).and_then(|fact| fact.minus(&Value::from(apart)));
            self.facts.extend(fact.filter(|fact| fact.exact().is_none()));
        }
    }
}
