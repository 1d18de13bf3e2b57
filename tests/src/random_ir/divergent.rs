//! Kernels in which threads diverge in every possible way.
//!
//! Nested `if`, `for`, `loop` and `block` on conditions that differ between threads or do not;
//! `break`, `continue` and `return` from anywhere to anywhere; a few locals set and read in
//! between. Nothing is unspecified: no memory is written, and the only collectives are votes and
//! barriers, which are defined everywhere in lock step. So the kernels are for the
//! [oracle](crate::oracle) only.
use super::{ArgData, Draw, LaunchShape, RandomKernel};
use warpwise_compiler::{
    id::Id,
    ir::{
        Access, Axis, BarrierOp, BinaryOp, Body, Builder, Builtin, CompareOp, Extent, InstId,
        LaneMask, Local, LocalId, Op, Param, ParamId, ParamKind, Scalar, ShuffleOp, Space, Span,
        SyncOp, Ty, VoteOp, WarpOp,
    },
};

const U32: Scalar = Scalar::U32;
const LOCALS: usize = 4;

/// Returns the divergent kernel of a seed, always the same one.
pub fn divergent_kernel(seed: u64) -> RandomKernel {
    let mut draw = Draw::new(seed);
    let block = draw.one_of(&[[64, 1, 1], [40, 1, 1], [32, 2, 1], [4, 16, 1], [1, 32, 2]]);
    let mut build = Builder::new("divergent");
    if draw.chance(50) {
        build.kernel.block = Some(block.map(|dim| Extent::Const(u64::from(dim))));
    }
    let span = Span::new(0);
    let slice = ParamKind::Slice { elem: U32.into(), access: Access::Read };
    build.kernel.params.push(Param { name: "x".into(), kind: slice, span });
    build.kernel.params.push(Param { name: "n".into(), kind: ParamKind::Scalar(U32), span });
    let bytes = (0..8_u32).flat_map(|_| draw.below(4).to_le_bytes()).collect();
    let args = vec![
        ArgData::Slice { elem: U32, access: Access::Read, bytes },
        ArgData::Scalar { ty: U32, bits: u64::from(draw.below(4)) },
    ];
    let mut generator = Divergent { draw, build, enclosing: Vec::new(), budget: 50 };
    for local in 0..LOCALS {
        generator.build.kernel.locals.push(Local { name: "v".into(), ty: U32.into(), span });
        let value = generator.source();
        generator.emit(Op::Set { local: LocalId::new(local), value }, Ty::Unit);
    }
    while generator.budget > 0 {
        generator.statement();
    }
    let kernel = generator.build.finish();
    let shape = LaunchShape { grid: [2, 1, 1], block };
    RandomKernel { open: kernel.clone(), bindings: Vec::new(), kernel, shape, args }
}

struct Divergent {
    draw: Draw,
    build: Builder,
    /// Targets of `break`, and for each whether it is also one of `continue`.
    enclosing: Vec<(InstId, bool)>,
    budget: u32,
}

impl Divergent {
    fn emit(&mut self, op: Op, ty: impl Into<Ty>) -> InstId {
        self.build.inst(op, ty)
    }

    fn constant(&mut self, bits: u64) -> InstId {
        self.emit(Op::Const(bits), U32)
    }

    fn binary(&mut self, op: BinaryOp, lhs: InstId, rhs: InstId) -> InstId {
        self.emit(Op::Binary { op, lhs, rhs }, U32)
    }

    /// Emits an initial value: uniform or not, or uniform in one kind of group.
    fn source(&mut self) -> InstId {
        let axis = self.draw.one_of(&[Axis::X, Axis::Y, Axis::Z]);
        let op = match self.draw.below(12) {
            0 | 1 => Op::Builtin(Builtin::ThreadIdx(axis)),
            2 => Op::Builtin(Builtin::GlobalIdx(axis)),
            3 => Op::Builtin(Builtin::BlockIdx(axis)),
            4 => Op::Builtin(Builtin::WarpId),
            5 => Op::Builtin(self.draw.one_of(&[
                Builtin::LaneId,
                Builtin::LaneId,
                Builtin::LaneMask(LaneMask::Lt),
                Builtin::LaneMask(LaneMask::Gt),
            ])),
            6 | 7 => Op::Param(ParamId::new(1)),
            8 | 9 => Op::Get(LocalId::new(self.draw.index(LOCALS))),
            _ => Op::Const(u64::from(self.draw.below(4))),
        };
        self.emit(op, U32)
    }

    /// Emits a value, mostly one between 0 and 7.
    fn value(&mut self) -> InstId {
        let [lhs, rhs] = [self.source(), self.source()];
        let op = self.draw.one_of(&[BinaryOp::Add, BinaryOp::Xor, BinaryOp::And, BinaryOp::Mul]);
        let sum = self.binary(op, lhs, rhs);
        let seven = self.constant(7);
        let value = self.binary(BinaryOp::And, sum, seven);
        match self.draw.below(6) {
            0 => self.load(value),
            1 => self.meet(value),
            _ => value,
        }
    }

    fn load(&mut self, index: InstId) -> InstId {
        let global = Ty::Ptr(Space::Global);
        let base = self.emit(Op::Param(ParamId::new(0)), global);
        let ptr = self.emit(Op::Index { base, index, stride: Extent::Const(4) }, global);
        self.emit(Op::load(ptr), U32)
    }

