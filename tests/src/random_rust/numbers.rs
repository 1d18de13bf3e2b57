//! Expressions of `bool`, integers and floats.
use super::{
    generator::{Generator, Kind},
    types::{BOOL, Ty, U32, USIZE},
};

/// The length of a kernel's `&[T]`, and the number of elements of each thread in its `&mut [T]`.
pub(super) const READ: usize = 64;
pub(super) const WRITTEN: usize = 8;

impl Generator {
    pub(super) fn literal(&mut self, name: &'static str, known: bool) -> String {
        let suffix = if known && self.chance(50) { "" } else { name };
        match name {
            "bool" => ["true", "false"][self.pick(2)].into(),
            "f32" | "f64" => self.float_literal(name, suffix),
            "f16" | "bf16" => self.half_literal(name),
            _ => self.int_literal(name, suffix),
        }
    }

    fn int_literal(&mut self, name: &str, suffix: &str) -> String {
        let signed = name.starts_with('i');
        match self.pick(10) {
            0 => format!("{name}::MIN"),
            1 => format!("{name}::MAX"),
            2 if signed => format!("(-{}{suffix})", 1 + self.pick(127)),
            3 if signed && name == "i8" => format!("(-128{suffix})"),
            4 => format!("0x{:x}_{suffix}", self.pick(128)).trim_end_matches('_').into(),
            5 => format!("0b{:b}_{suffix}", self.pick(128)).trim_end_matches('_').into(),
            6 if name == "u8" => ["b'a'", "b'\\n'", "b'\\xff'"][self.pick(3)].into(),
            7 => format!("({name}::MAX / {})", 2 + self.pick(3)),
            _ => format!("{}{suffix}", self.pick(40)),
        }
    }

    /// Returns an element of one of the kernel's slices.
    pub(super) fn element(&mut self, name: &str, depth: u32) -> Option<String> {
        if !self.context.kernel || !self.memory.contains(&name) {
            return None;
        }
        Some(if self.chance(50) {
            let index = self.index(READ, depth);
            format!("r_{name}[{index}]")
        } else {
            self.written(name, depth)
        })
    }

    /// Returns one of the thread's own elements; in one of a hundred cases the index may be out of
    /// bounds.
    pub(super) fn written(&mut self, name: &str, depth: u32) -> String {
        if self.chance(30) {
            return format!("w_{name}[base + {}]", self.pick(WRITTEN));
        }
        let index = self.expr(&USIZE, depth.min(1), true);
        // Far beyond are the elements of other threads, and then the end of the slice.
        let far = if self.may_fault(1) { " * 4096" } else { "" };
        format!("w_{name}[base + ({index} % {WRITTEN}){far}]")
    }

    /// Returns an index below `len`; in one of a hundred cases it may be larger.
    pub(super) fn index(&mut self, len: usize, depth: u32) -> String {
        if self.chance(30) {
            return self.pick(len).to_string();
        }
        let index = self.expr(&USIZE, depth.min(1), true);
        if self.may_fault(1) { index } else { format!("({index} % {len})") }
    }

    pub(super) fn bool(&mut self, depth: u32) -> String {
        match self.pick(16) {
            14 => self.vectors_equal(depth),
            15 => self.ordered(depth),
            0..4 => {
                let of = self.scalar();
                let op = ["==", "!=", "<", "<=", ">", ">="][self.pick(6)];
                let (a, b) = (self.expr(&of, depth, false), self.expr(&of, depth, true));
                format!("({a} {op} {b})")
            }
            4 => {
                let of = self.ty(2);
                let equal = !self.is_ordered(&of) || self.chance(60);
                let op = if equal { ["==", "!="][self.pick(2)] } else { ["<", ">="][self.pick(2)] };
                let (a, b) = (self.expr(&of, depth, false), self.expr(&of, depth, false));
                format!("({a} {op} {b})")
            }
            5 | 6 => {
                let op = ["&", "|", "^", "&&", "||"][self.pick(5)];
                format!(
                    "({} {op} {})",
                    self.expr(&BOOL, depth, true),
                    self.expr(&BOOL, depth, true)
                )
            }
            7 => format!("(!{})", self.expr(&BOOL, depth, true)),
            8 => {
                let of = self.ty(2);
                let value = self.expr(&of, depth, false);
                let (pattern, _) = self.pattern(&of, 2, false);
                format!("matches!({value}, {pattern})")
            }
            9 => {
                let name = ["f32", "f64"][self.pick(2)];
                let value = self.expr(&Ty::Scalar(name), depth, false);
                let test = ["is_nan", "is_finite", "is_infinite", "is_normal", "is_subnormal"]
                    [self.pick(5)];
                if self.chance(25) {
                    return format!("nan_{name}({value}).is_sign_negative()");
                }
                format!("({value}).{test}()")
            }
            10 => {
                let of = self.int();
                let value = self.expr(&of, depth, false);
                let test = if of.is_signed() { "is_negative" } else { "is_power_of_two" };
                format!("({value}).{test}()")
            }
            11 => {
                let (of, start) = (self.int(), self.pick(100));
                let (name, value) = (of.name(), self.expr(&of, depth, false));
                let dots = ["..", "..="][self.pick(2)];
                format!("({start}{name}{dots}{}).contains(&{value})", start + 20)
            }
            12 => {
                let of = self.half();
                let value = self.expr(&of, depth, false);
                let test = ["is_nan", "is_finite", "is_infinite", "is_normal"][self.pick(4)];
                format!("({value}).{test}()")
            }
            _ => self.element("bool", depth).unwrap_or_else(|| self.leaf(&BOOL, true)),
        }
    }

