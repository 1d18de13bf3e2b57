//! `#[device]`: items that carry their own tokens to the kernels that use them.
//!
//! A macro sees only its input tokens, but a kernel's macro needs the tokens of every function,
//! type, trait and constant that the kernel uses, from any module or crate. So `#[device] fn area`
//! also defines a macro `area` under the function's own path (macros have a namespace of their own)
//! and with its visibility, which every `use` of the function imports, too:
//!
//! ```text
//! macro_rules! __warpwise_area_<hash> {
//!     ({ { $($next:tt)* } $($rest:tt)* } { $($got:tt)* } $state:tt) => {
//!         $($next)*! { { $($rest)* } { $($got)* { CLOSURE } } $state }
//!     };
//! }
//! pub use __warpwise_area_<hash> as area;
//! ```
//! The macro appends its closure to the tokens collected so far and calls the next macro. A user of
//! `area` and `geo::Disc` expands to the chain `area! { { {geo::Disc} {::warpwise::__private::link}
//! } {} STATE }`. rustc resolves each path in its own scope, and in the end [`link`] gets the
//! closures of all paths and the `STATE`: the kernel or the items in question.
//!
//! **Closed.** An item is linked with its dependencies before its macro is defined. So a closure
//! contains everything that the item needs, each item once:
//!
//! ```text
//! CLOSURE  = "version" DEPTH ENTRY*        the item itself first
//! ENTRY    = { "id" alone|sound|wrong { { "key" "id" }* } { ITEM } }
//! ```
//! where `key` is a path in the item, `id` the item that it leads to, and `DEPTH` the length of the
//! longest chain of items that need each other. An `alone` item is relevant only to items that
//! refer to it. The others are types and traits, which come with their `impl`s.
//!
//! **Bundles.** An `impl` block has no path, so its type must bring it along. The `impl` in turn
//! needs the type's macro: they would wait for each other. So items of one module that need each
//! other are linked and carried together; [`crate::device::companions`] computes these bundles. The
//! first item of a bundle links all of it; the others pass it their tokens through macros that are
//! local to the module:
//!
//! ```text
//! macro_rules! __macro_of__warpwise_raw_<hash> { .. { "id" { ITEM } } .. }
//! use __macro_of__warpwise_raw_<hash> as __warpwise_raw_<hash>;
//! __warpwise_raw_<hash>! { { {::warpwise::__private::link} } {} { wait { "id" { ITEM } } } }
//! ```
//! The last line waits for the alias, which rustc resolves after it has expanded all attributes
//! that it found so far. Attributes imported by `use` are found only then, so the same happens
//! again with an alias of the alias. After that all items are registered, and [`link`] continues.
//!
//! **Names.** Names of exported `macro_rules!` are unique in a crate, so the name of a public
//! item's macro has a hash of crate, line and tokens, which is also the item's id. An item with the
//! name of a std macro (`vec`, `assert`) is rejected: its `use` would make `vec![]` ambiguous in
//! its module.
//!
//! **Depth.** A chain nests one expansion per macro, and rustc allows 128 by default:
//! [`chain_macros`] cuts long ones. The nesting of items does not matter.
//!
//! **Items without a macro.** A kernel's macro carries the fact that it is a kernel. An item of
//! another crate without `#[device]` has no macro; in kernels,
//! [`chain_within_block`](carrier::chain_within_block) reports it all the same. The expansion of
//! `#[device]` defines macros, and so cannot be in a block; there, a chain in a separate block
//! *probes* the paths. The item waits twice, as above, until the probe is done, and is not linked
//! if it failed.
//!
//! **Cycles.** Functions that call each other are rejected as recursion. Items of different modules
//! that need each other wait for each other's macros, which are never defined: rustc reports
//! "cannot find macro `Mat3`" at each use, and that it is a struct and not a macro.
//!
//! **Modules.** `#[device] mod` puts `#[device]` on each item in it, and the module's lint levels
//! on these items and on kernels.
pub(crate) mod carrier;
mod companions;
pub(crate) mod item;
pub(crate) mod linked_items;

