//! Methods and constants of numbers that are kernel code themselves, at edge values.
use crate::run::engine::{Bits, Check, Engine, cases, fault, launch, same};
use warpwise::prelude::*;

cases![
    integers, signed, unsigned, bytes, floats, half_bytes, ascii, constants,
    strict: FAULTS,
];

/// Runs each expression on every pair of `$values`, in a kernel and on the host.
macro_rules! beside_rust {
    ($on:ident, $values:expr, $out:ty, |$x:ident, $y:ident: $ty:ty| { $($line:expr;)* }) => {{
        #[kernel(contract = false)]
        fn in_kernel(lines: usize, x: &[$ty], y: &[$ty], out: &mut [$out]) {
            let i = global_idx_x();
            if i < x.len() {
                let $x = x[i];
                let $y = y[i];
                let mut at = i * lines;
                $(
                    out[at] = $line;
                    at += 1;
                )*
                assert!(at == (i + 1) * lines);
            }
        }
        let values: Vec<$ty> = $values;
        let x: Vec<$ty> = values.iter().flat_map(|x| vec![*x; values.len()]).collect();
        let y = values.repeat(values.len());
        let want: Vec<$out> = x.iter().zip(&y).flat_map(|(&$x, &$y)| [$($line),*]).collect();
        let (mut out, lines) = (vec![<$out>::default(); want.len()], want.len() / x.len());
        let config = LaunchConfig::cover(x.len());
        launch!($on, in_kernel(value lines, read x, read y, write out), config)?;
        same(stringify!($ty), &out, &want)?;
    }};
}

/// Edge values of an integer type.
macro_rules! edges {
    ($ty:ident) => {
        vec![
            0,
            1,
            2,
            3,
            7,
            10,
            77,
            100,
            $ty::MAX / 2,
            $ty::MAX - 1,
            $ty::MAX,
            $ty::MIN,
            $ty::MIN + 1,
            $ty::MAX / 3,
            !0,
        ]
    };
}

fn integers(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident)*) => {$(
            beside_rust!(on, edges!($ty), u64, |x, y: $ty| {
                match x.checked_ilog(y) { Some(value) => value as u64 + 1, None => 0 };
                match x.checked_ilog2() { Some(value) => value as u64 + 1, None => 0 };
                match x.checked_ilog10() { Some(value) => value as u64 + 1, None => 0 };
                if x > 0 && y > 1 { x.ilog(y) as u64 } else { 99 };
                if x > 0 && y > 1 { <$ty>::ilog(y, 2) as u64 } else { 99 };
                if let Some(sum) = x.checked_add(y) { (x.strict_add(y) == sum) as u64 } else { 2 };
                if let Some(sum) = x.checked_mul(y) { (x.strict_mul(y) == sum) as u64 } else { 2 };
                if let Some(sum) = x.checked_sub(y) { (x.strict_sub(y) == sum) as u64 } else { 2 };
                if let Some(sum) = x.checked_div(y) { (x.strict_div(y) == sum) as u64 } else { 2 };
                if let Some(sum) = x.checked_rem(y) { (x.strict_rem(y) == sum) as u64 } else { 2 };
                if let Some(sum) = x.checked_neg() { (x.strict_neg() == sum) as u64 } else { 2 };
                if let Some(sum) = x.checked_shl(y as u32) { (x.strict_shl(y as u32) == sum) as u64 } else { 2 };
                if let Some(sum) = x.checked_pow(3) { (x.strict_pow(3) == sum) as u64 } else { 2 };
            });
        )*};
    }
    each! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
    Ok(())
}

