//! Comparisons: `Ordering`, `cmp` and related methods, derived and user-defined orders, composites.
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::cmp::Ordering;
use warpwise::prelude::*;

cases![integers, floats, derived, written, sequences, extremes, clamping];

/// Runs code as a kernel of one thread and as plain Rust.
macro_rules! like_rust {
    ($on:ident, |$x:ident: $ty:ty, $out:ident| $inputs:expr, $body:block) => {{
        #[kernel]
        fn code($x: &[$ty], $out: &mut [i32]) {
            if global_idx_x() == 0 $body
        }
        fn plain($x: &[$ty], $out: &mut [i32]) $body
        for x in $inputs {
            let x: Vec<$ty> = x.to_vec();
            let (mut out, mut want) = (vec![-9; 16], vec![-9; 16]);
            launch!($on, code(read x, write out), LaunchConfig::grid(1))?;
            plain(&x, &mut want);
            same(&format!("{x:?}"), &out, &want)?;
        }
    }};
}

const PAIRS: [[i32; 3]; 6] =
    [[1, 2, 3], [2, 1, 2], [5, 5, 0], [-1, 1, -1], [i32::MIN, i32::MAX, 0], [0, -7, -7]];

fn integers(on: &Engine) -> Check {
    like_rust!(on, |x: i32, out| PAIRS, {
        let (a, b, c) = (x[0], x[1], x[2]);
        out[0] = match a.cmp(&b) {
            Ordering::Less => 1,
            Ordering::Equal => 2,
            Ordering::Greater => 3,
        };
        out[1] = a.cmp(&b).then(b.cmp(&c)) as i32;
        out[2] = a.cmp(&b).then_with(|| c.cmp(&a)).reverse() as i32;
        let order = (a as u32).cmp(&(b as u32));
        out[3] = order.is_lt() as i32 + 2 * order.is_le() as i32 + 4 * order.is_eq() as i32;
        out[4] = order.is_gt() as i32 + 2 * order.is_ge() as i32 + 4 * order.is_ne() as i32;
        out[5] = a.partial_cmp(&b).map_or(7, |order| order as i32);
        out[6] = (a.lt(&b) as i32) + 2 * (a.ge(&b) as i32) + 4 * (a.eq(&b) as i32);
        out[7] = std::cmp::max(a, b).wrapping_sub(std::cmp::min(b, c));
        out[8] = (a > 0).cmp(&(b > 0)) as i32 + 3 * ((a > 0) < (b > 0)) as i32;
        out[9] = if order == Ordering::Less { 1 } else { 0 };
        out[10] = (order < Ordering::Greater) as i32;
        out[11] = order.max(Ordering::Equal) as i32;
        let sign = match (a.cmp(&0), b.cmp(&0)) {
            (Ordering::Less, Ordering::Less) | (Ordering::Greater, Ordering::Greater) => 1,
            (Ordering::Equal, _) | (_, Ordering::Equal) => 0,
            _ => -1,
        };
        out[12] = sign;
    });
    Ok(())
}

