//! The operands and the bodies of an instruction, to go through.
use super::{Body, InstId, Op};

/// What there is of a few parts of an instruction, in order. Every stage goes through these, in a macro that is built
/// without optimization, where an iterator over an array takes several times as long.
struct Parts<T, const N: usize> {
    parts: [Option<T>; N],
    next: usize,
}

impl<T, const N: usize> Parts<T, N> {
    const fn of(parts: [Option<T>; N]) -> Self {
        // Where there is no first, there is none at all.
        let next = if N > 0 && parts[0].is_none() { N } else { 0 };
        Self { parts, next }
    }
}

impl<T, const N: usize> Iterator for Parts<T, N> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        while self.next < N {
            let part = self.parts[self.next].take();
            self.next += 1;
            if part.is_some() {
                return part;
            }
        }
        None
    }
}

/// The operands of a borrowed [`Op`], shared or mutable.
macro_rules! operands {
    ($op:expr, $as_borrowed:ident, $iter:ident) => {{
        let mut listed = Default::default();
        let few = match $op {
            Op::Print { args, .. } | Op::Panic { args, .. } => {
                listed = args.$iter();
                [None, None, None]
            }
            Op::Const(_)
            | Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Builtin(_)
            | Op::ActiveMask
            | Op::Get(_)
            | Op::SyncGrid
            | Op::Fence { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return => [None, None, None],
            Op::Unary { value, .. }
            | Op::Cast { value }
            | Op::Bitcast { value }
            | Op::Set { value, .. } => [Some(value), None, None],
            Op::Load { ptr } | Op::AtomicLoad { ptr, .. } => [Some(ptr), None, None],
            Op::Offset { base, .. } => [Some(base), None, None],
            Op::Check { cond, .. } | Op::If { cond, .. } => [Some(cond), None, None],
            Op::Binary { lhs, rhs, .. } | Op::Compare { lhs, rhs, .. } => {
                [Some(lhs), Some(rhs), None]
            }
            Op::Select { cond, then, other } => [Some(cond), Some(then), Some(other)],
            Op::Fma { a, b, c } | Op::MulAdd { a, b, c, .. } => [Some(a), Some(b), Some(c)],
            Op::Index { base, index, .. } => [Some(base), Some(index), None],
            Op::Bounds { index, len } => [Some(index), Some(len), None],
            Op::Store { ptr, value }
            | Op::AtomicStore { ptr, value, .. }
            | Op::Atomic { ptr, value, .. } => [Some(ptr), Some(value), None],
            Op::CompareExchange { ptr, expected, value, .. } => {
                [Some(ptr), Some(expected), Some(value)]
            }
            Op::Barrier { reduce } => [reduce.$as_borrowed().map(|(_, value)| value), None, None],
            Op::SyncWarp { mask } => [mask.$as_borrowed(), None, None],
            Op::Shuffle { value, lane, mask, .. } => [Some(value), Some(lane), mask.$as_borrowed()],
            Op::Vote { value, mask, .. }
            | Op::Match { value, mask, .. }
            | Op::Reduce { value, mask, .. } => [Some(value), mask.$as_borrowed(), None],
            Op::For { start, end, step, .. } => [Some(start), Some(end), Some(step)],
        };
        Parts::of(few).chain(listed)
    }};
}
/// The bodies of a borrowed [`Op`], shared or mutable.
macro_rules! bodies {
    ($op:expr) => {
        match $op {
            Op::If { then, other, .. } => [Some(then), Some(other)],
            Op::For { body, .. } | Op::Loop { body } | Op::Block { body } => [Some(body), None],
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
            | Op::Fma { .. }
            | Op::MulAdd { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::Bounds { .. }
            | Op::Check { .. }
            | Op::Get(_)
            | Op::Set { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Barrier { .. }
            | Op::SyncGrid
            | Op::SyncWarp { .. }
            | Op::Fence { .. }
            | Op::Shuffle { .. }
            | Op::Vote { .. }
            | Op::Match { .. }
            | Op::ActiveMask
            | Op::Reduce { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => [None, None],
        }
    };
}

impl Op {
    /// Its operands, in order. What `break` and `continue` name is no operand.
    pub fn operands(&self) -> impl Iterator<Item = InstId> {
        operands!(self, as_ref, iter).copied()
    }

    /// Its operands, in order, to replace.
    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut InstId> {
        operands!(self, as_mut, iter_mut)
    }

    /// The bodies inside it, in order.
    pub fn bodies(&self) -> impl Iterator<Item = &Body> {
        Parts::of(bodies!(self))
    }

    /// The bodies inside it, in order, to edit.
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Body> {
        Parts::of(bodies!(self))
    }
}
