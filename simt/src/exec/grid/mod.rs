//! Execution of the blocks of a launch on the cores of the host.
//!
//! Workers take blocks in the order of their numbers, so that a block may wait for an earlier one.
//! A block that makes no progress is suspended and another is taken, so that it may wait for a
//! later one, too. Blocks of a cooperative launch that reach a grid barrier wait until all others
//! have reached it or ended: so all blocks of it are alive together, however few workers there are.
//! The blocks of a [cluster](clusters) start together, by one ticket, on one worker.
//! The caller's thread is the first worker, and gets [help](workers) once the launch has proved to
//! be worth a thread.
mod clusters;
mod livelock;
mod scheduled_livelock;
mod tickets;
mod workers;

use crate::{
    Launch, Outcome,
    bytecode::{Code, Malformed, Pattern},
    exec::{
        block::{Block, Budget, Turn},
        bound::{Bound, Observation, bind, check_launch, lend_memories, shared_array_bytes},
        replay::Backoff,
        schedule::{MAX_STARTED_BLOCKS, START_WINDOW_BLOCKS, Schedule},
        state_cycle::Stagnation,
    },
    observe::log::LaunchLog,
    outcome::Stopped,
};
use livelock::Handover;
use scheduled_livelock::QuietTurns;
use std::{
    collections::VecDeque,
    num::NonZeroUsize,
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
};
use tickets::{FIRST_BATCH, MAX_BATCH, Tickets};

/// The most turns in which a worker's blocks may spin after the detection of a block that cannot
/// end.
const MAX_SPINS_AFTER_STOP: u32 = 1000;

/// Rounds without an ended block after which a schedule starts another one.
const START_AFTER_ROUNDS: u32 = 16;

/// The longest backoff between two attempts to replay blocks, in blocks.
const MAX_BACKOFF_BLOCKS: u32 = 64;

/// Runs every thread of `launch`; returns the observations, too. The `patterns` are those of the
/// code's requests; the `observation` asks for what the code has instructions for.
pub(crate) fn run(
    code: &Code,
    launch: &Launch<'_>,
    patterns: &[Option<Pattern>],
    observation: Observation<'_>,
) -> (Outcome, LaunchLog) {
    let malformed = |message| {
        let stopped = Some(Stopped::Malformed { message, span: None });
        (Outcome { stopped, ..Outcome::default() }, LaunchLog::default())
    };
    let blocks = match check_launch(code, launch) {
        Ok(blocks) => blocks,
        Err(message) => return malformed(message),
    };
    let loans = lend_memories(code, launch);
    if blocks == 0 {
        return Default::default();
    }
    let shared = match shared_array_bytes(code, launch) {
        Ok(shared) => shared,
        Err(message) => return malformed(message),
    };
    let is_single = code.single_worker || loans.single_worker || observation.is_ordered();
    let bound = bind(code, launch, &loans, shared, patterns, observation);
    let workers =
        if is_single { NonZeroUsize::MIN } else { launch.workers.unwrap_or_else(core_count) };
    let grid = Grid::new(code, &bound, blocks, workers, launch.steps);
    grid.run();
    let End { mut log, stopped } = grid.end.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(checks) = &bound.checks {
        log.found.join(checks.finish(code));
    }
    log.unused = bound.checks.and_then(|checks| checks.used);
    let (printed, lost) = log.take_printed();
    let stopped = stopped.map(|(_, stopped)| stopped);
    let fault = log.faults.report();
    (Outcome { fault, stopped, printed, lost }, log)
}

/// A launch under execution.
struct Grid<'a> {
    code: &'a Code,
    bound: &'a Bound<'a>,
    blocks: u64,
    tickets: Tickets,
    workers: u64,
    /// The lowest ticket of a block that cannot end; blocks with later ones are abandoned.
    first_stopped: AtomicU64,
    /// Steps that the launch may take, if that is limited.
    budget: u64,
    /// Steps that are left.
    steps: Option<AtomicU64>,
    end: Mutex<End>,
    barrier: GridBarrier,
    handover: Mutex<Handover<'a>>,
}

