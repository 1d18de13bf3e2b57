//! Shuffles and votes: whole warps, partial ones, masks, widths and exited lanes.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![
    shuffles: THREADS_MEET, every_type: THREADS_MEET, widths: THREADS_MEET,
    generic_widths: THREADS_MEET, masks: THREADS_MEET,
    votes: THREADS_MEET, partial_warp: THREADS_MEET, after_exits: THREADS_MEET,
    sums: THREADS_MEET, divergent_masks: THREADS_MEET, sync_warps: THREADS_MEET,
    reductions: THREADS_MEET, matching: THREADS_MEET, leaders: THREADS_MEET, lane_masks: THREADS_MEET,
];

#[kernel(block = 64)]
fn shuffling(x: &[u32], by: usize, out: &mut [u32]) {
    let t = thread_idx_x();
    let v = x[t];
    out[t * 5] = warp::shfl(v, by);
    out[t * 5 + 1] = warp::shfl_up(v, by);
    out[t * 5 + 2] = warp::shfl_down(v, by);
    out[t * 5 + 3] = warp::shfl_xor(v, by);
    out[t * 5 + 4] = warp::shfl(v, t * 3 + by);
}

fn shuffles(on: &Engine) -> Check {
    let x: Vec<u32> = (0..64).map(|t| t * 100 + 7).collect();
    for by in [0, 1, 5, 16, 31] {
        let mut out = vec![0; 320];
        launch!(on, shuffling(read x, value by, write out), LaunchConfig::grid(1))?;
        let want: Vec<u32> = (0..64)
            .flat_map(|t| {
                let (warp, lane) = (t / 32 * 32, t % 32);
                let up = if lane >= by { lane - by } else { lane };
                let down = if lane + by < 32 { lane + by } else { lane };
                [by, up, down, lane ^ by, (t * 3 + by) % 32].map(|lane| x[warp + lane])
            })
            .collect();
        same("out", &out, &want)?;
    }
    Ok(())
}

/// Shuffles values of a type.
macro_rules! shuffle_type {
    ($on:ident $($ty:ident [$($edge:expr),*])*) => {{$({
        #[kernel(block = 32)]
        fn swap(x: &[$ty], out: &mut [$ty]) {
            let t = thread_idx_x();
            out[t] = warp::shfl_xor(x[t], 1);
            out[t + 32] = warp::shfl_down(x[t], 3);
        }
        let x: Vec<$ty> = [$($edge),*].into_iter().cycle().take(32).collect();
        let mut out = vec![Default::default(); 64];
        launch!($on, swap(read x, write out), LaunchConfig::grid(1))?;
        let want: Vec<$ty> = (0..32)
            .map(|t| x[t ^ 1])
            .chain((0..32).map(|t| x[if t < 29 { t + 3 } else { t }]))
            .collect();
        same(stringify!($ty), &out, &want)?;
    })*}};
}

fn every_type(on: &Engine) -> Check {
    shuffle_type! { on
        bool [true, false, false] i8 [1, -1, i8::MIN] i16 [1, -1, i16::MIN] i32 [1, -1, i32::MIN]
        i64 [1, -1, i64::MIN] isize [1, -1, isize::MIN] u8 [1, 0, u8::MAX] u16 [1, 0, u16::MAX]
        u32 [1, 0, u32::MAX] u64 [1, 0, 0x1234_5678_9abc_def0] usize [1, 0, usize::MAX]
        f32 [1.5, -0.0, f32::INFINITY] f64 [1.5, -0.0, 1e-300]
    }
    Ok(())
}

