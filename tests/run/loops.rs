//! Loops: over ranges, with labels and steps, and with values.
use crate::run::{
    control::below_100,
    engine::{Check, Engine, cases, launch, per_element, same},
};
use warpwise::prelude::*;

cases![
    loops,
    labelled,
    loop_values,
    ranges,
    byte_ranges,
    ranges_to_the_end,
    stepped,
    collatz_steps,
];

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

/// Computes a number that identifies the values of a range and their order.
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
