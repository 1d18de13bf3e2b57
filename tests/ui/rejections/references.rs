//! References that cannot be chosen between at run time.
#![allow(unused)]
use std::cmp::Ordering;
use warpwise::prelude::*;

#[kernel]
fn variables(x: &mut [f32]) {
    let (mut a, mut b) = (1.0f32, 2.0f32);
    let mut chosen = &mut a;
    for v in &*x {
        *chosen += v;
        chosen = &mut b;
    }
    x[0] = a + b;
}

#[kernel]
fn used_in_the_next_iteration(x: &mut [i32]) {
    let mut a = 1;
    let mut last: Option<&mut i32> = None;
    for _ in 0..x.len() {
        if let Some(last) = last.take() {
            *last += 1;
        }
        last = Some(&mut a);
    }
    x[0] = a;
}

#[kernel]
fn spaces(x: &mut [f32]) {
    let tile = shared!([f32; 4]);
    let chosen = if x.len() > 1 { &mut x[..] } else { &mut tile[..] };
    chosen[0] = 3.0;
}

#[kernel]
fn set_later(x: &[[f32; 2]], out: &mut [f32]) {
    let mut row = &x[0][..];
    let own = [1.0, 2.0];
    for i in 0..out.len() {
        out[i] = row[0];
        row = &own;
    }
}

fn main() {}