fn signed(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident $unsigned:ident)*) => {$(
            beside_rust!(on, edges!($ty), u64, |x, y: $ty| {
                match x.checked_isqrt() { Some(root) => root as u64 + 1, None => 0 };
                x.saturating_add_unsigned(y as $unsigned) as u64;
                x.saturating_sub_unsigned(y as $unsigned) as u64;
                match x.checked_add_unsigned(y as $unsigned) {
                    Some(sum) => (x.strict_add_unsigned(y as $unsigned) == sum) as u64,
                    None => 2,
                };
                match x.checked_sub_unsigned(y as $unsigned) {
                    Some(sum) => (x.strict_sub_unsigned(y as $unsigned) == sum) as u64,
                    None => 2,
                };
                match x.checked_abs() { Some(sum) => (x.strict_abs() == sum) as u64, None => 2 };
            });
        )*};
    }
    each! { i8 u8 i16 u16 i32 u32 i64 u64 isize usize }
    Ok(())
}

fn unsigned(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident $signed:ident)*) => {$(
            beside_rust!(on, edges!($ty), u64, |x, y: $ty| {
                { let (a, b) = x.overflowing_sub_signed(y as $signed); (a as u64).wrapping_mul(2) ^ b as u64 };
                match x.checked_sub_signed(y as $signed) { Some(a) => (a as u64).wrapping_add(1), None => 0 };
                x.saturating_add_signed(y as $signed) as u64;
                x.saturating_sub_signed(y as $signed) as u64;
                match x.checked_add_signed(y as $signed) {
                    Some(sum) => (x.strict_add_signed(y as $signed) == sum) as u64,
                    None => 2,
                };
                match x.checked_sub_signed(y as $signed) {
                    Some(sum) => (x.strict_sub_signed(y as $signed) == sum) as u64,
                    None => 2,
                };
                match x.checked_signed_diff(y) { Some(a) => (a as u64).wrapping_mul(2) ^ 1, None => 0 };
                match x.checked_next_multiple_of(y) { Some(a) => (a as u64).wrapping_add(1), None => 0 };
                match x.checked_next_power_of_two() { Some(a) => (a as u64).wrapping_add(1), None => 0 };
                { let (a, b) = x.carrying_add(y, true); (a as u64).wrapping_mul(2) ^ b as u64 };
                { let (a, b) = x.carrying_add(y, false); (a as u64).wrapping_mul(2) ^ b as u64 };
                { let (a, b) = x.borrowing_sub(y, true); (a as u64).wrapping_mul(2) ^ b as u64 };
                { let (a, b) = x.borrowing_sub(y, false); (a as u64).wrapping_mul(2) ^ b as u64 };
                { let (a, b) = x.carrying_mul(y, 5); (a as u64).wrapping_mul(3) ^ b as u64 };
                { let (a, b) = x.carrying_mul_add(y, x, y); (a as u64).wrapping_mul(3) ^ b as u64 };
            });
        )*};
    }
    each! { u8 i8 u16 i16 u32 i32 u64 i64 usize isize }
    Ok(())
}

fn bytes(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident $size:literal)*) => {$(
            beside_rust!(on, edges!($ty), u64, |x, y: $ty| {
                { let bytes = x.to_le_bytes(); (bytes[0] as u64) << 8 | bytes[$size - 1] as u64 };
                { let bytes = x.to_be_bytes(); (bytes[0] as u64) << 8 | bytes[$size - 1] as u64 };
                { let bytes = x.to_ne_bytes(); (bytes[0] as u64) << 8 | bytes[$size - 1] as u64 };
                $ty::from_le_bytes(y.to_le_bytes()) as u64;
                $ty::from_be_bytes(y.to_le_bytes()) as u64;
                $ty::from_ne_bytes(y.to_be_bytes()) as u64;
            });
        )*};
    }
    each! { i8 1 i16 2 i32 4 i64 8 isize 8 u8 1 u16 2 u32 4 u64 8 usize 8 }
    Ok(())
}

