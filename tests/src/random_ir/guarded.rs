//! Kernels that check indices under conditions on these indices, and have requirements on their
//! launch.
//!
//! Small numbers, a few of them at the edges of their types, are combined and compared again and
//! again: an index under a guard that proves it and under one that nearly does, sums and products
//! that wrap, rows and columns whose lengths are requirements of the launch. Requirements are drawn
//! until the launch fulfils them.
//!
//! The kernels do not access memory: their only effects are failed checks.
use super::{ArgData, Draw, LaunchShape, RandomKernel};
use warpwise_compiler::{
    id::Id,
    ir::{
        Access, Axis, BinaryOp, Body, Builder, Builtin, CompareOp, Extent, Fault, InstId, Local,
        LocalId, Message, MessageId, Op, Param, ParamId, ParamKind, Passed, Requirement, Scalar,
        Size, Span, Ty, UnaryOp,
    },
};

const TYPES: [Scalar; 3] = [Scalar::U64, Scalar::U32, Scalar::I32];
/// Types of the parameters after the two slices.
const SCALARS: [Scalar; 5] = [Scalar::U64, Scalar::U64, Scalar::U32, Scalar::U32, Scalar::I32];

/// Returns the kernel of a seed, always the same one.
pub fn guarded_kernel(seed: u64) -> RandomKernel {
    let mut draw = Draw::new(seed);
    let block = draw.one_of(&[[1, 1, 1], [4, 1, 1], [3, 2, 1], [33, 1, 1]]);
    let shape = LaunchShape { grid: [1 + draw.below(3), 1 + draw.below(2), 1], block };
    let mut build = Builder::new("guarded");
    if draw.chance(40) {
        build.kernel.block = Some(block.map(|dim| Extent::Const(u64::from(dim))));
    }
    let args = declare(&mut build, &mut draw);
    require(&mut build, &mut draw, &shape, &args);
    let (visible, budget) = (Vec::new(), 30);
    let mut generator = Guarded { draw, build, visible, loops: 0, budget };
    generator.start();
    while generator.budget > 0 {
        generator.statement();
    }
    let kernel = generator.build.finish();
    RandomKernel { open: kernel.clone(), bindings: Vec::new(), kernel, shape, args }
}

/// Returns a small number, or one at the edge of its type.
fn number(draw: &mut Draw, ty: Scalar) -> u64 {
    let max = u64::MAX >> (64 - ty.bits().expect("an integer has a width"));
    match draw.below(8) {
        0 => draw.one_of(&[max, max - 1, max >> 1, (max >> 1) + 1]),
        1..4 => draw.one_of(&[0, 1, 2, 3]),
        _ => draw.one_of(&[4, 5, 6, 8, 12, 16, 24, 36]),
    }
}

fn declare(build: &mut Builder, draw: &mut Draw) -> Vec<ArgData> {
    let span = Span::new(0);
    let mut args = Vec::new();
    for name in ["x", "y"] {
        let (elem, access) = (Scalar::U32, Access::Read);
        let kind = ParamKind::Slice { elem: elem.into(), access };
        build.kernel.params.push(Param { name: name.into(), kind, span });
        let len = draw.one_of(&[0, 1, 2, 4, 5, 8, 12, 16, 24, 36, 64, 100]);
        args.push(ArgData::Slice { elem, access, bytes: vec![0; 4 * len] });
    }
    for ty in SCALARS {
        let kind = ParamKind::Scalar(ty);
        build.kernel.params.push(Param { name: "n".into(), kind, span });
        args.push(ArgData::Scalar { ty, bits: number(draw, ty) });
    }
    for ty in TYPES {
        build.kernel.locals.push(Local { name: "v".into(), ty: ty.into(), span });
    }
    build.kernel.messages.push(Message { text: "no".into(), args: Vec::new() });
    args
}

