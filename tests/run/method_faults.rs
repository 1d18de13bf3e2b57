//! Methods of numbers that fault where Rust panics.
use crate::run::engine::{Check, Engine, cases, fault, launch, same};
use warpwise::prelude::*;

cases![divisions: FAULTS, arguments: FAULTS, overflow: FAULTS, wrapping];

/// Runs an expression on a pair for which it has a value and on one for which it faults.
macro_rules! faults {
    ($on:ident, $($checks:ident)? |$x:ident, $y:ident: $ty:ty| $method:expr => $out:ty {
        $well:expr => $want:expr, $bad:expr => $message:expr $(,)?
    }) => {{
        #[kernel $(($checks))?]
        fn method(x: &[$ty], y: &[$ty], out: &mut [$out]) {
            let i = global_idx_x();
            if i < x.len() {
                let $x = x[i];
                let $y = y[i];
                let _ = $x;
                let _ = $y;
                out[i] = $method;
            }
        }
        let (x, y): (Vec<$ty>, Vec<$ty>) = [$well, $bad, $well].into_iter().unzip();
        let unset = <$out>::default();
        let mut out = vec![unset; 3];
        let result = launch!($on, method(read x, read y, write out), LaunchConfig::cover(3));
        let panic = fault(result)?;
        if (panic.message.as_str(), panic.thread, panic.count) != ($message, [1, 0, 0], 1) {
            return Err(panic.into());
        }
        same(stringify!($method), &out, &[$want, unset, $want])?;
    }};
}

fn divisions(on: &Engine) -> Check {
    const BY_ZERO: &str = "attempt to divide by zero";
    const REST: &str = "attempt to calculate the remainder with a divisor of zero";
    const PAST: &str = "attempt to divide with overflow";
    macro_rules! by_zero {
        ($($method:ident $ty:ident $want:literal $message:ident;)*) => {$(
            faults!(on, |x, y: $ty| x.$method(y) => $ty { (17, 5) => $want, (17, 0) => $message });
        )*};
    }
    by_zero! {
        wrapping_div i32 3 BY_ZERO;
        wrapping_rem i8 2 REST;
        wrapping_div_euclid u64 3 BY_ZERO;
        wrapping_rem_euclid i64 2 REST;
        saturating_div i16 3 BY_ZERO;
        div_euclid u8 3 BY_ZERO;
        rem_euclid i32 2 REST;
        div_ceil u32 4 BY_ZERO;
        next_multiple_of u64 20 REST;
    }
    faults!(on, |x, y: i32| x.div_euclid(y) => i32 { (-17, 5) => -4, (i32::MIN, -1) => PAST });
    Ok(())
}

fn arguments(on: &Engine) -> Check {
    const ROOT: &str = "argument of integer square root cannot be negative";
    const LOG: &str = "argument of integer logarithm must be positive";
    const CLAMP: &str = "min > max, or either was NaN";
    faults!(on, |x, y: i32| x.isqrt() => i32 { (17, 0) => 4, (-1, 0) => ROOT });
    faults!(on, |x, y: i64| x.isqrt() => i64 { (i64::MAX, 0) => 3_037_000_499, (i64::MIN, 0) => ROOT });
    faults!(on, |x, y: u8| x.ilog2() => u32 { (255, 0) => 7, (0, 0) => LOG });
    faults!(on, |x, y: i64| x.ilog10() => u32 { (1000, 0) => 3, (-5, 0) => LOG });
    faults!(on, |x, y: u32| 5_u32.clamp(x, y) => u32 { (7, 9) => 7, (9, 7) => CLAMP });
    faults!(on, |x, y: f32| 0.5_f32.clamp(x, y) => f32 { (0.0, 1.0) => 0.5, (1.0, 0.0) => CLAMP });
    faults!(on, |x, y: f64| x.clamp(0.0, y) => f64 { (5.0, 1.0) => 1.0, (5.0, f64::NAN) => CLAMP });
    Ok(())
}

fn overflow(on: &Engine) -> Check {
    const MULTIPLY: &str = "attempt to multiply with overflow";
    const NEGATE: &str = "attempt to negate with overflow";
    const ADD: &str = "attempt to add with overflow";
    faults!(on, overflow_checks |x, y: i32| x.pow(y as u32) => i32 {
        (-2, 31) => i32::MIN, (2, 31) => MULTIPLY
    });
    faults!(on, overflow_checks |x, y: u64| x.pow(3) => u64 { (2, 0) => 8, (1 << 22, 0) => MULTIPLY });
    faults!(on, overflow_checks |x, y: u16| [x, y, 1].into_iter().sum::<u16>() => u16 {
        (2, 3) => 6, (65_000, 535) => ADD
    });
    faults!(on, overflow_checks |x, y: u8| [x, y].iter().product::<u8>() => u8 {
        (2, 3) => 6, (16, 16) => MULTIPLY
    });
    faults!(on, overflow_checks |x, y: i64| x * y => i64 {
        (i64::MIN / 2, 2) => i64::MIN, (i64::MIN / 2, -2) => MULTIPLY
    });
    faults!(on, overflow_checks |x, y: i64| x.abs() => i64 { (-5, 0) => 5, (i64::MIN, 0) => NEGATE });
    faults!(on, overflow_checks |x, y: u8| x.next_power_of_two() => u8 { (3, 0) => 4, (129, 0) => ADD });
    faults!(on, overflow_checks |x, y: u16| x.next_multiple_of(y) => u16 {
        (13, 5) => 15, (u16::MAX, 7) => ADD
    });
    Ok(())
}

/// Methods that wrap or saturate by name are never checked.
fn wrapping(on: &Engine) -> Check {
    #[kernel(overflow_checks)]
    fn wraps(x: &[i32], out: &mut [i32]) {
        let i = global_idx_x();
        if i < x.len() {
            out[i * 5] = x[i].wrapping_pow(3);
            out[i * 5 + 1] = x[i].saturating_pow(3);
            out[i * 5 + 2] = x[i].wrapping_neg();
            out[i * 5 + 3] = x[i].wrapping_shl(33);
            out[i * 5 + 4] = x[i].rotate_left(40).wrapping_abs();
        }
    }
    let x = vec![0, 7, -1300, i32::MAX, i32::MIN];
    let mut out = vec![0; x.len() * 5];
    launch!(on, wraps(read x, write out), LaunchConfig::cover(x.len()))?;
    let want: Vec<i32> = x
        .iter()
        .flat_map(|x: &i32| {
            [
                x.wrapping_pow(3),
                x.saturating_pow(3),
                x.wrapping_neg(),
                x.wrapping_shl(33),
                x.rotate_left(40).wrapping_abs(),
            ]
        })
        .collect();
    same("out", &out, &want)
}
