//! Cooperative launches: blocks that run together and wait for each other.
use crate::run::engine::{Check, Engine, cases, fault, launch, same};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use warpwise::{Error, LaunchMistake, prelude::*};

cases![
    two_phases: THREADS_MEET, many_rounds: THREADS_MEET, every_shape: THREADS_MEET,
    again_and_again: THREADS_MEET, threads_that_return: THREADS_MEET,
    blocks_that_return: THREADS_MEET, threads_that_fault: THREADS_MEET,
    in_device_functions: THREADS_MEET, with_sized_memory: THREADS_MEET,
    beside_other_barriers: THREADS_MEET, prints_too: THREADS_MEET, ranks, too_many: THREADS_MEET,
];

/// Every block reads the sums of all blocks.
#[kernel(cooperative)]
fn shares(x: &[u64], sums: &mut [u64], out: &mut [u64]) {
    let i = grid::thread_rank();
    let sum = block::reduce_add(if i < x.len() { x[i] } else { 0 });
    if thread_idx_x() == 0 {
        sums[block_idx_x()] = sum;
    }
    grid::sync();
    let mut all = 0;
    for block in 0..grid_dim_x() {
        all += sums[block];
    }
    if i < out.len() {
        out[i] = x[i] * 1000 / all;
    }
}

