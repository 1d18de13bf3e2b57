//! Arithmetic, comparisons and selection, with Rust's meaning.
//!
//! Float operations carry `.rn` and never `.ftz`, so that nothing below fuses or flushes, but for
//! those that say that they approximate. 8- and 16-bit results are brought back into range; shifts
//! take their amount modulo the width, where PTX would clamp it.
use super::{
    Emitter,
    emitter::{Value, ptx},
    facts::width,
    products::find_shift_by_31,
    reg::{Class, Imm, Operand, Reg, arithmetic, untyped},
};
use crate::back::{AbsDiff, find_abs_diff, find_packed_halves};
use crate::ir::{Approx, BinaryOp, CompareOp, Direction, InstId, Scalar, TernaryOp, Ty, UnaryOp};
use std::fmt::Display;

impl Emitter<'_> {
    /// An operation on one value.
    pub(super) fn unary(&mut self, id: InstId, op: UnaryOp, value: InstId) -> Value {
        let scalar = self.scalar(id);
        if let Some(format) = scalar.half() {
            return self.half_unary(format, op, value);
        }
        if let Some(difference) = find_abs_diff(self.kernel, id) {
            return self.abs_diff(difference);
        }
        match op {
            UnaryOp::Neg if scalar.is_float() => self.change_sign(id, "neg", "xor", value),
            UnaryOp::Abs if scalar.is_float() => self.change_sign(id, "abs", "and", value),
            UnaryOp::Neg => self.negative(scalar, value).into(),
            UnaryOp::Abs if scalar.is_unsigned() => self.value(value),
            UnaryOp::Abs if width(scalar) < 32 => self.int_unary("abs.s", scalar, value).into(),
            UnaryOp::Abs => self.magnitude(scalar, value).into(),
            UnaryOp::Not if scalar == Scalar::Bool => {
                let value = self.reg(value);
                self.pred(format_args!("not.pred"), format_args!("{value}")).into()
            }
            UnaryOp::Not => self.int_unary("not.b", scalar, value).into(),
            UnaryOp::Sqrt => self.float_unary("sqrt.rn", scalar, value),
            UnaryOp::Rsqrt => {
                let (value, reg) = (self.operand(value), self.regs.fresh(Class::F32));
                let between = [(); 5].map(|()| self.regs.fresh(Class::F32));
                for instruction in rsqrt(reg, value, &between) {
                    ptx!(self, "{instruction}");
                }
                reg.into()
            }
            UnaryOp::Floor => self.round("rmi", scalar, value),
            UnaryOp::Ceil => self.round("rpi", scalar, value),
            UnaryOp::Trunc => self.round("rzi", scalar, value),
            UnaryOp::RoundTiesEven => self.round("rni", scalar, value),
            UnaryOp::CountOnes => self.count_ones(scalar, value),
            UnaryOp::LeadingZeros => self.leading_zeros(scalar, value),
            UnaryOp::ReverseBits => self.reverse_bits(scalar, value),
            UnaryOp::SwapBytes => self.swap_bytes(scalar, value),
            UnaryOp::Approx(approx) => self.float_unary(approximate(approx), scalar, value),
        }
    }

    /// x, if an operation is 0 - x or x * -1 and [`complement_plus_one`](Self::complement_plus_one)
    /// is needed.
    fn negates(&self, scalar: Scalar, op: BinaryOp, lhs: InstId, rhs: InstId) -> Option<InstId> {
        let unused = 64 - width(scalar);
        let is = |value, wanted: u64| {
            self.kernel.literal(value).is_some_and(|bits| bits << unused == wanted << unused)
        };
        let value = match op {
            BinaryOp::Sub if is(lhs, 0) => rhs,
            BinaryOp::Mul if is(rhs, u64::MAX) => lhs,
            BinaryOp::Mul if is(lhs, u64::MAX) => rhs,
            _ => return None,
        };
        (unused >= 32 && self.has_extremes).then_some(value)
    }

    fn negative(&mut self, scalar: Scalar, value: InstId) -> Reg {
        if width(scalar) <= 32 && self.has_extremes {
            self.complement_plus_one(scalar, value)
        } else {
            self.int_unary("neg.s", scalar, value)
        }
    }

    /// -x as !x + 1. Where `neg` makes a number that is compared so, the `ptxas` of CUDA 13.0
    /// merges two comparisons into one of three, and compares with x.
    fn complement_plus_one(&mut self, scalar: Scalar, value: InstId) -> Reg {
        let value = self.operand(value);
        let [complement, reg] = [(); 2].map(|()| self.regs.fresh(Class::of(scalar)));
        ptx!(self, "not.b32 {complement}, {value}");
        ptx!(self, "add.s32 {reg}, {complement}, 1");
        self.normalize(scalar, reg)
    }

    /// |x| of 32 or 64 bits, which is negative for the least x: `ptxas` 12.0 to 13.0 takes the result of
    /// `abs` for at least 0 where it is compared with 0.
    fn magnitude(&mut self, scalar: Scalar, value: InstId) -> Reg {
        let (negative, value) = (self.negative(scalar, value), self.operand(value));
        let reg = self.regs.fresh(Class::of(scalar));
        let ty = arithmetic(scalar);
        let is_negative = self.pred(format_args!("setp.lt.{ty}"), format_args!("{value}, 0"));
        ptx!(self, "selp.{} {reg}, {negative}, {value}, {is_negative}", untyped(scalar));
        reg
    }

    fn int_unary(&mut self, op: &str, scalar: Scalar, value: InstId) -> Reg {
        let (value, reg) = (self.operand(value), self.regs.fresh(Class::of(scalar)));
        let bits = if reg.class == Class::B64 { 64 } else { 32 };
        ptx!(self, "{op}{bits} {reg}, {value}");
        self.normalize(scalar, reg)
    }

    fn float_unary(&mut self, op: &str, scalar: Scalar, value: InstId) -> Value {
        let (value, reg) = (self.operand(value), self.regs.fresh(Class::of(scalar)));
        ptx!(self, "{op}.{} {reg}, {value}", arithmetic(scalar));
        reg.into()
    }

    fn round(&mut self, mode: &str, scalar: Scalar, value: InstId) -> Value {
        let (value, reg) = (self.reg(value), self.regs.fresh(Class::of(scalar)));
        let ty = arithmetic(scalar);
        ptx!(self, "cvt.{mode}.{ty}.{ty} {reg}, {value}");
        reg.into()
    }

    /// `-x` or `|x|`, which in Rust change the sign bit and nothing else. `float`, which
    /// the hardware gets for free as an operand's modifier, may quieten a NaN and is taken
    /// where that cannot be seen; elsewhere `bitwise` is done to the bits.
    fn change_sign(&mut self, id: InstId, float: &str, bitwise: &str, value: InstId) -> Value {
        let scalar = self.scalar(id);
        if !self.facts.bits_matter(id) {
            return self.float_unary(float, scalar, value);
        }
        let (bits, sign) =
            if scalar == Scalar::F32 { (Scalar::U32, 1 << 31) } else { (Scalar::U64, 1 << 63) };
        let mask = Imm { bits: if bitwise == "and" { sign - 1 } else { sign }, scalar: bits };
        let value = self.reg(value);
        let class = Class::of(bits);
        let [from, to] = [(); 2].map(|()| self.regs.fresh(class));
        let result = self.regs.fresh(Class::of(scalar));
        ptx!(self, "mov.{} {from}, {value}", class.ty());
        ptx!(self, "{bitwise}.{} {to}, {from}, {mask}", class.ty());
        ptx!(self, "mov.{} {result}, {to}", class.ty());
        result.into()
    }

    /// An operation on two values.
    pub(super) fn binary(&mut self, id: InstId, op: BinaryOp, lhs: InstId, rhs: InstId) -> Value {
        let scalar = self.scalar(id);
        if let Some(format) = scalar.half() {
            self.half_binary(id, format, op, lhs, rhs)
        } else if scalar.is_float() {
            self.float_binary(id, op, lhs, rhs)
        } else if scalar == Scalar::Bool {
            let (lhs, rhs) = (self.reg(lhs), self.reg(rhs));
            self.pred(format_args!("{}.pred", mnemonic(op)), format_args!("{lhs}, {rhs}")).into()
        } else if let Some([low, high]) = find_packed_halves(self.kernel, id) {
            let (low, high) = (self.reg(low), self.reg(high));
            let word = self.regs.fresh(Class::B32);
            ptx!(self, "mov.b32 {word}, {{{low}, {high}}}");
            word.into()
        } else if let Some(difference) = find_abs_diff(self.kernel, id) {
            self.abs_diff(difference)
        } else if op == BinaryOp::RotateLeft {
            self.rotate_left(scalar, lhs, rhs)
        } else if op == BinaryOp::MulHigh {
            self.mul_high(scalar, lhs, rhs)
        } else if let Some(value) = self.divide_by_power(id, op, lhs, rhs) {
            value
        } else if let Some(value) = self.negates(scalar, op, lhs, rhs) {
            self.complement_plus_one(scalar, value).into()
        } else if scalar == Scalar::U64 && self.is_narrow(id, op, lhs, rhs) {
            self.int_binary(Scalar::U32, scalar, op, lhs, rhs)
        } else if let Some(value) = find_shift_by_31(self.kernel, id) {
            let value = self.operand(value);
            let [half, shifted] = [(); 2].map(|()| self.regs.fresh(Class::B64));
            ptx!(self, "shl.b64 {half}, {value}, 30");
            ptx!(self, "shl.b64 {shifted}, {half}, 1");
            shifted.into()
        } else if scalar == Scalar::U64
            && op == BinaryOp::Mul
            && self.facts.fits(lhs)
            && self.facts.fits(rhs)
        {
            let (lhs, rhs) = (self.low(lhs), self.low(rhs));
            let reg = self.regs.fresh(Class::B64);
            ptx!(self, "mul.wide.u32 {reg}, {lhs}, {rhs}");
            reg.into()
        } else if width(scalar) == 64 && matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            self.divide_wide(id, op, [lhs, rhs]).into()
        } else if width(scalar) == 64
            && op == BinaryOp::Mul
            && let Some(product) = self.multiply_by_hidden_factor(lhs, rhs)
        {
            product.into()
        } else {
            self.int_binary(scalar, scalar, op, lhs, rhs)
        }
    }

    /// An absolute difference, and the sum that it is added to: one instruction.
    fn abs_diff(&mut self, difference: AbsDiff) -> Value {
        let AbsDiff { lhs, rhs, addend, is_signed } = difference;
        let ty = if is_signed { "s32" } else { "u32" };
        let [lhs, rhs] = [lhs, rhs].map(|operand| self.operand(operand));
        let addend = match addend {
            Some(addend) => self.operand(addend),
            None => Operand::Imm(Imm { bits: 0, scalar: Scalar::U32 }),
        };
        let sum = self.regs.fresh(Class::B32);
        ptx!(self, "sad.{ty} {sum}, {lhs}, {rhs}, {addend}");
        sum.into()
    }

    /// `lhs / rhs` and `lhs % rhs` of unsigned integers by a power of two: one instruction.
    fn divide_by_power(
        &mut self,
        id: InstId,
        op: BinaryOp,
        lhs: InstId,
        rhs: InstId,
    ) -> Option<Value> {
        let scalar = self.scalar(id);
        let divisor =
            self.kernel.literal(rhs).filter(|by| scalar.is_unsigned() && by.is_power_of_two())?;
        let (instruction, operand) = match op {
            BinaryOp::Div => ("shr.u", divisor.trailing_zeros().into()),
            BinaryOp::Rem => ("and.b", divisor - 1),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => return None,
        };
        let narrow = Class::of(scalar) == Class::B32 || self.facts.fits(lhs);
        let (class, bits) = if narrow { (Class::B32, 32) } else { (Class::B64, 64) };
        let lhs = if narrow { self.low(lhs) } else { self.operand(lhs) };
        let operand = if narrow { operand.min(u32::MAX.into()) } else { operand };
        let reg = self.regs.fresh(class);
        ptx!(self, "{instruction}{bits} {reg}, {lhs}, {operand}");
        Some(reg.into())
    }

    /// Returns true if the low halves of two `u64` determine the result.
    fn is_narrow(&self, id: InstId, op: BinaryOp, lhs: InstId, rhs: InstId) -> bool {
        match op {
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl => self.facts.fits(id),
            BinaryOp::Div | BinaryOp::Rem | BinaryOp::Min | BinaryOp::Max => {
                self.facts.fits(lhs) && self.facts.fits(rhs)
            }
            BinaryOp::Shr => self.facts.fits(lhs),
            BinaryOp::MulHigh | BinaryOp::RotateLeft => false,
        }
    }

    /// Computes as on `scalar`, which is as wide as the type or the low half of it.
    fn int_binary(
        &mut self,
        scalar: Scalar,
        ty: Scalar,
        op: BinaryOp,
        lhs: InstId,
        rhs: InstId,
    ) -> Value {
        let shift = op.is_shift();
        let narrow = Class::of(scalar) == Class::B32;
        let lhs = if narrow { self.low(lhs) } else { self.operand(lhs) };
        let rhs = match (shift, narrow) {
            (true, _) => self.shift_amount(ty, rhs),
            (false, true) => self.low(rhs),
            (false, false) => self.operand(rhs),
        };
        let suffix = match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl => Class::of(scalar).ty(),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Shr
            | BinaryOp::Min
            | BinaryOp::Max => arithmetic(scalar),
            BinaryOp::MulHigh | BinaryOp::RotateLeft => {
                unreachable!("these have functions of their own")
            }
        };
        let lo = if op == BinaryOp::Mul { ".lo" } else { "" };
        let reg = self.regs.fresh(Class::of(scalar));
        ptx!(self, "{}{lo}.{suffix} {reg}, {lhs}, {rhs}", mnemonic(op));
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl | BinaryOp::Div => {
                self.normalize(scalar, reg).into()
            }
            BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shr
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => reg.into(),
        }
    }

    /// The amount modulo the width of `ty`.
    pub(super) fn shift_amount(&mut self, ty: Scalar, amount: InstId) -> Operand {
        let mask = width(ty) - 1;
        if let Some(bits) = self.kernel.literal(amount) {
            return Operand::Imm(Imm { bits: bits & u64::from(mask), scalar: Scalar::U32 });
        }
        let (amount, masked) = (self.low(amount), self.regs.fresh(Class::B32));
        ptx!(self, "and.b32 {masked}, {amount}, {mask}");
        Operand::Reg(masked)
    }

    /// Brings an 8- or 16-bit integer back into range; anything else is as it is.
    pub(super) fn normalize(&mut self, scalar: Scalar, reg: Reg) -> Reg {
        let conversion = match scalar {
            Scalar::I8 => "cvt.s32.s8",
            Scalar::I16 => "cvt.s32.s16",
            Scalar::U8 => "cvt.u32.u8",
            Scalar::U16 => "cvt.u32.u16",
            Scalar::Bool
            | Scalar::I32
            | Scalar::I64
            | Scalar::U32
            | Scalar::U64
            | Scalar::F16
            | Scalar::BF16
            | Scalar::F32
            | Scalar::F64 => return reg,
            Scalar::Generic(_) => unreachable!("a specialized kernel has no type parameters"),
        };
        let normal = self.regs.fresh(Class::B32);
        ptx!(self, "{conversion} {normal}, {reg}");
        normal
    }

    fn float_binary(&mut self, id: InstId, op: BinaryOp, lhs: InstId, rhs: InstId) -> Value {
        let scalar = self.scalar(id);
        let rounding = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => ".rn",
            BinaryOp::Min | BinaryOp::Max => "",
            BinaryOp::Rem => {
                let operands = [self.reg(lhs), self.reg(rhs)];
                return self.float_rem(id, scalar, operands).into();
            }
            BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => unreachable!("the verifier saw integers or `bool` here"),
        };
        // Rounded once as the quotient is, in two thirds of the instructions.
        if op == BinaryOp::Div && self.kernel.literal(lhs).is_some_and(|bits| is_one(bits, scalar))
        {
            return self.float_unary("rcp.rn", scalar, rhs);
        }
        let (lhs, divisor) =
            (self.number(lhs), self.kernel.literal(rhs).filter(|_| op == BinaryOp::Div));
        let reg = self.regs.fresh(Class::of(scalar));
        if let Some(bits) = divisor.and_then(|bits| exact_reciprocal(bits, scalar)) {
            let factor = Imm { bits, scalar };
            ptx!(self, "mul.rn.{} {reg}, {lhs}, {factor}", arithmetic(scalar));
            return reg.into();
        }
        let rhs = self.number(rhs);
        ptx!(self, "{}{rounding}.{} {reg}, {lhs}, {rhs}", mnemonic(op), arithmetic(scalar));
        reg.into()
    }

    /// A fused multiply-add.
    pub(super) fn fma(&mut self, id: InstId, a: InstId, b: InstId, c: InstId) -> Value {
        let scalar = self.scalar(id);
        if let Some(format) = scalar.half() {
            return self.half_fma(format, [a, b, c]);
        }
        let [a, b, c] = [a, b, c].map(|operand| self.number(operand));
        let reg = self.regs.fresh(Class::of(scalar));
        ptx!(self, "fma.rn.{} {reg}, {a}, {b}, {c}", arithmetic(scalar));
        reg.into()
    }

    /// An operation on three values.
    pub(super) fn ternary(&mut self, id: InstId, op: TernaryOp, operands: [InstId; 3]) -> Value {
        let scalar = self.scalar(id);
        let [a, b, c] = operands.map(|operand| self.number(operand));
        let reg = self.regs.fresh(Class::of(scalar));
        let between =
            if takes_flag(op) { [(); 2].map(|()| self.regs.fresh(Class::B32)) } else { [reg; 2] };
        for instruction in ternary(op, scalar, reg, [a, b, c], &between) {
            ptx!(self, "{instruction}");
        }
        reg.into()
    }

    /// A comparison. With a NaN, all but `Ne` are false.
    pub(super) fn compare(&mut self, op: CompareOp, lhs: InstId, rhs: InstId) -> Value {
        let scalar = self.scalar(lhs);
        if scalar == Scalar::Bool {
            return self.compare_bools(op, lhs, rhs);
        }
        let narrow = scalar == Scalar::U64 && self.facts.fits(lhs) && self.facts.fits(rhs);
        let (suffix, [lhs, rhs]) = if narrow {
            ("u32", [lhs, rhs].map(|operand| self.low(operand)))
        } else if scalar == Scalar::BF16 {
            ("f32", [lhs, rhs].map(|operand| Operand::Reg(self.half_value(operand))))
        } else {
            (arithmetic(scalar), [lhs, rhs].map(|operand| self.number(operand)))
        };
        let relation = match op {
            CompareOp::Eq => "eq",
            CompareOp::Ne if scalar.is_float() => "neu",
            CompareOp::Ne => "ne",
            CompareOp::Lt => "lt",
            CompareOp::Le => "le",
            CompareOp::Gt => "gt",
            CompareOp::Ge => "ge",
        };
        self.pred(format_args!("setp.{relation}.{suffix}"), format_args!("{lhs}, {rhs}")).into()
    }

    fn compare_bools(&mut self, op: CompareOp, lhs: InstId, rhs: InstId) -> Value {
        let (lhs, rhs) = (self.reg(lhs), self.reg(rhs));
        let not = |this: &mut Self, reg| this.pred(format_args!("not.pred"), format_args!("{reg}"));
        let (op, lhs, rhs) = match op {
            CompareOp::Ne => ("xor", lhs, rhs),
            CompareOp::Eq => ("xor", not(self, lhs), rhs),
            CompareOp::Lt => ("and", not(self, lhs), rhs),
            CompareOp::Le => ("or", not(self, lhs), rhs),
            CompareOp::Gt => ("and", lhs, not(self, rhs)),
            CompareOp::Ge => ("or", lhs, not(self, rhs)),
        };
        self.pred(format_args!("{op}.pred"), format_args!("{lhs}, {rhs}")).into()
    }

    /// One of two values.
    pub(super) fn select(
        &mut self,
        id: InstId,
        cond: InstId,
        then: InstId,
        other: InstId,
    ) -> Value {
        let cond = self.reg(cond);
        if self.kernel.insts[id].ty == Scalar::Bool.into() {
            let (then, other) = (self.reg(then), self.reg(other));
            let yes = self.pred(format_args!("and.pred"), format_args!("{cond}, {then}"));
            let not = self.pred(format_args!("not.pred"), format_args!("{cond}"));
            let no = self.pred(format_args!("and.pred"), format_args!("{not}, {other}"));
            return self.pred(format_args!("or.pred"), format_args!("{yes}, {no}")).into();
        }
        let narrow = self.kernel.insts[id].ty == Scalar::U64.into() && self.facts.fits(id);
        let [then, other] =
            [then, other].map(|of| if narrow { self.low(of) } else { self.operand(of) });
        let class = match self.kernel.insts[id].ty {
            Ty::Scalar(_) if narrow => Class::B32,
            Ty::Scalar(scalar) => Class::of(scalar),
            Ty::Ptr(space) => Class::of_pointer(space),
            Ty::Unit => unreachable!("the verifier saw values here"),
        };
        let reg = self.regs.fresh(class);
        ptx!(self, "selp.{} {reg}, {then}, {other}, {cond}", class.ty());
        match self.kernel.insts[id].ty {
            Ty::Ptr(space) => super::address::Address::of(space, reg).into(),
            Ty::Scalar(_) | Ty::Unit => reg.into(),
        }
    }

    /// A fresh predicate, set by `op` on `operands`.
    pub(super) fn pred(
        &mut self,
        op: std::fmt::Arguments<'_>,
        operands: std::fmt::Arguments<'_>,
    ) -> Reg {
        let reg = self.regs.fresh(Class::Pred);
        ptx!(self, "{op} {reg}, {operands}");
        reg
    }
}

