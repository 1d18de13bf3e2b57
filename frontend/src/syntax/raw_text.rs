//! String literals for long texts: IR, PTX and places.
//!
//! An escaped literal costs a pass over the text here and another in rustc. rustc takes a raw
//! string as it is, and it is readable in an expansion.
use proc_macro2::{Literal, TokenStream};
use quote::ToTokens as _;

/// Returns a string literal with the value `text`.
pub(crate) fn text_literal(text: &str) -> TokenStream {
    raw_string(text).unwrap_or_else(|| Literal::string(text).into_token_stream())
}

/// Returns `text` as a raw string; `None` if a raw string cannot represent it.
fn raw_string(text: &str) -> Option<TokenStream> {
    if text.contains('\r') {
        return None;
    }
    // One `#` more than the longest run of `#` after a quote in the text.
    let after_quotes = text.split('"').skip(1);
    let runs = after_quotes.map(|rest| rest.len() - rest.trim_start_matches('#').len());
    let hashes = "#".repeat(runs.max().map_or(0, |longest| longest + 1));
    let raw = format!("r{hashes}\"{text}\"{hashes}");
    if !proc_macro::is_available() {
        return raw.parse().ok();
    }
    // Not through `proc_macro2`, which would scan the text once more.
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
            let literal = text_literal(text);
            assert_eq!(literal.to_string().starts_with('r'), is_raw, "{text:?}");
            let read: syn::LitStr = syn::parse_str(&literal.to_string()).unwrap();
            assert_eq!(read.value(), text);
        }
    }
}
