//! Transforms: `fastWalshTransform`, a fast Fourier transform in shared memory, and `dct8x8`.
use super::{close, noise};
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::ops::{Add, Mul, Sub};
use warpwise::prelude::*;

cases![walsh: THREADS_MEET, fourier: THREADS_MEET, cosine: THREADS_MEET];

/// The first stages, in shared memory: 256 elements a block.
#[kernel(block = 64)]
fn walsh_in_blocks(x: &mut [f32]) {
    let data = shared!([f32; 256]);
    let t = thread_idx_x();
    let part = &mut x[block_idx_x() * 256..][..256];
    for k in (t..256).step_by(64) {
        data[k] = part[k];
    }
    let mut stride = 128;
    while stride > 0 {
        sync_threads();
        for k in (t..128).step_by(64) {
            let low = k & (stride - 1);
            let first = 2 * k - low;
            let (a, b) = (data[first], data[first + stride]);
            (data[first], data[first + stride]) = (a + b, a - b);
        }
        stride /= 2;
    }
    sync_threads();
    for k in (t..256).step_by(64) {
        part[k] = data[k];
    }
}

/// A stage over all of global memory.
#[kernel]
fn walsh_stage(stride: usize, x: &mut [f32]) {
    let k = global_idx_x();
    if 2 * k < x.len() {
        let first = 2 * k - (k & (stride - 1));
        let (a, b) = (x[first], x[first + stride]);
        x[first] = a + b;
        x[first + stride] = a - b;
    }
}

fn walsh(on: &Engine) -> Check {
    let start: Vec<f32> = noise(1024).iter().map(|v| (v % 64) as f32).collect();
    let mut x = start.clone();
    for stride in [512, 256] {
        launch!(on, walsh_stage(value stride, write x), LaunchConfig::cover(512))?;
    }
    launch!(on, walsh_in_blocks(write x), LaunchConfig::grid(4))?;
    let want: Vec<f32> = (0..1024u32)
        .map(|i| {
            let sign = |k: u32| if (i & k).count_ones() % 2 == 0 { 1.0 } else { -1.0 };
            (0..).zip(&start).map(|(k, v)| sign(k) * v).sum()
        })
        .collect();
    same("x", &x, &want)
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Complex {
    re: f32,
    im: f32,
}

#[device]
impl Complex {
    const I: Complex = Complex { re: 0.0, im: 1.0 };

    /// Returns a number on the unit circle.
    fn at(angle: f32) -> Self {
        let (im, re) = angle.sin_cos();
        Self { re, im }
    }

    fn conjugate(self) -> Self {
        Self { im: -self.im, ..self }
    }
}

#[device]
impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

#[device]
impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

#[device]
impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

/// Transforms `N` points per block, two of them per thread, by Cooley and Tukey.
#[kernel(block = HALF)]
fn fft<const N: usize, const HALF: usize>(inverse: bool, x: &mut [Complex]) {
    let data = shared!([Complex; N]);
    let t = thread_idx_x();
    let part = &mut x[block_idx_x() * N..][..N];
    let bits = N.ilog2();
    for k in [t, t + HALF] {
        let reversed = (k as u32).reverse_bits() >> (32 - bits);
        data[reversed as usize] = if inverse { part[k].conjugate() } else { part[k] };
    }
    let mut half = 1;
    while half < N {
        sync_threads();
        let k = t % half;
        let first = t / half * 2 * half + k;
        let twiddle = Complex::at(-std::f32::consts::PI * k as f32 / half as f32);
        let (a, b) = (data[first], data[first + half] * twiddle);
        data[first] = a + b;
        data[first + half] = a - b;
        half *= 2;
    }
    sync_threads();
    for k in [t, t + HALF] {
        part[k] = if inverse {
            let scale = Complex { re: 1.0 / N as f32, im: 0.0 };
            data[k].conjugate() * scale
        } else {
            data[k]
        };
    }
}

fn fourier(on: &Engine) -> Check {
    let start: Vec<Complex> = noise(512)
        .chunks(2)
        .map(|pair| Complex { re: (pair[0] % 9) as f32 - 4.0, im: (pair[1] % 7) as f32 })
        .map(|z| z * Complex::I)
        .collect();
    let mut x = start.clone();
    let inverse = false;
    launch!(on, fft::<64, 32>(value inverse, write x), LaunchConfig::grid(4))?;
    let mut want = Vec::new();
    for part in start.chunks(64) {
        for k in 0..64 {
            let (mut re, mut im) = (0.0, 0.0);
            for (n, z) in part.iter().enumerate() {
                let angle = -std::f64::consts::TAU * ((k * n) % 64) as f64 / 64.0;
                let (a, b) = (f64::from(z.re), f64::from(z.im));
                re += a * angle.cos() - b * angle.sin();
                im += a * angle.sin() + b * angle.cos();
            }
            want.extend([re, im]);
        }
    }
    let parts = |x: &[Complex]| x.iter().flat_map(|z| [z.re, z.im]).collect::<Vec<f32>>();
    close("spectrum", &parts(&x), &want, 1e-4)?;
    let inverse = true;
    launch!(on, fft::<64, 32>(value inverse, write x), LaunchConfig::grid(4))?;
    let want: Vec<f64> = parts(&start).into_iter().map(f64::from).collect();
    close("back", &parts(&x), &want, 1e-5)
}

#[device]
const PI_16: f32 = std::f32::consts::PI / 16.0;

/// Blocks of 8 by 8 pixels: a matrix product for the columns, and one for the rows.
#[kernel(block = (8, 8))]
fn dct(width: usize, image: &[f32], out: &mut [f32]) {
    let basis = shared!([[f32; 8]; 8]);
    let block = shared!([[f32; 8]; 8]);
    let half = shared!([[f32; 8]; 8]);
    let (x, y) = (thread_idx_x(), thread_idx_y());
    let at = global_idx_y() * width + global_idx_x();
    let scale = if y == 0 { 0.125f32.sqrt() } else { 0.5 };
    basis[y][x] = scale * ((2 * x + 1) as f32 * y as f32 * PI_16).cos();
    block[y][x] = image[at] - 128.0;
    sync_threads();
    half[y][x] = (0..8).map(|k| basis[y][k] * block[k][x]).sum();
    sync_threads();
    out[at] = half[y].iter().zip(&basis[x]).map(|(a, b)| a * b).sum();
}

fn cosine(on: &Engine) -> Check {
    let width = 24;
    let image: Vec<f32> = noise(24 * 16).iter().map(|v| (v >> 24) as f32).collect();
    let mut out = vec![0.0; image.len()];
    let config = LaunchConfig::cover((24, 16));
    launch!(on, dct(value width, read image, write out), config)?;
    let basis = |k: usize, n: usize| {
        let scale = if k == 0 { 0.125f64.sqrt() } else { 0.5 };
        scale * ((2 * n + 1) as f64 * k as f64 * std::f64::consts::PI / 16.0).cos()
    };
    let want: Vec<f64> = (0..24 * 16)
        .map(|i| {
            let (x, y) = (i % 24, i / 24);
            let first = y / 8 * 8 * 24 + x / 8 * 8;
            let pixels =
                (0..64).map(|k| (k % 8, k / 8, f64::from(image[first + k / 8 * 24 + k % 8])));
            pixels.map(|(a, b, v)| basis(x % 8, a) * basis(y % 8, b) * (v - 128.0)).sum()
        })
        .collect();
    close("out", &out, &want, 1e-3)
}
