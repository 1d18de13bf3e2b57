//! Strided loops: the lanes of a warp start at most one step apart, and share the step and the end.
//!
//! ```text
//! for i in (global_idx_x()..n).step_by(stride) { .. }    // a stride of 31 or more
//! ```
//! The trip counts of such lanes differ by at most one, although each iteration may be the last of some.
use super::{
    Active, Run,
    known::{Int, Known},
    rounds::Header,
    truth::Spread,
};
use crate::ir::{Body, CompareOp, InstId, Op};

impl Run<'_> {
    /// Notes whether loop `id`, a `for` with this header or else a `loop`, is strided for the threads that reach it.
    pub(super) fn note_stride(
        &mut self,
        id: InstId,
        body: &Body,
        header: Option<&Header>,
        active: &Active,
    ) {
        let found = match (header, &self.kernel.insts[id].op) {
            (Some(header), _) => {
                self.note_trips(id, body, header, active);
                let same_end = match &header.end {
                    Some(end) => self.spread(&Known::Int(end.clone()), &active.threads),
                    None => Spread::Thread,
                };
                let strided = same_end <= Spread::Warp
                    && self.starts_within_a_step(&header.start, &header.step, active);
                Some((id, strided))
            }
            (None, Op::Loop { .. }) => self.while_stride(id, body, active),
            (None, _) => {
                self.trace.visits.list(id).push(None);
                Some((id, false))
            }
        };
        if let Some((condition, strided)) = found {
            let noted = &mut self.trace.strided[condition];
            *noted = Some(noted.unwrap_or(true) && strided);
        }
    }

    /// Notes how many iterations of `for` loop `id` each thread runs, if numbers tell and nothing else leaves the loop.
    fn note_trips(&mut self, id: InstId, body: &Body, header: &Header, active: &Active) {
        let leaves = |op: &Op| {
            matches!(op, Op::Return)
                || matches!(op, Op::Break(to) if *to <= id)
                || matches!(op, Op::Continue(to) if *to < id)
        };
        let visit = if self.holds(body, &leaves) { None } else { self.trips_of(header) };
        self.trace.visits.list(id).push(visit.map(|trips| (active.clone(), trips)));
    }

    /// The trip count of each thread of the block.
    fn trips_of(&self, header: &Header) -> Option<Vec<u32>> {
        let exact = |int: &Int| {
            let (value, assumed) = int.needed()?;
            value.exact().filter(|_| !assumed).cloned()
        };
        let [from, to, by] =
            [exact(&header.start)?, exact(header.end.as_ref()?)?, exact(&header.step)?];
        let of = |thread: usize| {
            let distance = to.at(thread).checked_sub(from.at(thread))?;
            let distance = distance.checked_add(i64::from(header.inclusive))?.max(0);
            let by = by.at(thread);
            let trips = (by > 0).then(|| distance.unsigned_abs().div_ceil(by.unsigned_abs()))?;
            u32::try_from(trips).ok()
        };
        (0..self.count).map(of).collect()
    }

    /// The condition that a `while` begins with, and whether its counter is strided; `None` if the loop begins otherwise.
    fn while_stride(&mut self, id: InstId, body: &Body, active: &Active) -> Option<(InstId, bool)> {
        let is_branch = |at: &&InstId| matches!(self.kernel.insts[**at].op, Op::If { .. });
        let condition = *body.0.iter().find(is_branch)?;
        let Op::If { cond, .. } = self.kernel.insts[condition].op else { return None };
        Some((condition, self.counts_in_strides(id, body, cond, active).unwrap_or(false)))
    }

    /// Returns true if `cond` is `counter < end` or `counter <= end`, of a counter that the loop increments and an end that it keeps.
    fn counts_in_strides(
        &mut self,
        id: InstId,
        body: &Body,
        cond: InstId,
        active: &Active,
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
        let is_kept = || rhs < id && self.spread_of_all([rhs], &active.threads) <= Spread::Warp;
        let is_constant = is_given || is_kept();
        let Known::Int(start) = self.locals[local].clone() else {
            return None;
        };
        let step = self.increment(id, body, local, &active.threads)?;
        let never_wraps = self.ranges.is_exact(self.increment_of(body, local)?);
        Some(is_constant && never_wraps && self.starts_within_a_step(&start, &step, active))
    }

    /// The sum that a loop sets `local` to.
    fn increment_of(&self, body: &Body, local: crate::ir::LocalId) -> Option<InstId> {
        body.0.iter().find_map(|&id| {
            let Op::Set { local: set, value } = self.kernel.insts[id].op else { return None };
            (set == local).then_some(value)
        })
    }

    /// Returns true if the numbers at which the lanes of each warp start are at most `step` apart, which they share.
    fn starts_within_a_step(&self, start: &Int, step: &Int, active: &Active) -> bool {
        let (Some((first, false)), Some((by, false))) = (start.needed(), step.needed()) else {
            return false;
        };
        let Some(range) = self.range(by) else { return false };
        if self.spread_of(by, &active.threads) > Spread::Warp {
            return false;
        }
        (0..active.threads.warps()).all(|warp| {
            let Some(leader) = active.threads.of_warp(warp).next() else { return true };
            let mut limits = (0, 0);
            active.threads.of_warp(warp).all(|thread| {
                first.difference(thread, leader).is_some_and(|apart| {
                    limits = (limits.0.min(apart), limits.1.max(apart));
                    i128::from(limits.1) - i128::from(limits.0) <= range.min
                })
            })
        })
    }
}
