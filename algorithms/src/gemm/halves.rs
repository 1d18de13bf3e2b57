//! Products of halves on tensor cores.
//!
//! A block computes a tile of 128 rows and 256 columns, each of its eight warps 64 by 64 elements.
//! The factors pass through four stages in shared memory, three of which are on their way while one
//! is multiplied. Sixteen bytes, eight halves, move at a time; their places in a row are permuted
//! by the number of the row, so that no lanes of an `ldmatrix` read from the same banks.
use super::{Gemm, hopper, launch_with_activation, store, tile_of_block};
use crate::error::Result;
use warpwise::{Element, Slice, U32x4, bf16, f16, mma, prelude::*};

/// Rows of a tile of `a` and `c`.
#[device]
const ROWS: usize = 128;
/// Columns of a tile of `b` and `c`.
#[device]
const COLUMNS: usize = 256;
/// Columns of a tile of `a`, and rows of one of `b`.
#[device]
const DEPTH: usize = 32;
/// Halves of a chunk, which moves at once.
#[device]
const CHUNK: usize = 8;
#[device]
const STAGES: usize = 4;

/// A tile of `a`: rows of four chunks.
#[device]
type TileA = [[U32x4; 4]; ROWS];
/// A tile of `b`: rows of 32 chunks.
#[device]
type TileB = [[U32x4; 32]; DEPTH];

/// Returns the place of a chunk in a row of a tile of `a`. Two rows fill all banks.
#[device]
fn place_a(row: usize, chunk: usize) -> usize {
    chunk ^ (row / 2 % 4)
}

/// Returns the place of a chunk in a row of a tile of `b`.
#[device]
fn place_b(row: usize, chunk: usize) -> usize {
    chunk ^ (row % 8)
}

/// A factor in global memory: chunks of rows if those are whole ones, and halves.
#[device]
#[derive(Clone, Copy)]
struct Factor<'a> {
    chunks: &'a [(U32x4,)],
    halves: &'a [(u16,)],
    rows: usize,
    columns: usize,
    /// The first row of the batch.
    first_row: usize,
}

#[device]
impl Factor<'_> {
    /// Begins to copy a chunk, with zeros beyond the edges.
    fn fetch<const WHOLE: bool>(self, to: &mut U32x4, row: usize, column: usize) {
        if row >= self.rows || column >= self.columns {
            *to = U32x4::ZERO;
            return;
        }
        let start = (self.first_row + row) * self.columns + column;
        if WHOLE {
            async_copy::copy(to, &self.chunks[start / CHUNK].0);
            return;
        }
        let mut words = [0; 4];
        for i in 0..CHUNK {
            if column + i < self.columns {
                words[i / 2] |= (self.halves[start + i].0 as u32) << (i % 2 * 16);
            }
        }
        *to = U32x4::from_array(words);
    }
}

/// Begins to copy the tiles of a step to a stage, with zeros beyond the edges.
#[device]
fn fetch_edges<const WHOLE: bool>(
    a: Factor,
    b: Factor,
    (row, column, depth): (usize, usize, usize),
    tile_a: &mut TileA,
    tile_b: &mut TileB,
) {
    let t = thread_idx_x();
    for round in 0..2 {
        let (i, chunk) = (round * 64 + t / 4, t % 4);
        let to = &mut tile_a[i][place_a(i, chunk)];
        a.fetch::<WHOLE>(to, row + i, depth + chunk * CHUNK);
    }
    for round in 0..4 {
        let (i, chunk) = (round * 8 + t / 32, t % 32);
        let to = &mut tile_b[i][place_b(i, chunk)];
        b.fetch::<WHOLE>(to, depth + i, column + chunk * CHUNK);
    }
}

/// Begins to copy whole tiles to a stage. `from_a` and `from_b` are the first of this thread's
/// chunks.
#[device]
fn fetch_whole(
    a: Factor,
    b: Factor,
    from_a: usize,
    from_b: usize,
    tile_a: &mut TileA,
    tile_b: &mut TileB,
) {
    let t = thread_idx_x();
    for round in 0..2 {
        let to = &mut tile_a[round * 64 + t / 4][place_a(t / 4, t % 4)];
        async_copy::copy(to, &a.chunks[from_a + round * (64 * a.columns / CHUNK)].0);
    }
    for round in 0..4 {
        let to = &mut tile_b[round * 8 + t / 32][place_b(t / 32, t % 32)];
        async_copy::copy(to, &b.chunks[from_b + round * (8 * b.columns / CHUNK)].0);
    }
}

/// The parts of a step's tiles that a warp multiplies at once: 64 rows and columns of 16 products.
#[device]
#[derive(Clone, Copy)]
struct Fragments {
    left: [[u32; 4]; 4],
    right: [[u32; 4]; 4],
}

