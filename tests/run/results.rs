//! `Option`, `Result` and `?`: propagation of absence and failure.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![
    errors_of_other_types,
    while_let,
    question_marks,
    option_methods,
    nested_options,
    shadowing,
    types_by_name,
];

#[device]
pub(super) fn next_collatz(n: u32) -> Option<u32> {
    match n {
        0 | 1 => None,
        n if n % 2 == 0 => Some(n / 2),
        n => Some(3 * n + 1),
    }
}

#[kernel]
fn collatz(out: &mut [u32]) {
    let i = global_idx_x();
    if i < out.len() {
        let mut n = i as u32;
        let mut steps = 0;
        while let Some(next) = next_collatz(n) {
            if next > 5000 {
                break;
            }
            n = next;
            steps += 1;
        }
        out[i] = steps * 10_000 + n;
    }
}

fn while_let(on: &Engine) -> Check {
    let mut out = vec![0; 200];
    launch!(on, collatz(write out), LaunchConfig::cover(200))?;
    let want: Vec<u32> = (0..200)
        .map(|mut n| {
            let mut steps = 0;
            while n > 1 {
                let next = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
                if next > 5000 {
                    break;
                }
                n = next;
                steps += 1;
            }
            steps * 10_000 + n
        })
        .collect();
    same("out", &out, &want)
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Problem {
    Negative(i32),
    TooLarge { by: i32 },
}

#[device]
fn checked_root(x: i32) -> Result<i32, Problem> {
    if x < 0 {
        return Err(Problem::Negative(x));
    }
    if x > 100 {
        return Err(Problem::TooLarge { by: x - 100 });
    }
    let mut root = 0;
    while (root + 1) * (root + 1) <= x {
        root += 1;
    }
    Ok(root)
}

#[device]
fn two_roots(x: i32, y: i32) -> Result<(i32, i32), Problem> {
    let first = checked_root(x)?;
    Ok((first, checked_root(y - first)?))
}

#[device]
fn first_even(x: &[i32], from: usize) -> Option<usize> {
    for i in from..x.len() {
        if x[i] % 2 == 0 {
            return Some(i);
        }
    }
    None
}

#[device]
fn second_even(x: &[i32]) -> Option<i32> {
    let first = first_even(x, 0)?;
    Some(x[first_even(x, first + 1)?])
}

#[kernel]
fn trying(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i + 1 < x.len() {
        out[i] = match two_roots(x[i], x[i + 1]) {
            Ok((a, b)) => a * 100 + b,
            Err(Problem::Negative(by)) => by,
            Err(Problem::TooLarge { by }) => by * 10_000,
        };
        if i == 0 {
            out[x.len() - 1] = second_even(x).unwrap_or(-7);
        }
    }
}

fn question_marks(on: &Engine) -> Check {
    let x: Vec<i32> = (0..100).map(|i| i * 37 % 151 - 9).collect();
    let mut out = vec![0; 100];
    launch!(on, trying(read x, write out), LaunchConfig::cover(100))?;
    let root = |x: i32| f64::from(x).sqrt() as i32;
    let mut want: Vec<i32> = x
        .windows(2)
        .map(|pair| {
            let (x, y) = (pair[0], pair[1]);
            let y = y - root(x.max(0));
            match (x, y) {
                (..0, _) => x,
                (101.., _) => (x - 100) * 10_000,
                (_, ..0) => y,
                (_, 101..) => (y - 100) * 10_000,
                _ => root(x) * 100 + root(y),
            }
        })
        .collect();
    want.push(x.iter().copied().filter(|x| x % 2 == 0).nth(1).unwrap_or(-7));
    same("out", &out, &want)
}

#[kernel]
fn optional(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let value = if x[i] > 0 { Some(x[i]) } else { None };
        let mut k = 8 * i;
        let mut put = |value: i32| {
            out[k] = value;
            k += 1;
        };
        put(value.unwrap_or(-1));
        put(value.map(|v| v * 2).unwrap_or_else(|| x[i] - 5));
        put(value.and_then(|v| next_collatz(v as u32)).map_or(0, |v| v as i32));
        put(value.filter(|v| v % 3 == 0).is_some() as i32);
        put(value.or(Some(4)).is_some_and(|v| v < 10) as i32);
        put(value.ok_or(x[i]).unwrap_or_else(|e| e * 100));
        put(value.xor(Some(3)).zip(Some(true)).is_none() as i32);
        put(if value == Some(5) { 55 } else { checked_root(x[i]).ok().unwrap_or(-9) });
    }
}

fn option_methods(on: &Engine) -> Check {
    let x: Vec<i32> = (-20..120).collect();
    let mut out = vec![0; 8 * x.len()];
    launch!(on, optional(read x, write out), LaunchConfig::cover(x.len()))?;
    let want: Vec<i32> = x
        .iter()
        .flat_map(|&x| {
            let positive = x > 0;
            let collatz = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
            [
                if positive { x } else { -1 },
                if positive { 2 * x } else { x - 5 },
                if x > 1 { collatz } else { 0 },
                i32::from(positive && x % 3 == 0),
                i32::from(!positive || x < 10),
                if positive { x } else { x * 100 },
                i32::from(positive),
                match x {
                    5 => 55,
                    0..=100 => f64::from(x).sqrt() as i32,
                    _ => -9,
                },
            ]
        })
        .collect();
    same("out", &out, &want)
}

