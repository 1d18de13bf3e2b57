//! Habits of Rust on the host.
#![allow(unused)]
use warpwise::prelude::*;

mod own_trait_bound {
    use warpwise::prelude::*;

    trait Shade {
        fn shade(self) -> f32;
    }
    #[kernel]
    fn k<T: Shade + Plain>(x: &[T], y: &mut [f32]) {
        y[0] = x[0].shade();
    }
}

mod generic_times_float {
    use warpwise::prelude::*;

    #[kernel]
    fn k<T: Num>(x: &mut [T], scale: f32) {
        x[0] = x[0] * scale;
    }
}

#[kernel]
fn closures_chosen(x: &mut [f32], c: bool) {
    let f = if c { |v: f32| v + x[1] } else { |v: f32| v * x[1] };
    x[0] = f(1.0);
}

mod closure_returned {
    use warpwise::prelude::*;

    #[device]
    fn adder(by: f32) -> Box<dyn Fn(f32) -> f32> {
        todo!()
    }
    #[kernel]
    fn k(x: &mut [f32]) {
        x[0] = adder(1.0)(x[1]);
    }
}

#[kernel]
fn stable_sort(x: &mut [f32]) {
    let mut v = x.to_vec();
    v.sort_by(|a, b| a.partial_cmp(b).unwrap());
    x[0] = v[0];
}

#[kernel]
fn slice_of_slices(rows: &[&[f32]], y: &mut [f32]) {
    y[0] = rows[0][0];
}

#[kernel]
fn slice_of_vecs(rows: &[Vec<f32>], y: &mut [f32]) {
    y[0] = rows[0][0];
}

mod struct_with_slice {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Image<'a> {
        texels: &'a [f32],
        width: usize,
    }
    #[kernel]
    fn k(image: Image, y: &mut [f32]) {
        y[0] = image.texels[image.width];
    }
}

mod hash_map {
    use std::collections::HashMap;
    use warpwise::prelude::*;

    #[kernel]
    fn k(x: &mut [u32]) {
        let mut counts = HashMap::new();
        *counts.entry(x[0]).or_insert(0) += 1;
        x[1] = counts.len() as u32;
    }
}

mod mutual_recursion {
    use warpwise::prelude::*;

    #[device]
    fn even(n: u32) -> bool {
        n == 0 || odd(n - 1)
    }
    #[device]
    fn odd(n: u32) -> bool {
        n != 0 && even(n - 1)
    }
    #[kernel]
    fn k(x: &mut [u32]) {
        x[0] = even(x[1]) as u32;
    }
}

mod boxed_field {
    use warpwise::prelude::*;

    #[device]
    struct Node {
        value: f32,
        next: Option<Box<Node>>,
    }
    #[kernel]
    fn k(x: &mut [f32]) {
        let node = Node { value: 1.0, next: None };
        x[0] = node.value;
    }
}

#[kernel]
fn string_param(name: String, x: &mut [f32]) {
    x[0] = 1.0;
}

#[kernel]
fn question_mark(x: &mut [f32]) {
    let v = x.get(global_idx_x())?;
}

#[kernel]
fn assigned_slice_param(x: &[f32], y: &mut [f32]) {
    y = x;
}

#[kernel]
fn float_range(x: &mut [f32]) {
    for t in 0.0..1.0 {
        x[0] += t;
    }
}

#[kernel]
fn println_hex_float(x: &mut [f32]) {
    println!("{:x}", x[0]);
}

mod private_field {
    use warpwise::prelude::*;

    mod inner {
        use warpwise::prelude::*;

        #[device]
        #[derive(Clone, Copy)]
        pub struct Ray {
            length: f32,
        }
    }
    use inner::Ray;
    #[kernel]
    fn k(ray: Ray, x: &mut [f32]) {
        x[0] = ray.length;
    }
}

#[kernel]
fn buffer_parameter(x: &Buffer<f32>, y: &mut [f32]) {
    let i = global_idx_x();
    y[i] = x[i];
}

mod buffer_2d_parameter {
    use warpwise::{Buffer2, Rows, prelude::*};

    #[kernel]
    fn k(x: Rows<f32>, y: &mut Buffer2<f32>) {
        y[(0, 0)] = x[(0, 1)];
    }
}

mod method_of_host_trait {
    use warpwise::prelude::*;

    trait Square {
        fn square(self) -> Self;
    }
    impl Square for f32 {
        fn square(self) -> f32 {
            self * self
        }
    }
    #[kernel]
    fn k(x: &mut [f32]) {
        x[0] = x[1].square();
    }
}

mod constructor_of_host_impl {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Angle {
        degrees: f32,
    }
    impl Angle {
        fn from_turns(turns: f32) -> Self {
            Self { degrees: 360.0 * turns }
        }
    }
    #[kernel]
    fn k(x: &mut [f32]) {
        x[0] = Angle::from_turns(x[1]).degrees;
    }
}

fn main() {}
