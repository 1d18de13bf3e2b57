//! The standard library of kernels, as kernel code: `Option`, `Result` and their methods,
//! comparisons, methods of `bool`, numbers, slices and iterators, functions of `std::mem`, and
//! collectives of warps and blocks. Every kernel can name it without declaring it.
//!
//! A type or function is parsed when the first kernel code that names it is inferred; a kernel that
//! names none pays nothing. The vectors that a kernel names are numbered after them.
//!
//! Other supported functions of std are in `types/method/table.rs` (methods of numbers),
//! `types/vector/methods.rs` (of vectors) and `resolve/std_paths.rs` (names that a `use` brings).
//! `docs/language.md` is the list for users.
mod bytes;
pub(crate) mod math_library;

use crate::{
    resolve::device_set::DeviceItem,
    types::vector::{self, Identifiers, Vector, VectorItem},
};
use std::{cell::OnceCell, collections::BTreeMap, sync::LazyLock};
use syn::{Item, Signature, TraitItem};

/// The sources. Types, traits and `impl`s begin and end at the left margin, structs are one line,
/// and functions in `impl`s are indented by four spaces.
const SOURCES: [&str; 19] = [
    include_str!("bool.rs"),
    include_str!("option.rs"),
    include_str!("slice.rs"),
    include_str!("iterator/source.rs"),
    include_str!("iterator/consume.rs"),
    include_str!("iterator/next.rs"),
    include_str!("iterator/back.rs"),
    include_str!("iterator/rest.rs"),
    include_str!("iterator/nth.rs"),
    include_str!("array.rs"),
    include_str!("atomic.rs"),
    include_str!("mem.rs"),
    include_str!("number.rs"),
    include_str!("compare.rs"),
    include_str!("wrapping.rs"),
    include_str!("warp.rs"),
    include_str!("block.rs"),
    include_str!("grid.rs"),
    include_str!("async_copy.rs"),
];

/// A type, or a function with the first line of its `impl` or trait.
#[derive(Debug)]
struct Piece {
    name: &'static str,
    within: Option<&'static str>,
    text: &'static str,
}

/// All pieces, in the order of the sources.
static PIECES: LazyLock<Vec<Piece>> = LazyLock::new(|| {
    SOURCES.into_iter().chain([BYTES_SOURCE.as_str()]).flat_map(split_pieces).collect()
});

/// The generated source.
static BYTES_SOURCE: LazyLock<String> = LazyLock::new(bytes::generate_source);

fn split_pieces(file: &'static str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut within = None;
    let mut begun: Option<(&'static str, usize)> = None;
    let mut at = 0;
    for line in file.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        // Inside of a function: skipped without a parse, since most lines are here.
        if line.starts_with("     ") {
            continue;
        }
        let line = line.trim_end();
        let is_of_name = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
        let named = |rest: &'static str| {
            let end = rest.bytes().position(|byte| !is_of_name(byte));
            end.map_or(rest, |end| &rest[..end])
        };
        if line.starts_with("impl") || line.starts_with("trait ") {
            within = Some(line);
        } else if let Some(rest) = line.strip_prefix("struct ") {
            found.push(Piece { name: named(rest), within, text: line });
        } else if let Some(rest) = line.strip_prefix("enum ").or(line.strip_prefix("    fn ")) {
            begun = Some((named(rest), start));
        }
        let inner = begun.is_some() && within.is_some();
        match (line, begun) {
            ("}", Some((name, start))) if !inner => {
                found.push(Piece { name, within, text: &file[start..end] });
                begun = None;
            }
            ("    }", Some((name, start))) if inner => {
                found.push(Piece { name, within, text: &file[start..end] });
                begun = None;
            }
            ("}", None) => within = None,
            _ => {}
        }
    }
    found
}

impl Piece {
    fn parse(&self) -> Option<Item> {
        match self.within {
            None => syn::parse_str(self.text).ok(),
            Some(within) => syn::parse_str(&format!("{within}\n{}}}", self.text)).ok(),
        }
    }
}

/// The library, parsed as far as a kernel needs it. Its items have numbers; each is a type, or an
/// `impl` or trait with one function.
pub(crate) struct StdLib {
    /// The number of the first item.
    first: usize,
    /// The paths in the items, which name each other.
    paths: BTreeMap<String, usize>,
    parsed: Vec<OnceCell<Option<DeviceItem>>>,
    /// Vectors and their `impl`s, whose paths name only vectors.
    vectors: Vec<VectorItem>,
}

