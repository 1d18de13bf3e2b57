//! Patterns, and `match`.
use super::{
    generator::Generator,
    types::{BOOL, Ty, Var, Variant},
};

impl Generator {
    /// Returns a pattern for `ty`, and the variables that it binds (none unless `binds`).
    pub(super) fn pattern(&mut self, ty: &Ty, depth: u32, binds: bool) -> (String, Vec<Var>) {
        let wild = depth == 0 || self.chance(20);
        match ty {
            _ if wild => self.catch_all(ty, binds),
            Ty::Scalar("bool") => (["true", "false"][self.pick(2)].into(), vec![]),
            Ty::Scalar(name) if ty.is_int() => self.int_pattern(name, binds),
            Ty::Scalar(_) if ty.is_float() && self.chance(60) => (self.float_pattern(), vec![]),
            Ty::Vector(lane, _) if self.chance(50) => {
                let (inner, vars) = self.pattern(&Ty::Scalar(lane), depth - 1, binds);
                (format!("{} {{ y: {inner}, .. }}", ty.name()), vars)
            }
            Ty::Scalar(_) | Ty::Vector(..) => self.catch_all(ty, binds),
            Ty::Tuple(parts) => {
                let (parts, vars) = self.patterns(parts, depth, binds);
                (format!("({})", parts.join(", ")), vars)
            }
            Ty::Array(of, len) => self.array_pattern(of, *len, depth, binds),
            Ty::Option(_) if self.chance(30) => ("None".into(), vec![]),
            Ty::Option(of) => {
                let (inner, vars) = self.pattern(of, depth - 1, binds);
                (format!("Some({inner})"), vars)
            }
            Ty::Result(of, error) => {
                let (name, of) = if self.chance(60) { ("Ok", of) } else { ("Err", error) };
                let (inner, vars) = self.pattern(of, depth - 1, binds);
                (format!("{name}({inner})"), vars)
            }
            Ty::Slice(of) => {
                let (text, mut vars) = self.array_pattern(of, 3, depth, binds);
                // A variable that is bound behind a reference is one itself.
                vars.iter_mut().for_each(|var| var.name = format!("(*{})", var.name));
                (text, vars)
            }
            Ty::Struct(id) => {
                let of = self.structs[*id].clone();
                let shape = Variant { fields: of.fields.clone(), named: !of.tuple };
                self.fields(&format!("S{id}"), "f", &shape, depth, binds)
            }
            Ty::Enum(id) => {
                let number = self.pick(self.enums[*id].variants.len());
                let variant = self.enums[*id].variants[number].clone();
                self.fields(&format!("E{id}::A{number}"), "g", &variant, depth, binds)
            }
        }
    }

    fn patterns(&mut self, of: &[Ty], depth: u32, binds: bool) -> (Vec<String>, Vec<Var>) {
        let mut vars = Vec::new();
        let texts = of
            .iter()
            .map(|ty| {
                let (text, bound) = self.pattern(ty, depth - 1, binds);
                vars.extend(bound);
                text
            })
            .collect();
        (texts, vars)
    }

    fn fields(
        &mut self,
        path: &str,
        prefix: &str,
        variant: &Variant,
        depth: u32,
        binds: bool,
    ) -> (String, Vec<Var>) {
        if variant.fields.is_empty() {
            return (path.into(), vec![]);
        }
        let (texts, vars) = self.patterns(&variant.fields, depth, binds);
        if !variant.named {
            return (format!("{path}({})", texts.join(", ")), vars);
        }
        let mut texts: Vec<_> = texts
            .iter()
            .enumerate()
            .filter(|(_, text)| *text != "_")
            .map(|(at, text)| format!("{prefix}{at}: {text}"))
            .collect();
        texts.push("..".into());
        (format!("{path} {{ {} }}", texts.join(", ")), vars)
    }

    fn array_pattern(
        &mut self,
        of: &Ty,
        len: usize,
        depth: u32,
        binds: bool,
    ) -> (String, Vec<Var>) {
        let count = if self.chance(50) { len } else { self.pick(len) };
        let parts = vec![of.clone(); count];
        let (mut texts, vars) = self.patterns(&parts, depth, binds);
        if count < len {
            let at = self.pick(count + 1);
            texts.insert(at, "..".into());
        }
        (format!("[{}]", texts.join(", ")), vars)
    }

    fn catch_all(&mut self, ty: &Ty, binds: bool) -> (String, Vec<Var>) {
        if !binds || self.chance(20) {
            return ("_".into(), vec![]);
        }
        let var = Var { name: self.name("p"), ty: ty.clone(), mutable: false };
        (var.name.clone(), vec![var])
    }

    fn float_pattern(&mut self) -> String {
        let (low, high) = (self.pick(20), 20 + self.pick(200));
        match self.pick(5) {
            0 => "0.0".into(),
            1 => format!("-{low}.5..={high}.25"),
            2 => format!("({high}.0..)"),
            3 => format!("({low}.0 | {high}.5)"),
            _ => format!("(..-{high}.0)"),
        }
    }

    fn int_pattern(&mut self, name: &'static str, binds: bool) -> (String, Vec<Var>) {
        let (low, high) = (self.pick(60), 60 + self.pick(60));
        let constants = self.constants.iter().filter(|var| var.ty == Ty::Scalar(name));
        let constants: Vec<_> = constants.map(|var| var.name.clone()).collect();
        if !constants.is_empty() && self.chance(40) {
            return (constants[self.pick(constants.len())].clone(), vec![]);
        }
        let signed = name.starts_with('i');
        let text = match self.pick(8) {
            0 => format!("{low}..={high}"),
            1 => format!("{low}..{high}"),
            2 => format!("({high}..)"),
            3 => format!("(..{})", low + 1),
            4 => format!("({low} | {high})"),
            5 if signed => format!("-{high}..={low}"),
            6 => format!("{name}::MAX"),
            _ => low.to_string(),
        };
        if binds && self.chance(25) {
            let var = Var { name: self.name("p"), ty: Ty::Scalar(name), mutable: false };
            let text = if text.contains("..") { format!("({text})") } else { text };
            return (format!("{} @ {text}", var.name), vec![var]);
        }
        (text, vec![])
    }

    /// Writes the head of an arm, up to its `=>`, adds its variables to the scope, and returns
    /// their number.
    pub(super) fn arm(&mut self, of: &Ty, depth: u32) -> (String, usize) {
        let (pattern, vars) = self.pattern(of, 2, true);
        let count = vars.len();
        self.vars.extend(vars);
        if !self.chance(30) {
            return (pattern, count);
        }
        let guard = self.without_assignments(|this| this.expr(&BOOL, depth.min(1), true));
        (format!("{pattern} if {guard}"), count)
    }

    pub(super) fn match_expr(&mut self, ty: &Ty, depth: u32, known: bool) -> String {
        let of = self.ty(2);
        let value = self.expr(&of, depth, false);
        let mut arms = Vec::new();
        for _ in 0..1 + self.pick(3) {
            let (head, count) = self.arm(&of, depth);
            arms.push(format!("{head} => {}", self.expr(ty, depth, known)));
            self.vars.truncate(self.vars.len() - count);
        }
        let last = self.expr(ty, depth, known);
        format!("(match {value} {{ {}, _ => {last} }})", arms.join(", "))
    }
}
