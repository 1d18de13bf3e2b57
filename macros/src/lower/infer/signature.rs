//! Generic parameters, parameters and result of the function.
use super::{
    super::{
        error::Errors,
        paths::key,
        span::SpanRange,
        tree::{Generic, GenericArg, GenericKind, Var, Variable},
        types::{Class, Prim, Ty, Type, Types},
    },
    Context, Infer, Obligation,
    scope::Names,
};
use syn::{
    FnArg, GenericParam, Pat, ReturnType, Safety, Signature, TypeParamBound, WherePredicate,
    punctuated::Punctuated, spanned::Spanned as _,
};
use warpwise_compiler::{
    id::Id as _,
    ir::{Bound, Extent, GenericId},
};

/// The function's generic parameters, then its open constants.
pub(super) fn generics(context: &Context<'_>, types: &mut Types, errors: &mut Errors) -> Names {
    let mut names = Names::default();
    let sig = &context.item.sig;
    for param in &sig.generics.params {
        let (ident, kind) = match param {
            GenericParam::Lifetime(_) => continue,
            GenericParam::Type(param) => {
                let bound = bound(context, &param.ident, &param.bounds, errors);
                (&param.ident, GenericKind::Type(bound))
            }
            GenericParam::Const(param) => {
                (&param.ident, GenericKind::Const(const_type(&param.ty, errors)))
            }
        };
        let at = SpanRange::token(ident.span());
        declare(&mut names, types, Generic { name: ident.to_string(), kind, at });
    }
    for path in context.kernel.unwrap_or_default() {
        let kind = GenericKind::Open(types.unknown(Class::Any));
        declare(&mut names, types, Generic { name: key(path), kind, at: SpanRange::path(path) });
    }
    names
}

fn declare(names: &mut Names, types: &mut Types, generic: Generic) {
    let id = GenericId::new(names.generics.len());
    let arg = match generic.kind {
        GenericKind::Type(_) => GenericArg::Type(types.add(Type::Generic(id))),
        GenericKind::Const(_) | GenericKind::Open(_) => {
            GenericArg::Const(types.len(Extent::Generic(id)))
        }
    };
    names.args.push((generic.name.clone(), arg));
    names.generics.push(generic);
}

/// The type of a constant parameter.
fn const_type(ty: &syn::Type, errors: &mut Errors) -> Prim {
    let prim = match peel(ty) {
        syn::Type::Path(path) => path.path.get_ident().and_then(|id| Prim::named(&id.to_string())),
        _ => None,
    };
    prim.unwrap_or_else(|| {
        errors.report(
            SpanRange::tokens(ty),
            "constant parameters of kernel code are integers or `bool`",
        );
        Prim::Usize
    })
}

/// `ty` without parentheses, and without what a macro puts around it.
pub(super) fn peel(mut ty: &syn::Type) -> &syn::Type {
    loop {
        ty = match ty {
            syn::Type::Group(group) => &group.elem,
            syn::Type::Paren(paren) => &paren.elem,
            _ => return ty,
        };
    }
}

/// Which types a type parameter may be, from its bounds and the `where` clause.
fn bound(
    context: &Context<'_>,
    ident: &syn::Ident,
    inline: &Punctuated<TypeParamBound, syn::Token![+]>,
    errors: &mut Errors,
) -> Bound {
    let clause = context.item.sig.generics.where_clause.iter();
    let predicates = clause.flat_map(|clause| &clause.predicates).filter_map(|predicate| {
        let WherePredicate::Type(predicate) = predicate else { return None };
        let syn::Type::Path(path) = &predicate.bounded_ty else { return None };
        path.path.is_ident(ident).then_some(&predicate.bounds)
    });
    let mut found: Option<Bound> = None;
    for bound in predicates.chain([inline]).flatten() {
        let TypeParamBound::Trait(bound) = bound else { continue };
        let name = bound.path.segments.last().map(|last| last.ident.to_string());
        let this = match name.as_deref() {
            Some("Num") => Bound::Num,
            Some("Int") => Bound::Int,
            Some("Float") => Bound::Float,
            Some(name) if is_std_trait(name) => continue,
            _ => {
                errors.advise(
                    SpanRange::path(&bound.path),
                    "kernel code cannot be generic over this trait",
                    "bound the type parameter by `Num`, `Int` or `Float`",
                );
                return Bound::Num;
            }
        };
        found = Some(match found {
            None | Some(Bound::Num) => this,
            Some(narrow) => narrow,
        });
    }
    if found.is_none() && context.kernel.is_some() {
        errors.advise(
            SpanRange::token(ident.span()),
            format_args!("nothing says what numbers the type parameter `{ident}` may be"),
            format_args!("bound it by `Num`, `Int` or `Float`: `{ident}: Num`"),
        );
    }
    found.unwrap_or(Bound::Num)
}