/// All four shuffles in groups of one width, by `by`.
macro_rules! width {
    ($on:ident $($w:literal $kernel:ident)*) => {{$({
        #[kernel(block = 32)]
        fn $kernel(x: &[i32], by: usize, out: &mut [i32]) {
            let t = thread_idx_x();
            out[t * 4] = warp::shfl_width::<$w, _>(x[t], by);
            out[t * 4 + 1] = warp::shfl_up_width::<$w, _>(x[t], by);
            out[t * 4 + 2] = warp::shfl_down_width::<$w, _>(x[t], by);
            out[t * 4 + 3] = warp::shfl_xor_width::<$w, _>(x[t], by);
        }
        for by in [0usize, 1, 3, 9] {
            let x: Vec<i32> = (100..132).collect();
            let mut out = vec![0; 128];
            launch!($on, $kernel(read x, value by, write out), LaunchConfig::grid(1))?;
            let want: Vec<i32> = (0..32usize)
                .flat_map(|t| {
                    let (group, lane) = (t / $w * $w, t % $w);
                    let up = if lane >= by { lane - by } else { lane };
                    let down = if lane + by < $w { lane + by } else { lane };
                    let xor = if lane ^ by < $w { lane ^ by } else { lane };
                    [by % $w, up, down, xor].map(|lane| x[group + lane])
                })
                .collect();
            same(stringify!($kernel), &out, &want)?;
        }
    })*}};
}

fn widths(on: &Engine) -> Check {
    width! { on 2 width_2 4 width_4 8 width_8 16 width_16 }
    Ok(())
}

#[device]
const FOUR: usize = 4;

#[device]
fn group_sum<const W: usize, T: Num>(value: T) -> T {
    let mut sum = value;
    let mut distance = W / 2;
    while distance > 0 {
        sum += warp::shfl_xor_width::<W, _>(sum, distance);
        distance /= 2;
    }
    sum
}

#[kernel(block = 32)]
fn in_groups<const N: usize>(x: &[i32], by: usize, out: &mut [i32]) {
    let t = thread_idx_x();
    out[t * 7] = warp::shfl_width::<N, _>(x[t], by);
    out[t * 7 + 1] = warp::shfl_up_width::<{ N }, _>(x[t], by);
    out[t * 7 + 2] = warp::shfl_down_width::<N, i32>(x[t], by);
    out[t * 7 + 3] = warp::shfl_xor_mask_width::<N, _>(u32::MAX, (x[t], true), by).0;
    out[t * 7 + 4] = warp::shfl_width::<FOUR, _>(x[t], by);
    out[t * 7 + 5] = group_sum::<N, _>(x[t]);
    out[t * 7 + 6] = group_sum::<{ 2 * FOUR }, _>(x[t]);
}

macro_rules! in_groups_of {
    ($on:ident $($w:literal)*) => {$(for by in [0usize, 1, 3, 9] {
        let x: Vec<i32> = (100..132).collect();
        let mut out = vec![0; 32 * 7];
        launch!($on, in_groups::<$w>(read x, value by, write out), LaunchConfig::grid(1))?;
        let want: Vec<i32> = (0..32usize)
            .flat_map(|t| {
                let (group, lane) = (t / $w * $w, t % $w);
                let up = if lane >= by { lane - by } else { lane };
                let down = if lane + by < $w { lane + by } else { lane };
                let xor = if lane ^ by < $w { lane ^ by } else { lane };
                let [of, up, down, xor] = [by % $w, up, down, xor].map(|lane| x[group + lane]);
                let sum_of = |w: usize| x[t / w * w..][..w].iter().sum();
                [of, up, down, xor, x[t / 4 * 4 + by % 4], sum_of($w), sum_of(8)]
            })
            .collect();
        same(concat!("width ", $w), &out, &want)?;
    })*};
}

fn generic_widths(on: &Engine) -> Check {
    in_groups_of! { on 2 4 8 16 32 }
    let (x, by, mut out) = (vec![1; 32], 1usize, vec![0; 32 * 7]);
    let refused = launch!(on, in_groups::<3>(read x, value by, write out), LaunchConfig::grid(1));
    let said = refused.expect_err("no group has 3 lanes").to_string();
    assert!(said.contains("`N` is 3, and the width of a shuffle is 2, 4, 8, 16 or 32"), "{said}");
    Ok(())
}

