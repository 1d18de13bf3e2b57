//! Functions of another crate in a kernel: the signed distance of a million points from a
//! plate with a hole, by functions of `plane` that know nothing of this kernel.
use plane::{shape, without};
use std::sync::atomic::Ordering;
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

/// Distance from a plate of 1.6 by 1.2 with a hole of radius 0.5.
#[device]
fn plate(x: f32, y: f32) -> f32 {
    without(shape::rectangle(x, y, 0.8, 0.6), shape::disc(x, y, 0.5))
}

// Without contraction each operation rounds by itself, as in host code, so that `plate` gives
// the same bits on the host.
#[kernel(contract = false, allow(gpu_contended_atomics))]
fn distances(side: usize, distance: &mut [f32], inside: &[AtomicU32]) {
    let column = global_idx_x();
    let row = global_idx_y();
    if column < side && row < side {
        let x = column as f32 / side as f32 * 2.0 - 1.0;
        let y = row as f32 / side as f32 * 2.0 - 1.0;
        let d = plate(x, y);
        distance[row * side + column] = d;
        if d < 0.0 {
            inside[0].fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn main() -> warpwise::Result<()> {
    let side = 1024;
    let device = Device::auto()?;
    let mut distance = device.zeros::<f32>(side * side)?;
    let mut inside = device.zeros::<u32>(1)?;
    let config = LaunchConfig::cover((side, side));
    let took =
        time(&device, || distances::launch(&device, config, side, &mut distance, &mut inside))?;

    let expected: Vec<f32> = (0..side * side)
        .map(|i| {
            let x = (i % side) as f32 / side as f32 * 2.0 - 1.0;
            let y = (i / side) as f32 / side as f32 * 2.0 - 1.0;
            plate(x, y)
        })
        .collect();
    verify(&distance.to_vec()?, expected.iter().copied());
    verify(&inside.to_vec()?, [expected.iter().filter(|d| **d < 0.0).count() as u32]);
    report("device_functions", format_args!("{side} x {side} points"), &device, took);

    // 1.6 * 1.2 - pi / 4
    let area = f64::from(inside.get(0)?) * (2.0 / side as f64).powi(2);
    println!("area of the plate: {area:.4} (exact: {:.4})", 1.92 - std::f64::consts::PI / 4.0);
    Ok(())
}
