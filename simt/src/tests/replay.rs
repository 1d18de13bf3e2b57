//! Replay of blocks and iterations: replayed ones do what each does by itself, up to the first that
//! takes another branch, and a fault occurs where it would without replay.
//!
//! The reference of most comparisons is the same kernel with the instructions of the sanitizer,
//! without replay of blocks and iterations.
use super::{Shape, Value, isas, number, program, program_for, run, shape};
use crate::{
    Arg, CheckedProgram, Checks, Finding, Launch, Outcome, Problem, Stopped,
    bytecode::Instr,
    exec::{
        block::Block,
        bound::{Observation, bind, lend_memories, shared_array_bytes},
        replay::Failure,
    },
    observe::log::LaunchLog,
    translate::{Instrumentation, translate},
    vector::lanes::{Isa, compiled},
};
use std::num::NonZeroUsize;
use warpwise_compiler::ir::Kernel;

/// The buffers of kernels; locals follow.
const PARAMS: &str = "param arg0 = a: read [u32] !0
    param arg1 = b: read [u32] !0
    param arg2 = c: write [u32] !0
    param arg3 = k: u64 !0
";

/// The beginning of kernels: the number of the thread in its row of blocks, and lengths and
/// pointers.
const START: &str = "%i = builtin global_idx.x : u64 !0
    %y = builtin global_idx.y : u64 !0
    %bx = builtin block_idx.x : u32 !0
    %k = param arg3 : u64 !0
    %la = len arg0 : u64 !0
    %lb = len arg1 : u64 !0
    %lc = len arg2 : u64 !0
    %a = param arg0 : ptr global !0
    %b = param arg1 : ptr global !0
    %c = param arg2 : ptr global !0
    %zero = const 0 : u64 !0
    %one = const 1 : u64 !0
    %lt = lt %i, %lc : bool !0
";

/// Loads, as `%x` and `%z`, and stores of `%r`, with checks.
const LOADS: &str = "%ba = bounds %i, %la : u64 !1
    %pa = index %a, %ba, 4 : ptr global !1
    %x = load %pa : u32 !1
    %bb = bounds %i, %lb : u64 !2
    %pb = index %b, %bb, 4 : ptr global !2
    %z = load %pb : u32 !2
";
const STORE: &str = "%bc = bounds %i, %lc : u64 !3
    %pc = index %c, %bc, 4 : ptr global !3
    %s = store %pc, %r !3
";

fn kernel(inside: &str) -> Kernel {
    number(&format!("kernel k {{ {inside} }}")).parse().unwrap()
}

/// Returns the values and the outcome of a launch without replay.
fn one_by_one(inside: &str, shape: Shape, values: &mut [Value]) -> Outcome {
    let memories: Vec<_> = values.iter().map(Value::memory).collect();
    let args: Vec<_> =
        values.iter().zip(&memories).map(|(value, memory)| value.arg(memory)).collect();
    let Shape { grid, block, steps, .. } = shape;
    let launch = Launch { grid, block, args: &args, workers: NonZeroUsize::new(1), steps };
    let program = CheckedProgram::new(&kernel(inside));
    let (outcome, _) = program.run_one_by_one(&launch, Checks::MEMORY);
    values.iter_mut().zip(&memories).for_each(|(value, memory)| value.take(memory));
    outcome
}

/// Returns the number of blocks that are replayed from the first of these on.
fn count_replayed(
    inside: &str,
    shape: Shape,
    values: &[Value],
    first: u64,
    most: u64,
) -> Result<u64, Failure> {
    let code = translate(&kernel(inside), Isa::detect(), Instrumentation::None).unwrap();
    let memories: Vec<_> = values.iter().map(Value::memory).collect();
    let args: Vec<_> =
        values.iter().zip(&memories).map(|(value, memory)| value.arg(memory)).collect();
    let Shape { grid, block, .. } = shape;
    let launch = Launch { grid, block, args: &args, workers: None, steps: None };
    let loans = lend_memories(&code, &launch);
    let shared = shared_array_bytes(&code, &launch).unwrap();
    let bound = bind(&code, &launch, &loans, shared, &[], Observation::default());
    Block::new(&code, &bound).replay_blocks(first, most, &mut LaunchLog::new(&code.counted))
}

