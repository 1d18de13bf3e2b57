//! Results, `unwrap` and related methods, and integers from methods that return options.
use super::{
    generator::Generator,
    types::{BOOL, Ty, U32},
};

impl Generator {
    pub(super) fn make_result(&mut self, of: &Ty, error: &Ty, depth: u32, known: bool) -> String {
        if !known {
            return self.result(of, error, depth);
        }
        if depth == 0 {
            let ok = self.chance(60);
            let value = self.leaf(if ok { of } else { error }, true);
            return if ok { format!("Ok({value})") } else { format!("Err({value})") };
        }
        let depth = depth - 1;
        match self.pick(6) {
            0 => {
                let from = self.scalar();
                let (on, body) = (self.result(&from, error, depth), self.closure(&from, of, depth));
                format!("({on}).map({body})")
            }
            1 => {
                let from = self.scalar();
                let (on, body) = (self.result(of, &from, depth), self.closure(&from, error, depth));
                format!("({on}).map_err({body})")
            }
            2 => {
                let (on, error) = (self.option(of, depth), self.expr(error, depth, false));
                format!("({on}).ok_or({error})")
            }
            3 => {
                let from = self.scalar();
                let on = self.result(&from, error, depth);
                let parameter = self.name("c");
                let types = [(parameter.clone(), from.clone())];
                let body = self.in_closure_of(&types, |this| this.result(of, error, depth));
                format!("({on}).and_then(|{parameter}: {}| {body})", from.name())
            }
            _ => self.result(of, error, depth),
        }
    }

    /// Returns a result whose type does not depend on its context.
    pub(super) fn result(&mut self, of: &Ty, error: &Ty, depth: u32) -> String {
        let ty = Ty::Result(Box::new(of.clone()), Box::new(error.clone()));
        let found: Vec<_> = self.places().into_iter().filter(|place| place.ty == ty).collect();
        if !found.is_empty() && self.chance(60) {
            return found[self.pick(found.len())].name.clone();
        }
        let condition = self.expr(&BOOL, depth, true);
        let (value, error) = (self.expr(of, depth, false), self.expr(error, depth, false));
        format!("ok_if({condition}, {value}, {error})")
    }

    /// Returns a value of `ty` that is taken from a result.
    pub(super) fn of_result(&mut self, ty: &Ty, depth: u32) -> String {
        let error = self.scalar();
        let on = self.result(ty, &error, depth);
        match self.pick(4) {
            0 => format!("({on}).unwrap_or({})", self.expr(ty, depth, false)),
            1 => format!("({on}).unwrap_or_else({})", self.closure(&error, ty, depth)),
            2 if *ty == BOOL => {
                let test = ["is_ok", "is_err"][self.pick(2)];
                format!("({on}).{test}()")
            }
            _ => {
                let (ok, bad) = (self.name("v"), self.name("v"));
                let yes = self.with(&ok, ty, |this| this.expr(ty, depth, false));
                let no = self.with(&bad, &error, |this| this.expr(ty, depth, false));
                format!("(match {on} {{ Ok({ok}) => {yes}, Err({bad}) => {no} }})")
            }
        }
    }

    /// Returns the value in an option or a result, which may be missing if threads may fault.
    pub(super) fn unwrapped(&mut self, ty: &Ty, depth: u32) -> String {
        let scalar = matches!(ty, Ty::Scalar(_));
        let condition =
            if self.may_fault(4) { self.expr(&BOOL, depth, true) } else { "true".into() };
        let value = self.expr(ty, depth, false);
        let method = ["unwrap()", "expect(\"nothing is there\")"][self.pick(2)];
        match self.pick(4) {
            0 => format!("some_if({condition}, {value}).{method}"),
            1 => {
                let error = self.scalar();
                let error = self.expr(&error, depth, false);
                format!("ok_if({condition}, {value}, {error}).{method}")
            }
            2 if scalar => {
                let good = self.scalar();
                let good = self.expr(&good, depth, false);
                let method = ["unwrap_err()", "expect_err(\"all is well\")"][self.pick(2)];
                format!("ok_if(!{condition}, {good}, {value}).{method}")
            }
            _ => format!("Some({value}).{method}"),
        }
    }

    /// Returns an option of an integer, from a method that yields one.
    pub(super) fn checked(&mut self, name: &'static str, depth: u32) -> String {
        let ty = Ty::Scalar(name);
        let on = self.expr(&ty, depth, false);
        match self.pick(3) {
            0 => {
                let methods = ["checked_shl", "checked_shr", "checked_pow"];
                let method = methods[self.pick(3)];
                format!("({on}).{method}({})", self.expr(&U32, depth, true))
            }
            1 if ty.is_signed() && self.chance(50) => format!("({on}).checked_abs()"),
            1 => format!("({on}).checked_neg()"),
            _ => {
                let methods = [
                    "checked_add",
                    "checked_sub",
                    "checked_mul",
                    "checked_div",
                    "checked_rem",
                    "checked_div_euclid",
                    "checked_rem_euclid",
                ];
                let method = methods[self.pick(7)];
                format!("({on}).{method}({})", self.expr(&ty, depth, true))
            }
        }
    }

    /// Returns the text of `make`, which runs with one more variable in scope.
    pub(super) fn with(
        &mut self,
        name: &str,
        ty: &Ty,
        make: impl FnOnce(&mut Self) -> String,
    ) -> String {
        let var = super::types::Var { name: name.into(), ty: ty.clone(), mutable: false };
        self.vars.push(var);
        let text = make(self);
        self.vars.pop();
        text
    }
}
