//! A device type is as private as it says.
use warpwise::prelude::*;

mod shapes {
    use warpwise::device;

    #[device]
    struct Disc(f32);
}

#[kernel]
fn squares(x: &mut [f32]) {
    let disc = shapes::Disc(1.0);
    x[0] = disc.0;
}

fn main() {}
