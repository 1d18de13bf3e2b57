//! Raw pointers and mutable statics, which rustc would call unsafe.
#![allow(unused)]
use warpwise::prelude::*;

mod pointer_of_device_function {
    use warpwise::prelude::*;

    #[device]
    fn put(x: *mut f32, v: f32) {
        *x = v;
    }
}

mod pointer_of_element {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        let p = &x[0] as *const f32;
        y[0] = 1.0;
    }
}

mod bits_by_pointers {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [u32]) {
        y[0] = *(&x[0] as *const f32 as *const u32);
    }
}

mod counter {
    use warpwise::prelude::*;

    static mut COUNT: u32 = 0;

    #[kernel]
    fn k(y: &mut [u32]) {
        COUNT += 1;
        y[0] = 1;
    }
}

mod counter_read {
    use warpwise::prelude::*;

    static mut TOTAL: u32 = 0;

    #[kernel]
    fn k(y: &mut [u32]) {
        y[0] = TOTAL.count_ones();
    }
}

mod counter_of_device_function {
    use warpwise::prelude::*;

    static mut SEED: u32 = 1;

    #[device]
    fn next() -> u32 {
        SEED = SEED * 3 + 1;
        SEED
    }
}

mod reference_counted {
    use std::sync::{Arc, atomic::Ordering};
    use warpwise::prelude::*;

    #[kernel]
    fn k(count: Arc<AtomicU32>) {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

mod boxed_closure {
    use warpwise::prelude::*;

    #[device]
    fn apply(f: Box<dyn Fn(f32) -> f32>, x: f32) -> f32 {
        f(x)
    }
}

fn main() {}
