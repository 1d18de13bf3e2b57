//! Breadth-first search: distances from one vertex of a graph. A step takes the frontier, the
//! vertices found by the step before, and whoever is first to reach a vertex puts it on the next.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

const UNSEEN: u32 = u32::MAX;

/// The neighbours of vertex `v` are `edges[starts[v]..starts[v + 1]]`. The frontier is the first
/// `count` elements of `frontier`.
#[kernel]
fn step(
    count: usize,
    distance: u32,
    starts: &[u32],
    edges: &[u32],
    frontier: &[u32],
    distances: &[AtomicU32],
    next: &mut [u32],
    next_count: &[AtomicU32],
) {
    let i = global_idx_x();
    if i >= count {
        return;
    }
    let vertex = frontier[i] as usize;
    for edge in starts[vertex]..starts[vertex + 1] {
        let to = edges[edge as usize];
        let seen = distances[to as usize].compare_exchange(
            u32::MAX,
            distance,
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
        if seen.is_ok() {
            #[allow(gpu_contended_atomics)] // Few edges lead to somewhere new.
            let place = next_count[0].fetch_add(1, Ordering::Relaxed);
            next[place as usize] = to;
        }
    }
}

/// A graph as lists of neighbours, one behind the other.
struct Graph {
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl Graph {
    /// Vertices in rings of 1000, with edges to the ring's next ones and some shortcuts.
    fn sample(vertices: u32) -> Self {
        let mut graph = Self { starts: vec![0], edges: Vec::new() };
        for v in 0..vertices {
            graph.edges.push(v / 1000 * 1000 + (v + 1) % 1000);
            let shortcuts = (0..v % 7).map(|k| (v + k).wrapping_mul(2_654_435_761) % vertices);
            graph.edges.extend(shortcuts);
            graph.starts.push(graph.edges.len() as u32);
        }
        graph
    }

    /// Distances by a queue.
    fn distances(&self, from: u32) -> Vec<u32> {
        let mut distances = vec![UNSEEN; self.starts.len() - 1];
        distances[from as usize] = 0;
        let mut queue = std::collections::VecDeque::from([from as usize]);
        while let Some(v) = queue.pop_front() {
            for &to in &self.edges[self.starts[v] as usize..self.starts[v + 1] as usize] {
                if distances[to as usize] == UNSEEN {
                    distances[to as usize] = distances[v] + 1;
                    queue.push_back(to as usize);
                }
            }
        }
        distances
    }
}

fn main() -> warpwise::Result<()> {
    let vertices = 200_000;
    let graph = Graph::sample(vertices);
    let mut initial = vec![UNSEEN; vertices as usize];
    initial[0] = 0;

    let device = Device::auto()?;
    let starts = device.upload(&graph.starts)?;
    let edges = device.upload(&graph.edges)?;
    let mut distances = device.upload(&initial)?;
    let mut frontier = device.zeros::<u32>(initial.len())?;
    let mut next = device.zeros::<u32>(initial.len())?;
    let mut steps = 0;
    let took = time(&device, || {
        // The frontier is vertex 0.
        let mut count = 1;
        while count > 0 {
            steps += 1;
            let mut next_count = device.zeros::<u32>(1)?;
            let config = LaunchConfig::cover(count);
            step::launch(
                &device,
                config,
                count,
                steps,
                &starts,
                &edges,
                &frontier,
                &mut distances,
                &mut next,
                &mut next_count,
            )?;
            count = next_count.get(0)? as usize;
            std::mem::swap(&mut frontier, &mut next);
        }
        Ok(())
    })?;

    verify(&distances.to_vec()?, graph.distances(0));
    let size = format_args!("{vertices} vertices, {} edges, {steps} steps", graph.edges.len());
    report("bfs", size, &device, took);
    Ok(())
}
