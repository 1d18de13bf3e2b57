//! Livelocks: launches whose threads spin in loops that nothing can end.
use super::kernel;
use crate::{Arg, Launch, Memory, Program, Stopped};
use std::num::NonZeroUsize;
use warpwise_compiler::{
    id::Id,
    ir::{ParamId, Root, Span},
};

const START: &str = "param arg0 = flag: atomic [u32] !0
    local $0 = n: u32 !0
    %t = builtin thread_idx.x : u32 !0
    %b = builtin block_idx.x : u32 !0
    %k0 = const 0 : u32 !0
    %k1 = const 1 : u32 !0
    %k5 = const 5 : u32 !0
    %flag = param arg0 : ptr global !0
    %f1 = offset %flag, 4 : ptr global !0
";

/// Returns the outcome of a launch of some blocks of `threads` threads.
fn run_until_stopped(
    inside: &str,
    (blocks, threads): (u32, u32),
    workers: usize,
) -> Option<Stopped> {
    let memory = Memory::zeroed(8);
    let args = [Arg::Slice { memory: &memory, offset: 0, len: 2 }];
    let (grid, block) = ([blocks, 1, 1], [threads, 1, 1]);
    let launch =
        Launch { grid, block, args: &args, workers: NonZeroUsize::new(workers), steps: None };
    Program::new(&kernel(&format!("{START}{inside}"))).run(&launch).stopped
}

const WAIT: &str = "%w = loop !5 {
        %v = atomic_load.acquire.device %flag : u32 !4
        %c = ne %v, %k0 : bool !4
        %if = if %c !4 { %br = break %w !4 }
    }";

#[test]
fn waiting_for_unwritten_memory_is_a_livelock() {
    for workers in [1, 3] {
        let Some(Stopped::Livelock { block, spinning, waiting, blocks }) =
            run_until_stopped(WAIT, (5, 300), workers)
        else {
            panic!("it ends")
        };
        assert_eq!((block, blocks, waiting), ([0; 3], 5, vec![]));
        let [spinning] = &spinning[..] else { panic!("{spinning:?}") };
        assert_eq!((spinning.span, spinning.threads), (Span::new(5), 300));
        assert_eq!(
            (spinning.thread, &spinning.reads[..]),
            ([0; 3], &[Root::Param(ParamId::new(0))][..])
        );
    }
}

#[test]
fn blocks_that_end_leave_the_others_waiting() {
    // All threads but one of block 2 wait at a barrier; the other blocks end.
    let text = format!(
        "%two = const 2 : u32 !0
         %other = ne %b, %two : bool !0
         %gone = if %other !0 {{ %r = return !0 }}
         %is = eq %t, %k5 : bool !0
         %if2 = if %is !0 {{ {WAIT} }}
         %sync = barrier !6"
    );
    for workers in [1, 2] {
        let Some(Stopped::Livelock { block, spinning, waiting, blocks }) =
            run_until_stopped(&text, (4, 40), workers)
        else {
            panic!("it ends")
        };
        assert_eq!((block, blocks, spinning.len(), waiting.len()), ([2, 0, 0], 1, 1, 2));
        assert_eq!((spinning[0].threads, spinning[0].thread), (1, [5, 0, 0]));
        assert_eq!((waiting[0].lanes, waiting[1].lanes), (!(1 << 5), 0xff));
    }
}

#[test]
fn loops_that_nothing_ends_are_livelocks() {
    let text = "%is = eq %t, %k5 : bool !0 %if = if %is !0 { %l = loop !5 { } }";
    let Some(Stopped::Livelock { spinning, .. }) = run_until_stopped(text, (1, 64), 1) else {
        panic!("it ends")
    };
    assert_eq!(
        (spinning[0].threads, spinning[0].thread, &spinning[0].reads[..]),
        (1, [5, 0, 0], &[][..])
    );
    assert_eq!(run_until_stopped("%p = offset %flag, 0 : ptr global !0", (1, 64), 1), None);
}

#[test]
fn blocks_that_poll_through_barriers_let_others_run() {
    // Block 0 waits for block 1, which has not started, with two groups of threads that pass a
    // barrier in each round.
    let text = "%is = eq %b, %k0 : bool !0
        %if = if %is !0 {
            %w = loop !5 {
                %v = atomic_load.acquire.device %flag : u32 !4
                %c = ne %v, %k0 : bool !4
                %any = barrier.or %c : bool !5
                %if2 = if %any !5 { %br = break %w !5 }
            }
        } else {
            %st = atomic_store.release.device %flag, %k1 !6
        }";
    assert_eq!(run_until_stopped(text, (2, 512), 1), None);
}

#[test]
fn a_counting_loop_is_no_livelock() {
    // Longer than the detection of cycles runs.
    let text = "%init = set $0, %k0 !0
        %most = const 100000 : u32 !0
        %w = loop !5 {
            %v = atomic_load.acquire.device %flag : u32 !4
            %n = get $0 : u32 !4
            %m = add %n, %k1 : u32 !4
            %s = set $0, %m !4
            %c = eq %m, %most : bool !4
            %if = if %c !4 { %br = break %w !4 }
        }
        %st = atomic_store.release.device %f1, %k1 !6";
    assert_eq!(run_until_stopped(text, (1, 32), 1), None);
}
