//! Replacement of mistakes in the user's tokens by errors.
//!
//! An expression or a type that is `compile_error!(..)` has the type of an error for rustc, so that
//! nothing that depends on it is another error.
use crate::mistakes::{Mistake, Place};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

/// Returns `tokens` with an error in place of each of `mistakes`, and items that report the others:
/// those about types, and those in the code of a macro.
pub(crate) fn replace_mistakes(
    tokens: TokenStream,
    mistakes: &[Mistake],
) -> (TokenStream, TokenStream) {
    if mistakes.is_empty() {
        return (tokens, TokenStream::new());
    }
    let mut open: Vec<OpenMistake<'_>> = mistakes.iter().map(OpenMistake::new).collect();
    let replaced = replace_in(tokens, &mut open);
    let is_beside = |open: &&OpenMistake<'_>| match open.mistake.place {
        Place::Type(_) => true,
        Place::Code | Place::Attribute => !open.is_replaced,
        Place::Number(_) | Place::Repeated(_) => false,
    };
    let others = open.iter().filter(is_beside).map(|open| {
        let error = error_tokens(open.mistake);
        quote!(const _: () = { #error };)
    });
    (replaced, others.collect())
}

/// A mistake that may not have been replaced yet.
struct OpenMistake<'m> {
    mistake: &'m Mistake,
    /// The keys of the first and the last token.
    ends: [String; 2],
    is_replaced: bool,
}

impl<'m> OpenMistake<'m> {
    fn new(mistake: &'m Mistake) -> Self {
        let ends = [span_key(mistake.at.first), span_key(mistake.at.last)];
        Self { mistake, ends, is_replaced: false }
    }
}

fn replace_in(tokens: TokenStream, open: &mut [OpenMistake<'_>]) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        let [first, mut last] = token_keys(&token);
        let found = open.iter_mut().find(|open| !open.is_replaced && open.ends[0] == first);
        if let Some(found) = found.filter(|_| !first.is_empty()) {
            found.is_replaced = true;
            let (mistake, end) = (found.mistake, found.ends[1].clone());
            let mut replaced = vec![token];
            while last != end {
                let Some(next) = tokens.next() else { break };
                [_, last] = token_keys(&next);
                replaced.push(next);
            }
            out.extend(match &mistake.place {
                Place::Type(intended) | Place::Repeated(intended) => intended.clone(),
                Place::Code | Place::Attribute => error_tokens(mistake),
                Place::Number(ty) => {
                    let ty = Ident::new(ty.name(), mistake.at.last);
                    let number = replace_in(replaced.into_iter().collect(), open);
                    quote_spanned!(mistake.at.last=> ((#number) as #ty))
                }
            });
            continue;
        }
        out.extend([match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), replace_in(group.stream(), open));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other,
        }]);
    }
    out
}

/// Returns the keys of the spans where a token begins and ends.
fn token_keys(token: &TokenTree) -> [String; 2] {
    match token {
        TokenTree::Group(group) => [group.span_open(), group.span_close()],
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => [token.span(); 2],
    }
    .map(span_key)
}

/// Returns a text that differs between the tokens of a file; empty outside of rustc.
fn span_key(span: Span) -> String {
    if proc_macro::is_available() { format!("{:?}", span.unwrap()) } else { String::new() }
}

/// Returns the error that takes the place of `mistake`, and underlines it.
fn error_tokens(Mistake { at, text, place }: &Mistake) -> TokenStream {
    // A macro call in braces would end a statement.
    let delimiter = match place {
        Place::Code | Place::Number(_) | Place::Repeated(_) => Delimiter::Parenthesis,
        Place::Type(_) | Place::Attribute => Delimiter::Brace,
    };
    let mut arguments = Group::new(delimiter, quote_spanned!(at.last=> #text));
    arguments.set_span(at.last);
    let (path, bang) =
        (quote_spanned!(at.first=> ::core::compile_error), quote_spanned!(at.last=> !));
    quote!(#path #bang #arguments)
}
