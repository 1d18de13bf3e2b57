//! Iterators: on ranges, arrays and slices, with adapters, consumed by methods and by `for`.
use super::{
    generator::{Generator, Kind},
    types::{BOOL, Ty, USIZE, Var, root},
};

/// An iterator under construction.
struct Chain {
    text: String,
    /// True if its length is known, as `rev` after `enumerate` requires.
    exact: bool,
    /// True if it has two ends.
    double: bool,
    /// True if it can be cloned; iterators that functions return cannot.
    again: bool,
}

impl Generator {
    /// Returns an iterator over values of `of`.
    pub(super) fn values_of(&mut self, of: &Ty, depth: u32) -> String {
        self.without_assignments(|this| {
            let mut chain = this.source(of, depth);
            for _ in 0..this.pick(3) {
                this.adapted(&mut chain, of, depth);
            }
            if this.chance(60) { this.mapped(chain, of, depth) } else { chain.text }
        })
    }

    fn source(&mut self, of: &Ty, depth: u32) -> Chain {
        let known = |text: String| Chain { text, exact: true, double: true, again: true };
        let arrays: Vec<_> = self
            .places()
            .into_iter()
            .filter(|place| {
                matches!(&place.ty, Ty::Array(element, _) | Ty::Slice(element) if **element == *of)
            })
            .map(|place| place.name)
            .collect();
        if self.chance(25)
            && let Some(text) = self.iterator_call(of, depth.min(1))
        {
            return Chain { text, exact: false, double: false, again: false };
        }
        match (of, self.pick(3)) {
            (_, 0) if !arrays.is_empty() => {
                let array = &arrays[self.pick(arrays.len())];
                let how = ["copied", "cloned"][self.pick(2)];
                known(format!("{array}.iter().{how}()"))
            }
            (Ty::Scalar(name), 1) if self.context.kernel && self.memory.contains(name) => {
                let (start, len) = (self.pick(32), 1 + self.pick(6));
                let start = if self.chance(50) {
                    start.to_string()
                } else {
                    format!("({} % 32)", self.expr(&USIZE, 1, true))
                };
                known(format!("r_{name}[{start}..].iter().copied().take({len})"))
            }
            (Ty::Scalar(name), 2) if of.is_int() => {
                let exact = !matches!(*name, "i64" | "u64");
                let (start, len) = (self.pick(100), self.pick(6));
                let text = format!("({start}{name}..{}{name})", start + len);
                Chain { text, exact, double: exact, again: true }
            }
            _ => {
                let parts: Vec<_> =
                    (0..1 + self.pick(4)).map(|_| self.expr(of, depth.min(1), false)).collect();
                known(format!("[{}].into_iter()", parts.join(", ")))
            }
        }
    }

    /// Appends an adapter that keeps the item type.
    fn adapted(&mut self, chain: &mut Chain, of: &Ty, depth: u32) {
        let count = self.pick(4);
        let name = self.name("c");
        let test = [(format!("(*{name})"), of.clone())];
        match self.pick(12) {
            0 if chain.double && chain.exact => chain.text += ".rev()",
            1 => chain.text += &format!(".skip({count})"),
            // Kernels do not count the items of an iterator that omits some.
            2 if chain.exact => chain.text += &format!(".take({})", count + 1),
            3 => chain.text += &format!(".step_by({})", count + 1),
            4 => {
                let test = self.in_closure(&test, &BOOL, depth.min(1));
                chain.text += &format!(".filter(|{name}| {test})");
                chain.exact = false;
            }
            5 => {
                let which = ["take_while", "skip_while"][self.pick(2)];
                let test = self.in_closure(&test, &BOOL, depth.min(1));
                chain.text += &format!(".{which}(|{name}| {test})");
                (chain.exact, chain.double) = (false, false);
            }
            6 => {
                let parameter = [(name.clone(), of.clone())];
                let body = self.in_closure(&parameter, of, depth.min(1));
                chain.text += &format!(".map(|{name}| {body})");
            }
            7 => {
                let parameter = [(name.clone(), of.clone())];
                let body = self.in_closure_of(&parameter, |this| this.option(of, depth.min(1)));
                chain.text += &format!(".filter_map(|{name}| {body})");
                chain.exact = false;
            }
            8..11 => self.adapted_anew(chain, of, depth.min(1)),
            _ => {}
        }
    }

