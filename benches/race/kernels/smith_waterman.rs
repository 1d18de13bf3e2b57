//! Smith and Waterman's alignment scores of pairs of sequences: a block for each pair, a thread for
//! each letter of the first, which walks along the second by anti-diagonals.
use super::prelude::*;

#[kernel(block = 128)]
fn smith_waterman(length: usize, first: &[u8], second: &[u8], scores: &mut [i32]) {
    // Three anti-diagonals, with a column of zeros on the left.
    let diagonals = shared!([[i32; 129]; 3]);
    let best_of = shared!([i32; 128]);
    let t = thread_idx_x();
    let pair = block_idx_x();
    let letter = first[pair * 128 + t];
    for k in 0..3 {
        diagonals[k][t + 1] = 0;
        if t == 0 {
            diagonals[k][0] = 0;
        }
    }
    let mut best = 0;
    sync_threads();
    for step in 0..length + 127 {
        let (now, before, two_before) = (step % 3, (step + 2) % 3, (step + 1) % 3);
        let mut score = 0;
        if step >= t && step - t < length {
            let same = second[pair * length + step - t] == letter;
            let matched = diagonals[two_before][t] + if same { 2 } else { -1 };
            let gap = diagonals[before][t].max(diagonals[before][t + 1]) - 1;
            score = matched.max(gap).max(0);
            best = best.max(score);
        }
        diagonals[now][t + 1] = score;
        sync_threads();
    }
    best_of[t] = best;
    sync_threads();
    let mut half = 64;
    while half > 0 {
        if t < half {
            best_of[t] = best_of[t].max(best_of[t + half]);
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 {
        scores[pair] = best_of[0];
    }
}

fn problem(scale: Scale) -> Problem {
    let (pairs, length) = (scale.pick(5, 8192), scale.pick(60, 512));
    let letters = |seed, n| -> Vec<u8> {
        inputs::below(4, seed, n).into_iter().map(|letter| letter as u8).collect()
    };
    let (first, second) = (letters(1, 128 * pairs), letters(2, length * pairs));
    let expected = || {
        let pairs = first.chunks_exact(128).zip(second.chunks_exact(length));
        pairs.map(|(first, second)| align(first, second)).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (first_id, second_id) = (buffers.input(&first), buffers.input(&second));
    let scores_id = buffers.output(&vec![0i32; pairs], Agreement::Exact, expected);
    Problem {
        grid: [pairs as u32, 1, 1],
        block: [128, 1, 1],
        rust: args![length, first_id, second_id, scores_id],
        cuda: args![length as i32, first_id, second_id, scores_id],
        buffers,
        work: Work::Items(128 * length * pairs),
    }
}

/// Returns the best local score, row by row.
fn align(first: &[u8], second: &[u8]) -> i32 {
    let mut above = vec![0; second.len() + 1];
    let mut best = 0;
    for a in first {
        let mut row = vec![0; second.len() + 1];
        for (k, b) in second.iter().enumerate() {
            let matched = above[k] + if a == b { 2 } else { -1 };
            row[k + 1] = matched.max(above[k + 1] - 1).max(row[k] - 1).max(0);
            best = best.max(row[k + 1]);
        }
        above = row;
    }
    best
}

benchmark!(smith_waterman, "LDS");
