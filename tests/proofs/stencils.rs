//! Stencils and volumes: products of two and three extents.
use warpwise::prelude::*;

#[kernel(requires(n * n <= x.len(), n * n <= y.len()))]
fn a_read_before_the_neighbour_is_written(n: usize, x: &[f32], y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column > 0 && column < n && row < n {
        let v = x[row * n + column];
        y[row * n + column - 1] = v;
    }
}

#[kernel(requires(n * n <= x.len(), n * n <= y.len()))]
fn the_neighbour_on_the_other_side(n: usize, x: &[f32], y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column > 0 && column < n && row < n {
        let v = x[row * n + column];
        y[row * n + column + 1] = v; //~ stays
    }
}

#[kernel(requires(rows * columns <= x.len(), x.len() <= y.len()))]
fn reads_in_a_row(rows: usize, columns: usize, x: &[f32], y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column >= 2 && column < columns && row < rows {
        let v = x[row * columns + column] + x[row * columns + column - 1];
        y[row * columns + column - 2] = v + x[row * columns + column - 2];
    }
}

#[kernel(requires(nx * ny * nz <= x.len(), nx * ny * nz <= y.len()))]
fn seven_points(nx: usize, ny: usize, nz: usize, x: &[f32], y: &mut [f32]) {
    let (i, j, k) = (global_idx_x(), global_idx_y(), global_idx_z());
    if i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k > 0 && k < nz - 1 {
        let at = (k * ny + j) * nx + i;
        let sum = x[at - 1] + x[at + 1] //~ stays
            + x[at - nx] + x[at + nx] //~ stays
            + x[at - nx * ny] + x[at + nx * ny]; //~ stays
        y[at] = sum - 6.0 * x[at]; //~ stays
    }
}

#[kernel(requires(nx * ny * nz <= x.len(), nx * ny * nz <= y.len()))]
fn seven_points_of_a_volume(nx: usize, ny: usize, nz: usize, x: &[f32], y: &mut [f32]) {
    let (i, j, k) = (global_idx_x(), global_idx_y(), global_idx_z());
    if i >= 1 && i + 1 < nx && j >= 1 && j + 1 < ny && k >= 1 && k + 1 < nz {
        let at = (k * ny + j) * nx + i;
        let sum =
            x[at - 1] + x[at + 1] + x[at - nx] + x[at + nx] + x[at - nx * ny] + x[at + nx * ny];
        y[at] = sum - 6.0 * x[at];
    }
}

#[kernel(requires(nx * ny * nz <= x.len(), nx * ny * nz <= y.len()))]
fn seven_points_row_major(nx: usize, ny: usize, nz: usize, x: &[f32], y: &mut [f32]) {
    let (i, j, k) = (global_idx_x(), global_idx_y(), global_idx_z());
    if i > 0 && i + 1 < nx && j > 0 && j + 1 < ny && k > 0 && k + 1 < nz {
        let at = k * nx * ny + j * nx + i;
        let sum =
            x[at - 1] + x[at + 1] + x[at - nx] + x[at + nx] + x[at - nx * ny] + x[at + nx * ny];
        y[at] = sum - 6.0 * x[at];
    }
}

#[kernel(requires(nx >= 1, ny >= 1, nz >= 1, nx * ny * nz <= x.len(), nx * ny * nz <= y.len()))]
fn seven_points_less_one(nx: usize, ny: usize, nz: usize, x: &[f32], y: &mut [f32]) {
    let (i, j, k) = (global_idx_x(), global_idx_y(), global_idx_z());
    if i == 0 || j == 0 || k == 0 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1 {
        return;
    }
    let plane = nx * ny;
    let at = k * plane + j * nx + i;
    let sum = x[at - 1] + x[at + 1] + x[at - nx] + x[at + nx] + x[at - plane] + x[at + plane];
    y[at] = sum - 6.0 * x[at];
}

#[kernel(requires(nx * ny * nz <= x.len(), nx * ny * nz <= y.len()))]
fn seven_points_by_subscripts(nx: usize, ny: usize, nz: usize, x: &[f32], y: &mut [f32]) {
    let (i, j, k) = (global_idx_x(), global_idx_y(), global_idx_z());
    if i > 0 && i + 1 < nx && j > 0 && j + 1 < ny && k > 0 && k + 1 < nz {
        let sum = x[(k * ny + j) * nx + i - 1]
            + x[(k * ny + j) * nx + (i + 1)]
            + x[(k * ny + (j - 1)) * nx + i]
            + x[(k * ny + j + 1) * nx + i]
            + x[((k - 1) * ny + j) * nx + i]
            + x[((k + 1) * ny + j) * nx + i];
        y[(k * ny + j) * nx + i] = sum - 6.0 * x[k * ny * nx + j * nx + i];
    }
}

