//! Counters in JSON, with the field names of `docs/profiler.md`.
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use warpwise::counters::{
    ActiveThreads, BulkCopies, Counts, Floats, MatrixProducts, Sectors, Trips, Wavefronts,
};

/// Serialized form of [`ActiveThreads`]: pairs of a thread count and its instructions.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct ActiveThreadsRecord(Vec<(u32, u64)>);

/// Serialized form of [`Trips`]: ranges of iterations with their visits.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct TripsRecord(Vec<(u64, u64, u64)>);

/// Serialized form of [`Counts`].
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(crate) struct CountsRecord {
    warp_instructions: u64,
    thread_instructions: u64,
    branches: u64,
    divergent_branches: u64,
    #[serde(with = "WavefrontsFields")]
    shared_loads: Wavefronts,
    #[serde(with = "WavefrontsFields")]
    shared_stores: Wavefronts,
    #[serde(with = "WavefrontsFields")]
    shared_atomics: Wavefronts,
    #[serde(default, with = "WavefrontsFields")]
    constant_loads: Wavefronts,
    #[serde(default, with = "SectorsFields")]
    texture_reads: Sectors,
    #[serde(default, with = "SectorsFields")]
    local_loads: Sectors,
    #[serde(default, with = "SectorsFields")]
    local_stores: Sectors,
    #[serde(with = "SectorsFields")]
    global_loads: Sectors,
    #[serde(with = "SectorsFields")]
    global_stores: Sectors,
    #[serde(with = "SectorsFields")]
    global_reductions: Sectors,
    #[serde(with = "SectorsFields")]
    global_atomics: Sectors,
    barriers: u64,
    atomics: u64,
    #[serde(with = "FloatsFields")]
    floats: Floats,
    #[serde(default, with = "BulkCopiesFields")]
    bulk_loads: BulkCopies,
    #[serde(default, with = "BulkCopiesFields")]
    bulk_stores: BulkCopies,
    #[serde(default, with = "MatrixProductsFields")]
    matrix_products: MatrixProducts,
}

#[derive(Deserialize, Serialize)]
#[serde(remote = "Wavefronts")]
struct WavefrontsFields {
    requests: u64,
    wavefronts: u64,
    ideal: u64,
}

#[derive(Deserialize, Serialize)]
#[serde(remote = "Sectors")]
struct SectorsFields {
    requests: u64,
    sectors: u64,
    ideal: u64,
}

#[derive(Deserialize, Serialize)]
#[serde(remote = "Floats")]
struct FloatsFields {
    half: u64,
    single: u64,
    double: u64,
}

#[derive(Deserialize, Serialize)]
#[serde(remote = "BulkCopies")]
struct BulkCopiesFields {
    copies: u64,
    bytes: u64,
    sectors: u64,
}

#[derive(Deserialize, Serialize)]
#[serde(remote = "MatrixProducts")]
struct MatrixProductsFields {
    instructions: u64,
    multiply_adds: u64,
    shared_bytes: u64,
}

impl From<ActiveThreadsRecord> for ActiveThreads {
    fn from(ActiveThreadsRecord(all): ActiveThreadsRecord) -> Self {
        let mut active = Self::default();
        all.into_iter().for_each(|(threads, instructions)| active.add(threads, instructions));
        active
    }
}

impl From<&ActiveThreads> for ActiveThreadsRecord {
    fn from(active: &ActiveThreads) -> Self {
        Self(active.iter().collect())
    }
}

impl From<TripsRecord> for Trips {
    fn from(TripsRecord(all): TripsRecord) -> Self {
        let mut trips = Self::default();
        // Each range ends with a count that belongs to it; the last range ends with the greatest
        // count.
        all.into_iter().for_each(|(_, most, visits)| trips.add(most, visits));
        trips
    }
}

impl From<&Trips> for TripsRecord {
    fn from(trips: &Trips) -> Self {
        let range =
            |(range, visits): (RangeInclusive<u64>, u64)| (*range.start(), *range.end(), visits);
        Self(trips.iter().map(range).collect())
    }
}

impl From<CountsRecord> for Counts {
    fn from(counted: CountsRecord) -> Self {
        let mut counts = Self::default();
        counts.warp_instructions = counted.warp_instructions;
        counts.thread_instructions = counted.thread_instructions;
        counts.branches = counted.branches;
        counts.divergent_branches = counted.divergent_branches;
        counts.shared_loads = counted.shared_loads;
        counts.shared_stores = counted.shared_stores;
        counts.shared_atomics = counted.shared_atomics;
        counts.constant_loads = counted.constant_loads;
        counts.texture_reads = counted.texture_reads;
        counts.local_loads = counted.local_loads;
        counts.local_stores = counted.local_stores;
        counts.global_loads = counted.global_loads;
        counts.global_stores = counted.global_stores;
        counts.global_reductions = counted.global_reductions;
        counts.global_atomics = counted.global_atomics;
        counts.barriers = counted.barriers;
        counts.atomics = counted.atomics;
        counts.floats = counted.floats;
        counts.bulk_loads = counted.bulk_loads;
        counts.bulk_stores = counted.bulk_stores;
        counts.matrix_products = counted.matrix_products;
        counts
    }
}

impl From<&Counts> for CountsRecord {
    fn from(counts: &Counts) -> Self {
        Self {
            warp_instructions: counts.warp_instructions,
            thread_instructions: counts.thread_instructions,
            branches: counts.branches,
            divergent_branches: counts.divergent_branches,
            shared_loads: counts.shared_loads,
            shared_stores: counts.shared_stores,
            shared_atomics: counts.shared_atomics,
            constant_loads: counts.constant_loads,
            texture_reads: counts.texture_reads,
            local_loads: counts.local_loads,
            local_stores: counts.local_stores,
            global_loads: counts.global_loads,
            global_stores: counts.global_stores,
            global_reductions: counts.global_reductions,
            global_atomics: counts.global_atomics,
            barriers: counts.barriers,
            atomics: counts.atomics,
            floats: counts.floats,
            bulk_loads: counts.bulk_loads,
            bulk_stores: counts.bulk_stores,
            matrix_products: counts.matrix_products,
        }
    }
}
