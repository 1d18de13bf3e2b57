//! Values of structs, enums, tuples, arrays and options: created, compared and taken apart.
use super::{
    generator::Generator,
    types::{BOOL, Pass, Ty, Variant},
};

impl Generator {
    /// Returns true if `<` exists for the type: it does not for vectors.
    pub(super) fn is_ordered(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Scalar(_) => true,
            Ty::Vector(..) => false,
            Ty::Array(of, _) => self.is_ordered(of),
            Ty::Option(of) => self.is_ordered(of),
            Ty::Result(of, error) => self.is_ordered(of) && self.is_ordered(error),
            Ty::Slice(_) => unreachable!("slices are not compared"),
            Ty::Tuple(parts) => parts.iter().all(|part| self.is_ordered(part)),
            Ty::Struct(id) => self.structs[*id].fields.iter().all(|field| self.is_ordered(field)),
            Ty::Enum(id) => {
                let mut fields =
                    self.enums[*id].variants.iter().flat_map(|variant| &variant.fields);
                fields.all(|field| self.is_ordered(field))
            }
        }
    }

    /// Returns an expression that creates a composite value.
    pub(super) fn make(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        match ty {
            Ty::Scalar(_) => self.expr(ty, depth, known),
            Ty::Tuple(parts) => {
                let parts: Vec<_> =
                    parts.iter().map(|part| self.expr(part, depth, known)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Array(of, len) if self.chance(30) => {
                format!("[{}; {len}]", self.expr(of, depth, known))
            }
            Ty::Array(of, len) => {
                let parts: Vec<_> = (0..*len).map(|_| self.expr(of, depth, known)).collect();
                format!("[{}]", parts.join(", "))
            }
            Ty::Option(of) => self.make_option(ty, of, depth, known),
            Ty::Result(of, error) => self.make_result(of, error, depth, known),
            Ty::Vector(lane, lanes) => self.make_vector(lane, *lanes, depth),
            Ty::Slice(of) => self.make_slice(of, depth),
            Ty::Struct(id) => self.make_struct(*id, depth),
            Ty::Enum(id) => {
                let number = self.pick(self.enums[*id].variants.len());
                let variant = self.enums[*id].variants[number].clone();
                self.make_variant(&format!("E{id}::A{number}"), &variant, depth)
            }
        }
    }

    fn make_variant(&mut self, path: &str, variant: &Variant, depth: u32) -> String {
        let values: Vec<_> = variant.fields.iter().map(|ty| self.expr(ty, depth, true)).collect();
        if values.is_empty() {
            return path.into();
        }
        if !variant.named {
            return format!("{path}({})", values.join(", "));
        }
        let mut fields: Vec<_> =
            values.iter().enumerate().map(|(at, value)| format!("g{at}: {value}")).collect();
        if self.chance(50) {
            fields.reverse();
        }
        format!("({path} {{ {} }})", fields.join(", "))
    }

    fn make_struct(&mut self, id: usize, depth: u32) -> String {
        let of = self.structs[id].clone();
        if !of.operators.is_empty() && depth > 0 && self.chance(50) {
            let operator = of.operators[self.pick(of.operators.len())];
            return self.operated(id, operator, depth - 1);
        }
        if of.fields.len() > 1 && depth > 0 && self.chance(20) && !of.tuple {
            let at = self.pick(of.fields.len());
            let value = self.expr(&of.fields[at], depth, true);
            let rest = self.expr(&Ty::Struct(id), depth - 1, true);
            return format!("(S{id} {{ f{at}: {value}, ..{rest} }})");
        }
        let known = !of.generic;
        let values: Vec<_> = of.fields.iter().map(|ty| self.expr(ty, depth, known)).collect();
        if of.tuple {
            return format!("S{id}({})", values.join(", "));
        }
        let mut fields: Vec<_> =
            values.iter().enumerate().map(|(at, value)| format!("f{at}: {value}")).collect();
        // In any order: fields are evaluated in the order in which they are written.
        if self.chance(40) {
            fields.reverse();
        }
        format!("(S{id} {{ {} }})", fields.join(", "))
    }

    fn make_option(&mut self, ty: &Ty, of: &Ty, depth: u32, known: bool) -> String {
        if let Ty::Scalar(name) = of
            && of.is_int()
            && depth > 0
            && self.chance(40)
        {
            return self.checked(name, depth - 1);
        }
        if depth == 0 {
            let value = self.leaf(of, known);
            return if known && self.chance(40) { "None".into() } else { format!("Some({value})") };
        }
        let depth = depth - 1;
        if self.chance(10) {
            let value = self.without_assignments(|this| this.expr(of, depth, true));
            let condition = self.expr(&BOOL, depth, true);
            return if self.chance(60) {
                format!("({condition}).then_some({value})")
            } else {
                format!("({condition}).then(|| {value})")
            };
        }
        let (from, method) = (self.ty(1), self.pick(12));
        match method {
            0 => {
                let (on, body) = (self.option(&from, depth), self.closure(&from, of, depth));
                format!("({on}).map({body})")
            }
            1 => {
                let (on, body) = (self.option(&from, depth), self.closure(&from, ty, depth));
                format!("({on}).and_then({body})")
            }
            2 => {
                let method = ["or", "xor", "and"][self.pick(3)];
                format!("({}).{method}({})", self.option(of, depth), self.option(of, depth))
            }
            3 => {
                let (on, parameter) = (self.option(of, depth), self.name("c"));
                let test =
                    self.in_closure(&[(format!("(*{parameter})"), of.clone())], &BOOL, depth);
                format!("({on}).filter(|{parameter}| {test})")
            }
            4 => {
                let value = self.expr(of, depth, known);
                let condition = self.expr(&BOOL, depth, true);
                format!("(if {condition} {{ Some({value}) }} else {{ None }})")
            }
            5 => {
                let source = self.values_of(of, depth);
                format!("{source}.last()")
            }
            6 => {
                let error = self.scalar();
                let result = self.result(of, &error, depth);
                format!("({result}).ok()")
            }
            7..10 if self.has_memory(of) => self.got(of, depth),
            _ => format!("Some({})", self.expr(of, depth, known)),
        }
    }

    /// Returns an option whose type does not depend on its context.
    pub(super) fn option(&mut self, of: &Ty, depth: u32) -> String {
        let ty = Ty::Option(Box::new(of.clone()));
        let found: Vec<_> = self.places().into_iter().filter(|place| place.ty == ty).collect();
        if !found.is_empty() && self.chance(60) {
            return found[self.pick(found.len())].name.clone();
        }
        let (condition, value) = (self.expr(&BOOL, depth, true), self.expr(of, depth, false));
        format!("(if {condition} {{ Some({value}) }} else {{ None }})")
    }

    /// Returns a value of `ty` that is taken from an option.
    pub(super) fn of_option(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        let from = self.ty(1);
        match self.pick(5) {
            0 => format!("({}).unwrap_or({})", self.option(ty, depth), self.expr(ty, depth, true)),
            1 => {
                let (on, value) = (self.option(ty, depth), self.in_closure(&[], ty, depth));
                format!("({on}).unwrap_or_else(|| {value})")
            }
            2 => {
                let (on, other) = (self.option(&from, depth), self.expr(ty, depth, false));
                format!("({on}).map_or({other}, {})", self.closure(&from, ty, depth))
            }
            _ => {
                let (on, name) = (self.option(&from, depth), self.name("v"));
                let var = super::types::Var { name: name.clone(), ty: from, mutable: false };
                self.vars.push(var);
                let yes = self.expr(ty, depth, known);
                self.vars.pop();
                let no = self.expr(ty, depth, known);
                format!("(if let Some({name}) = {on} {{ {yes} }} else {{ {no} }})")
            }
        }
    }

    /// Returns a part of a value that is created for it.
    pub(super) fn part_of(&mut self, ty: &Ty, depth: u32) -> String {
        let holders: Vec<(usize, usize)> = (0..self.structs.len())
            .flat_map(|id| (0..self.structs[id].fields.len()).map(move |field| (id, field)))
            .filter(|&(id, field)| self.structs[id].fields[field] == *ty)
            .collect();
        match self.pick(3) {
            0 if !holders.is_empty() => {
                let (id, field) = holders[self.pick(holders.len())];
                let name = self.structs[id].field(field);
                format!("({}).{name}", self.expr(&Ty::Struct(id), depth, false))
            }
            1 => {
                let other = self.ty(1);
                let (a, b) = (self.expr(ty, depth, false), self.expr(&other, depth, false));
                if self.chance(50) { format!("({a}, {b}).0") } else { format!("({b}, {a}).1") }
            }
            _ => {
                let len = 1 + self.pick(4);
                let parts: Vec<_> = (0..len).map(|_| self.expr(ty, depth, false)).collect();
                format!("([{}])[{}]", parts.join(", "), self.index(len, depth))
            }
        }
    }

    /// Returns an argument, as a function takes it.
    pub(super) fn argument(&mut self, ty: &Ty, pass: Pass, depth: u32) -> String {
        match (ty, pass) {
            (Ty::Slice(of), _) => self.make_slice(of, depth),
            (_, pass) => self.passed(ty, pass, depth),
        }
    }

    fn passed(&mut self, ty: &Ty, pass: Pass, depth: u32) -> String {
        match pass {
            Pass::Value => self.expr(ty, depth, true),
            Pass::Ref | Pass::Mut => format!("&{}", self.place(ty, depth)),
        }
    }

    /// Returns a place of a type, or a value that `&` moves into a place.
    pub(super) fn place(&mut self, ty: &Ty, depth: u32) -> String {
        let found: Vec<_> = self.places().into_iter().filter(|place| place.ty == *ty).collect();
        if !found.is_empty() && self.chance(80) {
            return found[self.pick(found.len())].name.clone();
        }
        format!("({})", self.expr(ty, depth, false))
    }
}
