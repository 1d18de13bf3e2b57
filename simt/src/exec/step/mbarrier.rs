//! Arrivals and waits at mbarriers.
use super::{Exec, Stop, control::Next};
use crate::{
    bytecode::{Address, Malformed, Operand},
    vector::{mask::Mask, registers::Reg},
};

impl Exec<'_> {
    /// Lets the active lanes arrive, one after the other, and sets their tokens.
    pub(super) fn arrive_at_mbarriers(&mut self, barrier: Address<Operand>, to: Reg) -> Next {
        for lane in self.strand.active().lanes() {
            let address = self.byte_address(barrier, lane);
            match self.arrive_at_mbarrier(address, lane) {
                Ok(parity) => self.registers.set(to, lane, parity.into()),
                Err(malformed) => return Next::Stop(Stop::Malformed(malformed)),
            }
        }
        Next::Continue
    }

    /// Returns the parity of the phase in which a lane arrives.
    fn arrive_at_mbarrier(&mut self, address: u64, lane: usize) -> Result<bool, Malformed> {
        let span = self.code.spans[self.strand.pc as usize - 1];
        let barrier = self.mbarriers.at(address, span)?;
        let parity = barrier.parity();
        if let Some(checks) = &mut self.checks {
            let thread = (self.position.first_thread + lane) as u32;
            checks.arrive_at_partial_barrier([thread].into_iter(), &mut barrier.arrived);
        }
        let completes = barrier.arrive();
        self.mbarriers.has_completed |= completes;
        Ok(parity)
    }

    /// Lets the active lanes pass whose phases are complete: all, or the block separates them.
    pub(super) fn wait_for_mbarriers(&mut self, barrier: Address<Operand>, phase: Operand) -> Next {
        let (active, mut ready) = (self.strand.active(), Mask::EMPTY);
        let span = self.code.spans[self.strand.pc as usize - 1];
        for lane in active.lanes() {
            let parity = self.operand_value(phase, lane) & 1 != 0;
            let address = self.byte_address(barrier, lane);
            let barrier = match self.mbarriers.at(address, span) {
                Ok(barrier) => barrier,
                Err(malformed) => return Next::Stop(Stop::Malformed(malformed)),
            };
            if barrier.parity() == parity {
                continue;
            }
            ready.insert(lane);
            if let Some(checks) = &mut self.checks {
                let thread = (self.position.first_thread + lane) as u32;
                checks.pass_partial_barrier([thread].into_iter(), &barrier.completed);
            }
        }
        if ready == active {
            return Next::Continue;
        }
        self.mbarriers.ready = ready;
        Next::Wait
    }
}
