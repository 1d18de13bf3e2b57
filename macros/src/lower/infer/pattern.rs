//! `let`, and the patterns that it may have.
use super::{
    super::{
        span::SpanRange,
        tree::{Expr, StmtKind, Var, Variable},
        types::Ty,
    },
    Infer, Obligation, reject,
};
use syn::{Ident, Local, Pat};

/// A pattern that declares at most one variable.
pub(super) struct Plain<'p> {
    /// The name; `None` for `_`.
    pub(super) ident: Option<&'p Ident>,
    /// Whether it is `mut`.
    pub(super) mutable: bool,
    /// The type behind it.
    pub(super) ty: Option<&'p syn::Type>,
}

impl Infer<'_> {
    /// The plain pattern that `pat` is; reports any other.
    pub(super) fn plain<'p>(&mut self, pat: &'p Pat) -> Option<Plain<'p>> {
        match pat {
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                let mutable = ident.mutability.is_some();
                Some(Plain { ident: Some(&ident.ident), mutable, ty: None })
            }
            Pat::Wild(_) => Some(Plain { ident: None, mutable: false, ty: None }),
            Pat::Paren(paren) => self.plain(&paren.pat),
            Pat::Type(typed) => {
                self.plain(&typed.pat).map(|plain| Plain { ty: Some(&typed.ty), ..plain })
            }
            other => {
                let (fact, help) = reject::pattern(other);
                self.errors.advise(SpanRange::tokens(other), fact, help);
                None
            }
        }
    }

    /// Declares the variable of a pattern.
    pub(super) fn declare(&mut self, plain: &Plain<'_>, ty: Ty, settable: bool) -> Option<Var> {
        let ident = plain.ident?;
        let range = SpanRange::token(ident.span());
        self.oblige(range, Obligation::Bound(ty));
        let at = self.at(range);
        let variable = Variable {
            name: ident.to_string(),
            ty,
            mutable: plain.mutable,
            settable: settable || plain.mutable,
            at,
        };
        let var = self.vars.push(variable);
        self.scope.declare(ident, var);
        Some(var)
    }

    pub(super) fn local(&mut self, local: &Local) -> Option<StmtKind> {
        let plain = self.plain(&local.pat);
        let written = plain.as_ref().and_then(|plain| plain.ty).map(|ty| self.ty(ty));
        let init = local.init.as_ref().map(|init| {
            if let Some((token, _)) = &init.diverge {
                self.errors.advise(
                    SpanRange::token(token.span),
                    "kernel code cannot use `let` with `else` yet",
                    "test with `if` first",
                );
            }
            self.naming = plain.as_ref().and_then(|plain| plain.ident).map(ToString::to_string);
            let value = self.expr(&init.expr, written);
            match written {
                Some(written) => self.coerce(value, written),
                None => value,
            }
        });
        self.naming = None;
        let plain = plain?;
        let ty = match (written, &init) {
            (Some(written), _) => written,
            (None, Some(Expr { ty, .. })) => *ty,
            (None, None) => self.unknown(),
        };
        if plain.ty.is_none() {
            self.notes.local(local, ty);
        }
        let var = self.declare(&plain, ty, init.is_none());
        Some(StmtKind::Let { var, init })
    }
}
