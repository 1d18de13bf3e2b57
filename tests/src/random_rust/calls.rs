//! Calls of device functions, methods, the trait's functions, and closures.
use super::{
    generator::{Context, Generator},
    types::{BOOL, Function, I32, Pass, Ty, Var},
};

impl Generator {
    /// Returns a call that yields `ty`, if there is such a function.
    pub(super) fn call(&mut self, ty: &Ty, depth: u32) -> Option<String> {
        let takes_mut = |function: &Function| {
            function.params.iter().any(|(_, pass)| *pass == Pass::Mut)
                || matches!(function.receiver, Some((_, Pass::Mut)))
        };
        let found: Vec<Function> = self
            .functions
            .iter()
            .filter(|function| function.ret == *ty && !takes_mut(function))
            .cloned()
            .collect();
        if self.measure.as_ref() == Some(ty) && self.chance(40) {
            return self.measured(depth);
        }
        if self.chance(50)
            && let Some(call) = self.call_of_generic(ty, depth)
        {
            return Some(call);
        }
        if found.is_empty() {
            return Some(self.generic_call(ty, depth));
        }
        let function = found[self.pick(found.len())].clone();
        let refers = function.receiver.is_some()
            || function.params.iter().any(|(_, pass)| *pass == Pass::Ref);
        if refers {
            // Borrowed variables may not change until the call.
            return Some(self.without_assignments(|this| this.call_of(&function, depth)));
        }
        Some(self.call_of(&function, depth))
    }

    fn call_of(&mut self, function: &Function, depth: u32) -> String {
        let args: Vec<_> =
            function.params.iter().map(|(ty, pass)| self.argument(ty, *pass, depth)).collect();
        let args = args.join(", ");
        match function.receiver {
            None => format!("{}({args})", function.name),
            Some((id, _)) => {
                let on = self.place(&Ty::Struct(id), depth);
                format!("{on}.{}({args})", function.name)
            }
        }
    }

    /// Returns a use of the trait on a value: a method, a constant, or a function that is generic
    /// over the trait.
    fn measured(&mut self, depth: u32) -> Option<String> {
        let ids: Vec<usize> =
            (0..self.structs.len()).filter(|&id| self.structs[id].measured).collect();
        let id = *ids.get(self.pick(ids.len().max(1)))?;
        let value = self.place(&Ty::Struct(id), depth);
        Some(match self.pick(4) {
            0 => format!("measure_twice(&{value})"),
            1 => format!("{value}.measure()"),
            2 => format!("{value}.more()"),
            _ => format!("S{id}::BIAS"),
        })
    }

    /// Returns a call of a function of the support module, generic over any type.
    fn generic_call(&mut self, ty: &Ty, depth: u32) -> String {
        let (a, b) = (self.expr(ty, depth, false), self.expr(ty, depth, false));
        match self.pick(4) {
            0 => format!("pick({}, {a}, {b})", self.expr(&BOOL, depth, true)),
            1 => format!("nth::<_, 2>([{a}, {b}], {})", self.expr(&Ty::Scalar("u8"), depth, true)),
            2 => {
                let from = self.ty(1);
                let body = self.closure(&from, ty, depth);
                let value = self.without_assignments(|this| this.expr(&from, depth, false));
                format!("apply({body}, {value})")
            }
            _ => {
                let (count, parameter) = (self.pick(4), self.name("c"));
                let types = [(parameter.clone(), ty.clone())];
                let body = self.in_closure(&types, ty, depth);
                format!("repeat({count}, {a}, |{parameter}: {}| {body})", ty.name())
            }
        }
    }

    /// Returns `|c| to`, where the callee determines the type of the parameter.
    pub(super) fn closure(&mut self, from: &Ty, to: &Ty, depth: u32) -> String {
        let text = self.closure_of(from, to, depth);
        if self.chance(50) { text } else { text.replacen(&format!(": {}|", from.name()), "|", 1) }
    }

    /// Returns `|c: from| to`.
    fn closure_of(&mut self, from: &Ty, to: &Ty, depth: u32) -> String {
        let name = self.name("c");
        let body = self.in_closure(&[(name.clone(), from.clone())], to, depth);
        // A mutable reference would move into the closure and be lost.
        let refers = body.contains("w_")
            || self.vars.iter().any(|var| var.mutable && var.name.starts_with("(*"));
        let capture = if !refers && self.chance(25) { "move " } else { "" };
        format!("{capture}|{name}: {}| {body}", from.name())
    }

    /// Returns the body of a closure, which neither assigns to outer variables nor jumps out.
    pub(super) fn in_closure(&mut self, params: &[(String, Ty)], to: &Ty, depth: u32) -> String {
        self.in_closure_of(params, |this| this.expr(to, depth, false))
    }

    /// Returns the body of a closure that `body` generates.
    pub(super) fn in_closure_of(
        &mut self,
        params: &[(String, Ty)],
        body: impl FnOnce(&mut Self) -> String,
    ) -> String {
        let context = Context { assigns: false, ..self.context };
        let context = std::mem::replace(&mut self.context, context);
        let params = params.iter();
        let before = self.vars.len();
        self.vars.extend(params.map(|(name, ty)| Var {
            name: name.clone(),
            ty: ty.clone(),
            mutable: false,
        }));
        let body = body(self);
        self.vars.truncate(before);
        self.context = context;
        // A bare block would be the closure's body; a bare `{` of a struct is in parentheses.
        format!("({body})")
    }

    /// Returns an expression that keeps a closure in a local and calls it.
    pub(super) fn closure_called(&mut self, ty: &Ty, depth: u32) -> String {
        let (from, name) = (self.scalar(), self.name("k"));
        let body = self.closure_of(&from, ty, depth);
        // The captured variables may not change until the closure has been called.
        let (bool, a, b) = self.without_assignments(|this| {
            let a = this.expr(&from, depth, false);
            (this.expr(&BOOL, depth, true), a, this.expr(&from, depth, false))
        });
        format!("{{ let {name} = {body}; if {bool} {{ {name}({a}) }} else {{ {name}({b}) }} }}")
    }

    /// Writes a closure that changes a captured variable, and its calls.
    pub(super) fn counting_closure(&mut self, depth: u32) {
        let (sum, step, name) = (self.name("v"), self.name("k"), self.name("c"));
        let ty = if self.chance(50) { I32 } else { self.int() };
        let start = self.expr(&ty, depth, false);
        let vars = [(name.clone(), ty.clone()), (sum.clone(), ty.clone())];
        let next = self.in_closure(&vars, &ty, depth);
        let (a, b) = self
            .without_assignments(|this| (this.expr(&ty, depth, true), this.expr(&ty, depth, true)));
        self.line(&format!("let mut {sum}: {} = {start};", ty.name()));
        self.line(&format!(
            "let mut {step} = |{name}: {}| {{ {sum} = {next}; {sum} }};",
            ty.name()
        ));
        self.line(&format!("let {name}1 = {step}({a});"));
        self.line(&format!("{step}({b});"));
        self.vars.push(Var { name: sum, ty: ty.clone(), mutable: true });
        self.vars.push(Var { name: format!("{name}1"), ty, mutable: false });
    }
}
