//! A damped Jacobi step for Poisson's equation in three dimensions, in double precision, and the
//! sum of the squares of the residuals of each block.
use super::prelude::*;

#[kernel(block = (32, 4, 2))]
fn jacobi_residual(
    width: usize,
    height: usize,
    depth: usize,
    u: &[f64],
    source: &[f64],
    next: &mut [f64],
    sums: &mut [f64],
) {
    let (x, y) = (global_idx_x(), global_idx_y());
    let z = block_idx_z() * block_dim_z() + thread_idx_z();
    let mut residual = 0.0;
    if x < width && y < height && z < depth {
        let layer = width * height;
        let i = z * layer + y * width + x;
        let own = u[i];
        let is_inner =
            x > 0 && x + 1 < width && y > 0 && y + 1 < height && z > 0 && z + 1 < depth;
        if is_inner {
            let around = u[i - 1] + u[i + 1] + u[i - width] + u[i + width] + u[i - layer] + u[i + layer];
            residual = source[i] - (6.0 * own - around);
        }
        next[i] = own + 0.8 / 6.0 * residual;
    }
    let sum = block::reduce_add(residual * residual);
    if block::thread_rank() == 0 {
        let row = block_idx_z() * grid_dim_y() + block_idx_y();
        sums[row * grid_dim_x() + block_idx_x()] = sum;
    }
}

fn problem(scale: Scale) -> Problem {
    let (width, height): (usize, usize) = (scale.pick(37, 300), scale.pick(9, 256));
    let depth: usize = scale.pick(5, 200);
    let n = width * height * depth;
    let grid = [width.div_ceil(32), height.div_ceil(4), depth.div_ceil(2)];
    let doubles = |seed| -> Vec<f64> {
        inputs::floats(-1.0, 1.0, seed, n).into_iter().map(f64::from).collect()
    };
    let (u, source) = (doubles(1), doubles(2));
    let residual = |x: usize, y: usize, z: usize| {
        let inner = |at: usize, size: usize| at > 0 && at + 1 < size;
        if !(inner(x, width) && inner(y, height) && inner(z, depth)) {
            return 0.0;
        }
        let at = |dx: usize, dy: usize, dz: usize| {
            u[((z + dz - 1) * height + y + dy - 1) * width + x + dx - 1]
        };
        let around =
            at(0, 1, 1) + at(2, 1, 1) + at(1, 0, 1) + at(1, 2, 1) + at(1, 1, 0) + at(1, 1, 2);
        source[(z * height + y) * width + x] + around - 6.0 * at(1, 1, 1)
    };
    let place = |i: usize| (i % width, i / width % height, i / width / height);
    let mut buffers = Buffers::new(scale);
    let (u_id, source_id) = (buffers.input(&u), buffers.input(&source));
    let next_id = buffers.output(&vec![0.0f64; n], Agreement::Within(1e-12), || {
        let stepped = |i: usize| {
            let (x, y, z) = place(i);
            u[i] + 0.8 / 6.0 * residual(x, y, z)
        };
        (0..n).map(stepped).collect()
    });
    let blocks = grid.iter().product();
    let sums_id = buffers.output(&vec![0.0f64; blocks], Agreement::Within(1e-10), || {
        let mut sums = vec![0.0; blocks];
        for i in 0..n {
            let (x, y, z) = place(i);
            let block = (z / 2 * grid[1] + y / 4) * grid[0] + x / 32;
            sums[block] += residual(x, y, z).powi(2);
        }
        sums
    });
    let all = args![u_id, source_id, next_id, sums_id];
    let mut rust = args![width, height, depth];
    let mut cuda = args![width as i32, height as i32, depth as i32];
    rust.extend(&all);
    cuda.extend(&all);
    Problem {
        grid: grid.map(|blocks| blocks as u32),
        block: [32, 4, 2],
        rust,
        cuda,
        buffers,
        work: Work::Bytes(24 * n),
    }
}

benchmark!(jacobi_residual, "LDG");
