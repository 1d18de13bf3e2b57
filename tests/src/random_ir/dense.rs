//! Kernels with a high density of patterns that passes rewrite.
//!
//! They have few values, locals and addresses, and use them again and again: the same expression in
//! two arms, a check after a guard that proves it and after one that nearly does, a load on either
//! side of a store, a local set in one arm of an `if` whose other arm leaves. In kernels of
//! [`random_kernel`] these rarely occur together.
//!
//! Threads do not synchronize, and access only their own elements and memory that is never written.
//!
//! [`random_kernel`]: super::random_kernel
use super::{ArgData, Draw, LaunchShape, RandomKernel};
use warpwise_compiler::{
    id::Id,
    ir::{
        Access, Axis, BinaryOp, Body, Builder, Builtin, CompareOp, Extent, Fault, InstId, Local,
        LocalId, Op, Param, ParamId, ParamKind, Scalar, Space, Span, Ty, UnaryOp,
    },
};

/// The number of output elements of each thread.
const EACH: u32 = 4;
/// The number of elements of the input.
const INPUT: u32 = 7;
const TYPES: [Scalar; 5] = [Scalar::U64, Scalar::U32, Scalar::I32, Scalar::F32, Scalar::Bool];

/// Returns the dense kernel of a seed, always the same one.
pub fn dense_kernel(seed: u64) -> RandomKernel {
    let mut draw = Draw::new(seed);
    let block = draw.one_of(&[[1, 1, 1], [5, 1, 1], [33, 1, 1], [4, 2, 1]]);
    let shape = LaunchShape { grid: [2, 1, 1], block };
    let mut build = Builder::new("dense");
    if draw.chance(50) {
        build.kernel.block = Some(block.map(|dim| Extent::Const(u64::from(dim))));
    }
    let args = declare(&mut build, &mut draw, &shape);
    let (visible, enclosing, own) = (Vec::new(), Vec::new(), Vec::new());
    let mut generator = Dense { draw, build, visible, enclosing, own, budget: 40 };
    generator.start(shape.grid[0] * shape.block[0]);
    while generator.budget > 0 {
        generator.statement();
    }
    generator.finish();
    let kernel = generator.build.finish();
    RandomKernel { open: kernel.clone(), bindings: Vec::new(), kernel, shape, args }
}

const IN: usize = 0;
const OUT: usize = 1;
const SCALARS: usize = 2;

/// Declares parameters and locals: input, output, and a scalar and two locals of each type.
fn declare(build: &mut Builder, draw: &mut Draw, shape: &LaunchShape) -> Vec<ArgData> {
    let span = Span::new(0);
    let slices = [("x", Access::Read, INPUT), ("y", Access::Write, EACH * shape.all_threads())];
    let mut args = Vec::new();
    for (name, access, len) in slices {
        let elem = Scalar::U32;
        let kind = ParamKind::Slice { elem: elem.into(), access };
        build.kernel.params.push(Param { name: name.into(), kind, span });
        let mut value = |_| (draw.value(elem) as u32).to_le_bytes();
        let bytes = (0..len).flat_map(&mut value).collect();
        args.push(ArgData::Slice { elem, access, bytes });
    }
    for ty in TYPES {
        let kind = ParamKind::Scalar(ty);
        build.kernel.params.push(Param { name: "n".into(), kind, span });
        args.push(ArgData::Scalar { ty, bits: draw.value(ty) });
        for name in ["a", "b"] {
            build.kernel.locals.push(Local { name: name.into(), ty: ty.into(), span });
        }
    }
    args
}

struct Dense {
    draw: Draw,
    build: Builder,
    /// Values by type, oldest first.
    visible: Vec<(Scalar, InstId)>,
    /// Targets of `break`, and for each whether it is also one of `continue`.
    enclosing: Vec<(InstId, bool)>,
    /// The addresses of the thread's own elements.
    own: Vec<InstId>,
    budget: u32,
}

impl Dense {
    fn emit(&mut self, op: Op, ty: impl Into<Ty>) -> InstId {
        self.build.span = Span::new(self.build.span.index() + 1);
        self.build.inst(op, ty)
    }

    fn begin(&mut self, op: Op, ty: impl Into<Ty>) -> InstId {
        self.build.span = Span::new(self.build.span.index() + 1);
        self.build.begin(op, ty)
    }

    /// Appends an operation that yields a number, and makes the number visible.
    fn value(&mut self, op: Op, ty: Scalar) -> InstId {
        let id = self.emit(op, ty);
        self.visible.push((ty, id));
        id
    }

    fn binary(&mut self, op: BinaryOp, lhs: InstId, rhs: InstId, ty: Scalar) -> InstId {
        self.value(Op::Binary { op, lhs, rhs }, ty)
    }

