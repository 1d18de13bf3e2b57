//! A sparse matrix in compressed rows times a dense matrix of a few columns: a thread for each
//! element of the product.
use super::prelude::*;

#[kernel(block = (32, 8))]
fn spmm_csr(
    columns: usize,
    starts: &[u32],
    indices: &[u32],
    values: &[f32],
    dense: &[f32],
    product: &mut [f32],
) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < columns && row + 1 < starts.len() {
        let mut sum = 0.0;
        for k in starts[row] as usize..starts[row + 1] as usize {
            sum += values[k] * dense[indices[k] as usize * columns + column];
        }
        product[row * columns + column] = sum;
    }
}

fn problem(scale: Scale) -> Problem {
    let (rows, columns): (usize, usize) = (scale.pick(70, 100_000), scale.pick(40, 64));
    let mut starts = vec![0u32];
    for count in inputs::below(33, 1, rows) {
        starts.push(starts[starts.len() - 1] + count);
    }
    let entries = starts[rows] as usize;
    let indices = inputs::below(rows as u32, 2, entries);
    let values = inputs::floats(-1.0, 1.0, 3, entries);
    let dense = inputs::floats(-1.0, 1.0, 4, rows * columns);
    let expected = || {
        let mut product = vec![0.0f32; rows * columns];
        for (row, sums) in product.chunks_exact_mut(columns).enumerate() {
            for k in starts[row] as usize..starts[row + 1] as usize {
                let factors = &dense[indices[k] as usize * columns..][..columns];
                for (sum, factor) in sums.iter_mut().zip(factors) {
                    *sum = values[k].mul_add(*factor, *sum);
                }
            }
        }
        product
    };
    let mut buffers = Buffers::new(scale);
    let (starts_id, indices_id) = (buffers.input(&starts), buffers.input(&indices));
    let (values_id, dense_id) = (buffers.input(&values), buffers.input(&dense));
    let zeros = vec![0.0f32; rows * columns];
    let product_id = buffers.output(&zeros, Agreement::Within(1e-5), expected);
    let all = args![starts_id, indices_id, values_id, dense_id, product_id];
    let (mut rust, mut cuda) = (args![columns], args![rows as i32, columns as i32]);
    rust.extend(&all);
    cuda.extend(&all);
    Problem {
        grid: [columns.div_ceil(32) as u32, rows.div_ceil(8) as u32, 1],
        block: [32, 8, 1],
        rust,
        cuda,
        buffers,
        work: Work::Flops(2 * entries * columns),
    }
}

benchmark!(spmm_csr, "LDG");
