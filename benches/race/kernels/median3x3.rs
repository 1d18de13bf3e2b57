//! The median of each pixel's neighbourhood of 3x3, whose pixels at the border are repeated.
use super::prelude::*;

#[kernel(block = (32, 8))]
fn median3x3(width: usize, height: usize, image: &[u8], out: &mut [u8]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < width && y < height {
        let mut window = [0; 9];
        for dy in 0..3 {
            for dx in 0..3 {
                let row = (y + dy).saturating_sub(1).min(height - 1);
                let column = (x + dx).saturating_sub(1).min(width - 1);
                window[dy * 3 + dx] = image[row * width + column];
            }
        }
        // The five smallest, in order.
        for i in 0..5 {
            for j in i + 1..9 {
                if window[j] < window[i] {
                    window.swap(i, j);
                }
            }
        }
        out[y * width + x] = window[4];
    }
}

fn problem(scale: Scale) -> Problem {
    let mut buffers = Buffers::new(scale);
    let (width, height) = (scale.side(70, 8192, 2), scale.side(50, 8192, 2));
    let image = inputs::bytes(1, width * height);
    let expected = || {
        let median = |i: usize| {
            let (x, y) = (i % width, i / width);
            let around = (0..9).map(|k| {
                let row = (y + k / 3).clamp(1, height) - 1;
                image[row * width + (x + k % 3).clamp(1, width) - 1]
            });
            let mut window: Vec<u8> = around.collect();
            window.sort_unstable();
            window[4]
        };
        (0..width * height).map(median).collect()
    };
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

benchmark!(median3x3, "LDG");
