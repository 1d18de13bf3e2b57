//! The colours of a sensor with a Bayer pattern, of 16 bits: those that a pixel lacks are means of
//! its neighbours, which are mirrored at the border.
use super::prelude::*;

#[kernel(block = (32, 8))]
fn bayer_demosaic(width: usize, height: usize, raw: &[u16], rgb: &mut [u16]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < width && y < height {
        let left = if x > 0 { x - 1 } else { x + 1 };
        let right = if x + 1 < width { x + 1 } else { x - 1 };
        let above = if y > 0 { y - 1 } else { y + 1 };
        let below = if y + 1 < height { y + 1 } else { y - 1 };
        let at = |x: usize, y: usize| raw[y * width + x] as u32;
        let own = at(x, y);
        let beside = (at(left, y) + at(right, y)) / 2;
        let over = (at(x, above) + at(x, below)) / 2;
        let cross = (at(left, y) + at(right, y) + at(x, above) + at(x, below)) / 4;
        let corners = (at(left, above) + at(right, above) + at(left, below) + at(right, below)) / 4;
        let (red, green, blue) = match (y % 2, x % 2) {
            (0, 0) => (own, cross, corners),
            (0, _) => (beside, own, over),
            (_, 0) => (over, own, beside),
            _ => (corners, cross, own),
        };
        let i = 3 * (y * width + x);
        rgb[i] = red as u16;
        rgb[i + 1] = green as u16;
        rgb[i + 2] = blue as u16;
    }
}

fn problem(scale: Scale) -> Problem {
    let (width, height) = (scale.pick(70, 8192), scale.pick(38, 5464));
    let raw: Vec<u16> =
        inputs::below(1 << 14, 1, width * height).into_iter().map(|value| value as u16).collect();
    let expected = || {
        // Red is 0, green 1 and blue 2.
        let colour = |x: usize, y: usize| x % 2 + y % 2;
        let mirror = |place: usize, size: usize| match place {
            0 => 1,
            place if place > size => size - 2,
            place => place - 1,
        };
        let mean = |i: usize| {
            let (x, y, wanted) = (i / 3 % width, i / 3 / width, i % 3);
            if colour(x, y) == wanted {
                return raw[i / 3].to_le_bytes();
            }
            let (mut sum, mut count) = (0, 0);
            for k in 0..9 {
                let (from_x, from_y) = (mirror(x + k % 3, width), mirror(y + k / 3, height));
                if colour(from_x, from_y) == wanted {
                    sum += u32::from(raw[from_y * width + from_x]);
                    count += 1;
                }
            }
            ((sum / count) as u16).to_le_bytes()
        };
        (0..3 * width * height).map(mean).collect()
    };
    let mut buffers = Buffers::new(scale);
    let bytes: Vec<[u8; 2]> = raw.iter().map(|value| value.to_le_bytes()).collect();
    let raw_id = buffers.input(&bytes);
    let rgb_id = buffers.output(&vec![[0u8; 2]; 3 * width * height], Agreement::Exact, expected);
    Problem {
        grid: [width.div_ceil(32) as u32, height.div_ceil(8) as u32, 1],
        block: [32, 8, 1],
        rust: args![width, height, raw_id, rgb_id],
        cuda: args![width as i32, height as i32, raw_id, rgb_id],
        buffers,
        work: Work::Bytes(8 * width * height),
    }
}

benchmark!(bayer_demosaic, "LDG");
