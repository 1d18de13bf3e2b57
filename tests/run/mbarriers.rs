//! Mbarriers: tokens, parities, stages, phases that few threads complete, and separate warps.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::{MBarrier, prelude::*};

cases![
    whole_blocks: THREADS_MEET, stages: THREADS_MEET, one_arrival: THREADS_MEET,
    separate_warps: THREADS_MEET, in_functions: THREADS_MEET, generic_counts: THREADS_MEET,
    ended_threads: THREADS_MEET, beside_block_barriers: THREADS_MEET, turns: THREADS_MEET,
    own_barriers: THREADS_MEET, blocks: THREADS_MEET,
];

/// All threads of a block arrive, and each waits with its token.
#[kernel(block = 96)]
fn rotate(rounds: usize, y: &mut [u32]) {
    let barrier = shared!(MBarrier<96>);
    let cells = shared!([[u32; 96]; 2]);
    let t = thread_idx_x();
    if t >= y.len() {
        return;
    }
    let mut value = y[t];
    for round in 0..rounds {
        cells[round % 2][t] = value;
        let token = barrier.arrive();
        value = value.wrapping_mul(3);
        barrier.wait(token);
        value = value.wrapping_add(cells[round % 2][(t + 1) % 96]);
    }
    y[t] = value;
}

fn whole_blocks(on: &Engine) -> Check {
    for rounds in [0, 1, 2, 7] {
        let mut y: Vec<u32> = (0..96).map(|i| i * i).collect();
        let mut want = y.clone();
        for _ in 0..rounds {
            let before = want.clone();
            for (t, value) in want.iter_mut().enumerate() {
                *value = before[t].wrapping_mul(3).wrapping_add(before[(t + 1) % 96]);
            }
        }
        launch!(on, rotate(value rounds, write y), LaunchConfig::grid(1))?;
        same("y", &y, &want)?;
    }
    Ok(())
}

/// One warp fills stages, another one empties them.
#[kernel(block = 64)]
fn pipeline<const STAGES: usize>(x: &[u32], y: &mut [u32]) {
    let full = shared!([MBarrier<32>; STAGES]);
    let empty = shared!([MBarrier<32>; STAGES]);
    let tiles = shared!([[u32; 32]; STAGES]);
    let (lane, count) = (warp::lane_id(), x.len() / 32);
    if warp::warp_id() == 0 {
        for i in 0..count {
            let (stage, parity) = (i % STAGES, i / STAGES % 2 == 1);
            empty[stage].wait_parity(!parity);
            tiles[stage][lane] = x[i * 32 + lane];
            full[stage].arrive();
        }
    } else {
        let mut sum = 0u32;
        for i in 0..count {
            let (stage, parity) = (i % STAGES, i / STAGES % 2 == 1);
            full[stage].wait_parity(parity);
            sum = sum.wrapping_mul(5).wrapping_add(tiles[stage][31 - lane]);
            empty[stage].arrive();
        }
        if lane < y.len() {
            y[lane] = sum;
        }
    }
}

fn stages(on: &Engine) -> Check {
    for count in [0, 1, 2, 3, 17, 40] {
        let x: Vec<u32> = (0..count * 32).map(|i| (i * 2654435761usize) as u32).collect();
        let sum = |lane: usize| {
            (0..count).fold(0u32, |sum, i| sum.wrapping_mul(5).wrapping_add(x[i * 32 + 31 - lane]))
        };
        let want: Vec<u32> = (0..32).map(sum).collect();
        let (mut one, mut two, mut five) = (vec![7u32; 32], vec![7u32; 32], vec![7u32; 32]);
        launch!(on, pipeline::<1>(read x, write one), LaunchConfig::grid(1))?;
        launch!(on, pipeline::<2>(read x, write two), LaunchConfig::grid(1))?;
        launch!(on, pipeline::<5>(read x, write five), LaunchConfig::grid(1))?;
        same("one", &one, &want)?;
        same("two", &two, &want)?;
        same("five", &five, &want)?;
    }
    Ok(())
}

/// One thread publishes for all; its arrival alone completes the phase.
#[kernel(block = 128)]
fn publish(rounds: usize, y: &mut [u32]) {
    let ready = shared!(MBarrier<1>);
    let done = shared!(MBarrier<128>);
    let number = shared!([u32; 1]);
    let t = thread_idx_x();
    let mut sum = 0;
    for round in 0..rounds {
        if t == 77 {
            number[0] = (round * 10) as u32;
            ready.arrive();
        }
        ready.wait_parity(round % 2 == 1);
        sum += number[0] + t as u32;
        let token = done.arrive();
        done.wait(token);
    }
    if t < y.len() {
        y[t] = sum;
    }
}

