//! Kernels. Each is a Rust function that runs once for each thread.
use warpwise::prelude::*;

/// Adds `a` times `x` to `y`.
#[kernel(block = 256)]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] += a * x[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs on the SIMT interpreter, which needs no GPU and gives the same bits.
    #[test]
    fn saxpy_adds_the_product() -> warpwise::Result<()> {
        let device = Device::cpu();
        let x = device.upload(&[1.0f32, 2.0, 3.0])?;
        let mut y = device.upload(&[10.0f32, 20.0, 30.0])?;
        saxpy::launch(&device, LaunchConfig::cover(y.len()), 2.0, &x, &mut y)?;
        assert_eq!(y.to_vec()?, [12.0, 24.0, 36.0]);
        Ok(())
    }
}
