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
use syn::{BinOp, Expr, ExprAssign, ExprBinary, ExprMethodCall, visit::Visit as _};

impl Operands {
    /// Adds an operand that is an atomic, whose value has to be loaded.
    pub(super) fn check_load(&mut self, operand: &Expr, known: Option<&KnownType>) {
        let Some(atomic) = known.and_then(KnownType::atomic) else { return };
        let place = method_receiver(operand);
        let help = format!("load its value: `{place}.load(Ordering::Relaxed)`");
        self.add_atomic(SpanRange::expr(operand), &format!("`{place}` is an `{atomic}`"), &help);
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
                update_help(&place, &value.op, &value.right, atomic)
            }
            value => {
                self.infer_value(value, None);
                let value = print_tokens(value.to_token_stream());
                format!("write `{place}.store({value}, Ordering::Relaxed)`")
            }
        };
        let at = SpanRange::expr(&assign.left).to(SpanRange::expr(&assign.right));
        let fact = format!("`{place}` is an `{atomic}`, which cannot be assigned");
        self.add_atomic(at, &fact, &help);
    }

    /// Adds a method of one atomic that is called on several.
    pub(super) fn check_method_of_all(&mut self, call: &ExprMethodCall, atomic: &str) {
        let (all, method) = (method_receiver(&call.receiver), &call.method);
        let args = print_tokens(call.args.to_token_stream());
        let at = SpanRange::expr(&call.receiver);
        let fact = format!("`{all}` has several `{atomic}`s, and `{method}` is a method of one");
        self.add_atomic(at, &fact, &format!("name it: `{all}[0].{method}({args})`"));
    }

    /// Adds an update of an atomic.
    pub(super) fn add_update(&mut self, binary: &ExprBinary, atomic: &str) {
        let place = method_receiver(&binary.left);
        let op = print_tokens(binary.op.to_token_stream());
        let help = update_help(&place, &binary.op, &binary.right, atomic);
        let at = SpanRange::expr(&binary.left).to(SpanRange::expr(&binary.right));
        let fact = format!("`{place}` is an `{atomic}`, which has no `{op}`");
        self.add_atomic(at, &fact, &help);
    }

    /// Adds a method that other libraries give their atomics, `a[i].add(v)`.
    pub(super) fn check_method(&mut self, call: &ExprMethodCall, atomic: &str) {
        let method = call.method.to_string();
        let Some(own) = method_of_atomics(&method) else { return };
        if own == method || source_map::mentions_name(&call.method) {
            return;
        }
        let place = method_receiver(&call.receiver);
        let mut args: Vec<String> =
            call.args.iter().map(|arg| print_tokens(arg.to_token_stream())).collect();
        args.retain(|arg| !arg.contains("Ordering"));
        let own = match (own, atomic.starts_with("AtomicF")) {
            ("fetch_sub", true) => {
                args.iter_mut().for_each(|arg| *arg = format!("-({arg})"));
                "fetch_add"
            }
            ("fetch_and" | "fetch_or" | "fetch_xor", true) => return,
            (own, _) => own,
        };
        let orderings = if own == "compare_exchange" { 2 } else { 1 };
        args.extend((0..orderings).map(|_| "Ordering::Relaxed".to_owned()));
        let at =
            SpanRange::expr(&call.receiver).to(SpanRange::token(call.paren_token.span.close()));
        let fact = format!("kernel code cannot call `{method}` of an `{atomic}`");
        self.add_atomic(at, &fact, &format!("write `{place}.{own}({})`", args.join(", ")));
    }

    pub(super) fn add_atomic(&mut self, at: SpanRange, fact: &str, help: &str) {
        self.atomics.push(Mistake {
            at,
            text: format!("{fact}\n= help: {help}"),
            place: Place::Code,
        });
    }
}

/// Returns the method of atomics for a name that other libraries have for it.
pub(in crate::mistakes) fn method_of_atomics(name: &str) -> Option<&'static str> {
    Some(match name {
        "add" | "fetch_add" | "inc" | "increment" => "fetch_add",
        "sub" | "fetch_sub" | "dec" => "fetch_sub",
        "max" | "fetch_max" => "fetch_max",
        "min" | "fetch_min" => "fetch_min",
        "and" | "fetch_and" => "fetch_and",
        "or" | "fetch_or" => "fetch_or",
        "xor" | "fetch_xor" => "fetch_xor",
        "exchange" | "exch" | "swap" => "swap",
        "cas" | "compare_and_swap" | "compare_exchange" => "compare_exchange",
        "load" => "load",
        "store" => "store",
        _ => return None,
    })
}

/// Returns true for a method that atomics have and slices lack.
pub(super) fn is_atomic_method(name: &str) -> bool {
    ["compare_exchange", "fetch_", "load", "store"].iter().any(|start| name.starts_with(start))
}

/// Returns the help for an update of the atomic `place` by an operator.
fn update_help(place: &str, op: &BinOp, value: &Expr, atomic: &str) -> String {
    let is_operand =
        matches!(value, Expr::Path(_) | Expr::Lit(_) | Expr::Index(_) | Expr::Paren(_));
    let value = print_tokens(value.to_token_stream());
    let operand = if is_operand { value.clone() } else { format!("({value})") };
    let is_float = atomic.starts_with("AtomicF");
    let (method, value) = match op {
        BinOp::Add(_) | BinOp::AddAssign(_) => ("fetch_add", value),
        BinOp::Sub(_) | BinOp::SubAssign(_) if is_float => ("fetch_add", format!("-{operand}")),
        BinOp::Sub(_) | BinOp::SubAssign(_) => ("fetch_sub", value),
        BinOp::BitAnd(_) | BinOp::BitAndAssign(_) => ("fetch_and", value),
        BinOp::BitOr(_) | BinOp::BitOrAssign(_) => ("fetch_or", value),
        BinOp::BitXor(_) | BinOp::BitXorAssign(_) => ("fetch_xor", value),
        _ if is_float => {
            return format!("an `{atomic}` has `fetch_add`, `fetch_min` and `fetch_max`");
        }
        other => {
            let op = print_tokens(other.to_token_stream());
            let op = op.trim_end_matches('=');
            return format!(
                "write `{place}.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(old {op} {operand}))`"
            );
        }
    };
    format!("write `{place}.{method}({value}, Ordering::Relaxed)`")
}