impl StdLib {
    /// Makes a library with item numbers from `first` on, for code with these words.
    pub(crate) fn new(first: usize, words: &Identifiers) -> Self {
        let vectors = vector::items(words);
        let types = PIECES.iter().enumerate().filter(|(_, piece)| piece.within.is_none());
        Self {
            first,
            paths: types.map(|(index, piece)| (piece.name.to_owned(), first + index)).collect(),
            parsed: (0..PIECES.len() + vectors.len()).map(|_| OnceCell::new()).collect(),
            vectors,
        }
    }

    /// Returns the number after the last item.
    pub(crate) fn end_number(&self) -> usize {
        self.first + PIECES.len() + self.vectors.len()
    }

    /// Returns the names of the items, for messages.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let pieces = PIECES.iter();
        let pieces =
            pieces.map(|piece| if piece.within.is_none() { piece.name } else { "_" }.to_owned());
        let vectors = self.vectors.iter().map(|item| match item {
            VectorItem::Type(vector) => vector.name().to_string(),
            VectorItem::Methods(_) | VectorItem::Operator(_) => "_".to_owned(),
        });
        pieces.chain(vectors)
    }

    /// Returns the item with this number.
    pub(crate) fn item(&self, number: usize) -> Option<&DeviceItem> {
        let index = number.checked_sub(self.first)?;
        let parse = || {
            let (item, paths) = match index.checked_sub(PIECES.len()) {
                None => (PIECES[index].parse()?, self.paths.clone()),
                Some(behind) => (self.vectors[behind].parse()?, BTreeMap::new()),
            };
            Some(DeviceItem { item, paths, is_foreign: false, std_item: None })
        };
        self.parsed.get(index)?.get_or_init(parse).as_ref()
    }

    /// Returns the type that a path names, if it is in scope everywhere or a path of std.
    pub(crate) fn find_type(&self, path: &str) -> Option<usize> {
        // `::std::option::Option` certainly begins with a crate.
        let path = path.strip_prefix("::").filter(|rest| rest.contains("::")).unwrap_or(path);
        let name = match path {
            "Option" | "std::option::Option" | "core::option::Option" => "Option",
            "Result" | "std::result::Result" | "core::result::Result" => "Result",
            "Ordering" | "cmp::Ordering" | "std::cmp::Ordering" | "core::cmp::Ordering" => {
                "Ordering"
            }
            "std::sync::atomic::Ordering" | "core::sync::atomic::Ordering" => "AtomicOrdering",
            "Reverse" | "std::cmp::Reverse" | "core::cmp::Reverse" => "Reverse",
            "Wrapping" | "num::Wrapping" | "std::num::Wrapping" | "core::num::Wrapping" => {
                "Wrapping"
            }
            "ControlFlow" | "std::ops::ControlFlow" | "core::ops::ControlFlow" => "ControlFlow",
            "PhantomData"
            | "marker::PhantomData"
            | "std::marker::PhantomData"
            | "core::marker::PhantomData" => "PhantomData",
            "TryFromIntError"
            | "num::TryFromIntError"
            | "std::num::TryFromIntError"
            | "core::num::TryFromIntError" => "TryFromIntError",
            "TryFromSliceError"
            | "array::TryFromSliceError"
            | "std::array::TryFromSliceError"
            | "core::array::TryFromSliceError" => "TryFromSliceError",
            "RangeTo" | "ops::RangeTo" | "std::ops::RangeTo" | "core::ops::RangeTo" => "RangeTo",
            "RangeToInclusive"
            | "ops::RangeToInclusive"
            | "std::ops::RangeToInclusive"
            | "core::ops::RangeToInclusive" => "RangeToInclusive",
            "GetDisjointMutError"
            | "slice::GetDisjointMutError"
            | "std::slice::GetDisjointMutError"
            | "core::slice::GetDisjointMutError" => "GetDisjointMutError",
            _ => return self.find_vector(Vector::from_path(path)?),
        };
        self.paths.get(name).copied()
    }

    /// Returns the type of a vector.
    fn find_vector(&self, vector: Vector) -> Option<usize> {
        let is_type = |item: &VectorItem| matches!(item, VectorItem::Type(of) if *of == vector);
        Some(self.first + PIECES.len() + self.vectors.iter().position(is_type)?)
    }

    /// Returns the enum and variant of a name that is in scope everywhere.
    pub(crate) fn find_variant(&self, name: &str) -> Option<(usize, usize)> {
        let (of, variant) = match name {
            "None" => ("Option", 0),
            "Some" => ("Option", 1),
            "Ok" => ("Result", 0),
            "Err" => ("Result", 1),
            _ => return None,
        };
        Some((self.find_type(of)?, variant))
    }

    /// Returns the `impl`s with a function or constant of this name.
    pub(crate) fn impls_with_member(&self, name: &str) -> Vec<usize> {
        let (mut found, pieces) = (Vec::new(), PIECES.as_slice());
        // A plain loop that compares lengths first: every method of a kernel is searched in all
        // pieces.
        let mut index = 0;
        while index < pieces.len() {
            let piece = &pieces[index];
            if piece.name.len() == name.len()
                && piece.name == name
                && piece.within.is_some_and(|within| within.starts_with("impl"))
            {
                found.push(self.first + index);
            }
            index += 1;
        }
        let vectors = self.vectors.iter().enumerate();
        let of_vectors = vectors.filter(|(_, item)| item.has_member(name));
        found.extend(of_vectors.map(|(index, _)| self.first + pieces.len() + index));
        found
    }

    /// Returns the function of this name in a trait: the item's number, and the signature of its
    /// first function.
    pub(crate) fn find_function(&self, of_trait: &str, name: &str) -> Option<(usize, &Signature)> {
        let is_of_trait = |piece: &Piece| {
            let head = piece.within.and_then(|within| within.strip_prefix("trait "));
            head.and_then(|head| head.split(['<', ' ']).next()) == Some(of_trait)
        };
        let index = PIECES.iter().position(|piece| piece.name == name && is_of_trait(piece))?;
        let number = self.first + index;
        let Item::Trait(found) = &self.item(number)?.item else { return None };
        match found.items.first()? {
            TraitItem::Fn(function) => Some((number, &function.sig)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES_SOURCE, Item, PIECES, SOURCES, StdLib};
    use crate::types::{
        collective::{
            ASYNC_COPY_FUNCTIONS, BLOCK_FUNCTIONS, GRID_FUNCTIONS, WARP_FUNCTIONS, library_trait,
        },
        vector::Identifiers,
    };
    use syn::{ImplItem, TraitItem};

    /// Returns the names of the types and functions in a file, by a full parse.
    fn expected(file: &str) -> Vec<String> {
        let items = syn::parse_file(file).expect("the prelude is kernel code").items;
        let names = items.iter().flat_map(|item| match item {
            Item::Enum(item) => vec![item.ident.to_string()],
            Item::Struct(item) => vec![item.ident.to_string()],
            Item::Impl(item) => item
                .items
                .iter()
                .map(|member| match member {
                    ImplItem::Fn(function) => function.sig.ident.to_string(),
                    _ => "something else".into(),
                })
                .collect(),
            Item::Trait(item) => item
                .items
                .iter()
                .map(|member| match member {
                    TraitItem::Fn(function) => function.sig.ident.to_string(),
                    _ => "something else".into(),
                })
                .collect(),
            _ => vec!["something else".into()],
        });
        names.collect()
    }

    #[test]
    fn every_piece_is_found_and_parses() {
        let expected: Vec<String> =
            SOURCES.into_iter().chain([BYTES_SOURCE.as_str()]).flat_map(expected).collect();
        let found: Vec<&str> = PIECES.iter().map(|piece| piece.name).collect();
        assert_eq!(found, expected);
        for piece in PIECES.iter() {
            assert!(piece.parse().is_some(), "{piece:?}");
        }
    }

    #[test]
    fn the_prelude_has_every_function() {
        let prelude = StdLib::new(0, &Identifiers::default());
        let modules: [(_, &[_]); 4] = [
            ("warp", &WARP_FUNCTIONS),
            ("block", &BLOCK_FUNCTIONS),
            ("grid", &GRID_FUNCTIONS),
            ("async_copy", &ASYNC_COPY_FUNCTIONS),
        ];
        for (module, functions) in modules {
            for (name, _) in functions {
                let of_trait = library_trait(module, false).unwrap();
                assert!(prelude.find_function(of_trait, name).is_some(), "{module}::{name}");
            }
        }
    }
}