    pub(super) fn int_expr(&mut self, name: &'static str, depth: u32, known: bool) -> String {
        let ty = Ty::Scalar(name);
        if self.takes_lane(name) {
            return self.of_vector(name, depth);
        }
        if self.chance(4) {
            return self.by_order(&ty, depth);
        }
        match self.pick(11) {
            0..3 => {
                let op = ["+", "-", "*", "&", "|", "^"][self.pick(6)];
                if self.is_careful() && matches!(op, "+" | "-" | "*") {
                    return self.wrapping(&ty, op, depth);
                }
                let (a, b) = (self.expr(&ty, depth, known), self.expr(&ty, depth, known));
                format!("({a} {op} {b})")
            }
            3 if self.kind == Kind::Threads && ty.is_signed() => self.int_method(&ty, depth),
            4 | 7 if self.is_careful() => self.int_method(&ty, depth),
            3 => {
                let (a, b) = (self.expr(&ty, depth, known), self.expr(&ty, depth, known));
                let op = ["/", "%"][self.pick(2)];
                // Mostly with a divisor that is not zero.
                if self.may_fault(3) {
                    format!("({a} {op} {b})")
                } else {
                    format!("({a} {op} ({b} | 1))")
                }
            }
            4 => {
                let amount = self.int();
                let op = ["<<", ">>"][self.pick(2)];
                let (a, b) = (self.expr(&ty, depth, false), self.expr(&amount, depth, false));
                format!("({a} {op} ({b}))")
            }
            5 => self.cast(name, depth),
            6 => format!("(!{})", self.expr(&ty, depth, known)),
            7 if ty.is_signed() => format!("(-{})", self.expr(&ty, depth, false)),
            8 => self.element(name, depth).unwrap_or_else(|| self.leaf(&ty, known)),
            _ => self.int_method(&ty, depth),
        }
    }

    /// Returns true in most draws, if overflow is a fault.
    pub(super) fn is_careful(&mut self) -> bool {
        self.kind == Kind::Checked && self.chance(90)
    }

    fn wrapping(&mut self, ty: &Ty, op: &str, depth: u32) -> String {
        let method = match op {
            "+" => "wrapping_add",
            "-" => "wrapping_sub",
            _ => "wrapping_mul",
        };
        format!("({}).{method}({})", self.expr(ty, depth, false), self.expr(ty, depth, true))
    }

    fn cast(&mut self, name: &str, depth: u32) -> String {
        let plain: Vec<usize> =
            (0..self.enums.len()).filter(|&id| self.enums[id].is_plain()).collect();
        let from = match self.pick(6) {
            0 => BOOL,
            1 if !plain.is_empty() => Ty::Enum(plain[self.pick(plain.len())]),
            _ => self.number(),
        };
        format!("(({}) as {name})", self.expr(&from, depth, false))
    }

