//! Launches are typed.
use warpwise::prelude::*;

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[kernel]
fn first<T: Num, const N: usize>(x: &mut [T]) {
    let i = global_idx_x();
    if i < N {
        x[i] = T::ONE;
    }
}

fn main() {
    let device = Device::cpu();
    let x = device.zeros::<f32>(10).unwrap();
    let mut y = device.zeros::<f64>(10).unwrap();
    saxpy::launch(&device, LaunchConfig::cover(10), 1.0, &x, &mut y).unwrap();
    first::launch(&device, LaunchConfig::cover(10), &mut y).unwrap();
    let mut flags = device.zeros::<bool>(10).unwrap();
    first::<bool, 3>::launch(&device, LaunchConfig::cover(10), &mut flags).unwrap();
}
