//! Patterns: alternatives that bind, `@`, ranges, constants, slices, `ref`.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![
    alternatives,
    guards,
    behind_references,
    names_and_ranges,
    sequences,
    by_reference,
    by_reference_to_values_without_a_place,
    conditions,
    floats,
];

/// Runs code as a kernel of one thread and as plain Rust.
macro_rules! like_rust {
    ($on:ident, |$x:ident, $out:ident| $body:block) => {{
        #[kernel]
        fn code($x: &[i32], $out: &mut [i32]) {
            if global_idx_x() == 0 $body
        }
        fn plain($x: &[i32], $out: &mut [i32]) $body
        for len in [0, 1, 3, 4, 9] {
            let x: Vec<i32> = (0..len).map(|i| i * 7 % 5 - 1).collect();
            let (mut out, mut want) = (vec![-9; 40], vec![-9; 40]);
            launch!($on, code(read x, write out), LaunchConfig::grid(1))?;
            plain(&x, &mut want);
            same(&format!("{x:?}"), &out, &want)?;
        }
    }};
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    Number(i32),
    Sign(i32, bool),
    Point { x: i32, weight: f32 },
    End,
}

#[device]
fn token(i: i32) -> Token {
    match i.rem_euclid(4) {
        0 => Token::Number(i),
        1 => Token::Sign(i, i > 4),
        2 => Token::Point { x: i, weight: 1.5 },
        _ => Token::End,
    }
}

#[device]
const LIMIT: i32 = 6;

fn alternatives(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        for i in 0..12 {
            let (a, b) = (token(i + x.len() as i32), token(i * 3));
            out[i as usize] = match (a, b) {
                (Token::Number(v) | Token::Sign(v, true), _) => v,
                (_, Token::Number(v) | Token::Point { x: v, .. }) => v + 100,
                (Token::Sign(v, _), Token::End) | (Token::End, Token::Sign(v, _)) => -v,
                _ => 99,
            };
            let (Token::Number(v) | Token::Sign(v, _) | Token::Point { x: v, .. }) = b else {
                out[12 + i as usize] = -1;
                continue;
            };
            out[12 + i as usize] = v;
        }
        let result: Result<i32, i32> = if x.len() > 2 { Ok(3) } else { Err(4) };
        let (Ok(either) | Err(either)) = result;
        out[30] = either;
        let nested = Some(Some(token(x.len() as i32)));
        if let Some(Some(Token::Number(mut v) | Token::Sign(mut v, _))) = nested {
            v += 1;
            out[31] = v;
        }
    });
    Ok(())
}

fn guards(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        for i in 0..12i32 {
            let pair = (i % 5, (i + x.len() as i32) % 3);
            out[i as usize] = match Some(pair) {
                Some((n, m) | (m, n)) if n > m + 2 => n * 100 + m,
                Some((n @ (1 | 3), 0 | 2)) if n != 1 => n * 10,
                Some((1 | 2, n @ 0..=1)) => n,
                Some((..=0, _)) => -5,
                _ => -7,
            };
        }
    });
    Ok(())
}

fn behind_references(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        for i in 0..6 {
            if let (Some(&v), _) | (_, Some(&v)) = (x.get(i + 3), x.get(i)) {
                out[i] = v;
            }
            if let (Some(v), _) | (_, Some(v)) = (x.get(i), x.first()) {
                out[6 + i] = *v;
            }
            out[12 + i] = match (x.get(i), x.get(i + 1)) {
                (Some(a), Some(b)) if a > b => a - b,
                (Some(a @ 2..), _) | (None, Some(a)) => *a,
                (Some(_), None) => 50,
                _ => 51,
            };
            let mut found = None;
            if let Some(1 | 3) = x.get(i) {
                found = x.get(i);
            }
            out[18 + i] = found.copied().unwrap_or_default();
        }
    });
    Ok(())
}

fn names_and_ranges(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        for i in 0..10i32 {
            let n = i + x.len() as i32;
            out[i as usize] = match n {
                small @ ..=2 => small,
                middle @ 3..LIMIT => middle * 10,
                LIMIT => 600,
                7 | 8 => 78,
                i32::MAX => 0,
                large @ 9.. => large * 100,
            };
            out[10 + i as usize] = match (n % 2 == 0, n > 5) {
                (true, true) => 1,
                (true, false) => 2,
                (false, _) => 3,
            };
            out[20 + i as usize] = match b'a' + i as u8 {
                b'a' => 1,
                b'b'..=b'd' => 2,
                b'e'.. => 3,
                _ => 4,
            };
        }
        let whole @ (first, _) = (x.len() as i32, 2);
        out[30] = whole.1 + first;
    });
    Ok(())
}

