//! Items: resolution of paths, and the declarations that they lead to.
pub(crate) mod const_eval;
pub(crate) mod cycles;
pub(crate) mod extent;
pub(crate) mod late_constant;
pub(crate) mod lifetimes;
pub(crate) mod path;
pub(crate) mod scope;
pub(crate) mod signature;
pub(crate) mod written_type;

use crate::{
    hir::GenericArg,
    infer::{
        Infer,
        items::{scope::Env, written_type::OmittedArgs},
        program::Program,
        traits::member::{Member, MemberKind},
    },
    resolve::paths::path_key,
    syntax::ungroup::peel,
    types::{
        Prim, Ty, Type,
        constant::{self, Constant},
    },
};
use syn::{Fields, Item};

/// A path split after the part that names an item.
pub(crate) struct ResolvedPrefix {
    /// The item.
    pub(crate) item: usize,
    /// The segment that names the item.
    pub(crate) segment: usize,
    /// The segments after it.
    pub(crate) rest: Vec<String>,
}

/// A struct or a variant of an enum.
pub(crate) struct Shape<'a> {
    /// The variant of an enum.
    pub(crate) variant: Option<usize>,
    /// The fields.
    pub(crate) fields: &'a Fields,
}

impl<'a> Infer<'a> {
    pub(crate) fn program(&self) -> &'a Program<'a> {
        self.input.program
    }

    /// Returns true inside a function of the standard library.
    pub(crate) fn is_in_std_lib(&self) -> bool {
        self.env.home.is_some_and(|home| self.program().is_in_std_lib(home))
    }

    /// Returns the item that a path, or its longest resolvable prefix, names.
    pub(crate) fn resolve_prefix(&self, path: &syn::Path, env: &Env) -> Option<ResolvedPrefix> {
        let paths = self.program().paths(env.home);
        let mut prefix = path.clone();
        while !prefix.segments.is_empty() {
            let length = prefix.segments.len();
            let found = paths.get(&path_key(&prefix)).copied();
            let found = found.or_else(|| self.program().std_item(&path_key(&prefix)));
            if let Some(item) = found {
                let rest = path.segments.iter().skip(length);
                let rest = rest.map(|segment| segment.ident.to_string()).collect();
                return Some(ResolvedPrefix { item, segment: length - 1, rest });
            }
            prefix.segments.pop();
            prefix.segments.pop_punct();
        }
        None
    }

    /// Returns the expression and type of the `#[device]` constant that a path names, with its
    /// environment.
    pub(crate) fn find_constant(
        &mut self,
        path: &syn::Path,
        env: &Env,
    ) -> Option<(&'a syn::Expr, Option<&'a syn::Type>, Env)> {
        if let Some(ResolvedPrefix { item, rest, .. }) = self.resolve_prefix(path, env)
            && rest.is_empty()
            && let Some(Item::Const(constant)) = self.program().item(item)
        {
            let own = Env { args: [].into(), home: Some(item), self_ty: None };
            return Some((&constant.expr, Some(&constant.ty), own));
        }
        // Inherent constants of numbers override those of traits.
        if self.find_std_constant(path, env).is_some_and(|(found, prim)| !found.is_by_trait(prim)) {
            return None;
        }
        let (owner, name) = self.path_owner(path, env)?;
        match self.find_member(owner, &name, None)? {
            Member { kind: MemberKind::Const(expr, ty), env, .. } => Some((expr, Some(ty), env)),
            _ => None,
        }
    }

    /// Returns the std constant that a path names: `f32::MAX`, and `Self::MAX` if `Self` is a
    /// number.
    pub(crate) fn find_std_constant(
        &mut self,
        path: &syn::Path,
        env: &Env,
    ) -> Option<(Constant, Prim)> {
        let names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        constant::find(&names).or_else(|| {
            let (prim, name) = self.inherent_number_owner(path, env)?;
            constant::find(&[prim.name().to_owned(), name])
        })
    }

