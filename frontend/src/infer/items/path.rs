//! Paths as values: variables, constant parameters and constants.
use crate::{
    hir::{Expr, ExprKind, GenericArg, GenericKind},
    infer::{
        Infer, LocalConstant,
        call::reject,
        items::{
            cycles::Definition,
            scope::{self, Env},
        },
        traits::member::{CallFacts, Member, MemberKind},
    },
    resolve::{paths::path_key, source_map},
    syntax::{span::SpanRange, ungroup::peel},
    types::{
        Len, Prim, Ty, Type, builtin,
        constant::{self, Constant, Limit},
    },
};
use std::{borrow::Cow, rc::Rc};

/// Returns the path of a callee, without invisible groups of macros, and with the type of
/// `<f32>::max` as its first segment.
pub(crate) fn callee_path(func: &syn::Expr) -> Option<Cow<'_, syn::Path>> {
    match func {
        syn::Expr::Group(group) => callee_path(&group.expr),
        syn::Expr::Path(path) => plain_path(path),
        _ => None,
    }
}

/// Returns the path of an expression, with the type of `<f32>::MAX` as its first segment; `None`
/// for `<T as Trait>::MAX`.
pub(crate) fn plain_path(expr: &syn::ExprPath) -> Option<Cow<'_, syn::Path>> {
    let Some(qself) = &expr.qself else { return Some(Cow::Borrowed(&expr.path)) };
    let syn::Type::Path(of) = peel(&qself.ty) else { return None };
    if qself.position > 0 || of.qself.is_some() {
        return None;
    }
    let mut path = of.path.clone();
    path.segments.extend(expr.path.segments.iter().cloned());
    Some(Cow::Owned(path))
}

impl<'a> Infer<'a> {
    /// Infers a path as a value: a variable, a constant, a function, or a struct or variant without
    /// fields.
    ///
    /// The order is that of the language's name resolution: local variables, constant parameters,
    /// unit structs and variants, local constants, constants of items, functions of items and of
    /// numbers, orderings of atomics, constants of std.
    pub(crate) fn infer_path(&mut self, expr: &syn::ExprPath, hint: Option<Ty>) -> Expr {
        let at = match expr.qself {
            None => SpanRange::path(&expr.path),
            Some(_) => SpanRange::tokens(expr),
        };
        let Some(path) = plain_path(expr) else { return self.infer_qualified_constant(expr, at) };
        if let Some(ident) = path.get_ident()
            && let Some(var) = self.scope.find(ident)
        {
            let ty = self.vars[var].ty;
            return self.make_expr(ExprKind::Var(var), ty, at);
        }
        let name = path_key(&path);
        if let Some((index, GenericArg::Const(len))) = scope::find_generic(&self.env.args, &name) {
            return self.make_parameter_value(index, len, name, at);
        }
        if let Some((ty, shape)) = self.resolve_unit_shape(&path) {
            self.unify_hint(ty, hint);
            let kind =
                ExprKind::Aggregate { variant: shape.variant, fields: Vec::new(), base: None };
            return self.make_expr(kind, ty, at);
        }
        let env = self.env.clone();
        if let Some(constant) = self.find_local_constant(&path, &env) {
            let (ty, scope) = (Some(&constant.ty), constant.scope);
            return self.infer_constant_value((&constant.value, ty, env, scope), (None, at));
        }
        if self.is_late_constant(&path, &env) {
            return self.make_late_constant(expr, env, at);
        }
        if let Some((value, ty, own)) = self.find_constant(&path, &env) {
            if let Some(name) = own.home.and_then(|item| self.program().std_name(item)) {
                self.notes.record_std_path(&path, name);
            }
            return self.infer_constant_value((value, ty, own, 0), (hint, at));
        }
        if let Some(function) = self.infer_function_value(&path, at) {
            return function;
        }
        if let Some(function) = self.infer_number_function_value(&path) {
            return function;
        }
        if let Some(order) = self.make_ordering_value(&path, at) {
            return order;
        }
        // The expected type has a reported error, which explains this path, too.
        if let Some(Type::Reported(proof)) = hint.map(|hint| self.types.get(hint)) {
            return self.make_reported(proof, at);
        }
        self.infer_std_constant(&path, &name, at)
    }

    /// Returns the constant that a path in `env` names, if the function declares it.
    pub(crate) fn find_local_constant(
        &self,
        path: &syn::Path,
        env: &Env,
    ) -> Option<Rc<LocalConstant>> {
        let name = path.get_ident().filter(|_| env.home == self.constants.home)?.to_string();
        let found = self.constants.declared.iter().rev().find(|(known, _)| *known == name)?;
        Some(found.1.clone())
    }

