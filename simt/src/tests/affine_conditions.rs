//! Affine conditions that are true for all lanes, for none, or for some: the results are the same.
use super::{Value, program, run, shape, u32s};
use crate::Outcome;

/// Runs a kernel that sets `$0` in blocks of several sizes, with each of `limits` as `%n`, near
/// which lanes diverge; each thread must compute the `expected` value of its index and the limit.
fn check(middle: &str, limits: &[u32], expected: impl Fn(u32, u32) -> u32) {
    let text = format!(
        "param arg0 = out: write [u32] !0
         param arg1 = n: u32 !0
         local $0 = x: u32 !0
         %i = builtin global_idx.x : u32 !0
         %n = param arg1 : u32 !0
         %out = param arg0 : ptr global !0
         %at = index %out, %i, 4 : ptr global !0
         %0 = const 0 : u32 !0
         %1 = const 1 : u32 !0
         %7 = const 7 : u32 !0
         %z = set $0, %0 !0
         {middle}
         %last = get $0 : u32 !0
         %stored = store %at, %last !0"
    );
    let program = program(&text);
    for threads in [1, 31, 40, 64, 256, 300, 1024] {
        for &limit in limits {
            let buffer = Value::U32(vec![77; 3 * threads as usize]);
            let mut values = [buffer, Value::Scalar(limit.into())];
            assert_eq!(run(&program, shape(3, threads), &mut values), Outcome::default());
            for i in 0..3 * threads {
                let (left, wanted) = (values[0].u32s()[i as usize], expected(i, limit));
                assert_eq!(left, wanted, "thread {i} of 3 x {threads}, limit {limit}");
            }
        }
    }
}

/// Before, in, between and after blocks of all sizes.
const LIMITS: [u32; 12] = [0, 1, 2, 30, 40, 63, 64, 255, 256, 257, 700, u32::MAX];

#[test]
fn one_comparison_chooses_an_arm() {
    let middle = "%lt = lt %i, %n : bool !0
         %if = if %lt !0 { %a = set $0, %7 !0 } else { %b = set $0, %1 !0 }";
    check(middle, &LIMITS, |i, n| if i < n { 7 } else { 1 });
}

#[test]
fn some_comparisons_together_choose() {
    let middle = "%8 = add %n, %7 : u32 !0
         %ge = ge %i, %n : bool !0
         %lt = lt %i, %8 : bool !0
         %eq = eq %i, %1 : bool !0
         %in = and %ge, %lt : bool !0
         %beside = not %in : bool !0
         %or = or %beside, %eq : bool !0
         %if = if %or !0 { %a = set $0, %i !0 }";
    check(middle, &LIMITS, |i, n| {
        let inside = i >= n && i < n.wrapping_add(7);
        if !inside || i == 1 { i } else { 0 }
    });
}

#[test]
fn values_that_wrap_between_lanes_are_compared_lane_by_lane() {
    let middle = "%d = sub %i, %n : u32 !0
         %lt = lt %d, %7 : bool !0
         %if = if %lt !0 { %a = set $0, %1 !0 }";
    check(middle, &LIMITS, |i, n| u32::from(i.wrapping_sub(n) < 7));
    let signed = "%d = sub %i, %n : u32 !0
         %s = bitcast %d : i32 !0
         %zero = const 0 : i32 !0
         %lt = lt %s, %zero : bool !0
         %if = if %lt !0 { %a = set $0, %1 !0 }";
    check(signed, &LIMITS, |i, n| u32::from(i.wrapping_sub(n).cast_signed() < 0));
}

#[test]
fn a_condition_decides_in_the_middle_of_others() {
    let middle = "%lt = lt %i, %n : bool !0
         %rem = rem %i, %7 : u32 !0
         %odd = eq %rem, %1 : bool !0
         %if = if %odd !0 {
             %far = lt %i, %n : bool !0
             %inner = if %far !0 { %a = set $0, %7 !0 } else { %b = set $0, %1 !0 }
         }
         %outer = if %lt !0 {
             %got = get $0 : u32 !0
             %more = add %got, %i : u32 !0
             %c = set $0, %more !0
         }";
    check(middle, &LIMITS, |i, n| {
        let first = if i % 7 != 1 {
            0
        } else if i < n {
            7
        } else {
            1
        };
        if i < n { first + i } else { first }
    });
}

