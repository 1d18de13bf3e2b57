//! Strided loops: the lanes of a warp start at most one step apart, and share the step and the end.
//!
//! ```text
//! for i in (global_idx_x()..n).step_by(stride) { .. }    // a stride of 31 or more
//! ```
//! The trip counts of such lanes differ by at most one, although each iteration may be the last of
//! some.
use super::{
    ActiveThreads, Executor,
    abstract_bool::Spread,
    abstract_value::{AbstractInt, AbstractValue},
    symbolic_loops::Header,
};
use crate::ir::{Body, CompareOp, InstId, Op};

impl Executor<'_> {
    /// Records whether loop `id`, a `for` with this header or else a `loop`, is strided for the
    /// threads that reach it.
    pub(super) fn record_stride(
        &mut self,
        id: InstId,
        body: &Body,
        header: Option<&Header>,
        active: &ActiveThreads,
    ) {
        let found = match (header, &self.kernel.insts[id].op) {
            (Some(header), _) => {
                self.record_trip_counts(id, body, header, active);
                let same_end = match &header.end {
                    Some(end) => self.spread_in(&AbstractValue::Int(end.clone()), &active.threads),
                    None => Spread::Thread,
                };
                let strided = same_end <= Spread::Warp
                    && self.starts_within_a_step(&header.start, &header.step, active);
                Some((id, strided))
            }
            (None, Op::Loop { .. }) => self.while_stride(id, body, active),
            (None, _) => {
                self.trace.long_visits.list_mut(id).push(None);
                Some((id, false))
            }
        };
        if let Some((condition, strided)) = found {
            let noted = &mut self.trace.strided[condition];
            *noted = Some(noted.unwrap_or(true) && strided);
        }
    }

    /// Records the trip count of `for` loop `id` in each thread, if its numbers are known and
    /// nothing else leaves the loop.
    fn record_trip_counts(
        &mut self,
        id: InstId,
        body: &Body,
        header: &Header,
        active: &ActiveThreads,
    ) {
        let leaves = |op: &Op| {
            matches!(op, Op::Return)
                || matches!(op, Op::Break(to) if *to <= id)
                || matches!(op, Op::Continue(to) if *to < id)
        };
        let visit = if self.contains_op(body, &leaves) { None } else { self.trip_counts(header) };
        self.trace.long_visits.list_mut(id).push(visit.map(|trips| (active.clone(), trips)));
    }

    /// Returns the trip count of each thread of the block.
    fn trip_counts(&self, header: &Header) -> Option<Vec<u32>> {
        let exact = |int: &AbstractInt| {
            let (value, assumed) = int.unwrapped()?;
            value.as_numbers().filter(|_| !assumed).cloned()
        };
        let [from, to, by] =
            [exact(&header.start)?, exact(header.end.as_ref()?)?, exact(&header.step)?];
        let of = |thread: usize| {
            let distance = to.number_in(thread).checked_sub(from.number_in(thread))?;
            let distance = distance.checked_add(i64::from(header.inclusive))?.max(0);
            let by = by.number_in(thread);
            let trips = (by > 0).then(|| distance.unsigned_abs().div_ceil(by.unsigned_abs()))?;
            u32::try_from(trips).ok()
        };
        (0..self.thread_count).map(of).collect()
    }

    /// Returns the condition at the beginning of a `while`, and whether its counter is strided;
    /// `None` for any other loop.
    fn while_stride(
        &mut self,
        id: InstId,
        body: &Body,
        active: &ActiveThreads,
    ) -> Option<(InstId, bool)> {
        let is_branch = |at: &&InstId| matches!(self.kernel.insts[**at].op, Op::If { .. });
        let condition = *body.0.iter().find(is_branch)?;
        let Op::If { cond, .. } = self.kernel.insts[condition].op else { return None };
        Some((condition, self.is_strided_condition(id, body, cond, active).unwrap_or(false)))
    }

    /// Returns true if `cond` is `counter < end` or `counter <= end`, with a counter that the loop
    /// increments and an end that it keeps.
    fn is_strided_condition(
        &mut self,
        id: InstId,
        body: &Body,
        cond: InstId,
        active: &ActiveThreads,
    ) -> Option<bool> {
        let kernel = self.kernel;
        let Op::Compare { op: CompareOp::Lt | CompareOp::Le, lhs, rhs } = kernel.insts[cond].op
        else {
            return None;
        };
        let Op::Get(local) = kernel.insts[lhs].op else { return None };
        let is_given = matches!(
            kernel.insts[rhs].op,
            Op::Const(_) | Op::Param(_) | Op::Len(_) | Op::Generic(_)
        );
        let is_kept =
            || rhs < id && self.spread_of_operands([rhs], &active.threads) <= Spread::Warp;
        let is_constant = is_given || is_kept();
        let AbstractValue::Int(start) = self.locals[local].clone() else {
            return None;
        };
        let step = self.loop_increment(id, body, local, &active.threads)?;
        let never_wraps = self.ranges.is_exact(self.increment_inst(body, local)?);
        Some(is_constant && never_wraps && self.starts_within_a_step(&start, &step, active))
    }

    /// Returns the sum that a loop sets `local` to.
    fn increment_inst(&self, body: &Body, local: crate::ir::LocalId) -> Option<InstId> {
        body.0.iter().find_map(|&id| {
            let Op::Set { local: set, value } = self.kernel.insts[id].op else { return None };
            (set == local).then_some(value)
        })
    }

    /// Returns true if the lanes of each warp share `step`, and start at most one step apart.
    fn starts_within_a_step(
        &self,
        start: &AbstractInt,
        step: &AbstractInt,
        active: &ActiveThreads,
    ) -> bool {
        let (Some((first, false)), Some((by, false))) = (start.unwrapped(), step.unwrapped())
        else {
            return false;
        };
        let Some(range) = self.sum_range(by) else { return false };
        if self.spread_of_sum(by, &active.threads) > Spread::Warp {
            return false;
        }
        (0..active.threads.warp_count()).all(|warp| {
            let Some(leader) = active.threads.iter_warp(warp).next() else { return true };
            let mut limits = (0, 0);
            active.threads.iter_warp(warp).all(|thread| {
                first.difference(thread, leader).is_some_and(|apart| {
                    limits = (limits.0.min(apart), limits.1.max(apart));
                    i128::from(limits.1) - i128::from(limits.0) <= range.min
                })
            })
        })
    }
}
