//! Races in global memory: within blocks and between them.
use super::{found_in, texts};
use crate::tests::{Value, shape};

/// For each thread, its indices, and addresses in a buffer `y` of 4096 numbers.
const START: &str = "param arg0 = y: write [u32] !0
    %t = builtin thread_idx.x : u64 !0
    %i = builtin global_idx.x : u64 !0
    %b = builtin block_idx.x : u64 !0
    %u = cast %i : u32 !0
    %y = param arg0 : ptr global !0
    %at = index %y, %i, 4 : ptr global !0
    %k0 = const 0 : u64 !0
    %k1 = const 1 : u64 !0
    %k2 = const 2 : u64 !0
    %k3 = const 3 : u64 !0
    %x = const 7 : u32 !0
    %next = add %i, %k1 : u64 !0
    %beside = index %y, %next, 4 : ptr global !0
    %own = index %y, %t, 4 : ptr global !0
";

/// Returns the findings of four blocks of 100 threads, with this code after [`START`].
fn findings(inside: &str) -> Vec<String> {
    let y = [Value::U32(vec![0; 4096])];
    texts(&found_in(&format!("{START}{inside}"), shape(4, 100), &y))
}

#[test]
fn own_elements_do_not_race() {
    let nothing = [""; 0];
    assert_eq!(
        findings("%w = store %at, %u !1 %r = load %at : u32 !2 %v = store %at, %r !3"),
        nothing
    );
    assert_eq!(findings("%r = load %beside : u32 !2"), nothing, "all only read");
    // With a stride.
    assert_eq!(
        findings(
            "%j = mul %i, %k3 : u64 !1
             %a = index %y, %j, 4 : ptr global !1
             %w = store %a, %u !2
             %r = load %a : u32 !3"
        ),
        nothing
    );
}

#[test]
fn threads_of_a_block() {
    let stencil = |between: &str| {
        format!(
            "%k98 = const 98 : u64 !9
             %w = store %at, %u !10 {between} %c = lt %t, %k98 : bool !11
             %d = if %c !11 {{ %r = load %beside : u32 !12 }}"
        )
    };
    assert_eq!(
        findings(&stencil("")),
        [
            "read-write race on y[32]: written by thread (32,0,0) at !10, read by thread (31,0,0) at \
             !12, block (0,0,0), no barrier between [12 times]",
            "warning: read-write race on y[1]: written by thread (1,0,0) at !10, read by thread \
             (0,0,0) at !12, block (0,0,0), no `sync_warp` between these lanes of one warp [380 times]",
        ]
    );
    assert_eq!(findings(&stencil("%s = barrier !13")), [""; 0]);
    let with_warps = findings(&stencil("%s = sync_warp !13"));
    assert_eq!(with_warps.len(), 1, "{with_warps:?}");
    assert!(with_warps[0].starts_with("read-write race on y[32]"), "{with_warps:?}");
}

#[test]
fn blocks() {
    assert_eq!(
        findings("%w = store %own, %u !10"),
        [
            "write-write race on y[0]: written by thread (0,0,0) of block (0,0,0) at !10, written by \
          thread (0,0,0) of block (1,0,0) at !10, and nothing orders the two blocks [300 times]"
        ]
    );
    // A barrier does not order blocks.
    let halo = "%w = store %at, %u !10
        %s = barrier !11
        %r = load %beside : u32 !12";
    assert_eq!(
        findings(halo),
        [
            "read-write race on y[100]: written by thread (0,0,0) of block (1,0,0) at !10, read by thread \
          (99,0,0) of block (0,0,0) at !12, and nothing orders the two blocks [3 times]"
        ]
    );
    let same = findings("%w = store %y, %x !10");
    assert!(same[0].starts_with("info: write-write race on y[0]"), "{same:?}");
    assert!(same[0].contains("both write the same value"), "{same:?}");
}

#[test]
fn grid_barriers_order_blocks() {
    let halo = "cooperative
        param arg0 = y: write [u32] !0
        %i = builtin global_idx.x : u64 !0
        %k1 = const 1 : u64 !0
        %u = cast %i : u32 !0
        %y = param arg0 : ptr global !0
        %at = index %y, %i, 4 : ptr global !0
        %next = add %i, %k1 : u64 !0
        %beside = index %y, %next, 4 : ptr global !0
        %w = store %at, %u !10
        %s = sync_grid !11
        %r = load %beside : u32 !12";
    let y = [Value::U32(vec![0; 4096])];
    assert_eq!(texts(&found_in(halo, shape(4, 100), &y)), [""; 0]);
}

