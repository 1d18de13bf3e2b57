//! Kernels and device functions are functions.
use warpwise::prelude::*;

#[kernel]
struct Point {
    x: f32,
}

#[device]
enum Shape {
    Circle,
}

#[device(inline)]
fn arguments() {}

struct Owner;

impl Owner {
    #[kernel]
    fn method(&self) {}
}

fn main() {}
