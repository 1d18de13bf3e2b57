//! Shared memory and barriers.
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

cases![
    reverse: THREADS_MEET, transpose: THREADS_MEET, prefix_sum: THREADS_MEET,
    every_type: THREADS_MEET, several_arrays: THREADS_MEET, early_exit: THREADS_MEET,
    whole_warps_exit: THREADS_MEET, reductions: THREADS_MEET, barrier_in_a_loop: THREADS_MEET,
    barrier_in_uniform_flow: THREADS_MEET, shared_atomics: THREADS_MEET,
    global_memory_too: THREADS_MEET, three_dimensions: THREADS_MEET, uneven_block: THREADS_MEET,
    more_than_is_declared: THREADS_MEET, aligned: THREADS_MEET,
];

#[kernel(block = 128)]
fn reversed(x: &[u32], out: &mut [u32]) {
    let tile = shared!([u32; 128]);
    let t = thread_idx_x();
    let i = global_idx_x();
    tile[t] = x[i];
    sync_threads();
    out[i] = tile[127 - t];
}

fn reverse(on: &Engine) -> Check {
    let x: Vec<u32> = (0..1280).map(|i| i * i).collect();
    let mut out = vec![0; x.len()];
    launch!(on, reversed(read x, write out), LaunchConfig::cover(x.len()))?;
    let want: Vec<u32> = x.chunks(128).flat_map(|block| block.iter().rev().copied()).collect();
    same("out", &out, &want)
}

/// Two arrays of 60 KB together, which PTX does not let a kernel declare.
#[kernel(block = 128)]
fn far_apart(x: &[u32], out: &mut [u32]) {
    let near = shared!([u8; 3]);
    let tile = shared!([u32; 15000]);
    let t = thread_idx_x();
    tile[14999 - t * 100] = x[t];
    if t < 3 {
        near[t] = 7;
    }
    sync_threads();
    out[t] = tile[14999 - (127 - t) * 100] + near[t % 3] as u32;
}

fn more_than_is_declared(on: &Engine) -> Check {
    let x: Vec<u32> = (0..128).map(|i| i * i).collect();
    let mut out = vec![0; x.len()];
    launch!(on, far_apart(read x, write out), LaunchConfig::cover(x.len()))?;
    let want: Vec<u32> = x.iter().rev().map(|x| x + 7).collect();
    same("out", &out, &want)
}

#[kernel(block = (32, 8))]
fn transposed(x: &[f32], out: &mut [f32]) {
    let tile = shared!([[f32; 33]; 32]);
    let left = block_idx_x() * 32;
    let top = block_idx_y() * 32;
    for row in (thread_idx_y()..32).step_by(8) {
        tile[row][thread_idx_x()] = x[(top + row) * 96 + left + thread_idx_x()];
    }
    sync_threads();
    for row in (thread_idx_y()..32).step_by(8) {
        out[(left + row) * 64 + top + thread_idx_x()] = tile[thread_idx_x()][row];
    }
}

fn transpose(on: &Engine) -> Check {
    let x: Vec<f32> = (0..96 * 64).map(|i| i as f32).collect();
    let mut out = vec![0.0; x.len()];
    launch!(on, transposed(read x, write out), LaunchConfig::grid((3, 2)))?;
    let want: Vec<f32> = (0..x.len()).map(|i| x[i % 64 * 96 + i / 64]).collect();
    same("out", &out, &want)
}

/// Computes the sum of all elements up to each one of a block, in seven steps between barriers.
#[kernel(block = 128)]
fn scan(x: &[i64], out: &mut [i64]) {
    let sums = shared!([i64; 128]);
    let t = thread_idx_x();
    let i = global_idx_x();
    sums[t] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    let mut distance = 1;
    while distance < 128 {
        let below = if t >= distance { sums[t - distance] } else { 0 };
        sync_threads();
        sums[t] += below;
        sync_threads();
        distance *= 2;
    }
    if i < out.len() {
        out[i] = sums[t];
    }
}

fn prefix_sum(on: &Engine) -> Check {
    let x: Vec<i64> = (0..1000).map(|i| i * 7 - 2500).collect();
    let mut out = vec![0; x.len()];
    launch!(on, scan(read x, write out), LaunchConfig::cover(x.len()))?;
    let sums = |block: &[i64]| {
        let sum = |sum: &mut i64, x: &i64| {
            *sum += x;
            Some(*sum)
        };
        block.iter().scan(0, sum).collect::<Vec<i64>>()
    };
    let want: Vec<i64> = x.chunks(128).flat_map(sums).collect();
    same("out", &out, &want)
}