#[kernel(block = 32)]
fn masked(x: &[f32], out: &mut [f32]) {
    let t = thread_idx_x();
    out[t] = x[t];
    if t < 16 {
        out[t] = warp::shfl_xor_mask(0x0000_ffff, x[t], 1);
    } else {
        out[t] = warp::shfl_down_mask(0xffff_0000, x[t], 2);
    }
}

fn masks(on: &Engine) -> Check {
    let x: Vec<f32> = (0..32).map(|t| t as f32 + 0.5).collect();
    let mut out = vec![0.0; 32];
    launch!(on, masked(read x, write out), LaunchConfig::grid(1))?;
    let want: Vec<f32> = (0..32)
        .map(|t| if t < 16 { x[t ^ 1] } else { x[if t < 30 { t + 2 } else { t }] })
        .collect();
    same("out", &out, &want)
}

#[kernel(block = 64)]
fn voting(x: &[i32], out: &mut [u32]) {
    let t = thread_idx_x();
    let v = x[t];
    out[t * 4] = warp::ballot(v > 10);
    out[t * 4 + 1] = if warp::all(v > 10) { 1 } else { 0 };
    out[t * 4 + 2] = if warp::any(v > 10) { 1 } else { 0 };
    out[t * 4 + 3] = warp::ballot_mask(0xffff_ffff, v == 11) & 0xff;
}

fn votes(on: &Engine) -> Check {
    for (first, second) in [(0, 11), (11, 0), (12, 12), (5, 5)] {
        let x: Vec<i32> = (0..64).map(|t| if t % 5 == 0 { first } else { second }).collect();
        let mut out = vec![0; 256];
        launch!(on, voting(read x, write out), LaunchConfig::grid(1))?;
        let ballot = |warp: usize, holds: fn(i32) -> bool| {
            (0..32).fold(0u32, |mask, l| mask | u32::from(holds(x[warp * 32 + l])) << l)
        };
        let want: Vec<u32> = (0..64)
            .flat_map(|t| {
                let above = ballot(t / 32, |v| v > 10);
                let equal = ballot(t / 32, |v| v == 11);
                [above, u32::from(above == u32::MAX), u32::from(above != 0), equal & 0xff]
            })
            .collect();
        same("out", &out, &want)?;
    }
    Ok(())
}

/// Forty threads: the second warp has eight lanes, and only those count.
#[kernel(block = 40, allow(gpu_partial_warps))]
fn eight_lanes(out: &mut [u32]) {
    let t = thread_idx_x();
    out[t * 4] = warp::ballot(true);
    out[t * 4 + 1] = if warp::all(t >= 32) { 1 } else { 0 };
    out[t * 4 + 2] = warp::shfl_xor(t as u32, 4);
    out[t * 4 + 3] = warp::shfl(t as u32, 7);
}

fn partial_warp(on: &Engine) -> Check {
    let mut out = vec![0; 160];
    launch!(on, eight_lanes(write out), LaunchConfig::grid(1))?;
    let want: Vec<u32> =
        (0..40u32)
            .flat_map(|t| {
                if t < 32 { [u32::MAX, 0, t ^ 4, 7] } else { [0xff, 1, 32 + ((t - 32) ^ 4), 39] }
            })
            .collect();
    same("out", &out, &want)
}

#[kernel(block = 32)]
fn half_returns(out: &mut [u32]) {
    let t = thread_idx_x();
    if t % 2 == 1 {
        return;
    }
    out[t] = warp::ballot(t > 9);
    out[t + 1] = warp::shfl_xor(t as u32, 2);
}

fn after_exits(on: &Engine) -> Check {
    let mut out = vec![0; 32];
    launch!(on, half_returns(write out), LaunchConfig::grid(1))?;
    let ballot = (0..32).filter(|l| l % 2 == 0 && *l > 9).fold(0u32, |mask, l| mask | 1 << l);
    let want: Vec<u32> = (0..32).map(|t| if t % 2 == 0 { ballot } else { (t - 1) ^ 2 }).collect();
    same("out", &out, &want)
}

