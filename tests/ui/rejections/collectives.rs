//! What reductions and scans cannot take.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn values(x: &[f32], y: &mut [f32]) {
    let slice = block::reduce(x, |a, b| a);
    let scanned = warp::inclusive_scan(&y[0], |a, b| a);
}

#[kernel]
fn closures(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    y[t] = block::reduce(x[t], |a| a);
    y[t] = warp::inclusive_scan(x[t], |a, b| a > b);
    y[t] = warp::exclusive_scan(x[t], |a, b| a + b);
    y[t] = block::scan(x[t], |a, b| a + b);
    y[t] = warps::reduce(x[t], |a, b| a + b);
}

mod block_of_ours {
    pub mod block {
        pub fn reduce_add(x: f32) -> f32 {
            x
        }
    }
}

mod not_ours {
    use super::block_of_ours::block;
    use warpwise::prelude::{device, kernel, thread_idx_x};

    #[kernel]
    fn another(x: &[f32], y: &mut [f32]) {
        let t = thread_idx_x();
        y[t] = block::reduce_add(x[t]);
    }
}

fn main() {}
