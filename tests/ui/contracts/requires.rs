//! Conditions that no launch can have.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel(requires)]
fn nothing(x: &mut [f32]) {}

#[kernel(requires())]
fn empty(x: &mut [f32]) {}

#[kernel(requires(m <= x.len()))]
fn unknown(n: usize, x: &mut [f32]) {}

#[kernel(requires(n + 1))]
fn a_number(n: usize, x: &mut [f32]) {}

#[kernel(requires(n <= x.len()))]
fn mixed(n: u32, x: &mut [f32]) {}

#[kernel(requires(a > b, a as usize > 3))]
fn floats(a: f32, b: f32, x: &mut [f32]) {}

#[device]
fn half(n: usize) -> usize {
    n / 2
}

#[kernel(requires(half(n) <= x.len()))]
fn called(n: usize, x: &mut [f32]) {}

#[kernel(requires(x[0] == 1))]
fn element(x: &mut [u32]) {}

#[kernel(requires(n = 4, n += 1))]
fn assigned(n: usize, x: &mut [f32]) {}

#[kernel(requires(global_idx_x() < x.len()))]
fn of_a_thread(x: &mut [f32]) {}

#[kernel(requires(x.len() > 1), requires(x.len() > 2))]
fn twice(x: &mut [f32]) {}

#[kernel(requires(a == b))]
fn generic<T: Num>(a: T, b: T, x: &mut [T]) {}

fn main() {}
