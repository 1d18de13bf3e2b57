//! Borrows and values, which rustc checks last.
#![allow(unused)]
use warpwise::prelude::*;

mod immutable_sum {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        let sum = 0.0;
        for v in x {
            sum += v;
        }
        y[0] = sum;
    }
}

mod write_readonly {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32]) {
        x[global_idx_x()] = 1.0;
    }
}

mod move_struct {
    use warpwise::prelude::*;

    #[device]
    struct P {
        a: f32,
    }
    #[kernel]
    fn k(y: &mut [f32]) {
        let p = P { a: 1.0 };
        let q = p;
        y[0] = p.a + q.a;
    }
}

mod element_derive_missing {
    use warpwise::prelude::*;

    #[device]
    struct P {
        a: f32,
        b: f32,
    }
    #[kernel]
    fn k(x: &[P], y: &mut [P]) {
        y[0] = x[0];
    }
}

mod mut_buffer_not_declared {
    use warpwise::prelude::*;

    #[kernel]
    fn scale(a: f32, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] *= a;
        }
    }
    fn run(device: &Device) -> warpwise::Result<()> {
        let y = device.zeros::<f32>(10)?;
        scale::launch(device, LaunchConfig::cover(10), 2.0, &mut y)
    }
}

mod overlapping_views {
    use warpwise::prelude::*;

    #[kernel]
    fn copy(x: &[f32], y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = x[i];
        }
    }
    fn run(device: &Device, x: &mut Buffer<f32>) -> warpwise::Result<()> {
        let mut left = x.slice_mut(0..5)?;
        let mut right = x.slice_mut(5..10)?;
        copy::launch(device, LaunchConfig::cover(5), &left, &mut right)
    }
}

mod iter_mut_while_read {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        for v in y.iter_mut() {
            *v = y[0];
        }
    }
}

mod closure_captures_mut {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let mut set = |i: usize| y[i] = 1.0;
        y[0] = 2.0;
        set(1);
    }
}

mod uninit_var {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let sum: f32;
        for i in 0..y.len() {
            sum += y[i];
        }
        y[0] = sum;
    }
}

fn main() {}
