//! An error by default, with the chain of causes.
use warpwise::prelude::*;

#[kernel(block = 256)]
fn half(x: &mut [f32]) {
    let i = thread_idx_x();
    if i < 16 {
        sync_threads();
    }
    x[i] = 1.0;
}

fn main() {
    let device = Device::cpu();
    let mut x = device.zeros::<f32>(10).unwrap();
    half::launch(&device, LaunchConfig::cover(10), &mut x).unwrap();
}