/// Adds requirements that the launch fulfils.
fn require(build: &mut Builder, draw: &mut Draw, shape: &LaunchShape, args: &[ArgData]) {
    let params: Vec<_> = args
        .iter()
        .map(|arg| match arg {
            ArgData::Scalar { ty, bits } => (*ty, *bits),
            ArgData::Slice { bytes, .. } => (Scalar::U64, bytes.len() as u64 / 4),
        })
        .collect();
    let passed = Passed { params: &params, block: shape.block, grid: shape.grid };
    for _ in 0..draw.below(14) {
        let cond = condition(draw, 2);
        if cond.evaluate(&passed) == Ok(1) {
            let (text, span) = (cond.to_string(), Span::new(0));
            build.kernel.requires.push(Requirement { text, cond, span });
        }
    }
}

fn condition(draw: &mut Draw, depth: u32) -> Size {
    let constant = |truth: bool| Size::Const(Scalar::Bool, truth.into());
    match draw.below(if depth == 0 { 6 } else { 10 }) {
        6 => Size::Unary(UnaryOp::Not, Box::new(condition(draw, depth - 1))),
        7 => {
            let sides = [condition(draw, depth - 1), condition(draw, depth - 1)];
            let [lhs, rhs] = sides;
            Size::Select(Box::new([lhs, rhs, constant(false)]))
        }
        8 => {
            let [lhs, rhs] = [condition(draw, depth - 1), condition(draw, depth - 1)];
            Size::Select(Box::new([lhs, constant(true), rhs]))
        }
        _ => {
            let op = draw.one_of(CompareOp::ALL);
            let ty =
                draw.one_of(&[Scalar::U64, Scalar::U64, Scalar::U64, Scalar::U32, Scalar::I32]);
            Size::Compare(op, Box::new([size(draw, ty, 2), size(draw, ty, 2)]))
        }
    }
}

fn size(draw: &mut Draw, ty: Scalar, depth: u32) -> Size {
    if depth > 0 && draw.chance(45) {
        use BinaryOp::{Add, And, Div, Max, Min, Mul, Rem, Sub};
        let op = draw.one_of(&[Add, Add, Sub, Mul, Mul, Div, Rem, Min, Max, And]);
        return Size::Binary(op, Box::new([size(draw, ty, depth - 1), size(draw, ty, depth - 1)]));
    }
    if depth > 0 && draw.chance(15) {
        let from = draw.one_of(&TYPES);
        return Size::Cast(ty, Box::new(size(draw, from, depth - 1)));
    }
    let of_type = SCALARS.iter().enumerate().filter(|(_, of)| **of == ty);
    let of_type: Vec<_> = of_type.map(|(index, _)| Size::Param(ParamId::new(2 + index))).collect();
    match (ty, draw.below(6)) {
        (Scalar::U64, 0 | 1) => Size::Len(ParamId::new(draw.index(2))),
        (Scalar::U64, 2) => {
            let axis = draw.one_of(&[Axis::X, Axis::Y]);
            let of = draw.one_of(&[Builtin::BlockDim, Builtin::GridDim]);
            Size::Builtin(of(axis))
        }
        (_, 5) => Size::Const(ty, draw.one_of(&[0, 1, 2, 3, 4, 8])),
        _ => of_type[draw.index(of_type.len())].clone(),
    }
}

struct Guarded {
    draw: Draw,
    build: Builder,
    /// Values by type, oldest first.
    visible: Vec<(Scalar, InstId)>,
    /// The number of open loops.
    loops: u32,
    budget: u32,
}

impl Guarded {
    fn emit(&mut self, op: Op, ty: impl Into<Ty>) -> InstId {
        self.build.span = Span::new(self.build.span.index() + 1);
        self.build.inst(op, ty)
    }

    fn value(&mut self, op: Op, ty: Scalar) -> InstId {
        let id = self.emit(op, ty);
        self.visible.push((ty, id));
        id
    }

