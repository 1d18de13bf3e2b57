//! Check of the verdicts of `explain` against real launches.
//!
//! [`contradictions`] runs a launch twice in lock step (the [oracle]): the kernel as written, and
//! the optimized kernel, which is the one that users run. It compares each verdict with every step
//! of the instructions that the verdict is about:
//!
//! - A good **branch** splits warps only as the verdict states, and a bad one splits most of them.
//!   For a **loop**, the trip counts of the lanes of each warp are compared.
//! - At a good **barrier** or **meeting** (a warp function) no thread is missing.
//! - A good **access** takes the ideal number of sectors or wavefronts in each whole warp, a bad
//!   one at least as many as its lint reports, by the formulas of `hardware` with the addresses of
//!   the launch.
//! - A good **check** never fails, and a bad index fails.
//!
//! Not compared with launches are bad barriers, warp functions and checks, which the tests of their
//! lints cover; contents; occupancy; and generic kernels, which cannot run before they are bound.
//! [`race_check`](crate::race_check) compares races. A claim that this module does not know is an
//! error, so that whoever adds a claim also states its meaning here.
use crate::{
    oracle::{self, At, Step},
    random_ir::{LaunchShape, RandomKernel},
};
use std::collections::{BTreeMap, BTreeSet};
use warpwise_compiler::{
    analysis::{accesses::memory_operands, predication, vectors},
    explain::{Answer, Subject, Verdict, verdicts},
    hardware::{Kind, LANES, constant, global, shared},
    id::Id,
    ir::{Extent, InstId, Kernel, MatrixOp, Op, Space, Span, SyncOp, Ty, WarpOp},
    optimize::optimize,
};

/// The number of verdicts, and the number of verdicts about instructions that ran.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Launches that end within the oracle's limit of steps.
    pub launches: u32,
    /// Good, bad and unknown verdicts, of all subjects.
    pub verdicts: [u32; 3],
    /// Verdicts of each answer that were compared with at least one step: branches, loops,
    /// barriers, meetings, accesses, checks.
    pub checked: [[u32; 3]; 6],
}

/// Returns the verdicts about `random` that its launch contradicts.
///
/// # Panics
/// Panics if a verdict makes a claim that this module does not know.
pub fn contradictions(random: &RandomKernel, tally: &mut Tally) -> Vec<String> {
    let mut kernel = random.kernel.clone();
    kernel.block = Some(random.shape.block.map(|dim| Extent::Const(dim.into())));
    // Each instruction gets a span of its own, so that a verdict is about one instruction.
    let ids: Vec<InstId> = kernel.insts.ids().collect();
    ids.into_iter().for_each(|id| kernel.insts[id].span = Span::new(1 + id.index()));
    let found = verdicts(&kernel);
    let optimized = optimize(kernel.clone());
    let guards = found.iter().filter(|verdict| verdict.why == GUARD);
    let guards: BTreeSet<Span> = guards.map(|verdict| verdict.span).collect();
    let logs = [&kernel, &optimized].map(|kernel| Log::of(kernel, random, &guards));
    let [Some(source), Some(running)] = logs else { return Vec::new() };
    tally.launches += 1;
    let judge = Judge { kernel: &kernel, source: &source, running: &running };
    let mut wrong = Vec::new();
    for verdict in &found {
        tally.verdicts[number(verdict.answer)] += 1;
        let Some((kind, claim)) = judge.holds(verdict) else { continue };
        tally.checked[kind][number(verdict.answer)] += 1;
        if let Err(why) = claim {
            let Verdict { what, answer, why: claimed, span, .. } = verdict;
            wrong.push(format!("{span:?} {what}: {} {claimed}: {why}", answer.name()));
        }
    }
    wrong
}

const fn number(answer: Answer) -> usize {
    match answer {
        Answer::Good => 0,
        Answer::Bad => 1,
        Answer::Unknown => 2,
    }
}

/// The reason that a verdict gives for a guard.
const GUARD: &str = "a guard: only warps at its edge split";

