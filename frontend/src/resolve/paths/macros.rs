//! What stands in the macros that kernel code may use: rustc expands them, so their tokens are
//! parsed here as those macros would.
use proc_macro2::TokenStream;
use syn::{
    Expr, Pat, Token, Type,
    parse::{ParseStream, Parser},
    punctuated::Punctuated,
};

/// Something that a macro is given.
pub(crate) enum Part {
    /// An expression.
    Expr(Box<Expr>),
    /// The type of shared memory.
    Type(Box<Type>),
    /// A pattern with its condition.
    Arm(Box<Pat>, Option<Box<Expr>>),
}

/// What the macro `name` is given, as far as it parses; lowering reports the rest.
pub(crate) fn parts(name: &str, tokens: &TokenStream) -> Vec<Part> {
    let parsed = match name {
        "shared" => parse_type.parse2(tokens.clone()),
        "shared_dyn" => parse_dynamic.parse2(tokens.clone()),
        // What is in these is no Rust, or no code of the kernel.
        "cfg" | "asm" | "global_asm" | "stringify" | "thread_local" => return Vec::new(),
        "matches" => parse_matches.parse2(tokens.clone()),
        _ => parse_exprs.parse2(tokens.clone()),
    };
    parsed.unwrap_or_default()
}

fn parse_type(input: ParseStream<'_>) -> syn::Result<Vec<Part>> {
    Ok(vec![Part::Type(input.parse()?)])
}

fn parse_dynamic(input: ParseStream<'_>) -> syn::Result<Vec<Part>> {
    let (ty, len) = shared_dyn(input)?;
    Ok(vec![Part::Type(Box::new(ty)), Part::Expr(Box::new(len))])
}

/// What `shared_dyn!` is given: `f32, n * 2`.
pub(crate) fn shared_dyn(input: ParseStream<'_>) -> syn::Result<(Type, Expr)> {
    let ty = input.parse()?;
    input.parse::<Token![,]>()?;
    let len = input.parse()?;
    input.parse::<Option<Token![,]>>()?;
    Ok((ty, len))
}

/// `x, Some(1..=3) | None if y`
fn parse_matches(input: ParseStream<'_>) -> syn::Result<Vec<Part>> {
    let value = input.parse()?;
    input.parse::<Token![,]>()?;
    let pattern = Box::new(Pat::parse_multi_with_leading_vert(input)?);
    let guard = input.parse::<Option<Token![if]>>()?.map(|_| input.parse()).transpose()?;
    input.parse::<Option<Token![,]>>()?;
    Ok(vec![Part::Expr(value), Part::Arm(pattern, guard)])
}

/// `x == y, "{}", z`
fn parse_exprs(input: ParseStream<'_>) -> syn::Result<Vec<Part>> {
    let exprs = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
    Ok(exprs.into_iter().map(|expr| Part::Expr(Box::new(expr))).collect())
}
