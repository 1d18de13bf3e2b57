//! The analysis of the shared memory of a cluster, of which each block may access all.
//!
//! Accesses are analysed as they happen, since the blocks take turns. Only the barrier of the
//! cluster orders the accesses of all its blocks; it ends the analysis of the accesses before it.
//!
//! A block must not end before the accesses of others to its memory: hardware may give the memory
//! to another block. An access is wrong if it happens after the end of the block, and also if it
//! happens earlier and nothing orders it before that end.
use super::{
    LaunchChecks,
    finding::Missing,
    happens_before::{AccessContext, HappensBefore},
    raw_findings::{RacingAccess, RacingPair, RawFindings},
    release_acquire::BlockClocks,
    shadow::{AccessRecord, RaceHit, Shadow},
};
use crate::bytecode::Code;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// An access to the shared memory of a block that may have ended. Of several, the lowest in the
/// derived order is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LateRecord {
    /// Number of the buffer of the cluster, and the byte in it.
    pub(crate) at: (u16, u64),
    pub(crate) access: RacingAccess,
}

/// A block in the checks of its cluster.
#[derive(Clone, Debug)]
pub(crate) struct ClusterMember {
    pub(crate) checks: Arc<Mutex<ClusterChecks>>,
    pub(crate) rank: usize,
    /// The number of the first block, which identifies the cluster.
    pub(crate) first_block: u64,
}

impl ClusterMember {
    pub(super) fn lock(&self) -> MutexGuard<'_, ClusterChecks> {
        self.checks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The analysis of the shared memory of a cluster.
#[derive(Debug)]
pub(crate) struct ClusterChecks {
    /// The number of each block, by rank.
    blocks: Vec<u64>,
    /// The cells of all blocks, by rank.
    shadow: Shadow,
    contexts: Vec<AccessContext>,
    /// The number of contexts at which those without a recorded access are dropped. Spinning blocks
    /// make many of them.
    compacted_len: usize,
    /// By rank, true for a block that has ended.
    has_ended: Vec<bool>,
    /// By rank, the accesses by other blocks since the last barrier of the cluster.
    remote_accesses: Vec<RemoteAccesses>,
}

/// The least number of contexts at which unused ones are dropped.
const MIN_COMPACTED_CONTEXTS: usize = 1 << 12;

/// Accesses by other blocks to the memory of one block: the last one of each access site, block and
/// thread, since an order that includes it includes the earlier ones.
type RemoteAccesses = BTreeMap<(u32, u64, u32), (LateRecord, AccessContext)>;

/// An access by one thread.
pub(super) struct ClusterAccess {
    pub(super) context: AccessContext,
    pub(super) thread: u32,
    /// The buffer and the byte.
    pub(super) at: (u16, u64),
    pub(super) bytes: u32,
    /// The written value, if it is known.
    pub(super) value: Option<u64>,
    /// The number of the access among those of the block's threads, so that its races on several
    /// cells count once.
    pub(super) access_number: u64,
}

impl ClusterAccess {
    fn racing(&self) -> RacingAccess {
        let AccessContext { site, kind, block, .. } = self.context;
        RacingAccess { block, thread: self.thread, site, kind, value: self.value }
    }
}

impl ClusterChecks {
    pub(crate) fn new(code: &Code, launch: &LaunchChecks<'_>, blocks: Vec<u64>) -> Self {
        let count = code.cluster_blocks() as usize;
        let cells = launch.cells as usize * blocks.len();
        Self {
            shadow: Shadow::new(cells, true),
            blocks,
            contexts: Vec::new(),
            // All cells are visited then, which must not take longer than the accesses before.
            compacted_len: cells.max(MIN_COMPACTED_CONTEXTS),
            has_ended: vec![false; count],
            remote_accesses: vec![RemoteAccesses::new(); count],
        }
    }

    /// Returns the number of the block whose memory a buffer is, as the block of rank `rank`
    /// numbers buffers.
    pub(super) fn owner(&self, code: &Code, buffer: u16, rank: usize) -> u64 {
        self.blocks[owner_rank(code, buffer, rank)]
    }

