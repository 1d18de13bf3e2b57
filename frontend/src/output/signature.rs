//! The launcher's view of a kernel's signature: generic parameters, and the argument for each
//! parameter.
use crate::{
    attr::{Options, instances},
    infer::items::signature::{is_neutral_trait, number_bound},
    resolve::{
        paths::known::{is_free_for_types, is_known_item, is_known_trait},
        source_map,
    },
    types::vector::Vector,
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    FnArg, GenericArgument, GenericParam, Generics, Ident, ItemFn, Pat, PathArguments, PathSegment,
    Type, TypeParam, TypeParamBound, TypePath, WherePredicate, parse_quote, visit::Visit,
};

/// A parameter of `launch`.
pub(crate) struct Param {
    /// The name; generated if the kernel has a pattern.
    pub(crate) name: Ident,
    /// The kind of argument.
    pub(crate) kind: ParamKind,
}

/// The kind of an argument.
pub(crate) enum ParamKind {
    /// A number.
    Scalar(Type),
    /// A struct, an enum, a tuple or an array.
    Value(Type),
    /// A type with the name of an array, such as `Rows<f32>`. It decides what the launch takes: the
    /// memory of the array, or a value of a struct that has the same name.
    Array(Type),
    /// `&[T]`, or with `single` `&T`
    Read { elem: Type, single: bool },
    /// `#[constant] &[T; N]`, `&[T]` or `&T`: the type that the reference refers to
    Constant { ty: Type },
    /// `&mut [T]`, or with `single` `&mut T`
    Write { elem: Type, single: bool },
    /// `&[AtomicT]`, or with `single` `&AtomicT`; also with arrays of atomics
    Atomic { elem: Type, single: bool },
    /// Not supported: lowering rejects it.
    Unknown,
}

/// Types that a kernel takes by value and in slices.
const SCALARS: [&str; 15] = [
    "bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f16", "bf16",
    "f32", "f64",
];
/// Types that a kernel takes in shared slices.
const ATOMICS: [&str; 9] = [
    "AtomicBool",
    "AtomicI32",
    "AtomicI64",
    "AtomicIsize",
    "AtomicU32",
    "AtomicU64",
    "AtomicUsize",
    "AtomicF32",
    "AtomicF64",
];

/// Arrays of several dimensions, textures, surfaces, and tensor maps.
const ARRAYS: [&str; 23] = [
    "Rows",
    "RowsMut",
    "Layers",
    "LayersMut",
    "Texture1",
    "Texture2",
    "Texture3",
    "LayeredTexture1",
    "LayeredTexture2",
    "Surface1",
    "Surface1Mut",
    "Surface2",
    "Surface2Mut",
    "Surface3",
    "Surface3Mut",
    "LayeredSurface1",
    "LayeredSurface1Mut",
    "LayeredSurface2",
    "LayeredSurface2Mut",
    "TensorMap2",
    "TensorMap2Mut",
    "TensorMap3",
    "TensorMap3Mut",
];

/// Types of std that are plain if their arguments are.
const STD_TYPES: [&str; 6] =
    ["ControlFlow", "Option", "Ordering", "PhantomData", "Result", "Reverse"];

/// Returns the parameters of `item`, in order.
pub(crate) fn launch_params(item: &ItemFn, options: &Options) -> Vec<Param> {
    let generics = &item.sig.generics;
    let inputs = item.sig.inputs.iter().enumerate();
    inputs
        .map(|(i, input)| {
            let made_up = format_ident!("arg{i}");
            match input {
                FnArg::Receiver(_) => Param { name: made_up, kind: ParamKind::Unknown },
                FnArg::Typed(input) => {
                    let name = match &*input.pat {
                        Pat::Ident(pat) => pat.ident.clone(),
                        _ => made_up,
                    };
                    let kind = param_kind(&input.ty, generics);
                    let is_constant = matches!(options.constants.get(i), Some(Some(_)));
                    Param { name, kind: if is_constant { constant_kind(kind) } else { kind } }
                }
            }
        })
        .collect()
}

