//! Views of shared memory as vectors: loads and stores of elements as vectors and as numbers.
use crate::run::engine::{Check, Engine, cases, fault, launch, same};
use warpwise::{
    F16x2, F32x2, F32x3, F32x4, F64x2, F64x4, I8x4, I32x2, I64x2, U8x4, U16x2, U32x2, U32x4, U64x2,
    prelude::*,
};

cases![
    every_type: THREADS_MEET, parts_of_arrays: THREADS_MEET, length_of_a_launch: THREADS_MEET,
    lengths_of_instances: THREADS_MEET, methods: THREADS_MEET, past_the_end: THREADS_MEET,
    rests: THREADS_MEET,
];

/// Reverses vectors, and their lanes with them.
macro_rules! reverse {
    ($on:ident $($vector:ident $lane:ident $lanes:literal;)*) => {{$({
        #[kernel(block = 32)]
        fn load(x: &[$lane], out: &mut [$vector]) {
            let tile = shared!([$lane; 32 * $lanes]);
            let t = thread_idx_x();
            for lane in 0..$lanes {
                tile[lane * 32 + t] = x[lane * 32 + t];
            }
            sync_threads();
            out[31 - t] = tile.as_vectors::<$vector>()[t];
        }
        #[kernel(block = 32)]
        fn store(x: &[$vector], out: &mut [$lane]) {
            let tile = shared!([$lane; 32 * $lanes]);
            let t = thread_idx_x();
            let vectors: &mut [$vector] = tile.as_vectors_mut();
            vectors[31 - t] = x[t];
            sync_threads();
            for lane in 0..$lanes {
                out[lane * 32 + t] = tile[lane * 32 + t];
            }
        }
        let lane = |i: u8| <$lane>::from_u8(i);
        let x: Vec<[$lane; $lanes]> =
            (0..32).map(|i| std::array::from_fn(|k| lane(i * 3 + k as u8))).collect();
        let reversed: Vec<_> = x.iter().rev().copied().collect();
        let (numbers, mut out) = (x.as_flattened(), vec![$vector::ZERO; 32]);
        launch!($on, load(read numbers, write out), LaunchConfig::grid(1))?;
        let out: Vec<[$lane; $lanes]> = out.into_iter().map($vector::to_array).collect();
        same(stringify!($vector), out.as_flattened(), reversed.as_flattened())?;
        let x: Vec<$vector> = x.into_iter().map($vector::from).collect();
        let mut out = vec![lane(0); 32 * $lanes];
        launch!($on, store(read x, write out), LaunchConfig::grid(1))?;
        same(stringify!($vector), &out, reversed.as_flattened())?;
    })*}};
}

/// Numbers from small integers.
trait FromU8 {
    fn from_u8(value: u8) -> Self;
}

macro_rules! from_u8 {
    ($($ty:ident)*) => {$(
        impl FromU8 for $ty {
            fn from_u8(value: u8) -> Self {
                value as $ty
            }
        }
    )*};
}
from_u8! { f32 f64 i8 i32 i64 u8 u16 u32 u64 }

impl FromU8 for f16 {
    fn from_u8(value: u8) -> Self {
        f16::from(value)
    }
}

fn every_type(on: &Engine) -> Check {
    reverse! { on
        F32x2 f32 2; F32x3 f32 3; F32x4 f32 4; F64x2 f64 2; F64x4 f64 4; F16x2 f16 2;
        I8x4 i8 4; I32x2 i32 2; I64x2 i64 2; U8x4 u8 4; U16x2 u16 2; U32x2 u32 2; U32x4 u32 4;
        U64x2 u64 2;
    }
    Ok(())
}

#[device]
fn sum_of(numbers: &[u32], i: usize) -> u32 {
    let quad = numbers.as_vectors::<U32x4>()[i];
    quad.sum()
}

#[device]
fn double(numbers: &mut [u32], i: usize) {
    let pairs = numbers.as_vectors_mut::<U32x2>();
    pairs[i] *= 2;
    pairs[i].y += 1;
}

