//! Everything that is wrong with a kernel is reported at once, and nothing else: not the calls
//! of it, and not the launches.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel(blok = 16)]
fn several(x: &mut [f32], text: &str) -> f32 {
    let pair = (1.0, 2.0);
    println!("{}", x[0]);
    #[allow(gpu_zebras)]
    if x[0] > 1.0 {
        x[1] = [1.0, 2.0][0];
    }
    1.0
}

#[kernel]
fn of_cuda(n: usize, x: *const f32, y: *mut f32) {
    let i = blockIdx.x * blockDim.x + thread_idx_x();
    if i < n {
        *y.add(i) = fmaxf(sqrtf(*x.add(i)), 0.0);
    }
}

fn main() {
    let device = Device::cpu();
    let mut x = device.zeros::<f32>(10).unwrap();
    several::launch(&device, LaunchConfig::cover(10), &mut x, "text").unwrap();
    println!("{}", several(&mut [1.0], "text"));
}
