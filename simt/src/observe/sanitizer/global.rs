//! The shadow of global memory.
//!
//! Most accesses of a group are by neighbouring lanes to neighbouring cells, and most cells are
//! accessed by one thread. So a chunk of cells is described by a few *pieces*, which record the
//! threads that have accessed its cells, for as long as no two of the accesses may race; then by
//! [each cell](Shadow). The accesses of blocks are analysed in the order of the blocks' numbers,
//! whichever worker has run them, so that findings do not depend on the schedule.
use super::{
    LaunchChecks,
    access_log::{Access, AccessLog, LogEvent},
    contexts::Contexts,
    happens_before::{AccessContext, HappensBefore},
    launch::{LaneRun, SlicePlace},
    raw_findings::{RacingAccess, RacingPair, RawFindings},
    release_acquire::ReleasedClocks,
    replayed_accesses::ReplayedAccesses,
    shadow::{AccessRecord, RaceHit, Shadow},
};
use crate::{
    bytecode::{Code, Site},
    vector::lanes,
};
use std::collections::BTreeMap;
use warpwise_compiler::hardware::LANES;

/// The number of cells in a chunk.
const CHUNK_CELLS: u64 = 256;
/// The number of pieces in a chunk itself: as many as fit in its cache line.
const INLINE_PIECES: usize = 6;
/// The maximum number of pieces beside a chunk, before it is expanded to cells: tiles of an image
/// have many rows in a chunk.
const MAX_EXTRA_PIECES: usize = 27;
/// The initial room for pieces beside a chunk: one for each warp that accesses the cells of a chunk
/// in a row.
const INITIAL_EXTRA_PIECES: usize = CHUNK_CELLS as usize / LANES - INLINE_PIECES;

/// Neighbouring cells that neighbouring threads have accessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Piece {
    context: u32,
    /// The first and the last cell.
    cells: [u8; 2],
    /// The thread of the first cell, and in the highest bits the binary logarithm of the cells per
    /// thread.
    thread_and_shift: u16,
}

/// The number of bits of a thread's number.
const THREAD_BITS: u32 = 10;

impl Piece {
    fn thread_of(self, cell: u8) -> u32 {
        self.thread() + (u32::from(cell - self.cells[0]) >> self.shift())
    }

    /// Returns the thread of the first cell.
    fn thread(self) -> u32 {
        u32::from(self.thread_and_shift) % (1 << THREAD_BITS)
    }

    /// Returns the binary logarithm of the cells per thread.
    fn shift(self) -> u32 {
        u32::from(self.thread_and_shift) >> THREAD_BITS
    }

    fn overlaps(self, other: Self) -> bool {
        self.cells[0] <= other.cells[1] && other.cells[0] <= self.cells[1]
    }

    /// Returns true if each common cell belongs to the same thread in both.
    fn is_aligned(self, other: Self) -> bool {
        let first =
            |piece: Self| i32::from(piece.cells[0]) - ((piece.thread() << piece.shift()) as i32);
        self.shift() == other.shift() && first(self) == first(other)
    }

    fn covers(self, other: Self) -> bool {
        self.cells[0] <= other.cells[0] && other.cells[1] <= self.cells[1]
    }
}

/// The state of [`CHUNK_CELLS`] cells, in one cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Chunk {
    pieces: [Piece; INLINE_PIECES],
    cells: Option<Box<Shadow>>,
    /// The place of further pieces in [`MemoryShadow::extra_pieces`], and the room for them there.
    first_extra: u32,
    extra_room: u8,
    count: u8,
}

/// The state of the cells of a memory.
#[derive(Debug, Default)]
struct MemoryShadow {
    chunks: Vec<Chunk>,
    /// Pieces beside the chunks. One allocation for all takes less time than one for each.
    extra_pieces: Vec<Piece>,
}

/// The common properties of the runs of an access: its site, the value that all lanes write, and
/// the order of the block's accesses.
struct AccessOrigin<'a> {
    checks: &'a LaunchChecks<'a>,
    site: &'a Site,
    value: Option<u64>,
    order: &'a HappensBefore,
    block: u64,
}

