//! The shadow of a memory: the accesses of each cell that later accesses can race with.
//!
//! A cell has the size of the smallest access to the memory; accesses are aligned to their size, so
//! that each touches whole cells. Of each kind of access, a few are kept: by two threads, and if
//! there are such, by two warps and by two blocks. A later access that races with any access races
//! with one of those, and as severely.
use super::{
    finding::Missing,
    happens_before::{AccessContext, HappensBefore},
};
use crate::bytecode::AccessKind;
use std::collections::HashMap;

/// The number of accesses in a cell itself. More of them, which is rare, are kept beside it.
const INLINE_RECORDS: usize = 4;

/// An access by one thread: its context and its number in the block; 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AccessRecord(u64);

impl AccessRecord {
    pub(crate) fn new(context: usize, thread: u32) -> Self {
        Self((context as u64 + 1) << 10 | u64::from(thread))
    }

    fn is_none(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn context(self) -> usize {
        (self.0 >> 10) as usize - 1
    }

    pub(crate) fn thread(self) -> u32 {
        (self.0 & 1023) as u32
    }
}

/// The accesses of some cells.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    cells: Vec<[AccessRecord; INLINE_RECORDS]>,
    /// The accessed cells.
    touched: Vec<u32>,
    extra_records: HashMap<u32, Vec<AccessRecord>>,
    /// By cell, accesses of cells that were only accessed by atomics of all blocks, none of which
    /// race with each other: for each thread of a block, the last access that writes and the last
    /// that does not. Spinning threads make many of these.
    race_free_atomics: HashMap<u32, HashMap<(u64, u32, bool), AccessRecord>>,
    /// True if an order may be known to some threads of a block only, so that two threads are not
    /// enough.
    keeps_all: bool,
}

/// An earlier access that races with the current one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RaceHit {
    pub(crate) before: AccessRecord,
    pub(crate) missing: Missing,
}

impl Shadow {
    pub(crate) fn new(cells: usize, keeps_all: bool) -> Self {
        Self {
            cells: vec![[AccessRecord::default(); INLINE_RECORDS]; cells],
            keeps_all,
            ..Self::default()
        }
    }

    /// Forgets all accesses.
    pub(crate) fn clear(&mut self) {
        for cell in self.touched.drain(..) {
            self.cells[cell as usize] = [AccessRecord::default(); INLINE_RECORDS];
        }
        self.extra_records.clear();
        self.race_free_atomics.clear();
    }

    /// Removes the contexts without a recorded access, and renumbers the others in their order.
    pub(crate) fn compact_contexts(&mut self, contexts: &mut Vec<AccessContext>) {
        let mut is_used = vec![false; contexts.len()];
        self.records_mut().for_each(|record| is_used[record.context()] = true);
        let mut used = 0;
        let numbers = is_used.iter().map(|is_used| {
            let number = used;
            used += usize::from(*is_used);
            number
        });
        let numbers: Vec<usize> = numbers.collect();
        for record in self.records_mut() {
            *record = AccessRecord::new(numbers[record.context()], record.thread());
        }
        let mut is_used = is_used.into_iter();
        contexts.retain(|_| is_used.next() == Some(true));
    }

    /// Returns all recorded accesses.
    fn records_mut(&mut self) -> impl Iterator<Item = &mut AccessRecord> {
        let Self { cells, extra_records, race_free_atomics, .. } = self;
        let inline_records = cells.iter_mut().flatten().filter(|record| !record.is_none());
        inline_records
            .chain(extra_records.values_mut().flatten())
            .chain(race_free_atomics.values_mut().flat_map(HashMap::values_mut))
    }

    /// Records an access of a cell without other accesses than atomics of all blocks, if it is one
    /// itself; otherwise moves the accesses of the cell to the usual place, and returns false.
    fn record_race_free_atomic(
        &mut self,
        cell: usize,
        now: AccessRecord,
        me: &AccessContext,
    ) -> bool {
        let Some(first) = self.cells.get(cell).map(|records| records[0]) else { return false };
        let cell = cell as u32;
        if me.kind.is_atomic() && !me.is_narrow {
            if first.is_none() && !self.extra_records.contains_key(&cell) {
                let of_thread = (me.block, now.thread(), me.kind.writes());
                self.race_free_atomics.entry(cell).or_default().insert(of_thread, now);
                return true;
            }
        } else if let Some(records) = self.race_free_atomics.remove(&cell) {
            let mut records: Vec<_> = records.into_values().collect();
            records.sort_unstable_by_key(|record| (record.context(), record.thread()));
            self.extra_records.insert(cell, records);
        }
        false
    }

