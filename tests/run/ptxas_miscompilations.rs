//! Kernels whose plain PTX some release of `ptxas` miscompiles; `docs/testing.md` lists them.
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
use warpwise::{
    f16,
    mma::{self, E4M3, E5M2},
    prelude::*,
};

cases![
    uniform_registers: THREADS_MEET, constant_at_barrier: THREADS_MEET, wide_quotients,
    lost_factors, guarded_store: THREADS_MEET, votes_in_loops: THREADS_MEET, updates_apart: THREADS_MEET,
    least_numbers, last_numbers, great_steps, constant_halves: THREADS_MEET,
    constants_after_updates: THREADS_MEET, shifts_by_31, counted_factors: THREADS_MEET,
];

/// Needs the address of `slots` in a loop that lanes leave in turn, and divides by 3 twice.
#[kernel(block = 64)]
fn rounds(rounds: u32, parts: &mut [u64], tickets: &[AtomicU64], out: &mut [u64]) {
    let slots = shared!([AtomicU64; 64]);
    let t = thread_idx_x();
    slots[t].store(0, Relaxed);
    sync_threads();
    let mut round = 0;
    while round < rounds {
        for slot in 0..t & 3 {
            slots[slot].fetch_xor((t as u64) << (2 * slot), Acquire);
        }
        if t < parts.len() / 3 {
            parts[t] += 1;
        }
        round += 2;
    }
    tickets[0].fetch_add(32, Relaxed);
    let none = warp::any(rounds == 0);
    if t < parts.len() / 3 && !none {
        parts[parts.len() / 3 + t] += 1;
    }
    tickets[1].fetch_add(48, Relaxed);
    sync_threads();
    out[t] = slots[t].load(Relaxed);
}

fn uniform_registers(on: &Engine) -> Check {
    let (mut parts, mut tickets, mut out) = (vec![0_u64; 150], vec![0_u64; 2], vec![0_u64; 64]);
    let (config, count) = (LaunchConfig::grid(1), 5_u32);
    launch!(on, rounds(value count, write parts, atomic tickets, write out), config)?;
    let mut slots = vec![0; 64];
    for t in 0..64_u64 {
        for slot in 0..t & 3 {
            for _ in 0..3 {
                slots[slot as usize] ^= t << (2 * slot);
            }
        }
    }
    let want: Vec<u64> = (0..150).map(|i| [3, 1, 0][i / 50]).collect();
    same("parts", &parts, &want)?;
    same("tickets", &tickets, &[32 * 64, 48 * 64])?;
    same("out", &out, &slots)
}

/// Uses a barrier's reduction of a constant after loops that lanes leave one after the other.
#[kernel(block = (8, 8))]
fn told(x: u64, out: &mut [u64]) {
    let slots = shared!([AtomicU64; 64]);
    let t = thread_idx_y() * 8 + thread_idx_x();
    slots[t].store(1, Relaxed);
    sync_threads();
    let never = sync_threads_or(false);
    let always = sync_threads_and(true);
    slots[7].fetch_xor(1, Acquire);
    slots[54].fetch_xor(x, Release);
    let mut sum = 0;
    if never {
        for i in 7..=10 {
            sum = sum * 31 + i + t as u64;
        }
    } else {
        sum = x >> 3;
    }
    if always {
        sum += 5;
    }
    sync_threads();
    out[t] = slots[t].load(Relaxed) + sum;
}

fn constant_at_barrier(on: &Engine) -> Check {
    let (mut out, x) = (vec![0_u64; 64], 80_u64);
    launch!(on, told(value x, write out), LaunchConfig::grid(1).block((8, 8)))?;
    same("out", &out, &[16; 64])
}

/// Quotients and remainders that hardware has no instruction for.
#[kernel]
fn divide(x: &[u64], y: &[u64], out: &mut [u64], signed: &mut [i64]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        out[4 * i] = x[i] / y[i];
        out[4 * i + 1] = x[i] % y[i];
        out[4 * i + 2] = x[i] / 7;
        out[4 * i + 3] = x[i] % 641;
        let (a, b) = (x[i] as i64, y[i] as i64);
        signed[4 * i] = a.wrapping_div(b);
        signed[4 * i + 1] = a.wrapping_rem(b);
        signed[4 * i + 2] = a / -7;
        signed[4 * i + 3] = a % 1_000_003;
    }
}

