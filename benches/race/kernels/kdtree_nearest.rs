//! The nearest point of each query in a balanced k-d tree, whose nodes are in the order of a heap.
//! Each thread keeps a stack.
use super::prelude::*;

#[kernel(block = 128)]
fn kdtree_nearest(
    points: &[[f32; 3]],
    queries: &[[f32; 3]],
    places: &mut [u32],
    distances: &mut [f32],
) {
    let i = global_idx_x();
    if i >= queries.len() {
        return;
    }
    let query = queries[i];
    let mut best = f32::INFINITY;
    let mut place = 0;
    // Nodes, and the squares of the distances of their halves of the space.
    let mut stack = [(0usize, 0.0f32); 32];
    let mut size = 1;
    while size > 0 {
        size -= 1;
        let (node, at_least) = stack[size];
        if at_least >= best {
            continue;
        }
        let point = points[node];
        let mut square = 0.0;
        for k in 0..3 {
            let away = query[k] - point[k];
            square += away * away;
        }
        if square < best {
            best = square;
            place = node;
        }
        let axis = (node + 1).ilog2() as usize % 3;
        let away = query[axis] - point[axis];
        let (near, far) =
            if away < 0.0 { (2 * node + 1, 2 * node + 2) } else { (2 * node + 2, 2 * node + 1) };
        if far < points.len() {
            stack[size] = (far, away * away);
            size += 1;
        }
        if near < points.len() {
            stack[size] = (near, 0.0);
            size += 1;
        }
    }
    places[i] = place as u32;
    distances[i] = best;
}

/// Arranges points, of which there are one less than a power of two, as a tree.
fn build(points: &mut [[f32; 3]], node: usize, tree: &mut [[f32; 3]]) {
    if points.is_empty() {
        return;
    }
    let axis = (node + 1).ilog2() as usize % 3;
    let middle = points.len() / 2;
    points.select_nth_unstable_by(middle, |a, b| a[axis].total_cmp(&b[axis]));
    tree[node] = points[middle];
    let (low, high) = points.split_at_mut(middle);
    build(low, 2 * node + 1, tree);
    build(&mut high[1..], 2 * node + 2, tree);
}

fn problem(scale: Scale) -> Problem {
    let n: usize = scale.pick(255, (1 << 17) - 1);
    let query_count: usize = scale.pick(300, 400_000);
    let mut points = inputs::floats(0.0, 1.0, 1, 3 * n).as_chunks().0.to_vec();
    let mut tree = vec![[0.0f32; 3]; n];
    build(&mut points, 0, &mut tree);
    let queries: Vec<[f32; 3]> =
        inputs::floats(0.0, 1.0, 2, 3 * query_count).as_chunks().0.to_vec();
    let nearest = || -> Vec<(usize, f64)> {
        let of_query = |query: &[f32; 3]| {
            let square = |point: &[f32; 3]| {
                let away = |k: usize| f64::from(query[k]) - f64::from(point[k]);
                (0..3).map(|k| away(k).powi(2)).sum::<f64>()
            };
            let all = tree.iter().map(square).enumerate();
            all.min_by(|a, b| a.1.total_cmp(&b.1)).expect("there are points")
        };
        queries.iter().map(of_query).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (tree_id, queries_id) = (buffers.input(&tree), buffers.input(&queries));
    let zeros = vec![0u32; query_count];
    let places_id = buffers.output(&zeros, Agreement::Mostly(0.001), || {
        nearest().into_iter().map(|(place, _)| place as u32).collect()
    });
    let zeros = vec![0.0f32; query_count];
    let distances_id = buffers.output(&zeros, Agreement::Within(1e-5), || {
        nearest().into_iter().map(|(_, square)| square as f32).collect()
    });
    Problem {
        grid: cover(query_count, 128),
        block: [128, 1, 1],
        rust: args![tree_id, queries_id, places_id, distances_id],
        cuda: args![n as i32, query_count as i32, tree_id, queries_id, places_id, distances_id],
        buffers,
        work: Work::Items(query_count),
    }
}

benchmark!(kdtree_nearest, "LDG");
