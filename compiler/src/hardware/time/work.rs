//! The work of a launch, as the time model needs it.
use std::ops::AddAssign;

/// A pipe of a multiprocessor, which executes a class of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pipe {
    /// Integer arithmetic, comparisons, selects, bitwise operations.
    Integer,
    /// Sums and products of 32-bit and 16-bit floats.
    Single,
    /// Sums and products of 64-bit floats.
    Double,
    /// Approximated functions and conversions.
    Special,
    /// Accesses to memory and shuffles.
    Memory,
    /// Products of matrices.
    Tensor,
    /// Branches, barriers and other control flow.
    Control,
}

impl Pipe {
    /// Every pipe, in the order of [`Work::issued`].
    pub const ALL: [Self; 7] = [
        Self::Integer,
        Self::Single,
        Self::Double,
        Self::Special,
        Self::Memory,
        Self::Tensor,
        Self::Control,
    ];

    /// Returns its name in records and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Single => "single",
            Self::Double => "double",
            Self::Special => "special",
            Self::Memory => "memory",
            Self::Tensor => "tensor",
            Self::Control => "control",
        }
    }
}

/// A dependent instruction of a critical path, by the latency of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Arithmetic of 32 bits.
    Arithmetic,
    /// Arithmetic on 64-bit floats.
    Double,
    /// An approximated function or a conversion.
    Special,
    /// A shuffle.
    Shuffle,
    /// A load from shared memory.
    Shared,
    /// A load from global memory.
    Global,
    /// An atomic update of global memory with a used result.
    Atomic,
    /// A barrier.
    Barrier,
}

impl Step {
    /// Every step, in the order of [`Work::steps`].
    pub const ALL: [Self; 8] = [
        Self::Arithmetic,
        Self::Double,
        Self::Special,
        Self::Shuffle,
        Self::Shared,
        Self::Global,
        Self::Atomic,
        Self::Barrier,
    ];

    /// Returns its name in records and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Arithmetic => "arithmetic",
            Self::Double => "double",
            Self::Special => "special",
            Self::Shuffle => "shuffle",
            Self::Shared => "shared",
            Self::Global => "global",
            Self::Atomic => "atomic",
            Self::Barrier => "barrier",
        }
    }
}

/// The work of a launch: estimated machine instructions, requests to memory, and the critical path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Instructions of warps, in the order of [`Pipe::ALL`]. An instruction of the IR counts as the
    /// machine instructions that it becomes.
    pub issued: [u64; Pipe::ALL.len()],
    /// Dependent instructions on the critical path of a block, in the order of [`Step::ALL`]; the
    /// sum over all blocks.
    pub steps: [u64; Step::ALL.len()],
    /// Instructions of the warp on the critical path of a block; the sum over all blocks.
    pub path_instructions: u64,
    /// Wavefronts of shared memory.
    pub shared_wavefronts: u64,
    /// Shuffles of warps.
    pub shuffles: u64,
    /// Lines of 128 bytes that requests to global memory touch.
    pub lines: u64,
    /// Those that stores touch.
    pub written_lines: u64,
    /// Sectors that loads from global memory and reads of textures request.
    pub sectors_read: u64,
    /// Sectors that copies in bulk read, which do not use the first-level cache.
    pub bulk_sectors_read: u64,
    /// Sectors that stores to global memory, and copies in bulk, write.
    pub sectors_written: u64,
    /// Words of 32 lanes that loads write to registers.
    pub loaded_words: u64,
    /// Sectors that atomic updates of global memory take whose results are not used.
    pub reduced_sectors: u64,
    /// Sectors that other atomic updates of global memory take.
    pub fetched_sectors: u64,
    /// Atomic updates of the most contended word of global memory, if updates are spread evenly
    /// over the words of each argument.
    pub same_word_atomics: u64,
    /// The same updates, of floats.
    pub same_word_float_atomics: u64,
    /// Multiply-adds of products of warpgroups (`wgmma`), as of 16-bit factors: one of 8-bit
    /// factors counts as a half.
    pub warpgroup_multiply_adds: u64,
    /// Bytes of the memory that the launch gets.
    pub footprint_bytes: u64,
    /// The counts of the cache model, if it ran.
    pub caches: Option<CacheCounts>,
}

