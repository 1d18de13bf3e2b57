//! The assignment step of k-means: the nearest of the centres to each point of eight coordinates.
use super::prelude::*;

#[kernel(block = 256)]
fn kmeans(points: &[[f32; 8]], centres: &[[f32; 8]], nearest: &mut [u32]) {
    let i = global_idx_x();
    if i < points.len() {
        let mut best = 0;
        let mut least = f32::INFINITY;
        for c in 0..centres.len() {
            let mut distance = 0.0;
            for k in 0..8 {
                let away = points[i][k] - centres[c][k];
                distance += away * away;
            }
            if distance < least {
                least = distance;
                best = c;
            }
        }
        nearest[i] = best as u32;
    }
}

fn problem(scale: Scale) -> Problem {
    let (n, k) = (scale.pick(500, 1 << 22), scale.pick(10, 64));
    let points: Vec<[f32; 8]> = inputs::floats(-1.0, 1.0, 1, 8 * n).as_chunks().0.to_vec();
    let centres: Vec<[f32; 8]> = inputs::floats(-1.0, 1.0, 2, 8 * k).as_chunks().0.to_vec();
    let expected = || {
        let distance = |a: &[f32; 8], b: &[f32; 8]| {
            a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>()
        };
        let nearest = |point: &[f32; 8]| {
            let distances = centres.iter().map(|centre| distance(point, centre)).enumerate();
            distances.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(c, _)| c as u32)
        };
        points.iter().map(nearest).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (points_id, centres_id) = (buffers.input(&points), buffers.input(&centres));
    let nearest_id = buffers.output(&vec![0u32; n], Agreement::Mostly(1e-3), expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![points_id, centres_id, nearest_id],
        cuda: args![n as i32, k as i32, points_id, centres_id, nearest_id],
        buffers,
        work: Work::Flops(3 * 8 * k * n),
    }
}

benchmark!(kmeans, "FFMA");
