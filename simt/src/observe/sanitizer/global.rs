//! The shadow of global memory.
//!
//! Most accesses of a group are by neighbouring lanes to neighbouring cells, and most cells are
//! accessed by one thread. So a chunk of cells is described by a few *pieces*, which record the
//! threads that have accessed its cells, for as long as no two of the accesses may race; then by
//! [each cell](Shadow). The accesses of blocks are analysed in the order of the blocks' numbers,
//! whichever worker has run them, so that findings do not depend on the schedule.
use super::{
    LaunchChecks,
    access_log::{Access, Event, Log},
    contexts::Contexts,
    found::{Found, Pair, Party},
    happens_before::{Context, Order},
    launch::LaneRun,
    release_acquire::Places,
    rounds::Rounds,
    shadow::{Hit, Record, Shadow},
};
use crate::{
    bytecode::{Code, Site},
    vector::lanes,
};
use std::collections::BTreeMap;
use warpwise_compiler::hardware::LANES;

/// The number of cells in a chunk.
const CHUNK: u64 = 256;
/// The number of pieces in a chunk itself: as many as fit in its cache line.
const PIECES: usize = 3;
/// The maximum number of pieces beside a chunk, before it is expanded to cells: tiles of an image
/// have many rows in a chunk.
const MORE: usize = 30;
/// The initial capacity for pieces beside a chunk: one for each warp that accesses the cells of a
/// chunk in a row.
const FIRST_MORE: usize = CHUNK as usize / LANES - PIECES;

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
    pieces: [Piece; PIECES],
    more: Vec<Piece>,
    count: u8,
    cells: Option<Box<Shadow>>,
}

/// The common properties of the runs of an access: its site, the value that all lanes write, and
/// the order of the block's accesses.
struct By<'a> {
    checks: &'a LaunchChecks<'a>,
    site: &'a Site,
    value: Option<u64>,
    order: &'a Order,
    block: u64,
}

/// The place that the first lane of a run accesses.
#[derive(Clone, Copy)]
struct Place {
    buffer: u16,
    /// The number of the memory.
    memory: usize,
    /// Bytes in a cell of the memory.
    unit: u64,
    /// The byte in the memory.
    first: u64,
}

impl By<'_> {
    /// Returns the place that a run accesses, if its memory may be raced for.
    fn place(&self, run: LaneRun) -> Option<Place> {
        let (buffer, first) = lanes::resolve(run.address);
        let (memory, unit) = self.checks.memory(buffer)?;
        Some(Place { buffer, memory, unit, first })
    }
}

/// The analysis of the global memory of a launch.
#[derive(Debug, Default)]
pub(crate) struct Global {
    memories: Vec<Vec<Chunk>>,
    contexts: Contexts,
    /// The first context of the current block, where it is known.
    contexts_of_block: u32,
    /// The order in the next block, unless blocks are analysed as they run.
    order: Order,
    /// The next block to analyse.
    next: u64,
    /// The logs of later blocks, each with true if the block has ended.
    waiting: BTreeMap<u64, (Vec<Log>, bool)>,
    /// The accesses of later blocks that were replayed, by the first block.
    alike: BTreeMap<u64, Rounds>,
    /// The number of analysed events.
    events: u32,
    accesses: u64,
    found: Found,
    pub(crate) places: Places,
}

impl Global {
    /// Creates the shadow of memories with these numbers of cells.
    pub(crate) fn new(cells: impl Iterator<Item = u64>) -> Self {
        let chunks = |cells: u64| (0..cells.div_ceil(CHUNK)).map(|_| Chunk::default()).collect();
        let memories = cells.map(chunks).collect();
        Self { memories, contexts_of_block: u32::MAX, ..Self::default() }
    }