fn random_words(seed: u32, len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| (i ^ seed).wrapping_mul(0x9e37_79b9) >> 3).collect()
}

/// Runs a kernel with and without replay: in blocks of these sizes, with buffers of these lengths.
fn check_replay(inside: &str, threads: &[u32], lens: &[[usize; 3]]) {
    let text = format!("{PARAMS} {START} {inside}");
    for &threads in threads {
        for &[a, b, c] in lens {
            let values = [
                Value::U32(random_words(1, a)),
                Value::U32(random_words(2, b)),
                Value::U32(random_words(3, c)),
                Value::Scalar(40),
            ];
            let mut expected = values.to_vec();
            let shape = shape(40, threads);
            let outcome = one_by_one(&text, shape, &mut expected);
            for isa in isas() {
                for workers in [1, 3] {
                    let mut left = values.to_vec();
                    let shape = Shape { workers, ..shape };
                    assert_eq!(run(&program_for(&text, isa), shape, &mut left), outcome);
                    assert_eq!(
                        left[2].u32s(),
                        expected[2].u32s(),
                        "{threads} threads, {a} {b} {c}"
                    );
                }
            }
        }
    }
}

const THREADS: [u32; 7] = [1, 31, 32, 40, 256, 300, 1024];

#[test]
fn the_last_block_may_be_partial() {
    let guarded = format!("%if = if %lt !0 {{ {LOADS} %r = add %x, %z : u32 !0 {STORE} }}");
    let lens = [0, 1, 7, 31, 255, 256, 257, 1000, 1024, 5000, 10_240, 50_000].map(|n| [n; 3]);
    check_replay(&guarded, &THREADS, &lens);
}

#[test]
fn a_buffer_may_end_inside_a_block() {
    for op in ["add", "xor", "mul"] {
        let guarded = format!("%if = if %lt !0 {{ {LOADS} %r = {op} %x, %z : u32 !0 {STORE} }}");
        check_replay(
            &guarded,
            &[31, 256, 300],
            &[[0, 900, 900], [900, 899, 900], [640, 1000, 2000]],
        );
    }
    // Consecutive faults in each thread, without a guard.
    check_replay(
        &format!("{LOADS} %r = sub %x, %z : u32 !0 {STORE}"),
        &[40, 256],
        &[[700, 600, 500]],
    );
    check_replay(
        &format!("{LOADS} %r = sub %x, %z : u32 !0 {STORE}"),
        &[40, 256],
        &[[500, 600, 0]],
    );
}

#[test]
fn loaded_values_may_be_used_again() {
    let inside = format!(
        "%if = if %lt !0 {{
           {LOADS}
           %m = mul %x, %x : u32 !0
           %n = add %x, %z : u32 !0
           %o = xor %n, %m : u32 !0
           %r = add %o, %z : u32 !0
           {STORE}
           %again = load %pc : u32 !3
           %t = add %again, %r : u32 !0
           %s2 = store %pc, %t !3
         }}"
    );
    check_replay(&inside, &[40, 256, 1024], &[[3000; 3], [256; 3]]);
}

#[test]
fn operations_on_words_are_compiled_together() {
    // No result is NaN, whose bits are not defined.
    let inside = format!(
        "%f = const 1.0 : f32 !0
         %big = const 16777217 : u32 !0
         %low = const 1073741823 : u32 !0
         %if = if %lt !0 {{
           {LOADS}
           %n = not %x : u32 !0
           %o = or %n, %big : u32 !0
           %p = and %o, %z : u32 !0
           %q = sub %p, %x : u32 !0
           %d = and %q, %low : u32 !0
           %g = bitcast %d : f32 !0
           %h = bitcast %z : f32 !0
           %u = neg %g : f32 !0
           %v = fma %u, %h, %g : f32 !0
           %w = abs %v : f32 !0
           %root = sqrt %w : f32 !0
           %inverse = div %f, %root : f32 !0
           %sum = add %inverse, %root : f32 !0
           %by = sub %sum, %g : f32 !0
           %r = bitcast %by : u32 !0
           {STORE}
         }}"
    );
    check_replay(&inside, &[16, 40, 256, 1024], &[[3000; 3], [256; 3]]);
}

