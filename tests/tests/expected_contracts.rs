//! The contracts that launches of natural kernels are expected to fulfil, and the checks that are
//! left in the code that relies on them.
use warpwise::{__private::Source, prelude::*};
use warpwise_compiler::{
    analysis::checks,
    compile::{self, CompileError},
    ir::Kernel,
    small_sizes::Sizes,
};

/// Asserts that the contract of a kernel has these conditions, and if all its checks are dropped.
#[track_caller]
fn assert_contract(source: &Source, expected: &[&str], drops_all: bool) {
    let kernel: Kernel = source.ir.parse().expect("the macro writes IR");
    let bound = compile::bind(&kernel, &[]).expect("it is closed").into_owned();
    let code = compile::compile(bound, Sizes::Small, Ok::<_, CompileError>).expect("it compiles");
    let (found, launched) = match &code.assumed {
        Some((contract, assumed)) => (contract.spell(&kernel), assumed),
        None => (Vec::new(), &code.plain),
    };
    assert_eq!(found, expected, "{}", source.name);
    assert_eq!(!checks::has_checks(launched), drops_all, "{}:\n{launched}", source.name);
}

#[kernel]
fn scale(n: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < n {
        y[i] = 2.0 * x[i];
    }
}

#[kernel]
fn add(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] += x[i];
    }
}

#[kernel(block = 64)]
fn unguarded(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    y[i] = x[i];
}

#[test]
fn vectors_have_the_elements_of_the_guard_or_the_grid() {
    let each_has_n = ["x.len() >= n", "y.len() >= n"];
    assert_contract(scale::__WARPWISE_SOURCE, &each_has_n, true);
    assert_contract(add::__WARPWISE_SOURCE, &["x.len() >= y.len()"], true);
    let grid = ["x.len() >= 64 * grid_dim_x()", "y.len() >= 64 * grid_dim_x()"];
    assert_contract(unguarded::__WARPWISE_SOURCE, &grid, true);
}

