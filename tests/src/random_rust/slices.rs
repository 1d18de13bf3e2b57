//! Parts of slices, results of their methods, and references that are written through.
use super::{
    generator::Generator,
    numbers::{READ, WRITTEN},
    types::{Ty, USIZE, Var},
};

impl Generator {
    /// Returns true if there are slices of the type.
    pub(super) fn has_memory(&self, of: &Ty) -> bool {
        matches!(of, Ty::Scalar(name) if self.context.kernel && self.memory.contains(name))
    }

    /// Returns a part of a slice that the kernel reads, of at least two elements.
    pub(super) fn part(&mut self, name: &str) -> String {
        let start = if self.chance(50) {
            self.pick(30).to_string()
        } else {
            format!("({} % 30)", self.expr(&USIZE, 1, true))
        };
        let end = 32 + self.pick(READ - 32);
        match self.pick(6) {
            0 => format!("&r_{name}[{start}..]"),
            1 => format!("&r_{name}[..{end}]"),
            2 => format!("&r_{name}[{start}..={}]", end - 1),
            3 => format!("&r_{name}[..={end}]"),
            4 if self.may_fault(10) => format!("&r_{name}[{start}..][..{}]", end),
            4 => format!("&r_{name}[..]"),
            _ => format!("&r_{name}[{start}..{end}]"),
        }
    }

    /// Returns a slice of at least two elements.
    pub(super) fn make_slice(&mut self, of: &Ty, depth: u32) -> String {
        let ty = Ty::Slice(Box::new(of.clone()));
        let places = self.places();
        let slices: Vec<_> = places.iter().filter(|place| place.ty == ty).cloned().collect();
        let arrays: Vec<_> = places
            .into_iter()
            .filter(|place| matches!(&place.ty, Ty::Array(own, len) if **own == *of && *len > 1))
            .collect();
        match (of, self.pick(4)) {
            (_, 0) if !slices.is_empty() => slices[self.pick(slices.len())].name.clone(),
            (_, 1) if !arrays.is_empty() => {
                let array = &arrays[self.pick(arrays.len())].name;
                format!("&{array}[..]")
            }
            (Ty::Scalar(name), 2) if self.has_memory(of) => self.part(name),
            _ => {
                let parts: Vec<_> =
                    (0..2 + self.pick(3)).map(|_| self.expr(of, depth, false)).collect();
                format!("&[{}]", parts.join(", "))
            }
        }
    }

    /// Returns an option, from a method of slices.
    pub(super) fn got(&mut self, of: &Ty, depth: u32) -> String {
        let Ty::Scalar(name) = of else { unreachable!("the kernel has memory of scalars") };
        let index = self.expr(&USIZE, depth, true);
        let part = self.part(name);
        match self.pick(5) {
            0 => format!("({part}).first().map(|&c| c)"),
            1 => format!("({part}).last().map(|&c| c)"),
            2 | 3 => {
                let (element, method) = (self.name("c"), ["first", "last"][self.pick(2)]);
                format!("({part}).{method}().map(|{element}| *{element})")
            }
            _ => format!("({part}).get({index}).map(|c| *c)"),
        }
    }

    /// Writes a slice in a variable, and a pattern that matches it.
    pub(super) fn let_slice(&mut self) {
        let Some(name) = self.read_memory() else { return self.let_statement() };
        let (of, slice) = (Ty::Scalar(name), self.name("v"));
        let ty = Ty::Slice(Box::new(of.clone()));
        let part = self.part(name);
        if self.chance(30) {
            let (at, other) = (2 + self.pick(20), self.name("v"));
            self.line(&format!("let ({slice}, {other}) = r_{name}.split_at({at});"));
            self.vars.push(Var { name: other, ty: ty.clone(), mutable: false });
        } else {
            self.line(&format!("let {slice} = {part};"));
        }
        self.line(&format!("sum = mix(sum, {slice}.len() as u64);"));
        let value = self.expr(&of, 1, false);
        let test = ["contains(&X)", "starts_with(&[X])", "is_empty()"][self.pick(3)];
        let test = test.replace('X', &value);
        self.line(&format!("sum = mix(sum, {slice}.{test} as u64);"));
        if self.chance(50) {
            let (pattern, vars) = self.pattern(&ty, 2, true);
            self.line(&format!("if let {pattern} = {slice} {{"));
            let before = self.vars.len();
            self.vars.extend(vars);
            self.statement(0);
            self.vars.truncate(before);
            self.line("}");
        }
        self.vars.push(Var { name: slice, ty, mutable: false });
    }

