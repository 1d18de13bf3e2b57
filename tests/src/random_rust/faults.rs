//! Output and ends of threads: `println!`, assertions, panics, `return`.
use super::{
    generator::{Generator, Kind},
    types::{BOOL, Ty},
};

impl Generator {
    /// Writes a `println!` of some threads, in any format for numbers.
    pub(super) fn print(&mut self) {
        if !self.loops.is_empty() || !self.context.kernel {
            return self.let_statement();
        }
        let (format, ty) = self.format();
        let (value, thread) =
            (self.without_assignments(|this| this.expr(&ty, 2, false)), self.pick(8));
        self.line(&format!("if i % 16 == {thread} {{"));
        let name = self.name("v");
        self.line(&format!("let {name} = {value};"));
        if self.chance(30) {
            self.line(&format!("println!(\"{{i}}: {{{name}}} {format}\", {name});"));
        } else {
            self.line(&format!("println!(\"{{i}} {format}\", {name});"));
        }
        self.line("}");
    }

    /// Returns a format, and the type that it is for.
    fn format(&mut self) -> (&'static str, Ty) {
        match self.pick(4) {
            0 => (["{:?}", "{:e}", "{:.3}", "{:>+12.2}", "{:010.1}"][self.pick(5)], self.float()),
            1 => (["{}", "{:?}", "{:>7}"][self.pick(3)], BOOL),
            _ => (
                ["{}", "{:#x}", "{:08b}", "{:+}", "{:<6}|", "{:^9}", "{:X}", "{:o}"][self.pick(8)],
                self.int(),
            ),
        }
    }

    /// Writes a fault of some threads, if threads may fault.
    pub(super) fn fault(&mut self) {
        if !self.context.kernel || self.kind == Kind::Threads {
            return self.let_statement();
        }
        let (format, ty) = self.format();
        let value = self.without_assignments(|this| this.expr(&ty, 1, false));
        let condition = self.expr(&BOOL, 1, true);
        let thread = self.pick(64);
        self.line(&format!("if i % 64 == {thread} && {condition} {{"));
        let other = self.without_assignments(|this| this.expr(&ty, 1, true));
        let name = self.name("v");
        self.line(&format!("let {name} = {value};"));
        let end = match self.pick(10) {
            0 => format!("panic!(\"thread {{i}} has {format}\", {name})"),
            1 => format!("assert!({name} == {other}, \"{{}}\", {name})"),
            2 => format!("assert!({name} != {other})"),
            3 => format!("assert_eq!({name}, {other})"),
            4 => format!("assert_ne!({name}, {other}, \"of {{i}}\")"),
            5 => format!("unreachable!(\"{format}\", {name})"),
            9 => format!("panic!(\"{{{name}:?}}\")"),
            6 => ["todo!()", "unimplemented!(\"this\")"][self.pick(2)].into(),
            7 if self.kind == Kind::Checked => "out[i] = u64::MAX + 2".into(),
            7 => "out[i] = 1 / (sum & 0)".into(),
            _ => {
                self.line("out[i] = sum;");
                "return".into()
            }
        };
        self.line(&format!("{end};"));
        self.line("}");
    }

    /// Writes an assertion that mostly holds, in any function.
    pub(super) fn assertion(&mut self) {
        let ty = self.int();
        let value = self.without_assignments(|this| this.expr(&ty, 2, false));
        let name = self.name("v");
        self.line(&format!("let {name} = {value};"));
        let rare = if self.kind == Kind::Threads { "" } else { " ^ (A == 123)" };
        let rare = rare.replace('A', &name);
        match self.pick(3) {
            0 => {
                self.line(&format!("assert!(({name} == {name}){rare}, \"{{}} differs\", {name});"))
            }
            1 => self.line(&format!("assert_eq!({name}, {name}, \"{{{name}}}\");")),
            _ => self.line(&format!("debug_assert!(({name} <= {name}){rare});")),
        }
    }
}
