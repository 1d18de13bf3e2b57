//! The debugger, and seeded schedules.
use super::{Shape, Value, number, shape};
use crate::{Launch, Moment, Outcome, Stage, Stopped, TracedProgram, WatchFn, WatchedLanes};
use std::{num::NonZeroUsize, ops::ControlFlow};
use warpwise_compiler::{
    id::Id,
    ir::{InstId, Kernel, LocalId, ParamId, Root, Span},
    verify::verify,
};

fn traced(inside: &str) -> TracedProgram {
    let kernel: Kernel = number(&format!("kernel k {{ {inside} }}")).parse().unwrap();
    verify(&kernel).unwrap();
    TracedProgram::new(&kernel)
}

fn run(
    program: &TracedProgram,
    shape: Shape,
    seed: Option<u64>,
    buffer: &mut Vec<u32>,
    watches: Vec<(WatchedLanes, Box<WatchFn<'_>>)>,
) -> Outcome {
    let mut value = Value::U32(std::mem::take(buffer));
    let memory = value.memory();
    let args = [value.arg(&memory)];
    let Shape { grid, block, steps, .. } = shape;
    // Without a seed, blocks run in their usual order only where one worker runs them all.
    let workers = seed.is_none().then_some(NonZeroUsize::MIN);
    let launch = Launch { grid, block, args: &args, workers, steps };
    let outcome = program.run(&launch, seed, watches);
    value.take(&memory);
    buffer.extend_from_slice(value.u32s());
    outcome
}

/// Watches some lanes by one callback.
fn watch_lanes<'w>(
    watched: WatchedLanes,
    watch: impl FnMut(&Moment<'_>) -> ControlFlow<()> + Send + 'w,
) -> Vec<(WatchedLanes, Box<WatchFn<'w>>)> {
    vec![(watched, Box::new(watch))]
}

/// Each thread counts up to its number, and stores twice that.
const COUNT: &str = "param arg0 = out: write [u32] !0
    local $0 = sum: u32 !0
    %i = builtin global_idx.x : u32 !1
    %zero = const 0 : u32 !0
    %one = const 1 : u32 !0
    %two = const 2 : u32 !0
    %s = set $0, %zero !2
    %f = for %zero, %i, step %one : u32 !3 {
      %g = get $0 : u32 !4
      %add = add %g, %two : u32 !4
      %s2 = set $0, %add !4
    }
    %sum = get $0 : u32 !5
    %out = param arg0 : ptr global !6
    %i64 = cast %i : u64 !6
    %p = index %out, %i64, 4 : ptr global !6
    %st = store %p, %sum !6";

#[test]
fn a_watched_thread_is_reported_step_by_step() {
    let watched = WatchedLanes { block: [1, 0, 0], warp: 1, lanes: 1 << 2 };
    let mut seen = Vec::new();
    let watch = |moment: &Moment<'_>| {
        assert_eq!(moment.lanes, 1 << 2);
        let result = moment.value(moment.inst, 2).filter(|_| moment.stage != Stage::Reached);
        seen.push((moment.inst.index(), moment.stage, result));
        ControlFlow::Continue(())
    };
    let mut out = vec![0; 80];
    let outcome = run(&traced(COUNT), shape(2, 40), None, &mut out, watch_lanes(watched, watch));
    assert_eq!(outcome, Outcome::default());
    assert_eq!(out, (0..80).map(|i| 2 * i).collect::<Vec<_>>());
    // Block 1 of 40 threads, warp 1, lane 2: thread 74.
    let (reached, done) = (Stage::Reached, Stage::Done);
    let mut expected = vec![(0, done, Some(74)), (4, reached, None), (5, reached, None)];
    for k in 0..74 {
        expected.push((5, Stage::Iteration, Some(k)));
        expected.push((6, done, Some(2 * k)));
        expected.push((7, done, Some(2 * k + 2)));
        expected.push((8, reached, None));
    }
    expected.extend([(9, done, Some(148)), (11, done, Some(74)), (13, reached, None)]);
    assert_eq!(seen, expected);
}

#[test]
fn addresses_and_variables_are_known() {
    let watched = WatchedLanes { block: [0; 3], warp: 0, lanes: u32::MAX };
    let mut stores = 0;
    let watch = |moment: &Moment<'_>| {
        if moment.inst == InstId::new(13) {
            stores += 1;
            for lane in 0..32 {
                let at = moment.value(InstId::new(12), lane).and_then(|at| moment.resolve(at));
                assert_eq!(at, Some((Root::Param(ParamId::new(0)), 4 * lane as u64)));
                assert_eq!(moment.local(LocalId::new(0), lane), Some(2 * lane as u64));
            }
        }
        ControlFlow::Continue(())
    };
    let mut out = vec![0; 80];
    run(&traced(COUNT), shape(2, 40), None, &mut out, watch_lanes(watched, watch));
    assert_eq!(stores, 1, "all lanes of the warp at once");
}

