//! Control flow: what runs, how often, and which value comes out.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![
    choices,
    short_circuit,
    loops,
    labelled,
    loop_values,
    ranges,
    byte_ranges,
    ranges_to_the_end,
    stepped,
    early_returns,
    shadowing,
    deferred,
    evaluation_order,
    collatz_steps,
    no_threads_left,
    negative_patterns,
    pattern_that_never_matches,
];

/// Runs a kernel of one input and `PER` outputs for each of `n` inputs, and compares with `want`.
macro_rules! per_element {
    ($on:ident, $kernel:ident, $x:expr, $per:literal, $want:expr) => {{
        let x = $x;
        let mut out = vec![Default::default(); x.len() * $per];
        launch!($on, $kernel(read x, write out), LaunchConfig::cover(x.len()))?;
        let want: Vec<_> = x.iter().flat_map(|&x| $want(x)).collect();
        same("out", &out, &want)
    }};
}

fn below_100() -> Vec<i32> {
    (0..100).collect()
}

#[kernel]
fn choose(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let v = x[i];
        let kind = if v % 15 == 0 {
            3
        } else if v % 5 == 0 {
            2
        } else if v % 3 == 0 {
            1
        } else {
            0
        };
        out[i * 3] = kind;
        if v > 50 {
            out[i * 3 + 1] = 7;
        } else {
            if v > 20 {
                out[i * 3 + 1] = 8;
            }
        }
        out[i * 3 + 2] = {
            let half = v / 2;
            half * 2
        } + if v & 1 == 1 { 1 } else { 0 };
    }
}

fn choices(on: &Engine) -> Check {
    per_element!(on, choose, below_100(), 3, |v| {
        let kind = match (v % 5, v % 3) {
            (0, 0) => 3,
            (0, _) => 2,
            (_, 0) => 1,
            _ => 0,
        };
        [
            kind,
            if v > 50 {
                7
            } else if v > 20 {
                8
            } else {
                0
            },
            v,
        ]
    })
}

/// Each right side would fault where the left side decides.
#[kernel]
fn guarded(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let far = i + 90;
        let mut bits = 0;
        if far < x.len() && x[far] > 95 {
            bits += 1;
        }
        if far >= x.len() || x[far] > 95 {
            bits += 2;
        }
        let divides = x[i] != 0 && 100 % x[i] == 0;
        if divides && (i > 3 || far < x.len()) {
            bits += 4;
        }
        let mut k = i;
        while k < x.len() && x[k] % 7 != 0 {
            k += 1;
        }
        out[i * 2] = bits;
        out[i * 2 + 1] = k as i32;
    }
}

fn short_circuit(on: &Engine) -> Check {
    per_element!(on, guarded, below_100(), 2, |v: i32| {
        let far = v + 90;
        let first = far < 100 && far > 95;
        let second = far >= 100 || far > 95;
        let divides = v != 0 && 100 % v == 0 && (v > 3 || far < 100);
        let bits = i32::from(first) + 2 * i32::from(second) + 4 * i32::from(divides);
        [bits, ((v + 6) / 7 * 7).min(100)]
    })
}

#[kernel]
fn looping(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let v = x[i];
        let mut sum = 0;
        let mut k = 0;
        while k < v {
            k += 1;
            if k % 3 == 0 {
                continue;
            }
            if k > 40 {
                break;
            }
            sum += k;
        }
        out[i * 2] = sum;

        let mut a = v;
        let mut b = 36;
        loop {
            if b == 0 {
                break;
            }
            let r = a % b;
            a = b;
            b = r;
        }
        out[i * 2 + 1] = a;
    }
}

fn loops(on: &Engine) -> Check {
    per_element!(on, looping, below_100(), 2, |v: i32| {
        let gcd = (1..=36).rev().find(|d| v % d == 0 && 36 % d == 0).unwrap();
        [(1..=v.min(40)).filter(|k| k % 3 != 0).sum(), gcd]
    })
}

#[kernel]
fn nested(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let v = x[i];
        let mut count = 0;
        'outer: for a in 0..v {
            let mut b = 0;
            loop {
                b += 1;
                if b > a {
                    continue 'outer;
                }
                if a * b > 60 {
                    break 'outer;
                }
                if (a + b) % 4 == 0 {
                    continue;
                }
                count += 1;
            }
        }
        out[i * 2] = count;
        out[i * 2 + 1] = 'found: {
            if v % 2 == 0 {
                break 'found 2;
            }
            for d in 3..v {
                if v % d == 0 {
                    break 'found d;
                }
            }
            v
        };
    }
}

