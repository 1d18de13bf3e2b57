//! What has parts that kernel code cannot print.
#![allow(unused)]
use warpwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct ByHand {
    x: f32,
}

impl std::fmt::Debug for ByHand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} by hand", self.x)
    }
}

#[kernel]
fn values(x: &[f32]) {
    println!("{:?}", ByHand { x: x[0] });
    println!("{:?} {:?}", [x[0]; 32], 1);
    println!("{:?}", [x[0]; 33]);
    println!("{:?}", (1, &x[..]));
    assert_eq!(Some(0..3), None);
}

fn main() {}
