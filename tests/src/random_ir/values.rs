//! Values without effects: one function per kind of type, each of which draws an operation on it.
use super::{Generator, Value};
use warpwise_compiler::ir::{
    BinaryOp, Bound, CompareOp, Direction, GenericKind, InstId, MulAddForm, Op, Scalar, TernaryOp,
    UnaryOp,
};

/// The kind of operations on a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Bool,
    Int,
    Float,
    /// A type parameter that may be any number.
    Num,
}

const ARITHMETIC: [BinaryOp; 5] =
    [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Min, BinaryOp::Max];
const BITS: [BinaryOp; 3] = [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor];
const OF_BITS: [UnaryOp; 4] =
    [UnaryOp::CountOnes, UnaryOp::LeadingZeros, UnaryOp::ReverseBits, UnaryOp::SwapBytes];
const SHIFTS: [BinaryOp; 3] = [BinaryOp::Shl, BinaryOp::Shr, BinaryOp::RotateLeft];
/// The first ones also exist for `i32`.
const OF_WORDS: [TernaryOp; 8] = [
    TernaryOp::DotBytes,
    TernaryOp::DotHalvesLow,
    TernaryOp::DotHalvesHigh,
    TernaryOp::PermuteBytes,
    TernaryOp::FunnelShl,
    TernaryOp::FunnelShr,
    TernaryOp::AddCarry,
    TernaryOp::CarryOut,
];
const DIRECTED: [TernaryOp; 3] = [
    TernaryOp::FmaTo(Direction::Zero),
    TernaryOp::FmaTo(Direction::Up),
    TernaryOp::FmaTo(Direction::Down),
];
const DIVISIONS: [BinaryOp; 2] = [BinaryOp::Div, BinaryOp::Rem];

impl Generator {
    fn class(&self, ty: Scalar) -> Class {
        match ty {
            Scalar::Bool => Class::Bool,
            Scalar::F16 | Scalar::BF16 | Scalar::F32 | Scalar::F64 => Class::Float,
            Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => Class::Int,
            Scalar::Generic(id) => match self.build.kernel.generics[id].kind {
                GenericKind::Type(Bound::Num) => Class::Num,
                GenericKind::Type(Bound::Int) => Class::Int,
                GenericKind::Type(Bound::Float) => Class::Float,
                GenericKind::Const(_) => unreachable!("types are drawn from type parameters"),
            },
        }
    }

    /// Returns true if the kernel knows that values of `ty` are integers.
    pub(super) fn is_int(&self, ty: Scalar) -> bool {
        self.class(ty) == Class::Int
    }

    /// Emits a constant of a concrete type.
    pub(super) fn constant(&mut self, ty: Scalar, bits: u64) -> Value {
        let id = self.emit(Op::Const(bits), ty);
        Value { id, ty, uniform: true }
    }

    /// Emits a small number of any type but `bool`.
    pub(super) fn small(&mut self, ty: Scalar, number: u8) -> Value {
        match ty {
            Scalar::Generic(_) | Scalar::F16 | Scalar::BF16 | Scalar::F32 | Scalar::F64 => {
                let from = self.constant(Scalar::U8, number.into());
                let id = self.emit(Op::Cast { value: from.id }, ty);
                Value { id, ty, uniform: true }
            }
            Scalar::Bool => unreachable!("`bool` has no numbers"),
            Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => self.constant(ty, number.into()),
        }
    }

    /// Returns a visible value of type `ty`, or a constant.
    pub(super) fn some(&mut self, ty: Scalar) -> Value {
        self.some_that(ty, |_| true)
    }

    /// Returns a uniform value of type `ty`.
    pub(super) fn some_uniform(&mut self, ty: Scalar) -> Value {
        self.some_that(ty, |value| value.uniform)
    }

    fn some_that(&mut self, ty: Scalar, fits: impl Fn(&Value) -> bool) -> Value {
        let fits = |value: &&Value| value.ty == ty && fits(value);
        let visible: Vec<Value> = self.values.iter().filter(fits).copied().collect();
        if !visible.is_empty() && self.draw.chance(85) {
            let recent = visible.len().saturating_sub(3);
            let from = if self.draw.chance(50) { recent } else { 0 };
            return self.draw.one_of(&visible[from..]);
        }
        let value = if let Scalar::Generic(_) = ty {
            let number = self.draw.below(256) as u8;
            self.small(ty, number)
        } else {
            let bits = self.draw.value(ty);
            self.constant(ty, bits)
        };
        self.yields(value.id, ty, true)
    }

