//! Parameters and slices of every type.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![scalars, copies, in_place, empty, gather, lengths];

#[kernel]
fn all_scalars(
    a: i8,
    b: i16,
    c: i32,
    d: i64,
    e: isize,
    f: u8,
    g: u16,
    h: u32,
    j: u64,
    k: usize,
    l: f32,
    m: f64,
    yes: bool,
    no: bool,
    out: &mut [f64],
) {
    if global_idx_x() == 0 {
        out[0] = a as f64;
        out[1] = b as f64;
        out[2] = c as f64;
        out[3] = d as f64;
        out[4] = e as f64;
        out[5] = f as f64;
        out[6] = g as f64;
        out[7] = h as f64;
        out[8] = j as f64;
        out[9] = k as f64;
        out[10] = l as f64;
        out[11] = m;
        out[12] = if yes { 1.0 } else { 0.0 };
        out[13] = if no { 1.0 } else { 0.0 };
    }
}

fn scalars(on: &Engine) -> Check {
    let (a, b, c, d, e) = (-8i8, -1600i16, -320_000i32, -6_400_000_000i64, -5isize);
    let (f, g, h, j, k) = (200u8, 60_000u16, 4_000_000_000u32, 1u64 << 60, 77usize);
    let (l, m, yes, no) = (0.15625f32, -1e300f64, true, false);
    let mut out = vec![9.0; 14];
    launch!(
        on,
        all_scalars(
            value a, value b, value c, value d, value e, value f, value g, value h, value j,
            value k, value l, value m, value yes, value no, write out,
        ),
        LaunchConfig::cover(1)
    )?;
    let want = [
        -8.0,
        -1600.0,
        -320_000.0,
        -6_400_000_000.0,
        -5.0,
        200.0,
        60_000.0,
        4_000_000_000.0,
        (1u64 << 60) as f64,
        77.0,
        0.15625,
        -1e300,
        1.0,
        0.0,
    ];
    same("out", &out, &want)
}

/// A kernel that copies backwards, and its case for a type.
macro_rules! copy {
    ($on:ident $($ty:ident [$($edge:expr),*])*) => {{$({
        #[kernel]
        fn backwards(from: &[$ty], to: &mut [$ty]) {
            let i = global_idx_x();
            if i < to.len() {
                to[i] = from[from.len() - 1 - i];
            }
        }
        let from: Vec<$ty> = [$($edge),*].into_iter().cycle().take(1009).collect();
        let mut to = vec![Default::default(); from.len()];
        launch!($on, backwards(read from, write to), LaunchConfig::cover(from.len()))?;
        let want: Vec<$ty> = from.iter().rev().copied().collect();
        same(stringify!($ty), &to, &want)?;
    })*}};
}

fn copies(on: &Engine) -> Check {
    copy! { on
        bool [true, false, false]
        i8 [1, -1, i8::MIN, i8::MAX]
        i16 [1, -1, i16::MIN, i16::MAX]
        i32 [1, -1, i32::MIN, i32::MAX]
        i64 [1, -1, i64::MIN, i64::MAX]
        isize [1, -1, isize::MIN]
        u8 [1, 0, u8::MAX]
        u16 [1, 0, u16::MAX]
        u32 [1, 0, u32::MAX]
        u64 [1, 0, u64::MAX]
        usize [1, 0, usize::MAX]
        f32 [1.5, -0.0, f32::MAX, f32::INFINITY]
        f64 [1.5, -0.0, f64::MAX, f64::MIN_POSITIVE]
    }
    Ok(())
}

#[kernel]
fn double(x: &mut [u16]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] *= 2;
        x[i] += x[i] / 3;
    }
}

fn in_place(on: &Engine) -> Check {
    let start: Vec<u16> = (0..3000).collect();
    let mut x = start.clone();
    launch!(on, double(write x), LaunchConfig::cover(x.len()))?;
    let want: Vec<u16> = start.iter().map(|x| 2 * x + 2 * x / 3).collect();
    same("x", &x, &want)
}

#[kernel(allow(gpu_same_value_races))]
fn count_elements(none: &[f32], out: &mut [usize]) {
    let i = global_idx_x();
    if i < none.len() {
        out[0] = 1;
    }
    if i < out.len() {
        out[i] = none.len() + 100;
    }
}

fn empty(on: &Engine) -> Check {
    let none = Vec::<f32>::new();
    let mut out = vec![0; 3];
    launch!(on, count_elements(read none, write out), LaunchConfig::cover(64))?;
    same("out", &out, &[100; 3])?;
    let mut out = vec![7usize; 3];
    launch!(on, count_elements(read none, write out), LaunchConfig::cover(0))?;
    same("out of no thread", &out, &[7; 3])
}

#[kernel]
fn gathered(index: &[u32], table: &[f64], out: &mut [f64]) {
    let i = global_idx_x();
    if i < index.len() {
        out[i] = table[index[i] as usize] + table[table.len() - 1];
    }
}

fn gather(on: &Engine) -> Check {
    let table: Vec<f64> = (0..257).map(|i| f64::from(i * i)).collect();
    let index: Vec<u32> = (0..1000u32).map(|i| i.wrapping_mul(7919) % 257).collect();
    let mut out = vec![0.0; index.len()];
    launch!(on, gathered(read index, read table, write out), LaunchConfig::cover(index.len()))?;
    let want: Vec<f64> = index.iter().map(|i| table[*i as usize] + 65_536.0).collect();
    same("out", &out, &want)
}

#[kernel]
fn sum_of_lengths(a: &[u8], b: &mut [i64], c: &[f32], out: &mut [usize]) {
    if global_idx_x() == 0 {
        b[b.len() - 1] = -1;
        out[0] = a.len() * 1_000_000 + b.len() * 1000 + c.len();
        out[1] = if a.is_empty() { 1 } else { 0 };
    }
}

fn lengths(on: &Engine) -> Check {
    let (a, mut b, c) = (vec![0u8; 5], vec![0i64; 21], vec![0f32; 999]);
    let mut out = vec![0; 2];
    launch!(on, sum_of_lengths(read a, write b, read c, write out), LaunchConfig::cover(1))?;
    same("out", &out, &[5_021_999, 0])?;
    same("b", &b[19..], &[0, -1])
}