    /// Records an access by a thread of the block of this rank, and adds its findings.
    pub(super) fn record_access(
        &mut self,
        (code, launch): (&Code, &LaunchChecks<'_>),
        rank: usize,
        access: &ClusterAccess,
        order: &HappensBefore,
        found: &mut RawFindings,
    ) {
        let (buffer, first) = access.at;
        let own = code.own_buffer(buffer);
        let owner = owner_rank(code, buffer, rank);
        let now = self.push_context(access.context);
        let now = AccessRecord::new(now, access.thread);
        // The buffers of all blocks follow those of the block itself, by rank.
        let buffer = own + (code.shared.len() * (1 + owner)) as u16;
        if owner != rank {
            let record = LateRecord { at: (buffer, first), access: access.racing() };
            self.record_remote(owner, record, access.context, found);
        }
        let Self { shadow, contexts, .. } = self;
        let racing = |record: AccessRecord| {
            let AccessContext { site, kind, block, .. } = contexts[record.context()];
            RacingAccess { block, thread: record.thread(), site, kind, value: None }
        };
        let context_of = |number: usize| contexts[number];
        for (cell, byte) in launch.touched_cells(own, first, access.bytes) {
            let cell = owner as u64 * launch.cells + cell;
            let hit = |RaceHit { before, missing }: RaceHit| {
                let parties = [racing(before), access.racing()];
                found.add_race(
                    access.access_number,
                    RacingPair::new((buffer, byte), parties, missing),
                );
            };
            shadow.record_access(cell as usize, now, (context_of, order), hit);
        }
    }

    /// Records an access to the memory of the block of rank `owner` by another one.
    fn record_remote(
        &mut self,
        owner: usize,
        record: LateRecord,
        context: AccessContext,
        found: &mut RawFindings,
    ) {
        if self.has_ended[owner] {
            return found.add_late(record);
        }
        let RacingAccess { site, block, thread, .. } = record.access;
        self.remote_accesses[owner].insert((site, block, thread), (record, context));
    }

    /// Records that the block of this rank has ended, and adds findings for accesses of other
    /// blocks that nothing orders before its end.
    pub(super) fn end_block(
        &mut self,
        rank: usize,
        order: &HappensBefore,
        found: &mut RawFindings,
    ) {
        self.has_ended[rank] = true;
        let accesses = std::mem::take(&mut self.remote_accesses[rank]);
        if accesses.is_empty() {
            return;
        }
        let acquired = order.block_clocks.as_ref().and_then(BlockClocks::join_all);
        for (record, context) in accesses.into_values() {
            let by = record.access.thread;
            if !acquired.as_ref().is_some_and(|acquired| acquired.covers(&context, by)) {
                found.add_late(record);
            }
        }
    }

    /// Forgets all accesses: every thread of the cluster has reached its barrier.
    pub(super) fn sync(&mut self) {
        self.shadow.clear();
        self.contexts.clear();
        self.remote_accesses.iter_mut().for_each(BTreeMap::clear);
    }

    /// Appends a context, unless it equals the last one. Returns its number.
    fn push_context(&mut self, context: AccessContext) -> usize {
        if self.contexts.last() != Some(&context) {
            if self.contexts.len() >= self.compacted_len {
                self.shadow.compact_contexts(&mut self.contexts);
                self.compacted_len = self.compacted_len.max(2 * self.contexts.len());
            }
            self.contexts.push(context);
        }
        self.contexts.len() - 1
    }
}

/// Returns the rank of the block whose memory a buffer is, as the block of rank `rank` numbers
/// buffers.
fn owner_rank(code: &Code, buffer: u16, rank: usize) -> usize {
    code.mapped_array(buffer.into()).map_or(rank, |(owner, _)| owner)
}

/// Returns the synchronization that is missing between accesses of two blocks.
pub(super) fn missing_between_blocks(one: &AccessContext, other: &AccessContext) -> Missing {
    if one.cluster.is_some() && one.cluster == other.cluster {
        Missing::ClusterBarrier
    } else {
        Missing::Release
    }
}
