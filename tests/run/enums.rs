//! Enums with and without data, `match` and the other forms of patterns.
use crate::run::{
    engine::{Check, Engine, cases, equal, launch, same},
    results::next_collatz,
};
use warpwise::prelude::*;

cases![
    data_in_slices,
    by_star,
    kinds_in_place,
    state_machine,
    ranges_and_guards,
    bindings,
    constants,
    array_patterns,
    let_else,
    chains,
    values_of_loops,
];

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    #[default]
    Light = 1,
    Heavy = 7,
    Strange = 200,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Corner {
    solid: bool,
    size: [f32; 2],
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Nothing,
    Disc(f32),
    Box { corner: Corner, depth: f64 },
    Of(Kind, [u8; 3]),
}

#[device]
impl Shape {
    fn area(&self) -> f64 {
        match self {
            Self::Nothing => 0.0,
            Shape::Disc(radius) => 3.0 * (*radius * *radius) as f64,
            Self::Box { corner: Corner { solid: true, size: [w, h] }, .. } => (w * h) as f64,
            Self::Box { corner, depth } => corner.size[0] as f64 * depth,
            Shape::Of(kind @ (Kind::Light | Kind::Heavy), [first, ..]) => {
                *kind as u8 as f64 + *first as f64
            }
            Shape::Of(Kind::Strange, bytes) => bytes[2] as f64,
        }
    }
}

fn shapes(n: u8) -> Vec<Shape> {
    let shape = |i: u8| {
        let corner = Corner { solid: i % 4 < 2, size: [f32::from(i), 2.0] };
        match i % 7 {
            0 => Shape::Nothing,
            1 => Shape::Disc(f32::from(i)),
            2 | 3 => Shape::Box { corner, depth: -1.5 },
            4 => Shape::Of(Kind::Light, [i, 1, 2]),
            5 => Shape::Of(Kind::Heavy, [i, 1, 2]),
            _ => Shape::Of(Kind::Strange, [0, 1, i]),
        }
    };
    (0..n).map(shape).collect()
}

#[kernel]
fn areas(shapes: &[Shape], areas: &mut [f64], same: &mut [bool]) {
    let i = global_idx_x();
    if i < shapes.len() {
        let local = shapes[shapes.len() - 1 - i];
        areas[i] = shapes[i].area() - local.area() / 2.0;
        same[i] = shapes[i] == local || shapes[i] == Shape::Disc(8.0);
    }
}

fn data_in_slices(on: &Engine) -> Check {
    let x = shapes(100);
    let (mut out, mut like_rust) = (vec![0.0; 100], vec![false; 100]);
    launch!(on, areas(read x, write out, write like_rust), LaunchConfig::cover(100))?;
    let area = |i: u8| {
        let side = f64::from(i);
        match i % 7 {
            0 => 0.0,
            1 => 3.0 * side * side,
            2 | 3 if i % 4 < 2 => side * 2.0,
            2 | 3 => side * -1.5,
            4 => 1.0 + side,
            5 => 7.0 + side,
            _ => side,
        }
    };
    let want: Vec<f64> = (0..100).map(|i| area(i) - area(99 - i) / 2.0).collect();
    same("out", &out, &want)?;
    let want: Vec<bool> = (0..100).map(|i| (i % 7 == 0 && (99 - i) % 7 == 0) || i == 8).collect();
    same("like_rust", &like_rust, &want)
}

#[kernel]
fn turned(kinds: &mut [Kind], numbers: &mut [i32]) {
    let i = global_idx_x();
    if i < kinds.len() {
        let next = match kinds[i] {
            Kind::Light => Kind::Heavy,
            Kind::Heavy if i % 2 == 0 => Kind::Strange,
            Kind::Heavy | Kind::Strange => Kind::default(),
        };
        numbers[i] = kinds[i] as i32 * 1000 + next as u8 as i32 + (next != Kind::Heavy) as i32;
        kinds[i] = next;
    }
}

