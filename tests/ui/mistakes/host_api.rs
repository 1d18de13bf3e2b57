//! The host's part: devices, buffers and launches.
#![allow(unused)]
use warpwise::prelude::*;

fn to_vec_unwrapped(y: &Buffer<f32>) -> Vec<f32> {
    y.to_vec()
}

fn device_opened() -> Device {
    Device::open()
}

fn device_not_unwrapped() {
    let device = Device::auto();
    let x = device.upload(&[1.0f32]);
}

mod buffer_range {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        y[0] = x[0];
    }
    fn run(d: &Device, x: &Buffer<f32>, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        k::launch(d, LaunchConfig::cover(1), &x[0..10], y)
    }
}

mod launch_closure {
    use warpwise::prelude::*;

    #[kernel]
    fn k(scale: f32, y: &mut [f32]) {
        y[0] *= scale;
    }
    fn run(d: &Device, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        k::launch(d, LaunchConfig::cover(1), |v| v * 2.0, y)
    }
}

mod launch_usize_for_u32 {
    use warpwise::prelude::*;

    #[kernel]
    fn k(n: u32, y: &mut [f32]) {
        y[n as usize] = 1.0;
    }
    fn run(d: &Device, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        k::launch(d, LaunchConfig::cover(1), y.len(), y)
    }
}

fn event_new(d: &Device) -> warpwise::Event {
    warpwise::Event::new()
}

fn element_assignment(y: &mut Buffer<f32>) {
    y[0] = 1.0;
}

fn print_buffer(y: &Buffer<f32>) {
    println!("{}", y);
}

fn clone_buffer(y: &Buffer<f32>) -> Buffer<f32> {
    y.clone()
}

fn upload_one(d: &Device) -> warpwise::Result<Buffer<f32>> {
    d.upload(1.0)
}

fn zeros_untyped(d: &Device) {
    let x = d.zeros(16).unwrap();
}

mod kernel_as_value {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
    fn run(d: &Device, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        d.launch(k, LaunchConfig::cover(1), y)
    }
}

fn main() {}
