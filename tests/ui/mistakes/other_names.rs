//! Names of other libraries for the host's part.
#![allow(unused)]
use warpwise::prelude::*;

fn buffer_from_slice(device: &Device) -> warpwise::Result<Buffer<f32>> {
    device.from_slice(&[1.0f32])
}

fn cubecl_create(device: &Device) -> warpwise::Result<Buffer<f32>> {
    device.create(&[1.0f32])
}

fn numpy_ones(device: &Device) -> warpwise::Result<Buffer<f32>> {
    device.ones(8)
}

fn numpy_empty(device: &Device) -> warpwise::Result<()> {
    let x = device.empty::<f32>(8)?;
    Ok(())
}

fn numpy_full(device: &Device) -> warpwise::Result<Buffer<f32>> {
    device.full(8, 1.0f32)
}

fn buffer_to_host(x: &Buffer<f32>) -> warpwise::Result<Vec<f32>> {
    x.to_host()
}

fn numba_copy_to_host(x: &Buffer<f32>) -> warpwise::Result<()> {
    let y = x.copy_to_host()?;
    Ok(())
}

fn cudarc_num_elems(n: usize) -> LaunchConfig {
    LaunchConfig::for_num_elems(n as u32)
}

fn pinned_iter(device: &Device) -> warpwise::Result<f32> {
    let host = device.pinned::<f32>(8)?;
    Ok(host.iter().sum())
}

fn pinned_index(device: &Device) -> warpwise::Result<f32> {
    let host = device.pinned::<f32>(8)?;
    Ok(host[2])
}

fn main() {}
