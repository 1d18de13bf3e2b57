//! Grids: the Rodinia kernels `hotspot`, `pathfinder` and `srad`, a wavefront of
//! `Needleman-Wunsch`, and sums over all rectangles (`shfl_scan`).
use super::{close, noise};
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![
    hotspot, pathfinder: THREADS_MEET, speckles, alignment: THREADS_MEET,
    integral_image: THREADS_MEET,
];

#[device]
#[derive(Clone, Copy)]
struct Size {
    width: usize,
    height: usize,
}

#[device]
impl Size {
    /// Returns the place of this thread, if it is inside.
    fn here(&self) -> Option<(usize, usize)> {
        let (x, y) = (global_idx_x(), global_idx_y());
        (x < self.width && y < self.height).then_some((x, y))
    }

    /// Returns the cells above, below, left and right; the cell itself stands for those outside.
    fn around(&self, x: usize, y: usize) -> [usize; 4] {
        let at = |x: usize, y: usize| y * self.width + x;
        [
            at(x, y.saturating_sub(1)),
            at(x, (y + 1).min(self.height - 1)),
            at(x.saturating_sub(1), y),
            at((x + 1).min(self.width - 1), y),
        ]
    }
}

#[device]
#[derive(Clone, Copy)]
struct Chip {
    ambient: f32,
    capacity: f32,
    resistance: [f32; 3],
}

#[kernel(contract = false)]
fn heat(size: Size, chip: Chip, power: &[f32], from: &[f32], to: &mut [f32]) {
    let Some((x, y)) = size.here() else { return };
    let at = y * size.width + x;
    let here = from[at];
    let [up, down, left, right] = size.around(x, y).map(|k| from[k]);
    let [rx, ry, rz] = chip.resistance;
    let change = power[at]
        + (up + down - 2.0 * here) / ry
        + (left + right - 2.0 * here) / rx
        + (chip.ambient - here) / rz;
    to[at] = here + chip.capacity * change;
}

fn hotspot(on: &Engine) -> Check {
    let (width, height) = (21, 13);
    let size = Size { width, height };
    let chip = Chip { ambient: 80.0, capacity: 0.125, resistance: [2.0, 4.0, 16.0] };
    let power: Vec<f32> = noise(width * height).iter().map(|v| (v % 8) as f32).collect();
    let mut from = vec![320.0f32; width * height];
    let mut to = from.clone();
    let mut want = from.clone();
    let config = LaunchConfig::cover((width, height));
    for _ in 0..4 {
        launch!(on, heat(value size, value chip, read power, read from, write to), config)?;
        std::mem::swap(&mut from, &mut to);
        let old = want.clone();
        for y in 0..height {
            for x in 0..width {
                let cell = |x: usize, y: usize| old[y * width + x];
                let here = cell(x, y);
                let (up, down) = (cell(x, y.max(1) - 1), cell(x, (y + 1).min(height - 1)));
                let (left, right) = (cell(x.max(1) - 1, y), cell((x + 1).min(width - 1), y));
                let change = power[y * width + x]
                    + (up + down - 2.0 * here) / 4.0
                    + (left + right - 2.0 * here) / 2.0
                    + (80.0 - here) / 16.0;
                want[y * width + x] = here + 0.125 * change;
            }
        }
    }
    same("heat", &from, &want)
}

/// Finds the cheapest paths down a wall: blocks compute `ROWS` rows of the columns that are far
/// enough from their edges.
#[kernel(block = 64)]
fn cheapest<const ROWS: usize>(cost: &[u32], width: usize, before: &[u32], after: &mut [u32]) {
    let (now, next) = (shared!([u32; 64]), shared!([u32; 64]));
    let t = thread_idx_x();
    let column = (block_idx_x() * (64 - 2 * ROWS) + t).checked_sub(ROWS).filter(|x| *x < width);
    now[t] = column.map_or(u32::MAX, |x| before[x]);
    sync_threads();
    for (step, row) in cost.chunks_exact(width).enumerate() {
        let valid = step < t && t + step + 1 < 64;
        if let Some(x) = column
            && valid
        {
            let least = now[t - 1..t + 2].iter().copied().min();
            next[t] = least.unwrap_or(0) + row[x];
        } else {
            next[t] = u32::MAX;
        }
        sync_threads();
        now[t] = next[t];
        sync_threads();
    }
    if let Some(x) = column
        && (ROWS..64 - ROWS).contains(&t)
    {
        after[x] = now[t];
    }
}