#[test]
fn a_callback_can_end_the_launch() {
    for seed in [None, Some(1), Some(2)] {
        let watched = WatchedLanes { block: [2, 0, 0], warp: 0, lanes: 1 };
        let mut calls = 0;
        let watch = |moment: &Moment<'_>| {
            calls += 1;
            if moment.stage == Stage::Iteration {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let watches = watch_lanes(watched, watch);
        let mut out = vec![0; 400];
        let outcome = run(&traced(COUNT), shape(10, 40), seed, &mut out, watches);
        assert_eq!(outcome.stopped, Some(Stopped::Halted { block: [2, 0, 0], span: Span::new(3) }));
        assert_eq!(calls, 4);
        assert_eq!(out[80], 0);
    }
}

#[test]
fn a_panic_of_the_callback_reaches_the_caller() {
    let watched = WatchedLanes { block: [0; 3], warp: 0, lanes: 1 };
    let launch = || {
        let watch = |_: &Moment<'_>| panic!("mine");
        let watches = watch_lanes(watched, watch);
        run(&traced(COUNT), shape(1, 40), None, &mut vec![0; 40], watches)
    };
    let panic = std::panic::catch_unwind(launch).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"mine"));
}

#[test]
fn missing_threads_are_not_reported() {
    for watched in [
        WatchedLanes { block: [5, 0, 0], warp: 0, lanes: 1 },
        WatchedLanes { block: [0; 3], warp: 9, lanes: 1 },
        WatchedLanes { block: [0; 3], warp: 1, lanes: 1 << 20 },
        WatchedLanes { block: [0; 3], warp: 0, lanes: 0 },
    ] {
        let watch = |_: &Moment<'_>| panic!("{watched:?}");
        let outcome =
            run(&traced(COUNT), shape(2, 40), None, &mut vec![0; 80], watch_lanes(watched, watch));
        assert_eq!(outcome, Outcome::default());
    }
}

/// Every thread appends its number to a list, in the order of execution.
const LIST: &str = "param arg0 = list: atomic [u32] !0
    %i = builtin global_idx.x : u32 !0
    %one = const 1 : u32 !0
    %list = param arg0 : ptr global !0
    %at = atomic.add.relaxed.device %list, %one : u32 !0
    %next = add %at, %one : u32 !0
    %slot = cast %next : u64 !0
    %p = index %list, %slot, 4 : ptr global !0
    %s = atomic_store.relaxed.device %p, %i !0";

#[test]
fn a_seed_gives_the_same_order_each_time() {
    let program = traced(LIST);
    let order = |seed| {
        let mut list = vec![0; 1 + 1000];
        assert_eq!(run(&program, shape(10, 100), seed, &mut list, Vec::new()), Outcome::default());
        let mut sorted = list[1..].to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..1000).collect::<Vec<_>>());
        list
    };
    let usual: Vec<_> = std::iter::once(1000).chain(0..1000).collect();
    assert_eq!(order(None), usual);
    let orders: Vec<_> = (0..20).map(|seed| order(Some(seed))).collect();
    assert!((0..20).all(|seed| order(Some(seed)) == orders[seed as usize]));
    assert!((1..20).all(|seed| orders[seed] != orders[seed - 1]));
    assert!(orders.iter().all(|order| *order != usual));
    // With some seed, almost any warp or block is first.
    let first = |by: u32| {
        orders.iter().map(|order| order[1] / by).collect::<std::collections::HashSet<_>>()
    };
    assert!(first(100).len() > 5 && first(32).len() > 5, "{:?}", first(32));
}

#[test]
fn watching_does_not_change_the_schedule() {
    let program = traced(LIST);
    let order = |watched| {
        let mut list = vec![0; 201];
        let watch = |_: &Moment<'_>| ControlFlow::Continue(());
        let watches = watch_lanes(watched, watch);
        run(&program, shape(2, 100), Some(7), &mut list, watches);
        list
    };
    let nobody = order(WatchedLanes { block: [9; 3], warp: 0, lanes: 0 });
    assert_eq!(order(WatchedLanes { block: [1, 0, 0], warp: 2, lanes: u32::MAX }), nobody);
}

