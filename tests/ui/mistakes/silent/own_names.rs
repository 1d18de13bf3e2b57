//! Names of other languages and of Warpwise, kernels beside an `impl`, and twins under `#[cfg]`: no
//! mistakes.
#![allow(unused)]
use warpwise::prelude::*;

#[device]
const ABSOLUTE_POS: usize = 1;

#[device]
fn barrier(x: f32) -> f32 {
    x + 1.0
}

#[device]
#[derive(Clone, Copy)]
struct Array<T>(T);

mod thread {
    use warpwise::prelude::*;

    #[device]
    pub fn index() -> usize {
        0
    }
}

#[kernel]
fn own_items(array: Array<f32>, y: &mut [f32]) {
    let global_invocation_id = Array(y[thread::index()]);
    y[ABSOLUTE_POS] = barrier(array.0) + global_invocation_id.0;
}

#[cfg(test)]
#[kernel]
fn twins(y: &mut [f32]) {
    y[0] = 1.0;
}

#[cfg(not(test))]
#[kernel]
fn twins(y: &mut [f32]) {
    y[0] = 2.0;
}

mod other {
    use warpwise::prelude::*;

    #[kernel]
    fn twins(y: &mut [f32]) {
        y[0] = 3.0;
    }
}

#[device]
#[derive(Clone, Copy)]
#[cfg_attr(not(test), derive(Debug))]
struct Pair {
    #[cfg_attr(test, allow(dead_code))]
    a: f32,
}

impl Pair {
    fn launch_all(of: impl Fn() -> f32) -> impl Fn() -> f32 {
        #[kernel]
        fn inside(y: &mut [f32]) {
            y[0] = 4.0;
        }
        of
    }
}

#[kernel]
fn shadowed_parameter<T: Num>(n: T, y: &mut [u32]) {
    let n = y[0];
    y[0] = n << 1;
}

#[kernel]
fn inner_return(y: &mut [u32]) {
    let first = |x: &[u32]| {
        if x.is_empty() {
            return 1;
        }
        x[0]
    };
    y[0] = first(&y[..]);
}

mod prints_elsewhere {
    use warpwise::prelude::*;

    macro_rules! println {
        ($($tokens:tt)*) => {
            eprintln!($($tokens)*)
        };
    }

    #[kernel]
    fn printed(y: &mut [f32]) {
        println!("{}", y[0]);
    }
}

fn main() {}
