//! Block and warp reductions and scans: blocks of every shape, user types, non-commutative
//! operations, several calls in a row and in loops.
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use warpwise::prelude::*;

cases![
    ranks,
    reduces: THREADS_MEET,
    scans: THREADS_MEET,
    sums_and_extremes: THREADS_MEET,
    shapes: THREADS_MEET,
    in_a_row: THREADS_MEET,
    in_loops: THREADS_MEET,
    of_structs: THREADS_MEET,
    from_device_functions: THREADS_MEET,
    uniform_results: THREADS_MEET,
    warp_reduces: THREADS_MEET,
    warp_scans: THREADS_MEET,
    some_lanes: THREADS_MEET,
];

/// Numbers of threads that end inside a warp or at its end, of one warp and of all 32.
const SIZES: [usize; 12] = [1, 2, 31, 32, 33, 63, 64, 97, 256, 1000, 1023, 1024];

#[kernel]
fn where_am_i(out: &mut [usize]) {
    let block = block_idx_x() * block::size();
    out[block + block::thread_rank()] = block::thread_rank() * 10_000 + block::size();
}

fn ranks(on: &Engine) -> Check {
    for block in [(7, 1, 1), (3, 4, 5), (1, 33, 2), (1, 1, 64)] {
        let size = block.0 * block.1 * block.2;
        let mut out = vec![0; size * 2];
        launch!(on, where_am_i(write out), LaunchConfig::grid(2).block(block))?;
        let want: Vec<usize> = (0..size * 2).map(|t| t % size * 10_000 + size).collect();
        same("out", &out, &want)?;
    }
    Ok(())
}

/// Two affine maps, one after the other: associative, and not commutative.
#[device]
fn then(first: u64, second: u64) -> u64 {
    let (a, b) = (first as u32, (first >> 32) as u32);
    let (c, d) = (second as u32, (second >> 32) as u32);
    (a.wrapping_mul(c)) as u64 | (b.wrapping_mul(c).wrapping_add(d) as u64) << 32
}

fn maps(count: usize) -> Vec<u64> {
    (0..count as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1).collect()
}

#[kernel]
fn composed(x: &[u64], out: &mut [u64]) {
    let rank = block::thread_rank();
    out[rank] = block::reduce(x[rank], then);
}

fn reduces(on: &Engine) -> Check {
    for size in SIZES {
        let (x, mut out) = (maps(size), vec![0; size]);
        launch!(on, composed(read x, write out), LaunchConfig::grid(1).block(size))?;
        let want = x.iter().copied().reduce(then).unwrap();
        same(&format!("{size} threads"), &out, &vec![want; size])?;
    }
    Ok(())
}

#[kernel]
fn prefixes(x: &[u64], identity: u64, inclusive: &mut [u64], exclusive: &mut [u64]) {
    let rank = block::thread_rank();
    inclusive[rank] = block::inclusive_scan(x[rank], |a, b| then(a, b));
    exclusive[rank] = block::exclusive_scan(x[rank], identity, |a, b| then(a, b));
}

/// Returns the combined maps up to each one, with it and without it.
fn prefixes_of(x: &[u64], first: u64) -> (Vec<u64>, Vec<u64>) {
    let mut inclusive: Vec<u64> = Vec::new();
    for x in x {
        inclusive.push(inclusive.last().map_or(*x, |before| then(*before, *x)));
    }
    let exclusive = [first].into_iter().chain(inclusive.iter().copied()).take(x.len()).collect();
    (inclusive, exclusive)
}

fn scans(on: &Engine) -> Check {
    let identity = 77u64;
    for size in SIZES {
        let x = maps(size);
        let (mut inclusive, mut exclusive) = (vec![0; size], vec![0; size]);
        launch!(
            on,
            prefixes(read x, value identity, write inclusive, write exclusive),
            LaunchConfig::grid(1).block(size)
        )?;
        let want = prefixes_of(&x, identity);
        same(&format!("inclusive, {size} threads"), &inclusive, &want.0)?;
        same(&format!("exclusive, {size} threads"), &exclusive, &want.1)?;
    }
    Ok(())
}

