//! Which of the threads that fault is reported.
use crate::outcome::FaultReport;

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
