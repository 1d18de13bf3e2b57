//! Items that are not `#[device]`, in kernel code: what they are, and where.
use std::num::{NonZeroU32, Saturating};
use warpwise::prelude::*;

fn host(x: f32) -> f32 {
    x
}

/// Two numbers.
#[derive(Clone, Copy)]
pub struct Pair(f32, f32);

const WIDTH: usize = 32;

static HEIGHT: usize = 16;

#[kernel]
fn names_items(x: &mut [f32]) {
    x[0] = host(x[1]) + Pair(x[2], x[3]).0;
    x[WIDTH] = x[HEIGHT];
}

#[device]
fn device_calls_host(x: f32) -> f32 {
    host(x)
}

#[kernel]
fn names_std(x: &mut [u32]) {
    x[0] = (Saturating(x[1]) * Saturating(3)).0;
    x[2] = NonZeroU32::new(x[3]).map_or(0, NonZeroU32::get);
}

mod elsewhere {
    pub fn far(x: f32) -> f32 {
        x
    }
}

mod here {
    use super::elsewhere::far;
    use warpwise::prelude::*;

    #[kernel]
    fn names_another_module(x: &mut [f32]) {
        x[0] = far(x[1]);
    }
}

mod unseen {
    use crate::elsewhere::*;
    use warpwise::prelude::*;

    #[kernel]
    fn names_what_a_star_brings(x: &mut [f32]) {
        x[0] = far(x[1]);
    }
}

fn main() {}