/// The grid barrier of a cooperative launch.
#[derive(Default)]
struct GridBarrier {
    arrivals: Mutex<Arrivals>,
    changed: Condvar,
}

/// The blocks for which a grid barrier need not wait.
#[derive(Default)]
struct Arrivals {
    /// Blocks that have arrived.
    arrived: u64,
    /// Blocks that have ended.
    ended: u64,
    /// Barriers that were passed.
    passed: u64,
}

/// Returns the number of cores. Asking the system takes longer than a small launch.
fn core_count() -> NonZeroUsize {
    static CORES: OnceLock<NonZeroUsize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
}

/// The results of the blocks.
#[derive(Default)]
struct End {
    log: LaunchLog,
    /// The reason why a block cannot end, with its ticket.
    stopped: Option<(u64, Stopped)>,
}

impl<'a> Grid<'a> {
    fn new(
        code: &'a Code,
        bound: &'a Bound<'a>,
        blocks: u64,
        workers: NonZeroUsize,
        steps: Option<u64>,
    ) -> Self {
        let workers = workers.get() as u64;
        let one_by_one = code.syncs_grid || code.cluster.is_some() || !code.atomics.is_empty();
        Self {
            code,
            bound,
            blocks,
            tickets: Tickets::new(blocks / code.cluster_blocks(), workers, one_by_one),
            workers,
            first_stopped: AtomicU64::new(u64::MAX),
            budget: steps.unwrap_or(0),
            steps: steps.map(AtomicU64::new),
            end: Mutex::default(),
            barrier: GridBarrier::default(),
            handover: Mutex::default(),
        }
    }

    /// Runs a worker; a panic, a bug of ours, ends the launch and not the process.
    fn catch_panics(&self, work: impl FnOnce()) {
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            let message = "the interpreter panicked: a bug of Warpwise".into();
            self.record_stop(0, Stopped::Malformed { message, span: None });
        }
    }

    fn join_log(&self, log: LaunchLog) {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).log.join(log);
    }

    /// Counts a block that has arrived at a grid barrier, or ended; returns the number of barriers
    /// passed before. Without grid barriers there is nothing to count.
    fn count_arrival(&self, add: fn(&mut Arrivals)) -> u64 {
        if !self.code.syncs_grid {
            return 0;
        }
        let mut arrivals = self.barrier.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        let before = arrivals.passed;
        add(&mut arrivals);
        if arrivals.arrived > 0 && arrivals.arrived + arrivals.ended == self.blocks {
            (arrivals.arrived, arrivals.passed) = (0, before + 1);
            self.barrier.changed.notify_all();
        }
        before
    }

    /// Returns true if more than `rounds` barriers were passed; waits for that, if asked to, unless
    /// blocks were abandoned.
    fn has_passed_barrier(&self, rounds: u64, wait: bool) -> bool {
        let mut arrivals = self.barrier.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        while wait && arrivals.passed == rounds && self.first_stopped.load(Relaxed) == u64::MAX {
            arrivals = self.barrier.changed.wait(arrivals).unwrap_or_else(PoisonError::into_inner);
        }
        arrivals.passed != rounds
    }

    /// Abandons the blocks with tickets after this one, and all that wait for others.
    fn abandon_after(&self, ticket: u64) {
        let _arrivals = self.barrier.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        self.first_stopped.fetch_min(ticket, Relaxed);
        self.barrier.changed.notify_all();
    }

    /// Records that a block with this ticket cannot end.
    fn record_stop(&self, ticket: u64, stopped: Stopped) {
        self.abandon_after(ticket);
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        if end.stopped.as_ref().is_none_or(|(lowest, _)| ticket < *lowest) {
            end.stopped = Some((ticket, stopped));
        }
    }

    /// Records that the steps are spent, unless there is another reason.
    fn record_out_of_steps(&self) {
        self.abandon_after(0);
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        end.stopped.get_or_insert((u64::MAX, Stopped::StepBudget { steps: self.budget }));
    }

    fn is_abandoned(&self, ticket: u64) -> bool {
        ticket > self.first_stopped.load(Relaxed)
    }
}

