//! The inverse square root of [`UnaryOp::Rsqrt`](crate::ir::UnaryOp::Rsqrt), and the proof that a
//! GPU computes the same.

/// `1 / sqrt(x)`, rounded once.
///
/// In `f64` root and quotient are off by 2^-52 at most, relatively. No inverse root of an `f32` is
/// as near to the middle of two neighbouring floats: the nearest, that of 4 - 2^-22, is 2^-51.8
/// away.
#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    (1.0 / f64::from(x).sqrt()) as f32
}

#[cfg(test)]
mod tests {
    use super::rsqrt;

    /// The error that the PTX ISA states for `rsqrt.approx`, relative: 2^-22.9, rounded up.
    const MAX_ERROR: f64 = 1.2776e-7;

    /// All significands, with an even and with an odd exponent. Any other exponent scales estimates
    /// and results by a power of 2.
    fn significands() -> impl Iterator<Item = f32> {
        (1_f32.to_bits()..4_f32.to_bits()).map(f32::from_bits)
    }

    /// True if `significand * 2^exponent` is greater than 1/sqrt(x), computed exactly.
    fn is_above(x: f32, (significand, exponent): (u64, i32)) -> bool {
        let (of_x, x_exponent) = parts(x);
        let square = u128::from(significand).pow(2) * u128::from(of_x);
        square > 1 << -(2 * exponent + x_exponent)
    }

    /// A positive normal number as an integer of 24 bits and a power of 2.
    fn parts(x: f32) -> (u64, i32) {
        (u64::from(x.to_bits() & 0x7f_ffff | 0x80_0000), (x.to_bits() >> 23) as i32 - 150)
    }

    #[test]
    #[ignore = "takes a minute without optimization"]
    fn rsqrt_is_rounded_correctly() {
        for x in significands() {
            let (significand, exponent) = parts(rsqrt(x));
            // The number halfway to the one below a power of 2 is nearer.
            let below = 4 * significand - if significand == 1 << 23 { 1 } else { 2 };
            assert!(!is_above(x, (below, exponent - 2)), "{x:e}");
            assert!(is_above(x, (4 * significand + 2, exponent - 2)), "{x:e}");
        }
    }

    /// `a * b + c`, rounded up.
    fn fma_up(a: f32, b: f32, c: f32) -> f32 {
        let nearest = a.mul_add(b, c);
        // The product is exact, and the sum is `sum + lost` exactly.
        let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
        let sum = product + c;
        let lost = (product - (sum - c)) + (c - (sum - (sum - c)));
        let rest = (sum - f64::from(nearest)) + lost;
        if rest > 0.0 { nearest.next_up() } else { nearest }
    }

    /// Refines an estimate by the operations of [`ptx::rsqrt`](crate::back::ptx::rsqrt).
    fn refined(x: f32, estimate: f32) -> f32 {
        let root = x * estimate;
        let tail = x.mul_add(estimate, -root);
        let half = estimate * -0.5;
        let rest = tail.mul_add(half, fma_up(root, half, 0.5)).min(1.0);
        estimate.mul_add(fma_up(rest, rest, rest), estimate)
    }

    fn check_estimates(numbers: impl Iterator<Item = f32>) {
        for x in numbers {
            let exact = 1.0 / f64::from(x).sqrt();
            let mut estimate = (exact * (1.0 - MAX_ERROR)) as f32;
            while f64::from(estimate) <= exact * (1.0 + MAX_ERROR) {
                assert_eq!(refined(x, estimate), rsqrt(x), "{x:e} from {estimate:e}");
                estimate = estimate.next_up();
            }
        }
    }

    #[test]
    #[ignore = "takes minutes without optimization"]
    fn every_estimate_leads_to_the_same_inverse_root() {
        check_estimates(significands());
    }

    #[test]
    fn estimates_lead_to_the_same_inverse_root() {
        check_estimates(significands().step_by(251));
        // Those whose inverse roots are nearest to numbers halfway, and those with extreme
        // exponents.
        let hard = [0x3fba_2a39, 0x3fda_e942, 0x3fed_3236, 0x4009_f038, 0x407f_fffe, 0x3f80_0001];
        check_estimates(hard.into_iter().map(f32::from_bits));
        check_estimates(
            [1, 2, 3, 0x7f_ffff, 0x80_0000, 0x7f7f_ffff].into_iter().map(f32::from_bits),
        );
    }

    #[test]
    fn the_ends_are_those_of_the_two_operations() {
        for x in [0.0, -0.0, f32::INFINITY, 1.0, 4.0, 0.25] {
            assert_eq!(rsqrt(x).to_bits(), (1.0 / x.sqrt()).to_bits(), "{x:e}");
        }
        assert!(
            rsqrt(-1.0).is_nan() && rsqrt(f32::NAN).is_nan() && rsqrt(f32::NEG_INFINITY).is_nan()
        );
        for (x, estimate) in [(0.0, f32::INFINITY), (-0.0, f32::NEG_INFINITY), (f32::INFINITY, 0.0)]
        {
            assert_eq!(refined(x, estimate).to_bits(), rsqrt(x).to_bits());
        }
    }
}
