//! Grids: `FDTD3d`, Jacobi's method with a residual, tiled `matrixMul`, variants of `transpose`.
use super::noise;
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

cases![finite_differences: THREADS_MEET, jacobi: THREADS_MEET, matrix_mul: THREADS_MEET, transposes: THREADS_MEET];

#[device]
const RADIUS: usize = 2;

/// Marches along z with a column in registers and a plane in shared memory.
#[kernel(block = (16, 8), contract = false)]
fn fdtd(size: [usize; 3], weights: [f32; 3], x: &[f32], out: &mut [f32]) {
    let plane = shared!([[f32; 20]; 12]);
    let (tx, ty) = (thread_idx_x() + RADIUS, thread_idx_y() + RADIUS);
    let (column, row) = (global_idx_x(), global_idx_y());
    let [width, height, depth] = size;
    let inside = column < width && row < height;
    let load = |x_off: isize, y_off: isize, z: usize| {
        let (c, r) = (column as isize + x_off, row as isize + y_off);
        if z < depth && (0..width as isize).contains(&c) && (0..height as isize).contains(&r) {
            x[(z * height + r as usize) * width + c as usize]
        } else {
            0.0
        }
    };
    let mut behind = [0.0; RADIUS];
    let mut front = [load(0, 0, 1), load(0, 0, 2)];
    let mut current = load(0, 0, 0);
    for z in 0..depth {
        sync_threads();
        plane[ty][tx] = current;
        if thread_idx_x() < RADIUS {
            plane[ty][tx - RADIUS] = load(-(RADIUS as isize), 0, z);
            plane[ty][tx + 16] = load(16, 0, z);
        }
        if thread_idx_y() < RADIUS {
            plane[ty - RADIUS][tx] = load(0, -(RADIUS as isize), z);
            plane[ty + 8][tx] = load(0, 8, z);
        }
        sync_threads();
        let mut value = weights[0] * current;
        for k in 1..=RADIUS {
            let around = behind[k - 1]
                + front[k - 1]
                + plane[ty - k][tx]
                + plane[ty + k][tx]
                + plane[ty][tx - k]
                + plane[ty][tx + k];
            value += weights[k] * around;
        }
        if inside {
            out[(z * height + row) * width + column] = value;
        }
        behind = [current, behind[0]];
        current = front[0];
        front = [front[1], load(0, 0, z + 3)];
    }
}

fn finite_differences(on: &Engine) -> Check {
    let (size, weights) = ([37, 21, 9], [0.5, 0.0625, 0.015625]);
    let x: Vec<f32> = noise(37 * 21 * 9).iter().map(|v| (v % 1000) as f32).collect();
    let mut out = vec![0.0; x.len()];
    let config = LaunchConfig::cover((37, 21));
    launch!(on, fdtd(value size, value weights, read x, write out), config)?;
    let at = |c: isize, r: isize, z: isize| {
        let inside = (0..37).contains(&c) && (0..21).contains(&r) && (0..9).contains(&z);
        if inside { x[((z * 21 + r) * 37 + c) as usize] } else { 0.0 }
    };
    let want: Vec<f32> = (0..37 * 21 * 9)
        .map(|i| {
            let (c, r, z) = (i % 37, i / 37 % 21, i / 777);
            let mut value = weights[0] * at(c, r, z);
            for k in 1..=2 {
                let around = at(c, r, z - k)
                    + at(c, r, z + k)
                    + at(c, r - k, z)
                    + at(c, r + k, z)
                    + at(c - k, r, z)
                    + at(c + k, r, z);
                value += weights[k as usize] * around;
            }
            value
        })
        .collect();
    same("out", &out, &want)
}

/// Computes one step, and the largest change by shuffles and atomics.
#[kernel(block = (32, 8), contract = false)]
fn relax(width: usize, x: &[f32], out: &mut [f32], change: &[AtomicF32]) {
    let (c, r) = (global_idx_x(), global_idx_y());
    let height = x.len() / width;
    let mut moved = 0.0f32;
    if c < width && r < height {
        let at = r * width + c;
        let edge = c == 0 || r == 0 || c + 1 == width || r + 1 == height;
        let value = if edge {
            x[at]
        } else {
            0.25 * (x[at - 1] + x[at + 1] + x[at - width] + x[at + width])
        };
        moved = (value - x[at]).abs();
        out[at] = value;
    }
    let largest = warp::reduce_max(moved);
    if warp::elect() {
        change[0].fetch_max(largest, Ordering::Relaxed);
    }
}

fn jacobi(on: &Engine) -> Check {
    let width = 40;
    let start: Vec<f32> =
        (0..40 * 30).map(|i| if i < 40 { 100.0 } else { (i % 7) as f32 }).collect();
    let (mut x, mut want) = (start.clone(), start);
    for _ in 0..5 {
        let (mut out, mut change) = (x.clone(), vec![0.0]);
        let config = LaunchConfig::cover((40, 30));
        launch!(on, relax(value width, read x, write out, atomic change), config)?;
        let before = want.clone();
        let mut largest = 0.0f32;
        for r in 1..29 {
            for c in 1..39 {
                let at = r * 40 + c;
                want[at] =
                    0.25 * (before[at - 1] + before[at + 1] + before[at - 40] + before[at + 40]);
                largest = largest.max((want[at] - before[at]).abs());
            }
        }
        same("out", &out, &want)?;
        same("change", &change, &[largest])?;
        x = out;
    }
    Ok(())
}

