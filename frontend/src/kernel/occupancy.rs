//! The functions `saxpy::occupancy`, `saxpy::suggest_block` and `saxpy::max_cooperative_blocks`,
//! which report the number of concurrent blocks of a kernel and the size with which most threads
//! run.
use crate::{attr::Options, kernel::member_visibility, output::signature};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ItemFn;

/// Returns the functions for `item`; the last one for cooperative kernels only.
pub(crate) fn occupancy_functions(item: &ItemFn, options: &Options) -> TokenStream {
    if !signature::is_bindable(&item.sig.generics, options) {
        return TokenStream::new();
    }
    let occupancy = occupancy_function(
        item,
        options,
        "occupancy",
        Shape::Given,
        "Returns the number of blocks of the kernel that run on a multiprocessor of `device` at \
         the same time, for blocks of this shape with `dynamic_shared` bytes of shared memory \
         (`shared_dyn!`), and the limiting resource. `None` for the interpreter, which has no \
         multiprocessors.",
        &quote!(::core::option::Option<::warpwise::occupancy::Occupancy>),
    );
    let suggest_block = occupancy_function(
        item,
        options,
        "suggest_block",
        Shape::Wanted,
        "Returns the size of blocks with which most threads of the kernel run on `device` at the \
         same time, for blocks with `dynamic_shared` bytes of shared memory (`shared_dyn!`), and \
         the number of these blocks. The size is that of the kernel's own block, where it \
         declares one, and 256 threads on the interpreter.",
        &quote!(::warpwise::occupancy::SuggestedBlock),
    );
    let most = options.cooperative.then(|| {
        occupancy_function(
            item,
            options,
            "max_cooperative_blocks",
            Shape::Given,
            "Returns the most blocks of a launch on `device`: as many as run at the same time, \
             for blocks of this shape with `dynamic_shared` bytes of shared memory \
             (`shared_dyn!`).",
            &quote!(usize),
        )
    });
    quote!(#occupancy #suggest_block #most)
}

/// The caller's part in the shape of blocks.
#[derive(Clone, Copy)]
enum Shape {
    /// The caller passes it.
    Given,
    /// The function returns it.
    Wanted,
}

fn occupancy_function(
    item: &ItemFn,
    options: &Options,
    name: &str,
    shape: Shape,
    doc: &str,
    yields: &TokenStream,
) -> TokenStream {
    let (vis, name) = (member_visibility(item), format_ident!("{name}"));
    let bindings = signature::launch_bindings(&item.sig.generics, options);
    let (source, needs) =
        (signature::source_expr(options), signature::launch_where_clause(&[], item, options));
    let (param, arg, allowed) = match shape {
        Shape::Given => (
            quote!(block: impl ::warpwise::IntoDims,),
            quote!(block,),
            quote!(#[allow(clippy::impl_trait_in_params, reason = "as `LaunchConfig::block` takes it")]),
        ),
        Shape::Wanted => Default::default(),
    };
    quote!(
        #[doc = #doc]
        ///
        /// # Errors
        /// If no launch could have such blocks, or the kernel does not compile for the device.
        #allowed
        #vis fn #name(
            device: &::warpwise::Device,
            #param
            dynamic_shared: usize,
        ) -> ::warpwise::Result<#yields> #needs {
            #[allow(unused_imports, reason = "used where the kernel did not compile")]
            use ::warpwise::__private::NotCompiled as _;
            ::warpwise::__private::#name(
                #source,
                &[#(#bindings),*],
                device,
                #arg
                dynamic_shared,
            )
        }
    )
}
