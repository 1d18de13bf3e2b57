//! The tokens that carrier macros bring to [`link`](crate::device::link), and the device set that
//! they make up. [`device`](mod@crate::device) describes the format.
#[cfg(test)]
mod tests;

use crate::{
    attr::combine,
    device::{carrier, item},
    resolve::{
        device_set::{DeviceItem, DeviceSet},
        imports,
        paths::{key, paths},
        std_paths::StdName,
    },
    syntax::{self, ungroup::ungrouped},
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
pub(crate) struct Link {
    /// The tokens that the macros carry, in their order.
    pub(crate) got: TokenStream,
    /// The purpose of the chain.
    pub(crate) state: State,
}

/// The purpose of a chain.
pub(crate) enum State {
    /// `part NAME`: collect the tokens in a macro of this name.
    Part(Ident),
    /// `wait RAW`: an item that waits for others to be registered.
    Wait(Raw),
    /// `gather RAW`: an item that waited until all others were registered.
    Gather(Raw),
    /// `bundle RAW`: the leader of a bundle; the chain brings the other items.
    Bundle(Raw),
    /// `probe "id" { PATH }*`: check that these paths lead to `#[device]` items, for the item with
    /// this id.
    Probe(String, Vec<Path>),
    /// `probing { RAW }*`: items that wait for such a probe.
    Probing(Vec<Raw>),
    /// `probed { RAW }*`: items that have waited for it.
    Probed(Vec<Raw>),
    /// `items { RAW }*`: items with their dependencies.
    Items(Vec<Raw>),
    /// `kernel { ARGS } { ITEM }`
    Kernel {
        /// The arguments of `#[kernel(..)]`.
        args: TokenStream,
        /// The kernel as written.
        item: Box<ItemFn>,
    },
}

/// An item as written: `"id" { ITEM }`.
pub(crate) struct Raw {
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
        entries: Vec<Entry>,
    },
    /// `kernel`: the item is a kernel.
    Kernel,
    /// `absent`: the item of another crate has no macro.
    Absent,
}

/// A carried item: `{ "id" alone|sound|wrong { LEAD* } { ITEM } }`.
///
/// An item travels along with each item that needs it, so entries are parsed only on demand.
pub(crate) struct Entry {
    id: String,
    soundness: Soundness,
    content: Content,
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
enum Content {
    /// Tokens as they arrived.
    Carried { leads: TokenStream, item: TokenStream },
    /// A parsed item of this crate.
    Made { leads: Vec<Lead>, item: Box<Item> },
}

/// The target of a path: `"key" "id"`.
#[derive(Clone)]
struct Lead {
    key: String,
    id: String,
}

impl Link {
    /// Parses the end of a chain.
    ///
    /// # Errors
    /// If the tokens are not from a carrier macro.
    pub(crate) fn of(tokens: TokenStream) -> syn::Result<Self> {
        // Not by syn, which would scan all tokens at once.
        let mut tokens = tokens.into_iter();
        let _no_steps_left = next_in_braces(&mut tokens)?;
        let got = next_in_braces(&mut tokens)?;
        Ok(Self { got, state: syn::parse2(next_in_braces(&mut tokens)?)? })
    }
}

impl Parse for State {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        match Ident::parse_any(input)?.to_string().as_str() {
            "part" => input.parse().map(Self::Part),
            "wait" => syn::parse2(braced(input)?).map(Self::Wait),
            "gather" => syn::parse2(braced(input)?).map(Self::Gather),
            "bundle" => syn::parse2(braced(input)?).map(Self::Bundle),
            "probe" => {
                let id = input.parse::<LitStr>()?.value();
                Ok(Self::Probe(id, in_braces(&input.parse()?)?))
            }
            "probing" => in_braces(&input.parse()?).map(Self::Probing),
            "probed" => in_braces(&input.parse()?).map(Self::Probed),
            "items" => in_braces(&input.parse()?).map(Self::Items),
            "kernel" => {
                let args = braced(input)?;
                let item: ItemFn = syn::parse2(braced(input)?)?;
                let (item, _) = imports::written_out_kernel(ungrouped(item));
                Ok(Self::Kernel { args, item: Box::new(item) })
            }
            _ => Err(malformed()),
        }
    }
}

