//! Programmatic dependent launch: kernels that may start before earlier ones have ended.
use crate::run::engine::{Check, Engine, cases, fault, launch, same};
use std::sync::atomic::{AtomicU32, Ordering};
use warpwise::prelude::*;

cases![
    one_after_the_other, chains, prologues: THREADS_MEET, either_path, threads_that_return,
    faults_before_the_wait: FAULTS, device_functions, generics, atomics, in_loops: THREADS_MEET,
];

/// The kernel before the others.
#[kernel(block = 64)]
fn square(x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    grid::launch_dependents();
    if i < y.len() && i < x.len() {
        y[i] = x[i] * x[i];
    }
}

/// Adds 1 to each element, and lets the next launch start.
#[kernel(block = 64, dependent_launch)]
fn increment(x: &mut [u32]) {
    let i = global_idx_x();
    grid::wait_for_dependencies();
    grid::launch_dependents();
    if i < x.len() {
        x[i] += 1;
    }
}

fn one_after_the_other(on: &Engine) -> Check {
    let x: Vec<u32> = (0..1000).collect();
    let mut y = vec![0; 1000];
    launch!(on, square(read x, write y), LaunchConfig::cover(1000).block(64))?;
    for _ in 0..3 {
        launch!(on, increment(write y), LaunchConfig::cover(1000).block(64))?;
    }
    same("y", &y, &x.iter().map(|x| x * x + 3).collect::<Vec<_>>())
}

/// Launches in direct succession, each of which may start before the previous one has ended.
fn chains(on: &Engine) -> Check {
    let Engine::Device { device, .. } = on else { return Ok(()) };
    let mut x = device.zeros::<u32>(100_000)?;
    for _ in 0..50 {
        increment::launch(device, LaunchConfig::cover(100_000), &mut x)?;
    }
    same("x", &x.to_vec()?, &[50; 100_000])
}

/// Computes a table in shared memory before it reads.
#[kernel(block = 32, dependent_launch)]
fn with_table(x: &[u32], y: &mut [u32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let table = shared!([u32; 32]);
    table[t] = t as u32 * 3;
    if i < x.len() {
        cache::prefetch_l2(&x[i]);
    }
    sync_warp();
    let other = table[31 - t];
    grid::wait_for_dependencies();
    if i < x.len() && i < y.len() {
        y[i] = x[i] + other;
    }
}

fn prologues(on: &Engine) -> Check {
    let x: Vec<u32> = (0..100).collect();
    let mut y = vec![0; 100];
    launch!(on, with_table(read x, write y), LaunchConfig::cover(100).block(32))?;
    same("y", &y, &x.iter().map(|x| x + (31 - x % 32) * 3).collect::<Vec<_>>())
}

#[kernel(block = 32, dependent_launch)]
fn waits_on_either_path(x: &mut [u32]) {
    let i = global_idx_x();
    if i % 2 == 0 {
        grid::wait_for_dependencies();
        x[i] += 10;
    } else {
        grid::launch_dependents();
        grid::wait_for_dependencies();
    }
    x[i] += 1;
}

fn either_path(on: &Engine) -> Check {
    let mut x = vec![5; 64];
    launch!(on, waits_on_either_path(write x), LaunchConfig::grid(2).block(32))?;
    same("x", &x, &[16, 6].repeat(32))
}

#[kernel(block = 32, dependent_launch)]
fn returns_early(n: usize, x: &mut [u32]) {
    let i = global_idx_x();
    if i >= n {
        return;
    }
    grid::wait_for_dependencies();
    x[i] = 7;
}

fn threads_that_return(on: &Engine) -> Check {
    let (n, mut x) = (33, vec![1; 40]);
    launch!(on, returns_early(value n, write x), LaunchConfig::cover(64).block(32))?;
    same("x", &x, &[vec![7; 33], vec![1; 7]].concat())
}

#[kernel(block = 32, dependent_launch)]
fn checks_early(n: u32, x: &mut [u32]) {
    let i = global_idx_x();
    let share = 100 / (n - i as u32);
    grid::wait_for_dependencies();
    x[i] = share;
}

fn faults_before_the_wait(on: &Engine) -> Check {
    let (n, mut x) = (5, vec![1; 32]);
    let panic =
        fault(launch!(on, checks_early(value n, write x), LaunchConfig::grid(1).block(32)))?;
    same("the thread", &panic.thread, &[5, 0, 0])?;
    same("x", &x[..6], &[20, 25, 33, 50, 100, 1])
}

#[device]
fn wait_and_add(x: &mut [u32], i: usize) {
    grid::wait_for_dependencies();
    x[i] += 2;
}

#[kernel(block = 32, dependent_launch)]
fn waits_in_a_function(x: &mut [u32]) {
    wait_and_add(x, global_idx_x());
}

fn device_functions(on: &Engine) -> Check {
    let mut x = vec![1; 32];
    launch!(on, waits_in_a_function(write x), LaunchConfig::grid(1).block(32))?;
    same("x", &x, &[3; 32])
}

#[kernel(block = 32, dependent_launch)]
fn scale<T: Num, const N: usize>(x: &mut [T]) {
    grid::wait_for_dependencies();
    let i = global_idx_x();
    for _ in 0..N {
        x[i] = x[i] + x[i];
    }
}

fn generics(on: &Engine) -> Check {
    let mut x = vec![1.5f32; 32];
    launch!(on, scale::<f32, 3>(write x), LaunchConfig::grid(1).block(32))?;
    same("x", &x, &[12.0; 32])
}

#[kernel(block = 32, dependent_launch)]
fn counts(n: &[AtomicU32]) {
    grid::wait_for_dependencies();
    n[0].fetch_add(1, Ordering::Relaxed);
}

fn atomics(on: &Engine) -> Check {
    let mut n = vec![0u32; 1];
    launch!(on, counts(atomic n), LaunchConfig::grid(3).block(32))?;
    same("n", &n, &[96])
}

/// Waits in every iteration; no load may move from after the first wait to before it.
#[kernel(block = 32, dependent_launch)]
fn waits_in_a_loop(x: &[u32], y: &mut [u32]) {
    let (i, t) = (global_idx_x(), thread_idx_x());
    let tile = shared!([u32; 32]);
    let mut sum = 0;
    let mut round = 0;
    loop {
        tile[t] = round + t as u32;
        sync_threads();
        grid::wait_for_dependencies();
        sum += x[i] * tile[31 - t];
        sync_threads();
        round += 1;
        if round == 4 {
            break;
        }
    }
    y[i] = sum + x[i];
}

fn in_loops(on: &Engine) -> Check {
    let x: Vec<u32> = (0..64).map(|i| i + 3).collect();
    let mut y = vec![0; 64];
    launch!(on, waits_in_a_loop(read x, write y), LaunchConfig::grid(2).block(32))?;
    let sum = |(i, x): (u32, &u32)| x + (0..4).map(|round| x * (round + 31 - i % 32)).sum::<u32>();
    same("y", &y, &(0..).zip(&x).map(sum).collect::<Vec<_>>())
}
