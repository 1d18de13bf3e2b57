//! Prefix sums, and scans by other operators.
//!
//! Integers of up to 32 bits take [one pass](crate::look_back). Floats and 64-bit integers take
//! three: the totals of tiles, their scan, and the scan of each tile. This keeps the order in which
//! floats are added independent of timing.
use crate::{
    error::{Result, require_length},
    look_back::{LookBack, look_back, take_tile},
    operator::{Operator, combine, identity, launch_with_operator},
};
use warpwise::{Slice, prelude::*};

/// Warps of a block, each of which scans a part of a tile.
#[device]
const WARPS: usize = 16;
/// Elements of a row of a part: four of each lane.
#[device]
const ROW: usize = 128;
/// Rows of a part in the scan by one pass. Its tiles wait for each other, and fewer, larger tiles
/// wait less.
#[device]
const ROWS_OF_ONE_PASS: usize = 12;
/// Rows of a part in the scan by three passes, whose tiles do not wait.
#[device]
const ROWS_OF_THREE_PASSES: usize = 4;

/// Returns the number of elements of a tile with this many rows per part.
#[device]
const fn tile_len(rows: usize) -> usize {
    WARPS * rows * ROW
}

/// A thread's elements of a tile while it is scanned.
#[device]
#[derive(Clone, Copy)]
struct Part<T, const ROWS: usize> {
    /// The inclusive scan of each quadruple.
    values: [[T; 4]; ROWS],
    /// For each quadruple, the combined elements of the warp's part before it.
    before: [T; ROWS],
}

/// Returns the start of a thread's quadruple in a row of its warp's part of a tile.
#[device]
fn quadruple_start<const ROWS: usize>(tile: usize, row: usize) -> usize {
    tile * tile_len(ROWS) + (warp::warp_id() * ROWS + row) * ROW + warp::lane_id() * 4
}

/// Loads a thread's elements of a tile, with the identity of the operator beyond the end.
#[device]
fn load_tile<T: Num, const OPERATOR: u32, const ROWS: usize>(
    x: &[T],
    tile: usize,
) -> [[T; 4]; ROWS] {
    let neutral = identity::<T, OPERATOR>();
    let mut values = [[neutral; 4]; ROWS];
    if (tile + 1) * tile_len(ROWS) <= x.len() {
        for row in 0..ROWS {
            for k in 0..4 {
                values[row][k] = x[quadruple_start::<ROWS>(tile, row) + k];
            }
        }
    } else {
        for row in 0..ROWS {
            for k in 0..4 {
                values[row][k] =
                    x.get(quadruple_start::<ROWS>(tile, row) + k).copied().unwrap_or(neutral);
            }
        }
    }
    values
}

/// Loads a tile, scans the part of each warp, and stores the total of each part in `totals`.
#[device]
fn scan_parts<T: Num, const OPERATOR: u32, const ROWS: usize>(
    x: &[T],
    tile: usize,
    totals: &mut [T; WARPS],
) -> Part<T, ROWS> {
    let neutral = identity::<T, OPERATOR>();
    let values = load_tile::<T, OPERATOR, ROWS>(x, tile);
    let mut part = Part { values, before: [neutral; ROWS] };
    let mut carry = neutral;
    for row in 0..ROWS {
        for k in 1..4 {
            let value = combine::<T, OPERATOR>(part.values[row][k - 1], part.values[row][k]);
            part.values[row][k] = value;
        }
        let own = part.values[row][3];
        let scanned = warp::inclusive_scan(own, |a, b| combine::<T, OPERATOR>(a, b));
        let previous = warp::shfl_up(scanned, 1);
        let previous = if warp::lane_id() == 0 { neutral } else { previous };
        part.before[row] = combine::<T, OPERATOR>(carry, previous);
        carry = combine::<T, OPERATOR>(carry, warp::shfl(scanned, 31));
    }
    if warp::lane_id() == 0 {
        totals[warp::warp_id()] = carry;
    }
    part
}

