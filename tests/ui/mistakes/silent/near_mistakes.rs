//! Correct code that looks like mistakes.
#![allow(unused, non_camel_case_types)]
use warpwise::prelude::*;

mod static_table_is_fine {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        const TABLE: [f32; 4] = [1.0, 2.0, 3.0, 4.0];
        let i = global_idx_x();
        if i < y.len() {
            y[i] = TABLE[i % 4];
        }
    }
}

mod shared_brackets_is_fine {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let t = thread_idx_x();
        let tile = shared![[f32; 32]];
        tile[t] = t as f32;
        sync_threads();
        let i = global_idx_x();
        if i < y.len() {
            y[i] = tile[31 - t];
        }
    }
}

mod own_infinity_is_fine {
    use warpwise::prelude::*;

    #[device]
    const INFINITY: f32 = f32::INFINITY;
    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = INFINITY;
        }
    }
}

mod std_infinity_is_fine {
    use warpwise::prelude::*;

    use std::f32::consts::PI as M_PI;
    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = M_PI;
        }
    }
}

mod variable_gid_is_fine {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct P {
        x: f32,
    }
    #[kernel]
    fn k(gid: P, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = gid.x;
        }
    }
}

mod variable_null_is_fine {
    use warpwise::prelude::*;

    #[kernel]
    fn k(null: f32, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = null;
        }
    }
}

mod own_plane_sum_is_fine {
    use warpwise::prelude::*;

    #[device]
    fn plane_sum(v: f32) -> f32 {
        warp::reduce_add(v)
    }
    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = i as f32;
        }
        let v = plane_sum(1.0);
        if i < y.len() {
            y[i] += v;
        }
    }
}

mod own_barrier_module_is_fine {
    use warpwise::prelude::*;

    #[device]
    mod barrier {
        pub fn sync(a: u32, b: u32) -> u32 {
            a + b
        }
    }
    #[kernel]
    fn k(y: &mut [u32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = barrier::sync(1, 2);
        }
    }
}

mod own_atomic_fn_is_fine {
    use warpwise::prelude::*;

    #[device]
    fn atomic_add(a: &AtomicU32, v: u32) -> u32 {
        a.fetch_add(v, std::sync::atomic::Ordering::Relaxed)
    }
    #[kernel]
    fn k(a: &[AtomicU32]) {
        let i = global_idx_x();
        if i < a.len() {
            atomic_add(&a[i], 1);
        }
    }
}

mod struct_cuda_is_fine {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Grid {
        n: usize,
    }
    #[device]
    impl Grid {
        fn grid(self, a: usize) -> usize {
            self.n * a
        }
    }
    #[kernel]
    fn k(cuda: Grid, y: &mut [usize]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = cuda.grid(1);
        }
    }
}

mod u64_product_is_fine {
    use warpwise::prelude::*;

    #[kernel]
    fn k(seed: u64, y: &mut [u64]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = seed * i as u64;
        }
    }
}

mod index_product_is_fine {
    use warpwise::prelude::*;

    #[kernel]
    fn k(w: u32, y: &mut [f32]) {
        let i = global_idx_x();
        let j = w as usize * i;
        if j < y.len() {
            y[j] = 1.0;
        }
    }
}

mod shift_mixed_is_fine {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [u32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = 1u32 << (i % 32);
        }
    }
}

mod texture_name_is_fine {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Texture2D {
        w: usize,
    }
    #[kernel]
    fn k(t: Texture2D, y: &mut [usize]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = t.w;
        }
    }
}

mod generic_tensor_is_fine {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Tensor<const N: usize> {
        v: [f32; N],
    }
    #[kernel]
    fn k(t: Tensor<4>, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = t.v[i % 4];
        }
    }
}

mod allow_on_loop_is_fine {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        #[allow(clippy::needless_range_loop)]
        for j in 0..4 {
            if i < y.len() {
                y[i] += j as f32;
            }
        }
    }
}

mod inline_device_is_fine {
    use warpwise::prelude::*;

    #[device]
    #[inline]
    #[must_use]
    fn half(x: f32) -> f32 {
        0.5 * x
    }
    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = half(y[i]);
        }
    }
}

mod renamed_attribute_is_fine {
    use warpwise::prelude::*;

    use warpwise::device as gpu;
    #[gpu]
    fn half(x: f32) -> f32 {
        0.5 * x
    }
    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = half(y[i]);
        }
    }
}

mod qualified_attribute_is_fine {
    use warpwise::prelude::*;

    #[warpwise::device]
    fn half(x: f32) -> f32 {
        0.5 * x
    }
    #[warpwise::kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = half(y[i]);
        }
    }
}

mod static_host_is_fine {
    use warpwise::prelude::*;