#[test]
fn blocks_may_write_what_they_read() {
    // Each lane reads its neighbour in the buffer that it writes: all lanes of a group load before
    // one stores.
    for (op, from) in [("add", 3), ("sub", 3), ("add", 300), ("sub", 300), ("add", 0), ("sub", 31)]
    {
        let inside = format!(
            "%d = const {from} : u64 !0
             %least = ge %i, %d : bool !0
             %other = {op} %i, %d : u64 !0
             %most = lt %other, %lc : bool !0
             %both = and %least, %most : bool !0
             %in = and %both, %lt : bool !0
             %if = if %in !0 {{
               %po = index %c, %other, 4 : ptr global !3
               %o = load %po : u32 !3
               %pc = index %c, %i, 4 : ptr global !3
               %mine = load %pc : u32 !3
               %r = add %o, %mine : u32 !0
               %s = store %pc, %r !3
             }}"
        );
        let text = format!("{PARAMS} {START} {inside}");
        for threads in [32, 40, 256] {
            let values = [vec![], vec![], random_words(5, 4000)].map(Value::U32);
            let [mut left, mut expected] = [0; 2].map(|_| {
                let mut values = values.to_vec();
                values.push(Value::Scalar(0));
                values
            });
            let outcome = one_by_one(&text, shape(100, threads), &mut expected);
            assert_eq!(run(&program(&text), shape(100, threads), &mut left), outcome);
            assert_eq!(left[2].u32s(), expected[2].u32s(), "{op} {from}, {threads}");
        }
    }
}

#[test]
fn the_index_of_a_block_is_a_value() {
    let inside = format!(
        "%seven = const 7 : u32 !0
         %far = mul %bx, %seven : u32 !0
         %low = cast %i : u32 !0
         %odd = xor %low, %far : u32 !0
         %less = sub %low, %seven : u32 !0
         %r = add %odd, %less : u32 !0
         %if = if %lt !0 {{ {STORE} }}"
    );
    check_replay(&inside, &THREADS, &[[0, 0, 9000]]);
}

#[test]
fn conditions_change_from_block_to_block() {
    let ops = ["lt", "le", "gt", "ge", "eq", "ne"];
    for (ty, at, op) in ["u32", "i32", "u64", "i64", "u8"]
        .into_iter()
        .flat_map(|ty| [0, 40, 100, 256, 512].into_iter().map(move |at| (ty, at)))
        .flat_map(|(ty, at)| ops.map(|op| (ty, at, op)))
    {
        let at = if ty == "u8" { at % 256 } else { at };
        let inside = format!(
            "%v = cast %i : {ty} !0
             %less = const 128 : {ty} !0
             %w = sub %v, %less : {ty} !0
             %at = const {at} : {ty} !0
             %is = {op} %w, %at : bool !0
             %z = const 5 : u32 !0
             %x = const 9 : u32 !0
             %if0 = if %lt !0 {{
               %if = if %is !0 {{ %r = add %z, %x : u32 !0 {STORE} }} else {{
                 %p = index %c, %i, 4 : ptr global !3
                 %t = store %p, %bx !3
               }}
             }}"
        );
        check_replay(&inside, &[1, 40], &[[0, 0, 1500]]);
    }
}

