//! Kernels that compute with thread indices, and store every result.
//!
//! They apply every operator on integers to thread and block indices, parameters, and the constants
//! that kernels divide, shift and mask by. They then branch on conditions on the results, and set
//! variables in the branches. All loops are counted.
use super::{ArgData, Draw, LaunchShape, RandomKernel};
use warpwise_compiler::{
    id::Id,
    ir::{
        Access, Axis, BinaryOp, Body, Builder, Builtin, CompareOp, Extent, InstId, LaneMask, Local,
        LocalId, Op, Param, ParamId, ParamKind, Scalar, Space, Span, SyncOp, Ty, UnaryOp,
    },
};

const INTEGERS: [Scalar; 4] = [Scalar::U32, Scalar::U64, Scalar::I32, Scalar::I64];
const CONSTANTS: [u64; 24] =
    [0, 1, 1, 2, 2, 3, 4, 4, 5, 7, 8, 15, 16, 31, 32, 32, 33, 63, 64, 100, 128, 255, 256, 1024];
const BLOCKS: [[u32; 3]; 9] = [
    [256, 1, 1],
    [64, 1, 1],
    [128, 1, 1],
    [16, 16, 1],
    [32, 8, 1],
    [8, 4, 4],
    [40, 1, 1],
    [33, 3, 1],
    [1, 64, 1],
];

/// Returns the kernel of a seed, always the same one. It may contain loops if `loops` is true.
pub fn index_kernel(seed: u64, loops: bool) -> RandomKernel {
    let mut draw = Draw::new(seed);
    let shape = LaunchShape { grid: [2, 2, 1], block: draw.one_of(&BLOCKS) };
    let mut build = Builder::new("indices");
    if draw.chance(70) {
        build.kernel.block = Some(shape.block.map(|dim| Extent::Const(u64::from(dim))));
    }
    let span = Span::new(0);
    let mut args = Vec::new();
    for ty in INTEGERS {
        let number = draw.one_of(&CONSTANTS);
        let bits = if draw.chance(60) { number } else { draw.value(ty) };
        build.kernel.params.push(Param { name: "n".into(), kind: ParamKind::Scalar(ty), span });
        args.push(ArgData::Scalar { ty, bits });
        for name in ["a", "b"] {
            build.kernel.locals.push(Local { name: name.into(), ty: ty.into(), span });
        }
        // Each thread overwrites the elements of the previous one, which are never read.
        let access = Access::Write;
        let kind = ParamKind::Slice { elem: ty.into(), access };
        build.kernel.params.push(Param { name: "y".into(), kind, span });
        args.push(ArgData::Slice { elem: ty, access, bytes: vec![0; 8] });
    }
    let kind = ParamKind::Slice { elem: Scalar::U32.into(), access: Access::Read };
    build.kernel.params.push(Param { name: "x".into(), kind, span });
    let bytes = (0..64_u32).flat_map(|_| draw.below(300).to_le_bytes()).collect();
    args.push(ArgData::Slice { elem: Scalar::U32, access: Access::Read, bytes });
    let mut indices =
        Indices { draw, build, visible: Vec::new(), loops, enclosing: Vec::new(), budget: 24 };
    indices.start();
    while indices.budget > 0 {
        indices.statement();
    }
    let kernel = indices.build.finish();
    RandomKernel { open: kernel.clone(), bindings: Vec::new(), kernel, shape, args }
}

struct Indices {
    draw: Draw,
    build: Builder,
    /// Values by type, oldest first.
    visible: Vec<(Scalar, InstId)>,
    loops: bool,
    enclosing: Vec<(InstId, bool)>,
    budget: u32,
}

impl Indices {
    fn emit(&mut self, op: Op, ty: impl Into<Ty>) -> InstId {
        self.build.inst(op, ty)
    }

    fn shown(&mut self, op: Op, ty: Scalar) -> InstId {
        let id = self.emit(op, ty);
        self.visible.push((ty, id));
        id
    }

    fn start(&mut self) {
        let axes = [Axis::X, Axis::Y, Axis::Z];
        for ty in INTEGERS {
            for local in self.locals_of(ty) {
                let value = self.source(ty);
                self.emit(Op::Set { local, value }, Ty::Unit);
            }
        }
        for ty in [Scalar::U32, Scalar::U64] {
            for axis in &axes[..2] {
                self.shown(Op::Builtin(Builtin::ThreadIdx(*axis)), ty);
                self.shown(Op::Builtin(Builtin::GlobalIdx(*axis)), ty);
            }
        }
    }

    fn locals_of(&self, ty: Scalar) -> [LocalId; 2] {
        let index = INTEGERS.iter().position(|of| *of == ty).unwrap_or(0);
        [2 * index, 2 * index + 1].map(LocalId::new)
    }

