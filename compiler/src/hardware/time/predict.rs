//! Predictions from work.
use super::{CacheCounts, Pipe, Step, Work};
use crate::hardware::{
    global::SECTOR_BYTES,
    gpu::{Gpu, SCHEDULERS},
    occupancy::{Block, Multiprocessor, Occupancy, Unlaunchable, WARP_THREADS},
};
use std::fmt;

/// The exponent by which the times of resources add up. Those of the slowest pipe of a
/// multiprocessor count as one resource, since its pipes work at the same time.
pub const OVERLAP: f64 = 3.0;

/// The share of the second-level cache that data of the last launch can occupy.
const USABLE_L2: f64 = 0.8;

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Number of blocks.
    pub blocks: u64,
    /// The resources of a block.
    pub block: Block,
}

/// The resource that takes the most time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BoundBy {
    /// The overhead of launching.
    Launch,
    /// Latencies: too few warps wait at the same time.
    Latency,
    /// The issue slots of the schedulers.
    Issue,
    /// A pipe.
    Pipe(Pipe),
    /// The second-level cache.
    L2,
    /// The device memory.
    Memory,
    /// Atomic updates of global memory.
    Atomics,
}

/// The predicted execution of a launch on a GPU.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// Seconds from the begin of the launch to the begin of an equal one after it.
    pub seconds: f64,
    /// The factor by which the time may be wrong, in either direction: 1.3 for 30 %.
    pub uncertainty: f64,
    /// The resource that takes the most time.
    pub bound_by: BoundBy,
    /// Seconds of each resource alone, the longest first.
    pub resources: Vec<(BoundBy, f64)>,
    /// Theoretical occupancy.
    pub occupancy: Occupancy,
    /// Average warps that are resident on a multiprocessor with blocks.
    pub resident_warps: f64,
    /// [`resident_warps`](Self::resident_warps) as a share of the most: from 0 to 1.
    pub achieved_occupancy: f64,
    /// Average warps of a scheduler that can issue an instruction.
    pub eligible_warps: f64,
    /// Average warps of a scheduler that wait.
    pub stalled_warps: f64,
    /// Warps of a multiprocessor that would hide all latencies, by Little's law.
    pub hiding_warps: f64,
    /// Cycles of the critical path of a block.
    pub path_cycles: f64,
    /// The class of instructions that takes the largest part of these cycles.
    pub longest_step: Step,
    /// Blocks over the blocks that all multiprocessors hold at the same time.
    pub waves: f64,
    /// Multiprocessors that get a block.
    pub busy_multiprocessors: u32,
    /// The share of multiprocessor time that is idle because the last wave is not full, or because
    /// there are fewer blocks than multiprocessors: from 0 to 1.
    pub idle_share: f64,
    /// The predicted time over that of a launch that spreads the same work over all multiprocessors
    /// and hides all latencies.
    pub slowdown: f64,
}

