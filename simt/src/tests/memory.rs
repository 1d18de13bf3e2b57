//! Loads, stores and atomics.
use super::{Value, isas, program, program_for, run, shape, u32s};
use crate::{Arg, Launch, Memory, Outcome, Program, Stopped};
use std::thread;

#[test]
fn sub_words_do_not_disturb_their_neighbours() {
    // Every third byte, by index and by pointer arithmetic.
    let text = "param arg0 = out: write [u8] !0
        %i = builtin global_idx.x : u64 !0
        %out = param arg0 : ptr global !0
        %at = index %out, %i, 3 : ptr global !0
        %v = cast %i : u8 !0
        %s = store %at, %v !0
        %one = const 1 : u64 !0
        %next = index %at, %one, 1 : ptr global !0
        %old = load %next : u8 !0
        %new = add %old, %v : u8 !0
        %s2 = store %next, %new !0";
    let mut values = [Value::U8(vec![9; 300])];
    assert_eq!(run(&program(text), shape(1, 100), &mut values), Outcome::default());
    let Value::U8(left) = &values[0] else { panic!("{values:?}") };
    for (i, chunk) in left.chunks(3).enumerate() {
        assert_eq!(chunk, [i as u8, i as u8 + 9, 9]);
    }
}

#[test]
fn lanes_access_arbitrary_addresses() {
    // A permutation that is contiguous nowhere, by 32- and 64-bit indices, and through pointers
    // into two buffers at once.
    for ty in ["u32", "u64"] {
        let text = format!(
            "param arg0 = x: read [u32] !0
             param arg1 = y: write [u32] !0
             %i = builtin global_idx.x : {ty} !0
             %m = const 75 : {ty} !0
             %n = const 512 : {ty} !0
             %p = mul %i, %m : {ty} !0
             %at = rem %p, %n : {ty} !0
             %x = param arg0 : ptr global !0
             %px = index %x, %at, 4 : ptr global !0
             %v = load %px : u32 !0
             %y = param arg1 : ptr global !0
             %py = index %y, %at, 4 : ptr global !0
             %s = store %py, %v !0
             %two = const 2 : {ty} !0
             %odd = rem %i, %two : {ty} !0
             %zero = const 0 : {ty} !0
             %even = eq %odd, %zero : bool !0
             %either = select %even, %px, %py : ptr global !0
             %w = load %either : u32 !0
             %one = const 1 : u32 !0
             %w1 = add %w, %one : u32 !0
             %s2 = store %py, %w1 !0"
        );
        let mut values = [Value::U32((0..512).map(|i| i * i).collect()), Value::U32(vec![0; 512])];
        assert_eq!(run(&program(&text), shape(2, 256), &mut values), Outcome::default());
        assert_eq!(values[1].u32s(), (0..512).map(|i| i * i + 1).collect::<Vec<_>>());
    }
}

#[test]
fn the_common_part_of_addresses_may_precede_the_buffer() {
    // Lane t reads row[t - 3], of a row known at run time only; lanes without such an element leave
    // the row.
    let text = "param arg0 = first: u64 !0
        param arg1 = x: read [u32] !0
        param arg2 = y: write [u32] !0
        %t = builtin thread_idx.x : u64 !0
        %first = param arg0 : u64 !0
        %x = param arg1 : ptr global !0
        %row = index %x, %first, 4 : ptr global !0
        %three = const 3 : u64 !0
        %back = sub %t, %three : u64 !0
        %has = le %three, %t : bool !0
        %if = if %has !0 {
          %from = index %row, %back, 4 : ptr global !0
          %v = load %from : u32 !0
          %y = param arg2 : ptr global !0
          %to = index %y, %t, 4 : ptr global !0
          %s = store %to, %v !0
        }";
    for first in [0, 8] {
        let x = Value::U32((100..200).collect());
        let mut values = [Value::Scalar(first), x, Value::U32(vec![7; 64])];
        assert_eq!(run(&program(text), shape(1, 64), &mut values), Outcome::default());
        let expected =
            (0..64).map(|t| if t < 3 { 7 } else { 100 + first as u32 + t - 3 }).collect::<Vec<_>>();
        assert_eq!(values[2].u32s(), expected);
    }
}

