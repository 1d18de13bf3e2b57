//! Reads of shared memory that nobody has written.
use super::{found_in, texts};
use crate::tests::{Value, shape};

/// Of each thread its index, its cells in `tile` and in a buffer, and whether it is not among the first eight.
const START: &str = "param arg0 = out: write [u32] !0
    shared @0 = tile: [u32; 64] !0
    local $0 = v: u32 !0
    %t = builtin thread_idx.x : u64 !0
    %u = cast %t : u32 !0
    %i = builtin global_idx.x : u64 !0
    %tile = shared @0 : ptr shared !0
    %out = param arg0 : ptr global !0
    %at = index %tile, %t, 4 : ptr shared !0
    %mine = index %out, %i, 4 : ptr global !0
    %one = const 1 : u64 !0
    %last = const 63 : u64 !0
    %next = add %t, %one : u64 !0
    %beside = and %next, %last : u64 !0
    %other = index %tile, %beside, 4 : ptr shared !0
    %seven = const 7 : u64 !0
    %high = lt %seven, %t : bool !0
    %x = const 7 : u32 !0
    %zero = const 0 : u32 !0
    %init = set $0, %zero !0
";

/// What is found when two blocks of 64 threads run this behind [`START`].
fn found(inside: &str) -> Vec<String> {
    let out = [Value::U32(vec![0; 128])];
    texts(&found_in(&format!("{START}{inside}"), shape(2, 64), &out))
}

#[test]
fn what_is_written_is_defined() {
    assert_eq!(
        found(
            "%w = store %at, %u !10 %b = barrier !11 %r = load %other : u32 !12 %st = store %mine, %r !13"
        ),
        [""; 0]
    );
}

#[test]
fn what_leaves_the_block_must_be_defined() {
    assert_eq!(
        found(
            "%c = if %high !9 { %w = store %at, %u !10 }
             %b = barrier !11
             %r = load %at : u32 !12
             %q = add %r, %x : u32 !13
             %st = store %mine, %q !14"
        ),
        [
            "uninitialised read of tile[0]: read by thread (0,0,0) at !12, block (0,0,0), before anybody wrote it; \
          it is stored in global memory at !14 [16 times]"
        ]
    );
}

#[test]
fn reading_alone_is_no_fault() {
    // All lanes read, and those whose value nobody has written do not use it.
    assert_eq!(
        found(
            "%c = if %high !9 { %w = store %at, %u !10 }
             %b = barrier !11
             %r = load %at : u32 !12
             %q = add %r, %x : u32 !13
             %v = select %high, %q, %x : u32 !14
             %st = store %mine, %v !15"
        ),
        [""; 0]
    );
    assert_eq!(
        found(
            "%c = if %high !9 { %w = store %at, %u !10 }
             %b = barrier !11
             %r = load %at : u32 !12
             %l = set $0, %r !13
             %d = if %high !14 { } else { %z = set $0, %x !14 }
             %v = get $0 : u32 !15
             %st = store %mine, %v !15"
        ),
        [""; 0]
    );
}

#[test]
fn branches_and_addresses_must_be_defined() {
    let branch = found(
        "%r = load %at : u32 !12
         %c = eq %r, %x : bool !13
         %d = if %c !14 { %st = store %mine, %x !15 }",
    );
    assert_eq!(branch.len(), 1, "{branch:?}");
    assert!(branch[0].ends_with("it decides a branch at !14 [128 times]"), "{branch:?}");
    let address = found(
        "%r = load %at : u32 !12
         %k = const 63 : u32 !13
         %j = and %r, %k : u32 !13
         %p = index %out, %j, 4 : ptr global !13
         %q = load %p : u32 !14",
    );
    assert_eq!(address.len(), 1, "{address:?}");
    assert!(address[0].ends_with("it is an index at !14 [128 times]"), "{address:?}");
}

#[test]
fn what_is_undefined_stays_so_in_shared_memory() {
    let through = |value: &str| {
        found(&format!(
            "%r = load %at : u32 !10
             %b = barrier !11
             %w = store %at, {value} !12
             %q = load %at : u32 !13
             %st = store %mine, %q !14"
        ))
    };
    assert_eq!(through("%x"), [""; 0]);
    let found_there = through("%r");
    assert_eq!(found_there.len(), 1, "{found_there:?}");
    assert!(found_there[0].contains("it is stored in global memory at !14"), "{found_there:?}");
}
