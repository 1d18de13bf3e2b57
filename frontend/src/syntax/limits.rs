//! Limits on a function's syntax, checked before any other traversal: nesting depth, so that
//! recursive traversals cannot overflow the stack, and the absence of unevaluated `cfg`. Brackets
//! are counted earlier, on the tokens, by [`Tokens::read`](crate::syntax::tokens::Tokens::read).
use crate::syntax::{error::Errors, span::SpanRange};
use std::{fmt, mem::take};
use syn::{
    Attribute, BinOp, Block, Expr, ExprIf, Fields, Item, Meta, Pat, Signature, Type,
    visit::{self, Visit},
};

/// Maximum nesting depth of expressions, patterns and types.
pub(crate) const MAX_DEPTH: usize = 192;

/// Maximum number of operators, or `else if`s, in a chain. Recursion over a chain uses little
/// stack.
const MAX_LINKS: usize = 2000;

/// Reports violations of the limits; returns true if it is safe to traverse the function.
pub(crate) fn check(sig: &Signature, block: &Block, errors: &mut Errors) -> bool {
    let mut limits =
        Limits { errors, depth: 0, too_deep: false, found_cfg: false, allows_cfg: false };
    // Not the function's own attributes: rustc has evaluated a `#[cfg]` on the whole function.
    limits.visit_signature(sig);
    limits.visit_block(block);
    !limits.too_deep && !limits.found_cfg
}

/// Returns the error of an item that nests too deep to be cloned, which takes more stack than a
/// traversal.
pub(crate) fn reject_deep_item(item: &Item) -> Option<syn::Error> {
    let mut errors = Errors::default();
    let mut limits = Limits {
        errors: &mut errors,
        depth: 0,
        too_deep: false,
        found_cfg: false,
        allows_cfg: true,
    };
    limits.visit_item(item);
    let is_too_deep = limits.too_deep;
    errors.finish((!is_too_deep).then_some(())).err().map(|rejected| rejected.errors)
}

/// Returns an error for each `#[cfg]` on a part of a device item: a field, a variant, or an
/// associated item. rustc evaluates them after the macro has read the item.
pub(crate) fn reject_cfg_of_parts(item: &Item) -> Option<syn::Error> {
    let kind = match item {
        Item::Struct(_) => "struct",
        Item::Enum(_) => "enum",
        Item::Impl(_) => "impl",
        Item::Trait(_) => "trait",
        _ => return None,
    };
    let mut parts = CfgsOfParts { kind, errors: None };
    match item {
        Item::Struct(item) => parts.visit_fields(&item.fields),
        Item::Enum(item) => item.variants.iter().for_each(|variant| parts.visit_variant(variant)),
        Item::Impl(item) => item.items.iter().for_each(|part| parts.visit_impl_item(part)),
        Item::Trait(item) => item.items.iter().for_each(|part| parts.visit_trait_item(part)),
        _ => {}
    }
    parts.errors
}

/// Returns a struct or an enum without the fields and variants that have a `#[cfg]`.
pub(crate) fn without_parts_under_cfg(mut item: Item) -> Item {
    let is_kept = |attributes: &[Attribute]| !attributes.iter().any(|it| it.path().is_ident("cfg"));
    let keep_fields = |fields: &mut Fields| {
        let fields = match fields {
            Fields::Named(fields) => &mut fields.named,
            Fields::Unnamed(fields) => &mut fields.unnamed,
            Fields::Unit => return,
        };
        *fields = take(fields).into_iter().filter(|field| is_kept(&field.attrs)).collect();
    };
    match &mut item {
        Item::Struct(item) => keep_fields(&mut item.fields),
        Item::Enum(item) => {
            let variants = take(&mut item.variants).into_iter();
            item.variants = variants.filter(|variant| is_kept(&variant.attrs)).collect();
            item.variants.iter_mut().for_each(|variant| keep_fields(&mut variant.fields));
        }
        _ => {}
    }
    item
}

/// The errors of [`reject_cfg_of_parts`].
struct CfgsOfParts {
    /// The keyword of the item.
    kind: &'static str,
    errors: Option<syn::Error>,
}

impl<'ast> Visit<'ast> for CfgsOfParts {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let path = attribute.path();
        // An attribute that changes nothing for kernel code, such as one of serde, is allowed.
        let has_cfg =
            || match &attribute.meta {
                Meta::List(list) => list.tokens.clone().into_iter().any(
                    |token| matches!(token, proc_macro2::TokenTree::Ident(name) if name == "cfg"),
                ),
                Meta::Path(_) | Meta::NameValue(_) => false,
            };
        if !(path.is_ident("cfg") || path.is_ident("cfg_attr") && has_cfg()) {
            return;
        }
        let kind = self.kind;
        let text = format!(
            "{CFG_IS_UNEVALUATED}\n= help: put `#[cfg]` on the whole `{kind}`, once for each case"
        );
        let error = SpanRange::path(path).error(text);
        match &mut self.errors {
            Some(errors) => errors.combine(error),
            None => self.errors = Some(error),
        }
    }

    // Lowering reports those in code, where a kernel uses it.
    fn visit_block(&mut self, _: &'ast Block) {}
}