/// A worker: a thread of the host that runs blocks.
struct Worker<'g, 'a> {
    grid: &'g Grid<'a>,
    log: LaunchLog,
    /// Suspended blocks, least recently run first.
    suspended: VecDeque<Box<Block<'a>>>,
    /// Blocks at a grid barrier, and the number of barriers passed before.
    at_barrier: VecDeque<Box<Block<'a>>>,
    barriers_before: u64,
    /// Blocks at the barrier of their cluster, or that wait for copies of other blocks of it.
    at_cluster_barrier: VecDeque<Box<Block<'a>>>,
    /// Suspended blocks to run again before another block starts.
    to_resume: usize,
    /// The remaining turns in which blocks may spin after the detection of a block that cannot end.
    spins_left: u32,
    /// The storage of an ended block.
    spare_block: Option<Box<Block<'a>>>,
    /// The schedule, if blocks are not taken in the order of their numbers.
    schedule: Option<Schedule>,
    /// Taken tickets of blocks that have not started.
    taken: Range<u64>,
    /// Blocks among which the next one to start is drawn.
    start_window: Vec<u64>,
    /// Rounds in which no block has ended.
    rounds_without_end: u32,
    /// True if a block that does not spin yielded in this round.
    has_yielded: bool,
    stagnation: Stagnation,
    quiet_turns: QuietTurns,
    /// True if the worker has handed its blocks over, or has none.
    has_left: bool,
    /// The number of steps after which a block returns control, if it is to.
    pause_after: Option<i64>,
    /// The block that returned control.
    paused: Option<Box<Block<'a>>>,
    /// The backoff of attempts to [replay](crate::exec::replay) blocks.
    backoff: Backoff,
}

impl<'g, 'a> Worker<'g, 'a> {
    fn new(grid: &'g Grid<'a>) -> Self {
        Self {
            grid,
            log: LaunchLog::new(&grid.code.counted).with_caches(grid.bound.caches),
            suspended: VecDeque::new(),
            at_barrier: VecDeque::new(),
            barriers_before: 0,
            at_cluster_barrier: VecDeque::new(),
            to_resume: 0,
            spins_left: MAX_SPINS_AFTER_STOP,
            spare_block: None,
            schedule: grid.bound.schedule.clone(),
            taken: 0..0,
            start_window: Vec::new(),
            rounds_without_end: 0,
            has_yielded: false,
            stagnation: Stagnation::default(),
            quiet_turns: QuietTurns::default(),
            has_left: false,
            pause_after: None,
            paused: None,
            backoff: if grid.bound.may_replay_blocks(grid.code) {
                Backoff::default()
            } else {
                Backoff::Never
            },
        }
    }

