//! Indices and dimensions in one to three axes, declared blocks, and refused launches.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![one_axis, two_axes, three_axes, declared_block, few_registers, many_blocks, wide, refused];

#[kernel]
fn indices(out: &mut [usize]) {
    let i = global_idx_x();
    if i < out.len() / 8 {
        out[i * 8] = thread_idx_x();
        out[i * 8 + 1] = block_idx_x();
        out[i * 8 + 2] = block_dim_x();
        out[i * 8 + 3] = grid_dim_x();
        out[i * 8 + 4] = block_idx_x() * block_dim_x() + thread_idx_x();
        out[i * 8 + 5] = warp::lane_id();
        out[i * 8 + 6] = warp::warp_id();
        out[i * 8 + 7] = thread_idx_y() + block_idx_z() * 10 + block_dim_y() * 100;
    }
}

fn one_axis(on: &Engine) -> Check {
    for (config, blocks, threads) in [
        (LaunchConfig::cover(1000), 4, 256),
        (LaunchConfig::grid(7).block(40), 7, 40),
        (LaunchConfig::cover(65).block(32), 3, 32),
        (LaunchConfig::grid(2).block(1024), 2, 1024),
    ] {
        let mut out = vec![99; blocks * threads * 8];
        launch!(on, indices(write out), config)?;
        let want: Vec<usize> = (0..blocks * threads)
            .flat_map(|i| {
                let t = i % threads;
                [t, i / threads, threads, blocks, i, t % 32, t / 32, 100]
            })
            .collect();
        same("out", &out, &want)?;
    }
    Ok(())
}

#[kernel]
fn plane(width: usize, out: &mut [u32]) {
    let x = global_idx_x();
    let y = global_idx_y();
    let at = y * width + x;
    if x < width && at < out.len() {
        out[at] = (x * 1000 + y) as u32;
        out[at] += (thread_idx_x() * thread_idx_y()) as u32;
        out[at] += (warp::warp_id() * 32 + warp::lane_id()) as u32 * 1_000_000;
    }
}

fn two_axes(on: &Engine) -> Check {
    let (width, height) = (37, 29);
    for (config, bw, bh) in [
        (LaunchConfig::cover((width, height)), 16, 16),
        (LaunchConfig::cover((width, height)).block((8, 4)), 8, 4),
        (LaunchConfig::grid((1, 29)).block((64, 1)), 64, 1),
    ] {
        let mut out = vec![0; width * height];
        launch!(on, plane(value width, write out), config)?;
        let want: Vec<u32> = (0..width * height)
            .map(|i| {
                let (x, y) = (i % width, i / width);
                let (tx, ty) = (x % bw, y % bh);
                (x * 1000 + y + tx * ty + (ty * bw + tx) * 1_000_000) as u32
            })
            .collect();
        same("out", &out, &want)?;
    }
    Ok(())
}

#[kernel]
fn space(w: usize, h: usize, d: usize, out: &mut [u64]) {
    let x = global_idx_x();
    let y = global_idx_y();
    let z = global_idx_z();
    if x < w && y < h && z < d {
        let block = (block_idx_z() * grid_dim_y() + block_idx_y()) * grid_dim_x() + block_idx_x();
        let thread =
            (thread_idx_z() * block_dim_y() + thread_idx_y()) * block_dim_x() + thread_idx_x();
        out[(z * h + y) * w + x] =
            (block * 10_000 + thread) as u64 + grid_dim_z() as u64 * (1 << 40);
    }
}

fn three_axes(on: &Engine) -> Check {
    let (w, h, d) = (20, 13, 9);
    let mut out = vec![0; w * h * d];
    launch!(on, space(value w, value h, value d, write out), LaunchConfig::cover((w, h, d)))?;
    let want: Vec<u64> = (0..w * h * d)
        .map(|i| {
            let (x, y, z) = (i % w, i / w % h, i / w / h);
            let block = (z / 4 * 2 + y / 8) * 3 + x / 8;
            let thread = (z % 4 * 8 + y % 8) * 8 + x % 8;
            (block * 10_000 + thread) as u64 + 3 * (1 << 40)
        })
        .collect();
    same("out", &out, &want)
}

