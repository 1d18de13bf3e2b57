//! Expressions of `f32` and `f64`.
use super::{generator::Generator, types::Ty};

impl Generator {
    pub(super) fn float_literal(&mut self, name: &str, suffix: &str) -> String {
        let named = ["INFINITY", "NEG_INFINITY", "NAN", "MAX", "MIN", "MIN_POSITIVE", "EPSILON"];
        let subnormal = if name == "f32" { "1e-40" } else { "4e-320" };
        match self.pick(9) {
            0 => format!("{name}::{}", named[self.pick(named.len())]),
            1 => format!("(-0.0{suffix})"),
            2 => format!("0.0{suffix}"),
            3 => format!("{subnormal}{suffix}"),
            4 => format!("1e{}{suffix}", self.pick(30)),
            5 => format!("(-{}.{}{suffix})", self.pick(9), self.pick(99)),
            6 => format!("std::{name}::consts::{}", ["PI", "E", "LN_2", "SQRT_2"][self.pick(4)]),
            _ => format!("{}.{}{suffix}", self.pick(99), self.pick(99)),
        }
    }

    pub(super) fn float_expr(&mut self, name: &'static str, depth: u32, known: bool) -> String {
        let ty = Ty::Scalar(name);
        if self.chance(8) {
            return self.math(&ty, depth);
        }
        if self.takes_lane(name) {
            return self.of_vector(name, depth);
        }
        match self.pick(10) {
            0..4 => {
                let op = ["+", "-", "*", "/", "%"][self.pick(5)];
                let (a, b) = (self.expr(&ty, depth, known), self.expr(&ty, depth, known));
                format!("({a} {op} {b})")
            }
            4 => self.cast_to_float(name, depth),
            5 => format!("(-{})", self.expr(&ty, depth, known)),
            6 => self.element(name, depth).unwrap_or_else(|| self.leaf(&ty, known)),
            _ => self.float_method(name, depth),
        }
    }

    fn cast_to_float(&mut self, name: &str, depth: u32) -> String {
        if self.chance(25) {
            let of = self.half();
            return format!("({}).to_{name}()", self.expr(&of, depth, false));
        }
        let from = self.number();
        format!("(({}) as {name})", self.expr(&from, depth, false))
    }

    fn float_method(&mut self, name: &'static str, depth: u32) -> String {
        let ty = Ty::Scalar(name);
        let on = self.expr(&ty, depth, false);
        match self.pick(9) {
            0 => {
                let methods = [
                    "sqrt",
                    "floor",
                    "ceil",
                    "trunc",
                    "round",
                    "round_ties_even",
                    "fract",
                    "recip",
                    "abs",
                    "to_radians",
                    "to_degrees",
                ];
                format!("({on}).{}()", methods[self.pick(methods.len())])
            }
            1 => {
                let (b, c) = (self.expr(&ty, depth, true), self.expr(&ty, depth, true));
                format!("({on}).mul_add({b}, {c})")
            }
            // Rust does not specify which zero is the smaller; a sum with +0.0 is never -0.0.
            2 => {
                let (b, which) = (self.expr(&ty, depth, false), ["min", "max"][self.pick(2)]);
                format!("({on} + 0.0).{which}({b} + 0.0)")
            }
            3 => format!("({on}).clamp(-3.5, {})", ["0.0", "1e9", "-3.5"][self.pick(3)]),
            4 => {
                let sign = self.expr(&ty, depth, false);
                format!("({on}).copysign(nan_{name}({sign}))")
            }
            5 => format!("nan_{name}(({on}).signum())"),
            6 => {
                let other = self.expr(&ty, depth, true);
                let method = ["rem_euclid", "div_euclid"][self.pick(2)];
                format!("({on}).{method}({other})")
            }
            7 => {
                let bits = Ty::Scalar(if name == "f32" { "u32" } else { "u64" });
                let bits = self.expr(&bits, depth, true);
                format!("nan_{name}({name}::from_bits({bits}))")
            }
            _ => {
                let bits = if name == "f32" { "u32" } else { "u64" };
                let more = self.expr(&Ty::Scalar(bits), depth.min(1), true);
                format!("nan_{name}({name}::from_bits(bits_{name}({on}) ^ {more}))")
            }
        }
    }
}
