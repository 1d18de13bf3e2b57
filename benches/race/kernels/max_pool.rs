//! Pooling of planes: the largest of 3x3 pixels at every second pixel, and its place.
use super::prelude::*;

#[kernel(block = (16, 16))]
fn max_pool(
    width: usize,
    height: usize,
    out_width: usize,
    out_height: usize,
    x: &[f32],
    y: &mut [f32],
    places: &mut [u32],
) {
    let (column, row, plane) = (global_idx_x(), global_idx_y(), block_idx_z());
    if column < out_width && row < out_height {
        let mut largest = f32::NEG_INFINITY;
        let mut place = 0;
        for dy in 0..3 {
            for dx in 0..3 {
                // There is a pixel of padding at the left and above.
                let (below, right) = (2 * row + dy, 2 * column + dx);
                if below >= 1 && below <= height && right >= 1 && right <= width {
                    let i = (below - 1) * width + right - 1;
                    let value = x[plane * width * height + i];
                    if value > largest {
                        largest = value;
                        place = i;
                    }
                }
            }
        }
        let out = (plane * out_height + row) * out_width + column;
        y[out] = largest;
        places[out] = place as u32;
    }
}

fn problem(scale: Scale) -> Problem {
    let (width, height): (usize, usize) = (scale.pick(35, 113), scale.pick(26, 112));
    let planes = scale.pick(3, 4000);
    let (out_width, out_height) = (width.div_ceil(2), height.div_ceil(2));
    let x = inputs::floats(-1.0, 1.0, 1, width * height * planes);
    let n = out_width * out_height * planes;
    let pooled = |out: usize| {
        let (column, row) = (out % out_width, out / out_width % out_height);
        let plane = &x[out / out_width / out_height * width * height..];
        let rows = (2 * row).saturating_sub(1)..(2 * row + 2).min(height);
        let columns = (2 * column).saturating_sub(1)..(2 * column + 2).min(width);
        let around = rows.flat_map(|row| columns.clone().map(move |column| row * width + column));
        around.map(|i| (plane[i], i)).fold((f32::NEG_INFINITY, 0), |most, next| {
            if next.0 > most.0 { next } else { most }
        })
    };
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let largest = || (0..n).map(|out| pooled(out).0).collect();
    let y_id = buffers.output(&vec![0.0f32; n], Agreement::Exact, largest);
    let places = || (0..n).map(|out| pooled(out).1 as u32).collect();
    let places_id = buffers.output(&vec![0u32; n], Agreement::Exact, places);
    Problem {
        grid: [out_width.div_ceil(16) as u32, out_height.div_ceil(16) as u32, planes as u32],
        block: [16, 16, 1],
        rust: args![width, height, out_width, out_height, x_id, y_id, places_id],
        cuda: args![
            width as i32,
            height as i32,
            out_width as i32,
            out_height as i32,
            x_id,
            y_id,
            places_id
        ],
        buffers,
        work: Work::Bytes(4 * x.len() + 8 * n),
    }
}

benchmark!(max_pool, "LDG");