/// Stores the scan of a tile, of which `before` combines all elements before this warp's part.
#[device]
fn store_part<T: Num, const OPERATOR: u32, const EXCLUSIVE: bool, const ROWS: usize>(
    part: Part<T, ROWS>,
    tile: usize,
    before: T,
    out: &mut [T],
) {
    let is_whole = (tile + 1) * tile_len(ROWS) <= out.len();
    for row in 0..ROWS {
        let before = combine::<T, OPERATOR>(before, part.before[row]);
        let mut scanned = [before; 4];
        for k in 0..4 {
            if !EXCLUSIVE {
                scanned[k] = combine::<T, OPERATOR>(before, part.values[row][k]);
            } else if k > 0 {
                scanned[k] = combine::<T, OPERATOR>(before, part.values[row][k - 1]);
            }
        }
        let first = quadruple_start::<ROWS>(tile, row);
        if is_whole {
            for k in 0..4 {
                out[first + k] = scanned[k];
            }
        } else {
            for k in 0..4 {
                if first + k < out.len() {
                    out[first + k] = scanned[k];
                }
            }
        }
    }
}

/// Combines the totals of the parts before part `end`.
#[device]
fn combine_parts<T: Num, const OPERATOR: u32>(totals: &[T; WARPS], end: usize) -> T {
    let mut all = identity::<T, OPERATOR>();
    for part in 0..WARPS {
        if part < end {
            all = combine::<T, OPERATOR>(all, totals[part]);
        }
    }
    all
}

/// Scans numbers of at most 32 bits in one pass.
#[kernel(block = 512)]
fn scan_in_one_pass<T: Num, const OPERATOR: u32, const EXCLUSIVE: bool>(
    x: &[T],
    next_tile: &[AtomicU32],
    states: &[AtomicU64],
    out: &mut [T],
) {
    let before_tile = shared!([T; 1]);
    let totals = shared!([T; WARPS]);
    let tile = take_tile(next_tile);
    let part = scan_parts::<T, OPERATOR, ROWS_OF_ONE_PASS>(x, tile, totals);
    sync_threads();
    if warp::warp_id() == 0 {
        let total = combine_parts::<T, OPERATOR>(totals, WARPS);
        let before = look_back::<T, OPERATOR>(states, tile, total);
        if warp::lane_id() == 0 {
            before_tile[0] = before;
        }
    }
    sync_threads();
    let in_tile = combine_parts::<T, OPERATOR>(totals, warp::warp_id());
    let before = combine::<T, OPERATOR>(before_tile[0], in_tile);
    store_part::<T, OPERATOR, EXCLUSIVE, ROWS_OF_ONE_PASS>(part, tile, before, out);
}

/// Combines the elements of each tile.
#[kernel(block = 512)]
fn combine_tiles<T: Num, const OPERATOR: u32>(x: &[T], out: &mut [T]) {
    let tile = block_idx_x();
    let values = load_tile::<T, OPERATOR, ROWS_OF_THREE_PASSES>(x, tile);
    let mut own = identity::<T, OPERATOR>();
    for row in 0..ROWS_OF_THREE_PASSES {
        for k in 0..4 {
            own = combine::<T, OPERATOR>(own, values[row][k]);
        }
    }
    let all = block::reduce(own, |a, b| combine::<T, OPERATOR>(a, b));
    if thread_idx_x() == 0 {
        out[tile] = all;
    }
}

/// Scans each tile; `before` has, for each tile, the combination of all elements before it.
#[kernel(block = 512, min_blocks = 2)]
fn scan_tiles<T: Num, const OPERATOR: u32, const EXCLUSIVE: bool>(
    x: &[T],
    before: &[T],
    out: &mut [T],
) {
    let totals = shared!([T; WARPS]);
    let tile = block_idx_x();
    let part = scan_parts::<T, OPERATOR, ROWS_OF_THREE_PASSES>(x, tile, totals);
    sync_threads();
    let in_tile = combine_parts::<T, OPERATOR>(totals, warp::warp_id());
    let before = combine::<T, OPERATOR>(before[tile], in_tile);
    store_part::<T, OPERATOR, EXCLUSIVE, ROWS_OF_THREE_PASSES>(part, tile, before, out);
}

