//! Macros that are not expanded: of which a name could be another one where they are called, and what is not found.
use warpwise::prelude::*;

#[device]
fn doubled(x: f32) -> f32 {
    let scale = 2.0;
    macro_rules! scaled {
        ($x:expr) => {
            $x * scale
        };
    }
    let scale = 3.0;
    scaled!(x) + scale
}

macro_rules! bound {
    ($name:ident) => {
        let $name = 1.0;
    };
}

macro_rules! bound_inside {
    () => {{
        bound!(inside);
        inside
    }};
}

macro_rules! of_the_crate {
    ($x:expr) => {
        $crate::doubled($x)
    };
}

#[kernel]
fn doubles(x: &mut [f32]) {
    x[1] = bound_inside!();
    x[2] = of_the_crate!(x[2]);
}

fn main() {}