    fn condition(&mut self) -> InstId {
        let [lhs, rhs] = [self.source(), self.source()];
        let op = self.draw.one_of(CompareOp::ALL);
        self.emit(Op::Compare { op, lhs, rhs }, Scalar::Bool)
    }

    /// Emits a collective that the active threads compute together.
    fn meet(&mut self, value: InstId) -> InstId {
        let bool_vote = self.draw.chance(50);
        match self.draw.below(3) {
            0 => {
                let cond = self.condition();
                let op = self.draw.one_of(&[BarrierOp::And, BarrierOp::Or]);
                let together =
                    self.emit(Op::Sync(SyncOp::Barrier { reduce: Some((op, cond)) }), Scalar::Bool);
                self.emit(Op::Cast { value: together }, U32)
            }
            1 if bool_vote => {
                let cond = self.condition();
                let op = self.draw.one_of(&[VoteOp::All, VoteOp::Any]);
                let vote =
                    self.emit(Op::Warp(WarpOp::Vote { op, value: cond, mask: None }), Scalar::Bool);
                self.emit(Op::Cast { value: vote }, U32)
            }
            1 => {
                let cond = self.condition();
                self.emit(
                    Op::Warp(WarpOp::Vote { op: VoteOp::Ballot, value: cond, mask: None }),
                    U32,
                )
            }
            _ => {
                // From the first lane of the group, of a value that every lane has.
                let lane = self.constant(0);
                let width = Extent::Const(self.draw.one_of(&[8, 32]));
                let unit = self.emit(Op::Builtin(Builtin::LaneId), U32);
                let op = ShuffleOp::Index;
                let shuffled =
                    Op::Warp(WarpOp::Shuffle { op, value: unit, lane, width, mask: None });
                let first = self.emit(shuffled, U32);
                self.binary(BinaryOp::Add, first, value)
            }
        }
    }

    /// Emits a statement, and returns true if control continues after it.
    fn statement(&mut self) -> bool {
        self.budget = self.budget.saturating_sub(1);
        match self.draw.below(16) {
            0..=4 => {
                let value = self.value();
                let local = LocalId::new(self.draw.index(LOCALS));
                self.emit(Op::Set { local, value }, Ty::Unit);
            }
            5 | 6 => {
                self.value();
            }
            7..=10 => self.branch(),
            11 | 12 => self.nested(),
            _ => return self.leave(),
        }
        true
    }

    fn statements(&mut self) {
        for _ in 0..1 + self.draw.below(4) {
            if self.budget == 0 || !self.statement() {
                return;
            }
        }
    }

    fn branch(&mut self) {
        let cond = self.condition();
        self.build.begin(Op::If { cond, then: Body::default(), other: Body::default() }, Ty::Unit);
        self.statements();
        if self.draw.chance(50) {
            self.build.otherwise();
            self.statements();
        }
        self.build.end();
    }

    /// Emits a `for` of a few iterations, a `loop` that a counter ends, or a `block`.
    fn nested(&mut self) {
        if self.enclosing.len() > 2 {
            return;
        }
        let kind = self.draw.below(3);
        let body = Body::default();
        let counter = LocalId::new(self.build.kernel.locals.len());
        let id = match kind {
            0 => {
                let [start, count] = [self.value(), self.value()];
                let two = self.constant(2);
                let few = self.binary(BinaryOp::And, count, two);
                let end = self.binary(BinaryOp::Add, start, few);
                let step = self.constant(1);
                self.build.begin(Op::For { start, end, step, inclusive: false, body }, U32)
            }
            1 => {
                self.build.kernel.locals.push(Local {
                    name: "i".into(),
                    ty: U32.into(),
                    span: Span::new(0),
                });
                let value = self.constant(0);
                self.emit(Op::Set { local: counter, value }, Ty::Unit);
                self.build.begin(Op::Loop { body }, Ty::Unit)
            }
            _ => self.build.begin(Op::Block { body }, Ty::Unit),
        };
        if kind == 1 {
            self.count(id, counter);
        }
        self.enclosing.push((id, kind < 2));
        self.statements();
        self.enclosing.pop();
        self.build.end();
    }

    /// Emits the start of a loop, which leaves it in the fourth iteration at the latest.
    fn count(&mut self, id: InstId, counter: LocalId) {
        let now = self.emit(Op::Get(counter), U32);
        let [one, three] = [self.constant(1), self.constant(3)];
        let cond = self.emit(Op::Compare { op: CompareOp::Ge, lhs: now, rhs: three }, Scalar::Bool);
        self.build.begin(Op::If { cond, then: Body::default(), other: Body::default() }, Ty::Unit);
        self.emit(Op::Break(id), Ty::Unit);
        self.build.end();
        let value = self.binary(BinaryOp::Add, now, one);
        self.emit(Op::Set { local: counter, value }, Ty::Unit);
    }

    fn leave(&mut self) -> bool {
        if self.build.depth() == 0 {
            return true;
        }
        let exit = if self.enclosing.is_empty() || self.draw.chance(15) {
            Op::Return
        } else {
            let (id, repeats) = self.draw.one_of(&self.enclosing);
            if repeats && self.draw.chance(50) { Op::Continue(id) } else { Op::Break(id) }
        };
        self.emit(exit, Ty::Unit);
        false
    }
}
