//! One block: its registers, its shared memory, and the strands of its threads.
//!
//! Strands take turns. One that waits for others is set going again when they have
//! come: at a barrier, every thread of the block that has not ended, wherever it came
//! to one; at an operation of a warp, every lane that it names, at the same place.
//! When all wait and none can go on, that is a deadlock.
mod checks;
mod collective;
mod replay;
mod schedule;
mod spin_wait;
mod start;

use crate::{
    bytecode::{Code, Instr, Malformed, SPIN_BUDGET, SPIN_ITERATION_COST},
    exec::{
        bound::Bound,
        replay::{LaneInstr, Noted, Numbers, Tries},
        schedule::Order,
        state_cycle::Circle,
        step::{Exec, LastLoad, Looked, Place, Stop},
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
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use warpwise_compiler::ir::Span;

/// Steps that are taken from the budget of the launch at once.
const STEPS: u64 = 1 << 16;

/// The same where there is no budget: after how many to look whether threads go round in circles.
const UNLIMITED: i64 = 1 << 26;

/// Steps that a block may take.
#[derive(Clone, Copy)]
pub(crate) struct Budget<'a> {
    /// Those that the launch has left, if they are limited.
    pub(crate) left: Option<&'a AtomicU64>,
    /// After how many its worker wants to look around, if it does.
    pub(crate) pause: Option<i64>,
    /// Whether strands take turns as usual, though an order is drawn.
    pub(crate) evenly: bool,
}

/// A block that runs.
pub(crate) struct Block<'a> {
    code: &'a Code,
    bound: &'a Bound<'a>,
    number: u64,
    idx: [u32; 3],
    shared: Vec<Memory>,
    groups: Vec<Group>,
    /// Of each step that loads: where it did the last time.
    loaded: Vec<LastLoad>,
    /// Of each step that jumps back: whether to try how many iterations are alike.
    tries: Vec<Tries>,
    /// With the number of their group.
    strands: Vec<(usize, Box<Strand>)>,
    /// Strands that have ended, for their allocations.
    spare: Vec<(usize, Box<Strand>)>,
    /// Steps taken from the budget and not done.
    steps: i64,
    /// Whether no lanes that go round loops have been told apart.
    in_step: bool,
    checks: Option<Box<BlockChecks>>,
    /// In which order strands take turns, if not in the usual one.
    order: Option<Order>,
    /// Whether they take turns as usual for now, though there is one.
    evenly: bool,
    /// Whether a drawn order has let it change something since its turn began, and how many steps it has taken.
    changes: bool,
    taken: i64,
    /// Whether the strand that ran last went round a loop that may wait for others.
    spins: bool,
    /// Where to go on, if its worker has looked around.
    paused: Option<Pass>,
    /// For blocks that run [alike](crate::exec::replay): the values held once, of each group what is done with lanes and what else,
    /// and what all of them access, if it is checked.
    numbers: Numbers,
    lane_instrs: Vec<Vec<LaneInstr<'a>>>,
    noted: Vec<Noted>,
    did: ReplayedAccesses,
}

/// Up to [`GROUP`](crate::vector::mask::GROUP) threads.
struct Group {
    first_thread: usize,
    exist: Mask,
    live: Mask,
    /// Their indices in the block, along each axis.
    threads: [Vec<u32>; 3],
    registers: Registers,
    /// What it found of each loop that adds products.
    looked: Vec<Looked>,
    gone: GroupTrips,
}

/// A pass over the strands, each of which gets a turn.
struct Pass {
    /// How many of the block's turn came before.
    number: u32,
    /// The strand whose turn it is.
    index: usize,
    /// The patience that is left for it.
    slice: i64,
    /// What is left for the turn of the block.
    patience: i64,
    /// Whether all that had their turn wait for other blocks.
    waits: bool,
}

impl Pass {
    fn first() -> Self {
        Self { number: 0, index: 0, slice: SPIN_BUDGET, patience: SPIN_BUDGET, waits: true }
    }

