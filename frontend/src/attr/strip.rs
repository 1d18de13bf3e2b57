//! Removal of Warpwise's attributes from the code for rustc, which does not know `gpu_..` lints.
//!
//! It works on tokens, so that all other code reaches rustc exactly as written.
use crate::{
    attr::{
        combine_errors,
        lint_attr::{LintAttribute, split_lint_attribute},
    },
    syntax::tokens::is_lint_attribute,
};
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Error, parse::Parser};

/// Returns `tokens` without attributes for Warpwise's lints; adds errors in these to `errors`.
pub(crate) fn strip_lint_levels(tokens: TokenStream, errors: &mut Option<Error>) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match (&token, tokens.peek()) {
            (TokenTree::Punct(hash), Some(TokenTree::Group(group)))
                if hash.as_char() == '#' && is_lint_attribute(group) =>
            {
                strip_attribute(&token, group, &mut out, errors);
                tokens.next();
            }
            (TokenTree::Group(group), _) => {
                let mut inner =
                    Group::new(group.delimiter(), strip_lint_levels(group.stream(), errors));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            (TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_), _) => {
                out.extend([token]);
            }
        }
    }
    out
}

fn strip_attribute(
    hash: &TokenTree,
    group: &Group,
    out: &mut TokenStream,
    errors: &mut Option<Error>,
) {
    let tokens = quote::quote!(#hash #group);
    let parsed = Attribute::parse_outer.parse2(tokens.clone()).ok().and_then(|mut it| it.pop());
    let Some(attribute) = parsed else {
        out.extend(tokens); // rustc says what is wrong with it
        return;
    };
    match split_lint_attribute(&attribute) {
        // The original tokens, since printing the parsed attribute could change spans.
        Ok(LintAttribute { is_ours: false, .. }) => out.extend(tokens),
        Ok(LintAttribute { rest: Some(rest), .. }) => rest.to_tokens(out),
        Ok(LintAttribute { rest: None, .. }) => {}
        Err(error) => combine_errors(errors, error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn everything_else_stays() {
        let mut errors = None;
        let stripped = strip_lint_levels(
            quote!(
                /// Documented.
                #[allow(gpu_barriers_in_divergent_flow)]
                #[inline]
                fn f() {
                    #[allow(gpu_barriers_in_divergent_flow, dead_code)]
                    {
                        x # [y];
                        sync_threads();
                    }
                }
            ),
            &mut errors,
        );
        let expected = quote!(
            /// Documented.
            #[inline]
            fn f() {
                #[allow(dead_code)]
                {
                    x # [y];
                    sync_threads();
                }
            }
        );
        assert_eq!(stripped.to_string(), expected.to_string());
        assert!(errors.is_none());
    }

    #[test]
    fn wrong_ones_are_reported_and_removed() {
        let mut errors = None;
        let stripped = strip_lint_levels(
            quote!(
                #[allow(gpu_what)]
                fn f() {
                    #[forbid(gpu_barriers_in_divergent_flow)]
                    {}
                }
            ),
            &mut errors,
        );
        assert_eq!(
            stripped.to_string(),
            quote!(
                fn f() {
                    {}
                }
            )
            .to_string()
        );
        assert_eq!(errors.into_iter().flatten().count(), 2);
    }
}
