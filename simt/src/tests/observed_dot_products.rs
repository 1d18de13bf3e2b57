//! Dot-product loops with counters and checks: the counts and findings are the same for rounds one
//! by one and at once.
use super::{dot_products::floats, number};
use crate::{
    Arg, CheckedProgram, Checks, Counters, CountingProgram, Finding, Launch, Memory, Outcome,
    Problem,
    bytecode::{Code, Instr, Requests},
    translate::{Instrumentation, translate},
    vector::lanes::Isa,
};
use std::num::NonZeroUsize;
use warpwise_compiler::{ir::Kernel, optimize::optimize, verify::verify};

/// The number of elements of the shared array and of the global ones.
const CELLS: u64 = 1024;
const BLOCKS: u32 = 2;

struct Random(u64);

impl Random {
    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items[(self.0 >> 33) as usize % items.len()]
    }
}

/// The place of a factor: an element at `x * by[0] + y * by[1] + round * by[2] + add`.
#[derive(Clone, Copy, Debug)]
struct Factor {
    is_shared: bool,
    by: [u64; 3],
    add: u64,
}

#[derive(Clone, Copy, Debug)]
struct Plan {
    block: [u32; 2],
    /// The rounds of the loop, and the products in each.
    rounds: u64,
    products: u64,
    factors: [Factor; 2],
    ty: &'static str,
    /// The number of times that all threads fill the shared array and run the loop.
    repeats: u64,
    /// The number of cells that each thread fills.
    fills: u64,
    /// True for a barrier after the fill, and after the loop.
    waits: [bool; 2],
    /// True if only some lanes run the loop.
    parts: bool,
    /// True if threads also write the elements that are read.
    is_one: bool,
    is_optimized: bool,
    checks: Checks,
}

impl Plan {
    /// Returns a random plan.
    fn random(random: &mut Random) -> Self {
        let mut factor = |by_x: &[u64]| Factor {
            is_shared: random.pick(&[true, false]),
            by: [
                random.pick(by_x),
                random.pick(&[0, 8, 16, 17, 32, 33]),
                random.pick(&[0, 1, 1, 2, 3, 4, 8, 16, 33]),
            ],
            add: random.pick(&[0, 0, 0, 1, 2, 4, 8, 300, 700]),
        };
        let factors = [factor(&[0, 0, 1, 1, 2]), factor(&[1, 1, 1, 0])];
        Self {
            factors,
            block: random.pick(&[
                [16, 16],
                [8, 8],
                [32, 8],
                [16, 3],
                [8, 5],
                [40, 1],
                [64, 1],
                [5, 7],
            ]),
            rounds: random.pick(&[0, 1, 2, 3, 4, 7, 8, 13, 16]),
            products: random.pick(&[1, 1, 2, 3, 4]),
            ty: random.pick(&["u32", "u64", "u64", "u64"]),
            repeats: random.pick(&[1, 2, 3]),
            fills: random.pick(&[0, 1, 2, 4, 8, 26]),
            waits: [random.pick(&[true, true, false]), random.pick(&[true, true, false])],
            parts: random.pick(&[false, false, false, false, true]),
            is_one: random.pick(&[false, false, false, true]),
            is_optimized: random.pick(&[true, false]),
            checks: random.pick(&[Checks::ALL, Checks::ALL | Checks::STRICT | Checks::UNUSED]),
        }
    }

