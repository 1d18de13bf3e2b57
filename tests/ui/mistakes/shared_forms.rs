//! Shared memory in the forms of other languages and libraries.
#![allow(unused)]
use warpwise::prelude::*;

mod shared_brackets {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let t = thread_idx_x();
        let tile = shared![f32; 32];
        tile[t] = 1.0;
        sync_threads();
        y[global_idx_x()] = tile[31 - t];
    }
}

mod shared_number {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let t = thread_idx_x();
        let tile = shared!(32);
        tile[t] = 1.0;
        sync_threads();
        y[global_idx_x()] = tile[31 - t];
    }
}

mod shared_two_dims {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let t = thread_idx_x();
        let tile = shared!([f32; 32, 32]);
        tile[t][0] = 1.0;
        sync_threads();
        y[global_idx_x()] = tile[31 - t][0];
    }
}

mod shared_double_semi {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let t = thread_idx_x();
        let tile = shared!([f32; 32][32]);
        tile[t][0] = 1.0;
        sync_threads();
        y[global_idx_x()] = tile[31 - t][0];
    }
}

mod shared_name_inside {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let t = thread_idx_x();
        shared!(tile: [f32; 32]);
        tile[t] = 1.0;
        sync_threads();
        y[global_idx_x()] = tile[31 - t];
    }
}

mod shared_let_mut {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let t = thread_idx_x();
        let mut tile: [f32; 32] = shared!();
        tile[t] = 1.0;
        sync_threads();
        y[global_idx_x()] = tile[31 - t];
    }
}

mod static_mut_inside {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        static mut S: [f32; 32] = [0.0; 32];
        let t = thread_idx_x();
        unsafe {
            S[t] = 1.0;
            sync_threads();
            y[global_idx_x()] = S[31 - t];
        }
    }
}

mod static_mut_noinit {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        static mut S: [f32; 32];
        let t = thread_idx_x();
        S[t] = 1.0;
        sync_threads();
        y[global_idx_x()] = S[31 - t];
    }
}

mod static_mut_outside {
    use warpwise::prelude::*;

    static mut S: [f32; 32] = [0.0; 32];
    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let t = thread_idx_x();
        unsafe {
            S[t] = 1.0;
        }
        sync_threads();
        y[global_idx_x()] = unsafe { S[31 - t] };
    }
}

mod shared_attr_static {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        #[shared]
        static mut TILE: [f32; 32] = [0.0; 32];
        let t = thread_idx_x();
        TILE[t] = 1.0;
        sync_threads();
        y[global_idx_x()] = TILE[31 - t];
    }
}

mod shared_attr_let {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        #[shared]
        let mut tile = [0.0f32; 32];
        let t = thread_idx_x();
        tile[t] = 1.0;
        sync_threads();
        y[global_idx_x()] = tile[31 - t];
    }
}

mod static_shared_array_type {
    use warpwise::prelude::*;

    use std::mem::MaybeUninit;
    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let mut tile: MaybeUninit<[f32; 32]> = MaybeUninit::uninit();
        y[global_idx_x()] = 1.0;
    }
}

mod static_mut_2d {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        static mut TILE: [[f32; 33]; 32] = [[0.0; 33]; 32];
        let t = thread_idx_x();
        unsafe {
            TILE[t][0] = 1.0;
        }
        sync_threads();
        y[global_idx_x()] = unsafe { TILE[31 - t][0] };
    }
}

mod shared_equals {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let t = thread_idx_x();
        shared!(let tile: [f32; 32]);
        tile[t] = 1.0;
        sync_threads();
        y[global_idx_x()] = tile[31 - t];
    }
}

mod shared_c_decl {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let t = thread_idx_x();
        shared!(f32 tile[32]);
        tile[t] = 1.0;
        sync_threads();
        y[global_idx_x()] = tile[31 - t];
    }
}

mod shared_type_only_let {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let t = thread_idx_x();
        let mut tile = shared!();
        tile[t] = 1.0;
        sync_threads();
        y[global_idx_x()] = tile[31 - t];
    }
}

mod shared_method {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let t = thread_idx_x();
        let tile = Shared::<[f32; 32]>::new();
        tile[t] = 1.0;
        sync_threads();
        y[global_idx_x()] = tile[31 - t];
    }
}

mod shared_by_function {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let t = thread_idx_x();
        let tile = shared_array::<f32, 32>();
        tile[t] = 1.0;
        sync_threads();
        y[global_idx_x()] = tile[31 - t];
    }
}

mod shared_dyn_bytes {
    use warpwise::prelude::*;

    #[kernel(block = 32)]
    fn k(y: &mut [f32]) {
        let t = thread_idx_x();
        let tile = shared_dyn!(f32);
        tile[t] = 1.0;
        sync_threads();
        y[global_idx_x()] = tile[31 - t];
    }
}

fn main() {}
