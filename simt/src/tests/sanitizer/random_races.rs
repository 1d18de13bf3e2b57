//! Random programs of reads, writes and barriers, compared with an analysis of every pair of their
//! accesses.
use super::{found_in, kernel};
use crate::{
    Arg, CheckedProgram, Checks, Finding, Launch, Memory, Missing, Problem, Program, RaceKind,
    Severity,
    tests::{Value, shape},
};
use std::{collections::BTreeSet, fmt::Write as _, num::NonZeroUsize};
use warpwise_compiler::{id::Id, ir::Span};

/// The next phase of every thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// A write of a cell: of a value common to all threads, or of one per thread.
    Write {
        cell: Cell,
        same: bool,
    },
    /// A read of a cell, and a store of the value in an element of the thread.
    Read {
        cell: Cell,
    },
    Barrier,
    SyncWarp,
}

/// The cell of thread t: `(t * by + add) % CELLS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    by: u64,
    add: u64,
}

/// A power of two, no less than the threads of a block.
const CELLS: u64 = 128;
const BLOCKS: u64 = 2;
/// The place of the first phase.
const FIRST: u32 = 10;

impl Cell {
    fn of(self, thread: u64) -> u64 {
        (thread * self.by + self.add) % CELLS
    }
}

#[derive(Clone, Debug)]
struct Plan {
    phases: Vec<Phase>,
    threads: u64,
    is_shared: bool,
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn cell(&mut self) -> Cell {
        // Odd factors give each thread a cell of its own, the others do not.
        let by = [1, 1, 3, 5, 127, 0, 2, 64][self.below(8) as usize];
        Cell { by, add: [0, 0, 1, 32, 100][self.below(5) as usize] }
    }

    /// Returns phases in any order.
    fn any(&mut self, is_shared: bool) -> Plan {
        let same = self.below(2) == 0;
        let phases = (0..2 + self.below(6)).map(|_| match self.below(7) {
            0..3 => Phase::Write { cell: self.cell(), same },
            3..5 => Phase::Read { cell: self.cell() },
            5 => Phase::Barrier,
            _ => Phase::SyncWarp,
        });
        let phases = phases.collect();
        let threads = [32, 64, 96, 128, 1, 40][self.below(6) as usize];
        Plan { phases, threads, is_shared }
    }

    /// Returns phases with one writer for each cell, and a barrier between any two phases.
    fn clean(&mut self) -> Plan {
        let mut phases = Vec::new();
        for number in 0..2 + self.below(4) {
            let by = [1, 3, 5, 127][self.below(4) as usize];
            let cell = Cell { by, add: self.below(CELLS) };
            let same = self.below(2) == 0;
            let write = number == 0 || self.below(2) == 0;
            phases.push(if write { Phase::Write { cell, same } } else { Phase::Read { cell } });
            phases.push(Phase::Barrier);
        }
        Plan { phases, threads: CELLS, is_shared: true }
    }
}

impl Plan {
    fn text(&self) -> String {
        let mut text = format!(
            "param arg0 = out: write [u32] !0
             param arg1 = g: write [u32] !0
             shared @0 = tile: [u32; {CELLS}] !0
             %t = builtin thread_idx.x : u64 !0
             %i = builtin global_idx.x : u64 !0
             %i32 = cast %i : u32 !0
             %seven = const 7 : u32 !0
             %size = const {} : u64 !0
             %cells = const {} : u64 !0
             %mine = mul %i, %size : u64 !0
             %out = param arg0 : ptr global !0
             %g = param arg1 : ptr global !0
             %s = shared @0 : ptr shared !0\n",
            self.phases.len(),
            CELLS - 1,
        );
        let (base, space) = if self.is_shared { ("%s", "shared") } else { ("%g", "global") };
        for (n, phase) in self.phases.iter().enumerate() {
            let span = FIRST + n as u32;
            let address = |Cell { by, add }| {
                format!(
                    "%by{n} = const {by} : u64 !0
                     %add{n} = const {add} : u64 !0
                     %m{n} = mul %t, %by{n} : u64 !0
                     %a{n} = add %m{n}, %add{n} : u64 !0
                     %c{n} = and %a{n}, %cells : u64 !0
                     %p{n} = index {base}, %c{n}, 4 : ptr {space} !0\n"
                )
            };
            match phase {
                Phase::Barrier => writeln!(text, "%b{n} = barrier !{span}"),
                Phase::SyncWarp => writeln!(text, "%b{n} = sync_warp !{span}"),
                Phase::Write { cell, same } => {
                    let value = if *same { "%seven".into() } else { format!("%v{n}") };
                    writeln!(
                        text,
                        "{}%k{n} = const {} : u32 !0 %v{n} = add %i32, %k{n} : u32 !0
                         %w{n} = store %p{n}, {value} !{span}",
                        address(*cell),
                        1000 * (n + 1)
                    )
                }
                Phase::Read { cell } => writeln!(
                    text,
                    "{}%r{n} = load %p{n} : u32 !{span}
                     %j{n} = const {n} : u64 !0 %e{n} = add %mine, %j{n} : u64 !0
                     %q{n} = index %out, %e{n}, 4 : ptr global !0
                     %st{n} = store %q{n}, %r{n} !{}",
                    address(*cell),
                    span + 100,
                ),
            }
            .unwrap();
        }
        text
    }

