//! Items that a macro makes without `#[device]`, and a macro of the host.
#![allow(unused)]
use warpwise::prelude::*;

macro_rules! define_constant {
    ($name:ident) => {
        const $name: usize = 3;
    };
}

macro_rules! define_function {
    ($name:ident) => {
        fn $name(x: f32) -> f32 {
            x
        }
    };
}

define_constant!(COUNT);
define_function!(identity);

#[kernel]
fn constant_of_macro(y: &mut [f32]) {
    y[COUNT] = 1.0;
}

#[kernel]
fn function_of_macro(y: &mut [f32]) {
    y[0] = identity(y[0]);
}

#[kernel]
fn assembly_of_host(y: &mut [f32]) {
    asm!("nop");
    y[0] = 1.0;
}

fn main() {}
