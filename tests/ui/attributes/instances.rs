//! Types that a kernel is compiled for.
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

#[kernel]
fn no_instance<S: Shade + Copy>(x: &[S], out: &mut [f32]) {
    out[0] = Shade::shade(x[0]);
}

#[kernel(instances(f32, u32))]
fn launched<S: Shade + Copy>(x: &[S], out: &mut [f32]) {
    out[0] = Shade::shade(x[0]);
}

#[kernel(instances(f32, (u32, f32)))]
fn one_type<S: Shade + Copy>(x: &[S], out: &mut [f32]) {
    out[0] = Shade::shade(x[0]);
}

#[kernel(instances(f32))]
fn two_types<S: Shade + Copy, T: Shade + Copy>(x: &[S], y: &[T], out: &mut [f32]) {
    out[0] = Shade::shade(x[0]) + Shade::shade(y[0]);
}

#[kernel(instances(f32))]
fn no_types(out: &mut [f32]) {
    out[0] = 1.0;
}

#[kernel(instances = f32)]
fn form(out: &mut [f32]) {
    out[0] = 1.0;
}

#[kernel(instances())]
fn nothing(out: &mut [f32]) {
    out[0] = 1.0;
}

#[kernel(instances(f32, u32, f32))]
fn twice<S: Shade + Copy>(x: &[S], out: &mut [f32]) {
    out[0] = Shade::shade(x[0]);
}

#[kernel(instances(f32, u32))]
fn wrong_once<S: Shade + Copy>(x: &[S], out: &mut [f32]) {
    out[0] = Shade::shade(x[0]).gamma();
}

fn main() -> warpwise::Result<()> {
    let device = Device::cpu();
    let (x, mut out) = (device.upload(&[1i64])?, device.zeros::<f32>(1)?);
    launched::launch(&device, LaunchConfig::cover(1), &x, &mut out)
}
