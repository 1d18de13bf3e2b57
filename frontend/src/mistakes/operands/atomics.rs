//! Operators on atomics, which have methods instead.
use crate::{
    mistakes::{
        Mistake, Place,
        operands::{Operands, known_type::KnownType, method_receiver},
    },
    resolve::source_map,
    syntax::{span::SpanRange, spell::print_tokens},
};
use quote::ToTokens;
use syn::{
    BinOp, Expr, ExprAssign, ExprBinary, ExprMethodCall, ExprPath, parse_quote, visit::Visit as _,
};

impl Operands {
    /// Adds an operand that is an atomic, whose value has to be loaded.
    pub(super) fn check_load(&mut self, operand: &Expr, known: Option<&KnownType>) {
        let Some(atomic) = known.and_then(KnownType::atomic) else { return };
        let place = method_receiver(operand);
        let help = format!("load its value: `{place}.load(Ordering::Relaxed)`");
        self.add_mistake(SpanRange::expr(operand), &format!("`{place}` is an `{atomic}`"), &help);
    }

    /// Adds an assignment to an atomic.
    pub(super) fn check_store(&mut self, assign: &ExprAssign, atomic: &str) {
        let place = method_receiver(&assign.left);
        // `a[i] = a[i] + v`
        let is_same = |expr: &Expr| {
            print_tokens(expr.to_token_stream()) == print_tokens(assign.left.to_token_stream())
        };
        let help = match &*assign.right {
            Expr::Binary(value) if is_same(&value.left) => {
                self.visit_expr(&value.right);
                update_help(&assign.left, &value.op, &value.right, atomic)
            }
            value => {
                self.infer_value(value, None);
                let value = print_tokens(value.to_token_stream());
                format!("write `{place}.store({value}, Ordering::Relaxed)`")
            }
        };
        let at = SpanRange::expr(&assign.left).to(SpanRange::expr(&assign.right));
        let fact = format!("`{place}` is an `{atomic}`, which cannot be assigned");
        self.add_mistake(at, &fact, &help);
    }

    /// Adds a method of one atomic that is called on several.
    pub(super) fn check_method_of_all(&mut self, call: &ExprMethodCall, atomic: &str) {
        let (all, method) = (method_receiver(&call.receiver), &call.method);
        let args = print_tokens(call.args.to_token_stream());
        let at = SpanRange::expr(&call.receiver);
        let fact = format!("`{all}` has several `{atomic}`s, and `{method}` is a method of one");
        self.add_mistake(at, &fact, &format!("name it: `{all}[0].{method}({args})`"));
    }

    /// Adds an update of an atomic.
    pub(super) fn add_update(&mut self, binary: &ExprBinary, atomic: &str) {
        let place = method_receiver(&binary.left);
        let op = print_tokens(binary.op.to_token_stream());
        let help = update_help(&binary.left, &binary.op, &binary.right, atomic);
        let at = SpanRange::expr(&binary.left).to(SpanRange::expr(&binary.right));
        let fact = format!("`{place}` is an `{atomic}`, which has no `{op}`");
        self.add_mistake(at, &fact, &help);
    }

    /// Adds a method that other libraries give their atomics, `a[i].add(v)`.
    pub(super) fn check_method(&mut self, call: &ExprMethodCall, atomic: &str) {
        let method = call.method.to_string();
        if method_of_atomics(&method).is_none_or(|(own, _)| own == method)
            || source_map::mentions_name(&call.method)
        {
            return;
        }
        let is_float = atomic.starts_with("AtomicF");
        let Some(code) = call_of_atomic(&call.receiver, &method, &call.args, is_float) else {
            return;
        };
        let at =
            SpanRange::expr(&call.receiver).to(SpanRange::token(call.paren_token.span.close()));
        let fact = format!("kernel code cannot call `{method}` of an `{atomic}`");
        self.add_mistake(at, &fact, &format!("write `{code}`"));
    }

    pub(super) fn add_mistake(&mut self, at: SpanRange, fact: &str, help: &str) {
        self.others.push(Mistake {
            at,
            text: format!("{fact}\n= help: {help}"),
            place: Place::Code,
        });
    }
}