    /// Returns a number that does not depend on others.
    fn source(&mut self, ty: Scalar) -> InstId {
        let axis = self.draw.one_of(&[Axis::X, Axis::X, Axis::Y, Axis::Z]);
        let builtins = [
            Builtin::ThreadIdx(axis),
            Builtin::ThreadIdx(axis),
            Builtin::GlobalIdx(axis),
            Builtin::BlockIdx(axis),
            Builtin::BlockDim(axis),
            Builtin::GridDim(axis),
            Builtin::LaneId,
            Builtin::WarpId,
            Builtin::LaneMask(self.draw.one_of(&LaneMask::ALL)),
        ];
        let unsigned = matches!(ty, Scalar::U32 | Scalar::U64);
        match self.draw.below(10) {
            0..=4 if unsigned => {
                let builtin = self.draw.one_of(&builtins);
                self.shown(Op::Builtin(builtin), ty)
            }
            0..=4 => {
                let builtin = self.draw.one_of(&builtins);
                let value = self.emit(Op::Builtin(builtin), Scalar::U32);
                self.shown(Op::Cast { value }, ty)
            }
            5 => {
                let index = INTEGERS.iter().position(|of| *of == ty).unwrap_or(0);
                self.shown(Op::Param(ParamId::new(2 * index)), ty)
            }
            6 if self.draw.chance(20) => {
                let bits = self.draw.value(ty);
                self.shown(Op::Const(bits), ty)
            }
            _ => self.number(ty),
        }
    }

    fn number(&mut self, ty: Scalar) -> InstId {
        let bits = self.draw.one_of(&CONSTANTS);
        self.shown(Op::Const(bits), ty)
    }

    fn some(&mut self, ty: Scalar) -> InstId {
        let fits: Vec<InstId> =
            self.visible.iter().filter(|(of, _)| *of == ty).map(|(_, id)| *id).collect();
        if fits.is_empty() || self.draw.chance(25) {
            return if ty == Scalar::Bool { self.condition() } else { self.source(ty) };
        }
        let recent = fits.len().saturating_sub(4);
        let from = if self.draw.chance(60) { recent } else { 0 };
        self.draw.one_of(&fits[from..])
    }