#[test]
fn blocks_are_replayed_up_to_the_first_that_differs() {
    let guarded =
        format!("{PARAMS} {START} %if = if %lt !0 {{ {LOADS} %r = add %x, %z : u32 !0 {STORE} }}");
    let values = |[a, b, c]: [usize; 3]| {
        [
            Value::U32(random_words(1, a)),
            Value::U32(random_words(2, b)),
            Value::U32(random_words(3, c)),
            Value::Scalar(0),
        ]
    };
    let alike_of =
        |lens, first, most| count_replayed(&guarded, shape(40, 256), &values(lens), first, most);
    assert_eq!(alike_of([10_240; 3], 0, 32), Ok(32));
    assert_eq!(alike_of([10_240; 3], 30, 10), Ok(10));
    assert_eq!(alike_of([5000; 3], 0, 40), Ok(19), "the twentieth is a part");
    let with_part = if compiled::is_available() { Ok(2) } else { Err(Failure::ThisRound) };
    assert_eq!(alike_of([5000; 3], 19, 2), with_part);
    assert_eq!(alike_of([5000; 3], 20, 7), Ok(7), "none of their threads does anything");
    assert_eq!(alike_of([1000, 5000, 5000], 0, 8), Ok(3), "the fourth faults");
    assert_eq!(alike_of([1000, 5000, 5000], 3, 8), Err(Failure::ThisRound));
    let met = format!("{guarded} %w = barrier !0");
    let values = values([5000; 3]);
    assert_eq!(count_replayed(&met, shape(40, 256), &values, 0, 8), Err(Failure::Always));
}

#[test]
fn rows_of_a_square_are_replayed_inside_its_border() {
    let inside = "%gx = gt %i, %zero : bool !0
         %i1 = add %i, %one : u64 !0
         %lx = lt %i1, %k : bool !0
         %x2 = and %gx, %lx : bool !0
         %gy = gt %y, %zero : bool !0
         %y1 = add %y, %one : u64 !0
         %ly = lt %y1, %k : bool !0
         %y2 = and %gy, %ly : bool !0
         %in = and %x2, %y2 : bool !0
         %if = if %in !0 {
           %row = mul %y, %k : u64 !0
           %at = add %row, %i : u64 !0
           %left = sub %at, %one : u64 !0
           %right = add %at, %one : u64 !0
           %up = sub %at, %k : u64 !0
           %down = add %at, %k : u64 !0
           %b1 = bounds %left, %la : u64 !1
           %p1 = index %a, %b1, 4 : ptr global !1
           %v1 = load %p1 : u32 !1
           %b2 = bounds %right, %la : u64 !1
           %p2 = index %a, %b2, 4 : ptr global !1
           %v2 = load %p2 : u32 !1
           %s1 = add %v1, %v2 : u32 !0
           %b3 = bounds %up, %la : u64 !1
           %p3 = index %a, %b3, 4 : ptr global !1
           %v3 = load %p3 : u32 !1
           %s2 = add %s1, %v3 : u32 !0
           %b4 = bounds %down, %la : u64 !1
           %p4 = index %a, %b4, 4 : ptr global !1
           %v4 = load %p4 : u32 !1
           %s3 = add %s2, %v4 : u32 !0
           %b5 = bounds %at, %lc : u64 !1
           %p5 = index %c, %b5, 4 : ptr global !1
           %set = store %p5, %s3 !1
         }";
    let text = format!("{PARAMS} {START} {inside}");
    for (side, block) in
        [(200_u32, [32, 8, 1]), (97, [8, 4, 1]), (64, [64, 1, 1]), (130, [16, 16, 2])]
    {
        let n = (side * side) as usize;
        let grid = [side.div_ceil(block[0]), side.div_ceil(block[1]), 1];
        let shape = Shape { grid, block, ..shape(1, 1) };
        let values = |n: usize| {
            let buffers = [random_words(7, n), vec![], vec![0; n]].map(Value::U32);
            [buffers.as_slice(), &[Value::Scalar(side.into())]].concat()
        };
        let (mut left, mut expected) = (values(n), values(n));
        assert_eq!(one_by_one(&text, shape, &mut expected), Outcome::default());
        for workers in [1, 2] {
            let shape = Shape { workers, ..shape };
            assert_eq!(run(&program(&text), shape, &mut left), Outcome::default());
            assert_eq!(left[2].u32s(), expected[2].u32s());
        }
    }
}