fn labelled(on: &Engine) -> Check {
    per_element!(on, nested, below_100(), 2, |v: i32| {
        let mut count = 0;
        let pairs = (0..v).flat_map(|a| (1..=a).map(move |b| (a, b)));
        for (a, b) in pairs {
            if a * b > 60 {
                break;
            }
            count += i32::from((a + b) % 4 != 0);
        }
        let found = if v % 2 == 0 { 2 } else { (3..v).find(|d| v % d == 0).unwrap_or(v) };
        [count, found]
    })
}

#[kernel]
fn values(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let v = x[i];
        let mut k = 0;
        let square = loop {
            if k * k >= v {
                break k * k;
            }
            k += 1;
        };
        let product = 'a: loop {
            let mut p = 1;
            loop {
                p *= 3;
                if p > v {
                    break 'a p;
                }
            }
        };
        out[i] = square * 1000 + product;
    }
}

fn loop_values(on: &Engine) -> Check {
    per_element!(on, values, below_100(), 1, |v: i32| {
        let square = (0..).map(|k| k * k).find(|k| *k >= v).unwrap();
        let power = (1..).map(|e| 3i32.pow(e)).find(|p| *p > v).unwrap();
        [square * 1000 + power]
    })
}

/// A number that tells which values a range gave in which order.
#[kernel]
fn range_hashes(from: &[i32], to: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < from.len() {
        let a = from[i];
        let b = to[i];
        let mut hash = 1;
        for k in a..b {
            hash = hash * 31 + k;
        }
        out[i * 4] = hash;
        hash = 1;
        for k in a..=b {
            hash = hash * 31 + k;
        }
        out[i * 4 + 1] = hash;
        hash = 1;
        for k in (a..b).rev() {
            hash = hash * 31 + k;
        }
        out[i * 4 + 2] = hash;
        hash = 1;
        for k in (a..=b).rev() {
            hash = hash * 31 + k;
        }
        out[i * 4 + 3] = hash;
    }
}

fn hash(values: impl Iterator<Item = i32>) -> i32 {
    values.fold(1, |hash: i32, k| hash.wrapping_mul(31).wrapping_add(k))
}

fn ranges(on: &Engine) -> Check {
    let bounds = [-3, 0, 1, 7, 40, i32::MAX - 1, i32::MAX];
    let near = |a: &i32, b: &i32| i64::from(*b) - i64::from(*a) < 100;
    let (from, to): (Vec<i32>, Vec<i32>) = bounds
        .iter()
        .flat_map(|a| bounds.iter().map(move |b| (*a, *b)))
        .chain([(i32::MIN, i32::MIN), (i32::MIN, i32::MIN + 2), (i32::MAX, i32::MIN)])
        .filter(|(a, b)| near(a, b))
        .unzip();
    let mut out = vec![0; from.len() * 4];
    launch!(on, range_hashes(read from, read to, write out), LaunchConfig::cover(from.len()))?;
    let want: Vec<i32> = from
        .iter()
        .zip(&to)
        .flat_map(|(&a, &b)| [hash(a..b), hash(a..=b), hash((a..b).rev()), hash((a..=b).rev())])
        .collect();
    same("out", &out, &want)
}

#[kernel]
fn bytes(out: &mut [u32]) {
    if global_idx_x() == 0 {
        let mut sum = 0;
        for b in 0u8..=255 {
            sum += b as u32;
        }
        out[0] = sum;
        let mut count = 0;
        for b in -128i8..=127 {
            if b != 0 {
                count += 1;
            }
        }
        out[1] = count;
        for _ in 5..5 {
            out[2] = 1;
        }
        for _ in 6..=5u16 {
            out[2] = 2;
        }
        let mut last = 0;
        for k in (0u64..10).rev() {
            last = k;
            if k == 4 {
                break;
            }
        }
        out[3] = last as u32;
    }
}

fn byte_ranges(on: &Engine) -> Check {
    let mut out = vec![0; 4];
    launch!(on, bytes(write out), LaunchConfig::cover(1))?;
    same("out", &out, &[255 * 128, 255, 0, 4])
}

#[kernel]
fn to_the_end(x: &[i64], out: &mut [i64]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut count = 0;
        for k in x[i]..=i64::MAX {
            count += 1;
            if k < x[i] {
                count = -1000;
            }
        }
        out[i] = count;
    }
}

fn ranges_to_the_end(on: &Engine) -> Check {
    per_element!(on, to_the_end, vec![i64::MAX, i64::MAX - 5, i64::MAX - 33], 1, |x: i64| [
        i64::MAX - x + 1
    ])
}

#[kernel]
fn stepping(x: &[i32], step: usize, out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut hash = 1;
        for k in (0..x[i]).step_by(step) {
            hash = hash * 31 + k;
        }
        out[i * 3] = hash;
        hash = 1;
        for k in (-5..=x[i]).step_by(4) {
            hash = hash * 31 + k;
        }
        out[i * 3 + 1] = hash;
        hash = 1;
        for k in (i..x.len()).step_by(32) {
            hash = hash * 31 + k as i32;
        }
        out[i * 3 + 2] = hash;
    }
}