    /// Computes addresses, and sets every local.
    fn start(&mut self, width: u32) {
        let [x, y] = [Axis::X, Axis::Y]
            .map(|axis| self.value(Op::Builtin(Builtin::GlobalIdx(axis)), Scalar::U64));
        let width = self.constant(Scalar::U64, u64::from(width));
        let row = self.binary(BinaryOp::Mul, y, width, Scalar::U64);
        let number = self.binary(BinaryOp::Add, row, x, Scalar::U64);
        let each = self.constant(Scalar::U64, u64::from(EACH));
        let first = self.binary(BinaryOp::Mul, number, each, Scalar::U64);
        let base = self.emit(Op::Param(ParamId::new(OUT)), Ty::Ptr(Space::Global));
        for k in 0..EACH {
            let k = self.constant(Scalar::U64, u64::from(k));
            let index = self.binary(BinaryOp::Add, first, k, Scalar::U64);
            let stride = Extent::Const(4);
            let ptr = self.emit(Op::Index { base, index, stride }, Ty::Ptr(Space::Global));
            self.own.push(ptr);
        }
        for (i, ty) in TYPES.into_iter().enumerate() {
            let value = self.value(Op::Param(ParamId::new(SCALARS + i)), ty);
            for local in [2 * i, 2 * i + 1].map(LocalId::new) {
                self.emit(Op::Set { local, value }, Ty::Unit);
            }
        }
    }

    /// Writes to memory what each local holds.
    fn finish(&mut self) {
        let mut sum = self.constant(Scalar::U32, 0);
        for (i, ty) in TYPES.into_iter().enumerate() {
            for local in [2 * i, 2 * i + 1].map(LocalId::new) {
                let value = self.value(Op::Get(local), ty);
                let bits = self.as_u32(value, ty);
                let factor = self.constant(Scalar::U32, 0x0100_0193);
                let product = self.binary(BinaryOp::Mul, sum, factor, Scalar::U32);
                sum = self.binary(BinaryOp::Xor, product, bits, Scalar::U32);
            }
        }
        self.emit(Op::store(self.own[3], sum), Ty::Unit);
    }

    fn as_u32(&mut self, value: InstId, ty: Scalar) -> InstId {
        if ty == Scalar::U32 { value } else { self.value(Op::Cast { value }, Scalar::U32) }
    }

    fn constant(&mut self, ty: Scalar, bits: u64) -> InstId {
        self.value(Op::Const(bits), ty)
    }

    /// Returns a constant that rewrite rules match.
    fn some_constant(&mut self, ty: Scalar) -> InstId {
        let bits = match ty {
            Scalar::Bool => self.draw.bits() & 1,
            Scalar::F32 => {
                u64::from(self.draw.one_of(&[0.0_f32, -0.0, 1.0, -1.0, f32::NAN, 2.5]).to_bits())
            }
            Scalar::U64 => {
                self.draw.one_of(&[0, 1, 2, 7, 8, 31, 63, (1 << 32) - 1, 1 << 32, u64::MAX])
            }
            _ => self.draw.one_of(&[0, 1, 2, 7, 8, 31, 33, (1 << 31) - 1, 1 << 31, (1 << 32) - 1]),
        };
        self.constant(ty, bits)
    }

    /// Returns a value, preferably a recent one.
    fn some(&mut self, ty: Scalar) -> InstId {
        let all: Vec<InstId> =
            self.visible.iter().filter(|(of, _)| *of == ty).map(|&(_, id)| id).collect();
        if all.is_empty() || self.draw.chance(15) {
            return self.some_constant(ty);
        }
        let late = all.len().min(4);
        if self.draw.chance(70) {
            all[all.len() - 1 - self.draw.index(late)]
        } else {
            self.draw.one_of(&all)
        }
    }

    fn some_local(&mut self) -> (LocalId, Scalar) {
        let local = self.draw.index(2 * TYPES.len());
        (LocalId::new(local), TYPES[local / 2])
    }

    /// Emits a statement, and returns true if control continues after it.
    fn statement(&mut self) -> bool {
        self.budget = self.budget.saturating_sub(1);
        match self.draw.below(24) {
            0..=5 => self.compute(),
            6..=8 => {
                let (local, ty) = self.some_local();
                let value = self.some(ty);
                self.emit(Op::Set { local, value }, Ty::Unit);
            }
            9..=11 => {
                let (local, ty) = self.some_local();
                self.value(Op::Get(local), ty);
            }
            12 => {
                let (index, len) = (self.some_index(), self.some_len());
                self.bounds(index, len);
            }
            13..=15 => self.guarded(),
            16 => {
                let ptr = self.own[self.draw.index(3)];
                self.value(Op::load(ptr), Scalar::U32);
            }
            17 => {
                let (ptr, value) = (self.own[self.draw.index(3)], self.some(Scalar::U32));
                self.emit(Op::store(ptr, value), Ty::Unit);
            }
            18 => {
                let cond = self.some_condition();
                self.emit(Op::Check { cond, fault: Fault::DivideByZero }, Ty::Unit);
            }
            19 | 20 => {
                let cond = self.some_condition();
                self.branch(cond, Self::statements);
            }
            21 => self.range_loop(),
            22 => self.nested(),
            _ => return self.leave(),
        }
        true
    }

