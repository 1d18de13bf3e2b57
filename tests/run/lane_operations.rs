//! Warp functions: reductions of 16-bit floats and in generic code, active masks, wide shuffles.
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use std::sync::atomic::Ordering;
use warpwise::prelude::*;
use warpwise::{bf16, f16};

cases![
    f16s: THREADS_MEET,
    bf16s: THREADS_MEET,
    generic_reductions: THREADS_MEET,
    active_masks: THREADS_MEET,
    aggregated: THREADS_MEET,
    elected: THREADS_MEET,
    shuffled_values: THREADS_MEET,
    every_shuffle_of_a_struct: THREADS_MEET,
];

/// Returns the sum of the existing lanes, in the order of a butterfly.
fn butterfly<T: Copy>(of: &[T], add: impl Fn(T, T) -> T) -> T {
    let mut left: Vec<Option<T>> = of.iter().copied().map(Some).collect();
    left.resize(32, None);
    for distance in [16, 8, 4, 2, 1] {
        for lane in 0..distance {
            left[lane] = match (left[lane], left[lane + distance]) {
                (Some(a), Some(b)) => Some(add(a, b)),
                (a, b) => a.or(b),
            };
        }
    }
    left[0].unwrap()
}

/// Returns the sum as a balanced tree, neighbours first.
fn tree<T: Copy>(mut of: Vec<T>, add: impl Fn(T, T) -> T) -> T {
    while of.len() > 1 {
        of = of.chunks(2).map(|pair| pair.iter().copied().reduce(&add).unwrap()).collect();
    }
    of[0]
}

macro_rules! halves {
    ($($case:ident $ty:ident)*) => {$(
        /// Sums that round at every step, of whole and partial warps.
        fn $case(on: &Engine) -> Check {
            #[kernel]
            fn reduces(x: &[$ty], out: &mut [$ty]) {
                let t = block::thread_rank();
                out[t * 5] = warp::reduce_add(x[t]);
                out[t * 5 + 1] = warp::reduce_min(x[t]);
                out[t * 5 + 2] = warp::reduce_max(x[t]);
                out[t * 5 + 3] = block::reduce_add(x[t]);
                let even = warp::ballot(t % 2 == 0);
                out[t * 5 + 4] = warp::reduce_add_mask(if t % 2 == 0 { even } else { !even }, x[t]);
            }
            for size in [1, 27, 32, 96, 100] {
                let value = |i: usize| $ty::from_f32((i as f32 * 1.37).sin() * 300.0);
                let mut x: Vec<$ty> = (0..size).map(value).collect();
                if size == 96 {
                    x[0] = $ty::NAN;
                    x[40] = $ty::INFINITY;
                    x[70] = $ty::from_bits(1);
                }
                let mut out = vec![$ty::ZERO; size * 5];
                let config = LaunchConfig::grid(1).block(size);
                launch!(on, reduces(read x, write out), config)?;
                let sums: Vec<$ty> = x.chunks(32).map(|x| butterfly(x, |a, b| a + b)).collect();
                let all = tree(sums.clone(), |a, b| a + b);
                let want: Vec<$ty> = (0..size)
                    .flat_map(|t| {
                        let warp = &x[t / 32 * 32..size.min(t / 32 * 32 + 32)];
                        let numbers = || warp.iter().map(|x| x.to_f32()).filter(|x| !x.is_nan());
                        let least = numbers().fold(f32::INFINITY, f32::min);
                        let most = numbers().fold(f32::NEG_INFINITY, f32::max);
                        let half = (0..32).map(|lane| {
                            let value = warp.get(lane).copied();
                            value.filter(|_| lane % 2 == t % 2).unwrap_or($ty::NEG_ZERO)
                        });
                        let half = butterfly(&half.collect::<Vec<_>>(), |a, b| a + b);
                        [sums[t / 32], $ty::from_f32(least), $ty::from_f32(most), all, half]
                    })
                    .collect();
                same(&format!("{size} threads"), &out, &want)?;
            }
            Ok(())
        }
    )*};
}
halves! { f16s f16 bf16s bf16 }

#[device]
fn spread<T: Num>(x: T) -> T {
    warp::reduce_max(x) - warp::reduce_min(x) + warp::reduce_add(x)
}

#[kernel]
fn spreads<T: Num, I: Int>(x: &[T], y: &[I], out: &mut [T], bits: &mut [I]) {
    let t = thread_idx_x();
    out[t] = spread(x[t]);
    bits[t] = (warp::reduce_and(y[t]) ^ warp::reduce_or(y[t])) + warp::reduce_xor(y[t]);
    bits[t] += block::reduce_max(y[t]) - warp::inclusive_sum(y[t]);
}

