//! Faults as results: the lowest is reported, and the other threads continue.
use super::{Value, program, run, shape};
use crate::{FaultReport, Outcome};
use warpwise_compiler::{
    fault::Reason,
    id::Id,
    ir::{Fault, Span},
    message::MAX_VALUES,
};

/// Returns the values of a report, padded with 0.
fn values_of(values: &[u64]) -> [u64; MAX_VALUES] {
    std::array::from_fn(|i| values.get(i).copied().unwrap_or(0))
}

const BOUNDS: &str = "param arg0 = out: write [u32] !0
    param arg1 = at: read [u32] !0
    %i = builtin global_idx.x : u64 !0
    %at = param arg1 : ptr global !0
    %pa = index %at, %i, 4 : ptr global !0
    %a32 = load %pa : u32 !0
    %a = cast %a32 : u64 !0
    %n = len arg0 : u64 !0
    %b = bounds %a, %n : u64 !9
    %out = param arg0 : ptr global !0
    %p = index %out, %b, 4 : ptr global !0
    %one = const 1 : u32 !0
    %s = store %p, %one !0";

#[test]
fn the_lowest_thread_is_reported_for_any_number_of_workers() {
    let mut at: Vec<u32> = (0..40_000).collect();
    for wrong in [39_999, 17_000, 16_999, 12_345, 30_000] {
        at[wrong] = 1_000_000 + wrong as u32;
    }
    for workers in [1, 2, 8] {
        let mut values = [Value::U32(vec![0; 40_000]), Value::U32(at.clone())];
        let shape = super::Shape { workers, ..shape(400, 100) };
        let outcome = run(&program(BOUNDS), shape, &mut values);
        let fault = FaultReport {
            reason: Reason::Check(Fault::IndexOutOfBounds),
            span: Span::new(9),
            values: values_of(&[1_012_345, 40_000]),
            block: [123, 0, 0],
            thread: [45, 0, 0],
            count: 5,
        };
        assert_eq!(outcome, Outcome { fault: Some(fault), ..Outcome::default() });
        let written = values[0].u32s().iter().sum::<u32>();
        assert_eq!(written, 40_000 - 5, "the others go on");
    }
}

#[test]
fn indices_of_any_size_are_checked() {
    for (ty, mask) in [("u8", 0xff_u64), ("u16", 0xffff), ("u32", 0xffff_ffff), ("u64", u64::MAX)] {
        let text = format!(
            "param arg0 = n: {ty} !0
             param arg1 = first: {ty} !0
             %t = builtin thread_idx.x : u32 !0
             %w = cast %t : {ty} !0
             %first = param arg1 : {ty} !0
             %i = add %w, %first : {ty} !0
             %n = param arg0 : {ty} !0
             %b = bounds %i, %n : {ty} !3
             %u = bounds %first, %n : {ty} !4"
        );
        let program = program(&text);
        let count = |n: u64, first: u64| {
            let mut values = [Value::Scalar(n), Value::Scalar(first)];
            run(&program, shape(1, 40), &mut values).fault.map_or(0, |fault| fault.count)
        };
        assert_eq!(count(40, 0), 0);
        assert_eq!(count(39, 0), 1);
        assert_eq!(count(0, 0), 40);
        assert_eq!(count(50, 20), 10);
        assert_eq!(count(10, 200), 40);
        assert_eq!(count(mask, mask - 20), 1, "{ty}: only the limit itself; then indices wrap");
    }
}

#[test]
fn faults_in_three_dimensions() {
    let text = "%x = builtin thread_idx.x : u32 !0
        %y = builtin thread_idx.y : u32 !0
        %z = builtin thread_idx.z : u32 !0
        %bz = builtin block_idx.z : u32 !0
        %yz = mul %y, %z : u32 !0
        %p = mul %yz, %bz : u32 !0
        %two = const 2 : u32 !0
        %ok = lt %p, %two : bool !0
        %c = check %ok, remainder_overflow !5";
    let shape = super::Shape { grid: [3, 2, 3], block: [9, 4, 5], workers: 2, steps: None };
    let fault = run(&program(text), shape, &mut []).fault.unwrap();
    assert_eq!((fault.reason, fault.span), (Reason::Check(Fault::RemainderOverflow), Span::new(5)));
    assert_eq!((fault.block, fault.thread), ([0, 0, 1], [0, 2, 1]));
    let products =
        (0..3_u64).flat_map(|b| (0..4).flat_map(move |y| (0..5).map(move |z| b * y * z)));
    assert_eq!(fault.count, products.filter(|product| *product >= 2).count() as u64 * 9 * 6);
}

#[test]
fn faulted_threads_are_not_waited_for() {
    let text = "param arg0 = out: write [u32] !0
        %t = builtin thread_idx.x : u32 !0
        %40 = const 40 : u32 !0
        %ok = lt %t, %40 : bool !0
        %c = check %ok, add_overflow !1
        %true = const true : bool !0
        %n = barrier.count %true : u64 !0
        %b = vote.ballot %true : u32 !0
        %n32 = cast %n : u32 !0
        %x = xor %b, %n32 : u32 !0
        %out = param arg0 : ptr global !0
        %at = index %out, %t, 4 : ptr global !0
        %s = store %at, %x !0";
    let mut values = [Value::U32(vec![0; 300])];
    let outcome = run(&program(text), shape(1, 300), &mut values);
    assert_eq!(outcome.stopped, None);
    assert_eq!(outcome.fault.unwrap().count, 260);
    let expected = |t| if t < 32 { !40 } else { 0xff ^ 40 };
    assert!(values[0].u32s()[..40].iter().enumerate().all(|(t, v)| *v == expected(t)));
    assert!(values[0].u32s()[40..].iter().all(|v| *v == 0));
}

#[test]
fn a_failed_uniform_check_ends_all_threads_that_reach_it() {
    let text = "param arg0 = n: u32 !0
        %t = builtin thread_idx.x : u32 !0
        %n = param arg0 : u32 !0
        %0 = const 0 : u32 !0
        %1 = const 1 : u32 !0
        %odd = and %t, %1 : u32 !0
        %is = eq %odd, %1 : bool !0
        %if = if %is !0 {
            %ok = ne %n, %0 : bool !0
            %c = check %ok, divide_by_zero !3
        }";
    let count = |n| {
        let outcome = run(&program(text), shape(2, 65), &mut [Value::Scalar(n)]);
        outcome.fault.map(|fault| (fault.reason, fault.thread, fault.count))
    };
    assert_eq!(count(1), None);
    assert_eq!(count(0), Some((Reason::Check(Fault::DivideByZero), [1, 0, 0], 64)));
}
