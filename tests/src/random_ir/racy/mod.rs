//! Kernels whose threads access the same memory, ordered or not.
//!
//! They access shared arrays and buffers, plainly and atomically, at typical indices: of the
//! thread, of the block, of the row and column in a picture of unknown width, of loops, of
//! variables that loops of unknown length advance, and of data. In between are barriers and
//! synchronizations of warps where control permits them, guards, and returns. The results have no
//! purpose, and most kernels race, so they are for the [oracle](crate::oracle) only.
//! compute means nothing, and most of them race, so they are for the [oracle](crate::oracle) alone.
mod control;

use super::{ArgData, Draw, LaunchShape, RandomKernel};
use warpwise_compiler::{
    id::Id,
    ir::{
        Access, AtomicOp, Axis, BinaryOp, Body, Builder, Builtin, CompareOp, Extent, InstId,
        Length, Local, LocalId, Op, Order, Param, ParamId, ParamKind, Scalar, Scope, Shared,
        SharedId, Space, Span, SyncOp, Ty,
    },
};

const U64: Scalar = Scalar::U64;
const U32: Scalar = Scalar::U32;
const BOOL: Scalar = Scalar::Bool;
const BLOCKS: [[u32; 3]; 6] =
    [[64, 1, 1], [40, 1, 1], [8, 8, 1], [16, 4, 1], [32, 2, 1], [96, 1, 1]];
/// The lengths of each written buffer, and of each shared array.
const LENGTHS: [usize; 2] = [1 << 12, 256];
/// The number of buffers: written, written, atomic, read. The numbers follow them.
const BUFFERS: usize = 4;
const NUMBERS: usize = 3;
const LOCALS: usize = 2;

/// Returns the kernel of a seed for its launch number `run`, always the same one. Launches differ
/// in grid and data.
pub fn racy_kernel(seed: u64, run: u64) -> RandomKernel {
    let mut draw = Draw::new(seed);
    let mut build = Builder::new("racy");
    let block = draw.one_of(&BLOCKS);
    build.kernel.block = Some(block.map(|dim| Extent::Const(u64::from(dim))));
    declare(&mut build);
    let (uniform, budget) = (true, 6 + draw.below(10));
    let mut racy = Racy {
        draw,
        build,
        indices: Vec::new(),
        loops: Vec::new(),
        asked: [false; 2],
        uniform,
        returned: false,
        budget,
    };
    racy.start();
    while racy.budget > 0 {
        racy.statement();
    }
    let asked = racy.asked;
    let kernel = racy.build.finish();
    let mut draw = Draw::new(seed ^ (run + 1).wrapping_mul(0x9e37_79b9));
    let grid = [if asked[0] { 3 } else { 1 }, if asked[1] { 2 } else { 1 }, 1];
    let shape = LaunchShape { grid, block };
    let args = arguments(&mut draw, run == 0);
    RandomKernel { open: kernel.clone(), bindings: Vec::new(), kernel, shape, args }
}

fn declare(build: &mut Builder) {
    let span = Span::new(0);
    let buffers = [Access::Write, Access::Write, Access::Atomic, Access::Read];
    for (access, name) in buffers.into_iter().zip(["y", "z", "c", "x"]) {
        let kind = ParamKind::Slice { elem: U32.into(), access };
        build.kernel.params.push(Param { name: name.into(), kind, span });
    }
    for name in ["n", "w", "k"] {
        let kind = ParamKind::Scalar(if name == "w" { U32 } else { U64 });
        build.kernel.params.push(Param { name: name.into(), kind, span });
    }
    for name in ["tile", "sums"] {
        let len = Length::Fixed(Extent::Const(LENGTHS[1] as u64));
        build.kernel.shared.push(Shared {
            name: name.into(),
            elem: U32.into(),
            len,
            arrivals: None,
            span,
        });
    }
    for _ in 0..LOCALS {
        build.kernel.locals.push(Local { name: "v".into(), ty: U64.into(), span });
    }
}

/// Returns buffers of small numbers; `n` is more than all threads in the first launch, and few or
/// none in others.
fn arguments(draw: &mut Draw, is_large: bool) -> Vec<ArgData> {
    let mut args = Vec::new();
    for access in [Access::Write, Access::Write, Access::Atomic, Access::Read] {
        let most = draw.one_of(&[1, 2, 5, 100, 300]);
        let bytes = (0..LENGTHS[0]).flat_map(|_| draw.below(most).to_le_bytes()).collect();
        args.push(ArgData::Slice { elem: U32, access, bytes });
    }
    let numbers = [
        if is_large { 4000 } else { draw.one_of(&[0, 1, 7, 33, 64, 100, 191, 4000]) },
        draw.one_of(&[0, 1, 3, 8, 16, 24, 32, 40, 100]),
        draw.one_of(&[0, 1, 2, 3, 5, 8]),
    ];
    for (bits, ty) in numbers.into_iter().zip([U64, U32, U64]) {
        args.push(ArgData::Scalar { ty, bits });
    }
    args
}