    fn values(&self) -> [Value; 2] {
        let out = BLOCKS * self.threads * self.phases.len() as u64;
        [Value::U32(vec![0; out as usize]), Value::U32(vec![0; CELLS as usize])]
    }

    /// Returns every pair of racing accesses: the places of the earlier and of the later, the kind,
    /// and the severity.
    fn racing_pairs(&self) -> BTreeSet<(u32, u32, RaceKind, Severity)> {
        let accesses = |block| {
            self.phases.iter().enumerate().flat_map(move |(n, phase)| {
                let (cell, same) = match phase {
                    Phase::Write { cell, same } => (Some(*cell), Some(*same)),
                    Phase::Read { cell } => (Some(*cell), None),
                    Phase::Barrier | Phase::SyncWarp => (None, None),
                };
                let each = move |t| cell.map(|cell| (block, n, t, cell.of(t), same));
                (0..self.threads).filter_map(each)
            })
        };
        let all: Vec<_> = (0..if self.is_shared { 1 } else { BLOCKS }).flat_map(accesses).collect();
        let mut races = BTreeSet::new();
        for (later, two) in all.iter().enumerate() {
            for one in &all[..later] {
                let is_race = one.3 == two.3
                    && (one.0, one.2) != (two.0, two.2)
                    && (one.4.is_some() || two.4.is_some());
                let Some(severity) = self.severity(one, two).filter(|_| is_race) else { continue };
                let kind = match (one.4, two.4) {
                    (Some(_), Some(_)) => RaceKind::WriteWrite,
                    _ => RaceKind::ReadWrite,
                };
                let same = one.4 == Some(true) && two.4 == Some(true);
                let severity = if same { Severity::Info } else { severity };
                races.insert((FIRST + one.1 as u32, FIRST + two.1 as u32, kind, severity));
            }
        }
        races
    }

    /// Returns the severity of two unordered accesses; `None` if they are ordered.
    fn severity(&self, one: &Each, two: &Each) -> Option<Severity> {
        let between = &self.phases[one.1.min(two.1)..one.1.max(two.1)];
        if one.0 != two.0 {
            return Some(Severity::Error);
        }
        let in_warp = one.2 / 32 == two.2 / 32;
        let meets = between.contains(&Phase::Barrier);
        if meets || (in_warp && between.contains(&Phase::SyncWarp)) {
            return None;
        }
        Some(if in_warp && one.1 != two.1 { Severity::Warning } else { Severity::Error })
    }

    /// Returns the places of reads of unwritten cells.
    fn undefined_reads(&self) -> BTreeSet<u32> {
        let mut written = BTreeSet::new();
        let mut found = BTreeSet::new();
        for (n, phase) in self.phases.iter().enumerate() {
            match phase {
                Phase::Write { cell, .. } => written.extend((0..self.threads).map(|t| cell.of(t))),
                Phase::Read { cell } => {
                    if (0..self.threads).any(|t| !written.contains(&cell.of(t))) {
                        found.insert(FIRST + n as u32);
                    }
                }
                Phase::Barrier | Phase::SyncWarp => {}
            }
        }
        if self.is_shared { found } else { BTreeSet::new() }
    }
}

/// Block, phase, thread, cell, and for a write, true if all threads write the same value.
type Each = (u64, usize, u64, u64, Option<bool>);

/// The findings in the form of [`Plan::racing_pairs`] and [`Plan::undefined_reads`], the lower
/// place first.
#[derive(Debug, Default)]
struct Found {
    races: BTreeSet<(u32, u32, RaceKind, Severity)>,
    undefined: BTreeSet<u32>,
}

fn place_of(span: Span) -> u32 {
    span.index() as u32
}

