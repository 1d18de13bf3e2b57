//! A transposition through a padded tile of shared memory, four rows a thread.
use super::prelude::*;

#[kernel(block = (32, 8))]
fn transpose(width: usize, height: usize, x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 33]; 32]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let column = block_idx_x() * 32 + tx;
    for k in (0..32).step_by(8) {
        let row = block_idx_y() * 32 + ty + k;
        if column < width && row < height {
            tile[ty + k][tx] = x[row * width + column];
        }
    }
    sync_threads();
    let column = block_idx_y() * 32 + tx;
    for k in (0..32).step_by(8) {
        let row = block_idx_x() * 32 + ty + k;
        if column < height && row < width {
            y[row * height + column] = tile[tx][ty + k];
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let (width, height) = (scale.pick(70, 8192), scale.pick(45, 8192));
    let x = inputs::floats(-1.0, 1.0, 1, width * height);
    let expected = || (0..width * height).map(|i| x[i % height * width + i / height]).collect();
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let y_id = buffers.output(&vec![0.0; width * height], Agreement::Exact, expected);
    Problem {
        grid: [width.div_ceil(32) as u32, height.div_ceil(32) as u32, 1],
        block: [32, 8, 1],
        rust: args![width, height, x_id, y_id],
        cuda: args![width as i32, height as i32, x_id, y_id],
        buffers,
        work: Work::Bytes(8 * width * height),
    }
}

benchmark!(transpose, "LDG");
