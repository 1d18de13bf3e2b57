//! Paths of functions of std's traits and of numbers: called, and passed as values.
use super::{
    generator::Generator,
    types::{BOOL, Pass, Ty, U32},
};

/// Traits of operators with their methods: those that never overflow, and the others.
const EXACT: [(&str, &str); 3] = [("BitAnd", "bitand"), ("BitOr", "bitor"), ("BitXor", "bitxor")];
const INEXACT: [(&str, &str); 3] = [("Add", "add"), ("Sub", "sub"), ("Mul", "mul")];

/// Returns the types that convert to a number without loss.
fn widened_from(name: &str) -> &'static [&'static str] {
    match name {
        "i16" => &["bool", "i8", "u8"],
        "i32" => &["bool", "i8", "i16", "u8", "u16"],
        "i64" => &["bool", "i8", "i16", "i32", "u8", "u16", "u32"],
        "isize" => &["bool", "i8", "i16", "u8"],
        "u16" => &["bool", "u8"],
        "u32" => &["bool", "u8", "u16"],
        "u64" => &["bool", "u8", "u16", "u32"],
        "usize" => &["bool", "u8", "u16"],
        "f32" => &["i8", "i16", "u8", "u16", "f16", "bf16"],
        "f64" => &["i8", "i16", "i32", "u8", "u16", "u32", "f32", "f16", "bf16"],
        _ => &["bool"],
    }
}

impl Generator {
    /// Returns a value of `ty` that a function computes, named by its path.
    pub(super) fn by_path(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        match ty {
            _ if self.chance(15) => self.without_assignments(|this| {
                let (place, name) = (this.place(ty, depth), ty.name());
                match (ty, this.pick(3)) {
                    (Ty::Scalar(_) | Ty::Struct(_) | Ty::Enum(_), 0) => {
                        format!("{name}::clone(&{place})")
                    }
                    (_, 1) => format!("{place}.clone()"),
                    _ => format!("Clone::clone(&{place})"),
                }
            }),
            _ if self.chance(10) => {
                let (from, path) = (self.ty(1), self.name("c"));
                let (on, other) = (self.option(&from, depth), self.expr(ty, depth, false));
                let body = self.in_closure(&[(path.clone(), from)], ty, depth);
                format!("Option::map_or({on}, {other}, |{path}| {body})")
            }
            Ty::Scalar("bool")
                if let Some(text) = self.without_assignments(|this| this.ranked(depth)) =>
            {
                text
            }
            Ty::Scalar("bool") => self.compared_by_path(depth),
            Ty::Scalar(name) if ty.is_int() => self.int_by_path(name, depth),
            Ty::Scalar(name) if ty.is_float() => self.float_by_path(name, depth),
            Ty::Struct(id) => self.struct_by_path(*id, depth),
            _ => self.by_from(ty, depth).unwrap_or_else(|| self.leaf(ty, known)),
        }
    }

    fn compared_by_path(&mut self, depth: u32) -> String {
        self.without_assignments(|this| {
            let of = this.scalar();
            let (a, b) = (this.place(&of, depth), this.place(&of, depth));
            match this.pick(3) {
                0 => format!("Not::not({})", this.expr(&BOOL, depth, true)),
                1 => {
                    let method = ["lt", "le", "gt", "ge"][this.pick(4)];
                    format!("PartialOrd::{method}(&{a}, &{b})")
                }
                _ => format!("PartialEq::{}(&{a}, &{b})", ["eq", "ne"][this.pick(2)]),
            }
        })
    }

    /// Returns an operator on two values of `ty`, called as a function.
    fn operator_by_path(&mut self, ty: &Ty, (of, method): (&str, &str), depth: u32) -> String {
        let name = ty.name();
        let (a, b) = (self.expr(ty, depth, false), self.expr(ty, depth, false));
        match self.pick(4) {
            0 => format!("{of}::{method}({a}, {b})"),
            1 => format!("<{name} as std::ops::{of}>::{method}({a}, {b})"),
            2 => format!("{name}::{method}({a}, {b})"),
            _ => format!("({a}).{method}({b})"),
        }
    }

    /// Returns an operator that does not overflow if overflow is a fault, and otherwise any.
    fn int_operator(&mut self) -> (&'static str, &'static str) {
        if self.is_careful() || self.chance(40) {
            EXACT[self.pick(3)]
        } else {
            INEXACT[self.pick(3)]
        }
    }