fn sequences(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        out[0] = match x {
            [] => 0,
            [one] => *one,
            [first, rest @ .., last] if rest.len() > 1 => first * 100 + last * 10 + rest[0],
            [.., 3 | 4] => 34,
            [_, tail @ ..] => tail.len() as i32,
        };
        let array = [1, x.len() as i32, 3, 4];
        let [a, middle @ .., d] = array;
        out[1] = a * 1000 + middle[0] * 100 + middle[1] * 10 + d;
        out[2] = match array {
            [_, 0 | 1, ..] => 1,
            [_, n @ 2..=4, _, m] => n * m,
            [.., last] => last,
        };
        out[3] = matches!(x, [_, 1 | 2, ..]) as i32;
        let mut left = x;
        let mut count = 0;
        while let [first, rest @ ..] = left {
            count = count * 3 + first;
            left = rest;
        }
        out[4] = count;
    });
    Ok(())
}

fn by_reference(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let mut pair = (x.len() as i32, [2, 3, 4]);
        let (ref a, ref mut b) = pair;
        b[1] += *a * 10;
        out[0] = pair.1[1];
        match &mut pair {
            (n, [first, .., last]) => {
                *n += *first;
                *last = 7;
            }
        }
        out[1] = pair.0 * 10 + pair.1[2];
        let mut some = Some(5);
        if let Some(ref mut value) = some {
            *value += 1;
        }
        if let Some(value) = &mut some {
            *value *= 2;
        }
        out[2] = some.unwrap_or(0);
        out[3] = some.take().map_or(0, |value| value + 1);
        out[4] = some.is_none() as i32;
        let mut best = Some(x.len() as i32);
        if let Some(value) = best.as_mut() {
            *value += 3;
        }
        out[5] = best.unwrap_or(0);
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Counter(i32);

#[device]
impl Counter {
    fn next(&mut self) -> i32 {
        self.0 += 1;
        self.0
    }

    fn positive(n: i32) -> Option<Self> {
        (n > 0).then_some(Self(n))
    }
}

#[device]
fn twice(ref mut counter: Counter) -> i32 {
    counter.next();
    counter.next()
}

/// A change through a `&mut` is visible to the next pattern.
fn by_reference_to_values_without_a_place(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let n = x.len() as i32;
        let ref mut of_let = Counter(n);
        of_let.next();
        out[0] = of_let.next();
        if let Some(ref mut of_some) = Counter::positive(n) {
            of_some.next();
            out[1] = of_some.next();
        }
        if let Some(of_some) = Counter::positive(n).as_mut() {
            of_some.next();
            out[2] = of_some.next();
        }
        out[3] = Counter::positive(n).as_mut().map_or(0, |counter| {
            counter.next();
            counter.next()
        });
        out[4] = twice(Counter(n));
        for (ref mut counter, by) in [(Counter(n), 10)] {
            counter.next();
            out[5] = counter.next() * by;
        }
        match (Counter(n), n) {
            (ref mut counter, by) => {
                *counter = Counter(by * 2);
                out[6] = counter.next();
            }
        }
        let of_closure = |ref mut counter: Counter| {
            counter.next();
            counter.next()
        };
        out[7] = of_closure(Counter(-n));
        let ref mut items = [n, 2 * n, 3 * n].into_iter();
        items.next();
        let ref mut range = 0..n;
        while let Some(i) = range.next() {
            out[8] += i;
        }
        out[9] = items.next().unwrap_or(0);
    });
    Ok(())
}

fn conditions(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        for i in 0..4 {
            if let Some(Token::Number(v) | Token::Sign(v, _)) = Some(token(i))
                && let Some(n) = x.get(v as usize)
                && *n < 3
            {
                out[i as usize] = *n * 10 + v;
            } else {
                out[4 + i as usize] = 1;
            }
            out[8 + i as usize] =
                matches!(token(i), Token::Number(n) | Token::Sign(n, false) if n < 1) as i32;
        }
        let constant = const { LIMIT * 7 };
        out[12] = constant;
    });
    Ok(())
}

#[device]
fn class_of(x: f32) -> i32 {
    match x {
        0.0 => 1,
        -1.5 | 2.5 => 2,
        f32::INFINITY => 3,
        -1.0..=1.0 => 4,
        1.0..2.0 => 5,
        100.0.. => 6,
        v if v < 0.0 => 7,
        ..=3.0 => 9,
        _ => 8,
    }
}

#[device]
fn pair_of(pair: (f64, f64)) -> i32 {
    match pair {
        (0.0, 0.0) => 1,
        (0.0, _) => 2,
        (_, f64::NEG_INFINITY) => 4,
        _ => 3,
    }
}

#[kernel]
fn classes(x: &[f32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = class_of(x[i]) * 10 + pair_of((x[i].into(), -1.0 / f64::from(x[i]).abs()));
    }
}

fn floats(on: &Engine) -> Check {
    let (some, none) = (f32::INFINITY, f32::NAN);
    let x = vec![0.0, -0.0, -1.5, 2.5, some, -some, none, 0.5, -1.0, 1.0, 1.5, 2.0, 100.0, 50.0];
    let mut out = vec![0; x.len()];
    launch!(on, classes(read x, write out), LaunchConfig::cover(14))?;
    same("out", &out, &[12, 12, 23, 23, 33, 73, 83, 43, 43, 43, 53, 93, 63, 83])
}
