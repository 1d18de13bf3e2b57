//! Data races: two threads access the same bytes, at least one writes, and nothing orders the
//! accesses.
//!
//! From a [`Trace`], every pair of accesses to one buffer or shared array gets one of three
//! verdicts:
//!
//! - **Proved racy.** Two threads, named, access the same bytes in every run of the kernel that
//!   contains a typical full block: one in which every guard holds.
//! - **Proved race-free.** No two threads ever access the same byte, or a barrier is between the
//!   accesses in every run in which both happen, or both are atomic.
//! - **Cannot tell**, with the reason.
//!
//! **In a block**, barriers order everything. The lanes of one warp are ordered by `sync_warp`
//! only; lock-step execution is no order. A shuffle between two accesses does not order them
//! either, but no pair with a shuffle in between is called racy.
//!
//! **Across blocks**, only the grid's barrier orders. Two blocks differ in an index that the kernel
//! asks for (a kernel that asks for none of an axis runs in a grid of one block along it). Values
//! that depend on the launch alone are the same in both blocks; all others, except block indices,
//! are unrelated.
//!
//! **Conditions for \"proved racy\".** Each one excludes a way in which the statement could be
//! wrong:
//! 1. The threads are certainly active: in all runs, or after guards that hold together for all
//!    threads of some block. Of threads that are active by whole warps, only two of one warp
//!    qualify.
//! 2. If one access happens, so does the other: everything that one needs (arms of undecided
//!    conditions, iterations, no earlier exit) the other needs as well, in the same iterations.
//!    Across blocks neither may need anything.
//! 3. Both are in one interval between barriers: none is between them in the trace, which runs
//!    every path.
//! 4. Their offsets differ by a known number: every symbol cancels. Or the remaining symbols are
//!    iteration numbers which the loops certainly attain, and for some of these the bytes overlap.
//! 5. No fence, and no atomic operation that is more than relaxed, may form a chain from one to the
//!    other.
//! 6. Without a declared block, the two threads differ along x only, and one access depends on the
//!    thread's index along x: by its address, or by a guard. Otherwise the kernel may be meant for
//!    one thread. Two lanes of one warp then qualify as well, for no block is smaller than it is
//!    meant to be; across blocks, only threads with the same index. Across blocks, the kernel may
//!    likewise be meant for one block if neither access depends on the block's index by address,
//!    guard or stored value; along y and z only the address counts.
//! 7. The bytes are inside the array, so that no failed check ends a thread before.
//!
//! **Conditions for \"proved race-free\".** The difference of the offsets cannot be small enough
//! for the bytes to overlap, for *all* numbers of the symbols: by the common divisor of their
//! factors, by their limits, and because two blocks' indices differ. Barriers count if they run
//! whenever both accesses do.
//!
//! Two stores of the same known value are a race as well, by the memory model; they are reported
//! separately, for they are harmless on hardware.
mod accesses;
mod block;
mod grid;
mod guards;
mod order;
mod overlap;
mod redundant;
mod rows;
mod scopes;
mod values;

use crate::{
    analysis::{
        symbolic::{EventKind, Trace},
        uniformity::Uniformity,
    },
    ir::{InstId, Kernel, ParamKind, Root},
};
use accesses::shared_accesses;
use std::cell::Cell;

/// The races of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Races {
    /// The result for each shared array and each buffer that the kernel may write.
    pub memory: Vec<MemoryRaces>,
    /// Barriers that order nothing: no two accesses on both sides of them need an order.
    pub redundant_barriers: Vec<InstId>,
}

/// The races in one shared array or buffer.
#[derive(Clone, Debug)]
pub struct MemoryRaces {
    /// The array or buffer.
    pub root: Root,
    /// The pairs of accesses that are proved racy.
    pub races: Vec<Race>,
    /// The pairs of accesses without a proof.
    pub doubts: Vec<Doubt>,
    /// The pairs that are racy in runs in which the barriers between them are skipped. Each is a
    /// doubt, too.
    pub skipped: Vec<SkippedBarriers>,
}

