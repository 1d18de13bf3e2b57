//! Float arithmetic to the last bit, and the contraction of a product and a sum.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![
    f32s, f64s, zeros: ZEROS, fused: FUSES, not_fused, double_fused: FUSES, inverse_roots: FUSES,
    fused_roots: FUSES, roots_apart,
];

/// The kernels for one type, and the case that runs them.
macro_rules! floats {
    ($($ty:ident $case:ident)*) => {$(
        mod $case {
            use warpwise::prelude::*;

            #[kernel(contract = false)]
            pub(super) fn binary(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
                let i = global_idx_x();
                if i < a.len() {
                    let x = a[i];
                    let y = b[i];
                    let at = i * 10;
                    out[at] = x + y;
                    out[at + 1] = x - y;
                    out[at + 2] = x * y;
                    out[at + 3] = x / y;
                    out[at + 4] = x % y;
                    out[at + 5] = x * y + x;
                    out[at + 6] = x.mul_add(y, x);
                    let mut z = x;
                    z += y;
                    z *= x;
                    z -= y;
                    z /= 3.0;
                    out[at + 7] = z;
                    z %= 0.75;
                    out[at + 8] = z;
                    out[at + 9] = x - y * -x;
                }
            }

            #[kernel]
            pub(super) fn smaller(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
                let i = global_idx_x();
                if i < a.len() {
                    out[i * 2] = a[i].min(b[i]);
                    out[i * 2 + 1] = a[i].max(b[i]);
                }
            }

            #[kernel]
            pub(super) fn unary(a: &[$ty], out: &mut [$ty]) {
                let i = global_idx_x();
                if i < a.len() {
                    let x = a[i];
                    out[i * 7] = -x;
                    out[i * 7 + 1] = x.abs();
                    out[i * 7 + 2] = x.sqrt();
                    out[i * 7 + 3] = x.floor();
                    out[i * 7 + 4] = x.ceil();
                    out[i * 7 + 5] = x.trunc();
                    out[i * 7 + 6] = x.round_ties_even();
                }
            }

            #[kernel]
            pub(super) fn compare(a: &[$ty], b: &[$ty], out: &mut [bool]) {
                let i = global_idx_x();
                if i < a.len() {
                    out[i * 6] = a[i] == b[i];
                    out[i * 6 + 1] = a[i] != b[i];
                    out[i * 6 + 2] = a[i] < b[i];
                    out[i * 6 + 3] = a[i] <= b[i];
                    out[i * 6 + 4] = !(a[i] > b[i]);
                    out[i * 6 + 5] = a[i] >= b[i];
                }
            }
        }

        fn $case(on: &Engine) -> Check {
            let mut edges: Vec<$ty> = vec![
                0.0, 1.0, 1.5, 2.5, 3.5, 0.1, 0.49999997, 0.5, 1.0 / 3.0, 7.25, 123456.789,
                8388607.5, 4503599627370495.5, 1e30, $ty::MAX, $ty::MIN_POSITIVE,
                $ty::MIN_POSITIVE / 3.0, $ty::from_bits(1), $ty::EPSILON, $ty::INFINITY,
            ];
            edges.extend(edges.clone().iter().map(|x| -x));
            edges.push($ty::NAN);
            let a: Vec<$ty> = edges.iter().flat_map(|x| edges.iter().map(move |_| *x)).collect();
            let b: Vec<$ty> = edges.iter().flat_map(|_| &edges).copied().collect();
            let config = LaunchConfig::cover(a.len());

            let mut out = vec![0.0; a.len() * 10];
            use $case::binary;
            launch!(on, binary(read a, read b, write out), config)?;
            let want: Vec<$ty> = a
                .iter()
                .zip(&b)
                .flat_map(|(&x, &y)| {
                    let z = ((x + y) * x - y) / 3.0;
                    [
                        x + y, x - y, x * y, x / y, x % y, x * y + x, x.mul_add(y, x), z,
                        z % 0.75, x - y * -x,
                    ]
                })
                .collect();
            same("binary", &out, &want)?;

            let mut out = vec![0.0; edges.len() * 7];
            let x = &edges;
            use $case::unary;
            launch!(on, unary(read x, write out), LaunchConfig::cover(x.len()))?;
            let want: Vec<$ty> = x
                .iter()
                .flat_map(|x| {
                    [-x, x.abs(), x.sqrt(), x.floor(), x.ceil(), x.trunc(), x.round_ties_even()]
                })
                .collect();
            same("unary", &out, &want)?;

            let mut out = vec![false; a.len() * 6];
            use $case::compare;
            launch!(on, compare(read a, read b, write out), config)?;
            let want: Vec<bool> = a
                .iter()
                .zip(&b)
                .flat_map(|(x, y)| [x == y, x != y, x < y, x <= y, !(x > y), x >= y])
                .collect();
            same("compare", &out, &want)?;

            // Rust does not specify which of two zeros `min` returns: `zeros` has those.
            let (a, b): (Vec<$ty>, Vec<$ty>) =
                a.iter().zip(&b).filter(|&(x, y)| *x != 0.0 || *y != 0.0).unzip();
            let mut out = vec![0.0; a.len() * 2];
            use $case::smaller;
            launch!(on, smaller(read a, read b, write out), LaunchConfig::cover(a.len()))?;
            let want: Vec<$ty> =
                a.iter().zip(&b).flat_map(|(&x, &y)| [x.min(y), x.max(y)]).collect();
            same("smaller", &out, &want)
        }
    )*};
}
floats! { f32 f32s f64 f64s }