impl Parse for Raw {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let id = input.parse::<LitStr>()?.value();
        let item: Item = syn::parse2(braced(input)?)?;
        Ok(Self { id, item: ungrouped(item) })
    }
}

impl Raw {
    /// Returns the item as if its tokens had not passed through a macro, so that messages point to
    /// it; `here` is a span with the right hygiene.
    pub(crate) fn written_at(self, here: Span) -> Self {
        let Self { id, item } = self;
        let tokens = respanned(item.to_token_stream(), here);
        Self { id, item: syn::parse2(tokens).map_or(item, ungrouped) }
    }
}

/// Replaces the macro context of `tokens` by that of `here`; locations stay.
fn respanned(tokens: TokenStream, here: Span) -> TokenStream {
    let token = |mut token: TokenTree| {
        let span = token.span();
        if let TokenTree::Group(group) = &token {
            let inner = respanned(group.stream(), here);
            token = TokenTree::Group(Group::new(group.delimiter(), inner));
        }
        token.set_span(span.resolved_at(here));
        token
    };
    tokens.into_iter().map(token).collect()
}

impl ToTokens for Raw {
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
    pub(crate) fn all(got: TokenStream) -> syn::Result<Vec<Self>> {
        let mut tokens = got.into_iter().peekable();
        let mut closures = Vec::new();
        while tokens.peek().is_some() {
            closures.push(Self::of(next_in_braces(&mut tokens)?)?);
        }
        Ok(closures)
    }

    fn of(tokens: TokenStream) -> syn::Result<Self> {
        let mut tokens = tokens.into_iter().peekable();
        if let Some(TokenTree::Ident(word)) = tokens.peek() {
            return match word.to_string().as_str() {
                "kernel" => Ok(Self::Kernel),
                "absent" => Ok(Self::Absent),
                _ => Err(malformed()),
            };
        }
        let (theirs, ours) = (next_string(&mut tokens)?, env!("CARGO_PKG_VERSION"));
        if theirs != ours {
            let text = format!(
                "this uses a device item of a crate that uses Warpwise {theirs}, and this crate \
                 uses {ours}"
            );
            return Err(Error::new(Span::call_site(), text));
        }
        let depth = match tokens.next() {
            Some(TokenTree::Literal(depth)) => {
                depth.to_string().parse().map_err(|_| malformed())?
            }
            _ => return Err(malformed()),
        };
        Ok(Self::Entries { depth, entries: tokens.map(Entry::of).collect::<syn::Result<_>>()? })
    }

    /// Returns the error for a path that leads to something other than a device item.
    fn refusal(&self, path: &Path) -> String {
        let Some(name) = path.segments.last().map(|last| &last.ident) else {
            return String::new();
        };
        match self {
            Self::Kernel => is_kernel(name, "cannot be called by kernel code"),
            Self::Entries { .. } | Self::Absent => format!(
                "`{name}` is not `#[device]`: kernel code cannot use it\n= help: it is another crate's: put \
                 `#[device]` above it there, or write a `#[device]` item of your own that does the same"
            ),
        }
    }
}

/// Returns the error for the use of a kernel, which kernel code cannot call or launch.
pub(crate) fn is_kernel(name: &Ident, cannot: &str) -> String {
    format!(
        "`{name}` is a kernel: it {cannot}\n= help: move its body into a `#[device]` function that both call"
    )
}

impl Entry {
    /// Parses the head of an entry; leaves its content.
    fn of(entry: TokenTree) -> syn::Result<Self> {
        let TokenTree::Group(group) = &entry else { return Err(malformed()) };
        let mut tokens = group.stream().into_iter();
        let id = next_string(&mut tokens)?;
        let soundness = match tokens.next() {
            Some(TokenTree::Ident(word)) => Soundness::of(&word)?,
            _ => return Err(malformed()),
        };
        let (leads, item) = (next_in_braces(&mut tokens)?, next_in_braces(&mut tokens)?);
        Ok(Self { id, soundness, content: Content::Carried { leads, item }, tokens: entry })
    }