fn stepped(on: &Engine) -> Check {
    for step in [1, 3, 16, 1000] {
        let x = below_100();
        let mut out = vec![0; x.len() * 3];
        launch!(on, stepping(read x, value step, write out), LaunchConfig::cover(x.len()))?;
        let want: Vec<i32> = x
            .iter()
            .flat_map(|&v| {
                [hash((0..v).step_by(step)), hash((-5..=v).step_by(4)), hash((v..100).step_by(32))]
            })
            .collect();
        same("out", &out, &want)?;
    }
    Ok(())
}

#[kernel]
fn returning(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    out[i] = 1;
    if x[i] % 2 == 0 {
        return;
    }
    out[i] = 2;
    for k in 0..x[i] {
        if k == 30 {
            return;
        }
        out[i] = k + 10;
    }
    out[i] += 1000;
}

fn early_returns(on: &Engine) -> Check {
    per_element!(on, returning, below_100(), 1, |v: i32| {
        [match v {
            v if v % 2 == 0 => 1,
            v if v > 30 => 39,
            v => v + 1009,
        }]
    })
}

#[kernel]
fn shadow(x: &[i32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        let v = x[i];
        let v = v * 2;
        let mut total = 0.0;
        for i in 0..3 {
            let v = (v + i) as f32;
            total += v;
            {
                let mut total = v;
                total += 100.0;
                if total < 0.0 {
                    return;
                }
            }
        }
        let v = total + v as f32;
        out[i] = v;
    }
}

fn shadowing(on: &Engine) -> Check {
    per_element!(on, shadow, below_100(), 1, |v: i32| [(8 * v + 3) as f32])
}

#[kernel]
fn later(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let kind;
        let mut size;
        if x[i] > 50 {
            kind = 1;
            size = 10;
        } else {
            kind = 2;
            size = 20;
        }
        size += kind;
        out[i] = size;
    }
}

fn deferred(on: &Engine) -> Check {
    per_element!(on, later, below_100(), 1, |v: i32| [if v > 50 { 11 } else { 22 }])
}

#[kernel]
fn order(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut a = x[i];
        let start = a;
        // The right side of a compound assignment comes first.
        a += {
            a = 10;
            5
        };
        out[i * 3] = a + start;
        let mut b = 1;
        let c = b * 100
            + {
                b = 2;
                b * 10
            }
            + b;
        out[i * 3 + 1] = c;
        let mut calls = 0;
        let either = {
            calls += 1;
            x[i] > 50
        } || {
            calls += 10;
            x[i] > 20
        };
        out[i * 3 + 2] = if either { calls } else { -calls };
    }
}

fn evaluation_order(on: &Engine) -> Check {
    per_element!(on, order, below_100(), 3, |v: i32| [
        15 + v,
        122,
        if v > 50 {
            1
        } else if v > 20 {
            11
        } else {
            -11
        }
    ])
}

#[kernel]
fn collatz(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut n = x[i] as u64 + 1;
        let mut steps = 0;
        while n != 1 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        out[i] = steps;
    }
}

fn collatz_steps(on: &Engine) -> Check {
    per_element!(on, collatz, (0..5000).collect::<Vec<i32>>(), 1, |v: i32| {
        let next = |n: &u64| Some(if n % 2 == 0 { n / 2 } else { 3 * n + 1 });
        let steps = std::iter::successors(Some(v as u64 + 1), next).take_while(|n| *n != 1).count();
        [steps as i32]
    })
}

#[kernel]
fn all_return(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = x[i];
        loop {
            if x[i] >= 0 {
                return;
            }
        }
    }
}

fn no_threads_left(on: &Engine) -> Check {
    per_element!(on, all_return, below_100(), 1, |v| [v])
}

#[kernel]
fn signs(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = match x[i] - 50 {
            -50 => 1,
            -49..=-10 => 2,
            -9..=9 => 3,
            _ => 4,
        };
    }
}

fn negative_patterns(on: &Engine) -> Check {
    per_element!(on, signs, below_100(), 1, |v: i32| [match v {
        0 => 1,
        1..=40 => 2,
        41..=59 => 3,
        _ => 4,
    }])
}

/// Behind a pattern that is known not to match, nothing is bound.
#[kernel]
fn never(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let none = if false { Some((x[i], 1)) } else { None };
        out[i] = x[i];
        if let Some((a, _)) = none
            && {
                out[i] = 1;
                a > 3
            }
        {
            out[i] = a;
        }
        if let Some((_, b)) = none
            && b > 3
        {
            out[i] = b;
        } else {
            out[i] += 1;
        }
    }
}

fn pattern_that_never_matches(on: &Engine) -> Check {
    per_element!(on, never, below_100(), 1, |v| [v + 1])
}
