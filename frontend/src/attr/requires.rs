//! `#[kernel(requires(x.len() >= y.len(), n % 4 == 0))]`: conditions that every launch fulfils.
//!
//! A condition is an expression of type `bool` over properties of the launch. This module checks
//! its form; lowering checks the names in it (`lower/control/require.rs`). The function for rustc
//! begins with the conditions, so that rustc checks their names and types, and so that a kernel
//! called on the host checks them, too.
use crate::syntax::{parse::is_compound_assignment, tokens::Tokens};
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Error, Expr, ExprLit, Lit, Token, UnOp, parse::Parser, punctuated::Punctuated};

/// A condition as written.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub(crate) expr: Expr,
    /// Its text, for messages.
    pub(crate) text: String,
}

/// Maximum nesting depth of a condition.
const MAX_CONDITION_DEPTH: usize = 64;

/// The message for an unsupported expression.
const FORM: &str = "a requirement compares integers that a launch knows: scalar parameters, \
                    `x.len()`, constants, `block_dim_x()`, `grid_dim_x()` and their kin, with \
                    `+ - * / %`, comparisons, `&& || !` and `as`";

/// Parses the content of `requires(..)`; `at` is the span of the word itself.
pub(crate) fn parse_conditions(conditions: TokenStream, at: Span) -> syn::Result<Vec<Condition>> {
    Tokens::read(&conditions)?;
    let list = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(conditions)?;
    if list.is_empty() {
        return Err(Error::new(at, "write the conditions: `requires(x.len() >= y.len())`"));
    }
    let mut found = Vec::new();
    let mut errors = None;
    for expr in list {
        let mut text = String::new();
        match print_condition(&expr, MAX_CONDITION_DEPTH, &mut text) {
            Ok(()) => found.push(Condition { expr, text }),
            Err(error) => crate::attr::combine_errors(&mut errors, error),
        }
    }
    errors.map_or(Ok(found), Err)
}

/// Prints a condition with conventional spacing; rejects unsupported expressions.
fn print_condition(expr: &Expr, depth: usize, text: &mut String) -> syn::Result<()> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(Error::new_spanned(expr, "a requirement cannot nest as deep as this"));
    };
    match expr {
        Expr::Paren(paren) => {
            text.push('(');
            print_condition(&paren.expr, depth, text)?;
            text.push(')');
        }
        Expr::Group(group) => print_condition(&group.expr, depth, text)?,
        Expr::Lit(ExprLit { lit: lit @ (Lit::Int(_) | Lit::Bool(_) | Lit::Byte(_)), .. }) => {
            text.push_str(&lit.to_token_stream().to_string());
        }
        Expr::Path(path) if path.qself.is_none() => text.push_str(&print_path(&path.path)),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) => {
            text.push_str(&unary.op.to_token_stream().to_string());
            print_condition(&unary.expr, depth, text)?;
        }
        Expr::Binary(binary) if !is_compound_assignment(&binary.op) => {
            print_condition(&binary.left, depth, text)?;
            text.push_str(&format!(" {} ", binary.op.to_token_stream()));
            print_condition(&binary.right, depth, text)?;
        }
        Expr::Cast(cast) => {
            print_condition(&cast.expr, depth, text)?;
            text.push_str(&format!(" as {}", print_type(&cast.ty)));
        }
        Expr::MethodCall(call) if call.turbofish.is_none() => {
            print_condition(&call.receiver, depth, text)?;
            text.push_str(&format!(".{}(", call.method));
            print_arguments(&call.args, depth, text)?;
        }
        Expr::Field(field) => {
            print_condition(&field.base, depth, text)?;
            text.push_str(&format!(".{}", field.member.to_token_stream()));
        }
        Expr::Call(call) if is_launch_dimension(&call.func) => {
            print_condition(&call.func, depth, text)?;
            text.push('(');
            print_arguments(&call.args, depth, text)?;
        }
        Expr::Call(call) => {
            let fact = "a requirement calls no function but `block_dim_x()`, `grid_dim_x()` and \
                        their kin, which a launch knows";
            return Err(Error::new_spanned(&call.func, fact));
        }
        other => return Err(Error::new_spanned(other, FORM)),
    }
    Ok(())
}

fn print_arguments(
    list: &Punctuated<Expr, Token![,]>,
    depth: usize,
    text: &mut String,
) -> syn::Result<()> {
    for (index, argument) in list.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        print_condition(argument, depth, text)?;
    }
    text.push(')');
    Ok(())
}

