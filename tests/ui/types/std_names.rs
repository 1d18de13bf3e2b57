//! Names that no `use` in sight brings from std.
#![allow(unused)]
use std::f32::consts::TAU;
use warpwise::prelude::*;

mod inner {
    use warpwise::prelude::*;

    const TAU: f32 = 6.0;

    #[kernel]
    fn of_another_module(out: &mut [f32]) {
        out[0] = TAU;
    }
}

fn main() {}