/// Predicts the execution of a launch with so much `work`, whose memory was last used by an equal
/// launch before it: what fits into the second-level cache is there.
///
/// # Errors
/// Returns the reason if no block runs. If the GPU's target was changed to one without a row in
/// [`MULTIPROCESSORS`](crate::hardware::occupancy::MULTIPROCESSORS), that is
/// [`Unlaunchable::NoThreads`].
pub fn predict(work: &Work, grid: Grid, gpu: &Gpu) -> Result<Prediction, Unlaunchable> {
    let multiprocessor = Multiprocessor::of(gpu.target).ok_or(Unlaunchable::NoThreads)?;
    let occupancy = multiprocessor.occupancy(&grid.block)?;
    let traffic = Traffic::of(work, gpu);
    let placed = Placement::of(grid, &occupancy, gpu);
    let steps = step_cycles(work, gpu, &traffic);
    let all: f64 = steps.iter().map(|(_, cycles)| cycles).sum();
    let path_cycles = (all + to_f64(work.path_instructions)) / to_f64(grid.blocks.max(1));
    let longest = steps.iter().max_by(|(_, a), (_, b)| a.total_cmp(b));
    let latency = placed.rounds * path_cycles;
    let mut resources = vec![(BoundBy::Latency, gpu.seconds(latency))];
    let on_the_busiest = |cycles: f64| gpu.seconds(cycles * placed.busiest_share);
    resources.extend(
        pipe_cycles(work, gpu).map(|(bound_by, cycles)| (bound_by, on_the_busiest(cycles))),
    );
    let l2 = traffic.l2_bytes / gpu.l2_bytes_per_second;
    resources.push((BoundBy::L2, l2.max(traffic.l2_packets / gpu.l2_packets_per_second)));
    resources.push((BoundBy::Memory, traffic.memory_bytes / gpu.memory_bytes_per_second));
    resources.push((BoundBy::Atomics, atomic_seconds(work, gpu, traffic.missed_atomics)));
    resources.push((BoundBy::Launch, gpu.launch_seconds));
    resources.sort_by(|(_, a), (_, b)| b.total_cmp(a));

    let seconds = gpu.launch_seconds + overlapped(resources.iter().copied());
    let spread = placed.spread_share / placed.busiest_share;
    let ideal = resources.iter().map(|&(bound_by, seconds)| match bound_by {
        BoundBy::Issue | BoundBy::Pipe(_) => (bound_by, seconds * spread),
        BoundBy::Latency => (bound_by, 0.0),
        BoundBy::Launch | BoundBy::L2 | BoundBy::Memory | BoundBy::Atomics => (bound_by, seconds),
    });
    let ideal_seconds = gpu.launch_seconds + overlapped(ideal);
    let warps = to_f64(grid.block.threads.div_ceil(WARP_THREADS).into());
    let resident_warps = placed.resident_blocks * warps;
    let per_scheduler = resident_warps / f64::from(SCHEDULERS);
    let issued: u64 = work.issued.iter().sum();
    let slots = to_f64(issued) / (to_f64(grid.blocks) * warps).max(1.0);
    let ready = (slots / path_cycles.max(1.0)).min(1.0);
    let eligible_warps = per_scheduler * ready;
    Ok(Prediction {
        seconds,
        uncertainty: uncertainty(work, &occupancy),
        bound_by: resources[0].0,
        slowdown: seconds / ideal_seconds,
        resources,
        resident_warps,
        achieved_occupancy: resident_warps / f64::from(occupancy.most_warps),
        eligible_warps,
        stalled_warps: per_scheduler - eligible_warps,
        hiding_warps: f64::from(SCHEDULERS) / ready.max(f64::EPSILON),
        path_cycles,
        longest_step: longest.map_or(Step::Arithmetic, |(step, _)| *step),
        waves: placed.waves,
        busy_multiprocessors: placed.busy_multiprocessors,
        idle_share: placed.idle_share,
        occupancy,
    })
}

/// The distribution of the blocks over the multiprocessors.
struct Placement {
    /// Multiprocessors with blocks.
    busy_multiprocessors: u32,
    /// The share of all blocks that the busiest multiprocessor runs.
    busiest_share: f64,
    /// The same share if blocks could be divided.
    spread_share: f64,
    /// Times that the busiest multiprocessor fills its slots, at least 1.
    rounds: f64,
    /// Average resident blocks of a busy multiprocessor.
    resident_blocks: f64,
    waves: f64,
    idle_share: f64,
}

impl Placement {
    fn of(grid: Grid, occupancy: &Occupancy, gpu: &Gpu) -> Self {
        let blocks = grid.blocks.max(1);
        let multiprocessors = u64::from(gpu.multiprocessors.max(1));
        let busy = blocks.min(multiprocessors);
        let busiest = blocks.div_ceil(multiprocessors);
        let slots = u64::from(occupancy.blocks);
        let waves = to_f64(blocks) / to_f64(multiprocessors * slots);
        let full_waves = busiest.div_ceil(slots);
        let capacity = if busiest <= slots { busiest } else { full_waves * slots };
        Self {
            busy_multiprocessors: u32::try_from(busy).unwrap_or(u32::MAX),
            busiest_share: to_f64(busiest) / to_f64(blocks),
            spread_share: 1.0 / to_f64(multiprocessors),
            rounds: (to_f64(busiest) / to_f64(slots)).max(1.0),
            resident_blocks: to_f64(blocks) / to_f64(busy * full_waves),
            waves,
            idle_share: 1.0 - to_f64(blocks) / to_f64(multiprocessors * capacity),
        }
    }
}