#[kernel(block = (32, 4))]
fn declared(out: &mut [usize]) {
    let i = (block_idx_x() * 4 + thread_idx_y()) * 32 + thread_idx_x();
    if i < out.len() {
        out[i] = block_dim_x() * 100 + block_dim_y();
    }
}

fn declared_block(on: &Engine) -> Check {
    let mut out = vec![0; 300];
    // The host's copy does not know the block in the attribute.
    let config = match on {
        Engine::Host => LaunchConfig::grid((3, 1)).block((32, 4)),
        Engine::Device { .. } => LaunchConfig::grid((3, 1)),
    };
    launch!(on, declared(write out), config)?;
    same("out", &out, &[3204; 300])
}

#[kernel]
fn block_numbers(out: &mut [u32]) {
    let i = block_idx_y() * grid_dim_x() + block_idx_x();
    if thread_idx_x() == 0 && i < out.len() {
        out[i] += i as u32;
    }
}

fn many_blocks(on: &Engine) -> Check {
    let mut out = vec![1; 20_000];
    launch!(on, block_numbers(write out), LaunchConfig::grid((100, 200)).block((2, 1)))?;
    let want: Vec<u32> = (1..=20_000).collect();
    same("out", &out, &want)
}

#[kernel(wide_index)]
fn wide_indices(out: &mut [usize]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = i * 3_000_000_000;
    }
}

fn wide(on: &Engine) -> Check {
    let mut out = vec![0; 300];
    launch!(on, wide_indices(write out), LaunchConfig::cover(300))?;
    let want: Vec<usize> = (0..300).map(|i| i * 3_000_000_000).collect();
    same("out", &out, &want)
}

/// Holds 48 values at a time, where 2048 threads of a multiprocessor have 32 registers each.
#[kernel(block = 256, min_blocks = 8)]
fn spilled(x: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    let mut values = [0.0; 48];
    for k in 0..48 {
        values[k] = x[48 * i + k];
    }
    let mut sum = 0.0;
    for k in 0..48 {
        sum = sum * 0.5 + values[47 - k] * values[k];
    }
    out[i] = sum;
}

fn few_registers(on: &Engine) -> Check {
    let x: Vec<f32> = (0..48 * 512).map(|i| (i % 7) as f32).collect();
    let mut out = vec![0.0; 512];
    launch!(on, spilled(read x, write out), LaunchConfig::cover(512))?;
    let sum = |x: &[f32]| (0..48).fold(0.0, |sum: f32, k| sum.mul_add(0.5, x[47 - k] * x[k]));
    let want: Vec<f32> = x.chunks(48).map(sum).collect();
    same("out", &out, &want)
}

fn refused(on: &Engine) -> Check {
    let mut out = vec![0; 8];
    let configs = [
        (LaunchConfig::grid(1).block(0), "no threads"),
        (LaunchConfig::grid(1).block(1025), "1024"),
        (LaunchConfig::grid((1, 70_000)).block((1, 1)), "65535"),
        (LaunchConfig::grid(1).block((64, 32)), "2048 threads"),
    ];
    for (config, why) in configs {
        let error = launch!(on, indices(write out), config).expect_err("no GPU runs that");
        if !error.to_string().contains(why) {
            return Err(format!("expected `{why}` in: {error}").into());
        }
    }
    if let Engine::Device { .. } = on {
        let error = launch!(on, declared(write out), LaunchConfig::grid(1).block(64))
            .expect_err("the kernel declares another block");
        if !error.to_string().contains("(32, 4)") {
            return Err(format!("expected the declared block in: {error}").into());
        }
        let error = launch!(on, indices(write out), LaunchConfig::grid(1 << 23).block(512))
            .expect_err("indices past 31 bits need `wide_index`");
        if !error.to_string().contains("wide_index") {
            return Err(format!("expected `wide_index` in: {error}").into());
        }
    }
    same("out of launches that were refused", &out, &[0; 8])
}
