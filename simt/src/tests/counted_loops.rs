//! Counted loops with early exits, and the counter after the loop.
use super::{Value, isas, number, program_for, run, shape};
use crate::{
    Arg, CheckedProgram, Checks, CountingProgram, Launch, Memory, Outcome,
    bytecode::{Instr, Requests},
    translate::{Instrumentation, translate},
    vector::lanes::Isa,
};
use std::num::NonZeroUsize;
use warpwise_compiler::ir::Kernel;

/// Returns a search by each thread: `while i < {end} && !{found} { i += {step} }` from `{start}`
/// on, inside of `{around}`; it stores `i`.
fn search(start: &str, end: &str, step: u32, leave: &str, [open, close]: [&str; 2]) -> String {
    format!(
        "param arg0 = out: write [u32] !0
         param arg1 = n: u32 !0
         local $0 = i: u32 !0
         local $1 = sum: u32 !0
         local $2 = j: u32 !0
         %lane = builtin thread_idx.x : u32 !0
         %n = param arg1 : u32 !0
         %zero = const 0 : u32 !0
         %one = const 1 : u32 !0
         %two = const 2 : u32 !0
         %nine = const 9 : u32 !0
         %step = const {step} : u32 !0
         %s1 = set $1, %zero !0
         %s2 = set $2, %zero !0
         {open}
         %s3 = set $0, {start} !0
         %loop = loop !0 {{
           %at = get $0 : u32 !0
           %more = lt %at, {end} : bool !0
           %while = if %more !0 {{
           }} else {{
             %through = break %loop !0
           }}
           {leave}
           %sum = get $1 : u32 !0
           %plus = add %sum, %at : u32 !0
           %s4 = set $1, %plus !0
           %next = add %at, %step : u32 !0
           %s5 = set $0, %next !0
         }}
         {close}
         %last = get $0 : u32 !0
         %all = get $1 : u32 !0
         %hundred = const 1000 : u32 !0
         %high = mul %last, %hundred : u32 !0
         %what = add %high, %all : u32 !0
         %p = param arg0 : ptr global !0
         %len = len arg0 : u64 !0
         %i = builtin thread_idx.x : u64 !0
         %b = bounds %i, %len : u64 !0
         %to = index %p, %b, 4 : ptr global !0
         %w = store %to, %what !0"
    )
}

const ALONE: [&str; 2] = ["", ""];

/// The condition that ends at the thread's own number.
const AT_LANE: &str = "%found = eq %at, %lane : bool !0
    %leaves = if %found !0 { %b1 = break %loop !0 }";

/// Returns true if the loop is translated to a `for`, with instrumentation between its
/// instructions.
fn counts_in(inside: &str, instrumentation: Instrumentation) -> bool {
    let kernel: Kernel = number(&format!("kernel k {{ {inside} }}")).parse().unwrap();
    let code = translate(&kernel, Isa::detect(), instrumentation).unwrap();
    code.instrs.iter().any(|step| matches!(step, Instr::NextIteration { .. }))
}

fn counts(inside: &str) -> bool {
    counts_in(inside, Instrumentation::None)
}

/// Checks that counters and findings are those of the loop as written.
fn is_unseen(inside: &str) {
    let kernel: Kernel = number(&format!("kernel k {{ {inside} }}")).parse().unwrap();
    let counting = CountingProgram::new(&kernel, Requests::Scalars);
    let counting_as_written = CountingProgram::as_written(&kernel, Requests::Scalars);
    let checked = CheckedProgram::new(&kernel);
    let checked_as_written = CheckedProgram::as_written(&kernel);
    for n in [0, 1, 2, 5, 40, 100] {
        let memory = Memory::zeroed(4 * 70);
        let args = [Arg::Slice { memory: &memory, offset: 0, len: 70 }, Arg::Scalar(n)];
        let workers = NonZeroUsize::new(1);
        let launch = Launch { grid: [1; 3], block: [70, 1, 1], args: &args, workers, steps: None };
        assert_eq!(counting.run(&launch), counting_as_written.run(&launch), "{n}");
        let [found, as_written] =
            [&checked, &checked_as_written].map(|program| program.run(&launch, Checks::ALL));
        assert_eq!(found, as_written, "{n}");
    }
}

