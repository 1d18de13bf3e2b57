//! Arrivals and waits at mbarriers, and the bulk copies that they expect.
use super::{Exec, Stop, control::Next, count::CountedCopy};
use crate::{
    bytecode::{Address, Malformed, Operand},
    exec::mbarriers::{BulkCopy, CopySource},
    vector::{
        mask::{Mask, bits},
        registers::Reg,
    },
};
use std::iter;
use warpwise_compiler::ir::Span;

impl Exec<'_> {
    /// Lets the active lanes arrive, one after the other, and sets their tokens.
    pub(super) fn arrive_at_mbarriers(
        &mut self,
        barrier: Address<Operand>,
        to: Reg,
        bytes: Option<Operand>,
    ) -> Next {
        if let Err(next) = self.receive_multicasts() {
            return next;
        }
        for lane in self.strand.active().lanes() {
            let address = self.byte_address(barrier, lane);
            let bytes = bytes.map_or(0, |bytes| self.operand_value(bytes, lane) as u32);
            match self.arrive_at_mbarrier(address, lane, bytes) {
                Ok(parity) => self.registers.set(to, lane, parity.into()),
                Err(next) => return next,
            }
        }
        Next::Continue
    }

    /// Returns the parity of the phase in which a lane arrives.
    fn arrive_at_mbarrier(&mut self, address: u64, lane: usize, bytes: u32) -> Result<bool, Next> {
        let span = self.executed_span();
        // On hardware, too, this is the next phase if the copies have taken place.
        if self.mbarriers.at(address, span).map_err(malformed)?.lacks_only_copies() {
            self.perform_bulk_copies(address, lane)?;
        }
        let barrier = self.mbarriers.at(address, span).map_err(malformed)?;
        let parity = barrier.parity();
        if let Some(checks) = &mut self.checks {
            let thread = (self.position.first_thread + lane) as u32;
            checks.arrive_at_partial_barrier([thread].into_iter(), &mut barrier.arrived);
        }
        let is_last = barrier.arrive(bytes);
        self.mbarriers.has_all_arrivals |= is_last;
        Ok(parity)
    }

    /// Lets the active lanes pass if the phases of their warp are complete: all, or the block
    /// separates the warps. On a GPU the lanes that leave the loop of a wait first wait for the
    /// others of their warp.
    pub(super) fn wait_for_mbarriers(&mut self, barrier: Address<Operand>, phase: Operand) -> Next {
        if let Err(next) = self.receive_multicasts() {
            return next;
        }
        let (active, mut ready) = (self.strand.active(), Mask::EMPTY);
        for lane in active.lanes() {
            let parity = self.operand_value(phase, lane) & 1 != 0;
            let address = self.byte_address(barrier, lane);
            match self.test_mbarrier(address, lane, parity) {
                Ok(true) => ready.insert(lane),
                Ok(false) => {}
                Err(next) => return next,
            }
        }
        if ready == active {
            return Next::Continue;
        }
        for (warp, lanes) in active.warps() {
            if ready.0[warp] & lanes != lanes {
                ready.remove(Mask::of_warp(warp, lanes));
            }
        }
        self.mbarriers.ready = ready;
        Next::Wait
    }

    /// Returns true if the phase of a parity is complete, for a lane that waits for it.
    fn test_mbarrier(&mut self, address: u64, lane: usize, parity: bool) -> Result<bool, Next> {
        let span = self.executed_span();
        let barrier = self.mbarriers.at(address, span).map_err(malformed)?;
        if barrier.parity() == parity {
            if !barrier.lacks_only_copies() {
                return Ok(false);
            }
            self.perform_bulk_copies(address, lane)?;
        }
        let barrier = self.mbarriers.at(address, span).map_err(malformed)?;
        if let Some(checks) = &mut self.checks {
            let thread = (self.position.first_thread + lane) as u32;
            checks.pass_partial_barrier([thread].into_iter(), &barrier.completed);
        }
        Ok(true)
    }

    /// Begins the copy with this index in the active lanes.
    pub(super) fn begin_bulk_copy(&mut self, number: u32, barrier: Address<Operand>) -> Next {
        let copy = &self.code.async_copies[number as usize];
        for lane in self.strand.active().lanes() {
            let [to, from] = [copy.to, copy.from].map(|end| self.byte_address(end, lane));
            self.check_begun_copies(copy, &[(lane, [to, from])]);
            if let Some(counter) = copy.counter {
                let bytes = u64::from(copy.bytes);
                let counted = CountedCopy { counter, is_load: true, bytes };
                self.count_bulk_copy(&counted, iter::once(from..from + bytes));
            }
            let begun = (number, to, CopySource::Bytes(from));
            if let Err(next) = self.expect_copy(barrier, lane, begun) {
                return next;
            }
        }
        Next::Continue
    }

    /// Adds a copy of a lane, with the number of its instruction's copy and its ends, to those that
    /// an mbarrier expects.
    pub(super) fn expect_copy(
        &mut self,
        barrier: Address<Operand>,
        lane: usize,
        (copy, to, from): (u32, u64, CopySource),
    ) -> Result<(), Next> {
        let (address, span) = (self.byte_address(barrier, lane), self.executed_span());
        let thread = (self.position.first_thread + lane) as u32;
        let barrier = self.mbarriers.at(address, span).map_err(malformed)?;
        barrier.expect(BulkCopy { copy, thread, to, from, is_multicast: false });
        if let Some(checks) = &mut self.checks {
            checks.arrive_at_partial_barrier([thread].into_iter(), &mut barrier.arrived);
        }
        Ok(())
    }

    /// Sends a lane's copy, with the number of its instruction's copy and its ends, to blocks of
    /// the cluster by the bits of their ranks.
    pub(super) fn send_multicast(
        &mut self,
        barrier: Address<Operand>,
        lane: usize,
        (copy, to, from): (u32, u64, CopySource),
        ranks: u32,
    ) {
        let Some((cluster, own)) = self.cluster else { return };
        let thread = (self.position.first_thread + lane) as u32;
        let sent = BulkCopy { copy, thread, to, from, is_multicast: true };
        let barrier = self.byte_address(barrier, lane);
        cluster.send(bits(ranks), barrier, sent);
        // The block's own threads may wait for it already.
        self.mbarriers.has_all_arrivals |= ranks >> own & 1 != 0;
    }

    /// Adds the copies that blocks of the cluster have sent to this one to their mbarriers.
    fn receive_multicasts(&mut self) -> Result<(), Next> {
        let Some((cluster, rank)) = self.cluster.filter(|_| self.code.has_multicasts) else {
            return Ok(());
        };
        let span = self.executed_span();
        let lane = self.strand.active().lanes().next().unwrap_or(0);
        for (address, copy) in cluster.receive(rank) {
            // The copy belongs to the next phase.
            if self.mbarriers.at(address, span).map_err(malformed)?.lacks_only_copies() {
                self.perform_bulk_copies(address, lane)?;
            }
            let bytes = self.code.tensor_copies[copy.copy as usize].shared.bytes;
            self.mbarriers.at(address, span).map_err(malformed)?.receive(copy, bytes);
            self.mbarriers.has_all_arrivals = true;
            if let (Some(launch), Some(checks), Some(site)) =
                (&self.bound.checks, &mut self.checks, copy.site(self.code))
                && launch.checks_races
            {
                let to = ((copy.to, site), None);
                checks.pending_copies.insert(launch, copy.thread, to, bytes);
            }
        }
        Ok(())
    }

    /// Records the writes of the copies from several blocks that the phase of an mbarrier lacks, as
    /// writes by a lane after all arrivals: that lane, and the ones that wait, know of them.
    fn check_received_copies(&mut self, address: u64, lane: usize) -> Result<(), Next> {
        let span = self.executed_span();
        let barrier = self.mbarriers.at(address, span).map_err(malformed)?;
        let writes = barrier.multicasts(self.code);
        if writes.is_empty() {
            return Ok(());
        }
        let thread = (self.position.first_thread + lane) as u32;
        if let Some(checks) = &mut self.checks {
            checks.pass_partial_barrier([thread].into_iter(), &barrier.arrived);
        }
        self.log_tile_accesses(lane, &writes);
        let barrier = self.mbarriers.at(address, span).map_err(malformed)?;
        if let Some(checks) = &mut self.checks {
            checks.arrive_at_partial_barrier([thread].into_iter(), &mut barrier.arrived);
        }
        Ok(())
    }

    /// Performs the copies that the phase of an mbarrier lacks, which completes it, for a lane that
    /// waits or arrives.
    fn perform_bulk_copies(&mut self, address: u64, lane: usize) -> Result<(), Next> {
        let span = self.executed_span();
        self.check_received_copies(address, lane)?;
        let copies = self.mbarriers.at(address, span).map_err(malformed)?.take_copies();
        self.mbarriers.has_all_arrivals = true;
        for copy in copies {
            self.check_done_bulk_copy(&copy);
            let BulkCopy { copy, to, ref from, .. } = copy;
            let done = match from {
                CopySource::Bytes(from) => {
                    let bytes = self.code.async_copies[copy as usize].bytes;
                    self.copy_bytes([to, *from], bytes.into())
                }
                CopySource::Tensor(place) => {
                    self.load_box(&self.code.tensor_copies[copy as usize], place, to)
                }
            };
            if done.is_none() {
                return Err(Next::OutOfBounds(to));
            }
        }
        Ok(())
    }

    /// Tells the sanitizer that a copy is done.
    fn check_done_bulk_copy(&mut self, copy: &BulkCopy) {
        let (Some(launch), Some(checks)) = (&self.bound.checks, &mut self.checks) else { return };
        if copy.site(self.code).is_none() || !launch.checks_races {
            return;
        }
        let (from, bytes) = match copy.from {
            CopySource::Bytes(from) => {
                (Some(from), self.code.async_copies[copy.copy as usize].bytes)
            }
            CopySource::Tensor(_) => {
                (None, self.code.tensor_copies[copy.copy as usize].shared.bytes)
            }
        };
        checks.pending_copies.remove(launch, (copy.to, from), bytes);
    }

    /// Returns the position in the source of the instruction that is executed.
    fn executed_span(&self) -> Span {
        self.code.spans[self.strand.pc as usize - 1]
    }
}

fn malformed(error: Malformed) -> Next {
    Next::Stop(Stop::Malformed(error))
}
