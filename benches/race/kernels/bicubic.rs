//! Resizing of an image by Catmull and Rom's cubic, four by four pixels for each result.
use super::prelude::*;

/// Returns the weights of the four pixels around a place between the second and the third.
#[device]
fn cubic_weights(t: f32) -> [f32; 4] {
    [
        ((-0.5 * t + 1.0) * t - 0.5) * t,
        (1.5 * t - 2.5) * t * t + 1.0,
        ((-1.5 * t + 2.0) * t + 0.5) * t,
        (0.5 * t - 0.5) * t * t,
    ]
}

#[kernel(block = (32, 8))]
fn bicubic(
    width: usize,
    height: usize,
    out_width: usize,
    out_height: usize,
    image: &[f32],
    out: &mut [f32],
) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < out_width && y < out_height {
        let from_x = (x as f32 + 0.5) * (width as f32 / out_width as f32) - 0.5;
        let from_y = (y as f32 + 0.5) * (height as f32 / out_height as f32) - 0.5;
        let (left, top) = (from_x.floor(), from_y.floor());
        let across = cubic_weights(from_x - left);
        let down = cubic_weights(from_y - top);
        let mut sum = 0.0;
        for j in 0..4 {
            let row = (top as i32 + j as i32 - 1).clamp(0, height as i32 - 1) as usize;
            let mut line = 0.0;
            for i in 0..4 {
                let column = (left as i32 + i as i32 - 1).clamp(0, width as i32 - 1) as usize;
                line += across[i] * image[row * width + column];
            }
            sum += down[j] * line;
        }
        out[y * out_width + x] = sum;
    }
}

fn problem(scale: Scale) -> Problem {
    let (width, height) = (scale.pick(30, 1700), scale.pick(20, 1300));
    let (out_width, out_height) = (scale.pick(70, 5000), scale.pick(45, 4000));
    let image = inputs::floats(0.0, 1.0, 1, width * height);
    let expected = || {
        let weight = |away: f64| {
            let x = away.abs();
            if x < 1.0 {
                1.5 * x * x * x - 2.5 * x * x + 1.0
            } else if x < 2.0 {
                -0.5 * x * x * x + 2.5 * x * x - 4.0 * x + 2.0
            } else {
                0.0
            }
        };
        let from = |at: usize, size: usize, out_size: usize| {
            (at as f64 + 0.5) * size as f64 / out_size as f64 - 0.5
        };
        let pixel = |i: usize| {
            let x = from(i % out_width, width, out_width);
            let y = from(i / out_width, height, out_height);
            let mut sum = 0.0;
            for row in -3..height as i32 + 3 {
                let down = weight(y - f64::from(row));
                if down != 0.0 {
                    let line = &image[row.clamp(0, height as i32 - 1) as usize * width..][..width];
                    for column in -3..width as i32 + 3 {
                        let value = line[column.clamp(0, width as i32 - 1) as usize];
                        sum += down * weight(x - f64::from(column)) * f64::from(value);
                    }
                }
            }
            sum as f32
        };
        (0..out_width * out_height).map(pixel).collect()
    };
    let mut buffers = Buffers::new(scale);
    let image_id = buffers.input(&image);
    let n = out_width * out_height;
    let out_id = buffers.output(&vec![0.0f32; n], Agreement::Within(1e-3), expected);
    Problem {
        grid: [out_width.div_ceil(32) as u32, out_height.div_ceil(8) as u32, 1],
        block: [32, 8, 1],
        rust: args![width, height, out_width, out_height, image_id, out_id],
        cuda: args![
            width as i32,
            height as i32,
            out_width as i32,
            out_height as i32,
            image_id,
            out_id
        ],
        buffers,
        work: Work::Items(n),
    }
}

benchmark!(bicubic, "LDG");
