//! Telling those who look on, and letting others have their turn.
use super::{Exec, Slice, Stop, control::Next};
use crate::mask::WARPS;

impl Exec<'_> {
    /// Goes on, unless it is the turn of others.
    pub(super) fn turn(slice: &mut Slice) -> Next {
        slice.stay -= 1;
        if slice.stay < 0 { Next::Stop(Stop::Turn) } else { Next::On }
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
            if watcher.see(point, lanes, bits).is_break() {
                let span = self.code.spans[self.strand.at as usize - 1];
                return Next::Stop(Stop::Halted(span));
            }
        }
        Next::On
    }
}
