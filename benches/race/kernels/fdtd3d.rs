//! A step of finite differences in time and space, of radius 4: a block walks through the volume
//! along z, with the plane in shared memory and the values before and behind it in registers.
use super::prelude::*;

#[kernel(block = (32, 8))]
fn fdtd3d(depth: usize, coefficients: &[f32], input: &[f32], out: &mut [f32]) {
    let tile = shared!([[f32; 40]; 16]);
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    // Four cells of padding are around the volume.
    let width = grid_dim_x() * 32 + 8;
    let height = grid_dim_y() * 8 + 8;
    let plane = width * height;
    let corner = block_idx_y() * 8 * width + block_idx_x() * 32;
    let place = corner + (ty + 4) * width + tx + 4;
    let mut behind = [0.0; 4];
    let mut ahead = [0.0; 4];
    for k in 0..4 {
        behind[k] = input[(3 - k) * plane + place];
        ahead[k] = input[(k + 5) * plane + place];
    }
    let mut current = input[4 * plane + place];
    for z in 0..depth {
        let at = (z + 4) * plane;
        tile[ty + 4][tx + 4] = current;
        if ty < 4 {
            tile[ty][tx + 4] = input[at + corner + ty * width + tx + 4];
            tile[ty + 12][tx + 4] = input[at + corner + (ty + 12) * width + tx + 4];
        }
        if tx < 4 {
            tile[ty + 4][tx] = input[at + corner + (ty + 4) * width + tx];
            tile[ty + 4][tx + 36] = input[at + corner + (ty + 4) * width + tx + 36];
        }
        sync_threads();
        let mut value = coefficients[0] * current;
        for k in 1..5 {
            let across = tile[ty + 4][tx + 4 - k] + tile[ty + 4][tx + 4 + k];
            let down = tile[ty + 4 - k][tx + 4] + tile[ty + 4 + k][tx + 4];
            value += coefficients[k] * (behind[k - 1] + ahead[k - 1] + across + down);
        }
        out[at + place] = value;
        sync_threads();
        for k in (1..4).rev() {
            behind[k] = behind[k - 1];
        }
        behind[0] = current;
        current = ahead[0];
        for k in 0..3 {
            ahead[k] = ahead[k + 1];
        }
        if z + 1 < depth {
            ahead[3] = input[at + 5 * plane + place];
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let [across, down, depth] = scale.pick([2, 3, 5], [12, 48, 256]);
    let (width, height) = (32 * across + 8, 8 * down + 8);
    let plane = width * height;
    let n = plane * (depth + 8);
    let (coefficients, input) = (inputs::floats(0.0, 0.2, 1, 5), inputs::floats(-1.0, 1.0, 2, n));
    let expected = || {
        let mut out = vec![0.0; n];
        for (i, out) in out.iter_mut().enumerate() {
            let (x, y, z) = (i % width, i / width % height, i / plane);
            let is_inside = (4..width - 4).contains(&x)
                && (4..height - 4).contains(&y)
                && (4..depth + 4).contains(&z);
            if is_inside {
                let mut sum = f64::from(coefficients[0]) * f64::from(input[i]);
                for k in 1..5 {
                    for step in [1, width, plane] {
                        let both = f64::from(input[i - k * step]) + f64::from(input[i + k * step]);
                        sum += f64::from(coefficients[k]) * both;
                    }
                }
                *out = sum as f32;
            }
        }
        out
    };
    let mut buffers = Buffers::new(scale);
    let (coefficients_id, input_id) = (buffers.input(&coefficients), buffers.input(&input));
    let out_id = buffers.output(&vec![0.0f32; n], Agreement::Within(1e-4), expected);
    Problem {
        grid: [across as u32, down as u32, 1],
        block: [32, 8, 1],
        rust: args![depth, coefficients_id, input_id, out_id],
        cuda: args![depth as i32, coefficients_id, input_id, out_id],
        buffers,
        work: Work::Bytes(8 * 256 * across * down * depth),
    }
}

benchmark!(fdtd3d, "FFMA");
