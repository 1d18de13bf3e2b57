//! Execution of one block: its registers, its shared memory, and the strands of its threads.
//!
//! Strands take turns. A waiting strand continues when all that it waits for have arrived: at a
//! barrier, every thread of the block that has not ended, whichever barrier each is at; at a named
//! barrier, the number of warps that it is for; at an mbarrier, the end of a phase; at a warp
//! operation, every lane that it names, at the same place. When all wait and none can continue,
//! that is a deadlock.
//!
//! `collective.rs` has barriers and warp operations that several strands complete;
//! `step/collective.rs` those that one strand completes alone.
mod collective;
mod mbarriers;
mod named_barriers;
mod replay;
mod sanitize;
mod schedule;
mod spin_wait;
mod start;

use crate::{
    bytecode::{Code, Instr, Malformed, SPIN_BUDGET, SPIN_ITERATION_COST},
    exec::{
        async_copies::AsyncCopies,
        bound::Bound,
        cluster::Cluster,
        mbarriers::MBarriers,
        replay::{Backoff, Clips, Effects, LaneInstr, LinearValues},
        schedule::Schedule,
        state_cycle::StateCycle,
        step::{DotProductMemo, Exec, LastLoad, Position, Stop},
        strand::Strand,
    },
    observe::{
        counters::tally::GroupTrips,
        log::LaunchLog,
        sanitizer::{BlockChecks, replayed_accesses::ReplayedAccesses},
    },
    outcome::{Spinning, Waiting},
    vector::{mask::Mask, memory::Memory, registers::Registers},
};
use named_barriers::NamedBarriers;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};
use warpwise_compiler::ir::Span;

/// Steps that are claimed from the launch's budget at once.
const STEPS_PER_CLAIM: u64 = 1 << 16;

/// Steps between two searches for cycles where there is no budget.
const CYCLE_CHECK_STEPS: i64 = 1 << 26;

/// The steps that a block may take.
#[derive(Clone, Copy)]
pub(crate) struct Budget<'a> {
    /// The steps that the launch has left, if they are limited.
    pub(crate) left: Option<&'a AtomicU64>,
    /// The number of steps after which the worker wants control back, if it does.
    pub(crate) pause_after: Option<i64>,
    /// True if strands take turns round-robin, in spite of a schedule.
    pub(crate) round_robin: bool,
}

/// A block under execution.
pub(crate) struct Block<'a> {
    code: &'a Code,
    bound: &'a Bound<'a>,
    number: u64,
    idx: [u32; 3],
    /// The ticket with which it started: its own number, or that of its cluster.
    ticket: u64,
    /// The shared arrays, without clusters.
    shared: Vec<Memory>,
    /// The cluster, and the rank in it.
    cluster: Option<(Arc<Cluster>, usize)>,
    groups: Vec<Group>,
    named_barriers: NamedBarriers,
    mbarriers: MBarriers,
    /// Per instruction, the place of its last load.
    last_loads: Vec<LastLoad>,
    /// Per instruction that jumps back, the backoff of its attempts to replay iterations.
    backoffs: Vec<Backoff>,
    /// The strands, each with the number of its group.
    strands: Vec<(usize, Box<Strand>)>,
    /// Ended strands, kept for their allocations.
    spare_strands: Vec<(usize, Box<Strand>)>,
    /// Steps claimed from the budget and not taken.
    steps_left: i64,
    /// True if the lanes in every loop have the same trip count: none was split off.
    equal_trips: bool,
    checks: Option<Box<BlockChecks>>,
    /// The schedule, if turns are not taken round-robin.
    schedule: Option<Schedule>,
    /// True while they are, in spite of a schedule.
    round_robin: bool,
    /// True if the block has changed something since its turn in a schedule began; and the steps
    /// since then.
    changed: bool,
    steps_taken: i64,
    /// True if the last strand ran a loop that may wait for others.
    last_spun: bool,
    /// The pass to continue, if the worker has taken control.
    paused_pass: Option<Pass>,
    /// For [replay](crate::exec::replay) of blocks: the uniform values, per group the lane
    /// instructions, the effects and the conditions of lanes that take part, and the checked
    /// accesses of all groups.
    linear: LinearValues,
    lane_instrs: Vec<Vec<LaneInstr<'a>>>,
    effects: Vec<Effects>,
    clips: Vec<Clips>,
    replayed: ReplayedAccesses,
}

