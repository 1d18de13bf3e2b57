//! Stream compaction: the elements with a flag, in their order.
use crate::{
    error::{Error, Result, require_length},
    look_back::{LookBack, look_back, take_tile},
    operator::SUM,
};
use warpwise::{Slice, prelude::*};

/// Elements of a tile: a block of 16 warps selects from it, 32 elements a thread.
#[device]
const TILE: usize = 16384;
#[device]
const WARPS: usize = 16;
/// Rows of 32 elements in a warp's part of a tile.
#[device]
const ROWS: usize = 32;

/// Moves the elements with a flag next to each other, and stores their number in `count`.
#[kernel(block = 512, requires(flags.len() == x.len()))]
fn select_tiles<T: Num>(
    x: &[T],
    flags: &[bool],
    next_tile: &[AtomicU32],
    states: &[AtomicU64],
    out: &mut [T],
    count: &mut u32,
) {
    let before_tile = shared!([u32; 1]);
    let totals = shared!([u32; WARPS]);
    let (warp, lane) = (warp::warp_id(), warp::lane_id());
    let tile = take_tile(next_tile);
    let first = tile * TILE + warp * (ROWS * 32) + lane;

    // A warp reads whole rows, so that its lanes access neighbouring elements. Each row's flags
    // become a word of bits, which every lane has.
    let mut values = [T::ZERO; ROWS];
    // A bit for each row.
    let mut own_flags = 0;
    if (tile + 1) * TILE <= x.len() {
        for row in 0..ROWS {
            values[row] = x[first + row * 32];
            own_flags |= (flags[first + row * 32] as u32) << row;
        }
    } else {
        for row in 0..ROWS {
            let i = first + row * 32;
            if i < x.len() {
                values[row] = x[i];
                own_flags |= (flags[i] as u32) << row;
            }
        }
    }
    let mut in_warp = 0;
    for row in 0..ROWS {
        in_warp += warp::ballot(own_flags >> row & 1 == 1).count_ones();
    }
    if lane == 0 {
        totals[warp] = in_warp;
    }
    sync_threads();
    // One warp publishes the number of the tile, and finds that of the tiles before it.
    if warp == 0 {
        let total: u32 = totals.iter().sum();
        let before = look_back::<u32, SUM>(states, tile, total);
        if lane == 0 {
            before_tile[0] = before;
            if (tile + 1) * TILE >= x.len() {
                *count = before + total;
            }
        }
    }
    sync_threads();
    // Row by row, and by lanes within a row: the order of the elements.
    let mut before = before_tile[0];
    for other in 0..warp {
        before += totals[other];
    }
    for row in 0..ROWS {
        let is_selected = own_flags >> row & 1 == 1;
        let selected = warp::ballot(is_selected);
        if is_selected {
            let place = before + (selected & warp::lanemask_lt()).count_ones();
            out[place as usize] = values[row];
        }
        before += selected.count_ones();
    }
}

/// Writes the elements of `x` whose flag is true to the start of `out`, in their order, and returns
/// their number.
///
/// # Errors
/// [`Error::Length`] unless there is a flag for each element, [`Error::TooLong`] for 2^32 elements
/// or more, a fault of the kernel if `out` has too few elements, and those of launches and copies.
///
/// ```
/// use warpwise::prelude::*;
/// use warpwise_algorithms::select;
///
/// let device = Device::cpu();
/// let x = device.upload(&[1.5f32, 2.5, 3.5, 4.5])?;
/// let flags = device.upload(&[true, false, false, true])?;
/// let mut out = device.zeros::<f32>(4)?;
/// let count = select(&device, &x, &flags, &mut out)?;
/// assert_eq!(out.slice(..count)?.to_vec()?, [1.5, 4.5]);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
pub fn select<T: Num>(
    device: &Device,
    x: &Slice<T>,
    flags: &Slice<bool>,
    out: &mut Slice<T>,
) -> Result<usize> {
    let mut count = device.zeros::<u32>(1)?;
    select_into(device, x, flags, out, &mut count)?;
    Ok(count.to_vec()?[0] as usize)
}

/// Does the same as [`select`] and writes the number to the first element of `count`, without
/// waiting for it.
///
/// ```
/// use warpwise::prelude::*;
/// use warpwise_algorithms::select_into;
///
/// // Without a wait between the two selections.
/// let device = Device::cpu();
/// let x = device.upload(&[5, 6, 7, 8])?;
/// let low = device.upload(&[true, false, false, true])?;
/// let high = device.upload(&[false, true, true, true])?;
/// let (mut first, mut second) = (device.zeros::<i32>(4)?, device.zeros::<i32>(4)?);
/// let mut counts = device.zeros::<u32>(2)?;
/// select_into(&device, &x, &low, &mut first, &mut counts.slice_mut(..1)?)?;
/// select_into(&device, &x, &high, &mut second, &mut counts.slice_mut(1..)?)?;
/// assert_eq!(counts.to_vec()?, [2, 3]);
/// assert_eq!((&first.to_vec()?[..2], &second.to_vec()?[..3]), (&[5, 8][..], &[6, 7, 8][..]));
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
///
/// # Errors
/// As of [`select`], and [`Error::Length`] unless `count` has one element.
pub fn select_into<T: Num>(
    device: &Device,
    x: &Slice<T>,
    flags: &Slice<bool>,
    out: &mut Slice<T>,
    count: &mut Slice<u32>,
) -> Result<()> {
    require_length("flags", flags.len(), x.len())?;
    require_length("count", count.len(), 1)?;
    let most = u32::MAX as usize;
    if x.len() > most {
        return Err(Error::TooLong { found: x.len(), most });
    }
    if x.is_empty() {
        device.fill(count, 0)?;
        return Ok(());
    }
    let tiles = x.len().div_ceil(TILE);
    let LookBack { mut next_tile, mut states } = LookBack::new(device, tiles)?;
    let config = LaunchConfig::grid(tiles);
    select_tiles::launch(device, config, x, flags, &mut next_tile, &mut states, out, count)?;
    Ok(())
}