    fn kernel(&self) -> Kernel {
        let Self { block: [width, height], ty, products, .. } = *self;
        let threads = width * height;
        let fills: String = (0..self.fills)
            .map(|n| {
                format!(
                    "%far{n} = const {} : {ty} !0
                     %cell{n} = add %t, %far{n} : {ty} !0
                     %in{n} = and %cell{n}, %mask : {ty} !0
                     %to{n} = index %s, %in{n}, 4 : ptr shared !0
                     %fill{n} = store %to{n}, %own !1\n",
                    n * u64::from(threads)
                )
            })
            .collect();
        let rounds: String = (0..products).map(|number| self.round(number)).collect();
        let wait = |waits: bool, name: &str| {
            if waits { format!("%{name} = barrier !0\n") } else { "".into() }
        };
        let [before, behind] = [wait(self.waits[0], "before"), wait(self.waits[1], "behind")];
        let sums = format!(
            "%l = for %zero, %end, step %step : {ty} !0 {{
               %old = get $0 : f32 !0
               {rounds}
               %set = set $0, %sum{} !0
             }}",
            products - 1
        );
        let sums = if self.parts {
            format!("%few = lt %x, %three : bool !0 %if = if %few !0 {{ {sums} }}")
        } else {
            sums
        };
        let text = format!(
            "param arg0 = g: read [f32] !0
             param arg1 = c: write [f32] !0
             param arg2 = end: {ty} !0
             param arg3 = cells: {ty} !0
             shared @0 = tile: [f32; {CELLS}] !0
             local $0 = sum: f32 !0
             %x = builtin thread_idx.x : {ty} !0
             %y = builtin thread_idx.y : {ty} !0
             %i = builtin block_idx.x : {ty} !0
             %end = param arg2 : {ty} !0
             %g = param arg0 : ptr global !0
             %c = param arg1 : ptr global !0
             %s = shared @0 : ptr shared !0
             %width = const {width} : {ty} !0
             %threads = const {threads} : {ty} !0
             %cells = param arg3 : {ty} !0
             %mask = const {} : {ty} !0
             %zero = const 0 : {ty} !0
             %one = const 1 : {ty} !0
             %three = const 3 : {ty} !0
             %step = const {products} : {ty} !0
             %again = const {} : {ty} !0
             %row = mul %y, %width : {ty} !0
             %t = add %row, %x : {ty} !0
             %own = cast %t : f32 !0
             %first = const 0.5 : f32 !0
             %s0 = set $0, %first !0
             %repeat = for %zero, %again, step %one : {ty} !0 {{
               {fills} {before} {sums} {behind}
             }}
             %start = mul %i, %threads : {ty} !0
             %at = add %start, %t : {ty} !0
             %ok = bounds %at, %cells : {ty} !0
             %to = index %c, %ok, 4 : ptr global !0
             %all = get $0 : f32 !0
             %done = store %to, %all !90",
            CELLS - 1,
            self.repeats,
        );
        let text = number(&format!("kernel k {{ {text} }}"));
        let kernel: Kernel = text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        verify(&kernel).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        if self.is_optimized { optimize(kernel) } else { kernel }
    }

    /// Adds a product of a round.
    fn round(&self, number: u64) -> String {
        let ty = self.ty;
        let mut text = format!(
            "%k{number} = const {number} : {ty} !0
             %r{number} = add %l, %k{number} : {ty} !0\n"
        );
        for (Factor { is_shared, by, add }, name) in self.factors.iter().zip(["a", "b"]) {
            let [x, y, k] = by;
            let name = format!("{name}{number}");
            let (base, space) = if *is_shared { ("%s", "shared") } else { ("%g", "global") };
            let place = 10 + number;
            text += &format!(
                "%x{name} = const {x} : {ty} !0 %mx{name} = mul %x, %x{name} : {ty} !0
                 %y{name} = const {y} : {ty} !0 %my{name} = mul %y, %y{name} : {ty} !0
                 %k{name} = const {k} : {ty} !0 %mk{name} = mul %r{number}, %k{name} : {ty} !0
                 %xy{name} = add %mx{name}, %my{name} : {ty} !0
                 %z{name} = const {add} : {ty} !0 %xyz{name} = add %xy{name}, %z{name} : {ty} !0
                 %i{name} = add %mk{name}, %xyz{name} : {ty} !0
                 %ok{name} = bounds %i{name}, %cells : {ty} !{place}
                 %p{name} = index {base}, %ok{name}, 4 : ptr {space} !{place}
                 %f{name} = load %p{name} : f32 !{place}\n"
            );
        }
        let before = if number == 0 { "%old".into() } else { format!("%sum{}", number - 1) };
        text + &format!("%sum{number} = fma %fa{number}, %fb{number}, {before} : f32 !0\n")
    }

    /// Runs the kernel; returns the memory, too.
    fn run<T>(&self, run: impl Fn(&Launch<'_>) -> T) -> (T, Vec<u8>) {
        let bytes: Vec<_> =
            floats(CELLS as usize, 0x9e37_79b9).into_iter().flat_map(u32::to_le_bytes).collect();
        let [g, c] = [&bytes, &vec![0; bytes.len()]].map(|bytes| Memory::from_bytes(bytes));
        let c = if self.is_one { &g } else { &c };
        let slice = |memory| Arg::Slice { memory, offset: 0, len: CELLS };
        let args =
            [slice(&g), slice(c), Arg::Scalar(self.rounds * self.products), Arg::Scalar(CELLS)];
        let [width, height] = self.block;
        let launch = Launch {
            grid: [BLOCKS, 1, 1],
            block: [width, height, 1],
            args: &args,
            workers: NonZeroUsize::new(1),
            steps: None,
        };
        let result = run(&launch);
        let mut left = vec![0; bytes.len()];
        c.read_into(0, &mut left);
        (result, left)
    }

    fn count(&self, kernel: &Kernel, isa: Isa) -> [(Outcome, Counters); 3] {
        let [scalars, vectors] = [Requests::Scalars, Requests::Vectors]
            .map(|requests| CountingProgram::for_isa(kernel, requests, isa));
        [
            self.run(|launch| scalars.run(launch)).0,
            self.run(|launch| vectors.run(launch)).0,
            self.run(|launch| vectors.run_without_patterns(launch)).0,
        ]
    }

    fn check(&self, kernel: &Kernel, isa: Isa) -> ((Outcome, Vec<Finding>), Vec<u8>) {
        let program = CheckedProgram::for_isa(kernel, isa);
        self.run(|launch| program.run(launch, self.checks))
    }
}

