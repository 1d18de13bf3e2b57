//! The kernels, as a CUDA programmer would write them, and their expected results.
//!
//! They match the kernels in `cuda/`: the same algorithm, block and grid.
use crate::measure::{Measured, Scale, launches, timed};
use std::sync::atomic::Ordering;
use warpwise::{Result, prelude::*};

/// A function that runs a workload on a device.
pub type Workload = fn(&Device, Scale) -> Result<Measured>;

/// All workloads.
pub const WORKLOADS: [Workload; 8] = [
    run_saxpy,
    run_vector_add,
    run_grid_stride,
    run_transpose,
    run_matmul,
    run_reduce,
    run_histogram,
    run_mandelbrot,
];

/// Checks that results are the expected ones, and panics at the first difference.
fn verify<T: PartialEq + std::fmt::Debug>(name: &str, got: &[T], want: &[T]) {
    assert_eq!(got.len(), want.len(), "{name}: number of elements");
    if let Some(i) = (0..got.len()).find(|&i| got[i] != want[i]) {
        panic!("{name}: element {i} is {:?}, expected {:?}", got[i], want[i]);
    }
}

#[kernel(block = 256)]
pub(crate) fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

fn run_saxpy(device: &Device, scale: Scale) -> Result<Measured> {
    let n = scale.pick(1 << 20, 1 << 27);
    let host_x: Vec<f32> = (0..n).map(|i| (i % 1000) as f32 * 0.1).collect();
    let host_y: Vec<f32> = (0..n).map(|i| (i % 777) as f32).collect();
    let (x, mut y) = (device.upload(&host_x)?, device.upload(&host_y)?);
    let config = LaunchConfig::cover(n);
    saxpy::launch(device, config, 0.5, &x, &mut y)?;
    let (want, plain) = timed(|| {
        let pairs = host_x.iter().zip(&host_y);
        pairs.map(|(x, y)| 0.5f32.mul_add(*x, *y)).collect::<Vec<f32>>()
    });
    verify("saxpy", &y.to_vec()?, &want);
    let launch = launches(device, || saxpy::launch(device, config, 0.5, &x, &mut y))?;
    Ok(Measured { name: "saxpy", size: format!("{n} f32"), launch, plain: Some(plain) })
}

#[kernel(block = 256)]
pub(crate) fn vector_add(a: &[f32], b: &[f32], c: &mut [f32]) {
    let i = global_idx_x();
    if i < c.len() {
        c[i] = a[i] + b[i];
    }
}

fn run_vector_add(device: &Device, scale: Scale) -> Result<Measured> {
    let n = scale.pick(1 << 20, 1 << 27);
    let host_a: Vec<f32> = (0..n).map(|i| (i % 1000) as f32 * 0.1).collect();
    let host_b: Vec<f32> = (0..n).map(|i| (i % 777) as f32).collect();
    let (a, b) = (device.upload(&host_a)?, device.upload(&host_b)?);
    let mut c = device.zeros::<f32>(n)?;
    let config = LaunchConfig::cover(n);
    vector_add::launch(device, config, &a, &b, &mut c)?;
    let (want, plain) =
        timed(|| host_a.iter().zip(&host_b).map(|(a, b)| a + b).collect::<Vec<f32>>());
    verify("vector_add", &c.to_vec()?, &want);
    let launch = launches(device, || vector_add::launch(device, config, &a, &b, &mut c))?;
    Ok(Measured { name: "vector_add", size: format!("{n} f32"), launch, plain: Some(plain) })
}

#[kernel(block = 256)]
fn grid_stride(a: f32, x: &[f32], y: &mut [f32]) {
    let stride = grid_dim_x() * block_dim_x();
    let mut i = global_idx_x();
    while i < y.len() {
        y[i] = a * x[i] + y[i];
        i += stride;
    }
}

fn run_grid_stride(device: &Device, scale: Scale) -> Result<Measured> {
    let n = scale.pick(1 << 20, 1 << 27);
    let host_x: Vec<f32> = (0..n).map(|i| (i % 1000) as f32 * 0.1).collect();
    let (x, mut y) = (device.upload(&host_x)?, device.zeros::<f32>(n)?);
    let config = LaunchConfig::grid(scale.pick(64, 2048));
    grid_stride::launch(device, config, 0.5, &x, &mut y)?;
    let (want, plain) = timed(|| host_x.iter().map(|x| 0.5 * x).collect::<Vec<f32>>());
    verify("grid_stride", &y.to_vec()?, &want);
    let launch = launches(device, || grid_stride::launch(device, config, 0.5, &x, &mut y))?;
    Ok(Measured { name: "grid_stride", size: format!("{n} f32"), launch, plain: Some(plain) })
}

