//! Runs the blocks of a launch on the cores of the host.
//!
//! Workers take blocks in the order of their numbers, so that a block may wait for an
//! earlier one. A block that makes no progress is put aside and another is taken, so
//! that it may wait for a later one, too. Blocks of a cooperative launch that have come to
//! where the grid meets wait until all have come that do not end before: so all blocks of it are
//! alive together, however few workers there are. The caller's thread is the first worker,
//! and gets [help](workers) once the launch has proved to be worth a thread.
mod livelock;
mod scheduled_livelock;
mod tickets;
mod workers;

use crate::{
    Launch, Outcome,
    bytecode::{Code, Malformed, Pattern},
    exec::{
        block::{Block, Budget, Turn},
        bound::{Bound, Observation, bind, check, lend, shared},
        replay::Tries,
        schedule::{BEGUN, Order, WINDOW},
        state_cycle::InVain,
    },
    observe::log::LaunchLog,
    outcome::Stopped,
};
use livelock::Hands;
use scheduled_livelock::Lull;
use std::{
    collections::VecDeque,
    num::NonZeroUsize,
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Condvar, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
};
use tickets::{FIRST_BATCH, MAX_BATCH, Tickets};

/// How often blocks may still wait for others after one was found that cannot end.
const GRACE: u32 = 1000;

/// After how many rounds, in which none of many blocks has ended, another one starts in a drawn order.
const IN_VAIN: u32 = 16;

/// The most blocks that pass between two tries to run some alike.
const RARELY: u32 = 64;

/// Runs every thread of `launch`; yields what was counted and found, too. The `patterns` are those of the code's
/// requests, the `observation` what is asked for if the code has steps for it.
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
    let blocks = match check(code, launch) {
        Ok(blocks) => blocks,
        Err(message) => return malformed(message),
    };
    let loans = match lend(code, launch) {
        Ok(loans) => loans,
        Err(message) => return malformed(message),
    };
    if blocks == 0 {
        return Default::default();
    }
    let shared = match shared(code, launch) {
        Ok(shared) => shared,
        Err(message) => return malformed(message),
    };
    let alone = code.single_worker || observation.is_ordered();
    let bound = bind(code, launch, &loans, shared, patterns, observation);
    let workers = if alone { NonZeroUsize::MIN } else { launch.workers.unwrap_or_else(cores) };
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

/// A launch that runs.
struct Grid<'a> {
    code: &'a Code,
    bound: &'a Bound<'a>,
    blocks: u64,
    tickets: Tickets,
    workers: u64,
    /// The lowest block that cannot end; those behind it are given up.
    first_stopped: AtomicU64,
    /// Steps that the launch may take, if that is limited.
    budget: u64,
    /// Steps that are left.
    steps: Option<AtomicU64>,
    end: Mutex<End>,
    meeting: Meeting,
    hands: Mutex<Hands<'a>>,
}

/// Where the blocks of a cooperative launch meet.
#[derive(Default)]
struct Meeting {
    count: Mutex<Count>,
    changed: Condvar,
}

/// Which blocks a meeting need not wait for.
#[derive(Default)]
struct Count {
    /// How many have come.
    come: u64,
    /// How many have ended.
    ended: u64,
    /// How many meetings there were.
    rounds: u64,
}

/// Cores of the host. Asking the system takes longer than a small launch.
fn cores() -> NonZeroUsize {
    static CORES: OnceLock<NonZeroUsize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
}

