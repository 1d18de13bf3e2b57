//! Function pointers: selected, kept in arrays, and called.
use super::{
    generator::Generator,
    types::{BOOL, Pass, Ty, USIZE, Var},
};

/// The signature of function pointers, and a device function that has it, if it is the signature of
/// one.
struct Signature {
    params: Vec<Ty>,
    ret: Ty,
    function: Option<String>,
}

impl Signature {
    fn name(&self) -> String {
        let params: Vec<_> = self.params.iter().map(Ty::name).collect();
        format!("fn({}) -> {}", params.join(", "), self.ret.name())
    }
}

impl Generator {
    /// Writes a block that keeps function pointers, and observes the results of their calls.
    pub(super) fn pointers(&mut self) {
        let signature = self.pointer_signature();
        let (of, count) = (signature.name(), 2 + self.pick(2));
        let targets: Vec<_> = (0..count).map(|_| self.pointer_target(&signature)).collect();
        let (table, one) = (self.name("p"), self.name("p"));
        let (bool, place) = (self.expr(&BOOL, 2, true), self.expr(&USIZE, 1, true));
        let other = self.pointer_target(&signature);
        self.line("{");
        self.line(&format!("let {table}: [{of}; {count}] = [{}];", targets.join(", ")));
        let chosen = format!("if {bool} {{ {other} }} else {{ {table}[{place} % {count}] }}");
        self.line(&format!("let {one}: {of} = {chosen};"));
        let hidden = self.vars.clone();
        for _ in 0..1 + self.pick(2) {
            let place = self.expr(&USIZE, 1, true);
            let callee =
                if self.chance(50) { one.clone() } else { format!("{table}[{place} % {count}]") };
            let args: Vec<_> =
                signature.params.iter().map(|ty| self.argument(ty, Pass::Value, 2)).collect();
            let (found, ret) = (self.name("v"), signature.ret.clone());
            self.line(&format!("let {found}: {} = {callee}({});", ret.name(), args.join(", ")));
            self.observe(&ret, &found);
            self.vars.push(Var { name: found, ty: ret, mutable: false });
        }
        self.vars = hidden;
        self.line("}");
    }

    /// Returns the signature of a device function that takes values, if there is one, or one over
    /// scalars.
    fn pointer_signature(&mut self) -> Signature {
        let is_by_value =
            |params: &[(Ty, Pass)]| params.iter().all(|(_, pass)| *pass == Pass::Value);
        let found: Vec<_> = self
            .functions
            .iter()
            .filter(|function| function.receiver.is_none() && is_by_value(&function.params))
            .cloned()
            .collect();
        if !found.is_empty() && self.chance(60) {
            let function = found[self.pick(found.len())].clone();
            let params = function.params.into_iter().map(|(ty, _)| ty).collect();
            return Signature { params, ret: function.ret, function: Some(function.name) };
        }
        let params = (0..1 + self.pick(2)).map(|_| self.scalar()).collect();
        Signature { params, ret: self.scalar(), function: None }
    }

    /// Returns the name of the device function, or a closure that captures nothing.
    fn pointer_target(&mut self, signature: &Signature) -> String {
        if let Some(name) = &signature.function
            && self.chance(40)
        {
            return name.clone();
        }
        let names: Vec<_> = signature.params.iter().map(|_| self.name("c")).collect();
        let vars: Vec<_> = names.iter().map(String::as_str).zip(&signature.params).collect();
        let loops = std::mem::take(&mut self.loops);
        let body = self.with_vars(&vars, |this| this.in_closure(&[], &signature.ret, 2));
        self.loops = loops;
        format!("|{}| {body}", names.join(", "))
    }
}
