//! Types of the host, and options of slices, in kernels.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn option_of_slice(mask: Option<&[f32]>, y: &mut [f32]) {
    if let Some(mask) = mask {
        y[0] = mask[0];
    }
}

#[kernel]
fn option_of_mut_slice(out: Option<&mut [f32]>) {
    if let Some(out) = out {
        out[0] = 1.0;
    }
}

#[kernel]
fn device_in_kernel(y: &mut [f32]) {
    let device = Device::cpu();
    let z = device.zeros::<f32>(4).unwrap();
    y[0] = 1.0;
}

#[kernel]
fn device_as_parameter(device: &Device, y: &mut [f32]) {
    y[0] = 1.0;
    device.synchronize();
}

#[kernel]
fn config_as_parameter(config: LaunchConfig, y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