#[test]
fn atomics_of_all_threads_count_once_each() {
    let text = "param arg0 = out: atomic [u32] !0
        shared @0 = s: [u32; 4] !0
        %i = builtin global_idx.x : u32 !0
        %t = builtin thread_idx.x : u32 !0
        %out = param arg0 : ptr global !0
        %1 = const 1 : u32 !0
        %2 = const 2 : u32 !0
        %3 = const 3 : u32 !0
        %a = atomic.add.relaxed.device %out, %1 : u32 !0
        %p1 = index %out, %1, 4 : ptr global !0
        %b = atomic.max.relaxed.device %p1, %i : u32 !0
        %p2 = index %out, %2, 4 : ptr global !0
        %c = atomic.xor.relaxed.device %p2, %i : u32 !0
        %p3 = index %out, %3, 4 : ptr global !0
        %d = atomic.sub.seq_cst.system %p3, %2 : u32 !0
        %s = shared @0 : ptr shared !0
        %0 = const 0 : u32 !0
        %first = eq %t, %0 : bool !0
        %if = if %first !0 { %z = store %s, %0 !0 }
        %b1 = barrier !0
        %e = atomic.add.relaxed.block %s, %1 : u32 !0
        %b2 = barrier !0
        %if2 = if %first !0 {
            %n = load %s : u32 !0
            %4 = const 4 : u32 !0
            %p4 = index %out, %4, 4 : ptr global !0
            %f = atomic.add.relaxed.device %p4, %n : u32 !0
        }";
    for workers in [1, 4] {
        let shape = super::Shape { workers, ..shape(50, 200) };
        let left = u32s(text, shape, vec![0; 5]);
        let xor = (0..10_000_u32).fold(0, |xor, i| xor ^ i);
        assert_eq!(left, [10_000, 9_999, xor, 20_000_u32.wrapping_neg(), 10_000]);
    }
}

#[test]
fn atomics_return_old_values() {
    let text = "param arg0 = out: atomic [u32] !0
        param arg1 = old: write [u32] !0
        %i = builtin global_idx.x : u32 !0
        %out = param arg0 : ptr global !0
        %old = param arg1 : ptr global !0
        %at = index %old, %i, 4 : ptr global !0
        %1 = const 1 : u32 !0
        %a = atomic.add.relaxed.device %out, %1 : u32 !0
        %s = store %at, %a !0";
    let mut values = [Value::U32(vec![5]), Value::U32(vec![0; 100])];
    assert_eq!(run(&program(text), shape(1, 100), &mut values), Outcome::default());
    assert_eq!(values[1].u32s(), (5..105).collect::<Vec<_>>());
}

#[test]
fn shared_memory_is_undefined_and_private_to_the_block() {
    let text = "param arg0 = out: write [u32] !0
        shared @0 = s: [u32; 64] !0
        %i = builtin global_idx.x : u32 !0
        %t = builtin thread_idx.x : u32 !0
        %s = shared @0 : ptr shared !0
        %p = index %s, %t, 4 : ptr shared !0
        %v = load %p : u32 !0
        %out = param arg0 : ptr global !0
        %at = index %out, %i, 4 : ptr global !0
        %st = store %at, %v !0
        %st2 = store %p, %i !0";
    let shape = super::Shape { workers: 3, ..shape(10, 64) };
    assert_eq!(u32s(text, shape, vec![0; 640]), [u32::MAX; 640], "the same each time");
}

#[test]
fn a_local_that_is_not_set_is_zero() {
    let text = "param arg0 = out: write [u32] !0
        local $0 = x: u32 !0
        %i = builtin global_idx.x : u32 !0
        %t = builtin thread_idx.x : u32 !0
        %3 = const 3 : u32 !0
        %small = lt %t, %3 : bool !0
        %if = if %small !0 { %s = set $0, %i !0 }
        %v = get $0 : u32 !0
        %out = param arg0 : ptr global !0
        %at = index %out, %i, 4 : ptr global !0
        %st = store %at, %v !0";
    let left = u32s(text, shape(4, 64), vec![7; 256]);
    assert!(left.iter().enumerate().all(|(i, v)| *v == if i % 64 < 3 { i as u32 } else { 0 }));
}

