//! Kernels and device functions in an `impl` or a trait, where a macro can define nothing else.
#![allow(unused)]
use warpwise::prelude::*;

mod kernel_in_impl {
    use warpwise::prelude::*;

    struct Solver;

    impl Solver {
        #[kernel]
        fn step(y: &mut [f32]) {
            y[0] = 1.0;
        }
    }
}

mod kernel_in_trait {
    use warpwise::prelude::*;

    trait Step {
        #[kernel]
        fn step(y: &mut [f32]) {
            y[0] = 1.0;
        }
    }
}

mod kernel_with_self {
    use warpwise::prelude::*;

    struct Solver;

    impl Solver {
        #[kernel]
        fn step(&self, y: &mut [f32]) {
            y[0] = 1.0;
        }
    }
}

mod device_fn_in_impl {
    use warpwise::prelude::*;

    struct Solver;

    impl Default for Solver
    where
        [f32; 2]: Default,
    {
        #[device]
        fn default() -> Self {
            Self
        }
    }
}

mod device_const_in_impl {
    use warpwise::prelude::*;

    struct Solver;

    impl Solver {
        #[device]
        const STEPS: usize = 4;
    }
}

mod device_method {
    use warpwise::prelude::*;

    struct Solver;

    trait Half {
        fn half(self, x: f32) -> f32;
    }

    impl Half for Solver {
        #[device]
        fn half(self, x: f32) -> f32 {
            x / 2.0
        }
    }
}

fn main() {}
