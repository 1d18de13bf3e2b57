//! Functions of the user's own that have the names of other languages, in the module around that of
//! their kernels, which is another file: no mistakes.
use warpwise::{
    U32x2,
    prelude::{Device, LaunchConfig, device},
};

#[path = "own_functions/kernels.rs"]
mod kernels;
#[path = "own_functions/with_prelude.rs"]
mod with_prelude;

#[device]
fn double(x: f32) -> f32 {
    2.0 * x
}

#[device]
fn float(x: f32) -> f32 {
    x + 0.5
}

#[device]
fn global_id(id: U32x2) -> U32x2 {
    id
}

#[device]
fn gid() -> U32x2 {
    U32x2::new(1, 2)
}

#[device]
fn atomic_max(a: u32, b: u32) -> u32 {
    a.max(b)
}

#[device]
fn grid_sync() {}

#[device]
#[derive(Clone, Copy)]
struct Barrier {
    count: u32,
}

#[device]
impl Barrier {
    fn new(count: u32) -> Self {
        Self { count }
    }
}

#[device]
mod warp {
    pub(crate) fn size() -> u32 {
        64
    }
}

#[device]
mod barrier {
    pub(crate) fn wait() {}
}

mod prelude {
    pub(crate) use crate::double;
    pub(crate) use warpwise::prelude::*;

    #[device]
    #[allow(non_camel_case_types, reason = "it has the name of GLSL's type")]
    #[derive(Clone, Copy)]
    pub(crate) struct vec3 {
        pub(crate) x: f32,
        pub(crate) y: f32,
    }

    #[device]
    pub(crate) const NAN: f32 = 0.25;

    #[device]
    pub(crate) fn plane_sum(x: f32, y: f32) -> f32 {
        x + y
    }
}

fn main() -> warpwise::Result<()> {
    let device = Device::cpu();
    let (x, mut y) = (device.upload(&[1.0])?, device.zeros::<f32>(1)?);
    kernels::conversions::launch(&device, LaunchConfig::cover(1), &x, &mut y)?;
    assert_eq!(y.to_vec()?, [3.5]);
    let (x, mut y) = (device.upload(&[U32x2::new(3, 4)])?, device.zeros::<u32>(3)?);
    kernels::fields_of_calls::launch(&device, LaunchConfig::cover(1), &x, &mut y)?;
    assert_eq!(y.to_vec()?, [5, 71, 1]);
    let mut y = device.upload(&[1.0, 2.0])?;
    with_prelude::names_of_prelude::launch(&device, LaunchConfig::cover(1), &mut y)?;
    assert_eq!(y.to_vec()?, [4.25, 2.0]);
    Ok(())
}
