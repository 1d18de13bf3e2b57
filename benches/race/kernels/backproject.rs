//! Filtered back-projection of a computed tomography: each pixel adds up the projections of all
//! angles, interpolated between detectors.
use super::prelude::*;

#[kernel(block = (16, 16))]
fn backproject(
    side: usize,
    detectors: usize,
    directions: &[F32x2],
    sinogram: &[f32],
    image: &mut [f32],
) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < side && row < side {
        let x = column as f32 - 0.5 * side as f32;
        let y = row as f32 - 0.5 * side as f32;
        let centre = 0.5 * detectors as f32;
        let mut sum = 0.0;
        for (projection, direction) in sinogram.chunks_exact(detectors).zip(directions) {
            let place = x * direction.x + y * direction.y + centre;
            let left = place.floor();
            let weight = place - left;
            let k = left as usize;
            if left >= 0.0 && k + 1 < detectors {
                sum += projection[k] * (1.0 - weight) + projection[k + 1] * weight;
            }
        }
        image[row * side + column] = sum;
    }
}

fn problem(scale: Scale) -> Problem {
    let (side, detectors): (usize, usize) = (scale.pick(40, 1000), scale.pick(61, 1450));
    let angles: usize = scale.pick(20, 300);
    let direction = |k: usize| {
        let angle = std::f64::consts::PI * k as f64 / angles as f64;
        [angle.cos() as f32, angle.sin() as f32]
    };
    let directions: Vec<[f32; 2]> = (0..angles).map(direction).collect();
    let sinogram = inputs::floats(-1.0, 1.0, 1, angles * detectors);
    let expected = || {
        let pixel = |i: usize| {
            let half = side as f64 / 2.0;
            let (x, y) = ((i % side) as f64 - half, (i / side) as f64 - half);
            let mut sum = 0.0;
            for (angle, direction) in directions.iter().enumerate() {
                let [along_x, along_y] = direction.map(f64::from);
                let place = x * along_x + y * along_y + detectors as f64 / 2.0;
                let at = |k: f64| f64::from(sinogram[angle * detectors + k as usize]);
                let weight = place.fract();
                sum += at(place.floor()) * (1.0 - weight) + at(place.floor() + 1.0) * weight;
            }
            sum as f32
        };
        (0..side * side).map(pixel).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (directions_id, sinogram_id) = (buffers.input(&directions), buffers.input(&sinogram));
    let zeros = vec![0.0f32; side * side];
    let image_id = buffers.output(&zeros, Agreement::Within(1e-3), expected);
    Problem {
        grid: [side.div_ceil(16) as u32, side.div_ceil(16) as u32, 1],
        block: [16, 16, 1],
        rust: args![side, detectors, directions_id, sinogram_id, image_id],
        cuda: args![
            side as i32,
            detectors as i32,
            angles as i32,
            directions_id,
            sinogram_id,
            image_id
        ],
        buffers,
        work: Work::Items(angles * side * side),
    }
}

benchmark!(backproject, "LDG");
