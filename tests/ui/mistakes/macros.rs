//! Macros that are not there.
#![allow(unused)]
use warpwise::prelude::*;

mod user_macro_below {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &mut [f32]) {
        x[0] = twice!(x[0]);
    }
    macro_rules! twice {
        ($v:expr) => {
            $v * 2.0
        };
    }
}

#[kernel]
fn unknown_macro(x: &mut [f32]) {
    x[0] = square!(x[0]);
}

fn main() {}
