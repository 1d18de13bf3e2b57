//! Check of race verdicts against every access of some launches.
//!
//! [`contradictions`] runs kernels in lock step (the [oracle]) and records each access to memory
//! that threads share: its thread and block, the number of barriers before it, and the meetings of
//! its warp. Two accesses by different threads to the same bytes are a race if at least one writes,
//! they are not both atomic for each other, and neither a barrier nor a meeting of their warp is
//! between them. That is exact for the launch, in whatever order the threads really run. So memory
//! that is proved race-free must have no race, and memory that is proved racy must have one between
//! the named threads, at the named instructions and bytes, if both threads reach them.
use crate::{
    oracle::{self, Endless, ROOT, Step},
    random_ir::{LaunchShape, RandomKernel},
};
use std::collections::BTreeMap;
use warpwise_compiler::{
    analysis::{
        Analyses,
        races::{Race, RaceKind, ThreadGroup, Verdict},
        symbolic::{Event, Trace},
    },
    id::Id,
    ir::{Axis, Body, Builtin, InstId, Kernel, Op, Root, Scope, SyncOp},
};

/// The number of claims about arrays and buffers, and of launches that they were compared with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Arrays and buffers that are proved race-free, proved racy, and neither.
    pub memory: [u32; 3],
    /// Launches.
    pub launches: u32,
    /// Unproved arrays and buffers for which a launch has a race.
    pub unknown_racy: u32,
    /// Proved races, and launches of their kernels in which both threads reach the accesses.
    pub races: [u32; 2],
}

/// The limit of accesses, above which a launch is not checked.
const MOST_ACCESSES: usize = 200_000;

/// An access by one thread.
#[derive(Clone, Debug)]
struct Access {
    root: Root,
    inst: InstId,
    block: u32,
    thread: usize,
    writes: bool,
    atomic: Option<Scope>,
    /// The number of barriers before it.
    interval: u32,
    /// The number of steps before it, in its block.
    time: u32,
    /// The stored value.
    value: u64,
    /// The iteration of each loop around it, from 0.
    rounds: Vec<(InstId, u32)>,
}

/// A record of one launch.
struct Log {
    /// By the block that owns the array, if a block does, and the address. All accesses are of four
    /// bytes.
    accesses: BTreeMap<(Option<u32>, u64), Vec<Access>>,
    /// The meetings of warps: block, time and threads.
    meetings: Vec<(u32, u32, Vec<bool>)>,
    faults: u64,
    /// The number of accesses.
    count: usize,
}

/// Returns the claims of `analyses` about races of `random` that this launch contradicts.
///
/// # Errors
/// Fails if a block takes too many steps, or the launch makes too many accesses to be checked.
pub fn contradictions(
    random: &RandomKernel,
    analyses: &Analyses,
    tally: &mut Tally,
) -> Result<Vec<String>, Endless> {
    let log = log(random)?;
    let races = &analyses.races;
    tally.launches += 1;
    let mut wrong = Vec::new();
    for memory in &races.memory {
        let found = || log.race_in(memory.root);
        match memory.verdict() {
            Verdict::RaceFree => wrong.extend(
                found().map(|(a, b)| format!("{:?} is not race-free: {a:?}, {b:?}", memory.root)),
            ),
            Verdict::CannotTell => tally.unknown_racy += u32::from(found().is_some()),
            Verdict::Racy => {}
        }
        // A thread that fails a check may end before its access.
        let claimed = memory.races.iter().filter(|_| log.faults == 0);
        for race in claimed {
            match log.witness(random, &analyses.trace, race) {
                Some(true) => tally.races[1] += 1,
                Some(false) => wrong.push(format!("{:?} has no such race: {race:?}", memory.root)),
                None => {}
            }
        }
    }
    Ok(wrong)
}

