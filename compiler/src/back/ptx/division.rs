//! Quotients and remainders of 64-bit integers, in line.
//!
//! PTX has `div` and `rem` for them, which `ptxas` makes calls of a subroutine of. Its releases
//! 12.0 to 13.4 miscompile a kernel that calls that subroutine twice and has a loop which lanes
//! leave one after the other, as those do that update memory atomically: lanes that have left the
//! loop overwrite uniform registers, which a warp has once, while other lanes still need them in
//! the loop. Addresses are among what they lose, and with them the GPU's context. Here nothing is
//! called. `tests/filetests/ptx/division.ir` shows the text, `tests/ptxas/uniform.ptx` what is
//! miscompiled.
//!
//! By a divisor that is a constant, a quotient is the high half of a product ("Division by
//! Invariant Integers using Multiplication", Granlund and Montgomery, 1994), in a tenth of the
//! instructions of a call. By any other it is what the subroutine computes: from an estimate of
//! 2^64 / `d` that is never too large,
//!
//! ```text
//! x = 2^64 / d, in f32, rounded down;  twice: x = x + x * (-x * d mod 2^64) / 2^64
//! q = n * x / 2^64;  r = n - q * d;  twice, if r >= d: q = q + 1, r = r - d
//! ```
//!
//! Most 64-bit integers are lengths and indices, and fit into 32 bits: a branch on the upper halves
//! of the operands leads to a quotient of 32 bits, in a quarter of the instructions.
//!
//! Signed operands are divided by their magnitudes.
use super::{
    Emitter,
    code::Label,
    emitter::{Derived, ptx},
    reg::{Class, Reg},
};
use crate::ir::{BinaryOp, InstId, Scalar};

/// The number that is added to the estimate's bits: they are multiplied by 2^64, less two units in
/// the last place, which is more than all roundings before it add.
const SCALE_BY_2_64_ROUNDED_DOWN: u32 = 0x1fff_fffe;

/// The instructions for a quotient by a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reciprocal {
    /// `n >> shift`.
    Shift { shift: u32 },
    /// `(n * multiplier / 2^64) >> shift`.
    Product { multiplier: u64, shift: u32 },
    /// The same for a multiplier that is larger by 2^64: with `t = n * multiplier / 2^64`,
    /// `((n - t) / 2 + t) >> shift`.
    WideProduct { multiplier: u64, shift: u32 },
}

impl Reciprocal {
    /// Returns the reciprocal of `divisor`, which is not 0.
    fn of(divisor: u64) -> Self {
        if divisor.is_power_of_two() {
            return Self::Shift { shift: divisor.trailing_zeros() };
        }
        let (bits, wide) = (u64::BITS - divisor.leading_zeros(), u128::from(divisor));
        for shift in 0..bits {
            let power = 1_u128 << (64 + shift);
            let multiplier = power / wide + 1;
            if let Ok(narrow) = u64::try_from(multiplier)
                && multiplier * wide - power <= 1 << shift
            {
                return Self::Product { multiplier: narrow, shift };
            }
        }
        let multiplier = (((1 << bits) - wide) << 64) / wide + 1;
        Self::WideProduct { multiplier: multiplier as u64, shift: bits - 1 }
    }
}