/// The instruction that does `op`.
const fn mnemonic(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::Div => "div",
        BinaryOp::Rem => "rem",
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Xor => "xor",
        BinaryOp::Shl => "shl",
        BinaryOp::Shr => "shr",
        BinaryOp::Min => "min",
        BinaryOp::Max => "max",
        BinaryOp::MulHigh => "mul.hi",
        BinaryOp::RotateLeft => "shf.l.wrap",
    }
}

/// The reciprocal of a power of two in `f32`, if that is a normal number: a product with it is
/// rounded as the quotient is.
fn exact_reciprocal(bits: u64, scalar: Scalar) -> Option<u64> {
    if scalar != Scalar::F32 {
        // Without the subroutine of a quotient of `f64`, `ptxas` unrolls loops to thousands of
        // instructions.
        return None;
    }
    let divisor = f32::from_bits(bits as u32);
    let is_power = bits & 0x7f_ffff == 0 && divisor.is_normal();
    let reciprocal = divisor.recip();
    (is_power && reciprocal.is_normal()).then(|| reciprocal.to_bits().into())
}

/// Returns true for the bits of 1.0.
fn is_one(bits: u64, scalar: Scalar) -> bool {
    scalar == Scalar::F32 && bits == u64::from(1.0_f32.to_bits())
        || scalar == Scalar::F64 && bits == 1.0_f64.to_bits()
}