fn log(random: &RandomKernel) -> Result<Log, Endless> {
    let RandomKernel { kernel, shape, args, .. } = random;
    let count = shape.threads() as usize;
    let mut watched = Watched {
        kernel,
        log: Log { accesses: BTreeMap::new(), meetings: Vec::new(), faults: 0, count: 0 },
        last: vec![vec![0; count]; kernel.insts.len()],
        loops: Loops::new(kernel, count),
        block: None,
        barriers: vec![0; count],
        time: 0,
    };
    let ran = oracle::run(kernel, shape, &mut args.clone(), &mut |step| watched.step(step));
    let mut log = watched.log;
    log.faults = ran?.count;
    if log.count > MOST_ACCESSES { Err(Endless) } else { Ok(log) }
}

/// The state of the launch that is being recorded.
struct Watched<'k> {
    kernel: &'k Kernel,
    log: Log,
    /// Per instruction and thread, its last value.
    last: Vec<Vec<u64>>,
    loops: Loops,
    block: Option<u32>,
    /// The number of barriers that each thread has passed.
    barriers: Vec<u32>,
    time: u32,
}

impl Watched<'_> {
    fn step(&mut self, step: &Step<'_>) {
        if !step.repeats && self.kernel.body.0.first() == Some(&step.id) {
            self.block = Some(self.block.map_or(0, |block| block + 1));
            self.barriers.fill(0);
            self.time = 0;
        }
        self.time += 1;
        self.loops.step(step);
        if !step.values.is_empty() {
            self.last[step.id.index()].copy_from_slice(step.values);
        }
        let op = &self.kernel.insts[step.id].op;
        let active = (0..step.active.len()).filter(|&thread| step.active[thread]);
        if let Op::Sync(SyncOp::Barrier { .. }) = op {
            active.for_each(|thread| self.barriers[thread] += 1);
        } else if let Op::Sync(SyncOp::SyncWarp { mask: None }) = op {
            self.log.meetings.push((self.block.unwrap_or(0), self.time, step.active.to_vec()));
        } else if let Some((ptr, writes, atomic, value)) = access(op) {
            let Some(root) = self.kernel.root(ptr) else { return };
            let owner = match root {
                Root::Param(_) => None,
                Root::Shared(_) => self.block,
                Root::Array(_) => return,
            };
            for thread in active {
                self.log.count += 1;
                if self.log.count > MOST_ACCESSES {
                    return;
                }
                let access = Access {
                    root,
                    inst: step.id,
                    block: self.block.unwrap_or(0),
                    thread,
                    writes,
                    atomic,
                    interval: self.barriers[thread],
                    time: self.time,
                    value: value.map_or(0, |value| self.last[value.index()][thread]),
                    rounds: self.loops.rounds(step.id, thread),
                };
                let of = (owner, self.last[ptr.index()][thread]);
                self.log.accesses.entry(of).or_default().push(access);
            }
        }
    }
}

/// Returns the address of an access, whether it writes, the scope in which it is atomic, and the
/// stored value.
fn access(op: &Op) -> Option<(InstId, bool, Option<Scope>, Option<InstId>)> {
    match op {
        Op::Load { ptr, .. } => Some((*ptr, false, None, None)),
        Op::Store { ptr, value, .. } => Some((*ptr, true, None, Some(*value))),
        Op::Atomic { ptr, scope, .. } => Some((*ptr, true, Some(*scope), None)),
        _ => None,
    }
}

impl Log {
    /// Returns true if nothing orders two accesses to the same bytes, and they do not commute.
    fn is_race(&self, a: &Access, b: &Access) -> bool {
        let together = a.block == b.block;
        let is_enough = |scope: Option<Scope>| match scope {
            None => false,
            Some(Scope::Block) => together,
            Some(Scope::Device | Scope::System) => true,
        };
        (a.block, a.thread) != (b.block, b.thread)
            && (a.writes || b.writes)
            && !(is_enough(a.atomic) && is_enough(b.atomic))
            && !(together && (a.interval != b.interval || self.meet_between(a, b)))
    }

    /// Returns true if the two threads' warp synchronizes between the two accesses.
    fn meet_between(&self, a: &Access, b: &Access) -> bool {
        let times = a.time.min(b.time)..a.time.max(b.time);
        a.thread / 32 == b.thread / 32
            && self.meetings.iter().any(|(block, time, threads)| {
                *block == a.block && times.contains(time) && threads[a.thread] && threads[b.thread]
            })
    }