#[test]
fn threads_end_by_a_condition() {
    let middle = "%ge = ge %i, %n : bool !0
         %one = store %at, %1 !0
         %if = if %ge !0 { %return = return !0 }
         %a = set $0, %7 !0";
    check(middle, &LIMITS, |i, n| if i >= n { 1 } else { 7 });
}

#[test]
fn lanes_leave_a_loop_by_a_condition() {
    // Lanes that leave later are some iterations ahead.
    let middle = "%loop = loop !0 {
             %count = get $0 : u32 !0
             %step = mul %count, %7 : u32 !0
             %more = add %count, %1 : u32 !0
             %set = set $0, %more !0
             %lt = lt %i, %n : bool !0
             %if = if %lt !0 { } else { %break = break %loop !0 }
             %many = gt %count, %7 : bool !0
             %stop = if %many !0 { %leave = break %loop !0 }
         }";
    check(middle, &LIMITS, |i, n| if i < n { 9 } else { 1 });
}

#[test]
fn threads_stride_over_the_grid() {
    let stride = "param arg0 = out: write [u32] !0
         %i = builtin global_idx.x : u64 !0
         %d = builtin block_dim.x : u64 !0
         %g = builtin grid_dim.x : u64 !0
         %n = len arg0 : u64 !0
         %step = mul %d, %g : u64 !0
         %out = param arg0 : ptr global !0
         %for = for %i, %n, step %step : u64 !0 {
             %b = bounds %for, %n : u64 !0
             %at = index %out, %b, 4 : ptr global !0
             %old = load %at : u32 !0
             %k = cast %for : u32 !0
             %new = add %old, %k : u32 !0
             %set = store %at, %new !0
         }";
    for threads in [1, 33, 256, 1024] {
        for len in [0, 1, 31, 1000, 2048, 20_011] {
            let left = u32s(stride, shape(2, threads), (0..len).collect());
            assert!((0..len).all(|i| left[i as usize] == 2 * i), "{len} by 2 x {threads}");
        }
    }
}

#[test]
fn atomic_sums_are_in_lane_order() {
    // Each thread adds to one of seven words, and stores the old value.
    let text = "param arg0 = sums: atomic [u32] !0
         param arg1 = before: write [u32] !0
         shared @0 = own: [u32; 7] !0
         %t = builtin thread_idx.x : u32 !0
         %7 = const 7 : u32 !0
         %0 = const 0 : u32 !0
         %first = lt %t, %7 : bool !0
         %own = shared @0 : ptr shared !0
         %zero = index %own, %t, 4 : ptr shared !0
         %if = if %first !0 { %s = store %zero, %0 !0 }
         %barrier = barrier !0
         %r = rem %t, %7 : u32 !0
         %at = index %own, %r, 4 : ptr shared !0
         %old = atomic.add.relaxed.block %at, %t : u32 !0
         %out = param arg1 : ptr global !0
         %o = index %out, %t, 4 : ptr global !0
         %noted = store %o, %old !0
         %sums = param arg0 : ptr global !0
         %g = index %sums, %r, 4 : ptr global !0
         %all = atomic.add.relaxed.device %g, %t : u32 !0";
    let program = program(text);
    for threads in [1_u32, 6, 32, 50, 256, 700] {
        let buffer = Value::U32(vec![0; threads as usize]);
        let mut values = [Value::U32(vec![0; 7]), buffer];
        assert_eq!(run(&program, shape(1, threads), &mut values), Outcome::default());
        let mut sums = [0; 7];
        for t in 0..threads {
            let sum = &mut sums[t as usize % 7];
            assert_eq!(values[1].u32s()[t as usize], *sum, "thread {t} of {threads}");
            *sum += t;
        }
        assert_eq!(values[0].u32s(), sums);
    }
}
