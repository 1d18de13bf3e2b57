//! Rust's `as`, and bit casts.
//!
//! PTX clamps a float that is outside a 32- or 64-bit integer, and takes a NaN to 0 only from `f32`
//! to 32 bits. Here every conversion from `f64` or to 64 bits selects 0 for a NaN itself, and 8-
//! and 16-bit targets are clamped from 32 bits, as no PTX document promises more for them.
use super::{
    Emitter,
    emitter::{Value, ptx},
    facts::width,
    reg::{Class, Operand, Reg, arithmetic, memory},
};
use crate::ir::{InstId, Scalar};

impl Emitter<'_> {
    /// `value as scalar`, for the scalar that `id` yields.
    pub(super) fn cast(&mut self, id: InstId, value: InstId) -> Value {
        let (from, to) = (self.scalar(value), self.scalar(id));
        if let Some(format) = to.half()
            && from != to
        {
            return self.cast_to_half(format, from, value);
        }
        match (from.is_float(), to.is_float()) {
            (false, false) if from == Scalar::Bool => self.bool_to_int(to, value),
            (false, false) => self.int_to_int(from, to, value),
            (false, true) => self.int_to_float(from, to, value),
            (true, false) => self.float_to_int(from, to, value),
            (true, true) => self.float_to_float(from, to, value),
        }
    }

    fn bool_to_int(&mut self, to: Scalar, value: InstId) -> Value {
        let value = self.reg(value);
        let narrow = self.pred_to_byte(value);
        if to != Scalar::I64 {
            return narrow.into();
        }
        let wide = self.regs.fresh(Class::B64);
        ptx!(self, "cvt.u64.u32 {wide}, {narrow}");
        wide.into()
    }

    fn int_to_int(&mut self, from: Scalar, to: Scalar, value: InstId) -> Value {
        if from == to {
            return self.value(value);
        }
        if Class::of(to) == Class::B64 {
            return self.int_to_64_bits(from, to, value);
        }
        let in_range = match (from.is_signed(), to.is_signed()) {
            (false, false) => width(from) <= width(to),
            (false, true) => width(from) < width(to),
            (true, true) => width(from) <= width(to),
            (true, false) => false,
        };
        let low = self.low(value);
        if in_range || width(to) == 32 {
            return self.in_32_bits(low).into();
        }
        let low = self.in_32_bits(low);
        self.normalize(to, low).into()
    }

    /// A register for an operand of at most 32 bits.
    fn in_32_bits(&mut self, operand: Operand) -> Reg {
        match operand {
            Operand::Reg(reg) => reg,
            Operand::Imm(imm) => self.materialize(imm),
        }
    }

    fn int_to_64_bits(&mut self, from: Scalar, to: Scalar, value: InstId) -> Value {
        if from.is_signed() && Class::of(from) == Class::B32 {
            let (value, reg) = (self.reg(value), self.regs.fresh(Class::B64));
            ptx!(self, "cvt.s64.s32 {reg}, {value}");
            reg.into()
        } else if to == Scalar::U64 && self.facts.fits(value) {
            let low = self.low(value);
            self.in_32_bits(low).into()
        } else {
            match self.wide(value) {
                Operand::Reg(reg) => reg.into(),
                Operand::Imm(imm) => self.materialize(super::reg::Imm { scalar: to, ..imm }).into(),
            }
        }
    }

    fn int_to_float(&mut self, from: Scalar, to: Scalar, value: InstId) -> Value {
        let reg = self.regs.fresh(Class::of(to));
        if from == Scalar::Bool {
            let value = self.reg(value);
            let word = self.pred_to_byte(value);
            ptx!(self, "cvt.rn.{}.u32 {reg}, {word}", arithmetic(to));
        } else if from == Scalar::U64 && self.facts.fits(value) {
            let low = self.low(value);
            let low = self.in_32_bits(low);
            ptx!(self, "cvt.rn.{}.u32 {reg}, {low}", arithmetic(to));
        } else {
            let value = self.reg(value);
            ptx!(self, "cvt.rn.{}.{} {reg}, {value}", arithmetic(to), arithmetic(from));
        }
        reg.into()
    }

    fn float_to_float(&mut self, from: Scalar, to: Scalar, value: InstId) -> Value {
        if from == to {
            return self.value(value);
        }
        let (from, value) = self.in_a_wide_float(from, value);
        if from == to {
            return value.into();
        }
        let rounding = if to == Scalar::F32 { ".rn" } else { "" };
        let reg = self.regs.fresh(Class::of(to));
        ptx!(self, "cvt{rounding}.{}.{} {reg}, {value}", arithmetic(to), arithmetic(from));
        reg.into()
    }

    /// A float of at least 32 bits and its type: itself, or the `f32` that a narrower one is.
    fn in_a_wide_float(&mut self, scalar: Scalar, value: InstId) -> (Scalar, Reg) {
        if scalar.half().is_some() {
            (Scalar::F32, self.half_value(value))
        } else {
            (scalar, self.reg(value))
        }
    }

    fn float_to_int(&mut self, from: Scalar, to: Scalar, value: InstId) -> Value {
        let class = Class::of(to);
        let (from, value) = self.in_a_wide_float(from, value);
        let clamped = self.regs.fresh(class);
        if from == Scalar::F32 && class == Class::B32 {
            // One instruction also for 8 and 16 bits: it takes the nearest number of that type and
            // extends it; NaN becomes zero.
            ptx!(self, "cvt.rzi.{}.f32 {clamped}, {value}", memory(to));
            return clamped.into();
        }
        ptx!(self, "cvt.rzi.{}.{} {clamped}, {value}", arithmetic(to), arithmetic(from));
        let number = if from == Scalar::F64 || class == Class::B64 {
            let is_number = self.regs.fresh(Class::Pred);
            let or_zero = self.regs.fresh(class);
            ptx!(self, "setp.num.{} {is_number}, {value}, {value}", arithmetic(from));
            ptx!(self, "selp.{} {or_zero}, {clamped}, 0, {is_number}", class.ty());
            or_zero
        } else {
            clamped
        };
        self.clamp(to, number).into()
    }

    /// Takes a 32-bit integer to the nearest that an 8- or 16-bit type has; anything else is as it
    /// is.
    fn clamp(&mut self, to: Scalar, reg: Reg) -> Reg {
        let (bits, class) = (width(to), Class::of(to));
        if bits >= 32 {
            return reg;
        }
        let ty = arithmetic(to);
        let (lowest, highest) = if to.is_signed() {
            (-(1_i64 << (bits - 1)), (1_i64 << (bits - 1)) - 1)
        } else {
            (0, (1_i64 << bits) - 1)
        };
        let below = self.regs.fresh(class);
        ptx!(self, "min.{ty} {below}, {reg}, {highest}");
        if lowest == 0 {
            return below;
        }
        let inside = self.regs.fresh(class);
        ptx!(self, "max.{ty} {inside}, {below}, {lowest}");
        inside
    }

    /// The same bits as the type that `id` yields.
    pub(super) fn bitcast(&mut self, id: InstId, value: InstId) -> Value {
        let (from, to) = (self.scalar(value), self.scalar(id));
        if from == to {
            return self.value(value);
        }
        let reg = self.reg(value);
        match (Class::of(from), Class::of(to)) {
            (Class::Pred, Class::B32) => self.pred_to_byte(reg).into(),
            (Class::B32, Class::Pred) => self.byte_to_pred(reg).into(),
            (Class::B32, Class::B32) => self.normalize(to, reg).into(),
            (Class::B16, Class::B32) => {
                let word = self.widen_half(reg);
                self.normalize(to, word).into()
            }
            (Class::B32, Class::B16) => self.low_half(reg).into(),
            (a, b) if a == b => reg.into(),
            (_, class) => {
                let bits = self.regs.fresh(class);
                let width = if memory(to).ends_with("64") { "b64" } else { "b32" };
                ptx!(self, "mov.{width} {bits}, {reg}");
                bits.into()
            }
        }
    }
}
