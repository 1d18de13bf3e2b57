//! Lifetimes that are missing.
#![allow(unused)]
use warpwise::prelude::*;

mod untold_result {
    use warpwise::prelude::*;

    #[device]
    fn longer(a: &[f32], b: &[f32]) -> &[f32] {
        if a.len() > b.len() { a } else { b }
    }
}

#[kernel]
fn undeclared_lifetime(x: &'a mut [f32]) {
    x[0] = 1.0;
}

mod field_without_lifetime {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct View {
        data: &[f32],
    }
}

fn main() {}
