//! Structs, enums and arrays in memory and by value.
use crate::run::engine::{Check, Engine, cases, equal, launch};
use warpwise::prelude::*;

cases![structs, enums_with_data, enums_without_data, arrays, generic_structs];

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Particle {
    alive: bool,
    position: [f64; 3],
    kind: Kind,
    charge: i16,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Light,
    Heavy = 7,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Small {
    A = 3,
    B,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Circle(f32),
    Pair(u8, f64),
    Box { from: [f32; 2], solid: bool },
    Nothing,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair<T: Num, const N: usize>(T, [T; N]);

fn particles(len: u8) -> Vec<Particle> {
    let particle = |index: u8| Particle {
        alive: index.is_multiple_of(3),
        position: [f64::from(index), 1.0, 2.0],
        kind: if index.is_multiple_of(2) { Kind::Light } else { Kind::Heavy },
        charge: i16::from(index) - 3,
    };
    (0..len).map(particle).collect()
}

#[kernel]
fn push(by: Particle, from: &[Particle], to: &mut [Particle]) {
    let i = global_idx_x();
    if i < to.len() {
        let mut particle = from[i];
        particle.position[1] += by.position[0] + by.position[2];
        particle.charge -= by.charge;
        if by.kind == Kind::Heavy && particle.kind != by.kind {
            particle.kind = Kind::Heavy;
        }
        to[i] = particle;
        to[i].alive = by.alive != particle.alive;
    }
}

fn structs(on: &Engine) -> Check {
    let (from, by) = (particles(9), particles(4)[3]);
    let mut to = from.clone();
    launch!(on, push(value by, read from, write to), LaunchConfig::cover(9))?;
    let want = from.iter().map(|&particle| Particle {
        alive: by.alive != particle.alive,
        position: [particle.position[0], 1.0 + (3.0 + 2.0), 2.0],
        kind: Kind::Heavy,
        charge: particle.charge,
    });
    equal("to", &to, &want.collect::<Vec<_>>())
}

#[kernel]
fn areas(shapes: &[Shape], areas: &mut [f64]) {
    let i = global_idx_x();
    if i < areas.len() {
        areas[i] = match shapes[i] {
            Shape::Circle(radius) => f64::from(radius) * 3.0,
            Shape::Pair(a, b) => f64::from(a) * b,
            Shape::Box { from: [x, y], solid } if solid => f64::from(x * y),
            Shape::Box { from, .. } => f64::from(from[0]),
            Shape::Nothing => -1.0,
        };
    }
}

fn enums_with_data(on: &Engine) -> Check {
    let shapes = [
        Shape::Circle(2.0),
        Shape::Pair(3, 2.5),
        Shape::Box { from: [3.0, 4.0], solid: true },
        Shape::Box { from: [3.0, 4.0], solid: false },
        Shape::Nothing,
    ];
    let mut y = vec![0.0; 5];
    launch!(on, areas(read shapes, write y), LaunchConfig::cover(5))?;
    equal("y", &y, &[6.0, 7.5, 12.0, 3.0, -1.0])
}

#[kernel]
fn flip(by: Small, kinds: &[Kind], small: &mut [Small], out: &mut [Kind]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = match kinds[i] {
            Kind::Light => Kind::Heavy,
            Kind::Heavy => Kind::Light,
        };
        small[i] = if small[i] == by { Small::A } else { by };
    }
}

fn enums_without_data(on: &Engine) -> Check {
    let kinds = [Kind::Light, Kind::Heavy, Kind::Heavy];
    let (by, mut small, mut out) = (Small::B, vec![Small::A, Small::B, Small::A], kinds.to_vec());
    launch!(on, flip(value by, read kinds, write small, write out), LaunchConfig::cover(3))?;
    equal("out", &out, &[Kind::Heavy, Kind::Light, Kind::Light])?;
    equal("small", &small, &[Small::B, Small::A, Small::B])
}

#[kernel]
fn rows(weights: [f32; 4], x: &[[f32; 3]], y: &mut [[f32; 3]]) {
    let i = global_idx_x();
    if i < x.len() {
        for k in 0..3 {
            y[i][k] = x[i][k] * weights[k] + weights[3];
        }
    }
}

fn arrays(on: &Engine) -> Check {
    let (weights, x) = ([1.0, 2.0, 3.0, 0.5], [[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let mut y = vec![[0.0; 3]; 2];
    launch!(on, rows(value weights, read x, write y), LaunchConfig::cover(2))?;
    equal("y", &y, &[[1.5, 4.5, 9.5], [4.5, 10.5, 18.5]])
}

#[kernel]
fn pairs<T: Num, const N: usize>(x: &[Pair<T, N>], y: &mut [T]) {
    let i = global_idx_x();
    if i < y.len() {
        let mut sum = x[i].0;
        for k in 0..N {
            sum += x[i].1[k];
        }
        y[i] = sum;
    }
}

fn generic_structs(on: &Engine) -> Check {
    let (x, mut y) = ([Pair(1i64, [2, 3, 4]), Pair(5, [6, 7, 8])], vec![0i64; 2]);
    launch!(on, pairs::<i64, 3>(read x, write y), LaunchConfig::cover(2))?;
    equal("y", &y, &[10, 26])?;
    let (x, mut y) = ([Pair(1u8, [2])], vec![0u8]);
    launch!(on, pairs::<u8, 1>(read x, write y), LaunchConfig::cover(1))?;
    equal("y", &y, &[3])
}
