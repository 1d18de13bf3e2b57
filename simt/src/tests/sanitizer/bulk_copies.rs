//! Bulk copies that are used before the phase of their mbarrier is complete, or never waited for.
use super::{START, found_in, texts};
use crate::tests::{Value, shape};

/// Returns the findings of a block of 64 threads, with this code of the first thread, and this one
/// of all threads after it. `%f` is an mbarrier for one arrival, and `%x0` a buffer of 64 numbers.
fn findings(first: &str, all: &str) -> Vec<String> {
    let start = START.replacen("%t =", "shared @1 = full: [u64; 1] mbarrier 1 !0\n%t =", 1);
    let body = format!(
        "%f = shared @1 : ptr shared !0 %even = const 0 : u32 !0
         %x0 = param arg0 : ptr global !0
         %isfirst = eq %t, %k0 : bool !0
         %if = if %isfirst !0 {{ {first} }} {all}"
    );
    let text = format!("param arg0 = x: write [u32] !0\n{start}{body}");
    texts(&found_in(&text, shape(1, 64), &[Value::U32((0..64).collect())]))
}

const COPY: &str = "%copy = bulk_copy %s, %x0, 256, %f !10 %token = mbarrier_arrive %f : u64 !11\n";
const WAIT: &str = "%wait = mbarrier_wait %f, %even !20\n";
const READ: &str = "%r = load %at : u32 !21\n";

#[test]
fn a_copy_that_all_wait_for() {
    assert_eq!(findings(COPY, &format!("{WAIT}{READ}")), [""; 0]);
}

#[test]
fn a_copy_that_one_thread_waits_for_before_a_barrier() {
    let first = format!("{COPY} %own = mbarrier_wait %f, %even !12\n");
    assert_eq!(findings(&first, &format!("%b = barrier !20 {READ}")), [""; 0]);
}

#[test]
fn a_read_before_the_wait() {
    let found = findings(COPY, &format!("{READ}{WAIT}"));
    let early = "early read of tile[0]: read by thread (0,0,0) at !21, and the asynchronous copy that \
         writes it, by thread (0,0,0) at !10, is not waited for yet, block (0,0,0)";
    assert!(found.iter().any(|text| text.starts_with(early)), "{found:#?}");
}

#[test]
fn a_write_to_the_source_before_the_wait() {
    let write = "%w = store %x0, %x !12\n";
    let found = findings(&format!("{COPY}{write}"), &format!("{WAIT}{READ}"));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("early write to x[0]"), "{found:#?}");
}

#[test]
fn a_copy_that_nothing_waits_for() {
    let found = findings(COPY, "");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("!10") && found[0].contains("tile[0]"), "{found:#?}");
}

#[test]
fn a_tile_that_others_still_read() {
    let all = format!("{WAIT}{READ}");
    let again = "%again = if %isfirst !0 { %copy2 = bulk_copy %s, %x0, 256, %f !30
             %token2 = mbarrier_arrive %f : u64 !31 }
         %odd = const 1 : u32 !0 %wait2 = mbarrier_wait %f, %odd !32\n";
    let found = findings(COPY, &format!("{all}{again}"));
    assert!(!found.is_empty() && found[0].contains("race on tile["), "{found:#?}");
    assert_eq!(findings(COPY, &format!("{all} %b = barrier !22 {again}")), [""; 0]);
}

#[test]
fn a_tile_that_others_have_written() {
    let found = findings(COPY, &format!("{WAIT}{READ} %w = store %at, %x !22"));
    assert_eq!(found, [""; 0]);
    let first = "%w0 = store %far, %x !9\n".replace("%far", "%s");
    assert_eq!(findings(&format!("{first}{COPY}"), &format!("{WAIT}{READ}")), [""; 0]);
}
