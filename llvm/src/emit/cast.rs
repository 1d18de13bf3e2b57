//! Rust's `as`, and bit casts.
//!
//! A float becomes an integer by the built-in back end's instructions, inline: PTX clamps what is
//! outside a 32- or 64-bit integer, a NaN is taken to 0 where PTX does not promise that, and 8- and
//! 16-bit results are clamped from 32 bits. LLVM's `fptosi.sat` means the same in more
//! instructions. What may overflow `f16` becomes it by inline PTX, too.
use super::{
    emitter::{Effects, Emitter, inst},
    value::{Type, Value},
};
use warpwise_compiler::{
    back::ptx,
    ir::{InstId, Scalar},
};

impl Emitter<'_> {
    /// `value as scalar`, for the scalar that `id` yields.
    pub(super) fn cast(&mut self, id: InstId, value: InstId) -> Value {
        let (from, to) = (self.scalar(value), self.scalar(id));
        let value = self.value(value);
        if from == to {
            return value;
        }
        if to == Scalar::BF16 {
            return self.cast_to_bf16(from, &value);
        }
        let ty = Type::of(to);
        match (from.is_float(), to.is_float()) {
            (false, false) => self.int_to_int(from, &value, ty),
            (false, true) if to == Scalar::F16 && value.ty.bits() > 8 => {
                self.int_to_f16(from, &value)
            }
            (false, true) if from.is_signed() => inst!(self, ty, "sitofp {value} to {ty}"),
            (false, true) => inst!(self, ty, "uitofp {value} to {ty}"),
            (true, false) => self.float_to_int(to, &value, from),
            (true, true) => self.float_to_float(&value, from, ty),
        }
    }

    fn int_to_int(&mut self, from: Scalar, value: &Value, to: Type) -> Value {
        if to.bits() <= value.ty.bits() {
            return self.truncate(value, to);
        }
        let extend = if from.is_signed() { "sext" } else { "zext" };
        inst!(self, to, "{extend} {value} to {to}")
    }

    /// An integer that may be beyond the range of `f16`. LLVM 22 takes a conversion for exact if
    /// `f16` has room for the integer's significant bits, wherever the first of them is, and then
    /// drops the conversion: 2^30 would stay 2^30 in a wider type.
    fn int_to_f16(&mut self, from: Scalar, value: &Value) -> Value {
        let text = format!("cvt.rn.f16.{} $0, $1;", ptx::memory(from));
        let bits = self.asm(Type::I16, &text, std::slice::from_ref(value), Effects::None);
        inst!(self, Type::Half, "bitcast {bits} to half")
    }

    fn float_to_float(&mut self, value: &Value, from: Scalar, to: Type) -> Value {
        let wide = match from {
            Scalar::BF16 => self.bf16_value(value),
            _ => value.clone(),
        };
        if wide.ty == to {
            return wide;
        }
        let convert = if wide.ty.bits() < to.bits() { "fpext" } else { "fptrunc" };
        inst!(self, to, "{convert} {wide} to {to}")
    }

    /// An `f32` for a 16-bit float; anything else is as it is.
    fn in_a_wide_float(&mut self, scalar: Scalar, value: &Value) -> (Scalar, Value) {
        match scalar.half() {
            Some(format) => (Scalar::F32, self.half_value(format, value)),
            None => (scalar, value.clone()),
        }
    }

    fn float_to_int(&mut self, to: Scalar, value: &Value, from: Scalar) -> Value {
        let (from, value) = self.in_a_wide_float(from, value);
        let wide = Type::of(to).bits() == 64;
        if from == Scalar::F32 && !wide {
            return self.f32_to_int(to, &value);
        }
        let (to_name, from_name) = (ptx::arithmetic(to), ptx::arithmetic(from));
        let class = if wide { Type::I64 } else { Type::I32 };
        let convert = format!("cvt.rzi.{to_name}.{from_name} $0, $1;");
        let clamped = self.asm(class, &convert, std::slice::from_ref(&value), Effects::None);
        let number = if from == Scalar::F64 || wide {
            let is_number = inst!(self, Type::I1, "fcmp ord {value}, {}", value.name);
            inst!(self, class, "select {is_number}, {clamped}, {class} 0")
        } else {
            clamped
        };
        self.clamp(to, number)
    }

    /// An `f32` as an integer of up to 32 bits: the nearest one of its type, or zero for NaN.
    fn f32_to_int(&mut self, to: Scalar, value: &Value) -> Value {
        let text = format!("cvt.rzi.{}.f32 $0, $1;", ptx::memory(to));
        let attribute = match narrow_limits(to) {
            Some([lowest, highest]) => format!("range(i32 {lowest}, {}) ", highest + 1),
            None => String::new(),
        };
        let args = std::slice::from_ref(value);
        let number = self.asm_with(&attribute, Type::I32, &text, args, Effects::None);
        self.truncate(&number, Type::of(to))
    }

    /// Takes an `i32` to the nearest that an 8- or 16-bit type has.
    fn clamp(&mut self, to: Scalar, value: Value) -> Value {
        let Some(limits) = narrow_limits(to) else { return value };
        let [lowest, highest] = limits.map(|limit| Value::new(Type::I32, limit.to_string()));
        let inside = if to.is_signed() {
            let below = self.intrinsic(Type::I32, "llvm.smin.i32", &[value, highest]);
            self.intrinsic(Type::I32, "llvm.smax.i32", &[below, lowest])
        } else {
            self.intrinsic(Type::I32, "llvm.umin.i32", &[value, highest])
        };
        self.truncate(&inside, Type::of(to))
    }

    /// The same bits as the type that `id` yields.
    pub(super) fn bitcast(&mut self, id: InstId, value: InstId) -> Value {
        let (value, ty) = (self.value(value), Type::of(self.scalar(id)));
        if value.ty == ty {
            return value;
        }
        inst!(self, ty, "bitcast {value} to {ty}")
    }

    /// The bits of a scalar in an integer of its width.
    pub(super) fn bits(&mut self, value: &Value) -> Value {
        if !value.ty.is_float() {
            return value.clone();
        }
        let int = Type::int(value.ty.bits());
        inst!(self, int, "bitcast {value} to {int}")
    }

    /// The bits of a scalar, zero-extended to 64.
    pub(super) fn bits_in_64(&mut self, value: &Value) -> Value {
        let bits = self.bits(value);
        self.zero_extend(&bits, Type::I64)
    }

    /// The value of a type that has these bits.
    pub(super) fn of_bits(&mut self, bits: &Value, ty: Type) -> Value {
        if bits.ty == ty { bits.clone() } else { inst!(self, ty, "bitcast {bits} to {ty}") }
    }
}

/// Returns the lowest and the highest number of an integer type narrower than 32 bits.
fn narrow_limits(scalar: Scalar) -> Option<[i32; 2]> {
    let bits = Type::of(scalar).bits();
    match scalar.is_signed() {
        _ if bits >= 32 => None,
        true => Some([-(1 << (bits - 1)), (1 << (bits - 1)) - 1]),
        false => Some([0, (1 << bits) - 1]),
    }
}
