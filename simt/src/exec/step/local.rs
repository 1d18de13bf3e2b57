//! Loads and stores of thread-local arrays.
//!
//! Where all lanes access the same element, and the array is laid out lane by lane, they are moved
//! at once. Otherwise each active lane computes its own address.
use super::{Exec, control::Next};
use crate::{
    bytecode::{Address, Operand},
    observe::counters::tally::RequestCost,
    vector::{
        lanes::resolve,
        registers::{Array, Reg},
    },
};
use warpwise_compiler::hardware::{LANES, local::count_sectors};

impl Exec<'_> {
    pub(super) fn load_local(&mut self, to: Reg, from: Address<Operand>) -> Next {
        if let Some((array, offset)) = self.uniform_place(from) {
            for run in self.strand.runs() {
                if !self.registers.load_array(array, offset, to, *run) {
                    return self.out_of_bounds(from, run.first);
                }
            }
            return Next::Continue;
        }
        for lane in self.strand.active().lanes() {
            let place = self.array_place(from, lane);
            let loaded = place
                .and_then(|(array, at)| self.registers.get_from_array(array, at, to.size(), lane));
            let Some(bits) = loaded else { return self.out_of_bounds(from, lane) };
            self.registers.set(to, lane, bits);
        }
        Next::Continue
    }

    pub(super) fn store_local(&mut self, value: Reg, to: Address<Operand>) -> Next {
        let active = self.strand.active();
        if let Some((array, offset)) = self.uniform_place(to) {
            for run in self.strand.runs() {
                if !self.registers.store_array(array, offset, value, active, *run) {
                    return self.out_of_bounds(to, run.first);
                }
            }
            return Next::Continue;
        }
        for lane in active.lanes() {
            let bits = self.registers.get(value, lane);
            let stored = self.array_place(to, lane).and_then(|(array, at)| {
                self.registers.set_in_array(array, at, value.size(), lane, bits)
            });
            let Some(()) = stored else { return self.out_of_bounds(to, lane) };
        }
        Next::Continue
    }

    /// Counts the sectors of local memory that each warp accesses.
    pub(super) fn count_local(&mut self, at: Address<Operand>, bytes: u32, counter: u32) {
        let mut all = RequestCost::default();
        for (warp, active) in self.strand.active().warps() {
            let offset = |lane: usize| {
                let is_active = active >> lane & 1 == 1;
                let place = is_active.then(|| self.array_place(at, warp * LANES + lane)).flatten();
                place.map_or(0, |(_, offset)| offset)
            };
            let found = count_sectors(bytes, active, &std::array::from_fn(offset));
            let (taken, ideal) = (found.taken.into(), found.ideal.into());
            all += RequestCost { requests: 1, taken, ideal };
        }
        self.log.tally.add_local_access(counter, all);
    }

    /// Returns the place that all lanes access, if it is known to be the same.
    fn uniform_place(&self, address: Address<Operand>) -> Option<(Array, u64)> {
        address.uniform()?;
        self.array_place(address, 0)
    }

    /// Returns the place that one lane accesses.
    pub(super) fn array_place(
        &self,
        address: Address<Operand>,
        lane: usize,
    ) -> Option<(Array, u64)> {
        let (buffer, offset) = match address {
            Address::Element { buffer, index, stride, offset } => {
                (buffer, self.operand_value(index, lane).checked_mul(stride)?.checked_add(offset)?)
            }
            Address::Pointer { ptr, offset } => {
                let (buffer, at) = resolve(self.operand_value(ptr, lane));
                (buffer, at.checked_add(offset)?)
            }
        };
        let first = self.code.params.len() + self.code.shared.len();
        let array = usize::from(buffer).checked_sub(first)?;
        Some((*self.code.arrays.get(array)?, offset))
    }
}
