//! Accesses to memory that precede the wait for the grids before this one.
//!
//! A grid of a kernel with [`dependent_launch`](Kernel::dependent_launch) may start while the grids
//! before it still write. So every access to memory that other grids reach has to follow a
//! [`SyncOp::GridDependency`] that waits, in the same thread and on every path. What a thread of
//! the same block has waited for does not count.
//!
//! A grid that has ended stands for all grids before it, so no thread may end without a wait,
//! either. The back ends emit one at the ends of the kernel where that is not proved.
//!
//! ```text
//! if %1 { wait_for_dependencies }
//! %3 = load %2                       // an early access: the wait is on one path only
//! wait_for_dependencies
//! %4 = load %2                       // none
//! ```
use crate::ir::{
    Access, Body, CacheLevel, CopyOp, GridDependencyOp, InstId, Kernel, Op, Space, SyncOp, Ty,
};

/// The part of a kernel that may run before its wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridDependencies {
    /// The accesses that may run before it, in order.
    pub early_accesses: Vec<InstId>,
    /// True if a thread may end before it.
    pub may_end_early: bool,
}

/// Finds what may run before a thread of `kernel` has waited. The structure of the kernel is well
/// formed.
pub fn analyze(kernel: &Kernel) -> GridDependencies {
    let mut walk = Walk { kernel, found: GridDependencies::default(), breaks: Vec::new() };
    if let State::Early = walk.run_body(&kernel.body, State::Early) {
        walk.found.may_end_early = true;
    }
    walk.found
}

/// Returns true if a kernel that may start early can have a parameter with this access. Textures
/// and surfaces have loads that a wait does not order.
pub const fn may_pass(access: Access) -> bool {
    match access {
        Access::Texture | Access::SurfaceRead(_) | Access::SurfaceWrite(_) => false,
        Access::Read
        | Access::Write
        | Access::Atomic
        | Access::Constant { .. }
        | Access::TensorRead
        | Access::TensorWrite => true,
    }
}

/// The threads at a place. The order is that of the facts about several paths: the least one holds
/// for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// Some may not have waited.
    Early,
    /// All have waited.
    Waited,
    /// There are none.
    Unreachable,
}

struct Walk<'k> {
    kernel: &'k Kernel,
    found: GridDependencies,
    /// The enclosing instructions that a `break` may leave, with the state of the threads that do.
    breaks: Vec<(InstId, State)>,
}

impl Walk<'_> {
    /// Returns the state at the end of `body`.
    fn run_body(&mut self, body: &Body, start: State) -> State {
        body.0.iter().fold(start, |state, &id| self.run_inst(id, state))
    }

    /// Returns the state after an instruction. A thread that has waited stays so, so iterations
    /// after the first one prove nothing less than that.
    fn run_inst(&mut self, id: InstId, state: State) -> State {
        let op = &self.kernel.insts[id].op;
        let is_early = state == State::Early;
        if is_early && reaches_other_grids(self.kernel, op) {
            self.found.early_accesses.push(id);
        }
        match op {
            Op::Sync(SyncOp::GridDependency(GridDependencyOp::Wait)) => state.max(State::Waited),
            Op::Bounds { .. } | Op::Check { .. } => {
                self.found.may_end_early |= is_early;
                state
            }
            Op::Return | Op::Panic { .. } => {
                self.found.may_end_early |= is_early;
                State::Unreachable
            }
            Op::If { then, other, .. } => {
                self.run_body(then, state).min(self.run_body(other, state))
            }
            Op::For { body, .. } => {
                self.run_breakable(id, body, state);
                state
            }
            Op::Loop { body } => self.run_breakable(id, body, state).1,
            Op::Block { body } => {
                let (end, left) = self.run_breakable(id, body, state);
                end.min(left)
            }
            Op::Break(target) => {
                let mut left = self.breaks.iter_mut().rev();
                if let Some((_, left)) = left.find(|(id, _)| id == target) {
                    *left = state.min(*left);
                }
                State::Unreachable
            }
            Op::Continue(_) => State::Unreachable,
            _ => state,
        }
    }

    /// Returns the states at the end of the body of `id` and at the breaks out of it.
    fn run_breakable(&mut self, id: InstId, body: &Body, state: State) -> (State, State) {
        self.breaks.push((id, State::Unreachable));
        let end = self.run_body(body, state);
        let left = self.breaks.pop().map_or(State::Unreachable, |(_, left)| left);
        (end, left)
    }
}

