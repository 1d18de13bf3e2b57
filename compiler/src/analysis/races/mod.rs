//! Races: accesses of two threads to the same bytes, at least one of which writes, and which nothing orders.
//!
//! From a [`Trace`], every pair of accesses to one buffer or shared array is one of three:
//!
//! - **Proved racy.** Two threads, named, access the same bytes in every run of the kernel in which a typical
//!   full block comes by: one in which every guard holds.
//! - **Proved race-free.** No two threads ever meet there, or a barrier is between in every run in which both
//!   accesses happen, or both are atomic.
//! - **Cannot tell**, with the reason.
//!
//! **In a block**, barriers order everything. The lanes of one warp are ordered by `sync_warp` and by nothing else; that a
//! warp runs in lock step is no order. A shuffle between two accesses is not taken for one, but nothing is said to be racy
//! across it.
//!
//! **Across blocks**, only the grid's barrier orders. Two blocks differ in an index that the kernel asks for
//! (a kernel that asks for none of an axis runs in a grid of one block along it). What depends on nothing but the launch is the
//! same in both, and everything else that is not a block's index is not.
//!
//! **When is it proved racy?** Each line leaves out what could make the statement wrong:
//! 1. The threads are active for certain: in all runs, or behind guards that hold together for all threads of
//!    some block; of threads that come by warps, only two of one warp.
//! 2. If one access happens, so does the other: what the one needs (arms of undecided conditions,
//!    iterations, not having left) the other needs as well, in the same iterations. Across blocks neither may need anything.
//! 3. Both are in one interval between barriers: none is between them in the trace, which runs every path.
//! 4. Their offsets differ by a known number: every symbol cancels. Or what does not cancel are numbers of iterations
//!    which the loops have for certain, and for some of these the bytes overlap.
//! 5. No fence, and no atomic operation that is more than relaxed, may be a chain from one to the other.
//! 6. Without a declared block, the two differ along x only, and one access depends on the thread's index along x: by
//!    its place, or by a guard. Otherwise one thread may be meant. Two lanes of one warp meet then as well, for no block is
//!    smaller than what it is meant for; and only threads of one number in two blocks. So may one block be meant, across blocks, if neither depends on
//!    the block's index by place, guard or what it stores; along y and z only the place counts.
//! 7. The bytes are inside the array, so that no failed check ends a thread before.
//!
//! **When is it proved race-free?** If the difference of the offsets cannot be so small that bytes overlap, for
//! *all* numbers that symbols may be: with what all their factors are multiples of, with their limits, and with two blocks'
//! indices being different. Barriers count if they are run whenever both accesses are.
//!
//! Two stores of what is known to be the same value are a race as well, by the memory model, and are kept apart, for
//! hardware makes nothing of it.
mod accesses;
mod across;
mod block;
mod guards;
mod order;
mod overlap;
mod redundant;
mod rows;
mod scopes;
mod values;

use crate::{
    analysis::{
        symbolic::{Trace, What},
        uniformity::Uniformity,
    },
    ir::{Access, InstId, Kernel, ParamKind, Root, Space},
};
use accesses::accesses;
use std::cell::Cell;

/// What is known of the races of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Races {
    /// Each shared array and each buffer that the kernel may write.
    pub memory: Vec<MemoryRaces>,
    /// Barriers that order nothing: no two accesses on both sides of them need it.
    pub redundant_barriers: Vec<InstId>,
}

/// What is known of the races in one shared array or buffer.
#[derive(Clone, Debug)]
pub struct MemoryRaces {
    /// Which.
    pub root: Root,
    /// Pairs of accesses that are proved racy.
    pub races: Vec<Race>,
    /// Pairs of accesses of which it cannot be told.
    pub doubts: Vec<Doubt>,
    /// Pairs of accesses that are racy in runs in which the barriers between them are skipped. Each is a doubt, too.
    pub skipped: Vec<SkippedBarriers>,
}

