//! Types that kernel code does not have.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn wide(a: i128, x: &mut [u128]) {}

#[kernel]
fn text(a: char, b: &str, c: String, x: &[char]) {}

#[kernel]
fn memory(a: Vec<f32>, b: Box<f32>, c: *const f32, d: &dyn Fn(f32) -> f32) {}

#[kernel]
fn shapes(a: (f32, &f32), b: [f32; 4], c: &[[f32; 4]], d: &f32, e: &mut f32, f: Option<f32>) {}

#[kernel]
fn atomics(a: &[AtomicU8], b: &[AtomicI16], c: &mut [AtomicU32], d: AtomicU32) {}

#[kernel]
fn vectors(a: &[F32x8], b: I128x2, c: &mut [Bf32x2]) {}

#[kernel]
fn inside(x: &mut [f32]) {
    let wide: u128 = 1;
    let text: &str = "text";
    let pointer: unsafe fn(f32) -> f32 = f32::sqrt;
    x[0] = 1.0;
}

use std::sync::atomic::{AtomicI16, AtomicU8};

fn main() {
    // Whatever is wrong with a kernel, launches of it have no errors of their own.
    let device = Device::cpu();
    wide::launch(&device, LaunchConfig::cover(1), 1, 2).unwrap();
}
