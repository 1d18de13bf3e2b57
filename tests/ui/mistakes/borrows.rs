//! Mistakes that the borrow checker finds.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn write_shared_ref(x: &[f32]) {
    x[0] = 1.0;
}

#[kernel]
fn two_mut_borrows(x: &mut [f32]) {
    let a = &mut x[0];
    let b = &mut x[1];
    *a += *b;
}

#[kernel]
fn let_not_mut(x: &mut [f32]) {
    let s = 0.0;
    for v in x.iter() {
        s += v;
    }
    x[0] = s;
}

mod moved_value {
    use warpwise::prelude::*;

    #[device]
    struct P {
        a: f32,
    }
    #[kernel]
    fn k(x: &mut [f32]) {
        let p = P { a: 1.0 };
        let q = p;
        x[0] = p.a + q.a;
    }
}

mod return_ref_local {
    use warpwise::prelude::*;

    #[device]
    fn f() -> &f32 {
        &1.0
    }
    #[kernel]
    fn k(x: &mut [f32]) {
        x[0] = *f();
    }
}

mod launch_same_buffer {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &[f32], y: &mut [f32]) {
        y[0] = x[0];
    }
    fn go(d: &Device, mut y: Buffer<f32>) {
        k::launch(d, LaunchConfig::cover(1), &y, &mut y).unwrap();
    }
}

fn main() {}
