//! The last step of an adaptive equalization of histograms (CLAHE): each pixel interpolates between
//! the tables of the four nearest tiles.
use super::prelude::*;

#[kernel(block = (32, 8))]
fn clahe_apply(
    width: usize,
    height: usize,
    tiles_x: usize,
    tiles_y: usize,
    tables: &[[u8; 256]],
    image: &[u8],
    out: &mut [u8],
) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < width && y < height {
        let i = y * width + x;
        let value = image[i] as usize;
        // The place in units of tiles, from the centre of the first.
        let tx = (x * tiles_x) as f32 / width as f32 - 0.5;
        let ty = (y * tiles_y) as f32 / height as f32 - 0.5;
        let (left, top) = (tx.floor(), ty.floor());
        let (fx, fy) = (tx - left, ty - top);
        let x0 = left.max(0.0) as usize;
        let y0 = top.max(0.0) as usize;
        let x1 = ((left + 1.0) as usize).min(tiles_x - 1);
        let y1 = ((top + 1.0) as usize).min(tiles_y - 1);
        let at = |tile_x: usize, tile_y: usize| tables[tile_y * tiles_x + tile_x][value] as f32;
        let above = at(x0, y0) * (1.0 - fx) + at(x1, y0) * fx;
        let below = at(x0, y1) * (1.0 - fx) + at(x1, y1) * fx;
        out[i] = (above * (1.0 - fy) + below * fy + 0.5) as u8;
    }
}

fn problem(scale: Scale) -> Problem {
    let (width, height): (usize, usize) = (scale.pick(70, 6000), scale.pick(50, 4000));
    let (tiles_x, tiles_y): (usize, usize) = (scale.pick(4, 8), scale.pick(3, 8));
    let table = |tile: usize| -> [u8; 256] {
        let mut table: [u8; 256] = inputs::bytes(10 + tile as u64, 256).try_into().expect("it has 256 bytes");
        table.sort_unstable();
        table
    };
    let tables: Vec<[u8; 256]> = (0..tiles_x * tiles_y).map(table).collect();
    let image = inputs::bytes(1, width * height);
    let expected = || {
        let equalized = |i: usize| {
            let (x, y) = (i % width, i / width);
            let along = |at: usize, tiles: usize, size: usize| {
                let place = (at * tiles) as f64 / size as f64 - 0.5;
                let low = place.floor();
                let clamped = |k: f64| k.clamp(0.0, tiles as f64 - 1.0) as usize;
                [(clamped(low), 1.0 - (place - low)), (clamped(low + 1.0), place - low)]
            };
            let mut sum = 0.5;
            for (tile_y, weight_y) in along(y, tiles_y, height) {
                for (tile_x, weight_x) in along(x, tiles_x, width) {
                    let value = tables[tile_y * tiles_x + tile_x][usize::from(image[i])];
                    sum += weight_x * weight_y * f64::from(value);
                }
            }
            sum as u8
        };
        (0..width * height).map(equalized).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (tables_id, image_id) = (buffers.input(&tables), buffers.input(&image));
    let zeros = vec![0u8; width * height];
    let out_id = buffers.output(&zeros, Agreement::Mostly(0.002), expected);
    Problem {
        grid: [width.div_ceil(32) as u32, height.div_ceil(8) as u32, 1],
        block: [32, 8, 1],
        rust: args![width, height, tiles_x, tiles_y, tables_id, image_id, out_id],
        cuda: args![
            width as i32,
            height as i32,
            tiles_x as i32,
            tiles_y as i32,
            tables_id,
            image_id,
            out_id
        ],
        buffers,
        work: Work::Items(width * height),
    }
}

benchmark!(clahe_apply, "LDG");
