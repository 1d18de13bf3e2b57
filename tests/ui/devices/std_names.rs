//! Names that std has macros for, or that lead elsewhere than std's do.
use warpwise::prelude::*;

#[device]
fn vec(x: f32) -> f32 {
    x
}

#[kernel]
fn fill(x: &mut [f32]) {
    x[0] = vec(1.0);
}

mod misleading {
    use std::sync::atomic::Ordering;
    use warpwise::prelude::*;

    #[allow(non_upper_case_globals)]
    const Relaxed: Ordering = Ordering::SeqCst;

    #[kernel(allow(gpu_contended_atomics))]
    fn count(x: &[AtomicU32]) {
        x[0].fetch_add(1, Relaxed);
    }
}

fn main() {
    let _ = vec![1.0, 2.0]; // still std's
}
