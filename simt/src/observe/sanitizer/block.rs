//! The analysis of one block: its log, and the shadow of its shared memory.
use super::{
    LaunchChecks,
    access_log::{Access, AccessLog, LogEvent, WrittenValues},
    cluster::{ClusterAccess, ClusterMember},
    finding::Use,
    happens_before::{AccessContext, HappensBefore},
    launch::SlicePlace,
    misuse::{Misuses, WarpCollective},
    pending_copies::{EarlyRecord, PendingCopies, PendingCopy, UnwaitedRecord},
    raw_findings::{RacingAccess, RacingPair, RawFindings},
    release_acquire::{ArrivedClock, AtomicAccess, BlockClocks, VectorClock},
    replayed_accesses::ReplayedAccesses,
    shadow::{AccessRecord, RaceHit, Shadow},
    tile_reads::TileReads,
    undefined::{UndefinedLanes, UndefinedValues},
};
use crate::{
    bytecode::{Code, Site},
    vector::lanes,
};
use std::sync::Arc;

/// The number of events after which an interval is analysed before it ends.
const MAX_INTERVAL_EVENTS: usize = 1 << 12;
/// The maximum number of intervals that are remembered as clean.
const MAX_CLEAN_INTERVALS: usize = 64;

/// The checks of one block after the other.
#[derive(Debug)]
pub(crate) struct BlockChecks {
    /// Number of the block.
    block: u64,
    /// True if events are analysed as they happen.
    is_eager: bool,
    /// The events of the interval in shared memory; in all memory, if they are analysed as they
    /// happen.
    log: AccessLog,
    /// The events in global memory.
    global: AccessLog,
    /// Accesses of replayed rounds that are not logged yet, each with its advance in bytes per
    /// round.
    pub(crate) pending_rounds: Vec<(Access, u64)>,
    /// True if an earlier part of the interval has been analysed already.
    is_split: bool,
    /// The number of the first event of the log.
    first_event: u32,
    order: HappensBefore,
    /// The block in its cluster, if blocks run in clusters. Shared memory is analysed there.
    cluster: Option<ClusterMember>,
    contexts: Vec<AccessContext>,
    shadow: Shadow,
    /// Whole intervals that are clean.
    clean: Vec<AccessLog>,
    /// The index of the last clean interval that was repeated.
    last_clean: usize,
    /// The number of analysed accesses, in all blocks.
    accesses: u64,
    found: RawFindings,
    pub(crate) pending_copies: PendingCopies,
    /// The tiles that products read.
    pub(crate) tile_reads: TileReads,
    pub(crate) undefined: UndefinedValues,
}

impl BlockChecks {
    pub(crate) fn new(launch: &LaunchChecks<'_>) -> Self {
        let block_clocks = launch.is_eager.then(BlockClocks::default);
        Self {
            block: 0,
            is_eager: launch.is_eager,
            log: AccessLog::default(),
            global: AccessLog::default(),
            pending_rounds: Vec::new(),
            is_split: false,
            first_event: 0,
            order: HappensBefore::new(block_clocks),
            cluster: None,
            contexts: Vec::new(),
            shadow: Shadow::new(launch.cells as usize, launch.is_eager),
            clean: Vec::new(),
            last_clean: 0,
            accesses: 0,
            found: RawFindings::default(),
            pending_copies: PendingCopies::default(),
            tile_reads: TileReads::default(),
            undefined: UndefinedValues::new(launch),
        }
    }

    /// Starts the analysis of another block.
    pub(crate) fn start_block(&mut self, block: u64, cluster: Option<ClusterMember>) {
        self.forget_interval();
        self.global.clear();
        self.block = block;
        self.order.reset();
        self.order.cluster = cluster.as_ref().map(|member| member.first_block);
        self.cluster = cluster;
        self.undefined.reset();
        self.pending_copies.reset();
        self.tile_reads.reset();
    }

