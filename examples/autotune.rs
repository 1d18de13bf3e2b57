//! `c = a * b` for square matrices, where each thread computes some rows of a column. The fastest
//! number of rows is measured on a GPU; without one, the time model predicts it for an H200. With
//! `WARPWISE_CACHE_DIR` set, later runs find the choice in that folder.
use warpwise::{Autotuner, Simulator, Slice, model::Gpu, prelude::*};
use warpwise_examples::{multiply_matrices, report, time, verify};

/// Rows and columns of a tile.
#[device]
const TILE: usize = 32;

/// Numbers of rows among which the tuner chooses.
const CANDIDATES: [usize; 4] = [1, 2, 4, 8];

#[kernel(block = (32, { 32 / ROWS }))]
fn matmul<const ROWS: usize>(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let tile_a = shared!([[f32; TILE]; TILE]);
    let tile_b = shared!([[f32; TILE]; TILE]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y() * ROWS);
    let (column, row) = (global_idx_x(), block_idx_y() * TILE + ty);

    let mut sums = [0.0; ROWS];
    for tile in 0..n.div_ceil(TILE) {
        let (across, down) = (tile * TILE + tx, tile * TILE + ty);
        for i in 0..ROWS {
            let (row, down) = (row + i, down + i);
            tile_a[ty + i][tx] = if row < n && across < n { a[row * n + across] } else { 0.0 };
            tile_b[ty + i][tx] = if down < n && column < n { b[down * n + column] } else { 0.0 };
        }
        sync_threads();
        for k in 0..TILE {
            let factor = tile_b[k][tx];
            for i in 0..ROWS {
                sums[i] += tile_a[ty + i][k] * factor;
            }
        }
        sync_threads();
    }
    for i in 0..ROWS {
        if row + i < n && column < n {
            c[(row + i) * n + column] = sums[i];
        }
    }
}

/// Launches the kernel with so many rows of a thread.
fn launch(
    device: &Device,
    rows: usize,
    n: usize,
    [a, b]: [&Slice<f32>; 2],
    c: &mut Slice<f32>,
) -> warpwise::Result<()> {
    let config = LaunchConfig::grid((n.div_ceil(TILE), n.div_ceil(TILE)));
    match rows {
        1 => matmul::<1>::launch(device, config, n, a, b, c),
        2 => matmul::<2>::launch(device, config, n, a, b, c),
        4 => matmul::<4>::launch(device, config, n, a, b, c),
        _ => matmul::<8>::launch(device, config, n, a, b, c),
    }
}

/// Returns the number of rows that the time model predicts to be the fastest on an H200.
fn choose_by_prediction(tuner: &Autotuner, task: &str, n: usize) -> warpwise::Result<usize> {
    let h200 = Gpu::named("H200").expect("it is known");
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    let x = device.zeros::<f32>(n * n)?;
    let mut c = device.zeros::<f32>(n * n)?;
    let rows = tuner.choose_by(
        &format!("{task}, H200"),
        &CANDIDATES,
        |rows| -> warpwise::Result<f64> {
            launch(&device, *rows, n, [&x, &x], &mut c)?;
            let prediction = simulator.take_counters()[0].predict(h200, Some(40));
            let seconds = prediction.expect("a block fits").seconds;
            println!("{rows} rows: {:.1} us predicted", seconds * 1e6);
            Ok(seconds)
        },
    )?;
    Ok(*rows)
}

fn main() -> warpwise::Result<()> {
    let n = 300;
    let host_a: Vec<f32> = (0..n * n).map(|i| ((i * 37) % 101) as f32 / 101.0 - 0.5).collect();
    let host_b: Vec<f32> = (0..n * n).map(|i| ((i * 53) % 97) as f32 / 97.0 - 0.5).collect();

    let device = Device::auto()?;
    let (a, b) = (device.upload(&host_a)?, device.upload(&host_b)?);
    let mut c = device.zeros::<f32>(n * n)?;

    let tuner = Autotuner::from_env();
    // One choice for all sizes of this class.
    let task = format!("autotune example 1, matmul of {}", n.next_power_of_two());
    let rows = if device.is_gpu() {
        *tuner.choose(&device, &task, &CANDIDATES, |rows| {
            launch(&device, *rows, n, [&a, &b], &mut c)
        })?
    } else {
        choose_by_prediction(&tuner, &task, n)?
    };
    let took = time(&device, || launch(&device, rows, n, [&a, &b], &mut c))?;

    verify(&c.to_vec()?, multiply_matrices(n, &host_a, &host_b));
    report("autotune", format_args!("{rows} rows of {n} x {n}"), &device, took);
    Ok(())
}
