//! A parameter that no argument mentions is written.
use warpwise::prelude::*;

#[kernel]
fn first<T: Num, const N: usize>(x: &mut [T]) {
    let i = global_idx_x();
    if i < N {
        x[i] = T::ONE;
    }
}

fn main() {
    let device = Device::cpu();
    let mut x = device.zeros::<f64>(10).unwrap();
    first::launch(&device, LaunchConfig::cover(10), &mut x).unwrap();
}