fn zeros(on: &Engine) -> Check {
    use f32s::smaller;
    let a = vec![0.0, 0.0, -0.0, -0.0];
    let b = vec![0.0, -0.0, 0.0, -0.0];
    let mut out = vec![1.0; 8];
    launch!(on, smaller(read a, read b, write out), LaunchConfig::cover(4))?;
    same("out", &out, &[0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, -0.0])
}

/// Computes sums of products, of which some are one operation; `fused` has the expected results.
#[kernel]
fn sums_of_products(a: &[f32], b: &[f32], c: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < a.len() {
        let x = a[i];
        let y = b[i];
        let z = c[i];
        let at = i * 12;
        out[at] = x * y + z;
        out[at + 1] = z + x * y;
        out[at + 2] = x * y - z;
        out[at + 3] = z - x * y;
        out[at + 4] = x * y + z * x;
        out[at + 5] = -(x * y) + z;
        out[at + 6] = (x * y) + z;
        let mut sum = z;
        sum += x * y;
        out[at + 7] = sum;
        sum -= y * z;
        out[at + 8] = sum;
        let product = x * y;
        out[at + 9] = product + z;
        out[at + 10] = { x * y } + z;
        out[at + 11] = x * y * z + z;
    }
}

/// Returns triples, in some of which one rounding and two roundings differ.
fn triples() -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let value = |i: u32| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 8_388_608.0 - 1.0;
    let column = |k: u32| (0..1000).map(|i| value(3 * i + k)).collect();
    (column(0), column(1), column(2))
}

fn fused(on: &Engine) -> Check {
    let (a, b, c) = triples();
    let mut out = vec![0.0; a.len() * 12];
    launch!(on, sums_of_products(read a, read b, read c, write out), LaunchConfig::cover(a.len()))?;
    let want: Vec<f32> = (0..a.len())
        .flat_map(|i| {
            let (x, y, z) = (a[i], b[i], c[i]);
            [
                x.mul_add(y, z),
                x.mul_add(y, z),
                x.mul_add(y, -z),
                (-x).mul_add(y, z),
                x.mul_add(y, z * x),
                (-x).mul_add(y, z),
                x.mul_add(y, z),
                x.mul_add(y, z),
                (-y).mul_add(z, x.mul_add(y, z)),
                x * y + z,
                x * y + z,
                (x * y).mul_add(z, z),
            ]
        })
        .collect();
    same("out", &out, &want)
}

#[kernel(contract = false)]
fn sums_apart(a: &[f32], b: &[f32], c: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < a.len() {
        out[i * 3] = a[i] * b[i] + c[i];
        out[i * 3 + 1] = c[i] - a[i] * b[i];
        out[i * 3 + 2] = c[i];
        out[i * 3 + 2] += a[i] * b[i];
    }
}

fn not_fused(on: &Engine) -> Check {
    let (a, b, c) = triples();
    let mut out = vec![0.0; a.len() * 3];
    launch!(on, sums_apart(read a, read b, read c, write out), LaunchConfig::cover(a.len()))?;
    let want: Vec<f32> = (0..a.len())
        .flat_map(|i| {
            let (x, y, z) = (a[i], b[i], c[i]);
            [x * y + z, z - x * y, z + x * y]
        })
        .collect();
    same("out", &out, &want)
}

#[kernel]
fn horner(x: &[f64], out: &mut [f64]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = ((0.1 * x[i] + 0.2) * x[i] - 0.3) * x[i] + 0.4;
    }
}