/// Every function of numbers.
#[kernel]
fn numbers(x: &[i32], y: &[f32], ints: &mut [i32], floats: &mut [f32]) {
    let t = block::thread_rank();
    ints[t * 5] = block::reduce_add(x[t]);
    ints[t * 5 + 1] = block::reduce_min(x[t]);
    ints[t * 5 + 2] = block::reduce_max(x[t]);
    ints[t * 5 + 3] = block::inclusive_sum(x[t]);
    ints[t * 5 + 4] = block::exclusive_sum(x[t]);
    floats[t * 5] = block::reduce_add(y[t]);
    floats[t * 5 + 1] = block::reduce_min(y[t] as f64) as f32;
    floats[t * 5 + 2] = block::reduce_max(y[t]);
    floats[t * 5 + 3] = block::inclusive_sum(y[t]);
    floats[t * 5 + 4] = block::exclusive_sum(y[t] as f64) as f32;
}

fn sums_and_extremes(on: &Engine) -> Check {
    for size in SIZES {
        let x: Vec<i32> =
            (0..size).map(|i| (i as i32).wrapping_mul(0x9e37_79b9u32 as i32)).collect();
        // Whole numbers, whose sums are exact in any order.
        let y: Vec<f32> = (0..size).map(|i| (i * 37 % 101) as f32 - 60.0).collect();
        let (mut ints, mut floats) = (vec![0; size * 5], vec![0.0; size * 5]);
        let config = LaunchConfig::grid(1).block(size);
        launch!(on, numbers(read x, read y, write ints, write floats), config)?;
        let sum = |of: &[i32]| of.iter().fold(0, |sum: i32, x| sum.wrapping_add(*x));
        let (least, most) = (*x.iter().min().unwrap(), *x.iter().max().unwrap());
        let want: Vec<i32> =
            (0..size).flat_map(|t| [sum(&x), least, most, sum(&x[..=t]), sum(&x[..t])]).collect();
        same(&format!("ints, {size} threads"), &ints, &want)?;
        let sum = |of: &[f32]| of.iter().fold(0.0, |sum, x| sum + *x);
        let (least, most) =
            (y.iter().fold(1e9, |a, b| b.min(a)), y.iter().fold(-1e9, |a, b| b.max(a)));
        let want: Vec<f32> =
            (0..size).flat_map(|t| [sum(&y), least, most, sum(&y[..=t]), sum(&y[..t])]).collect();
        same(&format!("floats, {size} threads"), &floats, &want)?;
    }
    Ok(())
}

/// Blocks of two and three dimensions, several of them.
#[kernel]
fn shaped(x: &[u64], all: &mut [u64], before: &mut [u64]) {
    let place = block_idx_x() * block::size() + block::thread_rank();
    all[place] = block::reduce(x[place], then);
    before[place] = block::exclusive_scan(x[place], 5, then);
}

fn shapes(on: &Engine) -> Check {
    for block in [(8, 8, 1), (5, 7, 1), (3, 4, 9), (1, 40, 1), (2, 3, 64)] {
        let size = block.0 * block.1 * block.2;
        let x = maps(size * 3);
        let (mut all, mut before) = (vec![0; size * 3], vec![0; size * 3]);
        let config = LaunchConfig::grid(3).block(block);
        launch!(on, shaped(read x, write all, write before), config)?;
        let want: Vec<u64> = x
            .chunks(size)
            .flat_map(|x| vec![x.iter().copied().reduce(then).unwrap(); size])
            .collect();
        same(&format!("all, {block:?}"), &all, &want)?;
        let want: Vec<u64> = x.chunks(size).flat_map(|x| prefixes_of(x, 5).1).collect();
        same(&format!("before, {block:?}"), &before, &want)?;
    }
    Ok(())
}

/// Calls in direct succession, each of whose arguments depends on the previous results.
#[kernel(block = 160)]
fn chained(x: &[u32], out: &mut [u32]) {
    let t = thread_idx_x();
    let a = block::inclusive_sum(x[t]);
    let b = block::reduce_max(a ^ 21);
    let c = block::exclusive_scan(b % (a + 1), 3, |x, y| x.max(y));
    let d = block::reduce_add(c) + block::reduce_add(a);
    out[t] = block::exclusive_sum(d ^ c);
}

