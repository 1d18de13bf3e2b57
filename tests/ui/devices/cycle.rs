//! Functions that call each other: neither can be had before the other, so rustc finds neither.
use warpwise::prelude::*;

#[device]
fn even(n: u32) -> bool {
    if n == 0 { true } else { odd(n - 1) }
}

#[device]
fn odd(n: u32) -> bool {
    if n == 0 { false } else { even(n - 1) }
}

fn main() {}
