//! Bulk copies from buffers to shared memory, which mbarriers count.
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use warpwise::{F32x4, F64x2, MBarrier, U32x4, prelude::*};

cases![
    whole_arrays: THREADS_MEET, stages: THREADS_MEET, many_threads: THREADS_MEET,
    several_copies: THREADS_MEET, generic_sizes: THREADS_MEET, structs: THREADS_MEET,
    written_before: THREADS_MEET, conditional: THREADS_MEET,
];

fn rows<const N: usize>(count: usize) -> Vec<[F32x4; N]> {
    let number = |i: usize| F32x4::new(i as f32, 0.5 * i as f32, 3.0, i as f32 - 7.0);
    (0..count).map(|row| std::array::from_fn(|i| number(row * N + i))).collect()
}

/// One thread copies a row, all read it.
#[kernel(block = 64)]
fn one_row(x: &[[F32x4; 64]], y: &mut [F32x4]) {
    let full = shared!(MBarrier<1>);
    let row = shared!([F32x4; 64]);
    let (t, block) = (thread_idx_x(), block_idx_x());
    if t == 0 {
        if block < x.len() {
            full.bulk_copy(row, &x[block]);
        }
        full.arrive();
    }
    full.wait_parity(false);
    let i = block * 64 + t;
    if block < x.len() && i < y.len() {
        y[i] = row[63 - t];
    }
}

fn whole_arrays(on: &Engine) -> Check {
    let x = rows::<64>(40);
    let mut y = vec![F32x4::splat(-1.0); 41 * 64];
    launch!(on, one_row(read x, write y), LaunchConfig::grid(41))?;
    let mut want = vec![F32x4::splat(-1.0); 41 * 64];
    for (want, row) in want.chunks_mut(64).zip(&x) {
        want.iter_mut().zip(row.iter().rev()).for_each(|(want, from)| *want = *from);
    }
    equal("y", &y, &want)
}

/// A producer warp copies rows into the stages that consumer warps have released.
#[kernel(block = 96)]
fn pipeline<const STAGES: usize>(x: &[[F32x4; 64]], y: &mut [f32]) {
    let full = shared!([MBarrier<1>; STAGES]);
    let empty = shared!([MBarrier<64>; STAGES]);
    let tiles = shared!([[F32x4; 64]; STAGES]);
    let t = thread_idx_x();
    if t >= 64 {
        if t == 64 {
            for i in 0..x.len() {
                let (stage, parity) = (i % STAGES, i / STAGES % 2 == 1);
                empty[stage].wait_parity(!parity);
                full[stage].bulk_copy(&mut tiles[stage], &x[i]);
                full[stage].arrive();
            }
        }
    } else {
        let mut sum = 0.0;
        for i in 0..x.len() {
            let (stage, parity) = (i % STAGES, i / STAGES % 2 == 1);
            full[stage].wait_parity(parity);
            let four = tiles[stage][63 - t];
            sum = sum * 0.5 + four.x + four.w;
            empty[stage].arrive();
        }
        if t < y.len() {
            y[t] = sum;
        }
    }
}

fn stages(on: &Engine) -> Check {
    for count in [0, 1, 2, 5, 33] {
        let x = rows::<64>(count);
        let sum = |t: usize| {
            x.iter().fold(0.0f32, |sum, row| {
                let four = row[63 - t];
                sum.mul_add(0.5, four.x) + four.w
            })
        };
        let want: Vec<f32> = (0..64).map(sum).collect();
        let (mut one, mut three) = (vec![9.0f32; 64], vec![9.0f32; 64]);
        launch!(on, pipeline::<1>(read x, write one), LaunchConfig::grid(1))?;
        launch!(on, pipeline::<3>(read x, write three), LaunchConfig::grid(1))?;
        same("one", &one, &want)?;
        same("three", &three, &want)?;
    }
    Ok(())
}

/// Each thread copies a row of its own, and one barrier counts all of them.
#[kernel(block = 32)]
fn own_rows(x: &[[U32x4; 3]], y: &mut [u32]) {
    let full = shared!(MBarrier<32>);
    let tile = shared!([[U32x4; 3]; 32]);
    let t = thread_idx_x();
    for round in 0..4 {
        let row = round * 32 + t;
        if row < x.len() {
            full.bulk_copy(&mut tile[t], &x[row]);
        }
        let token = full.arrive();
        full.wait(token);
        let from = (t * 7 + 1) % 32;
        if round * 32 + from < x.len() && row < y.len() {
            let [a, b, c] = tile[from];
            y[row] = a.x + b.y + c.z + c.w;
        }
        sync_threads();
    }
}

