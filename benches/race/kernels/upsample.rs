//! An image at twice the size, with bilinear filtering.
use super::prelude::*;

#[kernel(block = (32, 8))]
fn upsample(width: usize, height: usize, x: &[f32], out: &mut [f32]) {
    let (i, j) = (global_idx_x(), global_idx_y());
    let (w, h) = (2 * width, 2 * height);
    if i < w && j < h {
        let u = (i as f32 * 0.5).min((width - 1) as f32);
        let v = (j as f32 * 0.5).min((height - 1) as f32);
        let (x0, y0) = (u as usize, v as usize);
        let (x1, y1) = ((x0 + 1).min(width - 1), (y0 + 1).min(height - 1));
        let (fx, fy) = (u - x0 as f32, v - y0 as f32);
        let top = x[y0 * width + x0] * (1.0 - fx) + x[y0 * width + x1] * fx;
        let bottom = x[y1 * width + x0] * (1.0 - fx) + x[y1 * width + x1] * fx;
        out[j * w + i] = top * (1.0 - fy) + bottom * fy;
    }
}

fn problem(scale: Scale) -> Problem {
    let mut buffers = Buffers::new(scale);
    let (width, height) = (scale.side(70, 4096, 2), scale.side(50, 4096, 2));
    let x = inputs::floats(-1.0, 1.0, 1, width * height);
    let expected = || {
        let at = |x0: usize, y0: usize| f64::from(x[y0.min(height - 1) * width + x0.min(width - 1)]);
        let pixel = |i: usize| {
            let (u, v) = (i % (2 * width), i / (2 * width));
            let (x0, y0) = ((u / 2).min(width - 1), (v / 2).min(height - 1));
            let odd = |place: usize| f64::from(u8::from(place % 2 == 1));
            let row = |y: usize| at(x0, y) * (1.0 - odd(u) / 2.0) + at(x0 + 1, y) * odd(u) / 2.0;
            (row(y0) * (1.0 - odd(v) / 2.0) + row(y0 + 1) * odd(v) / 2.0) as f32
        };
        (0..4 * width * height).map(pixel).collect()
    };
    let x_id = buffers.input(&x);
    let out_id = buffers.output(&vec![0.0; 4 * width * height], Agreement::Within(1e-4), expected);
    Problem {
        grid: [(2 * width).div_ceil(32) as u32, (2 * height).div_ceil(8) as u32, 1],
        block: [32, 8, 1],
        rust: args![width, height, x_id, out_id],
        cuda: args![width as i32, height as i32, x_id, out_id],
        buffers,
        work: Work::Bytes(20 * width * height),
    }
}

benchmark!(upsample, "LDG");
