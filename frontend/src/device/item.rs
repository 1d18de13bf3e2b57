//! Items of every kind that `#[device]` is for, as far as they are alike.
use crate::{device::companions::Kind, resolve::paths::known::is_known_item, syntax::item::name};
use proc_macro2::{Ident, Span};
use syn::{GenericArgument, Item, Path, PathArguments, Type, spanned::Spanned};

/// What `#[device]` is for, in its messages.
pub(crate) const KINDS: &str =
    "functions, structs, enums, traits, `impl` blocks, constants, type aliases and modules";

/// Where messages about all of `item` point.
pub(crate) fn span(item: &Item) -> Span {
    match item {
        Item::Impl(item) => item.self_ty.span(),
        _ => name(item).map_or_else(Span::call_site, Ident::span),
    }
}

/// What `item` is to the bundle that it may be in; `None` if it cannot travel.
pub(crate) fn kind(item: &Item) -> Option<Kind> {
    match item {
        Item::Fn(item) => Some(Kind::Function(item.sig.ident.to_string())),
        Item::Impl(item) => {
            // A name of its own is that of nothing in the module.
            let is_own = |name: &String| item.generics.type_params().any(|own| own.ident == name);
            let of_module = |name: Option<String>| name.filter(|name| !is_own(name));
            Some(Kind::Impl {
                of: of_module(type_path(&item.self_ty).and_then(here)),
                by: of_module(item.trait_.as_ref().and_then(|(path, _)| by(path))),
            })
        }
        Item::Type(item) => {
            let of = type_path(&item.ty).and_then(here);
            Some(Kind::Alias(item.ident.to_string(), of))
        }
        _ => name(item).map(|name| Kind::Named(name.to_string())),
    }
}

/// What an `impl` of a trait goes with besides its type: the trait, or, of `Mul<Vec3>`, which is
/// std's, the type.
fn by(of_trait: &Path) -> Option<String> {
    let last = of_trait.segments.last()?;
    if !is_known_item(&last.ident.to_string()) {
        return here(of_trait);
    }
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    args.args.iter().find_map(|arg| match arg {
        GenericArgument::Type(ty) => type_path(ty).and_then(here),
        _ => None,
    })
}

/// The path of a type, or of what it refers to.
fn type_path(ty: &Type) -> Option<&Path> {
    match ty {
        Type::Path(ty) => ty.qself.is_none().then_some(&ty.path),
        Type::Group(ty) => type_path(&ty.elem),
        Type::Paren(ty) => type_path(&ty.elem),
        Type::Reference(ty) => type_path(&ty.elem),
        _ => None,
    }
}

/// The name that `path` is in the module where it is written, if it can be one of that module.
pub(crate) fn here(path: &Path) -> Option<String> {
    let mut names = path.segments.iter().map(|segment| &segment.ident);
    let name = match (path.leading_colon, names.next()?, names.next(), names.next()) {
        (None, name, None, None) => name,
        (None, own, Some(name), None) if own == "self" => name,
        _ => return None,
    };
    Some(name.to_string())
}