#[test]
fn stored_values_are_logged_block_by_block() {
    // Two rows of blocks store to the same elements: a race, unless all threads of both blocks
    // store the same value.
    let [params, loads] = [PARAMS.replace("[u32]", "[f32]"), LOADS.replace(": u32", ": f32")];
    // A single operation.
    let start = START.replace("%lt = lt %i, %lc : bool !0", "");
    let text = format!("{params} {start} {loads} %r = add %x, %z : f32 !0 {STORE}");
    let program = CheckedProgram::new(&kernel(&text));
    let (blocks, threads) = (11, 64);
    let find = |differing: &[usize], one_by_one: bool| {
        let n = blocks * threads;
        let mut a: Vec<f32> = (0..n).map(|i| (i / threads) as f32).collect();
        differing.iter().for_each(|block| a[block * threads + 40] = 99.0);
        let memories = [a, vec![5.0; n], vec![0.0; n]]
            .map(|of| Value::U32(of.into_iter().map(f32::to_bits).collect()).memory());
        let slice = |memory| Arg::Slice { memory, offset: 0, len: n as u64 };
        let mut args: Vec<Arg<'_>> = memories.iter().map(slice).collect();
        args.push(Arg::Scalar(0));
        let launch = Launch {
            grid: [blocks as u32, 2, 1],
            block: [threads as u32, 1, 1],
            args: &args,
            workers: NonZeroUsize::new(1),
            steps: None,
        };
        if one_by_one {
            program.run_one_by_one(&launch, Checks::ALL)
        } else {
            program.run(&launch, Checks::ALL)
        }
    };
    let all: Vec<usize> = (0..blocks).collect();
    for differing in [&[][..], &[0], &[1], &[6], &[10], &[2, 3, 9], &all] {
        let (outcome, found) = find(differing, false);
        assert_eq!(outcome, Outcome::default());
        let is_same =
            |finding: &Finding| matches!(&finding.problem, Problem::Race(race) if race.same_value);
        assert!(!found.is_empty());
        assert_eq!(found.iter().all(is_same), differing.is_empty(), "{differing:?}");
        assert_eq!((outcome, found), find(differing, true), "{differing:?}");
    }
}

/// Returns a grid-stride loop of this type over `%k` elements that adds products.
fn strided_loop(ty: &str, more: &str) -> String {
    format!(
        "{PARAMS}
         local $0 = sum: u32 !0
         {START}
         %start = cast %i : {ty} !0
         %end = cast %k : {ty} !0
         %g = builtin grid_dim.x : {ty} !0
         %d = builtin block_dim.x : {ty} !0
         %stride = mul %g, %d : {ty} !0
         %low = cast %i : u32 !0
         %s0 = set $0, %low !0
         %l = for %start, %end, step %stride : {ty} !0 {{
           %at = cast %l : u64 !0
           %bl = bounds %at, %la : u64 !1
           %pl = index %a, %l, 4 : ptr global !1
           %v = load %pl : u32 !1
           {more}
           %old = get $0 : u32 !0
           %new = add %old, %v : u32 !0
           %s1 = set $0, %new !0
         }}
         %r = get $0 : u32 !0
         {STORE}"
    )
}

#[test]
fn iterations_are_replayed_up_to_the_last() {
    for ty in ["u64", "u32"] {
        let text = strided_loop(ty, "");
        let program = program(&text);
        for (blocks, threads) in [(1, 32), (3, 40), (2, 256), (1, 700)] {
            let all = (blocks * threads) as usize;
            for n in [0, 1, all - 1, all, 5 * all + 3, 40 * all, 41 * all - 1, 333 * all + 17] {
                let a = random_words(9, n);
                let expected: Vec<u32> = (0..all)
                    .map(|i| {
                        a.iter().skip(i).step_by(all).fold(i as u32, |sum, v| sum.wrapping_add(*v))
                    })
                    .collect();
                let mut values = [a, vec![], vec![0; all]].map(Value::U32).to_vec();
                values.push(Value::Scalar(n as u64));
                let outcome = run(&program, shape(blocks, threads), &mut values);
                assert_eq!(outcome, Outcome::default());
                assert_eq!(values[2].u32s(), expected, "{ty}, {blocks} of {threads}, {n}");
            }
        }
    }
}