#[kernel(block = 128)]
fn warp_totals(x: &[i64], down: &mut [i64], butterfly: &mut [i64]) {
    let i = global_idx_x();
    let mut sum = x[i];
    let mut step = 16;
    while step > 0 {
        sum += warp::shfl_down(sum, step);
        step /= 2;
    }
    if warp::lane_id() == 0 {
        down[i / 32] = sum;
    }
    let mut sum = x[i];
    for bit in 0..5 {
        sum += warp::shfl_xor(sum, 1 << bit);
    }
    butterfly[i] = sum;
}

fn sums(on: &Engine) -> Check {
    let x: Vec<i64> = (0..512).map(|i| (i * i * i) << 20).collect();
    let (mut down, mut butterfly) = (vec![0; 16], vec![0; 512]);
    launch!(
        on,
        warp_totals(read x, write down, write butterfly),
        LaunchConfig::cover(x.len())
    )?;
    let want: Vec<i64> = x.chunks(32).map(|warp| warp.iter().sum()).collect();
    same("down", &down, &want)?;
    let want: Vec<i64> = (0..512).map(|i| want[i / 32]).collect();
    same("butterfly", &butterfly, &want)
}

/// Lanes in four different bodies, each exchanging values with the lanes in the same body.
#[kernel(block = 32)]
fn four_ways(x: &[u32], out: &mut [u32]) {
    let t = thread_idx_x();
    let mut v = x[t];
    if t % 2 == 0 {
        if t % 4 == 0 {
            v = warp::shfl_xor_mask(0x1111_1111, v, 4);
        } else {
            v = warp::ballot_mask(0x4444_4444, v > 20);
        }
    } else {
        if t % 4 == 1 {
            v += warp::shfl_xor_mask(0x2222_2222, v, 8);
        } else {
            v = if warp::any_mask(0x8888_8888, v == 31) { 500 } else { 600 };
        }
    }
    out[t] = v;
}

fn divergent_masks(on: &Engine) -> Check {
    let x: Vec<u32> = (0..32).collect();
    let mut out = vec![0; 32];
    launch!(on, four_ways(read x, write out), LaunchConfig::grid(1))?;
    let ballot = (0..32).filter(|l| l % 4 == 2 && *l > 20).fold(0u32, |mask, l| mask | 1 << l);
    let want: Vec<u32> =
        (0..32).map(|t| [t ^ 4, t + (t ^ 8), ballot, 500][t as usize % 4]).collect();
    same("out", &out, &want)
}

#[kernel(block = 64)]
fn warp_synchronous(x: &[u32], out: &mut [u32]) {
    let cells = shared!([u32; 64]);
    let t = thread_idx_x();
    let first = warp::warp_id() * 32;
    let lane = warp::lane_id();
    cells[t] = x[t];
    sync_warp();
    let left = cells[first + (lane + 31) % 32];
    sync_warp();
    cells[t] = left * 2;
    sync_warp();
    out[t] = cells[first + 31 - lane];
}

fn sync_warps(on: &Engine) -> Check {
    let x: Vec<u32> = (0..64).map(|t| t * t).collect();
    let mut out = vec![0; 64];
    launch!(on, warp_synchronous(read x, write out), LaunchConfig::grid(1))?;
    let want: Vec<u32> = (0..64)
        .map(|t| {
            let (first, lane) = (t / 32 * 32, 31 - t % 32);
            x[first + (lane + 31) % 32] * 2
        })
        .collect();
    same("out", &out, &want)
}

