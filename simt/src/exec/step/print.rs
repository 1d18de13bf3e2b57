//! Printing and panicking.
use super::{Exec, control::Next};
use crate::{bytecode::Message, vector::mask::Mask};
use warpwise_compiler::{fault::Reason, output::Printed};

impl Exec<'_> {
    /// Notes what each active lane prints, in order.
    pub(super) fn print(&mut self, message: &Message) {
        let active: Mask = self.strand.active();
        for lane in active.lanes() {
            if self.bound.claim(message.values.len()) {
                let values = message.values.iter().map(|value| self.value(*value, lane)).collect();
                let thread = (self.place.block, self.place.first_thread + lane);
                self.log.add_printed(thread, Printed { message: message.message, values });
            } else {
                self.log.count_lost_print();
            }
        }
    }

    /// Ends the active lanes.
    pub(super) fn panic(&mut self, message: &Message) -> Next {
        self.fault(self.strand.active(), Reason::Panic(message.message), &message.values)
    }
}