fn in_a_row(on: &Engine) -> Check {
    let x: Vec<u32> = (0..160).map(|i| i * i % 91).collect();
    let mut out = vec![0; 160];
    launch!(on, chained(read x, write out), LaunchConfig::grid(1))?;
    let running = |of: &[u32]| {
        let mut sum = 0;
        of.iter()
            .map(|x| {
                sum += x;
                sum
            })
            .collect::<Vec<u32>>()
    };
    let a = running(&x);
    let b = a.iter().map(|a| a ^ 21).max().unwrap();
    let e: Vec<u32> = a.iter().map(|a| b % (a + 1)).collect();
    let c: Vec<u32> = (0..160).map(|t| e[..t].iter().copied().max().unwrap_or(3)).collect();
    let d = c.iter().sum::<u32>().wrapping_add(a.iter().sum());
    let mut want = running(&c.iter().map(|c| d ^ c).collect::<Vec<_>>());
    want.rotate_right(1);
    want[0] = 0;
    same("out", &out, &want)
}

/// The same call again and again, without barriers of the kernel's own in between.
#[kernel(block = 224)]
fn repeated(rounds: usize, out: &mut [u32]) {
    let t = block::thread_rank();
    let mut value = t as u32 * 7 + 1;
    for round in 0..rounds {
        let total = block::reduce(value, |a, b| a.wrapping_add(b));
        let before = block::exclusive_sum(value ^ total);
        value = before.rotate_left(round as u32) ^ block::reduce_max(before);
    }
    while block::reduce_min(value) % 4 != 3 {
        value += 1;
    }
    out[t] = value;
}

fn in_loops(on: &Engine) -> Check {
    let (rounds, mut out) = (20usize, vec![0; 224]);
    launch!(on, repeated(value rounds, write out), LaunchConfig::grid(1))?;
    let mut value: Vec<u32> = (0..224).map(|t| t * 7 + 1).collect();
    for round in 0..rounds {
        let total = value.iter().fold(0u32, |a, b| a.wrapping_add(*b));
        let before: Vec<u32> = (0..224)
            .map(|t| value[..t].iter().fold(0u32, |a, b| a.wrapping_add(b ^ total)))
            .collect();
        let most = *before.iter().max().unwrap();
        value = before.iter().map(|x| x.rotate_left(round as u32) ^ most).collect();
    }
    while value.iter().min().unwrap() % 4 != 3 {
        value.iter_mut().for_each(|value| *value = value.wrapping_add(1));
    }
    same("out", &out, &value)
}

/// The largest value and its index.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Peak {
    height: f32,
    at: u32,
    seen: [u16; 2],
    even: bool,
}

#[device]
impl Peak {
    fn higher(self, other: Self) -> Self {
        let mut peak = if other.height > self.height { other } else { self };
        peak.seen = [self.seen[0] + other.seen[0], self.seen[1] + other.seen[1]];
        peak
    }
}

#[kernel]
fn peaks(x: &[f32], best: &mut [Peak], so_far: &mut [Peak], pairs: &mut [f64]) {
    let t = block::thread_rank();
    let own = Peak { height: x[t], at: t as u32, seen: [1, 2], even: t % 2 == 0 };
    best[t] = block::reduce(own, |a, b| a.higher(b));
    so_far[t] = block::inclusive_scan(own, Peak::higher);
    let (count, sum) = block::reduce((1u8, x[t] as f64), |a, b| (a.0.wrapping_add(b.0), a.1 + b.1));
    let [low, high] = warp::reduce([x[t], -x[t]], |a, b| [a[0].min(b[0]), a[1].min(b[1])]);
    pairs[t] = count as f64 + sum * 1000.0 + (low - high) as f64 * 1e9;
}

fn of_structs(on: &Engine) -> Check {
    for size in [1, 40, 64, 300] {
        let x: Vec<f32> = (0..size).map(|i| (i * 53 % 211) as f32).collect();
        let (mut best, mut so_far) = (vec![Peak::default(); size], vec![Peak::default(); size]);
        let mut pairs = vec![0.0; size];
        launch!(
            on,
            peaks(read x, write best, write so_far, write pairs),
            LaunchConfig::grid(1).block(size)
        )?;
        let own =
            |t: usize| Peak { height: x[t], at: t as u32, seen: [1, 2], even: t.is_multiple_of(2) };
        let want: Vec<Peak> =
            (0..size).map(|t| (0..=t).map(own).reduce(Peak::higher).unwrap()).collect();
        equal("so_far", &so_far, &want)?;
        equal("best", &best, &vec![want[size - 1]; size])?;
        let want: Vec<f64> = (0..size)
            .map(|t| {
                let warp = &x[t / 32 * 32..size.min(t / 32 * 32 + 32)];
                let low = warp.iter().copied().fold(f32::MAX, f32::min);
                let high = warp.iter().copied().fold(f32::MIN, f32::max);
                let sum: f64 = x.iter().map(|x| f64::from(*x)).sum();
                (size % 256) as f64 + sum * 1000.0 + f64::from(low + high) * 1e9
            })
            .collect();
        same("pairs", &pairs, &want)?;
    }
    Ok(())
}

