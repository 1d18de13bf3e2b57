//! A step of the lattice Boltzmann method on a periodic plane, nine directions, each in an array of
//! its own.
use super::prelude::*;

#[device]
const DX: [i32; 9] = [0, 1, 0, -1, 0, 1, -1, -1, 1];
#[device]
const DY: [i32; 9] = [0, 0, 1, 0, -1, 1, 1, -1, -1];
#[device]
const WEIGHT: [f32; 9] = [
    4.0 / 9.0,
    1.0 / 9.0,
    1.0 / 9.0,
    1.0 / 9.0,
    1.0 / 9.0,
    1.0 / 36.0,
    1.0 / 36.0,
    1.0 / 36.0,
    1.0 / 36.0,
];

/// Returns the densities after a collision.
#[device]
fn collide(omega: f32, f: [f32; 9]) -> [f32; 9] {
    let (mut density, mut ux, mut uy) = (0.0, 0.0, 0.0);
    for k in 0..9 {
        density += f[k];
        ux += DX[k] as f32 * f[k];
        uy += DY[k] as f32 * f[k];
    }
    ux /= density;
    uy /= density;
    let square = 1.5 * (ux * ux + uy * uy);
    let mut after = [0.0; 9];
    for k in 0..9 {
        let along = 3.0 * (DX[k] as f32 * ux + DY[k] as f32 * uy);
        let equilibrium = WEIGHT[k] * density * (1.0 + along + 0.5 * along * along - square);
        after[k] = f[k] + omega * (equilibrium - f[k]);
    }
    after
}

#[kernel(block = (32, 8))]
fn lattice_boltzmann(width: usize, height: usize, omega: f32, from: &[f32], to: &mut [f32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < width && y < height {
        let cells = width * height;
        let mut f = [0.0; 9];
        for k in 0..9 {
            let from_x = (x as i32 - DX[k] + width as i32) as usize % width;
            let from_y = (y as i32 - DY[k] + height as i32) as usize % height;
            f[k] = from[k * cells + from_y * width + from_x];
        }
        let after = collide(omega, f);
        for k in 0..9 {
            to[k * cells + y * width + x] = after[k];
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let (width, height) = (scale.pick(40, 4096), scale.pick(20, 2048));
    let (cells, omega) = (width * height, 0.7f32);
    let from = inputs::floats(0.05, 0.15, 1, 9 * cells);
    let expected = || {
        let mut to = vec![0.0; 9 * cells];
        for cell in 0..cells {
            let wrapped = |at: usize, by: i32, size: usize| {
                (at as i32 - by).rem_euclid(size as i32) as usize
            };
            let f = std::array::from_fn(|k| {
                let x = wrapped(cell % width, DX[k], width);
                from[k * cells + wrapped(cell / width, DY[k], height) * width + x]
            });
            for (k, density) in collide(omega, f).into_iter().enumerate() {
                to[k * cells + cell] = density;
            }
        }
        to
    };
    let mut buffers = Buffers::new(scale);
    let from_id = buffers.input(&from);
    let to_id = buffers.output(&vec![0.0; 9 * cells], Agreement::Within(1e-4), expected);
    Problem {
        grid: [width.div_ceil(32) as u32, height.div_ceil(8) as u32, 1],
        block: [32, 8, 1],
        rust: args![width, height, omega, from_id, to_id],
        cuda: args![width as i32, height as i32, omega, from_id, to_id],
        buffers,
        work: Work::Bytes(72 * cells),
    }
}

benchmark!(lattice_boltzmann, "LDG");
