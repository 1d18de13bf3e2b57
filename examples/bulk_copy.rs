//! The sum of the rows of a matrix, each times a weight, in a pipeline of four stages: one thread
//! copies rows to shared memory, a kilobyte by one instruction, while 64 others add those that have
//! arrived. Mbarriers pass the stages between them.
use warpwise::{F32x4, MBarrier, prelude::*};
use warpwise_examples::{report, time, verify};

/// The rows in shared memory.
#[device]
const STAGES: usize = 4;
/// The threads that add, each for four columns.
#[device]
const CONSUMERS: usize = 64;

/// A block adds a panel of 256 columns. The parts of the rows that belong to a panel are `panels`
/// apart.
#[kernel(block = CONSUMERS + 32)]
fn weighted_sum(
    panels: usize,
    weights: &[f32],
    matrix: &[[F32x4; CONSUMERS]],
    sums: &mut [[F32x4; CONSUMERS]],
) {
    let full = shared!([MBarrier<1>; STAGES]);
    let empty = shared!([MBarrier<CONSUMERS>; STAGES]);
    let stages = shared!([[F32x4; CONSUMERS]; STAGES]);
    let (t, panel) = (thread_idx_x(), block_idx_x());
    if t == CONSUMERS {
        for row in 0..weights.len() {
            let (stage, parity) = (row % STAGES, row / STAGES % 2 == 1);
            // At first all stages are empty: the phase before the first one is complete.
            empty[stage].wait_parity(!parity);
            // No check may fail before a barrier, where it would leave the other threads waiting.
            if let Some(part) = matrix.get(row * panels + panel) {
                full[stage].bulk_copy(&mut stages[stage], part);
            }
            full[stage].arrive();
        }
    }
    if t >= CONSUMERS {
        return;
    }
    let mut sum = F32x4::splat(0.0);
    for row in 0..weights.len() {
        let (stage, parity) = (row % STAGES, row / STAGES % 2 == 1);
        full[stage].wait_parity(parity);
        sum += stages[stage][t] * weights[row];
        empty[stage].arrive();
    }
    if panel < sums.len() {
        sums[panel][t] = sum;
    }
}

/// The same sums in the same order, each step with one rounding.
fn reference(columns: usize, weights: &[f32], matrix: &[f32]) -> Vec<f32> {
    let mut sums = vec![0.0f32; columns];
    for (row, weight) in matrix.chunks_exact(columns).zip(weights) {
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum = x.mul_add(*weight, *sum));
    }
    sums
}

/// The part of a row that a block adds, as kernels have it.
type Part = [F32x4; CONSUMERS];

fn main() -> warpwise::Result<()> {
    let (rows, panels) = (300, 16);
    let columns = panels * 4 * CONSUMERS;
    let number = |i: usize| (i * 37 % 101) as f32 / 101.0 - 0.5;
    let host_matrix: Vec<f32> = (0..rows * columns).map(number).collect();
    let host_weights: Vec<f32> = (0..rows).map(|row| number(3 * row)).collect();
    let four = |x: &[f32]| F32x4::new(x[0], x[1], x[2], x[3]);
    let parts: Vec<Part> = host_matrix
        .chunks_exact(4 * CONSUMERS)
        .map(|part| std::array::from_fn(|i| four(&part[4 * i..4 * i + 4])))
        .collect();

    let device = Device::auto()?;
    let weights = device.upload(&host_weights)?;
    let matrix = device.upload(&parts)?;
    let mut sums = device.zeros::<Part>(panels)?;
    let config = LaunchConfig::grid(panels);
    let took = time(&device, || {
        weighted_sum::launch(&device, config, panels, &weights, &matrix, &mut sums)
    })?;

    let sums: Vec<f32> =
        sums.to_vec()?.iter().flatten().flat_map(|four| [four.x, four.y, four.z, four.w]).collect();
    verify(&sums, reference(columns, &host_weights, &host_matrix));
    report("bulk_copy", format_args!("{rows} x {columns}"), &device, took);
    Ok(())
}
