//! Items of every kind that `#[device]` is for, as far as they are alike.
use crate::{lower, scope::Kind};
use proc_macro2::{Ident, Span};
use syn::{
    Attribute, Error, GenericArgument, Item, Path, PathArguments, Type, Visibility, ext::IdentExt,
    spanned::Spanned,
};

/// What `#[device]` is for, in its messages.
pub(crate) const KINDS: &str =
    "functions, structs, enums, traits, `impl` blocks, constants, type aliases and modules";

/// The name by which other items reach `item`.
pub(crate) fn name(item: &Item) -> Option<&Ident> {
    match item {
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::Const(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        _ => None,
    }
}

/// Who may name `item`.
pub(crate) fn visibility(item: &Item) -> Option<&Visibility> {
    match item {
        Item::Fn(item) => Some(&item.vis),
        Item::Struct(item) => Some(&item.vis),
        Item::Enum(item) => Some(&item.vis),
        Item::Trait(item) => Some(&item.vis),
        Item::Const(item) => Some(&item.vis),
        Item::Type(item) => Some(&item.vis),
        _ => None,
    }
}

/// The attributes of `item`, if it is of a kind that `#[device]` is for.
pub(crate) fn attributes(item: &mut Item) -> Option<&mut Vec<Attribute>> {
    match item {
        Item::Fn(item) => Some(&mut item.attrs),
        Item::Struct(item) => Some(&mut item.attrs),
        Item::Enum(item) => Some(&mut item.attrs),
        Item::Trait(item) => Some(&mut item.attrs),
        Item::Const(item) => Some(&mut item.attrs),
        Item::Type(item) => Some(&mut item.attrs),
        Item::Impl(item) => Some(&mut item.attrs),
        Item::Mod(item) => Some(&mut item.attrs),
        _ => None,
    }
}

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
    if !lower::is_known_item(&last.ident.to_string()) {
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

/// What is wrong with the name of `item`.
pub(crate) fn refuse_name(item: &Item) -> Option<Error> {
    let name = name(item)?;
    let text = if is_std_macro(name) {
        let what = if matches!(item, Item::Fn(_)) { "function" } else { "item" };
        format!(
            "a device {what} cannot be named `{name}`: std has a macro of that name, which it \
             would hide"
        )
    } else if is_taken(item, &name.unraw().to_string()) {
        let (what, of) = match item {
            Item::Trait(_) => ("trait", "the trait"),
            _ => ("item", "what"),
        };
        format!(
            "a device {what} cannot be named `{name}`: kernel code takes that name for {of} that std or \
             Warpwise has by it"
        )
    } else {
        return None;
    };
    Some(Error::new(name.span(), text))
}

/// True for the name of something that kernel code takes it for, wherever it is.
fn is_taken(item: &Item, name: &str) -> bool {
    match item {
        Item::Fn(_) => false,
        Item::Trait(_) => lower::is_known_item(name),
        _ => lower::is_known_item(name) && !lower::is_free_for_types(name),
    }
}

/// True for the macros that are in scope everywhere.
pub(crate) fn is_std_macro(name: &Ident) -> bool {
    const MACROS: [&str; 42] = [
        "assert",
        "assert_eq",
        "assert_ne",
        "cfg",
        "column",
        "compile_error",
        "concat",
        "concat_bytes",
        "concat_idents",
        "dbg",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "env",
        "eprint",
        "eprintln",
        "file",
        "format",
        "format_args",
        "global_asm",
        "include",
        "include_bytes",
        "include_str",
        "is_x86_feature_detected",
        "line",
        "log_syntax",
        "matches",
        "module_path",
        "option_env",
        "panic",
        "print",
        "println",
        "stringify",
        "thread_local",
        "todo",
        "trace_macros",
        "unimplemented",
        "unreachable",
        "vec",
        "write",
        "writeln",
        "cfg_select",
    ];
    MACROS.iter().any(|known| name == known)
}
