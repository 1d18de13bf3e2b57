//! Tiles that are written while a product of a warpgroup may read them.
use super::{found_in, texts};
use crate::tests::{Value, shape};

/// Returns the findings of a block of 256 threads, with this code of all threads and of the second
/// warpgroup. `%a` is a tile and `%at` a word of it for each thread.
fn findings(before: &str, product: &str, other: &str) -> Vec<String> {
    let text = format!(
        "param arg0 = y: write [u32] !0
         shared @0 = tile: [plain 8192 align 1024; 1] !0
         array #0 = sums: [f32; 128] !0
         %t = builtin thread_idx.x : u64 !0
         %x = const 7 : u32 !0
         %k128 = const 128 : u64 !0
         %a = shared @0 : ptr shared !0
         %at = index %a, %t, 4 : ptr shared !0
         %sums = array #0 : ptr local !0
         %zero = const 0.0 : f32 !0
         %set = store %sums, %zero !0
         {before}
         %isfirst = lt %t, %k128 : bool !0
         %if = if %isfirst !0 {{ {product} }} else {{ {other} }}"
    );
    texts(&found_in(&text, shape(1, 256), &[Value::U32(vec![0; 64])]))
}

const WRITE: &str = "%w = store %at, %x !10 ";
const BARRIER: &str = "%b = barrier !11 ";
const PRODUCT: &str = "%p = wgmma.bf16.k.k.zero 8, %sums, %a, %a !20 ";
const WAIT: &str = "%wait = wgmma_wait %sums, 0 !21 ";

/// Code of one warpgroup that the other one waits for.
const ARRIVE: &str = "%n = named_barrier.arrive 1, 256 !30 ";
const SYNC: &str = "%m = named_barrier.sync 1, 256 !31 ";
const AGAIN: &str = "%w2 = store %at, %x !32 ";

#[test]
fn tiles_that_a_barrier_orders() {
    let before = format!("{WRITE}{BARRIER}");
    assert_eq!(findings(&before, &format!("{PRODUCT}{WAIT}"), ""), [""; 0]);
    let product = format!("{PRODUCT}{WAIT}{ARRIVE}");
    assert_eq!(findings(&before, &product, &format!("{SYNC}{AGAIN}")), [""; 0]);
}

#[test]
fn a_tile_that_is_written_without_a_barrier() {
    let found = findings(WRITE, &format!("{PRODUCT}{WAIT}"), "");
    assert!(!found.is_empty() && found[0].contains("race on tile["), "{found:#?}");
}

#[test]
fn a_tile_that_is_written_before_the_wait() {
    let before = format!("{WRITE}{BARRIER}");
    let product = format!("{PRODUCT}{ARRIVE}{WAIT}");
    let found = findings(&before, &product, &format!("{SYNC}{AGAIN}"));
    assert!(!found.is_empty() && found[0].contains("race on tile["), "{found:#?}");
}