fn pathfinder(on: &Engine) -> Check {
    const ROWS: usize = 6;
    let width = 150;
    let costs: Vec<u32> = noise(width * ROWS * 2).iter().map(|v| v % 10).collect();
    let mut before = vec![0u32; width];
    let mut want = before.clone();
    for cost in costs.chunks(width * ROWS) {
        let (cost, mut after) = (cost.to_vec(), vec![0u32; width]);
        let blocks = width.div_ceil(64 - 2 * ROWS);
        launch!(on, cheapest::<ROWS>(read cost, value width, read before, write after), LaunchConfig::grid(blocks))?;
        before = after;
        for row in cost.chunks(width) {
            let old = want.clone();
            for x in 0..width {
                let near = &old[x.max(1) - 1..(x + 2).min(width)];
                want[x] = near.iter().copied().min().unwrap_or(0) + row[x];
            }
        }
    }
    same("costs", &before, &want)
}

/// Computes how much a cell may spread: one over one plus the roughness there.
#[kernel]
fn diffusion(size: Size, spread: f32, image: &[f32], coefficients: &mut [f32]) {
    let Some((x, y)) = size.here() else { return };
    let at = y * size.width + x;
    let here = image[at];
    let slopes = size.around(x, y).map(|k| image[k] - here);
    let gradient = slopes.iter().map(|s| s * s).sum::<f32>() / (here * here);
    let laplacian = slopes.iter().sum::<f32>() / here;
    let size_of_it = 0.5 * gradient - laplacian * laplacian / 16.0;
    let scale = 1.0 + 0.25 * laplacian;
    let q = size_of_it / (scale * scale);
    coefficients[at] = (1.0 / (1.0 + (q - spread) / (spread * (1.0 + spread)))).clamp(0.0, 1.0);
}

fn speckles(on: &Engine) -> Check {
    let (width, height, spread) = (19, 11, 0.25);
    let size = Size { width, height };
    let image: Vec<f32> = noise(width * height).iter().map(|v| 1.0 + (v % 16) as f32).collect();
    let mut out = vec![0.0f32; width * height];
    launch!(on, diffusion(value size, value spread, read image, write out), LaunchConfig::cover((width, height)))?;
    let want = (0..width * height).map(|at| {
        let (x, y) = (at % width, at / width);
        let here = f64::from(image[at]);
        let near = [
            (x, y.max(1) - 1),
            (x, (y + 1).min(height - 1)),
            (x.max(1) - 1, y),
            ((x + 1).min(width - 1), y),
        ];
        let slopes = near.map(|(x, y)| f64::from(image[y * width + x]) - here);
        let g = slopes.iter().map(|s| s * s).sum::<f64>() / (here * here);
        let l = slopes.iter().sum::<f64>() / here;
        let q = (0.5 * g - l * l / 16.0) / (1.0 + 0.25 * l).powi(2);
        (1.0 / (1.0 + (q - 0.25) / (0.25 * 1.25))).clamp(0.0, 1.0)
    });
    close("coefficients", &out, &want.collect::<Vec<_>>(), 1e-3)
}