    /// Runs a block for a turn; false if there is nothing left to do.
    fn run_turn(&mut self) -> bool {
        // Replay comes first: it needs blocks that have not started, and is the fastest way to run
        // them.
        if self.paused.is_none() && self.replay_blocks() {
            return true;
        }
        let Some(mut block) = self.next_block() else { return false };
        if self.grid.is_abandoned(block.ticket()) {
            self.spare_block = Some(block);
            return true;
        }
        let left = self.grid.steps.as_ref();
        let budget = Budget {
            left,
            pause_after: self.pause_after,
            round_robin: self.quiet_turns.is_round_robin(),
        };
        self.log.tally.switch_to_block(block.number());
        let turn = block.run(budget, &mut self.log);
        if !matches!(
            turn,
            Turn::AtGridBarrier
                | Turn::AtClusterBarrier
                | Turn::AwaitsMulticast
                | Turn::Spins
                | Turn::Paused
        ) {
            block.finish(&mut self.log);
        }
        self.record_progress(&turn, block.unchanged_steps());
        if let Some(cluster) = block.cluster().filter(|_| self.grid.code.has_multicasts) {
            self.resume_receivers(&Arc::clone(cluster));
        }
        match turn {
            Turn::Ended => {
                self.grid.count_arrival(|arrivals| arrivals.ended += 1);
                self.rounds_without_end = 0;
                let cluster = block.leave_cluster();
                self.spare_block = Some(block);
                if let Some(cluster) = cluster {
                    self.resume_cluster(&cluster);
                }
            }
            Turn::AtClusterBarrier | Turn::AwaitsMulticast => self.wait_for_cluster(block),
            Turn::Yielded => {
                self.has_yielded = true;
                self.suspended.push_back(block);
            }
            Turn::Paused => {
                self.paused = Some(block);
                self.pause_after = self.pause_after.map(|steps| 2 * steps);
            }
            Turn::AtGridBarrier => {
                self.barriers_before = self.grid.count_arrival(|arrivals| arrivals.arrived += 1);
                self.at_barrier.push_back(block);
            }
            // It may spin for the block that cannot end.
            Turn::Spins if self.spins_left == 0 => self.spare_block = Some(block),
            Turn::Spins => {
                self.spins_left -= u32::from(self.grid.first_stopped.load(Relaxed) != u64::MAX);
                self.suspended.push_back(block);
                // Another worker may run the block that it waits for.
                if self.schedule.is_none() {
                    thread::yield_now();
                }
            }
            Turn::Deadlock(waiting) => {
                let stopped =
                    Stopped::Deadlock { block: self.grid.bound.block_idx(block.number()), waiting };
                self.grid.record_stop(block.ticket(), stopped);
                self.stop_cluster(&block);
            }
            Turn::Livelock(spinning) => {
                let idx = self.grid.bound.block_idx(block.number());
                let waiting = block.waiting_lanes();
                let stopped = Stopped::Livelock { block: idx, spinning, waiting, blocks: 1 };
                self.grid.record_stop(block.ticket(), stopped);
                self.stop_cluster(&block);
            }
            Turn::OutOfSteps => self.grid.record_out_of_steps(),
            Turn::Halted(span) => {
                let block_idx = self.grid.bound.block_idx(block.number());
                self.grid.record_stop(0, Stopped::Halted { block: block_idx, span });
                self.drop_all();
            }
            Turn::Malformed(Malformed { message, span }) => {
                self.grid
                    .record_stop(block.ticket(), Stopped::Malformed { message, span: Some(span) });
            }
        }
        true
    }

    /// Replays blocks that have not started; false if that is not possible.
    fn replay_blocks(&mut self) -> bool {
        if !self.backoff.is_due() {
            return false;
        }
        let Some(first) = self.take_ticket() else { return false };
        let Bound { grid: [row, ..], .. } = *self.grid.bound;
        let left = u64::from(row) - first % u64::from(row);
        let most = left.min(1 + self.unstarted());
        let mut block = self.block_storage();
        self.log.tally.switch_to_block(first);
        let ran = block.replay_blocks(first, most, &mut self.log);
        self.spare_block = Some(block);
        self.backoff = self.backoff.after_attempt(&ran, MAX_BACKOFF_BLOCKS);
        // Blocks that were not replayed are taken again.
        self.taken.start = first + ran.unwrap_or(0);
        ran.is_ok()
    }

