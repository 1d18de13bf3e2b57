//! Constants and variants that are not in scope, in patterns and in `block = ..`.
#![allow(unused)]
use warpwise::prelude::*;

#[device]
const LIMIT: u32 = 1;

#[device]
#[derive(Clone, Copy)]
enum Operator {
    Plus,
    Times,
}

#[kernel]
fn variant_without_enum(op: Operator, y: &mut [f32]) {
    y[0] = match op {
        Plus => 1.0,
        Operator::Times => 2.0,
    };
}

#[kernel]
fn misspelt_constant(y: &mut [u32]) {
    y[0] = match y[0] {
        LIMT => 1,
        _ => 0,
    };
}

#[kernel]
fn unknown_constant(y: &mut [u32]) {
    match y[0] {
        GREEN => y[1] = 1,
        _ => {}
    }
}

mod block_of_unknown_constant {
    use warpwise::prelude::*;

    #[kernel(block = M)]
    fn k<const N: usize>(y: &mut [f32]) {
        y[0] = N as f32;
    }
}

fn main() {}
