//! Rodinia's pathfinder: several rows of a dynamic program for the cheapest path through a grid.
//! Blocks overlap by a column on each side for each row.
use super::prelude::*;

#[kernel(block = 256)]
fn pathfinder(columns: usize, rows: usize, wall: &[i32], from: &[i32], to: &mut [i32]) {
    let before = shared!([i32; 256]);
    let after = shared!([i32; 256]);
    let t = thread_idx_x();
    // The column, counted from `rows` columns left of the first.
    let shifted = block_idx_x() * (256 - 2 * rows) + t;
    let is_column = shifted >= rows && shifted < columns + rows;
    before[t] = if is_column { from[shifted - rows] } else { i32::MAX };
    sync_threads();
    for row in 0..rows {
        after[t] = i32::MAX;
        if is_column && t > row && t + row < 255 {
            let least = before[t - 1].min(before[t]).min(before[t + 1]);
            after[t] = least + wall[row * columns + shifted - rows];
        }
        sync_threads();
        before[t] = after[t];
        sync_threads();
    }
    if is_column && t >= rows && t + rows < 256 {
        to[shifted - rows] = before[t];
    }
}

fn problem(scale: Scale) -> Problem {
    let (columns, rows) = (scale.pick(2000, 4_000_000), scale.pick(7, 20));
    let cells = |seed, n| -> Vec<i32> {
        inputs::below(10, seed, n).into_iter().map(u32::cast_signed).collect()
    };
    let (wall, from) = (cells(1, rows * columns), cells(2, columns));
    let expected = || {
        let mut costs = from.clone();
        for row in wall.chunks_exact(columns) {
            let least = |x: usize| {
                costs[x.saturating_sub(1)].min(costs[x]).min(costs[(x + 1).min(columns - 1)])
            };
            costs = (0..columns).map(|x| least(x) + row[x]).collect();
        }
        costs
    };
    let mut buffers = Buffers::new(scale);
    let (wall_id, from_id) = (buffers.input(&wall), buffers.input(&from));
    let to_id = buffers.output(&vec![0i32; columns], Agreement::Exact, expected);
    Problem {
        grid: cover(columns, 256 - 2 * rows),
        block: [256, 1, 1],
        rust: args![columns, rows, wall_id, from_id, to_id],
        cuda: args![columns as i32, rows as i32, wall_id, from_id, to_id],
        buffers,
        work: Work::Bytes(4 * columns * (rows + 2)),
    }
}

benchmark!(pathfinder, "LDS");