fn wide_quotients(on: &Engine) -> Check {
    let mut numbers: Vec<u64> = vec![3, 7, 641, 1_000_003];
    for shift in 0..64 {
        numbers.extend([
            1 << shift,
            (1_u64 << shift) - 1,
            (1 << shift) + 1,
            0x9e37_79b9_7f4a_7c15 >> shift,
        ]);
    }
    let divisors: Vec<u64> = numbers.iter().copied().filter(|&number| number != 0).collect();
    let pairs = numbers.iter().flat_map(|&x| divisors.iter().map(move |&y| (x, y)));
    let (x, y): (Vec<u64>, Vec<u64>) =
        pairs.flat_map(|(x, y)| [(x, y), (x.wrapping_neg(), y)]).unzip();
    let (mut out, mut signed) = (vec![0_u64; 4 * x.len()], vec![0_i64; 4 * x.len()]);
    let config = LaunchConfig::cover(x.len());
    launch!(on, divide(read x, read y, write out, write signed), config)?;
    let pairs = x.iter().zip(&y);
    let want: Vec<u64> = pairs.clone().flat_map(|(x, y)| [x / y, x % y, x / 7, x % 641]).collect();
    same("out", &out, &want)?;
    let want: Vec<i64> = pairs
        .map(|(&x, &y)| (x as i64, y as i64))
        .flat_map(|(x, y)| [x.wrapping_div(y), x.wrapping_rem(y), x / -7, x % 1_000_003])
        .collect();
    same("signed", &signed, &want)
}

/// Products whose last factor is 1 in the bits that `ptxas` compares.
#[kernel]
fn multiply(x: &[u64], out: &mut [u64], signed: &mut [i64]) {
    let i = global_idx_x();
    if i < x.len() {
        out[2 * i] = x[i].wrapping_mul(65_536).wrapping_mul(65_537).wrapping_add(1);
        let mut hash = (x[i] << 25).wrapping_add(465_031);
        for _ in 0..4 {
            hash = hash.wrapping_mul(31).wrapping_add(3);
        }
        out[2 * i + 1] = hash;
        signed[i] = (x[i] as i64).wrapping_mul(-2_147_483_648).wrapping_mul(31).wrapping_add(1);
    }
}

fn lost_factors(on: &Engine) -> Check {
    let x: Vec<u64> = (0..100).map(|i| i * 0x1234_5678_9abc + i).collect();
    let (mut out, mut signed) = (vec![0_u64; 200], vec![0_i64; 100]);
    launch!(on, multiply(read x, write out, write signed), LaunchConfig::cover(x.len()))?;
    let hash = |x: u64| {
        let rounds = |hash: u64, _| hash.wrapping_mul(31).wrapping_add(3);
        (0..4).fold((x << 25).wrapping_add(465_031), rounds)
    };
    let want: Vec<u64> = x
        .iter()
        .flat_map(|&x| [x.wrapping_mul(65_536 * 65_537).wrapping_add(1), hash(x)])
        .collect();
    same("out", &out, &want)?;
    let want: Vec<i64> =
        x.iter().map(|&x| (x as i64).wrapping_mul(-2_147_483_648 * 31).wrapping_add(1)).collect();
    same("signed", &signed, &want)
}

/// Lanes leave a loop of compare-and-swap one after the other, and store under a guard after it.
#[kernel(block = 128)]
fn contend(bits: u64, rows: &mut [i16], out: &mut [u64]) {
    let slots = shared!([AtomicU64; 32]);
    let t = thread_idx_x();
    if t < 32 {
        slots[t].store(0, Relaxed);
    }
    sync_threads();
    for round in 0..4 {
        slots[31].fetch_xor(bits << (t % 48 + round), AcqRel);
        if t < rows.len() >> 1 {
            rows[t] = -18_942;
        }
    }
    sync_threads();
    out[t] = slots[31].load(Relaxed);
}

fn guarded_store(on: &Engine) -> Check {
    let (mut rows, mut out, bits) = (vec![0_i16; 200], vec![0_u64; 128], 0x1_2345_u64);
    launch!(on, contend(value bits, write rows, write out), LaunchConfig::grid(1).block(128))?;
    let shifts = (0..128_usize).flat_map(|t| (0..4).map(move |round| t % 48 + round));
    let want = shifts.fold(0, |slot, shift| slot ^ bits << shift);
    let half: Vec<i16> = (0..200).map(|t| if t < 100 { -18_942 } else { 0 }).collect();
    same("rows", &rows, &half)?;
    same("out", &out, &[want; 128])
}

