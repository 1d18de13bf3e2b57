//! Parts common to items of every kind: name, visibility, attributes.
use proc_macro2::Ident;
use syn::{Attribute, Item, Visibility, ext::IdentExt as _};

/// Returns the name by which other items refer to `item`.
pub(crate) fn item_name(item: &Item) -> Option<&Ident> {
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

/// Returns the visibility of `item`, for kinds that have one.
pub(crate) fn item_visibility(item: &Item) -> Option<&Visibility> {
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

/// Returns the attributes of `item`, if `#[device]` accepts its kind.
pub(crate) fn item_attributes_mut(item: &mut Item) -> Option<&mut Vec<Attribute>> {
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

/// Returns true for macros of std that are in scope everywhere.
pub(crate) fn is_std_macro(name: &Ident) -> bool {
    is_std_macro_name(&name.to_string())
}

/// As [`is_std_macro`], for a text.
pub(crate) fn is_std_macro_name(name: &str) -> bool {
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
    MACROS.contains(&name)
}

/// Returns the name of `item` without `r#`, or `_` for an item without a name.
pub(crate) fn unraw_item_name(item: &Item) -> String {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return "_".into(),
    };
    ident.unraw().to_string()
}