/// The fact about a `#[cfg]` in kernel code.
const CFG_IS_UNEVALUATED: &str =
    "kernel code cannot use `#[cfg]`: the compiler of kernels sees it unevaluated";

struct Limits<'a> {
    errors: &'a mut Errors,
    depth: usize,
    too_deep: bool,
    found_cfg: bool,
    allows_cfg: bool,
}

impl Limits<'_> {
    fn visit_nested(&mut self, at: impl Fn() -> SpanRange, visit: impl FnOnce(&mut Self)) {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            visit(self);
            self.depth -= 1;
        } else {
            self.report_too_deep(at(), format_args!("nest deeper than {MAX_DEPTH} levels"));
        }
    }

    fn report_too_deep(&mut self, at: SpanRange, what: fmt::Arguments<'_>) {
        // Once per function: enclosing expressions nest too deep as well.
        if !std::mem::replace(&mut self.too_deep, true) {
            let fact = format_args!("kernel code cannot {what}");
            self.errors.advise(at, fact, "bind parts of it with `let`");
        }
    }
}

/// A chain of operators or `else if`s: syntactically nested, but traversed without recursion.
pub(crate) struct Chain<'e> {
    /// Every `if` with an `else if`.
    pub(crate) arms: Vec<&'e ExprIf>,
    /// The right operands, last to first.
    pub(crate) operands: Vec<&'e Expr>,
    /// The innermost expression.
    pub(crate) rest: &'e Expr,
}

impl<'e> Chain<'e> {
    /// Splits an expression into its chain; most have no links.
    pub(crate) fn split(expr: &'e Expr) -> Self {
        let mut chain = Self { arms: Vec::new(), operands: Vec::new(), rest: expr };
        loop {
            match chain.rest {
                // Operands of `&&` nest in the IR.
                Expr::Binary(of) if !matches!(of.op, BinOp::And(_)) => match &*of.left {
                    left @ Expr::Binary(_) => {
                        chain.operands.push(&of.right);
                        chain.rest = left;
                    }
                    _ => return chain,
                },
                Expr::If(of) => match &of.else_branch {
                    Some((_, other)) if matches!(**other, Expr::If(_)) => {
                        chain.arms.push(of);
                        chain.rest = other;
                    }
                    _ => return chain,
                },
                _ => return chain,
            }
        }
    }
}

impl<'ast> Visit<'ast> for Limits<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        let chain = Chain::split(expr);
        if chain.arms.len() + chain.operands.len() > MAX_LINKS {
            let what = format_args!("chain more than {MAX_LINKS} operators or `else if`s");
            self.report_too_deep(outermost_token(expr), what);
            return;
        }
        for arm in chain.arms {
            let at = || SpanRange::token(arm.if_token.span);
            self.visit_nested(at, |this| {
                this.visit_expr(&arm.cond);
                this.visit_block(&arm.then_branch);
            });
        }
        chain.operands.into_iter().for_each(|operand| self.visit_expr(operand));
        let expr = chain.rest;
        // The span of the outermost token: finding the ends would recurse.
        self.visit_nested(|| outermost_token(expr), |this| visit::visit_expr(this, expr));
    }

    fn visit_pat(&mut self, pat: &'ast Pat) {
        self.visit_nested(call_site, |this| visit::visit_pat(this, pat));
    }

    fn visit_type(&mut self, ty: &'ast Type) {
        self.visit_nested(call_site, |this| visit::visit_type(this, ty));
    }

    fn visit_block(&mut self, block: &'ast Block) {
        let at = || SpanRange::token(block.brace_token.span.open());
        self.visit_nested(at, |this| visit::visit_block(this, block));
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let path = attribute.path();
        if !self.allows_cfg && (path.is_ident("cfg") || path.is_ident("cfg_attr")) {
            self.found_cfg = true;
            self.errors.advise(
                SpanRange::path(path),
                CFG_IS_UNEVALUATED,
                "put `#[cfg]` on the whole function, once for each case",
            );
        }
    }
}

fn call_site() -> SpanRange {
    SpanRange::token(proc_macro2::Span::call_site())
}

/// Returns the span of some token of `expr`, without recursion.
fn outermost_token(expr: &Expr) -> SpanRange {
    SpanRange::token(match expr {
        Expr::Binary(e) => syn::spanned::Spanned::span(&e.op),
        Expr::Assign(e) => e.eq_token.span,
        Expr::Paren(e) => e.paren_token.span.open(),
        Expr::Unary(e) => syn::spanned::Spanned::span(&e.op),
        Expr::Block(e) => e.block.brace_token.span.open(),
        Expr::If(e) => e.if_token.span,
        Expr::Index(e) => e.bracket_token.span.open(),
        Expr::Call(e) => e.paren_token.span.open(),
        Expr::MethodCall(e) => e.dot_token.span,
        Expr::Cast(e) => e.as_token.span,
        Expr::Lit(e) => e.lit.span(),
        Expr::Reference(e) => e.and_token.span,
        Expr::Path(_) => return SpanRange::expr(expr),
        _ => return call_site(),
    })
}
