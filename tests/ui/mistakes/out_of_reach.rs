//! Items that exist, and that kernel code cannot have.
#![allow(unused)]
use warpwise::prelude::*;

mod extern_function {
    use warpwise::prelude::*;

    unsafe extern "C" {
        fn cosf(x: f32) -> f32;
    }

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = unsafe { cosf(y[0]) };
    }
}

mod thread_local_static {
    use std::cell::Cell;
    use warpwise::prelude::*;

    thread_local! {
        static COUNTER: Cell<u32> = Cell::new(0);
    }

    #[kernel]
    fn k(y: &mut [u32]) {
        y[0] = COUNTER.get();
    }
}

mod device_static {
    use warpwise::prelude::*;

    #[device]
    static TABLE: usize = 4;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[TABLE] = 1.0;
    }
}

mod device_union {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    union Bits {
        f: f32,
        u: u32,
    }

    #[kernel]
    fn k(x: &[f32], y: &mut [u32]) {
        let bits = Bits { f: x[0] };
        y[0] = 1;
    }
}

mod function_under_cfg {
    use warpwise::prelude::*;

    #[cfg(test)]
    #[device]
    fn half(x: f32) -> f32 {
        x / 2.0
    }

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = half(y[0]);
    }
}

mod struct_under_cfg {
    use warpwise::prelude::*;

    #[cfg(all(test, unix))]
    #[device]
    #[derive(Clone, Copy)]
    struct Sample {
        a: f32,
    }

    #[kernel]
    fn k(y: &mut [f32]) {
        let p = Sample { a: 1.0 };
        y[0] = p.a;
    }
}

mod constant_after_its_block {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [u32]) {
        {
            const INNER: u32 = 2;
            y[0] = INNER;
        }
        y[1] = INNER;
    }
}

fn main() {}
