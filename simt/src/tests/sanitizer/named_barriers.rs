//! The order that named barriers make among the warps of a block, and where it ends.
use super::{START, found_in, texts};
use crate::tests::{Value, shape};

/// Returns the findings of a block of 64 threads, with this code of the first and of the second
/// warp.
fn findings(first: &str, second: &str) -> Vec<String> {
    let body = format!(
        "%isfirst = lt %t, %k32 : bool !0
         %if = if %isfirst !0 {{ {first} }} else {{ {second} }}"
    );
    texts(&found_in(&format!("{START}{body}"), shape(1, 64), &[]))
}

/// Each thread of the first warp writes the element of a thread of the second, which reads it.
const WRITE: &str = "%far = add %t, %k32 : u64 !0 %there = index %s, %far, 4 : ptr shared !0
    %w = store %there, %x !10\n";
const READ: &str = "%r = load %at : u32 !20\n";

#[test]
fn writes_before_arrival_are_visible_after_the_wait() {
    let (arrive, sync) =
        ("%b = named_barrier.arrive 1, 64 !11", "%c = named_barrier.sync 1, 64 !21\n");
    assert_eq!(findings(&format!("{WRITE}{arrive}"), &format!("{sync}{READ}")), [""; 0]);
    let both = "%b = named_barrier.sync 1, 64 !11";
    assert_eq!(findings(&format!("{WRITE}{both}"), &format!("{sync}{READ}")), [""; 0]);
}

#[test]
fn a_missing_barrier_is_a_race() {
    let found = findings(WRITE, READ);
    assert!(found[0].starts_with("read-write race on tile[32]"), "{found:#?}");
}

#[test]
fn an_arrival_before_the_write_orders_nothing() {
    let (arrive, sync) =
        ("%b = named_barrier.arrive 1, 64 !11\n", "%c = named_barrier.sync 1, 64 !21\n");
    let found = findings(&format!("{arrive}{WRITE}"), &format!("{sync}{READ}"));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("read-write race on tile[32]"), "{found:#?}");
}

#[test]
fn those_that_only_arrive_see_nothing() {
    let (sync, arrive) =
        ("%b = named_barrier.sync 1, 64 !11", "%c = named_barrier.arrive 1, 64 !21\n");
    let found = findings(&format!("{WRITE}{sync}"), &format!("{arrive}{READ}"));
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn barriers_with_other_numbers_order_nothing() {
    let (one, two) = ("named_barrier.sync 1, 32 !11", "named_barrier.sync 2, 32 !21");
    let found = findings(&format!("{WRITE} %b = {one}"), &format!("%c = {two} {READ}"));
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn a_slot_that_is_written_again_needs_a_barrier_back() {
    let once = "named_barrier.arrive 1, 64 !11";
    let sync = "named_barrier.sync 1, 64 !21";
    let again = "%w2 = store %there, %x !13";
    let found = findings(&format!("{WRITE} %b = {once} {again}"), &format!("%c = {sync} {READ}"));
    assert_eq!(found.len(), 1, "{found:#?}");
    let back = "%d = named_barrier.sync 2, 64 !12";
    let empty = "%e = named_barrier.arrive 2, 64 !22";
    let first = format!("{WRITE} %b = {once} {back} {again}");
    assert_eq!(findings(&first, &format!("%c = {sync} {READ} {empty}")), [""; 0]);
}

#[test]
fn buffers_are_ordered_too() {
    let text = "param arg0 = y: write [u32] !0
        %t = builtin thread_idx.x : u64 !0
        %k32 = const 32 : u64 !0
        %k31 = const 31 : u64 !0
        %x = const 7 : u32 !0
        %y = param arg0 : ptr global !0
        %slot = and %t, %k31 : u64 !0
        %at = index %y, %slot, 4 : ptr global !0
        %isfirst = lt %t, %k32 : bool !0
        %if = if %isfirst !0 { %w = store %at, %x !10 %b = BARRIER !11 }
        else { %c = named_barrier.sync 1, 64 !20 %r = load %at : u32 !21 }";
    let on = |barrier: &str| {
        let y = Value::U32(vec![0; 32]);
        texts(&found_in(&text.replace("BARRIER", barrier), shape(1, 64), &[y]))
    };
    assert_eq!(on("named_barrier.arrive 1, 64"), [""; 0]);
    let early = text.replace(
        "%w = store %at, %x !10 %b = BARRIER !11",
        "%b = named_barrier.arrive 1, 64 !11 %w = store %at, %x !10",
    );
    let found = texts(&found_in(&early, shape(1, 64), &[Value::U32(vec![0; 32])]));
    assert_eq!(found.len(), 1, "{found:#?}");
}