#[kernel(requires(nx * ny * nz <= x.len(), nx * ny * nz <= y.len()))]
fn eight_points_one_too_far(nx: usize, ny: usize, nz: usize, x: &[f32], y: &mut [f32]) {
    let (i, j, k) = (global_idx_x(), global_idx_y(), global_idx_z());
    if i > 0 && i + 1 < nx && j > 0 && j + 1 < ny && k > 0 && k < nz {
        let at = (k * ny + j) * nx + i;
        y[at] = x[at - 1] + x[at + 1] + x[at - nx] + x[at + nx] + x[at - nx * ny] + x[at + nx * ny]; //~ stays
    }
}

#[kernel(requires(nx * ny <= x.len(), nx * ny * nz <= y.len()))]
fn a_volume_that_is_only_a_plane(nx: usize, ny: usize, nz: usize, x: &[f32], y: &mut [f32]) {
    let (i, j, k) = (global_idx_x(), global_idx_y(), global_idx_z());
    if i < nx && j < ny && k < nz {
        y[(k * ny + j) * nx + i] = x[(k * ny + j) * nx + i]; //~ stays
    }
}

#[kernel(requires((nx as usize) * (ny as usize) * (nz as usize) <= x.len(), x.len() <= y.len()))]
fn extents_of_32_bits(nx: u32, ny: u32, nz: u32, x: &[f32], y: &mut [f32]) {
    let (nx, ny, nz) = (nx as usize, ny as usize, nz as usize);
    let (i, j, k) = (global_idx_x(), global_idx_y(), global_idx_z());
    if i < nx && j < ny && k < nz {
        y[(k * ny + j) * nx + i] = x[k * nx * ny + j * nx + i];
    }
}

#[kernel(requires(nx as usize * ny as usize * nz as usize <= x.len(), x.len() <= y.len()))]
fn threads_of_32_bits(nx: u32, ny: u32, nz: u32, x: &[f32], y: &mut [f32]) {
    let (i, j, k) = (global_idx_x() as u32, global_idx_y() as u32, global_idx_z() as u32);
    if i >= nx || j >= ny || k >= nz {
        return;
    }
    let at = (k as usize * ny as usize + j as usize) * nx as usize + i as usize;
    y[at] = x[at];
}

#[kernel(requires((nx * ny * nz) as usize <= x.len()))]
fn a_product_that_wraps(nx: u32, ny: u32, nz: u32, x: &mut [f32]) {
    let (i, j, k) = (global_idx_x() as u32, global_idx_y() as u32, global_idx_z() as u32);
    if i < nx && j < ny && k < nz {
        // The launcher refuses a product that overflows.
        x[((k * ny + j) * nx + i) as usize] = 1.0;
    }
}

#[kernel(requires(w * h <= x.len(), w * h <= y.len()))]
fn five_points(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    let (c, r) = (global_idx_x(), global_idx_y());
    if c > 0 && r > 0 && c + 1 < w && r + 1 < h {
        let at = r * w + c;
        y[at] = x[at] + x[at - 1] + x[at + 1] + x[at - w] + x[at + w];
    }
}

#[kernel(requires(w * h <= x.len(), w * h <= y.len()))]
fn five_points_of_what_has_an_inside(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    let (c, r) = (global_idx_x(), global_idx_y());
    if w > 2 && h > 2 && r > 0 && c > 0 && r < h - 1 && c < w - 1 {
        let at = r * w + c;
        y[at] = 0.25 * (x[at - 1] + x[at + 1] + x[at - w] + x[at + w]) - x[at];
    }
}

#[kernel(requires(w * h <= x.len(), w * h <= y.len()))]
fn five_points_with_the_extents_last(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    let (c, r) = (global_idx_x(), global_idx_y());
    if r > 0 && c > 0 && r < h - 1 && c < w - 1 && w > 0 && h > 0 {
        let at = r * w + c;
        y[at] = 0.25 * (x[at - 1] + x[at + 1] + x[at - w] + x[at + w]) - x[at];
    }
}

#[kernel(requires(w >= 1, h >= 1, w * h <= x.len(), w * h <= y.len()))]
fn five_points_by_subscripts(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    let c = block_idx_x() * block_dim_x() + thread_idx_x();
    let r = block_idx_y() * block_dim_y() + thread_idx_y();
    if c > 0 && c < w - 1 && r > 0 && r < h - 1 {
        let here = x[r * w + c];
        let up = x[(r - 1) * w + c];
        let down = x[(r + 1) * w + c];
        let left = x[r * w + c - 1];
        let right = x[r * w + c + 1];
        y[r * w + c] = 0.25 * (up + down + left + right) - here;
    }
}