fn floats(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident $least:literal)*) => {$({
            let values = vec![
                0.0, -0.0, 1.0, -1.5, $ty::MAX, $ty::MIN, $ty::MIN_POSITIVE, -$ty::MIN_POSITIVE,
                $least, -$least, $ty::INFINITY, $ty::NEG_INFINITY, $ty::NAN, $ty::EPSILON, 3e30,
                $ty::MAX / 2.0, $ty::MAX / 1.9, $ty::MIN_POSITIVE * 2.0,
            ];
            beside_rust!(on, values, $ty, |x, y: $ty| {
                x.next_up();
                x.next_down();
                x.midpoint(y);
                $ty::from_le_bytes(x.to_le_bytes());
                $ty::from_be_bytes(x.to_be_bytes());
                x.to_ne_bytes()[1] as $ty;
                // Rust has these, too.
                x.rem_euclid(y);
                x.div_euclid(y);
                x.copysign(y).signum();
            });
        })*};
    }
    each! { f32 1e-45 f64 5e-324 }
    Ok(())
}

fn half_bytes(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident)*) => {$({
            let values = [0u16, 1, 0x1234, 0x8001, 0x3c00, 0xfbff, 0x7c00].map($ty::from_bits);
            beside_rust!(on, values.to_vec(), $ty, |x, y: $ty| {
                $ty::from_le_bytes(x.to_le_bytes());
                $ty::from_be_bytes(y.to_le_bytes());
                $ty::from_ne_bytes(x.to_be_bytes());
                $ty::from_f32_const(x.to_f32_const() + 1.0);
                $ty::from_f32(f32::from(x) - f64::from(y) as f32);
                $ty::from(77u8) + $ty::from(-8i8) * y;
            });
        })*};
    }
    each! { f16 bf16 }
    Ok(())
}

fn ascii(on: &Engine) -> Check {
    beside_rust!(on, (0..=255).step_by(1).collect(), u16, |x, y: u8| {
        x.is_ascii() as u16
            | (x.is_ascii_digit() as u16) << 1
            | (x.is_ascii_hexdigit() as u16) << 2
            | (x.is_ascii_lowercase() as u16) << 3
            | (x.is_ascii_uppercase() as u16) << 4
            | (x.is_ascii_alphabetic() as u16) << 5
            | (x.is_ascii_alphanumeric() as u16) << 6
            | (x.is_ascii_graphic() as u16) << 7
            | (x.is_ascii_punctuation() as u16) << 8
            | (x.is_ascii_control() as u16) << 9
            | (x.is_ascii_whitespace() as u16) << 10
            | (x.eq_ignore_ascii_case(&y) as u16) << 11
            | ([x, y][..].eq_ignore_ascii_case(&[y, x]) as u16) << 12
            | (b"Ab"[..].eq_ignore_ascii_case(&[x]) as u16) << 13;
        (x.to_ascii_lowercase() as u16) << 8 | x.to_ascii_uppercase() as u16;
    });
    Ok(())
}

/// Compares constants in a kernel and on the host.
macro_rules! constants {
    ($on:ident $out:ty: $($constant:expr),* $(,)?) => {{
        #[kernel]
        fn in_kernel(out: &mut [$out]) {
            if global_idx_x() == 0 {
                let mut at = 0;
                $(
                    out[at] = $constant;
                    at += 1;
                )*
                assert!(at == out.len());
            }
        }
        let want: Vec<$out> = vec![$($constant),*];
        let mut out = vec![<$out>::default(); want.len()];
        launch!($on, in_kernel(write out), LaunchConfig::cover(1))?;
        same(stringify!($out), &out, &want)?;
    }};
}

