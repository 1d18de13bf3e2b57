//! The host, as with other libraries.
#![allow(unused)]
use warpwise::prelude::*;

mod stream {
    use warpwise::prelude::*;

    #[kernel]
    fn scale(a: f32, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] *= a;
        }
    }
    fn run(stream: &warpwise::Stream, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        stream.launch(scale, LaunchConfig::cover(10), (2.0, y))
    }
}

mod mut_vec {
    use warpwise::prelude::*;

    #[kernel]
    fn scale(a: f32, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] *= a;
        }
    }
    fn run(device: &Device) -> warpwise::Result<()> {
        let mut values = vec![1.0f32; 100];
        scale::launch(device, LaunchConfig::cover(100), 2.0, &mut values)
    }
}

mod slice_host {
    use warpwise::prelude::*;

    #[kernel]
    fn scale(a: f32, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] *= a;
        }
    }
    fn run(device: &Device) -> warpwise::Result<()> {
        let mut values = vec![1.0f32; 100];
        scale::launch(device, LaunchConfig::cover(100), 2.0, &mut values[..])
    }
}

mod missing_config {
    use warpwise::prelude::*;

    #[kernel]
    fn scale(a: f32, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] *= a;
        }
    }
    fn run(device: &Device, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        scale::launch(device, 2.0, y)
    }
}

mod missing_device {
    use warpwise::prelude::*;

    #[kernel]
    fn scale(a: f32, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] *= a;
        }
    }
    fn run(y: &mut Buffer<f32>) -> warpwise::Result<()> {
        scale::launch(LaunchConfig::cover(10), 2.0, y)
    }
}

mod extra_length {
    use warpwise::prelude::*;

    #[kernel]
    fn scale(a: f32, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] *= a;
        }
    }
    fn run(device: &Device, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        scale::launch(device, LaunchConfig::cover(10), 2.0, y, 10)
    }
}

mod scalar_by_ref {
    use warpwise::prelude::*;

    #[kernel]
    fn scale(a: f32, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] *= a;
        }
    }
    fn run(device: &Device, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        let a = 2.0f32;
        scale::launch(device, LaunchConfig::cover(10), &a, y)
    }
}

mod scalar_f64 {
    use warpwise::prelude::*;

    #[kernel]
    fn scale(a: f32, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] *= a;
        }
    }
    fn run(device: &Device, y: &mut Buffer<f32>, a: f64) -> warpwise::Result<()> {
        scale::launch(device, LaunchConfig::cover(10), a, y)
    }
}

mod buffer_slice_no_try {
    use warpwise::prelude::*;

    #[kernel]
    fn copy(x: &[f32], y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = x[i];
        }
    }
    fn run(device: &Device, x: &Buffer<f32>, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        copy::launch(device, LaunchConfig::cover(5), &x.slice(0..5), y)
    }
}

mod block_u32 {
    use warpwise::prelude::*;

    fn config(threads: u32) -> LaunchConfig {
        LaunchConfig::grid(4).block(threads)
    }
}

mod grid_tuple_u32 {
    use warpwise::prelude::*;

    fn config(w: u32, h: u32) -> LaunchConfig {
        LaunchConfig::cover((w, h)).block((16, 16))
    }
}

mod const_generic_wrong_place {
    use warpwise::prelude::*;

    #[kernel]
    fn tile<const N: usize>(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = N as f32;
        }
    }
    fn run(device: &Device, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        tile::launch::<16>(device, LaunchConfig::cover(10), y)
    }
}

mod atomic_shared_ref {
    use warpwise::prelude::*;

    #[kernel]
    fn count(bins: &[AtomicU32]) {
        if global_idx_x() < bins.len() {
            bins[global_idx_x()].fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }
    fn run(device: &Device) -> warpwise::Result<()> {
        let bins = device.zeros::<u32>(10)?;
        count::launch(device, LaunchConfig::cover(10), &bins)
    }
}

mod wait_future {
    use warpwise::prelude::*;

    #[kernel]
    fn scale(a: f32, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] *= a;
        }
    }
    async fn run(device: &Device, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        scale::launch(device, LaunchConfig::cover(10), 2.0, y).await
    }
}

mod alloc_zeros {
    use warpwise::prelude::*;

    fn run(device: &Device) -> warpwise::Result<Buffer<f32>> {
        device.alloc_zeros::<f32>(100)
    }
}

mod htod_copy {
    use warpwise::prelude::*;

    fn run(device: &Device) -> warpwise::Result<Buffer<f32>> {
        device.htod_copy(vec![1.0f32; 10])
    }
}

mod kernel_dot_launch {
    use warpwise::prelude::*;

    #[kernel]
    fn scale(a: f32, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] *= a;
        }
    }
    fn run(device: &Device, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        scale.launch(device, LaunchConfig::cover(10), 2.0, y)
    }
}

mod kernel_index_numba {
    use warpwise::prelude::*;

    #[kernel]
    fn scale(a: f32, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] *= a;
        }
    }
    fn run(device: &Device, y: &mut Buffer<f32>) {
        scale[(4, 256)](2.0, y);
    }
}

mod config_struct_literal {
    use warpwise::prelude::*;

    #[kernel]
    fn scale(a: f32, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] *= a;
        }
    }
    fn run(device: &Device, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        let config =
            LaunchConfig { grid_dim: (4, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
        scale::launch(device, config, 2.0, y)
    }
}

mod iter_mut {
    use warpwise::prelude::*;

    fn f(y: &mut Buffer<f32>) {
        for v in y.iter_mut() {
            *v = 1.0;
        }
    }
}

mod event_elapsed {
    use warpwise::prelude::*;

    fn run(start: &warpwise::Event, end: &warpwise::Event) -> f32 {
        start.elapsed_time(end)
    }
}

mod buffer_to_host {
    use warpwise::prelude::*;

    fn run(y: &Buffer<f32>) -> warpwise::Result<Vec<f32>> {
        y.to_host()
    }
}

fn main() {}
