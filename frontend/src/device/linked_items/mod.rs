//! The tokens that carrier macros bring to [`link`](crate::device::link), and the device set that
//! they make up. [`device`](mod@crate::device) describes the format.
#[cfg(test)]
mod tests;

use crate::{
    attr::combine_errors,
    device::{carrier, item},
    resolve::{
        device_set::{DeviceItem, DeviceSet},
        imports,
        paths::{device_paths, path_key},
        std_paths::StdItem,
    },
    syntax::{self, ungroup::without_invisible_groups},
};
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};
use syn::{
    Attribute, Error, Item, ItemFn, Lit, LitStr, Path,
    ext::IdentExt,
    parse::{Parse, ParseStream},
    visit_mut::VisitMut,
};

/// The end of a chain: `{} { GOT } { STATE }`.
pub(crate) struct ChainEnd {
    /// The tokens that the macros carry, in their order.
    pub(crate) collected: TokenStream,
    /// The purpose of the chain.
    pub(crate) state: ChainState,
}

/// The purpose of a chain.
pub(crate) enum ChainState {
    /// `part NAME`: collect the tokens in a macro of this name.
    Part(Ident),
    /// `wait RAW`: an item that waits for others to be registered.
    Wait(RawItem),
    /// `gather RAW`: an item that waited until all others were registered.
    Gather(RawItem),
    /// `bundle RAW`: the leader of a bundle; the chain brings the other items.
    Bundle(RawItem),
    /// `probe "id" { PATH }*`: check that these paths lead to `#[device]` items, for the item with
    /// this id.
    Probe(String, Vec<Path>),
    /// `probing { RAW }*`: items that wait for such a probe.
    Probing(Vec<RawItem>),
    /// `probed { RAW }*`: items that have waited for it.
    Probed(Vec<RawItem>),
    /// `items { RAW }*`: items with their dependencies.
    Items(Vec<RawItem>),
    /// `kernel { ARGS } { ITEM }`
    Kernel {
        /// The arguments of `#[kernel(..)]`.
        args: TokenStream,
        /// The kernel as written.
        item: Box<ItemFn>,
    },
}

/// An item as written: `"id" { ITEM }`.
pub(crate) struct RawItem {
    /// The unique id.
    pub(crate) id: String,
    /// The item.
    pub(crate) item: Item,
}

/// Maximum length of a chain of items that need each other. Inlined calls cannot nest deeper, and
/// each item carries all items that it reaches: without a limit, the tokens of long chains grow
/// with the square of their length.
pub(crate) const MAX_NESTED_ITEMS: usize = 192;

/// The content of one carrier macro.
pub(crate) enum Closure {
    /// `"version" DEPTH ENTRY*`: an item and its transitive dependencies.
    Entries {
        /// The length of the longest chain of items from the first one on.
        depth: usize,
        /// The entries, the item first.
        entries: Vec<ClosureEntry>,
    },
    /// `kernel`: the item is a kernel.
    Kernel,
    /// `absent`: the item of another crate has no macro.
    Absent,
}

/// A carried item: `{ "id" alone|sound|wrong { TARGET* } { ITEM } }`.
///
/// An item travels along with each item that needs it, so entries are parsed only on demand.
pub(crate) struct ClosureEntry {
    id: String,
    soundness: Soundness,
    content: EntryContent,
    /// The whole entry in its braces, to be carried on.
    tokens: TokenTree,
}

/// The soundness of an item, and its independence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Soundness {
    /// Without errors, and relevant only to items that refer to it: a function, a constant or a
    /// type alias.
    Alone,
    /// Without errors, and accompanied by others: a type with its `impl`s.
    Sound,
    /// With errors.
    Wrong,
}

/// The content of an entry.
enum EntryContent {
    /// Tokens as they arrived.
    Carried { targets: TokenStream, item: TokenStream },
    /// A parsed item of this crate.
    Local { targets: Vec<PathTarget>, item: Box<Item> },
}

/// The target of a path: `"key" "id"`.
#[derive(Clone)]
struct PathTarget {
    key: String,
    id: String,
}

impl ChainEnd {
    /// Parses the end of a chain.
    ///
    /// # Errors
    /// If the tokens are not from a carrier macro.
    pub(crate) fn parse(tokens: TokenStream) -> syn::Result<Self> {
        // Not by syn, which would scan all tokens at once.
        let mut tokens = tokens.into_iter();
        let _no_steps_left = next_in_braces(&mut tokens)?;
        let collected = next_in_braces(&mut tokens)?;
        Ok(Self { collected, state: syn::parse2(next_in_braces(&mut tokens)?)? })
    }
}

