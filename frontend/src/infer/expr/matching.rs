//! `match`, `let` conditions, and `?`.
use crate::{
    hir::{Arm, Expr, ExprKind, GenericArg, Pattern, PatternKind, lint_levels},
    infer::{Infer, Obligation, pattern::alternatives},
    syntax::span::SpanRange,
    types::{Class, Prim, Ty, Type},
};
use std::borrow::Cow;
use syn::{ExprLet, ExprMatch, ExprTry};

impl Infer<'_> {
    pub(crate) fn infer_match(&mut self, expr: &ExprMatch, hint: Option<Ty>) -> Expr {
        let at = SpanRange::token(expr.match_token.span).to(SpanRange::expr(&expr.expr));
        let hinted = expr.arms.iter().find_map(|arm| self.hint_from_pattern(&arm.pat, &expr.expr));
        let scrutinee = Box::new(self.infer_expr(&expr.expr, hinted));
        let after_value = std::mem::replace(&mut self.diverges, false);
        let mut arms: Vec<Arm> = Vec::with_capacity(expr.arms.len());
        let mut ty = None;
        let mut all_diverge = true;
        for arm in &expr.arms {
            let levels = lint_levels::read_levels(&arm.attrs);
            let outer = self.levels.len();
            self.levels.extend(levels.iter().cloned());
            let (pat, guard) = match &arm.pat {
                syn::Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
                pat => (pat, None),
            };
            // Rust evaluates a guard again for each alternative that matches, so each gets an arm
            // of its own.
            let pats = match guard {
                Some(_) if self.binds_variables(pat) => alternatives::expand_alternatives(pat),
                _ => vec![Cow::Borrowed(pat)],
            };
            for pat in pats {
                let opened = self.scope.open();
                let pattern = self.infer_pattern(&pat, scrutinee.ty);
                let bool = self.prim(Prim::Bool);
                let guard = guard.map(|guard| self.infer_expr_coerce(guard, bool));
                // Arms are alternatives: the match diverges only if all of them do.
                self.diverges = false;
                let mut body = self.infer_expr(&arm.body, ty.or(hint));
                all_diverge &= self.diverges;
                // The first arm with a value decides the type, as in rustc; `!` coerces to it.
                if !self.is_never(body.ty) {
                    match ty {
                        Some(ty) => body = self.coerce(body, ty),
                        None => {
                            body = self.erase_closure_type(body);
                            ty = Some(body.ty);
                        }
                    }
                }
                self.scope.close(opened);
                arms.push(Arm { pattern, guard, levels: levels.clone(), body });
            }
            self.levels.truncate(outer);
        }
        self.diverges = after_value || all_diverge;
        let ty = ty.unwrap_or_else(|| self.types.never());
        self.oblige(at, Obligation::Merged(ty));
        self.make_expr(ExprKind::Match { scrutinee, arms }, ty, at)
    }

    /// Infers `let pattern = value` as a condition. Its variables are in scope from here on.
    pub(crate) fn infer_let_condition(&mut self, expr: &ExprLet) -> Expr {
        let at = SpanRange::token(expr.let_token.span).to(SpanRange::expr(&expr.expr));
        let hint = self.hint_from_pattern(&expr.pat, &expr.expr);
        let scrutinee = Box::new(self.infer_expr(&expr.expr, hint));
        let pattern = Box::new(self.infer_pattern(&expr.pat, scrutinee.ty));
        let bool = self.prim(Prim::Bool);
        self.make_expr(ExprKind::Matches { scrutinee, pattern }, bool, at)
    }

    /// Infers `matches!(value, pattern if guard)`.
    pub(crate) fn infer_matches(&mut self, mac: &syn::Macro, at: SpanRange) -> Expr {
        let parsed = mac.parse_body_with(|input: syn::parse::ParseStream<'_>| {
            let value: syn::Expr = input.parse()?;
            let _: syn::Token![,] = input.parse()?;
            let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<syn::Token![if]>>()? {
                Some(_) => Some(input.parse::<syn::Expr>()?),
                None => None,
            };
            let _: Option<syn::Token![,]> = input.parse()?;
            Ok((value, pat, guard))
        });
        let Ok((value, pat, guard)) = parsed else {
            let reported = self.errors.mistyped(at, "`matches!` takes a value and a pattern");
            return self.make_reported(reported, at);
        };
        let bool = self.prim(Prim::Bool);
        let opened = self.scope.open();
        let hint = self.hint_from_pattern(&pat, &value);
        let scrutinee = Box::new(self.infer_expr(&value, hint));
        let pattern = Box::new(self.infer_pattern(&pat, scrutinee.ty));
        let is = self.make_expr(ExprKind::Matches { scrutinee, pattern }, bool, at);
        let result = match guard {
            None => is,
            Some(guard) => {
                let rhs = Box::new(self.infer_expr_coerce(&guard, bool));
                self.make_expr(ExprKind::Lazy { is_and: true, lhs: Box::new(is), rhs }, bool, at)
            }
        };
        self.scope.close(opened);
        result
    }

    /// Infers `value?`: the good value, or an early return of the other variant.
    pub(crate) fn infer_try(&mut self, expr: &ExprTry) -> Expr {
        let at = SpanRange::expr(&expr.expr).to(SpanRange::token(expr.question_token.span));
        let value = self.infer_expr(&expr.expr, None);
        self.decide_closure_return(value.ty);
        let (Type::Adt(item, list), Type::Adt(other, returned)) =
            (self.types.get(value.ty), self.types.get(self.ret))
        else {
            return self.report_no_try(&value, at);
        };
        let program = self.program();
        let option = program.std_item("Option");
        let (parts, ret) = (self.types.parts(list), self.types.parts(returned));
        let (good, bad, payload) = match (parts.as_slice(), ret.as_slice()) {
            ([inner], [_]) if Some(item) == option && other == item => ((1, *inner), 0, None),
            ([inner, error], [_, expected])
                if Some(item) == program.std_item("Result") && other == item =>
            {
                if self.types.could_unify(*error, *expected) {
                    self.unify(at, *error, *expected);
                }
                ((0, *inner), 1, Some((*error, *expected)))
            }
            ([broken, inner], [expected, _])
                if Some(item) == program.std_item("ControlFlow") && other == item =>
            {
                self.unify(at, *broken, *expected);
                ((0, *inner), 1, Some((*broken, *expected)))
            }
            _ => return self.report_no_try(&value, at),
        };
        self.returns_early = true;
        self.make_try_match(value, good, (bad, payload), at)
    }

    /// Decides the return type of a closure from its first `?`: the operand's type with another
    /// value type.
    fn decide_closure_return(&mut self, ty: Ty) {
        let (Type::Adt(item, list), Type::Unknown(Class::Any)) =
            (self.types.get(ty), self.types.get(self.ret))
        else {
            return;
        };
        let mut parts = self.types.parts(list);
        let program = self.program();
        let value = match Some(item) {
            of if of == program.std_item("Option") || of == program.std_item("Result") => 0,
            of if of == program.std_item("ControlFlow") => 1,
            _ => return,
        };
        parts[value] = self.unknown();
        let list = self.types.list(parts.into_iter().map(GenericArg::Type).collect());
        let returned = self.types.add(Type::Adt(item, list));
        self.types.decide(self.ret, returned);
    }

    /// Converts an error to the function's error type by an `impl` of `From`, if the types differ.
    fn convert_error(&mut self, error: Expr, expected: Ty, at: SpanRange) -> Expr {
        if self.types.could_unify(error.ty, expected) {
            return error;
        }
        match self.find_from_impl(expected, error.ty) {
            Some(member) => self.make_operator_call(member, error, None, at),
            None => {
                self.unify(at, error.ty, expected);
                error
            }
        }
    }

    fn make_try_match(
        &mut self,
        value: Expr,
        (good, inner): (usize, Ty),
        (bad, error): (usize, Option<(Ty, Ty)>),
        at: SpanRange,
    ) -> Expr {
        let ty = value.ty;
        let (good_pattern, good_value) = self.make_bound_part(good, inner, ty, at);
        let (bad_pattern, fields) = match error {
            Some((error, expected)) => {
                let (pattern, value) = self.make_bound_part(bad, error, ty, at);
                (pattern, vec![(0, self.convert_error(value, expected, at))])
            }
            None => {
                let kind = PatternKind::Parts { variant: Some(bad), parts: Vec::new() };
                (Pattern { kind, ty, at: self.record_span(at) }, Vec::new())
            }
        };
        let ret = self.ret;
        let back = ExprKind::Aggregate { variant: Some(bad), fields, base: None };
        let back = self.make_expr(back, ret, at);
        let never = self.types.never();
        let back = self.make_expr(ExprKind::Return(Some(Box::new(back))), never, at);
        let arms = vec![
            Arm { pattern: good_pattern, guard: None, levels: Vec::new(), body: good_value },
            Arm { pattern: bad_pattern, guard: None, levels: Vec::new(), body: back },
        ];
        self.make_expr(ExprKind::Match { scrutinee: Box::new(value), arms }, inner, at)
    }

    /// Makes a pattern for the single field of a variant, and the variable that it binds.
    pub(crate) fn make_bound_part(
        &mut self,
        variant: usize,
        inner: Ty,
        ty: Ty,
        at: SpanRange,
    ) -> (Pattern, Expr) {
        let place = self.record_span(at);
        let var = self.vars.push(crate::infer::Variable {
            name: String::new(),
            ty: inner,
            mutable: false,
            settable: false,
            at: place,
        });
        let kind = PatternKind::Bind { var, by_ref: false, subpattern: None };
        let part = Pattern { kind, ty: inner, at: place };
        let kind = PatternKind::Parts { variant: Some(variant), parts: vec![(0, part)] };
        let pattern = Pattern { kind, ty, at: place };
        (pattern, self.make_expr(ExprKind::Var(var), inner, at))
    }

    fn report_no_try(&mut self, value: &Expr, at: SpanRange) -> Expr {
        let shown = self.types.show(value.ty);
        let fact = format_args!("`?` cannot be used on type `{shown}` here");
        let reported = self.errors.mistyped(at, fact);
        self.make_reported(reported, at)
    }
}