fn generic_reductions(on: &Engine) -> Check {
    let x: Vec<f16> = (0..32).map(|i| f16::from_f32((i * 7 % 32) as f32)).collect();
    let y: Vec<u64> = (0..32u64).map(|i| (i * i) << 30 | 5).collect();
    let (mut out, mut bits) = (vec![f16::ZERO; 32], vec![0u64; 32]);
    launch!(
        on,
        spreads(read x, read y, write out, write bits),
        LaunchConfig::grid(1).block(32)
    )?;
    same("out", &out, &[f16::from_f32(31.0 + 496.0); 32])?;
    let fold = |of: fn(u64, u64) -> u64| y.iter().copied().reduce(of).unwrap();
    let own = (fold(|a, b| a & b) ^ fold(|a, b| a | b)).wrapping_add(fold(|a, b| a ^ b));
    let want: Vec<u64> =
        (0..32).map(|t| own.wrapping_add(y[31]).wrapping_sub(y[..=t].iter().sum())).collect();
    same("bits", &bits, &want)
}

/// The guarantees of an active mask: it contains the caller and no ended lane, and all its lanes
/// reach the next collective.
#[kernel(block = 96)]
fn who_runs(gone: u32, out: &mut [u32]) {
    let t = thread_idx_x();
    if gone >> (t % 32) & 1 == 1 {
        return;
    }
    let lanes = warp::active_mask();
    let same = warp::match_any_mask(lanes, lanes) == lanes;
    let odd = t % 2 == 1;
    let mut branch = 0;
    if odd {
        branch = warp::active_mask();
        branch = warp::reduce_and_mask(branch, branch);
    }
    let own = lanes >> (t % 32) & 1;
    out[t] = own
        + 2 * (lanes & gone == 0) as u32
        + 4 * same as u32
        + 8 * (branch & (gone | 0x5555_5555) == 0) as u32
        + 16 * (branch >> (t % 32) & 1 == odd as u32) as u32;
}

fn active_masks(on: &Engine) -> Check {
    for gone in [0u32, 0xff00_0001, 0x7fff_ffff] {
        let mut out = vec![0; 96];
        launch!(on, who_runs(value gone, write out), LaunchConfig::grid(1))?;
        let want: Vec<u32> =
            (0..96).map(|t| if gone >> (t % 32) & 1 == 1 { 0 } else { 31 }).collect();
        same(&format!("{gone:#x}"), &out, &want)?;
    }
    Ok(())
}

/// One atomic update for all active lanes.
#[kernel]
fn compact(x: &[i32], count: &[AtomicU32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() && x[i] > 0 {
        let lanes = warp::active_mask();
        let mut start = 0;
        if warp::elect_mask(lanes) {
            start = count[0].fetch_add(lanes.count_ones(), Ordering::Relaxed);
        }
        start = warp::shfl_mask(lanes, start, lanes.trailing_zeros() as usize);
        out[(start + warp::exclusive_sum_mask(lanes, 1u32)) as usize] = x[i];
    }
}

fn aggregated(on: &Engine) -> Check {
    let x: Vec<i32> = (0..1000).map(|i| i * 7919 % 211 - 100).collect();
    let (mut count, mut out) = (vec![0], vec![0; 1000]);
    launch!(on, compact(read x, atomic count, write out), LaunchConfig::cover(1000))?;
    let mut want: Vec<i32> = x.into_iter().filter(|x| *x > 0).collect();
    same("count", &count, &[want.len() as u32])?;
    out.truncate(want.len());
    out.sort_unstable();
    want.sort_unstable();
    same("out", &out, &want)
}

#[kernel(block = 80, allow(gpu_partial_warps))]
fn elects(gone: u32, out: &mut [u32]) {
    let t = thread_idx_x();
    if gone >> (t % 32) & 1 == 1 {
        return;
    }
    out[t] = warp::elect() as u32;
    let high = warp::ballot(t % 32 > 9);
    if t % 32 > 9 {
        out[t] += 2 * warp::elect_mask(high) as u32;
    }
    out[t] += 100 * warp::warp_id() as u32 + 1000 * warp::lane_id() as u32;
}

fn elected(on: &Engine) -> Check {
    for gone in [0u32, 0x0000_0c07, 0x8000_0001] {
        let mut out = vec![0; 80];
        launch!(on, elects(value gone, write out), LaunchConfig::grid(1))?;
        let there = |lane: u32| gone >> lane & 1 == 0;
        let first = (0..32).find(|lane| there(*lane)).unwrap();
        let high = (10..32).find(|lane| there(*lane)).unwrap();
        let want: Vec<u32> = (0..80u32)
            .map(|t| {
                let lane = t % 32;
                let elected = u32::from(lane == first) + 2 * u32::from(lane == high);
                if there(lane) { elected + t / 32 * 100 + lane * 1000 } else { 0 }
            })
            .collect();
        same(&format!("{gone:#x}"), &out, &want)?;
    }
    Ok(())
}

/// Sixteen bytes of several types.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Mixed {
    a: f64,
    b: [i8; 2],
    c: bool,
    d: f16,
}