/// Each block writes an element, counts up, and the last of them reads all.
fn last_block(before: &str, add: &str, after: &str) -> Vec<String> {
    let inside = format!(
        "param arg0 = y: write [u32] !0
         param arg1 = count: atomic [u32] !0
         local $0 = sum: u32 !0
         %b = builtin block_idx.x : u64 !0
         %u = cast %b : u32 !0
         %k0 = const 0 : u64 !0
         %k1 = const 1 : u64 !0
         %k4 = const 4 : u64 !0
         %one = const 1 : u32 !0
         %three = const 3 : u32 !0
         %y = param arg0 : ptr global !0
         %n = param arg1 : ptr global !0
         %at = index %y, %b, 4 : ptr global !0
         %w = store %at, %u !10
         {before}
         %old = atomic.add.{add} %n, %one : u32 !12
         %c = eq %old, %three : bool !13
         %d = if %c !13 {{
           {after}
           %f = for %k0, %k4, step %k1 : u64 !14 {{
             %a = index %y, %f, 4 : ptr global !14
             %r = load %a : u32 !15
           }}
         }}"
    );
    let values = [Value::U32(vec![0; 16]), Value::U32(vec![0; 1])];
    texts(&found_in(&inside, shape(4, 1), &values))
}

#[test]
fn releases_and_acquires_order_blocks() {
    assert_eq!(last_block("", "acq_rel.device", ""), [""; 0]);
    let relaxed = last_block("", "relaxed.device", "");
    assert_eq!(relaxed.len(), 1, "{relaxed:?}");
    assert!(relaxed[0].starts_with("read-write race on y[0]"), "{relaxed:?}");
    assert_eq!(last_block("", "release.device", "").len(), 1, "nobody acquires");
    // Fences around a relaxed atomic order the same, if there are both.
    let fence = "%f1 = fence.device !11";
    let behind = "%f2 = fence.device !13";
    assert_eq!(last_block(fence, "relaxed.device", behind), [""; 0]);
    assert_eq!(last_block(fence, "relaxed.device", "").len(), 1);
    assert_eq!(last_block("%f1 = fence.block !11", "relaxed.device", behind).len(), 1);
}

#[test]
fn the_last_block_is_the_same_one_for_any_number_of_workers() {
    // The first block works the longest: with several workers it would end last.
    let inside = "param arg0 = y: write [u32] !0
         param arg1 = count: atomic [u32] !0
         local $0 = sum: u32 !0
         %b = builtin block_idx.x : u64 !0
         %u = cast %b : u32 !0
         %k0 = const 0 : u64 !0
         %k1 = const 1 : u64 !0
         %k8 = const 8 : u64 !0
         %long = const 100000 : u64 !0
         %zero = const 0 : u32 !0
         %one = const 1 : u32 !0
         %seven = const 7 : u32 !0
         %y = param arg0 : ptr global !0
         %n = param arg1 : ptr global !0
         %init = set $0, %zero !0
         %is = eq %b, %k0 : bool !0
         %rounds = select %is, %long, %k1 : u64 !0
         %work = for %k0, %rounds, step %k1 : u64 !8 {
           %s = get $0 : u32 !8
           %x = xor %s, %u : u32 !8
           %z = add %x, %one : u32 !8
           %v = set $0, %z !8
         }
         %last = get $0 : u32 !9
         %at = index %y, %b, 4 : ptr global !0
         %w = store %at, %last !10
         %old = atomic.add.relaxed.device %n, %one : u32 !12
         %c = eq %old, %seven : bool !13
         %d = if %c !13 {
           %f = for %k0, %k8, step %k1 : u64 !14 {
             %a = index %y, %f, 4 : ptr global !14
             %r = load %a : u32 !15
           }
         }";
    let values = [Value::U32(vec![0; 16]), Value::U32(vec![0; 1])];
    // Compares runs of one worker and of three.
    let found = texts(&found_in(inside, shape(8, 1), &values));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("read by thread (0,0,0) of block (7,0,0) at !15"), "{found:?}");
}

#[test]
fn block_scoped_atomics_race_between_blocks() {
    let scoped = |scope: &str| {
        let inside = format!(
            "param arg0 = n: atomic [u32] !0
             %one = const 1 : u32 !0
             %n = param arg0 : ptr global !0
             %old = atomic.add.relaxed.{scope} %n, %one : u32 !5"
        );
        texts(&found_in(&inside, shape(3, 64), &[Value::U32(vec![0; 1])]))
    };
    assert_eq!(scoped("device"), [""; 0]);
    assert_eq!(
        scoped("block"),
        [
            "race of atomics of one block's scope on n[0]: changed atomically by thread (0,0,0) of block \
          (0,0,0) at !5, changed atomically by thread (0,0,0) of block (1,0,0) at !5, and nothing \
          orders the two blocks [128 times]"
        ]
    );
}
