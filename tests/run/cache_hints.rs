//! Loads and stores with a cache operator, and prefetches.
use crate::run::engine::{Check, Engine, cases, equal, fault, launch, same};
use warpwise::{F16x4, F32x2, F32x3, F32x4, U8x4, prelude::*};

cases![every_operator, every_type, neighbours, steering, updates, prefetches, in_functions, bounds: FAULTS];

#[kernel(block = 64)]
fn operators(x: &[u32], y: &mut [u32], z: &mut [[u32; 4]]) {
    let i = global_idx_x();
    if i < z.len() {
        let loaded = [
            cache::load_ca(&x[i]),
            cache::load_cg(&x[i]),
            cache::load_cs(&x[i]),
            cache::load_lu(&x[i]),
            cache::load_cv(&x[i]),
        ];
        let mut sum = 0;
        for value in loaded {
            sum += value;
        }
        let before = [
            cache::load_ca(&y[i]),
            cache::load_cg(&y[i]),
            cache::load_cs(&y[i]),
            cache::load_lu(&y[i]),
            cache::load_cv(&y[i]),
        ];
        for value in before {
            sum += value;
        }
        cache::store_wt(&mut y[i], sum);
        cache::store_wb(&mut z[i][0], sum);
        cache::store_cg(&mut z[i][1], sum + 1);
        cache::store_cs(&mut z[i][2], sum + 2);
        cache::store_wt(&mut z[i][3], sum + 3);
    }
}

