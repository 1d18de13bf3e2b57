//! Asynchronous copies: sizes of values, groups and waits, pipelines, copies by a block.
use crate::run::engine::{Check, Engine, cases, equal, fault, launch, same};
use warpwise::{F16x4, F32x2, F32x3, F32x4, F64x2, U8x4, prelude::*};

cases![
    every_size: THREADS_MEET, structs: THREADS_MEET, generic_values: THREADS_MEET,
    groups: THREADS_MEET, pipelines: THREADS_MEET, stage_counts: THREADS_MEET,
    blocks: THREADS_MEET, divergent: THREADS_MEET, sized_by_the_launch: THREADS_MEET,
    in_functions: THREADS_MEET, bounds: THREADS_MEET, lengths: THREADS_MEET,
];

/// Copies values of a type through shared memory, to the neighbour's place.
macro_rules! copied_type {
    ($on:ident $($ty:ty: $value:expr),* $(,)?) => {{$({
        #[kernel(block = 64)]
        fn through(x: &[$ty], y: &mut [$ty]) {
            let tile = shared!([$ty; 64]);
            let t = thread_idx_x();
            async_copy::copy(&mut tile[t], &x[global_idx_x()]);
            async_copy::wait_all();
            sync_threads();
            y[global_idx_x()] = tile[63 - t];
        }
        let value: fn(usize) -> $ty = $value;
        let x: Vec<$ty> = (0..128).map(value).collect();
        let mut y = vec![value(0); 128];
        launch!($on, through(read x, write y), LaunchConfig::grid(2))?;
        let want: Vec<$ty> = (0..128).map(|i| x[i / 64 * 64 + 63 - i % 64]).collect();
        equal(stringify!($ty), &y, &want)?;
    })*}};
}

