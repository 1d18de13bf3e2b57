//! Methods of integers, on pairs of edge values and with shift amounts far beyond the width.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![i8s, i16s, i32s, i64s, isizes, u8s, u16s, u32s, u64s, usizes, literals, constants];

/// Amounts of shifts and exponents: below, at and far beyond every width.
const AMOUNTS: [u32; 10] = [0, 1, 2, 3, 7, 13, 31, 64, 77, u32::MAX];

/// Edge values of an integer type.
macro_rules! edges {
    ($ty:ident) => {
        [
            0,
            1,
            2,
            3,
            7,
            10,
            16,
            100,
            $ty::MAX / 2,
            $ty::MAX / 2 + 1,
            $ty::MAX - 1,
            $ty::MAX,
            $ty::MIN,
            $ty::MIN + 1,
            $ty::MIN / 2,
            $ty::MAX.isqrt(),
            $ty::MAX.isqrt() + 1,
            (0 as $ty).wrapping_sub(1),
            (0 as $ty).wrapping_sub(5),
        ]
    };
}

/// Runs each expression in a kernel, on every `x` and `y` for which `fits` is true and every amount
/// `n`, and compares with its value on the host.
macro_rules! agree {
    ($on:ident, $ty:ident, |$x:ident, $y:ident, $n:ident| $fits:expr => $out:ty {
        $($method:expr),+ $(,)?
    }) => {{
        #[kernel]
        fn methods(x: &[$ty], y: &[$ty], n: &[u32], count: usize, out: &mut [$out]) {
            let i = global_idx_x();
            if i < x.len() {
                let $x = x[i];
                let $y = y[i];
                let $n = n[i];
                let _ = $x;
                let _ = $y;
                let _ = $n;
                let mut at = i * count;
                $(
                    out[at] = $method;
                    at += 1;
                )+
                let _ = at;
            }
        }
        let edges = edges!($ty);
        let (mut x, mut y, mut n) = (vec![], vec![], vec![]);
        for $x in edges {
            for $y in edges {
                for $n in AMOUNTS {
                    let _ = ($x, $y, $n);
                    if $fits {
                        x.push($x);
                        y.push($y);
                        n.push($n);
                    }
                }
            }
        }
        let names = [$(stringify!($method)),+];
        let count = names.len();
        let mut out = vec![<$out>::default(); x.len() * count];
        let config = LaunchConfig::cover(x.len());
        launch!($on, methods(read x, read y, read n, value count, write out), config)?;
        for (at, name) in names.iter().enumerate() {
            let got: Vec<$out> = out.iter().skip(at).step_by(count).copied().collect();
            let want: Vec<$out> = (0..x.len())
                .map(|i| {
                    let ($x, $y, $n) = (x[i], y[i], n[i]);
                    let _ = ($x, $y, $n);
                    [$($method),+][at]
                })
                .collect();
            same(&format!("{} of {}", name, stringify!($ty)), &got, &want)?;
        }
    }};
}

/// Tests the methods that all integers have.
macro_rules! integer {
    ($on:ident $ty:ident $unsigned:ident) => {
        agree!($on, $ty, |x, y, n| true => $ty {
            x.wrapping_add(y), x.wrapping_sub(y), x.wrapping_mul(y), x.wrapping_neg(),
            x.wrapping_shl(n), x.wrapping_shr(n), x.wrapping_pow(n), x.saturating_add(y),
            x.saturating_sub(y), x.saturating_mul(y), x.saturating_pow(n), x.rotate_left(n),
            x.rotate_right(n), x.unbounded_shl(n), x.unbounded_shr(n), x.pow(n), x.pow(5),
            x.pow(0), x.reverse_bits(), x.swap_bytes(), x.to_be(), x.to_le(), $ty::from_be(x),
            $ty::from_le(x), x.min(y), x.max(y), x.midpoint(y), x.rotate_left(5),
            x.rotate_right(3), x.saturating_pow(3),
        });
        agree!($on, $ty, |x, y, n| true => $ty {
            x.checked_add(y).unwrap_or(7), x.checked_sub(y).unwrap_or(7),
            x.checked_mul(y).unwrap_or(7), x.checked_div(y).unwrap_or(7),
            x.checked_rem(y).unwrap_or(7), x.checked_div_euclid(y).unwrap_or(7),
            x.checked_rem_euclid(y).unwrap_or(7), x.checked_neg().unwrap_or(7),
            x.checked_pow(n).unwrap_or(7), x.checked_pow(3).unwrap_or(7),
            x.checked_shl(n).unwrap_or(7), x.checked_shr(n).unwrap_or(7), x.overflowing_add(y).0,
            x.overflowing_sub(y).0, x.overflowing_mul(y).0, x.overflowing_neg().0,
            x.overflowing_pow(n).0, x.overflowing_shl(n).0, x.overflowing_shr(n).0,
            if let Some(sum) = x.checked_add(y) { sum.count_ones() as $ty } else { y },
        });
        agree!($on, $ty, |x, y, n| true => bool {
            x.checked_add(y).is_some(), x.checked_sub(y).is_some(), x.checked_mul(y).is_some(),
            x.checked_div(y).is_some(), x.checked_rem(y).is_some(), x.checked_neg().is_some(),
            x.checked_pow(n).is_some(), x.checked_shl(n).is_some(), x.overflowing_add(y).1,
            x.overflowing_sub(y).1, x.overflowing_mul(y).1, x.overflowing_neg().1,
            x.overflowing_pow(n).1, x.overflowing_shl(n).1, x.overflowing_shr(n).1,
        });
        agree!($on, $ty, |x, y, n| y != 0 => bool {
            x.overflowing_div(y).1, x.overflowing_rem(y).1, x.overflowing_div_euclid(y).1,
            x.overflowing_rem_euclid(y).1,
            x.overflowing_div(y) == (x.wrapping_div(y), x.checked_div(y).is_none()),
        });
        agree!($on, $ty, |x, y, n| true => u32 {
            x.count_ones(), x.count_zeros(), x.leading_zeros(), x.leading_ones(),
            x.trailing_zeros(), x.trailing_ones(),
        });
        agree!($on, $ty, |x, y, n| true => $unsigned { x.abs_diff(y) });
        agree!($on, $ty, |x, y, n| x > 0 => u32 { x.ilog2(), x.ilog10() });
        agree!($on, $ty, |x, y, n| u64::try_from(x).is_ok() => $ty { x.isqrt() });
        agree!($on, $ty, |x, y, n| x <= y => $ty {
            (n as $ty).clamp(x, y), x.clamp(x, y), y.wrapping_add(1).clamp(x, y),
        });
        agree!($on, $ty, |x, y, n| y != 0 => $ty {
            x.wrapping_div(y), x.wrapping_rem(y), x.wrapping_div_euclid(y),
            x.wrapping_rem_euclid(y), x.saturating_div(y), x.wrapping_div(7),
        });
        agree!($on, $ty, |x, y, n| x.checked_div(y).is_some() => $ty {
            x / y, x % y, x.div_euclid(y), x.rem_euclid(y),
        });
    };
}

