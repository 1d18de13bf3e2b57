//! Replay with counters and checks: the counts and findings are those of each block and iteration
//! by itself.
use super::number;
use crate::{
    Arg, CheckedProgram, Checks, CountingProgram, Finding, Launch, Memory, Outcome, Problem,
    bytecode::Requests,
    exec::{
        block::Block,
        bound::{Observation, bind, lend_memories, shared_array_bytes},
        replay::Failure,
    },
    observe::log::LaunchLog,
    translate::{Instrumentation, patterns, translate},
    vector::lanes::Isa,
};
use std::num::NonZeroUsize;
use warpwise_compiler::{ir::Kernel, optimize::optimize, verify::verify};

struct Random(u64);

impl Random {
    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items[(self.0 >> 33) as usize % items.len()]
    }
}

/// The access of each thread in a round.
#[derive(Clone, Copy, Debug)]
enum Does {
    /// A read of an element of the first buffer, or of the second.
    Read { is_first: bool },
    /// A write of an element of the second buffer: a common value, or one per thread.
    Write { is_same: bool },
}

/// An access of the element at `i * by[0] + y * by[1] + round * by[2] + add`.
#[derive(Clone, Copy, Debug)]
struct Access {
    does: Does,
    by: [u64; 3],
    add: u64,
}

#[derive(Clone, Debug)]
struct Plan {
    grid: [u32; 2],
    block: [u32; 2],
    /// The extents of indices, and of elements in bytes.
    ty: &'static str,
    elem: (&'static str, u64),
    /// The number of elements of the buffers.
    lens: [u64; 2],
    /// The number of elements of the memories before those of the buffers.
    starts: [u64; 2],
    /// The threads of a row that access memory.
    guard: Option<u64>,
    /// The number of rounds, if there is a loop, and true if threads stride over them.
    rounds: Option<(u64, bool)>,
    accesses: Vec<Access>,
    /// True if both buffers are one memory.
    is_one: bool,
    is_optimized: bool,
    checks: Checks,
}

impl Plan {
    /// Returns a random plan.
    fn random(random: &mut Random) -> Self {
        let many = random.pick(&[1, 1, 2, 2, 3, 4]);
        // Most write elements that no other thread accesses.
        let (tidy, by) = (random.pick(&[true, true, false]), random.pick(&[1, 1, 1, 2, 3]));
        let access = |_| {
            let does = match random.pick(&[0, 1, 2]) {
                0 => Does::Read { is_first: true },
                1 => Does::Read { is_first: false },
                _ => Does::Write { is_same: random.pick(&[true, false]) },
            };
            if tidy {
                let far = random.pick(&[0, 0, 0, 20_000]);
                return Access { does, by: [by, 300 * by, far], add: 0 };
            }
            Access {
                does,
                by: [
                    random.pick(&[0, 1, 1, 1, 2, 5]),
                    random.pick(&[0, 1, 40, 300]),
                    random.pick(&[0, 0, 1, 3, 32, 700]),
                ],
                add: random.pick(&[0, 0, 1, 3, 8, 31, 500]),
            }
        };
        let accesses = (0..many).map(access).collect();
        // Drawn apart, so that the other properties are the same without views.
        let mut views = Random(random.0 ^ 1);
        Self {
            accesses,
            grid: [random.pick(&[1, 2, 7, 40]), random.pick(&[1, 1, 1, 3])],
            block: random.pick(&[
                [1, 1],
                [31, 1],
                [32, 1],
                [40, 1],
                [64, 1],
                [16, 4],
                [8, 5],
                [300, 1],
                [40, 8],
            ]),
            ty: random.pick(&["u32", "u64", "u64"]),
            elem: random.pick(&[("u8", 1), ("u16", 2), ("u32", 4), ("u32", 4), ("u64", 8)]),
            lens: [
                random.pick(&[90_000, 90_000, 3000]),
                random.pick(&[90_000, 90_000, 90_000, 3000]),
            ],
            starts: [views.pick(&[0, 0, 0, 1, 500]), views.pick(&[0, 0, 0, 3, 8])],
            guard: random.pick(&[None, Some(0), Some(100), Some(1000), Some(10_000)]),
            rounds: random.pick(&[
                None,
                None,
                Some((5, false)),
                Some((40, false)),
                Some((9000, true)),
            ]),
            is_one: random.pick(&[true, false, false, false]),
            is_optimized: random.pick(&[true, false]),
            checks: random.pick(&[
                Checks::ALL,
                Checks::ALL,
                Checks::ALL,
                Checks::RACE | Checks::STRICT,
                Checks::ALL | Checks::UNUSED,
            ]),
        }
    }

