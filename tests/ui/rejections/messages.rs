//! What kernel code cannot say, and mistakes in format strings, which rustc reports.
#![allow(unused)]
use warpwise::prelude::*;

#[device]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Point {
    x: f32,
}

#[device]
const LIMIT: u32 = 7;

#[kernel]
fn values(x: &[f32], p: Point) {
    println!("{LIMIT}");
    println!("{:1$}", "text", x.len());
    println!("{:?} {p}", (p, 1));
    panic!(concat!("a", "b"));
}

#[kernel]
fn formats(x: &[f32]) {
    println!("{nothing}");
    println!("{} {}", x[0]);
    println!("{}", x[0], x[1]);
    println!("{:x}", x[0]);
    println!("{");
    assert!(x[0]);
}

#[kernel]
fn streams(x: &[f32]) {
    eprintln!("{}", x[0]);
    dbg!(x[0]);
}

fn main() {}
