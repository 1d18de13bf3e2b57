//! Casts of what is no number, which rustc reports.
use warpwise::{U8x4, prelude::*};

#[kernel]
fn of_a_vector(keys: &[U8x4], y: &mut [u32]) {
    y[keys[0] as usize % 16] = 1;
}

#[device]
#[derive(Clone, Copy)]
struct Pair(u32, u32);

#[kernel]
fn of_a_struct(x: u32, y: &mut [u32]) {
    y[0] = Pair(x, 1) as u32;
}

fn main() {}