use crate::{
    attr::{
        self, Options,
        build_settings::Build,
        combine_errors,
        constant::take_constants,
        lint_attr::{LintAttribute, LintLevel, split_lint_attribute},
        strip::strip_lint_levels,
    },
    device::{
        carrier::chain_macros,
        companions::{RegisteredItem, Registry, Task},
        linked_items::{ChainEnd, ChainState, Closure, LinkedItems, RawItem, parse_groups},
    },
    mistakes,
    output::{
        attributes::{self, is_rust_analyzer, silence_witness},
        embed, layout_derive, report,
    },
    pipeline,
    resolve::{
        drop_impls::reject_drop,
        imports,
        paths::{device_paths, path_key, paths_of_kernel},
        reserved_names::reject_reserved_name,
        source_map::{self, ItemElsewhere},
        std_paths::StdItem,
    },
    syntax::{
        self,
        error::{Rejected, Unreadable},
        limits::{reject_cfg_of_parts, reject_deep_item, without_parts_under_cfg},
        parse,
        tokens::Tokens,
        ungroup::without_invisible_groups,
    },
};
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};
use syn::{
    Attribute, Error, Expr, ExprPath, Item, ItemEnum, ItemFn, ItemMod, ItemStruct, Path,
    parse_quote,
};

/// Every `#[device]` item of this run of the compiler that may be in a bundle.
static REGISTRY: Mutex<Registry> = Mutex::new(Registry::new());

