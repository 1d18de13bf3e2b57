//! Counting: who comes by, who parts, and what accesses ask of memory.
use super::{Exec, control::Next};
use crate::{
    code::{Address, Leave, Operand, When},
    lanes,
    lower::Request,
    mask::{Mask, bits},
    tally::Asked,
};
use warpwise_compiler::hardware::{LANES, global, shared};

impl Exec<'_> {
    pub(super) fn count(&mut self, segment: u32) {
        self.log.tally.begin(segment, self.strand.active());
    }

    /// Counts who runs the first arm of an `if`; the others wait in its frame.
    pub(super) fn count_arm(&mut self, segment: u32, branch: u32) {
        let active: Mask = self.strand.active();
        if let Some(frame) = self.strand.frames.last() {
            self.log.tally.part(branch, active, frame.pending | frame.done);
        }
        self.log.tally.begin(segment, active);
    }

    /// Lets lanes leave and counts who parts.
    pub(super) fn counted_leave(&mut self, to: Leave, when: When, branch: u32) -> Next {
        let lanes = self.leaving(when);
        self.log.tally.part(branch, lanes, self.strand.active().without(lanes));
        self.leave_by(to, lanes)
    }

    /// Counts what each warp asks of memory.
    pub(super) fn count_request(&mut self, number: u32) {
        let request = &self.code.counted.requests[number as usize];
        let mut all = Asked::default();
        let active: Mask = self.strand.active();
        for (warp, active) in active.warps() {
            let mut addresses = [0; LANES];
            for lane in bits(active) {
                addresses[lane] = self.byte_of(request.at, warp * LANES + lane);
            }
            all += asked(request, active, &addresses);
        }
        self.log.tally.ask(number, all);
    }

    /// A number for the byte where one lane's access goes: buffers lie far apart, each at a multiple of
    /// what hardware cares about.
    fn byte_of(&self, address: Address<Operand>, lane: usize) -> u64 {
        match address {
            Address::Element { buffer, index, stride, offset } => {
                let index = self.value(index, lane).wrapping_mul(stride);
                lanes::address(buffer).wrapping_add(index).wrapping_add(offset)
            }
            Address::Pointer { ptr, offset } => self.value(ptr, lane).wrapping_add(offset),
        }
    }
}

/// What a warp asks of memory at once.
fn asked(request: &Request, active: u32, addresses: &[u64; LANES]) -> Asked {
    let Request { kind, is_shared, bytes, .. } = *request;
    let (taken, ideal) = if is_shared {
        let found = shared::wavefronts(kind, bytes, active, addresses);
        (found.taken, found.ideal)
    } else {
        let found = global::sectors(kind, bytes, active, addresses);
        (found.taken, found.ideal)
    };
    Asked { requests: 1, taken: taken.into(), ideal: ideal.into() }
}