fn one_arrival(on: &Engine) -> Check {
    for rounds in [1, 2, 5] {
        let mut y = vec![0u32; 128];
        launch!(on, publish(value rounds, write y), LaunchConfig::grid(1))?;
        let all: u32 = (0..rounds as u32).map(|round| round * 10).sum();
        let want: Vec<u32> = (0..128).map(|t| all + t * rounds as u32).collect();
        same("y", &y, &want)?;
    }
    Ok(())
}

/// Warps wait for each other, one after the other.
#[kernel(block = 1024)]
fn chain(y: &mut [u32]) {
    let links = shared!([MBarrier<32>; 33]);
    let cells = shared!([[u32; 32]; 33]);
    let (warp, lane) = (warp::warp_id(), warp::lane_id());
    if warp == 31 {
        cells[0][lane] = lane as u32;
        links[0].arrive();
    }
    links[31 - warp].wait_parity(false);
    cells[32 - warp][lane] = cells[31 - warp][31 - lane].wrapping_mul(3) + warp as u32;
    links[32 - warp].arrive();
    let t = thread_idx_x();
    if t < y.len() {
        y[t] = cells[32 - warp][lane];
    }
}

fn separate_warps(on: &Engine) -> Check {
    let mut y = vec![0u32; 1024];
    launch!(on, chain(write y), LaunchConfig::grid(1))?;
    let (mut row, mut want): (Vec<u32>, _) = ((0..32).collect(), vec![0; 1024]);
    for warp in (0..32usize).rev() {
        row.reverse();
        row.iter_mut().for_each(|cell| *cell = cell.wrapping_mul(3) + warp as u32);
        want[32 * warp..32 * warp + 32].copy_from_slice(&row);
    }
    same("y", &y, &want)
}

#[device]
fn meet<const N: usize>(barrier: &MBarrier<N>) {
    let token = barrier.arrive();
    barrier.wait(token);
}

/// Barriers are passed to functions, and chosen by references.
#[kernel(block = 64)]
fn halves(y: &mut [u32]) {
    let barriers = shared!([MBarrier<32>; 2]);
    let cells = shared!([u32; 64]);
    let t = thread_idx_x();
    let own = if t < 32 { &barriers[0] } else { &barriers[1] };
    cells[t] = t as u32;
    for round in 0..3 + 2 * (t / 32) {
        meet(own);
        let next = cells[t / 32 * 32 + (t + 1) % 32];
        meet(own);
        cells[t] = next * 2 + round as u32;
    }
    if t < y.len() {
        y[t] = cells[t];
    }
}

fn in_functions(on: &Engine) -> Check {
    let mut y = vec![0u32; 64];
    launch!(on, halves(write y), LaunchConfig::grid(1))?;
    let mut want: Vec<u32> = (0..64).collect();
    for (half, cells) in want.chunks_mut(32).enumerate() {
        for round in 0..3 + 2 * half as u32 {
            cells.rotate_left(1);
            cells.iter_mut().for_each(|cell| *cell = *cell * 2 + round);
        }
    }
    same("y", &y, &want)
}

/// The number of arrivals is a parameter.
#[kernel(block = THREADS)]
fn reversed<const THREADS: usize>(y: &mut [u32]) {
    let barrier = shared!(MBarrier<THREADS>);
    let cells = shared!([u32; THREADS]);
    let t = thread_idx_x();
    cells[t] = 3 * t as u32;
    for _ in 0..3 {
        let token = barrier.arrive();
        barrier.wait(token);
    }
    if t < y.len() {
        y[t] = cells[THREADS - 1 - t];
    }
}

fn generic_counts(on: &Engine) -> Check {
    let (mut one, mut many, mut odd) = (vec![7u32; 1], vec![0u32; 256], vec![0u32; 45]);
    launch!(on, reversed::<1>(write one), LaunchConfig::grid(1))?;
    launch!(on, reversed::<256>(write many), LaunchConfig::grid(1))?;
    launch!(on, reversed::<45>(write odd), LaunchConfig::grid(1))?;
    same("one", &one, &[0])?;
    same("many", &many, &(0..256).rev().map(|t| 3 * t).collect::<Vec<_>>())?;
    same("odd", &odd, &(0..45).rev().map(|t| 3 * t).collect::<Vec<_>>())
}

/// Threads arrive and end; the others wait for them.
#[kernel(block = 64)]
fn arrive_and_end(y: &mut [u32]) {
    let barrier = shared!(MBarrier<60>);
    let cells = shared!([u32; 64]);
    let t = thread_idx_x();
    if t % 16 == 5 {
        return;
    }
    cells[t] = t as u32 + 1;
    if t % 3 == 1 {
        barrier.arrive();
        return;
    }
    let token = barrier.arrive();
    barrier.wait(token);
    let mut sum = 0;
    for i in 0..64 {
        if i % 16 != 5 {
            sum += cells[i];
        }
    }
    if t < y.len() {
        y[t] = sum;
    }
}

