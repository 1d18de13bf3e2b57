//! Attributes that set levels of Warpwise's lints: `#[allow(gpu_..)]` and so on.
//!
//! They appear in the same places as rustc's lint attributes, and may name both kinds of lints.
//! rustc does not know the `gpu_` lints, so it gets the attribute without them.
use crate::syntax::suggest::closest_name;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::rc::Rc;
use syn::{
    Attribute, Error, Expr, Ident, Path, Token,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    spanned::Spanned,
};
use warpwise_compiler::{diag::Level, lint};

/// The level that an attribute sets for one lint.
#[derive(Clone, Debug)]
pub(crate) struct LintLevel {
    /// The lint.
    pub(crate) lint: &'static str,
    /// Its level.
    pub(crate) level: Level,
    /// The expectation, if the attribute is `#[expect(..)]`.
    pub(crate) expectation: Option<Rc<Expectation>>,
}

impl LintLevel {
    /// Returns the same level as an attribute for another item. An expectation becomes an `allow`.
    pub(crate) fn to_attribute(&self) -> Attribute {
        let word = match self.level {
            Level::Allow => quote!(allow),
            Level::Warn => quote!(warn),
            Level::Deny => quote!(deny),
        };
        let lint = Ident::new(self.lint, Span::call_site());
        syn::parse_quote!(#[#word(#lint)])
    }
}

/// One name in an `#[expect(..)]`.
#[derive(Debug)]
pub(crate) struct Expectation {
    /// The span of the name.
    pub(crate) span: Span,
    /// The attribute's `reason = ..`.
    pub(crate) reason: Option<TokenStream>,
}

/// The keyword that sets a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LevelKeyword {
    /// `allow`, `warn`, `deny`
    Level(Level),
    /// `expect`
    Expect,
}

impl LevelKeyword {
    /// Parses a keyword.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "allow" => Some(Self::Level(Level::Allow)),
            "warn" => Some(Self::Level(Level::Warn)),
            "deny" => Some(Self::Level(Level::Deny)),
            "expect" => Some(Self::Expect),
            _ => None,
        }
    }
}

/// Returns the levels that `word` sets for the lints with the name `path`.
pub(crate) fn lint_levels(
    path: &Path,
    word: LevelKeyword,
    reason: Option<&TokenStream>,
) -> syn::Result<Vec<LintLevel>> {
    let (level, expectation) = match word {
        LevelKeyword::Level(level) => (level, None),
        LevelKeyword::Expect => {
            let expectation = Expectation { span: path.span(), reason: reason.cloned() };
            (Level::Allow, Some(Rc::new(expectation)))
        }
    };
    let levels = lints_named(path)?.into_iter().map(|lint| {
        let expectation = expectation.clone();
        LintLevel { lint, level, expectation }
    });
    Ok(levels.collect())
}

/// Returns the lints with the name `path`: one, or a group.
fn lints_named(path: &Path) -> syn::Result<Vec<&'static str>> {
    let Some(name) = path.get_ident().map(Ident::to_string) else {
        return Err(Error::new_spanned(path, "a lint of Warpwise is a plain name: `gpu_..`"));
    };
    lint::lints_named(&name).ok_or_else(|| Error::new_spanned(path, unknown_lint_message(&name)))
}

/// Returns the message for an unknown lint `name`, with a suggestion.
pub(crate) fn unknown_lint_message(name: &str) -> String {
    let groups = lint::GROUPS.iter().map(|(name, _)| *name);
    let prefixed = format!("gpu_{name}");
    let known = match lint::lints_named(&prefixed) {
        Some(_) => Some(prefixed.as_str()),
        None => closest_name(name, lint::names().chain(groups)),
    };
    match known {
        Some(known) => format!("unknown lint `{name}`; did you mean `{known}`?"),
        None => format!("unknown lint `{name}`"),
    }
}

/// A lint attribute split into Warpwise's lints and rustc's.
#[derive(Debug, Default)]
pub(crate) struct LintAttribute {
    /// Our lints and their levels.
    pub(crate) levels: Vec<LintLevel>,
    /// True if it names a lint of Warpwise, or a group, even an empty one.
    pub(crate) is_ours: bool,
    /// The remaining attribute for rustc; `None` if nothing remains.
    pub(crate) rest: Option<Attribute>,
}

