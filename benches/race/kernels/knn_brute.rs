//! The four nearest points to each query, by comparison with all points.
use super::prelude::*;

#[kernel(block = 128)]
fn knn_brute(
    points: &[[f32; 3]],
    queries: &[[f32; 3]],
    places: &mut [[u32; 4]],
    distances: &mut [[f32; 4]],
) {
    let i = global_idx_x();
    if i < queries.len() {
        let query = queries[i];
        let mut nearest = [f32::INFINITY; 4];
        let mut found = [0; 4];
        for (j, point) in points.iter().enumerate() {
            let mut distance = 0.0;
            for k in 0..3 {
                let away = point[k] - query[k];
                distance += away * away;
            }
            if distance < nearest[3] {
                let mut k = 3;
                while k > 0 && distance < nearest[k - 1] {
                    nearest[k] = nearest[k - 1];
                    found[k] = found[k - 1];
                    k -= 1;
                }
                nearest[k] = distance;
                found[k] = j as u32;
            }
        }
        places[i] = found;
        distances[i] = nearest;
    }
}

fn problem(scale: Scale) -> Problem {
    let (n, count) = (scale.pick(500, 1 << 17), scale.pick(60, 4096));
    let points: Vec<[f32; 3]> = inputs::floats(0.0, 1.0, 1, 3 * count).as_chunks().0.to_vec();
    let queries: Vec<[f32; 3]> = inputs::floats(0.0, 1.0, 2, 3 * n).as_chunks().0.to_vec();
    let nearest = |query: &[f32; 3]| -> [(f32, u32); 4] {
        let distance =
            |point: &[f32; 3]| point.iter().zip(query).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
        let mut all: Vec<(f32, u32)> = points.iter().map(distance).zip(0..).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        std::array::from_fn(|k| all[k])
    };
    let places = || queries.iter().map(|query| nearest(query).map(|(_, place)| place)).collect();
    let distances =
        || queries.iter().map(|query| nearest(query).map(|(distance, _)| distance)).collect();
    let mut buffers = Buffers::new(scale);
    let (points_id, queries_id) = (buffers.input(&points), buffers.input(&queries));
    let places_id = buffers.output(&vec![[0u32; 4]; n], Agreement::Mostly(1e-3), places);
    let distances_id = buffers.output(&vec![[0.0; 4]; n], Agreement::Within(1e-4), distances);
    Problem {
        grid: cover(n, 128),
        block: [128, 1, 1],
        rust: args![points_id, queries_id, places_id, distances_id],
        cuda: args![n as i32, count as i32, points_id, queries_id, places_id, distances_id],
        buffers,
        work: Work::Flops(8 * count * n),
    }
}

benchmark!(knn_brute, "FFMA");