#[kernel(block = (32, 8))]
pub(crate) fn transpose(n: usize, x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 33]; 32]);
    let tx = thread_idx_x();
    let ty = thread_idx_y();
    let left = block_idx_x() * 32;
    let top = block_idx_y() * 32;
    for down in (0..32).step_by(8) {
        tile[ty + down][tx] = x[(top + ty + down) * n + left + tx];
    }
    sync_threads();
    for down in (0..32).step_by(8) {
        y[(left + ty + down) * n + top + tx] = tile[tx][ty + down];
    }
}

fn run_transpose(device: &Device, scale: Scale) -> Result<Measured> {
    let n = scale.pick(1024, 8192);
    let host: Vec<f32> = (0..n * n).map(|i| i as f32).collect();
    let (x, mut y) = (device.upload(&host)?, device.zeros::<f32>(n * n)?);
    let config = LaunchConfig::grid((n / 32, n / 32));
    transpose::launch(device, config, n, &x, &mut y)?;
    let (want, plain) = timed(|| {
        let mut want = vec![0.0; n * n];
        for (row, line) in host.chunks_exact(n).enumerate() {
            for (column, value) in line.iter().enumerate() {
                want[column * n + row] = *value;
            }
        }
        want
    });
    verify("transpose", &y.to_vec()?, &want);
    let launch = launches(device, || transpose::launch(device, config, n, &x, &mut y))?;
    Ok(Measured { name: "transpose", size: format!("{n} x {n} f32"), launch, plain: Some(plain) })
}

#[kernel(block = (16, 16))]
pub(crate) fn matmul_tiled(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let tile_a = shared!([[f32; 16]; 16]);
    let tile_b = shared!([[f32; 16]; 16]);
    let tx = thread_idx_x();
    let ty = thread_idx_y();
    let row = block_idx_y() * 16 + ty;
    let column = block_idx_x() * 16 + tx;
    let mut sum = 0.0;
    for tile in 0..n / 16 {
        tile_a[ty][tx] = a[row * n + tile * 16 + tx];
        tile_b[ty][tx] = b[(tile * 16 + ty) * n + column];
        sync_threads();
        for k in 0..16 {
            sum += tile_a[ty][k] * tile_b[k][tx];
        }
        sync_threads();
    }
    c[row * n + column] = sum;
}

fn run_matmul(device: &Device, scale: Scale) -> Result<Measured> {
    let n = scale.pick(256, 2048);
    let every = scale.pick(1, 61);
    let host_a: Vec<f32> = (0..n * n).map(|i| (i * 37 % 101) as f32 / 101.0 - 0.5).collect();
    let host_b: Vec<f32> = (0..n * n).map(|i| (i * 53 % 97) as f32 / 97.0 - 0.5).collect();
    let (a, b) = (device.upload(&host_a)?, device.upload(&host_b)?);
    let mut c = device.zeros::<f32>(n * n)?;
    let config = LaunchConfig::grid((n / 16, n / 16));
    matmul_tiled::launch(device, config, n, &a, &b, &mut c)?;
    let (want, plain) = timed(|| {
        let rows = (0..n).step_by(every).map(|row| {
            let mut sums = vec![0.0f32; n];
            for k in 0..n {
                let factor = host_a[row * n + k];
                for (sum, b) in sums.iter_mut().zip(&host_b[k * n..(k + 1) * n]) {
                    *sum = factor.mul_add(*b, *sum);
                }
            }
            sums
        });
        rows.flatten().collect::<Vec<f32>>()
    });
    let c_rows: Vec<f32> = c.to_vec()?.chunks_exact(n).step_by(every).flatten().copied().collect();
    verify("matmul_tiled", &c_rows, &want);
    let launch = launches(device, || matmul_tiled::launch(device, config, n, &a, &b, &mut c))?;
    let plain = (every == 1).then_some(plain);
    Ok(Measured { name: "matmul_tiled", size: format!("{n} x {n} f32"), launch, plain })
}

