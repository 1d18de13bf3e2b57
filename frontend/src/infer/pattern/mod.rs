//! Patterns and `let`.
//!
//! A non-reference pattern matched against a reference dereferences it and binds by reference from
//! there, as in Rust. The tree has both explicitly.
pub(crate) mod alternatives;
pub(crate) mod pattern_hint;

use crate::{
    hir::{Expr, ExprKind, Pattern, PatternKind, StmtKind, Var, Variable},
    infer::{
        Infer, Obligation,
        call::reject,
        expr::aggregate::{BracedShape, member_name},
        items::Shape,
    },
    resolve::paths::is_type_name,
    syntax::span::SpanRange,
    types::{Ty, Type},
};
use std::collections::BTreeSet;
use syn::{Ident, Lit, Local, Pat, RangeLimits};
use warpwise_compiler::ir::Extent;

/// The default binding mode.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BindingMode {
    /// Variables are bound by value.
    Value,
    /// Variables are bound by reference.
    Reference { mutable: bool },
}

impl<'a> Infer<'a> {
    /// Infers a pattern matched against a value of type `ty`, and declares its variables.
    pub(crate) fn infer_pattern(&mut self, pat: &Pat, ty: Ty) -> Pattern {
        self.infer_pattern_in(pat, ty, BindingMode::Value)
    }

    /// As [`Self::infer_pattern`], for a pattern that matches every value.
    pub(crate) fn infer_irrefutable(&mut self, pat: &Pat, ty: Ty) -> Pattern {
        let outer = std::mem::replace(&mut self.is_irrefutable, true);
        let pattern = self.infer_pattern(pat, ty);
        self.is_irrefutable = outer;
        pattern
    }

    fn infer_pattern_in(&mut self, pat: &Pat, ty: Ty, mode: BindingMode) -> Pattern {
        let range = match pat {
            Pat::Ident(pat) => SpanRange::token(pat.ident.span()),
            pat => SpanRange::tokens(pat),
        };
        if let Type::Ref { mutable, to } = self.types.get(ty)
            && self.derefs_implicitly(pat)
        {
            let mutable = mutable && mode != BindingMode::Reference { mutable: false };
            let inner = self.infer_pattern_in(pat, to, BindingMode::Reference { mutable });
            return self.make_pattern(PatternKind::Deref(Box::new(inner)), ty, range);
        }
        let kind = self.infer_pattern_kind(pat, ty, mode, range);
        self.make_pattern(kind, ty, range)
    }

    fn make_pattern(&mut self, kind: PatternKind, ty: Ty, range: SpanRange) -> Pattern {
        let at = self.record_span(range);
        Pattern { kind, ty, at }
    }

    /// Returns true if a pattern implicitly dereferences a reference.
    fn derefs_implicitly(&self, pat: &Pat) -> bool {
        match pat {
            Pat::Wild(_) | Pat::Reference(_) | Pat::Type(_) | Pat::Paren(_) | Pat::Or(_) => false,
            Pat::Ident(pat) => {
                pat.by_ref.is_none() && pat.subpat.is_none() && self.is_constant(&pat.ident)
            }
            _ => true,
        }
    }

    /// Returns true if a plain name in a pattern is a constant or variant rather than a variable.
    fn is_constant(&self, ident: &Ident) -> bool {
        let name = ident.to_string();
        !self.is_irrefutable && is_type_name(&name) && self.scope.find(ident).is_none()
    }