/// Loads the fragments number `k` of a step, each lane's from these rows and places.
#[device]
fn load_fragments(
    tile_a: &TileA,
    tile_b: &TileB,
    k: usize,
    (row_a, place_a): (usize, usize),
    (row_b, places_b): (usize, [usize; 4]),
) -> Fragments {
    let (mut left, mut right) = ([[0; 4]; 4], [[0; 4]; 4]);
    for i in 0..4 {
        let words = tile_a[row_a + i * 16][place_a].to_array();
        left[i] = mma::words::distribute_rows(words);
    }
    for j in 0..4 {
        let words = tile_b[row_b + k * 16][places_b[j]].to_array();
        right[j] = mma::words::distribute_rows_transposed(words);
    }
    Fragments { left, right }
}

/// Adds the products of fragments to sums.
#[device]
fn multiply_fragments<const BF16: bool>(fragments: Fragments, sums: &mut [[[f32; 4]; 8]; 4]) {
    let Fragments { left, right } = fragments;
    for i in 0..4 {
        for j in 0..8 {
            let words = right[j / 2];
            let pair = [words[j % 2 * 2], words[j % 2 * 2 + 1]];
            sums[i][j] = multiply::<BF16>(left[i], pair, sums[i][j]);
        }
    }
}

/// Adds the product of two fragments to a third.
#[device]
fn multiply<const BF16: bool>(left: [u32; 4], right: [u32; 2], sum: [f32; 4]) -> [f32; 4] {
    if BF16 {
        mma::words::m16n8k16_f32_bf16_bf16(left, right, sum)
    } else {
        mma::words::m16n8k16_f32_f16_f16(left, right, sum)
    }
}

/// Multiplies matrices; `WHOLE` if the rows of both are whole chunks.
#[kernel(block = 256)]
fn multiply_halves<const BF16: bool, const WHOLE: bool, const ACTIVATION: u32>(
    rows: usize,
    columns: usize,
    depth: usize,
    scales: (f32, f32),
    chunks_a: &[(U32x4,)],
    halves_a: &[(u16,)],
    chunks_b: &[(U32x4,)],
    halves_b: &[(u16,)],
    c: &mut [f32],
) {
    let tiles_a = shared!([TileA; STAGES]);
    let tiles_b = shared!([TileB; STAGES]);
    let batch = block_idx_y();
    let a = Factor {
        chunks: chunks_a,
        halves: halves_a,
        rows,
        columns: depth,
        first_row: batch * rows,
    };
    let b = Factor {
        chunks: chunks_b,
        halves: halves_b,
        rows: depth,
        columns,
        first_row: batch * depth,
    };
    let (tile_row, tile_column) = tile_of_block(rows.div_ceil(ROWS), columns.div_ceil(COLUMNS));
    let (first_row, first_column) = (tile_row * ROWS, tile_column * COLUMNS);
    let (t, warp, lane) = (thread_idx_x(), warp::warp_id(), warp::lane_id());
    let (row, column) = (warp / 4 * 64, warp % 4 * 64);
    let steps = depth.div_ceil(DEPTH);
    let is_whole = WHOLE
        && first_row + ROWS <= rows
        && first_column + COLUMNS <= columns
        && steps * DEPTH == depth;

    // This thread's chunks of the next tiles, and the places of its rows in the tiles.
    let mut from_a = ((a.first_row + first_row + t / 4) * depth) / CHUNK + t % 4;
    let mut from_b = ((b.first_row + t / 32) * columns + first_column) / CHUNK + t % 32;
    let (row_a, row_b) = (row + lane % 16, lane % 16);
    let mut places_a = [0; 2];
    for k in 0..2 {
        places_a[k] = place_a(row_a, k * 2 + lane / 16);
    }
    let mut places_b = [0; 4];
    for i in 0..4 {
        places_b[i] = place_b(row_b, column / CHUNK + i * 2 + lane / 16);
    }

    let mut sums = [[[0.0; 4]; 8]; 4];
    let mut first = Fragments { left: [[0; 4]; 4], right: [[0; 4]; 4] };
    // The first steps only fill stages.
    for step in 0..steps + STAGES - 1 {
        let full = (step + 1) % STAGES;
        let is_filling = step < STAGES - 1;
        let mut second = first;
        if !is_filling {
            second = load_fragments(
                &tiles_a[full],
                &tiles_b[full],
                1,
                (row_a, places_a[1]),
                (row_b, places_b),
            );
            multiply_fragments::<BF16>(first, &mut sums);
        }
        if step < steps {
            // All threads have loaded from the tiles of the step before, whose place these take.
            let free = step % STAGES;
            let (tile_a, tile_b) = (&mut tiles_a[free], &mut tiles_b[free]);
            if is_whole {
                fetch_whole(a, b, from_a, from_b, tile_a, tile_b);
                from_a += DEPTH / CHUNK;
                from_b += DEPTH * columns / CHUNK;
            } else {
                let at = (first_row, first_column, step * DEPTH);
                fetch_edges::<WHOLE>(a, b, at, tile_a, tile_b);
            }
        }
        async_copy::commit();
        let next = (step + 2) % STAGES;
        if step + 2 >= STAGES && step + 2 < steps + STAGES {
            // The tiles of the next step are there for all threads.
            async_copy::wait::<{ STAGES - 2 }>();
            sync_threads();
            first = load_fragments(
                &tiles_a[next],
                &tiles_b[next],
                0,
                (row_a, places_a[0]),
                (row_b, places_b),
            );
        }
        if !is_filling {
            multiply_fragments::<BF16>(second, &mut sums);
        }
    }
    async_copy::wait_all();
    for i in 0..4 {
        for half in 0..2 {
            let row = first_row + row + i * 16 + half * 8 + lane / 4;
            if row < rows {
                let line = &mut c[(batch * rows + row) * columns..][..columns];
                for j in 0..8 {
                    for k in 0..2 {
                        let column = first_column + column + j * 8 + lane % 4 * 2 + k;
                        if column < columns {
                            store::<f32, ACTIVATION>(
                                sums[i][j][half * 2 + k],
                                scales,
                                &mut line[column],
                            );
                        }
                    }
                }
            }
        }
    }
}

