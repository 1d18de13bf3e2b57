//! Votes with conditions that are known in every lane: masks such as `warp::ballot(lane % 2 == 0)`.
//!
//! A vote is known where all lanes take part that reach it in the kernel's text: after a guard, a
//! block at an edge has fewer. Threads that a fault has ended count as present, as everywhere in
//! this analysis.
use super::{
    ActiveThreads, Coverage, PerThread, ThreadSet,
    abstract_bool::AbstractBool,
    abstract_value::{AbstractInt, AbstractValue},
    executor::Executor,
};
use crate::ir::{InstId, VoteOp};

impl Executor<'_> {
    /// Returns the result of a vote in `active` threads; `None` if it is not known.
    pub(super) fn eval_vote(
        &self,
        op: VoteOp,
        value: InstId,
        mask: Option<InstId>,
        active: &ActiveThreads,
    ) -> Option<AbstractValue> {
        let all_come = match active.coverage {
            Coverage::All | Coverage::Warps => !active.launch_dependent,
            Coverage::Guarded | Coverage::Some | Coverage::One => false,
        };
        let AbstractValue::Bool(truth) = self.last_value(value) else { return None };
        let AbstractBool::Exact(yes) = &*truth else { return None };
        if !all_come || mask.is_some_and(|mask| !self.is_mask_of(mask, &active.threads)) {
            return None;
        }
        let lanes = |thread: usize| {
            let all = active.threads.lanes_of_warp(thread / 32);
            (yes.lanes_of_warp(thread / 32) & all, all)
        };
        let in_threads = |is_true: &dyn Fn(u32, u32) -> bool| {
            let of = |thread: usize| {
                let (yes, all) = lanes(thread);
                is_true(yes, all)
            };
            AbstractBool::Exact(ThreadSet::from_fn(self.thread_count, of)).into()
        };
        Some(match op {
            VoteOp::All => in_threads(&|yes, all| yes == all),
            VoteOp::Any => in_threads(&|yes, _| yes != 0),
            VoteOp::Ballot => {
                let bits = |thread: usize| i64::from(lanes(thread).0);
                AbstractValue::Int(AbstractInt::proved(PerThread::from_fn(self.thread_count, bits)))
            }
        })
    }

    /// Returns true if `mask` names exactly the `active` lanes of each warp.
    fn is_mask_of(&self, mask: InstId, active: &ThreadSet) -> bool {
        let AbstractValue::Int(int) = self.last_value(mask) else { return false };
        let Some((mask, false)) = int.unwrapped() else { return false };
        active
            .iter()
            .all(|thread| mask.number_in(thread) == Some(active.lanes_of_warp(thread / 32).into()))
    }
}