fn floats(on: &Engine) -> Check {
    let inputs = [
        [0.0, -0.0, 1.0],
        [1.5, 2.5, f32::NAN],
        [f32::NAN, 1.0, -f32::INFINITY],
        [f32::INFINITY, f32::MAX, -f32::MIN_POSITIVE],
        [-f32::NAN, f32::NAN, 1e-40],
    ];
    like_rust!(on, |x: f32, out| inputs, {
        let (a, b, c) = (x[0], x[1], x[2]);
        out[0] = a.total_cmp(&b) as i32;
        out[1] = b.total_cmp(&c) as i32;
        out[2] = a.partial_cmp(&b).map_or(7, |order| order as i32);
        out[3] = c.partial_cmp(&a).is_none() as i32;
        out[4] = match b.partial_cmp(&a) {
            Some(Ordering::Less) => 1,
            Some(_) => 2,
            None => 3,
        };
        out[5] = (c as f64).total_cmp(&(a as f64)) as i32;
        out[6] = ((a, 1) < (b, 2)) as i32 + 2 * ((a, 1) <= (a, 1)) as i32;
        out[7] = ((1, a) > (1, b)) as i32 + 2 * ((2, a) >= (1, b)) as i32;
        out[8] = ([a, b] < [b, a]) as i32 + 2 * ([a, b] >= [a, b]) as i32;
        out[9] = (x[..2] < x[1..]) as i32 + 2 * (x[1..] <= x[1..]) as i32;
        out[10] = x.iter().copied().max_by(|a, b| a.total_cmp(b)).map_or(0, |x| (x > 1.0) as i32);
        let least = x.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        out[11] = least.map_or(-1, |(index, _)| index as i32);
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: i32,
    minor: u8,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Empty,
    Segment(i32, i32),
    Ring { radius: i32, of: [i32; 2] },
}

#[device]
fn shape(kind: i32, a: i32, b: i32) -> Shape {
    match kind.rem_euclid(3) {
        0 => Shape::Empty,
        1 => Shape::Segment(a, b),
        _ => Shape::Ring { radius: a, of: [b, kind] },
    }
}

fn derived(on: &Engine) -> Check {
    like_rust!(on, |x: i32, out| PAIRS, {
        let (a, b, c) = (x[0], x[1], x[2]);
        let (p, q) = (Version { major: a, minor: 3 }, Version { major: b, minor: c as u8 });
        out[0] = p.cmp(&q) as i32;
        out[1] = (p < q) as i32 + 2 * (p <= q) as i32 + 4 * (p > q) as i32 + 8 * (p >= q) as i32;
        out[2] = p.max(q).major.wrapping_add(p.min(q).minor as i32);
        out[3] = q.partial_cmp(&p).is_some_and(|order| order.is_ge()) as i32;
        let (s, t) = (shape(a, b, c), shape(b, b, a));
        out[4] = s.cmp(&t) as i32;
        out[5] = (s < t) as i32 + 2 * (s >= t) as i32 + 4 * (s == t) as i32;
        out[6] = shape(2, a, b).cmp(&shape(2, a, c)) as i32;
        out[7] = ((a, b, c) < (b, c, a)) as i32 + 2 * ((a, (b, c)) >= (a, (b, a))) as i32;
        out[8] = (a, b).cmp(&(b, a)) as i32;
        out[9] = (a, b).max((c, c)).1;
        out[10] = Some(a).cmp(&None) as i32 + 3 * (Some(a) < Some(b)) as i32;
        out[11] = Some(a).max(None).unwrap_or(5);
        let result: Result<i32, i32> = if a > b { Ok(a) } else { Err(b) };
        out[12] = (result < Err(c)) as i32 + 2 * (result == Ok(a)) as i32;
        out[13] = p.clamp(Version { major: -1, minor: 0 }, Version { major: 1, minor: 2 }).major;
    });
    Ok(())
}

/// A cost, of which the cheapest is the greatest.
#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    cents: i32,
    id: u32,
}

#[device]
impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[device]
impl Ord for Cost {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cents.cmp(&self.cents).then_with(|| self.id.cmp(&other.id))
    }
}

/// A number that is compared by its remainder.
#[device]
#[derive(Clone, Copy, Debug)]
struct Modulo(i32);

#[device]
impl PartialEq for Modulo {
    fn eq(&self, other: &Self) -> bool {
        self.0.rem_euclid(4) == other.0.rem_euclid(4)
    }
}

#[device]
impl PartialOrd for Modulo {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self.0 == 0 || other.0 == 0 {
            return None;
        }
        self.0.rem_euclid(4).partial_cmp(&other.0.rem_euclid(4))
    }
}

fn written(on: &Engine) -> Check {
    like_rust!(on, |x: i32, out| PAIRS, {
        let (a, b, c) = (x[0], x[1], x[2]);
        let (p, q) = (Cost { cents: a, id: 1 }, Cost { cents: b, id: 2 });
        out[0] = p.cmp(&q) as i32;
        out[1] = (p < q) as i32 + 2 * (p <= q) as i32 + 4 * (p > q) as i32 + 8 * (p >= q) as i32;
        out[2] = p.max(q).cents;
        out[3] = std::cmp::min(p, q).cents;
        out[4] = x.iter().map(|cents| Cost { cents: *cents, id: 0 }).max().map_or(0, |c| c.cents);
        let (s, t) = (Modulo(a), Modulo(b));
        out[5] = (s < t) as i32 + 2 * (s <= t) as i32 + 4 * (s > t) as i32 + 8 * (s >= t) as i32;
        out[6] = (s == t) as i32 + 2 * (s != Modulo(c)) as i32;
        out[7] = s.partial_cmp(&t).map_or(7, |order| order as i32);
        out[8] = s.lt(&t) as i32;
    });
    Ok(())
}