    /// Appends an adapter that changes the items or their number.
    fn adapted_anew(&mut self, chain: &mut Chain, of: &Ty, depth: u32) {
        let (a, b) = (self.name("c"), self.name("c"));
        let parameter = [(a.clone(), of.clone())];
        let more = match self.pick(7) {
            0 if chain.again => format!(".cycle().take({})", 1 + self.pick(9)),
            0 | 1 => {
                let memory = self.scalar();
                let start = self.expr(&memory, depth, false);
                // A closure in `body` may take the value of the reference, but not the reference.
                let kept = self.name("c");
                let both = [(kept.clone(), memory.clone()), (a.clone(), of.clone())];
                let next = self.in_closure(&both, &memory, depth);
                let item = self.in_closure_of(&both, |this| this.option(of, depth));
                let (typed, read) = (memory.name(), format!("let {kept} = *{b};"));
                format!(
                    ".scan({start}, |{b}: &mut {typed}, {a}| {{ {read} *{b} = {next}; {read} {item} }})"
                )
            }
            2 => {
                let other = self.source(of, depth);
                chain.double &= other.double;
                chain.again &= other.again;
                chain.exact = false;
                chain.text += &format!(".chain({})", other.text);
                return;
            }
            3 => {
                let items = self.in_closure_of(&parameter, |this| {
                    let items = [(); 2].map(|()| this.expr(of, depth, false));
                    format!("[{}]", items.join(", "))
                });
                format!(".flat_map(|{a}| {items})")
            }
            4 => {
                let body = self.in_closure_of(&parameter, |this| this.option(of, depth));
                format!(".map_while(|{a}| {body})")
            }
            5 => {
                let body = self.in_closure_of(&parameter, |this| match this.pick(3) {
                    0 => this.option(of, depth),
                    1 => {
                        let missing = this.expr(&BOOL, 1, true);
                        format!("{}.ok_or({missing})", this.option(of, depth))
                    }
                    _ => format!("[{}; 2]", this.expr(of, depth, true)),
                });
                format!(".map(|{a}| {body}).flatten()")
            }
            _ => match self.function_to(of) {
                Some((function, from)) => {
                    let body = self.in_closure(&parameter, &from, depth);
                    chain.text += &format!(".map(|{a}| {body}).map({function})");
                    return;
                }
                None => format!(".inspect(|{a}| {{ let _ = {a}; }})"),
            },
        };
        chain.text += &more;
        (chain.exact, chain.double) = (false, false);
    }

    /// Returns the chain with values that are computed from several items.
    fn mapped(&mut self, chain: Chain, of: &Ty, depth: u32) -> String {
        let (a, b) = (self.name("c"), self.name("c"));
        let text = &chain.text;
        if self.chance(50) {
            let parameters = [(a.clone(), USIZE), (b.clone(), of.clone())];
            let body = self.in_closure(&parameters, of, depth);
            return format!("{text}.enumerate().map(|({a}, {b})| {body})");
        }
        let other = self.scalar();
        let source = self.source(&other, depth.min(1)).text;
        let parameters = [(a.clone(), of.clone()), (b.clone(), other)];
        let body = self.in_closure(&parameters, of, depth);
        format!("{text}.zip({source}).map(|({a}, {b})| {body})")
    }

    /// Returns a value of `ty` that an iterator is consumed for.
    pub(super) fn consumed(&mut self, ty: &Ty, depth: u32) -> String {
        self.without_assignments(|this| this.consumed_by(ty, depth))
    }

    fn consumed_by(&mut self, ty: &Ty, depth: u32) -> String {
        let (a, b) = (self.name("c"), self.name("c"));
        let from = self.scalar();
        let sums = self.kind != Kind::Checked || self.chance(20);
        match self.pick(8) {
            0..3 if self.is_summed(ty) => {
                let Ty::Struct(id) = *ty else { unreachable!("structs have sums") };
                self.summed_structs(id, depth)
            }
            6 => self.combined_by_name(ty, depth),
            7 => self.found(ty, depth),
            0 | 1 if *ty == BOOL => {
                let source = self.values_of(&from, depth);
                let test = self.in_closure(&[(a.clone(), from)], &BOOL, depth);
                format!("{source}.{}(|{a}| {test})", ["any", "all"][self.pick(2)])
            }
            0 if *ty == USIZE => format!("{}.count()", self.values_of(&from, depth)),
            1 if *ty == USIZE => {
                let source = self.values_of(&from, depth);
                let test = self.in_closure(&[(a.clone(), from)], &BOOL, depth);
                format!("{source}.position(|{a}| {test}).unwrap_or({})", self.pick(9))
            }
            0 | 1 if sums && (ty.is_int() || ty.is_float()) => {
                let method = ["sum", "product"][self.pick(2)];
                format!("{}.{method}::<{}>()", self.values_of(ty, depth), ty.name())
            }
            2 if ty.is_int() || *ty == BOOL => {
                let method = ["max", "min"][self.pick(2)];
                let other = self.expr(ty, depth, true);
                format!("{}.{method}().unwrap_or({other})", self.values_of(ty, depth))
            }
            3 => {
                let (key, method) = (self.int(), ["max_by_key", "min_by_key"][self.pick(2)]);
                let source = self.values_of(ty, depth);
                let key = self.in_closure(&[(format!("(*{a})"), ty.clone())], &key, depth);
                let other = self.expr(ty, depth, true);
                format!("{source}.{method}(|{a}| {key}).unwrap_or({other})")
            }
            4 => {
                let source = self.values_of(ty, depth);
                let other = self.expr(ty, depth, true);
                let found = match self.pick(3) {
                    0 => ".last()".into(),
                    1 => {
                        let test = [(format!("(*{a})"), ty.clone())];
                        format!(".find(|{a}| {})", self.in_closure(&test, &BOOL, depth))
                    }
                    _ => {
                        let both = [(a.clone(), ty.clone()), (b.clone(), ty.clone())];
                        format!(".reduce(|{a}, {b}| {})", self.in_closure(&both, ty, depth))
                    }
                };
                format!("{source}{found}.unwrap_or({other})")
            }
            _ => {
                let source = self.values_of(&from, depth);
                let start = self.expr(ty, depth, false);
                let both = [(a.clone(), ty.clone()), (b.clone(), from)];
                let body = self.in_closure(&both, ty, depth);
                format!("{source}.fold({start}, |{a}: {}, {b}| {body})", ty.name())
            }
        }
    }

