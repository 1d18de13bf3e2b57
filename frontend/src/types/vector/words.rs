//! The identifiers in a kernel and its items, which select the vectors and methods that it may use.
use crate::{
    syntax::tokens::may_name_vector,
    types::{
        Prim,
        vector::{LANE_TYPES, Vector},
    },
};
use proc_macro2::{Ident, TokenStream, TokenTree};
use std::collections::BTreeSet;
use syn::{Item, ItemFn, visit::Visit};

/// A set of identifiers in source code; empty if none is a vector's, as for most kernels.
#[derive(Debug, Default)]
pub(crate) struct Identifiers(BTreeSet<String>);

impl Identifiers {
    /// Collects the identifiers in `items` and in a kernel.
    pub(crate) fn in_items<'a>(
        items: impl Iterator<Item = &'a Item> + Clone,
        kernel: Option<&'a ItemFn>,
    ) -> Self {
        let mut names_vectors = false;
        let look = &mut |name: &Ident| names_vectors |= may_name_vector(&format!("{name}"));
        visit_identifiers(items.clone(), kernel, look);
        let mut words = BTreeSet::new();
        if names_vectors {
            visit_identifiers(items, kernel, &mut |name| _ = words.insert(name.to_string()));
        }
        Self(words)
    }

    /// Returns true if `name` is in the set.
    pub(crate) fn contain(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// Returns the identifiers that may be swizzles: `xy`, `wzyx`.
    pub(crate) fn swizzles(&self) -> impl Iterator<Item = &str> {
        let words = self.0.iter().map(String::as_str);
        words.filter(|word| {
            (2..=4).contains(&word.len()) && word.bytes().all(|lane| b"xyzw".contains(&lane))
        })
    }

    /// Returns true if an identifier names a vector with this lane type, or a conversion to one.
    pub(crate) fn need_lane_type(&self, lane: Prim) -> bool {
        let mut words = self.0.iter().filter(|word| may_name_vector(word));
        words.any(|word| {
            let has_lane = |vector: Vector| vector.lane == lane;
            Vector::from_name(word).is_some_and(has_lane)
                || word.strip_prefix("as_").is_some_and(|to| names_lowercase(to, lane))
        })
    }
}

/// Visits each identifier in `items` and in a kernel.
fn visit_identifiers<'a>(
    items: impl Iterator<Item = &'a Item>,
    kernel: Option<&'a ItemFn>,
    visit: &mut dyn FnMut(&Ident),
) {
    let mut names = IdentVisitor(visit);
    items.for_each(|item| names.visit_item(item));
    if let Some(kernel) = kernel {
        names.visit_item_fn(kernel);
    }
}

struct IdentVisitor<'v>(&'v mut dyn FnMut(&Ident));

impl<'ast> Visit<'ast> for IdentVisitor<'_> {
    fn visit_ident(&mut self, name: &'ast Ident) {
        (self.0)(name);
    }
    /// Visits the tokens of macros and attributes.
    fn visit_token_stream(&mut self, tokens: &'ast TokenStream) {
        visit_tokens(tokens.clone(), self.0);
    }
}

fn visit_tokens(tokens: TokenStream, visit: &mut dyn FnMut(&Ident)) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => visit(&name),
            TokenTree::Group(group) => visit_tokens(group.stream(), visit),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Returns true if `word` is the lower-case name of a vector with this lane type.
fn names_lowercase(word: &str, lane: Prim) -> bool {
    let Some((of, lanes)) = word.split_once('x') else { return false };
    let (name, _) =
        LANE_TYPES.iter().find(|(_, of)| *of == lane).expect("every type of lane is listed");
    name.eq_ignore_ascii_case(of) && matches!(lanes, "2" | "3" | "4")
}
