//! Definitions of the vector types for the runtime crate.
use crate::{
    output::layout_derive::implement_layout,
    types::vector::{OF, Vector, methods, operators},
};
use proc_macro2::TokenStream;
use quote::quote;

/// Returns the definitions of all vector types.
pub(crate) fn vector_definitions() -> TokenStream {
    let all = OF.into_iter().flat_map(|(_, lane)| Vector::family(lane));
    let vectors = all.map(|vector| {
        let declaration = vector.declaration();
        let plain = syn::parse2(declaration.clone()).map(|item| implement_layout(&item));
        let plain = plain.unwrap_or_else(|error| error.to_compile_error());
        let methods = methods::all(vector);
        let [swizzles, operators] = [methods::swizzles(vector), operators::all(vector)];
        let by_reference = operators::by_reference(vector);
        let on_host = operators::on_host(vector);
        quote!(#declaration #plain #methods #swizzles #operators #by_reference #on_host)
    });
    vectors.collect()
}
