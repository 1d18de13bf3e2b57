//! The names in a kernel and in the items that it reaches: what of vectors it may use.
use super::{OF, Vector};
use crate::lower::types::Prim;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;

/// Names, as they are written somewhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words(BTreeSet<String>);

impl Words {
    /// Those in `tokens`.
    pub(crate) fn of(tokens: TokenStream) -> Self {
        let mut words = Self::default();
        words.add(tokens);
        words
    }

    /// Adds those in `tokens`.
    pub(crate) fn add(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    self.0.insert(ident.to_string());
                }
                TokenTree::Group(group) => self.add(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    /// Whether `name` is among them.
    pub(super) fn have(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// Those of two to four lanes: `xy`, `wzyx`.
    pub(super) fn swizzles(&self) -> impl Iterator<Item = &str> {
        let words = self.0.iter().map(String::as_str);
        words.filter(|word| {
            (2..=4).contains(&word.len()) && word.bytes().all(|lane| b"xyzw".contains(&lane))
        })
    }

    /// Whether they name a vector with such lanes, or a conversion to one.
    pub(super) fn ask_for(&self, lane: Prim) -> bool {
        // Most words are told by their last letter.
        let mut words =
            self.0.iter().filter(|word| matches!(word.as_bytes(), [.., b'2' | b'3' | b'4']));
        words.any(|word| {
            let of = |vector: Vector| vector.lane == lane;
            Vector::named(word).is_some_and(of)
                || word.strip_prefix("as_").is_some_and(|to| names_lowercase(to, lane))
        })
    }
}

/// Whether `word` is the name of a vector with such lanes, in lower-case letters.
fn names_lowercase(word: &str, lane: Prim) -> bool {
    let Some((of, lanes)) = word.split_once('x') else { return false };
    let (name, _) = OF.iter().find(|(_, of)| *of == lane).expect("every type of lane is listed");
    name.eq_ignore_ascii_case(of) && matches!(lanes, "2" | "3" | "4")
}