    /// Returns the kind of the generic parameter `name` in an environment, in which it has number
    /// `index`. Constants are inferred in the `impl` or trait that declares them, whose parameters
    /// differ from those of the function that names the constant.
    pub(crate) fn generic_kind(
        &mut self,
        index: usize,
        name: &str,
        env: &Env,
    ) -> Option<GenericKind> {
        let generics = match env.home.and_then(|item| self.program().item(item)) {
            Some(syn::Item::Impl(defined)) => Some(&defined.generics),
            Some(syn::Item::Struct(defined)) => Some(&defined.generics),
            Some(syn::Item::Enum(defined)) => Some(&defined.generics),
            Some(syn::Item::Trait(defined)) => Some(&defined.generics),
            _ => None,
        };
        let mut params = generics.into_iter().flat_map(|generics| &generics.params);
        let declared = params.find(|param| match param {
            syn::GenericParam::Const(param) => param.ident == name,
            syn::GenericParam::Type(_) | syn::GenericParam::Lifetime(_) => false,
        });
        if let Some(param) = declared {
            return Some(GenericKind::Const(self.const_param_prim(param, env)));
        }
        let own = self.names.generics.get(index).filter(|generic| generic.name == name);
        own.map(|generic| generic.kind)
    }

    /// Makes the value of a constant parameter or open constant.
    fn make_parameter_value(
        &mut self,
        index: usize,
        len: Len,
        name: String,
        at: SpanRange,
    ) -> Expr {
        let env = self.env.clone();
        let ty = match self.generic_kind(index, &name, &env) {
            Some(GenericKind::Const(prim)) => self.prim(prim),
            Some(GenericKind::Open(ty)) => {
                self.names.open_uses.push((name, at));
                ty
            }
            Some(GenericKind::Type(_)) | None => self.prim(Prim::Usize),
        };
        self.make_expr(ExprKind::ConstParam(len), ty, at)
    }

