//! Rust that only the host can run.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn vec_macro(x: &mut [f32]) {
    let v = vec![0.0; 4];
    x[0] = v[0];
}

#[kernel]
fn vec_push(x: &mut [f32]) {
    let mut v = Vec::new();
    v.push(1.0f32);
    x[0] = v[0];
}

#[kernel]
fn box_new(x: &mut [f32]) {
    let b = Box::new(1.0);
    x[0] = *b;
}

#[kernel]
fn eprintln_mac(x: &mut [f32]) {
    eprintln!("{}", x[0]);
}

#[kernel]
fn format_mac(x: &mut [f32]) {
    let s = format!("{}", x[0]);
}

#[kernel]
fn spawn_thread(x: &mut [f32]) {
    std::thread::spawn(|| {});
}

#[kernel]
fn instant_now(x: &mut [u64]) {
    let t = std::time::Instant::now();
    x[0] = 1;
}

mod host_fn {
    use warpwise::prelude::*;

    fn half(v: f32) -> f32 {
        v / 2.0
    }
    #[kernel]
    fn k(x: &mut [f32]) {
        x[0] = half(x[0]);
    }
}

mod host_const {
    use warpwise::prelude::*;

    const N: usize = 2 + OTHER.len();
    const OTHER: [u8; 3] = [1; 3];
    #[kernel]
    fn k(x: &mut [f32]) {
        x[N] = 1.0;
    }
}

mod host_method {
    use warpwise::prelude::*;

    #[derive(Clone, Copy)]
    struct V(f32);
    impl V {
        fn twice(self) -> f32 {
            self.0 * 2.0
        }
    }
    #[kernel]
    fn k(x: &mut [f32]) {
        let v = V(1.0);
        x[0] = v.twice();
    }
}

mod recursion {
    use warpwise::prelude::*;

    #[device]
    fn f(n: u32) -> u32 {
        if n == 0 { 0 } else { f(n - 1) }
    }
    #[kernel]
    fn k(x: &mut [u32]) {
        x[0] = f(x[0]);
    }
}

#[kernel]
fn unsafe_block(x: &mut [f32]) {
    unsafe {
        *x.get_unchecked_mut(0) = 1.0;
    }
}

#[kernel]
fn collect_vec(x: &mut [f32]) {
    let v: Vec<f32> = x.iter().map(|v| v * 2.0).collect();
    x[0] = v[0];
}

#[kernel]
fn dyn_trait(x: &mut [f32], f: &dyn Fn(f32) -> f32) {
    x[0] = f(x[0])
}

#[kernel]
fn par_iter(x: &mut [f32]) {
    x.par_iter_mut().for_each(|v| *v += 1.0);
}

#[kernel]
fn string_match(x: &mut [u32]) {
    match "a" {
        "a" => x[0] = 1,
        _ => {}
    }
}

mod async_kernel {
    use warpwise::prelude::*;

    #[kernel]
    async fn k(x: &mut [f32]) {
        x[0] = 1.0;
    }
}

mod impl_trait_param {
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &mut [f32], f: impl Fn(f32) -> f32) {
        x[0] = f(1.0)
    }
}

mod where_closure {
    use warpwise::prelude::*;

    #[kernel]
    fn k<F: Fn(f32) -> f32>(x: &mut [f32], f: F) {
        x[0] = f(1.0);
    }
}

mod self_kernel {
    use warpwise::prelude::*;

    struct S;
    impl S {
        #[kernel]
        fn k(&self, x: &mut [f32]) {
            x[0] = 1.0;
        }
    }
}

#[kernel]
fn unknown_method(x: &mut [f32]) {
    x[0] = x[0].rsqrt();
}

#[kernel]
fn break_label_value(x: &mut [f32]) {
    let v = loop {
        break;
    };
    x[0] = v;
}

#[kernel]
fn vec_type_and_value(x: &mut [f32], n: usize) {
    let stack: Vec<f32> = Vec::with_capacity(n);
    x[0] = stack.len() as f32;
}

#[kernel]
fn string_from(x: &mut [f32]) {
    let mut name = String::from("total");
    name.push_str("s");
}

mod ref_cell {
    use std::cell::RefCell;
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &mut [f32]) {
        let total = RefCell::new(0.0f32);
        *total.borrow_mut() += x[0];
    }
}

mod hash_set {
    use std::collections::HashSet;
    use warpwise::prelude::*;

    #[device]
    fn has(set: &HashSet<u32>, v: u32) -> bool {
        set.contains(&v)
    }
}

fn main() {}
