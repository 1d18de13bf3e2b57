//! Constants and parameters that are indexed at run time: tables, arrays passed by value, and
//! parameters in constant memory.
use crate::run::engine::{Check, Engine, cases, fault, launch, same};
use warpwise::{F32x4, prelude::*};

cases![
    tables,
    passed_arrays,
    passed_composites,
    changed_copies,
    filters,
    bounded_slices,
    generic_constants,
    one_value,
    many_kinds,
    references,
    out_of_bounds: FAULTS,
];

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

#[device]
fn weighed(taps: &[f32], x: &[f32]) -> f32 {
    let mut sum = 0.0;
    for (tap, x) in taps.iter().zip(x) {
        sum += tap * x;
    }
    sum
}

/// Reads a filter element by element, by rows in a device function, and in parts.
#[kernel]
fn filtered(#[constant] taps: &[f32; 9], width: usize, x: &[f32], out: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column + 2 >= width || (row + 3) * width > x.len() {
        return;
    }
    let mut sum = 0.0;
    for k in 0..9 {
        sum += taps[k] * x[(row + k / 3) * width + column + k % 3];
    }
    let mut rows = 0.0;
    for k in 0..3 {
        let first = (row + k) * width + column;
        rows += weighed(&taps[3 * k..3 * k + 3], &x[first..first + 3]);
    }
    let at = (row * width + column) * 2;
    if at + 1 < out.len() {
        out[at] = sum;
        out[at + 1] = rows;
    }
}

fn filters(on: &Engine) -> Check {
    let (width, height) = (40, 9);
    let x: Vec<f32> = (0..width * height).map(|i| (i * 7 % 23) as f32).collect();
    for scale in [1.0_f32, -0.5] {
        let taps = [1.0, 2.0, 1.0, 2.0, 4.0, 2.0, 1.0, 2.0, 1.0].map(|tap: f32| tap * scale);
        let mut out = vec![0.0; 2 * width * height];
        let config = LaunchConfig::cover((width, height)).block((16, 4));
        launch!(on, filtered(constant taps, value width, read x, write out), config)?;
        let mut expected = vec![0.0; 2 * width * height];
        for row in 0..height - 2 {
            for column in 0..width - 2 {
                let of = |k: usize| taps[k] * x[(row + k / 3) * width + column + k % 3];
                let sum: f32 = (0..9).map(of).sum();
                expected[(row * width + column) * 2..][..2].fill(sum);
            }
        }
        same("out", &out, &expected)?;
    }
    Ok(())
}

/// Reads a slice of structs by an index of each thread, and its length.
#[kernel(requires(!lights.is_empty()))]
fn lit(#[constant(max = 100)] lights: &[Light], #[constant(max = 7)] more: &[u8], out: &mut [f64]) {
    let i = global_idx_x();
    if i < out.len() {
        let light = lights[i % lights.len()];
        let mut sum = light.power * lights.len() as f64;
        if light.on {
            sum += light.place[i % 3] as f64;
        }
        for number in more {
            sum += *number as f64;
        }
        out[i] = sum;
    }
}

