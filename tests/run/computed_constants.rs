//! Constants that device functions compute, each beside the same function at run time.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![tables, floats: FUSES, structs, generic_tables, zeros, long_computations];

#[device]
const fn crc_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
}

#[device]
const CRC_TABLE: [u32; 256] = crc_table();

#[kernel]
fn checksum(text: &[u8], out: &mut [u32]) {
    let mut crc = !0u32;
    for &byte in text {
        crc = CRC_TABLE[((crc ^ byte as u32) & 0xff) as usize] ^ (crc >> 8);
    }
    out[0] = !crc;
}

fn tables(on: &Engine) -> Check {
    let (text, mut out) = (b"123456789".to_vec(), vec![0u32]);
    launch!(on, checksum(read text, write out), LaunchConfig::grid(1))?;
    same("out", &out, &[0xcbf4_3926])
}

#[device]
const fn steps() -> [[f32; 3]; 21] {
    let mut all = [[0.0; 3]; 21];
    let mut i = 0;
    while i < 21 {
        let x = 0.1 * i as f32 + 0.7;
        all[i] = [x, 1.0 / x, x * x - 0.3];
        i += 1;
    }
    all
}

#[device]
const STEPS: [[f32; 3]; 21] = steps();

#[kernel]
fn step_bits(constant: &mut [u32], at_run_time: &mut [u32]) {
    let all = steps();
    let i = global_idx_x();
    constant[i] = STEPS[i / 3][i % 3].to_bits();
    at_run_time[i] = all[i / 3][i % 3].to_bits();
}

/// Products and sums are fused in both.
fn floats(on: &Engine) -> Check {
    let (mut constant, mut at_run_time) = (vec![0u32; 63], vec![1u32; 63]);
    let config = LaunchConfig::grid(1).block(63);
    launch!(on, step_bits(write constant, write at_run_time), config)?;
    same("bits", &constant, &at_run_time)?;
    same("x of 12", &constant[36..37], &[0.1f32.mul_add(12.0, 0.7).to_bits()])
}

#[device]
#[derive(Clone, Copy)]
enum Shape {
    Point,
    Square(u16),
}

#[device]
#[derive(Clone, Copy)]
struct Setup {
    root: u32,
    is_exact: bool,
    shape: Shape,
    halves: [i8; 12],
}

#[device]
impl Setup {
    const SMALL: Self = Self::new(100);
    const LARGE: Self = Self::new(1000);
    const fn new(n: u32) -> Self {
        let mut root = 0;
        while (root + 1) * (root + 1) <= n {
            root += 1;
        }
        let mut halves = [0; 12];
        let mut i = 0;
        while i < halves.len() {
            halves[i] = i as i8 / 2 - 3;
            i += 1;
        }
        let shape = if n > 500 { Shape::Square(n as u16) } else { Shape::Point };
        Self { root, is_exact: root * root == n, shape, halves }
    }
}

#[kernel]
fn setups(out: &mut [i32]) {
    let i = global_idx_x();
    let setup = if i < 12 { Setup::SMALL } else { Setup::LARGE };
    let side = match setup.shape {
        Shape::Point => 0,
        Shape::Square(side) => side as i32,
    };
    out[i] = setup.root as i32 * 10 + setup.is_exact as i32 + setup.halves[i % 12] as i32 + side;
}

fn structs(on: &Engine) -> Check {
    let mut out = vec![0i32; 24];
    launch!(on, setups(write out), LaunchConfig::grid(1).block(24))?;
    let halves = |i: i32| i % 12 / 2 - 3;
    let want = |i| halves(i) + if i < 12 { 101 } else { 1310 };
    same("out", &out, &(0..24).map(want).collect::<Vec<_>>())
}

#[device]
const fn multiples<const N: usize>(of: u32) -> [u32; N] {
    let mut all = [0; N];
    let mut i = 0;
    while i < N {
        all[i] = of * i as u32;
        i += 1;
    }
    all
}

#[device]
struct Multiples<const N: usize>;

#[device]
impl<const N: usize> Multiples<N> {
    const ALL: [u32; N] = multiples(7);
}

/// The length is unknown until the kernel is launched.
#[kernel]
fn last_multiple<const N: usize>(out: &mut [u32]) {
    let i = global_idx_x();
    out[i] = Multiples::<N>::ALL[N - 1 - i] + Multiples::<40>::ALL[i];
}

fn generic_tables(on: &Engine) -> Check {
    let mut out = vec![0u32; 3];
    launch!(on, last_multiple::<20>(write out), LaunchConfig::grid(1).block(3))?;
    same("out", &out, &[133, 133, 133])
}

#[device]
const ZEROS: [u32; 50] = [0; 50];

/// A constant as the first value of a variable.
#[kernel]
fn counts(x: &[u32], out: &mut [u32]) {
    let mut all = ZEROS;
    let mut table = CRC_TABLE;
    for &x in x {
        all[x as usize % 50] += 1;
        table[x as usize % 50] = 0;
    }
    for i in 0..50 {
        out[i] = all[i];
        out[50 + i] = table[i] ^ CRC_TABLE[i];
    }
}

fn zeros(on: &Engine) -> Check {
    let (x, mut out) = (vec![3u32, 51, 3], vec![9u32; 100]);
    launch!(on, counts(read x, write out), LaunchConfig::grid(1))?;
    let mut want = vec![0; 100];
    (want[3], want[1]) = (2, 1);
    (want[53], want[51]) = (crc_table()[3], crc_table()[1]);
    same("out", &out, &want)
}

#[device]
const fn collatz_steps() -> [u32; 3000] {
    let mut all = [0; 3000];
    let mut i = 1;
    while i < 3000 {
        let mut n = i as u64;
        while n != 1 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            all[i] += 1;
        }
        i += 1;
    }
    all
}

#[device]
const COLLATZ_STEPS: [u32; 3000] = collatz_steps();

/// A constant that takes more instructions than the compiler executes is computed at run time.
#[kernel]
fn collatz(out: &mut [u32]) {
    out[0] = COLLATZ_STEPS[out.len()];
}

fn long_computations(on: &Engine) -> Check {
    let mut out = vec![0u32; 27];
    launch!(on, collatz(write out), LaunchConfig::grid(1))?;
    same("out", &out[..1], &[111])
}
