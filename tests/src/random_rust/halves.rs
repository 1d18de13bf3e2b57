//! Expressions of the 16-bit floats, and calls of mathematical functions.
use super::{generator::Generator, types::Ty};

/// Functions of one argument of the `math` module.
const UNARY: [&str; 22] = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp",
    "exp2", "exp_m1", "ln", "ln_1p", "log10", "log2", "sin", "sinh", "tan", "tanh",
];
/// Functions of two arguments.
const BINARY: [&str; 4] = ["atan2", "hypot", "log", "powf"];

impl Generator {
    /// Returns a call of a function of the `math` module, which has the same bits on the host.
    pub(super) fn math(&mut self, ty: &Ty, depth: u32) -> String {
        let a = self.expr(ty, depth, false);
        if self.chance(15) {
            return format!("math::sin_cos({a}).{}", self.pick(2));
        }
        if self.chance(25) {
            let function = BINARY[self.pick(BINARY.len())];
            return format!("math::{function}({a}, {})", self.expr(ty, depth, false));
        }
        format!("math::{}({a})", UNARY[self.pick(UNARY.len())])
    }

    pub(super) fn half_literal(&mut self, name: &'static str) -> String {
        let named = [
            "ZERO",
            "ONE",
            "NEG_ZERO",
            "NEG_ONE",
            "EPSILON",
            "INFINITY",
            "NEG_INFINITY",
            "MAX",
            "MIN",
            "MIN_POSITIVE",
            "MIN_POSITIVE_SUBNORMAL",
            "NAN",
            "PI",
        ];
        if self.chance(60) {
            return format!("{name}::{}", named[self.pick(named.len())]);
        }
        format!("{name}::from_f32({}.{})", self.pick(300), self.pick(99))
    }

    pub(super) fn half_expr(&mut self, name: &'static str, depth: u32) -> String {
        let ty = Ty::Scalar(name);
        if self.takes_lane(name) {
            return self.of_vector(name, depth);
        }
        match self.pick(10) {
            0..4 => {
                let op = ["+", "-", "*", "/", "%"][self.pick(5)];
                let (a, b) = (self.expr(&ty, depth, false), self.expr(&ty, depth, false));
                format!("({a} {op} {b})")
            }
            4 => {
                let value = self.expr(&Ty::Scalar("f32"), depth, false);
                format!("{name}::from_f32({value})")
            }
            5 => format!("(-{})", self.expr(&ty, depth, false)),
            6 => self.element(name, depth).unwrap_or_else(|| self.leaf(&ty, true)),
            7 => {
                let bits = self.expr(&Ty::Scalar("u16"), depth, true);
                format!("nan_{name}({name}::from_bits({bits}))")
            }
            8 if self.chance(20) => self.math(&ty, depth),
            _ => self.half_method(name, depth),
        }
    }

    fn half_method(&mut self, name: &'static str, depth: u32) -> String {
        let ty = Ty::Scalar(name);
        let on = self.expr(&ty, depth, false);
        match self.pick(4) {
            0 => {
                let (b, c) = (self.expr(&ty, depth, false), self.expr(&ty, depth, false));
                format!("({on}).mul_add({b}, {c})")
            }
            // Rust does not specify which zero is the smaller; a sum with +0.0 is never -0.0.
            1 => {
                let (b, which) = (self.expr(&ty, depth, false), ["min", "max"][self.pick(2)]);
                format!("({on} + {name}::ZERO).{which}({b} + {name}::ZERO)")
            }
            2 => {
                let sign = self.expr(&ty, depth, false);
                format!("nan_{name}({on}).copysign(nan_{name}({sign}))")
            }
            _ => {
                let methods = ["sqrt", "floor", "ceil", "trunc", "round_ties_even", "abs"];
                format!("({on}).{}()", methods[self.pick(6)])
            }
        }
    }
}
