//! Relevance: the integers of a kernel that proofs of its checks can need.
//!
//! Long computations on data, such as those of mathematical functions, are no part of an index, and
//! facts about them prove nothing. Values are connected if one is computed from the
//! other, also through locals; all launch arguments count as one value here, since requirements
//! relate them. A value connected neither with that nor with an operand of a check is left out.
//! Constants connect nothing, and neither do values from memory or other threads with their
//! addresses.
use crate::{
    id::{Facts, Id as _},
    ir::{Body, InstId, Kernel, Op, Ty},
};

/// Disjoint sets of values: each value has the number of another value in its set, or its own.
struct DisjointSets(Vec<usize>);

impl DisjointSets {
    /// Returns the representative of the set of `of`.
    fn representative(&mut self, mut of: usize) -> usize {
        while self.0[of] != of {
            self.0[of] = self.0[self.0[of]];
            of = self.0[of];
        }
        of
    }

    fn connect(&mut self, a: usize, b: usize) {
        let (a, b) = (self.representative(a), self.representative(b));
        self.0[a] = b;
    }
}

/// The connections of a kernel's values: first those of instructions, then those of locals, then
/// the one for the launch.
struct ValueConnections<'k> {
    kernel: &'k Kernel,
    connected: DisjointSets,
    locals: usize,
    launch: usize,
}

/// Returns true for each integer and `bool` that proofs can need.
pub(super) fn find_relevant(kernel: &Kernel) -> Facts<InstId, bool> {
    let locals = kernel.insts.ids().count();
    let launch = locals + kernel.locals.ids().count();
    let connected = DisjointSets((0..=launch).collect());
    let mut values = ValueConnections { kernel, connected, locals, launch };
    for id in kernel.insts.ids() {
        values.connect(id);
    }
    let of_launch = values.connected.representative(launch);
    let mut relevant = kernel.insts.facts(false);
    for id in kernel.insts.ids() {
        let is_constant = matches!(kernel.insts[id].op, Op::Const(_));
        relevant[id] = is_constant || values.connected.representative(id.index()) == of_launch;
    }
    relevant
}

impl ValueConnections<'_> {
    fn connect(&mut self, id: InstId) {
        let kernel = self.kernel;
        match &kernel.insts[id].op {
            Op::Generic(_) | Op::Param(_) | Op::Len(_) | Op::Builtin(_) => self.mark_needed(id),
            Op::Get(local) => self.connected.connect(id.index(), self.locals + local.index()),
            Op::Set { local, value } => {
                self.connected.connect(value.index(), self.locals + local.index());
            }
            Op::Bounds { .. } | Op::Check { .. } => {
                kernel.insts[id].op.operands().for_each(|operand| self.mark_needed(operand));
                self.mark_needed(id);
            }
            // A condition that decides about a panic is a check.
            Op::If { cond, then, other } => {
                let panics = |body: &Body| {
                    body.0.iter().any(|&id| matches!(kernel.insts[id].op, Op::Panic { .. }))
                };
                if panics(then) || panics(other) {
                    self.mark_needed(*cond);
                }
            }
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Select { .. }
            | Op::For { .. } => {
                for operand in kernel.insts[id].op.operands() {
                    let is_constant = matches!(kernel.insts[operand].op, Op::Const(_));
                    if !is_constant && self.is_integer(operand) && self.is_integer(id) {
                        self.connected.connect(id.index(), operand.index());
                    }
                }
            }
            Op::Const(_)
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Ternary { .. }
            | Op::Fma { .. }
            | Op::MulAdd { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::MapShared { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Sync(_)
            | Op::Copy(_)
            | Op::Prefetch { .. }
            | Op::Matrix(_)
            | Op::Warp(_)
            | Op::Texture { .. }
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
            | Op::Print { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Panic { .. } => {}
        }
    }

    /// Connects a value with the launch arguments: a proof may need it.
    fn mark_needed(&mut self, id: InstId) {
        self.connected.connect(id.index(), self.launch);
    }

    /// Returns true for integers and `bool`s.
    fn is_integer(&self, id: InstId) -> bool {
        matches!(self.kernel.insts[id].ty, Ty::Scalar(scalar) if !scalar.is_float())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Scalar;

    #[test]
    fn data_that_no_index_is_made_of_is_left_out() {
        let kernel: Kernel = "kernel k {
            param arg0 = x: write [f32]
            local $0 = n: u64
            %0 = builtin global_idx.x : u64
            %1 = len arg0 : u64
            %2 = lt %0, %1 : bool
            %3 = if %2 {
              %4 = bounds %0, %1 : u64
              %5 = param arg0 : ptr global
              %6 = index %5, %4, 4 : ptr global
              %7 = load %6 : f32
              %8 = cast %7 : u64
              %9 = const 3 : u64
              %10 = rem %8, %9 : u64
              %11 = set $0, %10
              %12 = cast %7 : u64
              %13 = div %12, %9 : u64
              %14 = get $0 : u64
              %15 = bounds %14, %1 : u64
            }
        }"
        .parse()
        .unwrap();
        let relevant = find_relevant(&kernel);
        let left_out: Vec<usize> = kernel
            .insts
            .ids()
            .filter(|&id| matches!(kernel.insts[id].ty, Ty::Scalar(Scalar::U64)) && !relevant[id])
            .map(|id| id.index())
            .collect();
        assert_eq!(left_out, [12, 13]);
    }
}
