//! Conway's Game of Life on a torus, with cells that are an enum.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Cell {
    Dead,
    Alive,
}

#[device]
impl Cell {
    /// The cell a generation later.
    fn next(self, neighbours: u32) -> Self {
        match (self, neighbours) {
            (Cell::Alive, 2 | 3) | (Cell::Dead, 3) => Cell::Alive,
            (Cell::Alive | Cell::Dead, _) => Cell::Dead,
        }
    }
}

/// How many of the eight cells around `(x, y)` live.
#[device]
fn neighbours(width: usize, height: usize, cells: &[Cell], x: usize, y: usize) -> u32 {
    let mut count = 0;
    for dy in 0..3 {
        for dx in 0..3 {
            let i = (y + dy + height - 1) % height * width + (x + dx + width - 1) % width;
            if (dx, dy) != (1, 1) && cells[i] == Cell::Alive {
                count += 1;
            }
        }
    }
    count
}

#[kernel]
fn generation(width: usize, height: usize, cells: &[Cell], next: &mut [Cell]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < width && y < height {
        let i = y * width + x;
        next[i] = cells[i].next(neighbours(width, height, cells, x, y));
    }
}

/// The same in another way: the sum over rows of three of the sums over columns of three.
fn reference(width: usize, height: usize, cells: &[Cell]) -> Vec<Cell> {
    let alive =
        |x: usize, y: usize| u32::from(cells[y % height * width + x % width] == Cell::Alive);
    let cell = |i: usize| {
        let (x, y) = (i % width + width, i / width + height);
        let row = |y: usize| alive(x - 1, y) + alive(x, y) + alive(x + 1, y);
        match (row(y - 1) + row(y) + row(y + 1), alive(x, y)) {
            (3, _) | (4, 1) => Cell::Alive,
            _ => Cell::Dead,
        }
    };
    (0..cells.len()).map(cell).collect()
}

fn main() -> warpwise::Result<()> {
    let (width, height, generations) = (600, 400, 10);
    let seed = |i: u32| i.wrapping_mul(2_654_435_761).rotate_left(i % 32) >> 30 == 0;
    let mut host: Vec<Cell> = (0..(width * height) as u32)
        .map(|i| if seed(i) { Cell::Alive } else { Cell::Dead })
        .collect();

    let device = Device::auto()?;
    let mut cells = device.upload(&host)?;
    let mut next = device.upload(&host)?;
    let config = LaunchConfig::cover((width, height));
    let took = time(&device, || {
        for _ in 0..generations {
            generation::launch(&device, config, width, height, &cells, &mut next)?;
            std::mem::swap(&mut cells, &mut next);
        }
        Ok(())
    })?;

    for _ in 0..generations {
        host = reference(width, height, &host);
    }
    let alive = host.iter().filter(|cell| **cell == Cell::Alive).count();
    verify(&cells.to_vec()?, host);
    let size = format_args!("{width} x {height} cells, {generations} generations");
    report("life", size, &device, took);
    println!("{alive} cells live");
    Ok(())
}
