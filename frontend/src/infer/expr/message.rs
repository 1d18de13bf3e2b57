//! `println!`, `assert!`, `panic!` and their kin.
//!
//! The host copy of a kernel has rustc's own macros, which check the format string; what they refuse
//! is left to them, and what is refused here is what kernel code cannot print.
use crate::{
    hir::{Block, Expr, Kind, Pattern, PatternKind, Say, Stmt, StmtKind, Var, Variable},
    infer::{Infer, Obligation},
    syntax::{span::SpanRange, spell::spelled},
    types::{Prim, Type},
};
use quote::ToTokens as _;
use syn::{Lit, Token, punctuated::Punctuated};
use warpwise_compiler::{
    ir::{CompareOp, UnaryOp},
    message::{ArgumentRef, Count, Format, MAX_VALUES, Piece, Style},
};

/// What a macro says.
struct Message {
    format: Format,
    args: Vec<Expr>,
}

impl Message {
    fn text(text: &str) -> Self {
        let format = Format { pieces: vec![Piece::Text(text.into())] };
        Self { format, args: Vec::new() }
    }
}

/// An argument of a format string.
struct Arg<'e> {
    name: Option<String>,
    value: &'e syn::Expr,
    /// How it is used: printed, in these styles, and as a width or precision.
    styles: Vec<Style>,
    counts: bool,
}

impl<'e> Arg<'e> {
    fn new(name: Option<String>, value: &'e syn::Expr) -> Self {
        Self { name, value, styles: Vec::new(), counts: false }
    }
}

/// Whether `name` is a macro that prints or panics.
pub(crate) fn says(name: &str) -> bool {
    matches!(
        name,
        "print"
            | "println"
            | "panic"
            | "unreachable"
            | "todo"
            | "unimplemented"
            | "assert"
            | "assert_eq"
            | "assert_ne"
            | "debug_assert"
            | "debug_assert_eq"
            | "debug_assert_ne"
    )
}

