//! Expressions in array lengths and in arguments of constant parameters.
use crate::run::engine::{Check, Engine, cases, launch, like_rust, same};
use warpwise::prelude::*;

cases![operators, statements, types, places_of_assignments, scopes, functions, paths, arguments, blocks: THREADS_MEET];

#[device]
const SIX: usize = 6;
#[device]
const DIMS: [usize; 3] = [7, 5, 3];

fn operators(on: &Engine) -> Check {
    like_rust!(on, |_x, _y, out| {
        out[0] = [0u8; SIX | 1].len() as i32;
        out[1] = [0u8; SIX & !2].len() as i32;
        out[2] = [0u8; SIX ^ 1].len() as i32;
        out[3] = [0u8; (SIX > 3 && SIX != 5) as usize + 1].len() as i32;
        out[4] = [0u8; SIX.next_power_of_two() + SIX.ilog2() as usize].len() as i32;
        out[5] = [0u8; SIX.pow(2).div_ceil(5)].len() as i32;
        out[6] = [0u8; usize::pow(2, 3) + u32::MAX.count_ones() as usize].len() as i32;
        out[7] = [0u8; DIMS[1] + DIMS.len()].len() as i32;
    });
    Ok(())
}

#[device]
const STATEMENTS: usize = {
    let mut sum = 0;
    let mut i = 0;
    'all: loop {
        while i < DIMS.len() {
            if i == 2 {
                break 'all;
            }
            sum += DIMS[i];
            i += 1;
        }
    }
    sum
};

#[device]
const KIND: usize = match SIX {
    0 | 1 => 1,
    2..=4 => 2,
    n if n % 2 == 0 => 3 + n,
    _ => 4,
};

fn statements(on: &Engine) -> Check {
    like_rust!(on, |_x, _y, out| {
        out[0] = [0u8; if SIX > 3 { 2 } else { 4 }].len() as i32;
        out[1] = [0u8; {
            let padded = SIX + 1;
            padded * 2
        }]
            .len() as i32;
        out[2] = [0u8; STATEMENTS].len() as i32;
        out[3] = [0u8; KIND].len() as i32;
    });
    Ok(())
}

