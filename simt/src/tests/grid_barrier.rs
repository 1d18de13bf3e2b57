//! Grid barriers.
use super::{Shape, Value, program, run, shape, u32s};
use crate::{Meeting, Outcome, Stopped};

const START: &str = "cooperative
    param arg0 = out: write [u32] !0
    %i = builtin global_idx.x : u32 !0
    %t = builtin thread_idx.x : u32 !0
    %b = builtin block_idx.x : u32 !0
    %out = param arg0 : ptr global !0
    %at = index %out, %i, 4 : ptr global !0
    %0 = const 0 : u32 !0
    %1 = const 1 : u32 !0
    %16 = const 16 : u32 !0\n";

#[test]
fn blocks_pass_grid_barriers_with_any_number_of_workers() {
    for (blocks, threads, rounds) in [(1, 32, 3), (40, 33, 7), (3, 700, 50)] {
        let n = blocks * threads;
        // Every thread reads its neighbour's value.
        let text = format!(
            "{START}
             %n = const {n} : u32 !0
             %rounds = const {rounds} : u32 !0
             %next = add %i, %1 : u32 !0
             %from = rem %next, %n : u32 !0
             %there = index %out, %from, 4 : ptr global !0
             %for = for %0, %rounds, step %1 : u32 !0 {{
                 %v = load %there : u32 !0
                 %s1 = sync_grid !0
                 %st = store %at, %v !0
                 %s2 = sync_grid !0
             }}"
        );
        for workers in [1, 2, 5] {
            let shape = Shape { workers, ..shape(blocks, threads) };
            let left = u32s(&text, shape, (0..n).collect());
            assert!(
                left.iter().zip(0..).all(|(v, i)| *v == (i + rounds) % n),
                "{blocks} {workers}"
            );
        }
    }
}

#[test]
fn blocks_and_threads_that_have_ended_are_not_waited_for() {
    // Block 2 returns at once, as do the first threads of the other blocks; block 4 ends between
    // two barriers.
    let text = format!(
        "{START}
         %2 = const 2 : u32 !0
         %4 = const 4 : u32 !0
         %second = eq %b, %2 : bool !0
         %if1 = if %second !0 {{ %r1 = return !0 }}
         %first = lt %t, %16 : bool !0
         %if2 = if %first !0 {{ %r2 = return !0 }}
         %st1 = store %at, %1 !0
         %s1 = sync_grid !0
         %fourth = eq %b, %4 : bool !0
         %if3 = if %fourth !0 {{ %r3 = return !0 }}
         %st2 = store %at, %2 !0
         %s2 = sync_grid !0
         %s3 = sync_grid !0
         %st3 = store %at, %4 !0"
    );
    for workers in [1, 3] {
        let shape = Shape { workers, ..shape(6, 40) };
        for (i, got) in u32s(&text, shape, vec![0; 240]).into_iter().enumerate() {
            let expected = match (i / 40, i % 40) {
                (2, _) | (_, 0..16) => 0,
                (4, _) => 1,
                _ => 4,
            };
            assert_eq!(got, expected, "thread {i}");
        }
    }
}

#[test]
fn a_block_that_waits_at_two_barriers_is_a_deadlock() {
    let text = format!(
        "{START}
         %one = eq %b, %1 : bool !0
         %low = lt %t, %16 : bool !0
         %both = and %one, %low : bool !0
         %if = if %both !0 {{ %b1 = barrier !5 }} else {{ %s = sync_grid !6 }}"
    );
    for workers in [1, 4] {
        let shape = Shape { workers, ..shape(9, 32) };
        let outcome = run(&program(&text), shape, &mut [Value::U32(vec![0; 288])]);
        let Some(Stopped::Deadlock { block: [1, 0, 0], waiting }) = outcome.stopped else {
            panic!("{outcome:?}")
        };
        let at: Vec<_> = waiting.iter().map(|waiting| (waiting.at, waiting.lanes)).collect();
        assert_eq!(at, [(Meeting::Barrier, 0xffff), (Meeting::Grid, 0xffff_0000)]);
    }
}

#[test]
fn a_block_that_never_reaches_the_grid_barrier_is_found() {
    let text = format!(
        "{START}
         %one = eq %b, %1 : bool !0
         %if = if %one !0 {{ %l = loop !0 {{ %st = store %at, %1 !0 }} }}
         %s = sync_grid !0"
    );
    for workers in [1, 4] {
        let shape = Shape { workers, steps: Some(1 << 20), ..shape(9, 32) };
        let outcome = run(&program(&text), shape, &mut [Value::U32(vec![0; 288])]);
        let Some(Stopped::Livelock { block: [1, 0, 0], spinning, .. }) = outcome.stopped else {
            panic!("{outcome:?}")
        };
        assert_eq!((spinning.len(), spinning[0].threads), (1, 32));
    }
}

#[test]
fn an_empty_launch_passes_no_grid_barrier() {
    let shape = Shape { grid: [3, 0, 1], ..shape(1, 32) };
    let text = format!("{START} %s = sync_grid !0");
    assert_eq!(run(&program(&text), shape, &mut [Value::U32(vec![])]), Outcome::default());
}