impl Infer<'_> {
    /// A macro that [`says`] something.
    pub(crate) fn say(&mut self, name: &str, mac: &syn::Macro, at: SpanRange) -> Expr {
        if let Some(plain) = name.strip_prefix("debug_") {
            let diverges = self.diverges;
            let check = Box::new(self.say(plain, mac, at));
            self.diverges = diverges;
            let unit = self.types.unit();
            return self.make(Kind::InDebug(check), unit, at);
        }
        let parsed = mac.parse_body_with(Punctuated::<syn::Expr, Token![,]>::parse_terminated);
        let Ok(given) = parsed else {
            let fact = format!("these are no arguments of `{name}!`");
            let reported = self.errors.mistyped(at, fact);
            return self.reported(reported, at);
        };
        let given: Vec<&syn::Expr> = given.iter().collect();
        match (name, given.as_slice()) {
            ("print" | "println", words) => {
                let mut message = self.message(words, at).unwrap_or_else(|| Message::text(""));
                if name == "println" {
                    message.format.push("\n");
                }
                self.make_say(message, false, at)
            }
            ("assert", [cond, words @ ..]) => self.assertion(cond, words, at),
            ("assert_eq", [left, right, words @ ..]) => {
                self.comparison_assertion(CompareOp::Eq, [left, right], words, at)
            }
            ("assert_ne", [left, right, words @ ..]) => {
                self.comparison_assertion(CompareOp::Ne, [left, right], words, at)
            }
            ("assert" | "assert_eq" | "assert_ne", _) => {
                let fact = format!("`{name}!` needs more arguments");
                let reported = self.errors.mistyped(at, fact);
                self.reported(reported, at)
            }
            (_, words) => {
                let message = self.reason(name, words, at);
                self.diverges = true;
                self.make_say(message, true, at)
            }
        }
    }

    fn make_say(&mut self, Message { format, args }: Message, panics: bool, at: SpanRange) -> Expr {
        if args.len() > MAX_VALUES {
            let fact = format!(
                "a message has at most {MAX_VALUES} values, and this one has {}",
                args.len()
            );
            self.errors.advise(at, fact, "say it in two messages");
        }
        let ty = if panics { self.types.never() } else { self.types.unit() };
        self.make(Kind::Say(Box::new(Say { format, args, panics })), ty, at)
    }

    /// What a macro says that always panics.
    fn reason(&mut self, name: &str, words: &[&syn::Expr], at: SpanRange) -> Message {
        let plain = match name {
            "unreachable" => "internal error: entered unreachable code",
            "todo" => "not yet implemented",
            "unimplemented" => "not implemented",
            _ => "",
        };
        match self.message(words, at) {
            Some(message) if plain.is_empty() => message,
            Some(mut message) => {
                message.format.prepend(&format!("{plain}: "));
                message
            }
            None if plain.is_empty() => Message::text("explicit panic"),
            None => Message::text(plain),
        }
    }

    fn assertion(&mut self, cond: &syn::Expr, words: &[&syn::Expr], at: SpanRange) -> Expr {
        let bool = self.prim(Prim::Bool);
        let value = self.expect(cond, bool);
        let diverges = self.diverges;
        let message = self.message(words, at).unwrap_or_else(|| {
            Message::text(&format!("assertion failed: {}", spelled(cond.to_token_stream())))
        });
        self.diverges = diverges;
        self.panic_unless(value, message, at)
    }

    fn panic_unless(&mut self, cond: Expr, message: Message, at: SpanRange) -> Expr {
        let (bool, unit) = (self.prim(Prim::Bool), self.types.unit());
        let not = Kind::Unary { op: UnaryOp::Not, value: Box::new(cond) };
        let cond = Box::new(self.make(not, bool, at));
        let panic = self.make_say(message, true, at);
        let stmts = vec![Stmt { kind: StmtKind::Expr(panic), levels: Vec::new() }];
        let then = Block { stmts, tail: None };
        self.make(Kind::If { cond, then, other: None }, unit, at)
    }

    /// `assert_eq!` and `assert_ne!`: both sides are evaluated once, then compared, then printed.
    fn comparison_assertion(
        &mut self,
        op: CompareOp,
        [left, right]: [&syn::Expr; 2],
        words: &[&syn::Expr],
        at: SpanRange,
    ) -> Expr {
        let lhs = self.expr(left, None);
        let lhs = self.through(lhs);
        let rhs = self.expr(right, Some(lhs.ty));
        let rhs = self.through(rhs);
        self.unify(self.places[rhs.at], rhs.ty, lhs.ty);
        self.oblige(at, Obligation::Printed(lhs.ty, Style::Debug));
        let mut stmts = Vec::new();
        let [left, right] = [lhs, rhs].map(|side| self.named(side, &mut stmts));
        let diverges = self.diverges;
        let mut message = self.message(words, at).unwrap_or_else(|| Message::text(""));
        self.diverges = diverges;
        let relation = if op == CompareOp::Eq { "==" } else { "!=" };
        let colon = if words.is_empty() { "" } else { ": " };
        message.format.prepend(&format!("assertion `left {relation} right` failed{colon}"));
        for (side, var) in [("\n  left: ", left), ("\n right: ", right)] {
            message.format.push(side);
            message.format.push_debug(message.args.len());
            let value = self.variable(var, at);
            message.args.push(value);
        }
        let [lhs, rhs] = [left, right].map(|var| self.variable(var, at));
        let cond = self.compared(op, lhs, rhs, at);
        let check = self.panic_unless(cond, message, at);
        stmts.push(Stmt { kind: StmtKind::Expr(check), levels: Vec::new() });
        let unit = self.types.unit();
        let block = Block { stmts, tail: None };
        self.make(Kind::Block { label: None, block }, unit, at)
    }

    /// A value bound to a variable of our own.
    pub(crate) fn named(&mut self, value: Expr, stmts: &mut Vec<Stmt>) -> Var {
        let Expr { ty, at, .. } = value;
        let (name, mutable, settable) = (String::new(), false, false);
        let var = self.vars.push(Variable { name, ty, mutable, settable, at });
        let kind = PatternKind::Bind { var, by_ref: false, and: None };
        let pattern = Pattern { kind, ty, at };
        let kind = StmtKind::Let { pattern, init: Some(value), other: None };
        stmts.push(Stmt { kind, levels: Vec::new() });
        var
    }

    pub(crate) fn variable(&mut self, var: Var, at: SpanRange) -> Expr {
        let ty = self.vars[var].ty;
        self.make(Kind::Var(var), ty, at)
    }

    /// A format string and its arguments; `None` if there are none.
    fn message(&mut self, words: &[&syn::Expr], at: SpanRange) -> Option<Message> {
        let [first, rest @ ..] = words else { return None };
        let Some((text, range)) = string(first) else {
            let fact = "the format of a message is written as a string literal in kernel code";
            self.errors.advise(SpanRange::expr(first), fact, "write for example `\"x is {x}\"`");
            return Some(Message::text(""));
        };
        let mut format: Format = match text.parse() {
            Ok(format) => format,
            Err(error) => {
                self.errors.mistyped(range, error);
                return Some(Message::text(""));
            }
        };
        let captured = captured(&format, range);
        let mut args: Vec<Arg<'_>> = rest.iter().map(|arg| argument(arg)).collect();
        let explicit = args.len();
        let names: Vec<&syn::Expr> = captured
            .iter()
            .filter(|(name, _)| !args.iter().any(|arg| arg.name.as_ref() == Some(name)))
            .map(|(_, expr)| expr)
            .collect();
        args.extend(
            names.into_iter().map(|expr| Arg::new(Some(spelled(expr.to_token_stream())), expr)),
        );
        if let Err(fact) = resolve(&mut format, &mut args, explicit) {
            self.errors.mistyped(range, fact);
            return Some(Message::text(""));
        }
        if let Some(unused) = args.iter().find(|arg| arg.styles.is_empty() && !arg.counts) {
            self.errors.mistyped(SpanRange::expr(unused.value), "this argument is never used");
        }
        let mut values = Vec::new();
        let mut numbers = Vec::with_capacity(args.len());
        for (index, arg) in args.iter().enumerate() {
            numbers.push(values.len());
            match string(arg.value) {
                Some((text, _)) if !arg.counts => {
                    if !insert(&mut format, index, &text) {
                        let fact = "a string in a message of kernel code has no computed width";
                        self.errors.advise(at, fact, "write the width as a number");
                    }
                }
                _ if index >= explicit
                    && !self.is_here(arg.name.as_deref().unwrap_or_default()) =>
                {
                    let name = spelled(arg.value.to_token_stream());
                    let fact = format!("kernel code captures only variables, and `{name}` is none");
                    let help = format!("pass it behind the format string: `\"{{}}\", {name}`");
                    self.errors.advise(range, fact, help);
                }
                _ => values.push(self.printed(arg)),
            }
        }
        let new = |index: usize| numbers.get(index).copied().unwrap_or(index);
        format.values_mut().for_each(|value| value.renumber(new));
        Some(Message { format, args: values })
    }

    /// Whether a variable or constant parameter has this name.
    fn is_here(&self, name: &str) -> bool {
        let ident = syn::Ident::new(name.trim_start_matches("r#"), proc_macro2::Span::call_site());
        self.scope.find(&ident).is_some()
            || self.names.generics.iter().any(|generic| generic.name == name)
    }

    fn printed(&mut self, arg: &Arg<'_>) -> Expr {
        let value = match arg.counts {
            true => {
                let usize = self.prim(Prim::Usize);
                let value = self.expr(arg.value, Some(usize));
                let value = self.through(value);
                self.coerce(value, usize)
            }
            false => {
                let value = self.expr(arg.value, None);
                self.through(value)
            }
        };
        let at = self.places[value.at];
        for style in &arg.styles {
            self.oblige(at, Obligation::Printed(value.ty, *style));
        }
        // `println!` borrows its arguments, and needs one type for each.
        if let Type::Never = self.types.get(value.ty) {
            self.errors.advise(
                at,
                "nothing comes out of this to print",
                "write it as a statement of its own",
            );
        }
        value
    }
}