#[device]
const fn greatest_divisor(a: usize, b: usize) -> usize {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[device]
const fn primes_below(n: usize) -> usize {
    let (mut sieve, mut count, mut i) = ([true; 40], 0, 2);
    while i < n {
        if sieve[i] {
            count += 1;
            let mut multiple = i * i;
            while multiple < n {
                sieve[multiple] = false;
                multiple += i;
            }
        }
        i += 1;
    }
    count
}

#[device]
const fn doubled<const N: usize>() -> usize {
    assert!(N > 0);
    if N == 1 {
        return 2;
    }
    N * 2
}

#[device]
#[derive(Clone, Copy)]
struct Tile {
    width: usize,
    height: usize,
}

#[device]
impl Tile {
    const LARGE: Self = Self::new(3, 4);

    const fn new(width: usize, height: usize) -> Self {
        Self { width, height }
    }
    const fn area(tile: &Self) -> usize {
        tile.width * tile.height
    }
}

fn functions(on: &Engine) -> Check {
    like_rust!(on, |_x, _y, out| {
        out[0] = [0u8; greatest_divisor(12, 18)].len() as i32;
        out[1] = [0u8; primes_below(40)].len() as i32;
        out[2] = [0u8; doubled::<4>() + doubled::<{ SIX | 1 }>()].len() as i32;
        out[3] = [0u8; Tile::area(&Tile::LARGE) + Tile::LARGE.width].len() as i32;
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
#[repr(u8)]
enum Mode {
    Add = 3,
    Count,
}

#[device]
trait Layer {
    const INPUTS: usize;
    const PADDED: usize = (Self::INPUTS * 2) | 1;
}

#[device]
struct Dense;

#[device]
impl Layer for Dense {
    const INPUTS: usize = 3;
}

#[device]
fn padded<L: Layer>() -> usize {
    L::INPUTS + L::PADDED
}

fn paths(on: &Engine) -> Check {
    like_rust!(on, |_x, _y, out| {
        out[0] = [0u8; Mode::Count as usize].len() as i32 + Mode::Add as i32;
        out[1] = [0u8; <Dense as Layer>::PADDED].len() as i32;
        out[2] = [0u8; Dense::INPUTS].len() as i32;
        out[3] = padded::<Dense>() as i32;
    });
    Ok(())
}

#[device]
fn signed<const N: i32>() -> i32 {
    N
}

#[device]
fn flags<const N: u8>() -> i32 {
    N as i32
}

#[device]
fn chosen<const YES: bool>() -> i32 {
    if YES { 1 } else { 2 }
}

fn arguments(on: &Engine) -> Check {
    like_rust!(on, |_x, _y, out| {
        out[0] = signed::<{ -3 + 1 }>();
        out[1] = signed::<{ !0 }>();
        out[2] = signed::<{ i32::MIN >> 4 }>();
        out[3] = signed::<{ if DIMS.len() > 2 { -1 } else { 1 } }>();
        out[4] = flags::<{ !3 }>();
        out[5] = flags::<{ 1 << 7 | b'\x0f' }>();
        out[6] = chosen::<{ SIX > 4 }>() + 10 * chosen::<{ !(SIX > 4) }>();
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Shape {
    rows: u8,
    columns: u32,
    shift: i16,
}

#[device]
const SHAPE: Shape = Shape { shift: -1, columns: 16, rows: 200 };

#[device]
const fn leading(x: u32) -> usize {
    x.leading_zeros() as usize
}

#[device]
const fn mask(is_empty: bool) -> u16 {
    let kept: u8 = if is_empty { return !0 } else { 7 };
    kept as u16
}

#[device]
const ORIGIN: (u32, u32) = (0, 0);

/// Literals have the types of the fields, parameters and results that they are used as.
fn types(on: &Engine) -> Check {
    like_rust!(on, |_x, _y, out| {
        out[0] = [0u8; SHAPE.columns.leading_zeros() as usize].len() as i32;
        out[1] = [0u8; (SHAPE.rows << 1) as usize].len() as i32;
        out[2] = [0u8; SHAPE.shift.count_ones() as usize].len() as i32;
        out[3] = [0u8; {
            let n = 16;
            leading(n)
        }]
            .len() as i32;
        out[4] = [0u8; (mask(true) >> 4) as usize + mask(false) as usize].len() as i32;
        out[5] = [0u8; {
            let (x, y) = (SHAPE.columns - 16, 0);
            match (x, y) {
                ORIGIN => 3,
                _ => 4,
            }
        }]
            .len() as i32;
    });
    Ok(())
}

#[device]
const fn places() -> [usize; 4] {
    let mut a = [1, 2, 3, 4];
    let mut i = 0;
    a[{
        i += 1;
        i
    }] += 10;
    a[i] += {
        i += 1;
        20
    };
    let mut pairs = [[0; 2]; 2];
    pairs[{
        i -= 1;
        i
    }][0] = 5;
    let copy = pairs;
    pairs[1][1] = 9;
    a[3] = copy[1][1] + pairs[1][0] + i;
    a
}

/// The right side of a compound assignment goes first, and a place is evaluated once.
fn places_of_assignments(on: &Engine) -> Check {
    like_rust!(on, |_x, _y, out| {
        out[0] = [0u8; places()[0]].len() as i32;
        out[1] = [0u8; places()[1]].len() as i32;
        out[2] = [0u8; places()[2]].len() as i32;
        out[3] = [0u8; places()[3]].len() as i32;
    });
    Ok(())
}

#[device]
const WIDTH: usize = 4;

#[device]
struct Scopes;

#[device]
impl Scopes {
    const fn width() -> usize {
        WIDTH * 2
    }
    fn lens() -> (usize, usize) {
        const WIDTH: usize = 100;
        ([0u8; Self::width()].len(), [0u8; WIDTH].len())
    }
}

/// Constants are those of the place where the code stands.
fn scopes(on: &Engine) -> Check {
    like_rust!(on, |_x, _y, out| {
        let (own, inner) = Scopes::lens();
        out[0] = (own * 1000 + inner) as i32;
        out[1] = [0u8; {
            let x = WIDTH;
            const WIDTH: usize = 8;
            const _: () = assert!(WIDTH == 8);
            x
        }]
            .len() as i32;
    });
    Ok(())
}

#[kernel(block = (greatest_divisor(64, 96), if SIX > 4 { 2 } else { 1 }))]
fn count_threads(out: &mut [u32]) {
    let tile = shared!([u32; greatest_divisor(64, 96) * 2]);
    let thread = thread_idx_y() * 32 + thread_idx_x();
    tile[thread] = thread as u32;
    sync_threads();
    if thread == 0 {
        out[0] = tile.iter().sum();
    }
}

fn blocks(on: &Engine) -> Check {
    let mut out = vec![0u32];
    launch!(on, count_threads(write out), LaunchConfig::grid(1))?;
    same("out", &out, &[63 * 64 / 2])
}
