//! `f16` and `bf16`: what is not an instruction of them is computed in `f32`, which is exact for a
//! conversion and, rounded back, for `+ - * /` and square roots.
//!
//! Of `f16` the oldest target has sums, products, comparisons and fused multiply-adds. Of `bf16` it
//! has nothing, not even conversions: those are moves of bits there. Conversions and fused
//! multiply-adds came with sm_80, as did `min` and `max` of both; sums and products with sm_90. The
//! bits are the same.
use super::{
    Emitter,
    emitter::{Value, ptx},
    reg::{Class, Imm, Reg, arithmetic},
};
use crate::{
    half::Format,
    ir::{BinaryOp, Inst, InstId, Op, ReduceOp, Scalar, UnaryOp, WarpOp},
    target::Target,
};

/// The first target that rounds to `bf16`, has its fused multiply-add, and `min` and `max` of both
/// types.
pub const HAS_ROUNDING: Target = Target::new(80);
/// The first target with sums, differences and products of `bf16`.
pub const HAS_SUMS: Target = Target::new(90);

/// Returns true if the instruction rounds to `bf16`.
pub(super) fn rounds(inst: &Inst) -> bool {
    let exact = matches!(inst.op, Op::Unary { op: UnaryOp::Neg | UnaryOp::Abs, .. });
    let computes = matches!(
        inst.op,
        Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Cast { .. }
            | Op::Fma { .. }
            | Op::Warp(WarpOp::Reduce { .. })
    );
    inst.ty == Scalar::BF16.into() && computes && !exact
}

/// Returns true if the instruction is a minimum or maximum.
pub(super) fn chooses(inst: &Inst) -> bool {
    let is_half = inst.ty == Scalar::BF16.into() || inst.ty == Scalar::F16.into();
    is_half
        && matches!(
            inst.op,
            Op::Binary { op: BinaryOp::Min | BinaryOp::Max, .. }
                | Op::Warp(WarpOp::Reduce { op: ReduceOp::Min | ReduceOp::Max, .. })
        )
}

/// Returns true if the instruction is a sum, difference or product of `bf16`.
pub(super) fn is_sum(inst: &Inst) -> bool {
    let is_sum = matches!(
        inst.op,
        Op::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, .. }
            | Op::Warp(WarpOp::Reduce { op: ReduceOp::Add, .. })
    );
    inst.ty == Scalar::BF16.into() && is_sum
}

const fn suffix(format: Format) -> &'static str {
    match format {
        Format::F16 => "f16",
        Format::BF16 => "bf16",
    }
}

