//! Generic items, operators of structs, and constants, with their uses.
use super::{
    generator::Generator,
    types::{BOOL, Function, Pass, Struct, Ty, USIZE, Var},
};

/// Operators with the trait and the method.
const OPERATORS: [(&str, &str, &str); 14] = [
    ("+", "Add", "add"),
    ("-", "Sub", "sub"),
    ("*", "Mul", "mul"),
    ("/", "Div", "div"),
    ("%", "Rem", "rem"),
    ("&", "BitAnd", "bitand"),
    ("|", "BitOr", "bitor"),
    ("^", "BitXor", "bitxor"),
    ("-x", "Neg", "neg"),
    ("!x", "Not", "not"),
    ("+=", "AddAssign", "add_assign"),
    ("-=", "SubAssign", "sub_assign"),
    ("*=", "MulAssign", "mul_assign"),
    ("^=", "BitXorAssign", "bitxor_assign"),
];

impl Generator {
    /// Writes a constant: a number, or an array of numbers, which kernels index.
    pub(super) fn constant_item(&mut self) {
        let of = self.number();
        let Ty::Scalar(scalar) = of else { unreachable!("numbers are scalars") };
        let (name, len) = (self.name("K"), 1 + self.pick(4));
        let (ty, value) = if self.chance(50) {
            let values: Vec<_> = (0..len).map(|_| self.literal(scalar, true)).collect();
            (Ty::Array(Box::new(of), len), format!("[{}]", values.join(", ")))
        } else {
            (of, self.literal(scalar, true))
        };
        self.line("#[device]");
        self.line(&format!("const {name}: {} = {value};", ty.name()));
        self.constants.push(Var { name, ty, mutable: false });
    }

    /// Writes a struct that is generic over a type and a number, and a name for one instance, which
    /// the module uses.
    pub(super) fn generic_struct_item(&mut self) {
        let (id, of, len) = (self.structs.len(), self.scalar(), 1 + self.pick(4));
        self.line("#[device]");
        self.line("#[derive(Clone, Copy, PartialEq, PartialOrd)]");
        self.line(&format!("struct G{id}<T, const N: usize> {{ f0: [T; N], f1: T }}"));
        self.line("#[device]");
        self.line(&format!("type S{id} = G{id}<{}, {len}>;", of.name()));
        self.line("#[device]");
        self.line(&format!("impl<T: Copy, const N: usize> G{id}<T, N> {{"));
        self.line("const COUNT: usize = N + 1;");
        self.line("fn at(self, at: usize) -> T {");
        self.line("if at % Self::COUNT == N { self.f1 } else { self.f0[at % N] }");
        self.line("}");
        self.line("fn turned(&mut self, by: usize) -> T {");
        self.line("let first = self.f0[by % N];");
        self.line("self.f0[by % N] = self.f1;");
        self.line("self.f1 = first;");
        self.line("first");
        self.line("}");
        self.line("}");
        let at = |name: &str, pass| Function {
            name: name.into(),
            receiver: Some((id, pass)),
            params: vec![(USIZE, Pass::Value)],
            ret: of.clone(),
        };
        self.functions.extend([at("at", Pass::Value), at("turned", Pass::Mut)]);
        self.structs.push(Struct {
            fields: vec![Ty::Array(Box::new(of.clone()), len), of],
            tuple: false,
            measured: false,
            operators: Vec::new(),
            summed: false,
            generic: true,
        });
    }

    /// Writes operators of a struct, none of which calls itself.
    pub(super) fn operator_items(&mut self, id: usize) {
        for _ in 0..self.pick(4) {
            let (operator, of, method) = OPERATORS[self.pick(OPERATORS.len())];
            if self.structs[id].operators.contains(&operator) {
                continue;
            }
            let (own, ty) = (format!("S{id}"), Ty::Struct(id));
            self.line("#[device]");
            self.line(&format!("impl std::ops::{of} for {own} {{"));
            let unary = operator.ends_with('x');
            if operator.ends_with('=') {
                self.line(&format!("fn {method}(&mut self, other: Self) {{"));
                // A closure that moves its captures would take `self` with it.
                self.line("let own = *self;");
                let vars = [("own", &ty), ("other", &ty)];
                let value = self.with_vars(&vars, |this| this.expr(&ty, 2, true));
                self.line(&format!("*self = {value};"));
            } else {
                self.line("type Output = Self;");
                let other = if unary { "" } else { ", other: Self" };
                self.line(&format!("fn {method}(self{other}) -> Self {{"));
                let vars = [("self", &ty), ("other", &ty)];
                let vars = if unary { &vars[..1] } else { &vars };
                let value = self.with_vars(vars, |this| this.expr(&ty, 2, true));
                self.line(&value);
            }
            self.line("}");
            self.line("}");
            self.structs[id].operators.push(operator);
        }
    }

    /// Returns a struct that one of its operators computes.
    pub(super) fn operated(&mut self, id: usize, operator: &str, depth: u32) -> String {
        let ty = Ty::Struct(id);
        let a = self.expr(&ty, depth, false);
        match operator {
            "-x" => format!("(-({a}))"),
            "!x" => format!("(!({a}))"),
            _ if operator.ends_with('=') => {
                let (name, b) = (self.name("v"), self.expr(&ty, depth, false));
                format!("{{ let mut {name} = {a}; {name} {operator} {b}; {name} }}")
            }
            _ => format!("({a} {operator} {})", self.expr(&ty, depth, false)),
        }
    }