impl Parse for ChainState {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        match Ident::parse_any(input)?.to_string().as_str() {
            "part" => input.parse().map(Self::Part),
            "wait" => syn::parse2(parse_braced(input)?).map(Self::Wait),
            "gather" => syn::parse2(parse_braced(input)?).map(Self::Gather),
            "bundle" => syn::parse2(parse_braced(input)?).map(Self::Bundle),
            "probe" => {
                let id = input.parse::<LitStr>()?.value();
                Ok(Self::Probe(id, parse_groups(&input.parse()?)?))
            }
            "probing" => parse_groups(&input.parse()?).map(Self::Probing),
            "probed" => parse_groups(&input.parse()?).map(Self::Probed),
            "items" => parse_groups(&input.parse()?).map(Self::Items),
            "kernel" => {
                let args = parse_braced(input)?;
                let item: ItemFn = syn::parse2(parse_braced(input)?)?;
                let (item, _) = imports::resolve_kernel_imports(without_invisible_groups(item));
                Ok(Self::Kernel { args, item: Box::new(item) })
            }
            _ => Err(malformed_tokens()),
        }
    }
}

impl Parse for RawItem {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let id = input.parse::<LitStr>()?.value();
        let item: Item = syn::parse2(parse_braced(input)?)?;
        Ok(Self { id, item: without_invisible_groups(item) })
    }
}

impl RawItem {
    /// Returns the item as if its tokens had not passed through a macro, so that messages point to
    /// it; `here` is a span with the right hygiene.
    pub(crate) fn with_hygiene_of(self, here: Span) -> Self {
        let Self { id, item } = self;
        let tokens = replace_hygiene(item.to_token_stream(), here);
        Self { id, item: syn::parse2(tokens).map_or(item, without_invisible_groups) }
    }
}

/// Replaces the macro context of `tokens` by that of `here`; locations stay.
fn replace_hygiene(tokens: TokenStream, here: Span) -> TokenStream {
    let token = |mut token: TokenTree| {
        let span = token.span();
        if let TokenTree::Group(group) = &token {
            let inner = replace_hygiene(group.stream(), here);
            token = TokenTree::Group(Group::new(group.delimiter(), inner));
        }
        token.set_span(span.resolved_at(here));
        token
    };
    tokens.into_iter().map(token).collect()
}

