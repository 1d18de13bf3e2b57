//! A call of what is no device function is an error at the call; of what is nothing at all, rustc's.
use warpwise::prelude::*;

fn host(x: f32) -> f32 {
    x
}

#[kernel]
fn calls_host(x: &mut [f32]) {
    x[0] = host(x[0]);
}

#[device]
fn device_calls_host(x: f32) -> f32 {
    host(x)
}

#[kernel]
fn calls_nothing(x: &mut [f32]) {
    x[0] = nowhere(x[0]);
}

fn main() {
    let device = Device::cpu();
    let mut x = device.zeros::<f32>(10).unwrap();
    calls_host::launch(&device, LaunchConfig::cover(10), &mut x).unwrap();
}