fn run_sanitizer(plan: &Plan) -> Found {
    let mut all = Found::default();
    let shape = shape(BLOCKS as u32, plan.threads as u32);
    for Finding { problem, severity, .. } in found_in(&plan.text(), shape, &plan.values()) {
        match problem {
            Problem::Race(race) => {
                let mut places = race.accesses.each_ref().map(|access| place_of(access.place));
                places.sort_unstable();
                all.races.insert((places[0], places[1], race.kind, severity));
                let crosses = race.accesses[0].block != race.accesses[1].block;
                assert_eq!(crosses, race.missing == Missing::Release);
            }
            Problem::Uninitialized(read) => {
                let place = place_of(read.read.place);
                assert_eq!(place_of(read.used), place + 100, "{plan:?}");
                all.undefined.insert(place);
            }
            other => panic!("{other:?} of {plan:?}"),
        }
    }
    all
}

/// Compares the findings with all pairs of accesses: each finding is a pair, and each access that
/// races with an earlier one is in a finding of that severity.
fn compare_findings(plan: &Plan) -> usize {
    let (found, races) = (run_sanitizer(plan), plan.racing_pairs());
    assert_eq!(found.undefined, plan.undefined_reads(), "{plan:?}");
    for race @ &(one, two, kind, severity) in &found.races {
        let is_there = races.contains(race) || races.contains(&(two, one, kind, severity));
        assert!(is_there, "{race:?} of {plan:?} is none of {races:?}");
    }
    for race @ &(_, later, _, severity) in &races {
        let mut with = found.races.iter().filter(|(one, two, ..)| *one == later || *two == later);
        assert!(
            with.any(|(.., found)| *found >= severity),
            "{race:?} of {plan:?} is not found in {found:?}"
        );
    }
    races.len()
}

#[test]
fn races_are_those_of_all_pairs_of_accesses() {
    let mut random = Random(7);
    let (mut clean, mut racy) = (0, 0);
    for number in 0..300 {
        match compare_findings(&random.any(number % 2 == 0)) {
            0 => clean += 1,
            _ => racy += 1,
        }
    }
    assert!(clean > 10 && racy > 100, "{clean} are clean, {racy} race");
}

#[test]
fn defects_are_found_and_clean_programs_have_no_finding() {
    let mut random = Random(1);
    let mut defects = [0; 3];
    for _ in 0..60 {
        let plan = random.clean();
        assert_eq!(compare_findings(&plan), 0, "{plan:?}");
        let barriers = (0..plan.phases.len()).filter(|n| plan.phases[*n] == Phase::Barrier);
        for n in barriers {
            let mut without = plan.clone();
            without.phases.remove(n);
            defects[0] += usize::from(compare_findings(&without) > 0);
        }
        for n in 0..plan.phases.len() {
            let mut shifted = plan.clone();
            if let Phase::Write { cell, .. } = &mut shifted.phases[n] {
                // Two threads to a cell, and half of the cells unwritten.
                cell.by += 1;
                let writes_twice = compare_findings(&shifted) > 0;
                assert!(writes_twice, "{shifted:?}");
                defects[1] += usize::from(!shifted.undefined_reads().is_empty());
            }
        }
        let mut unwritten = plan;
        unwritten.phases.remove(0);
        compare_findings(&unwritten);
        defects[2] += usize::from(!unwritten.undefined_reads().is_empty());
    }
    assert!(defects.iter().all(|found| *found > 5), "{defects:?}");
}

#[test]
fn checks_change_no_bit() {
    let mut random = Random(3);
    for number in 0..60 {
        let plan = random.any(number % 2 == 0);
        let kernel = kernel(&plan.text());
        let run = |run: &dyn Fn(&Launch<'_>)| {
            let values = plan.values();
            let memories: Vec<_> = values.iter().map(Value::memory).collect();
            let args: Vec<Arg<'_>> =
                values.iter().zip(&memories).map(|(value, memory)| value.arg(memory)).collect();
            let (grid, block) = ([BLOCKS as u32, 1, 1], [plan.threads as u32, 1, 1]);
            let workers = NonZeroUsize::new(1);
            run(&Launch { grid, block, args: &args, workers, steps: None });
            let bytes = |memory: &Memory| {
                let mut bytes = vec![0; memory.len()];
                memory.read_into(0, &mut bytes);
                bytes
            };
            memories.iter().map(bytes).collect::<Vec<_>>()
        };
        let plain = run(&|launch| assert!(Program::new(&kernel).run(launch).stopped.is_none()));
        let all = Checks::ALL | Checks::STRICT | Checks::UNUSED;
        let checked = run(&|launch| {
            assert!(CheckedProgram::new(&kernel).run(launch, all).0.stopped.is_none())
        });
        assert_eq!(plain, checked, "{plan:?}");
    }
}
