//! Vectors: created, combined, taken apart, in types of their own.
use super::{
    generator::{Generator, Kind},
    types::{BOOL, HALVES, INTS, Ty},
};

/// The lanes' names.
const LANES: [&str; 4] = ["x", "y", "z", "w"];

impl Generator {
    /// Returns a type of vectors.
    pub(super) fn vector_ty(&mut self) -> Ty {
        Ty::Vector(self.lane(), 2 + self.pick(3))
    }

    /// Returns the type of a vector's lanes: any number but those of a pointer's size.
    fn lane(&mut self) -> &'static str {
        match self.pick(8) {
            0..3 => "f32",
            3 => "f64",
            4 => HALVES[self.pick(2)],
            _ => loop {
                let int = INTS[self.pick(INTS.len())];
                if !int.ends_with("size") {
                    return int;
                }
            },
        }
    }

    /// Returns true if `+` of integers in a vector wraps wherever it is computed. On the host,
    /// operators of vectors are the library's, which may or may not have been compiled with checks.
    pub(super) fn vectors_wrap(&self) -> bool {
        matches!(self.kind, Kind::Threads | Kind::Contracted)
    }

    /// Returns an expression of a vector type.
    pub(super) fn make_vector(&mut self, lane: &'static str, lanes: usize, depth: u32) -> String {
        let ty = Ty::Vector(lane, lanes);
        if depth == 0 {
            return self.new_vector(lane, lanes, 0);
        }
        let depth = depth - 1;
        let (name, of) = (ty.name(), Ty::Scalar(lane));
        match self.pick(12) {
            0..3 => self.vector_operator(&ty, &of, depth),
            3 => {
                let from = Ty::Vector(lane, 2 + self.pick(3));
                let Ty::Vector(_, count) = from else { unreachable!("it is a vector") };
                let word: String = (0..lanes).map(|_| LANES[self.pick(count)]).collect();
                format!("({}).{word}()", self.expr(&from, depth, false))
            }
            4 => {
                let (on, value) = (self.expr(&ty, depth, false), self.expr(&of, depth, true));
                format!("({on}).with_{}({value})", LANES[self.pick(lanes)])
            }
            5 => {
                let (on, c) = (self.expr(&ty, depth, false), self.name("c"));
                let body = self.in_closure(&[(c.clone(), of.clone())], &of, depth);
                format!("({on}).map(|{c}| {body})")
            }
            6 => {
                let [a, b, yes, no] = [(); 4].map(|()| self.expr(&ty, depth.min(2), false));
                let test = ["eq", "ne", "lt", "le", "gt", "ge"][self.pick(6)];
                format!("{name}::select(({a}).lanes_{test}({b}), {yes}, {no})")
            }
            7 => self.converted(lane, lanes, depth),
            8 | 9 => self.vector_method(&ty, &of, depth),
            _ => self.new_vector(lane, lanes, depth),
        }
    }

    fn new_vector(&mut self, lane: &'static str, lanes: usize, depth: u32) -> String {
        let (name, of) = (Ty::Vector(lane, lanes).name(), Ty::Scalar(lane));
        match self.pick(6) {
            0 => format!("{name}::splat({})", self.expr(&of, depth, true)),
            1 => format!("{name}::{}", ["ZERO", "ONE"][self.pick(2)]),
            how => {
                let values: Vec<_> = (0..lanes).map(|_| self.expr(&of, depth, true)).collect();
                let values = values.join(", ");
                if how == 2 {
                    format!("{name}::from_array([{values}])")
                } else {
                    format!("{name}::new({values})")
                }
            }
        }
    }

    /// Returns an operator on two vectors, or on a vector and a number.
    fn vector_operator(&mut self, ty: &Ty, of: &Ty, depth: u32) -> String {
        let ops: &[&str] = match (of.is_int(), self.vectors_wrap()) {
            (false, _) => &["+", "-", "*", "/"],
            (true, false) => &["&", "|", "^", "neg", "<<", ">>"],
            (true, true) => &["+", "-", "*", "&", "|", "^", "neg", "<<", ">>"],
        };
        let op = self.draw.one_of(ops);
        let a = self.expr(ty, depth, false);
        match op {
            "neg" => return format!("(!({a}))"),
            "<<" | ">>" => return format!("({a} {op} {}u32)", self.pick(8)),
            "-" if self.chance(20) && !of.is_int() => return format!("(-({a}))"),
            _ => {}
        }
        match self.pick(4) {
            0 => format!("({a} {op} {})", self.expr(of, depth, false)),
            1 => format!("({} {op} {a})", self.expr(of, depth, false)),
            _ => format!("({a} {op} {})", self.expr(ty, depth, false)),
        }
    }

    /// Returns another vector, converted by its `as_` method.
    fn converted(&mut self, lane: &'static str, lanes: usize, depth: u32) -> String {
        let half = HALVES.contains(&lane);
        let from = loop {
            let from = if half { self.draw.one_of(&["f32", "f16", "bf16"]) } else { self.lane() };
            let both = !HALVES.contains(&from) || half || lane.starts_with('f');
            if from != lane && both {
                break from;
            }
        };
        let name = Ty::Vector(lane, lanes).name().to_lowercase();
        format!("({}).as_{name}()", self.expr(&Ty::Vector(from, lanes), depth, false))
    }

    fn vector_method(&mut self, ty: &Ty, of: &Ty, depth: u32) -> String {
        let Ty::Vector(_, lanes) = *ty else { unreachable!("only vectors have these methods") };
        let (on, other) = (self.expr(ty, depth, false), self.expr(ty, depth, false));
        let choice = self.pick(7);
        if of.is_int() {
            let wrapping = ["wrapping", "saturating"][self.pick(2)];
            let method = ["add", "sub", "mul"][self.pick(3)];
            return match choice {
                0 | 1 => format!("({on}).{}({other})", ["min", "max"][self.pick(2)]),
                2 if of.is_signed() => format!("({on}).signum()"),
                _ => format!("({on}).{wrapping}_{method}({other})"),
            };
        }
        match choice {
            // Rust does not specify which zero is the smaller; a sum with +0.0 is never -0.0.
            0 => {
                let zero = format!("{}::ZERO", ty.name());
                let which = ["min", "max"][self.pick(2)];
                format!("({on} + {zero}).{which}({other} + {zero})")
            }
            1 => format!("({on}).mul_add({other}, {})", self.expr(ty, depth, false)),
            2 | 5 | 6 => format!("({on}).lerp({other}, {})", self.expr(of, depth, false)),
            3 => format!("({on}).normalize()"),
            4 if lanes == 3 => format!("({on}).cross({other})"),
            _ => {
                let methods = [
                    "floor",
                    "ceil",
                    "trunc",
                    "round_ties_even",
                    "sqrt",
                    "abs",
                    "round",
                    "fract",
                    "recip",
                ];
                let count = if of.is_half() { 6 } else { 9 };
                format!("({on}).{}()", methods[self.pick(count)])
            }
        }
    }

    /// Returns a number that is computed from vectors.
    pub(super) fn of_vector(&mut self, lane: &'static str, depth: u32) -> String {
        let ty = Ty::Vector(lane, 2 + self.pick(3));
        let (on, of) = (self.expr(&ty, depth, false), Ty::Scalar(lane));
        match self.pick(7) {
            0 => format!("({on}).{}", LANES[self.pick(2)]),
            1 => format!("({on})[{}]", self.index(2, depth)),
            2 => {
                let zero = format!("{}::ZERO", ty.name());
                let on = if of.is_int() { on } else { format!("{on} + {zero}") };
                format!("({on}).{}_element()", ["min", "max"][self.pick(2)])
            }
            _ if of.is_int() && !self.vectors_wrap() => format!("({on}).to_array()[1]"),
            3 => format!("({on}).dot({})", self.expr(&ty, depth, false)),
            4 => format!("({on}).{}()", ["sum", "product"][self.pick(2)]),
            5 if !of.is_int() => format!("({on}).distance({})", self.expr(&ty, depth, false)),
            _ if !of.is_int() => format!("({on}).{}()", ["length", "length_squared"][self.pick(2)]),
            _ => format!("({on}).to_array()[0]"),
        }
    }

    /// Returns true if a number is to be taken from the lane of a vector, which its type must
    /// permit.
    pub(super) fn takes_lane(&mut self, name: &str) -> bool {
        !name.ends_with("size") && self.chance(6)
    }

    /// Returns a comparison of whole vectors.
    pub(super) fn vectors_equal(&mut self, depth: u32) -> String {
        let ty = self.vector_ty();
        let (a, b) = (self.expr(&ty, depth, false), self.expr(&ty, depth, false));
        format!("({a} {} {b})", ["==", "!="][self.pick(2)])
    }

    /// Returns a test of the order of two values.
    pub(super) fn ordered(&mut self, depth: u32) -> String {
        let test = ["lt", "le", "eq", "ne", "gt", "ge"][self.pick(6)];
        match self.pick(3) {
            0 => format!("{}.is_{test}()", self.ordering(depth)),
            1 => {
                let (ty, o) = (self.ty(1), self.name("o"));
                if !self.is_ordered(&ty) {
                    return self.expr(&BOOL, depth, true);
                }
                let (a, b) = (self.expr(&ty, depth, false), self.expr(&ty, depth, false));
                format!("(({a}).partial_cmp(&({b})).is_some_and(|{o}| {o}.is_{test}()))")
            }
            _ => {
                let (a, b) = (self.ordering(depth), self.ordering(depth));
                format!("({a} {} {b})", ["==", "!=", "<", ">="][self.pick(4)])
            }
        }
    }

    /// Returns an integer that depends on the order of two values.
    pub(super) fn by_order(&mut self, ty: &Ty, depth: u32) -> String {
        let ordering = self.ordering(depth);
        if ty.is_signed() && self.chance(40) {
            return format!("({ordering} as {})", ty.name());
        }
        let [a, b, c] = [(); 3].map(|()| self.expr(ty, depth, false));
        format!(
            "(match {ordering} {{ std::cmp::Ordering::Less => {a}, std::cmp::Ordering::Equal => {b}, std::cmp::Ordering::Greater => {c} }})"
        )
    }

    fn ordering(&mut self, depth: u32) -> String {
        let ty = if self.chance(20) { self.float() } else { self.int() };
        let (a, b) = (self.expr(&ty, depth, false), self.expr(&ty, depth, false));
        let first = if ty.is_float() {
            let name = ty.name();
            format!("nan_{name}({a}).total_cmp(&nan_{name}({b}))")
        } else {
            format!("({a}).cmp(&({b}))")
        };
        match self.pick(5) {
            0 => format!("{first}.reverse()"),
            1 => format!("{first}.then({})", self.ordering(depth.min(1))),
            2 => {
                let other = self.in_closure_of(&[], |this| this.ordering(depth.min(1)));
                format!("{first}.then_with(|| {other})")
            }
            _ => first,
        }
    }
}