    /// Emits the operands of indices, and sets every local.
    fn start(&mut self) {
        for axis in [Axis::X, Axis::Y] {
            self.value(Op::Builtin(Builtin::GlobalIdx(axis)), Scalar::U64);
            self.value(Op::Builtin(Builtin::ThreadIdx(axis)), Scalar::U64);
        }
        self.value(Op::Builtin(Builtin::BlockIdx(Axis::X)), Scalar::U64);
        self.value(Op::Builtin(Builtin::BlockDim(Axis::X)), Scalar::U64);
        self.value(Op::Builtin(Builtin::WarpId), Scalar::U64);
        for slice in 0..2 {
            self.value(Op::Len(ParamId::new(slice)), Scalar::U64);
        }
        for (index, ty) in SCALARS.into_iter().enumerate() {
            let value = self.value(Op::Param(ParamId::new(2 + index)), ty);
            if ty != Scalar::U64 {
                self.value(Op::Cast { value }, Scalar::U64);
            }
        }
        for (index, ty) in TYPES.into_iter().enumerate() {
            let value = self.some(ty);
            self.emit(Op::Set { local: LocalId::new(index), value }, Ty::Unit);
        }
    }

    fn constant(&mut self, ty: Scalar, bits: u64) -> InstId {
        self.value(Op::Const(bits), ty)
    }

    /// Returns any visible value, preferably a recent one, or a constant.
    fn some(&mut self, ty: Scalar) -> InstId {
        let all: Vec<InstId> =
            self.visible.iter().filter(|(of, _)| *of == ty).map(|&(_, id)| id).collect();
        if all.is_empty() || self.draw.chance(12) {
            let bits = self.draw.one_of(&[0, 1, 1, 2, 3, 4, 7, 8]);
            return self.constant(ty, bits);
        }
        if self.draw.chance(40) {
            all[all.len() - 1 - self.draw.index(all.len().min(4))]
        } else {
            self.draw.one_of(&all)
        }
    }

    fn condition(&mut self) -> InstId {
        let compare = |this: &mut Self| {
            let ty = this.draw.one_of(&[
                Scalar::U64,
                Scalar::U64,
                Scalar::U64,
                Scalar::U32,
                Scalar::I32,
            ]);
            let (lhs, rhs) = (this.some(ty), this.some(ty));
            let op = this.draw.one_of(CompareOp::ALL);
            this.emit(Op::Compare { op, lhs, rhs }, Scalar::Bool)
        };
        let mut cond = compare(self);
        while self.draw.chance(35) {
            let rhs = compare(self);
            let op = self.draw.one_of(&[BinaryOp::And, BinaryOp::And, BinaryOp::Or]);
            cond = self.emit(Op::Binary { op, lhs: cond, rhs }, Scalar::Bool);
        }
        if self.draw.chance(15) {
            cond = self.emit(Op::Unary { op: UnaryOp::Not, value: cond }, Scalar::Bool);
        }
        cond
    }

    fn statement(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        match self.draw.below(24) {
            0..=8 => self.compute(),
            9..=14 => self.bounds(),
            15 => {
                let cond = self.condition();
                self.emit(Op::Check { cond, fault: Fault::DivideByZero }, Ty::Unit);
            }
            16..=19 => self.branch(),
            20 => self.repeat(),
            21 => self.assertion(),
            22 => {
                let index = self.draw.index(TYPES.len());
                let (local, ty) = (LocalId::new(index), TYPES[index]);
                let value = self.some(ty);
                self.emit(Op::Set { local, value }, Ty::Unit);
            }
            _ => {
                let index = self.draw.index(TYPES.len());
                self.value(Op::Get(LocalId::new(index)), TYPES[index]);
            }
        }
    }

    fn compute(&mut self) {
        use BinaryOp::{Add, And, Div, Max, Min, Mul, Or, Rem, Shl, Shr, Sub, Xor};
        let ty =
            self.draw.one_of(&[Scalar::U64, Scalar::U64, Scalar::U64, Scalar::U32, Scalar::I32]);
        if self.draw.chance(15) {
            let from = self.draw.one_of(&TYPES);
            let value = self.some(from);
            self.value(Op::Cast { value }, ty);
            return;
        }
        if self.draw.chance(10) {
            let cond = self.condition();
            let (then, other) = (self.some(ty), self.some(ty));
            self.value(Op::Select { cond, then, other }, ty);
            return;
        }
        let all =
            [Add, Add, Add, Sub, Sub, Mul, Mul, Mul, Div, Rem, Min, Max, And, Or, Xor, Shl, Shr];
        let op = self.draw.one_of(&all);
        let lhs = self.some(ty);
        let rhs = match op {
            Shl | Shr => {
                let by = u64::from(self.draw.below(4));
                self.constant(Scalar::U32, by)
            }
            Div | Rem => self.divisor(ty),
            _ => self.some(ty),
        };
        self.value(Op::Binary { op, lhs, rhs }, ty);
    }