    fn next(&self) -> Self {
        Self { number: self.number + 1, patience: self.patience, ..Self::first() }
    }

    /// It is the turn of another strand.
    fn turn_to(&mut self, index: usize) {
        (self.index, self.slice) = (index, SPIN_BUDGET);
    }
}

/// What a block's turn came to.
pub(crate) enum Turn {
    /// Every thread has ended.
    Ended,
    /// Its threads go round loops that wait for other blocks.
    Waits,
    /// Every thread that has not ended waits for the other blocks.
    Meets,
    /// It is the turn of other blocks.
    GivesWay,
    /// Its worker wants to look around.
    Pauses,
    /// Somebody who looks on wants the launch to end here.
    Halted(Span),
    /// No thread can go on.
    Deadlock(Vec<Waiting>),
    /// Threads go round a loop that nothing ever ends.
    Circles(Vec<Spinning>),
    /// The launch has no steps left.
    Spent,
    /// The kernel did something that the verifier rules out.
    Malformed(Malformed),
}

impl<'a> Block<'a> {
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Runs the block until it ends, or waits for others.
    pub(crate) fn run(&mut self, budget: Budget<'_>, log: &mut LaunchLog) -> Turn {
        (self.evenly, self.changes, self.taken) = (budget.evenly, false, 0);
        let mut pass = match self.paused.take() {
            Some(pass) => pass,
            None => {
                self.rearrange();
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
                        self.spare.push(self.strands.remove(index));
                        (pass.waits, self.changes) = (false, true);
                        pass.turn_to(index);
                        continue;
                    }
                    Stop::Meets => {
                        self.wait(index);
                        pass.waits = false;
                    }
                    Stop::Spun => {
                        let strands = self.strands.len();
                        self.split_waiting(index);
                        self.in_step &= self.strands.len() == strands;
                    }
                    Stop::Turn if self.evenly => {
                        self.give_back(budget);
                        return Turn::GivesWay;
                    }
                    Stop::Turn => {
                        self.split_waiting(index);
                        pass.waits &= self.spins;
                    }
                    Stop::Pauses => {
                        self.paused = Some(pass);
                        return Turn::Pauses;
                    }
                    Stop::Halted(span) => return Turn::Halted(span),
                    Stop::Spent => return Turn::Spent,
                    Stop::Circles => {
                        let spinning = self.spinning_strand(index);
                        return Turn::Circles(spinning.into_iter().map(|(_, one)| one).collect());
                    }
                    Stop::Malformed(malformed) => return Turn::Malformed(malformed),
                }
                pass.turn_to(index + 1);
            }
            if self.strands.is_empty() {
                self.give_back(budget);
                return Turn::Ended;
            }
            self.meet_warps();
            self.meet_block();
            if self.strands.iter().all(|(_, strand)| self.waits_for_grid(strand)) {
                self.give_back(budget);
                return Turn::Meets;
            }
            if self.strands.iter().all(|(_, strand)| strand.waits) {
                self.check_masks();
                return Turn::Deadlock(self.waiting());
            }
            // Those that meet in each round of a loop may wait for others, too.
            if pass.waits || pass.patience < -SPIN_BUDGET * self.strands.len() as i64 {
                self.give_back(budget);
                return Turn::Waits;
            }
            pass = pass.next();
            if self.gives_way(pass.number) {
                self.give_back(budget);
                return Turn::GivesWay;
            }
            self.rearrange();
        }
    }

    fn waits_for_grid(&self, strand: &Strand) -> bool {
        strand.waits && matches!(self.code.instrs[strand.at as usize], Instr::SyncGrid)
    }

    /// The block has ended, or will not go on.
    pub(crate) fn finish(&mut self, log: &mut LaunchLog) {
        self.groups.iter_mut().for_each(|group| log.tally.settle_group(&mut group.gone));
        if let (Some(checks), Some(launch)) = (&mut self.checks, &self.bound.checks) {
            checks.finish(self.code, launch, &mut log.found);
        }
    }

    /// Lets the threads go on that wait for the other blocks, which have come.
    pub(crate) fn leave_meeting(&mut self) {
        if let (Some(checks), Some(launch)) = (&mut self.checks, &self.bound.checks) {
            checks.sync_grid(self.code, launch);
        }
        for (_, strand) in &mut self.strands {
            (strand.at, strand.waits) = (strand.at + 1, false);
        }
        self.merge();
    }

    /// Runs a strand as long as there are steps for it.
    fn run_strand(&mut self, budget: Budget<'_>, log: &mut LaunchLog, pass: &mut Pass) -> Stop {
        let index = pass.index;
        let (mut circle, mut before, mut pauses) = (Circle::default(), None, false);
        let alone = self.groups.len() == 1 && self.strands.len() == 1;
        let mut slice = self.slice(pass.slice);
        loop {
            let steps = slice.steps;
            let (number, strand) = &mut self.strands[index];
            let group = &mut self.groups[*number];
            let place = Place {
                block: self.number,
                block_idx: self.idx,
                first_thread: group.first_thread,
                in_step: self.in_step,
            };
            let mut exec = Exec {
                code: self.code,
                bound: self.bound,
                shared: &self.shared,
                registers: &mut group.registers,
                loaded: &mut self.loaded,
                tries: &mut self.tries,
                looked: &mut group.looked,
                gone: &mut group.gone,
                live: &mut group.live,
                strand,
                alone,
                log,
                checks: self.checks.as_deref_mut(),
                place,
            };
            let stop = exec.run(&mut slice);
            self.taken += steps - slice.steps;
            self.steps -= steps - slice.steps;
            self.changes |= slice.changes;
            self.spins = SPIN_BUDGET - slice.patience >= SPIN_ITERATION_COST;
            if self.evenly {
                pass.patience -= SPIN_BUDGET - slice.patience;
                return self.stop_evenly(stop, budget);
            }
            let spent = matches!(stop, Stop::Spent);
            if spent && pauses {
                pass.slice = slice.patience;
                return Stop::Pauses;
            }
            pauses = budget.pause.is_some();
            if !spent || !self.take_steps(budget) {
                pass.patience -= SPIN_BUDGET - slice.patience;
                return stop;
            }
            slice.steps = self.steps;
            // With as much patience as before, it has gone round loops that read nothing of others only. What is spent
            // first is what earlier blocks have left.
            if before.replace(slice.patience) != Some(slice.patience) {
                circle = Circle::default();
            } else if self.order.is_none()
                && circle.closes(|hasher| self.digest_strand(index, hasher))
            {
                return Stop::Circles;
            }
        }
    }

    /// Takes steps from the launch's budget; false if there are none.
    fn take_steps(&mut self, budget: Budget<'_>) -> bool {
        let Some(left) = budget.left else {
            self.steps = budget.pause.map_or(UNLIMITED, |pause| self.steps.max(0) + pause);
            return true;
        };
        let most = budget.pause.map_or(STEPS, |pause| pause.unsigned_abs().min(STEPS));
        let mut taken = 0;
        let take = |left: u64| {
            taken = left.min(most);
            Some(left - taken)
        };
        // Cannot fail: the update always yields a value.
        let _ = left.fetch_update(Relaxed, Relaxed, take);
        self.steps += taken as i64;
        taken > 0
    }

    /// Gives steps that were not needed back to the budget.
    fn give_back(&mut self, budget: Budget<'_>) {
        if let (Some(left), Ok(rest)) = (budget.left, u64::try_from(self.steps)) {
            left.fetch_add(rest, Relaxed);
        }
        self.steps = 0;
    }

    /// Makes strands of the lanes that wait for those of a strand.
    fn split_waiting(&mut self, index: usize) {
        let (group, strand) = &mut self.strands[index];
        let (group, split) = (*group, strand.split_waiting());
        self.strands.extend(split.into_iter().map(|strand| (group, Box::new(strand))));
    }
}
