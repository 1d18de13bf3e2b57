//! Thomas's algorithm for many tridiagonal systems in double precision, which are interleaved: a
//! thread for each system.
use super::prelude::*;

#[kernel(block = 128)]
fn thomas(
    systems: usize,
    rows: usize,
    lower: &[f64],
    diagonal: &[f64],
    upper: &[f64],
    right: &[f64],
    factors: &mut [f64],
    x: &mut [f64],
) {
    let i = global_idx_x();
    if i < systems {
        let mut factor = upper[i] / diagonal[i];
        let mut value = right[i] / diagonal[i];
        factors[i] = factor;
        x[i] = value;
        for row in 1..rows {
            let at = row * systems + i;
            let pivot = 1.0 / (diagonal[at] - lower[at] * factor);
            factor = upper[at] * pivot;
            value = (right[at] - lower[at] * value) * pivot;
            factors[at] = factor;
            x[at] = value;
        }
        for row in (0..rows - 1).rev() {
            let at = row * systems + i;
            value = x[at] - factors[at] * value;
            x[at] = value;
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let (systems, rows) = (scale.pick(200, 1 << 17), scale.pick(20, 64));
    let n = systems * rows;
    let doubles = |low, high, seed| -> Vec<f64> {
        inputs::floats(low, high, seed, n).into_iter().map(f64::from).collect()
    };
    let (lower, upper) = (doubles(-1.0, 1.0, 1), doubles(-1.0, 1.0, 2));
    let (diagonal, right) = (doubles(3.0, 4.0, 3), doubles(-1.0, 1.0, 4));
    // Gauss's elimination from the last row to the first.
    let expected = || {
        let mut x = vec![0.0; n];
        for i in 0..systems {
            let at = |row: usize| row * systems + i;
            let (mut pivots, mut rests) = (vec![0.0; rows], vec![0.0; rows]);
            for row in (0..rows).rev() {
                (pivots[row], rests[row]) = (diagonal[at(row)], right[at(row)]);
                if row + 1 < rows {
                    let share = upper[at(row)] / pivots[row + 1];
                    pivots[row] -= share * lower[at(row + 1)];
                    rests[row] -= share * rests[row + 1];
                }
            }
            let mut above = 0.0;
            for row in 0..rows {
                above = (rests[row] - lower[at(row)] * above) / pivots[row];
                x[at(row)] = above;
            }
        }
        x
    };
    let mut buffers = Buffers::new(scale);
    let (lower_id, diagonal_id) = (buffers.input(&lower), buffers.input(&diagonal));
    let (upper_id, right_id) = (buffers.input(&upper), buffers.input(&right));
    let factors_id = buffers.input(&vec![0.0f64; n]);
    let x_id = buffers.output(&vec![0.0f64; n], Agreement::Within(1e-10), expected);
    let all = args![lower_id, diagonal_id, upper_id, right_id, factors_id, x_id];
    let (mut rust, mut cuda) = (args![systems, rows], args![systems as i32, rows as i32]);
    rust.extend(&all);
    cuda.extend(&all);
    Problem {
        grid: cover(systems, 128),
        block: [128, 1, 1],
        rust,
        cuda,
        buffers,
        work: Work::Bytes(72 * n),
    }
}

benchmark!(thomas, "LDG");