    fn int_method(&mut self, ty: &Ty, depth: u32) -> String {
        let name = ty.name();
        let on = self.expr(ty, depth, false);
        if name == "u32" && self.chance(30) {
            let of = self.int();
            let on = self.expr(&of, depth, false);
            let count = [
                "count_ones",
                "count_zeros",
                "leading_zeros",
                "leading_ones",
                "trailing_zeros",
                "trailing_ones",
            ];
            return format!("({on}).{}()", count[self.pick(6)]);
        }
        if name == "u16" && self.chance(30) {
            let of = self.half();
            return format!("bits_{}({})", of.name(), self.expr(&of, depth, false));
        }
        match self.pick(13) {
            9 if ty.is_signed() => {
                let other = self.expr(&ty.other_sign(), depth, false);
                let method = ["wrapping_add_unsigned", "wrapping_sub_unsigned"][self.pick(2)];
                format!("({on}).{method}({other})")
            }
            9 | 10 => {
                let methods = ["overflowing_add", "overflowing_sub", "overflowing_mul"];
                let (method, other) = (methods[self.pick(3)], self.expr(ty, depth, true));
                if self.chance(50) {
                    format!("({on}).{method}({other}).0")
                } else {
                    format!("(({on}).{method}({other}).1 as {name})")
                }
            }
            11 => self.rounded(ty, &on, depth),
            0 | 1 => {
                let methods = [
                    "wrapping_add",
                    "wrapping_sub",
                    "wrapping_mul",
                    "saturating_add",
                    "saturating_sub",
                    "saturating_mul",
                    "min",
                    "max",
                    "midpoint",
                ];
                let other = self.expr(ty, depth, true);
                format!("({on}).{}({other})", methods[self.pick(methods.len())])
            }
            2 | 3 => {
                let methods = [
                    "rotate_left",
                    "rotate_right",
                    "wrapping_shl",
                    "wrapping_shr",
                    "unbounded_shl",
                    "unbounded_shr",
                    "wrapping_pow",
                    "saturating_pow",
                    "pow",
                ];
                let count = methods.len() - usize::from(self.is_careful());
                let amount = self.expr(&U32, depth, true);
                format!("({on}).{}({amount})", methods[self.pick(count)])
            }
            4 => {
                let methods = ["reverse_bits", "swap_bytes", "to_be", "wrapping_neg"];
                format!("({on}).{}()", methods[self.pick(4)])
            }
            5 => {
                let methods = [
                    "wrapping_div",
                    "wrapping_rem",
                    "wrapping_div_euclid",
                    "wrapping_rem_euclid",
                    "saturating_div",
                ];
                let other = self.expr(ty, depth, true);
                format!("({on}).{}({other} | 1)", methods[self.pick(5)])
            }
            6 => {
                let ends = [("3", "20"), ("0", "100"), ("7", "7")][self.pick(3)];
                format!("({on}).clamp({}, {})", ends.0, ends.1)
            }
            7 if ty.is_signed() => {
                let methods = ["signum", "wrapping_abs", "saturating_abs", "saturating_neg", "abs"];
                let count = methods.len() - usize::from(self.is_careful());
                format!("({on}).{}()", methods[self.pick(count)])
            }
            7 if self.is_careful() => format!("({on}).swap_bytes()"),
            7 => format!("({on}).next_power_of_two()"),
            8 => {
                let of = ty.other_sign();
                let value = self.expr(&of, depth, false);
                let method = match (ty.is_signed(), self.pick(2)) {
                    (true, _) => "cast_signed",
                    (false, 0) => "unsigned_abs",
                    (false, _) => "cast_unsigned",
                };
                format!("({value}).{method}()")
            }
            _ => {
                let other = self.expr(ty, depth, false);
                let unsigned = if ty.is_signed() { format!(" as {name}") } else { String::new() };
                format!("(({on}).abs_diff({other}){unsigned})")
            }
        }
    }

    /// Returns a quotient, root or logarithm, rounded to an integer.
    fn rounded(&mut self, ty: &Ty, on: &str, depth: u32) -> String {
        let name = ty.name();
        let other = self.expr(ty, depth, true);
        match self.pick(5) {
            0 if ty.is_signed() => format!("(({on}).saturating_abs().isqrt())"),
            0 => format!("({on}).isqrt()"),
            1 => {
                let method = ["ilog2", "ilog10"][self.pick(2)];
                let sign = if ty.is_signed() { format!(" & {name}::MAX") } else { String::new() };
                format!("((({on}{sign}) | 1).{method}() as {name})")
            }
            2 if !ty.is_signed() && self.kind != Kind::Checked => {
                let method = ["div_ceil", "next_multiple_of"][self.pick(2)];
                format!("({on}).{method}({other} | 1)")
            }
            3 if !ty.is_signed() => {
                format!("(({on}).is_multiple_of({other}) as {name})")
            }
            _ if self.kind == Kind::Threads => format!("({on}).wrapping_div_euclid({other} | 1)"),
            _ => {
                let method = ["div_euclid", "rem_euclid"][self.pick(2)];
                format!("({on}).{method}({other} | 1)")
            }
        }
    }
}
