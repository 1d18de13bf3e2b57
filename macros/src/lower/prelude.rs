//! What every kernel can name without declaring it, as kernel code: `Option`, `Result` and their
//! methods, methods of slices and iterators, and functions of `std::mem`.
use super::DeviceItem;
use std::collections::BTreeMap;
use syn::Item;

/// The sources.
const FILES: [&str; 4] = [
    include_str!("prelude/option.rs"),
    include_str!("prelude/slice.rs"),
    include_str!("prelude/iterator.rs"),
    include_str!("prelude/mem.rs"),
];

/// The items, each with where the paths in it lead: to each other, by their names. The indices
/// begin at `first`.
pub(super) fn items(first: usize) -> Vec<DeviceItem> {
    let files = FILES.into_iter().filter_map(|file| syn::parse_file(file).ok());
    let items: Vec<Item> = files.flat_map(|file| file.items).collect();
    let names = items.iter().enumerate().filter_map(|(index, item)| match item {
        Item::Enum(item) => Some((item.ident.to_string(), first + index)),
        _ => None,
    });
    let paths: BTreeMap<String, usize> = names.collect();
    items.into_iter().map(|item| DeviceItem { item, paths: paths.clone() }).collect()
}

/// The item that a path leads to, for those that are in scope everywhere or std's.
pub(super) fn name(path: &str) -> Option<&'static str> {
    Some(match path {
        "Option" | "std::option::Option" | "core::option::Option" => "Option",
        "Result" | "std::result::Result" | "core::result::Result" => "Result",
        _ => return None,
    })
}

/// The enum and variant that a name in scope everywhere is.
pub(super) fn variant(name: &str) -> Option<(&'static str, usize)> {
    Some(match name {
        "None" => ("Option", 0),
        "Some" => ("Option", 1),
        "Ok" => ("Result", 0),
        "Err" => ("Result", 1),
        _ => return None,
    })
}
