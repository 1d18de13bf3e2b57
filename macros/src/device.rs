//! `#[device]`: functions that carry their own tokens to the kernels that call them.
//!
//! A macro sees nothing but the tokens it is given, and a kernel's macro needs those of every
//! function that the kernel calls, from wherever they are. So `#[device] fn area` also defines
//! a macro `area`, which lives under the function's own path (macros have a namespace of their
//! own), with the function's visibility, and goes with it through every `use`:
//!
//! ```text
//! macro_rules! __warpwise_area_<hash> {
//!     ({ { $($next:tt)* } $($rest:tt)* } { $($got:tt)* } $state:tt) => {
//!         $($next)*! { { $($rest)* } { $($got)* { CLOSURE } } $state }
//!     };
//! }
//! pub use __warpwise_area_<hash> as area;
//! ```
//! It adds what it carries to what was got and passes it on to the next. What calls `area` and
//! `geo::scale` expands to the chain `area! { { {geo::scale} {::warpwise::__private::link} } {}
//! STATE }`, so that rustc resolves each path where it was written, and in the end [`link`] has
//! the closures of all of them and the `STATE`: the kernel, or the device function, in question.
//!
//! **Closed.** A device function that calls others is itself linked before it defines its macro.
//! So what a macro carries has everything that is needed, each function once:
//!
//! ```text
//! CLOSURE  = "version" ENTRY*              the function itself first
//! ENTRY    = { "id" sound|wrong { { "key" "id" }* } { ITEM } }
//! ```
//! where `key` is a path called in the item and `id` the function that it leads to.
//!
//! **Names.** `macro_rules!` names are unique in a crate where the function is public (they are
//! then exported from the root), so they have a hash of crate, line and tokens; the same is the
//! function's id. A function that std has a macro for (`vec`, `assert`) is refused: its `use`
//! would make `vec![]` ambiguous for everybody in its module.
//!
//! **Depth.** A chain nests one expansion for each function called *directly*, and rustc allows
//! 128 by default. How deep the call tree is does not matter.
//!
//! **Recursion.** A function that calls itself is refused. Functions that call each other wait
//! for each other's macros, so neither would ever be defined: [`crate::cycle`] refuses those of
//! one module. For others rustc says "cannot find macro `odd`" at each call, and that it is a
//! function and not a macro.
use crate::{
    attr::{self, combine},
    cycle,
    embed::{self, witness},
    expand::{self, is_rust_analyzer},
    linked::{Link, Linked, State},
    lower::{self, key, paths},
    place::Place,
    report,
    strip::strip,
};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Mutex,
};
use syn::{Error, ItemFn, Path, Visibility, ext::IdentExt};