/// What blocks came to.
#[derive(Default)]
struct End {
    log: LaunchLog,
    /// With the number of the block.
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
        let one_by_one = code.syncs_grid || !code.atomics.is_empty();
        Self {
            code,
            bound,
            blocks,
            tickets: Tickets::new(blocks, workers, one_by_one),
            workers,
            first_stopped: AtomicU64::new(u64::MAX),
            budget: steps.unwrap_or(0),
            steps: steps.map(AtomicU64::new),
            end: Mutex::default(),
            meeting: Meeting::default(),
            hands: Mutex::default(),
        }
    }

    /// Runs a worker; a panic, a bug of ours, ends the launch and not the process.
    fn guard(&self, work: impl FnOnce()) {
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            let message = "the interpreter panicked: a bug of Warpwise".into();
            self.stop(0, Stopped::Malformed { message, span: None });
        }
    }

    fn join(&self, log: LaunchLog) {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).log.join(log);
    }

    /// Counts a block that has come to a meeting, or ended; yields how many meetings there were before.
    /// Where blocks never meet, nobody asks.
    fn count(&self, add: fn(&mut Count)) -> u64 {
        if !self.code.syncs_grid {
            return 0;
        }
        let mut count = self.meeting.count.lock().unwrap_or_else(PoisonError::into_inner);
        let before = count.rounds;
        add(&mut count);
        if count.come > 0 && count.come + count.ended == self.blocks {
            (count.come, count.rounds) = (0, before + 1);
            self.meeting.changed.notify_all();
        }
        before
    }

    /// Whether there was a meeting after so many; waits until there is, if asked to. Nobody waits for what
    /// was given up.
    fn has_met(&self, rounds: u64, wait: bool) -> bool {
        let mut count = self.meeting.count.lock().unwrap_or_else(PoisonError::into_inner);
        while wait && count.rounds == rounds && self.first_stopped.load(Relaxed) == u64::MAX {
            count = self.meeting.changed.wait(count).unwrap_or_else(PoisonError::into_inner);
        }
        count.rounds != rounds
    }

    /// Gives up the blocks behind this one, and all that wait for others.
    fn give_up(&self, block: u64) {
        let _count = self.meeting.count.lock().unwrap_or_else(PoisonError::into_inner);
        self.first_stopped.fetch_min(block, Relaxed);
        self.meeting.changed.notify_all();
    }

    /// Notes that `block` cannot end.
    fn stop(&self, block: u64, stopped: Stopped) {
        self.give_up(block);
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        if end.stopped.as_ref().is_none_or(|(lowest, _)| block < *lowest) {
            end.stopped = Some((block, stopped));
        }
    }

    /// Notes that the steps are spent, unless there is more to say.
    fn spent(&self) {
        self.give_up(0);
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        end.stopped.get_or_insert((u64::MAX, Stopped::StepBudget { steps: self.budget }));
    }

    fn is_given_up(&self, block: u64) -> bool {
        block > self.first_stopped.load(Relaxed)
    }
}

/// A thread of the host that runs blocks.
struct Worker<'g, 'a> {
    grid: &'g Grid<'a>,
    log: LaunchLog,
    /// Blocks that wait for others, least recently run first.
    aside: VecDeque<Box<Block<'a>>>,
    /// Blocks that have come to a meeting, and how many there were before that.
    met: VecDeque<Box<Block<'a>>>,
    rounds: u64,
    /// Those of `aside` to run again before another block starts.
    again: usize,
    /// How often a block may still wait, once another was found that cannot end.
    grace: u32,
    /// The remains of a block that has ended.
    spare: Option<Box<Block<'a>>>,
    /// In which order blocks are taken, if not in that of their numbers.
    order: Option<Order>,
    /// Blocks taken that have not started.
    taken: Range<u64>,
    /// Those to draw from.
    window: Vec<u64>,
    /// Rounds in which no block has ended.
    rounds_in_vain: u32,
    /// Whether a block gave way in this round that does not wait for others.
    goes_on: bool,
    in_vain: InVain,
    lull: Lull,
    /// Whether it has handed its blocks over, or has none.
    has_left: bool,
    /// After how many steps of a block to look around, if it is to.
    pause: Option<i64>,
    /// The block that was run until then.
    paused: Option<Box<Block<'a>>>,
    /// Whether to try to run blocks [alike](crate::exec::replay).
    tries: Tries,
}

