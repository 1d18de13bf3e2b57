//! Names that another file or module brings: no mistakes.
use std::sync::atomic::Ordering;
use types::Pair;
use warpwise::{F32x4, prelude::*};

mod types {
    pub(crate) use warpwise::F32x2 as Pair;
}

#[device]
fn half(v: f32) -> f32 {
    0.5 * v
}

include!("included.inc");

#[kernel]
fn sums(x: &mut [Pair]) {
    x[0] = Pair::new(1.0, 2.0) + x[0];
}

fn main() -> warpwise::Result<()> {
    let device = Device::cpu();
    let (x, mut y) = (device.upload(&[F32x4::splat(2.0)])?, device.zeros::<f32>(1)?);
    let mut count = device.zeros::<u32>(1)?;
    included::launch(&device, LaunchConfig::cover(1), &x, &mut count, &mut y)?;
    assert_eq!((y.to_vec()?, count.to_vec()?), (vec![4.0], vec![1]));
    let mut pairs = device.zeros::<Pair>(1)?;
    sums::launch(&device, LaunchConfig::cover(1), &mut pairs)?;
    assert_eq!(pairs.to_vec()?, [Pair::new(1.0, 2.0)]);
    Ok(())
}
