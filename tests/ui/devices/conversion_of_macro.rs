//! A conversion that only rustc sees, since a macro makes its `impl`.
#![allow(unused)]
use warpwise::prelude::*;

macro_rules! convert {
    ($of:ty) => {
        impl From<f32> for $of {
            fn from(a: f32) -> Self {
                Self { a }
            }
        }
    };
}

#[device]
#[derive(Clone, Copy)]
struct Meters {
    a: f32,
}

convert!(Meters);

#[kernel]
fn conversion_of_macro(y: &mut [f32]) {
    let p: Meters = y[0].into();
    y[1] = p.a;
}

fn main() {}