/// A race in runs in which a block-uniform condition skips all barriers between the accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedBarriers {
    /// The race.
    pub race: Race,
    /// The barriers.
    pub barriers: Vec<InstId>,
    /// The `if` whose arms contain them.
    pub branch: InstId,
}

/// One of the three verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No two threads race.
    RaceFree,
    /// Two threads race.
    Racy,
    /// Neither is proved.
    CannotTell,
}

/// Two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The two accesses, the earlier of the trace first.
    pub sides: [RaceSide; 2],
    /// The offset of the first access in bytes, if it is a number.
    pub offset: Option<i64>,
    /// The group of threads that race.
    pub among: ThreadGroup,
    /// The kind of the race.
    pub kind: RaceKind,
    /// The loop in which the second access belongs to a later iteration.
    pub iteration_of: Option<InstId>,
}

/// One of two threads that race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaceSide {
    /// The access.
    pub inst: InstId,
    /// The index of its event in the trace.
    pub event: usize,
    /// The thread's index in its block.
    pub thread: [u32; 3],
    /// True if it writes.
    pub writes: bool,
}

/// The threads that race: the smallest group that contains two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreadGroup {
    /// Lanes of one warp.
    Warp,
    /// Threads of one block.
    Block,
    /// Threads of different blocks, if the grid has more than one.
    Grid,
}

/// The kind of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaceKind {
    /// One reads, one writes.
    ReadWrite,
    /// Both write.
    WriteWrite,
    /// Both write the same value.
    SameValue,
    /// One is atomic, one is not.
    AtomicAndPlain,
    /// Both are atomic, one of them in the scope of its block only.
    BlockScope,
}

/// Two accesses without a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The two instructions.
    pub insts: [InstId; 2],
    /// The group of threads that might race.
    pub among: ThreadGroup,
    /// The reason.
    pub reason: DoubtReason,
}

/// The reason for a missing verdict on two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubtReason {
    /// The accessed array or buffer is unknown.
    Pointer,
    /// The offset is unknown, such as an index that is read from memory.
    Index,
    /// The accesses overlap for some numbers that only a launch or data decide.
    Numbers,
    /// The active threads, or the joint execution of both accesses, depend on something unknown.
    Condition,
    /// Both are in one block only under guards that may not hold together.
    Guards,
    /// A barrier, or a warp-wide wait, is between them in some runs only.
    Barrier,
    /// Fences or atomic operations may order them.
    Order,
    /// A named barrier, an mbarrier or inline PTX may order them.
    PartialBarrier,
    /// The bytes differ unless an integer wraps in the computation of an index, as in a launch of
    /// impractical size.
    Wraps,
    /// They race in a grid of more than one block, and nothing proves that there is one.
    OneBlock,
    /// An atomic operation of block scope, at an address that several blocks use depending on data.
    Scope,
    /// A block writes at an address of its own and announces it by this atomic operation, which
    /// orders nothing; another block reads there depending on data, such as being the last to
    /// announce.
    Unfenced(InstId),
    /// The kernel is too long to be executed as a whole.
    TooLong,
    /// There are too many accesses to examine each pair.
    TooManyAccesses,
}

impl DoubtReason {
    /// Returns the reason as a clause.
    pub const fn clause(self) -> &'static str {
        match self {
            Self::Pointer => "it is not known which array or buffer is accessed",
            Self::Index => "nothing is known of the index",
            Self::Numbers => "whether two threads meet depends on numbers that are not known",
            Self::Condition => "which threads come here depends on a condition that is not known",
            Self::Guards => "it is not known whether the guards of both hold for one block",
            Self::Barrier => "a barrier is between the two in some runs only",
            Self::PartialBarrier => "a named barrier, an mbarrier or inline PTX may order the two",
            Self::Order => "fences or atomic operations may order the two",
            Self::Wraps => "the index may wrap in a very large launch",
            Self::OneBlock => {
                "every block does the same, and nothing says that the grid has more than one"
            }
            Self::Scope => {
                "data decide which blocks meet in an atomic operation of a block's scope"
            }
            Self::Unfenced(_) => {
                "a block reads what another wrote and announced by an operation that orders nothing"
            }
            Self::TooLong => "the kernel takes too many steps to follow",
            Self::TooManyAccesses => "there are too many accesses to look at each pair",
        }
    }
}