/// Statistics of one `if`, or of the header of one loop.
#[derive(Clone, Debug, Default)]
struct Branch {
    steps: u32,
    /// The largest number of warps that split at once, and of threads of a block and of a warp in
    /// the smaller of the two groups.
    split: usize,
    alone: usize,
    alone_in_warp: usize,
    /// True if the threads on one side were a corner of the block in every step.
    is_corner: bool,
    /// Over the steps of whole blocks: the warps that reached the branch, and those that split.
    whole: [usize; 2],
    /// Per visit: whether all threads of the block took part, and the smallest and largest trip
    /// count of each warp.
    visits: Vec<(bool, Vec<(u32, u32)>)>,
}

/// The visit of a block to a loop.
#[derive(Clone, Debug)]
struct Visit {
    threads: Vec<bool>,
    trips: Vec<u32>,
    /// True for a thread that continues unless it leaves in the body.
    stays: Vec<bool>,
}

/// Statistics of one barrier or meeting.
#[derive(Clone, Copy, Debug, Default)]
struct Meeting {
    steps: u32,
    /// True if a running thread of the block was missing at a barrier, or a lane of a participating
    /// warp at a meeting.
    misses: bool,
}

/// The cost of one access in whole warps.
#[derive(Clone, Copy, Debug, Default)]
struct Paid {
    taken: u64,
    ideal: u64,
    /// True if each warp paid the ideal.
    is_ideal: bool,
}

/// A record of one launch.
struct Log<'k> {
    kernel: &'k Kernel,
    shape: LaunchShape,
    /// Per instruction and thread, its last value.
    last: Vec<Vec<u64>>,
    /// The bytes of the request that begins at each access.
    requests: BTreeMap<InstId, u32>,
    /// Per condition of a `while`: its loop, and whether a true condition continues it.
    conditions: BTreeMap<InstId, (InstId, bool)>,
    open: BTreeMap<InstId, Visit>,
    branches: BTreeMap<InstId, Branch>,
    meetings: BTreeMap<InstId, Meeting>,
    /// The spans that verdicts call guards. Whether a branch is one is expensive to check, so only
    /// these are checked.
    guards: &'k BTreeSet<Span>,
    /// By span and kind.
    paid: BTreeMap<(Span, Kind), Paid>,
    /// Checks that ran, and whether a thread failed there.
    checks: BTreeMap<Span, bool>,
}

impl<'k> Log<'k> {
    /// Records a launch; `None` if the kernel takes too many steps.
    fn of(kernel: &'k Kernel, random: &RandomKernel, guards: &'k BTreeSet<Span>) -> Option<Self> {
        let count = random.shape.threads() as usize;
        let vectors = vectors::analyze(kernel);
        let mut requests = BTreeMap::new();
        let mut conditions = BTreeMap::new();
        kernel.walk(&mut |id| {
            if let Some((_, _, ty)) = memory_operands(kernel, id) {
                let size = if let Ty::Scalar(scalar) = ty { scalar.size().unwrap_or(0) } else { 8 };
                let members =
                    vectors.get(id).map_or_else(|| vec![id], |vector| vector.members.clone());
                if members[0] == id {
                    requests.insert(id, size * members.len() as u32);
                }
            }
            if let Op::If { then, other, .. } = &kernel.insts[id].op {
                let leaves = |arm: &[InstId]| match arm {
                    [only] => match kernel.insts[*only].op {
                        Op::Break(target) => Some(target),
                        _ => None,
                    },
                    _ => None,
                };
                let is_loop = |target: &InstId| {
                    matches!(kernel.insts[*target].op, Op::Loop { .. } | Op::For { .. })
                };
                let target = leaves(&then.0).or_else(|| leaves(&other.0)).filter(is_loop);
                if let Some(target) = target {
                    conditions.insert(id, (target, leaves(&then.0).is_none()));
                }
            }
        });
        let mut log = Self {
            kernel,
            shape: random.shape,
            last: vec![vec![0; count]; kernel.insts.len()],
            requests,
            conditions,
            open: BTreeMap::new(),
            branches: BTreeMap::new(),
            meetings: BTreeMap::new(),
            guards,
            paid: BTreeMap::new(),
            checks: BTreeMap::new(),
        };
        let ran = oracle::run(kernel, &random.shape, &mut random.args.clone(), &mut |step| {
            log.step(step)
        });
        ran.ok()?;
        let open: Vec<InstId> = log.open.keys().copied().collect();
        open.into_iter().for_each(|id| log.close(id));
        Some(log)
    }