    static mut COUNT: [u32; 4] = [0; 4];
    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = 1.0;
        }
    }
}

mod size_of_is_fine {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [usize]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = size_of::<f32>();
        }
    }
}

mod float_consts_is_fine {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = f32::MAX.min(f32::EPSILON) + std::f32::consts::PI;
        }
    }
}

mod shared_scalar_struct_is_fine {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct P {
        a: f32,
    }
    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let s = shared!([P; 32]);
        let t = thread_idx_x();
        s[t] = P { a: t as f32 };
        sync_threads();
        let i = global_idx_x();
        if i < y.len() {
            y[i] = s[31 - t].a;
        }
    }
}

mod sum_typed_is_fine {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(x: &[f32], y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            let s: f32 = x.iter().sum();
            y[i] = s;
        }
    }
}

mod host_views_is_fine {
    use warpwise::prelude::*;

    #[kernel]
    fn copy(x: &[f32], y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = x[i];
        }
    }
    fn run(device: &Device, x: &Buffer<f32>, y: &mut Buffer<f32>) -> warpwise::Result<()> {
        copy::launch(device, LaunchConfig::cover(5), &x.slice(0..5)?, &mut y.slice_mut(5..10)?)?;
        let values = y.to_vec()?;
        for v in values.iter() {
            assert!(v.is_finite());
        }
        let n = y.len() + values[0] as usize;
        Ok(())
    }
}

mod host_launch_method_is_fine {
    use warpwise::prelude::*;

    struct Engine;
    impl Engine {
        fn launch(&self, n: usize) -> usize {
            n
        }
        fn iter(&self) -> usize {
            1
        }
    }
    fn run(e: &Engine, d: &Device) -> usize {
        e.launch(4) + e.iter()
    }
}

mod get_loop_is_fine {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        let i = global_idx_x();
        if let (Some(v), Some(x)) = (y.get_mut(i), x.get(i)) {
            *v = *x;
        }
    }
}

mod trait_generic_is_fine {
    use warpwise::prelude::*;

    #[device]
    trait Op {
        fn apply(self, x: f32) -> f32;
    }
    #[device]
    #[derive(Clone, Copy)]
    struct Twice;
    #[device]
    impl Op for Twice {
        fn apply(self, x: f32) -> f32 {
            2.0 * x
        }
    }
    #[device]
    fn map<O: Op>(op: O, x: f32) -> f32 {
        op.apply(x)
    }
    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = map(Twice, y[i]);
        }
    }
}

mod local_id_variable_is_fine {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let local_id = F(1.0, 2.0);
        let i = global_idx_x();
        if i < y.len() {
            y[i] = local_id.0;
        }
    }
    #[device]
    #[derive(Clone, Copy)]
    struct F(f32, f32);
}

mod unit_struct_position_is_fine {
    use warpwise::prelude::*;

    #[kernel]
    fn k(thread_position_in_grid: usize, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = thread_position_in_grid as f32;
        }
    }
}

mod i32_mix_is_fine {
    use warpwise::prelude::*;

    #[kernel]
    fn k(n: i32, y: &mut [i32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = n * i as i32 + n;
        }
    }
}

mod sin_of_var_is_fine {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        let d: f32 = 1.5;
        if i < y.len() {
            y[i] = d.abs().powi(2);
        }
    }
}

mod own_float_fn_is_fine {
    use warpwise::prelude::*;

    #[device]
    fn float(x: usize) -> f32 {
        x as f32
    }
    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = float(i);
        }
    }
}

mod step_usize_is_fine {
    use warpwise::prelude::*;

    #[kernel]
    fn k(n: usize, y: &mut [f32]) {
        let i = global_idx_x();
        let mut s = 0.0;
        for j in (0..n).step_by(2) {
            s += j as f32;
        }
        if i < y.len() {
            y[i] = s;
        }
    }
}

mod shfl_usize_is_fine {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        let mut v = i as f32;
        let mut d = 16;
        while d > 0 {
            v += warp::shfl_down(v, d);
            d /= 2;
        }
        if i < y.len() {
            y[i] = v;
        }
    }
}

mod shfl_lane_u32_cast_is_fine {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(lane: u32, y: &mut [f32]) {
        let i = global_idx_x();
        let v = warp::shfl(i as f32, lane as usize);
        if i < y.len() {
            y[i] = v;
        }
    }
}

mod own_collect_is_fine {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Lanes(f32);

    #[device]
    impl Lanes {
        fn collect(&self) -> [f32; 4] {
            [self.0; 4]
        }
    }

    #[kernel]
    fn k(y: &mut [f32]) {
        let lanes = Lanes(y[0]);
        let all: [f32; 4] = lanes.collect();
        y[0] = all[3];
    }
}

fn main() {}
