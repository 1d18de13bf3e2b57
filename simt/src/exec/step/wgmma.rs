//! Matrix products of warpgroups.
//!
//! The warps of a warpgroup begin a product together, and each computes its rows of the result on
//! the spot. So a wait for products has nothing to do but for the sanitizer.
use super::{Exec, control::Next};
use crate::{
    bytecode::{LeftFactor, Tile, WarpgroupProduct},
    observe::sanitizer::{
        access_log::{Access, LaneAddresses, LogEvent},
        tile_reads::TileRead,
    },
    vector::{
        lanes,
        mask::{Mask, bits},
    },
};
use warpwise_compiler::{
    hardware::LANES,
    ir::{Major, WgmmaOp},
    tensor_cores,
};

/// The warps of a warpgroup.
const WARPS: usize = WgmmaOp::THREADS as usize / LANES;
/// The rows of the result that a warp computes.
const ROWS: u64 = WgmmaOp::ROWS / WARPS as u64;
/// The bytes that are read at once.
const CHUNK: u64 = 16;
/// The words of a row of `a`, or of a column of `b`.
const WORDS: usize = WgmmaOp::ROW_BYTES as usize / 4;

/// The words of rows of `a`, or of columns of `b`.
type Lines = Vec<[u32; WORDS]>;

