//! A launch for a type that the kernel is not compiled for, and calls of methods that the type of an
//! instance has twice.
use warpwise::prelude::*;

#[device]
trait Shade {
    fn shade(self) -> f32;
}

#[device]
impl Shade for f32 {
    fn shade(self) -> f32 {
        self
    }
}

#[device]
impl Shade for u32 {
    fn shade(self) -> f32 {
        self as f32
    }
}

#[device]
impl Shade for i64 {
    fn shade(self) -> f32 {
        self as f32
    }
}

#[kernel(instances(f32, u32))]
fn launched<S: Shade + Copy>(x: &[S], out: &mut [f32]) {
    out[0] = Shade::shade(x[0]);
}

#[device]
trait Root {
    fn sqrt(self) -> Self;
    fn total(&self) -> f32;
}

#[device]
impl Root for f32 {
    fn sqrt(self) -> f32 {
        self - 1.0
    }
    fn total(&self) -> f32 {
        *self
    }
}

#[device]
#[derive(Clone, Copy)]
struct Sum(f32);

#[device]
impl Sum {
    fn total(&self) -> f32 {
        self.0 + 1.0
    }
}

#[device]
impl Root for Sum {
    fn sqrt(self) -> Sum {
        self
    }
    fn total(&self) -> f32 {
        self.0
    }
}

#[kernel(instances(f32))]
fn number<T: Root + Copy>(x: &[T], y: &mut [T]) {
    y[0] = x[0].sqrt();
}

#[kernel(instances(Sum))]
fn inherent<T: Root + Copy>(x: &[T], out: &mut [f32]) {
    out[0] = x[0].sqrt().total();
}

fn main() -> warpwise::Result<()> {
    let device = Device::cpu();
    let (x, mut out) = (device.upload(&[1i64])?, device.zeros::<f32>(1)?);
    launched::launch(&device, LaunchConfig::cover(1), &x, &mut out)
}
