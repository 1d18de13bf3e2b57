//! Names that a `#[device]` item cannot have.
use crate::{
    resolve::paths::known::{is_free_for_types, is_known_item},
    syntax::item::{is_std_macro, name},
};
use syn::{Error, Item, ext::IdentExt};

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
        Item::Trait(_) => is_known_item(name),
        _ => is_known_item(name) && !is_free_for_types(name),
    }
}
