//! The parser of control flow: `if`, loops and jumps.
use crate::syntax::parse::{TokenReader, path::is_keyword};
use syn::{
    Block, Expr, ExprBlock, ExprBreak, ExprContinue, ExprForLoop, ExprIf, ExprLoop, ExprReturn,
    ExprWhile, Pat, PatIdent, PatWild, Token,
};

impl TokenReader<'_> {
    /// Parses `break`, `continue` and `return` without operands.
    pub(crate) fn parse_jump(&mut self) -> Option<Expr> {
        let attrs = Vec::new();
        let (word, text) = self.peek_word()?;
        self.position += 1;
        if !(self.is_done() || self.peek_punct(0).is_some_and(|punct| punct.as_char() == ';')) {
            return None;
        }
        let (span, label, expr) = (word.span(), None, None);
        Some(match text {
            "break" => {
                Expr::Break(ExprBreak { attrs, break_token: Token![break](span), label, expr })
            }
            "continue" => Expr::Continue(ExprContinue {
                attrs,
                continue_token: Token![continue](span),
                label,
            }),
            _ => Expr::Return(ExprReturn { attrs, return_token: Token![return](span), expr }),
        })
    }

    /// Parses `if`, `while`, `for` and `loop`.
    pub(crate) fn parse_control_flow(&mut self) -> Option<Expr> {
        let (attrs, label) = (Vec::new(), None);
        let (word, text) = self.peek_word()?;
        let span = word.span();
        if text == "if" {
            return self.parse_if_chain();
        }
        self.position += 1;
        match text {
            "loop" => {
                let (loop_token, body) = (Token![loop](span), self.parse_block()?);
                Some(Expr::Loop(ExprLoop { attrs, label, loop_token, body }))
            }
            "while" => {
                let (while_token, cond) = (Token![while](span), Box::new(self.parse_expr(false)?));
                let body = self.parse_block()?;
                Some(Expr::While(ExprWhile { attrs, label, while_token, cond, body }))
            }
            "for" => {
                let (for_token, pat) =
                    (Token![for](span), Box::new(self.parse_name_or_wildcard()?));
                let in_token = Token![in](self.take_word("in")?);
                let (expr, body) = (Box::new(self.parse_expr(false)?), self.parse_block()?);
                let looped = ExprForLoop { attrs, label, for_token, pat, in_token, expr, body };
                Some(Expr::ForLoop(looped))
            }
            _ => None,
        }
    }

    fn parse_name_or_wildcard(&mut self) -> Option<Pat> {
        match self.take_word("_") {
            Some(span) => {
                let underscore_token = Token![_](span);
                Some(Pat::Wild(PatWild { attrs: Vec::new(), underscore_token }))
            }
            None => self.parse_name_pattern(),
        }
    }

    /// Parses a pattern that is a name.
    pub(crate) fn parse_name_pattern(&mut self) -> Option<Pat> {
        let mutability = self.take_word("mut").map(Token![mut]);
        let (word, text) = self.peek_word()?;
        if is_keyword(text) {
            return None;
        }
        self.position += 1;
        let (attrs, ident) = (Vec::new(), word.clone());
        Some(Pat::Ident(PatIdent { attrs, by_ref: None, mutability, ident, subpat: None }))
    }

    /// Parses an `if` with all of its `else if`s in a loop, since they do not count as nested.
    fn parse_if_chain(&mut self) -> Option<Expr> {
        let mut clauses: Vec<(ExprIf, Token![else])> = Vec::new();
        let mut last = loop {
            let if_token = Token![if](self.take_word("if")?);
            let (cond, then_branch) = (Box::new(self.parse_expr(false)?), self.parse_block()?);
            let (attrs, else_branch) = (Vec::new(), None);
            let mut clause = ExprIf { attrs, if_token, cond, then_branch, else_branch };
            let Some(span) = self.take_word("else") else { break clause };
            let else_token = Token![else](span);
            if self.peek_word().is_none() {
                clause.else_branch = Some((else_token, Box::new(block_expr(self.parse_block()?))));
                break clause;
            }
            clauses.push((clause, else_token));
        };
        while let Some((mut before, else_token)) = clauses.pop() {
            before.else_branch = Some((else_token, Box::new(Expr::If(last))));
            last = before;
        }
        Some(Expr::If(last))
    }
}

fn block_expr(block: Block) -> Expr {
    Expr::Block(ExprBlock { attrs: Vec::new(), label: None, block })
}
