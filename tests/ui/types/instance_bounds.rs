//! Types of instances that there are not, and that do not have the bounds.
use warpwise::prelude::*;

#[device]
trait Norm {
    fn norm(self) -> f32;
}

#[device]
impl Norm for f32 {
    fn norm(self) -> f32 {
        self.abs()
    }
}

#[kernel(instances(f32, Complex))]
fn unknown<V: Norm + Copy>(x: &[V], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        y[i] = x[i].norm();
    }
}

#[kernel(instances(f32, i32))]
fn without_the_bound<V: Norm + Copy>(x: &[V], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        y[i] = x[i].norm();
    }
}

fn main() {}
