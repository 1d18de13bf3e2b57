//! Dilation of an image of bytes by a square of 7x7 pixels, through a tile with a border in shared
//! memory. Pixels at the border of the image are repeated.
use super::prelude::*;

#[kernel(block = (32, 8))]
fn dilate_shared(width: usize, height: usize, image: &[u8], out: &mut [u8]) {
    let tile = shared!([[u8; 40]; 14]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (left, top) = (block_idx_x() * 32, block_idx_y() * 8);
    for row in (ty..14).step_by(8) {
        for column in (tx..38).step_by(32) {
            let y = (top + row).saturating_sub(3).min(height - 1);
            let x = (left + column).saturating_sub(3).min(width - 1);
            tile[row][column] = image[y * width + x];
        }
    }
    sync_threads();
    let (x, y) = (left + tx, top + ty);
    if x < width && y < height {
        let mut largest = 0;
        for dy in 0..7 {
            for dx in 0..7 {
                largest = largest.max(tile[ty + dy][tx + dx]);
            }
        }
        out[y * width + x] = largest;
    }
}

fn problem(scale: Scale) -> Problem {
    let (width, height) = (scale.pick(70, 6000), scale.pick(30, 4001));
    let image = inputs::bytes(1, width * height);
    let expected = || {
        let largest = |i: usize| {
            let (x, y) = (i % width, i / width);
            let rows = y.saturating_sub(3)..(y + 4).min(height);
            let part = x.saturating_sub(3)..(x + 4).min(width);
            let row = |y: usize| *image[y * width..][part.clone()].iter().max().expect("a pixel");
            rows.map(row).max().expect("there is a row")
        };
        (0..width * height).map(largest).collect()
    };
    let mut buffers = Buffers::new(scale);
    let image_id = buffers.input(&image);
    let out_id = buffers.output(&vec![0u8; width * height], Agreement::Exact, expected);
    Problem {
        grid: [width.div_ceil(32) as u32, height.div_ceil(8) as u32, 1],
        block: [32, 8, 1],
        rust: args![width, height, image_id, out_id],
        cuda: args![width as i32, height as i32, image_id, out_id],
        buffers,
        work: Work::Items(width * height),
    }
}

benchmark!(dilate_shared, "LDS");