/// Expands `#[device] item`.
pub(crate) fn device(args: TokenStream, tokens: TokenStream) -> TokenStream {
    let item = match expand::function(tokens.clone(), "device") {
        Ok(item) => item,
        Err(error) => {
            let error = error.to_compile_error();
            return quote!(#tokens #error);
        }
    };
    let mut errors = refuse_args(&args);
    let function = strip(tokens.clone(), &mut errors);
    if is_rust_analyzer() {
        return function;
    }
    let callees = paths(&item);
    let refusals = [
        refuse(&callees),
        refuse_name(&item),
        refuse_recursion(&item, &callees),
        cycle::refuse(&item, &callees),
    ];
    refusals.into_iter().flatten().for_each(|error| combine(&mut errors, error));
    let rest = match &errors {
        Some(_) if is_std_macro(&item.sig.ident) => TokenStream::new(),
        Some(_) => carrier(&item, &Linked::empty(), false),
        None if callees.is_empty() => define(&item, &Linked::empty()),
        None => {
            let cfgs = expand::cfgs(&item.attrs);
            let chain = resolve(&callees, &quote!(device { #tokens }));
            quote!(#(#cfgs)* #chain)
        }
    };
    let errors = errors.map(|errors| errors.to_compile_error());
    let quiet = expand::quiet();
    quote!(#quiet #function #errors #rest)
}

/// What calls functions at `callees`, and links to `state` what they carry.
pub(crate) fn resolve(callees: &[Path], state: &TokenStream) -> TokenStream {
    let link = quote!(::warpwise::__private::link);
    let mut steps = callees.iter().map(ToTokens::to_token_stream).chain([link]);
    let first = steps.next();
    quote!(#first! { { #({ #steps })* } {} { #state } })
}

/// Expands the end of a chain.
pub(crate) fn link(tokens: TokenStream) -> TokenStream {
    let Link { closures, state } = match syn::parse2(tokens) {
        Ok(link) => link,
        Err(error) => return error.to_compile_error(),
    };
    let item = match &state {
        State::Kernel { item, .. } | State::Device { item } => item,
    };
    let linked = match Linked::new(&paths(item), closures) {
        Ok(linked) => linked,
        Err(error) => return error.to_compile_error(),
    };
    match state {
        State::Kernel { args, item } => {
            if !linked.sound {
                return TokenStream::new(); // reported where the device function is defined
            }
            let (options, errors) = attr::parse(args);
            embed::kernel(&item, &options, errors.is_none(), &linked.set)
        }
        State::Device { item } if linked.sound => define(&item, &linked),
        State::Device { item } => carrier(&item, &Linked::empty(), false),
    }
}

/// Checks `item`, which calls what is `linked`, and defines its macro.
fn define(item: &ItemFn, linked: &Linked) -> TokenStream {
    let set = linked.with(item);
    match lower::check_devices(&set, [set.items.len() - 1]) {
        Ok(witnesses) => {
            let carrier = carrier(item, linked, true);
            if witnesses.is_empty() {
                return carrier;
            }
            let witnesses = witnesses.iter().map(witness);
            let cfgs = expand::cfgs(&item.attrs);
            quote!(#carrier #(#cfgs)* const _: () = { #(#witnesses)* };)
        }
        Err(rejected) => {
            let errors = report::rejected(rejected);
            let carrier = carrier(item, &Linked::empty(), false);
            quote!(#errors #carrier)
        }
    }
}

/// The macro that carries `item` and what it calls.
fn carrier(item: &ItemFn, linked: &Linked, sound: bool) -> TokenStream {
    let name = &item.sig.ident;
    let id = unique(item);
    let hidden = format_ident!("__warpwise_{}_{id}", name.unraw());
    let closure = linked.closure(item, &id, sound);
    let (vis, export) = (&item.vis, exported(&item.vis));
    let cfgs = expand::cfgs(&item.attrs);
    quote!(
        #(#cfgs)*
        #[doc(hidden)]
        #export
        #[allow(
            unused_macros,
            non_local_definitions,
            clippy::crate_in_macro_def,
            reason = "it is used through its alias, and carries tokens as they are"
        )]
        macro_rules! #hidden {
            ({ { $($next:tt)* } $($rest:tt)* } { $($got:tt)* } $state:tt) => {
                $($next)* ! { { $($rest)* } { $($got)* { #closure } } $state }
            };
        }
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(
            unused_imports,
            unreachable_pub,
            clippy::pub_use,
            reason = "it is as public as the function, and kernels may use it or not"
        )]
        #vis use #hidden as #name;
    )
}

fn exported(vis: &Visibility) -> Option<TokenStream> {
    matches!(vis, Visibility::Public(_)).then(|| quote!(#[macro_export]))
}

/// What identifies `item` among all device functions of all crates.
fn unique(item: &ItemFn) -> String {
    /// How often each hash was asked for: functions that a `macro_rules!` makes may have place
    /// and tokens in common.
    static OCCURRENCES: Mutex<BTreeMap<u64, u32>> = Mutex::new(BTreeMap::new());
    let mut hasher = DefaultHasher::new();
    for variable in ["CARGO_PKG_NAME", "CARGO_PKG_VERSION", "CARGO_CRATE_NAME"] {
        std::env::var(variable).unwrap_or_default().hash(&mut hasher);
    }
    let Place { line, column, .. } = Place::of(item.sig.ident.span()); // not where the sources lie
    (line, column).hash(&mut hasher);
    item.to_token_stream().to_string().hash(&mut hasher);
    let hash = hasher.finish();
    let mut occurrences = OCCURRENCES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let occurrence = occurrences.entry(hash).or_default();
    *occurrence += 1;
    match *occurrence {
        1 => format!("{hash:016x}"),
        again => format!("{hash:016x}_{again}"),
    }
}

/// What is wrong with what is called, as far as its names tell.
pub(crate) fn refuse(callees: &[Path]) -> Option<Error> {
    let mut errors = None;
    for path in callees {
        let Some(name) = path.get_ident().filter(|name| is_std_macro(name)) else { continue };
        let text =
            format!("`{name}` is no device function: those cannot have the name of a macro of std");
        combine(&mut errors, Error::new(name.span(), text));
    }
    errors
}

fn refuse_args(args: &TokenStream) -> Option<Error> {
    (!args.is_empty()).then(|| Error::new_spanned(args, "`#[device]` takes no arguments"))
}

fn refuse_name(item: &ItemFn) -> Option<Error> {
    let name = &item.sig.ident;
    let text = format!(
        "a device function cannot be named `{name}`: std has a macro of that name, which it would \
         hide"
    );
    is_std_macro(name).then(|| Error::new(name.span(), text))
}

fn refuse_recursion(item: &ItemFn, callees: &[Path]) -> Option<Error> {
    let name = &item.sig.ident;
    let own = [name.to_string(), format!("self::{name}")];
    let path = callees.iter().find(|path| own.contains(&key(path)))?;
    let text = format!("`{name}` calls itself; kernel code cannot recurse: use a loop");
    Some(Error::new_spanned(path, text))
}

/// True for the macros that are in scope everywhere.
fn is_std_macro(name: &Ident) -> bool {
    const MACROS: [&str; 42] = [
        "assert",
        "assert_eq",
        "assert_ne",
        "cfg",
        "column",
        "compile_error",
        "concat",
        "concat_bytes",
        "concat_idents",
        "dbg",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "env",
        "eprint",
        "eprintln",
        "file",
        "format",
        "format_args",
        "global_asm",
        "include",
        "include_bytes",
        "include_str",
        "is_x86_feature_detected",
        "line",
        "log_syntax",
        "matches",
        "module_path",
        "option_env",
        "panic",
        "print",
        "println",
        "stringify",
        "thread_local",
        "todo",
        "trace_macros",
        "unimplemented",
        "unreachable",
        "vec",
        "write",
        "writeln",
        "cfg_select",
    ];
    MACROS.iter().any(|known| name == known)
}