    fn statements(&mut self) {
        for _ in 0..1 + self.draw.below(4) {
            if !self.statement() {
                return;
            }
        }
    }

    /// Emits an `if`, whose arms `fill` fills.
    fn branch(&mut self, cond: InstId, mut fill: impl FnMut(&mut Self)) {
        self.begin(Op::If { cond, then: Body::default(), other: Body::default() }, Ty::Unit);
        self.scoped(&mut fill);
        if self.draw.chance(60) {
            self.build.otherwise();
            self.scoped(&mut fill);
        }
        self.build.end();
    }

    /// Runs `fill`, after which the values that it computed are no longer visible.
    fn scoped(&mut self, fill: &mut impl FnMut(&mut Self)) {
        let visible = self.visible.len();
        fill(self);
        self.visible.truncate(visible);
    }

    fn compute(&mut self) {
        let ty = self.draw.one_of(&TYPES);
        let op = match (ty, self.draw.below(8)) {
            (Scalar::Bool, 0..4) => return self.compare(),
            (Scalar::U64 | Scalar::U32 | Scalar::I32, 0) => {
                let from = self.draw.one_of(&TYPES);
                let value = self.some(from);
                Op::Cast { value }
            }
            (Scalar::U64, 1) => {
                let axis = self.draw.one_of(&[Axis::X, Axis::Y]);
                let of =
                    [Builtin::ThreadIdx, Builtin::BlockIdx, Builtin::BlockDim, Builtin::GridDim];
                Op::Builtin(self.draw.one_of(&of)(axis))
            }
            (_, 2) => {
                let unary = match ty {
                    Scalar::Bool => UnaryOp::Not,
                    Scalar::F32 => {
                        const OPS: [UnaryOp; 4] =
                            [UnaryOp::Neg, UnaryOp::Abs, UnaryOp::Sqrt, UnaryOp::Rsqrt];
                        self.draw.one_of(&OPS)
                    }
                    Scalar::I32 => self.draw.one_of(&[UnaryOp::Neg, UnaryOp::Abs, UnaryOp::Not]),
                    _ => UnaryOp::Not,
                };
                Op::Unary { op: unary, value: self.some(ty) }
            }
            (_, 3) => {
                let [then, other] = [self.some(ty), self.some(ty)];
                Op::Select { cond: self.some(Scalar::Bool), then, other }
            }
            (Scalar::F32, 4) => Op::Fma { a: self.some(ty), b: self.some(ty), c: self.some(ty) },
            _ => return self.arithmetic(ty),
        };
        self.value(op, ty);
    }

    fn compare(&mut self) {
        let ty = self.draw.one_of(&TYPES);
        let [lhs, rhs] = [self.some(ty), self.some(ty)];
        let op = if ty == Scalar::Bool {
            self.draw.one_of(&[CompareOp::Eq, CompareOp::Ne])
        } else {
            self.draw.one_of(CompareOp::ALL)
        };
        self.value(Op::Compare { op, lhs, rhs }, Scalar::Bool);
    }

    fn arithmetic(&mut self, ty: Scalar) {
        use BinaryOp::{Add, And, Div, Max, Min, Mul, Or, Rem, Shl, Shr, Sub, Xor};
        let op = match ty {
            Scalar::Bool => self.draw.one_of(&[And, Or, Xor]),
            Scalar::F32 => self.draw.one_of(&[Add, Sub, Mul, Div, Min, Max]),
            Scalar::I32 => self.draw.one_of(&[Add, Sub, Mul, And, Or, Xor, Shl, Shr, Min, Max]),
            _ => self.draw.one_of(&[Add, Sub, Mul, And, Or, Xor, Shl, Shr, Min, Max, Div, Rem]),
        };
        let lhs = self.some(ty);
        let rhs = match op {
            Shl | Shr => self.some(Scalar::U32),
            Div | Rem if ty.is_int() => {
                let (bits, one) = (self.some(ty), self.constant(ty, 1));
                self.binary(Or, bits, one, ty)
            }
            _ => self.some(ty),
        };
        self.binary(op, lhs, rhs, ty);
    }

    fn some_condition(&mut self) -> InstId {
        if self.draw.chance(50) {
            self.compare();
        }
        self.some(Scalar::Bool)
    }

    fn some_index(&mut self) -> InstId {
        let index = self.some(Scalar::U64);
        if self.draw.chance(70) {
            return index;
        }
        let seven = self.constant(Scalar::U64, 7);
        self.binary(BinaryOp::And, index, seven, Scalar::U64)
    }

