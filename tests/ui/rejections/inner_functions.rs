//! Functions that are declared inside of others, and are wrong.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn same_name(out: &mut [f32]) {
    {
        fn f(x: f32) -> f32 {
            x
        }
        out[0] = f(1.0);
    }
    {
        fn f(x: f32) -> f32 {
            x + 1.0
        }
        out[1] = f(1.0);
    }
}

#[kernel]
fn calls_itself(out: &mut [u32]) {
    fn factorial(n: u32) -> u32 {
        if n == 0 { 1 } else { n * factorial(n - 1) }
    }
    out[0] = factorial(3);
}

#[device]
fn device(x: u32) -> u32 {
    fn never_called(n: u32) -> u128 {
        n as u128
    }
    fn called(n: u32) -> u32 {
        let v = vec![n];
        v[0]
    }
    called(x)
}

#[kernel]
fn calls_others(out: &mut [u32]) {
    fn called(n: u32) -> u32 {
        of_the_host(n)
    }
    out[0] = called(3);
}

fn of_the_host(n: u32) -> u32 {
    n
}

#[kernel]
fn has_a_trait_of_stds_name(out: &mut [u32]) {
    trait Sum {
        fn sum(&self) -> u32;
    }
    impl Sum for u32 {
        fn sum(&self) -> u32 {
            *self
        }
    }
    out[0] = 3u32.sum();
}

fn main() {}