fn param_kind(ty: &Type, generics: &Generics) -> ParamKind {
    let named = |ty: &Type, names: &[&str]| {
        last_name(ty).is_some_and(|name| names.iter().any(|known| name == known))
    };
    match ty {
        Type::Paren(inner) => param_kind(&inner.elem, generics),
        Type::Group(inner) => param_kind(&inner.elem, generics),
        Type::Reference(reference) => {
            let (elem, single) = match &*reference.elem {
                Type::Slice(slice) => (&*slice.elem, false),
                one => (one, true),
            };
            // It has a lifetime, which the declaration of `launch` could not leave out.
            if is_array_of_warpwise(elem) {
                return ParamKind::Unknown;
            }
            // Atomics are shared, so only `&` fits them; any other plain type may be behind `&` or
            // `&mut`.
            let (plain, atomic) = (may_be_plain(elem), named(innermost_element(elem), &ATOMICS));
            let elem = elem.clone();
            match (reference.mutability.is_some(), plain, atomic) {
                (false, _, true) => ParamKind::Atomic { elem, single },
                (false, true, false) => ParamKind::Read { elem, single },
                (true, true, false) => ParamKind::Write { elem, single },
                (true, _, true) | (_, false, false) => ParamKind::Unknown,
            }
        }
        ty if named(ty, &SCALARS) || is_number_parameter(ty, generics) => {
            ParamKind::Scalar(ty.clone())
        }
        ty if may_be_array(ty) => ParamKind::Array(ty.clone()),
        ty if may_be_plain(ty) => ParamKind::Value(ty.clone()),
        _ => ParamKind::Unknown,
    }
}

/// Returns true for the name of an array with a type argument. A struct of the user may have it.
fn may_be_array(ty: &Type) -> bool {
    let Type::Path(TypePath { qself: None, path, .. }) = ty else { return false };
    path.segments.last().is_some_and(|last| {
        type_arguments(last).next().is_some() && ARRAYS.iter().any(|name| last.ident == name)
    })
}

/// Returns true for an array of Warpwise by its path, or by its name, if the file imports it.
fn is_array_of_warpwise(ty: &Type) -> bool {
    let Type::Path(TypePath { path, .. }) = ty else { return false };
    let ends = path.segments.first().zip(path.segments.last());
    may_be_array(ty)
        && ends.is_some_and(|(first, last)| {
            first.ident == "warpwise" || source_map::is_imported_from_warpwise(&last.ident)
        })
}

