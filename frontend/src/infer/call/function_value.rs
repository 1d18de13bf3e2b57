//! Functions as values: closures that call them.
use crate::{
    hir::{Call, Closure, Expr, Kind, Pattern, PatternKind, Variable},
    infer::{
        Infer,
        call::device_call::Function,
        items::{Shape, Split, scope::Env},
        traits::member::MemberKind,
    },
    resolve::device_set::Callee,
    syntax::span::SpanRange,
    types::{ClosureType, Ty},
};
use std::rc::Rc;
use syn::{Item, ReturnType};

impl<'a> Infer<'a> {
    /// Infers a path to a function or variant as a value: `square` in `apply(square, x)`,
    /// `Vec3::length`, `Some`.
    pub(crate) fn function_value(&mut self, path: &syn::Path, at: SpanRange) -> Option<Expr> {
        let env = self.env.clone();
        if let Some(Split { item, rest, .. }) = self.split(path, &env)
            && rest.is_empty()
            && let Some(Item::Fn(function)) = self.program().item(item)
        {
            let home = Env { args: [].into(), home: Some(item), this: None };
            let callee = Callee { item, member: None };
            let of = Function { callee, sig: &function.sig, env: home, gives: None };
            if let Some(name) = self.program().of_std(item) {
                self.notes.of_std(path, name);
            }
            return Some(self.call_closure(of, path, at));
        }
        if let Some((ty, shape)) = self.shape(path) {
            return Some(self.shape_closure(ty, &shape, at));
        }
        let (owner, name) = self.owner(path, &env)?;
        let member = self.member(owner, &name, None)?;
        let MemberKind::Fn(sig) = member.kind else { return None };
        let of = Function { callee: member.callee, sig, env: member.env, gives: None };
        Some(self.call_closure(of, path, at))
    }

    fn call_closure(&mut self, of: Function<'a>, path: &syn::Path, at: SpanRange) -> Expr {
        let Function { callee, sig, env, .. } = of;
        let env = self.instantiate(sig, env, Self::turbofish(path), at);
        let ret = match &sig.output {
            ReturnType::Default => self.types.unit(),
            ReturnType::Type(_, ty) => self.type_in(ty, &env),
        };
        let mut types = Vec::with_capacity(sig.inputs.len());
        for (index, param) in sig.inputs.iter().enumerate() {
            types.push(self.parameter_type(index, param, &env));
        }
        let (params, args) = self.argument_variables(&types, at);
        let generics = env.args.iter().map(|(_, arg)| *arg).collect();
        let call = Call { callee, generics, this: env.this, args };
        let body = self.make(Kind::Call(Box::new(call)), ret, at);
        self.made_closure(params, types, body, at)
    }

    fn shape_closure(&mut self, ty: Ty, shape: &Shape<'a>, at: SpanRange) -> Expr {
        let types = self.field_types(ty, shape);
        let (params, args) = self.argument_variables(&types, at);
        let fields = args.into_iter().enumerate().collect();
        let kind = Kind::Aggregate { variant: shape.variant, fields, base: None };
        let body = self.make(kind, ty, at);
        self.made_closure(params, types, body, at)
    }

    /// Makes a variable for each argument, as a pattern and as an expression.
    pub(crate) fn argument_variables(
        &mut self,
        types: &[Ty],
        at: SpanRange,
    ) -> (Vec<Pattern>, Vec<Expr>) {
        let mut params = Vec::with_capacity(types.len());
        let mut args = Vec::with_capacity(types.len());
        for &ty in types {
            let place = self.at(at);
            let name = String::new();
            let variable = Variable { name, ty, mutable: false, settable: false, at: place };
            let var = self.vars.push(variable);
            let kind = PatternKind::Bind { var, by_ref: false, and: None };
            params.push(Pattern { kind, ty, at: place });
            args.push(self.make(Kind::Var(var), ty, at));
        }
        (params, args)
    }

    pub(crate) fn made_closure(
        &mut self,
        params: Vec<Pattern>,
        types: Vec<Ty>,
        body: Expr,
        at: SpanRange,
    ) -> Expr {
        let which = self.program().new_closure();
        let ty = self.types.closure(ClosureType { which, params: types, ret: body.ty });
        let closure =
            Closure { params, copies: Vec::new(), returns_early: false, levels: Vec::new(), body };
        self.make(Kind::Closure(Rc::new(closure)), ty, at)
    }
}