impl Emitter<'_> {
    /// Emits `lhs / rhs` or `lhs % rhs` of 64-bit integers.
    pub(super) fn divide_wide(&mut self, id: InstId, op: BinaryOp, [lhs, rhs]: [InstId; 2]) -> Reg {
        let quotient = self.known(Derived::Quotient { lhs, rhs }).unwrap_or_else(|| {
            let quotient = if self.scalar(id) == Scalar::I64 {
                self.signed_quotient(id, [lhs, rhs])
            } else {
                self.unsigned_quotient(id, [lhs, rhs])
            };
            self.remember(Derived::Quotient { lhs, rhs }, quotient);
            quotient
        });
        if op == BinaryOp::Div {
            return quotient;
        }
        let (lhs, rhs) = (self.operand(lhs), self.operand(rhs));
        let [product, rest] = self.wide_regs();
        ptx!(self, "mul.lo.u64 {product}, {quotient}, {rhs}");
        ptx!(self, "sub.u64 {rest}, {lhs}, {product}");
        rest
    }

    fn unsigned_quotient(&mut self, id: InstId, [lhs, rhs]: [InstId; 2]) -> Reg {
        let dividend = self.reg(lhs);
        match self.kernel.literal(rhs).filter(|&divisor| divisor != 0) {
            Some(divisor) => self.multiply_by_reciprocal(dividend, Reciprocal::of(divisor)),
            None => {
                let divisor = self.reg(rhs);
                // An operand that is known to fit has an upper half of 0.
                let wide: Vec<Reg> = [(lhs, dividend), (rhs, divisor)]
                    .into_iter()
                    .filter(|(value, _)| !self.facts.fits(*value))
                    .map(|(_, reg)| reg)
                    .collect();
                self.quotient(id, [dividend, divisor], &wide)
            }
        }
    }

    /// `abs.s64` will do here, where what follows is unsigned ([`magnitude`](Self::magnitude)).
    fn signed_quotient(&mut self, id: InstId, [lhs, rhs]: [InstId; 2]) -> Reg {
        let (dividend, divisor) =
            (self.reg(lhs), self.kernel.literal(rhs).filter(|&bits| bits != 0));
        let [magnitude, negative] = self.wide_regs();
        ptx!(self, "abs.s64 {magnitude}, {dividend}");
        let (quotient, sign) = match divisor {
            Some(bits) => {
                let reciprocal = Reciprocal::of((bits as i64).unsigned_abs());
                let quotient = self.multiply_by_reciprocal(magnitude, reciprocal);
                (quotient, Sign { of: dividend, comparison: sign_test((bits as i64) < 0) })
            }
            None => {
                let divisor = self.reg(rhs);
                let [divisor_magnitude, signs] = self.wide_regs();
                ptx!(self, "abs.s64 {divisor_magnitude}, {divisor}");
                let magnitudes = [magnitude, divisor_magnitude];
                let quotient = self.quotient(id, magnitudes, &magnitudes);
                ptx!(self, "xor.b64 {signs}, {dividend}, {divisor}");
                (quotient, Sign { of: signs, comparison: sign_test(false) })
            }
        };
        let [is_negative, result] = [Class::Pred, Class::B64].map(|class| self.regs.fresh(class));
        ptx!(self, "setp.{}.s64 {is_negative}, {}, 0", sign.comparison, sign.of);
        ptx!(self, "neg.s64 {negative}, {quotient}");
        ptx!(self, "selp.b64 {result}, {negative}, {quotient}, {is_negative}");
        result
    }

    fn multiply_by_reciprocal(&mut self, dividend: Reg, reciprocal: Reciprocal) -> Reg {
        match reciprocal {
            Reciprocal::Shift { shift } => self.shifted_right(dividend, shift),
            Reciprocal::Product { multiplier, shift } => {
                let [high] = self.wide_regs();
                ptx!(self, "mul.hi.u64 {high}, {dividend}, {multiplier}");
                self.shifted_right(high, shift)
            }
            Reciprocal::WideProduct { multiplier, shift } => {
                let [high, difference, sum] = self.wide_regs();
                ptx!(self, "mul.hi.u64 {high}, {dividend}, {multiplier}");
                ptx!(self, "sub.u64 {difference}, {dividend}, {high}");
                let half = self.shifted_right(difference, 1);
                ptx!(self, "add.u64 {sum}, {half}, {high}");
                self.shifted_right(sum, shift)
            }
        }
    }

    fn shifted_right(&mut self, value: Reg, shift: u32) -> Reg {
        if shift == 0 {
            return value;
        }
        let [shifted] = self.wide_regs();
        ptx!(self, "shr.u64 {shifted}, {value}, {shift}");
        shifted
    }

    /// Emits the quotient by a divisor that is not known: of 32 bits, if those of `wide` fit that
    /// are among the operands.
    fn quotient(&mut self, id: InstId, [dividend, divisor]: [Reg; 2], wide: &[Reg]) -> Reg {
        let [estimated, known] = ["estimate", "quotient"].map(|what| Label::of(what, id));
        let [result, either] = self.wide_regs();
        let is_wide = self.regs.fresh(Class::Pred);
        let tested = match *wide {
            [first, second] => {
                ptx!(self, "or.b64 {either}, {first}, {second}");
                either
            }
            [only] => only,
            _ => unreachable!("narrow operands are divided as such"),
        };
        ptx!(self, "setp.gt.u64 {is_wide}, {tested}, {}", u32::MAX);
        self.code.branch(is_wide, estimated);
        let [low_dividend, low_divisor, low] = [(); 3].map(|()| self.regs.fresh(Class::B32));
        ptx!(self, "cvt.u32.u64 {low_dividend}, {dividend}");
        ptx!(self, "cvt.u32.u64 {low_divisor}, {divisor}");
        ptx!(self, "div.u32 {low}, {low_dividend}, {low_divisor}");
        ptx!(self, "cvt.u64.u32 {result}, {low}");
        self.code.jump(known);
        self.code.label(estimated);
        let quotient = self.estimate_and_correct(dividend, divisor);
        ptx!(self, "mov.b64 {result}, {quotient}");
        self.code.label(known);
        result
    }

    /// Emits the quotient by a divisor that is not known; see the module.
    fn estimate_and_correct(&mut self, dividend: Reg, divisor: Reg) -> Reg {
        let [float, reciprocal, scaled] = [(); 3].map(|()| self.regs.fresh(Class::F32));
        let [bits, scaled_bits] = [(); 2].map(|()| self.regs.fresh(Class::B32));
        let [estimate] = self.wide_regs();
        ptx!(self, "cvt.rp.f32.u64 {float}, {divisor}");
        ptx!(self, "rcp.approx.ftz.f32 {reciprocal}, {float}");
        ptx!(self, "mov.b32 {bits}, {reciprocal}");
        ptx!(self, "add.s32 {scaled_bits}, {bits}, {SCALE_BY_2_64_ROUNDED_DOWN}");
        ptx!(self, "mov.b32 {scaled}, {scaled_bits}");
        ptx!(self, "cvt.rzi.u64.f32 {estimate}, {scaled}");
        let estimate = self.refined(estimate, divisor);
        let estimate = self.refined(estimate, divisor);
        let [quotient, product, rest] = self.wide_regs();
        ptx!(self, "mul.hi.u64 {quotient}, {dividend}, {estimate}");
        ptx!(self, "mul.lo.u64 {product}, {quotient}, {divisor}");
        ptx!(self, "sub.u64 {rest}, {dividend}, {product}");
        let (quotient, rest) = self.corrected(quotient, rest, divisor);
        self.corrected(quotient, rest, divisor).0
    }

    /// Emits a step of Newton's method on an estimate of 2^64 / `divisor`.
    fn refined(&mut self, estimate: Reg, divisor: Reg) -> Reg {
        let [product, error, correction, refined] = self.wide_regs();
        ptx!(self, "mul.lo.u64 {product}, {estimate}, {divisor}");
        ptx!(self, "neg.s64 {error}, {product}");
        ptx!(self, "mul.hi.u64 {correction}, {estimate}, {error}");
        ptx!(self, "add.u64 {refined}, {estimate}, {correction}");
        refined
    }

    /// Emits the next quotient and its remainder if the remainder holds the divisor once more.
    fn corrected(&mut self, quotient: Reg, rest: Reg, divisor: Reg) -> (Reg, Reg) {
        let holds = self.regs.fresh(Class::Pred);
        let [next, less, new_quotient, new_rest] = self.wide_regs();
        ptx!(self, "setp.ge.u64 {holds}, {rest}, {divisor}");
        ptx!(self, "add.u64 {next}, {quotient}, 1");
        ptx!(self, "sub.u64 {less}, {rest}, {divisor}");
        ptx!(self, "selp.b64 {new_quotient}, {next}, {quotient}, {holds}");
        ptx!(self, "selp.b64 {new_rest}, {less}, {rest}, {holds}");
        (new_quotient, new_rest)
    }

    fn wide_regs<const N: usize>(&mut self) -> [Reg; N] {
        [(); N].map(|()| self.regs.fresh(Class::B64))
    }
}

