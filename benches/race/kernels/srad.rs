//! The first step of Rodinia's SRAD: the differences to the neighbours of each pixel, and its
//! coefficient of diffusion.
use super::prelude::*;

#[kernel(block = (16, 16))]
fn srad(
    width: usize,
    height: usize,
    speckle: f32,
    image: &[f32],
    north: &mut [f32],
    south: &mut [f32],
    west: &mut [f32],
    east: &mut [f32],
    coefficient: &mut [f32],
) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < width && y < height {
        let i = y * width + x;
        let here = image[i];
        let n = image[y.saturating_sub(1) * width + x] - here;
        let s = image[(y + 1).min(height - 1) * width + x] - here;
        let w = image[y * width + x.saturating_sub(1)] - here;
        let e = image[y * width + (x + 1).min(width - 1)] - here;
        let gradient = (n * n + s * s + w * w + e * e) / (here * here);
        let laplacian = (n + s + w + e) / here;
        let numerator = 0.5 * gradient - (1.0 / 16.0) * (laplacian * laplacian);
        let denominator = 1.0 + 0.25 * laplacian;
        let variation = numerator / (denominator * denominator);
        let excess = (variation - speckle) / (speckle * (1.0 + speckle));
        north[i] = n;
        south[i] = s;
        west[i] = w;
        east[i] = e;
        coefficient[i] = (1.0 / (1.0 + excess)).clamp(0.0, 1.0);
    }
}

fn problem(scale: Scale) -> Problem {
    let (width, height) = (scale.pick(70, 4100), scale.pick(50, 4100));
    let speckle = 0.05f32;
    let image = inputs::floats(1.0, 2.0, 1, width * height);
    let at = |x: usize, y: usize| f64::from(image[y.min(height - 1) * width + x.min(width - 1)]);
    let differences = |i: usize| {
        let (x, y) = (i % width, i / width);
        let (north, west) = (at(x, y.saturating_sub(1)), at(x.saturating_sub(1), y));
        [north, at(x, y + 1), west, at(x + 1, y)].map(|neighbour| neighbour - at(x, y))
    };
    let coefficients = || {
        let coefficient = |i: usize| {
            let (here, speckle) = (f64::from(image[i]), f64::from(speckle));
            let squares = differences(i).iter().map(|away| away * away).sum::<f64>();
            let laplacian = differences(i).iter().sum::<f64>() / here;
            let numerator = 0.5 * squares / (here * here) - laplacian * laplacian / 16.0;
            let variation = numerator / (1.0 + 0.25 * laplacian).powi(2);
            let excess = (variation - speckle) / (speckle * (1.0 + speckle));
            (1.0 / (1.0 + excess)).clamp(0.0, 1.0) as f32
        };
        (0..width * height).map(coefficient).collect()
    };
    let mut buffers = Buffers::new(scale);
    let image_id = buffers.input(&image);
    let zeros = vec![0.0f32; width * height];
    let [north_id, south_id, west_id, east_id] = [0, 1, 2, 3].map(|side: usize| {
        let expected = || (0..width * height).map(|i| differences(i)[side] as f32).collect();
        buffers.output(&zeros, Agreement::Within(1e-5), expected)
    });
    let coefficient_id = buffers.output(&zeros, Agreement::Within(1e-4), coefficients);
    Problem {
        grid: [width.div_ceil(16) as u32, height.div_ceil(16) as u32, 1],
        block: [16, 16, 1],
        rust: args![
            width,
            height,
            speckle,
            image_id,
            north_id,
            south_id,
            west_id,
            east_id,
            coefficient_id
        ],
        cuda: args![
            width as i32,
            height as i32,
            speckle,
            image_id,
            north_id,
            south_id,
            west_id,
            east_id,
            coefficient_id,
        ],
        buffers,
        work: Work::Bytes(24 * width * height),
    }
}

benchmark!(srad, "LDG");
