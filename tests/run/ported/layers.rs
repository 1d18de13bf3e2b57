//! Flows and layers: a lattice Boltzmann method, attention over tiles of keys with an online
//! softmax, AES in blocks, and a median filter.
use super::{close, noise};
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![lattice_boltzmann, tiled_attention: THREADS_MEET, encryption: THREADS_MEET, median_filter];

#[device]
const E: [(isize, isize); 9] =
    [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)];
#[device]
const OPPOSITE: [usize; 9] = [0, 3, 4, 1, 2, 7, 8, 5, 6];
#[device]
const W: [f32; 9] = [
    4.0 / 9.0,
    1.0 / 9.0,
    1.0 / 9.0,
    1.0 / 9.0,
    1.0 / 9.0,
    1.0 / 36.0,
    1.0 / 36.0,
    1.0 / 36.0,
    1.0 / 36.0,
];
#[kernel]
fn lbm(
    width: usize,
    height: usize,
    omega: f32,
    solid: &[bool],
    from: &[[f32; 9]],
    to: &mut [[f32; 9]],
) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x >= width || y >= height {
        return;
    }
    let wrap = |v: usize, d: isize, n: usize| v.checked_add_signed(d).map_or(n - 1, |v| v % n);
    let mut f = [0.0; 9];
    for (q, &(dx, dy)) in E.iter().enumerate() {
        let (sx, sy) = (wrap(x, -dx, width), wrap(y, -dy, height));
        f[q] = from[sy * width + sx][q];
    }
    let here = y * width + x;
    if solid[here] {
        to[here] = OPPOSITE.map(|q| f[q]);
        return;
    }
    let rho: f32 = f.iter().sum();
    let (ux, uy) = f
        .iter()
        .zip(&E)
        .fold((0.0, 0.0), |(ux, uy), (f, e)| (ux + f * e.0 as f32, uy + f * e.1 as f32));
    let (ux, uy) = (ux / rho, uy / rho);
    let usq = ux * ux + uy * uy;
    for ((out, f), (e, w)) in to[here].iter_mut().zip(f).zip(E.iter().zip(W)) {
        let eu = e.0 as f32 * ux + e.1 as f32 * uy;
        let equilibrium = w * rho * (1.0 + 3.0 * eu + 4.5 * eu * eu - 1.5 * usq);
        *out = f + omega * (equilibrium - f);
    }
}

fn lattice_boltzmann(on: &Engine) -> Check {
    let (width, height, omega) = (33, 18, 1.2);
    let solid: Vec<bool> = (0..width * height).map(|i| i % width == 7 && i / width < 9).collect();
    // Fluid at rest stays at rest.
    let (rest, mut to) = (vec![W; width * height], vec![[0.0; 9]; width * height]);
    let config = LaunchConfig::grid((3, 2)).block((16, 16));
    launch!(on, lbm(value width, value height, value omega, read solid, read rest, write to), config)?;
    let (flat, want) = (to.concat(), rest.concat());
    close("at rest", &flat, &want.iter().map(|f| f64::from(*f)).collect::<Vec<_>>(), 1e-6)?;
    // No step creates or destroys mass.
    let noise = noise(width * height);
    let mut from: Vec<[f32; 9]> =
        noise.iter().map(|n| W.map(|w| w * (1.0 + (n % 100) as f32 * 1e-3))).collect();
    let mass = |f: &[[f32; 9]]| f.iter().flatten().map(|f| f64::from(*f)).sum::<f64>();
    let before = mass(&from);
    for _ in 0..10 {
        launch!(on, lbm(value width, value height, value omega, read solid, read from, write to), config)?;
        std::mem::swap(&mut from, &mut to);
    }
    let after = mass(&from);
    if (after - before).abs() > 1e-3 || from == to {
        return Err(format!("the mass was {before}, and is {after}").into());
    }
    Ok(())
}

#[kernel(block = TILE)]
fn attention<const D: usize, const TILE: usize>(
    scale: f32,
    q: &[[f32; D]],
    k: &[[f32; D]],
    v: &[[f32; D]],
    out: &mut [[f32; D]],
) {
    let keys = shared!([[f32; D]; TILE]);
    let values = shared!([[f32; D]; TILE]);
    let (i, t) = (global_idx_x(), thread_idx_x());
    let query = q.get(i).copied().unwrap_or([0.0; D]);
    let (mut most, mut sum, mut acc) = (f32::NEG_INFINITY, 0.0, [0.0; D]);
    for start in (0..k.len()).step_by(TILE) {
        let count = TILE.min(k.len() - start);
        if t < count {
            keys[t] = k[start + t];
            values[t] = v[start + t];
        }
        sync_threads();
        for (key, value) in keys.iter().zip(values.iter()).take(count) {
            let score = scale * query.iter().zip(key).map(|(a, b)| a * b).sum::<f32>();
            let next = most.max(score);
            let (old, new) = ((most - next).exp(), (score - next).exp());
            sum = sum * old + new;
            for (a, v) in acc.iter_mut().zip(value) {
                *a = *a * old + new * v;
            }
            most = next;
        }
        sync_threads();
    }
    if let Some(out) = out.get_mut(i) {
        *out = acc.map(|a| a / sum);
    }
}