/// Separates Warpwise's lints (`gpu_..`) from `#[allow(..)]`, `#[warn(..)]`, `#[deny(..)]` and
/// `#[expect(..)]`. Leaves other attributes alone; rejects `#[forbid]` of a Warpwise lint.
pub(crate) fn split_lint_attribute(attribute: &Attribute) -> syn::Result<LintAttribute> {
    let untouched = || LintAttribute { rest: Some(attribute.clone()), ..LintAttribute::default() };
    let Some(name) = attribute.path().get_ident().map(Ident::to_string) else {
        return Ok(untouched());
    };
    let word = LevelKeyword::parse(&name);
    if word.is_none() && name != "forbid" {
        return Ok(untouched());
    }
    let Ok(list) = attribute.parse_args_with(Punctuated::<LintItem, Token![,]>::parse_terminated)
    else {
        return Ok(untouched()); // rustc says what is wrong with it
    };
    let (ours, theirs): (Vec<_>, Vec<_>) = list.into_iter().partition(LintItem::is_ours);
    if ours.is_empty() {
        return Ok(untouched());
    }
    let reason = theirs.iter().find_map(|item| match item {
        LintItem::Reason { value, .. } => Some(value),
        LintItem::Lint(_) => None,
    });
    let mut levels = Vec::new();
    for item in &ours {
        let LintItem::Lint(path) = item else { continue };
        let Some(word) = word else {
            let text = "`forbid` is not for lints of Warpwise: use `deny`";
            return Err(Error::new_spanned(path, text));
        };
        levels.extend(lint_levels(path, word, reason)?);
    }
    // A `reason` alone is no attribute.
    let keep = theirs.iter().any(|item| matches!(item, LintItem::Lint(_)));
    let rest = keep.then(|| with_only_lints(attribute, &theirs));
    Ok(LintAttribute { levels, is_ours: true, rest })
}

/// Returns `attribute` with only `lints` as arguments.
fn with_only_lints(attribute: &Attribute, lints: &[LintItem]) -> Attribute {
    let path = attribute.path();
    let lints = lints.iter().map(|item| match item {
        LintItem::Lint(path) => quote!(#path),
        LintItem::Reason { key, value } => quote!(#key = #value),
    });
    let mut attribute = attribute.clone();
    attribute.meta = syn::parse_quote!(#path(#(#lints),*));
    attribute
}

/// An argument of `#[allow(..)]`.
enum LintItem {
    Lint(Path),
    Reason { key: Path, value: TokenStream },
}

impl LintItem {
    fn is_ours(&self) -> bool {
        match self {
            Self::Lint(path) => {
                path.get_ident().is_some_and(|name| name.to_string().starts_with("gpu_"))
            }
            Self::Reason { .. } => false,
        }
    }
}

impl Parse for LintItem {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key: Path = input.parse()?;
        if !input.peek(Token![=]) {
            return Ok(Self::Lint(key));
        }
        input.parse::<Token![=]>()?;
        let value: Expr = input.parse()?;
        Ok(Self::Reason { key, value: quote!(#value) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    #[test]
    fn only_our_lints_leave_an_attribute() {
        let rest = |attribute: Attribute| {
            let found = split_lint_attribute(&attribute).unwrap();
            let rest = found.rest.map(|rest| rest.to_token_stream().to_string());
            (found.levels.len(), rest)
        };
        let theirs: Attribute = syn::parse_quote!(#[allow(dead_code, clippy::all)]);
        assert_eq!(rest(theirs.clone()), (0, Some(theirs.to_token_stream().to_string())));
        let both = syn::parse_quote!(
            #[warn(dead_code, gpu_barriers_in_divergent_flow, reason = "so")]
        );
        let left = r#"# [warn (dead_code , reason = "so")]"#;
        assert_eq!(rest(both), (1, Some(left.to_owned())));
        let ours = syn::parse_quote!(#[deny(gpu_barriers_in_divergent_flow, reason = "so")]);
        assert_eq!(rest(ours), (1, None));
        assert_eq!(rest(syn::parse_quote!(#[inline])).0, 0);
    }

    #[test]
    fn an_expectation_allows_and_keeps_its_reason_and_a_group_is_one() {
        let attribute = syn::parse_quote!(
            #[expect(gpu_barriers_in_divergent_flow, gpu_all, reason = "so")]
        );
        let levels = split_lint_attribute(&attribute).unwrap().levels;
        assert_eq!(levels.len(), 1 + lint::LINTS.len());
        let expectations: Vec<_> =
            levels.iter().map(|said| said.expectation.as_ref().unwrap()).collect();
        assert!(expectations.iter().all(|it| it.reason.as_ref().unwrap().to_string() == "\"so\""));
        assert!(expectations[2..].iter().all(|it| Rc::ptr_eq(expectations[1], it)));
        assert!(!Rc::ptr_eq(expectations[0], expectations[1]));
        assert!(levels.iter().all(|said| said.level == Level::Allow));
    }

    #[test]
    fn our_lints_are_spelt_right_and_not_forbidden() {
        let wrong =
            |attribute: Attribute| split_lint_attribute(&attribute).unwrap_err().to_string();
        let misspelt = wrong(syn::parse_quote!(#[allow(gpu_barrier_in_divergent_flow)]));
        let text = "unknown lint `gpu_barrier_in_divergent_flow`; did you mean \
                    `gpu_barriers_in_divergent_flow`?";
        assert_eq!(misspelt, text);
        let forbidden = wrong(syn::parse_quote!(#[forbid(gpu_barriers_in_divergent_flow)]));
        assert!(forbidden.contains("use `deny`"), "{forbidden}");
    }
}
