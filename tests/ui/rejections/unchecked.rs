//! What Rust cannot check, and kernel code does not have.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn pointers(x: &mut [f32], y: *mut f32) {
    let first = x.as_mut_ptr();
    let second = &raw mut x[0];
    let third = x.as_ptr() as usize;
}

#[kernel]
fn blocks(x: &mut [f32]) {
    x[0] = unsafe { *x.get_unchecked(0) };
    let bits: u32 = unsafe { std::mem::transmute(1.0f32) };
    unsafe { core::arch::asm!("nop") };
}

#[device]
unsafe fn unsafe_one() {}

#[device]
extern "C" fn foreign() {}

#[device]
fn reads(p: *const f32) -> f32 {
    unsafe { *p }
}

#[device]
static TABLE: u32 = 1;

#[device]
union Bits {
    number: u32,
    float: f32,
}

#[kernel]
fn counts(x: &mut [f32]) {
    static mut COUNT: u32 = 0;
}

fn main() {}