/// The instruction for an approximation, which but for `tanh` can have subnormal numbers be zeros,
/// and is shorter then.
pub const fn approximate(op: Approx) -> &'static str {
    match op {
        Approx::Exp2 => "ex2.approx.ftz",
        Approx::Log2 => "lg2.approx.ftz",
        Approx::Sin => "sin.approx.ftz",
        Approx::Cos => "cos.approx.ftz",
        Approx::Tanh => "tanh.approx",
        Approx::Recip => "rcp.approx.ftz",
        Approx::Rsqrt => "rsqrt.approx.ftz",
        Approx::Sqrt => "sqrt.approx.ftz",
    }
}

/// Returns true for operations that take several instructions, which the flag of carries connects.
pub fn takes_flag(op: TernaryOp) -> bool {
    matches!(op, TernaryOp::AddCarry | TernaryOp::CarryOut)
}

/// The instructions of a [`TernaryOp`], on operands and, where it [takes the flag](takes_flag), two
/// registers for what is between, as they are written.
///
/// A sum with a carry sets the flag and adds; the carry that comes out is read from the flag that
/// the same sum leaves. In a row of sums that take each other's carries, `ptxas` makes one
/// instruction of all this.
pub fn ternary<T: Display>(
    op: TernaryOp,
    scalar: Scalar,
    result: impl Display,
    [a, b, c]: [T; 3],
    between: &[impl Display; 2],
) -> Vec<String> {
    let sign = if scalar == Scalar::I32 { "s32" } else { "u32" };
    vec![match op {
        TernaryOp::DotBytes => format!("dp4a.{sign}.{sign} {result}, {a}, {b}, {c}"),
        TernaryOp::DotHalvesLow => format!("dp2a.lo.{sign}.{sign} {result}, {a}, {b}, {c}"),
        TernaryOp::DotHalvesHigh => format!("dp2a.hi.{sign}.{sign} {result}, {a}, {b}, {c}"),
        TernaryOp::PermuteBytes => format!("prmt.b32 {result}, {a}, {b}, {c}"),
        // The lower word first.
        TernaryOp::FunnelShl => format!("shf.l.wrap.b32 {result}, {b}, {a}, {c}"),
        TernaryOp::FunnelShr => format!("shf.r.wrap.b32 {result}, {b}, {a}, {c}"),
        TernaryOp::AddCarry => {
            let [flag, _] = between;
            return vec![
                format!("add.cc.u32 {flag}, {c}, -1"),
                format!("addc.u32 {result}, {a}, {b}"),
            ];
        }
        TernaryOp::CarryOut => {
            let [flag, sum] = between;
            return vec![
                format!("add.cc.u32 {flag}, {c}, -1"),
                format!("addc.cc.u32 {sum}, {a}, {b}"),
                format!("addc.u32 {result}, 0, 0"),
            ];
        }
        TernaryOp::FmaTo(direction) => {
            let mode = match direction {
                Direction::Zero => "rz",
                Direction::Up => "rp",
                Direction::Down => "rm",
            };
            format!("fma.{mode}.f32 {result}, {a}, {b}, {c}")
        }
    }]
}