    /// Adds an access by a thread that comes before the copy is waited for.
    pub(crate) fn add_early_access(
        &mut self,
        code: &Code,
        [access, copy]: [PendingCopy; 2],
        at: (u16, u64),
    ) {
        let [access, copy] = [access, copy].map(|of| self.access_of(code, of));
        self.found.add_early(EarlyRecord { block: self.block, at, access, copy });
    }

    /// Adds a copy of a thread that nothing waits for.
    pub(crate) fn add_unwaited_copy(&mut self, code: &Code, copy: PendingCopy, at: (u16, u64)) {
        let copy = self.access_of(code, copy);
        self.found.add_unwaited(UnwaitedRecord { block: self.block, at, copy });
    }

    fn access_of(&self, code: &Code, PendingCopy { thread, site }: PendingCopy) -> RacingAccess {
        let kind = code.sites[site as usize].kind;
        RacingAccess { block: self.block, thread, site, kind, value: None }
    }

    /// Adds the use of an undefined value by the instruction `at`.
    pub(crate) fn add_undefined_use(&mut self, undefined: UndefinedLanes, how: Use, at: usize) {
        for lane in undefined.lanes.lanes() {
            self.found.add_undefined(undefined.source(lane), at as u32, how);
        }
    }

    /// Ends the analysis of a block that has ended or is stuck, and moves its findings to `found`.
    pub(crate) fn finish(
        &mut self,
        code: &Code,
        checks: &LaunchChecks<'_>,
        found: &mut RawFindings,
    ) {
        self.end_interval(code, checks);
        self.submit_global(code, checks, true);
        if !self.found.is_empty() {
            found.join(std::mem::take(&mut self.found));
        }
    }

    /// Returns the log for accesses of shared or of global memory.
    pub(crate) fn log(&mut self, is_shared: bool) -> &mut AccessLog {
        if is_shared || self.is_eager { &mut self.log } else { &mut self.global }
    }

