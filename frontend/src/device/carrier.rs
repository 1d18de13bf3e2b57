//! The macros that carry tokens: what [`device`](mod@crate::device) says of them, in code.
use crate::{
    device::linked_items::Raw,
    output::attributes,
    resolve::source_map,
    syntax::{self, place::Place},
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Mutex, PoisonError},
};
use syn::{Item, ItemFn, Path, Visibility, ext::IdentExt};

/// Most macros in one chain, each of which is expanded inside of the one before. By default, rustc
/// nests 128.
const MAX_CHAINED_MACROS: usize = 48;

/// What calls the macros `steps`, one after another, and brings what they carry to
/// [`link`](crate::device::link) with `state`. Where they are many, some are called at a time, and
/// what they carry is kept in macros with names of this `id`.
pub(crate) fn chain(steps: &[TokenStream], id: &str, state: &TokenStream) -> TokenStream {
    if steps.len() <= MAX_CHAINED_MACROS {
        return short_chain(steps, state);
    }
    let part = |index| format_ident!("__warpwise_part_{id}_{index}");
    let parts = steps.chunks(MAX_CHAINED_MACROS).enumerate().map(|(index, steps)| {
        let name = part(index);
        short_chain(steps, &quote!(part #name))
    });
    let parts: TokenStream = parts.collect();
    let names: Vec<TokenStream> = (0..steps.len().div_ceil(MAX_CHAINED_MACROS))
        .map(|index| part(index).into_token_stream())
        .collect();
    let all = chain(&names, &format!("{id}_"), state);
    quote!(#parts #all)
}

fn short_chain(steps: &[TokenStream], state: &TokenStream) -> TokenStream {
    let link = quote!(::warpwise::__private::link);
    let mut steps = steps.iter().chain([&link]);
    let first = steps.next();
    quote!(#first! { { #({ #steps })* } {} { #state } })
}

/// Calls the macros of the items at `paths`, as [`chain`] does, within a block.
///
/// An item of another crate that is not `#[device]` has no macro, and rustc would say no more than that. So it is called by
/// a name of ours: an inner block has a `use` of the path under that name, which brings whatever there is, and an outer one
/// a `use` of the runtime's `absent`, which is found if the other brought no macro.
pub(crate) fn chain_within_block(paths: &[&Path], id: &str, state: &TokenStream) -> TokenStream {
    let mut named = Vec::new();
    let step = |(index, path): (usize, &&Path)| match source_map::in_other_crate(path) {
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
    let chain = chain(&steps, id, state);
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

/// The macro of a kernel, which carries that it is one: kernel code that calls it is told so.
pub(crate) fn kernel(item: &ItemFn) -> TokenStream {
    let name = &item.sig.ident;
    if syntax::item::is_std_macro(name) || source_map::has_macro(name) {
        return TokenStream::new();
    }
    let id = unique(item, name.span());
    let (cfgs, kernel) = (attributes::cfgs(&item.attrs), Item::Fn(item.clone()));
    carrier_with(&kernel, &id, &quote!(kernel), &quote!(#(#cfgs)*))
}

/// The macro `hidden`, which adds `carried` to what was got and calls the next.
fn macro_rules(hidden: &Ident, export: Option<TokenStream>, carried: &TokenStream) -> TokenStream {
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

/// The macro that carries the `closure` of `item` under the item's own name.
pub(crate) fn carrier(item: &Item, id: &str, closure: &TokenStream) -> TokenStream {
    carrier_with(item, id, closure, &TokenStream::new())
}

/// The same with more attributes on what it makes.
fn carrier_with(
    item: &Item,
    id: &str,
    closure: &TokenStream,
    attributes: &TokenStream,
) -> TokenStream {
    let Some((name, vis)) = syntax::item::name(item).zip(syntax::item::visibility(item)) else {
        return TokenStream::new();
    };
    let hidden = format_ident!("__warpwise_{}_{id}", name.unraw());
    let export = matches!(vis, Visibility::Public(_)).then(|| quote!(#[macro_export]));
    let rules = macro_rules(&hidden, Some(quote!(#attributes #export)), &quote!({ #closure }));
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

/// A macro that carries tokens under a name that only its module knows.
pub(crate) fn local(name: &Ident, carried: &TokenStream) -> TokenStream {
    let hidden = format_ident!("__macro_of{name}");
    let rules = macro_rules(&hidden, None, carried);
    quote!(
        #rules
        #[allow(unused_imports, reason = "another item may use it or not")]
        use #hidden as #name;
    )
}

/// Carries an item alone, as it is, until it is known what else it needs; then `link` gets it,
/// with `wait`.
pub(crate) fn raw(raw: &Raw) -> TokenStream {
    let name = raw_name(&raw.id);
    let local = local(&name, &raw.to_token_stream());
    quote!(#local #name! { { { ::warpwise::__private::link } } {} { wait #raw } })
}

/// The same, with `gather`, once `wait` is over.
pub(crate) fn wait_again(raw: &Raw) -> TokenStream {
    let name = raw_name(&raw.id);
    let again = format_ident!("__again{name}");
    quote!(
        use #name as #again;
        #again! { { { ::warpwise::__private::link } } {} { gather #raw } }
    )
}

/// The macro that [`raw`] defines.
pub(crate) fn raw_name(id: &str) -> Ident {
    format_ident!("__warpwise_raw_{id}")
}

/// What identifies `item` among all items of all crates.
pub(crate) fn unique(item: &impl ToTokens, span: proc_macro2::Span) -> String {
    /// How often each hash was asked for: items that a `macro_rules!` makes may have place and
    /// tokens in common.
    static OCCURRENCES: Mutex<BTreeMap<u64, u32>> = Mutex::new(BTreeMap::new());
    let mut hasher = DefaultHasher::new();
    for variable in ["CARGO_PKG_NAME", "CARGO_PKG_VERSION", "CARGO_CRATE_NAME"] {
        std::env::var(variable).unwrap_or_default().hash(&mut hasher);
    }
    let Place { line, column, .. } = Place::of(span); // not where the sources lie
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
    ids(|ids| ids.insert(id.clone()));
    id
}

/// True if the item with this `id` was expanded in this run of the compiler.
pub(crate) fn is_of_this_crate(id: &str) -> bool {
    ids(|ids| ids.contains(id))
}

/// Works on the ids of this run of the compiler.
fn ids<T>(work: impl FnOnce(&mut BTreeSet<String>) -> T) -> T {
    static IDS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    work(&mut IDS.lock().unwrap_or_else(PoisonError::into_inner))
}
