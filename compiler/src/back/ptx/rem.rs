//! `%` on floats, exact for every input, as Rust's is. PTX has no instruction for it.
//!
//! With `a = |x|`, `b = |y|` and `c` = 2^23 (`f64`: 2^52), where `b <= a`, both finite and `b` not
//! 0:
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
    emitter::ptx,
    reg::{Class, Imm, Reg, arithmetic},
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
        let imm = |f32: f32, f64: f64| {
            if scalar == Scalar::F32 {
                Imm { bits: f32.to_bits().into(), scalar }
            } else {
                Imm { bits: f64.to_bits(), scalar }
            }
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
    /// `x % y`, of type `scalar`; see the module.
    pub(super) fn float_rem(&mut self, id: InstId, scalar: Scalar, [x, y]: [Reg; 2]) -> Reg {
        let (ty, class) = (arithmetic(scalar), Class::of(scalar));
        let [up, down, done] = ["rem_up", "rem_down", "rem_done"].map(|what| Label::of(what, id));
        let c = Constants::of(scalar);
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
        result
    }
}

#[cfg(test)]
mod tests {
    //! Runs the emitted text on the few instructions that it is made of.
    use super::Class;
    use crate::{
        back::ptx::emit,
        ir::{Kernel, Scalar},
        target::Target,
    };
    use std::{collections::HashMap, fmt::Debug};

    trait Float: Copy + PartialOrd + Debug {
        const SCALAR: Scalar;
        fn literal(text: &str) -> Option<Self>;
        fn fma(self, b: Self, c: Self) -> Self;
        fn two(op: &str, a: Self, b: Self) -> Self;
        fn one(op: &str, a: Self) -> Self;
        fn bits(self) -> u64;
        fn of_bits(bits: u64) -> Self;
    }

    macro_rules! float {
        ($name:ident, $scalar:expr, $prefix:literal, $bits:ident) => {
            impl Float for $name {
                const SCALAR: Scalar = $scalar;
                fn literal(text: &str) -> Option<Self> {
                    let digits = text.strip_prefix($prefix)?;
                    Some(Self::from_bits($bits::from_str_radix(digits, 16).unwrap()))
                }
                fn fma(self, b: Self, c: Self) -> Self {
                    self.mul_add(b, c)
                }
                fn two(op: &str, a: Self, b: Self) -> Self {
                    match op {
                        "add.rn" => a + b,
                        "mul.rn" => a * b,
                        "div.rn" => a / b,
                        "copysign" => b.copysign(a),
                        "%" => a % b,
                        _ => panic!("no model of {op}"),
                    }
                }
                fn one(op: &str, a: Self) -> Self {
                    match op {
                        "mov" => a,
                        "abs" => a.abs(),
                        "neg" => -a,
                        "cvt.rzi" => a.trunc(),
                        _ => panic!("no model of {op}"),
                    }
                }
                fn bits(self) -> u64 {
                    self.to_bits().into()
                }
                fn of_bits(bits: u64) -> Self {
                    Self::from_bits(bits as $bits)
                }
            }
        };
    }
    float!(f32, Scalar::F32, "0f", u32);
    float!(f64, Scalar::F64, "0d", u64);

    enum Source<F> {
        Reg(usize),
        Literal(F),
    }

    enum Step<F> {
        One(String, usize, Source<F>),
        Two(String, usize, [Source<F>; 2]),
        Fma(usize, [Source<F>; 3]),
        Compare(String, usize, [Source<F>; 2]),
        And(usize, usize, usize),
        Select(usize, [Source<F>; 2], usize),
        Branch(Option<(bool, usize)>, usize),
    }

    /// The part of a kernel between the loads of its parameters and its end.
    struct Program<F> {
        steps: Vec<Step<F>>,
        registers: Vec<String>,
    }