    /// Returns a divisor, with the check that division by it is defined.
    fn divisor(&mut self, ty: Scalar) -> InstId {
        let (rhs, zero) = (self.some(ty), self.constant(ty, 0));
        let op = if ty.is_signed() { CompareOp::Gt } else { CompareOp::Ne };
        let cond = self.emit(Op::Compare { op, lhs: rhs, rhs: zero }, Scalar::Bool);
        self.emit(Op::Check { cond, fault: Fault::DivideByZero }, Ty::Unit);
        rhs
    }

    fn bounds(&mut self) {
        let index = self.some(Scalar::U64);
        let len = match self.draw.below(3) {
            0 => self.some(Scalar::U64),
            _ => {
                let slice = ParamId::new(self.draw.index(2));
                self.value(Op::Len(slice), Scalar::U64)
            }
        };
        self.value(Op::Bounds { index, len }, Scalar::U64);
    }

    /// Runs `fill`, after which the values that it computed are no longer visible.
    fn scoped(&mut self, fill: impl FnOnce(&mut Self)) {
        let visible = self.visible.len();
        fill(self);
        self.visible.truncate(visible);
    }

    fn statements(&mut self) {
        for _ in 0..1 + self.draw.below(5) {
            self.statement();
        }
    }

    fn branch(&mut self) {
        if self.build.depth() > 5 {
            return;
        }
        let cond = self.condition();
        self.build.begin(Op::If { cond, then: Body::default(), other: Body::default() }, Ty::Unit);
        let leaves = self.draw.chance(20);
        if leaves {
            self.emit(Op::Return, Ty::Unit);
        } else {
            self.scoped(Self::statements);
        }
        if self.draw.chance(30) {
            self.build.otherwise();
            self.scoped(Self::statements);
        }
        self.build.end();
    }

    /// Emits a loop of few iterations, over values that may be large.
    fn repeat(&mut self) {
        if self.loops > 1 || self.build.depth() > 5 {
            return;
        }
        let ty = self.draw.one_of(&[Scalar::U64, Scalar::U64, Scalar::U32, Scalar::I32]);
        let few = self.constant(ty, 5);
        let start = self.some(ty);
        let end = self.some(ty);
        let near = self.value(Op::Binary { op: BinaryOp::Add, lhs: start, rhs: few }, ty);
        let first = self.value(Op::Binary { op: BinaryOp::Min, lhs: near, rhs: end }, ty);
        let end = if self.draw.chance(50) { first } else { near };
        let step = self.draw.one_of(&[1, 1, 1, 2, 3, 4]);
        let step = self.constant(ty, step);
        let inclusive = self.draw.chance(30);
        // `near` may have wrapped; then there are no iterations, or as many as `end` permits.
        let id =
            self.build.begin(Op::For { start, end, step, inclusive, body: Body::default() }, ty);
        self.loops += 1;
        self.scoped(|this| {
            this.visible.push((ty, id));
            this.statements();
        });
        self.loops -= 1;
        self.build.end();
    }

    /// Emits `if cond {} else { panic }`.
    fn assertion(&mut self) {
        let cond = self.condition();
        self.build.begin(Op::If { cond, then: Body::default(), other: Body::default() }, Ty::Unit);
        if self.draw.chance(50) {
            self.build.otherwise();
        }
        self.emit(Op::Panic { message: MessageId::new(0), args: Vec::new() }, Ty::Unit);
        self.build.end();
    }
}