#[kernel]
fn options(x: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut slots = [None; 4];
        let mut nested: Option<Option<(u32, f32)>> = None;
        for k in 0..4 {
            if x[i] >> k & 1 == 1 {
                slots[k] = Some(k as u32 + x[i]);
                nested = Some(nested.map(|_| (x[i], k as f32)));
            }
        }
        if let Some(slot) = &mut slots[1] {
            *slot += 1000;
        }
        let mut sum = 0;
        for k in 0..4 {
            if let Some(slot) = slots[k] {
                sum += slot;
            }
        }
        out[i] = match nested {
            None => 1,
            Some(None) => sum + 10_000,
            Some(Some((a, b))) => sum + a + b as u32 + 20_000,
        };
    }
}

fn nested_options(on: &Engine) -> Check {
    let x: Vec<u32> = (0..64).collect();
    let mut out = vec![0; 64];
    launch!(on, options(read x, write out), LaunchConfig::cover(64))?;
    let want: Vec<u32> = x
        .iter()
        .map(|&x| {
            let bits: Vec<u32> = (0..4).filter(|k| x >> k & 1 == 1).collect();
            let slots: u32 = bits.iter().map(|k| k + x + if *k == 1 { 1000 } else { 0 }).sum();
            match *bits {
                [] => 1,
                [_] => slots + 10_000,
                [.., last] => slots + x + last + 20_000,
            }
        })
        .collect();
    same("out", &out, &want)
}

#[kernel]
fn shadowed(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let x = x[i];
        let x = (x, x + 1);
        let (x, y) = if x.0 > 5 {
            let x = (x.1, x.0);
            x
        } else {
            x
        };
        let y = {
            let y = y * 2;
            match Some(y) {
                Some(x) if x > 12 => x - y,
                Some(y) => y + x,
                None => 0,
            }
        };
        let x = |y: i32| x * 10 + y;
        out[i] = x(y);
    }
}

fn shadowing(on: &Engine) -> Check {
    let x: Vec<i32> = (0..12).collect();
    let mut out = vec![0; 12];
    launch!(on, shadowed(read x, write out), LaunchConfig::cover(12))?;
    let want: Vec<i32> = (0..12)
        .map(|n| {
            let (x, y) = if n > 5 { (n + 1, n) } else { (n, n + 1) };
            x * 10 + if 2 * y > 12 { 0 } else { 2 * y + x }
        })
        .collect();
    same("out", &out, &want)
}

#[device]
#[derive(Clone, Copy)]
enum Parsing {
    Letter(u8),
}

#[device]
#[derive(Clone, Copy)]
enum Reading {
    Wrong(Parsing),
    Large,
}

#[device]
impl From<Parsing> for Reading {
    fn from(wrong: Parsing) -> Self {
        Self::Wrong(wrong)
    }
}

#[device]
fn digit(letter: u8) -> Result<u32, Parsing> {
    if letter.is_ascii_digit() {
        Ok(u32::from(letter - b'0'))
    } else {
        Err(Parsing::Letter(letter))
    }
}

#[device]
fn number(text: &[u8]) -> Result<u32, Reading> {
    let mut value = 0;
    for letter in text {
        value = 10 * value + digit(*letter)?;
        if value > 500 {
            return Err(Reading::Large);
        }
    }
    Ok(value)
}

#[kernel]
fn read_numbers(texts: &[[u8; 3]], out: &mut [i32]) {
    let i = global_idx_x();
    out[i] = match number(&texts[i]) {
        Ok(value) => value as i32,
        Err(Reading::Wrong(Parsing::Letter(letter))) => -(letter as i32),
        Err(Reading::Large) => -1,
    };
}

/// `?` converts the error by `From`.
fn errors_of_other_types(on: &Engine) -> Check {
    let texts = vec![*b"123", *b"4x6", *b"999", *b"007"];
    let mut out = vec![0; 4];
    launch!(on, read_numbers(read texts, write out), LaunchConfig::grid(1).block(4))?;
    same("out", &out, &[123, -i32::from(b'x'), -1, 7])
}

#[device]
#[derive(Clone, Copy, PartialEq)]
enum Tree<T> {
    Leaf,
    Node(T),
}

#[kernel]
fn named_types(x: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        let small = || if x[i] < 9 { Ok::<_, u8>(x[i]) } else { Err::<u32, _>(3) };
        out[i] = u32::from(None::<f32> == None) + 2 * u32::from(Option::<u8>::None.is_some());
        out[i] += Some::<u8>(7).map_or(0, |v| v.count_ones()) * 10;
        out[i] += small().map_or_else(|e| u32::from(e) * 1000, |v| v * 100);
        out[i] += 10_000 * u32::from(Tree::Leaf::<f32> == Tree::<f32>::Leaf);
        out[i] += 20_000 * u32::from(matches!(Tree::Node::<u32>(x[i]), Tree::Node(4)));
    }
}

fn types_by_name(on: &Engine) -> Check {
    let x: Vec<u32> = (0..20).collect();
    let mut out = vec![0; 20];
    launch!(on, named_types(read x, write out), LaunchConfig::cover(20))?;
    let want = (0..20).map(|x| {
        let small = if x < 9 { 100 * x } else { 3000 };
        1 + 30 + small + 10_000 + if x == 4 { 20_000 } else { 0 }
    });
    same("out", &out, &want.collect::<Vec<_>>())
}
