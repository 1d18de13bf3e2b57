//! `%` on floats, exact for every input, as Rust's is.
//!
//! LLVM's `frem` becomes `x - trunc(x / y) * y` for NVPTX, which is not exact. This is the loop of
//! the built-in back end (`compiler/src/back/ptx/rem.rs`, which proves it), as inline PTX.
use super::{
    emitter::{Effects, Emitter},
    value::{Type, Value},
};

impl Emitter<'_> {
    /// `x % y` of two `f32` or two `f64`.
    pub(super) fn float_rem(&mut self, x: &Value, y: &Value) -> Value {
        let double = x.ty == Type::Double;
        let literal = |f32: f32, f64: f64| {
            if double {
                format!("0d{:016X}", f64.to_bits())
            } else {
                format!("0f{:08X}", f32.to_bits())
            }
        };
        let ty = if double { "f64" } else { "f32" };
        let nan = literal(f32::from_bits(0x7fff_ffff), f64::from_bits(0x7fff_ffff_ffff_ffff));
        let (zero, infinity) = (literal(0.0, 0.0), literal(f32::INFINITY, f64::INFINITY));
        let (up32, up64) = ((1_u32 << 23) as f32, (1_u64 << 52) as f64);
        let (up, down) = (literal(up32, up64), literal(up32.recip(), up64.recip()));
        let text = format!(
            "{{\n.reg .{ty} w_a, w_b, w_t, w_scaled, w_quotient, w_minus, w_rest, w_fixed, w_result;\n\
             .reg .pred w_finite, w_nonzero, w_defined, w_small, w_below, w_negative, w_last;\n\
             abs.{ty} w_a, $1;\n\
             abs.{ty} w_b, $2;\n\
             setp.lt.{ty} w_finite, w_a, {infinity};\n\
             setp.gt.{ty} w_nonzero, w_b, {zero};\n\
             and.pred w_defined, w_finite, w_nonzero;\n\
             selp.{ty} w_result, $1, {nan}, w_defined;\n\
             setp.lt.{ty} w_small, w_a, w_b;\n\
             @!w_defined bra w_done;\n\
             @w_small bra w_done;\n\
             mov.{ty} w_t, w_b;\n\
             w_up:\n\
             mul.rn.{ty} w_scaled, w_t, {up};\n\
             setp.lt.{ty} w_below, w_a, w_scaled;\n\
             @w_below bra w_down;\n\
             mov.{ty} w_t, w_scaled;\n\
             bra.uni w_up;\n\
             w_down:\n\
             div.rn.{ty} w_quotient, w_a, w_t;\n\
             cvt.rzi.{ty}.{ty} w_quotient, w_quotient;\n\
             neg.{ty} w_minus, w_quotient;\n\
             fma.rn.{ty} w_rest, w_minus, w_t, w_a;\n\
             setp.lt.{ty} w_negative, w_rest, {zero};\n\
             add.rn.{ty} w_fixed, w_rest, w_t;\n\
             selp.{ty} w_a, w_fixed, w_rest, w_negative;\n\
             setp.eq.{ty} w_last, w_t, w_b;\n\
             mul.rn.{ty} w_t, w_t, {down};\n\
             @!w_last bra w_down;\n\
             copysign.{ty} w_result, $1, w_a;\n\
             w_done:\n\
             mov.{ty} $0, w_result;\n}}"
        );
        self.asm(x.ty, &text, &[x.clone(), y.clone()], Effects::None)
    }
}
