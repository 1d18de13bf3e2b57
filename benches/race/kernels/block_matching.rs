//! Motion estimation: the displacement, of 16x16, at which 8x8 pixels are most like the frame
//! before.
//! A block for each square of pixels, a thread for each displacement.
use super::prelude::*;

#[kernel(block = (16, 16))]
fn block_matching(width: usize, height: usize, before: &[u8], frame: &[u8], best: &mut [u32]) {
    let pixels = shared!([[u8; 8]; 8]);
    let window = shared!([[u8; 24]; 24]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (left, top) = (block_idx_x() * 8, block_idx_y() * 8);
    if tx < 8 && ty < 8 {
        pixels[ty][tx] = frame[(top + ty) * width + left + tx];
    }
    for row in (ty..24).step_by(16) {
        for column in (tx..24).step_by(16) {
            let y = (top + row).saturating_sub(8).min(height - 1);
            let x = (left + column).saturating_sub(8).min(width - 1);
            window[row][column] = before[y * width + x];
        }
    }
    sync_threads();
    let mut cost = 0;
    for row in 0..8 {
        for column in 0..8 {
            let pixel = pixels[row][column] as i32;
            cost += (pixel - window[ty + row][tx + column] as i32).unsigned_abs();
        }
    }
    // The least cost, and of several the first displacement.
    let least = block::reduce_min(cost * 256 + (ty * 16 + tx) as u32);
    if tx == 0 && ty == 0 {
        best[block_idx_y() * grid_dim_x() + block_idx_x()] = least;
    }
}

fn problem(scale: Scale) -> Problem {
    let (width, height) = (scale.pick(32, 3840), scale.pick(24, 2160));
    let (before, noise) = (inputs::bytes(1, width * height), inputs::bytes(2, width * height));
    // The frame before, moved by some pixels, with noise.
    let moved = |i: usize| {
        let (x, y) = (i % width, i / width);
        before[(y + 3) % height * width + (x + 2) % width] / 2 + noise[i] / 2
    };
    let frame: Vec<u8> = (0..width * height).map(moved).collect();
    let (across, down) = (width / 8, height / 8);
    let expected = || {
        let cost = |square: usize, place: usize| -> u32 {
            let (left, top) = (square % across * 8, square / across * 8);
            let difference = |k: usize| {
                let (x, y) = (left + k % 8, top + k / 8);
                let from_x = (x + place % 16).saturating_sub(8).min(width - 1);
                let from_y = (y + place / 16).saturating_sub(8).min(height - 1);
                u32::from(frame[y * width + x].abs_diff(before[from_y * width + from_x]))
            };
            (0..64).map(difference).sum()
        };
        let least = |square: usize| {
            let costs = (0..256).map(|place| cost(square, place) * 256 + place as u32);
            costs.min().expect("there is a displacement")
        };
        (0..across * down).map(least).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (before_id, frame_id) = (buffers.input(&before), buffers.input(&frame));
    let best_id = buffers.output(&vec![0u32; across * down], Agreement::Exact, expected);
    Problem {
        grid: [across as u32, down as u32, 1],
        block: [16, 16, 1],
        rust: args![width, height, before_id, frame_id, best_id],
        cuda: args![width as i32, height as i32, before_id, frame_id, best_id],
        buffers,
        work: Work::Items(256 * width * height),
    }
}

benchmark!(block_matching, "LDS");