    /// Returns a race in one array or buffer.
    fn race_in(&self, root: Root) -> Option<(&Access, &Access)> {
        let is_shared = |list: &&Vec<Access>| {
            let wide =
                |access: &Access| matches!(access.atomic, Some(Scope::Device | Scope::System));
            list[0].root == root && list.iter().any(|of| of.writes) && !list.iter().all(wide)
        };
        self.accesses.values().filter(is_shared).find_map(|list| {
            let mut pairs = list
                .iter()
                .enumerate()
                .flat_map(|(i, a)| list[i + 1..].iter().map(move |b| (a, b)));
            pairs.find(|(a, b)| self.is_race(a, b))
        })
    }

    /// Returns true if the two threads that `race` names race as claimed, in a block, or in two
    /// blocks, in which both reach the accesses in the named iterations; `None` if there is no such
    /// block. A race between blocks is claimed for some neighbours along some axis, in one of the
    /// two orders. So a launch decides nothing if, along one of the axes, no neighbours reach the
    /// accesses, or neighbours in one order only.
    fn witness(&self, random: &RandomKernel, trace: &Trace, race: &Race) -> Option<bool> {
        let of_side = |side: usize| {
            let side = race.sides[side];
            let (inst, thread) = (side.inst, number(&random.shape, side.thread));
            self.accesses.iter().flat_map(move |((_, at), list)| {
                let is_it = move |of: &&Access| of.inst == inst && of.thread == thread;
                list.iter().filter(is_it).map(move |of| (*at, of))
            })
        };
        let [first, second]: [Vec<(u64, &Access)>; 2] =
            [of_side(0).collect(), of_side(1).collect()];
        let counts = |a: &Access, b: &Access| match race.among {
            ThreadGroup::Warp | ThreadGroup::Block => a.block == b.block,
            ThreadGroup::Grid => a.block != b.block,
        };
        let [of_first, of_second] = race.sides.map(|side| &trace.events[side.event]);
        let (mut come, mut meet) = ([[false; 2]; 3], false);
        for (at, a) in first.iter().filter(|(_, a)| is_event(of_first, a)) {
            let pairs = second.iter().filter(|(_, b)| {
                counts(a, b) && is_event(of_second, b) && apart_alike([of_first, of_second], [a, b])
            });
            for (other, b) in pairs {
                if let Some((axis, ways)) = neighbours(random.shape.grid, a.block, b.block) {
                    ways.into_iter().for_each(|way| come[axis][way] = true);
                }
                meet |= at == other
                    && self.is_race(a, b)
                    && race.offset.is_none_or(|place| place == (at & OFFSET).cast_signed())
                    && (race.kind != RaceKind::SameValue || a.value == b.value);
            }
        }
        let is_needed = |axis: usize| race.among == ThreadGroup::Grid && asks(&random.kernel, axis);
        let all = (0..3).all(|axis| come[axis] == [true; 2] || !is_needed(axis));
        (all && come.contains(&[true; 2])).then_some(meet)
    }
}

/// The iteration that each thread is in.
struct Loops {
    /// By loop, then thread; none before the first iteration.
    rounds: BTreeMap<InstId, Vec<Option<u32>>>,
    /// By instruction: the loops around it.
    around: Vec<Vec<InstId>>,
    /// By instruction: the loop whose body begins with it.
    begins: Vec<Option<InstId>>,
}

impl Loops {
    fn new(kernel: &Kernel, threads: usize) -> Self {
        let count = kernel.insts.len();
        let mut loops = Self {
            rounds: BTreeMap::new(),
            around: vec![Vec::new(); count],
            begins: vec![None; count],
        };
        loops.enter(kernel, &kernel.body, &mut Vec::new());
        for around in loops.around.iter().flatten() {
            loops.rounds.entry(*around).or_insert_with(|| vec![None; threads]);
        }
        loops
    }

