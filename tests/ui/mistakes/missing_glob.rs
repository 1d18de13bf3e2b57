//! A glob import of a crate that is no dependency.
#![allow(unused)]

mod glob_of_missing_crate {
    use missing_crate::*;
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[thread_idx_x()] = smooth(y[0]);
    }
}

fn main() {}
