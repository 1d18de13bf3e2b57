//! User traits for types of Rust: numbers, arrays and slices.
use super::traits::numbers;
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![of_numbers, for_types_of_rust, names_of_std];

/// A trait for numbers with methods of its own on top of `Num`.
#[device]
trait Step: Num {
    const STEP: Self;
    fn stepped(self) -> Self {
        self + Self::STEP
    }
}

#[device]
impl Step for i32 {
    const STEP: Self = 2;
}

#[device]
impl Step for f64 {
    const STEP: Self = 0.5;
    fn stepped(self) -> Self {
        self * 2.0 + Self::STEP
    }
}

#[device]
fn twice_stepped<T: Step>(v: T) -> T {
    v.stepped().stepped() * T::STEP + T::ONE
}

#[kernel]
fn steps(x: &[i32], y: &mut [f64], out: &mut [i32]) {
    let i = global_idx_x();
    out[i] = twice_stepped(x[i]);
    y[i] = twice_stepped(y[i]);
}

fn of_numbers(on: &Engine) -> Check {
    let x = numbers();
    let start: Vec<f64> = x.iter().map(|v| f64::from(*v) / 4.0).collect();
    let (mut y, mut out) = (start.clone(), vec![0i32; 150]);
    launch!(on, steps(read x, write y, write out), LaunchConfig::cover(150).block(50))?;
    same("i32", &out, &x.iter().map(|v| (v + 4) * 2 + 1).collect::<Vec<_>>())?;
    let twice = |v: &f64| ((v * 2.0 + 0.5) * 2.0 + 0.5) * 0.5 + 1.0;
    same("f64", &y, &start.iter().map(twice).collect::<Vec<_>>())
}

#[device]
trait Brightness {
    fn brightness(&self) -> u32;
    fn is_dark(&self) -> bool {
        self.brightness() < 10
    }
}

#[device]
impl Brightness for u32 {
    fn brightness(&self) -> u32 {
        *self & 15
    }
}

#[device]
impl Brightness for [u32; 3] {
    fn brightness(&self) -> u32 {
        self.iter().sum()
    }
}

#[device]
impl Brightness for [u32] {
    fn brightness(&self) -> u32 {
        self[0].brightness() + self.len() as u32
    }
}

mod blended {
    use warpwise::prelude::*;

    #[device]
    pub(super) trait Blend {
        fn blend(self, other: Self) -> Self;
    }

    #[device]
    impl Blend for u32 {
        fn blend(self, other: u32) -> u32 {
            self.midpoint(other)
        }
    }
}
use blended::Blend;

/// Only its methods use a trait here.
#[kernel]
fn methods_of_rust(x: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        let pixel = [x[i], 1, 2];
        let dark = pixel.is_dark() as u32 + 2 * x[i].is_dark() as u32;
        let both = x[i].brightness().blend(x[i..].brightness());
        out[i] = both + 1000 * pixel.brightness() + 100_000 * dark;
    }
}

fn for_types_of_rust(on: &Engine) -> Check {
    let x: Vec<u32> = (0..16).map(|i| i * 7).collect();
    let mut out = vec![0; 16];
    launch!(on, methods_of_rust(read x, write out), LaunchConfig::grid(1).block(16))?;
    let want = x.iter().enumerate().map(|(i, &v)| {
        let (own, rest, pixel) = (v % 16, v % 16 + 16 - i as u32, v + 3);
        let dark = (pixel < 10) as u32 + 2 * (own < 10) as u32;
        (own + rest) / 2 + 1000 * pixel + 100_000 * dark
    });
    same("out", &out, &want.collect::<Vec<_>>())
}

#[device]
trait Sized32 {
    const BITS: u32;
    const MAX: u32;
    fn is_whole(self) -> bool;
}

#[device]
impl Sized32 for u64 {
    const BITS: u32 = u64::BITS / 2;
    const MAX: u32 = u32::MAX;
    fn is_whole(self) -> bool {
        self <= u64::from(<u64 as Sized32>::MAX)
    }
}

#[device]
fn bits_of<T: Sized32>(_: T) -> u32 {
    T::BITS
}

/// Constants of a number take precedence over those of the same names in a trait.
#[kernel]
fn both(x: &[u64], out: &mut [u32]) {
    let i = global_idx_x();
    out[i] = u64::BITS
        + 100 * bits_of(x[i])
        + 10_000 * (x[i] == u64::MAX) as u32
        + x[i].is_whole() as u32;
}

fn names_of_std(on: &Engine) -> Check {
    let x = vec![3, u64::MAX, 1 << 40];
    let mut out = vec![0; 3];
    launch!(on, both(read x, write out), LaunchConfig::grid(1).block(3))?;
    same("out", &out, &[3265, 13264, 3264])
}