impl ToTokens for RawItem {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { id, item } = self;
        tokens.extend(quote!({ #id { #item } }));
    }
}

impl Closure {
    /// Parses the closures that a chain collected.
    ///
    /// # Errors
    /// If the tokens are not from a carrier macro, or from one of another version.
    pub(crate) fn parse_all(collected: TokenStream) -> syn::Result<Vec<Self>> {
        let mut tokens = collected.into_iter().peekable();
        let mut closures = Vec::new();
        while tokens.peek().is_some() {
            closures.push(Self::parse(next_in_braces(&mut tokens)?)?);
        }
        Ok(closures)
    }

    fn parse(tokens: TokenStream) -> syn::Result<Self> {
        let mut tokens = tokens.into_iter().peekable();
        if let Some(TokenTree::Ident(word)) = tokens.peek() {
            return match word.to_string().as_str() {
                "kernel" => Ok(Self::Kernel),
                "absent" => Ok(Self::Absent),
                _ => Err(malformed_tokens()),
            };
        }
        let (theirs, ours) = (next_string(&mut tokens)?, env!("CARGO_PKG_VERSION"));
        // Versions must be equal, since the format is private to one version.
        if theirs != ours {
            let text = format!(
                "this uses a device item of a crate that uses Warpwise {theirs}, and this crate \
                 uses {ours}"
            );
            return Err(Error::new(Span::call_site(), text));
        }
        let depth = match tokens.next() {
            Some(TokenTree::Literal(depth)) => {
                depth.to_string().parse().map_err(|_| malformed_tokens())?
            }
            _ => return Err(malformed_tokens()),
        };
        Ok(Self::Entries {
            depth,
            entries: tokens.map(ClosureEntry::parse).collect::<syn::Result<_>>()?,
        })
    }

    /// Returns the error for a path that leads to something other than a device item.
    fn not_device_message(&self, path: &Path) -> String {
        let Some(name) = path.segments.last().map(|last| &last.ident) else {
            return String::new();
        };
        match self {
            Self::Kernel => kernel_use_message(name, "cannot be called by kernel code"),
            Self::Entries { .. } | Self::Absent => format!(
                "`{name}` is not `#[device]`: kernel code cannot use it\n= help: it is another crate's: put \
                 `#[device]` above it there, or write a `#[device]` item of your own that does the same"
            ),
        }
    }
}

/// Returns the error for the use of a kernel, which kernel code cannot call or launch.
pub(crate) fn kernel_use_message(name: &Ident, cannot: &str) -> String {
    format!(
        "`{name}` is a kernel: it {cannot}\n= help: move its body into a `#[device]` function that both call"
    )
}

impl ClosureEntry {
    /// Parses the head of an entry; leaves its content.
    fn parse(entry: TokenTree) -> syn::Result<Self> {
        let TokenTree::Group(group) = &entry else { return Err(malformed_tokens()) };
        let mut tokens = group.stream().into_iter();
        let id = next_string(&mut tokens)?;
        let soundness = match tokens.next() {
            Some(TokenTree::Ident(word)) => Soundness::parse(&word)?,
            _ => return Err(malformed_tokens()),
        };
        let (targets, item) = (next_in_braces(&mut tokens)?, next_in_braces(&mut tokens)?);
        Ok(Self { id, soundness, content: EntryContent::Carried { targets, item }, tokens: entry })
    }

    /// Creates an entry from an item and the targets of its paths.
    fn new(id: &str, targets: Vec<PathTarget>, item: Item) -> Self {
        let soundness = match item {
            Item::Fn(_) | Item::Const(_) | Item::Type(_) => Soundness::Alone,
            _ => Soundness::Sound,
        };
        let word = Ident::new(soundness.keyword(), Span::call_site());
        let tokens = quote!(#id #word { #(#targets)* } { #item });
        let tokens = Group::new(Delimiter::Brace, tokens).into();
        Self {
            id: id.to_owned(),
            soundness,
            content: EntryContent::Local { targets, item: Box::new(item) },
            tokens,
        }
    }

    /// Creates an entry for the std item that a path leads to.
    fn std_entry(name: &StdItem, path: &Path) -> syn::Result<Self> {
        let item = name.to_item(path.require_ident()?)?;
        Ok(Self::new(&name.path, Vec::new(), item))
    }

    /// Parses the targets of its paths, and the item.
    fn content(&self) -> syn::Result<(Vec<PathTarget>, Item)> {
        match &self.content {
            EntryContent::Carried { targets, item } => Ok((
                parse_groups(targets)?,
                without_invisible_groups(syn::parse2::<Item>(item.clone())?),
            )),
            EntryContent::Local { targets, item } => Ok((targets.clone(), Item::clone(item))),
        }
    }
}

impl Soundness {
    fn keyword(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Sound => "sound",
            Self::Wrong => "wrong",
        }
    }

    fn parse(word: &Ident) -> syn::Result<Self> {
        let all = [Self::Alone, Self::Sound, Self::Wrong];
        all.into_iter().find(|known| word == known.keyword()).ok_or_else(malformed_tokens)
    }
}

impl Parse for PathTarget {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (key, id): (LitStr, LitStr) = (input.parse()?, input.parse()?);
        Ok(Self { key: key.value(), id: id.value() })
    }
}

impl ToTokens for PathTarget {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { key, id } = self;
        tokens.extend(quote!({ #key #id }));
    }
}

/// Parses tokens in braces.
fn parse_braced(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let content;
    syn::braced!(content in input);
    content.parse()
}

/// Parses `{T}*`.
pub(crate) fn parse_groups<T: Parse>(tokens: &TokenStream) -> syn::Result<Vec<T>> {
    let groups = tokens.clone().into_iter();
    groups
        .map(|token| match token {
            TokenTree::Group(group) => syn::parse2(group.stream()),
            _ => Err(malformed_tokens()),
        })
        .collect()
}

/// Returns the content of the braces that come next in `tokens`.
fn next_in_braces(tokens: &mut impl Iterator<Item = TokenTree>) -> syn::Result<TokenStream> {
    match tokens.next() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            Ok(group.stream())
        }
        _ => Err(malformed_tokens()),
    }
}

/// Returns the text of the string that comes next in `tokens`.
fn next_string(tokens: &mut impl Iterator<Item = TokenTree>) -> syn::Result<String> {
    match tokens.next() {
        Some(TokenTree::Literal(literal)) => match Lit::new(literal) {
            Lit::Str(text) => Ok(text.value()),
            _ => Err(malformed_tokens()),
        },
        _ => Err(malformed_tokens()),
    }
}

/// Returns the error for tokens that are not from a carrier macro.
pub(crate) fn malformed_tokens() -> Error {
    Error::new(Span::call_site(), "these are not the tokens of device items")
}

/// The items that some paths lead to, deduplicated.
pub(crate) struct LinkedItems {
    /// Every needed item, once.
    entries: Vec<ClosureEntry>,
    /// Index in `entries` by id.
    indices: HashMap<String, usize>,
    /// The targets of the paths.
    targets: Vec<PathTarget>,
    /// The length of the longest chain of items that need each other.
    depth: usize,
    /// True if no item has errors.
    pub(crate) is_sound: bool,
}

impl LinkedItems {
    /// Creates an empty set.
    pub(crate) fn empty() -> Self {
        let (entries, indices, targets) = (Vec::new(), HashMap::new(), Vec::new());
        Self { entries, indices, targets, depth: 0, is_sound: true }
    }

