//! Mathematical functions: every engine computes the bits of the host library. `tests/math.rs`
//! measures errors.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![f32s, f64s, far_angles, methods: STD, generic, in_device_functions: STD, overflow_checked];

/// Defines, for one type, kernels for the functions of one argument and of two, and the case that
/// runs them.
macro_rules! functions {
    ($ty:ident: $($one:ident)*; $($two:ident)*) => {
        pub(super) mod $ty {
            use crate::run::engine::{Check, Engine, launch, same};
            use warpwise::prelude::*;

            pub(super) fn run(on: &Engine) -> Check {
                let (a, b) = super::arguments::<$ty>();
                let config = LaunchConfig::cover(a.len());
                $({
                    #[kernel]
                    fn $one(a: &[$ty], out: &mut [$ty]) {
                        let i = global_idx_x();
                        if i < a.len() {
                            out[i] = math::$one(a[i]);
                        }
                    }
                    let mut out = vec![0.0; a.len()];
                    launch!(on, $one(read a, write out), config)?;
                    let expected: Vec<$ty> = a.iter().map(|a| math::$one(*a)).collect();
                    same(stringify!($one), &out, &expected)?;
                })*
                $({
                    #[kernel]
                    fn $two(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
                        let i = global_idx_x();
                        if i < a.len() {
                            out[i] = math::$two(a[i], b[i]);
                        }
                    }
                    let mut out = vec![0.0; a.len()];
                    launch!(on, $two(read a, read b, write out), config)?;
                    let expected: Vec<$ty> =
                        a.iter().zip(&b).map(|(a, b)| math::$two(*a, *b)).collect();
                    same(stringify!($two), &out, &expected)?;
                })*
                Ok(())
            }
        }
    };
}

functions! { f32:
    acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 exp_m1 ln ln_1p log10 log2 sin
    sinh tan tanh; atan2 hypot log powf
}
functions! { f64:
    acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 exp_m1 ln ln_1p log10 log2 sin
    sinh tan tanh; atan2 hypot log powf
}

fn f32s(on: &Engine) -> Check {
    f32::run(on)
}

fn f64s(on: &Engine) -> Check {
    f64::run(on)
}

/// Every pair of edge values, and pairs of numbers of all sizes.
fn arguments<T: Float>() -> (Vec<T>, Vec<T>) {
    let edges = [
        0.0,
        1.0,
        0.5,
        2.0,
        3.0,
        0.75,
        1e-3,
        87.5,
        709.0,
        745.1,
        f64::INFINITY,
        f64::NAN,
        f64::from(f32::MAX),
        f64::from(f32::MIN_POSITIVE),
        1e-45,
        1e-40,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        1e10,
        1e20,
        16_777_215.0,
    ];
    let signed: Vec<f64> = edges.iter().flat_map(|edge| [*edge, -*edge]).collect();
    let mut pairs: Vec<(f64, f64)> =
        signed.iter().flat_map(|a| signed.iter().map(move |b| (*a, *b))).collect();
    let mut state = 1u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (fraction, exponent) = ((state >> 32) as f64 / 4_294_967_296.0, (state >> 20) % 16);
        (fraction - 0.5) * 2f64.powi(exponent as i32 - 5)
    };
    pairs.extend((0..2000).map(|_| (next(), next())));
    pairs.into_iter().map(|(a, b)| (T::from_f64(a), T::from_f64(b))).unzip()
}

#[kernel]
fn waves(angles: &[f32], wide: &[f64], out: &mut [f32], wide_out: &mut [f64]) {
    let i = global_idx_x();
    if i < angles.len() {
        let (sin, cos) = math::sin_cos(angles[i]);
        out[i * 3] = sin;
        out[i * 3 + 1] = cos;
        out[i * 3 + 2] = math::tan(angles[i]);
        wide_out[i * 3] = math::sin(wide[i]);
        wide_out[i * 3 + 1] = math::cos(wide[i]);
        wide_out[i * 3 + 2] = math::tan(wide[i]);
    }
}

