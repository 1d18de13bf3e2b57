//! Asynchronous copies that are used before they are waited for, or never waited for.
use super::{START, found_in, texts};
use crate::tests::{Value, shape};

/// Returns the findings of a block of 64 threads, with this code after [`START`] and a buffer, of
/// which `%from` is the thread's own element.
fn findings(inside: &str) -> Vec<String> {
    let param = "param arg0 = x: write [u32] !0\n";
    let buffer = "%base = param arg0 : ptr global !0 %from = index %base, %t, 4 : ptr global !0\n";
    let x = Value::U32((0..64).collect());
    texts(&found_in(&format!("{param}{START}{buffer}{inside}"), shape(1, 64), &[x]))
}

const COPY: &str = "%copy = async_copy %at, %from, 4 !10 %commit = async_commit !11\n";

#[test]
fn a_copy_that_is_waited_for() {
    let own = "%wait = async_wait 0 !12 %r = load %at : u32 !13";
    assert_eq!(findings(&format!("{COPY}{own}")), [""; 0]);
    let exchange = "%wait = async_wait 0 !12 %b = barrier !13 %r = load %other : u32 !14";
    assert_eq!(findings(&format!("{COPY}{exchange}")), [""; 0]);
}

#[test]
fn a_missing_wait() {
    let own = "%r = load %at : u32 !12 %wait = async_wait 0 !13";
    assert_eq!(
        findings(&format!("{COPY}{own}")),
        ["early read of tile[0]: read by thread (0,0,0) at !12, and the asynchronous copy that \
             writes it, by thread (0,0,0) at !10, is not waited for yet, block (0,0,0) [64 times]"]
    );
    let written = "%w = store %at, %x !12 %wait = async_wait 0 !13";
    assert_eq!(
        findings(&format!("{COPY}{written}")),
        ["early write to tile[0]: written by thread (0,0,0) at !12, and the asynchronous copy \
             that writes it, by thread (0,0,0) at !10, is not waited for yet, block (0,0,0) \
             [64 times]"]
    );
    let exchange = "%b = barrier !12 %r = load %other : u32 !13 %wait = async_wait 0 !14";
    let early = "early read of tile[0]: read by thread (63,0,0) at !13, and the asynchronous copy that \
         writes it, by thread (0,0,0) at !10, is not waited for yet, block (0,0,0) [64 times]";
    // The thread may wait before the other one reads, so that it is a race, too.
    assert!(findings(&format!("{COPY}{exchange}")).contains(&early.to_owned()));
}

#[test]
fn a_wait_that_leaves_the_group() {
    let code = "%wait = async_wait 1 !12 %r = load %at : u32 !13 %rest = async_wait 0 !14";
    let found = findings(&format!("{COPY}{code}"));
    assert!(found[0].starts_with("early read of tile[0]: read by thread (0,0,0) at !13"));
    assert_eq!(found.len(), 1);
    let code = "%more = async_commit !12 %wait = async_wait 1 !12 %r = load %at : u32 !13";
    assert_eq!(findings(&format!("{COPY}{code}")), [""; 0]);
}

#[test]
fn a_barrier_before_the_wait() {
    let code = "%b = barrier !12 %wait = async_wait 0 !13 %r = load %other : u32 !14";
    let found = findings(&format!("{COPY}{code}"));
    let race = "read-write race on tile[0]: written by thread (0,0,0) at !10, read by thread \
                (63,0,0) at !14, block (0,0,0), no barrier between";
    assert!(found[0].starts_with(race), "{found:#?}");
}

#[test]
fn a_read_by_another_thread_before_the_copy() {
    let code = format!("%r = load %other : u32 !9 {COPY} %wait = async_wait 0 !12");
    let found = findings(&format!("%w = store %at, %x !7 %b = barrier !8 {code}"));
    let race = "read-write race on tile[0]: written by thread (0,0,0) at !10, read by thread \
                (63,0,0) at !9";
    assert!(found[0].starts_with(race), "{found:#?}");
}

#[test]
fn a_write_to_the_source() {
    let code = "%w = store %from, %x !12 %wait = async_wait 0 !13";
    assert_eq!(
        findings(&format!("{COPY}{code}")),
        ["early write to x[0]: written by thread (0,0,0) at !12, and the asynchronous copy that \
             reads it, by thread (0,0,0) at !10, is not waited for yet, block (0,0,0) [64 times]"]
    );
    let code = "%r = load %from : u32 !12 %wait = async_wait 0 !13 %w = store %from, %x !14";
    assert_eq!(findings(&format!("{COPY}{code}")), [""; 0]);
}

#[test]
fn a_second_copy_to_the_same_place() {
    let again = "%again = async_copy %at, %from, 4 !12 %wait0 = async_commit !13";
    let found = findings(&format!("{COPY}{again} %wait = async_wait 0 !14"));
    assert!(found[0].starts_with("early write to tile[0]: written by thread (0,0,0) at !12"));
    let found =
        findings(&format!("{COPY} %before = async_wait 0 !11 {again} %w = async_wait 0 !14"));
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_copy_that_nothing_waits_for() {
    assert_eq!(
        findings(COPY),
        [
            "warning: asynchronous copy to tile[0] that nothing waits for: by thread (0,0,0) at !10, \
             block (0,0,0) [64 times]"
        ]
    );
    // The open group is not waited for.
    let open = "%copy = async_copy %at, %from, 4 !10 %wait = async_wait 0 !11";
    assert_eq!(findings(open).len(), 1);
}
