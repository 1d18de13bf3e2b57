//! Votes of conditions that are known in every lane: masks such as `warp::ballot(lane % 2 == 0)`.
//!
//! A vote is known where all lanes that the kernel brings there take part: behind a guard, a block at an edge has
//! fewer. Threads that a fault has ended are not missed, as nowhere else.
use super::{
    Active, Factors, Threads, Which,
    known::{Int, Known},
    run::Run,
    truth::Truth,
};
use crate::ir::{InstId, VoteOp};

impl Run<'_> {
    /// Returns the result of a vote in `active` threads; `None` if it is not known.
    pub(super) fn vote(
        &self,
        op: VoteOp,
        value: InstId,
        mask: Option<InstId>,
        active: &Active,
    ) -> Option<Known> {
        let all_come = match active.which {
            Which::All | Which::Warps => !active.cut,
            Which::Guarded | Which::Some | Which::One => false,
        };
        let Known::Truth(truth) = self.known(value) else { return None };
        let Truth::Exact(yes) = &*truth else { return None };
        if !all_come || mask.is_some_and(|mask| !self.names(mask, &active.threads)) {
            return None;
        }
        let lanes = |thread: usize| {
            let all = active.threads.warp(thread / 32);
            (yes.warp(thread / 32) & all, all)
        };
        let in_threads = |is_true: &dyn Fn(u32, u32) -> bool| {
            let of = |thread: usize| {
                let (yes, all) = lanes(thread);
                is_true(yes, all)
            };
            Truth::Exact(Threads::where_true(self.count, of)).into()
        };
        Some(match op {
            VoteOp::All => in_threads(&|yes, all| yes == all),
            VoteOp::Any => in_threads(&|yes, _| yes != 0),
            VoteOp::Ballot => {
                let bits = |thread: usize| i64::from(lanes(thread).0);
                Known::Int(Int::proved(Factors::each(self.count, bits)))
            }
        })
    }

    /// True if `mask` names exactly the `active` lanes of each warp.
    fn names(&self, mask: InstId, active: &Threads) -> bool {
        let Known::Int(int) = self.known(mask) else { return false };
        let Some((mask, false)) = int.needed() else { return false };
        active.iter().all(|thread| mask.at(thread) == Some(active.warp(thread / 32).into()))
    }
}