    impl<F: Float> Program<F> {
        fn new() -> Self {
            let ty = F::SCALAR;
            let text = format!(
                "kernel remainder {{ param arg0 = x: {ty} !0 param arg1 = y: {ty} !0
                %0 = param arg0 : {ty} !0 %1 = param arg1 : {ty} !0 %2 = rem %0, %1 : {ty} !0 }}"
            );
            let kernel: Kernel = text.parse().unwrap();
            let ptx = emit(&kernel, Target::OLDEST).unwrap();
            let mut program = Self { steps: Vec::new(), registers: Vec::new() };
            program.decode(&ptx);
            program
        }

        fn decode(&mut self, ptx: &str) {
            let body = ptx.lines().skip_while(|line| !line.contains("abs."));
            let body: Vec<&str> = body.take_while(|line| !line.contains("ret;")).collect();
            let mut labels = HashMap::new();
            let mut at = 0;
            for line in &body {
                match line.strip_suffix(':') {
                    Some(label) => drop(labels.insert(label, at)),
                    None => at += 1,
                }
            }
            for line in body.iter().filter(|line| !line.ends_with(':')) {
                let words: Vec<&str> =
                    line.split([' ', ',', ';', '\t']).filter(|word| !word.is_empty()).collect();
                let step = self.step(&words, &labels);
                self.steps.push(step);
            }
        }

        fn step(&mut self, words: &[&str], labels: &HashMap<&str, usize>) -> Step<F> {
            let (ty, half) = (if F::SCALAR == Scalar::F32 { ".f32" } else { ".f64" }, words[0]);
            match *words {
                ["bra.uni", label] => Step::Branch(None, labels[label]),
                [guard, "bra", label] => {
                    let reg = guard.trim_start_matches(['@', '!']);
                    let wanted = !guard.starts_with("@!");
                    Step::Branch(Some((wanted, self.register(reg))), labels[label])
                }
                ["and.pred", d, a, b] => {
                    Step::And(self.register(d), self.register(a), self.register(b))
                }
                [_, d, a] => Step::One(half.replace(ty, ""), self.register(d), self.source(a)),
                [op, d, a, b] if op.starts_with("setp") => Step::Compare(
                    half.replace(ty, ""),
                    self.register(d),
                    [self.source(a), self.source(b)],
                ),
                [_, d, a, b] => Step::Two(
                    half.replace(ty, ""),
                    self.register(d),
                    [self.source(a), self.source(b)],
                ),
                [op, d, a, b, p] if op.starts_with("selp") => Step::Select(
                    self.register(d),
                    [self.source(a), self.source(b)],
                    self.register(p),
                ),
                [op, d, a, b, c] if op.starts_with("fma.rn") => {
                    Step::Fma(self.register(d), [a, b, c].map(|of| self.source(of)))
                }
                _ => panic!("no model of {words:?}"),
            }
        }

        fn register(&mut self, name: &str) -> usize {
            self.registers.iter().position(|known| known == name).unwrap_or_else(|| {
                self.registers.push(name.to_owned());
                self.registers.len() - 1
            })
        }

        fn source(&mut self, text: &str) -> Source<F> {
            match F::literal(text) {
                Some(literal) => Source::Literal(literal),
                None => Source::Reg(self.register(text)),
            }
        }

        /// The remainder, and how many instructions it took.
        fn run(&self, x: F, y: F) -> (F, usize) {
            let mut floats = vec![x; self.registers.len()];
            let mut preds = vec![false; self.registers.len()];
            let param = |number| {
                let name = format!("{}{number}", Class::of(F::SCALAR).prefix());
                self.registers.iter().position(|known| *known == name).unwrap()
            };
            floats[param(1)] = x;
            floats[param(2)] = y;
            let (mut at, mut result, mut count) = (0, 0, 0);
            while let Some(step) = self.steps.get(at) {
                let of = |source: &Source<F>| match source {
                    Source::Reg(reg) => floats[*reg],
                    Source::Literal(literal) => *literal,
                };
                at += 1;
                count += 1;
                match step {
                    Step::One(op, d, a) => floats[*d] = F::one(op, of(a)),
                    Step::Two(op, d, [a, b]) => {
                        floats[*d] = F::two(op, of(a), of(b));
                        result = if op == "copysign" { *d } else { result };
                    }
                    Step::Fma(d, [a, b, c]) => floats[*d] = of(a).fma(of(b), of(c)),
                    Step::Compare(op, d, [a, b]) => {
                        preds[*d] = match op.as_str() {
                            "setp.lt" => of(a) < of(b),
                            "setp.gt" => of(a) > of(b),
                            "setp.eq" => of(a) == of(b),
                            _ => panic!("no model of {op}"),
                        }
                    }
                    Step::And(d, a, b) => preds[*d] = preds[*a] && preds[*b],
                    Step::Select(d, [a, b], p) => {
                        floats[*d] = if preds[*p] { of(a) } else { of(b) };
                        // The first select makes the result of the special cases.
                        result = if result == 0 { *d } else { result };
                    }
                    Step::Branch(guard, to) => {
                        if guard.is_none_or(|(wanted, reg)| preds[reg] == wanted) {
                            at = *to;
                        }
                    }
                }
            }
            (floats[result], count)
        }

        fn check(&self, x: F, y: F) -> usize {
            let (found, steps) = self.run(x, y);
            let expected = F::two("%", x, y);
            let both_nan =
                found.partial_cmp(&found).is_none() && expected.partial_cmp(&expected).is_none();
            assert!(
                both_nan || found.bits() == expected.bits(),
                "{x:?} % {y:?} is {expected:?}, not {found:?}"
            );
            steps
        }
    }

    /// xorshift64*
    fn random(state: &mut u64) -> u64 {
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// All pairs of edge values, and random bits; operands of like magnitude and of the
    /// same few mantissa bits are among them.
    fn agrees<F: Float>(edges: &[u64], mantissa: u32, rounds: u32) -> usize {
        let program = Program::<F>::new();
        let mut worst = 0;
        for &x in edges {
            for &y in edges {
                worst = worst.max(program.check(F::of_bits(x), F::of_bits(y)));
            }
        }
        let mut state = 0x9e37_79b9_7f4a_7c15;
        for round in 0..rounds {
            let (x, mut y) = (random(&mut state), random(&mut state));
            let near = x ^ (y & ((1 << (mantissa + round % 6)) - 1));
            y = if round % 3 == 0 { near } else { y };
            let coarse = u64::MAX << (round % mantissa);
            let (x, y) = if round % 5 == 0 { (x & coarse, y & coarse) } else { (x, y) };
            worst = worst.max(program.check(F::of_bits(x), F::of_bits(y)));
        }
        worst
    }

    fn rounds() -> u32 {
        std::env::var("WARPWISE_ROUNDS").map_or(100_000, |rounds| rounds.parse().unwrap())
    }

    #[test]
    fn f32_agrees_with_rust() {
        let edges = [
            0,
            1,
            2,
            3,
            0x7f_ffff,
            0x80_0000,
            0x80_0001,
            0x3f7f_ffff,
            0x3f80_0000,
            0x3f80_0001,
            0x4b00_0000,
            0x4b7f_ffff,
            0x4b80_0000,
            0x7eff_ffff,
            0x7f7f_ffff,
            0x7f80_0000,
            0x7fc0_0000,
            0x4049_0fdb,
        ];
        let both: Vec<u64> = edges.into_iter().flat_map(|bits| [bits, bits | 1 << 31]).collect();
        let worst = agrees::<f32>(&both, 23, rounds());
        assert!(worst < 300, "{worst} instructions");
    }

    #[test]
    fn f64_agrees_with_rust() {
        let one = 0x3ff0_0000_0000_0000;
        let edges = [
            0,
            1,
            2,
            3,
            0xf_ffff_ffff_ffff,
            1 << 52,
            (1 << 52) + 1,
            one - 1,
            one,
            one + 1,
            0x4330_0000_0000_0000,
            0x433f_ffff_ffff_ffff,
            0x7fdf_ffff_ffff_ffff,
            0x7fef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0x7ff8_0000_0000_0000,
            0x4009_21fb_5444_2d18,
        ];
        let both: Vec<u64> = edges.into_iter().flat_map(|bits| [bits, bits | 1 << 63]).collect();
        let worst = agrees::<f64>(&both, 52, rounds());
        assert!(worst < 900, "{worst} instructions");
    }
}
