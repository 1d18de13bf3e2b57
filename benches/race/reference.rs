//! Plain Rust that several benchmarks share.

/// Multiplies square matrices of `n` rows, summing in order with one rounding a step.
pub(crate) fn matmul(n: usize, a: &[f32], b: &[f32]) -> Vec<f32> {
    let mut c = vec![0.0; n * n];
    for (row, sums) in c.chunks_exact_mut(n).enumerate() {
        for (k, values) in b.chunks_exact(n).enumerate() {
            let factor = a[row * n + k];
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum = factor.mul_add(*value, *sum);
            }
        }
    }
    c
}
