//! The same work in blocks of different shapes: warps that are not full, blocks that do not fill a
//! multiprocessor, threads beyond the edge, and the last wave of a grid.
use warpwise::{
    Simulator,
    occupancy::{Block, Multiprocessor, Target},
    prelude::*,
};
use warpwise_examples::Table;

/// Each thread of a block of 40 x 2 stores its number.
#[kernel(block = (40, 2))]
#[expect(gpu_partial_warps, reason = "that is what is counted")]
fn number(out: &mut [u32]) {
    let i = thread_idx_y() * 40 + thread_idx_x();
    out[i] = i as u32;
}

/// Threads are numbered along x first, and every 32 are a warp: 40 x 2 are two warps and a half.
fn warps() -> warpwise::Result<Table<1>> {
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    number::launch(&device, LaunchConfig::grid(1), &mut device.zeros(80)?)?;
    let mut table = Table::new("A block of 40 x 2 threads", ["warps"]);
    for launch in simulator.take_counters() {
        let (stores, all) = (launch.total.global_stores.requests, launch.total);
        // Each warp executes each instruction once, so that idle lanes are what is missing of 32.
        let idle = (32 * all.warp_instructions - all.thread_instructions)
            / (all.warp_instructions / stores);
        table.row("warps that store", [3], [stores]);
        table.row("lanes that are idle", [16], [idle]);
    }
    Ok(table)
}

/// Compares blocks of 8 x 8, 16 x 16 and 32 x 32 threads for an image filter with a thread for each
/// pixel. The best one has most threads at the same time.
fn image_filter() -> Table<2> {
    // The multiprocessors of the textbooks that ask: 1024 or 1536 threads, in 8 blocks at most.
    let small = Multiprocessor { warps: 32, blocks: 8, block_threads: 512, ..limits(61) };
    let textbook = Multiprocessor { warps: 48, blocks: 8, ..limits(86) };
    let mut table =
        Table::new("Threads at the same time on a multiprocessor", ["blocks", "threads"]);
    for (what, multiprocessor, expected) in [
        ("1024 threads, 8 blocks, 512 a block", small, [[8, 512], [4, 1024], [0, 0]]),
        ("1536 threads, 8 blocks", textbook, [[8, 512], [6, 1536], [1, 1024]]),
        ("sm_86: 1536 threads, 16 blocks", limits(86), [[16, 1024], [6, 1536], [1, 1024]]),
        ("sm_90: 2048 threads, 32 blocks", limits(90), [[32, 2048], [8, 2048], [2, 2048]]),
    ] {
        for (side, expected) in [8, 16, 32].into_iter().zip(expected) {
            let blocks = at_once(&multiprocessor, side * side);
            table.row(
                format_args!("{what}: {side} x {side}"),
                expected,
                [blocks, blocks * side * side],
            );
        }
    }
    table
}

fn limits(sm: u32) -> Multiprocessor {
    *Multiprocessor::of(Target::new(sm)).expect("its limits are known")
}

/// Blocks of a kernel that takes few registers; none if a block is too large.
fn at_once(multiprocessor: &Multiprocessor, threads: u32) -> u32 {
    let block = Block { threads, registers: Some(32), shared: 0, barriers: 0 };
    multiprocessor.occupancy(&block).map_or(0, |found| found.blocks)
}

/// Stores a pixel.
#[kernel]
fn fill(width: usize, height: usize, image: &mut [f32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < width && y < height {
        image[y * width + x] = 1.0;
    }
}

/// Stores a pixel, of which the threads of a flat grid have the numbers.
#[kernel]
fn fill_flat(image: &mut [f32]) {
    let i = global_idx_x();
    if i < image.len() {
        image[i] = 1.0;
    }
}

/// An image of 1000 x 1000 in whole blocks: some threads are beyond the edge, and the last wave of
/// blocks does not fill the 132 multiprocessors of an H200.
fn edges() -> warpwise::Result<Table<4>> {
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    let mut image = device.zeros::<f32>(1_000_000)?;
    let columns = ["blocks", "threads beyond", "blocks in last wave", "sectors stored"];
    let mut table = Table::new("1000 x 1000 pixels on an H200, by blocks of", columns);
    for (block, expected) in [
        ((8, 8), [15_625, 0, 2953, 125_000]),
        ((16, 16), [3969, 16_064, 801, 125_000]),
        ((32, 32), [1024, 48_576, 232, 125_000]),
        ((1024, 1), [1000, 24_000, 208, 125_000]),
        ((1, 1024), [1000, 24_000, 208, 1_000_000]),
    ] {
        fill::launch(
            &device,
            LaunchConfig::cover((1000, 1000)).block(block),
            1000,
            1000,
            &mut image,
        )?;
        for launch in simulator.take_counters() {
            let blocks: u32 = launch.grid.iter().product();
            let threads: u32 = launch.block.iter().product();
            let wave = 132 * at_once(&limits(90), threads);
            let sectors = launch.total.global_stores.sectors;
            let counted = [blocks, blocks * threads - 1_000_000, blocks % wave].map(u64::from);
            let [blocks, beyond, last] = counted;
            table.row(
                format_args!("{} x {}", block.0, block.1),
                expected,
                [blocks, beyond, last, sectors],
            );
        }
    }
    fill_flat::launch(&device, LaunchConfig::cover(1_000_000).block(1024), &mut image)?;
    for launch in simulator.take_counters() {
        let (blocks, wave) = (launch.grid[0], 132 * at_once(&limits(90), 1024));
        let counted = [blocks, blocks * 1024 - 1_000_000, blocks % wave].map(u64::from);
        let ([blocks, beyond, last], stores) = (counted, launch.total.global_stores);
        let counted = [blocks, beyond, last, stores.sectors];
        table.row("1024, without rows", [977, 448, 185, 125_000], counted);
    }
    Ok(table)
}

/// Everything that this example prints.
pub(crate) fn tables() -> warpwise::Result<String> {
    Ok(format!("{}\n{}\n{}", warps()?, image_filter(), edges()?))
}

fn main() -> warpwise::Result<()> {
    print!("{}", tables()?);
    Ok(())
}