/// Rows of nested arrays, and parts that begin at a multiple of a vector.
#[kernel(block = 16)]
fn parts(x: &[u32], out: &mut [u32]) {
    let rows = shared!([[u32; 8]; 16]);
    let flat = shared!([u32; 128]);
    let t = thread_idx_x();
    for i in 0..8 {
        rows[t][i] = x[t * 8 + i];
        flat[t * 8 + i] = x[t * 8 + i];
    }
    sync_threads();
    double(&mut rows[t], 3);
    double(&mut flat[64..], t);
    sync_threads();
    let start = 8 * (15 - t);
    out[t] = sum_of(&rows[15 - t], 1);
    out[16 + t] = sum_of(&flat[64..96], t % 8);
    out[32 + t] = sum_of(&flat[start..], 1);
    let mut sum = 0;
    for i in (0..32).step_by(4) {
        sum += flat[i..i + 8].as_vectors::<U32x4>()[t % 2].x;
    }
    out[48 + t] = sum;
}

fn parts_of_arrays(on: &Engine) -> Check {
    let x: Vec<u32> = (0..128).collect();
    let mut out = vec![0; 64];
    launch!(on, parts(read x, write out), LaunchConfig::grid(1))?;
    let mut rows = x.clone();
    for row in rows.chunks_mut(8) {
        row[6] *= 2;
        row[7] = row[7] * 2 + 1;
    }
    let mut flat = x.clone();
    for pair in flat[64..96].chunks_mut(2) {
        pair[0] *= 2;
        pair[1] = pair[1] * 2 + 1;
    }
    let quad = |x: &[u32], i: usize| x[4 * i..4 * i + 4].iter().sum::<u32>();
    let want = (0..16).map(|t| quad(&rows[8 * (15 - t)..], 1));
    let want = want.chain((0..16).map(|t| quad(&flat[64..], t % 8)));
    let want = want.chain((0..16).map(|t| quad(&flat[8 * (15 - t)..], 1)));
    let firsts = |t: usize| (0..8).map(|i| flat[4 * i + 4 * (t % 2)]).sum();
    let want: Vec<u32> = want.chain((0..16).map(firsts)).collect();
    same("out", &out, &want)
}

/// Sums groups of four numbers, as many as a launch states.
#[kernel]
fn launched(n: usize, x: &[f32], out: &mut [f32]) {
    let before = shared_dyn!(u8, 3);
    let tile = shared_dyn!(f32, 4 * n);
    let t = thread_idx_x();
    if t < 3 {
        before[t] = 1;
    }
    for i in (t..4 * n).step_by(block_dim_x()) {
        tile[i] = x[i];
    }
    sync_threads();
    let quads = tile.as_vectors::<F32x4>();
    for i in (t..quads.len()).step_by(block_dim_x()) {
        out[i] = quads[i].sum();
    }
}

fn length_of_a_launch(on: &Engine) -> Check {
    let x: Vec<f32> = (0..400u16).map(f32::from).collect();
    let mut out = vec![0.0; 100];
    let n = 100;
    launch!(on, launched(value n, read x, write out), LaunchConfig::grid(1).block(32))?;
    let want: Vec<f32> = x.chunks(4).map(|quad| quad.iter().sum()).collect();
    same("out", &out, &want)
}

/// Loads groups of four from rows with a length of their own.
#[kernel(block = 32)]
fn rows_of<const N: usize>(x: &[u32], out: &mut [u32]) {
    let tile = shared!([[u32; N]; 32]);
    let t = thread_idx_x();
    for i in 0..N {
        tile[t][i] = x[t * N + i];
    }
    sync_threads();
    let row = tile[31 - t].as_vectors::<U32x4>();
    out[t] = row[row.len() - 1].sum();
}

