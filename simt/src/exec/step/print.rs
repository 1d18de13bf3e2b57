//! Printing and panicking.
use super::{Exec, control::Next};
use crate::{bytecode::Said, vector::mask::Mask};
use warpwise_compiler::{fault::Reason, output::Printed};

impl Exec<'_> {
    /// Notes what each active lane prints, in order.
    pub(super) fn print(&mut self, said: &Said) {
        let active: Mask = self.strand.active();
        for lane in active.lanes() {
            if self.bound.claim(said.values.len()) {
                let values = said.values.iter().map(|value| self.value(*value, lane)).collect();
                let thread = (self.place.block, self.place.first_thread + lane);
                self.log.print(thread, Printed { message: said.message, values });
            } else {
                self.log.lose();
            }
        }
    }

    /// Ends the active lanes.
    pub(super) fn panic(&mut self, said: &Said) -> Next {
        self.fault(self.strand.active(), Reason::Panic(said.message), &said.values)
    }
}