#[kernel(block = (32, 8))]
fn blur(width: usize, height: usize, image: &[f32], out: &mut [f32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < width && y < height {
        let (left, right) = (x.saturating_sub(1), (x + 1).min(width - 1));
        let (above, below) = (y.saturating_sub(1), (y + 1).min(height - 1));
        out[y * width + x] = image[y * width + left]
            + image[y * width + right]
            + image[above * width + x]
            + image[below * width + x];
    }
}

#[kernel(block = (32, 8))]
fn torus(width: usize, height: usize, cells: &[f32], out: &mut [f32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < width && y < height {
        let left = (x as i32 - 1 + width as i32) as usize % width;
        let below = (y + 1) % height;
        out[y * width + x] = cells[y * width + left] + cells[below * width + x];
    }
}

#[kernel(block = (32, 8))]
fn border(width: usize, height: usize, image: &[f32], out: &mut [f32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < width && y < height {
        let mut sum = 0.0;
        for dy in 0..3 {
            for dx in 0..3 {
                let (row, column) = (y + dy, x + dx);
                if row >= 1 && row - 1 < height && column >= 1 && column - 1 < width {
                    sum += image[(row - 1) * width + column - 1];
                }
            }
        }
        out[y * width + x] = sum;
    }
}

/// The sizes may have any signed type.
#[kernel(block = (32, 8))]
fn signed(width: i32, height: i32, image: &[f32], out: &mut [f32]) {
    let (x, y) = (global_idx_x() as i32, global_idx_y() as i32);
    if x < width && y < height {
        let i = (y * width + x) as usize;
        out[i] = image[i];
    }
}

#[test]
fn images_have_their_width_times_their_height() {
    let both = ["image.len() >= width * height", "out.len() >= width * height"];
    assert_contract(blur::__WARPWISE_SOURCE, &both, true);
    let cells = ["cells.len() >= width * height", "out.len() >= width * height"];
    assert_contract(torus::__WARPWISE_SOURCE, &cells, true);
    assert_contract(border::__WARPWISE_SOURCE, &both, true);
    // The product may wrap at 32 bits.
    assert_contract(signed::__WARPWISE_SOURCE, &[], false);
}

#[kernel(block = 128)]
fn row_sums(columns: usize, x: &[f32], sums: &mut [f32]) {
    let row = block_idx_x();
    let mut sum = 0.0;
    for c in (thread_idx_x()..columns).step_by(128) {
        sum += x[row * columns + c];
    }
    let sum = block::reduce_add(sum);
    if thread_idx_x() == 0 {
        sums[row] = sum;
    }
}

#[kernel(block = (16, 16))]
fn matmul(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (tile_a, tile_b) = (shared!([[f32; 16]; 16]), shared!([[f32; 17]; 16]));
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (column, row) = (global_idx_x(), global_idx_y());
    let mut sum = 0.0;
    for first in (0..n).step_by(16) {
        tile_a[ty][tx] = a[row * n + first + tx];
        tile_b[ty][tx] = b[(first + ty) * n + column];
        sync_threads();
        for k in 0..16 {
            sum += tile_a[ty][k] * tile_b[k][tx];
        }
        sync_threads();
    }
    c[row * n + column] = sum;
}

#[test]
fn loops_reach_their_ends() {
    let rows = ["x.len() >= columns * grid_dim_x()", "sums.len() >= grid_dim_x()"];
    assert_contract(row_sums::__WARPWISE_SOURCE, &rows, true);
    // Without whole tiles the last one would be beyond the matrix.
    let tiles = [
        "a.len() >= 16 * n * grid_dim_y()",
        "n % 16 == 0",
        "n + b.len() >= n * n + 16 * grid_dim_x()",
        "n + c.len() >= 16 * n * grid_dim_y() + 16 * grid_dim_x()",
    ];
    assert_contract(matmul::__WARPWISE_SOURCE, &tiles, true);
}

#[kernel]
fn substitute(table: &[u8], text: &mut [u8]) {
    let i = global_idx_x();
    if i < text.len() {
        text[i] = table[text[i] as usize];
    }
}

#[kernel]
fn weigh(classes: &[u8], weights: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = weights[2 * classes[i] as usize];
    }
}

#[kernel]
fn gather(from: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = x[from[i] as usize];
    }
}

#[test]
fn numbers_from_memory_are_no_sizes() {
    assert_contract(substitute::__WARPWISE_SOURCE, &["table.len() >= 256"], true);
    assert_contract(weigh::__WARPWISE_SOURCE, &["classes.len() >= y.len()"], false);
    assert_contract(gather::__WARPWISE_SOURCE, &["from.len() >= y.len()"], false);
}

#[kernel]
fn proved(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i];
    }
}

#[kernel(requires(x.len() >= y.len()))]
fn required(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = x[i];
    }
}

#[kernel(wide_index)]
fn wide(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = x[i];
    }
}

#[test]
fn kernels_without_a_check_to_drop_have_no_contract() {
    assert_contract(proved::__WARPWISE_SOURCE, &[], true);
    assert_contract(required::__WARPWISE_SOURCE, &[], true);
    // It has one code for launches of all sizes.
    assert_contract(wide::__WARPWISE_SOURCE, &[], false);
}

#[kernel(block = (32, 8))]
fn halve(width: usize, height: usize, image: &[f32], out: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column >= width / 2 || row >= height / 2 {
        return;
    }
    let mut sum = 0.0;
    for y in 2 * row..2 * row + 2 {
        for x in 2 * column..2 * column + 2 {
            sum += image[y * width + x];
        }
    }
    out[row * (width / 2) + column] = 0.25 * sum;
}

#[test]
fn images_of_half_size_are_bounded_by_quotients() {
    let quotients = [
        "width + image.len() >= 2 * width * (height / 2) + 2 * (width / 2)",
        "out.len() >= width / 2 * (height / 2)",
    ];
    assert_contract(halve::__WARPWISE_SOURCE, &quotients, true);
}

#[kernel(block = 64)]
fn nearest(n: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] += ((x[i] * n as f32) as usize).min(n - 1) as f32;
    }
}

#[test]
fn what_is_subtracted_from_a_size_is_at_most_that() {
    let conditions = ["x.len() >= y.len()", "n >= 1"];
    assert_contract(nearest::__WARPWISE_SOURCE, &conditions, true);
}