    /// Returns the number type whose inherent constant or function a path may name, and the name.
    /// Type parameters and `Self` in a trait are excluded, because they have only what their bounds
    /// declare.
    pub(crate) fn inherent_number_owner(
        &mut self,
        path: &syn::Path,
        env: &Env,
    ) -> Option<(Prim, String)> {
        let first = path.segments.first()?.ident.to_string();
        if crate::infer::items::scope::find_generic(&env.args, &first).is_some()
            || first == "Self" && !self.is_self_concrete(env)
        {
            return None;
        }
        let (owner, name) = self.path_owner(path, env)?;
        Some((self.types.as_prim(owner)?, name))
    }

    /// Returns true if `Self` is a type that the `impl` names, rather than one of its parameters.
    fn is_self_concrete(&self, env: &Env) -> bool {
        let Some(Item::Impl(defined)) = env.home.and_then(|home| self.program().item(home)) else {
            return false;
        };
        match peel(&defined.self_ty) {
            syn::Type::Path(path) => path.path.get_ident().is_none_or(|name| {
                crate::infer::items::scope::find_generic(&env.args, &name.to_string()).is_none()
            }),
            _ => true,
        }
    }

    /// Returns the type before the last segment of a path, and that segment: `T::N`, `Grid::WIDTH`.
    pub(crate) fn path_owner(&mut self, path: &syn::Path, env: &Env) -> Option<(Ty, String)> {
        let last = path.segments.last()?.ident.to_string();
        let mut owner = path.clone();
        owner.segments.pop();
        owner.segments.pop_punct();
        let first = owner.segments.first()?.ident.to_string();
        if owner.segments.len() == 1 {
            if first == "Self" {
                return Some((env.self_ty?, last));
            }
            if let Some((_, GenericArg::Type(ty))) =
                crate::infer::items::scope::find_generic(&env.args, &first)
            {
                return Some((ty, last));
            }
            if let Some(prim) = crate::infer::Prim::from_name(&first) {
                return Some((self.prim(prim), last));
            }
        }
        if let Some(ty) = self.resolve_projected_owner(&owner, env) {
            return Some((ty, last));
        }
        let ResolvedPrefix { item, segment, rest } = self.resolve_prefix(&owner, env)?;
        if !rest.is_empty() {
            return None;
        }
        let args = match &owner.segments.get(segment)?.arguments {
            syn::PathArguments::AngleBracketed(args) => Some(args.clone()),
            syn::PathArguments::None | syn::PathArguments::Parenthesized(_) => None,
        };
        Some((self.make_adt_type(item, args.as_ref(), env)?, last))
    }

    /// Returns the struct or variant that a path in an expression or pattern names, with its type.
    pub(crate) fn resolve_shape(&mut self, path: &syn::Path) -> Option<(Ty, Shape<'a>)> {
        let env = self.env.clone();
        if let Some(ResolvedPrefix { item, segment, rest }) = self.resolve_prefix(path, &env) {
            let ty = self.make_adt_type(item, first_args_from(path, segment), &env)?;
            return self.type_shape(ty, rest.first().map(String::as_str));
        }
        let first = path.segments.first()?.ident.to_string();
        if let Some((item, variant)) = self.program().std_variant(&path_key(path)) {
            let ty = self.make_adt_type(item, first_args_from(path, 0), &env)?;
            return Some((ty, self.variant_shape(item, variant)?));
        }
        let ty = match crate::infer::items::scope::find_generic(&env.args, &first) {
            Some((_, GenericArg::Type(ty))) => ty,
            _ if first == "Self" => env.self_ty?,
            _ => return None,
        };
        let variant = path.segments.iter().nth(1).map(|segment| segment.ident.to_string());
        self.type_shape(ty, variant.as_deref())
    }

    /// Returns the struct of a type, or its variant with this name.
    pub(crate) fn type_shape(&mut self, ty: Ty, variant: Option<&str>) -> Option<(Ty, Shape<'a>)> {
        let Type::Adt(item, _) = self.types.get(ty) else { return None };
        match (self.program().item(item)?, variant) {
            (Item::Struct(defined), None) => {
                Some((ty, Shape { variant: None, fields: &defined.fields }))
            }
            (Item::Enum(defined), Some(name)) => {
                let index = defined.variants.iter().position(|variant| variant.ident == name)?;
                Some((ty, self.variant_shape(item, index)?))
            }
            _ => None,
        }
    }

