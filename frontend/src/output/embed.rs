//! From a kernel and the device functions it calls to what is embedded of it: IR, PTX and
//! places, or the diagnostics.
//!
//! ```text
//! impl saxpy { __WARPWISE_SOURCE, __WARPWISE_PTX }
//! fn ..                                    // witnesses of what was inferred, for rustc to check
//! { gpu::some_lint! {} }                   // warnings: see `report`
//! ```
//! Whether debug assertions are on, only rustc knows. A kernel with `debug_assert!` is compiled with and
//! without them, and `#[cfg(debug_assertions)]` takes one of the two: that of the crate that holds the kernel.
use crate::{
    attr::{
        Options,
        backend::{self, Choice, Emitted},
        instances::Instance,
        level::{Build, RECORD_FILE},
        lint_attr::Expectation,
    },
    output::{
        record,
        report::{self, Places},
        signature,
    },
    pipeline::{Input, Lowered, lower},
    resolve::device_set::DeviceSet,
    syntax::{
        place::{self, Place},
        raw_text,
        tokens::Tokens,
    },
};
use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use std::{collections::BTreeSet, rc::Rc};
use syn::{ItemFn, ext::IdentExt};
use warpwise_compiler::{
    analysis::Analyses,
    back::Backend,
    compile::{CompileError, check_open, checked_and_optimized},
    diag::{Diagnostic, Diagnostics, Level},
    ir::CoarseGrid,
    lint::{self, Levels, Setting},
    verify::verify,
};