#[kernel(block = 32)]
fn values(x: &[Mixed], out: &mut [Mixed], more: &mut [f64]) {
    let t = thread_idx_x();
    out[t] = warp::shfl_xor(x[t], 5);
    let (flag, pair) = warp::shfl((x[t].c, (t as u64, t as f32 * 0.5)), t + 3);
    let [first, second, third] = warp::shfl_down([t as u32, 7 * t as u32, !t as u32], 4);
    let some = warp::shfl_up(if t % 3 == 0 { Some(t as u16) } else { None }, 1);
    more[t] = flag as u32 as f64
        + pair.0 as f64 * 10.0
        + pair.1 as f64 * 1e3
        + (first + second) as f64 * 1e6
        + (third == !first) as u32 as f64 * 1e10
        + some.map_or(0.5, |lane| lane as f64 * 1e11);
}

fn shuffled_values(on: &Engine) -> Check {
    let one = |t: usize| Mixed {
        a: t as f64 * 0.1,
        b: [t as i8, -(t as i8)],
        c: t % 5 == 2,
        d: f16::from_f32(t as f32 / 8.0),
    };
    let x: Vec<Mixed> = (0..32).map(one).collect();
    let (mut out, mut more) = (vec![Mixed::default(); 32], vec![0.0; 32]);
    launch!(on, values(read x, write out, write more), LaunchConfig::grid(1))?;
    equal("out", &out, &(0..32).map(|t| x[t ^ 5]).collect::<Vec<_>>())?;
    let want: Vec<f64> = (0..32usize)
        .map(|t| {
            let (from, below) = ((t + 3) % 32, if t < 28 { t + 4 } else { t });
            let before = if t > 0 { t - 1 } else { t };
            let some = if before % 3 == 0 { before as f64 * 1e11 } else { 0.5 };
            f64::from(u8::from(x[from].c))
                + from as f64 * 10.0
                + from as f64 * 500.0
                + (below * 8) as f64 * 1e6
                + 1e10
                + some
        })
        .collect();
    same("more", &more, &want)
}

/// Every form of a shuffle, of a struct.
#[kernel(block = 32)]
fn forms(x: &[Mixed], out: &mut [Mixed]) {
    let t = thread_idx_x();
    let v = x[t];
    out[t * 8] = warp::shfl(v, 9);
    out[t * 8 + 1] = warp::shfl_mask(u32::MAX, v, t / 2);
    out[t * 8 + 2] = warp::shfl_up_width::<4, _>(v, 1);
    out[t * 8 + 3] = warp::shfl_down_mask_width::<16, _>(u32::MAX, v, 3);
    out[t * 8 + 4] = warp::shfl_xor_mask_width::<2, Mixed>(u32::MAX, v, 1);
    out[t * 8 + 5] = warp::shfl_width::<8, _>(v, 10);
    if t < 8 {
        out[t * 8 + 6] = warp::shfl_up_mask(0xff, v, 2);
        out[t * 8 + 7] = warp::shfl_mask_width::<4, _>(0xff, v, 1);
    }
}

fn every_shuffle_of_a_struct(on: &Engine) -> Check {
    let one = |t: usize| Mixed { a: t as f64, b: [1, t as i8], c: t % 2 == 0, d: f16::ONE };
    let x: Vec<Mixed> = (0..32).map(one).collect();
    let mut out = vec![Mixed::default(); 256];
    launch!(on, forms(read x, write out), LaunchConfig::grid(1))?;
    let want: Vec<Mixed> = (0..32usize)
        .flat_map(|t| {
            let up = if t % 4 > 0 { t - 1 } else { t };
            let down = if t % 16 < 13 { t + 3 } else { t };
            let few = match t < 8 {
                true => [x[if t > 1 { t - 2 } else { t }], x[t / 4 * 4 + 1]],
                false => [Mixed::default(); 2],
            };
            let all = [x[9], x[t / 2], x[up], x[down], x[t ^ 1], x[t / 8 * 8 + 2]];
            all.into_iter().chain(few)
        })
        .collect();
    equal("out", &out, &want)
}
