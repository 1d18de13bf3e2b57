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
        Self { first: first_token(expr), last: last_token(expr) }
    }

    /// Returns the range of a path.
    pub(crate) fn path(path: &Path) -> Self {
        Self { first: first_path_token(path), last: last_path_token(path) }
    }

    /// Returns the range of any syntax node, by printing it.
    pub(crate) fn tokens(tokens: &impl ToTokens) -> Self {
        let mut tokens = tokens.to_token_stream().into_iter();
        let Some(first) = tokens.next() else { return Self::token(Span::call_site()) };
        let last = tokens.last().map_or_else(|| closing_span(&first), |last| closing_span(&last));
        Self { first: opening_span(&first), last }
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

fn opening_span(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) => group.span_open(),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => token.span(),
    }
}

fn closing_span(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) => group.span_close(),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => token.span(),
    }
}

fn label_or_token(label: Option<&syn::Label>, token: Span) -> Span {
    label.map_or(token, |label| label.name.apostrophe)
}

fn first_path_token(path: &Path) -> Span {
    match (path.leading_colon, path.segments.first()) {
        (Some(colon), _) => colon.spans[0],
        (None, Some(segment)) => segment.ident.span(),
        (None, None) => Span::call_site(),
    }
}

fn last_path_token(path: &Path) -> Span {
    let Some(segment) = path.segments.last() else { return Span::call_site() };
    match &segment.arguments {
        PathArguments::None => segment.ident.span(),
        PathArguments::AngleBracketed(args) => args.gt_token.spans[0],
        PathArguments::Parenthesized(args) => args.paren_token.span.close(),
    }
}

/// Returns the last token of a type. Brackets that are printed again have the span of all between
/// them.
pub(crate) fn last_type_token(ty: &Type) -> Span {
    match ty {
        Type::Array(ty) => ty.bracket_token.span.close(),
        Type::Path(ty) => last_path_token(&ty.path),
        Type::Ptr(ty) => last_type_token(&ty.elem),
        Type::Reference(ty) => last_type_token(&ty.elem),
        Type::Slice(ty) => ty.bracket_token.span.close(),
        Type::Tuple(ty) => ty.paren_token.span.close(),
        other => SpanRange::tokens(other).last,
    }
}

fn first_token(expr: &Expr) -> Span {
    match expr {
        Expr::Array(e) => e.bracket_token.span.open(),
        Expr::Assign(e) => first_token(&e.left),
        Expr::Binary(e) => first_token(&e.left),
        Expr::Block(e) => label_or_token(e.label.as_ref(), e.block.brace_token.span.open()),
        Expr::Break(e) => e.break_token.span,
        Expr::Call(e) => first_token(&e.func),
        Expr::Cast(e) => first_token(&e.expr),
        Expr::Continue(e) => e.continue_token.span,
        Expr::Field(e) => first_token(&e.base),
        Expr::ForLoop(e) => label_or_token(e.label.as_ref(), e.for_token.span),
        Expr::Group(e) => first_token(&e.expr),
        Expr::If(e) => e.if_token.span,
        Expr::Index(e) => first_token(&e.expr),
        Expr::Lit(e) => e.lit.span(),
        Expr::Loop(e) => label_or_token(e.label.as_ref(), e.loop_token.span),
        Expr::Match(e) => e.match_token.span,
        Expr::Macro(e) => first_path_token(&e.mac.path),
        Expr::MethodCall(e) => first_token(&e.receiver),
        Expr::Paren(e) => e.paren_token.span.open(),
        Expr::Path(e) => e
            .qself
            .as_ref()
            .map_or_else(|| first_path_token(&e.path), |qself| qself.lt_token.spans[0]),
        Expr::Range(e) => match (&e.start, &e.limits) {
            (Some(start), _) => first_token(start),
            (None, RangeLimits::HalfOpen(dots)) => dots.spans[0],
            (None, RangeLimits::Closed(dots)) => dots.spans[0],
        },
        Expr::Reference(e) => e.and_token.spans[0],
        Expr::Repeat(e) => e.bracket_token.span.open(),
        Expr::Return(e) => e.return_token.span,
        Expr::Tuple(e) => e.paren_token.span.open(),
        Expr::Unary(e) => e.op.span(),
        Expr::While(e) => label_or_token(e.label.as_ref(), e.while_token.span),
        other => SpanRange::tokens(other).first,
    }
}

fn last_token(expr: &Expr) -> Span {
    match expr {
        Expr::Array(e) => e.bracket_token.span.close(),
        Expr::Assign(e) => last_token(&e.right),
        Expr::Binary(e) => last_token(&e.right),
        Expr::Block(e) => e.block.brace_token.span.close(),
        Expr::Break(e) => match (&e.expr, &e.label) {
            (Some(value), _) => last_token(value),
            (None, Some(label)) => label.ident.span(),
            (None, None) => e.break_token.span,
        },
        Expr::Call(e) => e.paren_token.span.close(),
        Expr::Cast(e) => last_type_token(&e.ty),
        Expr::Continue(e) => {
            e.label.as_ref().map_or(e.continue_token.span, |label| label.ident.span())
        }
        Expr::Closure(e) => last_token(&e.body),
        Expr::Field(e) => e.member.span(),
        Expr::ForLoop(e) => e.body.brace_token.span.close(),
        Expr::Group(e) => last_token(&e.expr),
        Expr::If(e) => match &e.else_branch {
            Some((_, other)) => last_token(other),
            None => e.then_branch.brace_token.span.close(),
        },
        Expr::Index(e) => e.bracket_token.span.close(),
        Expr::Let(e) => last_token(&e.expr),
        Expr::Lit(e) => e.lit.span(),
        Expr::Loop(e) => e.body.brace_token.span.close(),
        Expr::Match(e) => e.brace_token.span.close(),
        Expr::Macro(e) => e.mac.delimiter.span().close(),
        Expr::MethodCall(e) => e.paren_token.span.close(),
        Expr::Paren(e) => e.paren_token.span.close(),
        Expr::Path(e) => last_path_token(&e.path),
        Expr::Range(e) => match (&e.end, &e.limits) {
            (Some(end), _) => last_token(end),
            (None, RangeLimits::HalfOpen(dots)) => dots.spans[1],
            (None, RangeLimits::Closed(dots)) => dots.spans[2],
        },
        Expr::Reference(e) => last_token(&e.expr),
        Expr::Repeat(e) => e.bracket_token.span.close(),
        Expr::Return(e) => e.expr.as_ref().map_or(e.return_token.span, |value| last_token(value)),
        Expr::Struct(e) => e.brace_token.span.close(),
        Expr::Tuple(e) => e.paren_token.span.close(),
        Expr::Unary(e) => last_token(&e.expr),
        Expr::Unsafe(e) => e.block.brace_token.span.close(),
        Expr::While(e) => e.body.brace_token.span.close(),
        other => SpanRange::tokens(other).last,
    }
}
