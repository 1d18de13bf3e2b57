//! `impl Drop`, which kernel code does not have: a value that goes out of scope is forgotten.
use crate::resolve::source_map;
use syn::{Error, Item};

const HELP: &str = "call a method at the end of the scope";

/// Returns an error if `item` implements `Drop`, or is a type with an `impl Drop` for the host.
pub(crate) fn reject_drop(item: &Item) -> Option<Error> {
    match item {
        Item::Impl(item) => {
            let (of_trait, _) = item.trait_.as_ref()?;
            let last = of_trait.segments.last().filter(|last| last.ident == "Drop")?;
            let text = format!("kernel code runs no `Drop`\n= help: {HELP}");
            Some(Error::new(last.ident.span(), text))
        }
        Item::Struct(syn::ItemStruct { ident, .. }) | Item::Enum(syn::ItemEnum { ident, .. }) => {
            let blocks = source_map::host_blocks_with(ident.span(), "drop", &ident.to_string());
            let block = blocks.iter().find(|block| block.contains("Drop for "))?;
            let text = format!("kernel code runs no `Drop`, and there is {block}\n= help: {HELP}");
            Some(Error::new(ident.span(), text))
        }
        _ => None,
    }
}