    /// Links `paths`; `closures` are their closures in order, except for paths to std items.
    pub(crate) fn new(paths: &[Path], closures: Vec<Closure>) -> syn::Result<Self> {
        let mut linked = Self::empty();
        let mut closures = closures.into_iter();
        let mut errors = None;
        for path in paths {
            let closure = match StdItem::imported(path) {
                Some(name) => Closure::Entries {
                    depth: 0,
                    entries: vec![ClosureEntry::std_entry(&name, path)?],
                },
                None => closures.next().ok_or_else(malformed_tokens)?,
            };
            let (depth, entries) = match closure {
                Closure::Entries { depth, entries } => (depth, entries),
                Closure::Kernel | Closure::Absent => {
                    combine_errors(
                        &mut errors,
                        Error::new_spanned(path, closure.not_device_message(path)),
                    );
                    continue;
                }
            };
            linked.depth = linked.depth.max(depth);
            let id = entries.first().ok_or_else(malformed_tokens)?.id.clone();
            linked.targets.push(PathTarget { key: path_key(path), id });
            for entry in entries {
                linked.is_sound &= entry.soundness != Soundness::Wrong;
                if !linked.indices.contains_key(&entry.id) {
                    linked.push_entry(entry);
                }
            }
        }
        if closures.next().is_some() {
            return Err(malformed_tokens());
        }
        errors.map_or(Ok(linked), Err)
    }

    fn push_entry(&mut self, entry: ClosureEntry) {
        self.indices.insert(entry.id.clone(), self.entries.len());
        self.entries.push(entry);
    }

    /// Adds items of one module that need each other and use the linked ones. Replaces the targets
    /// of the paths by targets per item.
    ///
    /// If the chain of items is too long.
    pub(crate) fn add_bundle(&mut self, items: &[RawItem]) -> syn::Result<()> {
        self.depth += 1;
        if let Some(RawItem { item, .. }) = items.first().filter(|_| self.depth > MAX_NESTED_ITEMS)
        {
            let text = format!(
                "this needs {MAX_NESTED_ITEMS} items in a row, each of which needs the next; kernel code cannot nest \
                 deeper"
            );
            return Err(Error::new(item::item_span(item), text));
        }
        let named =
            |raw: &RawItem| Some((syntax::item::item_name(&raw.item)?.to_string(), raw.id.clone()));
        let own: BTreeMap<String, String> = items.iter().filter_map(named).collect();
        let outer_targets = std::mem::take(&mut self.targets);
        let outer_targets: BTreeMap<&str, &str> =
            outer_targets.iter().map(|target| (target.key.as_str(), target.id.as_str())).collect();
        for RawItem { id, item } in items {
            let target = |path: &Path| {
                let key = path_key(path);
                // Items of the same module shadow linked ones.
                let own = item::name_in_module(path).and_then(|name| own.get(&name));
                let id =
                    own.map(String::as_str).or_else(|| outer_targets.get(key.as_str()).copied())?;
                Some(PathTarget { key, id: id.to_owned() })
            };
            let paths = device_paths(item);
            let targets = paths.iter().map(|path| target(path).ok_or_else(malformed_tokens));
            let targets = targets.collect::<syn::Result<Vec<PathTarget>>>()?;
            let mut item = item.clone();
            DocRemover.visit_item_mut(&mut item);
            self.push_entry(ClosureEntry::new(id, targets, item));
        }
        Ok(())
    }

    /// Returns all linked items, for lowering a kernel.
    pub(crate) fn device_set(&self) -> syn::Result<DeviceSet> {
        let items = self.entries.iter().map(|entry| Ok((entry, entry.content()?)));
        self.to_device_set(items.collect::<syn::Result<Vec<_>>>()?)
    }

