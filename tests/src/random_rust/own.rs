//! Traits of std and of the module, for the module's types and for numbers, arrays and slices:
//! sums, conversions, methods.
use super::{
    generator::Generator,
    types::{Ty, USIZE},
};

impl Generator {
    /// Writes `Sum` of a struct, of its values and of references to them.
    pub(super) fn sum_items(&mut self, id: usize) {
        let (own, ty) = (format!("S{id}"), Ty::Struct(id));
        for by_reference in [false, true] {
            let (generics, of) =
                if by_reference { ("<'a>", format!("<&'a {own}>")) } else { ("", String::new()) };
            let item = if by_reference { format!("&'a {own}") } else { "Self".into() };
            self.line("#[device]");
            self.line(&format!("impl{generics} std::iter::Sum{of} for {own} {{"));
            self.line(&format!("fn sum<I: Iterator<Item = {item}>>(values: I) -> Self {{"));
            let start = self.with_vars(&[], |this| this.expr(&ty, 1, true));
            let other = if by_reference { "(*b)" } else { "b" };
            let next = self.with_vars(&[("a", &ty), (other, &ty)], |this| {
                this.without_assignments(|this| this.expr(&ty, 2, true))
            });
            self.line(&format!("values.fold({start}, |a, b| {{ {next} }})"));
            self.line("}");
            self.line("}");
        }
        self.structs[id].summed = true;
    }

    /// Returns a sum of a struct's values.
    pub(super) fn summed_structs(&mut self, id: usize, depth: u32) -> String {
        let ty = Ty::Struct(id);
        let places = self.places().into_iter();
        let places: Vec<_> = places
            .filter(|place| matches!(&place.ty, Ty::Array(of, _) | Ty::Slice(of) if **of == ty))
            .collect();
        if !places.is_empty() && self.chance(50) {
            let place = &places[self.pick(places.len())].name;
            return format!("{place}.iter().sum::<S{id}>()");
        }
        format!("{}.sum::<S{id}>()", self.values_of(&ty, depth))
    }

    /// Writes `From` of a scalar for one of the module's types.
    pub(super) fn conversion_item(&mut self, to: &Ty) {
        let from = self.scalar();
        if self.conversions.contains(&(from.clone(), to.clone())) {
            return;
        }
        self.line("#[device]");
        self.line(&format!("impl From<{}> for {} {{", from.name(), to.name()));
        self.line(&format!("fn from(a: {}) -> Self {{", from.name()));
        let body = self.with_vars(&[("a", &from)], |this| this.expr(to, 2, true));
        self.line(&body);
        self.line("}");
        self.line("}");
        self.conversions.push((from, to.clone()));
    }

    /// Returns the type of an error before `?` converts it: the error type itself, or one that
    /// converts to it.
    pub(super) fn error_before(&mut self, error: &Ty) -> Ty {
        let found = self.conversions.iter().filter(|(_, to)| to == error);
        let found: Vec<Ty> = found.map(|(from, _)| from.clone()).collect();
        if found.is_empty() || self.chance(20) {
            return error.clone();
        }
        found[self.pick(found.len())].clone()
    }

    /// Returns a type for which there is a conversion.
    pub(super) fn convertible(&mut self) -> Option<Ty> {
        let count = self.conversions.len();
        let at = self.pick(count.max(1));
        self.conversions.get(at).map(|(_, to)| to.clone())
    }

    /// Returns a type that converts to one of the module's.
    pub(super) fn source_of(&mut self, ty: &Ty) -> Option<Ty> {
        let found = self.conversions.iter().filter(|(_, to)| to == ty);
        let found: Vec<Ty> = found.map(|(from, _)| from.clone()).collect();
        found.get(self.pick(found.len().max(1))).cloned()
    }

    /// Returns a value of one of the module's types, created by its `From`.
    pub(super) fn by_from(&mut self, ty: &Ty, depth: u32) -> Option<String> {
        let from = self.source_of(ty)?;
        let (value, name) = (self.expr(&from, depth, false), ty.name());
        Some(match self.pick(3) {
            0 => format!("{name}::from({value})"),
            1 => format!("<{name} as From<{}>>::from({value})", from.name()),
            _ => format!("Into::<{name}>::into({value})"),
        })
    }

