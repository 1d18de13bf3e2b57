//! Dot-product loops: the same bits, faults and ends for rounds one by one and at once.
use super::{Shape, Value, isas, number, program_for, run, shape};
use crate::{
    bytecode::Instr,
    outcome::Stopped,
    translate::{Instrumentation, translate},
    vector::lanes::Isa,
};
use warpwise_compiler::ir::Kernel;

/// Returns a product of matrices of `n` columns with `rounds` terms: thread (x, y) adds a[y, k] *
/// b[k, x].
fn product(body: &str) -> String {
    format!(
        "param arg0 = n: u64 !0
         param arg1 = last: u64 !0
         param arg2 = a: read [f32] !0
         param arg3 = b: read [f32] !0
         param arg4 = c: write [f32] !0
         local $0 = sum: f32 !0
         local $1 = other: f32 !0
         local $2 = k: u64 !0
         %x = builtin thread_idx.x : u64 !0
         %y = builtin thread_idx.y : u64 !0
         %n = param arg0 : u64 !0
         %end = param arg1 : u64 !0
         %zero = const 0 : u64 !0
         %one = const 1 : u64 !0
         %two = const 2 : u64 !0
         %a = param arg2 : ptr global !0
         %b = param arg3 : ptr global !0
         %c = param arg4 : ptr global !0
         %la = len arg2 : u64 !0
         %lb = len arg3 : u64 !0
         %lc = len arg4 : u64 !0
         %start = const 0.5 : f32 !0
         %s0 = set $0, %start !0
         %s1 = set $1, %start !0
         %s2 = set $2, %zero !0
         {body}
         %row = mul %y, %n : u64 !0
         %at = add %row, %x : u64 !0
         %cb = bounds %at, %lc : u64 !0
         %pc = index %c, %cb, 4 : ptr global !0
         %sum = get $0 : f32 !0
         %more = get $1 : f32 !0
         %all = add %sum, %more : f32 !0
         %done = store %pc, %all !0"
    )
}

/// Returns a round for the counter `%k`; `letter` makes its names unique.
fn round(letter: char, k: &str, from: &str) -> String {
    format!(
        "%ya{letter} = mul %y, %n : u64 !0
         %ia{letter} = add %ya{letter}, {k} : u64 !0
         %ba{letter} = bounds %ia{letter}, %la : u64 !0
         %pa{letter} = index %a, %ba{letter}, 4 : ptr global !0
         %fa{letter} = load %pa{letter} : f32 !0
         %kb{letter} = mul {k}, %n : u64 !0
         %ib{letter} = add %kb{letter}, %x : u64 !0
         %bb{letter} = bounds %ib{letter}, %lb : u64 !0
         %pb{letter} = index %b, %bb{letter}, 4 : ptr global !0
         %fb{letter} = load %pb{letter} : f32 !0
         %sum{letter} = fma %fa{letter}, %fb{letter}, {from} : f32 !0"
    )
}

/// Returns a loop with one product per round.
fn simple() -> String {
    let round = round('p', "%l", "%old");
    product(&format!(
        "%l = for %zero, %end, step %one : u64 !0 {{
           %old = get $0 : f32 !0
           {round}
           %set = set $0, %sump !0
         }}"
    ))
}

/// Returns a loop with two products per round, one added to the other.
fn unrolled() -> String {
    let (first, second) = (round('p', "%l", "%old"), round('q', "%next", "%sump"));
    product(&format!(
        "%l = for %zero, %end, step %two : u64 !0 {{
           %old = get $0 : f32 !0
           {first}
           %set = set $0, %sump !0
           %next = add %l, %one : u64 !0
           {second}
           %set2 = set $0, %sumq !0
         }}"
    ))
}

/// Returns a loop with two sums, the second along the columns.
fn two_sums() -> String {
    let (first, second) = (round('p', "%l", "%old"), round('q', "%down", "%old2"));
    product(&format!(
        "%top = sub %end, %one : u64 !0
         %l = for %zero, %end, step %one : u64 !0 {{
           %old = get $0 : f32 !0
           {first}
           %set = set $0, %sump !0
           %down = sub %top, %l : u64 !0
           %old2 = get $1 : f32 !0
           {second}
           %set2 = set $1, %sumq !0
         }}"
    ))
}

/// Returns [`simple`] in two loops, as the optimizer leaves an unrolled loop: the second continues
/// with the values of the first.
fn split() -> String {
    let (first, second) = (round('p', "%l", "%old"), round('q', "%m", "%old2"));
    product(&format!(
        "%half = div %end, %two : u64 !0
         %l = for %zero, %half, step %one : u64 !0 {{
           %old = get $0 : f32 !0
           {first}
           %set = set $0, %sump !0
           %next = add %l, %one : u64 !0
           %keep = set $2, %next !0
         }}
         %from = get $2 : u64 !0
         %m = for %from, %end, step %one : u64 !0 {{
           %old2 = get $0 : f32 !0
           {second}
           %set2 = set $0, %sumq !0
         }}"
    ))
}

