//! Vector types: `F32x4` and its kin.
//!
//! Each is a struct with a field for every lane, and with functions defined lane by lane in Rust.
//! [`vector_definitions`](crate::output::vectors::vector_definitions) compiles the text into the
//! runtime, and [`items`] lowers it with the kernels that use vectors, so there is one definition
//! of their meaning. A kernel gets only what the names in it may need: all three vectors of a lane
//! type, and of their methods those that it names.
//!
//! Only `v[i]` and operators on references have two forms. On the host they are `impl`s. In kernels
//! a vector is indexed like an array, so that a lane can be assigned, and operators dereference
//! their operands, like those of numbers.
mod examples;
pub(crate) mod methods;
pub(crate) mod operators;
mod words;

use crate::types::Prim;
use crate::types::vector::operators::OperatorImpl;
pub(crate) use crate::types::vector::words::Identifiers;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Ident, ImplItem, Item, ItemImpl};

/// The names of the lanes.
const LANE_NAMES: [&str; 4] = ["x", "y", "z", "w"];

/// The lane types, with their part of the vector's name.
pub(crate) const LANE_TYPES: [(&str, Prim); 12] = [
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
    /// The lane type.
    pub(crate) lane: Prim,
    /// The number of lanes: 2, 3 or 4.
    pub(crate) lanes: usize,
}

