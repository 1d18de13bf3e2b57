//! Names that rustc does not find, or not as constants.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn ordering_not_imported(a: &[AtomicU32]) {
    a[0].fetch_add(1, Ordering::Relaxed);
}

mod function_of_module {
    use warpwise::prelude::*;

    mod inner {
        use warpwise::prelude::*;

        #[device]
        pub fn twice(v: f32) -> f32 {
            v * 2.0
        }
    }
    #[kernel]
    fn k(x: &mut [f32]) {
        x[0] = twice(x[1]);
    }
}

#[kernel]
fn array_runtime_len(x: &mut [f32], n: usize) {
    let mut sums = [0.0; n];
    sums[0] = x[0];
    x[1] = sums[0];
}

#[kernel]
fn println_missing_value(x: &mut [f32]) {
    println!("{} {}", x[0]);
}

mod private_kernel {
    mod kernels {
        use warpwise::prelude::*;

        #[kernel]
        fn k(y: &mut [f32]) {
            y[0] = 1.0;
        }
    }
    use warpwise::prelude::*;

    fn run(d: &Device, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        kernels::k::launch(d, LaunchConfig::cover(1), y)
    }
}

fn main() {}
