//! Occupancy: the number of blocks of a kernel that run on one multiprocessor at the same time, and
//! the limiting resource.
//!
//! A multiprocessor has a fixed number of warps, blocks, registers, bytes of shared memory and
//! barriers. A [`Block`] takes a share of each, rounded up by the hardware's granularity, and as
//! many blocks run as fit into all of them:
//!
//! ```text
//! warps      most warps / warps of a block
//! blocks     most blocks
//! registers  four partitions, each a quarter of the registers: whole warps to a partition, whole blocks in the end
//! shared     bytes of all / (bytes of a block + those the system takes), rounded up to the granularity
//! barriers   most barriers / barriers of a block, from compute capability 9.0
//! ```
//!
//! The limits are those of the CUDA programming guide's tables of compute capabilities. A test over
//! all of `tests/hardware/occupancy_cases.csv` shows that formula and table agree with NVIDIA's own
//! calculator.
//!
//! Unknown resources are left out: a block without [`Block::registers`] is not limited by
//! registers, and [`Occupancy::registers_known`] is false, so that messages can print \"at most\".
//!
//! [`OLDER_MULTIPROCESSORS`] are for textbooks: no kernel of Warpwise runs there. Every limit is a
//! field, so that an exercise with limits of its own is a row with other numbers.
use crate::target::Target;
use std::fmt;

/// Threads per warp.
pub const WARP_THREADS: u32 = 32;
/// Maximum number of threads of a block.
pub const MAX_BLOCK_THREADS: u32 = 1024;
/// Registers of a multiprocessor, and the maximum of a block.
pub const MULTIPROCESSOR_REGISTERS: u32 = 65_536;
/// Maximum number of registers of a thread.
pub const MAX_THREAD_REGISTERS: u32 = 255;

/// The registers of a warp are allocated in multiples of this.
const REGISTER_GRANULARITY: u32 = 256;
/// The compute capability from which on barriers are a limit.
const MIN_SM_WITH_BARRIER_LIMIT: u32 = 90;

/// One multiprocessor of an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiprocessor {
    /// The architecture.
    pub target: Target,
    /// Maximum number of resident warps.
    pub warps: u32,
    /// Maximum number of resident blocks.
    pub blocks: u32,
    /// Bytes of shared memory.
    pub shared: u64,
    /// Maximum bytes of shared memory of one block, if the launch asks for it.
    pub block_shared: u64,
    /// Bytes of shared memory that the system takes for each block.
    pub reserved: u64,
    /// Shared memory is allocated in multiples of this.
    pub granularity: u64,
    /// Number of barriers.
    pub barriers: u32,
    /// Maximum number of threads of a block.
    pub block_threads: u32,
    /// Maximum number of registers of a thread.
    pub thread_registers: u32,
    /// The partitions that the registers and the warps are divided among.
    pub partitions: u32,
}

/// Architectures that textbooks calculate with, and that are too old for kernels of Warpwise. The
/// limits are those of the CUDA programming guide and of NVIDIA's occupancy calculator; no test
/// compares them with a program.
pub const OLDER_MULTIPROCESSORS: &[Multiprocessor] = &[
    Multiprocessor { thread_registers: 63, ..multiprocessor(30, 64, 16, [48, 48], 0, 256, 16) },
    multiprocessor(35, 64, 16, [48, 48], 0, 256, 16),
    multiprocessor(50, 64, 32, [64, 48], 0, 256, 32),
    multiprocessor(52, 64, 32, [96, 48], 0, 256, 32),
    Multiprocessor { partitions: 2, ..multiprocessor(60, 64, 32, [64, 48], 0, 256, 32) },
    multiprocessor(61, 64, 32, [96, 48], 0, 256, 32),
];

/// Every known architecture from 7.0 on, by number.
pub const MULTIPROCESSORS: &[Multiprocessor] = &[
    multiprocessor(70, 64, 32, [96, 96], 0, 256, 64),
    multiprocessor(75, 32, 16, [64, 64], 0, 256, 32),
    multiprocessor(80, 64, 32, [164, 163], 1024, 128, 64),
    multiprocessor(86, 48, 16, [100, 99], 1024, 128, 16),
    multiprocessor(87, 48, 16, [164, 163], 1024, 128, 16),
    multiprocessor(89, 48, 24, [100, 99], 1024, 128, 24),
    multiprocessor(90, 64, 32, [228, 227], 1024, 128, 64),
    multiprocessor(100, 64, 32, [228, 227], 1024, 128, 64),
    multiprocessor(103, 64, 32, [228, 227], 1024, 128, 32),
    multiprocessor(110, 48, 24, [228, 227], 1024, 128, 24),
    multiprocessor(120, 48, 24, [100, 99], 1024, 128, 24),
    multiprocessor(121, 48, 24, [100, 99], 1024, 128, 24),
];

