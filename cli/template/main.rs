//! Launches a kernel, on a GPU if there is one.
use PACKAGE::saxpy;
use warpwise::prelude::*;

fn main() -> warpwise::Result<()> {
    let device = Device::auto()?;
    let x = device.upload(&vec![1.0f32; 1_000_000])?;
    let mut y = device.zeros::<f32>(x.len())?;
    saxpy::launch(&device, LaunchConfig::cover(y.len()), 2.0, &x, &mut y)?;
    println!("on {device}: y[0] = {}", y.to_vec()?[0]);
    Ok(())
}