fn many_threads(on: &Engine) -> Check {
    let four = |i: usize| U32x4::new(i as u32, 2 * i as u32, 3 * i as u32, 5);
    let x: Vec<[U32x4; 3]> = (0..120).map(|i| [four(i), four(i + 7), four(i * 3)]).collect();
    let mut y = vec![0u32; 128];
    launch!(on, own_rows(read x, write y), LaunchConfig::grid(1))?;
    let sum = |row: usize| {
        let from = row / 32 * 32 + (row % 32 * 7 + 1) % 32;
        x.get(from).map_or(0, |[a, b, c]| a.x + b.y + c.z + c.w)
    };
    same("y", &y, &(0..128).map(sum).collect::<Vec<_>>())
}

/// Two arrays arrive in one phase, of buffers of numbers of other types.
#[kernel(block = 32)]
fn two_arrays(a: &[[F64x2; 32]], b: &[[F32x4; 8]], y: &mut [f64]) {
    let full = shared!(MBarrier<1>);
    let left = shared!([F64x2; 32]);
    let right = shared!([F32x4; 8]);
    let t = thread_idx_x();
    for i in 0..a.len() {
        if t == 31 && i < b.len() {
            full.bulk_copy(left, &a[i]);
            full.bulk_copy(right, &b[i]);
            full.arrive();
        } else if t == 31 {
            full.arrive();
        }
        full.wait_parity(i % 2 == 1);
        let at = i * 32 + t;
        if i < b.len() && at < y.len() {
            y[at] = left[t].x - left[31 - t].y + right[t / 4].z as f64;
        }
        sync_threads();
    }
}

fn several_copies(on: &Engine) -> Check {
    let two = |i: usize| F64x2::new(i as f64, 10.0 * i as f64);
    let a: Vec<[F64x2; 32]> =
        (0..5).map(|row| std::array::from_fn(|i| two(row * 40 + i))).collect();
    let b = rows::<8>(5);
    let mut y = vec![0.0f64; 5 * 32];
    launch!(on, two_arrays(read a, read b, write y), LaunchConfig::grid(1))?;
    let value = |at: usize| {
        let (i, t) = (at / 32, at % 32);
        a[i][t].x - a[i][31 - t].y + f64::from(b[i][t / 4].z)
    };
    same("y", &y, &(0..5 * 32).map(value).collect::<Vec<_>>())
}

/// The size is a parameter of the kernel.
#[kernel(block = 32)]
fn sized<const N: usize>(x: &[[U32x4; N]], y: &mut [u32]) {
    let full = shared!(MBarrier<1>);
    let tile = shared!([U32x4; N]);
    let t = thread_idx_x();
    if x.len() > 2 {
        if t == 0 {
            full.bulk_copy(tile, &x[2]);
            full.arrive();
        }
        full.wait_parity(false);
        for i in (t..N).step_by(32) {
            if i < y.len() {
                y[i] = tile[i].y;
            }
        }
    }
}

fn generic_sizes(on: &Engine) -> Check {
    let one: Vec<[U32x4; 1]> = (0..3).map(|i| [U32x4::new(i, i + 10, i, i)]).collect();
    let many: Vec<[U32x4; 1000]> =
        (0..3u32).map(|row| std::array::from_fn(|i| U32x4::splat(row * 1000 + i as u32))).collect();
    let (mut y, mut ys) = (vec![0u32; 1], vec![0u32; 1000]);
    launch!(on, sized::<1>(read one, write y), LaunchConfig::grid(1))?;
    launch!(on, sized::<1000>(read many, write ys), LaunchConfig::grid(1))?;
    same("y", &y, &[12])?;
    same("ys", &ys, &(2000..3000).collect::<Vec<_>>())
}

/// A value that is aligned to 16 bytes.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
struct Body {
    position: [f32; 3],
    mass: f32,
    number: u64,
    group: u16,
}