#[kernel(requires(w * h == x.len(), y.len() == x.len()))]
fn clamped_at_the_edges(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    let (c, r) = (global_idx_x(), global_idx_y());
    if c >= w || r >= h {
        return;
    }
    let left = if c == 0 { 0 } else { c - 1 };
    let right = (c + 1).min(w - 1);
    let up = r.saturating_sub(1);
    let down = if r + 1 < h { r + 1 } else { h - 1 };
    y[r * w + c] = x[r * w + left] + x[r * w + right] + x[up * w + c] + x[down * w + c];
}

#[kernel(requires(w * h == x.len(), y.len() == x.len()))]
fn periodic(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    let (c, r) = (global_idx_x(), global_idx_y());
    if c >= w || r >= h {
        return;
    }
    let left = (c + w - 1) % w;
    let right = (c + 1) % w;
    let up = (r + h - 1) % h;
    let down = if r + 1 == h { 0 } else { r + 1 };
    y[r * w + c] = x[r * w + left] + x[r * w + right] + x[up * w + c] + x[down * w + c];
}

#[kernel(requires(w as usize * h as usize <= x.len(), w as usize * h as usize <= y.len()))]
fn signed_columns(w: i32, h: i32, x: &[f32], y: &mut [f32]) {
    let (c, r) = (global_idx_x() as i32, global_idx_y() as i32);
    if c < w && r < h {
        let at = (r as usize) * (w as usize) + c as usize;
        y[at] = x[at];
    }
}

#[kernel(requires(nx * ny * nz <= x.len(), nx * ny * nz <= y.len()))]
fn a_column_of_planes(nx: usize, ny: usize, nz: usize, x: &[f32], y: &mut [f32]) {
    let (i, j) = (global_idx_x(), global_idx_y());
    if i < nx && j < ny {
        for k in 0..nz {
            let at = (k * ny + j) * nx + i;
            y[at] = x[at];
        }
    }
}

#[kernel(requires(nz >= 1, nx * ny * nz <= x.len(), nx * ny * nz <= y.len()))]
fn a_column_of_planes_by_steps(nx: usize, ny: usize, nz: usize, x: &[f32], y: &mut [f32]) {
    let (i, j) = (global_idx_x(), global_idx_y());
    if i < nx && j < ny {
        let mut k = 1;
        while k < nz - 1 {
            let at = k * nx * ny + j * nx + i;
            y[at] = x[at] - x[at - nx * ny] - x[at + nx * ny];
            k += 1;
        }
    }
}

#[kernel(requires(nx * ny * nz <= x.len()))]
fn one_plane_too_many(nx: usize, ny: usize, nz: usize, x: &mut [f32]) {
    let (i, j) = (global_idx_x(), global_idx_y());
    if i < nx && j < ny {
        for k in 0..=nz {
            x[(k * ny + j) * nx + i] = 1.0; //~ stays
        }
    }
}

#[kernel(requires(a * b * c * d <= x.len()))]
fn four_extents(a: usize, b: usize, c: usize, d: usize, x: &mut [f32]) {
    let (i, j, k) = (global_idx_x(), global_idx_y(), global_idx_z());
    if i < d && j < c && k < b {
        for l in 0..a {
            x[((l * b + k) * c + j) * d + i] = 0.0;
        }
    }
}

#[kernel(requires(n * n * n <= x.len()))]
fn a_cube(n: usize, x: &mut [f32]) {
    let (i, j, k) = (global_idx_x(), global_idx_y(), global_idx_z());
    if i < n && j < n && k < n {
        x[i * n * n + j * n + k] = 1.0;
        x[k * n * n + j * n + i] += 1.0;
        x[i + n * (j + n * k)] += 1.0;
    }
}

#[kernel(requires(n * n * n <= x.len()))]
fn a_cube_with_swapped_strides(n: usize, m: usize, x: &mut [f32]) {
    let (i, j, k) = (global_idx_x(), global_idx_y(), global_idx_z());
    if i < n && j < m && k < n {
        x[i * n * n + j * n + k] = 1.0; //~ stays
    }
}

crate::kernels![
    a_read_before_the_neighbour_is_written,
    the_neighbour_on_the_other_side,
    reads_in_a_row,
    seven_points,
    seven_points_of_a_volume,
    seven_points_row_major,
    seven_points_less_one,
    seven_points_by_subscripts,
    eight_points_one_too_far,
    a_volume_that_is_only_a_plane,
    extents_of_32_bits,
    threads_of_32_bits,
    a_product_that_wraps,
    five_points,
    five_points_of_what_has_an_inside,
    five_points_with_the_extents_last,
    five_points_by_subscripts,
    clamped_at_the_edges,
    periodic,
    signed_columns,
    a_column_of_planes,
    a_column_of_planes_by_steps,
    one_plane_too_many,
    four_extents,
    a_cube,
    a_cube_with_swapped_strides,
];
