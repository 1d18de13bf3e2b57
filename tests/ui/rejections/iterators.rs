//! Iterators that kernel code cannot run.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn taken_together(x: &mut [f32], y: &[u32]) {
    for v in y.iter().collect::<Vec<_>>() {
        x[2] += *v as f32;
    }
    // What is the matter with the second is said, and not that nothing is known of the first.
    for (x, v) in x.iter_mut().zip(y.iter().collect::<Vec<_>>()) {
        *x += *v as f32;
    }
    let (a, b) = [1.0f32, x[0]];
    let sum = a + b;
}

#[kernel]
fn collected(x: &mut [f32], y: &[u32]) {
    let large: Vec<u32> = y.iter().copied().collect();
}

#[kernel]
fn from_the_back(x: &mut [f32], y: &[u32]) {
    let mut steps = y.iter().map(|v| v / 2).peekable();
    steps.next_back();
}

#[device]
fn both<T: Num>(value: T) -> impl Iterator<Item = T> {
    return [value, value].into_iter();
}

#[kernel]
fn sources(x: &mut [f32]) {
    for value in both(3) {
        x[0] += value as f32;
    }
}

#[kernel]
fn pieces(x: &mut [u32]) {
    let mut few = [1, 2, 3, x[0]];
    x[0] = few.to_vec()[1];
    x[1] = few.rsplit_mut(|v| *v == 2).count() as u32;
    x.select_nth_unstable(1);
}

#[kernel]
fn over_a_number(x: &mut [f32], n: u32) {
    for v in n {
        x[0] = v as f32;
    }
}

#[device]
#[derive(Clone, Copy)]
struct Pair {
    both: [u32; 2],
}

#[device]
impl IntoIterator for Pair {
    type Item = u32;
    type IntoIter = core::iter::Map<core::array::IntoIter<u32, 2>, fn(u32) -> u32>;
    fn into_iter(self) -> Self::IntoIter {
        self.both.into_iter().map(|v| v + 1)
    }
}

#[kernel]
fn of_a_type_of_std(x: &mut [u32], pair: Pair) {
    for v in pair {
        x[0] = v;
    }
}

#[kernel]
fn one_of_two(x: &mut [u32], n: u32) {
    let (mut a, mut b) = (0..5u32, 0..9u32);
    let mut either = a.by_ref();
    if n == 2 {
        either = b.by_ref();
    }
    x[0] = either.sum();
}

fn main() {}