const fn multiprocessor(
    sm: u32,
    warps: u32,
    blocks: u32,
    [shared, block_shared]: [u64; 2],
    reserved: u64,
    granularity: u64,
    barriers: u32,
) -> Multiprocessor {
    let (shared, block_shared) = (shared << 10, block_shared << 10);
    let target = Target::new(sm);
    Multiprocessor {
        target,
        warps,
        blocks,
        shared,
        block_shared,
        reserved,
        granularity,
        barriers,
        block_threads: MAX_BLOCK_THREADS,
        thread_registers: MAX_THREAD_REGISTERS,
        partitions: 4,
    }
}

/// The resources of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Number of threads.
    pub threads: u32,
    /// Registers of a thread; `None` before the kernel is compiled.
    pub registers: Option<u32>,
    /// Bytes of shared memory, both declared and requested by the launch.
    pub shared: u64,
    /// Number of barriers: 1 for a kernel with any number of `sync_threads()`, and with named
    /// barriers one more than the highest number.
    pub barriers: u32,
}

/// A resource that limits the number of resident blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limiter {
    /// The warps of a multiprocessor.
    Warps,
    /// The blocks of a multiprocessor.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
    /// Barriers.
    Barriers,
}

/// The blocks that run on one multiprocessor at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// The number of blocks; at least one.
    pub blocks: u32,
    /// The number of their warps.
    pub warps: u32,
    /// Maximum number of resident warps of the multiprocessor.
    pub most_warps: u32,
    /// The resources that allow no more blocks, in the order of [`Limiter`].
    pub limiters: Vec<Limiter>,
    /// False if registers may be a limit that is not counted.
    pub registers_known: bool,
}

/// The reason that no block runs at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlaunchable {
    /// A block without threads.
    NoThreads,
    /// More threads than a block can have.
    Threads {
        /// Threads of a block.
        threads: u32,
        /// Threads that it can have.
        limit: u32,
    },
    /// More registers than a thread can have, or a block.
    Registers {
        /// Registers of a thread.
        registers: u32,
        /// Threads of a block.
        threads: u32,
    },
    /// More shared memory than a block can have.
    SharedMemory {
        /// Bytes of a block.
        bytes: u64,
        /// Bytes that it can have.
        limit: u64,
        /// The architecture.
        target: Target,
    },
    /// More barriers than the multiprocessor has.
    Barriers {
        /// Barriers of a block.
        barriers: u32,
        /// Barriers of a multiprocessor.
        limit: u32,
    },
}

