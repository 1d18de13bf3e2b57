//! The expansion of `#[kernel]`.
//!
//! ```text
//! fn saxpy(..) { .. }                      // the user's function as written
//! struct saxpy {}                          // a type of that name, with
//! impl saxpy { PTX, launch, occupancy }    //   the host's interface
//! macro_rules! .. use .. as saxpy;         // for kernel code that calls it: see `carrier`
//! const _: () = { .. };                    // the compiled kernel: see `embed`
//! ```
//! The first three depend only on the signature, so they exist whatever happens to the rest: a
//! wrong kernel yields its own errors and no others. If the kernel calls device functions, the last
//! part comes through their macros: see [`device`](mod@crate::device).
//!
//! `launch` and `PTX` read associated constants that the last part defines. A blanket trait of the
//! runtime defines the same constants for every type. Inherent constants take precedence, so the
//! trait's are in use only if the kernel did not compile.
mod occupancy;

use crate::{
    attr::{
        self, Options, combine_errors,
        constant::{has_constants, strip_constants, take_constants},
        instances, lint_attr,
        requires::insert_checks,
        strip::strip_lint_levels,
    },
    device::{self, carrier},
    mistakes,
    output::{
        attributes::{cfg_attributes, is_rust_analyzer, silence_clippy},
        embed, report,
        signature::{self, Param, ParamKind},
    },
    resolve::{
        device_set::DeviceSet,
        imports,
        paths::{path_key, paths_of_kernel, truncate_to_item},
        source_map,
    },
    syntax::{
        error::Unreadable, limits::reject_deep_item, parse, tokens::Tokens,
        ungroup::without_invisible_groups,
    },
};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{
    Attribute, Error, Expr, ExprLit, Ident, Item, ItemFn, Lifetime, Lit, Meta, MetaNameValue, Path,
    Type, Visibility, ext::IdentExt, spanned::Spanned,
};

/// The fact about a kernel among associated items.
const NO_FREE_FUNCTION: &str = "`#[kernel]` is for functions outside of `impl` and `trait`";

