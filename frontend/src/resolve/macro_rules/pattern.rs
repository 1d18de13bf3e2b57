//! Patterns of macro rules, and the bindings of a match.
use crate::resolve::macro_rules::template::{self, Template};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use std::collections::BTreeMap;
use syn::{
    Block, Error, Expr, Item, Lifetime, Lit, Meta, Pat, Path, Stmt, Token, Type, Visibility,
    ext::IdentExt as _,
    parse::{
        ParseStream, Parser as _,
        discouraged::{AnyDelimiter as _, Speculative as _},
    },
};

/// The rules of a `macro_rules!`.
pub(crate) struct Rules {
    rules: Vec<(Vec<PatternPart>, Template)>,
    /// True if an expansion may declare variables.
    pub(crate) may_bind: bool,
}

/// An element of a pattern.
enum PatternPart {
    Token(TokenTree),
    Group(Delimiter, Vec<Self>),
    /// `$name:kind`
    Fragment(String, String),
    /// `$(..)`, with its separator and repetition operator.
    Repeated(Vec<Self>, Vec<TokenTree>, char),
}

/// The match of a pattern variable.
#[derive(Clone)]
pub(crate) enum Binding {
    One(TokenStream),
    Many(Vec<Self>),
}

/// The matches of all pattern variables.
pub(crate) type Bindings = BTreeMap<String, Binding>;

impl Rules {
    /// Parses the content of `macro_rules! { .. }`; `None` if it has unsupported parts.
    pub(crate) fn parse(tokens: TokenStream) -> Option<Self> {
        let mut tokens = tokens.into_iter().peekable();
        let (mut rules, mut may_bind) = (Vec::new(), false);
        while let Some(token) = tokens.next() {
            let TokenTree::Group(pattern) = token else { return None };
            if !is_punct(&tokens.next()?, '=') || !is_punct(&tokens.next()?, '>') {
                return None;
            }
            let TokenTree::Group(body) = tokens.next()? else { return None };
            if tokens.peek().is_some_and(|next| is_punct(next, ';')) {
                tokens.next();
            }
            may_bind |= may_declare_variables(body.stream());
            let pattern = parse_pattern(pattern.stream())?;
            rules.push((pattern, Template::parse(body.stream())?));
        }
        Some(Self { rules, may_bind })
    }

    /// Expands `tokens` by the first rule that matches.
    pub(crate) fn apply(
        &self,
        tokens: &TokenStream,
        call: &template::MacroCall,
    ) -> Option<TokenStream> {
        self.rules.iter().find_map(|(pattern, template)| {
            let whole = |input: ParseStream<'_>| {
                let mut found = Bindings::new();
                match_parts(pattern, input, &mut found)?;
                if input.is_empty() { Ok(found) } else { Err(input.error("")) }
            };
            let found = whole.parse2(tokens.clone()).ok()?;
            Some(template.transcribe(&found, call))
        })?
    }
}

/// Returns true if an expansion of these tokens may declare variables.
fn may_declare_variables(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => {
            ["let", "for", "match", "if", "while"].iter().any(|it| word == it)
        }
        TokenTree::Punct(punct) => punct.as_char() == '|',
        TokenTree::Group(group) => may_declare_variables(group.stream()),
        TokenTree::Literal(_) => false,
    })
}

pub(crate) fn is_punct(token: &TokenTree, char: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == char)
}

fn parse_pattern(tokens: TokenStream) -> Option<Vec<PatternPart>> {
    let mut tokens = tokens.into_iter();
    let mut found = Vec::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '$' => match tokens.next()? {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                    let (between, often) = parse_repetition(&mut tokens)?;
                    found.push(PatternPart::Repeated(
                        parse_pattern(group.stream())?,
                        between,
                        often,
                    ));
                }
                TokenTree::Ident(name) if is_punct(&tokens.next()?, ':') => {
                    let TokenTree::Ident(kind) = tokens.next()? else { return None };
                    found.push(PatternPart::Fragment(name.to_string(), kind.to_string()));
                }
                _ => return None,
            },
            TokenTree::Group(group) => {
                found.push(PatternPart::Group(group.delimiter(), parse_pattern(group.stream())?));
            }
            token => found.push(PatternPart::Token(token)),
        }
    }
    Some(found)
}

/// Parses the tokens after `$(..)`: a separator, and `*`, `+` or `?`.
pub(crate) fn parse_repetition(
    tokens: &mut impl Iterator<Item = TokenTree>,
) -> Option<(Vec<TokenTree>, char)> {
    let mut between = Vec::new();
    loop {
        let token = tokens.next()?;
        if let TokenTree::Punct(punct) = &token
            && let often @ ('*' | '+' | '?') = punct.as_char()
        {
            return Some((between, often));
        }
        between.push(token);
    }
}