/// Passes values of a type through shared memory.
macro_rules! through_shared {
    ($on:ident $($ty:ident [$($edge:expr),*])*) => {{$({
        #[kernel(block = 64)]
        fn rotate(x: &[$ty], out: &mut [$ty]) {
            let tile = shared!([$ty; 64]);
            let t = thread_idx_x();
            tile[t] = x[t];
            sync_threads();
            out[t] = tile[(t + 11) % 64];
        }
        let x: Vec<$ty> = [$($edge),*].into_iter().cycle().take(64).collect();
        let mut out = vec![Default::default(); 64];
        launch!($on, rotate(read x, write out), LaunchConfig::grid(1))?;
        let mut want = x.clone();
        want.rotate_left(11);
        same(stringify!($ty), &out, &want)?;
    })*}};
}

fn every_type(on: &Engine) -> Check {
    through_shared! { on
        bool [true, false, false] i8 [1, -1, i8::MIN] i16 [1, -1, i16::MIN] i32 [1, -1, i32::MIN]
        i64 [1, -1, i64::MIN] isize [1, -1, isize::MIN] u8 [1, 0, u8::MAX] u16 [1, 0, u16::MAX]
        u32 [1, 0, u32::MAX] u64 [1, 0, u64::MAX] usize [1, 0, usize::MAX]
        f32 [1.5, -0.0, f32::INFINITY] f64 [1.5, -0.0, 1e300]
    }
    Ok(())
}

#[kernel(block = 32)]
fn mixed(out: &mut [f64]) {
    let small = shared!([u8; 33]);
    let wide = shared!([f64; 32]);
    let middle = shared!([[i16; 3]; 32]);
    let t = thread_idx_x();
    small[t] = t as u8 * 3;
    wide[t] = t as f64 * 0.5;
    for k in 0..3 {
        middle[t][k] = (t * 100 + k) as i16;
    }
    sync_threads();
    let other = 31 - t;
    let sum = middle[other][0] + middle[other][1] + middle[other][2];
    out[t] = wide[other] + small[other] as f64 * 1000.0 + sum as f64 * 1e6;
}

fn several_arrays(on: &Engine) -> Check {
    let mut out = vec![0.0; 32];
    launch!(on, mixed(write out), LaunchConfig::grid(1))?;
    let want: Vec<f64> = (0..32)
        .map(|t| {
            let other = f64::from(31 - t);
            other * 0.5 + other * 3000.0 + (other * 300.0 + 3.0) * 1e6
        })
        .collect();
    same("out", &out, &want)
}

/// Threads that returned do not count at later barriers; here they return on purpose.
#[kernel(block = 100, allow(gpu_partial_warps))]
#[allow(gpu_barriers_after_divergent_returns)]
fn leaving(keep: usize, out: &mut [u32]) {
    let tile = shared!([u32; 100]);
    let t = thread_idx_x();
    tile[t] = 1;
    sync_threads();
    if t % 10 >= keep {
        return;
    }
    tile[t] = 2;
    let left = sync_threads_count(true);
    let mut sum = 0;
    for k in 0..100 {
        sum += tile[k];
    }
    out[t] = sum * 1000 + left as u32;
}

fn early_exit(on: &Engine) -> Check {
    for keep in [1, 3, 10] {
        let mut out = vec![0; 100];
        launch!(on, leaving(value keep, write out), LaunchConfig::grid(1))?;
        let left = 10 * keep as u32;
        let value = (100 + left) * 1000 + left;
        let want: Vec<u32> = (0..100).map(|t| if t % 10 < keep { value } else { 0 }).collect();
        same("out", &out, &want)?;
    }
    Ok(())
}

#[kernel(block = 256)]
#[allow(gpu_barriers_after_divergent_returns)]
fn one_warp_left(out: &mut [u32]) {
    let tile = shared!([u32; 256]);
    let t = thread_idx_x();
    tile[t] = t as u32;
    if warp::warp_id() != 3 {
        return;
    }
    sync_threads();
    tile[t] += 1000;
    sync_threads();
    out[t] = tile[96 + (t + 1) % 32];
}