fn double_fused(on: &Engine) -> Check {
    let x: Vec<f64> = (0..1000).map(|i| f64::from(i) / 7.0 - 70.0).collect();
    let mut out = vec![0.0; x.len()];
    launch!(on, horner(read x, write out), LaunchConfig::cover(x.len()))?;
    let want: Vec<f64> =
        x.iter().map(|x| 0.1f64.mul_add(*x, 0.2).mul_add(*x, -0.3).mul_add(*x, 0.4)).collect();
    same("out", &out, &want)
}

/// Folds the inverse roots of 64 floats per thread, whose bits are `step` apart, into one number.
#[kernel]
fn folded_inverse_roots(first: u32, step: u32, out: &mut [u32]) {
    let i = global_idx_x();
    if i < out.len() {
        let mut folded = 0u32;
        for k in 0..64 {
            let x = f32::from_bits(first + (i as u32 * 64 + k) * step);
            folded = folded.rotate_left(5) ^ (1.0 / x.sqrt()).to_bits();
        }
        out[i] = folded;
    }
}

/// Returns the inverse root, rounded once: no exact one is as close to the middle of two floats as
/// its `f64` is to it.
fn inverse_root(x: f32) -> f32 {
    (1.0 / f64::from(x).sqrt()) as f32
}

/// On a GPU, all significands with an even and an odd exponent, and elsewhere a sample; and a
/// sample of all numbers from zero to infinity.
fn inverse_roots(on: &Engine) -> Check {
    let sparse = if on.name() == "cuda" { 1 } else { 61 };
    let (one, four, infinity) = (1f32.to_bits(), 4f32.to_bits(), f32::INFINITY.to_bits());
    for (first, end, step) in [(one, four, sparse), (0, infinity + 1, 64 * sparse - 1)] {
        let threads = (end - first) / step / 64;
        let mut out = vec![0u32; threads as usize];
        let config = LaunchConfig::cover(out.len());
        launch!(on, folded_inverse_roots(value first, value step, write out), config)?;
        let want: Vec<u32> = (0..threads)
            .map(|i| {
                let bits = (0..64).map(|k| first + (i * 64 + k) * step);
                bits.fold(0u32, |folded, bits| {
                    folded.rotate_left(5) ^ inverse_root(f32::from_bits(bits)).to_bits()
                })
            })
            .collect();
        same("out", &out, &want)?;
    }
    Ok(())
}

/// Computes quotients, of which some are inverse roots; `fused_roots` has the expected results.
#[kernel]
fn roots(x: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        let x = x[i];
        let at = i * 8;
        out[at] = 1.0 / x.sqrt();
        out[at + 1] = x.sqrt().recip();
        let root = x.sqrt();
        out[at + 2] = 1.0 / root;
        out[at + 3] = root.recip() + root;
        let mut changing = x.sqrt();
        out[at + 4] = 1.0 / changing;
        changing += 1.0;
        out[at + 5] = changing.recip();
        out[at + 6] = 1.0 / { x.sqrt() };
        out[at + 7] = (1.0 / (x as f64).sqrt()) as f32;
    }
}

fn roots_of() -> Vec<f32> {
    let mut x: Vec<f32> = (1..1000).map(|i| i as f32 / 7.0).collect();
    x.extend([0.0, -0.0, f32::INFINITY, -1.0, f32::NAN, f32::MAX, f32::MIN_POSITIVE, 1e-45, 3e-39]);
    x
}

fn fused_roots(on: &Engine) -> Check {
    let x = roots_of();
    let mut out = vec![0.0; x.len() * 8];
    launch!(on, roots(read x, write out), LaunchConfig::cover(x.len()))?;
    let want: Vec<f32> = x
        .iter()
        .flat_map(|&x| {
            let (once, twice) = (inverse_root(x), 1.0 / x.sqrt());
            let root = x.sqrt();
            [once, once, once, once + root, twice, 1.0 / (root + 1.0), twice, once]
        })
        .collect();
    same("out", &out, &want)
}

#[kernel(contract = false)]
fn inverses_of_roots(x: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i * 2] = 1.0 / x[i].sqrt();
        out[i * 2 + 1] = x[i].sqrt().recip();
    }
}

fn roots_apart(on: &Engine) -> Check {
    let x = roots_of();
    let mut out = vec![0.0; x.len() * 2];
    launch!(on, inverses_of_roots(read x, write out), LaunchConfig::cover(x.len()))?;
    let want: Vec<f32> = x.iter().flat_map(|x| [1.0 / x.sqrt(), x.sqrt().recip()]).collect();
    same("out", &out, &want)
}
