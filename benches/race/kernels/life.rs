//! A generation of the Game of Life on a torus of bytes.
use super::prelude::*;

#[kernel(block = (32, 8))]
fn life(width: usize, height: usize, cells: &[u8], next: &mut [u8]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < width && y < height {
        let mut neighbours = 0;
        for dy in [height - 1, 0, 1] {
            for dx in [width - 1, 0, 1] {
                if dx != 0 || dy != 0 {
                    neighbours += cells[(y + dy) % height * width + (x + dx) % width];
                }
            }
        }
        let alive = cells[y * width + x] == 1;
        let stays = neighbours == 3 || alive && neighbours == 2;
        next[y * width + x] = stays as u8;
    }
}

fn problem(scale: Scale) -> Problem {
    let (width, height) = (scale.side(50, 8192, 2), scale.side(30, 8192, 2));
    let cells: Vec<u8> =
        inputs::below(2, 1, width * height).into_iter().map(|cell| cell as u8).collect();
    let expected = || {
        let next = |i: usize| {
            let (x, y) = (i % width, i / width);
            let around = (0..9).filter(|k| *k != 4).map(|k| {
                cells[(y + height + k / 3 - 1) % height * width + (x + width + k % 3 - 1) % width]
            });
            let neighbours: u8 = around.sum();
            u8::from(neighbours == 3 || cells[i] == 1 && neighbours == 2)
        };
        (0..width * height).map(next).collect()
    };
    let mut buffers = Buffers::new(scale);
    let cells_id = buffers.input(&cells);
    let next_id = buffers.output(&vec![0u8; width * height], Agreement::Exact, expected);
    Problem {
        grid: [width.div_ceil(32) as u32, height.div_ceil(8) as u32, 1],
        block: [32, 8, 1],
        rust: args![width, height, cells_id, next_id],
        cuda: args![width as i32, height as i32, cells_id, next_id],
        buffers,
        work: Work::Bytes(2 * width * height),
    }
}

benchmark!(life, "LDG");
