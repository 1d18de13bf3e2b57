//! Types and lengths determined by patterns: of arrays in slices, and of conversion targets.
use crate::run::engine::{Check, Engine, cases, like_rust};
use std::ops::{self, Range, RangeFrom};
use warpwise::prelude::*;

cases![lengths, chunks, conversions, told_later, ranges, told_by_operators];

fn lengths(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for [a, b] in x.array_windows() {
            out[0] += a * b;
        }
        let mut sum = 0;
        for &[a, b, c] in y.array_windows() {
            sum += a * b - c;
        }
        out[1] = sum;
        let sum: i32 = x.array_windows().map(|[a, b]| a - b).sum();
        out[2] = sum;
        out[3] = x.array_windows().filter(|[a, b]| a < b).count() as i32;
        if let Some([a, b]) = x.array_windows().next() {
            out[4] = a + b;
        }
        for (i, [a, _, c]) in x.array_windows().enumerate() {
            out[5 + i] = a - c;
        }
    });
    Ok(())
}

fn chunks(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (pairs, rest) = x.as_chunks();
        for [a, b] in pairs {
            out[0] += a * b;
        }
        out[1] = rest.len() as i32;
        for (i, &[a, b, c]) in y.as_chunks().0.iter().enumerate() {
            out[2] += a * b * c + i as i32;
        }
        if let Some(&[a, b, c]) = x.last_chunk() {
            out[3] = a * b * c;
        }
        if let Some(([a, b], rest)) = y.split_first_chunk() {
            out[4] = a * b + rest.len() as i32;
        }
        match x.first_chunk() {
            Some([a]) => out[5] = *a,
            None => out[5] = 77,
        }
        let Some([a, b]) = x.first_chunk() else { return };
        out[6] = a + b;
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Pair {
    a: i32,
    b: i32,
}

#[device]
#[derive(Clone, Copy)]
struct Wrapped(i32);

#[device]
#[derive(Clone, Copy)]
enum Size {
    Large(i32),
    Small { by: i32 },
}

#[device]
impl From<i32> for Pair {
    fn from(a: i32) -> Self {
        Pair { a, b: a + 1 }
    }
}

#[device]
impl From<Pair> for Wrapped {
    fn from(pair: Pair) -> Self {
        Wrapped(pair.a)
    }
}

#[device]
impl From<Pair> for (i32, i32) {
    fn from(pair: Pair) -> Self {
        (pair.a, pair.b)
    }
}

#[device]
impl From<i32> for Size {
    fn from(x: i32) -> Self {
        if x > 2 { Size::Large(x) } else { Size::Small { by: x * 2 } }
    }
}

#[device]
impl TryFrom<i32> for Wrapped {
    type Error = i32;
    fn try_from(x: i32) -> Result<Self, i32> {
        if x > 3 { Ok(Wrapped(x)) } else { Err(x) }
    }
}

#[device]
impl Default for Wrapped {
    fn default() -> Self {
        Wrapped(12)
    }
}

fn conversions(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let n = x.len() as i32 - y.len() as i32;
        let Pair { a, b } = n.into();
        out[0] = a * b;
        match n.into() {
            Pair { a, .. } if a > 2 => out[1] = a,
            Pair { b, .. } => out[1] = b * 10,
        }
        match n.into() {
            Size::Large(v) => out[2] = v,
            Size::Small { by } => out[2] = by + 100,
        }
        let pair = Pair { a: 3, b: n };
        let Wrapped(w) = pair.into();
        let (c, d) = pair.into();
        out[3] = w + c - d;
        if let Size::Large(v) = Into::into(n) {
            out[4] = v;
        }
        let Wrapped(w) = Default::default();
        out[5] = w + matches!(n.into(), Size::Small { .. }) as i32;
        let Wrapped(w) = n.try_into().unwrap_or(Wrapped(4));
        out[6] = w;
        let Ok(Wrapped(v)) = n.try_into() else {
            out[7] = 9;
            return;
        };
        out[7] = v;
    });
    Ok(())
}

/// Numbers whose type is open where a trait method is called on them, and closures whose result
/// type a `?` determines.
fn told_later(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut numbers = [5, 3, 9, 1];
        numbers.sort_by(|a, b| b.cmp(a));
        let largest = numbers.iter().fold(0, |a, b| a.max(*b));
        out[0] = numbers[0] * 10 + numbers[1] + largest.clone();
        out[1] = (7.cmp(&2).is_gt() && 1.5.partial_cmp(&2.5).is_some()) as i32;
        let first_of_both = || {
            let (a, b) = (x.first()?, y.first()?);
            Some(a * 10 + b)
        };
        out[2] = first_of_both().unwrap_or(-7);
        let small = |v: i32| {
            let byte = u8::try_from(v)?;
            Ok::<_, std::num::TryFromIntError>(i32::from(byte) + 1)
        };
        out[3] = small(x.len() as i32).unwrap_or(-3) + small(-1).unwrap_or(-9);
    });
    Ok(())
}

#[device]
fn distance<T: Num>(Range { start, end }: Range<T>) -> T {
    end - start
}

fn ranges(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let Range { start, .. } = x.len()..y.len();
        out[0] = start as i32 + distance(2..7) + distance(0.5..2.5) as i32;
        if let Some(Range { start: a, end: b @ 3..=5 }) = Some(ops::Range { start: 2, end: 4 }) {
            out[1] = b - a;
        }
        for v in (RangeFrom { start: 1 }).take(3) {
            out[2] += v;
        }
        out[3] = Range::<usize> { end: 9, ..start..5 }.sum::<usize>() as i32;
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy, Default)]
struct Total {
    of: i32,
    count: i32,
}

#[device]
impl std::ops::AddAssign for Total {
    fn add_assign(&mut self, other: Self) {
        self.of += other.of;
        self.count += other.count;
    }
}

#[device]
impl From<[i32; 2]> for Total {
    fn from([of, count]: [i32; 2]) -> Self {
        Total { of, count }
    }
}

#[device]
impl From<&i32> for Total {
    fn from(of: &i32) -> Self {
        Total { of: *of, count: 10 }
    }
}

/// Conversions into the operand type of an assigning operator, and conversions of references.
fn told_by_operators(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut total = Total::default();
        total += [x.len() as i32, 1].into();
        total += Default::default();
        for v in y {
            total += v.into();
        }
        if let Some(v) = x.first() {
            let first: Total = v.into();
            total += first;
        }
        (out[0], out[1]) = (total.of, total.count);
    });
    Ok(())
}
