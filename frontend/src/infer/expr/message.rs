//! Messages: `println!`, `assert!`, `panic!` and their kin.
//!
//! The host copy of a kernel calls rustc's own macros, which check the format string. Errors here
//! cover only formats that kernel code cannot print.
use crate::{
    hir::{
        Block, Expr, ExprKind, MessageExpr, Pattern, PatternKind, Stmt, StmtKind, Var, Variable,
    },
    infer::{Infer, Obligation},
    syntax::{span::SpanRange, spell::print_tokens},
    types::{Prim, Type},
};
use quote::ToTokens as _;
use syn::{Lit, Token, punctuated::Punctuated};
use warpwise_compiler::{
    ir::{CompareOp, UnaryOp},
    message::{ArgumentRef, Count, Format, MAX_VALUES, Piece, Style},
};

/// The format and the arguments of a message.
struct FormattedMessage {
    format: Format,
    args: Vec<Expr>,
}

impl FormattedMessage {
    fn text(text: &str) -> Self {
        let format = Format { pieces: vec![Piece::Text(text.into())] };
        Self { format, args: Vec::new() }
    }
}

/// An argument of a format string.
struct FormatArg<'e> {
    name: Option<String>,
    value: &'e syn::Expr,
    /// The uses of the argument: printing in these styles, and as a width or precision.
    styles: Vec<Style>,
    counts: bool,
}

impl<'e> FormatArg<'e> {
    fn new(name: Option<String>, value: &'e syn::Expr) -> Self {
        Self { name, value, styles: Vec::new(), counts: false }
    }
}

