//! Generation of carrier macros, by the protocol in [`device`](mod@crate::device).
use crate::{
    device::linked_items::RawItem,
    output::attributes,
    resolve::source_map,
    syntax::{self, place::SourceLocation},
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Mutex, PoisonError},
};
use syn::{Item, ItemFn, Path, Visibility, ext::IdentExt};

/// Maximum number of macros in one chain. Each is expanded inside of the previous one, and by
/// default rustc nests 128.
const MAX_CHAINED_MACROS: usize = 48;

/// Returns a chain of calls of the macros `steps`, which brings their closures to
/// [`link`](crate::device::link) with `state`. A long chain is cut into several; macros named after
/// `id` hold the intermediate results.
pub(crate) fn chain_macros(steps: &[TokenStream], id: &str, state: &TokenStream) -> TokenStream {
    if steps.len() <= MAX_CHAINED_MACROS {
        return chain_once(steps, state);
    }
    let part = |index| format_ident!("__warpwise_part_{id}_{index}");
    let parts = steps.chunks(MAX_CHAINED_MACROS).enumerate().map(|(index, steps)| {
        let name = part(index);
        chain_once(steps, &quote!(part #name))
    });
    let parts: TokenStream = parts.collect();
    let names: Vec<TokenStream> = (0..steps.len().div_ceil(MAX_CHAINED_MACROS))
        .map(|index| part(index).into_token_stream())
        .collect();
    let all = chain_macros(&names, &format!("{id}_"), state);
    quote!(#parts #all)
}

fn chain_once(steps: &[TokenStream], state: &TokenStream) -> TokenStream {
    let link = quote!(::warpwise::__private::link);
    let mut steps = steps.iter().chain([&link]);
    let first = steps.next();
    quote!(#first! { { #({ #steps })* } {} { #state } })
}

/// Returns the [chain](chain_macros) of the items at `paths`, within a block.
///
/// An item of another crate without `#[device]` has no macro, and rustc would not report more than
/// that. So such a path is called by a generated name: a `use` in an inner block imports the path's
/// item under that name, and a `use` in an outer block the runtime's `absent`, which is effective
/// if the inner one imports no macro.
pub(crate) fn chain_within_block(paths: &[&Path], id: &str, state: &TokenStream) -> TokenStream {
    let mut named = Vec::new();
    let step = |(index, path): (usize, &&Path)| match source_map::foreign_path(path) {
        Some(place) => {
            let at = path.segments.last().map_or_else(Span::call_site, |last| last.ident.span());
            let at = Span::call_site().located_at(at);
            let name = Ident::new(&format!("__warpwise_used_{id}_{index}"), at);
            let step = name.to_token_stream();
            named.push((place, name, at));
            step
        }
        None => path.to_token_stream(),
    };
    let steps: Vec<TokenStream> = paths.iter().enumerate().map(step).collect();
    let chain = chain_macros(&steps, id, state);
    if named.is_empty() {
        return chain;
    }
    let names = named.iter().map(|(_, name, _)| name);
    let uses = named.iter().map(|(place, name, at)| quote_spanned!(*at=> use #place as #name;));
    quote!({
        #(
            #[allow(unused_imports, reason = "for items that have no macro")]
            use ::warpwise::__private::absent as #names;
        )*
        {
            #(
                #[allow(
                    unused_imports,
                    deprecated,
                    reason = "only a macro is of interest, and there may be none"
                )]
                #uses
            )*
            #chain
        }
    })
}

/// Returns the macro of a kernel, which only carries the fact that it is one, for the error message
/// in kernel code that calls it.
pub(crate) fn kernel_marker(item: &ItemFn) -> TokenStream {
    let name = &item.sig.ident;
    if syntax::item::is_std_macro(name) || source_map::file_mentions_macro(name) {
        return TokenStream::new();
    }
    let id = unique_id(item, name.span());
    let (cfgs, kernel) = (attributes::cfg_attributes(&item.attrs), Item::Fn(item.clone()));
    define_carrier_with(&kernel, &id, &quote!(kernel), &quote!(#(#cfgs)*))
}

/// Returns the macro `hidden`, which appends `carried` to the tokens collected so far and calls the
/// next macro.
fn carrier_rules(
    hidden: &Ident,
    export: Option<TokenStream>,
    carried: &TokenStream,
) -> TokenStream {
    quote!(
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
                $($next)* ! { { $($rest)* } { $($got)* #carried } $state }
            };
        }
    )
}

/// Returns the macro that carries the `closure` of `item` under the item's own name.
pub(crate) fn define_carrier(item: &Item, id: &str, closure: &TokenStream) -> TokenStream {
    define_carrier_with(item, id, closure, &TokenStream::new())
}

/// Like [`define_carrier`], with more attributes on the generated items.
fn define_carrier_with(
    item: &Item,
    id: &str,
    closure: &TokenStream,
    attributes: &TokenStream,
) -> TokenStream {
    let Some((name, vis)) = syntax::item::item_name(item).zip(syntax::item::item_visibility(item))
    else {
        return TokenStream::new();
    };
    let hidden = format_ident!("__warpwise_{}_{id}", name.unraw());
    let export = matches!(vis, Visibility::Public(_)).then(|| quote!(#[macro_export]));
    let rules = carrier_rules(&hidden, Some(quote!(#attributes #export)), &quote!({ #closure }));
    quote!(
        #rules
        #attributes
        #[doc(hidden)]
        #[allow(
            unused_imports,
            unreachable_pub,
            clippy::pub_use,
            reason = "it is as public as the item, and kernels may use it or not"
        )]
        #vis use #hidden as #name;
    )
}

/// Returns a macro that carries tokens under a name that is local to its module.
pub(crate) fn define_local_carrier(name: &Ident, carried: &TokenStream) -> TokenStream {
    let hidden = format_ident!("__macro_of{name}");
    let rules = carrier_rules(&hidden, None, carried);
    quote!(
        #rules
        #[allow(unused_imports, reason = "another item may use it or not")]
        use #hidden as #name;
    )
}

/// Carries an item alone, before its dependencies are known; then calls `link` with `wait`.
pub(crate) fn carry_raw(raw: &RawItem) -> TokenStream {
    let name = raw_carrier_name(&raw.id);
    let local = define_local_carrier(&name, &raw.to_token_stream());
    quote!(#local #name! { { { ::warpwise::__private::link } } {} { wait #raw } })
}

/// Waits once more, then calls `link` with `gather`.
pub(crate) fn wait_again(raw: &RawItem) -> TokenStream {
    let name = raw_carrier_name(&raw.id);
    let again = format_ident!("__again{name}");
    quote!(
        use #name as #again;
        #again! { { { ::warpwise::__private::link } } {} { gather #raw } }
    )
}

/// Returns the name of the macro that [`carry_raw`] defines.
pub(crate) fn raw_carrier_name(id: &str) -> Ident {
    format_ident!("__warpwise_raw_{id}")
}

/// Returns an identifier of `item` that is unique among all crates.
pub(crate) fn unique_id(item: &impl ToTokens, span: proc_macro2::Span) -> String {
    /// Occurrences of each hash: items from a `macro_rules!` may have equal positions and tokens.
    static OCCURRENCES: Mutex<BTreeMap<u64, u32>> = Mutex::new(BTreeMap::new());
    let mut hasher = DefaultHasher::new();
    for variable in ["CARGO_PKG_NAME", "CARGO_PKG_VERSION", "CARGO_CRATE_NAME"] {
        std::env::var(variable).unwrap_or_default().hash(&mut hasher);
    }
    let SourceLocation { line, column, .. } = SourceLocation::start_of(span); // not where the sources lie
    (line, column).hash(&mut hasher);
    item.to_token_stream().to_string().hash(&mut hasher);
    let hash = hasher.finish();
    let mut occurrences = OCCURRENCES.lock().unwrap_or_else(PoisonError::into_inner);
    let occurrence = occurrences.entry(hash).or_default();
    *occurrence += 1;
    let id = match *occurrence {
        1 => format!("{hash:016x}"),
        again => format!("{hash:016x}_{again}"),
    };
    with_ids(|ids| ids.insert(id.clone()));
    id
}

/// Returns true if the item with this `id` was expanded in this run of the compiler.
pub(crate) fn is_of_this_crate(id: &str) -> bool {
    with_ids(|ids| ids.contains(id))
}

/// Applies `work` to the ids of this run of the compiler.
fn with_ids<T>(work: impl FnOnce(&mut BTreeSet<String>) -> T) -> T {
    static IDS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    work(&mut IDS.lock().unwrap_or_else(PoisonError::into_inner))
}