fn ended_threads(on: &Engine) -> Check {
    let mut y = vec![0u32; 64];
    launch!(on, arrive_and_end(write y), LaunchConfig::grid(1))?;
    let sum: u32 = (0..64).filter(|i| i % 16 != 5).map(|i| i + 1).sum();
    let waits = |t: u32| t % 16 != 5 && t % 3 != 1;
    same("y", &y, &(0..64).map(|t| if waits(t) { sum } else { 0 }).collect::<Vec<_>>())
}

/// Between block barriers, with an mbarrier that only some warps use.
#[kernel(block = 128)]
fn mixed(y: &mut [u32]) {
    let barrier = shared!([MBarrier<64>; 3]);
    let cells = shared!([u32; 128]);
    let t = thread_idx_x();
    cells[t] = t as u32;
    sync_threads();
    let mut value = cells[127 - t];
    sync_threads();
    if t >= 64 {
        cells[t] = value;
        let token = barrier[2].arrive();
        barrier[2].wait(token);
        value = cells[64 + (t + 7) % 64];
    }
    sync_threads();
    cells[t] = value;
    sync_threads();
    if t < y.len() {
        y[t] = cells[127 - t];
    }
}

fn beside_block_barriers(on: &Engine) -> Check {
    let mut y = vec![0u32; 128];
    launch!(on, mixed(write y), LaunchConfig::grid(1))?;
    let value = |t: u32| if t < 64 { 127 - t } else { 127 - (64 + (t + 7) % 64) };
    same("y", &y, &(0..128).map(|t| value(127 - t)).collect::<Vec<_>>())
}

/// Warps take turns: each waits for the phase of the one before it.
#[kernel(block = 256)]
fn in_order(y: &mut [u32]) {
    let turn = shared!([MBarrier<32>; 8]);
    let count = shared!([usize; 1]);
    let log = shared!([u32; 256]);
    let (warp, lane) = (warp::warp_id(), warp::lane_id());
    if warp < 7 {
        turn[warp + 1].wait_parity(false);
    }
    let at = if warp == 7 { 0 } else { count[0] };
    if at + lane < 256 {
        log[at + lane] = (100 * warp + lane) as u32;
    }
    sync_warp();
    if lane == 0 {
        count[0] = at + 32;
    }
    turn[warp].arrive();
    sync_threads();
    let t = thread_idx_x();
    if t < y.len() {
        y[t] = log[t];
    }
}

fn turns(on: &Engine) -> Check {
    let mut y = vec![0u32; 256];
    launch!(on, in_order(write y), LaunchConfig::grid(1))?;
    same("y", &y, &(0..256).map(|i| (7 - i / 32) * 100 + i % 32).collect::<Vec<_>>())
}

/// A barrier for each thread, which its own arrivals complete.
#[kernel(block = 64)]
fn alone(y: &mut [u32]) {
    let own = shared!([[MBarrier<2>; 8]; 8]);
    let t = thread_idx_x();
    let barrier = &own[t / 8][t % 8];
    let mut phases = 0;
    for _ in 0..t {
        barrier.arrive();
        let token = barrier.arrive();
        barrier.wait(token);
        barrier.wait_parity(phases % 2 == 1);
        phases += 1;
    }
    if t < y.len() {
        y[t] = phases;
    }
}

fn own_barriers(on: &Engine) -> Check {
    let mut y = vec![9u32; 64];
    launch!(on, alone(write y), LaunchConfig::grid(1))?;
    same("y", &y, &(0..64).collect::<Vec<_>>())
}

/// The barriers of each block are its own, in a block of three dimensions.
#[kernel(block = (4, 4, 4))]
fn many_blocks(y: &mut [u32]) {
    let barrier = shared!(MBarrier<64>);
    let cells = shared!([u32; 64]);
    let (t, block) = (block::thread_rank(), block_idx_x());
    cells[t] = (block * 100 + t) as u32;
    let token = barrier.arrive();
    barrier.wait(token);
    let i = block * 64 + t;
    if i < y.len() {
        y[i] = cells[63 - t];
    }
}

fn blocks(on: &Engine) -> Check {
    let mut y = vec![0u32; 64 * 300];
    launch!(on, many_blocks(write y), LaunchConfig::grid(300))?;
    let want = (0..64 * 300).map(|i| i / 64 * 100 + 63 - i % 64);
    same("y", &y, &want.collect::<Vec<_>>())
}