/// Traits whose methods are operators, or that have none.
fn is_std_trait(name: &str) -> bool {
    let operators = ["Add", "Sub", "Mul", "Div", "Rem", "BitAnd", "BitOr", "BitXor", "Shl", "Shr"];
    let stem = name.strip_suffix("Assign").unwrap_or(name);
    operators.contains(&stem)
        || ["Neg", "Not", "Copy", "Clone", "Send", "Sync", "Sized", "PartialEq", "Eq"]
            .contains(&name)
        || ["PartialOrd", "Ord", "Element"].contains(&name)
}

impl Infer<'_> {
    /// Declares parameters; sets the result's type.
    pub(super) fn signature(&mut self, sig: &Signature) -> Vec<Var> {
        self.modifiers(sig);
        if let ReturnType::Type(_, ty) = &sig.output {
            self.ret = self.ty(ty);
            let at = SpanRange::tokens(ty);
            if self.context.kernel.is_some() && !self.is_unit(self.ret) {
                self.errors.advise(
                    at,
                    "a kernel returns nothing: each of its threads would return its own value",
                    "write the result to a `&mut [T]` parameter",
                );
            } else {
                self.oblige(at, Obligation::Returned(self.ret));
            }
        }
        sig.inputs.iter().filter_map(|input| self.parameter(input)).collect()
    }

    /// Reports what a function of kernel code cannot be.
    fn modifiers(&mut self, sig: &Signature) {
        let what = if self.context.kernel.is_some() { "a kernel" } else { "a device function" };
        if let Some(token) = sig.asyncness {
            let at = SpanRange::token(token.span);
            self.errors.report(at, format_args!("{what} cannot be `async`"));
        }
        if let Safety::Unsafe(token) = sig.safety {
            let at = SpanRange::token(token.span);
            self.errors.advise(
                at,
                format_args!("{what} cannot be `unsafe`"),
                "leave `unsafe` out: kernel code is safe",
            );
        }
        if let Some(abi) = &sig.abi {
            let at = SpanRange::token(abi.extern_token.span);
            self.errors.report(at, format_args!("{what} cannot be `extern`"));
        }
        if let Some(variadic) = &sig.variadic {
            let at = SpanRange::tokens(variadic);
            self.errors.report(at, format_args!("{what} cannot be variadic"));
        }
    }

    fn parameter(&mut self, input: &FnArg) -> Option<Var> {
        let FnArg::Typed(input) = input else {
            self.errors.report(
                SpanRange::tokens(input),
                "kernel code cannot be a method: it has no `self`",
            );
            return None;
        };
        let ty = self.ty(&input.ty);
        if self.context.kernel.is_some() {
            self.kernel_parameter(&input.ty, ty);
        } else {
            self.oblige(SpanRange::tokens(&input.ty), Obligation::Bound(ty));
        }
        let (ident, mutable) = match &*input.pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                (Some(&pat.ident), pat.mutability.is_some())
            }
            Pat::Wild(_) => (None, false),
            pat => {
                self.errors
                    .report(SpanRange::tokens(pat), "a parameter of kernel code is a plain name");
                return None;
            }
        };
        let at = self.at(SpanRange::token(ident.map_or_else(|| input.pat.span(), |id| id.span())));
        let name = ident.map_or_else(|| "_".into(), ToString::to_string);
        let variable = Variable { name, ty, mutable, settable: mutable, at };
        let var = self.vars.push(variable);
        if let Some(ident) = ident {
            self.scope.declare(ident, var);
        }
        Some(var)
    }

    /// Reports a type that a launch cannot pass.
    fn kernel_parameter(&mut self, written: &syn::Type, ty: Ty) {
        let at = SpanRange::tokens(written);
        let advice = match self.types.get(ty) {
            Type::Prim(_) | Type::Generic(_) | Type::Reported(_) => return,
            Type::Ref { mutable, to } => match (self.types.get(to), mutable) {
                (Type::Reported(_), _) => return,
                (Type::Slice(elem), mutable) => match (self.types.get(elem), mutable) {
                    (Type::Prim(_) | Type::Generic(_) | Type::Reported(_), _)
                    | (Type::Atomic(..), false) => return,
                    (Type::Atomic(..), true) => {
                        "write `&[..]`: atomics are shared, whoever changes them"
                    }
                    _ => "pass a slice of numbers",
                },
                (Type::Array(..), false) => "write `&[T]`",
                (Type::Array(..), true) => "write `&mut [T]`",
                (_, false) => "pass numbers by value, and buffers as `&[T]`",
                (_, true) => "write `&mut [T]`: a buffer of one element will do",
            },
            _ => "parameters are numbers, `&[T]`, `&mut [T]` and slices of atomics",
        };
        self.errors.advise(at, "a kernel cannot have a parameter of this type", advice);
    }
}
