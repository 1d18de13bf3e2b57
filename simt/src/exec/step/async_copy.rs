//! Asynchronous copies: their beginning, and the waits that perform them.
use super::{Exec, access::with_word, control::Next};
use crate::{
    bytecode::{AsyncCopy, COPY_WORD_BYTES},
    exec::async_copies::{BegunCopies, LaneCopy},
    observe::sanitizer::access_log::{Access, LaneAddresses, LogEvent},
    vector::{
        lanes::resolve,
        mask::Mask,
        memory::{Cells, Word},
    },
};

/// Bytes that are copied at once.
const CHUNK_BYTES: u64 = 16;

impl Exec<'_> {
    /// Begins the copy with this index in the active lanes.
    pub(super) fn begin_async_copy(&mut self, number: u32) -> Next {
        let copy = &self.code.async_copies[number as usize];
        let lanes = self.strand.active().lanes();
        let addresses = lanes.map(|lane| {
            (lane, [self.byte_address(copy.to, lane), self.byte_address(copy.from, lane)])
        });
        let addresses: Vec<_> = addresses.collect();
        self.check_begun_copies(copy, &addresses);
        let oldest = self.async_copies.begin(number, addresses.into_iter());
        self.perform_copies(oldest.as_slice())
    }

    /// Performs the copies of the active lanes' closed groups, but for the last `pending`.
    pub(super) fn wait_for_copies(&mut self, pending: u32) -> Next {
        let done = self.async_copies.take_closed(self.strand.active(), pending.into());
        self.perform_copies(&done)
    }

    fn perform_copies(&mut self, copies: &[BegunCopies]) -> Next {
        for BegunCopies { copy, lanes } in copies {
            self.check_done_copies(&self.code.async_copies[*copy as usize], lanes);
            let bytes = self.code.async_copies[*copy as usize].bytes;
            for lane in lanes {
                if self.copy_bytes([lane.to, lane.from], bytes.into()).is_none() {
                    return Next::OutOfBounds(lane.from);
                }
            }
        }
        Next::Continue
    }

    /// Hands copies that begin to the sanitizer.
    pub(super) fn check_begun_copies(&mut self, copy: &AsyncCopy, lanes: &[(usize, [u64; 2])]) {
        let (Some(launch), Some(checks)) = (&self.bound.checks, &mut self.checks) else { return };
        let Some([to_site, from_site]) = copy.sites.filter(|_| launch.checks_races) else { return };
        for (lane, [to, from]) in lanes {
            let thread = (self.position.first_thread + lane) as u32;
            let ends = ((*to, to_site), Some((*from, from_site)));
            checks.pending_copies.insert(launch, thread, ends, copy.bytes);
        }
    }

    /// Hands copies that are waited for to the sanitizer: they count as accesses here, too.
    fn check_done_copies(&mut self, copy: &AsyncCopy, lanes: &[LaneCopy]) {
        let (Some(launch), Some(checks)) = (&self.bound.checks, &mut self.checks) else { return };
        let Some([to_site, from_site]) = copy.sites.filter(|_| launch.checks_races) else { return };
        for LaneCopy { to, from, .. } in lanes {
            checks.pending_copies.remove(launch, (*to, Some(*from)), copy.bytes);
        }
        let addresses: [fn(&LaneCopy) -> u64; 2] = [|lane| lane.to, |lane| lane.from];
        for (site, address) in [to_site, from_site].into_iter().zip(addresses) {
            if !launch.may_race_at(site) {
                continue;
            }
            let is_shared = self.code.sites[site as usize].is_shared;
            let log = &mut checks.log(is_shared).addresses;
            let first = log.len();
            let last = lanes.iter().map(|copy| copy.lane as usize).max().unwrap_or(0);
            log.resize(first + last + 1, 0);
            let mut mask = Mask::EMPTY;
            for copy in lanes {
                let lane = copy.lane as usize;
                log[first + lane] = address(copy);
                mask.insert(lane);
            }
            let (first_thread, places) =
                (self.position.first_thread as u32, LaneAddresses::Each(first));
            let access = Access { site, first_thread, lanes: mask, places, value: None };
            checks.log_event((self.code, launch), is_shared, LogEvent::Access(access), None);
        }
    }

    /// Copies `bytes` bytes; `None` if they are out of bounds.
    pub(super) fn copy_bytes(&self, ends: [u64; 2], bytes: u64) -> Option<()> {
        (0..bytes).step_by(CHUNK_BYTES as usize).try_for_each(|start| {
            let [to, from] = ends.map(|end| end.wrapping_add(start));
            let bytes = CHUNK_BYTES.min(bytes - start);
            let value = self.read_bytes(from, bytes)?;
            self.write_bytes(to, (bytes, value))
        })
    }

    /// Returns `bytes` bytes, at most 16, the lowest first; `None` if they are out of bounds.
    pub(super) fn read_bytes(&self, from: u64, bytes: u64) -> Option<u128> {
        let (source, from) = resolve(from);
        let source = self.buffer_cells(source)?;
        with_word!(word_bytes(source), self.read_words(source, from, bytes))
    }

    /// Writes the lowest `bytes` bytes of a value, at most 16; `None` if they are out of bounds.
    pub(super) fn write_bytes(&self, to: u64, value: (u64, u128)) -> Option<()> {
        let (target, to) = resolve(to);
        let target = self.buffer_cells(target)?;
        with_word!(word_bytes(target), self.write_words(target, to, value))
    }

    /// Returns `bytes` bytes, the lowest first.
    pub(super) fn read_words<W: Word>(
        &self,
        cells: Cells<'_>,
        from: u64,
        bytes: u64,
    ) -> Option<u128> {
        let mut words = (0..bytes).step_by(size_of::<W>());
        words.try_fold(0, |value, at| {
            let word = cells.load::<W>(from.checked_add(at)?, false)?;
            Some(value | u128::from(word.bits()) << (at * 8))
        })
    }

    /// Writes the lowest `bytes` bytes of a value.
    pub(super) fn write_words<W: Word>(
        &self,
        cells: Cells<'_>,
        to: u64,
        (bytes, value): (u64, u128),
    ) -> Option<()> {
        let mut words = (0..bytes).step_by(size_of::<W>());
        words.try_for_each(|at| {
            let word = W::of_bits((value >> (at * 8)) as u64);
            cells.store(to.checked_add(at)?, word, false)
        })
    }
}

/// Returns the size of the words by which copies access memory: all kernels copy in the same words
/// where a memory permits several.
fn word_bytes(cells: Cells<'_>) -> usize {
    let sizes = [COPY_WORD_BYTES as usize, 8, 2];
    sizes.into_iter().find(|bytes| cells.allows(*bytes)).unwrap_or(1)
}
