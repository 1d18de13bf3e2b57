//! The mathematical functions, as kernel code that is parsed at the first call.
use crate::{
    resolve::device_set::DeviceItem,
    types::math::{FUNCTIONS, Math},
};
use std::{cell::OnceCell, collections::BTreeMap};
use syn::{
    Expr, ExprCall, Item,
    visit::{self, Visit},
};
use warpwise_compiler::library;

/// The greatest number of items that one function may need, itself included.
const MAX_ITEMS_PER_FUNCTION: usize = 32;

/// The mathematical functions, parsed as far as a kernel needs them. Their items have numbers,
/// [`MAX_ITEMS_PER_FUNCTION`] for each function of `f32` and each of `f64`.
pub(crate) struct MathLibrary {
    /// The number of the first item.
    first: usize,
    loaded: [OnceCell<Vec<DeviceItem>>; 2 * FUNCTIONS.len()],
}

impl MathLibrary {
    /// Makes a library with item numbers from `first` on.
    pub(crate) fn new(first: usize) -> Self {
        Self { first, loaded: [const { OnceCell::new() }; 2 * FUNCTIONS.len()] }
    }

    /// Returns the number of a function of `f64` if `wide`, of `f32` otherwise.
    pub(crate) fn item_number(&self, math: Math, wide: bool) -> usize {
        self.first + MAX_ITEMS_PER_FUNCTION * (2 * math.0 + usize::from(wide))
    }

    /// Returns the item with this number, and parses its function at the first use.
    pub(crate) fn item(&self, number: usize) -> Option<&DeviceItem> {
        let number = number.checked_sub(self.first)?;
        let (function, member) = (number / MAX_ITEMS_PER_FUNCTION, number % MAX_ITEMS_PER_FUNCTION);
        let parse = || parse_function(function, self.first + MAX_ITEMS_PER_FUNCTION * function);
        self.loaded.get(function)?.get_or_init(parse).get(member)
    }
}

/// Returns a function, then those that it calls; their numbers begin at `first`.
fn parse_function(function: usize, first: usize) -> Vec<DeviceItem> {
    let mut names = vec![FUNCTIONS[function / 2].0.to_owned()];
    let mut items = Vec::new();
    while let Some(name) = names.get(items.len()) {
        let text = library::text(function % 2 == 1, name).unwrap_or_default();
        let Ok(item) = syn::parse_str::<syn::ItemFn>(text) else { return Vec::new() };
        let mut calls = Calls { names: &mut names, first, paths: BTreeMap::new() };
        calls.visit_block(&item.block);
        let paths = calls.paths;
        items.push(DeviceItem { item: Item::Fn(item), paths, is_foreign: false, std_item: None });
    }
    items
}

/// A visitor that collects the library functions that a function calls.
struct Calls<'a> {
    names: &'a mut Vec<String>,
    first: usize,
    paths: BTreeMap<String, usize>,
}

impl<'ast> Visit<'ast> for Calls<'_> {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        visit::visit_expr_call(self, call);
        let Expr::Path(func) = &*call.func else { return };
        let Some(name) = func.path.get_ident().map(ToString::to_string) else { return };
        let known = self.names.iter().position(|known| *known == name);
        let index = known.unwrap_or(self.names.len());
        if known.is_none() {
            self.names.push(name.clone());
        }
        self.paths.insert(name, self.first + index);
    }
}
