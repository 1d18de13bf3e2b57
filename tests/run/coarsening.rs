//! Launches large enough for coarsened threads: the same results, and faults of the same threads.
use crate::run::engine::{Check, Engine, cases, fault, launch, same};
use warpwise::prelude::*;

cases![rows_and_columns, rows_left_over, faults_of_some: FAULTS, faults_behind_stores: FAULTS];

const WIDTH: usize = 1100;
const HEIGHT: usize = 1003;

fn numbers() -> Vec<u32> {
    (0..WIDTH * HEIGHT).map(|i| (i as u32).wrapping_mul(2_654_435_761) >> 7).collect()
}

/// Loads elements that depend on the column, on the row, and on both.
#[kernel(block = (32, 8))]
fn combined(width: usize, x: &[u32], rows: &[u32], out: &mut [u32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < width && row < rows.len() {
        let i = row * width + column;
        let mut sum = x[i];
        for k in 0..5 {
            sum += x[k * width + column] * rows[row];
        }
        out[i] = if sum % 3 == 0 { sum / 3 } else { sum };
    }
}

fn expected(x: &[u32], rows: &[u32]) -> Vec<u32> {
    let number = |i: usize| {
        let (row, column) = (i / WIDTH, i % WIDTH);
        let products = (0..5).map(|k| x[k * WIDTH + column].wrapping_mul(rows[row]));
        let sum = products.fold(x[i], u32::wrapping_add);
        if sum % 3 == 0 { sum / 3 } else { sum }
    };
    (0..rows.len() * WIDTH).map(number).collect()
}

fn rows_and_columns(on: &Engine) -> Check {
    let (x, rows) = (numbers(), (0..HEIGHT as u32).collect::<Vec<_>>());
    let mut out = vec![0; WIDTH * HEIGHT];
    let config = LaunchConfig::cover((WIDTH, HEIGHT));
    launch!(on, combined(value WIDTH, read x, read rows, write out), config)?;
    same("out", &out, &expected(&x, &rows))
}

/// Rows that end in the middle of a thread's work.
fn rows_left_over(on: &Engine) -> Check {
    let (x, rows) = (numbers(), (0..HEIGHT as u32 - 17).collect::<Vec<_>>());
    let mut out = vec![0; WIDTH * rows.len()];
    let config = LaunchConfig::cover((WIDTH, HEIGHT));
    launch!(on, combined(value WIDTH, read x, read rows, write out), config)?;
    same("out", &out, &expected(&x, &rows))
}

#[kernel(block = 256)]
fn shifted(x: &[u32], shift: usize, out: &mut [u32]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = x[i + shift];
    }
}

/// Some threads at the end fault, and the others of the same blocks write.
fn faults_of_some(on: &Engine) -> Check {
    let x = numbers();
    let mut out = vec![7; x.len()];
    let shift = 3000;
    let config = LaunchConfig::cover(x.len());
    let result = launch!(on, shifted(read x, value shift, write out), config);
    let panic = fault(result)?;
    let first = x.len() - shift;
    let found = (panic.index, panic.block, panic.thread, panic.count);
    let expected =
        (Some(x.len() as u64), [first as u32 / 256, 0, 0], [first as u32 % 256, 0, 0], 3000);
    if found != expected {
        return Err(format!("expected {expected:?}, got {found:?}: {panic}").into());
    }
    let kept = x[shift..].iter().copied().chain([7; 3000]).collect::<Vec<_>>();
    same("out", &out, &kept)
}

#[kernel(block = 256)]
fn marked(limit: usize, x: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = 1;
        let taken = x[i % limit];
        out[i] = taken;
    }
}

/// Stores before a fault remain.
fn faults_behind_stores(on: &Engine) -> Check {
    let x = vec![5; 1000];
    let mut out = vec![0; WIDTH * HEIGHT];
    let config = LaunchConfig::cover(out.len());
    let limit = 1001;
    let result = launch!(on, marked(value limit, read x, write out), config);
    let panic = fault(result)?;
    let found = (panic.index, panic.block, panic.thread, panic.count);
    let expected = (Some(1000), [3, 0, 0], [232, 0, 0], (WIDTH * HEIGHT / 1001) as u64);
    if found != expected {
        return Err(format!("expected {expected:?}, got {found:?}: {panic}").into());
    }
    let kept: Vec<u32> = (0..out.len()).map(|i| if i % 1001 == 1000 { 1 } else { 5 }).collect();
    same("out", &out, &kept)
}
