//! Properties common to all kinds of items that `#[device]` accepts.
use crate::{device::companions::Kind, resolve::paths::known::is_known_item, syntax::item::name};
use proc_macro2::{Ident, Span};
use syn::{GenericArgument, Item, Path, PathArguments, Type, spanned::Spanned};

/// The accepted kinds, for messages.
pub(crate) const KINDS: &str =
    "functions, structs, enums, traits, `impl` blocks, constants, type aliases and modules";

/// Returns the span for messages about `item` as a whole.
pub(crate) fn span(item: &Item) -> Span {
    match item {
        Item::Impl(item) => item.self_ty.span(),
        _ => name(item).map_or_else(Span::call_site, Ident::span),
    }
}

/// Returns the kind of `item` for the registry; `None` if it cannot travel.
pub(crate) fn kind(item: &Item) -> Option<Kind> {
    match item {
        Item::Fn(item) => Some(Kind::Function(item.sig.ident.to_string())),
        Item::Impl(item) => {
            // A generic parameter is not an item of the module.
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

/// Returns the name that brings an `impl` along besides its type: the trait, or the argument type
/// of a std trait such as `Mul<Vec3>`.
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

/// Returns the path of a type, or of the type behind a reference.
fn type_path(ty: &Type) -> Option<&Path> {
    match ty {
        Type::Path(ty) => ty.qself.is_none().then_some(&ty.path),
        Type::Group(ty) => type_path(&ty.elem),
        Type::Paren(ty) => type_path(&ty.elem),
        Type::Reference(ty) => type_path(&ty.elem),
        _ => None,
    }
}

/// Returns the name of `path` in the module that contains it, if it may be an item of that module.
pub(crate) fn here(path: &Path) -> Option<String> {
    let mut names = path.segments.iter().map(|segment| &segment.ident);
    let name = match (path.leading_colon, names.next()?, names.next(), names.next()) {
        (None, name, None, None) => name,
        (None, own, Some(name), None) if own == "self" => name,
        _ => return None,
    };
    Some(name.to_string())
}
