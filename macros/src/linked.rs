//! What the macros of `#[device]` items carry, and what a kernel gets of it: see
//! [`device`](mod@crate::device), whose words for it these are.
use crate::{
    attr::combine,
    carry, item,
    lower::{DeviceItem, DeviceSet, key},
    std_name::StdName,
    ungroup::ungrouped,
    uses,
};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::BTreeMap;
use syn::{
    Attribute, Error, Item, ItemFn, LitStr, Path,
    ext::IdentExt,
    parse::{Parse, ParseStream},
    visit_mut::VisitMut,
};

/// What a chain brings to its end: `{} { GOT } { STATE }`.
pub(crate) struct Link {
    /// What the macros carry, in their order.
    pub(crate) got: TokenStream,
    /// What it is for.
    pub(crate) state: State,
}

/// What began a chain.
pub(crate) enum State {
    /// `part NAME`: a macro of this name is to carry all of it.
    Part(Ident),
    /// `wait RAW`: an item that waits for others to be registered.
    Wait(Raw),
    /// `gather RAW`: an item that waited until all others were registered.
    Gather(Raw),
    /// `bundle RAW`: one of several items that need each other; the others were got.
    Bundle(Raw),
    /// `probe { PATH }*`: paths whose items are to be `#[device]`.
    Probe(Vec<Path>),
    /// `items { RAW }*`: items that were waiting for what they need.
    Items(Vec<Raw>),
    /// `kernel { ARGS } { ITEM }`
    Kernel {
        /// Of `#[kernel(..)]`.
        args: TokenStream,
        /// As written.
        item: Box<ItemFn>,
    },
}

/// An item as it is written: `"id" { ITEM }`.
pub(crate) struct Raw {
    /// What identifies it.
    pub(crate) id: String,
    /// The item.
    pub(crate) item: Item,
}

/// What one macro carries.
pub(crate) enum Closure {
    /// `"version" ENTRY*`: an item, and all that it needs.
    Entries(Vec<Entry>),
    /// `kernel`: the item is a kernel.
    Kernel,
    /// `absent`: the item, which is another crate's, has no macro.
    Absent,
}

/// A carried item: `{ "id" sound|wrong { LEAD* } { ITEM } }`.
pub(crate) struct Entry {
    id: String,
    sound: bool,
    leads: Vec<Lead>,
    item: Item,
    /// All of this, to be carried further.
    tokens: TokenStream,
}

/// Where a path leads: `"key" "id"`.
#[derive(Clone)]
struct Lead {
    key: String,
    id: String,
}

impl Parse for Link {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let _no_steps_left = braced(input)?;
        let got = braced(input)?;
        Ok(Self { got, state: syn::parse2(braced(input)?)? })
    }
}

