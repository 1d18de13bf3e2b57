//! Sizes around 2^31 and 2^32, from which on a launch runs other code.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![guards, remainders, planes, products, wrapping, seeds];

const EDGES: [usize; 8] =
    [5, (1 << 31) - 1, 1 << 31, (1 << 31) + 3, (1 << 32) - 1, 1 << 32, (1 << 32) + 3, usize::MAX];

#[kernel]
fn below(limit: usize, y: &mut [u32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = (i < limit && i + 1 <= limit) as u32;
    }
}

/// A comparison in 32 bits would see 3 in place of 2^32 + 3.
fn guards(on: &Engine) -> Check {
    for limit in EDGES {
        let mut y = vec![7; 10];
        launch!(on, below(value limit, write y), LaunchConfig::cover(10))?;
        let expected: Vec<u32> = (0..10).map(|i| u32::from(i < limit)).collect();
        same("y", &y, &expected)?;
    }
    Ok(())
}

#[kernel]
fn rest(width: usize, offset: usize, y: &mut [u32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = ((offset + 3 * i) % width % 1000) as u32;
        y[i] += ((offset + 3 * i) / width) as u32;
    }
}

fn remainders(on: &Engine) -> Check {
    for width in EDGES {
        for offset in [0, 1 << 31, (1 << 33) + 7] {
            let mut y = vec![0; 10];
            launch!(on, rest(value width, value offset, write y), LaunchConfig::cover(10))?;
            let of = |i: usize| {
                let sum = offset + 3 * i;
                ((sum % width % 1000) as u32).wrapping_add((sum / width) as u32)
            };
            same("y", &y, &(0..10).map(of).collect::<Vec<_>>())?;
        }
    }
    Ok(())
}

#[kernel]
fn plane(width: usize, height: usize, y: &mut [u32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = (i / (width * height) * 100 + i % (width * height)) as u32;
    }
}

/// Products of sizes that fit into 32 bits each. The lower half of the last one is 0, and of the
/// one before it 1.
fn planes(on: &Engine) -> Check {
    for (width, height) in [(1, 1), (2, 3), (70_000, 70_000), (6_700_417, 641), (1 << 16, 1 << 16)]
    {
        let mut y = vec![0; 10];
        launch!(on, plane(value width, value height, write y), LaunchConfig::cover(10))?;
        let of = |i: usize| (i / (width * height) * 100 + i % (width * height)) as u32;
        same("y", &y, &(0..10).map(of).collect::<Vec<_>>())?;
    }
    Ok(())
}

#[kernel]
fn row(width: usize, x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    if i < y.len() {
        let at = i * width;
        y[i] = if at < x.len() { x[at] } else { 9 };
        for k in (0..3 * width).step_by(width) {
            y[i] += (k / width) as u32;
        }
    }
}

/// Only row 0 is in the slice, and the product of a width of 2^32 has no lower half.
fn products(on: &Engine) -> Check {
    for width in EDGES.into_iter().filter(|width| width.checked_mul(10).is_some()) {
        let mut y = vec![0; 10];
        let x = [4, 5, 6];
        launch!(on, row(value width, read x, write y), LaunchConfig::cover(10))?;
        let expected: Vec<u32> = (0..10).map(|i| if i == 0 { 7 } else { 12 }).collect();
        same("y", &y, &expected)?;
    }
    Ok(())
}

#[kernel]
fn around(size: usize, x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    if i < y.len() && i < size {
        let before = (i + size - 1) % size;
        y[i] = if before < x.len() { x[before] } else { 100 };
    }
}

/// The sum of two sizes has 33 bits.
fn wrapping(on: &Engine) -> Check {
    for size in EDGES.into_iter().filter(|size| size.checked_add(10).is_some()) {
        let mut y = vec![0; 5];
        let x = [1, 2, 3, 4];
        launch!(on, around(value size, read x, write y), LaunchConfig::cover(5))?;
        same("y", &y, &[100, 1, 2, 3, 4])?;
    }
    Ok(())
}

#[kernel]
fn hash(seed: u64, y: &mut [u32]) {
    let i = global_idx_x();
    if i < y.len() {
        let mixed = (i as u64 ^ seed) * 0x9e37_79b9_7f4a_7c15;
        y[i] = (mixed >> 40) as u32;
    }
}

/// A seed is no size, and any value of it runs the same code.
fn seeds(on: &Engine) -> Check {
    for seed in [0, 1 << 31, u64::MAX] {
        let mut y = vec![0; 10];
        launch!(on, hash(value seed, write y), LaunchConfig::cover(10))?;
        let of = |i: u64| ((i ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u32;
        same("y", &y, &(0..10).map(of).collect::<Vec<_>>())?;
    }
    Ok(())
}