    /// Creates an entry from an item and the targets of its paths.
    fn made(id: &str, leads: Vec<Lead>, item: Item) -> Self {
        let soundness = match item {
            Item::Fn(_) | Item::Const(_) | Item::Type(_) => Soundness::Alone,
            _ => Soundness::Sound,
        };
        let word = Ident::new(soundness.word(), Span::call_site());
        let tokens = quote!(#id #word { #(#leads)* } { #item });
        let tokens = Group::new(Delimiter::Brace, tokens).into();
        Self {
            id: id.to_owned(),
            soundness,
            content: Content::Made { leads, item: Box::new(item) },
            tokens,
        }
    }

    /// Creates an entry for the std item that a path leads to.
    fn of_std(name: &StdName, path: &Path) -> syn::Result<Self> {
        let item = name.item(path.require_ident()?)?;
        Ok(Self::made(&name.path, Vec::new(), item))
    }

    /// Parses the targets of its paths, and the item.
    fn read(&self) -> syn::Result<(Vec<Lead>, Item)> {
        match &self.content {
            Content::Carried { leads, item } => {
                Ok((in_braces(leads)?, ungrouped(syn::parse2::<Item>(item.clone())?)))
            }
            Content::Made { leads, item } => Ok((leads.clone(), Item::clone(item))),
        }
    }
}

impl Soundness {
    fn word(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Sound => "sound",
            Self::Wrong => "wrong",
        }
    }

    fn of(word: &Ident) -> syn::Result<Self> {
        let all = [Self::Alone, Self::Sound, Self::Wrong];
        all.into_iter().find(|known| word == known.word()).ok_or_else(malformed)
    }
}

impl Parse for Lead {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (key, id): (LitStr, LitStr) = (input.parse()?, input.parse()?);
        Ok(Self { key: key.value(), id: id.value() })
    }
}

impl ToTokens for Lead {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { key, id } = self;
        tokens.extend(quote!({ #key #id }));
    }
}

/// Parses tokens in braces.
fn braced(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let content;
    syn::braced!(content in input);
    content.parse()
}

/// Parses `{T}*`.
pub(crate) fn in_braces<T: Parse>(tokens: &TokenStream) -> syn::Result<Vec<T>> {
    let groups = tokens.clone().into_iter();
    groups
        .map(|token| match token {
            TokenTree::Group(group) => syn::parse2(group.stream()),
            _ => Err(malformed()),
        })
        .collect()
}

/// Returns the content of the braces that come next in `tokens`.
fn next_in_braces(tokens: &mut impl Iterator<Item = TokenTree>) -> syn::Result<TokenStream> {
    match tokens.next() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            Ok(group.stream())
        }
        _ => Err(malformed()),
    }
}

/// Returns the text of the string that comes next in `tokens`.
fn next_string(tokens: &mut impl Iterator<Item = TokenTree>) -> syn::Result<String> {
    match tokens.next() {
        Some(TokenTree::Literal(literal)) => match Lit::new(literal) {
            Lit::Str(text) => Ok(text.value()),
            _ => Err(malformed()),
        },
        _ => Err(malformed()),
    }
}

/// Returns the error for tokens that are not from a carrier macro.
pub(crate) fn malformed() -> Error {
    Error::new(Span::call_site(), "these are not the tokens of device items")
}

/// The items that some paths lead to, deduplicated.
pub(crate) struct Linked {
    /// Every needed item, once.
    entries: Vec<Entry>,
    /// Index in `entries` by id.
    indices: HashMap<String, usize>,
    /// The targets of the paths.
    leads: Vec<Lead>,
    /// The length of the longest chain of items that need each other.
    depth: usize,
    /// True if no item has errors.
    pub(crate) sound: bool,
}

