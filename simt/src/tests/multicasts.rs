//! Copies of boxes of tensors to several blocks of a cluster.
use super::{Shape, Value, program, run, sanitizer, shape};
use crate::{Outcome, Stopped};

/// Clusters of three blocks; `%tile` has room for a box of 2 rows of 4 elements, `%f` is an
/// mbarrier for one arrival, and `%own` and `%at` are the thread's places in the tile and in the
/// output.
const START: &str = "cluster 3, 1, 1
    param arg0 = x: tensor_read [u32] !0
    param arg1 = xrows: u64 !0
    param arg2 = xcolumns: u64 !0
    param arg3 = xpitch: u64 !0
    param arg4 = out: write [u32] !0
    shared @0 = tile: [plain 128 align 128; 2] !0
    shared @1 = full: [u64; 1] mbarrier 1 !0
    %tile = shared @0 : ptr shared !0
    %f = shared @1 : ptr shared !0
    %i = builtin global_idx.x : u32 !0
    %t = builtin thread_idx.x : u32 !0
    %b = builtin block_idx.x : u32 !0
    %out = param arg4 : ptr global !0
    %at = index %out, %i, 4 : ptr global !0
    %own = index %tile, %t, 4 : ptr shared !0
    %0 = const 0 : u32 !0
    %1 = const 1 : u32 !0
    %2 = const 2 : u32 !0
    %3 = const 3 : u32 !0
    %5 = const 5 : u32 !0
    %32 = const 32 : u32 !0
    %64 = const 64 : u32 !0
    %c0 = const 0 : i32 !0
    %c1 = const 1 : i32 !0
    %rank = rem %b, %3 : u32 !0
    %isfirst = eq %t, %0 : bool !0
    %iszero = eq %rank, %0 : bool !0
    %isone = eq %rank, %1 : bool !0\n";

/// The shape of a box of 2 rows of 4 elements.
const BOX: &str = "box 2, 4, swizzle 0, bytes 32";

/// Two clusters of blocks of 8 threads, and a tensor of 3 rows of 4 elements: 100 to 111.
fn launch(inside: &str, workers: usize) -> (Outcome, Vec<u32>) {
    let program = program(&format!("{START}{inside}"));
    let mut values = values();
    let outcome = run(&program, Shape { workers, ..shape(6, 8) }, &mut values);
    (outcome, values[4].u32s().to_vec())
}

fn values() -> [Value; 5] {
    let [rows, columns, pitch] = [3, 4, 4].map(Value::Scalar);
    [Value::U32((100..112).collect()), rows, columns, pitch, Value::U32(vec![0; 48])]
}

/// The first thread of the block with rank 0 sends the box at row 0 to the blocks of `%mask`.
fn send(mask: u32) -> String {
    format!(
        "%mask = const {mask} : u32 !0
         %both = and %isfirst, %iszero : bool !0
         %sends = if %both !0 {{
             %copy = tensor_copy.2d %tile, arg0, %f, %c0, %c0, {BOX}, blocks %mask !10
         }}\n"
    )
}

const EXPECT: &str =
    "%expects = if %isfirst !0 { %token = mbarrier_arrive %f, bytes %32 : u64 !11 }\n";
const WAIT: &str = "%wait = mbarrier_wait %f, %0 !12\n";
const READ: &str = "%r = load %own : u32 !13 %w = store %at, %r !14\n";

#[test]
fn the_blocks_of_a_mask_get_a_box() {
    for workers in [1, 3] {
        // Bit 3 is of no block.
        let inside = format!("{}{EXPECT}{WAIT}{READ}", send(0b1111));
        let (outcome, out) = launch(&inside, workers);
        assert_eq!(outcome, Outcome::default());
        assert_eq!(out, [(); 6].map(|()| (100..108).collect::<Vec<u32>>()).concat());
    }
}

#[test]
fn other_blocks_get_nothing() {
    let others = format!(
        "{} %not = ne %rank, %1 : bool !0 %get = if %not !0 {{ {EXPECT}{WAIT}{READ} }}",
        send(0b101)
    );
    let (outcome, out) = launch(&others, 1);
    assert_eq!(outcome, Outcome::default());
    let block = |rank| if rank == 1 { vec![0; 8] } else { (100..108).collect() };
    assert_eq!(out, [0, 1, 2, 0, 1, 2].map(block).concat());
    let (outcome, _) = launch(&send(0), 1);
    assert_eq!(outcome, Outcome::default());
}

