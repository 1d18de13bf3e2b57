//! Numbers: `lineOfSight` by a scan that is generic over its operation, a sparse product of rows of
//! equal length (ELL), `MersenneTwister`, `warpAggregatedAtomicsCG`, `stereoDisparity`, and the
//! decomposition of small matrices, many at once.
use super::{close, noise};
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::sync::atomic::Ordering;
use warpwise::{U8x4, prelude::*};

cases![
    line_of_sight: THREADS_MEET, sparse_ell, mersenne_twister, aggregated: THREADS_MEET,
    disparity, decompositions,
];

#[device]
trait Operation {
    const START: f32;
    fn apply(a: f32, b: f32) -> f32;
}

#[device]
struct Plus;

#[device]
impl Operation for Plus {
    const START: f32 = 0.0;
    fn apply(a: f32, b: f32) -> f32 {
        a + b
    }
}

#[device]
struct Most;

#[device]
impl Operation for Most {
    const START: f32 = f32::NEG_INFINITY;
    fn apply(a: f32, b: f32) -> f32 {
        a.max(b)
    }
}

/// Scans each block, and stores the total of each.
#[kernel(block = 64, instances(Plus, Most))]
fn scan<O: Operation>(x: &[f32], scanned: &mut [f32], totals: &mut [f32]) {
    let i = global_idx_x();
    let own = x.get(i).copied().unwrap_or(O::START);
    let all = block::inclusive_scan(own, |a, b| O::apply(a, b));
    if let Some(place) = scanned.get_mut(i) {
        *place = all;
    }
    if thread_idx_x() == 63 {
        totals[block_idx_x()] = all;
    }
}

/// Adds the totals of the blocks before to each element.
#[kernel(block = 64, instances(Plus, Most))]
fn spread<O: Operation>(totals: &[f32], scanned: &mut [f32]) {
    let (i, b) = (global_idx_x(), block_idx_x());
    if b > 0 && i < scanned.len() {
        scanned[i] = O::apply(totals[b - 1], scanned[i]);
    }
}

/// Computes the slope of the line of sight to each point along a ray.
#[kernel]
fn angles(observer: f32, heights: &[f32], angles: &mut [f32]) {
    let i = global_idx_x();
    if i < heights.len() {
        angles[i] = (heights[i] - observer).atan2((i + 1) as f32);
    }
}

#[kernel]
fn visible(angles: &[f32], most: &[f32], seen: &mut [bool]) {
    let i = global_idx_x();
    if i < seen.len() {
        seen[i] = most[i] <= angles[i];
    }
}

fn line_of_sight(on: &Engine) -> Check {
    let heights: Vec<f32> =
        noise(300).iter().zip(0..).map(|(v, i)| (v % 50 * i / 40) as f32).collect();
    let (mut slopes, mut most) = (vec![0.0f32; 300], vec![0.0f32; 300]);
    let observer = 20.0;
    launch!(on, angles(value observer, read heights, write slopes), LaunchConfig::cover(300))?;
    let (mut totals, mut none) = (vec![0.0f32; 5], vec![0.0f32; 1]);
    launch!(on, scan::<Most>(read slopes, write most, write totals), LaunchConfig::cover(300))?;
    let mut before = totals.clone();
    launch!(on, scan::<Most>(read totals, write before, write none), LaunchConfig::grid(1))?;
    launch!(on, spread::<Most>(read before, write most), LaunchConfig::cover(300))?;
    let mut seen = vec![false; 300];
    launch!(on, visible(read slopes, read most, write seen), LaunchConfig::cover(300))?;
    let mut highest = f32::NEG_INFINITY;
    let want = slopes.iter().map(|slope| {
        highest = highest.max(*slope);
        highest <= *slope
    });
    same("seen", &seen, &want.collect::<Vec<_>>())?;
    let ones = vec![1.0f32; 300];
    launch!(on, scan::<Plus>(read ones, write most, write totals), LaunchConfig::cover(300))?;
    same("sums", &totals, &[64.0, 64.0, 64.0, 64.0, 44.0])
}

const NOTHING: u32 = u32::MAX;