    fn step(&mut self, step: &Step<'_>) {
        if !step.values.is_empty() {
            self.last[step.id.index()].copy_from_slice(step.values);
        }
        let kernel = self.kernel;
        let op = &kernel.insts[step.id].op;
        if !step.repeats {
            self.check(step, op);
        }
        match op {
            Op::If { cond, .. } => {
                let truth: Vec<bool> =
                    self.last[cond.index()].iter().map(|&bits| bits == 1).collect();
                self.splits(step, &truth);
                if let Some(&(of, goes_on)) = self.conditions.get(&step.id)
                    && !matches!(kernel.insts[of].op, Op::For { .. })
                {
                    self.iterate(step.id, step.active, &|thread| truth[thread] == goes_on);
                }
            }
            Op::Loop { .. } if !step.repeats => {
                let conditions = self.conditions.iter().filter(|(_, (of, _))| *of == step.id);
                let conditions: Vec<InstId> = conditions.map(|(&id, _)| id).collect();
                conditions.into_iter().for_each(|id| self.enter(id, step.active));
            }
            Op::For { start, end, inclusive, .. } if !step.repeats => {
                self.enter(step.id, step.active);
                let number = |id: InstId, thread: usize| self.number(id, thread);
                let goes = |thread: usize| {
                    number(*start, thread) <= number(*end, thread) - i128::from(!inclusive)
                };
                let truth: Vec<bool> = (0..step.active.len()).map(goes).collect();
                self.splits(step, &truth);
                self.stays(step.id, step.active, &truth);
            }
            Op::For { end, step: by, inclusive, .. } => {
                self.iterate(step.id, step.active, &|_| true);
                let next = |thread: usize| {
                    let now = self.number(step.id, thread) + self.number(*by, thread);
                    now <= self.number(*end, thread) - i128::from(!inclusive)
                };
                let truth: Vec<bool> = (0..step.active.len()).map(next).collect();
                self.stays(step.id, step.active, &truth);
            }
            Op::Sync(SyncOp::Barrier { .. } | SyncOp::SyncGrid | SyncOp::SyncCluster) => {
                let ended =
                    |thread: usize| matches!(step.threads[thread], At::Returned | At::Faulted);
                let is_missing = |thread: usize| !step.active[thread] && !ended(thread);
                let returned =
                    (0..step.active.len()).any(|thread| step.threads[thread] == At::Returned);
                let misses = returned || (0..step.active.len()).any(is_missing);
                let meeting = self.meetings.entry(step.id).or_default();
                meeting.steps += 1;
                meeting.misses |= misses;
            }
            Op::Sync(SyncOp::SyncWarp { .. } | SyncOp::NamedBarrier { .. })
            | Op::Warp(
                WarpOp::Shuffle { .. }
                | WarpOp::Vote { .. }
                | WarpOp::Match { .. }
                | WarpOp::Reduce { .. },
            )
            | Op::Matrix(MatrixOp::Mma { .. } | MatrixOp::DistributeRows { .. }) => {
                let ended =
                    |thread: usize| matches!(step.threads[thread], At::Returned | At::Faulted);
                let is_missing = |thread: &usize| !step.active[*thread] && !ended(*thread);
                let misses = self.warps().any(|warp| {
                    warp.clone().any(|thread| step.active[thread])
                        && warp.clone().any(|thread| is_missing(&thread))
                });
                let meeting = self.meetings.entry(step.id).or_default();
                meeting.steps += 1;
                meeting.misses |= misses;
            }
            _ => self.access(step),
        }
    }

    fn number(&self, id: InstId, thread: usize) -> i128 {
        let Ty::Scalar(scalar) = self.kernel.insts[id].ty else { return 0 };
        let bits = self.last[id.index()][thread];
        warpwise_compiler::ir::evaluate::integer(scalar, bits).unwrap_or(0)
    }

