//! Definitions of the vector types for the runtime crate.
use crate::{
    output::layout_derive::implement_layout,
    types::vector::{
        LANE_TYPES, Vector, methods,
        operators::{self, OperatorImpl},
    },
};
use proc_macro2::TokenStream;
use quote::quote;

/// Returns the definitions of all vector types.
pub(crate) fn vector_definitions() -> TokenStream {
    let all = LANE_TYPES.into_iter().flat_map(|(_, lane)| Vector::family(lane));
    let vectors = all.map(|vector| {
        let declaration = vector.declaration();
        let plain = syn::parse2(declaration.clone()).map(|item| implement_layout(&item));
        let plain = plain.unwrap_or_else(|error| error.to_compile_error());
        let methods = methods::member_impl(vector);
        let swizzles = methods::swizzle_impl(vector);
        let operators: TokenStream =
            operators::operator_impls(vector).iter().map(OperatorImpl::tokens).collect();
        let by_reference = operators::reference_impls(vector);
        let on_host = operators::host_impls(vector);
        quote!(#declaration #plain #methods #swizzles #operators #by_reference #on_host)
    });
    vectors.collect()
}