/// Returns [`simple`] with a number that each round takes from the one before.
fn carried() -> String {
    let round = round('p', "%k", "%old");
    product(&format!(
        "%l = for %zero, %end, step %one : u64 !0 {{
           %k = get $2 : u64 !0
           %old = get $0 : f32 !0
           {round}
           %set = set $0, %sump !0
           %next = add %k, %one : u64 !0
           %go = set $2, %next !0
         }}"
    ))
}

pub(super) fn floats(count: usize, seed: u32) -> Vec<u32> {
    let value = |i: usize| ((i as u32).wrapping_mul(seed) >> 20) as f32 / 1000.0 - 1.5;
    (0..count).map(|i| value(i).to_bits()).collect()
}

fn values(n: u64, last: u64, lens: [usize; 3]) -> [Value; 5] {
    let [a, b, c] = lens;
    let slices = [floats(a, 0x9e37_79b9), floats(b, 0x85eb_ca6b), vec![0; c]].map(Value::U32);
    let [a, b, c] = slices;
    [Value::Scalar(n), Value::Scalar(last), a, b, c]
}

fn translated(inside: &str) -> Vec<Instr> {
    let kernel: Kernel = number(&format!("kernel k {{ {inside} }}")).parse().unwrap();
    translate(&kernel, Isa::detect(), Instrumentation::None).unwrap().instrs
}

/// Runs a kernel for all instruction sets, of which the baseline runs each round by itself.
fn run_on_all_isas(inside: &str, shape: Shape, values: &[Value; 5]) -> Vec<u32> {
    let results = isas().into_iter().map(|isa| {
        let mut values = values.clone();
        let outcome = run(&program_for(inside, isa), shape, &mut values);
        (outcome, values[4].u32s().to_vec())
    });
    let results: Vec<_> = results.collect();
    results.iter().for_each(|result| assert_eq!(result, &results[0]));
    results[0].1.clone()
}

fn in_block(x: u32, y: u32) -> Shape {
    Shape { block: [x, y, 1], ..shape(1, 1) }
}

#[test]
fn loops_of_products_are_found() {
    if Isa::detect() == Isa::Baseline {
        return;
    }
    let count = |kernel: &str| {
        translated(kernel).iter().filter(|step| matches!(step, Instr::DotProducts { .. })).count()
    };
    for kernel in [simple(), unrolled(), two_sums()] {
        assert_eq!(count(&kernel), 1, "{kernel}");
    }
    assert_eq!(count(&split()), 2);
    assert_eq!(count(&carried()), 0);
}

#[test]
fn rounds_at_once_have_the_sums_of_single_rounds() {
    let blocks =
        [(16, 16), (8, 8), (32, 8), (16, 3), (8, 5), (24, 2), (256, 1), (5, 7), (40, 1), (64, 8)];
    for (x, y) in blocks {
        for rounds in [0, 1, 2, 3, 4, 5, 16, 33] {
            let (n, rows) = (u64::from(x.max(34)), y as usize);
            let size = n as usize;
            let values = values(n, rounds, [size * rows, size * 34, size * rows]);
            run_on_all_isas(&two_sums(), in_block(x, y), &values);
            let expected = run_on_all_isas(&simple(), in_block(x, y), &values);
            for kernel in [split(), carried()] {
                assert_eq!(run_on_all_isas(&kernel, in_block(x, y), &values), expected);
            }
            let sums = run_on_all_isas(&unrolled(), in_block(x, y), &values);
            let Value::U32(a) = &values[2] else { unreachable!() };
            let Value::U32(b) = &values[3] else { unreachable!() };
            let [a, b] =
                [a, b].map(|of| of.iter().map(|bits| f32::from_bits(*bits)).collect::<Vec<_>>());
            let at = (rows - 1) * size + 3;
            let column =
                |sum: f32, k: usize| a[(rows - 1) * size + k].mul_add(b[k * size + 3], sum);
            let even = rounds.next_multiple_of(2) as usize;
            assert_eq!(f32::from_bits(sums[at]), (0..even).fold(0.5, column) + 0.5);
        }
    }
}