fn match_parts(
    parts: &[PatternPart],
    input: ParseStream<'_>,
    found: &mut Bindings,
) -> syn::Result<()> {
    for part in parts {
        match part {
            PatternPart::Token(token) => match_token(token, input)?,
            PatternPart::Group(delimiter, inner) => {
                let (opened, _, content) = input.parse_any_delimiter()?;
                if opened != *delimiter {
                    return Err(input.error(""));
                }
                match_parts(inner, &content, found)?;
                if !content.is_empty() {
                    return Err(content.error(""));
                }
            }
            PatternPart::Fragment(name, kind) => {
                found.insert(name.clone(), Binding::One(parse_fragment(kind, input)?));
            }
            PatternPart::Repeated(inner, between, often) => {
                match_repetition((inner.as_slice(), between.as_slice(), *often), input, found)?;
            }
        }
    }
    Ok(())
}

fn match_repetition(
    (inner, between, often): (&[PatternPart], &[TokenTree], char),
    input: ParseStream<'_>,
    found: &mut Bindings,
) -> syn::Result<()> {
    let mut all: Vec<Bindings> = Vec::new();
    while !(input.is_empty() || often == '?' && all.len() == 1) {
        let ahead = input.fork();
        let mut one = Bindings::new();
        let separators = if all.is_empty() { &[] } else { between };
        let is_there = separators.iter().all(|token| match_token(token, &ahead).is_ok())
            && match_parts(inner, &ahead, &mut one).is_ok();
        // An empty match would repeat forever.
        if !is_there || ahead.cursor() == input.cursor() {
            break;
        }
        input.advance_to(&ahead);
        all.push(one);
    }
    if often == '+' && all.is_empty() {
        return Err(input.error(""));
    }
    let mut names = Vec::new();
    collect_pattern_names(inner, &mut names);
    for name in names {
        let of_name = all.iter_mut().filter_map(|one| one.remove(&name));
        found.insert(name.clone(), Binding::Many(of_name.collect()));
    }
    Ok(())
}

fn collect_pattern_names(parts: &[PatternPart], names: &mut Vec<String>) {
    for part in parts {
        match part {
            PatternPart::Fragment(name, _) => names.push(name.clone()),
            PatternPart::Group(_, inner) | PatternPart::Repeated(inner, ..) => {
                collect_pattern_names(inner, names)
            }
            PatternPart::Token(_) => {}
        }
    }
}

/// Matches a literal token of the pattern.
fn match_token(token: &TokenTree, input: ParseStream<'_>) -> syn::Result<()> {
    let next: TokenTree = input.parse()?;
    let is_same = match (token, &next) {
        (TokenTree::Punct(a), TokenTree::Punct(b)) => a.as_char() == b.as_char(),
        (TokenTree::Ident(a), TokenTree::Ident(b)) => a == b,
        (TokenTree::Literal(a), TokenTree::Literal(b)) => a.to_string() == b.to_string(),
        _ => false,
    };
    if is_same { Ok(()) } else { Err(Error::new(next.span(), "")) }
}

/// Parses a fragment of this kind. Returns it in an invisible group if its neighbours could
/// otherwise become part of it.
fn parse_fragment(kind: &str, input: ParseStream<'_>) -> syn::Result<TokenStream> {
    Ok(match kind {
        "expr" | "expr_2021" => group_tokens(input.parse::<Expr>()?.into_token_stream()),
        "ty" => group_tokens(input.parse::<Type>()?.into_token_stream()),
        "ident" => {
            let name = Ident::parse_any(input)?;
            if name == "_" {
                return Err(Error::new(name.span(), ""));
            }
            name.into_token_stream()
        }
        "tt" => input.parse::<TokenTree>()?.into(),
        "literal" => {
            let minus = input.parse::<Option<Token![-]>>()?;
            let literal = input.parse::<Lit>()?;
            let mut tokens = minus.into_token_stream();
            literal.to_tokens(&mut tokens);
            group_tokens(tokens)
        }
        "lifetime" => input.parse::<Lifetime>()?.into_token_stream(),
        "path" => Path::parse_mod_style(input).map(|path| path.into_token_stream())?,
        "pat" => Pat::parse_multi_with_leading_vert(input)?.into_token_stream(),
        "pat_param" => Pat::parse_single(input)?.into_token_stream(),
        "block" => input.parse::<Block>()?.into_token_stream(),
        "stmt" => parse_statement_fragment(input)?,
        "item" => input.parse::<Item>()?.into_token_stream(),
        "meta" => input.parse::<Meta>()?.into_token_stream(),
        "vis" => input.parse::<Visibility>()?.into_token_stream(),
        _ => return Err(input.error("")),
    })
}

/// Groups several tokens, so that they act as one.
fn group_tokens(tokens: TokenStream) -> TokenStream {
    if tokens.clone().into_iter().nth(1).is_none() {
        return tokens;
    }
    TokenTree::Group(Group::new(Delimiter::None, tokens)).into()
}

/// Parses a statement without its final semicolon.
fn parse_statement_fragment(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !(input.is_empty() || input.peek(Token![;]) || input.peek(Token![=>])) {
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    let mut ended = tokens.clone();
    Token![;](Span::call_site()).to_tokens(&mut ended);
    syn::parse2::<Stmt>(ended).map(|_| tokens)
}
