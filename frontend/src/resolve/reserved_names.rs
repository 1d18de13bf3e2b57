//! Reserved names of `#[device]` items.
use crate::{
    resolve::paths::known::{is_free_for_types, is_known_item},
    syntax::item::{is_std_macro, item_name},
};
use syn::{Error, Item, ext::IdentExt};

/// Returns an error if `item` has a reserved name.
pub(crate) fn reject_reserved_name(item: &Item) -> Option<Error> {
    let name = item_name(item)?;
    let text = if is_std_macro(name) {
        let what = if matches!(item, Item::Fn(_)) { "function" } else { "item" };
        format!(
            "a device {what} cannot be named `{name}`: std has a macro of that name, which it \
             would hide"
        )
    } else if is_reserved(item, &name.unraw().to_string()) {
        let what = if matches!(item, Item::Trait(_)) { "trait" } else { "item" };
        format!(
            "a device {what} cannot be named `{name}`: in kernel code, the name always means the {what} \
             of std or Warpwise"
        )
    } else {
        return None;
    };
    Some(Error::new(name.span(), text))
}

/// Returns true if kernel code always resolves `name` to an item of std or Warpwise.
fn is_reserved(item: &Item, name: &str) -> bool {
    match item {
        Item::Fn(_) => false,
        Item::Trait(_) => is_known_item(name),
        _ => is_known_item(name) && !is_free_for_types(name),
    }
}