    /// Records an access, which is later than all recorded ones; `hit` is called for those that
    /// race with it.
    pub(crate) fn record_access(
        &mut self,
        cell: usize,
        now: AccessRecord,
        (context_of, order): (impl Fn(usize) -> AccessContext, &HappensBefore),
        mut hit: impl FnMut(RaceHit),
    ) {
        let mine = context_of(now.context());
        if self.keeps_all && self.record_race_free_atomic(cell, now, &mine) {
            return;
        }
        let Some(records) = self.cells.get_mut(cell) else { return };
        if records[0].is_none() {
            self.touched.push(cell as u32);
        }
        let me = (&mine, now.thread());
        let mut alike = SimilarAccesses::default();
        let mut stays = |record: &AccessRecord| {
            let other = context_of(record.context());
            let other = (&other, record.thread());
            let missing = order.missing_order(me, other);
            if let Some(missing) = missing
                && me.0.conflicts_with(other.0)
            {
                hit(RaceHit { before: *record, missing });
            }
            let is_alike = me.0.kind == other.0.kind && me.0.is_narrow == other.0.is_narrow;
            if missing.is_some() && is_alike {
                alike.add(other);
            }
            // An access that is ordered before this one races only where this one does, too. A read
            // is replaced only by a read: racing writes are less severe if they write the same
            // value.
            let is_write = me.0.kind == AccessKind::Write && other.0.kind.writes();
            missing.is_some() || !(is_alike || is_write)
        };
        let mut kept = 0;
        for at in 0..INLINE_RECORDS {
            if !records[at].is_none() && stays(&records[at]) {
                records[kept] = records[at];
                kept += 1;
            }
        }
        records[kept..].fill(AccessRecord::default());
        if !self.extra_records.is_empty()
            && let Some(extra_records) = self.extra_records.get_mut(&(cell as u32))
        {
            extra_records.retain(stays);
        }
        if self.keeps_all || alike.must_keep(me) {
            match records.get_mut(kept) {
                Some(free) => *free = now,
                None => self.extra_records.entry(cell as u32).or_default().push(now),
            }
        }
    }
}

/// The accesses of a cell that are similar to a new one and not ordered before it.
#[derive(Clone, Copy, Default)]
struct SimilarAccesses {
    count: u32,
    /// The block and warp of the first of them.
    first: (u64, u32),
    several_blocks: bool,
    several_warps: bool,
}

impl SimilarAccesses {
    fn add(&mut self, (context, thread): (&AccessContext, u32)) {
        let (block, warp) = (context.block, thread / 32);
        if self.count == 0 {
            self.first = (block, warp);
        }
        self.count += 1;
        self.several_blocks |= self.first.0 != block;
        self.several_warps |= self.first != (block, warp);
    }