#[kernel(block = 96)]
fn reduces(x: &[i32], y: &[f32], ints: &mut [i32], floats: &mut [f32], lanes: usize) {
    let t = thread_idx_x();
    if t % 32 >= lanes {
        return;
    }
    ints[t * 6] = warp::reduce_add(x[t]);
    ints[t * 6 + 1] = warp::reduce_min(x[t]);
    ints[t * 6 + 2] = warp::reduce_max(x[t]);
    ints[t * 6 + 3] = warp::reduce_and(x[t]);
    ints[t * 6 + 4] = warp::reduce_or(x[t]) + warp::reduce_add(x[t] as i64) as i32;
    let even = warp::ballot(t % 2 == 0);
    if t % 2 == 0 {
        ints[t * 6 + 5] = warp::reduce_xor_mask(even, x[t]);
    } else {
        ints[t * 6 + 5] =
            warp::reduce_add_mask(!even & warp::ballot_mask(!even, true), x[t] as u8) as i32;
    }
    floats[t * 3] = warp::reduce_add(y[t]);
    floats[t * 3 + 1] = warp::reduce_max(y[t]);
    floats[t * 3 + 2] = warp::reduce_add(y[t] as f64) as f32 + warp::elect() as u32 as f32;
}

/// Returns the sum in the order of a butterfly.
fn butterfly<T: Copy>(mut of: Vec<Option<T>>, add: impl Fn(T, T) -> T) -> T {
    of.resize(32, None);
    let mut distance = 16;
    while distance > 0 {
        for lane in 0..distance {
            of[lane] = match (of[lane], of[lane + distance]) {
                (Some(a), Some(b)) => Some(add(a, b)),
                (a, b) => a.or(b),
            };
        }
        distance /= 2;
    }
    of[0].unwrap()
}

fn reductions(on: &Engine) -> Check {
    let x: Vec<i32> = (0..96).map(|i: i32| i.wrapping_mul(0x9e37_79b9u32 as i32) >> 3).collect();
    let y: Vec<f32> = (0..96).map(|i| (i as f32 * 0.37).sin() * 1e3).collect();
    for lanes in [32usize, 19, 1] {
        let (mut ints, mut floats) = (vec![0i32; 96 * 6], vec![0f32; 96 * 3]);
        let config = LaunchConfig::grid(1);
        launch!(on, reduces(read x, read y, write ints, write floats, value lanes), config)?;
        let (mut want_ints, mut want_floats) = (vec![0i32; 96 * 6], vec![0f32; 96 * 3]);
        for t in (0..96).filter(|t| t % 32 < lanes) {
            let warp = t / 32 * 32..t / 32 * 32 + lanes;
            let ints = || warp.clone().map(|i| x[i]);
            let sum = ints().fold(0i32, i32::wrapping_add);
            let own = ints().enumerate().filter(|(i, _)| i % 2 == t % 2).map(|(_, x)| x);
            let parity = match t % 2 {
                0 => own.fold(0, |a, b| a ^ b),
                _ => own.fold(0u8, |a, b| a.wrapping_add(b as u8)).into(),
            };
            want_ints[t * 6..t * 6 + 6].copy_from_slice(&[
                sum,
                ints().min().unwrap(),
                ints().max().unwrap(),
                ints().fold(-1, |a, b| a & b),
                ints().fold(0, |a, b| a | b).wrapping_add(sum),
                parity,
            ]);
            let floats: Vec<f32> = warp.clone().map(|i| y[i]).collect();
            want_floats[t * 3] = butterfly(floats.iter().map(|y| Some(*y)).collect(), |a, b| a + b);
            want_floats[t * 3 + 1] = floats.iter().copied().fold(f32::MIN, f32::max);
            let wide =
                butterfly(floats.iter().map(|y| Some(f64::from(*y))).collect(), |a, b| a + b);
            want_floats[t * 3 + 2] = wide as f32 + if t % 32 == 0 { 1.0 } else { 0.0 };
        }
        same("ints", &ints, &want_ints)?;
        same("floats", &floats, &want_floats)?;
    }
    Ok(())
}

#[kernel(block = 64)]
fn matches_lanes(x: &[u64], out: &mut [u32]) {
    let t = thread_idx_x();
    out[t * 3] = warp::match_any(x[t]);
    out[t * 3 + 1] = warp::match_all(x[t] / 100) as u32;
    out[t * 3 + 2] = warp::match_any((x[t] % 3) as f32);
}