/// Returns true for a macro that prints or panics.
pub(crate) fn is_message_macro(name: &str) -> bool {
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
    /// Infers a macro for which [`is_message_macro`] is true.
    pub(crate) fn infer_message_macro(
        &mut self,
        name: &str,
        mac: &syn::Macro,
        at: SpanRange,
    ) -> Expr {
        if let Some(plain) = name.strip_prefix("debug_") {
            let diverges = self.diverges;
            let check = Box::new(self.infer_message_macro(plain, mac, at));
            self.diverges = diverges;
            let unit = self.types.unit();
            return self.make_expr(ExprKind::DebugOnly(check), unit, at);
        }
        let parsed = mac.parse_body_with(Punctuated::<syn::Expr, Token![,]>::parse_terminated);
        let Ok(given) = parsed else {
            let fact = format!("these are no arguments of `{name}!`");
            let reported = self.errors.mistyped(at, fact);
            return self.make_reported(reported, at);
        };
        let given: Vec<&syn::Expr> = given.iter().collect();
        match (name, given.as_slice()) {
            ("print" | "println", words) => {
                let mut message =
                    self.infer_message(words, at).unwrap_or_else(|| FormattedMessage::text(""));
                if name == "println" {
                    message.format.push("\n");
                }
                self.make_message(message, false, at)
            }
            ("assert", [cond, words @ ..]) => self.infer_assert(cond, words, at),
            ("assert_eq", [left, right, words @ ..]) => {
                self.infer_comparison_assert(CompareOp::Eq, [left, right], words, at)
            }
            ("assert_ne", [left, right, words @ ..]) => {
                self.infer_comparison_assert(CompareOp::Ne, [left, right], words, at)
            }
            ("assert" | "assert_eq" | "assert_ne", _) => {
                let fact = format!("`{name}!` needs more arguments");
                let reported = self.errors.mistyped(at, fact);
                self.make_reported(reported, at)
            }
            (_, words) => {
                let message = self.infer_panic_message(name, words, at);
                self.diverges = true;
                self.make_message(message, true, at)
            }
        }
    }

    fn make_message(
        &mut self,
        FormattedMessage { format, args }: FormattedMessage,
        panics: bool,
        at: SpanRange,
    ) -> Expr {
        if args.len() > MAX_VALUES {
            let fact = format!(
                "a message has at most {MAX_VALUES} values, and this one has {}",
                args.len()
            );
            self.errors.advise(at, fact, "say it in two messages");
        }
        let ty = if panics { self.types.never() } else { self.types.unit() };
        self.make_expr(ExprKind::Message(Box::new(MessageExpr { format, args, panics })), ty, at)
    }

    /// Returns the message of a macro that always panics.
    fn infer_panic_message(
        &mut self,
        name: &str,
        words: &[&syn::Expr],
        at: SpanRange,
    ) -> FormattedMessage {
        let plain = match name {
            "unreachable" => "internal error: entered unreachable code",
            "todo" => "not yet implemented",
            "unimplemented" => "not implemented",
            _ => "",
        };
        match self.infer_message(words, at) {
            Some(message) if plain.is_empty() => message,
            Some(mut message) => {
                message.format.prepend(&format!("{plain}: "));
                message
            }
            None if plain.is_empty() => FormattedMessage::text("explicit panic"),
            None => FormattedMessage::text(plain),
        }
    }

    fn infer_assert(&mut self, cond: &syn::Expr, words: &[&syn::Expr], at: SpanRange) -> Expr {
        let bool = self.prim(Prim::Bool);
        let value = self.infer_expr_coerce(cond, bool);
        let diverges = self.diverges;
        let message = self.infer_message(words, at).unwrap_or_else(|| {
            FormattedMessage::text(&format!(
                "assertion failed: {}",
                print_tokens(cond.to_token_stream())
            ))
        });
        self.diverges = diverges;
        self.make_panic_unless(value, message, at)
    }

    fn make_panic_unless(&mut self, cond: Expr, message: FormattedMessage, at: SpanRange) -> Expr {
        let (bool, unit) = (self.prim(Prim::Bool), self.types.unit());
        let not = ExprKind::Unary { op: UnaryOp::Not, value: Box::new(cond) };
        let cond = Box::new(self.make_expr(not, bool, at));
        let panic = self.make_message(message, true, at);
        let stmts = vec![Stmt { kind: StmtKind::Expr(panic), levels: Vec::new() }];
        let then = Block { stmts, tail: None };
        self.make_expr(ExprKind::If { cond, then, else_branch: None }, unit, at)
    }

    /// Makes `assert_eq!` and `assert_ne!`: both sides are evaluated once, compared, and printed on
    /// failure.
    fn infer_comparison_assert(
        &mut self,
        op: CompareOp,
        [left, right]: [&syn::Expr; 2],
        words: &[&syn::Expr],
        at: SpanRange,
    ) -> Expr {
        let lhs = self.infer_expr(left, None);
        let lhs = self.deref_once(lhs);
        let rhs = self.infer_expr(right, Some(lhs.ty));
        let rhs = self.deref_once(rhs);
        self.unify(self.spans[rhs.at], rhs.ty, lhs.ty);
        self.oblige(at, Obligation::Printed(lhs.ty, Style::Debug));
        let mut stmts = Vec::new();
        let [left, right] = [lhs, rhs].map(|side| self.bind_value(side, &mut stmts));
        let diverges = self.diverges;
        let mut message =
            self.infer_message(words, at).unwrap_or_else(|| FormattedMessage::text(""));
        self.diverges = diverges;
        let relation = if op == CompareOp::Eq { "==" } else { "!=" };
        let colon = if words.is_empty() { "" } else { ": " };
        message.format.prepend(&format!("assertion `left {relation} right` failed{colon}"));
        for (side, var) in [("\n  left: ", left), ("\n right: ", right)] {
            message.format.push(side);
            message.format.push_debug(message.args.len());
            let value = self.make_variable(var, at);
            message.args.push(value);
        }
        let [lhs, rhs] = [left, right].map(|var| self.make_variable(var, at));
        let cond = self.make_comparison(op, lhs, rhs, at);
        let check = self.make_panic_unless(cond, message, at);
        stmts.push(Stmt { kind: StmtKind::Expr(check), levels: Vec::new() });
        let unit = self.types.unit();
        let block = Block { stmts, tail: None };
        self.make_expr(ExprKind::Block { label: None, block }, unit, at)
    }

    /// Binds a value to a new variable without a name.
    pub(crate) fn bind_value(&mut self, value: Expr, stmts: &mut Vec<Stmt>) -> Var {
        let Expr { ty, at, .. } = value;
        let (name, mutable, settable) = (String::new(), false, false);
        let var = self.vars.push(Variable { name, ty, mutable, settable, at });
        let kind = PatternKind::Bind { var, by_ref: false, subpattern: None };
        let pattern = Pattern { kind, ty, at };
        let kind = StmtKind::Let { pattern, init: Some(value), else_block: None };
        stmts.push(Stmt { kind, levels: Vec::new() });
        var
    }

    pub(crate) fn make_variable(&mut self, var: Var, at: SpanRange) -> Expr {
        let ty = self.vars[var].ty;
        self.make_expr(ExprKind::Var(var), ty, at)
    }

    /// Infers a format string and its arguments; `None` if there are none.
    fn infer_message(&mut self, words: &[&syn::Expr], at: SpanRange) -> Option<FormattedMessage> {
        let [first, rest @ ..] = words else { return None };
        let Some((text, range)) = string_literal(first) else {
            let fact = "the format of a message is written as a string literal in kernel code";
            let (at, help) = (SpanRange::expr(first), "write for example `\"x is {x}\"`");
            match first {
                // rustc accepts `concat!(..)`, and nothing else of std.
                syn::Expr::Macro(call) if !call.mac.path.is_ident("format") => {
                    self.errors.advise(at, fact, help)
                }
                _ => self.errors.advise_unless_rustc(at, fact, help),
            };
            return Some(FormattedMessage::text(""));
        };
        let mut format: Format = match text.parse() {
            Ok(format) => format,
            Err(error) => {
                self.errors.mistyped(range, error);
                return Some(FormattedMessage::text(""));
            }
        };
        let captured = captured_names(&format, range);
        let mut args: Vec<FormatArg<'_>> = rest.iter().map(|arg| parse_argument(arg)).collect();
        let explicit = args.len();
        let names: Vec<&syn::Expr> = captured
            .iter()
            .filter(|(name, _)| !args.iter().any(|arg| arg.name.as_ref() == Some(name)))
            .map(|(_, expr)| expr)
            .collect();
        args.extend(
            names
                .into_iter()
                .map(|expr| FormatArg::new(Some(print_tokens(expr.to_token_stream())), expr)),
        );
        if let Err(fact) = resolve_arguments(&mut format, &mut args, explicit) {
            self.errors.mistyped(range, fact);
            return Some(FormattedMessage::text(""));
        }
        if let Some(unused) = args.iter().find(|arg| arg.styles.is_empty() && !arg.counts) {
            self.errors.mistyped(SpanRange::expr(unused.value), "this argument is never used");
        }
        let mut values = Vec::new();
        let mut numbers = Vec::with_capacity(args.len());
        for (index, arg) in args.iter().enumerate() {
            numbers.push(values.len());
            match string_literal(arg.value) {
                Some((text, _)) if !arg.counts => {
                    if !inline_string(&mut format, index, &text) {
                        let fact = "a string in a message of kernel code has no computed width";
                        self.errors.advise(at, fact, "write the width as a number");
                    }
                }
                _ if index >= explicit
                    && !self.is_capturable(arg.name.as_deref().unwrap_or_default()) =>
                {
                    let name = print_tokens(arg.value.to_token_stream());
                    let fact = format!("kernel code captures only variables, and `{name}` is none");
                    let help = format!("pass it after the format string: `\"{{}}\", {name}`");
                    self.errors.advise(range, fact, help);
                }
                _ => values.push(self.infer_format_arg(arg)),
            }
        }
        // Inlined strings are no arguments any more, so the others move up.
        let new = |index: usize| numbers.get(index).copied().unwrap_or(index);
        format.values_mut().for_each(|value| value.renumber(new));
        Some(FormattedMessage { format, args: values })
    }

    /// Returns true for the name of a variable or constant parameter in scope.
    fn is_capturable(&self, name: &str) -> bool {
        let ident = syn::Ident::new(name.trim_start_matches("r#"), proc_macro2::Span::call_site());
        self.scope.find(&ident).is_some()
            || self.names.generics.iter().any(|generic| generic.name == name)
    }

    fn infer_format_arg(&mut self, arg: &FormatArg<'_>) -> Expr {
        let value = if arg.counts {
            let usize = self.prim(Prim::Usize);
            let value = self.infer_expr(arg.value, Some(usize));
            let value = self.deref_once(value);
            self.coerce(value, usize)
        } else {
            let value = self.infer_expr(arg.value, None);
            self.deref_once(value)
        };
        let at = self.spans[value.at];
        for style in &arg.styles {
            self.oblige(at, Obligation::Printed(value.ty, *style));
        }
        // `println!` borrows its arguments and needs a single type for each.
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

/// Returns the string of a string literal.
fn string_literal(expr: &syn::Expr) -> Option<(String, SpanRange)> {
    match expr {
        syn::Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => {
            Some((text.value(), SpanRange::token(text.span())))
        }
        syn::Expr::Group(group) => string_literal(&group.expr),
        _ => None,
    }
}

/// Reads an argument: `x + 1`, or `name = x + 1`.
fn parse_argument(expr: &syn::Expr) -> FormatArg<'_> {
    if let syn::Expr::Assign(assign) = expr
        && let syn::Expr::Path(path) = &*assign.left
        && let Some(name) = path.path.get_ident()
    {
        return FormatArg::new(Some(name.to_string()), &assign.right);
    }
    FormatArg::new(None, expr)
}

/// Returns the distinct names in a format string, as expressions.
fn captured_names(format: &Format, at: SpanRange) -> Vec<(String, syn::Expr)> {
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

/// Replaces the argument of every placeholder by its number. The first `explicit` arguments follow
/// the format string; the others are captured.
fn resolve_arguments(
    format: &mut Format,
    args: &mut [FormatArg<'_>],
    explicit: usize,
) -> Result<(), String> {
    let mut next = 0;
    let mut number = |which: &ArgumentRef, args: &[FormatArg<'_>]| {
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

/// Inlines a string into the placeholders of argument `index`; returns false if its width is
/// computed.
fn inline_string(format: &mut Format, index: usize, text: &str) -> bool {
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
