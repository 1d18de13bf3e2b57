//! Shared memory whose length the launcher computes.
use crate::run::engine::{Check, Engine, cases, fault, launch, same};
use std::sync::atomic::Ordering;
use warpwise::{Error, LaunchMistake, prelude::*};

cases![
    of_the_block: THREADS_MEET, of_a_parameter: THREADS_MEET, of_a_slice: THREADS_MEET,
    several: THREADS_MEET, none_at_all: THREADS_MEET, in_device_functions: THREADS_MEET,
    generic: THREADS_MEET, beside_much: THREADS_MEET, checked: THREADS_MEET, refused: THREADS_MEET,
];

#[kernel]
fn turned(out: &mut [u32]) {
    let tile = shared_dyn!(u32, block_dim_x());
    let t = thread_idx_x();
    tile[t] = global_idx_x() as u32;
    sync_threads();
    let i = global_idx_x();
    if i < out.len() {
        out[i] = tile[tile.len() - 1 - t];
    }
}

fn of_the_block(on: &Engine) -> Check {
    for block in [1, 32, 100, 1024] {
        let mut out = vec![0; 2 * block];
        launch!(on, turned(write out), LaunchConfig::grid(2).block(block))?;
        let of = |i: usize| (i / block * block + block - 1 - i % block) as u32;
        same("out", &out, &(0..2 * block).map(of).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Sums of `2 * radius + 1` neighbours, from a tile with its borders.
#[kernel]
fn blurred(radius: i32, x: &[i64], out: &mut [i64]) {
    let t = thread_idx_x();
    let first = block_idx_x() * block_dim_x();
    let border = radius as usize;
    let len = block_dim_x() + 2 * border;
    let tile = shared_dyn!(i64, block_dim_x() + (2 * radius) as usize);
    for place in (t..len).step_by(block_dim_x()) {
        let i = first + place;
        tile[place] = if i >= border && i - border < x.len() { x[i - border] } else { 0 };
    }
    sync_threads();
    let i = first + t;
    if i < out.len() {
        out[i] = tile[t..t + 2 * border + 1].iter().sum::<i64>();
    }
}

fn of_a_parameter(on: &Engine) -> Check {
    let x: Vec<i64> = (0..500).map(|i| i * i % 101 - 40).collect();
    for radius in [0i32, 1, 7, 200] {
        let mut out = vec![0; x.len()];
        let config = LaunchConfig::cover(x.len()).block(96);
        launch!(on, blurred(value radius, read x, write out), config)?;
        let radius = radius as usize;
        let of = |i: usize| {
            x[i.saturating_sub(radius)..(i + radius + 1).min(x.len())].iter().sum::<i64>()
        };
        same("out", &out, &(0..x.len()).map(of).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Every block keeps a copy of a whole table.
#[kernel(block = 64)]
fn looked_up(table: &[f32], at: &[u32], out: &mut [f32]) {
    let copy = shared_dyn!(f32, table.len().max(1));
    for i in (thread_idx_x()..table.len()).step_by(64) {
        copy[i] = table[i];
    }
    sync_threads();
    let i = global_idx_x();
    if i < out.len() {
        out[i] = copy[at[i] as usize];
    }
}

fn of_a_slice(on: &Engine) -> Check {
    for len in [1usize, 63, 1000] {
        let table: Vec<f32> = (0..len).map(|i| i as f32 * 0.5).collect();
        let at: Vec<u32> = (0..200).map(|i| (i * 7919 % len) as u32).collect();
        let mut out = vec![0.0f32; at.len()];
        launch!(on, looked_up(read table, read at, write out), LaunchConfig::cover(200))?;
        same("out", &out, &at.iter().map(|&at| table[at as usize]).collect::<Vec<_>>())?;
    }
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Part {
    small: u8,
    large: f64,
}

/// Arrays of odd lengths and many types, each aligned for its own.
#[kernel]
fn mixed(n: usize, bits: u8, out: &mut [f64]) {
    let t = thread_idx_x();
    let bytes = shared_dyn!(u8, 2 * n + 1);
    let parts = shared_dyn!(Part, n / 2 + 3);
    let counts = shared_dyn!(AtomicU32, (bits as usize + 1).div_ceil(3));
    let fixed = shared!([u16; 5]);
    let rows = shared_dyn!([[f32; 3]; 2], if_small(n));
    let flags = shared_dyn!(bool, n % 7);
    for i in (t..bytes.len()).step_by(block_dim_x()) {
        bytes[i] = (i * 3) as u8;
    }
    for i in (t..parts.len()).step_by(block_dim_x()) {
        parts[i] = Part { small: i as u8, large: i as f64 + 0.25 };
    }
    for i in (t..counts.len()).step_by(block_dim_x()) {
        counts[i].store(7, Ordering::Relaxed);
    }
    for i in (t..rows.len()).step_by(block_dim_x()) {
        rows[i] = [[1.5; 3], [i as f32; 3]];
    }
    for i in (t..flags.len()).step_by(block_dim_x()) {
        flags[i] = i % 2 == 0;
    }
    if t < 5 {
        fixed[t] = 300 + t as u16;
    }
    sync_threads();
    counts[t % counts.len()].fetch_add(1, Ordering::Relaxed);
    sync_threads();
    if t == 0 {
        out[0] = bytes.iter().map(|&byte| byte as f64).sum::<f64>();
        out[1] = parts.iter().map(|part| part.small as f64 * 100.0 + part.large).sum::<f64>();
        out[2] = (0..counts.len()).map(|i| counts[i].load(Ordering::Relaxed) as f64).sum::<f64>();
        out[3] = fixed.iter().map(|&value| value as f64).sum::<f64>();
        out[4] = rows.iter().map(|row| (row[0][2] + row[1][1]) as f64).sum::<f64>();
        out[5] = flags.iter().filter(|&&flag| flag).count() as f64;
    }
}

#[device]
fn if_small(n: usize) -> usize {
    n.min(4) * 2 + (n >> 1)
}

fn several(on: &Engine) -> Check {
    for (n, bits) in [(1usize, 0u8), (13, 77), (200, 255)] {
        let mut out = vec![0.0f64; 6];
        let threads = 48;
        let config = LaunchConfig::grid(1).block(threads);
        launch!(on, mixed(value n, value bits, write out), config)?;
        let count = (usize::from(bits) + 1).div_ceil(3);
        let rows = n.min(4) * 2 + n / 2;
        let want = [
            (0..2 * n + 1).map(|i| f64::from((i * 3) as u8)).sum(),
            (0..n / 2 + 3).map(|i| f64::from(i as u8) * 100.0 + i as f64 + 0.25).sum(),
            (7 * count + threads) as f64,
            1510.0,
            (0..rows).map(|i| 1.5 + i as f64).sum(),
            (n % 7).div_ceil(2) as f64,
        ];
        same("out", &out, &want)?;
    }
    Ok(())
}

#[kernel]
fn perhaps_empty(n: usize, out: &mut [usize]) {
    let first = shared_dyn!(u64, n);
    let second = shared_dyn!(u32, n + block_dim_x());
    let t = thread_idx_x();
    second[t] = 10 * t as u32;
    if t < first.len() {
        first[t] = 1;
    }
    sync_threads();
    out[t] = first.len() + second.len() + second[block_dim_x() - 1 - t] as usize;
}

fn none_at_all(on: &Engine) -> Check {
    for n in [0usize, 3] {
        let mut out = vec![0; 8];
        let config = LaunchConfig::grid(1).block(8);
        launch!(on, perhaps_empty(value n, write out), config)?;
        same("out", &out, &(0..8).map(|t| 2 * n + 8 + 10 * (7 - t)).collect::<Vec<_>>())?;
    }
    Ok(())
}

#[device]
fn block_sum(value: f32, threads: usize) -> f32 {
    let parts = shared_dyn!(f32, threads);
    let t = thread_idx_x();
    parts[t] = value;
    sync_threads();
    let mut sum = 0.0;
    for i in 0..threads {
        sum += parts[i];
    }
    sync_threads();
    sum
}

#[kernel]
fn sums(x: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    let threads = block_dim_x();
    let once = block_sum(x[i], threads);
    out[i] = once + block_sum(2.0 * x[i], threads * 1);
}

fn in_device_functions(on: &Engine) -> Check {
    let x: Vec<f32> = (0..120).map(|i| i as f32).collect();
    let mut out = vec![0.0; x.len()];
    launch!(on, sums(read x, write out), LaunchConfig::grid(3).block(40))?;
    let want = |i: usize| 3.0 * (0..40).map(|t| (i / 40 * 40 + t) as f32).sum::<f32>();
    same("out", &out, &(0..120).map(want).collect::<Vec<_>>())
}

#[kernel]
fn rotated<T: Num, const BY: usize>(x: &mut [T]) {
    let ring = shared_dyn!([T; 2], (x.len() + BY) / 2);
    let t = thread_idx_x();
    if t < x.len() {
        ring[t / 2][t % 2] = x[t];
    }
    sync_threads();
    if t < x.len() {
        let from = (t + BY) % x.len();
        x[t] = ring[from / 2][from % 2];
    }
}

fn generic(on: &Engine) -> Check {
    let mut x: Vec<f64> = (0..10).map(f64::from).collect();
    let config = LaunchConfig::grid(1).block(16);
    launch!(on, rotated::<f64, 3>(write x), config)?;
    same("x", &x, &[3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.0, 1.0, 2.0])?;
    let mut x: Vec<u8> = (0..6).collect();
    launch!(on, rotated::<u8, 1>(write x), config)?;
    same("x", &x, &[1, 2, 3, 4, 5, 0])
}

/// With the declared arrays, more than 48 KiB; and a case in which the known part alone exceeds
/// that.
#[kernel(block = 64)]
fn much<const N: usize>(n: usize, out: &mut [u32]) {
    let known = shared!([u32; N]);
    let one = shared_dyn!(u32, n);
    let two = shared_dyn!(u32, n);
    let t = thread_idx_x();
    for i in (t..N).step_by(64) {
        known[i] = i as u32;
    }
    for i in (t..n).step_by(64) {
        one[i] = 1_000_000 + i as u32;
        two[i] = 2_000_000 + i as u32;
    }
    sync_threads();
    if t == 0 {
        let mut wrong = 0;
        for i in 0..N {
            wrong += (known[i] != i as u32) as u32;
        }
        for i in 0..n {
            wrong += (one[i] != 1_000_000 + i as u32) as u32;
            wrong += (two[i] != 2_000_000 + i as u32) as u32;
        }
        out[0] = wrong;
        out[1] = known[N - 1] + one[n - 1] + two[n - 1];
    }
}

fn beside_much(on: &Engine) -> Check {
    let config = LaunchConfig::grid(1);
    for n in [1usize, 7, 7001] {
        let mut out = vec![9; 2];
        launch!(on, much::<11>(value n, write out), config)?;
        same("out", &out, &[0, 10 + 3_000_000 + 2 * (n as u32 - 1)])?;
    }
    let (n, mut out) = (601usize, vec![9; 2]);
    launch!(on, much::<13001>(value n, write out), config)?;
    same("out", &out, &[0, 13000 + 3_000_000 + 1200])
}

#[kernel]
fn past_the_end(n: usize, at: usize, out: &mut [u32]) {
    let tile = shared_dyn!(u32, n);
    tile[at] = 1;
    out[0] = tile[at];
}

fn checked(on: &Engine) -> Check {
    let run = |n: usize, at: usize| {
        let mut out = vec![0; 1];
        let config = LaunchConfig::grid(1).block(1);
        launch!(on, past_the_end(value n, value at, write out), config)
    };
    run(5, 4)?;
    for (n, at) in [(5, 5), (0, 0)] {
        let panic = fault(run(n, at))?;
        if (panic.index, panic.len) != (Some(at as u64), Some(n as u64)) {
            return Err(format!("{panic:?}").into());
        }
    }
    Ok(())
}

#[kernel]
fn divided(n: usize, by: usize, out: &mut [u32]) {
    let tile = shared_dyn!(u64, (n + 1) / by);
    out[0] = tile.len() as u32;
}

fn refused(on: &Engine) -> Check {
    let run = |n: usize, by: usize| {
        let mut out = vec![0; 1];
        launch!(on, divided(value n, value by, write out), LaunchConfig::grid(1).block(1))?;
        Ok(out[0])
    };
    same("out", &[run(99, 10)?], &[10])?;
    let mistake = |result: warpwise::Result<u32>| match result {
        Err(Error::Launch { mistake, .. }) => Ok(mistake),
        other => Err(format!("expected a refusal, got {other:?}")),
    };
    for (n, by, want) in [(usize::MAX, 1, "overflows"), (1, 0, "divides by zero")] {
        match mistake(run(n, by))? {
            LaunchMistake::SharedLength { place, problem }
                if problem == want && place.contains("shared_dyn.rs:") => {}
            other => return Err(format!("{other:?}").into()),
        }
    }
    for (n, bytes) in [(39_999, 320_000), (usize::MAX - 1, u64::MAX)] {
        match mistake(run(n, 1))? {
            LaunchMistake::SharedMemory { bytes: asked, limit, .. }
                if asked == bytes && limit < 320_000 => {}
            other => return Err(format!("{other:?}").into()),
        }
    }
    // Refused launches have no effect.
    same("out", &[run(9, 1)?], &[10])
}