    fn is_summed(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Struct(id) if self.structs[*id].summed)
    }

    /// Returns a combination of items by a named function.
    fn combined_by_name(&mut self, ty: &Ty, depth: u32) -> String {
        let (source, start) = (self.values_of(ty, depth), self.expr(ty, depth, false));
        let Some(function) = self.combining(ty) else {
            return format!("{source}.next().unwrap_or({start})");
        };
        match self.pick(2) {
            0 => format!("{source}.reduce({function}).unwrap_or({start})"),
            _ => format!("{source}.fold({start}, {function})"),
        }
    }

    /// Returns one of the items, or a value computed from one.
    fn found(&mut self, ty: &Ty, depth: u32) -> String {
        let (a, b, other) = (self.name("c"), self.name("c"), self.expr(ty, depth, true));
        match self.pick(4) {
            0 => format!("{}.nth({}).unwrap_or({other})", self.values_of(ty, depth), self.pick(4)),
            1 if *ty == BOOL => {
                let of = self.int();
                let (one, two) = (self.values_of(&of, depth), self.values_of(&of, depth));
                match self.pick(2) {
                    0 => format!("{one}.eq({two})"),
                    _ => format!("{one}.cmp({two}).is_lt()"),
                }
            }
            2 => {
                let of = self.scalar();
                let source = self.values_of(&of, depth);
                let body = self.in_closure_of(&[(a.clone(), of)], |this| this.option(ty, depth));
                format!("{source}.find_map(|{a}| {body}).unwrap_or({other})")
            }
            _ => {
                let key = self.int();
                let source = self.values_of(ty, depth);
                let [one, two] = [&a, &b].map(|name| {
                    self.in_closure(&[(format!("(*{name})"), ty.clone())], &key, depth)
                });
                let method = ["max_by", "min_by"][self.pick(2)];
                format!("{source}.{method}(|{a}, {b}| {one}.cmp(&{two})).unwrap_or({other})")
            }
        }
    }

    /// Writes a `for` over an iterator.
    pub(super) fn for_values(&mut self, depth: u32) {
        let of = self.scalar();
        let chain = self.without_assignments(|this| this.source(&of, 1));
        let (label, name) = (self.name("'l"), self.name("v"));
        // Borrowed variables may not change.
        let (text, hidden) = (chain.text, self.vars.clone());
        for var in &mut self.vars {
            var.mutable &= !text.contains(root(&var.name));
        }
        let before = self.vars.len();
        self.vars.push(Var { name: name.clone(), ty: of, mutable: false });
        if self.chance(40) {
            let at = self.name("v");
            self.line(&format!("{label}: for ({at}, {name}) in {text}.enumerate() {{"));
            self.vars.push(Var { name: at, ty: USIZE, mutable: false });
        } else {
            let more = ["", ".skip(1)", ".rev()"][self.pick(if chain.double { 3 } else { 2 })];
            self.line(&format!("{label}: for {name} in {text}{more} {{"));
        }
        self.loops.push(label);
        self.body(depth);
        self.loops.pop();
        self.vars.truncate(before);
        self.vars = hidden;
        self.line("}");
    }

    /// Writes a `for` over the elements of an array, which it changes.
    pub(super) fn for_mutable(&mut self) {
        let arrays = self.places().into_iter().filter(|place| place.mutable);
        let arrays: Vec<_> = arrays
            .filter(|place| matches!(place.ty, Ty::Array(..)) && !place.name.contains("w_"))
            .collect();
        if arrays.is_empty() {
            return self.let_statement();
        }
        let array = arrays[self.pick(arrays.len())].clone();
        let Ty::Array(of, _) = &array.ty else { unreachable!("these are arrays") };
        let name = self.name("v");
        let source = [".iter_mut()", ".iter_mut().rev()", ".iter_mut().take(2)"][self.pick(3)];
        self.line(&format!("for {name} in {}{source} {{", array.name));
        let hidden = self.hide(&array.name);
        self.vars.push(Var { name: format!("(*{name})"), ty: (**of).clone(), mutable: true });
        let value = self.without_assignments(|this| this.expr(of, 2, true));
        self.line(&format!("*{name} = {value};"));
        self.vars = hidden;
        self.line("}");
    }

    /// Removes the variable of a borrowed place from the scope, and returns the scope before.
    pub(super) fn hide(&mut self, place: &str) -> Vec<Var> {
        let hidden = self.vars.clone();
        let own = root(place).to_owned();
        self.vars.retain(|var| root(&var.name) != own && !place.contains(root(&var.name)));
        hidden
    }
}
