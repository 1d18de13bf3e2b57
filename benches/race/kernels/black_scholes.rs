//! Black-Scholes: the values of European calls and puts.
use super::prelude::*;

/// Returns the probability that a standard normal variable is below `x` (Abramowitz and Stegun,
/// 26.2.17).
#[device]
fn normal(x: f32) -> f32 {
    let k = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let polynomial = k
        * (0.319_381_53
            + k * (-0.356_563_78 + k * (1.781_477_9 + k * (-1.821_255_9 + k * 1.330_274_5))));
    let tail = 0.398_942_3 * (-0.5 * x * x).exp() * polynomial;
    if x > 0.0 { 1.0 - tail } else { tail }
}

#[device]
fn values(rate: f32, volatility: f32, spot: f32, strike: f32, years: f32) -> (f32, f32) {
    let spread = volatility * years.sqrt();
    let d1 = ((spot / strike).ln() + (rate + 0.5 * volatility * volatility) * years) / spread;
    let d2 = d1 - spread;
    let discounted = strike * (-rate * years).exp();
    let call = spot * normal(d1) - discounted * normal(d2);
    (call, call + discounted - spot)
}

#[kernel(block = 256)]
fn black_scholes(
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
        (call[i], put[i]) = values(rate, volatility, spot[i], strike[i], years[i]);
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(1000, 1 << 25);
    let (rate, volatility) = (0.02f32, 0.3f32);
    let (spot, strike) = (inputs::floats(5.0, 30.0, 1, n), inputs::floats(5.0, 30.0, 2, n));
    let years = inputs::floats(0.25, 10.0, 3, n);
    let all = || (0..n).map(|i| values(rate, volatility, spot[i], strike[i], years[i]));
    let mut buffers = Buffers::new(scale);
    let ids = [&spot, &strike, &years].map(|values| buffers.input(values));
    let zeros = vec![0.0; n];
    let agreement = Agreement::Within(1e-4);
    let call = buffers.output(&zeros, agreement, || all().map(|(call, _)| call).collect());
    let put = buffers.output(&zeros, agreement, || all().map(|(_, put)| put).collect());
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![rate, volatility, ids[0], ids[1], ids[2], call, put],
        cuda: args![n as i32, rate, volatility, ids[0], ids[1], ids[2], call, put],
        buffers,
        work: Work::Items(n),
    }
}

benchmark!(black_scholes, "FFMA");
