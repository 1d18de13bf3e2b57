//! Mistakes whose first remedy would lead to another mistake.
#![allow(unused)]
use std::sync::atomic::{AtomicPtr, Ordering};
use warpwise::prelude::*;

mod const_array_elsewhere {
    use warpwise::prelude::*;

    mod tables {
        pub const ODD: [f32; 2] = [1.0, 3.0];
    }

    #[kernel]
    fn run(y: &mut [f32]) {
        y[0] = tables::ODD[1];
    }
}

mod const_under_cfg {
    use warpwise::prelude::*;

    #[cfg(not(test))]
    const STEPS: usize = 4;

    #[kernel]
    fn run(y: &mut [f32]) {
        y[STEPS] = 1.0;
    }
}

#[kernel]
fn transmuted(x: &[f32], y: &mut [u32]) {
    y[0] = unsafe { std::mem::transmute(x[0]) };
}

#[kernel]
fn unchecked(x: &[f32], y: &mut [f32]) {
    y[0] = unsafe { *x.get_unchecked(1) };
}

#[kernel]
fn shifted_number<T: Num>(y: &mut [T]) {
    y[0] = y[1] << 1;
}

#[kernel]
fn masked_float<T: Float>(x: T, y: &mut [T]) {
    y[0] = x & y[1];
}

#[kernel]
fn module_inside(y: &mut [f32]) {
    mod halves {
        pub fn half(x: f32) -> f32 {
            x / 2.0
        }
    }
    y[0] = halves::half(y[0]);
}

#[kernel]
fn atomic_pointer(a: &[AtomicPtr<f32>]) {
    a[0].load(Ordering::Relaxed);
}

mod debug_by_hand {
    use std::fmt;
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Meters(f32);

    impl fmt::Debug for Meters {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{} m", self.0)
        }
    }

    #[kernel]
    fn print(y: &mut [f32]) {
        println!("{:?}", Meters(y[0]));
    }
}

#[kernel(block = 64)]
fn annotated_shared(y: &mut [f32]) {
    let mut tile: [f32; 64] = shared!([f32; 64]);
    tile[thread_idx_x()] = y[thread_idx_x()];
}

#[kernel]
fn load_release(a: &[AtomicU32], y: &mut [u32]) {
    y[0] = a[0].load(Ordering::Release);
}

#[kernel]
fn slice_by_value(y: [f32]) {
    let a = y[0];
}

#[kernel]
fn slice_of_slices(m: &mut [[f32]], y: &mut [f32]) {
    y[0] = m[0][0];
}

#[kernel]
fn boxed_slice(y: Box<[f32]>) {
    y[0] = 1.0;
}

#[kernel]
fn returned_number(y: &mut [f32]) {
    if y.is_empty() {
        return 1;
    }
    y[0] = 1.0;
}

#[kernel]
fn returned_result(y: &mut [f32]) -> Result<(), String> {
    if y.is_empty() {
        return Err("empty".to_string());
    }
    y[0] = 1.0;
    Ok(())
}

#[kernel]
fn format_of_variable(y: &mut [f32]) {
    println!(y[0]);
}

mod workgroup_size {
    use warpwise::prelude::*;

    #[kernel(workgroup_size = 64)]
    fn run(y: &mut [f32]) {
        y[0] = 1.0;
    }
}

#[kernel(block = 32)]
fn block_sum(y: &mut [f32]) {
    y[0] = block::sum(y[thread_idx_x()]);
}

mod duration {
    use std::time::Duration;
    use warpwise::prelude::*;

    #[kernel]
    fn step(dt: Duration, y: &mut [f32]) {
        y[0] = dt.as_secs_f32();
    }
}

mod sum_by_hand {
    use std::iter::Sum;
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Mass(f32);

    impl Sum for Mass {
        fn sum<I: Iterator<Item = Mass>>(all: I) -> Mass {
            Mass(all.map(|mass| mass.0).sum())
        }
    }

    #[kernel]
    fn add(masses: &[Mass], y: &mut [f32]) {
        y[0] = masses.iter().copied().sum::<Mass>().0;
    }
}

fn main() {}