#[test]
fn blocks_send_parts_to_each_other() {
    let row = "box 1, 4, swizzle 0, bytes 16";
    let inside = format!(
        "%all = const 7 : u32 !0
         %second = offset %tile, 128 : ptr shared !0
         %there = index %second, %t, 4 : ptr shared !0
         %k4 = const 4 : u32 !0
         %sends = if %isfirst !0 {{
             %a = if %iszero !0 {{
                 %copy = tensor_copy.2d %tile, arg0, %f, %c1, %c0, {row}, blocks %all !0
             }}
             %b2 = if %isone !0 {{
                 %copy2 = tensor_copy.2d %second, arg0, %f, %c0, %c0, {row}, blocks %all !0
             }}
         }}
         {EXPECT}{WAIT}
         %reads = lt %t, %k4 : bool !0
         %sums = if %reads !0 {{
             %r1 = load %own : u32 !0
             %r2 = load %there : u32 !0
             %sum = add %r1, %r2 : u32 !0
             %w = store %at, %sum !0
         }}"
    );
    let (outcome, out) = launch(&inside, 1);
    assert_eq!(outcome, Outcome::default());
    assert_eq!(out, [[204, 206, 208, 210, 0, 0, 0, 0]; 6].concat());
}

#[test]
fn phases_follow_each_other() {
    // Three boxes, each of which all blocks have read before the next one.
    let inside = format!(
        "%mask = const 7 : u32 !0
         %init = set $0, %0 !0
         %rounds = for %0, %3, step %1 : u32 !0 {{
             %round = get $0 : u32 !0
             %next = add %round, %1 : u32 !0
             %set = set $0, %next !0
             %row = cast %round : i32 !0
             %both = and %isfirst, %iszero : bool !0
             %sends = if %both !0 {{
                 %copy = tensor_copy.2d %tile, arg0, %f, %row, %c0, {BOX}, blocks %mask !0
             }}
             {EXPECT}
             %parity = and %round, %1 : u32 !0
             %wait = mbarrier_wait %f, %parity !0
             {READ}
             %s = sync_cluster !0
         }}"
    );
    let local = "    local $0 = round: u32 !0\n    shared @0";
    let program = program(&format!("{}{inside}", START.replacen("    shared @0", local, 1)));
    for workers in [1, 2] {
        let mut values = values();
        let outcome = run(&program, Shape { workers, ..shape(6, 8) }, &mut values);
        assert_eq!(outcome, Outcome::default());
        // The last box begins at row 2, and has zeros after the last row.
        assert_eq!(values[4].u32s(), [[108, 109, 110, 111, 0, 0, 0, 0]; 6].concat());
    }
}

#[test]
fn bytes_that_never_arrive_are_a_deadlock() {
    let too_many = EXPECT.replace("%32", "%64");
    for inside in [format!("{}{too_many}{WAIT}{READ}", send(7)), format!("{EXPECT}{WAIT}")] {
        let (outcome, _) = launch(&inside, 1);
        let Some(Stopped::Deadlock { block, waiting }) = outcome.stopped else {
            panic!("{outcome:?}")
        };
        assert_eq!((block, waiting.len()), ([0, 0, 0], 1));
    }
}

/// Returns the findings of a launch.
fn findings(inside: &str) -> Vec<String> {
    let found = sanitizer::found_in(&format!("{START}{inside}"), shape(6, 8), &values());
    sanitizer::texts(&found)
}

#[test]
fn copies_that_all_wait_for_are_clean() {
    assert_eq!(findings(&format!("{}{EXPECT}{WAIT}{READ}", send(7))), [""; 0]);
}

#[test]
fn a_read_before_the_wait_is_reported() {
    let early = "%early = load %own : u32 !30\n";
    let found = findings(&format!("{}{EXPECT}{early}{WAIT}{READ}", send(7)));
    assert!(!found.is_empty() && found.iter().all(|text| text.contains("!30")), "{found:#?}");
}

#[test]
fn a_copy_that_nothing_waits_for_is_reported() {
    let found = findings(&send(0b110));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("!10") && found[0].contains("tile["), "{found:#?}");
}

#[test]
fn a_copy_may_come_while_another_warp_spins() {
    // The second warp of each block spins until block 0 has sent; the first one waits for the copy.
    let inside = format!(
        "%mask = const 7 : u32 !0
         %rows = param arg4 : ptr global !0
         %flag = offset %rows, 764 : ptr global !0
         %isfirstwarp = lt %t, %32 : bool !0
         %work = if %isfirstwarp !0 {{
             {EXPECT}
             %last = eq %rank, %2 : bool !0
             %lastfirst = and %last, %isfirst : bool !0
             %sends = if %lastfirst !0 {{
                 %copy = tensor_copy.2d %tile, arg0, %f, %c0, %c0, {BOX}, blocks %mask !10
                 %told = atomic_store.release.device %flag, %1 !0
             }}
             {WAIT}
         }} else {{
             %spin = loop !0 {{
                 %seen = atomic_load.acquire.device %flag : u32 !0
                 %set = ne %seen, %0 : bool !0
                 %out2 = if %set !0 {{ %br = break %spin !0 }}
             }}
         }}"
    );
    let program = program(&format!("{START}{inside}"));
    for workers in [1, 2] {
        let mut values = values();
        values[4] = Value::U32(vec![0; 3 * 64]);
        let outcome = run(&program, Shape { workers, ..shape(3, 64) }, &mut values);
        assert_eq!(outcome, Outcome::default());
    }
}