fn every_size(on: &Engine) -> Check {
    copied_type!(
        on
        u32: |i| i as u32 * 7,
        i64: |i| -(i as i64) << 33,
        f32: |i| i as f32 + 0.5,
        f64: |i| i as f64 / 3.0,
        F32x2: |i| F32x2::new(i as f32, -1.0),
        F32x3: |i| F32x3::new(i as f32, -1.0, 0.25),
        F32x4: |i| F32x4::new(i as f32, -1.0, 0.25, 9.0),
        F64x2: |i| F64x2::new(i as f64, -1.5),
        U8x4: |i| U8x4::new(i as u8, 1, 2, 3),
        F16x4: |i| F16x4::new(f16::from_f32(i as f32), f16::ONE, f16::ZERO, f16::ONE),
        [u32; 3]: |i| [i as u32, 1, 2],
        [f32; 12]: |i| [i as f32; 12],
        (u32, f64): |i| (i as u32, i as f64),
    );
    Ok(())
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Body {
    position: [f32; 3],
    mass: f64,
    kind: u8,
}

#[kernel(block = 32)]
fn heaviest(bodies: &[Body], out: &mut [f64]) {
    let tile = shared!([Body; 32]);
    let t = thread_idx_x();
    async_copy::copy(&mut tile[t], &bodies[t]);
    async_copy::commit();
    async_copy::wait::<0>();
    sync_threads();
    let mut most = 0.0;
    for other in 0..32 {
        if tile[other].kind == tile[t].kind {
            most = f64::max(most, tile[other].mass);
        }
    }
    out[t] = most + tile[t].position[2] as f64;
}

#[kernel(block = 32)]
fn fields(bodies: &mut [Body]) {
    let masses = shared!([f64; 32]);
    let rows = shared!([[f32; 3]; 32]);
    let t = thread_idx_x();
    async_copy::copy(&mut masses[t], &bodies[t].mass);
    async_copy::copy(&mut rows[t], &bodies[t].position);
    async_copy::wait_all();
    sync_threads();
    bodies[t].mass = masses[31 - t];
    bodies[t].position = rows[31 - t];
}

fn structs(on: &Engine) -> Check {
    let body = |i: usize| Body {
        position: [i as f32, 1.0, i as f32 * 2.0],
        mass: (i * 37 % 32) as f64,
        kind: (i % 3) as u8,
    };
    let bodies: Vec<Body> = (0..32).map(body).collect();
    let mut out = vec![0.0; 32];
    launch!(on, heaviest(read bodies, write out), LaunchConfig::grid(1))?;
    let most = |of: &Body| {
        let alike = bodies.iter().filter(|other| other.kind == of.kind);
        alike.map(|other| other.mass).fold(0.0, f64::max)
    };
    let want: Vec<f64> = bodies.iter().map(|of| most(of) + of.position[2] as f64).collect();
    same("out", &out, &want)?;
    let mut changed = bodies.clone();
    launch!(on, fields(write changed), LaunchConfig::grid(1))?;
    let of = |i: usize| Body { kind: bodies[i].kind, ..bodies[31 - i] };
    let want: Vec<Body> = (0..32).map(of).collect();
    equal("changed", &changed, &want)
}

#[kernel(block = 32)]
fn reversed<T: Num>(x: &[T], y: &mut [T]) {
    let tile = shared!([T; 32]);
    let t = thread_idx_x();
    async_copy::copy(&mut tile[t], &x[t]);
    async_copy::wait_all();
    sync_threads();
    y[t] = tile[31 - t] + T::ONE;
}

#[device]
#[derive(Clone, Copy)]
struct Sphere<T> {
    center: [T; 3],
    radius: T,
}

#[kernel(block = 32)]
fn largest<T: Num>(spheres: &[Sphere<T>], y: &mut [T]) {
    let tile = shared!([Sphere<T>; 32]);
    let t = thread_idx_x();
    async_copy::copy(&mut tile[t], &spheres[t]);
    async_copy::wait_all();
    sync_threads();
    y[t] = tile[31 - t].center[2] + tile[31 - t].radius;
}

fn generic_values(on: &Engine) -> Check {
    let x: Vec<f64> = (0..32).map(f64::from).collect();
    let mut y = vec![0.0; 32];
    launch!(on, reversed(read x, write y), LaunchConfig::grid(1))?;
    let want: Vec<f64> = x.iter().rev().map(|x| x + 1.0).collect();
    same("f64", &y, &want)?;
    let x: Vec<u32> = (0..32).collect();
    let mut y = vec![0; 32];
    launch!(on, reversed(read x, write y), LaunchConfig::grid(1))?;
    let want: Vec<u32> = x.iter().rev().map(|x| x + 1).collect();
    same("u32", &y, &want)?;
    let spheres: Vec<Sphere<f64>> =
        (0..32).map(|i| Sphere { center: [0.0, 1.0, f64::from(i)], radius: 0.25 }).collect();
    let mut y = vec![0.0; 32];
    launch!(on, largest(read spheres, write y), LaunchConfig::grid(1))?;
    let want: Vec<f64> = (0..32).map(|t| f64::from(31 - t) + 0.25).collect();
    same("spheres", &y, &want)
}

/// Groups of several copies, empty groups, and waits for some of them.
#[kernel(block = 32)]
#[allow(gpu_unwaited_copies)]
fn grouped(x: &[u32], y: &mut [u32]) {
    let tile = shared!([[u32; 32]; 4]);
    let t = thread_idx_x();
    async_copy::copy(&mut tile[0][t], &x[t]);
    async_copy::copy(&mut tile[1][t], &x[32 + t]);
    async_copy::commit();
    async_copy::commit();
    async_copy::copy(&mut tile[2][t], &x[64 + t]);
    async_copy::commit();
    async_copy::copy(&mut tile[3][t], &x[96 + t]);
    async_copy::wait::<2>();
    y[t] = tile[0][t] + tile[1][t];
    async_copy::wait::<0>();
    y[32 + t] = tile[2][t];
    async_copy::commit();
    async_copy::wait::<1000>();
    async_copy::wait::<0>();
    y[64 + t] = tile[3][t];
    // A group may overwrite elements that an earlier one has written.
    async_copy::copy(&mut tile[0][t], &x[96 + t]);
    async_copy::wait_all();
    y[96 + t] = tile[0][t];
}

fn groups(on: &Engine) -> Check {
    let x: Vec<u32> = (0..128).map(|i| i * i).collect();
    let mut y = vec![0; 128];
    launch!(on, grouped(read x, write y), LaunchConfig::grid(1))?;
    let want = (0..128).map(|i| match i / 32 {
        0 => x[i] + x[i + 32],
        1 => x[i + 32],
        2 => x[i + 32],
        _ => x[i],
    });
    same("y", &y, &want.collect::<Vec<_>>())
}

/// A running sum over rows, with a number of rows on their way.
#[kernel(block = 64)]
fn pipelined(x: &[f32], rows: usize, y: &mut [f32]) {
    let stages = shared!([[f32; 64]; 3]);
    let t = thread_idx_x();
    for row in 0..2 {
        if row < rows {
            async_copy::copy(&mut stages[row][t], &x[row * 64 + t]);
        }
        async_copy::commit();
    }
    let mut sum = 0.0;
    for row in 0..rows {
        async_copy::wait::<1>();
        sync_threads();
        // All threads are done with the stage that is filled now: that of the previous row.
        if row + 2 < rows {
            async_copy::copy(&mut stages[(row + 2) % 3][t], &x[(row + 2) * 64 + t]);
        }
        async_copy::commit();
        sum += stages[row % 3][63 - t] * stages[row % 3][t];
    }
    y[t] = sum;
}

fn pipelines(on: &Engine) -> Check {
    for rows in [0, 1, 2, 3, 10] {
        let x: Vec<f32> = (0..rows * 64).map(|i| (i % 11) as f32).collect();
        let mut y = vec![-1.0; 64];
        launch!(on, pipelined(read x, value rows, write y), LaunchConfig::grid(1))?;
        let product = |row: usize, t: usize| x[row * 64 + 63 - t] * x[row * 64 + t];
        let sum = |t| (0..rows).fold(0.0, |sum, row| sum + product(row, t));
        let want: Vec<f32> = (0..64).map(sum).collect();
        same("y", &y, &want)?;
    }
    Ok(())
}

#[device]
const DEPTH: usize = 4;

/// A depth that is a constant, and one that is a parameter.
#[kernel(block = 32)]
fn deep<const N: usize>(x: &[u32], y: &mut [u32]) {
    let stages = shared!([[u32; 32]; DEPTH]);
    let t = thread_idx_x();
    for stage in 0..DEPTH {
        async_copy::copy(&mut stages[stage][t], &x[stage * 32 + t]);
        async_copy::commit();
    }
    async_copy::wait::<{ DEPTH - 1 }>();
    y[t] = stages[0][t];
    async_copy::wait::<N>();
    y[32 + t] = stages[DEPTH - 1 - N][t];
    async_copy::wait_all();
}

fn stage_counts(on: &Engine) -> Check {
    let x: Vec<u32> = (0..128).map(|i| i * 3).collect();
    let mut y = vec![0; 64];
    launch!(on, deep::<1>(read x, write y), LaunchConfig::grid(1))?;
    same("1", &y, &[&x[..32], &x[64..96]].concat())?;
    launch!(on, deep::<0>(read x, write y), LaunchConfig::grid(1))?;
    same("0", &y, &[&x[..32], &x[96..]].concat())
}

#[kernel]
fn by_block(x: &[F32x4], y: &mut [F32x4]) {
    let tile = shared!([F32x4; 100]);
    let from = block_idx_x() * 100;
    async_copy::block_copy(&mut tile[..], &x[from..from + 100]);
    async_copy::wait_all();
    sync_threads();
    for i in (block::thread_rank()..100).step_by(block::size()) {
        y[from + i] = tile[99 - i];
    }
}

fn blocks(on: &Engine) -> Check {
    let x: Vec<F32x4> = (0..200).map(|i| F32x4::splat(i as f32)).collect();
    for threads in [1, 32, 50, 128] {
        let mut y = vec![F32x4::splat(-1.0); 200];
        launch!(on, by_block(read x, write y), LaunchConfig::grid(2).block(threads))?;
        let want: Vec<F32x4> = (0..200).map(|i| x[i / 100 * 100 + 99 - i % 100]).collect();
        equal("y", &y, &want)?;
    }
    Ok(())
}

/// Lanes with different numbers of groups.
#[kernel(block = 64)]
fn apart(x: &[u32], y: &mut [u32]) {
    let tile = shared!([[u32; 64]; 2]);
    let t = thread_idx_x();
    if t % 3 == 0 {
        async_copy::copy(&mut tile[0][t], &x[t]);
        async_copy::commit();
    }
    async_copy::copy(&mut tile[1][t], &x[t]);
    async_copy::commit();
    if t % 3 == 0 {
        async_copy::wait::<1>();
        y[t] = tile[0][t] + 1;
    } else {
        async_copy::wait::<0>();
        y[t] = tile[1][t];
    }
    async_copy::wait_all();
    if t >= 40 {
        return;
    }
    y[64 + t] = tile[1][t] + 2;
}

fn divergent(on: &Engine) -> Check {
    let x: Vec<u32> = (0..64).map(|i| i * 5).collect();
    let mut y = vec![0; 128];
    launch!(on, apart(read x, write y), LaunchConfig::grid(1))?;
    let first = x.iter().enumerate().map(|(t, x)| if t % 3 == 0 { x + 1 } else { *x });
    let second = x.iter().enumerate().map(|(t, x)| if t < 40 { x + 2 } else { 0 });
    same("y", &y, &first.chain(second).collect::<Vec<_>>())
}

#[kernel]
fn sized(x: &[i64], count: usize, y: &mut [i64]) {
    let tile = shared_dyn!(i64, count);
    let other = shared_dyn!(u32, 8);
    other[0] = 1;
    async_copy::block_copy(tile, &x[..count]);
    async_copy::wait_all();
    sync_threads();
    for i in (block::thread_rank()..count).step_by(block::size()) {
        y[i] = tile[count - 1 - i];
    }
}

fn sized_by_the_launch(on: &Engine) -> Check {
    let x: Vec<i64> = (0..77).map(|i| i << 40).collect();
    let mut y = vec![0; 77];
    let count = 77;
    launch!(on, sized(read x, value count, write y), LaunchConfig::grid(1).block(32))?;
    same("y", &y, &x.iter().rev().copied().collect::<Vec<_>>())
}

/// Copies one element of a row to an element of a tile.
#[device]
fn fetch<T: Copy>(tile: &mut [T], row: &[T], at: usize) {
    let (to, from) = (&mut tile[at], &row[at]);
    async_copy::copy(to, from);
}

#[kernel(block = 32)]
fn chosen(x: &[u32], z: &[u32], y: &mut [u32]) {
    let (even, odd) = (shared!([u32; 32]), shared!([u32; 32]));
    let t = thread_idx_x();
    let rows = if t % 2 == 0 { x } else { z };
    let mut tile = &mut *even;
    if t % 2 != 0 {
        tile = &mut *odd;
    }
    fetch(tile, rows, t);
    let mut fetch_pair = |i: usize| async_copy::copy(&mut even[i], &z[i]);
    if t % 2 != 0 {
        fetch_pair(t);
    }
    async_copy::wait_all();
    y[t] = if t % 2 == 0 { even[t] } else { odd[t] + even[t] };
}

fn in_functions(on: &Engine) -> Check {
    let x: Vec<u32> = (0..32).collect();
    let z: Vec<u32> = (100..132).collect();
    let mut y = vec![0; 32];
    launch!(on, chosen(read x, read z, write y), LaunchConfig::grid(1))?;
    let want: Vec<u32> = (0..32).map(|t| if t % 2 == 0 { x[t] } else { 2 * z[t] }).collect();
    same("y", &y, &want)
}

#[kernel(block = 32)]
fn out_of_bounds(x: &[u32], y: &mut [u32]) {
    let tile = shared!([u32; 32]);
    let t = thread_idx_x();
    async_copy::copy(&mut tile[t], &x[t]);
    async_copy::wait_all();
    y[t] = tile[t];
}

fn bounds(on: &Engine) -> Check {
    let x = vec![5; 30];
    let mut y = vec![0; 32];
    let launched = launch!(on, out_of_bounds(read x, write y), LaunchConfig::grid(1));
    same("thread", &fault(launched)?.thread, &[30, 0, 0])?;
    let want: Vec<u32> = (0..32).map(|t| if t < 30 { 5 } else { 0 }).collect();
    same("y", &y, &want)
}

#[kernel(block = 32)]
fn of_lengths(x: &[u32], y: &mut [u32]) {
    let tile = shared!([u32; 32]);
    async_copy::block_copy(&mut tile[..], x);
    async_copy::wait_all();
    sync_threads();
    y[thread_idx_x()] = tile[31 - thread_idx_x()];
}

fn lengths(on: &Engine) -> Check {
    let x = vec![5; 31];
    let mut y = vec![0; 32];
    let launched = launch!(on, of_lengths(read x, write y), LaunchConfig::grid(1));
    let message =
        "block_copy: source slice length (31) does not match destination slice length (32)";
    equal("message", &[&*fault(launched)?.message], &[message])
}
