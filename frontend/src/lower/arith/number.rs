//! Lowering of constants and conversions.
use crate::{
    hir::{Expr, ExprKind, SpanId},
    lower::{Flow, Lowerer, Value},
    types::{
        Len,
        constant::{Constant, Limit},
    },
};
use warpwise_compiler::ir::{
    BinaryOp, Bound, CompareOp, Extent, GenericKind, InstId, Op, Scalar, UnaryOp, evaluate,
};

/// The largest finite `f16`, `bf16`, `f32` and `f64`.
const LARGEST_FLOATS: [f64; 4] =
    [65504.0, 255.0 / 128.0 * F64_2_POW_127, f32::MAX as f64, f64::MAX];
const F64_2_POW_127: f64 = (1_u128 << 127) as f64;

impl Lowerer<'_> {
    /// Pushes an integer constant of any number type; one of a type parameter is converted after
    /// specialization.
    pub(crate) fn push_int(&mut self, value: i128, scalar: Scalar, at: SpanId) -> InstId {
        match scalar {
            Scalar::Generic(_) => {
                let value = self.push_int(value, Scalar::I32, at);
                self.push_inst(at, Op::Cast { value }, scalar)
            }
            Scalar::F16 | Scalar::BF16 => self.push_float(value as f64, scalar, at),
            Scalar::F32 => self.push_bits(u64::from((value as f32).to_bits()), scalar, at),
            Scalar::F64 => self.push_bits((value as f64).to_bits(), scalar, at),
            Scalar::Bool => self.push_bits(u64::from(value != 0), scalar, at),
            Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64 => self.push_bits(evaluate::wrap(scalar, value), scalar, at),
        }
    }

    /// Pushes a float constant of a float type.
    pub(crate) fn push_float(&mut self, value: f64, scalar: Scalar, at: SpanId) -> InstId {
        match scalar {
            Scalar::F16 | Scalar::BF16 => {
                let bits = scalar.half().map_or(0, |format| format.round_f64(value));
                self.push_bits(bits.into(), scalar, at)
            }
            Scalar::F32 => self.push_bits(u64::from((value as f32).to_bits()), scalar, at),
            Scalar::F64 => self.push_bits(value.to_bits(), scalar, at),
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
                let value = self.push_bits(value.to_bits(), Scalar::F64, at);
                self.push_inst(at, Op::Cast { value }, scalar)
            }
        }
    }

    pub(crate) fn push_bits(&mut self, bits: u64, scalar: Scalar, at: SpanId) -> InstId {
        self.push_inst(at, Op::Const(bits), scalar)
    }

    /// Lowers a literal or constant, negated if `negative`.
    pub(crate) fn lower_constant(&mut self, expr: &Expr, negative: bool) -> Flow<InstId> {
        let at = expr.at;
        let scalar = self.expect_scalar_type(expr.ty, at)?;
        let signed = |value: i128| if negative { value.wrapping_neg() } else { value };
        Ok(match &expr.kind {
            // A literal wider than its type is truncated, as rustc does where its lint is allowed.
            ExprKind::Int(value) => self.push_int(signed(*value as i128), scalar, at),
            ExprKind::Bool(value) => self.push_bits(u64::from(*value), scalar, at),
            ExprKind::Float(digits) => self.lower_float_literal(digits, negative, scalar, at)?,
            ExprKind::Constant(constant) => match *constant {
                Constant::Zero => self.push_int(0, scalar, at),
                Constant::One => self.push_int(1, scalar, at),
                Constant::Int(value) => self.push_int(value, scalar, at),
                Constant::Half(bits) => self.push_bits(bits.into(), scalar, at),
                Constant::F32(value) => self.push_bits(u64::from(value.to_bits()), scalar, at),
                Constant::F64(value) => self.push_bits(value.to_bits(), scalar, at),
                Constant::Limit(limit) => self.push_limit(limit, scalar, at),
            },
            _ => return Err(self.report_bug(at)),
        })
    }

    /// Pushes a limit of a type parameter, as operations that are constants once the kernel is
    /// specialized.
    fn push_limit(&mut self, limit: Limit, scalar: Scalar, at: SpanId) -> InstId {
        match limit {
            Limit::Min => self.push_extreme(-1.0, CompareOp::Gt, scalar, at),
            Limit::Max => self.push_extreme(1.0, CompareOp::Lt, scalar, at),
            Limit::Infinity => self.push_float(f64::INFINITY, scalar, at),
            Limit::NegInfinity => self.push_float(f64::NEG_INFINITY, scalar, at),
            Limit::Nan => self.push_float(f64::NAN, scalar, at),
            // 4/3 is rounded by a third of the distance of two floats there, which the product by 3
            // shows: `((4/3 - 1) * 3 - 1).abs()`.
            Limit::Epsilon => {
                let [near, three] =
                    [4.0 / 3.0, 3.0].map(|value| self.push_float(value, scalar, at));
                let one = self.push_int(1, scalar, at);
                let third = self.push_binary(BinaryOp::Sub, near, one, scalar, at);
                let near = self.push_binary(BinaryOp::Mul, third, three, scalar, at);
                let value = self.push_binary(BinaryOp::Sub, near, one, scalar, at);
                self.push_inst(at, Op::Unary { op: UnaryOp::Abs, value }, scalar)
            }
        }
    }

    /// Pushes the finite number of a type that is the farthest from zero, on the side of `sign`;
    /// `inside` compares a finite number with the infinite one of that side.
    ///
    /// A cast of an infinite number yields the last integer, and of a finite number that a float
    /// type lacks an infinite one.
    fn push_extreme(&mut self, sign: f64, inside: CompareOp, scalar: Scalar, at: SpanId) -> InstId {
        let infinite = self.push_float(sign * f64::INFINITY, scalar, at);
        let bound = match scalar {
            Scalar::Generic(id) => self.build.kernel.generics.get(id).map(|generic| generic.kind),
            _ => None,
        };
        if bound == Some(GenericKind::Type(Bound::Int)) {
            return infinite;
        }
        let [f16, rest @ ..] =
            LARGEST_FLOATS.map(|value| self.push_float(sign * value, scalar, at));
        let mut largest = f16;
        for value in rest {
            let cond = self.push_compare(inside, value, infinite, at);
            largest = self.push_select(cond, value, largest, scalar, at);
        }
        if bound == Some(GenericKind::Type(Bound::Float)) {
            return largest;
        }
        let (half, zero) = (self.push_float(0.5, scalar, at), self.push_int(0, scalar, at));
        let is_float = self.push_compare(CompareOp::Ne, half, zero, at);
        self.push_select(is_float, largest, infinite, scalar, at)
    }

    /// Lowers a float literal, rounded once to its type.
    fn lower_float_literal(
        &mut self,
        digits: &str,
        negative: bool,
        scalar: Scalar,
        at: SpanId,
    ) -> Flow<InstId> {
        let bits = match scalar {
            Scalar::F32 => digits
                .parse::<f32>()
                .map(|value| u64::from(if negative { -value } else { value }.to_bits())),
            _ => digits.parse::<f64>().map(|value| if negative { -value } else { value }.to_bits()),
        };
        match bits {
            Ok(bits) => Ok(self.push_bits(bits, scalar, at)),
            Err(_) => Err(self.report_bug(at)),
        }
    }

    /// Lowers a const parameter or open constant.
    pub(crate) fn lower_const_param(&mut self, len: Len, expr: &Expr) -> Flow<Value> {
        let scalar = self.expect_scalar_type(expr.ty, expr.at)?;
        let extent = self.simplify_len(len, expr.at)?;
        Ok(Value::Scalar(self.lower_extent(&extent, scalar, expr.at)))
    }

    /// Computes an extent in which only the kernel's own parameters remain.
    pub(crate) fn lower_extent(&mut self, extent: &Extent, scalar: Scalar, at: SpanId) -> InstId {
        let (op, a, b) = match extent {
            Extent::Const(bits) => return self.push_bits(*bits, scalar, at),
            Extent::Generic(id) => {
                let declared = match self.build.kernel.generics.get(*id).map(|found| found.kind) {
                    Some(GenericKind::Const(declared)) => declared,
                    Some(GenericKind::Type(_)) | None => scalar,
                };
                let value = self.push_inst(at, Op::Generic(*id), declared);
                return self.push_convert(value, declared, scalar, at);
            }
            Extent::SizeOf(sized) => {
                if let Scalar::Generic(id) = sized {
                    let bytes = self.push_inst(at, Op::Generic(*id), Scalar::U64);
                    return self.push_convert(bytes, Scalar::U64, scalar, at);
                }
                let bytes = sized.size().map_or(0, u64::from);
                return self.push_bits(bytes, scalar, at);
            }
            Extent::Add(a, b) => (BinaryOp::Add, a, b),
            Extent::Sub(a, b) => (BinaryOp::Sub, a, b),
            Extent::Mul(a, b) => (BinaryOp::Mul, a, b),
            Extent::Div(a, b) => (BinaryOp::Div, a, b),
            Extent::Max(a, b) => (BinaryOp::Max, a, b),
        };
        let lhs = self.lower_extent(a, scalar, at);
        let rhs = self.lower_extent(b, scalar, at);
        self.push_binary(op, lhs, rhs, scalar, at)
    }

    /// Lowers Rust's `as`; returns the value itself if the types are equal.
    pub(crate) fn push_convert(
        &mut self,
        value: InstId,
        from: Scalar,
        to: Scalar,
        at: SpanId,
    ) -> InstId {
        match from {
            _ if from == to => value,
            // `f32::from(true)`
            Scalar::Bool if to.is_float() => {
                let one_or_none = self.push_inst(at, Op::Cast { value }, Scalar::U32);
                self.push_inst(at, Op::Cast { value: one_or_none }, to)
            }
            _ => self.push_inst(at, Op::Cast { value }, to),
        }
    }

    pub(crate) fn push_binary(
        &mut self,
        op: BinaryOp,
        lhs: InstId,
        rhs: InstId,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        self.push_inst(at, Op::Binary { op, lhs, rhs }, scalar)
    }
}