/// A type of halves: `f16` or `bf16`.
pub trait HalfElement: Element + sealed::IsBf16 + hopper::halves::WarpgroupElement {}
impl HalfElement for f16 {}
impl HalfElement for bf16 {}

mod sealed {
    /// True for `bf16`.
    pub trait IsBf16 {
        const IS_BF16: bool;
    }
    impl IsBf16 for warpwise::f16 {
        const IS_BF16: bool = false;
    }
    impl IsBf16 for warpwise::bf16 {
        const IS_BF16: bool = true;
    }
}

pub(super) fn launch<T: HalfElement>(
    device: &Device,
    gemm: &Gemm,
    a: &Slice<T>,
    b: &Slice<T>,
    c: &mut Slice<f32>,
) -> Result<()> {
    if hopper::halves::suits(device, gemm)
        && let (Ok(_), Ok(_)) = (a.as_structs::<(U32x4,)>(), b.as_structs::<(U32x4,)>())
        && let Ok(mut pairs) = c.as_vectors_mut()
    {
        return T::multiply_by_warpgroups(device, gemm, a, b, &mut pairs);
    }
    launch_by_warps(device, gemm, a, b, c)
}

fn launch_by_warps<T: HalfElement>(
    device: &Device,
    gemm: &Gemm,
    a: &Slice<T>,
    b: &Slice<T>,
    c: &mut Slice<f32>,
) -> Result<()> {
    let Gemm { rows, columns, depth, .. } = *gemm;
    let tiles = rows.div_ceil(ROWS) * columns.div_ceil(COLUMNS);
    let config = LaunchConfig::grid((tiles, gemm.batches));
    let (halves_a, halves_b) = (a.as_structs::<(u16,)>()?, b.as_structs::<(u16,)>()?);
    let scales = gemm.scales();
    macro_rules! launch {
        ($is_bf16:literal, $whole:literal, $a:expr, $b:expr) => {
            launch_with_activation!(
                gemm.activation,
                multiply_halves::<$is_bf16, $whole>(
                    device, config, rows, columns, depth, scales, $a, &halves_a, $b, &halves_b, c,
                )
            )
        };
    }
    if columns % CHUNK == 0
        && depth % CHUNK == 0
        && let (Ok(a), Ok(b)) = (a.as_structs::<(U32x4,)>(), b.as_structs::<(U32x4,)>())
    {
        if T::IS_BF16 { launch!(true, true, &a, &b) } else { launch!(false, true, &a, &b) }?;
    } else {
        let none = device.zeros::<(U32x4,)>(0)?;
        if T::IS_BF16 {
            launch!(true, false, &none, &none)
        } else {
            launch!(false, false, &none, &none)
        }?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The products that [`launch`] leaves to warpgroups are the same by warps, also where every
    /// stage is used again.
    #[test]
    fn warps_multiply_as_warpgroups_do() -> Result<()> {
        let device = Device::cpu();
        for (rows, columns, depth) in [(130, 264, 72), (1, 8, 8), (64, 40, 584)] {
            let numbers = |seed: usize, len: usize| -> Vec<bf16> {
                (0..len).map(|i| bf16::from_f32((i * seed % 23) as f32 / 4.0 - 2.75)).collect()
            };
            let a = device.upload(&numbers(7, rows * depth))?;
            let b = device.upload(&numbers(5, depth * columns))?;
            let gemm = Gemm { beta: 0.5, ..Gemm::new(rows, columns, depth) };
            assert!(hopper::halves::suits(&device, &gemm));
            let mut by_warps = device.upload(&vec![3.0; rows * columns])?;
            let mut by_warpgroups = device.upload(&vec![3.0; rows * columns])?;
            launch_by_warps(&device, &gemm, &a, &b, &mut by_warps)?;
            launch(&device, &gemm, &a, &b, &mut by_warpgroups)?;
            assert_eq!(by_warps.to_vec()?, by_warpgroups.to_vec()?);
        }
        Ok(())
    }
}