/// A register, and the comparison with 0 that holds where a quotient is negative.
struct Sign {
    of: Reg,
    comparison: &'static str,
}

/// Returns the comparison of a dividend with 0 that holds where the quotient by a divisor of a
/// known sign is negative.
const fn sign_test(divisor_is_negative: bool) -> &'static str {
    if divisor_is_negative { "ge" } else { "lt" }
}

#[cfg(test)]
mod tests {
    //! Runs the emitted text on the few instructions that it is made of.
    use crate::{back::ptx::emit, ir::Kernel, target::Target};
    use std::collections::HashMap;

    /// The text of a quotient and a remainder: instructions and labels, as words.
    struct Program(Vec<Vec<String>>);

    impl Program {
        /// `divisor` is a parameter if it is `None`.
        fn new(ty: &str, divisor: Option<u64>) -> Self {
            let divisor = match divisor {
                None => "param arg1".to_owned(),
                Some(bits) if ty == "i64" => format!("const {}", bits as i64),
                Some(bits) => format!("const {bits}"),
            };
            let text = format!(
                "kernel divide {{ param arg0 = x: {ty} param arg1 = y: {ty} param arg2 = z: write [{ty}]
                %0 = param arg0 : {ty} %1 = {divisor} : {ty} %2 = div %0, %1 : {ty} %3 = rem %0, %1 : {ty}
                %4 = param arg2 : ptr global %5 = store %4, %2 %6 = store %4, %3 }}"
            );
            let kernel: Kernel = text.parse().unwrap();
            let ptx = emit(&kernel, Target::OLDEST).unwrap();
            let is_line = |line: &&str| {
                line.ends_with(';') && line.starts_with('\t') || line.starts_with('$')
            };
            let lines = ptx.lines().filter(is_line);
            let words = |line: &str| {
                let words = line.split([' ', ',', ';', '\t']).filter(|word| !word.is_empty());
                words.map(str::to_owned).collect::<Vec<_>>()
            };
            Self(lines.map(words).filter(|words| !words[0].starts_with('.')).collect())
        }

        /// The quotient and the remainder, where the GPU's reciprocal is `error` units in the last
        /// place off.
        fn run(&self, x: u64, y: u64, error: i32) -> [u64; 2] {
            let mut regs: HashMap<&str, u64> = HashMap::new();
            let mut stored = Vec::new();
            let mut next = 0;
            while let Some(words) = self.0.get(next) {
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                next += 1;
                let get = |word: &str| match word.strip_prefix('%') {
                    Some(_) => regs[word],
                    None => word.parse::<i128>().unwrap() as u64,
                };
                let value = match *words {
                    ["ld.param.u64" | "ld.param.s64", _, "[arg0]"] => x,
                    ["ld.param.u64" | "ld.param.s64", _, "[arg1]"] => y,
                    ["ld.param.u64", ..] | ["ret"] => 0,
                    [label] if label.starts_with('$') => continue,
                    ["bra.uni", label] => {
                        next = self.place(label);
                        continue;
                    }
                    [guard, "bra", label] => {
                        if get(&guard[1..]) != 0 {
                            next = self.place(label);
                        }
                        continue;
                    }
                    [op, _, value] if op.starts_with("st.global") => {
                        stored.push(get(value));
                        continue;
                    }
                    [op, _, a] => one(op, get(a), error),
                    [op, _, a, b] => two(op, get(a), get(b)),
                    ["selp.b64", _, a, b, p] => get(if get(p) != 0 { a } else { b }),
                    _ => panic!("no model of {words:?}"),
                };
                if let Some(to) = words.get(1) {
                    regs.insert(to, value);
                }
            }
            stored.try_into().unwrap()
        }

        /// The place behind a label.
        fn place(&self, label: &str) -> usize {
            let is_it = |words: &Vec<String>| words[0].strip_suffix(':') == Some(label);
            self.0.iter().position(is_it).unwrap() + 1
        }
    }

    fn one(op: &str, a: u64, error: i32) -> u64 {
        let float = f32::from_bits(a as u32);
        match op {
            "mov.b32" | "mov.b64" | "cvta.to.global.u64" | "cvt.u64.u32" => a,
            "cvt.u32.u64" => u64::from(a as u32),
            "abs.s64" => (a as i64).unsigned_abs(),
            "neg.s64" => a.wrapping_neg(),
            "cvt.rp.f32.u64" => {
                let near = a as f32;
                let up = if (near as u128) < u128::from(a) { near.next_up() } else { near };
                up.to_bits().into()
            }
            "rcp.approx.ftz.f32" => (1.0 / float).to_bits().wrapping_add_signed(error).into(),
            "cvt.rzi.u64.f32" => float as u64,
            _ => panic!("no model of {op}"),
        }
    }

    fn two(op: &str, a: u64, b: u64) -> u64 {
        match op {
            "add.s32" => u64::from((a as u32).wrapping_add(b as u32)),
            "add.u64" => a.wrapping_add(b),
            "sub.u64" => a.wrapping_sub(b),
            "mul.lo.u64" => a.wrapping_mul(b),
            "mul.hi.u64" => ((u128::from(a) * u128::from(b)) >> 64) as u64,
            "and.b64" => a & b,
            "or.b64" => a | b,
            "xor.b64" => a ^ b,
            "shr.u64" => a >> b,
            "div.u32" => u64::from(a as u32 / b as u32),
            "setp.ge.u64" => u64::from(a >= b),
            "setp.gt.u64" => u64::from(a > b),
            "setp.lt.s64" => u64::from((a as i64) < b as i64),
            "setp.ge.s64" => u64::from(a as i64 >= b as i64),
            _ => panic!("no model of {op}"),
        }
    }

    /// Numbers around powers of two and products of small ones, and others of every length.
    fn numbers() -> Vec<u64> {
        let mut numbers: Vec<u64> = vec![3, 5, 6, 7, 10, 12, 24, 100, 641, 1000, 6_700_417];
        for shift in (0..64).step_by(7) {
            numbers.extend([1 << shift, (1_u64 << shift) - 1, (1 << shift) + 1]);
            numbers.push(0x9e37_79b9_7f4a_7c15 >> shift);
            numbers.push(0xd1b5_4a32_d192_ed03 >> shift);
        }
        numbers.extend(numbers.clone().iter().map(|number| number.wrapping_neg()));
        numbers
    }

    #[test]
    fn quotients_by_parameters_agree_with_rust() {
        let (unsigned, signed) = (Program::new("u64", None), Program::new("i64", None));
        let numbers = numbers();
        for &y in numbers.iter().filter(|&&y| y != 0) {
            let near = [y.wrapping_mul(3), y.wrapping_mul(y), u64::MAX / y * y];
            let near = near.into_iter().flat_map(|x| [x, x.wrapping_sub(1)]);
            for (x, error) in numbers.iter().copied().chain(near).zip([-1, 0, 1].iter().cycle()) {
                assert_eq!(unsigned.run(x, y, *error), [x / y, x % y], "{x} by {y}");
                let [x, y] = [x, y].map(|number| number as i64);
                let expected = [x.wrapping_div(y), x.wrapping_rem(y)].map(|number| number as u64);
                assert_eq!(signed.run(x as u64, y as u64, *error), expected, "{x} by {y}");
            }
        }
    }

    #[test]
    fn quotients_by_constants_agree_with_rust() {
        let numbers = numbers();
        for &y in numbers.iter().filter(|&&y| y != 0) {
            let (unsigned, signed) = (Program::new("u64", Some(y)), Program::new("i64", Some(y)));
            let near = [y.wrapping_mul(3), y.wrapping_mul(y), u64::MAX / y * y];
            let near = near.into_iter().flat_map(|x| [x, x.wrapping_sub(1)]);
            for x in numbers.iter().copied().chain(near) {
                assert_eq!(unsigned.run(x, y, 0), [x / y, x % y], "{x} by {y}");
                let [x, y] = [x, y].map(|number| number as i64);
                let expected = [x.wrapping_div(y), x.wrapping_rem(y)].map(|number| number as u64);
                assert_eq!(signed.run(x as u64, y as u64, 0), expected, "{x} by {y}");
            }
        }
    }
}
