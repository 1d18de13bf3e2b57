//! `#[constant]` on the parameters of kernels, whose elements are in constant memory.
//!
//! ```text
//! fn blur(#[constant] weights: &[f32; 25], #[constant(max = 1024)] stops: &[Stop], ..)
//! ```
//! rustc knows no such attribute, so the function that it gets has none.
use crate::{
    attr::combine_errors,
    syntax::{span::SpanRange, ungroup::peel},
};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::{
    Attribute, Error, FnArg, Ident, ItemFn, LitInt, Meta, Token, Type,
    parse::{Parse, ParseStream},
};
use warpwise_compiler::analysis::read_only_arrays::CONSTANT_BYTES;

/// The name of the attribute.
const NAME: &str = "constant";

/// A parameter whose elements are in constant memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstantParam {
    /// The greatest number of elements: 1 for a reference to one value.
    pub(crate) max: u32,
    /// The attribute.
    pub(crate) at: SpanRange,
}

/// Returns true if a parameter of `item` has the attribute, right or wrong.
pub(crate) fn has_constants(item: &ItemFn) -> bool {
    item.sig.inputs.iter().any(|input| match input {
        FnArg::Typed(input) => input.attrs.iter().any(is_ours),
        FnArg::Receiver(_) => false,
    })
}

fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().is_ident(NAME)
}

/// Removes the attributes of the parameters of `item`, and returns the constant ones by their
/// index; an empty list if there are none. Adds errors in attributes to `errors`.
pub(crate) fn take_constants(
    item: &mut ItemFn,
    errors: &mut Option<Error>,
) -> Vec<Option<ConstantParam>> {
    let mut found = Vec::new();
    for (index, input) in item.sig.inputs.iter_mut().enumerate() {
        let FnArg::Typed(input) = input else { continue };
        let mut attributes = input.attrs.extract_if(.., |attribute| is_ours(attribute));
        let Some(attribute) = attributes.next() else { continue };
        if let Some(again) = attributes.next() {
            let text = "the parameter is in constant memory already";
            combine_errors(errors, Error::new_spanned(again, text));
        }
        drop(attributes);
        match read_attribute(&attribute, &input.ty) {
            Ok(constant) => {
                found.resize(index, None);
                found.push(Some(constant));
            }
            Err(error) => combine_errors(errors, error),
        }
    }
    found
}

/// Reads an attribute of a parameter of this type.
fn read_attribute(attribute: &Attribute, ty: &Type) -> syn::Result<ConstantParam> {
    let max = match &attribute.meta {
        Meta::Path(_) => None,
        Meta::List(list) => Some(list.parse_args::<Max>()?),
        Meta::NameValue(_) => return Err(Error::new_spanned(attribute, Max::FORM)),
    };
    let at = SpanRange::tokens(attribute);
    match (referent(ty), max) {
        (Some(Type::Slice(_)), Some(Max(max, _))) => Ok(ConstantParam { max, at }),
        (Some(Type::Slice(_)), None) => Err(at.error(
            "a slice in constant memory needs a greatest number of elements\n= help: write \
             `#[constant(max = 1024)]`, or take an array: `&[T; N]`",
        )),
        (Some(_), None) => Ok(ConstantParam { max: 1, at }),
        (Some(_), Some(Max(_, number))) => Err(Error::new(
            number,
            "only a slice has a greatest number of elements: write `#[constant]`",
        )),
        (None, _) => Err(at.error(
            "only what a kernel reads by reference can be in constant memory\n= help: take `&[T; N]`, \
             `&[T]` or `&T`",
        )),
    }
}

/// Returns the type that a shared reference refers to.
fn referent(ty: &Type) -> Option<&Type> {
    match peel(ty) {
        Type::Reference(reference) if reference.mutability.is_none() => Some(peel(&reference.elem)),
        _ => None,
    }
}

/// `max = 1024`, with the span of the number.
struct Max(u32, proc_macro2::Span);

impl Max {
    const FORM: &'static str = "write `#[constant]` or `#[constant(max = 1024)]`";
}

