//! What std has that kernel code has not: memory to allocate, threads, time, files, cells, pointers.
#![allow(unused)]
use std::{cell::Cell, collections::HashMap, fmt::Write, rc::Rc, sync::Arc};
use warpwise::prelude::*;

#[kernel]
fn heap(x: &mut [f32]) {
    let boxed = Box::new(1.0f32);
    let list = Vec::<f32>::new();
    let text = String::new();
    let counted = Rc::new(1);
    let shared = Arc::new(1);
    let map = HashMap::<u32, u32>::new();
    let full = std::collections::VecDeque::<u32>::new();
    let copy = x.to_vec();
    let collected = x.iter().map(|v| v * 2.0).collect::<Vec<f32>>();
    let owned = x[0].to_string();
}

#[kernel]
fn world(x: &mut [f32]) {
    std::thread::sleep(std::time::Duration::from_secs(1));
    let now = std::time::Instant::now();
    let bytes = std::fs::read("data");
    std::process::exit(1);
    let cell = std::cell::Cell::new(1);
    let mutex = std::sync::Mutex::new(1);
    let null = std::ptr::null::<f32>();
    let none = std::num::Saturating(3u32);
    let hidden = std::hint::black_box(1.0f32);
}

#[kernel]
fn texts(x: &mut [f32]) {
    let text = format!("{}", x[0]);
    let file = include_str!("std.rs");
    let line = line!();
    let bytes = c"bytes";
    for letter in "letters".chars() {}
    write!(text, "{}", x[0]);
}

#[kernel]
fn objects(x: &mut [f32], shape: &dyn Fn(f32) -> f32) {
    let object: &dyn Fn(f32) -> f32 = &|v| v;
}

#[device]
fn boxed() -> Box<u32> {
    Box::new(2)
}

#[device]
fn made(n: u32) -> impl Fn(u32) -> u32 {
    move |x| x + n
}

#[device]
struct List {
    values: Vec<u32>,
}

fn main() {}