    fn some_len(&mut self) -> InstId {
        match self.draw.below(4) {
            0 | 1 => self.value(Op::Len(ParamId::new(IN)), Scalar::U64),
            2 => self.constant(Scalar::U64, u64::from(INPUT)),
            _ => self.some(Scalar::U64),
        }
    }

    /// Checks an index, and loads the element if the check keeps it inside the input.
    fn bounds(&mut self, index: InstId, len: InstId) {
        let index = self.value(Op::Bounds { index, len }, Scalar::U64);
        let op = &self.build.kernel.insts[len].op;
        if !matches!(op, Op::Len(_) | Op::Const(0..=7)) {
            return;
        }
        let global = Ty::Ptr(Space::Global);
        let base = self.emit(Op::Param(ParamId::new(IN)), global);
        let ptr = self.emit(Op::Index { base, index, stride: Extent::Const(4) }, global);
        self.value(Op::load(ptr), Scalar::U32);
    }

    /// Emits a check under a condition that relates its index and length.
    fn guarded(&mut self) {
        let (index, len) = (self.some_index(), self.some_len());
        let op = self.draw.one_of(CompareOp::ALL);
        let swap = self.draw.chance(30);
        let (lhs, rhs) = if swap { (len, index) } else { (index, len) };
        let mut cond = self.value(Op::Compare { op, lhs, rhs }, Scalar::Bool);
        if self.draw.chance(30) {
            cond = self.value(Op::Unary { op: UnaryOp::Not, value: cond }, Scalar::Bool);
        }
        if self.draw.chance(30) {
            let other = self.some(Scalar::Bool);
            let op = self.draw.one_of(&[BinaryOp::And, BinaryOp::Or]);
            cond = self.binary(op, cond, other, Scalar::Bool);
        }
        let inside = self.draw.chance(70);
        self.branch(cond, |this| {
            if inside && this.draw.chance(70) {
                this.bounds(index, len);
            } else if !this.draw.chance(50) || this.leave() {
                this.statements();
            }
        });
        if !inside {
            self.bounds(index, len);
        }
    }

    fn range_loop(&mut self) {
        if self.enclosing.len() > 2 {
            return;
        }
        let ty = self.draw.one_of(&[Scalar::U64, Scalar::U32, Scalar::I32]);
        let mut small = |most: u64| {
            let (value, mask) = (self.some(ty), self.constant(ty, most));
            self.binary(BinaryOp::And, value, mask, ty)
        };
        let [start, end, less] = [small(1), small(3), small(1)];
        let one = self.constant(ty, 1);
        let step = self.binary(BinaryOp::Add, less, one, ty);
        let inclusive = self.draw.chance(50);
        let range = Op::For { start, end, step, inclusive, body: Body::default() };
        let id = self.begin(range, ty);
        self.enclosing.push((id, true));
        self.scoped(&mut |this: &mut Self| {
            this.visible.push((ty, id));
            if ty == Scalar::U64 && this.draw.chance(40) {
                this.bounds(id, end);
            }
            this.statements();
        });
        self.enclosing.pop();
        self.build.end();
    }

    /// Emits a block, or a loop that is left at the end of its first iteration at the latest.
    fn nested(&mut self) {
        if self.enclosing.len() > 2 {
            return;
        }
        let repeats = self.draw.chance(40);
        let body = Body::default();
        let id = self.begin(if repeats { Op::Loop { body } } else { Op::Block { body } }, Ty::Unit);
        self.enclosing.push((id, false));
        self.scoped(&mut |this: &mut Self| {
            let mut goes_on = true;
            for _ in 0..3 {
                goes_on = goes_on && this.statement();
            }
            if repeats && goes_on {
                let cond = this.some_condition();
                this.branch(cond, |this| {
                    this.statements_without_exit();
                });
                this.emit(Op::Break(id), Ty::Unit);
            }
        });
        self.enclosing.pop();
        self.build.end();
    }

    fn statements_without_exit(&mut self) {
        self.compute();
        let (local, ty) = self.some_local();
        let value = self.some(ty);
        self.emit(Op::Set { local, value }, Ty::Unit);
    }

    /// Leaves an enclosing loop or block, or the kernel, and returns true if control continues.
    fn leave(&mut self) -> bool {
        if self.build.depth() == 0 {
            return true;
        }
        let exit = match self.enclosing.len() {
            0 => Op::Return,
            _ if self.draw.chance(15) => Op::Return,
            _ => {
                let (id, repeats) = self.draw.one_of(&self.enclosing);
                if repeats && self.draw.chance(40) { Op::Continue(id) } else { Op::Break(id) }
            }
        };
        self.emit(exit, Ty::Unit);
        false
    }
}