fn sequences(on: &Engine) -> Check {
    let inputs: [&[i32]; 6] = [
        &[1, 2, 1, 2],
        &[3, 3, 4, 9],
        &[1, 2, 3, 4],
        &[4, 3, 2, 1, 0],
        &[0, 0, 0, 0],
        &[-1, 5, -1, 6],
    ];
    like_rust!(on, |x: i32, out| inputs, {
        let (a, b) = x.split_at(2);
        out[0] = (a == b) as i32 + 2 * (a != b) as i32 + 4 * (a < b) as i32 + 8 * (a >= b) as i32;
        out[1] = (*a == [1, 2]) as i32 + 2 * (x == [1, 2, 3, 4]) as i32 + 4 * (a == &b[..2]) as i32;
        out[2] = a.cmp(b) as i32 + 3 * x.partial_cmp(a).map_or(7, |order| order as i32);
        let (p, q) = ([x[0], x[1]], [x[2], x[3]]);
        out[3] = (p < q) as i32 + 2 * (p <= q) as i32 + 4 * (p == q) as i32;
        out[4] = p.cmp(&q) as i32;
        out[5] = ((p, 1) < (q, 0)) as i32 + 2 * ([p, q] >= [q, p]) as i32;
        out[6] = x.is_sorted() as i32 + 2 * x.starts_with(&p) as i32 + 4 * x.ends_with(&q) as i32;
        out[7] = match x.binary_search(&3) {
            Ok(index) => index as i32,
            Err(index) => -1 - index as i32,
        };
        out[8] = x.partition_point(|value| *value < 3) as i32;
        out[9] = x.binary_search_by_key(&6, |value| value * 2).map_or(-1, |index| index as i32);
        let found = x.binary_search_by(|value| value.cmp(&2).reverse().reverse());
        out[10] = found.unwrap_or_else(|index| index + 10) as i32;
    });
    Ok(())
}

fn extremes(on: &Engine) -> Check {
    let inputs: [&[i32]; 4] = [&[], &[7], &[3, -9, 8, 8, -9, 2], &[-1, -1, -1]];
    like_rust!(on, |x: i32, out| inputs, {
        out[0] = x.iter().max().copied().unwrap_or(100);
        out[1] = *x.iter().min().unwrap_or(&-100);
        let most = x.iter().enumerate().max_by(|a, b| a.1.cmp(b.1));
        out[2] = most.map_or(-1, |(index, _)| index as i32);
        let least = x.iter().enumerate().min_by(|a, b| a.1.cmp(b.1));
        out[3] = least.map_or(-1, |(index, _)| index as i32);
        let far = x.iter().enumerate().max_by_key(|(_, value)| value.abs());
        out[4] = far.map_or(-1, |(index, _)| index as i32);
        let near = x.iter().min_by_key(|value| (value.abs(), **value));
        out[5] = near.cloned().unwrap_or_default();
        out[6] = x.iter().map(|value| value % 4).max().unwrap_or(9);
        out[7] = x.iter().zip(x.iter().skip(1)).max().map_or(0, |(a, b)| a * 10 + b);
        out[8] = x.iter().copied().reduce(|a, b| a.max(b)).unwrap_or(-3);
    });
    Ok(())
}

#[kernel]
fn between(low: i32, high: i32, out: &mut [i32]) {
    out[0] = (1, low).clamp((0, 5), (1, high)).1;
}

fn clamping(on: &Engine) -> Check {
    let mut out = vec![0];
    let (low, high) = (9, 7);
    launch!(on, between(value low, value high, write out), LaunchConfig::grid(1))?;
    same("out", &out, &[7])?;
    let (low, high) = (i32::MIN, i32::MIN);
    launch!(on, between(value low, value high, write out), LaunchConfig::grid(1))?;
    same("out", &out, &[i32::MIN])
}
