//! Types of std iterators by path, in fields, results and as `IntoIter`, and imported std modules.
use crate::run::engine::{Check, Engine, cases, like_rust};
use std::{
    array, cmp,
    iter::{self, once, repeat},
    mem, ops, slice,
};
use warpwise::prelude::*;

cases![into_iterators, fields, results, references, modules];

#[device]
#[derive(Clone, Copy)]
struct Pair {
    a: i32,
    b: i32,
}

#[device]
impl IntoIterator for Pair {
    type Item = i32;
    type IntoIter = std::array::IntoIter<i32, 2>;
    fn into_iter(self) -> Self::IntoIter {
        [self.a, self.b].into_iter()
    }
}

#[device]
#[derive(Clone, Copy)]
struct Down([i32; 3]);

#[device]
impl IntoIterator for Down {
    type Item = i32;
    type IntoIter = iter::Rev<array::IntoIter<i32, 3>>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().rev()
    }
}

#[device]
struct Rows<'a> {
    of: &'a [i32],
    width: usize,
}

#[device]
impl<'a> Rows<'a> {
    fn iter(&self) -> std::slice::ChunksExact<'a, i32> {
        self.of.chunks_exact(self.width)
    }
}

#[device]
impl<'a> IntoIterator for &Rows<'a> {
    type Item = &'a [i32];
    type IntoIter = std::slice::ChunksExact<'a, i32>;
    fn into_iter(self) -> Self::IntoIter {
        self.of.chunks_exact(self.width)
    }
}

fn into_iterators(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for v in (Pair { a: 3, b: x.len() as i32 }) {
            out[0] = out[0] * 3 + v;
        }
        for row in &(Rows { of: x, width: 2 }) {
            out[1] += row[0] * row[1];
        }
        for row in (Rows { of: y, width: 3 }).iter() {
            out[2] += row[0] * row[2];
        }
        for v in Down([1, 2, x.len() as i32]) {
            out[3] = out[3] * 4 + v;
        }
        for v in x.iter().flat_map(|&a| Pair { a, b: 2 }) {
            out[4] = out[4] * 3 + v;
        }
    });
    Ok(())
}

#[device]
struct Cursor<'a> {
    left: iter::Enumerate<iter::Copied<slice::Iter<'a, i32>>>,
    seen: i32,
}

#[device]
impl<'a> Cursor<'a> {
    fn new(x: &'a [i32]) -> Self {
        Cursor { left: x.iter().copied().enumerate(), seen: 0 }
    }
    fn step(&mut self) -> Option<i32> {
        let (i, v) = self.left.next()?;
        self.seen += 1;
        Some(v * i as i32)
    }
}

/// The sums of runs of numbers of one sign.
#[device]
struct Runs<'a> {
    left: iter::Peekable<slice::Iter<'a, i32>>,
}

#[device]
impl Iterator for Runs<'_> {
    type Item = i32;
    fn next(&mut self) -> Option<i32> {
        let first = *self.left.next()?;
        let mut sum = first;
        while let Some(v) = self.left.next_if(|v| (**v < 0) == (first < 0)) {
            sum += v;
        }
        Some(sum)
    }
}

fn fields(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for sum in (Runs { left: x.iter().peekable() }) {
            out[3] = out[3] * 5 + sum;
        }
        let mut cursor = Cursor::new(x);
        while let Some(v) = cursor.step() {
            out[0] = out[0] * 3 + v;
        }
        out[1] = cursor.seen;
        let mut both =
            [Cursor::new(y).left.skip(1), Cursor::new(x).left.skip(2)].map(|it| it.count());
        both.reverse();
        out[2] = (both[0] * 10 + both[1]) as i32;
    });
    Ok(())
}

#[device]
fn back(n: usize) -> iter::Rev<ops::Range<usize>> {
    (0..n).rev()
}

#[device]
fn pairs<'a>(
    x: &'a [i32],
    y: &'a [i32],
) -> iter::Zip<slice::Iter<'a, i32>, iter::Take<slice::Iter<'a, i32>>> {
    x.iter().zip(y.iter().take(4))
}

#[device]
fn every_other<'a>(x: &'a [i32]) -> iter::StepBy<iter::Skip<slice::Iter<'a, i32>>> {
    x.iter().skip(1).step_by(2)
}

fn results(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for i in back(x.len()) {
            out[0] = out[0] * 3 + x[i];
        }
        for (a, b) in pairs(x, y) {
            out[1] += a * b;
        }
        for v in every_other(x).chain(every_other(y)) {
            out[2] = out[2] * 3 + v;
        }
    });
    Ok(())
}

fn references(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut numbers = [1, 2, x.len() as i32];
        let [a, b, c] = numbers.each_mut();
        *a += 1;
        *b += *a;
        *c += *b;
        out[0] = numbers[0] * 100 + numbers[1] * 10 + numbers[2];
        let [a, .., c] = numbers.each_ref();
        out[1] = a + c;
        out[2] = [(1, x), (2, y)].each_ref().map(|pair| pair.1.len() as i32 * pair.0)[1];
        out[3] = numbers.each_ref().iter().map(|v| **v).sum();
    });
    Ok(())
}

fn modules(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for v in once(&7).chain(x) {
            out[0] = out[0] * 3 + v;
        }
        out[1] = repeat(3).zip(y).map(|(a, b)| a * b).sum();
        out[2] = iter::repeat_n(4, 3).sum();
        let (mut a, mut b) = (1, x.len() as i32);
        mem::swap(&mut a, &mut b);
        out[3] = a * 10 + b + mem::replace(&mut a, 5) + a;
        let made: [i32; 4] = array::from_fn(|i| x.get(i).copied().unwrap_or(i as i32 * 10));
        out[4] = made[0] * made[3];
        out[5] = (a.cmp(&b) == cmp::Ordering::Greater) as i32 + cmp::max(a, b);
    });
    Ok(())
}
