//! Rodinia's lavaMD: forces between the 100 particles of a box and those of the boxes around it, a
//! block for each box.
use super::prelude::*;

#[kernel(block = 128)]
fn lavamd(alpha: f32, particles: &[F32x4], out: &mut [F32x4]) {
    let others = shared!([F32x4; 100]);
    let t = thread_idx_x();
    let (box_x, box_y, box_z) = (block_idx_x(), block_idx_y(), block_idx_z());
    let (across, down, deep) = (grid_dim_x(), grid_dim_y(), grid_dim_z());
    let first = ((box_z * down + box_y) * across + box_x) * 100;
    let mut own = F32x4::ZERO;
    if t < 100 {
        own = particles[first + t];
    }
    let (mut potential, mut fx, mut fy, mut fz) = (0.0, 0.0, 0.0, 0.0);
    for z in box_z.saturating_sub(1)..(box_z + 2).min(deep) {
        for y in box_y.saturating_sub(1)..(box_y + 2).min(down) {
            for x in box_x.saturating_sub(1)..(box_x + 2).min(across) {
                let start = ((z * down + y) * across + x) * 100;
                sync_threads();
                if t < 100 {
                    others[t] = particles[start + t];
                }
                sync_threads();
                if t < 100 {
                    for k in 0..100 {
                        let other = others[k];
                        let (dx, dy, dz) = (own.x - other.x, own.y - other.y, own.z - other.z);
                        let weight = other.w * (-alpha * (dx * dx + dy * dy + dz * dz)).exp();
                        potential += weight;
                        fx += 2.0 * weight * dx;
                        fy += 2.0 * weight * dy;
                        fz += 2.0 * weight * dz;
                    }
                }
            }
        }
    }
    if t < 100 {
        out[first + t] = F32x4::new(potential, fx, fy, fz);
    }
}

fn problem(scale: Scale) -> Problem {
    let [across, down, deep] = scale.pick([2, 2, 1], [16, 16, 15]);
    let boxes = across * down * deep;
    let alpha = 0.5f32;
    let mut particles: Vec<[f32; 4]> =
        inputs::floats(0.0, 1.0, 1, 400 * boxes).as_chunks().0.to_vec();
    let corner = |b: usize| [b % across, b / across % down, b / across / down];
    for (i, particle) in particles.iter_mut().enumerate() {
        for (part, at) in particle.iter_mut().zip(corner(i / 100)) {
            *part += at as f32;
        }
    }
    let expected = || {
        let sum = |i: usize| {
            let home = corner(i / 100);
            let mut sums = [0.0; 4];
            for (j, other) in particles.iter().enumerate() {
                if home.iter().zip(corner(j / 100)).all(|(a, b)| a.abs_diff(b) < 2) {
                    let away: [f64; 3] =
                        std::array::from_fn(|k| f64::from(particles[i][k]) - f64::from(other[k]));
                    let square: f64 = away.iter().map(|away| away * away).sum();
                    let weight = f64::from(other[3]) * (-f64::from(alpha) * square).exp();
                    sums[0] += weight;
                    for k in 0..3 {
                        sums[k + 1] += 2.0 * weight * away[k];
                    }
                }
            }
            sums.map(|sum| sum as f32)
        };
        (0..particles.len()).map(sum).collect()
    };
    let mut buffers = Buffers::new(scale);
    let particles_id = buffers.input(&particles);
    let zeros = vec![[0.0f32; 4]; particles.len()];
    let out_id = buffers.output(&zeros, Agreement::Within(1e-4), expected);
    Problem {
        grid: [across as u32, down as u32, deep as u32],
        block: [128, 1, 1],
        rust: args![alpha, particles_id, out_id],
        cuda: args![alpha, particles_id, out_id],
        buffers,
        work: Work::Items(27 * 100 * 100 * boxes),
    }
}

benchmark!(lavamd, "FFMA");