/// A store at an unchecked index.
const UNCHECKED: &str = "param arg0 = out: write [u32] !0
    param arg1 = first: u64 !0
    %t = builtin thread_idx.x : u64 !0
    %first = param arg1 : u64 !0
    %i = add %t, %first : u64 !0
    %one = const 1 : u32 !0
    %out = param arg0 : ptr global !0
    %at = index %out, %i, 4 : ptr global !0
    %st = store %at, %one !7";

#[test]
fn unchecked_accesses_out_of_bounds_do_not_happen() {
    let through_pointers = UNCHECKED
        .replace(
            "%st =",
            "%none = const 0 : u64 !0\n%st0 = index %at, %none, 4 : ptr global !0\n%st =",
        )
        .replace("store %at", "store %st0");
    let of_one = UNCHECKED.replace("%i = add %t, %first", "%i = add %first, %first");
    for text in [UNCHECKED, &through_pointers, &of_one] {
        let program = program(text);
        for first in [10, 1 << 20, 1 << 45, u64::MAX / 4 - 3, u64::MAX - 7, u64::MAX] {
            let mut values = [Value::U32(vec![0; 10]), Value::Scalar(first)];
            let outcome = run(&program, shape(1, 32), &mut values);
            let span = |stopped| match stopped {
                Some(Stopped::Malformed { span, .. }) => span,
                other => panic!("{first}: {other:?}"),
            };
            use warpwise_compiler::{id::Id, ir::Span};
            assert_eq!(span(outcome.stopped), Some(Span::new(7)), "{first}");
        }
    }
}

#[test]
fn empty_launches_and_buffers() {
    let text = "param arg0 = out: write [u32] !0
        %i = builtin global_idx.x : u64 !0
        %n = len arg0 : u64 !0
        %in = lt %i, %n : bool !0
        %if = if %in !0 {
            %out = param arg0 : ptr global !0
            %at = index %out, %i, 4 : ptr global !0
            %one = const 1 : u32 !0
            %st = store %at, %one !0
        }";
    assert_eq!(u32s(text, shape(4, 33), vec![]), []);
    for grid in [[0, 1, 1], [1, 0, 1], [u32::MAX, u32::MAX, 0]] {
        assert_eq!(u32s(text, super::Shape { grid, ..shape(1, 32) }, vec![0; 3]), [0; 3]);
    }
}

#[test]
fn launches_that_do_not_fit_are_refused() {
    let program = program(
        "block 32, 1, 1
        param arg0 = out: write [u32] !0
        param arg1 = n: u32 !0",
    );
    let memory = Memory::zeroed(10);
    let refused = |block, args: &[Arg<'_>]| {
        let launch = Launch { grid: [1; 3], block, args, workers: None, steps: None };
        match program.run(&launch).stopped {
            Some(Stopped::Malformed { message, .. }) => message,
            other => panic!("{other:?}"),
        }
    };
    let slice = |len| Arg::Slice { memory: &memory, offset: 0, len };
    let fit = [slice(2), Arg::Scalar(1)];
    assert_eq!(
        refused([1025, 1, 1], &fit),
        "a block of [1025, 1, 1] threads; 1 to 1024 are possible"
    );
    assert_eq!(refused([32, 0, 1], &fit), "a block of [32, 0, 1] threads; 1 to 1024 are possible");
    assert_eq!(
        refused([64, 1, 1], &fit),
        "a block of [64, 1, 1] threads, where the kernel declares [32, 1, 1]"
    );
    assert_eq!(refused([32, 1, 1], &fit[..1]), "1 arguments for 2 parameters");
    assert_eq!(
        refused([32, 1, 1], &[slice(3), Arg::Scalar(1)]),
        "argument 0 has 3 elements in 10 bytes"
    );
    assert_eq!(
        refused([32, 1, 1], &[slice(2), slice(2)]),
        "argument 1 is not what the kernel's parameter is"
    );
}

