//! Telling those who look on, and letting others have their turn.
use super::{Exec, Slice, Stop, access::with_word, control::Next};
use crate::{
    bytecode::{Atomic, AtomicKind, Change},
    vector::{mask::WARPS, memory::Word},
};

impl Exec<'_> {
    /// Goes on, unless it is the turn of others.
    pub(super) fn turn(slice: &mut Slice) -> Next {
        slice.stay -= 1;
        if slice.stay < 0 { Next::Stop(Stop::Turn) } else { Next::On }
    }

    /// Notes whether the next step changes something, where that is of interest.
    pub(super) fn change(&self, number: u32, slice: &mut Slice) -> Next {
        if slice.changes || self.bound.order.is_none() {
            return Next::On;
        }
        slice.changes = match &self.code.changes[number as usize] {
            Change::Memory(write) => with_word!(write.size, self.writes(write)),
            Change::Company => true,
        };
        if slice.changes && slice.evenly { Next::Stop(Stop::Turn) } else { Next::On }
    }

    /// Whether memory is another one behind an access. The first lane that changes something finds what is there now.
    fn writes<W: Word>(&self, access: &Atomic) -> bool {
        let changes =
            |lane| {
                let (cells, offset) = self.lane_address(access.at, lane)?;
                let old = cells.load::<W>(offset, false)?;
                let of = |value| W::of_bits(self.value(value, lane));
                let new =
                    match access.what {
                        AtomicKind::Load { .. } => old,
                        AtomicKind::Store { value } => of(value),
                        AtomicKind::Update { value, change, .. } => {
                            W::of_bits(change(old.bits(), self.value(value, lane)))
                        }
                        AtomicKind::CompareExchange { expected, value, .. } => {
                            if old == of(expected) { of(value) } else { old }
                        }
                    };
                Some(new != old)
            };
        // What is outside ends the launch.
        self.strand.active().lanes().any(|lane| changes(lane).unwrap_or(true))
    }

    /// Tells who watches one of the active lanes.
    pub(super) fn point(&self, number: u32) -> Next {
        let point = &self.code.points[number as usize];
        for watcher in self.bound.watchers {
            let watched = watcher.watched();
            let warp = (watched.warp as usize).checked_sub(self.place.first_thread / 32);
            let Some(warp) = warp.filter(|warp| *warp < WARPS) else { continue };
            let lanes = self.strand.active().0[warp] & watched.lanes;
            if lanes == 0 || watched.block != self.place.block_idx {
                continue;
            }
            let bits = point
                .value
                .map(|value| std::array::from_fn(|lane| self.value(value, warp * 32 + lane)));
            if watcher.observe(point, lanes, bits).is_break() {
                let span = self.code.spans[self.strand.at as usize - 1];
                return Next::Stop(Stop::Halted(span));
            }
        }
        Next::On
    }
}
