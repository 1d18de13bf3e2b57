//! Arithmetic, comparisons and selection, with Rust's meaning.
//!
//! Floats: LLVM's operations round once, to nearest even, and without fast-math flags nothing fuses
//! or flushes; the NVPTX back end then writes `.rn` on each. What LLVM has no such operation for is
//! inline PTX, the instructions of the built-in back end.
//!
//! Integers wrap; `nuw` and `nsw` stand where the range analysis proves that nothing does. Shift
//! amounts are masked.
use super::{
    emitter::{Effects, Emitter, inst},
    value::{Type, Value},
};
use warpwise_compiler::{
    back::{AbsDiff, find_abs_diff, find_packed_halves, ptx},
    ir::{Approx, BinaryOp, CompareOp, InstId, Op, Scalar, TernaryOp, UnaryOp},
};

impl Emitter<'_> {
    /// An operation on one value.
    pub(super) fn unary(&mut self, id: InstId, op: UnaryOp, operand: InstId) -> Value {
        let scalar = self.scalar(id);
        if let Some(difference) = find_abs_diff(self.kernel, id) {
            return self.abs_diff(scalar, difference);
        }
        let value = self.value(operand);
        if let Some(format) = scalar.half() {
            return self.half_unary(format, op, &value);
        }
        let ty = value.ty;
        let suffix = ty.suffix();
        match op {
            UnaryOp::Neg if ty.is_float() => self.change_sign(id, "neg", "xor", &value),
            UnaryOp::Abs if ty.is_float() => self.change_sign(id, "abs", "and", &value),
            UnaryOp::Neg => self.negated(&value),
            UnaryOp::Abs if scalar.is_unsigned() => value,
            UnaryOp::Abs if self.has_narrow_source(id, operand) => self.narrow_abs(&value),
            UnaryOp::Abs => {
                let wrapping = Value::new(Type::I1, "false");
                self.intrinsic(ty, &format!("llvm.abs.{suffix}"), &[value, wrapping])
            }
            UnaryOp::Not => {
                let ones = if ty == Type::I1 { "true" } else { "-1" };
                inst!(self, ty, "xor {value}, {ones}")
            }
            UnaryOp::Sqrt => self.sqrt(&value),
            UnaryOp::Rsqrt => self.rsqrt(value),
            UnaryOp::Floor => self.float_function("floor", value),
            UnaryOp::Ceil => self.float_function("ceil", value),
            UnaryOp::Trunc => self.float_function("trunc", value),
            UnaryOp::RoundTiesEven => self.float_function("roundeven", value),
            UnaryOp::CountOnes => self.intrinsic(ty, &format!("llvm.ctpop.{suffix}"), &[value]),
            UnaryOp::LeadingZeros => {
                let of_zero = Value::new(Type::I1, "false");
                self.intrinsic(ty, &format!("llvm.ctlz.{suffix}"), &[value, of_zero])
            }
            UnaryOp::ReverseBits => {
                self.intrinsic(ty, &format!("llvm.bitreverse.{suffix}"), &[value])
            }
            UnaryOp::SwapBytes if ty == Type::I8 => value,
            UnaryOp::SwapBytes => self.intrinsic(ty, &format!("llvm.bswap.{suffix}"), &[value]),
            UnaryOp::Approx(approx) => self.approximation(approx, value),
        }
    }

    pub(super) fn float_function(&mut self, name: &str, value: Value) -> Value {
        let ty = value.ty;
        self.intrinsic(ty, &format!("llvm.{name}.{}", ty.suffix()), &[value])
    }

    /// A square root. LLVM takes its own `llvm.sqrt` for one instruction, where `ptxas` makes some
    /// ten, and runs it ahead of a branch that mostly skips it.
    pub(super) fn sqrt(&mut self, value: &Value) -> Value {
        self.rounded_function("sqrt", std::slice::from_ref(value))
    }

    /// A quotient, which LLVM would run ahead of branches in the same way. An `fdiv` by a constant
    /// becomes a product where that is exact.
    fn quotient(&mut self, lhs: &Value, rhs: &Value) -> Value {
        if rhs.name.starts_with('%') {
            self.rounded_function("div", &[lhs.clone(), rhs.clone()])
        } else {
            inst!(self, lhs.ty, "fdiv {lhs}, {}", rhs.name)
        }
    }

    /// A function of NVPTX that rounds to the nearest number, and that LLVM leaves in its place.
    fn rounded_function(&mut self, name: &str, args: &[Value]) -> Value {
        let ty = args[0].ty;
        let suffix = if ty == Type::Double { "d" } else { "f" };
        self.intrinsic(ty, &format!("llvm.nvvm.{name}.rn.{suffix}"), args)
    }

    fn rsqrt(&mut self, value: Value) -> Value {
        let between = ["w_y", "w_root", "w_tail", "w_half", "w_rest"];
        let instructions = ptx::rsqrt("$0", "$1", &between).join(";\n");
        let text = format!("{{\n.reg .f32 {};\n{instructions};\n}}", between.join(", "));
        self.asm(Type::Float, &text, &[value], Effects::None)
    }

    fn approximation(&mut self, approx: Approx, value: Value) -> Value {
        let instruction = ptx::approximate(approx);
        self.asm(Type::Float, &format!("{instruction}.f32 $0, $1;"), &[value], Effects::None)
    }

    /// `-x`. Where a kernel has minima or maxima, `neg` could meet a defect of `ptxas`, for which
    /// the built-in back end writes `!x + 1`, too.
    fn negated(&mut self, value: &Value) -> Value {
        if !self.has_extremes || value.ty.bits() > 32 {
            return inst!(self, value.ty, "sub {} 0, {}", value.ty, value.name);
        }
        let word = self.zero_extend(value, Type::I32);
        let text = "{\n.reg .b32 w_complement;\nnot.b32 w_complement, $1;\n\
                    add.s32 $0, w_complement, 1;\n}";
        let negative = self.asm(Type::I32, text, &[word], Effects::None);
        self.truncate(&negative, value.ty)
    }

    /// `-x` or `|x|`, which in Rust change the sign bit and nothing else. LLVM and the hardware do
    /// that to numbers; where it can be seen of a NaN, inline PTX does `bitwise` to the bits, which
    /// LLVM would make the float operation of.
    fn change_sign(&mut self, id: InstId, float: &str, bitwise: &str, value: &Value) -> Value {
        let ty = value.ty;
        if !self.facts.bits_matter(id) {
            return match float {
                "neg" => inst!(self, ty, "fneg {value}"),
                _ => self.float_function("fabs", value.clone()),
            };
        }
        let int = Type::int(ty.bits());
        let sign = 1_u64 << (ty.bits() - 1);
        let mask = if bitwise == "and" { sign - 1 } else { sign };
        let bits = inst!(self, int, "bitcast {value} to {int}");
        let text = format!("{bitwise}.b{} $0, $1, {mask};", ty.bits());
        let changed = self.asm(int, &text, &[bits], Effects::None);
        inst!(self, ty, "bitcast {changed} to {ty}")
    }

    /// An operation on two values.
    pub(super) fn binary(&mut self, id: InstId, op: BinaryOp, lhs: InstId, rhs: InstId) -> Value {
        if let Some(halves) = find_packed_halves(self.kernel, id) {
            let halves = halves.map(|half| self.value(half));
            return self.asm(Type::I32, "mov.b32 $0, {$1, $2};", &halves, Effects::None);
        }
        let scalar = self.scalar(id);
        if let Some(difference) = find_abs_diff(self.kernel, id) {
            return self.abs_diff(scalar, difference);
        }
        if let Some(value) = ptx::find_shift_by_31(self.kernel, id) {
            let value = self.value(value);
            let text = "shl.b64 $0, $1, 30;\nshl.b64 $0, $0, 1;";
            return self.asm(Type::I64, text, &[value], Effects::None);
        }
        let exact = self.ranges.is_exact(id);
        let (lhs, rhs) = match op {
            BinaryOp::Mul => (self.factor(lhs, rhs), self.factor(rhs, lhs)),
            _ => (self.value(lhs), self.value(rhs)),
        };
        if scalar.is_int() {
            self.int_binary(scalar, op, &lhs, &rhs, exact)
        } else {
            self.combine(scalar, op, &lhs, &rhs)
        }
    }

    /// An absolute difference, in 32 bits: of narrower minima and maxima LLVM makes operations on
    /// pairs of 16 bits, which take further instructions to separate.
    fn abs_diff(&mut self, scalar: Scalar, difference: AbsDiff) -> Value {
        let AbsDiff { lhs, rhs, addend, is_signed } = difference;
        let [lhs, rhs] = [lhs, rhs].map(|operand| {
            let value = self.value(operand);
            self.zero_extend(&value, Type::I32)
        });
        let addend = addend.map_or(Value::i32(0), |addend| self.value(addend));
        let text = format!("sad.{} $0, $1, $2, $3;", if is_signed { "s32" } else { "u32" });
        let sum = self.asm(Type::I32, &text, &[lhs, rhs, addend], Effects::None);
        self.truncate(&sum, Type::of(scalar))
    }

    /// An operation on two values of a scalar type, which may wrap.
    pub(super) fn combine(
        &mut self,
        scalar: Scalar,
        op: BinaryOp,
        lhs: &Value,
        rhs: &Value,
    ) -> Value {
        if let Some(format) = scalar.half() {
            self.half_binary(format, op, lhs, rhs)
        } else if scalar.is_float() {
            self.float_binary(op, lhs, rhs)
        } else {
            self.int_binary(scalar, op, lhs, rhs, false)
        }
    }

    pub(super) fn float_binary(&mut self, op: BinaryOp, lhs: &Value, rhs: &Value) -> Value {
        let ty = lhs.ty;
        let name = match op {
            BinaryOp::Add => "fadd",
            BinaryOp::Sub => "fsub",
            BinaryOp::Mul => "fmul",
            BinaryOp::Div => return self.quotient(lhs, rhs),
            BinaryOp::Rem => return self.float_rem(lhs, rhs),
            BinaryOp::Min => return self.float_extreme("minimumnum", lhs, rhs),
            BinaryOp::Max => return self.float_extreme("maximumnum", lhs, rhs),
            BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => unreachable!("the verifier saw integers or `bool` here"),
        };
        inst!(self, ty, "{name} {lhs}, {}", rhs.name)
    }

    /// `minimumnum` or `maximumnum`, which ignore a NaN and have -0.0 below +0.0.
    fn float_extreme(&mut self, name: &str, lhs: &Value, rhs: &Value) -> Value {
        let name = format!("llvm.{name}.{}", lhs.ty.suffix());
        self.intrinsic(lhs.ty, &name, &[lhs.clone(), rhs.clone()])
    }

    fn int_binary(
        &mut self,
        scalar: Scalar,
        op: BinaryOp,
        lhs: &Value,
        rhs: &Value,
        exact: bool,
    ) -> Value {
        let (ty, signed) = (lhs.ty, scalar.is_signed());
        let flag = match (exact, signed) {
            (true, true) => "nsw ",
            (true, false) => "nuw ",
            (false, _) => "",
        };
        let name = match op {
            BinaryOp::Add => format!("add {flag}"),
            BinaryOp::Sub => format!("sub {flag}"),
            BinaryOp::Mul => format!("mul {flag}"),
            BinaryOp::And => "and ".to_owned(),
            BinaryOp::Or => "or ".to_owned(),
            BinaryOp::Xor => "xor ".to_owned(),
            BinaryOp::Div | BinaryOp::Rem => return self.divide(op, signed, lhs, rhs),
            BinaryOp::Shl | BinaryOp::Shr => {
                let amount = self.shift_amount(ty, rhs);
                let shift = match (op, signed) {
                    (BinaryOp::Shl, _) => "shl",
                    (_, true) => "ashr",
                    (_, false) => "lshr",
                };
                return inst!(self, ty, "{shift} {lhs}, {}", amount.name);
            }
            BinaryOp::Min | BinaryOp::Max => {
                let sign = if signed { "s" } else { "u" };
                let name = if op == BinaryOp::Min { "min" } else { "max" };
                let name = format!("llvm.{sign}{name}.{}", ty.suffix());
                return self.intrinsic(ty, &name, &[lhs.clone(), rhs.clone()]);
            }
            BinaryOp::MulHigh => return self.mul_high(signed, lhs, rhs),
            BinaryOp::RotateLeft => {
                let amount = self.shift_amount(ty, rhs);
                let name = format!("llvm.fshl.{}", ty.suffix());
                return self.intrinsic(ty, &name, &[lhs.clone(), lhs.clone(), amount]);
            }
        };
        inst!(self, ty, "{name}{lhs}, {}", rhs.name)
    }

    /// The amount, a `u32`, modulo the width of `ty`, as that type.
    fn shift_amount(&mut self, ty: Type, amount: &Value) -> Value {
        let masked = inst!(self, Type::I32, "and {amount}, {}", ty.bits() - 1);
        match ty {
            Type::I64 => self.zero_extend(&masked, ty),
            _ => self.truncate(&masked, ty),
        }
    }

    /// The upper half of a product in a type that is twice as wide.
    fn mul_high(&mut self, signed: bool, lhs: &Value, rhs: &Value) -> Value {
        let (ty, bits) = (lhs.ty, lhs.ty.bits());
        let (extend, wide) = (if signed { "sext" } else { "zext" }, 2 * bits);
        // `Type` has no 128 bits: the type of these four is in their text alone.
        let [a, b] = [lhs, rhs].map(|value| inst!(self, ty, "{extend} {value} to i{wide}").name);
        let product = inst!(self, ty, "mul i{wide} {a}, {b}").name;
        let high = inst!(self, ty, "lshr i{wide} {product}, {bits}").name;
        inst!(self, ty, "trunc i{wide} {high} to {ty}")
    }

    /// A fused multiply-add.
    pub(super) fn fma(&mut self, id: InstId, operands: [InstId; 3]) -> Value {
        let scalar = self.scalar(id);
        let operands = operands.map(|operand| self.value(operand));
        if scalar == Scalar::BF16 {
            return self.bf16_fma(operands);
        }
        let ty = Type::of(scalar);
        self.intrinsic(ty, &format!("llvm.fma.{}", ty.suffix()), &operands)
    }

    /// An operation on three values: LLVM has those on integers as functions of its own or not at
    /// all, and no floats that are rounded in a direction without strict arithmetic.
    pub(super) fn ternary(&mut self, id: InstId, op: TernaryOp, operands: [InstId; 3]) -> Value {
        let scalar = self.scalar(id);
        let operands = operands.map(|operand| self.value(operand));
        let between = ["w_flag", "w_sum"];
        let text = ptx::ternary(op, scalar, "$0", ["$1", "$2", "$3"], &between).join(";\n");
        let text = if ptx::takes_flag(op) {
            format!("{{\n.reg .b32 {};\n{text};\n}}", between.join(", "))
        } else {
            format!("{text};")
        };
        self.asm(Type::of(scalar), &text, &operands, Effects::None)
    }

    /// A comparison. With a NaN, all but `Ne` are false.
    pub(super) fn compare(&mut self, op: CompareOp, lhs: InstId, rhs: InstId) -> Value {
        if op == CompareOp::Eq
            && self.kernel.literal(rhs) == Some(0)
            && let Some(whole) = self.upper_half_of(lhs)
        {
            return self.has_no_upper_half(whole);
        }
        let scalar = self.scalar(lhs);
        let mut operands = [self.value(lhs), self.value(rhs)];
        if scalar == Scalar::BF16 {
            operands = operands.map(|operand| self.bf16_value(&operand));
        }
        let [lhs, rhs] = operands;
        let relation = match op {
            CompareOp::Eq => "eq",
            CompareOp::Ne => "ne",
            CompareOp::Lt => "lt",
            CompareOp::Le => "le",
            CompareOp::Gt => "gt",
            CompareOp::Ge => "ge",
        };
        let (kind, prefix) = match op {
            CompareOp::Ne if scalar.is_float() => ("fcmp", "u"),
            _ if scalar.is_float() => ("fcmp", "o"),
            CompareOp::Eq | CompareOp::Ne => ("icmp", ""),
            CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => {
                ("icmp", if scalar.is_signed() { "s" } else { "u" })
            }
        };
        inst!(self, Type::I1, "{kind} {prefix}{relation} {lhs}, {}", rhs.name)
    }

    /// True for a magnitude of 8 or 16 bits, and for one of 32 bits of a number that has no more.
    fn has_narrow_source(&self, id: InstId, operand: InstId) -> bool {
        let is_narrow = |id| matches!(self.scalar(id), Scalar::I8 | Scalar::I16);
        match self.kernel.insts[operand].op {
            Op::Cast { value } if self.scalar(id) == Scalar::I32 => is_narrow(value),
            _ => is_narrow(id),
        }
    }

    /// The magnitude of a narrow number, in 32 bits. By inline PTX: LLVM computes it in 16 bits,
    /// where GPUs have no such instruction.
    fn narrow_abs(&mut self, value: &Value) -> Value {
        let wide = match value.ty {
            Type::I32 => value.clone(),
            _ => inst!(self, Type::I32, "sext {value} to i32"),
        };
        let magnitude = self.asm(Type::I32, "abs.s32 $0, $1;", &[wide], Effects::None);
        match value.ty {
            Type::I32 => magnitude,
            ty => inst!(self, ty, "trunc {magnitude} to {ty}"),
        }
    }

    /// Returns the value whose upper half `id` is.
    fn upper_half_of(&self, id: InstId) -> Option<InstId> {
        let Op::Cast { value } = self.kernel.insts[id].op else { return None };
        let Op::Binary { op: BinaryOp::Shr, lhs: whole, rhs } = self.kernel.insts[value].op else {
            return None;
        };
        let is_half = self.scalar(id) == Scalar::U32
            && self.scalar(whole) == Scalar::U64
            && self.kernel.literal(rhs) == Some(32);
        is_half.then_some(whole)
    }

    /// True if `whole` is below 2^32. By inline PTX: LLVM compares both halves, and `ptxas` keeps
    /// what computes the lower one.
    fn has_no_upper_half(&mut self, whole: InstId) -> Value {
        let text = "{\n.reg .b32 w_lower;\nmov.b64 {w_lower, $0}, $1;\n}";
        let whole = self.value(whole);
        let upper = self.asm(Type::I32, text, &[whole], Effects::None);
        inst!(self, Type::I1, "icmp eq {upper}, 0")
    }

    /// One of two values.
    pub(super) fn select(&mut self, cond: InstId, then: InstId, other: InstId) -> Value {
        let [cond, then, other] = [cond, then, other].map(|operand| self.value(operand));
        inst!(self, then.ty, "select {cond}, {then}, {other}")
    }

    /// An unsigned integer or `bool` in a type that is at least as wide.
    pub(super) fn zero_extend(&mut self, value: &Value, to: Type) -> Value {
        if value.ty == to { value.clone() } else { inst!(self, to, "zext {value} to {to}") }
    }

    /// The low bits of an integer.
    pub(super) fn truncate(&mut self, value: &Value, to: Type) -> Value {
        if value.ty == to { value.clone() } else { inst!(self, to, "trunc {value} to {to}") }
    }
}
