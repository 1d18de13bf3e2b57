//! What neighbouring lanes ask of global memory: strides, structs, alignment.
use warpwise::{F32x3, F32x4, prelude::*};

/// Three numbers, one after the other in memory.
#[device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
    z: f32,
}

/// As many bytes as half a sector.
#[device]
#[derive(Clone, Copy)]
struct Body {
    position: F32x3,
    mass: f32,
}

/// A whole cache line.
#[device]
#[derive(Clone, Copy)]
struct Cell {
    density: f32,
    velocity: [f32; 3],
    flux: [f32; 27],
    kind: u32,
}

#[kernel(block = 256)]
fn contiguous(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i];
    }
}

#[kernel(block = 256)]
fn every_second(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && 2 * i < x.len() {
        y[i] = x[2 * i]; //~ gpu_uncoalesced_accesses "8 sectors"
    }
}

#[kernel(block = 256)]
fn every_eighth(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && 8 * i < x.len() {
        y[i] = x[8 * i]; //~ gpu_uncoalesced_accesses "32 sectors"
    }
}

#[kernel(block = 256)]
fn every_thirtysecond_is_written(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i * 32 < y.len() {
        y[i * 32] = x[i]; //~ gpu_uncoalesced_accesses "32 sectors"
    }
}

#[kernel(block = 256)]
fn a_chunk_for_each_thread(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut sum = 0.0;
    if i < y.len() && i * 64 + 64 <= x.len() {
        for k in 0..64 {
            sum += x[i * 64 + k]; //~ gpu_uncoalesced_accesses "32 sectors"
        }
        y[i] = sum;
    }
}

#[kernel(block = 256)]
fn neighbours_for_neighbours(x: &[f32], y: &mut [f32]) {
    let t = thread_idx_x();
    let first = block_idx_x() * 256 * 64;
    let mut sum = 0.0;
    if first + 256 * 64 <= x.len() {
        for k in 0..64 {
            sum += x[first + k * 256 + t];
        }
    }
    let i = global_idx_x();
    if i < y.len() {
        y[i] = sum;
    }
}

#[kernel(block = 256)]
fn backwards(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[x.len() - 1 - i];
    }
}

#[kernel(block = 256)]
fn lanes_swapped_in_pairs(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && (i ^ 1) < x.len() {
        y[i] = x[i ^ 1];
    }
}

#[kernel(block = 256)]
fn one_cell_for_all(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && !x.is_empty() {
        y[i] = x[0] * 2.0;
    }
}

#[kernel(block = 256)]
fn one_cell_for_each_warp(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i / 32 < x.len() {
        y[i] = x[i / 32];
    }
}

#[kernel(block = 256)]
fn shifted_by_one(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i + 1 < x.len() {
        y[i] = x[i + 1]; //~ gpu_misaligned_accesses "5 sectors"
    }
}

#[kernel(block = 256)]
fn shifted_by_a_sector(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i + 8 < x.len() {
        y[i] = x[i + 8];
    }
}

#[kernel(block = 256)]
fn gathered(places: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < places.len() {
        let place = places[i] as usize;
        if place < x.len() {
            y[i] = x[place];
        }
    }
}

#[kernel(block = 256)]
fn one_field_of_a_struct(points: &[Point], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < points.len() {
        y[i] = points[i].x; //~ gpu_aos_accesses "12 sectors"
    }
}

#[kernel(block = 256)]
fn one_field_of_a_line(cells: &[Cell], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < cells.len() {
        y[i] = cells[i].density; //~ gpu_aos_accesses "32 sectors"
    }
}

#[kernel(block = 256)]
fn all_of_an_array_in_turn(rows: &[[f32; 3]], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && i < rows.len() {
        let mut most = rows[i][0];
        for v in &rows[i][1..] {
            most = v.max(most);
        }
        y[i] = most;
    }
}