/// The instructions of [`UnaryOp::Rsqrt`], on operands and five registers for what is between, as
/// they are written.
///
/// One step of Newton's method from the hardware's estimate y: the rest r = 1/2 - x y y / 2, for
/// which x y is taken as the sum of two floats, makes y + y (r + r r), nearer to the inverse root
/// than any number halfway between two floats is. A test beside
/// [`library::root::rsqrt`](crate::library::root::rsqrt) does it for every estimate within the
/// error that the PTX ISA states. The estimates of 0 and of infinity are the results, which a rest
/// that is no number must not spoil.
pub fn rsqrt(result: impl Display, x: impl Display, between: &[impl Display; 5]) -> [String; 10] {
    let [y, root, tail, half, rest] = between;
    [
        format!("rsqrt.approx.f32 {y}, {x}"),
        format!("mul.rn.f32 {root}, {x}, {y}"),
        format!("neg.f32 {tail}, {root}"),
        format!("fma.rn.f32 {tail}, {x}, {y}, {tail}"),
        format!("mul.rn.f32 {half}, {y}, 0fBF000000"),
        format!("fma.rp.f32 {rest}, {root}, {half}, 0f3F000000"),
        format!("fma.rn.f32 {rest}, {tail}, {half}, {rest}"),
        format!("min.f32 {rest}, {rest}, 0f3F800000"),
        format!("fma.rp.f32 {rest}, {rest}, {rest}, {rest}"),
        format!("fma.rn.f32 {result}, {y}, {rest}, {y}"),
    ]
}