impl Parse for State {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        match Ident::parse_any(input)?.to_string().as_str() {
            "part" => input.parse().map(Self::Part),
            "wait" => syn::parse2(braced(input)?).map(Self::Wait),
            "gather" => syn::parse2(braced(input)?).map(Self::Gather),
            "bundle" => syn::parse2(braced(input)?).map(Self::Bundle),
            "probe" => in_braces(&input.parse()?).map(Self::Probe),
            "items" => in_braces(&input.parse()?).map(Self::Items),
            "kernel" => {
                let args = braced(input)?;
                let item: ItemFn = syn::parse2(braced(input)?)?;
                let (item, _) = uses::written_out_kernel(ungrouped(item));
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
    /// The same, after it was in a macro: what is said about its tokens is to be said as if they
    /// had not been, which is how `here` is.
    pub(crate) fn written_at(self, here: Span) -> Self {
        let Self { id, item } = self;
        let tokens = respanned(item.to_token_stream(), here);
        Self { id, item: syn::parse2(tokens).map_or(item, ungrouped) }
    }
}

/// `tokens` where they are, but not out of the macro that they are out of.
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

impl Parse for Closure {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(LitStr) {
            return match Ident::parse_any(input)?.to_string().as_str() {
                "kernel" => Ok(Self::Kernel),
                "absent" => Ok(Self::Absent),
                _ => Err(malformed()),
            };
        }
        let (theirs, ours) = (input.parse::<LitStr>()?.value(), env!("CARGO_PKG_VERSION"));
        if theirs != ours {
            let text = format!(
                "this uses a device item of a crate that uses Warpwise {theirs}, and this crate \
                 uses {ours}"
            );
            return Err(Error::new(Span::call_site(), text));
        }
        in_braces(&input.parse()?).map(Self::Entries)
    }
}

impl Closure {
    /// The error for the path that leads to it, which is no device item's.
    fn refusal(&self, path: &Path) -> String {
        let Some(name) = path.segments.last().map(|last| &last.ident) else {
            return String::new();
        };
        match self {
            Self::Kernel => is_kernel(name, "cannot be called by kernel code"),
            Self::Entries(_) | Self::Absent => format!(
                "`{name}` is not `#[device]`: kernel code cannot use it\n= help: it is another crate's: put \
                 `#[device]` above it there, or write a `#[device]` item of your own that does the same"
            ),
        }
    }
}

/// The error for the item of this name, which is a kernel: it cannot be called, or launched.
pub(crate) fn is_kernel(name: &Ident, cannot: &str) -> String {
    format!(
        "`{name}` is a kernel: it {cannot}\n= help: move its body into a `#[device]` function that both call"
    )
}

impl Entry {
    /// What of std's a path leads to.
    fn of_std(name: &StdName, path: &Path) -> syn::Result<Self> {
        let item = name.item(path.require_ident()?)?;
        let id = name.path.clone();
        let tokens = quote!({ #id sound {} { #item } });
        Ok(Self { id, sound: true, leads: Vec::new(), item, tokens })
    }

    /// The item, whose paths lead where `paths` says.
    fn device(&self, paths: BTreeMap<String, usize>) -> DeviceItem {
        let is_foreign = !carry::is_of_this_crate(&self.id);
        let of_std = StdName::of(&self.id);
        DeviceItem { item: self.item.clone(), paths, is_foreign, of_std }
    }
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let tokens = input.cursor().token_stream();
        let id = input.parse::<LitStr>()?.value();
        let sound = Ident::parse_any(input)? == "sound";
        let leads = in_braces(&braced(input)?)?;
        let item: Item = syn::parse2(braced(input)?)?;
        Ok(Self { id, sound, leads, item: ungrouped(item), tokens: quote!({ #tokens }) })
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

/// The tokens in the braces that come next.
fn braced(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let content;
    syn::braced!(content in input);
    content.parse()
}

/// `{T}*`
pub(crate) fn in_braces<T: Parse>(tokens: &TokenStream) -> syn::Result<Vec<T>> {
    let groups = tokens.clone().into_iter();
    groups
        .map(|token| match token {
            TokenTree::Group(group) => syn::parse2(group.stream()),
            _ => Err(malformed()),
        })
        .collect()
}

/// Tokens that no macro of ours makes.
pub(crate) fn malformed() -> Error {
    Error::new(Span::call_site(), "these are not the tokens of device items")
}

/// What some paths lead to, put together.
pub(crate) struct Linked {
    /// Every item that is needed, once.
    entries: Vec<Entry>,
    /// Where the paths lead.
    leads: Vec<Lead>,
    /// The same for lowering.
    pub(crate) set: DeviceSet,
    /// Whether all of them are without errors.
    pub(crate) sound: bool,
}

impl Linked {
    /// Nothing.
    pub(crate) fn empty() -> Self {
        Self { entries: Vec::new(), leads: Vec::new(), set: DeviceSet::default(), sound: true }
    }

    /// Of `paths`, with the closure that each led to.
    pub(crate) fn new(paths: &[Path], closures: Vec<Closure>) -> syn::Result<Self> {
        let mut linked = Self::empty();
        let mut indices = BTreeMap::new();
        let mut closures = closures.into_iter();
        let mut errors = None;
        for path in paths {
            let closure = match StdName::imported(path) {
                Some(name) => Closure::Entries(vec![Entry::of_std(&name, path)?]),
                None => closures.next().ok_or_else(malformed)?,
            };
            let entries = match closure {
                Closure::Entries(entries) => entries,
                Closure::Kernel | Closure::Absent => {
                    combine(&mut errors, Error::new_spanned(path, closure.refusal(path)));
                    continue;
                }
            };
            let id = entries.first().ok_or_else(malformed)?.id.clone();
            linked.leads.push(Lead { key: key(path), id });
            for entry in entries {
                if !indices.contains_key(&entry.id) {
                    indices.insert(entry.id.clone(), linked.entries.len());
                    linked.entries.push(entry);
                }
            }
        }
        if closures.next().is_some() {
            return Err(malformed());
        }
        if let Some(errors) = errors {
            return Err(errors);
        }
        linked.set.kernel_paths = resolved(&linked.leads, &indices)?;
        for entry in &linked.entries {
            linked.sound &= entry.sound;
            // What is wrong is not looked at, and may lack what it leads to.
            let paths =
                if entry.sound { resolved(&entry.leads, &indices)? } else { BTreeMap::new() };
            linked.set.items.push(entry.device(paths));
        }
        Ok(linked)
    }

    /// Adds items that stand in one module, need each other, and use what is linked. Where each
    /// path leads is then said item by item, no more by `kernel_paths`.
    pub(crate) fn add(
        &mut self,
        items: &[Raw],
        paths: impl Fn(&Item) -> Vec<Path>,
    ) -> syn::Result<()> {
        let named = |raw: &Raw| Some((item::name(&raw.item)?.to_string(), raw.id.clone()));
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
            let tokens = quote!({ #id sound { #(#leads)* } { #item } });
            self.entries.push(Entry { id: id.clone(), sound: true, leads, item, tokens });
        }
        let ids = self.entries.iter().enumerate();
        let indices = ids.map(|(index, entry)| (entry.id.clone(), index)).collect();
        self.set.kernel_paths.clear();
        self.set.items.clear();
        for entry in &self.entries {
            let paths = resolved(&entry.leads, &indices)?;
            self.set.items.push(entry.device(paths));
        }
        Ok(())
    }

    /// All that is linked, the item with this `id` first.
    pub(crate) fn closure(&self, id: &str) -> TokenStream {
        let version = env!("CARGO_PKG_VERSION");
        let (first, others): (Vec<&Entry>, Vec<&Entry>) =
            self.entries.iter().partition(|entry| entry.id == id);
        let tokens = first.into_iter().chain(others).map(|entry| &entry.tokens);
        quote!(#version #(#tokens)*)
    }
}

/// What is carried of an item that is wrong: that it is. Nobody looks at it, and it may be no
/// text for a macro.
pub(crate) fn wrong(id: &str) -> TokenStream {
    let version = env!("CARGO_PKG_VERSION");
    quote!(#version { #id wrong {} { const WRONG: () = (); } })
}

/// Takes documentation away, which no kernel needs.
struct Undocumented;

impl VisitMut for Undocumented {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| !attribute.path().is_ident("doc"));
    }
}

/// Key of each path to index of the item that it leads to.
fn resolved(
    leads: &[Lead],
    indices: &BTreeMap<String, usize>,
) -> syn::Result<BTreeMap<String, usize>> {
    let index = |id| indices.get(id).copied().ok_or_else(malformed);
    leads.iter().map(|Lead { key, id }| Ok((key.clone(), index(id)?))).collect()
}

#[cfg(test)]
mod tests;
