//! Arithmetic and groups of threads as in C++.
#![allow(unused)]
use warpwise::prelude::*;

mod bool_as_factor {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        y[0] = x[0] * (x[0] > 0.0);
    }
}

mod bool_as_term {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[u32], y: &mut [u32]) {
        y[0] = x[0] + (x[1] > 2);
    }
}

mod sign_of_bools {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [i32]) {
        y[0] = (x[0] > 0.0) - (x[0] < 0.0);
    }
}

mod square_by_caret {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        y[0] = x[0] ^ 2;
    }
}

mod float_as_index {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        y[x[0]] = 1.0;
    }
}

mod float_parameter_as_index {
    use warpwise::prelude::*;

    #[kernel]
    fn k(at: f32, y: &mut [f32]) {
        y[at] = 1.0;
    }
}

mod sum_from_integer {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        let mut sum = 0;
        for i in 0..x.len() {
            sum += x[i];
        }
        y[0] = sum;
    }
}

mod result_at_end {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = 1.0;
        Ok(())
    }
}

mod error_returned {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        if y.is_empty() {
            return Err("empty");
        }
        y[0] = 1.0;
    }
}

mod shared_with_value {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let tile = shared!([f32; 64], 0.0);
        y[0] = tile[0];
    }
}

mod warp_method {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [usize]) {
        y[0] = warp.thread_rank();
    }
}

mod block_of_function {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let block = this_thread_block();
        block.sync();
    }
}

mod rounded_up {
    use warpwise::prelude::*;

    #[kernel]
    fn k(n: usize, y: &mut [f32]) {
        let i = ceil_div(n + 1, 4);
        y[i] = 1.0;
    }
}

mod index_of_thread {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[global_thread_id()] = 1.0;
    }
}

mod device_import {
    use warpwise::prelude::*;

    #[device]
    use std::f32::consts::PI;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = PI;
    }
}

mod reduced_reference {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        y[0] = warp::reduce_add(&x[0]);
    }
}

mod beside_a_macro {
    use warpwise::prelude::*;

    macro_rules! twice {
        ($x:expr) => {
            2.0 * $x
        };
    }

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = twice!(smooth(y[0]));
    }
}

fn main() {}
