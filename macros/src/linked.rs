//! What device functions' macros carry, and what a kernel gets of it: see [`device`](mod@crate::device),
//! whose words for it these are.
use crate::{
    lower::{DeviceItem, DeviceSet, key},
    ungroup::ungrouped,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use std::collections::BTreeMap;
use syn::{
    Error, Item, ItemFn, LitStr, Path,
    ext::IdentExt,
    parse::{Parse, ParseStream},
};

/// What a chain brings to its end: `{} { {CLOSURE}* } { STATE }`.
pub(crate) struct Link {
    /// In the order of the paths that led to them.
    pub(crate) closures: Vec<Closure>,
    /// What is linked.
    pub(crate) state: State,
}

/// What called the functions: `kernel { ARGS } { ITEM }` or `device { ITEM }`.
pub(crate) enum State {
    /// A kernel.
    Kernel {
        /// Of `#[kernel(..)]`.
        args: TokenStream,
        /// As written.
        item: ItemFn,
    },
    /// A device function.
    Device {
        /// As written.
        item: ItemFn,
    },
}

/// What one macro carries: `"version" ENTRY*`.
pub(crate) struct Closure(Vec<Entry>);

/// A carried function: `{ "id" sound|wrong { CALLEE* } { ITEM } }`.
struct Entry {
    id: String,
    sound: bool,
    callees: Vec<Callee>,
    item: ItemFn,
    /// All of this, to be carried further.
    tokens: TokenStream,
}

/// Where a path that is called leads: `"key" "id"`.
#[derive(Clone)]
struct Callee {
    key: String,
    id: String,
}

impl Parse for Link {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let _no_steps_left = braced(input)?;
        let closures = in_braces(&braced(input)?)?;
        Ok(Self { closures, state: syn::parse2(braced(input)?)? })
    }
}

impl Parse for State {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let kind = Ident::parse_any(input)?;
        if kind == "kernel" {
            let args = braced(input)?;
            return Ok(Self::Kernel { args, item: function(input)? });
        }
        Ok(Self::Device { item: function(input)? })
    }
}