/// Uses collectives of a warp in loops that lanes leave one after the other.
#[kernel(block = 33)]
fn decide(x: &[u32], rounds: u32, steps: &mut [u32], out: &mut [u32]) {
    let t = thread_idx_x();
    let large = x[t] > 7;
    let (all, any) = (warp::all(large), warp::any(large));
    let same = warp::match_all(x[t]);
    let mut sum = 0;
    for round in 0..rounds {
        thread_fence();
        let mut step = 0;
        while step < x[t] & 3 {
            if all || same {
                break;
            }
            step += 1;
            if large {
                steps[t] += 1;
            }
            sum = sum * 31 + step + round;
            if !any {
                break;
            }
        }
        if large {
            sum += 1;
        }
    }
    out[t] = sum;
}

fn votes_in_loops(on: &Engine) -> Check {
    let rounds = 3_u32;
    // In the last one, the lanes with large numbers leave the loop before the others.
    for x in
        [|_| 0, |t| t, |t| 2 * t, |t| if t % 4 == 1 { 9 } else { t % 4 }] as [fn(u32) -> u32; 4]
    {
        let x: Vec<u32> = (0..33).map(x).collect();
        let (mut steps, mut out) = (vec![0_u32; 33], vec![0_u32; 33]);
        let config = LaunchConfig::grid(1).block(33);
        launch!(on, decide(read x, value rounds, write steps, write out), config)?;
        // The last lane is a warp of its own, in which all values are the same.
        let walk = |t: usize| {
            let (mut sum, mut steps) = (0_u32, 0);
            for round in 0..rounds {
                for step in 1..=if t < 32 { x[t] & 3 } else { 0 } {
                    steps += u32::from(x[t] > 7);
                    sum = sum.wrapping_mul(31).wrapping_add(step + round);
                }
                sum = sum.wrapping_add(u32::from(x[t] > 7));
            }
            (steps, sum)
        };
        let (steps_wanted, out_wanted): (Vec<u32>, Vec<u32>) = (0..33).map(walk).unzip();
        same("steps", &steps, &steps_wanted)?;
        same("out", &out, &out_wanted)?;
    }
    Ok(())
}

/// Updates by compare-and-swap that diverged lanes execute, with others after them.
#[kernel(block = 33)]
fn lower(bounds: &[AtomicF32], far: &[u32], out: &mut [f32]) {
    let least = shared!([AtomicF32; 33]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    least[t].store(9.5, Relaxed);
    sync_threads();
    for slot in 0..t & 3 {
        bounds[slot].fetch_min(5.5 - t as f32, Relaxed);
    }
    let other = far[i] as usize;
    bounds[other % 9].fetch_min(-50.0, Release);
    least[other % 33].fetch_max(i as f32, Acquire);
    sync_threads();
    out[i] = least[t].load(Relaxed);
}

fn updates_apart(on: &Engine) -> Check {
    let far: Vec<u32> = (0..99).map(|i| i * 7 % 33).collect();
    let (mut bounds, mut out) = (vec![3.5_f32; 9], vec![0_f32; 99]);
    let config = LaunchConfig::grid(3).block(33);
    launch!(on, lower(atomic bounds, read far, write out), config)?;
    let mut want = vec![9.5_f32; 99];
    for i in 0..99 {
        let slot = i / 33 * 33 + far[i] as usize;
        want[slot] = want[slot].max(i as f32);
    }
    same("bounds", &bounds, &[-50.0; 9])?;
    same("out", &out, &want)
}

/// Compares magnitudes with 0, where that of the least number is negative.
#[kernel]
fn measure(x: &[i64], y: &[i32], signs: &mut [i32], thirds: &mut [i64]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        let (far, near) = (x[i].wrapping_abs(), y[i].wrapping_abs());
        signs[i] = i32::from(far < 0) + 2 * i32::from(near < 0) + 4 * i32::from(far >= 0);
        thirds[i] = far / 3 - (near / 5) as i64;
    }
}

