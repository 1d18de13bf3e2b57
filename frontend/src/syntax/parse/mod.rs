//! Functions from tokens: what syn's parser yields, in fewer steps.
//!
//! syn tries one alternative after the other, for each operator and each atom all that there are. Without optimization, as
//! cargo builds macros, that takes longer than all the rest of lowering a long kernel. Here a token decides at once what it
//! begins: [`statement`] and [`expr`] read what most kernel code is made of. A statement that has anything else in it is
//! syn's, and so is a function that is wrong: its errors are syn's.
//!
//! **Invariant:** what is read here is what syn reads. The tests read thousands of functions both ways.
mod control;
mod expr;
mod operator;
mod path;
mod statement;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use crate::syntax::parse::path::is_keyword;
use crate::syntax::tokens::{Token, Tokens};
use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use syn::{
    Attribute, Block, FnModifiers, Item, ItemFn, Signature, Visibility,
    parse::{ParseStream, Parser as _},
    token::Brace,
};

/// The item that `stream` is, which has these `tokens`.
///
/// # Errors
/// syn's, if it is none.
pub(crate) fn item(tokens: &Tokens, stream: TokenStream) -> syn::Result<Item> {
    match function(tokens) {
        Some(item) => Ok(Item::Fn(item)),
        None => syn::parse2(stream),
    }
}

/// The function that `tokens` are; `None` if they are something else, or may be wrong.
fn function(tokens: &Tokens) -> Option<ItemFn> {
    // syn sees through invisible groups in some places, and not in others.
    if tokens.has_invisible_groups {
        return None;
    }
    let mut reader = Reader { tokens: &tokens.list, at: 0, end: tokens.list.len() };
    let mut body = 0;
    while !reader.is_done() {
        body = reader.at;
        reader.skip();
    }
    let head = reader.between(0, body);
    reader.at = body;
    let block = Box::new(reader.block()?);
    let parse = |input: ParseStream<'_>| {
        let attributes = Attribute::parse_outer(input)?;
        Ok((attributes, input.parse::<Visibility>()?, input.parse::<Signature>()?))
    };
    let (attrs, vis, sig) = parse.parse2(head).ok()?;
    Some(ItemFn { attrs, vis, modifiers: FnModifiers::default(), sig, block })
}

/// What is left of a group, or of all tokens. What reads it returns `None` at what is not for it; where the reader is then
/// says nothing.
struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
    end: usize,
}

impl<'t> Reader<'t> {
    fn is_done(&self) -> bool {
        self.at == self.end
    }

    /// The next token.
    fn peek(&self) -> Option<&'t Token> {
        if self.at < self.end { self.tokens.get(self.at) } else { None }
    }

    /// Past the next token, with all that is in it.
    fn skip(&mut self) {
        self.at = match self.peek() {
            Some(&Token::Group(_, behind)) => behind,
            Some(Token::Word(..) | Token::Punct(_) | Token::Literal(_)) => self.at + 1,
            None => self.end,
        };
    }

    /// The next token, if it is a word: a name or keyword.
    fn word(&self) -> Option<(&'t Ident, &'t str)> {
        match self.peek() {
            Some(Token::Word(word, text)) => Some((word, text)),
            Some(Token::Punct(_) | Token::Literal(_) | Token::Group(..)) | None => None,
        }
    }

    /// Past the next token, if it is this word; where that is.
    fn take_word(&mut self, expected: &str) -> Option<Span> {
        let (word, text) = self.word()?;
        if text != expected {
            return None;
        }
        self.at += 1;
        Some(word.span())
    }

    /// The next token but `ahead`, none of which may be a group, if it is punctuation.
    fn punct(&self, ahead: usize) -> Option<&'t Punct> {
        let at = self.at + ahead;
        match self.tokens.get(at) {
            Some(Token::Punct(punct)) if at < self.end => Some(punct),
            Some(_) | None => None,
        }
    }

    /// The next tokens as far as nothing is between them, if they are punctuation: one to three, and ' ' for none.
    fn joint(&self) -> [char; 3] {
        let mut joint = [' '; 3];
        for (ahead, place) in joint.iter_mut().enumerate() {
            let Some(punct) = self.punct(ahead) else { break };
            *place = punct.as_char();
            if punct.spacing() == Spacing::Alone {
                break;
            }
        }
        joint
    }

    /// Past the next token, if it is this punctuation, whatever it is joined with; where that is.
    fn take_punct(&mut self, expected: char) -> Option<Span> {
        let punct = self.punct(0).filter(|punct| punct.as_char() == expected)?;
        self.at += 1;
        Some(punct.span())
    }

    /// Past the next token, if it is such a group; the group, and what is in it.
    fn take_group(&mut self, delimiter: Delimiter) -> Option<(&'t Group, Self)> {
        let Some(Token::Group(group, behind)) = self.peek() else { return None };
        if group.delimiter() != delimiter {
            return None;
        }
        let inside = Self { tokens: self.tokens, at: self.at + 1, end: *behind };
        self.at = *behind;
        Some((group, inside))
    }

    fn block(&mut self) -> Option<Block> {
        let (group, mut inside) = self.take_group(Delimiter::Brace)?;
        let brace_token = Brace { span: group.delim_span() };
        Some(Block { brace_token, stmts: inside.statements()? })
    }

    /// The tokens from one place to another, for syn.
    fn between(&self, start: usize, end: usize) -> TokenStream {
        let mut rest = Self { tokens: self.tokens, at: start, end };
        let mut trees = Vec::new();
        while let Some(token) = rest.peek() {
            trees.push(match token {
                Token::Word(word, _) => TokenTree::Ident(word.clone()),
                Token::Punct(punct) => TokenTree::Punct(punct.clone()),
                Token::Literal(literal) => TokenTree::Literal(literal.clone()),
                Token::Group(group, _) => TokenTree::Group(group.clone()),
            });
            rest.skip();
        }
        trees.into_iter().collect()
    }
}