impl Parse for Max {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let form = |at| Error::new(at, Self::FORM);
        let at = input.span();
        let name: Ident = input.parse().map_err(|_| form(at))?;
        if name != "max" {
            return Err(form(at));
        }
        input.parse::<Token![=]>().map_err(|error| form(error.span()))?;
        let at = input.span();
        let number: LitInt = input.parse().map_err(|_| form(at))?;
        if !input.is_empty() {
            return Err(form(input.span()));
        }
        let max = number.base10_parse().ok().filter(|max| (1..=CONSTANT_BYTES).contains(max));
        let max = max.and_then(|max| u32::try_from(max).ok()).ok_or_else(|| {
            let text = format!("constant memory has 1 to {CONSTANT_BYTES} elements");
            Error::new(number.span(), text)
        })?;
        Ok(Self(max, number.span()))
    }
}

/// Returns the tokens of a function without the attributes of its parameters for constant memory.
pub(crate) fn strip_constants(function: TokenStream) -> TokenStream {
    let strip = |token| match token {
        TokenTree::Group(group) => {
            let inner = match group.delimiter() {
                Delimiter::Parenthesis => without_attributes(group.stream()),
                Delimiter::None => strip_constants(group.stream()),
                Delimiter::Brace | Delimiter::Bracket => return TokenTree::Group(group),
            };
            let mut stripped = Group::new(group.delimiter(), inner);
            stripped.set_span(group.span());
            TokenTree::Group(stripped)
        }
        other => other,
    };
    function.into_iter().map(strip).collect()
}

/// Returns `params` without `#[constant]` and `#[constant(..)]`.
fn without_attributes(params: TokenStream) -> TokenStream {
    let mut kept = TokenStream::new();
    let mut tokens = params.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match (&token, tokens.peek()) {
            (TokenTree::Punct(hash), Some(TokenTree::Group(group)))
                if hash.as_char() == '#' && is_constant(group) =>
            {
                tokens.next();
            }
            _ => kept.extend([token]),
        }
    }
    kept
}

fn is_constant(group: &Group) -> bool {
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket
        && matches!(first, Some(TokenTree::Ident(word)) if word == NAME)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::{ToTokens, quote};

    fn read(function: TokenStream) -> (Vec<Option<u32>>, Option<String>, ItemFn) {
        let mut item = syn::parse2(function).expect("it is a function");
        let mut errors = None;
        let found = take_constants(&mut item, &mut errors);
        let found = found.into_iter().map(|constant| Some(constant?.max)).collect();
        (found, errors.map(|error| error.to_string()), item)
    }

    #[test]
    fn attributes_are_read_and_removed() {
        let function = quote!(
            pub(crate) fn f<F: Fn(f32) -> f32>(
                a: u32,
                #[constant] taps: &[f32; 4],
                #[constant(max = 7)] stops: &[u8],
                y: &mut [f32],
            ) {
            }
        );
        let (found, error, item) = read(function.clone());
        assert_eq!((found, error), (vec![None, Some(1), Some(7)], None));
        assert_eq!(item.into_token_stream().to_string(), strip_constants(function).to_string());
    }

    #[test]
    fn wrong_attributes_are_reported() {
        let error = |param: TokenStream| read(quote!(fn f(#param) {})).1.unwrap_or_default();
        let max = "a slice in constant memory needs a greatest number of elements";
        assert!(error(quote!(#[constant] x: &[f32])).starts_with(max));
        let form = "write `#[constant]` or `#[constant(max = 1024)]`";
        assert_eq!(error(quote!(#[constant(1024)] x: &[f32])), form);
        assert_eq!(error(quote!(#[constant = 4] x: &[f32])), form);
        assert_eq!(error(quote!(#[constant(max = N)] x: &[f32])), form);
        let reference = "only what a kernel reads by reference";
        assert!(error(quote!(#[constant] x: [f32; 4])).starts_with(reference));
        assert!(error(quote!(#[constant] x: &mut [f32])).starts_with(reference));
        let range = "constant memory has 1 to 65536 elements";
        assert_eq!(error(quote!(#[constant(max = 0)] x: &[f32])), range);
        assert_eq!(error(quote!(#[constant(max = 65537)] x: &[f32])), range);
        let slice = "only a slice has a greatest number of elements: write `#[constant]`";
        assert_eq!(error(quote!(#[constant(max = 4)] x: &[f32; 4])), slice);
        let twice = "the parameter is in constant memory already";
        assert_eq!(error(quote!(#[constant] #[constant] x: &u32)), twice);
    }
}