fn tiled_attention(on: &Engine) -> Check {
    let rows = |count: usize, seed: usize| -> Vec<[f32; 8]> {
        let noise = noise(count * 8 + seed);
        let value = |n: &u32| *n as f32 * 2.0f32.powi(-31) - 1.0;
        noise[seed..].chunks(8).map(|n| std::array::from_fn(|k| value(&n[k]))).collect()
    };
    let (q, k, v, scale) = (rows(50, 0), rows(70, 3), rows(70, 5), 0.5);
    let mut out = vec![[0.0; 8]; 50];
    let config = LaunchConfig::grid(2);
    launch!(on, attention::<8, 32>(value scale, read q, read k, read v, write out), config)?;
    let mut want = Vec::new();
    for q in &q {
        let score = |k: &[f32; 8]| {
            let dot: f64 = q.iter().zip(k).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            (0.5 * dot).exp()
        };
        let weights: Vec<f64> = k.iter().map(score).collect();
        let total: f64 = weights.iter().sum();
        want.extend((0..8).map(|d| {
            weights.iter().zip(&v).map(|(w, v)| w * f64::from(v[d])).sum::<f64>() / total
        }));
    }
    close("out", &out.concat(), &want, 1e-5)
}

#[device]
const fn xtime(b: u8) -> u8 {
    (b << 1) ^ (((b >> 7) & 1) * 0x1b)
}
#[device]
fn gmul(mut a: u8, mut b: u8) -> u8 {
    let mut p = 0;
    while b != 0 {
        if b & 1 == 1 {
            p ^= a;
        }
        a = xtime(a);
        b >>= 1;
    }
    p
}
#[device]
type Block = [u8; 16];
#[device]
fn sub_shift(sbox: &[u8; 256], s: &Block) -> Block {
    std::array::from_fn(|i| sbox[s[(i + 4 * (i % 4)) % 16] as usize])
}
#[device]
fn mix(s: Block) -> Block {
    let mut out = s;
    for (out, c) in out.chunks_exact_mut(4).zip(s.chunks_exact(4)) {
        let all = c.iter().fold(0, |a, b| a ^ b);
        for k in 0..4 {
            out[k] = c[k] ^ all ^ xtime(c[k] ^ c[(k + 1) % 4]);
        }
    }
    out
}
#[kernel]
fn aes(keys: &[Block], sbox: &[u8], plain: &[Block], cipher: &mut [Block]) {
    let table = shared!([u8; 256]);
    for k in (thread_idx_x()..256).step_by(block_dim_x()) {
        table[k] = sbox[k];
    }
    sync_threads();
    let i = global_idx_x();
    let Some(block) = plain.get(i) else { return };
    let add = |s: &mut Block, k: &Block| s.iter_mut().zip(k).for_each(|(s, k)| *s ^= k);
    let mut state = *block;
    add(&mut state, &keys[0]);
    for key in &keys[1..10] {
        state = mix(sub_shift(table, &state));
        add(&mut state, key);
    }
    state = sub_shift(table, &state);
    add(&mut state, &keys[10]);
    cipher[i] = state;
}

/// Returns the S-box of AES.
fn substitutes() -> Vec<u8> {
    let inverse = |b: u8| (0..=255).find(|c| gmul(b, *c) == 1).unwrap_or(0);
    let put = |b: u8| (1..5).fold(b, |s, k| s ^ b.rotate_left(k)) ^ 0x63;
    (0..=255).map(|b| put(inverse(b))).collect()
}

/// Returns the key of every round.
fn round_keys(key: Block, sbox: &[u8]) -> Vec<Block> {
    let (mut keys, mut round) = (vec![key], 1);
    for _ in 0..10 {
        let last = keys[keys.len() - 1];
        let mut next = last;
        for i in 0..16 {
            let mixed = match i {
                0..4 => sbox[last[12 + (i + 1) % 4] as usize] ^ if i == 0 { round } else { 0 },
                _ => next[i - 4],
            };
            next[i] ^= mixed;
        }
        round = xtime(round);
        keys.push(next);
    }
    keys
}

/// Checks the example of the standard, FIPS 197.
fn encryption(on: &Engine) -> Check {
    let sbox = substitutes();
    let keys = round_keys(std::array::from_fn(|i| i as u8), &sbox);
    let plain = vec![std::array::from_fn::<u8, 16, _>(|i| 0x11 * i as u8); 70];
    let mut cipher = vec![[0u8; 16]; 70];
    let config = LaunchConfig::grid(2).block(64);
    launch!(on, aes(read keys, read sbox, read plain, write cipher), config)?;
    let want = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55au128.to_be_bytes();
    same("cipher", &cipher.concat(), &vec![want; 70].concat())
}

#[kernel]
fn median(width: usize, image: &[f32], out: &mut [f32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    let height = image.len() / width;
    if (1..width - 1).contains(&x) && (1..height - 1).contains(&y) {
        let mut window = [0.0; 9];
        for (k, value) in window.iter_mut().enumerate() {
            *value = image[(y + k / 3 - 1) * width + x + k % 3 - 1];
        }
        window.sort_unstable_by(f32::total_cmp);
        out[y * width + x] = window[4];
    }
}

fn median_filter(on: &Engine) -> Check {
    let (width, height) = (21, 13);
    let image: Vec<f32> = noise(width * height).iter().map(|n| (n % 50) as f32 - 25.0).collect();
    let mut out = image.clone();
    let config = LaunchConfig::grid((3, 2)).block((8, 8));
    launch!(on, median(value width, read image, write out), config)?;
    let mut want = image.clone();
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let rows = (y - 1..y + 2).map(|y| &image[y * width + x - 1..][..3]);
            let mut window: Vec<f32> = rows.flatten().copied().collect();
            window.sort_by(f32::total_cmp);
            want[y * width + x] = window[4];
        }
    }
    same("out", &out, &want)
}
