//! Statements, one a line.
use super::{
    generator::{Generator, Kind},
    types::{BOOL, Function, Pass, Ty, Var},
};

impl Generator {
    /// Writes a statement with at most `depth` levels of blocks in it.
    pub(super) fn statement(&mut self, depth: u32) {
        let simple = 22;
        match self.pick(if depth == 0 { simple } else { 49 }) {
            0..4 => self.let_statement(),
            4 => self.let_pattern(),
            5 | 6 => self.assignment(),
            7 | 8 if self.context.kernel => self.store(),
            7 | 8 => self.assignment(),
            9 if self.context.kernel => {
                let ty = self.ty(1);
                let value = self.place(&ty, 2);
                self.observe(&ty, &value);
            }
            9 => self.let_statement(),
            10 => self.mutating_call(),
            11 => self.deferred(),
            12 => self.reference(),
            13 if self.context.kernel => self.let_slice(),
            14 if self.context.kernel => self.written_part(),
            15 if self.chance(65) => self.fault(),
            15 => self.assertion(),
            16 => self.print(),
            17 => self.swapped(),
            13 | 14 => self.let_option(),
            18 => self.let_option(),
            19 => self.text(),
            20 => self.sorted(),
            21 => self.let_pattern(),
            22..24 => self.if_statement(depth),
            24 => self.if_pattern(depth),
            25 => self.match_statement(depth),
            26 => self.let_else(),
            27 | 28 => self.for_loop(depth),
            29 => self.for_in_array(depth),
            30 if self.context.kernel => self.while_loop(depth),
            31 => self.counting_closure(2),
            32 => self.for_values(depth),
            33 => self.for_mutable(),
            34 if self.context.kernel => self.for_parts(depth),
            35 | 36 if self.context.kernel => self.kept_iterator(),
            37 if self.context.kernel => self.chosen_slice(),
            38 => self.chosen(),
            39 if self.context.kernel => self.chosen_place(),
            40 if self.context.kernel => self.range_value(),
            41..44 if self.context.kernel => self.view(depth),
            44 => self.type_inside(),
            45 => self.for_references(),
            46 => self.macro_inside(),
            47 if self.context.kernel => self.pointers(),
            _ => {
                self.line("{");
                self.body(depth);
                self.line("}");
            }
        }
    }

    /// Writes statements, and perhaps a jump.
    pub(super) fn body(&mut self, depth: u32) {
        let before = self.vars.len();
        for _ in 0..1 + self.pick(3) {
            self.statement(depth - 1);
        }
        self.jump();
        self.vars.truncate(before);
    }

    fn jump(&mut self) {
        let Some(label) = self.loops.last().cloned() else { return };
        match self.pick(6) {
            0 => self.line(&format!("break {label};")),
            1 => self.line(&format!("continue {label};")),
            2 if self.context.kernel => {
                let condition = self.expr(&BOOL, 1, true);
                self.line(&format!("if {condition} {{"));
                let out = self.loops[self.loops.len() / 2].clone();
                self.line(&format!("break {out};"));
                self.line("}");
            }
            _ => {}
        }
    }

    pub(super) fn let_statement(&mut self) {
        let ty = if self.chance(50) { self.scalar() } else { self.ty(2) };
        let mutable = self.chance(60);
        let annotated = self.chance(60) || matches!(ty, Ty::Option(_));
        let converted = if annotated && self.chance(10) { self.made_by_into(&ty, 2) } else { None };
        let value = converted.unwrap_or_else(|| self.expr(&ty, 3, annotated));
        // Sometimes a name that is in use: the older variable is shadowed.
        let taken: Vec<_> =
            self.visible().into_iter().filter(|var| var.name.starts_with('v')).collect();
        let name = if !taken.is_empty() && self.chance(10) {
            taken[self.pick(taken.len())].name.clone()
        } else {
            self.name("v")
        };
        let annotation = if annotated { format!(": {}", ty.name()) } else { String::new() };
        let keyword = if mutable { "let mut" } else { "let" };
        self.line(&format!("{keyword} {name}{annotation} = {value};"));
        self.vars.push(Var { name, ty, mutable });
    }

    /// Writes an option, from a method of integers or slices.
    fn let_option(&mut self) {
        let of = self.int();
        let Ty::Scalar(scalar) = of else { unreachable!("integers are scalars") };
        let name = self.name("v");
        let (value, of) = if self.context.kernel && self.chance(50) {
            let of = Ty::Scalar(self.draw.one_of(&self.memory));
            (self.got(&of, 2), of)
        } else {
            (self.checked(scalar, 2), of)
        };
        let ty = Ty::Option(Box::new(of));
        self.line(&format!("let {name}: {} = {value};", ty.name()));
        self.vars.push(Var { name, ty, mutable: false });
    }

