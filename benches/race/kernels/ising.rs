//! Half a sweep of Metropolis's algorithm for the Ising model: the black or white cells of a
//! periodic board, whose columns are stored by color, one cell a thread.
use super::prelude::*;

/// Returns random bits for a number (PCG).
#[device]
fn random(number: u32) -> u32 {
    let state = number.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (word >> 22) ^ word
}

#[kernel(block = (64, 4))]
fn ising(
    columns: usize,
    rows: usize,
    color: u32,
    seed: u32,
    thresholds: &[u32],
    others: &[i8],
    spins: &mut [i8],
) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < columns && row < rows {
        let above = if row == 0 { rows - 1 } else { row - 1 };
        let below = if row + 1 == rows { 0 } else { row + 1 };
        let beside = if (row as u32 + color) % 2 == 0 {
            if column == 0 { columns - 1 } else { column - 1 }
        } else {
            if column + 1 == columns { 0 } else { column + 1 }
        };
        let sum = others[above * columns + column]
            + others[row * columns + column]
            + others[below * columns + column]
            + others[row * columns + beside];
        let i = row * columns + column;
        let spin = spins[i];
        let aligned = (sum * spin + 4) / 2;
        if random(i as u32 ^ seed) < thresholds[aligned as usize] {
            spins[i] = -spin;
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let (columns, rows) = (scale.pick(50, 8192), scale.pick(40, 8192));
    let n = columns * rows;
    let (color, seed) = (1u32, 0x1234_5678u32);
    let board = |seed| -> Vec<i8> {
        inputs::below(2, seed, n).into_iter().map(|up| if up == 1 { 1 } else { -1 }).collect()
    };
    let (others, spins) = (board(1), board(2));
    // The probability of a flip, times 2^32, by the number of neighbours of the same sign.
    let probability = |aligned: i32| (-0.44 * 2.0 * (2.0 * f64::from(aligned) - 4.0)).exp();
    let threshold = |aligned: i32| (probability(aligned).min(1.0) * f64::from(u32::MAX)) as u32;
    let thresholds: Vec<u32> = (0..5).map(threshold).collect();
    let expected = || {
        let flip = |i: usize| {
            let (column, row) = (i % columns, i / columns);
            let side = if (row as u32 + color).is_multiple_of(2) { columns - 1 } else { 1 };
            let at = |row: usize, column: usize| others[row % rows * columns + column % columns];
            let neighbours = [
                at(row + rows - 1, column),
                at(row, column),
                at(row + 1, column),
                at(row, column + side),
            ];
            let aligned = neighbours.iter().filter(|spin| **spin == spins[i]).count();
            if random(i as u32 ^ seed) < thresholds[aligned] { -spins[i] } else { spins[i] }
        };
        (0..n).map(flip).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (thresholds_id, others_id) = (buffers.input(&thresholds), buffers.input(&others));
    let spins_id = buffers.output(&spins, Agreement::Exact, expected);
    Problem {
        grid: [columns.div_ceil(64) as u32, rows.div_ceil(4) as u32, 1],
        block: [64, 4, 1],
        rust: args![columns, rows, color, seed, thresholds_id, others_id, spins_id],
        cuda: args![columns as i32, rows as i32, color, seed, thresholds_id, others_id, spins_id],
        buffers,
        work: Work::Items(n),
    }
}

benchmark!(ising, "LDG");
