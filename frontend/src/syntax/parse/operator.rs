//! Operators of expressions and their precedence.
use crate::syntax::{parse::TokenReader, tokens::Token};
use proc_macro2::Span;
use syn::{BinOp, RangeLimits, Token};

/// Operator precedence, in ascending order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Precedence {
    /// Lower than every operator.
    Lowest,
    Assign,
    Range,
    Or,
    And,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Cast,
}

/// An operator that continues an expression.
pub(crate) enum Operator {
    Binary(BinOp),
    Assign(Token![=]),
    Range(RangeLimits),
    Cast(Token![as]),
}

impl Operator {
    pub(crate) fn precedence(&self) -> Precedence {
        match self {
            Self::Binary(operator) => binary_precedence(operator),
            Self::Assign(_) => Precedence::Assign,
            Self::Range(_) => Precedence::Range,
            Self::Cast(_) => Precedence::Cast,
        }
    }
}

pub(crate) fn binary_precedence(operator: &BinOp) -> Precedence {
    match operator {
        BinOp::Or(_) => Precedence::Or,
        BinOp::And(_) => Precedence::And,
        BinOp::Eq(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Ne(_) | BinOp::Ge(_) | BinOp::Gt(_) => {
            Precedence::Compare
        }
        BinOp::BitOr(_) => Precedence::BitOr,
        BinOp::BitXor(_) => Precedence::BitXor,
        BinOp::BitAnd(_) => Precedence::BitAnd,
        BinOp::Shl(_) | BinOp::Shr(_) => Precedence::Shift,
        BinOp::Add(_) | BinOp::Sub(_) => Precedence::Sum,
        BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_) => Precedence::Product,
        // Compound assignment, such as `+=`. `BinOp` is non-exhaustive; no other operator gets
        // here.
        _ => Precedence::Assign,
    }
}

impl TokenReader<'_> {
    /// Returns the next operator and its number of tokens.
    pub(crate) fn peek_operator(&self) -> Option<(Operator, usize)> {
        match self.peek()? {
            Token::Word(word, text) if text == "as" => {
                Some((Operator::Cast(Token![as](word.span())), 1))
            }
            Token::Punct(_) => {
                let mut spans = [Span::call_site(); 3];
                let joint = self.peek_joint();
                for (ahead, span) in spans.iter_mut().enumerate() {
                    if joint[ahead] == ' ' {
                        break;
                    }
                    *span = self.peek_punct(ahead)?.span();
                }
                longest_operator(joint, spans)
            }
            Token::Word(..) | Token::Literal(_) | Token::Group(..) => None,
        }
    }
}

/// Returns the longest operator that these characters begin with, and its length.
fn longest_operator(joint: [char; 3], [a, b, c]: [Span; 3]) -> Option<(Operator, usize)> {
    // Longer operators before their prefixes.
    let binary = |operator, length| Some((Operator::Binary(operator), length));
    match joint {
        ['<', '<', '='] => binary(BinOp::ShlAssign(Token![<<=]([a, b, c])), 3),
        ['>', '>', '='] => binary(BinOp::ShrAssign(Token![>>=]([a, b, c])), 3),
        ['.', '.', '='] => Some((Operator::Range(RangeLimits::Closed(Token![..=]([a, b, c]))), 3)),
        ['.', '.', '.'] | ['=', '>', _] | ['<', '-', _] => None,
        ['+', '=', _] => binary(BinOp::AddAssign(Token![+=]([a, b])), 2),
        ['-', '=', _] => binary(BinOp::SubAssign(Token![-=]([a, b])), 2),
        ['*', '=', _] => binary(BinOp::MulAssign(Token![*=]([a, b])), 2),
        ['/', '=', _] => binary(BinOp::DivAssign(Token![/=]([a, b])), 2),
        ['%', '=', _] => binary(BinOp::RemAssign(Token![%=]([a, b])), 2),
        ['^', '=', _] => binary(BinOp::BitXorAssign(Token![^=]([a, b])), 2),
        ['&', '=', _] => binary(BinOp::BitAndAssign(Token![&=]([a, b])), 2),
        ['|', '=', _] => binary(BinOp::BitOrAssign(Token![|=]([a, b])), 2),
        ['&', '&', _] => binary(BinOp::And(Token![&&]([a, b])), 2),
        ['|', '|', _] => binary(BinOp::Or(Token![||]([a, b])), 2),
        ['<', '<', _] => binary(BinOp::Shl(Token![<<]([a, b])), 2),
        ['>', '>', _] => binary(BinOp::Shr(Token![>>]([a, b])), 2),
        ['=', '=', _] => binary(BinOp::Eq(Token![==]([a, b])), 2),
        ['<', '=', _] => binary(BinOp::Le(Token![<=]([a, b])), 2),
        ['!', '=', _] => binary(BinOp::Ne(Token![!=]([a, b])), 2),
        ['>', '=', _] => binary(BinOp::Ge(Token![>=]([a, b])), 2),
        ['.', '.', _] => Some((Operator::Range(RangeLimits::HalfOpen(Token![..]([a, b]))), 2)),
        ['+', ..] => binary(BinOp::Add(Token![+](a)), 1),
        ['-', ..] => binary(BinOp::Sub(Token![-](a)), 1),
        ['*', ..] => binary(BinOp::Mul(Token![*](a)), 1),
        ['/', ..] => binary(BinOp::Div(Token![/](a)), 1),
        ['%', ..] => binary(BinOp::Rem(Token![%](a)), 1),
        ['^', ..] => binary(BinOp::BitXor(Token![^](a)), 1),
        ['&', ..] => binary(BinOp::BitAnd(Token![&](a)), 1),
        ['|', ..] => binary(BinOp::BitOr(Token![|](a)), 1),
        ['<', ..] => binary(BinOp::Lt(Token![<](a)), 1),
        ['>', ..] => binary(BinOp::Gt(Token![>](a)), 1),
        ['=', ..] => Some((Operator::Assign(Token![=](a)), 1)),
        _ => None,
    }
}

/// Returns true for `+=` and its kin.
pub(crate) const fn is_compound_assignment(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}
