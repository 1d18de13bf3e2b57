//! The parser of expressions: operators over atoms, and postfix operations on atoms.
//!
//! Left to syn: `match`, closures, struct literals, `if let`, turbofish, labels, and ranges without
//! a start.
use crate::syntax::{
    parse::{
        Reader,
        operator::{Operator, Precedence, of_binary},
        path::is_keyword,
    },
    tokens::Token,
};
use proc_macro2::{Delimiter, Group};
use syn::{
    Expr, ExprArray, ExprAssign, ExprBinary, ExprBlock, ExprCall, ExprCast, ExprField, ExprIndex,
    ExprLit, ExprMethodCall, ExprParen, ExprRange, ExprReference, ExprRepeat, ExprTry, ExprTuple,
    ExprUnary, Index, Lit, LitBool, Member, RangeLimits, Token, UnOp,
    punctuated::Punctuated,
    token::{Bracket, Paren},
};

impl Reader<'_> {
    /// Parses an expression. Without `structs`, a brace after a name begins a block.
    pub(crate) fn expr(&mut self, structs: bool) -> Option<Expr> {
        let first = self.prefixed(structs)?;
        self.operators(first, Precedence::Lowest, structs)
    }

    /// Parses an expression that takes all remaining tokens.
    fn only_expr(&mut self) -> Option<Expr> {
        let expr = self.expr(true)?;
        self.is_done().then_some(expr)
    }

    /// Extends `left` by the operators that bind at least as tightly as `base`.
    fn operators(&mut self, mut left: Expr, base: Precedence, structs: bool) -> Option<Expr> {
        while let Some((operator, length)) = self.operator() {
            let precedence = operator.precedence();
            // A range is never an operand.
            if precedence < base || matches!(left, Expr::Range(_)) {
                break;
            }
            self.at += length;
            let attrs = Vec::new();
            left = match operator {
                Operator::Binary(op) => {
                    if precedence == Precedence::Compare && is_comparison(&left) {
                        return None;
                    }
                    let right = self.right(precedence, structs)?;
                    Expr::Binary(ExprBinary { attrs, left: Box::new(left), op, right })
                }
                Operator::Assign(eq_token) => {
                    let right = self.right(precedence, structs)?;
                    Expr::Assign(ExprAssign { attrs, left: Box::new(left), eq_token, right })
                }
                Operator::Range(limits) => {
                    let end = self.range_end(&limits, structs)?;
                    Expr::Range(ExprRange { attrs, start: Some(Box::new(left)), limits, end })
                }
                Operator::Cast(as_token) => {
                    let ty = Box::new(self.ty()?);
                    if !self.is_behind_cast() {
                        return None;
                    }
                    Expr::Cast(ExprCast { attrs, expr: Box::new(left), as_token, ty })
                }
            };
        }
        Some(left)
    }

    /// Parses the right operand of an operator.
    fn right(&mut self, precedence: Precedence, structs: bool) -> Option<Box<Expr>> {
        let mut right = self.prefixed(structs)?;
        loop {
            let next = self.operator().map_or(Precedence::Lowest, |(next, _)| next.precedence());
            let is_next_first =
                next > precedence || next == precedence && next == Precedence::Assign;
            let before = self.at;
            if is_next_first {
                right = self.operators(right, next, structs)?;
            }
            if self.at == before {
                return Some(Box::new(right));
            }
        }
    }

    /// Parses the end of a range, if there is one.
    #[expect(clippy::option_option, reason = "outside, whether it is read here")]
    fn range_end(&mut self, limits: &RangeLimits, structs: bool) -> Option<Option<Box<Expr>>> {
        let is_open = match self.peek() {
            None => true,
            Some(Token::Punct(punct)) => matches!(punct.as_char(), ',' | ';'),
            Some(Token::Group(group, _)) => !structs && group.delimiter() == Delimiter::Brace,
            Some(Token::Word(..) | Token::Literal(_)) => false,
        };
        if is_open && matches!(limits, RangeLimits::HalfOpen(_)) {
            return Some(None);
        }
        Some(Some(self.right(Precedence::Range, structs)?))
    }

    /// Returns true if the next token may follow a cast to a plain name.
    fn is_behind_cast(&self) -> bool {
        match self.peek() {
            None | Some(Token::Word(..) | Token::Literal(_)) => true,
            Some(Token::Group(group, _)) => group.delimiter() == Delimiter::Brace,
            Some(Token::Punct(_)) => match self.joint() {
                ['!' | '<', '=', _] | ['.', '.', _] => true,
                ['<' | '!' | '.' | '?', ..] => false,
                _ => true,
            },
        }
    }

    /// Parses an atom with its prefix and postfix operators.
    fn prefixed(&mut self, structs: bool) -> Option<Expr> {
        let Some(Token::Punct(punct)) = self.peek() else {
            let atom = self.atom(structs)?;
            return self.trailers(atom);
        };
        let span = punct.span();
        let op = match punct.as_char() {
            '-' => UnOp::Neg(Token![-](span)),
            '!' => UnOp::Not(Token![!](span)),
            '*' => UnOp::Deref(Token![*](span)),
            '&' => return self.reference(structs),
            _ => return None,
        };
        self.at += 1;
        let expr = Box::new(self.prefixed(structs)?);
        Some(Expr::Unary(ExprUnary { attrs: Vec::new(), op, expr }))
    }

    fn reference(&mut self, structs: bool) -> Option<Expr> {
        let and_token = Token![&](self.take_punct('&')?);
        if self.word().is_some_and(|(_, text)| text == "raw") {
            return None;
        }
        let mutability = self.take_word("mut").map(Token![mut]);
        let expr = Box::new(self.prefixed(structs)?);
        Some(Expr::Reference(ExprReference { attrs: Vec::new(), and_token, mutability, expr }))
    }

    fn atom(&mut self, structs: bool) -> Option<Expr> {
        let attrs = Vec::new();
        match self.peek()? {
            Token::Literal(literal) => {
                self.at += 1;
                Some(Expr::Lit(ExprLit { attrs, lit: Lit::new(literal.clone()) }))
            }
            Token::Group(group, _) => match group.delimiter() {
                Delimiter::Parenthesis => self.paren_or_tuple(),
                Delimiter::Bracket => self.array_or_repeat(),
                Delimiter::Brace => {
                    let block = self.block()?;
                    Some(Expr::Block(ExprBlock { attrs, label: None, block }))
                }
                Delimiter::None => None,
            },
            Token::Word(word, text) => match text.as_str() {
                "true" | "false" => {
                    self.at += 1;
                    let lit = Lit::Bool(LitBool { value: text == "true", span: word.span() });
                    Some(Expr::Lit(ExprLit { attrs, lit }))
                }
                "if" | "while" | "for" | "loop" => self.control(),
                "break" | "continue" | "return" => self.leave(),
                _ => self.path_or_macro(structs),
            },
            Token::Punct(_) => None,
        }
    }

    /// Parses the calls, indices, fields and methods after `expr`.
    fn trailers(&mut self, mut expr: Expr) -> Option<Expr> {
        loop {
            let attrs = Vec::new();
            expr = if let Some((group, mut inside)) = self.take_group(Delimiter::Parenthesis) {
                let (func, paren_token) = (Box::new(expr), paren(group));
                Expr::Call(ExprCall { attrs, func, paren_token, args: inside.list()? })
            } else if let Some((group, mut inside)) = self.take_group(Delimiter::Bracket) {
                let index = Box::new(inside.only_expr()?);
                let (expr, bracket_token) = (Box::new(expr), bracket(group));
                Expr::Index(ExprIndex { attrs, expr, bracket_token, index })
            } else if let Some(punct) = self.punct(0) {
                match punct.as_char() {
                    '.' if self.joint()[1] != '.' => self.member(expr)?,
                    '?' => {
                        self.at += 1;
                        let question_token = Token![?](punct.span());
                        Expr::Try(ExprTry { attrs, expr: Box::new(expr), question_token })
                    }
                    _ => return Some(expr),
                }
            } else {
                return Some(expr);
            };
        }
    }

    /// Parses a field or method of `expr`.
    fn member(&mut self, expr: Expr) -> Option<Expr> {
        let attrs = Vec::new();
        let dot_token = Token![.](self.take_punct('.')?);
        let method = match self.peek()? {
            Token::Word(name, text) if !is_keyword(text) => name.clone(),
            Token::Literal(literal) => {
                let Lit::Int(number) = Lit::new(literal.clone()) else { return None };
                if !number.suffix().is_empty() {
                    return None;
                }
                self.at += 1;
                let index = Index { index: number.base10_parse().ok()?, span: number.span() };
                let (base, member) = (Box::new(expr), Member::Unnamed(index));
                return Some(Expr::Field(ExprField { attrs, base, dot_token, member }));
            }
            Token::Word(..) | Token::Punct(_) | Token::Group(..) => return None,
        };
        self.at += 1;
        if self.joint()[..2] == [':', ':'] {
            return None;
        }
        let Some((group, mut inside)) = self.take_group(Delimiter::Parenthesis) else {
            let (base, member) = (Box::new(expr), Member::Named(method));
            return Some(Expr::Field(ExprField { attrs, base, dot_token, member }));
        };
        let (receiver, turbofish, paren_token) = (Box::new(expr), None, paren(group));
        let args = inside.list()?;
        let call =
            ExprMethodCall { attrs, receiver, dot_token, method, turbofish, paren_token, args };
        Some(Expr::MethodCall(call))
    }

    /// Parses the remaining tokens as expressions separated by commas.
    fn list(&mut self) -> Option<Punctuated<Expr, Token![,]>> {
        let mut list = Punctuated::new();
        self.more(&mut list)?;
        Some(list)
    }

    fn more(&mut self, list: &mut Punctuated<Expr, Token![,]>) -> Option<()> {
        while !self.is_done() {
            list.push_value(self.expr(true)?);
            if !self.is_done() {
                list.push_punct(Token![,](self.take_punct(',')?));
            }
        }
        Some(())
    }

    fn paren_or_tuple(&mut self) -> Option<Expr> {
        let attrs = Vec::new();
        let (group, mut inside) = self.take_group(Delimiter::Parenthesis)?;
        let paren_token = paren(group);
        let mut elems = inside.list()?;
        if elems.len() == 1 && !elems.trailing_punct() {
            let expr = Box::new(elems.pop()?);
            return Some(Expr::Paren(ExprParen { attrs, paren_token, expr }));
        }
        Some(Expr::Tuple(ExprTuple { attrs, paren_token, elems }))
    }

    fn array_or_repeat(&mut self) -> Option<Expr> {
        let attrs = Vec::new();
        let (group, mut inside) = self.take_group(Delimiter::Bracket)?;
        let bracket_token = bracket(group);
        let mut elems = Punctuated::new();
        if !inside.is_done() {
            let first = inside.expr(true)?;
            if let Some(semi) = inside.take_punct(';') {
                let (expr, len) = (Box::new(first), Box::new(inside.only_expr()?));
                let semi_token = Token![;](semi);
                let repeat = ExprRepeat { attrs, bracket_token, expr, semi_token, len };
                return Some(Expr::Repeat(repeat));
            }
            elems.push_value(first);
            if !inside.is_done() {
                elems.push_punct(Token![,](inside.take_punct(',')?));
            }
        }
        inside.more(&mut elems)?;
        Some(Expr::Array(ExprArray { attrs, bracket_token, elems }))
    }
}

pub(crate) fn paren(group: &Group) -> Paren {
    Paren { span: group.delim_span() }
}

pub(crate) fn bracket(group: &Group) -> Bracket {
    Bracket { span: group.delim_span() }
}

fn is_comparison(expr: &Expr) -> bool {
    matches!(expr, Expr::Binary(binary) if of_binary(&binary.op) == Precedence::Compare)
}
