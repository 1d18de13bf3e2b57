//! Barriers and masks.
use super::{found_in, kernel, texts};
use crate::{
    Arg, CheckedProgram, Checks, Launch, Memory, Problem, Severity, TracedProgram,
    tests::{Value, shape},
};

const THREADS: &str = "%t = builtin thread_idx.x : u32 !0
    %k0 = const 0 : u32 !0
    %k1 = const 1 : u32 !0
    %k8 = const 8 : u32 !0
    %k16 = const 16 : u32 !0\n";

fn findings(inside: &str, threads: u32) -> Vec<String> {
    texts(&found_in(&format!("{THREADS}{inside}"), shape(3, threads), &[]))
}

#[test]
fn threads_at_different_barriers_are_found() {
    let parted = |one, other| {
        format!(
            "%low = lt %t, %k16 : bool !0
             %if = if %low !0 {{ %a = {one} !5 }} else {{ %b = {other} !6 }}"
        )
    };
    assert_eq!(
        findings(&parted("barrier", "barrier"), 64),
        [
            "warning: barrier divergence in block (0,0,0): 16 of 64 threads, (0,0,0) the first, wait at !5; \
          48 of 64 threads, (16,0,0) the first, wait at !6; every thread of a block has to come to the same barrier \
          [3 times]"
        ]
    );
    let count = "%low2 = lt %t, %k8 : bool !0\n";
    let text = parted("barrier", "barrier.count %low2 : u64");
    assert_eq!(
        findings(&format!("{count}{text}"), 64),
        ["barrier divergence in block (0,0,0): 16 of 64 threads, (0,0,0) the first, wait at !5; \
          48 of 64 threads, (16,0,0) the first, wait at !6; on a GPU, a barrier that computes something ends the \
          launch here [3 times]"]
    );
}

#[test]
fn threads_that_return_do_not_miss_at_barriers() {
    let clean = "%low = lt %t, %k16 : bool !0
        %if = if %low !0 { %r = return !0 }
        %two = const 2 : u32 !0
        %for = for %k0, %two, step %k1 : u32 !0 { %a = barrier !5 }";
    assert_eq!(findings(clean, 300), [""; 0]);
    // One in each arm, and a common one after the branch.
    let behind = "%low = lt %t, %k16 : bool !0
        %if = if %low !0 { %f = fence.block !0 } else { %g = fence.device !0 }
        %a = barrier !5";
    assert_eq!(findings(behind, 300), [""; 0]);
}

#[test]
fn threads_name_themselves() {
    let text = "%mask = const 0xfffffffe : u32 !0
        %w = sync_warp %mask !7";
    assert_eq!(
        findings(text, 32),
        [
            "thread (0,0,0) of block (0,0,0) is not in its own mask 0xfffffffe, at the warp barrier at !7 [3 times]"
        ]
    );
}

#[test]
fn masks_that_differ_are_found_where_lanes_wait_for_each_other() {
    // Lanes below 16 name lanes 0 to 16, the others lanes from 16 on.
    let text = format!(
        "{THREADS}%low = lt %t, %k16 : bool !0
         %m1 = const 0x0001ffff : u32 !0
         %m2 = const 0xffff0000 : u32 !0
         %mask = select %low, %m1, %m2 : u32 !0
         %w = sync_warp %mask !7"
    );
    let program = CheckedProgram::new(&kernel(&text));
    let launch = Launch { grid: [1; 3], block: [32, 1, 1], args: &[], workers: None, steps: None };
    let (outcome, found) = program.run(&launch, Checks::SYNC);
    assert_eq!(
        outcome.stopped, None,
        "the upper half goes on and ends, and then the lower one does"
    );
    let differ = "mask 0x0001ffff of thread (0,0,0) of block (0,0,0) names lanes 0x00010000, which have come with other \
          masks: all lanes that do something together have to name the same ones, at the warp barrier at !7 [16 times]";
    assert_eq!(texts(&found)[0], differ);
    // Both name some lanes of the other half.
    let stuck = text.replace("0xffff0000", "0xffff8000");
    let (outcome, found) = CheckedProgram::new(&kernel(&stuck)).run(&launch, Checks::SYNC);
    assert!(matches!(outcome.stopped, Some(crate::Stopped::Deadlock { .. })), "{outcome:?}");
    assert!(texts(&found)[0].starts_with("mask 0x0001ffff of thread (0,0,0)"), "{found:?}");
    assert_eq!((found.len(), found[0].count), (1, 32));
    // Halves that each name themselves perform two operations.
    let text = text.replace("0x0001ffff", "0x0000ffff");
    assert_eq!(CheckedProgram::new(&kernel(&text)).run(&launch, Checks::SYNC), Default::default());
}