    fn infer_pattern_kind(
        &mut self,
        pat: &Pat,
        ty: Ty,
        mode: BindingMode,
        at: SpanRange,
    ) -> PatternKind {
        match pat {
            Pat::Wild(_) => PatternKind::Wild,
            Pat::Paren(pat) => self.infer_pattern_in(&pat.pat, ty, mode).kind,
            Pat::Type(pat) => {
                let written = self.resolve_type(&pat.ty);
                self.unify(at, ty, written);
                self.infer_pattern_in(&pat.pat, ty, mode).kind
            }
            Pat::Ident(pat) if self.is_constant(&pat.ident) => {
                self.infer_constant_pattern(&pat.ident.clone().into(), ty, at)
            }
            Pat::Ident(pat) => self.infer_binding(pat, ty, mode),
            Pat::Lit(syn::ExprLit { lit: Lit::ByteStr(bytes), .. }) => {
                let span = bytes.span();
                let bytes = bytes.value();
                let bytes = bytes.iter().map(|&byte| syn::LitByte::new(byte, span));
                let elements: Pat = syn::parse_quote_spanned!(span=> [#(#bytes),*]);
                self.infer_pattern_in(&elements, ty, mode).kind
            }
            // No value in kernel code is a text.
            Pat::Lit(syn::ExprLit { lit: Lit::Char(_) | Lit::CStr(_) | Lit::Str(_), .. }) => {
                self.errors.mistyped(at, "this pattern is a text, and the value is none");
                PatternKind::Wild
            }
            Pat::Lit(lit) => self.infer_literal_pattern(lit, ty),
            Pat::Path(path) => self.infer_constant_pattern(&path.path, ty, at),
            Pat::Range(range) => self.infer_range_pattern(range, ty),
            Pat::Tuple(tuple) => self.infer_tuple_pattern(tuple, ty, mode, at),
            Pat::TupleStruct(pat) => self.infer_tuple_struct_pattern(pat, ty, mode, at),
            Pat::Struct(pat) => self.infer_struct_pattern(pat, ty, mode, at),
            Pat::Reference(pat) => {
                let inner = self.unknown();
                let reference = self.types.reference(pat.mutability.is_some(), inner);
                self.unify(at, ty, reference);
                PatternKind::Deref(Box::new(self.infer_pattern(&pat.pat, inner)))
            }
            Pat::Slice(pat) => self.infer_slice_pattern(pat, ty, mode, at),
            Pat::Or(pat) => self.infer_alternatives(pat, ty, mode, at),
            other => {
                let (fact, help) = reject::pattern(other);
                self.errors.advise(at, fact, help);
                PatternKind::Wild
            }
        }
    }

    fn infer_binding(&mut self, pat: &syn::PatIdent, ty: Ty, mode: BindingMode) -> PatternKind {
        let mode = match (&pat.by_ref, mode) {
            (Some(_), _) => BindingMode::Reference { mutable: pat.mutability.is_some() },
            (None, mode) => mode,
        };
        let (bound, by_ref) = match mode {
            BindingMode::Value => (ty, false),
            BindingMode::Reference { mutable } => (self.types.reference(mutable, ty), true),
        };
        let mutable = pat.by_ref.is_none() && pat.mutability.is_some();
        if let Some(var) = self.find_alternative_binding(&pat.ident, bound) {
            let subpattern =
                pat.subpat.as_ref().map(|(_, pat)| Box::new(self.infer_pattern_in(pat, ty, mode)));
            return PatternKind::Bind { var, by_ref, subpattern };
        }
        let subpattern =
            pat.subpat.as_ref().map(|(_, pat)| Box::new(self.infer_pattern_in(pat, ty, mode)));
        let var = self.declare_variable(&pat.ident, bound, mutable, mutable);
        PatternKind::Bind { var, by_ref, subpattern }
    }

    /// Declares a variable.
    pub(crate) fn declare_variable(
        &mut self,
        ident: &Ident,
        ty: Ty,
        mutable: bool,
        settable: bool,
    ) -> Var {
        let range = SpanRange::token(ident.span());
        self.oblige(range, Obligation::Bound(ty));
        let at = self.record_span(range);
        let name = ident.to_string();
        let var = self.vars.push(Variable { name, ty, mutable, settable, at });
        self.scope.declare(ident, var);
        var
    }

    fn infer_literal_pattern(&mut self, lit: &syn::PatLit, ty: Ty) -> PatternKind {
        let value = self.infer_expr(&syn::Expr::Lit(lit.clone()), Some(ty));
        let value = self.coerce(value, ty);
        PatternKind::Is(Box::new(value))
    }

    fn infer_constant_pattern(&mut self, path: &syn::Path, ty: Ty, at: SpanRange) -> PatternKind {
        if let Some((of, shape)) = self.resolve_shape(path) {
            self.unify(at, of, ty);
            return PatternKind::Parts { variant: shape.variant, parts: Vec::new() };
        }
        let path = syn::ExprPath { attrs: Vec::new(), qself: None, path: path.clone() };
        let value = self.infer_path(&path, Some(ty));
        self.unify(at, value.ty, ty);
        PatternKind::Is(Box::new(value))
    }

    fn infer_range_pattern(&mut self, range: &syn::PatRange, ty: Ty) -> PatternKind {
        let mut end = |end: &Option<Box<syn::Expr>>| {
            end.as_ref().map(|end| Box::new(self.infer_expr_coerce(end, ty)))
        };
        let (low, high) = (end(&range.start), end(&range.end));
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        PatternKind::Range { low, high, inclusive }
    }

    fn infer_tuple_pattern(
        &mut self,
        tuple: &syn::PatTuple,
        ty: Ty,
        mode: BindingMode,
        at: SpanRange,
    ) -> PatternKind {
        if tuple.elems.is_empty() {
            let unit = self.types.unit();
            self.unify(at, ty, unit);
            return PatternKind::Wild;
        }
        let types = match self.types.get(ty) {
            Type::Tuple(list) => self.types.parts(list),
            _ => {
                let types: Vec<Ty> = tuple.elems.iter().map(|_| self.unknown()).collect();
                let own = self.types.tuple(types.clone());
                self.unify(at, ty, own);
                types
            }
        };
        let parts = self.infer_parts(&tuple.elems, &types, mode, at);
        PatternKind::Parts { variant: None, parts }
    }

    fn infer_tuple_struct_pattern(
        &mut self,
        pat: &syn::PatTupleStruct,
        ty: Ty,
        mode: BindingMode,
        at: SpanRange,
    ) -> PatternKind {
        let Some((of, shape)) = self.resolve_shape(&pat.path) else {
            return self.report_no_pattern(at);
        };
        self.unify(at, of, ty);
        let types = self.field_types(ty, &shape);
        let parts = self.infer_parts(&pat.elems, &types, mode, at);
        PatternKind::Parts { variant: shape.variant, parts }
    }

    /// Infers adjacent patterns, one of which may be `..`.
    fn infer_parts<'p>(
        &mut self,
        pats: impl IntoIterator<Item = &'p Pat>,
        types: &[Ty],
        mode: BindingMode,
        at: SpanRange,
    ) -> Vec<(usize, Pattern)> {
        let pats: Vec<&Pat> = pats.into_iter().collect();
        let rest = pats.iter().position(|pat| matches!(pat, Pat::Rest(_)));
        let fits = match rest {
            Some(_) => pats.len() <= types.len() + 1,
            None => pats.len() == types.len(),
        };
        if !fits {
            let fact = format_args!("this has {} parts, not {}", types.len(), pats.len());
            self.errors.mistyped(at, fact);
            return Vec::new();
        }
        let skipped = types.len() + 1 - pats.len();
        let mut parts = Vec::with_capacity(pats.len());
        for (index, pat) in pats.iter().enumerate() {
            let index = match rest {
                Some(rest) if index == rest => continue,
                Some(rest) if index > rest => index + skipped - 1,
                _ => index,
            };
            parts.push((index, self.infer_pattern_in(pat, types[index], mode)));
        }
        parts
    }

    fn infer_struct_pattern(
        &mut self,
        pat: &syn::PatStruct,
        ty: Ty,
        mode: BindingMode,
        at: SpanRange,
    ) -> PatternKind {
        let braced = self.resolve_braced(&pat.path, |this, of| this.unify(at, of, ty));
        let Some(BracedShape { variant, fields, .. }) = braced else {
            return self.report_no_pattern(at);
        };
        let mut parts = Vec::with_capacity(pat.fields.len());
        for field in &pat.fields {
            let name = member_name(&field.member);
            match fields.iter().position(|(known, _)| *known == name) {
                Some(index) => {
                    parts.push((index, self.infer_pattern_in(&field.pat, fields[index].1, mode)));
                }
                None => {
                    self.errors.mistyped(at, format_args!("there is no field `{name}`"));
                }
            }
        }
        PatternKind::Parts { variant, parts }
    }

    fn report_no_pattern(&mut self, at: SpanRange) -> PatternKind {
        self.errors.advise(
            at,
            "kernel code does not know what this pattern names",
            "mark its definition `#[device]`, and write variants as `Shape::Circle(..)`",
        );
        PatternKind::Wild
    }

    fn infer_slice_pattern(
        &mut self,
        pat: &syn::PatSlice,
        ty: Ty,
        mode: BindingMode,
        at: SpanRange,
    ) -> PatternKind {
        let rest = pat.elems.iter().position(is_rest);
        let len = Extent::Const(pat.elems.len() as u64);
        let elem = match self.types.get(ty) {
            Type::Array(elem, own) => {
                if rest.is_none() && self.types.extent(own).is_none() {
                    let len = self.types.len(len);
                    // The length of the array is unknown, so this cannot fail.
                    let _ = self.types.unify_len(own, len);
                }
                elem
            }
            Type::Slice(elem) => elem,
            _ => {
                let elem = self.unknown();
                let len = self.types.len(len);
                let array = self.types.add(Type::Array(elem, len));
                self.unify(at, ty, array);
                elem
            }
        };
        let before = rest.unwrap_or(pat.elems.len());
        let mut pats = pat.elems.iter();
        let before =
            pats.by_ref().take(before).map(|pat| self.infer_pattern_in(pat, elem, mode)).collect();
        let rest = pats.next().map(|rest| match rest {
            Pat::Ident(rest) => {
                let rest_ty = self.rest_type(ty, elem, pat.elems.len() - 1);
                let plain = syn::PatIdent { subpat: None, ..rest.clone() };
                let kind = self.infer_binding(&plain, rest_ty, mode);
                Some(Box::new(self.make_pattern(kind, rest_ty, at)))
            }
            _ => None,
        });
        let after = pats.map(|pat| self.infer_pattern_in(pat, elem, mode)).collect();
        PatternKind::Slice { before, rest, after }
    }

    /// Returns the type of `rest @ ..` beside `named` elements: an array of an array, else a slice.
    fn rest_type(&mut self, ty: Ty, elem: Ty, named: usize) -> Ty {
        if let Type::Array(_, len) = self.types.get(ty)
            && let Some(&Extent::Const(len)) = self.types.extent(len)
        {
            let len = self.types.len(Extent::Const(len.saturating_sub(named as u64)));
            return self.types.add(Type::Array(elem, len));
        }
        self.types.add(Type::Slice(elem))
    }

    /// Returns true if a pattern binds a variable.
    pub(crate) fn binds_variables(&self, pat: &Pat) -> bool {
        !self.bound_names(pat).is_empty()
    }

    /// Returns the names of the variables that a pattern binds.
    fn bound_names(&self, pat: &Pat) -> BTreeSet<String> {
        struct Names<'p>(Vec<&'p syn::PatIdent>);
        impl<'p> syn::visit::Visit<'p> for Names<'p> {
            fn visit_pat_ident(&mut self, pat: &'p syn::PatIdent) {
                self.0.push(pat);
                syn::visit::visit_pat_ident(self, pat);
            }
        }
        let mut names = Names(Vec::new());
        syn::visit::Visit::visit_pat(&mut names, pat);
        let bound = names.0.iter().filter(|pat| !self.is_constant(&pat.ident));
        bound.map(|pat| pat.ident.to_string()).collect()
    }

    /// Infers alternatives. The first declares the variables; the others bind the same ones.
    fn infer_alternatives(
        &mut self,
        pat: &syn::PatOr,
        ty: Ty,
        mode: BindingMode,
        at: SpanRange,
    ) -> PatternKind {
        let first = self.vars.len();
        let mut cases = Vec::with_capacity(pat.cases.len());
        let outer = self.alternative_bindings.clone();
        for case in &pat.cases {
            cases.push(self.infer_pattern_in(case, ty, mode));
            if cases.len() == 1 {
                let bound = self.vars.ids().skip(first);
                self.alternative_bindings
                    .extend(bound.map(|var| (self.vars[var].name.clone(), var)));
            }
        }
        self.alternative_bindings = outer;
        let names = |case| self.bound_names(case);
        if let Some((first, others)) = pat.cases.iter().collect::<Vec<_>>().split_first()
            && others.iter().any(|other| names(other) != names(first))
        {
            self.errors.mistyped(at, "the alternatives bind different variables");
        }
        PatternKind::Any(cases)
    }

    /// Returns the variable of this name that an earlier alternative declared.
    fn find_alternative_binding(&mut self, ident: &Ident, ty: Ty) -> Option<Var> {
        let name = ident.to_string();
        let (_, var) = self.alternative_bindings.iter().find(|(bound, _)| *bound == name)?;
        let var = *var;
        self.unify(SpanRange::token(ident.span()), ty, self.vars[var].ty);
        Some(var)
    }

    /// Infers a `let` statement.
    pub(crate) fn infer_let(&mut self, local: &Local) -> Option<StmtKind> {
        let (pat, written) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(self.resolve_type(&typed.ty))),
            pat => (pat, None),
        };
        let init = local.init.as_ref().map(|init| {
            self.let_name = match pat {
                Pat::Ident(pat) => Some(pat.ident.to_string()),
                _ => None,
            };
            // The value of a type that is an error is no second one.
            if let Some(written) = written
                && let Type::Reported(proof) = self.types.get(written)
            {
                return self.make_reported(proof, SpanRange::expr(&init.expr));
            }
            let hint = written.or_else(|| self.hint_from_pattern(pat, &init.expr));
            let value = self.infer_expr(&init.expr, hint);
            match written {
                Some(written) => self.coerce(value, written),
                None => value,
            }
        });
        self.let_name = None;
        let ty = match (written, &init) {
            (Some(written), _) => written,
            (None, Some(Expr { ty, .. })) => *ty,
            (None, None) => self.unknown(),
        };
        if written.is_none() {
            self.notes.record_let(local, ty);
        }
        let diverge = local.init.as_ref().and_then(|init| init.diverge.as_ref());
        let else_block = diverge.map(|(_, else_block)| self.infer_let_else(else_block));
        let first = self.vars.len();
        let pattern = match &else_block {
            Some(_) => self.infer_pattern(pat, ty),
            None => self.infer_irrefutable(pat, ty),
        };
        if init.is_none() {
            self.vars.ids().skip(first).for_each(|var| self.vars[var].settable = true);
        }
        Some(StmtKind::Let { pattern, init, else_block })
    }

    /// Infers the `else` of a `let`, which must diverge.
    fn infer_let_else(&mut self, other: &syn::Expr) -> crate::hir::Block {
        let before = self.diverges;
        let value = self.infer_expr(other, None);
        let at = self.spans[value.at];
        if !self.is_never(value.ty) && !self.types.is_reported(value.ty) {
            self.errors.mistyped(at, "the `else` of a `let` must not come to its end");
        }
        self.diverges = before;
        match value.kind {
            ExprKind::Block { label: None, block } => block,
            kind => crate::hir::Block {
                stmts: Vec::new(),
                tail: Some(Box::new(Expr { kind, ..value })),
            },
        }
    }

    /// Returns the struct or variant without fields that a path names.
    pub(crate) fn resolve_unit_shape(&mut self, path: &syn::Path) -> Option<(Ty, Shape<'a>)> {
        self.resolve_shape(path).filter(|(_, shape)| shape.fields.is_empty())
    }
}

pub(crate) fn is_rest(pat: &Pat) -> bool {
    match pat {
        Pat::Rest(_) => true,
        Pat::Ident(pat) => {
            matches!(&pat.subpat, Some((_, subpat)) if matches!(**subpat, Pat::Rest(_)))
        }
        _ => false,
    }
}