fn two_phases(on: &Engine) -> Check {
    for (blocks, block) in [(1, 64), (7, 96), (30, 256)] {
        let n = blocks * block - 5;
        let x: Vec<u64> = (0..n as u64).map(|i| i * 37 % 101).collect();
        let (mut sums, mut out) = (vec![0; blocks], vec![0; n]);
        let config = LaunchConfig::grid(blocks).block(block);
        launch!(on, shares(read x, write sums, write out), config)?;
        let all: u64 = x.iter().sum();
        same("out", &out, &x.iter().map(|x| x * 1000 / all).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// A value moves around the whole grid, one neighbour per round.
#[kernel(cooperative)]
fn goes_round(rounds: u32, x: &mut [u32]) {
    let i = grid::thread_rank();
    let from = (i + 1) % grid::size();
    for _ in 0..rounds {
        let next = x[from];
        grid::sync();
        x[i] = next;
        grid::sync();
    }
}

fn many_rounds(on: &Engine) -> Check {
    let (blocks, block) = (16, 48);
    let n = blocks * block;
    for rounds in [0u32, 1, 2, 251] {
        let mut x: Vec<u32> = (0..n as u32).collect();
        let config = LaunchConfig::grid(blocks).block(block);
        launch!(on, goes_round(value rounds, write x), config)?;
        same("x", &x, &(0..n as u32).map(|i| (i + rounds) % n as u32).collect::<Vec<_>>())?;
    }
    Ok(())
}

fn every_shape(on: &Engine) -> Check {
    for (grid, block) in [((2, 3, 2), (8, 4, 2)), ((1, 1, 9), (1, 1, 1)), ((4, 1, 1), (5, 7, 3))] {
        let n = grid.0 * grid.1 * grid.2 * block.0 * block.1 * block.2;
        let (rounds, mut x) = (3u32, (0..n as u32).collect::<Vec<_>>());
        let config = LaunchConfig::grid(grid).block(block);
        launch!(on, goes_round(value rounds, write x), config)?;
        same("x", &x, &(0..n as u32).map(|i| (i + rounds) % n as u32).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Each launch needs the values that the previous one leaves.
fn again_and_again(on: &Engine) -> Check {
    let n = 9 * 64;
    let (mut x, config) = ((0..n as u32).collect::<Vec<_>>(), LaunchConfig::grid(9).block(64));
    let mut total = 0;
    for rounds in [1u32, 1, 2, 5, 1, 3, 4, 4] {
        launch!(on, goes_round(value rounds, write x), config)?;
        total += rounds;
    }
    same("x", &x, &(0..n as u32).map(|i| (i + total) % n as u32).collect::<Vec<_>>())
}

/// Threads return one after the other, and the others continue to synchronize.
#[kernel(cooperative)]
#[allow(gpu_barriers_after_divergent_returns, gpu_barriers_in_divergent_loops)]
fn fewer_and_fewer(out: &mut [u32], count: &[AtomicU32]) {
    let i = grid::thread_rank();
    let mut round = 0;
    while round < 12 {
        if i * 5 % 13 == round {
            return;
        }
        count[round].fetch_add(1, Ordering::Relaxed);
        grid::sync();
        // All remaining threads have been counted.
        out[i] = count[round].load(Ordering::Relaxed);
        round += 1;
    }
}

fn threads_that_return(on: &Engine) -> Check {
    let n = 13 * 32;
    let (mut out, mut count) = (vec![0u32; n], vec![0u32; 12]);
    let config = LaunchConfig::grid(13).block(32);
    launch!(on, fewer_and_fewer(write out, atomic count), config)?;
    // The same number returns in each round, as 13 is a prime.
    let left: Vec<u32> = (0..12).map(|round| n as u32 - 32 * (round + 1)).collect();
    same("count", &count, &left)?;
    let want = |i: usize| match i * 5 % 13 {
        0 => 0,
        rounds => left[rounds.min(12) - 1],
    };
    same("out", &out, &(0..n).map(want).collect::<Vec<_>>())
}

/// Whole blocks end before the first barrier, between two, or after the last.
#[kernel(cooperative)]
fn blocks_leave(out: &mut [u32], count: &[AtomicU32]) {
    let block = block_idx_x();
    for round in 0..8 {
        if block % 9 == round {
            return;
        }
        if thread_idx_x() == 0 {
            count[round].fetch_add(1, Ordering::Relaxed);
        }
        grid::sync();
        out[grid::thread_rank()] = count[round].load(Ordering::Relaxed);
    }
}

fn blocks_that_return(on: &Engine) -> Check {
    for blocks in [1usize, 5, 27] {
        let (mut out, mut count) = (vec![0u32; blocks * 40], vec![0u32; 8]);
        let config = LaunchConfig::grid(blocks).block(40);
        launch!(on, blocks_leave(write out, atomic count), config)?;
        let left = |round: usize| (0..blocks).filter(|block| block % 9 > round).count() as u32;
        same("count", &count, &(0..8).map(left).collect::<Vec<_>>())?;
        let want = |i: usize| match i / 40 % 9 {
            0 => 0,
            rounds => left(rounds.min(8) - 1),
        };
        same("out", &out, &(0..blocks * 40).map(want).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// One thread faults in each round, in the last ones all of a block.
#[kernel(cooperative)]
fn some_fault(x: &[u32], out: &mut [u32]) {
    let i = grid::thread_rank();
    for round in 0..6 {
        if i == round * 37 || (round == 4 && block_idx_x() == 2) {
            out[i] = x[x.len() + round];
        }
        grid::sync();
    }
    out[i] = x[i % x.len()];
}

fn threads_that_fault(on: &Engine) -> Check {
    let (blocks, block) = (6, 64);
    let x: Vec<u32> = (1..11).collect();
    let faults = |i: usize| i % 37 == 0 && i / 37 < 6 || i / block == 2;
    for _ in 0..3 {
        let mut out = vec![0; blocks * block];
        let config = LaunchConfig::grid(blocks).block(block);
        let panic = fault(launch!(on, some_fault(read x, write out), config))?;
        let count = (0..blocks * block).filter(|&i| faults(i)).count() as u64;
        if (panic.index, panic.block, panic.thread, panic.count)
            != (Some(10), [0, 0, 0], [0, 0, 0], count)
        {
            return Err(format!("{panic:?}").into());
        }
        let want = |i| if faults(i) { 0 } else { x[i % 10] };
        same("out", &out, &(0..blocks * block).map(want).collect::<Vec<_>>())?;
    }
    Ok(())
}

#[device]
fn total(parts: &mut [f64], value: f64) -> f64 {
    let sum = block::reduce_add(value);
    if block::thread_rank() == 0 {
        parts[block_idx_x()] = sum;
    }
    grid::sync();
    let total = parts.iter().sum::<f64>();
    grid::sync();
    total
}

#[kernel(cooperative, block = 128)]
fn normalized(x: &mut [f64], parts: &mut [f64]) {
    let i = global_idx_x();
    let mean = total(parts, x[i]) / x.len() as f64;
    let spread = total(parts, (x[i] - mean) * (x[i] - mean));
    x[i] = (x[i] - mean) * spread;
}

fn in_device_functions(on: &Engine) -> Check {
    let start: Vec<f64> = (0..512).map(|i| f64::from(i % 8)).collect();
    let (mut x, mut parts) = (start.clone(), vec![0.0f64; 4]);
    launch!(on, normalized(write x, write parts), LaunchConfig::grid(4))?;
    same("x", &x, &start.iter().map(|x| (x - 3.5) * 2688.0).collect::<Vec<_>>())
}

#[kernel(cooperative)]
fn kept(n: usize, x: &mut [u32]) {
    let own = shared_dyn!(u32, n * block_dim_x());
    let t = thread_idx_x();
    for k in 0..n {
        own[k * block_dim_x() + t] = x[(grid::thread_rank() + k) % x.len()];
    }
    grid::sync();
    x[grid::thread_rank()] = 0;
    grid::sync();
    let mut sum = 0;
    for k in 0..n {
        sum += own[k * block_dim_x() + block_dim_x() - 1 - t];
    }
    x[grid::thread_rank()] = sum;
}

fn with_sized_memory(on: &Engine) -> Check {
    for n in [1usize, 3, 100] {
        let start: Vec<u32> = (0..256).collect();
        let mut x = start.clone();
        launch!(on, kept(value n, write x), LaunchConfig::grid(4).block(64))?;
        let of = |i: usize| {
            let first = i / 64 * 64 + 63 - i % 64;
            (0..n).map(|k| start[(first + k) % 256]).sum::<u32>()
        };
        same("x", &x, &(0..256).map(of).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// All barriers in one loop, and shared memory between them.
#[kernel(cooperative, block = 96)]
fn mixed(x: &mut [u32]) {
    let tile = shared!([u32; 96]);
    let t = thread_idx_x();
    for round in 0..20 {
        tile[t] = x[(global_idx_x() + 96) % x.len()] + round;
        sync_threads();
        let turned = warp::shfl_xor(tile[95 - t], 1);
        let odd = sync_threads_count(turned % 2 == 1) as u32;
        grid::sync();
        x[global_idx_x()] = turned ^ odd;
        grid::sync();
    }
}

fn beside_other_barriers(on: &Engine) -> Check {
    let mut want: Vec<u32> = (0..480).map(|i| i * 2654435761u32.wrapping_mul(i) >> 7).collect();
    let mut x = want.clone();
    launch!(on, mixed(write x), LaunchConfig::grid(5))?;
    for round in 0..20u32 {
        let tile: Vec<u32> = (0..480).map(|i| want[(i + 96) % 480].wrapping_add(round)).collect();
        let turned: Vec<u32> = (0..480).map(|i| tile[i / 96 * 96 + (95 - (i % 96 ^ 1))]).collect();
        let odd = |block: usize| {
            turned[block * 96..][..96].iter().filter(|value| **value % 2 == 1).count() as u32
        };
        want = (0..480).map(|i| turned[i] ^ odd(i / 96)).collect();
    }
    same("x", &x, &want)
}

#[kernel(cooperative)]
fn tells(x: &mut [u32]) {
    if grid::thread_rank() == 0 {
        x[0] = 5;
    }
    grid::sync();
    if grid::thread_rank() + 1 == grid::size() {
        println!("it is {}", x[0]);
        x[1] = x[0] + 1;
    }
}

fn prints_too(on: &Engine) -> Check {
    let Engine::Device { device, .. } = on else { return Err("the host prints itself".into()) };
    let said = Arc::new(Mutex::new(String::new()));
    let seen = Arc::clone(&said);
    device.on_print(move |text| seen.lock().unwrap().push_str(text));
    let mut x = vec![0; 2];
    launch!(on, tells(write x), LaunchConfig::grid(3).block(33))?;
    device.on_print(|text| print!("{text}"));
    same("x", &x, &[5, 6])?;
    match said.lock().unwrap().as_str() {
        "it is 5\n" => Ok(()),
        other => Err(format!("it said {other:?}").into()),
    }
}

#[kernel]
fn numbers(out: &mut [usize]) {
    let i = grid::thread_rank();
    out[i] = i * 1000 + grid::size();
}

/// Numbers of threads and blocks in the grid need no cooperation.
fn ranks(on: &Engine) -> Check {
    let mut out = vec![0; 2 * 3 * 2 * 5 * 2 * 2];
    launch!(on, numbers(write out), LaunchConfig::grid((2, 3, 2)).block((5, 2, 2)))?;
    same("out", &out, &(0..240).map(|i| i * 1000 + 240).collect::<Vec<_>>())
}

fn too_many(on: &Engine) -> Check {
    let run = |blocks: usize, len: usize| {
        let (rounds, mut x) = (1u32, (0..len as u32).collect::<Vec<_>>());
        launch!(on, goes_round(value rounds, write x), LaunchConfig::grid(blocks).block(512))?;
        Ok(x)
    };
    let limit = match run(60_000, 1) {
        Err(Error::Launch {
            mistake: LaunchMistake::CooperativeGrid { blocks: 60_000, limit, .. },
            ..
        }) => limit as usize,
        other => return Err(format!("expected a refusal, got {:?}", other.map(|x| x.len())).into()),
    };
    // As many blocks as fit, on every multiprocessor.
    let n = limit as u32 * 512;
    same("x", &run(limit, limit * 512)?, &(0..n).map(|i| (i + 1) % n).collect::<Vec<_>>())?;
    match run(limit + 1, 1) {
        Err(Error::Launch { mistake: LaunchMistake::CooperativeGrid { .. }, .. }) => Ok(()),
        other => Err(format!("expected a refusal, got {:?}", other.map(|x| x.len())).into()),
    }
}