fn bounded_slices(on: &Engine) -> Check {
    for (count, others) in [(1, 0), (3, 7), (100, 4)] {
        let light = |n: usize| Light {
            place: [n as f32, 0.5, -1.0],
            power: n as f64 - 2.0,
            on: n % 3 != 1,
        };
        let lights: Vec<Light> = (0..count).map(light).collect();
        let more: Vec<u8> = (0..others).map(|n| 250 + n as u8).collect();
        let mut out = vec![0.0; 130];
        let config = LaunchConfig::cover(130).block(64);
        launch!(on, lit(constants lights, constants more, write out), config)?;
        let expected = |i: usize| {
            let light = lights[i % count];
            let mut sum = light.power * count as f64;
            if light.on {
                sum += f64::from(light.place[i % 3]);
            }
            sum + more.iter().map(|&number| f64::from(number)).sum::<f64>()
        };
        same("out", &out, &(0..130).map(expected).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Evaluates a polynomial with any number of coefficients of any type.
#[kernel]
fn polynomial<T: Num, const N: usize>(#[constant] factors: &[T; N], x: &[T], out: &mut [T]) {
    let i = global_idx_x();
    if i < out.len() && i < x.len() {
        let mut sum = factors[N - 1];
        for k in 1..N {
            sum = sum * x[i] + factors[N - 1 - k];
        }
        out[i] = sum;
    }
}

fn generic_constants(on: &Engine) -> Check {
    let (factors, x) = ([3_i64, -2, 5, 1], vec![-3_i64, 0, 1, 10]);
    let mut out = vec![0; 4];
    launch!(on, polynomial::<i64, 4>(constant factors, read x, write out), LaunchConfig::cover(4))?;
    same("out", &out, &x.iter().map(|x| 3 - 2 * x + 5 * x * x + x * x * x).collect::<Vec<_>>())?;
    let (factors, x) = ([0.5_f32, 2.0], vec![-3.0_f32, 0.25]);
    let mut out = vec![0.0; 2];
    launch!(on, polynomial::<f32, 2>(constant factors, read x, write out), LaunchConfig::cover(2))?;
    same("out", &out, &[-5.5, 1.0])
}

#[kernel]
fn one(#[constant] light: &Light, #[constant] offset: &i32, out: &mut [f64]) {
    let i = global_idx_x();
    if i < out.len() && light.on {
        out[i] = light.power + light.place[i % 3] as f64 + *offset as f64;
    }
}

fn one_value(on: &Engine) -> Check {
    for offset in [-7, 1000] {
        let light = Light { place: [1.0, 2.0, 4.0], power: 0.5, on: true };
        let mut out = vec![0.0; 5];
        launch!(on, one(constant light, constant offset, write out), LaunchConfig::cover(5))?;
        let expected = |i: usize| 0.5 + f64::from([1.0_f32, 2.0, 4.0][i % 3]) + f64::from(offset);
        same("out", &out, &(0..5).map(expected).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Reads rows, vectors, flags and halves, in one request where that is possible.
#[kernel]
fn kinds(
    #[constant] rows: &[[i16; 3]; 4],
    #[constant(max = 5)] quads: &[F32x4],
    #[constant] flags: &[bool; 3],
    #[constant] halves: &[f16; 2],
    #[constant] pairs: &[(u8, u32); 2],
    out: &mut [f32],
) {
    let i = global_idx_x();
    if i < out.len() {
        let row = rows[i % 4];
        let quad = quads[block_idx_x() % quads.len()];
        let mut sum = (row[0] + rows[3][i % 3]) as f32 + quad.x + quad.w;
        if flags[i % 3] {
            sum += f32::from(halves[i % 2]);
        }
        let (small, large) = pairs[i / 2 % 2];
        out[i] = sum + small as f32 - large as f32;
    }
}

fn many_kinds(on: &Engine) -> Check {
    let rows = [[1_i16, 2, 3], [-4, 5, 6], [7, -8, 9], [10, 11, -12]];
    let quads = vec![F32x4::splat(0.5), F32x4::new(1.0, 2.0, 3.0, 4.0)];
    let (flags, halves) = ([true, false, true], [1.5, -2.5].map(f16::from_f32));
    let pairs = [(200_u8, 3_u32), (7, 100)];
    let mut out = vec![0.0; 90];
    launch!(
        on,
        kinds(
            constant rows, constants quads, constant flags, constant halves, constant pairs, write out
        ),
        LaunchConfig::cover(90).block(32)
    )?;
    let expected = |i: usize| {
        let quad = quads[i / 32 % 2];
        let mut sum = f32::from(rows[i % 4][0] + rows[3][i % 3]) + quad.x + quad.w;
        if flags[i % 3] {
            sum += halves[i % 2].to_f32();
        }
        let (small, large) = pairs[i / 2 % 2];
        sum + f32::from(small) - large as f32
    };
    same("out", &out, &(0..90).map(expected).collect::<Vec<_>>())
}

/// Chooses between parts of constant memory, and keeps a reference to it in a variable.
#[kernel]
fn referred(#[constant] first: &[u32; 6], #[constant(max = 10)] second: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    let mut part: &[u32] = &first[..3];
    if i % 2 == 1 {
        part = if i % 4 == 1 { &second[1..] } else { &first[3..] };
    }
    if i < out.len() {
        let (last, rest) = part.split_last().unwrap();
        out[i] = *last + rest.iter().sum::<u32>() * 10;
    }
}

fn references(on: &Engine) -> Check {
    let (first, second) = ([1_u32, 2, 3, 4, 5, 6], vec![7_u32, 8, 9, 10]);
    let mut out = vec![0; 9];
    launch!(on, referred(constant first, constants second, write out), LaunchConfig::cover(9))?;
    let expected = |i: usize| {
        let part = match i % 4 {
            1 => &second[1..],
            3 => &first[3..],
            _ => &first[..3],
        };
        let (last, rest) = part.split_last().expect("no part is empty");
        last + rest.iter().sum::<u32>() * 10
    };
    same("out", &out, &(0..9).map(expected).collect::<Vec<_>>())
}

#[kernel]
fn far(#[constant(max = 10)] x: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    out[i] = x[i + 1];
}

fn out_of_bounds(on: &Engine) -> Check {
    let (x, mut out) = (vec![1_u32, 2, 3], vec![0; 3]);
    let panic = fault(launch!(on, far(constants x, write out), LaunchConfig::cover(3).block(3)))?;
    let found = [panic.index, panic.len].map(Option::unwrap_or_default);
    same("index and length", &found, &[3, 3])?;
    same("out", &out[..2], &[2, 3])
}
