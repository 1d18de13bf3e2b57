//! Lint levels: `#[allow(gpu_..)]` and its kin, on functions and statements.
use super::{error::Errors, span::SpanRange, tree::LintLevels};
use syn::{Attribute, Expr, Path, Stmt, Token, punctuated::Punctuated};
use warpwise_compiler::diag::Level;

/// The levels that these attributes give to our lints, in order. `expect` silences as `allow` does.
pub(crate) fn levels<'a>(
    attrs: impl IntoIterator<Item = &'a Attribute>,
    errors: &mut Errors,
) -> LintLevels {
    let mut levels = Vec::new();
    for attr in attrs {
        let Some(level) = level(attr) else { continue };
        let parsed = attr.parse_args_with(Punctuated::<syn::Meta, Token![,]>::parse_terminated);
        let Ok(metas) = parsed else { continue };
        for meta in metas {
            let syn::Meta::Path(path) = meta else { continue };
            lint(&path, level, &mut levels, errors);
        }
    }
    levels
}

fn level(attr: &Attribute) -> Option<Level> {
    let levels = [
        ("allow", Level::Allow),
        ("expect", Level::Allow),
        ("warn", Level::Warn),
        ("deny", Level::Deny),
        ("forbid", Level::Deny),
    ];
    let is = |(name, _): &&(&str, Level)| attr.path().is_ident(name);
    levels.iter().find(is).map(|(_, level)| *level)
}

fn lint(path: &Path, level: Level, levels: &mut LintLevels, errors: &mut Errors) {
    if let Some(ident) = path.get_ident() {
        let name = ident.to_string();
        if name.starts_with("gpu_") {
            levels.push((name, level));
        }
    } else if path.segments.first().is_some_and(|segment| segment.ident == "gpu") {
        let last = path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
        errors.advise(
            SpanRange::path(path),
            "lints of kernels have plain names",
            format_args!("write `gpu_{last}`"),
        );
    }
}

/// The attributes of a statement. On an expression statement they end up at its left edge.
pub(crate) fn of_stmt(stmt: &Stmt) -> Vec<&Attribute> {
    match stmt {
        Stmt::Local(local) => local.attrs.iter().collect(),
        Stmt::Item(_) => Vec::new(),
        Stmt::Expr(expr, _) => of_expr(expr),
        Stmt::Macro(mac) => mac.attrs.iter().collect(),
    }
}

fn of_expr(mut expr: &Expr) -> Vec<&Attribute> {
    let mut all = Vec::new();
    loop {
        let (attrs, left): (&[Attribute], Option<&Expr>) = match expr {
            Expr::Assign(e) => (&e.attrs, Some(&e.left)),
            Expr::Binary(e) => (&e.attrs, Some(&e.left)),
            Expr::Block(e) => (&e.attrs, None),
            Expr::Break(e) => (&e.attrs, None),
            Expr::Call(e) => (&e.attrs, Some(&e.func)),
            Expr::Cast(e) => (&e.attrs, Some(&e.expr)),
            Expr::Continue(e) => (&e.attrs, None),
            Expr::Field(e) => (&e.attrs, Some(&e.base)),
            Expr::ForLoop(e) => (&e.attrs, None),
            Expr::Group(e) => (&e.attrs, Some(&e.expr)),
            Expr::If(e) => (&e.attrs, None),
            Expr::Index(e) => (&e.attrs, Some(&e.expr)),
            Expr::Lit(e) => (&e.attrs, None),
            Expr::Loop(e) => (&e.attrs, None),
            Expr::Macro(e) => (&e.attrs, None),
            Expr::MethodCall(e) => (&e.attrs, Some(&e.receiver)),
            Expr::Paren(e) => (&e.attrs, None),
            Expr::Path(e) => (&e.attrs, None),
            Expr::Return(e) => (&e.attrs, None),
            Expr::Unary(e) => (&e.attrs, None),
            Expr::Unsafe(e) => (&e.attrs, None),
            Expr::While(e) => (&e.attrs, None),
            _ => (&[], None),
        };
        all.extend(attrs);
        match left {
            Some(left) => expr = left,
            None => return all,
        }
    }
}
