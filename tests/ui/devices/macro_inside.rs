//! A macro in a device function would be a macro in a macro.
use warpwise::prelude::*;

#[device]
fn doubled(x: f32) -> f32 {
    macro_rules! twice {
        ($x:expr) => {
            $x + $x
        };
    }
    twice!(x)
}

#[kernel]
fn doubles(x: &mut [f32]) {
    x[0] = doubled(x[0]);
}

fn main() {}
