//! Mathematical functions to about 95 bits, to measure the errors of functions of 24 and 53 bits.
//!
//! Numbers are sums of two floats ([`Double`]); functions are plain series and identities, chosen
//! because they are obviously right, not because they are fast. They share no code with the
//! measured library. A test compares them with constants that another program computed.
mod angle;
mod double;
mod functions;

pub use double::{Double, Exact};
pub use functions::*;

/// A float format: the number of bits of the significand, and the smallest and largest exponent.
struct Format {
    digits: i32,
    least: i32,
    greatest: i32,
}

/// Returns the distance of `got` from the exact value, in units of the last place of the exact
/// value. It is infinite where `got` is no rounding of the value at all: a NaN for a number, or a
/// number of the wrong sign.
fn error(got: f64, want: Exact, format: &Format) -> f64 {
    let Exact { value: Double { hi, lo }, power } = want;
    if hi.is_nan() || got.is_nan() {
        return if hi.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if hi == 0.0 || hi.is_infinite() {
        return if hi.to_bits() == got.to_bits() { 0.0 } else { f64::INFINITY };
    }
    if got.is_sign_negative() != hi.is_sign_negative() {
        return f64::INFINITY;
    }
    let exponent = double::exponent(hi) + power;
    if exponent > format.greatest {
        return if got.is_infinite() { 0.0 } else { f64::INFINITY };
    }
    // Both in units of the last place, so that their difference is a float.
    let unit = exponent.max(format.least) - format.digits + 1;
    let got = match got.is_infinite() {
        // The number that would follow the largest.
        true => double::scale(1f64.copysign(got), format.greatest + 1 - unit),
        false => double::scale(got, -unit),
    };
    ((got - double::scale(hi, power - unit)) - double::scale(lo, power - unit)).abs()
}

/// Returns the error of an `f64`, in units of its last place.
pub fn error_f64(got: f64, want: Exact) -> f64 {
    error(got, want, &Format { digits: 53, least: -1022, greatest: 1023 })
}

/// Returns the error of an `f32`, in units of its last place.
pub fn error_f32(got: f32, want: Exact) -> f64 {
    error(f64::from(got), want, &Format { digits: 24, least: -126, greatest: 127 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with values in two parts that a program for arbitrary precision computed.
    #[test]
    fn they_are_exact() {
        let found: [(Exact, f64, f64); 43] = [
            (acos(0.3), 1.2661036727794992, -7.78313736852488e-17),
            (acos(-0.9999), 3.127450400112281, -8.416672404414502e-18),
            (acosh(1.001), 0.04471763360830685, -1.5112553013717277e-18),
            (asin(0.7), 0.775397496610753, 3.395027444633425e-17),
            (asin(0.99999), 1.5663241871131188, 4.19575021548399e-17),
            (asinh(0.001), 0.0009999998333334083, 1.0227947063237223e-19),
            (asinh(-20.5), -3.714166420572117, -1.6465975504385869e-16),
            (atan(1.5), 0.982793723247329, 1.3903311031230998e-17),
            (atan(10000000000.0), 1.5707963266948965, 6.950637705727703e-17),
            (atan2(-3.0, -0.25), -1.6539375586833378, -4.402096252012455e-17),
            (atanh(0.75), 0.9729550745276566, 3.6617931039524534e-17),
            (cbrt(10.0), 2.154434690031884, -9.273902111110189e-17),
            (cos(1e+22), 0.523214785395139, -4.7143201076575164e-17),
            (cos(5.319372648326541e+255), -4.687165924254628e-19, 4.3720557429382733e-36),
            (cosh(3.5), 16.572824671057315, 8.545688543850304e-16),
            (erf(0.5), 0.5204998778130465, 1.900077467916287e-17),
            (erf(2.25), 0.9985372834133188, 2.6956405885413457e-17),
            (erfc(0.75), 0.28884436634648486, 8.536743514828927e-18),
            (erfc(-1.5), 1.9661051464753108, -3.3867031441680696e-17),
            (erfc(2.25), 0.0014627165866811518, -6.81920077729474e-20),
            (erfc(20.5), 8.450842369572458e-185, 3.2274772138690808e-201),
            (exp(-0.75), 0.4723665527410147, 1.7984004434373214e-17),
            (exp(100.5), 4.4319559098458955e+43, -6.1101039529390445e+26),
            (exp2(0.3), 1.2311444133449163, -3.572339831433251e-17),
            (exp_m1(1e-05), 1.0000050000166668e-05, -3.111926571619883e-22),
            (exp_m1(20.0), 485165194.4097903, 4.880277289790406e-10),
            (hypot(3.0, 1.1), 3.1953090617340916, -6.65260692981286e-17),
            (ln(1.0000001), 9.999999505838704e-08, 1.5249709528441489e-24),
            (ln(1e-300), -690.7755278982137, -2.3670096176709832e-14),
            (ln_1p(-0.25), -0.2876820724517809, -2.607160616442564e-17),
            (log(7.0, 3.0), 1.7712437491614224, -9.385365169032202e-17),
            (log10(2.0), std::f64::consts::LOG10_2, -2.8037281277851704e-18),
            (log2(3.0), 1.584962500721156, 1.0579781240112554e-16),
            (powf(1.1, 100.3), 14180.32946602664, -4.801410932457968e-13),
            (powf(-3.0, 5.0), -243.0, 0.0),
            (sin(1e+22), -0.8522008497671888, -6.7806825896773284e-18),
            (sin(0.1), 0.09983341664682815, 3.08001512929492e-18),
            (sin(-355.0), 3.014435335948845e-05, -1.3012643991046347e-21),
            (sinh(0.01), 0.010000166667500003, -5.644562789430375e-19),
            (sinh(7.0), 548.3161232732465, 3.278482817431654e-14),
            (tan(11.0), -225.95084645419513, -1.2217000310482306e-14),
            (tanh(0.3), 0.2913126124515909, -6.4602656586469586e-18),
            (tanh(5.0), 0.9999092042625951, 2.298523750966507e-17),
        ];
        for (index, (exact, hi, lo)) in found.into_iter().enumerate() {
            let value = exact.value;
            let difference = (double::scale(value.hi, exact.power) - hi)
                + (double::scale(value.lo, exact.power) - lo);
            assert!(
                difference.abs() <= hi.abs() * 1e-27,
                "number {index}: {value:?}, {difference:e}"
            );
        }
    }
}
