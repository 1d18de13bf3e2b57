//! Results that are computed directly into locals: operands and intermediate reads keep their
//! values.
use super::{Value, isas, number, program_for, run, shape};
use crate::{
    Outcome,
    bytecode::Instr,
    translate::{Instrumentation, translate},
    vector::lanes::Isa,
};
use warpwise_compiler::ir::Kernel;

/// Returns a kernel with two locals, initially the number of the thread and 1, changed by `middle`,
/// and stored.
fn locals_kernel(middle: &str) -> String {
    format!(
        "param arg0 = out: write [u32] !0
         local $0 = a: u32 !0
         local $1 = b: u32 !0
         local $2 = i: u32 !0
         %lane = builtin thread_idx.x : u32 !0
         %zero = const 0 : u32 !0
         %one = const 1 : u32 !0
         %three = const 3 : u32 !0
         %hundred = const 100 : u32 !0
         %s1 = set $0, %lane !0
         %s2 = set $1, %one !0
         {middle}
         %lastA = get $0 : u32 !0
         %lastB = get $1 : u32 !0
         %high = mul %lastA, %hundred : u32 !0
         %what = add %high, %lastB : u32 !0
         %p = param arg0 : ptr global !0
         %len = len arg0 : u64 !0
         %at = builtin thread_idx.x : u64 !0
         %bounded = bounds %at, %len : u64 !0
         %to = index %p, %bounded, 4 : ptr global !0
         %w = store %to, %what !0"
    )
}

/// Returns the number of instructions that copy a register: `set`s, and maps of one register.
fn count_copies(inside: &str) -> usize {
    let kernel: Kernel = number(&format!("kernel k {{ {inside} }}")).parse().unwrap();
    let code = translate(&kernel, Isa::detect(), Instrumentation::None).unwrap();
    let is_copy = |step: &&Instr| match step {
        Instr::Set { .. } => true,
        Instr::Map { regs: [_, a, b, c], .. } => a == b && b == c,
        _ => false,
    };
    code.instrs.iter().filter(is_copy).count()
}

/// Checks both locals of each of 70 threads at the end.
fn check(middle: &str, want: impl Fn(u32) -> [u32; 2]) {
    for isa in isas() {
        let mut values = [Value::U32(vec![0; 70])];
        let program = program_for(&locals_kernel(middle), isa);
        assert_eq!(run(&program, shape(1, 70), &mut values), Outcome::default());
        let want = |lane| {
            let [a, b] = want(lane);
            a.wrapping_mul(100).wrapping_add(b)
        };
        assert_eq!(values[0].u32s(), (0..70).map(want).collect::<Vec<_>>());
    }
}

const BOTH: &str = "%a = get $0 : u32 !0
    %b = get $1 : u32 !0
    %c = xor %a, %three : u32 !0
    %d = mul %a, %b : u32 !0
    %e = or %d, %three : u32 !0
    %sa = set $0, %c !0
    %sb = set $1, %e !0";

#[test]
fn results_are_computed_into_locals() {
    // The `set`s of the initial values.
    assert_eq!(count_copies(&locals_kernel(BOTH)), 2);
    check(BOTH, |lane| [lane ^ 3, lane | 3]);
}

#[test]
fn a_fibonacci_step_keeps_values_that_are_still_read() {
    let swap = "%a = get $0 : u32 !0
        %b = get $1 : u32 !0
        %sum = add %a, %b : u32 !0
        %copy = or %b, %zero : u32 !0
        %sa = set $0, %copy !0
        %sb = set $1, %sum !0";
    check(swap, |lane| [1, lane + 1]);
    // The sum reads a local that is set in between, and conversely.
    let other = "%a = get $0 : u32 !0
        %b = get $1 : u32 !0
        %sum = add %a, %b : u32 !0
        %sb = set $1, %a !0
        %sa = set $0, %sum !0";
    check(other, |lane| [lane + 1, lane]);
}

#[test]
fn a_swap_swaps() {
    let swap = "%a = get $0 : u32 !0
        %b = get $1 : u32 !0
        %c = xor %a, %three : u32 !0
        %d = xor %b, %three : u32 !0
        %sa = set $0, %d !0
        %sb = set $1, %c !0";
    check(swap, |lane| [2, lane ^ 3]);
}

#[test]
fn values_with_two_uses_are_not_sunk() {
    let twice = "%a = get $0 : u32 !0
        %c = xor %a, %three : u32 !0
        %d = add %a, %c : u32 !0
        %sa = set $0, %c !0
        %sb = set $1, %d !0";
    check(twice, |lane| [lane ^ 3, lane + (lane ^ 3)]);
}

#[test]
fn branches_read_the_old_value() {
    let branch = "%a = get $0 : u32 !0
        %c = xor %a, %three : u32 !0
        %odd = and %a, %one : u32 !0
        %is = eq %odd, %one : bool !0
        %if = if %is !0 {
          %again = get $0 : u32 !0
          %sb = set $1, %again !0
        } else {
          %twice = add %a, %a : u32 !0
          %sc = set $1, %twice !0
        }
        %sa = set $0, %c !0";
    check(branch, |lane| [lane ^ 3, if lane % 2 == 1 { lane } else { 2 * lane }]);
}

#[test]
fn locals_that_a_branch_sets_are_read_before_it() {
    let branch = "%a = get $0 : u32 !0
        %b = get $1 : u32 !0
        %c = add %a, %b : u32 !0
        %odd = and %a, %one : u32 !0
        %is = eq %odd, %one : bool !0
        %if = if %is !0 {
          %sb = set $1, %three !0
        }
        %sa = set $0, %c !0";
    check(branch, |lane| [lane + 1, if lane % 2 == 1 { 3 } else { 1 }]);
}

#[test]
fn leaving_lanes_keep_their_locals() {
    let rounds = "%s3 = set $2, %zero !0
        %loop = loop !0 {
          %a = get $0 : u32 !0
          %b = get $1 : u32 !0
          %c = xor %a, %three : u32 !0
          %d = add %a, %b : u32 !0
          %enough = gt %d, %hundred : bool !0
          %leaves = if %enough !0 { %break = break %loop !0 }
          %sa = set $0, %c !0
          %sb = set $1, %d !0
        }";
    check(rounds, |lane| {
        let [mut a, mut b] = [lane, 1];
        while a + b <= 100 {
            [a, b] = [a ^ 3, a + b];
        }
        [a, b]
    });
}

#[test]
fn a_loop_in_between_reads_the_old_value() {
    let rounds = "%s3 = set $2, %zero !0
        %a = get $0 : u32 !0
        %c = xor %a, %three : u32 !0
        %loop = loop !0 {
          %i = get $2 : u32 !0
          %more = lt %i, %a : bool !0
          %while = if %more !0 { } else { %break = break %loop !0 }
          %b = get $1 : u32 !0
          %d = add %a, %b : u32 !0
          %sb = set $1, %d !0
          %i1 = add %i, %one : u32 !0
          %s4 = set $2, %i1 !0
        }
        %sa = set $0, %c !0";
    check(rounds, |lane| [lane ^ 3, 1 + lane * lane]);
}
