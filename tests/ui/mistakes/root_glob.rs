//! A function that does not exist, beside a glob import of the crate.
use warpwise::*;

#[kernel]
fn unknown_function(x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] = helpr(x[i]);
    }
}

fn main() {}