/// The counts of the cache model, over some or all blocks of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Sectors that loads request.
    pub l1_sectors: u64,
    /// Those that the first-level cache has.
    pub l1_hits: u64,
    /// Lookups of sectors in the second-level cache. A sector in another partition is looked up
    /// twice.
    pub l2_lookups: u64,
    /// Lookups that find their sector.
    pub l2_hits: u64,
    /// Sectors that loads request of the second-level cache.
    pub l2_sectors_read: u64,
    /// Sectors that device memory reads.
    pub memory_sectors_read: u64,
    /// Sectors that stores write.
    pub sectors_written: u64,
    /// Written sectors that leave the second-level cache for device memory.
    pub memory_sectors_written: u64,
    /// Sectors that atomic updates request of the second-level cache.
    pub atomic_sectors: u64,
    /// Those that it lacks.
    pub atomic_misses: u64,
}

impl CacheCounts {
    /// Returns the share of requested sectors that the first-level cache has; `None` without
    /// requests.
    pub fn l1_hit_rate(&self) -> Option<f64> {
        share(self.l1_hits, self.l1_sectors)
    }

    /// Returns the share of lookups in the second-level cache that find their sector, which is
    /// `lts__t_sector_hit_rate` of NVIDIA's profiler; `None` without lookups.
    pub fn l2_hit_rate(&self) -> Option<f64> {
        share(self.l2_hits, self.l2_lookups)
    }
}

impl Work {
    /// Returns the work of one of `launches` launches that did this together.
    #[must_use]
    pub fn per_launch(mut self, launches: u64) -> Self {
        let launches = launches.max(1);
        // The footprint is no sum.
        let footprint_bytes = self.footprint_bytes;
        self.counts_mut(|_, count| *count /= launches);
        Self { footprint_bytes, ..self }
    }

    /// Returns every count with its name, for records.
    pub fn fields(&self) -> Vec<(String, u64)> {
        let mut fields = Vec::new();
        { *self }.counts_mut(|name, count| fields.push((name.to_owned(), *count)));
        fields
    }

    /// Creates work from the counts of a record; those of caches may be missing.
    pub fn from_fields(get: impl Fn(&str) -> Option<u64>) -> Option<Self> {
        let has_caches = get("cache_l1_sectors").is_some();
        let caches = has_caches.then(CacheCounts::default);
        let mut work = Self { caches, ..Self::default() };
        let mut is_complete = true;
        work.counts_mut(|name, count| match get(name) {
            Some(found) => *count = found,
            None => is_complete = false,
        });
        is_complete.then_some(work)
    }