fn constants(on: &Engine) -> Check {
    macro_rules! integers {
        ($($ty:ident)*) => {$(
            constants!(on $ty: $ty::MIN, $ty::MAX, <$ty>::MAX, std::primitive::$ty::MIN, $ty::BITS as $ty);
            constants!(on u32: $ty::BITS, std::$ty::MAX.leading_zeros());
        )*};
    }
    integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
    macro_rules! floats {
        ($($ty:ident)*) => {$(
            constants!(on $ty:
                $ty::MIN, $ty::MAX, $ty::MIN_POSITIVE, $ty::EPSILON, $ty::INFINITY, $ty::NEG_INFINITY,
                $ty::NAN,
            );
            constants!(on u32: $ty::RADIX, $ty::DIGITS, $ty::MANTISSA_DIGITS);
            constants!(on i32: $ty::MIN_EXP, $ty::MAX_EXP, $ty::MIN_10_EXP, $ty::MAX_10_EXP);
        )*};
    }
    floats! { f16 bf16 f32 f64 }
    macro_rules! mathematical {
        ($($ty:ident)*) => {$({
            constants!(on $ty:
                std::$ty::consts::E, core::$ty::consts::EULER_GAMMA, std::$ty::consts::GOLDEN_RATIO,
                std::$ty::consts::FRAC_1_PI, std::$ty::consts::FRAC_1_SQRT_2, std::$ty::consts::FRAC_2_PI,
                std::$ty::consts::FRAC_2_SQRT_PI, std::$ty::consts::FRAC_PI_2, std::$ty::consts::FRAC_PI_3,
                std::$ty::consts::FRAC_PI_4, std::$ty::consts::FRAC_PI_6, std::$ty::consts::FRAC_PI_8,
                std::$ty::consts::LN_10, std::$ty::consts::LN_2, std::$ty::consts::LOG10_2,
                std::$ty::consts::LOG10_E, std::$ty::consts::LOG2_10, std::$ty::consts::LOG2_E,
                std::$ty::consts::PI, std::$ty::consts::SQRT_2, std::$ty::consts::TAU,
            );
        })*};
    }
    mathematical! { f32 f64 }
    Ok(())
}

fn strict(on: &Engine) -> Check {
    macro_rules! faults {
        ($($ty:ident |$x:ident, $y:ident| $line:expr, $a:expr, $b:expr => $message:literal;)*) => {$({
            #[kernel]
            fn faults(a: $ty, b: $ty, out: &mut [u64]) {
                let ($x, $y) = (a, b);
                let _ = $y;
                out[0] = $line as u64;
            }
            let (a, b, mut out) = ($a, $b, vec![7; 1]);
            let result = launch!(on, faults(value a, value b, write out), LaunchConfig::grid(1).block(1));
            let panic = fault(result)?;
            if panic.message != $message {
                return Err(panic.into());
            }
            check(&out)?;
        })*};
    }
    faults! {
        i32 |x, y| x.strict_add(y), i32::MAX, 1 => "attempt to add with overflow";
        u8 |x, y| x.strict_sub(y), 1, 2 => "attempt to subtract with overflow";
        u64 |x, y| x.strict_mul(y), u64::MAX, 2 => "attempt to multiply with overflow";
        i16 |x, y| x.strict_neg(), i16::MIN, 0 => "attempt to negate with overflow";
        i16 |x, y| x.strict_abs(), i16::MIN, 0 => "attempt to negate with overflow";
        i64 |x, y| x.strict_pow(9), i64::MAX, 0 => "attempt to multiply with overflow";
        u32 |x, y| x.strict_shl(y), 1, 32 => "attempt to shift left with overflow";
        u32 |x, y| x.strict_shr(y), 1, 32 => "attempt to shift right with overflow";
        i32 |x, y| x.strict_div(y), 1, 0 => "attempt to divide by zero";
        i32 |x, y| x.strict_rem(y), i32::MIN, -1 => "attempt to calculate the remainder with overflow";
        u32 |x, y| x.ilog(y), 1, 1 => "base of integer logarithm must be at least 2";
        i32 |x, y| x.ilog(y), -1, 2 => "argument of integer logarithm must be positive";
    }
    Ok(())
}

fn check<T: Bits + From<u8>>(out: &[T]) -> Check {
    same("out", out, &vec![T::from(7); out.len()])
}
