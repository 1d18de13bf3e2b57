//! The share of random points that are in a quarter of a circle, 256 points per thread.
use super::prelude::*;

/// Advances a generator of random numbers (PCG) and returns a float below 1.
#[device]
fn next(state: &mut u32) -> f32 {
    *state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((*state >> ((*state >> 28) + 4)) ^ *state).wrapping_mul(277_803_737);
    ((word >> 22 ^ word) >> 8) as f32 / 16_777_216.0
}

/// Returns the number of points inside, of 256.
#[device]
fn points_inside(seed: u32) -> u32 {
    let mut state = seed;
    let mut inside = 0;
    for _ in 0..256 {
        let x = next(&mut state);
        let y = next(&mut state);
        if x * x + y * y < 1.0 {
            inside += 1;
        }
    }
    inside
}

#[kernel(block = 256)]
fn monte_carlo_pi(total: &[AtomicU32]) {
    let inside = points_inside(global_idx_x() as u32);
    let sum = block::reduce_add(inside);
    if thread_idx_x() == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

fn problem(scale: Scale) -> Problem {
    let threads = scale.pick(512, 1 << 20);
    let expected = || vec![(0..threads as u32).map(points_inside).sum()];
    let mut buffers = Buffers::new(scale);
    // Rounding decides on which side of the circle a point is.
    let total_id = buffers.output(&[0u32], Agreement::Within(1e-5), expected);
    Problem {
        grid: cover(threads, 256),
        block: [256, 1, 1],
        rust: args![total_id],
        cuda: args![total_id],
        buffers,
        work: Work::Items(256 * threads),
    }
}

benchmark!(monte_carlo_pi, "IMAD");