#[test]
fn masks_that_name_absent_lanes_are_found() {
    let text = "%mask = const 0x00ffffff : u32 !0
        %w = sync_warp %mask !7";
    assert_eq!(
        findings(text, 16),
        [
            "info: mask 0x00ffffff of thread (0,0,0) of block (0,0,0) names lanes 0x00ff0000 that have ended or are not \
          in the block, at the warp barrier at !7 [48 times]"
        ]
    );
    // No mask, and a mask of all lanes, mean the live lanes.
    assert_eq!(findings("%w = sync_warp !7", 16), [""; 0]);
    assert_eq!(findings("%all = const 0xffffffff : u32 !0 %w = sync_warp %all !7", 16), [""; 0]);
}

#[test]
fn values_of_absent_lanes_are_undefined() {
    let down = "%v = shuffle.down %t, %k8, width 32 : u32 !7";
    assert_eq!(
        findings(down, 48),
        [
            "info: thread (40,0,0) of block (0,0,0) reads lane 16, which takes no part: what it gets is open, at the \
          shuffle at !7 [24 times]"
        ]
    );
    assert_eq!(findings(down, 64), [""; 0], "past the edge each gets its own");
    let in_groups = "%v = shuffle.xor %t, %k1, width 16 : u32 !7";
    assert_eq!(findings(in_groups, 48), [""; 0]);
}

/// Returns the findings in 48 threads, of whose last 16 lanes some read a value of an absent lane.
fn undefined_stores(inside: &str) -> Vec<String> {
    let text = format!(
        "param arg0 = out: write [u32] !0
         {THREADS}%i = cast %t : u64 !0
         %out = param arg0 : ptr global !0
         %mine = index %out, %i, 4 : ptr global !0
         %v = shuffle.down %t, %k8, width 32 : u32 !7
         {inside}"
    );
    texts(&found_in(&text, shape(1, 48), &[Value::U32(vec![0; 48])]))
}

#[test]
fn a_used_value_of_an_absent_lane_is_an_error() {
    let error = "thread (40,0,0) of block (0,0,0) reads lane 16, which takes no part: what it gets is open, at the \
         shuffle at !7; it is stored in global memory at !9 [8 times]";
    assert_eq!(undefined_stores("%w = add %v, %k1 : u32 !8 %s = store %mine, %w !9"), [error]);
    // Lane 0 of each warp has the sum of its own value and those of present lanes.
    let first = "%k31 = const 31 : u32 !0
         %lane = and %t, %k31 : u32 !0
         %is = lt %lane, %k8 : bool !0
         %w = select %is, %v, %k0 : u32 !8
         %s = store %mine, %w !9";
    let note = "info: thread (40,0,0) of block (0,0,0) reads lane 16, which takes no part: what it gets is open, at \
         the shuffle at !7 [8 times]";
    assert_eq!(undefined_stores(first), [note]);
}

#[test]
fn named_lanes_on_another_branch_are_found() {
    let parted = |then: &str, rest: &str| {
        findings(&format!("%low = lt %t, %k16 : bool !0 %if = if %low !0 {{ {then} }} {rest}"), 64)
    };
    let missed = |mask: &str, lanes: &str, at: &str| {
        format!(
            "mask {mask} of thread (0,0,0) of block (0,0,0) names lanes {lanes}, which take another way and end \
             without reaching the {at} at !7: all lanes that are named have to reach it [48 times]"
        )
    };
    let full = missed("0xffffffff", "0xffff0000", "shuffle");
    let shuffle = "%v = shuffle.xor %t, %k1, width 32 : u32 !7";
    assert_eq!(parted(shuffle, "")[0], full);
    assert_eq!(parted(shuffle, "%f = fence.block !8"), [full]);
    let vote = "%v = vote.any %low : bool !7";
    assert_eq!(parted(vote, ""), [missed("0xffffffff", "0xffff0000", "vote")]);
    // Only some of the named lanes arrive.
    let some = "%m = const 0x000fffff : u32 !0 %v = reduce.add %t, mask %m : u32 !7";
    assert_eq!(parted(some, ""), [missed("0x000fffff", "0x000f0000", "reduction")]);
    // In a loop that lanes leave one after the other.
    let rounds = "%k2 = const 2 : u32 !0
         %n = and %t, %k2 : u32 !0
         %for = for %k0, %n, step %k1 : u32 !0 { %v = shuffle.xor %t, %k1, width 32 : u32 !7 }";
    assert!(
        findings(rounds, 32)[0].contains("names lanes 0x33333333"),
        "{:?}",
        findings(rounds, 32)
    );

    // The arriving lanes are named, have returned before, or belong to other warps.
    let named = "%m = const 0xffff : u32 !0 %v = shuffle.xor %t, %k1, width 32, mask %m : u32 !7";
    assert_eq!(parted(named, ""), [""; 0]);
    assert_eq!(parted("%r = return !0", "%v = shuffle.xor %t, %k1, width 32 : u32 !7"), [""; 0]);
    let warps = "%k32 = const 32 : u32 !0
         %low = lt %t, %k32 : bool !0
         %if = if %low !0 { %v = shuffle.xor %t, %k1, width 32 : u32 !7 }";
    assert_eq!(findings(warps, 64), [""; 0]);
    // Both arms join after them.
    let behind = "%v = shuffle.xor %t, %k1, width 32 : u32 !7";
    assert_eq!(parted("%f = fence.block !0", behind), [""; 0]);
}

