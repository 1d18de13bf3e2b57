//! `as` from every type to every type, and `try_from` from every integer to every other.
use crate::run::engine::{Check, Engine, cases, launch, like_rust, same};
use warpwise::prelude::*;

cases![
    from_i8, from_i16, from_i32, from_i64, from_isize, from_u8, from_u16, from_u32, from_u64,
    from_usize, from_f32, from_f64, from_bool, chains, checked, into, inferred,
];

/// A kernel that casts one type to all others, and the case that runs it.
macro_rules! casts {
    ($($case:ident $from:ident [$($edge:expr),* $(,)?] to $($to:ident $out:ident)*;)*) => {$(
        fn $case(on: &Engine) -> Check {
            casts!(@kernel $from $($to $out)*);
            let x: Vec<$from> = vec![$($edge),*];
            $(let mut $out: Vec<$to> = vec![Default::default(); x.len()];)*
            launch!(on, cast(read x, $(write $out),*), LaunchConfig::cover(x.len()))?;
            $(
                let want: Vec<$to> = x.iter().map(|x| *x as $to).collect();
                same(stringify!($to), &$out, &want)?;
            )*
            Ok(())
        }
    )*};
    (@kernel $from:ident $($to:ident $out:ident)*) => {
        #[kernel]
        fn cast(x: &[$from], $($out: &mut [$to]),*) {
            let i = global_idx_x();
            if i < x.len() {
                let value = x[i];
                $($out[i] = value as $to;)*
            }
        }
    };
}

macro_rules! numeric_casts {
    ($($case:ident $from:ident [$($edge:expr),* $(,)?];)*) => {
        casts! {$(
            $case $from [$($edge),*] to
                i8 to_i8 i16 to_i16 i32 to_i32 i64 to_i64 isize to_isize u8 to_u8 u16 to_u16
                u32 to_u32 u64 to_u64 usize to_usize f32 to_f32 f64 to_f64;
        )*}
    };
}
numeric_casts! {
    from_i8 i8 [0, 1, 77, i8::MAX, -1, -77, i8::MIN];
    from_i16 i16 [0, 1, 127, 128, 255, 256, i16::MAX, -1, -128, -129, i16::MIN];
    from_i32 i32 [0, 1, 255, 65_536, 16_777_217, 33_554_435, i32::MAX, i32::MAX - 63, -1, -129, -32_769, i32::MIN];
    from_i64 i64 [0, 1, 1 << 24 | 1, 1 << 31, 1 << 32, (1 << 53) + 1, (1 << 53) + 3, i64::MAX, -1, -256, -(1 << 31) - 1, i64::MIN];
    from_isize isize [0, 1, 1 << 33, isize::MAX, -1, -(1 << 40), isize::MIN];
    from_u8 u8 [0, 1, 127, 128, u8::MAX];
    from_u16 u16 [0, 127, 128, 255, 256, 32_768, u16::MAX];
    from_u32 u32 [0, 255, 65_536, 16_777_217, 16_777_219, 0x8000_0000, u32::MAX - 127, u32::MAX];
    from_u64 u64 [0, 1 << 31, 1 << 32, (1 << 53) + 1, (1 << 63) + 1, (1 << 63) + 1025, u64::MAX - 1023, u64::MAX];
    from_usize usize [0, 9, 1 << 32, 1 << 63, usize::MAX];
    from_f32 f32 [
        0.0, -0.0, 0.5, -0.5, 0.99999994, 1.5, 2.5, -1.5, 126.9, 127.5, 128.0, -128.9, -129.0,
        255.9, 256.0, -1.0, 32767.9, 65535.5, 65536.0, 2147483520.0, 2147483648.0, -2147483648.0,
        4294967040.0, 4294967296.0, 9.223371e18, 9.223372e18, -9.223372e18, 1.8446743e19,
        1.8446744e19, 1e-40, f32::MAX, f32::MIN, f32::INFINITY, f32::NEG_INFINITY, f32::NAN,
    ];
    from_f64 f64 [
        0.0, -0.0, 0.9999999999999999, 1.5, -1.5, 127.99, -128.99, 255.5, 256.0, 2147483647.5,
        2147483648.0, -2147483648.9, -2147483649.0, 4294967295.9, 9223372036854774784.0,
        9223372036854775808.0, -9223372036854775808.0, 18446744073709549568.0,
        18446744073709551616.0, 16777217.0, 1.0000000596046448, 1.000000178813934, 1e-46, 7.1e-46,
        3.4028235677973366e38, f64::MAX, f64::MIN, f64::MIN_POSITIVE, f64::INFINITY,
        f64::NEG_INFINITY, f64::NAN,
    ];
}
casts! {
    from_bool bool [false, true] to
        i8 to_i8 i16 to_i16 i32 to_i32 i64 to_i64 isize to_isize u8 to_u8 u16 to_u16
        u32 to_u32 u64 to_u64 usize to_usize bool to_bool;
}

#[kernel]
fn chain(x: &[i32], out: &mut [i64]) {
    let i = global_idx_x();
    if i < x.len() {
        let at = i * 5;
        out[at] = x[i] as u8 as i8 as i64;
        out[at + 1] = x[i] as u32 as i64;
        out[at + 2] = x[i] as i16 as u16 as i64;
        out[at + 3] = x[i] as f32 as i64;
        out[at + 4] = (x[i] > 3) as i64 - (x[i] as usize as i64);
    }
}