fn kinds_in_place(on: &Engine) -> Check {
    let start: Vec<Kind> =
        (0..60).map(|i| [Kind::Light, Kind::Heavy, Kind::Strange][i % 3]).collect();
    let mut kinds = start.clone();
    let mut numbers = vec![0; 60];
    launch!(on, turned(write kinds, write numbers), LaunchConfig::cover(60))?;
    let next = |i: usize| match i % 3 {
        0 => Kind::Heavy,
        1 if i % 2 == 0 => Kind::Strange,
        _ => Kind::Light,
    };
    let want: Vec<Kind> = (0..60).map(next).collect();
    equal("kinds", &kinds, &want)?;
    let number = |i: usize| {
        let (to, more) = [(7, 0), (200, 1), (1, 1)][match next(i) {
            Kind::Heavy => 0,
            Kind::Strange => 1,
            Kind::Light => 2,
        }];
        [1000, 7000, 200_000][i % 3] + to + more
    };
    same("numbers", &numbers, &(0..60).map(number).collect::<Vec<i32>>())
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Idle,
    Running { left: u32, sum: u32 },
    Done(u32),
}

#[device]
impl State {
    fn step(&mut self, input: u32) -> bool {
        match self {
            State::Idle => *self = State::Running { left: input % 5, sum: 0 },
            State::Running { left: 0, sum } => *self = State::Done(*sum),
            State::Running { left, sum } => {
                *left -= 1;
                *sum += input;
            }
            State::Done(_) => return false,
        }
        true
    }
}

#[kernel]
fn running(inputs: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < out.len() {
        let mut states = [State::Idle; 2];
        let mut steps = 0;
        while states[i % 2].step(inputs[(i + steps) % inputs.len()]) {
            steps += 1;
        }
        states[1 - i % 2].step(9);
        let other = match states[1 - i % 2] {
            State::Running { left, .. } => left,
            _ => 99,
        };
        out[i] = match states[i % 2] {
            State::Done(sum) => sum * 1000 + other * 100 + steps as u32,
            State::Idle | State::Running { .. } => u32::MAX,
        };
    }
}

fn state_machine(on: &Engine) -> Check {
    let inputs: Vec<u32> = (0..37).map(|i| i * 3 + 1).collect();
    let mut out = vec![0; 64];
    launch!(on, running(read inputs, write out), LaunchConfig::cover(64))?;
    let want: Vec<u32> = (0..64)
        .map(|i| {
            let left = inputs[i % 37] as usize % 5;
            let sum: u32 = (1..=left).map(|step| inputs[(i + step) % 37]).sum();
            sum * 1000 + 400 + left as u32 + 2
        })
        .collect();
    same("out", &out, &want)
}

const LIMIT: i32 = 60;

#[kernel(open(LIMIT))]
fn classified(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = match x[i] {
            i32::MIN..=-50 => 1,
            -49..0 => 2,
            0 => 3,
            n @ (1 | 3 | 5 | 7 | 9) if n != 5 => 10 + n,
            n @ 1..10 => 20 + n,
            n if n >= LIMIT && n % 2 == 0 => match n {
                60 => 30,
                100.. => 31,
                _ => 32,
            },
            10 | 20 | 30 => 40,
            _ if i % 2 == 0 => 50,
            _ => 60,
        };
    }
}

fn ranges_and_guards(on: &Engine) -> Check {
    let mut x: Vec<i32> = (-60..140).collect();
    x.extend([i32::MIN, i32::MAX, i32::MAX - 1]);
    let mut out = vec![0; x.len()];
    launch!(on, classified(read x, write out), LaunchConfig::cover(x.len()))?;
    let class = |(i, &x): (usize, &i32)| {
        if x <= -50 {
            1
        } else if x < 0 {
            2
        } else if x == 0 {
            3
        } else if x < 10 {
            if x % 2 == 1 && x != 5 { 10 + x } else { 20 + x }
        } else if x >= 60 && x % 2 == 0 {
            if x == 60 {
                30
            } else if x >= 100 {
                31
            } else {
                32
            }
        } else if x <= 30 && x % 10 == 0 {
            40
        } else if i % 2 == 0 {
            50
        } else {
            60
        }
    };
    let want: Vec<i32> = x.iter().enumerate().map(class).collect();
    same("out", &out, &want)
}

