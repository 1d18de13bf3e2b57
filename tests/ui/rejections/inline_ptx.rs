//! Mistakes in `ptx!`.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn without_unsafe(y: &mut [u32]) {
    y[0] = ptx!("mov.u32 {d}, 1;", d = out(u32));
}

#[kernel]
fn unknown_operand(y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.u32 {d}, {b};", d = out(u32), a = in(u32) 1) };
}

#[kernel]
fn unused_operand(y: &mut [u32]) {
    y[0] = unsafe {
        ptx!(
            "mov.u32 {d}, 1;",
            d = out(u32),
            a = in(u32) 1
        )
    };
}

#[kernel]
fn narrow(y: &mut [u8]) {
    y[0] = unsafe { ptx!("mov.u32 {d}, 1;", d = out(u8)) };
}

#[kernel]
fn composite(y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.u32 {d}, {a};", d = out(u32), a = in([u32; 2]) [1, 2]) };
}

#[kernel]
fn type_parameter<T: Num>(y: &mut [T]) {
    y[0] = unsafe { ptx!("mov.u32 {d}, 1;", d = out(T)) };
}

#[kernel]
fn wrong_type(x: &[f32], y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.u32 {d}, {a};", d = out(u32), a = in(u32) x[0]) };
}

#[kernel]
fn wrong_output(y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.u32 {d}, 1;", d = out(f32)) };
}

#[kernel]
fn wrong_fallback(y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.u32 {d}, 1;", d = out(u32), else { 1.0 }) };
}

const TEXT: &str = "mov.u32 {d}, 1;";

#[kernel]
fn no_literal(y: &mut [u32]) {
    y[0] = unsafe { ptx!(TEXT, d = out(u32)) };
}

#[kernel]
fn empty(y: &mut [u32]) {
    unsafe { ptx!() };
}

#[kernel]
fn escapes(y: &mut [u32]) {
    unsafe { ptx!("}} trap; {{") };
}

#[kernel]
fn open(y: &mut [u32]) {
    unsafe {
        ptx!(
            "mov.u32 %laneid, 1;",
            "{{ trap;"
        )
    };
}

#[kernel]
fn braces_written_once(y: &mut [u32]) {
    unsafe { ptx!("{ .reg .b32 t; mov.b32 t, 1; }") };
}

#[kernel]
fn positional(y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.u32 {0}, 1;", d = out(u32)) };
}

#[kernel]
fn comment(y: &mut [u32]) {
    unsafe { ptx!("trap; // }") };
}

#[kernel]
fn undeclared_register(y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.u32 %r1, 1; mov.u32 {d}, %r1;", d = out(u32)) };
}

#[kernel]
fn unfinished(y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.u32 {d}, 1", d = out(u32)) };
}

#[kernel]
fn no_operand(y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.u32 {d}, 1;", d = out(u32), y[0]) };
}

#[kernel]
fn rust_classes(y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.u32 {d}, 1;", d = lateout(u32)) };
}

#[kernel]
fn same_names(y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.u32 {d}, 1;", d = out(u32), d = in(u32) 1) };
}

#[kernel]
fn unknown_option(y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.u32 {d}, 1;", d = out(u32), options(pur)) };
}

#[kernel]
fn pure_without_output(y: &mut [u32]) {
    unsafe { ptx!("nanosleep.u32 1;", options(pure)) };
}

#[kernel]
fn after_else(y: &mut [u32]) {
    y[0] = unsafe { ptx!("mov.u32 {d}, 1;", else { 1 }, d = out(u32)) };
}

#[device]
fn in_a_device_function() -> u32 {
    unsafe { ptx!("mov.u32 {x}, 1;", d = out(u32)) }
}

#[kernel]
fn unsafe_without_ptx(y: &mut [u32]) {
    y[0] = unsafe { y[1] };
}

fn main() {}
