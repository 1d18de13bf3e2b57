//! Inference of closures and of their calls. Closures are inlined at their calls.
use crate::{
    hir::{Closure, Expr, ExprKind, Pattern, Var},
    infer::Infer,
    syntax::{error::Reported, span::SpanRange},
    types::{ClosureType, Ty, Type},
};
use std::{collections::BTreeSet, rc::Rc};
use syn::{ExprClosure, ReturnType, visit::Visit};
use warpwise_compiler::id::Id as _;

/// A call signature from a bound such as `Fn(f32) -> f32`.
#[derive(Clone)]
pub(crate) struct CallSignature {
    pub(crate) params: Vec<Ty>,
    pub(crate) ret: Ty,
}

impl Infer<'_> {
    /// Infers a closure; `expected` is its call signature, if known.
    pub(crate) fn infer_closure(
        &mut self,
        expr: &ExprClosure,
        expected: Option<&CallSignature>,
    ) -> Expr {
        let at =
            SpanRange::token(expr.inputs_begin.span).to(SpanRange::token(expr.inputs_end.span));
        if expr.asyncness.is_some() {
            self.errors.report(at, "kernel code cannot be `async`");
        }
        let outside = self.vars.len();
        let opened = self.scope.open();
        let (params, types) = self.infer_closure_params(expr, expected, at);
        let ret = match (&expr.output, expected) {
            (ReturnType::Type(_, ty), _) => self.resolve_type(ty),
            (ReturnType::Default, Some(expected)) => expected.ret,
            (ReturnType::Default, None) => self.unknown(),
        };
        // The body is a function of its own: `return`, `break` and divergence do not cross it.
        let ret_before = std::mem::replace(&mut self.ret, ret);
        let returned_before = std::mem::replace(&mut self.returns_early, false);
        let targets = std::mem::take(&mut self.targets);
        let diverges = std::mem::replace(&mut self.diverges, false);
        let body = self.infer_expr_coerce(&expr.body, ret);
        self.diverges = diverges;
        self.targets = targets;
        let returns_early = std::mem::replace(&mut self.returns_early, returned_before);
        self.ret = ret_before;
        let copies = if expr.capture.is_some() {
            self.captured_variables(expr, outside)
        } else {
            Vec::new()
        };
        self.scope.close(opened);
        let which = self.program().next_closure_number();
        let ty = self.types.closure(ClosureType { number: which, params: types, ret });
        let closure = Closure { params, copies, returns_early, levels: self.levels.clone(), body };
        self.make_expr(ExprKind::Closure(Rc::new(closure)), ty, at)
    }

    fn infer_closure_params(
        &mut self,
        expr: &ExprClosure,
        expected: Option<&CallSignature>,
        at: SpanRange,
    ) -> (Vec<Pattern>, Vec<Ty>) {
        if expected.is_some_and(|expected| expected.params.len() != expr.inputs.len()) {
            self.errors.mistyped(at, "this closure takes another number of arguments");
        }
        let mut types = Vec::with_capacity(expr.inputs.len());
        for index in 0..expr.inputs.len() {
            let expected = expected.and_then(|expected| expected.params.get(index));
            types.push(expected.copied().unwrap_or_else(|| self.unknown()));
        }
        let params =
            expr.inputs.iter().zip(&types).map(|(pat, ty)| self.infer_irrefutable(pat, *ty));
        (params.collect(), types)
    }

    /// Returns the outer variables that a closure mentions.
    fn captured_variables(&self, expr: &ExprClosure, outside: usize) -> Vec<Var> {
        struct Mentioned<'i, 'a>(&'i Infer<'a>, BTreeSet<usize>);
        impl<'ast> Visit<'ast> for Mentioned<'_, '_> {
            fn visit_ident(&mut self, ident: &'ast syn::Ident) {
                self.1.extend(self.0.scope.find(ident).map(|var| var.index()));
            }
        }
        let mut mentioned = Mentioned(self, BTreeSet::new());
        mentioned.visit_expr(&expr.body);
        mentioned.1.into_iter().filter(|index| *index < outside).map(Var::new).collect()
    }

    /// Infers a call of a closure or function pointer.
    pub(crate) fn infer_value_call(
        &mut self,
        callee: Expr,
        call: &syn::ExprCall,
        at: SpanRange,
    ) -> Expr {
        let callee = self.autoderef(callee);
        let (params, ret) = match self.types.get(callee.ty) {
            Type::Closure(id) => {
                let closure = self.types.closure_type(id);
                (closure.params.clone(), closure.ret)
            }
            Type::Pointer(list) => {
                let signature = self.pointer_signature(list);
                (signature.params, signature.ret)
            }
            Type::Reported(proof) => {
                self.infer_discarded(&call.args);
                return self.make_reported(proof, at);
            }
            _ => {
                self.infer_discarded(&call.args);
                let reported = self.report_not_callable(callee.ty, at);
                return self.make_reported(reported, at);
            }
        };
        if !self.check_arg_count(params.len(), &call.args, at) {
            return self.make_expr(ExprKind::Reported, ret, at);
        }
        let args = call.args.iter().zip(params);
        let args = args.map(|(arg, ty)| self.infer_expr_coerce(arg, ty)).collect();
        self.make_expr(ExprKind::CallValue { callee: Box::new(callee), args }, ret, at)
    }

    /// Reports the call of a value that is not callable, or its use as a callable argument.
    pub(crate) fn report_not_callable(&mut self, ty: Ty, at: SpanRange) -> Reported {
        let shown = self.types.show(ty);
        self.errors.mistyped(at, format_args!("a value of type `{shown}` cannot be called"))
    }
}
