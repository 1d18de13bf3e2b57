//! Products of `f32`.
//!
//! A block of 128 threads computes a [tile](GemmTile), such as 128 by 128 elements, each thread 16
//! by eight of them. The factors pass through four stages in shared memory, three of which are on
//! their way while one is multiplied. A tile of `a` is transposed on its way, so that a thread
//! loads four rows of a column at once. A thread loads the numbers of the next product while it
//! multiplies those of one.
use super::{Gemm, GemmTile, hopper, launch_with_activation, store, tile_of_block};
use crate::error::Result;
use warpwise::{F32x4, Slice, prelude::*};

/// Columns of a tile of `a`, and rows of one of `b`.
#[device]
const DEPTH: usize = 8;
#[device]
const STAGES: usize = 4;
/// Threads of a block: four warps, two of which are beside each other.
#[device]
const THREADS: usize = 128;

/// The columns of a tile of `a`. Four numbers more put the columns into different banks: `PITCH` is
/// the number of rows, and four.
#[device]
type TileA<const PITCH: usize> = [[f32; PITCH]; DEPTH];
/// The rows of a tile of `b`, which have `VECTORS` vectors.
#[device]
type TileB<const VECTORS: usize> = [[F32x4; VECTORS]; DEPTH];

/// The numbers of a column of a tile of `a` and of a row of one of `b` that a thread multiplies.
#[device]
#[derive(Clone, Copy)]
struct Fragments<const ROWS: usize, const COLUMNS: usize> {
    left: [f32; ROWS],
    right: [f32; COLUMNS],
}

/// Loads the numbers of product `k` of a step, from the first of a thread's rows and its first
/// vector of columns.
#[device]
fn load_fragments<
    const ROWS: usize,
    const COLUMNS: usize,
    const PITCH: usize,
    const VECTORS: usize,
>(
    tile_a: &TileA<PITCH>,
    tile_b: &TileB<VECTORS>,
    k: usize,
    row: usize,
    column: usize,
) -> Fragments<ROWS, COLUMNS> {
    let (mut left, mut right) = ([0.0; ROWS], [0.0; COLUMNS]);
    for i in 0..ROWS {
        left[i] = tile_a[k][row + i / 4 * 16 + i % 4];
    }
    for part in 0..COLUMNS / 4 {
        let vector = tile_b[k][column + part * 8];
        for j in 0..4 {
            right[part * 4 + j] = vector[j];
        }
    }
    Fragments { left, right }
}

/// The factors in global memory: `b` also as vectors, if its rows are whole ones.
#[device]
#[derive(Clone, Copy)]
struct Factors<'a> {
    a: &'a [f32],
    b: &'a [f32],
    vectors_b: &'a [F32x4],
    rows: usize,
    columns: usize,
    depth: usize,
    /// The first rows of `a` and of `b` of the batch.
    first_row_a: usize,
    first_row_b: usize,
}

#[device]
impl Factors<'_> {
    /// Begins to copy the tiles of a step to a stage, with zeros beyond the edges.
    fn fetch_edges<
        const WHOLE: bool,
        const ROWS: usize,
        const PITCH: usize,
        const VECTORS: usize,
    >(
        self,
        (row, column, depth): (usize, usize, usize),
        tile_a: &mut TileA<PITCH>,
        tile_b: &mut TileB<VECTORS>,
    ) {
        let t = thread_idx_x();
        let k = t % DEPTH;
        for round in 0..ROWS / 2 {
            let i = round * 16 + t / DEPTH;
            let to = &mut tile_a[k][i];
            if row + i < self.rows && depth + k < self.depth {
                let from = (self.first_row_a + row + i) * self.depth + depth + k;
                async_copy::copy(to, &self.a[from]);
            } else {
                *to = 0.0;
            }
        }
        for round in 0..VECTORS / 16 {
            let (k, vector) = (round * (THREADS / VECTORS) + t / VECTORS, t % VECTORS);
            let to = &mut tile_b[k][vector];
            let column = column + vector * 4;
            let start = (self.first_row_b + depth + k) * self.columns + column;
            if depth + k >= self.depth || column >= self.columns {
                *to = F32x4::ZERO;
            } else if WHOLE {
                async_copy::copy(to, &self.vectors_b[start / 4]);
            } else {
                let mut lanes = [0.0; 4];
                for i in 0..4 {
                    if column + i < self.columns {
                        lanes[i] = self.b[start + i];
                    }
                }
                *to = F32x4::from_array(lanes);
            }
        }
    }

    /// Begins to copy whole tiles to a stage. `from_a` and `from_b` are the first number and the
    /// first vector of this thread.
    fn fetch_whole<const ROWS: usize, const PITCH: usize, const VECTORS: usize>(
        self,
        from_a: usize,
        from_b: usize,
        tile_a: &mut TileA<PITCH>,
        tile_b: &mut TileB<VECTORS>,
    ) {
        let t = thread_idx_x();
        for round in 0..ROWS / 2 {
            let to = &mut tile_a[t % DEPTH][round * 16 + t / DEPTH];
            async_copy::copy(to, &self.a[from_a + round * (16 * self.depth)]);
        }
        for round in 0..VECTORS / 16 {
            let to = &mut tile_b[round * (THREADS / VECTORS) + t / VECTORS][t % VECTORS];
            // Four columns are a vector.
            let row = round * (THREADS / 4 / VECTORS * self.columns);
            async_copy::copy(to, &self.vectors_b[from_b + row]);
        }
    }
}

