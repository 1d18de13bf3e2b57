//! Names of other libraries: vectors, attributes, macros, and what is the part of the host.
#![allow(unused)]
use warpwise::prelude::*;

mod logger {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        log::info!("start");
        y[0] = 1.0;
    }
}

mod logger_by_name {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        debug!("value {}", y[0]);
        y[0] = 1.0;
    }
}

mod print_macro_of_c {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        printf!("%d\n", i);
    }
}

mod unknown_beside_a_logger {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = smooth(y[0]);
    }
}

mod terminate_macro {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        if global_idx_x() >= y.len() {
            terminate!();
        }
        y[global_idx_x()] = 1.0;
    }
}

mod comptime_parameter {
    use warpwise::prelude::*;

    #[kernel]
    fn k(#[comptime] n: usize, y: &mut [f32]) {
        y[n] = 1.0;
    }
}

mod cast_function {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let i = global_idx_x();
        y[i] = f32::cast_from(i);
    }
}

mod cast_function_of_parameter {
    use warpwise::prelude::*;

    #[kernel]
    fn k<F: Float>(y: &mut [F]) {
        let i = global_idx_x();
        y[i] = F::cast_from(i);
    }
}

mod constant_of_parameter {
    use warpwise::prelude::*;

    #[kernel]
    fn k<F: Float>(y: &mut [F]) {
        y[0] = F::new(2.0);
    }
}

mod line_type {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[Line<f32>], y: &mut [f32]) {
        y[0] = x[0][1];
    }
}

mod spirv_attribute {
    use warpwise::prelude::*;

    #[kernel]
    #[spirv(compute(threads(64)))]
    fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
}

mod workgroup_attribute {
    use warpwise::prelude::*;

    #[kernel]
    #[workgroup_size(64)]
    fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
}

mod attribute_above {
    use warpwise::prelude::*;

    #[global]
    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = 1.0;
    }
}

mod glam_parameter {
    use warpwise::prelude::*;

    #[kernel]
    fn k(id: UVec3, y: &mut [u32]) {
        y[0] = id.x;
    }
}

mod glam_constructor {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let v = Vec3::new(1.0, 2.0, 3.0);
        y[0] = v.x;
    }
}

mod vector_function {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let v = float4(1.0, 2.0, 3.0, 4.0);
        y[0] = v.x;
    }
}

mod vector_load {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        let v = vload4(0, x);
        y[0] = v.x;
    }
}

mod wait_for_device {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[global_idx_x()] = 1.0;
        cudaDeviceSynchronize();
    }
}

mod allocation {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let p = cudaMalloc(16);
        y[0] = 1.0;
    }
}

mod last_error {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        let error = cudaGetLastError();
        y[0] = 1.0;
    }
}

mod copy_of_c {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        memcpy(y, x, 16);
    }
}

fn main() {}