/// The columns of a row are as far apart as the number of rows.
#[kernel(open(NOTHING), contract = false)]
fn ell(rows: usize, columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_idx_x();
    if row >= rows {
        return;
    }
    let entries = columns[row..].iter().step_by(rows).zip(values[row..].iter().step_by(rows));
    y[row] = entries
        .take_while(|(column, _)| **column != NOTHING)
        .map(|(column, value)| value * x[*column as usize])
        .sum();
}

fn sparse_ell(on: &Engine) -> Check {
    let (rows, width) = (70usize, 5);
    let random = noise(rows * width);
    let (mut columns, mut values) = (vec![NOTHING; rows * width], vec![0.0f32; rows * width]);
    let x: Vec<f32> = (0..rows).map(|i| i as f32 - 20.0).collect();
    let (mut y, mut want) = (vec![1.0f32; rows], vec![-0.0f32; rows]);
    for row in 0..rows {
        for k in 0..random[row] as usize % (width + 1) {
            let column = random[k * rows + row] as usize % rows;
            columns[k * rows + row] = column as u32;
            values[k * rows + row] = k as f32 + 0.5;
            want[row] += (k as f32 + 0.5) * x[column];
        }
    }
    launch!(on, ell(value rows, read columns, read values, read x, write y), LaunchConfig::cover(rows))?;
    same("y", &y, &want)
}

/// A generator per thread: a state of 19 words, tempered like that of the large one.
#[device]
struct Twister {
    state: [u32; 19],
    next: usize,
}

#[device]
impl Twister {
    fn seeded(seed: u32) -> Self {
        let mut state = [seed; 19];
        for k in 1..19 {
            let last = state[k - 1];
            state[k] = 1_812_433_253u32.wrapping_mul(last ^ (last >> 30)).wrapping_add(k as u32);
        }
        Self { state, next: 0 }
    }

    fn draw(&mut self) -> u32 {
        let (now, after, far) = (self.next, (self.next + 1) % 19, (self.next + 9) % 19);
        let mixed = self.state[now] & 0xffff_fffe | self.state[after] & 1;
        let twisted = mixed >> 1 ^ if mixed & 1 == 1 { 0xe4bd_75f5 } else { 0 };
        self.state[now] = self.state[far] ^ twisted;
        self.next = after;
        let mut y = self.state[now];
        y ^= y >> 12;
        y ^= y << 7 & 0x655e_5280;
        y ^= y << 15 & 0xffd5_8000;
        y ^ y >> 18
    }
}

#[kernel]
fn twist(each: usize, out: &mut [u32]) {
    let i = global_idx_x();
    let mut twister = Twister::seeded(i as u32 + 1);
    if let Some(own) = out.chunks_exact_mut(each).nth(i) {
        own.fill_with(|| twister.draw());
    }
}

fn mersenne_twister(on: &Engine) -> Check {
    let (each, mut out) = (30, vec![0u32; 40 * 30]);
    launch!(on, twist(value each, write out), LaunchConfig::cover(40))?;
    let want = (0..40).flat_map(|i| {
        let mut twister = Twister::seeded(i + 1);
        std::iter::repeat_with(move || twister.draw()).take(30)
    });
    same("draws", &out, &want.collect::<Vec<_>>())
}

/// One lane adds for all active lanes.
#[device]
fn next_place(counter: &AtomicU32) -> usize {
    let mask = warp::active_mask();
    let leader = mask.trailing_zeros() as usize;
    let before = (mask & ((1 << warp::lane_id()) - 1)).count_ones();
    let mut first = 0;
    if before == 0 {
        first = counter.fetch_add(mask.count_ones(), Ordering::Relaxed);
    }
    (warp::shfl_mask(mask, first, leader) + before) as usize
}

#[kernel(allow(gpu_all))]
fn filter(x: &[i32], counter: &[AtomicU32], kept: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() && x[i] > 0 {
        kept[next_place(&counter[0])] = x[i];
    }
}

fn aggregated(on: &Engine) -> Check {
    let x: Vec<i32> = noise(500).iter().map(|v| (v % 200) as i32 - 100).collect();
    let (mut counter, mut kept) = (vec![0u32], vec![0; 500]);
    launch!(on, filter(read x, atomic counter, write kept), LaunchConfig::cover(500))?;
    let mut want: Vec<i32> = x.iter().copied().filter(|v| *v > 0).collect();
    same("count", &counter, &[want.len() as u32])?;
    let mut kept = kept[..want.len()].to_vec();
    kept.sort_unstable();
    want.sort_unstable();
    same("kept", &kept, &want)
}

