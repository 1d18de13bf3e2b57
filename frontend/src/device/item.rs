//! Properties common to all kinds of items that `#[device]` accepts.
use crate::{
    device::companions::ItemKind, resolve::paths::known::is_known_item, syntax::item::item_name,
};
use proc_macro2::{Ident, Span};
use syn::{GenericArgument, Item, Path, PathArguments, Type, spanned::Spanned};

/// The accepted kinds, for messages.
pub(crate) const ACCEPTED_KINDS: &str =
    "functions, structs, enums, traits, `impl` blocks, constants, type aliases and modules";

/// Returns the span for messages about `item` as a whole.
pub(crate) fn item_span(item: &Item) -> Span {
    match item {
        Item::Impl(item) => item.self_ty.span(),
        _ => item_name(item).map_or_else(Span::call_site, Ident::span),
    }
}

/// Returns the kind of `item` for the registry; `None` if it cannot travel.
pub(crate) fn item_kind(item: &Item) -> Option<ItemKind> {
    match item {
        Item::Fn(item) => Some(ItemKind::Function(item.sig.ident.to_string())),
        Item::Impl(item) => {
            // A generic parameter is not an item of the module.
            let is_own = |name: &String| item.generics.type_params().any(|own| own.ident == name);
            let of_module = |name: Option<String>| name.filter(|name| !is_own(name));
            Some(ItemKind::Impl {
                self_type: of_module(referent_path(&item.self_ty).and_then(name_in_module)),
                of_trait: of_module(
                    item.trait_.as_ref().and_then(|(path, _)| trait_owner_name(path)),
                ),
            })
        }
        Item::Type(item) => {
            let target = referent_path(&item.ty).and_then(name_in_module);
            Some(ItemKind::Alias(item.ident.to_string(), target))
        }
        _ => item_name(item).map(|name| ItemKind::Named(name.to_string())),
    }
}

/// Returns the name that brings an `impl` along besides its type: the trait, or the argument type
/// of a std trait such as `Mul<Vec3>`.
fn trait_owner_name(of_trait: &Path) -> Option<String> {
    let last = of_trait.segments.last()?;
    if !is_known_item(&last.ident.to_string()) {
        return name_in_module(of_trait);
    }
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    args.args.iter().find_map(|arg| match arg {
        GenericArgument::Type(ty) => referent_path(ty).and_then(name_in_module),
        _ => None,
    })
}

/// Returns the path of a type, or of the type behind a reference.
fn referent_path(ty: &Type) -> Option<&Path> {
    match ty {
        Type::Path(ty) => ty.qself.is_none().then_some(&ty.path),
        Type::Group(ty) => referent_path(&ty.elem),
        Type::Paren(ty) => referent_path(&ty.elem),
        Type::Reference(ty) => referent_path(&ty.elem),
        _ => None,
    }
}

/// Returns the name of `path` in the module that contains it, if it may be an item of that module.
pub(crate) fn name_in_module(path: &Path) -> Option<String> {
    let mut names = path.segments.iter().map(|segment| &segment.ident);
    let name = match (path.leading_colon, names.next()?, names.next(), names.next()) {
        (None, name, None, None) => name,
        (None, own, Some(name), None) if own == "self" => name,
        _ => return None,
    };
    Some(name.to_string())
}