/// Multiplies matrices; `WHOLE` if the rows of `b` are whole vectors. A thread has `ROWS` rows and
/// `COLUMNS` columns of a tile, which has eight times as many rows and 16 times as many columns.
#[kernel(block = 128, min_blocks = 2)]
fn multiply_floats<
    const WHOLE: bool,
    const ROWS: usize,
    const COLUMNS: usize,
    const PITCH: usize,
    const VECTORS: usize,
    const ACTIVATION: u32,
>(
    rows: usize,
    columns: usize,
    depth: usize,
    scales: (f32, f32),
    a: &[f32],
    b: &[f32],
    vectors_b: &[F32x4],
    c: &mut [f32],
) {
    let tiles_a = shared!([TileA<PITCH>; STAGES]);
    let tiles_b = shared!([TileB<VECTORS>; STAGES]);
    let batch = block_idx_y();
    let from = Factors {
        a,
        b,
        vectors_b,
        rows,
        columns,
        depth,
        first_row_a: batch * rows,
        first_row_b: batch * depth,
    };
    let (tile_rows, tile_columns) = (8 * ROWS, 16 * COLUMNS);
    let (tile_row, tile_column) =
        tile_of_block(rows.div_ceil(tile_rows), columns.div_ceil(tile_columns));
    let (first_row, first_column) = (tile_row * tile_rows, tile_column * tile_columns);
    // A warp computes a quarter of the tile. The rows of a thread are four by four, 16 apart, its
    // columns vectors, eight apart.
    let (warp, lane) = (warp::warp_id(), warp::lane_id());
    let row = warp / 2 * (4 * ROWS) + lane / 8 * 4;
    let column = warp % 2 * (2 * COLUMNS) + lane % 8;

    let t = thread_idx_x();
    let steps = depth.div_ceil(DEPTH);
    let is_whole = WHOLE
        && first_row + tile_rows <= rows
        && first_column + tile_columns <= columns
        && steps * DEPTH == depth;
    let mut from_a = (from.first_row_a + first_row + t / DEPTH) * depth + t % DEPTH;
    let mut from_b = ((from.first_row_b + t / VECTORS) * columns + first_column) / 4 + t % VECTORS;

    let mut sums = [[0.0; COLUMNS]; ROWS];
    // The numbers of two products: those that are multiplied, and the next ones.
    let mut fragments = [Fragments { left: [0.0; ROWS], right: [0.0; COLUMNS] }; 2];
    // The first steps only fill stages.
    for step in 0..steps + STAGES - 1 {
        if step < steps {
            // All threads have loaded from the tiles of the step before, whose place these take.
            let free = step % STAGES;
            let (tile_a, tile_b) = (&mut tiles_a[free], &mut tiles_b[free]);
            if is_whole {
                from.fetch_whole::<ROWS, PITCH, VECTORS>(from_a, from_b, tile_a, tile_b);
                from_a += DEPTH;
                from_b += DEPTH * columns / 4;
            } else {
                let at = (first_row, first_column, step * DEPTH);
                from.fetch_edges::<WHOLE, ROWS, PITCH, VECTORS>(at, tile_a, tile_b);
            }
        }
        async_copy::commit();
        let is_full = step >= STAGES - 1;
        if is_full {
            let full = (step + 1) % STAGES;
            for k in 0..DEPTH - 1 {
                fragments[(k + 1) % 2] =
                    load_fragments(&tiles_a[full], &tiles_b[full], k + 1, row, column);
                multiply(fragments[k % 2], &mut sums);
            }
        }
        if step + 2 >= STAGES && step + 2 < steps + STAGES {
            // The tiles of the next step are there for all threads.
            async_copy::wait::<{ STAGES - 2 }>();
            sync_threads();
            let next = (step + 2) % STAGES;
            fragments[0] = load_fragments(&tiles_a[next], &tiles_b[next], 0, row, column);
        }
        if is_full {
            multiply(fragments[(DEPTH - 1) % 2], &mut sums);
        }
    }
    async_copy::wait_all();
    for i in 0..ROWS {
        let row = first_row + row + i / 4 * 16 + i % 4;
        if row < rows {
            let line = &mut c[(batch * rows + row) * columns..][..columns];
            for j in 0..COLUMNS {
                let column = first_column + (column + j / 4 * 8) * 4 + j % 4;
                if column < columns {
                    store::<f32, ACTIVATION>(sums[i][j], scales, &mut line[column]);
                }
            }
        }
    }
}