#[kernel]
fn bound(x: &[u8], out: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        let pair = (x[i], x[i] % 3 == 0);
        out[i] = match pair {
            all @ (0..100, true) => all.0 as u32 + 1000,
            (byte @ b'a'..=b'z', yes) => byte as u32 + yes as u32 + 2000,
            (low @ ..100, false) | (low @ 200.., true) => low as u32 + 3000,
            (_, true) if x[i] > 150 => 4000,
            (ref rest, _) => *rest as u32 + 5000,
        };
    }
}

fn bindings(on: &Engine) -> Check {
    let x: Vec<u8> = (0..=255).collect();
    let mut out = vec![0; 256];
    launch!(on, bound(read x, write out), LaunchConfig::cover(256))?;
    let want: Vec<u32> = (0..256)
        .map(|x| match x % 3 == 0 {
            true if x < 100 => x + 1000,
            yes if (97..=122).contains(&x) => x + u32::from(yes) + 2000,
            false if x < 100 => x + 3000,
            true if x >= 200 => x + 3000,
            true if x > 150 => 4000,
            _ => x + 5000,
        })
        .collect();
    same("out", &out, &want)
}

#[device]
impl Kind {
    const CODE: u32 = 5;
    const EDGES: (u32, u32) = (10, 20);
}

#[device]
const SEVEN: u32 = 7;

#[kernel]
fn named(x: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = match x[i] {
            Kind::CODE => 1,
            SEVEN => 2,
            u32::MAX => 3,
            n if n >= Kind::EDGES.0 && n < Kind::EDGES.1 => 4,
            _ => 5,
        };
    }
}

fn constants(on: &Engine) -> Check {
    let x = vec![0, 5, 7, 9, 10, 19, 20, u32::MAX, u32::MAX - 1];
    let mut out = vec![0; 9];
    launch!(on, named(read x, write out), LaunchConfig::cover(9))?;
    same("out", &out, &[5, 1, 2, 5, 4, 4, 5, 3, 5])
}

#[kernel]
fn arrays(x: &[[i16; 4]], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = match x[i] {
            [0, .., 0] => 1,
            [a, b, rest @ ..] if a == b => rest[0] as i32 + rest[1] as i32,
            [first, .., last] if first > last => first as i32 - last as i32,
            [_, middle @ .., _] => middle[1] as i32 * 100,
        };
        let [[a, _, _, b], [c, ..]] = [x[i], [7; 4]];
        out[i] += (a * b + c) as i32;
    }
}

fn array_patterns(on: &Engine) -> Check {
    let x: Vec<[i16; 4]> = (0..256).map(|i| [i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6]).collect();
    let mut out = vec![0; 256];
    launch!(on, arrays(read x, write out), LaunchConfig::cover(256))?;
    let want: Vec<i32> = x
        .iter()
        .map(|x| {
            let [a, b, c, d] = x.map(i32::from);
            let first = if a == 0 && d == 0 {
                1
            } else if a == b {
                c + d
            } else if a > d {
                a - d
            } else {
                c * 100
            };
            first + a * d + 7
        })
        .collect();
    same("out", &out, &want)
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Add(i32),
    Sub { by: i32 },
    Negate,
}

#[device]
impl Step {
    fn after(self, x: i32) -> i32 {
        use Step::*;
        match self {
            Add(by) => x + by,
            Sub { by } => x - by,
            Negate => -x,
        }
    }
}

#[device]
impl TryFrom<u8> for Step {
    type Error = u8;
    fn try_from(code: u8) -> Result<Self, u8> {
        use Step::{self as Made, *};
        match code {
            0 => Ok(Negate),
            1..=9 => Ok(Add(code as i32)),
            10..=19 => Ok(Made::Sub { by: code as i32 }),
            other => Err(other),
        }
    }
}

/// Variants by a `*`, and `try_into` by an `impl` of `TryFrom`.
#[kernel]
fn stepped(codes: &[u8], out: &mut [i32]) {
    let i = global_idx_x();
    let step: Result<Step, _> = codes[i].try_into();
    out[i] = match step {
        Ok(step) => step.after(100),
        Err(code) => code as i32,
    };
}