/// The bytes that caches and memory move.
struct Traffic {
    l2_bytes: f64,
    /// Requests of lines that miss the first-level caches, and written sectors.
    l2_packets: f64,
    memory_bytes: f64,
    /// Average cycles of a load from global memory.
    load_cycles: f64,
    /// The share of atomic updates of sectors that the second-level cache lacks.
    missed_atomics: f64,
}

impl Traffic {
    fn of(work: &Work, gpu: &Gpu) -> Self {
        let caches = work.caches.unwrap_or_else(|| estimate_caches(work));
        let is_warm = to_f64(work.footprint_bytes) <= USABLE_L2 * to_f64(gpu.l2_bytes);
        let l1_misses = 1.0 - caches.l1_hit_rate().unwrap_or(0.0);
        let of_reads = ratio(caches.memory_sectors_read, caches.l2_sectors_read);
        let of_writes = ratio(caches.memory_sectors_written, caches.sectors_written);
        let of_atomics = ratio(caches.atomic_misses, caches.atomic_sectors);
        let [of_reads, of_writes, missed_atomics] =
            if is_warm { [0.0; 3] } else { [of_reads, of_writes, of_atomics] };
        let read = to_f64(work.sectors_read) * l1_misses + to_f64(work.bulk_sectors_read);
        let (written, updated) =
            (to_f64(work.sectors_written), to_f64(work.reduced_sectors + work.fetched_sectors));
        let sector = to_f64(SECTOR_BYTES);
        let latencies = gpu.latencies;
        let behind_l1 =
            f64::from(latencies.l2) * (1.0 - of_reads) + f64::from(latencies.memory) * of_reads;
        let atomic_lines = work.reduced_sectors + work.fetched_sectors;
        let loaded_lines = work.lines.saturating_sub(work.written_lines + atomic_lines);
        Self {
            l2_packets: to_f64(loaded_lines) * l1_misses + to_f64(work.written_lines) + written,
            l2_bytes: sector * (read + written + updated),
            memory_bytes: sector * (read * of_reads + written * of_writes),
            load_cycles: f64::from(latencies.l1) * (1.0 - l1_misses) + behind_l1 * l1_misses,
            missed_atomics,
        }
    }
}

/// Estimates the counts of the caches where the cache model did not run: device memory moves what
/// is requested, but not more than the launch has.
fn estimate_caches(work: &Work) -> CacheCounts {
    let footprint = work.footprint_bytes.div_ceil(SECTOR_BYTES);
    let Work { sectors_read, bulk_sectors_read, sectors_written, .. } = *work;
    let l2_sectors_read = sectors_read.saturating_add(bulk_sectors_read);
    CacheCounts {
        l1_sectors: sectors_read,
        l2_lookups: l2_sectors_read,
        l2_sectors_read,
        memory_sectors_read: l2_sectors_read.min(footprint),
        sectors_written,
        memory_sectors_written: sectors_written.min(footprint),
        ..CacheCounts::default()
    }
}

/// Returns the cycles of each class of instructions on the critical paths of all blocks.
fn step_cycles(work: &Work, gpu: &Gpu, traffic: &Traffic) -> [(Step, f64); Step::ALL.len()] {
    let latencies = gpu.latencies;
    Step::ALL.map(|step| {
        let cycles = match step {
            Step::Arithmetic => f64::from(latencies.arithmetic),
            Step::Double => f64::from(latencies.double),
            Step::Special => f64::from(latencies.special),
            Step::Shuffle => f64::from(latencies.shuffle),
            Step::Shared => f64::from(latencies.shared),
            Step::Global => traffic.load_cycles,
            Step::Atomic => f64::from(latencies.l2),
            Step::Barrier => f64::from(latencies.barrier),
        };
        (step, cycles * to_f64(work.steps[step as usize]))
    })
}