    fn condition(&mut self) -> InstId {
        if self.draw.chance(25) && self.visible.iter().any(|(ty, _)| *ty == Scalar::Bool) {
            let [lhs, rhs] = [self.some(Scalar::Bool), self.some(Scalar::Bool)];
            if self.draw.chance(25) {
                return self.shown(Op::Unary { op: UnaryOp::Not, value: lhs }, Scalar::Bool);
            }
            let op = self.draw.one_of(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]);
            return self.shown(Op::Binary { op, lhs, rhs }, Scalar::Bool);
        }
        let ty = self.draw.one_of(&INTEGERS);
        let [lhs, rhs] = [self.some(ty), self.some(ty)];
        let op = self.draw.one_of(CompareOp::ALL);
        self.shown(Op::Compare { op, lhs, rhs }, Scalar::Bool)
    }

    /// Emits one more expression, and stores it.
    fn compute(&mut self) {
        let ty = self.draw.one_of(&INTEGERS);
        let id = match self.draw.below(16) {
            0 => {
                let value = self.some(ty);
                let op = self.draw.one_of(&[
                    UnaryOp::Neg,
                    UnaryOp::Not,
                    UnaryOp::Not,
                    UnaryOp::Abs,
                    UnaryOp::CountOnes,
                    UnaryOp::LeadingZeros,
                    UnaryOp::ReverseBits,
                ]);
                self.shown(Op::Unary { op, value }, ty)
            }
            1..=3 => {
                let from = self.draw.one_of(&INTEGERS);
                let value = self.some(from);
                self.shown(Op::Cast { value }, ty)
            }
            4 => {
                let cond = self.some(Scalar::Bool);
                let [then, other] = [self.some(ty), self.some(ty)];
                self.shown(Op::Select { cond, then, other }, ty)
            }
            5 | 6 => {
                let op = self.draw.one_of(&[BinaryOp::Div, BinaryOp::Rem]);
                let lhs = self.some(ty);
                let bits = self.draw.one_of(&CONSTANTS[1..]);
                let rhs = self.shown(Op::Const(bits), ty);
                self.shown(Op::Binary { op, lhs, rhs }, ty)
            }
            7 | 8 => {
                let op = self.draw.one_of(&[
                    BinaryOp::Shl,
                    BinaryOp::Shr,
                    BinaryOp::Shr,
                    BinaryOp::RotateLeft,
                ]);
                let lhs = self.some(ty);
                let bits = u64::from(self.draw.below(9));
                let constant = self.draw.chance(80);
                let rhs = if constant {
                    self.emit(Op::Const(bits), Scalar::U32)
                } else {
                    self.some(Scalar::U32)
                };
                self.shown(Op::Binary { op, lhs, rhs }, ty)
            }
            9 | 10 => {
                let op =
                    self.draw.one_of(&[BinaryOp::And, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]);
                let lhs = self.some(ty);
                let rhs = if self.draw.chance(50) {
                    let mask = self.draw.one_of(&CONSTANTS);
                    let bits = if self.draw.chance(30) { !mask } else { mask };
                    let width = ty.bits().unwrap_or(64);
                    let bits = if width == 64 { bits } else { bits & ((1 << width) - 1) };
                    self.emit(Op::Const(bits), ty)
                } else {
                    self.some(ty)
                };
                self.shown(Op::Binary { op, lhs, rhs }, ty)
            }
            11 => {
                let [lhs, rhs] = [self.some(ty), self.some(ty)];
                let op = self.draw.one_of(&[BinaryOp::Min, BinaryOp::Max, BinaryOp::MulHigh]);
                self.shown(Op::Binary { op, lhs, rhs }, ty)
            }
            12 => {
                let local = self.locals_of(ty)[self.draw.index(2)];
                self.shown(Op::Get(local), ty)
            }
            _ => {
                let [lhs, rhs] = [self.some(ty), self.some(ty)];
                let op =
                    self.draw.one_of(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Mul]);
                self.shown(Op::Binary { op, lhs, rhs }, ty)
            }
        };
        self.store(id, ty);
    }

    fn store(&mut self, value: InstId, ty: Scalar) {
        let index = INTEGERS.iter().position(|of| *of == ty).unwrap_or(0);
        let ptr = self.emit(Op::Param(ParamId::new(2 * index + 1)), Ty::Ptr(Space::Global));
        self.emit(Op::store(ptr, value), Ty::Unit);
    }

    /// Emits a load from a computed address, which is in bounds.
    fn load(&mut self) {
        let index = self.some(Scalar::U64);
        let len = self.emit(Op::Len(ParamId::new(2 * INTEGERS.len())), Scalar::U64);
        let index = if self.draw.chance(50) {
            self.emit(Op::Bounds { index, len }, Scalar::U64)
        } else {
            let mask = self.emit(Op::Const(63), Scalar::U64);
            self.emit(Op::Binary { op: BinaryOp::And, lhs: index, rhs: mask }, Scalar::U64)
        };
        let base = self.emit(Op::Param(ParamId::new(2 * INTEGERS.len())), Ty::Ptr(Space::Global));
        let ptr = self.emit(Op::Index { base, index, stride: 4.into() }, Ty::Ptr(Space::Global));
        let id = self.shown(Op::load(ptr), Scalar::U32);
        self.store(id, Scalar::U32);
    }

    fn statement(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        match self.draw.below(20) {
            0..=10 => self.compute(),
            11 => self.load(),
            12 | 13 => {
                let ty = self.draw.one_of(&INTEGERS);
                let value = self.some(ty);
                let local = self.locals_of(ty)[self.draw.index(2)];
                self.emit(Op::Set { local, value }, Ty::Unit);
            }
            14 => {
                self.emit(Op::Sync(SyncOp::Barrier { reduce: None }), Ty::Unit);
            }
            15 | 16 => self.branch(),
            17 if self.loops => self.counted(),
            18 if self.loops => self.repeated(),
            19 => self.leave(),
            _ => self.compute(),
        }
    }

    fn inner(&mut self) {
        let visible = self.visible.len();
        for _ in 0..1 + self.draw.below(4) {
            if self.budget > 0 {
                self.statement();
            }
        }
        self.visible.truncate(visible);
    }

    fn branch(&mut self) {
        let cond = self.some(Scalar::Bool);
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.build.begin(op, Ty::Unit);
        self.inner();
        self.build.otherwise();
        if self.draw.chance(50) {
            self.inner();
        }
        self.build.end();
    }

    /// Emits a `return`, `break` or `continue` of the threads for which a condition holds.
    fn leave(&mut self) {
        let cond = self.condition();
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        let target = if self.enclosing.is_empty() {
            None
        } else {
            let index = self.draw.index(self.enclosing.len());
            Some(self.enclosing[index])
        };
        if target.is_none() && self.draw.chance(50) {
            return;
        }
        self.build.begin(op, Ty::Unit);
        match target {
            Some((target, true)) if self.draw.chance(40) => {
                self.build.inst(Op::Continue(target), Ty::Unit)
            }
            Some((target, _)) if self.draw.chance(80) => {
                self.build.inst(Op::Break(target), Ty::Unit)
            }
            Some(_) | None => self.build.inst(Op::Return, Ty::Unit),
        };
        self.build.end();
    }

    fn compare(&mut self, op: CompareOp, lhs: InstId, rhs: InstId) -> InstId {
        self.emit(Op::Compare { op, lhs, rhs }, Scalar::Bool)
    }

    /// Emits a `for` of few iterations.
    fn counted(&mut self) {
        let ty = self.draw.one_of(&INTEGERS);
        let wide = self.emit(Op::Const(7), ty);
        let [mut start, mut end] = [self.some(ty), self.some(ty)];
        for bound in [&mut start, &mut end] {
            *bound = self.emit(Op::Binary { op: BinaryOp::And, lhs: *bound, rhs: wide }, ty);
        }
        if self.draw.chance(40) {
            let more = self.some(ty);
            start = self.emit(Op::Binary { op: BinaryOp::Add, lhs: start, rhs: more }, ty);
            end = self.emit(Op::Binary { op: BinaryOp::Add, lhs: end, rhs: more }, ty);
        }
        let bits = u64::from(1 + self.draw.below(3));
        let step = self.emit(Op::Const(bits), ty);
        // A range that wraps would run for long.
        let sane = self.emit(Op::Binary { op: BinaryOp::Sub, lhs: end, rhs: start }, ty);
        let few = self.emit(Op::Const(8), ty);
        let is_few = self.compare(CompareOp::Lt, sane, few);
        // For the same reason, `start` and `end` must be on the same side of a wrap.
        let zero = self.emit(Op::Const(0), ty);
        let [ascends, is_ahead] =
            [(zero, sane), (start, end)].map(|(low, high)| self.compare(CompareOp::Le, low, high));
        let both = Op::Compare { op: CompareOp::Eq, lhs: ascends, rhs: is_ahead };
        let agree = self.emit(both, Scalar::Bool);
        let op = Op::Binary { op: BinaryOp::And, lhs: is_few, rhs: agree };
        let cond = self.emit(op, Scalar::Bool);
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.build.begin(op, Ty::Unit);
        let inclusive = self.draw.chance(30);
        let op = Op::For { start, end, step, inclusive, body: Body::default() };
        let id = self.build.begin(op, ty);
        let visible = self.visible.len();
        self.visible.push((ty, id));
        self.enclosing.push((id, true));
        self.store(id, ty);
        self.inner();
        self.enclosing.pop();
        self.visible.truncate(visible);
        self.build.end();
        self.build.end();
    }

    /// Emits a `while` that a counter of its own ends, and a `block`.
    fn repeated(&mut self) {
        if self.draw.chance(30) {
            let id = self.build.begin(Op::Block { body: Body::default() }, Ty::Unit);
            self.enclosing.push((id, false));
            self.inner();
            self.enclosing.pop();
            self.build.end();
            return;
        }
        let ty = self.draw.one_of(&INTEGERS);
        let local = LocalId::new(self.build.kernel.locals.len());
        let span = Span::new(0);
        self.build.kernel.locals.push(Local { name: "i".into(), ty: ty.into(), span });
        let three = self.emit(Op::Const(3), ty);
        let start = self.some(ty);
        let start = self.emit(Op::Binary { op: BinaryOp::And, lhs: start, rhs: three }, ty);
        self.emit(Op::Set { local, value: start }, Ty::Unit);
        let bound = self.some(ty);
        let bound = self.emit(Op::Binary { op: BinaryOp::And, lhs: bound, rhs: three }, ty);
        let step = u64::from(1 + self.draw.below(2));
        let step = self.emit(Op::Const(step), ty);
        let id = self.build.begin(Op::Loop { body: Body::default() }, Ty::Unit);
        let now = self.emit(Op::Get(local), ty);
        let cond = self.emit(Op::Compare { op: CompareOp::Lt, lhs: now, rhs: bound }, Scalar::Bool);
        self.build.begin(Op::If { cond, then: Body::default(), other: Body::default() }, Ty::Unit);
        let next = self.emit(Op::Binary { op: BinaryOp::Add, lhs: now, rhs: step }, ty);
        self.emit(Op::Set { local, value: next }, Ty::Unit);
        let visible = self.visible.len();
        self.visible.push((ty, now));
        self.enclosing.push((id, true));
        self.inner();
        self.enclosing.pop();
        self.visible.truncate(visible);
        self.build.otherwise();
        self.emit(Op::Break(id), Ty::Unit);
        self.build.end();
        self.build.end();
    }
}
