//! Functions that return `impl Iterator` or `impl Fn`, whose result types determine argument types.
use crate::run::engine::{Check, Engine, cases, like_rust};
use std::ops::Add;
use warpwise::prelude::*;

cases![iterators, closures];

#[device]
fn multiples<T: Num>(of: T, count: usize) -> impl Iterator<Item = T> {
    (0..count).map(move |i| of.max(T::ONE) * T::from_usize(i))
}

#[device]
fn every<I: Iterator<Item = i32>>(of: I, step: i32) -> impl Iterator<Item = i32> {
    const NONE: i32 = 0;
    of.filter(move |v| v % step == NONE)
}

#[device]
fn numbers<T: Num>(count: usize) -> impl Iterator<Item = T> {
    (0..count).map(T::from_usize)
}

fn iterators(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut all = numbers(x.len());
        let first: f32 = all.next().unwrap_or(0.5);
        out[5] = (first * 2.0 + all.sum::<f32>()) as i32;
        for v in multiples(3, x.len()) {
            out[0] += v;
        }
        out[1] = multiples(2, 4).map(|v| v + 1i64).sum::<i64>() as i32;
        out[2] = (multiples(1.5, y.len()).fold(0.0, |a, b| a + b) * 2.0) as i32;
        out[3] = every([1, 2, 4].into_iter(), 2).sum();
        let mut both = multiples(1, 5).zip(multiples(0.5f32, 3));
        while let Some((a, b)) = both.next() {
            out[4] += a as i32 * b as i32;
        }
    });
    Ok(())
}

#[device]
fn adder<T: Copy + Add<Output = T>>(by: T) -> impl Fn(T) -> T {
    move |v| v + by
}

fn closures(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = adder(2)(x.len() as i32);
        let next = adder(1);
        out[1] = (next(y.len()) + next(7)) as i32;
        out[2] = y.iter().copied().map(adder(5)).sum();
    });
    Ok(())
}