/// Returns the loop of [`simple`], `times` times in each of two blocks, for the values of `k` from
/// `from` to `to`.
fn repeated_loop(times: u64, [from, to, k]: [&str; 3]) -> String {
    let round = round('p', k, "%old");
    let kernel = product(&format!(
        "%times = const {times} : u64 !0
         %block = builtin block_idx.x : u32 !0
         %bx = cast %block : u64 !0
         %o = for %zero, %times, step %one : u64 !0 {{
           %slow = div %o, %two : u64 !0
           %shift = add %slow, %bx : u64 !0
           %less = sub %end, %shift : u64 !0
           %l = for {from}, {to}, step %one : u64 !0 {{
             %k = add %l, %shift : u64 !0
             %old = get $0 : f32 !0
             {round}
             %set = set $0, %sump !0
           }}
         }}"
    ));
    kernel.replace(
        "%at = add %row, %x : u64 !0",
        "%half = div %lc, %two : u64 !0
         %skip = mul %bx, %half : u64 !0
         %in = add %row, %x : u64 !0
         %at = add %in, %skip : u64 !0",
    )
}

#[test]
fn a_repeated_loop_adds_the_current_values() {
    let (n, rounds, rows) = (34_u64, 20_u64, 16_usize);
    let values = values(n, rounds, [34 * rows + 8, 34 * 34, 2 * 34 * rows]);
    let [a, b] = [2, 3].map(|at: usize| values[at].u32s().to_vec());
    let float = |of: &[u32], at: u64| f32::from_bits(of[at as usize]);
    let kinds = [["%zero", "%end", "%l"], ["%zero", "%end", "%k"], ["%shift", "%end", "%l"]];
    for (kind, texts) in kinds.into_iter().chain([["%zero", "%less", "%k"]]).enumerate() {
        let shape = Shape { grid: [2, 1, 1], ..in_block(16, 16) };
        let sums = run_on_all_isas(&repeated_loop(6, texts), shape, &values);
        for block in 0..2 {
            let rounds = (0..6_u64).flat_map(|o| {
                let shift = o / 2 + block;
                let (from, to, more) = [
                    (0, rounds, 0),
                    (0, rounds, shift),
                    (shift, rounds, 0),
                    (0, rounds - shift, shift),
                ][kind];
                (from + more)..(to + more)
            });
            let (x, y) = (3, 5);
            let add = |sum: f32, k: u64| float(&a, y * n + k).mul_add(float(&b, k * n + x), sum);
            let at = block * n * rows as u64 + y * n + x;
            assert_eq!(float(&sums, at), rounds.fold(0.5, add) + 0.5, "{texts:?}, block {block}");
        }
    }
}

#[test]
fn an_out_of_bounds_round_faults_at_its_own_place() {
    let (n, rounds) = (34, 20);
    let all = 34 * 16;
    // The last round of the last row, a round in the middle, the first round, and none.
    for lens in [
        [15 * 34 + 19, all, all],
        [all, 34 * 19 + 15, all],
        [all, 34 * 7 + 9, all],
        [3, all, all],
        [all; 3],
    ] {
        for kernel in [simple(), unrolled(), two_sums(), split(), carried()] {
            run_on_all_isas(&kernel, in_block(16, 16), &values(n, rounds, lens));
        }
    }
}

#[test]
fn numbers_that_wrap_run_round_by_round() {
    // The index of the first factor wraps to its initial value.
    let values = values(1 << 63, 20, [64, 64, 64]);
    for kernel in [simple(), unrolled(), two_sums(), split(), carried()] {
        run_on_all_isas(&kernel, in_block(16, 2), &values);
    }
}

#[test]
fn some_lanes_of_a_block_run_round_by_round() {
    let kernel = simple().replace(
        "%l = for",
        "%few = const 11 : u64 !0
         %is = lt %x, %few : bool !0
         %if = if %is !0 { %l = for",
    );
    let kernel = kernel.replace("%row = mul", "} %row = mul");
    run_on_all_isas(
        &kernel,
        in_block(16, 16),
        &values(34, 20, [34 * 16; 3].map(|len| len + 34 * 10)),
    );
}

#[test]
fn rounds_at_once_cost_the_same_steps() {
    let program = |isa| program_for(&simple(), isa);
    let lens = [34 * 16, 34 * 34, 34 * 16];
    for isa in isas() {
        let mut values = values(34, 30, lens);
        let shape = Shape { steps: Some(100), ..in_block(16, 16) };
        let outcome = run(&program(isa), shape, &mut values);
        assert!(matches!(outcome.stopped, Some(Stopped::StepBudget { .. })), "{outcome:?}");
        assert!(values[4].u32s().iter().all(|sum| *sum == 0));
    }
}

#[test]
fn loops_without_end_are_stopped() {
    let kernel = simple().replace("step %one", "step %zero");
    for isa in isas() {
        let mut values = values(34, 30, [34 * 16, 34 * 34, 34 * 16]);
        let shape = Shape { steps: Some(1 << 12), ..in_block(16, 16) };
        let outcome = run(&program_for(&kernel, isa), shape, &mut values);
        assert!(matches!(outcome.stopped, Some(Stopped::StepBudget { .. })), "{outcome:?}");
    }
}