/// A group: up to [`GROUP`](crate::vector::mask::GROUP) threads.
struct Group {
    first_thread: usize,
    exist: Mask,
    live: Mask,
    /// The index of each thread in the block, by axis.
    threads: [Vec<u32>; 3],
    registers: Registers,
    /// Per dot-product loop, the outcome of the last attempt to batch it.
    dot_product_memos: Vec<DotProductMemo>,
    trip_counts: GroupTrips,
    async_copies: AsyncCopies,
    /// The stores in bulk that threads have not waited for, if they are checked.
    bulk_stores: AsyncCopies,
}

/// A pass over the strands, each of which gets a turn.
struct Pass {
    /// Number of passes before it in the block's turn.
    number: u32,
    /// The strand whose turn it is.
    index: usize,
    /// The spin budget that the strand has left.
    strand_spin_budget: i64,
    /// The spin budget that the block's turn has left.
    block_spin_budget: i64,
    /// True if all strands that had their turn spin.
    all_spin: bool,
}

impl Pass {
    fn first() -> Self {
        Self {
            number: 0,
            index: 0,
            strand_spin_budget: SPIN_BUDGET,
            block_spin_budget: SPIN_BUDGET,
            all_spin: true,
        }
    }

    fn next(&self) -> Self {
        Self { number: self.number + 1, block_spin_budget: self.block_spin_budget, ..Self::first() }
    }

    /// Passes the turn to another strand.
    fn move_to(&mut self, index: usize) {
        (self.index, self.strand_spin_budget) = (index, SPIN_BUDGET);
    }
}

/// The outcome of a block's turn.
pub(crate) enum Turn {
    /// Every thread has ended.
    Ended,
    /// Its threads spin in loops that wait for other blocks.
    Spins,
    /// Every thread that has not ended waits at a grid barrier.
    AtGridBarrier,
    /// Every thread that has not ended waits at the barrier of the cluster.
    AtClusterBarrier,
    /// Every thread that has not ended waits, some at mbarriers that copies of other blocks of the
    /// cluster may complete.
    AwaitsMulticast,
    /// The schedule passes the turn to other blocks.
    Yielded,
    /// The worker takes control.
    Paused,
    /// A watcher ends the launch here.
    Halted(Span),
    /// No thread can continue.
    Deadlock(Vec<Waiting>),
    /// Threads spin in a loop that nothing can end.
    Livelock(Vec<Spinning>),
    /// The launch has no steps left.
    OutOfSteps,
    /// The kernel did something that the verifier rules out.
    Malformed(Malformed),
}

impl<'a> Block<'a> {
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Runs the block until it ends, waits for others, or has to yield.
    pub(crate) fn run(&mut self, budget: Budget<'_>, log: &mut LaunchLog) -> Turn {
        (self.round_robin, self.changed, self.steps_taken) = (budget.round_robin, false, 0);
        let mut pass = match self.paused_pass.take() {
            Some(pass) => pass,
            None => {
                self.shuffle_strands();
                Pass::first()
            }
        };
        loop {
            while let Some((_, strand)) = self.strands.get(pass.index) {
                let index = pass.index;
                if strand.waits {
                    pass.index += 1;
                    continue;
                }
                match self.run_strand(budget, log, &mut pass) {
                    Stop::Ended => {
                        self.spare_strands.push(self.strands.remove(index));
                        (pass.all_spin, self.changed) = (false, true);
                        pass.move_to(index);
                        continue;
                    }
                    Stop::Waits => {
                        self.suspend_strand(index);
                        pass.all_spin = false;
                    }
                    Stop::Spun => {
                        let strands = self.strands.len();
                        self.split_waiting(index);
                        self.equal_trips &= self.strands.len() == strands;
                    }
                    Stop::Yielded if self.round_robin => {
                        self.return_steps(budget);
                        return Turn::Yielded;
                    }
                    Stop::Yielded => {
                        self.split_waiting(index);
                        pass.all_spin &= self.last_spun;
                    }
                    Stop::Paused => {
                        self.paused_pass = Some(pass);
                        return Turn::Paused;
                    }
                    Stop::Halted(span) => return Turn::Halted(span),
                    Stop::OutOfSteps => return Turn::OutOfSteps,
                    Stop::Livelock => {
                        let spinning = self.spinning_strand(index);
                        return Turn::Livelock(
                            spinning.into_iter().map(|(_, spinning)| spinning).collect(),
                        );
                    }
                    Stop::Malformed(malformed) => return Turn::Malformed(malformed),
                }
                pass.move_to(index + 1);
            }
            if self.strands.is_empty() {
                self.return_steps(budget);
                return Turn::Ended;
            }
            // All strands have had their turn.
            self.complete_warp_ops();
            self.complete_named_barriers();
            self.resume_at_mbarriers();
            self.complete_barrier();
            // Waiting for the grid is no deadlock, so it is decided before that.
            if self.strands.iter().all(|(_, strand)| self.waits_for_grid(strand)) {
                self.return_steps(budget);
                return Turn::AtGridBarrier;
            }
            if self.is_at_cluster_barrier() {
                self.return_steps(budget);
                return Turn::AtClusterBarrier;
            }
            if self.awaits_multicast() {
                self.return_steps(budget);
                return Turn::AwaitsMulticast;
            }
            if self.strands.iter().all(|(_, strand)| strand.waits) {
                self.check_masks();
                return Turn::Deadlock(self.waiting_lanes());
            }
            // Strands that synchronize in each round of a loop may wait for other blocks, too, so
            // the whole turn is limited.
            if pass.all_spin || pass.block_spin_budget < -SPIN_BUDGET * self.strands.len() as i64 {
                self.return_steps(budget);
                return Turn::Spins;
            }
            pass = pass.next();
            if self.yields_after(pass.number) {
                self.return_steps(budget);
                return Turn::Yielded;
            }
            self.shuffle_strands();
        }
    }