impl<'g, 'a> Worker<'g, 'a> {
    fn new(grid: &'g Grid<'a>) -> Self {
        Self {
            grid,
            log: LaunchLog::new(&grid.code.counted),
            aside: VecDeque::new(),
            met: VecDeque::new(),
            rounds: 0,
            again: 0,
            grace: GRACE,
            spare: None,
            order: grid.bound.order.clone(),
            taken: 0..0,
            window: Vec::new(),
            rounds_in_vain: 0,
            goes_on: false,
            in_vain: InVain::default(),
            lull: Lull::default(),
            has_left: false,
            pause: None,
            paused: None,
            tries: if grid.bound.may_be_alike(grid.code) { Tries::default() } else { Tries::Never },
        }
    }

    /// Runs a block for a while; false if there is nothing left to do.
    fn turn(&mut self) -> bool {
        if self.paused.is_none() && self.run_alike() {
            return true;
        }
        let Some(mut block) = self.next() else { return false };
        if self.grid.is_given_up(block.number()) {
            self.spare = Some(block);
            return true;
        }
        let left = self.grid.steps.as_ref();
        let budget = Budget { left, pause: self.pause, evenly: self.lull.is_even() };
        self.log.tally.switch_to_block(block.number());
        let turn = block.run(budget, &mut self.log);
        if !matches!(turn, Turn::Meets | Turn::Waits | Turn::Pauses) {
            block.finish(&mut self.log);
        }
        self.note(&turn, block.quiet());
        match turn {
            Turn::Ended => {
                self.grid.count(|count| count.ended += 1);
                self.rounds_in_vain = 0;
                self.spare = Some(block);
            }
            Turn::GivesWay => {
                self.goes_on = true;
                self.aside.push_back(block);
            }
            Turn::Pauses => {
                self.paused = Some(block);
                self.pause = self.pause.map(|steps| 2 * steps);
            }
            Turn::Meets => {
                self.rounds = self.grid.count(|count| count.come += 1);
                self.met.push_back(block);
            }
            // Perhaps for one that cannot end.
            Turn::Waits if self.grace == 0 => self.spare = Some(block),
            Turn::Waits => {
                self.grace -= u32::from(self.grid.first_stopped.load(Relaxed) != u64::MAX);
                self.aside.push_back(block);
                // Whoever is waited for may be run by another worker.
                if self.order.is_none() {
                    thread::yield_now();
                }
            }
            Turn::Deadlock(waiting) => {
                let stopped =
                    Stopped::Deadlock { block: self.grid.bound.block_idx(block.number()), waiting };
                self.grid.stop(block.number(), stopped);
            }
            Turn::Circles(spinning) => {
                let idx = self.grid.bound.block_idx(block.number());
                let waiting = block.waiting();
                let stopped = Stopped::Livelock { block: idx, spinning, waiting, blocks: 1 };
                self.grid.stop(block.number(), stopped);
            }
            Turn::Spent => self.grid.spent(),
            Turn::Halted(span) => {
                let block_idx = self.grid.bound.block_idx(block.number());
                self.grid.stop(0, Stopped::Halted { block: block_idx, span });
                self.drop_all();
            }
            Turn::Malformed(Malformed { message, span }) => {
                self.grid.stop(block.number(), Stopped::Malformed { message, span: Some(span) });
            }
        }
        true
    }

    /// Runs blocks that have not started to their end, all in the same way; false if that cannot be.
    fn run_alike(&mut self) -> bool {
        if !self.tries.is_time() {
            return false;
        }
        let Some(first) = self.take() else { return false };
        let Bound { grid: [row, ..], .. } = *self.grid.bound;
        let left = u64::from(row) - first % u64::from(row);
        let most = left.min(1 + self.untouched());
        let mut block = self.room();
        self.log.tally.switch_to_block(first);
        let ran = block.run_alike(first, most, &mut self.log);
        self.spare = Some(block);
        self.tries = self.tries.after(&ran, RARELY);
        // Those that did not run are taken again.
        self.taken.start = first + ran.unwrap_or(0);
        ran.is_ok()
    }

