//! A function under an attribute of another library.
#![allow(unused)]
use warpwise::prelude::*;

mod device_attr_path {
    use warpwise::prelude::*;

    #[cuda_device]
    fn helper(x: f32) -> f32 {
        x * 2.0
    }
    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = helper(y[0]);
    }
}

fn main() {}
