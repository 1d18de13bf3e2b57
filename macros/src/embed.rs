//! From a kernel and the device functions it calls to what is embedded of it: IR, PTX and
//! places, or the diagnostics.
//!
//! ```text
//! impl saxpy { __WARPWISE_SOURCE, __WARPWISE_PTX }
//! fn ..                                    // witnesses of what was inferred, for rustc to check
//! { gpu::some_lint! {} }                   // warnings: see `report`
//! ```
use crate::{
    attr::Options,
    level::Policy,
    lower::{DeviceSet, Input, Lowered, lower},
    place,
    report::{self, Places},
    signature,
};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemFn, ext::IdentExt};
use warpwise_compiler::{
    compile::{CompileError, check_open, compile},
    diag::Diagnostics,
    lint::Levels,
    target::Target,
};

/// What is embedded of the kernel `item`. If something is already known to be wrong
/// (`sound` is false), only what else is.
pub(crate) fn kernel(
    item: &ItemFn,
    options: &Options,
    sound: bool,
    devices: &DeviceSet,
) -> TokenStream {
    let lowered = match lower(Input { item, options, devices }) {
        Err(errors) => return errors.to_compile_error(),
        Ok(_) if !sound => return TokenStream::new(),
        Ok(lowered) => lowered,
    };
    let places = Places { spans: &lowered.spans, fallback: item.sig.ident.span() };
    match run(&lowered, options) {
        Ok(compiled) => {
            let source = compiled.source(item, places);
            let witnesses = lowered.witnesses.iter().map(witness);
            let warnings = diagnostics(&compiled.warnings, places);
            let rebuild = rebuild();
            quote!(#source #(#witnesses)* #warnings #rebuild)
        }
        Err(CompileError::Rejected(rejected)) => diagnostics(&rejected, places),
        Err(CompileError::Unsupported(error)) => {
            report::error(&error.to_string(), places.fallback, places.fallback)
        }
        Err(error @ (CompileError::Specialize(_) | CompileError::Malformed(_))) => {
            let text = format!("{error}\n{}", lowered.kernel);
            report::bug(&text, places.fallback)
        }
    }
}

/// A function that exists for rustc to check, and to say nothing else about.
pub(crate) fn witness(witness: &ItemFn) -> TokenStream {
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

fn diagnostics(diagnostics: &Diagnostics, places: Places<'_>) -> TokenStream {
    diagnostics.0.iter().map(|diagnostic| report::diagnostic(diagnostic, places)).collect()
}

/// Makes cargo expand this again when the variable changes.
fn rebuild() -> TokenStream {
    quote!(
        const _: ::core::option::Option<&str> = ::core::option_env!("WARPWISE_LINTS");
    )
}

/// A kernel, compiled as far as the macro can.
struct Compiled {
    ir: String,
    ptx: Option<String>,
    warnings: Diagnostics,
}

fn run(lowered: &Lowered, options: &Options) -> Result<Compiled, CompileError> {
    let mut written = Levels { kernel: options.lints.clone(), spans: Vec::new() };
    written.kernel.extend(lowered.levels.kernel.iter().cloned());
    written.spans.extend(lowered.levels.spans.iter().cloned());
    let levels = Policy::of_build().levels(&written);
    let kernel = &lowered.kernel;
    if kernel.is_closed() {
        let compiled = compile(kernel, &[], Target::OLDEST, &levels)?;
        // As lowered: whoever runs it optimizes it, and tests run it without that, too.
        let (ir, ptx) = (kernel.to_string(), Some(compiled.ptx));
        Ok(Compiled { ir, ptx, warnings: compiled.diagnostics })
    } else {
        let warnings = check_open(kernel, &levels)?;
        Ok(Compiled { ir: kernel.to_string(), ptx: None, warnings })
    }
}

impl Compiled {
    /// The constants that `launch` and `PTX` read.
    fn source(&self, item: &ItemFn, places: Places<'_>) -> TokenStream {
        let name = &item.sig.ident;
        let text = name.unraw().to_string();
        let ir = &self.ir;
        let places = place::table(places.spans.iter().map(|range| range.first));
        let generics = signature::without_lifetimes(&item.sig.generics);
        let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
        let (ptx, embedded) = match &self.ptx {
            Some(ptx) => (
                Some(quote!(const __WARPWISE_PTX: &'static str = #ptx;)),
                quote!(::core::option::Option::Some(#name::__WARPWISE_PTX)),
            ),
            None => (None, quote!(::core::option::Option::None)),
        };
        quote!(
            impl #impl_generics #name #type_generics #where_clause {
                #ptx
                const __WARPWISE_SOURCE: &'static ::warpwise::__private::Source = {
                    static SOURCE: ::warpwise::__private::Source =
                        ::warpwise::__private::Source {
                            name: #text,
                            ir: #ir,
                            ptx: #embedded,
                            places: #places,
                        };
                    &SOURCE
                };
            }
        )
    }
}