    /// Returns the threads of each warp.
    fn warps(&self) -> impl Iterator<Item = std::ops::Range<usize>> + use<> {
        let count = self.shape.threads() as usize;
        (0..count).step_by(LANES).map(move |first| first..count.min(first + LANES))
    }

    /// Records how a condition splits the active threads.
    fn splits(&mut self, step: &Step<'_>, truth: &[bool]) {
        let active = |thread: &usize| step.active[*thread];
        let [mut split, mut alone_in_warp, mut come] = [0; 3];
        for warp in self.warps() {
            let all = warp.clone().filter(active).count();
            let yes = warp.filter(active).filter(|&thread| truth[thread]).count();
            come += usize::from(all != 0);
            split += usize::from(yes != 0 && yes != all);
            alone_in_warp = alone_in_warp.max(yes.min(all - yes));
        }
        let all = (0..truth.len()).filter(active).count();
        let yes = (0..truth.len()).filter(active).filter(|&thread| truth[thread]).count();
        let is_guard = self.guards.contains(&self.kernel.insts[step.id].span);
        let is_corner = split == 0 || !is_guard || self.is_corner(step.active, truth);
        let branch =
            self.branches.entry(step.id).or_insert(Branch { is_corner: true, ..Branch::default() });
        branch.steps += 1;
        branch.split = branch.split.max(split);
        branch.alone = branch.alone.max(yes.min(all - yes));
        branch.alone_in_warp = branch.alone_in_warp.max(alone_in_warp);
        branch.is_corner &= is_corner;
        if all == truth.len() {
            branch.whole = [branch.whole[0] + come, branch.whole[1] + split];
        }
    }

    /// Returns true if the threads with a true condition are a corner of the block: with each of
    /// them, the condition is true for all active threads that are nearer to that corner along
    /// every axis.
    fn is_corner(&self, active: &[bool], truth: &[bool]) -> bool {
        let [x, y, _] = self.shape.block.map(|dim| dim as usize);
        let place = |thread: usize| [thread % x, thread / x % y, thread / x / y];
        let on: Vec<usize> = (0..active.len()).filter(|&thread| active[thread]).collect();
        (0..8).any(|corner: usize| {
            let nearer = |a: usize, b: usize| {
                let (a, b) = (place(a), place(b));
                (0..3).all(|axis| {
                    if corner >> axis & 1 == 1 { a[axis] >= b[axis] } else { a[axis] <= b[axis] }
                })
            };
            on.iter().all(|&yes| !truth[yes] || on.iter().all(|&no| truth[no] || !nearer(no, yes)))
        })
    }

    fn enter(&mut self, id: InstId, active: &[bool]) {
        self.close(id);
        let visit = Visit {
            threads: active.to_vec(),
            trips: vec![0; active.len()],
            stays: vec![true; active.len()],
        };
        self.open.insert(id, visit);
    }

    fn iterate(&mut self, id: InstId, active: &[bool], goes_on: &dyn Fn(usize) -> bool) {
        let Some(visit) = self.open.get_mut(&id) else { return };
        for thread in (0..active.len()).filter(|&thread| active[thread]) {
            visit.trips[thread] += u32::from(goes_on(thread));
            visit.stays[thread] = goes_on(thread);
        }
    }

    fn stays(&mut self, id: InstId, active: &[bool], truth: &[bool]) {
        let Some(visit) = self.open.get_mut(&id) else { return };
        for thread in (0..active.len()).filter(|&thread| active[thread]) {
            visit.stays[thread] = truth[thread];
        }
    }

    /// Records the trip counts of a visit, of the threads that left at the condition.
    fn close(&mut self, id: InstId) {
        let Some(visit) = self.open.remove(&id) else { return };
        let left = |thread: &usize| visit.threads[*thread] && !visit.stays[*thread];
        let is_whole = (0..visit.threads.len()).all(|thread| left(&thread));
        let trips = self.warps().filter_map(|warp| {
            let trips = warp.filter(left).map(|thread| visit.trips[thread]);
            Some((trips.clone().min()?, trips.max()?))
        });
        let trips = trips.collect();
        let branch =
            self.branches.entry(id).or_insert(Branch { is_corner: true, ..Branch::default() });
        branch.visits.push((is_whole, trips));
    }

