//! Destructors, which kernel code does not run.
use warpwise::prelude::*;

#[device]
struct Guard<'a> {
    out: &'a mut [f32],
}

#[device]
impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.out[0] = 9.0;
    }
}

#[kernel]
fn guarded(out: &mut [f32]) {
    let guard = Guard { out };
    guard.out[1] = 1.0;
}

#[device]
struct OfTheHost {
    value: f32,
}

impl Drop for OfTheHost {
    fn drop(&mut self) {
        println!("dropped");
    }
}

#[kernel]
fn drops_what_the_host_drops(out: &mut [f32]) {
    let of_the_host = OfTheHost { value: 1.0 };
    out[0] = of_the_host.value;
}

#[kernel]
fn declares_one(out: &mut [f32]) {
    struct Inner(f32);
    impl Drop for Inner {
        fn drop(&mut self) {
            self.0 = 0.0;
        }
    }
    out[0] = Inner(1.0).0;
}

fn main() {}