    fn enter(&mut self, kernel: &Kernel, body: &Body, around: &mut Vec<InstId>) {
        for &id in &body.0 {
            self.around[id.index()].clone_from(around);
            let op = &kernel.insts[id].op;
            let repeats = matches!(op, Op::Loop { .. } | Op::For { .. });
            if repeats {
                around.push(id);
            }
            for body in op.bodies() {
                if let Some(first) = body.0.first().filter(|_| repeats) {
                    self.begins[first.index()] = Some(id);
                }
                self.enter(kernel, body, around);
            }
            if repeats {
                around.pop();
            }
        }
    }

    fn step(&mut self, step: &Step<'_>) {
        if step.repeats {
            return;
        }
        let active = || (0..step.active.len()).filter(|&thread| step.active[thread]);
        if let Some(rounds) = self.begins[step.id.index()].and_then(|of| self.rounds.get_mut(&of)) {
            active().for_each(|thread| {
                rounds[thread] = Some(rounds[thread].map_or(0, |round| round + 1));
            });
        }
        if let Some(rounds) = self.rounds.get_mut(&step.id) {
            active().for_each(|thread| rounds[thread] = None);
        }
    }

    fn rounds(&self, inst: InstId, thread: usize) -> Vec<(InstId, u32)> {
        let around = self.around[inst.index()].iter();
        around.filter_map(|of| Some((*of, self.rounds[of][thread]?))).collect()
    }
}

/// Returns for each loop around an event the iteration that it stands for, and whether it also
/// stands for later ones.
fn rounds(event: &Event) -> impl Iterator<Item = (InstId, u32, bool)> {
    let rounds = event.loops.iter().zip(&event.iterations);
    rounds.map(|(&(of, symbol), &round)| (of, round, symbol.is_some()))
}

/// Returns true if an access is in an iteration that an event stands for.
fn is_event(event: &Event, access: &Access) -> bool {
    rounds(event).all(|(of, round, or_later)| {
        let really = access.rounds.iter().find(|(around, _)| *around == of);
        really.is_some_and(|&(_, really)| really == round || or_later && really > round)
    })
}

/// Returns true if two accesses are as many iterations apart as two events, in each loop around
/// both.
fn apart_alike([first, second]: [&Event; 2], [a, b]: [&Access; 2]) -> bool {
    let round = |access: &Access, of: InstId| {
        access.rounds.iter().find(|(around, _)| *around == of).map(|&(_, round)| i64::from(round))
    };
    rounds(first).all(|(of, from, _)| {
        let Some((_, to, _)) = rounds(second).find(|(other, ..)| *other == of) else { return true };
        let apart = round(b, of).zip(round(a, of)).map(|(b, a)| b - a);
        apart == Some(i64::from(to) - i64::from(from))
    })
}

/// Returns the number of a thread in its block.
fn number(shape: &LaunchShape, [x, y, z]: [u32; 3]) -> usize {
    let [width, height, _] = shape.block;
    ((z * height + y) * width + x) as usize
}

/// Returns the axis along which two blocks are neighbours, and which of them is first; the first
/// axis and both orders if they are the same block.
fn neighbours([width, height, _]: [u32; 3], a: u32, b: u32) -> Option<(usize, Vec<usize>)> {
    let place = |block: u32| [block % width, block / width % height, block / width / height];
    let apart: Vec<u32> = place(a).iter().zip(place(b)).map(|(a, b)| a.abs_diff(b)).collect();
    match apart.iter().sum::<u32>() {
        0 => Some((0, vec![0, 1])),
        1 => Some((apart.iter().position(|&apart| apart == 1)?, vec![usize::from(a > b)])),
        _ => None,
    }
}

/// Returns true if the kernel reads the block's index, the global index or the size of the grid
/// along an axis.
fn asks(kernel: &Kernel, axis: usize) -> bool {
    let axis = [Axis::X, Axis::Y, Axis::Z][axis];
    kernel.insts.iter().any(|(_, inst)| {
        let Op::Builtin(builtin) = inst.op else { return false };
        [Builtin::BlockIdx, Builtin::GlobalIdx, Builtin::GridDim]
            .iter()
            .any(|asked| builtin == asked(axis))
    })
}

/// The bits of an address that hold the offset in its buffer or array.
const OFFSET: u64 = (1 << ROOT) - 1;
