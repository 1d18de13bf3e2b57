//! Counters of copies in bulk, and of products on tensor cores.
use super::{Value, counters, shape};
use crate::{
    BulkCopies, CacheModel, CountingProgram, Counts, Launch, Memory, Outcome, bytecode::Requests,
};
use std::num::NonZeroUsize;
use warpwise_compiler::{hardware::time::CacheCounts, ir::Kernel};

/// Two tensor maps, a buffer, a tile of 1 KiB with an mbarrier, and the first thread of a block.
const START: &str = "
    param arg0 = x: tensor_read [u32] !0
    param arg1 = xrows: u64 !0
    param arg2 = xcolumns: u64 !0
    param arg3 = xpitch: u64 !0
    param arg4 = y: tensor_write [u32] !0
    param arg5 = yrows: u64 !0
    param arg6 = ycolumns: u64 !0
    param arg7 = ypitch: u64 !0
    param arg8 = z: write [u32] !0
    shared @0 = tile: [plain 1024 align 1024; 1] !0
    shared @1 = full: [u64; 1] mbarrier 1 !0
    %s = shared @0 : ptr shared !0
    %f = shared @1 : ptr shared !0
    %z = param arg8 : ptr global !0
    %at = index %z, %two, 4 : ptr global !0
    %t = builtin thread_idx.x : u32 !0
    %0 = const 0 : u32 !0
    %isfirst = eq %t, %0 : bool !0\n";