/// Multiply-adds of one `mma` of 16 x 8 x 16 halves, for each thread of the warp.
const MMA_MULTIPLY_ADDS_PER_THREAD: u32 = 16 * 8 * 16 / 32;

/// Returns the cycles of each resource of a multiprocessor, if one did all work.
fn pipe_cycles(work: &Work, gpu: &Gpu) -> impl Iterator<Item = (BoundBy, f64)> {
    let lanes = gpu.lanes;
    let issued: u64 = work.issued.iter().sum();
    let all = (BoundBy::Issue, to_f64(issued) / f64::from(SCHEDULERS));
    let requests = to_f64(work.shared_wavefronts + work.lines + work.shuffles);
    let requests = requests.max(to_f64(work.loaded_words + work.shuffles));
    // Other GPUs have no such products; for them, these are a sequence of `mma`.
    let multiply_adds = match gpu.warpgroup_multiply_adds_per_cycle {
        0 => MMA_MULTIPLY_ADDS_PER_THREAD * lanes.tensor.max(1),
        own => own,
    };
    let warpgroup_cycles = to_f64(work.warpgroup_multiply_adds) / f64::from(multiply_adds);
    let pipes = Pipe::ALL.iter().zip(work.issued).map(move |(pipe, count)| {
        let lanes = match pipe {
            Pipe::Integer => lanes.integer,
            Pipe::Single => lanes.single,
            Pipe::Double => lanes.double,
            Pipe::Special => lanes.special,
            Pipe::Memory => lanes.memory,
            Pipe::Tensor => lanes.tensor,
            Pipe::Control => SCHEDULERS * WARP_THREADS,
        };
        let cycles = to_f64(count) * f64::from(WARP_THREADS) / f64::from(lanes.max(1));
        let cycles = match pipe {
            Pipe::Memory => cycles.max(requests),
            Pipe::Tensor => cycles + warpgroup_cycles,
            Pipe::Integer | Pipe::Single | Pipe::Double | Pipe::Special | Pipe::Control => cycles,
        };
        (BoundBy::Pipe(*pipe), cycles)
    });
    [all].into_iter().chain(pipes)
}

/// Returns the time of all atomic updates of global memory, which includes those of the most
/// contended word.
fn atomic_seconds(work: &Work, gpu: &Gpu, missed_share: f64) -> f64 {
    let rates = gpu.atomics;
    let (reduced, fetched) = (to_f64(work.reduced_sectors), to_f64(work.fetched_sectors));
    let missed = (reduced + fetched) * missed_share / rates.missed;
    let found = (reduced / rates.reduced + fetched / rates.fetched) * (1.0 - missed_share);
    let same_word = to_f64(work.same_word_atomics) / rates.same_word
        + to_f64(work.same_word_float_atomics) / rates.same_word_floats;
    (missed + found).max(same_word)
}

/// Returns the time of resources that work at the same time.
fn overlapped(resources: impl Iterator<Item = (BoundBy, f64)>) -> f64 {
    let (mut slowest_pipe, mut sum) = (0.0_f64, 0.0);
    for (bound_by, seconds) in resources {
        match bound_by {
            BoundBy::Issue | BoundBy::Pipe(_) => slowest_pipe = slowest_pipe.max(seconds),
            BoundBy::Launch => {}
            BoundBy::Latency | BoundBy::L2 | BoundBy::Memory | BoundBy::Atomics => {
                sum += seconds.powf(OVERLAP);
            }
        }
    }
    (sum + slowest_pipe.powf(OVERLAP)).powf(1.0 / OVERLAP)
}

/// Returns the factor by which a prediction may be wrong.
fn uncertainty(work: &Work, occupancy: &Occupancy) -> f64 {
    let caches = if work.caches.is_some() { 1.0 } else { 1.5 };
    let registers = if occupancy.registers_known { 1.0 } else { 1.2 };
    MODEL_UNCERTAINTY * caches * registers
}