fn whole_warps_exit(on: &Engine) -> Check {
    let mut out = vec![0; 256];
    launch!(on, one_warp_left(write out), LaunchConfig::grid(1))?;
    let value = |t: u32| if (96..128).contains(&t) { 1096 + (t + 1) % 32 } else { 0 };
    let want: Vec<u32> = (0..256).map(value).collect();
    same("out", &out, &want)
}

#[kernel(block = 96)]
fn reducing(x: &[i32], out: &mut [usize]) {
    let t = thread_idx_x();
    let v = x[global_idx_x()];
    let count = sync_threads_count(v > 10);
    let all = sync_threads_and(v > 10);
    let any = sync_threads_or(v > 10);
    let mut sum = count;
    if all {
        sum += 1000;
    }
    if any {
        sum += 2000;
    }
    out[global_idx_x()] = sum + t * 10_000;
}

fn reductions(on: &Engine) -> Check {
    let x: Vec<i32> = (0..288).map(|i| [i32::from(i == 95) * 11, 5, 11][i as usize / 96]).collect();
    let x: Vec<i32> = x.iter().enumerate().map(|(i, v)| if i < 40 { 50 } else { *v }).collect();
    let mut out = vec![0; 288];
    launch!(on, reducing(read x, write out), LaunchConfig::grid(3))?;
    let want: Vec<usize> = (0..288).map(|i| [2041, 0, 3096][i / 96] + i % 96 * 10_000).collect();
    same("out", &out, &want)
}

#[kernel(block = 64)]
fn waves(rounds: u32, out: &mut [u32]) {
    let cells = shared!([u32; 64]);
    let t = thread_idx_x();
    cells[t] = t as u32;
    for round in 0..rounds {
        sync_threads();
        let next = cells[(t + 1) % 64] * 3 + round;
        sync_threads();
        cells[t] = next;
    }
    out[t] = cells[t];
}

fn barrier_in_a_loop(on: &Engine) -> Check {
    for rounds in [0, 1, 50] {
        let mut out = vec![9; 64];
        launch!(on, waves(value rounds, write out), LaunchConfig::grid(1))?;
        let mut cells: Vec<u32> = (0..64).collect();
        for round in 0..rounds {
            cells.rotate_left(1);
            cells.iter_mut().for_each(|c| *c = c.wrapping_mul(3).wrapping_add(round));
        }
        same("out", &out, &cells)?;
    }
    Ok(())
}

#[kernel(block = 64)]
fn per_block(x: &[u32], out: &mut [u32]) {
    let cells = shared!([u32; 64]);
    let t = thread_idx_x();
    cells[t] = x[global_idx_x()];
    if block_idx_x() % 2 == 0 {
        sync_threads();
        let other = cells[63 - t];
        sync_threads();
        cells[t] = other;
    }
    if grid_dim_x() > 2 {
        sync_threads();
    }
    out[global_idx_x()] = cells[t];
}

fn barrier_in_uniform_flow(on: &Engine) -> Check {
    let x: Vec<u32> = (0..256).collect();
    let mut out = vec![0; 256];
    launch!(on, per_block(read x, write out), LaunchConfig::grid(4))?;
    let want: Vec<u32> =
        (0..256).map(|i| if i / 64 % 2 == 0 { i / 64 * 64 + 63 - i % 64 } else { i }).collect();
    same("out", &out, &want)
}