impl Multiprocessor {
    /// Returns the multiprocessor of `target`, if it is known, also if it is too old for kernels of
    /// Warpwise.
    pub fn of(target: Target) -> Option<&'static Self> {
        let mut rows = OLDER_MULTIPROCESSORS.iter().chain(MULTIPROCESSORS);
        rows.find(|row| row.target == target)
    }

    /// Returns true if kernels of Warpwise run on it.
    pub fn is_supported(&self) -> bool {
        self.target >= Target::OLDEST
    }

    /// Returns the number of resident blocks, and the limiting resources.
    ///
    /// # Errors
    /// Returns the reason if no block fits.
    pub fn occupancy(&self, block: &Block) -> Result<Occupancy, Unlaunchable> {
        if block.threads == 0 {
            return Err(Unlaunchable::NoThreads);
        }
        let (threads, limit) = (block.threads, self.block_threads);
        if threads > limit {
            return Err(Unlaunchable::Threads { threads, limit });
        }
        let warps = block.threads.div_ceil(WARP_THREADS);
        let limits = [
            (Limiter::Warps, Some(self.warps / warps)),
            (Limiter::Blocks, Some(self.blocks)),
            (Limiter::Registers, self.register_limit(block, warps)?),
            (Limiter::SharedMemory, self.shared_limit(block)?),
            (Limiter::Barriers, self.barrier_limit(block)?),
        ];
        let known = || limits.iter().filter_map(|&(limiter, limit)| Some((limiter, limit?)));
        let blocks = known().map(|(_, limit)| limit).min().expect("the first two are known");
        let limiters = known().filter(|&(_, limit)| limit == blocks).map(|(limiter, _)| limiter);
        Ok(Occupancy {
            blocks,
            warps: blocks * warps,
            most_warps: self.warps,
            limiters: limiters.collect(),
            registers_known: block.registers.is_some(),
        })
    }

    fn shared_limit(&self, block: &Block) -> Result<Option<u32>, Unlaunchable> {
        let (bytes, limit, target) = (block.shared, self.block_shared, self.target);
        if bytes > limit {
            return Err(Unlaunchable::SharedMemory { bytes, limit, target });
        }
        let each = (bytes + self.reserved).next_multiple_of(self.granularity);
        let blocks = self.shared.checked_div(each);
        Ok(blocks.map(|blocks| u32::try_from(blocks).unwrap_or(u32::MAX)))
    }

    fn barrier_limit(&self, block: &Block) -> Result<Option<u32>, Unlaunchable> {
        let (barriers, limit) = (block.barriers, self.barriers);
        if self.target.sm() < MIN_SM_WITH_BARRIER_LIMIT || barriers == 0 {
            return Ok(None);
        }
        match limit / barriers {
            0 => Err(Unlaunchable::Barriers { barriers, limit }),
            blocks => Ok(Some(blocks)),
        }
    }

    /// Returns the number of blocks of this many warps for which the registers are sufficient.
    fn register_limit(&self, block: &Block, warps: u32) -> Result<Option<u32>, Unlaunchable> {
        let Some(registers) = block.registers else { return Ok(None) };
        let refused = Unlaunchable::Registers { registers, threads: block.threads };
        if registers > self.thread_registers {
            return Err(refused);
        }
        let each = (registers * WARP_THREADS).next_multiple_of(REGISTER_GRANULARITY);
        if each * warps.next_multiple_of(self.partitions) > MULTIPROCESSOR_REGISTERS {
            return Err(refused);
        }
        let in_a_partition = (MULTIPROCESSOR_REGISTERS / self.partitions).checked_div(each);
        Ok(in_a_partition.map(|in_a_partition| in_a_partition * self.partitions / warps))
    }
}

impl Occupancy {
    /// Returns the share of the possible warps that are resident: from 0 to 1.
    pub fn ratio(&self) -> f64 {
        f64::from(self.warps) / f64::from(self.most_warps)
    }

    /// Returns the limiting resources, as in a message: `shared memory`,
    /// `registers and shared memory`.
    pub fn limited_by(&self) -> String {
        let names: Vec<_> = self.limiters.iter().map(ToString::to_string).collect();
        names.join(" and ")
    }
}

impl fmt::Display for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warps => "the number of warps",
            Self::Blocks => "the number of blocks",
            Self::Registers => "registers",
            Self::SharedMemory => "shared memory",
            Self::Barriers => "barriers",
        })
    }
}

impl fmt::Display for Unlaunchable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoThreads => f.write_str("a block has no threads"),
            Self::Threads { threads, limit } => {
                write!(f, "a block has {threads} threads, and {limit} is the most")
            }
            Self::Registers { registers, threads } => write!(
                f,
                "{threads} threads of {registers} registers each are more than the {MULTIPROCESSOR_REGISTERS} registers \
                 that there are, in the units in which they are given out"
            ),
            Self::SharedMemory { bytes, limit, target } => write!(
                f,
                "a block takes {bytes} bytes of shared memory, and {limit} is the most on {target}"
            ),
            Self::Barriers { barriers, limit } => {
                write!(f, "a block has {barriers} barriers, and a multiprocessor {limit}")
            }
        }
    }
}