fn least_numbers(on: &Engine) -> Check {
    let x = vec![i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX];
    let y = vec![i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX];
    let (mut signs, mut thirds) = (vec![0; 6], vec![0; 6]);
    let config = LaunchConfig::cover(x.len());
    launch!(on, measure(read x, read y, write signs, write thirds), config)?;
    same("signs", &signs, &[3, 4, 4, 4, 4, 4])?;
    let parts = |(x, y): (&i64, &i32)| x.wrapping_abs() / 3 - i64::from(y.wrapping_abs() / 5);
    let want: Vec<i64> = x.iter().zip(&y).map(parts).collect();
    same("thirds", &thirds, &want)
}

/// Counts to the last numbers of types, in few steps.
#[kernel]
fn far_steps(counts: &[AtomicU32], sums: &[AtomicU64]) {
    let i = global_idx_x();
    if i < counts.len() && i < sums.len() {
        for number in (0..u32::MAX).step_by(1 << 30) {
            counts[i].fetch_add(1, Relaxed);
            sums[i].fetch_add(number as u64, Relaxed);
        }
        for number in (i32::MIN..=i32::MAX).step_by((1 << 30) - 2) {
            counts[i].fetch_add(100, Relaxed);
            sums[i].fetch_add(number as u64, Relaxed);
        }
        for number in (i64::MIN..i64::MAX).step_by((1 << 62) - 2) {
            counts[i].fetch_add(10_000, Relaxed);
            sums[i].fetch_add(number as u64, Relaxed);
        }
    }
}

fn last_numbers(on: &Engine) -> Check {
    let (mut counts, mut sums) = (vec![0_u32; 3], vec![0_u64; 3]);
    launch!(on, far_steps(atomic counts, atomic sums), LaunchConfig::cover(3))?;
    let unsigned = (0..u32::MAX).step_by(1 << 30).map(u64::from);
    let signed = (i32::MIN..=i32::MAX).step_by((1 << 30) - 2).map(|number| number as u64);
    let wide = (i64::MIN..i64::MAX).step_by((1 << 62) - 2).map(|number| number as u64);
    let sum = unsigned.chain(signed).chain(wide).fold(0, u64::wrapping_add);
    same("counts", &counts, &[50_504; 3])?;
    same("sums", &sums, &[sum; 3])
}

/// Counts in steps of which two exceed the range of the type.
#[kernel]
fn one_step(steps: &[u32], sums: &mut [u64]) {
    let i = global_idx_x();
    if i < steps.len() && i < sums.len() {
        let mut sum = 7;
        for number in (1..=steps[i] & 3).step_by(3_450_056_596) {
            sum = sum * 31 + number as u64;
        }
        for number in (0..steps[i] & 7).step_by(1 << 31) {
            sum = sum * 31 + number as u64 + 1;
        }
        sums[i] = sum;
    }
}

fn great_steps(on: &Engine) -> Check {
    let steps: Vec<u32> = (0..70).collect();
    let mut sums = vec![0; steps.len()];
    launch!(on, one_step(read steps, write sums), LaunchConfig::cover(steps.len()))?;
    let sum = |step: &u32| {
        let first = if step & 3 == 0 { 7 } else { 7 * 31 + 1 };
        if step & 7 == 0 { first } else { first * 31 + 1 }
    };
    same("sums", &sums, &steps.iter().map(sum).collect::<Vec<u64>>())
}

/// Multiplies by a constant of two halves, of which only the upper one is negative, and needs the
/// constant without the sign.
#[kernel(block = 32)]
fn alternating_sums(words: &[u32], out: &mut [f32]) {
    let word = words[warp::lane_id()] | 0x3c00_3c00;
    let left = mma::A::<f16, 16, 8> { words: [word, word, 0, 0] };
    let right = mma::B::<f16, 8, 8> { words: [0xbc00_3c00, 0] };
    let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
    sum.multiply_add(left, right);
    sum.store(out, 0, 8);
}

fn constant_halves(on: &Engine) -> Check {
    // The lower half of each is 1, and the upper one 1 + lane / 1024.
    let words: Vec<u32> = (0..32).map(|lane| lane << 16).collect();
    let mut out = vec![0.0; 128];
    launch!(on, alternating_sums(read words, write out), LaunchConfig::grid(1))?;
    // Lanes 4r to 4r + 3 hold row r of the left matrix, and its row r + 8.
    let sum = |row: usize| (0..4).map(|i| -((row % 8 * 4 + i) as f32) / 1024.0).sum::<f32>();
    let want: Vec<f32> = (0..128).map(|i| sum(i / 8)).collect();
    same("out", &out, &want)
}