#[kernel(block = 256)]
fn a_field_is_written(masses: &[f32], bodies: &mut [Body]) {
    let i = global_idx_x();
    if i < masses.len() && i < bodies.len() {
        bodies[i].mass = masses[i]; //~ gpu_aos_accesses
    }
}

#[kernel(block = 256)]
fn arrays_of_fields(xs: &[f32], ys: &[f32], zs: &[f32], lengths: &mut [f32]) {
    let i = global_idx_x();
    if i < lengths.len() && i < xs.len() && i < ys.len() && i < zs.len() {
        let (x, y, z) = (xs[i], ys[i], zs[i]);
        lengths[i] = (x * x + y * y + z * z).sqrt();
    }
}

#[kernel(block = 256)]
fn a_vector_for_each_thread(x: &[F32x4], y: &mut [F32x4]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i] * 2.0;
    }
}

#[kernel(block = 256)]
fn bytes(x: &[u8], y: &mut [u8]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i].wrapping_add(1);
    }
}

#[kernel(block = 256)]
fn every_fourth_byte(x: &[u8], y: &mut [u8]) {
    let i = global_idx_x();
    if i < y.len() && 4 * i < x.len() {
        y[i] = x[4 * i]; //~ gpu_uncoalesced_accesses "4 sectors"
    }
}

#[kernel(block = 256)]
fn doubles(x: &[f64], y: &mut [f64]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i] + 1.0;
    }
}

#[kernel(block = 256)]
fn every_second_double(x: &[f64], y: &mut [f64]) {
    let i = global_idx_x();
    if i < y.len() && 2 * i < x.len() {
        y[i] = x[2 * i]; //~ gpu_uncoalesced_accesses "16 sectors"
    }
}

#[kernel(block = (32, 8))]
fn rows_and_columns(pitch: usize, x: &[f32], y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < pitch && row * pitch + column < x.len() && row * pitch + column < y.len() {
        y[row * pitch + column] = x[row * pitch + column];
    }
}

#[kernel(block = (8, 32))]
fn the_long_axis_is_y(x: &[f32], y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < 512 && row < 512 {
        y[row * 512 + column] = x[row * 512 + column];
    }
}

#[kernel(block = (4, 64))]
fn only_four_neighbours(x: &[f32], y: &mut [f32]) {
    let (column, row) = (global_idx_x(), global_idx_y());
    if column < 512 && row < 512 {
        y[row * 512 + column] = x[row * 512 + column]; //~ gpu_uncoalesced_accesses "8 sectors"
    }
}

#[kernel(block = 256)]
fn by_rows_of_unknown_length(pitch: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    let mut sum = 0.0;
    if i < y.len() && (i + 1) * pitch <= x.len() {
        for k in 0..pitch {
            sum += x[i * pitch + k];
        }
        y[i] = sum;
    }
}

#[kernel(block = 256)]
fn pairs_of_neighbours(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() && 2 * i + 1 < x.len() {
        y[i] = x[2 * i] + x[2 * i + 1];
    }
}

#[kernel(block = 256)]
fn only_the_leader_strides(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if warp::lane_id() == 0 && i * 64 < x.len() && i / 32 < y.len() {
        y[i / 32] = x[i * 64];
    }
}

crate::corpus![
    contiguous,
    every_second,
    every_eighth,
    every_thirtysecond_is_written,
    a_chunk_for_each_thread,
    neighbours_for_neighbours,
    backwards,
    lanes_swapped_in_pairs,
    one_cell_for_all,
    one_cell_for_each_warp,
    shifted_by_one,
    shifted_by_a_sector,
    gathered,
    one_field_of_a_struct,
    one_field_of_a_line,
    all_of_an_array_in_turn,
    a_field_is_written,
    arrays_of_fields,
    a_vector_for_each_thread,
    bytes,
    every_fourth_byte,
    doubles,
    every_second_double,
    rows_and_columns,
    the_long_axis_is_y,
    only_four_neighbours,
    by_rows_of_unknown_length,
    pairs_of_neighbours,
    only_the_leader_strides,
];
