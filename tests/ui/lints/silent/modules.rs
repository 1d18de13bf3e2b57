//! Levels on a `#[device]` module hold for its kernels and device functions, and for what is in them.
#![deny(warnings)]

#[device]
#[allow(gpu_barriers_in_divergent_flow, dead_code)]
mod above {
    use warpwise::prelude::*;

    #[kernel]
    fn kernel() {
        if thread_idx_x() < 16 {
            sync_threads();
        }
        Pair { _x: 1.0, _y: 2.0 }.wait();
        inner::wait();
    }

    pub struct Pair {
        pub _x: f32,
        pub _y: f32,
    }

    impl Pair {
        pub fn wait(self) {
            if thread_idx_x() < 16 {
                sync_threads();
            }
        }
    }

    pub mod inner {
        use warpwise::prelude::*;

        pub fn wait() {
            if thread_idx_x() < 16 {
                sync_threads();
            }
        }
    }
}

#[device]
mod within {
    #![allow(gpu_all, non_snake_case)]
    use warpwise::prelude::*;

    #[device]
    pub fn Wait() {
        if thread_idx_x() < 16 {
            sync_threads();
        }
    }
}

#[device]
#[deny(gpu_all)]
mod the_inner_wins {
    use warpwise::prelude::*;

    #[allow(gpu_barriers_in_divergent_flow)]
    pub fn wait() {
        if thread_idx_x() < 16 {
            sync_threads();
        }
    }
}

use warpwise::prelude::*;

#[kernel]
fn outside() {
    above::inner::wait();
    within::Wait();
    the_inner_wins::wait();
}

/// And on an `impl`.
#[device]
struct One {
    _x: f32,
}

#[device]
#[allow(gpu_barriers_in_divergent_flow)]
impl One {
    fn wait(self) {
        if thread_idx_x() < 16 {
            sync_threads();
        }
    }
}

#[kernel]
fn of_an_impl() {
    One { _x: 1.0 }.wait();
}

fn main() {}