/// Returns the kind of a parameter in constant memory that would be of this `kind` otherwise.
fn constant_kind(kind: ParamKind) -> ParamKind {
    match kind {
        ParamKind::Read { elem, single: true } => ParamKind::Constant { ty: elem },
        ParamKind::Read { elem, single: false } => {
            ParamKind::Constant { ty: parse_quote!([#elem]) }
        }
        _ => ParamKind::Unknown,
    }
}

/// Returns `T` for `[[T; 2]; 3]`.
fn innermost_element(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => innermost_element(&inner.elem),
        Type::Group(inner) => innermost_element(&inner.elem),
        Type::Array(array) => innermost_element(&array.elem),
        _ => ty,
    }
}

/// Returns false for types that a kernel cannot take, by name or form; lowering rejects them.
fn may_be_plain(ty: &Type) -> bool {
    match ty {
        Type::Paren(inner) => may_be_plain(&inner.elem),
        Type::Group(inner) => may_be_plain(&inner.elem),
        Type::Array(array) => may_be_plain(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().all(may_be_component),
        Type::Path(TypePath { qself: None, path, .. }) => {
            path.segments.last().is_some_and(|last| {
                let name = last.ident.to_string();
                SCALARS.contains(&name.as_str())
                    || Vector::from_name(&name).is_some()
                    || (STD_TYPES.contains(&name.as_str())
                        && type_arguments(last).all(may_be_component))
                    || !is_known_item(&name)
                    || is_known_trait(&name)
                    || (is_free_for_types(&name) && source_map::has_own_type(&last.ident))
            })
        }
        _ => false,
    }
}

/// Like [`may_be_plain`], for a component of a type, which may also be an atomic.
fn may_be_component(ty: &Type) -> bool {
    may_be_plain(ty)
        || last_name(innermost_element(ty))
            .is_some_and(|name| ATOMICS.iter().any(|known| name == known))
}

/// Returns `T` and `E` for `Result<T, E>`.
fn type_arguments(segment: &PathSegment) -> impl Iterator<Item = &Type> {
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        PathArguments::None | PathArguments::Parenthesized(_) => None,
    };
    arguments.into_iter().flatten().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// Returns `f32` for `core::primitive::f32`.
fn last_name(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Group(group) => last_name(&group.elem),
        Type::Paren(paren) => last_name(&paren.elem),
        Type::Path(TypePath { qself: None, path, .. }) => {
            path.segments.last().filter(|segment| segment.arguments.is_none()).map(|s| &s.ident)
        }
        _ => None,
    }
}

/// Returns true for a type parameter that stands for numbers.
fn is_number_parameter(ty: &Type, generics: &Generics) -> bool {
    let Type::Path(TypePath { qself: None, path, .. }) = ty else { return false };
    let mut params = generics.type_params();
    path.get_ident()
        .is_some_and(|name| params.any(|it| it.ident == *name && is_number(it, generics)))
}

/// Returns true if `param` stands for numbers: it is bounded by a number trait, or only by traits
/// of std.
fn is_number(param: &TypeParam, generics: &Generics) -> bool {
    let names = bound_names(param, generics);
    names.iter().any(is_number_trait)
        || !names.is_empty() && names.iter().all(|name| is_neutral_trait(&name.to_string()))
}

fn is_number_trait(name: &&Ident) -> bool {
    number_bound(&name.to_string()).is_some()
}

/// Returns the last names of the traits that bound `param`.
fn bound_names<'a>(param: &'a TypeParam, generics: &'a Generics) -> Vec<&'a Ident> {
    let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let behind = predicates.filter_map(|predicate| match predicate {
        WherePredicate::Type(of) if last_name(&of.bounded_ty) == Some(&param.ident) => {
            Some(&of.bounds)
        }
        _ => None,
    });
    let all = behind.chain([&param.bounds]).flatten().filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) => Some(&bound.path.segments.last()?.ident),
        _ => None,
    });
    all.collect()
}

/// Returns true if `launch` can bind all of `generics`; lowering rejects a kernel with others.
pub(crate) fn is_bindable(generics: &Generics, options: &Options) -> bool {
    generics.params.iter().all(|param| match param {
        GenericParam::Type(param) => {
            instances::has_instances(options) || is_number(param, generics)
        }
        GenericParam::Const(param) => {
            last_name(&param.ty).is_some_and(|name| SCALARS.iter().any(|known| name == known))
        }
        GenericParam::Lifetime(_) => true,
    })
}

/// Returns the generics of the launcher type: without lifetimes, and with a number bound on type
/// parameters without one, as lowering assumes, unless the kernel has named instances.
pub(crate) fn launcher_generics(generics: &Generics, named: bool) -> Generics {
    let mut launched = generics.clone();
    launched.params = std::mem::take(&mut launched.params)
        .into_iter()
        .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
        .collect();
    if let Some(clause) = &mut launched.where_clause {
        let predicates = std::mem::take(&mut clause.predicates);
        clause.predicates = predicates.into_iter().filter(|it| !mentions_lifetime(it)).collect();
    }
    if !named {
        for param in launched.type_params_mut() {
            if !bound_names(param, generics).iter().any(is_number_trait) {
                param.bounds.push(parse_quote!(::warpwise::Num));
            }
        }
    }
    launched
}

fn mentions_lifetime(predicate: &WherePredicate) -> bool {
    struct Finder(bool);
    impl Visit<'_> for Finder {
        fn visit_lifetime(&mut self, lifetime: &syn::Lifetime) {
            self.0 |= lifetime.ident != "static";
        }
    }
    let mut finder = Finder(false);
    finder.visit_where_predicate(predicate);
    finder.0
}

