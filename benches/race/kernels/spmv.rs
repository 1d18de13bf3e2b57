//! A sparse matrix in compressed rows times a vector, a warp for each row.
use super::prelude::*;

#[kernel(block = 256)]
fn spmv(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_idx_x() / 32;
    let lane = thread_idx_x() % 32;
    if row < y.len() {
        let (start, end) = (starts[row] as usize, starts[row + 1] as usize);
        let mut sum = 0.0;
        for i in (start + lane..end).step_by(32) {
            sum += values[i] * x[columns[i] as usize];
        }
        let sum = warp::reduce_add(sum);
        if lane == 0 {
            y[row] = sum;
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let rows = scale.pick(100, 1 << 18);
    let lengths = inputs::below(128, 1, rows);
    let next = |end: &mut u32, length: &u32| {
        *end += length;
        Some(*end)
    };
    let starts: Vec<u32> = [0].into_iter().chain(lengths.iter().scan(0, next)).collect();
    let n = *starts.last().expect("there is a row") as usize;
    let columns = inputs::below(rows as u32, 2, n);
    let (values, x) = (inputs::floats(-1.0, 1.0, 3, n), inputs::floats(-1.0, 1.0, 4, rows));
    let expected = || {
        let row = |bounds: &[u32]| {
            let range = bounds[0] as usize..bounds[1] as usize;
            range.map(|i| f64::from(values[i]) * f64::from(x[columns[i] as usize])).sum::<f64>()
        };
        starts.windows(2).map(|bounds| row(bounds) as f32).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (starts_id, columns_id) = (buffers.input(&starts), buffers.input(&columns));
    let (values_id, x_id) = (buffers.input(&values), buffers.input(&x));
    let y_id = buffers.output(&vec![0.0; rows], Agreement::Within(1e-4), expected);
    Problem {
        grid: cover(32 * rows, 256),
        block: [256, 1, 1],
        rust: args![starts_id, columns_id, values_id, x_id, y_id],
        cuda: args![rows as i32, starts_id, columns_id, values_id, x_id, y_id],
        buffers,
        work: Work::Flops(2 * n),
    }
}

benchmark!(spmv, "FFMA");