struct Racy {
    draw: Draw,
    build: Builder,
    /// Visible indices, each with true if it is the same in the whole block.
    indices: Vec<(InstId, bool)>,
    /// The enclosing loops, each with true if control is uniform in it.
    loops: Vec<(InstId, bool)>,
    /// True for x and y if the kernel reads the block's index or the global index along this axis.
    asked: [bool; 2],
    /// True if all threads of the block are active here.
    uniform: bool,
    /// True if some threads may have ended, and others not.
    returned: bool,
    budget: u32,
}

impl Racy {
    fn emit(&mut self, op: Op, ty: impl Into<Ty>) -> InstId {
        self.build.inst(op, ty)
    }

    fn constant(&mut self, bits: u64) -> InstId {
        self.emit(Op::Const(bits), U64)
    }

    fn binary(&mut self, op: BinaryOp, lhs: InstId, rhs: InstId) -> InstId {
        self.emit(Op::Binary { op, lhs, rhs }, U64)
    }

    fn start(&mut self) {
        for local in 0..LOCALS {
            let (value, _) = self.source();
            self.emit(Op::Set { local: LocalId::new(local), value }, Ty::Unit);
        }
    }

    fn axis(&mut self) -> Axis {
        self.draw.one_of(&[Axis::X, Axis::X, Axis::X, Axis::Y])
    }

    fn asks(&mut self, axis: Axis) {
        match axis {
            Axis::X => self.asked[0] = true,
            Axis::Y => self.asked[1] = true,
            Axis::Z => {}
        }
    }

    fn number(&mut self) -> (InstId, bool) {
        let param = BUFFERS + self.draw.index(NUMBERS);
        let ty = if param == BUFFERS + 1 { U32 } else { U64 };
        let value = self.emit(Op::Param(ParamId::new(param)), ty);
        let value = if ty == U32 { self.emit(Op::Cast { value }, U64) } else { value };
        (value, true)
    }

    /// Returns an operand for indices, and whether it is uniform in the block.
    fn source(&mut self) -> (InstId, bool) {
        let axis = self.axis();
        match self.draw.below(14) {
            0..=3 => (self.emit(Op::Builtin(Builtin::ThreadIdx(axis)), U64), false),
            4..=6 => {
                self.asks(axis);
                (self.emit(Op::Builtin(Builtin::GlobalIdx(axis)), U64), false)
            }
            7 => {
                self.asks(axis);
                (self.emit(Op::Builtin(Builtin::BlockIdx(axis)), U64), true)
            }
            8 => (self.emit(Op::Builtin(Builtin::LaneId), U64), false),
            9 => (self.emit(Op::Builtin(Builtin::WarpId), U64), false),
            10 => self.number(),
            11 => {
                let local = LocalId::new(self.draw.index(LOCALS));
                (self.emit(Op::Get(local), U64), false)
            }
            _ => {
                let bits = self.draw.one_of(&[0, 1, 2, 3, 5, 31, 32, 63, 64, 100, 192]);
                (self.constant(bits), true)
            }
        }
    }

    /// Returns an index, and whether it is uniform in the block.
    fn index(&mut self) -> (InstId, bool) {
        if !self.indices.is_empty() && self.draw.chance(40) {
            let known = self.draw.one_of(&self.indices);
            if self.draw.chance(50) {
                return known;
            }
        }
        let (first, uniform) = self.source();
        let found = match self.draw.below(12) {
            0..=3 => (first, uniform),
            4 | 5 => self.picture(),
            6 => {
                let (load, uniform) = self.data(first, uniform);
                (self.emit(Op::Cast { value: load }, U64), uniform)
            }
            7 => {
                let op =
                    self.draw.one_of(&[BinaryOp::Div, BinaryOp::Rem, BinaryOp::And, BinaryOp::Xor]);
                let bits = self.draw.one_of(&[1, 2, 3, 4, 8, 31, 32, 33, 63, 64]);
                let by = self.constant(bits);
                (self.binary(op, first, by), uniform)
            }
            _ => {
                let (other, also) = self.some();
                let op = self.draw.one_of(&[
                    BinaryOp::Add,
                    BinaryOp::Add,
                    BinaryOp::Add,
                    BinaryOp::Mul,
                    BinaryOp::Sub,
                ]);
                (self.binary(op, first, other), uniform && also)
            }
        };
        self.indices.push(found);
        found
    }

    fn some(&mut self) -> (InstId, bool) {
        if self.indices.is_empty() || self.draw.chance(60) {
            return self.source();
        }
        self.draw.one_of(&self.indices)
    }

    /// Returns a row times a width plus a column, and whether it is uniform in the block.
    fn picture(&mut self) -> (InstId, bool) {
        let [column, row] = self.pixel();
        let (width, _) = self.number();
        let first = self.binary(BinaryOp::Mul, row, width);
        self.indices.push((column, false));
        (self.binary(BinaryOp::Add, first, column), false)
    }

    /// Returns a column and a row.
    fn pixel(&mut self) -> [InstId; 2] {
        [Axis::X, Axis::Y].map(|axis| {
            if self.draw.chance(60) {
                self.asks(axis);
                self.emit(Op::Builtin(Builtin::GlobalIdx(axis)), U64)
            } else {
                self.emit(Op::Builtin(Builtin::ThreadIdx(axis)), U64)
            }
        })
    }