impl Exec<'_> {
    /// Continues if all warps of the warpgroups are here.
    pub(super) fn gather_warpgroups(&self) -> Next {
        let active = self.strand.active();
        let is_complete = self.is_only_strand
            && active == *self.live
            && active.warps().count().is_multiple_of(WARPS)
            && active.warps().all(|(_, lanes)| lanes == u32::MAX);
        if is_complete { Next::Continue } else { Next::Wait }
    }

    /// Computes the rows of the active warps.
    pub(super) fn multiply_by_warpgroup(&mut self, product: &WarpgroupProduct) -> Next {
        self.check_tiles(product);
        for (warp, lanes) in self.strand.active().warps() {
            if let Err(address) = self.multiply_rows(product, warp, lanes) {
                return Next::OutOfBounds(address);
            }
        }
        Next::Continue
    }

    /// Computes the rows of a warp of the group; `Err` with the address that is not in memory.
    fn multiply_rows(
        &mut self,
        product: &WarpgroupProduct,
        warp: usize,
        lanes: u32,
    ) -> Result<(), u64> {
        let WarpgroupProduct { op, columns, sums, .. } = *product;
        let first_lane = warp * LANES + lanes.trailing_zeros() as usize;
        let number = self.position.first_thread / LANES + warp;
        let first_row = (number % WARPS) as u64 * ROWS;
        let a = match &product.a {
            LeftFactor::Tile(tile) => {
                let start = self.byte_address(tile.at, first_lane);
                self.read_lines(op.a.unwrap_or(Major::K), start, first_row..first_row + ROWS)?
            }
            LeftFactor::Words(words) => {
                let word = |row: u64, word: u64| {
                    let [word, lane] = WgmmaOp::place_of_word(row, word);
                    let in_group = warp * LANES + lane as usize;
                    self.operand_value(words[word as usize], in_group) as u32
                };
                (0..ROWS).map(|row| std::array::from_fn(|i| word(row, i as u64))).collect()
            }
        };
        let b = self.read_lines(op.b, self.byte_address(product.b.at, first_lane), 0..columns)?;
        for lane in bits(lanes) {
            let in_group = warp * LANES + lane;
            for i in 0..WgmmaOp::sums(columns) {
                let [row, column] = WgmmaOp::place_of_sum(lane as u64, i);
                let place = self.array_place(sums, in_group);
                let Some((array, at)) = place.map(|(array, at)| (array, at + 4 * i)) else {
                    return Err(at_sum(i));
                };
                let sum = if op.accumulates {
                    self.registers.get_from_array(array, at, 4, in_group)
                } else {
                    Some(0)
                };
                let sum = sum.ok_or(at_sum(i))? as u32;
                let sum = multiply(op, &a[row as usize], &b[column as usize], sum);
                let set = self.registers.set_in_array(array, at, 4, in_group, sum.into());
                set.ok_or(at_sum(i))?;
            }
        }
        Ok(())
    }

    /// Reads rows of `a`, or columns of `b`, from tiles at an address.
    fn read_lines(
        &self,
        major: Major,
        start: u64,
        lines: std::ops::Range<u64>,
    ) -> Result<Lines, u64> {
        let mut read = vec![[0; WORDS]; (lines.end - lines.start) as usize];
        let chunk = |offset: u64| {
            let at = WgmmaOp::swizzle(start + offset);
            self.read_bytes(at, CHUNK).ok_or(at)
        };
        match major {
            Major::K => {
                for (line, words) in lines.zip(&mut read) {
                    for first in (0..WORDS).step_by(4) {
                        let chunk = chunk(WgmmaOp::word_offset(line, first as u64))?;
                        for (i, word) in words[first..first + 4].iter_mut().enumerate() {
                            *word = (chunk >> (32 * i)) as u32;
                        }
                    }
                }
            }
            // Elements are halves, of which a chunk has those of eight lines.
            Major::Mn => {
                for first in (0..read.len()).step_by(8) {
                    for k in 0..2 * WORDS {
                        let chunk =
                            chunk(WgmmaOp::half_offset(lines.start + first as u64, k as u64))?;
                        for (i, words) in read[first..first + 8].iter_mut().enumerate() {
                            let half = (chunk >> (16 * i)) as u16;
                            words[k / 2] |= u32::from(half) << (16 * (k % 2));
                        }
                    }
                }
            }
        }
        Ok(read)
    }

    /// Hands the tiles that the active warps read to the sanitizer.
    fn check_tiles(&mut self, product: &WarpgroupProduct) {
        if self.bound.checks.is_none() {
            return;
        }
        let a = match &product.a {
            LeftFactor::Tile(tile) => Some(*tile),
            LeftFactor::Words(_) => None,
        };
        for (warp, lanes) in self.strand.active().warps() {
            let lane = warp * LANES + lanes.trailing_zeros() as usize;
            let tiles = a.into_iter().chain([product.b]);
            let reads: Vec<TileRead> = tiles
                .filter_map(|Tile { at, site }| Some((site?, self.byte_address(at, lane))))
                .collect();
            self.log_tile_accesses(lane, &reads);
            if let Some(checks) = &mut self.checks {
                checks.tile_reads.insert(self.position.first_thread / LANES + warp, reads);
            }
        }
    }

    /// Hands the tiles to the sanitizer that products have read that are waited for: all but the
    /// last `pending`.
    pub(super) fn wait_for_products(&mut self, pending: usize) -> Next {
        for (warp, lanes) in self.strand.active().warps() {
            let number = self.position.first_thread / LANES + warp;
            let Some(checks) = &mut self.checks else { continue };
            let reads = checks.tile_reads.take(number, pending);
            self.log_tile_accesses(warp * LANES + lanes.trailing_zeros() as usize, &reads);
        }
        Next::Continue
    }

    /// Records that a lane accesses tiles, as their sites say.
    pub(super) fn log_tile_accesses(&mut self, lane: usize, accesses: &[TileRead]) {
        let (Some(launch), Some(checks)) = (&self.bound.checks, &mut self.checks) else { return };
        for (number, address) in accesses {
            if let Some(used) = &launch.used {
                let (buffer, first) = lanes::resolve(*address);
                let bytes = self.code.sites[*number as usize].bytes;
                used.mark(self.code.own_buffer(buffer), first, bytes);
            }
            if !launch.may_race_at(*number) {
                continue;
            }
            let log = &mut checks.log(true).addresses;
            let first = log.len();
            log.resize(first + lane + 1, 0);
            log[first + lane] = *address;
            let mut lanes = Mask::EMPTY;
            lanes.insert(lane);
            let (first_thread, places) =
                (self.position.first_thread as u32, LaneAddresses::Each(first));
            let access = Access { site: *number, first_thread, lanes, places, value: None };
            checks.log_event((self.code, launch), true, LogEvent::Access(access), None);
        }
    }
}

/// Returns a sum with the products of a row and a column.
fn multiply(op: WgmmaOp, row: &[u32; WORDS], column: &[u32; WORDS], sum: u32) -> u32 {
    let step = WORDS / WgmmaOp::STEPS;
    let steps = row.chunks(step).zip(column.chunks(step));
    steps.fold(sum, |sum, (a, b)| tensor_cores::add_products(op.ty, a, b, sum))
}

/// The offset of a sum in its array.
const fn at_sum(number: u64) -> u64 {
    4 * number
}