    fn waits_for_grid(&self, strand: &Strand) -> bool {
        strand.waits && matches!(self.code.instrs[strand.pc as usize], Instr::SyncGrid)
    }

    fn waits_for_warpgroup(&self, strand: &Strand) -> bool {
        strand.waits && matches!(self.code.instrs[strand.pc as usize], Instr::WarpgroupSync)
    }

    fn waits_for_cluster(&self, strand: &Strand) -> bool {
        strand.waits && matches!(self.code.instrs[strand.pc as usize], Instr::SyncCluster)
    }

    /// Returns true if every thread that has not ended waits at the barrier of the cluster.
    pub(crate) fn is_at_cluster_barrier(&self) -> bool {
        !self.strands.is_empty()
            && self.strands.iter().all(|(_, strand)| self.waits_for_cluster(strand))
    }

    /// Returns true if every thread that has not ended waits for other blocks of the cluster.
    pub(crate) fn waits_for_cluster_blocks(&self) -> bool {
        self.is_at_cluster_barrier() || self.awaits_multicast()
    }

    /// Hands over the observations of a block that has ended, or will not continue.
    pub(crate) fn finish(&mut self, log: &mut LaunchLog) {
        self.groups.iter_mut().for_each(|group| log.tally.settle_group(&mut group.trip_counts));
        self.check_unwaited_copies();
        let has_ended = self.strands.is_empty();
        if let (Some(checks), Some(launch)) = (&mut self.checks, &self.bound.checks) {
            if has_ended {
                checks.leave_cluster(launch);
            }
            checks.finish(self.code, launch, &mut log.found);
        }
    }

    /// Continues after a grid barrier that all blocks have reached.
    pub(crate) fn pass_grid_barrier(&mut self) {
        if let (Some(checks), Some(launch)) = (&mut self.checks, &self.bound.checks) {
            checks.sync_grid(self.code, launch);
        }
        for (_, strand) in &mut self.strands {
            (strand.pc, strand.waits) = (strand.pc + 1, false);
        }
        self.merge();
    }

    /// Continues after the barrier of the cluster, which all blocks of it have reached; the `first`
    /// of them passes it before the others.
    pub(crate) fn pass_cluster_barrier(&mut self, first: bool) {
        self.check_barriers();
        if let (Some(checks), Some(launch)) = (&mut self.checks, &self.bound.checks) {
            checks.sync_cluster(self.code, launch, first);
        }
        for (_, strand) in &mut self.strands {
            (strand.pc, strand.waits) = (strand.pc + 1, false);
        }
        self.merge();
    }

    /// Returns the checks of the block, if it is checked.
    pub(crate) fn checks_mut(&mut self) -> Option<&mut BlockChecks> {
        self.checks.as_deref_mut()
    }

    /// Counts the block among those of its cluster that have ended; returns the cluster.
    pub(crate) fn leave_cluster(&mut self) -> Option<Arc<Cluster>> {
        let (cluster, _) = self.cluster.take()?;
        cluster.count_ended();
        Some(cluster)
    }

    /// Returns the cluster, if blocks run in clusters.
    pub(crate) fn cluster(&self) -> Option<&Arc<Cluster>> {
        self.cluster.as_ref().map(|(cluster, _)| cluster)
    }

    /// Returns the ticket with which the block started: its own number, or that of its cluster.
    pub(crate) fn ticket(&self) -> u64 {
        self.ticket
    }

