//! Evaluation of instructions: one arm for each, and the casts.
use super::{PerThread, ThreadSet};
use super::{
    abstract_bool::{AbstractBool, Spread},
    abstract_value::{AbstractInt, AbstractValue, Fit, result_limits, scalar_type, type_limits},
    executor::Executor,
};
use crate::ir::{
    Extent, InstId, LocalId, MatchOp, MatrixOp, Op, Root, ShuffleOp, SyncOp, VoteOp, WarpOp,
};
use std::rc::Rc;

impl Executor<'_> {
    /// Returns the abstract value of `id` in `active` threads.
    pub(super) fn eval_inst(&mut self, id: InstId, active: &ThreadSet) -> AbstractValue {
        let kernel = self.kernel;
        let op = &kernel.insts[id].op;
        match op {
            Op::Const(bits) => self.eval_const(id, *bits),
            Op::Generic(generic) => {
                let extent = Extent::Generic(*generic);
                match self.extent_value(id, &extent) {
                    Some(value) if result_limits(kernel, id).is_some() => {
                        AbstractValue::Int(AbstractInt::proved(value))
                    }
                    Some(_) | None => self.new_unknown(id, Spread::Block),
                }
            }
            Op::Param(param) => self.eval_param(id, *param, false),
            Op::Len(param) => self.eval_param(id, *param, true),
            Op::Shared(shared) => {
                AbstractValue::Ptr(Some(Root::Shared(*shared)), Some(AbstractInt::proved(0)))
            }
            Op::Array(array) => {
                AbstractValue::Ptr(Some(Root::Array(*array)), Some(AbstractInt::proved(0)))
            }
            Op::Builtin(builtin) => self.eval_builtin(id, *builtin),
            Op::Unary { op, value } => self.eval_unary(id, *op, *value, active),
            Op::Binary { op, lhs, rhs } => self.eval_binary(id, *op, *lhs, *rhs, active),
            Op::Compare { op, lhs, rhs } => self.eval_compare(*op, *lhs, *rhs, active).into(),
            Op::Cast { value } => self.eval_cast(id, *value, active),
            Op::Bitcast { value } => self.eval_bitcast(id, *value, active),
            Op::Select { cond, then, other } => {
                self.eval_select(id, *cond, [*then, *other], active)
            }
            Op::Index { base, index, stride } => self.eval_index(id, *base, *index, stride),
            Op::Offset { base, offset } => {
                let AbstractValue::Ptr(root, from) = self.last_value(*base) else {
                    return AbstractValue::Ptr(None, None);
                };
                let by = self.extent_value(id, offset);
                let sum = from.zip(by).and_then(|(from, by)| {
                    Some(AbstractInt { value: Rc::new(from.value.checked_add(&by)?), ..from })
                });
                AbstractValue::Ptr(root, sum)
            }
            Op::MapShared { .. } => AbstractValue::Ptr(None, None),
            Op::Bounds { index, .. } => self.eval_bounds_check(id, *index, active),
            Op::Get(local) => self.eval_get(id, *local),
            Op::Load { ptr, .. } => self.eval_load(id, *ptr, active),
            Op::Ternary { .. }
            | Op::Fma { .. }
            | Op::MulAdd { .. }
            | Op::Texture { .. }
            | Op::Ptx { is_pure: true, .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted => {
                let spread = self.spread_of_operands(op.operands(), active);
                self.new_unknown(id, spread)
            }
            Op::Sync(SyncOp::Barrier { .. }) => self.new_unknown(id, Spread::Block),
            Op::Warp(WarpOp::Shuffle { op, value, lane, width, mask }) => {
                let one = *op == ShuffleOp::Index && width.known() == Some(32);
                let by = self.spread_of_operands([*lane].into_iter().chain(*mask), active);
                let spread = match self.spread_in(&self.last_value(*value), active) {
                    Spread::Block => Spread::Block,
                    Spread::Warp => Spread::Warp,
                    Spread::Thread if one && by < Spread::Thread => Spread::Warp,
                    Spread::Thread => Spread::Thread,
                };
                self.new_unknown(id, spread)
            }
            Op::Warp(
                WarpOp::Vote { op: VoteOp::All | VoteOp::Any | VoteOp::Ballot, mask, .. }
                | WarpOp::Match { op: MatchOp::All, mask, .. }
                | WarpOp::Reduce { mask, .. },
            ) => {
                let spread = self.spread_of_operands(*mask, active).max(Spread::Warp);
                self.new_unknown(id, spread)
            }
            Op::AtomicLoad { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Warp(WarpOp::Match { op: MatchOp::Any, .. } | WarpOp::ActiveMask)
            | Op::Matrix(MatrixOp::Mma { .. } | MatrixOp::DistributeRows { .. })
            | Op::Ptx { is_pure: false, .. }
            | Op::Sync(SyncOp::MBarrierArrive { .. }) => self.new_unknown(id, Spread::Thread),
            // These yield no value, or are executed elsewhere.
            Op::For { .. }
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
            | Op::Panic { .. } => AbstractValue::VARIES,
        }
    }

    fn eval_get(&mut self, id: InstId, local: LocalId) -> AbstractValue {
        let known = self.locals[local].clone();
        let AbstractValue::Int(int) = &known else { return known };
        let (Some(scalar), true) = (scalar_type(self.kernel.insts[id].ty), int.fit > Fit::Proved)
        else {
            return known;
        };
        match self.typed_int((*int.value).clone(), scalar, self.result_range(id), int.assumed) {
            Some(int) => AbstractValue::Int(int),
            None => known,
        }
    }

    /// Casts `value` to the type of `id`.
    pub(super) fn eval_cast(
        &mut self,
        id: InstId,
        value: InstId,
        active: &ThreadSet,
    ) -> AbstractValue {
        let known = self.last_value(value);
        let from = scalar_type(self.kernel.insts[value].ty);
        let to = scalar_type(self.kernel.insts[id].ty);
        if let (AbstractValue::Int(int), Some(from), Some(to)) = (&known, from, to)
            && let (Some(from_bits), Some(to_bits)) = (from.bits(), to.bits())
            && type_limits(to).is_some()
        {
            let range = self.result_range(id);
            let computed = if to_bits <= from_bits {
                self.typed_int((*int.value).clone(), to, range, int.assumed)
            } else {
                let uniform = self.spread_in(&known, active) == Spread::Block;
                let widened = int.unwrapped().filter(|&(_, assumed)| !(assumed && uniform));
                let widened = widened.map(|(value, assumed)| (value.clone(), assumed));
                widened.and_then(|(value, assumed)| self.typed_int(value, to, range, assumed))
            };
            if let Some(int) = computed {
                return AbstractValue::Int(int);
            }
        }
        if let (AbstractValue::Bool(truth), Some(to)) = (&known, to)
            && let AbstractBool::Exact(yes) = &**truth
            && type_limits(to).is_some()
        {
            return AbstractValue::Int(AbstractInt::proved(PerThread::from_fn(
                self.thread_count,
                |thread| yes.contains(thread).into(),
            )));
        }
        let spread = self.spread_in(&known, active);
        self.new_unknown(id, spread)
    }

    fn eval_bitcast(&mut self, id: InstId, value: InstId, active: &ThreadSet) -> AbstractValue {
        let [from, to] = [value, id].map(|id| result_limits(self.kernel, id));
        if from.is_some() && to.is_some() {
            return self.eval_cast(id, value, active);
        }
        let spread = self.spread_in(&self.last_value(value), active);
        self.new_unknown(id, spread)
    }

    /// Returns an index in the threads where it is in bounds.
    fn eval_bounds_check(
        &mut self,
        id: InstId,
        index: InstId,
        active: &ThreadSet,
    ) -> AbstractValue {
        let known = self.last_value(index);
        let (AbstractValue::Int(int), Some(scalar)) =
            (&known, scalar_type(self.kernel.insts[id].ty))
        else {
            let spread = self.spread_in(&known, active);
            return self.new_unknown(id, spread);
        };
        match self.typed_int((*int.value).clone(), scalar, self.result_range(id), int.assumed) {
            Some(again) if again.fit < int.fit => AbstractValue::Int(again),
            Some(_) | None => known,
        }
    }
}