#[test]
fn a_replayed_iteration_faults_at_its_own_place() {
    let text = strided_loop("u64", "");
    for len in [0, 500, 6400, 20_000, 63_999] {
        let values = || {
            let buffers = [random_words(4, len), vec![], vec![1; 64]].map(Value::U32);
            [buffers.as_slice(), &[Value::Scalar(64_000)]].concat()
        };
        let (mut left, mut expected) = (values(), values());
        let outcome = one_by_one(&text, shape(2, 32), &mut expected);
        assert!(outcome.fault.is_some());
        assert_eq!(run(&program(&text), shape(2, 32), &mut left), outcome);
        assert_eq!(left[2].u32s(), expected[2].u32s());
    }
}

#[test]
fn iterations_may_write_elements_that_others_read() {
    // Each round adds its element to one that a later or an earlier round reads.
    for far in [0, 64, 128, 640] {
        let more = format!(
            "%far = const {far} : u64 !0
             %to = add %l, %far : u64 !0
             %po = index %c, %to, 4 : ptr global !3
             %o = load %po : u32 !3
             %pw = index %c, %l, 4 : ptr global !3
             %q = add %o, %v : u32 !0
             %sq = store %pw, %q !3"
        );
        let text = strided_loop("u64", &more);
        let values = || {
            let buffers = [random_words(4, 6400), vec![], random_words(6, 8000)].map(Value::U32);
            [buffers.as_slice(), &[Value::Scalar(6400)]].concat()
        };
        let (mut left, mut expected) = (values(), values());
        assert_eq!(one_by_one(&text, shape(1, 64), &mut expected), Outcome::default());
        assert_eq!(run(&program(&text), shape(1, 64), &mut left), Outcome::default());
        assert_eq!(left[2].u32s(), expected[2].u32s(), "{far}");
    }
}

#[test]
fn a_local_keeps_its_value_between_rounds() {
    // A value that one round loads is added in the next one.
    let text = format!(
        "{PARAMS}
         local $0 = sum: u32 !0
         local $1 = last: u32 !0
         {START}
         %nothing = const 0 : u32 !0
         %s0 = set $0, %nothing !0
         %s1 = set $1, %nothing !0
         %t = builtin thread_idx.x : u64 !0
         %l = for %zero, %k, step %one : u64 !0 {{
           %w = const 40 : u64 !0
           %row = mul %l, %w : u64 !0
           %at = add %row, %t : u64 !0
           %bl = bounds %at, %la : u64 !1
           %pl = index %a, %bl, 4 : ptr global !1
           %old = get $0 : u32 !0
           %last = get $1 : u32 !0
           %v = load %pl : u32 !1
           %new = add %old, %last : u32 !0
           %s2 = set $0, %new !0
           %s3 = set $1, %v !0
         }}
         %sum = get $0 : u32 !0
         %end = get $1 : u32 !0
         %r = xor %sum, %end : u32 !0
         {STORE}"
    );
    for rounds in [0, 1, 5, 300] {
        let a = random_words(8, 40 * rounds);
        let column = |t: usize| a.iter().skip(t).step_by(40).copied();
        let expected: Vec<u32> = (0..40)
            .map(|t| {
                let last = column(t).last().unwrap_or(0);
                column(t).fold(0, u32::wrapping_add).wrapping_sub(last) ^ last
            })
            .collect();
        let mut values = [a.clone(), vec![], vec![0; 40]].map(Value::U32).to_vec();
        values.push(Value::Scalar(rounds as u64));
        assert_eq!(run(&program(&text), shape(1, 40), &mut values), Outcome::default());
        assert_eq!(values[2].u32s(), expected, "{rounds}");
    }
}

#[test]
fn replayed_iterations_cost_the_same_steps() {
    let text = strided_loop("u64", "");
    let n = 64 * 1000;
    let run = |steps| {
        let mut values = [random_words(4, n), vec![], vec![0; 64]].map(Value::U32).to_vec();
        values.push(Value::Scalar(n as u64));
        run(&program(&text), Shape { steps: Some(steps), ..shape(1, 64) }, &mut values)
    };
    let enough = (1..).map(|steps| steps * 1000).find(|steps| run(*steps) == Outcome::default());
    let enough = enough.unwrap();
    assert!((4000..20_000).contains(&enough), "{enough}: an iteration has some steps");
    for steps in [0, 10, 1000, enough / 2, enough - 1500] {
        let stopped = Some(Stopped::StepBudget { steps });
        assert_eq!(run(steps), Outcome { stopped, ..Outcome::default() });
    }
}