/// Returns the call of the atomic in `place` that stands for one of another library's `operation`:
/// `a[i].fetch_add(1, Ordering::Relaxed)` for `inc`. `None` if there is none.
pub(in crate::mistakes) fn call_of_atomic<'a>(
    place: &Expr,
    operation: &str,
    args: impl IntoIterator<Item = &'a Expr>,
    is_float: bool,
) -> Option<String> {
    let (method, expected) = method_of_atomics(operation)?;
    let mut given: Vec<&Expr> = args.into_iter().filter(|arg| !is_ordering(arg)).collect();
    let has_method =
        !is_float || !matches!(method, "fetch_and" | "fetch_or" | "fetch_xor" | "compare_exchange");
    if given.len() != expected || !has_method {
        return None;
    }
    let one: Expr = if is_float { parse_quote!(1.0) } else { parse_quote!(1) };
    if given.is_empty() && method.starts_with("fetch_") {
        given.push(&one);
    }
    let (method, sign) = match method {
        "fetch_sub" if is_float => ("fetch_add", "-"),
        _ => (method, ""),
    };
    let value = |value: &&Expr| match sign {
        "" => print_tokens(value.to_token_stream()),
        sign => format!("{sign}{}", operand_text(value)),
    };
    let mut values: Vec<String> = given.iter().map(value).collect();
    let orderings = if method == "compare_exchange" { 2 } else { 1 };
    values.extend((0..orderings).map(|_| "Ordering::Relaxed".to_owned()));
    Some(format!("{}.{method}({})", method_receiver(place), values.join(", ")))
}

/// Returns the method of atomics for a name that other libraries have for it, and the number of
/// values that they take.
fn method_of_atomics(name: &str) -> Option<(&'static str, usize)> {
    Some(match name {
        "add" | "fetch_add" => ("fetch_add", 1),
        "inc" | "increment" => ("fetch_add", 0),
        "sub" | "fetch_sub" => ("fetch_sub", 1),
        "dec" | "decrement" => ("fetch_sub", 0),
        "max" | "fetch_max" => ("fetch_max", 1),
        "min" | "fetch_min" => ("fetch_min", 1),
        "and" | "fetch_and" => ("fetch_and", 1),
        "or" | "fetch_or" => ("fetch_or", 1),
        "xor" | "fetch_xor" => ("fetch_xor", 1),
        "exchange" | "exch" | "swap" => ("swap", 1),
        "cas" | "compare_and_swap" | "compare_exchange" => ("compare_exchange", 2),
        "load" => ("load", 0),
        "store" => ("store", 1),
        _ => return None,
    })
}

/// Returns true for an argument such as `Ordering::Relaxed`, `SeqCst` or `memory_order_relaxed`.
fn is_ordering(arg: &Expr) -> bool {
    let Expr::Path(ExprPath { path, .. }) = arg else { return false };
    path.segments.last().is_some_and(|last| {
        let name = last.ident.to_string();
        name.starts_with("memory_order")
            || ["Relaxed", "Acquire", "Release", "AcqRel", "SeqCst"].contains(&name.as_str())
    })
}

/// Returns the code of an operand, in parentheses if an operator could take a part of it.
fn operand_text(value: &Expr) -> String {
    let is_operand =
        matches!(value, Expr::Path(_) | Expr::Lit(_) | Expr::Index(_) | Expr::Paren(_));
    let shown = print_tokens(value.to_token_stream());
    if is_operand { shown } else { format!("({shown})") }
}

/// Returns true for a method that atomics have and slices lack.
pub(super) fn is_atomic_method(name: &str) -> bool {
    ["compare_exchange", "fetch_", "load", "store"].iter().any(|start| name.starts_with(start))
}

/// Returns the help for an update of the atomic in `place` by an operator.
fn update_help(place: &Expr, op: &BinOp, value: &Expr, atomic: &str) -> String {
    let is_float = atomic.starts_with("AtomicF");
    let operation = match op {
        BinOp::Add(_) | BinOp::AddAssign(_) => "add",
        BinOp::Sub(_) | BinOp::SubAssign(_) => "sub",
        BinOp::BitAnd(_) | BinOp::BitAndAssign(_) => "and",
        BinOp::BitOr(_) | BinOp::BitOrAssign(_) => "or",
        BinOp::BitXor(_) | BinOp::BitXorAssign(_) => "xor",
        _ => "",
    };
    if let Some(code) = call_of_atomic(place, operation, [value], is_float) {
        return format!("write `{code}`");
    }
    if is_float {
        return format!("an `{atomic}` has `fetch_add`, `fetch_min` and `fetch_max`");
    }
    let (place, operand) = (method_receiver(place), operand_text(value));
    let op = print_tokens(op.to_token_stream());
    let op = op.trim_end_matches('=');
    format!(
        "write `{place}.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(old {op} {operand}))`"
    )
}
