//! Paths and calls in constant expressions: variables, parameters, constants, variants, and
//! `const fn`s.
use super::{
    Evaluation, Flow, Stop, Value,
    arithmetic::{Number, wrap},
    member_name, numeric,
};
use crate::{
    hir::{GenericArg, GenericKind},
    infer::{
        Infer,
        items::{
            ResolvedPrefix,
            cycles::Definition,
            path::{callee_path, plain_path},
            scope::{self, Env},
            signature::{GenericParameter, generic_parameters},
        },
        traits::member::{Member, MemberKind},
    },
    resolve::{device_set::Callee, paths::path_key},
    syntax::{span::SpanRange, ungroup},
    types::{Prim, Type, constant::Constant},
};
use syn::{Expr, Pat};

impl Infer<'_> {
    /// Evaluates a variable, a constant parameter or a constant.
    pub(super) fn eval_path_value(
        &mut self,
        expr: &syn::ExprPath,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        let Some(path) = plain_path(expr) else {
            let member = self.find_qualified_member(expr).ok_or(Stop::NoValue)?;
            let MemberKind::Const(value, ty) = member.kind else { return Err(Stop::NoValue) };
            return self.eval_definition((value, Some(ty), member.env, 0), expr, evaluation);
        };
        if let Some(name) = path.get_ident()
            && let Some(index) = evaluation.find(&name.to_string())
        {
            return Ok(evaluation.variables[index].1.clone());
        }
        let (env, name) = (self.env.clone(), path_key(&path));
        if let Some((index, GenericArg::Const(len))) = scope::find_generic(&env.args, &name) {
            let known = self.types.extent(len).and_then(|extent| extent.simplified()?.known());
            let kind = self.generic_kind(index, &name, &env);
            let (Some(bits), Some(GenericKind::Const(prim))) = (known, kind) else {
                return Err(Stop::NoValue);
            };
            return Ok(Value::Number(Number { value: wrap(bits.into(), prim), prim: Some(prim) }));
        }
        if let Some(constant) = self.find_local_constant(&path, &env) {
            let found = (&constant.value, Some(&constant.ty), env, constant.scope);
            return self.eval_definition(found, expr, evaluation);
        }
        if let Some((value, ty, own)) = self.find_constant(&path, &env) {
            return self.eval_definition((value, ty, own, 0), expr, evaluation);
        }
        match self.find_std_constant(&path, &env) {
            Some((Constant::Int(value), prim)) => numeric(Number::new(value, Some(prim))),
            Some((Constant::Zero, prim)) => numeric(Number::new(0, Some(prim))),
            Some((Constant::One, prim)) => numeric(Number::new(1, Some(prim))),
            _ => Err(Stop::NoValue),
        }
    }

    /// Evaluates the value of a constant in the environment of its definition.
    fn eval_definition(
        &mut self,
        (value, ty, env, constants): (&Expr, Option<&syn::Type>, Env, usize),
        of: &syn::ExprPath,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        let at = SpanRange::path(&of.path);
        let definition = Definition { value, env: &env, constants, at };
        self.resolve_definition(&definition, |this| {
            let prim = ty.and_then(|ty| this.element_prim_in(ty, &env));
            this.eval_in(value, prim, &env, evaluation)?.typed(prim)
        })
        .map_err(Stop::Reported)?
    }

    /// Returns the length of a constant array, by its type, if `receiver` names one.
    pub(super) fn constant_len(
        &mut self,
        receiver: &Expr,
        evaluation: &Evaluation,
    ) -> Flow<Option<u64>> {
        let Expr::Path(path) = receiver else { return Ok(None) };
        let Some(path) = plain_path(path) else { return Ok(None) };
        let is_variable =
            path.get_ident().is_some_and(|name| evaluation.find(&name.to_string()).is_some());
        let env = self.env.clone();
        let is_constant = self.find_local_constant(&path, &env).is_some()
            || self.find_constant(&path, &env).is_some();
        if is_variable || !is_constant {
            return Ok(None);
        }
        let len = self.eval_array_len(&path, &env).map_err(Stop::Reported)?;
        Ok(len.and_then(|len| len.simplified()?.known()))
    }

    /// Evaluates a struct expression, each field with its type.
    pub(super) fn eval_struct(
        &mut self,
        of: &syn::ExprStruct,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        let env = self.env.clone();
        let own_item = env.self_ty.filter(|_| of.path.is_ident("Self"));
        let item = match own_item.map(|ty| self.types.get(ty)) {
            Some(Type::Adt(item, _)) => item,
            Some(_) => return Err(Stop::NoValue),
            None => match self.resolve_prefix(&of.path, &env) {
                Some(ResolvedPrefix { item, rest, .. }) if rest.is_empty() => item,
                _ => return Err(Stop::NoValue),
            },
        };
        let Some(syn::Item::Struct(defined)) = self.program().item(item) else {
            return Err(Stop::NoValue);
        };
        let own = Env { args: [].into(), home: Some(item), self_ty: None };
        let fields = defined.fields.members().zip(&defined.fields);
        let prims: Vec<(String, Option<Prim>)> = fields
            .map(|(member, field)| (member_name(&member), self.element_prim_in(&field.ty, &own)))
            .collect();
        let mut all = Vec::new();
        for field in &of.fields {
            let name = member_name(&field.member);
            let prim = prims.iter().find(|(known, _)| *known == name).and_then(|(_, prim)| *prim);
            let value = self.eval_expr(&field.expr, prim, evaluation)?.typed(prim)?;
            all.push((name, value));
        }
        all.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(Value::Fields(all.into()))
    }

    /// Returns the discriminant of a variant that an expression names; `None` if it names none.
    pub(super) fn eval_variant(
        &mut self,
        expr: &Expr,
        evaluation: &mut Evaluation,
    ) -> Flow<Option<Number>> {
        let Expr::Path(path) = expr else { return Ok(None) };
        let Some(path) = plain_path(path) else { return Ok(None) };
        let Some((ty, shape)) = self.resolve_unit_shape(&path) else { return Ok(None) };
        let Type::Adt(item, _) = self.types.get(ty) else { return Ok(None) };
        let (Some(syn::Item::Enum(defined)), Some(variant)) =
            (self.program().item(item), shape.variant)
        else {
            return Ok(None);
        };
        let own = Env { args: [].into(), home: Some(item), self_ty: None };
        let mut discriminant = 0;
        for (index, variant) in defined.variants.iter().take(variant + 1).enumerate() {
            if let Some((_, written)) = &variant.discriminant {
                match self.eval_in(written, Some(Prim::Isize), &own, evaluation)? {
                    Value::Number(number) => discriminant = number.value,
                    _ => return Err(Stop::NoValue),
                }
            } else if index > 0 {
                discriminant = i128::checked_add(discriminant, 1).ok_or(Stop::NoValue)?;
            }
        }
        Ok(Some(Number { value: discriminant, prim: None }))
    }

    /// Evaluates a call of a `const fn`.
    pub(super) fn eval_call(
        &mut self,
        call: &syn::ExprCall,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        let path = callee_path(&call.func).ok_or(Stop::NoValue)?;
        let env = self.env.clone();
        let (callee, own) = match self.resolve_prefix(&path, &env) {
            Some(ResolvedPrefix { item, rest, .. })
                if rest.is_empty()
                    && matches!(self.program().item(item), Some(syn::Item::Fn(_))) =>
            {
                let own = Env { args: [].into(), home: Some(item), self_ty: None };
                (Callee { item, member: None }, own)
            }
            _ => {
                if let Some(extent) = self.extent_of_measure(call, &env) {
                    let known = extent.simplified().and_then(|extent| extent.known());
                    return numeric(Number::new(
                        known.ok_or(Stop::NoValue)?.into(),
                        Some(Prim::Usize),
                    ));
                }
                if let Some((prim, name)) = self.inherent_number_owner(&path, &env) {
                    let args = call.args.iter().enumerate();
                    let args = args.map(|(index, arg)| {
                        self.eval_number(arg, (index == 0).then_some(prim), evaluation)
                    });
                    let args = args.collect::<Flow<Vec<_>>>()?;
                    let (this, others) = args.split_first().ok_or(Stop::NoValue)?;
                    return numeric(this.call(&name, others));
                }
                let (owner, name) = self.path_owner(&path, &env).ok_or(Stop::NoValue)?;
                match self.find_member(owner, &name, None) {
                    Some(Member { callee, env, kind: MemberKind::Fn(_) }) => (callee, env),
                    _ => return Err(Stop::NoValue),
                }
            }
        };
        self.eval_function(callee, own, &path, call, evaluation)
    }

    /// Evaluates the body of a `const fn` with the arguments of a call.
    fn eval_function(
        &mut self,
        callee: Callee,
        own: Env,
        path: &syn::Path,
        call: &syn::ExprCall,
        evaluation: &mut Evaluation,
    ) -> Flow<Value> {
        let function = self.program().function_syntax(callee).ok_or(Stop::NoValue)?;
        if function.sig.constness.is_none() || function.sig.inputs.len() != call.args.len() {
            return Err(Stop::NoValue);
        }
        let (own, constants) = self.eval_generic_args(own, function.sig, path, evaluation)?;
        let inputs = function.sig.inputs.iter().map(|input| match input {
            syn::FnArg::Typed(input) => (Some(&*input.pat), self.element_prim_in(&input.ty, &own)),
            syn::FnArg::Receiver(_) => (None, None),
        });
        let inputs: Vec<(Option<&Pat>, Option<Prim>)> = inputs.collect();
        let returned = match &function.sig.output {
            syn::ReturnType::Type(_, ty) => self.element_prim_in(ty, &own),
            syn::ReturnType::Default => None,
        };
        let values = inputs.iter().zip(&call.args);
        let values =
            values.map(|((_, prim), arg)| self.eval_expr(arg, *prim, evaluation)?.typed(*prim));
        let values = values.collect::<Flow<Vec<_>>>()?;
        let home = std::mem::replace(&mut self.env, own);
        // The function does not see the constants that its caller declares.
        let declared = std::mem::take(&mut self.constants.declared);
        let (outer, first) = (evaluation.variables.len(), evaluation.first_variable);
        evaluation.first_variable = outer;
        let caller_returns = std::mem::replace(&mut evaluation.returned, returned);
        evaluation.variables.extend(constants);
        let mut result = Ok(Value::Unit);
        for ((pat, _), value) in inputs.iter().zip(&values) {
            match pat {
                Some(pat) => result = self.bind(pat, value, evaluation).map(|_| Value::Unit),
                None => evaluation.variables.push(("self".to_owned(), value.clone())),
            }
            if result.is_err() {
                break;
            }
        }
        if result.is_ok() {
            result = self.eval_block(function.block, returned, evaluation);
        }
        evaluation.variables.truncate(outer);
        (evaluation.first_variable, evaluation.returned) = (first, caller_returns);
        self.constants.declared = declared;
        self.env = home;
        match result {
            Ok(value) | Err(Stop::Return(value)) => value.typed(returned),
            Err(stop) => Err(stop),
        }
    }

    /// Returns the environment of a function with the type arguments that its call writes, and the
    /// constant arguments.
    fn eval_generic_args(
        &mut self,
        own: Env,
        sig: &syn::Signature,
        path: &syn::Path,
        evaluation: &mut Evaluation,
    ) -> Flow<(Env, Vec<(String, Value)>)> {
        let params = generic_parameters(None, sig);
        let (mut types, mut constants) = (own.args.to_vec(), Vec::new());
        let written = Self::turbofish(path).into_iter().flat_map(|written| &written.args);
        let written: Vec<&syn::GenericArgument> = written.collect();
        if written.len() != params.len() {
            return Err(Stop::NoValue);
        }
        for (param, written) in params.iter().zip(written) {
            match (param, written) {
                (GenericParameter::Type(_), syn::GenericArgument::Type(ty)) => {
                    types.push((param.name(), GenericArg::Type(self.resolve_type(ty))));
                }
                (GenericParameter::Const(of), syn::GenericArgument::Const(value)) => {
                    let prim = self.element_prim(&of.ty);
                    let value = self.eval_expr(value, prim, evaluation)?.typed(prim)?;
                    constants.push((param.name(), value));
                }
                // `f::<N>` parses as a type.
                (GenericParameter::Const(_), syn::GenericArgument::Type(syn::Type::Path(path))) => {
                    let path =
                        syn::ExprPath { attrs: Vec::new(), qself: None, path: path.path.clone() };
                    constants.push((param.name(), self.eval_path_value(&path, evaluation)?));
                }
                _ => return Err(Stop::NoValue),
            }
        }
        Ok((Env { args: types.into(), ..own }, constants))
    }

    /// Returns the number type that a type consists of: `u32` for `u32` and `&[u32; 4]`.
    pub(super) fn element_prim(&mut self, ty: &syn::Type) -> Option<Prim> {
        let env = self.env.clone();
        self.element_prim_in(ty, &env)
    }

    /// Returns the number type that a type consists of in an environment.
    fn element_prim_in(&mut self, ty: &syn::Type, env: &Env) -> Option<Prim> {
        match ungroup::peel(ty) {
            syn::Type::Array(array) => self.element_prim_in(&array.elem, env),
            syn::Type::Slice(slice) => self.element_prim_in(&slice.elem, env),
            syn::Type::Reference(reference) => self.element_prim_in(&reference.elem, env),
            syn::Type::Path(path) if path.qself.is_none() => {
                let named =
                    path.path.get_ident().and_then(|name| Prim::from_name(&name.to_string()));
                if named.is_some() {
                    return named;
                }
                // A type that resolves to no item is an error elsewhere.
                let is_known = self.resolve_prefix(&path.path, env).is_some()
                    || scope::find_generic(&env.args, &path_key(&path.path)).is_some();
                if !is_known {
                    return None;
                }
                let ty = self.resolve_type_in(ty, env);
                self.types.as_prim(ty)
            }
            _ => None,
        }
    }
}