impl Emitter<'_> {
    /// The value of a 16-bit float as an `f32`.
    pub(super) fn half_value(&mut self, id: InstId) -> Reg {
        let format = self.scalar(id).half().expect("called for 16-bit floats");
        if let Some(bits) = self.kernel.literal(id) {
            let bits = format.to_f32(bits as u16).to_bits().into();
            return self.materialize(Imm { bits, scalar: Scalar::F32 });
        }
        let half = self.reg(id);
        self.widened(format, half)
    }

    fn widened(&mut self, format: Format, half: Reg) -> Reg {
        let value = self.regs.fresh(Class::F32);
        match format {
            Format::F16 => ptx!(self, "cvt.f32.f16 {value}, {half}"),
            Format::BF16 => {
                let word = self.widen_half(half);
                let bits = self.regs.fresh(Class::B32);
                ptx!(self, "shl.b32 {bits}, {word}, 16");
                ptx!(self, "mov.b32 {value}, {bits}");
            }
        }
        value
    }

    /// The 16-bit float nearest to an `f32`, ties to even.
    pub(super) fn rounded(&mut self, format: Format, value: Reg) -> Reg {
        match format {
            Format::F16 => {
                let half = self.regs.fresh(Class::B16);
                ptx!(self, "cvt.rn.f16.f32 {half}, {value}");
                half
            }
            Format::BF16 if self.target >= HAS_ROUNDING => {
                let half = self.regs.fresh(Class::B16);
                ptx!(self, "cvt.rn.bf16.f32 {half}, {value}");
                half
            }
            Format::BF16 => {
                let [bits, last, even, up, rounded, upper, result] =
                    [(); 7].map(|()| self.regs.fresh(Class::B32));
                ptx!(self, "mov.b32 {bits}, {value}");
                ptx!(self, "shr.u32 {last}, {bits}, 16");
                ptx!(self, "and.b32 {even}, {last}, 1");
                ptx!(self, "add.u32 {up}, {bits}, {even}");
                ptx!(self, "add.u32 {rounded}, {up}, 0x7fff");
                ptx!(self, "shr.u32 {upper}, {rounded}, 16");
                let nan = self.pred(format_args!("setp.nan.f32"), format_args!("{value}, {value}"));
                ptx!(self, "selp.b32 {result}, 0x7fff, {upper}, {nan}");
                self.low_half(result)
            }
        }
    }

    /// 16 bits in a register of 32.
    pub(super) fn widen_half(&mut self, half: Reg) -> Reg {
        let word = self.regs.fresh(Class::B32);
        ptx!(self, "cvt.u32.u16 {word}, {half}");
        word
    }

    /// The low 16 bits of a register of 32.
    pub(super) fn low_half(&mut self, word: Reg) -> Reg {
        let half = self.regs.fresh(Class::B16);
        ptx!(self, "cvt.u16.u32 {half}, {word}");
        half
    }

    pub(super) fn half_unary(&mut self, format: Format, op: UnaryOp, value: InstId) -> Value {
        let op = match op {
            UnaryOp::Neg => return self.half_bits("xor", 0x8000, value),
            UnaryOp::Abs => return self.half_bits("and", 0x7fff, value),
            UnaryOp::Sqrt => "sqrt.rn.f32",
            UnaryOp::Floor => "cvt.rmi.f32.f32",
            UnaryOp::Ceil => "cvt.rpi.f32.f32",
            UnaryOp::Trunc => "cvt.rzi.f32.f32",
            UnaryOp::RoundTiesEven => "cvt.rni.f32.f32",
            UnaryOp::Not
            | UnaryOp::Rsqrt
            | UnaryOp::Approx(_)
            | UnaryOp::CountOnes
            | UnaryOp::LeadingZeros
            | UnaryOp::ReverseBits
            | UnaryOp::SwapBytes => unreachable!("the verifier saw another type here"),
        };
        let (value, result) = (self.half_value(value), self.regs.fresh(Class::F32));
        ptx!(self, "{op} {result}, {value}");
        self.rounded(format, result).into()
    }

    /// Of the sign, which Rust changes in NaNs, too.
    fn half_bits(&mut self, op: &str, mask: u16, value: InstId) -> Value {
        let (value, result) = (self.reg(value), self.regs.fresh(Class::B16));
        ptx!(self, "{op}.b16 {result}, {value}, 0x{mask:04X}");
        result.into()
    }

    pub(super) fn half_binary(
        &mut self,
        id: InstId,
        format: Format,
        op: BinaryOp,
        lhs: InstId,
        rhs: InstId,
    ) -> Value {
        let op = match op {
            BinaryOp::Add => "add.rn",
            BinaryOp::Sub => "sub.rn",
            BinaryOp::Mul => "mul.rn",
            BinaryOp::Div => "div.rn",
            BinaryOp::Min => "min",
            BinaryOp::Max => "max",
            BinaryOp::Rem => {
                let operands = [self.half_value(lhs), self.half_value(rhs)];
                let rest = self.float_rem(id, Scalar::F32, operands);
                return self.rounded(format, rest).into();
            }
            BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => unreachable!("the verifier saw another type here"),
        };
        if self.has_half(format, op) {
            let (lhs, rhs, result) = (self.reg(lhs), self.reg(rhs), self.regs.fresh(Class::B16));
            ptx!(self, "{op}.{} {result}, {lhs}, {rhs}", suffix(format));
            return result.into();
        }
        let (lhs, rhs) = (self.half_value(lhs), self.half_value(rhs));
        let result = self.regs.fresh(Class::F32);
        ptx!(self, "{op}.f32 {result}, {lhs}, {rhs}");
        self.rounded(format, result).into()
    }

    /// Returns true if the target has this instruction of 16-bit floats.
    fn has_half(&self, format: Format, op: &str) -> bool {
        match op {
            "add.rn" | "sub.rn" | "mul.rn" => format == Format::F16 || self.target >= HAS_SUMS,
            "min" | "max" => self.target >= HAS_ROUNDING,
            _ => false,
        }
    }

    /// Two values of a reduction as one.
    pub(super) fn half_combined(&mut self, format: Format, op: ReduceOp, both: [Reg; 2]) -> Reg {
        let name = match op {
            ReduceOp::Add => "add.rn",
            ReduceOp::Min => "min",
            ReduceOp::Max => "max",
            ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => {
                unreachable!("the verifier saw integers here")
            }
        };
        if self.has_half(format, name) {
            let ([a, b], result) = (both, self.regs.fresh(Class::B16));
            ptx!(self, "{name}.{} {result}, {a}, {b}", suffix(format));
            return result;
        }
        let [a, b] = both.map(|half| self.widened(format, half));
        let result = self.regs.fresh(Class::F32);
        ptx!(self, "{name}.f32 {result}, {a}, {b}");
        self.rounded(format, result)
    }

    /// A fused multiply-add. Where `bf16` has none it is done in `f64`, where the product is exact,
    /// and the sum rounded to odd, which the last rounding cannot see.
    pub(super) fn half_fma(&mut self, format: Format, operands: [InstId; 3]) -> Value {
        if format == Format::F16 || self.target >= HAS_ROUNDING {
            let [a, b, c] = operands.map(|operand| self.reg(operand));
            let result = self.regs.fresh(Class::B16);
            ptx!(self, "fma.rn.{} {result}, {a}, {b}, {c}", suffix(format));
            return result.into();
        }
        let [a, b, c] = operands.map(|operand| {
            let (value, wide) = (self.half_value(operand), self.regs.fresh(Class::F64));
            ptx!(self, "cvt.f64.f32 {wide}, {value}");
            wide
        });
        let [cut, below, above] = ["rz", "rm", "rp"].map(|mode| {
            let sum = self.regs.fresh(Class::F64);
            ptx!(self, "fma.{mode}.f64 {sum}, {a}, {b}, {c}");
            sum
        });
        let inexact = self.pred(format_args!("setp.ne.f64"), format_args!("{below}, {above}"));
        let [bits, last, odd] = [(); 3].map(|()| self.regs.fresh(Class::B64));
        let sum = self.regs.fresh(Class::F64);
        ptx!(self, "mov.b64 {bits}, {cut}");
        ptx!(self, "selp.b64 {last}, 1, 0, {inexact}");
        ptx!(self, "or.b64 {odd}, {bits}, {last}");
        ptx!(self, "mov.b64 {sum}, {odd}");
        let sum = self.cut_to_odd(sum, Scalar::F64);
        self.rounded(format, sum).into()
    }

    /// `value as` a 16-bit float, of any number.
    pub(super) fn cast_to_half(&mut self, format: Format, from: Scalar, value: InstId) -> Value {
        if from.half().is_some() {
            let value = self.half_value(value);
            return self.rounded(format, value).into();
        }
        let value = self.reg(value);
        if from == Scalar::F32 {
            return self.rounded(format, value).into();
        }
        if format == Format::F16 {
            let half = self.regs.fresh(Class::B16);
            ptx!(self, "cvt.rn.f16.{} {half}, {value}", arithmetic(from));
            return half.into();
        }
        let cut = self.cut_to_odd(value, from);
        self.rounded(format, cut).into()
    }

    /// A number as an `f32`, cut off toward zero; with its last bit set if anything was cut off.
    fn cut_to_odd(&mut self, value: Reg, from: Scalar) -> Reg {
        let (cut, ty) = (self.regs.fresh(Class::F32), arithmetic(from));
        ptx!(self, "cvt.rz.f32.{ty} {cut}, {value}");
        let back = self.regs.fresh(Class::of(from));
        let mode = if from == Scalar::F64 { "" } else { ".rzi" };
        ptx!(self, "cvt{mode}.{ty}.f32 {back}, {cut}");
        let differs = self.pred(format_args!("setp.ne.{ty}"), format_args!("{back}, {value}"));
        let [bits, last, odd] = [(); 3].map(|()| self.regs.fresh(Class::B32));
        let result = self.regs.fresh(Class::F32);
        ptx!(self, "mov.b32 {bits}, {cut}");
        ptx!(self, "selp.b32 {last}, 1, 0, {differs}");
        ptx!(self, "or.b32 {odd}, {bits}, {last}");
        ptx!(self, "mov.b32 {result}, {odd}");
        result
    }
}