/// Angles of every exponent, many of them beyond reduction by subtraction.
fn far_angles(on: &Engine) -> Check {
    let wide: Vec<f64> = (0..2046u64)
        .map(|e| f64::from_bits((e << 52) | (e.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 12)))
        .collect();
    let angles: Vec<f32> = (0..2046u32)
        .map(|i| f32::from_bits((i % 255) << 23 | (i.wrapping_mul(0x9e37_79b9) >> 9)))
        .collect();
    let mut out = vec![0.0; angles.len() * 3];
    let mut wide_out = vec![0.0; wide.len() * 3];
    let config = LaunchConfig::cover(angles.len());
    launch!(on, waves(read angles, read wide, write out, write wide_out), config)?;
    let expected: Vec<f32> =
        angles.iter().flat_map(|x| [math::sin(*x), math::cos(*x), math::tan(*x)]).collect();
    same("out", &out, &expected)?;
    let expected: Vec<f64> =
        wide.iter().flat_map(|x| [math::sin(*x), math::cos(*x), math::tan(*x)]).collect();
    same("wide_out", &wide_out, &expected)
}

#[kernel]
fn written_as_methods(x: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        let y = x[i];
        out[i * 5] = y.exp();
        out[i * 5 + 1] = f32::ln(y);
        out[i * 5 + 2] = y.powf(2.5);
        out[i * 5 + 3] = 0.5f32.atan2(y);
        // Neither side is a product in user code: nothing fuses.
        let both = y.sin_cos();
        out[i * 5 + 4] = both.0 + y.cos();
    }
}

fn methods(on: &Engine) -> Check {
    let (x, _) = arguments::<f32>();
    let mut out = vec![0.0; x.len() * 5];
    launch!(on, written_as_methods(read x, write out), LaunchConfig::cover(x.len()))?;
    let of = |x: &f32| {
        [
            math::exp(*x),
            math::ln(*x),
            math::powf(*x, 2.5),
            math::atan2(0.5, *x),
            math::sin(*x) + math::cos(*x),
        ]
    };
    let expected: Vec<f32> = x.iter().flat_map(of).collect();
    same("out", &out, &expected)
}

#[kernel]
fn of_any<T: Float>(x: &[T], out: &mut [T]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i * 3] = x[i].exp();
        out[i * 3 + 1] = Float::erf(x[i]) + x[i].sin_cos().1;
        out[i * 3 + 2] = math::hypot(x[i], T::ONE);
    }
}

fn generic(on: &Engine) -> Check {
    fn expected<T: Float>(x: &[T]) -> Vec<T> {
        x.iter().flat_map(|x| [x.exp(), x.erf() + x.cos(), x.hypot(T::ONE)]).collect()
    }
    let (narrow, _) = arguments::<f32>();
    let mut out = vec![0.0; narrow.len() * 3];
    launch!(on, of_any::<f32>(read narrow, write out), LaunchConfig::cover(narrow.len()))?;
    same("f32", &out, &expected(&narrow))?;
    let (wide, _) = arguments::<f64>();
    let mut out = vec![0.0; wide.len() * 3];
    launch!(on, of_any::<f64>(read wide, write out), LaunchConfig::cover(wide.len()))?;
    same("f64", &out, &expected(&wide))
}

#[device]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[kernel]
fn activate(x: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = sigmoid(x[i]) + sigmoid(-x[i]).ln();
    }
}

fn in_device_functions(on: &Engine) -> Check {
    let (x, _) = arguments::<f32>();
    let mut out = vec![0.0; x.len()];
    launch!(on, activate(read x, write out), LaunchConfig::cover(x.len()))?;
    let sigmoid = |x: f32| 1.0 / (1.0 + math::exp(-x));
    let expected: Vec<f32> = x.iter().map(|x| sigmoid(*x) + math::ln(sigmoid(-*x))).collect();
    same("out", &out, &expected)
}

#[kernel(overflow_checks)]
fn checked(x: &[f64], out: &mut [f64]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = math::exp(x[i]) + math::tan(x[i]);
    }
}

/// The library's integers wrap, whether or not the kernel's do.
fn overflow_checked(on: &Engine) -> Check {
    let (x, _) = arguments::<f64>();
    let mut out = vec![0.0; x.len()];
    launch!(on, checked(read x, write out), LaunchConfig::cover(x.len()))?;
    let expected: Vec<f64> = x.iter().map(|x| math::exp(*x) + math::tan(*x)).collect();
    same("out", &out, &expected)
}
