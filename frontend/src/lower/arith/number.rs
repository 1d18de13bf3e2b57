//! Constants and conversions.
use crate::{
    hir::{At, Expr, Kind},
    infer::wrapped,
    lower::{Emit, Flow, Value},
    types::{Len, constant::Constant},
};
use warpwise_compiler::ir::{BinaryOp, Extent, GenericKind, InstId, Op, Scalar};

impl Emit<'_> {
    /// An integer as a constant of any number type; one of a type parameter is converted once it
    /// is known what it is.
    pub(crate) fn int(&mut self, value: i128, scalar: Scalar, at: At) -> InstId {
        match scalar {
            Scalar::Generic(_) => {
                let value = self.int(value, Scalar::I32, at);
                self.inst(at, Op::Cast { value }, scalar)
            }
            Scalar::F16 | Scalar::BF16 => self.float(value as f64, scalar, at),
            Scalar::F32 => self.bits(u64::from((value as f32).to_bits()), scalar, at),
            Scalar::F64 => self.bits((value as f64).to_bits(), scalar, at),
            Scalar::Bool => self.bits(u64::from(value != 0), scalar, at),
            Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => self.bits(wrapped(value, scalar), scalar, at),
        }
    }

    /// A float as a constant of a float type.
    pub(crate) fn float(&mut self, value: f64, scalar: Scalar, at: At) -> InstId {
        match scalar {
            Scalar::F16 | Scalar::BF16 => {
                let bits = scalar.half().map_or(0, |format| format.round_f64(value));
                self.bits(bits.into(), scalar, at)
            }
            Scalar::F32 => self.bits(u64::from((value as f32).to_bits()), scalar, at),
            Scalar::F64 => self.bits(value.to_bits(), scalar, at),
            Scalar::Generic(_)
            | Scalar::Bool
            | Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => {
                let value = self.bits(value.to_bits(), Scalar::F64, at);
                self.inst(at, Op::Cast { value }, scalar)
            }
        }
    }

    pub(crate) fn bits(&mut self, bits: u64, scalar: Scalar, at: At) -> InstId {
        self.inst(at, Op::Const(bits), scalar)
    }

    /// A literal or constant, negated if `negative`.
    pub(crate) fn constant(&mut self, expr: &Expr, negative: bool) -> Flow<InstId> {
        let at = expr.at;
        let scalar = self.scalar_of(expr.ty, at)?;
        let signed = |value: i128| if negative { value.wrapping_neg() } else { value };
        Ok(match &expr.kind {
            // Wider than any type, it is cut to it, as rustc does where its lint is allowed.
            Kind::Int(value) => self.int(signed(*value as i128), scalar, at),
            Kind::Bool(value) => self.bits(u64::from(*value), scalar, at),
            Kind::Float(digits) => self.digits(digits, negative, scalar, at)?,
            Kind::Constant(constant) => match *constant {
                Constant::Zero => self.int(0, scalar, at),
                Constant::One => self.int(1, scalar, at),
                Constant::Int(value) => self.int(value, scalar, at),
                Constant::Half(bits) => self.bits(bits.into(), scalar, at),
                Constant::F32(value) => self.bits(u64::from(value.to_bits()), scalar, at),
                Constant::F64(value) => self.bits(value.to_bits(), scalar, at),
            },
            _ => return Err(self.bug(at)),
        })
    }

    /// A float literal, rounded once to its type.
    fn digits(&mut self, digits: &str, negative: bool, scalar: Scalar, at: At) -> Flow<InstId> {
        let bits = match scalar {
            Scalar::F32 => digits
                .parse::<f32>()
                .map(|value| u64::from(if negative { -value } else { value }.to_bits())),
            _ => digits.parse::<f64>().map(|value| if negative { -value } else { value }.to_bits()),
        };
        match bits {
            Ok(bits) => Ok(self.bits(bits, scalar, at)),
            Err(_) => Err(self.bug(at)),
        }
    }

    /// A constant parameter or open constant.
    pub(crate) fn parameter(&mut self, len: Len, expr: &Expr) -> Flow<Value> {
        let scalar = self.scalar_of(expr.ty, expr.at)?;
        let extent = self.extent_of(len, expr.at)?;
        Ok(Value::Scalar(self.extent_value(&extent, scalar, expr.at)))
    }

    /// The value of an extent in which only the kernel's own parameters are left.
    pub(crate) fn extent_value(&mut self, extent: &Extent, scalar: Scalar, at: At) -> InstId {
        let (op, a, b) = match extent {
            Extent::Const(bits) => return self.bits(*bits, scalar, at),
            Extent::Generic(id) => {
                let declared = match self.build.kernel.generics.get(*id).map(|found| found.kind) {
                    Some(GenericKind::Const(declared)) => declared,
                    Some(GenericKind::Type(_)) | None => scalar,
                };
                let value = self.inst(at, Op::Generic(*id), declared);
                return self.convert(value, declared, scalar, at);
            }
            Extent::SizeOf(of) => {
                let bytes = of.size().map_or(0, u64::from);
                return self.bits(bytes, scalar, at);
            }
            Extent::Add(a, b) => (BinaryOp::Add, a, b),
            Extent::Sub(a, b) => (BinaryOp::Sub, a, b),
            Extent::Mul(a, b) => (BinaryOp::Mul, a, b),
            Extent::Div(a, b) => (BinaryOp::Div, a, b),
            Extent::Max(a, b) => (BinaryOp::Max, a, b),
        };
        let lhs = self.extent_value(a, scalar, at);
        let rhs = self.extent_value(b, scalar, at);
        self.binary_op(op, lhs, rhs, scalar, at)
    }

    /// Rust's `as`; nothing if the types are the same.
    pub(crate) fn convert(&mut self, value: InstId, from: Scalar, to: Scalar, at: At) -> InstId {
        match from {
            _ if from == to => value,
            // `f32::from(true)`
            Scalar::Bool if to.is_float() => {
                let one_or_none = self.inst(at, Op::Cast { value }, Scalar::U32);
                self.inst(at, Op::Cast { value: one_or_none }, to)
            }
            _ => self.inst(at, Op::Cast { value }, to),
        }
    }

    pub(crate) fn binary_op(
        &mut self,
        op: BinaryOp,
        lhs: InstId,
        rhs: InstId,
        scalar: Scalar,
        at: At,
    ) -> InstId {
        self.inst(at, Op::Binary { op, lhs, rhs }, scalar)
    }
}