fn lengths_of_instances(on: &Engine) -> Check {
    macro_rules! of {
        ($n:literal) => {{
            let x: Vec<u32> = (0..32 * $n).collect();
            let mut out = vec![0; 32];
            launch!(on, rows_of::<$n>(read x, write out), LaunchConfig::grid(1))?;
            let rows = x.chunks($n).rev();
            let want: Vec<u32> = rows.map(|row| row[$n - 4..].iter().sum()).collect();
            same("out", &out, &want)?;
        }};
    }
    of!(8);
    of!(12);
    Ok(())
}

/// Calls methods of slices on views.
#[kernel(block = 8)]
fn slice_methods(x: &[u32], out: &mut [u32]) {
    let tile = shared!([u32; 32]);
    let t = thread_idx_x();
    for i in 0..4 {
        tile[t * 4 + i] = x[t * 4 + i];
    }
    sync_threads();
    let quads = tile.as_vectors::<U32x4>();
    let sum: u32 = quads.iter().map(|quad| quad.x).sum();
    let beyond = quads.get(t + 4).map_or(7, |quad| quad.w);
    let tail = quads[5..].len() as u32;
    let last = quads.last().unwrap()[t % 4];
    sync_threads();
    for quad in tile[16..].as_vectors_mut::<U32x2>().iter_mut().skip(t).take(1) {
        *quad = U32x2::splat(quad.x);
    }
    sync_threads();
    out[t] = sum + beyond + tail + last + tile[17 + 2 * t] * 1000;
}

fn methods(on: &Engine) -> Check {
    let x: Vec<u32> = (0..32).collect();
    let mut out = vec![0; 8];
    launch!(on, slice_methods(read x, write out), LaunchConfig::grid(1))?;
    let sum: u32 = (0..8).map(|i| 4 * i).sum();
    let of = |t: u32| {
        let beyond = if t < 4 { 4 * (t + 4) + 3 } else { 7 };
        sum + beyond + 3 + 28 + t % 4 + (16 + 2 * t) * 1000
    };
    let want: Vec<u32> = (0..8).map(of).collect();
    same("out", &out, &want)
}

#[kernel(block = 32, allow(gpu_out_of_bounds_shared))]
fn beyond(shift: usize, out: &mut [F32x4]) {
    let tile = shared!([f32; 128]);
    let t = thread_idx_x();
    tile.as_vectors_mut::<F32x4>()[t] = F32x4::splat(t as f32);
    sync_threads();
    out[t] = tile.as_vectors::<F32x4>()[t + shift];
}

fn past_the_end(on: &Engine) -> Check {
    let mut out = vec![F32x4::ZERO; 32];
    let shift = 5;
    let result = launch!(on, beyond(value shift, write out), LaunchConfig::grid(1));
    let panic = fault(result)?;
    let message = "index out of bounds: the len is 32 but the index is 32";
    if (panic.message.as_str(), panic.thread, panic.count) != (message, [27, 0, 0], 5) {
        return Err(format!("{panic}").into());
    }
    let lanes: Vec<f32> = out.into_iter().map(|v| v.w).collect();
    let want: Vec<f32> = (0..32u8).map(|t| if t < 27 { f32::from(t + 5) } else { 0.0 }).collect();
    same("out", &lanes, &want)
}

#[kernel(block = 32)]
fn with_rest(n: usize, out: &mut [u32]) {
    let tile = shared_dyn!(u32, n);
    let t = thread_idx_x();
    if t < n {
        tile[t] = t as u32;
    }
    sync_threads();
    out[t] = tile[..n].as_vectors::<U32x2>()[t % 8].y;
}

fn rests(on: &Engine) -> Check {
    let mut out = vec![0; 32];
    let n = 31;
    let panic = fault(launch!(on, with_rest(value n, write out), LaunchConfig::grid(1)))?;
    if panic.message != "31 elements are no whole number of vectors with 2 lanes"
        || panic.count != 32
    {
        return Err(format!("{panic}").into());
    }
    let n = 16;
    launch!(on, with_rest(value n, write out), LaunchConfig::grid(1))?;
    let want: Vec<u32> = (0..32).map(|t| t % 8 * 2 + 1).collect();
    same("out", &out, &want)
}