    fn kernel(&self) -> Kernel {
        let Self { ty, elem: (elem, _), accesses, .. } = self;
        let accesses: String = accesses
            .iter()
            .enumerate()
            .map(|(number, access)| self.access(number, access))
            .collect();
        let inside = match self.rounds {
            None => accesses,
            Some((end, strides)) => {
                let (start, step) = if strides { ("%i", "%many") } else { ("%zero", "%one") };
                format!(
                    "%end = const {end} : {ty} !0
                     %r = for {start}, %end, step {step} : {ty} !0 {{ {accesses} }}"
                )
            }
        };
        let inside = match self.guard {
            None => inside,
            Some(guard) => format!(
                "%guard = const {guard} : {ty} !0
                 %lt = lt %i, %guard : bool !0
                 %if = if %lt !0 {{ {inside} }}"
            ),
        };
        let round = if self.rounds.is_none() { "%r = const 0 : u64 !0" } else { "" };
        let round = round.replace("u64", ty);
        let text = format!(
            "param arg0 = a: read [{elem}] !0
             param arg1 = c: write [{elem}] !0
             local $0 = sum: {elem} !0
             %i = builtin global_idx.x : {ty} !0
             %y = builtin global_idx.y : {ty} !0
             %g = builtin grid_dim.x : {ty} !0
             %d = builtin block_dim.x : {ty} !0
             %many = mul %g, %d : {ty} !0
             %la = len arg0 : u64 !0
             %lc = len arg1 : u64 !0
             %a = param arg0 : ptr global !0
             %c = param arg1 : ptr global !0
             %zero = const 0 : {ty} !0
             %one = const 1 : {ty} !0
             %same = const 7 : {elem} !0
             %own = cast %i : {elem} !0
             %begin = set $0, %own !0
             {round} {inside}"
        );
        let text = number(&format!("kernel k {{ {text} }}"));
        let kernel: Kernel = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        verify(&kernel).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        if self.is_optimized { optimize(kernel) } else { kernel }
    }

    fn access(&self, n: usize, Access { does, by: [x, y, k], add }: &Access) -> String {
        let Self { ty, elem: (elem, bytes), .. } = self;
        let (buffer, place) = match does {
            Does::Read { is_first: true } => ("a", 10 + n),
            Does::Read { is_first: false } | Does::Write { .. } => ("c", 10 + n),
        };
        let address = format!(
            "%x{n} = const {x} : {ty} !0 %mx{n} = mul %i, %x{n} : {ty} !0
             %y{n} = const {y} : {ty} !0 %my{n} = mul %y, %y{n} : {ty} !0
             %k{n} = const {k} : {ty} !0 %mk{n} = mul %r, %k{n} : {ty} !0
             %xy{n} = add %mx{n}, %my{n} : {ty} !0
             %xyk{n} = add %xy{n}, %mk{n} : {ty} !0
             %z{n} = const {add} : {ty} !0 %sum{n} = add %xyk{n}, %z{n} : {ty} !0
             %at{n} = cast %sum{n} : u64 !0
             %ok{n} = bounds %at{n}, %l{buffer} : u64 !{place}
             %p{n} = index %{buffer}, %ok{n}, {bytes} : ptr global !{place}\n"
        );
        let does = match does {
            Does::Read { .. } => format!(
                "%v{n} = load %p{n} : {elem} !{place}
                 %o{n} = get $0 : {elem} !0
                 %w{n} = add %o{n}, %v{n} : {elem} !0
                 %s{n} = set $0, %w{n} !0\n"
            ),
            Does::Write { is_same: true } => format!("%w{n} = store %p{n}, %same !{place}\n"),
            Does::Write { is_same: false } => format!(
                "%j{n} = cast %r : {elem} !0
                 %v{n} = add %own, %j{n} : {elem} !0
                 %w{n} = store %p{n}, %v{n} !{place}\n"
            ),
        };
        address + &does
    }

