//! The density of each particle of a fluid, from those within a radius: particles are sorted by the
//! cells of a grid.
use super::prelude::*;
use std::ops::Range;

#[device]
fn cell_of(position: [f32; 3], radius: f32, side: usize) -> [usize; 3] {
    position.map(|part| ((part / radius) as usize).min(side - 1))
}

/// Returns the cells beside and at `cell`.
#[device]
fn around(cell: usize, side: usize) -> Range<usize> {
    cell.saturating_sub(1)..(cell + 2).min(side)
}

#[kernel(block = 128)]
fn sph_density(
    radius: f32,
    mass: f32,
    side: usize,
    starts: &[u32],
    positions: &[[f32; 3]],
    densities: &mut [f32],
) {
    let i = global_idx_x();
    if i >= positions.len() {
        return;
    }
    let own = positions[i];
    let [x, y, z] = cell_of(own, radius, side);
    let mut sum = 0.0;
    for z in around(z, side) {
        for y in around(y, side) {
            for x in around(x, side) {
                let cell = (z * side + y) * side + x;
                let (start, end) = (starts[cell] as usize, starts[cell + 1] as usize);
                for other in &positions[start..end] {
                    let square: f32 =
                        own.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum();
                    let inside = radius * radius - square;
                    if inside > 0.0 {
                        sum += inside.powi(3);
                    }
                }
            }
        }
    }
    let norm = 315.0 / (64.0 * std::f32::consts::PI * radius.powi(9));
    densities[i] = mass * norm * sum;
}

fn problem(scale: Scale) -> Problem {
    let (n, side) = scale.pick((500, 4), (1 << 20, 48usize));
    let radius = 1.0 / side as f32;
    let mass = 1.0 / n as f32;
    let mut positions: Vec<[f32; 3]> =
        inputs::floats(0.0, 1.0, 1, 3 * n).as_chunks().0.to_vec();
    let place = |position: &[f32; 3]| {
        let [x, y, z] = cell_of(*position, radius, side);
        (z * side + y) * side + x
    };
    positions.sort_by_key(place);
    let mut starts = vec![0u32; side.pow(3) + 1];
    for position in &positions {
        starts[place(position) + 1] += 1;
    }
    for cell in 0..side.pow(3) {
        starts[cell + 1] += starts[cell];
    }
    let expected = || {
        let h = f64::from(radius);
        let density = |own: &[f32; 3]| {
            let from = |other: &[f32; 3]| {
                let away = |k: usize| f64::from(own[k]) - f64::from(other[k]);
                (h * h - (0..3).map(|k| away(k).powi(2)).sum::<f64>()).max(0.0).powi(3)
            };
            let sum: f64 = positions.iter().map(from).sum();
            (315.0 / (64.0 * std::f64::consts::PI * h.powi(9)) * f64::from(mass) * sum) as f32
        };
        positions.iter().map(density).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (starts_id, positions_id) = (buffers.input(&starts), buffers.input(&positions));
    let densities_id = buffers.output(&vec![0.0f32; n], Agreement::Within(1e-4), expected);
    Problem {
        grid: cover(n, 128),
        block: [128, 1, 1],
        rust: args![radius, mass, side, starts_id, positions_id, densities_id],
        cuda: args![n as i32, radius, mass, side as i32, starts_id, positions_id, densities_id],
        buffers,
        work: Work::Items(n),
    }
}

benchmark!(sph_density, "FFMA");