impl Vector {
    /// Returns the vector with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let (of, lanes) = name.rsplit_once('x')?;
        let lanes = ["2", "3", "4"].iter().position(|known| *known == lanes)? + 2;
        let (_, lane) = LANE_TYPES.into_iter().find(|(known, _)| *known == of)?;
        Some(Self { lane, lanes })
    }

    /// Returns the vector that a whole path names: `F32x4`, `warpwise::F32x4`.
    pub(crate) fn from_path(path: &str) -> Option<Self> {
        let path = path.trim_start_matches("::");
        let path = path.strip_prefix("warpwise::").unwrap_or(path);
        let path = path.strip_prefix("prelude::").unwrap_or(path);
        Self::from_name(path.strip_prefix("vector::").unwrap_or(path))
    }

    /// Returns the three vectors with this lane type.
    pub(crate) fn family(lane: Prim) -> [Self; 3] {
        [2, 3, 4].map(|lanes| Self { lane, lanes })
    }

    /// Returns the vector's name.
    pub(crate) fn name(self) -> Ident {
        let prefix =
            LANE_TYPES.iter().find(|(_, lane)| *lane == self.lane).map_or("", |(name, _)| name);
        format_ident!("{prefix}x{}", self.lanes)
    }

    /// Returns the name of the lane type.
    fn scalar(self) -> Ident {
        format_ident!("{}", self.lane.name())
    }

    /// Returns the names of the lanes.
    fn fields(self) -> Vec<Ident> {
        LANE_NAMES[..self.lanes].iter().map(|lane| format_ident!("{lane}")).collect()
    }

    /// Returns the alignment in bytes: the size, so that a vector is loaded and stored at once, but
    /// at most 16 bytes, the widest access. Vectors of three lanes have the layout of arrays.
    pub(crate) fn align(self) -> u32 {
        let lane = self.lane.scalar().size().unwrap_or(1);
        match self.lanes {
            3 => lane,
            lanes => (lane * lanes as u32).min(16),
        }
    }

    /// Makes a value lane by lane.
    fn map_lanes(self, lane: impl Fn(&Ident) -> TokenStream) -> TokenStream {
        let (name, fields) = (self.name(), self.fields());
        let values = fields.iter().map(lane);
        quote!(#name { #(#fields: #values),* })
    }

    pub(crate) fn declaration(self) -> TokenStream {
        let (name, scalar, fields) = (self.name(), self.scalar(), self.fields());
        let align = proc_macro2::Literal::u32_unsuffixed(self.align());
        let unit = if self.align() == 1 { "byte" } else { "bytes" };
        let doc = format!("{} lanes of `{scalar}`, aligned to {align} {unit}.", self.lanes);
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

/// Returns true for a name of the form of a vector's, even if there is no such vector.
pub(crate) fn is_name(name: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let rest = name.strip_prefix("Bf").or_else(|| name.strip_prefix(['I', 'U', 'F']));
    rest.and_then(|rest| rest.split_once('x'))
        .is_some_and(|(bits, lanes)| number(bits) && number(lanes))
}

/// An item of a vector for kernels, parsed when a kernel needs it.
pub(crate) enum VectorItem {
    /// The type.
    Type(Vector),
    /// The `impl` with all methods and constants that kernels name.
    Methods(Box<ItemImpl>),
    /// An `impl` with one function.
    Operator(OperatorImpl),
}

impl VectorItem {
    pub(crate) fn parse(&self) -> Option<Item> {
        match self {
            Self::Type(vector) => syn::parse2(vector.declaration()).ok(),
            Self::Methods(methods) => Some(Item::Impl(ItemImpl::clone(methods))),
            Self::Operator(operator) => syn::parse2(operator.tokens()).ok(),
        }
    }

    /// Returns true for an `impl` with a function or constant of this name.
    pub(crate) fn has_member(&self, name: &str) -> bool {
        match self {
            Self::Type(_) => false,
            Self::Methods(methods) => methods.items.iter().any(|member| has_name(member, name)),
            Self::Operator(operator) => operator.method == name,
        }
    }
}

/// Returns true if a function or constant has this name.
fn has_name(member: &ImplItem, name: &str) -> bool {
    match member {
        ImplItem::Fn(function) => function.sig.ident == name,
        ImplItem::Const(constant) => constant.ident == name,
        _ => false,
    }
}

/// Returns the items of the vectors that these words may need.
pub(crate) fn items(words: &Identifiers) -> Vec<VectorItem> {
    let families = LANE_TYPES.into_iter().filter(|(_, lane)| words.need_lane_type(*lane));
    let mut items = Vec::new();
    for vector in families.flat_map(|(_, lane)| Vector::family(lane)) {
        items.push(VectorItem::Type(vector));
        let methods = syn::parse2(methods::selected_impl(vector, words));
        items.extend(methods.ok().map(VectorItem::Methods));
        let operators = operators::operator_impls(vector).into_iter();
        let contracted = operators::contraction_impls(vector);
        items.extend(operators.chain(contracted).map(VectorItem::Operator));
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::ItemFn;

    #[test]
    fn names_lead_to_vectors() {
        let vector = Vector { lane: Prim::BF16, lanes: 2 };
        assert_eq!(Vector::from_name("Bf16x2"), Some(vector));
        assert_eq!(vector.name(), "Bf16x2");
        assert_eq!(Vector::from_path("warpwise::prelude::Bf16x2"), Some(vector));
        for name in ["F32x5", "F33x4", "x4", "F32x", "F32", "bf16x2", "m::F32x4"] {
            assert_eq!(Vector::from_path(name), None, "{name}");
        }
        assert!(is_name("F32x5") && is_name("Bf16x9") && !is_name("Fx4") && !is_name("Box"));
    }

    #[test]
    fn vectors_are_aligned_to_the_size_of_one_load() {
        let align = |name| Vector::from_name(name).unwrap().align();
        let names = ["F32x4", "F32x3", "F32x2", "F64x2", "F64x4", "U8x4", "F16x2", "I8x3"];
        assert_eq!(names.map(align), [16, 4, 8, 16, 16, 4, 4, 1]);
    }

    #[test]
    fn kernels_get_only_the_vector_methods_that_they_name() {
        let words = |kernel| Identifiers::in_items([].iter(), Some(&kernel));
        let items = |words: &Identifiers| -> Vec<Item> {
            super::items(words).iter().map(|item| item.parse().expect("it parses")).collect()
        };
        let items_of_dot = items(&words(syn::parse_quote!(
            fn f(v: F32x2) {
                v.dot(v.yx());
            }
        )));
        let structs = items_of_dot.iter().filter(|item| matches!(item, Item::Struct(_)));
        assert_eq!(structs.count(), 3);
        let text = quote!(#(#items_of_dot)*).to_string();
        assert!(text.contains("fn dot") && text.contains("fn yx") && !text.contains("fn xy"));
        let inside: ItemFn = syn::parse_quote!(
            fn f(v: f32) {
                assert!(f(as_f32x2(v).xy()));
            }
        );
        let text = items(&words(inside));
        let text = quote!(#(#text)*).to_string();
        assert!(text.contains("fn xy") && !text.contains("fn yx"));
        let none = words(syn::parse_quote!(
            fn f(v: f32) {}
        ));
        assert!(items(&none).is_empty());
    }
}