/// The place that the first lane of a run accesses.
#[derive(Clone, Copy)]
struct RunPlace {
    buffer: u16,
    slice: SlicePlace,
    /// The byte in the memory.
    first: u64,
}

impl RunPlace {
    /// Returns the place that a run accesses, if its memory may be raced for.
    fn of(run: LaneRun, checks: &LaunchChecks<'_>) -> Option<Self> {
        let (buffer, byte) = lanes::resolve(run.address);
        let slice = checks.slice_place(buffer)?;
        Some(Self { buffer, slice, first: slice.offset + byte })
    }
}

/// The analysis of the global memory of a launch.
#[derive(Debug, Default)]
pub(crate) struct GlobalShadow {
    memories: Vec<MemoryShadow>,
    contexts: Contexts,
    /// The first context of the current block, where it is known.
    contexts_of_block: u32,
    /// The order in the next block, unless blocks are analysed as they run.
    order: HappensBefore,
    /// The next block to analyse.
    next_block: u64,
    /// The logs of later blocks, each with true if the block has ended.
    pending_logs: BTreeMap<u64, (Vec<AccessLog>, bool)>,
    /// The accesses of later blocks that were replayed, by the first block.
    pending_replays: BTreeMap<u64, ReplayedAccesses>,
    /// The number of analysed events.
    events: u32,
    accesses: u64,
    found: RawFindings,
    pub(crate) places: ReleasedClocks,
}

impl GlobalShadow {
    /// Creates the shadow of memories with these numbers of cells.
    pub(crate) fn new(cells: impl Iterator<Item = u64>) -> Self {
        let memory = |cells: u64| {
            let chunks = (0..cells.div_ceil(CHUNK_CELLS)).map(|_| Chunk::default()).collect();
            MemoryShadow { chunks, extra_pieces: Vec::new() }
        };
        let memories = cells.map(memory).collect();
        Self { memories, contexts_of_block: u32::MAX, ..Self::default() }
    }

