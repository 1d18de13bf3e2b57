//! Control flow of kernels that may race: branches, loops of known and unknown length, and their
//! exits.
use super::{BOOL, Racy, U64};
use warpwise_compiler::{
    id::Id,
    ir::{Axis, BinaryOp, Body, Builtin, CompareOp, InstId, Local, LocalId, Op, Span, Ty},
};

impl Racy {
    /// Emits a few statements, in which control is uniform if it is now and `uniform` is true.
    fn inner(&mut self, uniform: bool) {
        let (visible, outer) = (self.indices.len(), self.uniform);
        self.uniform &= uniform;
        for _ in 0..1 + self.draw.below(4) {
            if self.budget > 0 {
                self.statement();
            }
        }
        self.indices.truncate(visible);
        self.uniform = outer && !self.returned;
    }

    pub(super) fn branch(&mut self) {
        let (cond, uniform) = self.condition();
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.build.begin(op, Ty::Unit);
        self.inner(uniform);
        self.build.otherwise();
        if self.draw.chance(40) {
            self.inner(uniform);
        }
        self.build.end();
    }

    /// Emits a `return` or `break` of the threads for which a condition holds; unless these are all
    /// threads, not from a loop that may contain a barrier.
    pub(super) fn leave(&mut self) {
        let (cond, agreed) = self.condition();
        let together = agreed && self.uniform;
        let target = self.loops.last().copied().filter(|_| self.draw.chance(70));
        let mut left = target.iter().chain(self.loops.iter().filter(|_| target.is_none()));
        if !together && left.any(|(_, uniform)| *uniform) {
            return;
        }
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.build.begin(op, Ty::Unit);
        let leaves = target.map_or(Op::Return, |(target, _)| Op::Break(target));
        self.build.inst(leaves, Ty::Unit);
        self.build.end();
        if target.is_none() && !together {
            self.returned = true;
            self.uniform = false;
        }
    }

    /// Emits a `for` of a known or unknown number of iterations.
    pub(super) fn counted(&mut self) {
        let start = if self.draw.chance(60) { (self.constant(0), true) } else { self.source() };
        let few = self.constant(3);
        let start = (self.binary(BinaryOp::And, start.0, few), start.1);
        let end = if self.draw.chance(50) {
            let bits = u64::from(1 + self.draw.below(5));
            (self.constant(bits), true)
        } else {
            let (number, uniform) = self.source();
            let seven = self.constant(7);
            (self.binary(BinaryOp::And, number, seven), uniform)
        };
        let step = u64::from(1 + self.draw.below(2));
        let step = self.constant(step);
        let uniform = start.1 && end.1;
        let op =
            Op::For { start: start.0, end: end.0, step, inclusive: false, body: Body::default() };
        let id = self.build.begin(op, U64);
        self.iterate(id, (id, uniform), uniform);
        self.build.end();
    }

    /// Emits the body of a loop, with an index that the loop advances.
    fn iterate(&mut self, id: InstId, index: (InstId, bool), uniform: bool) {
        let visible = self.indices.len();
        self.indices.push(index);
        self.loops.push((id, uniform && self.uniform));
        self.inner(uniform);
        self.loops.pop();
        self.indices.truncate(visible);
    }

    /// Emits a `while` that advances a variable, from anywhere, by typical steps, up to an unknown
    /// bound. Another variable may advance with it.
    pub(super) fn moved(&mut self) {
        let first = self.source();
        let (bound, agreed) = self.number();
        let step = match self.draw.below(4) {
            0 => {
                let dim = self.emit(Op::Builtin(Builtin::BlockDim(Axis::X)), U64);
                self.asks(Axis::X);
                let blocks = self.emit(Op::Builtin(Builtin::GridDim(Axis::X)), U64);
                self.binary(BinaryOp::Mul, dim, blocks)
            }
            1 => self.emit(Op::Builtin(Builtin::BlockDim(Axis::X)), U64),
            _ => {
                let bits = self.draw.one_of(&[24, 32, 64, 100, 512]);
                self.constant(bits)
            }
        };
        let [counter, other] = [0, 1].map(|_| {
            let local = LocalId::new(self.build.kernel.locals.len());
            let span = Span::new(0);
            self.build.kernel.locals.push(Local { name: "i".into(), ty: U64.into(), span });
            local
        });
        self.emit(Op::Set { local: counter, value: first.0 }, Ty::Unit);
        let (value, _) = self.source();
        self.emit(Op::Set { local: other, value }, Ty::Unit);
        let uniform = first.1 && agreed;
        let id = self.build.begin(Op::Loop { body: Body::default() }, Ty::Unit);
        let now = self.emit(Op::Get(counter), U64);
        let cond = self.emit(Op::Compare { op: CompareOp::Lt, lhs: now, rhs: bound }, BOOL);
        self.build.begin(Op::If { cond, then: Body::default(), other: Body::default() }, Ty::Unit);
        let next = self.binary(BinaryOp::Add, now, step);
        self.emit(Op::Set { local: counter, value: next }, Ty::Unit);
        let also = self.emit(Op::Get(other), U64);
        let by = self.draw.one_of(&[1, 4, 32, 64, 96]);
        let by = self.constant(by);
        let then = self.binary(BinaryOp::Add, also, by);
        self.emit(Op::Set { local: other, value: then }, Ty::Unit);
        self.indices.push((also, false));
        self.iterate(id, (now, uniform), uniform);
        self.indices.pop();
        self.build.otherwise();
        self.emit(Op::Break(id), Ty::Unit);
        self.build.end();
        self.build.end();
    }
}
