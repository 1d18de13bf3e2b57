//! Templates of macro rules: the right-hand sides, and their transcription.
//!
//! A variable that a rule declares is distinct from a variable of the caller with the same name. So
//! transcription marks each name of the template; afterwards [`names`](super::names) removes the
//! mark from all names that are not declared in the expansion.
use crate::{
    resolve::macro_rules::pattern::{Binding, Bindings, is_punct, parse_repetition},
    syntax::parse::is_keyword,
};
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Span, TokenStream, TokenTree};

/// A macro call, as far as transcription needs it.
pub(crate) struct MacroCall {
    /// The span of the macro's name.
    pub(crate) span: Span,
    /// The suffix of names from the template.
    pub(crate) mark: String,
}

/// The parsed right-hand side of a rule.
pub(crate) struct Template(Vec<TemplatePart>);

enum TemplatePart {
    Token(TokenTree),
    Group(Delimiter, Vec<Self>),
    /// `$name`
    Name(String),
    /// `$(..)`, with its separator.
    Repeated(Vec<Self>, Vec<TokenTree>),
}

impl Template {
    pub(crate) fn parse(tokens: TokenStream) -> Option<Self> {
        parse_template(tokens).map(Self)
    }

    /// Substitutes bindings; `None` if their repetition depths do not fit.
    pub(crate) fn transcribe(&self, found: &Bindings, call: &MacroCall) -> Option<TokenStream> {
        let mut out = TokenStream::new();
        transcribe(&self.0, found, call, &mut out)?;
        Some(out)
    }
}

fn parse_template(tokens: TokenStream) -> Option<Vec<TemplatePart>> {
    let mut tokens = tokens.into_iter();
    let mut found = Vec::new();
    while let Some(token) = tokens.next() {
        match token {
            token if is_punct(&token, '$') => match tokens.next()? {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                    let (between, _) = parse_repetition(&mut tokens)?;
                    found.push(TemplatePart::Repeated(parse_template(group.stream())?, between));
                }
                TokenTree::Ident(name) if name != "crate" => {
                    found.push(TemplatePart::Name(name.to_string()));
                }
                _ => return None,
            },
            TokenTree::Group(group) => {
                found.push(TemplatePart::Group(group.delimiter(), parse_template(group.stream())?));
            }
            token => found.push(TemplatePart::Token(token)),
        }
    }
    Some(found)
}

fn transcribe(
    parts: &[TemplatePart],
    found: &Bindings,
    call: &MacroCall,
    out: &mut TokenStream,
) -> Option<()> {
    for part in parts {
        match part {
            TemplatePart::Token(token) => out.extend([hygienic_token(token, call)]),
            TemplatePart::Group(delimiter, inner) => {
                let mut stream = TokenStream::new();
                transcribe(inner, found, call, &mut stream)?;
                let mut group = Group::new(*delimiter, stream);
                group.set_span(call.span);
                out.extend([TokenTree::Group(group)]);
            }
            TemplatePart::Name(name) => match found.get(name)? {
                Binding::One(tokens) => out.extend(tokens.clone()),
                Binding::Many(_) => return None,
            },
            TemplatePart::Repeated(inner, between) => {
                for (index, one) in repetition_rounds(inner, found)?.into_iter().enumerate() {
                    if index > 0 {
                        out.extend(between.iter().map(|token| hygienic_token(token, call)));
                    }
                    transcribe(inner, &one, call, out)?;
                }
            }
        }
    }
    Some(())
}

/// Returns the bindings of each round of a repetition.
fn repetition_rounds(inner: &[TemplatePart], found: &Bindings) -> Option<Vec<Bindings>> {
    let mut names = Vec::new();
    collect_template_names(inner, &mut names);
    let many = names.into_iter().filter_map(|name| match found.get(&name)? {
        Binding::Many(many) => Some((name, many)),
        Binding::One(_) => None,
    });
    let many: Vec<(String, &Vec<Binding>)> = many.collect();
    let count = many.first()?.1.len();
    if many.iter().any(|(_, of)| of.len() != count) {
        return None;
    }
    let round = |index: usize| {
        let mut one = found.clone();
        for (name, of) in &many {
            one.insert(name.clone(), of[index].clone());
        }
        one
    };
    Some((0..count).map(round).collect())
}

fn collect_template_names(parts: &[TemplatePart], names: &mut Vec<String>) {
    for part in parts {
        match part {
            TemplatePart::Name(name) => names.push(name.clone()),
            TemplatePart::Group(_, inner) | TemplatePart::Repeated(inner, _) => {
                collect_template_names(inner, names)
            }
            TemplatePart::Token(_) => {}
        }
    }
}

/// Returns a token of the template with the span of the call, marked if it is a name.
fn hygienic_token(token: &TokenTree, call: &MacroCall) -> TokenTree {
    match token {
        TokenTree::Ident(word) => {
            let text = word.to_string();
            if is_keyword(&text) || text.starts_with("r#") || is_type_name(&text) {
                let mut word = word.clone();
                word.set_span(call.span);
                return word.into();
            }
            Ident::new(&format!("{text}{}", call.mark), call.span).into()
        }
        TokenTree::Punct(punct) => {
            let mut punct = Punct::new(punct.as_char(), punct.spacing());
            punct.set_span(call.span);
            punct.into()
        }
        TokenTree::Literal(literal) => {
            let mut literal =
                mark_format_string(literal, &call.mark).unwrap_or_else(|| literal.clone());
            literal.set_span(call.span);
            literal.into()
        }
        TokenTree::Group(group) => group.clone().into(),
    }
}

fn is_type_name(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
}

/// Returns a format string with the names in its placeholders marked, as in `{sum:?}`; `None`
/// without placeholders.
fn mark_format_string(literal: &Literal, mark: &str) -> Option<Literal> {
    let text = literal.to_string();
    if !text.starts_with('"') || !text.contains('{') {
        return None;
    }
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('{') {
        let (before, behind) = rest.split_at(at + 1);
        out.push_str(before);
        rest = behind;
        if let Some(behind) = rest.strip_prefix('{') {
            out.push('{');
            rest = behind;
            continue;
        }
        let end = rest.find(|char: char| !(char == '_' || char.is_alphanumeric())).unwrap_or(0);
        let (name, behind) = rest.split_at(end);
        if name.starts_with(|char: char| char == '_' || char.is_lowercase()) {
            out.push_str(name);
            out.push_str(mark);
            rest = behind;
        }
    }
    out.push_str(rest);
    out.parse().ok()
}
