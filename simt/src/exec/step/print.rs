//! Print and panic records.
use super::{Exec, control::Next};
use crate::{bytecode::Message, vector::mask::Mask};
use warpwise_compiler::{fault::Reason, output::Printed};

impl Exec<'_> {
    /// Records the message of each active lane, in order.
    pub(super) fn print_message(&mut self, message: &Message) {
        let active: Mask = self.strand.active();
        for lane in active.lanes() {
            if self.bound.claim_print_room(message.values.len()) {
                let values =
                    message.values.iter().map(|value| self.operand_value(*value, lane)).collect();
                let thread = (self.position.block, self.position.first_thread + lane);
                self.log.add_printed(thread, Printed { message: message.message, values });
            } else {
                self.log.count_lost_print();
            }
        }
    }

    /// Ends the active lanes with a message.
    pub(super) fn panic_lanes(&mut self, message: &Message) -> Next {
        self.record_fault(self.strand.active(), Reason::Panic(message.message), &message.values)
    }
}