fn every_operator(on: &Engine) -> Check {
    let x: Vec<u32> = (0..100).map(|i| i * 3).collect();
    let mut y: Vec<u32> = (0..100).map(|i| i + 1).collect();
    let mut z = vec![[0u32; 4]; 100];
    launch!(on, operators(read x, write y, write z), LaunchConfig::grid(2).block(64))?;
    let want: Vec<u32> = (0..100).map(|i| 5 * (i * 3 + i + 1)).collect();
    equal("y", &y, &want)?;
    let want: Vec<[u32; 4]> = want.iter().map(|&s| [s, s + 1, s + 2, s + 3]).collect();
    equal("z", &z, &want)
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Body {
    position: [f32; 3],
    mass: f64,
    kind: u8,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Point,
    Circle(f32),
    Box { width: u16, height: u16 },
}

/// Copies values of a type, reversed.
macro_rules! copied_type {
    ($on:ident $($ty:ty: $value:expr),* $(,)?) => {{$({
        #[kernel(block = 32)]
        fn reversed(x: &[$ty], y: &mut [$ty]) {
            let i = global_idx_x();
            cache::store_cs(&mut y[i], cache::load_cs(&x[63 - i]));
        }
        let value: fn(usize) -> $ty = $value;
        let x: Vec<$ty> = (0..64).map(value).collect();
        let mut y = vec![value(0); 64];
        launch!($on, reversed(read x, write y), LaunchConfig::grid(2).block(32))?;
        let want: Vec<$ty> = x.iter().rev().copied().collect();
        equal(stringify!($ty), &y, &want)?;
    })*}};
}

fn every_type(on: &Engine) -> Check {
    copied_type!(
        on
        u8: |i| i as u8 * 3,
        i8: |i| i as i8 - 30,
        bool: |i| i % 3 == 0,
        i16: |i| i as i16 - 7,
        f16: |i| f16::from_f32(i as f32),
        bf16: |i| bf16::from_f32(i as f32),
        u32: |i| i as u32 * 7,
        i64: |i| -(i as i64) << 33,
        usize: |i| i << 40,
        f32: |i| i as f32 + 0.5,
        f64: |i| i as f64 / 3.0,
        F32x2: |i| F32x2::new(i as f32, -1.0),
        F32x3: |i| F32x3::new(i as f32, -1.0, 0.25),
        F32x4: |i| F32x4::new(i as f32, -1.0, 0.25, 9.0),
        U8x4: |i| U8x4::new(i as u8, 1, 2, 3),
        F16x4: |i| F16x4::new(f16::from_f32(i as f32), f16::ONE, f16::ZERO, f16::ONE),
        [u32; 3]: |i| [i as u32, 1, 2],
        [f32; 20]: |i| [i as f32; 20],
        (u32, f64): |i| (i as u32, i as f64),
        Body: |i| Body { position: [i as f32, 1.0, 2.0], mass: i as f64, kind: i as u8 },
        Shape: |i| match i % 3 {
            0 => Shape::Point,
            1 => Shape::Circle(i as f32),
            _ => Shape::Box { width: i as u16, height: 3 },
        },
    );
    Ok(())
}

/// Neighbours with equal and with different operators, in one thread.
#[kernel(block = 32)]
fn four_each(x: &[f32], y: &mut [f32]) {
    let i = 4 * global_idx_x();
    let a = cache::load_cs(&x[i]);
    let b = cache::load_cs(&x[i + 1]);
    let c = cache::load_cs(&x[i + 2]);
    let d = cache::load_cs(&x[i + 3]);
    let e = cache::load_cg(&y[i]);
    let f = cache::load_cg(&y[i + 1]);
    let g = cache::load_ca(&y[i + 2]);
    let h = y[i + 3];
    cache::store_wt(&mut y[i], a + h);
    cache::store_wt(&mut y[i + 1], b + g);
    cache::store_cs(&mut y[i + 2], c + f);
    y[i + 3] = d + e;
}

fn neighbours(on: &Engine) -> Check {
    let x: Vec<f32> = (0..128).map(|i| i as f32).collect();
    let old: Vec<f32> = (0..128).map(|i| (i * i) as f32).collect();
    let mut y = old.clone();
    launch!(on, four_each(read x, write y), LaunchConfig::grid(1).block(32))?;
    let want: Vec<f32> = (0..128).map(|i| x[i] + old[i / 4 * 4 + 3 - i % 4]).collect();
    equal("y", &y, &want)
}

/// A loaded value selects the next access.
#[kernel(block = 32)]
fn follow(next: &[u32], links: &mut [u32], y: &mut [u32]) {
    let i = global_idx_x();
    let mut at = cache::load_cs(&next[i]) as usize;
    for _ in 0..3 {
        at = cache::load_cg(&next[at]) as usize;
    }
    let own = cache::load_lu(&links[i]) as usize;
    cache::store_wt(&mut y[i], at as u32 * 100 + next[own]);
    cache::store_cs(&mut links[i], at as u32);
}

fn steering(on: &Engine) -> Check {
    let next: Vec<u32> = (0..32).map(|i| (i * 5 + 3) % 32).collect();
    let mut links: Vec<u32> = (0..32).rev().collect();
    let mut y = vec![0u32; 32];
    launch!(on, follow(read next, write links, write y), LaunchConfig::grid(1).block(32))?;
    let end = |i: usize| (0..4).fold(i, |at, _| next[at] as usize) as u32;
    let want: Vec<u32> = (0..32).map(|i| end(i) * 100 + next[31 - i]).collect();
    equal("y", &y, &want)?;
    equal("links", &links, &(0..32).map(end).collect::<Vec<_>>())
}

/// Loads and stores of one element, with and without operators, in order.
#[kernel(block = 32)]
fn update(y: &mut [i32]) {
    let i = global_idx_x();
    for round in 0..5 {
        let old = cache::load_cv(&y[i]);
        cache::store_wb(&mut y[i], old + round);
        y[i] *= 3;
        let mid = cache::load_lu(&y[i]);
        cache::store_cs(&mut y[i], mid - 1);
    }
}

fn updates(on: &Engine) -> Check {
    let mut y: Vec<i32> = (0..64).collect();
    launch!(on, update(write y), LaunchConfig::grid(2).block(32))?;
    let want: Vec<i32> = (0..64).map(|i| (0..5).fold(i, |y, round| (y + round) * 3 - 1)).collect();
    equal("y", &y, &want)
}

#[kernel(block = 32)]
fn ahead(x: &[[f32; 8]], y: &mut [f32]) {
    let t = thread_idx_x();
    let rows = x.len() / 32;
    cache::prefetch_l2(&x[t]);
    let mut sum = 0.0;
    for row in 0..rows {
        if row + 1 < rows {
            cache::prefetch_l1(&x[(row + 1) * 32 + t][3]);
        }
        sum += x[row * 32 + t][7];
    }
    cache::prefetch_l1(&y[t]);
    y[t] += sum;
}

fn prefetches(on: &Engine) -> Check {
    let x: Vec<[f32; 8]> = (0..160).map(|i| [i as f32; 8]).collect();
    let mut y = vec![0.5f32; 32];
    launch!(on, ahead(read x, write y), LaunchConfig::grid(1).block(32))?;
    let want: Vec<f32> = (0..32).map(|t| (5 * t + 32 * 10) as f32 + 0.5).collect();
    equal("y", &y, &want)
}

#[device]
fn last<T: Copy>(row: &[T]) -> T {
    cache::load_cs(&row[row.len() - 1])
}

#[device]
fn put<T: Copy>(to: &mut T, value: T) {
    cache::store_cs::<T>(to, value);
}

#[kernel(block = 32, instances(f32, u16))]
fn generic<T: Num>(x: &[T], y: &mut [T]) {
    let t = thread_idx_x();
    let value = last(&x[2 * t..2 * t + 2]);
    put(&mut y[t], value + T::ONE);
    let halved = |value: T| value + cache::load_cg::<T>(&x[0]);
    for slot in &mut y[32 + t..32 + t + 1] {
        cache::store_wt(slot, halved(value));
    }
}

fn in_functions(on: &Engine) -> Check {
    let x: Vec<f32> = (0..64).map(|i| i as f32 + 4.0).collect();
    let mut y = vec![0.0f32; 64];
    launch!(on, generic::<f32>(read x, write y), LaunchConfig::grid(1).block(32))?;
    let want = |t: usize| x[2 * (t % 32) + 1] + if t < 32 { 1.0 } else { 4.0 };
    equal("f32", &y, &(0..64).map(want).collect::<Vec<_>>())?;
    let x: Vec<u16> = (0..64).map(|i| i + 4).collect();
    let mut y = vec![0u16; 64];
    launch!(on, generic::<u16>(read x, write y), LaunchConfig::grid(1).block(32))?;
    let want = |t: usize| x[2 * (t % 32) + 1] + if t < 32 { 1 } else { 4 };
    equal("u16", &y, &(0..64).map(want).collect::<Vec<_>>())
}

#[kernel(block = 32)]
fn out_of_bounds(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    if t == 3 {
        cache::prefetch_l2(&x[x.len() + 2]);
    }
    y[t] = 1.0;
}

#[kernel(block = 32)]
fn store_out_of_bounds(y: &mut [f32]) {
    cache::store_cs(&mut y[global_idx_x()], 1.0);
}

fn bounds(on: &Engine) -> Check {
    let x = vec![1.0f32; 10];
    let mut y = vec![0.0f32; 32];
    let launched = launch!(on, out_of_bounds(read x, write y), LaunchConfig::grid(1).block(32));
    same("thread", &fault(launched)?.thread, &[3, 0, 0])?;
    let want: Vec<f32> = (0..32).map(|t| if t == 3 { 0.0 } else { 1.0 }).collect();
    same("y", &y, &want)?;
    let mut y = vec![0.0f32; 31];
    let launched = launch!(on, store_out_of_bounds(write y), LaunchConfig::grid(1).block(32));
    same("thread", &fault(launched)?.thread, &[31, 0, 0])?;
    same("y", &y, &vec![1.0; 31])
}