    /// Writes a trait with a type parameter, implemented for some structs.
    pub(super) fn blend_item(&mut self) {
        let ty = self.scalar();
        let name = ty.name();
        self.line("#[device]");
        self.line("trait Blend<T> {");
        self.line("fn blend(&self, other: T) -> T;");
        self.line("}");
        for id in 0..self.structs.len() {
            if self.structs[id].generic || !self.chance(80) {
                continue;
            }
            self.line("#[device]");
            self.line(&format!("impl Blend<{name}> for S{id} {{"));
            self.line(&format!("fn blend(&self, other: {name}) -> {name} {{"));
            let own = [("(*self)", &Ty::Struct(id)), ("other", &ty)];
            let body = self.with_vars(&own, |this| this.expr(&ty, 2, true));
            self.line(&body);
            self.line("}");
            self.line("}");
            self.functions.push(Function {
                name: "blend".into(),
                receiver: Some((id, Pass::Ref)),
                params: vec![(ty.clone(), Pass::Value)],
                ret: ty.clone(),
            });
            self.blend = Some(ty.clone());
        }
        self.line("#[device]");
        self.line("fn blended<T: Copy, B: Blend<T>>(of: &B, first: T, second: T) -> T {");
        self.line("of.blend(of.blend(first)); of.blend(second)");
        self.line("}");
    }

    /// Writes a function that is generic over numbers.
    pub(super) fn generic_fn(&mut self) {
        let bound = ["Num", "Int", "Float"][self.pick(3)];
        let name = self.name("g");
        self.line("#[device]");
        self.line(&format!("fn {name}<T: {bound}>(a: T, b: T) -> T {{"));
        if self.chance(50) {
            let (a, b) = (self.generic(bound, 1), self.generic(bound, 1));
            let value = self.generic(bound, 2);
            self.line(&format!("if {a} < {b} {{"));
            self.line(&format!("return {value};"));
            self.line("}");
        }
        let value = self.generic(bound, 3);
        self.line(&value);
        self.line("}");
        self.generics.push((name, bound));
    }

    /// Returns an expression of type `T` over `a` and `b`.
    fn generic(&mut self, bound: &str, depth: u32) -> String {
        if depth == 0 || self.chance(15) {
            let leaves = ["a", "b", "T::ONE", "T::ZERO", "T::from_i32(7)", "T::from_usize(3)"];
            return leaves[[0, 1, 0, 1, 2, 3, 4, 5][self.pick(8)]].into();
        }
        let a = self.generic(bound, depth - 1);
        let b = self.generic(bound, depth - 1);
        match (bound, self.pick(7)) {
            ("Int", 0) => format!("({a} {} {b})", ["&", "|", "^"][self.pick(3)]),
            ("Int", 1) => format!("({a} {} {})", ["<<", ">>"][self.pick(2)], self.pick(8)),
            ("Int", 2) => format!("({a}).{}({b})", ["min", "max"][self.pick(2)]),
            ("Int", 3) => format!("(!{a})"),
            ("Float", 0) => format!("({a}).mul_add({b}, b)"),
            ("Float", 1) => format!("({a}).{}()", ["sqrt", "abs", "floor", "trunc"][self.pick(4)]),
            ("Float", 2) => format!("({a} / {b})"),
            (_, 4) => format!("(if {a} == {b} {{ {b} }} else {{ {a} }})"),
            _ => format!("({a} {} {b})", ["+", "-", "*"][self.pick(3)]),
        }
    }

    /// Writes a function over arrays of any length.
    pub(super) fn const_generic_fn(&mut self) {
        let (ty, name) = (self.scalar(), self.name("n"));
        let of = ty.name();
        self.line("#[device]");
        self.line(&format!("fn {name}<const N: usize>(x: [{of}; N]) -> {of} {{"));
        self.line("let mut value = x[N - 1];");
        self.line("for k in 0..N {");
        let own = [("value", &ty), ("x[k]", &ty), ("N", &USIZE), ("k", &USIZE)];
        let body = self.with_vars(&own, |this| this.expr(&ty, 2, true));
        self.line(&format!("value = {body};"));
        self.line("}");
        self.line("value");
        self.line("}");
        // Registered as a function whose parameter is an array of some length.
        let len = 1 + self.pick(4);
        let turbofish = if self.chance(50) { format!("::<{len}>") } else { String::new() };
        self.functions.push(Function {
            name: name + &turbofish,
            receiver: None,
            params: vec![(Ty::Array(Box::new(ty.clone()), len), Pass::Value)],
            ret: ty,
        });
    }

    /// Returns a call of a generic function that yields `ty`.
    pub(super) fn call_of_generic(&mut self, ty: &Ty, depth: u32) -> Option<String> {
        let holders: Vec<usize> = self
            .functions
            .iter()
            .filter(|function| function.name == "blend")
            .filter_map(|function| function.receiver.map(|(id, _)| id))
            .collect();
        if self.blend.as_ref() == Some(ty) && !holders.is_empty() && self.chance(90) {
            let id = holders[self.pick(holders.len())];
            return Some(self.without_assignments(|this| {
                let on = this.place(&Ty::Struct(id), depth);
                let (a, b) = (this.expr(ty, depth, false), this.expr(ty, depth, false));
                format!("blended(&{on}, {a}, {b})")
            }));
        }
        let fits = |bound: &str| match bound {
            "Num" => matches!(ty, Ty::Scalar(_)) && *ty != BOOL,
            "Int" => ty.is_int(),
            _ => ty.is_float() || ty.is_half(),
        };
        let found: Vec<_> =
            self.generics.iter().filter(|(_, bound)| fits(bound)).cloned().collect();
        let (name, _) = found.get(self.pick(found.len().max(1)))?;
        let (a, b) = (self.expr(ty, depth, false), self.expr(ty, depth, false));
        Some(format!("{name}({a}, {b})"))
    }
}