    /// Room for a block.
    fn room(&mut self) -> Box<Block<'a>> {
        let spare = self.spare.take();
        spare.unwrap_or_else(|| Box::new(Block::new(self.grid.code, self.grid.bound)))
    }

    /// A block to run; waits for other workers' where there is no other.
    fn next(&mut self) -> Option<Box<Block<'a>>> {
        if let Some(block) = self.paused.take() {
            return Some(block);
        }
        self.leave_meeting(false);
        if let Some(block) = self.ready() {
            return Some(block);
        }
        if self.met.is_empty() {
            return None;
        }
        if self.leave() {
            self.leave_meeting(true);
            self.come_back();
        }
        self.ready()
    }

    /// Puts aside the blocks whose meeting is over; waits for that, if asked to.
    fn leave_meeting(&mut self, wait: bool) {
        if self.met.is_empty() || !self.grid.has_met(self.rounds, wait) {
            return;
        }
        self.aside.extend(self.met.drain(..).map(|mut block| {
            block.leave_meeting();
            block
        }));
    }

    /// A block put aside, or, when each of those has had its turn, a new one.
    fn ready(&mut self) -> Option<Box<Block<'a>>> {
        if self.again > 0 {
            self.again -= 1;
            return self.put_aside();
        }
        self.again = self.aside.len();
        let Some(number) = self.start() else {
            self.end_round();
            self.again = self.aside.len().saturating_sub(1);
            return self.put_aside();
        };
        let mut block = self.room();
        block.start(number);
        Some(block)
    }

    /// Gives up everything, as the only worker.
    fn drop_all(&mut self) {
        self.grid.tickets.drop_all();
        self.taken = 0..0;
        self.aside.clear();
        self.met.clear();
        self.window.clear();
    }

    /// A block put aside.
    fn put_aside(&mut self) -> Option<Box<Block<'a>>> {
        let is_drawn = !self.aside.is_empty() && !self.lull.is_even();
        if let Some(order) = self.order.as_mut().filter(|_| is_drawn) {
            let drawn = order.below(self.aside.len());
            self.aside.swap(0, drawn);
        }
        self.aside.pop_front()
    }

    /// The number of the next block that has not started.
    fn take(&mut self) -> Option<u64> {
        if self.taken.is_empty() {
            let most = if self.pause.is_some() { FIRST_BATCH } else { MAX_BATCH };
            self.taken = self.grid.tickets.take(most);
        }
        self.taken.next().filter(|block| !self.grid.is_given_up(*block))
    }

    /// Blocks taken that have not begun.
    fn untouched(&self) -> u64 {
        self.taken.end - self.taken.start
    }

    /// The number of a block to start.
    fn start(&mut self) -> Option<u64> {
        let Some(mut order) = self.order.take() else { return self.take() };
        let drawn = self.draw(&mut order);
        self.order = Some(order);
        drawn
    }

    /// One of the blocks that may come next.
    fn draw(&mut self, order: &mut Order) -> Option<u64> {
        self.rounds_in_vain += 1;
        // Those that have begun may wait for one that has not.
        let goes_on = std::mem::take(&mut self.goes_on) && self.rounds_in_vain < IN_VAIN;
        if self.aside.len() >= BEGUN && goes_on && !self.lull.is_even() {
            return None;
        }
        self.rounds_in_vain = 0;
        let room = WINDOW - self.window.len();
        for _ in 0..room {
            let Some(block) = self.take() else { break };
            self.window.push(block);
        }
        if self.window.is_empty() {
            return None;
        }
        let drawn = order.below(self.window.len());
        Some(self.window.swap_remove(drawn))
    }
}
