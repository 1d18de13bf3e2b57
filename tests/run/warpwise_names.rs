//! Items of Warpwise under their full paths, and under names that a `use` of the file gives them.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::{
    F32x2 as Pair, F32x4 as Quad, MBarrier as Gate, math as m, prelude::*, warp as lanes,
};

cases![renamed_types, renamed_modules: THREADS_MEET, in_modules, full_paths: THREADS_MEET, views];

#[device]
#[derive(Clone, Copy)]
struct Segment {
    from: Pair,
    to: Pair,
}

#[device]
fn middle(segment: Segment) -> Pair {
    (segment.from + segment.to) * Pair::splat(0.5)
}

#[kernel]
fn middles(x: &[Quad], y: &mut [Pair]) {
    let i = global_idx_x();
    let Quad { x: a, y: b, z: c, w: d } = x[i];
    y[i] = middle(Segment { from: Pair::new(a, b), to: Pair { x: c, y: d } });
}

fn renamed_types(on: &Engine) -> Check {
    let x: Vec<Quad> = (0..8).map(|i| Quad::new(i as f32, 1.0, 2.0, 3.0)).collect();
    let mut y = vec![Pair::ZERO; 8];
    launch!(on, middles(read x, write y), LaunchConfig::grid(1).block(8))?;
    let expected: Vec<Pair> = (0..8).map(|i| Pair::new((i as f32 + 2.0) / 2.0, 2.0)).collect();
    let numbers =
        |pairs: &[Pair]| pairs.iter().flat_map(|pair| pair.to_array()).collect::<Vec<f32>>();
    same("y", &numbers(&y), &numbers(&expected))
}

#[kernel]
fn errors_of_lanes(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    y[i] = m::erf(x[i]) + lanes::lane_id() as f32;
}

fn renamed_modules(on: &Engine) -> Check {
    let x = vec![0.0f32; 8];
    let mut y = vec![-1.0f32; 8];
    launch!(on, errors_of_lanes(read x, write y), LaunchConfig::grid(1).block(8))?;
    same("y", &y, &(0..8).map(|i| i as f32).collect::<Vec<f32>>())
}

mod inner {
    use warpwise as gpu;
    use warpwise::{I32x2 as Pair, prelude::*};

    /// Not the `Pair` of the file.
    #[kernel]
    pub(super) fn sums(x: &[Pair], y: &mut [i32]) {
        let i = gpu::global_idx_x();
        let sum = x[i] + gpu::I32x2::ZERO;
        y[i] = sum.x + sum.y;
    }
}

fn in_modules(on: &Engine) -> Check {
    use inner::sums;
    let x: Vec<warpwise::I32x2> = (0..8).map(|i| warpwise::I32x2::new(i, 10)).collect();
    let mut y = vec![0i32; 8];
    launch!(on, sums(read x, write y), LaunchConfig::grid(1).block(8))?;
    same("y", &y, &(10..18).collect::<Vec<i32>>())
}

#[kernel(block = 32)]
fn gated(y: &mut [u32]) {
    let shared = shared!([u32; 32]);
    let (full, renamed) = (shared!(warpwise::MBarrier<32>), shared!(Gate<32>));
    let t = thread_idx_x();
    shared[t] = t as u32;
    full.wait(full.arrive());
    let other = shared[31 - t];
    renamed.wait(renamed.arrive());
    y[t] = other;
}

fn full_paths(on: &Engine) -> Check {
    let mut y = vec![0u32; 32];
    launch!(on, gated(write y), LaunchConfig::grid(1))?;
    same("y", &y, &(0..32).rev().collect::<Vec<u32>>())
}

#[kernel]
fn diagonal(x: warpwise::Rows<f32>, y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < x.rows() && i < x.columns() {
        y[i] = x[(i, i)];
    }
}

fn views(on: &Engine) -> Check {
    let values: Vec<f32> = (0..16).map(|i| i as f32).collect();
    let (config, mut y) = (LaunchConfig::cover(4), vec![0.0f32; 4]);
    match on {
        Engine::Host => warpwise::host::for_each_thread(config, || {
            diagonal(warpwise::Rows::new(&values, 4), &mut y);
        })?,
        Engine::Device { device, .. } => {
            let x = device.upload_2d(&values, (4, 4))?;
            let mut on_device = device.zeros::<f32>(4)?;
            diagonal::launch(device, config, &x, &mut on_device)?;
            y = on_device.to_vec()?;
        }
    }
    same("y", &y, &[0.0, 5.0, 10.0, 15.0])
}