fn chains(on: &Engine) -> Check {
    let x = vec![0, 3, 4, 200, 40_000, 16_777_217, i32::MAX, -1, -200, i32::MIN];
    let mut out = vec![0; x.len() * 5];
    launch!(on, chain(read x, write out), LaunchConfig::cover(x.len()))?;
    let want: Vec<i64> = x
        .iter()
        .flat_map(|&x: &i32| {
            [
                i64::from(x as u8 as i8),
                i64::from(x as u32),
                i64::from(x as i16 as u16),
                x as f32 as i64,
                i64::from(x > 3) - i64::from(x),
            ]
        })
        .collect();
    same("out", &out, &want)
}

/// A kernel that converts one integer type to others that may not hold the value.
macro_rules! checked {
    ($($kernel:ident $from:ident [$($edge:expr),* $(,)?] $($to:ident)*;)*) => {
        $(
            #[kernel]
            fn $kernel(x: &[$from], fits: &mut [u64], sum: &mut [u64]) {
                let i = global_idx_x();
                let mut bits = 1u64;
                let mut total = 0u64;
                $(
                    let converted: Result<$to, _> = x[i].try_into();
                    bits = bits << 1 | converted.is_ok() as u64;
                    total = total.wrapping_mul(31).wrapping_add(converted.unwrap_or(7) as u64);
                    if $to::try_from(x[i]).is_err() {
                        total ^= 1 << 40;
                    }
                )*
                (fits[i], sum[i]) = (bits, total);
            }
        )*
        fn checked(on: &Engine) -> Check {
            $({
                let x: Vec<$from> = vec![$($edge),*];
                let (mut fits, mut sum) = (vec![0u64; x.len()], vec![0u64; x.len()]);
                let config = LaunchConfig::grid(1).block(x.len());
                launch!(on, $kernel(read x, write fits, write sum), config)?;
                let (mut bits, mut totals) = (Vec::new(), Vec::new());
                for x in x {
                    let (mut fits, mut total) = (1u64, 0u64);
                    $(
                        fits = fits << 1 | $to::try_from(x).is_ok() as u64;
                        let converted = $to::try_from(x).unwrap_or(7) as u64;
                        total = total.wrapping_mul(31).wrapping_add(converted);
                        if $to::try_from(x).is_err() {
                            total ^= 1 << 40;
                        }
                    )*
                    bits.push(fits);
                    totals.push(total);
                }
                same(concat!(stringify!($from), " fits"), &fits, &bits)?;
                same(concat!(stringify!($from), " sums"), &sum, &totals)?;
            })*
            Ok(())
        }
    };
}

checked! {
    try_i8 i8 [0, 1, -1, i8::MIN, i8::MAX] u8 u16 u32 u64 usize;
    try_i16 i16 [0, -1, 127, 128, -128, -129, 255, 256, i16::MIN, i16::MAX] i8 u8 u16 u32 u64 usize;
    try_i32 i32 [0, -1, 127, 128, 255, 256, 32_768, 65_535, 65_536, i32::MIN, i32::MAX]
        i8 i16 isize u8 u16 u32 u64 usize;
    try_i64 i64 [0, -1, 255, 256, 1 << 31, -(1 << 31), 1 << 32, (1 << 32) - 1, i64::MIN, i64::MAX]
        i8 i16 i32 isize u8 u16 u32 u64 usize;
    try_isize isize [0, -1, 1 << 33, isize::MIN, isize::MAX] i8 i16 i32 i64 u8 u16 u32 u64 usize;
    try_u8 u8 [0, 127, 128, 255] i8;
    try_u16 u16 [0, 127, 128, 255, 256, 32_767, 32_768, 65_535] i8 i16 u8 isize;
    try_u32 u32 [0, 127, 255, 65_536, 1 << 31, u32::MAX] i8 i16 i32 isize u8 u16 usize;
    try_u64 u64 [0, 127, 65_535, 1 << 31, 1 << 32, 1 << 63, u64::MAX]
        i8 i16 i32 i64 isize u8 u16 u32 usize;
    try_usize usize [0, 127, 1 << 31, 1 << 32, 1 << 63, usize::MAX]
        i8 i16 i32 i64 isize u8 u16 u32 u64;
}

#[device]
#[derive(Clone, Copy)]
struct Degrees(f64);

#[device]
impl From<f32> for Degrees {
    fn from(turns: f32) -> Degrees {
        Degrees(360.0 * f64::from(turns))
    }
}

#[device]
fn sum(a: u64, b: i64) -> i64 {
    a as i64 + b
}

#[kernel]
fn converted(x: &[u32], turns: &[f32], out: &mut [i64]) {
    let i = global_idx_x();
    let wide: u64 = x[i].into();
    let angle: Degrees = turns[i].into();
    let exact: f64 = x[i].into();
    out[i] = sum(wide, (x[i] as i16).into()) + angle.0 as i64 + exact as i64;
}

fn into(on: &Engine) -> Check {
    let (x, turns) = (vec![0u32, 7, 65_535, u32::MAX], vec![0.0f32, 0.5, -1.25, 3.0]);
    let mut out = vec![0i64; 4];
    launch!(on, converted(read x, read turns, write out), LaunchConfig::grid(1).block(4))?;
    let want = x.iter().zip(&turns).map(|(&x, &turns)| {
        2 * i64::from(x) + i64::from(x as i16) + (360.0 * f64::from(turns)) as i64
    });
    same("out", &out, &want.collect::<Vec<i64>>())
}

#[device]
fn doubled(of: f32) -> i32 {
    (of * 2.0) as _
}

/// `as _`, whose target its use decides.
fn inferred(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let small: i8 = (x.len() * 100) as _;
        out[0] = small as _;
        out[1] = doubled(y.len() as _);
        let pair = [1.5f64 as _, 2.5f32];
        out[2] = (pair[0] + pair[1]) as _;
        out[3] = i32::max(x.len() as _, 3);
    });
    Ok(())
}
