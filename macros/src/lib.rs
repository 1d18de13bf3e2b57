//! The `#[kernel]` and `#[device]` macros: Rust tokens to IR to tokens.
//!
//! Each macro is one file: [`expand`] (`#[kernel]`) and [`device`] (`#[device]` and what links
//! the two). [`lower`] says what a kernel's tokens mean, [`embed`] compiles that and yields what
//! the program carries of it. Nothing panics on what a user writes; should something, it is
//! reported as a bug of ours.
mod attr;
mod cycle;
mod device;
mod embed;
mod expand;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod golden;
mod level;
mod linked;
mod lower;
mod place;
mod report;
mod signature;
mod strip;
mod suggest;
mod ungroup;

use proc_macro2::{Span, TokenStream};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Makes a function a kernel: `name::launch(..)` runs it on a device.
///
/// The arguments, in any order:
///
/// - `block = 256`, `block = (32, 8)`, `block = (8, 8, 4)`: the threads of a block. A const
///   generic's name, or that of a constant named in `open(..)`, may stand for a number.
/// - `contract = false`: `a * b + c` on floats is two roundings, as on the host, and not one.
/// - `overflow_checks`: integer arithmetic that overflows is a fault, as in a debug build.
/// - `wide_index`: the grid may have more than 2^31 threads along an axis.
/// - `open(TILE, WIDTH)`: constants of the host that the kernel uses. The kernel is then compiled
///   at its first launch.
/// - `allow(gpu_..)`, `warn(gpu_..)`, `deny(gpu_..)`: levels of lints.
#[proc_macro_attribute]
pub fn kernel(
    args: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let item = TokenStream::from(item);
    guarded(item.clone(), || expand::kernel(args.into(), item)).into()
}

/// Makes a function callable from kernels, and from other device functions, of any crate.
#[proc_macro_attribute]
pub fn device(
    args: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    let item = TokenStream::from(item);
    guarded(item.clone(), || device::device(args.into(), item)).into()
}

/// Where the macros of device functions end: no part of the API.
#[doc(hidden)]
#[proc_macro]
pub fn link(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    guarded(TokenStream::new(), || device::link(tokens.into())).into()
}

/// What `expand` yields; if it panics, `item` and an error that says so.
fn guarded(item: TokenStream, expand: impl FnOnce() -> TokenStream) -> TokenStream {
    catch_unwind(AssertUnwindSafe(expand)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let text = format!("panicked: {}", text.unwrap_or("without a message"));
        let error = report::bug(&text, Span::call_site());
        quote::quote!(#item #error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn a_panic_is_an_error_beside_what_was_written() {
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