/// Multiplies constants after loops of compare-and-swap that lanes leave one after the other.
#[kernel(block = 32)]
fn sums_after_updates(most: &[AtomicF64], out: &mut [f32]) {
    for round in 0..thread_idx_x() & 3 {
        most[0].fetch_max(round as f64, Relaxed);
    }
    let left = mma::A::<f16, 16, 8> { words: [0x3c00_3c00, 0x3c00_3c00, 0, 0] };
    let right = mma::B::<f16, 8, 8> { words: [0x3c00_3c00, 0] };
    let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
    sum.multiply_add(left, right);
    sum.store(out, 0, 8);
}

fn constants_after_updates(on: &Engine) -> Check {
    let (mut most, mut out) = (vec![-1.0], vec![0.0; 128]);
    launch!(on, sums_after_updates(atomic most, write out), LaunchConfig::grid(1))?;
    same("most", &most, &[2.0])?;
    same("out", &out, &[8.0; 128])
}

/// Adds a value that is shifted by 31 to products, in a loop whose first iteration `ptxas` runs
/// apart.
#[kernel(block = 32)]
fn shifted_sums(seed: u64, rounds: &[u32], sums: &mut [u64]) {
    let i = global_idx_x();
    if i < rounds.len() && i < sums.len() {
        let mut sum = i as u64;
        for _ in 32..=32 + (rounds[i] & 3) {
            sum = sum * 0x3ff7_1547_652b_82fe + (seed << 31);
        }
        sums[i] = sum;
    }
}

fn shifts_by_31(on: &Engine) -> Check {
    let rounds: Vec<u32> = (0..40).collect();
    let (seed, mut sums) = (0x0123_4567_89ab_cdef_u64, vec![0; rounds.len()]);
    launch!(on, shifted_sums(value seed, read rounds, write sums), LaunchConfig::cover(rounds.len()))?;
    let sum = |rounds: &u32| {
        let first = u64::from(*rounds);
        (0..=rounds & 3)
            .fold(first, |sum, _| sum.wrapping_mul(0x3ff7_1547_652b_82fe).wrapping_add(seed << 31))
    };
    same("sums", &sums, &rounds.iter().map(sum).collect::<Vec<u64>>())
}

/// Multiplies by the counter of a loop, which `ptxas` unrolls. The counter's upper half is zero, as
/// that of other constants is.
#[kernel(block = (8, 4))]
fn counter_sums(words: &[u32], hashes: &mut [u64], totals: &mut [f32]) {
    let lane = warp::lane_id();
    let slots = shared!([u8; 64]);
    slots[lane] = 7;
    sync_threads();
    let (mut hash, mut total) = (7_u64, 0.0);
    for round in 0..2_u32 {
        sync_warp();
        let left = mma::A::<E4M3, 16, 32> { words: [words[lane], 0x38 + round, 0, words[lane]] };
        let right = mma::B::<E5M2, 32, 8> { words: [words[lane]; 2] };
        let mut sum = mma::Accumulator::<f32, 16, 8>::zero();
        sum.multiply_add(left, right);
        total += sum.words[2];
        hash = hash * 31 + 32;
        hash = hash * 31 + sum.words[2].to_bits() as u64;
    }
    totals[lane] = total;
    hash = hash * 31 + 8;
    hash = hash * 31 + 64;
    hashes[lane] = hash * 31 + 7 + slots[lane ^ 1] as u64;
}

fn counted_factors(on: &Engine) -> Check {
    // Each byte is 1 on the left and 1/2 on the right.
    let words = vec![0x3838_3838_u32; 32];
    let (mut hashes, mut totals) = (vec![0_u64; 32], vec![0.0; 32]);
    let config = LaunchConfig::grid(1);
    launch!(on, counter_sums(read words, write hashes, write totals), config)?;
    // 16 products with 1, and 4 with the counter: 1 and 1 1/8.
    let sums = [10.0_f32, 10.25];
    same("totals", &totals, &[sums[0] + sums[1]; 32])?;
    let step = |hash: u64, sum: &f32| (hash * 31 + 32) * 31 + u64::from(sum.to_bits());
    let hash = sums.iter().fold(7, step);
    same("hashes", &hashes, &[((hash * 31 + 8) * 31 + 64) * 31 + 7 + 7; 32])
}