/// Computes the shift of each pixel of the left image in the right one.
#[kernel]
fn shift<const R: usize, const MOST: usize>(
    width: usize,
    left: &[U8x4],
    right: &[U8x4],
    out: &mut [u8],
) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x >= width || (y + 1) * width > left.len() {
        return;
    }
    let height = left.len() / width;
    let difference = |d: usize| {
        let rows = y.saturating_sub(R)..(y + R + 1).min(height);
        let columns = x.saturating_sub(R)..(x + R + 1).min(width);
        rows.flat_map(|y| columns.clone().map(move |x| (x, y)))
            .map(|(x, y)| {
                let (a, b) = (left[y * width + x], right[y * width + x.saturating_sub(d)]);
                a.to_array()
                    .iter()
                    .zip(b.to_array())
                    .map(|(a, b)| a.abs_diff(b) as u32)
                    .sum::<u32>()
            })
            .sum::<u32>()
    };
    let best = (0..MOST).min_by_key(|d| difference(*d));
    out[y * width + x] = best.unwrap_or(0) as u8;
}

fn disparity(on: &Engine) -> Check {
    let (width, height) = (40, 6);
    let random = noise(width * height);
    let left: Vec<U8x4> = random.iter().map(|v| U8x4::from_array(v.to_le_bytes())).collect();
    let moved = |at: usize| if at % width + 3 < width { left[at + 3] } else { left[at] };
    let right: Vec<U8x4> = (0..width * height).map(moved).collect();
    let mut out = vec![0u8; width * height];
    launch!(on, shift::<1, 8>(value width, read left, read right, write out), LaunchConfig::cover((width, height)))?;
    let inner = (0..height).flat_map(|y| out[y * width + 6..(y + 1) * width - 3].to_vec());
    same("shift", &inner.collect::<Vec<_>>(), &[3; 31 * 6])
}

/// Decomposes a matrix into a lower and an upper one, in place.
#[device]
fn decompose<const N: usize>(m: &mut [[f64; N]; N]) {
    for k in 0..N {
        for row in k + 1..N {
            m[row][k] /= m[k][k];
            for column in k + 1..N {
                m[row][column] -= m[row][k] * m[k][column];
            }
        }
    }
}

#[kernel]
fn solve<const N: usize>(matrices: &[[[f64; N]; N]], sides: &[[f64; N]], out: &mut [f32]) {
    let i = global_idx_x();
    if i >= matrices.len() {
        return;
    }
    let (mut m, mut b) = (matrices[i], sides[i]);
    decompose(&mut m);
    for row in 1..N {
        b[row] -= (0..row).map(|k| m[row][k] * b[k]).sum::<f64>();
    }
    for row in (0..N).rev() {
        b[row] = (b[row] - (row + 1..N).map(|k| m[row][k] * b[k]).sum::<f64>()) / m[row][row];
    }
    for (place, v) in out[i * N..][..N].iter_mut().zip(b) {
        *place = v as f32;
    }
}

fn decompositions(on: &Engine) -> Check {
    const N: usize = 5;
    let random = noise(33 * N * N);
    let number = |i: usize| f64::from(random[i] % 1000) / 1000.0;
    let matrices: Vec<[[f64; N]; N]> = (0..33)
        .map(|i| {
            std::array::from_fn(|r| {
                std::array::from_fn(|c| {
                    number((i * N + r) * N + c) + if r == c { 4.0 } else { 0.0 }
                })
            })
        })
        .collect();
    let solution = |i: usize, k: usize| ((i + k) % 7) as f64 - 3.0;
    let sides: Vec<[f64; N]> = (0..33)
        .map(|i| std::array::from_fn(|r| (0..N).map(|c| matrices[i][r][c] * solution(i, c)).sum()))
        .collect();
    let mut out = vec![0.0f32; 33 * N];
    launch!(on, solve::<N>(read matrices, read sides, write out), LaunchConfig::cover(33))?;
    let want: Vec<f64> = (0..33).flat_map(|i| (0..N).map(move |k| solution(i, k))).collect();
    close("x", &out, &want, 1e-5)
}
