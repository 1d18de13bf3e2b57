//! Functions and macros of the user's that kernel code would take for those of Warpwise and std.
#![allow(unused)]
use warpwise::prelude::*;

macro_rules! assert {
    ($($tokens:tt)*) => {};
}

#[kernel]
fn own_macro_of_std(y: &mut [f32]) {
    assert!(y[0] > 0.0);
    y[0] = 1.0;
}

mod own_function {
    use warpwise::prelude::*;

    fn thread_idx_y() -> usize {
        7
    }

    #[kernel]
    fn index(y: &mut [usize]) {
        y[0] = thread_idx_y();
    }
}

mod imported_function {
    use own::sync_threads;
    use warpwise::prelude::*;

    mod own {
        pub fn sync_threads() {}
    }

    #[kernel(block = 32)]
    fn wait(y: &mut [f32]) {
        y[thread_idx_x()] = 1.0;
        sync_threads();
    }
}

fn main() {}
