//! Iterators in variables, from which items are taken in several ways.
use super::{
    generator::Generator,
    types::{BOOL, Ty, USIZE, Var, root},
};

/// An iterator in a variable.
struct Kept {
    name: String,
    /// The item type.
    of: Ty,
    peekable: bool,
}

impl Generator {
    /// Writes a block that keeps an iterator in a variable, takes items from it and observes them.
    pub(super) fn kept_iterator(&mut self) {
        let of = self.scalar();
        let (chain, name, peekable) = (self.kept_chain(&of), self.name("i"), self.chance(40));
        let text = if peekable { format!("{chain}.peekable()") } else { chain };
        self.line("{");
        self.line(&format!("let mut {name} = {text};"));
        // Borrowed variables may not change.
        let hidden = self.vars.clone();
        for var in &mut self.vars {
            var.mutable &= !text.contains(root(&var.name));
        }
        let kept = Kept { name, of, peekable };
        for _ in 0..2 + self.pick(3) {
            let (ty, value) = self.without_assignments(|this| this.taken(&kept));
            let found = self.name("v");
            self.line(&format!("let {found}: {} = {value};", ty.name()));
            self.observe(&ty, &found);
            self.vars.push(Var { name: found, ty, mutable: false });
        }
        self.vars = hidden;
        self.line("}");
    }

    /// Returns an iterator that kernels can keep. Kernels keep only the front of an array by value,
    /// and no iterator that starts again and has closures.
    fn kept_chain(&mut self, of: &Ty) -> String {
        loop {
            let chain = self.values_of(of, 1);
            let is_turned = chain.contains(".into_iter()") && chain.contains(".rev()");
            let begins_again =
                chain.split(".cycle()").next().is_some_and(|of| of != chain && of.contains('|'));
            if !is_turned && !begins_again {
                return chain;
            }
        }
    }

    /// Returns a value that is computed from the next items, and its type.
    fn taken(&mut self, kept: &Kept) -> (Ty, String) {
        let Kept { name, of, peekable } = kept;
        let (a, b) = (self.name("c"), self.name("c"));
        let by_value = [(a.clone(), of.clone())];
        let by_reference = [(format!("(*{a})"), of.clone())];
        let item = match self.pick(if *peekable { 10 } else { 8 }) {
            0 => format!("{name}.next()"),
            1 => format!("{name}.nth({})", self.pick(3)),
            2 => format!("{name}.find(|{a}| {})", self.in_closure(&by_reference, &BOOL, 1)),
            3 => {
                let test = self.in_closure(&by_value, &BOOL, 1);
                return (BOOL, format!("{name}.{}(|{a}| {test})", ["any", "all"][self.pick(2)]));
            }
            4 => {
                let test = self.in_closure(&by_value, &BOOL, 1);
                return (USIZE, format!("{name}.position(|{a}| {test}).unwrap_or(9)"));
            }
            5 => {
                let (to, start) = (self.scalar(), 1 + self.pick(3));
                let first = self.expr(&to, 1, false);
                let both = [(a.clone(), to.clone()), (b.clone(), of.clone())];
                let body = self.in_closure(&both, &to, 1);
                let taken = format!("{name}.by_ref().take({start})");
                let typed = to.name();
                return (to, format!("{taken}.fold({first}, |{a}: {typed}, {b}| {body})"));
            }
            6 => {
                let to = self.scalar();
                let (first, other) = (self.expr(&to, 1, false), self.expr(&to, 1, true));
                let both = [(a.clone(), to.clone()), (b.clone(), of.clone())];
                let body = self.in_closure_of(&both, |this| this.option(&to, 1));
                let typed = to.name();
                let folded = format!("{name}.try_fold({first}, |{a}: {typed}, {b}| {body})");
                return (to, format!("{folded}.unwrap_or({other})"));
            }
            7 => {
                let body = self.in_closure_of(&by_value, |this| this.option(of, 1));
                format!("{name}.find_map(|{a}| {body})")
            }
            8 => format!("{name}.peek().copied()"),
            _ => format!("{name}.next_if(|{a}| {})", self.in_closure(&by_reference, &BOOL, 1)),
        };
        let other = self.expr(of, 1, true);
        (of.clone(), format!("{item}.unwrap_or({other})"))
    }
}
