//! Finance: `binomialOptions`, and `SobolQRNG` with an integral by its numbers.
use super::close;
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

cases![binomial: THREADS_MEET, sobol];

#[device]
#[derive(Clone, Copy)]
struct Terms {
    spot: f32,
    strike: f32,
    years: f32,
}

/// Computes the price of an American put, one option per block: backward through a tree of prices,
/// whose last level is in shared memory.
#[kernel(block = 128)]
fn american_put(rate: f32, volatility: f32, terms: &[Terms], prices: &mut [f32]) {
    let level = shared!([f32; 129]);
    let Terms { spot, strike, years } = terms[block_idx_x()];
    let steps = block_dim_x();
    let step = years / steps as f32;
    let up = (volatility * step.sqrt()).exp();
    let discount = (-rate * step).exp();
    let chance = ((rate * step).exp() - up.recip()) / (up - up.recip());
    let price = |ups: usize, of: usize| spot * up.powi(2 * ups as i32 - of as i32);
    let exercised = |price: f32| (strike - price).max(0.0);
    let t = thread_idx_x();
    level[t] = exercised(price(t, steps));
    if t == 0 {
        level[steps] = exercised(price(steps, steps));
    }
    for of in (0..steps).rev() {
        sync_threads();
        let (down, up) = (level[t], level[t + 1]);
        sync_threads();
        if t <= of {
            let held = discount * (chance * up + (1.0 - chance) * down);
            level[t] = held.max(exercised(price(t, of)));
        }
    }
    if t == 0 {
        prices[block_idx_x()] = level[0];
    }
}

fn binomial(on: &Engine) -> Check {
    let (rate, volatility) = (0.06, 0.3);
    let terms: Vec<Terms> = [(100.0, 100.0, 1.0), (80.0, 100.0, 0.5), (120.0, 100.0, 2.0)]
        .map(|(spot, strike, years)| Terms { spot, strike, years })
        .to_vec();
    let mut prices = vec![0.0; 3];
    launch!(
        on,
        american_put(value rate, value volatility, read terms, write prices),
        LaunchConfig::grid(3)
    )?;
    let want: Vec<f64> = terms
        .iter()
        .map(|terms| {
            let [spot, strike, years] = [terms.spot, terms.strike, terms.years].map(f64::from);
            let (rate, volatility) = (f64::from(rate), f64::from(volatility));
            let step = years / 128.0;
            let up = (volatility * step.sqrt()).exp();
            let chance = ((rate * step).exp() - 1.0 / up) / (up - 1.0 / up);
            let worth = |ups: i32, of: i32| (strike - spot * up.powi(2 * ups - of)).max(0.0);
            let mut level: Vec<f64> = (0..=128).map(|ups| worth(ups, 128)).collect();
            for of in (0..128).rev() {
                for ups in 0..=of {
                    let held = chance * level[ups + 1] + (1.0 - chance) * level[ups];
                    level[ups] = ((-rate * step).exp() * held).max(worth(ups as i32, of as i32));
                }
            }
            level[0]
        })
        .collect();
    close("prices", &prices, &want, 2e-3)
}

/// Returns the point of this number in a Sobol sequence: a direction for each bit of its Gray code.
#[device]
fn sobol_point(directions: &[u32; 32], number: u32) -> u32 {
    let gray = number ^ number >> 1;
    let bits = directions.iter().enumerate().filter(|(bit, _)| gray >> *bit & 1 == 1);
    bits.fold(0, |point, (_, direction)| point ^ *direction)
}

/// Computes the points; each row of blocks has a dimension.
#[kernel]
fn sequences(directions: &[[u32; 32]], out: &mut [f32]) {
    let (n, dimension) = (out.len() / directions.len(), block_idx_y());
    for i in (global_idx_x()..n).step_by(grid_dim_x() * block_dim_x()) {
        let point = sobol_point(&directions[dimension], i as u32);
        out[dimension * n + i] = point as f32 * 2.0f32.powi(-32);
    }
}

/// Counts the points of the first two dimensions that are in a quarter of a disc.
#[kernel]
fn inside(points: &[f32], hits: &[AtomicU32]) {
    let i = global_idx_x();
    let (x, y) = points.split_at(points.len() / 2);
    if i < x.len() && x[i].hypot(y[i]) < 1.0 {
        hits[0].fetch_add(1, Ordering::Relaxed);
    }
}

fn sobol(on: &Engine) -> Check {
    // Of degree 0, and of x + 1, by Joe and Kuo.
    let first: [u32; 32] = std::array::from_fn(|bit| 1 << (31 - bit));
    let mut second = first;
    for bit in 1..32 {
        second[bit] = second[bit - 1] ^ second[bit - 1] >> 1;
    }
    let directions = vec![first, second];
    let mut points = vec![0.0; 2 * 4096];
    let config = LaunchConfig::grid((2, 2)).block((128, 1));
    launch!(on, sequences(read directions, write points), config)?;
    let mut want = Vec::new();
    for directions in &directions {
        let mut point = 0;
        for number in 1..=4096u32 {
            want.push(point as f32 * 2.0f32.powi(-32));
            point ^= directions[number.trailing_zeros() as usize];
        }
    }
    same("points", &points, &want)?;
    let mut hits = vec![0];
    launch!(on, inside(read points, atomic hits), LaunchConfig::cover(4096))?;
    close("pi", &[hits[0] as f32 / 1024.0], &[std::f64::consts::PI], 3e-3)
}
