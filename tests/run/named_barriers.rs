//! Named barriers: producers and consumers, pipelines, barriers of some warps, ended lanes.
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use warpwise::prelude::*;

cases![
    two_warps: THREADS_MEET, pipelines: THREADS_MEET, groups: THREADS_MEET, order: THREADS_MEET,
    ended_lanes: THREADS_MEET, partial_warps: THREADS_MEET, every_barrier: THREADS_MEET,
    beside_block_barriers: THREADS_MEET, in_functions: THREADS_MEET, sizes: THREADS_MEET,
    global_memory: THREADS_MEET, alone: THREADS_MEET, separate_lanes: THREADS_MEET,
    blocks: THREADS_MEET,
];

/// One warp copies rows, the other adds them.
#[kernel(block = 64)]
fn hand_over(x: &[u32], y: &mut [u32]) {
    let tile = shared!([u32; 32]);
    let lane = warp::lane_id();
    let rows = x.len() / 32;
    if warp::warp_id() == 0 {
        for row in 0..rows {
            tile[lane] = x[row * 32 + lane];
            named_barrier::arrive::<1, 64>();
            named_barrier::sync::<2, 64>();
        }
    } else {
        let mut sum = 0u32;
        for row in 0..rows {
            named_barrier::sync::<1, 64>();
            sum = sum.wrapping_mul(3).wrapping_add(tile[31 - lane]);
            named_barrier::arrive::<2, 64>();
            sum ^= row as u32;
        }
        y[lane] = sum;
    }
}

