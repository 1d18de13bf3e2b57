//! `%` on floats, exact for every input, as Rust's is. PTX has no instruction for it.
//!
//! With `a = |x|`, `b = |y|` and `c` = 2^23 (`f64`: 2^52), where `b <= a`, both finite and `b` not 0:
//!
//! ```text
//! t = b;  while a >= t * c { t = t * c }
//! loop {
//!     a = fma(-trunc(a / t), t, a);  if a < 0 { a = a + t }      // now 0 <= a < t
//!     if t == b { break }
//!     t = t / c
//! }
//! ```
//!
//! and the result is `a` with the sign of `x`. Nothing in it rounds but the division:
//! `t` is `b` times a power of two, at most `a`; `a < t * c`, so the quotient is at most `c`, its
//! rounding moves it up to the next integer at most, and the remainder, a multiple of
//! the last place of `t` (or of the smallest subnormal) that is less than `t` in magnitude,
//! is a float. One round where the quotient is small, 13 (`f64`: 41) at the worst.
use super::{
    Emitter,
    code::Label,
    emitter::{Value, ptx},
    reg::{Class, Imm, arithmetic},
};
use crate::ir::{InstId, Scalar};

/// Bits of the literals that the algorithm needs.
struct Constants {
    nan: Imm,
    zero: Imm,
    infinity: Imm,
    up: Imm,
    down: Imm,
}

impl Constants {
    fn of(scalar: Scalar) -> Self {
        let imm = |f32: f32, f64: f64| match scalar {
            Scalar::F32 => Imm { bits: f32.to_bits().into(), scalar },
            _ => Imm { bits: f64.to_bits(), scalar },
        };
        let (up32, up64) = ((1_u32 << 23) as f32, (1_u64 << 52) as f64);
        Self {
            nan: imm(f32::from_bits(0x7fff_ffff), f64::from_bits(0x7fff_ffff_ffff_ffff)),
            zero: imm(0.0, 0.0),
            infinity: imm(f32::INFINITY, f64::INFINITY),
            up: imm(up32, up64),
            down: imm(up32.recip(), up64.recip()),
        }
    }
}

impl Emitter<'_> {
    /// `lhs % rhs`; see the module.
    pub(super) fn float_rem(&mut self, id: InstId, lhs: InstId, rhs: InstId) -> Value {
        let scalar = self.scalar(id);
        let (ty, class) = (arithmetic(scalar), Class::of(scalar));
        let [up, down, done] = ["rem_up", "rem_down", "rem_done"].map(|what| Label::of(what, id));
        let c = Constants::of(scalar);
        let (x, y) = (self.reg(lhs), self.reg(rhs));
        let [a, b, t, scaled, quotient, minus, rest, fixed, result] =
            [(); 9].map(|()| self.regs.fresh(class));
        let [finite, nonzero, defined, small, below, negative, last] =
            [(); 7].map(|()| self.regs.fresh(Class::Pred));

        ptx!(self, "abs.{ty} {a}, {x}");
        ptx!(self, "abs.{ty} {b}, {y}");
        ptx!(self, "setp.lt.{ty} {finite}, {a}, {}", c.infinity);
        ptx!(self, "setp.gt.{ty} {nonzero}, {b}, {}", c.zero);
        ptx!(self, "and.pred {defined}, {finite}, {nonzero}");
        ptx!(self, "selp.{ty} {result}, {x}, {}, {defined}", c.nan);
        ptx!(self, "setp.lt.{ty} {small}, {a}, {b}");
        self.code.branch(format_args!("!{defined}"), done);
        self.code.branch(small, done);
        ptx!(self, "mov.{ty} {t}, {b}");

        self.code.label(up);
        ptx!(self, "mul.rn.{ty} {scaled}, {t}, {}", c.up);
        ptx!(self, "setp.lt.{ty} {below}, {a}, {scaled}");
        self.code.branch(below, down);
        ptx!(self, "mov.{ty} {t}, {scaled}");
        self.code.jump(up);

        self.code.label(down);
        ptx!(self, "div.rn.{ty} {quotient}, {a}, {t}");
        ptx!(self, "cvt.rzi.{ty}.{ty} {quotient}, {quotient}");
        ptx!(self, "neg.{ty} {minus}, {quotient}");
        ptx!(self, "fma.rn.{ty} {rest}, {minus}, {t}, {a}");
        ptx!(self, "setp.lt.{ty} {negative}, {rest}, {}", c.zero);
        ptx!(self, "add.rn.{ty} {fixed}, {rest}, {t}");
        ptx!(self, "selp.{ty} {a}, {fixed}, {rest}, {negative}");
        ptx!(self, "setp.eq.{ty} {last}, {t}, {b}");
        ptx!(self, "mul.rn.{ty} {t}, {t}, {}", c.down);
        self.code.branch(format_args!("!{last}"), down);
        ptx!(self, "copysign.{ty} {result}, {x}, {a}");
        self.code.label(done);
        result.into()
    }
}
