//! Names that are declared twice: rustc reports the name, and no generated item.
#![allow(unused)]
use warpwise::prelude::*;

mod two_kernels {
    use warpwise::prelude::*;

    #[kernel]
    fn fill(y: &mut [f32]) {
        y[0] = 1.0;
    }

    #[kernel]
    fn fill(y: &mut [f64]) {
        y[0] = 1.0;
    }
}

#[kernel]
fn repeated_parameter(y: &mut [f32], y: &[f32]) {
    y[0] = 1.0;
}

mod private_in_device_module {
    use warpwise::prelude::*;

    #[device]
    mod halves {
        pub fn of(x: f32) -> f32 {
            x / two()
        }
        fn two() -> f32 {
            2.0
        }
    }

    #[kernel]
    fn run(y: &mut [f32]) {
        y[0] = halves::two();
    }
}

fn main() {}
