//! An image of four channels, warped by a homography with bilinear interpolation; black outside.
use super::prelude::*;

/// Returns the interpolated colour, if the place is inside of the image.
#[device]
fn sample(width: usize, height: usize, image: &[[u8; 4]], x: f32, y: f32) -> Option<[u8; 4]> {
    if x < 0.0 || y < 0.0 || x >= (width - 1) as f32 || y >= (height - 1) as f32 {
        return None;
    }
    let (left, top) = (x as usize, y as usize);
    let (dx, dy) = (x.fract(), y.fract());
    let first = top * width + left;
    let corners = [image[first], image[first + 1], image[first + width], image[first + width + 1]];
    let mut color = [0; 4];
    for k in 0..4 {
        let [a, b, c, d] = corners.map(|corner| corner[k] as f32);
        let above = a + (b - a) * dx;
        let below = c + (d - c) * dx;
        color[k] = (above + (below - above) * dy + 0.5) as u8;
    }
    Some(color)
}

#[kernel(block = (32, 8))]
fn homography(
    width: usize,
    height: usize,
    rows: &[[f32; 3]],
    image: &[[u8; 4]],
    out: &mut [[u8; 4]],
) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x >= width || y >= height {
        return;
    }
    let along = |row: &[f32; 3]| row[0] * x as f32 + row[1] * y as f32 + row[2];
    let w = along(&rows[2]);
    let color = sample(width, height, image, along(&rows[0]) / w, along(&rows[1]) / w);
    out[y * width + x] = color.unwrap_or([0, 0, 0, 255]);
}

fn problem(scale: Scale) -> Problem {
    let (width, height) = scale.pick((70, 50), (4096, 4096));
    let image: Vec<[u8; 4]> = inputs::bytes(1, 4 * width * height).as_chunks().0.to_vec();
    let (w, h) = (width as f32, height as f32);
    let rows =
        [[0.93f32, -0.11, 0.04 * w], [0.12, 0.95, -0.03 * h], [0.04 / w, -0.02 / h, 1.0f32]];
    let expected = || {
        let pixel = |i: usize| {
            let (x, y) = ((i % width) as f32, (i / width) as f32);
            let [a, b, w] = rows.map(|row| row[0] * x + row[1] * y + row[2]);
            sample(width, height, &image, a / w, b / w).unwrap_or([0, 0, 0, 255])
        };
        (0..width * height).map(pixel).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (rows_id, image_id) = (buffers.input(&rows), buffers.input(&image));
    let out_id = buffers.output(&vec![[0u8; 4]; width * height], Agreement::Mostly(0.1), expected);
    Problem {
        grid: [width.div_ceil(32) as u32, height.div_ceil(8) as u32, 1],
        block: [32, 8, 1],
        rust: args![width, height, rows_id, image_id, out_id],
        cuda: args![width as i32, height as i32, rows_id, image_id, out_id],
        buffers,
        work: Work::Bytes(8 * width * height),
    }
}

benchmark!(homography, "LDG");