fn is_at_once(code: &Code) -> bool {
    code.instrs.iter().any(|step| matches!(step, Instr::DotProducts { .. }))
}

#[test]
fn rounds_at_once_have_the_counts_of_single_rounds() {
    let (isa, mut random, mut at_once) = (Isa::detect(), Random(1), 0);
    for _ in 0..400 {
        let plan = Plan::random(&mut random);
        let kernel = plan.kernel();
        let code = translate(&kernel, isa, Instrumentation::Counters(Requests::Vectors)).unwrap();
        at_once += usize::from(is_at_once(&code));
        let (want, got) = (plan.count(&kernel, Isa::Baseline), plan.count(&kernel, isa));
        for (want, got) in want.iter().zip(&got) {
            assert_eq!(want.0, got.0, "{plan:?}");
            assert_eq!(want.1.total(), got.1.total(), "{plan:?}");
        }
        assert_eq!(want, got, "{plan:?}");
    }
    assert!(isa == Isa::Baseline || at_once > 150, "{at_once}");
}

#[test]
fn rounds_at_once_have_the_findings_of_single_rounds() {
    let (isa, mut random, mut at_once) = (Isa::detect(), Random(2), 0);
    // Races, uninitialized reads, indices out of bounds, and no finding.
    let mut found = [0; 4];
    for _ in 0..600 {
        let plan = Plan::random(&mut random);
        let kernel = plan.kernel();
        at_once +=
            usize::from(is_at_once(&translate(&kernel, isa, Instrumentation::Sanitizer).unwrap()));
        let want = plan.check(&kernel, Isa::Baseline);
        assert_eq!(want, plan.check(&kernel, isa), "{plan:?}");
        let is = |of: fn(&Problem) -> bool| want.0.1.iter().any(|finding| of(&finding.problem));
        let kinds = [
            is(|problem| matches!(problem, Problem::Race(_))),
            is(|problem| matches!(problem, Problem::Uninitialized(_))),
            is(|problem| matches!(problem, Problem::OutOfBounds(_))),
            want.0.1.is_empty(),
        ];
        found.iter_mut().zip(kinds).for_each(|(found, is)| *found += usize::from(is));
    }
    assert!(found.iter().all(|found| *found > 30), "{found:?}");
    assert!(isa == Isa::Baseline || at_once > 250, "{at_once}");
}