/// A race in runs in which a condition that is the same in the whole block keeps it from all barriers between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedBarriers {
    /// The race.
    pub race: Race,
    /// The barriers.
    pub barriers: Vec<InstId>,
    /// The `if` in whose arms they stand.
    pub branch: InstId,
}

/// One of three answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No two threads race.
    RaceFree,
    /// Two do.
    Racy,
    /// It is not known.
    CannotTell,
}

/// Two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The two, the earlier of the trace first.
    pub sides: [Side; 2],
    /// How many bytes behind the beginning the first is, if that depends on nothing.
    pub at: Option<i64>,
    /// Which threads the two are.
    pub among: Among,
    /// What they do.
    pub kind: Kind,
    /// The loop of which the second is in a later iteration.
    pub iteration_of: Option<InstId>,
}

/// One of two threads that race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The access.
    pub inst: InstId,
    /// The number of its event in the trace.
    pub event: usize,
    /// The thread's index in its block.
    pub thread: [u32; 3],
    /// Whether it writes.
    pub writes: bool,
}

/// Which threads race: the closest ones that do not need what is farther.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Among {
    /// Lanes of one warp, and no others.
    Warp,
    /// Threads of one block.
    Block,
    /// Threads of different blocks, if the grid has more than one.
    Grid,
}

/// What two accesses that race do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One reads, one writes.
    ReadWrite,
    /// Both write.
    WriteWrite,
    /// Both write the same value.
    SameValue,
    /// One is atomic, one is not.
    AtomicAndPlain,
    /// Both are atomic, one of them among the threads of its block only.
    BlockScope,
}

/// Two accesses of which it cannot be told whether they race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The two.
    pub insts: [InstId; 2],
    /// Which threads might.
    pub among: Among,
    /// Why it cannot be told.
    pub why: Why,
}

/// Why it cannot be told whether two accesses race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is not known which array or buffer is accessed.
    Pointer,
    /// Nothing is known of where in it, as of an index that is read from memory.
    Index,
    /// The two may meet for some numbers that only a launch or data decide.
    Numbers,
    /// Which threads come by, or whether both accesses happen, depends on what is not known.
    Condition,
    /// Both are in one block only behind guards of which it is not known that they hold together.
    Guards,
    /// A barrier, or a meeting of the warp, is between them in some runs only.
    Barrier,
    /// Fences or atomic operations may order them.
    Order,
    /// The two are apart unless an integer wraps on the way to an index, as in a launch that is large beyond use.
    Wraps,
    /// They race in a grid of more than one block, and nothing says that there is one.
    OneBlock,
    /// An atomic operation of a block's scope, at a place that several blocks use if data say so: nothing else
    /// keeps them apart.
    Scope,
    /// A block writes at a place of its own and announces it by this atomic operation, which orders nothing, and a
    /// block reads there if data say so, as when it was the last to announce.
    Unfenced(InstId),
    /// The kernel is too long to be looked at as a whole.
    TooLong,
    /// There are too many accesses to look at each pair.
    TooManyAccesses,
}

impl Why {
    /// The reason as a clause.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Pointer => "it is not known which array or buffer is accessed",
            Self::Index => "nothing is known of the index",
            Self::Numbers => "whether two threads meet depends on numbers that are not known",
            Self::Condition => "which threads come here depends on a condition that is not known",
            Self::Guards => "it is not known whether the guards of both hold for one block",
            Self::Barrier => "a barrier is between the two in some runs only",
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
    /// Whether two threads race here.
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
    /// Whether any two threads of the kernel race.
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

    /// What is known of one array or buffer; `None` if no thread can write to it.
    pub fn of(&self, root: Root) -> Option<&MemoryRaces> {
        self.memory.iter().find(|memory| memory.root == root)
    }
}