/// Checks the result of each of 70 threads, for several values of `n`.
fn check(inside: &str, want: impl Fn(u32, u32) -> u32) {
    is_unseen(inside);
    for isa in isas() {
        let program = program_for(inside, isa);
        for n in [0, 1, 2, 5, 40, 100] {
            let mut values = [Value::U32(vec![0; 70]), Value::Scalar(n.into())];
            assert_eq!(run(&program, shape(1, 70), &mut values), Outcome::default());
            let want: Vec<u32> = (0..70).map(|lane| want(n, lane)).collect();
            assert_eq!(values[0].u32s(), want, "{n}");
        }
    }
}

/// Returns the result of a loop from `start` to `end`.
fn stored(start: u32, end: u32) -> u32 {
    end * 1000 + (start..end).sum::<u32>()
}

#[test]
fn lanes_that_leave_keep_the_counter() {
    let inside = search("%zero", "%n", 1, AT_LANE, ALONE);
    assert!(counts(&inside));
    check(&inside, |n, lane| stored(0, lane.min(n)));
}

#[test]
fn loops_without_a_round_keep_the_initial_value() {
    let inside = search("%nine", "%n", 1, AT_LANE, ALONE);
    assert!(counts(&inside));
    check(&inside, |n, lane| {
        let end = if lane < 9 { n.max(9) } else { n.max(9).min(lane) };
        stored(9, end)
    });
}

#[test]
fn loops_without_early_exit_end() {
    let inside = search("%zero", "%n", 1, "", ALONE);
    assert!(counts(&inside));
    check(&inside, |n, _| stored(0, n));
}

#[test]
fn all_leave_at_once() {
    let leave = "%found = eq %at, %two : bool !0
        %leaves = if %found !0 { %b1 = break %loop !0 }";
    let inside = search("%zero", "%n", 1, leave, ALONE);
    assert!(counts(&inside));
    check(&inside, |n, _| stored(0, n.min(2)));
}

/// An enclosing loop, which runs a loop at most twice.
const TWICE: [&str; 2] = [
    "%outer = loop !0 {
       %j = get $2 : u32 !0
       %j1 = add %j, %one : u32 !0
       %s6 = set $2, %j1 !0
       %enough = ge %j, %two : bool !0
       %stop = if %enough !0 { %b2 = break %outer !0 }",
    "}",
];

#[test]
fn lanes_leave_two_loops_at_once() {
    let leave = "%found = eq %at, %lane : bool !0
        %leaves = if %found !0 { %b1 = break %outer !0 }";
    let inside = search("%zero", "%n", 1, leave, TWICE);
    assert!(counts(&inside));
    check(
        &inside,
        |n, lane| {
            if lane < n { stored(0, lane) } else { n * 1000 + 2 * (0..n).sum::<u32>() }
        },
    );
}

#[test]
fn lanes_continue_an_enclosing_loop() {
    let leave = "%found = eq %at, %lane : bool !0
        %leaves = if %found !0 { %b1 = continue %outer !0 }";
    let inside = search("%zero", "%n", 1, leave, TWICE);
    assert!(counts(&inside));
    check(&inside, |n, lane| {
        let end = lane.min(n);
        end * 1000 + 2 * (0..end).sum::<u32>()
    });
}

