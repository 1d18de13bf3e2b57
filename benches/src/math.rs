//! The functions of `math`, as kernels that are timed and compared with `nvcc`'s functions
//! (`cuda/math.cu`).
//!
//! A thread loads a number, computes the function `rounds` times for it and its neighbours, and
//! stores the sum. One round corresponds to a kernel over arrays, which waits for memory; with many
//! rounds only the function counts.
use crate::measure::launches;
use std::time::Duration;
use warpwise::{Result, prelude::*};

/// The number of threads, and of elements.
const COUNT: usize = 1 << 24;

/// A timed function.
pub struct Function {
    /// Its name, with that of its type; the same as in `cuda/math.cu`.
    pub name: &'static str,
    /// Verifies it, then times a launch with this many rounds.
    pub time: fn(&Device, u32) -> Result<Duration>,
}

/// Returns numbers from `low` to `high`, and the step between those of a thread.
fn inputs<T: Float>(low: f64, high: f64) -> (Vec<T>, T) {
    let of = |i: usize| T::from_f64(low + (high - low) * 0.999 * i as f64 / COUNT as f64);
    ((0..COUNT).map(of).collect(), T::from_f64((high - low) * 0.001 / 64.0))
}

/// Checks that one round has the host's result, to the last bit, and panics if it has not.
fn verify<T: Float>(name: &str, x: &[T], got: &[T], function: impl Fn(T) -> T) {
    for (x, got) in x.iter().zip(got).step_by(101) {
        let want = function(*x);
        assert!(*got == want, "{name} of {x:?} is {got:?}, expected {want:?}");
    }
}

macro_rules! functions {
    ($all:ident $ty:ident: $($name:ident $label:literal |$x:ident| $call:expr, $low:literal $high:literal;)*) => {
        /// All functions for one type.
        pub const $all: &[Function] = &[$(Function {
            name: $label,
            time: {
                fn time(device: &Device, rounds: u32) -> Result<Duration> {
                    #[kernel(block = 256)]
                    fn $name(x: &[$ty], y: &mut [$ty], step: $ty, rounds: u32) {
                        let i = global_idx_x();
                        if i < y.len() {
                            let mut $x = x[i];
                            let mut sum = 0.0;
                            for _ in 0..rounds {
                                sum += $call;
                                $x += step;
                            }
                            y[i] = sum;
                        }
                    }
                    let (host, step) = inputs::<$ty>($low, $high);
                    let x = device.upload(&host)?;
                    let mut y = device.zeros::<$ty>(COUNT)?;
                    let config = LaunchConfig::cover(COUNT);
                    $name::launch(device, config, &x, &mut y, step, 1)?;
                    verify($label, &host, &y.to_vec()?, |$x: $ty| 0.0 + $call);
                    launches(device, || $name::launch(device, config, &x, &mut y, step, rounds))
                }
                time
            },
        }),*];
    };
}

functions! { F32 f32:
    acos "acos_f32" |x| math::acos(x), -0.99 0.99;
    acosh "acosh_f32" |x| math::acosh(x), 1.0 50.0;
    asin "asin_f32" |x| math::asin(x), -0.99 0.99;
    asinh "asinh_f32" |x| math::asinh(x), -50.0 50.0;
    atan "atan_f32" |x| math::atan(x), -10.0 10.0;
    atanh "atanh_f32" |x| math::atanh(x), -0.99 0.99;
    cbrt "cbrt_f32" |x| math::cbrt(x), -100.0 100.0;
    cos "cos_f32" |x| math::cos(x), -30.0 30.0;
    cosh "cosh_f32" |x| math::cosh(x), -10.0 10.0;
    erf "erf_f32" |x| math::erf(x), -3.0 3.0;
    erfc "erfc_f32" |x| math::erfc(x), -3.0 9.0;
    exp "exp_f32" |x| math::exp(x), -20.0 20.0;
    exp2 "exp2_f32" |x| math::exp2(x), -20.0 20.0;
    exp_m1 "exp_m1_f32" |x| math::exp_m1(x), -3.0 3.0;
    ln "ln_f32" |x| math::ln(x), 0.01 100.0;
    ln_1p "ln_1p_f32" |x| math::ln_1p(x), -0.9 10.0;
    log10 "log10_f32" |x| math::log10(x), 0.01 100.0;
    log2 "log2_f32" |x| math::log2(x), 0.01 100.0;
    sin "sin_f32" |x| math::sin(x), -30.0 30.0;
    sinh "sinh_f32" |x| math::sinh(x), -10.0 10.0;
    tan "tan_f32" |x| math::tan(x), -30.0 30.0;
    tanh "tanh_f32" |x| math::tanh(x), -3.0 3.0;
    atan2 "atan2_f32" |x| math::atan2(x, 1.5), -10.0 10.0;
    hypot "hypot_f32" |x| math::hypot(x, 1.5), -10.0 10.0;
    powf "powf_f32" |x| math::powf(x, 1.5), 0.1 10.0;
}

functions! { F64 f64:
    acos "acos_f64" |x| math::acos(x), -0.99 0.99;
    acosh "acosh_f64" |x| math::acosh(x), 1.0 50.0;
    asin "asin_f64" |x| math::asin(x), -0.99 0.99;
    asinh "asinh_f64" |x| math::asinh(x), -50.0 50.0;
    atan "atan_f64" |x| math::atan(x), -10.0 10.0;
    atanh "atanh_f64" |x| math::atanh(x), -0.99 0.99;
    cbrt "cbrt_f64" |x| math::cbrt(x), -100.0 100.0;
    cos "cos_f64" |x| math::cos(x), -30.0 30.0;
    cosh "cosh_f64" |x| math::cosh(x), -10.0 10.0;
    erf "erf_f64" |x| math::erf(x), -3.0 3.0;
    erfc "erfc_f64" |x| math::erfc(x), -3.0 9.0;
    exp "exp_f64" |x| math::exp(x), -20.0 20.0;
    exp2 "exp2_f64" |x| math::exp2(x), -20.0 20.0;
    exp_m1 "exp_m1_f64" |x| math::exp_m1(x), -3.0 3.0;
    ln "ln_f64" |x| math::ln(x), 0.01 100.0;
    ln_1p "ln_1p_f64" |x| math::ln_1p(x), -0.9 10.0;
    log10 "log10_f64" |x| math::log10(x), 0.01 100.0;
    log2 "log2_f64" |x| math::log2(x), 0.01 100.0;
    sin "sin_f64" |x| math::sin(x), -30.0 30.0;
    sinh "sinh_f64" |x| math::sinh(x), -10.0 10.0;
    tan "tan_f64" |x| math::tan(x), -30.0 30.0;
    tanh "tanh_f64" |x| math::tanh(x), -3.0 3.0;
    atan2 "atan2_f64" |x| math::atan2(x, 1.5), -10.0 10.0;
    hypot "hypot_f64" |x| math::hypot(x, 1.5), -10.0 10.0;
    powf "powf_f64" |x| math::powf(x, 1.5), 0.1 10.0;
}
