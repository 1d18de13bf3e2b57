//! Long texts as literals: IR, PTX and places.
//!
//! With escapes, each character would be looked at twice: to write it here, and to read it in rustc. A raw string is
//! taken as it is, and reads well in an expansion.
use proc_macro2::{Literal, TokenStream};
use quote::ToTokens as _;

/// A string literal that is `text`.
pub(crate) fn literal(text: &str) -> TokenStream {
    raw(text).unwrap_or_else(|| Literal::string(text).into_token_stream())
}

/// As a raw string; `None` if none can be it.
fn raw(text: &str) -> Option<TokenStream> {
    if text.contains('\r') {
        return None;
    }
    // As many `#` as no quote in it is followed by.
    let behind = text.split('"').skip(1);
    let runs = behind.map(|rest| rest.len() - rest.trim_start_matches('#').len());
    let hashes = "#".repeat(runs.max().map_or(0, |longest| longest + 1));
    let raw = format!("r{hashes}\"{text}\"{hashes}");
    if !proc_macro::is_available() {
        return raw.parse().ok();
    }
    // Past `proc_macro2`, which would go through it before rustc does.
    let literal: proc_macro::Literal = raw.parse().ok()?;
    Some(proc_macro::TokenStream::from(proc_macro::TokenTree::from(literal)).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_is_its_text() {
        let hashes = format!("\"{}", "#".repeat(300));
        for (text, is_raw) in [
            ("", true),
            ("kernel k {\n\t\\n\n}", true),
            ("\"", true),
            ("a \"#\" b \"##", true),
            ("größer", true),
            ("a\r\nb", false),
            (&hashes, false),
        ] {
            let literal = literal(text);
            assert_eq!(literal.to_string().starts_with('r'), is_raw, "{text:?}");
            let read: syn::LitStr = syn::parse_str(&literal.to_string()).unwrap();
            assert_eq!(read.value(), text);
        }
    }
}