    /// Accesses rows of a picture under a guard that mostly keeps columns inside their row.
    fn guarded_rows(&mut self) {
        let [column, row] = self.pixel();
        let param = ParamId::new(BUFFERS + 1);
        let value = self.emit(Op::Param(param), U32);
        let width = self.emit(Op::Cast { value }, U64);
        let more = self.draw.one_of(&[0, 0, 0, 1, 2]);
        let more = self.constant(more);
        let lhs = self.binary(BinaryOp::Add, column, more);
        let op = self.draw.one_of(&[CompareOp::Lt, CompareOp::Lt, CompareOp::Lt, CompareOp::Le]);
        let cond = self.emit(Op::Compare { op, lhs, rhs: width }, BOOL);
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.build.begin(op, Ty::Unit);
        let first = self.binary(BinaryOp::Mul, row, width);
        for of in [column, lhs] {
            let place = self.binary(BinaryOp::Add, first, of);
            if self.draw.chance(70) {
                self.access_at(place);
            }
        }
        self.build.end();
    }

    /// Loads from the buffer that is never written.
    fn data(&mut self, index: InstId, uniform: bool) -> (InstId, bool) {
        let ptr = self.element(ParamId::new(3), index);
        (self.emit(Op::load(ptr), U32), uniform)
    }

    fn element(&mut self, param: ParamId, index: InstId) -> InstId {
        let len = self.emit(Op::Len(param), U64);
        let index = self.emit(Op::Bounds { index, len }, U64);
        let base = self.emit(Op::Param(param), Ty::Ptr(Space::Global));
        self.emit(Op::Index { base, index, stride: 4.into() }, Ty::Ptr(Space::Global))
    }

    fn cell(&mut self, index: InstId) -> InstId {
        let len = self.constant(LENGTHS[1] as u64);
        let index =
            if self.draw.chance(40) { self.binary(BinaryOp::Rem, index, len) } else { index };
        let index = self.emit(Op::Bounds { index, len }, U64);
        let shared = SharedId::new(self.draw.index(2));
        let base = self.emit(Op::Shared(shared), Ty::Ptr(Space::Shared));
        self.emit(Op::Index { base, index, stride: 4.into() }, Ty::Ptr(Space::Shared))
    }

    fn access(&mut self) {
        let (index, _) = self.index();
        self.access_at(index);
    }

    fn access_at(&mut self, index: InstId) {
        let atomic = self.draw.chance(20);
        let shared = self.draw.chance(45);
        let ptr = if shared {
            self.cell(index)
        } else {
            let param = if atomic { 2 } else { self.draw.index(2) };
            self.element(ParamId::new(param), index)
        };
        if atomic {
            let value = self.emit(Op::Const(1), U32);
            let scope = self.draw.one_of(&[Scope::Device, Scope::Device, Scope::Block]);
            let (op, order) = (AtomicOp::Add, Order::Relaxed);
            self.emit(Op::Atomic { op, ptr, value, order, scope }, U32);
        } else if self.draw.chance(55) {
            let (value, _) = self.source();
            let value = self.emit(Op::Cast { value }, U32);
            self.emit(Op::store(ptr, value), Ty::Unit);
        } else {
            self.emit(Op::load(ptr), U32);
        }
    }

    /// Returns a condition, and whether it is uniform in the block.
    fn condition(&mut self) -> (InstId, bool) {
        let ((lhs, one), (rhs, both)) = match self.draw.below(6) {
            0..=2 => (self.some(), self.number()),
            3 => (self.source(), self.source()),
            4 => {
                let (index, uniform) = self.source();
                let (value, uniform) = self.data(index, uniform);
                let value = self.emit(Op::Cast { value }, U64);
                ((value, uniform), (self.constant(1), true))
            }
            _ => {
                let bits = self.draw.one_of(&[0, 1, 16, 32, 48, 64]);
                (self.source(), (self.constant(bits), true))
            }
        };
        use CompareOp::{Eq, Ge, Gt, Lt, Ne};
        let op = self.draw.one_of(&[Lt, Lt, Lt, Lt, Ge, Gt, Eq, Ne]);
        let cond = self.emit(Op::Compare { op, lhs, rhs }, BOOL);
        (cond, one && both)
    }

    fn statement(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        match self.draw.below(20) {
            0..=8 => self.access(),
            9..=11 if self.uniform => {
                self.emit(Op::Sync(SyncOp::Barrier { reduce: None }), Ty::Unit);
            }
            12 if self.uniform => {
                self.emit(Op::Sync(SyncOp::SyncWarp { mask: None }), Ty::Unit);
            }
            13 | 14 if self.draw.chance(25) => self.guarded_rows(),
            13 | 14 => self.branch(),
            15 => self.counted(),
            16 => self.moved(),
            17 => self.leave(),
            18 => {
                let (value, _) = self.index();
                let local = LocalId::new(self.draw.index(LOCALS));
                self.emit(Op::Set { local, value }, Ty::Unit);
            }
            _ => self.access(),
        }
    }
}
