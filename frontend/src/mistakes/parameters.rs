//! Parameters of kernels that hold the data of a host: raw pointers, `Vec`s and buffers.
//!
//! Inference refuses them. Rust accepts them, however, and its rules about `unsafe` and `mut` in
//! the body are of no use to the user, who has to change the parameters first: rustc does not see
//! the body of such a kernel.
use crate::{
    mistakes::may_be_in_scope,
    syntax::{span::SpanRange, spell::print_tokens},
};
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{FnArg, GenericArgument, Ident, ItemFn, PatType, PathArguments, Type, TypeReference};

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

/// Returns the name, the message and the intended type for a parameter such as `&Buffer<f32>`: the
/// type with which the host holds an array in the memory of a device.
pub(super) fn host_array(ty: &Type) -> Option<(&Ident, (String, String), TokenStream)> {
    let (mutable, held) = match ty {
        Type::Reference(TypeReference { mutability, elem, .. }) => (mutability.is_some(), &**elem),
        _ => (false, ty),
    };
    let Type::Path(path) = held else { return None };
    let last = path.path.segments.last().filter(|_| path.qself.is_none())?;
    let name = last.ident.to_string();
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let elem = arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })?;
    let mutable = mutable || name.ends_with("Mut");
    // Those of several dimensions are behind a reference, so that the body can write to them.
    let (shown, intended) = match (name.as_str(), mutable) {
        ("Buffer" | "Slice" | "View" | "ViewMut", false) => ("&[{}]", quote!(&[#elem])),
        ("Buffer" | "Slice" | "View" | "ViewMut", true) => ("&mut [{}]", quote!(&mut [#elem])),
        ("Buffer2" | "Slice2" | "View2" | "ViewMut2", false) => {
            ("Rows<{}>", quote!(&::warpwise::Rows<#elem>))
        }
        ("Buffer2" | "Slice2" | "View2" | "ViewMut2", true) => {
            ("RowsMut<{}>", quote!(&mut ::warpwise::RowsMut<#elem>))
        }
        ("Buffer3", false) => ("Layers<{}>", quote!(&::warpwise::Layers<#elem>)),
        ("Buffer3", true) => ("LayersMut<{}>", quote!(&mut ::warpwise::LayersMut<#elem>)),
        _ => return None,
    };
    let shown = shown.replace("{}", &print_tokens(elem.to_token_stream()));
    let fact = format!("a `{name}` is the host's: kernel code sees the elements in it");
    let help = format!("write `{shown}`; a launch passes the `{name}`");
    Some((&path.path.segments[0].ident, (fact, help), intended))
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