/// Expands `#[device] item`.
pub(crate) fn expand_device(args: TokenStream, tokens: TokenStream) -> TokenStream {
    let item = match parse_device_item(tokens.clone()) {
        Ok(item) => item,
        Err(reason) => {
            let carrier = carrier_of_refused(&tokens);
            let error = report::report_unreadable(&tokens, reason);
            return quote!(#error #carrier);
        }
    };
    // The order matters: `cfg` decides if there is an item at all, and a module only passes the
    // attribute on.
    if let Some(later) = move_after_cfgs(&args, &item) {
        return later;
    }
    if let Item::Mod(module) = item {
        return expand_module(module, reject_arguments(&args));
    }
    let item = imports::resolve_item_imports(item);
    let mut errors = reject_arguments(&args);
    let gated_parts = reject_cfg_of_parts(&item);
    // Without the parts, the type has a layout, and its uses are no errors.
    let (item, tokens) = match &gated_parts {
        Some(_) if matches!(item, Item::Struct(_) | Item::Enum(_)) => {
            let item = without_parts_under_cfg(item);
            let tokens = item.to_token_stream();
            (item, tokens)
        }
        _ => (item, tokens),
    };
    let stripped = strip_lint_levels(tokens, &mut errors);
    let repr = layout_derive::missing_repr(&item).unwrap_or_else(|error| {
        combine_errors(&mut errors, error);
        None
    });
    let plain = errors.is_none().then(|| layout_derive::implement_layout(&item));
    if let Some(error) = gated_parts {
        combine_errors(&mut errors, error);
    }
    let is_rust_analyzer = is_rust_analyzer();
    let mistakes = if is_rust_analyzer { Vec::new() } else { mistakes::find_in_item(&item) };
    let refused_parameters = match &item {
        Item::Fn(function) if !is_rust_analyzer => mistakes::find_refused_parameters(&function.sig),
        _ => None,
    };
    let stripped = match refused_parameters {
        Some(_) => mistakes::without_body(stripped),
        None => stripped,
    };
    let (stripped, mistaken) = mistakes::replace_mistakes(stripped, &mistakes);
    let emitted = quote!(#repr #stripped #mistaken #plain);
    if is_rust_analyzer {
        return emitted;
    }
    let paths = device_paths(&item);
    let unknown = report_unknown_names(&paths);
    // Independent of each other, so that all errors are reported at once.
    let refusals = [
        reject_host_items_of(&item, &paths),
        reject_reserved_name(&item),
        reject_drop(&item),
        reject_self_call(&item, &paths),
    ];
    // Inference reports them, where it runs.
    let refused_parameters = refused_parameters.filter(|_| !mistakes.is_empty());
    refusals
        .into_iter()
        .chain([refused_parameters])
        .flatten()
        .for_each(|error| combine_errors(&mut errors, error));
    let item = with_derives_above(item);
    let is_sound = errors.is_none() && mistakes.is_empty() && unknown.is_none();
    let rest = register_or_link(&item, &paths, is_sound);
    let unknown = unknown.filter(|_| errors.is_none() && mistakes.is_empty());
    let errors = errors.map(|errors| errors.to_compile_error());
    let quiet = matches!(item, Item::Fn(_) | Item::Impl(_)).then(attributes::silence_clippy);
    quote!(#quiet #emitted #errors #unknown #rest)
}

/// Adds what `#[derive(..)]` above `#[device]` derives to a type, for kernel code that needs to
/// know it.
fn with_derives_above(mut item: Item) -> Item {
    let (Item::Struct(ItemStruct { attrs, .. }) | Item::Enum(ItemEnum { attrs, .. })) = &mut item
    else {
        return item;
    };
    let derived = source_map::derives_above(Span::call_site());
    let derived = derived.iter().filter_map(|name| syn::parse_str::<Ident>(name).ok());
    attrs.extend(derived.map(|name| parse_quote!(#[derive(#name)])));
    item
}

/// Returns the macros through which `item`, with dependencies at `paths`, reaches its users.
fn register_or_link(item: &Item, paths: &[Path], sound: bool) -> TokenStream {
    let id = carrier::unique_id(item, item::item_span(item));
    let needs: Vec<String> = paths.iter().filter_map(item::name_in_module).collect();
    let here = Span::call_site();
    let kind = item::item_kind(item).expect("other items were refused");
    let (scope, expansion) = (source_map::scope_id(here), source_map::expansion_id(here));
    let known = RegisteredItem { scope, expansion, id: id.clone(), kind, needs, is_sound: sound };
    if !sound {
        with_registry(|registry| registry.register(known));
        let std = syntax::item::item_name(item).is_some_and(syntax::item::is_std_macro);
        return if std {
            TokenStream::new()
        } else {
            carrier::define_carrier(item, &id, &linked_items::erroneous_closure(&id))
        };
    }
    let raw = RawItem { id, item: item.clone() };
    match item {
        // It needs nothing from its module, so it is in no bundle.
        Item::Fn(_) | Item::Const(_) | Item::Type(_) if known.needs.is_empty() => {
            link_items(&[raw])
        }
        // A macro inside of the item would turn into text of the carrier macro; lowering reports
        // the error.
        _ if has_dollar(item.to_token_stream()) => link_items(&[raw]),
        _ => {
            with_registry(|registry| registry.register(known));
            carrier::carry_raw(&raw)
        }
    }
}

fn with_registry<T>(f: impl FnOnce(&mut Registry) -> T) -> T {
    f(&mut REGISTRY.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Parses the item after `#[device]`, if it is of an accepted kind.
fn parse_device_item(tokens: TokenStream) -> Result<Item, Unreadable> {
    let item = parse::parse_item(&Tokens::read(&tokens)?, tokens)?;
    if let Some(error) = reject_deep_item(&item) {
        return Err(error.into());
    }
    let mut item = without_invisible_groups(item);
    if let Some(error) = reject_associated_item(&item) {
        return Err(error.into());
    }
    if let Item::Mod(ItemMod { content: None, .. }) = &item {
        let text = "`#[device]` is for modules that are written out: put `#[device]` on the items \
                    in the other file";
        return Err(Error::new_spanned(&item, text).into());
    }
    match syntax::item::item_attributes_mut(&mut item) {
        Some(_) => Ok(item),
        None => {
            let text = format!("`#[device]` is for {}", item::ACCEPTED_KINDS);
            let text = match &item {
                Item::Static(_) => format!("{text}\n= help: {STATIC_HELP}"),
                Item::Use(_) => {
                    format!(
                        "{text}\n= help: leave it out: kernel code sees what its module imports"
                    )
                }
                Item::Macro(_) => format!(
                    "{text}\n= help: leave it out: kernel code expands the `macro_rules!` of its file"
                ),
                Item::Union(_) => format!(
                    "{text}\n= help: make it a `struct`, and convert bits by methods such as \
                     `f32::to_bits`"
                ),
                _ => text,
            };
            Err(Error::new_spanned(item, text).into())
        }
    }
}

/// Returns the error for `#[device]` on an associated item: it belongs above the `impl` or trait.
fn reject_associated_item(item: &Item) -> Option<Error> {
    let name = syntax::item::item_name(item)?;
    let block = source_map::block_of_associated_items(name);
    let receiver = match item {
        Item::Fn(item) => item.sig.receiver(),
        _ => None,
    };
    if block.is_none() && receiver.is_none() {
        return None;
    }
    let block = block.map_or_else(|| "`impl` or `trait`".to_owned(), |block| format!("`{block}`"));
    let text = format!(
        "`#[device]` is for the whole {block}, and covers its functions\n= help: put `#[device]` \
         above the {block}"
    );
    Some(match receiver {
        Some(receiver) => Error::new_spanned(receiver, text),
        None => Error::new(name.span(), text),
    })
}

/// Returns a macro for a static or a union with `#[device]`, which was refused, so that its uses
/// are no errors, too.
fn carrier_of_refused(tokens: &TokenStream) -> Option<TokenStream> {
    let (vis, name) = match syn::parse2(tokens.clone()).ok()? {
        Item::Static(item) => (item.vis, item.ident),
        Item::Union(item) => (item.vis, item.ident),
        _ => return None,
    };
    // Only its name and visibility matter.
    let item: Item = syn::parse_quote!(#vis const #name: () = (););
    let id = carrier::unique_id(&tokens, name.span());
    Some(carrier::define_carrier(&item, &id, &linked_items::erroneous_closure(&id)))
}

/// The replacements of a static.
const STATIC_HELP: &str = "make it a `const`, or pass it to the kernel: a table as `#[constant] \
                           table: &[f32; N]`, what threads change as `&mut [T]` or atomics, \
                           `&[AtomicU32]`";

/// Moves `#[device]` after the last `cfg` and `cfg_attr`, so that rustc evaluates those before the
/// item is registered; `None` if there are none.
fn move_after_cfgs(args: &TokenStream, item: &Item) -> Option<TokenStream> {
    let mut item = item.clone();
    let attributes = syntax::item::item_attributes_mut(&mut item)?;
    let is_cfg = |attribute: &Attribute| {
        attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr")
    };
    let last = attributes.iter().rposition(is_cfg)?;
    let args = (!args.is_empty()).then(|| quote!((#args)));
    attributes.insert(last + 1, syn::parse_quote!(#[::warpwise::device #args]));
    Some(item.into_token_stream())
}

/// Puts `#[device]` on each suitable item of `module`, and the module's levels of Warpwise's lints
/// on these items and on kernels.
fn expand_module(mut module: ItemMod, mut errors: Option<Error>) -> TokenStream {
    let levels = take_levels(&mut module.attrs, &mut errors);
    for item in module.content.iter_mut().flat_map(|(_, items)| items) {
        let span = item::item_span(item);
        if takes_module_levels(item)
            && let Some(attributes) = syntax::item::item_attributes_mut(item)
        {
            attributes.splice(0..0, levels.iter().cloned());
        }
        if is_device_item(item)
            && let Some(attributes) = syntax::item::item_attributes_mut(item)
        {
            let device = quote_spanned!(span=> ::warpwise::device);
            attributes.insert(0, syn::parse_quote_spanned!(span=> #[#device]));
        }
    }
    let errors = errors.map(|errors| errors.to_compile_error());
    quote!(#module #errors)
}

/// Removes the levels of Warpwise's lints from `attributes`, and returns them as attributes.
fn take_levels(attributes: &mut Vec<Attribute>, errors: &mut Option<Error>) -> Vec<Attribute> {
    let mut levels = Vec::new();
    for attribute in std::mem::take(attributes) {
        match split_lint_attribute(&attribute) {
            Ok(LintAttribute { is_ours: false, .. }) => attributes.push(attribute),
            Ok(LintAttribute { levels: ours, rest, .. }) => {
                levels.extend(ours.iter().map(LintLevel::to_attribute));
                attributes.extend(rest);
            }
            Err(error) => combine_errors(errors, error),
        }
    }
    levels
}

/// Returns true if the levels of a module apply to the item: it contains kernel code.
fn takes_module_levels(item: &mut Item) -> bool {
    let is_ours = |attribute: &Attribute| {
        let last = attribute.path().segments.last();
        last.is_some_and(|last| last.ident == "kernel" || last.ident == "device")
    };
    let has_code = matches!(item, Item::Fn(_) | Item::Impl(_) | Item::Trait(_) | Item::Mod(_));
    let stands_for_itself =
        syntax::item::item_attributes_mut(item).is_some_and(|all| all.iter().any(is_ours));
    has_code && (stands_for_itself || is_device_item(item))
}

/// Returns false for items of a `#[device]` module that are not device code: kernels, tests, and
/// items with a `#[device]` of their own.
fn is_device_item(item: &mut Item) -> bool {
    let unnamed = matches!(item, Item::Const(item) if item.ident == "_")
        || matches!(item, Item::Mod(ItemMod { content: None, .. }));
    let is_test = |attribute: &Attribute| {
        attribute.path().is_ident("cfg")
            && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string() == "test")
    };
    let stands_apart = |attribute: &Attribute| {
        let last = attribute.path().segments.last().map(|segment| segment.ident.to_string());
        matches!(last.as_deref(), Some("kernel" | "device" | "test")) || is_test(attribute)
    };
    !unnamed
        && syntax::item::item_attributes_mut(item).is_some_and(|all| !all.iter().any(stands_apart))
}

/// Returns the paths that lead to items with macros: not to std.
fn paths_with_macros(paths: &[Path]) -> impl Iterator<Item = &Path> {
    paths.iter().filter(|path| StdItem::imported(path).is_none())
}

/// Links the items at `paths` to `state`, a kernel.
pub(crate) fn chain_kernel(paths: &[Path], id: &str, state: &TokenStream) -> TokenStream {
    carrier::chain_within_block(&paths_with_macros(paths).collect::<Vec<_>>(), id, state)
}

/// Returns a chain that reports the paths in `far`, to other crates, that lead to items without
/// macros.
fn chain_probe(far: &[&Path], id: &str) -> TokenStream {
    let state = quote!(probe #id #({ #far })*);
    let chain = carrier::chain_within_block(far, &format!("{id}_probe"), &state);
    quote!(const _: () = { #chain };)
}

/// Passes `items` to [`link`] after rustc has expanded everything else: only then are imports
/// resolved.
fn link_later(stage: &str, items: &[RawItem]) -> TokenStream {
    let id = items.first().map(|raw| raw.id.as_str()).unwrap_or_default();
    let (name, stage) = (format_ident!("__warpwise_{stage}_{id}"), format_ident!("{stage}"));
    quote!(
        #[allow(unused_imports, reason = "it is a macro's other name")]
        use ::warpwise::__private::link as #name;
        #name! { {} {} { #stage #(#items)* } }
    )
}

/// Applies `work` to the ids of items that use an item of another crate without `#[device]`.
fn with_lacking_ids<T>(work: impl FnOnce(&mut BTreeSet<String>) -> T) -> T {
    static IDS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    work(&mut IDS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Links the items at `paths` to `state`.
fn chain_items(paths: &[Path], id: &str, state: &TokenStream) -> TokenStream {
    let steps: Vec<TokenStream> = paths_with_macros(paths).map(ToTokens::to_token_stream).collect();
    chain_macros(&steps, id, state)
}

/// Expands the end of a chain.
pub(crate) fn link(tokens: TokenStream) -> TokenStream {
    try_link(tokens).unwrap_or_else(|error| error.to_compile_error())
}

fn try_link(tokens: TokenStream) -> syn::Result<TokenStream> {
    let ChainEnd { collected, state } = ChainEnd::parse(tokens)?;
    Ok(match state {
        ChainState::Part(name) => carrier::define_local_carrier(&name, &collected),
        ChainState::Wait(raw) => carrier::wait_again(&raw),
        ChainState::Gather(raw) => link_registered(raw),
        ChainState::Bundle(first) => {
            let others = parse_groups::<RawItem>(&collected)?;
            let here = item::item_span(&first.item);
            let others = others.into_iter().map(|raw| raw.with_hygiene_of(here));
            link_items(&std::iter::once(first).chain(others).collect::<Vec<_>>())
        }
        ChainState::Probe(id, paths) => {
            if let Err(error) = LinkedItems::new(&paths, Closure::parse_all(collected)?) {
                with_lacking_ids(|ids| ids.insert(id));
                return Err(error);
            }
            TokenStream::new()
        }
        ChainState::Probing(items) => link_later("probed", &items),
        ChainState::Probed(items) => {
            let is_lacking =
                items.first().is_some_and(|raw| with_lacking_ids(|ids| ids.contains(&raw.id)));
            if is_lacking { erroneous_carriers(&items) } else { link_probed(&items) }
        }
        ChainState::Items(items) => {
            match LinkedItems::new(&paths_of_items(&items), Closure::parse_all(collected)?) {
                Ok(linked) => define_carriers(&items, linked)?,
                Err(error) => {
                    let (error, carriers) = (error.to_compile_error(), erroneous_carriers(&items));
                    quote!(#error #carriers)
                }
            }
        }
        ChainState::Kernel { args, mut item } => {
            let (mut options, mut errors) = attr::parse_arguments(args);
            options.constants = take_constants(&mut item, &mut errors);
            let linked = LinkedItems::new(
                &paths_of_kernel(&item, &options),
                Closure::parse_all(collected)?,
            )?;
            if !linked.is_sound {
                return Ok(TokenStream::new()); // reported where the device item is defined
            }
            embed::embed_kernel(&item, None, &options, errors.is_none(), &linked.device_set()?)
        }
    })
}

/// Continues with an item after all others are registered.
fn link_registered(raw: RawItem) -> TokenStream {
    let RawItem { id, item } = &raw;
    let wrong = |error: Option<Error>| {
        let errors = error.map(|error| error.to_compile_error());
        let carrier = carrier::define_carrier(item, id, &linked_items::erroneous_closure(id));
        quote!(#errors #carrier)
    };
    match with_registry(|registry| registry.task_of(id)) {
        Task::Lead(ids) if ids.len() == 1 => link_items(&[raw]),
        Task::Lead(ids) => {
            let others =
                ids[1..].iter().map(|id| carrier::raw_carrier_name(id).into_token_stream());
            chain_macros(&others.collect::<Vec<_>>(), id, &quote!(bundle #raw))
        }
        Task::Follow => TokenStream::new(),
        Task::Wrong => wrong(None),
        Task::Recursion(names) => wrong(Some(recursion_error(item, &names))),
        Task::Stray => wrong(Some(Error::new(
            item::item_span(item),
            "an `impl` block with `#[device]` stands in the module of its type or of its trait, \
             and that is `#[device]`, too",
        ))),
        Task::Late => wrong(Some(Error::new(
            item::item_span(item),
            "what this belongs to was expanded before this was: define both with the same macro, \
             or this one without",
        ))),
    }
}

fn recursion_error(item: &Item, names: &[String]) -> Error {
    let calls: String = names[1..].iter().map(|next| format!(" calls `{next}`, which")).collect();
    let name = &names[0];
    let text = format!("`{name}`{calls} calls `{name}`; kernel code cannot recurse: use a loop");
    let paths = device_paths(item);
    match paths.iter().find(|path| item::name_in_module(path).as_ref() == names.get(1)) {
        Some(path) => Error::new_spanned(path, text),
        None => Error::new(item::item_span(item), text),
    }
}

/// Links items of one module that need each other.
fn link_items(items: &[RawItem]) -> TokenStream {
    let paths = paths_of_items(items);
    if paths.is_empty() {
        return define_carriers(items, LinkedItems::empty())
            .unwrap_or_else(|error| error.to_compile_error());
    }
    let is_far = |path: &&Path| source_map::foreign_path(path).is_some();
    let far: Vec<&Path> = paths_with_macros(&paths).filter(is_far).collect();
    if far.is_empty() {
        return link_probed(items);
    }
    let id = items.first().map(|raw| raw.id.clone()).unwrap_or_default();
    let (probe, later) = (chain_probe(&far, &id), link_later("probing", items));
    quote!(#probe #later)
}

/// Links items whose paths to other crates are known to lead to macros.
fn link_probed(items: &[RawItem]) -> TokenStream {
    let id = items.first().map(|raw| raw.id.clone()).unwrap_or_default();
    chain_items(&paths_of_items(items), &format!("{id}_items"), &quote!(items #(#items)*))
}

/// Returns the paths of items that are linked together, except to each other.
fn paths_of_items(items: &[RawItem]) -> Vec<Path> {
    let own: Vec<String> = items
        .iter()
        .filter_map(|raw| Some(syntax::item::item_name(&raw.item)?.to_string()))
        .collect();
    let mut found: Vec<Path> = Vec::new();
    for path in items.iter().flat_map(|raw| device_paths(&raw.item)) {
        let is_own = item::name_in_module(&path).is_some_and(|name| own.contains(&name));
        if !is_own && !found.iter().any(|known| path_key(known) == path_key(&path)) {
            found.push(path);
        }
    }
    found
}

/// Checks `items` with their `linked` dependencies, and defines their macros.
fn define_carriers(items: &[RawItem], mut linked: LinkedItems) -> syn::Result<TokenStream> {
    if !linked.is_sound {
        return Ok(erroneous_carriers(items)); // reported where the other item is defined
    }
    if let Err(error) = linked.add_bundle(items) {
        let (error, carriers) = (error.to_compile_error(), erroneous_carriers(items));
        return Ok(quote!(#error #carriers));
    }
    let checked = if items.iter().any(|raw| has_code(&raw.item)) {
        let (set, own) = linked.device_set_of_last(items.len())?;
        pipeline::check_devices(&set, own)
    } else {
        Ok(Vec::new())
    };
    Ok(match checked {
        Ok(witnesses) => {
            let carriers: TokenStream = items
                .iter()
                .map(|RawItem { id, item }| {
                    carrier::define_carrier(item, id, &linked.closure_tokens(id))
                })
                .collect();
            if witnesses.is_empty() {
                return Ok(carriers);
            }
            let witnesses = witnesses.iter().map(silence_witness);
            quote!(#carriers const _: () = { #(#witnesses)* };)
        }
        Err(rejected) => {
            let errors = match items {
                [RawItem { item: Item::Fn(function), .. }] => {
                    report::report_rejected_function(rejected, function)
                }
                _ => report::report_rejected(rejected),
            };
            let carriers = erroneous_carriers(items);
            quote!(#errors #carriers)
        }
    })
}

/// Returns the macros of items with errors.
fn erroneous_carriers(items: &[RawItem]) -> TokenStream {
    let carriers = items.iter().map(|RawItem { id, item }| {
        carrier::define_carrier(item, id, &linked_items::erroneous_closure(id))
    });
    carriers.collect()
}

/// Returns true if an item has code to check: constants and type aliases do only if they contain
/// blocks.
fn has_code(item: &Item) -> bool {
    let has_block = |tokens: TokenStream| {
        any_token(
            tokens,
            &|token| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace),
        )
    };
    !matches!(item, Item::Const(_) | Item::Type(_)) || has_block(item.to_token_stream())
}

/// Returns the errors for paths that lead to something other than device items, as far as the
/// source files show.
pub(crate) fn reject_host_items(paths: &[Path]) -> Option<Error> {
    let mut errors = None;
    for (path, text) in host_items(paths) {
        combine_errors(&mut errors, Error::new_spanned(path, text));
    }
    errors
}

/// Returns the errors for the paths of an item. Methods with types that launch kernels are the
/// host's, and may stand in another `impl`.
fn reject_host_items_of(item: &Item, paths: &[Path]) -> Option<Error> {
    let help = match item {
        Item::Impl(item) => pipeline::host_method_help(item),
        _ => None,
    };
    let mut errors = None;
    for (path, mut text) in host_items(paths) {
        if path.get_ident().is_some_and(|name| host_type_message(name).is_some())
            && let Some(help) = &help
        {
            text = format!("{text}\n= help: {help}");
        }
        combine_errors(&mut errors, Error::new_spanned(path, text));
    }
    errors
}

/// Returns the `paths` that lead to something other than device items, with the messages.
pub(crate) fn host_items(paths: &[Path]) -> Vec<(&Path, String)> {
    let message = |path: &Path| {
        // A plain name first in its own module, then a path through the files, then a launch of a
        // kernel: the first match gives the most specific message.
        path.get_ident()
            .and_then(host_name_error)
            .or_else(|| host_item_elsewhere_error(path))
            .or_else(|| kernel_launch_error(path))
    };
    paths.iter().filter_map(|path| Some((path, message(path)?))).collect()
}

/// Returns items that make rustc report the names among `paths` that are nowhere: a plain name that
/// its file neither declares nor imports, and a crate that is no dependency; those of private
/// items; and device items in modules that do not import `#[device]`. Without them, rustc would
/// report a macro, or an import that nobody wrote, before anything else.
pub(crate) fn report_unknown_names(paths: &[Path]) -> Option<TokenStream> {
    let mut errors = None;
    for path in paths {
        let Some(first) = path.segments.first().map(|first| &first.ident) else { continue };
        if is_unknown_name(path) {
            let text = format!(
                "cannot find `{first}` in this file\n= help: declare it with `#[device]`, or import it by name"
            );
            combine_errors(&mut errors, Error::new_spanned(first, text));
        } else if source_map::is_private(path) {
            let text = format!("`{}` is private\n= help: make it `pub`", path_key(path));
            combine_errors(&mut errors, Error::new_spanned(path, text));
        } else if source_map::lacks_attribute(path) {
            let text = format!(
                "the module of `{}` does not know `#[device]`\n= help: import it there: `use \
                 warpwise::prelude::*;`",
                path_key(path)
            );
            combine_errors(&mut errors, Error::new_spanned(path, text));
        }
    }
    errors.map(|errors| report::report_rejected(Rejected { errors, rustc_reports: true }))
}

/// Returns true for a plain name that its file neither declares nor imports, and for a path into a
/// crate that is no dependency.
fn is_unknown_name(path: &Path) -> bool {
    let Some(first) = path.segments.first().map(|first| &first.ident) else { return false };
    source_map::is_nowhere(first)
        && (path.segments.len() == 1
            || source_map::foreign_path(path).is_some()
                && !Build::may_be_dependency(&first.to_string()))
}

/// Returns the error for constants that are nowhere in the block size of a kernel, which rustc does
/// not see.
pub(crate) fn reject_unknown_block_size(item: &ItemFn, options: &Options) -> Option<Error> {
    let params = item.sig.generics.const_params().map(|param| param.ident.to_string());
    let params: Vec<String> = params.collect();
    let mut errors = None;
    for expr in options.block.iter().flatten() {
        let Expr::Path(ExprPath { qself: None, path, .. }) = expr else { continue };
        let Some(name) = path.get_ident() else { continue };
        if params.iter().any(|param| name == param) || !is_unknown_name(path) {
            continue;
        }
        let similar = source_map::similar_name(name);
        let help = match params.first().or(similar.as_ref()) {
            Some(known) => {
                format!("write `block = {known}`, or declare `{name}` as a `#[device] const`")
            }
            None => format!("declare `{name}` as a `#[device] const`, or import it by name"),
        };
        let text = format!("there is no constant `{name}`\n= help: {help}");
        combine_errors(&mut errors, Error::new_spanned(name, text));
    }
    errors
}

/// Returns the error for the path `kernel::launch`: kernel code launches no kernels.
fn kernel_launch_error(path: &Path) -> Option<String> {
    let [kernel, launch] = path.segments.iter().collect::<Vec<_>>()[..] else { return None };
    let is_kernel = launch.ident == "launch" && source_map::file_declares_kernel(&kernel.ident);
    is_kernel.then(|| {
        linked_items::kernel_use_message(&kernel.ident, "cannot be launched by kernel code")
    })
}

/// Returns the error for a path to a host item in another module.
fn host_item_elsewhere_error(path: &Path) -> Option<String> {
    let ItemElsewhere { name, item, file } = source_map::far_item(path)?;
    let file = file.map(|file| format!("{}, ", file.display())).unwrap_or_default();
    Some(mistakes::host_item_message(&name, item, &file))
}

/// Returns the error for a plain name that leads to a host item or an unsupported std item.
fn host_name_error(name: &Ident) -> Option<String> {
    // rustc reports a macro that is called as a function.
    if syntax::item::is_std_macro(name) && source_map::may_be_function(name) {
        return Some(format!(
            "`{name}` is no device function: those cannot have the name of a macro of std"
        ));
    }
    if let Some(path) = source_map::imported_std_path(name) {
        return StdItem::from_path(&path).is_none().then(|| unsupported_std_message(&path));
    }
    let text = name.to_string();
    if let Some(item) = source_map::host_item_at(name) {
        return Some(mistakes::host_item_message(&text, item, ""));
    }
    if let Some((makes, line)) = source_map::making_macro(name) {
        return Some(format!(
            "`{text}` is made by the macro `{makes}!`, and is not `#[device]`: kernel code cannot use \
             it\n= help: put `#[device]` above the item in `macro_rules! {makes}` (line {line})"
        ));
    }
    host_type_message(name)
}

/// Returns the message for a type of Warpwise with which hosts launch kernels.
fn host_type_message(name: &Ident) -> Option<String> {
    let help = match name.to_string().as_str() {
        "Device" => {
            "allocate before the launch, and pass buffers to the kernel: `&[T]`, `&mut [T]`"
        }
        "Stream" | "Graph" => "kernel code launches and copies nothing: do so on the host",
        "LaunchConfig" => {
            "pass numbers; the kernel's own launch is in `block_dim_x()`, `grid_dim_x()` and the like"
        }
        _ => return None,
    };
    let is_ours = source_map::is_imported_from_warpwise(name)
        || source_map::is_nowhere(name) && source_map::has_prelude(name);
    is_ours.then(|| format!("`{name}` is the host's: kernel code cannot use it\n= help: {help}"))
}

/// Returns the message for an unsupported std item.
fn unsupported_std_message(path: &str) -> String {
    let help = match path.rsplit("::").next().unwrap_or(path) {
        "Saturating" => "\n= help: use the integer itself, and its `saturating_add` and the like",
        "Mutex" | "RwLock" | "RefCell" | "Cell" | "OnceLock" | "LazyLock" | "UnsafeCell" => {
            "\n= help: what threads share are atomics, `&[AtomicF32]`, and parts of `&mut [T]` that one \
             thread writes; a block also has `shared!`"
        }
        _ if path.contains("::collections::") => {
            "\n= help: a kernel cannot allocate: use an array, `[value; N]`, or pass a buffer as `&[T]` or \
             `&mut [T]`"
        }
        "Duration" | "Instant" | "SystemTime" => {
            "\n= help: pass a number, such as the `f32` that `duration.as_secs_f32()` returns on the host"
        }
        "MaybeUninit" => {
            "\n= help: write `shared!([f32; 256])`, which begins with any values, or `[0.0; 16]` for an array \
             of one thread"
        }
        name if name.starts_with("NonZero") => "\n= help: use the integer itself",
        _ => "",
    };
    format!("kernel code does not know `{path}`{help}")
}

fn reject_arguments(args: &TokenStream) -> Option<Error> {
    (!args.is_empty()).then(|| Error::new_spanned(args, "`#[device]` takes no arguments"))
}

fn reject_self_call(item: &Item, paths: &[Path]) -> Option<Error> {
    let Item::Fn(function) = item else { return None };
    let name = function.sig.ident.to_string();
    let path = paths.iter().find(|path| item::name_in_module(path).as_ref() == Some(&name))?;
    let text = format!("`{name}` calls itself; kernel code cannot recurse: use a loop");
    Some(Error::new_spanned(path, text))
}

/// Returns true if `tokens` contain a `$` other than that of `$crate`.
fn has_dollar(tokens: TokenStream) -> bool {
    any_token(tokens, &|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '$'))
}

/// Returns true if `is_meant` holds for one of the tokens, at any depth.
fn any_token(tokens: TokenStream, is_meant: &impl Fn(&TokenTree) -> bool) -> bool {
    tokens.into_iter().any(|token| {
        is_meant(&token)
            || matches!(token, TokenTree::Group(group) if any_token(group.stream(), is_meant))
    })
}
