//! Graphs and searches: Floyd and Warshall, k-means, queens on a board, and Gauss's elimination.
use super::{close, noise};
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

cases![shortest_paths, k_means: THREADS_MEET, queens, elimination: THREADS_MEET];

/// Paths by way of vertex `k`.
#[kernel]
fn via(k: usize, vertices: usize, distances: &mut [u32]) {
    let (to, from) = (global_idx_x(), global_idx_y());
    if to < vertices && from < vertices {
        let (first, second) = (distances[from * vertices + k], distances[k * vertices + to]);
        let path = &mut distances[from * vertices + to];
        if let Some(length) = first.checked_add(second)
            && length < *path
        {
            *path = length;
        }
    }
}

fn shortest_paths(on: &Engine) -> Check {
    let vertices = 40;
    let mut distances: Vec<u32> =
        noise(1600).iter().map(|v| if v % 8 == 0 { v >> 20 } else { u32::MAX }).collect();
    for v in 0..vertices {
        distances[v * vertices + v] = 0;
    }
    let mut want = distances.clone();
    for k in 0..vertices {
        let config = LaunchConfig::cover((vertices, vertices));
        launch!(on, via(value k, value vertices, write distances), config)?;
    }
    for k in 0..vertices {
        for i in 0..vertices * vertices {
            let first = want[i / vertices * vertices + k];
            let length = first.saturating_add(want[k * vertices + i % vertices]);
            want[i] = want[i].min(length);
        }
    }
    same("distances", &distances, &want)
}

