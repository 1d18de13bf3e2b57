//! `gpu_missing_cluster_syncs`: a block accesses the shared memory of another block of its cluster,
//! and no `cluster::sync()` is before the access, or none after it.
//!
//! ```text
//! sums[t] = own;
//! sync_threads();          // waits for the own block
//! let theirs = cluster::map_shared_rank(sums, 1)[t];
//! cluster::sync();
//! ```
//! Blocks of a cluster start and end independently: before the first barrier of the cluster another
//! block may not have started, and has written nothing that is ordered before the access; after the
//! last one it may have ended, and its memory may be that of another block.
//!
//! Fires for the first access of a kernel that no barrier can come before, and for the last one
//! that none can come after. Silent where something else may order blocks: fences, and atomics that
//! acquire, release or yield a value; after an access, so may do one at the start of a loop around
//! it.
use crate::{
    analysis::Analyses,
    diag::Level,
    id::Facts,
    ir::{InstId, Kernel, Op, Order, Space, SyncOp},
    lint::{Finding, Lint, LintGroup},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_missing_cluster_syncs",
    group: LintGroup::Correctness,
    level: Level::Warn,
    check,
};

fn check(kernel: &Kernel, _: &Analyses) -> Vec<Finding> {
    if kernel.cluster_blocks() < 2 {
        return Vec::new();
    }
    let order = ProgramOrder::of(kernel);
    let accesses = || order.insts.iter().copied().filter(|id| is_access(kernel, *id));
    let early =
        accesses().next().filter(|first| !order.may_be_after(*first)).map(|first| Finding {
            message:
                "the shared memory of another block is accessed before any `cluster::sync()`: the \
                  block may not have started"
                    .to_owned(),
            span: kernel.insts[first].span,
            labels: Vec::new(),
            notes: vec![
                "what the block writes there is not ordered before the access, either".to_owned(),
            ],
            help: "add `cluster::sync()` before it, where every thread of the cluster reaches it"
                .to_owned(),
        });
    let late =
        accesses().next_back().filter(|last| !order.may_be_before(*last)).map(|last| Finding {
            message:
                "the shared memory of another block is accessed, and no `cluster::sync()` follows: \
                  the block may have ended"
                    .to_owned(),
            span: kernel.insts[last].span,
            labels: Vec::new(),
            notes: Vec::new(),
            help:
                "add `cluster::sync()` at the end of the kernel, where every thread of the cluster \
               reaches it"
                    .to_owned(),
        });
    early.into_iter().chain(late).collect()
}

/// Returns true for an access to the shared memory of a block of the cluster.
fn is_access(kernel: &Kernel, id: InstId) -> bool {
    let (Op::Load { ptr, .. }
    | Op::Store { ptr, .. }
    | Op::AtomicLoad { ptr, .. }
    | Op::AtomicStore { ptr, .. }
    | Op::Atomic { ptr, .. }
    | Op::CompareExchange { ptr, .. }) = kernel.insts[id].op
    else {
        return false;
    };
    kernel.space(ptr) == Some(Space::Cluster)
}

/// The instructions that run, in the order of the text, in which they run for the first time.
struct ProgramOrder {
    insts: Vec<InstId>,
    /// The position of each instruction; of one in loops, that of the outermost loop.
    starts: Facts<InstId, usize>,
    places: Facts<InstId, usize>,
    /// The positions of instructions that may order blocks.
    syncs: Vec<usize>,
}

impl ProgramOrder {
    fn of(kernel: &Kernel) -> Self {
        let mut insts = Vec::new();
        kernel.walk(&mut |id| insts.push(id));
        let (mut places, mut starts) = (kernel.insts.facts(0), kernel.insts.facts(0));
        for (place, id) in insts.iter().enumerate() {
            places[*id] = place;
        }
        let parents = kernel.parents();
        for id in &insts {
            let outer = std::iter::successors(parents[*id], |(parent, _)| parents[*parent]);
            let is_loop =
                |id: &InstId| matches!(kernel.insts[*id].op, Op::For { .. } | Op::Loop { .. });
            let outermost = outer.map(|(parent, _)| parent).filter(is_loop).last();
            starts[*id] = places[outermost.unwrap_or(*id)];
        }
        let used = used_results(kernel);
        let syncs = (0..insts.len()).filter(|place| may_order_blocks(kernel, &used, insts[*place]));
        let syncs = syncs.collect();
        Self { insts, starts, places, syncs }
    }

    /// Returns true if something may order other blocks before an access runs for the first time.
    fn may_be_after(&self, access: InstId) -> bool {
        self.syncs.iter().any(|sync| *sync < self.places[access])
    }

    /// Returns true if something may order other blocks after an access, in a later iteration, too.
    fn may_be_before(&self, access: InstId) -> bool {
        self.syncs.iter().any(|sync| *sync > self.starts[access])
    }
}

/// Returns true for each instruction whose result is used.
fn used_results(kernel: &Kernel) -> Facts<InstId, bool> {
    let mut used = kernel.insts.facts(false);
    for (_, inst) in kernel.insts.iter() {
        inst.op.operands().for_each(|operand| used[operand] = true);
    }
    used
}

/// Returns true for instructions that may order the accesses of different blocks.
fn may_order_blocks(kernel: &Kernel, used: &Facts<InstId, bool>, id: InstId) -> bool {
    let op = &kernel.insts[id].op;
    if let Op::AtomicStore { order, .. } = op {
        *order != Order::Relaxed
    } else if let Op::Atomic { order, .. } = op {
        *order != Order::Relaxed || used[id]
    } else {
        matches!(
            op,
            Op::Sync(
                SyncOp::SyncCluster
                    | SyncOp::SyncGrid
                    | SyncOp::Fence { .. }
                    | SyncOp::MBarrierWait { .. }
            ) | Op::AtomicLoad { .. }
                | Op::CompareExchange { .. }
                | Op::Ptx { .. }
        )
    }
}