/// What is embedded of the kernel `item`, which is made of these `tokens`, should they be at hand. If something is
/// already known to be wrong (`sound` is false), only what else is.
pub(crate) fn kernel(
    item: &ItemFn,
    tokens: Option<&Tokens>,
    options: &Options,
    sound: bool,
    devices: &DeviceSet,
) -> TokenStream {
    if options.instances.is_empty() {
        let generics = signature::launched(&item.sig.generics, false);
        let (_, type_generics, _) = generics.split_for_impl();
        let name = &item.sig.ident;
        let launched = quote!(#name #type_generics);
        let input = Input { item, tokens, options, devices };
        return one(input, (sound, &launched, &mut Said::default())).0;
    }
    let mut said = Said::default();
    let mut embedded = TokenStream::new();
    let all = signature::launched(&item.sig.generics, true);
    for instance in if sound { options.instances.as_slice() } else { &[] } {
        let (instantiated, options) = instance.of(item, options, devices);
        let launched = instance.launched(&item.sig.ident, &all);
        let traits = Instance::traits(item, devices);
        let input = Input { item: &instantiated, tokens: None, options: &options, devices };
        let (found, good) = one(input, (sound, &launched, &mut said));
        embedded.extend(quote!(const _: () = { #traits #found };));
        if !good {
            break; // the others would say the same again
        }
    }
    embedded
}

/// What was said of other instances of a kernel: code, text and place.
#[derive(Default)]
struct Said(BTreeSet<String>);

impl Said {
    /// Whether this is new.
    fn adds(&mut self, diagnostic: &Diagnostic, places: Places<'_>) -> bool {
        let at = Place::of(places.range(diagnostic.span).0);
        self.0.insert(format!("{at} {} {}", diagnostic.code, diagnostic.message))
    }
}

/// What is embedded of a kernel that is launched by the type `launched`, and whether it was lowered.
fn one(
    input: Input<'_>,
    (sound, launched, said): (bool, &TokenStream, &mut Said),
) -> (TokenStream, bool) {
    match lower(input) {
        Err(rejected) => (report::rejected(rejected), false),
        Ok(_) if !sound => (TokenStream::new(), true),
        Ok(lowered) => {
            let kernel = Embedded { item: input.item, options: input.options, launched };
            (kernel.tokens(&lowered, said), true)
        }
    }
}

/// What is wrong with the settings of lints.
fn complaints(item: &ItemFn) -> TokenStream {
    let at = item.sig.ident.span();
    let complaints = Build::current().complaints();
    complaints.map(|(text, level)| report::settings(text, level, at)).collect()
}

/// What makes rustc say which expectations of the kernel nothing fulfils. Of an open kernel that
/// cannot be told: what it is bound to may.
fn unfulfilled(lowered: &Lowered) -> TokenStream {
    if lowered.expectations.is_empty()
        || !lowered.kernel.is_closed()
        || !Build::current().shows_lints()
    {
        return TokenStream::new();
    }
    let variants = || std::iter::once(lowered).chain(lowered.release.as_deref());
    let mut fulfilled = Vec::new();
    for Lowered { kernel, levels, expectations, .. } in variants() {
        if verify(kernel).is_err() {
            return TokenStream::new(); // reported where it is compiled
        }
        let numbers = lint::fulfilled_expectations(kernel, &Analyses::for_kernel(kernel), levels);
        fulfilled.extend(numbers.into_iter().filter_map(|number| expectations.get(number)));
    }
    let mut said: Vec<&Rc<Expectation>> = Vec::new();
    for expectation in variants().flat_map(|variant| &variant.expectations) {
        let is_known = |known: &&Rc<Expectation>| Rc::ptr_eq(known, expectation);
        if !fulfilled.iter().chain(&said).any(is_known) {
            said.push(expectation);
        }
    }
    said.into_iter().map(|expectation| report::unfulfilled(expectation)).collect()
}

/// A kernel, or an instance of one, that is embedded.
#[derive(Clone, Copy)]
struct Embedded<'a> {
    item: &'a ItemFn,
    options: &'a Options,
    /// The type that launches it.
    launched: &'a TokenStream,
}

impl Embedded<'_> {
    fn tokens(self, lowered: &Lowered, said: &mut Said) -> TokenStream {
        let witnesses = lowered.witnesses.iter().map(witness);
        let rebuild = rebuild();
        let variants = match &lowered.release {
            None => {
                let (source, said) = self.variant(lowered, None, said);
                quote!(#source #said)
            }
            Some(release) => {
                let debug = only(
                    &quote!(debug_assertions),
                    self.variant(lowered, Some(true), &mut Said::default()),
                );
                let release = only(
                    &quote!(not(debug_assertions)),
                    self.variant(release, Some(false), &mut Said::default()),
                );
                quote!(#debug #release)
            }
        };
        let (complaints, unfulfilled) = (complaints(self.item), unfulfilled(lowered));
        quote!(#variants #(#witnesses)* #complaints #unfulfilled #rebuild)
    }

    /// The constants of a kernel, if it compiles, and what there is to say about it. `assertions`
    /// tells which of two variants it is, if there are two.
    fn variant(
        self,
        lowered: &Lowered,
        assertions: Option<bool>,
        before: &mut Said,
    ) -> (Option<TokenStream>, TokenStream) {
        let Lowered { spans, origins, .. } = lowered;
        let places = Places { spans, origins, fallback: self.item.sig.ident.span() };
        let levels = Build::current().levels(&lowered.levels);
        let choice = backend::chosen(self.options);
        let levels = match record::kernel(lowered, assertions, choice.backend, &levels, places) {
            Ok(false) => levels,
            // Whoever asked for the record says what is in it.
            Ok(true) => Build::silent(),
            Err(error) => {
                let text =
                    format!("cannot write to the file that `{}` names: {error}", RECORD_FILE);
                return (None, report::error(&text, places.fallback, places.fallback));
            }
        };
        let said = match run(lowered, choice, &levels) {
            Ok(compiled) => {
                let source = compiled.source(self.item, self.launched, places);
                let new = compiled.warnings.0.iter().filter(|found| before.adds(found, places));
                let mut said: TokenStream =
                    new.map(|found| report::diagnostic(found, places)).collect();
                let ptx = compiled.ptx.as_ref();
                if let Some(warning) = ptx.and_then(|ptx| ptx.warning.as_deref()) {
                    let at = self.options.backend.map_or(places.fallback, |(_, at)| at);
                    said.extend(report::backend(warning, at));
                }
                return (Some(source), said);
            }
            Err(CompileError::Rejected(rejected)) => diagnostics(&rejected, places),
            Err(CompileError::Unsupported(error)) => {
                report::error(&error.to_string(), places.fallback, places.fallback)
            }
            Err(error @ (CompileError::Specialize(_) | CompileError::Malformed(_))) => {
                let text = format!("{error}\n{}", lowered.kernel);
                report::bug(&text, places.fallback)
            }
        };
        (None, said)
    }
}

/// What a variant embeds and says, under a condition.
fn only(
    condition: &TokenStream,
    (source, said): (Option<TokenStream>, TokenStream),
) -> TokenStream {
    let source = source.map(|source| quote!(#[cfg(#condition)] #source));
    let said = (!said.is_empty()).then(|| quote!(#[cfg(#condition)] const _: () = { #said };));
    quote!(#source #said)
}

/// A function that exists for rustc to check, and to say nothing else about.
pub(crate) fn witness(witness: &syn::Item) -> TokenStream {
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

/// Makes cargo expand this again when a variable or the package's settings change.
fn rebuild() -> TokenStream {
    let manifest = Build::current().has_manifest.then(|| {
        quote!(
            const _: &[u8] = ::core::include_bytes!(::core::concat!(
                ::core::env!("CARGO_MANIFEST_DIR"),
                "/Cargo.toml"
            ));
        )
    });
    quote!(
        const _: [::core::option::Option<&str>; 3] = [
                ::core::option_env!("WARPWISE_LINTS"),
                ::core::option_env!("WARPWISE_BACKEND"),
                ::core::option_env!("WARPWISE_LLVM"),
            ];
        #manifest
    )
}

/// A level of a lint, for when the program runs.
fn level(setting: &Setting) -> TokenStream {
    let Setting { lint, level, within, expectation: _ } = setting;
    let level = match level {
        Level::Allow => quote!(Allow),
        Level::Warn => quote!(Warn),
        Level::Deny => quote!(Deny),
    };
    let number = |number: usize| Literal::u32_unsuffixed(u32::try_from(number).unwrap_or(u32::MAX));
    let within = match within {
        Some(range) => {
            let (first, end) = (number(range.start), number(range.end));
            quote!(::core::option::Option::Some((#first, #end)))
        }
        None => quote!(::core::option::Option::None),
    };
    quote!(::warpwise::__private::LintLevel {
        lint: #lint,
        level: ::warpwise::__private::Level::#level,
        within: #within,
    })
}

/// A kernel, compiled as far as the macro can.
struct Compiled {
    ir: String,
    ptx: Option<Emitted>,
    /// The division of the grid in launches of the PTX.
    coarse_grid: Option<CoarseGrid>,
    warnings: Diagnostics,
    levels: Levels,
    /// True if the built-in back end was asked for.
    is_built_in: bool,
}

fn run(lowered: &Lowered, choice: Choice, levels: &Levels) -> Result<Compiled, CompileError> {
    let kernel = &lowered.kernel;
    let (levels, is_built_in) = (levels.clone(), choice.backend == Backend::Builtin);
    if kernel.is_closed() {
        let (optimized, warnings) = checked_and_optimized(kernel, &[], &levels)?;
        let ptx = backend::emit(choice, kernel, &optimized).map_err(CompileError::Unsupported)?;
        // As lowered: whoever runs it optimizes it, and tests run it without that, too. By `format!`, which appends by std's
        // own code; what `to_string` does is built here, without optimization, and takes ten times as long.
        let ir = format!("{kernel}");
        let coarse_grid = optimized.coarsening.map(|coarsening| coarsening.grid);
        Ok(Compiled { ir, ptx: Some(ptx), coarse_grid, warnings, levels, is_built_in })
    } else {
        let warnings = check_open(kernel, &levels)?;
        let ir = kernel.to_string();
        Ok(Compiled { ir, ptx: None, coarse_grid: None, warnings, levels, is_built_in })
    }
}

impl Compiled {
    /// The constants that `launch` and `PTX` read.
    fn source(&self, item: &ItemFn, launched: &TokenStream, places: Places<'_>) -> TokenStream {
        let name = item.sig.ident.unraw().to_string();
        let ir = raw_text::literal(&self.ir);
        let levels = self.levels.settings.iter().map(level);
        let spans = places.spans.iter().map(|range| range.first);
        let places = place::table(spans.chain([places.fallback]));
        let generics = signature::launched(&item.sig.generics, false);
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        // Safe, because the IR and the PTX were made by this compiler. The spans are the macro's,
        // so that a crate that forbids `unsafe` takes it.
        let new = quote_spanned!(Span::mixed_site()=>
            ::warpwise::__private::Source::new(#name, #ir, #places, &[#(#levels),*])
        );
        let (ptx, source) = match self.ptx.as_ref().and_then(|ptx| ptx.texts.split_first()) {
            Some(((_, oldest), later)) => {
                let oldest = raw_text::literal(oldest);
                let later = later.iter().map(|(target, ptx)| {
                    let (sm, ptx) = (Literal::u32_unsuffixed(target.sm()), raw_text::literal(ptx));
                    quote!((#sm, #ptx))
                });
                let coarsened = self.coarse_grid.map(|CoarseGrid { axis, factor }| {
                    let axis = Literal::usize_unsuffixed(axis as usize);
                    let factor = Literal::u32_unsuffixed(factor);
                    quote!(.coarsened(#axis, #factor))
                });
                (
                    Some(quote!(const __WARPWISE_PTX: &'static str = #oldest;)),
                    quote_spanned!(Span::mixed_site()=>
                        unsafe {
                            #new.with_ptx(<#launched>::__WARPWISE_PTX, &[#(#later),*])#coarsened
                        }
                    ),
                )
            }
            None => {
                let without_llvm = self.is_built_in.then(|| quote!(.without_llvm()));
                (None, quote_spanned!(Span::mixed_site()=> unsafe { #new #without_llvm }))
            }
        };
        quote!(
            impl #impl_generics #launched #where_clause {
                #ptx
                const __WARPWISE_SOURCE: &'static ::warpwise::__private::Source = {
                    static SOURCE: ::warpwise::__private::Source = #source;
                    &SOURCE
                };
            }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::span::{Origin, SpanRange};
    use proc_macro2::Span;
    use warpwise_compiler::ir::Kernel;

    /// What is embedded of a kernel whose IR is `ir`.
    fn embed(item: ItemFn, ir: &str, lints: &[(&'static str, Level)]) -> String {
        let kernel: Kernel = ir.parse().unwrap();
        let here = SpanRange { first: Span::call_site(), last: Span::call_site() };
        let witnesses = vec![syn::parse_quote!(
            fn witness() {}
        )];
        let settings = lints.iter().map(|&(name, level)| Setting::everywhere(name, level));
        let levels = Levels { settings: settings.collect() };
        let (spans, origins) = (vec![here; 2], vec![Origin::Kernel; 2]);
        let expectations = Vec::new();
        let lowered =
            Lowered { kernel, spans, origins, levels, expectations, witnesses, release: None };
        let generics = signature::launched(&item.sig.generics, false);
        let (name, (_, args, _)) = (&item.sig.ident, generics.split_for_impl());
        let (options, launched) = (Options::default(), quote!(#name #args));
        let kernel = Embedded { item: &item, options: &options, launched: &launched };
        kernel.tokens(&lowered, &mut Said::default()).to_string()
    }

    const FILL: &str = "kernel fill {
        param arg0 = x: write [f32] !0
        %0 = builtin global_idx.x : u64 !1
        %1 = param arg0 : ptr global !1
        %2 = len arg0 : u64 !1
        %3 = bounds %0, %2 : u64 !1
        %4 = index %1, %3, 4 : ptr global !1
        %5 = const 1 : f32 !1
        %6 = store %4, %5 !1
    }";
    const HALF: &str = "kernel half {
        block 256, 1, 1
        %0 = builtin thread_idx.x : u64 !0
        %1 = const 16 : u64 !0
        %2 = lt %0, %1 : bool !0
        %3 = if %2 !0 {
            %4 = barrier !1
        }
    }";
    const LINT: &str = "gpu_barriers_in_divergent_flow";

    #[test]
    fn a_closed_kernel_carries_ptx_and_what_it_was_made_of() {
        let text = embed(
            syn::parse_quote!(
                fn fill(x: &mut [f32]) {}
            ),
            FILL,
            &[],
        );
        for part in
            ["r\"kernel fill {", ".entry fill", "with_ptx (< fill > :: __WARPWISE_PTX , & [])"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(text.contains("fn witness () { }"), "{text}");
        assert!(text.contains("option_env !"), "{text}");
    }

    #[test]
    fn an_open_kernel_carries_ir_only() {
        let item = syn::parse_quote!(
            fn first<'a, T: Num, const N: usize>(x: &'a mut [T]) {}
        );
        let ir = "kernel first {
            generic T0 = T: type num !0
            generic T1 = N: const u64 !0
            param arg0 = x: write [T0] !0
        }";
        let text = embed(item, ir, &[]);
        let header = "impl < T : Num , const N : usize > first < T , N > {";
        assert!(text.starts_with(header), "{text}");
        assert!(!text.contains("with_ptx"), "{text}");
        assert!(text.contains("generic T1 = N: const u64"), "{text}");
    }

    #[test]
    fn a_denied_lint_is_an_error_and_nothing_is_embedded() {
        let text = embed(
            syn::parse_quote!(
                fn half() {}
            ),
            HALF,
            &[],
        );
        assert!(text.starts_with(":: core :: compile_error ! {"), "{text}");
        assert!(text.contains("`gpu_barriers_in_divergent_flow` is on by default"), "{text}");
        assert!(!text.contains("SOURCE"), "{text}");
    }

    #[test]
    fn a_warning_stands_beside_what_is_embedded() {
        let text = embed(
            syn::parse_quote!(
                fn half() {}
            ),
            HALF,
            &[(LINT, Level::Warn)],
        );
        assert!(text.contains("gpu :: barriers_in_divergent_flow ! { }"), "{text}");
        assert!(text.contains("is a warning here"), "{text}");
        assert!(text.contains("__WARPWISE_SOURCE"), "{text}");
    }

    #[test]
    fn an_allowed_lint_is_silent() {
        let text = embed(
            syn::parse_quote!(
                fn half() {}
            ),
            HALF,
            &[(LINT, Level::Allow)],
        );
        assert!(!text.contains("gpu ::") && text.contains("__WARPWISE_SOURCE"), "{text}");
    }

    #[test]
    fn a_malformed_kernel_is_our_bug() {
        let ir = "kernel broken { %0 = load %0 : f32 !0 }";
        let text = embed(
            syn::parse_quote!(
                fn broken() {}
            ),
            ir,
            &[],
        );
        assert!(text.contains("this is a bug in Warpwise"), "{text}");
    }
}
