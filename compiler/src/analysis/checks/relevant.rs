//! The integers of a kernel that proofs of its checks can need.
//!
//! Long computations on data, such as those of mathematical functions, are no part of an index, and a fact about them
//! proves nothing. Values are connected if one is computed from the other, by way of locals too; what a launch passes is
//! one value here, since requirements relate it. What is connected neither with that nor with an operand of a check is left out.
//! Constants connect nothing, and neither does what memory or another thread brings, with its address.
use crate::{
    id::{Facts, Id as _},
    ir::{Body, InstId, Kernel, Op, Ty},
};

/// Sets of values, each with the number of another value in it, or its own.
struct Connected(Vec<usize>);

impl Connected {
    /// The number that stands for the set of `of`.
    fn find(&mut self, mut of: usize) -> usize {
        while self.0[of] != of {
            self.0[of] = self.0[self.0[of]];
            of = self.0[of];
        }
        of
    }

    fn connect(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a] = b;
    }
}

/// The connections of a kernel's values: first those of instructions, then those of locals, then the one for the launch.
struct Values<'k> {
    kernel: &'k Kernel,
    connected: Connected,
    locals: usize,
    launch: usize,
}

/// Returns true for each integer and `bool` that proofs can need.
pub(super) fn relevant(kernel: &Kernel) -> Facts<InstId, bool> {
    let locals = kernel.insts.ids().count();
    let launch = locals + kernel.locals.ids().count();
    let connected = Connected((0..=launch).collect());
    let mut values = Values { kernel, connected, locals, launch };
    for id in kernel.insts.ids() {
        values.connect(id);
    }
    let of_launch = values.connected.find(launch);
    let mut relevant = kernel.insts.facts(false);
    for id in kernel.insts.ids() {
        let is_constant = matches!(kernel.insts[id].op, Op::Const(_));
        relevant[id] = is_constant || values.connected.find(id.index()) == of_launch;
    }
    relevant
}

impl Values<'_> {
    fn connect(&mut self, id: InstId) {
        let kernel = self.kernel;
        match &kernel.insts[id].op {
            Op::Generic(_) | Op::Param(_) | Op::Len(_) | Op::Builtin(_) => self.needs(id),
            Op::Get(local) => self.connected.connect(id.index(), self.locals + local.index()),
            Op::Set { local, value } => {
                self.connected.connect(value.index(), self.locals + local.index());
            }
            Op::Bounds { .. } | Op::Check { .. } => {
                kernel.insts[id].op.operands().for_each(|operand| self.needs(operand));
                self.needs(id);
            }
            // A condition that decides about a panic is a check.
            Op::If { cond, then, other } => {
                let panics = |body: &Body| {
                    body.0.iter().any(|&id| matches!(kernel.insts[id].op, Op::Panic { .. }))
                };
                if panics(then) || panics(other) {
                    self.needs(*cond);
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
            | Op::Print { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Panic { .. } => {}
        }
    }

    /// Connects a value with what a launch passes: a proof may need it.
    fn needs(&mut self, id: InstId) {
        self.connected.connect(id.index(), self.launch);
    }

    /// True for integers and `bool`s.
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
        let relevant = relevant(&kernel);
        let left_out: Vec<usize> = kernel
            .insts
            .ids()
            .filter(|&id| matches!(kernel.insts[id].ty, Ty::Scalar(Scalar::U64)) && !relevant[id])
            .map(|id| id.index())
            .collect();
        assert_eq!(left_out, [12, 13]);
    }
}
