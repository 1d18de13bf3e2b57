//! Names that std has macros for.
use warpwise::prelude::*;

#[device]
fn vec(x: f32) -> f32 {
    x
}

#[kernel]
fn fill(x: &mut [f32]) {
    x[0] = vec(1.0);
}

fn main() {
    let _ = vec![1.0, 2.0]; // still std's
}