    /// Returns a type of which the kernel reads slices.
    pub(super) fn read_memory(&mut self) -> Option<&'static str> {
        (self.context.kernel && !self.memory.is_empty()).then(|| self.draw.one_of(&self.memory))
    }

    /// Writes a `for` over parts of a slice.
    pub(super) fn for_parts(&mut self, depth: u32) {
        let Some(name) = self.read_memory() else { return self.let_statement() };
        let (part, label) = (self.name("v"), self.name("'l"));
        let how = ["chunks_exact(4)", "windows(3)", "chunks(2)"][self.pick(3)];
        let start = self.pick(40);
        self.line(&format!("{label}: for {part} in r_{name}[{start}..{}].{how} {{", start + 6));
        self.loops.push(label);
        let ty = Ty::Slice(Box::new(Ty::Scalar(name)));
        self.vars.push(Var { name: part, ty, mutable: false });
        self.body(depth);
        self.vars.pop();
        self.loops.pop();
        self.line("}");
    }

    /// Writes changes by methods of the slice of the thread's own elements.
    pub(super) fn written_part(&mut self) {
        let Some(name) = self.read_memory() else { return self.assignment() };
        let (of, part) = (Ty::Scalar(name), self.name("m"));
        self.line("{");
        self.line(&format!("let {part} = &mut w_{name}[base..base + {WRITTEN}];"));
        // It is borrowed, so nothing else of the type is read.
        let memory = self.memory.clone();
        self.memory.retain(|other| *other != name);
        for _ in 0..1 + self.pick(3) {
            self.change(&part, &of);
        }
        self.memory = memory;
        self.line("}");
    }

    fn change(&mut self, part: &str, of: &Ty) {
        let value = self.without_assignments(|this| this.expr(of, 2, true));
        let (a, b) = (self.index(WRITTEN, 1), self.index(WRITTEN, 1));
        let element = self.name("m");
        match self.pick(14) {
            9.. => self.change_whole(part, of),
            0 => self.line(&format!("{part}.swap({a}, {b});")),
            1 => self.line(&format!("{part}[2..5].fill({value});")),
            2 => self.line(&format!("{part}.reverse();")),
            3 => {
                self.line(&format!("for {element} in {part}.iter_mut().step_by(3) {{"));
                self.line(&format!("*{element} = {value};"));
                self.line("}");
            }
            4 => {
                self.line(&format!("for {element} in {part}.chunks_exact_mut(3) {{"));
                let at = self.pick(3);
                self.line(&format!("{element}[{at}] = {value};"));
                self.line("}");
            }
            5 => {
                self.line(&format!("let ({element}, {element}2) = {part}.split_at_mut(4);"));
                self.line(&format!("{element}[1] = {element}2[2];"));
                self.line(&format!("{element}2[{a} % 4] = {value};"));
            }
            6 => {
                self.line(&format!("if let Some({element}) = {part}.get_mut({a}) {{"));
                self.line(&format!("*{element} = {value};"));
                self.line("}");
            }
            7 => {
                let end = ["first_mut", "last_mut"][self.pick(2)];
                self.line(&format!("if let Some({element}) = {part}.{end}() {{"));
                self.line(&format!("*{element} = {value};"));
                self.line("}");
            }
            _ => self.line(&format!("{part}[{a}] = {value};")),
        }
    }

    /// Writes a reference to a place, and an assignment through it.
    pub(super) fn reference(&mut self) {
        let settable: Vec<_> = self.places().into_iter().filter(|place| place.mutable).collect();
        if settable.is_empty() {
            return self.let_statement();
        }
        let place = settable[self.pick(settable.len())].clone();
        let name = self.name("m");
        self.line("{");
        self.line(&format!("let {name} = &mut {};", place.name));
        let hidden = self.hide(&place.name);
        // Other elements of the same memory are borrowed with it.
        let value = self.without_assignments(|this| this.expr(&place.ty, 2, true));
        match self.pick(5) {
            4 if matches!(place.ty, Ty::Scalar(_) | Ty::Vector(..)) => {
                let other = self.name("v");
                self.line(&format!("let {other} = std::mem::take({name});"));
                if self.chance(50) {
                    self.line(&format!("*{name} = {other};"));
                }
            }
            0 => {
                let other = self.name("v");
                self.line(&format!("let {other} = std::mem::replace({name}, {value});"));
                if let Ty::Scalar(_) = place.ty {
                    self.line(&format!("*{name} = {other};"));
                }
            }
            1 => {
                let other = self.name("v");
                self.line(&format!("let mut {other}: {} = {value};", place.ty.name()));
                self.line(&format!("std::mem::swap({name}, &mut {other});"));
            }
            _ => self.line(&format!("*{name} = {value};")),
        }
        self.vars = hidden;
        self.line("}");
    }

    /// Writes `(a, b) = (x, y)`.
    pub(super) fn swapped(&mut self) {
        let settable: Vec<_> = self.places().into_iter().filter(|place| place.mutable).collect();
        let (first, second) = if settable.len() > 1 {
            let at = self.pick(settable.len() - 1);
            (settable[at].clone(), settable[at + 1].clone())
        } else {
            return self.let_statement();
        };
        let a = self.expr(&first.ty, 2, true);
        let b = self.expr(&second.ty, 2, true);
        self.line(&format!("({}, {}) = ({a}, {b});", first.name, second.name));
    }
}
