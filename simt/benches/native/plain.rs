//! The same in plain Rust: loops as one writes them, and loops that LLVM makes AVX2 code of.
#![expect(unsafe_code, reason = "functions compiled for instructions that not every machine has")]
use std::array::from_fn;

/// Lanes that the vector loops take together.
const LANES: usize = 16;

/// Declares functions with their loops compiled for AVX2 and FMA; false, and nothing is done, where
/// the machine has none.
macro_rules! vectorized {
    ($($name:ident($($arg:ident: $ty:ty),*) $body:block)*) => {$(
        pub(crate) fn $name($($arg: $ty),*) -> bool {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn inner($($arg: $ty),*) $body
                let has = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
                if has {
                    // SAFETY: the machine has them.
                    unsafe { inner($($arg),*) };
                }
                has
            }
            #[cfg(not(target_arch = "x86_64"))]
            {
                let _ = ($($arg),*);
                false
            }
        }
    )*};
}

vectorized! {
    saxpy_vector(xs: &[f32], ys: &mut [f32]) {
        for (y, x) in ys.iter_mut().zip(xs) {
            *y = x.mul_add(2.0, *y);
        }
    }

    // Tiles of 4 x 16, whose sums stay in registers.
    matmul_vector(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        for top in (0..n).step_by(4) {
            for left in (0..n).step_by(LANES) {
                let mut sums = [[0.0_f32; LANES]; 4];
                for k in 0..n {
                    let row: [f32; LANES] = from_fn(|i| b[k * n + left + i]);
                    for (i, sums) in sums.iter_mut().enumerate() {
                        let factor = a[(top + i) * n + k];
                        for (sum, value) in sums.iter_mut().zip(row) {
                            *sum = factor.mul_add(value, *sum);
                        }
                    }
                }
                for (i, sums) in sums.iter().enumerate() {
                    let first = (top + i) * n + left;
                    c[first..first + LANES].copy_from_slice(sums);
                }
            }
        }
    }

    mandelbrot_vector(n: usize, counts: &mut [u32]) {
        for (number, out) in counts.chunks_exact_mut(LANES).enumerate() {
            let (first, row) = (number * LANES % n, number * LANES / n);
            let cx: [f32; LANES] = from_fn(|i| (first + i) as f32 * (3.0 / 1024.0) - 2.0);
            let cy = row as f32 * (3.0 / 1024.0) - 1.5;
            let (mut x, mut y) = ([0.0_f32; LANES], [0.0_f32; LANES]);
            let mut count = [0_u32; LANES];
            for _ in 0..256 {
                let mut some = 0;
                for i in 0..LANES {
                    let (xx, yy) = (x[i] * x[i], y[i] * y[i]);
                    let goes_on = u32::from(xx + yy <= 4.0);
                    let next = (xx - yy + cx[i], 2.0 * x[i] * y[i] + cy);
                    (x[i], y[i]) = if goes_on != 0 { next } else { (x[i], y[i]) };
                    count[i] += goes_on;
                    some |= goes_on;
                }
                if some == 0 {
                    break;
                }
            }
            out.copy_from_slice(&count);
        }
    }

    sum_vector(values: &[u32], to: &mut u32) {
        *to = values.iter().fold(0, |sum, value| sum.wrapping_add(*value));
    }

    n_body_vector(bodies: &Bodies, out: &mut [Vec<f32>; 3]) {
        let Bodies { x, y, z, m } = bodies;
        for first in (0..x.len()).step_by(LANES) {
            let own: [[f32; LANES]; 3] = [x, y, z].map(|of| from_fn(|i| of[first + i]));
            let mut sums = [[0.0_f32; LANES]; 3];
            for (((x, y), z), m) in x.iter().zip(y).zip(z).zip(m) {
                for i in 0..LANES {
                    let (dx, dy, dz) = (x - own[0][i], y - own[1][i], z - own[2][i]);
                    let square = dz.mul_add(dz, dy.mul_add(dy, dx.mul_add(dx, 0.0001)));
                    let inverse = 1.0 / square.sqrt();
                    let scale = inverse * inverse * inverse * m;
                    sums[0][i] = dx.mul_add(scale, sums[0][i]);
                    sums[1][i] = dy.mul_add(scale, sums[1][i]);
                    sums[2][i] = dz.mul_add(scale, sums[2][i]);
                }
            }
            for (out, sums) in out.iter_mut().zip(sums) {
                out[first..first + LANES].copy_from_slice(&sums);
            }
        }
    }
}

