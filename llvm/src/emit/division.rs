//! Quotients and remainders of integers.
//!
//! Those of 64-bit integers by a divisor that is not a literal are inline PTX, the text of the
//! built-in back end (`compiler/src/back/ptx/division.rs`, which proves it): of `div` and `rem`,
//! `ptxas` would make calls of a subroutine, around which its releases 12.0 to 13.4 miscompile
//! loops that lanes leave one after the other.
//!
//! A divisor that LLVM would call undefined is replaced, although a check stands before: where
//! threads may still meet, a failing check [goes on](super::fault) as far as LLVM can tell.
use super::{
    emitter::{Effects, Emitter, inst},
    value::{Type, Value},
};
use warpwise_compiler::ir::BinaryOp;

/// The number that is added to the estimate's bits: they are multiplied by 2^64, less two units in
/// the last place.
const SCALE_BY_2_64_ROUNDED_DOWN: u32 = 0x1fff_fffe;

impl Emitter<'_> {
    /// `lhs / rhs` or `lhs % rhs`.
    pub(super) fn divide(&mut self, op: BinaryOp, signed: bool, lhs: &Value, rhs: &Value) -> Value {
        if lhs.ty == Type::I64 && rhs.name.starts_with('%') {
            let quotient = self.wide_quotient(signed, lhs, rhs);
            if op == BinaryOp::Div {
                return quotient;
            }
            let product = inst!(self, Type::I64, "mul {quotient}, {}", rhs.name);
            return inst!(self, Type::I64, "sub {lhs}, {}", product.name);
        }
        if signed {
            self.signed_division(op, lhs, rhs)
        } else {
            let name = if op == BinaryOp::Div { "udiv" } else { "urem" };
            let zero = inst!(self, Type::I1, "icmp eq {rhs}, 0");
            let divisor = inst!(self, lhs.ty, "select {zero}, {} 1, {rhs}", lhs.ty);
            inst!(self, lhs.ty, "{name} {lhs}, {}", divisor.name)
        }
    }

    /// `MIN / -1` wraps.
    fn signed_division(&mut self, op: BinaryOp, lhs: &Value, rhs: &Value) -> Value {
        let ty = lhs.ty;
        let zero = inst!(self, Type::I1, "icmp eq {rhs}, 0");
        let minus_one = inst!(self, Type::I1, "icmp eq {rhs}, -1");
        let special = inst!(self, Type::I1, "or {zero}, {}", minus_one.name);
        let divisor = inst!(self, ty, "select {special}, {ty} 1, {rhs}");
        if op == BinaryOp::Rem {
            return inst!(self, ty, "srem {lhs}, {}", divisor.name);
        }
        let quotient = inst!(self, ty, "sdiv {lhs}, {}", divisor.name);
        let negative = inst!(self, ty, "sub {ty} 0, {}", lhs.name);
        inst!(self, ty, "select {minus_one}, {negative}, {quotient}")
    }

    /// Most numbers of 64 bits are lengths and indices, and fit 32: then the quotient is one of 32
    /// bits, in half the instructions.
    fn wide_quotient(&mut self, signed: bool, lhs: &Value, rhs: &Value) -> Value {
        let operand = if signed { "abs.s64" } else { "mov.b64" };
        let mut text = format!(
            "{{\n.reg .f32 w_float;\n.reg .b32 w_bits;\n.reg .pred w_holds;\n\
             .reg .b64 w_n, w_d, w_estimate, w_product, w_q, w_rest, w_next, w_less;\n\
             .reg .b32 w_low_n, w_low_d, w_low_q;\n\
             {operand} w_n, $1;\n{operand} w_d, $2;\n\
             or.b64 w_rest, w_n, w_d;\n\
             setp.gt.u64 w_holds, w_rest, 4294967295;\n\
             @w_holds bra w_wide;\n\
             cvt.u32.u64 w_low_n, w_n;\n\
             cvt.u32.u64 w_low_d, w_d;\n\
             div.u32 w_low_q, w_low_n, w_low_d;\n\
             cvt.u64.u32 w_q, w_low_q;\n\
             bra w_known;\n\
             w_wide:\n\
             cvt.rp.f32.u64 w_float, w_d;\n\
             rcp.approx.ftz.f32 w_float, w_float;\n\
             mov.b32 w_bits, w_float;\n\
             add.s32 w_bits, w_bits, {SCALE_BY_2_64_ROUNDED_DOWN};\n\
             mov.b32 w_float, w_bits;\n\
             cvt.rzi.u64.f32 w_estimate, w_float;\n"
        );
        for _ in 0..2 {
            text += "mul.lo.u64 w_product, w_estimate, w_d;\n\
                     neg.s64 w_product, w_product;\n\
                     mul.hi.u64 w_product, w_estimate, w_product;\n\
                     add.u64 w_estimate, w_estimate, w_product;\n";
        }
        text += "mul.hi.u64 w_q, w_n, w_estimate;\n\
                 mul.lo.u64 w_product, w_q, w_d;\n\
                 sub.u64 w_rest, w_n, w_product;\n";
        for _ in 0..2 {
            text += "setp.ge.u64 w_holds, w_rest, w_d;\n\
                     add.u64 w_next, w_q, 1;\n\
                     sub.u64 w_less, w_rest, w_d;\n\
                     selp.b64 w_q, w_next, w_q, w_holds;\n\
                     selp.b64 w_rest, w_less, w_rest, w_holds;\n";
        }
        text += "w_known:\n";
        if signed {
            text += "xor.b64 w_d, $1, $2;\n\
                     setp.lt.s64 w_holds, w_d, 0;\n\
                     neg.s64 w_next, w_q;\n\
                     selp.b64 w_q, w_next, w_q, w_holds;\n";
        }
        text += "mov.b64 $0, w_q;\n}";
        self.asm(Type::I64, &text, &[lhs.clone(), rhs.clone()], Effects::None)
    }
}