macro_rules! signed {
    ($($ty:ident $unsigned:ident $case:ident)*) => {$(
        fn $case(on: &Engine) -> Check {
            integer!(on $ty $unsigned);
            agree!(on, $ty, |x, y, n| true => $ty {
                x.wrapping_abs(), x.abs(), x.signum(), x.saturating_neg(), x.saturating_abs(),
                x.wrapping_add_unsigned(y.cast_unsigned()),
                x.wrapping_sub_unsigned(y.unsigned_abs()), -x,
            });
            agree!(on, $ty, |x, y, n| true => $unsigned { x.unsigned_abs(), x.cast_unsigned() });
            agree!(on, $ty, |x, y, n| true => bool { x.is_positive(), x.is_negative() });
            agree!(on, $ty, |x, y, n| true => $ty {
                x.checked_abs().unwrap_or(7), x.overflowing_abs().0,
                x.checked_add_unsigned(y.cast_unsigned()).unwrap_or(7),
                x.checked_sub_unsigned(y.unsigned_abs()).unwrap_or(7),
            });
            Ok(())
        }
    )*};
}
signed! { i8 u8 i8s i16 u16 i16s i32 u32 i32s i64 u64 i64s isize usize isizes }

macro_rules! unsigned {
    ($($ty:ident $signed:ident $case:ident)*) => {$(
        fn $case(on: &Engine) -> Check {
            integer!(on $ty $ty);
            agree!(on, $ty, |x, y, n| true => bool { x.is_power_of_two(), x.is_multiple_of(y) });
            agree!(on, $ty, |x, y, n| true => $ty {
                x.next_power_of_two(), x.wrapping_add_signed(y.cast_signed()),
                x.wrapping_sub_signed(y.cast_signed()),
                x.checked_add_signed(y.cast_signed()).unwrap_or(7),
                x.overflowing_add_signed(y.cast_signed()).0,
            });
            agree!(on, $ty, |x, y, n| true => $signed { x.cast_signed() });
            agree!(on, $ty, |x, y, n| y != 0 => $ty { x.div_ceil(y), x.next_multiple_of(y) });
            Ok(())
        }
    )*};
}
unsigned! { u8 i8 u8s u16 i16 u16s u32 i32 u32s u64 i64 u64s usize isize usizes }

/// Methods of literals and of constants.
#[kernel]
fn of_literals(out: &mut [u64]) {
    if global_idx_x() == 0 {
        out[0] = 3_u64.pow(13);
        out[1] = (-7_i32).rem_euclid(4) as u64;
        out[2] = u64::MAX.count_ones() as u64;
        out[3] = 1_000_000_u32.isqrt() as u64;
        out[4] = u64::from(0x1234_u16.swap_bytes());
        out[5] = u64::from(u32::BITS.leading_zeros());
        out[6] = u64::rotate_left(1, 63);
        out[7] = i64::MIN.unsigned_abs();
        out[8] = 12345_u64.ilog10() as u64;
    }
}

fn literals(on: &Engine) -> Check {
    let mut out = vec![0; 9];
    launch!(on, of_literals(write out), LaunchConfig::cover(1))?;
    same("out", &out, &[1_594_323, 1, 64, 1000, 0x3412, 26, 1 << 63, 1 << 63, 4])
}

#[kernel]
fn of_std(ints: &mut [i64], floats: &mut [f64]) {
    if global_idx_x() == 0 {
        ints[0] = i8::MIN as i64;
        ints[1] = u16::MAX as i64;
        ints[2] = i64::MAX;
        ints[3] = u32::BITS as i64;
        ints[4] = usize::BITS as i64;
        floats[0] = f32::MAX as f64;
        floats[1] = f64::EPSILON;
        floats[2] = std::f64::consts::PI;
        floats[3] = std::f32::consts::SQRT_2 as f64;
        floats[4] = f64::NEG_INFINITY;
        floats[5] = f64::NAN;
    }
}

fn constants(on: &Engine) -> Check {
    let (mut ints, mut floats) = (vec![0; 5], vec![0.0; 6]);
    launch!(on, of_std(write ints, write floats), LaunchConfig::cover(1))?;
    same("ints", &ints, &[-128, 65_535, i64::MAX, 32, 64])?;
    let want = [
        f64::from(f32::MAX),
        f64::EPSILON,
        std::f64::consts::PI,
        f64::from(std::f32::consts::SQRT_2),
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    same("floats", &floats, &want)
}
