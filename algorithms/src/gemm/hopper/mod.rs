//! Products on GPUs of compute capability 9.0, whose tensor maps copy tiles to shared memory.
//!
//! One thread begins the copies, hardware computes the addresses and puts zeros beyond the edges,
//! and mbarriers say when a stage is full and when it is empty. So warps spend nothing on copies,
//! and do not wait for each other. The rows of matrices must begin at multiples of 16 bytes; other
//! products, and those on other GPUs, are left to the kernels outside of this folder.
pub(super) mod doubles;
pub(super) mod floats;
pub(super) mod halves;
pub(super) mod words;

use super::Gemm;
use warpwise::{MBarrier, prelude::*};

/// Rows of a tile of `a` and `c` in the kernels for warpgroups.
#[device]
pub(super) const ROWS: usize = 128;
/// Stages of tiles in the kernels for warpgroups.
#[device]
const STAGES: usize = 4;
/// Warps that multiply in the kernels for warpgroups.
#[device]
const MULTIPLIERS: usize = 8;

/// Waits until the stage of a step is empty, before copies to it begin.
#[device]
fn wait_until_empty(empty: &[MBarrier<MULTIPLIERS>; STAGES], step: usize) {
    empty[step % STAGES].wait_parity(step / STAGES % 2 == 0);
}

/// Waits until the stage of a step is full.
#[device]
fn wait_until_full(full: &[MBarrier<1>; STAGES], step: usize) {
    full[step % STAGES].wait_parity(step / STAGES % 2 == 1);
}

/// Releases the stage of the step before `step`, whose product is finished.
#[device]
fn release_previous(empty: &[MBarrier<MULTIPLIERS>; STAGES], step: usize) {
    if step > 0 && warp::lane_id() == 0 {
        empty[(step - 1) % STAGES].arrive();
    }
}

/// Returns true if the device runs the kernels of this folder: GPUs of compute capability 9.0, and
/// the interpreter.
fn runs_kernels(device: &Device) -> bool {
    !device.is_gpu() || device.info().sm == Some(90)
}

/// Returns true if tensor maps can copy the factors in boxes of `box_depth` columns of `a` and rows
/// of `b`: coordinates fit in an `i32`, and no box of `b` reaches into the next batch where that of
/// `a` is padded with zeros.
fn boxes_fit(gemm: &Gemm, box_depth: usize) -> bool {
    let Gemm { rows, columns, depth, batches, .. } = *gemm;
    let fits = |extent: usize| i32::try_from(extent).is_ok();
    depth > 0
        && (batches == 1 || depth % box_depth == 0)
        && [batches * rows, batches * depth, columns].into_iter().all(fits)
}
