//! Random well-typed kernels: each is lowered, and the result is well formed.
//!
//! A generator writes them as text. It knows the type of each expression and the variables in
//! scope. Where a literal's type follows from its context, the suffix is left out half of the time,
//! so that inference must find it.
use crate::tests::lower_text;
use std::fmt::Write as _;
use warpwise_compiler::verify::verify;

const INTS: [&str; 10] = ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize"];
const FLOATS: [&str; 2] = ["f32", "f64"];

#[test]
fn well_typed_kernels_are_lowered() {
    for seed in 0..100 {
        let text = Generator::new(seed).generate_kernel();
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
    /// Name, type, and true for `mut`.
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

    fn random_below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 33) as usize % n
    }

    fn one_in(&mut self, one_in: usize) -> bool {
        self.random_below(one_in) == 0
    }

    fn random_type(&mut self) -> &'static str {
        match self.random_below(5) {
            0 => "bool",
            1 => FLOATS[self.random_below(2)],
            _ => INTS[self.random_below(10)],
        }
    }

    fn generate_kernel(mut self) -> String {
        let options = ["", "contract = false", "overflow_checks"][self.random_below(3)];
        let mut params = String::new();
        for ty in INTS.iter().chain(&FLOATS).chain(&["bool"]) {
            write!(params, "r_{ty}: &[{ty}], w_{ty}: &mut [{ty}], p_{ty}: {ty}, ").unwrap();
            self.vars.push((format!("p_{ty}"), ty, false));
        }
        self.generate_block(3);
        format!("#[kernel({options})] fn k({params}) {{ let mut fuel = 40; {} }}", self.out)
    }

    fn generate_block(&mut self, depth: usize) {
        let vars = self.vars.len();
        for _ in 0..1 + self.random_below(5) {
            self.generate_stmt(depth);
        }
        self.vars.truncate(vars);
    }

    fn fresh_name(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn generate_stmt(&mut self, depth: usize) {
        let ty = self.random_type();
        match self.random_below(if depth == 0 { 4 } else { 9 }) {
            0 => {
                let (name, init, mutable) =
                    (self.fresh_name(), self.generate_expr(ty, 3, false), self.one_in(2));
                let mutable_text = if mutable { "mut " } else { "" };
                let annotation = if self.one_in(2) { format!(": {ty}") } else { String::new() };
                // Without an annotation, the value must determine the type.
                let init = if annotation.is_empty() { format!("({init}) as {ty}") } else { init };
                let text = format!("let {mutable_text}{name}{annotation} = {init};");
                self.push(&text);
                self.vars.push((name, ty, mutable));
            }
            1 => {
                let value = self.generate_expr(ty, 3, true);
                let index = self.generate_index(2);
                let text = format!("w_{ty}[{index}] = {value};");
                self.push(&text);
            }
            2 | 3 => {
                let settable: Vec<_> =
                    self.vars.iter().filter(|(.., mutable)| *mutable).cloned().collect();
                if !settable.is_empty() {
                    let (name, ty, _) = &settable[self.random_below(settable.len())];
                    let op = self.update_operator(ty);
                    let value = self.generate_expr(ty, 2, true);
                    let divides = matches!(op, "/=" | "%=") && INTS.contains(ty);
                    let value = if divides { format!("{value} | 1") } else { value };
                    let text = format!("{name} {op} {value};");
                    self.push(&text);
                }
            }
            4 | 5 => {
                let cond = self.generate_expr("bool", 3, true);
                self.push(&format!("if {cond} {{"));
                self.generate_block(depth - 1);
                self.push("}");
                if self.one_in(2) {
                    self.push("else {");
                    self.generate_block(depth - 1);
                    self.push("}");
                }
            }
            6 => self.generate_for(depth),
            7 => {
                let label = format!("'l{}", self.loops.len());
                let cond = self.generate_expr("bool", 2, true);
                self.push(&format!("{label}: while fuel > 0 && {cond} {{ fuel -= 1;"));
                self.loops.push(label);
                self.generate_block(depth - 1);
                self.generate_exit();
                self.loops.pop();
                self.push("}");
            }
            _ => {
                self.push("{");
                self.generate_block(depth - 1);
                self.generate_exit();
                self.push("}");
            }
        }
    }

    fn generate_exit(&mut self) {
        let out = match (self.loops.last().cloned(), self.random_below(5)) {
            (Some(label), 0) => format!("break {label};"),
            (Some(_), 1) => "continue;".into(),
            (_, 2) => "return;".into(),
            _ => return,
        };
        self.push(&out);
    }

    fn generate_for(&mut self, depth: usize) {
        let ty = INTS[self.random_below(10)];
        let (start, end) = (self.generate_expr(ty, 1, false), self.generate_expr(ty, 1, true));
        let dots = ["..", "..="][self.random_below(2)];
        let adapter =
            ["", ".rev()", ".step_by(3)", ".rev().step_by(p_usize)"][self.random_below(4)];
        let (label, name) = (format!("'l{}", self.loops.len()), self.fresh_name());
        self.push(&format!("{label}: for {name} in (({start}) as {ty}{dots}{end}){adapter} {{"));
        self.push(&format!("if fuel == 0 {{ break {label}; }} fuel -= 1;"));
        self.loops.push(label);
        self.vars.push((name, ty, false));
        self.generate_block(depth - 1);
        self.generate_exit();
        self.vars.pop();
        self.loops.pop();
        self.push("}");
    }

    fn update_operator(&mut self, ty: &str) -> &'static str {
        let all = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="];
        match ty {
            "bool" => ["=", "&=", "|=", "^="][self.random_below(4)],
            "f32" | "f64" => all[self.random_below(6)],
            _ => all[self.random_below(9)],
        }
    }

    /// Generates an expression of a type; `known` if the context determines the type of a literal.
    fn generate_expr(&mut self, ty: &'static str, depth: usize, known: bool) -> String {
        if depth == 0 || self.one_in(4) {
            return self.generate_leaf(ty, known);
        }
        let (d, is_float) = (depth - 1, FLOATS.contains(&ty));
        match self.random_below(9) {
            0 | 1 => {
                let op = match ty {
                    "bool" => ["&", "|", "^", "&&", "||"][self.random_below(5)],
                    "f32" | "f64" => ["+", "-", "*", "/", "%"][self.random_below(5)],
                    _ => ["+", "-", "*", "/", "%", "&", "|", "^"][self.random_below(8)],
                };
                let (lhs, rhs) =
                    (self.generate_expr(ty, d, known), self.generate_expr(ty, d, known));
                // Avoid most divisions by zero.
                let divides = matches!(op, "/" | "%") && !is_float && !self.one_in(8);
                if divides {
                    format!("({lhs} {op} ({rhs} | 1))")
                } else {
                    format!("({lhs} {op} {rhs})")
                }
            }
            2 if ty == "bool" => {
                let of = self.random_type();
                let op = ["==", "!=", "<", "<=", ">", ">="][self.random_below(6)];
                let lhs = self.generate_expr(of, d, false);
                format!("((({lhs}) as {of}) {op} {})", self.generate_expr(of, d, true))
            }
            2 if is_float => format!("(-{})", self.generate_expr(ty, d, known)),
            2 => {
                let (amount, op) = (self.random_int_type(), ["<<", ">>"][self.random_below(2)]);
                let amount = self.generate_expr(amount, d, false);
                format!("({} {op} ({amount}))", self.generate_expr(ty, d, false))
            }
            3 => format!(
                "(if {} {{ {} }} else {{ {} }})",
                self.generate_expr("bool", d, true),
                self.generate_expr(ty, d, known),
                self.generate_expr(ty, d, known)
            ),
            4 => {
                let name = self.fresh_name();
                let init = self.generate_expr(ty, d, false);
                self.vars.push((name.clone(), ty, false));
                let tail = self.generate_expr(ty, d, known);
                self.vars.pop();
                format!("{{ let {name} = ({init}) as {ty}; {tail} }}")
            }
            5 => format!("r_{ty}[{}]", self.generate_index(d)),
            6 if ty != "bool" => {
                let from = if is_float { self.random_number_type() } else { self.random_type() };
                format!("(({}) as {ty})", self.generate_expr(from, d, false))
            }
            7 if ty != "bool" => self.generate_method_call(ty, d),
            8 if ty == "bool" || !is_float => format!("(!{})", self.generate_expr(ty, d, known)),
            _ => format!(
                "'b: {{ if {} {{ break 'b {}; }} {} }}",
                self.generate_expr("bool", d, true),
                self.generate_expr(ty, d, known),
                self.generate_expr(ty, d, known)
            ),
        }
    }

    /// Generates an index, mostly of one of the first elements.
    fn generate_index(&mut self, depth: usize) -> String {
        let index = self.generate_expr("usize", depth, true);
        if self.one_in(8) { index } else { format!("({index}) % 16") }
    }

    fn random_int_type(&mut self) -> &'static str {
        INTS[self.random_below(10)]
    }

    fn random_number_type(&mut self) -> &'static str {
        if self.one_in(2) { FLOATS[self.random_below(2)] } else { self.random_int_type() }
    }

    fn generate_method_call(&mut self, ty: &'static str, depth: usize) -> String {
        let receiver = format!("(({}) as {ty})", self.generate_expr(ty, depth, false));
        let other = self.generate_expr(ty, depth, true);
        if FLOATS.contains(&ty) {
            match self.random_below(5) {
                0 => format!("{receiver}.mul_add({other}, {other})"),
                1 => format!("{receiver}.max({other})"),
                2 => format!("{receiver}.sqrt()"),
                3 => format!("{receiver}.round()"),
                _ => format!("{ty}::from_bits({receiver}.to_bits())"),
            }
        } else {
            match self.random_below(4) {
                0 => format!("{receiver}.wrapping_mul({other})"),
                1 => format!("{receiver}.rotate_left(p_u32)"),
                2 => format!("{receiver}.saturating_sub({other})"),
                _ => format!("{receiver}.rem_euclid({other})"),
            }
        }
    }

    fn generate_leaf(&mut self, ty: &'static str, known: bool) -> String {
        let named: Vec<String> =
            self.vars.iter().filter(|var| var.1 == ty).map(|var| var.0.clone()).collect();
        if !named.is_empty() && !self.one_in(3) {
            return named[self.random_below(named.len())].clone();
        }
        let suffix = if known && self.one_in(2) { "" } else { ty };
        match ty {
            "bool" => ["true", "false"][self.random_below(2)].into(),
            "f32" | "f64" => format!("{}.{}{suffix}", self.random_below(9), self.random_below(9)),
            _ => format!("{}{suffix}", self.random_below(100)),
        }
    }
}