/// Loads a `T` by `T` part of a matrix into shared memory.
#[device]
fn load_tile<const T: usize>(
    x: &[f32],
    width: usize,
    row: usize,
    column: usize,
    tile: &mut [[f32; T]; T],
) {
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (r, c) = (row + ty, column + tx);
    let inside = c < width && r * width < x.len();
    tile[ty][tx] = if inside { x[r * width + c] } else { 0.0 };
}

#[kernel(block = (T, T))]
fn product<const T: usize>(inner: usize, width: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let tile_a = shared!([[f32; T]; T]);
    let tile_b = shared!([[f32; T]; T]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (row, column) = (block_idx_y() * T, block_idx_x() * T);
    let mut sum = 0.0;
    for k in (0..inner).step_by(T) {
        load_tile(a, inner, row, k, tile_a);
        load_tile(b, width, k, column, tile_b);
        sync_threads();
        for n in 0..T {
            sum += tile_a[ty][n] * tile_b[n][tx];
        }
        sync_threads();
    }
    let (r, c_) = (row + ty, column + tx);
    if c_ < width && r < c.len() / width {
        c[r * width + c_] = sum;
    }
}

fn matrix_mul(on: &Engine) -> Check {
    let (height, inner, width) = (20, 37, 29);
    let small = |v: &u32| (v % 16) as f32;
    let a: Vec<f32> = noise(height * inner).iter().map(small).collect();
    let b: Vec<f32> = noise(inner * width).iter().rev().map(small).collect();
    let want: Vec<f32> = (0..height * width)
        .map(|i| (0..inner).map(|k| a[i / width * inner + k] * b[k * width + i % width]).sum())
        .collect();
    macro_rules! each {
        ($($tile:literal)*) => {$({
            let mut c = vec![0.0; height * width];
            let config = LaunchConfig::cover((width, height));
            launch!(
                on,
                product::<$tile>(value inner, value width, read a, read b, write c),
                config
            )?;
            same("c", &c, &want)?;
        })*};
    }
    each! { 8 16 }
    Ok(())
}

#[device]
const TILE: usize = 32;
#[device]
const ROWS: usize = 8;

#[kernel(block = (TILE, ROWS))]
fn transpose_naive(x: &[f32], out: &mut [f32]) {
    let width = grid_dim_x() * TILE;
    let (column, row) =
        (block_idx_x() * TILE + thread_idx_x(), block_idx_y() * TILE + thread_idx_y());
    for j in (0..TILE).step_by(ROWS) {
        out[column * width + row + j] = x[(row + j) * width + column];
    }
}

#[kernel(block = (TILE, ROWS))]
fn transpose_coalesced(x: &[f32], out: &mut [f32]) {
    let tile = shared!([[f32; TILE + 1]; TILE]);
    let width = grid_dim_x() * TILE;
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    for j in (ty..TILE).step_by(ROWS) {
        tile[j][tx] = x[(block_idx_y() * TILE + j) * width + block_idx_x() * TILE + tx];
    }
    sync_threads();
    for j in (ty..TILE).step_by(ROWS) {
        out[(block_idx_x() * TILE + j) * width + block_idx_y() * TILE + tx] = tile[tx][j];
    }
}

/// Blocks in the order of diagonals, and columns swizzled instead of padded.
#[kernel(block = (TILE, ROWS))]
fn transpose_diagonal(x: &[f32], out: &mut [f32]) {
    let tile = shared!([[f32; TILE]; TILE]);
    let width = grid_dim_x() * TILE;
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (by, bx) = (block_idx_x(), (block_idx_x() + block_idx_y()) % grid_dim_x());
    for j in (ty..TILE).step_by(ROWS) {
        tile[j][tx ^ j] = x[(by * TILE + j) * width + bx * TILE + tx];
    }
    sync_threads();
    for j in (ty..TILE).step_by(ROWS) {
        out[(bx * TILE + j) * width + by * TILE + tx] = tile[tx][j ^ tx];
    }
}

fn transposes(on: &Engine) -> Check {
    let x: Vec<f32> = (0..96 * 96).map(|i| i as f32).collect();
    let want: Vec<f32> = (0..96 * 96).map(|i| x[i % 96 * 96 + i / 96]).collect();
    macro_rules! each {
        ($($kernel:ident)*) => {$({
            let mut out = vec![0.0; x.len()];
            launch!(on, $kernel(read x, write out), LaunchConfig::grid((3, 3)))?;
            same(stringify!($kernel), &out, &want)?;
        })*};
    }
    each! { transpose_naive transpose_coalesced transpose_diagonal }
    Ok(())
}
