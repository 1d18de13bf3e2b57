//! Launches and buffers, on the host.
#![allow(unused)]
use warpwise::prelude::*;

mod mutex_imported {
    use warpwise::prelude::*;

    use std::sync::Mutex;
    #[kernel]
    fn k(m: &Mutex<f32>, y: &mut [f32]) {
        y[0] = 1.0;
    }
}

#[kernel]
fn block_size_call(x: &mut [usize]) {
    x[0] = blockDim.x;
}

mod launch_cover_u32 {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &mut [f32]) {
        x[0] = 1.0;
    }
    fn go(d: &Device, x: &mut Buffer<f32>, n: u32) -> warpwise::Result<()> {
        k::launch(d, LaunchConfig::cover(n), x)
    }
}

mod launch_cover_i32 {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &mut [f32]) {
        x[0] = 1.0;
    }
    fn go(d: &Device, x: &mut Buffer<f32>, n: i32) -> warpwise::Result<()> {
        k::launch(d, LaunchConfig::cover(n), x)
    }
}

mod launch_block_f {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &mut [f32]) {
        x[0] = 1.0;
    }
    fn go(d: &Device, x: &mut Buffer<f32>) -> warpwise::Result<()> {
        k::launch(d, LaunchConfig::grid(1.0), x)
    }
}

mod launch_as_call {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &mut [f32]) {
        x[0] = 1.0;
    }
    fn go(x: &mut Buffer<f32>) {
        k(x);
    }
}

mod launch_vec {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        y[0] = x[0];
    }
    fn go(d: &Device, y: &mut Buffer<f32>) {
        let v = vec![1.0f32];
        k::launch(d, LaunchConfig::cover(1), &v, y).unwrap();
    }
}

mod launch_missing_mut {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
    fn go(d: &Device, mut y: Buffer<f32>) {
        k::launch(d, LaunchConfig::cover(1), &y).unwrap();
    }
}

mod launch_by_value {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
    fn go(d: &Device, mut y: Buffer<f32>) {
        k::launch(d, LaunchConfig::cover(1), y).unwrap();
    }
}

mod launch_arg_count {
    use warpwise::prelude::*;

    #[kernel]
    fn k(a: f32, y: &mut [f32]) {
        y[0] = a;
    }
    fn go(d: &Device, mut y: Buffer<f32>) {
        k::launch(d, LaunchConfig::cover(1), &mut y).unwrap();
    }
}

mod launch_swapped {
    use warpwise::prelude::*;

    #[kernel]
    fn k(a: f32, y: &mut [f32]) {
        y[0] = a;
    }
    fn go(d: &Device, mut y: Buffer<f32>) {
        k::launch(d, LaunchConfig::cover(1), &mut y, 1.0).unwrap();
    }
}

mod launch_no_device_ref {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
    fn go(d: Device, mut y: Buffer<f32>) {
        k::launch(d, LaunchConfig::cover(1), &mut y).unwrap();
    }
}

mod launch_numbers {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
    fn go(d: &Device, mut y: Buffer<f32>) {
        k::launch(d, 4, 256, &mut y).unwrap();
    }
}

mod launch_wrong_elem {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
    fn go(d: &Device) -> warpwise::Result<()> {
        let mut y = d.zeros::<f64>(4)?;
        k::launch(d, LaunchConfig::cover(1), &mut y)
    }
}

mod launch_wrong_atomic {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &[AtomicF32]) {
        if let Some(y) = y.get(global_idx_x()) {
            y.fetch_add(1.0, std::sync::atomic::Ordering::Relaxed);
        }
    }
    fn go(d: &Device) -> warpwise::Result<()> {
        let y = d.zeros::<u32>(4)?;
        k::launch(d, LaunchConfig::cover(1), &y)
    }
}

mod buffer_index {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
    fn go(y: Buffer<f32>) -> f32 {
        y[0]
    }
}

mod buffer_iter {
    use warpwise::prelude::*;

    fn go(y: Buffer<f32>) -> f32 {
        y.iter().sum()
    }
}

mod constant_of_vec {
    use warpwise::prelude::*;

    fn go(d: &Device) {
        let v = vec![1.0f32];
        let c = d.constant(&v).unwrap();
    }
}

mod upload_vec {
    use warpwise::prelude::*;

    fn go(d: &Device) -> warpwise::Result<Buffer<f32>> {
        d.upload(vec![1.0f32, 2.0])
    }
}

mod upload_non_plain {
    use warpwise::prelude::*;

    fn go(d: &Device) {
        let x = d.upload(&[String::new()]).unwrap();
    }
}

mod launch_generic_unknown {
    use warpwise::prelude::*;

    #[kernel]
    fn k<const N: usize>(y: &mut [f32]) {
        y[0] = N as f32;
    }
    fn go(d: &Device, mut y: Buffer<f32>) {
        k::launch(d, LaunchConfig::cover(1), &mut y).unwrap();
    }
}

mod kernel_in_kernel {
    use warpwise::prelude::*;

    #[kernel]
    fn a(y: &mut [f32]) {
        y[0] = 1.0;
    }
    #[kernel]
    fn k(y: &mut [f32]) {
        a(y);
    }
}

#[kernel]
fn async_copy_constant(#[constant] w: &[f32; 32], y: &mut [f32]) {
    let t = shared!([f32; 32]);
    async_copy::copy(&mut t[0], &w[0]);
    y[0] = t[0];
}

mod upload_mut_buf_type {
    use warpwise::prelude::*;

    #[derive(Clone, Copy)]
    struct P {
        a: f32,
    }
    fn go(d: &Device) {
        let x = d.upload(&[P { a: 1.0 }]).unwrap();
    }
}

#[kernel]
fn bool_flag_ref(y: &mut [f32], done: &mut bool) {
    done = true;
    y[0] = 1.0;
}

mod launch_result {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
    fn run(d: &Device) -> warpwise::Result<()> {
        let mut y = d.zeros::<f32>(4);
        k::launch(d, LaunchConfig::cover(1), &mut y)
    }
}

mod launch_array {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [u32]) {
        y[0] = 1;
    }
    fn run(d: &Device) -> warpwise::Result<()> {
        k::launch(d, LaunchConfig::cover(1), &mut [0; 4])
    }
}

mod launch_view_for_write {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [u32]) {
        y[0] = 1;
    }
    fn run(d: &Device, y: &Buffer<u32>) -> warpwise::Result<()> {
        k::launch(d, LaunchConfig::cover(1), &mut y.slice(1..)?)
    }
}

fn main() {}
