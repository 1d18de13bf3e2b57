//! Parameters of kernels that hold the data of a host: raw pointers and `Vec`s.
//!
//! Inference refuses them. Rust accepts them, however, and its rules about `unsafe` and `mut` in
//! the body are of no use to the user, who has to change the parameters first: rustc does not see
//! the body of such a kernel.
use crate::{mistakes::may_be_in_scope, syntax::span::SpanRange};
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;
use syn::{FnArg, ItemFn, PatType, Type};

/// The help for raw pointers.
pub(crate) const POINTER_HELP: &str = "use slices: `&[T]`, `&mut [T]`";

/// Returns an error for each parameter of a kernel that inference refuses, too.
pub(crate) fn find_refused_parameters(kernel: &ItemFn) -> Option<syn::Error> {
    let errors = kernel.sig.inputs.iter().filter_map(|input| {
        let FnArg::Typed(PatType { ty, .. }) = input else { return None };
        let (what, help) = match &**ty {
            Type::Ptr(_) => ("raw pointers", POINTER_HELP),
            Type::Path(path) if path.qself.is_none() => {
                let name = path.path.segments.first()?;
                if path.path.segments.len() > 1
                    || name.ident != "Vec"
                    || may_be_in_scope(&name.ident, true)
                {
                    return None;
                }
                (
                    "the type `Vec`",
                    "a kernel cannot allocate: pass a buffer as `&[T]` or `&mut [T]`",
                )
            }
            _ => return None,
        };
        let text = format!("kernel code cannot use {what}\n= help: {help}");
        Some(SpanRange::tokens(ty).error(text))
    });
    errors.reduce(|mut all, error| {
        all.combine(error);
        all
    })
}

/// Returns a function whose body does nothing, without warnings about that.
pub(crate) fn without_body(function: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = function.into_iter().collect();
    if let Some(TokenTree::Group(body)) = tokens.last_mut() {
        let mut nothing = Group::new(body.delimiter(), quote!(::core::unreachable!()));
        nothing.set_span(body.span());
        *body = nothing;
    }
    quote!(
        #[allow(unused_variables, unused_mut, reason = "the parameters of the kernel are wrong")]
        #(#tokens)*
    )
}