impl Parse for Closure {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (theirs, ours) = (input.parse::<LitStr>()?.value(), env!("CARGO_PKG_VERSION"));
        if theirs != ours {
            let text = format!(
                "this calls a device function of a crate that uses Warpwise {theirs}, and this \
                 crate uses {ours}"
            );
            return Err(Error::new(Span::call_site(), text));
        }
        in_braces(&input.parse()?).map(Self)
    }
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let tokens = input.cursor().token_stream();
        let id = input.parse::<LitStr>()?.value();
        let sound = Ident::parse_any(input)? == "sound";
        let callees = in_braces(&braced(input)?)?;
        let item = function(input)?;
        Ok(Self { id, sound, callees, item, tokens: quote!({ #tokens }) })
    }
}

impl Parse for Callee {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (key, id): (LitStr, LitStr) = (input.parse()?, input.parse()?);
        Ok(Self { key: key.value(), id: id.value() })
    }
}

impl ToTokens for Callee {
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

/// The function in the braces that come next.
fn function(input: ParseStream<'_>) -> syn::Result<ItemFn> {
    syn::parse2(braced(input)?).map(ungrouped)
}

/// `{T}*`
fn in_braces<T: Parse>(tokens: &TokenStream) -> syn::Result<Vec<T>> {
    let groups = tokens.clone().into_iter();
    groups
        .map(|token| match token {
            proc_macro2::TokenTree::Group(group) => syn::parse2(group.stream()),
            _ => Err(malformed()),
        })
        .collect()
}

/// Tokens that no macro of ours makes.
fn malformed() -> Error {
    Error::new(Span::call_site(), "these are not the tokens of device functions")
}

/// What a kernel or a device function calls, put together.
pub(crate) struct Linked {
    /// Every function that is needed, once.
    entries: Vec<Entry>,
    /// Where the paths that are called lead.
    callees: Vec<Callee>,
    /// The same for lowering.
    pub(crate) set: DeviceSet,
    /// Whether all of them are without errors.
    pub(crate) sound: bool,
}

impl Linked {
    /// Nothing.
    pub(crate) fn empty() -> Self {
        Self { entries: Vec::new(), callees: Vec::new(), set: DeviceSet::default(), sound: true }
    }

    /// Of `paths`, with the closure that each led to.
    pub(crate) fn new(paths: &[Path], closures: Vec<Closure>) -> syn::Result<Self> {
        let mut linked = Self::empty();
        let mut indices = BTreeMap::new();
        if paths.len() != closures.len() {
            return Err(malformed());
        }
        for (path, Closure(entries)) in paths.iter().zip(closures) {
            let id = entries.first().ok_or_else(malformed)?.id.clone();
            linked.callees.push(Callee { key: key(path), id });
            for entry in entries {
                if !indices.contains_key(&entry.id) {
                    indices.insert(entry.id.clone(), linked.entries.len());
                    linked.entries.push(entry);
                }
            }
        }
        linked.set.kernel_paths = resolved(&linked.callees, &indices)?;
        for entry in &linked.entries {
            linked.sound &= entry.sound;
            let paths = resolved(&entry.callees, &indices)?;
            linked.set.items.push(DeviceItem { item: Item::Fn(entry.item.clone()), paths });
        }
        Ok(linked)
    }

    /// What is linked and, in the end, `item`.
    pub(crate) fn with(&self, item: &ItemFn) -> DeviceSet {
        let mut set = self.set.clone();
        let paths = set.kernel_paths.clone();
        set.items.push(DeviceItem { item: Item::Fn(item.clone()), paths });
        set
    }

    /// The closure of `item`, which calls what is linked.
    pub(crate) fn closure(&self, item: &ItemFn, id: &str, sound: bool) -> TokenStream {
        let mut item = item.clone();
        item.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
        if !sound {
            item.block.stmts.clear(); // nobody looks at it, and it may be no text for a macro
        }
        let version = env!("CARGO_PKG_VERSION");
        let word = if sound { quote!(sound) } else { quote!(wrong) };
        let callees = &self.callees;
        let others = self.entries.iter().map(|entry| &entry.tokens);
        quote!(#version { #id #word { #(#callees)* } { #item } } #(#others)*)
    }
}

/// Key of each path to index of the function that it leads to.
fn resolved(
    callees: &[Callee],
    indices: &BTreeMap<String, usize>,
) -> syn::Result<BTreeMap<String, usize>> {
    let index = |id| indices.get(id).copied().ok_or_else(malformed);
    callees.iter().map(|Callee { key, id }| Ok((key.clone(), index(id)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    /// What comes to the end of a chain from `closures`.
    fn link(closures: &[TokenStream], state: &TokenStream) -> syn::Result<Link> {
        syn::parse2(quote!({} { #({ #closures })* } { #state }))
    }

    fn names(linked: &Linked) -> Vec<String> {
        let name = |device: &DeviceItem| match &device.item {
            Item::Fn(item) => item.sig.ident.to_string(),
            other => panic!("{other:?}"),
        };
        linked.set.items.iter().map(name).collect()
    }

    #[test]
    fn a_closure_arrives_as_it_was_sent() {
        let [leaf, left, right]: [ItemFn; 3] = [
            parse_quote!(
                /// Documented.
                #[allow(gpu_x)]
                fn leaf() {}
            ),
            parse_quote!(
                fn left() {
                    m::leaf();
                }
            ),
            parse_quote!(
                fn right() {
                    leaf();
                }
            ),
        ];
        let leaf = Linked::empty().closure(&leaf, "1", true);
        let of = |item: &ItemFn, id, path: Path| {
            let link = link(std::slice::from_ref(&leaf), &quote!(device { #item })).unwrap();
            Linked::new(&[path], link.closures).unwrap().closure(item, id, true)
        };
        let left = of(&left, "2", parse_quote!(m::leaf));
        let right = of(&right, "3", parse_quote!(leaf));

        let kernel = quote!(kernel { block = 8 } { fn k() { left(); a::right(); } });
        let Link { closures, state } = link(&[left, right], &kernel).unwrap();
        let State::Kernel { args, item } = state else { panic!("no kernel") };
        assert_eq!(
            (args.to_string(), item.sig.ident.to_string()),
            ("block = 8".into(), "k".into())
        );
        let linked = Linked::new(&[parse_quote!(left), parse_quote!(a::right)], closures).unwrap();
        assert!(linked.sound);
        assert_eq!(names(&linked), ["left", "leaf", "right"], "each once");
        let callees = |pairs: &[(&str, usize)]| {
            pairs.iter().map(|&(key, index)| (key.to_owned(), index)).collect::<BTreeMap<_, _>>()
        };
        assert_eq!(linked.set.kernel_paths, callees(&[("left", 0), ("a::right", 2)]));
        assert_eq!(linked.set.items[0].paths, callees(&[("m::leaf", 1)]));
        let Item::Fn(carried) = &linked.set.items[1].item else { panic!("no function") };
        assert_eq!(carried.attrs.len(), 1, "without documentation");
        assert_eq!(linked.set.items[2].paths, callees(&[("leaf", 1)]));
    }

    #[test]
    fn what_is_wrong_spreads() {
        let wrong = Linked::empty().closure(
            &parse_quote!(
                fn f() {}
            ),
            "1",
            false,
        );
        let Link { closures, .. } = link(&[wrong], &quote!(device { fn g() { f() } })).unwrap();
        assert!(!Linked::new(&[parse_quote!(f)], closures).unwrap().sound);
    }

    #[test]
    fn what_is_wrong_is_not_carried() {
        let item = parse_quote!(
            fn f() {
                macro_rules! m {
                    ($x:expr) => {};
                }
            }
        );
        let carried = Linked::empty().closure(&item, "1", false).to_string();
        assert!(!carried.contains('$'), "{carried}");
    }

    #[test]
    fn other_versions_are_refused() {
        let closure = quote!("0.0.0" { "1" sound {} { fn f() {} } });
        let error = link(&[closure], &quote!(device { fn g() {} })).err().unwrap();
        assert!(error.to_string().contains("uses Warpwise 0.0.0"), "{error}");
    }
}