impl MemoryRaces {
    /// Returns the verdict on this array or buffer.
    pub fn verdict(&self) -> Verdict {
        if !self.races.is_empty() {
            Verdict::Racy
        } else if self.doubts.is_empty() {
            Verdict::RaceFree
        } else {
            Verdict::CannotTell
        }
    }
}

impl Races {
    /// Returns the verdict on the whole kernel.
    pub fn verdict(&self) -> Verdict {
        let all = || self.memory.iter().map(MemoryRaces::verdict);
        if all().any(|verdict| verdict == Verdict::Racy) {
            Verdict::Racy
        } else if all().all(|verdict| verdict == Verdict::RaceFree) {
            Verdict::RaceFree
        } else {
            Verdict::CannotTell
        }
    }

    /// Returns the result for one array or buffer; `None` if no thread can write to it.
    pub fn for_root(&self, root: Root) -> Option<&MemoryRaces> {
        self.memory.iter().find(|memory| memory.root == root)
    }
}

/// Finds the races of `kernel` in its trace.
pub fn analyze(kernel: &Kernel, trace: &Trace, uniformity: &Uniformity) -> Races {
    let accesses = shared_accesses(kernel, trace);
    if kernel.has_partial_barriers() {
        let memory = shared_roots(kernel).map(|root| {
            let first = accesses.iter().find(|access| access.root.is_none_or(|of| of == root));
            let doubts = first.map(|of| unlocated_doubt(of.inst, DoubtReason::PartialBarrier));
            let (races, skipped) = (Vec::new(), Vec::new());
            MemoryRaces { root, races, doubts: doubts.into_iter().collect(), skipped }
        });
        return Races { memory: memory.collect(), redundant_barriers: Vec::new() };
    }
    let order = order::EventOrder::new(kernel, trace);
    let guards = guards::Guards::new(kernel, uniformity, trace);
    let values = values::StoredValues { kernel, uniformity, trace };
    let events = trace.events.iter().enumerate();
    let chains = events.filter(|(_, event)| accesses::is_ordering(&kernel.insts[event.inst].op));
    let chains: Vec<usize> = chains.map(|(number, _)| number).collect();
    let work = Cell::new(0);
    let block = block::BlockRaces {
        kernel,
        trace,
        order: &order,
        guards: &guards,
        values: &values,
        chains: &chains,
        work: &work,
    };
    let across = grid::GridRaces::new(kernel, trace, &order, &guards, &values, &work);
    let memory = shared_roots(kernel).map(|root| {
        let mut memory =
            MemoryRaces { root, races: Vec::new(), doubts: Vec::new(), skipped: Vec::new() };
        let list: Vec<_> = accesses.iter().filter(|access| access.root == Some(root)).collect();
        block.find_races(&list, &mut memory);
        if let Root::Param(_) = root {
            across.find_races(&list, &mut memory);
        }
        let unknown = accesses.iter().filter(|access| {
            access.root.is_none() && access.space == kernel.space_of_root(root) && !list.is_empty()
        });
        memory
            .doubts
            .extend(unknown.map(|access| unlocated_doubt(access.inst, DoubtReason::Pointer)));
        // The last access marks the point after which nothing is known.
        if !trace.complete {
            let mut events = trace.events.iter().rev();
            let last = events.find(|event| matches!(event.kind, EventKind::Access(_)));
            let last = last.or(trace.events.last()).map(|event| event.inst);
            memory.doubts.extend(
                last.or(kernel.body.0.first().copied())
                    .map(|inst| unlocated_doubt(inst, DoubtReason::TooLong)),
            );
        }
        memory
    });
    let memory = memory.collect();
    let redundant_barriers = redundant::find_redundant_barriers(kernel, trace, &accesses, &block);
    Races { memory, redundant_barriers }
}

