//! The parser of statements. Unsupported statements are left to syn, one at a time; if the end of
//! one is in doubt, syn parses the rest of the block.
use crate::syntax::{parse::TokenReader, tokens::Token};
use proc_macro2::{Delimiter, TokenStream};
use syn::{
    Block, Expr, ExprBlock, ExprMacro, Local, LocalInit, LocalModifiers, Pat, PatType, Stmt,
    StmtMacro, Token, parse::Parser as _,
};

impl TokenReader<'_> {
    /// Parses all remaining tokens as statements.
    pub(crate) fn parse_statements(&mut self) -> Option<Vec<Stmt>> {
        let mut statements = Vec::new();
        while !self.is_done() {
            let start = self.position;
            if let Some(statement) = self.parse_statement() {
                statements.push(statement);
            } else {
                self.position = start;
                statements.extend(self.parse_with_syn()?);
            }
        }
        Some(statements)
    }

    fn parse_statement(&mut self) -> Option<Stmt> {
        let expr = match self.peek()? {
            Token::Word(_, text) => match text.as_str() {
                "let" => return self.parse_let(),
                "if" | "while" | "for" | "loop" => self.parse_control_flow()?,
                _ => return self.parse_expr_statement(),
            },
            Token::Group(group, _) if group.delimiter() == Delimiter::Brace => {
                let block = self.parse_block()?;
                Expr::Block(ExprBlock { attrs: Vec::new(), label: None, block })
            }
            Token::Punct(_) | Token::Literal(_) | Token::Group(..) => {
                return self.parse_expr_statement();
            }
        };
        // A method call on the block's value.
        match self.peek_joint() {
            ['.', '.', _] => {}
            ['.' | '?', ..] => return None,
            _ => {}
        }
        Some(Stmt::Expr(expr, self.take_semicolon()))
    }

    /// Parses an expression that ends with the block, or before a semicolon.
    fn parse_expr_statement(&mut self) -> Option<Stmt> {
        let expr = self.parse_expr(true)?;
        let semi_token = self.take_semicolon();
        match (expr, semi_token) {
            (Expr::Macro(ExprMacro { attrs, mac }), Some(_)) => {
                Some(Stmt::Macro(StmtMacro { attrs, mac, semi_token }))
            }
            (expr, Some(_)) => Some(Stmt::Expr(expr, semi_token)),
            (expr, None) => self.is_done().then_some(Stmt::Expr(expr, None)),
        }
    }

    fn take_semicolon(&mut self) -> Option<Token![;]> {
        self.take_punct(';').map(Token![;])
    }

    /// Parses `let` with a name.
    fn parse_let(&mut self) -> Option<Stmt> {
        let let_token = Token![let](self.take_word("let")?);
        let mut pat = self.parse_name_pattern()?;
        if let [':', second, _] = self.peek_joint() {
            if second == ':' {
                return None;
            }
            let (attrs, colon_token) = (Vec::new(), Token![:](self.take_punct(':')?));
            let ty = Box::new(self.parse_type()?);
            pat = Pat::Type(PatType { attrs, pat: Box::new(pat), colon_token, ty });
        }
        let init = match self.take_punct('=') {
            None => None,
            Some(span) => {
                let expr = Box::new(self.parse_expr(true)?);
                Some(LocalInit { eq_token: Token![=](span), expr, diverge: None })
            }
        };
        let (attrs, modifiers) = (Vec::new(), LocalModifiers::default());
        let semi_token = self.take_semicolon()?;
        Some(Stmt::Local(Local { attrs, let_token, modifiers, pat, init, semi_token }))
    }

    /// Parses the next statement with syn; if that fails, all remaining ones.
    fn parse_with_syn(&mut self) -> Option<Vec<Stmt>> {
        let start = self.position;
        if self.skip_statement()
            && let Ok(statement) = syn::parse2::<Stmt>(self.tokens_between(start, self.position))
        {
            return Some(vec![statement]);
        }
        self.position = self.end;
        let rest: TokenStream = self.tokens_between(start, self.end);
        Block::parse_within.parse2(rest).ok()
    }

    /// Skips the next statement, if its end can be told: after its first semicolon, or after the
    /// braces of a block-like statement.
    fn skip_statement(&mut self) -> bool {
        while self.take_punct('#').is_some() {
            self.take_group(Delimiter::Bracket);
        }
        let begins_block = match self.peek() {
            Some(Token::Word(_, text)) => {
                matches!(text.as_str(), "match" | "if" | "while" | "for" | "loop" | "unsafe")
            }
            Some(Token::Punct(punct)) => punct.as_char() == '\'',
            Some(Token::Literal(_) | Token::Group(..)) | None => false,
        };
        while let Some(token) = self.peek() {
            self.skip();
            match token {
                Token::Punct(punct) if punct.as_char() == ';' => return true,
                Token::Group(group, _) if begins_block && group.delimiter() == Delimiter::Brace => {
                    let goes_on = match self.peek() {
                        None => false,
                        Some(Token::Word(_, text)) => text == "else",
                        Some(Token::Punct(punct)) => matches!(punct.as_char(), '.' | '?' | ';'),
                        Some(Token::Literal(_) | Token::Group(..)) => false,
                    };
                    if !goes_on {
                        return true;
                    }
                }
                Token::Word(..) | Token::Punct(_) | Token::Literal(_) | Token::Group(..) => {}
            }
        }
        false
    }
}
