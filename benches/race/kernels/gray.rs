//! Pixels of red, green, blue and alpha to brightness.
use super::prelude::*;

#[kernel(block = 256)]
fn gray(pixels: &[U8x4], out: &mut [u8]) {
    let i = global_idx_x();
    if i < out.len() {
        let pixel = pixels[i];
        let brightness =
            0.299 * pixel.x as f32 + 0.587 * pixel.y as f32 + 0.114 * pixel.z as f32;
        out[i] = brightness as u8;
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(1000, 1 << 26);
    let pixels: Vec<[u8; 4]> = inputs::bytes(1, 4 * n).as_chunks().0.to_vec();
    let expected = || {
        let brightness = |pixel: &[u8; 4]| {
            let [r, g, b, _] = pixel.map(f32::from);
            (0.299 * r + 0.587 * g + 0.114 * b) as u8
        };
        pixels.iter().map(brightness).collect()
    };
    let mut buffers = Buffers::new(scale);
    let pixels_id = buffers.input(&pixels);
    // A sum near a whole number may be rounded to either side.
    let out_id = buffers.output(&vec![0u8; n], Agreement::Mostly(2e-3), expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![pixels_id, out_id],
        cuda: args![n as i32, pixels_id, out_id],
        buffers,
        work: Work::Bytes(5 * n),
    }
}

benchmark!(gray, "LDG");