/// Runs a block of 64 threads of which the first runs `first`. The maps have 4 rows of 20 elements.
fn run<R>(first: &str, run: impl FnOnce(&CountingProgram, &Launch<'_>) -> R) -> R {
    let start = START.replacen("%at", "%two = const 2 : u64 !0\n    %at", 1);
    let kernel = counters::kernel(&format!("{start} %if = if %isfirst !0 {{ {first} }}"));
    let tensor = [Value::U32(vec![1; 80]), Value::Scalar(4), Value::Scalar(20), Value::Scalar(20)];
    let values: Vec<Value> =
        tensor.iter().chain(&tensor).cloned().chain([Value::U32(vec![0; 300])]).collect();
    let memories: Vec<Memory> = values.iter().map(Value::memory).collect();
    let args: Vec<_> =
        values.iter().zip(&memories).map(|(value, memory)| value.arg(memory)).collect();
    let super::Shape { grid, block, .. } = shape(1, 64);
    let launch = Launch { grid, block, args: &args, workers: NonZeroUsize::new(1), steps: None };
    run(&CountingProgram::new(&kernel, Requests::Vectors), &launch)
}

fn count(first: &str) -> Counts {
    run(first, |program, launch| {
        let (outcome, counters) = program.run(launch);
        assert_eq!(outcome, Outcome::default());
        counters.total()
    })
}

/// Returns the copies and stores of a box of 2 rows of 32 elements at a row and column.
fn boxes(row: i32, column: i32) -> [BulkCopies; 2] {
    let shape = "%row, %column, box 2, 32, swizzle 128, bytes 256 !0";
    let total = count(&format!(
        "%row = const {row} : i32 !0 %column = const {column} : i32 !0
         %copy = tensor_copy.2d %s, arg0, %f, {shape}
         %store = tensor_store.2d arg4, %s, {shape}"
    ));
    assert_eq!(total.global(), crate::Sectors::default());
    [total.bulk_loads, total.bulk_stores]
}

#[test]
fn boxes_touch_the_sectors_of_their_elements_in_the_tensor() {
    // Rows of 80 bytes, 10 sectors in all: rows 1 and 2 have bytes 80 to 239.
    let all = BulkCopies { copies: 1, bytes: 256, sectors: 6 };
    assert_eq!(boxes(1, 0), [all; 2]);
    // Bytes 144 to 159, and 224 to 239.
    assert_eq!(boxes(1, 16), [BulkCopies { sectors: 2, ..all }; 2]);
    // The last row only.
    assert_eq!(boxes(3, 0), [BulkCopies { sectors: 3, ..all }; 2]);
    assert_eq!(boxes(7, 0), [BulkCopies { sectors: 0, ..all }; 2]);
    // Hardware has no such store, and none takes place.
    assert_eq!(boxes(-1, 0), [BulkCopies { sectors: 3, ..all }, BulkCopies::default()]);
}

#[test]
fn copies_of_bytes_touch_whole_sectors() {
    let total = count("%copy = bulk_copy %s, %z, 256, %f !0 %other = bulk_copy %s, %z, 64, %f !0");
    assert_eq!(total.bulk_loads, BulkCopies { copies: 2, bytes: 320, sectors: 10 });
    assert_eq!((total.bulk_stores.copies, total.global_loads.requests), (0, 0));
    // 64 bytes from byte 8 on: three sectors.
    let total = count("%store = bulk_store %at, %s, 64 !0");
    assert_eq!(total.bulk_stores, BulkCopies { copies: 1, bytes: 64, sectors: 3 });
}

#[test]
fn the_caches_see_copies() {
    let copy = "%copy = bulk_copy %s, %z, 256, %f !0 %store = bulk_store %z, %s, 64 !0";
    let model =
        CacheModel { multiprocessors: 1, l1_bytes: 1 << 16, l2_bytes: 1 << 20, l2_partitions: 1 };
    let counts = run(copy, |program, launch| program.run_caches(launch, model).1);
    let CacheCounts { l1_sectors, l2_sectors_read, memory_sectors_read, .. } = counts;
    assert_eq!((l1_sectors, l2_sectors_read, memory_sectors_read), (0, 8, 8));
    assert_eq!((counts.sectors_written, counts.memory_sectors_written), (2, 2));
}

#[test]
fn warpgroups_multiply_and_read_tiles() {
    let text = "
        shared @0 = tile: [plain 16384 align 1024; 1] !0
        array #0 = sums: [f32; 64] !0
        %s = shared @0 : ptr shared !0
        %sums = array #0 : ptr local !0
        %a = const 0 : u32 !0
        %p = wgmma.bf16.k.k.zero 128, %sums, %s, %s !0
        %q = wgmma.bf16.registers.mn 128, %sums, %s, WORDS !0
        %wait = wgmma_wait %sums, 0 !0";
    let kernel: Kernel = counters::kernel(&text.replace("WORDS", &["%a"; 16].join(", ")));
    let super::Shape { grid, block, .. } = shape(3, 256);
    let launch = Launch { grid, block, args: &[], workers: None, steps: None };
    let (_, counted) = CountingProgram::new(&kernel, Requests::Vectors).run(&launch);
    let products = counted.total().matrix_products;
    // Two products of each of 6 warpgroups, of 64 x 128 x 64.
    assert_eq!(products.instructions, 2 * 6 * 4);
    assert_eq!(products.multiply_adds, 2 * 6 * 64 * 128 * 64);
    assert_eq!(products.shared_bytes, 6 * ((64 + 128) + 128) * 128);
    let work = counted.work();
    assert_eq!(work.warpgroup_multiply_adds, products.multiply_adds);
    assert_eq!(work.shared_wavefronts, products.shared_bytes / 128);
}

#[test]
fn warps_multiply() {
    let kernel = counters::kernel(
        "%a = const 0 : u32 !0 %c = const 0.0 : f32 !0
         %p = mma.m16n8k16.f32.f16.f16 %a, %a, %a, %a, %a, %a, %c, %c, %c, %c, word 0 : f32 !0
         %q = mma.m16n8k16.f32.f16.f16 %a, %a, %a, %a, %a, %a, %c, %c, %c, %c, word 1 : f32 !0",
    );
    let super::Shape { grid, block, .. } = shape(1, 96);
    let launch = Launch { grid, block, args: &[], workers: None, steps: None };
    let (_, counted) = CountingProgram::new(&kernel, Requests::Vectors).run(&launch);
    let products = counted.total().matrix_products;
    assert_eq!((products.instructions, products.multiply_adds), (3, 3 * 16 * 8 * 16));
    assert_eq!(products.shared_bytes, 0);
}