/// Returns the loop of [`strided_loop`] as a `while`.
fn counted(ty: &str) -> String {
    format!(
        "{PARAMS}
         local $0 = sum: u32 !0
         local $1 = i: {ty} !0
         {START}
         %start = cast %i : {ty} !0
         %g = builtin grid_dim.x : u32 !0
         %d = builtin block_dim.x : u32 !0
         %many = mul %g, %d : u32 !0
         %stride = cast %many : {ty} !0
         %end = cast %la : {ty} !0
         %low = cast %i : u32 !0
         %s0 = set $0, %low !0
         %si = set $1, %start !0
         %l = loop !0 {{
           %at = get $1 : {ty} !0
           %more = lt %at, %end : bool !0
           %leave = if %more !0 {{ }} else {{ %br = break %l !0 }}
           %pl = index %a, %at, 4 : ptr global !1
           %v = load %pl : u32 !1
           %old = get $0 : u32 !0
           %new = add %old, %v : u32 !0
           %s1 = set $0, %new !0
           %next = add %at, %stride : {ty} !0
           %s2 = set $1, %next !0
         }}
         %r = get $0 : u32 !0
         {STORE}"
    )
}

/// Returns the number of loops of a kernel whose counter is stored once only.
fn loops_that_count(inside: &str) -> usize {
    let code = translate(&kernel(inside), Isa::detect(), Instrumentation::None).unwrap();
    let counts = |step: &&Instr| matches!(step, Instr::LoadAffine { .. });
    code.instrs.iter().filter(counts).count()
}

#[test]
fn a_while_that_counts_is_a_for() {
    let text = counted("u64");
    assert_eq!(loops_that_count(&text), 1);
    let program = program(&text);
    for (blocks, threads) in [(1, 32), (3, 40), (2, 256), (1, 700)] {
        let all = (blocks * threads) as usize;
        for n in [0, 1, all - 1, all, 5 * all + 3, 41 * all - 1] {
            let a = random_words(9, n);
            let expected: Vec<u32> = (0..all)
                .map(|i| {
                    a.iter().skip(i).step_by(all).fold(i as u32, |sum, v| sum.wrapping_add(*v))
                })
                .collect();
            let mut values = [a, vec![], vec![0; all]].map(Value::U32).to_vec();
            values.push(Value::Scalar(0));
            assert_eq!(run(&program, shape(blocks, threads), &mut values), Outcome::default());
            assert_eq!(values[2].u32s(), expected, "{blocks} of {threads}, {n}");
        }
    }
}

#[test]
fn a_while_that_does_more_than_count_is_no_for() {
    let text = counted("u64");
    let counts = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        loops_that_count(&text.replace(from, to))
    };
    assert_eq!(
        counts("%r = get $0 : u32", "%q = get $1 : u64 !0 %r = cast %q : u32"),
        0,
        "a use after the addition"
    );
    let skips = "%v = load %pl : u32 !1 %big = gt %v, %low : bool !0 %if = if %big !0 { %c2 = continue %l !0 }";
    assert_eq!(counts("%v = load %pl : u32 !1", skips), 0, "some rounds do not add");
    let twice = "%s3 = set $1, %at !0 %next = add %at, %stride : u64";
    assert_eq!(counts("%next = add %at, %stride : u64", twice), 0, "another set");
    assert_eq!(
        counts("%stride = cast %many : u64", "%stride = sub %k, %one : u64"),
        0,
        "a sum that may wrap"
    );
    assert_eq!(counts("%more = lt", "%more = ne"), 0, "another comparison");
    let changing = "%again = cast %v : u64 !0 %next = add %at, %again : u64";
    assert_eq!(counts("%next = add %at, %stride : u64", changing), 0, "a step of each round");
}
