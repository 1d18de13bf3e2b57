//! Operations on atomics as other libraries write them.
#![allow(unused)]
use warpwise::prelude::*;

mod increment_method {
    use warpwise::prelude::*;

    #[kernel]
    fn k(a: &[AtomicU32]) {
        a[0].inc();
    }
}

mod increment_function {
    use warpwise::prelude::*;

    #[kernel]
    fn k(a: &[AtomicU32]) {
        atomic_inc(&a[0]);
    }
}

mod increment_of_float {
    use warpwise::prelude::*;

    #[kernel]
    fn k(a: &[AtomicF32]) {
        a[0].increment();
    }
}

mod decrement_of_float {
    use warpwise::prelude::*;

    #[kernel]
    fn k(a: &[AtomicF32]) {
        a[0].dec();
    }
}

mod subtraction_of_float {
    use warpwise::prelude::*;

    #[kernel]
    fn k(a: &[AtomicF32], v: f32) {
        a[0].sub(v * 2.0);
    }
}

mod subtraction_of_literal {
    use warpwise::prelude::*;

    #[kernel]
    fn k(a: &[AtomicF32]) {
        atomic_sub(&a[0], 1.5);
    }
}

mod load_with_ordering {
    use std::sync::atomic::Ordering;
    use warpwise::prelude::*;

    #[kernel]
    fn k(a: &[AtomicU32], y: &mut [u32]) {
        y[0] = atomic_load(&a[0], Ordering::Relaxed);
    }
}

mod exchange_with_order {
    use std::sync::atomic::Ordering;
    use warpwise::prelude::*;

    #[kernel]
    fn k(a: &[AtomicU32]) {
        a[0].exch(1, Ordering::SeqCst);
    }
}

fn main() {}