    /// Returns storage for a block.
    fn block_storage(&mut self) -> Box<Block<'a>> {
        let spare = self.spare_block.take();
        spare.unwrap_or_else(|| Box::new(Block::new(self.grid.code, self.grid.bound)))
    }

    /// Returns a block to run; waits for other workers' blocks if there is no other.
    fn next_block(&mut self) -> Option<Box<Block<'a>>> {
        if let Some(block) = self.paused.take() {
            return Some(block);
        }
        self.resume_after_barrier(false);
        if let Some(block) = self.next_ready_block() {
            return Some(block);
        }
        if self.at_barrier.is_empty() {
            return None;
        }
        if self.leave_or_take_over() {
            self.resume_after_barrier(true);
            self.rejoin();
        }
        self.next_ready_block()
    }

    /// Suspends the blocks that have passed the grid barrier; waits for that, if asked to.
    fn resume_after_barrier(&mut self, wait: bool) {
        if self.at_barrier.is_empty() || !self.grid.has_passed_barrier(self.barriers_before, wait) {
            return;
        }
        self.suspended.extend(self.at_barrier.drain(..).map(|mut block| {
            block.pass_grid_barrier();
            block
        }));
    }

    /// Returns a suspended block, or, when each of those has had its turn, a new one.
    fn next_ready_block(&mut self) -> Option<Box<Block<'a>>> {
        if self.to_resume > 0 {
            self.to_resume -= 1;
            return self.take_suspended();
        }
        self.to_resume = self.suspended.len();
        let Some(number) = self.next_ticket() else {
            self.end_round();
            self.to_resume = self.suspended.len().saturating_sub(1);
            return self.take_suspended();
        };
        Some(self.start_blocks(number))
    }

    /// Drops all blocks, as the only worker.
    fn drop_all(&mut self) {
        self.grid.tickets.drop_all();
        self.taken = 0..0;
        self.suspended.clear();
        self.at_barrier.clear();
        self.at_cluster_barrier.clear();
        self.start_window.clear();
    }

    /// Returns a suspended block.
    fn take_suspended(&mut self) -> Option<Box<Block<'a>>> {
        let is_drawn = !self.suspended.is_empty() && !self.quiet_turns.is_round_robin();
        if let Some(schedule) = self.schedule.as_mut().filter(|_| is_drawn) {
            let drawn = schedule.draw_below(self.suspended.len());
            self.suspended.swap(0, drawn);
        }
        self.suspended.pop_front()
    }

    /// Takes the ticket of the next block or cluster that has not started.
    fn take_ticket(&mut self) -> Option<u64> {
        if self.taken.is_empty() {
            let most = if self.pause_after.is_some() { FIRST_BATCH } else { MAX_BATCH };
            self.taken = self.grid.tickets.take(most);
        }
        self.taken.next().filter(|ticket| !self.grid.is_abandoned(*ticket))
    }

    /// Returns the number of taken tickets whose blocks have not started.
    fn unstarted(&self) -> u64 {
        self.taken.end - self.taken.start
    }

    /// Returns the number of a block to start.
    fn next_ticket(&mut self) -> Option<u64> {
        let Some(mut schedule) = self.schedule.take() else { return self.take_ticket() };
        let drawn = self.draw_ticket(&mut schedule);
        self.schedule = Some(schedule);
        drawn
    }

    /// Draws the block to start next.
    fn draw_ticket(&mut self, schedule: &mut Schedule) -> Option<u64> {
        self.rounds_without_end += 1;
        // Started blocks may wait for one that has not started.
        let has_yielded =
            std::mem::take(&mut self.has_yielded) && self.rounds_without_end < START_AFTER_ROUNDS;
        if self.suspended.len() >= MAX_STARTED_BLOCKS
            && has_yielded
            && !self.quiet_turns.is_round_robin()
        {
            return None;
        }
        self.rounds_without_end = 0;
        let room = START_WINDOW_BLOCKS - self.start_window.len();
        for _ in 0..room {
            let Some(block) = self.take_ticket() else { break };
            self.start_window.push(block);
        }
        if self.start_window.is_empty() {
            return None;
        }
        let drawn = schedule.draw_below(self.start_window.len());
        Some(self.start_window.swap_remove(drawn))
    }
}
