//! What threads leave behind: their faults, what they print, and what was counted of them and found.
use crate::{
    bytecode::Counted,
    observe::{
        counters::tally::Tally,
        sanitizer::{found::Found, unused::Used},
    },
    outcome::FaultReport,
};
use std::collections::BTreeMap;
use warpwise_compiler::{ir::Span, output::Printed};

/// What the threads of some blocks of a launch leave behind. [Joining](Self::join) that of all blocks
/// gives the same whatever the order.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) faults: FaultLog,
    /// With the number of the block, and of the thread in it.
    printed: Vec<((u64, usize), Printed)>,
    /// What there was no room for.
    lost: u64,
    pub(crate) tally: Tally,
    pub(crate) found: Found,
    /// Which memory threads of the launch use, if that is asked for.
    pub(crate) unused: Option<Used>,
}

impl Log {
    /// An empty one, with room for what is counted.
    pub(crate) fn new(counted: &Counted) -> Self {
        Self { tally: Tally::new(counted), ..Self::default() }
    }

    /// Notes what the thread prints next.
    pub(crate) fn print(&mut self, thread: (u64, usize), printed: Printed) {
        self.printed.push((thread, printed));
    }

    /// Counts something printed for which there is no room.
    pub(crate) fn lose(&mut self) {
        self.lost += 1;
    }

    /// Takes in that of other blocks.
    pub(crate) fn join(&mut self, other: Self) {
        self.faults.join(other.faults);
        self.printed.extend(other.printed);
        self.lost += other.lost;
        self.tally.join(other.tally);
        self.found.join(other.found);
    }

    /// What was printed, thread by thread, and how much there was no room for.
    pub(crate) fn printed(&mut self) -> (Vec<Printed>, u64) {
        self.printed.sort_by_key(|(thread, _)| *thread);
        (self.printed.drain(..).map(|(_, printed)| printed).collect(), self.lost)
    }
}

/// The faults of some blocks of a launch, by place and reason. [Joining](Self::join) those of all blocks
/// gives the same whatever the order.
#[derive(Default)]
pub(crate) struct FaultLog(BTreeMap<(Span, u16), LowestFault>);

/// The lowest of the faults at a place, counting all of them.
struct LowestFault {
    /// The number of the block, and of the thread in it.
    key: (u64, usize),
    report: FaultReport,
}

impl FaultLog {
    /// Counts the faults of a report, the lowest of which is of the thread `key`.
    pub(crate) fn add(&mut self, key: (u64, usize), report: FaultReport) {
        let place = (report.span, report.reason.number());
        let Some(known) = self.0.get_mut(&place) else {
            self.0.insert(place, LowestFault { key, report });
            return;
        };
        let count = known.report.count + report.count;
        if key < known.key {
            *known = LowestFault { key, report };
        }
        known.report.count = count;
    }

    /// Takes in the faults of other blocks.
    pub(crate) fn join(&mut self, other: Self) {
        for LowestFault { key, report } in other.0.into_values() {
            self.add(key, report);
        }
    }

    /// The lowest fault of each place, the lowest thread's first.
    pub(crate) fn places(&self) -> Vec<&FaultReport> {
        let mut faults: Vec<_> = self.0.iter().collect();
        faults.sort_by_key(|(place, fault)| (fault.key, **place));
        faults.into_iter().map(|(_, fault)| &fault.report).collect()
    }

    /// The report of the lowest fault, with the number of all.
    pub(crate) fn report(&self) -> Option<FaultReport> {
        let count = self.0.values().map(|fault| fault.report.count).sum();
        self.places().first().map(|report| FaultReport { count, ..**report })
    }
}