    /// Returns the shared arrays.
    fn shared(&self) -> &[Memory] {
        self.cluster.as_ref().map_or(&self.shared, |(cluster, rank)| cluster.arrays(*rank))
    }

    /// Runs a strand as long as there are steps for it.
    fn run_strand(&mut self, budget: Budget<'_>, log: &mut LaunchLog, pass: &mut Pass) -> Stop {
        let index = pass.index;
        let (mut cycle, mut before, mut pauses) = (StateCycle::default(), None, false);
        let is_only_strand = self.groups.len() == 1 && self.strands.len() == 1;
        let mut slice = self.next_slice(pass.strand_spin_budget);
        loop {
            let steps = slice.steps;
            let shared = match &self.cluster {
                Some((cluster, rank)) => cluster.arrays(*rank),
                None => &self.shared[..],
            };
            let (number, strand) = &mut self.strands[index];
            let group = &mut self.groups[*number];
            let position = Position {
                block: self.number,
                block_idx: self.idx,
                first_thread: group.first_thread,
                equal_trips: self.equal_trips,
            };
            let mut exec = Exec {
                code: self.code,
                bound: self.bound,
                shared,
                cluster: self.cluster.as_ref().map(|(cluster, rank)| (&**cluster, *rank)),
                registers: &mut group.registers,
                last_loads: &mut self.last_loads,
                backoffs: &mut self.backoffs,
                dot_product_memos: &mut group.dot_product_memos,
                trip_counts: &mut group.trip_counts,
                async_copies: &mut group.async_copies,
                bulk_stores: &mut group.bulk_stores,
                mbarriers: &mut self.mbarriers,
                live: &mut group.live,
                strand,
                is_only_strand,
                log,
                checks: self.checks.as_deref_mut(),
                position,
            };
            let stop = exec.run(&mut slice);
            self.steps_taken += steps - slice.steps;
            self.steps_left -= steps - slice.steps;
            self.changed |= slice.changed;
            self.last_spun = SPIN_BUDGET - slice.spin_budget >= SPIN_ITERATION_COST;
            if self.round_robin {
                pass.block_spin_budget -= SPIN_BUDGET - slice.spin_budget;
                return self.stop_round_robin(stop, budget);
            }
            let spent = matches!(stop, Stop::OutOfSteps);
            if spent && pauses {
                pass.strand_spin_budget = slice.spin_budget;
                return Stop::Paused;
            }
            pauses = budget.pause_after.is_some();
            if !spent || !self.claim_steps(budget) {
                pass.block_spin_budget -= SPIN_BUDGET - slice.spin_budget;
                return stop;
            }
            slice.steps = self.steps_left;
            // An unchanged spin budget means that the strand has only run loops that read nothing
            // of others, so that a recurring state is a livelock. The steps that earlier blocks
            // left over are spent first.
            if before.replace(slice.spin_budget) != Some(slice.spin_budget) {
                cycle = StateCycle::default();
            } else if self.schedule.is_none()
                && cycle.recurs(|hasher| self.digest_strand(index, hasher))
            {
                return Stop::Livelock;
            }
        }
    }

    /// Claims steps from the launch's budget; false if there are none.
    fn claim_steps(&mut self, budget: Budget<'_>) -> bool {
        let Some(left) = budget.left else {
            self.steps_left = budget
                .pause_after
                .map_or(CYCLE_CHECK_STEPS, |pause| self.steps_left.max(0) + pause);
            return true;
        };
        let most = budget
            .pause_after
            .map_or(STEPS_PER_CLAIM, |pause| pause.unsigned_abs().min(STEPS_PER_CLAIM));
        let mut taken = 0;
        let take = |left: u64| {
            taken = left.min(most);
            Some(left - taken)
        };
        // Cannot fail: the update always yields a value.
        let _ = left.fetch_update(Relaxed, Relaxed, take);
        self.steps_left += taken as i64;
        taken > 0
    }

    /// Returns unused steps to the budget.
    fn return_steps(&mut self, budget: Budget<'_>) {
        if let (Some(left), Ok(rest)) = (budget.left, u64::try_from(self.steps_left)) {
            left.fetch_add(rest, Relaxed);
        }
        self.steps_left = 0;
    }

    /// Makes strands of the lanes that wait in frames of a strand.
    fn split_waiting(&mut self, index: usize) {
        let (group, strand) = &mut self.strands[index];
        let (group, split) = (*group, strand.split_waiting());
        self.strands.extend(split.into_iter().map(|strand| (group, Box::new(strand))));
    }
}