    /// Returns a type, mostly one of the kernel's.
    pub(super) fn any_type(&mut self) -> Scalar {
        if self.draw.chance(75) {
            self.draw.one_of(&self.plan.types)
        } else {
            self.draw.one_of(&Scalar::CONCRETE)
        }
    }

    /// Draws an operation that yields a value of type `ty`.
    pub(super) fn compute(&mut self, ty: Scalar) -> Value {
        let (op, uniform) = match self.class(ty) {
            _ if self.draw.chance(10) => self.select(ty),
            Class::Bool => self.boolean(),
            _ if self.draw.chance(15) => self.cast(ty),
            Class::Int => self.integer(ty),
            Class::Float => self.float(ty),
            Class::Num => self.number(ty),
        };
        let id = self.emit(op, ty);
        self.yields(id, ty, uniform)
    }

    fn unary(&mut self, ty: Scalar, ops: &[UnaryOp]) -> (Op, bool) {
        let value = self.some(ty);
        (Op::Unary { op: self.draw.one_of(ops), value: value.id }, value.uniform)
    }

    fn binary(&mut self, ty: Scalar, ops: &[BinaryOp]) -> (Op, bool) {
        let [lhs, rhs] = [self.some(ty), self.some(ty)];
        let op = self.draw.one_of(ops);
        (Op::Binary { op, lhs: lhs.id, rhs: rhs.id }, lhs.uniform && rhs.uniform)
    }

    fn select(&mut self, ty: Scalar) -> (Op, bool) {
        let [cond, then, other] = [self.some(Scalar::Bool), self.some(ty), self.some(ty)];
        let uniform = cond.uniform && then.uniform && other.uniform;
        (Op::Select { cond: cond.id, then: then.id, other: other.id }, uniform)
    }

    fn boolean(&mut self) -> (Op, bool) {
        match self.draw.below(4) {
            0 => self.unary(Scalar::Bool, &[UnaryOp::Not]),
            1 => self.binary(Scalar::Bool, &BITS),
            _ => {
                let ty = self.any_type();
                let [lhs, rhs] = [self.some(ty), self.some(ty)];
                let op = self.draw.one_of(CompareOp::ALL);
                (Op::Compare { op, lhs: lhs.id, rhs: rhs.id }, lhs.uniform && rhs.uniform)
            }
        }
    }

    /// Draws a cast to `ty`, or a bitcast.
    fn cast(&mut self, ty: Scalar) -> (Op, bool) {
        let from = self.any_type();
        let from = if from == Scalar::Bool && !self.is_int(ty) { Scalar::I16 } else { from };
        let value = self.some(from);
        let same_size = from.size() == ty.size() && from.size().is_some();
        if same_size && from != Scalar::Bool && self.draw.chance(60) {
            let value = if from.is_float() { self.without_nan(value) } else { value };
            return (Op::Bitcast { value: value.id }, value.uniform);
        }
        (Op::Cast { value: value.id }, value.uniform)
    }

    /// Emits `value`, or zero where it is a NaN, whose bits are unspecified.
    pub(super) fn without_nan(&mut self, value: Value) -> Value {
        let Value { id, ty, uniform } = value;
        let number = Op::Compare { op: CompareOp::Eq, lhs: id, rhs: id };
        let cond = self.emit(number, Scalar::Bool);
        let zero = self.constant(ty, 0).id;
        let id = self.emit(Op::Select { cond, then: id, other: zero }, ty);
        Value { id, ty, uniform }
    }

    /// Emits bits that distinguish `value` from most others; for a type parameter, those of the
    /// integer part.
    pub(super) fn as_u64(&mut self, value: Value) -> InstId {
        let value = match value.ty {
            Scalar::F16 | Scalar::BF16 | Scalar::F32 | Scalar::F64 => {
                let number = self.without_nan(value).id;
                let ty = match value.ty.size() {
                    Some(2) => Scalar::U16,
                    Some(4) => Scalar::U32,
                    _ => Scalar::U64,
                };
                let id = self.emit(Op::Bitcast { value: number }, ty);
                Value { id, ty, ..value }
            }
            Scalar::Bool
            | Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64
            | Scalar::Generic(_) => value,
        };
        self.emit(Op::Cast { value: value.id }, Scalar::U64)
    }

    fn ternary(&mut self, ty: Scalar, ops: &[TernaryOp]) -> (Op, bool) {
        let [a, b, c] = [self.some(ty), self.some(ty), self.some(ty)];
        let op = self.draw.one_of(ops);
        let uniform = a.uniform && b.uniform && c.uniform;
        (Op::Ternary { op, a: a.id, b: b.id, c: c.id }, uniform)
    }