#[kernel(block = 32)]
fn bodies(x: &[Body], y: &mut [f32]) {
    let full = shared!([MBarrier<1>; 32]);
    let tile = shared!([Body; 32]);
    let t = thread_idx_x();
    if t < x.len() {
        full[t].bulk_copy(&mut tile[t], &x[t]);
    }
    full[t].arrive();
    full[31 - t].wait_parity(false);
    if 31 - t < x.len() && t < y.len() {
        let Body { position, mass, number, group } = tile[31 - t];
        y[t] = position[2] * mass + (number as f32) + (group as f32);
    }
}

fn structs(on: &Engine) -> Check {
    let body = |i: u16| {
        let at = f32::from(i);
        Body { position: [at, 1.0, 2.0 * at], mass: 4.0, number: u64::from(i) << 3, group: i }
    };
    let x: Vec<Body> = (0..30).map(body).collect();
    let mut y = vec![0.0f32; 32];
    launch!(on, bodies(read x, write y), LaunchConfig::grid(1))?;
    let value = |t: usize| {
        x.get(31 - t).map_or(0.0, |it| {
            it.position[2].mul_add(it.mass, it.number as f32) + f32::from(it.group)
        })
    };
    same("y", &y, &(0..32).map(value).collect::<Vec<_>>())
}

/// The buffer and the tile were written before by all threads.
#[kernel(block = 64)]
fn rewritten(x: &mut [[U32x4; 64]], y: &mut [u32]) {
    let full = shared!(MBarrier<1>);
    let tile = shared!([U32x4; 64]);
    let (t, block) = (thread_idx_x(), block_idx_x());
    for round in 0..3 {
        tile[t] = U32x4::splat(99);
        if block < x.len() {
            x[block][t] = x[block][t] * U32x4::splat(3) + U32x4::splat(t as u32);
        }
        sync_threads();
        if t == 5 {
            if block < x.len() {
                full.bulk_copy(tile, &x[block]);
            }
            full.arrive();
        }
        full.wait_parity(round % 2 == 1);
        let at = (block * 3 + round) * 64 + t;
        if at < y.len() {
            y[at] = tile[(t + 1) % 64].z;
        }
        sync_threads();
    }
}

fn written_before(on: &Engine) -> Check {
    let first = |block: u32, t: usize| U32x4::splat(block * 64 + t as u32);
    let mut x: Vec<[U32x4; 64]> =
        (0..7).map(|block| std::array::from_fn(|t| first(block, t))).collect();
    let mut y = vec![0u32; 8 * 3 * 64];
    launch!(on, rewritten(write x, write y), LaunchConfig::grid(8))?;
    let mut want = vec![99u32; 8 * 3 * 64];
    for block in 0..7u32 {
        let mut row: Vec<u32> = (0..64).map(|t| block * 64 + t).collect();
        for round in 0..3 {
            row.iter_mut().zip(0..).for_each(|(value, t)| *value = *value * 3 + t);
            for t in 0..64 {
                want[(block as usize * 3 + round) * 64 + t] = row[(t + 1) % 64];
            }
        }
        let after: Vec<u32> = x[block as usize].iter().map(|four| four.w).collect();
        same("x", &after, &row)?;
    }
    same("y", &y, &want)
}

/// Phases with copies and phases without.
#[kernel(block = 32)]
fn sometimes(x: &[[U32x4; 2]], y: &mut [u32]) {
    let full = shared!(MBarrier<2>);
    let tile = shared!([U32x4; 2]);
    let t = thread_idx_x();
    if t < 2 {
        tile[t] = U32x4::splat(7);
    }
    sync_threads();
    for i in 0..x.len() {
        if t == 0 {
            full.arrive();
        }
        if t == 31 {
            if i % 3 != 1 {
                full.bulk_copy(tile, &x[i]);
            }
            full.arrive();
        }
        full.wait_parity(i % 2 == 1);
        if t == 9 && i < y.len() {
            y[i] = tile[1].x;
        }
        sync_threads();
    }
}

fn conditional(on: &Engine) -> Check {
    let x: Vec<[U32x4; 2]> = (0..11).map(|i| [U32x4::splat(0), U32x4::splat(10 * i)]).collect();
    let mut y = vec![0u32; 11];
    launch!(on, sometimes(read x, write y), LaunchConfig::grid(1))?;
    let want = (0..11).map(|i| 10 * if i % 3 == 1 { i - 1 } else { i });
    same("y", &y, &want.collect::<Vec<_>>())
}
