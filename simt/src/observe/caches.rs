//! The cache model: hit rates of the first- and second-level caches, from the addresses of a
//! launch.
//!
//! Caches are set-associative over lines of 128 bytes, evict the line that was not used for
//! longest, and hold single sectors of 32 bytes. Blocks run one after the other, block `b` on
//! multiprocessor `b` modulo their number; each has a first-level cache.
//!
//! ```text
//! load     first-level cache; a miss looks in the second-level cache
//! store    writes to both, and leaves the second-level cache when its line is evicted
//! atomic   looks in the second-level cache
//! bulk     as a load or a store, without the first-level cache
//! ```
//!
//! The second-level cache has partitions, and device memory delivers pairs of sectors. A
//! multiprocessor looks in its own partition first; a sector that belongs to another partition is
//! looked up there next, and then held by both. All lookups of a request happen at once: sectors of
//! a pair that one request misses are two misses. The interleaving with other resident blocks is
//! not modelled, nor is the time that a sector takes to arrive.
use warpwise_compiler::hardware::{
    Kind, LANES,
    global::{LINE_BYTES, SECTOR_BYTES},
    gpu::Gpu,
    time::CacheCounts,
};

/// The sizes of the caches of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheModel {
    /// First-level caches.
    pub multiprocessors: u32,
    /// Bytes of a first-level cache.
    pub l1_bytes: u64,
    /// Bytes of the second-level cache.
    pub l2_bytes: u64,
    /// Partitions of the second-level cache.
    pub l2_partitions: u32,
}

/// The least bytes of a first-level cache, however much shared memory blocks take.
const MIN_L1_BYTES: u64 = 16 << 10;

impl CacheModel {
    /// Returns the caches of a GPU on which each multiprocessor uses `shared_bytes` bytes of shared
    /// memory.
    pub fn new(gpu: &Gpu, shared_bytes: u64) -> Self {
        Self {
            multiprocessors: gpu.multiprocessors,
            l1_bytes: gpu.l1_bytes.saturating_sub(shared_bytes).max(MIN_L1_BYTES),
            l2_bytes: gpu.l2_bytes,
            l2_partitions: gpu.l2_partitions,
        }
    }
}

const SECTORS_PER_LINE: u64 = LINE_BYTES / SECTOR_BYTES;
const L1_WAYS: usize = 32;
const L2_WAYS: usize = 16;

/// The caches during a launch.
#[derive(Debug)]
pub(crate) struct CacheSimulation {
    model: CacheModel,
    l1: Vec<Cache>,
    l2: Vec<Cache>,
    counts: CacheCounts,
}

impl CacheSimulation {
    pub(crate) fn new(model: CacheModel) -> Self {
        let partitions = model.l2_partitions.max(1);
        let partition = Cache::new(model.l2_bytes / u64::from(partitions), L2_WAYS);
        Self {
            model,
            l1: vec![Cache::default(); model.multiprocessors.max(1) as usize],
            l2: vec![partition; partitions as usize],
            counts: CacheCounts::default(),
        }
    }

    /// Simulates a request of a warp of block `block`, of `bytes` at the address of each active
    /// lane.
    pub(crate) fn request(
        &mut self,
        block: u64,
        kind: Kind,
        bytes: u32,
        active: u32,
        addresses: &[u64; LANES],
    ) {
        let sectors = Sectors::of_request(bytes, active, addresses);
        let multiprocessor = (block % self.l1.len() as u64) as usize;
        let near = multiprocessor % self.l2.len();
        if self.l1[multiprocessor].is_empty() {
            self.l1[multiprocessor] = Cache::new(self.model.l1_bytes, L1_WAYS);
        }
        match kind {
            Kind::Load => {
                let l1 = &mut self.l1[multiprocessor];
                let missed = sectors.filter(|sector| !l1.look_up(sector));
                self.counts.l1_sectors += sectors.count as u64;
                self.counts.l1_hits += (sectors.count - missed.count) as u64;
                self.load_from_l2(near, &missed);
                let l1 = &mut self.l1[multiprocessor];
                missed.iter().for_each(|sector| {
                    l1.fill(sector, false);
                });
            }
            Kind::Store => self.write_l2(&sectors),
            Kind::Atomic => {
                self.counts.atomic_sectors += sectors.count as u64;
                self.counts.atomic_misses += self.read_l2(near, &sectors).missed;
            }
        }
    }

    /// Simulates a copy in bulk by block `block`, from these sectors of global memory or to them.
    /// It passes the first-level cache by.
    pub(crate) fn bulk_copy(&mut self, block: u64, is_load: bool, sectors: &[u64]) {
        let near = (block % self.l1.len() as u64) as usize % self.l2.len();
        for numbers in sectors.chunks(Sectors::MOST) {
            let mut some = Sectors::default();
            numbers.iter().for_each(|sector| some.push(*sector));
            if is_load { self.load_from_l2(near, &some) } else { self.write_l2(&some) }
        }
    }