    fn variant_shape(&self, item: usize, index: usize) -> Option<Shape<'a>> {
        let Some(Item::Enum(defined)) = self.program().item(item) else { return None };
        Some(Shape { variant: Some(index), fields: &defined.variants.get(index)?.fields })
    }

    /// Makes the type of a struct or enum in an expression. Its generic arguments are inferred
    /// unless written.
    fn make_adt_type(
        &mut self,
        item: usize,
        args: Option<&syn::AngleBracketedGenericArguments>,
        env: &Env,
    ) -> Option<Ty> {
        let generics = match self.program().item(item)? {
            Item::Struct(defined) => &defined.generics,
            Item::Enum(defined) => &defined.generics,
            Item::Type(_) => return self.make_item_type(item, args, env, OmittedArgs::Inferred),
            _ => return None,
        };
        let own = Env { args: [].into(), home: Some(item), self_ty: None };
        let params = self.resolve_generic_args(generics, args, env, &own, OmittedArgs::Inferred);
        let list = self.types.list(params.into_iter().map(|(_, arg)| arg).collect());
        Some(self.types.add(Type::Adt(item, list)))
    }

    /// Returns the environment of the definition of a struct or enum.
    pub(crate) fn definition_env(&mut self, ty: Ty) -> Option<Env> {
        let Type::Adt(item, list) = self.types.get(ty) else { return None };
        let generics = match self.program().item(item)? {
            Item::Struct(defined) => &defined.generics,
            Item::Enum(defined) => &defined.generics,
            _ => return None,
        };
        let names = generics.params.iter().filter_map(|param| match param {
            syn::GenericParam::Type(param) => Some(param.ident.to_string()),
            syn::GenericParam::Const(param) => Some(param.ident.to_string()),
            syn::GenericParam::Lifetime(_) => None,
        });
        let args = names.zip(self.types.args(list).iter().copied()).collect();
        Some(Env { args, home: Some(item), self_ty: Some(ty) })
    }

    /// Returns the field types of a struct or variant.
    pub(crate) fn field_types(&mut self, ty: Ty, shape: &Shape<'a>) -> Vec<Ty> {
        let Some(env) = self.definition_env(ty) else { return Vec::new() };
        shape.fields.iter().map(|field| self.resolve_type_in(&field.ty, &env)).collect()
    }

    /// Instantiates an `impl` with unknown generic arguments. Returns its environment and its self
    /// type.
    pub(crate) fn instantiate_impl(&mut self, item: usize) -> Option<(Env, Ty)> {
        let Some(Item::Impl(defined)) = self.program().item(item) else { return None };
        let own = Env { args: [].into(), home: Some(item), self_ty: None };
        let args =
            self.resolve_generic_args(&defined.generics, None, &own, &own, OmittedArgs::Inferred);
        let mut env = Env { args: args.into(), ..own };
        let this = self.resolve_type_in(&defined.self_ty, &env);
        env.self_ty = Some(this);
        Some((env, this))
    }

    /// Returns the name in a trait's definition, which a `use` may have renamed at the path.
    pub(crate) fn trait_name(&self, path: &syn::Path, env: &Env) -> Option<String> {
        match self.resolve_prefix(path, env).and_then(|split| self.program().item(split.item)) {
            Some(Item::Trait(defined)) => Some(defined.ident.to_string()),
            _ => Some(path.segments.last()?.ident.to_string()),
        }
    }

    /// Returns the trait of `<T as Trait>::name`.
    pub(crate) fn qualifying_trait(&self, expr: &syn::ExprPath) -> Option<String> {
        let position = expr.qself.as_ref()?.position;
        let segments = expr.path.segments.iter().take(position).cloned().collect();
        let path = syn::Path { leading_colon: expr.path.leading_colon, segments };
        self.trait_name(&path, &self.env)
    }
}

/// Returns the first generic arguments from this segment on: `<f32>` of `Option::<f32>::None` and
/// of `None::<f32>`.
fn first_args_from(
    path: &syn::Path,
    segment: usize,
) -> Option<&syn::AngleBracketedGenericArguments> {
    path.segments.iter().skip(segment).find_map(|segment| match &segment.arguments {
        syn::PathArguments::AngleBracketed(args) => Some(args),
        syn::PathArguments::None | syn::PathArguments::Parenthesized(_) => None,
    })
}