/// The string that an expression is.
fn string(expr: &syn::Expr) -> Option<(String, SpanRange)> {
    match expr {
        syn::Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => {
            Some((text.value(), SpanRange::token(text.span())))
        }
        syn::Expr::Group(group) => string(&group.expr),
        _ => None,
    }
}

/// `x + 1`, or `name = x + 1`.
fn argument(expr: &syn::Expr) -> Arg<'_> {
    if let syn::Expr::Assign(assign) = expr
        && let syn::Expr::Path(path) = &*assign.left
        && let Some(name) = path.path.get_ident()
    {
        return Arg::new(Some(name.to_string()), &assign.right);
    }
    Arg::new(None, expr)
}

/// The names in a format string, each once, as expressions.
fn captured(format: &Format, at: SpanRange) -> Vec<(String, syn::Expr)> {
    let mut names: Vec<(String, syn::Expr)> = Vec::new();
    let mut note = |which: &ArgumentRef| {
        if let ArgumentRef::Name(name) = which
            && !names.iter().any(|(known, _)| known == name)
            && let Ok(mut ident) = syn::parse_str::<syn::Ident>(name)
        {
            ident.set_span(at.first);
            names.push((name.clone(), syn::parse_quote!(#ident)));
        }
    };
    for value in format.values() {
        for count in [&value.width, &value.precision] {
            if let Count::Value(which) = count {
                note(which);
            }
        }
        note(&value.arg);
    }
    names
}

/// Lets every placeholder name its argument by number. Of `args`, the first `explicit` are written behind
/// the format string.
fn resolve(format: &mut Format, args: &mut [Arg<'_>], explicit: usize) -> Result<(), String> {
    let mut next = 0;
    let mut number = |which: &ArgumentRef, args: &[Arg<'_>]| {
        let index = match which {
            ArgumentRef::Next => {
                next += 1;
                next - 1
            }
            ArgumentRef::Index(index) => *index,
            ArgumentRef::Name(name) => {
                let named = args.iter().position(|arg| arg.name.as_ref() == Some(name));
                return named.ok_or_else(|| format!("there is no argument `{name}`"));
            }
        };
        let found = (index < explicit).then_some(index);
        found.ok_or_else(|| {
            format!("there are {explicit} arguments, and this asks for number {index}")
        })
    };
    for value in format.values_mut() {
        for count in [&mut value.width, &mut value.precision] {
            let which = match count {
                Count::Unset | Count::Number(_) => continue,
                Count::Star => ArgumentRef::Next,
                Count::Value(which) => which.clone(),
            };
            let index = number(&which, args)?;
            args[index].counts = true;
            *count = Count::Value(ArgumentRef::Index(index));
        }
        let index = number(&value.arg, args)?;
        args[index].styles.push(value.style);
        value.arg = ArgumentRef::Index(index);
    }
    Ok(())
}

/// Puts a string where argument `index` is printed; false if its width is computed.
fn insert(format: &mut Format, index: usize, text: &str) -> bool {
    for piece in &mut format.pieces {
        if let Piece::Value(value) = piece
            && value.arg == ArgumentRef::Index(index)
        {
            let Some(text) = value.render_text(text) else { return false };
            *piece = Piece::Text(text);
        }
    }
    true
}
