//! The parser of paths, and of macro calls and types, which begin with one.
use crate::syntax::{
    parse::{
        TokenReader,
        expr::{bracket_of_group, paren_of_group},
    },
    tokens::Token,
};
use proc_macro2::Delimiter;
use syn::{
    Expr, ExprMacro, ExprPath, Macro, MacroDelimiter, Path, PathSegment, Token, Type, TypePath,
    punctuated::Punctuated,
};

impl TokenReader<'_> {
    /// Parses a path, a macro call or, where one `may_be_struct`, a struct expression; `None` leaves it
    /// to syn.
    pub(crate) fn parse_path_or_macro(&mut self, may_be_struct: bool) -> Option<Expr> {
        let path = self.parse_path()?;
        let attrs = Vec::new();
        match self.peek_joint() {
            ['!', '=', _] => {}
            ['!', ..] => {
                let bang_token = Token![!](self.take_punct('!')?);
                let Some(Token::Group(group, behind)) = self.peek() else { return None };
                let delimiter = match group.delimiter() {
                    Delimiter::Parenthesis => MacroDelimiter::Paren(paren_of_group(group)),
                    Delimiter::Bracket => MacroDelimiter::Bracket(bracket_of_group(group)),
                    // It may be a whole statement, or an item.
                    Delimiter::Brace | Delimiter::None => return None,
                };
                self.position = *behind;
                let mac = Macro { path, bang_token, delimiter, tokens: group.stream() };
                return Some(Expr::Macro(ExprMacro { attrs, mac }));
            }
            _ => {}
        }
        if may_be_struct && self.is_at_brace() {
            return None;
        }
        Some(Expr::Path(ExprPath { attrs, qself: None, path }))
    }

    fn is_at_brace(&self) -> bool {
        matches!(self.peek(), Some(Token::Group(group, _)) if group.delimiter() == Delimiter::Brace)
    }

    /// Parses names separated by `::`.
    fn parse_path(&mut self) -> Option<Path> {
        let mut segments = Punctuated::new();
        loop {
            let (word, text) = self.peek_word()?;
            if is_keyword(text) && !matches!(text, "self" | "Self" | "super" | "crate") {
                return None;
            }
            self.position += 1;
            segments.push_value(PathSegment::from(word.clone()));
            if self.peek_joint()[..2] != [':', ':'] {
                return Some(Path { leading_colon: None, segments });
            }
            let spans = [self.peek_punct(0)?.span(), self.peek_punct(1)?.span()];
            self.position += 2;
            segments.push_punct(Token![::](spans));
        }
    }

    /// Parses a type that is a path.
    pub(crate) fn parse_type(&mut self) -> Option<Type> {
        let path = self.parse_path()?;
        Some(Type::Path(TypePath { attrs: Vec::new(), qself: None, path }))
    }
}

/// Returns true if `word` is a keyword. Dispatches on the length first: the parser asks for every
/// name of a function.
pub(crate) fn is_keyword(word: &str) -> bool {
    match word.len() {
        1 => word == "_",
        2 => matches!(word, "as" | "do" | "fn" | "if" | "in"),
        3 => matches!(
            word,
            "box" | "dyn" | "for" | "let" | "mod" | "mut" | "pub" | "ref" | "try" | "use"
        ),
        4 => matches!(
            word,
            "else" | "enum" | "impl" | "loop" | "move" | "priv" | "Self" | "self" | "true" | "type"
        ),
        5 => matches!(
            word,
            "async"
                | "await"
                | "break"
                | "const"
                | "crate"
                | "false"
                | "final"
                | "macro"
                | "match"
                | "super"
                | "trait"
                | "where"
                | "while"
                | "yield"
        ),
        6 => matches!(
            word,
            "become" | "extern" | "return" | "static" | "struct" | "typeof" | "unsafe"
        ),
        // syn parses `builtin # ..`.
        7 => matches!(word, "builtin" | "unsized" | "virtual"),
        8 => matches!(word, "abstract" | "continue" | "override"),
        _ => false,
    }
}