    /// Adds the log of a block; with `is_end`, the block has ended.
    pub(crate) fn submit(
        &mut self,
        (code, checks): (&Code, &LaunchChecks<'_>),
        block: u64,
        log: &mut Log,
        is_end: bool,
    ) {
        if block != self.next {
            let (logs, has_ended) = self.waiting.entry(block).or_default();
            logs.push(std::mem::take(log));
            *has_ended |= is_end;
            return;
        }
        self.replay(code, checks, log);
        log.clear();
        if is_end {
            self.end_block();
            self.replay_ended(code, checks);
        }
    }

    /// Adds the accesses of replayed blocks, all of which have ended.
    pub(crate) fn submit_alike(
        &mut self,
        (code, checks): (&Code, &LaunchChecks<'_>),
        first: u64,
        rounds: &Rounds,
    ) {
        if first != self.next {
            self.alike.insert(first, rounds.clone());
            return;
        }
        self.replay_alike(code, checks, rounds);
        self.replay_ended(code, checks);
    }

    /// Analyses the next blocks, as far as all their accesses are known.
    fn replay_ended(&mut self, code: &Code, checks: &LaunchChecks<'_>) {
        loop {
            if let Some(rounds) = self.alike.remove(&self.next) {
                self.replay_alike(code, checks, &rounds);
            } else if self.waiting.get(&self.next).is_some_and(|(_, has_ended)| *has_ended) {
                self.replay_waiting(code, checks);
            } else {
                return;
            }
        }
    }

    /// Analyses the next blocks, which were replayed: none of their threads waited for another.
    fn replay_alike(&mut self, code: &Code, checks: &LaunchChecks<'_>, rounds: &Rounds) {
        let (order, log) = (std::mem::take(&mut self.order), Log::default());
        // The runs of the first round; those of the others are further on by the advance of each
        // access.
        let runs_of = |(access, _): &(Access, u64)| {
            let bytes = u64::from(code.sites[access.site as usize].bytes);
            let mut runs = Vec::new();
            checks.runs(&log, access, bytes, order.is_even(), |run| runs.push(run));
            runs
        };
        let runs: Vec<Vec<LaneRun>> = rounds.accesses.iter().map(runs_of).collect();
        if order.is_even() {
            self.replay_even(code, checks, (rounds, &runs), &order);
            self.order = order;
            return;
        }
        for round in 0..rounds.many {
            for ((access, bytes, value), runs) in rounds.round(&code.sites, round).zip(&runs) {
                let site = &code.sites[access.site as usize];
                let by = By { checks, site, value, order: &order, block: self.next };
                self.events += 1;
                for run in runs {
                    let address = run.address.wrapping_add(bytes);
                    self.run(&by, access, LaneRun { address, ..*run });
                }
            }
            self.next += 1;
        }
        self.order = order;
    }

    /// Analyses the next blocks, which were replayed and whose threads have equal clocks.
    fn replay_even(
        &mut self,
        code: &Code,
        checks: &LaunchChecks<'_>,
        (rounds, runs): (&Rounds, &[Vec<LaneRun>]),
        order: &Order,
    ) {
        let contexts: Vec<Context> = (self.events + 1..)
            .zip(&rounds.accesses)
            .map(|(event, (access, _))| {
                let site = &code.sites[access.site as usize];
                let by = By { checks, site, value: None, order, block: self.next };
                Context { event, ..self.context_of(&by, access.site, access.first_thread) }
            })
            .collect();
        let accesses = contexts.len() as u32;
        let mut values = Vec::new();
        if rounds.values.iter().any(Option::is_some) {
            let each = (0..rounds.many).flat_map(|round| rounds.round(&code.sites, round));
            values.extend(each.map(|(_, _, value)| value));
        }
        let first = self.contexts.push_rounds(contexts, values, rounds.many);
        let mut placed = Vec::new();
        for (number, ((access, step), runs)) in (0..).zip(rounds.accesses.iter().zip(runs)) {
            let bytes = code.sites[access.site as usize].bytes;
            for run in runs {
                let (buffer, first) = lanes::resolve(run.address);
                if let Some((memory, unit)) = checks.memory(buffer) {
                    let place = Place { buffer, memory, unit, first };
                    placed.push((number, place, *step, bytes, (access.first_thread, *run)));
                }
            }
        }
        for round in 0..rounds.many {
            self.contexts_of_block = first + accesses * round as u32;
            for (number, place, step, bytes, run) in &placed {
                let place =
                    Place { first: place.first.wrapping_add(step.wrapping_mul(round)), ..*place };
                self.pieces(place, self.contexts_of_block + number, *bytes, *run, order);
            }
        }
        self.contexts_of_block = u32::MAX;
        self.events += accesses * rounds.many as u32;
        self.next += rounds.many;
    }

    fn end_block(&mut self) {
        self.next += 1;
        self.order.reset();
    }

    /// Analyses the next block.
    fn replay_waiting(&mut self, code: &Code, checks: &LaunchChecks<'_>) {
        if let Some((logs, _)) = self.waiting.remove(&self.next) {
            logs.iter().for_each(|log| self.replay(code, checks, log));
        }
        self.end_block();
    }

    /// Analyses the remaining logs, including those of blocks that were stopped; returns the
    /// findings.
    pub(crate) fn finish(&mut self, code: &Code, checks: &LaunchChecks<'_>) -> Found {
        loop {
            let by_itself = self.waiting.first_key_value().map(|(block, _)| *block);
            let alike = self.alike.first_key_value().map(|(block, _)| *block);
            let Some(block) = by_itself.into_iter().chain(alike).min() else { break };
            self.order.reset();
            self.next = block;
            match self.alike.remove(&block) {
                Some(rounds) => self.replay_alike(code, checks, &rounds),
                None => self.replay_waiting(code, checks),
            }
        }
        std::mem::take(&mut self.found)
    }

    fn replay(&mut self, code: &Code, checks: &LaunchChecks<'_>, log: &Log) {
        let mut order = std::mem::take(&mut self.order);
        for event in &log.events {
            match event {
                Event::Access(access) => {
                    self.access(code, checks, log, access, (&order, self.next));
                }
                Event::SyncWarp { warp, lanes } => order.sync_warp(self.next, *warp, *lanes),
                Event::Barrier => order.barrier(),
                Event::SyncGrid => order.sync_grid(),
                // Kernels with fences are analysed as they run, and rounds are logged for shared
                // memory only.
                Event::Fence { .. } | Event::Rounds { .. } => {}
            }
        }
        self.order = order;
    }

    /// Analyses an access of global memory by lanes of a group.
    pub(crate) fn access(
        &mut self,
        code: &Code,
        checks: &LaunchChecks<'_>,
        log: &Log,
        access: &Access,
        (order, block): (&Order, u64),
    ) {
        let site = &code.sites[access.site as usize];
        let by = By { checks, site, value: access.value, order, block };
        self.events += 1;
        let bytes = u64::from(site.bytes);
        if !order.is_even() {
            checks.runs(log, access, bytes, false, |run| self.run(&by, access, run));
            return;
        }
        // All lanes have equal clocks, and so one context. It is stored only if a lane accesses
        // memory that may be raced for.
        let context = self.context_of(&by, access.site, access.first_thread);
        let mut number = None;
        checks.runs(log, access, bytes, true, |run| {
            if let Some(place) = by.place(run) {
                let number = *number.get_or_insert_with(|| self.contexts.push(context, by.value));
                self.pieces(place, number, site.bytes, (access.first_thread, run), order);
            }
        });
    }

    /// Analyses the accesses of neighbouring lanes.
    fn run(&mut self, by: &By<'_>, access: &Access, run: LaneRun) {
        let Some(place) = by.place(run) else { return };
        let context = self.context_of(by, access.site, access.first_thread + run.lane);
        let number = self.contexts.push(context, by.value);
        self.pieces(place, number, by.site.bytes, (access.first_thread, run), by.order);
    }

    /// Records the accesses of neighbouring lanes, each of `bytes` bytes.
    #[inline(always)]
    fn pieces(
        &mut self,
        Place { buffer, memory, unit, first }: Place,
        context: u32,
        bytes: u32,
        (first_thread, LaneRun { lane, len, .. }): (u32, LaneRun),
        order: &Order,
    ) {
        let thread = first_thread + lane;
        self.accesses += 1;
        // Both sizes are powers of two.
        let shift = bytes.trailing_zeros() - unit.trailing_zeros();
        let first = first >> unit.trailing_zeros();
        let end = first + (u64::from(len) << shift);
        let mut from = first;
        while from < end {
            let to = end.min((from / CHUNK + 1) * CHUNK);
            let thread = thread + ((from - first) >> shift) as u32;
            let piece = Piece {
                context,
                cells: [from, to - 1].map(|cell| (cell % CHUNK) as u8),
                thread_and_shift: (shift << THREAD_BITS | thread) as u16,
            };
            self.piece((memory, from / CHUNK), piece, order, (buffer, unit));
            from = to;
        }
    }

    /// Returns the context of an access by a thread.
    fn context_of(&self, by: &By<'_>, number: u32, thread: u32) -> Context {
        let By { site, order, block, .. } = *by;
        Context {
            site: number,
            kind: site.kind,
            is_narrow: site.is_narrow(),
            block,
            interval: order.interval,
            grid: order.grid,
            time: order.time(thread),
            epoch: order.epoch(thread),
            event: self.events,
        }
    }

    /// Records a piece of a chunk, and adds the races that it causes.
    fn piece(
        &mut self,
        (memory, number): (usize, u64),
        piece: Piece,
        order: &Order,
        (buffer, unit): (u16, u64),
    ) {
        let Self { memories, contexts, contexts_of_block, accesses, found, .. } = self;
        let Some(chunk) = memories[memory].get_mut(number as usize) else { return };
        if chunk.cells.is_none()
            && (chunk.append(piece, *contexts_of_block) || chunk.take(piece, contexts))
        {
            return;
        }
        let keeps_all = order.knowledge.is_some();
        let cells = chunk.cells.take().unwrap_or_else(|| chunk.by_cell(contexts, keeps_all));
        let cells = chunk.cells.insert(cells);
        let party = |record: Record| {
            let number = record.context() as u32;
            let Context { site, kind, block, .. } = contexts.get(number);
            let value = contexts.value(number);
            Party { block, thread: record.thread(), site, kind, value }
        };
        for cell in piece.cells[0]..=piece.cells[1] {
            let now = Record::new(piece.context as usize, piece.thread_of(cell));
            let access = *accesses << 10 | u64::from(now.thread());
            let at = (buffer, (number * CHUNK + u64::from(cell)) * unit);
            let context_of = |number: usize| contexts.get(number as u32);
            let cell = usize::from(cell);
            cells.access(cell, now, (context_of, order), |Hit { before, missing }| {
                let parties = [party(before), party(now)];
                found.race(access, Pair::new(at, parties, missing));
            });
        }
    }
}

const _: () = assert!(size_of::<Chunk>() == 64, "a chunk has one cache line");

impl Chunk {
    /// Returns the pieces, in the order of their accesses.
    fn known(&self) -> [&[Piece]; 2] {
        [&self.pieces[..usize::from(self.count).min(PIECES)], &self.more]
    }

    /// Returns the shadow with the accesses of each cell.
    fn by_cell(&self, contexts: &Contexts, keeps_all: bool) -> Box<Shadow> {
        let mut shadow = Box::new(Shadow::new(CHUNK as usize, keeps_all));
        // The order in other blocks is unknown here.
        let nothing = Order::default();
        for piece in self.known().into_iter().flatten() {
            for cell in piece.cells[0]..=piece.cells[1] {
                let now = Record::new(piece.context as usize, piece.thread_of(cell));
                let context_of = |number: usize| contexts.get(number as u32);
                shadow.access(usize::from(cell), now, (context_of, &nothing), |_| {});
            }
        }
        shadow
    }

    /// Returns the slot for a piece, if there is room.
    fn place(&mut self, number: usize) -> Option<&mut Piece> {
        if number < PIECES {
            return self.pieces.get_mut(number);
        }
        let more = number - PIECES;
        if more == self.more.len() && more < MORE {
            if self.more.is_empty() {
                self.more.reserve_exact(FIRST_MORE);
            }
            self.more.push(Piece::default());
        }
        self.more.get_mut(more)
    }

    /// Appends a piece of the block whose contexts begin at `contexts_of_block`, if it
    /// races with none and no context is needed to see that: each cell is the same thread's, or no
    /// earlier piece's.
    #[inline(always)]
    fn append(&mut self, piece: Piece, contexts_of_block: u32) -> bool {
        let count = usize::from(self.count);
        let Some((place, known)) = self
            .pieces
            .split_at_mut_checked(count)
            .and_then(|(known, rest)| Some((rest.first_mut()?, known)))
        else {
            return false;
        };
        let is_apart = |other: &Piece| {
            !piece.overlaps(*other)
                || other.context >= contexts_of_block && piece.is_aligned(*other)
        };
        if !known.iter().all(is_apart) {
            return false;
        }
        *place = piece;
        self.count += 1;
        true
    }

    /// Inserts a piece that races with none; returns false if it may race with one, or if there is
    /// no room.
    fn take(&mut self, piece: Piece, contexts: &Contexts) -> bool {
        let mut number = usize::from(self.count);
        for (at, other) in self.known().into_iter().flatten().enumerate() {
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
        let Some(place) = self.place(number) else { return false };
        *place = piece;
        self.count = self.count.max(number as u8 + 1);
        true
    }
}