/// Finds the races of `kernel`, of which `trace` is a run.
pub fn analyze(kernel: &Kernel, trace: &Trace, uniformity: &Uniformity) -> Races {
    let accesses = accesses(kernel, trace);
    let order = order::Order::new(kernel, trace);
    let guards = guards::Guards::new(kernel, uniformity, trace);
    let values = values::Values { kernel, uniformity, trace };
    let events = trace.events.iter().enumerate();
    let chains = events.filter(|(_, event)| accesses::orders(&kernel.insts[event.inst].op));
    let chains: Vec<usize> = chains.map(|(number, _)| number).collect();
    let work = Cell::new(0);
    let block = block::Block {
        kernel,
        trace,
        order: &order,
        guards: &guards,
        values: &values,
        chains: &chains,
        work: &work,
    };
    let across = across::Across::new(kernel, trace, &order, &guards, &values, &work);
    let memory = roots(kernel).map(|root| {
        let mut memory =
            MemoryRaces { root, races: Vec::new(), doubts: Vec::new(), skipped: Vec::new() };
        let list: Vec<_> = accesses.iter().filter(|access| access.root == Some(root)).collect();
        block.find(&list, &mut memory);
        if let Root::Param(_) = root {
            across.find(&list, &mut memory);
        }
        let unknown = accesses.iter().filter(|access| {
            access.root.is_none() && access.space == space(root) && !list.is_empty()
        });
        memory.doubts.extend(unknown.map(|access| doubt(access.inst, Why::Pointer)));
        if !trace.complete {
            let mut events = trace.events.iter().rev();
            let last = events.find(|event| matches!(event.what, What::Access(_)));
            let last = last.or(trace.events.last()).map(|event| event.inst);
            memory.doubts.extend(
                last.or(kernel.body.0.first().copied()).map(|inst| doubt(inst, Why::TooLong)),
            );
        }
        memory
    });
    let memory = memory.collect();
    let redundant_barriers = redundant::find(kernel, trace, &accesses, &block);
    Races { memory, redundant_barriers }
}

fn doubt(inst: InstId, why: Why) -> Doubt {
    Doubt { insts: [inst; 2], among: Among::Block, why }
}

const fn space(root: Root) -> Space {
    match root {
        Root::Param(_) => Space::Global,
        Root::Shared(_) => Space::Shared,
        Root::Array(_) => Space::Local,
    }
}

/// What threads of the kernel share and can write.
fn roots(kernel: &Kernel) -> impl Iterator<Item = Root> {
    let params = kernel.params.iter().filter(|(_, param)| match &param.kind {
        ParamKind::Scalar(_) | ParamKind::Slice { access: Access::Read, .. } => false,
        ParamKind::Slice { access: Access::Write | Access::Atomic, .. } => true,
    });
    let shared = kernel.shared.ids().map(Root::Shared);
    params.map(|(id, _)| Root::Param(id)).chain(shared)
}

#[cfg(test)]
mod tests {
    use super::{MemoryRaces, Verdict, Why};
    use crate::{
        analysis::{
            Analyses,
            symbolic::{Event, What},
        },
        ir::Kernel,
    };

    /// What is known of an array to which each thread stores so often, in each place next to the last.
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
        Analyses::of(&kernel).races.memory.remove(0)
    }

    /// The loops have so many rounds that the run gives up before it keeps an access.
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
        let analyses = Analyses::of(&kernel);
        let is_access = |event: &Event| matches!(event.what, What::Access(_));
        assert!(!analyses.trace.complete && !analyses.trace.events.iter().any(is_access));
        assert_eq!(analyses.races.memory[0].verdict(), Verdict::CannotTell);
    }

    #[test]
    fn what_is_too_much_to_look_at_cannot_be_told() {
        let gives_up = |memory: &MemoryRaces| {
            memory.doubts.iter().any(|doubt| doubt.why == Why::TooManyAccesses)
        };
        let (few, many) = (stores(20), stores(150));
        assert!(!gives_up(&few) && few.races.len() == 190, "{few:?}");
        assert!(gives_up(&many) && many.races.len() < 150 * 149 / 2, "{many:?}");
    }
}
