//! The gate of a mixture of 64 experts: the two likeliest of each token, and their probabilities,
//! by softmax over logits that are halves. A warp for each token.
use super::prelude::*;

#[kernel(block = 256)]
fn moe_gate(logits: &[f16], experts: &mut [[u32; 2]], weights: &mut [[f32; 2]]) {
    let token = global_idx_x() / 32;
    let lane = thread_idx_x() % 32;
    if token < experts.len() {
        let mut low = (logits[64 * token + lane].to_f32(), lane as u32);
        let mut high = (logits[64 * token + lane + 32].to_f32(), lane as u32 + 32);
        // The larger, and of equal ones that of the lower number.
        let better = |a: (f32, u32), b: (f32, u32)| {
            if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a }
        };
        let first = warp::reduce(better(low, high), better);
        let total = warp::reduce_add((low.0 - first.0).exp() + (high.0 - first.0).exp());
        if low.1 == first.1 {
            low.0 = f32::NEG_INFINITY;
        }
        if high.1 == first.1 {
            high.0 = f32::NEG_INFINITY;
        }
        let second = warp::reduce(better(low, high), better);
        if lane == 0 {
            experts[token] = [first.1, second.1];
            weights[token] = [1.0 / total, (second.0 - first.0).exp() / total];
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let tokens: usize = scale.pick(50, 400_000);
    let logits: Vec<f16> =
        inputs::floats(-4.0, 4.0, 1, 64 * tokens).into_iter().map(f16::from_f32).collect();
    let chosen = || -> Vec<([u32; 2], [f32; 2])> {
        let choose = |logits: &[f16]| {
            let mut order: Vec<usize> = (0..64).collect();
            // A stable sort.
            order.sort_by(|a, b| logits[*b].to_f32().total_cmp(&logits[*a].to_f32()));
            let exp = |k: usize| f64::from(logits[k].to_f32()).exp();
            let total: f64 = (0..64).map(exp).sum();
            let best = [order[0], order[1]];
            (best.map(|k| k as u32), best.map(|k| (exp(k) / total) as f32))
        };
        logits.chunks_exact(64).map(choose).collect()
    };
    let mut buffers = Buffers::new(scale);
    let logits_id = buffers.input(&logits);
    let experts_id = buffers.output(&vec![[0u32; 2]; tokens], Agreement::Exact, || {
        chosen().into_iter().map(|(experts, _)| experts).collect()
    });
    let weights_id = buffers.output(&vec![[0.0f32; 2]; tokens], Agreement::Within(1e-5), || {
        chosen().into_iter().map(|(_, weights)| weights).collect()
    });
    Problem {
        grid: cover(32 * tokens, 256),
        block: [256, 1, 1],
        rust: args![logits_id, experts_id, weights_id],
        cuda: args![tokens as i32, logits_id, experts_id, weights_id],
        buffers,
        work: Work::Bytes(144 * tokens),
    }
}

benchmark!(moe_gate, "SHFL");
