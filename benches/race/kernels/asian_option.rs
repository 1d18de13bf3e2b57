//! An Asian option by Monte Carlo: a path of 64 steps for each thread, with normal numbers from
//! Philox and the transform of Box and Muller; each block sums its payoffs.
use super::prelude::*;

/// Returns four random words (Philox 4x32 with ten rounds).
#[device]
fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let [mut a, mut b, mut c, mut d] = counter;
    let [mut k0, mut k1] = key;
    for _ in 0..10 {
        let first = 0xd251_1f53u64 * a as u64;
        let second = 0xcd9e_8d57u64 * c as u64;
        a = (second >> 32) as u32 ^ b ^ k0;
        b = second as u32;
        c = (first >> 32) as u32 ^ d ^ k1;
        d = first as u32;
        k0 = k0.wrapping_add(0x9e37_79b9);
        k1 = k1.wrapping_add(0xbb67_ae85);
    }
    [a, b, c, d]
}

/// Returns two normal numbers.
#[device]
fn normals(a: u32, b: u32) -> (f32, f32) {
    let u = ((a >> 8) as f32 + 0.5) / 16_777_216.0;
    let v = (b >> 8) as f32 / 16_777_216.0;
    let radius = (-2.0 * u.ln()).sqrt();
    let (sin, cos) = (std::f32::consts::TAU * v).sin_cos();
    (radius * cos, radius * sin)
}

#[kernel(block = 256)]
fn asian_option(spot: f32, strike: f32, drift: f32, volatility: f32, seed: u32, sums: &mut [f32]) {
    let path = global_idx_x() as u32;
    let mut growth = 0.0;
    let mut total = 0.0;
    for k in 0..16 {
        let words = philox([path, k, 0, 0], [seed, 0]);
        let (a, b) = normals(words[0], words[1]);
        let (c, d) = normals(words[2], words[3]);
        for normal in [a, b, c, d] {
            growth += drift + volatility * normal;
            total += growth.exp();
        }
    }
    let payoff = (spot * total / 64.0 - strike).max(0.0);
    let sum = block::reduce_add(payoff);
    if thread_idx_x() == 0 {
        sums[block_idx_x()] = sum;
    }
}

fn problem(scale: Scale) -> Problem {
    let blocks = scale.pick(2, 4096);
    let (spot, strike, drift, volatility, seed) = (100.0f32, 101.0f32, 0.0003f32, 0.02f32, 17u32);
    let expected = || {
        let known = [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8];
        assert_eq!(philox([0; 4], [0; 2]), known, "the known answer of Philox");
        let payoff = |path: u32| {
            let (mut growth, mut total) = (0.0, 0.0);
            for k in 0..16 {
                for pair in philox([path, k, 0, 0], [seed, 0]).chunks_exact(2) {
                    let u = (f64::from(pair[0] >> 8) + 0.5) / f64::from(1 << 24);
                    let angle =
                        std::f64::consts::TAU * f64::from(pair[1] >> 8) / f64::from(1 << 24);
                    for normal in [angle.cos(), angle.sin()].map(|x| x * (-2.0 * u.ln()).sqrt()) {
                        growth += f64::from(drift) + f64::from(volatility) * normal;
                        total += growth.exp();
                    }
                }
            }
            (f64::from(spot) * total / 64.0 - f64::from(strike)).max(0.0)
        };
        let sum = |block: u32| (256 * block..256 * block + 256).map(payoff).sum::<f64>() as f32;
        (0..blocks as u32).map(sum).collect()
    };
    let mut buffers = Buffers::new(scale);
    let sums_id = buffers.output(&vec![0.0f32; blocks], Agreement::Within(1e-4), expected);
    let all = args![spot, strike, drift, volatility, seed, sums_id];
    Problem {
        grid: [blocks as u32, 1, 1],
        block: [256, 1, 1],
        rust: all.clone(),
        cuda: all,
        buffers,
        work: Work::Items(64 * 256 * blocks),
    }
}

benchmark!(asian_option, "FFMA");