    /// Writes a `let` with a pattern that always matches.
    fn let_pattern(&mut self) {
        let ty = match self.pick(3) {
            0 if !self.structs.is_empty() => Ty::Struct(self.pick(self.structs.len())),
            1 => Ty::Array(Box::new(self.scalar()), 3),
            _ => Ty::Tuple(vec![self.scalar(), self.ty(1)]),
        };
        let said = if let Ty::Struct(_) = ty { self.source_of(&ty) } else { None };
        let value = match said {
            // The pattern determines the target of the conversion.
            Some(from) if self.chance(60) => format!("({}).into()", self.expr(&from, 2, false)),
            _ => self.expr(&ty, 2, false),
        };
        let (pattern, vars) = self.irrefutable(&ty);
        self.line(&format!("let {pattern} = {value};"));
        self.vars.extend(vars);
    }

    fn irrefutable(&mut self, ty: &Ty) -> (String, Vec<Var>) {
        let mut vars = Vec::new();
        let mut bind = |this: &mut Self, ty: &Ty| {
            let (name, mutable) = (this.name("v"), this.chance(30));
            vars.push(Var { name: name.clone(), ty: ty.clone(), mutable });
            if mutable { format!("mut {name}") } else { name }
        };
        let pattern = match ty {
            Ty::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| bind(self, part)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Array(of, _) => {
                let (a, b) = (bind(self, of), bind(self, of));
                ["[A, B, ..]", "[A, .., B]", "[.., A, B]", "[A, _, B]"][self.pick(4)]
                    .replace('A', &a)
                    .replace('B', &b)
            }
            Ty::Struct(id) => {
                let of = self.structs[*id].clone();
                let fields: Vec<_> = of.fields.iter().map(|field| bind(self, field)).collect();
                if of.tuple {
                    format!("S{id}({})", fields.join(", "))
                } else {
                    let fields = fields.iter().enumerate();
                    let fields: Vec<_> =
                        fields.map(|(at, name)| format!("f{at}: {name}")).collect();
                    format!("S{id} {{ {} }}", fields.join(", "))
                }
            }
            Ty::Scalar(_)
            | Ty::Vector(..)
            | Ty::Option(_)
            | Ty::Result(..)
            | Ty::Slice(_)
            | Ty::Enum(_) => bind(self, ty),
        };
        (pattern, vars)
    }

    pub(super) fn assignment(&mut self) {
        let settable: Vec<_> = self.places().into_iter().filter(|place| place.mutable).collect();
        if settable.is_empty() {
            return self.let_statement();
        }
        let place = settable[self.pick(settable.len())].clone();
        let op = self.update(&place.ty);
        // An operator that is a function has borrowed the place before the value is computed.
        let own = matches!(place.ty, Ty::Struct(_) | Ty::Vector(..));
        let value = if op != "=" && (place.ty.is_half() || own) {
            self.without_assignments(|this| this.expr(&place.ty, 3, false))
        } else {
            self.expr(&place.ty, 3, true)
        };
        let divides = matches!(op, "/=" | "%=") && place.ty.is_int();
        let value = if divides { format!("{value} | 1") } else { value };
        self.line(&format!("{} {op} {value};", place.name));
    }