    /// Runs the kernel with a number of workers; returns the memory, too.
    fn run<T>(&self, workers: usize, run: impl Fn(&Launch<'_>) -> T) -> (T, Vec<u8>) {
        let (_, bytes) = self.elem;
        let memory = |len: u64, seed: u64| {
            let byte = |at: u64| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u8 ^ seed as u8;
            Memory::from_bytes(&(0..len * bytes).map(byte).collect::<Vec<_>>())
        };
        let ([first, second], [skipped, others]) = (self.lens, self.starts);
        let (a, c) = (memory(skipped + first, 1), memory(others + second, 2));
        let a = if self.is_one { &c } else { &a };
        let slice = |memory, start: u64| {
            let len = Memory::len(memory) as u64 / bytes - start;
            Arg::Slice { memory, offset: start * bytes, len }
        };
        let args = [slice(a, skipped), slice(&c, others)];
        let ([gx, gy], [width, height]) = (self.grid, self.block);
        let result = run(&Launch {
            grid: [gx, gy, 1],
            block: [width, height, 1],
            args: &args,
            workers: NonZeroUsize::new(workers),
            steps: None,
        });
        let mut left = vec![0; c.len()];
        c.read_into(0, &mut left);
        (result, left)
    }

    /// Returns the number of blocks that are replayed from the first one on.
    fn count_replayed(
        &self,
        kernel: &Kernel,
        instrumentation: Instrumentation,
    ) -> Result<u64, Failure> {
        let code = translate(kernel, Isa::detect(), instrumentation).unwrap();
        let run = |launch: &Launch<'_>| {
            let patterns = patterns::find_patterns(kernel, &code.counted.requests, launch);
            let loans = lend_memories(&code, launch);
            let shared = shared_array_bytes(&code, launch).unwrap();
            let checks =
                matches!(instrumentation, Instrumentation::Sanitizer).then_some(self.checks);
            let observation = Observation { checks, ..Observation::default() };
            let bound = bind(&code, launch, &loans, shared, &patterns, observation);
            let log = &mut LaunchLog::new(&code.counted);
            Block::new(&code, &bound).replay_blocks(0, self.grid[0].into(), log)
        };
        self.run(1, run).0
    }
}

/// Returns the number of plans with several replayed blocks or iterations.
fn count_plans(
    alike: &mut [usize; 2],
    plan: &Plan,
    kernel: &Kernel,
    instrumentation: Instrumentation,
) {
    alike[0] +=
        usize::from(plan.count_replayed(kernel, instrumentation).is_ok_and(|blocks| blocks > 1));
    alike[1] += usize::from(plan.rounds.is_some());
}

#[test]
fn replay_does_not_change_counters() {
    let (mut random, mut alike) = (Random(1), [0; 2]);
    for _ in 0..500 {
        let plan = Plan::random(&mut random);
        let kernel = plan.kernel();
        count_plans(&mut alike, &plan, &kernel, Instrumentation::Counters(Requests::Vectors));
        let program = CountingProgram::new(&kernel, Requests::Vectors);
        let (want, left) = plan.run(1, |launch| program.run_without_patterns(launch));
        for workers in [1, 3] {
            let (got, behind) = plan.run(workers, |launch| program.run(launch));
            assert_eq!(want.0, got.0, "{plan:?}");
            assert_eq!(want.1.total(), got.1.total(), "{plan:?}");
            assert_eq!(want, got, "{plan:?}, {workers} workers");
            assert!(workers > 1 || left == behind, "{plan:?}");
        }
    }
    assert!(alike.iter().all(|alike| *alike > 80), "{alike:?}");
}

#[test]
fn replay_does_not_change_findings() {
    let (mut random, mut alike) = (Random(2), [0; 2]);
    // Races, indices out of bounds, and no finding.
    let mut found = [0; 3];
    for _ in 0..500 {
        let plan = Plan::random(&mut random);
        let kernel = plan.kernel();
        count_plans(&mut alike, &plan, &kernel, Instrumentation::Sanitizer);
        let program = CheckedProgram::new(&kernel);
        let (want, left) = plan.run(1, |launch| program.run_one_by_one(launch, plan.checks));
        for workers in [1, 3] {
            let (got, behind) = plan.run(workers, |launch| program.run(launch, plan.checks));
            assert_eq!(want, got, "{plan:?}, {workers} workers\n{kernel}");
            assert!(workers > 1 || left == behind, "{plan:?}");
        }
        let (_, findings): (Outcome, Vec<Finding>) = want;
        let is = |of: fn(&Problem) -> bool| findings.iter().any(|finding| of(&finding.problem));
        let kinds = [
            is(|problem| matches!(problem, Problem::Race(_))),
            is(|problem| matches!(problem, Problem::OutOfBounds(_))),
            findings.is_empty(),
        ];
        found.iter_mut().zip(kinds).for_each(|(found, is)| *found += usize::from(is));
    }
    assert!(found.iter().all(|found| *found > 30), "{found:?}");
    assert!(alike.iter().all(|alike| *alike > 80), "{alike:?}");
}
