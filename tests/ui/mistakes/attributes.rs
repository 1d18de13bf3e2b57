//! Attributes of kernels.
#![allow(unused)]

mod block_str {
    use warpwise::prelude::*;

    #[kernel(block = "256")]
    fn k(x: &mut [f32]) {
        x[0] = 1.0;
    }
}

mod block_too_big {
    use warpwise::prelude::*;

    #[kernel(block = 2048)]
    fn k(x: &mut [f32]) {
        x[0] = 1.0;
    }
}

mod block_name {
    use warpwise::prelude::*;

    #[kernel(block_size = 256)]
    fn k(x: &mut [f32]) {
        x[0] = 1.0;
    }
}

mod attribute_launch_bounds {
    use warpwise::prelude::*;

    #[kernel]
    #[launch_bounds(256)]
    fn k(x: &mut [f32]) {
        x[0] = 1.0;
    }
}

mod global_attr {
    use warpwise::prelude::*;

    #[global]
    fn k(x: &mut [f32]) {
        x[0] = 1.0;
    }
}

mod kernel_on_struct {
    use warpwise::prelude::*;

    #[kernel]
    struct S {
        a: f32,
    }
}

mod unknown_lint {
    use warpwise::prelude::*;

    #[kernel]
    #[allow(gpu_bank_conflict)]
    fn k(x: &mut [f32]) {
        x[0] = 1.0;
    }
}

mod block_parens {
    use warpwise::prelude::*;

    #[kernel(block(16, 16))]
    fn k(x: &mut [f32]) {
        x[0] = 1.0;
    }
}

mod two_kernels_attr {
    use warpwise::prelude::*;

    #[kernel]
    #[device]
    fn k(x: &mut [f32]) {
        x[0] = 1.0;
    }
}

mod instances_missing {
    use warpwise::prelude::*;

    #[kernel(instances = f32)]
    fn k<T: Num>(x: &mut [T]) {
        x[0] = T::ONE;
    }
}

mod constant_value {
    use warpwise::prelude::*;

    #[kernel]
    fn k(#[constant] w: [f32; 3], x: &mut [f32]) {
        x[0] = w[0];
    }
}

mod requires_string {
    use warpwise::prelude::*;

    #[kernel(requires("x.len() > 0"))]
    fn k(x: &mut [f32]) {
        x[0] = 1.0;
    }
}

fn main() {}
