//! Mistakes with surfaces.
use warpwise::{Sampler, Surface2, Surface2Mut, prelude::*};

#[kernel]
fn chosen(a: Surface2<f32>, b: Surface2<f32>, y: &mut [f32]) {
    let i = global_idx_x();
    let image = if i % 2 == 0 { a } else { b };
    y[i] = image.read(0, 0);
}

#[kernel]
fn assigned(a: Surface2<f32>, b: Surface2<f32>, y: &mut [f32]) {
    let mut image = a;
    for i in 0..y.len() {
        y[i] = image.read(0, 0);
        image = b;
    }
}

#[kernel]
fn wide(mut image: Surface2Mut<[f32; 3]>) {
    image.write(0, 0, [0.0; 3]);
}

#[kernel]
fn other_texel(mut image: Surface2Mut<f32>) {
    image.write(0, 0, 1_u32);
}

#[kernel]
fn fractions(image: Surface2<f32>, y: &mut [f32]) {
    y[0] = image.read(0.5, 0.5);
}

#[kernel]
fn only_read(image: Surface2<f32>) {
    image.write(0, 0, 1.0);
}

#[kernel]
fn not_mut(image: Surface2Mut<f32>) {
    image.write(0, 0, 1.0);
}

#[kernel]
fn indexed(image: Surface2<f32>, y: &mut [f32]) {
    y[0] = image[(0, 0)];
}

#[kernel]
fn sampled(image: Surface2<f32>, y: &mut [f32]) {
    y[0] = image.sample(0.5, 0.5);
}

#[kernel]
fn borrowed(image: &mut Surface2Mut<f32>) {
    image.write(0, 0, 1.0);
}

#[kernel]
fn copied(a: Surface2<f32>, mut b: Surface2Mut<f32>) {
    b.write(0, 0, a.read(0, 0));
}

#[kernel]
fn doubled(mut a: Surface2Mut<f32>) {
    a.write(0, 0, 2.0 * a.read(0, 0));
}

#[kernel(block = 64)]
fn racing(mut image: Surface2Mut<u32>) {
    image.write(0, 0, thread_idx_x() as u32);
}

fn main() -> warpwise::Result<()> {
    let device = Device::cpu();
    let mut image = device.surface_2d::<f32>(&[0.0; 4], (2, 2), Sampler::POINT)?;
    doubled::launch(&device, LaunchConfig::cover(1), &image)
}

fn shared() -> warpwise::Result<()> {
    let device = Device::cpu();
    let mut image = device.surface_2d::<f32>(&[0.0; 4], (2, 2), Sampler::POINT)?;
    copied::launch(&device, LaunchConfig::cover(1), &image, &mut image)?;
    let texture = image.as_texture();
    doubled::launch(&device, LaunchConfig::cover(1), &mut image)?;
    println!("{texture:?}");
    Ok(())
}
