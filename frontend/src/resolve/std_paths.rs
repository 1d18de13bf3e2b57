//! Functions and constants of std that kernel code uses by a plain name, after a `use`: `PI`,
//! `min`, `swap`.
//!
//! A plain name leads to a `#[device]` item by the item's macro (see
//! [`device`](mod@crate::device)). std items have no such macro, and a macro does not learn the
//! targets of names. But the `use` is in the same file, where [`source_map`] finds it. The std item
//! then joins the linked items, as kernel code. In the witness of the function, rustc checks that
//! the name really leads to std's item.
use crate::{resolve::source_map, types::constant::float_constant};
use proc_macro2::Literal;
use syn::{Ident, Item, Path, parse_quote};

/// A function or constant of std.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StdItem {
    /// Its path, beginning with `core`.
    pub(crate) path: String,
}

/// Functions: path, valid generic arguments, kernel code.
const FUNCTIONS: [(&str, &str, &str); 6] = [
    ("core::cmp::min", "::<i32>", "fn f<T>(a: T, b: T) -> T { std::cmp::min(a, b) }"),
    ("core::cmp::max", "::<i32>", "fn f<T>(a: T, b: T) -> T { std::cmp::max(a, b) }"),
    ("core::mem::swap", "::<i32>", "fn f<T>(a: &mut T, b: &mut T) { std::mem::swap(a, b) }"),
    (
        "core::mem::replace",
        "::<i32>",
        "fn f<T>(at: &mut T, value: T) -> T { std::mem::replace(at, value) }",
    ),
    ("core::mem::take", "::<i32>", "fn f<T>(at: &mut T) -> T { std::mem::take(at) }"),
    (
        "core::array::from_fn",
        "::<i32, 1, fn(usize) -> i32>",
        "fn f<T, const N: usize, F: FnMut(usize) -> T>(f: F) -> [T; N] { std::array::from_fn(f) }",
    ),
];

impl StdItem {
    /// Returns the std item that a `use` in the file imports under this name.
    pub(crate) fn imported(path: &Path) -> Option<Self> {
        Self::from_path(&source_map::imported_std_path(path.get_ident()?)?)
    }

    /// Returns the std item at a full path, if kernel code supports it.
    pub(crate) fn from_path(path: &str) -> Option<Self> {
        let path = format!("core::{}", path.split_once("::")?.1);
        let known = FUNCTIONS.iter().any(|(known, ..)| *known == path)
            || std_float_constant(&path).is_some();
        known.then_some(Self { path })
    }

    /// Returns the std item with this id of a device item.
    pub(crate) fn from_id(id: &str) -> Option<Self> {
        id.starts_with("core::").then(|| Self { path: id.to_owned() })
    }

    /// Returns the item as kernel code, under this name.
    pub(crate) fn to_item(&self, name: &Ident) -> syn::Result<Item> {
        if let Some((ty, value)) = std_float_constant(&self.path) {
            let ty: syn::Type = syn::parse_str(ty)?;
            let value = Literal::f64_unsuffixed(value);
            return Ok(parse_quote!(const #name: #ty = #value;));
        }
        let code = FUNCTIONS.iter().find(|(path, ..)| *path == self.path);
        let mut item: syn::ItemFn = syn::parse_str(code.map_or("", |(.., code)| code))?;
        item.sig.ident = name.clone();
        Ok(Item::Fn(item))
    }

    /// Returns generic arguments with which rustc can compare a function; `None` for a constant.
    pub(crate) fn generic_arguments(&self) -> Option<&'static str> {
        let found = FUNCTIONS.iter().find(|(path, ..)| *path == self.path);
        found.map(|(_, arguments, _)| *arguments)
    }
}

/// Returns the type and value of a float constant. `f64` precision is enough for an `f32`.
fn std_float_constant(path: &str) -> Option<(&str, f64)> {
    let (ty, name) = path.strip_prefix("core::")?.split_once("::consts::")?;
    matches!(ty, "f32" | "f64").then_some(())?;
    Some((ty, float_constant(name)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Span;

    #[test]
    fn every_name_has_an_item() {
        let name = Ident::new("other", Span::call_site());
        let constants = ["core::f32::consts::PI", "core::f64::consts::LN_2"];
        for path in FUNCTIONS.iter().map(|(path, ..)| *path).chain(constants) {
            let found = StdItem::from_id(path).unwrap();
            assert_eq!(found.generic_arguments().is_none(), constants.contains(&path));
            let item = found.to_item(&name).unwrap();
            assert_eq!(crate::syntax::item::item_name(&item), Some(&name));
        }
        assert_eq!(StdItem::from_id("0123456789abcdef"), None);
        assert_eq!(std_float_constant("core::f32::consts::NOTHING"), None);
    }
}