/// Writes to each element of `out` the combination of the elements of `x` up to and including it.
///
/// Floats are combined in an order that depends on the number of elements only.
///
/// # Errors
/// [`Error::Length`](crate::Error::Length) if the slices differ in length, and those of launches.
///
/// ```
/// use warpwise::prelude::*;
/// use warpwise_algorithms::{Operator, inclusive_scan};
///
/// let device = Device::cpu();
/// let x = device.upload(&[3, 1, 4, 1])?;
/// let mut out = device.zeros::<i32>(4)?;
/// inclusive_scan(&device, Operator::Sum, &x, &mut out)?;
/// assert_eq!(out.to_vec()?, [3, 4, 8, 9]);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
pub fn inclusive_scan<T: Num>(
    device: &Device,
    operator: Operator,
    x: &Slice<T>,
    out: &mut Slice<T>,
) -> Result<()> {
    scan::<T, false>(device, operator, x, out)
}

/// Writes to each element of `out` the combination of the elements of `x` before it, the identity
/// of the operator to the first.
///
/// Floats are combined in an order that depends on the number of elements only.
///
/// # Errors
/// [`Error::Length`](crate::Error::Length) if the slices differ in length, and those of launches.
///
/// ```
/// use warpwise::prelude::*;
/// use warpwise_algorithms::{Operator, exclusive_scan};
///
/// let device = Device::cpu();
/// let x = device.upload(&[3, 1, 4, 1])?;
/// let mut out = device.zeros::<i32>(4)?;
/// exclusive_scan(&device, Operator::Sum, &x, &mut out)?;
/// assert_eq!(out.to_vec()?, [0, 3, 4, 8]);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
pub fn exclusive_scan<T: Num>(
    device: &Device,
    operator: Operator,
    x: &Slice<T>,
    out: &mut Slice<T>,
) -> Result<()> {
    scan::<T, true>(device, operator, x, out)
}

fn scan<T: Num, const EXCLUSIVE: bool>(
    device: &Device,
    operator: Operator,
    x: &Slice<T>,
    out: &mut Slice<T>,
) -> Result<()> {
    require_length("out", out.len(), x.len())?;
    if x.is_empty() {
        return Ok(());
    }
    if is_narrow_integer::<T>() {
        let tiles = x.len().div_ceil(tile_len(ROWS_OF_ONE_PASS));
        let config = LaunchConfig::grid(tiles);
        let LookBack { mut next_tile, mut states } = LookBack::new(device, tiles)?;
        let (next_tile, states) = (&mut next_tile, &mut states);
        launch_with_operator!(
            operator,
            scan_in_one_pass::<T, EXCLUSIVE>(device, config, x, next_tile, states, out)
        )?;
        return Ok(());
    }
    let tiles = x.len().div_ceil(tile_len(ROWS_OF_THREE_PASSES));
    let config = LaunchConfig::grid(tiles);
    let mut before = device.zeros::<T>(tiles)?;
    if tiles > 1 {
        let mut totals = device.zeros::<T>(tiles)?;
        launch_with_operator!(operator, combine_tiles::<T>(device, config, x, &mut totals))?;
        scan::<T, true>(device, operator, &totals, &mut before)?;
    } else {
        device.fill(&mut before, operator.identity())?;
    }
    launch_with_operator!(operator, scan_tiles::<T, EXCLUSIVE>(device, config, x, &before, out))?;
    Ok(())
}

/// Returns true for integers of at most 32 bits.
fn is_narrow_integer<T: Num>() -> bool {
    size_of::<T>() <= 4 && T::from_f64(0.5).as_f64() == 0.0
}
