//! Compilation of a kernel with its device functions, and the embedded result: IR, PTX and source
//! locations, or diagnostics.
//!
//! ```text
//! impl saxpy { __WARPWISE_SOURCE, __WARPWISE_PTX }
//! fn ..                                    // witnesses, in which rustc checks the inferred types
//! { gpu::some_lint! {} }                   // warnings: see `report`
//! ```
//! Only rustc knows the setting of debug assertions. A kernel with `debug_assert!` is compiled with
//! and without them, and `#[cfg(debug_assertions)]` selects one of the two, by the crate that
//! contains the kernel.
use crate::{
    attr::{
        Options,
        backend::{self, Choice, CompiledPtx, PtxTexts},
        build_settings::{Build, RECORD_FILE},
        instances::Instance,
        lint_attr::Expectation,
        precompile::Precompiled,
    },
    output::{
        attributes::silence_witness,
        record::{self, BuildChoices},
        report::{self, SpanTable},
        signature,
    },
    pipeline::{LowerInput, Lowered, lower},
    resolve::device_set::DeviceSet,
    syntax::{
        place::{self, SourceLocation},
        raw_text,
        spell::print_tokens,
        tokens::Tokens,
    },
};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use std::{collections::BTreeSet, rc::Rc};
use syn::{Expr, ItemFn, ext::IdentExt};
use warpwise_compiler::{
    analysis::Analyses,
    back::Backend,
    compile::{self, CompileError, GpuCode},
    diag::{Diagnostic, Diagnostics, Level},
    ir::{CoarseGrid, Kernel},
    lint::{self, Levels, Setting},
    specialize::{Binding, list_bindings},
    verify::verify,
};

