//! What an instruction yields: one arm for each, and those that only carry a value on.
use super::{Factors, Threads};
use super::{
    known::{Fit, Int, Known, limits, limits_of, scalar},
    run::Run,
    truth::{Spread, Truth},
};
use crate::ir::{Extent, InstId, LocalId, MatchOp, Op, Root, ShuffleOp, VoteOp};
use std::rc::Rc;

impl Run<'_> {
    /// What `id` yields in `active` threads.
    pub(super) fn compute(&mut self, id: InstId, active: &Threads) -> Known {
        let kernel = self.kernel;
        let op = &kernel.insts[id].op;
        match op {
            Op::Const(bits) => self.constant(id, *bits),
            Op::Generic(generic) => {
                let extent = Extent::Generic(*generic);
                match self.extent(id, &extent) {
                    Some(value) if limits_of(kernel, id).is_some() => {
                        Known::Int(Int::proved(value))
                    }
                    Some(_) | None => self.fresh(id, Spread::Block),
                }
            }
            Op::Param(param) => self.param(id, *param, false),
            Op::Len(param) => self.param(id, *param, true),
            Op::Shared(shared) => Known::Ptr(Some(Root::Shared(*shared)), Some(Int::proved(0))),
            Op::Array(array) => Known::Ptr(Some(Root::Array(*array)), Some(Int::proved(0))),
            Op::Builtin(builtin) => self.builtin(id, *builtin),
            Op::Unary { op, value } => self.unary(id, *op, *value, active),
            Op::Binary { op, lhs, rhs } => self.binary(id, *op, *lhs, *rhs, active),
            Op::Compare { op, lhs, rhs } => self.compare(*op, *lhs, *rhs, active).into(),
            Op::Cast { value } => self.cast(id, *value, active),
            Op::Bitcast { value } => self.bitcast(id, *value, active),
            Op::Select { cond, then, other } => self.select(id, *cond, [*then, *other], active),
            Op::Index { base, index, stride } => self.index(id, *base, *index, stride),
            Op::Offset { base, offset } => {
                let Known::Ptr(root, from) = self.known(*base) else {
                    return Known::Ptr(None, None);
                };
                let by = self.extent(id, offset);
                let sum = from.zip(by).and_then(|(from, by)| {
                    Some(Int { value: Rc::new(from.value.plus(&by)?), ..from })
                });
                Known::Ptr(root, sum)
            }
            Op::Bounds { index, .. } => self.bounded(id, *index, active),
            Op::Get(local) => self.get(id, *local),
            Op::Load { ptr } => self.load(id, *ptr, active),
            Op::Ternary { .. } | Op::Fma { .. } | Op::MulAdd { .. } => {
                let spread = self.spread_of_all(op.operands(), active);
                self.fresh(id, spread)
            }
            Op::Barrier { .. } => self.fresh(id, Spread::Block),
            Op::Shuffle { op, value, lane, width, mask } => {
                let one = *op == ShuffleOp::Index && width.known() == Some(32);
                let by = self.spread_of_all([*lane].into_iter().chain(*mask), active);
                let spread = match self.spread(&self.known(*value), active) {
                    Spread::Block => Spread::Block,
                    Spread::Warp => Spread::Warp,
                    Spread::Thread if one && by < Spread::Thread => Spread::Warp,
                    Spread::Thread => Spread::Thread,
                };
                self.fresh(id, spread)
            }
            Op::Vote { op: VoteOp::All | VoteOp::Any | VoteOp::Ballot, mask, .. }
            | Op::Match { op: MatchOp::All, mask, .. }
            | Op::Reduce { mask, .. } => {
                let spread = self.spread_of_all(*mask, active).max(Spread::Warp);
                self.fresh(id, spread)
            }
            Op::AtomicLoad { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Match { op: MatchOp::Any, .. }
            | Op::ActiveMask => self.fresh(id, Spread::Thread),
            // These yield nothing, or are run elsewhere.
            Op::For { .. }
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
            | Op::Panic { .. } => Known::VARIES,
        }
    }

    fn get(&mut self, id: InstId, local: LocalId) -> Known {
        let known = self.locals[local].clone();
        let Known::Int(int) = &known else { return known };
        let (Some(scalar), true) = (scalar(self.kernel.insts[id].ty), int.fit > Fit::Proved) else {
            return known;
        };
        match self.int((*int.value).clone(), scalar, self.range_of(id), int.assumed) {
            Some(int) => Known::Int(int),
            None => known,
        }
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

    fn bitcast(&mut self, id: InstId, value: InstId, active: &Threads) -> Known {
        let [from, to] = [value, id].map(|id| limits_of(self.kernel, id));
        if from.is_some() && to.is_some() {
            return self.cast(id, value, active);
        }
        let spread = self.spread(&self.known(value), active);
        self.fresh(id, spread)
    }

    /// An index, in the threads where it is in bounds.
    fn bounded(&mut self, id: InstId, index: InstId, active: &Threads) -> Known {
        let known = self.known(index);
        let (Known::Int(int), Some(scalar)) = (&known, scalar(self.kernel.insts[id].ty)) else {
            let spread = self.spread(&known, active);
            return self.fresh(id, spread);
        };
        match self.int((*int.value).clone(), scalar, self.range_of(id), int.assumed) {
            Some(again) if again.fit < int.fit => Known::Int(again),
            Some(_) | None => known,
        }
    }
}