    fn update(&mut self, ty: &Ty) -> &'static str {
        let all = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="];
        let ends = self.kind == Kind::Threads && ty.is_signed();
        match ty {
            Ty::Scalar("bool") => ["=", "&=", "|=", "^="][self.pick(4)],
            Ty::Scalar("f32" | "f64" | "f16" | "bf16") => all[self.pick(6)],
            Ty::Scalar(_) if self.is_careful() || ends => ["=", "&=", "|=", "^="][self.pick(4)],
            Ty::Scalar(_) => all[self.pick(9)],
            Ty::Vector(lane, _) if !Ty::Scalar(lane).is_int() => all[self.pick(4)],
            Ty::Vector(..) if self.vectors_wrap() => ["=", "+=", "*=", "^="][self.pick(4)],
            Ty::Vector(..) => ["=", "&=", "|=", "^="][self.pick(4)],
            Ty::Struct(id) => {
                let own = &self.structs[*id].operators;
                let own: Vec<_> = own.iter().copied().filter(|op| op.ends_with('=')).collect();
                if own.is_empty() || self.chance(40) { "=" } else { own[self.pick(own.len())] }
            }
            _ => "=",
        }
    }

    fn store(&mut self) {
        let name = self.draw.one_of(&self.memory);
        let ty = Ty::Scalar(name);
        let op = self.update(&ty);
        let value = self.expr(&ty, 3, true);
        let divides = matches!(op, "/=" | "%=") && ty.is_int();
        let value = if divides { format!("{value} | 1") } else { value };
        let element = self.written(name, 1);
        self.line(&format!("{element} {op} {value};"));
    }

    /// Writes a call that changes a variable through a reference.
    fn mutating_call(&mut self) {
        let found: Vec<Function> = self
            .functions
            .iter()
            .filter(|function| {
                let passes = function.params.iter().map(|(_, pass)| *pass);
                let receiver = function.receiver.map(|(_, pass)| pass);
                passes.chain(receiver).filter(|pass| *pass == Pass::Mut).count() == 1
            })
            .cloned()
            .collect();
        if found.is_empty() {
            return self.assignment();
        }
        let function = found[self.pick(found.len())].clone();
        let receiver = function.receiver.map(|(id, pass)| (Ty::Struct(id), pass));
        let (wanted, _) = receiver
            .iter()
            .chain(&function.params)
            .find(|(_, pass)| *pass == Pass::Mut)
            .expect("one is changed");
        let places: Vec<_> =
            self.places().into_iter().filter(|var| var.mutable && var.ty == *wanted).collect();
        if places.is_empty() {
            return self.let_statement();
        }
        let place = places[self.pick(places.len())].name.clone();
        // The other arguments cannot use the borrowed variable.
        let hidden = self.hide(&place);
        let args: Vec<_> = self.without_assignments(|this| {
            function
                .params
                .iter()
                .map(|(ty, pass)| match pass {
                    Pass::Mut => format!("&mut {place}"),
                    Pass::Value | Pass::Ref => this.argument(ty, *pass, 2),
                })
                .collect()
        });
        let on = receiver.map(|(ty, pass)| match pass {
            Pass::Mut => place.clone(),
            Pass::Value | Pass::Ref => self.without_assignments(|this| this.place(&ty, 1)),
        });
        self.vars = hidden;
        let name = self.name("v");
        let call = match on {
            Some(on) => format!("{on}.{}({})", function.name, args.join(", ")),
            None => format!("{}({})", function.name, args.join(", ")),
        };
        self.line(&format!("let {name} = {call};"));
        self.vars.push(Var { name, ty: function.ret, mutable: false });
    }

    /// Writes a variable that is assigned in the branches after its `let`.
    fn deferred(&mut self) {
        let ty = self.ty(1);
        let (name, condition) = (self.name("v"), self.expr(&BOOL, 2, true));
        let (yes, no) = (self.expr(&ty, 2, true), self.expr(&ty, 2, true));
        self.line(&format!("let {name}: {};", ty.name()));
        self.line(&format!("if {condition} {{"));
        self.line(&format!("{name} = {yes};"));
        self.line("} else {");
        self.line(&format!("{name} = {no};"));
        self.line("}");
        self.vars.push(Var { name, ty, mutable: false });
    }

    fn if_statement(&mut self, depth: u32) {
        let condition = if self.chance(25) {
            let of = self.ty(1);
            let option = Ty::Option(Box::new(of.clone()));
            let (value, name) = (self.expr(&option, 2, true), self.name("v"));
            self.line(&format!("let o{name}: {} = {value};", option.name()));
            self.vars.push(Var { name: name.clone(), ty: of, mutable: false });
            let more = if self.chance(40) {
                format!(" && {}", self.expr(&BOOL, 1, true))
            } else {
                String::new()
            };
            self.line(&format!("if let Some({name}) = o{name}{more} {{"));
            self.body(depth);
            self.vars.pop();
            None
        } else {
            let condition = self.expr(&BOOL, 2, true);
            self.line(&format!("if {condition} {{"));
            self.body(depth);
            Some(condition)
        };
        if self.chance(50) {
            let other = self.expr(&BOOL, 1, true);
            let nested = condition.is_some() && self.chance(30);
            self.line(&if nested { format!("}} else if {other} {{") } else { "} else {".into() });
            self.body(depth);
        }
        self.line("}");
    }

    /// Writes an `if let` with any pattern.
    fn if_pattern(&mut self, depth: u32) {
        let of = self.ty(2);
        let value = self.expr(&of, 2, false);
        let (pattern, vars) = self.pattern(&of, 2, true);
        self.line(&format!("if let {pattern} = {value} {{"));
        let before = self.vars.len();
        self.vars.extend(vars);
        self.body(depth);
        self.vars.truncate(before);
        self.line("}");
    }

    fn match_statement(&mut self, depth: u32) {
        let of = self.ty(2);
        let value = self.expr(&of, 2, false);
        self.line(&format!("match {value} {{"));
        for _ in 0..1 + self.pick(3) {
            let (head, count) = self.arm(&of, 1);
            self.line(&format!("{head} => {{"));
            self.body(depth);
            self.line("}");
            self.vars.truncate(self.vars.len() - count);
        }
        self.line("_ => {");
        self.body(depth);
        self.line("}");
        self.line("}");
    }

    /// Writes a `let .. else`, in a block that it leaves if the pattern does not match.
    fn let_else(&mut self) {
        let of = self.ty(1);
        let option = Ty::Option(Box::new(of.clone()));
        let (value, name, label) = (self.expr(&option, 2, true), self.name("v"), self.name("'b"));
        self.line(&format!("let o{name}: {} = {value};", option.name()));
        self.line(&format!("{label}: {{"));
        self.line(&format!("let Some({name}) = o{name} else {{"));
        self.line(&format!("break {label};"));
        self.line("};");
        let before = self.vars.len();
        self.vars.push(Var { name, ty: of, mutable: false });
        for _ in 0..1 + self.pick(2) {
            self.statement(0);
        }
        self.vars.truncate(before);
        self.line("}");
    }
}