/// Adds the products of fragments to sums.
#[device]
fn multiply<const ROWS: usize, const COLUMNS: usize>(
    fragments: Fragments<ROWS, COLUMNS>,
    sums: &mut [[f32; COLUMNS]; ROWS],
) {
    for i in 0..ROWS {
        for j in 0..COLUMNS {
            sums[i][j] += fragments.left[i] * fragments.right[j];
        }
    }
}

impl GemmTile {
    /// Returns the rows and columns of a tile.
    const fn extents(self) -> (usize, usize) {
        match self {
            Self::Large => (128, 128),
            Self::Medium => (64, 128),
            Self::Small => (64, 64),
        }
    }
}

pub(super) fn launch(
    device: &Device,
    gemm: &Gemm,
    a: &Slice<f32>,
    b: &Slice<f32>,
    c: &mut Slice<f32>,
) -> Result<()> {
    if gemm.tile == GemmTile::Large
        && hopper::floats::suits(device, gemm)
        && let Ok(_) = b.as_vectors::<F32x4>()
        && let Ok(mut vectors) = c.as_vectors_mut()
    {
        return hopper::floats::launch(device, gemm, a, b, &mut vectors);
    }
    launch_by_tiles(device, gemm, a, b, c)
}

fn launch_by_tiles(
    device: &Device,
    gemm: &Gemm,
    a: &Slice<f32>,
    b: &Slice<f32>,
    c: &mut Slice<f32>,
) -> Result<()> {
    let Gemm { rows, columns, depth, .. } = *gemm;
    let (tile_rows, tile_columns) = gemm.tile.extents();
    let tiles = rows.div_ceil(tile_rows) * columns.div_ceil(tile_columns);
    let config = LaunchConfig::grid((tiles, gemm.batches));
    let scales = gemm.scales();
    macro_rules! launch {
        ($whole:literal, $vectors_b:expr, $rows:literal, $columns:literal, $pitch:literal, $vectors:literal) => {
            launch_with_activation!(
                gemm.activation,
                multiply_floats::<$whole, $rows, $columns, $pitch, $vectors>(
                    device, config, rows, columns, depth, scales, a, b, $vectors_b, c,
                )
            )
        };
    }
    macro_rules! launch_tile {
        ($whole:literal, $vectors_b:expr) => {
            match gemm.tile {
                GemmTile::Large => launch!($whole, $vectors_b, 16, 8, 132, 32),
                GemmTile::Medium => launch!($whole, $vectors_b, 8, 8, 68, 32),
                GemmTile::Small => launch!($whole, $vectors_b, 8, 4, 68, 16),
            }
        };
    }
    if columns % 4 == 0
        && let Ok(vectors_b) = b.as_vectors()
    {
        launch_tile!(true, &vectors_b)?;
    } else {
        let none = device.zeros(0)?;
        launch_tile!(false, &none)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Activation;

    /// The products that [`launch`] leaves to boxes have the same bits by tiles, also where every
    /// stage is used again.
    #[test]
    fn tiles_multiply_as_boxes_do() -> Result<()> {
        let device = Device::cpu();
        for (rows, columns, depth, batches) in
            [(132, 516, 150, 1), (4, 512, 16, 2), (260, 640, 1, 1)]
        {
            let numbers = |seed: u32, len: usize| -> Vec<f32> {
                let bits = |i| (i as u32).wrapping_mul(2_654_435_761).wrapping_add(seed) >> 8;
                (0..len).map(|i| bits(i) as f32 / (1 << 23) as f32 - 1.0).collect()
            };
            let a = device.upload(&numbers(1, batches * rows * depth))?;
            let b = device.upload(&numbers(1 << 30, batches * depth * columns))?;
            let (alpha, beta, activation) = (0.25, 0.5, Activation::Relu);
            let gemm = Gemm { alpha, beta, batches, activation, ..Gemm::new(rows, columns, depth) };
            assert!(hopper::floats::suits(&device, &gemm));
            let before = numbers(1 << 20, batches * rows * columns);
            let (mut by_tiles, mut by_boxes) = (device.upload(&before)?, device.upload(&before)?);
            launch_by_tiles(&device, &gemm, &a, &b, &mut by_tiles)?;
            launch(&device, &gemm, &a, &b, &mut by_boxes)?;
            assert_eq!(by_tiles.to_vec()?, by_boxes.to_vec()?);
        }
        Ok(())
    }

    /// Few columns, and rows that begin elsewhere than at multiples of 16 bytes, are left to tiles.
    #[test]
    fn other_products_are_left_to_tiles() {
        let device = Device::cpu();
        let suits = |rows, columns, depth, batches| {
            hopper::floats::suits(&device, &Gemm { batches, ..Gemm::new(rows, columns, depth) })
        };
        assert!(suits(4, 512, 17, 1));
        assert!(!suits(4, 508, 17, 1) && !suits(5, 512, 17, 1) && !suits(4, 513, 17, 1));
        assert!(!suits(4, 512, 17, 2) && !suits(4, 512, 0, 1));
    }
}
