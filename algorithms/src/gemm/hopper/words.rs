//! Products by the warpgroups of Hopper of factors that are words of four bytes.
//!
//! As [`warpgroups`](super::halves) multiplies halves, but hardware takes such elements of both
//! factors along the sums only: `b` is transposed in memory before, and factors of tf32 are rounded
//! on the way.
use super::{
    MULTIPLIERS, ROWS, STAGES, release_previous, runs_kernels, wait_until_empty, wait_until_full,
};
use crate::{
    error::Result,
    gemm::{
        Gemm, tile_of_block,
        words::{Launches, WordElement},
    },
    transpose::{transpose, transpose_to_tf32},
};
use warpwise::{
    F32x4, MBarrier, Slice, Slice2, TensorMap2, U32x2, U32x4,
    mma::{self, E4M3, E5M2, Tf32},
    prelude::*,
    wgmma,
};

/// Words of a row of a tile of `a`, and of a column of one of `b`.
#[device]
const WORDS: usize = 32;

/// Returns true if the kernel takes these factors on the device: rows of `a` and of the transposed
/// `b` begin at multiples of 16 bytes. For fewer rows than a tile has, the transposition would take
/// longer than the product.
pub(in crate::gemm) fn suits<T: WordElement>(device: &Device, gemm: &Gemm, a: &Slice<u8>) -> bool {
    let Gemm { rows, columns, depth, batches, .. } = *gemm;
    let fits = |extent: usize| i32::try_from(extent).is_ok();
    runs_kernels(device)
        && rows >= ROWS
        && depth > 0
        && columns % 2 == 0
        && depth % (4 * T::PER_WORD) == 0
        && [batches * rows, batches * columns, depth].into_iter().all(fits)
        && a.as_structs::<U32x4>().is_ok()
}

/// The stages of a block, as one of its two multiplying warpgroups sees them. A tile of `b` has
/// `PARTS` times `N` columns.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Pipeline<'a, const N: usize, const PARTS: usize> {
    full: &'a [MBarrier<1>; STAGES],
    empty: &'a [MBarrier<MULTIPLIERS>; STAGES],
    tiles_a: &'a [[wgmma::Tile<64>; 2]; STAGES],
    tiles_b: &'a [[wgmma::Tile<N>; PARTS]; STAGES],
    steps: usize,
    group: usize,
}

/// Adds up the products of all steps, each of which begins before the one before is finished.
#[device]
pub(in crate::gemm) fn multiply_in_place<
    T: wgmma::FactorElement,
    const N: usize,
    const PARTS: usize,
>(
    pipeline: Pipeline<N, PARTS>,
) -> [wgmma::Sum<T, N>; PARTS] {
    let Pipeline { full, empty, tiles_a, tiles_b, steps, group } = pipeline;
    let mut products = wgmma::Products::<T, N>::zero();
    for step in 0..steps {
        let stage = step % STAGES;
        wait_until_full(full, step);
        products.multiply_add(&tiles_a[stage][group], &tiles_b[stage][0]);
        // The previous product has finished reading its stage.
        products.wait::<1>();
        release_previous(empty, step);
    }
    [products.finish(); PARTS]
}

/// Adds up the sums of all steps in registers, because hardware adds products of floats of 8 bits
/// to sums of 14 digits. While one warpgroup adds, the other one multiplies. A part of the columns
/// at a time leaves room for more sums.
#[device]
pub(in crate::gemm) fn multiply_in_parts<
    T: wgmma::FactorElement<Sum = f32>,
    const N: usize,
    const PARTS: usize,
>(
    pipeline: Pipeline<N, PARTS>,
) -> [wgmma::Sum<T, N>; PARTS] {
    let Pipeline { full, empty, tiles_a, tiles_b, steps, group } = pipeline;
    let mut sums = [wgmma::Sum::<T, N>::zero(); PARTS];
    for step in 0..steps {
        let stage = step % STAGES;
        wait_until_full(full, step);
        for part in 0..PARTS {
            let mut products = wgmma::Products::<T, N>::zero();
            products.multiply(&tiles_a[stage][group], &tiles_b[stage][part]);
            let finished = products.finish();
            if part + 1 == PARTS && warp::lane_id() == 0 {
                empty[stage].arrive();
            }
            for i in 0..N / 2 {
                let sum = sums[part].get(i) + finished.get(i);
                sums[part].set(i, sum);
            }
        }
    }
    sums
}

/// Multiplies `a` and a transposed `b`, whose rows are whole words. A tile of `b` and `c` has
/// `COLUMNS` columns, `PARTS` times `N`.
#[kernel(block = 384, instances(i8, u8, E4M3, E5M2, Tf32))]
pub(in crate::gemm) fn multiply_words<
    T: WordElement,
    const N: usize,
    const PARTS: usize,
    const COLUMNS: usize,
    const ACTIVATION: u32,
