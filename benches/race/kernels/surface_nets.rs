//! The vertices of surface nets: a thread for each cell of a volume averages the places where the
//! surface crosses its edges.
use super::prelude::*;

/// The corners at the ends of each edge. Bit 0 of a corner is x, bit 1 is y, bit 2 is z.
#[device]
const EDGES: [[usize; 2]; 12] = [
    [0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7],
];

#[kernel(block = (8, 8, 4))]
fn surface_nets(side: usize, level: f32, field: &[f32], vertices: &mut [F32x4]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    let z = block_idx_z() * block_dim_z() + thread_idx_z();
    if x + 1 < side && y + 1 < side && z + 1 < side {
        let mut corners = [0.0; 8];
        for (k, corner) in corners.iter_mut().enumerate() {
            let (cx, cy, cz) = (x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
            *corner = field[(cz * side + cy) * side + cx];
        }
        let mut sum = [0.0; 3];
        let mut count = 0;
        for [a, b] in EDGES {
            if (corners[a] < level) != (corners[b] < level) {
                let t = (level - corners[a]) / (corners[b] - corners[a]);
                for axis in 0..3 {
                    let from = (a >> axis & 1) as f32;
                    let to = (b >> axis & 1) as f32;
                    sum[axis] += from + (to - from) * t;
                }
                count += 1;
            }
        }
        let cells = side - 1;
        let cell = (z * cells + y) * cells + x;
        vertices[cell] = if count > 0 {
            let crossings = count as f32;
            F32x4::new(
                x as f32 + sum[0] / crossings,
                y as f32 + sum[1] / crossings,
                z as f32 + sum[2] / crossings,
                crossings,
            )
        } else {
            F32x4::ZERO
        };
    }
}

fn problem(scale: Scale) -> Problem {
    let (side, level): (usize, f32) = (scale.pick(14, 220), 1.2);
    let noise = inputs::floats(-0.5, 0.5, 1, side * side * side);
    let wave = |i: usize| {
        let [x, y, z] = [i % side, i / side % side, i / side / side].map(|k| k as f32);
        (0.21 * x).sin() + (0.17 * y).sin() + (0.13 * z).cos()
    };
    let field: Vec<f32> = noise.iter().enumerate().map(|(i, noise)| wave(i) + noise).collect();
    let cells = side - 1;
    let expected = || {
        let vertex = |cell: usize| {
            let [x, y, z] = [cell % cells, cell / cells % cells, cell / cells / cells];
            let at = |k: usize| {
                let (x, y, z) = (x + k % 2, y + k / 2 % 2, z + k / 4);
                f64::from(field[(z * side + y) * side + x]) - f64::from(level)
            };
            let (mut sum, mut count) = ([0.0; 3], 0.0);
            for axis in 0..3 {
                for low in (0..8).filter(|k| k >> axis & 1 == 0) {
                    let (from, to) = (at(low), at(low | 1 << axis));
                    if (from < 0.0) != (to < 0.0) {
                        for (k, sum) in sum.iter_mut().enumerate() {
                            let along = from / (from - to);
                            *sum += if k == axis { along } else { (low >> k & 1) as f64 };
                        }
                        count += 1.0;
                    }
                }
            }
            if count == 0.0 {
                return [0.0f32; 4];
            }
            let [dx, dy, dz] = sum.map(|sum| sum / count);
            [x as f64 + dx, y as f64 + dy, z as f64 + dz, count].map(|value| value as f32)
        };
        (0..cells * cells * cells).map(vertex).collect()
    };
    let mut buffers = Buffers::new(scale);
    let field_id = buffers.input(&field);
    let zeros = vec![[0.0f32; 4]; cells * cells * cells];
    let vertices_id = buffers.output(&zeros, Agreement::Within(1e-4), expected);
    Problem {
        grid: [cells.div_ceil(8) as u32, cells.div_ceil(8) as u32, cells.div_ceil(4) as u32],
        block: [8, 8, 4],
        rust: args![side, level, field_id, vertices_id],
        cuda: args![side as i32, level, field_id, vertices_id],
        buffers,
        work: Work::Items(cells * cells * cells),
    }
}

benchmark!(surface_nets, "LDG");