#[test]
fn the_first_divergence_of_a_block_is_reported() {
    // In the first round 32 threads and 32 wait, in the second 16 and 16: the others have returned.
    let text = "%k48 = const 48 : u32 !0
         %k32 = const 32 : u32 !0
         %two = const 2 : u32 !0
         %for = for %k0, %two, step %k1 : u32 !0 {
             %low = lt %t, %k32 : bool !0
             %if = if %low !0 { %a = barrier !5 } else { %b = barrier !6 }
             %more = lt %t, %k48 : bool !0
             %less = lt %t, %k16 : bool !0
             %both = and %more, %more : bool !0
             %out = if %less !0 { %r = return !0 }
             %out2 = if %both !0 { %f = fence.block !0 } else { %r2 = return !0 }
         }";
    let text = findings(text, 64);
    assert!(text[0].contains("32 of 64 threads, (0,0,0) the first, wait at !5"), "{text:?}");
    assert!(text[0].ends_with("[6 times]"), "{text:?}");
}

#[test]
fn unrequested_checks_are_not_made() {
    let text = format!("{THREADS}%mask = const 0xfffffffe : u32 !0 %w = sync_warp %mask !7");
    let program = CheckedProgram::new(&kernel(&text));
    let launch = Launch { grid: [1; 3], block: [32, 1, 1], args: &[], workers: None, steps: None };
    assert_eq!(program.run(&launch, Checks::RACE).1, []);
    assert_eq!(program.run(&launch, Checks::SYNC).1.len(), 1);
}

/// Returns the text of `compare_orders` for a kernel, on a buffer of zeros, which it does not
/// change.
fn order_finding(inside: &str, blocks: u32, threads: u32) -> Option<String> {
    let memory = Memory::zeroed(4 * 1024);
    let args = [Arg::Slice { memory: &memory, offset: 0, len: 1024 }];
    let (grid, block) = ([blocks, 1, 1], [threads, 1, 1]);
    let launch = Launch { grid, block, args: &args, workers: None, steps: Some(1 << 26) };
    let found = TracedProgram::new(&kernel(inside)).compare_orders(&launch);
    let mut bytes = vec![1; 4 * 1024];
    memory.read_into(0, &mut bytes);
    assert!(bytes.iter().all(|byte| *byte == 0), "memory is as it was");
    found.map(|found| {
        assert!(matches!(found.problem, Problem::Order(_)));
        assert_eq!(found.severity, Severity::Warning);
        found.to_string()
    })
}

#[test]
fn results_that_depend_on_the_order_are_found() {
    let last = "param arg0 = out: write [u32] !0
        %i = builtin global_idx.x : u32 !0
        %k0 = const 0 : u32 !0
        %out = param arg0 : ptr global !0
        %p = index %out, %k0, 4 : ptr global !0
        %s = store %p, %i !0";
    let text = order_finding(last, 4, 64).unwrap();
    assert!(
        text.starts_with("what is left in `out` depends on the order of threads: out[0] is 255 in"),
        "{text}"
    );
    let own = "param arg0 = out: write [u32] !0
        %i = builtin global_idx.x : u32 !0
        %out = param arg0 : ptr global !0
        %p = index %out, %i, 4 : ptr global !0
        %s = store %p, %i !0";
    assert_eq!(order_finding(own, 4, 64), None);
    let sum = "param arg0 = out: atomic [f32] !0
        %i = builtin global_idx.x : u32 !0
        %one = const 1 : u32 !0
        %j = add %i, %one : u32 !0
        %x = cast %j : f32 !0
        %unit = const 1.0 : f32 !0
        %v = div %unit, %x : f32 !0
        %out = param arg0 : ptr global !0
        %a = atomic.add.relaxed.device %out, %v : f32 !0";
    let text = order_finding(sum, 4, 64).unwrap();
    assert!(text.contains("; floats that are added atomically are rounded otherwise"), "{text}");
    assert_eq!(
        order_finding(&sum.replace("%v : f32", "%unit : f32"), 4, 64),
        None,
        "whole numbers"
    );
    // Long enough for several workers.
    let large = sum.replace("%v : f32", "%x : f32");
    let text = order_finding(&large, 5000, 64).unwrap();
    assert!((0..4).all(|_| order_finding(&large, 5000, 64).as_ref() == Some(&text)), "{text}");
}
