//! Black-Scholes: the prices of many European options, each by a formula with a logarithm, an
//! exponential, a square root and the error function.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify_close};

/// The right to buy (call) or sell (put) what costs `spot` now at `strike` after `years`.
#[device]
#[derive(Clone, Copy)]
struct Terms {
    spot: f32,
    strike: f32,
    years: f32,
}

/// What these rights are worth.
#[device]
#[derive(Clone, Copy)]
struct Prices {
    call: f32,
    put: f32,
}

/// The probability that a standard normal variable is below `x`.
#[device]
fn normal(x: f32) -> f32 {
    0.5 + 0.5 * math::erf(x * std::f32::consts::FRAC_1_SQRT_2)
}

#[kernel]
fn price(rate: f32, volatility: f32, terms: &[Terms], prices: &mut [Prices]) {
    let i = global_idx_x();
    if i < terms.len() {
        let Terms { spot, strike, years } = terms[i];
        let spread = volatility * years.sqrt();
        let drift = (rate + 0.5 * volatility * volatility) * years;
        let d1 = ((spot / strike).ln() + drift) / spread;
        let d2 = d1 - spread;
        let discounted = strike * (-rate * years).exp();
        let call = spot * normal(d1) - discounted * normal(d2);
        prices[i] = Prices { call, put: call + discounted - spot };
    }
}

/// Call and put in `f64`, with the normal distribution as a series (Marsaglia, "Evaluating the
/// normal distribution", 2004).
fn reference(rate: f64, volatility: f64, terms: &Terms) -> [f64; 2] {
    let normal = |x: f64| {
        let (mut sum, mut term, mut k) = (x, x, 1.0);
        while sum + term != sum {
            k += 2.0;
            term *= x * x / k;
            sum += term;
        }
        0.5 + sum * (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
    };
    let [spot, strike, years] = [terms.spot, terms.strike, terms.years].map(f64::from);
    let spread = volatility * years.sqrt();
    let drift = (rate + 0.5 * volatility * volatility) * years;
    let d1 = ((spot / strike).ln() + drift) / spread;
    let d2 = d1 - spread;
    let discounted = strike * (-rate * years).exp();
    [spot * normal(d1) - discounted * normal(d2), discounted * normal(-d2) - spot * normal(-d1)]
}

fn main() -> warpwise::Result<()> {
    let (n, rate, volatility) = (1_000_000, 0.02, 0.3);
    let fraction = |i: u32, seed: u32| (i.wrapping_mul(seed) >> 8) as f32 / 16_777_216.0;
    let host: Vec<Terms> = (0..n)
        .map(|i| Terms {
            spot: 5.0 + 25.0 * fraction(i, 2_654_435_761),
            strike: 1.0 + 99.0 * fraction(i, 2_246_822_519),
            years: 0.25 + 9.75 * fraction(i, 3_266_489_917),
        })
        .collect();

    let device = Device::auto()?;
    let terms = device.upload(&host)?;
    let mut prices = device.upload(&vec![Prices { call: 0.0, put: 0.0 }; host.len()])?;
    let config = LaunchConfig::cover(host.len());
    let took =
        time(&device, || price::launch(&device, config, rate, volatility, &terms, &mut prices))?;

    // Prices are differences of at most 100, each with a few roundings of half a unit in the last
    // place, 4e-6. What is off in `d1` and `d2` alike cancels, as prices do not depend on it.
    let prices = prices.to_vec()?;
    let got: Vec<f32> = prices.iter().flat_map(|prices| [prices.call, prices.put]).collect();
    let expected = host.iter().flat_map(|terms| reference(rate.into(), volatility.into(), terms));
    verify_close(&got, expected, |_| 2e-5);
    report("black_scholes", format_args!("{n} options"), &device, took);
    Ok(())
}
