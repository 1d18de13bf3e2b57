//! The parser of expressions: operators over atoms, and postfix operations on atoms.
//!
//! Left to syn: `match`, closures, struct literals, `if let`, turbofish, labels, and ranges without
//! a start.
use crate::syntax::{
    parse::{
        TokenReader,
        operator::{Operator, Precedence, binary_precedence},
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

impl TokenReader<'_> {
    /// Parses an expression. Without `structs`, a brace after a name begins a block.
    pub(crate) fn parse_expr(&mut self, structs: bool) -> Option<Expr> {
        let first = self.parse_prefixed(structs)?;
        self.parse_operators(first, Precedence::Lowest, structs)
    }

    /// Parses an expression that takes all remaining tokens.
    fn parse_only_expr(&mut self) -> Option<Expr> {
        let expr = self.parse_expr(true)?;
        self.is_done().then_some(expr)
    }

    /// Extends `left` by the operators that bind at least as tightly as `base`.
    fn parse_operators(&mut self, mut left: Expr, base: Precedence, structs: bool) -> Option<Expr> {
        while let Some((operator, length)) = self.peek_operator() {
            let precedence = operator.precedence();
            // A range is never an operand.
            if precedence < base || matches!(left, Expr::Range(_)) {
                break;
            }
            self.position += length;
            let attrs = Vec::new();
            left = match operator {
                Operator::Binary(op) => {
                    // Chained comparisons are an error, which syn reports.
                    if precedence == Precedence::Compare && is_comparison(&left) {
                        return None;
                    }
                    let right = self.parse_right_operand(precedence, structs)?;
                    Expr::Binary(ExprBinary { attrs, left: Box::new(left), op, right })
                }
                Operator::Assign(eq_token) => {
                    let right = self.parse_right_operand(precedence, structs)?;
                    Expr::Assign(ExprAssign { attrs, left: Box::new(left), eq_token, right })
                }
                Operator::Range(limits) => {
                    let end = self.parse_range_end(&limits, structs)?;
                    Expr::Range(ExprRange { attrs, start: Some(Box::new(left)), limits, end })
                }
                Operator::Cast(as_token) => {
                    let ty = Box::new(self.parse_type()?);
                    if !self.can_follow_cast() {
                        return None;
                    }
                    Expr::Cast(ExprCast { attrs, expr: Box::new(left), as_token, ty })
                }
            };
        }
        Some(left)
    }

    /// Parses the right operand of an operator.
    fn parse_right_operand(&mut self, precedence: Precedence, structs: bool) -> Option<Box<Expr>> {
        let mut right = self.parse_prefixed(structs)?;
        loop {
            let next =
                self.peek_operator().map_or(Precedence::Lowest, |(next, _)| next.precedence());
            let is_next_first =
                next > precedence || next == precedence && next == Precedence::Assign;
            // A tighter operator binds the right operand first; assignment is right-associative.
            let before = self.position;
            if is_next_first {
                right = self.parse_operators(right, next, structs)?;
            }
            if self.position == before {
                return Some(Box::new(right));
            }
        }
    }

    /// Parses the end of a range, if there is one.
    #[expect(clippy::option_option, reason = "outside, whether it is read here")]
    fn parse_range_end(
        &mut self,
        limits: &RangeLimits,
        structs: bool,
    ) -> Option<Option<Box<Expr>>> {
        let is_open = match self.peek() {
            None => true,
            Some(Token::Punct(punct)) => matches!(punct.as_char(), ',' | ';'),
            Some(Token::Group(group, _)) => !structs && group.delimiter() == Delimiter::Brace,
            Some(Token::Word(..) | Token::Literal(_)) => false,
        };
        if is_open && matches!(limits, RangeLimits::HalfOpen(_)) {
            return Some(None);
        }
        Some(Some(self.parse_right_operand(Precedence::Range, structs)?))
    }

    /// Returns true if the next token may follow a cast to a plain name.
    fn can_follow_cast(&self) -> bool {
        match self.peek() {
            None | Some(Token::Word(..) | Token::Literal(_)) => true,
            Some(Token::Group(group, _)) => group.delimiter() == Delimiter::Brace,
            Some(Token::Punct(_)) => match self.peek_joint() {
                ['!' | '<', '=', _] | ['.', '.', _] => true,
                ['<' | '!' | '.' | '?', ..] => false,
                _ => true,
            },
        }
    }

    /// Parses an atom with its prefix and postfix operators.
    fn parse_prefixed(&mut self, structs: bool) -> Option<Expr> {
        let Some(Token::Punct(punct)) = self.peek() else {
            let atom = self.parse_atom(structs)?;
            return self.parse_postfix(atom);
        };
        let span = punct.span();
        let op = match punct.as_char() {
            '-' => UnOp::Neg(Token![-](span)),
            '!' => UnOp::Not(Token![!](span)),
            '*' => UnOp::Deref(Token![*](span)),
            '&' => return self.parse_reference(structs),
            _ => return None,
        };
        self.position += 1;
        let expr = Box::new(self.parse_prefixed(structs)?);
        Some(Expr::Unary(ExprUnary { attrs: Vec::new(), op, expr }))
    }

    fn parse_reference(&mut self, structs: bool) -> Option<Expr> {
        let and_token = Token![&](self.take_punct('&')?);
        if self.peek_word().is_some_and(|(_, text)| text == "raw") {
            return None;
        }
        let mutability = self.take_word("mut").map(Token![mut]);
        let expr = Box::new(self.parse_prefixed(structs)?);
        Some(Expr::Reference(ExprReference { attrs: Vec::new(), and_token, mutability, expr }))
    }

    fn parse_atom(&mut self, structs: bool) -> Option<Expr> {
        let attrs = Vec::new();
        match self.peek()? {
            Token::Literal(literal) => {
                self.position += 1;
                Some(Expr::Lit(ExprLit { attrs, lit: Lit::new(literal.clone()) }))
            }
            Token::Group(group, _) => match group.delimiter() {
                Delimiter::Parenthesis => self.parse_paren_or_tuple(),
                Delimiter::Bracket => self.parse_array_or_repeat(),
                Delimiter::Brace => {
                    let block = self.parse_block()?;
                    Some(Expr::Block(ExprBlock { attrs, label: None, block }))
                }
                Delimiter::None => None,
            },
            Token::Word(word, text) => match text.as_str() {
                "true" | "false" => {
                    self.position += 1;
                    let lit = Lit::Bool(LitBool { value: text == "true", span: word.span() });
                    Some(Expr::Lit(ExprLit { attrs, lit }))
                }
                "if" | "while" | "for" | "loop" => self.parse_control_flow(),
                "break" | "continue" | "return" => self.parse_jump(),
                _ => self.parse_path_or_macro(structs),
            },
            Token::Punct(_) => None,
        }
    }

    /// Parses the calls, indices, fields and methods after `expr`.
    fn parse_postfix(&mut self, mut expr: Expr) -> Option<Expr> {
        loop {
            let attrs = Vec::new();
            expr = if let Some((group, mut inside)) = self.take_group(Delimiter::Parenthesis) {
                let (func, paren_token) = (Box::new(expr), paren_of_group(group));
                Expr::Call(ExprCall { attrs, func, paren_token, args: inside.parse_comma_list()? })
            } else if let Some((group, mut inside)) = self.take_group(Delimiter::Bracket) {
                let index = Box::new(inside.parse_only_expr()?);
                let (expr, bracket_token) = (Box::new(expr), bracket_of_group(group));
                Expr::Index(ExprIndex { attrs, expr, bracket_token, index })
            } else if let Some(punct) = self.peek_punct(0) {
                match punct.as_char() {
                    '.' if self.peek_joint()[1] != '.' => self.parse_member(expr)?,
                    '?' => {
                        self.position += 1;
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
    fn parse_member(&mut self, expr: Expr) -> Option<Expr> {
        let attrs = Vec::new();
        let dot_token = Token![.](self.take_punct('.')?);
        let method = match self.peek()? {
            Token::Word(name, text) if !is_keyword(text) => name.clone(),
            Token::Literal(literal) => {
                let Lit::Int(number) = Lit::new(literal.clone()) else { return None };
                if !number.suffix().is_empty() {
                    return None;
                }
                self.position += 1;
                let index = Index { index: number.base10_parse().ok()?, span: number.span() };
                let (base, member) = (Box::new(expr), Member::Unnamed(index));
                return Some(Expr::Field(ExprField { attrs, base, dot_token, member }));
            }
            Token::Word(..) | Token::Punct(_) | Token::Group(..) => return None,
        };
        self.position += 1;
        // A turbofish.
        if self.peek_joint()[..2] == [':', ':'] {
            return None;
        }
        let Some((group, mut inside)) = self.take_group(Delimiter::Parenthesis) else {
            let (base, member) = (Box::new(expr), Member::Named(method));
            return Some(Expr::Field(ExprField { attrs, base, dot_token, member }));
        };
        let (receiver, turbofish, paren_token) = (Box::new(expr), None, paren_of_group(group));
        let args = inside.parse_comma_list()?;
        let call =
            ExprMethodCall { attrs, receiver, dot_token, method, turbofish, paren_token, args };
        Some(Expr::MethodCall(call))
    }

    /// Parses the remaining tokens as expressions separated by commas.
    fn parse_comma_list(&mut self) -> Option<Punctuated<Expr, Token![,]>> {
        let mut list = Punctuated::new();
        self.parse_list_rest(&mut list)?;
        Some(list)
    }

    fn parse_list_rest(&mut self, list: &mut Punctuated<Expr, Token![,]>) -> Option<()> {
        while !self.is_done() {
            list.push_value(self.parse_expr(true)?);
            if !self.is_done() {
                list.push_punct(Token![,](self.take_punct(',')?));
            }
        }
        Some(())
    }

    fn parse_paren_or_tuple(&mut self) -> Option<Expr> {
        let attrs = Vec::new();
        let (group, mut inside) = self.take_group(Delimiter::Parenthesis)?;
        let paren_token = paren_of_group(group);
        let mut elems = inside.parse_comma_list()?;
        if elems.len() == 1 && !elems.trailing_punct() {
            let expr = Box::new(elems.pop()?);
            return Some(Expr::Paren(ExprParen { attrs, paren_token, expr }));
        }
        Some(Expr::Tuple(ExprTuple { attrs, paren_token, elems }))
    }

    fn parse_array_or_repeat(&mut self) -> Option<Expr> {
        let attrs = Vec::new();
        let (group, mut inside) = self.take_group(Delimiter::Bracket)?;
        let bracket_token = bracket_of_group(group);
        let mut elems = Punctuated::new();
        if !inside.is_done() {
            let first = inside.parse_expr(true)?;
            if let Some(semi) = inside.take_punct(';') {
                let (expr, len) = (Box::new(first), Box::new(inside.parse_only_expr()?));
                let semi_token = Token![;](semi);
                let repeat = ExprRepeat { attrs, bracket_token, expr, semi_token, len };
                return Some(Expr::Repeat(repeat));
            }
            elems.push_value(first);
            if !inside.is_done() {
                elems.push_punct(Token![,](inside.take_punct(',')?));
            }
        }
        inside.parse_list_rest(&mut elems)?;
        Some(Expr::Array(ExprArray { attrs, bracket_token, elems }))
    }
}

pub(crate) fn paren_of_group(group: &Group) -> Paren {
    Paren { span: group.delim_span() }
}

pub(crate) fn bracket_of_group(group: &Group) -> Bracket {
    Bracket { span: group.delim_span() }
}

fn is_comparison(expr: &Expr) -> bool {
    matches!(expr, Expr::Binary(binary) if binary_precedence(&binary.op) == Precedence::Compare)
}