impl std::error::Error for Unlaunchable {}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("../../../tests/hardware/occupancy_cases.csv");

    fn on(sm: u32, block: Block) -> Result<Occupancy, Unlaunchable> {
        Multiprocessor::of(Target::new(sm)).unwrap().occupancy(&block)
    }

    fn block(threads: u32, registers: u32, shared_kib: u64) -> Block {
        Block { threads, registers: Some(registers), shared: shared_kib << 10, barriers: 1 }
    }

    #[test]
    fn agrees_with_nvidias_calculator() {
        let mut architectures = std::collections::BTreeSet::new();
        let mut rows = 0;
        for line in CASES.lines().skip(1) {
            let numbers: Vec<u32> = line.split(',').map(|number| number.parse().unwrap()).collect();
            let [major, minor, threads, fixed, registers, dynamic, barriers, expected] =
                numbers[..]
            else {
                panic!("{line}")
            };
            let shared = u64::from(fixed + dynamic);
            let block = Block { threads, registers: Some(registers), shared, barriers };
            let found = on(10 * major + minor, block).map_or(0, |occupancy| occupancy.blocks);
            assert_eq!(found, expected, "{line}");
            architectures.insert((major, minor));
            rows += 1;
        }
        assert_eq!((rows, architectures.len()), (3000, MULTIPROCESSORS.len()));
    }

    #[test]
    fn golden_values() {
        use Limiter::{Registers, SharedMemory, Warps};
        for (sm, of, blocks, percent, limiters) in [
            (90, block(256, 64, 0), 4, 50.0, &[Registers][..]),
            (90, block(256, 72, 0), 3, 37.5, &[Registers]),
            (90, block(1024, 64, 0), 1, 50.0, &[Registers]),
            (90, block(128, 255, 0), 2, 12.5, &[Registers]),
            (90, block(384, 40, 0), 4, 75.0, &[Registers]),
            (90, block(256, 32, 48), 4, 50.0, &[SharedMemory]),
            (86, block(1024, 32, 0), 1, 66.7, &[Warps]),
            (75, block(256, 32, 32), 2, 50.0, &[SharedMemory]),
            (120, block(128, 32, 50), 1, 8.3, &[SharedMemory]),
            (90, block(256, 32, 0), 8, 100.0, &[Warps, Registers]),
        ] {
            let found = on(sm, of).unwrap();
            assert_eq!((found.blocks, &*found.limiters), (blocks, limiters), "sm_{sm} {of:?}");
            assert!((found.ratio() * 100.0 - percent).abs() < 0.05, "sm_{sm} {of:?}: {found:?}");
        }
    }

    #[test]
    fn says_why_nothing_runs() {
        let refused = |block| on(90, block).unwrap_err();
        let registers = Unlaunchable::Registers { registers: 65, threads: 1024 };
        assert_eq!(refused(block(1024, 65, 0)), registers);
        assert_eq!(
            refused(block(1025, 8, 0)),
            Unlaunchable::Threads { threads: 1025, limit: 1024 }
        );
        assert_eq!(refused(block(0, 8, 0)), Unlaunchable::NoThreads);
        let text = refused(block(32, 8, 228)).to_string();
        assert_eq!(
            text,
            "a block takes 233472 bytes of shared memory, and 232448 is the most on sm_90"
        );
        let barriers = Block { barriers: 65, ..block(32, 8, 0) };
        assert_eq!(refused(barriers), Unlaunchable::Barriers { barriers: 65, limit: 64 });
        assert!(on(89, barriers).is_ok());
    }

    #[test]
    fn textbooks_can_be_repeated() {
        // 1024 threads in at most 8 blocks, each of at most 512 threads.
        let limits = Multiprocessor {
            warps: 32,
            blocks: 8,
            block_threads: 512,
            ..*Multiprocessor::of(Target::new(61)).unwrap()
        };
        let threads =
            |side: u32| Some(32 * limits.occupancy(&block(side * side, 16, 0)).ok()?.warps);
        assert_eq!([8, 16, 32].map(threads), [Some(512), Some(1024), None]);
        let refused = limits.occupancy(&block(1024, 16, 0)).unwrap_err().to_string();
        assert_eq!(refused, "a block has 1024 threads, and 512 is the most");
        // Two partitions give out registers in larger parts than four.
        let found = |sm| on(sm, block(96, 88, 0)).unwrap().blocks;
        assert_eq!([found(60), found(61)], [7, 6]);
        assert!(on(30, block(32, 64, 0)).is_err());
        assert!(!OLDER_MULTIPROCESSORS.iter().any(Multiprocessor::is_supported));
    }

    #[test]
    fn what_is_not_known_is_no_limit() {
        let found = on(90, Block { registers: None, ..block(256, 0, 48) }).unwrap();
        assert_eq!((found.blocks, found.registers_known), (4, false));
        assert_eq!(found.limited_by(), "shared memory");
        let found = on(90, block(32, 16, 0)).unwrap();
        assert_eq!((found.blocks, found.limited_by().as_str()), (32, "the number of blocks"));
    }
}
