//! Loops over ranges and indices, and loops that end on a condition.
use super::{
    generator::Generator,
    types::{BOOL, Ty, USIZE, Var},
};

impl Generator {
    /// Writes a loop over a range of any integer type: short in device functions, up to the
    /// kernel's fuel in kernels.
    pub(super) fn for_loop(&mut self, depth: u32) {
        let (label, name, ty) = (self.name("'l"), self.name("v"), self.int());
        let adapter = ["", "", ".rev()", ".step_by(3)", ".rev().step_by(2)"][self.pick(5)];
        let dots = ["..", "..="][self.pick(2)];
        let range = if self.context.kernel {
            let (start, end) = (self.expr(&ty, 1, false), self.expr(&ty, 1, true));
            format!("({start} as {}{dots}{end})", ty.name())
        } else {
            format!("({}{dots}{})", self.pick(3), 1 + self.pick(3))
        };
        let typed = if self.context.kernel {
            range
        } else {
            range.replacen(dots, &format!("{}{dots}", ty.name()), 1)
        };
        self.line(&format!("{label}: for {name} in {typed}{adapter} {{"));
        if self.context.kernel {
            self.burn(&label);
        }
        self.loops.push(label);
        self.vars.push(Var { name, ty, mutable: false });
        self.body(depth);
        self.vars.pop();
        self.loops.pop();
        self.line("}");
    }

    fn burn(&mut self, label: &str) {
        self.line("if fuel == 0 {");
        self.line(&format!("break {label};"));
        self.line("}");
        self.line("fuel -= 1;");
    }

    /// Writes a loop over the indices of an array, whose elements it changes.
    pub(super) fn for_in_array(&mut self, depth: u32) {
        let (label, at, array) = (self.name("'l"), self.name("v"), self.name("v"));
        let (of, len) = (self.scalar(), 1 + self.pick(6));
        let ty = Ty::Array(Box::new(of.clone()), len);
        let value = self.expr(&ty, 2, true);
        self.line(&format!("let mut {array}: {} = {value};", ty.name()));
        self.line(&format!("{label}: for {at} in 0..{len} {{"));
        let element = self.expr(&of, 2, true);
        self.vars.push(Var { name: array.clone(), ty, mutable: true });
        self.vars.push(Var { name: at.clone(), ty: USIZE, mutable: false });
        self.loops.push(label);
        self.line(&format!("{array}[{at}] = {element};"));
        self.body(depth);
        self.loops.pop();
        self.vars.pop();
        self.line("}");
    }

    pub(super) fn while_loop(&mut self, depth: u32) {
        let label = self.name("'l");
        let (mut bound, condition) = (0, self.expr(&BOOL, 2, true));
        match self.pick(3) {
            0 => {
                let of = self.ty(1);
                let (value, name) = (self.expr(&of, 2, false), self.name("v"));
                self.line(&format!(
                    "{label}: while let Some({name}) = some_if({condition}, {value}) {{"
                ));
                self.vars.push(Var { name, ty: of, mutable: false });
                bound = 1;
            }
            1 => self.line(&format!("{label}: loop {{")),
            _ => self.line(&format!("{label}: while {condition} {{")),
        }
        self.burn(&label);
        self.loops.push(label);
        self.body(depth);
        self.loops.pop();
        self.vars.truncate(self.vars.len() - bound);
        self.line("}");
    }
}