#[test]
fn diverged_lanes_of_a_warp_take_turns() {
    // The first lanes write 1, then the others 2; the order is not defined.
    let program = traced(
        "param arg0 = out: write [u32] !0
         %t = builtin thread_idx.x : u32 !0
         %one = const 1 : u32 !0
         %two = const 2 : u32 !0
         %half = const 16 : u32 !0
         %out = param arg0 : ptr global !0
         %low = lt %t, %half : bool !0
         %if = if %low !0 { %s1 = store %out, %one !0 } else { %s2 = store %out, %two !0 }",
    );
    let last = |seed| {
        let mut out = vec![0];
        run(&program, shape(1, 32), Some(seed), &mut out, Vec::new());
        out[0]
    };
    let found: std::collections::HashSet<_> = (0..40).map(last).collect();
    assert_eq!(found.len(), 2);
}

#[test]
fn without_races_the_order_makes_no_difference() {
    // A tree of sums, with a barrier in a loop, after threads that have returned.
    let program = traced(
        "param arg0 = out: write [u32] !0
         shared @0 = s: [u32; 64] !0
         %t = builtin thread_idx.x : u32 !0
         %b = builtin block_idx.x : u32 !0
         %zero = const 0 : u32 !0
         %one = const 1 : u32 !0
         %six = const 6 : u32 !0
         %all = const 64 : u32 !0
         %inside = lt %t, %all : bool !0
         %if0 = if %inside !0 { } else { %r = return !0 }
         %s = shared @0 : ptr shared !0
         %mine = index %s, %t, 4 : ptr shared !0
         %v = add %t, %b : u32 !0
         %st = store %mine, %v !0
         %bar = barrier !0
         %half = const 32 : u32 !0
         %for = for %zero, %six, step %one : u32 !0 {
             %w = shr %half, %for : u32 !0
             %low = lt %t, %w : bool !0
             %if = if %low !0 {
                 %o = add %t, %w : u32 !0
                 %theirs = index %s, %o, 4 : ptr shared !0
                 %x = load %theirs : u32 !0
                 %y = load %mine : u32 !0
                 %sum = add %x, %y : u32 !0
                 %st2 = store %mine, %sum !0
             }
             %bar2 = barrier !0
         }
         %first = eq %t, %zero : bool !0
         %if1 = if %first !0 {
             %sum2 = load %s : u32 !0
             %out = param arg0 : ptr global !0
             %p = index %out, %b, 4 : ptr global !0
             %st3 = store %p, %sum2 !0
         }",
    );
    for seed in 0..30 {
        let mut out = vec![0; 20];
        let outcome = run(&program, shape(20, 96), Some(seed), &mut out, Vec::new());
        assert_eq!(outcome, Outcome::default());
        assert!(out.iter().zip(0..).all(|(sum, b)| *sum == 2016 + 64 * b), "{seed} {out:?}");
    }
}

#[test]
fn blocks_that_wait_for_others_end_in_any_order() {
    // Each block waits for the one before it; more blocks than are started at once.
    for (first, other) in [("0", "sub"), ("99", "add")] {
        let text = super::sync::blocks(first, other);
        for seed in 0..3 {
            let mut out = vec![0; 100];
            let outcome = run(&traced(&text), shape(100, 48), Some(seed), &mut out, Vec::new());
            assert_eq!(outcome, Outcome::default(), "{seed}");
            let mut sorted = out.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (1..=100).collect::<Vec<_>>());
        }
    }
}

#[test]
fn grid_barriers_work_in_any_order() {
    let text = "cooperative
        param arg0 = out: write [u32] !0
        %i = builtin global_idx.x : u32 !0
        %out = param arg0 : ptr global !0
        %at = index %out, %i, 4 : ptr global !0
        %one = const 1 : u32 !0
        %n = const 1000 : u32 !0
        %next = add %i, %one : u32 !0
        %from = rem %next, %n : u32 !0
        %there = index %out, %from, 4 : ptr global !0
        %zero = const 0 : u32 !0
        %three = const 3 : u32 !0
        %for = for %zero, %three, step %one : u32 !0 {
            %v = load %there : u32 !0
            %s1 = sync_grid !0
            %st = store %at, %v !0
            %s2 = sync_grid !0
        }";
    for seed in 0..6 {
        let mut out: Vec<_> = (0..1000).collect();
        let outcome = run(&traced(text), shape(100, 10), Some(seed), &mut out, Vec::new());
        assert_eq!(outcome, Outcome::default());
        assert!(out.iter().zip(0..).all(|(v, i)| *v == (i + 3) % 1000));
    }
}