    /// Returns the member of `<T as Trait>::N`.
    pub(crate) fn find_qualified_member(&mut self, expr: &syn::ExprPath) -> Option<Member<'a>> {
        let (qself, last) = (expr.qself.as_ref()?, expr.path.segments.last()?);
        let owner = self.resolve_type(&qself.ty);
        let of_trait = self.qualifying_trait(expr);
        let segments = expr.path.segments.iter().take(qself.position).cloned().collect();
        let written = syn::Path { leading_colon: expr.path.leading_colon, segments };
        let call_facts = CallFacts { of_trait: Some(&written), ..CallFacts::default() };
        self.find_member_for_call(owner, &last.ident.to_string(), of_trait.as_deref(), call_facts)
    }

    /// Infers `<T as Trait>::N`.
    fn infer_qualified_constant(&mut self, expr: &syn::ExprPath, at: SpanRange) -> Expr {
        if let Some(member) = self.find_qualified_member(expr)
            && let MemberKind::Const(value, ty) = member.kind
        {
            return self.infer_constant_value((value, Some(ty), member.env, 0), (None, at));
        }
        let reported = self.errors.advise(
            at,
            "kernel code does not know this constant",
            "mark the `impl` that says it `#[device]`",
        );
        self.make_reported(reported, at)
    }

    /// Infers the value of a constant: its expression, in its own environment. The expected type
    /// decides types that are not written: `Wrapper::EMPTY`.
    fn infer_constant_value(
        &mut self,
        (value, ty, own, constants): (&syn::Expr, Option<&syn::Type>, Env, usize),
        (hint, at): (Option<Ty>, SpanRange),
    ) -> Expr {
        let env = own.clone();
        self.oblige_known_args(&env.args, at);
        let definition = Definition { value, env: &env, constants, at };
        let resolve = |this: &mut Self| this.infer_value_in(value, ty, own, (hint, at));
        match self.resolve_definition(&definition, resolve) {
            Ok(value) => value,
            Err(reported) => self.make_reported(reported, at),
        }
    }

    fn infer_value_in(
        &mut self,
        value: &syn::Expr,
        ty: Option<&syn::Type>,
        own: Env,
        (hint, at): (Option<Ty>, SpanRange),
    ) -> Expr {
        let home = std::mem::replace(&mut self.env, own);
        let scope = std::mem::take(&mut self.scope);
        let outer = self.constant_use;
        self.constant_use = outer.or(Some(at));
        let ty = ty.map(|ty| self.resolve_type(ty));
        let value = match ty {
            Some(ty) => {
                self.unify_hint(ty, hint);
                self.infer_expr_coerce(value, ty)
            }
            None => self.infer_expr(value, None),
        };
        self.constant_use = outer;
        self.scope = scope;
        self.env = home;
        let ty = value.ty;
        self.make_expr(ExprKind::DeclaredConstant(Box::new(value)), ty, at)
    }

    /// Infers a std constant by its path: `f32::MAX`, `T::ZERO`, `std::f32::consts::PI`.
    fn infer_std_constant(&mut self, path: &syn::Path, name: &str, at: SpanRange) -> Expr {
        let names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let [ty, constant] = names.as_slice()
            && let Some(ty) = self.type_parameter(ty)
        {
            return self.make_owner_constant(ty, constant, name, at);
        }
        let env = self.env.clone();
        if let Some((found, prim)) = self.find_std_constant(path, &env) {
            let ty = self.prim(prim);
            return self.make_expr(ExprKind::Constant(found), ty, at);
        }
        if let [_, _, constant] = names.as_slice()
            && let Some((ty, _)) = self.path_owner(path, &env)
        {
            return self.make_owner_constant(ty, constant, name, at);
        }
        let is_variable =
            matches!(names.as_slice(), [name] if name.starts_with(char::is_lowercase));
        let reported = if let Some((fact, help)) = uncalled_builtin(path, &names) {
            // rustc reports the type of the function, unless the function is passed.
            self.errors.advise_unless_rustc(at, fact, help)
        } else if is_variable {
            self.errors.mistyped(at, format_args!("cannot find value `{name}` in this scope"))
        } else if let [owner, function] = names.as_slice()
            && Prim::from_name(owner).is_some()
            && function.starts_with(char::is_lowercase)
        {
            self.errors.advise(
                at,
                format_args!("kernel code does not know the type of the function `{name}` here"),
                "write a closure that calls it, with the types of its parameters",
            )
        } else if let [.., owner, constant] = names.as_slice()
            && let Some(help) = reject::host_blocks(at, constant, owner)
        {
            let fact = format_args!("kernel code does not know the constant `{name}`");
            self.errors.advise(at, fact, help)
        } else {
            self.errors.advise_unless_rustc(
                at,
                format_args!("kernel code does not know the constant `{name}`"),
                format_args!(
                    "mark it `#[device]`, name it in `#[kernel(open({name}))]`, or make it a \
                     constant parameter"
                ),
            )
        };
        self.make_reported(reported, at)
    }

    /// Returns the type of a type parameter, or of `Self` if it is a number.
    pub(crate) fn type_parameter(&self, name: &str) -> Option<Ty> {
        match scope::find_generic(&self.env.args, name) {
            Some((_, GenericArg::Type(ty))) => Some(ty),
            _ if name == "Self" => {
                self.env.self_ty.filter(|this| self.types.as_prim(*this).is_some())
            }
            _ => None,
        }
    }

    /// Makes a constant of a type parameter or `Self`, which may be a number.
    fn make_owner_constant(&mut self, ty: Ty, constant: &str, name: &str, at: SpanRange) -> Expr {
        let known = match self.types.get(ty) {
            Type::Prim(prim) => constant::find(&[prim.name().to_owned(), constant.to_owned()]),
            _ => None,
        };
        let found = match (constant, known) {
            ("ZERO", _) => Constant::Zero,
            ("ONE", _) => Constant::One,
            (_, Some((found, prim))) => {
                let ty = self.prim(prim);
                return self.make_expr(ExprKind::Constant(found), ty, at);
            }
            (_, None)
                if matches!(self.types.get(ty), Type::Generic(_) | Type::Unknown(_))
                    && let Some(limit) = Limit::from_name(constant) =>
            {
                Constant::Limit(limit)
            }
            (_, None) => {
                let fact = format!("kernel code does not know the constant `{name}`");
                let help = "`Num` has `ZERO`, `ONE`, `MIN` and `MAX`, and `Float` also `INFINITY`, \
                            `NEG_INFINITY`, `NAN` and `EPSILON`";
                let reported = self.errors.advise_unless_rustc(at, fact, help);
                return self.make_reported(reported, at);
            }
        };
        self.make_expr(ExprKind::Constant(found), ty, at)
    }
}

/// Returns the message for a function of Warpwise that is in scope and is used as a value:
/// `grid::sync;`.
fn uncalled_builtin(path: &syn::Path, names: &[String]) -> Option<(String, String)> {
    let found = builtin::find(names)?;
    let is_alone = names.len() == 1;
    // A plain name is a function of the prelude, or a variable that does not exist.
    let is_in_scope = !(is_alone && found.path.contains("::"))
        && path.segments.first().is_some_and(|first| source_map::has_prelude(&first.ident));
    let name = names.join("::");
    let args = if found.params.is_empty() { "" } else { ".." };
    let help = format!("call it, `{name}({args})`, in a closure if a function is passed");
    is_in_scope
        .then(|| (format!("kernel code does not know the function `{name}` as a value"), help))
}
