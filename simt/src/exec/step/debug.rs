//! Points that report to the debugger, and yields of drawn schedules.
use super::{Exec, Slice, Stop, access::with_word, control::Next};
use crate::{
    bytecode::{Atomic, AtomicKind, Change},
    vector::{mask::WARPS, memory::Word},
};

impl Exec<'_> {
    /// Continues, unless it is the turn of other strands.
    pub(super) fn yield_turn(slice: &mut Slice) -> Next {
        slice.ignored_yields -= 1;
        if slice.ignored_yields < 0 { Next::Stop(Stop::Yielded) } else { Next::Continue }
    }

    /// Records whether the next instruction changes something, where a schedule asks for it.
    pub(super) fn announce_change(&self, number: u32, slice: &mut Slice) -> Next {
        if slice.changed || self.bound.schedule.is_none() {
            return Next::Continue;
        }
        slice.changed = match &self.code.changes[number as usize] {
            Change::Memory(write) => with_word!(write.size, self.changes_memory(write)),
            Change::ActiveLanes => true,
        };
        if slice.changed && slice.round_robin { Next::Stop(Stop::Yielded) } else { Next::Continue }
    }

    /// Returns true if an access changes memory. The first lane that changes something finds the
    /// current contents.
    fn changes_memory<W: Word>(&self, access: &Atomic) -> bool {
        let changes = |lane| {
            let (cells, offset) = self.lane_address(access.at, lane)?;
            let old = cells.load::<W>(offset, false)?;
            let word_of = |value| W::of_bits(self.operand_value(value, lane));
            let new =
                match access.kind {
                    AtomicKind::Load { .. } => old,
                    AtomicKind::Store { value } => word_of(value),
                    AtomicKind::Update { value, change, .. } => {
                        W::of_bits(change(old.bits(), self.operand_value(value, lane)))
                    }
                    AtomicKind::CompareExchange { expected, value, .. } => {
                        if old == word_of(expected) { word_of(value) } else { old }
                    }
                };
            Some(new != old)
        };
        // An out-of-bounds access ends the launch.
        self.strand.active().lanes().any(|lane| changes(lane).unwrap_or(true))
    }

    /// Reports the active lanes to the watchers of any of them.
    pub(super) fn report_point(&self, number: u32) -> Next {
        let point = &self.code.points[number as usize];
        for watcher in self.bound.watchers {
            let watched = watcher.watched();
            let warp = (watched.warp as usize).checked_sub(self.position.first_thread / 32);
            let Some(warp) = warp.filter(|warp| *warp < WARPS) else { continue };
            let lanes = self.strand.active().0[warp] & watched.lanes;
            if lanes == 0 || watched.block != self.position.block_idx {
                continue;
            }
            let bits = point.value.map(|value| {
                std::array::from_fn(|lane| self.operand_value(value, warp * 32 + lane))
            });
            if watcher.observe(point, lanes, bits).is_break() {
                let span = self.code.spans[self.strand.pc as usize - 1];
                return Next::Stop(Stop::Halted(span));
            }
        }
        Next::Continue
    }
}