impl Linked {
    /// Creates an empty set.
    pub(crate) fn empty() -> Self {
        let (entries, indices, leads) = (Vec::new(), HashMap::new(), Vec::new());
        Self { entries, indices, leads, depth: 0, sound: true }
    }

    /// Links `paths`; `closures` are their closures in order, except for paths to std items.
    pub(crate) fn new(paths: &[Path], closures: Vec<Closure>) -> syn::Result<Self> {
        let mut linked = Self::empty();
        let mut closures = closures.into_iter();
        let mut errors = None;
        for path in paths {
            let closure = match StdName::imported(path) {
                Some(name) => {
                    Closure::Entries { depth: 0, entries: vec![Entry::of_std(&name, path)?] }
                }
                None => closures.next().ok_or_else(malformed)?,
            };
            let (depth, entries) = match closure {
                Closure::Entries { depth, entries } => (depth, entries),
                Closure::Kernel | Closure::Absent => {
                    combine(&mut errors, Error::new_spanned(path, closure.refusal(path)));
                    continue;
                }
            };
            linked.depth = linked.depth.max(depth);
            let id = entries.first().ok_or_else(malformed)?.id.clone();
            linked.leads.push(Lead { key: key(path), id });
            for entry in entries {
                linked.sound &= entry.soundness != Soundness::Wrong;
                if !linked.indices.contains_key(&entry.id) {
                    linked.push(entry);
                }
            }
        }
        if closures.next().is_some() {
            return Err(malformed());
        }
        errors.map_or(Ok(linked), Err)
    }

    fn push(&mut self, entry: Entry) {
        self.indices.insert(entry.id.clone(), self.entries.len());
        self.entries.push(entry);
    }

    /// Adds items of one module that need each other and use the linked ones. Replaces the targets
    /// of the paths by targets per item.
    ///
    /// If the chain of items is too long.
    pub(crate) fn add(&mut self, items: &[Raw]) -> syn::Result<()> {
        self.depth += 1;
        if let Some(Raw { item, .. }) = items.first().filter(|_| self.depth > MAX_NESTED_ITEMS) {
            let text = format!(
                "this needs {MAX_NESTED_ITEMS} items in a row, each of which needs the next; kernel code cannot nest \
                 deeper"
            );
            return Err(Error::new(item::span(item), text));
        }
        let named = |raw: &Raw| Some((syntax::item::name(&raw.item)?.to_string(), raw.id.clone()));
        let own: BTreeMap<String, String> = items.iter().filter_map(named).collect();
        let outer = std::mem::take(&mut self.leads);
        let outer: BTreeMap<&str, &str> =
            outer.iter().map(|lead| (lead.key.as_str(), lead.id.as_str())).collect();
        for Raw { id, item } in items {
            let lead = |path: &Path| {
                let key = key(path);
                let own = item::here(path).and_then(|name| own.get(&name));
                let id = own.map(String::as_str).or_else(|| outer.get(key.as_str()).copied())?;
                Some(Lead { key, id: id.to_owned() })
            };
            let paths = paths(item);
            let leads = paths.iter().map(|path| lead(path).ok_or_else(malformed));
            let leads = leads.collect::<syn::Result<Vec<Lead>>>()?;
            let mut item = item.clone();
            Undocumented.visit_item_mut(&mut item);
            self.push(Entry::made(id, leads, item));
        }
        Ok(())
    }

    /// Returns all linked items, for lowering a kernel.
    pub(crate) fn for_kernel(&self) -> syn::Result<DeviceSet> {
        let items = self.entries.iter().map(|entry| Ok((entry, entry.read()?)));
        self.devices(items.collect::<syn::Result<Vec<_>>>()?)
    }