#[kernel(block = 256)]
pub(crate) fn reduce(x: &[f32], total: &[AtomicF32]) {
    let stride = grid_dim_x() * block_dim_x();
    let mut sum = 0.0;
    let mut i = global_idx_x();
    while i < x.len() {
        sum += x[i];
        i += stride;
    }
    let mut distance = 16;
    while distance > 0 {
        sum += warp::shfl_down(sum, distance);
        distance /= 2;
    }
    if warp::lane_id() == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

fn run_reduce(device: &Device, scale: Scale) -> Result<Measured> {
    let n = scale.pick(1 << 20, 1 << 27);
    // Sums stay small whole numbers in any order.
    let host: Vec<f32> = (0..n).map(|i| (i % 3) as f32 - 1.0).collect();
    let (x, mut total) = (device.upload(&host)?, device.zeros::<f32>(1)?);
    let config = LaunchConfig::grid(scale.pick(64, 2048));
    reduce::launch(device, config, &x, &mut total)?;
    let (want, plain) = timed(|| host.iter().sum::<f32>());
    verify("reduce", &total.to_vec()?, &[want]);
    let launch = launches(device, || reduce::launch(device, config, &x, &mut total))?;
    Ok(Measured { name: "reduce", size: format!("{n} f32"), launch, plain: Some(plain) })
}

#[kernel(block = 256)]
pub(crate) fn histogram(x: &[u8], bins: &[AtomicU32]) {
    let counts = shared!([AtomicU32; 256]);
    let t = thread_idx_x();
    counts[t].store(0, Ordering::Relaxed);
    sync_threads();
    let stride = grid_dim_x() * block_dim_x();
    let mut i = global_idx_x();
    while i < x.len() {
        counts[x[i] as usize].fetch_add(1, Ordering::Relaxed);
        i += stride;
    }
    sync_threads();
    bins[t].fetch_add(counts[t].load(Ordering::Relaxed), Ordering::Relaxed);
}

fn run_histogram(device: &Device, scale: Scale) -> Result<Measured> {
    let n = scale.pick(1 << 20, 1 << 28);
    let host: Vec<u8> =
        (0..n as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
    let (x, mut bins) = (device.upload(&host)?, device.zeros::<u32>(256)?);
    let config = LaunchConfig::grid(scale.pick(64, 2048));
    histogram::launch(device, config, &x, &mut bins)?;
    let (want, plain) = timed(|| {
        let mut want = [0u32; 256];
        for byte in &host {
            want[usize::from(*byte)] += 1;
        }
        want
    });
    verify("histogram", &bins.to_vec()?, &want);
    let launch = launches(device, || histogram::launch(device, config, &x, &mut bins))?;
    Ok(Measured { name: "histogram", size: format!("{n} bytes"), launch, plain: Some(plain) })
}

#[kernel(block = (16, 8))]
pub(crate) fn mandelbrot(width: usize, height: usize, limit: u32, steps: &mut [u32]) {
    let column = global_idx_x();
    let row = global_idx_y();
    if column < width && row < height {
        let cx = column as f32 / width as f32 * 3.0 - 2.0;
        let cy = row as f32 / height as f32 * 2.0 - 1.0;
        let mut x = 0.0;
        let mut y = 0.0;
        let mut n = 0;
        while n < limit && x * x + y * y <= 4.0 {
            let next = x * x - y * y + cx;
            y = 2.0 * x * y + cy;
            x = next;
            n += 1;
        }
        steps[row * width + column] = n;
    }
}

fn run_mandelbrot(device: &Device, scale: Scale) -> Result<Measured> {
    let side = scale.pick(384, 4096);
    let limit = scale.pick(128, 512);
    let every = scale.pick(1, 61);
    let mut steps = device.zeros::<u32>(side * side)?;
    let config = LaunchConfig::cover((side, side));
    mandelbrot::launch(device, config, side, side, limit, &mut steps)?;
    let (want, plain) = timed(|| {
        let rows = (0..side).step_by(every);
        let places = rows.flat_map(|row| (0..side).map(move |column| (column, row)));
        places.map(|(column, row)| escape_time(column, row, side, limit)).collect::<Vec<u32>>()
    });
    let rows: Vec<u32> =
        steps.to_vec()?.chunks_exact(side).step_by(every).flatten().copied().collect();
    verify("mandelbrot", &rows, &want);
    let launch =
        launches(device, || mandelbrot::launch(device, config, side, side, limit, &mut steps))?;
    let plain = (every == 1).then_some(plain);
    let size = format!("{side} x {side}, {limit} steps");
    Ok(Measured { name: "mandelbrot", size, launch, plain })
}

/// Returns the kernel's result, fused where it fuses.
fn escape_time(column: usize, row: usize, side: usize, limit: u32) -> u32 {
    let cx = (column as f32 / side as f32).mul_add(3.0, -2.0);
    let cy = (row as f32 / side as f32).mul_add(2.0, -1.0);
    let (mut x, mut y, mut n) = (0.0f32, 0.0f32, 0);
    while n < limit && x.mul_add(x, y * y) <= 4.0 {
        let next = x.mul_add(x, -(y * y)) + cx;
        y = (2.0 * x).mul_add(y, cy);
        x = next;
        n += 1;
    }
    n
}
