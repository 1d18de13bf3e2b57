//! Vector types: `F32x4` and its kin.
//!
//! Each is a struct with a field for every lane, and functions that say lane by lane what they do,
//! as Rust. [`vector_definitions`](crate::output::vectors::vector_definitions) compiles it into the runtime, [`items`] lowers it with the kernels that name
//! one of them, so that there is one text of what they mean. A kernel gets no more of it than the
//! names in it could ask for: of the vectors with a type of lane all three, of their methods those
//! that it names.
//!
//! Only `v[i]` and operators on references have two forms: on the host they are `impl`s; in kernels a vector is indexed as
//! an array is, so that it can be set, too, and operators look through references, as those of numbers do.
pub(crate) mod methods;
pub(crate) mod operators;
mod words;

use crate::types::Prim;
pub(crate) use crate::types::vector::words::Words;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, Item};

/// Names of the lanes.
const LANES: [&str; 4] = ["x", "y", "z", "w"];

/// What vectors have for lanes, and how their names say it.
pub(crate) const OF: [(&str, Prim); 12] = [
    ("F16", Prim::F16),
    ("Bf16", Prim::BF16),
    ("F32", Prim::F32),
    ("F64", Prim::F64),
    ("I8", Prim::I8),
    ("I16", Prim::I16),
    ("I32", Prim::I32),
    ("I64", Prim::I64),
    ("U8", Prim::U8),
    ("U16", Prim::U16),
    ("U32", Prim::U32),
    ("U64", Prim::U64),
];

/// A vector type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vector {
    /// What its lanes are.
    pub(crate) lane: Prim,
    /// How many they are: 2, 3 or 4.
    pub(crate) lanes: usize,
}

impl Vector {
    /// The one of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let (of, lanes) = name.rsplit_once('x')?;
        let lanes = ["2", "3", "4"].iter().position(|known| *known == lanes)? + 2;
        let (_, lane) = OF.into_iter().find(|(known, _)| *known == of)?;
        Some(Self { lane, lanes })
    }

    /// The one that a whole path names: `F32x4`, `warpwise::F32x4`.
    pub(crate) fn at(path: &str) -> Option<Self> {
        let path = path.trim_start_matches("::");
        let path = path.strip_prefix("warpwise::").unwrap_or(path);
        let path = path.strip_prefix("prelude::").unwrap_or(path);
        Self::named(path.strip_prefix("vector::").unwrap_or(path))
    }

    /// The three with lanes of that type.
    pub(crate) fn family(lane: Prim) -> [Self; 3] {
        [2, 3, 4].map(|lanes| Self { lane, lanes })
    }

    /// Its name.
    pub(crate) fn name(self) -> Ident {
        let of = OF.iter().find(|(_, lane)| *lane == self.lane).map_or("", |(name, _)| name);
        format_ident!("{of}x{}", self.lanes)
    }

    /// The name of its lanes' type.
    fn scalar(self) -> Ident {
        format_ident!("{}", self.lane.name())
    }

    /// The names of its lanes.
    fn fields(self) -> Vec<Ident> {
        LANES[..self.lanes].iter().map(|lane| format_ident!("{lane}")).collect()
    }

    /// Its alignment in bytes: its size, so that it is loaded and stored at once, but for vectors of
    /// three lanes, which lie as arrays do. Nothing is loaded in more than 16 bytes.
    fn align(self) -> u32 {
        let lane = self.lane.scalar().size().unwrap_or(1);
        match self.lanes {
            3 => lane,
            lanes => (lane * lanes as u32).min(16),
        }
    }

    /// A value, lane by lane.
    fn each(self, lane: impl Fn(&Ident) -> TokenStream) -> TokenStream {
        let (name, fields) = (self.name(), self.fields());
        let values = fields.iter().map(lane);
        quote!(#name { #(#fields: #values),* })
    }

    pub(crate) fn declaration(self) -> TokenStream {
        let (name, scalar, fields) = (self.name(), self.scalar(), self.fields());
        let align = proc_macro2::Literal::u32_unsuffixed(self.align());
        let doc = format!("{} lanes of `{scalar}`, aligned to {align} bytes.", self.lanes);
        let lanes = fields.iter().map(|field| format!("Lane `{field}`."));
        let whole = self.lane.is_int().then(|| quote!(, Eq, Hash));
        quote! {
            #[doc = #doc]
            #[repr(C, align(#align))]
            #[derive(Clone, Copy, Debug, Default, PartialEq #whole)]
            pub struct #name {
                #(#[doc = #lanes] pub #fields: #scalar),*
            }
        }
    }
}

/// True for a name like those of vectors, whether there is one of it.
pub(crate) fn is_name(name: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let rest = name.strip_prefix("Bf").or_else(|| name.strip_prefix(['I', 'U', 'F']));
    rest.and_then(|rest| rest.split_once('x'))
        .is_some_and(|(bits, lanes)| number(bits) && number(lanes))
}

/// The items of the vectors that these words may ask for.
pub(crate) fn items(words: &Words) -> Vec<Item> {
    let families = OF.into_iter().filter(|(_, lane)| words.ask_for(*lane));
    let vectors = families.flat_map(|(_, lane)| Vector::family(lane));
    let tokens = vectors.map(|vector| {
        let declaration = vector.declaration();
        let methods = methods::named(vector, words);
        let operators = operators::all(vector);
        let contracted = operators::contracted(vector);
        quote!(#declaration #methods #operators #contracted)
    });
    let file = syn::parse2::<syn::File>(tokens.collect());
    file.map(|file| file.items).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::ItemFn;

    #[test]
    fn names_lead_to_vectors() {
        let vector = Vector { lane: Prim::BF16, lanes: 2 };
        assert_eq!(Vector::named("Bf16x2"), Some(vector));
        assert_eq!(vector.name(), "Bf16x2");
        assert_eq!(Vector::at("warpwise::prelude::Bf16x2"), Some(vector));
        for name in ["F32x5", "F33x4", "x4", "F32x", "F32", "bf16x2", "m::F32x4"] {
            assert_eq!(Vector::at(name), None, "{name}");
        }
        assert!(is_name("F32x5") && is_name("Bf16x9") && !is_name("Fx4") && !is_name("Box"));
    }

    #[test]
    fn vectors_are_aligned_to_what_is_loaded_at_once() {
        let align = |name| Vector::named(name).unwrap().align();
        let names = ["F32x4", "F32x3", "F32x2", "F64x2", "F64x4", "U8x4", "F16x2", "I8x3"];
        assert_eq!(names.map(align), [16, 4, 8, 16, 16, 4, 4, 1]);
    }

    #[test]
    fn what_kernels_get_is_what_they_name() {
        let words = |kernel| Words::in_items([].iter(), Some(&kernel));
        let items = items(&words(syn::parse_quote!(
            fn f(v: F32x2) {
                v.dot(v.yx());
            }
        )));
        let structs = items.iter().filter(|item| matches!(item, Item::Struct(_)));
        assert_eq!(structs.count(), 3);
        let text = quote!(#(#items)*).to_string();
        assert!(text.contains("fn dot") && text.contains("fn yx") && !text.contains("fn xy"));
        let inside: ItemFn = syn::parse_quote!(
            fn f(v: f32) {
                assert!(f(as_f32x2(v).xy()));
            }
        );
        let text = super::items(&words(inside));
        let text = quote!(#(#text)*).to_string();
        assert!(text.contains("fn xy") && !text.contains("fn yx"));
        let none = words(syn::parse_quote!(
            fn f(v: f32) {}
        ));
        assert!(super::items(&none).is_empty());
    }
}
