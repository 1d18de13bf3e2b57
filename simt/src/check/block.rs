//! What is kept of a block while it runs.
use super::{
    BoundChecks, Site,
    found::{Found, Pair, Party},
    log::{Access, Event, Log},
    order::{Context, Order},
    shadow::{Hit, Record, Shadow},
};
use crate::{bound::Bound, code::Code, lanes};

/// Events after which an interval is looked at before it ends.
const LONG: usize = 1 << 12;
/// Intervals that are remembered as clean.
const CLEAN: usize = 64;

/// The checks of one block after the other.
#[derive(Debug)]
pub(crate) struct BlockChecks {
    /// Number of the block.
    block: u64,
    /// What its threads did with shared memory in this interval.
    log: Log,
    /// Whether an earlier part of the interval was looked at already.
    is_parted: bool,
    /// The number of the first event of the log.
    first_event: u32,
    order: Order,
    contexts: Vec<Context>,
    shadow: Shadow,
    /// Whole intervals that are clean.
    clean: Vec<Log>,
    /// The one of them that was seen last.
    last_clean: usize,
    /// Accesses looked at, of all blocks.
    accesses: u64,
    found: Found,
}

impl BlockChecks {
    pub(crate) fn new(bound: &BoundChecks) -> Self {
        Self {
            block: 0,
            log: Log::default(),
            is_parted: false,
            first_event: 0,
            order: Order::default(),
            contexts: Vec::new(),
            shadow: Shadow::new(bound.cells as usize, false),
            clean: Vec::new(),
            last_clean: 0,
            accesses: 0,
            found: Found::default(),
        }
    }

    /// Begins with another block.
    pub(crate) fn start(&mut self, block: u64) {
        self.forget_interval();
        self.block = block;
        self.order.reset();
    }

    /// The block has ended, or will not go on; yields what was found.
    pub(crate) fn finish(&mut self, code: &Code, bound: &Bound<'_>) -> Found {
        self.end_interval(code, bound);
        std::mem::take(&mut self.found)
    }

    /// The log, for another access.
    pub(crate) fn log(&mut self) -> &mut Log {
        &mut self.log
    }

    /// Looks at what is logged, if that is much.
    pub(crate) fn logged(&mut self, code: &Code, bound: &Bound<'_>) {
        if self.log.events.len() >= LONG {
            self.part(code, bound);
        }
    }

    /// Every thread of the block has come to a barrier.
    pub(crate) fn barrier(&mut self, code: &Code, bound: &Bound<'_>) {
        self.end_interval(code, bound);
        self.order.barrier();
    }

    /// Every thread of the grid has come to where it meets.
    pub(crate) fn sync_grid(&mut self, code: &Code, bound: &Bound<'_>) {
        self.barrier(code, bound);
        self.order.grid += 1;
    }

    /// Lanes of a warp have waited for each other.
    pub(crate) fn sync_warp(&mut self, warp: u32, lanes: u32) {
        self.log.push(Event::SyncWarp { warp, lanes }, None);
    }

    fn end_interval(&mut self, code: &Code, bound: &Bound<'_>) {
        if !self.is_parted && self.is_clean() {
            self.log.clear();
            return;
        }
        let (found, is_whole) = (self.found.count(), !self.is_parted);
        self.look(code, bound);
        if is_whole && self.found.count() == found && self.clean.len() < CLEAN {
            self.last_clean = self.clean.len();
            self.clean.push(self.log.clone());
        }
        self.forget_interval();
    }

    /// Whether an interval like this was looked at before.
    fn is_clean(&mut self) -> bool {
        let next = (self.last_clean + 1..self.clean.len()).chain(0..self.clean.len());
        let like = next.into_iter().find(|at| self.clean[*at].is_like(&self.log));
        self.last_clean = like.unwrap_or(self.last_clean);
        like.is_some() || self.log.events.is_empty()
    }

    fn forget_interval(&mut self) {
        self.log.clear();
        self.contexts.clear();
        self.shadow.clear();
        (self.is_parted, self.first_event) = (false, 0);
    }

    /// Looks at what is logged of an interval that goes on.
    fn part(&mut self, code: &Code, bound: &Bound<'_>) {
        self.look(code, bound);
        self.first_event += self.log.events.len() as u32;
        self.log.clear();
        self.is_parted = true;
    }

    fn look(&mut self, code: &Code, bound: &Bound<'_>) {
        let log = std::mem::take(&mut self.log);
        for (number, event) in log.events.iter().enumerate() {
            match event {
                Event::Access(access) => self.look_at(code, bound, &log, (number, access)),
                Event::SyncWarp { warp, lanes } => self.order.sync_warp(*warp, *lanes),
            }
        }
        self.log = log;
    }

    /// Looks at an access, lane by lane.
    fn look_at(
        &mut self,
        code: &Code,
        bound: &Bound<'_>,
        log: &Log,
        (number, access): (usize, &Access),
    ) {
        let Some(checks) = &bound.checks else { return };
        let site = &code.sites[access.site as usize];
        let pattern = bound.patterns.get(access.site as usize).and_then(Option::as_ref);
        let event = self.first_event + number as u32;
        for lane in access.lanes.lanes() {
            let thread = access.first_thread + lane as u32;
            let offset = || pattern.map_or(0, |pattern| pattern.offsets[thread as usize]);
            let (buffer, first) = lanes::resolve(log.address(access.places, lane, offset));
            let context = self.context(access.site, site, event, thread);
            let now = Record::new(context, thread);
            self.accesses += 1;
            for (cell, byte) in checks.cells_of(buffer, first, site.bytes) {
                self.touch(log, cell, now, (buffer, byte));
            }
        }
    }

    /// The context of an access by a thread: that of the thread before, if they know the same.
    fn context(&mut self, number: u32, site: &Site, event: u32, thread: u32) -> usize {
        let time = self.order.time(thread);
        let like = |context: &Context| context.event == event && context.time == time;
        if !self.contexts.last().is_some_and(like) {
            self.contexts.push(Context {
                site: number,
                kind: site.kind,
                is_narrow: site.is_narrow(),
                block: self.block,
                interval: self.order.interval,
                grid: self.order.grid,
                time,
                event,
            });
        }
        self.contexts.len() - 1
    }

    /// Notes that a cell is accessed, and what that races with.
    fn touch(&mut self, log: &Log, cell: u64, now: Record, at: (u16, u64)) {
        let Self { contexts, order, found, accesses, first_event, block, .. } = self;
        let party = |record: Record| {
            let Context { site, kind, block, event, .. } = contexts[record.context()];
            let thread = record.thread();
            let value = event.checked_sub(*first_event).and_then(|event| log.value(event, thread));
            Party { block, thread, site, kind, value }
        };
        self.shadow.access(cell as usize, now, (contexts, order), |Hit { before, missing }| {
            let mut parties = [party(before), party(now)];
            if !parties[0].kind.writes() {
                parties.reverse();
            }
            found.race(*accesses, Pair { block: *block, at, parties, missing });
        });
    }
}