    /// Records whether threads fail a check.
    fn check(&mut self, step: &Step<'_>, op: &Op) {
        if let Op::Bounds { .. } | Op::Check { .. } | Op::Panic { .. } = op {
            let fails = |thread: usize| step.active[thread] && step.threads[thread] == At::Faulted;
            let failed = matches!(op, Op::Panic { .. }) || (0..step.active.len()).any(fails);
            *self.checks.entry(self.kernel.insts[step.id].span).or_default() |= failed;
        }
    }

    /// Records the cost of an access in whole warps.
    fn access(&mut self, step: &Step<'_>) {
        let Some(&bytes) = self.requests.get(&step.id) else { return };
        let Some((ptr, kind, _)) = memory_operands(self.kernel, step.id) else { return };
        let Some(space) = self.kernel.space(ptr).filter(|space| *space != Space::Local) else {
            return;
        };
        let span = self.kernel.insts[step.id].span;
        for warp in self.warps() {
            if warp.len() < LANES || !warp.clone().all(|thread| step.active[thread]) {
                continue;
            }
            let mut addresses = [0; LANES];
            for (address, thread) in addresses.iter_mut().zip(warp) {
                *address = (1 << 41) + (self.last[ptr.index()][thread] & ((1 << 40) - 1));
            }
            let (taken, ideal) = match space {
                Space::Shared | Space::Cluster => {
                    let cost = shared::count_wavefronts(kind, bytes, u32::MAX, &addresses);
                    (cost.taken, cost.ideal)
                }
                Space::Constant => {
                    let cost = constant::count_wavefronts(bytes, u32::MAX, &addresses);
                    (cost.taken, cost.ideal)
                }
                Space::Global | Space::Local => {
                    let cost = global::count_sectors(kind, bytes, u32::MAX, &addresses);
                    (cost.taken, cost.ideal)
                }
            };
            let paid =
                self.paid.entry((span, kind)).or_insert(Paid { is_ideal: true, ..Paid::default() });
            paid.taken += u64::from(taken);
            paid.ideal += u64::from(ideal);
            paid.is_ideal &= taken == ideal;
        }
    }

    /// Returns the instructions of the kernel with this span that `fits` accepts.
    fn at<'a>(
        &'a self,
        span: Span,
        fits: impl Fn(&Op) -> bool + 'a,
    ) -> impl Iterator<Item = InstId> + 'a {
        let insts = self.kernel.insts.iter();
        insts.filter(move |(_, inst)| inst.span == span && fits(&inst.op)).map(|(id, _)| id)
    }

    fn branches_at(&self, span: Span) -> impl Iterator<Item = &Branch> {
        self.branches_where(span, |_| true)
    }

    /// Returns the branches with this span that ran and that `fits` accepts.
    fn branches_where<'a>(
        &'a self,
        span: Span,
        fits: impl Fn(InstId) -> bool + 'a,
    ) -> impl Iterator<Item = &'a Branch> {
        let is_branch = |op: &Op| matches!(op, Op::If { .. } | Op::For { .. });
        let branches = self.at(span, is_branch).filter(move |id| fits(*id));
        branches.filter_map(|id| self.branches.get(&id)).filter(|branch| branch.steps != 0)
    }
}

struct Judge<'j> {
    kernel: &'j Kernel,
    source: &'j Log<'j>,
    running: &'j Log<'j>,
}

type Claim = Result<(), String>;

fn ensure(holds: bool, why: impl FnOnce() -> String) -> Claim {
    if holds { Ok(()) } else { Err(why()) }
}

