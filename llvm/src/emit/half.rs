//! `f16` and `bf16`: what is not an instruction of them is computed in `f32`, which is exact for a
//! conversion and, rounded back, for `+ - * /` and square roots.
//!
//! `f16` is LLVM's `half`. `bf16` is an `i16` and every operation on it is written out here, as in
//! the built-in back end: LLVM's conversions to `bfloat` from integers round twice.
use super::{
    emitter::{Effects, Emitter, inst},
    value::{Type, Value},
};
use warpwise_compiler::{
    back::ptx::{self, HAS_ROUNDING, HAS_SUMS},
    half::Format,
    ir::{BinaryOp, Scalar, UnaryOp},
};

impl Emitter<'_> {
    /// The value of a 16-bit float as an `f32`.
    pub(super) fn half_value(&mut self, format: Format, half: &Value) -> Value {
        match format {
            Format::F16 => inst!(self, Type::Float, "fpext {half} to float"),
            Format::BF16 => self.bf16_value(half),
        }
    }

    /// The value of a `bf16` as an `f32`.
    pub(super) fn bf16_value(&mut self, half: &Value) -> Value {
        if let Ok(bits) = half.name.parse::<i16>() {
            return Value::widened(Format::BF16, bits as u16);
        }
        let word = inst!(self, Type::I32, "zext {half} to i32");
        let bits = inst!(self, Type::I32, "shl {word}, 16");
        inst!(self, Type::Float, "bitcast {bits} to float")
    }

    /// The 16-bit float nearest to an `f32`, ties to even.
    fn rounded(&mut self, format: Format, value: &Value) -> Value {
        match format {
            Format::F16 => inst!(self, Type::Half, "fptrunc {value} to half"),
            Format::BF16 if self.target >= HAS_ROUNDING => {
                let text = "cvt.rn.bf16.f32 $0, $1;";
                self.asm(Type::I16, text, std::slice::from_ref(value), Effects::None)
            }
            Format::BF16 => {
                let bits = inst!(self, Type::I32, "bitcast {value} to i32");
                let last = inst!(self, Type::I32, "lshr {bits}, 16");
                let even = inst!(self, Type::I32, "and {last}, 1");
                let up = inst!(self, Type::I32, "add {bits}, {}", even.name);
                let sum = inst!(self, Type::I32, "add {up}, {}", 0x7fff);
                let upper = inst!(self, Type::I32, "lshr {sum}, 16");
                let nan = inst!(self, Type::I1, "fcmp uno {value}, {}", value.name);
                let result = inst!(self, Type::I32, "select {nan}, i32 {}, {upper}", 0x7fff);
                self.truncate(&result, Type::I16)
            }
        }
    }

    pub(super) fn half_unary(&mut self, format: Format, op: UnaryOp, value: &Value) -> Value {
        let function = match op {
            UnaryOp::Neg => return self.half_bits("xor", 0x8000, value),
            UnaryOp::Abs => return self.half_bits("and", 0x7fff, value),
            UnaryOp::Sqrt => None,
            UnaryOp::Floor => Some("floor"),
            UnaryOp::Ceil => Some("ceil"),
            UnaryOp::Trunc => Some("trunc"),
            UnaryOp::RoundTiesEven => Some("roundeven"),
            UnaryOp::Not
            | UnaryOp::Rsqrt
            | UnaryOp::Approx(_)
            | UnaryOp::CountOnes
            | UnaryOp::LeadingZeros
            | UnaryOp::ReverseBits
            | UnaryOp::SwapBytes => unreachable!("the verifier saw another type here"),
        };
        let value = self.half_value(format, value);
        let result = match function {
            Some(function) => self.float_function(function, value),
            None => self.sqrt(&value),
        };
        self.rounded(format, &result)
    }

    /// Changes the sign, which Rust does in NaNs, too: LLVM does not know that the bits are a
    /// float's.
    fn half_bits(&mut self, op: &str, mask: u16, value: &Value) -> Value {
        let bits = self.bits(value);
        let text = format!("{op}.b16 $0, $1, 0x{mask:04X};");
        let changed = self.asm(Type::I16, &text, &[bits], Effects::None);
        self.of_bits(&changed, value.ty)
    }

    pub(super) fn half_binary(
        &mut self,
        format: Format,
        op: BinaryOp,
        lhs: &Value,
        rhs: &Value,
    ) -> Value {
        if let Some(instruction) = self.half_instruction(format, op) {
            let operands = [lhs, rhs].map(|value| self.bits(value));
            let suffix = ptx::arithmetic(scalar(format));
            let text = format!("{instruction}.{suffix} $0, $1, $2;");
            let result = self.asm(Type::I16, &text, &operands, Effects::None);
            return self.of_bits(&result, lhs.ty);
        }
        let [a, b] = [lhs, rhs].map(|half| self.half_value(format, half));
        let result = self.float_binary(op, &a, &b);
        self.rounded(format, &result)
    }

    /// Returns the target's instruction for 16-bit floats, without their type; `None` if it has
    /// none.
    fn half_instruction(&self, format: Format, op: BinaryOp) -> Option<&'static str> {
        let has_sums = format == Format::F16 || self.target >= HAS_SUMS;
        let has_extremes = self.target >= HAS_ROUNDING;
        match op {
            BinaryOp::Add => has_sums.then_some("add.rn"),
            BinaryOp::Sub => has_sums.then_some("sub.rn"),
            BinaryOp::Mul => has_sums.then_some("mul.rn"),
            BinaryOp::Min => has_extremes.then_some("min"),
            BinaryOp::Max => has_extremes.then_some("max"),
            BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => None,
        }
    }

    /// A fused multiply-add of `bf16`. Where there is none it is done in `f64`, where the product
    /// is exact, and the sum rounded to odd, which the last rounding cannot see.
    pub(super) fn bf16_fma(&mut self, operands: [Value; 3]) -> Value {
        if self.target >= HAS_ROUNDING {
            let text = "fma.rn.bf16 $0, $1, $2, $3;";
            return self.asm(Type::I16, text, &operands, Effects::None);
        }
        let operands = operands.map(|operand| {
            let value = self.bf16_value(&operand);
            inst!(self, Type::Double, "fpext {value} to double")
        });
        let text = "{\n.reg .f64 w_cut, w_below, w_above;\n.reg .b64 w_bits, w_last;\n\
                    .reg .pred w_inexact;\n\
                    fma.rz.f64 w_cut, $1, $2, $3;\n\
                    fma.rm.f64 w_below, $1, $2, $3;\n\
                    fma.rp.f64 w_above, $1, $2, $3;\n\
                    setp.ne.f64 w_inexact, w_below, w_above;\n\
                    mov.b64 w_bits, w_cut;\n\
                    selp.b64 w_last, 1, 0, w_inexact;\n\
                    or.b64 w_bits, w_bits, w_last;\n\
                    mov.b64 $0, w_bits;\n}";
        let sum = self.asm(Type::Double, text, &operands, Effects::None);
        let odd = self.cut_to_odd(&sum, Scalar::F64);
        self.rounded(Format::BF16, &odd)
    }

    /// `value as bf16`, of any other number.
    pub(super) fn cast_to_bf16(&mut self, from: Scalar, value: &Value) -> Value {
        let narrow = match from {
            Scalar::F16 => self.half_value(Format::F16, value),
            Scalar::F32 => value.clone(),
            _ => self.cut_to_odd(value, from),
        };
        self.rounded(Format::BF16, &narrow)
    }

    /// A number as an `f32`, cut off toward zero; with its last bit set if anything was cut off.
    fn cut_to_odd(&mut self, value: &Value, from: Scalar) -> Value {
        // Narrow integers are in 32 bits in PTX, extended.
        let wide = match (value.ty.bits() < 32, from.is_signed()) {
            (true, true) => inst!(self, Type::I32, "sext {value} to i32"),
            (true, false) => inst!(self, Type::I32, "zext {value} to i32"),
            (false, _) => value.clone(),
        };
        let (ty, class) = (ptx::arithmetic(from), if wide.ty.is_float() { "f" } else { "b" });
        let mode = if from == Scalar::F64 { "" } else { ".rzi" };
        let text = format!(
            "{{\n.reg .f32 w_cut;\n.reg .{class}{} w_back;\n.reg .b32 w_bits, w_last;\n\
             .reg .pred w_differs;\n\
             cvt.rz.f32.{ty} w_cut, $1;\n\
             cvt{mode}.{ty}.f32 w_back, w_cut;\n\
             setp.ne.{ty} w_differs, w_back, $1;\n\
             mov.b32 w_bits, w_cut;\n\
             selp.b32 w_last, 1, 0, w_differs;\n\
             or.b32 w_bits, w_bits, w_last;\n\
             mov.b32 $0, w_bits;\n}}",
            wide.ty.bits()
        );
        self.asm(Type::Float, &text, &[wide], Effects::None)
    }
}

const fn scalar(format: Format) -> Scalar {
    match format {
        Format::F16 => Scalar::F16,
        Format::BF16 => Scalar::BF16,
    }
}