#[kernel(block = 128)]
fn counted(x: &[u8], bins: &[AtomicU32], peak: &[AtomicI64]) {
    let counts = shared!([AtomicU32; 16]);
    let highest = shared!([AtomicI64; 2]);
    let t = thread_idx_x();
    if t < 16 {
        counts[t].store(0, Ordering::Relaxed);
    }
    if t < 2 {
        highest[t].store(-1, Ordering::Relaxed);
    }
    sync_threads();
    let i = global_idx_x();
    if i < x.len() {
        counts[(x[i] % 16) as usize].fetch_add(1, Ordering::Relaxed);
        highest[(x[i] / 128) as usize].fetch_max(i as i64, Ordering::Relaxed);
    }
    sync_threads();
    if t < 16 {
        bins[t].fetch_add(counts[t].load(Ordering::Relaxed), Ordering::Relaxed);
    }
    if t < 2 {
        peak[t].fetch_max(highest[t].load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

fn shared_atomics(on: &Engine) -> Check {
    let x: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 21) as u8).collect();
    let mut bins = vec![0u32; 16];
    let mut peak = vec![-5i64; 2];
    launch!(on, counted(read x, atomic bins, atomic peak), LaunchConfig::cover(x.len()))?;
    let mut want = vec![0u32; 16];
    let mut highest = vec![-1i64; 2];
    for (i, byte) in x.iter().enumerate() {
        want[usize::from(byte % 16)] += 1;
        highest[usize::from(byte / 128)] = i as i64;
    }
    same("bins", &bins, &want)?;
    same("peak", &peak, &highest)
}

/// A barrier orders the block's global accesses, too.
#[kernel(block = 256)]
fn in_place(x: &mut [u32]) {
    let i = global_idx_x();
    let partner = block_idx_x() * 256 + 255 - thread_idx_x();
    let other = x[partner];
    sync_threads();
    x[i] = other + 1;
    sync_threads();
    let again = x[partner];
    sync_threads();
    x[i] = again * 2;
}

fn global_memory_too(on: &Engine) -> Check {
    let start: Vec<u32> = (0..1024).map(|i| i * 5).collect();
    let mut x = start.clone();
    launch!(on, in_place(write x), LaunchConfig::cover(1024))?;
    let want: Vec<u32> = start.iter().map(|x| (x + 1) * 2).collect();
    same("x", &x, &want)
}

#[kernel(block = (4, 4, 4))]
fn cube(out: &mut [usize]) {
    let cells = shared!([[[usize; 4]; 4]; 4]);
    let x = thread_idx_x();
    let y = thread_idx_y();
    let z = thread_idx_z();
    cells[z][y][x] = x + 10 * y + 100 * z;
    sync_threads();
    out[(z * 4 + y) * 4 + x] = cells[x][z][y];
}

fn three_dimensions(on: &Engine) -> Check {
    let mut out = vec![0; 64];
    launch!(on, cube(write out), LaunchConfig::grid((1, 1, 1)))?;
    let want: Vec<usize> = (0..64).map(|i| i / 4 % 4 + 10 * (i / 16) + 100 * (i % 4)).collect();
    same("out", &out, &want)
}

#[kernel(block = (7, 5), allow(gpu_partial_warps))]
fn odd_block(out: &mut [usize]) {
    let cells = shared!([usize; 35]);
    let t = thread_idx_y() * 7 + thread_idx_x();
    cells[t] = t * t;
    sync_threads();
    out[t] = cells[(t + 17) % 35];
}

fn uneven_block(on: &Engine) -> Check {
    let mut out = vec![0; 35];
    launch!(on, odd_block(write out), LaunchConfig::grid((1, 1)))?;
    let want: Vec<usize> = (0..35).map(|t| ((t + 17) % 35) * ((t + 17) % 35)).collect();
    same("out", &out, &want)
}

/// An array at a multiple of 128 bytes, as bulk copies require.
#[device]
#[repr(C, align(128))]
struct Aligned([f32; 40]);

#[device]
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line {
    of: [u32; 3],
}

#[kernel(block = 40, allow(gpu_partial_warps))]
fn aligning(x: &[f32], out: &mut [f32]) {
    let t = thread_idx_x();
    let odd = shared!([u8; 5]);
    let Aligned(tile) = shared!(Aligned);
    let lines = shared!([Line; 4]);
    let sized = shared_dyn!(Line, x.len() / 20);
    tile[t] = x[t];
    if t < 4 {
        odd[t] = t as u8;
        lines[t] = Line { of: [t as u32; 3] };
    }
    if t < sized.len() {
        sized[t] = Line { of: [7; 3] };
    }
    sync_threads();
    let n = tile.len();
    out[t] =
        tile[n - 1 - t] + lines[t % 4].of[1] as f32 + f32::from(odd[t % 4]) + sized[1].of[2] as f32;
}

fn aligned(on: &Engine) -> Check {
    let x: Vec<f32> = (0..40u8).map(|i| f32::from(i) * 0.5).collect();
    let mut out = vec![0.0f32; 40];
    launch!(on, aligning(read x, write out), LaunchConfig::grid(1))?;
    let want: Vec<f32> = (0..40).map(|t| x[39 - t] + (2 * (t % 4)) as f32 + 7.0).collect();
    same("out", &out, &want)
}
