//! Items of another crate that are not `#[device]`.
#![allow(unused)]
use geometry::{host, host::Plain, host::plain as renamed};
use warpwise::prelude::*;

mod everything {
    use geometry::host::*;
    use warpwise::prelude::*;

    #[kernel]
    fn by_star(x: &mut [f32]) {
        x[0] = plain(x[0]) + PLAIN;
    }
}

#[kernel]
fn by_path(x: &mut [f32]) {
    x[0] = geometry::host::plain(x[0]);
    x[1] = host::plain(x[0]);
}

#[kernel]
fn by_use(x: &mut [f32]) {
    x[0] = renamed(x[0]) + geometry::scale(x[0], 2.0);
}

#[device]
fn function(x: f32) -> f32 {
    geometry::host::plain(x) + host::PLAIN
}

#[kernel]
fn calls_function(x: &mut [f32]) {
    x[0] = function(x[0]);
}

#[kernel]
fn of_type(x: &[Plain]) {}

#[kernel]
fn of_nothing(x: &mut [f32]) {
    x[0] = geometry::nothing(x[0]);
}

fn main() {
    fn inside() {
        use geometry::host::plain;

        #[kernel]
        fn in_function(x: &mut [f32]) {
            x[0] = geometry::host::plain(x[0]);
        }
    }
}
