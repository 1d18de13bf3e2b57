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

fn main() {}