/// Generic calls, with closures as arguments.
#[device]
fn norm<T: Float>(value: T, size: impl Fn(T) -> T) -> T {
    block::reduce(size(value), |a, b| if a > b { a } else { b })
}

#[device]
fn rank_of<T: Num>(own: T, than: T) -> T {
    let counts = if own < than { T::ONE } else { T::ZERO };
    block::exclusive_scan(counts, T::ZERO, |a, b| a + b)
}

#[kernel(block = 96)]
fn in_functions(x: &[f64], y: &[i32], out: &mut [f64]) {
    let t = thread_idx_x();
    let longest = norm(x[t], |x| x.abs()) + norm(x[t] - 3.0, |x| x * x);
    out[t] = longest + rank_of(y[t], 10) as f64 + rank_of(x[t], 0.0);
}

fn from_device_functions(on: &Engine) -> Check {
    let x: Vec<f64> = (0..96).map(|i| f64::from(i * 29 % 97) - 50.0).collect();
    let y: Vec<i32> = (0..96).map(|i| i * 31 % 40 - 7).collect();
    let mut out = vec![0.0; 96];
    launch!(on, in_functions(read x, read y, write out), LaunchConfig::grid(1))?;
    let most = |of: &dyn Fn(f64) -> f64| x.iter().map(|x| of(*x)).fold(0.0, f64::max);
    let longest = most(&f64::abs) + most(&|x| (x - 3.0) * (x - 3.0));
    let want: Vec<f64> = (0..96)
        .map(|t| {
            let below = y[..t].iter().filter(|y| **y < 10).count();
            let negative = x[..t].iter().filter(|x| **x < 0.0).count();
            longest + (below + negative) as f64
        })
        .collect();
    same("out", &out, &want)
}

/// All threads have the same result, bit for bit, so that barriers may depend on it; a sum whose
/// order counts.
#[kernel(block = 320)]
fn halving(x: &[f32], out: &mut [f32], rounds: &mut [u32]) {
    let t = thread_idx_x();
    let mut value = x[t];
    let mut count = 0;
    while block::reduce(value.abs(), |a, b| a + b) > 1.0 {
        let sum = block::reduce_add(value);
        if sum > 0.0 {
            value -= sum / 320.0 + block::reduce_max(value) / 16.0;
            sync_threads();
        }
        value *= 0.75;
        count += 1;
    }
    out[t] = value;
    rounds[t] = count;
}

fn uniform_results(on: &Engine) -> Check {
    let x: Vec<f32> = (0..320).map(|i| (i as f32 * 1.7).sin() * 100.0 + 3.0).collect();
    let (mut out, mut rounds) = (vec![0.0; 320], vec![0; 320]);
    launch!(on, halving(read x, write out, write rounds), LaunchConfig::grid(1))?;
    same("rounds", &rounds, &[rounds[0]; 320])?;
    let sum: f32 = out.iter().map(|x| x.abs()).sum();
    if rounds[0] > 3 && sum < 1.01 { Ok(()) } else { Err(format!("{sum} {}", rounds[0]).into()) }
}

#[kernel]
fn lanes_reduce(x: &[u64], out: &mut [u64], odd: &mut [u64]) {
    let t = thread_idx_x();
    out[t] = warp::reduce(x[t], then);
    let lanes = warp::ballot(t % 3 == 0);
    if t % 3 == 0 {
        odd[t] = warp::reduce_mask(lanes, x[t], then);
    }
}

/// Returns the values of the lanes of a thread's warp for which a condition holds, in order.
fn of_warp(x: &[u64], t: usize, holds: impl Fn(usize) -> bool) -> Vec<u64> {
    let first = t / 32 * 32;
    (first..x.len().min(first + 32)).filter(|t| holds(*t)).map(|t| x[t]).collect()
}