    fn integer(&mut self, ty: Scalar) -> (Op, bool) {
        match self.draw.below(12) {
            0 => self.unary(ty, &[UnaryOp::Neg, UnaryOp::Not, UnaryOp::Abs]),
            1 => self.unary(ty, &OF_BITS),
            2 => self.binary(ty, &BITS),
            3 => self.binary(ty, &[BinaryOp::MulHigh]),
            4 | 5 => {
                let [lhs, rhs] = [self.some(ty), self.some(Scalar::U32)];
                let op = self.draw.one_of(&SHIFTS);
                (Op::Binary { op, lhs: lhs.id, rhs: rhs.id }, lhs.uniform && rhs.uniform)
            }
            6 | 7 => self.division(ty),
            8 => self.mul_add(ty),
            9 if ty == Scalar::U32 => self.ternary(ty, &OF_WORDS),
            9 if ty == Scalar::I32 => self.ternary(ty, &OF_WORDS[..3]),
            _ => self.binary(ty, &ARITHMETIC),
        }
    }

    /// Draws a quotient or remainder whose divisor is neither zero nor, for `MIN`, -1.
    fn division(&mut self, ty: Scalar) -> (Op, bool) {
        let [lhs, rhs] = [self.some(ty), self.some(ty)];
        let one = self.small(ty, 1).id;
        let odd = self.emit(Op::Binary { op: BinaryOp::Or, lhs: rhs.id, rhs: one }, ty);
        let twice = Op::Binary { op: BinaryOp::Add, lhs: lhs.id, rhs: lhs.id };
        let twice = self.emit(twice, ty);
        // `MIN` and zero are the values whose double is zero.
        let zero = self.small(ty, 0).id;
        let safe = Op::Compare { op: CompareOp::Ne, lhs: twice, rhs: zero };
        let safe = self.emit(safe, Scalar::Bool);
        let divisor = self.emit(Op::Select { cond: safe, then: odd, other: one }, ty);
        let op = self.draw.one_of(&DIVISIONS);
        (Op::Binary { op, lhs: lhs.id, rhs: divisor }, lhs.uniform && rhs.uniform)
    }

    fn float(&mut self, ty: Scalar) -> (Op, bool) {
        let unary = [
            UnaryOp::Neg,
            UnaryOp::Abs,
            UnaryOp::Sqrt,
            UnaryOp::Floor,
            UnaryOp::Ceil,
            UnaryOp::Trunc,
            UnaryOp::RoundTiesEven,
            UnaryOp::Rsqrt,
        ];
        // The last one exists for `f32` only.
        let unary = if ty == Scalar::F32 { &unary[..] } else { &unary[..unary.len() - 1] };
        match self.draw.below(8) {
            0 | 1 => self.unary(ty, unary),
            2 => self.binary(ty, &DIVISIONS),
            3 | 4 => {
                let [a, b, c] = [self.some(ty), self.some(ty), self.some(ty)];
                let uniform = a.uniform && b.uniform && c.uniform;
                (Op::Fma { a: a.id, b: b.id, c: c.id }, uniform)
            }
            5 if ty == Scalar::F32 && self.draw.chance(50) => self.ternary(ty, &DIRECTED),
            5 => self.mul_add(ty),
            _ => self.binary(ty, &ARITHMETIC),
        }
    }

    /// Draws a product plus a value if `ty` is a type parameter, and otherwise an arithmetic
    /// operation.
    fn mul_add(&mut self, ty: Scalar) -> (Op, bool) {
        let Scalar::Generic(_) = ty else { return self.binary(ty, &ARITHMETIC) };
        let [a, b, c] = [self.some(ty), self.some(ty), self.some(ty)];
        let form = self.draw.one_of(MulAddForm::ALL);
        let uniform = a.uniform && b.uniform && c.uniform;
        (Op::MulAdd { form, a: a.id, b: b.id, c: c.id }, uniform)
    }

    fn number(&mut self, ty: Scalar) -> (Op, bool) {
        match self.draw.below(5) {
            0 => self.unary(ty, &[UnaryOp::Neg, UnaryOp::Abs]),
            1 | 2 => self.mul_add(ty),
            3 => {
                let lhs = self.some(ty);
                let rhs = self.small(ty, 3);
                let op = self.draw.one_of(&DIVISIONS);
                (Op::Binary { op, lhs: lhs.id, rhs: rhs.id }, lhs.uniform)
            }
            _ => self.binary(ty, &ARITHMETIC),
        }
    }
}
