//! Types that a kernel is compiled for.
use warpwise::prelude::*;

#[device]
trait Shade {
    fn shade(self) -> f32;
}

#[device]
impl Shade for f32 {
    fn shade(self) -> f32 {
        self
    }
}

#[device]
impl Shade for u32 {
    fn shade(self) -> f32 {
        self as f32
    }
}

#[device]
impl Shade for i64 {
    fn shade(self) -> f32 {
        self as f32
    }
}

#[kernel]
fn no_instance<S: Shade + Default>(out: &mut [f32]) {
    out[0] = S::shade(S::default());
}

#[kernel(instances(f32, (u32, f32)))]
fn one_type<S: Shade + Default>(out: &mut [f32]) {
    out[0] = S::shade(S::default());
}

#[kernel(instances(f32))]
fn two_types<S: Shade + Default, T: Shade + Default>(out: &mut [f32]) {
    out[0] = S::shade(S::default()) + T::shade(T::default());
}

#[kernel(instances(f32))]
fn no_types(out: &mut [f32]) {
    out[0] = 1.0;
}

#[kernel(instances = f32)]
fn form(out: &mut [f32]) {
    out[0] = 1.0;
}

#[kernel(instances())]
fn nothing(out: &mut [f32]) {
    out[0] = 1.0;
}

#[kernel(instances(f32, u32, f32))]
fn twice<S: Shade + Default>(out: &mut [f32]) {
    out[0] = S::shade(S::default());
}

#[kernel(instances(f32, u32))]
fn wrong_once<S: Shade + Copy>(x: &[S], out: &mut [f32]) {
    out[0] = Shade::shade(x[0]).gamma();
}

fn main() {}