    /// Returns the last `count` items with everything that is needed to check them, and their
    /// indices. Of the functions that they call, only the signatures are kept, unless the return
    /// type depends on the body.
    pub(crate) fn device_set_of_last(
        &self,
        count: usize,
    ) -> syn::Result<(DeviceSet, Range<usize>)> {
        let own = self.entries.len().saturating_sub(count)..self.entries.len();
        let mut read: Vec<Option<(Vec<PathTarget>, Item)>> =
            self.entries.iter().map(|_| None).collect();
        let is_needed = |&index: &usize| {
            own.contains(&index) || self.entries[index].soundness != Soundness::Alone
        };
        let mut open: Vec<usize> = (0..self.entries.len()).filter(is_needed).collect();
        while let Some(index) = open.pop() {
            if read[index].is_some() {
                continue;
            }
            let (mut targets, mut item) = self.entries[index].content()?;
            if !own.contains(&index) {
                drop_body(&mut targets, &mut item);
            }
            for target in &targets {
                open.push(*self.indices.get(&target.id).ok_or_else(malformed_tokens)?);
            }
            read[index] = Some((targets, item));
        }
        let items = self.entries.iter().zip(read);
        let set =
            self.to_device_set(items.filter_map(|(entry, read)| Some((entry, read?))).collect())?;
        let first = set.items.len().saturating_sub(count);
        let own = first..set.items.len();
        Ok((set, own))
    }

    /// Returns the device set of `items`, which must be complete.
    fn to_device_set(
        &self,
        items: Vec<(&ClosureEntry, (Vec<PathTarget>, Item))>,
    ) -> syn::Result<DeviceSet> {
        let ids = items.iter().enumerate().map(|(index, (entry, _))| (entry.id.as_str(), index));
        let indices = ids.collect();
        let kernel_paths = target_indices(&self.targets, &indices)?;
        let device = |(entry, (targets, item)): (&ClosureEntry, (Vec<PathTarget>, Item))| {
            let is_foreign = !carrier::is_of_this_crate(&entry.id);
            let std_item = StdItem::from_id(&entry.id);
            Ok(DeviceItem {
                item,
                paths: target_indices(&targets, &indices)?,
                is_foreign,
                std_item,
            })
        };
        let items = items.into_iter().map(device).collect::<syn::Result<_>>()?;
        Ok(DeviceSet { items, kernel_paths })
    }

    /// Returns the closure of the item with this `id`: that item first, then all others.
    pub(crate) fn closure_tokens(&self, id: &str) -> TokenStream {
        let version = Literal::string(env!("CARGO_PKG_VERSION"));
        let (first, others): (Vec<&ClosureEntry>, Vec<&ClosureEntry>) =
            self.entries.iter().partition(|entry| entry.id == id);
        let tokens = first.into_iter().chain(others).map(|entry| entry.tokens.clone());
        let depth = Literal::usize_unsuffixed(self.depth);
        [version.into(), depth.into()].into_iter().chain(tokens).collect()
    }
}

/// Removes the body of a function and the targets that only the body needs, if callers depend only
/// on the signature.
fn drop_body(targets: &mut Vec<PathTarget>, item: &mut Item) {
    let Item::Fn(function) = &mut *item else { return };
    let returned = function.sig.output.to_token_stream().to_string();
    if function.sig.constness.is_some() || returned.contains("impl") {
        return;
    }
    function.block.stmts.clear();
    let of_signature: Vec<String> = device_paths(item).iter().map(path_key).collect();
    targets.retain(|target| of_signature.contains(&target.key));
}

/// Returns the closure of an item with errors: nothing else, since the item may not even be valid
/// inside of a macro.
pub(crate) fn erroneous_closure(id: &str) -> TokenStream {
    let version = env!("CARGO_PKG_VERSION");
    quote!(#version 0 { #id wrong {} { const WRONG: () = (); } })
}

/// Removes documentation, which no kernel needs.
struct DocRemover;

impl VisitMut for DocRemover {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| !attribute.path().is_ident("doc"));
    }
}

/// Converts targets to indices.
fn target_indices(
    targets: &[PathTarget],
    indices: &HashMap<&str, usize>,
) -> syn::Result<BTreeMap<String, usize>> {
    let index = |id: &str| indices.get(id).copied().ok_or_else(malformed_tokens);
    targets.iter().map(|PathTarget { key, id }| Ok((key.clone(), index(id)?))).collect()
}
