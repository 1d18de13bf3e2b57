//! Pi from random points, with the counter-based generator Philox4x32-10 (Salmon et al., "Parallel
//! random numbers: as easy as 1, 2, 3", 2011): no state, the numbers of a thread are a function of
//! its index.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

/// A stream of numbers for each key.
#[device]
#[derive(Clone, Copy)]
struct Philox {
    key: [u32; 2],
}

#[device]
impl Philox {
    const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
    const STEPS: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

    /// Four random numbers for a counter.
    fn block(self, counter: [u32; 4]) -> [u32; 4] {
        let mut key = self.key;
        let mut value = counter;
        for _ in 0..10 {
            let (high0, low0) = wide_product(Self::MULTIPLIERS[0], value[0]);
            let (high1, low1) = wide_product(Self::MULTIPLIERS[1], value[2]);
            value = [high1 ^ value[1] ^ key[0], low1, high0 ^ value[3] ^ key[1], low0];
            key = [key[0].wrapping_add(Self::STEPS[0]), key[1].wrapping_add(Self::STEPS[1])];
        }
        value
    }
}

/// The upper and the lower half of a product.
#[device]
fn wide_product(a: u32, b: u32) -> (u32, u32) {
    let product = a as u64 * b as u64;
    ((product >> 32) as u32, product as u32)
}

/// From 0 to 1, without 1.
#[device]
fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 / 16_777_216.0
}

/// How many of two points are in the quarter of a circle.
#[device]
fn hits(random: [u32; 4]) -> u32 {
    let [a, b, c, d] = random;
    let inside = |x: u32, y: u32| unit(x) * unit(x) + unit(y) * unit(y) < 1.0;
    inside(a, b) as u32 + inside(c, d) as u32
}

// Without contraction each operation rounds by itself, as in host code, so that the host's `hits`
// are the same.
#[kernel(block = 256, contract = false)]
fn sample(philox: Philox, rounds: u32, inside: &mut [u32]) {
    let i = global_idx_x();
    if i < inside.len() {
        let mut count = 0;
        for round in 0..rounds {
            count += hits(philox.block([i as u32, round, 0, 0]));
        }
        inside[i] = count;
    }
}

fn main() -> warpwise::Result<()> {
    let (threads, rounds) = (1 << 16, 64);
    let philox = Philox { key: [2026, 3] };

    let device = Device::auto()?;
    let mut inside = device.zeros::<u32>(threads)?;
    let config = LaunchConfig::cover(threads);
    let took = time(&device, || sample::launch(&device, config, philox, rounds, &mut inside))?;
    let inside = inside.to_vec()?;

    // The first of the known answers that come with the authors' implementation.
    let zeros = Philox { key: [0; 2] }.block([0; 4]);
    assert_eq!(zeros, [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    let count = |i: u32| (0..rounds).map(|round| hits(philox.block([i, round, 0, 0]))).sum();
    verify(&inside, (0..threads as u32).map(count));
    let points = 2 * threads as u64 * u64::from(rounds);
    report("monte_carlo_pi", format_args!("{points} points"), &device, took);

    let hits: u64 = inside.into_iter().map(u64::from).sum();
    let pi = 4.0 * hits as f64 / points as f64;
    println!("pi is about {pi:.4}");
    Ok(())
}
