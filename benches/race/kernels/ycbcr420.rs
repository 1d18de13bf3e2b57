//! Pixels of red, green and blue to brightness at full size and two colour differences at half
//! size: a thread for each square of 2x2 pixels.
use super::prelude::*;

#[device]
fn luma([r, g, b]: [u8; 3]) -> u8 {
    ((66 * r as i32 + 129 * g as i32 + 25 * b as i32 + 128) >> 8) as u8 + 16
}

#[kernel(block = (32, 8))]
fn ycbcr420(
    width: usize,
    height: usize,
    pixels: &[[u8; 3]],
    y_plane: &mut [u8],
    cb_plane: &mut [u8],
    cr_plane: &mut [u8],
) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column >= width / 2 || row >= height / 2 {
        return;
    }
    let mut sums = [0; 3];
    for y in 2 * row..2 * row + 2 {
        for x in 2 * column..2 * column + 2 {
            let pixel = pixels[y * width + x];
            y_plane[y * width + x] = luma(pixel);
            for (sum, part) in sums.iter_mut().zip(pixel) {
                *sum += part as i32;
            }
        }
    }
    let [r, g, b] = sums.map(|sum| (sum + 2) / 4);
    let at = row * (width / 2) + column;
    cb_plane[at] = (((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128) as u8;
    cr_plane[at] = (((112 * r - 94 * g - 18 * b + 128) >> 8) + 128) as u8;
}

fn problem(scale: Scale) -> Problem {
    let (width, height) = scale.pick((70, 50), (8192, 8192));
    let n = width * height;
    let pixels: Vec<[u8; 3]> = inputs::bytes(1, 3 * n).as_chunks().0.to_vec();
    let mean = |i: usize| -> [i32; 3] {
        let first = i / (width / 2) * 2 * width + i % (width / 2) * 2;
        let places = [first, first + 1, first + width, first + width + 1];
        std::array::from_fn(|k| {
            (places.iter().map(|at| i32::from(pixels[*at][k])).sum::<i32>() + 2) / 4
        })
    };
    let difference = |weights: [i32; 3]| -> Vec<u8> {
        let one = |i| {
            let sum: i32 = mean(i).iter().zip(weights).map(|(part, weight)| part * weight).sum();
            (((sum + 128) >> 8) + 128) as u8
        };
        (0..n / 4).map(one).collect()
    };
    let mut buffers = Buffers::new(scale);
    let pixels_id = buffers.input(&pixels);
    let y_id = buffers.output(&vec![0u8; n], Agreement::Exact, || {
        pixels.iter().map(|pixel| luma(*pixel)).collect()
    });
    let cb_id =
        buffers.output(&vec![0u8; n / 4], Agreement::Exact, || difference([-38, -74, 112]));
    let cr_id =
        buffers.output(&vec![0u8; n / 4], Agreement::Exact, || difference([112, -94, -18]));
    Problem {
        grid: [(width / 2).div_ceil(32) as u32, (height / 2).div_ceil(8) as u32, 1],
        block: [32, 8, 1],
        rust: args![width, height, pixels_id, y_id, cb_id, cr_id],
        cuda: args![width as i32, height as i32, pixels_id, y_id, cb_id, cr_id],
        buffers,
        work: Work::Bytes(9 * n / 2),
    }
}

benchmark!(ycbcr420, "LDG");