fn two_warps(on: &Engine) -> Check {
    for rows in [0, 1, 2, 50] {
        let x: Vec<u32> = (0..rows * 32).map(|i| (i * i) as u32).collect();
        let mut y = vec![7u32; 32];
        launch!(on, hand_over(read x, write y), LaunchConfig::grid(1))?;
        let sum = |lane: usize| {
            (0..rows).fold(0u32, |sum, row| {
                sum.wrapping_mul(3).wrapping_add(x[row * 32 + 31 - lane]) ^ row as u32
            })
        };
        same("y", &y, &(0..32).map(sum).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Two producer warps fill stages, two consumer warps empty them. Barriers 1 and 2 are full stages,
/// 3 and 4 empty ones.
#[kernel(block = 128)]
fn two_stages(x: &[u32], y: &mut [u32]) {
    let stages = shared!([[u32; 64]; 2]);
    let t = thread_idx_x();
    let tiles = x.len() / 64;
    if t < 64 {
        for tile in 0..tiles {
            if tile % 2 == 0 {
                if tile >= 2 {
                    named_barrier::sync::<3, 128>();
                }
                stages[0][t] = x[tile * 64 + t];
                named_barrier::arrive::<1, 128>();
            } else {
                if tile >= 2 {
                    named_barrier::sync::<4, 128>();
                }
                stages[1][t] = x[tile * 64 + t];
                named_barrier::arrive::<2, 128>();
            }
        }
    } else {
        let t = t - 64;
        let mut sum = 0u32;
        for tile in 0..tiles {
            if tile % 2 == 0 {
                named_barrier::sync::<1, 128>();
                sum = sum.wrapping_mul(5).wrapping_add(stages[0][(t + 33) % 64]);
                if tile + 2 < tiles {
                    named_barrier::arrive::<3, 128>();
                }
            } else {
                named_barrier::sync::<2, 128>();
                sum = sum.wrapping_mul(5).wrapping_add(stages[1][(t + 33) % 64]);
                if tile + 2 < tiles {
                    named_barrier::arrive::<4, 128>();
                }
            }
        }
        y[block_idx_x() * 64 + t] = sum;
    }
}

fn pipelines(on: &Engine) -> Check {
    for tiles in [1, 2, 3, 17, 64] {
        let x: Vec<u32> = (0..tiles * 64).map(|i| (i * 2654435761) as u32).collect();
        let mut y = vec![0u32; 128];
        launch!(on, two_stages(read x, write y), LaunchConfig::grid(2))?;
        let sum = |t: usize| {
            (0..tiles).fold(0u32, |sum, tile| {
                sum.wrapping_mul(5).wrapping_add(x[tile * 64 + (t + 33) % 64])
            })
        };
        same("y", &y, &(0..128).map(|i| sum(i % 64)).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Halves of a block synchronize by themselves, one of them more often.
#[kernel(block = 256)]
fn halves(y: &mut [u32]) {
    let cells = shared!([u32; 256]);
    let t = thread_idx_x();
    let (half, first) = (t / 128, t / 128 * 128);
    cells[t] = t as u32;
    for round in 0..3 + 4 * half {
        if half == 0 {
            named_barrier::sync::<7, 128>();
        } else {
            named_barrier::sync::<8, 128>();
        }
        let next = cells[first + (t + 1) % 128];
        if half == 0 {
            named_barrier::sync::<7, 128>();
        } else {
            named_barrier::sync::<8, 128>();
        }
        cells[t] = next.wrapping_mul(3) + round as u32;
    }
    y[t] = cells[t];
}

fn groups(on: &Engine) -> Check {
    let mut y = vec![0u32; 256];
    launch!(on, halves(write y), LaunchConfig::grid(1))?;
    let mut want: Vec<u32> = (0..256).collect();
    for (half, cells) in want.chunks_mut(128).enumerate() {
        for round in 0..3 + 4 * half as u32 {
            cells.rotate_left(1);
            cells.iter_mut().for_each(|cell| *cell = cell.wrapping_mul(3) + round);
        }
    }
    same("y", &y, &want)
}

/// Warps take turns in order: each waits for the one before it.
#[kernel(block = 128)]
fn turns(y: &mut [u32]) {
    let log = shared!([u32; 128]);
    let count = shared!([usize; 1]);
    let (warp, lane) = (warp::warp_id(), warp::lane_id());
    if warp == 3 {
        log[lane] = 300 + lane as u32;
        if lane == 0 {
            count[0] = 32;
        }
        named_barrier::arrive::<1, 64>();
    } else if warp == 2 {
        named_barrier::sync::<1, 64>();
        let at = count[0];
        log[(at + lane) % 128] = 200 + lane as u32;
        sync_warp();
        if lane == 0 {
            count[0] = at + 32;
        }
        named_barrier::arrive::<2, 64>();
    } else if warp == 1 {
        named_barrier::sync::<2, 64>();
        let at = count[0];
        log[(at + lane) % 128] = 100 + lane as u32;
        sync_warp();
        if lane == 0 {
            count[0] = at + 32;
        }
        named_barrier::arrive::<3, 64>();
    } else {
        named_barrier::sync::<3, 64>();
        log[count[0] + lane] = lane as u32;
    }
    sync_threads();
    y[thread_idx_x()] = log[thread_idx_x()];
}

fn order(on: &Engine) -> Check {
    let mut y = vec![0u32; 128];
    launch!(on, turns(write y), LaunchConfig::grid(1))?;
    let want: Vec<u32> = (0..128).map(|i| (3 - i / 32) * 100 + i % 32).collect();
    same("y", &y, &want)
}

/// Some lanes of each warp have ended; their warps arrive all the same.
#[kernel(block = 64)]
fn with_ended_lanes(y: &mut [u32]) {
    let tile = shared!([u32; 64]);
    let t = thread_idx_x();
    tile[t] = 0;
    sync_warp();
    if t % 32 >= 20 {
        return;
    }
    tile[t] = t as u32 + 1;
    named_barrier::sync::<1, 64>();
    y[t] = tile[63 - t];
}

fn ended_lanes(on: &Engine) -> Check {
    let mut y = vec![9u32; 64];
    launch!(on, with_ended_lanes(write y), LaunchConfig::grid(1))?;
    let value = |t: usize| if t % 32 < 20 { t as u32 + 1 } else { 0 };
    let want = |t: usize| if t % 32 < 20 { value(63 - t) } else { 9 };
    same("y", &y, &(0..64).map(want).collect::<Vec<_>>())
}

/// The last warp of the block has 8 lanes, and counts as 32 threads.
#[kernel(block = 72)]
fn with_partial_warp(y: &mut [u32]) {
    let tile = shared!([u32; 72]);
    let t = thread_idx_x();
    tile[t] = t as u32 * 10;
    named_barrier::sync::<2, 96>();
    y[t] = tile[71 - t];
}

fn partial_warps(on: &Engine) -> Check {
    let mut y = vec![0u32; 72];
    launch!(on, with_partial_warp(write y), LaunchConfig::grid(1))?;
    same("y", &y, &(0..72).rev().map(|t| t * 10).collect::<Vec<u32>>())
}

/// All barriers of a block, each of two warps.
#[kernel(block = 64)]
fn all_barriers(y: &mut [u32]) {
    let tile = shared!([u32; 64]);
    let t = thread_idx_x();
    let mut value = t as u32;
    macro_rules! pass {
        ($($id:literal)+) => {$(
            tile[t] = value;
            named_barrier::sync::<$id, 64>();
            value = tile[(t + 35) % 64] + $id;
            sync_threads();
        )+};
    }
    pass!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    y[t] = value;
}

fn every_barrier(on: &Engine) -> Check {
    let mut y = vec![0u32; 64];
    launch!(on, all_barriers(write y), LaunchConfig::grid(1))?;
    let want: Vec<u32> = (0..64).map(|t| (t + 35 * 15) % 64 + 120).collect();
    same("y", &y, &want)
}

/// Named barriers between block barriers, and the other way round.
#[kernel(block = 96)]
fn with_block_barriers(y: &mut [usize]) {
    let tile = shared!([u32; 96]);
    let t = thread_idx_x();
    tile[t] = 1;
    let all = sync_threads_count(true);
    if t < 64 {
        tile[t] += 1;
        named_barrier::sync::<5, 64>();
        let other = tile[63 - t];
        named_barrier::sync::<5, 64>();
        tile[t] += other;
    }
    let odd = sync_threads_count(t % 2 == 1);
    y[t] = tile[95 - t] as usize * 10_000 + all * 100 + odd;
}

fn beside_block_barriers(on: &Engine) -> Check {
    let mut y = vec![0usize; 96];
    launch!(on, with_block_barriers(write y), LaunchConfig::grid(1))?;
    let want = |t: usize| if t < 32 { 1 } else { 4 } * 10_000 + 96 * 100 + 48;
    equal("y", &y, &(0..96).map(want).collect::<Vec<_>>())
}

#[device]
const FULL: usize = 3;

#[device]
fn wait_for_all<const ID: usize>() {
    named_barrier::sync::<ID, { 2 * 32 }>();
}

#[device]
fn exchange<const ID: usize>(tile: &mut [u32], value: u32) -> u32 {
    let t = thread_idx_x();
    tile[t] = value;
    wait_for_all::<ID>();
    let other = tile[t ^ 32];
    wait_for_all::<ID>();
    other
}

#[kernel(block = 64)]
fn by_functions(y: &mut [u32]) {
    let tile = shared!([u32; 64]);
    let t = thread_idx_x();
    let first = exchange::<FULL>(&mut tile[..], t as u32);
    let mut swap = |value: u32| exchange::<{ FULL + 1 }>(&mut tile[..], value);
    y[t] = swap(first * 2);
}

fn in_functions(on: &Engine) -> Check {
    let mut y = vec![0u32; 64];
    launch!(on, by_functions(write y), LaunchConfig::grid(1))?;
    same("y", &y, &(0..64).map(|t| t * 2).collect::<Vec<u32>>())
}

/// All warps of a block but the first wait for the first.
#[kernel(block = THREADS, requires(x.len() >= 32))]
fn broadcast<const ID: usize, const THREADS: usize>(x: &[u32], y: &mut [u32]) {
    let tile = shared!([u32; 32]);
    let (t, lane) = (thread_idx_x(), warp::lane_id());
    if warp::warp_id() == 0 {
        tile[lane] = x[lane];
        named_barrier::arrive::<ID, THREADS>();
        y[t] = 1;
    } else {
        named_barrier::sync::<ID, THREADS>();
        y[t] = tile[31 - lane] + warp::warp_id() as u32;
    }
}

fn sizes(on: &Engine) -> Check {
    let x: Vec<u32> = (0..32).map(|i| i * 100).collect();
    let want = |warps: u32| -> Vec<u32> {
        let value = |i: u32| if i < 32 { 1 } else { (31 - i % 32) * 100 + i / 32 };
        (0..32 * warps).map(value).collect()
    };
    let mut y = vec![0u32; 64];
    launch!(on, broadcast::<1, 64>(read x, write y), LaunchConfig::grid(1))?;
    same("2 warps", &y, &want(2))?;
    let mut y = vec![0u32; 320];
    launch!(on, broadcast::<15, 320>(read x, write y), LaunchConfig::grid(1))?;
    same("10 warps", &y, &want(10))
}

/// The values go through a buffer.
#[kernel(
    block = 64,
    requires(buffer.len() >= 32 * grid_dim_x(), y.len() >= 32 * grid_dim_x())
)]
fn through_a_buffer(buffer: &mut [u32], y: &mut [u32]) {
    let lane = warp::lane_id();
    let base = block_idx_x() * 32;
    for round in 0..10u32 {
        if warp::warp_id() == 0 {
            buffer[base + lane] = round * 50 + lane as u32;
            named_barrier::arrive::<1, 64>();
            named_barrier::sync::<2, 64>();
        } else {
            named_barrier::sync::<1, 64>();
            y[base + lane] += buffer[base + 31 - lane];
            named_barrier::arrive::<2, 64>();
        }
    }
}

fn global_memory(on: &Engine) -> Check {
    let (mut buffer, mut y) = (vec![0u32; 128], vec![0u32; 128]);
    launch!(on, through_a_buffer(write buffer, write y), LaunchConfig::grid(4))?;
    let want: Vec<u32> = (0..128).map(|i| 45 * 50 + 10 * (31 - i % 32)).collect();
    same("y", &y, &want)
}

/// Each warp passes a barrier for one warp by itself, and arrivals alone complete one, too.
#[kernel(block = 96)]
fn one_warp(y: &mut [u32]) {
    let t = thread_idx_x();
    for _ in 0..3 {
        named_barrier::arrive::<4, 32>();
        named_barrier::sync::<4, 32>();
    }
    named_barrier::arrive::<6, 96>();
    y[t] = t as u32;
}

fn alone(on: &Engine) -> Check {
    let mut y = vec![0u32; 96];
    launch!(on, one_warp(write y), LaunchConfig::grid(1))?;
    same("y", &y, &(0..96).collect::<Vec<u32>>())
}

/// Lanes that have diverged before they reach the barrier.
#[kernel(block = 64)]
fn after_divergence(y: &mut [u32]) {
    let tile = shared!([u32; 64]);
    let t = thread_idx_x();
    let mut value = t as u32;
    let mut steps = 0;
    while value != 1 && steps < 100 {
        value = if value % 2 == 0 { value / 2 } else { 3 * value + 1 };
        steps += 1;
    }
    tile[t] = steps;
    named_barrier::sync::<1, 64>();
    y[t] = tile[63 - t];
}

fn separate_lanes(on: &Engine) -> Check {
    let mut y = vec![0u32; 64];
    launch!(on, after_divergence(write y), LaunchConfig::grid(1))?;
    let steps = |t: u32| {
        let (mut value, mut steps) = (t, 0);
        while value != 1 && steps < 100 {
            value = if value % 2 == 0 { value / 2 } else { 3 * value + 1 };
            steps += 1;
        }
        steps
    };
    same("y", &y, &(0..64).rev().map(steps).collect::<Vec<u32>>())
}

/// The launch chooses the size of the block.
#[kernel]
fn for_two_warps(y: &mut [u32]) {
    let t = thread_idx_x();
    if warp::warp_id() < 2 {
        named_barrier::sync::<1, 64>();
    }
    y[t] += t as u32;
}

fn blocks(on: &Engine) -> Check {
    let mut y = vec![1u32; 128];
    launch!(on, for_two_warps(write y), LaunchConfig::grid(1).block(128))?;
    same("y", &y, &(1..129).collect::<Vec<u32>>())?;
    launch!(on, for_two_warps(write y), LaunchConfig::grid(1).block(40))?;
    let want: Vec<u32> = (0..128).map(|t| if t < 40 { 2 * t + 1 } else { t + 1 }).collect();
    same("y", &y, &want)?;
    let refused = launch!(on, for_two_warps(write y), LaunchConfig::grid(1).block(32));
    let message = refused.err().map(|error| error.to_string()).unwrap_or_default();
    match message.contains("the block has the 64 threads of a named barrier") {
        true => same("y", &y, &want),
        false => Err(format!("the launch of a smaller block: {message:?}").into()),
    }
}
