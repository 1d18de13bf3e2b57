//! Allocations and copies as other libraries name them.
#![allow(unused)]
use warpwise::prelude::*;

mod htod_sync_copy {
    use warpwise::prelude::*;

    fn run(device: &Device) -> warpwise::Result<()> {
        let values = vec![1.0f32; 4];
        let x = device.htod_sync_copy(&values)?;
        Ok(())
    }
}

mod memcpy_htod {
    use warpwise::prelude::*;

    fn run(device: &Device, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        device.memcpy_htod(&[1.0f32], y)
    }
}

mod dtoh_sync_copy {
    use warpwise::prelude::*;

    fn run(device: &Device, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        let values: Vec<f32> = device.dtoh_sync_copy(y)?;
        Ok(())
    }
}

mod memcpy_dtov {
    use warpwise::prelude::*;

    fn run(stream: &warpwise::Stream, y: &mut Buffer<f32>) -> warpwise::Result<Vec<f32>> {
        stream.memcpy_dtov(y)
    }
}

mod download {
    use warpwise::prelude::*;

    fn run(y: &mut Buffer<f32>) -> warpwise::Result<Vec<f32>> {
        y.download()
    }
}

mod alloc_zeros_of_type {
    use warpwise::prelude::*;

    fn run(device: &Device) -> warpwise::Result<()> {
        let y: Buffer<f32> = device.alloc_zeros(4)?;
        Ok(())
    }
}

fn main() {}