    /// Returns true if a later access could race with the new one and with none of these, or only
    /// with those of its own warp.
    fn must_keep(self, (context, thread): (&AccessContext, u32)) -> bool {
        let Self { count, first: (block, warp), several_blocks, several_warps } = self;
        let other_warp = !several_warps && warp != thread / 32;
        count < 2 || !several_blocks && (block != context.block || other_warp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(kind: AccessKind, block: u64, event: u32) -> AccessContext {
        let (site, interval, grid, clock) = (event, 0, 0, 0);
        AccessContext {
            site,
            kind,
            is_narrow: false,
            block,
            interval,
            grid,
            cluster: None,
            cluster_barriers: 0,
            clock,
            epoch: 0,
            event,
        }
    }

    /// Returns, for each access of one cell by (context, thread), the contexts that it races with.
    fn races(contexts: &[AccessContext], accesses: &[(usize, u32)]) -> Vec<Vec<usize>> {
        let mut shadow = Shadow::new(1, false);
        let order = HappensBefore::default();
        let each = accesses.iter().map(|(context, thread)| {
            let mut hits = Vec::new();
            let now = AccessRecord::new(*context, *thread);
            let context_of = |number: usize| contexts[number];
            shadow
                .record_access(0, now, (context_of, &order), |hit| hits.push(hit.before.context()));
            hits
        });
        each.collect()
    }

    #[test]
    fn a_second_reader_is_not_lost() {
        let contexts = [context(AccessKind::Read, 0, 0), context(AccessKind::Write, 0, 1)];
        // Threads 0 and 1 of one warp read, then 0 writes: that races with what 1 read.
        assert_eq!(races(&contexts, &[(0, 0), (0, 1), (1, 0)])[2], [0]);
        assert_eq!(races(&contexts, &[(0, 0), (1, 0)])[1], []);
    }

    #[test]
    fn a_reader_that_writes_later_is_still_one() {
        // The write of thread 0 may have the same value as another write; its read still races.
        let contexts = [context(AccessKind::Read, 0, 0), context(AccessKind::Write, 0, 1)];
        assert_eq!(races(&contexts, &[(0, 0), (1, 0), (1, 40)])[2], [0, 1]);
    }

    #[test]
    fn atomics_that_cannot_race_are_kept_once_a_thread_until_others_come() {
        let atomic = AccessKind::AtomicRead;
        let contexts = [
            context(atomic, 0, 0),
            context(atomic, 0, 1),
            context(AccessKind::AtomicWrite, 0, 2),
            context(AccessKind::Write, 0, 3),
        ];
        let (mut shadow, order) = (Shadow::new(1, true), HappensBefore::default());
        let access = |shadow: &mut Shadow, context, thread| {
            let mut hits = Vec::new();
            let hit = |hit: RaceHit| hits.push((hit.before.context(), hit.before.thread()));
            let context_of = |number: usize| contexts[number];
            shadow.record_access(0, AccessRecord::new(context, thread), (context_of, &order), hit);
            hits
        };
        for round in 0..100 {
            for thread in 0..10 {
                assert_eq!(access(&mut shadow, round % 2, thread), []);
            }
        }
        assert_eq!(access(&mut shadow, 2, 3), []);
        assert_eq!(shadow.race_free_atomics[&0].len(), 11);
        // A plain write races with the last access of each other thread, and with all later ones.
        let hits = access(&mut shadow, 3, 3);
        assert_eq!(hits, (0..10).filter(|t| *t != 3).map(|t| (1, t)).collect::<Vec<_>>());
        assert_eq!(access(&mut shadow, 2, 40), [(3, 3)]);
    }

    #[test]
    fn accesses_keep_their_contexts_if_others_are_dropped() {
        let kinds = [
            AccessKind::Write,
            AccessKind::AtomicRead,
            AccessKind::Write,
            AccessKind::AtomicRead,
            AccessKind::AtomicWrite,
        ];
        let mut contexts: Vec<_> = (0..).zip(kinds).map(|(n, kind)| context(kind, 0, n)).collect();
        let (mut shadow, order) = (Shadow::new(2, true), HappensBefore::default());
        let access = |shadow: &mut Shadow, contexts: &[AccessContext], cell, number, thread| {
            let mut hits = Vec::new();
            let hit = |hit: RaceHit| hits.push((hit.before.context(), hit.before.thread()));
            let (now, context_of) = (AccessRecord::new(number, thread), |number| contexts[number]);
            shadow.record_access(cell, now, (context_of, &order), hit);
            hits
        };
        // Each access replaces the one before of its thread.
        for (cell, number) in [(0, 0), (0, 2), (1, 1), (1, 3)] {
            assert_eq!(access(&mut shadow, &contexts, cell, number, 5), []);
        }
        assert_eq!(access(&mut shadow, &contexts, 1, 4, 6), []);
        shadow.compact_contexts(&mut contexts);
        let sites: Vec<u32> = contexts.iter().map(|context| context.site).collect();
        assert_eq!(sites, [2, 3, 4]);
        contexts.push(context(AccessKind::Write, 0, 9));
        assert_eq!(access(&mut shadow, &contexts, 0, 3, 70), [(0, 5)]);
        assert_eq!(access(&mut shadow, &contexts, 1, 3, 70), [(1, 5), (2, 6)]);
    }

    #[test]
    fn readers_of_other_warps_and_blocks_are_not_lost() {
        let read = context(AccessKind::Read, 0, 0);
        let contexts = [
            read,
            context(AccessKind::Write, 0, 1),
            AccessContext { block: 1, ..read },
            AccessContext { interval: 1, ..context(AccessKind::Write, 0, 1) },
        ];
        let hits = |last, threads: &[(usize, u32)]| {
            let mut all = threads.to_vec();
            all.push(last);
            races(&contexts, &all).pop().unwrap().len()
        };
        assert_eq!(hits((1, 2), &[(0, 0), (0, 1), (0, 40)]), 3);
        // Later in block 0 only the reader of block 1 is left to race with.
        assert_eq!(hits((3, 2), &[(0, 0), (0, 1), (0, 40), (0, 41), (2, 0)]), 1);
    }
}
