//! Iteration over the operands and the bodies of an instruction.
use super::{Body, CopyOp, InstId, MatrixOp, Op, SyncOp, WarpOp};

/// Up to three parts of an instruction, in order, and then a list. Every stage iterates over parts,
/// and cargo builds macros without optimization, where each layer of iterators takes several times
/// as long.
struct Parts<T, L> {
    /// All parts after one that is `None` are `None`, too.
    parts: (Option<T>, Option<T>, Option<T>),
    listed: Option<L>,
}

impl<T, L: Iterator<Item = T>> Iterator for Parts<T, L> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let (first, second, third) = &mut self.parts;
        if first.is_some() {
            return first.take();
        }
        if second.is_some() {
            return second.take();
        }
        if third.is_some() {
            return third.take();
        }
        match &mut self.listed {
            Some(listed) => listed.next(),
            None => None,
        }
    }

    fn for_each<F: FnMut(T)>(self, mut visit: F) {
        let (first, second, third) = self.parts;
        if let Some(first) = first {
            visit(first);
            if let Some(second) = second {
                visit(second);
                if let Some(third) = third {
                    visit(third);
                }
            }
        }
        if let Some(listed) = self.listed {
            listed.for_each(visit);
        }
    }
}

/// The operands of a borrowed [`Op`], shared or mutable.
macro_rules! operands {
    ($op:expr, $as_borrowed:ident, $iter:ident $(, $deref:tt, $copied:ident)?) => {{
        let mut listed = None;
        let few = match $op {
            Op::Matrix(
                MatrixOp::Mma { args, .. }
                | MatrixOp::Wgmma { args, .. }
                | MatrixOp::DistributeRows { args, .. },
            )
            | Op::Texture { args, .. }
            | Op::Ptx { args, .. }
            | Op::Print { args, .. }
            | Op::Panic { args, .. } => {
                listed = Some(args.$iter()$(.$copied())?);
                (None, None, None)
            }
            Op::Copy(CopyOp::TensorCopy { to, at, barrier, blocks, .. }) => {
                listed = Some(at.$iter()$(.$copied())?);
                (Some($($deref)? to), Some($($deref)? barrier), blocks.$as_borrowed()$(.$copied())?)
            }
            Op::Copy(CopyOp::TensorStore { from, at, .. }) => {
                listed = Some(at.$iter()$(.$copied())?);
                (Some($($deref)? from), None, None)
            }
            Op::Const(_)
            | Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Builtin(_)
            | Op::Warp(WarpOp::ActiveMask)
            | Op::Interpreted
            | Op::Get(_)
            | Op::Copy(
                CopyOp::AsyncCommit
                | CopyOp::AsyncWait { .. }
                | CopyOp::BulkCommit
                | CopyOp::BulkWait { .. },
            )
            | Op::Sync(
                SyncOp::SyncGrid
                | SyncOp::SyncCluster
                | SyncOp::NamedBarrier { .. }
                | SyncOp::Fence { .. }
                | SyncOp::ProxyFence
                | SyncOp::GridDependency(_),
            )
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return => (None, None, None),
            Op::Unary { value, .. }
            | Op::Cast { value }
            | Op::Bitcast { value }
            | Op::Set { value, .. } => (Some($($deref)? value), None, None),
            Op::Load { ptr, .. } | Op::Prefetch { ptr, .. } | Op::AtomicLoad { ptr, .. } => (Some($($deref)? ptr), None, None),
            Op::Offset { base, .. } => (Some($($deref)? base), None, None),
            Op::PtxOutput { of, .. } => (Some($($deref)? of), None, None),
            Op::Matrix(MatrixOp::WgmmaWait { sums, .. }) => (Some($($deref)? sums), None, None),
            Op::Sync(SyncOp::MBarrierArrive { barrier, bytes }) => {
                (Some($($deref)? barrier), bytes.$as_borrowed()$(.$copied())?, None)
            }
            Op::Sync(SyncOp::MBarrierWait { barrier, phase }) => {
                (Some($($deref)? barrier), Some($($deref)? phase), None)
            }
            Op::Check { cond, .. } | Op::If { cond, .. } => (Some($($deref)? cond), None, None),
            Op::Binary { lhs, rhs, .. } | Op::Compare { lhs, rhs, .. } => {
                (Some($($deref)? lhs), Some($($deref)? rhs), None)
            }
            Op::Select { cond, then, other } => (Some($($deref)? cond), Some($($deref)? then), Some($($deref)? other)),
            Op::Ternary { a, b, c, .. } | Op::Fma { a, b, c } | Op::MulAdd { a, b, c, .. } => (Some($($deref)? a), Some($($deref)? b), Some($($deref)? c)),
            Op::MapShared { ptr, rank } => (Some($($deref)? ptr), Some($($deref)? rank), None),
            Op::Index { base, index, .. } => (Some($($deref)? base), Some($($deref)? index), None),
            Op::Bounds { index, len } => (Some($($deref)? index), Some($($deref)? len), None),
            Op::Store { ptr, value, .. }
            | Op::AtomicStore { ptr, value, .. }
            | Op::Atomic { ptr, value, .. } => (Some($($deref)? ptr), Some($($deref)? value), None),
            Op::CompareExchange { ptr, expected, value, .. } => {
                (Some($($deref)? ptr), Some($($deref)? expected), Some($($deref)? value))
            }
            Op::Copy(CopyOp::BulkCopy { to, from, barrier, .. }) => {
                (Some($($deref)? to), Some($($deref)? from), Some($($deref)? barrier))
            }
            Op::Copy(CopyOp::AsyncCopy { to, from, .. } | CopyOp::BulkStore { to, from, .. }) => {
                (Some($($deref)? to), Some($($deref)? from), None)
            }
            Op::Sync(SyncOp::Barrier { reduce }) => {
                (reduce.$as_borrowed()$(.$copied())?.map(|(_, value)| value), None, None)
            }
            Op::Sync(SyncOp::SyncWarp { mask }) => (mask.$as_borrowed()$(.$copied())?, None, None),
            Op::Warp(WarpOp::Shuffle { value, lane, mask, .. }) => {
                (Some($($deref)? value), Some($($deref)? lane), mask.$as_borrowed()$(.$copied())?)
            }
            Op::Warp(
                WarpOp::Vote { value, mask, .. }
                | WarpOp::Match { value, mask, .. }
                | WarpOp::Reduce { value, mask, .. },
            ) => (Some($($deref)? value), mask.$as_borrowed()$(.$copied())?, None),
            Op::For { start, end, step, .. } => (Some($($deref)? start), Some($($deref)? end), Some($($deref)? step)),
        };
        Parts { parts: few, listed }
    }};
}
/// Selects by the bodies of an [`Op`]: two, one, or none.
macro_rules! by_bodies {
    ($op:expr, ($then:pat, $other:pat) => $two:expr, $body:pat => $one:expr, () => $none:expr) => {
        match $op {
            Op::If { then: $then, other: $other, .. } => $two,
            Op::For { body: $body, .. } | Op::Loop { body: $body } | Op::Block { body: $body } => {
                $one
            }
            Op::Const(_)
            | Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Builtin(_)
            | Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Select { .. }
            | Op::Ternary { .. }
            | Op::Fma { .. }
            | Op::MulAdd { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::MapShared { .. }
            | Op::Bounds { .. }
            | Op::Check { .. }
            | Op::Get(_)
            | Op::Set { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Prefetch { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Copy(_)
            | Op::Sync(_)
            | Op::Matrix(_)
            | Op::Warp(_)
            | Op::Texture { .. }
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => $none,
        }
    };
}

/// The bodies of a borrowed [`Op`], shared or mutable.
macro_rules! bodies {
    ($op:expr) => {
        by_bodies!(
            $op,
            (then, other) => (Some(then), Some(other), None),
            body => (Some(body), None, None),
            () => (None, None, None)
        )
    };
}

impl Op {
    /// Returns the operands, in order. The targets of `break` and `continue` are no operands.
    pub fn operands(&self) -> impl Iterator<Item = InstId> {
        operands!(self, as_ref, iter, *, copied)
    }

    /// Returns the operands, in order, to replace.
    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut InstId> {
        operands!(self, as_mut, iter_mut)
    }

    /// Returns the bodies of the instruction, in order.
    #[inline]
    pub fn bodies(&self) -> impl Iterator<Item = &Body> {
        Parts { parts: bodies!(self), listed: None::<std::iter::Empty<_>> }
    }

    /// Returns true if the instruction has no bodies. Most have none, and callers skip the iterator
    /// then.
    #[inline(always)]
    pub fn is_leaf(&self) -> bool {
        by_bodies!(self, (_, _) => false, _ => false, () => true)
    }

    /// Returns the bodies of the instruction, in order, to edit.
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Body> {
        Parts { parts: bodies!(self), listed: None::<std::iter::Empty<_>> }
    }
}
