//! The Mandelbrot set: the number of steps until each point escapes.
use super::prelude::*;

const LIMIT: u32 = 512;

#[kernel(block = (16, 16))]
fn mandelbrot(width: usize, height: usize, limit: u32, steps: &mut [u32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < width && row < height {
        let cx = column as f32 / width as f32 * 3.0 - 2.0;
        let cy = row as f32 / height as f32 * 2.0 - 1.0;
        let (mut x, mut y) = (0.0, 0.0);
        let mut n = 0;
        while n < limit && x * x + y * y <= 4.0 {
            let next = x * x - y * y + cx;
            y = 2.0 * x * y + cy;
            x = next;
            n += 1;
        }
        steps[row * width + column] = n;
    }
}

fn problem(scale: Scale) -> Problem {
    let side = scale.pick(50, 4096);
    let mut buffers = Buffers::new(scale);
    // The compiler chooses which products to contract, and near the border that choice matters.
    let agreement = Agreement::Mostly(0.05);
    let expected = || (0..side * side).map(|i| escape_time(i % side, i / side, side)).collect();
    let steps_id = buffers.output(&vec![0u32; side * side], agreement, expected);
    Problem {
        grid: [side.div_ceil(16) as u32, side.div_ceil(16) as u32, 1],
        block: [16, 16, 1],
        rust: args![side, side, LIMIT, steps_id],
        cuda: args![side as i32, side as i32, LIMIT, steps_id],
        buffers,
        work: Work::Items(side * side),
    }
}

fn escape_time(column: usize, row: usize, side: usize) -> u32 {
    let cx = (column as f32 / side as f32).mul_add(3.0, -2.0);
    let cy = (row as f32 / side as f32).mul_add(2.0, -1.0);
    let (mut x, mut y, mut n) = (0.0f32, 0.0f32, 0);
    while n < LIMIT && x.mul_add(x, y * y) <= 4.0 {
        let next = x.mul_add(x, -(y * y)) + cx;
        y = (2.0 * x).mul_add(y, cy);
        x = next;
        n += 1;
    }
    n
}

benchmark!(mandelbrot, "FSETP");
