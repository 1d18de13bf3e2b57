//! `conjugateGradientMultiBlockCG`: a solver that is one launch, with barriers of the whole grid.
use super::close;
use crate::run::engine::{Check, Engine, cases, launch};
use warpwise::prelude::*;

cases![conjugate_gradient: THREADS_MEET];

/// Multiplies a row of a sparse matrix: row `r`'s elements are those from `starts[r]` to
/// `starts[r + 1]`.
#[device]
fn row_times(row: usize, starts: &[u32], columns: &[u32], values: &[f32], x: &[f32]) -> f32 {
    let range = starts[row] as usize..starts[row + 1] as usize;
    let (columns, values) = (&columns[range.clone()], &values[range]);
    columns.iter().zip(values).map(|(column, value)| value * x[*column as usize]).sum()
}

/// Returns the sum over all threads of the grid to each of them. `sums` has one place per block.
#[device]
fn grid_sum(value: f32, sums: &mut [f32]) -> f32 {
    let of_block = block::reduce_add(value);
    if block::thread_rank() == 0 {
        sums[block_idx_x()] = of_block;
    }
    grid::sync();
    let total = sums[..grid_dim_x()].iter().sum();
    grid::sync();
    total
}

/// Solves `matrix * x = b`, one row per thread, and returns the number of rounds.
#[kernel(cooperative, block = 64)]
fn solve(
    tolerance: f32,
    starts: &[u32],
    columns: &[u32],
    values: &[f32],
    b: &[f32],
    x: &mut [f32],
    direction: &mut [f32],
    sums: &mut [f32],
    rounds: &mut [u32],
) {
    let i = grid::thread_rank();
    let inside = i < b.len();
    let (mut residual, mut solution) = (if inside { b[i] } else { 0.0 }, 0.0);
    if inside {
        direction[i] = residual;
    }
    let mut error = grid_sum(residual * residual, sums);
    let mut round = 0;
    while error > tolerance * tolerance && round < 200 {
        let own = if inside { direction[i] } else { 0.0 };
        let product = if inside { row_times(i, starts, columns, values, direction) } else { 0.0 };
        let step = error / grid_sum(own * product, sums);
        solution += step * own;
        residual -= step * product;
        let before = std::mem::replace(&mut error, grid_sum(residual * residual, sums));
        if inside {
            direction[i] = residual + error / before * own;
        }
        grid::sync();
        round += 1;
    }
    if inside {
        x[i] = solution;
    }
    if i == 0 {
        rounds[0] = round;
    }
}

fn conjugate_gradient(on: &Engine) -> Check {
    let n = 300usize;
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..n {
        for column in [row.wrapping_sub(17), row.wrapping_sub(1), row, row + 1, row + 17] {
            if column < n {
                columns.push(column as u32);
                values.push(if column == row { 4.5f32 } else { -1.0 });
            }
        }
        starts.push(columns.len() as u32);
    }
    let want: Vec<f64> = (0..n).map(|i| (i % 11) as f64 - 5.0).collect();
    let b: Vec<f32> = (0..n)
        .map(|row| {
            let range = starts[row] as usize..starts[row + 1] as usize;
            range.map(|k| f64::from(values[k]) * want[columns[k] as usize]).sum::<f64>() as f32
        })
        .collect();
    let (mut x, mut direction) = (vec![0.0; n], vec![0.0; n]);
    let (mut sums, mut rounds, tolerance) = (vec![0.0; 5], vec![0], 1e-4);
    launch!(
        on,
        solve(value tolerance, read starts, read columns, read values, read b, write x,
            write direction, write sums, write rounds),
        LaunchConfig::cover(n)
    )?;
    close("x", &x, &want, 1e-3)?;
    if (5..100).contains(&rounds[0]) { Ok(()) } else { Err(format!("{rounds:?} rounds").into()) }
}