#[device]
fn distance<const D: usize>(a: &[f32; D], b: &[f32; D]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Finds the nearest center of each point, and sums the points of each center, first within a
/// block.
#[kernel(block = 128, contract = false)]
fn assign<const D: usize, const K: usize>(
    points: &[[f32; D]],
    centers: &[[f32; D]],
    nearest: &mut [u32],
    sums: &[AtomicF32],
    counts: &[AtomicU32],
) {
    let own_sums = shared!([[AtomicF32; D]; K]);
    let own_counts = shared!([AtomicU32; K]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    if t < K {
        own_counts[t].store(0, Ordering::Relaxed);
        for sum in &own_sums[t] {
            sum.store(0.0, Ordering::Relaxed);
        }
    }
    sync_threads();
    if let Some(point) = points.get(i) {
        let (mut best, mut least) = (0, f32::INFINITY);
        for (k, center) in centers.iter().enumerate() {
            let d = distance(point, center);
            if d < least {
                (best, least) = (k, d);
            }
        }
        nearest[i] = best as u32;
        own_counts[best].fetch_add(1, Ordering::Relaxed);
        for (sum, v) in own_sums[best].iter().zip(point) {
            sum.fetch_add(*v, Ordering::Relaxed);
        }
    }
    sync_threads();
    if t < K {
        counts[t].fetch_add(own_counts[t].load(Ordering::Relaxed), Ordering::Relaxed);
        for (d, sum) in own_sums[t].iter().enumerate() {
            sums[t * D + d].fetch_add(sum.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}

fn k_means(on: &Engine) -> Check {
    let points: Vec<[f32; 2]> =
        noise(2000).chunks(2).map(|v| [(v[0] % 100) as f32, (v[1] % 100) as f32]).collect();
    let centers = vec![[10.0, 10.0], [80.0, 20.0], [50.0, 90.0]];
    let (mut nearest, mut sums, mut counts) = (vec![9; 1000], vec![0.0; 6], vec![0; 3]);
    launch!(
        on,
        assign::<2, 3>(read points, read centers, write nearest, atomic sums, atomic counts),
        LaunchConfig::cover(1000)
    )?;
    let squared = |a: &[f32; 2], b: &[f32; 2]| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
    let want: Vec<u32> = points
        .iter()
        .map(|point| {
            let to = |k: &u32| squared(point, &centers[*k as usize]);
            (0..3).min_by(|a, b| to(a).total_cmp(&to(b))).expect("there are three")
        })
        .collect();
    same("nearest", &nearest, &want)?;
    let (mut want_sums, mut want_counts) = (vec![0.0; 6], vec![0; 3]);
    for (point, k) in points.iter().zip(&want) {
        want_counts[*k as usize] += 1;
        want_sums[*k as usize * 2] += point[0];
        want_sums[*k as usize * 2 + 1] += point[1];
    }
    same("sums", &sums, &want_sums)?;
    same("counts", &counts, &want_counts)
}

/// Counts the ways to put a queen in every row of a board, given the columns of the first two.
#[device]
fn ways<const N: usize>(first: usize, second: usize) -> u32 {
    let all = (1u32 << N) - 1;
    let (mut columns, mut left, mut right) = ([0u32; N], [0u32; N], [0u32; N]);
    let (mut open, mut row) = ([0u32; N], 0);
    for column in [first, second] {
        let queen = 1 << column;
        if row > 0 && (columns[row] | left[row] | right[row]) & queen != 0 {
            return 0;
        }
        columns[row + 1] = columns[row] | queen;
        left[row + 1] = (left[row] | queen) << 1;
        right[row + 1] = (right[row] | queen) >> 1;
        row += 1;
    }
    let start = row;
    let mut found = 0;
    open[row] = all & !(columns[row] | left[row] | right[row]);
    loop {
        if open[row] == 0 {
            if row == start {
                break found;
            }
            row -= 1;
            continue;
        }
        let queen = open[row] & open[row].wrapping_neg();
        open[row] ^= queen;
        if row + 1 == N {
            found += 1;
            continue;
        }
        columns[row + 1] = columns[row] | queen;
        left[row + 1] = (left[row] | queen) << 1;
        right[row + 1] = (right[row] | queen) >> 1;
        row += 1;
        open[row] = all & !(columns[row] | left[row] | right[row]);
    }
}

#[kernel]
fn boards<const N: usize>(solutions: &[AtomicU64]) {
    let i = global_idx_x();
    if i < N * N {
        solutions[0].fetch_add(ways::<N>(i / N, i % N) as u64, Ordering::Relaxed);
    }
}

fn queens(on: &Engine) -> Check {
    let mut solutions = vec![0];
    launch!(on, boards::<6>(atomic solutions), LaunchConfig::cover(36))?;
    launch!(on, boards::<8>(atomic solutions), LaunchConfig::cover(64))?;
    same("solutions", &solutions, &[4 + 92])
}

/// A block solves a system of `N` equations: `rows` end with the right side.
#[kernel(block = N)]
fn solve<const N: usize, const W: usize>(rows: &[[f64; W]], x: &mut [f64], singular: &mut [bool]) {
    let a = shared!([[f64; W]; N]);
    let pivot = shared!(usize);
    let t = thread_idx_x();
    let first = block_idx_x() * N;
    a[t] = rows[first + t];
    for k in 0..N {
        sync_threads();
        if t == 0 {
            *pivot = k;
            for row in k + 1..N {
                if a[row][k].abs() > a[*pivot][k].abs() {
                    *pivot = row;
                }
            }
            a.swap(k, *pivot);
        }
        sync_threads();
        if a[k][k] == 0.0 {
            singular[block_idx_x()] = true;
            return;
        }
        if t != k {
            let factor = a[t][k] / a[k][k];
            let pivot_row = a[k];
            for (v, p) in a[t].iter_mut().zip(pivot_row).skip(k) {
                *v -= factor * p;
            }
        }
    }
    x[first + t] = a[t][N] / a[t][t];
}

fn elimination(on: &Engine) -> Check {
    let mut rows: Vec<[f64; 5]> = Vec::new();
    let solution = [1.0, -2.0, 3.0, 0.5];
    for v in noise(32).chunks(4) {
        let v: [f64; 4] = std::array::from_fn(|k| f64::from(v[k] % 20) - 9.0);
        rows.push([v[0], v[1], v[2], v[3], v.iter().zip(solution).map(|(a, x)| a * x).sum()]);
    }
    rows.extend([[1.0, 2.0, 3.0, 4.0, 5.0]; 4]);
    let (mut x, mut singular) = (vec![0.0; 12], vec![false; 3]);
    launch!(on, solve::<4, 5>(read rows, write x, write singular), LaunchConfig::grid(3))?;
    same("singular", &singular, &[false, false, true])?;
    let got: Vec<f32> = x[..8].iter().map(|v| *v as f32).collect();
    close("x", &got, &[solution, solution].concat(), 1e-6)
}
