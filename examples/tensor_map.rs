//! Transposition of a matrix by tensor maps: one thread of a block copies a square from one matrix
//! to shared memory, and the transposed square from there to the other one, without a check at the
//! edges.
use warpwise::{F32x4, MBarrier, TensorMap2, TensorMap2Mut, prelude::*};
use warpwise_examples::{report, time, verify};

/// Rows and columns of a square.
#[device]
const SIDE: usize = 32;

/// A square. Each of its rows has 8 chunks of four numbers, which the swizzle permutes.
#[device]
#[repr(C, align(1024))]
#[derive(Clone, Copy)]
struct Square([[F32x4; 8]; SIDE]);

/// Transposes a square of each block. Each thread reads a column, of which the chunks are in
/// different banks, since the swizzle moves them apart.
#[kernel(block = 32)]
fn transpose(x: TensorMap2<f32, 32, 32, 128>, y: TensorMap2Mut<f32, 32, 32, 128>) {
    let full = shared!(MBarrier<1>);
    let (from, to) = (shared!(Square), shared!(Square));
    let t = thread_idx_x();
    let (row, column) = ((block_idx_y() * SIDE) as i32, (block_idx_x() * SIDE) as i32);
    if t == 0 {
        full.tensor_copy(from, &x, (row, column));
        full.arrive();
    }
    full.wait_parity(false);
    for chunk in 0..8 {
        let mut four = F32x4::splat(0.0);
        for i in 0..4 {
            let line = 4 * chunk + i;
            four[i] = from.0[line][(t / 4) ^ (line % 8)][t % 4];
        }
        to.0[t][chunk ^ (t % 8)] = four;
    }
    sync_threads();
    if t == 0 {
        y.store(to, (column, row));
        bulk_store::wait_all();
    }
}

fn main() -> warpwise::Result<()> {
    let device = Device::auto()?;
    let (rows, columns) = (100, 70);
    let values: Vec<f32> = (0..rows * columns).map(|i| i as f32).collect();
    let x = device.upload_2d(&values, (rows, columns))?;
    let mut y = device.zeros_2d::<f32>((columns, rows))?;
    let grid = (columns.div_ceil(SIDE), rows.div_ceil(SIDE));
    let config = LaunchConfig::grid(grid);
    let took = time(&device, || transpose::launch(&device, config, &x, &mut y))?;
    let transposed: Vec<f32> =
        (0..rows * columns).map(|i| values[i % rows * columns + i / rows]).collect();
    verify(&y.to_vec()?, transposed);
    report("tensor_map", format_args!("{rows} x {columns}"), &device, took);
    Ok(())
}
