//! A function that calls itself.
use warpwise::prelude::*;

#[device]
fn factorial(n: u32) -> u32 {
    if n == 0 { 1 } else { n * factorial(n - 1) }
}

#[kernel]
fn factorials(x: &mut [u32]) {
    x[0] = factorial(x[0]);
}

fn main() {}