fn by_star(on: &Engine) -> Check {
    let codes: Vec<u8> = (0..40).collect();
    let mut out = vec![0; 40];
    launch!(on, stepped(read codes, write out), LaunchConfig::grid(1).block(40))?;
    let want: Vec<i32> = (0..40)
        .map(|code| match code {
            0 => -100,
            1..=9 => 100 + code,
            10..=19 => 100 - code,
            other => other,
        })
        .collect();
    same("out", &out, &want)
}

#[device]
fn radius(shape: &Shape) -> Option<f32> {
    let Shape::Disc(radius) = shape else {
        return None;
    };
    Some(*radius)
}

#[kernel]
fn otherwise(shapes: &[Shape], out: &mut [f32]) {
    let i = global_idx_x();
    if i >= shapes.len() {
        return;
    }
    let Some(radius) = radius(&shapes[i]) else {
        let Shape::Of(_, [byte, ..]) = shapes[i] else { return };
        out[i] = byte as f32;
        return;
    };
    out[i] = -radius;
}

fn let_else(on: &Engine) -> Check {
    let x = shapes(60);
    let mut out = vec![0.5; 60];
    launch!(on, otherwise(read x, write out), LaunchConfig::cover(60))?;
    let want: Vec<f32> = (0..60u8)
        .map(|i| match i % 7 {
            1 => -f32::from(i),
            4 | 5 => i.into(),
            6 => 0.0,
            _ => 0.5,
        })
        .collect();
    same("out", &out, &want)
}

#[kernel]
fn chained(shapes: &[Shape], x: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        let found = next_collatz(x[i]);
        out[i] = if let Some(next) = found
            && next > 4
            && let Some(second) = next_collatz(next)
            && !matches!(second, 10 | 16)
        {
            next * 1000 + second
        } else if let Shape::Box { corner: Corner { size, .. }, .. } = shapes[i] {
            size[1] as u32
        } else if matches!(shapes[i], Shape::Of(Kind::Light | Kind::Strange, [a, ..]) if a > 10) {
            77
        } else {
            5
        };
    }
}

fn chains(on: &Engine) -> Check {
    let shapes = shapes(80);
    let x: Vec<u32> = (0..80).collect();
    let mut out = vec![0; 80];
    launch!(on, chained(read shapes, read x, write out), LaunchConfig::cover(80))?;
    let step = |n: u32| if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
    let want: Vec<u32> = (0..80)
        .map(|i| {
            let (next, second) = (step(i), step(step(i)));
            if i > 1 && next > 4 && second != 10 && second != 16 {
                next * 1000 + second
            } else {
                match i % 7 {
                    2 | 3 => 2,
                    4 if i > 10 => 77,
                    _ => 5,
                }
            }
        })
        .collect();
    same("out", &out, &want)
}

#[kernel]
fn looping(x: &[u32], out: &mut [Corner]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut n = x[i];
        out[i] = 'outer: loop {
            let found = loop {
                n += 1;
                if n % 11 == 0 {
                    break 'outer Corner { solid: true, size: [n as f32; 2] };
                }
                if n % 7 == 0 {
                    break (n, n / 7);
                }
            };
            if found.1 % 2 == 1 {
                continue;
            }
            let corner = 'block: {
                if n % 4 == 0 {
                    break 'block Corner { solid: false, size: [0.0, found.0 as f32] };
                }
                Corner { solid: true, size: [1.0, found.1 as f32] }
            };
            break corner;
        };
    }
}

fn values_of_loops(on: &Engine) -> Check {
    let x: Vec<u32> = (0..150).collect();
    let mut out = vec![Corner { solid: false, size: [0.0; 2] }; 150];
    launch!(on, looping(read x, write out), LaunchConfig::cover(150))?;
    let want: Vec<Corner> = x
        .iter()
        .map(|x| {
            let n = (x + 1..).find(|n| n % 11 == 0 || n % 14 == 0).expect("there is one");
            match (n % 11, n % 4) {
                (0, _) => Corner { solid: true, size: [n as f32; 2] },
                (_, 0) => Corner { solid: false, size: [0.0, n as f32] },
                _ => Corner { solid: true, size: [1.0, (n / 7) as f32] },
            }
        })
        .collect();
    equal("out", &out, &want)
}
