//! Triangles of a graph whose edges lead to nodes of larger numbers: a thread for each edge merges
//! the sorted neighbours of both ends.
use super::prelude::*;

#[kernel(block = 256)]
fn triangle_count(starts: &[u32], from: &[u32], to: &[u32], total: &[AtomicU32]) {
    let edge = global_idx_x();
    let mut count = 0;
    if edge < from.len() {
        let (a, b) = (from[edge] as usize, to[edge] as usize);
        let (mut i, end_i) = (starts[a] as usize, starts[a + 1] as usize);
        let (mut j, end_j) = (starts[b] as usize, starts[b + 1] as usize);
        while i < end_i && j < end_j {
            if to[i] < to[j] {
                i += 1;
            } else if to[i] > to[j] {
                j += 1;
            } else {
                count += 1;
                i += 1;
                j += 1;
            }
        }
    }
    let sum = block::reduce_add(count);
    if thread_idx_x() == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(200, 1 << 18);
    let (mut starts, mut from, mut to) = (vec![0u32], Vec::new(), Vec::new());
    let degrees = inputs::below(24, 1, n);
    let steps = inputs::below(64, 2, 24 * n);
    for (node, degree) in degrees.iter().enumerate() {
        let steps = &steps[24 * node..24 * node + *degree as usize];
        let mut neighbours: Vec<u32> = steps.iter().map(|step| node as u32 + 1 + step).collect();
        neighbours.retain(|neighbour| (*neighbour as usize) < n);
        neighbours.sort_unstable();
        neighbours.dedup();
        from.extend(neighbours.iter().map(|_| node as u32));
        to.extend(neighbours);
        starts.push(to.len() as u32);
    }
    let edges = to.len();
    let expected = || {
        let neighbours =
            |node: u32| &to[starts[node as usize] as usize..starts[node as usize + 1] as usize];
        let common = |(a, b): (&u32, &u32)| {
            neighbours(*a).iter().filter(|node| neighbours(*b).contains(node)).count() as u32
        };
        vec![from.iter().zip(&to).map(common).sum()]
    };
    let mut buffers = Buffers::new(scale);
    let (starts_id, from_id) = (buffers.input(&starts), buffers.input(&from));
    let to_id = buffers.input(&to);
    let total_id = buffers.output(&[0u32], Agreement::Exact, expected);
    Problem {
        grid: cover(edges, 256),
        block: [256, 1, 1],
        rust: args![starts_id, from_id, to_id, total_id],
        cuda: args![edges as i32, starts_id, from_id, to_id, total_id],
        buffers,
        work: Work::Items(edges),
    }
}

benchmark!(triangle_count, "LDG");