    /// Calls `visit` with the name and the value of every count.
    fn counts_mut(&mut self, mut visit: impl FnMut(&str, &mut u64)) {
        for (pipe, count) in Pipe::ALL.iter().zip(&mut self.issued) {
            visit(&format!("issued_{}", pipe.name()), count);
        }
        for (step, count) in Step::ALL.iter().zip(&mut self.steps) {
            visit(&format!("steps_{}", step.name()), count);
        }
        visit("path_instructions", &mut self.path_instructions);
        visit("shared_wavefronts", &mut self.shared_wavefronts);
        visit("shuffles", &mut self.shuffles);
        visit("lines", &mut self.lines);
        visit("written_lines", &mut self.written_lines);
        visit("sectors_read", &mut self.sectors_read);
        visit("bulk_sectors_read", &mut self.bulk_sectors_read);
        visit("sectors_written", &mut self.sectors_written);
        visit("loaded_words", &mut self.loaded_words);
        visit("reduced_sectors", &mut self.reduced_sectors);
        visit("fetched_sectors", &mut self.fetched_sectors);
        visit("same_word_atomics", &mut self.same_word_atomics);
        visit("same_word_float_atomics", &mut self.same_word_float_atomics);
        visit("warpgroup_multiply_adds", &mut self.warpgroup_multiply_adds);
        visit("footprint_bytes", &mut self.footprint_bytes);
        if let Some(caches) = &mut self.caches {
            visit("cache_l1_sectors", &mut caches.l1_sectors);
            visit("cache_l1_hits", &mut caches.l1_hits);
            visit("cache_l2_lookups", &mut caches.l2_lookups);
            visit("cache_l2_hits", &mut caches.l2_hits);
            visit("cache_l2_sectors_read", &mut caches.l2_sectors_read);
            visit("cache_memory_sectors_read", &mut caches.memory_sectors_read);
            visit("cache_sectors_written", &mut caches.sectors_written);
            visit("cache_memory_sectors_written", &mut caches.memory_sectors_written);
            visit("cache_atomic_sectors", &mut caches.atomic_sectors);
            visit("cache_atomic_misses", &mut caches.atomic_misses);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a ratio")]
fn share(some: u64, all: u64) -> Option<f64> {
    (all != 0).then(|| some as f64 / all as f64)
}

impl AddAssign for CacheCounts {
    fn add_assign(&mut self, other: Self) {
        self.l1_sectors += other.l1_sectors;
        self.l1_hits += other.l1_hits;
        self.l2_lookups += other.l2_lookups;
        self.l2_hits += other.l2_hits;
        self.l2_sectors_read += other.l2_sectors_read;
        self.memory_sectors_read += other.memory_sectors_read;
        self.sectors_written += other.sectors_written;
        self.memory_sectors_written += other.memory_sectors_written;
        self.atomic_sectors += other.atomic_sectors;
        self.atomic_misses += other.atomic_misses;
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        for (mine, theirs) in self.issued.iter_mut().zip(other.issued) {
            *mine += theirs;
        }
        for (mine, theirs) in self.steps.iter_mut().zip(other.steps) {
            *mine += theirs;
        }
        self.path_instructions += other.path_instructions;
        self.shared_wavefronts += other.shared_wavefronts;
        self.shuffles += other.shuffles;
        self.lines += other.lines;
        self.written_lines += other.written_lines;
        self.sectors_read += other.sectors_read;
        self.bulk_sectors_read += other.bulk_sectors_read;
        self.sectors_written += other.sectors_written;
        self.loaded_words += other.loaded_words;
        self.reduced_sectors += other.reduced_sectors;
        self.fetched_sectors += other.fetched_sectors;
        self.same_word_atomics += other.same_word_atomics;
        self.same_word_float_atomics += other.same_word_float_atomics;
        self.warpgroup_multiply_adds += other.warpgroup_multiply_adds;
        self.footprint_bytes = self.footprint_bytes.max(other.footprint_bytes);
        if let Some(theirs) = other.caches {
            *self.caches.get_or_insert_default() += theirs;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_they_were_written() {
        let mut work = Work::default();
        let mut next = 0;
        work.caches = Some(CacheCounts::default());
        work.counts_mut(|_, count| {
            next += 1;
            *count = next;
        });
        let fields = work.fields();
        let get = |name: &str| fields.iter().find(|(own, _)| own == name).map(|(_, count)| *count);
        assert_eq!(Work::from_fields(get), Some(work));
        assert_eq!(Work::from_fields(|name| get(name).filter(|_| name != "lines")), None);
        let without = Work::from_fields(|name| get(name).filter(|_| !name.starts_with("cache_")));
        assert_eq!(without, Some(Work { caches: None, ..work }));
    }

    #[test]
    fn launches_share_their_memory() {
        let one = Work { lines: 10, footprint_bytes: 4096, ..Work::default() };
        let mut two = one;
        two += one;
        assert_eq!((two.lines, two.footprint_bytes), (20, 4096));
        assert_eq!(two.per_launch(2), one);
    }
}