/// The factor within which four of five predictions lie whose inputs are all known.
const MODEL_UNCERTAINTY: f64 = 1.43;

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn to_f64(count: u64) -> f64 {
    count as f64
}

fn ratio(some: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { to_f64(some) / to_f64(all) }
}

impl fmt::Display for BoundBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Launch => "launch overhead",
            Self::Latency => "latency",
            Self::Issue => "issue slots",
            Self::Pipe(Pipe::Integer) => "integer arithmetic",
            Self::Pipe(Pipe::Single) => "32-bit float arithmetic",
            Self::Pipe(Pipe::Double) => "64-bit float arithmetic",
            Self::Pipe(Pipe::Special) => "special functions",
            Self::Pipe(Pipe::Memory) => "the memory pipe",
            Self::Pipe(Pipe::Tensor) => "tensor cores",
            Self::Pipe(Pipe::Control) => "branches",
            Self::L2 => "L2 bandwidth",
            Self::Memory => "memory bandwidth",
            Self::Atomics => "atomics",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Target;

    fn h200() -> &'static Gpu {
        Gpu::of(Target::new(90)).unwrap()
    }

    fn block(threads: u32) -> Block {
        Block { threads, registers: Some(32), shared: 0, barriers: 0 }
    }

    /// A copy of so many floats, of which each warp moves 32 in one load and one store.
    fn copy(floats: u64) -> Work {
        let warps = floats / 32;
        let mut work = Work::default();
        work.issued[Pipe::Memory as usize] = 2 * warps;
        work.issued[Pipe::Integer as usize] = 6 * warps;
        work.steps[Step::Global as usize] = warps / 8;
        work.path_instructions = warps;
        (work.lines, work.sectors_read, work.sectors_written) = (2 * warps, 4 * warps, 4 * warps);
        Work { footprint_bytes: 8 * floats, ..work }
    }

    fn predict_copy(floats: u64) -> Prediction {
        predict(&copy(floats), Grid { blocks: floats / 256, block: block(256) }, h200()).unwrap()
    }

    #[test]
    fn a_large_copy_is_bound_by_memory() {
        let large = predict_copy(1 << 28);
        assert_eq!(large.bound_by, BoundBy::Memory);
        let least = f64::from(1 << 28) * 8.0 / h200().memory_bytes_per_second;
        assert!((1.0..1.5).contains(&(large.seconds / least)), "{large:?}");
    }

    #[test]
    fn a_small_copy_stays_in_the_cache() {
        let small = predict_copy(1 << 20);
        let memory = small.resources.iter().find(|(bound_by, _)| *bound_by == BoundBy::Memory);
        assert_eq!(memory.unwrap().1, 0.0);
        let tiny = predict_copy(1 << 10);
        assert_eq!(tiny.bound_by, BoundBy::Launch);
    }

    #[test]
    fn occupancy_is_of_the_grid() {
        let achieved = |blocks| {
            predict(&copy(256 * blocks), Grid { blocks, block: block(256) }, h200())
                .unwrap()
                .achieved_occupancy
        };
        assert_eq!([1, 132, 264].map(achieved), [0.125, 0.125, 0.25]);
        assert_eq!(achieved(132 * 8), 1.0);
        assert_eq!(achieved(132 * 8 + 132), 9.0 / 16.0);
    }

    #[test]
    fn blocks_beyond_one_for_each_multiprocessor_wait() {
        let of = |blocks: u64| {
            let mut work = Work::default();
            work.issued[Pipe::Single as usize] = 1_000_000 * blocks;
            predict(&work, Grid { blocks, block: block(1024) }, h200()).unwrap()
        };
        let (one, more) = (of(132).seconds, of(133).seconds);
        assert!((more / one - 2.0).abs() < 0.1, "{one} {more}");
    }

    #[test]
    fn products_of_warpgroups_take_time_on_tensor_cores() {
        let work = Work { warpgroup_multiply_adds: 1 << 40, ..Work::default() };
        let seconds = |gpu| {
            let predicted =
                predict(&work, Grid { blocks: 132 * 8, block: block(128) }, gpu).unwrap();
            assert_eq!(predicted.bound_by, BoundBy::Pipe(Pipe::Tensor));
            predicted.seconds - gpu.launch_seconds
        };
        let cycles = f64::from(1 << 30) * 1024.0 / 2048.0 / 132.0;
        assert!((seconds(h200()) / (cycles / h200().clock_hz) - 1.0).abs() < 1e-6);
        let a100 = Gpu::of(Target::new(80)).unwrap();
        assert!(seconds(a100) > 2.0 * seconds(h200()));
    }

    #[test]
    fn copies_in_bulk_take_bandwidth() {
        let mut work = copy(1 << 28);
        work.bulk_sectors_read = std::mem::take(&mut work.sectors_read);
        let caches = |sectors| CacheCounts {
            l2_sectors_read: sectors,
            memory_sectors_read: sectors,
            sectors_written: sectors,
            memory_sectors_written: sectors,
            ..CacheCounts::default()
        };
        for caches in [None, Some(caches(1000))] {
            let grid = Grid { blocks: 1 << 20, block: block(256) };
            let predicted = predict(&Work { caches, ..work }, grid, h200()).unwrap();
            assert_eq!(predicted.bound_by, BoundBy::Memory);
            let least = f64::from(1 << 28) * 8.0 / h200().memory_bytes_per_second;
            assert!((1.0..1.5).contains(&(predicted.seconds / least)), "{predicted:?}");
        }
    }

    #[test]
    fn atomic_updates_take_longer_where_the_cache_lacks_their_words() {
        let seconds = |work: Work| {
            let work = Work { footprint_bytes: 1 << 30, ..work };
            predict(&work, Grid { blocks: 1 << 17, block: block(256) }, h200()).unwrap().seconds
        };
        let misses = |atomic_misses| {
            Some(CacheCounts { atomic_sectors: 100, atomic_misses, ..CacheCounts::default() })
        };
        let reduced = Work { reduced_sectors: 1 << 25, caches: misses(0), ..Work::default() };
        let fetched = Work { fetched_sectors: 1 << 25, caches: misses(0), ..Work::default() };
        let missed = Work { caches: misses(100), ..fetched };
        let floats = Work { same_word_float_atomics: 1 << 25, ..Work::default() };
        let times = [reduced, fetched, missed, floats].map(seconds);
        assert!(times.is_sorted(), "{times:?}");
        // 445, 560 and 1799 us on an H200.
        for (time, measured) in times.iter().zip([445e-6, 560e-6, 1799e-6]) {
            assert!((time / measured - 1.0).abs() < 0.03, "{time} {measured}");
        }
    }

    #[test]
    fn stores_of_sectors_far_apart_are_packets() {
        let mut work = copy(1 << 26);
        (work.sectors_written, work.written_lines) = (1 << 26, 1 << 26);
        work.lines = 33 << 21;
        let grid = Grid { blocks: 1 << 18, block: block(256) };
        let predicted = predict(&work, grid, h200()).unwrap();
        assert_eq!(predicted.bound_by, BoundBy::L2);
        // A transposition on an H200.
        assert!((predicted.seconds / 966e-6 - 1.0).abs() < 0.2, "{predicted:?}");
    }

    #[test]
    fn the_uncertainty_grows_with_what_is_unknown() {
        let of = |registers, caches| {
            let work = Work { caches, ..copy(1 << 20) };
            let block = Block { registers, ..block(256) };
            predict(&work, Grid { blocks: 4096, block }, h200()).unwrap().uncertainty
        };
        let known = of(Some(32), Some(CacheCounts::default()));
        assert!(known > 1.0);
        assert!(of(None, Some(CacheCounts::default())) > known && of(Some(32), None) > known);
    }

    #[test]
    fn more_registers_than_there_are_run_nothing() {
        let block = Block { registers: Some(255), ..block(1024) };
        assert!(predict(&copy(1 << 20), Grid { blocks: 1, block }, h200()).is_err());
    }
}