/// Returns the embedded code of the kernel `item`; `tokens` are its flattened tokens, if available.
/// If errors are known already (`sound` is false), returns only further errors.
pub(crate) fn embed_kernel(
    item: &ItemFn,
    tokens: Option<&Tokens>,
    options: &Options,
    sound: bool,
    devices: &DeviceSet,
) -> TokenStream {
    if options.instances.is_empty() {
        let generics = signature::launcher_generics(&item.sig.generics, false);
        let (_, type_generics, _) = generics.split_for_impl();
        let name = &item.sig.ident;
        let launched = quote!(#name #type_generics);
        let input = LowerInput { item, tokens, options, devices };
        return embed_instance(
            input,
            (sound, &launched, None),
            &mut ReportedDiagnostics::default(),
        )
        .0;
    }
    let mut reported = ReportedDiagnostics::default();
    let mut embedded = TokenStream::new();
    let all = signature::launcher_generics(&item.sig.generics, true);
    for instance in if sound { options.instances.as_slice() } else { &[] } {
        let (instantiated, options) = instance.instantiate(item, options, devices);
        let launched = instance.launcher_type(&item.sig.ident, &all);
        let traits = Instance::import_bound_traits(item, devices);
        let input = LowerInput { item: &instantiated, tokens: None, options: &options, devices };
        let written = print_tokens(instance.written.to_token_stream());
        let named = (sound, &launched, Some(written.as_str()));
        let (found, good) = embed_instance(input, named, &mut reported);
        embedded.extend(quote!(const _: () = { #traits #found };));
        if !good {
            break; // the others would say the same again
        }
    }
    embedded
}

/// The diagnostics of earlier instances of a kernel: variant, location, code and message.
#[derive(Default)]
struct ReportedDiagnostics(BTreeSet<String>);

impl ReportedDiagnostics {
    /// Adds a diagnostic of the variant with or without `assertions`; returns true if it is new.
    /// rustc sees one of two variants, so each reports its own.
    fn insert(
        &mut self,
        diagnostic: &Diagnostic,
        assertions: Option<bool>,
        places: SpanTable<'_>,
    ) -> bool {
        let at = SourceLocation::start_of(places.range(diagnostic.span).0);
        self.0.insert(format!("{assertions:?} {at} {} {}", diagnostic.code, diagnostic.message))
    }
}

/// Returns the embedded code of a kernel, or of an `instance` of one, with the launcher type
/// `launched`, and true if it was lowered.
fn embed_instance(
    input: LowerInput<'_>,
    (sound, launched, instance): (bool, &TokenStream, Option<&str>),
    reported: &mut ReportedDiagnostics,
) -> (TokenStream, bool) {
    match lower(input) {
        Err(rejected) => {
            let report = match instance {
                Some(_) => report::report_rejected(rejected),
                None => report::report_rejected_function(rejected, input.item),
            };
            (report, false)
        }
        Ok(_) if !sound => (TokenStream::new(), true),
        Ok(lowered) => {
            let (item, options) = (input.item, input.options);
            let kernel = EmbeddedKernel { item, options, launched, instance };
            (kernel.to_tokens(&lowered, reported), true)
        }
    }
}

/// Reports errors in the lint settings.
fn report_setting_errors(item: &ItemFn) -> TokenStream {
    let at = item.sig.ident.span();
    let setting_errors = Build::current().take_errors();
    setting_errors.map(|(text, level)| report::report_setting_error(text, level, at)).collect()
}

/// Reports expectations of the kernel that no lint fulfils. For an open kernel this is unknown: it
/// depends on the bindings.
fn report_unfulfilled(lowered: &Lowered) -> TokenStream {
    if lowered.expectations.is_empty()
        || !lowered.kernel.is_closed()
        || !Build::current().shows_lints()
    {
        return TokenStream::new();
    }
    let variants = || std::iter::once(lowered).chain(lowered.release.as_deref());
    let mut fulfilled = Vec::new();
    for Lowered { kernel, levels, expectations, .. } in variants() {
        // Analyses require a valid kernel.
        if verify(kernel).is_err() {
            return TokenStream::new(); // reported where it is compiled
        }
        let numbers = lint::fulfilled_expectations(kernel, &Analyses::for_kernel(kernel), levels);
        fulfilled.extend(numbers.into_iter().filter_map(|number| expectations.get(number)));
    }
    let mut unfulfilled: Vec<&Rc<Expectation>> = Vec::new();
    for expectation in variants().flat_map(|variant| &variant.expectations) {
        let is_known = |known: &&Rc<Expectation>| Rc::ptr_eq(known, expectation);
        if !fulfilled.iter().chain(&unfulfilled).any(is_known) {
            unfulfilled.push(expectation);
        }
    }
    unfulfilled.into_iter().map(|expectation| report::report_unfulfilled(expectation)).collect()
}

/// A kernel, or an instance of one, to embed.
#[derive(Clone, Copy)]
struct EmbeddedKernel<'a> {
    item: &'a ItemFn,
    options: &'a Options,
    /// The type that launches it.
    launched: &'a TokenStream,
    /// The instance, as in the arguments of the attribute.
    instance: Option<&'a str>,
}

impl EmbeddedKernel<'_> {
    fn to_tokens(self, lowered: &Lowered, reported: &mut ReportedDiagnostics) -> TokenStream {
        let witnesses = lowered.witnesses.iter().map(silence_witness);
        let rebuild = rebuild_triggers();
        let variants = match &lowered.release {
            None => {
                let (source, diagnostics) = self.variant(lowered, None, reported);
                quote!(#source #diagnostics)
            }
            Some(release) => {
                let debug = under_cfg(
                    &quote!(debug_assertions),
                    self.variant(lowered, Some(true), reported),
                );
                let release = under_cfg(
                    &quote!(not(debug_assertions)),
                    self.variant(release, Some(false), reported),
                );
                quote!(#debug #release)
            }
        };
        let (setting_errors, unfulfilled) =
            (report_setting_errors(self.item), report_unfulfilled(lowered));
        let block_constants = self.block_constants();
        quote!(#variants #(#witnesses)* #setting_errors #unfulfilled #rebuild #block_constants)
    }

    /// Returns a function that uses the constants in the block size, which rustc would otherwise
    /// call unused.
    fn block_constants(self) -> Option<TokenStream> {
        let dims = self.options.block.as_ref()?;
        if dims.iter().all(|dim| matches!(dim, Expr::Lit(_))) {
            return None;
        }
        let (generics, _, bounds) = self.item.sig.generics.split_for_impl();
        Some(quote!(
            const _: () = {
                #[allow(dead_code, unused_braces, reason = "never called, and as the user writes it")]
                fn block_size #generics () #bounds {
                    #(let _ = #dims;)*
                }
            };
        ))
    }

    /// Returns the bindings of the instances that `precompile(..)` names, and errors about
    /// arguments that are not those of `kernel`.
    fn bind_precompiled(
        &self,
        kernel: &Kernel,
    ) -> (Vec<(&Precompiled, Vec<Binding>)>, TokenStream) {
        let (mut instances, mut errors) = (Vec::new(), TokenStream::new());
        for instance in &self.options.precompiled {
            match instance.bindings(kernel) {
                Ok(bindings) => instances.push((instance, bindings)),
                Err(error) => errors.extend(error.to_compile_error()),
            }
        }
        (instances, errors)
    }

    /// Returns the constants of a kernel, if it compiles, and its diagnostics. `assertions` selects
    /// one of two variants, if there are two.
    fn variant(
        self,
        lowered: &Lowered,
        assertions: Option<bool>,
        reported: &mut ReportedDiagnostics,
    ) -> (Option<TokenStream>, TokenStream) {
        let Lowered { spans, origins, .. } = lowered;
        let places = SpanTable { spans, origins, fallback: self.item.sig.ident.span() };
        let levels = Build::current().levels_with(&lowered.levels);
        let choice = backend::choose_backend(self.options);
        let (instances, wrong_arguments) = self.bind_precompiled(&lowered.kernel);
        let bindings: Vec<String> =
            instances.iter().map(|(_, bindings)| list_bindings(bindings)).collect();
        let choices = BuildChoices {
            assertions,
            instance: self.instance,
            backend: choice.backend,
            precompiled: &bindings,
        };
        let levels = match record::record_kernel(lowered, choices, &levels, places) {
            Ok(false) => levels,
            // The recorded diagnostics replace the others.
            Ok(true) => Build::silent_levels(),
            Err(error) => {
                let text =
                    format!("cannot write to the file that `{}` names: {error}", RECORD_FILE);
                return (None, report::error_at(&text, places.fallback, places.fallback));
            }
        };
        let diagnostics = match compile_lowered(lowered, choice, &levels) {
            Ok(compiled) => {
                let (precompiled, problems) =
                    precompile(&lowered.kernel, instances, choice, places);
                let source = compiled.source_impl(self.item, self.launched, &precompiled, places);
                let warnings = compiled.warnings.0.iter();
                let new = warnings.filter(|found| reported.insert(found, assertions, places));
                let mut diagnostics: TokenStream =
                    new.map(|found| report::report_diagnostic(found, places)).collect();
                let mut code = compiled.ptx.iter().chain(precompiled.iter().map(|(_, ptx)| ptx));
                if let Some(warning) = code.find_map(|ptx| ptx.warning.as_deref()) {
                    let at = self.options.backend.map_or(places.fallback, |(_, at)| at);
                    diagnostics.extend(report::report_backend_fallback(warning, at));
                }
                diagnostics.extend([wrong_arguments, problems]);
                return (Some(source), diagnostics);
            }
            Err(CompileError::Rejected(rejected)) => report_all(&rejected, places),
            Err(CompileError::Unsupported(error)) => {
                report::error_at(&error.to_string(), places.fallback, places.fallback)
            }
            Err(error @ (CompileError::Specialize(_) | CompileError::Malformed(_))) => {
                let text = format!("{error}\n{}", lowered.kernel);
                // Inference does not check the bounds of type parameters, which rustc does.
                match self.item.sig.generics.type_params().next() {
                    Some(_) => report::report_bug_unless_rustc_errs(&text, places.fallback),
                    None => report::report_bug(&text, places.fallback),
                }
            }
        };
        (None, diagnostics)
    }
}

/// The code of one instance of an open kernel.
type Instantiated = (Vec<Binding>, CompiledPtx);

/// Compiles instances of `kernel`; returns errors about those that cannot be compiled.
fn precompile(
    kernel: &Kernel,
    instances: Vec<(&Precompiled, Vec<Binding>)>,
    choice: Choice,
    places: SpanTable<'_>,
) -> (Vec<Instantiated>, TokenStream) {
    let (mut compiled, mut errors) = (Vec::new(), TokenStream::new());
    for (instance, bindings) in instances {
        let ptx = compile::bind(kernel, &bindings)
            .and_then(|bound| backend::compile_to_ptx(choice, &bound));
        match ptx {
            Ok(ptx) => compiled.push((bindings, ptx)),
            Err(CompileError::Rejected(mut rejected)) => {
                for diagnostic in &mut rejected.0 {
                    diagnostic.notes.push(format!("in the instance `{instance}` of `precompile`"));
                }
                errors.extend(report_all(&rejected, places));
            }
            Err(error) => errors.extend(instance.error(&error.to_string()).to_compile_error()),
        }
    }
    (compiled, errors)
}

/// Returns a variant's code and diagnostics under a `cfg` condition.
fn under_cfg(
    condition: &TokenStream,
    (source, diagnostics): (Option<TokenStream>, TokenStream),
) -> TokenStream {
    let source = source.map(|source| quote!(#[cfg(#condition)] #source));
    let diagnostics = (!diagnostics.is_empty())
        .then(|| quote!(#[cfg(#condition)] const _: () = { #diagnostics };));
    quote!(#source #diagnostics)
}

fn report_all(diagnostics: &Diagnostics, places: SpanTable<'_>) -> TokenStream {
    diagnostics.0.iter().map(|diagnostic| report::report_diagnostic(diagnostic, places)).collect()
}

/// Makes cargo expand the kernel again if a variable or the package's settings change.
fn rebuild_triggers() -> TokenStream {
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

/// Returns a lint level for the runtime's own lints.
fn level_tokens(setting: &Setting) -> TokenStream {
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

/// A kernel compiled as far as possible at build time.
struct CompiledKernel {
    ir: String,
    ptx: Option<CompiledPtx>,
    warnings: Diagnostics,
    levels: Levels,
    /// True if the built-in back end was selected.
    is_built_in: bool,
}

fn compile_lowered(
    lowered: &Lowered,
    choice: Choice,
    levels: &Levels,
) -> Result<CompiledKernel, CompileError> {
    let kernel = &lowered.kernel;
    let warnings = compile::check(kernel, levels)?;
    let ptx = kernel.is_closed().then(|| backend::compile_to_ptx(choice, kernel)).transpose()?;
    Ok(CompiledKernel {
        // As lowered: whoever runs it optimizes it, and tests run it without that, too. By
        // `format!`, which appends by std's own code; what `to_string` does is built here, without
        // optimization, and takes ten times as long.
        ir: format!("{kernel}"),
        ptx,
        warnings,
        levels: levels.clone(),
        is_built_in: choice.backend == Backend::Builtin,
    })
}

impl CompiledKernel {
    /// Returns the constants that `launch` and `PTX` read.
    fn source_impl(
        &self,
        item: &ItemFn,
        launched: &TokenStream,
        precompiled: &[Instantiated],
        places: SpanTable<'_>,
    ) -> TokenStream {
        let name = item.sig.ident.unraw().to_string();
        let ir = raw_text::text_literal(&self.ir);
        let levels = self.levels.settings.iter().map(level_tokens);
        let spans = places.spans.iter().map(|range| range.first);
        let places = place::locations_table(spans.chain([places.fallback]));
        let generics = signature::launcher_generics(&item.sig.generics, false);
        let (impl_generics, _, where_clause) = generics.split_for_impl();
        // The `unsafe` is sound, because this compiler produced both the IR and the PTX. Its span
        // is the macro's, so that crates may forbid `unsafe`.
        let new = quote_spanned!(Span::mixed_site()=>
            ::warpwise::__private::Source::new(#name, #ir, #places, &[#(#levels),*])
        );
        let code = self.ptx.as_ref().and_then(|ptx| {
            embedded_code(&ptx.code, |_| quote!(<#launched>::__WARPWISE_PTX))
                .zip(ptx_literals(&ptx.code.plain))
        });
        let (ptx, source) = match code {
            Some((code, (oldest, _))) => (
                Some(quote!(const __WARPWISE_PTX: &'static str = #oldest;)),
                quote_spanned!(Span::mixed_site()=> unsafe { #new.with_code(#code) }),
            ),
            None => {
                let without_llvm = self.is_built_in.then(|| quote!(.without_llvm()));
                let instances = precompiled.iter().filter_map(|(bindings, ptx)| {
                    let bindings = bindings.iter().map(binding_tokens);
                    let code = embedded_code(&ptx.code, |literal| literal)?;
                    Some(quote!((&[#(#bindings),*], #code)))
                });
                let instances = (!precompiled.is_empty())
                    .then(|| quote!(.with_precompiled(&[#(#instances),*])));
                let source = quote_spanned!(Span::mixed_site()=>
                    unsafe { #new #without_llvm #instances }
                );
                (None, source)
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

/// Returns an expression of the code, in which `oldest` writes the text for the oldest GPU, a
/// literal.
fn embedded_code(
    code: &GpuCode<PtxTexts>,
    oldest: impl FnOnce(TokenStream) -> TokenStream,
) -> Option<TokenStream> {
    let (text, later) = ptx_literals(&code.plain)?;
    let oldest = oldest(text);
    let assumed = code.assumed.as_ref().and_then(|(contract, texts)| {
        let (contract, (oldest, later)) = (contract.to_string(), ptx_literals(texts)?);
        Some(quote!(.with_assumed(#contract, #oldest, #later)))
    });
    // Coarsened code relies on the contract, too.
    let coarsened = code.coarsened.as_ref().filter(|_| assumed.is_some() == code.assumed.is_some());
    let coarsened = coarsened.and_then(|(grid, texts)| {
        let (oldest, later) = ptx_literals(texts)?;
        let CoarseGrid { axis, factor } = *grid;
        let axis = Literal::usize_unsuffixed(axis as usize);
        let factor = Literal::u32_unsuffixed(factor);
        Some(quote!(.with_coarsened(#axis, #factor, #oldest, #later)))
    });
    Some(quote!(::warpwise::__private::EmbeddedCode::new(#oldest, #later) #assumed #coarsened))
}

/// Returns the text for the oldest GPU as a literal, and a slice of those for later ones.
fn ptx_literals(texts: &PtxTexts) -> Option<(TokenStream, TokenStream)> {
    let ((_, oldest), later) = texts.split_first()?;
    let later = later.iter().map(|(target, ptx)| {
        let (sm, ptx) = (Literal::u32_unsuffixed(target.sm()), raw_text::text_literal(ptx));
        quote!((#sm, #ptx))
    });
    let (oldest, later) = (raw_text::text_literal(oldest), quote!(&[#(#later),*]));
    Some((quote!(#oldest), later))
}

/// Returns an expression of a binding.
fn binding_tokens(binding: &Binding) -> TokenStream {
    match binding {
        Binding::Type(scalar) => {
            let name = Ident::new(&format!("{scalar:?}"), Span::mixed_site());
            quote!(::warpwise::__private::Binding::Type(::warpwise::__private::Scalar::#name))
        }
        Binding::Const(bits) => {
            let bits = Literal::u64_unsuffixed(*bits);
            quote!(::warpwise::__private::Binding::Const(#bits))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::span::{Origin, SpanRange};
    use proc_macro2::{Delimiter, Group, Span, TokenTree};

    /// Returns the embedded code of a kernel with this `ir`.
    fn embed(item: ItemFn, ir: &str, lints: &[(&'static str, Level)]) -> String {
        embed_with(Options::default(), item, ir, lints)
    }

    fn embed_with(
        options: Options,
        item: ItemFn,
        ir: &str,
        lints: &[(&'static str, Level)],
    ) -> String {
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
        let generics = signature::launcher_generics(&item.sig.generics, false);
        let (name, (_, args, _)) = (&item.sig.ident, generics.split_for_impl());
        let launched = quote!(#name #args);
        let kernel =
            EmbeddedKernel { item: &item, options: &options, launched: &launched, instance: None };
        kernel.to_tokens(&lowered, &mut ReportedDiagnostics::default()).to_string()
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
        for part in [
            "r\"kernel fill {",
            ".entry fill",
            "EmbeddedCode :: new (< fill > :: __WARPWISE_PTX , & [])",
        ] {
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
        assert!(!text.contains("EmbeddedCode"), "{text}");
        assert!(text.contains("generic T1 = N: const u64"), "{text}");
    }

    #[test]
    fn an_open_kernel_carries_the_code_of_instances_that_it_names() {
        let of_a_macro = TokenTree::Group(Group::new(Delimiter::None, quote!(-9)));
        let (options, error) = crate::attr::parse_arguments(
            quote!(precompile((f32, 2), (i64, 7), (f32, true), (f32, #of_a_macro))),
        );
        assert!(error.is_none(), "{error:?}");
        let item = syn::parse_quote!(
            fn scale<T: Num, const N: i16>(x: &mut [T]) {}
        );
        let ir = "kernel scale {
            generic T0 = T: type num !0
            generic T1 = N: const i16 !0
            param arg0 = x: write [T0] !0
        }";
        let text = embed_with(options, item, ir, &[]);
        for instance in [
            "(& [:: warpwise :: __private :: Binding :: Type (:: warpwise :: __private :: Scalar :: F32) , \
             :: warpwise :: __private :: Binding :: Const (2)] , :: warpwise :: __private :: EmbeddedCode :: new (",
            "Scalar :: I64) , :: warpwise :: __private :: Binding :: Const (7)] ,",
            "Scalar :: F32) , :: warpwise :: __private :: Binding :: Const (65527)] ,",
            "compile_error ! { \"`N` is a constant, and `true` is no number",
        ] {
            assert!(text.contains(instance), "{instance} in {text}");
        }
        assert_eq!(text.matches(".entry scale").count(), 3, "{text}");
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
    fn warnings_do_not_prevent_embedding() {
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

    #[test]
    fn instances_with_debug_assertions_report_a_warning_once() {
        let (options, error) = crate::attr::parse_arguments(quote!(
            block = 64,
            warn(gpu_barriers_in_divergent_flow),
            instances(f32, i32)
        ));
        assert!(error.is_none(), "{error:?}");
        let item = syn::parse_quote!(
            fn half<T: Num>(x: &mut [T]) {
                debug_assert!(x.len() > 0);
                if thread_idx_x() < 16 {
                    sync_threads();
                }
            }
        );
        let text = embed_kernel(&item, None, &options, true, &DeviceSet::default()).to_string();
        assert_eq!(text.matches("__WARPWISE_SOURCE").count(), 4, "{text}");
        assert_eq!(text.matches("gpu :: barriers_in_divergent_flow ! { }").count(), 2, "{text}");
    }
}