/// One tile of the table of scores, from its upper left corner on, one diagonal after the other.
#[kernel(block = 16)]
fn tile(diagonal: usize, penalty: i32, a: &[u8], b: &[u8], scores: &mut [i32]) {
    let columns = b.len() + 1;
    let ty = block_idx_x();
    let Some(tx) = diagonal.checked_sub(ty).filter(|tx| *tx < b.len() / 16) else { return };
    let local = shared!([[i32; 17]; 17]);
    let (row, column) = (ty * 16, tx * 16);
    let t = thread_idx_x();
    local[t + 1][0] = scores[(row + t + 1) * columns + column];
    local[0][t + 1] = scores[row * columns + column + t + 1];
    if t == 0 {
        local[0][0] = scores[row * columns + column];
    }
    sync_threads();
    for step in 0..31usize {
        if let Some(x) = step.checked_sub(t)
            && x < 16
        {
            let matched = if a[row + t] == b[column + x] { 3 } else { -1 };
            let candidates =
                [local[t][x] + matched, local[t][x + 1] - penalty, local[t + 1][x] - penalty];
            local[t + 1][x + 1] = candidates.into_iter().fold(i32::MIN, i32::max);
        }
        sync_threads();
    }
    for y in 0..16 {
        scores[(row + y + 1) * columns + column + t + 1] = local[y + 1][t + 1];
    }
}

fn alignment(on: &Engine) -> Check {
    let letters = |count: usize, skip: usize| -> Vec<u8> {
        noise(count + skip)[skip..].iter().map(|v| b"ACGT"[(v >> 7) as usize % 4]).collect()
    };
    let (a, b, penalty) = (letters(48, 0), letters(64, 3), 2);
    let columns = b.len() + 1;
    let mut scores = vec![0; (a.len() + 1) * columns];
    (0..=b.len()).for_each(|x| scores[x] = -penalty * x as i32);
    (0..=a.len()).for_each(|y| scores[y * columns] = -penalty * y as i32);
    let mut want = scores.clone();
    for diagonal in 0..3 + 4 - 1 {
        launch!(on, tile(value diagonal, value penalty, read a, read b, write scores), LaunchConfig::grid(3))?;
    }
    for y in 1..=a.len() {
        for x in 1..=b.len() {
            let matched = if a[y - 1] == b[x - 1] { 3 } else { -1 };
            let near = want[(y - 1) * columns + x].max(want[y * columns + x - 1]) - penalty;
            want[y * columns + x] = near.max(want[(y - 1) * columns + x - 1] + matched);
        }
    }
    same("scores", &scores, &want)
}

/// Sums along each row: 32 numbers per warp at a time, plus the sum before them.
#[kernel(block = 32)]
fn row_sums(width: usize, image: &[u32], sums: &mut [u32]) {
    let rows = block_idx_x() * width..(block_idx_x() + 1) * width;
    let (image, sums) = (&image[rows.clone()], &mut sums[rows]);
    let mut before = 0;
    for start in (0..width).step_by(32) {
        let at = start + warp::lane_id();
        let sum = before + warp::inclusive_sum(image.get(at).copied().unwrap_or(0));
        if let Some(place) = sums.get_mut(at) {
            *place = sum;
        }
        before = warp::shfl(sum, 31);
    }
}

#[kernel]
fn column_sums(width: usize, sums: &mut [u32]) {
    let x = global_idx_x();
    if x < width {
        let mut sum = 0;
        for row in sums.chunks_exact_mut(width) {
            sum += row[x];
            row[x] = sum;
        }
    }
}

fn integral_image(on: &Engine) -> Check {
    let (width, height) = (75, 9);
    let image: Vec<u32> = noise(width * height).iter().map(|v| v % 100).collect();
    let mut sums = vec![0u32; width * height];
    launch!(on, row_sums(value width, read image, write sums), LaunchConfig::grid(height))?;
    launch!(on, column_sums(value width, write sums), LaunchConfig::cover(width))?;
    let want = (0..width * height).map(|at| {
        let rows = image.chunks(width).take(at / width + 1);
        rows.map(|row| row[..=at % width].iter().sum::<u32>()).sum()
    });
    same("sums", &sums, &want.collect::<Vec<u32>>())
}