    /// Returns the last `count` items with everything that is needed to check them, and their
    /// indices. Of the functions that they call, only the signatures are kept, unless the return
    /// type depends on the body.
    pub(crate) fn for_last(&self, count: usize) -> syn::Result<(DeviceSet, Range<usize>)> {
        let own = self.entries.len().saturating_sub(count)..self.entries.len();
        let mut read: Vec<Option<(Vec<Lead>, Item)>> = self.entries.iter().map(|_| None).collect();
        let is_needed = |&index: &usize| {
            own.contains(&index) || self.entries[index].soundness != Soundness::Alone
        };
        let mut open: Vec<usize> = (0..self.entries.len()).filter(is_needed).collect();
        while let Some(index) = open.pop() {
            if read[index].is_some() {
                continue;
            }
            let (mut leads, mut item) = self.entries[index].read()?;
            if !own.contains(&index) {
                forget_body(&mut leads, &mut item);
            }
            for lead in &leads {
                open.push(*self.indices.get(&lead.id).ok_or_else(malformed)?);
            }
            read[index] = Some((leads, item));
        }
        let items = self.entries.iter().zip(read);
        let set = self.devices(items.filter_map(|(entry, read)| Some((entry, read?))).collect())?;
        let first = set.items.len().saturating_sub(count);
        let own = first..set.items.len();
        Ok((set, own))
    }

    /// Returns the device set of `items`, which must be complete.
    fn devices(&self, items: Vec<(&Entry, (Vec<Lead>, Item))>) -> syn::Result<DeviceSet> {
        let ids = items.iter().enumerate().map(|(index, (entry, _))| (entry.id.as_str(), index));
        let indices = ids.collect();
        let kernel_paths = resolved(&self.leads, &indices)?;
        let device = |(entry, (leads, item)): (&Entry, (Vec<Lead>, Item))| {
            let is_foreign = !carrier::is_of_this_crate(&entry.id);
            let of_std = StdName::of(&entry.id);
            Ok(DeviceItem { item, paths: resolved(&leads, &indices)?, is_foreign, of_std })
        };
        let items = items.into_iter().map(device).collect::<syn::Result<_>>()?;
        Ok(DeviceSet { items, kernel_paths })
    }

    /// Returns the closure of the item with this `id`: that item first, then all others.
    pub(crate) fn closure(&self, id: &str) -> TokenStream {
        let version = Literal::string(env!("CARGO_PKG_VERSION"));
        let (first, others): (Vec<&Entry>, Vec<&Entry>) =
            self.entries.iter().partition(|entry| entry.id == id);
        let tokens = first.into_iter().chain(others).map(|entry| entry.tokens.clone());
        let depth = Literal::usize_unsuffixed(self.depth);
        [version.into(), depth.into()].into_iter().chain(tokens).collect()
    }
}

/// Removes the body of a function and the targets that only the body needs, if callers depend only
/// on the signature.
fn forget_body(leads: &mut Vec<Lead>, item: &mut Item) {
    let Item::Fn(function) = &mut *item else { return };
    let returned = function.sig.output.to_token_stream().to_string();
    if function.sig.constness.is_some() || returned.contains("impl") {
        return;
    }
    function.block.stmts.clear();
    let of_signature: Vec<String> = paths(item).iter().map(key).collect();
    leads.retain(|lead| of_signature.contains(&lead.key));
}

/// Returns the closure of an item with errors: nothing else, since the item may not even be valid
/// inside of a macro.
pub(crate) fn wrong(id: &str) -> TokenStream {
    let version = env!("CARGO_PKG_VERSION");
    quote!(#version 0 { #id wrong {} { const WRONG: () = (); } })
}

/// Removes documentation, which no kernel needs.
struct Undocumented;

impl VisitMut for Undocumented {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| !attribute.path().is_ident("doc"));
    }
}

/// Converts targets to indices.
fn resolved(
    leads: &[Lead],
    indices: &HashMap<&str, usize>,
) -> syn::Result<BTreeMap<String, usize>> {
    let index = |id: &str| indices.get(id).copied().ok_or_else(malformed);
    leads.iter().map(|Lead { key, id }| Ok((key.clone(), index(id)?))).collect()
}
