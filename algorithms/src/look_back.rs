//! Decoupled look-back: blocks learn what the blocks before them hold, in one pass over the data.
//!
//! A block publishes the total of its tile at once, and the prefix, up to and including its tile,
//! as soon as it knows it. It adds up the totals of the tiles before it until it meets a prefix.
//! After D. Merrill and M. Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back*,
//! 2016.
use crate::{
    error::Result,
    operator::{combine, identity},
};
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

/// The flag of a state that holds the total of a tile.
#[device]
const TOTAL: u64 = 1;
/// The flag of a state that holds the total of all tiles up to and including this one.
#[device]
const PREFIX: u64 = 2;

/// Rows of 32 states that a warp reads at a time: the tiles in flight on a large GPU take two or
/// three times as many.
#[device]
const WINDOW: usize = 4;

/// Packs a flag and a value of at most 32 bits into a word, so that they arrive together.
#[device]
fn pack<T: Num>(flag: u64, value: T) -> u64 {
    flag << 32 | value.as_usize() as u64 & 0xffff_ffff
}

#[device]
fn unpack<T: Num>(state: u64) -> T {
    T::from_usize((state & 0xffff_ffff) as usize)
}

/// Takes the next tile for the block, and returns its number. All threads of the block call it.
///
/// Blocks start in any order, and a tile may only wait for tiles that others have begun.
#[device]
pub(crate) fn take_tile(next_tile: &[AtomicU32]) -> usize {
    let taken = shared!([u32; 1]);
    if thread_idx_x() == 0 {
        taken[0] = next_tile[0].fetch_add(1, Ordering::Relaxed);
    }
    sync_threads();
    // All lanes read the same number, as the compiler learns from this.
    warp::shfl(taken[0], 0) as usize
}

/// Returns the combined elements of the tiles before `tile`, and publishes `total`, that of this
/// one.
///
/// All lanes of one warp of the block call it. The states are 0 before the launch, and blocks
/// [take](take_tile) their tiles in order.
#[device]
pub(crate) fn look_back<T: Num, const OPERATOR: u32>(
    states: &[AtomicU64],
    tile: usize,
    total: T,
) -> T {
    let lane = warp::lane_id();
    let mut before = identity::<T, OPERATOR>();
    if tile > 0 {
        if lane == 0 {
            states[tile].store(pack(TOTAL, total), Ordering::Relaxed);
        }
        let mut end = tile;
        let mut is_found = false;
        while !is_found {
            // Before the first tile there is nothing.
            let mut window = [pack(PREFIX, identity::<T, OPERATOR>()); WINDOW];
            for row in 0..WINDOW {
                if row * 32 + lane < end {
                    window[row] = states[end - 1 - (row * 32 + lane)].load(Ordering::Relaxed);
                }
            }
            let mut value = identity::<T, OPERATOR>();
            for row in 0..WINDOW {
                if !is_found {
                    let mut state = window[row];
                    while state >> 32 == 0 {
                        state = states[end - 1 - (row * 32 + lane)].load(Ordering::Relaxed);
                    }
                    let prefixes = warp::ballot(state >> 32 == PREFIX);
                    if lane as u32 <= prefixes.trailing_zeros() {
                        value = combine::<T, OPERATOR>(unpack(state), value);
                    }
                    is_found = prefixes != 0;
                }
            }
            let all = warp::reduce(value, |a, b| combine::<T, OPERATOR>(a, b));
            before = combine::<T, OPERATOR>(all, before);
            end -= (WINDOW * 32).min(end);
        }
    }
    if lane == 0 {
        let prefix = combine::<T, OPERATOR>(before, total);
        states[tile].store(pack(PREFIX, prefix), Ordering::Relaxed);
    }
    before
}

/// The memory of a launch whose blocks look back.
pub(crate) struct LookBack {
    pub(crate) next_tile: Buffer<u32>,
    pub(crate) states: Buffer<u64>,
}

impl LookBack {
    /// Allocates the memory for `tiles` tiles. A graph that records the launch fills it each time.
    pub(crate) fn new(device: &Device, tiles: usize) -> Result<Self> {
        let mut memory = Self { next_tile: device.zeros(1)?, states: device.zeros(tiles)? };
        device.fill(&mut memory.next_tile, 0)?;
        device.fill(&mut memory.states, 0)?;
        Ok(memory)
    }
}
