//! `flatten` and `flat_map` over every iterable, and values whose type only their use determines.
use crate::run::engine::{Check, Engine, cases, like_rust};
use std::iter;
use warpwise::prelude::*;

cases![options, results, collections, written, from_the_back, sources, joined];

#[device]
fn half(v: i32) -> Result<i32, u8> {
    if v % 2 == 0 { Ok(v / 2) } else { Err(v as u8) }
}

fn options(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for v in x.iter().map(|&v| half(v).ok()).flatten() {
            out[0] += v;
        }
        let n = y.len() as i32;
        for v in [Some(1), None, Some(n)].into_iter().flatten() {
            out[1] += v;
        }
        for v in [Some(1), None, Some(n)].iter().flatten() {
            out[2] += v;
        }
        let mut some = [Some(1), None, Some(n)];
        for v in some.iter_mut().flatten() {
            *v += 10;
        }
        out[3] = some[0].unwrap_or(0) + some[2].unwrap_or(0);
        out[4] = x.iter().flat_map(|v| v.checked_ilog2()).sum::<u32>() as i32;
        let mut left = some.iter().flatten();
        out[5] = left.next().copied().unwrap_or(77);
        out[6] = left.next().copied().unwrap_or(77);
        out[7] = left.next().copied().unwrap_or(77);
    });
    Ok(())
}

fn results(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for v in x.iter().map(|&v| half(v)).flatten() {
            out[0] += v;
        }
        out[1] = x.iter().flat_map(|&v| half(v)).map(|v| v * v).sum();
        for v in [Ok(1), Err(3u8), Ok(y.len() as i32)].iter().flatten() {
            out[2] += v;
        }
        let mut left = x.iter().map(|&v| half(v)).flatten();
        out[3] = left.next().unwrap_or(77);
        out[4] = left.next().unwrap_or(78);
        out[5] = left.count() as i32;
        out[6] = y.iter().map(|&v| half(v)).flatten().max().unwrap_or(5);
    });
    Ok(())
}

fn collections(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for v in x.iter().map(|&v| [v, v + 1]).flatten() {
            out[0] += v;
        }
        for v in x.iter().map(|&v| 0..v).flatten() {
            out[1] += v;
        }
        for v in x.iter().flat_map(|&v| (0..=v).rev()) {
            out[2] = out[2] * 3 + v;
        }
        for v in Some(x).into_iter().chain(Some(y)).flatten() {
            out[3] = out[3] * 3 + v;
        }
        for (i, v) in x.iter().flat_map(|&v| iter::repeat_n(v, 3)).enumerate() {
            out[4] += v * i as i32;
        }
        for v in x.iter().flat_map(|&v| iter::once(v).chain(Some(7))) {
            out[5] = out[5] * 3 + v;
        }
        for v in x.chunks(3).flatten() {
            out[6] = out[6] * 3 + v;
        }
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Down {
    n: i32,
}

#[device]
impl Iterator for Down {
    type Item = i32;
    fn next(&mut self) -> Option<i32> {
        if self.n <= 0 {
            return None;
        }
        self.n -= 1;
        Some(self.n)
    }
}

#[device]
#[derive(Clone, Copy)]
struct Bag {
    a: i32,
    b: i32,
}

#[device]
impl IntoIterator for Bag {
    type Item = i32;
    type IntoIter = Down;
    fn into_iter(self) -> Down {
        Down { n: self.a + self.b }
    }
}

#[device]
impl IntoIterator for &Bag {
    type Item = i32;
    type IntoIter = Down;
    fn into_iter(self) -> Down {
        Down { n: self.a }
    }
}

fn written(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for v in x.iter().map(|&n| Down { n }).flatten() {
            out[0] += v;
        }
        for v in x.iter().map(|&a| Bag { a, b: 2 }).flatten() {
            out[1] += v;
        }
        for v in y.iter().flat_map(|&a| Bag { a, b: 2 }) {
            out[2] = out[2] * 3 + v;
        }
        for v in [Bag { a: 3, b: 2 }, Bag { a: x.len() as i32, b: 1 }].iter().flatten() {
            out[3] = out[3] * 3 + v;
        }
        let mut left = x.iter().flat_map(|&a| Bag { a, b: 2 });
        out[4] = left.next().unwrap_or(8);
        out[5] = left.next().unwrap_or(8);
        out[6] = left.map(|v| v + 1).sum();
    });
    Ok(())
}

fn from_the_back(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for v in x.iter().map(|&v| half(v)).flatten().rev() {
            out[0] = out[0] * 3 + v;
        }
        for v in x.iter().map(|&v| half(v)).rev().flatten() {
            out[1] = out[1] * 3 + v;
        }
        for v in [Some(1), None, Some(y.len() as i32)].iter().flatten().rev() {
            out[2] = out[2] * 3 + v;
        }
        for v in y.iter().flat_map(|&v| [v, v * 2]).rev() {
            out[3] = out[3] * 3 + v;
        }
    });
    Ok(())
}

fn sources(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for v in iter::repeat(2).take(y.len()) {
            out[0] += v;
        }
        for v in iter::successors(Some(1), |v| if *v < 100 { Some(v * 3) } else { None }) {
            out[1] += v;
        }
        let mut n = 0;
        let counted = iter::from_fn(|| {
            n += 1;
            if n < 5 { Some(n * 2) } else { None }
        });
        out[2] = counted.sum();
        for v in iter::repeat_n(2, 3) {
            out[3] += v;
        }
        for v in iter::once_with(|| 8) {
            out[4] += v;
        }
        let mut k = 1;
        let doubled = iter::repeat_with(|| {
            k *= 2;
            k
        });
        for v in doubled.take(3) {
            out[5] += v;
        }
        out[6] = iter::once(5).max().unwrap_or(3);
        let byte: u8 = iter::once(250).map(|v| v + 5).sum();
        out[7] = byte as i32 + x.len() as i32;
        for piece in [1, 2, 3, 4, 5].rchunks(2) {
            out[8] = out[8] * 10 + piece[0];
        }
        for piece in [1, 1, 2, 2, 3].chunk_by(|a, b| a == b) {
            out[9] = out[9] * 10 + piece.len() as i32;
        }
        out[10] = [1, 2, 0, 4].split(|v| *v == 0).map(|part| part.len() as i32).product();
    });
    Ok(())
}

fn joined(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for (a, b) in x.iter().zip(Some(3)) {
            out[0] = a * b;
        }
        for v in iter::once(3).chain(x.iter().copied()) {
            out[1] = out[1] * 3 + v;
        }
        for v in x.iter().copied().chain(iter::once(3)) {
            out[2] = out[2] * 3 + v;
        }
        let nothing = iter::empty();
        for v in nothing.chain(x) {
            out[3] += v;
        }
        for v in x.iter().chain(iter::empty()).chain(None) {
            out[4] += v;
        }
        for (v, w) in x.iter().zip(iter::repeat(7)) {
            out[5] += v * w;
        }
        for v in Some(4).into_iter().chain(None).chain(y.first().copied()) {
            out[6] = out[6] * 3 + v;
        }
        for (v, w) in iter::zip([1, 2], [3, 4]) {
            out[7] += v * w;
        }
    });
    Ok(())
}
