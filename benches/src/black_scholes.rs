//! Black-Scholes: the values of European options, by a polynomial for the normal distribution.
use warpwise::prelude::*;

/// Returns the probability that a standard normal variable is below `x`, to seven digits
/// (Abramowitz and Stegun, 26.2.17).
#[device]
fn normal(x: f32) -> f32 {
    let k = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let polynomial = k
        * (0.319_381_53
            + k * (-0.356_563_78 + k * (1.781_477_9 + k * (-1.821_255_9 + k * 1.330_274_5))));
    let tail = 0.398_942_3 * (-0.5 * x * x).exp() * polynomial;
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// Computes the prices of calls and puts.
#[kernel(block = 256)]
pub(crate) fn prices(
    rate: f32,
    volatility: f32,
    spot: &[f32],
    strike: &[f32],
    years: &[f32],
    call: &mut [f32],
    put: &mut [f32],
) {
    let i = global_idx_x();
    if i < call.len() {
        let (s, x, t) = (spot[i], strike[i], years[i]);
        let spread = volatility * t.sqrt();
        let d1 = ((s / x).ln() + (rate + 0.5 * volatility * volatility) * t) / spread;
        let d2 = d1 - spread;
        let discounted = x * (-rate * t).exp();
        let value = s * normal(d1) - discounted * normal(d2);
        call[i] = value;
        put[i] = value + discounted - s;
    }
}
