//! Types declared inside functions, with their `impl`s; macros; and references to variables in
//! arrays.
use super::{generator::Generator, types::Var};

impl Generator {
    /// Writes a struct with a method, and a call of the method.
    pub(super) fn type_inside(&mut self) {
        let (of, ret, name) = (self.ty(1), self.ty(1), self.name("Inside"));
        self.line(&format!("struct {name} {{"));
        self.line(&format!("held: {},", of.name()));
        self.line("}");
        self.line(&format!("impl {name} {{"));
        self.line(&format!("fn with(&self, a: {}) -> {} {{", of.name(), ret.name()));
        let own = [("self.held", &of), ("a", &of)];
        let body = self.with_vars(&own, |this| this.expr(&ret, 2, true));
        self.line(&body);
        self.line("}");
        self.line("}");
        let (held, given) = (self.expr(&of, 2, true), self.expr(&of, 2, true));
        let var = self.name("v");
        self.line(&format!("let {var} = {name} {{ held: {held} }}.with({given});"));
        self.vars.push(Var { name: var, ty: ret, mutable: false });
    }

    /// Writes variables that are changed through references in an array.
    pub(super) fn for_references(&mut self) {
        let of = self.scalar();
        let names = [self.name("v"), self.name("v"), self.name("v")];
        for name in &names {
            let value = self.expr(&of, 2, true);
            self.line(&format!("let mut {name}: {} = {value};", of.name()));
        }
        let (var, [a, b, c]) = (self.name("v"), &names);
        self.line(&format!("for {var} in [&mut {a}, &mut {b}, &mut {c}] {{"));
        let place = Var { name: format!("(*{var})"), ty: of.clone(), mutable: true };
        self.vars.push(place);
        let value = self.without_assignments(|this| this.expr(&of, 2, true));
        self.line(&format!("*{var} = {value};"));
        self.vars.pop();
        self.line("}");
        let vars = names.map(|name| Var { name, ty: of.clone(), mutable: true });
        self.vars.extend(vars);
    }

    /// Writes a macro that declares a variable, and a call of it.
    pub(super) fn macro_inside(&mut self) {
        let (of, name) = (self.scalar(), self.name("macro"));
        self.line(&format!("macro_rules! {name} {{"));
        self.line("($a:expr, $b:ident) => {{");
        self.line("let held = $a;");
        self.line("let $b = held;");
        let value = self.with_vars(&[("held", &of), ("$b", &of)], |this| this.expr(&of, 2, true));
        self.line(&value);
        self.line("}};");
        self.line("}");
        let var = Var { name: self.name("v"), ty: of.clone(), mutable: false };
        let (given, own) = (self.expr(&of, 2, false), self.name("held"));
        self.line(&format!("let {}: {} = {name}!({given}, {own});", var.name, of.name()));
        self.vars.push(var);
    }
}