/// Multiplies matrices by the triple loop, in textbook order.
pub(crate) fn matmul(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    for row in 0..n {
        for column in 0..n {
            let mut sum = 0.0;
            for k in 0..n {
                sum += a[row * n + k] * b[k * n + column];
            }
            c[row * n + column] = sum;
        }
    }
}

pub(crate) fn saxpy(xs: &[f32], ys: &mut [f32]) {
    for (y, x) in ys.iter_mut().zip(xs) {
        *y += 2.0 * x;
    }
}

/// Counts the iterations until each point escapes.
pub(crate) fn mandelbrot(n: usize, counts: &mut [u32]) {
    for (i, count) in counts.iter_mut().enumerate() {
        let (cx, cy) =
            ((i % n) as f32 * (3.0 / 1024.0) - 2.0, (i / n) as f32 * (3.0 / 1024.0) - 1.5);
        let (mut x, mut y) = (0.0_f32, 0.0_f32);
        *count = 0;
        while *count < 256 && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
            *count += 1;
        }
    }
}

/// Transposes a square matrix.
pub(crate) fn transpose(n: usize, x: &[f32], y: &mut [f32]) {
    for (row, line) in x.chunks_exact(n).enumerate() {
        for (column, value) in line.iter().enumerate() {
            y[column * n + row] = *value;
        }
    }
}

/// Counts each byte.
pub(crate) fn histogram(bytes: &[u8], counts: &mut [u32; 256]) {
    counts.fill(0);
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
}

/// The positions and masses of the bodies.
pub(crate) struct Bodies {
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    pub(crate) z: Vec<f32>,
    pub(crate) m: Vec<f32>,
}

/// Computes the attraction of each body by all.
pub(crate) fn n_body(bodies: &Bodies, out: &mut [Vec<f32>; 3]) {
    let Bodies { x, y, z, m } = bodies;
    for i in 0..x.len() {
        let mut sums = [0.0_f32; 3];
        for j in 0..x.len() {
            let (dx, dy, dz) = (x[j] - x[i], y[j] - y[i], z[j] - z[i]);
            let inverse = 1.0 / (dx * dx + dy * dy + dz * dz + 0.0001).sqrt();
            let scale = inverse * inverse * inverse * m[j];
            sums = [sums[0] + dx * scale, sums[1] + dy * scale, sums[2] + dz * scale];
        }
        for (out, sum) in out.iter_mut().zip(sums) {
            out[i] = sum;
        }
    }
}

/// Returns the cumulative normal distribution at `d`.
fn normal(d: f32) -> f32 {
    let k = 1.0 / (1.0 + 0.231_641_9 * d.abs());
    let series = [1.330_274_5, -1.821_255_9, 1.781_477_9, -0.356_563_78, 0.319_381_53];
    let series = k * series.into_iter().fold(0.0, |sum, factor| sum * k + factor);
    let tail = 0.398_942_3 * (-0.5 * d * d).exp() * series;
    if d > 0.0 { 1.0 - tail } else { tail }
}

/// Computes the prices of European calls.
pub(crate) fn black_scholes(spot: &[f32], strike: &[f32], years: &[f32], call: &mut [f32]) {
    for (((call, s), k), t) in call.iter_mut().zip(spot).zip(strike).zip(years) {
        let spread = 0.3 * t.sqrt();
        let upper = ((s / k).ln() + 0.065 * t) / spread;
        *call = s * normal(upper) - k * (-0.02 * t).exp() * normal(upper - spread);
    }
}
