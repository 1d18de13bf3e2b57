//! A launch for a type that the kernel is not compiled for.
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

fn main() -> warpwise::Result<()> {
    let device = Device::cpu();
    let (x, mut out) = (device.upload(&[1i64])?, device.zeros::<f32>(1)?);
    launched::launch(&device, LaunchConfig::cover(1), &x, &mut out)
}
