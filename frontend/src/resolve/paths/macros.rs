//! Parsing of macro arguments. rustc expands these macros, so their arguments are parsed here by
//! each macro's grammar.
use proc_macro2::TokenStream;
use syn::{
    Expr, Pat, Token, Type,
    parse::{ParseStream, Parser},
    punctuated::Punctuated,
};

/// A parsed macro argument.
pub(crate) enum MacroArgument {
    /// An expression.
    Expr(Box<Expr>),
    /// The type of shared memory.
    Type(Box<Type>),
    /// A pattern with its condition.
    Arm(Box<Pat>, Option<Box<Expr>>),
}

/// Returns the arguments of the macro `name` as far as they parse; lowering reports the rest.
pub(crate) fn parse_macro_arguments(name: &str, tokens: &TokenStream) -> Vec<MacroArgument> {
    let parsed = match name {
        "shared" => parse_type.parse2(tokens.clone()),
        "shared_dyn" => parse_dynamic.parse2(tokens.clone()),
        // Their arguments are not Rust code, or not kernel code.
        "cfg" | "asm" | "global_asm" | "ptx" | "stringify" | "thread_local" => return Vec::new(),
        "matches" => parse_matches.parse2(tokens.clone()),
        _ => parse_exprs.parse2(tokens.clone()),
    };
    parsed.unwrap_or_default()
}

fn parse_type(input: ParseStream<'_>) -> syn::Result<Vec<MacroArgument>> {
    Ok(vec![MacroArgument::Type(input.parse()?)])
}

fn parse_dynamic(input: ParseStream<'_>) -> syn::Result<Vec<MacroArgument>> {
    let (ty, len) = parse_shared_dyn(input)?;
    Ok(vec![MacroArgument::Type(Box::new(ty)), MacroArgument::Expr(Box::new(len))])
}

/// Parses the arguments of `shared_dyn!`: `f32, n * 2`.
pub(crate) fn parse_shared_dyn(input: ParseStream<'_>) -> syn::Result<(Type, Expr)> {
    let ty = input.parse()?;
    input.parse::<Token![,]>()?;
    let len = input.parse()?;
    input.parse::<Option<Token![,]>>()?;
    Ok((ty, len))
}

/// Parses `x, Some(1..=3) | None if y`.
fn parse_matches(input: ParseStream<'_>) -> syn::Result<Vec<MacroArgument>> {
    let value = input.parse()?;
    input.parse::<Token![,]>()?;
    let pattern = Box::new(Pat::parse_multi_with_leading_vert(input)?);
    let guard = input.parse::<Option<Token![if]>>()?.map(|_| input.parse()).transpose()?;
    input.parse::<Option<Token![,]>>()?;
    Ok(vec![MacroArgument::Expr(value), MacroArgument::Arm(pattern, guard)])
}

/// Parses `x == y, "{}", z`.
fn parse_exprs(input: ParseStream<'_>) -> syn::Result<Vec<MacroArgument>> {
    let exprs = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
    Ok(exprs.into_iter().map(|expr| MacroArgument::Expr(Box::new(expr))).collect())
}
