//! Pipelines of stages: bulk copies and stores, one and several producers, several pipelines.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::{MBarrier, Pipeline, U32x4, prelude::*};

cases![
    bulk_copies: THREADS_MEET, stores: THREADS_MEET, there_and_back: THREADS_MEET,
    in_functions: THREADS_MEET,
];

/// One thread copies rows, 64 others add them.
#[kernel(block = 96)]
fn copied<const STAGES: usize>(x: &[[U32x4; 64]], y: &mut [u32]) {
    let (full, empty) = (shared!([MBarrier<1>; STAGES]), shared!([MBarrier<64>; STAGES]));
    let rows = shared!([[U32x4; 64]; STAGES]);
    let mut pipeline = Pipeline::new(full, empty);
    let t = thread_idx_x();
    if t == 64 {
        for row in 0..x.len() {
            let stage = pipeline.acquire();
            pipeline.bulk_copy(&mut rows[stage], &x[row]);
            pipeline.commit();
        }
    }
    if t < 64 {
        let mut sum = 0u32;
        for _ in 0..x.len() {
            let stage = pipeline.wait();
            let four = rows[stage][63 - t];
            pipeline.release();
            sum = sum.wrapping_mul(3) ^ four.x ^ four.w;
        }
        if t < y.len() {
            y[t] = sum;
        }
    }
}

fn bulk_copies(on: &Engine) -> Check {
    for count in [0usize, 1, 3, 4, 29] {
        let four = |i: usize| U32x4::new(i as u32, 1, 2, (i * i) as u32);
        let x: Vec<[U32x4; 64]> =
            (0..count).map(|row| std::array::from_fn(|i| four(row * 100 + i))).collect();
        let sum = |t: usize| {
            x.iter().fold(0u32, |sum, row| sum.wrapping_mul(3) ^ row[63 - t].x ^ row[63 - t].w)
        };
        let want: Vec<u32> = (0..64).map(sum).collect();
        let (mut one, mut three, mut four) = (vec![9u32; 64], vec![9u32; 64], vec![9u32; 64]);
        launch!(on, copied::<1>(read x, write one), LaunchConfig::grid(1))?;
        launch!(on, copied::<3>(read x, write three), LaunchConfig::grid(1))?;
        launch!(on, copied::<4>(read x, write four), LaunchConfig::grid(1))?;
        same("one", &one, &want)?;
        same("three", &three, &want)?;
        same("four", &four, &want)?;
    }
    Ok(())
}

/// A warp of producers stores, each thread an element.
#[kernel(block = 64)]
fn stored(x: &[u32], y: &mut [u32]) {
    let (full, empty) = (shared!([MBarrier<32>; 3]), shared!([MBarrier<32>; 3]));
    let rows = shared!([[u32; 32]; 3]);
    let mut pipeline = Pipeline::new(full, empty);
    let (lane, count) = (warp::lane_id(), x.len() / 32);
    if warp::warp_id() == 0 {
        for row in 0..count {
            let stage = pipeline.acquire();
            rows[stage][lane] = x[32 * row + lane];
            pipeline.commit();
        }
    } else {
        let mut sum = 0u32;
        for _ in 0..count {
            let stage = pipeline.wait();
            sum = sum.wrapping_mul(7).wrapping_add(rows[stage][31 - lane]);
            pipeline.release();
        }
        if lane < y.len() {
            y[lane] = sum;
        }
    }
}

fn stores(on: &Engine) -> Check {
    for count in [1, 2, 10] {
        let x: Vec<u32> = (0..32 * count).map(|i| (i * i) as u32).collect();
        let mut y = vec![0u32; 32];
        launch!(on, stored(read x, write y), LaunchConfig::grid(1))?;
        let sum = |lane: usize| {
            x.chunks(32).fold(0u32, |sum, row| sum.wrapping_mul(7).wrapping_add(row[31 - lane]))
        };
        same("y", &y, &(0..32).map(sum).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Two warps exchange rows by two pipelines, of different lengths.
#[kernel(block = 64)]
fn exchange(rounds: usize, y: &mut [u32]) {
    let (full, empty) = (shared!([MBarrier<32>; 2]), shared!([MBarrier<32>; 2]));
    let (full_back, empty_back) = (shared!([MBarrier<32>; 5]), shared!([MBarrier<32>; 5]));
    let (there, back) = (shared!([[u32; 32]; 2]), shared!([[u32; 32]; 5]));
    let mut out = Pipeline::new(full, empty);
    let mut home = Pipeline::new(full_back, empty_back);
    let lane = warp::lane_id();
    let mut value = lane as u32;
    for _ in 0..rounds {
        if warp::warp_id() == 0 {
            let stage = out.acquire();
            there[stage][lane] = value;
            out.commit();
            let stage = home.wait();
            value = back[stage][31 - lane].wrapping_mul(3);
            home.release();
        } else {
            let stage = out.wait();
            value = there[stage][(lane + 1) % 32] + 1;
            out.release();
            let stage = home.acquire();
            back[stage][lane] = value;
            home.commit();
        }
    }
    if warp::warp_id() == 0 && lane < y.len() {
        y[lane] = value;
    }
}

fn there_and_back(on: &Engine) -> Check {
    for rounds in [0, 1, 6, 11] {
        let mut y = vec![0u32; 32];
        launch!(on, exchange(value rounds, write y), LaunchConfig::grid(1))?;
        let mut want: Vec<u32> = (0..32).collect();
        for _ in 0..rounds {
            let sent: Vec<u32> = (0..32).map(|lane| want[(lane + 1) % 32] + 1).collect();
            want = (0..32).map(|lane| sent[31 - lane].wrapping_mul(3)).collect();
        }
        same("y", &y, &want)?;
    }
    Ok(())
}

#[device]
fn produce<const N: usize>(
    pipeline: &mut Pipeline<'_, N, 1, 32>,
    cells: &mut [u32; N],
    count: usize,
) {
    for i in 0..count {
        let stage = pipeline.acquire();
        cells[stage] = (i * i) as u32;
        pipeline.commit();
    }
}

/// A pipeline is passed to functions by reference.
#[kernel(block = 64)]
fn by_functions(y: &mut [u32]) {
    let (full, empty) = (shared!([MBarrier<1>; 3]), shared!([MBarrier<32>; 3]));
    let cells = shared!([u32; 3]);
    let mut pipeline = Pipeline::new(full, empty);
    let t = thread_idx_x();
    if t == 63 {
        produce(&mut pipeline, cells, 10);
    }
    if t < 32 {
        let mut sum = t as u32;
        for _ in 0..10 {
            sum += cells[pipeline.wait()];
            pipeline.release();
        }
        if t < y.len() {
            y[t] = sum;
        }
    }
}

fn in_functions(on: &Engine) -> Check {
    let mut y = vec![0u32; 32];
    launch!(on, by_functions(write y), LaunchConfig::grid(1))?;
    same("y", &y, &(0..32).map(|t| t + 285).collect::<Vec<_>>())
}