/// Returns a path without spaces.
fn print_path(path: &syn::Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}

fn print_type(ty: &syn::Type) -> String {
    ty.to_token_stream().to_string().replace(' ', "")
}

/// Returns true for functions named like `block_dim_x`. Lowering rejects those of them whose value
/// a launch does not know.
fn is_launch_dimension(function: &Expr) -> bool {
    let Expr::Path(path) = function else { return false };
    let last = path.path.segments.last().map(|segment| segment.ident.to_string());
    last.is_some_and(|name| {
        ["thread_idx", "block_idx", "block_dim", "grid_dim", "global_idx"].iter().any(|kind| {
            let axis = name.strip_prefix(kind);
            axis.is_some_and(|axis| matches!(axis, "_x" | "_y" | "_z"))
        })
    })
}

/// Inserts checks of `conditions` at the start of a kernel's function.
pub(crate) fn insert_checks(
    function: TokenStream,
    conditions: &[Condition],
    name: &str,
) -> TokenStream {
    if conditions.is_empty() {
        return function;
    }
    let mut tokens: Vec<TokenTree> = function.into_iter().collect();
    if let Some(TokenTree::Group(body)) = tokens.last_mut()
        && body.delimiter() == Delimiter::Brace
    {
        let (attributes, rest) = split_inner_attributes(body.stream());
        let checks = conditions.iter().map(|condition| check_statement(condition, name));
        let mut checked = Group::new(Delimiter::Brace, quote!(#attributes #(#checks)* #rest));
        checked.set_span(body.span());
        *body = checked;
    }
    tokens.into_iter().collect()
}

/// Returns a statement that panics if the condition is false.
fn check_statement(Condition { expr, text }: &Condition, name: &str) -> TokenStream {
    let refuse = quote_spanned!(Span::mixed_site()=> ::warpwise::__private::refuse(#text, #name));
    quote!(if #expr {} else { #refuse })
}

/// Splits a body into its leading `#![..]` and the rest.
fn split_inner_attributes(body: TokenStream) -> (TokenStream, TokenStream) {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let is = |at: usize, mark: char| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == mark);
    let mut end = 0;
    while is(end, '#')
        && is(end + 1, '!')
        && matches!(tokens.get(end + 2), Some(TokenTree::Group(_)))
    {
        end += 3;
    }
    let rest = tokens[end..].iter().cloned().collect();
    (tokens[..end].iter().cloned().collect(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(conditions: TokenStream) -> Result<Vec<String>, Vec<String>> {
        let parsed = parse_conditions(conditions, Span::call_site());
        parsed
            .map(|found| found.into_iter().map(|condition| condition.text).collect())
            .map_err(|errors| errors.into_iter().map(|error| error.to_string()).collect())
    }

    #[test]
    fn conditions_are_kept_as_one_writes_them() {
        let found = texts(quote!(
            x.len() >= y.len(),
            !(n as usize % 4 != 0) || -k < m::LIMIT,
            grid_dim_x() * warpwise::block_dim_x() <= a.min(b, c),
        ));
        let expected = [
            "x.len() >= y.len()",
            "!(n as usize % 4 != 0) || -k < m::LIMIT",
            "grid_dim_x() * warpwise::block_dim_x() <= a.min(b, c)",
        ];
        assert_eq!(found.unwrap(), expected);
    }

    #[test]
    fn other_expressions_are_refused() {
        let wrong = texts(quote!(n = 4, x[0] > 1, f(n) > 2, n += 1, { n > 1 }, 1.5 < n));
        let wrong = wrong.unwrap_err();
        assert_eq!(wrong.len(), 6, "{wrong:?}");
        assert!(wrong[2].contains("calls no function"), "{}", wrong[2]);
        assert!(texts(quote!()).is_err());
    }

    #[test]
    fn the_body_begins_with_the_conditions() {
        let conditions = parse_conditions(quote!(n > 1), Span::call_site()).unwrap();
        let checked = insert_checks(
            quote!(
                fn f(n: u32) {
                    #![allow(x)]
                    body();
                }
            ),
            &conditions,
            "f",
        );
        let expected = quote!(
            fn f(n: u32) {
                #![allow(x)]
                if n > 1 {
                } else {
                    ::warpwise::__private::refuse("n > 1", "f")
                }
                body();
            }
        );
        assert_eq!(checked.to_string(), expected.to_string());
    }
}
