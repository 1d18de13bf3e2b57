//! Random kernels that are well typed: each is lowered, and what comes of it is well formed.
//!
//! They are written as text, by a generator that knows the type of each expression and which
//! variables are in scope. Where a literal's type follows from its surroundings, the suffix is
//! left out half of the time: inference must find it.
use crate::tests::lower_text;
use std::fmt::Write as _;
use warpwise_compiler::verify::verify;

const INTS: [&str; 10] = ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize"];
const FLOATS: [&str; 2] = ["f32", "f64"];

#[test]
fn well_typed_kernels_are_lowered() {
    for seed in 0..100 {
        let text = Generator::new(seed).kernel();
        let lowered = match lower_text(&text) {
            Ok(lowered) => lowered,
            Err(rejected) => {
                let errors: Vec<String> =
                    rejected.errors.into_iter().map(|error| error.to_string()).collect();
                panic!("seed {seed}: {errors:#?}\n{text}");
            }
        };
        if let Err(errors) = verify(&lowered.kernel) {
            panic!("seed {seed}: {errors}\n{text}\n{}", lowered.kernel);
        }
    }
}

struct Generator {
    state: u64,
    /// Names, types, and whether they are `mut`.
    vars: Vec<(String, &'static str, bool)>,
    loops: Vec<String>,
    next: usize,
    out: String,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self { state, vars: Vec::new(), loops: Vec::new(), next: 0, out: String::new() }
    }

    fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 33) as usize % n
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn ty(&mut self) -> &'static str {
        match self.below(5) {
            0 => "bool",
            1 => FLOATS[self.below(2)],
            _ => INTS[self.below(10)],
        }
    }

    fn kernel(mut self) -> String {
        let options = ["", "contract = false", "overflow_checks"][self.below(3)];
        let mut params = String::new();
        for ty in INTS.iter().chain(&FLOATS).chain(&["bool"]) {
            write!(params, "r_{ty}: &[{ty}], w_{ty}: &mut [{ty}], p_{ty}: {ty}, ").unwrap();
            self.vars.push((format!("p_{ty}"), ty, false));
        }
        self.block(3);
        format!("#[kernel({options})] fn k({params}) {{ let mut fuel = 40; {} }}", self.out)
    }

    fn block(&mut self, depth: usize) {
        let vars = self.vars.len();
        for _ in 0..1 + self.below(5) {
            self.stmt(depth);
        }
        self.vars.truncate(vars);
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn stmt(&mut self, depth: usize) {
        let ty = self.ty();
        match self.below(if depth == 0 { 4 } else { 9 }) {
            0 => {
                let (name, init, mutable) = (self.name(), self.expr(ty, 3, false), self.chance(2));
                let mutable_text = if mutable { "mut " } else { "" };
                let annotation = if self.chance(2) { format!(": {ty}") } else { String::new() };
                // Without either, the type must be plain from the value.
                let init = if annotation.is_empty() { format!("({init}) as {ty}") } else { init };
                let text = format!("let {mutable_text}{name}{annotation} = {init};");
                self.push(&text);
                self.vars.push((name, ty, mutable));
            }
            1 => {
                let value = self.expr(ty, 3, true);
                let index = self.index(2);
                let text = format!("w_{ty}[{index}] = {value};");
                self.push(&text);
            }
            2 | 3 => {
                let settable: Vec<_> =
                    self.vars.iter().filter(|(.., mutable)| *mutable).cloned().collect();
                if !settable.is_empty() {
                    let (name, ty, _) = &settable[self.below(settable.len())];
                    let op = self.update(ty);
                    let value = self.expr(ty, 2, true);
                    let divides = matches!(op, "/=" | "%=") && INTS.contains(ty);
                    let value = if divides { format!("{value} | 1") } else { value };
                    let text = format!("{name} {op} {value};");
                    self.push(&text);
                }
            }
            4 | 5 => {
                let cond = self.expr("bool", 3, true);
                self.push(&format!("if {cond} {{"));
                self.block(depth - 1);
                self.push("}");
                if self.chance(2) {
                    self.push("else {");
                    self.block(depth - 1);
                    self.push("}");
                }
            }
            6 => self.for_loop(depth),
            7 => {
                let label = format!("'l{}", self.loops.len());
                let cond = self.expr("bool", 2, true);
                self.push(&format!("{label}: while fuel > 0 && {cond} {{ fuel -= 1;"));
                self.loops.push(label);
                self.block(depth - 1);
                self.exit();
                self.loops.pop();
                self.push("}");
            }
            _ => {
                self.push("{");
                self.block(depth - 1);
                self.exit();
                self.push("}");
            }
        }
    }

    fn exit(&mut self) {
        let out = match (self.loops.last().cloned(), self.below(5)) {
            (Some(label), 0) => format!("break {label};"),
            (Some(_), 1) => "continue;".into(),
            (_, 2) => "return;".into(),
            _ => return,
        };
        self.push(&out);
    }

    fn for_loop(&mut self, depth: usize) {
        let ty = INTS[self.below(10)];
        let (start, end) = (self.expr(ty, 1, false), self.expr(ty, 1, true));
        let dots = ["..", "..="][self.below(2)];
        let adapter = ["", ".rev()", ".step_by(3)", ".rev().step_by(p_usize)"][self.below(4)];
        let (label, name) = (format!("'l{}", self.loops.len()), self.name());
        self.push(&format!("{label}: for {name} in (({start}) as {ty}{dots}{end}){adapter} {{"));
        self.push(&format!("if fuel == 0 {{ break {label}; }} fuel -= 1;"));
        self.loops.push(label);
        self.vars.push((name, ty, false));
        self.block(depth - 1);
        self.exit();
        self.vars.pop();
        self.loops.pop();
        self.push("}");
    }

    fn update(&mut self, ty: &str) -> &'static str {
        let all = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="];
        match ty {
            "bool" => ["=", "&=", "|=", "^="][self.below(4)],
            "f32" | "f64" => all[self.below(6)],
            _ => all[self.below(9)],
        }
    }

    /// An expression of a type; `known` if its surroundings tell the type of a literal.
    fn expr(&mut self, ty: &'static str, depth: usize, known: bool) -> String {
        if depth == 0 || self.chance(4) {
            return self.leaf(ty, known);
        }
        let (d, is_float) = (depth - 1, FLOATS.contains(&ty));
        match self.below(9) {
            0 | 1 => {
                let op = match ty {
                    "bool" => ["&", "|", "^", "&&", "||"][self.below(5)],
                    "f32" | "f64" => ["+", "-", "*", "/", "%"][self.below(5)],
                    _ => ["+", "-", "*", "/", "%", "&", "|", "^"][self.below(8)],
                };
                let (lhs, rhs) = (self.expr(ty, d, known), self.expr(ty, d, known));
                // Mostly not by zero.
                let divides = matches!(op, "/" | "%") && !is_float && !self.chance(8);
                if divides {
                    format!("({lhs} {op} ({rhs} | 1))")
                } else {
                    format!("({lhs} {op} {rhs})")
                }
            }
            2 if ty == "bool" => {
                let of = self.ty();
                let op = ["==", "!=", "<", "<=", ">", ">="][self.below(6)];
                let lhs = self.expr(of, d, false);
                format!("((({lhs}) as {of}) {op} {})", self.expr(of, d, true))
            }
            2 if is_float => format!("(-{})", self.expr(ty, d, known)),
            2 => {
                let (amount, op) = (self.ty_of_int(), ["<<", ">>"][self.below(2)]);
                let amount = self.expr(amount, d, false);
                format!("({} {op} ({amount}))", self.expr(ty, d, false))
            }
            3 => format!(
                "(if {} {{ {} }} else {{ {} }})",
                self.expr("bool", d, true),
                self.expr(ty, d, known),
                self.expr(ty, d, known)
            ),
            4 => {
                let name = self.name();
                let init = self.expr(ty, d, false);
                self.vars.push((name.clone(), ty, false));
                let tail = self.expr(ty, d, known);
                self.vars.pop();
                format!("{{ let {name} = ({init}) as {ty}; {tail} }}")
            }
            5 => format!("r_{ty}[{}]", self.index(d)),
            6 if ty != "bool" => {
                let from = if is_float { self.number() } else { self.ty() };
                format!("(({}) as {ty})", self.expr(from, d, false))
            }
            7 if ty != "bool" => self.method(ty, d),
            8 if ty == "bool" || !is_float => format!("(!{})", self.expr(ty, d, known)),
            _ => format!(
                "'b: {{ if {} {{ break 'b {}; }} {} }}",
                self.expr("bool", d, true),
                self.expr(ty, d, known),
                self.expr(ty, d, known)
            ),
        }
    }

    /// An index, mostly of one of the first elements.
    fn index(&mut self, depth: usize) -> String {
        let index = self.expr("usize", depth, true);
        if self.chance(8) { index } else { format!("({index}) % 16") }
    }

    fn ty_of_int(&mut self) -> &'static str {
        INTS[self.below(10)]
    }

    fn number(&mut self) -> &'static str {
        if self.chance(2) { FLOATS[self.below(2)] } else { self.ty_of_int() }
    }

    fn method(&mut self, ty: &'static str, depth: usize) -> String {
        let receiver = format!("(({}) as {ty})", self.expr(ty, depth, false));
        let other = self.expr(ty, depth, true);
        if FLOATS.contains(&ty) {
            match self.below(5) {
                0 => format!("{receiver}.mul_add({other}, {other})"),
                1 => format!("{receiver}.max({other})"),
                2 => format!("{receiver}.sqrt()"),
                3 => format!("{receiver}.round()"),
                _ => format!("{ty}::from_bits({receiver}.to_bits())"),
            }
        } else {
            match self.below(4) {
                0 => format!("{receiver}.wrapping_mul({other})"),
                1 => format!("{receiver}.rotate_left(p_u32)"),
                2 => format!("{receiver}.saturating_sub({other})"),
                _ => format!("{receiver}.rem_euclid({other})"),
            }
        }
    }

    fn leaf(&mut self, ty: &'static str, known: bool) -> String {
        let named: Vec<String> =
            self.vars.iter().filter(|var| var.1 == ty).map(|var| var.0.clone()).collect();
        if !named.is_empty() && !self.chance(3) {
            return named[self.below(named.len())].clone();
        }
        let suffix = if known && self.chance(2) { "" } else { ty };
        match ty {
            "bool" => ["true", "false"][self.below(2)].into(),
            "f32" | "f64" => format!("{}.{}{suffix}", self.below(9), self.below(9)),
            _ => format!("{}{suffix}", self.below(100)),
        }
    }
}