#[test]
fn lanes_that_skip_the_loop_keep_their_locals() {
    let around = [
        "%s6 = set $1, %nine !0
         %low = lt %lane, %nine : bool !0
         %some = if %low !0 {",
        "}",
    ];
    let inside = search("%zero", "%n", 1, AT_LANE, around);
    assert!(counts(&inside));
    check(&inside, |n, lane| if lane < 9 { stored(0, lane.min(n)) + 9 } else { 9 });
}

#[test]
fn divergent_counters_count_per_lane() {
    let own = search("%lane", "%n", 1, "", ALONE);
    assert!(!counts(&own));
    check(&own, |n, lane| stored(lane, n.max(lane)));
    let by_two = search("%zero", "%n", 2, "", ALONE);
    assert!(!counts(&by_two));
}

#[test]
fn the_value_before_the_loop_does_not_matter() {
    let before = search("%zero", "%n", 1, AT_LANE, ["%old = get $0 : u32 !0", ""]);
    let stands = before.replace("%next = add %at, %step", "%next = add %old, %step");
    assert!(counts(&before) && !counts(&stands));
}

#[test]
fn faulting_lanes_are_counted_up_to_their_fault() {
    // Each leaves in a round of its own, the last ones first.
    let fails = "%far = add %at, %lane : u32 !0
        %far64 = cast %far : u64 !0
        %some = const 72 : u64 !0
        %inside = bounds %far64, %some : u64 !0";
    for leave in [fails.into(), format!("{fails}\n{AT_LANE}"), format!("{AT_LANE}\n{fails}")] {
        let inside = search("%zero", "%n", 1, &leave, ALONE);
        assert!(counts_in(&inside, Instrumentation::Counters(Requests::Scalars)));
        assert!(counts_in(&inside, Instrumentation::Sanitizer));
        is_unseen(&inside);
    }
}

#[test]
fn loops_stay_as_written_where_observers_could_tell() {
    // Lanes that wait for others, and lanes that wait for lanes which read for long.
    let meets = format!("{AT_LANE}\n%any = vote.any %found : bool !0");
    let reads = format!(
        "{AT_LANE}
         %o = param arg0 : ptr global !0
         %there = load %o : u32 !0"
    );
    for leave in [meets, reads] {
        let inside = search("%zero", "%n", 1, &leave, ALONE);
        assert!(counts(&inside));
        assert!(!counts_in(&inside, Instrumentation::Counters(Requests::Scalars)));
        assert!(!counts_in(&inside, Instrumentation::Sanitizer));
        is_unseen(&inside);
    }
}

#[test]
fn grid_stride_loops_are_counted_without_other_exits() {
    // From the thread's own number on; whatever is read there, an enclosing loop ends, too.
    let cast = "%at64 = cast %at : u64 !0";
    let reads = "%o = param arg0 : ptr global !0
        %there = index %o, %at64, 4 : ptr global !0
        %seen = load %there : u32 !0";
    let around = ["%twice = for %zero, %two, step %one : u32 !0 {", "}"];
    let strides =
        search("%lane", "%nine", 2, reads, around).replace("%last = get $0", "%last = get $1");
    // The counter as an index, computed after the comparison or before it.
    for compare in ["%more = lt", "%while = if"] {
        let inside = strides.replace(compare, &format!("{cast}\n{compare}"));
        let kernel: Kernel = number(&format!("kernel k {{ {inside} }}")).parse().unwrap();
        for instrumentation in
            [Instrumentation::Counters(Requests::Scalars), Instrumentation::Sanitizer]
        {
            let code = translate(&kernel, Isa::detect(), instrumentation).unwrap();
            let rewritten =
                code.rewritten.unwrap_or_else(|| panic!("{instrumentation:?}: as written"));
            assert!(!rewritten.to_string().contains("loop"), "{instrumentation:?}: {rewritten}");
        }
        is_unseen(&inside);
    }
}

#[test]
fn a_counted_loop_never_spins_whichever_form_it_has() {
    // The optimizer leaves a `while` with its body in an arm.
    let body = "%old = atomic.add.relaxed.device %p, %one : u32 !0
        %next = add %at, %one : u32 !0
        %s1 = set $0, %next !0";
    for (then, rest) in [(body, ""), ("", body)] {
        let inside = format!(
            "param arg0 = sum: atomic [u32] !0
             local $0 = i: u32 !0
             %p = param arg0 : ptr global !0
             %zero = const 0 : u32 !0
             %one = const 1 : u32 !0
             %n = const 100 : u32 !0
             %s0 = set $0, %zero !0
             %loop = loop !0 {{
               %at = get $0 : u32 !0
               %more = lt %at, %n : bool !0
               %while = if %more !0 {{ {then} }} else {{ %through = break %loop !0 }}
               {rest}
             }}"
        );
        let kernel: Kernel = number(&format!("kernel k {{ {inside} }}")).parse().unwrap();
        let code = translate(&kernel, Isa::detect(), Instrumentation::None).unwrap();
        let cost = code.instrs.iter().find_map(|instr| match instr {
            Instr::NextIteration { cost, .. } => Some(*cost),
            _ => None,
        });
        assert_eq!(cost, Some(0), "{inside}");
    }
}