>(
    rows: usize,
    columns: usize,
    scales: (f64, f64),
    a: TensorMap2<u32, ROWS, WORDS, 128>,
    b: TensorMap2<u32, COLUMNS, WORDS, 128>,
    c: &mut [U32x2],
) {
    let full = shared!([MBarrier<1>; STAGES]);
    let empty = shared!([MBarrier<MULTIPLIERS>; STAGES]);
    let tiles_a = shared!([[wgmma::Tile<64>; 2]; STAGES]);
    let tiles_b = shared!([[wgmma::Tile<N>; PARTS]; STAGES]);
    let batch = block_idx_y();
    let (row, column) = tile_of_block(rows.div_ceil(ROWS), columns.div_ceil(COLUMNS));
    let (first_row, first_column) = (row * ROWS, column * COLUMNS);
    let warp = warp::warp_id();
    let steps = a.columns().div_ceil(WORDS);
    if warp >= MULTIPLIERS {
        if thread_idx_x() == 32 * MULTIPLIERS {
            for step in 0..steps {
                let stage = step % STAGES;
                wait_until_empty(empty, step);
                let k = (step * WORDS) as i32;
                let at = ((batch * rows + first_row) as i32, k);
                full[stage].tensor_copy(&mut tiles_a[stage], &a, at);
                let at = ((batch * columns + first_column) as i32, k);
                full[stage].tensor_copy(&mut tiles_b[stage], &b, at);
                full[stage].arrive();
            }
        }
        return;
    }
    let group = warp / 4 % 2;
    let sums =
        T::multiply_tiles::<N, PARTS>(Pipeline { full, empty, tiles_a, tiles_b, steps, group });
    for part in 0..PARTS {
        for i in (0..N / 2).step_by(2) {
            let row = first_row + group * 64 + wgmma::Sum::<T, N>::row(i);
            let column = first_column + part * N + wgmma::Sum::<T, N>::column(i);
            if row < rows && column < columns {
                let pair = &mut c[((batch * rows + row) * columns + column) / 2];
                let old = if scales.1 != 0.0 { *pair } else { U32x2::ZERO };
                for l in 0..2 {
                    pair[l] = T::finish_bits::<ACTIVATION>(sums[part].get(i + l), scales, old[l]);
                }
            }
        }
    }
}

/// Rounds numbers to tf32.
#[kernel(block = 256)]
fn round_to_tf32(x: &[F32x4], out: &mut [F32x4]) {
    let i = global_idx_x();
    if i < x.len() && i < out.len() {
        for lane in 0..4 {
            out[i][lane] = mma::round_to_tf32(x[i][lane]);
        }
    }
}

/// Multiplies matrices that [`suits`] accepts.
pub(in crate::gemm) fn launch<T: Launches>(
    device: &Device,
    gemm: &Gemm,
    [a, b]: [&Slice<u8>; 2],
    c: &mut Slice<U32x2>,
) -> Result<()> {
    let words = gemm.depth / T::PER_WORD;
    let mut transposed = device.zeros::<u32>(gemm.batches * gemm.columns * words)?;
    let mut multiply = |a: &Slice<u32>, b: &Slice<u32>| {
        T::launch_by_warpgroups(device, gemm, [&a.as_rows(words)?, &b.as_rows(words)?], c)
    };
    if T::PER_WORD == 4 {
        let mut out = transposed.as_structs_mut::<u8>()?;
        transpose_batches(gemm, b, &mut out, |x, out| transpose(device, x, out))?;
        return multiply(&a.as_structs()?, &transposed);
    }
    let (b, mut out) = (b.as_structs::<f32>()?, transposed.as_structs_mut()?);
    transpose_batches(gemm, &b, &mut out, |x, out| transpose_to_tf32(device, x, out))?;
    let a = a.as_structs()?;
    let mut rounded = device.zeros::<F32x4>(a.len())?;
    round_to_tf32::launch(device, LaunchConfig::cover(a.len()), &a, &mut rounded)?;
    multiply(&rounded.as_structs()?, &transposed)
}

/// Transposes the second factor of each batch.
fn transpose_batches<T: Num>(
    gemm: &Gemm,
    x: &Slice<T>,
    out: &mut Slice<T>,
    transpose: impl Fn(&Slice2<T>, &mut Slice2<T>) -> Result<()>,
) -> Result<()> {
    let Gemm { columns, depth, batches, .. } = *gemm;
    for batch in 0..batches {
        let own = batch * depth * columns..(batch + 1) * depth * columns;
        let (x, mut out) = (x.slice(own.clone())?, out.slice_mut(own)?);
        transpose(&x.as_rows(columns)?, &mut out.as_rows_mut(depth)?)?;
    }
    Ok(())
}