fn matching(on: &Engine) -> Check {
    let x: Vec<u64> =
        (0..64u64).map(|i| i * i % 7 + if i < 32 { 0 } else { i / 48 * 100 }).collect();
    let mut out = vec![0u32; 64 * 3];
    launch!(on, matches_lanes(read x, write out), LaunchConfig::grid(1))?;
    let mut want = vec![0u32; 64 * 3];
    for t in 0..64 {
        let warp = &x[t / 32 * 32..][..32];
        let lanes = |same: &dyn Fn(u64) -> bool| {
            (0..32).filter(|lane| same(warp[*lane])).fold(0u32, |all, lane| all | 1 << lane)
        };
        want[t * 3] = lanes(&|other| other == x[t]);
        want[t * 3 + 1] = u32::from(lanes(&|other| other / 100 == x[t] / 100) == u32::MAX);
        want[t * 3 + 2] = lanes(&|other| other % 3 == x[t] % 3);
    }
    same("out", &out, &want)
}

#[kernel(block = 72, allow(gpu_partial_warps))]
fn led(x: &[u64], out: &mut [u32]) {
    let t = thread_idx_x();
    out[t * 5] = warp::leader() as u32;
    out[t * 5 + 1] = warp::match_all_lanes(x[t] / 100);
    out[t * 5 + 2] = warp::match_all_lanes(x[t] % 2 == 0);
    let odd = warp::ballot(t % 2 == 1);
    if t % 2 == 1 {
        out[t * 5 + 3] = warp::leader_mask(odd) as u32;
        out[t * 5 + 4] = warp::match_all_lanes_mask(odd, x[t] % 4);
    }
}

fn leaders(on: &Engine) -> Check {
    let x: Vec<u64> = (0..72u64).map(|i| 4 * i + if i < 32 { 0 } else { i / 48 * 100 }).collect();
    let mut out = vec![9u32; 72 * 5];
    launch!(on, led(read x, write out), LaunchConfig::grid(1))?;
    let want = (0..72).flat_map(|t: usize| {
        let warp = &x[t / 32 * 32..][..if t < 64 { 32 } else { 8 }];
        let all = u32::MAX >> (32 - warp.len());
        let same = |of: &dyn Fn(u64) -> u64| warp.iter().all(|x| of(*x) == of(warp[0]));
        let hundreds = if same(&|x| x / 100) { all } else { 0 };
        let [leader, fours] = if t % 2 == 1 { [1, all & 0xaaaa_aaaa] } else { [9, 9] };
        [0, hundreds, all, leader, fours]
    });
    same("out", &out, &want.collect::<Vec<_>>())
}

#[kernel(block = (8, 9), allow(gpu_partial_warps))]
fn lane_masked(x: &[u32], out: &mut [u32]) {
    let t = block::thread_rank();
    out[t * 6] = warp::lanemask_lt();
    out[t * 6 + 1] = warp::lanemask_le();
    out[t * 6 + 2] = warp::lanemask_eq();
    out[t * 6 + 3] = warp::lanemask_ge();
    out[t * 6 + 4] = warp::lanemask_gt();
    let kept = warp::ballot(x[t] % 3 == 0);
    out[t * 6 + 5] = (kept & warp::lanemask_lt()).count_ones();
}

fn lane_masks(on: &Engine) -> Check {
    let x: Vec<u32> = (0..72u32).map(|i| i * 37 % 91).collect();
    let mut out = vec![0u32; 72 * 6];
    launch!(on, lane_masked(read x, write out), LaunchConfig::grid(1))?;
    let want = (0..72).flat_map(|t: usize| {
        let lane = t % 32;
        let mask = |which: &dyn Fn(usize) -> bool| {
            (0..32).filter(|other| which(*other)).fold(0u32, |all, other| all | 1 << other)
        };
        let before = x[t / 32 * 32..t].iter().filter(|x| *x % 3 == 0).count();
        [
            mask(&|other| other < lane),
            mask(&|other| other <= lane),
            mask(&|other| other == lane),
            mask(&|other| other >= lane),
            mask(&|other| other > lane),
            before as u32,
        ]
    });
    same("out", &out, &want.collect::<Vec<_>>())
}