    fn write_l2(&mut self, sectors: &Sectors) {
        self.counts.sectors_written += sectors.count as u64;
        self.counts.l2_lookups += sectors.count as u64;
        self.counts.l2_hits += sectors.count as u64;
        for sector in sectors.iter() {
            let home = self.home_partition(sector);
            let evicted = self.l2[home].fill(sector, true);
            self.counts.memory_sectors_written += evicted;
        }
    }

    fn load_from_l2(&mut self, near: usize, sectors: &Sectors) {
        self.counts.l2_sectors_read += sectors.count as u64;
        self.counts.memory_sectors_read += self.read_l2(near, sectors).from_memory;
    }

    /// Looks sectors up in the second-level cache, and fills it with those that it lacks.
    fn read_l2(&mut self, near: usize, sectors: &Sectors) -> Fetched {
        let mut fetched = Sectors::default();
        let mut remote = Sectors::default();
        for sector in sectors.iter() {
            let home = self.home_partition(sector);
            self.counts.l2_lookups += 1;
            if self.l2[near].look_up(sector) {
                self.counts.l2_hits += 1;
                continue;
            }
            if home != near {
                self.counts.l2_lookups += 1;
                remote.push(sector);
                if self.l2[home].look_up(sector) {
                    self.counts.l2_hits += 1;
                    continue;
                }
            }
            fetched.push(sector);
        }
        for sector in remote.iter() {
            self.counts.memory_sectors_written += self.l2[near].fill(sector, false);
        }
        let mut from_memory = 0;
        for sector in fetched.iter() {
            let home = self.home_partition(sector);
            for half in [sector & !1, sector | 1] {
                if !self.l2[home].look_up(half) {
                    from_memory += 1;
                    self.counts.memory_sectors_written += self.l2[home].fill(half, false);
                }
            }
        }
        Fetched { missed: fetched.count as u64, from_memory }
    }

    /// Returns the partition that a sector belongs to.
    fn home_partition(&self, sector: u64) -> usize {
        let line = sector / SECTORS_PER_LINE;
        (scramble(line) >> 40) as usize % self.l2.len()
    }

    /// Writes the dirty sectors to device memory, and returns the counts.
    pub(crate) fn finish(mut self) -> CacheCounts {
        let left: u64 = self.l2.iter().map(Cache::dirty_sectors).sum();
        self.counts.memory_sectors_written += left;
        self.counts
    }
}

/// The sectors that the second-level cache lacks.
struct Fetched {
    /// Those that were requested.
    missed: u64,
    /// Those that device memory delivers, in pairs.
    from_memory: u64,
}

/// The different sectors of a request.
#[derive(Clone, Copy, Debug)]
struct Sectors {
    numbers: [u64; Self::MOST],
    count: usize,
}

impl Default for Sectors {
    fn default() -> Self {
        Self { numbers: [0; Self::MOST], count: 0 }
    }
}

impl Sectors {
    /// Each lane touches at most two.
    const MOST: usize = 2 * LANES;

    /// Returns the sectors that the active lanes access.
    fn of_request(bytes: u32, active: u32, addresses: &[u64; LANES]) -> Self {
        let mut all = Self::default();
        for (lane, address) in addresses.iter().enumerate() {
            if active >> lane & 1 != 0 {
                let last = address.saturating_add(u64::from(bytes.max(1)) - 1);
                all.push(address / SECTOR_BYTES);
                all.push(last / SECTOR_BYTES);
            }
        }
        let numbers = &mut all.numbers[..all.count];
        numbers.sort_unstable();
        let mut unique = Self::default();
        for &mut sector in numbers {
            if unique.count == 0 || unique.numbers[unique.count - 1] != sector {
                unique.push(sector);
            }
        }
        unique
    }

    fn push(&mut self, sector: u64) {
        self.numbers[self.count] = sector;
        self.count += 1;
    }

    fn iter(&self) -> impl Iterator<Item = u64> {
        self.numbers[..self.count].iter().copied()
    }

    fn filter(&self, mut keep: impl FnMut(u64) -> bool) -> Self {
        let mut kept = Self::default();
        self.iter().filter(|sector| keep(*sector)).for_each(|sector| kept.push(sector));
        kept
    }
}

/// A set-associative cache of sectors.
#[derive(Clone, Debug, Default)]
struct Cache {
    ways: usize,
    lines: Vec<Line>,
    clock: u64,
}

/// A line of a cache.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    tag: u64,
    /// The time of the last use; 0 if the line is empty.
    used: u64,
    /// The sectors that it holds, as bits.
    valid: u8,
    /// The sectors that are not yet written to device memory.
    dirty: u8,
}

impl Cache {
    fn new(bytes: u64, ways: usize) -> Self {
        let sets = (bytes / LINE_BYTES / ways as u64).max(1) as usize;
        Self { ways, lines: vec![Line::default(); sets * ways], clock: 0 }
    }

    fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    fn set(&mut self, line: u64) -> &mut [Line] {
        let sets = self.lines.len() / self.ways;
        let set = (scramble(line) % sets as u64) as usize;
        &mut self.lines[set * self.ways..][..self.ways]
    }

    /// Returns true if the cache holds a sector, which then counts as used last.
    fn look_up(&mut self, sector: u64) -> bool {
        self.clock += 1;
        let (clock, tag, bit) = (self.clock, sector / SECTORS_PER_LINE, sector_bit(sector));
        let mut lines = self.set(tag).iter_mut();
        let line = lines.find(|line| line.used != 0 && line.tag == tag && line.valid & bit != 0);
        line.is_some_and(|line| {
            line.used = clock;
            true
        })
    }

    /// Holds a sector from now on; returns the number of sectors that an evicted line writes to
    /// device memory.
    fn fill(&mut self, sector: u64, is_dirty: bool) -> u64 {
        self.clock += 1;
        let (clock, tag, bit) = (self.clock, sector / SECTORS_PER_LINE, sector_bit(sector));
        let set = self.set(tag);
        let held = set.iter().position(|line| line.used != 0 && line.tag == tag);
        let oldest = || (0..set.len()).min_by_key(|way| set[*way].used).unwrap_or(0);
        let way = held.unwrap_or_else(oldest);
        let line = &mut set[way];
        let mut written = 0;
        if held.is_none() {
            written = line.dirty.count_ones().into();
            *line = Line { tag, ..Line::default() };
        }
        line.used = clock;
        line.valid |= bit;
        if is_dirty {
            line.dirty |= bit;
        }
        written
    }

    fn dirty_sectors(&self) -> u64 {
        self.lines.iter().map(|line| u64::from(line.dirty.count_ones())).sum()
    }
}

fn sector_bit(sector: u64) -> u8 {
    1 << (sector % SECTORS_PER_LINE)
}

/// Distributes neighbouring lines over sets and partitions, as hardware's hash functions do.
fn scramble(line: u64) -> u64 {
    line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: CacheModel =
        CacheModel { multiprocessors: 2, l1_bytes: 32 << 10, l2_bytes: 1 << 20, l2_partitions: 1 };

    fn lanes(first: u64, stride: u64) -> [u64; LANES] {
        std::array::from_fn(|lane| first + lane as u64 * stride)
    }

    fn load(caches: &mut CacheSimulation, block: u64, first: u64, stride: u64) {
        caches.request(block, Kind::Load, 4, u32::MAX, &lanes(first, stride));
    }

    #[test]
    fn a_second_load_hits_the_first_level() {
        let mut caches = CacheSimulation::new(MODEL);
        load(&mut caches, 0, 0, 4);
        load(&mut caches, 0, 0, 4);
        let counts = caches.finish();
        assert_eq!((counts.l1_sectors, counts.l1_hits), (8, 4));
        assert_eq!((counts.l2_lookups, counts.l2_hits), (4, 0));
        assert_eq!(counts.memory_sectors_read, 4);
    }

    #[test]
    fn another_multiprocessor_hits_the_second_level() {
        let mut caches = CacheSimulation::new(MODEL);
        load(&mut caches, 0, 0, 4);
        load(&mut caches, 1, 0, 4);
        let counts = caches.finish();
        assert_eq!((counts.l1_hits, counts.l2_hits, counts.memory_sectors_read), (0, 4, 4));
    }

    #[test]
    fn device_memory_delivers_pairs_of_sectors() {
        let mut caches = CacheSimulation::new(MODEL);
        for sector in 0..64 {
            load(&mut caches, 0, sector * SECTOR_BYTES, 0);
        }
        let counts = caches.finish();
        assert_eq!(counts.l2_hit_rate(), Some(0.5));
        assert_eq!(counts.memory_sectors_read, 64);
    }

    #[test]
    fn a_remote_partition_is_looked_up_after_the_own_one() {
        let mut caches = CacheSimulation::new(CacheModel { l2_partitions: 2, ..MODEL });
        for sector in 0..1 << 12 {
            load(&mut caches, 0, sector * SECTOR_BYTES, 0);
        }
        let rate = caches.finish().l2_hit_rate().unwrap();
        assert!((rate - 1.0 / 3.0).abs() < 0.02, "{rate}");
    }

    #[test]
    fn stores_reach_memory_once() {
        let mut caches = CacheSimulation::new(MODEL);
        for _ in 0..3 {
            caches.request(0, Kind::Store, 4, u32::MAX, &lanes(0, 4));
        }
        let counts = caches.finish();
        assert_eq!((counts.sectors_written, counts.memory_sectors_written), (12, 4));
    }

    #[test]
    fn the_line_that_was_not_used_for_longest_leaves() {
        let mut cache = Cache::new(2 * LINE_BYTES, 2);
        for sector in [0, 4, 0, 8] {
            cache.fill(sector, false);
        }
        assert!(cache.look_up(0) && !cache.look_up(4) && cache.look_up(8));
    }
}
