//! Bits of integers: counted, reversed, rotated, and the upper halves of products.
//!
//! Each is one instruction on 32 bits. Narrower integers go through it and are shifted back into
//! place, which also extends them; 64-bit ones have an instruction, or are two halves.
use super::{
    Emitter,
    emitter::{Value, ptx},
    facts::width,
    reg::{Class, Operand, Reg, arithmetic},
};
use crate::ir::{InstId, Scalar};

impl Emitter<'_> {
    pub(super) fn count_ones(&mut self, scalar: Scalar, value: InstId) -> Value {
        if Class::of(scalar) == Class::B64 && !self.facts.fits(value) {
            return self.count_wide("popc", scalar, value);
        }
        let value = self.zero_extended(scalar, value);
        let count = self.regs.fresh(Class::B32);
        ptx!(self, "popc.b32 {count}, {value}");
        self.counted(scalar, count)
    }

    pub(super) fn leading_zeros(&mut self, scalar: Scalar, value: InstId) -> Value {
        if Class::of(scalar) == Class::B64 && !self.facts.fits(value) {
            return self.count_wide("clz", scalar, value);
        }
        let value = self.zero_extended(scalar, value);
        let (in_32, count) = (self.regs.fresh(Class::B32), self.regs.fresh(Class::B32));
        ptx!(self, "clz.b32 {in_32}, {value}");
        if width(scalar) == 32 {
            return in_32.into();
        }
        let more = i64::from(width(scalar)) - 32;
        ptx!(self, "add.s32 {count}, {in_32}, {more}");
        self.counted(scalar, count)
    }

    /// Emits the count that `op` makes of 64 bits, in a 32-bit register.
    fn count_wide(&mut self, op: &str, scalar: Scalar, value: InstId) -> Value {
        let (value, count) = (self.reg(value), self.regs.fresh(Class::B32));
        ptx!(self, "{op}.b64 {count}, {value}");
        self.counted(scalar, count)
    }

    /// A small count as a value of the type: of a `u64` the low half will do.
    fn counted(&mut self, scalar: Scalar, count: Reg) -> Value {
        if scalar != Scalar::I64 {
            return count.into();
        }
        let wide = self.regs.fresh(Class::B64);
        ptx!(self, "cvt.u64.u32 {wide}, {count}");
        wide.into()
    }

    /// The bits of an integer that fits 32, with zeros above.
    fn zero_extended(&mut self, scalar: Scalar, value: InstId) -> Operand {
        let value = self.low(value);
        if !scalar.is_signed() || width(scalar) >= 32 {
            return value;
        }
        let (mask, bits) = ((1_u64 << width(scalar)) - 1, self.regs.fresh(Class::B32));
        ptx!(self, "and.b32 {bits}, {value}, {mask}");
        Operand::Reg(bits)
    }

    pub(super) fn reverse_bits(&mut self, scalar: Scalar, value: InstId) -> Value {
        let class = Class::of(scalar);
        let (value, reversed) = (self.operand(value), self.regs.fresh(class));
        ptx!(self, "brev.{} {reversed}, {value}", class.ty());
        self.down_from_the_top(scalar, reversed).into()
    }

    /// The uppermost bits of 32, as many as the type has, in their place.
    fn down_from_the_top(&mut self, scalar: Scalar, reg: Reg) -> Reg {
        if width(scalar) >= 32 {
            return reg;
        }
        let down = self.regs.fresh(Class::B32);
        ptx!(self, "shr.{} {down}, {reg}, {}", arithmetic(scalar), 32 - width(scalar));
        down
    }

    pub(super) fn swap_bytes(&mut self, scalar: Scalar, value: InstId) -> Value {
        match width(scalar) {
            8 => self.value(value),
            16 => {
                let swapped = self.permute(value, 0x4401);
                self.normalize(scalar, swapped).into()
            }
            32 => self.permute(value, 0x0123).into(),
            _ => {
                let [low, high] = self.halves(value);
                let [upper, lower] = [low, high].map(|half| {
                    let swapped = self.regs.fresh(Class::B32);
                    ptx!(self, "prmt.b32 {swapped}, {half}, 0, 0x0123");
                    swapped
                });
                self.joined(lower, upper).into()
            }
        }
    }

    /// The bytes of a 32-bit register that the digits of `selector` name, the lowest digit for
    /// the lowest byte; 4 is a byte of zeros.
    fn permute(&mut self, value: InstId, selector: u32) -> Reg {
        let (value, permuted) = (self.reg(value), self.regs.fresh(Class::B32));
        ptx!(self, "prmt.b32 {permuted}, {value}, 0, 0x{selector:04x}");
        permuted
    }

    fn halves(&mut self, value: InstId) -> [Reg; 2] {
        let value = self.reg(value);
        let [low, high] = [(); 2].map(|()| self.regs.fresh(Class::B32));
        ptx!(self, "mov.b64 {{{low}, {high}}}, {value}");
        [low, high]
    }

    fn joined(&mut self, low: Reg, high: Reg) -> Reg {
        let whole = self.regs.fresh(Class::B64);
        ptx!(self, "mov.b64 {whole}, {{{low}, {high}}}");
        whole
    }

    /// Narrow integers are repeated until they fill 32 bits, shifted, and taken from the top.
    pub(super) fn rotate_left(&mut self, scalar: Scalar, value: InstId, amount: InstId) -> Value {
        match width(scalar) {
            64 => self.rotate_wide(value, amount),
            32 => {
                let (value, rotated) = (self.operand(value), self.regs.fresh(Class::B32));
                let amount = self.shift_amount(scalar, amount);
                ptx!(self, "shf.l.wrap.b32 {rotated}, {value}, {value}, {amount}");
                rotated.into()
            }
            bits => {
                let repeated = self.permute(value, if bits == 8 { 0 } else { 0x1010 });
                let amount = self.shift_amount(scalar, amount);
                let moved = self.regs.fresh(Class::B32);
                ptx!(self, "shl.b32 {moved}, {repeated}, {amount}");
                self.down_from_the_top(scalar, moved).into()
            }
        }
    }

    /// The halves change places for 32 and more; then each takes in bits of the other.
    fn rotate_wide(&mut self, value: InstId, amount: InstId) -> Value {
        let [low, high] = self.halves(value);
        let constant = self.kernel.literal(amount);
        let amount = self.low(amount);
        let [first, second] = match constant {
            Some(bits) if bits & 32 == 0 => [low, high],
            Some(_) => [high, low],
            None => {
                let far = self.regs.fresh(Class::B32);
                ptx!(self, "and.b32 {far}, {amount}, 32");
                let far = self.pred(format_args!("setp.ne.u32"), format_args!("{far}, 0"));
                [[high, low], [low, high]].map(|[there, here]| {
                    let half = self.regs.fresh(Class::B32);
                    ptx!(self, "selp.b32 {half}, {there}, {here}, {far}");
                    half
                })
            }
        };
        let [lower, upper] = [[second, first], [first, second]].map(|[from, to]| {
            let half = self.regs.fresh(Class::B32);
            ptx!(self, "shf.l.wrap.b32 {half}, {from}, {to}, {amount}");
            half
        });
        self.joined(lower, upper).into()
    }

    pub(super) fn mul_high(&mut self, scalar: Scalar, lhs: InstId, rhs: InstId) -> Value {
        let ty = arithmetic(scalar);
        let (lhs, rhs) = (self.operand(lhs), self.operand(rhs));
        let product = self.regs.fresh(Class::of(scalar));
        if width(scalar) >= 32 {
            ptx!(self, "mul.hi.{ty} {product}, {lhs}, {rhs}");
            return product.into();
        }
        let high = self.regs.fresh(Class::B32);
        ptx!(self, "mul.lo.{ty} {product}, {lhs}, {rhs}");
        ptx!(self, "shr.{ty} {high}, {product}, {}", width(scalar));
        high.into()
    }
}
