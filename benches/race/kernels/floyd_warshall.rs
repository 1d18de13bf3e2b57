//! A step of Floyd and Warshall's shortest paths: all pairs through one vertex.
use super::prelude::*;

#[kernel(block = (32, 8))]
fn floyd_warshall(n: usize, via: usize, distances: &mut [f32]) {
    let (to, from) = (global_idx_x(), global_idx_y());
    if from < n && to < n {
        let through = distances[from * n + via] + distances[via * n + to];
        if through < distances[from * n + to] {
            distances[from * n + to] = through;
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(50, 8192);
    let via = n / 2;
    let mut distances: Vec<f32> = inputs::floats(1.0, 100.0, 1, n * n);
    // The path from the vertex to itself is free, so that no thread changes values that others
    // read.
    distances[via * n + via] = 0.0;
    let expected = || {
        let shorter = |(i, distance): (usize, &f32)| {
            distance.min(distances[i / n * n + via] + distances[via * n + i % n])
        };
        distances.iter().enumerate().map(shorter).collect()
    };
    let mut buffers = Buffers::new(scale);
    let distances_id = buffers.output(&distances, Agreement::Exact, expected);
    buffers.restore(distances_id);
    Problem {
        grid: [n.div_ceil(32) as u32, n.div_ceil(8) as u32, 1],
        block: [32, 8, 1],
        rust: args![n, via, distances_id],
        cuda: args![n as i32, via as i32, distances_id],
        buffers,
        work: Work::Bytes(8 * n * n),
    }
}

benchmark!(floyd_warshall, "LDG");
