//! Spans of syntax in the source.
//!
//! Walking down the left and right edge of an expression finds its ends at a fraction of the cost
//! of printing its tokens, as `syn::spanned` does.
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::fmt::Display;
use syn::{Expr, Path, PathArguments, RangeLimits, Type, spanned::Spanned};
use warpwise_compiler::ir;

/// The owner of a piece of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The kernel.
    Kernel,
    /// A device function.
    Device,
    /// A device function of another crate, called at this span.
    Foreign(ir::Span),
}

/// The span from the first token of a syntax node to its last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpanRange {
    /// The span of the first token.
    pub(crate) first: Span,
    /// The span of the last token.
    pub(crate) last: Span,
}

impl SpanRange {
    /// Returns the range of one token.
    pub(crate) fn token(span: Span) -> Self {
        Self { first: span, last: span }
    }

    /// Returns the range of an expression.
    pub(crate) fn expr(expr: &Expr) -> Self {
        Self { first: first(expr), last: last(expr) }
    }

    /// Returns the range of a path.
    pub(crate) fn path(path: &Path) -> Self {
        Self { first: path_first(path), last: path_last(path) }
    }

    /// Returns the range of any syntax node, by printing it.
    pub(crate) fn tokens(tokens: &impl ToTokens) -> Self {
        let mut tokens = tokens.to_token_stream().into_iter();
        let Some(first) = tokens.next() else { return Self::token(Span::call_site()) };
        let last = tokens.last().map_or_else(|| close(&first), |last| close(&last));
        Self { first: open(&first), last }
    }

    /// Returns the range from the start of `self` to the end of `end`.
    pub(crate) fn to(self, end: Self) -> Self {
        Self { first: self.first, last: end.last }
    }

    /// Returns an error that underlines the whole range.
    pub(crate) fn error(self, message: impl Display) -> syn::Error {
        let ends = [self.first, self.last].map(|span| TokenTree::from(Ident::new("_x", span)));
        syn::Error::new_spanned(ends.into_iter().collect::<TokenStream>(), message)
    }
}

fn open(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) => group.span_open(),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => token.span(),
    }
}

fn close(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) => group.span_close(),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => token.span(),
    }
}

fn label_first(label: Option<&syn::Label>, token: Span) -> Span {
    label.map_or(token, |label| label.name.apostrophe)
}

fn path_first(path: &Path) -> Span {
    match (path.leading_colon, path.segments.first()) {
        (Some(colon), _) => colon.spans[0],
        (None, Some(segment)) => segment.ident.span(),
        (None, None) => Span::call_site(),
    }
}

fn path_last(path: &Path) -> Span {
    let Some(segment) = path.segments.last() else { return Span::call_site() };
    match &segment.arguments {
        PathArguments::None => segment.ident.span(),
        PathArguments::AngleBracketed(args) => args.gt_token.spans[0],
        PathArguments::Parenthesized(args) => args.paren_token.span.close(),
    }
}

fn type_last(ty: &Type) -> Span {
    match ty {
        Type::Path(ty) => path_last(&ty.path),
        other => SpanRange::tokens(other).last,
    }
}

fn first(expr: &Expr) -> Span {
    match expr {
        Expr::Array(e) => e.bracket_token.span.open(),
        Expr::Assign(e) => first(&e.left),
        Expr::Binary(e) => first(&e.left),
        Expr::Block(e) => label_first(e.label.as_ref(), e.block.brace_token.span.open()),
        Expr::Break(e) => e.break_token.span,
        Expr::Call(e) => first(&e.func),
        Expr::Cast(e) => first(&e.expr),
        Expr::Continue(e) => e.continue_token.span,
        Expr::Field(e) => first(&e.base),
        Expr::ForLoop(e) => label_first(e.label.as_ref(), e.for_token.span),
        Expr::Group(e) => first(&e.expr),
        Expr::If(e) => e.if_token.span,
        Expr::Index(e) => first(&e.expr),
        Expr::Lit(e) => e.lit.span(),
        Expr::Loop(e) => label_first(e.label.as_ref(), e.loop_token.span),
        Expr::Match(e) => e.match_token.span,
        Expr::Macro(e) => path_first(&e.mac.path),
        Expr::MethodCall(e) => first(&e.receiver),
        Expr::Paren(e) => e.paren_token.span.open(),
        Expr::Path(e) => {
            e.qself.as_ref().map_or_else(|| path_first(&e.path), |qself| qself.lt_token.spans[0])
        }
        Expr::Range(e) => match (&e.start, &e.limits) {
            (Some(start), _) => first(start),
            (None, RangeLimits::HalfOpen(dots)) => dots.spans[0],
            (None, RangeLimits::Closed(dots)) => dots.spans[0],
        },
        Expr::Reference(e) => e.and_token.spans[0],
        Expr::Return(e) => e.return_token.span,
        Expr::Tuple(e) => e.paren_token.span.open(),
        Expr::Unary(e) => e.op.span(),
        Expr::While(e) => label_first(e.label.as_ref(), e.while_token.span),
        other => SpanRange::tokens(other).first,
    }
}

fn last(expr: &Expr) -> Span {
    match expr {
        Expr::Array(e) => e.bracket_token.span.close(),
        Expr::Assign(e) => last(&e.right),
        Expr::Binary(e) => last(&e.right),
        Expr::Block(e) => e.block.brace_token.span.close(),
        Expr::Break(e) => match (&e.expr, &e.label) {
            (Some(value), _) => last(value),
            (None, Some(label)) => label.ident.span(),
            (None, None) => e.break_token.span,
        },
        Expr::Call(e) => e.paren_token.span.close(),
        Expr::Cast(e) => type_last(&e.ty),
        Expr::Continue(e) => {
            e.label.as_ref().map_or(e.continue_token.span, |label| label.ident.span())
        }
        Expr::Field(e) => e.member.span(),
        Expr::ForLoop(e) => e.body.brace_token.span.close(),
        Expr::Group(e) => last(&e.expr),
        Expr::If(e) => match &e.else_branch {
            Some((_, other)) => last(other),
            None => e.then_branch.brace_token.span.close(),
        },
        Expr::Index(e) => e.bracket_token.span.close(),
        Expr::Lit(e) => e.lit.span(),
        Expr::Loop(e) => e.body.brace_token.span.close(),
        Expr::Match(e) => e.brace_token.span.close(),
        Expr::Macro(e) => e.mac.delimiter.span().close(),
        Expr::MethodCall(e) => e.paren_token.span.close(),
        Expr::Paren(e) => e.paren_token.span.close(),
        Expr::Path(e) => path_last(&e.path),
        Expr::Range(e) => match (&e.end, &e.limits) {
            (Some(end), _) => last(end),
            (None, RangeLimits::HalfOpen(dots)) => dots.spans[1],
            (None, RangeLimits::Closed(dots)) => dots.spans[2],
        },
        Expr::Reference(e) => last(&e.expr),
        Expr::Return(e) => e.expr.as_ref().map_or(e.return_token.span, |value| last(value)),
        Expr::Tuple(e) => e.paren_token.span.close(),
        Expr::Unary(e) => last(&e.expr),
        Expr::While(e) => e.body.brace_token.span.close(),
        other => SpanRange::tokens(other).last,
    }
}