    /// Writes a trait of the module for numbers, arrays and slices.
    pub(super) fn weigh_item(&mut self) {
        let ty = self.scalar();
        let name = ty.name();
        self.line("#[device]");
        self.line("trait Weigh {");
        self.line("const PARTS: usize;");
        self.line(&format!("fn weigh(&self) -> {name};"));
        self.line(&format!("fn weigh_with(&self, more: {name}) -> {name} {{"));
        let own = [("self.weigh()", &ty), ("more", &ty), ("Self::PARTS", &USIZE)];
        let body = self.with_vars(&own, |this| this.expr(&ty, 2, true));
        self.line(&body);
        self.line("}");
        self.line("}");
        for _ in 0..1 + self.pick(3) {
            let of = self.scalar();
            let on = match self.pick(4) {
                0 | 1 => of,
                2 => Ty::Array(Box::new(of), 1 + self.pick(3)),
                _ => Ty::Slice(Box::new(of)),
            };
            if !self.weighed.contains(&on) {
                self.weigh_impl(&on, &ty);
            }
        }
        self.weigh = Some(ty);
    }

    fn weigh_impl(&mut self, on: &Ty, ty: &Ty) {
        let (receiver, own, parts) = match on {
            Ty::Slice(of) => (format!("[{}]", of.name()), "self", 2),
            Ty::Array(_, len) => (on.name(), "(*self)", *len),
            _ => (on.name(), "(*self)", 1),
        };
        self.line("#[device]");
        self.line(&format!("impl Weigh for {receiver} {{"));
        self.line(&format!("const PARTS: usize = {parts};"));
        self.line(&format!("fn weigh(&self) -> {} {{", ty.name()));
        let body = self.with_vars(&[(own, on)], |this| this.expr(ty, 2, true));
        self.line(&body);
        self.line("}");
        self.line("}");
        self.weighed.push(on.clone());
    }

    /// Returns a call of the module's trait on a number, an array or a slice.
    pub(super) fn weighs(&mut self, ty: &Ty, depth: u32) -> Option<String> {
        let (of, count) = (self.weigh.as_ref()?, self.weighed.len());
        if of != ty || count == 0 {
            return None;
        }
        let at = self.pick(count);
        let on = self.weighed[at].clone();
        Some(self.without_assignments(|this| match &on {
            Ty::Slice(of) => {
                let slice = this.make_slice(of, depth);
                format!("({slice}).weigh()")
            }
            _ => {
                let (value, name) = (this.place(&on, depth), on.name());
                let more = this.expr(ty, depth, false);
                match this.pick(5) {
                    0 => format!("{value}.weigh()"),
                    1 | 4 => format!("Weigh::weigh_with(&{value}, {more})"),
                    2 => format!("<{name} as Weigh>::weigh(&{value})"),
                    _ => format!("{value}.weigh_with({more})"),
                }
            }
        }))
    }

    /// Writes a function that returns an iterator over values that it computes from its arguments.
    pub(super) fn iterator_fn(&mut self) {
        let (of, from, name) = (self.scalar(), self.scalar(), self.name("it"));
        let vars = [("a0", &of), ("a1", &from)];
        let chain = self.with_vars(&vars, |this| this.values_of(&of, 2));
        // It must not borrow from the function's own variables.
        let chain = if chain.contains(".iter()") {
            format!("[a0, {}].into_iter()", self.with_vars(&vars, |this| this.leaf(&of, true)))
        } else {
            chain.replace("(|", "(move |").replace(", |", ", move |")
        };
        let (of_name, from_name) = (of.name(), from.name());
        self.line("#[device]");
        self.line(&format!(
            "fn {name}(a0: {of_name}, a1: {from_name}) -> impl Iterator<Item = {of_name}> {{"
        ));
        self.line(&chain);
        self.line("}");
        self.iterators.push((name, of, from));
    }

    /// Returns a call of a function that returns an iterator over `of`.
    pub(super) fn iterator_call(&mut self, of: &Ty, depth: u32) -> Option<String> {
        let found: Vec<_> =
            self.iterators.iter().filter(|(_, own, _)| own == of).cloned().collect();
        let (name, _, from) = found.get(self.pick(found.len().max(1)))?;
        let (a, b) = (self.expr(of, depth, true), self.expr(from, depth, true));
        Some(format!("{name}({a}, {b})"))
    }
}