/// Returns true for accesses to memory that other grids write, or may find in a cache later. A
/// prefetch to the cache of the device, which all grids share, is none. Nor is a failed check: its
/// record is the launch's own.
fn reaches_other_grids(kernel: &Kernel, op: &Op) -> bool {
    let is_global = |ptr: InstId| kernel.insts[ptr].ty == Ty::Ptr(Space::Global);
    match op {
        Op::Load { ptr, .. }
        | Op::Store { ptr, .. }
        | Op::AtomicLoad { ptr, .. }
        | Op::AtomicStore { ptr, .. }
        | Op::Atomic { ptr, .. }
        | Op::CompareExchange { ptr, .. } => is_global(*ptr),
        Op::Prefetch { level, .. } => match level {
            CacheLevel::L1 => true,
            CacheLevel::L2 => false,
        },
        Op::Copy(
            CopyOp::AsyncCopy { .. }
            | CopyOp::BulkCopy { .. }
            | CopyOp::TensorCopy { .. }
            | CopyOp::TensorStore { .. }
            | CopyOp::BulkStore { .. },
        )
        | Op::Texture { .. }
        | Op::Sync(SyncOp::SyncGrid)
        | Op::Ptx { is_pure: false, .. }
        | Op::Print { .. } => true,
        Op::Const(_)
        | Op::Generic(_)
        | Op::Param(_)
        | Op::Len(_)
        | Op::Shared(_)
        | Op::Array(_)
        | Op::Builtin(_)
        | Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Ternary { .. }
        | Op::Compare { .. }
        | Op::Cast { .. }
        | Op::Bitcast { .. }
        | Op::Select { .. }
        | Op::Fma { .. }
        | Op::MulAdd { .. }
        | Op::Index { .. }
        | Op::Offset { .. }
        | Op::MapShared { .. }
        | Op::Bounds { .. }
        | Op::Check { .. }
        | Op::Get(_)
        | Op::Set { .. }
        | Op::Copy(_)
        | Op::Sync(_)
        | Op::Warp(_)
        | Op::Matrix(_)
        | Op::Ptx { is_pure: true, .. }
        | Op::PtxOutput { .. }
        | Op::Interpreted
        | Op::If { .. }
        | Op::For { .. }
        | Op::Loop { .. }
        | Op::Block { .. }
        | Op::Break(_)
        | Op::Continue(_)
        | Op::Return
        | Op::Panic { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id as _;

    /// Returns the numbers of the early accesses, and true if a thread may end early.
    fn analysis(body: &str) -> (Vec<usize>, bool) {
        let text = format!(
            "kernel k {{ dependent_launch param arg0 = x: read [f32]
             shared @0 = s: [f32; 4]
             %0 = param arg0 : ptr global
             %1 = const true : bool
             %2 = shared @0 : ptr shared
             {body} }}"
        );
        let kernel: Kernel = text.parse().unwrap();
        let found = analyze(&kernel);
        (found.early_accesses.iter().map(|id| id.index()).collect(), found.may_end_early)
    }

    #[test]
    fn accesses_of_other_memory_need_no_wait() {
        assert_eq!(analysis("%3 = load %2 : f32"), (vec![], true));
        assert_eq!(analysis("%3 = prefetch.l2 %0"), (vec![], true));
        assert_eq!(analysis("%3 = prefetch.l1 %0"), (vec![3], true));
        assert_eq!(analysis("%3 = load %0 : f32"), (vec![3], true));
        let ptx = "%3 = ptx \"nanosleep.u32 100;\", (), (), sm_75, ptx63";
        assert_eq!(analysis(ptx), (vec![3], true));
        assert_eq!(analysis("%3 = wait_for_dependencies %4 = load %0 : f32"), (vec![], false));
    }

    #[test]
    fn a_wait_on_one_path_is_none() {
        let one = "%3 = if %1 { %4 = wait_for_dependencies } %5 = load %0 : f32";
        assert_eq!(analysis(one), (vec![5], true));
        let both = "%3 = if %1 { %4 = wait_for_dependencies } else { %5 = wait_for_dependencies }
                    %6 = load %0 : f32";
        assert_eq!(analysis(both), (vec![], false));
        let other_returns =
            "%3 = if %1 { %4 = wait_for_dependencies } else { %5 = return } %6 = load %0 : f32";
        assert_eq!(analysis(other_returns), (vec![], true));
        let left = "%3 = block { %4 = if %1 { %5 = break %3 } %6 = wait_for_dependencies }
                    %7 = load %0 : f32";
        assert_eq!(analysis(left), (vec![7], true));
    }

    #[test]
    fn a_loop_may_have_no_iteration() {
        let counted = "%3 = const 0 : u32 %4 = const 1 : u32
                       %5 = for %3, %3, step %4 : u32 { %6 = wait_for_dependencies %7 = load %0 : f32 }
                       %8 = load %0 : f32";
        assert_eq!(analysis(counted), (vec![8], true));
        let endless = "%3 = loop { %4 = if %1 { %5 = wait_for_dependencies %6 = break %3 }
                                   %7 = load %2 : f32 }
                       %8 = load %0 : f32";
        assert_eq!(analysis(endless), (vec![], false));
        let early = "%3 = loop { %4 = load %0 : f32 %5 = wait_for_dependencies
                                 %6 = if %1 { %7 = break %3 } }
                     %8 = load %0 : f32";
        assert_eq!(analysis(early), (vec![4], false));
    }

    #[test]
    fn a_check_may_end_a_thread() {
        let check = "%3 = check %1, divide_by_zero %4 = wait_for_dependencies";
        assert_eq!(analysis(check), (vec![], true));
        let later = "%3 = wait_for_dependencies %4 = check %1, divide_by_zero";
        assert_eq!(analysis(later), (vec![], false));
    }
}