/// Expands `#[kernel(args)] item`.
pub(crate) fn expand_kernel(args: TokenStream, tokens: TokenStream) -> TokenStream {
    let (mut item, read, expanded) = match read_function(tokens.clone()) {
        Ok(function) => function,
        Err(reason) => return report::report_unreadable(&tokens, reason),
    };
    if !is_rust_analyzer() && source_map::is_declared_again(&item.sig.ident) {
        // rustc reports the function, and would report every generated item, too.
        return quote!(#[allow(dead_code, reason = "it has the name of another kernel")] #tokens);
    }
    // Errors in the arguments do not stop the expansion: the function and its launcher must exist,
    // or every use of the kernel would be an error, too.
    let (mut options, mut errors) = attr::parse_arguments(args.clone());
    let has_constants = has_constants(&item);
    options.constants = take_constants(&mut item, &mut errors);
    let wrong_instances = instances::check_instances(&item, &mut options);
    let name = item.sig.ident.unraw().to_string();
    let function = if read.sets_levels {
        strip_lint_levels(tokens.clone(), &mut errors)
    } else {
        tokens.clone()
    };
    let function = if has_constants { strip_constants(function) } else { function };
    let function = insert_checks(function, &options.requires, &name);
    let is_rust_analyzer = is_rust_analyzer();
    // For rust-analyzer the function stays as written, for its completions.
    let mistakes = if is_rust_analyzer { Vec::new() } else { mistakes::find_in_kernel(&item) };
    let refused_parameters =
        if is_rust_analyzer { None } else { mistakes::find_refused_parameters(&item.sig) };
    let renamed = mistakes::rename_repeated_parameters(&item);
    let is_body_of_use = refused_parameters.is_none()
        && renamed.is_none()
        && (mistakes.is_empty() || !mistakes::has_idle_body(&item));
    let function = if is_body_of_use || is_rust_analyzer {
        function
    } else {
        mistakes::without_body(function)
    };
    let (function, mistaken) = mistakes::replace_mistakes(function, &mistakes);
    // Mistaken types would be errors in the launcher, too.
    let corrected = (!mistakes.is_empty()).then(|| syn::parse2(function.clone()).ok()).flatten();
    let paths = paths_of_kernel(&item, &options);
    let mut refused = device::reject_host_items(&paths);
    if let Some(error) = device::reject_unknown_block_size(&item, &options) {
        combine_errors(&mut refused, error);
    }
    let written = renamed.as_ref().or(corrected.as_ref()).unwrap_or(&item);
    let host_paths = if refused.is_some() { paths.as_slice() } else { &[] };
    let handle = launcher_type(written, &options, &launch_params(written, &options, host_paths));
    let quiet = silence_clippy();
    let replaced = (!mistakes.is_empty()).then(
        || quote!(#[allow(unused_mut, unused_unsafe, reason = "the mistakes were replaced")]),
    );
    let output = quote!(
        #[allow(dead_code, reason = "a kernel is launched, not called")]
        #quiet
        #replaced
        #function
        #mistaken
        #handle
    );
    if is_rust_analyzer {
        return output;
    }
    let unknown = device::report_unknown_names(&paths);
    let is_refused = refused.is_some() || wrong_instances.is_some();
    // Without dependencies the kernel is compiled now, otherwise at the end of the chain of
    // carriers.
    let compiled = if is_refused || renamed.is_some() || !mistakes.is_empty() {
        TokenStream::new()
    } else if unknown.is_some() {
        unknown.unwrap_or_default()
    } else if paths.is_empty() {
        let devices = DeviceSet::default();
        embed::embed_kernel(
            &item,
            Some(&read).filter(|_| !expanded && !has_constants),
            &options,
            errors.is_none(),
            &devices,
        )
    } else {
        device::chain_kernel(
            &paths,
            &carrier::unique_id(&item, item.sig.ident.span()),
            &quote!(kernel { #args } { #tokens }),
        )
    };
    // Inference reports them, where it runs.
    let refused_parameters = refused_parameters.filter(|_| !mistakes.is_empty());
    for error in [refused, wrong_instances, refused_parameters].into_iter().flatten() {
        combine_errors(&mut errors, error);
    }
    let errors = errors.map(|errors| errors.to_compile_error());
    let levels = rustc_lint_levels(&item.attrs);
    let called = carrier::kernel_marker(&item);
    quote!(#output #called #(#levels)* const _: () = { #errors #compiled };)
}

/// Returns the annotated function, its tokens, and true if macros in it were expanded.
fn read_function(tokens: TokenStream) -> Result<(ItemFn, Tokens, bool), Unreadable> {
    let read = Tokens::read(&tokens)?;
    let item = parse::parse_item(&read, tokens)?;
    if let Some(error) = reject_deep_item(&item) {
        return Err(error.into());
    }
    match item {
        Item::Fn(mut item) => match item.sig.receiver() {
            None => {
                if let Some(block) = source_map::block_of_associated_items(&item.sig.ident) {
                    let text = format!("{NO_FREE_FUNCTION}\n= help: move it out of the `{block}`");
                    return Err(Error::new_spanned(&item.sig.ident, text).into());
                }
                if read.has_invisible_groups {
                    item = without_invisible_groups(item);
                }
                let (item, expanded) = imports::resolve_kernel_imports(item);
                Ok((item, read, expanded))
            }
            Some(receiver) => {
                let text = format!(
                    "{NO_FREE_FUNCTION}\n= help: move it out, and pass the fields that it uses"
                );
                Err(Error::new_spanned(receiver, text).into())
            }
        },
        other => Err(Error::new_spanned(other, "`#[kernel]` is for functions").into()),
    }
}

/// Returns the type through which the host launches `item`.
fn launcher_type(item: &ItemFn, options: &Options, params: &[Param]) -> TokenStream {
    let (vis, name) = (&item.vis, &item.sig.ident);
    let generics =
        signature::launcher_generics(&item.sig.generics, instances::has_instances(options));
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let types: Vec<&Ident> = generics.type_params().map(|param| &param.ident).collect();
    let phantom = (!types.is_empty())
        .then(|| quote!(_types: ::core::marker::PhantomData<fn() -> (#(#types,)*)>));
    let cfgs = cfg_attributes(&item.attrs);
    let ptx = signature::is_closed(&generics, &options.open)
        .then(|| ptx_constant(item, &embedded_constant("__WARPWISE_PTX", Span::call_site())));
    let instances = instance_impls(item, options);
    let launch = launch_function(item, options, params);
    let resident = occupancy::occupancy_functions(item, options);
    let doc = format!("Launches the kernel [`{0}`](fn@{0}).", name.unraw());
    let summary = doc_summary(&item.attrs);
    quote!(
        #(#cfgs)*
        #[doc = #doc]
        #(#summary)*
        #[allow(
            dead_code,
            non_camel_case_types,
            clippy::exhaustive_structs,
            reason = "it is named as the kernel is, and only ever a name"
        )]
        #vis struct #name #impl_generics #where_clause { #phantom }
        #(#cfgs)*
        #[allow(dead_code, reason = "the kernel may be used in one way only")]
        impl #impl_generics #name #type_generics #where_clause { #ptx #launch #resident }
        #instances
    )
}

/// Returns the items of the kernel's single instances, and their PTX under one name.
fn instance_impls(item: &ItemFn, options: &Options) -> TokenStream {
    if !instances::has_instances(options) {
        return TokenStream::new();
    }
    let all = signature::launcher_generics(&item.sig.generics, true);
    let mut generics = all.clone();
    instances::remove_type_params(&mut generics);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let cfgs = cfg_attributes(&item.attrs);
    let one = |instance: &instances::Instance| {
        let launched = instance.launcher_type(&item.sig.ident, &all);
        // For rustc's errors about bounds that the types do not have.
        let at = Span::call_site().located_at(instance.written.span());
        let source = embedded_constant("__WARPWISE_SOURCE", at);
        let ptx = embedded_constant("__WARPWISE_PTX", at);
        quote_spanned!(at=>
            #(#cfgs)*
            impl #impl_generics ::warpwise::parameter::Instance for #launched #where_clause {
                const SOURCE: &'static ::warpwise::__private::Source = #source;
                const PTX: &'static str = #ptx;
            }
        )
    };
    let impls: TokenStream = options.instances.iter().map(one).collect();
    if !signature::is_closed(&generics, &options.open) {
        return impls;
    }
    let ptx = ptx_constant(item, &quote!(<Self as ::warpwise::parameter::Instance>::PTX));
    let mut generics = all;
    let is_instance = syn::parse_quote!(Self: ::warpwise::parameter::Instance);
    generics.make_where_clause().predicates.push(is_instance);
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let name = &item.sig.ident;
    quote!(
        #impls
        #(#cfgs)*
        #[allow(dead_code, reason = "the kernel may be used in one way only")]
        impl #impl_generics #name #type_generics #where_clause { #ptx }
    )
}

/// Returns the constant `name` of a launcher's type, or that of kernels that did not compile.
fn embedded_constant(name: &str, at: Span) -> TokenStream {
    let name = Ident::new(name, at);
    quote_spanned!(at=> {
        #[allow(unused_imports, reason = "used where the kernel did not compile")]
        use ::warpwise::__private::NotCompiled as _;
        Self::#name
    })
}

/// Returns the first paragraph of the user's documentation, which follows the generated one. Not
/// more, because its examples would run twice.
fn doc_summary(attributes: &[Attribute]) -> Vec<TokenStream> {
    let mut lines = Vec::new();
    for attribute in attributes {
        let Meta::NameValue(MetaNameValue {
            path,
            value: Expr::Lit(ExprLit { lit: Lit::Str(line), .. }),
            ..
        }) = &attribute.meta
        else {
            continue;
        };
        if !path.is_ident("doc") {
            continue;
        }
        if line.value().trim().is_empty() {
            break;
        }
        if lines.is_empty() {
            lines.push(quote!(#[doc = ""]));
        }
        lines.push(quote!(#[doc = #line]));
    }
    lines
}

/// Returns the visibility of the launcher's members. Those of a private kernel are visible further
/// than its name, so that a use elsewhere is one error, about the name.
fn member_visibility(item: &ItemFn) -> TokenStream {
    match &item.vis {
        Visibility::Inherited => quote!(pub(crate)),
        vis => quote!(#vis),
    }
}

fn ptx_constant(item: &ItemFn, ptx: &TokenStream) -> TokenStream {
    let vis = member_visibility(item);
    quote!(
        /// The kernel in PTX, for the oldest supported GPU.
        #vis const PTX: &'static str = #ptx;
    )
}

/// Returns the parameters of a launch. A type that leads to a host item among `paths` is an error
/// already, so a launch takes anything for it.
fn launch_params(item: &ItemFn, options: &Options, paths: &[Path]) -> Vec<Param> {
    let refused: Vec<String> =
        device::host_items(paths).iter().map(|(path, _)| path_key(path)).collect();
    let is_refused = |ty: &Type| match ty {
        Type::Path(path) => refused.contains(&path_key(&truncate_to_item(&path.path))),
        _ => false,
    };
    let mut params = signature::launch_params(item, options);
    for Param { kind, .. } in &mut params {
        if let ParamKind::Value(ty)
        | ParamKind::Read { elem: ty, .. }
        | ParamKind::Write { elem: ty, .. } = kind
            && is_refused(ty)
        {
            *kind = ParamKind::Unknown;
        }
    }
    params
}

fn launch_function(item: &ItemFn, options: &Options, params: &[Param]) -> TokenStream {
    let vis = member_visibility(item);
    let bindings = signature::launch_bindings(&item.sig.generics, options);
    let (source, needs) =
        (signature::source_expr(options), signature::launch_where_clause(params, item, options));
    // Hygienic names: a parameter of the kernel may have the same name.
    let device = Ident::new("device", Span::mixed_site());
    let config = Ident::new("config", Span::mixed_site());
    // Messages about a launch's arguments point here.
    let launch = Ident::new("launch", item.sig.ident.span());
    let known = signature::is_bindable(&item.sig.generics, options)
        && params.iter().all(|param| !matches!(param.kind, ParamKind::Unknown));
    let lifetime = Lifetime::new("'args", Span::mixed_site());
    // An array's parameter names the same lifetime in both functions, so that rustc reports a type
    // that cannot be one once.
    let named =
        params.iter().any(|param| matches!(param.kind, ParamKind::Array(_))).then_some(&lifetime);
    let launch_lifetime = named.map(|lifetime| quote!(<#lifetime>));
    let inputs = params.iter().map(|param| launch_input(param, named));
    let prepared_inputs = params.iter().map(|param| launch_parameter(param, Some(&lifetime)));
    let names: Vec<_> = params.iter().map(|param| &param.name).collect();
    let (args, bound) = (params.len(), bindings.len());
    let (prepared, body) = if known {
        let args = params.iter().map(|param| launch_argument(param, &lifetime));
        let prepared = quote!(
            #[allow(unused_imports, reason = "used where the kernel did not compile")]
            use ::warpwise::__private::NotCompiled as _;
            ::warpwise::__private::prepare(#source, [#(#bindings),*], #config, [#(#args),*])
        );
        let slices = params.iter().map(slice_of_argument);
        (prepared, quote!(Self::prepare(#config, #(#slices),*).run(#device)))
    } else {
        // Lowering rejects the parameter; calls of this function must not add errors.
        let unreachable = quote!(::core::unreachable!("a kernel that does not compile"));
        (
            quote!(let _ = (#config, #(#names),*); #unreachable),
            quote!(let _ = (#device, #config, #(#names),*); #unreachable),
        )
    };
    quote!(
        /// Launches the kernel on `device`, and returns before it has run. An error
        /// inside it is returned by the next call that waits for the device.
        ///
        /// # Errors
        /// If the launch is refused; nothing has run then.
        #[allow(
            non_snake_case,
            clippy::impl_trait_in_params,
            clippy::too_many_arguments,
            reason = "it takes what the kernel takes, by the same names, and two more"
        )]
        #vis fn #launch #launch_lifetime(
            #device: &::warpwise::Device,
            #config: ::warpwise::LaunchConfig,
            #(#inputs,)*
        ) -> ::warpwise::Result<()> #needs {
            #body
        }

        /// Returns a launch of the kernel that can be run later, and more than once.
        #[allow(
            non_snake_case,
            clippy::impl_trait_in_params,
            clippy::too_many_arguments,
            reason = "it takes what the kernel takes, by the same names, and one more"
        )]
        #vis fn prepare<#lifetime>(
            #config: ::warpwise::LaunchConfig,
            #(#prepared_inputs,)*
        ) -> ::warpwise::Launch<#lifetime, #args, #bound> #needs {
            #prepared
        }
    )
}

/// Returns the declaration of a parameter of `launch`. It takes whatever holds a slice, for the
/// messages about what does not.
fn launch_input(param: &Param, lifetime: Option<&Lifetime>) -> TokenStream {
    let Param { name, kind } = param;
    match kind {
        ParamKind::Read { elem, .. } => {
            let slice = quote!(impl ::warpwise::parameter::ReadArg<#elem> + ?::core::marker::Sized);
            quote!(#name: & #lifetime (#slice))
        }
        ParamKind::Write { elem, .. } => {
            let slice =
                quote!(impl ::warpwise::parameter::WriteArg<#elem> + ?::core::marker::Sized);
            quote!(#name: & #lifetime mut (#slice))
        }
        ParamKind::Scalar(_)
        | ParamKind::Value(_)
        | ParamKind::Array(_)
        | ParamKind::Constant { .. }
        | ParamKind::Atomic { .. }
        | ParamKind::Unknown => launch_parameter(param, lifetime),
    }
}

/// Returns the declaration of a parameter of `prepare`, with the lifetime of references if they are
/// kept.
fn launch_parameter(Param { name, kind }: &Param, lifetime: Option<&Lifetime>) -> TokenStream {
    match kind {
        ParamKind::Scalar(ty) | ParamKind::Value(ty) => quote!(#name: #ty),
        ParamKind::Array(ty) => {
            let lifetime = lifetime.map_or_else(|| quote!('_), |lifetime| quote!(#lifetime));
            let argument = quote_spanned!(type_span(ty)=>
                <#ty as ::warpwise::parameter::Parameter<#lifetime>>::Argument
            );
            quote!(#name: #argument)
        }
        ParamKind::Read { elem, .. } => quote!(#name: & #lifetime ::warpwise::Slice<#elem>),
        ParamKind::Constant { ty } => quote!(#name: & #lifetime ::warpwise::Constant<#ty>),
        ParamKind::Write { elem, .. } => quote!(#name: & #lifetime mut ::warpwise::Slice<#elem>),
        ParamKind::Atomic { elem, .. } => {
            let kept = lifetime.map(|lifetime| quote!(+ #lifetime));
            quote!(#name: impl ::warpwise::AtomicBuffer<#elem> #kept)
        }
        ParamKind::Unknown => quote!(#name: impl ::core::marker::Sized),
    }
}

/// Returns the place of `ty`, at which an error about generated code is an error about the type.
fn type_span(ty: &Type) -> Span {
    Span::mixed_site().located_at(ty.span())
}

/// Returns the argument that `launch` passes to `prepare`.
fn slice_of_argument(Param { name, kind }: &Param) -> TokenStream {
    let held = match kind {
        ParamKind::Read { .. } => quote!(ReadArg),
        ParamKind::Write { .. } => quote!(WriteArg),
        ParamKind::Scalar(_)
        | ParamKind::Value(_)
        | ParamKind::Array(_)
        | ParamKind::Constant { .. }
        | ParamKind::Atomic { .. }
        | ParamKind::Unknown => return quote!(#name),
    };
    quote_spanned!(Span::mixed_site()=> ::warpwise::parameter::#held::slice(#name))
}

/// Returns the argument that `prepare` passes on for a parameter.
fn launch_argument(Param { name, kind }: &Param, lifetime: &Lifetime) -> TokenStream {
    let (pass, single) = match kind {
        ParamKind::Array(ty) => {
            return quote_spanned!(type_span(ty)=>
                <#ty as ::warpwise::parameter::Parameter<#lifetime>>::arg(#name)
            );
        }
        ParamKind::Scalar(_) | ParamKind::Unknown => (quote!(scalar), false),
        ParamKind::Value(_) => (quote!(value), false),
        ParamKind::Read { single, .. } => (quote!(read), *single),
        ParamKind::Constant { .. } => (quote!(constant), false),
        ParamKind::Write { single, .. } => (quote!(write), *single),
        ParamKind::Atomic { single, .. } => (quote!(atomic), *single),
    };
    let single = single.then(|| quote!(.single()));
    quote_spanned!(Span::mixed_site()=> ::warpwise::parameter::Arg::#pass(#name) #single)
}

/// Returns the levels of rustc's lints among `attributes`, for an item beside the kernel.
fn rustc_lint_levels(attributes: &[Attribute]) -> Vec<Attribute> {
    let levels = attributes.iter().filter_map(|attribute| {
        let word = attribute.path().get_ident()?.to_string();
        if !matches!(word.as_str(), "allow" | "warn" | "deny" | "forbid" | "expect" | "cfg") {
            return None;
        }
        let mut attribute = lint_attr::split_lint_attribute(attribute).ok()?.rest?;
        if word == "expect" {
            // The function itself fulfils the expectation, or fails to.
            if let Meta::List(list) = &mut attribute.meta {
                list.path = syn::parse_quote!(allow);
            }
        }
        Some(attribute)
    });
    levels.collect()
}
