//! Rust that is wrong, or that a GPU cannot run.
#![allow(unused)]
use warpwise::prelude::*;

mod trait_object_slice {
    use warpwise::prelude::*;

    trait Op {
        fn apply(&self, x: f32) -> f32;
    }
    #[kernel]
    fn k(op: &dyn Op, y: &mut [f32]) {
        y[0] = op.apply(y[0]);
    }
}

mod u64_mul_usize {
    use warpwise::prelude::*;

    #[kernel]
    fn k(seed: u64, y: &mut [u64]) {
        let i = global_idx_x();
        y[i] = seed * i;
    }
}

mod recursion_device {
    use warpwise::prelude::*;

    #[device]
    fn fact(n: u32) -> u32 {
        if n == 0 { 1 } else { n * fact(n - 1) }
    }
    #[kernel]
    fn k(y: &mut [u32]) {
        y[0] = fact(5);
    }
}

mod negative_index {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let a = [1.0f32; 4];
        y[0] = a[-1];
    }
}

mod collect_array {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        let a: [f32; 4] = x.iter().map(|v| v * 2.0).collect();
        y[0] = a[0];
    }
}

mod option_box {
    use warpwise::prelude::*;

    #[device]
    struct Node {
        value: f32,
        next: Option<Box<Node>>,
    }
}

mod generic_add_unbounded {
    use warpwise::prelude::*;

    #[device]
    fn add<T>(a: T, b: T) -> T {
        a + b
    }
    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = add(y[0], y[1]);
    }
}

mod struct_update_typo {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct P {
        alpha: f32,
        beta: f32,
    }
    #[kernel]
    fn k(p: P, y: &mut [f32]) {
        y[0] = p.aplha;
    }
}

mod missing_field {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct P {
        alpha: f32,
        beta: f32,
    }
    #[kernel]
    fn k(y: &mut [f32]) {
        let p = P { alpha: 1.0 };
        y[0] = p.alpha;
    }
}

mod wrong_arg_count {
    use warpwise::prelude::*;

    #[device]
    fn lerp(a: f32, b: f32, t: f32) -> f32 {
        a + (b - a) * t
    }
    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = lerp(y[0], y[1]);
    }
}

mod missing_return_semicolon {
    use warpwise::prelude::*;

    #[device]
    fn double(a: f32) -> f32 {
        a * 2.0;
    }
    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = double(y[0]);
    }
}

mod if_without_else {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let v: f32 = if y[0] > 0.0 {
            1.0
        };
        y[0] = v;
    }
}

mod compare_structs {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct P {
        a: f32,
    }
    #[kernel]
    fn k(x: &[P], y: &mut [f32]) {
        if x[0] == x[1] {
            y[0] = 1.0;
        }
    }
}

mod thread_sleep {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        std::thread::sleep(std::time::Duration::from_millis(1));
        y[0] = 1.0;
    }
}

mod lazy_static {
    use warpwise::prelude::*;

    use std::sync::OnceLock;
    static TABLE: OnceLock<Vec<f32>> = OnceLock::new();
    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = TABLE.get().unwrap()[0];
    }
}

mod as_missing_f32 {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        y[i] = i / y.len();
    }
}

mod powi_float {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = 2.0.powi(3);
    }
}

mod generic_cast {
    use warpwise::prelude::*;

    #[device]
    fn half<T: Float>(a: T) -> f32 {
        a as f32 * 0.5
    }
    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = half(y[0]);
    }
}

mod idx_as_u32_index {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x() as u32;
        if i < y.len() as u32 {
            y[i] = 1.0;
        }
    }
}

mod y_len_as_u32_cmp {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() as u32 {
            y[i] = 1.0;
        }
    }
}

mod block_idx_cast_i32 {
    use warpwise::prelude::*;

    #[kernel]
    fn k(w: i32, y: &mut [f32]) {
        let x = global_idx_x() as i32 - 1;
        if x >= 0 {
            y[x * w] = 1.0;
        }
    }
}

mod shared_struct_non_device {
    use warpwise::prelude::*;

    #[derive(Clone, Copy)]
    struct P {
        a: f32,
    }
    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let s = shared!([P; 32]);
        s[thread_idx_x()] = P { a: 1.0 };
        sync_threads();
        y[0] = s[0].a;
    }
}

mod shared_passed_by_value {
    use warpwise::prelude::*;

    #[device]
    fn total(s: [f32; 32]) -> f32 {
        s[0] + s[31]
    }
    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let s = shared!([f32; 32]);
        s[thread_idx_x()] = 1.0;
        sync_threads();
        y[thread_idx_x()] = total(s);
    }
}

mod swapped_by_comparison {
    use warpwise::prelude::*;

    use std::sync::atomic::Ordering;
    #[kernel]
    fn k(y: &[AtomicU32]) {
        let old = y[0].compare_and_swap(0, 1, Ordering::Relaxed);
    }
}

mod shfl_down_u32 {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let mut v = y[global_idx_x()];
        let mut d = 16u32;
        while d > 0 {
            v += warp::shfl_down(v, d);
            d /= 2;
        }
        y[global_idx_x()] = v;
    }
}

mod shfl_u32_lane {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let lane: u32 = 3;
        let v = warp::shfl(y[global_idx_x()], lane);
        y[global_idx_x()] = v;
    }
}

mod step_by_u32 {
    use warpwise::prelude::*;

    #[kernel]
    fn k(n: u32, y: &mut [f32]) {
        for i in (0..y.len()).step_by(n) {
            y[i] = 1.0;
        }
    }
}

mod index_i64 {
    use warpwise::prelude::*;

    #[kernel]
    fn k(off: i64, y: &mut [f32]) {
        let i = global_idx_x() as i64 + off;
        if i >= 0 {
            y[i] = 1.0;
        }
    }
}

mod vec_new {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let mut v = Vec::with_capacity(4);
        v.push(1.0f32);
        y[0] = v[0];
    }
}

mod option_ref_param {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: Option<&[f32]>, y: &mut [f32]) {
        if let Some(x) = x {
            y[0] = x[0];
        }
    }
}

mod kernel_tuple_slice {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[(f32, String)], y: &mut [f32]) {
        y[0] = x[0].0;
    }
}

fn main() {}
