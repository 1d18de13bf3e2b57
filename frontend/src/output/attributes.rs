//! Attributes of generated items, and detection of rust-analyzer.
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Attribute;

/// Returns true in rust-analyzer, which shows no diagnostics of macros and does not need the
/// compiled kernel.
pub(crate) fn is_rust_analyzer() -> bool {
    std::env::var_os("RUST_ANALYZER_INTERNALS_DO_NOT_USE").is_some()
}

/// Silences clippy's lints that are meaningless for kernel code.
pub(crate) fn silence_clippy() -> TokenStream {
    quote!(
        #[allow(
            clippy::assign_op_pattern,
            clippy::manual_div_ceil,
            clippy::manual_is_multiple_of,
            clippy::manual_memcpy,
            clippy::needless_range_loop,
            clippy::too_many_arguments,
            clippy::trivially_copy_pass_by_ref,
            reason = "kernel code is written for a GPU"
        )]
    )
}

/// Returns the `#[cfg(..)]` attributes, for generated items beside the function.
pub(crate) fn cfg_attributes(attributes: &[Attribute]) -> Vec<&Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect()
}

/// Returns a witness, an item, with all lints silenced.
pub(crate) fn silence_witness(witness: &impl ToTokens) -> TokenStream {
    quote!(
        #[allow(
            warnings,
            arithmetic_overflow,
            overflowing_literals,
            unconditional_panic,
            clippy::all,
            clippy::nursery,
            clippy::pedantic,
            clippy::restriction,
            reason = "a copy of what rustc and clippy see elsewhere"
        )]
        #witness
    )
}