/// Returns an expression for the compiled kernel.
pub(crate) fn source_expr(options: &Options) -> TokenStream {
    if instances::has_instances(options) {
        quote!(<Self as ::warpwise::parameter::Instance>::SOURCE)
    } else {
        quote!(Self::__WARPWISE_SOURCE)
    }
}

/// Returns a `where` clause for a kernel with named instances: the types form an instance, and can
/// be passed.
pub(crate) fn launch_where_clause(
    params: &[Param],
    item: &ItemFn,
    options: &Options,
) -> Option<TokenStream> {
    if !instances::has_instances(options) {
        return None;
    }
    let bounds = params.iter().flat_map(|param| {
        let (types, bound) = match &param.kind {
            ParamKind::Value(ty) => (vec![ty], quote!(::warpwise::Plain)),
            ParamKind::Array(ty) => element_bound(ty),
            ParamKind::Read { elem, .. } | ParamKind::Write { elem, .. } => {
                (vec![elem], quote!(::warpwise::Stored))
            }
            ParamKind::Constant { ty } => (vec![ty], quote!(::warpwise::ConstantData)),
            ParamKind::Scalar(_) | ParamKind::Atomic { .. } | ParamKind::Unknown => {
                (Vec::new(), TokenStream::new())
            }
        };
        let open = types.into_iter().filter(|ty| mentions_parameter(ty, &item.sig.generics));
        open.map(|ty| quote!(#ty: #bound)).collect::<Vec<_>>()
    });
    Some(quote!(where Self: ::warpwise::parameter::Instance, #(#bounds),*))
}

/// Returns the types of the elements of an array, and the bound by which the array can be passed.
/// The bound is not one of the array, whose lifetime a `where` clause could not leave out. A user's
/// struct of the same name is plain, too, if its arguments are.
fn element_bound(array: &Type) -> (Vec<&Type>, TokenStream) {
    let Type::Path(TypePath { path, .. }) = array else { return (Vec::new(), TokenStream::new()) };
    let Some(last) = path.segments.last() else { return (Vec::new(), TokenStream::new()) };
    let name = last.ident.to_string();
    let bound = if name.contains("Texture") || name.contains("Surface") {
        quote!(::warpwise::TextureElement)
    } else {
        quote!(::warpwise::Plain)
    };
    (type_arguments(last).collect(), bound)
}

fn mentions_parameter(ty: &Type, generics: &Generics) -> bool {
    struct Finder<'a>(&'a Generics, bool);
    impl Visit<'_> for Finder<'_> {
        fn visit_ident(&mut self, ident: &Ident) {
            self.1 |= self.0.type_params().any(|param| param.ident == *ident);
        }
    }
    let mut finder = Finder(generics, false);
    finder.visit_type(ty);
    finder.1
}

/// Returns the bindings of `generics` at launch, and then those of the `open` constants.
pub(crate) fn launch_bindings(generics: &Generics, options: &Options) -> Vec<TokenStream> {
    let mut bindings = Vec::new();
    let constant = |value: &dyn quote::ToTokens| {
        quote!(::warpwise::__private::Binding::Const(
            ::warpwise::__private::Element::to_bits(#value)
        ))
    };
    for param in &generics.params {
        match param {
            GenericParam::Type(_) if instances::has_instances(options) => {}
            GenericParam::Type(param) => {
                let name = &param.ident;
                bindings.push(quote!(::warpwise::__private::Binding::Type(
                    <#name as ::warpwise::__private::Element>::SCALAR
                )));
            }
            GenericParam::Const(param) => bindings.push(constant(&param.ident)),
            GenericParam::Lifetime(_) => {}
        }
    }
    bindings.extend(options.open.iter().map(|path| constant(path)));
    bindings
}

/// Returns true if there is nothing to bind at launch.
pub(crate) fn is_closed(generics: &Generics, open: &[syn::Path]) -> bool {
    open.is_empty() && generics.params.iter().all(|it| matches!(it, GenericParam::Lifetime(_)))
}
