//! Names that a number type and a trait share: constants, functions and conversions; and items of
//! the user's whose names other languages have for something else.
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::ops::Add;
use warpwise::prelude::*;

cases![constants, in_traits, functions, aliases, of_an_alias, converted, tried, own_names];

#[device]
trait Limits: Sized {
    const MAX: u32;
    const BITS: u32;
    const LOWEST: u32 = 5 + Self::MAX;

    /// `Self` is any type with this trait.
    fn most(self) -> u32 {
        Self::MAX
    }

    fn own(self) -> u64;

    fn pow(self, n: u32) -> u32;
}

#[device]
impl Limits for u32 {
    const MAX: u32 = 7;
    const BITS: u32 = Self::BITS / 4;

    fn own(self) -> u64 {
        let room = [0u8; Self::BITS as usize];
        Self::MAX as u64 + room.len() as u64 + <Self as Limits>::BITS as u64
    }

    fn pow(self, n: u32) -> u32 {
        self + n + Self::pow(self, 2)
    }
}

#[device]
impl Limits for i16 {
    const MAX: u32 = 9;
    const BITS: u32 = 100;

    fn own(self) -> u64 {
        i16::MAX as u64 + <i16 as Limits>::MAX as u64
    }

    fn pow(self, n: u32) -> u32 {
        n
    }
}

#[device]
fn most_of<T: Limits>(value: T) -> u32 {
    T::MAX + 1000 * T::BITS + 100_000 * value.most()
}

#[device]
fn raised<T: Limits>(value: T) -> u32 {
    T::pow(value, 3)
}

#[kernel]
fn constants_of(x: &[u32], out: &mut [u64]) {
    let i = global_idx_x();
    if i < x.len() && i < out.len() {
        out[i] = match i % 4 {
            0 => u32::MAX as u64 + x[i].own(),
            1 => (x[i] as i16).own() + i16::BITS as u64,
            2 => <u32 as Limits>::MAX as u64 + <u32 as Limits>::BITS as u64,
            _ => <u32 as Limits>::LOWEST as u64,
        };
    }
}

fn constants(on: &Engine) -> Check {
    let (x, mut out) = (vec![3u32; 8], vec![0u64; 8]);
    launch!(on, constants_of(read x, write out), LaunchConfig::grid(1).block(8))?;
    let of = |i: usize| match i % 4 {
        0 => u64::from(u32::MAX) + 3u32.own(),
        1 => 3i16.own() + 16,
        2 => 15,
        _ => 12,
    };
    same("out", &out, &(0..8).map(of).collect::<Vec<_>>())
}

#[kernel]
fn traits_of(x: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() && i < out.len() {
        out[i] = if i % 2 == 0 { most_of(x[i]) } else { most_of(x[i] as i16) };
    }
}

fn in_traits(on: &Engine) -> Check {
    let (x, mut out) = (vec![3u32; 4], vec![0; 4]);
    launch!(on, traits_of(read x, write out), LaunchConfig::grid(1).block(4))?;
    same("out", &out, &[708_007, 1_000_009, 708_007, 1_000_009])
}

#[kernel]
fn functions_of(x: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() && i < out.len() {
        out[i] = match i % 4 {
            0 => x[i].pow(2),
            1 => u32::pow(x[i], 2),
            2 => Limits::pow(x[i], 4),
            _ => raised(x[i]),
        };
    }
}

fn functions(on: &Engine) -> Check {
    let (x, mut out) = (vec![5u32; 4], vec![0; 4]);
    launch!(on, functions_of(read x, write out), LaunchConfig::grid(1).block(4))?;
    same("out", &out, &[25, 25, 34, 33])
}

#[device]
type Count = u32;

#[kernel]
fn aliases_of(x: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() && i < out.len() {
        out[i] = match i % 3 {
            0 => Count::MAX - x[i],
            1 => Count::pow(x[i], 2) + Count::BITS,
            _ => Count::from(3u8) + Count::from_be(1),
        };
    }
}

fn aliases(on: &Engine) -> Check {
    let (x, mut out) = (vec![5u32; 3], vec![0; 3]);
    launch!(on, aliases_of(read x, write out), LaunchConfig::grid(1).block(3))?;
    same("out", &out, &[u32::MAX - 5, 57, 3 + (1 << 24)])
}

#[device]
#[derive(Clone, Copy)]
struct Metres {
    whole: u32,
}

#[device]
impl From<Metres> for u64 {
    fn from(metres: Metres) -> u64 {
        metres.whole as u64 * 100
    }
}

#[device]
impl TryFrom<Metres> for u8 {
    type Error = u32;
    fn try_from(metres: Metres) -> Result<u8, u32> {
        if metres.whole < 50 { Ok(metres.whole as u8 * 2) } else { Err(metres.whole) }
    }
}

#[kernel]
fn conversions(x: &[u32], out: &mut [u64]) {
    let i = global_idx_x();
    if i < x.len() && i < out.len() {
        let of_number: u64 = x[i].into();
        let of_literal: u64 = 3u8.into();
        let of_metres: u64 = Metres { whole: 2 }.into();
        let mapped: u64 = x[..i].iter().copied().map(u64::from).sum();
        out[i] = u64::from(x[i]) + of_number + of_literal + u64::from(true) + u64::from(b'a');
        out[i] += u64::from(Metres { whole: x[i] }) + of_metres + mapped;
        out[i] += <u64 as From<u32>>::from(x[i]) + <u64 as From<Metres>>::from(Metres { whole: 1 });
    }
}

