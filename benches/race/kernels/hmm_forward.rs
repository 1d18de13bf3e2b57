//! The likelihood of sequences under a hidden Markov model of 64 states, by the forward algorithm
//! with a scale for each step: a block for each sequence, a thread for each state.
use super::prelude::*;

#[kernel(block = 64)]
fn hmm_forward(
    length: usize,
    start: &[f32],
    transitions: &[f32],
    emissions: &[f32],
    symbols: &[u8],
    likelihoods: &mut [f32],
) {
    let moves = shared!([[f32; 64]; 64]);
    let before = shared!([f32; 64]);
    let t = thread_idx_x();
    let sequence = block_idx_x();
    for from in 0..64 {
        moves[from][t] = transitions[64 * from + t];
    }
    let first = symbols[sequence * length] as usize;
    let mut value = start[t] * emissions[64 * first + t];
    let mut likelihood = 0.0;
    for step in 1..length {
        let total = block::reduce_add(value);
        likelihood += total.ln();
        before[t] = value / total;
        sync_threads();
        let mut sum = 0.0;
        for from in 0..64 {
            sum += before[from] * moves[from][t];
        }
        let symbol = symbols[sequence * length + step] as usize;
        value = sum * emissions[64 * symbol + t];
        sync_threads();
    }
    let total = block::reduce_add(value);
    if t == 0 {
        likelihoods[sequence] = likelihood + total.ln();
    }
}

fn problem(scale: Scale) -> Problem {
    let (sequences, length) = (scale.pick(4, 2000), scale.pick(12, 128));
    // Each row is a distribution.
    let rows = |seed, count: usize, columns: usize| -> Vec<f32> {
        let weights = inputs::floats(0.0, 1.0, seed, count * columns);
        let normalize = |row: &[f32]| {
            let total: f32 = row.iter().sum();
            row.iter().map(|weight| weight / total).collect::<Vec<f32>>()
        };
        weights.chunks_exact(columns).flat_map(normalize).collect()
    };
    let (start, transitions) = (rows(1, 1, 64), rows(2, 64, 64));
    let by_state = rows(3, 64, 16);
    let emissions: Vec<f32> = (0..16 * 64).map(|i| by_state[i % 64 * 16 + i / 64]).collect();
    let symbols: Vec<u8> =
        inputs::below(16, 4, sequences * length).into_iter().map(|symbol| symbol as u8).collect();
    let expected = || {
        let likelihood = |sequence: &[u8]| {
            let emitted =
                |symbol: u8, state: usize| f64::from(emissions[64 * usize::from(symbol) + state]);
            let first = |state: usize| f64::from(start[state]) * emitted(sequence[0], state);
            let mut values: Vec<f64> = (0..64).map(first).collect();
            for symbol in &sequence[1..] {
                let next = |state: usize| {
                    let reached =
                        |from: usize| values[from] * f64::from(transitions[64 * from + state]);
                    (0..64).map(reached).sum::<f64>() * emitted(*symbol, state)
                };
                values = (0..64).map(next).collect();
            }
            values.iter().sum::<f64>().ln() as f32
        };
        symbols.chunks_exact(length).map(likelihood).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (start_id, transitions_id) = (buffers.input(&start), buffers.input(&transitions));
    let (emissions_id, symbols_id) = (buffers.input(&emissions), buffers.input(&symbols));
    let zeros = vec![0.0f32; sequences];
    let likelihoods_id = buffers.output(&zeros, Agreement::Within(1e-5), expected);
    let all = args![start_id, transitions_id, emissions_id, symbols_id, likelihoods_id];
    let (mut rust, mut cuda) = (args![length], args![length as i32]);
    rust.extend(&all);
    cuda.extend(&all);
    Problem {
        grid: [sequences as u32, 1, 1],
        block: [64, 1, 1],
        rust,
        cuda,
        buffers,
        work: Work::Flops(2 * 64 * 64 * (length - 1) * sequences),
    }
}

benchmark!(hmm_forward, "LDS");
