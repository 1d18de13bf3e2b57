//! Checks of a block's barriers.
use super::Block;
use crate::{check::misuse::AtBarrier, code::Step};

impl Block<'_> {
    /// Every thread that has not ended waits at a barrier: notes if it is not the same one.
    pub(super) fn check_barriers(&mut self) {
        let asked = self.bound.checks.as_ref().is_some_and(|checks| checks.meetings);
        if self.strands.len() < 2 || !asked {
            return;
        }
        let mut arrived: Vec<(u32, AtBarrier)> = Vec::new();
        let mut reduces = false;
        for (number, strand) in &self.strands {
            let Some(lane) = strand.active().lanes().next() else { continue };
            let first = (self.groups[*number].first_thread + lane) as u32;
            let threads = strand.active().count();
            reduces |=
                matches!(self.code.steps[strand.at as usize], Step::Barrier { reduce: Some(_) });
            match arrived.iter_mut().find(|(at, _)| *at == strand.at) {
                Some((_, (_, all, lowest))) => {
                    (*all, *lowest) = (*all + threads, first.min(*lowest))
                }
                None => {
                    let span = self.code.spans[strand.at as usize];
                    arrived.push((strand.at, (span, threads, first)));
                }
            }
        }
        if let Some(checks) = self.checks.as_mut().filter(|_| arrived.len() > 1) {
            let arrived = arrived.into_iter().map(|(_, arrived)| arrived).collect();
            checks.misuses().barriers(self.number, arrived, reduces);
        }
    }
}
