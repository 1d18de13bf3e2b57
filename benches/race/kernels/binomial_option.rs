//! Prices of call options by a binomial tree, a block for each: a level of the tree is in shared
//! memory, from the last one to the first.
use super::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Contract {
    price: f32,
    strike: f32,
    years: f32,
}

#[kernel(block = 256)]
fn binomial_option(
    steps: usize,
    rate: f32,
    volatility: f32,
    contracts: &[Contract],
    prices: &mut [f32],
) {
    let values = shared!([f32; 256]);
    let t = thread_idx_x();
    let contract = contracts[block_idx_x()];
    let step_years = contract.years / steps as f32;
    let jump = volatility * step_years.sqrt();
    let growth = (rate * step_years).exp();
    let (up, down) = (jump.exp(), (-jump).exp());
    let rise = (growth - down) / (up - down);
    let (rise, fall) = (rise / growth, (1.0 - rise) / growth);
    let leaf = contract.price * (jump * (2.0 * t as f32 - steps as f32)).exp();
    values[t] = if t <= steps { (leaf - contract.strike).max(0.0) } else { 0.0 };
    sync_threads();
    for step in (0..steps).rev() {
        let mut value = 0.0;
        if t <= step {
            value = rise * values[t + 1] + fall * values[t];
        }
        sync_threads();
        if t <= step {
            values[t] = value;
        }
        sync_threads();
    }
    if t == 0 {
        prices[block_idx_x()] = values[0];
    }
}

fn problem(scale: Scale) -> Problem {
    let (n, steps) = (scale.pick(5, 10_000), scale.pick(60, 255));
    let (rate, volatility) = (0.03f32, 0.25f32);
    let mut contracts: Vec<[f32; 3]> = inputs::floats(0.0, 1.0, 1, 3 * n).as_chunks().0.to_vec();
    for [price, strike, years] in &mut contracts {
        *price = 20.0 + 10.0 * *price;
        *strike = 20.0 + 10.0 * *strike;
        *years += 0.5;
    }
    let expected = || {
        let value = |[price, strike, years]: &[f32; 3]| {
            let step_years = f64::from(*years) / steps as f64;
            let jump = f64::from(volatility) * step_years.sqrt();
            let growth = (f64::from(rate) * step_years).exp();
            let rise = (growth - (-jump).exp()) / (jump.exp() - (-jump).exp());
            let leaf = |t: usize| {
                let end = f64::from(*price) * (jump * (2.0 * t as f64 - steps as f64)).exp();
                (end - f64::from(*strike)).max(0.0)
            };
            let mut values: Vec<f64> = (0..=steps).map(leaf).collect();
            while values.len() > 1 {
                let before = |pair: &[f64]| (rise * pair[1] + (1.0 - rise) * pair[0]) / growth;
                values = values.windows(2).map(before).collect();
            }
            values[0] as f32
        };
        contracts.iter().map(value).collect()
    };
    let mut buffers = Buffers::new(scale);
    let contracts_id = buffers.input(&contracts);
    // The chance of a rise is a quotient of small differences, which lose five bits or more.
    let prices_id = buffers.output(&vec![0.0f32; n], Agreement::Within(1e-3), expected);
    Problem {
        grid: [n as u32, 1, 1],
        block: [256, 1, 1],
        rust: args![steps, rate, volatility, contracts_id, prices_id],
        cuda: args![steps as i32, rate, volatility, contracts_id, prices_id],
        buffers,
        work: Work::Items(n * steps * (steps + 1) / 2),
    }
}

benchmark!(binomial_option, "LDS");
