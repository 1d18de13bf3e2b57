//! A step of Adam with decoupled weight decay.
use super::prelude::*;

#[kernel(block = 256)]
fn adam(
    rate: f32,
    beta1: f32,
    beta2: f32,
    decay: f32,
    step: u32,
    gradients: &[f32],
    means: &mut [f32],
    squares: &mut [f32],
    weights: &mut [f32],
) {
    let i = global_idx_x();
    if i < weights.len() {
        let gradient = gradients[i];
        let mean = beta1 * means[i] + (1.0 - beta1) * gradient;
        let square = beta2 * squares[i] + (1.0 - beta2) * gradient * gradient;
        means[i] = mean;
        squares[i] = square;
        let mean = mean / (1.0 - beta1.powf(step as f32));
        let square = square / (1.0 - beta2.powf(step as f32));
        let weight = weights[i];
        weights[i] = weight - rate * (mean / (square.sqrt() + 1e-8) + decay * weight);
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(1000, 20_000_000);
    let (rate, beta1, beta2, decay, step) = (0.01f32, 0.9f32, 0.99f32, 0.01f32, 10u32);
    let (gradients, means) = (inputs::floats(-1.0, 1.0, 1, n), inputs::floats(-0.1, 0.1, 2, n));
    let (squares, weights) = (inputs::floats(0.01, 0.1, 3, n), inputs::floats(-1.0, 1.0, 4, n));
    let update = |i: usize| {
        let [g, m, v, w] =
            [gradients[i], means[i], squares[i], weights[i]].map(f64::from);
        let [rate, beta1, beta2, decay] = [rate, beta1, beta2, decay].map(f64::from);
        let (m, v) = (beta1 * m + (1.0 - beta1) * g, beta2 * v + (1.0 - beta2) * g * g);
        let corrected = |x: f64, beta: f64| x / (1.0 - beta.powi(step as i32));
        let by = corrected(m, beta1) / (corrected(v, beta2).sqrt() + 1e-8) + decay * w;
        [m, v, w - rate * by]
    };
    let results = |part: usize| (0..n).map(|i| update(i)[part] as f32).collect::<Vec<f32>>();
    let mut buffers = Buffers::new(scale);
    let gradients_id = buffers.input(&gradients);
    let means_id = buffers.output(&means, Agreement::Within(1e-5), || results(0));
    let squares_id = buffers.output(&squares, Agreement::Within(1e-5), || results(1));
    let weights_id = buffers.output(&weights, Agreement::Within(1e-5), || results(2));
    let args =
        args![rate, beta1, beta2, decay, step, gradients_id, means_id, squares_id, weights_id];
    let mut cuda = args![n as i32];
    cuda.extend(&args);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args,
        cuda,
        buffers,
        work: Work::Bytes(28 * n),
    }
}

benchmark!(adam, "LDG");
