//! Every unknown argument is reported, with what it may be meant to be.
use warpwise::prelude::*;

#[kernel(blok = 256, contract = false, wideindex, ensures(x.len() > 0), zebra)]
fn fill(x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] = 1.0;
    }
}

fn main() {
    let device = Device::cpu();
    let mut x = device.zeros::<f32>(10).unwrap();
    fill::launch(&device, LaunchConfig::cover(10), &mut x).unwrap();
}
