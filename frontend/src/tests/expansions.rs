//! Golden tests of macro expansion: each file of `frontend/golden` has items and, below a line of
//! dashes, their expansion.
//!
//! `BLESS=1 cargo test -p warpwise-frontend golden` rewrites the lower parts. IR and PTX appear as
//! `"IR"` and `"PTX"`, and hashes as `HASH`: they have tests of their own.
use crate::{device, kernel};
use proc_macro2::{Group, Literal, TokenStream, TokenTree};
use quote::ToTokens;
use std::{fs, path::Path};
use syn::{Attribute, Item, Meta};

const SEPARATOR: &str = "// ---------------------------------------- expands to\n";

#[test]
fn golden() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut wrong = Vec::new();
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let (source, expected) = text.split_once(SEPARATOR).unwrap_or((&text, ""));
        let found = expand_file(source);
        files += 1;
        if found == expected {
        } else if std::env::var_os("BLESS").is_some() {
            fs::write(&path, format!("{}\n\n{SEPARATOR}{found}", source.trim_end())).unwrap();
        } else {
            wrong.push(format!("{}:\n{found}", path.display()));
        }
    }
    assert!(files > 0);
    assert!(wrong.is_empty(), "{}\nBLESS=1 accepts this", wrong.join("\n"));
}

/// Expands the items of `source`.
fn expand_file(source: &str) -> String {
    let file = syn::parse_file(source).unwrap();
    let expanded: TokenStream = file.items.into_iter().map(expand_item).collect();
    let expanded = syn::parse2(redact(expanded)).unwrap();
    prettyplease::unparse(&expanded)
}

fn expand_item(item: Item) -> TokenStream {
    let Item::Fn(mut item) = item else { panic!("only functions") };
    let is_ours = |attribute: &Attribute| {
        attribute.path().is_ident("kernel") || attribute.path().is_ident("device")
    };
    let ours = item.attrs.iter().position(is_ours).unwrap();
    let ours = item.attrs.remove(ours);
    let args = match &ours.meta {
        Meta::List(list) => list.tokens.clone(),
        Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
    };
    let expand =
        if ours.path().is_ident("kernel") { kernel::expand_kernel } else { device::expand_device };
    expand(args, item.into_token_stream())
}

/// Replaces the parts of `tokens` that other tests cover by placeholders.
fn redact(tokens: TokenStream) -> TokenStream {
    let token = |token| match token {
        TokenTree::Group(group) => {
            TokenTree::Group(Group::new(group.delimiter(), redact(group.stream())))
        }
        TokenTree::Literal(literal) => match literal.to_string() {
            text if is_raw_string(&text, "kernel ") && text.contains(" {\n") => {
                Literal::string("IR").into()
            }
            text if is_raw_string(&text, "//") && text.contains("\n.version ") => {
                Literal::string("PTX").into()
            }
            text if is_hash(text.trim_matches('"')) => Literal::string("HASH").into(),
            _ => literal.into(),
        },
        TokenTree::Ident(ident) => match ident.to_string().rsplit_once('_') {
            Some((name, hash)) if is_hash(hash) => {
                quote::format_ident!("{name}_HASH", span = ident.span()).into()
            }
            _ => ident.into(),
        },
        TokenTree::Punct(punct) => punct.into(),
    };
    tokens.into_iter().map(token).collect()
}

/// Returns true if `literal` is a raw string that begins with `start`.
fn is_raw_string(literal: &str, start: &str) -> bool {
    literal.starts_with('r') && literal.trim_start_matches(['r', '#', '"']).starts_with(start)
}

fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