fn converted(on: &Engine) -> Check {
    let x: Vec<u32> = (0..8).map(|i| i * i + 1).collect();
    let mut out = vec![0; 8];
    launch!(on, conversions(read x, write out), LaunchConfig::grid(1).block(8))?;
    let want = x.iter().enumerate().map(|(i, &v)| {
        let before: u64 = x[..i].iter().copied().map(u64::from).sum();
        103 * u64::from(v) + 3 + 1 + 97 + 200 + 100 + before
    });
    same("out", &out, &want.collect::<Vec<_>>())
}

#[kernel]
fn attempts(x: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() && i < out.len() {
        let small: Result<u8, _> = x[i].try_into();
        let of_metres = u8::try_from(Metres { whole: x[i] });
        let made: Result<u8, u32> = Metres { whole: x[i] }.try_into();
        out[i] = u8::try_from(x[i]).map_or(1000, |v| v as u32) + small.map_or(7, |v| v as u32);
        out[i] += match of_metres {
            Ok(doubled) => 10_000 * doubled as u32,
            Err(whole) => 1_000_000 * whole,
        };
        out[i] += made.is_ok() as u32;
    }
}

fn tried(on: &Engine) -> Check {
    let (x, mut out) = (vec![3u32, 60, 400], vec![0; 3]);
    launch!(on, attempts(read x, write out), LaunchConfig::grid(1).block(3))?;
    same("out", &out, &[60_007, 60_000_120, 400_001_007])
}

#[device]
#[derive(Clone, Copy)]
struct Pair<T, const N: u32 = 7> {
    a: T,
    b: T,
}

#[device]
type Integers = Pair<u32>;

#[device]
impl<const N: u32> Pair<u32, N> {
    fn number(self) -> u32 {
        N
    }
}

#[device]
impl Pair<u32> {
    fn doubled(self) -> Self {
        self + self
    }
}

#[device]
impl Add for Integers {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Pair { a: self.a + other.a, b: self.b + other.b }
    }
}

#[kernel]
fn by_an_alias(x: &[u32], out: &mut [u32]) {
    let pair: Pair<u32> = Pair { a: x[0], b: 3 };
    let Pair { a, b } = pair.doubled();
    out[0] = a * 100 + b + pair.number();
}

fn of_an_alias(on: &Engine) -> Check {
    let (x, mut out) = (vec![5u32], vec![0]);
    launch!(on, by_an_alias(read x, write out), LaunchConfig::grid(1).block(1))?;
    same("out", &out, &[1013])
}

/// Items whose names other languages have, which come by a glob.
mod names {
    use warpwise::prelude::*;

    #[device]
    pub(super) const WARP_SIZE: u32 = 3;

    #[device]
    #[derive(Clone, Copy)]
    pub(super) struct Vec3 {
        pub(super) pi: u32,
    }

    #[device]
    impl Vec3 {
        pub(super) fn sync(self) -> u32 {
            self.pi + 1
        }

        pub(super) fn thread_rank(self) -> u32 {
            self.pi + 2
        }
    }

    #[device]
    pub(super) fn range(n: u32) -> u32 {
        n + 1
    }

    #[device]
    pub(super) fn len(n: u32) -> u32 {
        n + 2
    }

    #[device]
    pub(super) fn sum(n: u32) -> u32 {
        n + 3
    }

    #[device]
    pub(super) fn ceil_div(a: u32, b: u32) -> u32 {
        a / b + 1
    }

    #[device]
    pub(super) fn block_id() -> u32 {
        5
    }

    #[device]
    pub(super) fn memset(n: u32) -> u32 {
        n + 6
    }
}
use names::*;

macro_rules! debug {
    ($value:expr) => {
        $value + 7
    };
}

#[device]
fn thread_id() -> u32 {
    8
}

#[device]
fn memcpy(n: u32) -> u32 {
    n + 9
}

#[kernel]
fn own(out: &mut [u32]) {
    let (block, math, warp) = (Vec3 { pi: 10 }, Vec3 { pi: 20 }, Vec3 { pi: 30 });
    out[0] = range(0);
    out[1] = len(0);
    out[2] = sum(0);
    out[3] = ceil_div(9, 2);
    out[4] = block_id();
    out[5] = memset(0);
    out[6] = debug!(0);
    out[7] = thread_id();
    out[8] = memcpy(0);
    out[9] = WARP_SIZE;
    out[10] = block.sync();
    out[11] = block.thread_rank();
    out[12] = math.pi;
    out[13] = warp.sync();
}

fn own_names(on: &Engine) -> Check {
    let mut out = vec![0u32; 14];
    launch!(on, own(write out), LaunchConfig::grid(1).block(1))?;
    same("out", &out, &[1, 2, 3, 5, 5, 6, 7, 8, 9, 3, 11, 12, 20, 31])
}
