//! Names of Python, and macros without their `!`.
#![allow(unused)]
use warpwise::prelude::*;

mod range_function {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32], n: usize) {
        for k in range(n) {
            y[k] = 1.0;
        }
    }
}

mod len_function {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        if global_idx_x() < len(y) {
            y[0] = 1.0;
        }
    }
}

mod enumerate_function {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        for (i, v) in enumerate(x) {
            y[i] = *v;
        }
    }
}

mod math_module {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        y[0] = math.sqrt(x[0]);
    }
}

mod math_constant {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = math.pi;
    }
}

mod numpy_type {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = np.float32(1);
    }
}

mod numba_lane {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [usize]) {
        y[0] = cuda.laneid;
    }
}

mod triton_dot {
    use warpwise::prelude::*;

    #[kernel]
    fn k(a: &[f32], b: &[f32], y: &mut [f32]) {
        y[0] = tl.dot(a, b);
    }
}

mod print_function {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        print("y", y[0]);
    }
}

mod assert_function {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        assert(y.len() > 4);
        y[0] = 1.0;
    }
}

fn main() {}