    /// Logs an event. It is analysed at once if the launch requires it, or if the log is full.
    pub(crate) fn log_event(
        &mut self,
        (code, checks): (&Code, &LaunchChecks<'_>),
        is_shared: bool,
        event: LogEvent,
        written: Option<WrittenValues>,
    ) {
        let is_eager = self.is_eager;
        let log = self.log(is_shared);
        if !is_shared && !is_eager && log.has_recent(&event) {
            return;
        }
        log.push(event, written);
        if is_eager || log.len() >= MAX_INTERVAL_EVENTS {
            if is_shared || is_eager {
                self.analyse_part(code, checks);
            } else {
                self.submit_global(code, checks, false);
            }
        }
    }

    /// Logs `rounds` rounds of the pending accesses of shared memory; returns false if they do not
    /// fit, so that they must be analysed before the interval ends.
    pub(crate) fn log_pending_rounds(&mut self, rounds: u64) -> bool {
        let many = rounds.saturating_mul(self.pending_rounds.len() as u64);
        let fits = many < MAX_INTERVAL_EVENTS.saturating_sub(self.log.len()) as u64;
        if fits && many > 0 {
            self.log.push_rounds(&self.pending_rounds, rounds);
        }
        fits
    }

    /// Logs the global memory accesses of replayed rounds, round by round.
    pub(crate) fn log_replayed(
        &mut self,
        (code, checks): (&Code, &LaunchChecks<'_>),
        rounds: &ReplayedAccesses,
    ) {
        if rounds.accesses.is_empty() {
            return;
        }
        for round in 0..rounds.many {
            for (access, bytes, value) in rounds.round(&code.sites, round) {
                if let Some(access) = access.advance(bytes) {
                    let event = LogEvent::Access(Access { value, ..access });
                    self.log_event((code, checks), false, event, None);
                }
            }
        }
    }

    /// Hands the log of global memory to the launch.
    fn submit_global(&mut self, code: &Code, checks: &LaunchChecks<'_>, is_end: bool) {
        if !self.is_eager {
            checks.lock_global().submit((code, checks), self.block, &mut self.global, is_end);
        }
    }

    /// Ends the interval: every thread of the block has reached a barrier.
    pub(crate) fn barrier(&mut self, code: &Code, checks: &LaunchChecks<'_>) {
        self.end_interval(code, checks);
        self.order.barrier();
        if !self.is_eager && self.global.events.last() != Some(&LogEvent::Barrier) {
            self.global.push(LogEvent::Barrier, None);
        }
    }

    /// Ends the interval: every thread of the grid has reached the grid barrier.
    pub(crate) fn sync_grid(&mut self, code: &Code, checks: &LaunchChecks<'_>) {
        self.end_interval(code, checks);
        self.order.sync_grid();
        self.global.push(LogEvent::SyncGrid, None);
    }

    /// Ends the interval: every thread of the cluster has reached its barrier. The `first` block of
    /// the cluster ends the analysis of its shared memory up to here.
    pub(crate) fn sync_cluster(&mut self, code: &Code, checks: &LaunchChecks<'_>, first: bool) {
        self.end_interval(code, checks);
        self.order.sync_cluster();
        if let Some(member) = self.cluster.as_ref().filter(|_| first) {
            member.lock().sync();
        }
    }

    /// Joins the clock of the block into that of its cluster, after the barrier of that.
    pub(crate) fn join_clock(&self, all: &mut VectorClock) {
        self.order.join_clock(self.block, all);
    }

    /// Sets the clock of all threads to that of the cluster.
    pub(crate) fn set_clock(&mut self, all: &Arc<VectorClock>) {
        self.order.set_clock(all);
    }

    /// Records that all threads of a block of a cluster have ended.
    pub(crate) fn leave_cluster(&mut self, checks: &LaunchChecks<'_>) {
        let Some(member) = self.cluster.take().filter(|_| checks.checks_races) else { return };
        member.lock().end_block(member.rank, &self.order, &mut self.found);
    }

    /// Logs that lanes of a warp have waited for each other.
    pub(crate) fn sync_warp(
        &mut self,
        code: &Code,
        checks: &LaunchChecks<'_>,
        warp: u32,
        lanes: u32,
    ) {
        let event = LogEvent::SyncWarp { warp, lanes };
        self.log_event((code, checks), true, event, None);
        if !self.is_eager {
            self.log_event((code, checks), false, event, None);
        }
    }

    /// Publishes the accesses of threads that arrive at a named barrier or an mbarrier, to those
    /// that wait there.
    pub(crate) fn arrive_at_partial_barrier(
        &mut self,
        threads: impl Iterator<Item = u32>,
        arrived: &mut ArrivedClock,
    ) {
        let at = (self.block, self.order.interval);
        if let Some(block_clocks) = &mut self.order.block_clocks {
            block_clocks.arrive(at, threads, arrived);
        }
    }

    /// Orders everything before that threads have published, for threads that have waited at a
    /// named barrier or an mbarrier.
    pub(crate) fn pass_partial_barrier(
        &mut self,
        threads: impl Iterator<Item = u32>,
        arrived: &ArrivedClock,
    ) {
        if let Some(block_clocks) = &mut self.order.block_clocks {
            block_clocks.pass(threads, arrived);
        }
    }

    /// Checks the masks of lanes that perform a warp operation together.
    pub(crate) fn check_masks(
        &mut self,
        checks: &LaunchChecks<'_>,
        collective: &WarpCollective<'_>,
    ) {
        self.found.misuses.check_masks(checks, self.block, collective);
    }

    /// Returns the misuses of barriers and masks.
    pub(crate) fn misuses(&mut self) -> &mut Misuses {
        &mut self.found.misuses
    }

    fn end_interval(&mut self, code: &Code, checks: &LaunchChecks<'_>) {
        if !self.is_split && self.is_clean() {
            self.log.clear();
            return;
        }
        let (found, is_whole) = (self.found.race_count(), !self.is_split);
        self.analyse(code, checks);
        if is_whole && self.found.race_count() == found && self.clean.len() < MAX_CLEAN_INTERVALS {
            self.last_clean = self.clean.len();
            self.clean.push(self.log.clone());
        }
        self.forget_interval();
    }

    /// Returns true if an equal interval was clean.
    fn is_clean(&mut self) -> bool {
        let next = (self.last_clean + 1..self.clean.len()).chain(0..self.clean.len());
        let like = next.into_iter().find(|at| self.clean[*at].has_same_accesses(&self.log));
        self.last_clean = like.unwrap_or(self.last_clean);
        like.is_some() || self.log.events.is_empty()
    }

    fn forget_interval(&mut self) {
        self.log.clear();
        self.contexts.clear();
        self.shadow.clear();
        (self.is_split, self.first_event) = (false, 0);
    }

    /// Analyses the log of an interval that continues.
    fn analyse_part(&mut self, code: &Code, checks: &LaunchChecks<'_>) {
        self.analyse(code, checks);
        self.first_event += self.log.len() as u32;
        self.log.clear();
        self.is_split = true;
    }

    fn analyse(&mut self, code: &Code, checks: &LaunchChecks<'_>) {
        let whole = std::mem::take(&mut self.log);
        let unrolled = whole.unroll();
        let log = unrolled.as_ref().unwrap_or(&whole);
        for (number, event) in log.events.iter().enumerate() {
            match event {
                LogEvent::Access(access) if code.sites[access.site as usize].is_shared => {
                    self.analyse_access(code, checks, log, (number, access));
                }
                LogEvent::Access(access) => {
                    let now = (&self.order, self.block);
                    checks.lock_global().analyse_access(code, checks, log, access, now);
                    self.synchronize(code, checks, log, access);
                }
                // An unrolled log has an event for each access instead.
                LogEvent::Rounds { .. } => {}
                LogEvent::SyncWarp { warp, lanes } => {
                    self.order.sync_warp(self.block, *warp, *lanes);
                }
                LogEvent::Fence { first_thread, lanes, scope } => {
                    let at = (self.block, self.order.interval);
                    if let Some(block_clocks) = &mut self.order.block_clocks {
                        let threads = lanes.lanes().map(|lane| first_thread + lane as u32);
                        threads.for_each(|thread| block_clocks.fence(at, thread, *scope));
                    }
                }
                // Both end the interval, and its log with it.
                LogEvent::Barrier | LogEvent::SyncGrid => {}
            }
        }
        self.log = whole;
    }

    /// Applies the acquire and the release of an atomic access, after the access itself is
    /// analysed.
    fn synchronize(
        &mut self,
        code: &Code,
        checks: &LaunchChecks<'_>,
        log: &AccessLog,
        access: &Access,
    ) {
        let site = &code.sites[access.site as usize];
        let Some((order, scope)) = site.atomic else { return };
        let at = (self.block, self.order.interval);
        let Some(block_clocks) = &mut self.order.block_clocks else { return };
        let mut global = checks.lock_global();
        for (thread, buffer, first) in thread_addresses(checks, log, access) {
            let place = match checks.slice_place(buffer) {
                Some(SlicePlace { memory, offset, .. }) if !site.is_shared => {
                    (None, memory as u16, offset + first)
                }
                Some(_) | None => {
                    let owner =
                        |member: &ClusterMember| member.lock().owner(code, buffer, member.rank);
                    let block = self.cluster.as_ref().map_or(self.block, owner);
                    (Some(block), code.own_buffer(buffer), first)
                }
            };
            let (reads, writes) = (site.reads, site.kind.writes());
            let atomic = AtomicAccess { place, reads, writes, order, scope };
            block_clocks.access_atomic(at, thread, &mut global.places, &atomic);
        }
    }

    /// Analyses an access of shared memory, lane by lane.
    fn analyse_access(
        &mut self,
        code: &Code,
        checks: &LaunchChecks<'_>,
        log: &AccessLog,
        (number, access): (usize, &Access),
    ) {
        let site = &code.sites[access.site as usize];
        let event = self.first_event + number as u32;
        if let Some(member) = self.cluster.take() {
            let mut cluster = member.lock();
            for (thread, buffer, first) in thread_addresses(checks, log, access) {
                self.accesses += 1;
                let access = ClusterAccess {
                    context: self.context_of(access.site, site, event, thread),
                    thread,
                    at: (buffer, first),
                    bytes: site.bytes,
                    value: log.written_value(number as u32, thread),
                    access_number: self.accesses,
                };
                let (order, found) = (&self.order, &mut self.found);
                cluster.record_access((code, checks), member.rank, &access, order, found);
            }
            drop(cluster);
            self.cluster = Some(member);
            return self.synchronize(code, checks, log, access);
        }
        for (thread, buffer, first) in thread_addresses(checks, log, access) {
            let context = self.push_context(access.site, site, event, thread);
            let now = AccessRecord::new(context, thread);
            self.accesses += 1;
            for (cell, byte) in checks.touched_cells(buffer, first, site.bytes) {
                self.record_access(log, cell, now, (buffer, byte));
            }
        }
        self.synchronize(code, checks, log, access);
    }

    /// Returns the number of the context of an access by a thread: of the last one, if the thread
    /// has the same clocks.
    fn push_context(&mut self, number: u32, site: &Site, event: u32, thread: u32) -> usize {
        let (clock, epoch) = (self.order.clock(thread), self.order.epoch(thread));
        let like = |context: &AccessContext| {
            (context.event, context.clock, context.epoch) == (event, clock, epoch)
        };
        if !self.contexts.last().is_some_and(like) {
            self.contexts.push(self.context_of(number, site, event, thread));
        }
        self.contexts.len() - 1
    }

    /// Returns the context of an access by a thread.
    fn context_of(&self, number: u32, site: &Site, event: u32, thread: u32) -> AccessContext {
        AccessContext {
            site: number,
            kind: site.kind,
            is_narrow: site.is_narrow(),
            block: self.block,
            interval: self.order.interval,
            grid: self.order.grid,
            cluster: self.order.cluster,
            cluster_barriers: self.order.cluster_barriers,
            clock: self.order.clock(thread),
            epoch: self.order.epoch(thread),
            event,
        }
    }

    /// Records an access of a cell, and adds the races that it causes.
    fn record_access(&mut self, log: &AccessLog, cell: u64, now: AccessRecord, at: (u16, u64)) {
        let Self { contexts, order, found, accesses, first_event, .. } = self;
        let racing = |record: AccessRecord| {
            let AccessContext { site, kind, block, event, .. } = contexts[record.context()];
            let thread = record.thread();
            let value =
                event.checked_sub(*first_event).and_then(|event| log.written_value(event, thread));
            RacingAccess { block, thread, site, kind, value }
        };
        let context_of = |number: usize| contexts[number];
        self.shadow.record_access(
            cell as usize,
            now,
            (context_of, order),
            |RaceHit { before, missing }| {
                found.add_race(
                    *accesses,
                    RacingPair::new(at, [racing(before), racing(now)], missing),
                );
            },
        );
    }
}

/// Returns each thread of an access with the buffer and the byte that it accesses.
fn thread_addresses(
    checks: &LaunchChecks<'_>,
    log: &AccessLog,
    access: &Access,
) -> impl Iterator<Item = (u32, u16, u64)> {
    let pattern = checks.pattern(access.site);
    access.lanes.lanes().map(move |lane| {
        let thread = access.first_thread + lane as u32;
        let offset = || pattern.map_or(0, |pattern| pattern.offsets[thread as usize]);
        let (buffer, first) = lanes::resolve(log.lane_address(access.places, lane, offset));
        (thread, buffer, first)
    })
}
