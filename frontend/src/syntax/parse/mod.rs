//! A parser of functions that yields the same syntax tree as syn, in fewer steps.
//!
//! At each operator and each atom, syn tries one alternative after the other. Without optimization,
//! as cargo builds macros, that takes longer than the rest of lowering a long kernel. Here one
//! token decides between alternatives: [`statement`] and [`expr`] parse the bulk of kernel code.
//! Any other statement is left to syn, and so is an erroneous function: all syntax errors are
//! syn's.
//!
//! **Invariant:** the syntax tree equals syn's. The tests parse thousands of functions both ways.
mod control;
mod expr;
mod operator;
mod path;
mod statement;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use crate::syntax::parse::{operator::is_compound_assignment, path::is_keyword};
use crate::syntax::{
    error::Unreadable,
    tokens::{Token, Tokens},
};
use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use syn::{
    Attribute, Block, FnModifiers, Item, ItemFn, Signature, Visibility,
    parse::{ParseStream, Parser as _},
    token::Brace,
};

/// Parses the item in `stream`, whose flattened tokens are `tokens`.
///
/// # Errors
/// syn's error, if the stream is not an item.
pub(crate) fn parse_item(tokens: &Tokens, stream: TokenStream) -> Result<Item, Unreadable> {
    match parse_function(tokens) {
        Some(item) => Ok(Item::Fn(item)),
        None => syn::parse2(stream).map_err(Unreadable::Syntax),
    }
}

/// Parses `tokens` as a function; `None` if they are another item, or may be wrong.
fn parse_function(tokens: &Tokens) -> Option<ItemFn> {
    // syn looks through invisible groups in some places, and not in others.
    if tokens.has_invisible_groups {
        return None;
    }
    let mut reader = TokenReader { tokens: &tokens.list, position: 0, end: tokens.list.len() };
    // The body is the last token: skip to it, and leave everything before it to syn.
    let mut body = 0;
    while !reader.is_done() {
        body = reader.position;
        reader.skip();
    }
    let head = reader.tokens_between(0, body);
    reader.position = body;
    let block = Box::new(reader.parse_block()?);
    let parse = |input: ParseStream<'_>| {
        let attributes = Attribute::parse_outer(input)?;
        Ok((attributes, input.parse::<Visibility>()?, input.parse::<Signature>()?))
    };
    let (attrs, vis, sig) = parse.parse2(head).ok()?;
    Some(ItemFn { attrs, vis, modifiers: FnModifiers::default(), sig, block })
}

/// A cursor over the remaining tokens of a group, or of the whole item. A parse method returns
/// `None` at input that it does not accept; the position is meaningless then.
struct TokenReader<'t> {
    tokens: &'t [Token],
    position: usize,
    end: usize,
}

impl<'t> TokenReader<'t> {
    fn is_done(&self) -> bool {
        self.position == self.end
    }

    /// Returns the next token.
    fn peek(&self) -> Option<&'t Token> {
        if self.position < self.end { self.tokens.get(self.position) } else { None }
    }

    /// Skips the next token, with its content if it is a group.
    fn skip(&mut self) {
        self.position = match self.peek() {
            Some(&Token::Group(_, behind)) => behind,
            Some(Token::Word(..) | Token::Punct(_) | Token::Literal(_)) => self.position + 1,
            None => self.end,
        };
    }

    /// Returns the next token, if it is a word: a name or keyword.
    fn peek_word(&self) -> Option<(&'t Ident, &'t str)> {
        match self.peek() {
            Some(Token::Word(word, text)) => Some((word, text)),
            Some(Token::Punct(_) | Token::Literal(_) | Token::Group(..)) | None => None,
        }
    }

    /// Skips the next token, if it is the word `expected`, and returns its span.
    fn take_word(&mut self, expected: &str) -> Option<Span> {
        let (word, text) = self.peek_word()?;
        if text != expected {
            return None;
        }
        self.position += 1;
        Some(word.span())
    }

    /// Returns the token after the next `ahead` ones, none of which may be a group, if it is
    /// punctuation.
    fn peek_punct(&self, ahead: usize) -> Option<&'t Punct> {
        let at = self.position + ahead;
        match self.tokens.get(at) {
            Some(Token::Punct(punct)) if at < self.end => Some(punct),
            Some(_) | None => None,
        }
    }

    /// Returns the next one to three punctuation characters without space between them, padded with
    /// ' '.
    fn peek_joint(&self) -> [char; 3] {
        let mut joint = [' '; 3];
        for (ahead, place) in joint.iter_mut().enumerate() {
            let Some(punct) = self.peek_punct(ahead) else { break };
            *place = punct.as_char();
            if punct.spacing() == Spacing::Alone {
                break;
            }
        }
        joint
    }

    /// Skips the next token, if it is the punctuation `expected`, joint or not, and returns its
    /// span.
    fn take_punct(&mut self, expected: char) -> Option<Span> {
        let punct = self.peek_punct(0).filter(|punct| punct.as_char() == expected)?;
        self.position += 1;
        Some(punct.span())
    }

    /// Skips the next token, if it is a group with this delimiter, and returns it with a reader of
    /// its content.
    fn take_group(&mut self, delimiter: Delimiter) -> Option<(&'t Group, Self)> {
        let Some(Token::Group(group, behind)) = self.peek() else { return None };
        if group.delimiter() != delimiter {
            return None;
        }
        let inside = Self { tokens: self.tokens, position: self.position + 1, end: *behind };
        self.position = *behind;
        Some((group, inside))
    }

    fn parse_block(&mut self) -> Option<Block> {
        let (group, mut inside) = self.take_group(Delimiter::Brace)?;
        let brace_token = Brace { span: group.delim_span() };
        Some(Block { brace_token, stmts: inside.parse_statements()? })
    }

    /// Returns the tokens between two positions, for syn.
    fn tokens_between(&self, start: usize, end: usize) -> TokenStream {
        let mut rest = Self { tokens: self.tokens, position: start, end };
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
