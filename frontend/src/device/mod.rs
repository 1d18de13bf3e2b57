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
//! **Depth.** A chain nests one expansion per macro, and rustc allows 128 by default: [`chain`]
//! cuts long ones. The nesting of items does not matter.
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
        self, combine,
        lint_attr::{LintAttribute, LintLevel, lint_attribute},
        strip::strip,
    },
    device::{
        carrier::chain,
        companions::{Known, Registry, Task},
        linked_items::{Closure, Link, Linked, Raw, State, in_braces},
    },
    output::{
        attributes::{self, is_rust_analyzer},
        embed::{self, witness},
        layout_derive, report,
    },
    pipeline,
    resolve::{
        imports,
        paths::{kernel_paths, key, paths},
        reserved_names::refuse_name,
        source_map::{self, FarItem, HostItem},
        std_paths::StdName,
    },
    syntax::{
        self,
        limits::refuse_deep,
        parse,
        tokens::{TOO_LONG, Tokens},
        ungroup::ungrouped,
    },
};
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};
use syn::{Attribute, Error, Item, ItemMod, Path};

/// Every `#[device]` item of this run of the compiler that may be in a bundle.
static REGISTRY: Mutex<Registry> = Mutex::new(Registry::new());

/// Expands `#[device] item`.
pub(crate) fn device(args: TokenStream, tokens: TokenStream) -> TokenStream {
    let item = match parse(tokens.clone()) {
        Ok(item) => item,
        Err(error) => {
            let is_too_long = error.to_string() == TOO_LONG;
            let error = error.to_compile_error();
            // rustc's stack would overflow on the item itself.
            return if is_too_long { error } else { quote!(#tokens #error) };
        }
    };
    if let Some(later) = after_cfgs(&args, &item) {
        return later;
    }
    if let Item::Mod(module) = item {
        return cover(module, refuse_args(&args));
    }
    let item = imports::written_out(item);
    let mut errors = refuse_args(&args);
    let stripped = strip(tokens, &mut errors);
    let repr = layout_derive::repr(&item).unwrap_or_else(|error| {
        combine(&mut errors, error);
        None
    });
    let plain = errors.is_none().then(|| layout_derive::implementation(&item));
    let emitted = quote!(#repr #stripped #plain);
    if is_rust_analyzer() {
        return emitted;
    }
    let paths = paths(&item);
    let refusals = [refuse(&paths), refuse_name(&item), refuse_recursion(&item, &paths)];
    refusals.into_iter().flatten().for_each(|error| combine(&mut errors, error));
    let rest = carried(&item, &paths, errors.is_none());
    let errors = errors.map(|errors| errors.to_compile_error());
    let quiet = matches!(item, Item::Fn(_) | Item::Impl(_)).then(attributes::quiet);
    quote!(#quiet #emitted #errors #rest)
}

/// Returns the macros through which `item`, with dependencies at `paths`, reaches its users.
fn carried(item: &Item, paths: &[Path], sound: bool) -> TokenStream {
    let id = carrier::unique(item, item::span(item));
    let needs: Vec<String> = paths.iter().filter_map(item::here).collect();
    let here = Span::call_site();
    let kind = item::kind(item).expect("other items were refused");
    let (scope, expansion) = (source_map::scope(here), source_map::expansion(here));
    let known = Known { scope, expansion, id: id.clone(), kind, needs, sound };
    if !sound {
        registry(|registry| registry.register(known));
        let std = syntax::item::name(item).is_some_and(syntax::item::is_std_macro);
        return if std {
            TokenStream::new()
        } else {
            carrier::carrier(item, &id, &linked_items::wrong(&id))
        };
    }
    let raw = Raw { id, item: item.clone() };
    match item {
        // It needs nothing from its module, so it is in no bundle.
        Item::Fn(_) | Item::Const(_) | Item::Type(_) if known.needs.is_empty() => {
            link_items(&[raw])
        }
        // A macro inside of the item would turn into text of the carrier macro; lowering reports
        // the error.
        _ if has_dollar(item.to_token_stream()) => link_items(&[raw]),
        _ => {
            registry(|registry| registry.register(known));
            carrier::raw(&raw)
        }
    }
}

fn registry<T>(f: impl FnOnce(&mut Registry) -> T) -> T {
    f(&mut REGISTRY.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Parses the item after `#[device]`, if it is of an accepted kind.
fn parse(tokens: TokenStream) -> syn::Result<Item> {
    let item = parse::item(&Tokens::of(&tokens)?, tokens)?;
    if let Some(error) = refuse_deep(&item) {
        return Err(error);
    }
    let mut item = ungrouped(item);
    if let Item::Fn(item) = &item
        && let Some(receiver) = item.sig.receiver()
    {
        let text = "`#[device]` is for the whole `impl` or `trait`, and covers its functions";
        return Err(Error::new_spanned(receiver, text));
    }
    if let Item::Mod(ItemMod { content: None, .. }) = &item {
        let text = "`#[device]` is for modules that are written out: put `#[device]` on the items \
                    in the other file";
        return Err(Error::new_spanned(&item, text));
    }
    match syntax::item::attributes(&mut item) {
        Some(_) => Ok(item),
        None => {
            let text = format!("`#[device]` is for {}", item::KINDS);
            Err(Error::new_spanned(item, text))
        }
    }
}

/// Moves `#[device]` after the last `cfg` and `cfg_attr`, so that rustc evaluates those before the
/// item is registered; `None` if there are none.
fn after_cfgs(args: &TokenStream, item: &Item) -> Option<TokenStream> {
    let mut item = item.clone();
    let attributes = syntax::item::attributes(&mut item)?;
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
fn cover(mut module: ItemMod, mut errors: Option<Error>) -> TokenStream {
    let levels = take_levels(&mut module.attrs, &mut errors);
    for item in module.content.iter_mut().flat_map(|(_, items)| items) {
        let span = item::span(item);
        if has_levels(item)
            && let Some(attributes) = syntax::item::attributes(item)
        {
            attributes.splice(0..0, levels.iter().cloned());
        }
        if is_covered(item)
            && let Some(attributes) = syntax::item::attributes(item)
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
        match lint_attribute(&attribute) {
            Ok(LintAttribute { is_ours: false, .. }) => attributes.push(attribute),
            Ok(LintAttribute { levels: ours, rest, .. }) => {
                levels.extend(ours.iter().map(LintLevel::attribute));
                attributes.extend(rest);
            }
            Err(error) => combine(errors, error),
        }
    }
    levels
}

/// Returns true if the levels of a module apply to the item: it contains kernel code.
fn has_levels(item: &mut Item) -> bool {
    let is_ours = |attribute: &Attribute| {
        let last = attribute.path().segments.last();
        last.is_some_and(|last| last.ident == "kernel" || last.ident == "device")
    };
    let has_code = matches!(item, Item::Fn(_) | Item::Impl(_) | Item::Trait(_) | Item::Mod(_));
    let stands_for_itself =
        syntax::item::attributes(item).is_some_and(|all| all.iter().any(is_ours));
    has_code && (stands_for_itself || is_covered(item))
}

/// Returns false for items of a `#[device]` module that are not device code: kernels, tests, and
/// items with a `#[device]` of their own.
fn is_covered(item: &mut Item) -> bool {
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
    !unnamed && syntax::item::attributes(item).is_some_and(|all| !all.iter().any(stands_apart))
}

/// Returns the paths that lead to items with macros: not to std.
fn with_macros(paths: &[Path]) -> impl Iterator<Item = &Path> {
    paths.iter().filter(|path| StdName::imported(path).is_none())
}

/// Links the items at `paths` to `state`, a kernel.
pub(crate) fn resolve_kernel(paths: &[Path], id: &str, state: &TokenStream) -> TokenStream {
    carrier::chain_within_block(&with_macros(paths).collect::<Vec<_>>(), id, state)
}

/// Returns a chain that reports the paths in `far`, to other crates, that lead to items without
/// macros.
fn probe(far: &[&Path], id: &str) -> TokenStream {
    let state = quote!(probe #id #({ #far })*);
    let chain = carrier::chain_within_block(far, &format!("{id}_probe"), &state);
    quote!(const _: () = { #chain };)
}

/// Passes `items` to [`link`] after rustc has expanded everything else: only then are imports
/// resolved.
fn later(stage: &str, items: &[Raw]) -> TokenStream {
    let id = items.first().map(|raw| raw.id.as_str()).unwrap_or_default();
    let (name, stage) = (format_ident!("__warpwise_{stage}_{id}"), format_ident!("{stage}"));
    quote!(
        #[allow(unused_imports, reason = "it is a macro's other name")]
        use ::warpwise::__private::link as #name;
        #name! { {} {} { #stage #(#items)* } }
    )
}

/// Applies `work` to the ids of items that use an item of another crate without `#[device]`.
fn lacking<T>(work: impl FnOnce(&mut BTreeSet<String>) -> T) -> T {
    static IDS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    work(&mut IDS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Links the items at `paths` to `state`.
fn resolve(paths: &[Path], id: &str, state: &TokenStream) -> TokenStream {
    let steps: Vec<TokenStream> = with_macros(paths).map(ToTokens::to_token_stream).collect();
    chain(&steps, id, state)
}

/// Expands the end of a chain.
pub(crate) fn link(tokens: TokenStream) -> TokenStream {
    try_link(tokens).unwrap_or_else(|error| error.to_compile_error())
}

fn try_link(tokens: TokenStream) -> syn::Result<TokenStream> {
    let Link { got, state } = Link::of(tokens)?;
    Ok(match state {
        State::Part(name) => carrier::local(&name, &got),
        State::Wait(raw) => carrier::wait_again(&raw),
        State::Gather(raw) => gather(raw),
        State::Bundle(first) => {
            let others = in_braces::<Raw>(&got)?;
            let here = item::span(&first.item);
            let others = others.into_iter().map(|raw| raw.written_at(here));
            link_items(&std::iter::once(first).chain(others).collect::<Vec<_>>())
        }
        State::Probe(id, paths) => {
            if let Err(error) = Linked::new(&paths, Closure::all(got)?) {
                lacking(|ids| ids.insert(id));
                return Err(error);
            }
            TokenStream::new()
        }
        State::Probing(items) => later("probed", &items),
        State::Probed(items) => {
            let is_lacking = items.first().is_some_and(|raw| lacking(|ids| ids.contains(&raw.id)));
            if is_lacking { wrong_carriers(&items) } else { link_probed(&items) }
        }
        State::Items(items) => match Linked::new(&all_paths(&items), Closure::all(got)?) {
            Ok(linked) => define(&items, linked)?,
            Err(error) => {
                let (error, carriers) = (error.to_compile_error(), wrong_carriers(&items));
                quote!(#error #carriers)
            }
        },
        State::Kernel { args, item } => {
            let (options, errors) = attr::parse(args);
            let linked = Linked::new(&kernel_paths(&item, &options), Closure::all(got)?)?;
            if !linked.sound {
                return Ok(TokenStream::new()); // reported where the device item is defined
            }
            embed::kernel(&item, None, &options, errors.is_none(), &linked.for_kernel()?)
        }
    })
}

/// Continues with an item after all others are registered.
fn gather(raw: Raw) -> TokenStream {
    let Raw { id, item } = &raw;
    let wrong = |error: Option<Error>| {
        let errors = error.map(|error| error.to_compile_error());
        let carrier = carrier::carrier(item, id, &linked_items::wrong(id));
        quote!(#errors #carrier)
    };
    match registry(|registry| registry.task(id)) {
        Task::Lead(ids) if ids.len() == 1 => link_items(&[raw]),
        Task::Lead(ids) => {
            let others = ids[1..].iter().map(|id| carrier::raw_name(id).into_token_stream());
            chain(&others.collect::<Vec<_>>(), id, &quote!(bundle #raw))
        }
        Task::Follow => TokenStream::new(),
        Task::Wrong => wrong(None),
        Task::Recursion(names) => wrong(Some(recursion(item, &names))),
        Task::Stray => wrong(Some(Error::new(
            item::span(item),
            "an `impl` block with `#[device]` stands in the module of its type or of its trait, \
             and that is `#[device]`, too",
        ))),
        Task::Late => wrong(Some(Error::new(
            item::span(item),
            "what this belongs to was expanded before this was: define both with the same macro, \
             or this one without",
        ))),
    }
}

fn recursion(item: &Item, names: &[String]) -> Error {
    let calls: String = names[1..].iter().map(|next| format!(" calls `{next}`, which")).collect();
    let name = &names[0];
    let text = format!("`{name}`{calls} calls `{name}`; kernel code cannot recurse: use a loop");
    let paths = paths(item);
    match paths.iter().find(|path| item::here(path).as_ref() == names.get(1)) {
        Some(path) => Error::new_spanned(path, text),
        None => Error::new(item::span(item), text),
    }
}

/// Links items of one module that need each other.
fn link_items(items: &[Raw]) -> TokenStream {
    let paths = all_paths(items);
    if paths.is_empty() {
        return define(items, Linked::empty()).unwrap_or_else(|error| error.to_compile_error());
    }
    let is_far = |path: &&Path| source_map::in_other_crate(path).is_some();
    let far: Vec<&Path> = with_macros(&paths).filter(is_far).collect();
    if far.is_empty() {
        return link_probed(items);
    }
    let id = items.first().map(|raw| raw.id.clone()).unwrap_or_default();
    let (probe, later) = (probe(&far, &id), later("probing", items));
    quote!(#probe #later)
}

/// Links items whose paths to other crates are known to lead to macros.
fn link_probed(items: &[Raw]) -> TokenStream {
    let id = items.first().map(|raw| raw.id.clone()).unwrap_or_default();
    resolve(&all_paths(items), &format!("{id}_items"), &quote!(items #(#items)*))
}

/// Returns the paths of items that are linked together, except to each other.
fn all_paths(items: &[Raw]) -> Vec<Path> {
    let own: Vec<String> =
        items.iter().filter_map(|raw| Some(syntax::item::name(&raw.item)?.to_string())).collect();
    let mut found: Vec<Path> = Vec::new();
    for path in items.iter().flat_map(|raw| paths(&raw.item)) {
        let is_own = item::here(&path).is_some_and(|name| own.contains(&name));
        if !is_own && !found.iter().any(|known| key(known) == key(&path)) {
            found.push(path);
        }
    }
    found
}

/// Checks `items` with their `linked` dependencies, and defines their macros.
fn define(items: &[Raw], mut linked: Linked) -> syn::Result<TokenStream> {
    if !linked.sound {
        return Ok(wrong_carriers(items)); // reported where the other item is defined
    }
    if let Err(error) = linked.add(items) {
        let (error, carriers) = (error.to_compile_error(), wrong_carriers(items));
        return Ok(quote!(#error #carriers));
    }
    let checked = if items.iter().any(|raw| has_code(&raw.item)) {
        let (set, own) = linked.for_last(items.len())?;
        pipeline::check_devices(&set, own)
    } else {
        Ok(Vec::new())
    };
    Ok(match checked {
        Ok(witnesses) => {
            let carriers: TokenStream = items
                .iter()
                .map(|Raw { id, item }| carrier::carrier(item, id, &linked.closure(id)))
                .collect();
            if witnesses.is_empty() {
                return Ok(carriers);
            }
            let witnesses = witnesses.iter().map(witness);
            quote!(#carriers const _: () = { #(#witnesses)* };)
        }
        Err(rejected) => {
            let (errors, carriers) = (report::rejected(rejected), wrong_carriers(items));
            quote!(#errors #carriers)
        }
    })
}

/// Returns the macros of items with errors.
fn wrong_carriers(items: &[Raw]) -> TokenStream {
    let carriers =
        items.iter().map(|Raw { id, item }| carrier::carrier(item, id, &linked_items::wrong(id)));
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
pub(crate) fn refuse(paths: &[Path]) -> Option<Error> {
    let mut errors = None;
    for path in paths {
        let text = path
            .get_ident()
            .and_then(not_device)
            .or_else(|| not_device_there(path))
            .or_else(|| launched(path));
        if let Some(text) = text {
            combine(&mut errors, Error::new_spanned(path, text));
        }
    }
    errors
}

/// Returns the error for the path `kernel::launch`: kernel code launches no kernels.
fn launched(path: &Path) -> Option<String> {
    let [kernel, launch] = path.segments.iter().collect::<Vec<_>>()[..] else { return None };
    let is_kernel = launch.ident == "launch" && source_map::is_kernel(&kernel.ident);
    is_kernel.then(|| linked_items::is_kernel(&kernel.ident, "cannot be launched by kernel code"))
}

/// Returns the error for a path to a host item in another module.
fn not_device_there(path: &Path) -> Option<String> {
    let FarItem { name, item, file } = source_map::far_item(path)?;
    let file = file.map(|file| format!("{}, ", file.display())).unwrap_or_default();
    Some(no_device(&name, item, &file))
}

/// Returns the error for a plain name that leads to a host item or an unsupported std item.
fn not_device(name: &Ident) -> Option<String> {
    if syntax::item::is_std_macro(name) {
        return Some(format!(
            "`{name}` is no device function: those cannot have the name of a macro of std"
        ));
    }
    if let Some(path) = source_map::imported(name) {
        return StdName::at(&path).is_none().then(|| not_of_std(&path));
    }
    Some(no_device(&name.to_string(), source_map::host_item(name)?, ""))
}

/// Returns the message for a host item, which is in this file.
fn no_device(name: &str, HostItem { keyword, line }: HostItem, file: &str) -> String {
    let what = format!("`{name}` is not `#[device]`: kernel code cannot use it");
    let help = match keyword {
        "const" => format!(
            "put `#[device]` above it ({file}line {line}), or name it in `#[kernel(open({name}))]`"
        ),
        "static" => {
            format!("make it a `#[device] const` ({file}line {line}), or pass it to the kernel")
        }
        "union" => {
            format!(
                "make it a struct with `#[device]` ({file}line {line}); kernel code knows no unions"
            )
        }
        _ => format!("put `#[device]` above `{keyword} {name}` ({file}line {line})"),
    };
    format!("{what}\n= help: {help}")
}

/// Returns the message for an unsupported std item.
fn not_of_std(path: &str) -> String {
    let help = match path.rsplit("::").next().unwrap_or(path) {
        "Saturating" => "\n= help: use the integer itself, and its `saturating_add` and the like",
        name if name.starts_with("NonZero") => "\n= help: use the integer itself",
        _ => "",
    };
    format!("kernel code does not know `{path}`{help}")
}

fn refuse_args(args: &TokenStream) -> Option<Error> {
    (!args.is_empty()).then(|| Error::new_spanned(args, "`#[device]` takes no arguments"))
}

fn refuse_recursion(item: &Item, paths: &[Path]) -> Option<Error> {
    let Item::Fn(function) = item else { return None };
    let name = function.sig.ident.to_string();
    let path = paths.iter().find(|path| item::here(path).as_ref() == Some(&name))?;
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