    fn int_by_path(&mut self, name: &'static str, depth: u32) -> String {
        let ty = Ty::Scalar(name);
        match self.pick(9) {
            0 | 1 => {
                let operator = self.int_operator();
                self.operator_by_path(&ty, operator, depth)
            }
            2 => {
                let (a, b) = (self.expr(&ty, depth, false), self.expr(&ty, depth, false));
                let method = ["max", "min"][self.pick(2)];
                let of_type = format!("<{name} as Ord>");
                let path = ["Ord", "std::cmp", &of_type, name][self.pick(4)];
                format!("{path}::{method}({a}, {b})")
            }
            3 => {
                let (on, other) = (self.expr(&ty, depth, false), self.expr(&ty, depth, false));
                let methods =
                    ["wrapping_add", "wrapping_mul", "saturating_sub", "wrapping_sub", "midpoint"];
                format!("{name}::{}({on}, {other})", methods[self.pick(5)])
            }
            4 => {
                let amount = format!("({} % 8)", self.expr(&U32, depth, false));
                let operator = ["Shl::shl", "Shr::shr"][self.pick(2)];
                format!("{operator}({}, {amount})", self.expr(&ty, depth, false))
            }
            5 => {
                let (of, other) = (self.int(), self.expr(&ty, depth, true));
                let value = self.expr(&of, depth, false);
                match self.pick(3) {
                    0 => format!("{name}::try_from({value}).unwrap_or({other})"),
                    1 => format!("TryInto::<{name}>::try_into({value}).unwrap_or({other})"),
                    _ => format!(
                        "<{name} as TryFrom<{}>>::try_from({value}).unwrap_or({other})",
                        of.name()
                    ),
                }
            }
            6 => {
                let of_type = format!("<{name} as Default>");
                format!("{}::default()", [name, &of_type][self.pick(2)])
            }
            7 => {
                let which =
                    [format!("{name}::swap_bytes"), format!("{name}::not"), "Not::not".into()];
                let which = which[self.pick(3)].clone();
                format!("apply({which}, {})", self.expr(&ty, depth, false))
            }
            _ => self.widened(name, depth),
        }
    }

    fn float_by_path(&mut self, name: &'static str, depth: u32) -> String {
        let ty = Ty::Scalar(name);
        match self.pick(4) {
            0 => {
                let operators = [("Add", "add"), ("Sub", "sub"), ("Mul", "mul"), ("Div", "div")];
                let operator = operators[self.pick(4)];
                self.operator_by_path(&ty, operator, depth)
            }
            1 => {
                let method = ["sqrt", "floor", "trunc", "abs", "fract"][self.pick(5)];
                let on = self.expr(&ty, depth, false);
                match self.pick(2) {
                    0 => format!("{name}::{method}({on})"),
                    _ => format!("apply({name}::{method}, {on})"),
                }
            }
            2 => {
                let (a, b) = (self.expr(&ty, depth, false), self.expr(&ty, depth, false));
                format!("{name}::mul_add({a}, {b}, {})", self.expr(&ty, depth, false))
            }
            _ => self.widened(name, depth),
        }
    }

    /// Returns a number, converted from a smaller one without loss.
    fn widened(&mut self, name: &'static str, depth: u32) -> String {
        let from = self.draw.one_of(widened_from(name));
        let value = self.expr(&Ty::Scalar(from), depth, false);
        match self.pick(4) {
            0 => format!("{name}::from({value})"),
            1 => format!("<{name} as From<{from}>>::from({value})"),
            2 => format!("Into::<{name}>::into({value})"),
            _ => format!("apply({name}::from, {value})"),
        }
    }

    /// Returns a conversion to `ty`, whose context must state the type.
    pub(super) fn made_by_into(&mut self, ty: &Ty, depth: u32) -> Option<String> {
        let from = match ty {
            Ty::Scalar("bool") => return None,
            Ty::Scalar(name) if ty.is_int() || ty.is_float() => {
                Ty::Scalar(self.draw.one_of(widened_from(name)))
            }
            _ => self.source_of(ty)?,
        };
        let value = self.expr(&from, depth, false);
        Some(match self.pick(3) {
            0 => format!("Into::into({value})"),
            1 => format!("From::from({value})"),
            _ => format!("({value}).into()"),
        })
    }

    fn struct_by_path(&mut self, id: usize, depth: u32) -> String {
        let ty = Ty::Struct(id);
        let own = self.structs[id].operators.clone();
        let found = EXACT.iter().chain(&INEXACT).zip(["&", "|", "^", "+", "-", "*"]);
        let found: Vec<_> = found.filter(|(_, sign)| own.contains(sign)).collect();
        if found.is_empty() || self.chance(20) {
            return self.by_from(&ty, depth).unwrap_or_else(|| self.leaf(&ty, true));
        }
        let (&operator, _) = found[self.pick(found.len())];
        if self.chance(70) {
            return self.operator_by_path(&ty, operator, depth);
        }
        let (values, other) = (self.values_of(&ty, depth), self.expr(&ty, depth, false));
        format!("{values}.fold({other}, {}::{})", operator.0, operator.1)
    }

    /// Returns a function, as a value, that combines two values of `ty` into one.
    pub(super) fn combining(&mut self, ty: &Ty) -> Option<String> {
        let Ty::Scalar(name) = ty else { return None };
        if !ty.is_int() {
            return ty.is_float().then(|| ["Add::add", "Mul::mul"][self.pick(2)].to_owned());
        }
        Some(match self.pick(4) {
            0 => ["Ord::max", "Ord::min", "std::cmp::max"][self.pick(3)].into(),
            1 => format!("{name}::{}", ["wrapping_add", "saturating_add", "min"][self.pick(3)]),
            _ => {
                let (of, method) = self.int_operator();
                format!("{of}::{method}")
            }
        })
    }

    /// Returns a function of one value, by its name, and the type of its parameter.
    pub(super) fn function_to(&mut self, ty: &Ty) -> Option<(String, Ty)> {
        let found = self.functions.iter().filter(|function| {
            let by_value = matches!(&function.params[..], [(from, Pass::Value)] if !matches!(from, Ty::Slice(_)));
            function.receiver.is_none() && function.ret == *ty && by_value
        });
        let found: Vec<_> =
            found.map(|function| (function.name.clone(), function.params[0].0.clone())).collect();
        (!found.is_empty()).then(|| found[self.pick(found.len())].clone())
    }
}
