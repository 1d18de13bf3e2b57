//! Launches, on an H200: what only shows when a kernel runs somewhere.
//!
//! The kernels are correct, so the build warns of none. [`LAUNCHES`] lists the lints that each launch
//! must trigger.
use crate::Launched;
use warpwise::prelude::*;

#[kernel]
fn scaled(by: f32, x: &mut [f32]) { //~ gpu_unknown_block_shape
    let i = global_idx_x();
    if i < x.len() {
        x[i] *= by;
    }
}

#[kernel(block = 256)]
fn shifted(by: f32, x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] += by;
    }
}

#[kernel(block = 256)]
fn summed(x: &[f32], sums: &mut [f32]) {
    let i = global_idx_x();
    let sum = block::reduce_add(if i < x.len() { x[i] } else { 0.0 });
    if thread_idx_x() == 0 && block_idx_x() < sums.len() {
        sums[block_idx_x()] = sum;
    }
}

/// Blocks of 256 threads and 32 registers: eight of them run on each of 132 multiprocessors.
const WAVE: u32 = 8 * 132;

const SHIFTED: Launched = Launched {
    kernel: shifted::__WARPWISE_SOURCE,
    grid: 4 * WAVE,
    block: 256,
    count: 1,
    registers: 32,
    shared: 0,
    lints: &[],
};
const SCALED: Launched = Launched { kernel: scaled::__WARPWISE_SOURCE, ..SHIFTED };
const SUMMED: Launched = Launched { kernel: summed::__WARPWISE_SOURCE, shared: 128, ..SHIFTED };

/// Launches with known faults, and without.
pub const LAUNCHES: &[Launched] = &[
    // Whole waves, many waves, and a last one that is nearly full.
    SHIFTED,
    SUMMED,
    Launched { grid: WAVE, ..SHIFTED },
    Launched { grid: 2 * WAVE - 100, ..SHIFTED },
    Launched { grid: 20 * WAVE + 1, ..SHIFTED },
    Launched { grid: 2 * 132, ..SUMMED },
    Launched { grid: 132, ..SHIFTED },
    Launched { grid: 132, count: 100, ..SHIFTED },
    Launched { block: 512, grid: 2 * WAVE, ..SCALED },
    Launched { block: 96, grid: 132 * 21, ..SCALED },
    // Fewer blocks than multiprocessors, and too few to hide that blocks wait.
    Launched { grid: 1, lints: &["gpu_small_grids"], ..SHIFTED },
    Launched { grid: 131, lints: &["gpu_small_grids"], ..SHIFTED },
    Launched { grid: 64, block: 1024, lints: &["gpu_small_grids"], ..SCALED },
    Launched { grid: 132, lints: &["gpu_small_grids"], ..SUMMED },
    Launched { grid: 263, lints: &["gpu_small_grids"], ..SUMMED },
    // A few blocks more than run at one time.
    Launched { grid: WAVE + 1, lints: &["gpu_tail_waves"], ..SHIFTED },
    Launched { grid: WAVE + 132, lints: &["gpu_tail_waves"], ..SHIFTED },
    Launched { grid: 2 * WAVE + 50, lints: &["gpu_tail_waves"], ..SUMMED },
    Launched { grid: 3 * WAVE + 1, lints: &["gpu_tail_waves"], ..SHIFTED },
    Launched { grid: 4 * 132 + 9, block: 512, lints: &["gpu_tail_waves"], ..SCALED },
    // Again and again, and hardly anything to do.
    Launched { grid: 16, count: 100, lints: &["gpu_small_grids", "gpu_tiny_launches"], ..SHIFTED },
    Launched { grid: 1, count: 100, lints: &["gpu_small_grids", "gpu_tiny_launches"], ..SUMMED },
    Launched { grid: 132, block: 96, count: 100, lints: &["gpu_tiny_launches"], ..SCALED },
    // Lanes that nobody uses.
    Launched { grid: 132 * 16, block: 100, lints: &["gpu_partial_warps"], ..SCALED },
    Launched { grid: 132 * 32, block: 48, lints: &["gpu_partial_warps"], ..SCALED },
    Launched { grid: 132 * 2, block: 1000, lints: &["gpu_partial_warps"], ..SCALED },
    // Occupancy limited by registers, by shared memory, and by the number of blocks.
    Launched { grid: 132 * 8, registers: 255, lints: &["gpu_low_occupancy"], ..SHIFTED },
    Launched { grid: 132 * 8, shared: 200 << 10, lints: &["gpu_low_occupancy"], ..SUMMED },
    Launched { grid: 132 * 40, block: 32, shared: 20 << 10, lints: &["gpu_low_occupancy"], ..SCALED },
    Launched { grid: 132 * 12, registers: 72, lints: &["gpu_moderate_occupancy"], ..SHIFTED },
    Launched { grid: 132 * 8, shared: 48 << 10, lints: &["gpu_moderate_occupancy"], ..SUMMED },
    Launched { grid: 132 * 32, block: 32, lints: &["gpu_moderate_occupancy"], ..SCALED },
];

/// Declarations of kernels, and true if no GPU can launch the kernel. They are IR, since `#[kernel]`
/// refuses them; each is followed by one with half the threads that can be launched.
pub const UNLAUNCHABLE: &[(&str, bool)] = &[
    ("kernel threads { block 1024, 2, 1 }", true),
    ("kernel threads { block 512, 2, 1 }", false),
    ("kernel deep { block 1, 1, 128 }", true),
    ("kernel deep { block 1, 1, 64 }", false),
    ("kernel long { block 2048, 1, 1 }", true),
    ("kernel long { block 1024, 1, 1 }", false),
];

crate::corpus![scaled, shifted, summed];
