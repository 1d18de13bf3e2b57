//! Copies of boxes of tensors, and stores in bulk: uses of tiles that come too early, and copies
//! that nothing waits for.
use super::{START, found_in, texts};
use crate::tests::{Value, shape};

/// Returns the findings of a block of 64 threads, with this code of the first thread, and this one
/// of all threads after it. `%f` is an mbarrier for one arrival, `arg0` and `arg4` are tensor maps
/// of 4 rows of 20 numbers, and `%y0` is a buffer of 64 numbers.
fn findings(before: &str, first: &str, all: &str) -> Vec<String> {
    let start = START.replacen("%t =", "shared @1 = full: [u64; 1] mbarrier 1 !0\n%t =", 1);
    let map = |first: usize, access: &str| {
        let extents: String =
            (1..4).map(|i| format!("param arg{} = n: u64 !0\n", first + i)).collect();
        format!("param arg{first} = m{first}: {access} [u32] !0\n{extents}")
    };
    let text = format!(
        "{}{}param arg8 = y: write [u32] !0\n{start}
         %f = shared @1 : ptr shared !0 %even = const 0 : u32 !0
         %y0 = param arg8 : ptr global !0
         %row = const 1 : i32 !0 %column = const -2 : i32 !0
         %isfirst = eq %t, %k0 : bool !0
         {before}
         %if = if %isfirst !0 {{ {first} }} {all}",
        map(0, "tensor_read"),
        map(4, "tensor_write"),
    );
    let extents = [4, 20, 20].map(Value::Scalar);
    let mut values = vec![Value::U32((0..80).collect())];
    values.extend(extents.clone());
    values.push(Value::U32(vec![7; 80]));
    values.extend(extents);
    values.push(Value::U32(vec![9; 64]));
    texts(&found_in(&text, shape(1, 64), &values))
}

const BOX: &str = "box 2, 32, swizzle 128, bytes 256";
const WAIT: &str = "%wait = mbarrier_wait %f, %even !20\n";
const READ: &str = "%r = load %at : u32 !21\n";
const FILL: &str = "%fill = store %at, %u !5 %filled = barrier !6\n";
const END: &str = "%commit = bulk_commit !12 %done = bulk_wait.read 0 !13\n";

/// Returns the code of a copy to the tile.
fn copy() -> String {
    format!(
        "%copy = tensor_copy.2d %s, arg0, %f, %row, %column, {BOX} !10
         %token = mbarrier_arrive %f : u64 !11\n"
    )
}

/// Returns the code of a store of the tile.
fn store() -> String {
    format!("%store = tensor_store.2d arg4, %s, %row, %column, {BOX} !10\n")
}

#[test]
fn a_copy_that_all_wait_for() {
    assert_eq!(findings("", &copy(), &format!("{WAIT}{READ}")), [""; 0]);
}

#[test]
fn a_read_before_the_wait() {
    let found = findings("", &copy(), &format!("{READ}{WAIT}"));
    let early = "early read of tile[0]: read by thread (0,0,0) at !21, and the asynchronous copy that \
         writes it, by thread (0,0,0) at !10, is not waited for yet, block (0,0,0)";
    assert!(found.iter().any(|text| text.starts_with(early)), "{found:#?}");
}

#[test]
fn a_copy_that_nothing_waits_for() {
    let found = findings("", &copy(), "");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("!10") && found[0].contains("tile[0]"), "{found:#?}");
}

#[test]
fn a_store_that_the_thread_waits_for() {
    for store in [store(), "%store = bulk_store %y0, %s, 256 !10\n".to_owned()] {
        let all = format!("%b = barrier !20 {FILL}").replace("fill", "again");
        assert_eq!(findings(FILL, &format!("{store}{END}"), &all), [""; 0]);
    }
}

#[test]
fn reads_of_the_source_of_a_store() {
    let first = format!("{}{READ}{END}", store());
    assert_eq!(findings(FILL, &first, ""), [""; 0]);
}

#[test]
fn a_write_to_the_source_before_the_wait() {
    let again = "%again = store %at, %x !30\n";
    for store in [store(), "%store = bulk_store %y0, %s, 256 !10\n".to_owned()] {
        let found = findings(FILL, &format!("{store}{again}{END}"), "");
        let early = "early write to tile[0]: written by thread (0,0,0) at !30, and the asynchronous \
             copy that reads it, by thread (0,0,0) at !10, is not waited for yet, block (0,0,0)";
        assert!(found.iter().any(|text| text.starts_with(early)), "{found:#?}");
        // The wait leaves the last group out.
        let late = END.replace("read 0", "read 1");
        let found = findings(FILL, &format!("{store}{late}{again}"), "");
        assert!(found.iter().any(|text| text.starts_with(early)), "{found:#?}");
    }
}

#[test]
fn a_store_that_nothing_waits_for() {
    for store in [store(), "%store = bulk_store %y0, %s, 256 !10\n".to_owned()] {
        let found = findings(FILL, &store, "");
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].contains("!10") && found[0].contains("tile[0]"), "{found:#?}");
    }
}

#[test]
fn writes_of_the_tile_without_a_barrier() {
    let fill = "%fill = store %at, %u !5\n";
    let found = findings(fill, &format!("{}{END}", store()), "");
    assert!(!found.is_empty() && found[0].contains("race on tile["), "{found:#?}");
}

#[test]
fn a_buffer_that_a_store_writes() {
    let all = "%yat = index %y0, %t, 4 : ptr global !0 %w = store %yat, %x !20\n";
    let found = findings(FILL, &format!("%store = bulk_store %y0, %s, 256 !10 {END}"), all);
    assert!(!found.is_empty() && found[0].contains("race on y["), "{found:#?}");
}
