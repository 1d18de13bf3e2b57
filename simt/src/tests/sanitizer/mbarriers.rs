//! The order that mbarriers make among the threads of a block.
use super::{START, found_in, texts};
use crate::tests::{Value, shape};

/// Returns the findings of a block of 64 threads, with this code of the first and of the second
/// warp.
fn findings(first: &str, second: &str) -> Vec<String> {
    let body = format!(
        "%f = shared @1 : ptr shared !0 %even = const 0 : u32 !0
         %isfirst = lt %t, %k32 : bool !0
         %if = if %isfirst !0 {{ {first} }} else {{ {second} }}"
    );
    let start = start_with("shared @1 = full: [u64; 2] mbarrier 32 !0");
    texts(&found_in(&format!("{start}{body}"), shape(1, 64), &[]))
}

fn start_with(declarations: &str) -> String {
    START.replacen("%t =", &format!("{declarations}\n%t ="), 1)
}

/// Each thread of the first warp writes the element of a thread of the second, which reads it.
const WRITE: &str = "%far = add %t, %k32 : u64 !0 %there = index %s, %far, 4 : ptr shared !0
    %w = store %there, %x !10\n";
const READ: &str = "%r = load %at : u32 !20\n";
const ARRIVE: &str = "%token = mbarrier_arrive %f : u64 !11\n";
const WAIT: &str = "%wait = mbarrier_wait %f, %even !21\n";

#[test]
fn what_arrives_is_seen_by_those_that_wait() {
    assert_eq!(findings(&format!("{WRITE}{ARRIVE}"), &format!("{WAIT}{READ}")), [""; 0]);
}

#[test]
fn an_arrival_before_the_write_orders_nothing() {
    let found = findings(&format!("{ARRIVE}{WRITE}"), &format!("{WAIT}{READ}"));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].starts_with("read-write race on tile[32]"), "{found:#?}");
}

#[test]
fn arrivals_see_nothing() {
    let first = "%token = mbarrier_arrive %f : u64 !11\n";
    let second = "%g = offset %f, 8 : ptr shared !0 %second = mbarrier_arrive %g : u64 !21\n";
    let found = findings(&format!("{WRITE}{first}"), &format!("{second}{READ}"));
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn a_slot_that_is_written_again_needs_an_arrival_back() {
    let again = "%w2 = store %there, %x !13\n";
    let found = findings(&format!("{WRITE}{ARRIVE}{again}"), &format!("{WAIT}{READ}"));
    assert_eq!(found.len(), 1, "{found:#?}");
    let back = "%g = offset %f, 8 : ptr shared !0 %back = mbarrier_wait %g, %even !12\n";
    let empty = "%g2 = offset %f, 8 : ptr shared !0 %e = mbarrier_arrive %g2 : u64 !22\n";
    let first = format!("{WRITE}{ARRIVE}{back}{again}");
    assert_eq!(findings(&first, &format!("{WAIT}{READ}{empty}")), [""; 0]);
}

#[test]
fn a_parity_is_a_decision() {
    let param = "param arg0 = x: write [u32] !0\n";
    let start =
        start_with("shared @1 = full: [u64; 1] mbarrier 64 !0 shared @2 = unset: [u32; 1] !0");
    let body = "%f = shared @1 : ptr shared !0 %unset = shared @2 : ptr shared !0
        %parity = load %unset : u32 !5
        %before = mbarrier_wait %f, %parity !6";
    let x = Value::U32(vec![0; 64]);
    let found = texts(&found_in(&format!("{param}{start}{body}"), shape(1, 64), &[x]));
    assert!(found.iter().any(|text| text.contains("!5") && text.contains("!6")), "{found:#?}");
}