fn warp_reduces(on: &Engine) -> Check {
    for size in SIZES {
        let (x, mut out, mut odd) = (maps(size), vec![0; size], vec![0; size]);
        let config = LaunchConfig::grid(1).block(size);
        launch!(on, lanes_reduce(read x, write out, write odd), config)?;
        let all = |values: Vec<u64>| values.into_iter().reduce(then).unwrap();
        let want: Vec<u64> = (0..size).map(|t| all(of_warp(&x, t, |_| true))).collect();
        same(&format!("out, {size} threads"), &out, &want)?;
        let third = |t: usize| t % 3 == 0;
        let want: Vec<u64> =
            (0..size).map(|t| if third(t) { all(of_warp(&x, t, third)) } else { 0 }).collect();
        same(&format!("odd, {size} threads"), &odd, &want)?;
    }
    Ok(())
}

#[kernel]
fn lanes_scan(x: &[u64], out: &mut [u64]) {
    let t = thread_idx_x();
    out[t * 6] = warp::inclusive_scan(x[t], then);
    out[t * 6 + 1] = warp::exclusive_scan(x[t], 9, then);
    out[t * 6 + 2] = warp::inclusive_sum(x[t]);
    out[t * 6 + 3] = warp::exclusive_sum(x[t]);
    let lanes = warp::ballot(t % 5 < 2);
    if t % 5 < 2 {
        out[t * 6 + 4] = warp::inclusive_scan_mask(lanes, x[t], then);
        out[t * 6 + 5] = warp::exclusive_scan_mask(lanes, x[t], 8, then);
    } else {
        out[t * 6 + 4] = warp::inclusive_sum_mask(warp::ballot_mask(!lanes, true), x[t]);
        out[t * 6 + 5] = warp::exclusive_sum_mask(!lanes, x[t]);
    }
}

fn warp_scans(on: &Engine) -> Check {
    for size in SIZES {
        let (x, mut out) = (maps(size), vec![0; size * 6]);
        launch!(on, lanes_scan(read x, write out), LaunchConfig::grid(1).block(size))?;
        let sum = |of: &[u64]| of.iter().fold(0u64, |a, b| a.wrapping_add(*b));
        let first = |t: usize| t % 5 < 2;
        let want: Vec<u64> = (0..size)
            .flat_map(|t| {
                let up_to = of_warp(&x, t, |other| other <= t);
                let some = of_warp(&x, t, |other| other <= t && first(other) == first(t));
                let (all, some_all) = (prefixes_of(&up_to, 9), prefixes_of(&some, 8));
                let last = up_to.len() - 1;
                let sums = [all.0[last], all.1[last], sum(&up_to), sum(&up_to[..last])];
                let last = some.len() - 1;
                let of_some = match first(t) {
                    true => [some_all.0[last], some_all.1[last]],
                    false => [sum(&some), sum(&some[..last])],
                };
                sums.into_iter().chain(of_some)
            })
            .collect();
        same(&format!("{size} threads"), &out, &want)?;
    }
    Ok(())
}

/// Lanes that have ended, or that a mask omits, do not take part.
#[kernel(block = 96)]
fn after_ends(x: &[u64], gone: u32, out: &mut [u64]) {
    let t = thread_idx_x();
    if gone >> (t % 32) & 1 == 1 {
        return;
    }
    out[t * 3] = warp::reduce(x[t], |a, b| then(a, b));
    out[t * 3 + 1] = warp::inclusive_scan(x[t], then);
    out[t * 3 + 2] = warp::exclusive_sum(x[t]);
}

fn some_lanes(on: &Engine) -> Check {
    let x = maps(96);
    for gone in [0x0000_0001, 0x8000_0000, 0x5555_5555, 0xffff_fffe, 0x00ff_ff00, 0x7fff_fffe_u32] {
        let mut out = vec![0; 96 * 3];
        launch!(on, after_ends(read x, value gone, write out), LaunchConfig::grid(1))?;
        let there = |t: usize| gone >> (t % 32) & 1 == 0;
        let want: Vec<u64> = (0..96)
            .flat_map(|t| {
                if !there(t) {
                    return [0; 3];
                }
                let all = of_warp(&x, t, there).into_iter().reduce(then).unwrap();
                let up_to = of_warp(&x, t, |other| there(other) && other <= t);
                let sum = up_to[..up_to.len() - 1].iter().fold(0u64, |a, b| a.wrapping_add(*b));
                [all, up_to.into_iter().reduce(then).unwrap(), sum]
            })
            .collect();
        same(&format!("{gone:#x}"), &out, &want)?;
    }
    Ok(())
}
