//! Constants and parameters that are indexed at run time: tables, and arrays passed by value.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![tables, passed_arrays, passed_composites, changed_copies];

#[device]
const PRIMES: [u32; 16] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53];

#[device]
const ROWS: [[i16; 3]; 4] = [[1, -2, 3], [-4, 5, -6], [7, -8, 9], [-10, 11, -12]];

/// Reads tables by an index of each thread, of the block, and of a loop of unknown length.
#[kernel]
fn looked_up(n: u32, out: &mut [i64]) {
    let i = global_idx_x();
    if i < out.len() {
        let mut sum = PRIMES[i % 16] as i64 * 1000;
        for k in 0..n as usize {
            sum += PRIMES[(k * 5 + block_idx_x()) % 16] as i64 * ROWS[k % 4][i % 3] as i64;
        }
        out[i] = sum;
    }
}

fn tables(on: &Engine) -> Check {
    for n in [0_u32, 1, 7, 40] {
        let mut out = vec![0; 100];
        launch!(on, looked_up(value n, write out), LaunchConfig::cover(100).block(40))?;
        let expected = |i: usize| {
            let of =
                |k: usize| i64::from(PRIMES[(k * 5 + i / 40) % 16]) * i64::from(ROWS[k % 4][i % 3]);
            i64::from(PRIMES[i % 16]) * 1000 + (0..n as usize).map(of).sum::<i64>()
        };
        same("out", &out, &(0..100).map(expected).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Reads arrays of parameters of all sizes by indices of each thread and of the block.
#[kernel]
fn passed(
    bytes: [u8; 5],
    flags: [bool; 3],
    weights: [f32; 9],
    halves: [f16; 4],
    wide: [f64; 2],
    out: &mut [f64],
) {
    let i = global_idx_x();
    if i < out.len() {
        let mut sum = bytes[i % 5] as f64 + weights[8 - i % 9] as f64;
        if flags[i % 3] {
            sum += wide[block_idx_x() % 2];
        }
        for k in 0..i {
            sum += weights[k % 9] as f64 + f32::from(halves[k % 4]) as f64;
        }
        out[i] = sum + wide[1] + weights[4] as f64;
    }
}

fn passed_arrays(on: &Engine) -> Check {
    let (bytes, flags, wide) = ([1_u8, 20, 255, 7, 90], [true, false, true], [0.5_f64, -64.0]);
    let weights = [1.0_f32, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0, -8.0, 9.0];
    let halves = [1.5, 2.5, -3.5, 0.25].map(f16::from_f32);
    let mut out = vec![0.0; 70];
    launch!(
        on,
        passed(value bytes, value flags, value weights, value halves, value wide, write out),
        LaunchConfig::cover(70).block(32)
    )?;
    let expected = |i: usize| {
        let mut sum = f64::from(bytes[i % 5]) + f64::from(weights[8 - i % 9]);
        if flags[i % 3] {
            sum += wide[i / 32 % 2];
        }
        for k in 0..i {
            sum += f64::from(weights[k % 9]) + f64::from(halves[k % 4].to_f32());
        }
        sum + wide[1] + f64::from(weights[4])
    };
    same("out", &out, &(0..70).map(expected).collect::<Vec<_>>())
}

#[device]
#[derive(Clone, Copy)]
struct Light {
    place: [f32; 3],
    power: f64,
    on: bool,
}

#[device]
#[derive(Clone, Copy)]
struct Point {
    x: i32,
    y: i32,
}

/// Reads arrays of structs, tuples and options, with and without gaps between their fields.
#[kernel]
fn composed(
    lights: [Light; 3],
    points: [Point; 4],
    pairs: [(u8, u32); 2],
    maybe: [Option<u16>; 3],
    out: &mut [f64],
) {
    let i = global_idx_x();
    if i < out.len() {
        let light = lights[i % 3];
        let point = points[i % 4];
        let mut sum = (point.x * 100 + point.y) as f64;
        if light.on {
            sum += light.place[i % 2] as f64 * light.power;
        }
        let (small, large) = pairs[i % 2];
        sum += small as f64 - large as f64;
        if let Some(more) = maybe[i % 3] {
            sum += more as f64 * 0.5;
        }
        out[i] = sum;
    }
}

fn passed_composites(on: &Engine) -> Check {
    let light =
        |n: f32| Light { place: [n, n + 0.5, 9.0], power: f64::from(n) - 2.0, on: n != 2.0 };
    let lights = [light(1.0), light(2.0), light(3.0)];
    let points = [(1, 2), (-3, 4), (5, -6), (7, 8)].map(|(x, y)| Point { x, y });
    let (pairs, maybe) = ([(200_u8, 70_000_u32), (3, 4)], [Some(9_u16), None, Some(60_000)]);
    let mut out = vec![0.0; 50];
    launch!(
        on,
        composed(value lights, value points, value pairs, value maybe, write out),
        LaunchConfig::cover(50).block(64)
    )?;
    let expected = |i: usize| {
        let (light, point) = (lights[i % 3], points[i % 4]);
        let mut sum = f64::from(point.x * 100 + point.y);
        if light.on {
            sum += f64::from(light.place[i % 2]) * light.power;
        }
        sum += f64::from(pairs[i % 2].0) - f64::from(pairs[i % 2].1);
        sum + maybe[i % 3].map_or(0.0, |more| f64::from(more) * 0.5)
    };
    same("out", &out, &(0..50).map(expected).collect::<Vec<_>>())
}

/// Changes its own copy of a parameter, and reads the parameter, too.
#[kernel]
fn changed(mut own: [u32; 4], other: [u32; 4], out: &mut [u32]) {
    let i = global_idx_x();
    own[i % 4] += other[(i + 1) % 4];
    let mut third = other;
    third[i % 3] = 1000;
    if i < out.len() {
        out[i] = own[(i / 2) % 4] * 3 + third[i % 4] + other[i % 4];
    }
}

fn changed_copies(on: &Engine) -> Check {
    let (own, other) = ([1_u32, 2, 3, 4], [10_u32, 20, 30, 40]);
    let mut out = vec![0; 33];
    launch!(on, changed(value own, value other, write out), LaunchConfig::cover(33).block(33))?;
    let expected = |i: usize| {
        let mut own = own;
        own[i % 4] += other[(i + 1) % 4];
        let mut third = other;
        third[i % 3] = 1000;
        own[(i / 2) % 4] * 3 + third[i % 4] + other[i % 4]
    };
    same("out", &out, &(0..33).map(expected).collect::<Vec<_>>())
}
