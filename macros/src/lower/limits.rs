//! What is checked of a function before anything walks it: how deep it nests, so that nothing
//! that recurses can overflow the stack; and that nothing in it waits for `cfg`. Brackets are counted before there is a
//! function, by [`Tokens::of`](crate::tokens::Tokens::of).
use super::{error::Errors, span::SpanRange};
use syn::{
    Attribute, Block, Expr, Pat, Signature, Type,
    visit::{self, Visit},
};

/// How deep expressions, patterns and types may nest in each other.
pub(crate) const MAX_DEPTH: usize = 192;

/// Reports what is wrong; true if the function may be walked.
pub(crate) fn check(sig: &Signature, block: &Block, errors: &mut Errors) -> bool {
    let mut limits = Limits { errors, depth: 0, too_deep: false, cfg: false };
    // Not its own attributes: `#[cfg]` on the whole function is as it should be.
    limits.visit_signature(sig);
    limits.visit_block(block);
    !limits.too_deep && !limits.cfg
}

struct Limits<'a> {
    errors: &'a mut Errors,
    depth: usize,
    too_deep: bool,
    cfg: bool,
}

impl Limits<'_> {
    fn nested(&mut self, at: impl Fn() -> SpanRange, visit: impl FnOnce(&mut Self)) {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            visit(self);
            self.depth -= 1;
        } else if !std::mem::replace(&mut self.too_deep, true) {
            self.errors.advise(
                at(),
                format_args!("kernel code cannot nest deeper than {MAX_DEPTH} levels"),
                "bind parts of it with `let`",
            );
        }
    }
}

impl<'ast> Visit<'ast> for Limits<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        // The span of the outermost token there is: finding the ends would recurse.
        self.nested(|| shallow(expr), |this| visit::visit_expr(this, expr));
    }

    fn visit_pat(&mut self, pat: &'ast Pat) {
        self.nested(call_site, |this| visit::visit_pat(this, pat));
    }

    fn visit_type(&mut self, ty: &'ast Type) {
        self.nested(call_site, |this| visit::visit_type(this, ty));
    }

    fn visit_block(&mut self, block: &'ast Block) {
        let at = || SpanRange::token(block.brace_token.span.open());
        self.nested(at, |this| visit::visit_block(this, block));
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let path = attribute.path();
        if path.is_ident("cfg") || path.is_ident("cfg_attr") {
            self.cfg = true;
            self.errors.advise(
                SpanRange::path(path),
                "kernel code cannot use `#[cfg]`: the compiler of kernels sees it unevaluated",
                "put `#[cfg]` on the whole function, once for each case",
            );
        }
    }
}

fn call_site() -> SpanRange {
    SpanRange::token(proc_macro2::Span::call_site())
}

/// Some token of `expr`, found without recursion.
fn shallow(expr: &Expr) -> SpanRange {
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