#[test]
fn a_program_runs_many_times_at_once() {
    let program = program(
        "param arg0 = out: atomic [u32] !0
        %out = param arg0 : ptr global !0
        %1 = const 1 : u32 !0
        %a = atomic.add.relaxed.device %out, %1 : u32 !0",
    );
    let memory = Memory::zeroed(4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let args = [Arg::Slice { memory: &memory, offset: 0, len: 1 }];
                let (grid, block) = ([20, 1, 1], [100, 1, 1]);
                let launch = Launch { grid, block, args: &args, workers: None, steps: None };
                assert_eq!(program.run(&launch), Outcome::default());
            });
        }
    });
    let mut bytes = [0; 4];
    memory.read_into(0, &mut bytes);
    assert_eq!(u32::from_le_bytes(bytes), 8000);
}

#[test]
fn generic_kernels_are_refused() {
    let kernel = "kernel k { generic T0 = N: const u64 !1 %0 = generic T0 : u64 !2 }";
    let program = Program::new(&kernel.parse().unwrap());
    let launch = Launch { grid: [1; 3], block: [1; 3], args: &[], workers: None, steps: None };
    assert!(matches!(program.run(&launch).stopped, Some(Stopped::Malformed { span: Some(_), .. })));
}

#[test]
fn inactive_lanes_load_and_store_nothing() {
    for (ty, size) in [("u8", 1), ("u32", 4), ("u64", 8)] {
        let text = format!(
            "param arg0 = x: read [{ty}] !0
             param arg1 = y: write [{ty}] !0
             param arg2 = low: u64 !0
             param arg3 = high: u64 !0
             param arg4 = bits: u32 !0
             %i = builtin thread_idx.x : u64 !0
             %low = param arg2 : u64 !0
             %above = ge %i, %low : bool !0
             %high = param arg3 : u64 !0
             %below = lt %i, %high : bool !0
             %between = and %above, %below : bool !0
             %bits = param arg4 : u32 !0
             %lane = builtin lane_id : u32 !0
             %bit = shr %bits, %lane : u32 !0
             %one = const 1 : u32 !0
             %low1 = and %bit, %one : u32 !0
             %set = eq %low1, %one : bool !0
             %is = and %between, %set : bool !0
             %x = param arg0 : ptr global !0
             %y = param arg1 : ptr global !0
             %to = index %y, %i, {size} : ptr global !0
             %step = const 1 : u64 !0
             %if = if %is !0 {{
               %left = sub %i, %step : u64 !0
               %pl = index %x, %left, {size} : ptr global !0
               %l = load %pl : {ty} !0
               %right = add %i, %step : u64 !0
               %pr = index %x, %right, {size} : ptr global !0
               %r = load %pr : {ty} !0
               %v = add %l, %r : {ty} !0
               %s = store %to, %v !0
             }}
             %old = load %to : {ty} !0
             %more = add %old, %old : {ty} !0
             %s2 = store %to, %more !0"
        );
        let value = |of: &dyn Fn(u32) -> u32, n: u32| match size {
            1 => Value::U8((0..n).map(|i| of(i) as u8).collect()),
            4 => Value::U32((0..n).map(of).collect()),
            _ => Value::U64((0..n).map(|i| of(i).into()).collect()),
        };
        for isa in isas() {
            let program = program_for(&text, isa);
            for n in [2, 31, 40, 64, 200] {
                for bits in [u32::MAX, 0x5555_5555, 0x0ff0_ff3f, 0xffff_fffe, 0x8000_0001, 0] {
                    for (low, high) in [(1, n - 1), (1, 2), (9, 33), (20, 21), (30, n - 1)] {
                        let high = high.min(n - 1);
                        let is = |i: u32| (low..high).contains(&i) && bits >> (i % 32) & 1 == 1;
                        let scalars = [low.into(), high.into(), bits.into()];
                        let mut values = vec![value(&|i| i * 3, n), value(&|i| i + 1, n)];
                        values.extend(scalars.map(Value::Scalar));
                        assert_eq!(run(&program, shape(1, n), &mut values), Outcome::default());
                        let want = value(&|i| 2 * if is(i) { i * 6 } else { i + 1 }, n);
                        let [got, want] = [&values[1], &want].map(|value| format!("{value:?}"));
                        assert_eq!(got, want, "{ty}, {n}, {bits:x}, {low}..{high}");
                    }
                }
            }
        }
    }
}
