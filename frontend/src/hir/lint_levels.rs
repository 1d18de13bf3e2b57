//! Lint levels of functions and statements: `#[allow(gpu_..)]` and its kin.
use crate::{attr::lint_attr::split_lint_attribute, hir::LintLevels};
use syn::{Attribute, Expr, Stmt};

/// Returns the levels that these attributes give to GPU lints, in order. `attr::strip` reports
/// malformed attributes.
pub(crate) fn read_levels<'a>(attrs: impl IntoIterator<Item = &'a Attribute>) -> LintLevels {
    let read = |attr| split_lint_attribute(attr).map_or_else(|_| Vec::new(), |read| read.levels);
    attrs.into_iter().flat_map(read).collect()
}

/// Returns the attributes of a statement. Those of an expression statement are attached to its
/// leftmost subexpression.
pub(crate) fn stmt_attrs(stmt: &Stmt) -> Vec<&Attribute> {
    match stmt {
        Stmt::Local(local) => local.attrs.iter().collect(),
        Stmt::Item(_) => Vec::new(),
        Stmt::Expr(expr, _) => expr_attrs(expr),
        Stmt::Macro(mac) => mac.attrs.iter().collect(),
    }
}

fn expr_attrs(mut expr: &Expr) -> Vec<&Attribute> {
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