    /// Adds the log of a block; with `is_end`, the block has ended.
    pub(crate) fn submit(
        &mut self,
        (code, checks): (&Code, &LaunchChecks<'_>),
        block: u64,
        log: &mut AccessLog,
        is_end: bool,
    ) {
        if block != self.next_block {
            let (logs, has_ended) = self.pending_logs.entry(block).or_default();
            logs.push(std::mem::take(log));
            *has_ended |= is_end;
            return;
        }
        self.analyse_log(code, checks, log);
        log.clear();
        if is_end {
            self.end_block();
            self.analyse_ended(code, checks);
        }
    }

    /// Adds the accesses of replayed blocks, all of which have ended.
    pub(crate) fn submit_replayed(
        &mut self,
        (code, checks): (&Code, &LaunchChecks<'_>),
        first: u64,
        rounds: &ReplayedAccesses,
    ) {
        if first != self.next_block {
            self.pending_replays.insert(first, rounds.clone());
            return;
        }
        self.analyse_replayed(code, checks, rounds);
        self.analyse_ended(code, checks);
    }

    /// Analyses the next blocks, as far as all their accesses are known.
    fn analyse_ended(&mut self, code: &Code, checks: &LaunchChecks<'_>) {
        loop {
            if let Some(rounds) = self.pending_replays.remove(&self.next_block) {
                self.analyse_replayed(code, checks, &rounds);
            } else if self
                .pending_logs
                .get(&self.next_block)
                .is_some_and(|(_, has_ended)| *has_ended)
            {
                self.analyse_pending(code, checks);
            } else {
                return;
            }
        }
    }

    /// Analyses the next blocks, which were replayed: none of their threads waited for another.
    fn analyse_replayed(
        &mut self,
        code: &Code,
        checks: &LaunchChecks<'_>,
        rounds: &ReplayedAccesses,
    ) {
        let (order, log) = (std::mem::take(&mut self.order), AccessLog::default());
        // The runs of the first round; those of the others are further on by the advance of each
        // access.
        let runs_of = |(access, _): &(Access, u64)| {
            let bytes = u64::from(code.sites[access.site as usize].bytes);
            let mut runs = Vec::new();
            checks
                .for_each_run(&log, access, bytes, order.has_equal_clocks(), |run| runs.push(run));
            runs
        };
        let runs: Vec<Vec<LaneRun>> = rounds.accesses.iter().map(runs_of).collect();
        if order.has_equal_clocks() {
            self.analyse_replayed_at_once(code, checks, (rounds, &runs), &order);
            self.order = order;
            return;
        }
        for round in 0..rounds.many {
            for ((access, bytes, value), runs) in rounds.round(&code.sites, round).zip(&runs) {
                let site = &code.sites[access.site as usize];
                let origin =
                    AccessOrigin { checks, site, value, order: &order, block: self.next_block };
                self.events += 1;
                for run in runs {
                    let address = run.address.wrapping_add(bytes);
                    self.analyse_run(&origin, access, LaneRun { address, ..*run });
                }
            }
            self.next_block += 1;
        }
        self.order = order;
    }

    /// Analyses the next blocks, which were replayed and whose threads have equal clocks.
    fn analyse_replayed_at_once(
        &mut self,
        code: &Code,
        checks: &LaunchChecks<'_>,
        (rounds, runs): (&ReplayedAccesses, &[Vec<LaneRun>]),
        order: &HappensBefore,
    ) {
        // All lanes have equal clocks, so each access has one context, and those of later rounds
        // follow from the first round's.
        let contexts: Vec<AccessContext> = (self.events + 1..)
            .zip(&rounds.accesses)
            .map(|(event, (access, _))| {
                let site = &code.sites[access.site as usize];
                let origin =
                    AccessOrigin { checks, site, value: None, order, block: self.next_block };
                AccessContext {
                    event,
                    ..self.context_of(&origin, access.site, access.first_thread)
                }
            })
            .collect();
        let accesses = contexts.len() as u32;
        let mut values = Vec::new();
        if rounds.values.iter().any(Option::is_some) {
            let each = (0..rounds.many).flat_map(|round| rounds.round(&code.sites, round));
            values.extend(each.map(|(_, _, value)| value));
        }
        let first = self.contexts.push_rounds(contexts, values, rounds.many);
        // Runs are resolved once: rounds differ by their advance only.
        let mut placed = Vec::new();
        for (number, ((access, step), runs)) in (0..).zip(rounds.accesses.iter().zip(runs)) {
            let bytes = code.sites[access.site as usize].bytes;
            for run in runs {
                if let Some(place) = RunPlace::of(*run, checks) {
                    placed.push((number, place, *step, bytes, (access.first_thread, *run)));
                }
            }
        }
        for round in 0..rounds.many {
            self.contexts_of_block = first + accesses * round as u32;
            for (number, place, step, bytes, run) in &placed {
                let place = RunPlace {
                    first: place.first.wrapping_add(step.wrapping_mul(round)),
                    ..*place
                };
                self.record_run(place, self.contexts_of_block + number, *bytes, *run, order);
            }
        }
        self.contexts_of_block = u32::MAX;
        self.events += accesses * rounds.many as u32;
        self.next_block += rounds.many;
    }

    fn end_block(&mut self) {
        self.next_block += 1;
        self.order.reset();
    }

    /// Analyses the next block.
    fn analyse_pending(&mut self, code: &Code, checks: &LaunchChecks<'_>) {
        if let Some((logs, _)) = self.pending_logs.remove(&self.next_block) {
            logs.iter().for_each(|log| self.analyse_log(code, checks, log));
        }
        self.end_block();
    }

    /// Analyses the remaining logs, including those of blocks that were stopped; returns the
    /// findings.
    pub(crate) fn finish(&mut self, code: &Code, checks: &LaunchChecks<'_>) -> RawFindings {
        loop {
            let by_itself = self.pending_logs.first_key_value().map(|(block, _)| *block);
            let pending_replays = self.pending_replays.first_key_value().map(|(block, _)| *block);
            let Some(block) = by_itself.into_iter().chain(pending_replays).min() else { break };
            self.order.reset();
            self.next_block = block;
            match self.pending_replays.remove(&block) {
                Some(rounds) => self.analyse_replayed(code, checks, &rounds),
                None => self.analyse_pending(code, checks),
            }
        }
        std::mem::take(&mut self.found)
    }

    fn analyse_log(&mut self, code: &Code, checks: &LaunchChecks<'_>, log: &AccessLog) {
        let mut order = std::mem::take(&mut self.order);
        for event in &log.events {
            match event {
                LogEvent::Access(access) => {
                    self.analyse_access(code, checks, log, access, (&order, self.next_block));
                }
                LogEvent::SyncWarp { warp, lanes } => {
                    order.sync_warp(self.next_block, *warp, *lanes)
                }
                LogEvent::Barrier => order.barrier(),
                LogEvent::SyncGrid => order.sync_grid(),
                // Kernels with fences are analysed as they run, and rounds are logged for shared
                // memory only.
                LogEvent::Fence { .. } | LogEvent::Rounds { .. } => {}
            }
        }
        self.order = order;
    }

    /// Analyses an access of global memory by lanes of a group.
    pub(crate) fn analyse_access(
        &mut self,
        code: &Code,
        checks: &LaunchChecks<'_>,
        log: &AccessLog,
        access: &Access,
        (order, block): (&HappensBefore, u64),
    ) {
        let site = &code.sites[access.site as usize];
        let origin = AccessOrigin { checks, site, value: access.value, order, block };
        self.events += 1;
        let bytes = u64::from(site.bytes);
        if !order.has_equal_clocks() {
            checks.for_each_run(log, access, bytes, false, |run| {
                self.analyse_run(&origin, access, run)
            });
            return;
        }
        // All lanes have equal clocks, and so one context. It is stored only if a lane accesses
        // memory that may be raced for.
        let context = self.context_of(&origin, access.site, access.first_thread);
        let mut number = None;
        checks.for_each_run(log, access, bytes, true, |run| {
            if let Some(place) = RunPlace::of(run, checks) {
                let number =
                    *number.get_or_insert_with(|| self.contexts.push(context, origin.value));
                self.record_run(place, number, site.bytes, (access.first_thread, run), order);
            }
        });
    }

    /// Analyses the accesses of neighbouring lanes.
    fn analyse_run(&mut self, origin: &AccessOrigin<'_>, access: &Access, run: LaneRun) {
        let Some(place) = RunPlace::of(run, origin.checks) else { return };
        let context = self.context_of(origin, access.site, access.first_thread + run.lane);
        let number = self.contexts.push(context, origin.value);
        self.record_run(place, number, origin.site.bytes, (access.first_thread, run), origin.order);
    }

    /// Records the accesses of neighbouring lanes, each of `bytes` bytes.
    #[inline(always)]
    fn record_run(
        &mut self,
        RunPlace { buffer, slice, first }: RunPlace,
        context: u32,
        bytes: u32,
        (first_thread, LaneRun { lane, len, .. }): (u32, LaneRun),
        order: &HappensBefore,
    ) {
        let thread = first_thread + lane;
        self.accesses += 1;
        // Both sizes are powers of two.
        let unit = slice.cell_bytes.trailing_zeros();
        let shift = bytes.trailing_zeros() - unit;
        let first = first >> unit;
        let end = first + (u64::from(len) << shift);
        let mut from = first;
        while from < end {
            let to = end.min((from / CHUNK_CELLS + 1) * CHUNK_CELLS);
            let thread = thread + ((from - first) >> shift) as u32;
            let piece = Piece {
                context,
                cells: [from, to - 1].map(|cell| (cell % CHUNK_CELLS) as u8),
                thread_and_shift: (shift << THREAD_BITS | thread) as u16,
            };
            self.record_piece((slice, from / CHUNK_CELLS), piece, order, buffer);
            from = to;
        }
    }

    /// Returns the context of an access by a thread.
    fn context_of(&self, origin: &AccessOrigin<'_>, number: u32, thread: u32) -> AccessContext {
        let AccessOrigin { site, order, block, .. } = *origin;
        AccessContext {
            site: number,
            kind: site.kind,
            is_narrow: site.is_narrow(),
            block,
            interval: order.interval,
            grid: order.grid,
            cluster: order.cluster,
            cluster_barriers: order.cluster_barriers,
            clock: order.clock(thread),
            epoch: order.epoch(thread),
            event: self.events,
        }
    }

    /// Records a piece of a chunk, and adds the races that it causes.
    #[inline(always)]
    fn record_piece(
        &mut self,
        place: (SlicePlace, u64),
        piece: Piece,
        order: &HappensBefore,
        buffer: u16,
    ) {
        let (slice, number) = place;
        let MemoryShadow { chunks, extra_pieces } = &mut self.memories[slice.memory];
        let Some(chunk) = chunks.get_mut(number as usize) else { return };
        // The cheap test first: it reads no context.
        if chunk.cells.is_some() || !chunk.try_append(piece, extra_pieces, self.contexts_of_block) {
            self.record_overlapping(place, piece, order, buffer);
        }
    }

    /// Records a piece that may have cells in common with others, and adds the races that it
    /// causes.
    #[inline(never)]
    fn record_overlapping(
        &mut self,
        (slice, number): (SlicePlace, u64),
        piece: Piece,
        order: &HappensBefore,
        buffer: u16,
    ) {
        let Self { memories, contexts, accesses, found, .. } = self;
        let MemoryShadow { chunks, extra_pieces } = &mut memories[slice.memory];
        let chunk = &mut chunks[number as usize];
        if chunk.cells.is_none() && chunk.try_insert(piece, extra_pieces, contexts) {
            return;
        }
        let keeps_all = order.block_clocks.is_some();
        let cells = chunk.cells.take();
        let cells =
            cells.unwrap_or_else(|| chunk.expand_to_cells(extra_pieces, contexts, keeps_all));
        let cells = chunk.cells.insert(cells);
        let racing = |record: AccessRecord| {
            let number = record.context() as u32;
            let AccessContext { site, kind, block, .. } = contexts.get(number);
            let value = contexts.value(number);
            RacingAccess { block, thread: record.thread(), site, kind, value }
        };
        for cell in piece.cells[0]..=piece.cells[1] {
            let now = AccessRecord::new(piece.context as usize, piece.thread_of(cell));
            let access = *accesses << 10 | u64::from(now.thread());
            let byte = (number * CHUNK_CELLS + u64::from(cell)) * slice.cell_bytes;
            let at = (buffer, byte.saturating_sub(slice.offset));
            let context_of = |number: usize| contexts.get(number as u32);
            let cell = usize::from(cell);
            cells.record_access(cell, now, (context_of, order), |RaceHit { before, missing }| {
                let parties = [racing(before), racing(now)];
                found.add_race(access, RacingPair::new(at, parties, missing));
            });
        }
    }
}

const _: () = assert!(size_of::<Chunk>() == 64, "a chunk has one cache line");

impl Chunk {
    /// Returns the pieces, in the order of their accesses.
    fn piece_lists<'p>(&'p self, extra_pieces: &'p [Piece]) -> [&'p [Piece]; 2] {
        let (count, first) = (usize::from(self.count), self.first_extra as usize);
        let extra = count.saturating_sub(INLINE_PIECES);
        [&self.pieces[..count.min(INLINE_PIECES)], &extra_pieces[first..first + extra]]
    }

    /// Returns the shadow with the accesses of each cell.
    fn expand_to_cells(
        &self,
        extra_pieces: &[Piece],
        contexts: &Contexts,
        keeps_all: bool,
    ) -> Box<Shadow> {
        let mut shadow = Box::new(Shadow::new(CHUNK_CELLS as usize, keeps_all));
        // The order in other blocks is unknown here.
        let nothing = HappensBefore::default();
        for piece in self.piece_lists(extra_pieces).into_iter().flatten() {
            for cell in piece.cells[0]..=piece.cells[1] {
                let now = AccessRecord::new(piece.context as usize, piece.thread_of(cell));
                let context_of = |number: usize| contexts.get(number as u32);
                shadow.record_access(usize::from(cell), now, (context_of, &nothing), |_| {});
            }
        }
        shadow
    }

    /// Returns the slot for a piece, if there is room.
    #[inline(always)]
    fn slot<'p>(
        &'p mut self,
        number: usize,
        extra_pieces: &'p mut Vec<Piece>,
    ) -> Option<&'p mut Piece> {
        if number < INLINE_PIECES {
            return self.pieces.get_mut(number);
        }
        let extra = number - INLINE_PIECES;
        if extra == usize::from(self.extra_room) {
            self.extend_room(extra_pieces)?;
        }
        extra_pieces.get_mut(self.first_extra as usize + extra)
    }

    /// Doubles the room for pieces beside the chunk; `None` if there is enough.
    fn extend_room(&mut self, extra_pieces: &mut Vec<Piece>) -> Option<()> {
        let (first, used) = (self.first_extra as usize, usize::from(self.extra_room));
        let room = (2 * used).clamp(INITIAL_EXTRA_PIECES, MAX_EXTRA_PIECES);
        let new_first = u32::try_from(extra_pieces.len()).ok().filter(|_| room > used)?;
        extra_pieces.extend_from_within(first..first + used);
        extra_pieces.resize(new_first as usize + room, Piece::default());
        (self.first_extra, self.extra_room) = (new_first, room as u8);
        Some(())
    }

    /// Appends a piece of the block whose contexts begin at `contexts_of_block`, if it
    /// races with none and no context is needed to see that: each cell is the same thread's, or no
    /// earlier piece's.
    #[inline(always)]
    fn try_append(
        &mut self,
        piece: Piece,
        extra_pieces: &mut Vec<Piece>,
        contexts_of_block: u32,
    ) -> bool {
        let count = usize::from(self.count);
        let is_apart = |other: &Piece| !piece.overlaps(*other);
        let is_ordered = |other: &Piece| {
            is_apart(other) || other.context >= contexts_of_block && piece.is_aligned(*other)
        };
        // Pieces of the same cells are merged before they take up memory beside the chunk.
        let appends = if count < INLINE_PIECES {
            self.pieces[..count].iter().all(is_ordered)
        } else {
            let [inline, extra] = self.piece_lists(extra_pieces);
            inline.iter().all(is_apart) && extra.iter().all(is_apart)
        };
        let place = if appends { self.slot(count, extra_pieces) } else { None };
        let Some(place) = place else { return false };
        *place = piece;
        self.count += 1;
        true
    }

    /// Inserts a piece that races with none; returns false if it may race with one, or if there is
    /// no room.
    fn try_insert(
        &mut self,
        piece: Piece,
        extra_pieces: &mut Vec<Piece>,
        contexts: &Contexts,
    ) -> bool {
        let mut number = usize::from(self.count);
        for (at, other) in self.piece_lists(extra_pieces).into_iter().flatten().enumerate() {
            if !piece.overlaps(*other) {
                continue;
            }
            let (now, before) = (&contexts.get(piece.context), &contexts.get(other.context));
            let same_threads = now.block == before.block && piece.is_aligned(*other);
            if now.conflicts_with(before) && !same_threads && !before.is_before(now) {
                return false;
            }
            let is_alike = now.kind == before.kind && now.is_narrow == before.is_narrow;
            if is_alike && same_threads && piece.covers(*other) {
                number = at;
            }
        }
        let Some(place) = self.slot(number, extra_pieces) else { return false };
        *place = piece;
        self.count = self.count.max(number as u8 + 1);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_beside_chunks_stay_in_the_order_of_their_accesses() {
        let piece =
            |context: u32, cell: u8| Piece { context, cells: [cell; 2], ..Piece::default() };
        // Two chunks in turns, so that the pieces of each move as they take more room.
        let (mut chunks, mut extra_pieces) = ([Chunk::default(), Chunk::default()], Vec::new());
        let most = INLINE_PIECES + MAX_EXTRA_PIECES;
        for number in 0..most {
            for (at, chunk) in chunks.iter_mut().enumerate() {
                let piece = piece((2 * number + at) as u32, number as u8);
                assert!(chunk.try_append(piece, &mut extra_pieces, 0));
            }
        }
        for (at, chunk) in chunks.iter_mut().enumerate() {
            let pieces: Vec<Piece> = chunk.piece_lists(&extra_pieces).concat();
            let expected = (0..most).map(|number| piece((2 * number + at) as u32, number as u8));
            assert_eq!(pieces, expected.collect::<Vec<_>>());
            assert!(!chunk.try_append(piece(99, 200), &mut extra_pieces, 0), "there is no room");
        }
    }
}
