//! The compiler front end of Warpwise: Rust tokens to IR to tokens.
//!
//! The five functions are the macros of `warpwise-macros`, as a library over `proc_macro2`, so that
//! tests, fuzzers and tools can call them outside of rustc. Folders are layers. Each uses only
//! those above it in this table:
//!
//! | | |
//! |---|---|
//! | `syntax` | tokens, spans and parsing |
//! | `types` | types, numbers, vectors, and the functions that Rust defines on them |
//! | `hir` | the typed tree of a function |
//! | `std_lib` | the parts of std that are kernel code |
//! | `attr` | arguments of `#[kernel(..)]`, lint attributes, settings of a build |
//! | `resolve` | name resolution, and expansion of the user's `macro_rules!` |
//! | `infer` | type inference: syntax to typed tree |
//! | `lower` | typed tree to IR |
//! | `witness` | copies of a function in which rustc checks the inferred types |
//! | `pipeline` | the order of these stages |
//! | `output` | generated code: compiles the IR and embeds the result |
//! | `device` | the expansion of `#[device]`, and the linking of items to kernels |
//! | `kernel` | the expansion of `#[kernel]` |
//! | `source` | kernels of a source text, without rustc (with the feature `source`) |
//!
//! No user input causes a panic; should one occur, it is reported as a bug of Warpwise.
extern crate proc_macro;

mod attr;
mod device;
mod hir;
mod infer;
mod kernel;
mod lower;
mod mistakes;
mod output;
mod pipeline;
mod resolve;
pub mod source;
mod std_lib;
mod syntax;
#[cfg(test)]
mod tests;
mod types;
mod witness;

use proc_macro2::{Span, TokenStream};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Expands `#[kernel(args)] item`.
#[must_use]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    guarded(item.clone(), || kernel::expand_kernel(args, item))
}

/// Expands `#[device(args)] item`.
#[must_use]
pub fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    guarded(item.clone(), || device::expand_device(args, item))
}

/// Expands the call at the end of a chain of carrier macros: a kernel or device items, with the
/// tokens of every item that they reach.
#[must_use]
pub fn link(tokens: TokenStream) -> TokenStream {
    guarded(TokenStream::new(), || device::link(tokens))
}

/// Expands `ptx!(tokens)` in the function as written.
#[must_use]
pub fn ptx(tokens: TokenStream) -> TokenStream {
    guarded(TokenStream::new(), || {
        resolve::inline_ptx::expand(tokens, Span::call_site())
            .unwrap_or_else(syn::Error::into_compile_error)
    })
}

/// Returns the definitions of every vector type, for the runtime crate.
#[must_use]
pub fn vectors() -> TokenStream {
    output::vectors::vector_definitions()
}

/// Returns the output of `expand`; if it panics, `item` and an error that reports the panic.
fn guarded(item: TokenStream, expand: impl FnOnce() -> TokenStream) -> TokenStream {
    catch_unwind(AssertUnwindSafe(expand)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let text = format!("panicked: {}", text.unwrap_or("without a message"));
        let error = output::report::report_bug(&text, Span::call_site());
        quote::quote!(#item #error)
    })
}

#[cfg(test)]
mod panic_guard {
    use super::*;
    use quote::quote;

    #[test]
    fn panics_become_errors_after_the_item() {
        let tokens = guarded(
            quote!(
                fn f() {}
            ),
            || panic!("oh {}", 1),
        )
        .to_string();
        assert!(tokens.starts_with("fn f () { }"), "{tokens}");
        assert!(tokens.contains("this is a bug in Warpwise"), "{tokens}");
        assert!(tokens.contains("panicked: oh 1"), "{tokens}");
    }
}