fn unlocated_doubt(inst: InstId, why: DoubtReason) -> Doubt {
    Doubt { insts: [inst; 2], among: ThreadGroup::Block, reason: why }
}

/// Returns the arrays and buffers that threads share and can write.
fn shared_roots(kernel: &Kernel) -> impl Iterator<Item = Root> {
    let params = kernel.params.iter().filter(|(_, param)| match &param.kind {
        ParamKind::Scalar(_) => false,
        ParamKind::Slice { access, .. } => !access.is_read_only(),
    });
    let shared = kernel.shared.ids().map(Root::Shared);
    params.map(|(id, _)| Root::Param(id)).chain(shared)
}

#[cfg(test)]
mod tests {
    use super::{DoubtReason, MemoryRaces, Verdict};
    use crate::{
        analysis::{
            Analyses,
            symbolic::{Event, EventKind},
        },
        ir::Kernel,
    };

    /// Analyzes an array to which each thread stores `count` times, each time in the next element.
    fn stores(count: usize) -> MemoryRaces {
        let mut text = "kernel stores {
            block 256, 1, 1
            shared @0 = tile: [f32; 4096]
            %0 = builtin thread_idx.x : u64
            %1 = shared @0 : ptr shared
            %2 = const 1 : f32
            %3 = const 4096 : u64\n"
            .to_owned();
        for store in 0..count {
            let [by, at, checked, place, unit] = [4, 5, 6, 7, 8].map(|id| id + 5 * store);
            text += &format!(
                "%{by} = const {store} : u64
                %{at} = add %0, %{by} : u64
                %{checked} = bounds %{at}, %3 : u64
                %{place} = index %1, %{checked}, 4 : ptr shared
                %{unit} = store %{place}, %2\n"
            );
        }
        let kernel: Kernel = (text + "}").parse().unwrap();
        Analyses::for_kernel(&kernel).races.memory.remove(0)
    }

    /// The loops have so many iterations that the execution gives up before it records an access.
    #[test]
    fn what_is_too_long_to_be_run_cannot_be_told() {
        let mut text = "kernel long {
            block 64, 1, 1
            param arg0 = y: write [u32]
            param arg1 = n: u64
            local $0 = i: u64
            %0 = param arg1 : u64
            %1 = builtin global_idx.x : u64
            %2 = const 0 : u64
            %3 = const 1 : u64
            %4 = builtin thread_idx.x : u64
            %5 = const 7 : u64
            %6 = and %4, %5 : u64
            %7 = len arg0 : u64
            %8 = param arg0 : ptr global
            %9 = const 7 : u32
            %10 = builtin warp_id : u64
            %11 = set $0, %10
            %12 = barrier
            %13 = loop {
            %14 = get $0 : u64
            %15 = lt %14, %0 : bool
            %16 = if %15 {
            %17 = add %14, %3 : u64
            %18 = set $0, %17\n"
            .to_owned();
        for inner in 19..25 {
            text += &format!("%{inner} = for %2, %6, step %3 : u64 {{\n");
        }
        text += "%25 = bounds %1, %7 : u64
            %26 = index %8, %25, 4 : ptr global
            %27 = store %26, %9
            } } } } } }
            } else { %28 = break %13 } } }";
        let kernel: Kernel = text.parse().unwrap();
        let analyses = Analyses::for_kernel(&kernel);
        let is_access = |event: &Event| matches!(event.kind, EventKind::Access(_));
        assert!(!analyses.trace.complete && !analyses.trace.events.iter().any(is_access));
        assert_eq!(analyses.races.memory[0].verdict(), Verdict::CannotTell);
    }

    #[test]
    fn what_is_too_much_to_look_at_cannot_be_told() {
        let gives_up = |memory: &MemoryRaces| {
            memory.doubts.iter().any(|doubt| doubt.reason == DoubtReason::TooManyAccesses)
        };
        let (few, many) = (stores(20), stores(150));
        assert!(!gives_up(&few) && few.races.len() == 190, "{few:?}");
        assert!(gives_up(&many) && many.races.len() < 150 * 149 / 2, "{many:?}");
    }
}
