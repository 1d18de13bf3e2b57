//! A device function is as private as it says.
use warpwise::prelude::*;

mod shapes {
    use warpwise::device;

    #[device]
    fn area(x: f32) -> f32 {
        x * x
    }
}

#[kernel]
fn squares(x: &mut [f32]) {
    x[0] = shapes::area(x[0]);
}

fn main() {}
