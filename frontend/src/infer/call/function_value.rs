//! Functions as values: closures that call them.
use crate::{
    hir::{Call, Closure, Expr, ExprKind, Pattern, PatternKind, Variable},
    infer::{
        Infer,
        call::device_call::ResolvedFunction,
        items::{ResolvedPrefix, Shape, scope::Env},
        traits::member::MemberKind,
    },
    resolve::device_set::Callee,
    syntax::span::SpanRange,
    types::{ClosureType, Prim, Ty, method},
};
use quote::ToTokens;
use std::rc::Rc;
use syn::{Item, ReturnType, spanned::Spanned};

impl<'a> Infer<'a> {
    /// Infers a path to a function or variant as a value: `square` in `apply(square, x)`,
    /// `Vec3::length`, `Some`.
    pub(crate) fn infer_function_value(&mut self, path: &syn::Path, at: SpanRange) -> Option<Expr> {
        let env = self.env.clone();
        if let Some(ResolvedPrefix { item, rest, .. }) = self.resolve_prefix(path, &env)
            && rest.is_empty()
            && let Some(Item::Fn(function)) = self.program().item(item)
        {
            let home = Env { args: [].into(), home: Some(item), self_ty: None };
            let callee = Callee { item, member: None };
            let function =
                ResolvedFunction { callee, sig: &function.sig, env: home, expected: None };
            if let Some(name) = self.program().std_name(item) {
                self.notes.record_std_path(path, name);
            }
            return Some(self.make_call_closure(function, path, at));
        }
        if let Some((ty, shape)) = self.resolve_shape(path) {
            return Some(self.make_shape_closure(ty, &shape, at));
        }
        let (owner, name) = self.path_owner(path, &env)?;
        let member = self.find_member(owner, &name, None)?;
        let MemberKind::Fn(sig) = member.kind else { return None };
        let function =
            ResolvedFunction { callee: member.callee, sig, env: member.env, expected: None };
        Some(self.make_call_closure(function, path, at))
    }

    /// Infers a function of a number type as a value whose signature nothing expects: `f32::max` in
    /// `Blend { function: f32::max }`.
    pub(crate) fn infer_number_function_value(&mut self, path: &syn::Path) -> Option<Expr> {
        let names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let [owner, name] = names.as_slice() else { return None };
        let owner = match self.type_parameter(owner) {
            Some(ty) => ty,
            None => self.prim(Prim::from_name(owner)?),
        };
        let ty = self.types.get(owner);
        let arguments = match method::find_associated(name, ty) {
            Some(spec) => spec.params.len(),
            None => 1 + method::find_method(name, ty)?.params.len(),
        };
        Some(self.infer_closure(&calling_closure(path, arguments), None))
    }

    fn make_call_closure(
        &mut self,
        function: ResolvedFunction<'a>,
        path: &syn::Path,
        at: SpanRange,
    ) -> Expr {
        let ResolvedFunction { callee, sig, env, .. } = function;
        let env = self.instantiate_generics(sig, env, Self::turbofish(path), at);
        let ret = match &sig.output {
            ReturnType::Default => self.types.unit(),
            ReturnType::Type(_, ty) => self.resolve_type_in(ty, &env),
        };
        let mut types = Vec::with_capacity(sig.inputs.len());
        for (index, param) in sig.inputs.iter().enumerate() {
            types.push(self.parameter_type(index, param, &env));
        }
        let (params, args) = self.make_argument_variables(&types, at);
        let generics = env.args.iter().map(|(_, arg)| *arg).collect();
        let call = Call { callee, generics, self_ty: env.self_ty, args };
        let body = self.make_expr(ExprKind::Call(Box::new(call)), ret, at);
        self.make_closure(params, types, body, at)
    }

    fn make_shape_closure(&mut self, ty: Ty, shape: &Shape<'a>, at: SpanRange) -> Expr {
        let types = self.field_types(ty, shape);
        let (params, args) = self.make_argument_variables(&types, at);
        let fields = args.into_iter().enumerate().collect();
        let kind = ExprKind::Aggregate { variant: shape.variant, fields, base: None };
        let body = self.make_expr(kind, ty, at);
        self.make_closure(params, types, body, at)
    }

    /// Makes a variable for each argument, as a pattern and as an expression.
    pub(crate) fn make_argument_variables(
        &mut self,
        types: &[Ty],
        at: SpanRange,
    ) -> (Vec<Pattern>, Vec<Expr>) {
        let mut params = Vec::with_capacity(types.len());
        let mut args = Vec::with_capacity(types.len());
        for &ty in types {
            let place = self.record_span(at);
            let name = String::new();
            let variable = Variable { name, ty, mutable: false, settable: false, at: place };
            let var = self.vars.push(variable);
            let kind = PatternKind::Bind { var, by_ref: false, subpattern: None };
            params.push(Pattern { kind, ty, at: place });
            args.push(self.make_expr(ExprKind::Var(var), ty, at));
        }
        (params, args)
    }

    pub(crate) fn make_closure(
        &mut self,
        params: Vec<Pattern>,
        types: Vec<Ty>,
        body: Expr,
        at: SpanRange,
    ) -> Expr {
        let which = self.program().next_closure_number();
        let ty = self.types.closure(ClosureType { number: which, params: types, ret: body.ty });
        let closure =
            Closure { params, copies: Vec::new(), returns_early: false, levels: Vec::new(), body };
        self.make_expr(ExprKind::Closure(Rc::new(closure)), ty, at)
    }
}

/// Returns a closure that calls a function: `|arg0, arg1| name(arg0, arg1)`.
pub(crate) fn calling_closure(
    function: &(impl ToTokens + Spanned),
    arguments: usize,
) -> syn::ExprClosure {
    let names = (0..arguments).map(|index| quote::format_ident!("arg{index}"));
    let names: Vec<syn::Ident> = names.collect();
    syn::parse_quote_spanned!(function.span()=> |#(#names),*| #function(#(#names),*))
}
