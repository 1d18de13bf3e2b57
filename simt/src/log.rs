//! What threads leave behind: their faults, what they print, and what was counted of them and found.
use crate::{
    check::{found::Found, unused::Used},
    lower::Counted,
    outcome::FaultReport,
    tally::Tally,
};
use warpwise_compiler::output::Printed;

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

/// The faults of some blocks of a launch. [Joining](Self::join) those of all blocks
/// gives the same whatever the order.
#[derive(Default)]
pub(crate) struct FaultLog {
    count: u64,
    /// With the number of the block, and of the thread in it.
    lowest: Option<((u64, usize), FaultReport)>,
}

impl FaultLog {
    /// Counts `count` faults, of which `report` is the lowest, of a thread `key`.
    pub(crate) fn add(
        &mut self,
        count: u64,
        key: (u64, usize),
        report: impl FnOnce() -> FaultReport,
    ) {
        self.count += count;
        if self.lowest.is_none_or(|(lowest, _)| key < lowest) {
            self.lowest = Some((key, report()));
        }
    }

    /// Takes in the faults of other blocks.
    pub(crate) fn join(&mut self, other: Self) {
        match other.lowest {
            Some((key, report)) => self.add(other.count, key, || report),
            None => self.count += other.count,
        }
    }

    /// The report of the lowest fault, with the number of all.
    pub(crate) fn report(self) -> Option<FaultReport> {
        self.lowest.map(|(_, report)| FaultReport { count: self.count, ..report })
    }
}
