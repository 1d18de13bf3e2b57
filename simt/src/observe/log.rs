//! The log of a launch: faults, printed records, counts and findings.
use crate::{
    bytecode::Counted,
    observe::{
        caches::{CacheModel, CacheSimulation},
        counters::tally::Tally,
        sanitizer::{raw_findings::RawFindings, unused::UsedBytes},
    },
    outcome::FaultReport,
};
use std::collections::BTreeMap;
use warpwise_compiler::{ir::Span, output::Printed};

/// The log of some blocks of a launch. [Joining](Self::join) the logs of all blocks gives the same
/// result in any order.
#[derive(Default)]
pub(crate) struct LaunchLog {
    pub(crate) faults: FaultLog,
    /// With the numbers of the block and of the thread in it.
    printed: Vec<((u64, usize), Printed)>,
    /// The number of printed records that did not fit.
    lost: u64,
    pub(crate) tally: Tally,
    /// The caches, if the launch simulates them.
    pub(crate) caches: Option<Box<CacheSimulation>>,
    pub(crate) found: RawFindings,
    /// The memory that the launch uses, if checks ask for it.
    pub(crate) unused: Option<UsedBytes>,
}

impl LaunchLog {
    /// Creates an empty log, with room for the counts.
    pub(crate) fn new(counted: &Counted) -> Self {
        Self { tally: Tally::new(counted), ..Self::default() }
    }

    /// Simulates caches, if there is a model of them.
    pub(crate) fn with_caches(self, model: Option<CacheModel>) -> Self {
        Self { caches: model.map(|model| Box::new(CacheSimulation::new(model))), ..self }
    }

    /// Appends a record that a thread prints.
    pub(crate) fn add_printed(&mut self, thread: (u64, usize), printed: Printed) {
        self.printed.push((thread, printed));
    }

    /// Counts a printed record that does not fit.
    pub(crate) fn count_lost_print(&mut self) {
        self.lost += 1;
    }

    /// Adds the log of other blocks.
    pub(crate) fn join(&mut self, other: Self) {
        self.faults.join(other.faults);
        self.printed.extend(other.printed);
        self.lost += other.lost;
        self.tally.join(other.tally);
        // A launch that simulates caches has one worker.
        self.caches = self.caches.take().or(other.caches);
        self.found.join(other.found);
    }

    /// Takes the printed records, ordered by thread, and returns them with the number of records
    /// that did not fit.
    pub(crate) fn take_printed(&mut self) -> (Vec<Printed>, u64) {
        self.printed.sort_by_key(|(thread, _)| *thread);
        (self.printed.drain(..).map(|(_, printed)| printed).collect(), self.lost)
    }
}

/// The faults of some blocks of a launch, by place and reason. [Joining](Self::join) the faults of
/// all blocks gives the same result in any order.
#[derive(Default)]
pub(crate) struct FaultLog(BTreeMap<(Span, u16), LowestFault>);

/// The fault of the lowest thread at a place, with the number of all faults there.
struct LowestFault {
    /// The number of the block, and of the thread in it.
    key: (u64, usize),
    lowest_report: FaultReport,
}

impl FaultLog {
    /// Adds the faults of a report; `key` is the lowest thread that has one.
    pub(crate) fn add(&mut self, key: (u64, usize), report: FaultReport) {
        let place = (report.span, report.reason.number());
        let Some(known) = self.0.get_mut(&place) else {
            self.0.insert(place, LowestFault { key, lowest_report: report });
            return;
        };
        let count = known.lowest_report.count + report.count;
        if key < known.key {
            *known = LowestFault { key, lowest_report: report };
        }
        known.lowest_report.count = count;
    }

    /// Adds the faults of other blocks.
    pub(crate) fn join(&mut self, other: Self) {
        for LowestFault { key, lowest_report: report } in other.0.into_values() {
            self.add(key, report);
        }
    }

    /// Returns the lowest fault of each place, ordered by thread.
    pub(crate) fn lowest_by_place(&self) -> Vec<&FaultReport> {
        let mut faults: Vec<_> = self.0.iter().collect();
        faults.sort_by_key(|(place, fault)| (fault.key, **place));
        faults.into_iter().map(|(_, fault)| &fault.lowest_report).collect()
    }

    /// Returns the lowest fault of all, with the total number of faults.
    pub(crate) fn report(&self) -> Option<FaultReport> {
        let count = self.0.values().map(|fault| fault.lowest_report.count).sum();
        self.lowest_by_place().first().map(|report| FaultReport { count, ..**report })
    }
}