impl Judge<'_> {
    /// Compares a verdict with the launch, and returns the number of its kind with the result;
    /// `None` if no instruction of the verdict ran, or it claims nothing.
    fn holds(&self, verdict: &Verdict) -> Option<(usize, Claim)> {
        match verdict.subject {
            Subject::Branch if verdict.what == "branch" => {
                self.branch(verdict).map(|claim| (0, claim))
            }
            Subject::Branch => self.trips(verdict).map(|claim| (1, claim)),
            Subject::Barrier => self.meeting(verdict).map(|claim| (2, claim)),
            Subject::Meeting => self.meeting(verdict).map(|claim| (3, claim)),
            Subject::Access => self.access(verdict).map(|claim| (4, claim)),
            Subject::Check => self.check(verdict).map(|claim| (5, claim)),
            Subject::Race | Subject::Contents | Subject::Launch => None,
        }
    }

    fn branch(&self, verdict: &Verdict) -> Option<Claim> {
        let span = verdict.span;
        let is_left = self.running.branches_at(span).next().is_some();
        let predicated = predication::analyze(self.running.kernel);
        let is_predicated = |id: InstId| predicated[id];
        // If some branches of the source run under predicates, the verdict is about the remaining
        // ones.
        let has_predicated = self.running.branches_where(span, is_predicated).next().is_some();
        let branches = || {
            let source = self.source.branches_at(span).filter(|_| !has_predicated);
            source.chain(self.running.branches_where(span, |id| !predicated[id]))
        };
        self.source.branches_at(span).chain(self.running.branches_at(span)).next()?;
        let all = |holds: &dyn Fn(&Branch) -> bool| {
            let wrong = branches().find(|branch| !holds(branch));
            ensure(wrong.is_none(), || format!("{wrong:?}"))
        };
        match (verdict.answer, verdict.lint) {
            (Answer::Unknown, _) => Some(Ok(())),
            (Answer::Good, _) => Some(match &*verdict.why {
                "all threads of a warp go the same way" => all(&|branch| branch.split == 0),
                "at most one thread goes another way than the others" => {
                    all(&|branch| branch.alone <= 1)
                }
                "at most one lane of a warp goes another way" => {
                    all(&|branch| branch.alone_in_warp <= 1)
                }
                GUARD => all(&|branch| branch.is_corner),
                "no branch: both sides are computed, and one is selected"
                | "no branch is left of it" => ensure(!is_left, || "there is one".to_owned()),
                "no branch: its instructions run under a predicate" => {
                    ensure(branches().next().is_none() || !has_predicated, || {
                        "there is a branch".to_owned()
                    })
                }
                "no thread of the block comes here" => Err("there are steps".to_owned()),
                one if one.starts_with("only one of ") => all(&|branch| branch.split <= 1),
                other => panic!("what does it mean that {other}?"),
            }),
            (Answer::Bad, Some("gpu_serial_sections")) => {
                Some(all(&|branch| branch.alone_in_warp <= 1))
            }
            (Answer::Bad, Some("gpu_divergent_branches" | "gpu_divergent_matches")) => {
                let most =
                    |branch: &Branch| branch.whole[0] == 0 || 2 * branch.whole[1] > branch.whole[0];
                Some(all(&most))
            }
            (Answer::Bad, lint) => panic!("what does {lint:?} say of a branch?"),
        }
    }

    fn trips(&self, verdict: &Verdict) -> Option<Claim> {
        let branches = || self.source.branches_at(verdict.span);
        branches().next()?;
        let all = |holds: &dyn Fn(&Branch) -> bool| {
            let wrong = branches().find(|branch| !holds(branch));
            ensure(wrong.is_none(), || format!("{wrong:?}"))
        };
        let most_apart = |branch: &Branch| {
            let warps = branch.visits.iter().flat_map(|(_, warps)| warps);
            warps.map(|(least, most)| most - least).max().unwrap_or(0)
        };
        match verdict.answer {
            Answer::Unknown => Some(Ok(())),
            Answer::Good => Some(match &*verdict.why {
                "all threads of a warp go the same way" => {
                    all(&|branch| branch.split == 0 && most_apart(branch) == 0)
                }
                "each lane runs as many iterations as the others of its warp, or one fewer" => {
                    all(&|branch| most_apart(branch) <= 1)
                }
                "no thread of the block comes here" => Err("there are steps".to_owned()),
                other => panic!("what does it mean that {other}?"),
            }),
            Answer::Bad if verdict.lint != Some("gpu_divergent_loops") => Some(Ok(())),
            Answer::Bad => {
                let numbers: Vec<u32> =
                    verdict.why.split(' ').filter_map(|word| word.parse().ok()).collect();
                let [least, most] = numbers[..] else { panic!("what are {numbers:?}?") };
                let is_there = |branch: &Branch| {
                    let whole: Vec<_> = branch.visits.iter().filter(|(whole, _)| *whole).collect();
                    whole.is_empty()
                        || whole.iter().any(|(_, warps)| warps.contains(&(least, most)))
                };
                Some(all(&is_there))
            }
        }
    }

    fn meeting(&self, verdict: &Verdict) -> Option<Claim> {
        let meets = |op: &Op| {
            matches!(
                op,
                Op::Sync(
                    SyncOp::Barrier { .. }
                        | SyncOp::SyncGrid
                        | SyncOp::SyncCluster
                        | SyncOp::SyncWarp { .. }
                        | SyncOp::NamedBarrier { .. }
                ) | Op::Copy(_)
                    | Op::Warp(
                        WarpOp::Shuffle { .. }
                            | WarpOp::Vote { .. }
                            | WarpOp::Match { .. }
                            | WarpOp::Reduce { .. }
                    )
                    | Op::Matrix(MatrixOp::Mma { .. } | MatrixOp::DistributeRows { .. })
            )
        };
        let id = self.source.at(verdict.span, meets).next()?;
        let meeting = self.source.meetings.get(&id)?;
        match verdict.answer {
            Answer::Unknown | Answer::Bad => Some(Ok(())),
            Answer::Good => Some(ensure(!meeting.misses, || "somebody is missing".to_owned())),
        }
    }

    /// Returns the cost of the accesses at the verdict's span. The verdict of a store has the span
    /// of the stored-to element.
    fn paid(&self, verdict: &Verdict) -> Option<Paid> {
        let kind = match verdict.what.split(' ').next()? {
            "load" => Kind::Load,
            "store" => Kind::Store,
            "atomic" => Kind::Atomic,
            other => panic!("what is a {other}?"),
        };
        let mut all: Option<Paid> = None;
        for (id, inst) in self.kernel.insts.iter() {
            let Some((ptr, its, _)) = memory_operands(self.kernel, id) else { continue };
            let at = if kind == Kind::Store { self.kernel.insts[ptr].span } else { inst.span };
            if its != kind || at != verdict.span {
                continue;
            }
            if let Some(paid) = self.running.paid.get(&(inst.span, kind)) {
                let sum = all.get_or_insert(Paid { is_ideal: true, ..Paid::default() });
                sum.taken += paid.taken;
                sum.ideal += paid.ideal;
                sum.is_ideal &= paid.is_ideal;
            }
        }
        all
    }

    fn access(&self, verdict: &Verdict) -> Option<Claim> {
        if verdict.why.contains("registers") || verdict.lint == Some("gpu_local_arrays") {
            return None;
        }
        let paid = self.paid(verdict)?;
        let text = || format!("{paid:?}");
        match (verdict.answer, verdict.lint) {
            (Answer::Unknown, _) => Some(Ok(())),
            (Answer::Good, _) => Some(ensure(paid.is_ideal, text)),
            (Answer::Bad, Some("gpu_misaligned_accesses")) => {
                Some(ensure(paid.taken > paid.ideal, text))
            }
            (
                Answer::Bad,
                Some(
                    "gpu_bank_conflicts"
                    | "gpu_vector_bank_conflicts"
                    | "gpu_uncoalesced_accesses"
                    | "gpu_swapped_axes"
                    | "gpu_aos_accesses",
                ),
            ) => Some(ensure(paid.taken >= 2 * paid.ideal, text)),
            (Answer::Bad, Some("gpu_contended_atomics")) => {
                Some(ensure(paid.taken > paid.ideal, text))
            }
            (Answer::Bad, lint) => panic!("what does {lint:?} say of an access?"),
        }
    }

    fn check(&self, verdict: &Verdict) -> Option<Claim> {
        let failed = *self.source.checks.get(&verdict.span)?;
        match (verdict.answer, verdict.lint) {
            (Answer::Good, _) => Some(ensure(!failed, || "it fails".to_owned())),
            (Answer::Unknown | Answer::Bad, _) => Some(Ok(())),
        }
    }
}
